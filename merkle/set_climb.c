#include "merkle/set_climb.h"

#include "config/error.h"
#include "merkle/tile.h"
#include "pool/memory.h"

#include <string.h>

/* Bytes for a leaf of the set: its digest, its pair, its index and the place of its parent. */
enum { LEAF_BYTES = 3 * PLEACH_DIGEST_SIZE + sizeof(uint64_t) + sizeof(size_t) };

pleach_status pleach__set_climb_begin(pleach__set_climb *climb, pleach_pool *pool, const pleach_scheme *scheme,
                                      uint64_t count, const uint64_t *indices, size_t n)
{
    *climb = (pleach__set_climb){.pool = pool, .capacity = n};
    pleach_status status = pleach__scheme_nodes(scheme, &climb->hashing);
    if (status == PLEACH_OK)
        status = pleach__backend_of(pool, scheme->family, &climb->backend);
    if (status != PLEACH_OK)
        return status;
    if (n > PTRDIFF_MAX / LEAF_BYTES)
        return pleach__fail(PLEACH_ERANGE, "n = %zu: their nodes would not fit the address space", n);
    uint8_t *memory = pleach__allocate(pool, n * LEAF_BYTES);
    if (!memory)
        return pleach__fail(PLEACH_ENOMEM, "%zu bytes for the nodes of %zu leaves could not be had", n * LEAF_BYTES, n);
    climb->digests = memory;
    climb->pairs = memory + PLEACH_DIGEST_SIZE * n;
    uint64_t *index = (uint64_t *)(void *)(climb->pairs + 2 * PLEACH_DIGEST_SIZE * n);
    climb->parent = (size_t *)(void *)(index + n);
    memcpy(index, indices, n * sizeof *index);
    climb->set = (pleach__set){.level_size = count, .index = index, .n = n};
    return PLEACH_OK;
}

void pleach__set_climb_end(pleach__set_climb *climb)
{
    pleach__release(climb->pool, climb->digests, climb->capacity * LEAF_BYTES);
}

static uint8_t *digest_of(const pleach__set_climb *climb, size_t i)
{
    return climb->digests + PLEACH_DIGEST_SIZE * i;
}

/* Lays out the pairs of a level; returns their number. A lone node is the one beyond them. */
static size_t pair_up(pleach__set_climb *climb, const uint8_t **siblings)
{
    const pleach__set *set = &climb->set;
    size_t pairs = 0;
    for (size_t i = 0; i < set->n; i++) {
        const pleach__sibling sibling = pleach__set_sibling(set, i);
        const bool is_right = (set->index[i] & 1) != 0;
        uint8_t *pair = climb->pairs + 2 * PLEACH_DIGEST_SIZE * pairs;
        climb->parent[i] = pairs;
        if (sibling == PLEACH__SIBLING_NONE)
            break;
        memcpy(pair + (is_right ? PLEACH_DIGEST_SIZE : 0), digest_of(climb, i), PLEACH_DIGEST_SIZE);
        if (sibling == PLEACH__SIBLING_MEMBER) {
            climb->parent[++i] = pairs;
            memcpy(pair + PLEACH_DIGEST_SIZE, digest_of(climb, i), PLEACH_DIGEST_SIZE);
        } else {
            memcpy(pair + (is_right ? 0 : PLEACH_DIGEST_SIZE), *siblings, PLEACH_DIGEST_SIZE);
            *siblings += PLEACH_DIGEST_SIZE;
        }
        pairs++;
    }
    return pairs;
}

/* The sibling of node i of the set as an inclusion proof has it; NULL if it has none. */
static const uint8_t *sibling_in_path(const pleach__set_climb *climb, size_t i, size_t pairs)
{
    const pleach__set *set = &climb->set;
    if (climb->parent[i] < pairs)
        return climb->pairs + PLEACH_DIGEST_SIZE * (2 * climb->parent[i] + ((set->index[i] & 1) == 0));
    if (climb->hashing.lone == PLEACH_LONE_DUPLICATED)
        return digest_of(climb, i);
    return climb->hashing.lone == PLEACH_LONE_ZERO_PADDED ? climb->hashing.zero[set->level] : NULL;
}

static void extend_paths(const pleach__set_climb *climb, const pleach__set_paths *paths, size_t pairs)
{
    for (size_t q = 0; q < paths->n; q++) {
        const uint8_t *sibling = sibling_in_path(climb, paths->place[q], pairs);
        if (sibling) {
            memcpy(paths->path[q], sibling, PLEACH_DIGEST_SIZE);
            paths->path[q] += PLEACH_DIGEST_SIZE;
        }
        paths->place[q] = climb->parent[paths->place[q]];
    }
}

static void hash_level(pleach__set_climb *climb, size_t pairs)
{
    const size_t last = climb->set.n - 1;
    uint8_t lone[PLEACH_DIGEST_SIZE];
    memcpy(lone, digest_of(climb, last), sizeof lone);
    climb->backend->hash_many(&climb->hashing.node, climb->pairs, 2 * PLEACH_DIGEST_SIZE, pairs, climb->digests);
    if (climb->parent[last] == pairs)
        pleach__hash_lone(&climb->hashing, climb->backend, climb->set.level, lone, digest_of(climb, pairs));
}

/* What the depth of the scheme adds above the first level of one node. */
static void raise_to_depth(pleach__set_climb *climb, const pleach__set_paths *paths)
{
    for (; climb->set.level < climb->hashing.depth; climb->set.level++) {
        climb->parent[0] = 0;
        if (paths)
            extend_paths(climb, paths, 0);
        pleach__hash_lone(&climb->hashing, climb->backend, climb->set.level, climb->digests, climb->digests);
    }
}

pleach_status pleach__set_climb_to(pleach__set_climb *climb, const uint8_t *siblings, const pleach__set_paths *paths,
                                   const uint8_t *root)
{
    while (pleach__set_rises(&climb->set)) {
        const size_t pairs = pair_up(climb, &siblings);
        if (climb->hashing.lone == PLEACH_LONE_DUPLICATED && pleach__has_equal_pair(climb->pairs, 2 * pairs))
            return pleach__fail(PLEACH_EPROOFMUTATED, "at level %u a node is its own sibling", climb->set.level);
        if (paths)
            extend_paths(climb, paths, pairs);
        hash_level(climb, pairs);
        (void)pleach__set_rise(&climb->set);
    }
    raise_to_depth(climb, paths);
    if (memcmp(climb->digests, root, PLEACH_DIGEST_SIZE) != 0)
        return pleach__fail(PLEACH_EPROOFROOT, "the proof of %zu leaves leads to another root", climb->capacity);
    return PLEACH_OK;
}
