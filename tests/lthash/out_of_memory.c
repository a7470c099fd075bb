/* Every allocation of every call fails once, and the states are as they were. */
#include "lthash_test.h"

#include "../scarce.h"

#include <stdlib.h>
#include <string.h>

enum { STATES = 3, MANY = 1000 };

struct call {
    pleach_pool *pool;
    pleach_status (*change)(struct call *call);
    size_t n;
    struct changes ascending, mixed;
    pleach_lthash states[STATES], total, were[STATES], total_was;
    pleach_lthash_stream *stream;
};

static pleach_status apply_one(struct call *call)
{
    return pleach_lthash_apply(call->pool, call->states, call->ascending.ops, call->n, HASHED, NULL);
}

static pleach_status apply_items(struct call *call)
{
    const pleach_lthash_items items = {.data = call->mixed.bytes, .size = 10, .stride = 10, .count = call->n};
    return pleach_lthash_apply_items(call->pool, call->states, ADD, &items, HASHED, NULL);
}

static pleach_status apply_all(struct call *call, const struct changes *changes)
{
    pleach_lthash *const states[] = {&call->states[0], &call->states[1], &call->states[2]};
    return pleach_lthash_apply_many(call->pool, states, STATES, &call->total, changes->ops, call->n, HASHED, NULL);
}

static pleach_status apply_ascending(struct call *call)
{
    return apply_all(call, &call->ascending);
}

static pleach_status apply_mixed(struct call *call)
{
    return apply_all(call, &call->mixed);
}

static pleach_status stream_item(struct call *call)
{
    pleach_status status = pleach_lthash_begin(&call->stream, call->pool, call->states);
    if (status != PLEACH_OK)
        return status;
    assert_int_equal(pleach_lthash_part(call->stream, call->mixed.bytes, call->n), PLEACH_OK);
    assert_int_equal(pleach_lthash_end(call->stream, call->states, ADD, HASHED), PLEACH_OK);
    pleach_lthash_stream_destroy(call->stream);
    call->stream = NULL;
    return PLEACH_OK;
}

static pleach_status attempt(void *context)
{
    struct call *call = context;
    return call->change(call);
}

static void unchanged(void *context)
{
    const struct call *call = context;
    assert_null(call->stream);
    assert_memory_equal(call->states, call->were, sizeof call->were);
    assert_memory_equal(&call->total, &call->total_was, sizeof call->total_was);
}

struct trial_call {
    pleach_status (*change)(struct call *call);
    size_t n;
    unsigned needed; /* allocations */
};

/* A pool that keeps memory may need less of it than it would otherwise. */
static void run_call(struct call *call, const struct trial_call *trial, bool keeps)
{
    const size_t held = scarce_held();
    call->change = trial->change;
    call->n = trial->n;
    fill_random((uint8_t *)call->states, sizeof call->states, 200);
    for (size_t s = 0; s < STATES; s++)
        call->states[s].keyed = 0;
    for (size_t s = 0; s < STATES; s++)
        memset(call->states[s].key, 0, sizeof call->states[s].key);
    call->total = call->states[1];
    memcpy(call->were, call->states, sizeof call->were);
    call->total_was = call->total;
    const unsigned needed =
        scarce_run(&(struct scarce_call){.attempt = attempt, .unchanged = unchanged, .context = call});
    assert_true(needed == trial->needed || (keeps && needed < trial->needed));
    assert_memory_not_equal(call->states, call->were, sizeof call->were);
    assert_int_equal(scarce_held(), held);
}

static void changes_of_states(void **state)
{
    static const struct trial_call calls[] = {
        {apply_one, 10, 0},     {apply_one, MANY, 1},     {apply_items, 10, 0},
        {apply_items, MANY, 1}, {apply_ascending, 10, 0}, {apply_ascending, MANY, 1},
        {apply_mixed, 10, 1},   {apply_mixed, MANY, 2},   {stream_item, 100, 1},
    };
    pleach_config config;
    pleach_pool *pools[] = {NULL, open_pool(1, ""), open_pool(2, ""), NULL};
    struct call *call = calloc(1, sizeof *call);
    (void)state;
    assert_non_null(call);
    call->ascending = random_changes(210, MANY, 50, 1);
    call->mixed = random_changes(220, MANY, 50, STATES);
    call->mixed.ops[0].state = 2;
    call->mixed.ops[1].state = 0;
    pleach_config_init(&config);
    config.workers = 2;
    config.allocator = scarce_allocator;
    assert_int_equal(pleach_pool_create(&pools[3], &config), PLEACH_OK);
    for (size_t p = 0; p < 4; p++) {
        call->pool = pools[p];
        for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
            run_call(call, &calls[i], p == 1 || p == 2);
        assert_int_equal(pleach_pool_destroy(pools[p]), PLEACH_OK);
    }
    changes_free(&call->ascending);
    changes_free(&call->mixed);
    free(call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(changes_of_states)};
    return cmocka_run_group_tests_name("out of memory", tests, NULL, NULL);
}
