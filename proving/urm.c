#include "proving/urm.h"

#include "config/error.h"
#include "kernels/urm/urm.h"
#include "pool/memory.h"

#include <pthread.h>
#include <string.h>

enum {
    POINTS = PLEACH_URM_POINTS,
    FIXED = PLEACH_URM_FIXED,
    SMALL = 3,           /* of the fixed coordinates, those of a row's number in its block; then those of the block */
    OUTER_VARIABLES = 7, /* at most: 128 items of a job */
    WINDOW_VARIABLES = 13
};

/* --- What the protocol fixes --- */

static struct constants {
    pleach__f128 fixed[FIXED];
    /* The weights of the blocks of a window are eq of their coordinates: gamma^b times this. */
    pleach__f128 block_scale;
    /* Weights of even rows, and of odd ones, are x^K times these, where the first coordinate is left free. */
    pleach__f128 even_scale, odd_scale;
} constants;

static pleach__f128 one_plus(pleach__f128 a)
{
    a.lo ^= 1;
    return a;
}

static void make_constants(void)
{
    static const uint8_t small[SMALL] = {0xf7, 0x53, 0xb5};
    pleach__f128 *fixed = constants.fixed, product = {1, 0};
    for (unsigned i = 0; i < SMALL; i++)
        fixed[i] = pleach__f128_embed(small[i]);
    for (unsigned i = SMALL; i < FIXED; i++) {
        const pleach__f128 power = pleach__f128_power_of_x(1u << (i - SMALL)); /* gamma to that power */
        fixed[i] = pleach__f128_mul(power, pleach__f128_inverse(one_plus(power)));
        product = pleach__f128_mul(product, one_plus(power));
    }
    constants.block_scale = pleach__f128_inverse(product);
    constants.even_scale = pleach__f128_mul(one_plus(fixed[1]), one_plus(fixed[2]));
    constants.odd_scale = pleach__f128_mul(constants.even_scale, pleach__f128_embed(pleach__f8_inverse(2)));
}

static const struct constants *protocol(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, make_constants);
    return &constants;
}

void pleach_urm_fixed_challenge(uint8_t (*fixed)[PLEACH_F128_SIZE])
{
    for (unsigned i = 0; fixed != NULL && i < FIXED; i++)
        pleach__f128_store(fixed[i], protocol()->fixed[i]);
}

/* --- The job: an item is an outer index, that is, the upper variables' values --- */

typedef struct round {
    const uint8_t *a, *b, *c;
    unsigned variables;
    bool split;
    size_t inner_count, outer_count, blocks_count;
    /* One allocation, from the first of these on. */
    pleach__urm_sums *sums;      /* one for each participant */
    pleach__f128 *inner, *outer; /* eq of the variables' coordinates, the inner ones times block_scale */
    uint8_t *blocks;             /* of the windows, again and again */
} round;

static pleach_status add_outer(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    const round *r = context;
    const pleach__urm_backend *backend = pleach__urm_backend_of(worker->kernels);
    const size_t n = r->inner_count;
    for (size_t i = begin; i < end; i++) {
        const size_t at = i * n * PLEACH__URM_WINDOW;
        backend->add(&r->sums[worker->index], &(pleach__urm_windows){.a = r->a + at,
                                                                     .b = r->b + at,
                                                                     .c = r->c + at,
                                                                     .weight = r->inner,
                                                                     .blocks = r->blocks + i * n % r->blocks_count,
                                                                     .n = n,
                                                                     .scale = r->outer[i],
                                                                     .split = r->split});
    }
    return PLEACH_OK;
}

/* --- What comes before it --- */

static unsigned outer_variables(unsigned variables)
{
    const unsigned windows = variables - WINDOW_VARIABLES;
    return windows < OUTER_VARIABLES ? windows : OUTER_VARIABLES;
}

/* eq(r, x) for the 2^n values of x, bit i of which belongs to r[i]; times what is in table[0]. */
static void make_eq(pleach__f128 *table, const uint8_t (*r)[PLEACH_F128_SIZE], unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const pleach__f128 coordinate = pleach__f128_load(r[i]);
        for (size_t x = 0; x < (size_t)1 << i; x++) {
            const pleach__f128 one = pleach__f128_mul(table[x], coordinate);
            table[x | (size_t)1 << i] = one;
            table[x] = pleach__f128_add(table[x], one);
        }
    }
}

/* Blocks of window w that are not padding. */
static uint8_t used_blocks(const pleach_urm_padding *padding, uint64_t w)
{
    enum { BLOCK_BITS = 8 * PLEACH__URM_BLOCK, WINDOW_BITS = 8 * PLEACH__URM_WINDOW };
    if (padding == NULL)
        return PLEACH__URM_BLOCKS;
    w &= ((uint64_t)1 << (padding->k_log - WINDOW_VARIABLES)) - 1;
    if (padding->useful_bits <= w * WINDOW_BITS)
        return 0;
    const uint64_t bits = padding->useful_bits - w * WINDOW_BITS;
    return bits >= WINDOW_BITS ? PLEACH__URM_BLOCKS : (uint8_t)((bits + BLOCK_BITS - 1) / BLOCK_BITS);
}

static size_t round_size(const round *r, unsigned width)
{
    return width * sizeof *r->sums + (r->inner_count + r->outer_count) * sizeof *r->inner + r->blocks_count;
}

static void prepare(round *r, unsigned width, const uint8_t (*challenge)[PLEACH_F128_SIZE],
                    const pleach_urm_padding *padding)
{
    const unsigned outer = outer_variables(r->variables), inner = r->variables - WINDOW_VARIABLES - outer;
    memset(r->sums, 0, width * sizeof *r->sums);
    r->inner = (pleach__f128 *)(r->sums + width);
    r->outer = r->inner + r->inner_count;
    r->blocks = (uint8_t *)(r->outer + r->outer_count);
    r->inner[0] = protocol()->block_scale;
    r->outer[0] = (pleach__f128){1, 0};
    make_eq(r->inner, challenge + WINDOW_VARIABLES, inner);
    make_eq(r->outer, challenge + WINDOW_VARIABLES + inner, outer);
    for (size_t w = 0; w < r->blocks_count; w++)
        r->blocks[w] = used_blocks(padding, w);
}

/* --- What comes after it --- */

/* sums[0] becomes the sum of all. */
static void add_up(pleach__urm_sums *sums, unsigned width)
{
    for (unsigned i = 1; i < width; i++)
        for (unsigned p = 0; p < POINTS; p++) {
            sums->ab[p] = pleach__f128_add(sums->ab[p], sums[i].ab[p]);
            sums->even[p] = pleach__f128_add(sums->even[p], sums[i].even[p]);
            sums->odd[p] = pleach__f128_add(sums->odd[p], sums[i].odd[p]);
        }
}

/* The sum over s of embed(M[lambda][s]) * values[s], by the bits of M: the embedding is linear. */
static pleach__f128 extend(const pleach__f128 values[POINTS], unsigned lambda)
{
    const pleach__urm_column *column = pleach__urm_matrix();
    pleach__f128 sum = {0, 0};
    for (unsigned t = 0; t < 8; t++) {
        pleach__f128 selected = {0, 0};
        for (unsigned s = 0; s < POINTS; s++)
            if (column[s][lambda] >> t & 1)
                selected = pleach__f128_add(selected, values[s]);
        sum = pleach__f128_add(sum, pleach__f128_mul(selected, pleach__f128_embed((uint8_t)(1 << t))));
    }
    return sum;
}

static void write_message(pleach_urm_message *message, const pleach__urm_sums *sums, bool split)
{
    pleach__f128 c[POINTS];
    for (unsigned i = 0; i < POINTS; i++)
        c[i] = split ? pleach__f128_add(sums->even[i], sums->odd[i]) : sums->even[i];
    for (unsigned i = 0; i < POINTS; i++) {
        pleach__f128_store(message->ab[i], sums->ab[i]);
        pleach__f128_store(message->c[i], extend(c, i));
        if (!split)
            continue;
        pleach__f128_store(message->s_hat_v_c[i], pleach__f128_mul(protocol()->even_scale, sums->even[i]));
        pleach__f128_store(message->s_hat_v_c[POINTS + i], pleach__f128_mul(protocol()->odd_scale, sums->odd[i]));
    }
}

/* --- The call --- */

static pleach_status check_buffers(const round *r, size_t size)
{
    const struct {
        const char *name;
        const uint8_t *bytes;
    } buffers[] = {{"a", r->a}, {"b", r->b}, {"c", r->c}};
    if (r->variables < PLEACH_URM_VARIABLES_MIN || r->variables > PLEACH_URM_VARIABLES_MAX)
        return pleach__fail(PLEACH_ERANGE, "variables = %u: %d to %d are accepted", r->variables,
                            PLEACH_URM_VARIABLES_MIN, PLEACH_URM_VARIABLES_MAX);
    if ((uint64_t)size != (uint64_t)1 << (r->variables - 3))
        return pleach__fail(PLEACH_ERANGE, "size = %zu: %u variables have %llu bytes", size, r->variables,
                            1ULL << (r->variables - 3));
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        if (buffers[i].bytes == NULL)
            return pleach__fail(PLEACH_EINVAL, "%s = NULL", buffers[i].name);
        if ((uintptr_t)buffers[i].bytes % PLEACH_URM_ALIGNMENT != 0)
            return pleach__fail(PLEACH_EINVAL, "%s = %p: not aligned to %d bytes", buffers[i].name,
                                (const void *)buffers[i].bytes, PLEACH_URM_ALIGNMENT);
    }
    return PLEACH_OK;
}

static pleach_status check_rest(const round *r, const uint8_t (*challenge)[PLEACH_F128_SIZE],
                                const pleach_urm_padding *padding, const pleach_urm_message *message)
{
    uint8_t fixed[FIXED][PLEACH_F128_SIZE];
    if (challenge == NULL || message == NULL)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", challenge == NULL ? "challenge" : "message");
    pleach_urm_fixed_challenge(fixed);
    for (unsigned i = 0; i < FIXED; i++)
        if (memcmp(challenge[PLEACH_URM_FIXED_FIRST + i], fixed[i], sizeof fixed[i]) != 0)
            return pleach__fail(PLEACH_EINVAL, "challenge[%u]: not the value that the protocol fixes",
                                PLEACH_URM_FIXED_FIRST + i);
    if (padding == NULL)
        return PLEACH_OK;
    if (padding->k_log < PLEACH_URM_VARIABLES_MIN || padding->k_log > r->variables)
        return pleach__fail(PLEACH_ERANGE, "padding->k_log = %u: %d to %u are accepted", padding->k_log,
                            PLEACH_URM_VARIABLES_MIN, r->variables);
    if (padding->useful_bits > (uint64_t)1 << padding->k_log)
        return pleach__fail(PLEACH_ERANGE, "padding->useful_bits = %llu: at most %llu are accepted",
                            (unsigned long long)padding->useful_bits, 1ULL << padding->k_log);
    return PLEACH_OK;
}

pleach_status pleach_urm_round1(pleach_pool *pool, const uint8_t *a, const uint8_t *b, const uint8_t *c, size_t size,
                                unsigned variables, const uint8_t (*challenge)[PLEACH_F128_SIZE],
                                const pleach_urm_padding *padding, bool with_s_hat_v, pleach_urm_message *message,
                                pleach_monitor *monitor)
{
    round r = {.a = a, .b = b, .c = c, .variables = variables, .split = with_s_hat_v};
    pleach_status status = check_buffers(&r, size);
    if (status == PLEACH_OK)
        status = check_rest(&r, challenge, padding, message);
    if (status != PLEACH_OK)
        return status;
    if (pool == NULL && pleach_kernels_default() == NULL)
        return pleach__fail(PLEACH_EBACKEND, "pool = NULL, and no backend gives right results on this host");
    const unsigned width = pleach_pool_width(pool), outer = outer_variables(variables);
    r.outer_count = (size_t)1 << outer;
    r.inner_count = (size_t)1 << (variables - WINDOW_VARIABLES - outer);
    r.blocks_count = r.inner_count;
    if (padding != NULL && (size_t)1 << (padding->k_log - WINDOW_VARIABLES) > r.blocks_count)
        r.blocks_count = (size_t)1 << (padding->k_log - WINDOW_VARIABLES);
    r.sums = pleach__allocate(pool, round_size(&r, width));
    if (r.sums == NULL)
        return pleach__fail(PLEACH_ENOMEM, "no memory for the sums of %u workers and %zu windows", width,
                            r.inner_count);
    prepare(&r, width, challenge, padding);
    status = pleach_pool_run(
        pool,
        &(pleach_job){
            .task = add_outer, .context = &r, .items = r.outer_count, .monitor = monitor, .priority = PLEACH_LATENCY});
    if (status == PLEACH_OK) {
        add_up(r.sums, width);
        write_message(message, r.sums, r.split);
    }
    pleach__release(pool, r.sums, round_size(&r, width));
    return status;
}
