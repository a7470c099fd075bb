#ifndef PLEACH_LTHASH_H
#define PLEACH_LTHASH_H

/**
 * LtHash: a hash of a set to which items are added, and from which they are removed, at a cost that does not depend on
 * the size of the set.
 *
 * The state is 1024 numbers of 16 bits. An item adds to them, or subtracts from them, the first 2048 bytes of its
 * BLAKE3 output, modulo 2^16 each. So the order of changes does not matter, two sums may be combined, and an item that
 * is added twice counts twice: it is a hash of a multiset. Removing what was never added is not noticed.
 *
 * Every state is that of a plain scalar implementation, whatever the pool, its kernels and their number. What is too
 * small to gain from help is done by the calling thread alone.
 *
 * Threads: one writer a state and no reader of the same state meanwhile; calls on different states do not disturb each
 * other. A call that may be long blocks until done; any number of callers may share a pool, a task running on the pool
 * included.
 *
 * Any function that hashes may also fail with PLEACH_EBACKEND: no kernel gives right digests on this host.
 *
 * Source: Bellare and Micciancio, "A New Paradigm for Collision-Free Hashing", 1997; Lewi, Kim, Maykov and Weis,
 * "Securing Update Propagation with Homomorphic Hashing", 2019, with BLAKE3 as Solana (SIMD-0215) and Sei have it.
 */

#include "pool/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of a serialised state. */
#define PLEACH_LTHASH_SIZE 2048

/** Bytes of a key. */
#define PLEACH_LTHASH_KEY_SIZE 32

/**
 * A state: a plain value of the caller's, of any storage, that may be copied by assignment. Its content is private and
 * in an order that suits vectors; pleach_lthash_serialise() writes the one that others read.
 *
 * All bytes zero is the state of the empty set, without a key: static ones need no call. A keyed state contains its
 * key: pleach_lthash_init() overwrites it.
 */
typedef struct pleach_lthash {
    uint32_t words[PLEACH_LTHASH_SIZE / 4];
    uint8_t key[PLEACH_LTHASH_KEY_SIZE];
    uint32_t keyed;
} pleach_lthash;

/**
 * Make a state of the empty set, without a key.
 *
 * @retval PLEACH_EINVAL  state is NULL.
 */
PLEACH_API pleach_status pleach_lthash_init(pleach_lthash *state);

/**
 * Make a state of the empty set whose items are hashed under a key, by BLAKE3's keyed mode. States of different keys,
 * or one with and one without, are never combined or compared: PLEACH_EKEY.
 *
 * @param key  PLEACH_LTHASH_KEY_SIZE bytes; copied.
 *
 * @retval PLEACH_EINVAL  A pointer is NULL.
 */
PLEACH_API pleach_status pleach_lthash_init_keyed(pleach_lthash *state, const uint8_t *key);

/**
 * Go back to the empty set; the key stays.
 *
 * @retval PLEACH_EINVAL  state is NULL.
 */
PLEACH_API pleach_status pleach_lthash_zero(pleach_lthash *state);

typedef enum pleach_lthash_action { PLEACH_LTHASH_ADD, PLEACH_LTHASH_REMOVE } pleach_lthash_action;

/** What an item of no bytes is. */
typedef enum pleach_lthash_empty {
    PLEACH_LTHASH_EMPTY_HASHED, /**< an item as any other: Solana */
    PLEACH_LTHASH_EMPTY_SKIPPED /**< nothing: Sei */
} pleach_lthash_empty;

/** A change. */
typedef struct pleach_lthash_op {
    pleach_input item; /**< the caller's; only read; of any size */
    pleach_lthash_action action;
    uint32_t state; /**< pleach_lthash_apply_many(): index of the state it changes; pleach_lthash_apply(): 0 */
} pleach_lthash_op;

/**
 * Apply changes to a state, in any order. All of them count, or after an error none.
 *
 * @param pool     Workers; NULL = the calling thread alone.
 * @param ops      n changes; may be NULL if n is 0. Items must not overlap the state.
 * @param empty    What items of no bytes are.
 * @param monitor  Progress in changes, and cancellation; may be NULL.
 *
 * @retval PLEACH_EINVAL     A required pointer is NULL, or an action, `empty` or the index of a state is out of range.
 * @retval PLEACH_ERANGE     An item would not fit the address space.
 * @retval PLEACH_ENOMEM     Scratch memory could not be had. Short batches need none.
 * @retval PLEACH_ECANCELED  The monitor was cancelled.
 * @retval PLEACH_EFORKED, PLEACH_ECLOSED  As pleach_pool_run().
 */
PLEACH_API pleach_status pleach_lthash_apply(pleach_pool *pool, pleach_lthash *state, const pleach_lthash_op *ops,
                                             size_t n, pleach_lthash_empty empty, pleach_monitor *monitor);

/** Items of one size in memory, the caller's; only read. Item i is the size bytes at data + i * stride. */
typedef struct pleach_lthash_items {
    const uint8_t *data; /**< any alignment; may be NULL if count or size is 0 */
    size_t size;
    size_t stride; /**< smaller than size is allowed: items may overlap */
    size_t count;
} pleach_lthash_items;

/**
 * Add all of some items of one size, or remove all of them; otherwise as pleach_lthash_apply().
 *
 * @retval PLEACH_ERANGE  The items would not fit the address space.
 * Other errors as pleach_lthash_apply().
 */
PLEACH_API pleach_status pleach_lthash_apply_items(pleach_pool *pool, pleach_lthash *state, pleach_lthash_action action,
                                                   const pleach_lthash_items *items, pleach_lthash_empty empty,
                                                   pleach_monitor *monitor);

/**
 * Apply the changes of several states in one call, such as those of one block to the states of several stores. The
 * work is spread over the workers whatever the share of each state. Changes that come ordered by state spare a sort.
 *
 * @param states  `count` of them, of one key, each given once; may be NULL if n is 0.
 * @param total   Takes all changes too: it stays the sum of the states if it was. Of the same key, and none of the
 *                states. May be NULL.
 * @param ops     n changes, each of states[op.state].
 *
 * @retval PLEACH_EINVAL  Also if op.state is not below count, or total is one of the states.
 * @retval PLEACH_EKEY    The states have different keys.
 * Other errors as pleach_lthash_apply(); after an error no state has changed.
 */
PLEACH_API pleach_status pleach_lthash_apply_many(pleach_pool *pool, pleach_lthash *const *states, size_t count,
                                                  pleach_lthash *total, const pleach_lthash_op *ops, size_t n,
                                                  pleach_lthash_empty empty, pleach_monitor *monitor);

/**
 * An item that comes in pieces, so that all of it need never be in memory. For batches that come in pieces, apply each
 * to an empty state of the same key, then combine that with the state they are for.
 *
 * Threads: one caller a stream.
 */
typedef struct pleach_lthash_stream pleach_lthash_stream;

/**
 * Begin an item.
 *
 * @param[out] stream  The caller's, until pleach_lthash_stream_destroy().
 * @param pool         Outlives the stream; NULL = the process's own memory and kernels.
 * @param state        Whose key the item is hashed under; copied.
 *
 * @retval PLEACH_EINVAL  A required pointer is NULL.
 * @retval PLEACH_ENOMEM  Memory could not be had.
 */
PLEACH_API pleach_status pleach_lthash_begin(pleach_lthash_stream **stream, pleach_pool *pool,
                                             const pleach_lthash *state);

/**
 * Go on with the item.
 *
 * @param bytes  The next size bytes of it; may be NULL if size is 0.
 *
 * @retval PLEACH_EINVAL  A required pointer is NULL.
 */
PLEACH_API pleach_status pleach_lthash_part(pleach_lthash_stream *stream, const uint8_t *bytes, size_t size);

/**
 * End the item and apply it to a state. The stream is then at the beginning of another item.
 *
 * @retval PLEACH_EINVAL  A pointer is NULL, or an enum is out of range.
 * @retval PLEACH_EKEY    The state has another key than the one the stream was begun with.
 * After an error the state and the stream are as they were.
 */
PLEACH_API pleach_status pleach_lthash_end(pleach_lthash_stream *stream, pleach_lthash *state,
                                           pleach_lthash_action action, pleach_lthash_empty empty);

/** Free a stream; an item that was not ended changes nothing. NULL is allowed. */
PLEACH_API void pleach_lthash_stream_destroy(pleach_lthash_stream *stream);

/**
 * Add a state to another: the state of both multisets together.
 *
 * @param other  May be `state` itself.
 *
 * @retval PLEACH_EINVAL  A pointer is NULL.
 * @retval PLEACH_EKEY    The states have different keys.
 */
PLEACH_API pleach_status pleach_lthash_combine(pleach_lthash *state, const pleach_lthash *other);

/** Subtract a state from another: everything the one holds is removed from the other. As pleach_lthash_combine(). */
PLEACH_API pleach_status pleach_lthash_subtract(pleach_lthash *state, const pleach_lthash *other);

/**
 * Make a state its own opposite: combined with what it was, it gives the empty set.
 *
 * @retval PLEACH_EINVAL  state is NULL.
 */
PLEACH_API pleach_status pleach_lthash_negate(pleach_lthash *state);

/**
 * Compare two states, in a time that does not depend on their content.
 *
 * @retval PLEACH_EINVAL  A pointer is NULL.
 * @retval PLEACH_EKEY    The states have different keys.
 */
PLEACH_API pleach_status pleach_lthash_equal(const pleach_lthash *a, const pleach_lthash *b, bool *equal);

/** Whether a state is that of the empty set, found in a time that does not depend on its content. False for NULL. */
PLEACH_API bool pleach_lthash_is_zero(const pleach_lthash *state);

/**
 * The BLAKE3 digest of the serialised state, without a key in either case: what Sei and Solana publish.
 *
 * @param pool         Whose kernels hash; NULL = pleach_kernels_default().
 * @param[out] digest  PLEACH_DIGEST_SIZE bytes.
 *
 * @retval PLEACH_EINVAL  A required pointer is NULL.
 */
PLEACH_API pleach_status pleach_lthash_checksum(pleach_pool *pool, const pleach_lthash *state, uint8_t *digest);

/**
 * Write a state: its 1024 numbers, each little-endian. The key is not written, nor whether there is one.
 *
 * @param[out] bytes  PLEACH_LTHASH_SIZE bytes; must not overlap the state.
 *
 * @retval PLEACH_EINVAL  A pointer is NULL.
 */
PLEACH_API pleach_status pleach_lthash_serialise(const pleach_lthash *state, uint8_t *bytes);

/**
 * Read what pleach_lthash_serialise() wrote into a state, whose key stays: it has to be the one it was written with,
 * which the bytes cannot tell. Any PLEACH_LTHASH_SIZE bytes are a state; guard them by their checksum.
 *
 * @retval PLEACH_EINVAL     A pointer is NULL.
 * @retval PLEACH_ETRUNCATED Fewer than PLEACH_LTHASH_SIZE bytes.
 * @retval PLEACH_ETRAILING  More than that.
 */
PLEACH_API pleach_status pleach_lthash_parse(pleach_lthash *state, const uint8_t *bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif
