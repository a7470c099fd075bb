#define _GNU_SOURCE
#include "../scarce.h"
#include "memory_test.h"

#include "../emulated.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static const size_t sizes[] = {0, 1, 63, 64, 65, 4096, 100000, (2 << 20) - 1, 2 << 20, (4 << 20) + 1, 9 << 20};
enum { SIZES = sizeof sizes / sizeof sizes[0], LARGE = 1 << 18 };

pleach_config memory_settings(int workers, bool hosted)
{
    pleach_config config;
    pleach_config_init(&config);
    config.workers = workers;
    if (hosted)
        config.allocator = scarce_allocator;
    return config;
}

pleach_pool *pool_under(const pleach_config *config)
{
    pleach_pool *pool = NULL;
    assert_int_equal(pleach_pool_create(&pool, config), PLEACH_OK);
    return pool;
}

static pleach_pool *make_pool(int workers)
{
    const pleach_config config = memory_settings(workers, false);
    return pool_under(&config);
}

static bool is_own(const pleach_pool *pool)
{
    return strcmp(pleach__arena_allocator(pool->arena), "own") == 0;
}

static void fill(unsigned char *memory, size_t size, unsigned char value)
{
    if (size != 0)
        memset(memory, value, size);
}

static bool filled(const unsigned char *memory, size_t size, unsigned char value)
{
    return size == 0 || (memory[0] == value && memcmp(memory, memory + 1, size - 1) == 0);
}

static void use_all_sizes(pleach_pool *pool)
{
    unsigned char *memory[SIZES];
    for (int round = 0; round < 2; round++) {
        for (unsigned i = 0; i < SIZES; i++) {
            memory[i] = pleach__allocate(pool, sizes[i]);
            assert_non_null(memory[i]);
            assert_int_equal((uintptr_t)memory[i] % 64, 0);
            fill(memory[i], sizes[i], (unsigned char)(i + 1));
        }
        for (unsigned i = 0; i < SIZES; i++) {
            assert_true(filled(memory[i], sizes[i], (unsigned char)(i + 1)));
            pleach__release(pool, memory[i], sizes[i]);
        }
    }
    pleach__release(pool, NULL, 5);
}

static void buffers_are_aligned_and_apart(void **state)
{
    (void)state;
    use_all_sizes(NULL);
    for (int huge = PLEACH_HUGE_PAGES_AUTO; huge <= PLEACH_HUGE_PAGES_OFF; huge++) {
        for (int hosted = 0; hosted < 2; hosted++) {
            pleach_config config = memory_settings(2, hosted);
            config.huge_pages = (pleach_huge_pages)huge;
            pleach_pool *pool = pool_under(&config);
            use_all_sizes(pool);
            assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
        }
    }
}

static void what_is_too_large_is_refused(void **state)
{
    (void)state;
    pleach_pool *pool = make_pool(1);
    pleach_pool *const pools[] = {NULL, pool};
    for (int i = 0; i < 2; i++) {
        assert_null(pleach__allocate(pools[i], SIZE_MAX));
        assert_null(pleach__allocate(pools[i], SIZE_MAX - 63));
        assert_null(pleach__allocate(pools[i], SIZE_MAX / 2));
        assert_null(pleach__allocate(pools[i], SIZE_MAX / 2 - 63));
    }
    use_all_sizes(pool);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

/* Whether the mapping that holds an address has a flag, such as "hg" for advised huge pages; -1 if that is not to be
 * had. */
static int mapping_has(const void *address, const char *flag)
{
    char line[512];
    unsigned long begin, end;
    bool inside = false;
    int result = -1;
    FILE *file = fopen("/proc/self/smaps", "r");
    while (file != NULL && result < 0 && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
            inside = (uintptr_t)address >= begin && (uintptr_t)address < end;
        else if (inside && strncmp(line, "VmFlags:", 8) == 0)
            result = strstr(line, flag) != NULL;
    }
    if (file != NULL)
        (void)fclose(file);
    return result;
}

static void expect_flag(pleach_huge_pages huge_pages, size_t size, const char *flag, int expected)
{
    pleach_config config = memory_settings(1, false);
    config.huge_pages = huge_pages;
    pleach_pool *pool = pool_under(&config);
    unsigned char *memory = pleach__allocate(pool, size);
    assert_non_null(memory);
    assert_int_equal(mapping_has(memory + size / 2, flag), expected);
    assert_int_equal(mapping_has(memory + size - 1, flag), expected);
    if (expected && strcmp(flag, " hg") == 0)
        assert_int_equal((uintptr_t)memory % (2 << 20), 0);
    pleach__release(pool, memory, size);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static void huge_pages_are_asked_for_as_the_setting_says(void **state)
{
    (void)state;
    SKIP_IF_EMULATED("an emulated system does not tell what was asked for");
    if (mapping_has(state, " rd") != 1 || access("/sys/kernel/mm/transparent_hugepage", F_OK) != 0) {
        print_message("SKIPPED: this system does not tell what was asked for, or has no huge pages\n");
        skip();
    }
    expect_flag(PLEACH_HUGE_PAGES_AUTO, 16 << 20, " hg", 1);
    expect_flag(PLEACH_HUGE_PAGES_AUTO, 3 << 20, " hg", 0);
    expect_flag(PLEACH_HUGE_PAGES_ON, 16 << 20, " hg", 1);
    expect_flag(PLEACH_HUGE_PAGES_ON, 2 << 20, " hg", 1);
    expect_flag(PLEACH_HUGE_PAGES_OFF, 16 << 20, " hg", 0);
}

/* Pages of a buffer that are in memory. */
static size_t resident(void *memory, size_t size)
{
    unsigned char pages[LARGE / 1024];
    size_t count = 0, page = (size_t)sysconf(_SC_PAGESIZE);
    assert_true(size / page <= sizeof pages);
    assert_int_equal(mincore(memory, size, pages), 0);
    for (size_t i = 0; i < size / page; i++)
        count += pages[i] & 1;
    return count;
}

static void a_released_buffer_is_kept(void **state)
{
    (void)state;
    pleach_pool *pool = make_pool(1);
    unsigned char *first = pleach__allocate(pool, LARGE), *page = first + 4096 - (uintptr_t)first % 4096;
    assert_non_null(first);
    fill(first, LARGE, 1);
    size_t before = resident(page, LARGE - 4096);
    assert_true(before > 0);
    pleach__release(pool, first, LARGE);
    unsigned char *second = pleach__allocate(pool, LARGE);
    /* jemalloc puts what is large anywhere within the first of its pages. */
    assert_true((second > first ? second - first : first - second) < 1 << 16);
    assert_int_equal(resident(page, LARGE - 4096), before);
    pleach__release(pool, second, LARGE);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

struct allocating {
    pleach_pool *pool;
    unsigned seed;
};

static void *allocate_often(void *context)
{
    const struct allocating *own = context;
    for (unsigned round = 0; round < 300; round++) {
        size_t size = (own->seed * 7919u + round * 104729u) % (round % 16 == 0 ? LARGE : 5000);
        unsigned char value = (unsigned char)(own->seed + round), *memory = pleach__allocate(own->pool, size);
        if (memory == NULL)
            return NULL;
        fill(memory, size, value);
        sched_yield();
        if (!filled(memory, size, value))
            return NULL;
        pleach__release(own->pool, memory, size);
    }
    return context;
}

static void threads_allocate_at_once(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pleach_pool *pool = make_pool(1);
    pthread_t threads[THREADS];
    struct allocating own[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        own[i] = (struct allocating){.pool = pool, .seed = i};
        assert_int_equal(pthread_create(&threads[i], NULL, allocate_often, &own[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        void *result;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_non_null(result);
    }
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

static pleach_memory_use use_of(const pleach_pool *pool)
{
    pleach_memory_use use;
    memset(&use, 0xff, sizeof use);
    pleach_pool_memory(pool, &use);
    return use;
}

static void use_is_counted(void **state)
{
    (void)state;
    assert_int_equal(use_of(NULL).allocations + use_of(NULL).used + use_of(NULL).mapped, 0);
    for (int hosted = 0; hosted < 2; hosted++) {
        const pleach_config config = memory_settings(3, hosted);
        pleach_pool *pool = pool_under(&config);
        const pleach_memory_use before = use_of(pool);
        assert_true(before.used > sizeof *pool);
        assert_true(before.allocations >= 2);
        assert_int_equal(before.peak, before.used);

        void *small = pleach__allocate(pool, 1000), *large = pleach__allocate(pool, 5 << 20);
        const pleach_memory_use most = use_of(pool);
        assert_int_equal(most.allocations, before.allocations + 2);
        assert_int_equal(most.used, before.used + 1000 + (5 << 20));
        assert_int_equal(most.peak, most.used);

        pleach__release(pool, large, 5 << 20);
        pleach__release(pool, NULL, 77);
        assert_null(pleach__allocate(pool, SIZE_MAX));
        const pleach_memory_use after = use_of(pool);
        assert_int_equal(after.allocations, most.allocations);
        assert_int_equal(after.used, before.used + 1000);
        assert_int_equal(after.peak, most.peak);
        if (hosted) {
            assert_int_equal(after.mapped + after.kept, 0);
        } else {
            assert_true(most.mapped >= most.used);
            assert_true(after.mapped >= after.used + after.kept);
            assert_true(after.kept >= 5 << 20);
        }
        pleach__release(pool, small, 1000);
        assert_int_equal(use_of(pool).used, before.used);
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
}

static void the_description_tells_it(void **state)
{
    (void)state;
    for (int hosted = 0; hosted < 2; hosted++) {
        char text[16384], expected[256];
        const pleach_config config = memory_settings(1, hosted);
        pleach_pool *pool = pool_under(&config);
        void *memory = pleach__allocate(pool, 1 << 20);
        const pleach_memory_use use = use_of(pool);
        int length = snprintf(expected, sizeof expected,
                              "\"memory\":{\"allocator\":\"%s\",\"allocations\":%llu,"
                              "\"used\":%llu,\"peak\":%llu",
                              pleach__arena_allocator(pool->arena), (unsigned long long)use.allocations,
                              (unsigned long long)use.used, (unsigned long long)use.peak);
        if (!hosted)
            length += snprintf(expected + length, sizeof expected - (size_t)length, ",\"mapped\":%llu,\"kept\":%llu",
                               (unsigned long long)use.mapped, (unsigned long long)use.kept);
        (void)snprintf(expected + length, sizeof expected - (size_t)length, "}");
        assert_in_range(pleach_pool_describe(pool, text, sizeof text), 100, sizeof text - 1);
        if (strstr(text, expected) == NULL)
            fail_msg("%s is not in %s", expected, text);
        pleach__release(pool, memory, 1 << 20);
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
    }
}

/* Everything a pool has, from the moment it is made on, is the host's, and goes back to it. */
static void a_host_brings_the_memory(void **state)
{
    (void)state;
    const size_t held = scarce_held();
    for (int workers = 1; workers <= 4; workers += 3) {
        const pleach_config config = memory_settings(workers, true);
        pleach_pool *pool = pool_under(&config);
        const pleach_memory_use use = use_of(pool);
        assert_string_equal(pleach__arena_allocator(pool->arena), "host");
        assert_int_equal(scarce_held(), held + use.allocations + 1); /* what counts them is the host's too */
        void *memory = pleach__allocate(pool, 3 << 20);
        assert_int_equal(scarce_held(), held + use.allocations + 2);
        pleach__release(pool, memory, 3 << 20);
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
        assert_int_equal(scarce_held(), held);
    }
}

static void half_an_allocator_is_refused(void **state)
{
    (void)state;
    pleach_pool *pool = NULL;
    pleach_config config = memory_settings(1, true);
    config.allocator.release = NULL;
    assert_int_equal(pleach_pool_create(&pool, &config), PLEACH_ESETTING);
    assert_string_equal(pleach_last_error(), "allocator.release is NULL: accepted are both functions or neither");
    config.allocator = (pleach_allocator){.release = scarce_allocator.release};
    assert_int_equal(pleach_config_validate(&config), PLEACH_ESETTING);
    assert_string_equal(pleach_last_error(), "allocator.allocate is NULL: accepted are both functions or neither");
    assert_null(pool);
}

static size_t address_space(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    (void)fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void pools_leave_nothing_behind(void **state)
{
    (void)state;
    size_t before = 0;
    for (int round = 0; round < 24; round++) {
        pleach_pool *pool = make_pool(1);
        for (unsigned i = 0; i < SIZES; i++) {
            unsigned char *memory = pleach__allocate(pool, sizes[i]);
            assert_non_null(memory);
            fill(memory, sizes[i] != 0, 1);
            pleach__release(pool, memory, sizes[i]);
        }
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
        if (round == 7)
            before = address_space();
    }
    assert_true(address_space() < before + (16 << 20));
}

/* A buffer that grows leaves no more behind than it took. */
static void what_is_kept_is_bounded(void **state)
{
    (void)state;
    SKIP_IF_EMULATED("an emulated system does not limit address space");
    pleach_pool *pool = make_pool(1);
    if (!is_own(pool)) {
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
        print_message("SKIPPED: jemalloc keeps what it got\n");
        skip();
    }
    size_t size = 1 << 17;
    unsigned char *memory = pleach__allocate(pool, size);
    while (size < 64 << 20) {
        const size_t larger = size + size / 3;
        unsigned char *grown = pleach__allocate(pool, larger);
        assert_non_null(grown);
        pleach__release(pool, memory, size);
        memory = grown;
        size = larger;
        const pleach_memory_use use = use_of(pool);
        assert_true(use.mapped <= use.peak + use.peak / 4 + (4 << 20)); /* sizes are rounded up by a quarter at most */
    }
    pleach__release(pool, memory, size);
    assert_true(use_of(pool).kept >= size);

    /* Where there is no more, what is kept is given back for it. */
    struct rlimit old, none;
    assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
    none = (struct rlimit){.rlim_cur = address_space() + (8 << 20), .rlim_max = old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
    memory = pleach__allocate(pool, size / 2);
    void *too_much = pleach__allocate(pool, 4 * size);
    assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
    assert_non_null(memory);
    assert_null(too_much);
    assert_int_equal(use_of(pool).kept, 0);
    pleach__release(pool, memory, size / 2);
    assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_are_aligned_and_apart),
        cmocka_unit_test(what_is_too_large_is_refused),
        cmocka_unit_test(huge_pages_are_asked_for_as_the_setting_says),
        cmocka_unit_test(a_released_buffer_is_kept),
        cmocka_unit_test(threads_allocate_at_once),
        cmocka_unit_test(use_is_counted),
        cmocka_unit_test(the_description_tells_it),
        cmocka_unit_test(a_host_brings_the_memory),
        cmocka_unit_test(half_an_allocator_is_refused),
        cmocka_unit_test(pools_leave_nothing_behind),
        cmocka_unit_test(what_is_kept_is_bounded),
    };
    return run_out_of_memory_tests() + cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
