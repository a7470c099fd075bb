/* The wiring replayed: every compression made anew from the sources of its words. */
#include "xmss_test.h"

#include "config/little_endian.h"
#include "kernels/blake2s/blake2s.h"
#include "xmss/trace.h"

#include <string.h>

enum { COMPRESSIONS = PLEACH_XMSS_COMPRESSIONS, INPUTS = PLEACH_XMSS_INPUTS, HASH = PLEACH__XMSS_HASH };

typedef pleach_xmss_source wiring[COMPRESSIONS][INPUTS];

static uint32_t bytes_at(const uint8_t *bytes, size_t size, size_t at)
{
    assert_true(at % 4 == 0 && at < size);
    return pleach__get32(bytes + at);
}

static uint32_t word_of(const pleach_xmss_source *s, const record *r, const pleach_xmss_compression *before,
                        size_t count)
{
    switch ((pleach_xmss_source_kind)s->kind) {
    case PLEACH_XMSS_CONSTANT:
    case PLEACH_XMSS_TWEAK:
        assert_true(s->at == 0 && s->compression == 0);
        return s->value;
    case PLEACH_XMSS_PUBLIC_KEY:
        return bytes_at(r->key, sizeof r->key, s->at);
    case PLEACH_XMSS_MESSAGE:
        return bytes_at(r->message, sizeof r->message, s->at);
    case PLEACH_XMSS_SIGNATURE:
        return bytes_at(r->signature, sizeof r->signature, s->at);
    case PLEACH_XMSS_RESULT:
        assert_true(s->compression < count && s->at < 8 && s->value == 0);
        return before[s->compression].result[s->at];
    }
    fail_msg("no such kind: %d", s->kind);
    return 0;
}

static void replay(const pleach_xmss_source *sources, const record *r, pleach_xmss_compression *all, size_t i)
{
    uint32_t words[sizeof(pleach_xmss_compression) / 4];
    uint8_t block[64];
    for (size_t w = 0; w < INPUTS; w++)
        words[w] = word_of(&sources[w], r, all, i);
    for (size_t w = 0; w < 16; w++)
        pleach__put32(block + 4 * w, words[8 + w]);
    pleach_xmss_compression *c = &all[i];
    memcpy(words + INPUTS, words, 8 * sizeof *words);
    assert_true(words[26] == 0 || words[26] == UINT32_MAX);
    pleach__blake2s_reference_compress(words + INPUTS, block, words[24] | (uint64_t)words[25] << 32, words[26] != 0);
    memcpy(c, words, sizeof *c);
}

static void check(const record *r, pleach_status expected)
{
    static wiring sources;
    static pleach_xmss_compression replayed[COMPRESSIONS], traced[COMPRESSIONS];
    const pleach_xmss_claim claim = claim_of(r);
    pleach_status result;
    memset(sources, 0xff, sizeof sources);
    assert_int_equal(pleach_xmss_wiring(&claim, sources), PLEACH_OK);
    assert_int_equal(pleach_xmss_trace(NULL, &claim, 1, PLEACH_XMSS_ROWS, traced, sizeof traced, &result, NULL),
                     PLEACH_OK);
    assert_int_equal(result, expected);
    for (size_t i = 0; i < COMPRESSIONS; i++) {
        replay(sources[i], r, replayed, i);
        assert_memory_equal(&replayed[i], &traced[i], sizeof *traced);
    }
    if (result == PLEACH_OK)
        for (size_t w = 0; w < 4; w++)
            assert_int_equal(replayed[COMPRESSIONS - 1].result[w], pleach__get32(r->key + 4 * w));
}

static void replayed(void **state)
{
    (void)state;
    for (size_t i = 0; i < RECORDS; i++) {
        record r = *valid_record(i);
        check(&r, PLEACH_OK);
        r.message[i] ^= 1;
        check(&r, PLEACH_EXMSSENCODING);
    }
}

/* What does not depend on the claim is a constant, what depends on its epoch or digits alone is a tweak, and no byte of
   the claim is without use. */
static void kinds(void **state)
{
    static wiring a, b;
    const pleach_xmss_claim claim = claim_of(valid_record(0)), other = claim_of(valid_record(1));
    bool used[SIGNATURE / 4] = {false};
    (void)state;
    assert_int_equal(pleach_xmss_wiring(&claim, a), PLEACH_OK);
    assert_int_equal(pleach_xmss_wiring(&other, b), PLEACH_OK);
    for (size_t i = 0; i < COMPRESSIONS; i++)
        for (size_t w = 0; w < INPUTS; w++) {
            const pleach_xmss_source *s = &a[i][w];
            if (s->kind == PLEACH_XMSS_CONSTANT || b[i][w].kind == PLEACH_XMSS_CONSTANT)
                assert_memory_equal(s, &b[i][w], sizeof *s);
            if (s->kind == PLEACH_XMSS_TWEAK)
                assert_true(w >= 8 && w < 11);
            if (s->kind == PLEACH_XMSS_SIGNATURE)
                used[s->at / 4] = true;
        }
    for (size_t w = 0; w < SIGNATURE / 4; w++)
        assert_true(used[w]);
}

static void refused(void **state)
{
    static wiring sources;
    pleach_xmss_claim claim = claim_of(valid_record(0));
    (void)state;
    assert_int_equal(pleach_xmss_wiring(NULL, sources), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_wiring(&claim, NULL), PLEACH_EINVAL);
    claim.signature_size--;
    assert_int_equal(pleach_xmss_wiring(&claim, sources), PLEACH_EXMSSSIZE);
    claim = claim_of(valid_record(0));
    claim.message = NULL;
    assert_int_equal(pleach_xmss_wiring(&claim, sources), PLEACH_EINVAL);
    assert_int_equal(sources[0][0].value, 0);
}

int test_wiring(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replayed),
        cmocka_unit_test(kinds),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, open_trials, close_trials);
}
