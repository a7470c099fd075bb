#include "lthash/state.h"

#include "config/error.h"
#include "config/little_endian.h"
#include "kernels/blake3.h"

#include <string.h>

enum {
    WORDS = PLEACH__LTHASH_WORDS,
    GROUP = PLEACH__BLAKE3_GROUP,
    BLOCK_WORDS = PLEACH__BLAKE3_BLOCK / 4,
    GROUP_WORDS = GROUP * BLOCK_WORDS,
    STEP = 8
};

_Static_assert(PLEACH_LTHASH_SIZE == 4 * WORDS, "the state is words");
_Static_assert(PLEACH_LTHASH_KEY_SIZE == PLEACH__BLAKE3_KEY, "keys are BLAKE3's");
_Static_assert(offsetof(pleach_lthash, words) == 0, "an aligned state has aligned words");

/* A number is half a word, wherever in it. In steps of a vector, as states may be one or apart. */
typedef struct numbers {
    uint16_t number[STEP];
} numbers;

static numbers load(const uint32_t *words, size_t at)
{
    numbers x;
    memcpy(&x, (const uint8_t *)words + at, sizeof x);
    return x;
}

static void store(uint32_t *words, size_t at, numbers x)
{
    memcpy((uint8_t *)words + at, &x, sizeof x);
}

void pleach__lthash_add_words(uint32_t *words, const uint32_t *others)
{
    for (size_t at = 0; at < PLEACH_LTHASH_SIZE; at += sizeof(numbers)) {
        numbers x = load(words, at);
        const numbers y = load(others, at);
        for (size_t i = 0; i < STEP; i++)
            x.number[i] = (uint16_t)(x.number[i] + y.number[i]);
        store(words, at, x);
    }
}

void pleach__lthash_subtract_words(uint32_t *words, const uint32_t *others)
{
    for (size_t at = 0; at < PLEACH_LTHASH_SIZE; at += sizeof(numbers)) {
        numbers x = load(words, at);
        const numbers y = load(others, at);
        for (size_t i = 0; i < STEP; i++)
            x.number[i] = (uint16_t)(x.number[i] - y.number[i]);
        store(words, at, x);
    }
}

bool pleach__lthash_is_aligned(const pleach_lthash *state)
{
    return (uintptr_t)state % _Alignof(pleach__lthash_words) == 0;
}

pleach__blake3_mode pleach__lthash_mode(const pleach_lthash *state)
{
    return state->keyed ? pleach__blake3_keyed(state->key) : pleach__blake3_unkeyed;
}

/* 0 if both are the same; without branches. */
static uint32_t difference(const uint8_t *a, const uint8_t *b, size_t size)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits |= (uint32_t)(a[i] ^ b[i]);
    return bits;
}

pleach_status pleach__lthash_check_keys(const pleach_lthash *a, const pleach_lthash *b)
{
    if (a->keyed != b->keyed)
        return pleach__fail(PLEACH_EKEY, "one state has a key, the other has none");
    if (difference(a->key, b->key, sizeof a->key) != 0)
        return pleach__fail(PLEACH_EKEY, "the states have different keys");
    return PLEACH_OK;
}

pleach_status pleach__lthash_check_choices(pleach_lthash_action action, pleach_lthash_empty empty)
{
    if (action != PLEACH_LTHASH_ADD && action != PLEACH_LTHASH_REMOVE)
        return pleach__fail(PLEACH_EINVAL, "action = %d: add or remove", (int)action);
    if (empty != PLEACH_LTHASH_EMPTY_HASHED && empty != PLEACH_LTHASH_EMPTY_SKIPPED)
        return pleach__fail(PLEACH_EINVAL, "empty = %d: hashed or skipped", (int)empty);
    return PLEACH_OK;
}

static pleach_status check_state(const pleach_lthash *state)
{
    return state ? PLEACH_OK : pleach__fail(PLEACH_EINVAL, "state = NULL");
}

pleach_status pleach_lthash_init(pleach_lthash *state)
{
    pleach_status status = check_state(state);
    if (status == PLEACH_OK)
        memset(state, 0, sizeof *state);
    return status;
}

pleach_status pleach_lthash_init_keyed(pleach_lthash *state, const uint8_t *key)
{
    if (!state || !key)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", state ? "key" : "state");
    memset(state->words, 0, sizeof state->words);
    memcpy(state->key, key, sizeof state->key);
    state->keyed = 1;
    return PLEACH_OK;
}

pleach_status pleach_lthash_zero(pleach_lthash *state)
{
    pleach_status status = check_state(state);
    if (status == PLEACH_OK)
        memset(state->words, 0, sizeof state->words);
    return status;
}

static pleach_status check_pair(const pleach_lthash *state, const pleach_lthash *other)
{
    if (!state || !other)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", state ? "the other state" : "state");
    return pleach__lthash_check_keys(state, other);
}

pleach_status pleach_lthash_combine(pleach_lthash *state, const pleach_lthash *other)
{
    pleach_status status = check_pair(state, other);
    if (status == PLEACH_OK)
        pleach__lthash_add_words(state->words, other->words);
    return status;
}

pleach_status pleach_lthash_subtract(pleach_lthash *state, const pleach_lthash *other)
{
    pleach_status status = check_pair(state, other);
    if (status == PLEACH_OK)
        pleach__lthash_subtract_words(state->words, other->words);
    return status;
}

pleach_status pleach_lthash_negate(pleach_lthash *state)
{
    pleach_status status = check_state(state);
    if (status != PLEACH_OK)
        return status;
    uint32_t words[WORDS] = {0};
    pleach__lthash_subtract_words(words, state->words);
    memcpy(state->words, words, sizeof words);
    return PLEACH_OK;
}

pleach_status pleach_lthash_equal(const pleach_lthash *a, const pleach_lthash *b, bool *equal)
{
    pleach_status status = equal ? check_pair(a, b) : pleach__fail(PLEACH_EINVAL, "equal = NULL");
    if (status == PLEACH_OK)
        *equal = difference((const uint8_t *)a->words, (const uint8_t *)b->words, sizeof a->words) == 0;
    return status;
}

bool pleach_lthash_is_zero(const pleach_lthash *state)
{
    uint32_t bits = 0;
    for (size_t i = 0; state && i < WORDS; i++)
        bits |= state->words[i];
    return state && bits == 0;
}

/* Where word i of the serialised state is. */
static size_t place(size_t i)
{
    const size_t block = i / BLOCK_WORDS;
    return GROUP_WORDS * (block / GROUP) + GROUP * (i % BLOCK_WORDS) + block % GROUP;
}

pleach_status pleach_lthash_serialise(const pleach_lthash *state, uint8_t *bytes)
{
    if (!state || !bytes)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", state ? "bytes" : "state");
    for (size_t i = 0; i < WORDS; i++)
        pleach__put32(bytes + 4 * i, state->words[place(i)]);
    return PLEACH_OK;
}

pleach_status pleach_lthash_parse(pleach_lthash *state, const uint8_t *bytes, size_t size)
{
    if (!state || (!bytes && size > 0))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", state ? "bytes" : "state");
    if (size != PLEACH_LTHASH_SIZE)
        return pleach__fail(size < PLEACH_LTHASH_SIZE ? PLEACH_ETRUNCATED : PLEACH_ETRAILING,
                            "size = %zu: a state has %d bytes", size, PLEACH_LTHASH_SIZE);
    for (size_t i = 0; i < WORDS; i++)
        state->words[place(i)] = pleach__get32(bytes + 4 * i);
    return PLEACH_OK;
}

pleach_status pleach_lthash_checksum(pleach_pool *pool, const pleach_lthash *state, uint8_t *digest)
{
    uint8_t bytes[PLEACH_LTHASH_SIZE];
    if (!digest)
        return pleach__fail(PLEACH_EINVAL, "digest = NULL");
    pleach_status status = pleach_lthash_serialise(state, bytes);
    return status == PLEACH_OK
               ? pleach_blake3_hash(pleach_pool_kernels(pool), bytes, sizeof bytes, 0, digest, PLEACH_DIGEST_SIZE)
               : status;
}
