#include "bench/ports.h"

#include "bench/clock.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 64, CHUNK = 1024, WORDS = BLOCK / 4, ROUNDS = 64, LENGTH = 8, PASSES = 500, TRIES = 50 };

/* Vector operations of a compression of all lanes. */
struct ports {
    pleach_family family;
    const char *backend;
    int bits;   /* of a vector */
    int rounds; /* operations of all rounds, without the message schedule */
    int sigma;  /* operations of one small sigma of SHA-256's schedule */
};

/*
 * BLAKE2s: 80 quarter rounds of 14 operations, BLAKE3: 56; of 18 where two of the four rotations are three each.
 * SHA-256: 64 rounds of 17; of 35 where each rotation and each logic function is three, and an exclusive or of three is
 * two.
 */
static const struct ports known[] = {
    {PLEACH_BLAKE2S, "avx512", 512, 80 * 14, 0},    {PLEACH_BLAKE2S, "avx2", 256, 80 * 18, 0},
    {PLEACH_BLAKE3, "avx512", 512, 56 * 14, 0},     {PLEACH_BLAKE3, "avx2", 256, 56 * 18, 0},
    {PLEACH_SHA256, "avx512", 512, ROUNDS * 17, 4}, {PLEACH_SHA256, "avx2", 256, ROUNDS * 35, 9},
};

#if defined(__x86_64__)
#define ADDITION(v, i) "vpaddd %%" v "0, %%" v #i ", %%" v #i "\n"
#define ADDITIONS(v) \
    ADDITION(v, 1)   \
    ADDITION(v, 2)   \
    ADDITION(v, 3)   \
    ADDITION(v, 4)   \
    ADDITION(v, 5)   \
    ADDITION(v, 6)   \
    ADDITION(v, 7)   \
    ADDITION(v, 8)   \
    ADDITION(v, 9)   \
    ADDITION(v, 10)  \
    ADDITION(v, 11)  \
    ADDITION(v, 12)
enum { ADDITIONS_A_PASS = 24 };
#define ISSUE(v)                                                                                                      \
    __asm__ volatile("1:\n" ADDITIONS(v) ADDITIONS(v) "dec %0\n jnz 1b\n vzeroupper\n"                                \
                     : "+r"(passes)                                                                                   \
                     :                                                                                                \
                     : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
                       "xmm11", "xmm12", "xmm13", "xmm14", "xmm15")

/* Independent vector additions that the core begins in a nanosecond. */
static double issue(int bits)
{
    long passes = PASSES;
    double start = pleach__bench_now();
    if (bits == 512)
        ISSUE("zmm");
    else
        ISSUE("ymm");
    return PASSES * ADDITIONS_A_PASS / (pleach__bench_now() - start);
}

/* Vector operations that the core begins in a cycle, a whole number. */
static double issue_width(int bits)
{
    static double found[2];
    double *width = &found[bits == 512], rate = 0, cycle = 1e9;
    for (int i = 0; *width == 0 && i < TRIES; i++) {
        const double now = issue(bits), beside = pleach__bench_pace_now().cycle;
        rate = now > rate ? now : rate;
        cycle = beside < cycle ? beside : cycle;
    }
    if (*width == 0)
        *width = (double)(int)(rate * cycle + 0.5);
    return *width;
}
#else
static double issue_width(int bits)
{
    (void)bits;
    return NAN;
}
#endif

/* Operations of the schedule of a block of which only the first `words` words vary from input to input. */
static int schedule(const struct ports *ports, size_t words)
{
    bool varies[ROUNDS] = {false};
    int operations = 0;
    for (size_t t = 0; t < words; t++)
        varies[t] = true;
    for (size_t t = WORDS; t < ROUNDS; t++) {
        const int sigmas = varies[t - 2] + varies[t - 15], terms = sigmas + varies[t - 7] + varies[t - 16];
        varies[t] = terms > 0;
        operations += sigmas * ports->sigma;
        operations += terms == 4 ? 3 : terms; /* constants are one term */
    }
    return operations;
}

/* A block with one byte of an input has 256 schedules, which a kernel can look up. */
static int sha256_operations(const struct ports *ports, size_t bytes)
{
    return ports->rounds + (bytes <= 1 ? 0 : schedule(ports, (bytes + 3) / 4));
}

static pleach__bench_cost sha256_cost(const struct ports *ports, const pleach__hash_form *form)
{
    const size_t size = form->size + (form->prefix != PLEACH__NO_PREFIX), blocks = (size + LENGTH) / BLOCK + 1;
    pleach__bench_cost cost = {.compressions = (double)(blocks + form->twice)};
    for (size_t i = 0; ports && i < blocks; i++) {
        const size_t begin = BLOCK * i, left = size > begin ? size - begin : 0;
        cost.cycles += sha256_operations(ports, left < BLOCK ? left : BLOCK);
    }
    if (ports && form->twice)
        cost.cycles += sha256_operations(ports, PLEACH_DIGEST_SIZE);
    return cost;
}

/* BLAKE3 has a parent for every chunk but the first. */
static pleach__bench_cost blake_cost(const struct ports *ports, pleach_family family, const pleach__hash_plan *plan)
{
    const size_t size = plan->lead + plan->form.size, blocks = size > BLOCK ? (size + BLOCK - 1) / BLOCK : 1;
    const size_t parents = family == PLEACH_BLAKE3 && size > CHUNK ? (size - 1) / CHUNK : 0;
    const double compressions = (double)(blocks + parents);
    return (pleach__bench_cost){compressions, ports ? compressions * ports->rounds : 0};
}

pleach__bench_cost pleach__bench_cost_of(pleach_family family, const pleach__backend *backend,
                                         const pleach__hash_plan *plan)
{
    const struct ports *ports = NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].family == family && strcmp(known[i].backend, backend->name) == 0)
            ports = &known[i];
    pleach__bench_cost cost =
        family == PLEACH_SHA256 ? sha256_cost(ports, &plan->form) : blake_cost(ports, family, plan);
    cost.cycles = ports ? cost.cycles / backend->lanes / issue_width(ports->bits) : NAN;
    return cost;
}
