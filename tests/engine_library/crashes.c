/*
 * A process that seals blocks and takes snapshots is killed at random, again and again. What is there afterwards is the
 * state of a sealed block, and of none before the last snapshot that was acknowledged.
 */
#define _GNU_SOURCE
#include "chain.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CYCLES = 200, QUICK_CYCLES = 25, FRESH_EVERY = 50, CHILD_BLOCKS = 2000 };

enum event_kind { READY, SEALED, SNAPSHOT };

struct event {
    enum event_kind kind;
    uint64_t height;
};

/* --- the process that is killed; it tells what it has done through its standard output --- */

static void tell(enum event_kind kind, uint64_t height)
{
    const struct event event = {kind, height};
    if (write(STDOUT_FILENO, &event, sizeof event) != (ssize_t)sizeof event)
        _exit(3);
}

static int be_killed(const char *path, uint64_t seed)
{
    pleach_engine *engine = chain_open(path, 2);
    pleach_engine_view *view = NULL;
    uint64_t height = 0;
    if (chain_objects(engine) != PLEACH_OK || pleach_engine_view_open(engine, PLEACH_ENGINE_LATEST, &view) != PLEACH_OK)
        return 4;
    (void)pleach_engine_view_height(view, &height);
    pleach_engine_view_close(engine, view);
    tell(READY, height);
    for (int i = 0; i < CHILD_BLOCKS; i++) {
        if (chain_block(engine, ++height) != PLEACH_OK)
            return 5;
        tell(SEALED, height);
        if (random_below(&seed, 3) == 0) {
            if (pleach_engine_snapshot(engine) != PLEACH_OK)
                return 6;
            tell(SNAPSHOT, height);
        }
    }
    return 0;
}

/* --- the one that kills --- */

struct told {
    uint64_t sealed, acknowledged; /* the newest heights that the other process told */
    unsigned snapshots;
};

static pid_t start_other(uint64_t seed, int *output)
{
    int ends[2];
    char number[24];
    (void)snprintf(number, sizeof number, "%llu", (unsigned long long)seed);
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)close(ends[0]);
        (void)close(ends[1]);
        (void)execl("/proc/self/exe", "engine_crashes", directory, number, (char *)NULL);
        _exit(2);
    }
    (void)close(ends[1]);
    *output = ends[0];
    return child;
}

static void wait_for(uint64_t nanoseconds)
{
    const struct timespec time = {.tv_nsec = (long)nanoseconds};
    (void)nanosleep(&time, NULL);
}

/* Some are killed while they open the directory, most later. */
static void run_other(uint64_t *seed, struct told *told)
{
    struct event event;
    int output = -1, ended = 0;
    const pid_t child = start_other(random_below(seed, UINT64_MAX), &output);
    if (random_below(seed, 4) > 0) {
        assert_int_equal(read(output, &event, sizeof event), sizeof event);
        assert_int_equal(event.kind, READY);
    }
    wait_for(random_below(seed, 15000000));
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &ended, 0), child);
    if (!WIFSIGNALED(ended))
        assert_int_equal(WEXITSTATUS(ended), 0);
    while (read(output, &event, sizeof event) == (ssize_t)sizeof event) {
        if (event.kind == SEALED)
            told->sealed = event.height;
        if (event.kind == SNAPSHOT) {
            told->acknowledged = event.height;
            told->snapshots++;
        }
    }
    (void)close(output);
}

/* The model only moves forward: what was restored once is never lost. */
static void check_directory(struct model *model, struct told *told)
{
    pleach_engine *engine = chain_open(directory, 0);
    pleach_engine_view *view = NULL;
    uint64_t height = 0;
    assert_int_equal(chain_objects(engine), PLEACH_OK);
    assert_int_equal(pleach_engine_view_open(engine, PLEACH_ENGINE_LATEST, &view), PLEACH_OK);
    (void)pleach_engine_view_height(view, &height);
    assert_true(height >= told->acknowledged);
    assert_true(height <= told->sealed + 1); /* it may not have been told any more */
    while (model->height < height)
        model_block(model);
    assert_true(model_is(model, view));
    told->sealed = told->acknowledged = height;
    pleach_engine_view_close(engine, view);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

static void a_killed_process_leaves_a_sealed_state(void **state)
{
    const unsigned cycles = quick() ? QUICK_CYCLES : CYCLES;
    uint64_t seed = (uint64_t)time(NULL), blocks = 0;
    unsigned snapshots = 0, unfinished = 0;
    (void)state;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (unsigned done = 0; done < cycles;) {
        struct model model;
        struct told told = {0};
        assert_int_equal(make_directory(NULL), 0);
        model_open(&model);
        for (unsigned i = 0; i < FRESH_EVERY && done < cycles; i++, done++) {
            run_other(&seed, &told);
            unfinished += access(file_in("snapshot.new"), F_OK) == 0;
            check_directory(&model, &told);
        }
        blocks += model.height;
        snapshots += told.snapshots;
        model_close(&model);
        assert_int_equal(remove_directory(NULL), 0);
    }
    print_message("%u kills, %llu blocks that were kept, %u snapshots, %u cut off\n", cycles,
                  (unsigned long long)blocks, snapshots, unfinished);
    assert_true(snapshots > 0);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_killed_process_leaves_a_sealed_state)};
    if (count == 3)
        return be_killed(arguments[1], strtoull(arguments[2], NULL, 10));
    (void)alarm(900); /* a hang is a failure */
    return cmocka_run_group_tests_name("crashes", tests, NULL, NULL);
}
