#define _GNU_SOURCE
#include "pool_test.h"

#include "../emulated.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 4 };

struct seen {
    pthread_t caller;
    bool here[WIDTH], right[WIDTH];
};

/* On workers all blockable signals are blocked; a caller keeps its own mask. */
static void look_at_signals(void *context, const pleach_worker *worker)
{
    struct seen *seen = context;
    sigset_t mask;
    int blocked = 0, blockable = 0;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &mask);
    for (int signal = 1; signal <= SIGRTMAX; signal++) {
        if (signal == SIGKILL || signal == SIGSTOP || (signal >= 32 && signal < SIGRTMIN))
            continue;
        blockable++;
        blocked += sigismember(&mask, signal);
    }
    seen->here[worker->index] = true;
    seen->right[worker->index] = worker->index == 0 ? blocked == 0 : blocked == blockable;
}

static void look_at_name(void *context, const pleach_worker *worker)
{
    struct seen *seen = context;
    char name[16] = "", expected[16];
    (void)pthread_getname_np(pthread_self(), name, sizeof name);
    (void)snprintf(expected, sizeof expected, "pleach-%u", worker->index);
    seen->here[worker->index] = true;
    seen->right[worker->index] =
        worker->index == 0 ? pthread_equal(pthread_self(), seen->caller) != 0 : strcmp(name, expected) == 0;
}

static void look_at_binding(void *context, const pleach_worker *worker)
{
    struct seen *seen = context;
    cpu_set_t mask;
    bool bound = pthread_getaffinity_np(pthread_self(), sizeof mask, &mask) == 0 && CPU_COUNT(&mask) == 1;
    seen->here[worker->index] = true;
    seen->right[worker->index] = worker->index == 0 || bound;
}

static void expect_all(pleach_pool *pool, void (*look)(void *context, const pleach_worker *worker))
{
    struct seen seen = {.caller = pthread_self()};
    run_on_all(pool, look, &seen);
    for (unsigned i = 0; i < WIDTH; i++)
        assert_true(seen.here[i] && seen.right[i]);
}

static void signals_are_blocked(void **state)
{
    (void)state;
    SKIP_IF_EMULATED("emulated threads cannot block every signal");
    pleach_pool *pool = make_pool(WIDTH);
    expect_all(pool, look_at_signals);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static void workers_have_names(void **state)
{
    (void)state;
    pleach_pool *pool = make_pool(WIDTH);
    expect_all(pool, look_at_name);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static void count_line(void *context, pleach_log_level level, const char *line)
{
    (void)level, (void)line;
    atomic_fetch_add((_Atomic int *)context, 1);
}

static void workers_are_bound_where_asked(void **state)
{
    (void)state;
    _Atomic int warnings = 0;
    pleach_config config = settings_for(WIDTH);
    config.pin_threads = true;
    config.log = count_line;
    config.log_context = (void *)&warnings;
    pleach_pool *pool;
    assert_int_equal(pleach_pool_create(&pool, &config), PLEACH_OK);
    expect_all(pool, look_at_binding);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    assert_int_equal(atomic_load(&warnings), 0);

    /* Processors without numbers, and ones that do not exist: a warning for every worker, and a working pool. */
    for (int i = 0; i < 2; i++) {
        pleach__topology topology = make_machine(2, 0);
        topology.numbered = i == 1;
        topology.order[0].number = 500000;
        topology.order[1].number = 500001;
        atomic_store(&warnings, 0);
        assert_int_equal(pleach__pool_create_on(&pool, &config, &topology), PLEACH_OK);
        assert_int_equal(atomic_load(&warnings), WIDTH - 1);
        for (unsigned w = 1; w < WIDTH; w++)
            assert_int_equal(pool->workers[w].binding, PLEACH__FREE);
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
}

struct binding {
    bool right[WIDTH + 2];
    unsigned processor[WIDTH + 2]; /* where workers should be bound to */
};

static void look_at_processor(void *context, const pleach_worker *worker)
{
    struct binding *binding = context;
    cpu_set_t mask;
    bool known = pthread_getaffinity_np(pthread_self(), sizeof mask, &mask) == 0;
    binding->right[worker->index] =
        worker->index == 0 || (known && CPU_COUNT(&mask) == 1 && CPU_ISSET(binding->processor[worker->index], &mask));
}

struct seen_mask {
    int processors;
    unsigned first;
};

static void look_at_mask(void *context, const pleach_worker *worker)
{
    struct seen_mask *seen = (struct seen_mask *)context + worker->index;
    cpu_set_t mask;
    CPU_ZERO(&mask);
    (void)pthread_getaffinity_np(pthread_self(), sizeof mask, &mask);
    seen->processors = CPU_COUNT(&mask);
    seen->first = 0;
    while (seen->first < CPU_SETSIZE && !CPU_ISSET(seen->first, &mask))
        seen->first++;
}

static void find_two_processors(unsigned number[2])
{
    unsigned found = 0;
    cpu_set_t mask;
    assert_int_equal(sched_getaffinity(0, sizeof mask, &mask), 0);
    for (unsigned i = 0; i < CPU_SETSIZE && found < 2; i++)
        if (CPU_ISSET(i, &mask))
            number[found++] = i;
    if (found < 2) {
        print_message("SKIPPED: this process may use one processor only\n");
        skip();
    }
}

static void workers_are_bound_to_cores_of_their_kind(void **state)
{
    (void)state;
    unsigned number[2];
    find_two_processors(number);
    const pleach__found machine[] = {{.number = number[0], .capacity = 10}, {.number = number[1], .capacity = 1}};
    const unsigned performance = number[0], efficiency = number[1];
    struct binding binding = {
        .processor = {PLEACH__NONE, performance, performance, performance, efficiency, efficiency}};
    pleach_config config = settings_for(WIDTH);
    config.efficiency_workers = 2;
    config.pin_threads = true;
    pleach__topology topology = {.numbered = true};
    pleach_pool *pool;
    assert_int_equal(pleach__topology_arrange(&topology, machine, 2), PLEACH_OK);
    assert_int_equal(pleach__pool_create_on(&pool, &config, &topology), PLEACH_OK);
    run_on_all(pool, look_at_processor, &binding);
    for (unsigned i = 0; i < WIDTH + 2; i++)
        assert_true(binding.right[i]);
    for (unsigned i = 1; i < WIDTH + 2; i++)
        assert_int_equal(pool->workers[i].binding, PLEACH__TO_CORE);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

/* Two units, of which each has one processor of this process's and one that is not there. */
static void holders_of_slots_are_bound_to_their_unit(void **state)
{
    (void)state;
    unsigned number[2];
    find_two_processors(number);
    const pleach__found machine[] = {{.number = number[0], .units = 1, .group = 7},
                                     {.number = 5000, .units = 1, .group = 7},
                                     {.number = number[1], .units = 1, .group = 9},
                                     {.number = 5001, .units = 1, .group = 9}};
    struct seen_mask masks[WIDTH] = {{0}};
    pleach_config config = settings_for(WIDTH);
    for (int sme_workers = PLEACH_AUTO; sme_workers <= 1; sme_workers++) {
        pleach__topology topology = {.numbered = true};
        pleach_pool *pool;
        config.sme_workers = sme_workers;
        assert_int_equal(pleach__topology_arrange(&topology, machine, 4), PLEACH_OK);
        assert_int_equal(pleach__pool_create_on(&pool, &config, &topology), PLEACH_OK);
        run_on_all(pool, look_at_mask, masks);
        unsigned bound = 0;
        for (unsigned i = 0; i < WIDTH; i++) {
            const pleach__place *place = &pool->plan.place[i];
            assert_int_equal(pool->workers[i].binding, place->streaming ? PLEACH__TO_UNIT : PLEACH__FREE);
            assert_int_equal(masks[i].processors == 1, place->streaming);
            if (place->streaming)
                assert_int_equal(masks[i].first, number[pool->topology.order[place->processor].unit]);
            bound += place->streaming;
        }
        assert_int_equal(bound, sme_workers == PLEACH_AUTO ? 2 : (unsigned)sme_workers);
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
}

/* Of the second unit no processor is there. */
static void all_cores_of_a_unit_will_do(void **state)
{
    (void)state;
    unsigned number[2];
    find_two_processors(number);
    const pleach__found machine[] = {{.number = number[0], .units = 1, .group = 7},
                                     {.number = number[1], .units = 1, .group = 7},
                                     {.number = 5000, .units = 1, .group = 9}};
    struct seen_mask masks[WIDTH] = {{0}};
    _Atomic int warnings = 0;
    pleach_config config = settings_for(WIDTH);
    config.log = count_line;
    config.log_context = (void *)&warnings;
    pleach__topology topology = {.numbered = true};
    pleach_pool *pool;
    assert_int_equal(pleach__topology_arrange(&topology, machine, 3), PLEACH_OK);
    assert_int_equal(pleach__pool_create_on(&pool, &config, &topology), PLEACH_OK);
    run_on_all(pool, look_at_mask, masks);
    assert_true(pool->plan.place[1].streaming && pool->plan.place[3].streaming);
    assert_int_equal(pool->workers[1].binding, PLEACH__TO_UNIT);
    assert_int_equal(masks[1].processors, 2);
    assert_int_equal(pool->workers[3].binding, PLEACH__FREE);
    assert_int_equal(atomic_load(&warnings), 1);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

/* Streaming, and the kernel set that goes with it, by index. */
struct seats {
    pleach_pool *pool;
    bool streaming[WIDTH], right_kernels[WIDTH];
};

static void look_at_seat(void *context, const pleach_worker *worker)
{
    struct seats *seats = context;
    seats->streaming[worker->index] = worker->streaming;
    seats->right_kernels[worker->index] = worker->kernels == &seats->pool->kernels[worker->streaming];
}

static void streaming_slots_have_their_own_kernels(void **state)
{
    (void)state;
    static const struct {
        int workers, sme_workers;
        unsigned units, slots;
    } cases[] = {{4, PLEACH_AUTO, 0, 0}, {4, 2, 0, 0}, {4, PLEACH_AUTO, 1, 1}, {4, PLEACH_AUTO, 2, 2}, {4, 1, 2, 1},
                 {4, 0, 2, 0},           {4, 9, 2, 2}, {4, PLEACH_AUTO, 9, 3}, {1, PLEACH_AUTO, 2, 1}, {1, 0, 2, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pleach_pool *pool = make_streaming_pool(cases[i].workers, cases[i].sme_workers, cases[i].units);
        struct seats seats = {.pool = pool};
        run_on_all(pool, look_at_seat, &seats);
        unsigned slots = 0;
        for (int index = 0; index < cases[i].workers; index++) {
            bool first = index == 0 && cases[i].workers > 1;
            assert_int_equal(seats.streaming[index], !first && slots < cases[i].slots);
            assert_true(seats.right_kernels[index]);
            slots += seats.streaming[index];
        }
        assert_int_equal(slots, cases[i].slots);
        assert_int_equal(pool->plan.slots, slots);
        assert_ptr_equal(pleach_pool_kernels(pool), &pool->kernels[0]);
        for (int set = 0; set <= (slots != 0); set++)
            for (int family = 0; family < PLEACH_FAMILIES; family++)
                assert_non_null(pleach_kernels_backend(&pool->kernels[set], (pleach_family)family));
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
}

static void idle_workers_park(void **state)
{
    (void)state;
    pleach_pool *pool = make_pool(3);
    pleach_pool_counters counters;
    for (int wait = 0; wait < 5000; wait++) {
        pleach_pool_count(pool, &counters);
        if (counters.parks >= 2)
            break;
        uv_sleep(1);
    }
    assert_int_equal(counters.parks, 2);
    assert_int_equal(counters.claims, 0);
    struct seats seats = {.pool = pool};
    run_on_all(pool, look_at_seat, &seats);
    pleach_pool_count(pool, &counters);
    assert_true(counters.parks >= 2);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

int run_worker_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_are_blocked),
        cmocka_unit_test(workers_have_names),
        cmocka_unit_test(workers_are_bound_where_asked),
        cmocka_unit_test(workers_are_bound_to_cores_of_their_kind),
        cmocka_unit_test(holders_of_slots_are_bound_to_their_unit),
        cmocka_unit_test(all_cores_of_a_unit_will_do),
        cmocka_unit_test(streaming_slots_have_their_own_kernels),
        cmocka_unit_test(idle_workers_park),
    };
    return cmocka_run_group_tests_name("workers", tests, NULL, NULL);
}
