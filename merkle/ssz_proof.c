/* Proofs by generalized index. */
#include "config/error.h"
#include "config/little_endian.h"
#include "merkle/scheme.h"
#include "merkle/ssz.h"
#include "merkle/stored.h"
#include "pool/memory.h"

#include <string.h>

enum { D = PLEACH_DIGEST_SIZE };

/* A tree as generalized indices see it. */
struct view {
    const pleach_tree *tree;
    unsigned depth;              /* of the chunks below their root */
    bool is_list;                /* a length is mixed in: */
    uint8_t length[D], mixed[D]; /* node 3 and node 1 */
    pleach__hashing hashing;
};

static unsigned depth_of(uint64_t index)
{
    return pleach__bit_length(index) - 1;
}

static bool is_ssz(const pleach_scheme *scheme)
{
    return scheme->family == PLEACH_SHA256 && scheme->leaf_given && scheme->node_prefix == PLEACH_NO_PREFIX &&
           !scheme->node_twice && scheme->lone == PLEACH_LONE_ZERO_PADDED;
}

/* Of an index that the tree has, or the sibling of one. */
static void get_node(const struct view *view, uint64_t index, uint8_t *node)
{
    unsigned depth = depth_of(index);
    const uint8_t *found = NULL;
    if (view->is_list && index == 1) {
        found = view->mixed;
    } else if (view->is_list && index == 3) {
        found = view->length;
    } else {
        depth -= view->is_list;
        const unsigned level = view->depth - depth;
        found = pleach_tree_nodes(view->tree, level, (size_t)(index & (((uint64_t)1 << depth) - 1)), NULL);
        if (!found)
            found = view->hashing.zero[level];
    }
    memcpy(node, found, D);
}

static pleach_status view_tree(struct view *view, const pleach_tree *tree, const uint64_t *length)
{
    if (!tree)
        return pleach__fail(PLEACH_EINVAL, "tree = NULL");
    const pleach_scheme *scheme = pleach_tree_scheme(tree);
    if (!is_ssz(scheme))
        return pleach__fail(PLEACH_EINVAL, "tree: of scheme %s: proofs by generalized index are of SSZ's",
                            pleach__scheme_name(scheme));
    const unsigned levels = pleach_tree_levels(tree);
    *view = (struct view){.tree = tree, .depth = levels > 0 ? levels - 1 : scheme->depth};
    pleach_status status = pleach__scheme_nodes(scheme, &view->hashing);
    if (status != PLEACH_OK || !length)
        return status;
    uint8_t root[D];
    get_node(view, 1, root);
    pleach__put64(view->length, *length);
    view->is_list = true;
    return pleach_ssz_mix_in_length(root, *length, view->mixed);
}

static pleach_status check_index(const struct view *view, uint64_t index)
{
    const unsigned depth = index > 0 ? depth_of(index) : 0;
    const bool below_length = view->is_list && depth > 1 && (index >> (depth - 1)) == 3;
    if (index == 0 || below_length || depth > view->depth + view->is_list)
        return pleach__fail(PLEACH_EPROOFINDEX, "index = %llu: the tree has no such node", (unsigned long long)index);
    return PLEACH_OK;
}

static pleach_status check_room(const uint8_t *path, size_t capacity, size_t needed)
{
    if (!path && capacity > 0)
        return pleach__fail(PLEACH_EINVAL, "path = NULL, capacity = %zu", capacity);
    if (needed > capacity)
        return pleach__fail(PLEACH_ERANGE, "capacity = %zu: the proof has %zu nodes", capacity, needed);
    return PLEACH_OK;
}

pleach_status pleach_ssz_prove(const pleach_tree *tree, const uint64_t *length, uint64_t index, uint8_t *node,
                               uint8_t *path, size_t capacity, size_t *nodes)
{
    struct view view;
    if (!nodes)
        return pleach__fail(PLEACH_EINVAL, "nodes = NULL");
    pleach_status status = view_tree(&view, tree, length);
    if (status == PLEACH_OK)
        status = check_index(&view, index);
    if (status == PLEACH_OK)
        status = check_room(path, capacity, depth_of(index));
    if (status != PLEACH_OK)
        return status;
    if (node)
        get_node(&view, index, node);
    *nodes = depth_of(index);
    for (; index > 1; index /= 2, path += D)
        get_node(&view, index ^ 1, path);
    return PLEACH_OK;
}

static pleach_status hash_pair(const uint8_t *pair, uint8_t *parent)
{
    return pleach_hash_many(NULL, PLEACH_SHA256, pair, 2 * D, 2 * D, 1, parent);
}

static pleach_status check_root(const uint8_t *computed, const uint8_t *root)
{
    if (memcmp(computed, root, D) != 0)
        return pleach__fail(PLEACH_EPROOFROOT, "the proof leads to another root");
    return PLEACH_OK;
}

pleach_status pleach_ssz_verify(uint64_t index, const uint8_t *node, const uint8_t *path, size_t nodes,
                                const uint8_t *root)
{
    if (!node || !root || (!path && nodes > 0))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", !node ? "node" : !root ? "root" : "path");
    if (index == 0)
        return pleach__fail(PLEACH_EPROOFINDEX, "index = 0: the root is 1");
    if (nodes != depth_of(index))
        return pleach__fail(PLEACH_EPROOFLENGTH, "nodes = %zu: %u belong to index %llu", nodes, depth_of(index),
                            (unsigned long long)index);
    uint8_t pair[2 * D], grown[D];
    pleach_status status = PLEACH_OK;
    memcpy(grown, node, D);
    for (; index > 1 && status == PLEACH_OK; index /= 2, path += D) {
        memcpy(pair + D * (index & 1), grown, D);
        memcpy(pair + D * (~index & 1), path, D);
        status = hash_pair(pair, grown);
    }
    return status == PLEACH_OK ? check_root(grown, root) : status;
}

/*
 * The nodes of a proof for several, in descending order of their indices: those given, and the parents of those taken.
 * Whoever is taken next is the largest; his sibling, where it is among them, comes right after him.
 */
struct walk {
    pleach_pool *pool;
    const uint64_t *index;
    const uint8_t *found; /* digest of each, or NULL: indices alone */
    size_t given, next;
    struct parent {
        uint64_t index;
        uint8_t node[D];
    } * parents;           /* a ring with room for as many as are given, */
    size_t first, waiting; /* of which these are still to be taken */
};

static pleach_status open_walk(struct walk *walk, pleach_pool *pool, const uint64_t *index, const uint8_t *found,
                               size_t count)
{
    if (!index || count == 0)
        return pleach__fail(PLEACH_EINVAL, index ? "count = 0: at least 1" : "index = NULL");
    if (count > PTRDIFF_MAX / sizeof(struct parent))
        return pleach__fail(PLEACH_ERANGE, "count = %zu: they would not fit the address space", count);
    for (size_t i = 1; i < count; i++)
        if (index[i] >= index[i - 1])
            return pleach__fail(PLEACH_EINVAL, "index[%zu] = %llu: not below the one before it", i,
                                (unsigned long long)index[i]);
    if (index[count - 1] == 0)
        return pleach__fail(PLEACH_EPROOFINDEX, "index[%zu] = 0: the root is 1", count - 1);
    *walk = (struct walk){.pool = pool, .index = index, .found = found, .given = count};
    walk->parents = pleach__allocate(pool, sizeof(struct parent) * count);
    if (!walk->parents)
        return pleach__fail(PLEACH_ENOMEM, "memory for %zu nodes could not be had", count);
    return PLEACH_OK;
}

static void close_walk(struct walk *walk)
{
    pleach__release(walk->pool, walk->parents, sizeof(struct parent) * walk->given);
}

/* Never 0 before the root was taken. */
static uint64_t largest(const struct walk *walk)
{
    const uint64_t given = walk->next < walk->given ? walk->index[walk->next] : 0;
    const uint64_t parent = walk->waiting > 0 ? walk->parents[walk->first].index : 0;
    return given > parent ? given : parent;
}

/* Takes the largest; false if it is given as another digest than its children lead to. */
static bool take(struct walk *walk, uint8_t *node)
{
    const uint64_t index = largest(walk);
    const bool is_given = walk->next < walk->given && walk->index[walk->next] == index;
    const bool is_parent = walk->waiting > 0 && walk->parents[walk->first].index == index;
    const uint8_t *given = walk->found && is_given ? walk->found + D * walk->next : NULL;
    const uint8_t *parent = walk->parents[walk->first].node;
    const bool agree = !given || !is_parent || memcmp(given, parent, D) == 0;
    if (walk->found)
        memcpy(node, given ? given : parent, D);
    walk->next += is_given;
    if (is_parent) {
        walk->first = walk->first + 1 < walk->given ? walk->first + 1 : 0;
        walk->waiting--;
    }
    return agree;
}

static struct parent *add_parent(struct walk *walk, uint64_t index)
{
    const size_t place = walk->first + walk->waiting++;
    struct parent *parent = &walk->parents[place < walk->given ? place : place - walk->given];
    parent->index = index;
    return parent;
}

/*
 * Goes on by a pair of siblings. `pair` takes the digests of those that were taken; the index of the other one, or 0,
 * is returned.
 */
static uint64_t take_pair(struct walk *walk, uint8_t *pair, bool *agree)
{
    const uint64_t index = largest(walk);
    *agree = take(walk, pair + D * (index & 1));
    if (largest(walk) != (index ^ 1))
        return index ^ 1;
    *agree = take(walk, pair + D * (~index & 1)) && *agree;
    return 0;
}

/* The helpers of what was opened, counted and, where `path` is given, written. */
static size_t walk_helpers(struct walk *walk, const struct view *view, uint8_t *path)
{
    size_t helpers = 0;
    while (largest(walk) > 1) {
        uint8_t pair[2 * D];
        bool agree = true;
        const uint64_t parent = largest(walk) / 2, helper = take_pair(walk, pair, &agree);
        (void)add_parent(walk, parent);
        if (helper != 0 && path)
            get_node(view, helper, path + D * helpers);
        helpers += helper != 0;
    }
    walk->next = walk->first = walk->waiting = 0;
    return helpers;
}

pleach_status pleach_ssz_prove_many(const pleach_tree *tree, const uint64_t *length, const uint64_t *index,
                                    size_t count, uint8_t *found, uint8_t *path, size_t capacity, size_t *nodes)
{
    struct view view;
    struct walk walk;
    if (!nodes)
        return pleach__fail(PLEACH_EINVAL, "nodes = NULL");
    pleach_status status = view_tree(&view, tree, length);
    if (status == PLEACH_OK)
        status = open_walk(&walk, tree->pages.pool, index, NULL, count);
    if (status != PLEACH_OK)
        return status;
    for (size_t i = 0; i < count && status == PLEACH_OK; i++)
        status = check_index(&view, index[i]);
    const size_t needed = status == PLEACH_OK ? walk_helpers(&walk, &view, NULL) : 0;
    if (status == PLEACH_OK)
        status = check_room(path, capacity, needed);
    if (status == PLEACH_OK) {
        *nodes = walk_helpers(&walk, &view, path);
        for (size_t i = 0; i < count && found; i++)
            get_node(&view, index[i], found + D * i);
    }
    close_walk(&walk);
    return status;
}

static pleach_status climb(struct walk *walk, const uint8_t *path, size_t nodes, const uint8_t *root)
{
    pleach_status status = PLEACH_OK;
    size_t used = 0;
    uint8_t pair[2 * D];
    bool agree = true;
    while (status == PLEACH_OK && largest(walk) > 1) {
        const uint64_t parent = largest(walk) / 2, helper = take_pair(walk, pair, &agree);
        if (!agree)
            return pleach__fail(PLEACH_EPROOFROOT, "a node above another is not what that one leads to");
        if (helper != 0 && used == nodes)
            return pleach__fail(PLEACH_EPROOFMISSING, "nodes = %zu: too few", nodes);
        if (helper != 0)
            memcpy(pair + D * (helper & 1), path + D * used++, D);
        status = hash_pair(pair, add_parent(walk, parent)->node);
    }
    if (status == PLEACH_OK && used < nodes)
        return pleach__fail(PLEACH_EPROOFUNUSED, "nodes = %zu: %zu are used", nodes, used);
    if (status == PLEACH_OK && !take(walk, pair))
        return pleach__fail(PLEACH_EPROOFROOT, "the root that is given is not what the others lead to");
    return status == PLEACH_OK ? check_root(pair, root) : status;
}

pleach_status pleach_ssz_verify_many(const uint64_t *index, const uint8_t *found, size_t count, const uint8_t *path,
                                     size_t nodes, const uint8_t *root)
{
    if (!found || !root || (!path && nodes > 0))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", !found ? "found" : !root ? "root" : "path");
    struct walk walk;
    pleach_status status = open_walk(&walk, NULL, index, found, count);
    if (status != PLEACH_OK)
        return status;
    status = climb(&walk, path, nodes, root);
    close_walk(&walk);
    return status;
}
