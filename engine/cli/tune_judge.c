#include "engine/cli/tune.h"

static unsigned greater(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* Fewer workers first, then fewer slots, then less time. */
static bool is_cheaper(const pleach__tune_outcome *outcome, size_t a, size_t b)
{
    const pleach__tune_setting *left = &outcome->setting[a], *right = &outcome->setting[b];
    if (pleach__tune_workers(left) != pleach__tune_workers(right))
        return pleach__tune_workers(left) < pleach__tune_workers(right);
    if (left->slots != right->slots)
        return left->slots < right->slots;
    return outcome->timing[a].ns < outcome->timing[b].ns;
}

static bool is_within(const pleach__tune_outcome *outcome, size_t index)
{
    return outcome->timing[index].ns <= outcome->timing[outcome->fastest].ns * (1 + PLEACH__TUNE_TOLERANCE);
}

/* The standard error of a median as a share of it, squared, as far as samples are normally distributed. What disturbs
   one setting disturbs all, and quartiles of few samples say little: so it is the same for all. */
static double uncertainty(const pleach__tune_outcome *outcome)
{
    double sum = 0;
    for (size_t i = 0; i < outcome->count; i++)
        sum += pleach__tune_spread(outcome, i) * pleach__tune_spread(outcome, i) / outcome->timing[i].samples;
    return 0.86 * sum / (double)outcome->count;
}

/* Whether a setting is within the tolerance of the fastest, or cannot be told from one that is. */
static bool is_as_fast(const pleach__tune_outcome *outcome, size_t index)
{
    const double ns = outcome->timing[index].ns, fastest = outcome->timing[outcome->fastest].ns;
    const double excess = ns - fastest * (1 + PLEACH__TUNE_TOLERANCE);
    return excess <= 0 || excess * excess <= 4 * uncertainty(outcome) * (ns * ns + fastest * fastest);
}

void pleach__tune_judge(pleach__tune_outcome *outcome)
{
    const pleach__bench_timing *timing = outcome->timing;
    outcome->fastest = 0;
    for (size_t i = 1; i < outcome->count; i++)
        if (timing[i].ns < timing[outcome->fastest].ns)
            outcome->fastest = i;
    outcome->best = outcome->fastest;
    for (size_t i = 0; i < outcome->count; i++)
        if (is_as_fast(outcome, i) && is_cheaper(outcome, i, outcome->best))
            outcome->best = i;
}

double pleach__tune_speedup(const pleach__tune_outcome *outcome, size_t index)
{
    return outcome->timing[0].ns / outcome->timing[index].ns;
}

double pleach__tune_efficiency(const pleach__tune_outcome *outcome, size_t index)
{
    return pleach__tune_speedup(outcome, index) / pleach__tune_workers(&outcome->setting[index]);
}

double pleach__tune_spread(const pleach__tune_outcome *outcome, size_t index)
{
    const pleach__bench_timing *timing = &outcome->timing[index];
    return (timing->high - timing->low) / timing->ns;
}

void pleach__tune_reason(const pleach__tune_outcome *outcome, char reason[PLEACH__TUNE_REASON])
{
    char fastest[2 * PLEACH__TUNE_NAME];
    pleach__tune_setting_words(&outcome->setting[outcome->fastest], fastest);
    if (outcome->count == 1)
        (void)snprintf(reason, PLEACH__TUNE_REASON, "nothing else was tried");
    else if (outcome->best == outcome->fastest && pleach__tune_workers(&outcome->setting[outcome->best]) == 1)
        (void)snprintf(reason, PLEACH__TUNE_REASON, "nothing is faster");
    else if (outcome->best == outcome->fastest)
        (void)snprintf(reason, PLEACH__TUNE_REASON, "the fastest; fewer workers take more than %.0f %% longer",
                       100 * PLEACH__TUNE_TOLERANCE);
    else if (is_within(outcome, outcome->best))
        (void)snprintf(
            reason, PLEACH__TUNE_REASON,
            "at most %.0f %% slower than the fastest (%s), and a worker that brings nothing costs other work",
            100 * PLEACH__TUNE_TOLERANCE, fastest);
    else
        (void)snprintf(reason, PLEACH__TUNE_REASON,
                       "times spread so far that nothing is surely more than %.0f %% faster, not even the fastest (%s)",
                       100 * PLEACH__TUNE_TOLERANCE, fastest);
}

static const pleach__tune_setting *best_of(const pleach__tune_outcome *outcome)
{
    return &outcome->setting[outcome->best];
}

pleach__tune_setting pleach__tune_recommend(const pleach__tune_report *report)
{
    pleach__tune_setting all = {.workers = 1};
    for (size_t i = 0; i < report->count; i++) {
        const pleach__tune_setting *best = best_of(&report->outcome[i]);
        all.workers = greater(all.workers, best->workers);
        all.efficiency = greater(all.efficiency, best->efficiency);
        all.slots = greater(all.slots, best->slots);
    }
    return all;
}

bool pleach__tune_agreed(const pleach__tune_report *report)
{
    for (size_t i = 1; i < report->count; i++)
        if (!pleach__tune_equal(best_of(&report->outcome[i]), best_of(&report->outcome[0])))
            return false;
    return true;
}

double pleach__tune_loss(const pleach__tune_outcome *outcome, const pleach__tune_setting *setting)
{
    for (size_t i = 0; i < outcome->count; i++)
        if (pleach__tune_equal(&outcome->setting[i], setting))
            return outcome->timing[i].ns / outcome->timing[outcome->best].ns - 1;
    return 0;
}
