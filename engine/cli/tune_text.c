#include "engine/cli/progress.h"
#include "engine/cli/tune.h"

#include <string.h>

/* Above this share the quartiles lie so far apart that the user should know. */
static const double spread_to_tell = 0.1;

/* Below this share of its time with a processor, a thread has to share it. */
static const double processor_to_tell = 0.9;

void pleach__tune_time(double ns, char text[PLEACH__TUNE_NAME])
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    unsigned unit = 0;
    for (; unit < 3 && ns >= 999.5; unit++)
        ns /= 1000;
    (void)snprintf(text, PLEACH__TUNE_NAME, "%.*f %s", ns < 9.995 ? 2 : ns < 99.95 ? 1 : 0, ns, units[unit]);
}

void pleach__tune_setting_words(const pleach__tune_setting *setting, char words[2 * PLEACH__TUNE_NAME])
{
    pleach__tune_name(setting, words);
    (void)strcat(words, pleach__tune_workers(setting) == 1 ? " worker" : " workers");
    const size_t length = strlen(words);
    if (setting->slots > 0)
        (void)snprintf(words + length, 2 * PLEACH__TUNE_NAME - length, ", %u slot%s", setting->slots,
                       setting->slots == 1 ? "" : "s");
}

static void print_machine(const pleach__tune_report *report)
{
    const pleach__topology *topology = report->topology;
    char automatic[2 * PLEACH__TUNE_NAME];
    pleach__tune_setting_words(&report->sweep->automatic, automatic);
    (void)printf("pleach %s: %u usable processor%s", pleach_version(), topology->processors,
                 topology->processors == 1 ? "" : "s");
    if (topology->efficiency > 0)
        (void)printf(", %u of them on efficiency cores", topology->efficiency);
    if (topology->quota > 0)
        (void)printf(", a quota of %u", topology->quota);
    if (topology->streaming_units > 0)
        (void)printf(", %u streaming unit%s", topology->streaming_units, topology->streaming_units == 1 ? "" : "s");
    (void)printf("; automatic: %s\n", automatic);
}

static void print_row(const pleach__tune_report *report, const pleach__tune_outcome *outcome, size_t index)
{
    const pleach__tune_setting *setting = &outcome->setting[index];
    const bool is_best = index == outcome->best, is_automatic = pleach__tune_equal(setting, &report->sweep->automatic);
    char name[PLEACH__TUNE_NAME], time[PLEACH__TUNE_NAME], processor[PLEACH__TUNE_NAME];
    pleach__tune_name(setting, name);
    pleach__tune_time(outcome->timing[index].ns, time);
    pleach__tune_time(outcome->timing[index].processor, processor);
    (void)printf("%9s", name);
    if (outcome->streaming_backend != NULL)
        (void)printf("  %5u", setting->slots);
    (void)printf("  %9s  %5.1f %%  %6.2f x  %8.0f %%  %14s%s%s%s\n", time, 100 * pleach__tune_spread(outcome, index),
                 pleach__tune_speedup(outcome, index), 100 * pleach__tune_efficiency(outcome, index), processor,
                 is_best || is_automatic ? "  " : "", is_best ? "best" : "",
                 is_automatic ? (is_best ? ", automatic" : "automatic") : "");
}

/* What makes the times doubtful. */
static void print_doubts(const pleach__tune_outcome *outcome)
{
    const double share = outcome->timing[0].processor / outcome->timing[0].ns;
    double spread = 0;
    for (size_t i = 0; i < outcome->count; i++)
        spread = pleach__tune_spread(outcome, i) > spread ? pleach__tune_spread(outcome, i) : spread;
    if (spread > spread_to_tell)
        (void)printf("  Times spread by up to %.0f %%: more --seconds, or less else to do here, makes this surer.\n",
                     100 * spread);
    if (share < processor_to_tell)
        (void)printf(
            "  One worker had a processor for %.0f %% of the time: this is for while others want it so much.\n",
            100 * share);
}

static void print_conclusion(const pleach__tune_outcome *outcome)
{
    char best[2 * PLEACH__TUNE_NAME], reason[PLEACH__TUNE_REASON];
    pleach__tune_setting_words(&outcome->setting[outcome->best], best);
    pleach__tune_reason(outcome, reason);
    (void)printf("  best: %s: %s.\n", best, reason);
    print_doubts(outcome);
}

static void print_outcome(const pleach__tune_report *report, const pleach__tune_outcome *outcome)
{
    char words[PLEACH__TUNE_WORDS];
    pleach__tune_work_words(outcome->work, words);
    (void)printf("\n%s: %s; %s %s", outcome->work->text, words, pleach_family_name(outcome->work->family),
                 outcome->backend);
    if (outcome->streaming_backend != NULL)
        (void)printf(", with a slot %s", outcome->streaming_backend);
    (void)printf("; %u round%s\n%9s", outcome->rounds, outcome->rounds == 1 ? "" : "s", "workers");
    if (outcome->streaming_backend != NULL)
        (void)printf("  %5s", "slots");
    (void)printf("  %9s  %7s  %8s  %10s  %14s\n", "time", "spread", "speedup", "efficiency", "processor time");
    for (size_t i = 0; i < outcome->count; i++)
        print_row(report, outcome, i);
    print_conclusion(outcome);
}

/* Lines to paste. */
static void print_exports(const pleach__tune_sweep *sweep, const pleach__tune_setting *setting)
{
    (void)printf("export PLEACH_WORKERS=%u\n", setting->workers);
    if (sweep->has_efficiency)
        (void)printf("export PLEACH_EFFICIENCY_WORKERS=%u\n", setting->efficiency);
    if (sweep->has_slots)
        (void)printf("export PLEACH_SME_WORKERS=%u\n", setting->slots);
}

static void print_losses(const pleach__tune_report *report, const pleach__tune_setting *setting)
{
    for (size_t i = 0; i < report->count; i++) {
        const double loss = pleach__tune_loss(&report->outcome[i], setting);
        if (loss > PLEACH__TUNE_TOLERANCE)
            (void)printf("# %s then takes %.0f %% longer than with its own.\n", report->outcome[i].work->text,
                         100 * loss);
    }
}

static void print_settings(const pleach__tune_report *report)
{
    const pleach__tune_setting all = pleach__tune_recommend(report);
    const bool agreed = pleach__tune_agreed(report);
    if (!agreed) {
        (void)printf("\nThe works disagree.\n");
        for (size_t i = 0; i < report->count; i++) {
            (void)printf("\n# for %s\n", report->outcome[i].work->text);
            print_exports(report->sweep, &report->outcome[i].setting[report->outcome[i].best]);
        }
        (void)printf("\n# for all of them: the largest of these\n");
        print_losses(report, &all);
    } else {
        (void)printf("\n# for %s\n", report->count == 1 ? report->outcome[0].work->text : "all of them");
    }
    print_exports(report->sweep, &all);
}

void pleach__tune_print(const pleach__tune_report *report)
{
    pleach__progress_clear();
    print_machine(report);
    for (size_t i = 0; i < report->count; i++)
        print_outcome(report, &report->outcome[i]);
    if (report->count > 0)
        print_settings(report);
}
