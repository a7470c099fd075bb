#ifndef PLEACH_FRONTIER_H
#define PLEACH_FRONTIER_H

/**
 * Append-only trees in O(log n) memory: the roots of the perfect subtrees that the leaves so far fall into. For every
 * scheme; one that takes powers of two only has a root whenever the number of leaves is one.
 *
 * Threads: one writer, no reader meanwhile.
 */

#include "merkle/merkle.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pleach_frontier pleach_frontier;

/**
 * Make a frontier of no leaves.
 *
 * @param pool    Outlives the frontier; NULL = calling threads alone.
 * @param scheme  Copied, but for its name, which must outlive the frontier.
 *
 * @retval PLEACH_EINVAL  A required pointer is NULL or the scheme is not one that can be computed.
 * @retval PLEACH_ENOMEM  Memory could not be had.
 */
PLEACH_API pleach_status pleach_frontier_create(pleach_frontier **frontier, pleach_pool *pool,
                                                const pleach_scheme *scheme);

/** NULL is allowed. */
PLEACH_API void pleach_frontier_destroy(pleach_frontier *frontier);

/**
 * Add leaves at the end. They are not kept.
 *
 * @retval PLEACH_ERANGE  There would be more leaves than the scheme's depth or 2^63 allows.
 * Other errors as pleach_merkle_root(), but for the number of leaves; after an error the frontier is as it was.
 */
PLEACH_API pleach_status pleach_frontier_append(pleach_frontier *frontier, const pleach_leaves *leaves,
                                                pleach_monitor *monitor);

/** Number of leaves; 0 for NULL. */
PLEACH_API uint64_t pleach_frontier_size(const pleach_frontier *frontier);

/**
 * The root of all leaves so far: that of a tree built of them.
 *
 * @retval PLEACH_EINVAL  A pointer is NULL, or the scheme refuses the number of leaves.
 */
PLEACH_API pleach_status pleach_frontier_root(const pleach_frontier *frontier, uint8_t *root);

/**
 * The roots of the perfect subtrees, largest first: one for each bit of the size.
 *
 * @param[out] roots  PLEACH_DIGEST_SIZE bytes each, at most 64; may be NULL if capacity is 0.
 *
 * Returns their number; what does not fit into `capacity` of them is not written.
 */
PLEACH_API size_t pleach_frontier_peaks(const pleach_frontier *frontier, uint8_t *roots, size_t capacity);

/** Most bytes of a serialised frontier. */
#define PLEACH_FRONTIER_SERIALISED_MAX (128 + 64 * PLEACH_DIGEST_SIZE)

/**
 * Write a frontier, its scheme included, with a BLAKE3 checksum. The layout is specified in the README.
 *
 * @param[out] size  Bytes written.
 *
 * @retval PLEACH_EINVAL  A pointer is NULL.
 * @retval PLEACH_ERANGE  capacity is too small; the text says what is needed.
 */
PLEACH_API pleach_status pleach_frontier_serialise(const pleach_frontier *frontier, uint8_t *bytes, size_t capacity,
                                                   size_t *size);

/**
 * Make a frontier from what pleach_frontier_serialise() wrote.
 *
 * @retval PLEACH_EINVAL, PLEACH_EFORMAT, PLEACH_EVERSION, PLEACH_ETRUNCATED, PLEACH_ETRAILING, PLEACH_ECHECKSUM,
 * PLEACH_ENOMEM  As pleach_tree_parse().
 */
PLEACH_API pleach_status pleach_frontier_parse(pleach_frontier **frontier, pleach_pool *pool, const uint8_t *bytes,
                                               size_t size);

#ifdef __cplusplus
}
#endif
#endif
