#include "xmss_test.h"

#include "config/little_endian.h"
#include "kernels/blake2s/blake2s.h"

#include <stdlib.h>
#include <string.h>

enum { RANDOMNESS = PLEACH__XMSS_RANDOMNESS, HASH = PLEACH__XMSS_HASH };

pleach_xmss_claim claim_of(const record *r)
{
    return (pleach_xmss_claim){.public_key = r->key,
                               .message = r->message,
                               .signature = r->signature,
                               .signature_size = SIGNATURE,
                               .epoch = r->epoch};
}

static unsigned digit_sum(uint64_t word)
{
    unsigned sum = 0;
    for (; word > 0; word >>= 3)
        sum += word & 7;
    return sum;
}

/* A search by the reference would take long. */
void find_encoding(record *r, unsigned sum, unsigned top_bits)
{
    pleach_xmss_compression records[2], *trace = records;
    uint8_t digits[PLEACH_XMSS_CHAINS], block[64] = {0};
    memset(r->signature + RANDOMNESS, 0, PLEACH_XMSS_RANDOMNESS_SIZE);
    (void)pleach__xmss_reference_encode(digits, r->key + HASH, r->epoch, r->message, r->signature + RANDOMNESS, &trace);
    for (uint64_t count = 0;; count++) {
        uint32_t h[8];
        memcpy(h, records[0].result, sizeof h);
        pleach__put64(block, count);
        pleach__blake2s_compress(h, block, 96, true);
        const uint64_t word[2] = {h[0] | (uint64_t)h[1] << 32, h[2] | (uint64_t)h[3] << 32};
        if ((word[0] >> 63 | word[1] >> 63 << 1) == top_bits &&
            digit_sum(word[0] << 1 >> 1) + digit_sum(word[1] << 1 >> 1) == sum)
            break;
    }
    memcpy(r->signature + RANDOMNESS, block, PLEACH_XMSS_RANDOMNESS_SIZE);
}

void complete(record *r)
{
    const pleach_xmss_claim claim = claim_of(r);
    uint8_t root[HASH];
    find_encoding(r, PLEACH__XMSS_SUM, 0);
    assert_true(pleach__xmss_reference_root(root, &claim, NULL));
    memcpy(r->key, root, HASH);
}

const record *valid_record(size_t i)
{
    static record records[RECORDS];
    static bool made[RECORDS];
    i %= quick() ? 3 : RECORDS;
    record *r = &records[i];
    if (!made[i]) {
        static const uint32_t epochs[] = {0x01234567, UINT32_MAX, 0, 1, UINT32_MAX - 1, 0x80000000, 0x7fffffff};
        fill_random((uint8_t *)r, sizeof *r, i);
        if (i < sizeof epochs / sizeof *epochs)
            r->epoch = epochs[i];
        complete(r);
        made[i] = true;
    }
    return r;
}

batch batch_of(size_t n)
{
    batch b = {.n = n,
               .records = calloc(n + 1, sizeof *b.records),
               .claims = calloc(n + 1, sizeof *b.claims),
               .expected = calloc(n + 1, sizeof *b.expected),
               .results = calloc(n + 1, sizeof *b.results)};
    assert_true(b.records && b.claims && b.expected && b.results);
    for (size_t i = 0; i < n; i++)
        set_fault(&b, i, NO_FAULT);
    return b;
}

void batch_free(batch *b)
{
    free(b->records);
    free(b->claims);
    free(b->expected);
    free(b->results);
}

void set_fault(batch *b, size_t i, enum fault fault)
{
    static const pleach_status result[FAULTS] = {
        [NO_FAULT] = PLEACH_OK,           [WRONG_SIZE] = PLEACH_EXMSSSIZE, [WRONG_MESSAGE] = PLEACH_EXMSSENCODING,
        [WRONG_CHAIN] = PLEACH_EXMSSROOT, [WRONG_PATH] = PLEACH_EXMSSROOT, [WRONG_ROOT] = PLEACH_EXMSSROOT};
    record *r = &b->records[i];
    *r = *valid_record(i * 5);
    b->claims[i] = claim_of(r);
    b->expected[i] = result[fault];
    const uint8_t bit = (uint8_t)(1 << i % 8);
    switch (fault) {
    case WRONG_SIZE:
        b->claims[i].signature_size = i % 2 ? SIGNATURE + 1 : SIGNATURE - 1;
        b->claims[i].signature = untouchable();
        break;
    case WRONG_MESSAGE:
        r->message[i % MESSAGE] ^= bit;
        break;
    case WRONG_CHAIN:
        r->signature[i * 31 % RANDOMNESS] ^= bit;
        break;
    case WRONG_PATH:
        r->signature[PLEACH__XMSS_PATH + i * 31 % (SIGNATURE - PLEACH__XMSS_PATH)] ^= bit;
        break;
    case WRONG_ROOT:
        r->key[i % HASH] ^= bit;
        break;
    default:
        break;
    }
}

void set_random_faults(batch *b, uint64_t seed)
{
    for (size_t i = 0; i < b->n; i++) {
        const uint64_t fault = random_below(&seed, 2 * FAULTS);
        set_fault(b, i, fault < FAULTS ? (enum fault)fault : NO_FAULT);
    }
}

void assert_results(batch *b, const struct trial *trial)
{
    enum { CANARY = 12345 };
    for (size_t i = 0; i <= b->n; i++)
        b->results[i] = (pleach_status)CANARY;
    assert_int_equal(pleach_xmss_verify_many(trial->pool, b->claims, b->n, b->results, NULL), PLEACH_OK);
    for (size_t i = 0; i < b->n; i++)
        if (b->results[i] != b->expected[i])
            fail_msg("claim %zu of %zu, %s: %s, not %s", i, b->n, trial->name, pleach_status_name(b->results[i]),
                     pleach_status_name(b->expected[i]));
    assert_int_equal(b->results[b->n], CANARY);
}
