#include "kernels_test.h"

#include <string.h>

/* n inputs whose last ends before memory that must not be touched, and whose first begins behind such memory. */
static void check_counts(const subject *s, const pleach__hash_form *form, size_t stride, size_t step)
{
    static uint8_t want[COUNT_MAX * DIGEST];
    guarded g = guarded_stream((COUNT_MAX - 1) * stride + form->size);
    reference_many(s->family, form, g.first, stride, COUNT_MAX, want);
    for (size_t n = 0; n <= COUNT_MAX; n = n + step > COUNT_MAX && n < COUNT_MAX ? COUNT_MAX : n + step) {
        check_many(s, form, g.first, stride, n, want);
        check_many(s, form, g.last + (COUNT_MAX - n) * stride, stride, n, want + (COUNT_MAX - n) * DIGEST);
    }
    guarded_free(&g);
}

static const int no_prefix = PLEACH__NO_PREFIX;

static void check_size(const subject *s, size_t size, size_t step)
{
    check_counts(s, &(pleach__hash_form){.size = size, .prefix = no_prefix}, size + size % 3, step);
}

static void every_length_and_count(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    for (size_t size = 0; size <= 300; size++) {
        const bool edge = size % 64 <= 1 || size % 64 >= 55;
        if (edge || !quick())
            check_size(s, size, quick() ? 6 : 1);
    }
}

/* Where a block, a padding or a prefix begins to need another block; and where a chunk does. */
static void around_blocks_and_chunks(void **state)
{
    static const size_t from_block[] = {0, 1, 8, 9, 64 - 9, 64 - 8, 64 - 1};
    const subject *s = *state;
    skip_unless_usable(s);
    for (size_t block = 320; block < 1152; block += quick() ? 256 : 64)
        for (size_t i = 0; i < sizeof from_block / sizeof *from_block; i++)
            check_size(s, block + from_block[i], quick() ? 23 : 1);
    for (size_t chunk = 1024; chunk <= 8 * 1024; chunk += quick() ? 3 * 1024 : 1024)
        for (size_t size = chunk - 1; size <= chunk + 1; size++)
            check_size(s, size, quick() ? 23 : chunk <= 2048 ? 1 : 6);
    static const size_t sizes[] = {10007, 16 * 1024, 17 * 1024 + 1, 33 * 1024 - 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !quick(); i++)
        check_size(s, sizes[i], 12);
}

static void strides(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    static const size_t sizes[] = {0, 1, 31, 64, 65, 100, 192, 200};
    const size_t strides[] = {0, 1, 7, 32, 64, 99, 1000, quick() ? 4099 : 65537};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t j = 0; j < sizeof strides / sizeof *strides; j++)
            check_counts(s, &(pleach__hash_form){.size = sizes[i], .prefix = no_prefix}, strides[j], quick() ? 9 : 3);
}

static void alignments(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    static uint8_t in[64 + COUNT_MAX * 128], want[COUNT_MAX * DIGEST];
    const pleach__hash_form form = form_of(64, 0, no_prefix, false);
    fill_stream(in, sizeof in);
    for (size_t at = 0; at < 64; at += quick() ? 9 : 1) {
        const size_t n = 2 * s->backend->lanes + 3;
        reference_many(s->family, &form, in + at, 128, n, want);
        check_many(s, &form, in + at, 128, n, want);
    }
}

static void forms(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    static const size_t sizes[] = {0, 1, 8, 31, 32, 54, 55, 56, 63, 64, 65, 118, 119, 120, 128, 200, 296};
    static const int prefixes[] = {PLEACH__NO_PREFIX, 0, 1, 255};
    size_t tried = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t zeros = 0; zeros <= 200; zeros += quick() ? 37 : 1)
            for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++)
                for (int twice = 0; twice < 2; twice++) {
                    const pleach__hash_form form = form_of(sizes[i], zeros, prefixes[p], twice);
                    pleach__hash_plan plan;
                    if (!plan_of(s->family, &form, &plan))
                        continue;
                    check_counts(s, &form, sizes[i] + 3, zeros || quick() ? 13 : 1);
                    tried++;
                }
    /* Every family but BLAKE3 has rules beside the plain one. */
    const size_t rules = s->family == &pleach__blake3 ? 1 : 2;
    assert_in_range(tried, rules * sizeof sizes / sizeof *sizes, SIZE_MAX);
}

/* Digests in the place of the inputs. */
static void in_place(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    static const size_t shapes[][2] = {{32, 32}, {20, 32}, {64, 32},   {200, 32},
                                       {64, 64}, {65, 67}, {192, 192}, {64, 129}};
    static uint8_t in[COUNT_MAX * 192 + 200], pristine[sizeof in], want[COUNT_MAX * DIGEST];
    fill_stream(pristine, sizeof pristine);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const pleach__hash_form form = form_of(shapes[i][0], 0, no_prefix, false);
        pleach__hash_plan plan;
        assert_true(plan_of(s->family, &form, &plan));
        reference_many(s->family, &form, pristine, shapes[i][1], COUNT_MAX, want);
        for (size_t n = 1; n <= COUNT_MAX; n++) {
            memcpy(in, pristine, sizeof in);
            s->backend->hash_many(&plan, in, shapes[i][1], n, in);
            assert_memory_equal(in, want, n * DIGEST);
            assert_memory_equal(in + n * DIGEST, pristine + n * DIGEST, sizeof in - n * DIGEST);
        }
    }
}

int run_digest_tests(void)
{
    return run_for_all("every length and count", every_length_and_count) +
           run_for_all("around blocks and chunks", around_blocks_and_chunks) + run_for_all("strides", strides) +
           run_for_all("alignments", alignments) + run_for_all("forms", forms) + run_for_all("in place", in_place);
}
