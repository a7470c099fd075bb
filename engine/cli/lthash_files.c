#define _POSIX_C_SOURCE 200809L /* fstat() */
#include "config/error.h"
#include "config/little_endian.h"
#include "engine/cli/input.h"
#include "engine/cli/lthash_items.h"
#include "engine/cli/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PIECE = 1 << 20 };

typedef struct walking {
    pleach__lthash_items *items;
    pleach_lthash_stream *stream;
    uint8_t *piece;
    size_t outside; /* characters of a name that come before its path within the directory */
    bool failed;
} walking;

/* The state would then be that of itself. */
static bool is_state(const pleach__lthash_items *items, int file)
{
    struct stat locked, read;
    return items->locked >= 0 && fstat(items->locked, &locked) == 0 && fstat(file, &read) == 0 &&
           locked.st_dev == read.st_dev && locked.st_ino == read.st_ino;
}

/* The part of a pair that comes before the value. */
static pleach_status begin_pair(const walking *w, const char *key, uint64_t size)
{
    const size_t key_size = strlen(key);
    uint8_t number[4];
    if (size > UINT32_MAX || key_size > UINT32_MAX)
        return pleach__fail(PLEACH_ERANGE, "4 GiB or more: a pair has no place for it");
    pleach__put32(number, (uint32_t)key_size);
    pleach_status status = pleach_lthash_part(w->stream, number, sizeof number);
    if (status == PLEACH_OK)
        status = pleach_lthash_part(w->stream, (const uint8_t *)key, key_size);
    pleach__put32(number, (uint32_t)size);
    return status == PLEACH_OK ? pleach_lthash_part(w->stream, number, sizeof number) : status;
}

static pleach_status take_file(const walking *w, const char *key, int file, uint64_t size)
{
    pleach__span span = {.file = file, .left = UINT64_MAX};
    uint64_t total = 0;
    size_t got = 0;
    if (is_state(w->items, file))
        return pleach__fail(PLEACH_EINVAL, "the state is kept in the directory that it is of");
    pleach_status status = pleach__span_read(&span, w->piece, PIECE, &got);
    if (status == PLEACH_OK && size == 0 && got == 0)
        return PLEACH_OK;
    if (status == PLEACH_OK)
        status = begin_pair(w, key, size);
    while (status == PLEACH_OK && got > 0) {
        total += got;
        pleach__progress_add(got);
        status = pleach_lthash_part(w->stream, w->piece, got);
        if (status == PLEACH_OK)
            status = pleach__span_read(&span, w->piece, PIECE, &got);
    }
    if (status == PLEACH_OK && total != size)
        return pleach__fail(PLEACH_EIO, "it changed while it was read");
    return status == PLEACH_OK
               ? pleach_lthash_end(w->stream, w->items->sum, w->items->action, PLEACH_LTHASH_EMPTY_HASHED)
               : status;
}

static pleach_status visit(void *context, const char *name, int file, uint64_t size)
{
    walking *w = context;
    if (take_file(w, name + w->outside, file, size) == PLEACH_OK) {
        w->items->count += size > 0;
        return PLEACH_OK;
    }
    pleach__complain("%s: %s", name, pleach_last_error());
    w->failed = true;
    return PLEACH_ECANCELED; /* the stream may be amid an item */
}

/* Visits the files of a directory that is there; exit code. */
static int walk(pleach__lthash_items *items, char *directory)
{
    const size_t length = strlen(directory);
    walking w = {.items = items, .outside = length + (directory[length - 1] != '/'), .piece = malloc(PIECE)};
    pleach_status status = w.piece != NULL ? pleach_lthash_begin(&w.stream, items->pool, items->sum)
                                           : pleach__fail(PLEACH_ENOMEM, "no memory for files");
    if (status == PLEACH_OK) {
        (void)pleach__progress(directory, 0);
        w.failed |= pleach__visit_files(1, &directory, visit, &w) != PLEACH_OK;
    } else {
        pleach__complain("%s", pleach_last_error());
    }
    pleach_lthash_stream_destroy(w.stream);
    free(w.piece);
    return status == PLEACH_OK && !w.failed ? PLEACH__EXIT_OK : PLEACH__EXIT_FAILED;
}

int pleach__lthash_files_take(pleach__lthash_items *items, char *directory)
{
    struct stat found;
    bool is_found = stat(directory, &found) == 0;
    if (is_found && S_ISDIR(found.st_mode))
        return walk(items, directory);
    pleach__complain("%s: %s", directory, is_found ? "not a directory" : strerror(errno));
    return PLEACH__EXIT_FAILED;
}
