#ifndef PLEACH_COMETBFT_H
#define PLEACH_COMETBFT_H

/**
 * Merkle proofs and roots as CometBFT has them, formerly Tendermint: crypto/merkle and the protobuf message
 * tendermint.crypto.Proof; the roots of transactions, and of maps such as the stores of the Cosmos SDK. Sei has the
 * same.
 *
 * All of them are trees of PLEACH_SCHEME_RFC6962; pleach_merkle_root() is what hashes a list of byte slices.
 *
 * Threads: everything here may be called by any number at once, while no tree it reads is changed.
 */

#include "merkle/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most aunts that a proof may carry. */
#define PLEACH_COMETBFT_AUNTS_MAX 100

/** A proof that a leaf is in a tree. A plain value. */
typedef struct pleach_cometbft_proof {
    int64_t total; /**< leaves of the tree, by the prover's account: compare it with what you know, as the index */
    int64_t index;
    uint8_t leaf_hash[PLEACH_DIGEST_SIZE];
    size_t aunts;
    uint8_t aunt[PLEACH_COMETBFT_AUNTS_MAX][PLEACH_DIGEST_SIZE]; /**< from the leaf's sibling upwards */
} pleach_cometbft_proof;

/**
 * Make the proof of a leaf of a tree.
 *
 * @param[out] proof  What is beyond its aunts is zero.
 *
 * @retval PLEACH_EINVAL       A pointer is NULL, or the tree's rules are not those of PLEACH_SCHEME_RFC6962.
 * @retval PLEACH_EPROOFINDEX  There is no such leaf.
 */
PLEACH_API pleach_status pleach_cometbft_prove(const pleach_tree *tree, uint64_t index, pleach_cometbft_proof *proof);

/**
 * Check a proof against a root and the bytes of the leaf.
 *
 * @param root       Of root_size bytes, which is PLEACH_DIGEST_SIZE: no other root is ever led to, nil (NULL, 0)
 *                   included.
 * @param leaf       Bytes of the leaf, not its hash; may be NULL if leaf_size is 0.
 *
 * @retval PLEACH_OK            The leaf is at proof->index of a tree with that root, if it has proof->total leaves.
 * @retval PLEACH_EINVAL        A required pointer is NULL.
 * @retval PLEACH_ERANGE        The leaf is longer than the hash allows.
 * @retval PLEACH_EPROOFLIMIT   total or index is negative, or there are more than PLEACH_COMETBFT_AUNTS_MAX aunts.
 * @retval PLEACH_EPROOFEMPTY   total = 0.
 * @retval PLEACH_EPROOFINDEX   index >= total.
 * @retval PLEACH_EPROOFLENGTH  Another number of aunts belongs to that index and total.
 * @retval PLEACH_EPROOFLEAF    leaf_hash is not the hash of the leaf.
 * @retval PLEACH_EPROOFROOT    The proof leads to another root.
 *
 * Source: CometBFT, crypto/merkle/proof.go.
 */
PLEACH_API pleach_status pleach_cometbft_verify(const pleach_cometbft_proof *proof, const uint8_t *root,
                                                size_t root_size, const uint8_t *leaf, size_t leaf_size);

/** Most bytes of an encoded proof. */
#define PLEACH_COMETBFT_PROOF_SIZE_MAX (2 * 10 + (1 + PLEACH_COMETBFT_AUNTS_MAX) * (2 + PLEACH_DIGEST_SIZE))

/**
 * Write a proof as the protobuf message tendermint.crypto.Proof, byte for byte as CometBFT does: int64 total = 1, int64
 * index = 2, bytes leaf_hash = 3, repeated bytes aunts = 4, in this order, without those that are 0.
 *
 * @param[out] size  Bytes written.
 *
 * @retval PLEACH_EINVAL       A pointer is NULL.
 * @retval PLEACH_ERANGE       capacity is too small; the text says what is needed.
 * @retval PLEACH_EPROOFLIMIT  As pleach_cometbft_verify().
 */
PLEACH_API pleach_status pleach_cometbft_proof_encode(const pleach_cometbft_proof *proof, uint8_t *bytes,
                                                      size_t capacity, size_t *size);

/**
 * Read what pleach_cometbft_proof_encode() writes, and nothing else, so that a proof has one encoding: fields in their
 * order and once, no others, numbers of as few bytes as there can be, none that is 0.
 *
 * A proof of total = 0 can be read; pleach_cometbft_verify() refuses it.
 *
 * @param[out] proof  What is beyond its aunts is zero.
 *
 * @retval PLEACH_EINVAL       A required pointer is NULL.
 * @retval PLEACH_EFORMAT      Anything else than said, or a hash that has not PLEACH_DIGEST_SIZE bytes.
 * @retval PLEACH_ETRUNCATED   It ends early.
 * @retval PLEACH_EPROOFLIMIT  As pleach_cometbft_verify().
 */
PLEACH_API pleach_status pleach_cometbft_proof_decode(const uint8_t *bytes, size_t size, pleach_cometbft_proof *proof);

/**
 * Hash transactions over lanes and workers: SHA-256 of each. These hashes are the leaves of their tree; leaf i of a
 * proof is hash i.
 *
 * @param pool          Workers; NULL = the calling thread alone, without SME.
 * @param transactions  n of them; may be NULL if n is 0.
 * @param[out] hashes   PLEACH_DIGEST_SIZE bytes each; may be NULL if n is 0; must not overlap the transactions.
 *
 * @retval PLEACH_EINVAL  A required pointer is NULL, that of a transaction included.
 * @retval PLEACH_ERANGE  The transactions or the hashes would not fit the address space.
 * @retval PLEACH_EFORKED, PLEACH_ECLOSED  As pleach_pool_run().
 */
PLEACH_API pleach_status pleach_cometbft_hash_transactions(pleach_pool *pool, const pleach_input *transactions,
                                                           size_t n, uint8_t *hashes);

/**
 * Compute the root of transactions, as a block's data hash: of no transactions, SHA-256 of nothing.
 *
 * @param[out] root  PLEACH_DIGEST_SIZE bytes.
 *
 * @retval PLEACH_ENOMEM  Memory for the hashes could not be had.
 * Other errors as pleach_cometbft_hash_transactions().
 */
PLEACH_API pleach_status pleach_cometbft_transactions_root(pleach_pool *pool, const pleach_input *transactions,
                                                           size_t n, uint8_t *root);

/** An entry of a map. */
typedef struct pleach_cometbft_entry {
    pleach_input key; /**< at least 1 byte */
    pleach_input value;
} pleach_cometbft_entry;

/** Bytes of the leaf of an entry, beside its key, at most. */
#define PLEACH_COMETBFT_ENTRY_EXTRA (10 + 1 + PLEACH_DIGEST_SIZE)

/**
 * Write the leaf that an entry is in a map's tree, for checking a proof of it: the size of the key as a varint, the
 * key, 0x20, SHA-256 of the value.
 *
 * @param[out] leaf  key.size + PLEACH_COMETBFT_ENTRY_EXTRA bytes always suffice.
 * @param[out] size  Bytes written.
 *
 * @retval PLEACH_EINVAL  A required pointer is NULL, or the key is empty.
 * @retval PLEACH_ERANGE  capacity is too small; the text says what is needed. Or key or value would not fit the address
 *                        space.
 */
PLEACH_API pleach_status pleach_cometbft_entry_leaf(const pleach_cometbft_entry *entry, uint8_t *leaf, size_t capacity,
                                                    size_t *size);

/**
 * Compute the root of a map: of its entries' leaves, in ascending order of the keys, compared byte by byte.
 *
 * @param pool       Workers; NULL = the calling thread alone, without SME.
 * @param entries    n of them, in any order; may be NULL if n is 0.
 * @param[out] root  PLEACH_DIGEST_SIZE bytes; of no entries, SHA-256 of nothing.
 *
 * @retval PLEACH_EINVAL  A required pointer is NULL, or a key is empty or there twice.
 * @retval PLEACH_ERANGE  Keys or values would not fit the address space.
 * @retval PLEACH_ENOMEM  Memory for the leaves could not be had.
 * @retval PLEACH_EFORKED, PLEACH_ECLOSED  As pleach_pool_run().
 *
 * Source: Cosmos SDK, store/internal/maps.
 */
PLEACH_API pleach_status pleach_cometbft_map_root(pleach_pool *pool, const pleach_cometbft_entry *entries, size_t n,
                                                  uint8_t *root);

#ifdef __cplusplus
}
#endif
#endif
