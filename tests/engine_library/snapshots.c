/* Snapshots in a directory, as they should be and as they should not. */
#define _GNU_SOURCE
#include "engine_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define IN_A_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, make_directory, remove_directory)

/* Seals blocks with a snapshot after each. */
static void run_blocks(uint64_t first, uint64_t last)
{
    pleach_engine *engine = chain_open(directory, 1);
    assert_int_equal(chain_objects(engine), PLEACH_OK);
    for (uint64_t height = first; height <= last; height++) {
        chain_blocks(engine, height, height);
        assert_int_equal(pleach_engine_snapshot(engine), PLEACH_OK);
    }
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

static void expect_restored(pleach_engine_restored restored, uint64_t height)
{
    pleach_engine *engine = chain_open(directory, 1);
    assert_int_equal(pleach_engine_restored_from(engine), restored);
    if (restored != PLEACH_RESTORED_NOTHING)
        expect_height(engine, height);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

static pleach_status try_open(void)
{
    const pleach_config config = chain_settings();
    const pleach_engine_options options = {.directory = directory};
    pleach_engine *engine = NULL;
    const pleach_status status = pleach_engine_open(&engine, &config, &options);
    assert_true((engine != NULL) == (status == PLEACH_OK));
    if (status == PLEACH_OK)
        assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
    return status;
}

/* Changes a byte; from the end if `at` is negative. */
static void alter(const char *name, long at, int by)
{
    FILE *file = fopen(file_in(name), "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, at < 0 ? SEEK_END : SEEK_SET), 0);
    const int byte = fgetc(file);
    assert_int_equal(fseek(file, at, at < 0 ? SEEK_END : SEEK_SET), 0);
    assert_int_equal(fputc(byte ^ by, file), (byte ^ by) & 0xff);
    assert_int_equal(fclose(file), 0);
}

static void an_engine_goes_on_where_it_was(void **state)
{
    (void)state;
    expect_restored(PLEACH_RESTORED_NOTHING, 0);
    run_blocks(1, 4);
    expect_restored(PLEACH_RESTORED_LAST, 4);
    run_blocks(5, 6);
    expect_restored(PLEACH_RESTORED_LAST, 6);
    assert_int_equal(access(file_in("snapshot.new"), F_OK), -1);
}

/* Where it was after a rollback, too. */
static void a_snapshot_is_of_the_sealed_state(void **state)
{
    pleach_engine *engine = chain_open(directory, 3);
    (void)state;
    assert_int_equal(chain_objects(engine), PLEACH_OK);
    chain_blocks(engine, 1, 5);
    assert_int_equal(pleach_engine_rollback(engine, 3), PLEACH_OK);
    assert_int_equal(chain_fill(engine, 4), PLEACH_OK);
    assert_int_equal(pleach_engine_snapshot(engine), PLEACH_OK);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
    expect_restored(PLEACH_RESTORED_LAST, 3);
}

static char logged[4096];

static void keep_line(void *context, pleach_log_level level, const char *line)
{
    (void)context;
    assert_int_equal(level, PLEACH_LOG_WARN);
    (void)strncat(logged, line, sizeof logged - strlen(logged) - 1);
}

static void a_damaged_snapshot_is_refused_by_name(void **state)
{
    pleach_config config = chain_settings();
    const pleach_engine_options options = {.directory = directory};
    pleach_engine *engine = NULL;
    (void)state;
    run_blocks(1, 4);
    alter("snapshot", 1234, 1);
    config.log_level = PLEACH_LOG_WARN;
    config.log = keep_line;
    assert_int_equal(pleach_engine_open(&engine, &config, &options), PLEACH_OK);
    assert_non_null(strstr(logged, file_in("snapshot:")));
    assert_non_null(strstr(logged, file_in("snapshot.previous is used")));
    assert_int_equal(pleach_engine_restored_from(engine), PLEACH_RESTORED_PREVIOUS);
    expect_height(engine, 3);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
    alter("snapshot", 1234, 1);
    expect_restored(PLEACH_RESTORED_LAST, 4);
    for (long at = 0; at < 200; at += 50) {
        assert_int_equal(truncate(file_in("snapshot"), at), 0);
        expect_restored(PLEACH_RESTORED_PREVIOUS, 3);
    }
    run_blocks(4, 4); /* does not keep what is damaged */
    expect_restored(PLEACH_RESTORED_LAST, 4);
    alter("snapshot", -1, 128);
    expect_restored(PLEACH_RESTORED_PREVIOUS, 3);
}

/* Killed between two renames. */
static void the_last_snapshot_may_be_absent(void **state)
{
    (void)state;
    run_blocks(1, 2);
    assert_int_equal(unlink(file_in("snapshot")), 0);
    expect_restored(PLEACH_RESTORED_PREVIOUS, 1);
    run_blocks(2, 3);
    expect_restored(PLEACH_RESTORED_LAST, 3);
}

static void nothing_is_made_up_for_damaged_snapshots(void **state)
{
    (void)state;
    run_blocks(1, 1);
    alter("snapshot", 40, 1);
    expect_failure(try_open(), PLEACH_ESNAPSHOT, file_in("snapshot"));
    alter("snapshot", 40, 1);
    run_blocks(2, 3);
    alter("snapshot", 40, 1);
    alter("snapshot.previous", 40, 1);
    expect_failure(try_open(), PLEACH_ESNAPSHOT, file_in("snapshot"));
    assert_int_equal(unlink(file_in("snapshot")), 0);
    expect_failure(try_open(), PLEACH_ESNAPSHOT, file_in("snapshot.previous"));
    alter("snapshot.previous", 40, 1);
    expect_restored(PLEACH_RESTORED_PREVIOUS, 2);
}

/* A newer library's state must not be replaced by an older one. */
static void other_versions_are_refused(void **state)
{
    (void)state;
    run_blocks(1, 3);
    alter("snapshot", 8, 3);
    expect_failure(try_open(), PLEACH_EVERSION, "version = 2");
    alter("snapshot", 8, 3);
    expect_restored(PLEACH_RESTORED_LAST, 3);
}

static int move_aside(void)
{
    char from[sizeof directory + 16];
    (void)snprintf(from, sizeof from, "%s/snapshot", directory);
    return rename(from, file_in("elsewhere"));
}

static void files_must_be_files(void **state)
{
    (void)state;
    run_blocks(1, 1);
    assert_int_equal(move_aside(), 0);
    assert_int_equal(symlink("elsewhere", file_in("snapshot")), 0);
    expect_failure(try_open(), PLEACH_EIO, file_in("snapshot"));
    assert_int_equal(unlink(file_in("snapshot")), 0);
    assert_int_equal(mkdir(file_in("snapshot"), 0700), 0);
    expect_failure(try_open(), PLEACH_EIO, file_in("snapshot"));
    assert_int_equal(rmdir(file_in("snapshot")), 0);
}

/* Another process, without threads, has the directory from its first byte to us until our first to it. */
static void be_first(int told, int asked)
{
    pleach_config config = chain_settings();
    const pleach_engine_options options = {.directory = directory};
    pleach_engine *engine = NULL;
    char byte = 0;
    config.workers = 1;
    if (pleach_engine_open(&engine, &config, &options) != PLEACH_OK || write(told, &byte, 1) != 1 ||
        read(asked, &byte, 1) != 1)
        _exit(1);
    _exit(0); /* without closing */
}

static void a_directory_has_one_engine(void **state)
{
    int told[2], asked[2], ended = 0;
    char byte = 0;
    (void)state;
    assert_int_equal(pipe(told), 0);
    assert_int_equal(pipe(asked), 0);
    const pid_t child = fork();
    if (child == 0)
        be_first(told[1], asked[0]);
    assert_int_equal(read(told[0], &byte, 1), 1);
    expect_failure(try_open(), PLEACH_ELOCKED, directory);
    assert_int_equal(write(asked[1], &byte, 1), 1);
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    pleach_engine *engine = chain_open(directory, 1);
    expect_failure(try_open(), PLEACH_ELOCKED, directory);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
    assert_int_equal(try_open(), PLEACH_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(close(told[i]) + close(asked[i]), 0);
}

static void a_directory_must_be_there(void **state)
{
    const pleach_config config = chain_settings();
    pleach_engine_options options = {.directory = "/tmp/pleach-engine-nowhere"};
    pleach_engine *engine = NULL;
    (void)state;
    expect_failure(pleach_engine_open(&engine, &config, &options), PLEACH_EIO, options.directory);
    options.directory = "/dev/null";
    expect_failure(pleach_engine_open(&engine, &config, &options), PLEACH_EIO, options.directory);
    assert_null(engine);
    engine = chain_open(NULL, 0);
    expect_failure(pleach_engine_snapshot(engine), PLEACH_EINVAL, "no directory");
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

int test_snapshots(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_DIRECTORY(an_engine_goes_on_where_it_was),
        IN_A_DIRECTORY(a_snapshot_is_of_the_sealed_state),
        IN_A_DIRECTORY(a_damaged_snapshot_is_refused_by_name),
        IN_A_DIRECTORY(the_last_snapshot_may_be_absent),
        IN_A_DIRECTORY(nothing_is_made_up_for_damaged_snapshots),
        IN_A_DIRECTORY(other_versions_are_refused),
        IN_A_DIRECTORY(files_must_be_files),
        IN_A_DIRECTORY(a_directory_has_one_engine),
        cmocka_unit_test(a_directory_must_be_there),
    };
    return cmocka_run_group_tests_name("snapshots", tests, NULL, NULL);
}
