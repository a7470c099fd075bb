#include "engine/cli/leaf_input.h"

#include "config/error.h"
#include "engine/cli/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 8 << 20, BATCH_FIRST = 1 << 16, LINE_MAX = 2 + 2 * PLEACH_DIGEST_SIZE };

void pleach__leaf_source_over(pleach__leaf_source *source, const pleach__leaf_form *form, int file, uint64_t size)
{
    *source = (pleach__leaf_source){.form = *form, .span = {.file = file, .left = UINT64_MAX}, .size = size};
}

pleach_status pleach__leaf_source_open(pleach__leaf_source *source, const pleach__leaf_form *form, const char *path)
{
    pleach__span span;
    uint64_t size;
    pleach_status status = pleach__source_open(path, &span, &size);
    if (status == PLEACH_OK)
        pleach__leaf_source_over(source, form, span.file, size);
    return status;
}

void pleach__leaf_source_release(pleach__leaf_source *source)
{
    free(source->batch);
    free(source->list);
}

void pleach__leaf_source_close(pleach__leaf_source *source)
{
    pleach__span_close(&source->span);
    pleach__leaf_source_release(source);
}

/* The next line without its newline, cut after LINE_MAX + 1 characters; false at the end. */
static pleach_status next_line(pleach__leaf_source *source, char line[LINE_MAX + 2], bool *found)
{
    size_t length = 0;
    bool ended = false;
    *found = false;
    while (!ended) {
        if (source->at == source->filled) {
            source->at = 0;
            pleach_status status = pleach__span_read(&source->span, source->text, sizeof source->text, &source->filled);
            if (status != PLEACH_OK)
                return status;
        }
        ended = source->filled == 0 || source->text[source->at] == '\n';
        *found |= source->filled > 0;
        if (!ended && length <= LINE_MAX)
            line[length++] = (char)source->text[source->at];
        source->at += source->filled > 0;
    }
    line[length] = '\0';
    return PLEACH_OK;
}

static pleach_status next_digest(pleach__leaf_source *source)
{
    char line[LINE_MAX + 2];
    bool found;
    pleach_status status = next_line(source, line, &found);
    if (status != PLEACH_OK || !found)
        return status;
    source->line++;
    char *digits = strncmp(line, "0x", 2) == 0 ? line + 2 : line;
    for (char *digit = digits; *digit != '\0'; digit++)
        if (*digit >= 'A' && *digit <= 'F')
            *digit = (char)(*digit - 'A' + 'a');
    if (!pleach__unhex(digits, source->digest))
        return pleach__fail(PLEACH_EINVAL, "line %" PRIu64 ": expected a digest of 64 hex digits", source->line);
    if (source->form.reversed)
        pleach__reverse(source->digest);
    source->left = PLEACH_DIGEST_SIZE;
    return PLEACH_OK;
}

pleach_status pleach__leaf_source_read(void *context, uint8_t *buffer, size_t size, size_t *got)
{
    pleach__leaf_source *source = context;
    if (source->form.kind != PLEACH__LEAF_DIGESTS)
        return pleach__span_read(&source->span, buffer, size, got);
    size_t filled = 0;
    while (filled < size) {
        if (source->left == 0) {
            pleach_status status = next_digest(source);
            if (status != PLEACH_OK)
                return status;
            if (source->left == 0)
                break;
        }
        size_t part = source->left < size - filled ? source->left : size - filled;
        memcpy(buffer + filled, source->digest + PLEACH_DIGEST_SIZE - source->left, part);
        source->left -= part;
        filled += part;
    }
    *got = filled;
    return PLEACH_OK;
}

uint64_t pleach__leaf_source_expected(const pleach__leaf_source *source)
{
    if (source->form.kind != PLEACH__LEAF_DIGESTS)
        return source->size;
    return source->size / (2 * PLEACH_DIGEST_SIZE + 1) * PLEACH_DIGEST_SIZE;
}

/* Reads until the batch holds so many bytes or the source ends. */
static pleach_status hold(pleach__leaf_source *source, size_t wanted)
{
    while (!source->ended && source->held < wanted) {
        if (source->held == source->capacity) {
            size_t capacity = source->capacity == 0 ? BATCH_FIRST : 2 * source->capacity;
            uint8_t *grown = realloc(source->batch, capacity);
            if (grown == NULL)
                return pleach__fail(PLEACH_ENOMEM, "no memory for %zu bytes of leaves", capacity);
            source->batch = grown;
            source->capacity = capacity;
        }
        size_t room = source->capacity - source->held, got;
        size_t size = room < wanted - source->held ? room : wanted - source->held;
        pleach_status status = pleach__leaf_source_read(source, source->batch + source->held, size, &got);
        if (status != PLEACH_OK)
            return status;
        source->held += got;
        source->ended = got == 0;
    }
    return PLEACH_OK;
}

static void cut_bytes(pleach__leaf_source *source, pleach_leaves *leaves)
{
    size_t size = source->form.size, count = source->held / size;
    if (count == 0 && source->held > 0) {
        size = source->held;
        count = 1;
    }
    *leaves = (pleach_leaves){.data = source->batch, .size = size, .stride = size, .count = count};
    source->used = size * count;
}

/* What a line ends with. */
static int last_byte(const pleach__leaf_source *source)
{
    return source->form.nul ? '\0' : '\n';
}

static pleach_status cut_lines(pleach__leaf_source *source, size_t end, pleach_leaves *leaves)
{
    const int newline = last_byte(source);
    size_t count = 0, start = 0;
    for (size_t i = 0; i < end; i++)
        count += source->batch[i] == newline || i + 1 == end;
    if (count > source->listed) {
        pleach_input *grown = realloc(source->list, count * sizeof *grown);
        if (grown == NULL)
            return pleach__fail(PLEACH_ENOMEM, "no memory for a list of %zu lines", count);
        source->list = grown;
        source->listed = count;
    }
    for (size_t i = 0; i < count; i++) {
        const uint8_t *line = source->batch + start, *last = memchr(line, newline, end - start);
        size_t size = last != NULL ? (size_t)(last - line) : end - start;
        source->list[i] = (pleach_input){.bytes = line, .size = size};
        start += size + 1;
    }
    *leaves = (pleach_leaves){.list = source->list, .count = count};
    source->used = end;
    return PLEACH_OK;
}

/* Bytes of whole lines in the batch. */
static size_t whole_lines(const pleach__leaf_source *source)
{
    size_t end = source->held;
    while (!source->ended && end > 0 && source->batch[end - 1] != last_byte(source))
        end--;
    return end;
}

pleach_status pleach__leaf_source_next(pleach__leaf_source *source, size_t most, pleach_leaves *leaves)
{
    if (source->used > 0)
        memmove(source->batch, source->batch + source->used, source->held - source->used);
    source->held -= source->used;
    source->used = 0;
    pleach_status status = hold(source, most > source->form.size ? most : source->form.size);
    if (status == PLEACH_OK && source->form.kind != PLEACH__LEAF_LINES)
        cut_bytes(source, leaves);
    if (status != PLEACH_OK || source->form.kind != PLEACH__LEAF_LINES)
        return status;
    size_t end;
    while ((end = whole_lines(source)) == 0 && !source->ended) {
        if (source->held > PLEACH__LEAF_SIZE_MAX)
            return pleach__fail(PLEACH_ERANGE, "a line is longer than %d bytes", PLEACH__LEAF_SIZE_MAX);
        if ((status = hold(source, 2 * source->held)) != PLEACH_OK)
            return status;
    }
    return cut_lines(source, end, leaves);
}

/* A scheme that takes powers of two takes no short last leaf. */
static pleach_status check_whole(const pleach__leaf_source *source, const pleach_scheme *scheme)
{
    size_t over = source->form.size > 0 ? source->held % source->form.size : 0;
    if (over == 0)
        return PLEACH_OK;
    return pleach__fail(PLEACH_EINVAL, "scheme %s takes whole leaves of %zu bytes: the last one has %zu", scheme->name,
                        source->form.size, over);
}

static pleach_status append_batches(pleach__leaf_source *source, pleach_tree *tree, const char *name)
{
    const pleach_scheme *scheme = pleach_tree_scheme(tree);
    bool at_once = scheme->lone == PLEACH_LONE_REFUSED; /* what it refuses of a part it may take of all */
    pleach_leaves leaves;
    pleach_status status;
    (void)pleach__progress(name, pleach__leaf_source_expected(source));
    do {
        status = pleach__leaf_source_next(source, at_once ? SIZE_MAX : BATCH, &leaves);
        if (status == PLEACH_OK && at_once)
            status = check_whole(source, scheme);
        if (status == PLEACH_OK)
            status = pleach_tree_append(tree, &leaves, NULL);
        pleach__progress_add(source->used);
    } while (status == PLEACH_OK && leaves.count > 0);
    return status;
}

pleach_status pleach__leaf_source_append(pleach__leaf_source *source, pleach_tree *tree, const char *name)
{
    if (pleach_tree_size(tree) > 0 || source->form.kind == PLEACH__LEAF_LINES)
        return append_batches(source, tree, name);
    uint64_t expected = pleach__leaf_source_expected(source);
    return pleach_tree_build_stream(tree, source->form.size, pleach__leaf_source_read, source, expected,
                                    pleach__progress(name, expected));
}

/* The single line of a source, or its digest. */
static pleach_status load_line(pleach__leaf_source *source, uint8_t **bytes, size_t *size)
{
    pleach_leaves leaves;
    pleach_status status = pleach__leaf_source_next(source, (size_t)PLEACH__LEAF_SIZE_MAX + 1, &leaves);
    if (status != PLEACH_OK)
        return status;
    if (leaves.count != 1 || !source->ended)
        return pleach__fail(PLEACH_EINVAL, "not a single line");
    const uint8_t *line = leaves.list != NULL ? leaves.list[0].bytes : leaves.data;
    *size = leaves.list != NULL ? leaves.list[0].size : leaves.size;
    *bytes = malloc(*size + 1);
    if (*bytes == NULL)
        return pleach__fail(PLEACH_ENOMEM, "no memory for a line of %zu bytes", *size);
    memcpy(*bytes, line, *size);
    return PLEACH_OK;
}

pleach_status pleach__leaf_load(const pleach__leaf_form *form, const char *path, uint8_t **bytes, size_t *size)
{
    pleach__leaf_source source;
    pleach_status status = pleach__leaf_source_open(&source, form, path);
    if (status != PLEACH_OK)
        return status;
    status = form->kind == PLEACH__LEAF_BYTES ? pleach__span_load(&source.span, PLEACH__LEAF_SIZE_MAX, bytes, size)
                                              : load_line(&source, bytes, size);
    pleach__leaf_source_close(&source);
    return status;
}
