/*
 * A signer that ends, or whose disk fails, at every call that changes its files. Whatever it handed out before is never
 * contradicted by the next signer.
 */
#define _GNU_SOURCE
#include "states_test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIGNATURES = 3, LAST = 8 };

/* What a signer handed out. */
struct handed_out {
    unsigned n;
    uint8_t signature[SIGNATURES][SIGNATURE];
};

/* A signer in a process of its own, through `calls`, which is told of each signature by `told`. */
static void sign_in_child(int told, enum interruption what, unsigned n, bool is_volatile)
{
    pleach_xmss_key *key = NULL;
    uint8_t signature[SIGNATURE];
    if (open_key(&key) != PLEACH_OK)
        _exit(1);
    interrupt_calls(what, n, is_volatile);
    for (uint32_t epoch = 0; epoch < SIGNATURES; epoch++)
        if (sign(key, epoch, epoch, signature) == PLEACH_OK && write(told, signature, SIGNATURE) != SIGNATURE)
            _exit(1);
    _exit(0);
}

static void assert_child_ends(pid_t child)
{
    int status;
    assert_true(child >= 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static struct handed_out run_signer(enum interruption what, unsigned n, bool is_volatile)
{
    static struct handed_out out;
    int ends[2];
    assert_return_code(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0)
        sign_in_child(ends[1], what, n, is_volatile);
    assert_return_code(close(ends[1]), 0);
    for (out.n = 0; out.n < SIGNATURES && read(ends[0], out.signature[out.n], SIGNATURE) == SIGNATURE; out.n++)
        ;
    assert_return_code(close(ends[0]), 0);
    assert_child_ends(child);
    return out;
}

/* The next signer goes on behind what was handed out. */
static void assert_never_twice(const struct handed_out *out)
{
    uint8_t signature[SIGNATURE];
    pleach_xmss_key *key = open_good_key();
    for (uint32_t epoch = 0; epoch < out->n; epoch++) {
        assert_signed(key, epoch, epoch, out->signature[epoch]);
        assert_int_equal(sign(key, epoch, epoch + 100, signature), PLEACH_EXMSSUSED);
    }
    if (out->n > 0) {
        const pleach_status status = sign(key, out->n - 1, out->n - 1, signature);
        if (status == PLEACH_OK) /* else the epoch after it is recorded already */
            assert_memory_equal(signature, out->signature[out->n - 1], SIGNATURE);
        else
            assert_int_equal(status, PLEACH_EXMSSUSED);
    }
    assert_int_equal(sign(key, SIGNATURES, 1, signature), PLEACH_OK);
    pleach_xmss_key_destroy(key);
}

static unsigned calls_of_signer(void)
{
    uint8_t signature[SIGNATURE];
    save_new_key(0, LAST);
    pleach_xmss_key *key = open_good_key();
    interrupt_calls(NO_INTERRUPTION, 0, false);
    for (uint32_t epoch = 0; epoch < SIGNATURES; epoch++)
        assert_int_equal(sign(key, epoch, epoch, signature), PLEACH_OK);
    pleach_xmss_key_destroy(key);
    return calls_made();
}

static void signers_that_end(void **state)
{
    const unsigned calls = calls_of_signer();
    (void)state;
    assert_int_equal(calls, 2 * SIGNATURES);
    for (unsigned n = 0; n < calls; n++)
        for (int is_volatile = 0; is_volatile < 2; is_volatile++)
            for (enum interruption what = ENDS_BEFORE; what <= ENDS_AFTER; what++) {
                save_new_key(0, LAST);
                const struct handed_out out = run_signer(what, n, is_volatile);
                assert_int_equal(out.n, n / 2);
                assert_never_twice(&out);
            }
}

/* Half a record: nobody knows whether it was ever whole, so that an operator has to say what was signed. */
static void signers_that_end_in_a_record(void **state)
{
    (void)state;
    for (unsigned n = 0; n < SIGNATURES; n++) {
        pleach_xmss_key *key = NULL;
        save_new_key(0, LAST);
        const struct handed_out out = run_signer(ENDS_TORN, 2 * n, false);
        assert_int_equal(out.n, n);
        assert_int_equal(open_key(&key), PLEACH_EXMSSSTATE);
        assert_int_equal(pleach_xmss_key_adopt(key_path, n + 1), PLEACH_OK);
        assert_never_twice(&out);
    }
}

static void failures_end_the_signing(void **state)
{
    const unsigned calls = calls_of_signer();
    uint8_t signature[SIGNATURE], before[SIGNATURE];
    (void)state;
    memset(before, 0xee, sizeof before);
    for (unsigned n = 0; n < calls; n++) {
        struct handed_out out = {.n = n / 2};
        save_new_key(0, LAST);
        pleach_xmss_key *key = open_good_key();
        interrupt_calls(FAILS, n, true);
        for (uint32_t epoch = 0; epoch < out.n; epoch++)
            assert_int_equal(sign(key, epoch, epoch, out.signature[epoch]), PLEACH_OK);
        memcpy(signature, before, sizeof signature);
        assert_int_equal(sign(key, out.n, out.n, signature), PLEACH_EIO);
        const unsigned made = calls_made();
        assert_int_equal(sign(key, out.n, out.n, signature), PLEACH_EIO);
        assert_int_equal(sign(key, out.n + 1, 1, signature), PLEACH_EIO);
        assert_int_equal(pleach_xmss_key_skip(key, LAST), PLEACH_EIO);
        assert_int_equal(calls_made(), made); /* nothing was tried again */
        assert_memory_equal(signature, before, SIGNATURE);
        pleach_xmss_key_destroy(key);
        interrupt_calls(NO_INTERRUPTION, 0, false);
        assert_never_twice(&out);
    }
}

/* --- While a key is saved, or adopted --- */

static void save_in_child(enum interruption what, unsigned n)
{
    pleach_xmss_key *key = NULL;
    if (pleach_xmss_keygen(NULL, seed_of_tests, 0, LAST, NULL, &key) != PLEACH_OK)
        _exit(1);
    interrupt_calls(what, n, true);
    (void)pleach_xmss_key_save(key, key_path);
    _exit(0);
}

static void saving_that_ends(void **state)
{
    /* State: write, synchronise, directory; key: write, synchronise, link, directory. */
    enum { WRITE = 0, WRITE_KEY = 3, LINK = 5, CALLS = 7 };
    (void)state;
    for (unsigned n = 0; n <= CALLS; n++)
        for (enum interruption what = ENDS_BEFORE; what <= FAILS; what++) {
            pleach_xmss_key *key = NULL;
            remove_key();
            const pid_t child = fork();
            if (child == 0)
                save_in_child(what, n);
            assert_child_ends(child);
            const bool is_there =
                what == ENDS_TORN ? n != WRITE && n != WRITE_KEY : n > LINK || (n == LINK && what == ENDS_AFTER);
            assert_int_equal(open_key(&key), is_there ? PLEACH_OK : PLEACH_EIO);
            assert_int_equal(access(key_path, F_OK), is_there ? 0 : -1);
            pleach_xmss_key_destroy(key);
        }
}

static void adopt_in_child(enum interruption what, unsigned n)
{
    interrupt_calls(what, n, false);
    (void)pleach_xmss_key_adopt(key_path, 1);
    _exit(0);
}

static void adopting_that_ends(void **state)
{
    enum { CALLS = 3 };
    uint8_t signature[SIGNATURE];
    (void)state;
    for (unsigned n = 0; n <= CALLS; n++)
        for (enum interruption what = ENDS_BEFORE; what <= FAILS; what++) {
            pleach_xmss_key *key;
            save_new_key(0, LAST);
            key = open_good_key();
            assert_int_equal(sign(key, 4, 4, signature), PLEACH_OK);
            pleach_xmss_key_destroy(key);
            const pid_t child = fork();
            if (child == 0)
                adopt_in_child(what, n);
            assert_child_ends(child);
            if (open_key(&key) != PLEACH_OK)
                continue;
            assert_int_equal(sign(key, 4, 5, signature), PLEACH_EXMSSUSED);
            pleach_xmss_key_destroy(key);
        }
}

int test_crashes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signers_that_end),         cmocka_unit_test(signers_that_end_in_a_record),
        cmocka_unit_test(failures_end_the_signing), cmocka_unit_test(saving_that_ends),
        cmocka_unit_test(adopting_that_ends),
    };
    return cmocka_run_group_tests(tests, open_directory, close_directory);
}
