#ifndef PLEACH_XMSS_KEY_H
#define PLEACH_XMSS_KEY_H

/**
 * Keys of XMSS, and signing.
 *
 * A key signs for the epochs of a range, in ascending order: once an epoch is signed for, it and all before count as
 * used. That is two numbers to remember, not a set, and the loss of a key's memory has one remedy: a least epoch. The
 * message that was signed last is remembered too, and gives the same signature again.
 *
 * A key in memory remembers what it signed as long as it lives, and its serialised form what it had signed by then:
 * whoever parses that twice, or an old one, has two signers of one key. A key in a file remembers by a second file
 * beside it, which one process at a time holds, and in which an epoch is recorded, on the disk, before anything is
 * computed for it. That second file is known by its inode, so a copy of it is noticed. What no file can tell: that it
 * was overwritten in place by its older self, or went back in time with its whole disk.
 *
 * Secret are the seed and all values of the chains below those revealed. No branch and no address depends on them;
 * buffers that held them are wiped, but for what compilers keep on the stack. They are never printed.
 *
 * Threads: any number may use a key at once. A key is the process's that made it: a fork of it is refused with
 * PLEACH_EFORKED, because there would be two signers.
 *
 * Any function that hashes may also fail with PLEACH_EBACKEND: no kernel gives right digests on this host.
 */

#include "xmss/xmss.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pleach_xmss_key pleach_xmss_key;

/**
 * Make a key for the epochs first_epoch to last_epoch. The same seed and range give the same key, which has signed
 * nothing. Memory and, later on, the work before a signature grow with the square root of the number of epochs.
 *
 * @param pool      NULL = the calling thread alone.
 * @param seed      PLEACH_XMSS_SEED_SIZE secret bytes; NULL = from the system.
 * @param monitor   May be NULL. Progress is in parts of equal size of the range.
 * @param[out] key  The caller's, until pleach_xmss_key_destroy(); it does not need the pool.
 *
 * @retval PLEACH_EINVAL  key is NULL, or first_epoch > last_epoch.
 * @retval PLEACH_EIO     The system has no random bytes.
 * @retval PLEACH_ENOMEM  Memory could not be had.
 * @retval other          As pleach_pool_run().
 */
PLEACH_API pleach_status pleach_xmss_keygen(pleach_pool *pool, const uint8_t *seed, uint32_t first_epoch,
                                            uint32_t last_epoch, pleach_monitor *monitor, pleach_xmss_key **key);

/** Wipe and free a key that nobody uses any more, and let go of its file. NULL is allowed. */
PLEACH_API void pleach_xmss_key_destroy(pleach_xmss_key *key);

/**
 * The public key.
 *
 * @param[out] public_key  PLEACH_XMSS_PUBLIC_KEY_SIZE bytes.
 *
 * @retval PLEACH_EINVAL  A pointer is NULL.
 */
PLEACH_API pleach_status pleach_xmss_key_public(const pleach_xmss_key *key, uint8_t *public_key);

/** The range of a key. PLEACH_EINVAL: a pointer is NULL. */
PLEACH_API pleach_status pleach_xmss_key_range(const pleach_xmss_key *key, uint32_t *first_epoch, uint32_t *last_epoch);

/**
 * The least epoch that was not used.
 *
 * @param[out] next  One more than the last epoch of the range if the key is used up.
 *
 * @retval PLEACH_EINVAL  A pointer is NULL.
 */
PLEACH_API pleach_status pleach_xmss_key_next(pleach_xmss_key *key, uint64_t *next);

/**
 * Let all epochs below `next` count as used, for good; such as when another signer may have used them.
 *
 * @param next  At most one more than the last epoch of the range. One that is not above what pleach_xmss_key_next()
 *              tells changes nothing.
 *
 * @retval PLEACH_EINVAL      key is NULL.
 * @retval PLEACH_EXMSSEPOCH  next is out of range.
 * @retval PLEACH_EFORKED     As above.
 * @retval PLEACH_EIO         As pleach_xmss_sign().
 */
PLEACH_API pleach_status pleach_xmss_key_skip(pleach_xmss_key *key, uint64_t next);

/**
 * Compute ahead what signatures for an epoch and its neighbours need, such as while nobody waits. A key keeps the two
 * latest neighbourhoods. Signatures do without, but then the first of a neighbourhood takes longer. No signer ever
 * waits for this call.
 *
 * @param pool     NULL = the calling thread alone.
 * @param monitor  May be NULL. Progress is in parts of equal size.
 *
 * @retval PLEACH_EINVAL      key is NULL.
 * @retval PLEACH_EXMSSEPOCH  The epoch is outside of the key's range.
 * @retval PLEACH_EFORKED     As above.
 * @retval PLEACH_ENOMEM      Memory could not be had.
 * @retval other              As pleach_pool_run().
 */
PLEACH_API pleach_status pleach_xmss_key_prepare(pleach_pool *pool, pleach_xmss_key *key, uint32_t epoch,
                                                 pleach_monitor *monitor);

/** Epochs of a neighbourhood: those that agree in all but the lowest bits. 0 for NULL. */
PLEACH_API uint64_t pleach_xmss_key_neighbourhood(const pleach_xmss_key *key);

/** Where the randomness of a signature is from: 24 bytes, the first 8 a counter, the least that gives an encoding. */
typedef enum pleach_xmss_randomness {
    PLEACH_XMSS_DETERMINISTIC, /**< the other 16 are zero */
    PLEACH_XMSS_RANDOM         /**< the other 16 are the system's */
} pleach_xmss_randomness;

/**
 * Sign a message for an epoch. The epoch is used from then on, even if the call fails later.
 *
 * The epoch and the message that were signed last may be signed again: that gives the same signature, whatever
 * randomness is asked for.
 *
 * @param pool            For the neighbourhood of the epoch, if that is not prepared; NULL = the calling thread alone.
 * @param message         PLEACH_XMSS_MESSAGE_SIZE bytes.
 * @param[out] signature  PLEACH_XMSS_SIGNATURE_SIZE bytes; verified before it is handed out.
 *
 * @retval PLEACH_EINVAL      A required pointer is NULL, or there is no such randomness.
 * @retval PLEACH_EXMSSEPOCH  The epoch is outside of the key's range.
 * @retval PLEACH_EXMSSUSED   The epoch or a later one was signed for, also by a call that has not returned yet.
 * @retval PLEACH_EFORKED     As above.
 * @retval PLEACH_EIO         The epoch could not be recorded on the disk: nothing was computed, and the key signs no
 *                            more until it is opened anew. Or the system has no random bytes.
 * @retval PLEACH_EXMSSROOT   The processor computed something wrong; the signature was not handed out.
 * @retval other              As pleach_xmss_key_prepare().
 */
PLEACH_API pleach_status pleach_xmss_sign(pleach_pool *pool, pleach_xmss_key *key, uint32_t epoch,
                                          const uint8_t *message, pleach_xmss_randomness randomness,
                                          uint8_t *signature);

/** Bytes of a serialised key; 0 for NULL. */
PLEACH_API size_t pleach_xmss_key_size(const pleach_xmss_key *key);

/**
 * Write a key: secret bytes, and what was used.
 *
 * @param[out] bytes  pleach_xmss_key_size() bytes.
 *
 * @retval PLEACH_EINVAL  A pointer is NULL, or the key is in a file: there would be two signers.
 */
PLEACH_API pleach_status pleach_xmss_key_serialise(pleach_xmss_key *key, uint8_t *bytes);

/**
 * Read what pleach_xmss_key_serialise() wrote.
 *
 * @param pool      NULL = the calling thread alone.
 * @param[out] key  As pleach_xmss_keygen().
 *
 * @retval PLEACH_EINVAL      A required pointer is NULL.
 * @retval PLEACH_ETRUNCATED, PLEACH_ETRAILING, PLEACH_EFORMAT, PLEACH_EVERSION, PLEACH_ECHECKSUM
 *                            The bytes are no key.
 * @retval PLEACH_EXMSSSTATE  What it used is in another file: pleach_xmss_key_open() opens both.
 * @retval PLEACH_ENOMEM      Memory could not be had.
 */
PLEACH_API pleach_status pleach_xmss_key_parse(pleach_pool *pool, const uint8_t *bytes, size_t size,
                                               pleach_xmss_key **key);

/**
 * Write a key to the new file `path`, and what it used to the new file `path` with ".state" at its end; both are on the
 * disk afterwards, readable to their owner only. The key itself signs no more: from now on, that is for who opens it.
 *
 * The first file never changes, and may be copied. The second is no good elsewhere and must not be restored.
 *
 * @retval PLEACH_EINVAL  A pointer is NULL, or the key is in a file.
 * @retval PLEACH_EFORKED As above.
 * @retval PLEACH_EIO     A file could not be written, or is there. What is at `path` is whole or not there; what is
 * left beside it was never used, and may be removed.
 */
PLEACH_API pleach_status pleach_xmss_key_save(pleach_xmss_key *key, const char *path);

/**
 * Open a key in a file, to sign with. Until it is destroyed nobody else can.
 *
 * @param pool      NULL = the calling thread alone.
 * @param[out] key  As pleach_xmss_keygen().
 *
 * @retval PLEACH_EINVAL      A required pointer is NULL.
 * @retval PLEACH_EBUSY       Somebody has opened it.
 * @retval PLEACH_EXMSSSTATE  What was used is not known: the second file is missing, damaged, of another key or a copy.
 *                            See pleach_xmss_key_adopt().
 * @retval PLEACH_EIO         A file could not be read.
 * @retval other              As pleach_xmss_key_parse().
 */
PLEACH_API pleach_status pleach_xmss_key_open(pleach_pool *pool, const char *path, pleach_xmss_key **key);

/**
 * Make a new second file for a key in a file, or make that which is there its own: after a restored backup, or damage.
 *
 * @param next  Nobody signed for this epoch or a later one: that is the operator's word. The records that are there and
 *              whole may say more, which counts then.
 *
 * @retval PLEACH_EINVAL      A pointer is NULL.
 * @retval PLEACH_EXMSSEPOCH  next is below the range of the key, or more than one above.
 * @retval PLEACH_EBUSY       Somebody has opened it.
 * @retval PLEACH_EIO         A file could not be read or written.
 * @retval other              As pleach_xmss_key_parse().
 */
PLEACH_API pleach_status pleach_xmss_key_adopt(const char *path, uint64_t next);

#ifdef __cplusplus
}
#endif
#endif
