/* A real block of Bitcoin: its transactions have the ids they have; one that was cut or altered anywhere is no fault.
 */
#include "engine/cli/block.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TRANSACTIONS = 15, SIZE = 4319, ROOT_AT = 36 };

static uint8_t block_bytes[SIZE];

static int load(void **state)
{
    (void)state;
    FILE *file = fopen(PLEACH_VECTORS "/bitcoin-testnet-block.hex", "r");
    unsigned byte;
    size_t size = 0;
    if (file == NULL)
        return -1;
    while (size < SIZE && fscanf(file, "%2x", &byte) == 1)
        block_bytes[size++] = (uint8_t)byte;
    const int more = fscanf(file, "%2x", &byte);
    (void)fclose(file);
    return size == SIZE && more == EOF ? 0 : -1;
}

/* In memory that ends where the block does. */
static pleach_status parse(pleach__chain_block *block, const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    return pleach__chain_block_parse(block, copy, size);
}

static void hash_twice(const pleach_input *input, uint8_t digest[PLEACH_DIGEST_SIZE])
{
    uint8_t once[PLEACH_DIGEST_SIZE];
    assert_int_equal(pleach_hash_list(NULL, PLEACH_SHA256, input, 1, once), PLEACH_OK);
    assert_int_equal(pleach_hash_list(NULL, PLEACH_SHA256, &(pleach_input){once, PLEACH_DIGEST_SIZE}, 1, digest),
                     PLEACH_OK);
}

static void assert_id(const pleach_input *input, const char *expected)
{
    uint8_t digest[PLEACH_DIGEST_SIZE];
    char text[2 * PLEACH_DIGEST_SIZE + 1];
    hash_twice(input, digest);
    for (size_t i = 0; i < PLEACH_DIGEST_SIZE; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(text, expected);
}

static void ids_are_those_of_the_chain(void **state)
{
    (void)state;
    pleach__chain_block block;
    char line[512], id[65], witness_id[65];
    size_t rows = 0;
    assert_int_equal(parse(&block, block_bytes, SIZE), PLEACH_OK);
    assert_int_equal(block.count, TRANSACTIONS);
    assert_true(block.committed);
    assert_int_equal(block.witnesses, 1);
    FILE *file = fopen(PLEACH_VECTORS "/bitcoin-testnet-block.txt", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "%64[0-9a-f] %64[0-9a-f]", id, witness_id) == 2 && strlen(id) == 64) {
            assert_true(rows < TRANSACTIONS);
            assert_id(&block.bases[rows], id);
            assert_id(&block.transactions[rows], witness_id);
            rows++;
        }
    (void)fclose(file);
    assert_int_equal(rows, TRANSACTIONS);
    pleach__chain_block_release(&block);
}

static void cut_anywhere(void **state)
{
    (void)state;
    pleach__chain_block block;
    for (size_t size = 0; size < SIZE; size++) {
        assert_int_not_equal(parse(&block, block_bytes, size), PLEACH_OK);
        pleach__chain_block_release(&block);
    }
}

/* What is still a block has other ids, or another header. */
static void altered_anywhere(void **state)
{
    (void)state;
    static uint8_t altered[SIZE], ids[TRANSACTIONS][PLEACH_DIGEST_SIZE], root[PLEACH_DIGEST_SIZE];
    memcpy(altered, block_bytes, SIZE);
    for (size_t i = 0; i < 8 * SIZE; i += 5) {
        pleach__chain_block block;
        altered[i / 8] ^= (uint8_t)(1 << i % 8);
        if (parse(&block, altered, SIZE) == PLEACH_OK && block.count == TRANSACTIONS &&
            i / 8 >= PLEACH__BITCOIN_HEADER_SIZE) {
            for (size_t j = 0; j < TRANSACTIONS; j++)
                hash_twice(&block.bases[j], ids[j]);
            assert_int_equal(pleach_bitcoin_root(NULL, ids[0], TRANSACTIONS, root, NULL), PLEACH_OK);
            assert_true(memcmp(root, block.header + ROOT_AT, sizeof root) != 0 ||
                        memcmp(block.reserved, (uint8_t[PLEACH_DIGEST_SIZE]){0}, sizeof block.reserved) != 0);
        }
        pleach__chain_block_release(&block);
        altered[i / 8] ^= (uint8_t)(1 << i % 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_those_of_the_chain),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(altered_anywhere),
    };
    return cmocka_run_group_tests(tests, load, NULL);
}
