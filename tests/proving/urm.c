#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/backend.h"
#include "kernels/urm/field.h"
#include "proving/urm.h"
#include "tests/emulated.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = PLEACH_F128_SIZE, POINTS = PLEACH_URM_POINTS, SMALL = 15 };

typedef uint8_t element[SIZE];

/* --- Instances, made as the vectors' are --- */

static uint64_t stream;

static uint64_t next_word(void)
{
    uint64_t z = stream += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

struct instance {
    unsigned variables;
    size_t size;
    uint8_t *a, *b, *c;
    element challenge[PLEACH_URM_VARIABLES_MAX];
};

static uint8_t *allocate(size_t size)
{
    void *memory;
    assert_int_equal(posix_memalign(&memory, PLEACH_URM_ALIGNMENT, size), 0);
    return memory;
}

static element *draw_element(element *at)
{
    const uint64_t lo = next_word();
    pleach__f128_store(*at, (pleach__f128){lo, next_word()});
    return at;
}

static struct instance make_instance(unsigned variables)
{
    struct instance made = {.variables = variables, .size = (size_t)1 << (variables - 3)};
    made.a = allocate(made.size);
    made.b = allocate(made.size);
    made.c = allocate(made.size);
    stream = 0xDEADC0DE ^ variables;
    for (size_t i = 0; i < made.size; i++)
        made.a[i] = (uint8_t)next_word();
    for (size_t i = 0; i < made.size; i++)
        made.b[i] = (uint8_t)next_word();
    for (size_t i = 0; i < made.size; i++)
        made.c[i] = made.a[i] & made.b[i];
    for (unsigned i = 0; i < PLEACH_URM_FIXED_FIRST; i++)
        draw_element(&made.challenge[i]);
    pleach_urm_fixed_challenge(made.challenge + PLEACH_URM_FIXED_FIRST);
    for (unsigned i = PLEACH_URM_FIXED_FIRST + PLEACH_URM_FIXED; i < variables; i++)
        draw_element(&made.challenge[i]);
    return made;
}

static void free_instance(struct instance *instance)
{
    free(instance->a);
    free(instance->b);
    free(instance->c);
}

static pleach_status run(pleach_pool *pool, const struct instance *i, const pleach_urm_padding *padding,
                         bool with_s_hat_v, pleach_urm_message *message)
{
    return pleach_urm_round1(pool, i->a, i->b, i->c, i->size, i->variables, (const element *)i->challenge, padding,
                             with_s_hat_v, message, NULL);
}

/* FNV-1a */
static uint64_t checksum(const pleach_urm_message *message, bool with_s_hat_v)
{
    const uint8_t *bytes = (const uint8_t *)message;
    const size_t size = with_s_hat_v ? sizeof *message : offsetof(pleach_urm_message, s_hat_v_c);
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    return hash;
}

static pleach_pool *open_pool(int workers, const char *backend)
{
    pleach_config config;
    pleach_pool *pool;
    pleach_config_init(&config);
    config.workers = workers;
    (void)snprintf(config.backend, sizeof config.backend, "%s", backend);
    assert_int_equal(pleach_pool_create(&pool, &config), PLEACH_OK);
    return pool;
}

/* --- The vectors --- */

struct vector_case {
    unsigned variables;
    bool padded;
    pleach_urm_padding padding;
    uint64_t checksum[2]; /* without s_hat_v_c, and with it */
};

static pleach_urm_message expected;
static unsigned lines;

static void read_element(const char *text, uint8_t *bytes)
{
    pleach__f128 value;
    assert_int_equal(sscanf(text, "%16" SCNx64 "%16" SCNx64, &value.hi, &value.lo), 2);
    pleach__f128_store(bytes, value);
}

/* A line of the form "  name[index]=value" of the message. */
static void read_line(const char *line)
{
    static const struct {
        const char *name;
        element *place;
        unsigned count;
    } parts[] = {{"res_ab", expected.ab, POINTS},
                 {"res_c_lifted", expected.c, POINTS},
                 {"s_hat_v_c", expected.s_hat_v_c, 2 * POINTS}};
    char name[16], value[33];
    unsigned index;
    if (sscanf(line, " %15[a-z_][%u]=%32[0-9a-f]", name, &index, value) != 3)
        return;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(name, parts[i].name) == 0) {
            assert_in_range(index, 0, parts[i].count - 1);
            read_element(value, parts[i].place[index]);
            lines++;
        }
}

static bool read_case(const char *line, struct vector_case *read)
{
    unsigned k_log = 0;
    uint64_t useful = 0;
    const char *sums = strstr(line, "fnv_path2"), *padding = strstr(line, "mode=k");
    if (sscanf(line, "case m=%u", &read->variables) != 1 || sums == NULL)
        return false;
    assert_int_equal(sscanf(strchr(sums, '=') + 1, "%" SCNx64, &read->checksum[1]), 1);
    sums = strstr(sums, "fnv_path1");
    assert_non_null(sums);
    assert_int_equal(sscanf(strchr(sums, '=') + 1, "%" SCNx64, &read->checksum[0]), 1);
    read->padded = padding != NULL;
    if (read->padded) {
        assert_int_equal(sscanf(padding, "mode=k%uu%" SCNu64, &k_log, &useful), 2);
        read->padding = (pleach_urm_padding){k_log, useful};
    }
    return true;
}

static void check_case(const struct vector_case *read, pleach_pool *pool)
{
    struct instance instance = make_instance(read->variables);
    const pleach_urm_padding *padding = read->padded ? &read->padding : NULL;
    for (int with = 0; with < 2; with++) {
        pleach_urm_message message;
        memset(&message, 0xee, sizeof message);
        assert_int_equal(run(pool, &instance, padding, with, &message), PLEACH_OK);
        assert_true(checksum(&message, with) == read->checksum[with]);
    }
    free_instance(&instance);
}

/* The file's cases of at most so many variables: 13, 14, 16, 20, 22, 24 and 26, and with padding 15, 20 and 26. */
static void check_cases(pleach_pool *pool, unsigned most)
{
    struct vector_case read;
    unsigned cases = 0, padded = 0;
    FILE *file = fopen(PLEACH_VECTORS "/urm.txt", "r");
    char *line = NULL;
    size_t room = 0;
    assert_non_null(file);
    while (getline(&line, &room, file) > 0)
        if (read_case(line, &read)) {
            cases++;
            padded += read.padded;
            if (read.variables <= most)
                check_case(&read, pool);
        }
    assert_int_equal(cases, 10);
    assert_int_equal(padded, 3);
    free(line);
    (void)fclose(file);
}

/* The messages that the file has in full. */
static void whole_messages(void **state)
{
    struct vector_case read = {0};
    unsigned messages = 0;
    pleach_urm_message message;
    FILE *file = fopen(PLEACH_VECTORS "/urm.txt", "r");
    char *line = NULL;
    size_t room = 0;
    (void)state;
    assert_non_null(file);
    while (getline(&line, &room, file) > 0) {
        if (read_case(line, &read))
            lines = 0;
        read_line(line);
        if (lines != 4 * POINTS)
            continue;
        struct instance instance = make_instance(read.variables);
        assert_int_equal(run(NULL, &instance, read.padded ? &read.padding : NULL, true, &message), PLEACH_OK);
        assert_memory_equal(&message, &expected, sizeof message);
        free_instance(&instance);
        messages++;
        lines = 0;
    }
    assert_int_equal(messages, 3);
    free(line);
    (void)fclose(file);
}

/* --- The definition --- */

static unsigned bit_of(const uint8_t *bits, size_t i)
{
    return bits[i / 8] >> i % 8 & 1;
}

/* The value at 64 + lambda of the polynomial through 64 bits. */
static uint8_t value_at(const uint8_t *bits, size_t first, unsigned lambda)
{
    uint8_t value = 0;
    for (unsigned s = 0; s < POINTS; s++) {
        uint8_t above = 1, below = 1;
        for (unsigned t = 0; t < POINTS && bit_of(bits, first + s); t++) {
            above = t == s ? above : pleach__f8_mul(above, (uint8_t)(64 ^ lambda ^ t));
            below = t == s ? below : pleach__f8_mul(below, (uint8_t)(s ^ t));
        }
        if (bit_of(bits, first + s))
            value ^= pleach__f8_mul(above, pleach__f8_inverse(below));
    }
    return value;
}

/* The product over i of r[i] or 1 + r[i], as bit i of y says. */
static pleach__f128 eq(const element *r, unsigned n, size_t y)
{
    pleach__f128 product = {1, 0};
    for (unsigned i = 0; i < n; i++) {
        pleach__f128 factor = pleach__f128_load(r[i]);
        factor.lo ^= !(y >> i & 1);
        product = pleach__f128_mul(product, factor);
    }
    return product;
}

/* For a few points: all are slow, and each is a sum of its own. */
static void equals_the_definition(void **state)
{
    const pleach__f128 constant = pleach__f128_embed(0x1c);
    (void)state;
    for (unsigned variables = 13; variables <= (quick() ? 13 : 14); variables++) {
        struct instance i = make_instance(variables);
        pleach_urm_message message;
        for (size_t byte = 0; byte < i.size; byte++)
            i.c[byte] ^= (uint8_t)next_word(); /* nothing depends on what c is */
        assert_int_equal(run(NULL, &i, NULL, true, &message), PLEACH_OK);
        for (unsigned point = 0; point < POINTS; point += quick() ? 21 : 7) {
            pleach__f128 ab = {0, 0}, c = {0, 0}, s_hat[2] = {{0, 0}, {0, 0}};
            for (size_t y = 0; y < (size_t)1 << (variables - 6); y++) {
                const pleach__f128 weight = eq((const element *)i.challenge + 6, variables - 6, y);
                const pleach__f128 upper = eq((const element *)i.challenge + 7, variables - 7, y >> 1);
                const uint8_t product = pleach__f8_mul(value_at(i.a, 64 * y, point), value_at(i.b, 64 * y, point));
                ab = pleach__f128_add(ab, pleach__f128_mul(weight, pleach__f128_embed(product)));
                c = pleach__f128_add(c, pleach__f128_mul(weight, pleach__f128_embed(value_at(i.c, 64 * y, point))));
                if (bit_of(i.c, 64 * y + point))
                    s_hat[y % 2] = pleach__f128_add(s_hat[y % 2], upper);
            }
            element want;
            pleach__f128_store(want, pleach__f128_mul(ab, pleach__f128_inverse(constant)));
            assert_memory_equal(message.ab[point], want, SIZE);
            pleach__f128_store(want, pleach__f128_mul(c, pleach__f128_inverse(constant)));
            assert_memory_equal(message.c[point], want, SIZE);
            for (unsigned parity = 0; parity < 2; parity++) {
                pleach__f128_store(want, s_hat[parity]);
                assert_memory_equal(message.s_hat_v_c[64 * parity + point], want, SIZE);
            }
        }
        free_instance(&i);
    }
}

/* --- Padding --- */

/* As if padding were zeros; whatever is there is not looked at. */
static void padding_counts_as_zeros(void **state)
{
    struct instance i = make_instance(SMALL), zeroed = make_instance(SMALL);
    uint8_t *filled[] = {i.a, i.b, i.c}, *zeros[] = {zeroed.a, zeroed.b, zeroed.c};
    pleach_urm_message message, want;
    (void)state;
    for (unsigned k_log = 13; k_log <= SMALL; k_log++)
        for (uint64_t useful = 0; useful <= (uint64_t)1 << k_log; useful += quick() ? 3001 : 731) {
            const size_t period = (size_t)1 << (k_log - 3), kept = (size_t)(useful + 511) / 512 * 64;
            for (size_t byte = 0; byte < i.size; byte++)
                for (int p = 0; p < 3; p++)
                    zeros[p][byte] = byte % period < kept ? filled[p][byte] : 0;
            const pleach_urm_padding padding = {k_log, useful};
            assert_int_equal(run(NULL, &zeroed, NULL, true, &want), PLEACH_OK);
            assert_int_equal(run(NULL, &i, &padding, true, &message), PLEACH_OK);
            assert_memory_equal(&message, &want, sizeof want);
        }
    free_instance(&i);
    free_instance(&zeroed);
}

/* --- Backends and workers --- */

static void every_backend(void **state)
{
    static const int workers[] = {1, 2, 8};
    (void)state;
    for (const pleach__backend *const *backend = pleach__family_of(PLEACH_URM)->backends; *backend != NULL; backend++) {
        char pin[PLEACH_BACKEND_SIZE];
        (void)snprintf(pin, sizeof pin, "urm:%s", (*backend)->name);
        if (!(*backend)->usable(pleach__cpu_features())) {
            print_message("SKIPPED: %s needs %s\n", pin, (*backend)->needs);
            continue;
        }
        for (size_t w = 0; w < sizeof workers / sizeof *workers; w++) {
            pleach_pool *pool = open_pool(workers[w], pin);
            check_cases(pool, quick() ? 16 : workers[w] == 2 ? 26 : 20);
            assert_int_equal(pleach_pool_destroy(pool), PLEACH_OK);
            if (quick())
                break;
        }
    }
}

/* --- What is refused --- */

static const struct instance *good;
static pleach_urm_message untouched, message_place;

static void refused(pleach_status expected_status, const char *argument, pleach_status status)
{
    assert_int_equal(status, expected_status);
    if (strstr(pleach_last_error(), argument) == NULL)
        fail_msg("\"%s\" does not name %s", pleach_last_error(), argument);
    assert_memory_equal(&message_place, &untouched, sizeof untouched);
}

static pleach_status run_padded(unsigned k_log, uint64_t useful)
{
    return run(NULL, good, &(pleach_urm_padding){k_log, useful}, true, &message_place);
}

static void bad_input(void **state)
{
    struct instance i = make_instance(SMALL), bad = i;
    pleach_monitor cancelled = {0};
    (void)state;
    good = &i;
    memset(&untouched, 0xa5, sizeof untouched);
    message_place = untouched;
#define REFUSED(status, argument, field, value)                                 \
    do {                                                                        \
        bad = i;                                                                \
        bad.field = (value);                                                    \
        refused(status, argument, run(NULL, &bad, NULL, true, &message_place)); \
    } while (0)
    REFUSED(PLEACH_ERANGE, "variables = 12", variables, 12);
    REFUSED(PLEACH_ERANGE, "variables = 49", variables, 49);
    REFUSED(PLEACH_ERANGE, "variables = 0", variables, 0);
    REFUSED(PLEACH_ERANGE, "size = 4095", size, i.size - 1);
    REFUSED(PLEACH_ERANGE, "size = 4097", size, i.size + 1);
    REFUSED(PLEACH_ERANGE, "size = 0", size, 0);
    REFUSED(PLEACH_ERANGE, "size = 4096", variables, SMALL + 1);
    REFUSED(PLEACH_EINVAL, "a = NULL", a, NULL);
    REFUSED(PLEACH_EINVAL, "b = NULL", b, NULL);
    REFUSED(PLEACH_EINVAL, "c = NULL", c, NULL);
    REFUSED(PLEACH_EINVAL, "a = 0x", a, i.a + 8);
    REFUSED(PLEACH_EINVAL, "b = 0x", b, i.b + 1);
    REFUSED(PLEACH_EINVAL, "c = 0x", c, i.c + 32);
#undef REFUSED
    for (unsigned coordinate = 6; coordinate < 13; coordinate++) {
        char name[32];
        bad = i;
        bad.challenge[coordinate][15] ^= 0x80;
        (void)snprintf(name, sizeof name, "challenge[%u]", coordinate);
        refused(PLEACH_EINVAL, name, run(NULL, &bad, NULL, true, &message_place));
    }
    refused(PLEACH_ERANGE, "padding->k_log = 12", run_padded(12, 0));
    refused(PLEACH_ERANGE, "padding->k_log = 16", run_padded(16, 0));
    refused(PLEACH_ERANGE, "padding->useful_bits = 16385", run_padded(14, 16385));
    refused(PLEACH_EINVAL, "challenge = NULL",
            pleach_urm_round1(NULL, i.a, i.b, i.c, i.size, SMALL, NULL, NULL, true, &message_place, NULL));
    refused(
        PLEACH_EINVAL, "message = NULL",
        pleach_urm_round1(NULL, i.a, i.b, i.c, i.size, SMALL, (const element *)i.challenge, NULL, true, NULL, NULL));
    pleach_monitor_cancel(&cancelled);
    refused(PLEACH_ECANCELED, "cancelled",
            pleach_urm_round1(NULL, i.a, i.b, i.c, i.size, SMALL, (const element *)i.challenge, NULL, true,
                              &message_place, &cancelled));
    free_instance(&i);
}

/* The first six coordinates are not looked at, and without s_hat_v its place is not written. */
static void what_is_left_alone(void **state)
{
    struct instance i = make_instance(SMALL);
    pleach_urm_message message, again;
    (void)state;
    memset(&message, 0x11, sizeof message);
    assert_int_equal(run(NULL, &i, NULL, false, &message), PLEACH_OK);
    for (size_t byte = 0; byte < sizeof message.s_hat_v_c; byte++)
        assert_int_equal(((uint8_t *)message.s_hat_v_c)[byte], 0x11);
    memset(i.challenge, 0xff, PLEACH_URM_FIXED_FIRST * SIZE);
    memset(&again, 0x11, sizeof again);
    assert_int_equal(run(NULL, &i, NULL, false, &again), PLEACH_OK);
    assert_memory_equal(&message, &again, sizeof again);
    free_instance(&i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_messages),
        cmocka_unit_test(equals_the_definition),
        cmocka_unit_test(padding_counts_as_zeros),
        cmocka_unit_test(every_backend),
        cmocka_unit_test(bad_input),
        cmocka_unit_test(what_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
