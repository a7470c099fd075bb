/* Bytes as a state: refused unless they have its size; else written again as they were, and their sums are right. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const uint8_t key[PLEACH_LTHASH_KEY_SIZE] = {1};
    pleach_lthash state, opposite, was;
    uint8_t again[PLEACH_LTHASH_SIZE];
    bool zero = true;
    EXPECT(pleach_lthash_init_keyed(&state, key) == PLEACH_OK);
    was = opposite = state;
    const pleach_status status = pleach_lthash_parse(&state, bytes, size);
    if (size != PLEACH_LTHASH_SIZE) {
        EXPECT(status == (size < PLEACH_LTHASH_SIZE ? PLEACH_ETRUNCATED : PLEACH_ETRAILING));
        EXPECT(memcmp(&state, &was, sizeof was) == 0);
        return 0;
    }
    EXPECT(status == PLEACH_OK);
    EXPECT(pleach_lthash_serialise(&state, again) == PLEACH_OK);
    EXPECT(memcmp(again, bytes, size) == 0);
    for (size_t i = 0; i < size; i++)
        zero = zero && bytes[i] == 0;
    EXPECT(pleach_lthash_is_zero(&state) == zero);
    EXPECT(pleach_lthash_subtract(&opposite, &state) == PLEACH_OK);
    EXPECT(pleach_lthash_combine(&state, &opposite) == PLEACH_OK);
    EXPECT(pleach_lthash_is_zero(&state));
    EXPECT(pleach_lthash_negate(&opposite) == PLEACH_OK);
    EXPECT(pleach_lthash_serialise(&opposite, again) == PLEACH_OK);
    EXPECT(memcmp(again, bytes, size) == 0);
    return 0;
}
