#include "engine/cli/progress.h"
#include "engine/cli/tune.h"

#include <jansson.h>

enum { PRECISION = 6 };

/* By the names of the variables that say it. */
static json_t *describe_setting(const pleach__tune_setting *setting)
{
    return json_pack("{s:i, s:i, s:i}", "PLEACH_WORKERS", (int)setting->workers, "PLEACH_EFFICIENCY_WORKERS",
                     (int)setting->efficiency, "PLEACH_SME_WORKERS", (int)setting->slots);
}

static json_t *describe_timing(const pleach__tune_outcome *outcome, size_t index)
{
    const pleach__bench_timing *timing = &outcome->timing[index];
    return json_pack(
        "{s:o, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:b}", "settings", describe_setting(&outcome->setting[index]),
        "samples", (int)timing->samples, "time_ns", timing->ns, "low_ns", timing->low, "high_ns", timing->high,
        "spread", pleach__tune_spread(outcome, index), "speedup", pleach__tune_speedup(outcome, index), "efficiency",
        pleach__tune_efficiency(outcome, index), "processor_ns", timing->processor, "best", index == outcome->best);
}

static json_t *describe_outcome(const pleach__tune_outcome *outcome)
{
    char words[PLEACH__TUNE_WORDS], reason[PLEACH__TUNE_REASON];
    json_t *timings = json_array();
    pleach__tune_work_words(outcome->work, words);
    pleach__tune_reason(outcome, reason);
    for (size_t i = 0; i < outcome->count; i++)
        (void)json_array_append_new(timings, describe_timing(outcome, i)); /* json_pack() finds what is missing */
    if (json_array_size(timings) < outcome->count) {
        json_decref(timings);
        timings = NULL;
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:s?, s:i, s:o, s:o, s:s}", "work", outcome->work->text, "what", words,
                     "family", pleach_family_name(outcome->work->family), "backend", outcome->backend,
                     "streaming_backend", outcome->streaming_backend, "rounds", (int)outcome->rounds, "timings",
                     timings, "best", describe_setting(&outcome->setting[outcome->best]), "reason", reason);
}

static json_t *describe_machine(const pleach__topology *topology)
{
    return json_pack("{s:i, s:i, s:o, s:i}", "usable", (int)topology->processors, "efficiency",
                     (int)topology->efficiency, "quota",
                     topology->quota != 0 ? json_integer(topology->quota) : json_null(), "streaming_units",
                     (int)topology->streaming_units);
}

bool pleach__tune_print_json(const pleach__tune_report *report)
{
    const pleach__tune_setting all = pleach__tune_recommend(report);
    json_t *works = json_array();
    for (size_t i = 0; i < report->count; i++)
        (void)json_array_append_new(works, describe_outcome(&report->outcome[i]));
    const bool complete = json_array_size(works) == report->count;
    json_t *object =
        json_pack("{s:s, s:o, s:o, s:o, s:b, s:b, s:o}", "version", pleach_version(), "processors",
                  describe_machine(report->topology), "automatic", describe_setting(&report->sweep->automatic), "works",
                  works, "interrupted", report->interrupted, "agreed", pleach__tune_agreed(report), "settings",
                  report->count > 0 ? describe_setting(&all) : json_null());
    pleach__progress_clear();
    const bool done =
        complete && object != NULL && json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(PRECISION)) == 0;
    json_decref(object);
    (void)putchar('\n');
    return done;
}
