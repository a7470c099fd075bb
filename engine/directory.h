/*
 * The directory that an engine keeps its snapshots in: "snapshot" is the last, "snapshot.previous" the one before,
 * "snapshot.new" one that is being written, and "lock" whose.
 */
#ifndef PLEACH_DIRECTORY_H
#define PLEACH_DIRECTORY_H

#include "engine/state.h"

#include <uv.h>

typedef struct pleach__directory {
    char *path; /* for texts; NULL = there is no directory */
    int file, lock_file;
    bool has_last; /* "snapshot" is there and whole: worth keeping as the previous one */
    uv_mutex_t writing;
} pleach__directory;

extern const pleach__directory pleach__no_directory;

/* `path` may be NULL. PLEACH_EIO, PLEACH_ELOCKED, PLEACH_ENOMEM; `directory` is as it was then. */
pleach_status pleach__directory_open(pleach__directory *directory, const char *path);

void pleach__directory_close(pleach__directory *directory);

/* Reads the newest snapshot that can be used; *state stays as it is if there is none. Errors as pleach_engine_open().
 */
pleach_status pleach__directory_restore(pleach__directory *directory, const pleach_config *config, pleach_pool *pool,
                                        pleach_engine_view **state, pleach_engine_restored *restored);

#endif
