/* What pools are to be on machines, whatever told of these. */
#define _GNU_SOURCE
#include "pool_test.h"

#include <stdio.h>
#include <string.h>

const struct expected_machine m4_max = {16,
                                        4,
                                        2,
                                        1,
                                        3,
                                        {{"auto", "auto", "auto", 15, 4, "1:P0 2:P1 11:E0"},
                                         {"auto", "auto", "0", 15, 4, ""},
                                         {"auto", "auto", "1", 15, 4, "1:P0"},
                                         {"auto", "auto", "9", 15, 4, "1:P0 2:P1 11:E0"},
                                         {"auto", "0", "auto", 11, 0, "1:P0 2:P1"},
                                         {"1", "auto", "auto", 1, 0, "0:P0"},
                                         {"1", "auto", "0", 1, 0, ""},
                                         {"3", "auto", "auto", 3, 0, "1:P0 2:P1"},
                                         {"3", "auto", "1", 3, 0, "1:P0"},
                                         {"2", "6", "auto", 8, 6, "1:P0 2:E0"},
                                         {"20", "auto", "9", 20, 0, "1:P0 2:P1"}}};

const struct expected_machine m4 = {10,
                                    6,
                                    1,
                                    1,
                                    2,
                                    {{"auto", "auto", "auto", 9, 6, "1:P0 3:E0"},
                                     {"auto", "auto", "0", 9, 6, ""},
                                     {"auto", "auto", "1", 9, 6, "1:P0"},
                                     {"auto", "2", "9", 5, 2, "1:P0 3:E0"},
                                     {"1", "auto", "9", 1, 0, "0:P0"},
                                     {"1", "0", "0", 1, 0, ""},
                                     {"3", "auto", "auto", 3, 0, "1:P0"},
                                     {"3", "auto", "0", 3, 0, ""}}};

static void list_holders(const pleach__plan *plan, const pleach__topology *topology, char *text, size_t size)
{
    size_t at = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < plan->workers; i++) {
        if (!plan->place[i].streaming)
            continue;
        const pleach__processor *processor = &topology->order[plan->place[i].processor];
        at += (size_t)snprintf(text + at, size - at, "%s%u:%c%u", at == 0 ? "" : " ", i,
                               processor->efficiency ? 'E' : 'P', processor->cluster);
        assert_true(at < size);
    }
}

/* Workers sit on processors of their kind, each on one of its own as long as there are any, and no unit is given twice.
 */
static void expect_sense(const pleach__plan *plan, const pleach__topology *topology)
{
    const unsigned performance = plan->workers - plan->efficiency, fast = topology->processors - topology->efficiency;
    unsigned slots = 0;
    for (unsigned i = 0; i < plan->workers; i++) {
        const pleach__place *place = &plan->place[i];
        slots += place->streaming;
        if (i == 0 && plan->workers > 1) {
            assert_true(place->processor == PLEACH__NONE && !place->streaming);
            continue;
        }
        assert_in_range(place->processor, 0, topology->processors - 1);
        assert_int_equal(topology->order[place->processor].efficiency, i >= performance && topology->efficiency != 0);
        for (unsigned j = 1; j < i; j++) {
            const pleach__place *other = &plan->place[j];
            if (i < performance ? i <= fast : j >= performance && i - performance < topology->efficiency)
                assert_int_not_equal(other->processor, place->processor);
            if (other->streaming && place->streaming)
                assert_int_not_equal(topology->order[other->processor].unit, topology->order[place->processor].unit);
        }
    }
    assert_int_equal(slots, plan->slots);
    assert_true(slots <= topology->streaming_units);
    assert_true(strlen(plan->workers_reason) > 0 && strlen(plan->slots_reason) > 0);
}

static void expect_plan(const pleach__topology *topology, const struct expected_plan *expected)
{
    static pleach__plan plan;
    char holders[4096];
    pleach_config config;
    pleach_config_init(&config);
    assert_int_equal(pleach_config_set(&config, "PLEACH_WORKERS", expected->workers), PLEACH_OK);
    assert_int_equal(pleach_config_set(&config, "PLEACH_EFFICIENCY_WORKERS", expected->efficiency_workers), PLEACH_OK);
    assert_int_equal(pleach_config_set(&config, "PLEACH_SME_WORKERS", expected->sme_workers), PLEACH_OK);
    memset(&plan, 0xaa, sizeof plan);
    pleach__plan_make(&plan, &config, topology, NULL);
    assert_int_equal(plan.workers, expected->all);
    assert_int_equal(plan.efficiency, expected->efficiency);
    list_holders(&plan, topology, holders, sizeof holders);
    assert_string_equal(holders, expected->holders);
    expect_sense(&plan, topology);
}

void expect_machine(const pleach__topology *topology, const struct expected_machine *expected)
{
    assert_int_equal(topology->processors, expected->processors);
    assert_int_equal(topology->efficiency, expected->efficiency);
    assert_int_equal(topology->clusters[0], expected->performance_clusters);
    assert_int_equal(topology->clusters[1], expected->efficiency_clusters);
    assert_int_equal(topology->streaming_units, expected->units);
    for (const struct expected_plan *plan = expected->plans; plan->workers != NULL; plan++)
        expect_plan(topology, plan);
}
