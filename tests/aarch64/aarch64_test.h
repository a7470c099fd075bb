/* What the files of this program share. */
#ifndef PLEACH_AARCH64_TEST_H
#define PLEACH_AARCH64_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/blake2s/blake2s.h"
#include "kernels/streaming.h"

enum { DIGEST = PLEACH_DIGEST_SIZE, LANES = 16 };

/* Whether threads can have what streaming needs here, as the program's argument says; else as this thread finds. */
extern bool can_stream;

/* Prints why and skips the test if they cannot. */
void skip_unless_streaming(void);

/* --- stays.c: stays in streaming mode --- */

/* Most that a thread's name can tell of a pool's workers; OTHERS: threads that are none. */
enum { WORKERS = 8, OTHERS = WORKERS };

/* So far, of each worker. */
extern _Atomic unsigned stays[WORKERS + 1];
unsigned all_stays(void);
void forget_stays(void);

/* --- work.c --- */

/* Hashes, folds, lists and compressions that fill vectors, all alike on every call. */
struct work {
    bool right; /* what the last call found: digests are those of the portable backend */
};

/* With the streaming backend; void * is a struct work. */
void do_work(void *work);

/* The same with batches that do not fill a vector. */
void do_small_work(void *work);

/* --- entering.c --- */

/* Whether all are on this thread that can be. */
bool all_signals_are_blocked(void);

/* Each file's tests; returns how many failed. */
int run_entering_tests(void);
int run_storm_tests(void);
int run_slot_tests(void);

#endif
