#ifndef PLEACH_PROOF_H
#define PLEACH_PROOF_H

/**
 * Inclusion proofs of every scheme, one or many at a time; consistency proofs of trees that promote lone nodes; and how
 * both are written as bytes.
 *
 * The shape of a proof follows from the leaf's index and the number of leaves. A verifier must have that number from a
 * source that it trusts as much as the root: with another one, the same proof can hold for a leaf that is not there.
 *
 * Threads: everything here may be called by any number at once, while no tree it reads is changed.
 */

#include "merkle/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most nodes an inclusion proof has. */
#define PLEACH_PATH_MAX 64

/** Most nodes a consistency proof has. */
#define PLEACH_CONSISTENCY_MAX 65

/**
 * Number of nodes in the inclusion proof of leaf `index` of `count`. Where lone nodes are promoted: levels at which the
 * node has a sibling. Where they are duplicated or zero-padded: all levels but the root's; the sibling of a lone node
 * is then the node itself, or the root of the zero subtree.
 *
 * @retval PLEACH_EINVAL       A pointer is NULL, or the scheme refuses the count or itself.
 * @retval PLEACH_ERANGE       The scheme's depth is too small for the count.
 * @retval PLEACH_EPROOFINDEX  index >= count.
 */
PLEACH_API pleach_status pleach_merkle_path_length(const pleach_scheme *scheme, uint64_t index, uint64_t count,
                                                   size_t *nodes);

/**
 * Write the inclusion proof of a leaf: its sibling and those of its ancestors, from level 0 upwards (RFC 9162 section
 * 2.1.3.1). pleach_merkle_path_length() says how many.
 *
 * @param[out] path   PLEACH_DIGEST_SIZE bytes a node; may be NULL if capacity is 0.
 * @param capacity    Nodes that fit into path.
 * @param[out] nodes  Nodes written.
 *
 * @retval PLEACH_EINVAL       A required pointer is NULL.
 * @retval PLEACH_EPROOFINDEX  There is no such leaf.
 * @retval PLEACH_ERANGE       capacity is too small; the text says what is needed.
 */
PLEACH_API pleach_status pleach_tree_prove(const pleach_tree *tree, uint64_t index, uint8_t *path, size_t capacity,
                                           size_t *nodes);

/**
 * Write the inclusion proofs of n leaves, each as pleach_tree_prove() does. Indices may be in any order and repeated.
 *
 * @param index       n of them; may be NULL if n is 0.
 * @param[out] paths  Path i begins at paths + i * stride.
 * @param stride      Bytes from one path to the next: room for every path.
 * @param[out] nodes  nodes[i]: those of path i.
 *
 * @retval PLEACH_EINVAL       A required pointer is NULL.
 * @retval PLEACH_EPROOFINDEX  One of the leaves is not in the tree; the text says which.
 * @retval PLEACH_ERANGE       stride is too small for a path, or the paths would not fit the address space.
 */
PLEACH_API pleach_status pleach_tree_prove_many(const pleach_tree *tree, const uint64_t *index, size_t n,
                                                uint8_t *paths, size_t stride, size_t *nodes);

/**
 * Check an inclusion proof.
 *
 * @param count      Leaves of the tree, from a source trusted as much as the root.
 * @param leaf_hash  Level 0 digest of the leaf, from pleach_merkle_leaf().
 * @param path       May be NULL if nodes is 0.
 *
 * @retval PLEACH_OK             The leaf is at that index of a tree with that root.
 * @retval PLEACH_EINVAL         A required pointer is NULL, or the scheme refuses the count or itself.
 * @retval PLEACH_ERANGE         The scheme's depth is too small for the count.
 * @retval PLEACH_EPROOFINDEX    index >= count.
 * @retval PLEACH_EPROOFLENGTH   Another number of nodes belongs to that index and count.
 * @retval PLEACH_EPROOFMUTATED  Lone nodes are duplicated, and at some level the node has a right sibling, or is one,
 *                               and both are equal: leaves can be repeated so without changing the root
 *                               (CVE-2012-2459), and nothing is proved.
 * @retval PLEACH_EPROOFROOT     The proof leads to another root; also if the sibling it gives of a lone node is not the
 *                               one that the scheme makes.
 */
PLEACH_API pleach_status pleach_merkle_verify(const pleach_scheme *scheme, uint64_t index, uint64_t count,
                                              const uint8_t *leaf_hash, const uint8_t *path, size_t nodes,
                                              const uint8_t *root);

/** One of many proofs. */
typedef struct pleach_proof {
    uint64_t index;
    const uint8_t *leaf_hash;
    const uint8_t *path; /**< nodes of them, PLEACH_DIGEST_SIZE bytes each; may be NULL if there are none */
    size_t nodes;
} pleach_proof;

/**
 * Check many inclusion proofs against one root, all climbing level by level over lanes and workers. Nodes that several
 * proofs go through are hashed once if the proofs are neighbours in the tree. What one proof is like changes nothing
 * for the others.
 *
 * To a pool this is what a root is: a latency job up to about a million nodes, a bulk job beyond; what is too small to
 * gain from help is done by the calling thread alone.
 *
 * @param pool           Workers; NULL = the calling thread alone, without SME.
 * @param proofs         n of them, in any order; may be NULL if n is 0.
 * @param[out] statuses  statuses[i]: what pleach_merkle_verify() returns for proof i: PLEACH_OK, PLEACH_EPROOFINDEX,
 *                       PLEACH_EPROOFLENGTH, PLEACH_EPROOFMUTATED or PLEACH_EPROOFROOT.
 *
 * @retval PLEACH_OK      Every proof is good.
 * @retval PLEACH_EPROOF* The status of the first proof that is not; statuses are written.
 * @retval PLEACH_EINVAL  A required pointer is NULL, those of a proof included, or the scheme refuses the count or
 *                        itself.
 * @retval PLEACH_ERANGE  The scheme's depth is too small for the count.
 * @retval PLEACH_EFORKED, PLEACH_ECLOSED  As pleach_pool_run().
 */
PLEACH_API pleach_status pleach_merkle_verify_many(pleach_pool *pool, const pleach_scheme *scheme, uint64_t count,
                                                   const uint8_t *root, const pleach_proof *proofs, size_t n,
                                                   pleach_status *statuses);

/**
 * Number of nodes in the proof that a tree of `newer` leaves begins with the `older` leaves of another.
 *
 * @retval PLEACH_EINVAL       A pointer is NULL, or the scheme does not promote lone nodes or refuses itself.
 * @retval PLEACH_EPROOFEMPTY  older = 0: every tree begins with no leaves.
 * @retval PLEACH_EPROOFORDER  older > newer.
 */
PLEACH_API pleach_status pleach_merkle_consistency_length(const pleach_scheme *scheme, uint64_t older, uint64_t newer,
                                                          size_t *nodes);

/**
 * Write the proof that the tree begins with the leaves of what it was when it had `older` of them (RFC 9162 section
 * 2.1.4.1). It is empty if it still has as many.
 *
 * @param[out] path   PLEACH_DIGEST_SIZE bytes a node; may be NULL if capacity is 0.
 * @param capacity    Nodes that fit into path.
 * @param[out] nodes  Nodes written.
 *
 * @retval PLEACH_EINVAL       A required pointer is NULL, or the tree's scheme does not promote lone nodes.
 * @retval PLEACH_EPROOFEMPTY  older = 0.
 * @retval PLEACH_EPROOFORDER  The tree has fewer than `older` leaves.
 * @retval PLEACH_ERANGE       capacity is too small; the text says what is needed.
 */
PLEACH_API pleach_status pleach_tree_prove_consistency(const pleach_tree *tree, uint64_t older, uint8_t *path,
                                                       size_t capacity, size_t *nodes);

/**
 * Check a consistency proof (RFC 9162 section 2.1.4.2).
 *
 * @param older_root, newer_root  The roots, and the numbers of leaves, from sources trusted alike.
 * @param path                    May be NULL if nodes is 0.
 *
 * @retval PLEACH_OK            The newer tree begins with the leaves of the older one.
 * @retval PLEACH_EINVAL        A required pointer is NULL, or the scheme does not promote lone nodes or refuses itself.
 * @retval PLEACH_EPROOFEMPTY   older = 0.
 * @retval PLEACH_EPROOFORDER   older > newer.
 * @retval PLEACH_EPROOFLENGTH  Another number of nodes belongs to these numbers of leaves.
 * @retval PLEACH_EPROOFROOT    The proof leads to another root of the older tree, or of the newer one; the text says
 *                              which.
 */
PLEACH_API pleach_status pleach_merkle_verify_consistency(const pleach_scheme *scheme, uint64_t older, uint64_t newer,
                                                          const uint8_t *path, size_t nodes, const uint8_t *older_root,
                                                          const uint8_t *newer_root);

typedef enum pleach_proof_kind { PLEACH_INCLUSION, PLEACH_CONSISTENCY } pleach_proof_kind;

/** A proof as it is sent: without leaf and root, which the verifier has. */
typedef struct pleach_proof_parts {
    uint64_t index; /**< of the leaf; of a consistency proof, the older tree's number of leaves */
    uint64_t count; /**< leaves of the tree, or of the newer one, by the sender's account */
    const uint8_t *path;
    size_t nodes;
} pleach_proof_parts;

/** Bytes of an encoded proof without its nodes; and most of one with them. */
#define PLEACH_PROOF_HEAD     40
#define PLEACH_PROOF_SIZE_MAX (PLEACH_PROOF_HEAD + PLEACH_CONSISTENCY_MAX * PLEACH_DIGEST_SIZE)

/**
 * Write a proof as bytes. Numbers are little-endian:
 *
 *     offset  bytes
 *          0      8  "pleachIP": inclusion proof; "pleachCP": consistency proof
 *          8      4  version, 1
 *         12     12  scheme: family; bits: leaf given (1), leaf twice (2), node twice (4); leaf prefix (2 bytes, 0xffff
 *                    = none); node prefix (2 bytes); lone rule; empty rule; depth; three zero bytes. Families and
 *                    rules have the values of their enumerations.
 *         24      8  count
 *         32      8  index
 *         40     32  for each node, of which there are as many as scheme, count and index ask for
 *
 * @param[out] bytes  PLEACH_PROOF_HEAD + nodes * PLEACH_DIGEST_SIZE of them.
 * @param[out] size   Bytes written.
 *
 * @retval PLEACH_EINVAL  A required pointer is NULL, there is no such kind, or the scheme refuses the count or itself
 *                        or, of a consistency proof, does not promote lone nodes.
 * @retval PLEACH_ERANGE  capacity is too small; or the scheme's depth is, for the count.
 * @retval PLEACH_EPROOFINDEX, PLEACH_EPROOFEMPTY, PLEACH_EPROOFORDER, PLEACH_EPROOFLENGTH  There is no proof of such a
 *                        shape.
 */
PLEACH_API pleach_status pleach_proof_encode(pleach_proof_kind kind, const pleach_scheme *scheme,
                                             const pleach_proof_parts *proof, uint8_t *bytes, size_t capacity,
                                             size_t *size);

/**
 * Read what pleach_proof_encode() wrote, and nothing else. The number of nodes is that which belongs to the scheme, the
 * count and the index: no loop and no memory depends on what a sender claims.
 *
 * The count is the sender's: compare it with the one you trust before pleach_merkle_verify().
 *
 * @param scheme      The rules you expect.
 * @param[out] proof  proof->path points into bytes.
 *
 * @retval PLEACH_EINVAL      A required pointer is NULL, there is no such kind, or the scheme refuses itself or, of a
 *                            consistency proof, does not promote lone nodes.
 * @retval PLEACH_EFORMAT     No proof, one of another kind or under other rules, or the scheme has no tree of so many
 *                            leaves.
 * @retval PLEACH_EVERSION    Of a version this library does not read.
 * @retval PLEACH_ETRUNCATED  It ends early.
 * @retval PLEACH_ETRAILING   Bytes follow the end.
 * @retval PLEACH_EPROOFINDEX, PLEACH_EPROOFEMPTY, PLEACH_EPROOFORDER  There is no proof of that index and count.
 */
PLEACH_API pleach_status pleach_proof_decode(pleach_proof_kind kind, const pleach_scheme *scheme, const uint8_t *bytes,
                                             size_t size, pleach_proof_parts *proof);

#ifdef __cplusplus
}
#endif
#endif
