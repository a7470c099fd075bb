/* A file that is replaced at once or not at all. */
#ifndef PLEACH_REPLACEMENT_H
#define PLEACH_REPLACEMENT_H

#include "merkle/merkle.h"

/* Its lock keeps others from replacing the file meanwhile. */
typedef struct pleach__replacement {
    char *path;      /* of the file, links followed */
    char *temporary; /* of what will take its place */
    int file;        /* open and locked */
    bool exists;
    bool is_kind; /* it begins as what replaces it will */
} pleach__replacement;

/*
 * Locks what is at `path`, or will be; `kind` is the 8 characters that files of its kind begin with. PLEACH_EIO,
 * PLEACH_ENOMEM; PLEACH_EINVAL for standard input; PLEACH_EBUSY if another command replaces it.
 */
pleach_status pleach__replacement_begin(pleach__replacement *replacement, const char *path, const char *kind);

/* Hands all bytes of some content to `write`. */
typedef pleach_status (*pleach__serialise)(const void *content, pleach_write write, void *context);

/* Puts content of so many bytes in the file's place, on the disk when it returns. */
pleach_status pleach__replacement_commit(pleach__replacement *replacement, pleach__serialise serialise,
                                         const void *content, uint64_t size);

/* In any case: what was not committed is gone. */
void pleach__replacement_end(pleach__replacement *replacement);

#endif
