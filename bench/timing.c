#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "bench/timing.h"

#include "bench/clock.h"
#include "config/error.h"

#include <stdlib.h>
#include <time.h>

enum {
    SAMPLE_NS = 40000,     /* a virtual machine loses some microseconds now and then: short samples escape that */
    LASTING_NS = 10000000, /* the same where what is prepared lasts: preparing may take as long */
    SHORT_NS = 1000000,    /* samples below this are short, */
    LONG_NS = 50000000,    /* from here on long */
    SAMPLES_SHORT = 41,    /* that are wanted */
    SAMPLES_MEDIUM = 15,   /* as many as these */
    SAMPLES_LEAST = 7,     /* of long samples; and no median is taken of fewer */
    TRIES_SHORT = 20,      /* for each that is wanted */
    TRIES_LONG = 4,        /* the same from SHORT_NS on */
    TRIES_MAX = SAMPLES_SHORT * TRIES_SHORT,
    PAUSE_NS = 300000,    /* after a disturbed sample */
    SWITCH_NS = 20000000, /* of a sample for each switch of its threads that is nothing unusual */
};

/* The share of a sample for which its thread may have had no processor. */
static const double away_most = 0.02;

struct sample {
    double ns;
    double processors; /* the same, by the processor time of all threads */
    double cycles;
    double disturbance; /* above 1: too much */
};

/* The samples of a subject. */
struct series {
    const pleach__bench_subject *subject;
    unsigned long runs; /* a sample */
    unsigned wanted, most, tried, kept;
    struct sample sample[TRIES_MAX];
};

static pleach_status run(const struct series *series)
{
    for (unsigned long i = 0; i < series->runs; i++) {
        pleach_status status = series->subject->run(series->subject->context);
        if (status != PLEACH_OK)
            return status;
    }
    return PLEACH_OK;
}

static pleach_status prepare(const struct series *series)
{
    const pleach__bench_subject *subject = series->subject;
    return subject->prepare ? subject->prepare(subject->context) : PLEACH_OK;
}

/* Finds how many runs make a sample, and how many samples are wanted. */
static pleach_status size_up(struct series *series)
{
    const bool once = series->subject->prepare && !series->subject->lasts;
    const double least = series->subject->lasts ? LASTING_NS : SAMPLE_NS;
    for (series->runs = 1;;) {
        pleach_status status = prepare(series);
        double ns = pleach__bench_now();
        status = status == PLEACH_OK ? run(series) : status;
        ns = pleach__bench_now() - ns;
        if (status != PLEACH_OK)
            return status;
        if (ns >= least || once) {
            series->wanted = ns < SHORT_NS ? SAMPLES_SHORT : ns < LONG_NS ? SAMPLES_MEDIUM : SAMPLES_LEAST;
            series->most = series->wanted * (ns < SHORT_NS ? TRIES_SHORT : TRIES_LONG);
            return PLEACH_OK;
        }
        double factor = ns < least / 8 ? 8 : 1.25 * least / ns;
        series->runs = (unsigned long)((double)series->runs * factor) + 1;
    }
}

/* What is spent on a sample. */
struct spent {
    double ns, processor, processors, switches;
};

static struct spent spent_since(struct spent start)
{
    return (struct spent){
        .ns = pleach__bench_now() - start.ns,
        .processor = pleach__bench_processor() - start.processor,
        .processors = pleach__bench_processors() - start.processors,
        .switches = pleach__bench_switches() - start.switches,
    };
}

/* How much others took of it: above 1 is too much. */
static double taken(const pleach__bench_subject *subject, const struct spent *spent)
{
    if (subject->waits)
        return spent->switches * SWITCH_NS / spent->ns;
    return (spent->ns - spent->processor) / (spent->ns * away_most);
}

static struct sample sample_of(const struct series *series, struct spent spent, pleach__bench_pace before,
                               pleach__bench_pace after)
{
    const pleach__bench_subject *subject = series->subject;
    const double cycle = before.cycle < after.cycle ? before.cycle : after.cycle;
    const double share = taken(subject, &spent), outside = pleach__bench_disturbance(before, after);
    struct sample sample = {.disturbance = share > outside ? share : outside};
    if (subject->disturbs)
        sample.disturbance = 0;
    if (share > 1 && !subject->waits)
        spent.ns = spent.processor; /* if it must count after all */
    sample.ns = spent.ns / (double)series->runs;
    sample.processors = spent.processors / (double)series->runs;
    sample.cycles = sample.ns / cycle;
    return sample;
}

static pleach_status take(struct series *series)
{
    pleach_status status = prepare(series);
    if (status == PLEACH_OK && series->runs > 1)
        status = series->subject->run(series->subject->context); /* wakes workers, caches, vector units */
    if (status != PLEACH_OK)
        return status;
    const pleach__bench_pace before = pleach__bench_pace_now();
    const struct spent start = spent_since((struct spent){0});
    status = run(series);
    const struct spent spent = spent_since(start);
    const struct sample sample = sample_of(series, spent, before, pleach__bench_pace_now());
    series->sample[series->tried++] = sample;
    if (sample.disturbance <= 1)
        series->kept++;
    else
        (void)nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    return status;
}

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

#define COMPARISON(field)                                                                     \
    static int by_##field(const void *a, const void *b)                                       \
    {                                                                                         \
        return compare(((const struct sample *)a)->field, ((const struct sample *)b)->field); \
    }
COMPARISON(disturbance)
COMPARISON(ns)
COMPARISON(processors)
COMPARISON(cycles)

static pleach__bench_timing summary(struct series *series)
{
    const unsigned least = series->tried < SAMPLES_LEAST ? series->tried : SAMPLES_LEAST;
    pleach__bench_timing timing = {.disturbed = series->kept < least};
    timing.samples = timing.disturbed ? least : series->kept;
    timing.dropped = series->tried - timing.samples;
    qsort(series->sample, series->tried, sizeof *series->sample, by_disturbance);
    qsort(series->sample, timing.samples, sizeof *series->sample, by_ns);
    timing.ns = series->sample[timing.samples / 2].ns;
    timing.low = series->sample[timing.samples / 4].ns;
    timing.high = series->sample[timing.samples - 1 - timing.samples / 4].ns;
    qsort(series->sample, timing.samples, sizeof *series->sample, by_processors);
    timing.processor = series->sample[timing.samples / 2].processors;
    qsort(series->sample, timing.samples, sizeof *series->sample, by_cycles);
    timing.cycles = series->sample[timing.samples / 2].cycles;
    return timing;
}

/* Takes one sample of each series that lacks some; *taken if there was any. */
static pleach_status take_turns(struct series *all, size_t count, bool *taken)
{
    pleach_status status = PLEACH_OK;
    *taken = false;
    for (size_t i = 0; status == PLEACH_OK && i < count; i++) {
        if (all[i].kept < all[i].wanted && all[i].tried < all[i].most) {
            status = take(&all[i]);
            *taken = true;
        }
    }
    return status;
}

/* As long as samples are wanted, or until it is enough. */
static pleach_status take_rounds(struct series *all, size_t count, pleach__bench_enough *enough, void *context)
{
    pleach_status status = PLEACH_OK;
    bool taken = true;
    for (size_t i = 0; enough && i < count; i++)
        all[i].wanted = all[i].most = TRIES_MAX;
    for (unsigned rounds = 1; status == PLEACH_OK && taken; rounds++) {
        status = take_turns(all, count, &taken);
        if (enough && enough(context, rounds))
            break;
    }
    return status;
}

pleach_status pleach__bench_time_until(const pleach__bench_subject *subject, size_t count, pleach__bench_enough *enough,
                                       void *context, pleach__bench_timing *timing)
{
    struct series *all = calloc(count, sizeof *all);
    if (!all)
        return pleach__fail(PLEACH_ENOMEM, "no memory for the samples of %zu subjects", count);
    pleach_status status = PLEACH_OK;
    for (size_t i = 0; status == PLEACH_OK && i < count; i++) {
        all[i].subject = &subject[i];
        status = size_up(&all[i]);
    }
    status = status == PLEACH_OK ? take_rounds(all, count, enough, context) : status;
    for (size_t i = 0; status == PLEACH_OK && i < count; i++)
        timing[i] = summary(&all[i]);
    free(all);
    return status;
}

pleach_status pleach__bench_time(const pleach__bench_subject *subject, size_t count, pleach__bench_timing *timing)
{
    return pleach__bench_time_until(subject, count, NULL, NULL, timing);
}
