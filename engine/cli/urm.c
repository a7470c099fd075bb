/* pleach urm: known answers and timings of the URM message. */
#define _GNU_SOURCE
#include "bench/timing.h"
#include "engine/cli/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARIABLES_DEFAULT = 26, VARIABLES_MOST = 36 };

/* What to compute: the bits and the challenge follow from the number of variables. */
struct instance {
    unsigned variables;
    bool padded;
    pleach_urm_padding padding;
    uint8_t *bits; /* a, b and c, one after the other */
    uint8_t challenge[VARIABLES_MOST][PLEACH_F128_SIZE];
    /* Results: without s_hat_v_c, and with it. */
    pleach_pool *pool;
    pleach_urm_message message;
    bool with_s_hat_v;
};

static size_t size_of(const struct instance *instance)
{
    return (size_t)1 << (instance->variables - 3);
}

/* SplitMix64 */
static uint64_t next_word(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

static void draw_element(uint8_t element[PLEACH_F128_SIZE], uint64_t *state)
{
    for (unsigned half = 0; half < 2; half++) {
        const uint64_t word = next_word(state);
        for (unsigned i = 0; i < 8; i++)
            element[8 * half + i] = (uint8_t)(word >> 8 * i);
    }
}

/* As for the known answers. */
static bool fill(struct instance *instance)
{
    const size_t size = size_of(instance);
    uint64_t state = 0xDEADC0DE ^ instance->variables;
    void *memory = NULL;
    if (posix_memalign(&memory, PLEACH_URM_ALIGNMENT, 3 * size) != 0) {
        pleach__complain("no memory for 3 times 2^%u bits", instance->variables);
        return false;
    }
    instance->bits = memory;
    for (size_t i = 0; i < 2 * size; i++)
        instance->bits[i] = (uint8_t)next_word(&state);
    for (size_t i = 0; i < size; i++)
        instance->bits[2 * size + i] = instance->bits[i] & instance->bits[size + i];
    for (unsigned i = 0; i < PLEACH_URM_FIXED_FIRST; i++)
        draw_element(instance->challenge[i], &state);
    pleach_urm_fixed_challenge(instance->challenge + PLEACH_URM_FIXED_FIRST);
    for (unsigned i = PLEACH_URM_FIXED_FIRST + PLEACH_URM_FIXED; i < instance->variables; i++)
        draw_element(instance->challenge[i], &state);
    return true;
}

static pleach_status compute(void *context)
{
    struct instance *i = context;
    const size_t size = size_of(i);
    return pleach_urm_round1(i->pool, i->bits, i->bits + size, i->bits + 2 * size, size, i->variables,
                             (const uint8_t(*)[PLEACH_F128_SIZE])i->challenge, i->padded ? &i->padding : NULL,
                             i->with_s_hat_v, &i->message, NULL);
}

/* FNV-1a */
static uint64_t checksum(const struct instance *instance)
{
    const uint8_t *bytes = (const uint8_t *)&instance->message;
    const size_t size = instance->with_s_hat_v ? sizeof instance->message : offsetof(pleach_urm_message, s_hat_v_c);
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    return hash;
}

static void describe(const struct instance *instance, char *text, size_t size)
{
    int length = snprintf(text, size, "2^%u bits", instance->variables);
    if (instance->padded && length > 0)
        (void)snprintf(text + length, size - (size_t)length, ", %" PRIu64 " useful ones in 2^%u",
                       instance->padding.useful_bits, instance->padding.k_log);
}

static int failed(pleach_status status)
{
    pleach__complain("%s", pleach_last_error());
    return status == PLEACH_OK ? PLEACH__EXIT_OK : PLEACH__EXIT_FAILED;
}

/* --- check --- */

/* "case m=M mode=dense fnv_path2(...)=X fnv_path1(...)=Y", or mode=kKuU: padding. */
static bool read_case(const char *line, struct instance *instance, uint64_t expected[2])
{
    const char *with = strstr(line, "fnv_path2"), *without = strstr(line, "fnv_path1"), *mode = strstr(line, "mode=k");
    if (sscanf(line, "case m=%u", &instance->variables) != 1 || with == NULL || without == NULL)
        return false;
    with = strchr(with, '=');
    without = strchr(without, '=');
    instance->padded = mode != NULL &&
                       sscanf(mode, "mode=k%uu%" SCNu64, &instance->padding.k_log, &instance->padding.useful_bits) == 2;
    return with != NULL && without != NULL && sscanf(with, "=%" SCNx64, &expected[1]) == 1 &&
           sscanf(without, "=%" SCNx64, &expected[0]) == 1;
}

static int check_case(struct instance *instance, const uint64_t expected[2])
{
    char text[96];
    bool right = true;
    if (instance->variables < PLEACH_URM_VARIABLES_MIN || instance->variables > VARIABLES_MOST) {
        pleach__complain("a case of %u variables: %d to %d are accepted", instance->variables, PLEACH_URM_VARIABLES_MIN,
                         VARIABLES_MOST);
        return PLEACH__EXIT_FAILED;
    }
    if (!fill(instance))
        return PLEACH__EXIT_FAILED;
    pleach_status status = PLEACH_OK;
    for (int with = 0; with < 2 && status == PLEACH_OK; with++) {
        instance->with_s_hat_v = with;
        status = compute(instance);
        right = right && checksum(instance) == expected[with];
    }
    free(instance->bits);
    if (status != PLEACH_OK)
        return failed(status);
    describe(instance, text, sizeof text);
    (void)printf("%s: %s\n", text, right ? "OK" : "FAILED");
    return right ? PLEACH__EXIT_OK : PLEACH__EXIT_FAILED;
}

static int check(const pleach__options *options, int count, char **operands)
{
    int code;
    unsigned cases = 0;
    char *line = NULL;
    size_t room = 0;
    (void)count;
    FILE *file = fopen(operands[0], "r");
    if (file == NULL) {
        pleach__complain("%s: cannot be opened", operands[0]);
        return PLEACH__EXIT_FAILED;
    }
    pleach_pool *pool = pleach__open_pool(&options->config, &code);
    if (pool != NULL) {
        code = PLEACH__EXIT_OK;
        while (getline(&line, &room, file) > 0) {
            struct instance instance = {.pool = pool};
            uint64_t expected[2];
            if (!read_case(line, &instance, expected))
                continue;
            cases++;
            if (check_case(&instance, expected) != PLEACH__EXIT_OK)
                code = PLEACH__EXIT_FAILED;
        }
        if (cases == 0) {
            pleach__complain("%s: no case in it", operands[0]);
            code = PLEACH__EXIT_FAILED;
        }
        (void)pleach_pool_destroy(pool);
    }
    free(line);
    (void)fclose(file);
    return code;
}

/* --- time --- */

/* "VARIABLES" or "VARIABLES:K_LOG:USEFUL_BITS" */
static bool read_shape(const char *text, struct instance *instance)
{
    int used = 0;
    const int read = sscanf(text, "%2u%n:%2u:%" SCNu64 "%n", &instance->variables, &used, &instance->padding.k_log,
                            &instance->padding.useful_bits, &used);
    instance->padded = read == 3;
    if ((read == 1 || read == 3) && text[used] == '\0' && instance->variables >= PLEACH_URM_VARIABLES_MIN &&
        instance->variables <= VARIABLES_MOST)
        return true;
    pleach__complain("%s: VARIABLES, %d to %d, or VARIABLES:K_LOG:USEFUL_BITS", text, PLEACH_URM_VARIABLES_MIN,
                     VARIABLES_MOST);
    return false;
}

static int time_both(struct instance call[2])
{
    const pleach__bench_subject subject[] = {
        {.run = compute, .context = &call[0], .waits = pleach_pool_width(call[0].pool) > 1},
        {.run = compute, .context = &call[1], .waits = pleach_pool_width(call[1].pool) > 1}};
    pleach__bench_timing timing[2];
    pleach_status status = pleach__bench_time(subject, 2, timing);
    if (status != PLEACH_OK)
        return failed(status);
    char text[96];
    describe(&call[0], text, sizeof text);
    (void)printf("%s, backend %s, %u workers%s\n", text,
                 pleach_kernels_backend(pleach_pool_kernels(call[0].pool), PLEACH_URM), pleach_pool_width(call[0].pool),
                 timing[0].disturbed || timing[1].disturbed ? "; other work disturbed the timing" : "");
    for (int with = 0; with < 2; with++)
        (void)printf("%-19s %10.3f ms  fnv %016" PRIx64 "\n", with ? "with s_hat_v_c" : "without s_hat_v_c",
                     timing[with].ns / 1e6, checksum(&call[with]));
    return PLEACH__EXIT_OK;
}

static int time_one(const pleach__options *options, int count, char **operands)
{
    struct instance instance = {.variables = VARIABLES_DEFAULT};
    int code = PLEACH__EXIT_USAGE;
    if (count > 0 && !read_shape(operands[0], &instance))
        return code;
    instance.pool = pleach__open_pool(&options->config, &code);
    if (instance.pool == NULL)
        return code;
    code = PLEACH__EXIT_FAILED;
    if (fill(&instance)) {
        struct instance call[2] = {instance, instance};
        call[1].with_s_hat_v = true;
        code = time_both(call);
        free(instance.bits);
    }
    (void)pleach_pool_destroy(instance.pool);
    return code;
}

const pleach__subcommand pleach__urm_subcommands[] = {
    {"urm ", "check", check, "wb", 1, 1, "FILE", "compare with the known answers of a file",
     "FILE has lines such as\n"
     "  case m=20 mode=dense fnv_path2(...)=8a6fe71723543fb9 fnv_path1(...)=705d0df700876779\n"
     "with the checksum of the message with s_hat_v_c, and without; mode=k14u15409 for padding. Others are left "
     "out.\n"},
    {"urm ", "time", time_one, "wb", 0, 1, "[VARIABLES[:K_LOG:USEFUL_BITS]]", "measure it",
     "The bits are those of the known answers. Default: 26. With K_LOG, of each 2^K_LOG bits only USEFUL_BITS "
     "count.\n"},
    {.name = NULL},
};
