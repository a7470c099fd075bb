/* Encodings tried in all lanes. Included by walk.h. */
#ifndef PLEACH_XMSS_SEARCH_LANES_H
#define PLEACH_XMSS_SEARCH_LANES_H

#include "xmss/search.h"

/* The first lane that is zero, or LANES. */
INLINE unsigned first_zero(const vec test)
{
    uint32_t found[LANES];
    uint32_t any = 0;
    unsigned l = 0;
    const vec zero = VEC_SELECT(test, VEC_SPLAT(0), VEC_SPLAT(1));
    memcpy(found, &zero, sizeof found);
    for (unsigned i = 0; i < LANES; i++)
        any |= found[i];
    if (!any)
        return LANES;
    while (!found[l])
        l++;
    return l;
}

static uint64_t search(const pleach__xmss_search *search, uint64_t counter, uint64_t end)
{
    const pleach__blake2s_tail tail = pleach__blake2s_tail_of(4 * HASH + PLEACH_XMSS_RANDOMNESS_SIZE + 8, true);
    pleach__blake2s_prepared prepared;
    uint32_t offsets[LANES];
    vec state[8], m[16], digest[4], lane;
    for (unsigned i = 0; i < 16; i++)
        m[i] = VEC_SPLAT(0);
    for (unsigned i = 0; i < 8; i++)
        state[i] = VEC_SPLAT(search->state[i]);
    for (unsigned i = 0; i < PLEACH__XMSS_SUFFIX / 4; i++)
        m[2 + i] = VEC_SPLAT(search->suffix[i]);
    for (unsigned l = 0; l < LANES; l++)
        offsets[l] = l;
    memcpy(&lane, offsets, sizeof lane);
    prepare_lanes(ZERO_SEARCH, COMPUTED_SEARCH, (vec *)prepared.word, state, m, &tail);
    for (; counter < end; counter += LANES) {
        m[0] = lane;
        VEC_ADD(m[0], VEC_SPLAT((uint32_t)counter));
        m[1] = VEC_SPLAT((uint32_t)(counter >> 32));
        compress_prepared(ZERO_SEARCH, COMPUTED_SEARCH, digest, false, (const vec *)prepared.word, m);
        const unsigned l = first_zero(invalid_encoding(digest));
        if (l < LANES) {
            counter += l;
            break;
        }
    }
    VEC_LEAVE();
    return counter;
}

#endif
