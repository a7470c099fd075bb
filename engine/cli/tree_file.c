/*
 * A tree is written to a file beside it, which then takes its name. That file's name is always the same: it serves as
 * the lock, and what a killed command leaves of it is overwritten by the next.
 */
#define _GNU_SOURCE /* flock(), realpath() */
#include "engine/cli/tree_file.h"

#include "config/error.h"
#include "engine/cli/input.h"
#include "engine/cli/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[] = "pleachTR", suffix[] = ".pleach-new";

enum { TRIES = 100, MODE = 0666, BUFFER = 1 << 16 };

static bool is_damage(pleach_status status)
{
    return status == PLEACH_EFORMAT || status == PLEACH_EVERSION || status == PLEACH_ETRUNCATED ||
           status == PLEACH_ETRAILING || status == PLEACH_ECHECKSUM;
}

pleach_status pleach__tree_load(const char *path, pleach_pool *pool, pleach_tree **tree)
{
    pleach__span span;
    uint64_t size;
    pleach_status status = pleach__source_open(path, &span, &size);
    if (status != PLEACH_OK)
        return status;
    status = pleach_tree_parse(tree, pool, pleach__span_read, &span, pleach__progress(path, size));
    pleach__span_close(&span);
    return is_damage(status) ? pleach__fail(status, "no tree, or a damaged one: %s", pleach_last_error()) : status;
}

static pleach_status failed(const char *path)
{
    return pleach__fail(PLEACH_EIO, "%s: %s", path, strerror(errno));
}

/* Finds where the file is, and where its replacement goes. */
static pleach_status name_files(pleach__tree_file *file, const char *path)
{
    if (strcmp(path, "-") == 0)
        return pleach__fail(PLEACH_EINVAL, "-: a tree that changes is in a file");
    file->path = realpath(path, NULL);
    if (file->path == NULL)
        file->path = strdup(path);
    file->temporary = file->path != NULL ? malloc(strlen(file->path) + sizeof suffix) : NULL;
    if (file->temporary == NULL)
        return failed(path);
    (void)strcat(strcpy(file->temporary, file->path), suffix);
    return PLEACH_OK;
}

/* Finds out what is to be replaced, and whether it may be. */
static pleach_status look(pleach__tree_file *file, const char *path)
{
    char begin[sizeof magic - 1];
    struct stat status;
    file->exists = lstat(file->path, &status) == 0;
    if (!file->exists)
        return errno == ENOENT ? PLEACH_OK : failed(path);
    if (!S_ISREG(status.st_mode))
        return pleach__fail(PLEACH_EIO, "%s: not a regular file", path);
    int old = access(file->path, W_OK) == 0 ? open(file->path, O_RDONLY | O_CLOEXEC) : -1;
    if (old < 0)
        return failed(path);
    file->is_tree = read(old, begin, sizeof begin) == (ssize_t)sizeof begin && memcmp(begin, magic, sizeof begin) == 0;
    (void)close(old);
    return PLEACH_OK;
}

/* A lock on a file that has lost its name, to its owner's rename, locks nothing: then *held is false. */
static pleach_status try_lock(pleach__tree_file *file, const char *path, bool *held)
{
    struct stat opened, named;
    *held = false;
    file->file = open(file->temporary, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, MODE);
    if (file->file < 0 || fstat(file->file, &opened) != 0)
        return failed(file->temporary);
    if (flock(file->file, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? pleach__fail(PLEACH_EBUSY, "%s: another command is changing it", path)
                                    : failed(file->temporary);
    *held = S_ISREG(opened.st_mode) && opened.st_nlink == 1 && lstat(file->temporary, &named) == 0 &&
            opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
    return PLEACH_OK;
}

pleach_status pleach__tree_file_begin(pleach__tree_file *file, const char *path)
{
    bool held = false;
    *file = (pleach__tree_file){.file = -1};
    pleach_status status = name_files(file, path);
    for (int i = 0; i < TRIES && status == PLEACH_OK && !held; i++) {
        status = try_lock(file, path, &held);
        if (!held && file->file >= 0) {
            (void)close(file->file);
            file->file = -1;
        }
    }
    if (status == PLEACH_OK)
        status = held ? look(file, path) : pleach__fail(PLEACH_EIO, "%s: cannot be locked", file->temporary);
    if (status != PLEACH_OK)
        pleach__tree_file_end(file);
    return status;
}

/* Collects small writes. */
typedef struct writing {
    int file;
    size_t filled;
    uint8_t buffer[BUFFER];
} writing;

static pleach_status flush(writing *w)
{
    for (size_t done = 0; done < w->filled;) {
        ssize_t n = write(w->file, w->buffer + done, w->filled - done);
        if (n < 0 && errno != EINTR)
            return pleach__fail(PLEACH_EIO, "%s", strerror(errno));
        done += n > 0 ? (size_t)n : 0;
    }
    pleach__progress_add(w->filled);
    w->filled = 0;
    return PLEACH_OK;
}

static pleach_status take(void *context, const uint8_t *bytes, size_t size)
{
    writing *w = context;
    while (size > 0) {
        size_t part = size < sizeof w->buffer - w->filled ? size : sizeof w->buffer - w->filled;
        memcpy(w->buffer + w->filled, bytes, part);
        w->filled += part;
        bytes += part;
        size -= part;
        pleach_status status = w->filled == sizeof w->buffer ? flush(w) : PLEACH_OK;
        if (status != PLEACH_OK)
            return status;
    }
    return PLEACH_OK;
}

static pleach_status write_tree(const pleach__tree_file *file, const pleach_tree *tree)
{
    writing w = {.file = file->file};
    struct stat old;
    (void)pleach__progress(file->path, pleach_tree_serialised_size(tree));
    if (ftruncate(file->file, 0) != 0 || lseek(file->file, 0, SEEK_SET) != 0)
        return failed(file->temporary);
    if (file->exists && stat(file->path, &old) == 0)
        (void)fchmod(file->file, old.st_mode & 07777);
    pleach_status status = pleach_tree_serialise(tree, take, &w);
    if (status == PLEACH_OK)
        status = flush(&w);
    if (status != PLEACH_OK)
        return pleach__fail(status, "%s: %s", file->temporary, pleach_last_error());
    return fsync(file->file) == 0 ? PLEACH_OK : failed(file->temporary);
}

/* A rename is on the disk when the directory is. */
static pleach_status sync_directory(const char *path)
{
    char *copy = strdup(path);
    const char *name = copy != NULL ? dirname(copy) : NULL;
    int directory = name != NULL ? open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    bool synced = directory >= 0 && (fsync(directory) == 0 || errno == EINVAL);
    pleach_status status = synced ? PLEACH_OK : failed(path);
    if (directory >= 0)
        (void)close(directory);
    free(copy);
    return status;
}

pleach_status pleach__tree_file_commit(pleach__tree_file *file, const pleach_tree *tree)
{
    pleach_status status = write_tree(file, tree);
    if (status != PLEACH_OK)
        return status;
    if (rename(file->temporary, file->path) != 0)
        return failed(file->path);
    (void)close(file->file);
    file->file = -1;
    return sync_directory(file->path);
}

void pleach__tree_file_end(pleach__tree_file *file)
{
    if (file->file >= 0) {
        (void)unlink(file->temporary);
        (void)close(file->file);
    }
    free(file->temporary);
    free(file->path);
    *file = (pleach__tree_file){.file = -1};
}

int pleach__with_tree(const pleach__options *options, int count, char **operands, pleach__use_tree use)
{
    int code = PLEACH__EXIT_OK;
    pleach_tree *tree = NULL;
    pleach_pool *pool = pleach__open_pool(&options->config, &code);
    if (pool == NULL)
        return code;
    pleach_status status = pleach__tree_load(operands[0], pool, &tree);
    pleach__progress_clear();
    if (status == PLEACH_OK) {
        code = use(options, pool, tree, count, operands);
    } else {
        pleach__complain("%s: %s", operands[0], pleach_last_error());
        code = PLEACH__EXIT_FAILED;
    }
    pleach_tree_destroy(tree);
    (void)pleach_pool_destroy(pool);
    return code;
}
