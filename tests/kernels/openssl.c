/* Digests beside those of OpenSSL, where the build found it. */
#include "kernels_test.h"

#include <stdio.h>

#if defined(PLEACH_OPENSSL)
#include <openssl/evp.h>

enum { SHORT = 300, LONG = 1 << 20, LISTED = 200 };

static void digest_of(const subject *s, const pleach__hash_form *form, const uint8_t *in, uint8_t *digest)
{
    const EVP_MD *hash = s->family == &pleach__sha256 ? EVP_sha256() : EVP_blake2s256();
    const uint8_t prefix = (uint8_t)form->prefix;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    assert_non_null(context);
    assert_int_equal(EVP_DigestInit_ex(context, hash, NULL), 1);
    assert_int_equal(EVP_DigestUpdate(context, &prefix, form->prefix != PLEACH__NO_PREFIX), 1);
    assert_int_equal(EVP_DigestUpdate(context, in, form->size), 1);
    assert_int_equal(EVP_DigestFinal_ex(context, digest, NULL), 1);
    if (form->twice)
        assert_int_equal(EVP_Digest(digest, DIGEST, digest, NULL, hash, NULL), 1);
    EVP_MD_CTX_free(context);
}

/* Plain, and by the rules of RFC 6962 and Bitcoin where the family has them. */
static const pleach__hash_form rules[] = {
    {.prefix = PLEACH__NO_PREFIX}, {.prefix = 0}, {.prefix = 1}, {.prefix = PLEACH__NO_PREFIX, .twice = true}};
enum { RULES = sizeof rules / sizeof *rules };

static size_t some_size(void)
{
    switch (random_below(16)) {
    case 0:
        return random_below(quick() ? LONG / 64 : LONG) + 1;
    case 1:
    case 2:
        return 1024 * (1 + random_below(9)) + random_below(3) - 1;
    case 3:
    case 4:
        return 64 * (1 + random_below(40)) + random_below(19) - 9;
    default:
        return random_below(SHORT + 1);
    }
}

/* Inputs that overlap: long ones of many kinds take little memory. */
static void check_inputs(const subject *s, const pleach__hash_form *form, const guarded *memory, size_t n)
{
    static uint8_t want[COUNT_MAX * DIGEST];
    const size_t stride = 1 + random_below(form->size < SHORT ? SHORT : 7);
    const uint8_t *in = memory->last + LONG + COUNT_MAX * SHORT - (n - 1) * stride - form->size;
    for (size_t i = 0; i < n; i++)
        digest_of(s, form, in + stride * i, want + DIGEST * i);
    check_many(s, form, in, stride, n, want);
}

static void inputs_of_one_size(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    guarded memory = guarded_stream(LONG + COUNT_MAX * SHORT);
    for (size_t r = 0; r < RULES; r++) {
        pleach__hash_form form = rules[r];
        pleach__hash_plan plan;
        if (!plan_of(s->family, &form, &plan))
            continue;
        for (form.size = 0; form.size <= SHORT; form.size += quick() ? 7 : 1)
            check_inputs(s, &form, &memory, 1 + random_below(COUNT_MAX));
        for (int i = 0; i < (quick() ? 20 : 200); i++) {
            form.size = some_size();
            check_inputs(s, &form, &memory, 1 + random_below(form.size < SHORT ? COUNT_MAX : s->backend->lanes + 2));
        }
    }
    guarded_free(&memory);
}

static void inputs_of_many_sizes(void **state)
{
    static uint8_t want[LISTED * DIGEST], got[LISTED * DIGEST];
    const subject *s = *state;
    skip_unless_usable(s);
    guarded memory = guarded_stream(LONG);
    for (size_t r = 0; r < RULES; r++) {
        pleach_input inputs[LISTED];
        pleach__hash_form form = rules[r];
        pleach__hash_plan plan;
        if (!plan_of(s->family, &form, &plan))
            continue;
        for (size_t i = 0; i < LISTED; i++) {
            form.size = some_size();
            inputs[i] = (pleach_input){memory.last + LONG - form.size, form.size};
            digest_of(s, &form, inputs[i].bytes, want + DIGEST * i);
        }
        assert_int_equal(pleach__hash_list(s->family, s->backend, &form, inputs, LISTED, got), PLEACH_OK);
        assert_memory_equal(got, want, sizeof got);
    }
    guarded_free(&memory);
}

int run_openssl_tests(void)
{
    const pleach__family *const families[] = {&pleach__blake2s, &pleach__sha256};
    int failed = 0;
    for (int i = 0; i < 2; i++)
        failed += run_for_family(families[i], "as OpenSSL, one size", inputs_of_one_size) +
                  run_for_family(families[i], "as OpenSSL, many sizes", inputs_of_many_sizes);
    return failed;
}
#else
static void beside_openssl(void **state)
{
    (void)state;
    printf("SKIPPED: built without OpenSSL\n");
    skip();
}

int run_openssl_tests(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(beside_openssl)};
    return RUN_GROUP(tests);
}
#endif
