#define _GNU_SOURCE
#include "loop_watch.h"

#include "tests/trials.h"

#include <stdio.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { TICK_NS = 1000000, LONG_NS = 2000000 };

static uint64_t time_of(clockid_t clock)
{
    struct timespec time;
    (void)clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

uint64_t monotonic_time(void)
{
    return time_of(CLOCK_MONOTONIC);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Milliseconds; 0 if the system does not say. */
static uint64_t stolen_time(void)
{
    unsigned long long ticks = 0;
    FILE *file = fopen("/proc/stat", "r");
    if (file == NULL)
        return 0;
    if (fscanf(file, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &ticks) != 1)
        ticks = 0;
    (void)fclose(file);
    return ticks * 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
}

static void about_to_wait(uv_prepare_t *prepare)
{
    struct loop_watch *watch = prepare->data;
    const uint64_t now = monotonic_time(), idle = uv_metrics_idle_time(prepare->loop),
                   cpu = time_of(CLOCK_THREAD_CPUTIME_ID);
    if (watch->begin > 0) {
        const uint64_t busy = now - watch->begin - (idle - watch->idle);
        watch->turns++;
        watch->long_turns += busy > LONG_NS;
        watch->longest = larger(watch->longest, busy);
        watch->longest_cpu = larger(watch->longest_cpu, cpu - watch->cpu);
    }
    watch->begin = now;
    watch->idle = idle;
    watch->cpu = cpu;
}

static void tick(uv_poll_t *timer, int status, int events)
{
    struct loop_watch *watch = timer->data;
    uint64_t times = 0;
    (void)status, (void)events;
    if (read(watch->file, &times, sizeof times) != (ssize_t)sizeof times)
        return;
    const uint64_t late = monotonic_time() - watch->due;
    watch->ticks++;
    watch->late_ticks += late > LONG_NS;
    watch->latest = larger(watch->latest, late);
    watch->due += times * TICK_NS;
}

void loop_watch_start(struct loop_watch *watch, uv_loop_t *loop)
{
    *watch = (struct loop_watch){.file = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC),
                                 .stolen = stolen_time()};
    assert_true(watch->file >= 0);
    assert_int_equal(uv_loop_configure(loop, UV_METRICS_IDLE_TIME), 0);
    assert_int_equal(uv_prepare_init(loop, &watch->prepare), 0);
    assert_int_equal(uv_poll_init(loop, &watch->timer, watch->file), 0);
    watch->prepare.data = watch->timer.data = watch;
    assert_int_equal(uv_prepare_start(&watch->prepare, about_to_wait), 0);
    assert_int_equal(uv_poll_start(&watch->timer, UV_READABLE, tick), 0);
    watch->due = monotonic_time() + TICK_NS;
    const struct itimerspec times = {
        .it_interval = {.tv_nsec = TICK_NS},
        .it_value = {.tv_sec = (time_t)(watch->due / 1000000000), .tv_nsec = (long)(watch->due % 1000000000)}};
    assert_int_equal(timerfd_settime(watch->file, TFD_TIMER_ABSTIME, &times, NULL), 0);
}

void loop_watch_skip(struct loop_watch *watch)
{
    watch->begin = 0;
}

void loop_watch_stop(struct loop_watch *watch)
{
    watch->stolen = stolen_time() - watch->stolen;
    uv_close((uv_handle_t *)&watch->prepare, NULL);
    uv_close((uv_handle_t *)&watch->timer, NULL);
    (void)close(watch->file);
}

void loop_watch_print(const struct loop_watch *watch)
{
    print_message("  loop: %llu turns, busy for at most %.3f ms (%.3f ms of CPU time), above 2 ms %llu times\n",
                  (unsigned long long)watch->turns, (double)watch->longest / 1e6, (double)watch->longest_cpu / 1e6,
                  (unsigned long long)watch->long_turns);
    print_message("        %llu ticks, late by at most %.3f ms, above 2 ms %llu times; the host took %llu ms\n",
                  (unsigned long long)watch->ticks, (double)watch->latest / 1e6, (unsigned long long)watch->late_ticks,
                  (unsigned long long)watch->stolen);
}
