/* What the files of this program share. */
#ifndef PLEACH_MERKLE_TEST_H
#define PLEACH_MERKLE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/backend.h"
#include "merkle/proof.h"
#include "tests/trials.h"

/* --- naive.c: the definitions, written recursively over the families' references --- */

enum { LEVELS = 65, PATH = PLEACH_PATH_MAX * PLEACH_DIGEST_SIZE };

void naive_leaf(const pleach_scheme *scheme, const uint8_t *leaf, size_t size, size_t zeros, uint8_t *digest);
void naive_node(const pleach_scheme *scheme, const uint8_t *left, const uint8_t *right, uint8_t *node);

/* Levels above the leaves: the scheme's depth, or as many as n leaves need. */
unsigned naive_height(const pleach_scheme *scheme, uint64_t n);

/* Root over n leaf hashes; of none, what the scheme says. */
void naive_root(const pleach_scheme *scheme, const uint8_t *hashes, size_t n, uint8_t *root);

/* Siblings on the way of leaf `index` to the root, bottom up, made up ones included, and on which side they are;
   returns their number. */
size_t naive_path(const pleach_scheme *scheme, const uint8_t *hashes, size_t n, size_t index, uint8_t *path,
                  uint8_t *sides);

/* The same without digests, where lone nodes are promoted. */
size_t naive_sides(uint64_t n, uint64_t index, uint8_t *sides);

/* All levels of a tree, one after the other, from its leaf hashes, n > 0, in room for 2n + LEVELS digests; returns the
   number of levels. */
unsigned naive_levels(const pleach_scheme *scheme, const uint8_t *hashes, size_t n, uint8_t *nodes,
                      const uint8_t *level[LEVELS]);

/* --- material.c: schemes, sources --- */

/* BLAKE2s with which trees of every size exist; SHA-256 with which only powers of two do. */
extern const pleach_scheme promoting_blake2s, refusing_sha256;

/* The presets, and schemes of users' own: all families, leaf rules, lone rules and empty trees, prefixes, depths. */
enum { SCHEMES = 20 };
extern const pleach_scheme *const every_scheme[SCHEMES];

/* How many of the schemes a test goes through, the presets first. */
size_t scheme_count(void);

/* Whether there is a tree of n leaves; what a scheme's leaves must be long, or `size` where they are hashed. */
bool is_accepted(const pleach_scheme *scheme, uint64_t n);
size_t leaf_size_of(const pleach_scheme *scheme, size_t size);

/* The first bytes of the vector files' stream of SplitMix64 words. */
static inline void fill_stream(uint8_t *bytes, size_t size)
{
    fill_random(bytes, size, 0);
}

/* `size` bytes that end where memory that must not be touched begins, and begin where such memory ends if a page
   divides size. */
uint8_t *guarded(size_t size);
void guarded_free(uint8_t *bytes, size_t size);

/* A leaf of bytes at a time, in pieces of random sizes. */
struct source {
    const uint8_t *bytes;
    size_t size, at;
    uint64_t pieces; /* state of the random sizes; 0 = as much as fits */
    size_t fail_at;  /* fails once so much was read, with PLEACH_ETASK + 7; SIZE_MAX = never */
    pleach_monitor *monitor;
    size_t cancel_at;   /* cancels monitor once so much was read */
    const char *thread; /* address of a thread-local of the thread that must read */
    unsigned reads;
};

struct source source_of(const uint8_t *bytes, size_t size, uint64_t pieces);
pleach_status read_source(void *context, uint8_t *buffer, size_t size, size_t *got);

/* What a monitor with watch() and this for its context was told, each time no less than before. */
struct record {
    uint64_t done, total, calls;
    pleach_monitor *cancels; /* is cancelled at the first call, if given */
};
void watch(void *context, uint64_t done, uint64_t total);

/* --- altered.c: trees to prove things about, and what proofs are altered by --- */

/* Without a pool; leaf i is the size bytes at bytes + i * size. */
pleach_tree *plant_tree(const pleach_scheme *scheme, const uint8_t *bytes, size_t size, size_t count);

/* A good proof, and room for one node more. */
struct altered {
    uint8_t *path;
    size_t *nodes;
    pleach_status (*verify)(const void *context);
    const void *context;
};

/* Refused, each with its own status: a node more; each node dropped, doubled, and swapped with the next. Then the proof
   is as it was. */
void alter_nodes(const struct altered *proof);

/* --- vector_file.c: reading tests/vectors --- */

/* Bytes of hex digits, up to what is none; "-" has none. */
size_t from_hex(const char *text, uint8_t *bytes, size_t capacity);

void assert_hex(const uint8_t *digest, const char *hex);

/* Lines with a key for their first token; comments and [tags] are cut off. */
struct line_kind {
    const char *key;
    void (*check)(char **token, size_t count); /* token[0] is the key */
    unsigned lines;                            /* how many there are in the file */
};

/* Checks all lines of some kinds, in the order they come in, and that there are as many as expected. */
void check_lines(const char *name, const struct line_kind *kinds, size_t count);

/* [kind name], and then lines key = value. */
struct section;

/* NULL if there is no such key. */
const char *section_text(const struct section *section, const char *key);

size_t section_number(const struct section *section, const char *key);

/* Checks all sections of a kind; returns how many there are. */
size_t check_sections(const char *name, const char *kind, void (*check)(const struct section *section));

/* Each file's tests; returns how many failed. */
int test_vectors(void);
int test_tiles(void);
int test_shapes(void);
int test_lists(void);
int test_traps(void);
int test_proofs(void);
int test_forgeries(void);
int test_batches(void);
int test_consistency(void);
int test_cometbft(void);
int test_cometbft_data(void);
int test_streams(void);
int test_faults(void);
int test_changes(void);
int test_refused_changes(void);
int test_shared_changes(void);
int test_tree_files(void);
int test_deposits(void);
int test_ssz(void);
int test_ssz_proofs(void);
int test_frontiers(void);
int test_frontier_encodings(void);
int test_bitcoin(void);
int test_multiproofs(void);

#endif
