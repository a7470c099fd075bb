/* Machines as Linux shows them in /sys, written out under a root of the test's own. */
#define _GNU_SOURCE
#include "pool/system_files.h"
#include "pool_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define CPU_FILES "/sys/devices/system/cpu"

enum { BY_AFFINITY, RESERVED, UNSHARED, SHARED };

#define SMIDR(sharing, affinity, units)                                                                \
    ((uint64_t)((units)-1) << 56 | (uint64_t)((affinity) >> 12) << 32 | 0x61000000 | (sharing) << 13 | \
     ((affinity)&0xfff))

/* Processors that are alike. Of a 0 there is no file. */
struct cores {
    unsigned count, capacity;
    unsigned to_an_l2;      /* how many share one */
    uint64_t smidr;         /* of the first */
    unsigned to_a_register; /* how many have the same; the next have an affinity larger by 1 */
};

struct tree {
    const char *name;
    const struct cores *cores;     /* up to one that has none */
    const char *hybrid;            /* performance cores, as x86 lists them */
    const char *online, *isolated; /* NULL: there is no such file */
    const char *allowed;
    const char *cpu_max;
    struct expected_machine expected;
};

static const struct cores m4_max_cores[] = {
    {4, 430, 4, SMIDR(SHARED, 0, 1), 4}, {12, 1024, 6, SMIDR(SHARED, 0x10001, 1), 6}, {0}};
static const struct cores m4_cores[] = {
    {6, 430, 6, SMIDR(BY_AFFINITY, 8, 1), 6}, {4, 1024, 4, SMIDR(BY_AFFINITY, 1, 1), 4}, {0}};
static const struct cores server_cores[] = {{64, 1024, 1, 0, 0}, {0}};
static const struct cores unshared_cores[] = {{8, 1024, 1, SMIDR(UNSHARED, 3, 1), 8}, {0}};
static const struct cores common_unit_cores[] = {{2, 1024, 1, SMIDR(SHARED, 7, 2), 2},
                                                 {4, 700, 2, SMIDR(SHARED, 7, 2), 4},
                                                 {2, 250, 2, SMIDR(SHARED, 7, 2), 2},
                                                 {0}};
static const struct cores hybrid_cores[] = {{16, 0, 2, 0, 0}, {16, 0, 4, 0, 0}, {0}};
static const struct cores no_cores[] = {{0}};

static const struct tree trees[] = {
    {"Neoverse",
     server_cores,
     NULL,
     "0-63",
     "",
     "0-63",
     NULL,
     {64,
      0,
      64,
      0,
      0,
      {{"auto", "auto", "auto", 64, 0, ""},
       {"auto", "auto", "9", 64, 0, ""},
       {"auto", "2", "auto", 66, 2, ""},
       {"1", "auto", "1", 1, 0, ""},
       {"3", "auto", "auto", 3, 0, ""}}}},
    {"units of their own",
     unshared_cores,
     NULL,
     "0-7",
     "",
     "0-7",
     NULL,
     {8,
      0,
      8,
      0,
      8,
      {{"auto", "auto", "auto", 8, 0, "1:P0 2:P1 3:P2 4:P3 5:P4 6:P5 7:P6"},
       {"auto", "auto", "9", 8, 0, "1:P0 2:P1 3:P2 4:P3 5:P4 6:P5 7:P6"},
       {"auto", "auto", "1", 8, 0, "1:P0"},
       {"auto", "auto", "0", 8, 0, ""},
       {"1", "auto", "9", 1, 0, "0:P0"},
       {"3", "auto", "9", 3, 0, "1:P0 2:P1"}}}},
    {"two units common to all",
     common_unit_cores,
     NULL,
     "0-7",
     "",
     "0-7",
     NULL,
     {8,
      2,
      4,
      1,
      2,
      {{"auto", "auto", "auto", 7, 2, "1:P0 2:P1"},
       {"auto", "auto", "1", 7, 2, "1:P0"},
       {"2", "2", "auto", 4, 2, "1:P0 3:E0"},
       {"1", "auto", "auto", 1, 0, "0:P0"}}}},
    {"hybrid x86",
     hybrid_cores,
     "0-15",
     "0-31",
     "",
     "0-31",
     NULL,
     {32,
      16,
      8,
      4,
      0,
      {{"auto", "auto", "auto", 31, 16, ""},
       {"auto", "0", "auto", 15, 0, ""},
       {"1", "auto", "auto", 1, 0, ""},
       {"3", "auto", "1", 3, 0, ""}}}},
    {"a quarter of a processor",
     m4_max_cores,
     NULL,
     "0-15",
     "",
     "0-15",
     "25000 100000\n",
     {16,
      4,
      2,
      1,
      3,
      {{"auto", "auto", "auto", 1, 0, "0:P0"},
       {"auto", "auto", "0", 1, 0, ""},
       {"3", "auto", "auto", 3, 0, "1:P0 2:P1"},
       {"auto", "1", "9", 2, 1, "1:E0"}}}},
    {"twelve and a half processors",
     m4_max_cores,
     NULL,
     "0-15",
     "",
     "0-15",
     "1250000 100000\n",
     {16, 4, 2, 1, 3, {{"auto", "auto", "auto", 13, 2, "1:P0 2:P1 11:E0"}, {"auto", "4", "1", 15, 4, "1:P0"}}}},
    {"a cpuset of two performance cores",
     m4_max_cores,
     NULL,
     "0-15",
     "",
     "5,7",
     NULL,
     {2, 0, 1, 0, 1, {{"auto", "auto", "auto", 2, 0, "1:P0"}, {"auto", "auto", "9", 2, 0, "1:P0"}}}},
    {"a cpuset of two clusters",
     m4_max_cores,
     NULL,
     "0-15",
     "",
     "9-10",
     NULL,
     {2, 0, 2, 0, 2, {{"auto", "auto", "auto", 2, 0, "1:P0"}, {"3", "auto", "auto", 3, 0, "1:P0 2:P1"}}}},
    {"a cpuset of two efficiency cores",
     m4_max_cores,
     NULL,
     "0-15",
     "",
     "0-1",
     NULL,
     {2, 0, 1, 0, 1, {{"auto", "auto", "auto", 2, 0, "1:P0"}, {"auto", "auto", "0", 2, 0, ""}}}},
    {"a cpuset of one core of each kind",
     m4_max_cores,
     NULL,
     "0-15",
     "",
     "3-4",
     NULL,
     {2, 1, 1, 1, 2, {{"auto", "auto", "auto", 2, 1, "1:E0"}, {"auto", "0", "auto", 1, 0, "0:P0"}}}},
    {"M4 Max with cores offline and isolated",
     m4_max_cores,
     NULL,
     "0-2,4-15",
     "2,8-9,15",
     "0-2,4-15",
     NULL,
     {11, 2, 2, 1, 3, {{"auto", "auto", "auto", 10, 2, "1:P0 2:P1 8:E0"}, {"auto", "auto", "1", 10, 2, "1:P0"}}}},
    {"only isolated cores",
     m4_max_cores,
     NULL,
     "0-15",
     "8-15",
     "9-11",
     NULL,
     {3, 0, 2, 0, 2, {{"auto", "auto", "auto", 3, 0, "1:P0 2:P1"}}}},
    {"4096 processors",
     no_cores,
     NULL,
     "0-4095",
     "4090-4095",
     "0-4095",
     NULL,
     {4090,
      0,
      1,
      0,
      0,
      {{"auto", "auto", "auto", 1024, 0, ""}, {"1000", "24", "9", 1024, 24, ""}, {"3", "auto", "auto", 3, 0, ""}}}},
};

static void put_at(unsigned processor, const char *file, const char *text)
{
    char path[128];
    (void)snprintf(path, sizeof path, CPU_FILES "/cpu%u/%s", processor, file);
    put(path, text);
}

/* The processors from `first` on. */
static void put_cores(const struct cores *cores, unsigned first)
{
    char text[64];
    for (unsigned i = 0; i < cores->count; i++) {
        if (cores->capacity != 0) {
            (void)snprintf(text, sizeof text, "%u\n", cores->capacity);
            put_at(first + i, "cpu_capacity", text);
        }
        unsigned sharer = first + i - i % cores->to_an_l2;
        (void)snprintf(text, sizeof text, cores->to_an_l2 > 1 ? "%u-%u\n" : "%u\n", sharer,
                       sharer + cores->to_an_l2 - 1);
        put_at(first + i, "cache/index0/level", "1\n");
        put_at(first + i, "cache/index1/level", "1\n");
        put_at(first + i, "cache/index2/level", "2\n");
        put_at(first + i, "cache/index2/shared_cpu_list", text);
        put_at(first + i, "topology/cluster_cpus_list", "0-63\n");
        if (cores->smidr != 0) {
            (void)snprintf(text, sizeof text, "0x%016" PRIx64 "\n", cores->smidr + i / cores->to_a_register);
            put_at(first + i, "regs/identification/smidr_el1", text);
        }
    }
}

static void put_list(const char *path, const char *list)
{
    char text[64];
    if (list != NULL) {
        (void)snprintf(text, sizeof text, "%s\n", list);
        put(path, text);
    }
}

static void put_tree(const struct tree *tree)
{
    unsigned first = 0;
    for (const struct cores *cores = tree->cores; cores->count != 0; first += cores->count, cores++)
        put_cores(cores, first);
    put_list("/sys/devices/cpu_core/cpus", tree->hybrid);
    put_list(CPU_FILES "/online", tree->online);
    put_list(CPU_FILES "/isolated", tree->isolated);
    if (tree->cpu_max != NULL) {
        put("/proc/self/mountinfo", "31 22 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
        put("/proc/self/cgroup", "0::/\n");
        put("/sys/fs/cgroup/cpu.max", tree->cpu_max);
    }
}

/* Reads the root as a process that may run on a list of processors; NULL: that cannot be told. */
static pleach__topology read_root(const char *allowed)
{
    static unsigned numbers[1 << 14];
    struct affinity mask = {.bits = allowed != NULL ? 8192 : SIZE_MAX, .numbers = numbers};
    unsigned first, last;
    pleach__topology topology;
    while (allowed != NULL && pleach__list_next(&allowed, &first, &last))
        for (unsigned number = first; number <= last; number++)
            numbers[mask.count++] = number;
    affinity = &mask;
    assert_int_equal(pleach__topology_read(&topology, root), PLEACH_OK);
    affinity = NULL;
    return topology;
}

static void expect_tree(const struct tree *tree, const struct expected_machine *expected)
{
    assert_int_equal(make_root(NULL), 0);
    print_message("%s\n", tree->name);
    put_tree(tree);
    pleach__topology topology = read_root(tree->allowed);
    expect_machine(&topology, expected);
    assert_true(topology.numbered);
    pleach__topology_free(&topology);
    assert_int_equal(remove_root(NULL), 0);
}

static void every_tree_has_its_plans(void **state)
{
    (void)state;
    const struct tree max = {.name = "M4 Max", .cores = m4_max_cores, .online = "0-15", .allowed = "0-15"};
    const struct tree small = {.name = "M4", .cores = m4_cores, .online = "0-9", .isolated = "", .allowed = "0-9"};
    expect_tree(&max, &m4_max);
    expect_tree(&small, &m4);
    for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++)
        expect_tree(&trees[i], &trees[i].expected);
}

static void workers_are_dealt_out_to_clusters(void **state)
{
    (void)state;
    const struct tree max = {.cores = m4_max_cores}, hybrid = {.cores = hybrid_cores, .hybrid = "0-15"};
    const unsigned max_order[] = {4, 10, 5, 11, 6, 12, 7, 13, 8, 14, 9, 15, 0, 1, 2, 3};
    const unsigned hybrid_order[] = {0,  2,  4,  6,  8,  10, 12, 14, 1,  3,  5,  7,  9,  11, 13, 15,
                                     16, 20, 24, 28, 17, 21, 25, 29, 18, 22, 26, 30, 19, 23, 27, 31};
    put_tree(&max);
    pleach__topology topology = read_root("0-15");
    assert_int_equal(topology.processors, 16);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(topology.order[i].number, max_order[i]);
    pleach__topology_free(&topology);
    assert_int_equal(remove_root(NULL), 0);
    assert_int_equal(make_root(NULL), 0);
    put_tree(&hybrid);
    topology = read_root("0-31");
    assert_int_equal(topology.processors, 32);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(topology.order[i].number, hybrid_order[i]);
    pleach__topology_free(&topology);
}

/* Two processors, the second of which has another capacity than 1024. */
static void slow_cores_are_efficiency_cores(void **state)
{
    (void)state;
    static const struct {
        const char *capacity;
        unsigned efficiency;
    } cases[] = {{"1024\n", 0}, {"615\n", 0}, {"614\n", 1}, {"523\n", 1}, {"1\n", 1},    {"0\n", 0},
                 {"\n", 0},     {"-5\n", 0},  {"5 6\n", 0}, {"x\n", 0},   {"1700\n", 0}, {"1707\n", 1}};
    put_at(0, "cpu_capacity", "1024\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put_at(1, "cpu_capacity", cases[i].capacity);
        pleach__topology topology = read_root("0-1");
        assert_int_equal(topology.efficiency, cases[i].efficiency);
        assert_int_equal(topology.processors, 2);
        assert_int_equal(topology.clusters[0], 1);
        assert_int_equal(topology.clusters[1], cases[i].efficiency); /* no cache is common to both kinds */
        pleach__topology_free(&topology);
    }
    put("/sys/devices/cpu_core/cpus", "0-1\n"); /* says more than capacities do */
    pleach__topology topology = read_root("0-1");
    assert_int_equal(topology.efficiency, 0);
    pleach__topology_free(&topology);
}

/* The units that two processors reach by their registers. */
static void registers_tell_the_streaming_units(void **state)
{
    (void)state;
    static const struct {
        uint64_t first, second;
        unsigned units;
    } cases[] = {
        {0, 0, 2}, /* neither shares its own */
        {SMIDR(BY_AFFINITY, 1, 1), SMIDR(BY_AFFINITY, 1, 1), 1},
        {SMIDR(BY_AFFINITY, 1, 1), SMIDR(BY_AFFINITY, 2, 1), 2},
        {SMIDR(BY_AFFINITY, 0x800, 1), SMIDR(BY_AFFINITY, 0x800, 1) | 0xff0000, 1}, /* another revision */
        {SMIDR(BY_AFFINITY, 0x5000, 1), SMIDR(BY_AFFINITY, 0x5000, 1), 2},          /* the low part decides */
        {SMIDR(BY_AFFINITY, 0, 1), SMIDR(BY_AFFINITY, 1, 1), 2},
        {SMIDR(UNSHARED, 1, 1), SMIDR(UNSHARED, 1, 1), 2},
        {SMIDR(SHARED, 0, 1), SMIDR(SHARED, 0, 1), 1},
        {SMIDR(SHARED, 0x1001, 1), SMIDR(SHARED, 0x2001, 1), 2},
        {SMIDR(SHARED, 0xfffff001, 1), SMIDR(SHARED, 0xfffff001, 1), 1},
        {SMIDR(SHARED, 1, 2), SMIDR(SHARED, 1, 2), 2},
        {SMIDR(SHARED, 1, 15), SMIDR(SHARED, 1, 15), 2},
        {SMIDR(SHARED, 1, 16), SMIDR(SHARED, 1, 16), 1}, /* reserved */
        {SMIDR(UNSHARED, 1, 4), SMIDR(UNSHARED, 1, 4), 2},
        {SMIDR(RESERVED, 1, 1), SMIDR(RESERVED, 2, 1), 0},
        {SMIDR(RESERVED, 1, 1), SMIDR(SHARED, 1, 1), 1},
        {SMIDR(SHARED, 1, 1) | 0x00f0000000008000, SMIDR(SHARED, 1, 1), 1}, /* priorities */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[32];
        (void)snprintf(text, sizeof text, "0x%016" PRIx64 "\n", cases[i].first);
        put_at(0, "regs/identification/smidr_el1", text);
        (void)snprintf(text, sizeof text, "0x%016" PRIx64 "\n", cases[i].second);
        put_at(1, "regs/identification/smidr_el1", text);
        pleach__topology topology = read_root("0-1");
        if (topology.streaming_units != cases[i].units)
            fail_msg("case %zu: %u units", i, topology.streaming_units);
        pleach__topology_free(&topology);
    }
    put_at(1, "regs/identification/smidr_el1", ""); /* as of a processor that has not come up */
    pleach__topology topology = read_root("0-1");
    assert_int_equal(topology.streaming_units, 1);
    assert_int_equal(topology.order[1].unit, PLEACH__NONE);
    pleach__topology_free(&topology);
}

static void without_a_mask_the_online_processors_count(void **state)
{
    (void)state;
    static const struct {
        const char *online, *isolated;
        unsigned processors, last;
    } cases[] = {{"0-3\n", "\n", 4, 3}, {"2,5-6,9\n", "5\n", 3, 9}, {"1-2\n", "1-2\n", 2, 2}, {"0-1\n", "x\n", 2, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put(CPU_FILES "/online", cases[i].online);
        put(CPU_FILES "/isolated", cases[i].isolated);
        pleach__topology topology = read_root(NULL);
        assert_int_equal(topology.processors, cases[i].processors);
        assert_int_equal(topology.order[cases[i].processors - 1].number, cases[i].last);
        assert_true(topology.numbered);
        pleach__topology_free(&topology);
    }
}

static void malformed_lists_count_as_absent(void **state)
{
    (void)state;
    static const char *const lists[] = {"0-\n",
                                        "3-1\n",
                                        "0,\n",
                                        ",0\n",
                                        "0,,2\n",
                                        "0 2\n",
                                        "-1\n",
                                        "0-1-2\n",
                                        "a\n",
                                        "4294967295\n",
                                        "99999999999999999999\n",
                                        "0x3\n",
                                        " 0\n"};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        put(CPU_FILES "/online", lists[i]);
        assert_null(pleach__system_list(root, CPU_FILES "/online"));
        pleach__topology topology = read_root(NULL);
        assert_false(topology.numbered);
        pleach__topology_free(&topology);
    }
    put(CPU_FILES "/isolated", "8-4000000000\n");
    pleach__topology topology = read_root("7-9");
    assert_int_equal(topology.processors, 1);
    pleach__topology_free(&topology);
}

static void nothing_readable_at_all(void **state)
{
    (void)state;
    pleach__topology topology = read_root(NULL);
    const unsigned count = uv_available_parallelism();
    assert_false(topology.numbered);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(topology.order[i].unit, PLEACH__NONE);
    expect_machine(&topology, &(struct expected_machine){count,
                                                         0,
                                                         1,
                                                         0,
                                                         0,
                                                         {{"auto", "auto", "auto", count, 0, ""},
                                                          {"auto", "auto", "9", count, 0, ""},
                                                          {"1", "auto", "0", 1, 0, ""},
                                                          {"3", "auto", "1", 3, 0, ""}}});
    pleach__topology_free(&topology);
}

int run_tree_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tree_has_its_plans),
        IN_A_ROOT(workers_are_dealt_out_to_clusters),
        IN_A_ROOT(slow_cores_are_efficiency_cores),
        IN_A_ROOT(registers_tell_the_streaming_units),
        IN_A_ROOT(without_a_mask_the_online_processors_count),
        IN_A_ROOT(malformed_lists_count_as_absent),
        IN_A_ROOT(nothing_readable_at_all),
    };
    return cmocka_run_group_tests_name("trees", tests, NULL, NULL);
}
