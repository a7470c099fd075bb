#include "merkle/multiproof.h"

#include "config/error.h"
#include "merkle/set_climb.h"
#include "merkle/stored.h"
#include "pool/memory.h"

#include <string.h>

pleach_status pleach__set_check(const uint64_t *indices, size_t n, uint64_t count)
{
    if (n == 0)
        return pleach__fail(PLEACH_EPROOFEMPTY, "n = 0: a proof of no leaves proves nothing");
    for (size_t i = 0; i < n; i++) {
        if (indices[i] >= count)
            return pleach__fail(PLEACH_EPROOFINDEX, "indices[%zu] = %llu: of %llu leaves", i,
                                (unsigned long long)indices[i], (unsigned long long)count);
        if (i > 0 && indices[i] <= indices[i - 1])
            return pleach__fail(indices[i] == indices[i - 1] ? PLEACH_EPROOFDUPLICATE : PLEACH_EPROOFUNSORTED,
                                "indices[%zu] = %llu: after %llu", i, (unsigned long long)indices[i],
                                (unsigned long long)indices[i - 1]);
    }
    return PLEACH_OK;
}

/* A set of its own memory, which the caller releases. */
static pleach_status copy_set(pleach_pool *pool, const uint64_t *indices, size_t n, uint64_t count, pleach__set *set)
{
    uint64_t *copy = pleach__allocate(pool, n * sizeof *copy);
    if (!copy)
        return pleach__fail(PLEACH_ENOMEM, "%zu bytes for indices could not be had", n * sizeof *copy);
    memcpy(copy, indices, n * sizeof *copy);
    *set = (pleach__set){.level_size = count, .index = copy, .n = n};
    return PLEACH_OK;
}

static pleach_status count_siblings(pleach_pool *pool, const uint64_t *indices, size_t n, uint64_t count,
                                    size_t *siblings)
{
    pleach__set set = {.level = 0};
    pleach_status status = copy_set(pool, indices, n, count, &set);
    if (status != PLEACH_OK)
        return status;
    size_t given = 0;
    while (pleach__set_rises(&set))
        given += pleach__set_rise(&set);
    pleach__release(pool, set.index, n * sizeof *set.index);
    *siblings = given;
    return PLEACH_OK;
}

pleach_status pleach__set_siblings(pleach_pool *pool, const pleach_scheme *scheme, uint64_t count,
                                   const uint64_t *indices, size_t n, size_t *siblings)
{
    if (!siblings || (!indices && n > 0))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", siblings ? "indices" : "siblings");
    pleach_status status = pleach__scheme_check(scheme);
    if (status == PLEACH_OK)
        status = pleach__set_check(indices, n, count);
    if (status == PLEACH_OK)
        status = pleach__scheme_check_count(scheme, count);
    return status == PLEACH_OK ? count_siblings(pool, indices, n, count, siblings) : status;
}

pleach_status pleach_multiproof_length(const pleach_scheme *scheme, uint64_t count, const uint64_t *indices, size_t n,
                                       size_t *siblings)
{
    return pleach__set_siblings(NULL, scheme, count, indices, n, siblings);
}

/* Copies the siblings that a level gives; returns where they end. */
static uint8_t *copy_level(const pleach_tree *tree, const pleach__set *set, uint8_t *out)
{
    for (size_t i = 0; i < set->n; i++) {
        const pleach__sibling sibling = pleach__set_sibling(set, i);
        if (sibling == PLEACH__SIBLING_GIVEN) {
            memcpy(out, pleach_tree_nodes(tree, set->level, (size_t)(set->index[i] ^ 1), NULL), PLEACH_DIGEST_SIZE);
            out += PLEACH_DIGEST_SIZE;
        }
        i += sibling == PLEACH__SIBLING_MEMBER;
    }
    return out;
}

pleach_status pleach_multiproof_prove(const pleach_tree *tree, const uint64_t *indices, size_t n, uint8_t *siblings,
                                      size_t capacity, size_t *written)
{
    if (!tree || !written || (!siblings && capacity > 0))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", !tree ? "tree" : !written ? "written" : "siblings");
    pleach_pool *pool = tree->pages.pool;
    const uint64_t count = pleach_tree_size(tree);
    size_t needed = 0;
    pleach__set set = {.level = 0};
    pleach_status status = pleach__set_siblings(pool, pleach_tree_scheme(tree), count, indices, n, &needed);
    if (status != PLEACH_OK)
        return status;
    if (needed > capacity)
        return pleach__fail(PLEACH_ERANGE, "capacity = %zu: the proof has %zu siblings", capacity, needed);
    status = copy_set(pool, indices, n, count, &set);
    if (status != PLEACH_OK)
        return status;
    for (uint8_t *out = siblings; pleach__set_rises(&set); (void)pleach__set_rise(&set))
        out = copy_level(tree, &set, out);
    pleach__release(pool, set.index, n * sizeof *set.index);
    *written = needed;
    return PLEACH_OK;
}

static pleach_status check_given(size_t given, size_t needed)
{
    if (given < needed)
        return pleach__fail(PLEACH_EPROOFMISSING, "given = %zu: %zu siblings belong to these leaves", given, needed);
    if (given > needed)
        return pleach__fail(PLEACH_EPROOFUNUSED, "given = %zu: %zu siblings belong to these leaves", given, needed);
    return PLEACH_OK;
}

pleach_status pleach_multiproof_verify(pleach_pool *pool, const pleach_scheme *scheme, uint64_t count,
                                       const uint64_t *indices, const uint8_t *leaf_hashes, size_t n,
                                       const uint8_t *siblings, size_t given, const uint8_t *root)
{
    if (!leaf_hashes || !root || (!siblings && given > 0))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", !leaf_hashes ? "leaf_hashes" : !root ? "root" : "siblings");
    size_t needed = 0;
    pleach__set_climb climb;
    pleach_status status = pleach__set_siblings(pool, scheme, count, indices, n, &needed);
    if (status == PLEACH_OK)
        status = check_given(given, needed);
    if (status == PLEACH_OK)
        status = pleach__set_climb_begin(&climb, pool, scheme, count, indices, n);
    if (status != PLEACH_OK)
        return status;
    memcpy(climb.digests, leaf_hashes, PLEACH_DIGEST_SIZE * n);
    status = pleach__set_climb_to(&climb, siblings, NULL, root);
    pleach__set_climb_end(&climb);
    return status;
}
