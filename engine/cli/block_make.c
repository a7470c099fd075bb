/* Where the transactions of a block come from. */
#include "engine/cli/block.h"

#include "bench/row.h"
#include "config/error.h"
#include "engine/cli/input.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 2 * 4000000 + 2 }; /* bytes: a block has as many as its weight at most, in hex twice that */

pleach_status pleach__chain_block_make(pleach__chain_block *block, size_t count, size_t size)
{
    *block = (pleach__chain_block){0};
    pleach_status status = pleach__chain_block_reserve(block, count);
    if (status != PLEACH_OK)
        return status;
    if (size > SIZE_MAX / 2 / count)
        return pleach__fail(PLEACH_ERANGE, "%zu transactions of %zu bytes would not fit the address space", count,
                            size);
    for (size_t i = 0; i < count; i++)
        block->bytes += pleach__transaction_size(size, i);
    block->memory = malloc(block->bytes);
    if (block->memory == NULL)
        return pleach__fail(PLEACH_ENOMEM, "no memory for %zu bytes", block->bytes);
    pleach__bench_fill(block->memory, block->bytes);
    const uint8_t *at = block->memory;
    for (size_t i = 0; i < count; i++) {
        block->transactions[i] = block->bases[i] = (pleach_input){at, pleach__transaction_size(size, i)};
        at += block->transactions[i].size;
    }
    return PLEACH_OK;
}

/* Bytes of a block have zeros among them, so digits are digits. In place; as many as there were if they are bytes. */
static pleach_status decode_digits(uint8_t *bytes, size_t *size)
{
    size_t digits = 0, end = *size;
    while (digits < *size && strchr("0123456789abcdefABCDEF", bytes[digits]) != NULL && bytes[digits] != '\0')
        digits++;
    while (end > digits && (bytes[end - 1] == '\n' || bytes[end - 1] == '\r'))
        end--;
    if (digits == 0 || digits < end)
        return PLEACH_OK;
    return pleach__decode(PLEACH__HEX, (const char *)bytes, digits, bytes, size);
}

pleach_status pleach__chain_block_read(pleach__chain_block *block, const char *path)
{
    pleach__span span;
    uint64_t expected;
    uint8_t *bytes = NULL;
    size_t size = 0;
    *block = (pleach__chain_block){0};
    pleach_status status = pleach__source_open(path, &span, &expected);
    if (status != PLEACH_OK)
        return status;
    status = pleach__span_load(&span, FILE_MAX, &bytes, &size);
    pleach__span_close(&span);
    if (status != PLEACH_OK)
        return status;
    status = decode_digits(bytes, &size);
    if (status == PLEACH_OK)
        return pleach__chain_block_parse(block, bytes, size);
    free(bytes);
    return status;
}
