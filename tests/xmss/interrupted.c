/*
 * Calls of the system that end the process at a chosen place, or fail there; and a disk that keeps what is
 * synchronised, and loses what is not when the process ends.
 */
#define _GNU_SOURCE
#include "keys_test.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

ssize_t __real_pwrite(int file, const void *bytes, size_t size, off_t at);
int __real_fdatasync(int file);
int __real_fsync(int file);
int __real_link(const char *from, const char *to);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t at);
int __wrap_fdatasync(int file);
int __wrap_fsync(int file);
int __wrap_link(const char *from, const char *to);

static struct {
    enum interruption what;
    unsigned at, calls;
    bool is_volatile;
    uint8_t bytes[1 << 14]; /* written, not synchronised */
    size_t size;
    off_t to;
} next;

void interrupt_calls(enum interruption interruption, unsigned n, bool is_volatile)
{
    next.what = interruption;
    next.at = n;
    next.calls = 0;
    next.is_volatile = is_volatile;
    next.size = 0;
}

unsigned calls_made(void)
{
    return next.calls;
}

/* Whether it is this call that is interrupted. */
static bool is_the_one(void)
{
    const bool is = next.what != NO_INTERRUPTION && next.calls == next.at;
    next.calls++;
    if (is && next.what == ENDS_BEFORE)
        _exit(0);
    return is;
}

static void end_after(bool is)
{
    if (is && next.what == ENDS_AFTER)
        _exit(0);
}

static bool fails(bool is)
{
    if (is && next.what == FAILS)
        errno = EIO;
    return is && next.what == FAILS;
}

ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t at)
{
    const bool is = is_the_one();
    if (fails(is))
        return -1;
    if (is && next.what == ENDS_TORN) {
        (void)!__real_pwrite(file, bytes, size > 100 ? 100 : size / 2, at);
        _exit(0);
    }
    if (next.is_volatile && size <= sizeof next.bytes) {
        memcpy(next.bytes, bytes, size);
        next.size = size;
        next.to = at;
        end_after(is);
        return (ssize_t)size;
    }
    const ssize_t written = __real_pwrite(file, bytes, size, at);
    end_after(is);
    return written;
}

static bool keep(int file)
{
    const bool kept = next.size == 0 || __real_pwrite(file, next.bytes, next.size, next.to) == (ssize_t)next.size;
    next.size = 0;
    return kept;
}

int __wrap_fdatasync(int file)
{
    const bool is = is_the_one();
    if (fails(is))
        return -1;
    const int result = keep(file) ? __real_fdatasync(file) : -1;
    end_after(is);
    return result;
}

int __wrap_fsync(int file)
{
    const bool is = is_the_one();
    if (fails(is))
        return -1;
    const int result = __real_fsync(file);
    end_after(is);
    return result;
}

int __wrap_link(const char *from, const char *to)
{
    const bool is = is_the_one();
    if (fails(is))
        return -1;
    const int result = __real_link(from, to);
    end_after(is);
    return result;
}
