/*
 * Each call of the system that opening, a snapshot and reading need fails once. Afterwards the directory holds a sealed
 * state: the one before, or the one that was being written.
 */
#define _GNU_SOURCE
#include "chain.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, mode_t mode);
int __real_openat(int at, const char *path, int flags, ...);
int __wrap_openat(int at, const char *path, int flags, mode_t mode);
ssize_t __real_read(int file, void *buffer, size_t size);
ssize_t __wrap_read(int file, void *buffer, size_t size);
ssize_t __real_write(int file, const void *bytes, size_t size);
ssize_t __wrap_write(int file, const void *bytes, size_t size);
int __real_fsync(int file);
int __wrap_fsync(int file);
int __real_renameat(int from_at, const char *from, int to_at, const char *to);
int __wrap_renameat(int from_at, const char *from, int to_at, const char *to);
int __real_flock(int file, int operation);
int __wrap_flock(int file, int operation);
int __real_close(int file);
int __wrap_close(int file);

/* How a call fails. A short write takes half, and the next one finds no space; an interrupted one may be repeated. */
enum fault { ERROR_IO, NO_SPACE, SHORT_WRITE, INTERRUPTED, FAULTS };

static struct {
    bool armed, failed;
    enum fault fault;
    long left; /* calls that succeed before */
    bool full; /* after a short write */
} plan;

static bool fails(void)
{
    if (!plan.armed || plan.left-- != 0)
        return false;
    plan.failed = true;
    errno = plan.fault == ERROR_IO ? EIO : ENOSPC;
    return true;
}

int __wrap_open(const char *path, int flags, mode_t mode)
{
    return fails() ? -1 : __real_open(path, flags, mode);
}

int __wrap_openat(int at, const char *path, int flags, mode_t mode)
{
    return fails() ? -1 : __real_openat(at, path, flags, mode);
}

ssize_t __wrap_read(int file, void *buffer, size_t size)
{
    if (!fails())
        return __real_read(file, buffer, size);
    if (plan.fault == SHORT_WRITE)
        return __real_read(file, buffer, size / 2 + 1);
    errno = plan.fault == INTERRUPTED ? EINTR : EIO;
    return -1;
}

ssize_t __wrap_write(int file, const void *bytes, size_t size)
{
    if (plan.armed && plan.full) {
        errno = ENOSPC;
        return -1;
    }
    if (!fails())
        return __real_write(file, bytes, size);
    if (plan.fault == SHORT_WRITE) {
        plan.full = true;
        return __real_write(file, bytes, size / 2);
    }
    errno = plan.fault == INTERRUPTED ? EINTR : errno;
    return -1;
}

int __wrap_fsync(int file)
{
    return fails() ? -1 : __real_fsync(file);
}

int __wrap_renameat(int from_at, const char *from, int to_at, const char *to)
{
    return fails() ? -1 : __real_renameat(from_at, from, to_at, to);
}

int __wrap_flock(int file, int operation)
{
    return fails() ? -1 : __real_flock(file, operation);
}

int __wrap_close(int file)
{
    const bool failing = fails();
    const int error = errno, result = __real_close(file);
    errno = failing ? error : errno;
    return failing ? -1 : result;
}

static void arm(enum fault fault, long left)
{
    plan.fault = fault;
    plan.left = left;
    plan.failed = plan.full = false;
    plan.armed = true;
}

/* Whether a call was made to fail. */
static bool disarm(void)
{
    plan.armed = false;
    return plan.failed;
}

static bool may_be_survived(enum fault fault)
{
    return fault == INTERRUPTED || fault == SHORT_WRITE;
}

/* The state of one of two heights, and of no other. */
static uint64_t restored_height(uint64_t older, uint64_t newer)
{
    pleach_engine *engine = chain_open(directory, 0);
    pleach_engine_view *view = NULL;
    uint64_t height = 0;
    assert_int_equal(pleach_engine_view_open(engine, PLEACH_ENGINE_LATEST, &view), PLEACH_OK);
    (void)pleach_engine_view_height(view, &height);
    pleach_engine_view_close(engine, view);
    assert_true(height == older || height == newer);
    expect_height(engine, height);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
    return height;
}

/* With snapshots of heights 1 and 2. */
static pleach_engine *open_with_snapshots(void)
{
    pleach_engine *engine = chain_open(directory, 0);
    assert_int_equal(chain_objects(engine), PLEACH_OK);
    for (uint64_t height = 1; height <= 2; height++) {
        chain_blocks(engine, height, height);
        assert_int_equal(pleach_engine_snapshot(engine), PLEACH_OK);
    }
    return engine;
}

/* Snapshots of heights 1 and 2 are there, one of height 3 is tried, and after it failed one of height 4. */
static bool fail_snapshot(enum fault fault, long left)
{
    (void)make_directory(NULL);
    pleach_engine *engine = open_with_snapshots();
    chain_blocks(engine, 3, 3);
    arm(fault, left);
    const pleach_status status = pleach_engine_snapshot(engine);
    const bool failed = disarm();
    if (!failed || !may_be_survived(fault))
        assert_int_equal(status, failed ? PLEACH_EIO : PLEACH_OK);
    if (status != PLEACH_OK)
        assert_non_null(strstr(pleach_last_error(), directory));
    expect_height(engine, 3);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
    const uint64_t height = restored_height(2, 3);
    if (status == PLEACH_OK)
        assert_int_equal(height, 3);
    /* The same engine goes on, whatever happened. */
    engine = chain_open(directory, 0);
    chain_blocks(engine, height + 1, 4);
    assert_int_equal(pleach_engine_snapshot(engine), PLEACH_OK);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
    assert_int_equal(restored_height(4, 4), 4);
    assert_int_equal(remove_directory(NULL), 0);
    return failed;
}

static void a_snapshot_fails_at_any_call(void **state)
{
    (void)state;
    for (enum fault fault = ERROR_IO; fault < FAULTS; fault++) {
        long calls = 0;
        while (fail_snapshot(fault, calls))
            calls++;
        assert_in_range(calls, 7, 60); /* to open, write, sync and close a file, to rename two, to sync a directory */
    }
}

/* A second try by the same engine, after any fault, keeps what is good. */
static void an_engine_goes_on_after_a_failed_snapshot(void **state)
{
    (void)state;
    for (long left = 0, failed = 1; failed; left++) {
        (void)make_directory(NULL);
        pleach_engine *engine = open_with_snapshots();
        chain_blocks(engine, 3, 3);
        arm(NO_SPACE, left);
        (void)pleach_engine_snapshot(engine);
        failed = disarm();
        chain_blocks(engine, 4, 4);
        assert_int_equal(pleach_engine_snapshot(engine), PLEACH_OK);
        assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
        assert_int_equal(restored_height(4, 4), 4);
        assert_int_equal(unlink(file_in("snapshot")), 0);
        (void)restored_height(2, 3); /* the previous one */
        assert_int_equal(remove_directory(NULL), 0);
    }
}

/* Opening fails without harm, or finds what is there; never the older of two states that can both be read. */
static void opening_fails_at_any_call(void **state)
{
    const pleach_config config = chain_settings();
    const pleach_engine_options options = {.directory = directory};
    pleach_engine *engine = open_with_snapshots();
    (void)state;
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
    for (enum fault fault = ERROR_IO; fault < FAULTS; fault++) {
        long left = 0;
        for (bool failed = true; failed; left++) {
            pleach_engine *made = NULL;
            arm(fault, left);
            const pleach_status status = pleach_engine_open(&made, &config, &options);
            failed = disarm();
            if (status == PLEACH_OK) {
                expect_height(made, 2);
                assert_int_equal(pleach_engine_close(made), PLEACH_OK);
                continue;
            }
            assert_true(failed && made == NULL);
            assert_int_equal(status, PLEACH_EIO);
            assert_int_equal(restored_height(2, 2), 2);
        }
        assert_in_range(left, 4, 200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_snapshot_fails_at_any_call),
        cmocka_unit_test(an_engine_goes_on_after_a_failed_snapshot),
        cmocka_unit_test_setup_teardown(opening_fails_at_any_call, make_directory, remove_directory),
    };
    (void)alarm(900); /* a hang is a failure */
    return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
