#ifndef PLEACH_SSZ_H
#define PLEACH_SSZ_H

/**
 * Ethereum SSZ: merkleization, mix-ins, and proofs by generalized index.
 *
 * Chunks are PLEACH_DIGEST_SIZE bytes: packed basic values, the last chunk filled up with zero bytes, or the roots of
 * what a container, vector or list holds. A type's limit in chunks fixes the depth of its tree, however few chunks
 * there are.
 *
 * A generalized index numbers the nodes of a tree: the root is 1, the children of node k are 2k and 2k + 1. So a node
 * at depth d has an index of d + 1 bits, and each bit but the first says which way to go down from the root. Where a
 * length is mixed in, the root of the chunks is node 2 and the length node 3.
 *
 * Verifiers take generalized indices from what they want to know, never from a proof: an index fixes how many nodes a
 * proof has and where each of them goes.
 *
 * Source: Ethereum consensus-specs, ssz/simple-serialize.md and ssz/merkle-proofs.md; EIP-7916.
 */

#include "merkle/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A limit of types that have none: as many chunks as there are. */
#define PLEACH_SSZ_NO_LIMIT UINT64_MAX

/** Most nodes a proof of one generalized index has. */
#define PLEACH_SSZ_PATH_MAX 63

/**
 * The scheme of a tree over the chunks of a type, for pleach_tree and pleach_frontier.
 *
 * @param limit         Most chunks a value of the type has, at most 2^63, or PLEACH_SSZ_NO_LIMIT. 0 and 1 give a tree
 *                      of depth 0, which a pleach_scheme cannot tell from one without a limit.
 * @param[out] scheme   The scheme.
 *
 * @retval PLEACH_EINVAL  scheme is NULL.
 * @retval PLEACH_ERANGE  The limit is above 2^63.
 */
PLEACH_API pleach_status pleach_ssz_scheme(uint64_t limit, pleach_scheme *scheme);

/**
 * Merkleize chunks: merkleize(chunks, limit).
 *
 * @param pool       Workers; NULL = the calling thread alone.
 * @param chunks     count * PLEACH_DIGEST_SIZE bytes; may be NULL if count is 0.
 * @param limit      As pleach_ssz_scheme(); 0 counts as 1.
 * @param[out] root  PLEACH_DIGEST_SIZE bytes; must not overlap the chunks.
 *
 * @retval PLEACH_EINVAL  A required pointer is NULL.
 * @retval PLEACH_ERANGE  There are more chunks than the limit, the limit is above 2^63, or the chunks would not fit the
 *                        address space.
 * Other errors and threads as pleach_merkle_root().
 */
PLEACH_API pleach_status pleach_ssz_root(pleach_pool *pool, const uint8_t *chunks, size_t count, uint64_t limit,
                                         uint8_t *root);

/**
 * Merkleize the chunks of a progressive list (EIP-7916): subtrees of 1, 4, 16, ... chunks, each at the right of a node
 * whose left child holds those that follow. The list's length is still to be mixed in.
 *
 * Arguments and errors as pleach_ssz_root().
 */
PLEACH_API pleach_status pleach_ssz_progressive_root(pleach_pool *pool, const uint8_t *chunks, size_t count,
                                                     uint8_t *root);

/**
 * mixed = H(root || length as 32 bytes, little-endian): the root of a list.
 *
 * @param length      Elements of the list, not chunks.
 * @param[out] mixed  PLEACH_DIGEST_SIZE bytes; may be root.
 *
 * @retval PLEACH_EINVAL  A pointer is NULL.
 */
PLEACH_API pleach_status pleach_ssz_mix_in_length(const uint8_t *root, uint64_t length, uint8_t *mixed);

/** mixed = H(root || selector as 32 bytes): the root of a union. As pleach_ssz_mix_in_length(). */
PLEACH_API pleach_status pleach_ssz_mix_in_selector(const uint8_t *root, uint8_t selector, uint8_t *mixed);

/**
 * The generalized index, in an outer tree, of node `inner` of a tree whose root is node `outer` of it.
 *
 * @retval PLEACH_EINVAL  An index is 0 or a pointer is NULL.
 * @retval PLEACH_ERANGE  The result has more than 64 bits.
 */
PLEACH_API pleach_status pleach_ssz_concat(uint64_t outer, uint64_t inner, uint64_t *index);

/**
 * Read a node and write the proof for it: its sibling, its parent's sibling, and so on up to the root. The proof of a
 * node of an inner tree is that proof in the inner tree, followed by the proof of the inner root in the outer tree.
 *
 * @param tree        Of PLEACH_SCHEME_SSZ or pleach_ssz_scheme(); any number of leaves.
 * @param length      A list's length, which is mixed in; NULL = nothing is mixed in.
 * @param index       Generalized index of a leaf or an inner node; also beyond the chunks, where it stands above zeros.
 * @param[out] node   PLEACH_DIGEST_SIZE bytes: the node. May be NULL.
 * @param[out] path   PLEACH_DIGEST_SIZE bytes a node; may be NULL if capacity is 0.
 * @param capacity    Nodes that fit into path.
 * @param[out] nodes  Nodes written: one less than the bits of index.
 *
 * @retval PLEACH_EINVAL       A required pointer is NULL or the tree is of another scheme.
 * @retval PLEACH_EPROOFINDEX  The tree has no such node.
 * @retval PLEACH_ERANGE       capacity is too small; the text says what is needed.
 */
PLEACH_API pleach_status pleach_ssz_prove(const pleach_tree *tree, const uint64_t *length, uint64_t index,
                                          uint8_t *node, uint8_t *path, size_t capacity, size_t *nodes);

/**
 * Check a proof for one node.
 *
 * @param path  May be NULL if nodes is 0.
 *
 * @retval PLEACH_OK            The tree with that root has that node at that index.
 * @retval PLEACH_EINVAL        A required pointer is NULL.
 * @retval PLEACH_EPROOFINDEX   index is 0.
 * @retval PLEACH_EPROOFLENGTH  Another number of nodes belongs to that index.
 * @retval PLEACH_EPROOFROOT    The proof leads to another root.
 */
PLEACH_API pleach_status pleach_ssz_verify(uint64_t index, const uint8_t *node, const uint8_t *path, size_t nodes,
                                           const uint8_t *root);

/**
 * Write the proof for several nodes: the least number of others from which the root can be computed, in descending
 * order of their generalized indices. For one node it is that of pleach_ssz_prove().
 *
 * @param index       count of them, at least 1, descending, none twice. One may stand above another.
 * @param[out] found  PLEACH_DIGEST_SIZE bytes for each index: the nodes. May be NULL.
 *
 * @retval PLEACH_EINVAL  Also if the indices are not in descending order.
 * @retval PLEACH_ENOMEM  Memory could not be had.
 * Everything else as pleach_ssz_prove().
 */
PLEACH_API pleach_status pleach_ssz_prove_many(const pleach_tree *tree, const uint64_t *length, const uint64_t *index,
                                               size_t count, uint8_t *found, uint8_t *path, size_t capacity,
                                               size_t *nodes);

/**
 * Check a proof for several nodes. A node that stands above another given one must be what that one leads to.
 *
 * @param index  As pleach_ssz_prove_many().
 * @param found  PLEACH_DIGEST_SIZE bytes for each index.
 *
 * @retval PLEACH_EPROOFMISSING  The proof has too few nodes.
 * @retval PLEACH_EPROOFUNUSED   The proof has too many nodes.
 * @retval PLEACH_EPROOFROOT     The proof leads to another root, or past a given node that is another.
 * Other errors as pleach_ssz_prove_many() and pleach_ssz_verify().
 */
PLEACH_API pleach_status pleach_ssz_verify_many(const uint64_t *index, const uint8_t *found, size_t count,
                                                const uint8_t *path, size_t nodes, const uint8_t *root);

#ifdef __cplusplus
}
#endif
#endif
