/* Known answers, through every backend. */
#include "kernels/blake2s/keyed.h"
#include "kernels_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWERS_MAX = 64, LENGTH_MAX = 1 << 13 };

typedef struct answer {
    size_t key_size, length;
    uint8_t digest[DIGEST];
} answer;

static answer answers[ANSWERS_MAX];
static size_t answer_count;

/* Takes the sections [blake2s LENGTH] and [blake2s-keyed KEY-LENGTH LENGTH] of the file. */
static int read_answers(void **state)
{
    char path[4096], line[8192];
    const char *folder = getenv("PLEACH_VECTORS");
    (void)state;
    (void)snprintf(path, sizeof path, "%s/leanvm-b.txt", folder && *folder ? folder : PLEACH_VECTORS);
    FILE *file = fopen(path, "r");
    if (!file) {
        print_error("%s cannot be opened\n", path);
        return -1;
    }
    bool wanted = false;
    while (fgets(line, sizeof line, file)) {
        answer *a = &answers[answer_count];
        if (*line == '[')
            wanted =
                answer_count < ANSWERS_MAX && (sscanf(line, "[blake2s-keyed %zu %zu]", &a->key_size, &a->length) == 2 ||
                                               (a->key_size = 0, sscanf(line, "[blake2s %zu]", &a->length)) == 1);
        else if (wanted && strncmp(line, "digest = ", 9) == 0 && strlen(line) >= 9 + 2 * DIGEST) {
            for (int i = 0; i < DIGEST; i++) {
                unsigned byte = 256;
                if (sscanf(line + 9 + 2 * i, "%2x", &byte) != 1)
                    return -1;
                a->digest[i] = (uint8_t)byte;
            }
            answer_count++;
            wanted = false;
        }
    }
    return fclose(file);
}

static uint8_t in[LENGTH_MAX], key[PLEACH__BLAKE2S_KEY_MAX], out[LANES_MAX * DIGEST];

static void reference_answers(void **state)
{
    size_t keyed = 0;
    (void)state;
    fill_stream(in, sizeof in);
    for (unsigned i = 0; i < sizeof key; i++)
        key[i] = (uint8_t)i;
    for (const answer *a = answers; a < answers + answer_count; a++) {
        const pleach__hash_form form = form_of(a->length, 0, PLEACH__NO_PREFIX, false);
        assert_in_range(a->length, 0, LENGTH_MAX);
        if (a->key_size > 0) {
            assert_in_range(a->key_size, 1, sizeof key);
            pleach__blake2s_reference_keyed(key, a->key_size, in, a->length, out);
            keyed++;
        } else {
            pleach__blake2s.reference(&form, in, out);
        }
        assert_memory_equal(out, a->digest, DIGEST);
    }
    assert_int_equal(answer_count - keyed, 18);
    assert_int_equal(keyed, 6);
}

static void backend_answers(void **state)
{
    const subject *s = *state;
    skip_unless_usable(s);
    assert_int_equal(answer_count, 24);
    for (const answer *a = answers; a < answers + answer_count; a++) {
        const pleach__hash_form form = form_of(a->length, 0, PLEACH__NO_PREFIX, false);
        if (a->key_size > 0) {
            pleach__blake2s_keyed keyed;
            assert_int_equal(pleach__blake2s_key(&keyed, key, a->key_size, a->length), PLEACH_OK);
            pleach__blake2s_hash_keyed(&keyed, s->backend, in, 0, LANES_MAX, out);
        } else {
            pleach__hash_plan plan;
            assert_true(plan_of(&pleach__blake2s, &form, &plan));
            s->backend->hash_many(&plan, in, 0, LANES_MAX, out);
        }
        for (int lane = 0; lane < LANES_MAX; lane++)
            assert_memory_equal(out + lane * DIGEST, a->digest, DIGEST);
    }
}

int run_answer_tests(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reference_answers)};
    const int failed = cmocka_run_group_tests_name("answers", tests, read_answers, NULL);
    return failed + run_for_family(&pleach__blake2s, "answers", backend_answers);
}
