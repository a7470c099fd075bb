#include "xmss/trace.h"

#include "config/error.h"
#include "config/little_endian.h"
#include "kernels/blake2s/blake2s.h"
#include "xmss/reference.h"
#include "xmss/verify.h"

#include <string.h>

enum {
    HASH = PLEACH__XMSS_HASH,
    CHAINS = PLEACH_XMSS_CHAINS,
    COMPRESSIONS = PLEACH_XMSS_COMPRESSIONS,
    WORDS = sizeof(pleach_xmss_compression) / sizeof(uint32_t),
};

/* --- Traces --- */

size_t pleach__xmss_words(pleach_xmss_layout layout)
{
    static const uint8_t words[] = {[PLEACH_XMSS_LANES] = WORDS,
                                    [PLEACH_XMSS_LANES_BLOCKS] = 16 + 8,
                                    [PLEACH_XMSS_LANES_RESULTS] = 8,
                                    [PLEACH_XMSS_ROWS] = WORDS};
    return words[layout];
}

pleach_status pleach_xmss_trace_size(pleach_xmss_layout layout, size_t n, size_t *size)
{
    if (!size)
        return pleach__fail(PLEACH_EINVAL, "size = NULL");
    if ((unsigned)layout > PLEACH_XMSS_ROWS)
        return pleach__fail(PLEACH_EINVAL, "layout = %d: at most %d", (int)layout, PLEACH_XMSS_ROWS);
    const size_t each = COMPRESSIONS * pleach__xmss_words(layout) * sizeof(uint32_t);
    const size_t tile = layout == PLEACH_XMSS_ROWS ? 1 : PLEACH_XMSS_TILE;
    const size_t tiles = n / tile + (n % tile != 0);
    if (tiles > PTRDIFF_MAX / (tile * each))
        return pleach__fail(PLEACH_ERANGE, "n = %zu: a trace of so many claims is beyond the address space", n);
    *size = tiles * tile * each;
    return PLEACH_OK;
}

pleach_status pleach_xmss_trace(pleach_pool *pool, const pleach_xmss_claim *claims, size_t n, pleach_xmss_layout layout,
                                void *trace, size_t trace_size, pleach_status *results, pleach_monitor *monitor)
{
    size_t needed;
    pleach_status status = pleach_xmss_trace_size(layout, n, &needed);
    if (status == PLEACH_OK)
        status = pleach__xmss_check_claims(claims, n, results);
    if (status != PLEACH_OK)
        return status;
    if (n > 0 && !trace)
        return pleach__fail(PLEACH_EINVAL, "trace = NULL for n = %zu", n);
    if (trace_size < needed)
        return pleach__fail(PLEACH_ERANGE, "trace_size = %zu: %zu claims need %zu", trace_size, n, needed);
    const pleach__xmss_batch batch = {.claims = claims, .n = n, .results = results, .trace = trace, .layout = layout};
    return pleach__xmss_run(pool, &batch, monitor);
}

/* --- Wiring --- */

typedef pleach_xmss_source source;

/* The wiring on its way: what is common to all compressions, and the next one. */
struct wiring {
    source (*next)[PLEACH_XMSS_INPUTS];
    uint8_t index; /* of the next one */
};

static source constant(uint32_t value)
{
    return (source){.kind = PLEACH_XMSS_CONSTANT, .value = value};
}

static source word_of(pleach_xmss_source_kind kind, size_t at)
{
    return (source){.kind = (uint8_t)kind, .at = (uint16_t)at};
}

/* Four words of a value, either of the claim or the result of a compression. */
static void wire_hash(source to[4], pleach_xmss_source_kind kind, unsigned compression, size_t at)
{
    const size_t step = kind == PLEACH_XMSS_RESULT ? 1 : sizeof(uint32_t);
    for (size_t i = 0; i < 4; i++) {
        to[i] = word_of(kind, at + step * i);
        to[i].compression = (uint8_t)compression;
    }
}

/* The first eight words of a hash. */
static void wire_tweak(source to[8], pleach__xmss_tweak tweak)
{
    const uint32_t words[3] = {tweak.type | tweak.sub << 8, tweak.sub >> 24 | tweak.index << 8, tweak.index >> 24};
    for (int i = 0; i < 3; i++)
        to[i] = (source){.kind = PLEACH_XMSS_TWEAK, .value = words[i]};
    to[3] = constant(0);
    wire_hash(to + 4, PLEACH_XMSS_PUBLIC_KEY, 0, PLEACH__XMSS_PARAMETER);
}

/* A hash of whole words that are all wired; returns the compression with its result. */
static unsigned wire_hashing(struct wiring *w, const source *words, size_t n)
{
    static const uint32_t initial[8] = BLAKE2S_INITIAL;
    for (size_t at = 0; at < n; at += 16) {
        source *input = *w->next;
        const bool last = n - at <= 16;
        const size_t here = last ? n - at : 16;
        for (unsigned i = 0; i < 8; i++) {
            input[i] = at == 0 ? constant(initial[i]) : word_of(PLEACH_XMSS_RESULT, i);
            input[i].compression = at == 0 ? 0 : (uint8_t)(w->index - 1);
        }
        for (size_t i = 0; i < 16; i++)
            input[8 + i] = i < here ? words[at + i] : constant(0);
        input[24] = constant((uint32_t)((at + here) * sizeof(uint32_t)));
        input[25] = constant(0);
        input[26] = constant(last ? UINT32_MAX : 0);
        input[27] = constant(0);
        w->next++;
        w->index++;
    }
    return w->index - 1u;
}

static void wire_encoding(struct wiring *w, uint32_t epoch)
{
    source words[24];
    wire_tweak(words, (pleach__xmss_tweak){PLEACH__XMSS_ENCODING, 0, epoch});
    wire_hash(words + 8, PLEACH_XMSS_MESSAGE, 0, 0);
    wire_hash(words + 12, PLEACH_XMSS_MESSAGE, 0, HASH);
    wire_hash(words + 16, PLEACH_XMSS_SIGNATURE, 0, PLEACH__XMSS_RANDOMNESS);
    wire_hash(words + 20, PLEACH_XMSS_SIGNATURE, 0, PLEACH__XMSS_RANDOMNESS + HASH);
    words[22] = words[23] = constant(0);
    (void)wire_hashing(w, words, 24);
}

/* Leaves the source of the chain's end in `value`. */
static void wire_chain(struct wiring *w, uint32_t epoch, unsigned chain, unsigned digit, source value[4])
{
    source words[12];
    wire_hash(value, PLEACH_XMSS_SIGNATURE, 0, HASH * chain);
    for (unsigned step = digit; step < PLEACH__XMSS_STEPS; step++) {
        wire_tweak(words, (pleach__xmss_tweak){PLEACH__XMSS_CHAIN, 8 * chain + step, epoch});
        memcpy(words + 8, value, 4 * sizeof *value);
        wire_hash(value, PLEACH_XMSS_RESULT, wire_hashing(w, words, 12), 0);
    }
}

static void wire_path(struct wiring *w, uint32_t epoch, source node[4])
{
    source words[16];
    for (unsigned level = 0; level < PLEACH_XMSS_HEIGHT; level++) {
        const unsigned right = epoch >> level & 1;
        const pleach__xmss_tweak tweak = {PLEACH__XMSS_NODE, level + 1, (uint32_t)((uint64_t)epoch >> (level + 1))};
        wire_tweak(words, tweak);
        memcpy(words + 8 + 4 * right, node, 4 * sizeof *node);
        wire_hash(words + 12 - 4 * right, PLEACH_XMSS_SIGNATURE, 0, PLEACH__XMSS_PATH + HASH * level);
        wire_hash(node, PLEACH_XMSS_RESULT, wire_hashing(w, words, 16), 0);
    }
}

pleach_status pleach_xmss_wiring(const pleach_xmss_claim *claim, pleach_xmss_source (*sources)[PLEACH_XMSS_INPUTS])
{
    static const pleach_status any = PLEACH_OK;
    if (!claim || !sources)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", claim ? "sources" : "claim");
    const pleach_status status = pleach__xmss_check_claims(claim, 1, &any);
    if (status != PLEACH_OK)
        return status;
    if (claim->signature_size != PLEACH_XMSS_SIGNATURE_SIZE)
        return pleach__xmss_fail_size(claim);
    struct wiring w = {.next = sources};
    uint8_t digits[CHAINS];
    source leaf[8 + 4 * CHAINS];
    (void)pleach__xmss_reference_encode(digits, claim->public_key + PLEACH__XMSS_PARAMETER, claim->epoch,
                                        claim->message, claim->signature + PLEACH__XMSS_RANDOMNESS, NULL);
    wire_encoding(&w, claim->epoch);
    wire_tweak(leaf, (pleach__xmss_tweak){PLEACH__XMSS_LEAF, 0, claim->epoch});
    for (unsigned chain = 0; chain < CHAINS; chain++)
        wire_chain(&w, claim->epoch, chain, digits[chain], leaf + 8 + 4 * chain);
    source node[4];
    wire_hash(node, PLEACH_XMSS_RESULT, wire_hashing(&w, leaf, sizeof leaf / sizeof *leaf), 0);
    wire_path(&w, claim->epoch, node);
    return PLEACH_OK;
}
