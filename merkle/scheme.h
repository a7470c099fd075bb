/* What a scheme's rules come to for leaves of one form. */
#ifndef PLEACH_SCHEME_H
#define PLEACH_SCHEME_H

#include "kernels/backend.h"
#include "merkle/merkle.h"

/* How the leaves and nodes of one tree are hashed. */
typedef struct pleach__hashing {
    pleach_family family;
    pleach__hash_plan leaf, node;
} pleach__hashing;

/* For error texts. Never NULL. */
const char *pleach__scheme_name(const pleach_scheme *scheme);

/* PLEACH_EINVAL if there is no scheme, or one that cannot be computed. */
pleach_status pleach__scheme_check(const pleach_scheme *scheme);

/* PLEACH_EINVAL if a checked scheme has no tree of so many leaves. */
pleach_status pleach__scheme_check_count(const pleach_scheme *scheme, uint64_t count);

/* Checks the scheme too. Errors as pleach__family.plan, and PLEACH_EINVAL for zeros that the scheme does not allow. */
pleach_status pleach__scheme_hashing(const pleach_scheme *scheme, size_t size, size_t zeros, pleach__hashing *hashing);

/* The backend that hashes for callers of a pool; PLEACH_EBACKEND if this host has none. */
pleach_status pleach__backend_of(pleach_pool *pool, pleach_family family, const pleach__backend **backend);

/* The root of a tree of no leaves, which a checked scheme must allow. */
pleach_status pleach__scheme_empty_root(const pleach_scheme *scheme, pleach_pool *pool, uint8_t *root);

#endif
