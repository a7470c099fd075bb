#ifndef PLEACH_TREE_H
#define PLEACH_TREE_H

/**
 * Trees that keep all their nodes, and change.
 *
 * Threads: one writer a tree and no reader of the same tree meanwhile; any number of readers otherwise. A snapshot is a
 * tree of its own: its readers and the writer of the tree it was taken from do not disturb each other.
 */

#include "merkle/merkle.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pleach_tree pleach_tree;

/**
 * Make an empty tree.
 *
 * @param pool    Outlives the tree; NULL = calling threads alone.
 * @param scheme  Copied, but for its name, which must outlive the tree.
 *
 * @retval PLEACH_EINVAL  A required pointer is NULL or the scheme is not one that can be computed.
 * @retval PLEACH_ENOMEM  Memory could not be had.
 */
PLEACH_API pleach_status pleach_tree_create(pleach_tree **tree, pleach_pool *pool, const pleach_scheme *scheme);

/** NULL is allowed. */
PLEACH_API void pleach_tree_destroy(pleach_tree *tree);

/**
 * Replace the tree's content by that of `leaves`. The memory of earlier builds is used again where it suffices. The
 * leaves themselves are not kept.
 *
 * Errors as pleach_merkle_root(). After PLEACH_EINVAL, PLEACH_ERANGE or PLEACH_ENOMEM the tree is as it was: they are
 * found before anything is touched. After any other error it is empty, as just made.
 */
PLEACH_API pleach_status pleach_tree_build(pleach_tree *tree, const pleach_leaves *leaves, pleach_monitor *monitor);

/**
 * Replace the tree's content by a source cut into leaves, read as pleach_merkle_root_stream() does.
 *
 * @param leaf_size  Bytes of a leaf, at least 1; the last one is as short as the source ends, where the scheme allows.
 * @param total      Bytes the source is expected to have; 0 = unknown.
 *
 * Errors as pleach_merkle_root_stream(); after an error the tree is as it was.
 */
PLEACH_API pleach_status pleach_tree_build_stream(pleach_tree *tree, size_t leaf_size, pleach_read read, void *context,
                                                  uint64_t total, pleach_monitor *monitor);

/**
 * Add leaves at the end: the same tree as one built of all leaves at once. The work is that of the new leaves and of
 * one path.
 *
 * @param leaves  None of them may lie in a tree.
 *
 * Errors as pleach_merkle_root() for the number of leaves that would result, none added included; after an error the
 * tree is as it was.
 */
PLEACH_API pleach_status pleach_tree_append(pleach_tree *tree, const pleach_leaves *leaves, pleach_monitor *monitor);

/**
 * Replace leaves: the leaf at index[i] becomes leaf i of `leaves`, in one batched pass a level over the nodes above
 * them. Indices may be in any order; of those given more than once, the last one counts.
 *
 * @param index  leaves->count of them; may be NULL if that is 0.
 *
 * @retval PLEACH_ERANGE  An index is no leaf of the tree.
 * Other errors as pleach_tree_append(); after an error the tree is as it was.
 */
PLEACH_API pleach_status pleach_tree_update(pleach_tree *tree, const uint64_t *index, const pleach_leaves *leaves,
                                            pleach_monitor *monitor);

/**
 * Go back to the first `count` leaves: the same tree as one built of these.
 *
 * @retval PLEACH_ERANGE  The tree has fewer leaves.
 * @retval PLEACH_EINVAL  tree is NULL, or the scheme refuses the count.
 * @retval PLEACH_ENOMEM  Memory could not be had. After an error the tree is as it was.
 */
PLEACH_API pleach_status pleach_tree_truncate(pleach_tree *tree, uint64_t count);

/**
 * Take a snapshot: a tree of its own with the same content, which shares its nodes with the first until one of the two
 * is changed, and then all pages of nodes that did not change. A page holds 64 nodes of a level; a snapshot takes time
 * and memory in proportion to their number. Pages that nobody shares any more serve the next changes.
 *
 * Either may be changed and destroyed first, each by a thread of its own.
 *
 * @retval PLEACH_EINVAL  A pointer is NULL.
 * @retval PLEACH_ENOMEM  Memory could not be had.
 */
PLEACH_API pleach_status pleach_tree_snapshot(const pleach_tree *tree, pleach_tree **snapshot);

/** The scheme the tree was made with; NULL for NULL. */
PLEACH_API const pleach_scheme *pleach_tree_scheme(const pleach_tree *tree);

/** Number of leaves; 0 for a tree that is empty or was never built. */
PLEACH_API size_t pleach_tree_size(const pleach_tree *tree);

/** Number of levels, the root's included: 0 if there is no leaf, 1 for one leaf unless the scheme has a depth. */
PLEACH_API unsigned pleach_tree_levels(const pleach_tree *tree);

/** Number of nodes of a level that stand above leaves of the tree; 0 if there is no such level. */
PLEACH_API size_t pleach_tree_level_size(const pleach_tree *tree, unsigned level);

/**
 * The node at (level, index) and those after it that follow it in memory, for reading single nodes and whole levels:
 * start at index 0 and go on by *run until the level ends. Valid until the tree is changed or destroyed.
 *
 * Right after pleach_tree_build() every level is a single run from an address aligned to 64 bytes on, and with a
 * power-of-two number of leaves n all levels lie one after the other: level l starts 2n - (2n >> l) digests after level
 * 0. Otherwise runs end where pages do, at multiples of 64, or later.
 *
 * @param[out] run  Digests in a row, at least 1; 0 if there is no such node. May be NULL.
 *
 * Returns NULL if there is no such node.
 */
PLEACH_API const uint8_t *pleach_tree_nodes(const pleach_tree *tree, unsigned level, size_t index, size_t *run);

/**
 * Copy the root.
 *
 * @retval PLEACH_EINVAL  A pointer is NULL, or the tree has no leaf and its scheme has no empty tree.
 */
PLEACH_API pleach_status pleach_tree_root(const pleach_tree *tree, uint8_t *root);

/**
 * Whether, at any level, a node and its right sibling are equal: leaves can be repeated then without changing the root
 * of a scheme that duplicates lone nodes (CVE-2012-2459). False for NULL.
 */
PLEACH_API bool pleach_tree_mutated(const pleach_tree *tree);

/** Bytes that pleach_tree_serialise() writes; 0 for NULL. */
PLEACH_API uint64_t pleach_tree_serialised_size(const pleach_tree *tree);

/**
 * Write a tree, its scheme included: a header, the leaf hashes, the root, and a BLAKE3 checksum of all before it. The
 * layout is specified in the README.
 *
 * @retval PLEACH_EINVAL  A required pointer is NULL.
 * @retval other          What `write` returned.
 */
PLEACH_API pleach_status pleach_tree_serialise(const pleach_tree *tree, pleach_write write, void *context);

/**
 * Make a tree from what pleach_tree_serialise() wrote. All inner nodes are computed anew; the root must come out the
 * same. Nothing is allocated for leaves that were announced but are not there.
 *
 * @param[out] tree  The caller's; its scheme's name is that of the preset with the same rules, or "custom".
 *
 * @retval PLEACH_EINVAL     A required pointer is NULL.
 * @retval PLEACH_EFORMAT    No tree, or of a scheme that cannot be computed; the text says what is wrong.
 * @retval PLEACH_EVERSION   Of a version this library does not read.
 * @retval PLEACH_ETRUNCATED The source ended early.
 * @retval PLEACH_ETRAILING  Bytes follow the end.
 * @retval PLEACH_ECHECKSUM  Altered.
 * @retval PLEACH_ENOMEM     Memory could not be had.
 * @retval other             What `read` returned; as pleach_merkle_root().
 */
PLEACH_API pleach_status pleach_tree_parse(pleach_tree **tree, pleach_pool *pool, pleach_read read, void *context,
                                           pleach_monitor *monitor);

#ifdef __cplusplus
}
#endif
#endif
