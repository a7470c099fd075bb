#ifndef PLEACH_MERKLE_H
#define PLEACH_MERKLE_H

/**
 * Merkle trees.
 *
 * Level 0 holds the leaf hashes, level l + 1 the parents of level l, the last level the root. Every digest is that of a
 * plain scalar implementation of the scheme, whatever the pool, its kernels and their number.
 *
 * To a pool, roots and trees of leaves in memory are latency jobs up to about a million compressions (64 bytes hashed
 * are one), bulk jobs beyond; streams are bulk jobs. What is too small to gain from help is done by the calling thread
 * alone.
 *
 * Any function that hashes may also fail with PLEACH_EBACKEND: no kernel gives right digests on this host.
 */

#include "pool/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What becomes of the last node of a level that has no right sibling. */
typedef enum pleach_lone_node {
    PLEACH_LONE_REFUSED, /**< it cannot happen: the number of leaves must be a power of two */
    PLEACH_LONE_PROMOTED /**< it moves up unchanged */
} pleach_lone_node;

/** A tree's rules, as data. A prefix is a byte that is hashed first, 0..255, or PLEACH_NO_PREFIX. */
typedef struct pleach_scheme {
    const char *name;
    pleach_family family;
    int leaf_prefix; /**< leaf = H(prefix || leaf bytes) */
    int node_prefix; /**< node = H(prefix || left || right) */
    pleach_lone_node lone;
    bool empty_tree; /**< a tree of no leaves is allowed: its root is the hash of nothing */
} pleach_scheme;

#define PLEACH_NO_PREFIX (-1)

/** leanVM-b polynomial commitments: BLAKE2s, no domain separation, so depth and leaf width are part of the statement.
 */
#define PLEACH_SCHEME_BLAKE2S (&pleach_scheme_blake2s)
/** RFC 6962 section 2.1 and RFC 9162 section 2.1: Certificate Transparency, CometBFT, Sei. */
#define PLEACH_SCHEME_RFC6962 (&pleach_scheme_rfc6962)

PLEACH_API extern const pleach_scheme pleach_scheme_blake2s, pleach_scheme_rfc6962;

/** The preset of a name, such as "rfc6962"; NULL if there is none. */
PLEACH_API const pleach_scheme *pleach_scheme_find(const char *name);

/** The index-th preset, for listing; NULL past the last. */
PLEACH_API const pleach_scheme *pleach_scheme_preset(size_t index);

/**
 * Leaves in memory. Leaf i is `zeros` zero bytes, which are hashed but not stored, and then the size bytes at
 * data + i * stride. The caller's; only read.
 */
typedef struct pleach_leaves {
    const uint8_t *data; /**< any alignment; may be NULL if count or size is 0 */
    size_t size;
    size_t stride; /**< at least size */
    size_t count;
    size_t zeros; /**< padded rows: BLAKE2s only, at most 16384 */
} pleach_leaves;

/**
 * Hash one leaf as level 0 of a tree has it.
 *
 * @param[out] digest  PLEACH_DIGEST_SIZE bytes.
 *
 * @retval PLEACH_EINVAL  A required pointer is NULL, or the scheme refuses `zeros` or itself.
 * @retval PLEACH_ERANGE  The leaf is longer than the hash allows.
 */
PLEACH_API pleach_status pleach_merkle_leaf(const pleach_scheme *scheme, const uint8_t *leaf, size_t size, size_t zeros,
                                            uint8_t *digest);

/**
 * Compute the root of leaves in memory and keep no nodes.
 *
 * @param pool       Workers; NULL = the calling thread alone, without SME.
 * @param scheme     Rules; read only.
 * @param leaves     What to hash.
 * @param monitor    Progress in leaves, and cancellation; may be NULL.
 * @param[out] root  PLEACH_DIGEST_SIZE bytes; must not overlap the leaves.
 *
 * @retval PLEACH_EINVAL     A required pointer is NULL, stride < size, or the scheme refuses the count, `zeros` or
 * itself.
 * @retval PLEACH_ERANGE     The leaves would not fit the address space, or are longer than the hash allows.
 * @retval PLEACH_ENOMEM     Scratch memory could not be had.
 * @retval PLEACH_ECANCELED  The monitor was cancelled.
 * @retval PLEACH_EFORKED, PLEACH_ECLOSED  As pleach_pool_run().
 *
 * Threads: blocks until done; any number of callers may share a pool, a task running on the pool included.
 */
PLEACH_API pleach_status pleach_merkle_root(pleach_pool *pool, const pleach_scheme *scheme, const pleach_leaves *leaves,
                                            pleach_monitor *monitor, uint8_t *root);

/**
 * Reads the next bytes of a source.
 *
 * @param[out] got  Bytes written, at most size. Fewer than size are no sign of the end; 0 is, and then there is no
 *                  further call.
 *
 * Anything but PLEACH_OK ends the call that asked, which returns it. Called on no other thread than that call's, while
 * workers hash what came before.
 */
typedef pleach_status (*pleach_read)(void *context, uint8_t *buffer, size_t size, size_t *got);

/** What pleach_merkle_root_stream() found. */
typedef struct pleach_stream_result {
    uint8_t root[PLEACH_DIGEST_SIZE];
    uint64_t leaves;
    uint64_t bytes;
} pleach_stream_result;

/**
 * Compute the root of a source cut into leaves, in memory of two read windows and O(log n) digests.
 *
 * The last leaf is as short as the source ends, where the scheme allows leaves of differing sizes (those that promote a
 * lone node); otherwise a short last leaf is refused. An empty source has no leaves.
 *
 * @param leaf_size    Bytes of a leaf, at least 1.
 * @param total        Bytes the source is expected to have, for progress and for windows no larger than it needs;
 *                     0 = unknown. A wrong number does no harm.
 * @param monitor      Progress in bytes hashed (of `total`, or of what was read so far if that is more), and
 *                     cancellation; may be NULL.
 * @param[out] result  Root, number of leaves and of bytes.
 *
 * @retval PLEACH_EINVAL  A required pointer is NULL, leaf_size is 0, or the scheme refuses itself, the number of leaves
 * or a short last one; the text says what it accepts. Also if `read` claims more than it was asked.
 * @retval PLEACH_ERANGE  A leaf is longer than the hash allows, or two would not fit the address space.
 * @retval PLEACH_ENOMEM  The read windows could not be had: each holds at least one leaf.
 * @retval other          What `read` returned; PLEACH_ECANCELED, PLEACH_EFORKED, PLEACH_ECLOSED as
 * pleach_merkle_root().
 */
PLEACH_API pleach_status pleach_merkle_root_stream(pleach_pool *pool, const pleach_scheme *scheme, size_t leaf_size,
                                                   pleach_read read, void *context, uint64_t total,
                                                   pleach_monitor *monitor, pleach_stream_result *result);

/** A tree that keeps all its nodes. */
typedef struct pleach_tree pleach_tree;

/**
 * Make an empty tree.
 *
 * @param pool    Outlives the tree; NULL = calling threads alone.
 * @param scheme  Copied, but for its name, which must outlive the tree.
 *
 * @retval PLEACH_EINVAL  A required pointer is NULL or the scheme is not one that can be computed.
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
 *
 * Threads: one writer; no reader meanwhile.
 */
PLEACH_API pleach_status pleach_tree_build(pleach_tree *tree, const pleach_leaves *leaves, pleach_monitor *monitor);

/** Number of leaves; 0 for a tree that is empty or was never built. */
PLEACH_API size_t pleach_tree_size(const pleach_tree *tree);

/** Number of levels, the root's included: 0 if there is no leaf, 1 for one leaf. */
PLEACH_API unsigned pleach_tree_levels(const pleach_tree *tree);

/**
 * The digests of a level, one after the other from an address aligned to 64 bytes on; *count of them. Valid until the
 * tree is built again or destroyed. With a power-of-two number of leaves n all levels lie one after the other: level l
 * starts 2n - (2n >> l) digests after level 0.
 *
 * @param[out] count  May be NULL.
 *
 * Returns NULL, and a count of 0, if there is no such level.
 */
PLEACH_API const uint8_t *pleach_tree_level(const pleach_tree *tree, unsigned level, size_t *count);

/**
 * Copy the root.
 *
 * @retval PLEACH_EINVAL  A pointer is NULL, or the tree has no leaf and its scheme has no empty tree.
 */
PLEACH_API pleach_status pleach_tree_root(const pleach_tree *tree, uint8_t *root);

/** Most nodes an inclusion proof has. */
#define PLEACH_PATH_MAX 64

/**
 * Number of nodes in the inclusion proof of leaf `index` of `count`: levels at which the node has a sibling.
 *
 * @retval PLEACH_EINVAL       A pointer is NULL, or the scheme refuses the count or itself.
 * @retval PLEACH_EPROOFINDEX  index >= count.
 */
PLEACH_API pleach_status pleach_merkle_path_length(const pleach_scheme *scheme, uint64_t index, uint64_t count,
                                                   size_t *nodes);

/**
 * Write the inclusion proof of a leaf: the siblings from level 0 upwards (RFC 9162 section 2.1.3.1), without those
 * levels at which the node was promoted.
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
 * Check an inclusion proof. The shape follows from index and count alone, which the caller must have from a source it
 * trusts as much as the root.
 *
 * @param leaf_hash  Level 0 digest of the leaf, from pleach_merkle_leaf().
 * @param path       May be NULL if nodes is 0.
 *
 * @retval PLEACH_OK            The leaf is at that index of a tree with that root.
 * @retval PLEACH_EINVAL        A required pointer is NULL, or the scheme refuses the count or itself.
 * @retval PLEACH_EPROOFINDEX   index >= count.
 * @retval PLEACH_EPROOFLENGTH  Another number of nodes belongs to that index and count.
 * @retval PLEACH_EPROOFROOT    The proof leads to another root.
 */
PLEACH_API pleach_status pleach_merkle_verify(const pleach_scheme *scheme, uint64_t index, uint64_t count,
                                              const uint8_t *leaf_hash, const uint8_t *path, size_t nodes,
                                              const uint8_t *root);

#ifdef __cplusplus
}
#endif
#endif
