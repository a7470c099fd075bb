#ifndef PLEACH_MULTIPROOF_H
#define PLEACH_MULTIPROOF_H

/**
 * Proofs of a set of leaves, without the nodes that follow from others: of every scheme, and in leanVM-b's encoding
 * with the leaves themselves.
 *
 * The siblings of a set come level by level from level 0 upwards, in ascending order: those of leaves of the set, or of
 * nodes above them, that are not themselves above leaves of the set. A lone node has none. Which they are follows from
 * the set and the number of leaves, which a verifier must have from a source it trusts as much as the root; neither is
 * transmitted.
 *
 * Threads: everything here may be called by any number at once, while no tree it reads is changed.
 */

#include "merkle/proof.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Number of siblings in the proof of a set of leaves.
 *
 * @param indices  n of them, ascending, each once.
 *
 * @retval PLEACH_EINVAL           A pointer is NULL, or the scheme refuses the count or itself.
 * @retval PLEACH_ERANGE           The scheme's depth is too small for the count.
 * @retval PLEACH_ENOMEM           Memory could not be had.
 * @retval PLEACH_EPROOFEMPTY      n = 0.
 * @retval PLEACH_EPROOFINDEX      An index is not below count.
 * @retval PLEACH_EPROOFDUPLICATE  An index is given twice.
 * @retval PLEACH_EPROOFUNSORTED   Indices are not ascending.
 */
PLEACH_API pleach_status pleach_multiproof_length(const pleach_scheme *scheme, uint64_t count, const uint64_t *indices,
                                                  size_t n, size_t *siblings);

/**
 * Write the siblings that belong to a set of leaves.
 *
 * @param indices        n of them, ascending, each once.
 * @param[out] siblings  PLEACH_DIGEST_SIZE bytes each; may be NULL if capacity is 0.
 * @param capacity       Siblings that fit.
 * @param[out] written   Siblings written.
 *
 * @retval PLEACH_EINVAL  A required pointer is NULL.
 * @retval PLEACH_ERANGE  capacity is too small; the text says what is needed.
 * @retval PLEACH_ENOMEM, PLEACH_EPROOF*  As pleach_multiproof_length().
 */
PLEACH_API pleach_status pleach_multiproof_prove(const pleach_tree *tree, const uint64_t *indices, size_t n,
                                                 uint8_t *siblings, size_t capacity, size_t *written);

/**
 * Check the proof of a set of leaves.
 *
 * @param pool         Its kernels and its memory; NULL = those of calls without a pool.
 * @param indices      n of them, ascending, each once.
 * @param leaf_hashes  Level 0 digests of these leaves, PLEACH_DIGEST_SIZE bytes each.
 * @param siblings     given of them; may be NULL if there are none.
 *
 * @retval PLEACH_OK             All leaves are at their indices of a tree with that root.
 * @retval PLEACH_EPROOFMISSING  More siblings belong to the set.
 * @retval PLEACH_EPROOFUNUSED   Fewer siblings belong to the set.
 * @retval PLEACH_EPROOFMUTATED  As pleach_merkle_verify().
 * @retval PLEACH_EPROOFROOT     The proof leads to another root.
 * @retval other                 As pleach_multiproof_length().
 */
PLEACH_API pleach_status pleach_multiproof_verify(pleach_pool *pool, const pleach_scheme *scheme, uint64_t count,
                                                  const uint64_t *indices, const uint8_t *leaf_hashes, size_t n,
                                                  const uint8_t *siblings, size_t given, const uint8_t *root);

/** The statement that an opening is about: a tree and the form of its leaves, as pleach_leaves has them. */
typedef struct pleach_commitment {
    const pleach_scheme *scheme;
    uint64_t count; /**< leaves */
    size_t size;    /**< stored bytes of a leaf, a multiple of 8, not 0 */
    size_t zeros;   /**< zero bytes before them, as pleach_leaves has them */
    uint8_t root[PLEACH_DIGEST_SIZE];
} pleach_commitment;

/**
 * Write an opening: the stored bytes of the leaves asked for, and the siblings of their set. Numbers have 8 bytes,
 * little endian:
 *
 *     number of leaves; for each, ascending, each once: its size / 8, its stored bytes;
 *     number of siblings; these, 32 bytes each.
 *
 * @param leaves      What the tree was built of; all of one size, a multiple of 8.
 * @param queries     n indices in any order and repeated.
 * @param[out] bytes  The opening; NULL = only its size is wanted, whatever the capacity.
 * @param[out] size   Its size.
 *
 * @retval PLEACH_EINVAL       A required pointer is NULL, or leaves are not those of the tree: their number, their
 * size.
 * @retval PLEACH_ERANGE       capacity is too small.
 * @retval PLEACH_ENOMEM       Memory could not be had.
 * @retval PLEACH_EPROOFEMPTY  n = 0.
 * @retval PLEACH_EPROOFINDEX  A query is no leaf.
 *
 * Source: leanVM-b, pruned Merkle paths.
 */
PLEACH_API pleach_status pleach_multiproof_open(const pleach_tree *tree, const pleach_leaves *leaves,
                                                const uint64_t *queries, size_t n, uint8_t *bytes, size_t capacity,
                                                size_t *size);

/**
 * Check an opening and restore what it left out.
 *
 * No loop and no memory depends on a number in it before that was compared with the one that belongs to the statement.
 *
 * @param pool        Its kernels and its memory; NULL = those of calls without a pool.
 * @param queries     n indices in any order and repeated.
 * @param[out] rows   rows[i]: the stored bytes of leaf queries[i], inside `bytes`; n of them. May be NULL.
 * @param[out] paths  Inclusion proof of leaf queries[i] at paths + i * stride, as pleach_tree_prove() writes it. May be
 *                    NULL.
 * @param stride      Bytes from one path to the next: room for PLEACH_PATH_MAX nodes, or for as many as the tree has
 *                    levels above its leaves.
 *
 * @retval PLEACH_OK              Every leaf is that of the commitment.
 * @retval PLEACH_EINVAL          A required pointer is NULL, or the commitment is none: its scheme refuses it.
 * @retval PLEACH_ERANGE          stride is too small, or the leaves are longer than the hash allows.
 * @retval PLEACH_ENOMEM          Memory could not be had.
 * @retval PLEACH_EPROOFEMPTY     n = 0.
 * @retval PLEACH_EPROOFINDEX     A query is not below count.
 * @retval PLEACH_EPROOFROWS      It has not as many leaves as are asked for.
 * @retval PLEACH_EPROOFROWSIZE   A leaf has another size.
 * @retval PLEACH_EPROOFMISSING   It has too few siblings.
 * @retval PLEACH_EPROOFUNUSED    It has too many siblings.
 * @retval PLEACH_EPROOFMUTATED   As pleach_merkle_verify().
 * @retval PLEACH_EPROOFROOT      It leads to another root.
 * @retval PLEACH_ETRUNCATED      It ends early.
 * @retval PLEACH_ETRAILING       Bytes follow the end.
 */
PLEACH_API pleach_status pleach_multiproof_check(pleach_pool *pool, const pleach_commitment *commitment,
                                                 const uint64_t *queries, size_t n, const uint8_t *bytes, size_t size,
                                                 const uint8_t **rows, uint8_t *paths, size_t stride);

#ifdef __cplusplus
}
#endif
#endif
