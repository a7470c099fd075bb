/* What only BLAKE3 has: modes, inputs of many chunks, output of any length from anywhere. */
#include "kernels_test.h"

#include "kernels/blake3.h"
#include "kernels/blake3/blake3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = PLEACH__BLAKE3_BLOCK, CHUNK = PLEACH__BLAKE3_CHUNK, GROUP_BYTES = 16 * BLOCK, MODES = 4 };

static const char key[] = "whats the Elvish word for friend",
                  context[] = "BLAKE3 2019-12-27 16:29:52 test vectors context";

static const pleach__blake3_backend *backend_of(const subject *s)
{
    return (const pleach__blake3_backend *)s->backend;
}

/* Made without what is tested. */
static pleach__blake3_mode mode_of(int i)
{
    static const uint32_t flags[MODES] = {0, BLAKE3_KEYED_HASH, BLAKE3_DERIVE_KEY_CONTEXT, BLAKE3_DERIVE_KEY_MATERIAL};
    pleach__blake3_mode mode = pleach__blake3_unkeyed;
    for (int w = 0; w < 8 && flags[i] & (BLAKE3_KEYED_HASH | BLAKE3_DERIVE_KEY_MATERIAL); w++)
        mode.key[w] += 0x01234567u * (uint32_t)(w + i);
    mode.flags = flags[i];
    return mode;
}

/* Opens a file of vectors. */
static FILE *open_vectors(const char *name)
{
    char path[4096];
    const char *folder = getenv("PLEACH_VECTORS");
    (void)snprintf(path, sizeof path, "%s/%s", folder && *folder ? folder : PLEACH_VECTORS, name);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s cannot be opened", path);
    return file;
}

static size_t from_hex(const char *text, uint8_t *bytes, size_t capacity)
{
    size_t size = 0;
    for (unsigned byte; size < capacity && sscanf(text + 2 * size, "%2x", &byte) == 1; size++)
        bytes[size] = (uint8_t)byte;
    return size;
}

static uint8_t *pattern(size_t size)
{
    uint8_t *bytes = test_malloc(size + 1);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(i % 251);
    return bytes;
}

/* Through the reference and through the public calls. */
static void check_answer(const pleach_kernels *kernels, const char *mode, const uint8_t *in, size_t size,
                         const uint8_t *want, size_t want_size)
{
    uint8_t got[256];
    pleach__blake3_mode m = pleach__blake3_unkeyed;
    memset(got, CANARY, sizeof got);
    if (strcmp(mode, "hash") == 0) {
        assert_int_equal(pleach_blake3_hash(kernels, in, size, 0, got, want_size), PLEACH_OK);
    } else if (strcmp(mode, "keyed_hash") == 0) {
        m = pleach__blake3_keyed((const uint8_t *)key);
        assert_int_equal(pleach_blake3_keyed(kernels, (const uint8_t *)key, in, size, 0, got, want_size), PLEACH_OK);
    } else {
        assert_string_equal(mode, "derive_key");
        m = pleach__blake3_deriving((const uint8_t *)context, sizeof context - 1);
        assert_int_equal(pleach_blake3_derive_key(kernels, (const uint8_t *)context, sizeof context - 1, in, size, 0,
                                                  got, want_size),
                         PLEACH_OK);
    }
    assert_memory_equal(got, want, want_size);
    assert_int_equal(got[want_size], CANARY);
    pleach__blake3_reference_output(&m, in, size, 0, got, want_size);
    assert_memory_equal(got, want, want_size);
}

static void published_answers(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    pleach_kernels kernels = {{NULL}};
    char line[512], mode[16], hex[400];
    size_t size, count = 0;
    FILE *file = open_vectors("blake3.txt");
    kernels.backend[PLEACH_BLAKE3] = s->backend;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "%zu %15s %399s", &size, mode, hex) == 3) {
            uint8_t want[131];
            uint8_t *in = pattern(size);
            assert_int_equal(from_hex(hex, want, sizeof want), sizeof want);
            check_answer(&kernels, mode, in, size, want, sizeof want);
            test_free(in);
            count++;
        }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(count, 3 * 35);
}

/* Two kilobytes of output of each of LtHash's patterns: its begin, its end, and a digest of all of it. */
static void long_outputs(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    const pleach__blake3_backend *b = backend_of(s);
    static char line[8192];
    static uint8_t out[2048];
    char hex[200];
    size_t size, count = 0;
    bool wanted = false;
    FILE *file = open_vectors("lthash.txt");
    while (fgets(line, sizeof line, file)) {
        uint8_t want[BLOCK], digest[DIGEST];
        if (line[0] != ' ')
            wanted = sscanf(line, "H(pat[%zu])", &size) == 1;
        if (!wanted)
            continue;
        if (line[0] != ' ') {
            pleach__blake3_root root;
            uint8_t *in = pattern(size);
            b->roots(&pleach__blake3_unkeyed, in, size, 0, 1, &root);
            pleach__blake3_output(b, &root, 0, out, sizeof out);
            test_free(in);
        } else if (sscanf(line, " blake3 %199s", hex) == 1) {
            const pleach__hash_form form = form_of(sizeof out, 0, PLEACH__NO_PREFIX, false);
            pleach__blake3_reference(&form, out, digest);
            assert_int_equal(from_hex(hex, want, DIGEST), DIGEST);
            assert_memory_equal(digest, want, DIGEST);
            count++;
        } else if (sscanf(line, " first64 %199s", hex) == 1) {
            assert_int_equal(from_hex(hex, want, BLOCK), BLOCK);
            assert_memory_equal(out, want, BLOCK);
        } else if (sscanf(line, " last16 %199s", hex) == 1) {
            assert_int_equal(from_hex(hex, want, 16), 16);
            assert_memory_equal(out + sizeof out - 16, want, 16);
        }
    }
    assert_int_equal(fclose(file), 0);
    assert_in_range(count, 20, 40);
}

static void refuse(const pleach__hash_form *form, pleach_status status, const char *name)
{
    pleach__hash_plan plan, before;
    memset(&plan, CANARY, sizeof plan);
    before = plan;
    assert_int_equal(pleach__blake3.plan(&plan, form), status);
    assert_non_null(strstr(pleach_last_error(), name));
    assert_memory_equal(&plan, &before, sizeof plan);
}

static void refuses_rules_it_has_not(void **state)
{
    (void)state;
    refuse(&(pleach__hash_form){64, 1, PLEACH__NO_PREFIX, false}, PLEACH_EINVAL, "zeros = 1: blake3");
    refuse(&(pleach__hash_form){64, 0, 0, false}, PLEACH_EINVAL, "prefix = 0: blake3");
    refuse(&(pleach__hash_form){64, 0, PLEACH__NO_PREFIX, true}, PLEACH_EINVAL, "twice = true: blake3");
    refuse(&(pleach__hash_form){(size_t)PTRDIFF_MAX + 1, 0, PLEACH__NO_PREFIX, false}, PLEACH_ERANGE, "size = ");
    refuse(&(pleach__hash_form){SIZE_MAX, 0, PLEACH__NO_PREFIX, false}, PLEACH_ERANGE, "size = ");
}

/* The roots of n inputs, compared by the output they give: 40 bytes, so that no half of the chaining value is left out.
 */
static void check_roots(const subject *s, const pleach__blake3_mode *mode, const uint8_t *in, size_t size,
                        size_t stride, size_t n, const uint8_t *want)
{
    static pleach__blake3_root roots[COUNT_MAX + 1];
    memset(roots, CANARY, sizeof roots);
    const pleach__blake3_root canary = roots[0];
    backend_of(s)->roots(mode, in, size, stride, n, roots);
    assert_memory_equal(&roots[n], &canary, sizeof canary);
    for (size_t i = 0; i < n; i++) {
        uint8_t got[40];
        pleach__blake3_output(&pleach__blake3_portable, &roots[i], 0, got, sizeof got);
        if (memcmp(got, want + 40 * i, sizeof got) != 0)
            fail_msg("size %zu flags %u stride %zu n %zu: root %zu differs", size, mode->flags, stride, n, i);
    }
}

/* Inputs that end before memory that must not be touched, and that begin behind such memory. */
static void check_counts(const subject *s, const pleach__blake3_mode *mode, size_t size, size_t stride, size_t most,
                         size_t step)
{
    static uint8_t want[COUNT_MAX * 40];
    guarded g = guarded_stream((most - 1) * stride + size);
    for (size_t i = 0; i < most; i++)
        pleach__blake3_reference_output(mode, g.first + i * stride, size, 0, want + 40 * i, 40);
    for (size_t n = 0; n <= most; n = n + step > most && n < most ? most : n + step) {
        check_roots(s, mode, g.first, size, stride, n, want);
        check_roots(s, mode, g.last + (most - n) * stride, size, stride, n, want + (most - n) * 40);
    }
    guarded_free(&g);
}

static void every_mode_and_length(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    for (int i = 0; i < MODES; i++) {
        const pleach__blake3_mode mode = mode_of(i);
        for (size_t size = 0; size <= 300; size += quick() ? 13 : 1)
            check_counts(s, &mode, size, size + 1, 3, 1);
        for (size_t size = 320; size <= 1100; size = size % 64 == 9 ? size + 46 : size + 1)
            if (!quick() || size % 7 == 0)
                check_counts(s, &mode, size, size, 2, 1);
    }
}

static void every_chunk_count(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    for (size_t chunks = 1; chunks <= 70; chunks += quick() ? 5 : 1) {
        const pleach__blake3_mode mode = mode_of((int)(chunks % MODES));
        for (size_t size = chunks * CHUNK - 1; size <= chunks * CHUNK + 1; size++)
            check_counts(s, &mode, size, size, 1, 1);
        check_counts(s, &mode, chunks * CHUNK - 500, 0, 1, 1);
    }
}

static void large_inputs(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    static const size_t sizes[] = {128 * CHUNK, 128 * CHUNK + 1,   257 * CHUNK - 3,
                                   1 << 20,     (1 << 20) + 70000, (33 << 20) + 12345};
    const pleach__blake3_mode mode = mode_of(1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes - (quick() ? 1 : 0); i++)
        check_counts(s, &mode, sizes[i], 0, 1, 1);
}

static void many_inputs(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    static const size_t sizes[] = {0,    1,    63,   64,   65,        128,           129,       1000,          1023,
                                   1024, 1025, 2048, 2049, 3 * CHUNK, 5 * CHUNK + 7, 8 * CHUNK, 17 * CHUNK - 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const pleach__blake3_mode mode = mode_of((int)(i % MODES));
        const bool whole = sizes[i] <= 2049 && !quick();
        check_counts(s, &mode, sizes[i], sizes[i] + i % 3, COUNT_MAX, whole ? 1 : 6);
        check_counts(s, &mode, sizes[i], i * 5, COUNT_MAX, whole ? 4 : 16);
    }
    const pleach__blake3_mode mode = mode_of(3);
    for (size_t chunks = 2; chunks <= 8 * LANES_MAX + 1; chunks += chunks < 40 && !quick() ? 1 : 30)
        check_counts(s, &mode, chunks * CHUNK - 9, chunks, LANES_MAX, 5);
}

/* Roots of one block, of some blocks, of some chunks. */
static pleach__blake3_root root_of(int i, const pleach__blake3_mode *mode, const uint8_t **in, size_t *size)
{
    static const size_t sizes[] = {0, 50, 64, 700, 3000};
    static uint8_t bytes[3000];
    pleach__blake3_root root;
    fill_stream(bytes, sizeof bytes);
    *in = bytes;
    *size = sizes[i];
    pleach__blake3_portable.roots(mode, bytes, sizes[i], 0, 1, &root);
    return root;
}

static void check_output(const subject *s, const pleach__blake3_mode *mode, const pleach__blake3_root *root,
                         const uint8_t *in, size_t in_size, uint64_t offset, size_t size)
{
    static uint8_t got[5000], want[5000];
    memset(got, CANARY, sizeof got);
    assert_in_range(size, 0, sizeof got - 2);
    pleach__blake3_output(backend_of(s), root, offset, got + 1, size);
    pleach__blake3_reference_output(mode, in, in_size, offset, want, size);
    if (memcmp(got + 1, want, size) != 0 || got[0] != CANARY || got[size + 1] != CANARY)
        fail_msg("input of %zu, offset %llu size %zu: output differs", in_size, (unsigned long long)offset, size);
}

static const uint64_t far_blocks[] = {0,
                                      1,
                                      7,
                                      16,
                                      UINT32_MAX - 40,
                                      UINT32_MAX - 16,
                                      UINT32_MAX - 15,
                                      UINT32_MAX - 1,
                                      UINT32_MAX,
                                      1ull << 32,
                                      (1ull << 40) - 5,
                                      (1ull << 58) - 60};

enum { FAR_BLOCKS = sizeof far_blocks / sizeof *far_blocks };

static void output_from_anywhere(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    for (int i = 0; i < 5; i++) {
        const pleach__blake3_mode mode = mode_of(i % MODES);
        const uint8_t *in;
        size_t in_size;
        const pleach__blake3_root root = root_of(i, &mode, &in, &in_size);
        for (size_t size = 0; size <= 200; size += 1 + size / 20)
            for (uint64_t offset = 0; offset <= 130; offset += quick() ? 31 : 3)
                check_output(s, &mode, &root, in, in_size, offset, size);
        for (size_t size = 960; size <= 4000; size += quick() ? 911 : 61)
            check_output(s, &mode, &root, in, in_size, 0, size);
        for (size_t f = 0; f < FAR_BLOCKS; f++)
            for (size_t size = 0; size <= 3000; size += quick() ? 999 : 333)
                check_output(s, &mode, &root, in, in_size, far_blocks[f] * BLOCK + size % 5 * 13, size);
    }
    const pleach__blake3_mode mode = mode_of(0);
    const uint8_t *in;
    size_t in_size;
    const pleach__blake3_root root = root_of(1, &mode, &in, &in_size);
    check_output(s, &mode, &root, in, in_size, UINT64_MAX - 100, 100);
}

static void output_word_by_word(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    enum { GROUPS = 3, WORDS = GROUPS * GROUP_BYTES / 4 };
    static uint32_t words[WORDS + 1];
    static uint8_t want[GROUPS * GROUP_BYTES], got[sizeof want];
    for (int i = 0; i < 5; i++) {
        const pleach__blake3_mode mode = mode_of(i % MODES);
        const uint8_t *in;
        size_t in_size;
        const pleach__blake3_root root = root_of(i, &mode, &in, &in_size);
        for (size_t f = 0; f < FAR_BLOCKS; f++) {
            pleach__blake3_reference_output(&mode, in, in_size, far_blocks[f] * BLOCK, want, sizeof want);
            for (size_t groups = 0; groups <= GROUPS; groups++) {
                memset(words, CANARY, sizeof words);
                const uint32_t canary = words[0];
                backend_of(s)->xof_groups(&root, far_blocks[f], groups, words);
                for (size_t at = 0; at < groups * GROUP_BYTES; at++) {
                    const size_t block = at / BLOCK, word = at % BLOCK / 4;
                    got[at] = (uint8_t)(words[256 * (block / 16) + 16 * word + block % 16] >> (8 * (at % 4)));
                }
                assert_memory_equal(got, want, groups * GROUP_BYTES);
                assert_int_equal(words[groups * GROUP_BYTES / 4], canary);
            }
        }
    }
}

/* Subtrees so far into an input that the numbers of their chunks take more than 32 bits, or are about to. */
static void far_subtrees(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    static const uint64_t numbers[] = {0, 64, (1ull << 32) - 64, 1ull << 32, (1ull << 40) + 128, (1ull << 54) - 64};
    static const size_t sizes[] = {1,          CHUNK,          3000,           15 * CHUNK - 1, 16 * CHUNK,
                                   17 * CHUNK, 32 * CHUNK + 5, 33 * CHUNK - 1, 64 * CHUNK};
    const pleach__blake3_mode mode = mode_of(1);
    static uint8_t in[64 * CHUNK];
    fill_stream(in, sizeof in);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
            uint32_t got[9], want[8];
            memset(got, CANARY, sizeof got);
            const uint32_t canary = got[8];
            backend_of(s)->chain(&mode, in, sizes[j], numbers[i], got);
            pleach__blake3_reference_chain(&mode, in, sizes[j], numbers[i], want);
            assert_memory_equal(got, want, sizeof want);
            assert_int_equal(got[8], canary);
        }
}

/* A leaf of several chunks under a tree. */
static void fold_of_long_leaves(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    enum { HEIGHT = 5, SIZE = 1500 };
    const pleach__hash_form leaf_form = form_of(SIZE, 0, PLEACH__NO_PREFIX, false),
                            node_form = form_of(BLOCK, 0, PLEACH__NO_PREFIX, false);
    static uint8_t leaves[SIZE << HEIGHT], nodes[DIGEST << HEIGHT];
    uint8_t root[DIGEST], *level[HEIGHT + 1] = {NULL};
    pleach__hash_plan leaf, node;
    fill_stream(leaves, sizeof leaves);
    reference_many(&pleach__blake3, &leaf_form, leaves, SIZE, 1 << HEIGHT, nodes);
    for (size_t n = 1 << HEIGHT >> 1; n > 0; n /= 2)
        for (size_t i = 0; i < n; i++)
            pleach__blake3.reference(&node_form, nodes + BLOCK * i, nodes + DIGEST * i);
    assert_true(plan_of(s->family, &leaf_form, &leaf) && plan_of(s->family, &node_form, &node));
    level[HEIGHT] = root;
    s->backend->fold(&(pleach__fold){&leaf, &node, leaves, SIZE, HEIGHT, level});
    assert_memory_equal(root, nodes, DIGEST);
}

static void expect(pleach_status status, pleach_status expected, const char *text)
{
    assert_int_equal(status, expected);
    if (!strstr(pleach_last_error(), text))
        fail_msg("\"%s\" does not say \"%s\"", pleach_last_error(), text);
}

static void calls_refuse(void **state)
{
    (void)state;
    const size_t huge = (size_t)PTRDIFF_MAX + 1;
    uint8_t in[8] = {0}, out[8], before[sizeof out];
    memset(out, CANARY, sizeof out);
    memcpy(before, out, sizeof out);
    expect(pleach_blake3_hash(NULL, NULL, 1, 0, out, 8), PLEACH_EINVAL, "in = NULL");
    expect(pleach_blake3_hash(NULL, in, 8, 0, NULL, 1), PLEACH_EINVAL, "out = NULL");
    expect(pleach_blake3_hash(NULL, in, huge, 0, out, 8), PLEACH_ERANGE, "in: ");
    expect(pleach_blake3_hash(NULL, in, 8, 0, out, huge), PLEACH_ERANGE, "out: ");
    expect(pleach_blake3_hash(NULL, in, 8, UINT64_MAX, out, 1), PLEACH_ERANGE, "offset = 18446744073709551615");
    expect(pleach_blake3_keyed(NULL, NULL, in, 8, 0, out, 8), PLEACH_EINVAL, "key = NULL");
    expect(pleach_blake3_derive_key(NULL, NULL, 1, in, 8, 0, out, 8), PLEACH_EINVAL, "context = NULL");
    expect(pleach_blake3_derive_key(NULL, in, huge, in, 8, 0, out, 8), PLEACH_ERANGE, "context: ");
    assert_memory_equal(out, before, sizeof out);
    assert_int_equal(pleach_blake3_hash(NULL, in, 8, UINT64_MAX, NULL, 0), PLEACH_OK);
    assert_int_equal(pleach_blake3_hash(NULL, in, 8, UINT64_MAX - 8, out, 8), PLEACH_OK);
    assert_int_equal(pleach_blake3_derive_key(NULL, NULL, 0, NULL, 0, 0, out, 8), PLEACH_OK);
}

int run_blake3_tests(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refuses_rules_it_has_not), cmocka_unit_test(calls_refuse)};
    const pleach__family *f = &pleach__blake3;
    return RUN_GROUP(tests) + run_for_family(f, "published answers", published_answers) +
           run_for_family(f, "long outputs", long_outputs) +
           run_for_family(f, "every mode and length", every_mode_and_length) +
           run_for_family(f, "every chunk count", every_chunk_count) + run_for_family(f, "large inputs", large_inputs) +
           run_for_family(f, "many inputs", many_inputs) +
           run_for_family(f, "output from anywhere", output_from_anywhere) +
           run_for_family(f, "output word by word", output_word_by_word) +
           run_for_family(f, "far subtrees", far_subtrees) +
           run_for_family(f, "fold of long leaves", fold_of_long_leaves);
}
