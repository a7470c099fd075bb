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
    PLEACH_LONE_REFUSED,    /**< it cannot happen: the number of leaves must be a power of two */
    PLEACH_LONE_PROMOTED,   /**< it moves up unchanged */
    PLEACH_LONE_DUPLICATED, /**< it is its own sibling: parent = node rule of (node, node) */
    PLEACH_LONE_ZERO_PADDED /**< its sibling is the root of a subtree whose leaf hashes are all zero bytes */
} pleach_lone_node;

/** What the root of a tree of no leaves is. */
typedef enum pleach_empty_tree {
    PLEACH_EMPTY_REFUSED, /**< there is no such tree */
    PLEACH_EMPTY_HASH,    /**< the hash of nothing */
    PLEACH_EMPTY_ZEROS    /**< zero bytes or, of a tree of a depth, the root of the zero subtree of that height */
} pleach_empty_tree;

/**
 * A tree's rules, as data. A prefix is a byte that is hashed first, 0..255, or PLEACH_NO_PREFIX.
 *
 * Without prefixes, or where leaves are digests already, a leaf of 64 bytes can be passed off as an inner node and the
 * other way round unless the number of leaves is bound elsewhere: give new schemes two different prefixes.
 */
typedef struct pleach_scheme {
    const char *name;
    pleach_family family;
    bool leaf_given; /**< a leaf is a digest already, of PLEACH_DIGEST_SIZE bytes, and taken as it is; the other leaf
                          rules are then PLEACH_NO_PREFIX and false */
    int leaf_prefix; /**< leaf = H(prefix || leaf bytes) */
    int node_prefix; /**< node = H(prefix || left || right) */
    bool leaf_twice; /**< leaf = H(H(...)); SHA-256 only */
    bool node_twice; /**< node = H(H(...)); SHA-256 only */
    pleach_lone_node lone;
    pleach_empty_tree empty;
    unsigned depth; /**< levels above the leaves that every tree has, at most 63, so at most 2^depth leaves; zero-padded
                         schemes only; 0 = as many as its leaves need */
} pleach_scheme;

#define PLEACH_NO_PREFIX (-1)

/** leanVM-b polynomial commitments: BLAKE2s, no domain separation, so depth and leaf width are part of the statement.
 */
#define PLEACH_SCHEME_BLAKE2S (&pleach_scheme_blake2s)
/** RFC 6962 section 2.1 and RFC 9162 section 2.1: Certificate Transparency, CometBFT, Sei. */
#define PLEACH_SCHEME_RFC6962 (&pleach_scheme_rfc6962)
/** Bitcoin: transaction ids in internal byte order, SHA-256 twice, a lone node duplicated. See bitcoin.h. */
#define PLEACH_SCHEME_BITCOIN (&pleach_scheme_bitcoin)
/** Ethereum SSZ: 32-byte chunks, SHA-256, padded with zero subtrees; for a limit, copy it and set depth. See ssz.h. */
#define PLEACH_SCHEME_SSZ (&pleach_scheme_ssz)
/** BLAKE3 of the leaf, BLAKE3 of the pair, a lone node promoted. */
#define PLEACH_SCHEME_BLAKE3 (&pleach_scheme_blake3)

PLEACH_API extern const pleach_scheme pleach_scheme_blake2s, pleach_scheme_rfc6962, pleach_scheme_bitcoin,
    pleach_scheme_ssz, pleach_scheme_blake3;

/** The preset of a name, such as "rfc6962"; NULL if there is none. */
PLEACH_API const pleach_scheme *pleach_scheme_find(const char *name);

/** The index-th preset, for listing; NULL past the last. */
PLEACH_API const pleach_scheme *pleach_scheme_preset(size_t index);

/**
 * Leaves in memory, the caller's; only read. Leaf i is `zeros` zero bytes, which are hashed but not stored, and then
 * the size bytes at data + i * stride; or, where there is a list, list[i].
 */
typedef struct pleach_leaves {
    const uint8_t *data; /**< any alignment; may be NULL if count or size is 0 */
    size_t size;
    size_t stride; /**< at least size */
    size_t count;
    size_t zeros;             /**< padded rows: BLAKE2s only, at most 16384 */
    const pleach_input *list; /**< leaves of differing sizes, count of them, or NULL; data, size, stride and zeros are
                                   then NULL and 0. Power-of-two schemes take lists too. */
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
 * @retval PLEACH_ERANGE     The leaves would not fit the address space, are longer than the hash allows, or are more
 * than the scheme's depth has room for.
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

/**
 * Takes the next bytes of an output, all of them.
 *
 * Anything but PLEACH_OK ends the call that wrote, which returns it. Called on no other thread than that call's.
 */
typedef pleach_status (*pleach_write)(void *context, const uint8_t *bytes, size_t size);

/** What pleach_merkle_root_stream() found. */
typedef struct pleach_stream_result {
    uint8_t root[PLEACH_DIGEST_SIZE];
    uint64_t leaves;
    uint64_t bytes;
} pleach_stream_result;

/**
 * Compute the root of a source cut into leaves, in memory of two read windows and O(log n) digests.
 *
 * The last leaf is as short as the source ends; a scheme of given leaves, or one that takes powers of two only, refuses
 * a short one. An empty source has no leaves.
 *
 * @param leaf_size    Bytes of a leaf, at least 1; of given leaves PLEACH_DIGEST_SIZE.
 * @param total        Bytes the source is expected to have, for progress and for windows no larger than it needs;
 *                     0 = unknown. A wrong number does no harm.
 * @param monitor      Progress in bytes hashed (of `total`, or of what was read so far if that is more), and
 *                     cancellation; may be NULL.
 * @param[out] result  Root, number of leaves and of bytes.
 *
 * @retval PLEACH_EINVAL  A required pointer is NULL, leaf_size is 0, or the scheme refuses itself, the number of leaves
 * or a short last one; the text says what it accepts. Also if `read` claims more than it was asked.
 * @retval PLEACH_ERANGE  A leaf is longer than the hash allows, two would not fit the address space, or there are more
 * than the scheme's depth has room for.
 * @retval PLEACH_ENOMEM  The read windows could not be had: each holds at least one leaf.
 * @retval other          What `read` returned; PLEACH_ECANCELED, PLEACH_EFORKED, PLEACH_ECLOSED as
 * pleach_merkle_root().
 */
PLEACH_API pleach_status pleach_merkle_root_stream(pleach_pool *pool, const pleach_scheme *scheme, size_t leaf_size,
                                                   pleach_read read, void *context, uint64_t total,
                                                   pleach_monitor *monitor, pleach_stream_result *result);

#ifdef __cplusplus
}
#endif
#endif
