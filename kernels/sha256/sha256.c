#include "kernels/sha256/sha256.h"
#include "config/error.h"
#include "kernels/sha256/tables.h"

#include <pthread.h>
#include <string.h>

enum { LENGTH_SIZE = 8, BLOCK_SIZE = 64 };
#define SIZE_LIMIT (UINT64_C(1) << 61) /* the length is given in bits, in 64 bits */

_Alignas(64) uint32_t pleach__sha256_known65[16], pleach__sha256_rows65[256][48];

const uint8_t pleach__sha256_digest_padding[32] = {0x80, [30] = 1};

static uint32_t rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void make_known(uint32_t kw[64], const uint8_t block[64])
{
    uint32_t w[64];
    for (int t = 0; t < 64; t++) {
        if (t < 16) {
            w[t] = pleach__sha256_load(block + 4 * t);
        } else {
            uint32_t x = w[t - 15], y = w[t - 2];
            w[t] = w[t - 16] + (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) + w[t - 7] +
                   (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
        }
        kw[t] = pleach__sha256_k[t] + w[t];
    }
}

static void fill_rows65(void)
{
    uint8_t block[BLOCK_SIZE] = {0, 0x80, [62] = 65 * 8 >> 8, [63] = 65 * 8 & 255};
    uint32_t kw[64];
    for (int byte = 255; byte >= 0; byte--) {
        block[0] = (uint8_t)byte;
        make_known(kw, block);
        memcpy(pleach__sha256_rows65[byte], kw + 16, sizeof pleach__sha256_rows65[byte]);
    }
    memcpy(pleach__sha256_known65, kw, sizeof pleach__sha256_known65);
}

static void fill_edge(pleach__sha256_edge *edge, const pleach__hash_form *form, size_t index, size_t blocks)
{
    const size_t prefixed = form->prefix != PLEACH__NO_PREFIX, size = prefixed + form->size;
    const size_t begin = BLOCK_SIZE * index, end = begin + BLOCK_SIZE;
    const size_t from = begin < prefixed ? prefixed : begin, to = end < size ? end : size;
    memset(edge, 0, sizeof *edge);
    if (from < to) {
        edge->offset = from - prefixed;
        edge->first = (unsigned)(from - begin);
        edge->count = (unsigned)(to - from);
    }
    if (begin < prefixed)
        edge->fill[0] = (uint8_t)form->prefix;
    if (size >= begin && size < end)
        edge->fill[size - begin] = 0x80;
    if (index + 1 == blocks)
        for (int i = 0; i < LENGTH_SIZE; i++)
            edge->fill[BLOCK_SIZE - 1 - i] = (uint8_t)((uint64_t)size * 8 >> 8 * i);
}

void pleach__sha256_cut(pleach__sha256_message *message, const pleach__hash_form *form)
{
    const size_t prefixed = form->prefix != PLEACH__NO_PREFIX, size = prefixed + form->size;
    const size_t blocks = pleach__sha256_blocks(form), full = size / BLOCK_SIZE;
    message->head = full > 0 ? prefixed : 0;
    message->whole = full - message->head;
    message->tail = blocks - full;
    message->offset = (BLOCK_SIZE - 1) * message->head;
    message->known = NULL;
    for (size_t i = 0; i < message->head + message->tail; i++)
        fill_edge(&message->edge[i], form, i < message->head ? i : i + message->whole, blocks);
    const pleach__sha256_edge *last = &message->edge[message->head + message->tail - 1];
    if (last->count > 0)
        return;
    message->tail--;
    if (size == BLOCK_SIZE) {
        message->known = pleach__sha256_known64;
    } else {
        make_known(message->kw, last->fill);
        message->known = message->kw;
    }
}

size_t pleach__sha256_blocks(const pleach__hash_form *form)
{
    const size_t prefixed = form->prefix != PLEACH__NO_PREFIX;
    return (prefixed + form->size + LENGTH_SIZE) / BLOCK_SIZE + 1;
}

void pleach__sha256_make_block(const pleach__hash_form *form, const pleach_input *input, size_t index, size_t blocks,
                               uint8_t block[64])
{
    pleach__hash_form own = *form;
    pleach__sha256_edge edge;
    own.size = input->size;
    fill_edge(&edge, &own, index, blocks);
    memcpy(block, edge.fill, BLOCK_SIZE);
    if (edge.count > 0)
        memcpy(block + edge.first, input->bytes + edge.offset, edge.count);
}

static pleach_status plan(pleach__hash_plan *plan, const pleach__hash_form *form)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const uint64_t size = form->size; /* which may have only 32 bits */
    if (form->zeros != 0)
        return pleach__fail(PLEACH_EINVAL, "zeros: %zu; sha256 has no padded rows, only 0 is accepted", form->zeros);
    if (form->prefix != PLEACH__NO_PREFIX && (form->prefix < 0 || form->prefix > 255))
        return pleach__fail(PLEACH_EINVAL, "prefix: %d; a byte, 0 to 255, or none is accepted", form->prefix);
    if (size >= SIZE_LIMIT - 1)
        return pleach__fail(PLEACH_ERANGE, "size: %zu; sha256 accepts less than 2^61 - 1 bytes", form->size);
    if (form->prefix != PLEACH__NO_PREFIX && form->size == 64)
        (void)pthread_once(&once, fill_rows65);
    *plan = (pleach__hash_plan){.form = *form};
    memcpy(plan->state, pleach__sha256_iv, sizeof plan->state);
    return PLEACH_OK;
}

static const pleach__backend *const backends[] = {
#if defined(__x86_64__)
    &pleach__sha256_avx512,   &pleach__sha256_shani,
    &pleach__sha256_avx2,
#elif defined(__aarch64__)
    &pleach__sha256_armsha2,  &pleach__sha256_neon,
#endif
    &pleach__sha256_portable, NULL,
};

const pleach__family pleach__sha256 = {
    .name = "sha256",
    .plan = plan,
    .padding = 1 + LENGTH_SIZE,
    .reference = pleach__sha256_reference,
    .backends = backends,
};
