/* What a scheme's rules come to for leaves of one form, and how its nodes are made from each other. */
#ifndef PLEACH_SCHEME_H
#define PLEACH_SCHEME_H

#include "kernels/backend.h"
#include "merkle/merkle.h"
#include "merkle/shape.h"

/* How the leaves and nodes of one tree are hashed. */
typedef struct pleach__hashing {
    pleach_family family;
    bool given;                   /* leaves are digests already: there is no leaf plan */
    pleach__hash_plan leaf, node; /* leaf: of leaves of one size */
    pleach_lone_node lone;
    unsigned depth;
    uint8_t zero[PLEACH__LEVELS_MAX][PLEACH_DIGEST_SIZE]; /* zero-padded schemes: roots of zero subtrees by level */
} pleach__hashing;

/* For error texts. Never NULL. */
const char *pleach__scheme_name(const pleach_scheme *scheme);

/* PLEACH_EINVAL if there is no scheme, or one that cannot be computed. */
pleach_status pleach__scheme_check(const pleach_scheme *scheme);

/* PLEACH_EINVAL if a checked scheme has no tree of so many leaves; PLEACH_ERANGE if its depth is too small for them. */
pleach_status pleach__scheme_check_count(const pleach_scheme *scheme, uint64_t count);

/* Levels of a tree of `count` leaves, the root's included; 0 of none. */
unsigned pleach__scheme_levels(const pleach_scheme *scheme, uint64_t count);

/* Checks the scheme too. Errors as pleach__family.plan, and PLEACH_EINVAL for zeros, or a size of given leaves, that
   the scheme does not allow. */
pleach_status pleach__scheme_hashing(const pleach_scheme *scheme, size_t size, size_t zeros, pleach__hashing *hashing);

/* The same for what needs no leaf plan: nodes alone. */
pleach_status pleach__scheme_nodes(const pleach_scheme *scheme, pleach__hashing *hashing);

/* The backend that hashes for callers of a pool; PLEACH_EBACKEND if this host has none. */
pleach_status pleach__backend_of(pleach_pool *pool, pleach_family family, const pleach__backend **backend);

/* The root of a tree of no leaves, which a checked scheme must allow. */
pleach_status pleach__scheme_empty_root(const pleach_scheme *scheme, pleach_pool *pool, uint8_t *root);

/* parent = node rule of (left, right); may be where either is. */
void pleach__hash_pair(const pleach__hashing *hashing, const pleach__backend *backend, const uint8_t *left,
                       const uint8_t *right, uint8_t *parent);

/* The parent of a node of `level` that has no right sibling, by the scheme's lone rule; may be where the node is. */
void pleach__hash_lone(const pleach__hashing *hashing, const pleach__backend *backend, unsigned level,
                       const uint8_t *node, uint8_t *parent);

/* Raises a node that has no right sibling from level `from` to level `to`. */
void pleach__raise(const pleach__hashing *hashing, const pleach__backend *backend, unsigned from, unsigned to,
                   uint8_t *node);

/*
 * The (count + 1) / 2 parents of `count` nodes of `level`, of which the last, if their number is odd, has no sibling.
 * `parents` may be `nodes`.
 */
void pleach__hash_parents(const pleach__hashing *hashing, const pleach__backend *backend, unsigned level,
                          const uint8_t *nodes, size_t count, uint8_t *parents);

#endif
