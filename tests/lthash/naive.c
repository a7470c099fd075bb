#include "lthash_test.h"

#include "kernels/blake3/blake3.h"

void naive_change(naive *state, const uint8_t *key, pleach_lthash_action action, const uint8_t *bytes, size_t size)
{
    const pleach__blake3_mode mode = key ? pleach__blake3_keyed(key) : pleach__blake3_unkeyed;
    uint8_t out[2 * NUMBERS];
    pleach__blake3_reference_output(&mode, bytes, size, 0, out, sizeof out);
    for (size_t i = 0; i < NUMBERS; i++) {
        const unsigned number = out[2 * i] | (unsigned)out[2 * i + 1] << 8, was = state->number[i];
        state->number[i] = (uint16_t)(action == ADD ? was + number : was - number);
    }
}

void assert_state(const pleach_lthash *state, const naive *expected)
{
    uint8_t bytes[PLEACH_LTHASH_SIZE];
    assert_int_equal(pleach_lthash_serialise(state, bytes), PLEACH_OK);
    for (size_t i = 0; i < NUMBERS; i++) {
        assert_int_equal(bytes[2 * i], expected->number[i] & 255);
        assert_int_equal(bytes[2 * i + 1], expected->number[i] >> 8);
    }
}

void assert_same(const pleach_lthash *state, const pleach_lthash *expected)
{
    bool equal = false;
    assert_int_equal(pleach_lthash_equal(state, expected, &equal), PLEACH_OK);
    assert_true(equal);
}
