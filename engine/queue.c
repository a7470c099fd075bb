/*
 * A loop that is owed something has a port, through which the engine's thread wakes it. Ports come and go with what is
 * owed, so that they keep no loop from ending.
 */
#define _GNU_SOURCE
#include "config/error.h"
#include "engine/service.h"
#include "engine/wakeup.h"
#include "pool/memory.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

typedef struct pleach__port {
    uv_loop_t *loop;
    pleach__wakeup *wakeup;
    pleach_engine *engine;
    struct pleach__port *next;
    size_t owed;                         /* requests of this loop that were not delivered */
    pleach_engine_request *first, *last; /* finished, and to be delivered */
} pleach__port;

struct pleach_engine_request {
    pleach_engine_request *next;
    pleach__port *port;
    pleach_engine_work work; /* NULL: this one closes the engine */
    pleach_engine_done done;
    void *context;
    pleach_monitor monitor;
    pleach_status status;
    char error[PLEACH__ERROR_SIZE];
};

/* --- lists of requests, in their order --- */

static void put(pleach_engine_request **first, pleach_engine_request **last, pleach_engine_request *request)
{
    request->next = NULL;
    if (*first == NULL)
        *first = request;
    else
        (*last)->next = request;
    *last = request;
}

static pleach_engine_request *take(pleach_engine_request **first)
{
    pleach_engine_request *request = *first;
    if (request != NULL)
        *first = request->next;
    return request;
}

/* --- the engine's thread --- */

static bool is_cancelled(const pleach_engine_request *request)
{
    return __atomic_load_n(&request->monitor.cancelled, __ATOMIC_RELAXED) != 0;
}

/* Closes the engine once nothing but this request is owed. */
static pleach_status close_engine(pleach_engine *engine)
{
    pleach__queue *queue = &engine->queue;
    uv_mutex_lock(&queue->lock);
    while (queue->undelivered > 1)
        uv_cond_wait(&queue->changed, &queue->lock);
    uv_mutex_unlock(&queue->lock);
    return pleach__engine_clear(engine);
}

static pleach_status run(pleach_engine *engine, pleach_engine_request *request)
{
    if (request->work == NULL)
        return close_engine(engine);
    if (is_cancelled(request))
        return pleach__fail(PLEACH_ECANCELED, "cancelled before it began");
    return request->work(request->context, engine, &request->monitor);
}

/* Hands a request over to its loop, which may at once retire the port, and be done with the engine too. */
static void finish(pleach__queue *queue, pleach_engine_request *request)
{
    pleach__port *port = request->port;
    uv_mutex_lock(&queue->lock);
    pleach__wakeup *wakeup = port->wakeup;
    queue->running = NULL;
    if (request->work == NULL && request->status != PLEACH_OK)
        queue->closing = false;
    put(&port->first, &port->last, request);
    pleach__wakeup_hold(wakeup);
    uv_mutex_unlock(&queue->lock);
    pleach__wakeup_send(wakeup);
    pleach__wakeup_drop(wakeup);
}

static pleach_engine_request *next_request(pleach__queue *queue)
{
    uv_mutex_lock(&queue->lock);
    while (queue->first == NULL && !(queue->closing && queue->undelivered == 0))
        uv_cond_wait(&queue->changed, &queue->lock);
    pleach_engine_request *request = take(&queue->first);
    queue->running = request;
    uv_mutex_unlock(&queue->lock);
    return request;
}

static void serve(void *context)
{
    pleach_engine *engine = context;
    pleach_engine_request *request;
    bool closed = false;
    while (!closed && (request = next_request(&engine->queue)) != NULL) {
        const unsigned texts = pleach__error_count();
        request->status = run(engine, request);
        closed = request->work == NULL && request->status == PLEACH_OK;
        (void)strcpy(request->error, pleach__error_count() != texts ? pleach_last_error() : "the work failed");
        finish(&engine->queue, request);
    }
}

/* --- the loop's thread --- */

/* Closes a port to which nothing is owed any more. */
static void retire(pleach__queue *queue, pleach__port *port)
{
    pleach__port **link = &queue->ports;
    while (*link != port)
        link = &(*link)->next;
    *link = port->next;
    pleach__wakeup_close(port->wakeup);
    pleach__release(NULL, port, sizeof *port);
}

static void call_back(const pleach_engine_request *request)
{
    if (request->status != PLEACH_OK)
        pleach__set_last_error(request->error);
    if (request->done != NULL)
        request->done(request->context, request->status);
}

/* One request less is owed. Returns whether the port was retired. */
static bool settle(pleach_engine *engine, pleach__port *port)
{
    pleach__queue *queue = &engine->queue;
    uv_mutex_lock(&queue->lock);
    const bool retired = --port->owed == 0;
    if (retired)
        retire(queue, port);
    queue->undelivered--;
    if (queue->closing) /* the engine's thread may be waiting for this; afterwards there may be no engine */
        uv_cond_signal(&queue->changed);
    uv_mutex_unlock(&queue->lock);
    return retired;
}

/* Returns whether the port was retired. */
static bool deliver(pleach_engine *engine, pleach__port *port, pleach_engine_request *request)
{
    const bool closed = request->work == NULL && request->status == PLEACH_OK;
    bool retired;
    if (closed) { /* the last of all requests: what it calls finds no engine */
        retired = settle(engine, port);
        pleach__engine_free(engine);
        call_back(request);
    } else { /* until it returns, it may use the engine */
        call_back(request);
        retired = settle(engine, port);
    }
    pleach__release(NULL, request, sizeof *request);
    return retired;
}

static void deliver_all(void *context)
{
    pleach__port *port = context;
    pleach_engine *engine = port->engine;
    for (bool retired = false; !retired;) {
        uv_mutex_lock(&engine->queue.lock);
        pleach_engine_request *request = take(&port->first);
        uv_mutex_unlock(&engine->queue.lock);
        if (request == NULL)
            return;
        retired = deliver(engine, port, request);
    }
}

/* The loop's port, new if it is owed nothing yet. The queue's lock is held. */
static pleach_status obtain_port(pleach_engine *engine, uv_loop_t *loop, pleach__port **port)
{
    pleach__queue *queue = &engine->queue;
    for (*port = queue->ports; *port != NULL; *port = (*port)->next)
        if ((*port)->loop == loop)
            return PLEACH_OK;
    pleach__port *made = pleach__allocate(NULL, sizeof *made);
    if (made == NULL)
        return pleach__fail(PLEACH_ENOMEM, "%zu bytes for a loop could not be had", sizeof *made);
    *made = (pleach__port){.loop = loop, .engine = engine, .next = queue->ports};
    const pleach_status status = pleach__wakeup_open(&made->wakeup, loop, deliver_all, made);
    if (status != PLEACH_OK) {
        pleach__release(NULL, made, sizeof *made);
        return status;
    }
    queue->ports = made;
    *port = made;
    return PLEACH_OK;
}

static pleach_status start(pleach_engine *engine)
{
    pleach__queue *queue = &engine->queue;
    if (queue->started)
        return PLEACH_OK;
    sigset_t all, old;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old); /* inherited: no handler of the host ever runs on it */
    int error = uv_thread_create(&queue->thread, serve, engine);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (error != 0)
        return pleach__fail(PLEACH_ENOMEM, "the engine's thread could not be started: %s", uv_strerror(error));
    queue->started = true;
    return PLEACH_OK;
}

/* Takes no more, and cancels what there is. The queue's lock is held. */
static void cancel_all(pleach__queue *queue)
{
    queue->closing = true;
    if (queue->running != NULL)
        pleach_monitor_cancel(&queue->running->monitor);
    for (pleach_engine_request *request = queue->first; request != NULL; request = request->next)
        pleach_monitor_cancel(&request->monitor);
}

/* The queue's lock is held. */
static pleach_status accept_locked(pleach_engine *engine, uv_loop_t *loop, pleach_engine_request *request)
{
    pleach__queue *queue = &engine->queue;
    if (queue->closing)
        return pleach__fail(PLEACH_ECLOSED, "the engine is being closed");
    pleach_status status = start(engine);
    if (status == PLEACH_OK)
        status = obtain_port(engine, loop, &request->port);
    if (status != PLEACH_OK)
        return status;
    request->port->owed++;
    queue->undelivered++;
    if (request->work == NULL)
        cancel_all(queue);
    put(&queue->first, &queue->last, request);
    return PLEACH_OK;
}

static pleach_status accept_request(pleach_engine *engine, uv_loop_t *loop, pleach_engine_work work,
                                    pleach_engine_done done, void *context, pleach_engine_request **request)
{
    pleach_engine_request *made = pleach__allocate(NULL, sizeof *made);
    if (made == NULL)
        return pleach__fail(PLEACH_ENOMEM, "%zu bytes for a request could not be had", sizeof *made);
    memset(made, 0, sizeof *made);
    made->work = work;
    made->done = done;
    made->context = context;
    uv_mutex_lock(&engine->queue.lock);
    pleach_status status = accept_locked(engine, loop, made);
    uv_mutex_unlock(&engine->queue.lock);
    if (status != PLEACH_OK) {
        pleach__release(NULL, made, sizeof *made);
        return status;
    }
    uv_cond_signal(&engine->queue.changed); /* without the lock, which the woken thread takes */
    if (request != NULL)
        *request = made;
    return PLEACH_OK;
}

pleach_status pleach_engine_queue(pleach_engine *engine, struct uv_loop_s *loop, pleach_engine_work work,
                                  pleach_engine_done done, void *context, pleach_engine_request **request)
{
    if (engine == NULL || loop == NULL || work == NULL)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", engine == NULL ? "engine" : loop == NULL ? "loop" : "work");
    return accept_request(engine, loop, work, done, context, request);
}

void pleach_engine_cancel(pleach_engine_request *request)
{
    if (request != NULL)
        pleach_monitor_cancel(&request->monitor);
}

pleach_status pleach_engine_close_queue(pleach_engine *engine, struct uv_loop_s *loop, pleach_engine_done closed,
                                        void *context)
{
    if (engine == NULL || loop == NULL)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", engine == NULL ? "engine" : "loop");
    return accept_request(engine, loop, NULL, closed, context, NULL);
}

/* --- its life --- */

pleach_status pleach__queue_open(pleach__queue *queue)
{
    if (uv_mutex_init(&queue->lock) != 0)
        return pleach__fail(PLEACH_ENOMEM, "a lock could not be had");
    if (uv_cond_init(&queue->changed) == 0)
        return PLEACH_OK;
    uv_mutex_destroy(&queue->lock);
    return pleach__fail(PLEACH_ENOMEM, "a condition variable could not be had");
}

void pleach__queue_close(pleach__queue *queue)
{
    uv_mutex_lock(&queue->lock);
    queue->closing = true;
    uv_cond_signal(&queue->changed);
    uv_mutex_unlock(&queue->lock);
    if (queue->started)
        (void)uv_thread_join(&queue->thread);
    uv_cond_destroy(&queue->changed);
    uv_mutex_destroy(&queue->lock);
}
