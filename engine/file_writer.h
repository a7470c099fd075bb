/* Content on its way to a file: in large pieces, and all of it or an error. */
#ifndef PLEACH_FILE_WRITER_H
#define PLEACH_FILE_WRITER_H

#include "config/config.h"

enum { PLEACH__FILE_BUFFER = 1 << 16 };

typedef struct pleach__file_writer {
    int file;
    void (*wrote)(uint64_t bytes); /* is told of every piece; may be NULL */
    size_t filled;
    uint8_t buffer[PLEACH__FILE_BUFFER];
} pleach__file_writer;

/* A pleach_write; `context` is the writer. PLEACH_EIO; the text has no name of the file. */
pleach_status pleach__file_write(void *context, const uint8_t *bytes, size_t size);

/* Writes what is left, and puts all on the disk. PLEACH_EIO */
pleach_status pleach__file_finish(pleach__file_writer *writer);

/* A rename is on the disk when its directory is. Returns false and leaves errno on failure. */
bool pleach__directory_sync(int directory);

#endif
