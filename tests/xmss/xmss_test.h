/* What the files of this program share. */
#ifndef PLEACH_XMSS_TEST_H
#define PLEACH_XMSS_TEST_H

#include "tests/trials.h"
#include "xmss/reference.h"

#include <stdio.h>
#include <string.h>

enum { KEY = PLEACH_XMSS_PUBLIC_KEY_SIZE, MESSAGE = PLEACH_XMSS_MESSAGE_SIZE, SIGNATURE = PLEACH_XMSS_SIGNATURE_SIZE };

/* --- guarded.c --- */

/* `size` bytes that end where memory ends. */
uint8_t *guarded(size_t size);
void guarded_free(uint8_t *bytes, size_t size);

/* Such bytes that must not be touched. */
uint8_t *untouchable(void);

/* --- records.c: claims and what is to become of them --- */

typedef struct record {
    uint8_t key[KEY], message[MESSAGE], signature[SIGNATURE];
    uint32_t epoch;
} record;

pleach_xmss_claim claim_of(const record *r);

/* The first counter as randomness with this sum of digits, and these bits beside the digits, of the encoding's halves.
 */
void find_encoding(record *r, unsigned sum, unsigned top_bits);

/* Makes a valid one of its parameter, message, epoch, chain values and path. */
void complete(record *r);

/* Valid ones, made when they are first asked for, of epochs with all kinds of paths. */
enum { RECORDS = 17 };
const record *valid_record(size_t i);

/* What is wrong with a claim, and the result. */
enum fault { NO_FAULT, WRONG_SIZE, WRONG_MESSAGE, WRONG_CHAIN, WRONG_PATH, WRONG_ROOT, FAULTS };

/* n claims, each with memory of its own. */
typedef struct batch {
    size_t n;
    record *records;
    pleach_xmss_claim *claims;
    pleach_status *expected, *results;
} batch;

batch batch_of(size_t n);
void batch_free(batch *b);
void set_fault(batch *b, size_t i, enum fault fault);
void set_random_faults(batch *b, uint64_t seed);

/* By verify_many, in one trial. */
void assert_results(batch *b, const struct trial *trial);

/* Each file's tests; returns how many failed. */
int test_vectors(void);
int test_batches(void);
int test_calls(void);
int test_traces(void);
int test_wiring(void);

/* Bytes of exactly as many hex digits. */
static inline void from_hex(const char *hex, uint8_t *bytes, size_t size)
{
    unsigned byte;
    assert_int_equal(strlen(hex), 2 * size);
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        bytes[i] = (uint8_t)byte;
    }
}

#endif
