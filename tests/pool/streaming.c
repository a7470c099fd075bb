/*
 * Who streams: in these tests BLAKE2s has a streaming backend, which notes the threads it runs on.
 */
#define _GNU_SOURCE
#include "pool_test.h"

#include "../emulated.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 32, OTHERS = MOST, INPUTS = 16, SIZE = 64 };

static bool streaming_backend_exists;
static _Atomic unsigned calls[MOST + 1]; /* by worker, as the thread's name tells; OTHERS: threads that are none */
static _Atomic unsigned inside[2], most_inside[2]; /* at once: threads that are no workers, workers */

const pleach__family *__real_pleach__family_of(pleach_family family);
const pleach__family *__wrap_pleach__family_of(pleach_family family);

static const pleach__backend *portable(void)
{
    const pleach__backend *const *backend = __real_pleach__family_of(PLEACH_BLAKE2S)->backends;
    while (backend[1] != NULL)
        backend++;
    return *backend;
}

static bool enter(void)
{
    char name[16] = "";
    unsigned worker;
    (void)pthread_getname_np(pthread_self(), name, sizeof name);
    if (sscanf(name, "pleach-%u", &worker) != 1 || worker >= MOST)
        worker = OTHERS;
    atomic_fetch_add(&calls[worker], 1);
    const bool is_worker = worker != OTHERS;
    unsigned now = atomic_fetch_add(&inside[is_worker], 1) + 1, most = atomic_load(&most_inside[is_worker]);
    while (now > most && !atomic_compare_exchange_weak(&most_inside[is_worker], &most, now)) {
    }
    return is_worker;
}

static void leave(bool is_worker)
{
    atomic_fetch_sub(&inside[is_worker], 1);
}

static void hash_many(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    const bool is_worker = enter();
    portable()->hash_many(plan, in, stride, n, out);
    leave(is_worker);
}

static void fold(const pleach__fold *subtree)
{
    const bool is_worker = enter();
    portable()->fold(subtree);
    leave(is_worker);
}

static void hash_list(const pleach__list *list)
{
    const bool is_worker = enter();
    portable()->hash_list(list);
    leave(is_worker);
}

const pleach__family *__wrap_pleach__family_of(pleach_family family)
{
    static pleach__backend streaming;
    static const pleach__backend *backends[3] = {&streaming};
    static pleach__family blake2s;
    if (!streaming_backend_exists || family != PLEACH_BLAKE2S)
        return __real_pleach__family_of(family);
    if (blake2s.backends == NULL) { /* first called before there is a second thread */
        streaming = *portable();
        streaming.name = "streaming";
        streaming.streaming = true;
        streaming.hash_many = hash_many;
        streaming.fold = fold;
        streaming.hash_list = hash_list;
        backends[1] = portable();
        blake2s = *__real_pleach__family_of(PLEACH_BLAKE2S);
        blake2s.backends = backends;
    }
    return &blake2s;
}

static int exists(void **state)
{
    (void)state;
    streaming_backend_exists = true;
    for (unsigned i = 0; i <= MOST; i++)
        atomic_store(&calls[i], 0);
    atomic_store(&most_inside[0], 0);
    atomic_store(&most_inside[1], 0);
    return 0;
}

static int is_gone(void **state)
{
    (void)state;
    streaming_backend_exists = false;
    return 0;
}

static unsigned all_calls(void)
{
    unsigned sum = 0;
    for (unsigned i = 0; i <= MOST; i++)
        sum += atomic_load(&calls[i]);
    return sum;
}

static void hash_some(const pleach_kernels *kernels)
{
    uint8_t in[INPUTS * SIZE], out[INPUTS * PLEACH_DIGEST_SIZE];
    memset(in, 0x5a, sizeof in);
    (void)pleach_hash_many(kernels, PLEACH_BLAKE2S, in, SIZE, SIZE, INPUTS, out);
}

static void hash_as_told(void *context, const pleach_worker *worker)
{
    (void)context;
    hash_some(worker->kernels);
}

static pleach_status hash_items(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        hash_as_told(context, worker);
    return PLEACH_OK;
}

static pleach_pool *make_pool_with(const char *workers, const char *efficiency_workers, const char *sme_workers)
{
    pleach_pool *pool = NULL;
    pleach_config config = settings_for(0);
    config.log_level = PLEACH_LOG_ERROR;
    assert_int_equal(pleach_config_set(&config, "PLEACH_WORKERS", workers), PLEACH_OK);
    assert_int_equal(pleach_config_set(&config, "PLEACH_EFFICIENCY_WORKERS", efficiency_workers), PLEACH_OK);
    assert_int_equal(pleach_config_set(&config, "PLEACH_SME_WORKERS", sme_workers), PLEACH_OK);
    pleach__topology topology = make_clustered_machine();
    assert_int_equal(pleach__pool_create_on(&pool, &config, &topology), PLEACH_OK);
    return pool;
}

static void *call_often(void *argument)
{
    for (int i = 0; i < 20; i++)
        (void)run(argument, hash_items, NULL, 40);
    return NULL;
}

static void call_from_threads(pleach_pool *pool, unsigned count)
{
    pthread_t threads[8];
    assert_true(count <= 8);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, pool), 0);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

/* The machine has two clusters of performance cores and one of efficiency cores. */
static const struct {
    const char *workers, *efficiency_workers, *sme_workers, *holders; /* a letter for each worker */
} pools[] = {{"auto", "auto", "auto", ".ss.s..."}, {"auto", "auto", "9", ".ss.s..."}, {"auto", "auto", "2", ".ss....."},
             {"auto", "auto", "1", ".s......"},    {"auto", "0", "auto", ".ss."},     {"3", "auto", "auto", ".ss"},
             {"2", "auto", "auto", ".s"},          {"2", "3", "auto", ".ss.."},       {"7", "auto", "9", ".ss...."}};

static void only_holders_of_slots_stream(void **state)
{
    for (size_t i = 0; i < sizeof pools / sizeof pools[0]; i++) {
        (void)exists(state);
        pleach_pool *pool = make_pool_with(pools[i].workers, pools[i].efficiency_workers, pools[i].sme_workers);
        assert_int_equal(pleach_pool_width(pool), strlen(pools[i].holders));
        assert_string_equal(pleach_kernels_backend(pleach_pool_kernels(pool), PLEACH_BLAKE2S), "portable");
        assert_int_equal(atomic_load(&calls[OTHERS]) > 0, i == 0); /* the probe, once in the life of a process */
        (void)exists(state);
        run_on_all(pool, hash_as_told, NULL);
        for (unsigned w = 0; w < strlen(pools[i].holders); w++)
            assert_int_equal(atomic_load(&calls[w]) != 0, pools[i].holders[w] == 's');
        call_from_threads(pool, 4);
        for (unsigned w = 0; w <= MOST; w++)
            assert_true(atomic_load(&calls[w]) == 0 || pools[i].holders[w] == 's');
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
}

static void without_slots_nothing_streams(void **state)
{
    (void)state;
    static const char *const workers[] = {"auto", "1", "3"};
    for (int i = 0; i < 3; i++) {
        pleach_pool *pool = make_pool_with(workers[i], "auto", "0");
        run_on_all(pool, hash_as_told, NULL);
        call_from_threads(pool, 2);
        assert_true(pleach_pool_describe(pool, NULL, 0) > 0);
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
    hash_some(NULL);
    assert_int_equal(run(NULL, hash_items, NULL, 10), PLEACH_OK);
    assert_int_equal(all_calls(), 0);
}

static void a_caller_that_is_alone_streams(void **state)
{
    (void)state;
    pleach_pool *pool = make_pool_with("1", "auto", "auto");
    for (int round = 1; round <= 3; round++) {
        (void)exists(state);
        assert_int_equal(run(pool, hash_items, NULL, 5), PLEACH_OK);
        assert_int_equal(atomic_load(&calls[OTHERS]), 5);
        assert_int_equal(all_calls(), 5);
    }
    assert_string_equal(pleach_kernels_backend(pleach_pool_kernels(pool), PLEACH_BLAKE2S), "portable");
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

struct encounter {
    pleach_pool *pool;
    bool first_streams, nested_streams, second_streams, second_ran;
};

static pleach_status nested(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    struct encounter *encounter = context;
    encounter->nested_streams = worker->streaming;
    return hash_items(NULL, worker, begin, end);
}

static pleach_status second(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    struct encounter *encounter = context;
    encounter->second_ran = true;
    encounter->second_streams = worker->streaming;
    return hash_items(NULL, worker, begin, end);
}

static void *call_second(void *context)
{
    (void)run(((struct encounter *)context)->pool, second, context, 1);
    return NULL;
}

static pleach_status first(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    struct encounter *encounter = context;
    pthread_t thread;
    (void)begin, (void)end;
    encounter->first_streams = worker->streaming;
    if (run(encounter->pool, nested, encounter, 1) != PLEACH_OK ||
        pthread_create(&thread, NULL, call_second, encounter) != 0)
        return PLEACH_ETASK;
    return pthread_join(thread, NULL) == 0 ? PLEACH_OK : PLEACH_ETASK;
}

static void of_two_callers_only_one_streams(void **state)
{
    (void)state;
    pleach_pool *pool = make_pool_with("1", "auto", "auto");
    for (int round = 0; round < 2; round++) { /* the slot is given back */
        struct encounter encounter = {.pool = pool};
        assert_int_equal(run(pool, first, &encounter, 1), PLEACH_OK);
        assert_true(encounter.first_streams && encounter.nested_streams);
        assert_true(encounter.second_ran && !encounter.second_streams);
    }
    (void)exists(state);
    call_from_threads(pool, 8);
    assert_true(all_calls() > 0);
    assert_int_equal(atomic_load(&most_inside[0]), 1);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

struct visit {
    pleach_pool *own, *other;
    atomic_bool went, streams_inside, streams_outside;
};

static pleach_status note_inside(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    (void)begin, (void)end;
    atomic_store(&((struct visit *)context)->streams_inside, worker->streaming);
    return PLEACH_OK;
}

static pleach_status note_outside(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    (void)begin, (void)end;
    atomic_store(&((struct visit *)context)->streams_outside, worker->streaming);
    return PLEACH_OK;
}

static void visit_other_pool(void *context, const pleach_worker *worker)
{
    struct visit *visit = context;
    if (worker->streaming && run(visit->own, note_inside, visit, 1) == PLEACH_OK &&
        run(visit->other, note_outside, visit, 1) == PLEACH_OK)
        atomic_store(&visit->went, true);
}

static void a_slot_is_good_for_its_own_pool_only(void **state)
{
    (void)state;
    struct visit visit = {.own = make_pool_with("2", "auto", "auto"), .other = make_pool_with("3", "auto", "auto")};
    atomic_store(&visit.streams_outside, true);
    run_on_all(visit.own, visit_other_pool, &visit);
    assert_true(atomic_load(&visit.went));
    assert_true(atomic_load(&visit.streams_inside));
    assert_false(atomic_load(&visit.streams_outside));
    assert_int_equal(pleach_pool_destroy(visit.own), PLEACH_OK);
    assert_int_equal(pleach_pool_destroy(visit.other), PLEACH_OK);
}

static void a_caller_that_was_left_alone_does_not_stream(void **state)
{
    for (int left = 0; left < 3; left++) {
        atomic_store(&thread_starts_left, left);
        pleach_pool *pool = make_pool_with("4", "auto", "auto");
        atomic_store(&thread_starts_left, 1 << 30);
        assert_int_equal(pleach_pool_width(pool), left + 1);
        assert_int_equal(pool->plan.slots, left);
        (void)exists(state);
        run_on_all(pool, hash_as_told, NULL);
        assert_int_equal(atomic_load(&calls[OTHERS]), 0);
        assert_int_equal(atomic_load(&calls[1]) != 0, left >= 1);
        assert_int_equal(atomic_load(&calls[2]) != 0, left >= 2);
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
}

/* A letter for each worker. */
static void expect_holders(const pleach_pool *pool, const char *holders)
{
    unsigned slots = 0;
    assert_int_equal(pleach_pool_width(pool), strlen(holders));
    for (unsigned i = 0; i < pleach_pool_width(pool); i++) {
        assert_int_equal(pool->plan.place[i].streaming, holders[i] == 's');
        slots += holders[i] == 's';
    }
    assert_int_equal(pool->plan.slots, slots);
}

#define LEAVINGS "those that other pools of this process leave"

static void pools_share_the_units(void **state)
{
    static const struct {
        const char *first[3], *first_holders;
        int thread_starts; /* of the first */
        const char *second[3], *second_holders, *reason;
    } cases[] = {
        {{"auto", "auto", "auto"}, ".ss.s...", 99, {"auto", "auto", "auto"}, "........", LEAVINGS},
        {{"2", "auto", "auto"}, ".s", 99, {"auto", "auto", "auto"}, "..s.s...", LEAVINGS},
        {{"2", "auto", "auto"}, ".s", 99, {"4", "1", "auto"}, "..s.s", LEAVINGS},
        {{"2", "auto", "auto"}, ".s", 99, {"2", "auto", "auto"}, "..", LEAVINGS},
        {{"2", "auto", "auto"}, ".s", 99, {"1", "auto", "auto"}, ".", LEAVINGS},
        {{"1", "auto", "auto"}, "s", 99, {"3", "auto", "auto"}, "..s", LEAVINGS},
        {{"auto", "auto", "auto"}, ".s", 1, {"auto", "auto", "auto"}, "..s.s...", LEAVINGS},
        {{"auto", "auto", "0"},
         "........",
         99,
         {"auto", "auto", "auto"},
         ".ss.s...",
         "one for each streaming unit, to the first worker on it"},
        {{"2", "auto", "auto"},
         ".s",
         99,
         {"auto", "auto", "1"},
         "..s.....",
         "as many as the settings allow, each to the first worker on a streaming unit"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *const *first_settings = cases[i].first, *const *second_settings = cases[i].second;
        atomic_store(&thread_starts_left, cases[i].thread_starts);
        pleach_pool *first = make_pool_with(first_settings[0], first_settings[1], first_settings[2]);
        atomic_store(&thread_starts_left, 1 << 30);
        pleach_pool *second = make_pool_with(second_settings[0], second_settings[1], second_settings[2]);
        expect_holders(first, cases[i].first_holders);
        expect_holders(second, cases[i].second_holders);
        assert_string_equal(second->plan.slots_reason, cases[i].reason);
        (void)exists(state);
        run_on_all(second, hash_as_told, NULL);
        for (unsigned w = 0; w < strlen(cases[i].second_holders); w++)
            assert_int_equal(atomic_load(&calls[w]) != 0, cases[i].second_holders[w] == 's');
        assert_int_equal(atomic_load(&calls[OTHERS]), 0);
        assert_int_equal(pleach_pool_destroy(first), PLEACH_OK);
        pleach_pool *third = make_pool_with("auto", "auto", "auto"); /* what the first had is there again */
        for (unsigned w = 1; w < pleach_pool_width(third); w++)
            for (unsigned v = 1; v < pleach_pool_width(second); v++)
                assert_true(!third->plan.place[w].streaming || !second->plan.place[v].streaming ||
                            third->plan.place[w].unit_id != second->plan.place[v].unit_id);
        assert_int_equal(third->plan.slots + second->plan.slots, 3);
        assert_int_equal(pleach_pool_destroy(second), PLEACH_OK);
        assert_int_equal(pleach_pool_destroy(third), PLEACH_OK);
    }
}

static void a_pool_that_was_not_made_holds_nothing(void **state)
{
    (void)state;
    pleach_config config = settings_for(4);
    pleach__topology topology = make_clustered_machine();
    pleach_pool *pool = NULL;
    (void)strcpy(config.backend, "nonesuch");
    assert_int_equal(pleach__pool_create_on(&pool, &config, &topology), PLEACH_EBACKEND);
    pleach__topology_free(&topology);
    pool = make_pool_with("auto", "auto", "auto");
    expect_holders(pool, ".ss.s...");
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static void a_child_has_all_units_again(void **state)
{
    (void)state;
    SKIP_IF_EMULATED("an emulated process that has threads cannot be forked");
    pleach_pool *pool = make_pool_with("auto", "auto", "auto");
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        (void)alarm(10);
        pleach_pool *own = make_pool_with("1", "auto", "auto"), *second = make_pool_with("1", "auto", "auto");
        bool right = own->plan.slots == 1 && second->plan.slots == 0 && pleach_pool_destroy(pool) == PLEACH_OK &&
                     pleach_pool_destroy(own) == PLEACH_OK;
        own = make_pool_with("1", "auto", "auto");
        _exit(right && own->plan.slots == 1 ? 7 : 8);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    expect_holders(pool, ".ss.s...");
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static void *make_and_drop(void *context)
{
    for (int round = 0; round < 6; round++) {
        pleach_pool *pool = make_pool_with("3", "1", "auto");
        run_on_all(pool, hash_as_told, context);
        (void)pleach_pool_destroy(pool);
    }
    return NULL;
}

static void no_more_stream_at_once_than_there_are_units(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, make_and_drop, NULL), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_in_range(atomic_load(&most_inside[1]), 1, 3);
    pleach_pool *pool = make_pool_with("auto", "auto", "auto");
    expect_holders(pool, ".ss.s...");
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

int run_streaming_tests(void)
{
#define STREAMING(test) cmocka_unit_test_setup_teardown(test, exists, is_gone)
    const struct CMUnitTest tests[] = {
        STREAMING(only_holders_of_slots_stream),
        STREAMING(without_slots_nothing_streams),
        STREAMING(a_caller_that_is_alone_streams),
        STREAMING(of_two_callers_only_one_streams),
        STREAMING(a_slot_is_good_for_its_own_pool_only),
        STREAMING(a_caller_that_was_left_alone_does_not_stream),
        STREAMING(pools_share_the_units),
        STREAMING(a_pool_that_was_not_made_holds_nothing),
        STREAMING(a_child_has_all_units_again),
        STREAMING(no_more_stream_at_once_than_there_are_units),
    };
    return cmocka_run_group_tests_name("streaming", tests, NULL, NULL);
}
