#define _POSIX_C_SOURCE 200809L /* sigaction */
#include "engine/cli/tune.h"

#include "bench/clock.h"
#include "config/error.h"
#include "engine/cli/progress.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_LEAST = 3 };

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

void pleach__tune_catch_interrupts(void)
{
    struct sigaction old, action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    (void)sigemptyset(&action.sa_mask);
    if (sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        (void)sigaction(SIGINT, &action, NULL);
}

bool pleach__tune_interrupted(void)
{
    return interrupted != 0;
}

/* The settings share one work, whose pool is that of the setting visited last: trees may be large. */
struct measuring {
    pleach__tune_work *work;
    const pleach_config *config;
    const pleach__tune_setting *open; /* of the work's pool; NULL if it has none */
    double began, until;              /* on the bench's clock */
    unsigned rounds;
    bool has_expected;
    uint8_t expected[PLEACH_DIGEST_SIZE];
};

struct visit {
    struct measuring *measuring;
    const pleach__tune_setting *setting;
    bool again;
};

/* Warnings are given once. */
static pleach_config with_setting(const pleach_config *config, const pleach__tune_setting *setting, bool again)
{
    pleach_config changed = *config;
    if (again && changed.log_level > PLEACH_LOG_ERROR)
        changed.log_level = PLEACH_LOG_ERROR;
    changed.workers = (int)setting->workers;
    changed.efficiency_workers = (int)setting->efficiency;
    changed.sme_workers = (int)setting->slots;
    return changed;
}

/* Every setting has to find the same. */
static pleach_status compare_digest(struct measuring *m)
{
    if (!m->has_expected)
        memcpy(m->expected, m->work->digest, sizeof m->expected);
    m->has_expected = true;
    return memcmp(m->expected, m->work->digest, sizeof m->expected) == 0
               ? PLEACH_OK
               : pleach__fail(PLEACH_ECHECKSUM, "settings lead to different digests: a kernel is wrong here");
}

/* The first run touches memory and wakes workers: it is not timed. */
static pleach_status move(struct measuring *m, struct visit *visit)
{
    const pleach_config config = with_setting(m->config, visit->setting, visit->again);
    visit->again = true;
    pleach__tune_work_close(m->work);
    m->open = NULL;
    pleach_status status = pleach__tune_work_open(m->work, &config);
    if (status != PLEACH_OK)
        return status;
    m->open = visit->setting;
    status = pleach__tune_work_run(m->work);
    return status == PLEACH_OK ? compare_digest(m) : status;
}

static pleach_status visit_setting(void *context)
{
    struct visit *visit = context;
    struct measuring *m = visit->measuring;
    if (interrupted != 0 && m->rounds == 0)
        return pleach__fail(PLEACH_ECANCELED, "interrupted");
    pleach__progress_share(m->work->text, (pleach__bench_now() - m->began) / (m->until - m->began));
    return m->open == visit->setting ? PLEACH_OK : move(m, visit);
}

static pleach_status run(void *context)
{
    return pleach__tune_work_run(((const struct visit *)context)->measuring->work);
}

static bool is_enough(void *context, unsigned rounds)
{
    struct measuring *m = context;
    m->rounds = rounds;
    return interrupted != 0 || (rounds >= ROUNDS_LEAST && pleach__bench_now() >= m->until);
}

/* A machine that is shared is what settings are chosen for: no sample is left out. */
static pleach_status time_settings(struct measuring *m, pleach__tune_outcome *outcome)
{
    struct visit visit[PLEACH__TUNE_SETTINGS_MAX];
    pleach__bench_subject subject[PLEACH__TUNE_SETTINGS_MAX];
    for (size_t i = 0; i < outcome->count; i++) {
        visit[i] = (struct visit){m, &outcome->setting[i], false};
        subject[i] = (pleach__bench_subject){
            .prepare = visit_setting, .run = run, .context = &visit[i], .lasts = true, .waits = true, .disturbs = true};
    }
    pleach_status status = pleach__bench_time_until(subject, outcome->count, is_enough, m, outcome->timing);
    pleach__tune_work_close(m->work);
    outcome->rounds = m->rounds;
    return status;
}

/* Slots are tried only if the work's family has kernels for them. */
static pleach_status choose_settings(pleach__tune_outcome *outcome, const pleach__tune_sweep *sweep,
                                     const pleach_config *config)
{
    pleach_kernels plain, streaming;
    pleach_status status = pleach__kernels_select(&plain, config, false);
    streaming = plain;
    if (status == PLEACH_OK && sweep->has_slots && config->sme_workers != 0)
        status = pleach__kernels_select(&streaming, config, true);
    if (status != PLEACH_OK)
        return status;
    const pleach__backend *chosen = streaming.backend[outcome->work->family];
    outcome->backend = plain.backend[outcome->work->family]->name;
    outcome->streaming_backend = chosen->streaming ? chosen->name : NULL;
    for (size_t i = 0; i < sweep->count; i++)
        if (sweep->setting[i].slots == 0 || chosen->streaming)
            outcome->setting[outcome->count++] = sweep->setting[i];
    return PLEACH_OK;
}

pleach_status pleach__tune_measure(pleach__tune_outcome *outcome, pleach__tune_work *work,
                                   const pleach__tune_sweep *sweep, const pleach_config *config, double seconds)
{
    struct measuring measuring = {.work = work, .config = config, .began = pleach__bench_now()};
    measuring.until = measuring.began + seconds * 1e9;
    memset(outcome, 0, sizeof *outcome);
    outcome->work = work;
    pleach_status status = choose_settings(outcome, sweep, config);
    status = status == PLEACH_OK ? pleach__tune_work_load(work) : status;
    if (status != PLEACH_OK)
        return status;
    status = time_settings(&measuring, outcome);
    pleach__tune_work_unload(work);
    if (status == PLEACH_OK)
        pleach__tune_judge(outcome);
    return status;
}
