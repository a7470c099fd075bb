/* What the command reads: files, standard input, directories; and memory, where a demonstration wants no disk. */
#ifndef PLEACH_INPUT_H
#define PLEACH_INPUT_H

#include "config/config.h"

/* What is left to read of a file or of memory. */
typedef struct pleach__span {
    int file;            /* descriptor, or -1: memory */
    const uint8_t *data; /* memory */
    uint64_t left;       /* UINT64_MAX: up to the end of the file */
} pleach__span;

/* A pleach_read whose context is a span. */
pleach_status pleach__span_read(void *context, uint8_t *buffer, size_t size, size_t *got);

/* A part of a file or of memory, from `offset` on; of a file, reading it ends what another part was at. */
pleach_status pleach__span_part(const pleach__span *whole, uint64_t offset, uint64_t size, pleach__span *part);

/* Opens a regular file as a span, to be closed. */
pleach_status pleach__span_open(const char *path, pleach__span *span);

/* Opens whatever can be read from its beginning to its end; "-" is standard input. `size` is 0 if unknown. */
pleach_status pleach__source_open(const char *path, pleach__span *span, uint64_t *size);

/* Closes what was opened, but not standard input. */
void pleach__span_close(const pleach__span *span);

/* Reads all of a span, which must not have more than `most` bytes, and one zero byte after it. To be freed. */
pleach_status pleach__span_load(pleach__span *span, size_t most, uint8_t **bytes, size_t *size);

/*
 * Receives an open file, which it does not close; `size` is 0 if unknown. PLEACH_ECANCELED ends the walk; another
 * failure, which the visitor has reported, does not.
 */
typedef pleach_status (*pleach__visit)(void *context, const char *name, int file, uint64_t size);

/*
 * Visits the named files. "-" is standard input. A directory stands for the regular files in it and below, in the byte
 * order of their paths; symbolic links and special files met on the way are left out, but are followed and read where
 * they are named. What cannot be read is reported and skipped. Returns the first failure.
 */
pleach_status pleach__visit_files(int count, char **names, pleach__visit visit, void *context);

#endif
