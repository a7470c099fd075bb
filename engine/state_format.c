#define _GNU_SOURCE
#include "engine/state_format.h"

#include "config/error.h"
#include "config/little_endian.h"
#include "engine/service.h"
#include "kernels/blake3/hasher.h"
#include "merkle/reading.h"
#include "pool/memory.h"

#include <string.h>

static const char kind[] = "pleachEN";

enum { KIND_SIZE = 8, VERSION = 1, HEAD_SIZE = 32, PREFIX_SIZE = 2, LENGTH_SIZE = 8, RULES_SIZE = 8 };

/* --- writing --- */

struct writing {
    pleach_write write;
    void *context;
    pleach__blake3_hasher hasher;
};

static pleach_status write_some(void *context, const uint8_t *bytes, size_t size)
{
    struct writing *writing = context;
    const unsigned texts = pleach__error_count();
    pleach__blake3_add(&writing->hasher, bytes, size);
    pleach_status status = writing->write(writing->context, bytes, size);
    if (status != PLEACH_OK && pleach__error_count() == texts)
        return pleach__fail(status, "write: it failed");
    return status;
}

/* Bytes of an object after their number. */
static uint64_t body_size(const pleach__object *object)
{
    return object->kind == PLEACH__TREE ? pleach_tree_serialised_size(object->tree)
                                        : RULES_SIZE + (uint64_t)PLEACH_LTHASH_SIZE * object->rules.states;
}

uint64_t pleach_engine_state_size(const pleach_engine_view *view)
{
    uint64_t size = view != NULL ? HEAD_SIZE + PLEACH_DIGEST_SIZE : 0;
    for (uint32_t i = 0; i < pleach_engine_view_size(view); i++)
        size += PREFIX_SIZE + strlen(view->objects[i]->name) + LENGTH_SIZE + body_size(view->objects[i]);
    return size;
}

static pleach_status write_states(struct writing *writing, const pleach__object *object)
{
    uint8_t rules[RULES_SIZE] = {0}, bytes[PLEACH_LTHASH_SIZE];
    pleach__put32(rules, object->rules.states);
    rules[4] = object->rules.total ? 1 : 0;
    rules[5] = (uint8_t)object->rules.empty;
    pleach_status status = write_some(writing, rules, sizeof rules);
    for (uint32_t i = 0; i < object->rules.states && status == PLEACH_OK; i++) {
        status = pleach_lthash_serialise(&object->states[i], bytes);
        if (status == PLEACH_OK)
            status = write_some(writing, bytes, sizeof bytes);
    }
    return status;
}

static pleach_status write_object(struct writing *writing, const pleach__object *object)
{
    uint8_t head[PREFIX_SIZE + PLEACH_ENGINE_NAME_MAX + LENGTH_SIZE];
    const size_t length = strlen(object->name);
    head[0] = (uint8_t)length;
    head[1] = (uint8_t)object->kind;
    memcpy(head + PREFIX_SIZE, object->name, length);
    pleach__put64(head + PREFIX_SIZE + length, body_size(object));
    pleach_status status = write_some(writing, head, PREFIX_SIZE + length + LENGTH_SIZE);
    if (status != PLEACH_OK)
        return status;
    return object->kind == PLEACH__TREE ? pleach_tree_serialise(object->tree, write_some, writing)
                                        : write_states(writing, object);
}

pleach_status pleach_engine_state_export(const pleach_engine_view *view, pleach_write write, void *context)
{
    if (view == NULL || write == NULL)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", view == NULL ? "view" : "write");
    struct writing writing = {.write = write, .context = context};
    uint8_t head[HEAD_SIZE] = {0}, digest[PLEACH_DIGEST_SIZE];
    pleach_status status =
        pleach__blake3_begin(&writing.hasher, pleach_pool_kernels(view->pool), &pleach__blake3_unkeyed);
    if (status != PLEACH_OK)
        return status;
    memcpy(head, kind, KIND_SIZE);
    pleach__put32(head + 8, VERSION);
    pleach__put32(head + 12, view->count);
    pleach__put64(head + 16, view->height);
    head[24] = view->sealed ? 1 : 0;
    status = write_some(&writing, head, sizeof head);
    for (uint32_t i = 0; i < view->count && status == PLEACH_OK; i++)
        status = write_object(&writing, view->objects[i]);
    pleach__blake3_end(&writing.hasher, digest);
    return status == PLEACH_OK ? write_some(&writing, digest, sizeof digest) : status;
}

/* --- reading --- */

struct reading {
    pleach__reading source; /* its `left`: of an object's body */
    pleach_pool *pool;
    pleach_monitor *monitor;
};

static pleach_status ended_early(const struct reading *reading)
{
    return pleach__fail(PLEACH_ETRUNCATED, "encoded state: ends after %llu bytes",
                        (unsigned long long)reading->source.bytes);
}

/* Reads bytes that must be there, and are covered by the checksum. */
static pleach_status read_all(struct reading *reading, uint8_t *buffer, size_t size)
{
    size_t filled;
    pleach_status status = pleach__read_part(&reading->source, buffer, size, &filled);
    if (status != PLEACH_OK)
        return status;
    if (filled < size)
        return ended_early(reading);
    pleach__blake3_add(&reading->source.hasher, buffer, size);
    return PLEACH_OK;
}

/* The body of a tree, as a source that ends where the body does. */
static pleach_status read_body(void *context, uint8_t *buffer, size_t size, size_t *got)
{
    struct reading *reading = context;
    pleach_status status = pleach__read_left(&reading->source, buffer, size, got);
    return status == PLEACH_OK && size > 0 && *got == 0 && reading->source.left > 0 ? ended_early(reading) : status;
}

static pleach_status read_tree(struct reading *reading, const char *name, pleach__object **object)
{
    pleach__object *made = NULL;
    pleach_tree *tree = NULL;
    pleach_status status = pleach_tree_parse(&tree, reading->pool, read_body, reading, reading->monitor);
    if (status == PLEACH_OK)
        status = pleach__object_tree(reading->pool, name, pleach_tree_scheme(tree), &made);
    if (status != PLEACH_OK) {
        pleach_tree_destroy(tree);
        return status;
    }
    pleach_tree_destroy(made->tree);
    made->tree = tree;
    *object = made;
    return PLEACH_OK;
}

static pleach_status read_rules(struct reading *reading, pleach_engine_accumulator_rules *rules)
{
    uint8_t bytes[RULES_SIZE];
    pleach_status status = read_all(reading, bytes, sizeof bytes);
    if (status != PLEACH_OK)
        return status;
    *rules = (pleach_engine_accumulator_rules){
        .states = pleach__get32(bytes), .total = bytes[4] != 0, .empty = (pleach_lthash_empty)bytes[5]};
    if (bytes[4] > 1 || pleach__get16(bytes + 6) != 0)
        return pleach__fail(PLEACH_EFORMAT, "encoded rules: bits are set that mean nothing");
    if (pleach__check_rules(rules) != PLEACH_OK)
        return pleach__fail(PLEACH_EFORMAT, "encoded %s", pleach_last_error());
    if (reading->source.left != RULES_SIZE + (uint64_t)PLEACH_LTHASH_SIZE * rules->states)
        return pleach__fail(PLEACH_EFORMAT, "encoded length = %llu: of an accumulator of %lu states",
                            (unsigned long long)reading->source.left, (unsigned long)rules->states);
    return PLEACH_OK;
}

static pleach_status read_state(struct reading *reading, pleach__object *object, uint32_t index)
{
    uint8_t bytes[PLEACH_LTHASH_SIZE];
    pleach_status status = read_all(reading, bytes, sizeof bytes);
    if (status == PLEACH_OK)
        status = pleach_lthash_parse(&object->states[index], bytes, sizeof bytes);
    if (status == PLEACH_OK && object->rules.total)
        status = pleach_lthash_combine(&object->states[object->rules.states], &object->states[index]);
    return status;
}

static pleach_status read_accumulator(struct reading *reading, const char *name, pleach__object **object)
{
    pleach_engine_accumulator_rules rules;
    pleach__object *made = NULL;
    pleach_status status = read_rules(reading, &rules);
    if (status == PLEACH_OK)
        status = pleach__object_accumulator(reading->pool, name, &rules, &made);
    for (uint32_t i = 0; status == PLEACH_OK && i < rules.states; i++)
        status = read_state(reading, made, i);
    for (uint32_t i = 0; status == PLEACH_OK && i < pleach__all_states(made); i++)
        status = pleach__object_checksum(reading->pool, made, i);
    if (status == PLEACH_OK)
        *object = made;
    else
        pleach__object_release(reading->pool, made);
    return status;
}

/* Reads the name of the object after the first n of a state, and its kind. */
static pleach_status read_name(struct reading *reading, const pleach_engine_view *state, uint32_t n, char *name,
                               pleach__object_kind *which)
{
    uint8_t prefix[PREFIX_SIZE] = {0};
    pleach_status status = read_all(reading, prefix, sizeof prefix);
    const size_t length = prefix[0];
    if (status == PLEACH_OK && (length > PLEACH_ENGINE_NAME_MAX || prefix[1] > PLEACH__ACCUMULATOR))
        return pleach__fail(PLEACH_EFORMAT, "encoded object %lu: length of its name = %zu, kind = %d", (unsigned long)n,
                            length, prefix[1]);
    if (status == PLEACH_OK)
        status = read_all(reading, (uint8_t *)name, length);
    if (status != PLEACH_OK)
        return status;
    name[length] = '\0';
    if (pleach__check_name(name, length) != PLEACH_OK)
        return pleach__fail(PLEACH_EFORMAT, "encoded %s", pleach_last_error());
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(state->objects[i]->name, name) == 0)
            return pleach__fail(PLEACH_EFORMAT, "encoded name = %s: it is there twice", name);
    *which = (pleach__object_kind)prefix[1];
    return PLEACH_OK;
}

static pleach_status read_object(struct reading *reading, pleach_engine_view *state, uint32_t n)
{
    char name[PLEACH_ENGINE_NAME_MAX + 1];
    uint8_t length[LENGTH_SIZE];
    pleach__object_kind which = PLEACH__TREE;
    pleach_status status = read_name(reading, state, n, name, &which);
    if (status == PLEACH_OK)
        status = read_all(reading, length, sizeof length);
    if (status != PLEACH_OK)
        return status;
    reading->source.left = pleach__get64(length);
    return which == PLEACH__TREE ? read_tree(reading, name, &state->objects[n])
                                 : read_accumulator(reading, name, &state->objects[n]);
}

static pleach_status check_head(const uint8_t *head)
{
    static const uint8_t zeros[7];
    const uint32_t version = pleach__get32(head + 8), count = pleach__get32(head + 12);
    const uint64_t height = pleach__get64(head + 16);
    if (version != VERSION)
        return pleach__fail(PLEACH_EVERSION, "encoded state: version = %lu: only %d is read", (unsigned long)version,
                            VERSION);
    if (count > PLEACH_ENGINE_OBJECTS_MAX)
        return pleach__fail(PLEACH_EFORMAT, "encoded state: %lu objects: at most %d", (unsigned long)count,
                            PLEACH_ENGINE_OBJECTS_MAX);
    if (head[24] > 1 || memcmp(head + 25, zeros, sizeof zeros) != 0 || (head[24] == 0 && height != 0))
        return pleach__fail(PLEACH_EFORMAT, "encoded state: bits are set that mean nothing");
    if (height == PLEACH_ENGINE_LATEST)
        return pleach__fail(PLEACH_EFORMAT, "encoded state: height = %llu: no block has it",
                            (unsigned long long)height);
    return PLEACH_OK;
}

static pleach_status read_head(struct reading *reading, pleach_engine_view **state)
{
    uint8_t head[HEAD_SIZE];
    size_t filled;
    pleach_status status = pleach__read_part(&reading->source, head, sizeof head, &filled);
    if (status != PLEACH_OK)
        return status;
    if (memcmp(head, kind, filled < KIND_SIZE ? filled : KIND_SIZE) != 0)
        return pleach__fail(PLEACH_EFORMAT, "encoded state: does not begin with %s", kind);
    if (filled < sizeof head)
        return ended_early(reading);
    pleach__blake3_add(&reading->source.hasher, head, sizeof head);
    status = check_head(head);
    if (status == PLEACH_OK)
        status = pleach__state_create(reading->pool, pleach__get32(head + 12), NULL, state);
    if (status == PLEACH_OK) {
        (*state)->sealed = head[24] == 1;
        (*state)->height = pleach__get64(head + 16);
    }
    return status;
}

static pleach_status read_end(struct reading *reading)
{
    uint8_t end[PLEACH_DIGEST_SIZE], digest[PLEACH_DIGEST_SIZE], more;
    size_t filled;
    pleach_status status = pleach__read_part(&reading->source, end, sizeof end, &filled);
    if (status != PLEACH_OK)
        return status;
    if (filled < sizeof end)
        return ended_early(reading);
    pleach__blake3_end(&reading->source.hasher, digest);
    if (memcmp(digest, end, sizeof digest) != 0)
        return pleach__fail(PLEACH_ECHECKSUM, "encoded state: its %llu bytes have another checksum",
                            (unsigned long long)reading->source.bytes);
    status = pleach__read_part(&reading->source, &more, sizeof more, &filled);
    if (status == PLEACH_OK && filled > 0)
        return pleach__fail(PLEACH_ETRAILING, "encoded state: bytes follow the checksum");
    return status;
}

pleach_status pleach__state_parse(pleach_pool *pool, pleach_read read, void *context, pleach_monitor *monitor,
                                  pleach_engine_view **state)
{
    struct reading reading = {.source = {.read = read, .context = context}, .pool = pool, .monitor = monitor};
    pleach_engine_view *made = NULL;
    pleach_status status =
        pleach__blake3_begin(&reading.source.hasher, pleach_pool_kernels(pool), &pleach__blake3_unkeyed);
    if (status == PLEACH_OK)
        status = read_head(&reading, &made);
    for (uint32_t i = 0; status == PLEACH_OK && i < made->count; i++)
        status = read_object(&reading, made, i);
    if (status == PLEACH_OK)
        status = read_end(&reading);
    if (status == PLEACH_OK)
        *state = made;
    else
        pleach__state_release(made);
    return status;
}

pleach_status pleach_engine_state_import(pleach_engine *engine, pleach_read read, void *context,
                                         pleach_monitor *monitor)
{
    if (engine == NULL || read == NULL)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", engine == NULL ? "engine" : "read");
    if (engine->block.open)
        return pleach__fail(PLEACH_EBLOCKOPEN, "block %llu is open", (unsigned long long)engine->block.height);
    pleach_engine_view *state = NULL;
    pleach_status status = pleach__state_parse(engine->pool, read, context, monitor, &state);
    if (status == PLEACH_OK)
        pleach__publish(engine, state, PLEACH__ALONE);
    return status;
}
