#define _GNU_SOURCE /* flock() */
#include "engine/directory.h"

#include "config/error.h"
#include "engine/file_writer.h"
#include "engine/service.h"
#include "engine/state_format.h"
#include "pool/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char last[] = "snapshot", previous[] = "snapshot.previous", aside[] = "snapshot.new", lock[] = "lock";

enum { MODE = 0666 };

const pleach__directory pleach__no_directory = {.file = -1, .lock_file = -1};

static pleach_status failed(const pleach__directory *directory, const char *name)
{
    return pleach__fail(PLEACH_EIO, "%s/%s: %s", directory->path, name, strerror(errno));
}

/* --- whose it is --- */

static pleach_status take_lock(pleach__directory *directory)
{
    directory->lock_file = openat(directory->file, lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, MODE);
    if (directory->lock_file < 0)
        return failed(directory, lock);
    if (flock(directory->lock_file, LOCK_EX | LOCK_NB) == 0)
        return PLEACH_OK;
    if (errno == EWOULDBLOCK)
        return pleach__fail(PLEACH_ELOCKED, "%s: another engine has it", directory->path);
    return failed(directory, lock);
}

static void let_go(pleach__directory *directory)
{
    if (directory->lock_file >= 0)
        (void)close(directory->lock_file); /* and the lock with it */
    if (directory->file >= 0)
        (void)close(directory->file);
    pleach__release(NULL, directory->path, strlen(directory->path) + 1);
    *directory = pleach__no_directory;
}

pleach_status pleach__directory_open(pleach__directory *directory, const char *path)
{
    if (path == NULL)
        return PLEACH_OK;
    const size_t size = strlen(path) + 1;
    pleach__directory made = pleach__no_directory;
    made.path = pleach__allocate(NULL, size);
    if (made.path == NULL)
        return pleach__fail(PLEACH_ENOMEM, "%zu bytes for a path could not be had", size);
    memcpy(made.path, path, size);
    made.file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    pleach_status status =
        made.file >= 0 ? take_lock(&made) : pleach__fail(PLEACH_EIO, "%s: %s", path, strerror(errno));
    if (status == PLEACH_OK && uv_mutex_init(&made.writing) != 0)
        status = pleach__fail(PLEACH_ENOMEM, "%s: a lock could not be had", path);
    if (status == PLEACH_OK)
        *directory = made;
    else
        let_go(&made);
    return status;
}

void pleach__directory_close(pleach__directory *directory)
{
    if (directory->path == NULL)
        return;
    uv_mutex_destroy(&directory->writing);
    let_go(directory);
}

/* --- reading --- */

static pleach_status read_file(void *context, uint8_t *buffer, size_t size, size_t *got)
{
    ssize_t n;
    do
        n = read(*(const int *)context, buffer, size);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return pleach__fail(PLEACH_EIO, "%s", strerror(errno));
    *got = (size_t)n;
    return PLEACH_OK;
}

/* Reads one snapshot; *found is whether there is one. */
static pleach_status read_snapshot(const pleach__directory *directory, const char *name, pleach_pool *pool,
                                   pleach_engine_view **state, bool *found)
{
    int file = openat(directory->file, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    *found = file >= 0 || errno != ENOENT;
    if (file < 0)
        return *found ? failed(directory, name) : PLEACH_OK;
    pleach_status status = pleach__state_parse(pool, read_file, &file, NULL, state);
    (void)close(file);
    return status == PLEACH_OK ? PLEACH_OK
                               : pleach__fail(status, "%s/%s: %s", directory->path, name, pleach_last_error());
}

/* Whether reading failed for what the bytes are, rather than for what this host lacks. */
static bool is_damaged(pleach_status status)
{
    return status == PLEACH_EFORMAT || status == PLEACH_ETRUNCATED || status == PLEACH_ETRAILING ||
           status == PLEACH_ECHECKSUM;
}

pleach_status pleach__directory_restore(pleach__directory *directory, const pleach_config *config, pleach_pool *pool,
                                        pleach_engine_view **state, pleach_engine_restored *restored)
{
    char refusal[PLEACH__ERROR_SIZE] = "";
    bool has_last = false, has_previous = false;
    if (directory->path == NULL)
        return PLEACH_OK;
    pleach_status status = read_snapshot(directory, last, pool, state, &has_last);
    directory->has_last = has_last && status == PLEACH_OK;
    if (directory->has_last)
        *restored = PLEACH_RESTORED_LAST;
    if (directory->has_last || (status != PLEACH_OK && !is_damaged(status)))
        return status;
    if (has_last)
        (void)strcpy(refusal, pleach_last_error());
    status = read_snapshot(directory, previous, pool, state, &has_previous);
    if (status != PLEACH_OK && !is_damaged(status))
        return status;
    if (status == PLEACH_OK && has_previous) {
        pleach__log(config, PLEACH_LOG_WARN, "%s/%s is used, as the last snapshot is not there or is damaged%s%s",
                    directory->path, previous, has_last ? ": " : "", refusal);
        *restored = PLEACH_RESTORED_PREVIOUS;
        return PLEACH_OK;
    }
    if (!has_last && !has_previous)
        return PLEACH_OK;
    return pleach__fail(PLEACH_ESNAPSHOT, "%s", has_last ? refusal : pleach_last_error());
}

/* --- writing --- */

static pleach_status write_aside(const pleach__directory *directory, const pleach_engine_view *state, int file)
{
    pleach__file_writer writer = {.file = file};
    pleach_status status = pleach_engine_state_export(state, pleach__file_write, &writer);
    if (status == PLEACH_OK)
        status = pleach__file_finish(&writer);
    return status == PLEACH_OK ? PLEACH_OK
                               : pleach__fail(status, "%s/%s: %s", directory->path, aside, pleach_last_error());
}

/* In this order there is a whole snapshot under one of the two names at any moment. */
static pleach_status take_place(pleach__directory *directory)
{
    if (directory->has_last) {
        if (renameat(directory->file, last, directory->file, previous) != 0)
            return failed(directory, previous);
        directory->has_last = false;
    }
    if (renameat(directory->file, aside, directory->file, last) != 0)
        return failed(directory, last);
    directory->has_last = true;
    return pleach__directory_sync(directory->file) ? PLEACH_OK : failed(directory, last);
}

static pleach_status write_snapshot(pleach__directory *directory, const pleach_engine_view *state)
{
    int file = openat(directory->file, aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, MODE);
    if (file < 0)
        return failed(directory, aside);
    pleach_status status = write_aside(directory, state, file);
    if (close(file) != 0 && status == PLEACH_OK)
        status = failed(directory, aside);
    if (status == PLEACH_OK)
        status = take_place(directory);
    if (status != PLEACH_OK)
        (void)unlinkat(directory->file, aside, 0);
    return status;
}

pleach_status pleach_engine_snapshot(pleach_engine *engine)
{
    pleach_engine_view *view = NULL;
    if (engine == NULL || engine->directory.path == NULL)
        return pleach__fail(PLEACH_EINVAL, engine == NULL ? "engine = NULL" : "the engine has no directory");
    uv_mutex_lock(&engine->directory.writing);
    pleach_status status = pleach_engine_view_open(engine, PLEACH_ENGINE_LATEST, &view);
    if (status == PLEACH_OK)
        status = write_snapshot(&engine->directory, view);
    pleach_engine_view_close(engine, view);
    uv_mutex_unlock(&engine->directory.writing);
    return status;
}
