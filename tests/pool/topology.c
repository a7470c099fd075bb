#define _GNU_SOURCE
#include "pool/quota.h"
#include "pool_test.h"

#include <stdio.h>

static const char version2_mounts[] =
    "22 1 0:21 / / rw - ext4 /dev/root rw\n"
    "31 22 0:28 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
static const char version1_mounts[] =
    "22 1 0:21 / / rw - ext4 /dev/root rw\n"
    "40 22 0:30 / /sys/fs/cgroup/cpuset rw shared:10 - cgroup cgroup rw,cpuset\n"
    "41 22 0:31 / /sys/fs/cgroup/cpu,cpuacct rw shared:11 - cgroup cgroup rw,cpu,cpuacct\n";

static void nothing_readable_means_no_quota(void **state)
{
    (void)state;
    assert_int_equal(pleach__quota_read(root), 0);
    assert_int_equal(pleach__quota_read("/nowhere/at/all"), 0);
    put("/proc/self/cgroup", "0::/service\n");
    assert_int_equal(pleach__quota_read(root), 0);
    put("/proc/self/mountinfo", "22 1\n\nshort line\n1 2 3 4 5\n1 2 3 4 5 6 - cgroup2\n");
    assert_int_equal(pleach__quota_read(root), 0);
    put("/proc/self/cgroup", "garbage\n0:\n:\n\n");
    assert_int_equal(pleach__quota_read(root), 0);
}

static void version2_quota(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned expected;
    } cases[] = {{"max 100000\n", 0},
                 {"100000 100000\n", 1},
                 {"50000 100000\n", 1},
                 {"100001 100000\n", 2},
                 {"1600000 100000\n", 16},
                 {"1 100000\n", 1},
                 {"0 100000\n", 0},
                 {"-1 100000\n", 0},
                 {"100000 0\n", 0},
                 {"100000\n", 0},
                 {"\n", 0},
                 {"nonsense\n", 0}};
    put("/proc/self/mountinfo", version2_mounts);
    put("/proc/self/cgroup", "0::/service/unit\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put("/sys/fs/cgroup/service/unit/cpu.max", cases[i].text);
        assert_int_equal(pleach__quota_read(root), cases[i].expected);
    }
}

static void the_tightest_group_around_counts(void **state)
{
    (void)state;
    put("/proc/self/mountinfo", version2_mounts);
    put("/proc/self/cgroup", "0::/slice/service/unit\n");
    put("/sys/fs/cgroup/slice/service/unit/cpu.max", "max 100000\n");
    put("/sys/fs/cgroup/slice/cpu.max", "250000 100000\n");
    assert_int_equal(pleach__quota_read(root), 3);
    put("/sys/fs/cgroup/slice/service/cpu.max", "600000 100000\n");
    assert_int_equal(pleach__quota_read(root), 3);
    put("/sys/fs/cgroup/slice/service/unit/cpu.max", "150000 100000\n");
    assert_int_equal(pleach__quota_read(root), 2);
    put("/sys/fs/cgroup/cpu.max", "100000 100000\n");
    assert_int_equal(pleach__quota_read(root), 1);
}

static void version1_quota(void **state)
{
    (void)state;
    put("/proc/self/mountinfo", version1_mounts);
    put("/proc/self/cgroup", "9:cpuset:/elsewhere\n4:cpu,cpuacct:/docker/abc\n0::/\n");
    put("/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "-1\n");
    put("/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000\n");
    put("/sys/fs/cgroup/cpuset/elsewhere/cpu.cfs_quota_us", "100000\n");
    put("/sys/fs/cgroup/cpuset/elsewhere/cpu.cfs_period_us", "100000\n");
    assert_int_equal(pleach__quota_read(root), 0);
    put("/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "320000\n");
    assert_int_equal(pleach__quota_read(root), 4);
    put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000\n");
    assert_int_equal(pleach__quota_read(root), 4);
    put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    assert_int_equal(pleach__quota_read(root), 2);
}

static void both_versions_at_once(void **state)
{
    (void)state;
    char mounts[1024];
    (void)snprintf(mounts, sizeof mounts, "%s42 22 0:32 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
                   version1_mounts);
    put("/proc/self/mountinfo", mounts);
    put("/proc/self/cgroup", "4:cpu,cpuacct:/a\n0::/b\n");
    put("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "500000\n");
    put("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
    assert_int_equal(pleach__quota_read(root), 5);
    put("/sys/fs/cgroup/unified/b/cpu.max", "300000 100000\n");
    assert_int_equal(pleach__quota_read(root), 3);
}

/* A container sees a part of the hierarchy, under its whole path or under one of its own. */
static void a_mount_of_a_part_of_the_hierarchy(void **state)
{
    (void)state;
    put("/proc/self/mountinfo", "31 22 0:28 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n");
    put("/sys/fs/cgroup/cpu.max", "300000 100000\n");
    put("/sys/fs/cgroup/inner/cpu.max", "200000 100000\n");
    static const struct {
        const char *group;
        unsigned expected;
    } cases[] = {{"0::/docker/abc\n", 3}, {"0::/docker/abc/inner\n", 2}, {"0::/docker/abcd/inner\n", 3}, {"0::/\n", 3},
                 {"0::/other\n", 3},      {"0::/../other\n", 3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put("/proc/self/cgroup", cases[i].group);
        assert_int_equal(pleach__quota_read(root), cases[i].expected);
    }
    put("/proc/self/mountinfo", version2_mounts);
    put("/proc/self/cgroup", "0::/../inner\n");
    assert_int_equal(pleach__quota_read(root), 3);
}

static void the_affinity_mask_may_be_long(void **state)
{
    (void)state;
    static unsigned numbers[3000];
    for (unsigned i = 0; i < 3000; i++)
        numbers[i] = 2 * i + 1;
    const struct affinity cases[] = {
        {64, 1, numbers}, {1024, 300, numbers}, {1088, 500, numbers}, {8192, 3000, numbers}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pleach__topology topology;
        affinity = &cases[i];
        assert_int_equal(pleach__topology_read(&topology, root), PLEACH_OK);
        affinity = NULL;
        assert_int_equal(topology.processors, cases[i].count);
        assert_true(topology.numbered);
        for (size_t n = 0; n < cases[i].count; n++)
            assert_int_equal(topology.order[n].number, numbers[n]);
        assert_int_equal(topology.quota, 0);
        pleach__topology_free(&topology);
    }
}

static void without_a_mask_the_processors_are_counted(void **state)
{
    (void)state;
    const struct affinity refused = {SIZE_MAX, 0, NULL}, empty = {64, 0, NULL};
    const struct affinity *const cases[] = {&refused, &empty};
    for (int i = 0; i < 2; i++) {
        pleach__topology topology;
        affinity = cases[i];
        assert_int_equal(pleach__topology_read(&topology, root), PLEACH_OK);
        affinity = NULL;
        assert_int_equal(topology.processors, uv_available_parallelism());
        assert_false(topology.numbered);
        pleach__topology_free(&topology);
    }
}

int run_topology_tests(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_ROOT(nothing_readable_means_no_quota),
        IN_A_ROOT(version2_quota),
        IN_A_ROOT(the_tightest_group_around_counts),
        IN_A_ROOT(version1_quota),
        IN_A_ROOT(both_versions_at_once),
        IN_A_ROOT(a_mount_of_a_part_of_the_hierarchy),
        IN_A_ROOT(the_affinity_mask_may_be_long),
        IN_A_ROOT(without_a_mask_the_processors_are_counted),
    };
    return cmocka_run_group_tests_name("topology", tests, NULL, NULL);
}
