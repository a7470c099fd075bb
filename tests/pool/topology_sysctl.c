/* Machines as Apple's systems describe them. */
#define _GNU_SOURCE
#include "pool/topology_sysctl.h"
#include "pool_test.h"

#include <stdlib.h>
#include <string.h>

/* What the system would answer: "name: value" in lines. */
static const char *answers;

/* A value in quotes is a text. */
static const char *find(const char *name)
{
    const size_t length = strlen(name);
    for (const char *line = answers; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0 && strncmp(line + length, ": ", 2) == 0)
            return line + length + 2;
    }
    return NULL;
}

static bool read_number(const char *name, uint64_t *number)
{
    const char *value = find(name);
    if (value == NULL || *value == '"')
        return false;
    *number = strtoull(value, NULL, 10);
    return true;
}

static bool read_text(const char *name, char *text, size_t size)
{
    const char *value = find(name);
    if (value == NULL || *value != '"')
        return false;
    const size_t length = strcspn(value + 1, "\"");
    assert_true(length < size);
    memcpy(text, value + 1, length);
    text[length] = '\0';
    return true;
}

static const struct expected_machine m1 = {
    8, 4, 1, 1, 0, {{"auto", "auto", "auto", 7, 4, ""}, {"auto", "auto", "9", 7, 4, ""}, {"1", "auto", "1", 1, 0, ""}}};
static const struct expected_machine m5_pro = {
    15, 0, 3, 0, 3, {{"auto", "auto", "auto", 15, 0, "1:P0 2:P1 3:P2"}, {"3", "auto", "9", 3, 0, "1:P0 2:P1"}}};
static const struct expected_machine three_levels = {
    12, 6, 2, 1, 3, {{"auto", "auto", "auto", 11, 6, "1:P0 2:P1 5:E0"}, {"auto", "auto", "0", 11, 6, ""}}};
static const struct expected_machine xeon = {16, 0, 8, 0, 0, {{"auto", "auto", "auto", 16, 0, ""}}};
static const struct expected_machine no_clusters = {4, 0, 1, 0, 1, {{"auto", "auto", "auto", 4, 0, "1:P0"}}};

static const struct {
    const char *answers;
    const struct expected_machine *expected;
} machines[] = {
    {"hw.nperflevels: 2\nhw.optional.arm.FEAT_SME: 1\n"
     "hw.perflevel0.logicalcpu: 12\nhw.perflevel0.cpusperl2: 6\nhw.perflevel0.name: \"Performance\"\n"
     "hw.perflevel1.logicalcpu: 4\nhw.perflevel1.cpusperl2: 4\nhw.perflevel1.name: \"Efficiency\"\n",
     &m4_max},
    {"hw.optional.arm.FEAT_SME: 1\nhw.nperflevels: 2\n"
     "hw.perflevel0.logicalcpu: 4\nhw.perflevel0.cpusperl2: 4\nhw.perflevel0.name: \"Performance\"\n"
     "hw.perflevel1.logicalcpu: 6\nhw.perflevel1.cpusperl2: 6\nhw.perflevel1.name: \"Efficiency\"\n",
     &m4},
    {"hw.nperflevels: 2\nhw.optional.arm.FEAT_SME: 0\n" /* whose system did not name the levels yet */
     "hw.perflevel0.logicalcpu: 4\nhw.perflevel0.cpusperl2: 4\n"
     "hw.perflevel1.logicalcpu: 4\nhw.perflevel1.cpusperl2: 4\n",
     &m1},
    {"hw.nperflevels: 2\nhw.optional.arm.FEAT_SME: 1\n"
     "hw.perflevel0.logicalcpu: 5\nhw.perflevel0.cpusperl2: 5\nhw.perflevel0.name: \"Super\"\n"
     "hw.perflevel1.logicalcpu: 10\nhw.perflevel1.cpusperl2: 5\nhw.perflevel1.name: \"Performance\"\n",
     &m5_pro},
    {"hw.nperflevels: 3\nhw.optional.arm.FEAT_SME: 1\n"
     "hw.perflevel0.logicalcpu: 2\nhw.perflevel0.cpusperl2: 2\nhw.perflevel0.name: \"Super\"\n"
     "hw.perflevel1.logicalcpu: 4\nhw.perflevel1.cpusperl2: 4\nhw.perflevel1.name: \"Performance\"\n"
     "hw.perflevel2.logicalcpu: 6\nhw.perflevel2.cpusperl2: 6\nhw.perflevel2.name: \"Efficiency\"\n",
     &three_levels},
    {"hw.nperflevels: 1\nhw.perflevel0.logicalcpu: 16\nhw.perflevel0.cpusperl2: 2\nhw.perflevel0.name: \"Standard\"\n",
     &xeon},
    {"hw.nperflevels: 1\nhw.perflevel0.logicalcpu: 4\nhw.optional.arm.FEAT_SME: 1\n", &no_clusters},
};

static void every_machine_has_its_plans(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        pleach__topology topology = {.quota = 0};
        answers = machines[i].answers;
        assert_int_equal(
            pleach__topology_from_sysctl(&topology, &(pleach__sysctl){.number = read_number, .text = read_text}),
            PLEACH_OK);
        assert_false(topology.numbered);
        expect_machine(&topology, machines[i].expected);
        pleach__topology_free(&topology);
    }
}

static void a_system_that_tells_nothing_has_no_processors(void **state)
{
    (void)state;
    static const char *const cases[] = {"", "hw.nperflevels: 2\n", "hw.perflevel0.logicalcpu: 8\n",
                                        "hw.nperflevels: 1\nhw.perflevel0.logicalcpu: 99999999999\n"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pleach__topology topology = {.quota = 0};
        answers = cases[i];
        assert_int_equal(
            pleach__topology_from_sysctl(&topology, &(pleach__sysctl){.number = read_number, .text = read_text}),
            PLEACH_OK);
        assert_int_equal(topology.processors, 0);
        assert_null(topology.order);
    }
}

int run_sysctl_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_machine_has_its_plans),
        cmocka_unit_test(a_system_that_tells_nothing_has_no_processors),
    };
    return cmocka_run_group_tests_name("sysctl", tests, NULL, NULL);
}
