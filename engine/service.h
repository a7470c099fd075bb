/* What an engine is made of, and what its files do for each other. */
#ifndef PLEACH_SERVICE_H
#define PLEACH_SERVICE_H

#include "engine/changes.h"
#include "engine/directory.h"

#include <uv.h>

/* A block that is open has changes, one for each object of the sealed state. */
typedef struct pleach__block {
    bool open;
    uint64_t height;
    uint32_t count;
    pleach__changes *changes;
} pleach__block;

/* Requests, and the thread that works on them. */
typedef struct pleach__queue {
    uv_mutex_t lock;
    uv_cond_t changed; /* a request came, or one was delivered */
    bool started;      /* the thread runs */
    bool closing;
    uv_thread_t thread;
    pleach_engine_request *first, *last; /* not begun */
    pleach_engine_request *running;
    size_t undelivered;         /* whose `done` was not called yet, those not begun included */
    struct pleach__port *ports; /* loops that are owed something */
} pleach__queue;

struct pleach_engine {
    pleach_config config;
    pleach_pool *pool;
    bool owns_pool;
    pleach_engine_restored restored;
    size_t kept_most;
    uv_mutex_t lock;             /* of the sealed states: writers take it to change them, readers to read them */
    pleach_engine_view **states; /* the newest last; there is always one */
    size_t kept;
    atomic_size_t views;
    pleach__block block;
    pleach__directory directory;
    pleach__queue queue;
};

/* The newest sealed state, for a writer. */
static inline pleach_engine_view *pleach__newest(const pleach_engine *engine)
{
    return engine->states[engine->kept - 1];
}

/* Make a state the newest: after all others, in the place of the newest, or in that of all. */
typedef enum pleach__placing { PLEACH__AFTER, PLEACH__REPLACING, PLEACH__ALONE } pleach__placing;
void pleach__publish(pleach_engine *engine, pleach_engine_view *state, pleach__placing placing);

/* Everything but the queue, whose thread may call it. PLEACH_EINUSE if views are open, PLEACH_EBUSY as
   pleach_pool_destroy(): nothing happened then. */
pleach_status pleach__engine_clear(pleach_engine *engine);

/* What is left of an engine that was cleared; waits for its thread to end. */
void pleach__engine_free(pleach_engine *engine);

void pleach__block_drop(pleach_engine *engine);

/* PLEACH_ENOMEM */
pleach_status pleach__queue_open(pleach__queue *queue);

/* Ends the thread; nothing is undelivered. */
void pleach__queue_close(pleach__queue *queue);

#endif
