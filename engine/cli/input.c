#define _GNU_SOURCE /* openat(), fdopendir() and friends */
#include "engine/cli/input.h"

#include "config/error.h"
#include "engine/cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOAD_FIRST = 1 << 16 };

typedef struct walk {
    pleach__visit visit;
    void *context;
    pleach_status first_failure;
    bool ended;
} walk;

pleach_status pleach__span_read(void *context, uint8_t *buffer, size_t size, size_t *got)
{
    pleach__span *span = context;
    size_t wanted = size < span->left ? size : (size_t)span->left;
    size_t filled = 0;
    while (span->file >= 0 && filled < wanted) {
        ssize_t n = read(span->file, buffer + filled, wanted - filled);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return pleach__fail(PLEACH_EIO, "%s", strerror(errno));
        if (n == 0)
            break;
        filled += (size_t)n;
    }
    if (span->file < 0 && wanted > 0) {
        memcpy(buffer, span->data, wanted);
        span->data += wanted;
        filled = wanted;
    }
    if (span->left != UINT64_MAX)
        span->left -= filled;
    *got = filled;
    return PLEACH_OK;
}

pleach_status pleach__span_part(const pleach__span *whole, uint64_t offset, uint64_t size, pleach__span *part)
{
    if (offset > whole->left || size > whole->left - offset)
        return pleach__fail(PLEACH_ERANGE, "bytes %" PRIu64 " to %" PRIu64 " of %" PRIu64, offset, offset + size,
                            whole->left);
    if (whole->file >= 0 && lseek(whole->file, (off_t)offset, SEEK_SET) < 0)
        return pleach__fail(PLEACH_EIO, "%s", strerror(errno));
    *part = (pleach__span){.file = whole->file, .left = size};
    if (whole->file < 0)
        part->data = whole->data + offset;
    return PLEACH_OK;
}

pleach_status pleach__span_open(const char *path, pleach__span *span)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return pleach__fail(PLEACH_EIO, "%s", strerror(errno));
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        (void)close(file);
        return pleach__fail(PLEACH_EIO, "not a regular file");
    }
    *span = (pleach__span){.file = file, .left = (uint64_t)status.st_size};
    return PLEACH_OK;
}

pleach_status pleach__source_open(const char *path, pleach__span *span, uint64_t *size)
{
    struct stat status;
    int file = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return pleach__fail(PLEACH_EIO, "%s", strerror(errno));
    *span = (pleach__span){.file = file, .left = UINT64_MAX};
    *size = fstat(file, &status) == 0 && S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
    return PLEACH_OK;
}

void pleach__span_close(const pleach__span *span)
{
    if (span->file > STDIN_FILENO)
        (void)close(span->file);
}

pleach_status pleach__span_load(pleach__span *span, size_t most, uint8_t **bytes, size_t *size)
{
    size_t capacity = 0, filled = 0, got = 1;
    uint8_t *buffer = NULL;
    pleach_status status = PLEACH_OK;
    while (status == PLEACH_OK && got > 0 && filled <= most) {
        if (capacity - filled < 2) {
            capacity = capacity == 0 ? LOAD_FIRST : 2 * capacity;
            uint8_t *grown = realloc(buffer, capacity);
            if (grown == NULL)
                status = pleach__fail(PLEACH_ENOMEM, "no memory for %zu bytes", capacity);
            else
                buffer = grown;
        }
        if (status == PLEACH_OK)
            status = pleach__span_read(span, buffer + filled, capacity - filled - 1, &got);
        if (status == PLEACH_OK)
            filled += got;
    }
    if (status == PLEACH_OK && filled > most)
        status = pleach__fail(PLEACH_ERANGE, "longer than %zu bytes", most);
    if (status != PLEACH_OK) {
        free(buffer);
        return status;
    }
    buffer[filled] = 0;
    *bytes = buffer;
    *size = filled;
    return PLEACH_OK;
}

static void note(walk *w, pleach_status status)
{
    if (w->first_failure == PLEACH_OK && status != PLEACH_ECANCELED)
        w->first_failure = status;
    w->ended |= status == PLEACH_ECANCELED;
}

static void cannot_read(walk *w, const char *path)
{
    pleach__complain("%s: %s", path, strerror(errno));
    note(w, PLEACH_EIO);
}

/* Directories carry a trailing '/', so that comparing names compares whole paths. */
typedef struct names {
    char **name;
    size_t count;
} names;

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_names(names *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->name[i]);
    free(list->name);
}

static char *join(const char *directory, const char *name, const char *end)
{
    size_t length = strlen(directory);
    const char *slash = length > 0 && directory[length - 1] != '/' ? "/" : "";
    size_t size = length + strlen(slash) + strlen(name) + strlen(end) + 1;
    char *path = malloc(size);
    if (path != NULL)
        (void)snprintf(path, size, "%s%s%s%s", directory, slash, name, end);
    return path;
}

/* The names of what is to be read in a directory; false with errno set. */
static bool list_directory(DIR *directory, names *list)
{
    struct dirent *entry;
    while (errno = 0, (entry = readdir(directory)) != NULL) {
        struct stat status;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (fstatat(dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            status.st_mode = S_IFREG; /* opening it will say what is wrong */
        if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
            continue;
        char **grown = realloc(list->name, (list->count + 1) * sizeof *grown);
        if (grown == NULL)
            return false;
        list->name = grown;
        list->name[list->count] = join("", entry->d_name, S_ISDIR(status.st_mode) ? "/" : "");
        if (list->name[list->count] == NULL)
            return false;
        list->count++;
    }
    return errno == 0;
}

static void visit_path(walk *w, const char *path);

/* Closes the descriptor. */
static void visit_directory(walk *w, const char *path, int file)
{
    names list = {0};
    DIR *directory = fdopendir(file);
    if (directory == NULL) {
        cannot_read(w, path);
        (void)close(file);
        return;
    }
    if (!list_directory(directory, &list))
        cannot_read(w, path);
    (void)closedir(directory);
    if (list.count > 0)
        qsort(list.name, list.count, sizeof *list.name, compare);
    for (size_t i = 0; i < list.count && !w->ended; i++) {
        char *child = join(path, list.name[i], "");
        if (child != NULL)
            visit_path(w, child);
        else
            cannot_read(w, path);
        free(child);
    }
    free_names(&list);
}

static void visit_path(walk *w, const char *path)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0) {
        cannot_read(w, path);
        if (file >= 0)
            (void)close(file);
        return;
    }
    if (S_ISDIR(status.st_mode)) {
        visit_directory(w, path, file);
        return;
    }
    note(w, w->visit(w->context, path, file, S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0));
    (void)close(file);
}

pleach_status pleach__visit_files(int count, char **paths, pleach__visit visit, void *context)
{
    walk w = {.visit = visit, .context = context};
    for (int i = 0; i < count && !w.ended; i++) {
        if (strcmp(paths[i], "-") == 0)
            note(&w, visit(context, "-", STDIN_FILENO, 0));
        else
            visit_path(&w, paths[i]);
    }
    return w.first_failure;
}
