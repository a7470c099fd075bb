/* Keys in files: what opens, what does not, and who remembers. */
#define _GNU_SOURCE
#include "states_test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char key_path[64], state_path[80];
static char directory[48];

int open_directory(void **state)
{
    (void)state;
    (void)snprintf(directory, sizeof directory, "/tmp/pleach-xmss-XXXXXX");
    if (!mkdtemp(directory))
        return -1;
    (void)snprintf(key_path, sizeof key_path, "%s/key", directory);
    (void)snprintf(state_path, sizeof state_path, "%s.state", key_path);
    return 0;
}

void remove_key(void)
{
    char path[80];
    (void)unlink(key_path);
    (void)unlink(state_path);
    (void)snprintf(path, sizeof path, "%s.pleach-new", key_path);
    (void)unlink(path);
}

int close_directory(void **state)
{
    (void)state;
    remove_key();
    return rmdir(directory);
}

void save_new_key(uint32_t first, uint32_t last)
{
    remove_key();
    pleach_xmss_key *key = make_key(NULL, seed_of_tests, first, last);
    assert_int_equal(pleach_xmss_key_save(key, key_path), PLEACH_OK);
    pleach_xmss_key_destroy(key);
}

pleach_status open_key(pleach_xmss_key **key)
{
    return pleach_xmss_key_open(NULL, key_path, key);
}

pleach_xmss_key *open_good_key(void)
{
    pleach_xmss_key *key = NULL;
    assert_int_equal(open_key(&key), PLEACH_OK);
    return key;
}

static size_t read_file(const char *path, uint8_t *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, room, file);
    (void)fclose(file);
    return size;
}

/* In place, as the same file. */
static void write_file(const char *path, const uint8_t *bytes, size_t size)
{
    const int file = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, size), (ssize_t)size);
    assert_return_code(ftruncate(file, (off_t)size), 0);
    assert_return_code(close(file), 0);
}

static void assert_no_key(pleach_status expected)
{
    pleach_xmss_key *none = (pleach_xmss_key *)untouchable(), *key = none;
    assert_int_equal(open_key(&key), expected);
    assert_ptr_equal(key, none);
}

static void files_remember(void **state)
{
    uint8_t first[SIGNATURE], again[SIGNATURE];
    uint64_t next = 0;
    struct stat its;
    (void)state;
    save_new_key(5, 30);
    assert_return_code(stat(key_path, &its), 0);
    assert_int_equal(its.st_mode & 0777, 0600);
    assert_return_code(stat(state_path, &its), 0);
    assert_int_equal(its.st_mode & 0777, 0600);
    for (uint32_t epoch = 5; epoch < 30; epoch += quick() ? 5 : 1) {
        pleach_xmss_key *key = open_good_key();
        assert_int_equal(pleach_xmss_key_next(key, &next), PLEACH_OK);
        assert_int_equal(next, epoch == 5 ? 5 : epoch - (quick() ? 4 : 0));
        assert_int_equal(sign(key, epoch, epoch, first), PLEACH_OK);
        assert_signed(key, epoch, epoch, first);
        pleach_xmss_key_destroy(key);
        key = open_good_key();
        assert_int_equal(sign(key, epoch, epoch + 1, again), PLEACH_EXMSSUSED);
        assert_int_equal(sign(key, epoch, epoch, again), PLEACH_OK);
        assert_memory_equal(again, first, SIGNATURE);
        pleach_xmss_key_destroy(key);
    }
    pleach_xmss_key *key = open_good_key();
    assert_int_equal(pleach_xmss_key_skip(key, 31), PLEACH_OK);
    pleach_xmss_key_destroy(key);
    key = open_good_key();
    assert_int_equal(sign(key, 30, 30, again), PLEACH_EXMSSUSED);
    pleach_xmss_key_destroy(key);
}

static void randomness_is_remembered(void **state)
{
    uint8_t first[SIGNATURE], again[SIGNATURE];
    (void)state;
    save_new_key(0, 3);
    pleach_xmss_key *key = open_good_key();
    assert_int_equal(pleach_xmss_sign(NULL, key, 2, message_of(7), PLEACH_XMSS_RANDOM, first), PLEACH_OK);
    pleach_xmss_key_destroy(key);
    key = open_good_key();
    assert_int_equal(pleach_xmss_sign(NULL, key, 2, message_of(7), PLEACH_XMSS_RANDOM, again), PLEACH_OK);
    assert_memory_equal(again, first, SIGNATURE);
    pleach_xmss_key_destroy(key);
}

static void saved_keys_sign_no_more(void **state)
{
    uint8_t signature[SIGNATURE], bytes[1 << 12];
    size_t size;
    pleach_xmss_key *key = make_key(NULL, seed_of_tests, 0, 3), *other = NULL;
    (void)state;
    remove_key();
    assert_int_equal(sign(key, 1, 1, signature), PLEACH_OK);
    assert_int_equal(pleach_xmss_key_save(NULL, key_path), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_key_save(key, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_key_save(key, "/nowhere/at/all"), PLEACH_EIO);
    assert_int_equal(pleach_xmss_key_save(key, key_path), PLEACH_OK);
    assert_int_equal(sign(key, 1, 1, signature), PLEACH_EXMSSUSED);
    assert_int_equal(sign(key, 2, 1, signature), PLEACH_EIO);
    assert_int_equal(pleach_xmss_key_save(key, key_path), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_key_serialise(key, bytes), PLEACH_EINVAL);
    pleach_xmss_key_destroy(key);
    key = open_good_key();
    assert_int_equal(sign(key, 1, 2, signature), PLEACH_EXMSSUSED);
    assert_int_equal(pleach_xmss_key_serialise(key, bytes), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_key_save(key, key_path), PLEACH_EINVAL);
    size = read_file(key_path, bytes, sizeof bytes);
    assert_int_equal(size, pleach_xmss_key_size(key));
    assert_int_equal(pleach_xmss_key_parse(NULL, bytes, size, &other), PLEACH_EXMSSSTATE);
    pleach_xmss_key_destroy(key);
    key = make_key(NULL, seed_of_tests, 0, 3); /* what is there is not replaced */
    assert_int_equal(pleach_xmss_key_save(key, key_path), PLEACH_EIO);
    assert_int_equal(sign(key, 0, 1, signature), PLEACH_OK);
    assert_int_equal(pleach_xmss_key_serialise(key, bytes), PLEACH_OK);
    write_file(key_path, bytes, size); /* a key that was to be parsed */
    assert_no_key(PLEACH_EXMSSSTATE);
    pleach_xmss_key_destroy(key);
}

static void one_at_a_time(void **state)
{
    (void)state;
    save_new_key(0, 3);
    pleach_xmss_key *key = open_good_key();
    assert_no_key(PLEACH_EBUSY);
    assert_int_equal(pleach_xmss_key_adopt(key_path, 0), PLEACH_EBUSY);
    pleach_xmss_key_destroy(key);
    pleach_xmss_key_destroy(open_good_key());
    assert_int_equal(pleach_xmss_key_open(NULL, NULL, &key), PLEACH_EINVAL);
    assert_int_equal(pleach_xmss_key_open(NULL, key_path, NULL), PLEACH_EINVAL);
}

static void altered_states_are_refused(void **state)
{
    static uint8_t bytes[STATE + 1], longer[STATE + 2];
    uint8_t signature[SIGNATURE];
    (void)state;
    save_new_key(0, 3);
    pleach_xmss_key *key = open_good_key();
    assert_int_equal(sign(key, 1, 1, signature), PLEACH_OK);
    pleach_xmss_key_destroy(key);
    assert_int_equal(read_file(state_path, bytes, sizeof bytes), STATE);
    for (size_t i = 0; i < STATE; i += i % PAGE < RECORD && !quick() ? 1 : 61) {
        bytes[i] ^= (uint8_t)(1 << i % 8);
        write_file(state_path, bytes, STATE);
        assert_no_key(PLEACH_EXMSSSTATE);
        bytes[i] ^= (uint8_t)(1 << i % 8);
    }
    for (size_t size = 0; size < STATE; size += 1021) {
        write_file(state_path, bytes, size);
        assert_no_key(PLEACH_EXMSSSTATE);
    }
    memcpy(longer, bytes, STATE);
    write_file(state_path, longer, STATE + 1);
    assert_no_key(PLEACH_EXMSSSTATE);
    write_file(state_path, bytes, STATE);
    pleach_xmss_key_destroy(open_good_key());
    memcpy(longer, bytes + PAGE, PAGE); /* records in each other's places, or the same twice */
    memcpy(longer + PAGE, bytes, PAGE);
    write_file(state_path, longer, STATE);
    assert_no_key(PLEACH_EXMSSSTATE);
    memcpy(longer + PAGE, bytes + PAGE, PAGE);
    write_file(state_path, longer, STATE);
    assert_no_key(PLEACH_EXMSSSTATE);
    assert_return_code(unlink(state_path), 0);
    assert_no_key(PLEACH_EXMSSSTATE);
    assert_int_equal(access(state_path, F_OK), -1);
}

static void altered_keys_are_refused(void **state)
{
    uint8_t bytes[1 << 12];
    (void)state;
    save_new_key(0, 3);
    const size_t size = read_file(key_path, bytes, sizeof bytes);
    for (size_t i = 0; i < size; i++) {
        pleach_xmss_key *key = NULL;
        bytes[i] ^= (uint8_t)(1 << i % 8);
        write_file(key_path, bytes, size);
        const pleach_status status = open_key(&key);
        assert_true(status >= PLEACH_EFORMAT && status <= PLEACH_ECHECKSUM);
        bytes[i] ^= (uint8_t)(1 << i % 8);
    }
    assert_return_code(unlink(key_path), 0);
    assert_no_key(PLEACH_EIO);
}

static void copies_are_refused(void **state)
{
    uint8_t bytes[STATE], signature[SIGNATURE];
    char other[96];
    (void)state;
    save_new_key(0, 30);
    pleach_xmss_key *key = open_good_key();
    assert_int_equal(sign(key, 3, 1, signature), PLEACH_OK);
    pleach_xmss_key_destroy(key);
    assert_int_equal(read_file(state_path, bytes, STATE), STATE);
    key = open_good_key();
    assert_int_equal(sign(key, 8, 1, signature), PLEACH_OK);
    pleach_xmss_key_destroy(key);
    (void)snprintf(other, sizeof other, "%s.old", state_path); /* a backup takes the name of the real one */
    write_file(other, bytes, STATE);
    assert_return_code(rename(other, state_path), 0);
    assert_no_key(PLEACH_EXMSSSTATE);
    assert_int_equal(pleach_xmss_key_adopt(key_path, 31 + 1), PLEACH_EXMSSEPOCH);
    assert_no_key(PLEACH_EXMSSSTATE);
    assert_int_equal(pleach_xmss_key_adopt(key_path, 9), PLEACH_OK);
    key = open_good_key();
    assert_int_equal(sign(key, 8, 1, signature), PLEACH_EXMSSUSED);
    assert_int_equal(sign(key, 9, 2, signature), PLEACH_OK);
    pleach_xmss_key_destroy(key);
}

/* An operator who says less than whole records do. */
static void records_are_heard(void **state)
{
    uint8_t signature[SIGNATURE], bytes[STATE];
    uint64_t next = 0;
    (void)state;
    save_new_key(0, 30);
    pleach_xmss_key *key = open_good_key();
    assert_int_equal(sign(key, 20, 1, signature), PLEACH_OK);
    pleach_xmss_key_destroy(key);
    assert_int_equal(pleach_xmss_key_adopt(key_path, 5), PLEACH_OK);
    key = open_good_key();
    assert_int_equal(pleach_xmss_key_next(key, &next), PLEACH_OK);
    assert_int_equal(next, 21);
    pleach_xmss_key_destroy(key);
    assert_int_equal(read_file(state_path, bytes, STATE), STATE);
    bytes[100] ^= 1;
    bytes[PAGE + 100] ^= 1;
    write_file(state_path, bytes, STATE);
    assert_int_equal(pleach_xmss_key_adopt(key_path, 25), PLEACH_OK);
    key = open_good_key();
    assert_int_equal(pleach_xmss_key_next(key, &next), PLEACH_OK);
    assert_int_equal(next, 25);
    pleach_xmss_key_destroy(key);
    assert_return_code(unlink(state_path), 0);
    assert_int_equal(pleach_xmss_key_adopt(key_path, 31), PLEACH_OK);
    key = open_good_key();
    assert_int_equal(sign(key, 30, 1, signature), PLEACH_EXMSSUSED);
    pleach_xmss_key_destroy(key);
    assert_int_equal(pleach_xmss_key_adopt(NULL, 0), PLEACH_EINVAL);
}

static void states_of_other_keys_are_refused(void **state)
{
    char kept[96];
    (void)state;
    save_new_key(0, 3);
    (void)snprintf(kept, sizeof kept, "%s.kept", state_path);
    assert_return_code(rename(state_path, kept), 0);
    save_new_key(0, 4);
    assert_return_code(rename(kept, state_path), 0);
    assert_no_key(PLEACH_EXMSSSTATE);
}

int test_states(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_remember),
        cmocka_unit_test(randomness_is_remembered),
        cmocka_unit_test(saved_keys_sign_no_more),
        cmocka_unit_test(one_at_a_time),
        cmocka_unit_test(altered_states_are_refused),
        cmocka_unit_test(altered_keys_are_refused),
        cmocka_unit_test(copies_are_refused),
        cmocka_unit_test(records_are_heard),
        cmocka_unit_test(states_of_other_keys_are_refused),
    };
    return cmocka_run_group_tests(tests, open_directory, close_directory);
}
