/* What a stay in streaming mode needs, and what it leaves alone. */
#define _GNU_SOURCE
#include "aarch64_test.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

void call_with_registers(void (*call)(void *), void *context, uint64_t registers[9]);
void call_with_za(void (*call)(void *), void *context, uint8_t row[256]);
void call_with_lazy_save(void (*call)(void *), void *context);

enum { SET_LENGTH = 63, GET_LENGTH = 64, LENGTH_BITS = 0xffff, VECTOR_BYTES = 64 };

static int length(void)
{
    return prctl(GET_LENGTH, 0, 0, 0, 0) & LENGTH_BITS;
}

/* Whether the system grants a length other than the right one; it is set then. */
static bool take_other_length(void)
{
    for (int bytes = 16; bytes <= 256; bytes *= 2)
        if (bytes != VECTOR_BYTES && prctl(SET_LENGTH, bytes, 0, 0, 0) >= 0 && length() != VECTOR_BYTES)
            return true;
    return false;
}

/* Bit i: signal i + 1 is blocked. */
static uint64_t blocked(void)
{
    sigset_t set;
    uint64_t bits;
    (void)pthread_sigmask(SIG_BLOCK, NULL, &set);
    memcpy(&bits, &set, sizeof bits); /* the system writes no more */
    return bits;
}

bool all_signals_are_blocked(void)
{
    sigset_t all, before;
    const uint64_t bits = blocked();
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const uint64_t most = blocked();
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return bits == most;
}

static void keeps_registers(void **state)
{
    (void)state;
    struct work work = {false};
    uint64_t registers[9], before[9];
    skip_unless_streaming();
    for (uint64_t i = 0; i < 8; i++)
        registers[i] = 0x0123456789abcdef * (i + 1);
    registers[8] = 0x08000015; /* QC, and three exceptions */
    memcpy(before, registers, sizeof before);
    forget_stays();
    call_with_registers(do_work, &work, registers);
    assert_memory_equal(registers, before, sizeof before);
    assert_true(work.right);
    assert_true(all_stays() > 0);
}

/* Then ordinary kernels do the work. */
static void leaves_za_alone(void **state)
{
    (void)state;
    struct work work = {false};
    uint8_t row[256], before[sizeof row];
    skip_unless_streaming();
    for (size_t i = 0; i < sizeof row; i++)
        row[i] = (uint8_t)(i + 1);
    memcpy(before, row, sizeof row);
    forget_stays();
    call_with_za(do_work, &work, row);
    assert_true(work.right);
    assert_memory_equal(row, before, sizeof row);
    work.right = false;
    call_with_lazy_save(do_work, &work);
    assert_true(work.right);
    assert_int_equal(all_stays(), 0);
}

static void begin(void *granted)
{
    *(bool *)granted = pleach__streaming_begin(NULL, true);
}

static void does_not_begin_where_za_is_used(void **state)
{
    (void)state;
    uint8_t row[256] = {1};
    bool granted = true;
    const uint64_t before = blocked();
    skip_unless_streaming();
    call_with_za(begin, &granted, row);
    assert_false(granted);
    granted = true;
    call_with_lazy_save(begin, &granted);
    assert_false(granted);
    const uint64_t after = blocked();
    assert_true(before == after);
}

static void gives_back_length_and_signals(void **state)
{
    (void)state;
    pleach__streaming outer, inner;
    skip_unless_streaming();
    const bool other = take_other_length();
    const int before = length();
    const uint64_t signals = blocked();
    assert_true(pleach__streaming_begin(&outer, false));
    assert_int_equal(length(), VECTOR_BYTES);
    uint64_t now = blocked();
    assert_true(now == signals);
    assert_false(all_signals_are_blocked());
    assert_true(pleach__streaming_begin(&inner, true));
    assert_true(all_signals_are_blocked());
    pleach__streaming_end(&inner);
    now = blocked();
    assert_true(now == signals);
    assert_int_equal(length(), VECTOR_BYTES);
    pleach__streaming_end(&outer);
    assert_int_equal(length(), before);
    if (!other)
        print_message("every length is the right one here\n");
}

/* A host may change the length of its own thread. */
static void does_not_stream_at_another_length(void **state)
{
    (void)state;
    struct work work = {false};
    pleach__streaming before;
    skip_unless_streaming();
    assert_true(pleach__streaming_begin(&before, false));
    if (take_other_length()) {
        forget_stays();
        do_work(&work);
        assert_true(work.right);
        assert_int_equal(all_stays(), 0);
    }
    pleach__streaming_end(&before);
}

static void does_not_stream_below_a_full_vector(void **state)
{
    (void)state;
    struct work work = {false};
    pleach__streaming before;
    skip_unless_streaming();
    assert_true(pleach__streaming_begin(&before, false));
    forget_stays();
    do_small_work(&work);
    assert_true(work.right);
    assert_int_equal(all_stays(), 0);
    pleach__streaming_end(&before);
}

static void refuses_what_the_system_does_not_grant(void **state)
{
    (void)state;
    struct work work = {false};
    pleach__streaming before;
    if (can_stream || !pleach__cpu_features()->sme)
        return;
    const int was = length();
    const uint64_t signals = blocked();
    assert_false(pleach__streaming_begin(&before, true));
    const uint64_t now = blocked();
    assert_true(now == signals);
    assert_int_equal(length(), was);
    forget_stays();
    do_work(&work);
    assert_true(work.right);
    assert_int_equal(all_stays(), 0);
}

static int prepare(void **state)
{
    static pleach__streaming before;
    *state = &before;
    return can_stream && !pleach__streaming_begin(&before, false) ? -1 : 0;
}

static int restore(void **state)
{
    if (can_stream)
        pleach__streaming_end(*state);
    return 0;
}

int run_entering_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(keeps_registers, prepare, restore),
        cmocka_unit_test_setup_teardown(leaves_za_alone, prepare, restore),
        cmocka_unit_test(does_not_begin_where_za_is_used),
        cmocka_unit_test(gives_back_length_and_signals),
        cmocka_unit_test(does_not_stream_at_another_length),
        cmocka_unit_test(does_not_stream_below_a_full_vector),
        cmocka_unit_test(refuses_what_the_system_does_not_grant),
    };
    return cmocka_run_group_tests_name("entering", tests, NULL, NULL);
}
