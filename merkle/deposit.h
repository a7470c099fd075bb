#ifndef PLEACH_DEPOSIT_H
#define PLEACH_DEPOSIT_H

/**
 * The Merkle tree of Ethereum's deposit contract, as a consensus client keeps it: finalized deposits are pruned to the
 * roots of the perfect subtrees they fall into, the others can be proven, also against earlier deposit roots.
 *
 * Leaves are hash tree roots of DepositData. The tree has 32 levels above them and is padded with zero subtrees;
 * deposit root = H(tree root || number of deposits as 32 bytes, little-endian).
 *
 * Threads: one writer, no reader meanwhile; any number of readers otherwise.
 *
 * Source: the deposit contract of the Ethereum consensus-specs; EIP-4881.
 */

#include "merkle/merkle.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Levels above the leaves. */
#define PLEACH_DEPOSIT_DEPTH 32

/** Most deposits: the contract takes no more. */
#define PLEACH_DEPOSIT_MAX UINT32_MAX

/** Nodes of a proof: a sibling for each level, then the number of deposits. */
#define PLEACH_DEPOSIT_PROOF_NODES (PLEACH_DEPOSIT_DEPTH + 1)

typedef struct pleach_deposit_tree pleach_deposit_tree;

/** A plain value: DepositTreeSnapshot of EIP-4881. */
typedef struct pleach_deposit_snapshot {
    size_t finalized_count;                                      /**< one for each bit of deposit_count */
    uint8_t finalized[PLEACH_DEPOSIT_DEPTH][PLEACH_DIGEST_SIZE]; /**< roots of perfect subtrees, largest first */
    uint8_t deposit_root[PLEACH_DIGEST_SIZE];
    uint64_t deposit_count;
    uint8_t execution_block_hash[PLEACH_DIGEST_SIZE];
    uint64_t execution_block_height;
} pleach_deposit_snapshot;

/**
 * Make a tree of no deposits.
 *
 * @param pool  Whose kernels and memory it uses; outlives the tree; NULL = those of no pool. Everything is done by the
 *              calling thread.
 *
 * @retval PLEACH_EINVAL  tree is NULL.
 * @retval PLEACH_ENOMEM  Memory could not be had.
 */
PLEACH_API pleach_status pleach_deposit_create(pleach_deposit_tree **tree, pleach_pool *pool);

/** NULL is allowed. */
PLEACH_API void pleach_deposit_destroy(pleach_deposit_tree *tree);

/**
 * Add deposits. One costs at most one node a level, many fill the lanes.
 *
 * @param leaves  count * PLEACH_DIGEST_SIZE bytes; may be NULL if count is 0.
 *
 * @retval PLEACH_EINVAL  A required pointer is NULL.
 * @retval PLEACH_ERANGE  There would be more than PLEACH_DEPOSIT_MAX.
 * @retval PLEACH_ENOMEM  Memory could not be had.
 */
PLEACH_API pleach_status pleach_deposit_append(pleach_deposit_tree *tree, const uint8_t *leaves, size_t count);

/** Number of deposits; 0 for NULL. */
PLEACH_API uint64_t pleach_deposit_size(const pleach_deposit_tree *tree);

/** Number of finalized deposits; 0 for NULL. */
PLEACH_API uint64_t pleach_deposit_finalized(const pleach_deposit_tree *tree);

/**
 * The deposit root as it was after the first `count` deposits.
 *
 * @param count      At least the number of finalized deposits, at most that of all.
 * @param[out] root  PLEACH_DIGEST_SIZE bytes.
 *
 * @retval PLEACH_EINVAL  A pointer is NULL.
 * @retval PLEACH_ERANGE  The tree does not know that root.
 */
PLEACH_API pleach_status pleach_deposit_root(const pleach_deposit_tree *tree, uint64_t count, uint8_t *root);

/**
 * Write the proof of a deposit against the deposit root after the first `count` deposits.
 *
 * @param index       Of a deposit that is not finalized, below count.
 * @param[out] leaf   PLEACH_DIGEST_SIZE bytes; may be NULL.
 * @param[out] proof  PLEACH_DEPOSIT_PROOF_NODES * PLEACH_DIGEST_SIZE bytes.
 *
 * @retval PLEACH_EINVAL       A required pointer is NULL.
 * @retval PLEACH_ERANGE       As pleach_deposit_root().
 * @retval PLEACH_EPROOFINDEX  There is no such deposit, or it is finalized.
 */
PLEACH_API pleach_status pleach_deposit_prove(const pleach_deposit_tree *tree, uint64_t index, uint64_t count,
                                              uint8_t *leaf, uint8_t *proof);

/**
 * Check the proof of a deposit.
 *
 * @param nodes  Nodes of the proof.
 *
 * @retval PLEACH_OK            The deposit is at that index below that deposit root.
 * @retval PLEACH_EINVAL        A pointer is NULL.
 * @retval PLEACH_EPROOFLENGTH  nodes is not PLEACH_DEPOSIT_PROOF_NODES.
 * @retval PLEACH_EPROOFROOT    The proof leads to another root.
 * @retval PLEACH_EPROOFINDEX   The root is of no more than index deposits.
 */
PLEACH_API pleach_status pleach_deposit_verify(uint64_t index, const uint8_t *leaf, const uint8_t *proof, size_t nodes,
                                               const uint8_t *root);

/**
 * Give up the proofs of the first `count` deposits. The memory of what only they need is used for later ones.
 *
 * @param count         At least as many as are finalized, at most as many as there are.
 * @param block_hash    Of the execution block after which there were so many; PLEACH_DIGEST_SIZE bytes.
 * @param block_height  That block's height.
 *
 * @retval PLEACH_EINVAL  A pointer is NULL.
 * @retval PLEACH_ERANGE  count is out of range.
 */
PLEACH_API pleach_status pleach_deposit_finalize(pleach_deposit_tree *tree, uint64_t count, const uint8_t *block_hash,
                                                 uint64_t block_height);

/**
 * What was finalized last.
 *
 * @retval PLEACH_EINVAL  A pointer is NULL, or nothing was ever finalized.
 */
PLEACH_API pleach_status pleach_deposit_take_snapshot(const pleach_deposit_tree *tree,
                                                      pleach_deposit_snapshot *snapshot);

/**
 * Make a tree that goes on where a snapshot was taken. The block is taken as it is: nothing binds it to the deposits.
 *
 * @retval PLEACH_EINVAL      A pointer is NULL.
 * @retval PLEACH_EFORMAT     More deposits than PLEACH_DEPOSIT_MAX, or another number of finalized roots than belongs
 *                            to their number.
 * @retval PLEACH_EPROOFROOT  The finalized roots do not lead to the deposit root.
 * @retval PLEACH_ENOMEM      Memory could not be had.
 */
PLEACH_API pleach_status pleach_deposit_from_snapshot(pleach_deposit_tree **tree, pleach_pool *pool,
                                                      const pleach_deposit_snapshot *snapshot);

/** Most bytes of a serialised snapshot. */
#define PLEACH_DEPOSIT_SNAPSHOT_MAX (84 + PLEACH_DEPOSIT_DEPTH * PLEACH_DIGEST_SIZE)

/**
 * Write a snapshot as an SSZ container: an offset of 4 bytes, the fields after `finalized` in order, then the finalized
 * roots.
 *
 * @param[out] size  Bytes written.
 *
 * @retval PLEACH_EINVAL   A required pointer is NULL.
 * @retval PLEACH_EFORMAT  As pleach_deposit_from_snapshot().
 * @retval PLEACH_ERANGE   capacity is too small; the text says what is needed.
 */
PLEACH_API pleach_status pleach_deposit_snapshot_serialise(const pleach_deposit_snapshot *snapshot, uint8_t *bytes,
                                                           size_t capacity, size_t *size);

/**
 * Read a serialised snapshot. Its roots are checked by pleach_deposit_from_snapshot().
 *
 * @retval PLEACH_EINVAL      A required pointer is NULL.
 * @retval PLEACH_EFORMAT     The offset is wrong, or there are more deposits than PLEACH_DEPOSIT_MAX.
 * @retval PLEACH_ETRUNCATED  There are fewer finalized roots than belong to the number of deposits.
 * @retval PLEACH_ETRAILING   There are more.
 */
PLEACH_API pleach_status pleach_deposit_snapshot_parse(const uint8_t *bytes, size_t size,
                                                       pleach_deposit_snapshot *snapshot);

#ifdef __cplusplus
}
#endif
#endif
