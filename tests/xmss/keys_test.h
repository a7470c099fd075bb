/* What the files of the tests of keys share. */
#ifndef PLEACH_KEYS_TEST_H
#define PLEACH_KEYS_TEST_H

#include "xmss_test.h"

#include "xmss/key.h"

enum { SEED = PLEACH_XMSS_SEED_SIZE, HASH = PLEACH__XMSS_HASH };

/* One that is expected to come out. */
pleach_xmss_key *make_key(pleach_pool *pool, const uint8_t *seed, uint32_t first, uint32_t last);

/* By recursion over the reference. */
void naive_public_key(const uint8_t seed[SEED], uint32_t first, uint32_t last, uint8_t public_key[KEY]);

/* Message number i. */
const uint8_t *message_of(uint64_t i);

pleach_status sign(pleach_xmss_key *key, uint32_t epoch, uint64_t message, uint8_t signature[SIGNATURE]);

/* Whether it is one of the key, by the reference. */
void assert_signed(pleach_xmss_key *key, uint32_t epoch, uint64_t message, const uint8_t *signature);

extern const uint8_t seed_of_tests[SEED];

/* --- calls.c of the system, which fail or end the process --- */

enum interruption {
    NO_INTERRUPTION,
    ENDS_BEFORE, /* the process, before the call */
    ENDS_AFTER,
    ENDS_TORN, /* in a write of which a part is on the disk */
    FAILS,     /* the call, and all later ones succeed */
};

/* From now on: what becomes of the nth write, synchronisation or link, counted from 0. What is written reaches the file
   when it is synchronised, unless that is not said to be `volatile`. */
void interrupt_calls(enum interruption interruption, unsigned n, bool is_volatile);

/* Calls since. */
unsigned calls_made(void);

int test_keys(void);
int test_signing(void);
int test_states(void);
int test_crashes(void);

#endif
