#ifndef PLEACH_SEI_H
#define PLEACH_SEI_H

/**
 * Sei: key/value pairs of a store as items of a state.
 *
 * A pair is LE32(size of the key) || key || LE32(size of the value) || value. A pair that is absent, or whose key or
 * value is empty, contributes nothing.
 */

#include "lthash/lthash.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of a pair as an item; 0 if it contributes nothing. value: NULL = the pair is absent. */
PLEACH_API size_t pleach_sei_pair_size(const pleach_input *key, const pleach_input *value);

/**
 * Write a pair as an item.
 *
 * @param value       NULL = the pair is absent.
 * @param[out] bytes  pleach_sei_pair_size() of them; must not overlap the pair; may be NULL if that is 0.
 * @param capacity    How many there are.
 * @param[out] size   How many were written: 0 if the pair contributes nothing.
 *
 * @retval PLEACH_EINVAL  A required pointer is NULL.
 * @retval PLEACH_ERANGE  The key or the value has 2^32 bytes or more, or capacity is too small.
 */
PLEACH_API pleach_status pleach_sei_pair(const pleach_input *key, const pleach_input *value, uint8_t *bytes,
                                         size_t capacity, size_t *size);

/**
 * The changes that turn one value of a key into another: the old pair removed, the new one added. Of a pair that was
 * absent nothing is removed, of one that is to be absent nothing is added, and of equal ones nothing changes.
 *
 * @param old_value   NULL = the pair was absent.
 * @param new_value   NULL = the pair is to be absent.
 * @param[out] bytes  The items, in pleach_sei_pair_size() of the old pair and of the new one; the changes point into
 *                    them. Must not overlap the pairs; may be NULL if both sizes are 0.
 * @param capacity    How many bytes there are.
 * @param[out] ops    Two places; both changes are of state 0.
 * @param[out] n      How many of them are used.
 *
 * Errors as pleach_sei_pair(); after an error ops and n are as they were.
 */
PLEACH_API pleach_status pleach_sei_update(const pleach_input *key, const pleach_input *old_value,
                                           const pleach_input *new_value, uint8_t *bytes, size_t capacity,
                                           pleach_lthash_op *ops, size_t *n);

#ifdef __cplusplus
}
#endif
#endif
