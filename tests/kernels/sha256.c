/* Known answers of SHA-256, and what only it has. */
#include "kernels_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWERS_MAX = 80, INPUT_MAX = 112, LINE_SIZE = 512 };

typedef struct answer {
    pleach__hash_form form;
    uint8_t in[INPUT_MAX];
    uint8_t digest[DIGEST];
} answer;

static answer answers[ANSWERS_MAX];
static size_t answer_count;

/* FIPS 180-4 and its examples; the last one is of a million letters. */
static const struct {
    const char *in, *digest;
} examples[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
     "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
};
static const char a_million_times[] = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

/* Appends the bytes of a hexadecimal text up to its end or a blank; returns how many there are then. */
static size_t read_hex(const char *text, uint8_t *bytes, size_t count)
{
    for (unsigned byte; count < INPUT_MAX && sscanf(text, "%2x", &byte) == 1 && *text != ' '; text += 2)
        bytes[count++] = (uint8_t)byte;
    return count;
}

static answer *add_answer(int prefix, bool twice, const char *digest)
{
    answer *a = &answers[answer_count++];
    assert_in_range(answer_count, 1, ANSWERS_MAX);
    *a = (answer){.form = form_of(0, 0, prefix, twice)};
    assert_int_equal(read_hex(digest, a->digest, 0), DIGEST);
    return a;
}

/* A line of the vector file, if it is about one hash. */
static void read_line(const char *line)
{
    static uint8_t zero_hash[DIGEST];
    char left[LINE_SIZE], right[LINE_SIZE], digest[LINE_SIZE];
    unsigned byte;
    if (sscanf(line, "rfc6962.leafhash %s %s", left, digest) == 2) {
        answer *a = add_answer(0, false, digest);
        a->form.size = read_hex(left, a->in, 0);
    } else if (sscanf(line, "rfc6962.nodehash %s %s %s", left, right, digest) == 3) {
        answer *a = add_answer(1, false, digest);
        a->form.size = read_hex(right, a->in, read_hex(left, a->in, 0));
    } else if (sscanf(line, "sha256.64 %2x*64 %s", &byte, digest) == 2) {
        answer *a = add_answer(PLEACH__NO_PREFIX, false, digest);
        memset(a->in, (int)byte, a->form.size = 64);
    } else if (sscanf(line, "sha256.65 01|%2x*64 %s", &byte, digest) == 2) {
        answer *a = add_answer(1, false, digest);
        memset(a->in, (int)byte, a->form.size = 64);
    } else if (sscanf(line, "sha256d.64 %2x*64 %s", &byte, digest) == 2) {
        answer *a = add_answer(PLEACH__NO_PREFIX, true, digest);
        memset(a->in, (int)byte, a->form.size = 64);
    } else if (sscanf(line, "ssz.zerohash %*u %s", digest) == 1) { /* each is that of the one before, twice */
        answer *a = add_answer(PLEACH__NO_PREFIX, false, digest);
        memcpy(a->in, zero_hash, DIGEST);
        memcpy(a->in + DIGEST, zero_hash, DIGEST);
        memcpy(zero_hash, a->digest, DIGEST);
        a->form.size = 2 * DIGEST;
        if (strncmp(line, "ssz.zerohash 0 ", 15) == 0)
            answer_count--;
    }
}

static int read_answers(void **state)
{
    char path[4096], line[LINE_SIZE];
    const char *folder = getenv("PLEACH_VECTORS");
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        answer *a = add_answer(PLEACH__NO_PREFIX, false, examples[i].digest);
        memcpy(a->in, examples[i].in, a->form.size = strlen(examples[i].in));
    }
    (void)snprintf(path, sizeof path, "%s/sha256-merkle.txt", folder && *folder ? folder : PLEACH_VECTORS);
    FILE *file = fopen(path, "r");
    if (!file) {
        print_error("%s cannot be opened\n", path);
        return -1;
    }
    while (fgets(line, sizeof line, file))
        read_line(line);
    return fclose(file);
}

static void reference_has_known_answers(void **state)
{
    uint8_t digest[DIGEST];
    (void)state;
    assert_int_equal(answer_count, sizeof examples / sizeof *examples + 5 + 48);
    for (const answer *a = answers; a < answers + answer_count; a++) {
        pleach__sha256.reference(&a->form, a->in, digest);
        assert_memory_equal(digest, a->digest, DIGEST);
    }
}

static void repeat(uint8_t *out, const uint8_t digest[DIGEST], size_t n)
{
    for (size_t i = 0; i < n; i++)
        memcpy(out + DIGEST * i, digest, DIGEST);
}

static void backend_has_known_answers(void **state)
{
    static const size_t counts[] = {1, 2, 7, COUNT_MAX};
    static uint8_t want[COUNT_MAX * DIGEST];
    const subject *s = *state;
    skip_unless_usable(s);
    for (const answer *a = answers; a < answers + answer_count; a++) {
        repeat(want, a->digest, COUNT_MAX);
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            check_many(s, &a->form, a->in, 0, counts[i], want);
    }
}

static void backend_hashes_a_million_letters(void **state)
{
    enum { MILLION = 1000000 };
    static uint8_t in[MILLION], want[LANES_MAX * DIGEST];
    const subject *s = *state;
    skip_unless_usable(s);
    uint8_t digest[INPUT_MAX];
    const pleach__hash_form form = form_of(MILLION, 0, PLEACH__NO_PREFIX, false);
    memset(in, 'a', sizeof in);
    assert_int_equal(read_hex(a_million_times, digest, 0), DIGEST);
    repeat(want, digest, LANES_MAX);
    check_many(s, &form, in, 0, quick() ? s->backend->lanes : LANES_MAX, want);
}

/* Every value of the one byte that varies in the second block of a prefixed node. */
static void backend_knows_every_last_byte(void **state)
{
    static uint8_t in[64 * COUNT_MAX], want[COUNT_MAX * DIGEST];
    const subject *s = *state;
    skip_unless_usable(s);
    const pleach__hash_form form = form_of(64, 0, 1, false);
    fill_stream(in, sizeof in);
    for (unsigned byte = 0; byte < 256; byte += COUNT_MAX) {
        for (unsigned i = 0; i < COUNT_MAX; i++)
            in[64 * i + 63] = (uint8_t)(byte + i);
        reference_many(&pleach__sha256, &form, in, 64, COUNT_MAX, want);
        check_many(s, &form, in, 64, COUNT_MAX, want);
    }
}

#if defined(__x86_64__)
#include <cpuid.h>

enum { UPPER_HALVES = 0x44 }; /* XINUSE: YMM_Hi128 and ZMM_Hi256 */

static void skip_unless_state_in_use_is_readable(void)
{
    unsigned a = 0, b, c, d;
    if (pleach__cpu_features()->avx2 && __get_cpuid_count(13, 1, &a, &b, &c, &d) && a & 4)
        return;
    printf("SKIPPED: this host does not tell which register state is in use\n");
    skip();
}

static unsigned upper_halves_in_use(void)
{
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
    return low & UPPER_HALVES;
}

/* A legacy-encoded instruction, of the host as well as of SHA-NI code, is slow while they are dirty. */
static void backend_leaves_upper_halves_clean(void **state)
{
    static const size_t sizes[] = {0, 32, 64, 100}, counts[] = {1, 4, 6, 16, COUNT_MAX};
    static uint8_t in[100 * COUNT_MAX], out[COUNT_MAX * DIGEST], nodes[32 * DIGEST];
    const subject *s = *state;
    skip_unless_usable(s);
    skip_unless_state_in_use_is_readable();
    pleach__hash_plan plan, node;
    const pleach__hash_form node_form = form_of(64, 0, 1, false);
    assert_true(plan_of(&pleach__sha256, &node_form, &node));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int prefix = PLEACH__NO_PREFIX; prefix <= 0; prefix++) {
            const pleach__hash_form form = form_of(sizes[i], 0, prefix, false);
            assert_true(plan_of(&pleach__sha256, &form, &plan));
            for (size_t j = 0; j < sizeof counts / sizeof *counts; j++) {
                s->backend->hash_many(&plan, in, sizes[i], counts[j], out);
                assert_int_equal(upper_halves_in_use(), 0);
            }
            uint8_t *level[6] = {[5] = nodes};
            const pleach__fold fold = {&plan, &node, in, sizes[i], 5, level};
            s->backend->fold(&fold);
            assert_int_equal(upper_halves_in_use(), 0);
        }
    }
}

static void shani_cleans_upper_halves_first(void **state)
{
    static uint8_t in[64], out[DIGEST];
    subject s = {&pleach__sha256, NULL};
    (void)state;
    for (const pleach__backend *const *b = pleach__sha256.backends; *b; b++)
        if (strcmp((*b)->name, "shani") == 0)
            s.backend = *b;
    assert_non_null(s.backend);
    skip_unless_usable(&s);
    skip_unless_state_in_use_is_readable();
    pleach__hash_plan plan;
    const pleach__hash_form form = form_of(64, 0, PLEACH__NO_PREFIX, false);
    assert_true(plan_of(&pleach__sha256, &form, &plan));
    __asm__ volatile("vpcmpeqd %%ymm7, %%ymm7, %%ymm7" ::: "xmm7");
    assert_int_not_equal(upper_halves_in_use(), 0);
    s.backend->hash_many(&plan, in, 64, 1, out);
    assert_int_equal(upper_halves_in_use(), 0);
}
#endif

static void refuses_padded_rows_and_odd_prefixes(void **state)
{
    pleach__hash_plan plan, before;
    (void)state;
    memset(&plan, CANARY, sizeof plan);
    before = plan;
    const pleach__hash_form padded = form_of(64, 8, PLEACH__NO_PREFIX, false);
    assert_int_equal(pleach__sha256.plan(&plan, &padded), PLEACH_EINVAL);
    assert_non_null(strstr(pleach_last_error(), "zeros"));
    assert_non_null(strstr(pleach_last_error(), "sha256"));
    for (int i = 0; i < 2; i++) {
        const pleach__hash_form prefixed = form_of(64, 0, i ? 256 : -2, false);
        assert_int_equal(pleach__sha256.plan(&plan, &prefixed), PLEACH_EINVAL);
        assert_non_null(strstr(pleach_last_error(), i ? "256" : "-2"));
    }
    assert_memory_equal(&plan, &before, sizeof plan);
}

static void refuses_lengths_beyond_64_bits(void **state)
{
#if SIZE_MAX >= 1ull << 61
    static const size_t too_long[] = {((size_t)1 << 61) - 1, (size_t)1 << 61, SIZE_MAX};
    pleach__hash_plan plan, before;
    (void)state;
    for (int prefix = PLEACH__NO_PREFIX; prefix <= 0; prefix++) {
        const pleach__hash_form longest = form_of(too_long[0] - 1, 0, prefix, false);
        assert_int_equal(pleach__sha256.plan(&plan, &longest), PLEACH_OK);
        before = plan;
        for (size_t i = 0; i < sizeof too_long / sizeof *too_long; i++) {
            const pleach__hash_form form = form_of(too_long[i], 0, prefix, false);
            assert_int_equal(pleach__sha256.plan(&plan, &form), PLEACH_ERANGE);
            assert_non_null(strstr(pleach_last_error(), "size"));
            assert_memory_equal(&plan, &before, sizeof plan);
        }
    }
#else
    (void)state;
    printf("SKIPPED: no object of this host is so long\n");
    skip();
#endif
}

int run_sha256_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_has_known_answers),
#if defined(__x86_64__)
        cmocka_unit_test(shani_cleans_upper_halves_first),
#endif
        cmocka_unit_test(refuses_padded_rows_and_odd_prefixes),
        cmocka_unit_test(refuses_lengths_beyond_64_bits)
    };
    int failed = cmocka_run_group_tests(tests, read_answers, NULL);
    failed += run_for_family(&pleach__sha256, "known answers", backend_has_known_answers);
    failed += run_for_family(&pleach__sha256, "a million letters", backend_hashes_a_million_letters);
    failed += run_for_family(&pleach__sha256, "every last byte", backend_knows_every_last_byte);
#if defined(__x86_64__)
    failed += run_for_family(&pleach__sha256, "upper halves", backend_leaves_upper_halves_clean);
#endif
    return failed;
}
