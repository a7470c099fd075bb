/* BLAKE3 of inputs that come in pieces. */
#include "kernels_test.h"

#include "kernels/blake3/hasher.h"

#include <stdlib.h>

enum { BATCH = PLEACH__BLAKE3_BATCH, MOST = 9 * BATCH + 1 };

static void every_cut(void **state)
{
    static const size_t pieces[] = {1, 63, 64, 1000, 1024, BATCH - 1, BATCH, BATCH + 1, 3 * BATCH, MOST};
    static const size_t sizes[] = {0,         1,         1024,          1025,          BATCH - 1, BATCH,
                                   BATCH + 1, 2 * BATCH, 2 * BATCH + 1, 3 * BATCH - 5, 4 * BATCH, 7 * BATCH + 1025,
                                   8 * BATCH, MOST};
    const subject *s = *state;
    skip_unless_usable(s);
    const pleach_kernels kernels = {.backend = {[PLEACH_BLAKE3] = s->backend}};
    const pleach__hash_form form = {.prefix = PLEACH__NO_PREFIX};
    pleach__blake3_hasher *hasher = malloc(sizeof *hasher);
    uint8_t *in = malloc(MOST);
    assert_true(hasher && in);
    fill_stream(in, MOST);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        pleach__hash_form whole = form;
        uint8_t expected[DIGEST], digest[DIGEST];
        whole.size = sizes[i];
        s->family->reference(&whole, in, expected);
        for (size_t p = quick() ? 3 : 0; p < sizeof pieces / sizeof pieces[0]; p++) {
            assert_int_equal(pleach__blake3_begin(hasher, &kernels, &pleach__blake3_unkeyed), PLEACH_OK);
            for (size_t at = 0; at < sizes[i]; at += pieces[p])
                pleach__blake3_add(hasher, in + at, sizes[i] - at < pieces[p] ? sizes[i] - at : pieces[p]);
            pleach__blake3_end(hasher, digest);
            assert_memory_equal(digest, expected, DIGEST);
            pleach__blake3_end(hasher, digest); /* leaves it as it was */
            assert_memory_equal(digest, expected, DIGEST);
        }
    }
    free(in);
    free(hasher);
}

int run_hasher_tests(void)
{
    return run_for_family(&pleach__blake3, "BLAKE3 in pieces", every_cut);
}
