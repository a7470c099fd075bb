/* What the files of this program share. */
#ifndef PLEACH_MERKLE_TEST_H
#define PLEACH_MERKLE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/backend.h"
#include "merkle/merkle.h"

/* --- naive.c: the definitions, written recursively over the families' references --- */

enum { LEVELS = 65, PATH = PLEACH_PATH_MAX * PLEACH_DIGEST_SIZE };

void naive_leaf(const pleach_scheme *scheme, const uint8_t *leaf, size_t size, size_t zeros, uint8_t *digest);

/* Root over n leaf hashes, n > 0: the split is at the largest power of two below n. */
void naive_root(const pleach_scheme *scheme, const uint8_t *hashes, size_t n, uint8_t *root);

/* Siblings on the way of leaf `index` to the root, bottom up, and on which side they are; returns their number. */
size_t naive_path(const pleach_scheme *scheme, const uint8_t *hashes, size_t n, size_t index, uint8_t *path,
                  uint8_t *sides);

/* The same without digests. */
size_t naive_sides(uint64_t n, uint64_t index, uint8_t *sides);

/* All levels of a tree, one after the other, from its leaf hashes; returns the number of levels. */
unsigned naive_levels(const pleach_scheme *scheme, const uint8_t *hashes, size_t n, uint8_t *nodes,
                      const uint8_t *level[LEVELS]);

/* --- trials.c: inputs, pools, backends --- */

/* What hashes in a test. */
struct trial {
    char name[80];
    pleach_pool *pool;
};

/* No pool, pools of 1, 2 and 8 workers, and for each usable backend of a family a pool of 2 that is pinned to it; set
   up and torn down with a group of tests. */
extern struct trial *trials;
extern size_t trial_count;
int open_trials(void **state);
int close_trials(void **state);

pleach_pool *open_pool(int workers, const char *backend);

/* Schemes with which trees of every size exist, for either family, with and without prefixes. */
extern const pleach_scheme promoting_blake2s, refusing_sha256;

/* The first bytes of the vector files' stream of SplitMix64 words. */
void fill_stream(uint8_t *bytes, size_t size);

/* `size` bytes that end where memory that must not be touched begins, and begin where such memory ends if a page
   divides size. */
uint8_t *guarded(size_t size);
void guarded_free(uint8_t *bytes, size_t size);

/* A leaf of bytes at a time, in pieces of random sizes. */
struct source {
    const uint8_t *bytes;
    size_t size, at;
    uint64_t pieces; /* state of the random sizes; 0 = as much as fits */
    size_t fail_at;  /* fails once so much was read, with PLEACH_ETASK + 7; SIZE_MAX = never */
    pleach_monitor *monitor;
    size_t cancel_at;   /* cancels monitor once so much was read */
    const char *thread; /* address of a thread-local of the thread that must read */
    unsigned reads;
};

struct source source_of(const uint8_t *bytes, size_t size, uint64_t pieces);
pleach_status read_source(void *context, uint8_t *buffer, size_t size, size_t *got);

/* What a monitor with watch() and this for its context was told, each time no less than before. */
struct record {
    uint64_t done, total, calls;
    pleach_monitor *cancels; /* is cancelled at the first call, if given */
};
void watch(void *context, uint64_t done, uint64_t total);

uint64_t random_below(uint64_t *state, uint64_t bound);

/* Each file's tests; returns how many failed. */
int test_vectors(void);
int test_shapes(void);
int test_proofs(void);
int test_streams(void);
int test_faults(void);

#endif
