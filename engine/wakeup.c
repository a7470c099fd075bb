#define _GNU_SOURCE
#include "engine/wakeup.h"

#include "config/error.h"
#include "pool/memory.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

struct pleach__wakeup {
    uv_poll_t readable;
    uv_file ends[2]; /* of a pipe: what the loop reads, what other threads write */
    atomic_uint holders;
    void (*woken)(void *context);
    void *context;
};

static void drain(uv_poll_t *readable, int status, int events)
{
    const pleach__wakeup *wakeup = readable->data;
    uint8_t bytes[64];
    (void)status, (void)events;
    while (read(wakeup->ends[0], bytes, sizeof bytes) == (ssize_t)sizeof bytes)
        continue;
    wakeup->woken(wakeup->context);
}

static int start(pleach__wakeup *wakeup, uv_loop_t *loop)
{
    int error = uv_pipe(wakeup->ends, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE);
    if (error != 0)
        return error;
    error = uv_poll_init(loop, &wakeup->readable, wakeup->ends[0]);
    if (error == 0) /* which cannot fail for a handle that was just made */
        (void)uv_poll_start(&wakeup->readable, UV_READABLE, drain);
    else
        (void)close(wakeup->ends[0]), (void)close(wakeup->ends[1]);
    return error;
}

pleach_status pleach__wakeup_open(pleach__wakeup **wakeup, uv_loop_t *loop, void (*woken)(void *context), void *context)
{
    pleach__wakeup *made = pleach__allocate(NULL, sizeof *made);
    if (made == NULL)
        return pleach__fail(PLEACH_ENOMEM, "%zu bytes for a loop could not be had", sizeof *made);
    memset(made, 0, sizeof *made);
    int error = start(made, loop);
    if (error != 0) {
        pleach__release(NULL, made, sizeof *made);
        return pleach__fail(PLEACH_ENOMEM, "a pipe to a loop could not be had: %s", uv_strerror(error));
    }
    atomic_init(&made->holders, 1); /* the loop */
    made->readable.data = made;
    made->woken = woken;
    made->context = context;
    *wakeup = made;
    return PLEACH_OK;
}

static void closed(uv_handle_t *handle)
{
    pleach__wakeup_drop(handle->data);
}

void pleach__wakeup_close(pleach__wakeup *wakeup)
{
    uv_close((uv_handle_t *)&wakeup->readable, closed);
}

void pleach__wakeup_hold(pleach__wakeup *wakeup)
{
    atomic_fetch_add(&wakeup->holders, 1);
}

void pleach__wakeup_drop(pleach__wakeup *wakeup)
{
    if (atomic_fetch_sub(&wakeup->holders, 1) > 1)
        return;
    (void)close(wakeup->ends[0]);
    (void)close(wakeup->ends[1]);
    pleach__release(NULL, wakeup, sizeof *wakeup);
}

/* A pipe that is full wakes the loop as well. */
void pleach__wakeup_send(pleach__wakeup *wakeup)
{
    const uint8_t byte = 0;
    ssize_t sent = write(wakeup->ends[1], &byte, 1);
    (void)sent;
}
