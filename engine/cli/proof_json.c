#include "engine/cli/proof.h"

#include "config/error.h"
#include "engine/cli/cli.h"

#include <jansson.h>
#include <string.h>

enum { FORMAT_VERSION = 1 };

static const char *const keys[] = {"pleach_proof", "scheme",    "leaf_size", "index",
                                   "count",        "leaf_hash", "path",      "root"};

static json_t *hex_of(const uint8_t *digest)
{
    char text[PLEACH__HEX_SIZE];
    pleach__hex(digest, text);
    return json_string(text);
}

bool pleach__proof_write(const pleach__proof *proof, FILE *file)
{
    json_t *path = json_array();
    bool complete = true;
    for (size_t i = 0; i < proof->nodes; i++)
        complete &= json_array_append_new(path, hex_of(proof->path[i])) == 0;
    json_t *object = json_pack("{s:i, s:s, s:I, s:I, s:I, s:o, s:o, s:o}", "pleach_proof", FORMAT_VERSION, "scheme",
                               proof->scheme->name, "leaf_size", (json_int_t)proof->leaf_size, "index",
                               (json_int_t)proof->index, "count", (json_int_t)proof->count, "leaf_hash",
                               hex_of(proof->leaf_hash), "path", path, "root", hex_of(proof->root));
    bool written = complete && object != NULL && json_dumpf(object, file, JSON_INDENT(2)) == 0;
    json_decref(object);
    return written && fputc('\n', file) != EOF;
}

static pleach_status check_keys(json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        size_t i = 0;
        while (i < sizeof keys / sizeof *keys && strcmp(key, keys[i]) != 0)
            i++;
        if (i == sizeof keys / sizeof *keys)
            return pleach__fail(PLEACH_EINVAL, "unknown key \"%.64s\"", key);
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_object_get(object, keys[i]) == NULL)
            return pleach__fail(PLEACH_EINVAL, "key \"%s\" is missing", keys[i]);
    return PLEACH_OK;
}

static pleach_status take_number(json_t *object, const char *key, uint64_t least, uint64_t most, uint64_t *value)
{
    json_t *number = json_object_get(object, key);
    json_int_t signed_value = json_integer_value(number);
    if (!json_is_integer(number) || signed_value < 0 || (uint64_t)signed_value < least || (uint64_t)signed_value > most)
        return pleach__fail(PLEACH_EINVAL, "\"%s\" is not a whole number from %llu to %llu", key,
                            (unsigned long long)least, (unsigned long long)most);
    *value = (uint64_t)signed_value;
    return PLEACH_OK;
}

static pleach_status take_digest(json_t *text, const char *key, uint8_t *digest)
{
    if (json_is_string(text) && json_string_length(text) == 2 * PLEACH_DIGEST_SIZE &&
        pleach__unhex(json_string_value(text), digest))
        return PLEACH_OK;
    return pleach__fail(PLEACH_EINVAL, "\"%s\" is not 64 lower-case hex digits", key);
}

static pleach_status take_scheme(json_t *name, const pleach_scheme **scheme)
{
    *scheme = json_is_string(name) ? pleach_scheme_find(json_string_value(name)) : NULL;
    return *scheme != NULL ? PLEACH_OK : pleach__fail(PLEACH_EINVAL, "\"scheme\" is none that is known");
}

static pleach_status take_path(json_t *path, pleach__proof *proof)
{
    if (!json_is_array(path) || json_array_size(path) > PLEACH_PATH_MAX)
        return pleach__fail(PLEACH_EINVAL, "\"path\" is not an array of at most %d digests", PLEACH_PATH_MAX);
    proof->nodes = json_array_size(path);
    for (size_t i = 0; i < proof->nodes; i++)
        if (take_digest(json_array_get(path, i), "path", proof->path[i]) != PLEACH_OK)
            return PLEACH_EINVAL;
    return PLEACH_OK;
}

static pleach_status take_all(json_t *object, pleach__proof *proof)
{
    uint64_t version, leaf_size;
    pleach_status status;
    if ((status = check_keys(object)) != PLEACH_OK ||
        (status = take_number(object, "pleach_proof", FORMAT_VERSION, FORMAT_VERSION, &version)) != PLEACH_OK ||
        (status = take_scheme(json_object_get(object, "scheme"), &proof->scheme)) != PLEACH_OK ||
        (status = take_number(object, "leaf_size", 1, PLEACH__LEAF_SIZE_MAX, &leaf_size)) != PLEACH_OK ||
        (status = take_number(object, "index", 0, INT64_MAX, &proof->index)) != PLEACH_OK ||
        (status = take_number(object, "count", 1, INT64_MAX, &proof->count)) != PLEACH_OK ||
        (status = take_digest(json_object_get(object, "leaf_hash"), "leaf_hash", proof->leaf_hash)) != PLEACH_OK ||
        (status = take_path(json_object_get(object, "path"), proof)) != PLEACH_OK)
        return status;
    proof->leaf_size = (size_t)leaf_size;
    return take_digest(json_object_get(object, "root"), "root", proof->root);
}

pleach_status pleach__proof_parse(pleach__proof *proof, const char *text, size_t size)
{
    json_error_t error;
    json_t *object = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (object == NULL)
        return pleach__fail(PLEACH_EINVAL, "line %d: %s", error.line, error.text);
    pleach_status status =
        json_is_object(object) ? take_all(object, proof) : pleach__fail(PLEACH_EINVAL, "not a JSON object");
    json_decref(object);
    return status;
}
