#define _GNU_SOURCE
#include "merkle_test.h"

#include <string.h>
#include <sys/mman.h>

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

/* There are too many to pin each where tests are to be quick. */
const pleach__family *const *trial_families(void)
{
    static const pleach__family *const families[] = {&pleach__blake2s, &pleach__sha256, &pleach__blake3, NULL};
    return quick() ? &families[3] : families;
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
