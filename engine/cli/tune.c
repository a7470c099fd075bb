#define _GNU_SOURCE /* open_memstream(); uv.h wants pthread_rwlock_t */
#include "engine/cli/tune.h"

#include "bench/clock.h"
#include "config/error.h"
#include "engine/cli/replacement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

static const double seconds_default = 20;

/* A drawing as bytes. */
typedef struct drawing {
    char *text;
    size_t size;
} drawing;

static pleach_status hand_over(const void *content, pleach_write write, void *context)
{
    const drawing *d = content;
    return write(context, (const uint8_t *)d->text, d->size);
}

static pleach_status draw(const pleach__tune_report *report, drawing *d)
{
    FILE *file = open_memstream(&d->text, &d->size);
    if (file != NULL)
        pleach__tune_draw(report, file);
    return file != NULL && fclose(file) == 0 ? PLEACH_OK : pleach__fail(PLEACH_ENOMEM, "no memory for the plot");
}

static bool fail(const char *what)
{
    pleach__complain("%s%s%s", what, *what != '\0' ? ": " : "", pleach_last_error());
    return false;
}

static bool write_plot(const pleach__tune_report *report, pleach__replacement *file)
{
    drawing d = {0};
    pleach_status status = draw(report, &d);
    if (status == PLEACH_OK)
        status = pleach__replacement_commit(file, hand_over, &d, d.size);
    free(d.text);
    return status == PLEACH_OK || fail("");
}

/* Before anything is measured: a file that cannot be written is known then. */
static bool begin_plot(const char *path, pleach__replacement *file)
{
    if (strcmp(path, "-") == 0) {
        pleach__complain("--svg \"-\": expected the name of a file");
        return false;
    }
    if (pleach__replacement_begin(file, path, "<?xml ve") != PLEACH_OK)
        return fail("");
    if (!file->exists || file->is_kind)
        return true;
    pleach__complain("%s: exists and is no SVG file: it is left alone", path);
    pleach__replacement_end(file);
    return false;
}

/* Bytes that this process can still have; what is not known is no limit. */
static double available_memory(void)
{
    const uint64_t unused = uv_get_free_memory(), limit = uv_get_constrained_memory();
    double available = (double)(SIZE_MAX / 2);
    if (unused > 0 && (double)unused < available)
        available = (double)unused;
    if (limit > 0 && (double)limit < available)
        available = (double)limit;
    return available;
}

static bool fits_memory(const pleach__tune_work *work)
{
    const double needed = pleach__tune_work_memory(work), available = available_memory();
    if (needed < available)
        return true;
    pleach__complain("%s: needs %.2f GiB of memory, of which %.2f are available", work->text, needed / (1 << 30),
                     available / (1 << 30));
    return false;
}

/* What is tuned, and its outcome. */
typedef struct tuning {
    const pleach__options *options;
    size_t count;
    pleach__tune_work *work;
    pleach__tune_outcome *outcome;
    pleach__tune_sweep sweep;
    pleach__topology topology;
} tuning;

static int parse_works(tuning *t)
{
    const pleach__options *options = t->options;
    const bool small = options->has_scheme && options->scheme.leaf_given;
    const char *const defaults[] = {small ? "tree:20:32" : "tree:20:64", "lthash:200", "block:2500:400"};
    t->count = options->works > 0 ? (size_t)options->works : sizeof defaults / sizeof *defaults;
    t->work = calloc(t->count, sizeof *t->work);
    t->outcome = calloc(t->count, sizeof *t->outcome);
    if (t->work == NULL || t->outcome == NULL) {
        pleach__complain("no memory");
        return PLEACH__EXIT_FAILED;
    }
    for (size_t i = 0; i < t->count; i++)
        if (!pleach__tune_work_parse(&t->work[i], options->works > 0 ? options->work[i] : defaults[i], options))
            return PLEACH__EXIT_USAGE;
    for (size_t i = 0; i < t->count; i++)
        if (!fits_memory(&t->work[i]))
            return PLEACH__EXIT_FAILED;
    return PLEACH__EXIT_OK;
}

/* Each work gets its share of the time that is left. */
static int measure(tuning *t, pleach__tune_report *report)
{
    const double seconds = t->options->seconds > 0 ? t->options->seconds : seconds_default;
    const double end = pleach__bench_now() + seconds * 1e9;
    for (size_t i = 0; i < t->count && !pleach__tune_interrupted(); i++) {
        const double left = (end - pleach__bench_now()) / 1e9;
        pleach_status status = pleach__tune_measure(&t->outcome[i], &t->work[i], &t->sweep, &t->options->config,
                                                    left / (double)(t->count - i));
        if (status != PLEACH_OK && status != PLEACH_ECANCELED) {
            (void)fail(t->work[i].text);
            return status == PLEACH_EBACKEND ? PLEACH__EXIT_USAGE : PLEACH__EXIT_FAILED;
        }
        report->count += status == PLEACH_OK;
    }
    report->interrupted = pleach__tune_interrupted();
    return PLEACH__EXIT_OK;
}

static bool publish(const tuning *t, const pleach__tune_report *report, pleach__replacement *plot)
{
    if (t->options->json && !pleach__tune_print_json(report)) {
        pleach__complain("no memory for JSON");
        return false;
    }
    if (!t->options->json)
        pleach__tune_print(report);
    if (report->interrupted)
        pleach__complain("interrupted: %zu of %zu works were measured", report->count, t->count);
    return (t->options->svg_file == NULL || report->count == 0 || write_plot(report, plot)) && !report->interrupted;
}

static int tune(tuning *t)
{
    const char *path = t->options->svg_file;
    pleach__replacement plot = {.file = -1};
    pleach__tune_report report = {.sweep = &t->sweep, .topology = &t->topology, .outcome = t->outcome};
    if (path != NULL && !begin_plot(path, &plot))
        return PLEACH__EXIT_FAILED;
    pleach__bench_calibrate();
    pleach__tune_catch_interrupts();
    int code = measure(t, &report);
    if (code == PLEACH__EXIT_OK && !publish(t, &report, &plot))
        code = PLEACH__EXIT_FAILED;
    pleach__replacement_end(&plot);
    return code;
}

int pleach__tune(const pleach__options *options, int count, char **operands)
{
    tuning t = {.options = options};
    int code;
    (void)count;
    (void)operands;
    if (pleach__topology_read(&t.topology, "") != PLEACH_OK) {
        (void)fail("");
        return PLEACH__EXIT_FAILED;
    }
    if (!pleach__tune_sweep_make(&t.sweep, options->sweep, &options->config, &t.topology))
        code = PLEACH__EXIT_USAGE;
    else
        code = parse_works(&t);
    if (code == PLEACH__EXIT_OK)
        code = tune(&t);
    free(t.outcome);
    free(t.work);
    pleach__topology_free(&t.topology);
    return code;
}
