#define _XOPEN_SOURCE 700 /* clock_gettime, getrusage */
#include "bench/clock.h"

#include <sys/resource.h>
#include <time.h>

enum {
    CHAIN = 16384,       /* additions of a calibration loop */
    CALIBRATIONS = 2000, /* until the best that the core does is known */
};

/* How far two measurements of one thing may lie apart; how far throughput may fall below the best that was seen. */
static const double tolerance = 0.02, contention = 0.06;

static double clock_ns(clockid_t clock)
{
    struct timespec time;
    (void)clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

double pleach__bench_now(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

double pleach__bench_processor(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

double pleach__bench_processors(void)
{
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

double pleach__bench_switches(void)
{
    struct rusage usage = {.ru_nivcsw = 0};
    (void)getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_nivcsw;
}

#define HIDE(x) __asm__ volatile("" : "+r"(x))
/* An addition of a constant may be removed where registers are renamed; that of a register is not. */
#define ADD(x)      \
    do {            \
        (x) += one; \
        HIDE(x);    \
    } while (0)
#define ADD_4(x) \
    ADD(x);      \
    ADD(x);      \
    ADD(x);      \
    ADD(x)

static double cycle(void)
{
    unsigned long a = 0, one = 1;
    HIDE(one);
    double start = pleach__bench_now();
    for (int i = 0; i < CHAIN / 16; i++) {
        ADD_4(a);
        ADD_4(a);
        ADD_4(a);
        ADD_4(a);
    }
    return (pleach__bench_now() - start) / CHAIN;
}

/* Nanoseconds of an addition among eight independent chains: more if another thread has a part of this core. */
static double issue(void)
{
    unsigned long a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, one = 1;
    HIDE(one);
    double start = pleach__bench_now();
    for (int i = 0; i < CHAIN / 4; i++) {
        ADD(a);
        ADD(b);
        ADD(c);
        ADD(d);
        ADD(e);
        ADD(f);
        ADD(g);
        ADD(h);
    }
    return (pleach__bench_now() - start) / (2 * CHAIN);
}

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

static pleach__bench_pace best; /* of all, each figure by itself */

pleach__bench_pace pleach__bench_pace_now(void)
{
    pleach__bench_pace now;
    double nanoseconds = issue();
    now.cycle = cycle();
    now.issue = nanoseconds / now.cycle;
    best.cycle = lesser(best.cycle, now.cycle);
    /* A disturbed chain makes additions look fast. */
    if (now.cycle <= best.cycle * (1 + tolerance))
        best.issue = lesser(best.issue, now.issue);
    return now;
}

void pleach__bench_calibrate(void)
{
    best = (pleach__bench_pace){cycle(), 1e9};
    for (int i = 0; i < CALIBRATIONS; i++)
        best.cycle = lesser(best.cycle, cycle());
    for (int i = 0; i < CALIBRATIONS; i++)
        (void)pleach__bench_pace_now();
}

double pleach__bench_best_cycle(void)
{
    return best.cycle;
}

double pleach__bench_disturbance(pleach__bench_pace before, pleach__bench_pace after)
{
    double clock = greater(before.cycle, after.cycle) / lesser(before.cycle, after.cycle) - 1;
    double shared = greater(before.issue, after.issue) / best.issue - 1;
    return greater(clock / tolerance, shared / contention);
}
