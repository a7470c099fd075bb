#include "lthash/replacement.h"

#include "config/error.h"

#include <string.h>

size_t pleach__lthash_replace(const uint8_t *items, size_t before, size_t after, pleach_lthash_op ops[2])
{
    size_t n = 0;
    if (before == after && (after == 0 || memcmp(items, items + before, after) == 0))
        return 0;
    if (before > 0)
        ops[n++] = (pleach_lthash_op){.item = {items, before}, .action = PLEACH_LTHASH_REMOVE};
    if (after > 0)
        ops[n++] = (pleach_lthash_op){.item = {items + before, after}, .action = PLEACH_LTHASH_ADD};
    return n;
}

pleach_status pleach__lthash_check_room(const uint8_t *bytes, size_t capacity, size_t size)
{
    if (size > capacity)
        return pleach__fail(PLEACH_ERANGE, "capacity = %zu: the encoding needs %zu bytes", capacity, size);
    if (!bytes && size > 0)
        return pleach__fail(PLEACH_EINVAL, "bytes = NULL: the encoding needs %zu bytes", size);
    return PLEACH_OK;
}
