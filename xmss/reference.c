#include "xmss/reference.h"

#include "config/little_endian.h"
#include "kernels/blake2s/blake2s.h"
#include "kernels/blake2s/keyed.h"

#include <string.h>

enum { HASH = PLEACH__XMSS_HASH, BLOCK = PLEACH__BLAKE2S_BLOCK, CHAINS = PLEACH_XMSS_CHAINS };

static const uint32_t initial[8] = BLAKE2S_INITIAL;

static void compress(uint32_t h[8], const uint8_t block[BLOCK], uint64_t hashed, bool last,
                     pleach_xmss_compression **trace)
{
    pleach_xmss_compression record = {.counter = {(uint32_t)hashed, (uint32_t)(hashed >> 32)},
                                      .flags = {last ? UINT32_MAX : 0, 0}};
    memcpy(record.chaining_value, h, sizeof record.chaining_value);
    for (int i = 0; i < 16; i++)
        record.block[i] = pleach__get32(block + 4 * i);
    pleach__blake2s_reference_compress(h, block, hashed, last);
    memcpy(record.result, h, sizeof record.result);
    if (trace)
        *(*trace)++ = record;
}

void pleach__xmss_reference_hash(uint8_t out[16], const uint8_t parameter[16], pleach__xmss_tweak tweak,
                                 const uint8_t *in, size_t size, pleach_xmss_compression **trace)
{
    uint8_t bytes[11 * BLOCK] = {tweak.type};
    uint32_t h[8];
    size += 2 * HASH;
    pleach__put32(bytes + 1, tweak.sub);
    pleach__put32(bytes + 5, tweak.index);
    memcpy(bytes + HASH, parameter, HASH);
    memcpy(bytes + 2 * HASH, in, size - 2 * HASH);
    memcpy(h, initial, sizeof h);
    for (size_t at = 0; at < size; at += BLOCK) {
        const bool last = size - at <= BLOCK;
        compress(h, bytes + at, last ? size : at + BLOCK, last, trace);
    }
    for (int i = 0; i < 4; i++)
        pleach__put32(out + 4 * i, h[i]);
}

void pleach__xmss_reference_prf(uint8_t out[16], const uint8_t seed[PLEACH_XMSS_SEED_SIZE], uint32_t domain, uint64_t a,
                                uint64_t b)
{
    uint8_t in[20], digest[PLEACH_DIGEST_SIZE];
    pleach__put32(in, domain);
    pleach__put64(in + 4, a);
    pleach__put64(in + 12, b);
    pleach__blake2s_reference_keyed(seed, PLEACH_XMSS_SEED_SIZE, in, sizeof in, digest);
    memcpy(out, digest, HASH);
}

void pleach__xmss_reference_steps(uint8_t value[16], const uint8_t parameter[16], uint32_t epoch, unsigned chain,
                                  unsigned from, unsigned to, pleach_xmss_compression **trace)
{
    for (unsigned step = from; step < to; step++)
        pleach__xmss_reference_hash(value, parameter, (pleach__xmss_tweak){PLEACH__XMSS_CHAIN, 8 * chain + step, epoch},
                                    value, HASH, trace);
}

void pleach__xmss_reference_leaf(uint8_t leaf[16], const uint8_t parameter[16], uint32_t epoch, const uint8_t *ends,
                                 pleach_xmss_compression **trace)
{
    pleach__xmss_reference_hash(leaf, parameter, (pleach__xmss_tweak){PLEACH__XMSS_LEAF, 0, epoch}, ends, CHAINS * HASH,
                                trace);
}

void pleach__xmss_reference_secret_leaf(uint8_t leaf[16], const uint8_t seed[PLEACH_XMSS_SEED_SIZE],
                                        const uint8_t parameter[16], uint32_t epoch)
{
    uint8_t ends[CHAINS][HASH];
    for (unsigned chain = 0; chain < CHAINS; chain++) {
        pleach__xmss_reference_prf(ends[chain], seed, PLEACH__XMSS_START, epoch, chain);
        pleach__xmss_reference_steps(ends[chain], parameter, epoch, chain, 0, PLEACH__XMSS_STEPS, NULL);
    }
    pleach__xmss_reference_leaf(leaf, parameter, epoch, ends[0], NULL);
}

void pleach__xmss_reference_node(uint8_t parent[16], const uint8_t parameter[16], unsigned level, uint32_t index,
                                 const uint8_t left[16], const uint8_t right[16], pleach_xmss_compression **trace)
{
    uint8_t children[2 * HASH];
    memcpy(children, left, HASH);
    memcpy(children + HASH, right, HASH);
    pleach__xmss_reference_hash(parent, parameter, (pleach__xmss_tweak){PLEACH__XMSS_NODE, level, index}, children,
                                sizeof children, trace);
}

static bool split(uint8_t digits[CHAINS], const uint8_t encoding[HASH])
{
    unsigned sum = 0;
    for (unsigned half = 0; half < 2; half++) {
        const uint64_t word = pleach__get64(encoding + 8 * half);
        if (word >> 63)
            return false;
        for (unsigned i = 0; i < CHAINS / 2; i++) {
            const uint8_t digit = word >> 3 * i & 7;
            digits[half * CHAINS / 2 + i] = digit;
            sum += digit;
        }
    }
    return sum == PLEACH__XMSS_SUM;
}

bool pleach__xmss_reference_encode(uint8_t digits[PLEACH_XMSS_CHAINS], const uint8_t parameter[16], uint32_t epoch,
                                   const uint8_t message[PLEACH_XMSS_MESSAGE_SIZE],
                                   const uint8_t randomness[PLEACH_XMSS_RANDOMNESS_SIZE],
                                   pleach_xmss_compression **trace)
{
    uint8_t in[BLOCK] = {0}, encoding[HASH];
    memcpy(in, message, PLEACH_XMSS_MESSAGE_SIZE);
    memcpy(in + PLEACH_XMSS_MESSAGE_SIZE, randomness, PLEACH_XMSS_RANDOMNESS_SIZE);
    pleach__xmss_reference_hash(encoding, parameter, (pleach__xmss_tweak){PLEACH__XMSS_ENCODING, 0, epoch}, in,
                                sizeof in, trace);
    const bool valid = split(digits, encoding);
    for (unsigned chain = 0; chain < CHAINS && !valid; chain++)
        digits[chain] = (uint8_t)pleach__xmss_substitute(chain);
    return valid;
}

bool pleach__xmss_reference_root(uint8_t root[16], const pleach_xmss_claim *claim, pleach_xmss_compression **trace)
{
    const uint8_t *parameter = claim->public_key + PLEACH__XMSS_PARAMETER, *signature = claim->signature;
    uint8_t digits[CHAINS], ends[CHAINS][HASH];
    const bool valid = pleach__xmss_reference_encode(digits, parameter, claim->epoch, claim->message,
                                                     signature + PLEACH__XMSS_RANDOMNESS, trace);
    memcpy(ends, signature, sizeof ends);
    for (unsigned chain = 0; chain < CHAINS; chain++)
        pleach__xmss_reference_steps(ends[chain], parameter, claim->epoch, chain, digits[chain], PLEACH__XMSS_STEPS,
                                     trace);
    pleach__xmss_reference_leaf(root, parameter, claim->epoch, ends[0], trace);
    for (unsigned level = 0; level < PLEACH_XMSS_HEIGHT; level++) {
        const uint8_t *sibling = signature + PLEACH__XMSS_PATH + HASH * level;
        const bool right = claim->epoch >> level & 1;
        pleach__xmss_reference_node(root, parameter, level + 1, (uint32_t)((uint64_t)claim->epoch >> (level + 1)),
                                    right ? sibling : root, right ? root : sibling, trace);
    }
    return valid;
}

pleach_status pleach__xmss_reference_verify(const pleach_xmss_claim *claim)
{
    uint8_t root[HASH];
    if (claim->signature_size != PLEACH_XMSS_SIGNATURE_SIZE)
        return PLEACH_EXMSSSIZE;
    if (!pleach__xmss_reference_root(root, claim, NULL))
        return PLEACH_EXMSSENCODING;
    return memcmp(root, claim->public_key, HASH) == 0 ? PLEACH_OK : PLEACH_EXMSSROOT;
}
