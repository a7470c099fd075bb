#include "config/error.h"
#include "fakes.h"

static void accepts_every_backend(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    assert_true(pleach__probe(s->family, s->backend));
}

static void accepts_one_that_is_right(void **state)
{
    (void)state;
    assert_true(pleach__probe(&pleach__blake2s, &fake_right));
}

static void catches_each_fault(void **state)
{
    static const pleach__backend *const wrong[] = {&fake_swaps_lanes, &fake_last_lane,  &fake_spare_lane,
                                                   &fake_many_blocks, &fake_padded,     &fake_fold_root,
                                                   &fake_fold_level,  &fake_list_order, &fake_list_size};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (pleach__probe(&pleach__blake2s, wrong[i]))
            fail_msg("%s was not caught", wrong[i]->name);
}

/* One family's backends do not pass for another's. */
static void catches_another_hash(void **state)
{
    (void)state;
    assert_false(pleach__probe(&pleach__sha256, &fake_right));
}

static void leaves_the_last_error_alone(void **state)
{
    (void)state;
    pleach__set_last_error("as it was");
    for (size_t i = 0; i < subject_count; i++)
        if (subjects[i].backend->lanes == 1)
            assert_true(pleach__probe(subjects[i].family, subjects[i].backend));
    assert_string_equal(pleach_last_error(), "as it was");
}

int run_probe_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_one_that_is_right),
        cmocka_unit_test(catches_each_fault),
        cmocka_unit_test(catches_another_hash),
        cmocka_unit_test(leaves_the_last_error_alone),
    };
    return run_for_all("probe", accepts_every_backend) + RUN_GROUP(tests);
}
