/* Work beside a loop. */
#define _GNU_SOURCE
#include "engine_test.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <uv.h>

/* One request, and what became of it. */
struct job {
    struct desk *desk;
    uint64_t number;
    pleach_engine_request *request;
    bool worked;
    unsigned delivered; /* how many were delivered before it; 0 = it was not yet */
    pleach_status status;
    char error[PLEACH__ERROR_SIZE];
};

/* A loop with an engine. */
struct desk {
    uv_loop_t loop;
    pleach_engine *engine;
    _Atomic unsigned worked;
    unsigned delivered;
    uv_thread_t thread; /* the loop's */
    pleach_status closed;
    unsigned closings;
    uv_sem_t gate;
    _Atomic bool arrived;
};

static void open_desk(struct desk *desk, const char *path, unsigned rollback_blocks)
{
    memset(desk, 0, sizeof *desk);
    assert_int_equal(uv_loop_init(&desk->loop), 0);
    assert_int_equal(uv_sem_init(&desk->gate, 0), 0);
    desk->engine = chain_open(path, rollback_blocks);
    desk->thread = uv_thread_self();
    assert_int_equal(chain_objects(desk->engine), PLEACH_OK);
}

/* No handle of the engine is left on the loop. */
static void leave_desk(struct desk *desk)
{
    assert_int_equal(uv_run(&desk->loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(&desk->loop), 0);
    uv_sem_destroy(&desk->gate);
    assert_int_equal(queued_works, 0);
}

static void take_down(void *context, pleach_status status)
{
    struct job *job = context;
    const uv_thread_t self = uv_thread_self();
    assert_true(uv_thread_equal(&self, &job->desk->thread));
    assert_int_equal(job->delivered, 0);
    job->delivered = ++job->desk->delivered;
    job->status = status;
    (void)strcpy(job->error, status != PLEACH_OK ? pleach_last_error() : "");
}

static pleach_status seal_block(void *context, pleach_engine *engine, pleach_monitor *monitor)
{
    struct job *job = context;
    const uv_thread_t self = uv_thread_self();
    job->worked = !uv_thread_equal(&self, &job->desk->thread) && engine == job->desk->engine && monitor != NULL &&
                  atomic_fetch_add(&job->desk->worked, 1) == job->number - 1;
    return chain_block(engine, job->number);
}

static void queue_job(struct desk *desk, struct job *job, pleach_engine_work work)
{
    job->desk = desk;
    assert_int_equal(pleach_engine_queue(desk->engine, &desk->loop, work, take_down, job, &job->request), PLEACH_OK);
    assert_non_null(job->request);
}

static size_t count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    size_t n = 0;
    assert_non_null(tasks);
    for (struct dirent *task; (task = readdir(tasks)) != NULL;)
        n += task->d_name[0] != '.';
    (void)closedir(tasks);
    return n;
}

/* Any number in flight; one thread more than the engine has anyway. */
static void requests_are_worked_off_in_order(void **state)
{
    enum { JOBS = 100 };
    static struct job jobs[JOBS];
    struct desk desk;
    (void)state;
    open_desk(&desk, NULL, 0);
    memset(jobs, 0, sizeof jobs);
    const size_t threads = count_threads();
    for (unsigned i = 0; i < JOBS; i++) {
        jobs[i].number = i + 1;
        queue_job(&desk, &jobs[i], seal_block);
    }
    assert_int_equal(count_threads(), threads + 1);
    expect_failure(pleach_engine_close(desk.engine), PLEACH_EINUSE, "100 requests");
    assert_int_equal(uv_run(&desk.loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(count_threads(), threads + 1);
    for (unsigned i = 0; i < JOBS; i++) {
        assert_true(jobs[i].worked);
        assert_int_equal(jobs[i].status, PLEACH_OK);
        assert_int_equal(jobs[i].delivered, i + 1);
    }
    expect_height(desk.engine, JOBS);
    assert_int_equal(pleach_engine_close(desk.engine), PLEACH_OK);
    for (int i = 0; i < 5000 && count_threads() >= threads; i++)
        uv_sleep(1); /* an emulator lists a thread a little longer than it runs */
    assert_in_range(count_threads(), 1, threads - 1);
    leave_desk(&desk);
}

static pleach_status fail_work(void *context, pleach_engine *engine, pleach_monitor *monitor)
{
    struct job *job = context;
    (void)engine, (void)monitor;
    return job->number == 1 ? pleach__fail(PLEACH_ERANGE, "this went wrong") : (pleach_status)(PLEACH_ETASK + 1);
}

static void failures_reach_the_loop(void **state)
{
    struct desk desk;
    struct job told = {.number = 1}, untold = {.number = 2};
    (void)state;
    open_desk(&desk, NULL, 0);
    queue_job(&desk, &told, fail_work);
    queue_job(&desk, &untold, fail_work);
    assert_int_equal(uv_run(&desk.loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(told.status, PLEACH_ERANGE);
    assert_string_equal(told.error, "this went wrong");
    assert_int_equal(untold.status, PLEACH_ETASK + 1);
    assert_string_equal(untold.error, "the work failed");
    assert_int_equal(pleach_engine_close(desk.engine), PLEACH_OK);
    leave_desk(&desk);
}

/* Holds the engine's thread until it is let go, or cancelled. */
static pleach_status wait_at_gate(void *context, pleach_engine *engine, pleach_monitor *monitor)
{
    struct job *job = context;
    (void)engine;
    job->worked = true;
    atomic_store(&job->desk->arrived, true);
    while (uv_sem_trywait(&job->desk->gate) != 0) {
        if (__atomic_load_n(&monitor->cancelled, __ATOMIC_RELAXED) != 0)
            return pleach__fail(PLEACH_ECANCELED, "stopped at the gate");
        uv_sleep(1);
    }
    return PLEACH_OK;
}

static void await_arrival(struct desk *desk)
{
    while (!atomic_load(&desk->arrived))
        uv_sleep(1);
}

static void requests_can_be_cancelled(void **state)
{
    struct desk desk;
    struct job running = {0}, first = {.number = 1}, dropped = {.number = 2}, second = {.number = 2};
    (void)state;
    open_desk(&desk, NULL, 0);
    queue_job(&desk, &running, wait_at_gate);
    queue_job(&desk, &first, seal_block);
    queue_job(&desk, &dropped, seal_block);
    queue_job(&desk, &second, seal_block);
    await_arrival(&desk);
    pleach_engine_cancel(dropped.request);
    pleach_engine_cancel(running.request);
    assert_int_equal(uv_run(&desk.loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(running.status, PLEACH_ECANCELED);
    assert_string_equal(running.error, "stopped at the gate");
    assert_int_equal(dropped.status, PLEACH_ECANCELED);
    assert_false(dropped.worked);
    assert_int_equal(dropped.delivered, 3);
    assert_true(first.worked && second.worked);
    assert_int_equal(second.delivered, 4);
    expect_height(desk.engine, 2);
    assert_int_equal(pleach_engine_close(desk.engine), PLEACH_OK);
    leave_desk(&desk);
}

static void note_closing(void *context, pleach_status status)
{
    struct desk *desk = context;
    desk->closed = status;
    desk->closings++;
}

static void an_engine_closes_with_work_in_flight(void **state)
{
    struct desk desk;
    struct job running = {0}, waiting[5] = {{0}};
    (void)state;
    open_desk(&desk, NULL, 0);
    queue_job(&desk, &running, wait_at_gate);
    for (unsigned i = 0; i < 5; i++)
        queue_job(&desk, &waiting[i], seal_block);
    await_arrival(&desk);
    assert_int_equal(pleach_engine_close_queue(desk.engine, &desk.loop, note_closing, &desk), PLEACH_OK);
    expect_failure(pleach_engine_queue(desk.engine, &desk.loop, seal_block, NULL, NULL, NULL), PLEACH_ECLOSED,
                   "closed");
    expect_failure(pleach_engine_close_queue(desk.engine, &desk.loop, NULL, NULL), PLEACH_ECLOSED, "closed");
    assert_int_equal(uv_run(&desk.loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(desk.closings, 1);
    assert_int_equal(desk.closed, PLEACH_OK);
    assert_int_equal(running.status, PLEACH_ECANCELED);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(waiting[i].status, PLEACH_ECANCELED);
        assert_false(waiting[i].worked);
        assert_int_equal(waiting[i].delivered, i + 2);
    }
    leave_desk(&desk);
}

static void an_idle_engine_closes_on_a_loop_too(void **state)
{
    struct desk desk;
    (void)state;
    open_desk(&desk, NULL, 0);
    assert_int_equal(pleach_engine_close_queue(desk.engine, &desk.loop, note_closing, &desk), PLEACH_OK);
    assert_int_equal(uv_run(&desk.loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(desk.closings, 1);
    assert_int_equal(desk.closed, PLEACH_OK);
    leave_desk(&desk);
}

static void open_views_keep_it_open(void **state)
{
    struct desk desk;
    struct job job = {.number = 1};
    pleach_engine_view *view = NULL;
    (void)state;
    open_desk(&desk, NULL, 0);
    assert_int_equal(pleach_engine_view_open(desk.engine, PLEACH_ENGINE_LATEST, &view), PLEACH_OK);
    assert_int_equal(pleach_engine_close_queue(desk.engine, &desk.loop, note_closing, &desk), PLEACH_OK);
    assert_int_equal(uv_run(&desk.loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(desk.closed, PLEACH_EINUSE);
    pleach_engine_view_close(desk.engine, view);
    queue_job(&desk, &job, seal_block);
    assert_int_equal(uv_run(&desk.loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(job.status, PLEACH_OK);
    expect_height(desk.engine, 1);
    assert_int_equal(pleach_engine_close_queue(desk.engine, &desk.loop, note_closing, &desk), PLEACH_OK);
    leave_desk(&desk);
    assert_int_equal(desk.closed, PLEACH_OK);
    assert_int_equal(desk.closings, 2);
}

/* A loop that cannot be woken is owed nothing. */
static void descriptors_may_run_out(void **state)
{
    struct desk desk;
    struct job job = {.number = 1};
    struct rlimit limit;
    (void)state;
    open_desk(&desk, NULL, 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){.rlim_cur = 0, .rlim_max = limit.rlim_max}), 0);
    expect_failure(pleach_engine_queue(desk.engine, &desk.loop, seal_block, take_down, &job, NULL), PLEACH_ENOMEM,
                   "too many open files");
    expect_failure(pleach_engine_close_queue(desk.engine, &desk.loop, note_closing, &desk), PLEACH_ENOMEM,
                   "too many open files");
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(uv_run(&desk.loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(job.delivered, 0);
    queue_job(&desk, &job, seal_block);
    assert_int_equal(uv_run(&desk.loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(job.status, PLEACH_OK);
    assert_int_equal(pleach_engine_close(desk.engine), PLEACH_OK);
    leave_desk(&desk);
}

static size_t count_descriptors(void)
{
    DIR *files = opendir("/proc/self/fd");
    size_t n = 0;
    assert_non_null(files);
    while (readdir(files) != NULL)
        n++;
    (void)closedir(files);
    return n;
}

/* What a loop is woken through is gone when it is owed nothing more. */
static void no_descriptors_are_left(void **state)
{
    struct desk desk;
    struct job job = {.number = 0};
    (void)state;
    open_desk(&desk, NULL, 0);
    const size_t before = count_descriptors();
    for (int i = 0; i < 50; i++) {
        job.number++;
        job.delivered = 0;
        queue_job(&desk, &job, seal_block);
        assert_int_equal(uv_run(&desk.loop, UV_RUN_DEFAULT), 0);
        assert_int_equal(job.status, PLEACH_OK);
    }
    assert_int_equal(pleach_engine_close(desk.engine), PLEACH_OK); /* its thread has let go of them */
    assert_in_range(count_descriptors(), 0, before);
    leave_desk(&desk);
}

/* What was done may queue what comes next. */
static void seal_next(void *context, pleach_status status)
{
    struct job *job = context;
    assert_int_equal(status, PLEACH_OK);
    job->delivered++;
    if (++job->number <= 30)
        assert_int_equal(pleach_engine_queue(job->desk->engine, &job->desk->loop, seal_block, seal_next, job, NULL),
                         PLEACH_OK);
    else
        assert_int_equal(pleach_engine_close_queue(job->desk->engine, &job->desk->loop, note_closing, job->desk),
                         PLEACH_OK);
}

static void callbacks_may_queue_more(void **state)
{
    struct desk desk;
    struct job job = {.desk = &desk, .number = 1};
    (void)state;
    open_desk(&desk, NULL, 0);
    assert_int_equal(pleach_engine_queue(desk.engine, &desk.loop, seal_block, seal_next, &job, NULL), PLEACH_OK);
    assert_int_equal(uv_run(&desk.loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(job.delivered, 30);
    assert_int_equal(desk.closed, PLEACH_OK);
    assert_int_equal(desk.closings, 1);
    leave_desk(&desk);
}

/* --- several loops --- */

enum { CLIENTS = 8, EACH = 40 };

struct client {
    struct desk *desk; /* whose engine it is */
    uv_loop_t loop;
    uv_thread_t thread;
    unsigned delivered, failed;
};

/* The next block, whatever others have done meanwhile. */
static pleach_status seal_some_block(void *context, pleach_engine *engine, pleach_monitor *monitor)
{
    uint64_t height = 0;
    pleach_engine_view *view = NULL;
    (void)context, (void)monitor;
    pleach_status status = pleach_engine_view_open(engine, PLEACH_ENGINE_LATEST, &view);
    if (status != PLEACH_OK)
        return status;
    (void)pleach_engine_view_height(view, &height);
    pleach_engine_view_close(engine, view);
    return chain_block(engine, height + 1);
}

static void count_delivery(void *context, pleach_status status)
{
    struct client *client = context;
    const uv_thread_t self = uv_thread_self();
    client->failed += status != PLEACH_OK || !uv_thread_equal(&self, &client->thread);
    client->delivered++;
}

static void be_client(void *context)
{
    struct client *client = context;
    client->thread = uv_thread_self();
    for (unsigned i = 0; i < EACH; i++) {
        client->failed += pleach_engine_queue(client->desk->engine, &client->loop, seal_some_block, count_delivery,
                                              client, NULL) != PLEACH_OK;
        if (i % 3 == 0)
            (void)uv_run(&client->loop, UV_RUN_NOWAIT);
    }
    (void)uv_run(&client->loop, UV_RUN_DEFAULT);
}

static void several_loops_share_an_engine(void **state)
{
    struct desk desk;
    static struct client clients[CLIENTS];
    uv_thread_t threads[CLIENTS];
    (void)state;
    open_desk(&desk, NULL, 2);
    memset(clients, 0, sizeof clients);
    for (int i = 0; i < CLIENTS; i++) {
        clients[i].desk = &desk;
        assert_int_equal(uv_loop_init(&clients[i].loop), 0);
        assert_int_equal(uv_thread_create(&threads[i], be_client, &clients[i]), 0);
    }
    for (int i = 0; i < CLIENTS; i++) {
        assert_int_equal(uv_thread_join(&threads[i]), 0);
        assert_int_equal(clients[i].failed, 0);
        assert_int_equal(clients[i].delivered, EACH);
        assert_int_equal(uv_loop_close(&clients[i].loop), 0);
    }
    expect_height(desk.engine, CLIENTS * EACH);
    assert_int_equal(pleach_engine_close(desk.engine), PLEACH_OK);
    leave_desk(&desk);
}

/* The engine is closed on one loop while others are owed something. */
static void closing_waits_for_other_loops(void **state)
{
    struct desk desk;
    static struct client clients[2];
    (void)state;
    open_desk(&desk, NULL, 2);
    memset(clients, 0, sizeof clients);
    for (int i = 0; i < 2; i++) {
        clients[i].desk = &desk;
        clients[i].thread = desk.thread;
        assert_int_equal(uv_loop_init(&clients[i].loop), 0);
        for (int n = 0; n < 3; n++)
            assert_int_equal(
                pleach_engine_queue(desk.engine, &clients[i].loop, seal_some_block, count_delivery, &clients[i], NULL),
                PLEACH_OK);
    }
    assert_int_equal(pleach_engine_close_queue(desk.engine, &desk.loop, note_closing, &desk), PLEACH_OK);
    uv_sleep(20);
    (void)uv_run(&desk.loop, UV_RUN_NOWAIT);
    assert_int_equal(desk.closings, 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(uv_run(&clients[i].loop, UV_RUN_DEFAULT), 0);
        assert_int_equal(clients[i].delivered, 3);
        assert_int_equal(uv_loop_close(&clients[i].loop), 0);
    }
    leave_desk(&desk);
    assert_int_equal(desk.closings, 1);
    assert_int_equal(desk.closed, PLEACH_OK);
}

int test_queue(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_worked_off_in_order),
        cmocka_unit_test(failures_reach_the_loop),
        cmocka_unit_test(requests_can_be_cancelled),
        cmocka_unit_test(an_engine_closes_with_work_in_flight),
        cmocka_unit_test(an_idle_engine_closes_on_a_loop_too),
        cmocka_unit_test(open_views_keep_it_open),
        cmocka_unit_test(descriptors_may_run_out),
        cmocka_unit_test(no_descriptors_are_left),
        cmocka_unit_test(callbacks_may_queue_more),
        cmocka_unit_test(several_loops_share_an_engine),
        cmocka_unit_test(closing_waits_for_other_loops),
    };
    return cmocka_run_group_tests_name("queue", tests, NULL, NULL);
}
