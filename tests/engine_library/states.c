/* States as bytes: what is written is read again, and nothing else is. */
#include "config/little_endian.h"
#include "engine_test.h"
#include "kernels/blake3.h"

#include <stdlib.h>

enum { BLOCKS = 9, HEAD = 32 };

static pleach_engine *source;
static struct bytes written;

static int make_source(void **state)
{
    (void)state;
    source = chain_open(NULL, 2);
    assert_int_equal(chain_objects(source), PLEACH_OK);
    chain_blocks(source, 1, BLOCKS);
    written = export_newest(source);
    return 0;
}

static int destroy_source(void **state)
{
    (void)state;
    free(written.at);
    return pleach_engine_close(source) != PLEACH_OK;
}

static void a_state_is_read_again(void **state)
{
    pleach_engine *engine = chain_open(NULL, 4);
    (void)state;
    assert_int_equal(chain_objects(engine), PLEACH_OK);
    chain_blocks(engine, 1, 12);
    for (written.piece = 0; written.piece < 40; written.piece += 13) {
        assert_int_equal(import(engine, &written), PLEACH_OK);
        expect_height(engine, BLOCKS);
    }
    written.piece = 0;
    expect_failure(pleach_engine_rollback(engine, 12), PLEACH_EROLLBACK, "9..9");
    struct bytes again = export_newest(engine);
    assert_int_equal(again.size, written.size);
    assert_memory_equal(again.at, written.at, written.size);
    free(again.at);
    chain_blocks(engine, BLOCKS + 1, BLOCKS + 3);
    expect_height(engine, BLOCKS + 3);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

static void an_engine_without_blocks_has_a_state_too(void **state)
{
    pleach_engine *engine = chain_open(NULL, 0);
    (void)state;
    struct bytes nothing = export_newest(engine);
    assert_int_equal(nothing.size, HEAD + PLEACH_DIGEST_SIZE);
    assert_int_equal(chain_objects(engine), PLEACH_OK);
    struct bytes objects = export_newest(engine);
    chain_blocks(engine, 1, 2);
    assert_int_equal(import(engine, &objects), PLEACH_OK);
    expect_height(engine, 0);
    chain_blocks(engine, 1, 1);
    assert_int_equal(import(engine, &nothing), PLEACH_OK);
    assert_int_equal(pleach_engine_block_begin(engine, 77), PLEACH_OK);
    expect_failure(import(engine, &objects), PLEACH_EBLOCKOPEN, "block 77");
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
    free(nothing.at);
    free(objects.at);
}

/* Of all lengths near the ends, and some between. */
static void what_ends_early_is_refused(void **state)
{
    pleach_engine *engine = chain_open(NULL, 0);
    struct bytes part = written;
    (void)state;
    assert_int_equal(chain_objects(engine), PLEACH_OK);
    chain_blocks(engine, 1, 2);
    for (part.size = 0; part.size < written.size;
         part.size += part.size < 200 || part.size + 100 > written.size ? 1 : 97)
        assert_int_equal(import(engine, &part), PLEACH_ETRUNCATED);
    part.size = written.size;
    uint8_t *longer = malloc(written.size + 1);
    assert_non_null(longer);
    memcpy(longer, written.at, written.size);
    longer[written.size] = 0;
    part = (struct bytes){.at = longer, .size = written.size + 1};
    expect_failure(import(engine, &part), PLEACH_ETRAILING, "follow the checksum");
    free(longer);
    expect_height(engine, 2);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

static void every_bit_counts(void **state)
{
    pleach_engine *engine = chain_open(NULL, 0);
    uint64_t seed = 3;
    (void)state;
    assert_int_equal(chain_objects(engine), PLEACH_OK);
    for (size_t at = 0; at < written.size;
         at += at < 150 || quick() ? 1 + at / 400 : 1 + (size_t)random_below(&seed, 60)) {
        const uint8_t bit = (uint8_t)(1 << random_below(&seed, 8));
        written.at[at] ^= bit;
        const pleach_status status = import(engine, &written);
        written.at[at] ^= bit;
        if (status != PLEACH_EFORMAT && status != PLEACH_EVERSION && status != PLEACH_ECHECKSUM &&
            status != PLEACH_ETRUNCATED && status != PLEACH_ETRAILING)
            fail_msg("byte %zu: %s", at, pleach_status_name(status));
    }
    expect_height(engine, 0);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

/* One byte of the state becomes another, and the checksum is set right. */
static void expect_refusal(pleach_engine *engine, size_t at, uint8_t value, pleach_status status, const char *reason)
{
    const uint8_t old = written.at[at];
    uint8_t *checksum = written.at + written.size - PLEACH_DIGEST_SIZE, kept[PLEACH_DIGEST_SIZE];
    memcpy(kept, checksum, sizeof kept);
    written.at[at] = value;
    assert_int_equal(pleach_blake3_hash(NULL, written.at, written.size - sizeof kept, 0, checksum, sizeof kept),
                     PLEACH_OK);
    expect_failure(import(engine, &written), status, reason);
    written.at[at] = old;
    memcpy(checksum, kept, sizeof kept);
}

static void what_has_no_sense_is_refused(void **state)
{
    pleach_engine *engine = chain_open(NULL, 0);
    const size_t first = HEAD, name = first + 2, length = strlen(object_names[0]);
    (void)state;
    assert_int_equal(chain_objects(engine), PLEACH_OK);
    expect_refusal(engine, 0, 'q', PLEACH_EFORMAT, "pleachEN");
    expect_refusal(engine, 8, 2, PLEACH_EVERSION, "version = 2");
    expect_refusal(engine, 13, 0xff, PLEACH_EFORMAT, "at most 1024");
    expect_refusal(engine, 24, 2, PLEACH_EFORMAT, "mean nothing");
    expect_refusal(engine, 24, 0, PLEACH_EFORMAT, "mean nothing"); /* there is a height */
    expect_refusal(engine, 31, 1, PLEACH_EFORMAT, "mean nothing");
    expect_refusal(engine, first, 65, PLEACH_EFORMAT, "name = 65");
    expect_refusal(engine, first, 0, PLEACH_EFORMAT, "0 characters");
    expect_refusal(engine, first + 1, 2, PLEACH_EFORMAT, "kind = 2");
    expect_refusal(engine, name, '/', PLEACH_EFORMAT, "0x2f");
    expect_refusal(engine, name, 0, PLEACH_EFORMAT, "0x00");
    /* A tree that ends before its body does, or after. */
    expect_refusal(engine, name + length, (uint8_t)(written.at[name + length] + 1), PLEACH_ETRAILING, "tree");
    expect_refusal(engine, name + length, (uint8_t)(written.at[name + length] - 1), PLEACH_ETRUNCATED, "");
    expect_height(engine, 0);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

/* Accumulators alone, whose rules are at a known place. */
static void rules_have_to_make_sense(void **state)
{
    enum { RULES = HEAD + 2 + 1 + 8, SECOND = RULES + 8 + PLEACH_LTHASH_SIZE };
    const pleach_engine_accumulator_rules one = {.states = 1, .total = true};
    pleach_engine *engine = chain_open(NULL, 0);
    uint32_t object;
    (void)state;
    assert_int_equal(pleach_engine_accumulator(engine, "a", &one, &object), PLEACH_OK);
    assert_int_equal(pleach_engine_accumulator(engine, "b", &one, &object), PLEACH_OK);
    const struct bytes kept = written;
    written = export_newest(engine);
    assert_int_equal(written.size, SECOND + 2 + 1 + 8 + 8 + PLEACH_LTHASH_SIZE + PLEACH_DIGEST_SIZE);
    expect_refusal(engine, RULES, 0, PLEACH_EFORMAT, "states = 0");
    expect_refusal(engine, RULES, 2, PLEACH_EFORMAT, "of 2 states");
    expect_refusal(engine, RULES - 8, 0, PLEACH_EFORMAT, "length");
    expect_refusal(engine, RULES + 4, 2, PLEACH_EFORMAT, "mean nothing");
    expect_refusal(engine, RULES + 5, 2, PLEACH_EFORMAT, "empty = 2");
    expect_refusal(engine, RULES + 6, 1, PLEACH_EFORMAT, "mean nothing");
    expect_refusal(engine, SECOND + 2, 'a', PLEACH_EFORMAT, "a: it is there twice");
    assert_int_equal(import(engine, &written), PLEACH_OK);
    free(written.at);
    written = kept;
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

static pleach_status refuse_bytes(void *context, const uint8_t *bytes, size_t size)
{
    size_t *left = context;
    (void)bytes;
    if (size > *left)
        return (pleach_status)(PLEACH_ETASK + 5);
    *left -= size;
    return PLEACH_OK;
}

static pleach_status fail_to_read(void *context, uint8_t *buffer, size_t size, size_t *got)
{
    struct bytes *from = context;
    return from->read > 3000 ? (pleach_status)(PLEACH_ETASK + 6)
                             : read_bytes(context, buffer, size < 700 ? size : 700, got);
}

static void failures_of_the_host_come_back(void **state)
{
    pleach_engine *engine = chain_open(NULL, 0);
    pleach_engine_view *view = NULL;
    (void)state;
    assert_int_equal(pleach_engine_view_open(source, PLEACH_ENGINE_LATEST, &view), PLEACH_OK);
    for (size_t left = 0; left < written.size; left += 1 + written.size / 9) {
        size_t some = left;
        assert_int_equal(pleach_engine_state_export(view, refuse_bytes, &some), PLEACH_ETASK + 5);
    }
    pleach_engine_view_close(source, view);
    written.read = 0;
    assert_int_equal(pleach_engine_state_import(engine, fail_to_read, &written, NULL), PLEACH_ETASK + 6);
    assert_int_equal(pleach_engine_close(engine), PLEACH_OK);
}

int test_states(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_is_read_again),          cmocka_unit_test(an_engine_without_blocks_has_a_state_too),
        cmocka_unit_test(what_ends_early_is_refused),     cmocka_unit_test(every_bit_counts),
        cmocka_unit_test(what_has_no_sense_is_refused),   cmocka_unit_test(rules_have_to_make_sense),
        cmocka_unit_test(failures_of_the_host_come_back),
    };
    return cmocka_run_group_tests_name("states", tests, make_source, destroy_source);
}
