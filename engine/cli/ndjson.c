#include "engine/cli/ndjson.h"

#include "config/error.h"

#include <jansson.h>
#include <string.h>

/* Decoded values follow each other in the room: together they are shorter than their line. */
typedef struct reading {
    json_t *object;
    size_t members; /* of the object that were taken */
    pleach__encoding encoding;
    uint8_t *room;
} reading;

static pleach_status take(reading *r, const char *name, bool may_be_null, pleach_input *bytes)
{
    json_t *member = json_object_get(r->object, name);
    *bytes = (pleach_input){.bytes = r->room};
    r->members += member != NULL;
    if (member == NULL || (may_be_null && json_is_null(member)))
        return PLEACH_OK;
    if (!json_is_string(member))
        return pleach__fail(PLEACH_EFORMAT, "\"%s\" is no string", name);
    pleach_status status =
        pleach__decode(r->encoding, json_string_value(member), json_string_length(member), r->room, &bytes->size);
    if (status != PLEACH_OK)
        return pleach__fail(status, "\"%s\": %s", name, pleach_last_error());
    r->room += bytes->size;
    return PLEACH_OK;
}

static pleach_status take_pair(reading *r, bool update, pleach__ndjson_record *record)
{
    pleach_status status = take(r, "key", false, &record->key);
    if (status == PLEACH_OK)
        status = take(r, "value", update, &record->value);
    if (status == PLEACH_OK && update)
        status = take(r, "old", true, &record->old);
    return status;
}

static bool has(const reading *r, const char *name)
{
    return json_object_get(r->object, name) != NULL;
}

static pleach_status take_all(reading *r, bool update, pleach__ndjson_record *record)
{
    record->is_pair = update || !has(r, "item");
    if (record->is_pair && !has(r, "key"))
        return pleach__fail(PLEACH_EFORMAT, update ? "no \"key\"" : "neither \"item\" nor \"key\"");
    if (record->is_pair && !has(r, "value") && !(update && has(r, "old")))
        return pleach__fail(PLEACH_EFORMAT, update ? "neither \"value\" nor \"old\"" : "no \"value\"");
    pleach_status status = record->is_pair ? take_pair(r, update, record) : take(r, "item", false, &record->item);
    if (status == PLEACH_OK && json_object_size(r->object) != r->members)
        return pleach__fail(PLEACH_EFORMAT, "members other than %s",
                            update            ? "\"key\", \"value\" and \"old\""
                            : record->is_pair ? "\"key\" and \"value\""
                                              : "\"item\"");
    return status;
}

pleach_status pleach__ndjson_read(const uint8_t *line, size_t size, pleach__encoding encoding, bool update,
                                  uint8_t *room, pleach__ndjson_record *record)
{
    json_error_t error;
    reading r = {.encoding = encoding, .room = room};
    *record = (pleach__ndjson_record){0};
    r.object = json_loadb((const char *)line, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    if (r.object == NULL)
        return pleach__fail(PLEACH_EFORMAT, "no JSON: %s", error.text);
    pleach_status status =
        json_is_object(r.object) ? take_all(&r, update, record) : pleach__fail(PLEACH_EFORMAT, "not a JSON object");
    json_decref(r.object);
    return status;
}
