/* Lines of NDJSON: what is read of one is what is read again when it is written anew, in any encoding. */
#include "fuzz.h"

#include "engine/cli/ndjson.h"

#include <stdio.h>

enum { MOST = 1 << 14, WRITTEN = 6 * MOST + 64 };

static char *write_hex(char *end, const pleach_input *bytes)
{
    for (size_t i = 0; i < bytes->size; i++)
        end += sprintf(end, "%02x", bytes->bytes[i]);
    return end;
}

static char *write_base64(char *end, const pleach_input *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes->size; i += 3) {
        const size_t left = bytes->size - i;
        const uint32_t value = (uint32_t)bytes->bytes[i] << 16 | (left > 1 ? (uint32_t)bytes->bytes[i + 1] << 8 : 0) |
                               (left > 2 ? bytes->bytes[i + 2] : 0);
        *end++ = digits[value >> 18];
        *end++ = digits[value >> 12 & 63];
        *end++ = left > 1 ? digits[value >> 6 & 63] : '=';
        *end++ = left > 2 ? digits[value & 63] : '=';
    }
    return end;
}

/* Every character escaped; surrogate pairs where they are needed. */
static char *write_text(char *end, const pleach_input *bytes)
{
    for (size_t i = 0; i < bytes->size;) {
        const uint8_t first = bytes->bytes[i];
        const size_t size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        uint32_t character = size == 1 ? first : first & (0x7fU >> size);
        for (size_t j = 1; j < size; j++)
            character = character << 6 | (bytes->bytes[i + j] & 63U);
        i += size;
        if (character >= 0x10000)
            end += sprintf(end, "\\u%04x\\u%04x", 0xd7c0 + (character >> 10), 0xdc00 + (character & 0x3ff));
        else
            end += sprintf(end, "\\u%04x", character);
    }
    return end;
}

static char *write_member(char *end, const char *name, pleach__encoding encoding, const pleach_input *bytes)
{
    static char *(*const write[])(char *, const pleach_input *) = {
        [PLEACH__TEXT] = write_text, [PLEACH__HEX] = write_hex, [PLEACH__BASE64] = write_base64};
    end += sprintf(end, "%s\"%s\": \"", end[-1] == '{' ? "" : ", ", name);
    end = write[encoding](end, bytes);
    *end++ = '"';
    return end;
}

static bool same(const pleach_input *a, const pleach_input *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
}

static void check(const uint8_t *line, size_t size, pleach__encoding encoding, bool update)
{
    static char written[WRITTEN];
    static uint8_t again_room[WRITTEN];
    pleach__ndjson_record record, again;
    uint8_t *room = malloc(size + (size == 0)); /* of its own, so that writing beyond it is noticed */
    EXPECT(room != NULL);
    if (pleach__ndjson_read(line, size, encoding, update, room, &record) == PLEACH_OK) {
        for (int i = encoding == PLEACH__TEXT ? PLEACH__TEXT : PLEACH__HEX; i < PLEACH__ENCODINGS; i++) {
            char *end = written;
            *end++ = '{';
            if (record.is_pair) {
                end = write_member(end, "value", (pleach__encoding)i, &record.value);
                end = write_member(end, "key", (pleach__encoding)i, &record.key);
                end = update ? write_member(end, "old", (pleach__encoding)i, &record.old) : end;
            } else {
                end = write_member(end, "item", (pleach__encoding)i, &record.item);
            }
            *end++ = '}';
            EXPECT(pleach__ndjson_read((uint8_t *)written, (size_t)(end - written), (pleach__encoding)i, update,
                                       again_room, &again) == PLEACH_OK);
            EXPECT(record.is_pair == again.is_pair && same(&record.item, &again.item));
            EXPECT(same(&record.key, &again.key) && same(&record.value, &again.value) && same(&record.old, &again.old));
        }
    }
    free(room);
}

/* The first byte says how the lines that follow are read. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 1 || size > MOST)
        return 0;
    const pleach__encoding encoding = (pleach__encoding)(bytes[0] / 2 % PLEACH__ENCODINGS);
    for (size_t start = 1; start < size;) {
        const uint8_t *end = memchr(bytes + start, '\n', size - start);
        const size_t length = end != NULL ? (size_t)(end - bytes) - start : size - start;
        check(bytes + start, length, encoding, bytes[0] % 2 != 0);
        start += length + 1;
    }
    return 0;
}
