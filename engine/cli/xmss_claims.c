#include "engine/cli/xmss_claims.h"

#include "config/error.h"
#include "config/little_endian.h"
#include "engine/cli/encoding.h"
#include "engine/cli/input.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY = PLEACH_XMSS_PUBLIC_KEY_SIZE,
    MESSAGE = PLEACH_XMSS_MESSAGE_SIZE,
    EPOCH_AT = KEY,
    MESSAGE_AT = EPOCH_AT + 4,
    SIGNATURE_AT = MESSAGE_AT + MESSAGE,
    RECORD = SIGNATURE_AT + PLEACH_XMSS_SIGNATURE_SIZE,
    MOST = 1 << 30,
};

static pleach_status reserve(pleach__xmss_claims *list, size_t n)
{
    list->claims = calloc(n + 1, sizeof *list->claims);
    return list->claims != NULL ? PLEACH_OK : pleach__fail(PLEACH_ENOMEM, "no memory for %zu signatures", n);
}

static pleach_status take_records(pleach__xmss_claims *list, size_t size)
{
    if (size % RECORD != 0)
        return pleach__fail(PLEACH_EFORMAT, "%zu bytes: a multiple of %d is expected", size, (int)RECORD);
    pleach_status status = reserve(list, size / RECORD);
    for (; status == PLEACH_OK && list->n < size / RECORD; list->n++) {
        const uint8_t *record = list->bytes + RECORD * list->n;
        list->claims[list->n] = (pleach_xmss_claim){record, record + MESSAGE_AT, record + SIGNATURE_AT,
                                                    PLEACH_XMSS_SIGNATURE_SIZE, pleach__get32(record + EPOCH_AT)};
    }
    return status;
}

/* A line that is read: decoded bytes follow each other in the room, and are fewer than the characters of the line. */
typedef struct reading {
    json_t *object;
    uint8_t *room;
} reading;

static pleach_status take_bytes(reading *r, const char *name, size_t expected, const uint8_t **bytes, size_t *size)
{
    json_t *member = json_object_get(r->object, name);
    if (!json_is_string(member))
        return pleach__fail(PLEACH_EFORMAT, "\"%s\" is no string", name);
    const pleach_status status =
        pleach__decode(PLEACH__HEX, json_string_value(member), json_string_length(member), r->room, size);
    if (status != PLEACH_OK)
        return pleach__fail(status, "\"%s\": %s", name, pleach_last_error());
    if (expected > 0 && *size != expected)
        return pleach__fail(PLEACH_EFORMAT, "\"%s\" has %zu bytes: %zu", name, *size, expected);
    *bytes = r->room;
    r->room += *size;
    return PLEACH_OK;
}

/* A signature of the wrong size is not a malformed line, but one that is refused. */
static pleach_status take_claim(reading *r, pleach_xmss_claim *claim)
{
    size_t size;
    json_t *epoch = json_object_get(r->object, "epoch");
    if (!json_is_integer(epoch) || json_integer_value(epoch) < 0 || json_integer_value(epoch) > UINT32_MAX)
        return pleach__fail(PLEACH_EFORMAT, "\"epoch\" is no number from 0 to 4294967295");
    if (json_object_size(r->object) != 4)
        return pleach__fail(PLEACH_EFORMAT, "members other than \"public_key\", \"epoch\", \"message\", \"signature\"");
    claim->epoch = (uint32_t)json_integer_value(epoch);
    pleach_status status = take_bytes(r, "public_key", KEY, &claim->public_key, &size);
    if (status == PLEACH_OK)
        status = take_bytes(r, "message", MESSAGE, &claim->message, &size);
    if (status == PLEACH_OK)
        status = take_bytes(r, "signature", 0, &claim->signature, &claim->signature_size);
    return status;
}

static pleach_status take_line(reading *r, const char *line, size_t size, pleach_xmss_claim *claim)
{
    json_error_t error;
    r->object = json_loadb(line, size, JSON_REJECT_DUPLICATES, &error);
    if (r->object == NULL)
        return pleach__fail(PLEACH_EFORMAT, "no JSON: %s", error.text);
    const pleach_status status =
        json_is_object(r->object) ? take_claim(r, claim) : pleach__fail(PLEACH_EFORMAT, "not a JSON object");
    json_decref(r->object);
    return status;
}

static pleach_status take_lines(pleach__xmss_claims *list, size_t size)
{
    const char *text = (const char *)list->bytes, *end = text + size;
    size_t lines = 1;
    for (const char *at = text; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
        lines++;
    list->decoded = malloc(size + 1);
    pleach_status status =
        list->decoded != NULL ? reserve(list, lines) : pleach__fail(PLEACH_ENOMEM, "no memory for %zu bytes", size);
    reading r = {.room = list->decoded};
    while (text < end && status == PLEACH_OK) {
        const char *newline = memchr(text, '\n', (size_t)(end - text)), *stop = newline != NULL ? newline : end;
        status = take_line(&r, text, (size_t)(stop - text), &list->claims[list->n++]);
        if (status != PLEACH_OK)
            status = pleach__fail(status, "line %zu: %s", list->n, pleach_last_error());
        text = stop + 1;
    }
    return status;
}

pleach_status pleach__xmss_claims_read(pleach__xmss_claims *list, const char *path, bool binary)
{
    pleach__span span;
    uint64_t known;
    size_t size = 0;
    *list = (pleach__xmss_claims){0};
    pleach_status status = pleach__source_open(path, &span, &known);
    if (status != PLEACH_OK)
        return status;
    status = pleach__span_load(&span, MOST, &list->bytes, &size);
    pleach__span_close(&span);
    if (status == PLEACH_OK)
        status = binary ? take_records(list, size) : take_lines(list, size);
    return status;
}

void pleach__xmss_claims_release(pleach__xmss_claims *list)
{
    free(list->claims);
    free(list->bytes);
    free(list->decoded);
}
