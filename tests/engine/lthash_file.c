/* States of LtHash in files: one that was cut or altered anywhere is refused. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp() */
#include "engine/cli/lthash_file.h"

#include "config/little_endian.h"
#include "kernels/blake3.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { SIZE = PLEACH__LTHASH_FILE_SIZE, DIGEST_AT = SIZE - PLEACH_DIGEST_SIZE };

static char folder[] = "/tmp/pleach-lthash-XXXXXX", path[sizeof folder + 16], key_path[sizeof folder + 16];

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(path, sizeof path, "%s/state", folder);
    (void)snprintf(key_path, sizeof key_path, "%s/key", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlink(path);
    (void)unlink(key_path);
    return rmdir(folder);
}

static void write_file(const char *name, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void read_file(uint8_t bytes[SIZE])
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, SIZE, file), SIZE);
    assert_int_equal(fgetc(file), EOF);
    assert_int_equal(fclose(file), 0);
}

/* A state of a few items, under a key or not, in the file. */
static void make(bool keyed, pleach__lthash_file *file, uint8_t bytes[SIZE])
{
    static const char text[] = "whats the Elvish word for friend";
    static const uint8_t items[200] = {1, 2, 3};
    pleach_lthash_items list = {.data = items, .size = 40, .stride = 1, .count = 150};
    pleach__replacement replacement;
    write_file(key_path, (const uint8_t *)text, sizeof text - 1);
    assert_int_equal(pleach__lthash_new(keyed ? key_path : NULL, file), PLEACH_OK);
    assert_int_equal(
        pleach_lthash_apply_items(NULL, &file->sum, PLEACH_LTHASH_ADD, &list, PLEACH_LTHASH_EMPTY_HASHED, NULL),
        PLEACH_OK);
    assert_int_equal(pleach__lthash_begin(&replacement, path), PLEACH_OK);
    assert_int_equal(pleach__lthash_commit(&replacement, file), PLEACH_OK);
    pleach__replacement_end(&replacement);
    read_file(bytes);
}

/* From a pipe: writing thousands of files takes long. */
static void refuses(pleach_status status, const uint8_t *bytes, size_t size)
{
    pleach__lthash_file file;
    int ends[2];
    char name[32];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], bytes, size), size);
    assert_int_equal(close(ends[1]), 0);
    (void)snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    assert_int_equal(pleach__lthash_load(name, &file), status);
    assert_int_equal(close(ends[0]), 0);
    assert_non_null(strstr(pleach_last_error(), "no state of LtHash, or a damaged one: it"));
}

/* The same with the checksum set right. */
static void refuses_anyway(pleach_status status, uint8_t bytes[SIZE])
{
    assert_int_equal(pleach_blake3_hash(NULL, bytes, DIGEST_AT, 0, bytes + DIGEST_AT, PLEACH_DIGEST_SIZE), PLEACH_OK);
    refuses(status, bytes, SIZE);
}

static void is_read_as_written(void **state)
{
    uint8_t bytes[SIZE];
    (void)state;
    for (int keyed = 0; keyed < 2; keyed++) {
        pleach__lthash_file written, read;
        bool equal = false;
        make(keyed != 0, &written, bytes);
        assert_int_equal(pleach__lthash_load(path, &read), PLEACH_OK);
        assert_true(pleach__lthash_same_key(&written, &read));
        assert_int_equal(pleach__lthash_unlock(&read, keyed != 0 ? key_path : NULL), PLEACH_OK);
        assert_int_equal(pleach_lthash_equal(&written.sum, &read.sum, &equal), PLEACH_OK);
        assert_true(equal);
    }
}

static void is_refused_if_cut(void **state)
{
    pleach__lthash_file file;
    uint8_t bytes[SIZE + 1] = {0};
    (void)state;
    for (int keyed = 0; keyed < 2; keyed++) {
        make(keyed != 0, &file, bytes);
        for (size_t size = 0; size < SIZE; size++)
            refuses(PLEACH_ETRUNCATED, bytes, size);
        refuses(PLEACH_ETRAILING, bytes, SIZE + 1);
    }
}

static void is_refused_if_a_bit_is_flipped(void **state)
{
    pleach__lthash_file file;
    uint8_t bytes[SIZE];
    (void)state;
    make(true, &file, bytes);
    for (size_t bit = 0; bit < 8 * SIZE; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        refuses(bit < 64 ? PLEACH_EFORMAT : bit < 96 ? PLEACH_EVERSION : PLEACH_ECHECKSUM, bytes, SIZE);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

static void is_refused_if_it_says_what_is_not(void **state)
{
    pleach__lthash_file file;
    uint8_t bytes[SIZE];
    (void)state;
    make(false, &file, bytes);
    pleach__put32(bytes + 12, 2);
    refuses_anyway(PLEACH_EFORMAT, bytes);
    pleach__put32(bytes + 12, 0x10000);
    refuses_anyway(PLEACH_EFORMAT, bytes);
    pleach__put32(bytes + 12, 0);
    for (size_t i = 16; i < 32; i++) {
        bytes[i] = 1;
        refuses_anyway(PLEACH_EFORMAT, bytes);
        bytes[i] = 0;
    }
    pleach__put32(bytes + 8, 2);
    refuses_anyway(PLEACH_EVERSION, bytes);
    bytes[0] = 'P';
    refuses_anyway(PLEACH_EFORMAT, bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_read_as_written),
        cmocka_unit_test(is_refused_if_cut),
        cmocka_unit_test(is_refused_if_a_bit_is_flipped),
        cmocka_unit_test(is_refused_if_it_says_what_is_not),
    };
    return cmocka_run_group_tests_name("lthash_file", tests, make_folder, remove_folder);
}
