/* What the work of a room is tested on: pools and backends. */
#ifndef PLEACH_TRIALS_H
#define PLEACH_TRIALS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/backend.h"
#include "pool/pool.h"
#include "tests/emulated.h"

struct trial {
    char name[80];
    pleach_pool *pool;
};

/* Whose backends, and then NULL; each program defines it. */
const pleach__family *const *trial_families(void);

/* No pool, pools of 1, 2 and 8 workers, and for each usable backend a pool of 2 that is pinned to it; no pool of 8 if
   quick().
   Set up and torn down with a group of tests. */
extern struct trial trials[];
extern size_t trial_count;
int open_trials(void **state);
int close_trials(void **state);

pleach_pool *open_pool(int workers, const char *backend);

/* No two stretches of it are alike. From seed 0 it is the vector files' stream of SplitMix64 words. */
void fill_random(uint8_t *bytes, size_t size, uint64_t seed);

uint64_t random_below(uint64_t *state, uint64_t bound);

#endif
