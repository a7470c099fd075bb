/*
 * The content is written to a file beside it, which then takes its name. That file's name is always the same: it serves
 * as the lock, and what a killed command leaves of it is overwritten by the next.
 */
#define _GNU_SOURCE /* flock(), realpath() */
#include "engine/cli/replacement.h"

#include "config/error.h"
#include "engine/cli/progress.h"
#include "engine/file_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char suffix[] = ".pleach-new";

enum { KIND_SIZE = 8, TRIES = 100, MODE = 0666 };

static pleach_status failed(const char *path)
{
    return pleach__fail(PLEACH_EIO, "%s: %s", path, strerror(errno));
}

/* Finds where the file is, and where its replacement goes. */
static pleach_status name_files(pleach__replacement *r, const char *path)
{
    if (strcmp(path, "-") == 0)
        return pleach__fail(PLEACH_EINVAL, "-: what changes is in a file");
    r->path = realpath(path, NULL);
    if (r->path == NULL)
        r->path = strdup(path);
    r->temporary = r->path != NULL ? malloc(strlen(r->path) + sizeof suffix) : NULL;
    if (r->temporary == NULL)
        return failed(path);
    (void)strcat(strcpy(r->temporary, r->path), suffix);
    return PLEACH_OK;
}

/* Finds out what is to be replaced, and whether it may be. */
static pleach_status look(pleach__replacement *r, const char *path, const char *kind)
{
    char begin[KIND_SIZE];
    struct stat status;
    r->exists = lstat(r->path, &status) == 0;
    if (!r->exists)
        return errno == ENOENT ? PLEACH_OK : failed(path);
    if (!S_ISREG(status.st_mode))
        return pleach__fail(PLEACH_EIO, "%s: not a regular file", path);
    int old = access(r->path, W_OK) == 0 ? open(r->path, O_RDONLY | O_CLOEXEC) : -1;
    if (old < 0)
        return failed(path);
    r->is_kind = read(old, begin, sizeof begin) == (ssize_t)sizeof begin && memcmp(begin, kind, sizeof begin) == 0;
    (void)close(old);
    return PLEACH_OK;
}

/* A lock on a file that has lost its name, to its owner's rename, locks nothing: then *held is false. */
static pleach_status try_lock(pleach__replacement *r, const char *path, bool *held)
{
    struct stat opened, named;
    *held = false;
    r->file = open(r->temporary, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, MODE);
    if (r->file < 0 || fstat(r->file, &opened) != 0)
        return failed(r->temporary);
    if (flock(r->file, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? pleach__fail(PLEACH_EBUSY, "%s: another command is changing it", path)
                                    : failed(r->temporary);
    *held = S_ISREG(opened.st_mode) && opened.st_nlink == 1 && lstat(r->temporary, &named) == 0 &&
            opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
    return PLEACH_OK;
}

pleach_status pleach__replacement_begin(pleach__replacement *r, const char *path, const char *kind)
{
    bool held = false;
    *r = (pleach__replacement){.file = -1};
    pleach_status status = name_files(r, path);
    for (int i = 0; i < TRIES && status == PLEACH_OK && !held; i++) {
        status = try_lock(r, path, &held);
        if (!held && r->file >= 0) {
            (void)close(r->file);
            r->file = -1;
        }
    }
    if (status == PLEACH_OK)
        status = held ? look(r, path, kind) : pleach__fail(PLEACH_EIO, "%s: cannot be locked", r->temporary);
    if (status != PLEACH_OK)
        pleach__replacement_end(r);
    return status;
}

static pleach_status write_all(const pleach__replacement *r, pleach__serialise serialise, const void *content,
                               uint64_t size)
{
    pleach__file_writer w = {.file = r->file, .wrote = pleach__progress_add};
    struct stat old;
    (void)pleach__progress(r->path, size);
    if (ftruncate(r->file, 0) != 0 || lseek(r->file, 0, SEEK_SET) != 0)
        return failed(r->temporary);
    if (r->exists && stat(r->path, &old) == 0)
        (void)fchmod(r->file, old.st_mode & 07777);
    pleach_status status = serialise(content, pleach__file_write, &w);
    if (status == PLEACH_OK)
        status = pleach__file_finish(&w);
    return status == PLEACH_OK ? PLEACH_OK : pleach__fail(status, "%s: %s", r->temporary, pleach_last_error());
}

static pleach_status sync_directory(const char *path)
{
    char *copy = strdup(path);
    const char *name = copy != NULL ? dirname(copy) : NULL;
    int directory = name != NULL ? open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    bool synced = directory >= 0 && pleach__directory_sync(directory);
    pleach_status status = synced ? PLEACH_OK : failed(path);
    if (directory >= 0)
        (void)close(directory);
    free(copy);
    return status;
}

pleach_status pleach__replacement_commit(pleach__replacement *r, pleach__serialise serialise, const void *content,
                                         uint64_t size)
{
    pleach_status status = write_all(r, serialise, content, size);
    if (status != PLEACH_OK)
        return status;
    if (rename(r->temporary, r->path) != 0)
        return failed(r->path);
    (void)close(r->file);
    r->file = -1;
    return sync_directory(r->path);
}

void pleach__replacement_end(pleach__replacement *r)
{
    if (r->file >= 0) {
        (void)unlink(r->temporary);
        (void)close(r->file);
    }
    free(r->temporary);
    free(r->path);
    *r = (pleach__replacement){.file = -1};
}
