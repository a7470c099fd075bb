#define _GNU_SOURCE
#include "pool_test.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const size_t sizes[] = {0, 1, 63, 64, 65, 4096, 100000, (2 << 20) - 1, 2 << 20, (4 << 20) + 1, 9 << 20};
enum { SIZES = sizeof sizes / sizeof sizes[0], LARGE = 1 << 18 };

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
        pleach_config config = settings_for(2);
        config.huge_pages = (pleach_huge_pages)huge;
        pleach_pool *pool;
        assert_int_equal(pleach_pool_create(&pool, &config), PLEACH_OK);
        use_all_sizes(pool);
        assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
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
    pleach_config config = settings_for(1);
    config.huge_pages = huge_pages;
    pleach_pool *pool;
    assert_int_equal(pleach_pool_create(&pool, &config), PLEACH_OK);
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
    if (strcmp(pleach__arena_allocator(), "jemalloc") != 0) {
        print_message("SKIPPED: built without jemalloc\n");
        skip();
    }
    pleach_pool *pool = make_pool(1);
    unsigned char *first = pleach__allocate(pool, LARGE), *page = first + 4096 - (uintptr_t)first % 4096;
    assert_non_null(first);
    fill(first, LARGE, 1);
    size_t before = resident(page, LARGE - 4096);
    assert_true(before > 0);
    pleach__release(pool, first, LARGE);
    unsigned char *second = pleach__allocate(pool, LARGE);
    assert_int_equal((uintptr_t)second / 4096, (uintptr_t)first / 4096);
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

int run_memory_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_are_aligned_and_apart),
        cmocka_unit_test(what_is_too_large_is_refused),
        cmocka_unit_test(huge_pages_are_asked_for_as_the_setting_says),
        cmocka_unit_test(a_released_buffer_is_kept),
        cmocka_unit_test(threads_allocate_at_once),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
