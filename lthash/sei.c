#include "lthash/sei.h"

#include "config/error.h"
#include "config/little_endian.h"
#include "lthash/replacement.h"

#include <string.h>

enum { LENGTH = 4 };

static bool contributes(const pleach_input *key, const pleach_input *value)
{
    return key && value && key->size > 0 && value->size > 0;
}

static pleach_status check_input(const char *name, const pleach_input *input)
{
    if (!input->bytes && input->size > 0)
        return pleach__fail(PLEACH_EINVAL, "%s: bytes = NULL, size = %zu", name, input->size);
    const uint64_t size = input->size; /* which may have only 32 bits */
    if (size > UINT32_MAX)
        return pleach__fail(PLEACH_ERANGE, "%s: size = %zu: below 2^32", name, input->size);
    return PLEACH_OK;
}

static pleach_status check_pair(const pleach_input *key, const pleach_input *value)
{
    pleach_status status = key ? check_input("key", key) : pleach__fail(PLEACH_EINVAL, "key = NULL");
    return status == PLEACH_OK && value ? check_input("value", value) : status;
}

static uint8_t *put(const pleach_input *input, uint8_t *bytes)
{
    pleach__put32(bytes, (uint32_t)input->size);
    memcpy(bytes + LENGTH, input->bytes, input->size);
    return bytes + LENGTH + input->size;
}

static void put_pair(const pleach_input *key, const pleach_input *value, uint8_t *bytes)
{
    (void)put(value, put(key, bytes));
}

size_t pleach_sei_pair_size(const pleach_input *key, const pleach_input *value)
{
    return contributes(key, value) ? LENGTH + key->size + LENGTH + value->size : 0;
}

pleach_status pleach_sei_pair(const pleach_input *key, const pleach_input *value, uint8_t *bytes, size_t capacity,
                              size_t *size)
{
    pleach_status status = size ? check_pair(key, value) : pleach__fail(PLEACH_EINVAL, "size = NULL");
    if (status == PLEACH_OK)
        status = pleach__lthash_check_room(bytes, capacity, pleach_sei_pair_size(key, value));
    if (status != PLEACH_OK)
        return status;
    *size = pleach_sei_pair_size(key, value);
    if (*size > 0)
        put_pair(key, value, bytes);
    return PLEACH_OK;
}

pleach_status pleach_sei_update(const pleach_input *key, const pleach_input *old_value, const pleach_input *new_value,
                                uint8_t *bytes, size_t capacity, pleach_lthash_op *ops, size_t *n)
{
    if (!ops || !n)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", ops ? "n" : "ops");
    pleach_status status = check_pair(key, old_value);
    if (status == PLEACH_OK)
        status = check_pair(key, new_value);
    const size_t before = pleach_sei_pair_size(key, old_value), after = pleach_sei_pair_size(key, new_value);
    if (status == PLEACH_OK)
        status = pleach__lthash_check_room(bytes, capacity, before + after);
    if (status != PLEACH_OK)
        return status;
    if (before > 0)
        put_pair(key, old_value, bytes);
    if (after > 0)
        put_pair(key, new_value, bytes + before);
    *n = pleach__lthash_replace(bytes, before, after, ops);
    return PLEACH_OK;
}
