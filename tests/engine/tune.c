/* What `pleach tune` makes of machines and of times, whatever these are. */
#define _GNU_SOURCE /* open_memstream */
#include "engine/cli/tune.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { PERFORMANCE = 1024, EFFICIENCY = 300, MOST = 1200 };

/* Cores of a kind in clusters of equal size, each with its own streaming unit or none. */
struct cores {
    unsigned count, cluster, capacity;
    bool streaming;
};

static unsigned add_cores(pleach__found *found, unsigned at, const struct cores *cores)
{
    for (unsigned i = 0; i < cores->count; i++)
        found[at + i] = (pleach__found){.number = at + i,
                                        .capacity = cores->capacity,
                                        .units = cores->streaming,
                                        .group = cores->capacity * 1000 + i / cores->cluster,
                                        .cluster = cores->capacity * 1000 + i / cores->cluster};
    return at + cores->count;
}

static void make_machine(pleach__topology *topology, struct cores performance, struct cores efficiency, unsigned quota)
{
    static pleach__found found[MOST];
    performance.capacity = PERFORMANCE;
    efficiency.capacity = EFFICIENCY;
    const unsigned count = add_cores(found, add_cores(found, 0, &performance), &efficiency);
    memset(topology, 0, sizeof *topology);
    assert_int_equal(pleach__topology_arrange(topology, found, count), PLEACH_OK);
    topology->quota = quota;
}

/* "1 2 2+1/1": settings, with slots after the stroke. */
static void list_settings(const pleach__tune_sweep *sweep, char *text, size_t size)
{
    char name[PLEACH__TUNE_NAME];
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sweep->count; i++) {
        pleach__tune_name(&sweep->setting[i], name);
        at += (size_t)snprintf(text + at, size - at, "%s%s", i > 0 ? " " : "", name);
        if (sweep->setting[i].slots > 0)
            at += (size_t)snprintf(text + at, size - at, "/%u", sweep->setting[i].slots);
        assert_true(at < size);
    }
}

static void expect_sweep(const pleach__topology *topology, const char *list, const char *slots, const char *expected)
{
    static pleach__tune_sweep sweep;
    char text[8192];
    pleach_config config;
    pleach_config_init(&config);
    assert_int_equal(pleach_config_set(&config, "PLEACH_SME_WORKERS", slots), PLEACH_OK);
    assert_int_equal(pleach__tune_sweep_make(&sweep, list, &config, topology), expected != NULL);
    if (expected == NULL)
        return;
    list_settings(&sweep, text, sizeof text);
    assert_string_equal(text, expected);
    bool has_automatic = list != NULL;
    for (size_t i = 0; i < sweep.count; i++)
        has_automatic |= pleach__tune_equal(&sweep.setting[i], &sweep.automatic);
    assert_true(has_automatic);
}

static void sweeps_of_machines(void **state)
{
    (void)state;
    const struct cores none = {0};
    const struct {
        struct cores performance, efficiency;
        unsigned quota;
        const char *list, *slots, *expected;
    } machines[] = {
        {{1, 1, 0, false}, none, 0, NULL, "auto", "1"},
        {{2, 1, 0, false}, none, 0, NULL, "auto", "1 2"},
        {{8, 4, 0, false}, none, 3, NULL, "auto", "1 2 3"},
        {{128, 4, 0, false},
         none,
         0,
         NULL,
         "auto",
         "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 20 24 28 32 40 48 56 64 80 96 112 128"},
        {{19, 4, 0, false}, none, 0, NULL, "auto", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 19"},
        {{6, 6, 0, false}, {4, 4, 0, false}, 0, NULL, "auto", "1 2 3 4 5 6 5+1 5+2 5+3 5+4 6+4"},
        {{6, 6, 0, false}, {4, 4, 0, false}, 7, NULL, "auto", "1 2 3 4 5 6 5+1 5+2"},
        {{2, 2, 0, false}, {2, 2, 0, false}, 0, "4", "auto", "1 4"},
        {{4, 4, 0, true},
         {2, 2, 0, true},
         0,
         NULL,
         "auto",
         "1 2 3 4 3+1 3+2 4+2 1/1 2/1 3/1 4/1 3+1/1 3+2/1 4+2/1 3+1/2 3+2/2 4+2/2"},
        {{4, 4, 0, true}, {2, 2, 0, true}, 0, "2,3+1", "auto", "1 2 3+1 1/1 2/1 3+1/1 3+1/2"},
        {{4, 2, 0, true}, none, 0, "4", "auto", "1 4 1/1 4/1 4/2"},
        {{4, 2, 0, true}, none, 0, "4", "1", "1 4 1/1 4/1"},
        {{4, 2, 0, true}, none, 0, "4", "0", "1 4"},
        {{2, 1, 0, false}, none, 0, "4,1-3,2", "auto", "1 2 3 4"},
        {{2, 1, 0, false}, none, 0, "3+1,2+2,2+1,8", "auto", "1 8 2+1 2+2 3+1"},
        {{2, 1, 0, false}, none, 0, "1024", "auto", "1 1024"},
        {{2, 1, 0, false}, none, 0, "1025", "auto", NULL},
        {{2, 1, 0, false}, none, 0, "1000+25", "auto", NULL},
        {{2, 1, 0, false}, none, 0, "18446744073709551617", "auto", NULL},
        {{2, 1, 0, false}, none, 0, "1-257", "auto", NULL},
        {{4, 1, 0, true}, none, 0, "1-128", "auto", NULL},
    };
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        pleach__topology topology;
        make_machine(&topology, machines[i].performance, machines[i].efficiency, machines[i].quota);
        expect_sweep(&topology, machines[i].list, machines[i].slots, machines[i].expected);
        pleach__topology_free(&topology);
    }
}

/* Whatever the machine, no setting is tried twice, and the first one is a single worker. */
static void sweeps_of_many_machines(void **state)
{
    static pleach__tune_sweep sweep;
    pleach_config config;
    (void)state;
    pleach_config_init(&config);
    for (unsigned performance = 1; performance <= MOST - 20; performance += 1 + performance / 7)
        for (unsigned efficiency = 0; efficiency <= 20; efficiency += 4)
            for (unsigned quota = 0; quota < 9; quota += 3) {
                pleach__topology topology;
                make_machine(&topology, (struct cores){performance, performance / 2 + 1, 0, performance < 20},
                             (struct cores){efficiency, 20, 0, false}, quota);
                assert_true(pleach__tune_sweep_make(&sweep, NULL, &config, &topology));
                assert_true(pleach__tune_equal(&sweep.setting[0], &(pleach__tune_setting){.workers = 1}));
                for (size_t i = 0; i < sweep.count; i++) {
                    config.workers = (int)sweep.setting[i].workers;
                    config.efficiency_workers = (int)sweep.setting[i].efficiency;
                    assert_int_equal(pleach_config_validate(&config), PLEACH_OK);
                    assert_true(quota == 0 || pleach__tune_workers(&sweep.setting[i]) <= quota);
                    for (size_t j = 0; j < i; j++)
                        assert_false(pleach__tune_equal(&sweep.setting[i], &sweep.setting[j]));
                }
                pleach_config_init(&config);
                pleach__topology_free(&topology);
            }
}

/* An outcome of made-up times. */
struct made {
    unsigned workers, efficiency, slots;
    double ns, range; /* between the quartiles */
};

enum { MADE = 8, SAMPLES = 16 };

static void make_outcome(pleach__tune_outcome *outcome, pleach__tune_work *work, const struct made made[MADE])
{
    memset(outcome, 0, sizeof *outcome);
    *work = (pleach__tune_work){0};
    pleach__options options = {0};
    assert_true(pleach__tune_work_parse(work, "tree:20:64", &options));
    outcome->work = work;
    outcome->backend = "avx2";
    outcome->rounds = SAMPLES;
    for (; made->workers > 0; made++) {
        const size_t i = outcome->count++;
        outcome->setting[i] = (pleach__tune_setting){made->workers, made->efficiency, made->slots};
        outcome->timing[i] = (pleach__bench_timing){.ns = made->ns,
                                                    .low = made->ns - made->range / 2,
                                                    .high = made->ns + made->range / 2,
                                                    .processor = made->ns * made->workers,
                                                    .samples = SAMPLES};
        if (made->slots > 0)
            outcome->streaming_backend = "sme";
    }
    pleach__tune_judge(outcome);
}

static void judgements(void **state)
{
    static pleach__tune_outcome outcome;
    pleach__tune_work work;
    static const struct {
        struct made made[MADE];
        size_t fastest, best;
        const char *reason;
    } cases[] = {
        {{{1, 0, 0, 100, 0}}, 0, 0, "nothing else was tried"},
        {{{1, 0, 0, 100, 0}, {2, 0, 0, 101, 0}}, 0, 0, "nothing is faster"},
        {{{1, 0, 0, 100, 0}, {2, 0, 0, 51, 0}}, 1, 1, "the fastest; fewer workers take more than 3 % longer"},
        {{{1, 0, 0, 100, 0}, {2, 0, 0, 51, 0}, {3, 0, 0, 50, 0}, {4, 0, 0, 60, 0}},
         2,
         1,
         "at most 3 % slower than the fastest (3 workers), and a worker that brings nothing costs other work"},
        {{{1, 0, 0, 100, 0}, {2, 0, 0, 51.6, 0}, {3, 0, 0, 50, 0}}, 2, 2, "the fastest*"},
        /* The same beside noise. */
        {{{1, 0, 0, 100, 9}, {2, 0, 0, 52, 5}, {3, 0, 0, 50, 5}},
         2,
         1,
         "times spread so far that nothing is surely more than 3 % faster, not even the fastest (3 workers)"},
        {{{1, 0, 0, 100, 0}, {4, 0, 0, 30, 0}, {2, 2, 0, 29.5, 0}, {3, 2, 0, 29.4, 0}},
         3,
         2,
         "at most 3 % slower than the fastest (3+2 workers), *"},
        {{{1, 0, 0, 100, 0}, {2, 0, 0, 60, 0}, {1, 0, 1, 50, 0}, {2, 0, 1, 49, 0}},
         3,
         2,
         "at most 3 % slower than the fastest (2 workers, 1 slot), *"},
        {{{1, 0, 0, 100, 0}, {2, 0, 0, 50, 0}, {2, 0, 1, 49, 0}, {2, 0, 2, 49, 0}}, 2, 1, "at most 3 %*"},
        {{{1, 0, 0, 100, 0}, {1, 0, 1, 50, 0}}, 1, 1, "nothing is faster"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char reason[PLEACH__TUNE_REASON];
        make_outcome(&outcome, &work, cases[i].made);
        assert_int_equal(outcome.fastest, cases[i].fastest);
        assert_int_equal(outcome.best, cases[i].best);
        pleach__tune_reason(&outcome, reason);
        const size_t length = strcspn(cases[i].reason, "*");
        if (cases[i].reason[length] == '*')
            reason[length] = '*', reason[length + 1] = '\0';
        assert_string_equal(reason, cases[i].reason);
    }
}

/* Two works that disagree, the second with slots. */
struct fixture {
    pleach__topology topology;
    pleach__tune_sweep sweep;
    pleach__tune_work work[2];
    pleach__tune_outcome outcome[2];
    pleach__tune_report report;
};

static void make_report(struct fixture *f)
{
    pleach_config config;
    pleach_config_init(&config);
    make_machine(&f->topology, (struct cores){4, 4, 0, true}, (struct cores){2, 2, 0, true}, 0);
    assert_true(pleach__tune_sweep_make(&f->sweep, NULL, &config, &f->topology));
    make_outcome(&f->outcome[0], &f->work[0],
                 (struct made[MADE]){{1, 0, 0, 1e6, 0}, {3, 0, 0, 4e5, 0}, {4, 0, 0, 5e5, 0}});
    make_outcome(&f->outcome[1], &f->work[1],
                 (struct made[MADE]){{1, 0, 0, 1e6, 0},
                                     {2, 0, 0, 6e5, 0},
                                     {2, 1, 0, 5e5, 0},
                                     {2, 2, 0, 4.5e5, 0},
                                     {1, 0, 1, 8e5, 0},
                                     {2, 0, 1, 5e5, 0},
                                     {2, 1, 1, 2e5, 0}});
    f->report = (pleach__tune_report){&f->sweep, &f->topology, f->outcome, 2, false};
}

static void recommendations(void **state)
{
    static struct fixture f;
    (void)state;
    make_report(&f);
    const pleach__tune_setting all = pleach__tune_recommend(&f.report);
    assert_true(pleach__tune_equal(&all, &(pleach__tune_setting){3, 1, 1}));
    assert_false(pleach__tune_agreed(&f.report));
    assert_true(pleach__tune_loss(&f.outcome[0], &(pleach__tune_setting){1, 0, 0}) > 1.49);
    assert_true(pleach__tune_loss(&f.outcome[0], &(pleach__tune_setting){3, 0, 0}) == 0);
    assert_true(pleach__tune_loss(&f.outcome[0], &all) == 0);
    f.report.count = 1;
    assert_true(pleach__tune_agreed(&f.report));
    f.report.count = 0;
    assert_true(pleach__tune_agreed(&f.report));
    pleach__topology_free(&f.topology);
}

/* What a function writes to standard output; the caller's. */
static char *printed(const pleach__tune_report *report, bool as_json)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    (void)fflush(stdout);
    const int saved = dup(STDOUT_FILENO);
    assert_true(saved >= 0 && dup2(fileno(file), STDOUT_FILENO) >= 0);
    if (!as_json)
        pleach__tune_print(report);
    const bool good = !as_json || pleach__tune_print_json(report);
    (void)fflush(stdout);
    assert_true(dup2(saved, STDOUT_FILENO) >= 0);
    (void)close(saved);
    assert_true(good);
    const long size = lseek(fileno(file), 0, SEEK_END) > 0 ? (long)lseek(fileno(file), 0, SEEK_CUR) : 0;
    char *text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    rewind(file);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    (void)fclose(file);
    return text;
}

static void tables(void **state)
{
    static struct fixture f;
    (void)state;
    make_report(&f);
    char *text = printed(&f.report, false);
    static const char *const parts[] = {
        "6 usable processors, 2 of them on efficiency cores, 2 streaming units; automatic: 3+2 workers, 2 slots\n",
        "\ntree:20:64: 2^20 leaves of 64 bytes, all nodes kept; blake2s avx2; 16 rounds\n"
        "  workers       time   spread   speedup  efficiency  processor time\n"
        "        1    1.00 ms    0.0 %    1.00 x       100 %         1.00 ms\n"
        "        3     400 us    0.0 %    2.50 x        83 %         1.20 ms  best\n"
        "        4     500 us    0.0 %    2.00 x        50 %         2.00 ms\n"
        "  best: 3 workers: the fastest; fewer workers take more than 3 % longer.\n",
        "blake2s avx2, with a slot sme; 16 rounds\n"
        "  workers  slots       time ",
        "\n      2+1      1     200 us    0.0 %    5.00 x       167 %          400 us  best\n",
        "\nThe works disagree.\n\n# for tree:20:64\n"
        "export PLEACH_WORKERS=3\nexport PLEACH_EFFICIENCY_WORKERS=0\nexport PLEACH_SME_WORKERS=0\n"
        "\n# for tree:20:64\n"
        "export PLEACH_WORKERS=2\nexport PLEACH_EFFICIENCY_WORKERS=1\nexport PLEACH_SME_WORKERS=1\n"
        "\n# for all of them: the largest of these\n"
        "export PLEACH_WORKERS=3\nexport PLEACH_EFFICIENCY_WORKERS=1\nexport PLEACH_SME_WORKERS=1\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(text, parts[i]) == NULL)
            fail_msg("\"%s\" is not in\n%s", parts[i], text);
    free(text);
    pleach__topology_free(&f.topology);
}

static void json(void **state)
{
    static struct fixture f;
    (void)state;
    make_report(&f);
    for (f.report.count = 0; f.report.count <= 2; f.report.count++) {
        char *text = printed(&f.report, true);
        json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
        const json_t *works = json_object_get(object, "works");
        assert_non_null(object);
        assert_int_equal(json_array_size(works), f.report.count);
        assert_int_equal(json_is_null(json_object_get(object, "settings")), f.report.count == 0);
        assert_int_equal(json_is_true(json_object_get(object, "agreed")), f.report.count < 2);
        if (f.report.count == 2) {
            const json_t *work = json_array_get(works, 1);
            const json_t *timing = json_array_get(json_object_get(work, "timings"), 6);
            assert_string_equal(json_string_value(json_object_get(work, "streaming_backend")), "sme");
            assert_true(json_is_true(json_object_get(timing, "best")));
            assert_true(json_real_value(json_object_get(timing, "speedup")) == 5);
            assert_true(json_equal(json_object_get(timing, "settings"), json_object_get(work, "best")));
        }
        json_decref(object);
        free(text);
    }
    pleach__topology_free(&f.topology);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        count++;
    return count;
}

/* A line for each work and number of slots, dashed where efficiency cores come in; a point for each setting. */
static void plots(void **state)
{
    static struct fixture f;
    char *text = NULL;
    size_t size = 0;
    (void)state;
    make_report(&f);
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    pleach__tune_draw(&f.report, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(count_of(text, "<g class=\"line c"), 3);
    assert_int_equal(count_of(text, "<path class=\"efficiency\""), 2);
    assert_int_equal(count_of(text, "; best</title>"), 2);
    assert_int_equal(count_of(text, " as fast as one worker"), 3 + 7 + 2); /* the description and an axis */
    assert_int_equal(count_of(text, "tree:20:64, 1 slot; best: 2+1 workers, 1 slot</text>"), 1);
    free(text);
    pleach__topology_free(&f.topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_of_machines),
        cmocka_unit_test(sweeps_of_many_machines),
        cmocka_unit_test(judgements),
        cmocka_unit_test(recommendations),
        cmocka_unit_test(tables),
        cmocka_unit_test(json),
        cmocka_unit_test(plots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
