#include "engine/cli/encoding.h"

#include "config/error.h"

#include <string.h>

bool pleach__encoding_find(const char *name, pleach__encoding *encoding)
{
    static const char *const names[PLEACH__ENCODINGS] = {"text", "hex", "base64"};
    for (int i = 0; i < PLEACH__ENCODINGS; i++)
        if (strcmp(name, names[i]) == 0) {
            *encoding = (pleach__encoding)i;
            return true;
        }
    return false;
}

/* The values of some digits, most significant first; PLEACH_EFORMAT names the place of one that has none. */
static pleach_status take_digits(const char *digits, const char *name, const char *text, size_t first, size_t count,
                                 unsigned bits, uint32_t *value)
{
    *value = 0;
    for (size_t i = first; i < first + count; i++) {
        const char *digit = text[i] != '\0' ? strchr(digits, text[i]) : NULL;
        if (digit == NULL)
            return pleach__fail(PLEACH_EFORMAT, "character %zu is no %s digit", i + 1, name);
        *value = *value << bits | ((uint32_t)(digit - digits) & ((1U << bits) - 1));
    }
    return PLEACH_OK;
}

static pleach_status decode_hex(const char *text, size_t size, uint8_t *bytes, size_t *count)
{
    /* Those of upper case are 16 places after those of lower case. */
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    uint32_t value;
    if (size % 2 != 0)
        return pleach__fail(PLEACH_EFORMAT, "%zu hex digits, which is odd", size);
    for (size_t i = 0; i < size; i += 2) {
        pleach_status status = take_digits(digits, "hex", text, i, 2, 4, &value);
        if (status != PLEACH_OK)
            return status;
        bytes[i / 2] = (uint8_t)value;
    }
    *count = size / 2;
    return PLEACH_OK;
}

static pleach_status decode_base64(const char *text, size_t size, uint8_t *bytes, size_t *count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t padding = 0, filled = 0;
    uint32_t value;
    if (size % 4 != 0)
        return pleach__fail(PLEACH_EFORMAT, "%zu characters of base64, which is no multiple of 4", size);
    while (size > 0 && padding < 2 && text[size - 1 - padding] == '=')
        padding++;
    for (size_t i = 0; i < size; i += 4) {
        size_t missing = i + 4 == size ? padding : 0;
        pleach_status status = take_digits(digits, "base64", text, i, 4 - missing, 6, &value);
        if (status != PLEACH_OK)
            return status;
        value <<= 6 * missing;
        if ((value & ((1U << 8 * missing) - 1)) != 0)
            return pleach__fail(PLEACH_EFORMAT, "base64 whose last digit has bits that belong to no byte");
        for (size_t byte = 0; byte < 3 - missing; byte++)
            bytes[filled++] = (uint8_t)(value >> (16 - 8 * byte));
    }
    *count = filled;
    return PLEACH_OK;
}

pleach_status pleach__decode(pleach__encoding encoding, const char *text, size_t size, uint8_t *bytes, size_t *count)
{
    if (encoding == PLEACH__HEX)
        return decode_hex(text, size, bytes, count);
    if (encoding == PLEACH__BASE64)
        return decode_base64(text, size, bytes, count);
    if (size > 0)
        memcpy(bytes, text, size);
    *count = size;
    return PLEACH_OK;
}
