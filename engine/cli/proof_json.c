#include "engine/cli/proof.h"

#include "config/error.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT_VERSION = 1, TEXT_SIZE_MAX = 16 << 20 };

enum { LEAF = 1 << PLEACH__PROOF_LEAF, LEAVES = 1 << PLEACH__PROOF_LEAVES, OLDER = 1 << PLEACH__PROOF_OLDER };

/* The key of a kind's version. */
static const char *const kinds[PLEACH__PROOF_KINDS] = {"pleach_proof", "pleach_multiproof", "pleach_consistency"};

static const struct {
    const char *key;
    int in; /* kinds that have it */
    bool optional;
} keys[] = {
    {"scheme", LEAF | LEAVES | OLDER, false},
    {"depth", LEAF | LEAVES, true},
    {"leaf_size", LEAF | LEAVES, true},
    {"index", LEAF, false},
    {"indices", LEAVES, false},
    {"older_count", OLDER, false},
    {"count", LEAF | LEAVES | OLDER, false},
    {"leaf_hash", LEAF, false},
    {"leaf_hashes", LEAVES, false},
    {"older_root", OLDER, false},
    {"path", LEAF | OLDER, false},
    {"siblings", LEAVES, false},
    {"root", LEAF | LEAVES | OLDER, false},
};

enum { KEYS = sizeof keys / sizeof *keys };

/* An object that is written, and whether memory sufficed for all of it. */
typedef struct writer {
    json_t *object;
    bool complete;
} writer;

static void put(writer *w, const char *key, json_t *value)
{
    w->complete &= json_object_set_new(w->object, key, value) == 0;
}

static void put_number(writer *w, const char *key, uint64_t value)
{
    put(w, key, json_integer((json_int_t)value));
}

static json_t *hex_of(const uint8_t *digest)
{
    char text[PLEACH__HEX_SIZE];
    pleach__hex(digest, text);
    return json_string(text);
}

static void put_digests(writer *w, const char *key, const uint8_t *digests, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        w->complete &= json_array_append_new(array, hex_of(digests + PLEACH_DIGEST_SIZE * i)) == 0;
    put(w, key, array);
}

static void put_indices(writer *w, const pleach__proof *proof)
{
    json_t *array = json_array();
    for (size_t i = 0; i < proof->leaves; i++)
        w->complete &= json_array_append_new(array, json_integer((json_int_t)proof->indices[i])) == 0;
    put(w, "indices", array);
}

bool pleach__proof_write(const pleach__proof *proof, FILE *file)
{
    writer w = {.object = json_object(), .complete = true};
    put_number(&w, kinds[proof->kind], FORMAT_VERSION);
    put(&w, "scheme", json_string(proof->scheme.name));
    if (proof->scheme.depth > 0)
        put_number(&w, "depth", proof->scheme.depth);
    if (proof->leaf_size > 0)
        put_number(&w, "leaf_size", proof->leaf_size);
    if (proof->kind == PLEACH__PROOF_LEAF)
        put_number(&w, "index", proof->indices[0]);
    if (proof->kind == PLEACH__PROOF_LEAVES)
        put_indices(&w, proof);
    if (proof->kind == PLEACH__PROOF_OLDER)
        put_number(&w, "older_count", proof->older);
    put_number(&w, "count", proof->count);
    if (proof->kind == PLEACH__PROOF_LEAF)
        put(&w, "leaf_hash", hex_of(proof->leaf_hashes));
    if (proof->kind == PLEACH__PROOF_LEAVES)
        put_digests(&w, "leaf_hashes", proof->leaf_hashes, proof->leaves);
    if (proof->kind == PLEACH__PROOF_OLDER)
        put(&w, "older_root", hex_of(proof->older_root));
    put_digests(&w, proof->kind == PLEACH__PROOF_LEAVES ? "siblings" : "path", proof->path, proof->nodes);
    put(&w, "root", hex_of(proof->root));
    bool written = w.complete && json_dumpf(w.object, file, JSON_INDENT(2)) == 0;
    json_decref(w.object);
    return written && fputc('\n', file) != EOF;
}

/* Finds out which kind of proof it is, and that it has that kind's keys and no others. */
static pleach_status check_keys(json_t *object, pleach__proof_kind *kind)
{
    const char *key;
    json_t *value;
    unsigned found = PLEACH__PROOF_LEAF;
    while (found < PLEACH__PROOF_KINDS && json_object_get(object, kinds[found]) == NULL)
        found++;
    if (found == PLEACH__PROOF_KINDS)
        return pleach__fail(PLEACH_EINVAL, "no proof: no key \"%s\", \"%s\" or \"%s\"", kinds[0], kinds[1], kinds[2]);
    json_object_foreach(object, key, value)
    {
        size_t i = 0;
        while (i < KEYS && ((keys[i].in & 1 << found) == 0 || strcmp(key, keys[i].key) != 0))
            i++;
        if (i == KEYS && strcmp(key, kinds[found]) != 0)
            return pleach__fail(PLEACH_EINVAL, "unknown key \"%.64s\"", key);
    }
    for (size_t i = 0; i < KEYS; i++)
        if ((keys[i].in & 1 << found) != 0 && !keys[i].optional && json_object_get(object, keys[i].key) == NULL)
            return pleach__fail(PLEACH_EINVAL, "key \"%s\" is missing", keys[i].key);
    *kind = (pleach__proof_kind)found;
    return PLEACH_OK;
}

static pleach_status take_number(json_t *number, const char *key, uint64_t least, uint64_t most, uint64_t *value)
{
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

/* What a key holds: an array, or a single value, which counts as an array of one. */
static json_t *element(json_t *value, size_t i)
{
    return json_is_array(value) ? json_array_get(value, i) : value;
}

static pleach_status take_digests(json_t *value, const char *key, size_t count, uint8_t *digests)
{
    pleach_status status = PLEACH_OK;
    for (size_t i = 0; i < count && status == PLEACH_OK; i++)
        status = take_digest(element(value, i), key, digests + PLEACH_DIGEST_SIZE * i);
    return status;
}

static pleach_status take_scheme(json_t *object, pleach_scheme *scheme)
{
    json_t *name = json_object_get(object, "scheme"), *depth = json_object_get(object, "depth");
    const pleach_scheme *preset = json_is_string(name) ? pleach_scheme_find(json_string_value(name)) : NULL;
    uint64_t levels = 0;
    if (preset == NULL)
        return pleach__fail(PLEACH_EINVAL, "\"scheme\" is none that is known");
    if (depth != NULL && preset->lone != PLEACH_LONE_ZERO_PADDED)
        return pleach__fail(PLEACH_EINVAL, "\"depth\" does not belong to scheme %s", preset->name);
    pleach_status status = depth != NULL ? take_number(depth, "depth", 1, 63, &levels) : PLEACH_OK;
    *scheme = *preset;
    scheme->depth = (unsigned)levels;
    return status;
}

static pleach_status take_leaves(json_t *object, pleach__proof *proof)
{
    bool one = proof->kind == PLEACH__PROOF_LEAF;
    const char *key = one ? "index" : "indices", *hash_key = one ? "leaf_hash" : "leaf_hashes";
    json_t *indices = json_object_get(object, key), *hashes = json_object_get(object, hash_key);
    if (one ? json_is_array(indices) || json_is_array(hashes) : !json_is_array(indices) || !json_is_array(hashes))
        return pleach__fail(PLEACH_EINVAL, "\"%s\" or \"%s\" is %s array", key, hash_key, one ? "an" : "no");
    size_t leaves = one ? 1 : json_array_size(indices);
    if (!one && json_array_size(hashes) != leaves)
        return pleach__fail(PLEACH_EINVAL, "\"leaf_hashes\" are %zu, \"indices\" %zu", json_array_size(hashes), leaves);
    pleach_status status = pleach__proof_reserve_leaves(proof, leaves);
    for (size_t i = 0; i < leaves && status == PLEACH_OK; i++)
        status = take_number(element(indices, i), key, 0, INT64_MAX, &proof->indices[i]);
    return status == PLEACH_OK ? take_digests(hashes, hash_key, leaves, proof->leaf_hashes) : status;
}

static pleach_status take_older(json_t *object, pleach__proof *proof)
{
    pleach_status status =
        take_number(json_object_get(object, "older_count"), "older_count", 0, INT64_MAX, &proof->older);
    return status == PLEACH_OK ? take_digest(json_object_get(object, "older_root"), "older_root", proof->older_root)
                               : status;
}

static pleach_status take_path(json_t *object, pleach__proof *proof)
{
    static const struct {
        const char *key;
        size_t most;
    } paths[] = {
        {"path", PLEACH_PATH_MAX}, {"siblings", TEXT_SIZE_MAX / PLEACH__HEX_SIZE}, {"path", PLEACH_CONSISTENCY_MAX}};
    const char *key = paths[proof->kind].key;
    json_t *path = json_object_get(object, key);
    if (!json_is_array(path) || json_array_size(path) > paths[proof->kind].most)
        return pleach__fail(PLEACH_EINVAL, "\"%s\" is not an array of at most %zu digests", key,
                            paths[proof->kind].most);
    pleach_status status = pleach__proof_reserve_nodes(proof, json_array_size(path));
    return status == PLEACH_OK ? take_digests(path, key, proof->nodes, proof->path) : status;
}

static pleach_status take_leaf_size(json_t *object, pleach__proof *proof)
{
    json_t *number = json_object_get(object, "leaf_size");
    uint64_t size = 0;
    pleach_status status =
        number != NULL ? take_number(number, "leaf_size", 1, PLEACH__LEAF_SIZE_MAX, &size) : PLEACH_OK;
    proof->leaf_size = (size_t)size;
    return status;
}

static pleach_status take_all(json_t *object, pleach__proof *proof)
{
    uint64_t version;
    pleach_status status = check_keys(object, &proof->kind);
    if (status != PLEACH_OK)
        return status;
    const char *kind = kinds[proof->kind];
    if ((status = take_number(json_object_get(object, kind), kind, FORMAT_VERSION, FORMAT_VERSION, &version)) !=
            PLEACH_OK ||
        (status = take_scheme(object, &proof->scheme)) != PLEACH_OK ||
        (status = take_leaf_size(object, proof)) != PLEACH_OK ||
        (status = take_number(json_object_get(object, "count"), "count", 1, INT64_MAX, &proof->count)) != PLEACH_OK ||
        (status = proof->kind == PLEACH__PROOF_OLDER ? take_older(object, proof) : take_leaves(object, proof)) !=
            PLEACH_OK ||
        (status = take_path(object, proof)) != PLEACH_OK)
        return status;
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

pleach_status pleach__proof_read(pleach__proof *proof, const char *path)
{
    pleach__span span;
    uint64_t expected;
    uint8_t *text = NULL;
    size_t size = 0;
    pleach_status status = pleach__source_open(path, &span, &expected);
    if (status != PLEACH_OK)
        return status;
    status = pleach__span_load(&span, TEXT_SIZE_MAX, &text, &size);
    pleach__span_close(&span);
    if (status == PLEACH_ERANGE)
        return pleach__fail(PLEACH_EINVAL, "longer than %d bytes, which no proof is", TEXT_SIZE_MAX);
    if (status == PLEACH_OK)
        status = pleach__proof_parse(proof, (const char *)text, size);
    free(text);
    return status;
}
