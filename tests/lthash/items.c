/* Items of Sei and Solana, byte for byte; vectors.c has their states. */
#include "lthash_test.h"

#include "lthash/sei.h"
#include "lthash/solana.h"

#include <string.h>

enum { ROOM = 512 };

static const pleach_input key = {(const uint8_t *)"key", 3}, one = {(const uint8_t *)"one", 3},
                          three = {(const uint8_t *)"three", 5}, empty = {NULL, 0};

static void a_pair_byte_for_byte(void **context)
{
    (void)context;
    static const uint8_t expected[16] = {3, 0, 0, 0, 'k', 'e', 'y', 5, 0, 0, 0, 't', 'h', 'r', 'e', 'e'};
    uint8_t bytes[17];
    size_t size = 99;
    memset(bytes, 0xa5, sizeof bytes);
    assert_int_equal(pleach_sei_pair_size(&key, &three), 16);
    assert_int_equal(pleach_sei_pair(&key, &three, bytes, 16, &size), PLEACH_OK);
    assert_int_equal(size, 16);
    assert_memory_equal(bytes, expected, 16);
    assert_int_equal(bytes[16], 0xa5);
}

static void a_long_pair(void **context)
{
    (void)context;
    static uint8_t value[70000], bytes[70000 + 11];
    const pleach_input input = {value, sizeof value};
    size_t size = 0;
    assert_int_equal(pleach_sei_pair(&key, &input, bytes, sizeof bytes, &size), PLEACH_OK);
    assert_int_equal(size, sizeof bytes);
    assert_int_equal(bytes[7] | bytes[8] << 8 | bytes[9] << 16 | bytes[10] << 24, sizeof value);
}

static void pairs_that_contribute_nothing(void **context)
{
    (void)context;
    const pleach_input *const nothing[][2] = {{&key, NULL}, {&key, &empty}, {&empty, &one}, {&empty, NULL}};
    for (size_t i = 0; i < 4; i++) {
        size_t size = 99;
        assert_int_equal(pleach_sei_pair_size(nothing[i][0], nothing[i][1]), 0);
        assert_int_equal(pleach_sei_pair(nothing[i][0], nothing[i][1], NULL, 0, &size), PLEACH_OK);
        assert_int_equal(size, 0);
    }
    assert_int_equal(pleach_sei_pair_size(NULL, &one), 0);
}

static void pairs_that_are_refused(void **context)
{
    (void)context;
    const pleach_input missing = {NULL, 1}, huge = {(const uint8_t *)"", (size_t)UINT32_MAX + 1};
    uint8_t bytes[ROOM] = {0};
    static const uint8_t zeros[ROOM];
    pleach_lthash_op ops[2] = {{.state = 7}, {.state = 7}};
    size_t size = 99;
    assert_int_equal(pleach_sei_pair(NULL, &one, bytes, ROOM, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_sei_pair(&missing, &one, bytes, ROOM, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_sei_pair(&key, &missing, bytes, ROOM, &size), PLEACH_EINVAL);
    if (huge.size != 0) { /* not where size_t has 32 bits */
        assert_int_equal(pleach_sei_pair(&huge, &one, bytes, SIZE_MAX, &size), PLEACH_ERANGE);
        assert_int_equal(pleach_sei_pair(&key, &huge, bytes, SIZE_MAX, &size), PLEACH_ERANGE);
        assert_int_equal(pleach_sei_update(&key, &one, &huge, bytes, SIZE_MAX, ops, &size), PLEACH_ERANGE);
    }
    assert_int_equal(pleach_sei_pair(&key, &one, bytes, 13, &size), PLEACH_ERANGE);
    assert_int_equal(pleach_sei_pair(&key, &one, NULL, 14, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_sei_pair(&key, &one, bytes, ROOM, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_sei_update(NULL, &one, &three, bytes, ROOM, ops, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_sei_update(&key, &missing, &three, bytes, ROOM, ops, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_sei_update(&key, &one, &three, bytes, 14 + 15, ops, &size), PLEACH_ERANGE);
    assert_int_equal(pleach_sei_update(&key, &one, &three, NULL, ROOM, ops, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_sei_update(&key, &one, &three, bytes, ROOM, NULL, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_sei_update(&key, &one, &three, bytes, ROOM, ops, NULL), PLEACH_EINVAL);
    assert_int_equal(size, 99);
    assert_int_equal(ops[0].state, 7);
    assert_int_equal(ops[1].state, 7);
    assert_memory_equal(bytes, zeros, ROOM);
}

static void assert_change(const pleach_lthash_op *op, pleach_lthash_action action, const uint8_t *bytes, size_t size)
{
    assert_int_equal(op->action, action);
    assert_int_equal(op->state, 0);
    assert_int_equal(op->item.size, size);
    assert_memory_equal(op->item.bytes, bytes, size);
}

static void updates_of_pairs(void **context)
{
    (void)context;
    const pleach_input again = {(const uint8_t *)"one", 3}, same_size = {(const uint8_t *)"six", 3};
    const pleach_input *const values[] = {NULL, &empty, &one, &again, &same_size, &three};
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 6; j++) {
            uint8_t bytes[ROOM], before[ROOM], after[ROOM];
            pleach_lthash_op ops[2];
            size_t n = 99, was = 0, is = 0;
            assert_int_equal(pleach_sei_pair(&key, values[i], before, ROOM, &was), PLEACH_OK);
            assert_int_equal(pleach_sei_pair(&key, values[j], after, ROOM, &is), PLEACH_OK);
            assert_int_equal(
                pleach_sei_update(&key, values[i], values[j], was + is > 0 ? bytes : NULL, was + is, ops, &n),
                PLEACH_OK);
            const bool changes = was != is || memcmp(before, after, is) != 0;
            assert_int_equal(n, changes ? (was > 0) + (is > 0) : 0);
            if (changes && was > 0)
                assert_change(&ops[0], REMOVE, before, was);
            if (changes && is > 0)
                assert_change(&ops[n - 1], ADD, after, is);
        }
}

static const uint8_t owner[32] = {[0] = 1, [31] = 2}, public_key[32] = {[0] = 3, [31] = 4};

static pleach_solana_account account_of(uint64_t lamports, const char *data, bool executable)
{
    return (pleach_solana_account){.lamports = lamports,
                                   .data = {(const uint8_t *)data, data ? strlen(data) : 0},
                                   .executable = executable,
                                   .owner = owner,
                                   .public_key = public_key};
}

static void an_account_byte_for_byte(void **context)
{
    (void)context;
    for (int executable = 0; executable < 2; executable++) {
        const pleach_solana_account account = account_of(0x0807060504030201, "data", executable);
        uint8_t bytes[78], expected[78] = {1, 2, 3, 4, 5, 6, 7, 8, 'd', 'a', 't', 'a', (uint8_t)executable};
        size_t size = 0;
        memcpy(expected + 13, owner, 32);
        memcpy(expected + 45, public_key, 32);
        bytes[77] = expected[77] = 0xa5;
        assert_int_equal(pleach_solana_account_size(&account), 77);
        assert_int_equal(pleach_solana_account_item(&account, bytes, 77, &size), PLEACH_OK);
        assert_int_equal(size, 77);
        assert_memory_equal(bytes, expected, sizeof bytes);
    }
}

static void accounts_that_contribute_nothing(void **context)
{
    (void)context;
    const pleach_solana_account poor = account_of(0, "data", true), bare = {.lamports = 0};
    const pleach_solana_account *const nothing[] = {NULL, &poor, &bare};
    for (size_t i = 0; i < 3; i++) {
        size_t size = 99;
        assert_int_equal(pleach_solana_account_size(nothing[i]), 0);
        assert_int_equal(pleach_solana_account_item(nothing[i], NULL, 0, &size), PLEACH_OK);
        assert_int_equal(size, 0);
    }
}

static void accounts_that_are_refused(void **context)
{
    (void)context;
    const pleach_solana_account good = account_of(1, "", false);
    pleach_solana_account bad[4] = {good, good, good, good};
    uint8_t bytes[ROOM];
    pleach_lthash_op ops[2] = {{.state = 7}, {.state = 7}};
    size_t size = 99;
    bad[0].owner = NULL;
    bad[1].public_key = NULL;
    bad[2].data = (pleach_input){NULL, 1};
    bad[3].data.size = PTRDIFF_MAX;
    for (size_t i = 0; i < 4; i++) {
        const pleach_status expected = i == 3 ? PLEACH_ERANGE : PLEACH_EINVAL;
        assert_int_equal(pleach_solana_account_item(&bad[i], bytes, ROOM, &size), expected);
        assert_int_equal(pleach_solana_update(&bad[i], &good, bytes, ROOM, ops, &size), expected);
        assert_int_equal(pleach_solana_update(&good, &bad[i], bytes, ROOM, ops, &size), expected);
    }
    assert_int_equal(pleach_solana_account_item(&good, bytes, 72, &size), PLEACH_ERANGE);
    assert_int_equal(pleach_solana_account_item(&good, NULL, 73, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_solana_account_item(&good, bytes, 73, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_solana_update(&good, &good, bytes, 145, ops, &size), PLEACH_ERANGE);
    assert_int_equal(pleach_solana_update(&good, &good, NULL, 146, ops, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_solana_update(&good, &good, bytes, ROOM, NULL, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_solana_update(&good, &good, bytes, ROOM, ops, NULL), PLEACH_EINVAL);
    assert_int_equal(size, 99);
    assert_int_equal(ops[0].state, 7);
    assert_int_equal(ops[1].state, 7);
}

static void updates_of_accounts(void **context)
{
    (void)context;
    const pleach_solana_account some[] = {account_of(0, "x", false), account_of(1, "x", false),
                                          account_of(1, "x", true), account_of(1, "xy", false),
                                          account_of(2, NULL, false)};
    for (size_t i = 0; i <= 5; i++)
        for (size_t j = 0; j <= 5; j++) {
            const pleach_solana_account *before = i < 5 ? &some[i] : NULL, *after = j < 5 ? &some[j] : NULL;
            uint8_t bytes[ROOM], old_item[ROOM], new_item[ROOM];
            pleach_lthash_op ops[2];
            size_t n = 99, was = 0, is = 0;
            assert_int_equal(pleach_solana_account_item(before, old_item, ROOM, &was), PLEACH_OK);
            assert_int_equal(pleach_solana_account_item(after, new_item, ROOM, &is), PLEACH_OK);
            assert_int_equal(pleach_solana_update(before, after, was + is > 0 ? bytes : NULL, was + is, ops, &n),
                             PLEACH_OK);
            const bool changes = i != j && was + is > 0;
            assert_int_equal(n, changes ? (was > 0) + (is > 0) : 0);
            if (changes && was > 0)
                assert_change(&ops[0], REMOVE, old_item, was);
            if (changes && is > 0)
                assert_change(&ops[n - 1], ADD, new_item, is);
        }
}

int test_items(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_byte_for_byte),
        cmocka_unit_test(a_long_pair),
        cmocka_unit_test(pairs_that_contribute_nothing),
        cmocka_unit_test(pairs_that_are_refused),
        cmocka_unit_test(updates_of_pairs),
        cmocka_unit_test(an_account_byte_for_byte),
        cmocka_unit_test(accounts_that_contribute_nothing),
        cmocka_unit_test(accounts_that_are_refused),
        cmocka_unit_test(updates_of_accounts),
    };
    return cmocka_run_group_tests_name("items", tests, NULL, NULL);
}
