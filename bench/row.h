/* A row of the bench: what it is called, what it must reach, how it is measured, and what came out. */
#ifndef PLEACH_BENCH_ROW_H
#define PLEACH_BENCH_ROW_H

#include "bench/ports.h"
#include "bench/timing.h"
#include "pool/pool.h"

/* What the rows run on. */
typedef struct pleach__bench {
    pleach_config config;
    pleach_pool *pool; /* of that configuration */
} pleach__bench;

typedef struct pleach__bench_result {
    double value;  /* in the unit of the row */
    double cycles; /* of a compression; NAN where there are none */
    double share;  /* of the port limit that was reached; NAN where none is known */
    double scalar; /* times as fast as the portable code on one worker; NAN where that means nothing */
    const char *backend;
    unsigned workers;
    unsigned samples, dropped;
    bool disturbed;
    bool wrong;          /* a digest was not that of the reference: nothing was timed */
    const char *skipped; /* why this host has no such row; NULL = it has */
} pleach__bench_result;

typedef struct pleach__bench_row pleach__bench_row;

/* Fills the result, but for what does not apply. */
typedef pleach_status pleach__bench_measure(const pleach__bench_row *row, const pleach__bench *bench,
                                            pleach__bench_result *result);

/* What a value may be beside its target. */
typedef enum pleach__bench_bound {
    PLEACH__BENCH_NO_TARGET,
    PLEACH__BENCH_AT_MOST,
    PLEACH__BENCH_AT_LEAST,
} pleach__bench_bound;

struct pleach__bench_row {
    unsigned number; /* that of the target; from PLEACH__BENCH_BESIDE on for rows beside the targets */
    const char *name;
    const char *unit;
    pleach__bench_bound bound;
    double target;
    bool heavy; /* only if asked for by number */
    pleach__bench_measure *measure;
    const void *work; /* what `measure` needs to know */
};

/* A row: number, name, unit, bound and target, how it is measured, what `measure` needs to know, and what else. */
#define PLEACH__BENCH_ROW(its_number, its_name, its_unit, its_bound, its_target, its_measure, ...)          \
    {                                                                                                       \
        .number = (its_number), .name = (its_name), .unit = (its_unit), .bound = PLEACH__BENCH_##its_bound, \
        .target = (its_target), .measure = (its_measure), .work = __VA_ARGS__,                              \
    }

enum { PLEACH__BENCH_BESIDE = 100, PLEACH__BENCH_ROWS_MAX = 128 };

/* Each ends with a row of number 0. */
extern const pleach__bench_row pleach__bench_rows_kernels[], pleach__bench_rows_lthash[], pleach__bench_rows_trees[],
    pleach__bench_rows_pool[], pleach__bench_rows_accumulators[], pleach__bench_rows_proofs[],
    pleach__bench_rows_proving[], pleach__bench_rows_changes[], pleach__bench_rows_xmss[],
    pleach__bench_rows_xmss_keys[];

/* All rows in order of their numbers; how many. */
size_t pleach__bench_rows(const pleach__bench_row *rows[PLEACH__BENCH_ROWS_MAX]);

/* Whether the value is as the target asks, where there is one. */
bool pleach__bench_met(const pleach__bench_row *row, double value);

/* The settings of the bench with other numbers of workers; and those of the scalar code. */
pleach_config pleach__bench_with_workers(const pleach__bench *bench, unsigned workers);
pleach_config pleach__bench_scalar(const pleach__bench *bench);

/* NULL if it is not compiled in. */
const pleach__backend *pleach__bench_backend(pleach_family family, const char *name);

/* Fills a buffer so that no two inputs are alike. */
void pleach__bench_fill(uint8_t *buffer, size_t size);

/* Whether digests are those of the reference; looks at a part of them, in every lane, where there are many. */
bool pleach__bench_right(pleach_family family, const pleach__hash_form *form, const uint8_t *in, size_t stride,
                         size_t n, const uint8_t *digests);

/* Sums of what was timed one after the other. */
void pleach__bench_add_cost(pleach__bench_cost *sum, pleach__bench_cost each, double times);
void pleach__bench_add_timing(pleach__bench_timing *sum, const pleach__bench_timing *timing);

/* Notes how the timing of work came about, and what it means for its compressions. */
void pleach__bench_note(pleach__bench_result *result, const pleach__bench_timing *timing, pleach__bench_cost cost);

#endif
