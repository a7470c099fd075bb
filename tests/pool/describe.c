#define _GNU_SOURCE
#include "pool_test.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static json_t *describe(const pleach_pool *pool)
{
    wait_until_parked(pool);
    size_t length = pleach_pool_describe(pool, NULL, 0);
    assert_in_range(length, 100, 1000000);
    char *text = malloc(length + 1);
    assert_non_null(text);
    assert_int_equal(pleach_pool_describe(pool, text, length + 1), length);
    assert_int_equal(strlen(text), length);
    json_error_t error;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (json == NULL)
        fail_msg("%s at %d: %s", error.text, error.position, text);
    free(text);
    return json;
}

static const json_t *at(const json_t *json, const char *group, const char *key)
{
    const json_t *value = json_object_get(json_object_get(json, group), key);
    assert_non_null(value);
    return value;
}

static void expect_families(const json_t *json, const pleach_kernels *kernels)
{
    const json_t *families = json_object_get(json, "families");
    assert_int_equal(json_array_size(families), PLEACH_FAMILIES);
    for (int i = 0; i < PLEACH_FAMILIES; i++) {
        const json_t *family = json_array_get(families, (size_t)i), *backends = json_object_get(family, "backends");
        const pleach__backend *const *backend = pleach__family_of((pleach_family)i)->backends;
        const char *chosen_name = pleach_kernels_backend(kernels, (pleach_family)i);
        assert_string_equal(json_string_value(json_object_get(family, "name")), pleach_family_name((pleach_family)i));
        assert_string_equal(json_string_value(json_object_get(family, "backend")), chosen_name);
        size_t count = 0, chosen = 0;
        for (; backend[count] != NULL; count++) {
            const json_t *entry = json_array_get(backends, count);
            bool is_chosen = json_is_true(json_object_get(entry, "chosen"));
            assert_string_equal(json_string_value(json_object_get(entry, "name")), backend[count]->name);
            assert_int_equal(json_integer_value(json_object_get(entry, "lanes")), backend[count]->lanes);
            assert_true(strlen(json_string_value(json_object_get(entry, "reason"))) > 0);
            assert_non_null(json_string_value(json_object_get(entry, "needs")));
            assert_int_equal(is_chosen, strcmp(backend[count]->name, chosen_name) == 0);
            chosen += is_chosen;
        }
        assert_int_equal(json_array_size(backends), count);
        assert_int_equal(chosen, 1);
    }
}

static void a_pool_describes_itself(void **state)
{
    (void)state;
    pleach_config config = settings_for(3);
    config.efficiency_workers = 1;
    config.spin_us = 77;
    (void)strcpy(config.backend, "sha256:portable");
    pleach_pool *pool;
    assert_int_equal(pleach_pool_create(&pool, &config), PLEACH_OK);
    json_t *json = describe(pool);
    assert_string_equal(json_string_value(json_object_get(json, "version")), pleach_version());
    assert_int_equal(json_integer_value(at(json, "processors", "usable")), pool->topology.processors);
    assert_int_equal(json_integer_value(at(json, "processors", "quota")), pool->topology.quota);
    assert_int_equal(json_is_null(at(json, "processors", "quota")), pool->topology.quota == 0);
    assert_int_equal(json_integer_value(at(json, "workers", "asked")), 4);
    assert_int_equal(json_integer_value(at(json, "workers", "running")), 4);
    assert_int_equal(json_integer_value(at(json, "workers", "efficiency")), 1);
    assert_int_equal(json_integer_value(at(json, "streaming", "units")), 0);
    assert_int_equal(json_integer_value(at(json, "streaming", "slots")), 0);
    assert_int_equal(json_array_size(at(json, "streaming", "holders")), 0);
    assert_string_equal(json_string_value(at(json, "memory", "allocator")), pleach__arena_allocator(pool->arena));
    assert_string_equal(json_string_value(at(json, "settings", "PLEACH_WORKERS")), "3");
    assert_string_equal(json_string_value(at(json, "settings", "PLEACH_SPIN_US")), "77");
    assert_string_equal(json_string_value(at(json, "settings", "PLEACH_BACKEND")), "sha256:portable");
    assert_string_equal(json_string_value(at(json, "settings", "PLEACH_SME_WORKERS")), "auto");
    assert_int_equal(json_object_size(json_object_get(json, "settings")), 8);
    expect_families(json, pleach_pool_kernels(pool));
    json_decref(json);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static void expect_holder(const json_t *holder, int worker, const char *kind, int cluster, int unit)
{
    assert_int_equal(json_integer_value(json_object_get(holder, "worker")), worker);
    assert_string_equal(json_string_value(json_object_get(holder, "kind")), kind);
    assert_int_equal(json_integer_value(json_object_get(holder, "cluster")), cluster);
    assert_int_equal(json_integer_value(json_object_get(holder, "unit")), unit);
}

static void expect_text(const json_t *object, const char *key, const char *expected)
{
    const json_t *value = json_object_get(object, key);
    assert_non_null(value);
    if (expected != NULL)
        assert_string_equal(json_string_value(value), expected);
    else
        assert_true(json_is_null(value));
}

static void expect_count(const json_t *object, const char *key, uint64_t expected)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    assert_int_equal(json_integer_value(value), expected);
}

static void expect_participant(const json_t *json, const pleach_pool *pool, unsigned index, const char *kind,
                               int cluster, bool streaming)
{
    const json_t *participant = json_array_get(json_object_get(json, "participants"), index);
    pleach_pool_counters counters;
    assert_int_equal(pleach_pool_count_worker(pool, index, &counters), PLEACH_OK);
    expect_count(participant, "index", index);
    expect_text(participant, "kind", kind);
    if (cluster >= 0)
        expect_count(participant, "cluster", (uint64_t)cluster);
    else
        expect_text(participant, "cluster", NULL);
    expect_text(participant, "bound", NULL);
    expect_text(participant, "core", NULL);
    assert_int_equal(json_is_true(json_object_get(participant, "streaming")), streaming);
    expect_count(participant, "jobs", counters.jobs);
    expect_count(participant, "claims", counters.claims);
    assert_in_range(json_integer_value(json_object_get(participant, "parks")), index != 0, counters.parks);
    expect_count(participant, "busy_ns", counters.busy_ns);
}

static void nothing(void *context, const pleach_worker *worker)
{
    (void)context, (void)worker;
}

static void the_machine_and_its_slots_are_told(void **state)
{
    (void)state;
    pleach_config config = settings_for(4);
    config.efficiency_workers = 2;
    pleach__topology topology = make_clustered_machine();
    topology.quota = 5;
    pleach_pool *pool;
    assert_int_equal(pleach__pool_create_on(&pool, &config, &topology), PLEACH_OK);
    run_on_all(pool, nothing, NULL);
    for (unsigned i = 1; i < pleach_pool_width(pool); i++)
        while (atomic_load(&pool->workers[i].counted.busy_ns) == 0)
            uv_sleep(1);
    json_t *json = describe(pool);
    assert_int_equal(json_integer_value(at(json, "processors", "usable")), 9);
    assert_int_equal(json_integer_value(at(json, "processors", "quota")), 5);
    assert_int_equal(json_integer_value(at(json, "processors", "performance")), 5);
    assert_int_equal(json_integer_value(at(json, "processors", "efficiency")), 4);
    assert_int_equal(json_integer_value(at(json, "processors", "performance_clusters")), 2);
    assert_int_equal(json_integer_value(at(json, "processors", "efficiency_clusters")), 1);
    assert_string_equal(json_string_value(at(json, "workers", "reason")), "as many as the settings ask for");
    assert_int_equal(json_integer_value(at(json, "streaming", "units")), 3);
    assert_int_equal(json_integer_value(at(json, "streaming", "slots")), 3);
    assert_string_equal(json_string_value(at(json, "streaming", "reason")),
                        "one for each streaming unit, to the first worker on it");
    const json_t *holders = at(json, "streaming", "holders");
    assert_int_equal(json_array_size(holders), 3);
    expect_holder(json_array_get(holders, 0), 1, "performance", 0, 0);
    expect_holder(json_array_get(holders, 1), 2, "performance", 1, 1);
    expect_holder(json_array_get(holders, 2), 4, "efficiency", 0, 2);
    const json_t *family = json_array_get(json_object_get(json, "families"), PLEACH_BLAKE2S);
    assert_string_equal(json_string_value(json_object_get(family, "streaming_backend")),
                        pleach_kernels_backend(&pool->kernels[1], PLEACH_BLAKE2S));
    assert_int_equal(json_array_size(json_object_get(json, "participants")), 6);
    expect_participant(json, pool, 0, "callers", -1, false);
    expect_participant(json, pool, 1, "performance", 0, true);
    expect_participant(json, pool, 2, "performance", 1, true);
    expect_participant(json, pool, 3, "performance", 0, false);
    expect_participant(json, pool, 4, "efficiency", 0, true);
    expect_participant(json, pool, 5, "efficiency", 0, false);
    json_decref(json);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static void the_reasons_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *workers, *efficiency_workers, *sme_workers;
        unsigned quota, thread_starts;
        const char *workers_reason, *slots_reason;
    } cases[] = {
        {"auto", "auto", "auto", 0, 99, "one for each usable processor, less one performance core that is held back",
         "one for each streaming unit, to the first worker on it"},
        {"auto", "auto", "1", 6, 99, "as many as the quota of the control group grants time for",
         "as many as the settings allow, each to the first worker on a streaming unit"},
        {"auto", "1020", "0", 0, 2, "as many as a pool can have", "those of the workers that could be started"},
        {"2", "auto", "0", 0, 99, "as many as the settings ask for", "the settings forbid streaming"},
        {"2", "auto", "auto", 0, 99, "as many as the settings ask for",
         "one for each streaming unit that a worker is on"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pleach_config config = settings_for(0);
        config.log_level = PLEACH_LOG_OFF;
        assert_int_equal(pleach_config_set(&config, "PLEACH_WORKERS", cases[i].workers), PLEACH_OK);
        assert_int_equal(pleach_config_set(&config, "PLEACH_EFFICIENCY_WORKERS", cases[i].efficiency_workers),
                         PLEACH_OK);
        assert_int_equal(pleach_config_set(&config, "PLEACH_SME_WORKERS", cases[i].sme_workers), PLEACH_OK);
        pleach__topology topology = make_clustered_machine();
        topology.quota = cases[i].quota;
        pleach_pool *pool;
        atomic_store(&thread_starts_left, (int)cases[i].thread_starts);
        assert_int_equal(pleach__pool_create_on(&pool, &config, &topology), PLEACH_OK);
        atomic_store(&thread_starts_left, 1 << 30);
        json_t *json = describe(pool);
        assert_string_equal(json_string_value(at(json, "workers", "reason")), cases[i].workers_reason);
        assert_string_equal(json_string_value(at(json, "streaming", "reason")), cases[i].slots_reason);
        assert_int_equal(json_array_size(at(json, "streaming", "holders")), pool->plan.slots);
        json_decref(json);
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
    pleach_pool *pool = make_pool(2);
    json_t *json = describe(pool);
    if (pool->topology.streaming_units == 0)
        assert_string_equal(json_string_value(at(json, "streaming", "reason")), "no streaming unit was found");
    json_decref(json);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static void the_calling_thread_alone_is_described_too(void **state)
{
    (void)state;
    json_t *json = describe(NULL);
    assert_int_equal(json_integer_value(at(json, "workers", "running")), 1);
    assert_string_equal(json_string_value(at(json, "settings", "PLEACH_WORKERS")), "1");
    assert_int_equal(json_array_size(json_object_get(json, "participants")), 1);
    expect_participant(json, NULL, 0, "callers", -1, false);
    expect_families(json, pleach_kernels_default());
    json_decref(json);
}

static void a_text_that_does_not_fit_is_cut(void **state)
{
    (void)state;
    pleach_pool *pool = make_pool(2);
    wait_until_parked(pool);
    size_t length = pleach_pool_describe(pool, NULL, 0);
    char *whole = malloc(length + 1), *part = malloc(length + 2);
    assert_true(whole != NULL && part != NULL);
    (void)pleach_pool_describe(pool, whole, length + 1);
    for (size_t size = 1; size <= length + 1; size++) {
        memset(part, '#', length + 2);
        assert_int_equal(pleach_pool_describe(pool, part, size), length);
        assert_memory_equal(part, whole, size - 1);
        assert_int_equal(part[size - 1], '\0');
        assert_int_equal(part[size], '#');
    }
    free(whole);
    free(part);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

int run_describe_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pool_describes_itself),
        cmocka_unit_test(the_machine_and_its_slots_are_told),
        cmocka_unit_test(the_reasons_are_told),
        cmocka_unit_test(the_calling_thread_alone_is_described_too),
        cmocka_unit_test(a_text_that_does_not_fit_is_cut),
    };
    return cmocka_run_group_tests_name("describe", tests, NULL, NULL);
}
