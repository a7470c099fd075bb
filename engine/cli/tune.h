/* `pleach tune`: which settings suit a kind of work on this machine. */
#ifndef PLEACH_TUNE_H
#define PLEACH_TUNE_H

#include "bench/timing.h"
#include "engine/cli/cli.h"
#include "kernels/backend.h"
#include "pool/topology.h"

#include <stdio.h>

/* --- tune_sweep.c: settings --- */

enum { PLEACH__TUNE_SETTINGS_MAX = 256 };

typedef struct pleach__tune_setting {
    unsigned workers;    /* the caller included, without those of efficiency cores */
    unsigned efficiency; /* workers of efficiency cores */
    unsigned slots;      /* streaming slots */
} pleach__tune_setting;

/* What is tried, each setting once; by slots first. */
typedef struct pleach__tune_sweep {
    pleach__tune_setting setting[PLEACH__TUNE_SETTINGS_MAX]; /* [0]: one worker, what the others are compared with */
    size_t count;
    pleach__tune_setting automatic; /* what the library would choose */
    bool has_efficiency, has_slots; /* whether there is such a thing here, or in a setting */
} pleach__tune_sweep;

/*
 * Fills the sweep for a machine. `list` is that of --workers, such as "1-4,8,4+2"; NULL = all that makes sense on the
 * machine. The configuration's PLEACH_SME_WORKERS bounds the slots. False after a message.
 */
bool pleach__tune_sweep_make(pleach__tune_sweep *sweep, const char *list, const pleach_config *config,
                             const pleach__topology *topology);

/* All workers of a setting. */
unsigned pleach__tune_workers(const pleach__tune_setting *setting);

bool pleach__tune_equal(const pleach__tune_setting *a, const pleach__tune_setting *b);

/* "4", or "4+2" with workers of efficiency cores. */
enum { PLEACH__TUNE_NAME = 32 };
void pleach__tune_name(const pleach__tune_setting *setting, char name[PLEACH__TUNE_NAME]);

/* --- tune_work.c: what is timed --- */

/* How much of what. */
typedef struct pleach__tune_work {
    const char *text; /* as --work has it */
    const struct pleach__tune_kind *kind;
    uint64_t number[2];   /* the text's */
    pleach_scheme scheme; /* if it is a tree of any kind */
    pleach_family family;
    uint8_t *bytes; /* what is hashed */
    size_t size;    /* of all of it */
    pleach_input *list;
    pleach_pool *pool;
    pleach_tree *tree;
    uint8_t digest[PLEACH_DIGEST_SIZE]; /* what the last run found */
} pleach__tune_work;

/* `options` say the scheme, if any. False after a message. */
bool pleach__tune_work_parse(pleach__tune_work *work, const char *text, const pleach__options *options);

/* In words: "2^20 leaves of 64 bytes, ..." */
enum { PLEACH__TUNE_WORDS = 160 };
void pleach__tune_work_words(const pleach__tune_work *work, char words[PLEACH__TUNE_WORDS]);

/* Bytes of memory that it takes, about. */
double pleach__tune_work_memory(const pleach__tune_work *work);

/* Makes what is hashed. */
pleach_status pleach__tune_work_load(pleach__tune_work *work);
void pleach__tune_work_unload(pleach__tune_work *work);

/* Starts a pool for it, and what it needs on the pool. */
pleach_status pleach__tune_work_open(pleach__tune_work *work, const pleach_config *config);
void pleach__tune_work_close(pleach__tune_work *work);

/* Does it once. */
pleach_status pleach__tune_work_run(pleach__tune_work *work);

/* --- tune_measure.c: what came out --- */

typedef struct pleach__tune_outcome {
    const pleach__tune_work *work;
    const char *backend, *streaming_backend; /* the second: NULL if there is none */
    size_t count;                            /* of settings that were timed; 0 = none */
    unsigned rounds;
    pleach__tune_setting setting[PLEACH__TUNE_SETTINGS_MAX];
    pleach__bench_timing timing[PLEACH__TUNE_SETTINGS_MAX];
    size_t fastest, best; /* of these */
} pleach__tune_outcome;

/* Times a work with every setting, for so many seconds or at least a few rounds. PLEACH_ECANCELED if it is interrupted
   before the first round is over. */
pleach_status pleach__tune_measure(pleach__tune_outcome *outcome, pleach__tune_work *work,
                                   const pleach__tune_sweep *sweep, const pleach_config *config, double seconds);

/* From now on an interrupt ends what is being measured; a second one ends the command. */
void pleach__tune_catch_interrupts(void);
bool pleach__tune_interrupted(void);

/* --- tune_judge.c: what to make of it --- */

/* By how much a setting may be slower than the fastest one if it takes fewer workers. */
#define PLEACH__TUNE_TOLERANCE 0.03

/* What a tuning says. */
typedef struct pleach__tune_report {
    const pleach__tune_sweep *sweep;
    const pleach__topology *topology;
    const pleach__tune_outcome *outcome; /* one for each work that was measured */
    size_t count;
    bool interrupted;
} pleach__tune_report;

/* Finds the fastest setting, and the best: the one with the fewest workers that is about as fast, or cannot be told
   from one that is. */
void pleach__tune_judge(pleach__tune_outcome *outcome);

/* Times as fast as one worker; the same for each worker; and how far apart the quartiles are, as a share. */
double pleach__tune_speedup(const pleach__tune_outcome *outcome, size_t index);
double pleach__tune_efficiency(const pleach__tune_outcome *outcome, size_t index);
double pleach__tune_spread(const pleach__tune_outcome *outcome, size_t index);

/* Why the best one is the best, in words. */
enum { PLEACH__TUNE_REASON = 256 };
void pleach__tune_reason(const pleach__tune_outcome *outcome, char reason[PLEACH__TUNE_REASON]);

/* What to take for all works: the most workers, and slots, that are best for one of them. */
pleach__tune_setting pleach__tune_recommend(const pleach__tune_report *report);

/* Whether the same is best for all works. */
bool pleach__tune_agreed(const pleach__tune_report *report);

/* How much longer a work takes with a setting than with its best one, as a share; 0 if it was not tried. */
double pleach__tune_loss(const pleach__tune_outcome *outcome, const pleach__tune_setting *setting);

/* --- tune_text.c, tune_json.c, tune_svg.c --- */

void pleach__tune_print(const pleach__tune_report *report);

/* False if memory ran out. */
bool pleach__tune_print_json(const pleach__tune_report *report);

void pleach__tune_draw(const pleach__tune_report *report, FILE *file);

/* A time with its unit, three digits that matter. */
void pleach__tune_time(double ns, char text[PLEACH__TUNE_NAME]);

/* "2 workers", "4+2 workers, 1 slot". */
void pleach__tune_setting_words(const pleach__tune_setting *setting, char words[2 * PLEACH__TUNE_NAME]);

#endif
