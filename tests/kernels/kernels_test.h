/* What the files of this program share. */
#ifndef PLEACH_KERNELS_TEST_H
#define PLEACH_KERNELS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/backend.h"
#include "tests/emulated.h"

enum { DIGEST = PLEACH_DIGEST_SIZE, LANES_MAX = 16, COUNT_MAX = 3 * LANES_MAX + 1, CANARY = 0xee };

/* A backend under test. */
typedef struct subject {
    const pleach__family *family;
    const pleach__backend *backend;
} subject;

/* Every backend that was compiled in, of every family. */
extern subject subjects[];
extern size_t subject_count;

/* Limits run_for_all() and run_for_family() to backends of that name, or of one of several with commas between them;
   false if there is none. */
bool set_only_backend(const char *name);

/* Whether the thread of the tests has what kernels that stream need. */
extern bool may_stream;

/* Prints why and skips the test if this host cannot run the backend. */
void skip_unless_usable(const subject *s);

/* Whether this processor is known to get an instruction wrong that the backend has use for, so that it is passed over;
   an emulated one may. */
bool wrong_here(const pleach__backend *backend);

/* Runs `test` for every subject that hashes, or for those of one family, as a group; returns how many failed. */
int run_for_all(const char *group, CMUnitTestFunction test);
int run_for_family(const pleach__family *family, const char *group, CMUnitTestFunction test);

/* Runs the tests of a file; returns how many failed. */
#define RUN_GROUP(tests) cmocka_run_group_tests(tests, NULL, NULL)

pleach__hash_form form_of(size_t size, size_t zeros, int prefix, bool twice);

/* The plan of a form; false if the family has no such form. */
bool plan_of(const pleach__family *family, const pleach__hash_form *form, pleach__hash_plan *plan);

/* The vector files' stream of SplitMix64 words. */
void fill_stream(uint8_t *bytes, size_t size);

/* The same numbers in every run. */
size_t random_below(size_t limit);

/* `size` bytes of the stream, twice: at first, just behind memory that must not be touched, and at last, just before
   such memory. */
typedef struct guarded {
    uint8_t *first, *last;
    void *map;
    size_t map_size;
} guarded;

guarded guarded_stream(size_t size);
void guarded_free(guarded *g);

/* n digests of the reference. */
void reference_many(const pleach__family *family, const pleach__hash_form *form, const uint8_t *in, size_t stride,
                    size_t n, uint8_t *out);

/* Runs hash_many and compares n digests with `want`, and that nothing around them was written; fails with the case. */
void check_many(const subject *s, const pleach__hash_form *form, const uint8_t *in, size_t stride, size_t n,
                const uint8_t *want);

/* Each file's tests; returns how many failed. */
int run_answer_tests(void);
int run_blake2s_tests(void);
int run_blake3_tests(void);
int run_call_tests(void);
int run_compress_tests(void);
int run_digest_tests(void);
int run_fold_tests(void);
int run_hasher_tests(void);
int run_list_tests(void);
int run_lthash_tests(void);
int run_openssl_tests(void);
int run_probe_tests(void);
int run_selection_tests(void);
int run_sha256_tests(void);
int run_urm_tests(void);

#endif
