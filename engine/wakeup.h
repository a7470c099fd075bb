/*
 * Wakes a loop from another thread. libuv's own means, uv_async_t, lets the loop of libuv before 1.45 spin until the
 * thread that wakes it has left uv_async_send(), for as long as that thread has no processor.
 */
#ifndef PLEACH_WAKEUP_H
#define PLEACH_WAKEUP_H

#include "config/config.h"

#include <uv.h>

typedef struct pleach__wakeup pleach__wakeup;

/* On the loop's thread, and keeps the loop alive. `woken` is called with `context` after each call of
   pleach__wakeup_send(), or once for several. PLEACH_ENOMEM; no wakeup is made then. */
pleach_status pleach__wakeup_open(pleach__wakeup **wakeup, uv_loop_t *loop, void (*woken)(void *context),
                                  void *context);

/* On the loop's thread; `woken` is not called any more. */
void pleach__wakeup_close(pleach__wakeup *wakeup);

/* A thread that sends holds the wakeup, which may be closed meanwhile: then sending does nothing. */
void pleach__wakeup_hold(pleach__wakeup *wakeup);
void pleach__wakeup_drop(pleach__wakeup *wakeup);
void pleach__wakeup_send(pleach__wakeup *wakeup);

#endif
