/* Every allocation of a message fails once, and the message is as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../scarce.h"
#include "proving/urm.h"

#include <string.h>

enum { VARIABLES = 15, SIZE = 1 << (VARIABLES - 3) };

static _Alignas(PLEACH_URM_ALIGNMENT) uint8_t bits[3][SIZE];
static uint8_t challenge[VARIABLES][PLEACH_F128_SIZE];

struct call {
    pleach_pool *pool;
    pleach_urm_message message, before;
};

static pleach_status attempt(void *context)
{
    struct call *call = context;
    return pleach_urm_round1(call->pool, bits[0], bits[1], bits[2], SIZE, VARIABLES,
                             (const uint8_t(*)[PLEACH_F128_SIZE])challenge, &(pleach_urm_padding){15, 20000}, true,
                             &call->message, NULL);
}

static void unchanged(void *context)
{
    const struct call *call = context;
    assert_memory_equal(&call->message, &call->before, sizeof call->before);
}

static void messages(void **state)
{
    pleach_config config;
    pleach_pool *pools[3] = {NULL, NULL, NULL};
    static struct call call;
    (void)state;
    for (size_t i = 0; i < sizeof bits; i++)
        ((uint8_t *)bits)[i] = (uint8_t)(i * i >> 4);
    pleach_urm_fixed_challenge(challenge + PLEACH_URM_FIXED_FIRST);
    pleach_config_init(&config);
    config.workers = 2;
    assert_int_equal(pleach_pool_create(&pools[1], &config), PLEACH_OK);
    config.allocator = scarce_allocator;
    assert_int_equal(pleach_pool_create(&pools[2], &config), PLEACH_OK);
    for (size_t p = 0; p < 3; p++) {
        const size_t held = scarce_held();
        call.pool = pools[p];
        memset(&call.message, 0x5a, sizeof call.message);
        call.before = call.message;
        const unsigned needed =
            scarce_run(&(struct scarce_call){.attempt = attempt, .unchanged = unchanged, .context = &call});
        assert_in_range(needed, p == 1 ? 0 : 1, 1); /* a pool may have kept what it takes */
        assert_memory_not_equal(&call.message, &call.before, sizeof call.before);
        assert_int_equal(scarce_held(), held);
        assert_int_equal(pleach_pool_destroy(pools[p]), PLEACH_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(messages)};
    return cmocka_run_group_tests_name("out of memory", tests, NULL, NULL);
}
