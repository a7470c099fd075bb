/* Eight lanes to a word of 64 bits, two words to an element of F128. */
#include "kernels/urm/urm.h"

typedef uint64_t bytes;
typedef pleach__f128 quad;

enum { BYTES_PARTS = 8 };

#define EACH_BYTE(value) ((uint64_t)(value)*0x0101010101010101)

/* Memory is in the order of bytes, words are numbers: byte i is bits 8 i .. 8 i + 7. */
static inline uint64_t word_load(const void *p)
{
    uint64_t word;
    __builtin_memcpy(&word, p, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline void word_store(void *p, uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    __builtin_memcpy(p, &word, sizeof word);
}

static inline uint64_t bytes_double(uint64_t x)
{
    const uint64_t over = x >> 7 & EACH_BYTE(1);
    return (x & EACH_BYTE(0x7f)) << 1 ^ over * 0x1b;
}

static inline uint64_t bytes_mul(uint64_t x, uint64_t y)
{
    uint64_t product = 0;
    for (int bit = 7; bit >= 0; bit--) {
        const uint64_t selected = (y >> bit & EACH_BYTE(1)) * 0xff;
        product = bytes_double(product) ^ (x & selected);
    }
    return product;
}

#define BYTES_XOR(x, y)   ((x) ^ (y))
#define BYTES_MUL(x, y)   bytes_mul(x, y)
#define BYTES_DOUBLE(x)   bytes_double(x)
#define BYTES_STORE(p, x) word_store(p, x)

static inline void bytes_row(uint64_t parts[8], const uint8_t (*rows)[64], const uint8_t *row)
{
    for (unsigned i = 0; i < 8; i++)
        parts[i] = 0;
    for (unsigned j = 0; j < 8; j++)
        for (unsigned i = 0; i < 8; i++)
            parts[i] ^= word_load(rows[row[j]] + 8 * (i ^ j));
}

static inline quad quad_of(uint64_t lo, uint64_t hi)
{
    return (quad){lo, hi};
}

/* Elements of `bits` bits of the halves of two words, in turn. */
static inline uint64_t spread(uint64_t x, unsigned bits)
{
    x &= 0xffffffff;
    if (bits < 32)
        x = (x | x << 16) & 0x0000ffff0000ffff;
    if (bits < 16)
        x = (x | x << 8) & 0x00ff00ff00ff00ff;
    return x;
}

static inline quad zip(uint64_t x, uint64_t y, unsigned bits)
{
    return quad_of(spread(x, bits) | spread(y, bits) << bits, spread(x >> 32, bits) | spread(y >> 32, bits) << bits);
}

/* The product of polynomials of degree below 64, four bits at a time. */
static inline quad multiply(uint64_t x, uint64_t y)
{
    quad multiple[16] = {{0, 0}, {x, 0}};
    for (unsigned i = 2; i < 16; i++)
        multiple[i] = i % 2 ? quad_of(multiple[i - 1].lo ^ x, multiple[i - 1].hi)
                            : quad_of(multiple[i / 2].lo << 1, multiple[i / 2].hi << 1 | multiple[i / 2].lo >> 63);
    quad product = {0, 0};
    for (int at = 60; at >= 0; at -= 4) {
        const quad m = multiple[y >> at & 15];
        product = quad_of(product.lo << 4 ^ m.lo, (product.hi << 4 | product.lo >> 60) ^ m.hi);
    }
    return product;
}

#define QUAD_LOAD(p)           (*(const quad *)(p))
#define QUAD_STORE(p, x)       (*(quad *)(p) = (x))
#define QUAD_STORE_BYTES(p, x) pleach__f128_store(p, x)
#define QUAD_ROW(p)            quad_of(word_load(p), 0)
#define QUAD_XOR(x, y)         pleach__f128_add(x, y)
#define QUAD_XOR3(x, y, z)     pleach__f128_add(pleach__f128_add(x, y), z)
#define QUAD_KEEP(x)           (void)(x)
#define QUAD_AND(x, y)         quad_of((x).lo &(y).lo, (x).hi &(y).hi)
#define QUAD_SPLAT(word)       quad_of(word, word)
#define QUAD_LEFT(x, n)        quad_of((x).lo << (n), (x).hi << (n))
#define QUAD_RIGHT(x, n)       quad_of((x).lo >> (n), (x).hi >> (n))
#define QUAD_ZIP_LOW8(x, y)    zip((x).lo, (y).lo, 8)
#define QUAD_ZIP_LOW16(x, y)   zip((x).lo, (y).lo, 16)
#define QUAD_ZIP_HIGH16(x, y)  zip((x).hi, (y).hi, 16)
#define QUAD_ZIP_LOW32(x, y)   zip((x).lo, (y).lo, 32)
#define QUAD_ZIP_HIGH32(x, y)  zip((x).hi, (y).hi, 32)
#define QUAD_MUL(x, i, y, j)   multiply((i) ? (x).hi : (x).lo, (j) ? (y).hi : (y).lo)

#define LEAVE() (void)0

#include "kernels/urm/windows.h"

URM_ADD(add, false)

static bool usable(const pleach__cpu *cpu)
{
    (void)cpu;
    return true;
}

const pleach__urm_backend pleach__urm_portable = {
    .backend = {.name = "portable", .needs = "nothing", .lanes = 8, .usable = usable}, .add = add};
