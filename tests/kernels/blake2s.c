/* What only BLAKE2s has. */
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

int run_blake2s_tests(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refuses_rules_it_has_not),
                                       cmocka_unit_test(refuses_sizes_beyond_memory)};
    return RUN_GROUP(tests) + run_for_family(&pleach__blake2s, "counter exceeds 32 bits", counter_exceeds_32_bits);
}
