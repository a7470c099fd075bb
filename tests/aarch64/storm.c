/* Threads of a host that hash while a timer's signals rain on them. */
#define _GNU_SOURCE
#include "aarch64_test.h"

#include <arm_neon.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

uint64_t streaming_state(void);

enum { THREADS = 3, SIGNALS = 300, PERIOD_US = 500, ROUNDS_MAX = 2000 };

static _Atomic unsigned handled, in_streaming_mode, wrong;

/* Whether the thread was in streaming mode when the signal came: the frame's record of vector registers says so. */
static bool was_streaming(const ucontext_t *context)
{
    enum { RECORD = 0x53564501, EXTRA = 0x45585401, STREAMING = 1 };
    const uint8_t *at = (const uint8_t *)context->uc_mcontext.__reserved;
    for (;;) {
        uint32_t head[2]; /* kind, size */
        memcpy(head, at, sizeof head);
        if (head[0] == 0)
            return false;
        if (head[0] == RECORD) {
            uint16_t flags;
            memcpy(&flags, at + 10, sizeof flags);
            return flags & STREAMING;
        }
        if (head[0] == EXTRA) {
            uint64_t elsewhere;
            memcpy(&elsewhere, at + 8, sizeof elsewhere);
            at = (const uint8_t *)(uintptr_t)elsewhere;
        } else {
            at += head[1];
        }
    }
}

static void handle(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    if (was_streaming(context) || streaming_state() != 0)
        atomic_fetch_add(&in_streaming_mode, 1);
    uint32x4_t sum = vdupq_n_u32(atomic_fetch_add(&handled, 1));
    for (int i = 0; i < 8; i++)
        sum = vaddq_u32(veorq_u32(sum, vshlq_n_u32(sum, 5)), vdupq_n_u32(1));
    __asm__ volatile("movi v8.16b, #7\n\tmovi v31.16b, #7" : : "w"(sum) : "v8", "v31");
}

static void *hash(void *unused)
{
    (void)unused;
    pleach__streaming before;
    if (!pleach__streaming_begin(&before, false)) {
        atomic_fetch_add(&wrong, 1);
        return NULL;
    }
    for (int round = 0; round < ROUNDS_MAX && (round < 10 || atomic_load(&handled) < SIGNALS); round++) {
        struct work work = {false};
        do_work(&work);
        if (!work.right)
            atomic_fetch_add(&wrong, 1);
    }
    pleach__streaming_end(&before);
    return NULL;
}

static void no_handler_runs_in_streaming_mode(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_RESTART | SA_SIGINFO}, before;
    const struct itimerval often = {{0, PERIOD_US}, {0, PERIOD_US}}, never = {{0, 0}, {0, 0}};
    skip_unless_streaming();
    forget_stays();
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, hash, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
    print_message("%u signals handled, %u stays\n", atomic_load(&handled), all_stays());
    assert_true(atomic_load(&handled) >= SIGNALS);
    assert_true(all_stays() > 0);
    assert_int_equal(atomic_load(&in_streaming_mode), 0);
    assert_int_equal(atomic_load(&wrong), 0);
}

int run_storm_tests(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_handler_runs_in_streaming_mode)};
    return cmocka_run_group_tests_name("storm", tests, NULL, NULL);
}
