/* What the files of this program share. */
#ifndef PLEACH_LTHASH_TEST_H
#define PLEACH_LTHASH_TEST_H

#include "lthash/lthash.h"
#include "tests/trials.h"

#define ADD     PLEACH_LTHASH_ADD
#define REMOVE  PLEACH_LTHASH_REMOVE
#define HASHED  PLEACH_LTHASH_EMPTY_HASHED
#define SKIPPED PLEACH_LTHASH_EMPTY_SKIPPED

/* --- naive.c: the definition, over the reference of BLAKE3 --- */

enum { NUMBERS = 1024 };

typedef struct naive {
    uint16_t number[NUMBERS];
} naive;

/* key: PLEACH_LTHASH_KEY_SIZE bytes, or NULL. */
void naive_change(naive *state, const uint8_t *key, pleach_lthash_action action, const uint8_t *bytes, size_t size);

void assert_state(const pleach_lthash *state, const naive *expected);

/* Of two states of one key. */
void assert_same(const pleach_lthash *state, const pleach_lthash *expected);

/* --- changes.c: batches that grow --- */

struct changes {
    size_t n, most;
    pleach_lthash_op *ops;
    size_t used, size; /* of the bytes of the items */
    uint8_t *bytes;
};

/* Room for so many, with so many bytes together. */
struct changes changes_of(size_t most, size_t size);

/* One more; returns where the bytes of its item are to be written. */
uint8_t *change(struct changes *changes, pleach_lthash_action action, size_t size);

void changes_free(struct changes *changes);

/* n changes of random items of sizes below `bound`, both actions, of states below `states`. */
struct changes random_changes(uint64_t seed, size_t n, size_t bound, uint32_t states);

/* What those of a state make of it; of all states if that is ALL. */
enum { ALL = -1 };
void naive_apply(naive *state, const uint8_t *key, const struct changes *changes, int which);

/* In an order that the seed tells. */
void shuffle(struct changes *changes, uint64_t seed);

/* Each file's tests; returns how many failed. */
int test_vectors(void);
int test_states(void);
int test_batches(void);
int test_refusals(void);
int test_several(void);
int test_streams(void);
int test_items(void);
int test_sets(void);
int test_calls(void);

#endif
