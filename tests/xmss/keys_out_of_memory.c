/* Every allocation of what makes, keeps and uses keys fails once. */
#define _GNU_SOURCE
#include "keys_test.h"
#include "states_test.h"

#include "tests/scarce.h"

#include <stdlib.h>
#include <string.h>

const pleach__family *const *trial_families(void)
{
    static const pleach__family *const families[] = {&pleach__blake2s, NULL};
    return families;
}

enum { FIRST = 3, LAST = 40, BYTES = 1 << 12 };

struct call {
    pleach_pool *pool;
    pleach_xmss_key *key;
    uint8_t bytes[BYTES];
};

static void forget(struct call *call)
{
    pleach_xmss_key_destroy(call->key);
    call->key = NULL;
}

static pleach_status make(void *context)
{
    struct call *call = context;
    return pleach_xmss_keygen(call->pool, seed_of_tests, FIRST, LAST, NULL, &call->key);
}

static pleach_status parse(void *context)
{
    struct call *call = context;
    return pleach_xmss_key_parse(call->pool, call->bytes, pleach_xmss_key_size(call->key), &call->key);
}

static pleach_status prepare(void *context)
{
    struct call *call = context;
    return pleach_xmss_key_prepare(call->pool, call->key, FIRST, NULL);
}

static pleach_status sign_far(void *context)
{
    struct call *call = context;
    uint8_t signature[SIGNATURE];
    return pleach_xmss_sign(call->pool, call->key, LAST, message_of(1), PLEACH_XMSS_DETERMINISTIC, signature);
}

static pleach_status save(void *context)
{
    struct call *call = context;
    remove_key();
    return pleach_xmss_key_save(call->key, key_path);
}

static pleach_status reopen(void *context)
{
    struct call *call = context;
    return pleach_xmss_key_open(call->pool, key_path, &call->key);
}

static pleach_status adopt(void *context)
{
    (void)context;
    return pleach_xmss_key_adopt(key_path, LAST);
}

static void assert_survives(struct call *call, pleach_status (*attempt)(void *context))
{
    assert_true(scarce_run(&(struct scarce_call){.attempt = attempt, .context = call}) > 0);
}

static void keys(void **state)
{
    pleach_config config;
    pleach_pool *pools[] = {NULL, NULL};
    static struct call call;
    (void)state;
    pleach_config_init(&config);
    config.workers = 2;
    config.allocator = scarce_allocator;
    assert_int_equal(pleach_pool_create(&pools[1], &config), PLEACH_OK);
    for (size_t p = 0; p < 2; p++) {
        const size_t held = scarce_held();
        call.pool = pools[p];
        assert_survives(&call, make);
        assert_int_equal(pleach_xmss_key_serialise(call.key, call.bytes), PLEACH_OK);
        pleach_xmss_key *made = call.key;
        assert_survives(&call, parse);
        pleach_xmss_key_destroy(made);
        assert_survives(&call, prepare);
        assert_survives(&call, sign_far);
        assert_survives(&call, save);
        forget(&call);
        assert_survives(&call, reopen);
        forget(&call);
        assert_survives(&call, adopt);
        assert_int_equal(scarce_held(), held);
    }
    assert_int_equal(pleach_pool_destroy(pools[1]), PLEACH_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(keys)};
    return cmocka_run_group_tests_name("out of memory", tests, open_directory, close_directory);
}
