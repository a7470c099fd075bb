/* A compression of a group written down. Included by walk.h. */
#ifndef PLEACH_XMSS_WALK_TRACE_H
#define PLEACH_XMSS_WALK_TRACE_H

/* Words `at` and following of all lanes of a tile. */
INLINE void put_lanes(uint8_t *to, unsigned at, const vec *words, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        memcpy(to + (at + i) * PLEACH_XMSS_TILE * sizeof(uint32_t), &words[i], sizeof *words);
}

/* Four words of each lane to its record. */
INLINE void put_rows(const group *g, uint8_t *to, unsigned at, const vec words[4])
{
    vec rows[4];
    LANES_TO_RECORDS(rows, words);
    for (size_t l = 0; l < g->live; l++)
        memcpy(to + l * PLEACH_XMSS_COMPRESSIONS * sizeof(pleach_xmss_compression) + at * sizeof(uint32_t),
               (const uint8_t *)rows + HASH * ROW(l), HASH);
}

__attribute__((noinline)) static void note(const group *g, const pleach__xmss_batch *batch, unsigned index,
                                           const vec *in, const vec *m, uint32_t counter, bool last, const vec *out)
{
    enum { CHAINING = 0, BLOCK_WORDS = 8, TAIL = 24, RESULT = 28 };
    const size_t size = pleach__xmss_words(batch->layout) * sizeof(uint32_t);
    const vec tail[4] = {VEC_SPLAT(counter), VEC_SPLAT(0), VEC_SPLAT(last ? UINT32_MAX : 0), VEC_SPLAT(0)};
    uint8_t *to = batch->trace;
    if (batch->layout == PLEACH_XMSS_ROWS) {
        to += (g->first * PLEACH_XMSS_COMPRESSIONS + index) * size;
        for (unsigned i = 0; i < 4; i++)
            put_rows(g, to, BLOCK_WORDS + 4 * i, m + 4 * i);
        for (unsigned i = 0; i < 2; i++) {
            put_rows(g, to, CHAINING + 4 * i, in + 4 * i);
            put_rows(g, to, RESULT + 4 * i, out + 4 * i);
        }
        put_rows(g, to, TAIL, tail);
        return;
    }
    to += (g->first / PLEACH_XMSS_TILE * PLEACH_XMSS_COMPRESSIONS + index) * PLEACH_XMSS_TILE * size;
    to += g->first % PLEACH_XMSS_TILE * sizeof(uint32_t);
    switch (batch->layout) {
    case PLEACH_XMSS_LANES:
        put_lanes(to, CHAINING, in, 8);
        put_lanes(to, BLOCK_WORDS, m, 16);
        put_lanes(to, TAIL, tail, 4);
        put_lanes(to, RESULT, out, 8);
        break;
    case PLEACH_XMSS_LANES_BLOCKS:
        put_lanes(to, 0, m, 16);
        put_lanes(to, 16, out, 8);
        break;
    default:
        put_lanes(to, 0, out, 8);
    }
}

#endif
