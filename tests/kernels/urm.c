#include "kernels_test.h"

#include "kernels/urm/urm.h"
#include "urm_gfni.h"

#include <string.h>

enum { WINDOWS = 4 };

static const uint8_t sample[] = {0, 1, 2, 3, 0x1b, 0x53, 0x80, 0xca, 0xfe, 0xff};

static pleach__f128 random_element(void)
{
    uint8_t bytes[16];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)random_below(256);
    return pleach__f128_load(bytes);
}

static void assert_equal(pleach__f128 a, pleach__f128 b)
{
    assert_true(a.lo == b.lo && a.hi == b.hi);
}

static void f8_is_a_field(void **state)
{
    (void)state;
    assert_int_equal(pleach__f8_mul(0x53, 0xca), 1); /* FIPS 197 */
    assert_int_equal(pleach__f8_mul(0x57, 0x13), 0xfe);
    assert_int_equal(pleach__f8_inverse(0), 0);
    for (unsigned a = 0; a < 256; a++) {
        const uint8_t x = (uint8_t)a;
        assert_int_equal(pleach__f8_mul(x, 1), x);
        assert_int_equal(pleach__f8_mul(x, pleach__f8_inverse(x)), a != 0);
        for (size_t i = 0; i < sizeof sample; i++) {
            const uint8_t y = sample[i], z = (uint8_t)random_below(256);
            assert_int_equal(pleach__f8_mul(x, y), pleach__f8_mul(y, x));
            assert_int_equal(pleach__f8_mul(x, y ^ z), pleach__f8_mul(x, y) ^ pleach__f8_mul(x, z));
            assert_int_equal(pleach__f8_mul(x, pleach__f8_mul(y, z)), pleach__f8_mul(pleach__f8_mul(x, y), z));
        }
    }
}

static void f128_is_a_field(void **state)
{
    const pleach__f128 one = {1, 0}, zero = {0, 0};
    (void)state;
    assert_equal(pleach__f128_mul((pleach__f128){0, 0x8000000000000000}, (pleach__f128){2, 0}),
                 (pleach__f128){0x87, 0});
    assert_equal(pleach__f128_inverse(zero), zero);
    for (int i = 0; i < 50; i++) {
        const pleach__f128 x = random_element(), y = random_element(), z = random_element();
        assert_equal(pleach__f128_mul(x, one), x);
        assert_equal(pleach__f128_mul(x, y), pleach__f128_mul(y, x));
        assert_equal(pleach__f128_mul(x, pleach__f128_add(y, z)),
                     pleach__f128_add(pleach__f128_mul(x, y), pleach__f128_mul(x, z)));
        assert_equal(pleach__f128_mul(x, pleach__f128_mul(y, z)), pleach__f128_mul(pleach__f128_mul(x, y), z));
        assert_equal(pleach__f128_mul(x, pleach__f128_inverse(x)), one);
    }
    for (unsigned n = 0; n < 128; n++)
        assert_equal(pleach__f128_mul(pleach__f128_power_of_x(n), pleach__f128_power_of_x(127 - n)),
                     pleach__f128_power_of_x(127));
}

/* x^n for n below 255, reduced step by step, against all at once. */
static void reduces(void **state)
{
    pleach__f128 power = {1, 0};
    (void)state;
    for (unsigned n = 0; n < 255; n++) {
        uint64_t words[4] = {0};
        words[n / 64] = (uint64_t)1 << n % 64;
        assert_equal(pleach__f128_reduce(words[0], words[1], words[2], words[3]), power);
        power = pleach__f128_mul(power, (pleach__f128){2, 0});
    }
}

static void embeds(void **state)
{
    (void)state;
    assert_equal(pleach__f128_embed(1), (pleach__f128){1, 0});
    for (unsigned a = 0; a < 256; a++)
        for (size_t i = 0; i < sizeof sample; i++) {
            const uint8_t x = (uint8_t)a, y = sample[i];
            assert_equal(pleach__f128_embed(x ^ y), pleach__f128_add(pleach__f128_embed(x), pleach__f128_embed(y)));
            assert_equal(pleach__f128_embed(pleach__f8_mul(x, y)),
                         pleach__f128_mul(pleach__f128_embed(x), pleach__f128_embed(y)));
        }
}

static void stores_lowest_first(void **state)
{
    uint8_t bytes[16], back[16];
    (void)state;
    for (unsigned i = 0; i < 16; i++)
        bytes[i] = (uint8_t)(i + 1);
    assert_equal(pleach__f128_load(bytes), (pleach__f128){0x0807060504030201, 0x100f0e0d0c0b0a09});
    pleach__f128_store(back, pleach__f128_load(bytes));
    assert_memory_equal(back, bytes, sizeof bytes);
}

/* A polynomial of degree below 64 is the same whether its values at 64 + lambda come from M or from its coefficients.
 */
static void matrix_extends_polynomials(void **state)
{
    const pleach__urm_column *column = pleach__urm_matrix();
    (void)state;
    for (unsigned degree = 0; degree < 64; degree++) {
        uint8_t value[128];
        for (unsigned point = 0; point < 128; point++) {
            value[point] = 1;
            for (unsigned i = 0; i < degree; i++)
                value[point] = pleach__f8_mul(value[point], (uint8_t)point);
        }
        for (unsigned lambda = 0; lambda < 64; lambda++) {
            uint8_t sum = 0;
            for (unsigned s = 0; s < 64; s++)
                sum ^= pleach__f8_mul(column[s][lambda], value[s]);
            assert_int_equal(sum, value[64 + lambda]);
        }
    }
    for (unsigned s = 0; s < 64; s++)
        for (unsigned lambda = 0; lambda < 64; lambda++)
            assert_int_equal(column[s][lambda], column[s % 8][lambda ^ (s & 0x38)]);
}

static const pleach__urm_backend *urm_of(const subject *s)
{
#if defined(__x86_64__)
    if (wrong_here(s->backend)) {
        print_message("%s: this processor complements what its affine instruction gives: so does the test\n",
                      s->backend->name);
        return &urm_gfni_complementing;
    }
#endif
    return (const pleach__urm_backend *)s->backend;
}

/* Against the reference, from sums that are not zero; the windows end where memory ends. */
static void check_add(const pleach__urm_backend *backend, const pleach__urm_windows *windows)
{
    pleach__urm_sums got, want;
    for (size_t i = 0; i < sizeof got; i++)
        ((uint8_t *)&got)[i] = (uint8_t)random_below(256);
    want = got;
    backend->add(&got, windows);
    pleach__urm_reference_add(&want, windows);
    if (memcmp(&got, &want, sizeof got) != 0)
        fail_msg("%s: %zu windows, the first of %u blocks, split %d", backend->backend.name, windows->n,
                 windows->n ? windows->blocks[0] : 0, windows->split);
}

static void adds_windows(const pleach__urm_backend *backend)
{
    guarded bits[3];
    uint8_t *last[3];
    pleach__f128 weight[WINDOWS];
    uint8_t blocks[WINDOWS];
    for (int i = 0; i < 3; i++) {
        bits[i] = guarded_stream(WINDOWS * PLEACH__URM_WINDOW);
        last[i] =
            bits[i].last - (uintptr_t)bits[i].last % 64; /* where an emulator reads on, it does not end the page */
        for (size_t byte = 0; byte < WINDOWS * PLEACH__URM_WINDOW; byte++)
            last[i][byte] = (uint8_t)random_below(256);
    }
    for (unsigned first = 0; first <= PLEACH__URM_BLOCKS; first++)
        for (int split = 0; split < 2; split++) {
            const size_t n = quick() ? 1 : random_below(WINDOWS + 1);
            for (size_t w = 0; w < WINDOWS; w++) {
                weight[w] = random_element();
                blocks[w] = (uint8_t)(w == 0 ? first : random_below(PLEACH__URM_BLOCKS + 1));
            }
            const size_t at = (WINDOWS - n) * PLEACH__URM_WINDOW;
            check_add(backend, &(pleach__urm_windows){.a = last[0] + at,
                                                      .b = last[1] + at,
                                                      .c = last[2] + at,
                                                      .weight = weight,
                                                      .blocks = blocks,
                                                      .n = n,
                                                      .scale = random_element(),
                                                      .split = split});
        }
    for (int i = 0; i < 3; i++)
        guarded_free(&bits[i]);
}

static void every_backend(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    adds_windows(urm_of(s));
}

/* One bit set, everywhere in turn: a lane or a row that is taken for another cannot hide. */
static void single_bits(void **state)
{
    const subject *s = *state;
    _Alignas(64) static uint8_t bits[3][PLEACH__URM_WINDOW];
    const pleach__f128 weight = random_element();
    const uint8_t blocks = PLEACH__URM_BLOCKS;
    skip_unless_usable(s);
    for (size_t bit = 0; bit < 8 * PLEACH__URM_WINDOW; bit += quick() ? 509 : 37) {
        memset(bits, 0, sizeof bits);
        bits[0][bit / 8] = bits[1][bit / 8] = bits[2][bit / 8] = (uint8_t)(1 << bit % 8);
        check_add(urm_of(s), &(pleach__urm_windows){.a = bits[0],
                                                    .b = bits[1],
                                                    .c = bits[2],
                                                    .weight = &weight,
                                                    .blocks = &blocks,
                                                    .n = 1,
                                                    .scale = {1, 0},
                                                    .split = true});
    }
}

#if defined(__x86_64__)
static void without_ternary_folds(void **state)
{
    const subject s = {&pleach__urm, &pleach__urm_avx512_binary.backend};
    (void)state;
    skip_unless_usable(&s);
    adds_windows(&pleach__urm_avx512_binary);
}
#endif

int run_urm_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f8_is_a_field),
        cmocka_unit_test(f128_is_a_field),
        cmocka_unit_test(reduces),
        cmocka_unit_test(embeds),
        cmocka_unit_test(stores_lowest_first),
        cmocka_unit_test(matrix_extends_polynomials),
#if defined(__x86_64__)
        cmocka_unit_test(without_ternary_folds),
#endif
    };
    return RUN_GROUP(tests) + run_for_family(&pleach__urm, "urm windows", every_backend) +
           run_for_family(&pleach__urm, "urm bits", single_bits);
}
