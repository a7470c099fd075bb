#include "engine/cli/lthash_items.h"

#include "config/error.h"
#include "engine/cli/leaf_input.h"
#include "engine/cli/ndjson.h"
#include "engine/cli/progress.h"

#include <inttypes.h>
#include <stdlib.h>

enum { BATCH = 2 << 20 /* bytes of lines for one call */ };

bool pleach__lthash_items_fit(const pleach__options *options)
{
    if (options->nul + options->files + options->has_encoding > 1)
        pleach__complain("--nul, --ndjson and --files: items come in one of these ways");
    else if (options->files && options->has_empty)
        pleach__complain("--empty and --files: a file of no bytes is always nothing");
    else
        return true;
    return false;
}

/* A batch of lines as changes. */
typedef struct batch {
    pleach_lthash_op *ops;
    size_t places, count;
    uint8_t *values, *pairs; /* of NDJSON; in one piece of memory */
    size_t capacity;
} batch;

/*
 * A line makes two changes at most. The values that it encodes are shorter than it is. So is a pair of two of them, in
 * spite of its two numbers of 4 bytes, because quotes and names of members are longer.
 */
static pleach_status reserve(batch *b, const pleach_leaves *lines, bool encoded)
{
    size_t size = encoded;
    b->count = 0;
    for (size_t i = 0; i < lines->count && encoded; i++)
        size += lines->list[i].size;
    if (b->places < 2 * lines->count) {
        free(b->ops);
        b->places = 2 * lines->count;
        b->ops = calloc(b->places, sizeof *b->ops);
    }
    if (b->capacity < size) {
        free(b->values);
        b->capacity = size;
        b->values = malloc(3 * size);
    }
    if ((b->places > 0 && b->ops == NULL) || (b->capacity > 0 && b->values == NULL))
        return pleach__fail(PLEACH_ENOMEM, "no memory for the items of %zu lines", lines->count);
    b->pairs = encoded ? b->values + b->capacity : NULL;
    return PLEACH_OK;
}

static pleach_status take_item(const pleach__lthash_items *items, batch *b, const pleach_input *item)
{
    if (item->size == 0 && !items->options->has_empty)
        return pleach__fail(PLEACH_EINVAL, "an item of no bytes: --empty hash or --empty skip says what it is");
    b->ops[b->count++] = (pleach_lthash_op){.item = *item, .action = items->action};
    return PLEACH_OK;
}

static pleach_status take_record(const pleach__lthash_items *items, batch *b, const pleach_input *line, uint8_t *values)
{
    pleach__ndjson_record record;
    size_t changes = 0;
    pleach_status status =
        pleach__ndjson_read(line->bytes, line->size, items->options->encoding, items->update, values, &record);
    if (status != PLEACH_OK || !record.is_pair)
        return status == PLEACH_OK ? take_item(items, b, &record.item) : status;
    const pleach_input *old = items->action == PLEACH_LTHASH_REMOVE ? &record.value : &record.old;
    const pleach_input *new = items->action == PLEACH_LTHASH_REMOVE ? &record.old : &record.value;
    const size_t size = pleach_sei_pair_size(&record.key, old) + pleach_sei_pair_size(&record.key, new);
    status = pleach_sei_update(&record.key, old, new, b->pairs, size, b->ops + b->count, &changes);
    b->pairs += size;
    b->count += changes;
    return status;
}

/* `before` lines came before these. */
static pleach_status take_batch(const pleach__lthash_items *items, batch *b, const pleach_leaves *lines,
                                uint64_t before)
{
    const bool encoded = items->options->has_encoding;
    size_t at = 0;
    pleach_status status = reserve(b, lines, encoded);
    for (size_t i = 0; i < lines->count && status == PLEACH_OK; i++) {
        const pleach_input *line = &lines->list[i];
        status = encoded ? take_record(items, b, line, b->values + at) : take_item(items, b, line);
        at += line->size;
        if (status != PLEACH_OK)
            return pleach__fail(status, "%s %" PRIu64 ": %s", items->options->nul ? "item" : "line", before + i + 1,
                                pleach_last_error());
    }
    if (status == PLEACH_OK)
        status = pleach_lthash_apply(items->pool, items->sum, b->ops, b->count, items->options->empty, NULL);
    return status;
}

static pleach_status take_lines(pleach__lthash_items *items, pleach__leaf_source *source)
{
    batch b = {0};
    uint64_t before = 0;
    pleach_leaves lines;
    pleach_status status;
    do {
        status = pleach__leaf_source_next(source, BATCH, &lines);
        if (status == PLEACH_OK)
            status = take_batch(items, &b, &lines, before);
        if (status == PLEACH_OK) {
            before += lines.count;
            items->count += b.count;
            pleach__progress_add(source->used);
        }
    } while (status == PLEACH_OK && lines.count > 0);
    free(b.ops);
    free(b.values);
    return status;
}

static int take_input(pleach__lthash_items *items, const char *path)
{
    const pleach__leaf_form form = {.kind = PLEACH__LEAF_LINES, .nul = items->options->nul};
    pleach__leaf_source source;
    pleach_status status = pleach__leaf_source_open(&source, &form, path);
    if (status == PLEACH_OK) {
        (void)pleach__progress(path, pleach__leaf_source_expected(&source));
        status = take_lines(items, &source);
        pleach__leaf_source_close(&source);
    }
    if (status == PLEACH_OK)
        return PLEACH__EXIT_OK;
    pleach__complain("%s: %s", path, pleach_last_error());
    return PLEACH__EXIT_FAILED;
}

int pleach__lthash_items_take(pleach__lthash_items *items, int count, char **inputs)
{
    int code = PLEACH__EXIT_OK;
    for (int i = 0; i < count && code == PLEACH__EXIT_OK; i++)
        code = items->options->files ? pleach__lthash_files_take(items, inputs[i]) : take_input(items, inputs[i]);
    return code;
}
