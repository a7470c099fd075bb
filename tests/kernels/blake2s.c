/* What only BLAKE2s has. */
#include "kernels/blake2s/keyed.h"
#include "kernels_test.h"

#include <string.h>

static void refuses_rules_it_has_not(void **state)
{
    pleach__hash_plan plan, before;
    (void)state;
    memset(&plan, CANARY, sizeof plan);
    before = plan;
    const pleach__hash_form prefixed = form_of(64, 0, 0, false), twice = form_of(64, 0, PLEACH__NO_PREFIX, true);
    assert_int_equal(pleach__blake2s.plan(&plan, &prefixed), PLEACH_EINVAL);
    assert_non_null(strstr(pleach_last_error(), "prefix"));
    assert_non_null(strstr(pleach_last_error(), "blake2s"));
    assert_int_equal(pleach__blake2s.plan(&plan, &twice), PLEACH_EINVAL);
    assert_non_null(strstr(pleach_last_error(), "twice"));
    assert_memory_equal(&plan, &before, sizeof plan);
}

static void refuses_sizes_beyond_memory(void **state)
{
    static const size_t sizes[][2] = {
        {SIZE_MAX, 0}, {(size_t)PTRDIFF_MAX + 1, 0}, {PTRDIFF_MAX, 1}, {0, SIZE_MAX}, {64, SIZE_MAX - 32}};
    pleach__hash_plan plan, before;
    (void)state;
    memset(&plan, CANARY, sizeof plan);
    before = plan;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const pleach__hash_form form = form_of(sizes[i][0], sizes[i][1], PLEACH__NO_PREFIX, false);
        assert_int_equal(pleach__blake2s.plan(&plan, &form), PLEACH_ERANGE);
        assert_memory_equal(&plan, &before, sizeof plan);
    }
}

/* Inputs of four gigabytes take too long: the plan claims that so much was hashed before. */
static void counter_exceeds_32_bits(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    static uint8_t in[COUNT_MAX * 200], want[COUNT_MAX * DIGEST], got[COUNT_MAX * DIGEST];
    static const uint64_t hashed[] = {0xffffffc0, 0xffffff80, 0x100000000, 0x123456789c0, 0xffffffffffffff00};
    const pleach__hash_form form = form_of(200, 0, PLEACH__NO_PREFIX, false);
    const pleach__backend *portable = NULL;
    for (const pleach__backend *const *b = pleach__blake2s.backends; *b; b++)
        portable = *b;
    fill_stream(in, sizeof in);
    for (size_t i = 0; i < sizeof hashed / sizeof *hashed; i++) {
        pleach__hash_plan plan;
        assert_true(plan_of(&pleach__blake2s, &form, &plan));
        plan.hashed = hashed[i];
        portable->hash_many(&plan, in, 200, COUNT_MAX, want);
        s->backend->hash_many(&plan, in, 200, COUNT_MAX, got);
        assert_memory_equal(got, want, sizeof got);
        if (hashed[i] <= UINT32_MAX)
            continue;
        plan.hashed = (uint32_t)hashed[i];
        s->backend->hash_many(&plan, in, 200, COUNT_MAX, got);
        assert_memory_not_equal(got, want, DIGEST);
    }
}

/* Every key size, with inputs that end before memory that must not be touched. */
static void keyed(void **state)
{
    enum { LONGEST = 200 };
    const subject *s = *state;
    skip_unless_usable(s);
    static uint8_t want[COUNT_MAX * DIGEST], got[COUNT_MAX * DIGEST];
    guarded g = guarded_stream(COUNT_MAX * LONGEST), keys = guarded_stream(PLEACH__BLAKE2S_KEY_MAX);
    for (size_t size = 0; size <= LONGEST; size = quick() ? size + 16 : size + 1)
        for (size_t key_size = 1; key_size <= PLEACH__BLAKE2S_KEY_MAX; key_size++) {
            const size_t n = key_size + size % (COUNT_MAX - PLEACH__BLAKE2S_KEY_MAX);
            const uint8_t *in = g.last + COUNT_MAX * LONGEST - n * size;
            const uint8_t *key = keys.last + PLEACH__BLAKE2S_KEY_MAX - key_size;
            pleach__blake2s_keyed k;
            for (size_t i = 0; i < n; i++)
                pleach__blake2s_reference_keyed(key, key_size, in + size * i, size, want + DIGEST * i);
            assert_int_equal(pleach__blake2s_key(&k, key, key_size, size), PLEACH_OK);
            memset(got, CANARY, sizeof got);
            pleach__blake2s_hash_keyed(&k, s->backend, in, size, n, got);
            assert_memory_equal(got, want, DIGEST * n);
        }
    guarded_free(&g);
    guarded_free(&keys);
}

static void refuses_keys(void **state)
{
    static const uint8_t key[PLEACH__BLAKE2S_KEY_MAX + 1];
    pleach__blake2s_keyed k, before;
    (void)state;
    memset(&k, CANARY, sizeof k);
    before = k;
    assert_int_equal(pleach__blake2s_key(&k, key, 0, 64), PLEACH_EINVAL);
    assert_non_null(strstr(pleach_last_error(), "key_size = 0"));
    assert_int_equal(pleach__blake2s_key(&k, key, sizeof key, 0), PLEACH_EINVAL);
    assert_non_null(strstr(pleach_last_error(), "key_size = 33"));
    assert_int_equal(pleach__blake2s_key(&k, key, 32, SIZE_MAX), PLEACH_ERANGE);
    assert_memory_equal(&k, &before, sizeof k);
}

int run_blake2s_tests(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refuses_rules_it_has_not),
                                       cmocka_unit_test(refuses_sizes_beyond_memory), cmocka_unit_test(refuses_keys)};
    return RUN_GROUP(tests) + run_for_family(&pleach__blake2s, "keyed", keyed) +
           run_for_family(&pleach__blake2s, "counter exceeds 32 bits", counter_exceeds_32_bits);
}
