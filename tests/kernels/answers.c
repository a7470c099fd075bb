/* Known answers, through every backend. */
#include "kernels_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWERS_MAX = 64, LENGTH_MAX = 1 << 13 };

typedef struct answer {
    size_t length;
    uint8_t digest[DIGEST];
} answer;

static answer answers[ANSWERS_MAX];
static size_t answer_count;

/* Takes the sections [blake2s LENGTH] of the file. */
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
            wanted = answer_count < ANSWERS_MAX && sscanf(line, "[blake2s %zu]", &a->length) == 1;
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

static void blake2s_answers(void **state)
{
    static uint8_t in[LENGTH_MAX], out[LANES_MAX * DIGEST];
    (void)state;
    fill_stream(in, sizeof in);
    assert_int_equal(answer_count, 18);
    for (size_t i = 0; i < answer_count; i++) {
        const pleach__hash_form form = form_of(answers[i].length, 0, PLEACH__NO_PREFIX, false);
        assert_in_range(form.size, 0, LENGTH_MAX);
        pleach__blake2s.reference(&form, in, out);
        assert_memory_equal(out, answers[i].digest, DIGEST);
        for (const pleach__backend *const *b = pleach__blake2s.backends; *b; b++) {
            pleach__hash_plan plan;
            if (!(*b)->usable(pleach__cpu_features()))
                continue;
            assert_true(plan_of(&pleach__blake2s, &form, &plan));
            (*b)->hash_many(&plan, in, 0, LANES_MAX, out);
            for (int lane = 0; lane < LANES_MAX; lane++)
                assert_memory_equal(out + lane * DIGEST, answers[i].digest, DIGEST);
        }
    }
}

int run_answer_tests(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blake2s_answers)};
    return cmocka_run_group_tests_name("answers", tests, read_answers, NULL);
}
