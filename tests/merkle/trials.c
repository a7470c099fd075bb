#define _GNU_SOURCE
#include "merkle_test.h"

#include "../emulated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct trial *trials;
size_t trial_count;

const pleach_scheme promoting_blake2s = {.name = "promoting blake2s",
                                         .family = PLEACH_BLAKE2S,
                                         .leaf_prefix = PLEACH_NO_PREFIX,
                                         .node_prefix = PLEACH_NO_PREFIX,
                                         .lone = PLEACH_LONE_PROMOTED};

const pleach_scheme refusing_sha256 = {.name = "refusing sha256",
                                       .family = PLEACH_SHA256,
                                       .leaf_prefix = PLEACH_NO_PREFIX,
                                       .node_prefix = 0xff,
                                       .lone = PLEACH_LONE_REFUSED,
                                       .empty = PLEACH_EMPTY_HASH};

enum { NONE = PLEACH_NO_PREFIX };

#define OWN(its_name, its_family, its_lone, its_empty, its_leaf_prefix, its_node_prefix, ...) \
    (&(const pleach_scheme){.name = (its_name),                                               \
                            .family = PLEACH_##its_family,                                    \
                            .lone = PLEACH_LONE_##its_lone,                                   \
                            .empty = PLEACH_EMPTY_##its_empty,                                \
                            .leaf_prefix = (its_leaf_prefix),                                 \
                            .node_prefix = (its_node_prefix),                                 \
                            __VA_ARGS__})
#define TWICE .leaf_twice = true, .node_twice = true
#define GIVEN .leaf_given = true

const pleach_scheme *const every_scheme[SCHEMES] = {
    PLEACH_SCHEME_BLAKE2S,
    PLEACH_SCHEME_RFC6962,
    PLEACH_SCHEME_BITCOIN,
    PLEACH_SCHEME_SSZ,
    PLEACH_SCHEME_BLAKE3,
    &promoting_blake2s,
    &refusing_sha256,
    OWN("refused, prefixes, twice", SHA256, REFUSED, HASH, 0, 1, TWICE),
    OWN("promoted, twice", SHA256, PROMOTED, ZEROS, NONE, NONE, TWICE),
    OWN("duplicated, prefixes", SHA256, DUPLICATED, HASH, 0x4c, 0xff, .depth = 0),
    OWN("duplicated, leaf twice", SHA256, DUPLICATED, ZEROS, NONE, NONE, .leaf_twice = true),
    OWN("zero-padded, prefixes", SHA256, ZERO_PADDED, ZEROS, 255, 0, .depth = 0),
    OWN("zero-padded, depth 13, leaf prefix", SHA256, ZERO_PADDED, ZEROS, 0, NONE, .depth = 13),
    OWN("zero-padded, depth 40, twice", SHA256, ZERO_PADDED, HASH, NONE, NONE, TWICE, .depth = 40),
    OWN("given, promoted, node prefix", SHA256, PROMOTED, REFUSED, NONE, 1, GIVEN),
    OWN("given, refused, BLAKE3", BLAKE3, REFUSED, HASH, NONE, NONE, GIVEN),
    OWN("duplicated, BLAKE3", BLAKE3, DUPLICATED, REFUSED, NONE, NONE, .depth = 0),
    OWN("given, zero-padded, depth 32, BLAKE3", BLAKE3, ZERO_PADDED, ZEROS, NONE, NONE, GIVEN, .depth = 32),
    OWN("given, duplicated, BLAKE2s", BLAKE2S, DUPLICATED, ZEROS, NONE, NONE, GIVEN),
    OWN("zero-padded, depth 20, BLAKE2s", BLAKE2S, ZERO_PADDED, ZEROS, NONE, NONE, .depth = 20),
};

bool quick(void)
{
    const char *value = getenv("PLEACH_TEST_QUICK");
    return value && *value;
}

size_t scheme_count(void)
{
    return quick() ? 7 : SCHEMES;
}

bool is_accepted(const pleach_scheme *scheme, uint64_t n)
{
    if (n == 0)
        return scheme->empty != PLEACH_EMPTY_REFUSED;
    return (scheme->lone != PLEACH_LONE_REFUSED || (n & (n - 1)) == 0) &&
           (scheme->depth == 0 || n <= (uint64_t)1 << scheme->depth);
}

size_t leaf_size_of(const pleach_scheme *scheme, size_t size)
{
    return scheme->leaf_given ? PLEACH_DIGEST_SIZE : size;
}

pleach_pool *open_pool(int workers, const char *backend)
{
    pleach_config config;
    pleach_pool *pool = NULL;
    pleach_config_init(&config);
    config.workers = workers;
    config.log_level = PLEACH_LOG_ERROR;
    (void)snprintf(config.backend, sizeof config.backend, "%s", backend);
    assert_int_equal(pleach_pool_create(&pool, &config), PLEACH_OK);
    assert_non_null(pool);
    return pool;
}

static void add_pool(int workers, const char *backend)
{
    trials = realloc(trials, (trial_count + 1) * sizeof *trials);
    assert_non_null(trials);
    struct trial *added = &trials[trial_count++];
    (void)snprintf(added->name, sizeof added->name, "%d workers, backend %s", workers, backend);
    added->pool = workers > 0 ? open_pool(workers, backend) : NULL;
}

int open_trials(void **state)
{
    static const int workers[] = {0, 1, 2, 8};
    (void)state;
    for (size_t i = 0; i < sizeof workers / sizeof workers[0] - quick(); i++)
        add_pool(workers[i], "");
    for (int f = 0; f < PLEACH_HASH_FAMILIES; f++) {
        const pleach__family *family = pleach__family_of((pleach_family)f);
        for (size_t b = 0; family->backends[b] != NULL; b++) {
            const pleach__backend *backend = family->backends[b];
            char pin[PLEACH_BACKEND_SIZE];
            if (backend->streaming || !backend->usable(pleach__cpu_features())) {
                print_message("SKIPPED: %s:%s: this host lacks %s\n", family->name, backend->name, backend->needs);
                continue;
            }
            (void)snprintf(pin, sizeof pin, "%s:%s", family->name, backend->name);
            if (!quick())
                add_pool(2, pin);
        }
    }
    return 0;
}

int close_trials(void **state)
{
    (void)state;
    while (trial_count > 0)
        assert_int_equal(pleach_pool_destroy(trials[--trial_count].pool), PLEACH_OK);
    free(trials);
    trials = NULL;
    return 0;
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

uint64_t random_below(uint64_t *state, uint64_t bound)
{
    return mix(*state += 0x9E3779B97F4A7C15) % bound;
}

void fill_stream(uint8_t *bytes, size_t size)
{
    uint64_t word = 0;
    for (size_t i = 0; i < size; i++) {
        if (i % 8 == 0)
            word = mix((i / 8 + 1) * 0x9E3779B97F4A7C15);
        bytes[i] = (uint8_t)(word >> 8 * (i % 8));
    }
}

enum { PAGE = 4096 };

static size_t whole_pages(size_t size)
{
    return (size + PAGE - 1) / PAGE * PAGE;
}

uint8_t *guarded(size_t size)
{
    size_t overrun = emulated_overrun(), inner = whole_pages(size + overrun);
    uint8_t *map = mmap(NULL, inner + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(map != MAP_FAILED);
    assert_int_equal(inner > 0 ? mprotect(map + PAGE, inner, PROT_READ | PROT_WRITE) : 0, 0);
    return map + PAGE + inner - overrun - size;
}

void guarded_free(uint8_t *bytes, size_t size)
{
    size_t overrun = emulated_overrun(), inner = whole_pages(size + overrun);
    assert_int_equal(munmap(bytes + size + overrun - inner - PAGE, inner + 2 * PAGE), 0);
}

static _Thread_local char thread;

struct source source_of(const uint8_t *bytes, size_t size, uint64_t pieces)
{
    return (struct source){
        .bytes = bytes, .size = size, .pieces = pieces, .fail_at = SIZE_MAX, .cancel_at = SIZE_MAX, .thread = &thread};
}

pleach_status read_source(void *context, uint8_t *buffer, size_t size, size_t *got)
{
    struct source *source = context;
    source->reads++;
    if (source->thread != &thread)
        return (pleach_status)(PLEACH_ETASK + 1);
    if (source->at >= source->fail_at)
        return (pleach_status)(PLEACH_ETASK + 7);
    if (source->monitor && source->at >= source->cancel_at)
        pleach_monitor_cancel(source->monitor);
    size_t piece = source->size - source->at < size ? source->size - source->at : size;
    if (source->pieces != 0 && piece > 1)
        piece = 1 + (size_t)random_below(&source->pieces, piece);
    if (piece > 0)
        memcpy(buffer, source->bytes + source->at, piece);
    source->at += piece;
    *got = piece;
    return PLEACH_OK;
}

void watch(void *context, uint64_t done, uint64_t total)
{
    struct record *record = context;
    assert_true(done >= record->done && done <= total && total >= record->total);
    record->done = done;
    record->total = total;
    record->calls++;
    if (record->cancels)
        pleach_monitor_cancel(record->cancels);
}
