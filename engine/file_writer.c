#define _GNU_SOURCE
#include "engine/file_writer.h"

#include "config/error.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static pleach_status failed(void)
{
    return pleach__fail(PLEACH_EIO, "%s", strerror(errno));
}

static pleach_status flush(pleach__file_writer *w)
{
    for (size_t done = 0; done < w->filled;) {
        ssize_t n = write(w->file, w->buffer + done, w->filled - done);
        if (n < 0 && errno != EINTR)
            return failed();
        done += n > 0 ? (size_t)n : 0;
    }
    if (w->wrote != NULL)
        w->wrote(w->filled);
    w->filled = 0;
    return PLEACH_OK;
}

pleach_status pleach__file_write(void *context, const uint8_t *bytes, size_t size)
{
    pleach__file_writer *w = context;
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

pleach_status pleach__file_finish(pleach__file_writer *writer)
{
    pleach_status status = flush(writer);
    if (status != PLEACH_OK)
        return status;
    return fsync(writer->file) == 0 ? PLEACH_OK : failed();
}

bool pleach__directory_sync(int directory)
{
    return fsync(directory) == 0 || errno == EINVAL;
}
