/* How work is timed on a machine that others use too. */
#ifndef PLEACH_BENCH_TIMING_H
#define PLEACH_BENCH_TIMING_H

#include "config/config.h"

/* What is timed. */
typedef struct pleach__bench_subject {
    pleach_status (*prepare)(void *context); /* before each sample, not timed: then a sample is one run; may be NULL */
    pleach_status (*run)(void *context);
    void *context;
    bool lasts;    /* what is prepared serves any number of runs: a sample may be several after all */
    bool waits;    /* for other threads: its own thread's processor time says nothing */
    bool disturbs; /* is disturbed on purpose: every sample counts */
} pleach__bench_subject;

/*
 * Medians over the samples that nothing disturbed, by the wall clock. If there were fewer than seven, over the least
 * disturbed seven, without the time for which the subject's thread had no processor.
 */
typedef struct pleach__bench_timing {
    double ns;        /* of a run */
    double low, high; /* quartiles of it */
    double processor; /* nanoseconds of processor time that a run takes of all threads of the process */
    double cycles;    /* of a run, by the core clock beside each sample */
    unsigned samples;
    unsigned dropped;
    bool disturbed; /* there were fewer */
} pleach__bench_timing;

/*
 * Times some subjects in turns, so that what changes on the machine changes for all of them. Ends with the first run or
 * preparation that fails.
 */
pleach_status pleach__bench_time(const pleach__bench_subject *subject, size_t count, pleach__bench_timing *timing);

/* Whether so many rounds, of a sample of each subject, will do. */
typedef bool pleach__bench_enough(void *context, unsigned rounds);

/* The same with as many rounds as it takes, at least one. */
pleach_status pleach__bench_time_until(const pleach__bench_subject *subject, size_t count, pleach__bench_enough *enough,
                                       void *context, pleach__bench_timing *timing);

#endif
