/* LtHash's kernels: roots of lists of inputs, and their output added to a state or subtracted. */
#include "kernels_test.h"

#include "kernels/blake3/blake3.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = PLEACH__BLAKE3_CHUNK,
    LONGEST = 2100,
    LONG = 1 << 20,
    LIST_MAX = 2 * PLEACH__LIST_BATCH + 100,
    LIMBS = PLEACH__LTHASH_LIMBS,
    WORDS = PLEACH__LTHASH_WORDS,
    OUTPUT = 40 /* bytes of output that tell roots apart; more than the half of a block that a chaining value has */
};

static pleach_input inputs[LIST_MAX];
static pleach__blake3_root roots[LIST_MAX + 1];
static guarded memory; /* of LONG bytes */
static const pleach__blake3_mode keyed = {{9, 8, 7, 6, 5, 4, 3, 2}, BLAKE3_KEYED_HASH};

static const pleach__blake3_backend *backend_of(const subject *s)
{
    return (const pleach__blake3_backend *)s->backend;
}

/* Each begins behind memory that must not be touched, or ends before such memory, or lies between others. */
static pleach_input place(size_t i, size_t size)
{
    if (size == 0 && i % 2)
        return (pleach_input){NULL, 0};
    if (i % 3 == 0)
        return (pleach_input){memory.last + LONG - size, size};
    return (pleach_input){memory.first + (i % 3 == 1 || size == LONG ? 0 : i * 5 % 1000), size};
}

static void check_root(const pleach__blake3_mode *mode, size_t n, size_t i)
{
    uint8_t got[OUTPUT], want[OUTPUT];
    pleach__blake3_output(&pleach__blake3_portable, &roots[i], 0, got, sizeof got);
    pleach__blake3_reference_output(mode, inputs[i].bytes, inputs[i].size, 0, want, sizeof want);
    if (memcmp(got, want, sizeof got) != 0)
        fail_msg("flags %u n %zu: root %zu, of %zu bytes, differs", mode->flags, n, i, inputs[i].size);
}

static void check_list(const subject *s, const pleach__blake3_mode *mode, size_t n)
{
    memset(roots, CANARY, sizeof roots);
    const pleach__blake3_root canary = roots[n];
    pleach__blake3_roots_list(backend_of(s), mode, inputs, n, roots);
    for (size_t i = 0; i < n; i++)
        check_root(mode, n, i);
    assert_memory_equal(&roots[n], &canary, sizeof canary);
}

static void lists_of_every_count(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    static const size_t limits[] = {64, 65, 129, 300, CHUNK, CHUNK + 1, LONGEST};
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++)
        for (size_t n = 0; n <= COUNT_MAX; n += quick() ? 7 : 1) {
            for (size_t i = 0; i < n; i++)
                inputs[i] = place(i, random_below(limits[l] + 1));
            check_list(s, n % 2 ? &keyed : &pleach__blake3_unkeyed, n);
        }
}

static void list_of_one_size(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    for (size_t blocks = 0; blocks <= CHUNK / 64; blocks++)
        for (size_t n = 1; n <= COUNT_MAX; n += quick() ? 12 : 3) {
            for (size_t i = 0; i < n; i++)
                inputs[i] = place(i, 64 * blocks + n % 2);
            check_list(s, &pleach__blake3_unkeyed, n);
        }
}

static void list_of_every_size(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    const size_t n = quick() ? 200 : LONGEST + 1;
    for (size_t i = 0; i < n; i++) {
        const size_t other = random_below(i + 1);
        inputs[i] = inputs[other];
        inputs[other] = place(i, i * LONGEST / (n - 1));
    }
    check_list(s, &pleach__blake3_unkeyed, n);
    check_list(s, &keyed, n);
}

static void list_of_several_batches(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    const size_t n = quick() ? PLEACH__LIST_BATCH + 5 : LIST_MAX;
    for (size_t i = 0; i < n; i++)
        inputs[i] = place(i, i % 1000 == 7 ? CHUNK + i : random_below(200));
    check_list(s, &pleach__blake3_unkeyed, n);
}

/* A state that is not zero, so that carries show, and its limbs. */
static void begin_state(uint32_t *words, uint16_t limbs[LIMBS])
{
    fill_stream((uint8_t *)words, WORDS * sizeof *words);
    pleach__blake3_reference_limbs(words, limbs);
}

static void check_state(const uint32_t *words, const uint16_t want[LIMBS], size_t first, size_t n)
{
    uint16_t got[LIMBS];
    pleach__blake3_reference_limbs(words, got);
    for (size_t i = 0; i < LIMBS; i++)
        if (got[i] != want[i])
            fail_msg("roots %zu to %zu: limb %zu differs", first, first + n, i);
}

/* Adds or subtracts n roots, of `inputs` from `first` on, twice: to a state that begins behind memory that must not be
   touched, and to one that ends before such memory; the roots do likewise. */
static void check_sum(const subject *s, size_t first, size_t n, bool subtract)
{
    const size_t size = WORDS * sizeof(uint32_t);
    guarded states = guarded_stream(size), some = guarded_stream(n * sizeof *roots);
    uint16_t want[LIMBS];
    begin_state((uint32_t *)states.first, want);
    for (size_t i = first; i < first + n; i++)
        pleach__blake3_reference_lthash(&keyed, inputs[i].bytes, inputs[i].size, subtract, want);
    uint8_t *const to[] = {states.first, (uintptr_t)states.last % 64 ? states.first : states.last}, *const from[] = {
                                                                                                        some.last,
                                                                                                        some.first};
    for (int i = 0; i < 2; i++) {
        /* an emulator's guard may leave no aligned place */
        pleach__blake3_root *at = (uintptr_t)from[i] % _Alignof(pleach__blake3_root) ? &roots[first] : (void *)from[i];
        uint32_t *words = (uint32_t *)to[i];
        uint16_t begin[LIMBS];
        begin_state(words, begin);
        if (n > 0)
            memmove(at, &roots[first], n * sizeof *at);
        backend_of(s)->lthash(at, n, subtract, words);
        check_state(words, want, first, n);
        backend_of(s)->lthash(at, n, !subtract, words);
        check_state(words, begin, first, n);
    }
    guarded_free(&some);
    guarded_free(&states);
}

static void sums_of_every_count(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    for (size_t i = 0; i < COUNT_MAX; i++)
        inputs[i] = place(i, random_below(300));
    pleach__blake3_roots_list(backend_of(s), &keyed, inputs, COUNT_MAX, roots);
    for (size_t n = 0; n <= COUNT_MAX; n += n >= 4 && quick() ? 15 : 1)
        check_sum(s, n / 3, n - n / 3, n % 2);
}

static void sums_of_every_size(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    const size_t count = quick() ? 100 : LONGEST + 1;
    for (size_t i = 0; i < count; i++)
        inputs[i] = place(i, i * LONGEST / (count - 1));
    pleach__blake3_roots_list(backend_of(s), &keyed, inputs, count, roots);
    for (size_t first = 0, n; first < count; first += n) {
        n = random_below(quick() ? 50 : 12);
        n = n < count - first ? n : count - first;
        check_sum(s, first, n, n % 2);
    }
}

static void sum_of_a_long_input(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    inputs[0] = place(0, LONG);
    inputs[1] = place(1, 33);
    inputs[2] = place(2, LONG);
    check_list(s, &keyed, 3);
    check_sum(s, 0, 3, false);
}

/* Faults that the probe must catch, over the portable code. */
static void adds_only(const pleach__blake3_root *of, size_t n, bool subtract, uint32_t *words)
{
    (void)subtract;
    pleach__blake3_portable.lthash(of, n, false, words);
}

static void skips_the_last(const pleach__blake3_root *of, size_t n, bool subtract, uint32_t *words)
{
    pleach__blake3_portable.lthash(of, n > 2 ? n - 1 : n, subtract, words);
}

static void swaps_blocks(const pleach__blake3_root *of, size_t n, bool subtract, uint32_t *words)
{
    pleach__blake3_portable.lthash(of, n, subtract, words);
    for (size_t w = 0; w < 16; w++) {
        const uint32_t word = words[16 * w + 3];
        words[16 * w + 3] = words[16 * w + 12];
        words[16 * w + 12] = word;
    }
}

static void carries_over(const pleach__blake3_root *of, size_t n, bool subtract, uint32_t *words)
{
    uint32_t sum[WORDS] = {0};
    pleach__blake3_portable.lthash(of, n, false, sum);
    for (size_t w = 0; w < WORDS; w++)
        words[w] += subtract ? 0 - sum[w] : sum[w];
}

static void swaps_roots(const pleach__blake3_mode *mode, const pleach_input *of, size_t n, pleach__blake3_root *to)
{
    pleach__blake3_portable.roots_list(mode, of, n, to);
    if (n > 30) {
        const pleach__blake3_root root = to[12];
        to[12] = to[30];
        to[30] = root;
    }
}

static void forgets_the_key(const pleach__blake3_mode *mode, const pleach_input *of, size_t n, pleach__blake3_root *to)
{
    pleach__blake3_portable.roots_list(mode, of, n, to);
    for (size_t i = 0; i < n; i++)
        if (of[i].size > CHUNK)
            pleach__blake3_portable.roots_list(&pleach__blake3_unkeyed, &of[i], 1, &to[i]);
}

static void probe_catches_each_fault(void **state)
{
    (void)state;
    pleach__blake3_backend fakes[6];
    for (size_t i = 0; i < 6; i++)
        fakes[i] = pleach__blake3_portable;
    assert_true(pleach__probe(&pleach__blake3, &fakes[0].hashes));
    fakes[0].lthash = adds_only;
    fakes[1].lthash = skips_the_last;
    fakes[2].lthash = swaps_blocks;
    fakes[3].lthash = carries_over;
    fakes[4].roots_list = swaps_roots;
    fakes[5].roots_list = forgets_the_key;
    for (size_t i = 0; i < 6; i++)
        if (pleach__probe(&pleach__blake3, &fakes[i].hashes))
            fail_msg("fault %zu was not caught", i);
}

int run_lthash_tests(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(probe_catches_each_fault)};
    const pleach__family *f = &pleach__blake3;
    memory = guarded_stream(LONG);
    const int failed = RUN_GROUP(tests) + run_for_family(f, "lists of every count", lists_of_every_count) +
                       run_for_family(f, "list of one size", list_of_one_size) +
                       run_for_family(f, "list of every size", list_of_every_size) +
                       run_for_family(f, "list of several batches", list_of_several_batches) +
                       run_for_family(f, "sums of every count", sums_of_every_count) +
                       run_for_family(f, "sums of every size", sums_of_every_size) +
                       run_for_family(f, "sum of a long input", sum_of_a_long_input);
    guarded_free(&memory);
    return failed;
}
