/* The public calls and their checks. */
#include "kernels_test.h"

#include <string.h>

static void names(void **state)
{
    (void)state;
    assert_string_equal(pleach_family_name(PLEACH_BLAKE2S), "blake2s");
    assert_string_equal(pleach_family_name(PLEACH_SHA256), "sha256");
    assert_null(pleach_family_name(PLEACH_FAMILIES));
    assert_null(pleach_family_name((pleach_family)-1));
    assert_null(pleach_kernels_backend(pleach_kernels_default(), PLEACH_FAMILIES));
    assert_null(pleach_kernels_backend(NULL, PLEACH_SHA256));
}

static void default_is_the_best_usable(void **state)
{
    const pleach_kernels *kernels = pleach_kernels_default();
    (void)state;
    assert_non_null(kernels);
    assert_ptr_equal(kernels, pleach_kernels_default());
    for (int i = 0; i < PLEACH_FAMILIES; i++) {
        const pleach__backend *const *best = pleach__family_of((pleach_family)i)->backends;
        while (!(*best)->usable(pleach__cpu_features()) || (*best)->streaming || wrong_here(*best))
            best++;
        assert_ptr_equal(kernels->backend[i], *best);
        assert_string_equal(pleach_kernels_backend(kernels, (pleach_family)i), (*best)->name);
    }
}

static void hashes(void **state)
{
    static uint8_t in[COUNT_MAX * 103], out[COUNT_MAX * DIGEST], want[sizeof out];
    (void)state;
    fill_stream(in, sizeof in);
    for (int i = 0; i < PLEACH_HASH_FAMILIES; i++) {
        const pleach__hash_form form = form_of(100, 0, PLEACH__NO_PREFIX, false);
        reference_many(pleach__family_of((pleach_family)i), &form, in, 103, COUNT_MAX, want);
        assert_int_equal(pleach_hash_many(NULL, (pleach_family)i, in, 100, 103, COUNT_MAX, out), PLEACH_OK);
        assert_memory_equal(out, want, sizeof out);
    }
}

static void hashes_nothing(void **state)
{
    static uint8_t out[COUNT_MAX * DIGEST], want[sizeof out];
    (void)state;
    for (int i = 0; i < PLEACH_HASH_FAMILIES; i++) {
        const pleach__hash_form form = form_of(0, 0, PLEACH__NO_PREFIX, false);
        reference_many(pleach__family_of((pleach_family)i), &form, want, 0, COUNT_MAX, want);
        assert_int_equal(pleach_hash_many(NULL, (pleach_family)i, NULL, 0, 8, COUNT_MAX, out), PLEACH_OK);
        assert_memory_equal(out, want, sizeof out);
        assert_int_equal(pleach_hash_many(NULL, (pleach_family)i, NULL, 64, 64, 0, NULL), PLEACH_OK);
    }
}

/* Fails with `status` and names `argument`, and leaves the digest's place alone. */
static void refused(pleach_status status, const char *argument, int family, const uint8_t *in, size_t size,
                    size_t stride, size_t n, uint8_t *out)
{
    uint8_t before[DIGEST] = {0};
    if (out)
        memcpy(before, out, DIGEST);
    assert_int_equal(pleach_hash_many(NULL, (pleach_family)family, in, size, stride, n, out), status);
    if (!strstr(pleach_last_error(), argument))
        fail_msg("\"%s\" does not name %s", pleach_last_error(), argument);
    if (out)
        assert_memory_equal(before, out, DIGEST);
}

static void refuses(void **state)
{
    uint8_t in[64] = {0}, out[DIGEST] = {CANARY};
    (void)state;
    refused(PLEACH_EINVAL, "family = 99", 99, in, 64, 64, 1, out);
    refused(PLEACH_EINVAL, "family = -1", -1, in, 64, 64, 0, out);
    refused(PLEACH_EINVAL, "in = NULL", PLEACH_SHA256, NULL, 1, 1, 1, out);
    refused(PLEACH_EINVAL, "out = NULL", PLEACH_SHA256, in, 1, 1, 1, NULL);
    refused(PLEACH_ERANGE, "n = ", PLEACH_BLAKE2S, in, 0, 0, SIZE_MAX / DIGEST + 2, out);
    refused(PLEACH_ERANGE, "n = ", PLEACH_BLAKE2S, in, 0, 0, PTRDIFF_MAX / DIGEST + 1, out);
    refused(PLEACH_ERANGE, "stride = ", PLEACH_BLAKE2S, in, 64, SIZE_MAX / 2, 3, out);
    refused(PLEACH_ERANGE, "stride = ", PLEACH_BLAKE2S, in, 64, PTRDIFF_MAX - 63, 2, out);
    refused(PLEACH_ERANGE, "size = ", PLEACH_SHA256, in, SIZE_MAX, 0, 1, out);
    refused(PLEACH_ERANGE, "size = ", PLEACH_SHA256, in, (size_t)PTRDIFF_MAX + 1, 0, 1, out);
#if SIZE_MAX >> 61 != 0
    refused(PLEACH_ERANGE, "size", PLEACH_SHA256, in, PTRDIFF_MAX, 0, 1, out);
#endif
}

int run_call_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),   cmocka_unit_test(default_is_the_best_usable),
        cmocka_unit_test(hashes),  cmocka_unit_test(hashes_nothing),
        cmocka_unit_test(refuses),
    };
    return RUN_GROUP(tests);
}
