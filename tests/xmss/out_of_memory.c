/* Every allocation of a verification fails once. */
#include "xmss_test.h"

#include "tests/scarce.h"
#include "xmss/trace.h"

#include <string.h>

const pleach__family *const *trial_families(void)
{
    static const pleach__family *const families[] = {&pleach__blake2s, NULL};
    return families;
}

enum { CLAIMS = 40 };

struct call {
    pleach_pool *pool;
    batch batch;
    void *trace;
    size_t trace_size;
};

static pleach_status verify(void *context)
{
    struct call *call = context;
    return pleach_xmss_verify_many(call->pool, call->batch.claims, CLAIMS, call->batch.results, NULL);
}

static pleach_status trace(void *context)
{
    struct call *call = context;
    return pleach_xmss_trace(call->pool, call->batch.claims, CLAIMS, PLEACH_XMSS_LANES_RESULTS, call->trace,
                             call->trace_size, call->batch.results, NULL);
}

static void verifications(void **state)
{
    pleach_config config;
    pleach_pool *pools[] = {NULL, NULL};
    struct call call = {.batch = batch_of(CLAIMS)};
    (void)state;
    set_random_faults(&call.batch, 1);
    assert_int_equal(pleach_xmss_trace_size(PLEACH_XMSS_LANES_RESULTS, CLAIMS, &call.trace_size), PLEACH_OK);
    call.trace = guarded(call.trace_size);
    pleach_config_init(&config);
    config.workers = 2;
    config.allocator = scarce_allocator;
    assert_int_equal(pleach_pool_create(&pools[1], &config), PLEACH_OK);
    for (size_t p = 0; p < 2; p++) {
        const size_t held = scarce_held();
        call.pool = pools[p];
        assert_int_equal(scarce_run(&(struct scarce_call){.attempt = verify, .context = &call}), 1);
        assert_memory_equal(call.batch.results, call.batch.expected, CLAIMS * sizeof *call.batch.results);
        memset(call.batch.results, 0xff, CLAIMS * sizeof *call.batch.results);
        assert_int_equal(scarce_run(&(struct scarce_call){.attempt = trace, .context = &call}), 1);
        assert_memory_equal(call.batch.results, call.batch.expected, CLAIMS * sizeof *call.batch.results);
        assert_int_equal(scarce_held(), held);
    }
    assert_int_equal(pleach_pool_destroy(pools[1]), PLEACH_OK);
    guarded_free(call.trace, call.trace_size);
    batch_free(&call.batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(verifications)};
    return cmocka_run_group_tests_name("out of memory", tests, NULL, NULL);
}
