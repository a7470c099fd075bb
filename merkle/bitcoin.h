#ifndef PLEACH_BITCOIN_H
#define PLEACH_BITCOIN_H

/**
 * Merkle trees as Bitcoin has them: roots of blocks, the witness commitment, and partial trees. All identifiers are in
 * internal byte order, the reverse of what block explorers show.
 *
 * Threads: everything here may be called by any number at once, while no tree it reads is changed.
 */

#include "merkle/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most transactions of a block that a partial tree may be of: 4,000,000 weight units at 240 each. */
#define PLEACH_BITCOIN_TRANSACTIONS_MAX 16666

/**
 * Compute the root over transaction ids: that of pleach_merkle_root() with PLEACH_SCHEME_BITCOIN.
 *
 * @param txids         count of them, 32 bytes each; may be NULL if there are none.
 * @param[out] root     32 bytes; of no transactions, zeros; of one, its id.
 * @param[out] mutated  Whether at any level two siblings are equal, not counting a node that stands in for a missing
 * one: transactions can be repeated so without changing the root (CVE-2012-2459), so a block like this says nothing
 * about its root. May be NULL.
 *
 * Errors as pleach_merkle_root().
 */
PLEACH_API pleach_status pleach_bitcoin_root(pleach_pool *pool, const uint8_t *txids, size_t count, uint8_t *root,
                                             bool *mutated);

/**
 * Compute the commitment to a block's witnesses, as its coinbase transaction holds it: SHA-256 twice of the root over
 * witness transaction ids and the reserved value (BIP 141).
 *
 * @param wtxids           count of them, at least one. The first is the coinbase transaction's, for which zeros count
 *                         whatever it is.
 * @param reserved         32 bytes: the witness of the coinbase's input.
 * @param[out] commitment  32 bytes.
 *
 * @retval PLEACH_EINVAL  A pointer is NULL, or count is 0.
 * Other errors as pleach_merkle_root().
 */
PLEACH_API pleach_status pleach_bitcoin_witness_commitment(pleach_pool *pool, const uint8_t *wtxids, size_t count,
                                                           const uint8_t *reserved, uint8_t *commitment);

/**
 * Write the partial tree that proves some transactions of a block, as the message "merkleblock" has it after the header
 * (BIP 37): number of transactions (4 bytes), hashes (compact size, 32 bytes each) in depth-first order, flag bits
 * (compact size of their bytes, least significant bit first).
 *
 * @param tree        Of PLEACH_SCHEME_BITCOIN; at least one leaf.
 * @param indices     n of them, ascending, each once; none is allowed.
 * @param[out] bytes  NULL = only the size is wanted, whatever the capacity.
 * @param[out] size   Bytes of the partial tree.
 *
 * @retval PLEACH_EINVAL           A required pointer is NULL, or the tree is of other rules.
 * @retval PLEACH_ERANGE           capacity is too small; the text says what is needed.
 * @retval PLEACH_EPROOFEMPTY      The tree has no leaf.
 * @retval PLEACH_EPROOFLIMIT      It has more than PLEACH_BITCOIN_TRANSACTIONS_MAX.
 * @retval PLEACH_EPROOFINDEX, PLEACH_EPROOFDUPLICATE, PLEACH_EPROOFUNSORTED  As pleach_multiproof_length().
 */
PLEACH_API pleach_status pleach_bitcoin_partial_tree_write(const pleach_tree *tree, const uint64_t *indices, size_t n,
                                                           uint8_t *bytes, size_t capacity, size_t *size);

/** A transaction that a partial tree proves. */
typedef struct pleach_bitcoin_match {
    uint32_t index;
    uint8_t txid[PLEACH_DIGEST_SIZE];
} pleach_bitcoin_match;

/** What a partial tree says. */
typedef struct pleach_bitcoin_partial_tree {
    uint8_t root[PLEACH_DIGEST_SIZE]; /**< to be compared with the header's */
    uint32_t transactions;            /**< of the block, by the sender's account */
    size_t matches;
} pleach_bitcoin_partial_tree;

/**
 * Read a partial tree, and nothing else: the bits that fill up the last byte are zeros.
 *
 * @param[out] partial  Root, number of transactions, and of those it proves.
 * @param[out] matches  These, by ascending index; may be NULL if none are wanted.
 * @param capacity      Matches that fit.
 *
 * @retval PLEACH_EINVAL         A required pointer is NULL.
 * @retval PLEACH_ERANGE         There are more matches than fit; the text says how many.
 * @retval PLEACH_EPROOFEMPTY    It is of a block of no transactions.
 * @retval PLEACH_EPROOFLIMIT    Of more than PLEACH_BITCOIN_TRANSACTIONS_MAX, or it has more hashes than transactions.
 * @retval PLEACH_EPROOFBITS     Fewer flag bits than hashes, or than are needed; or some are not used, or padding is
 * not zero.
 * @retval PLEACH_EPROOFMISSING  It has too few hashes.
 * @retval PLEACH_EPROOFUNUSED   It has hashes that are not used.
 * @retval PLEACH_EPROOFMUTATED  Two siblings are equal (CVE-2012-2459).
 * @retval PLEACH_EFORMAT        A compact size is not the shortest.
 * @retval PLEACH_ETRUNCATED     It ends early.
 * @retval PLEACH_ETRAILING      Bytes follow the end.
 */
PLEACH_API pleach_status pleach_bitcoin_partial_tree_read(const uint8_t *bytes, size_t size,
                                                          pleach_bitcoin_partial_tree *partial,
                                                          pleach_bitcoin_match *matches, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
