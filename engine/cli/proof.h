/* Proofs as the command has them: made from a file or a tree, written and read as JSON, checked. */
#ifndef PLEACH_CLI_PROOF_H
#define PLEACH_CLI_PROOF_H

#include "engine/cli/cli.h"
#include "engine/cli/input.h"

#include <stdio.h>

typedef enum pleach__proof_kind {
    PLEACH__PROOF_LEAF,   /* inclusion */
    PLEACH__PROOF_LEAVES, /* multiproof */
    PLEACH__PROOF_OLDER,  /* consistency */
    PLEACH__PROOF_KINDS
} pleach__proof_kind;

/* Zero-initialise it, and release it. */
typedef struct pleach__proof {
    pleach__proof_kind kind;
    pleach_scheme scheme;
    size_t leaf_size; /* 0: it does not say */
    uint64_t count;
    uint8_t root[PLEACH_DIGEST_SIZE];
    uint64_t older; /* consistency: of the older tree */
    uint8_t older_root[PLEACH_DIGEST_SIZE];
    size_t leaves, nodes;
    uint64_t *indices;    /* of the leaves */
    uint8_t *leaf_hashes; /* of the leaves */
    uint8_t *path;        /* the nodes: from the leaf upwards, siblings, or as RFC 9162 has them */
} pleach__proof;

/* Make room in a proof that has none yet: PLEACH_ENOMEM. */
pleach_status pleach__proof_reserve_leaves(pleach__proof *proof, size_t leaves);
pleach_status pleach__proof_reserve_nodes(pleach__proof *proof, size_t nodes);

void pleach__proof_release(pleach__proof *proof);

/* Leaves that a source of `size` bytes has, the last one as short as it comes. */
uint64_t pleach__leaf_count(uint64_t size, size_t leaf_size);

/*
 * Completes the proof of a leaf whose scheme, which refuses or promotes lone nodes, and leaf size are set. Needs memory
 * for a read window, not for a tree. `name` is for the progress bar.
 */
pleach_status pleach__proof_make(pleach__proof *proof, pleach_pool *pool, const pleach__span *source, uint64_t index,
                                 const char *name);

/* The proof of one leaf or several of a tree. Its leaf size is left alone. */
pleach_status pleach__proof_of_leaves(pleach__proof *proof, const pleach_tree *tree, const pleach__asked *asked,
                                      size_t leaves);

/* The proof that a tree begins with its first `older` leaves. */
pleach_status pleach__proof_of_older(pleach__proof *proof, const pleach_tree *tree, uint64_t older);

/* The root of the first `count` leaves of a tree. */
pleach_status pleach__older_root(const pleach_tree *tree, uint64_t count, uint8_t root[PLEACH_DIGEST_SIZE]);

/* The preset with the same rules but for the depth, or NULL. */
const pleach_scheme *pleach__scheme_preset(const pleach_scheme *scheme);

/* Whether two schemes have the same rules. */
bool pleach__scheme_equal(const pleach_scheme *a, const pleach_scheme *b);

/* "ssz, depth 40", for people. */
void pleach__scheme_describe(const pleach_scheme *scheme, char *text, size_t size);

/* Whether there is a leaf to prove; false after a message. */
bool pleach__asks_for_leaf(const pleach__options *options);

/* Prints a proof and releases it; if `status` says that there is none, complains about `path`. Returns the exit code.
 */
int pleach__proof_finish(pleach__proof *proof, pleach_status status, const char *path);

/* False if memory ran out or the file cannot be written. */
bool pleach__proof_write(const pleach__proof *proof, FILE *file);

/* Accepts what pleach__proof_write() writes, whatever the order and the spacing, and nothing else. */
pleach_status pleach__proof_parse(pleach__proof *proof, const char *text, size_t size);

/* Reads a proof from a file or standard input: PLEACH_EIO if that cannot be, PLEACH_EINVAL if it is none. */
pleach_status pleach__proof_read(pleach__proof *proof, const char *path);

/*
 * Checks a proof against what the options say is known: the root, numbers of leaves, leaves. Prints ok or refused, or
 * complains; returns the exit code.
 */
int pleach__proof_check(pleach_pool *pool, const pleach__options *known, const pleach__proof *proof);

#endif
