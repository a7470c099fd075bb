#include "merkle/multiproof.h"

#include "config/error.h"
#include "config/little_endian.h"
#include "merkle/leaves.h"
#include "merkle/set_climb.h"
#include "merkle/stored.h"
#include "pool/memory.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER = 8 }; /* bytes of a number, and of a word of a leaf */

/* Queries of an opening, and the leaves they are about. */
struct asked {
    pleach_pool *pool;
    const uint64_t *queries;
    size_t n;
    uint64_t *leaves; /* ascending, each once; memory for n */
    size_t distinct;
};

static int compare(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static pleach_status ask(struct asked *asked, uint64_t count)
{
    const size_t n = asked->n;
    if (n == 0)
        return pleach__fail(PLEACH_EPROOFEMPTY, "n = 0: an opening of no leaves proves nothing");
    for (size_t i = 0; i < n; i++)
        if (asked->queries[i] >= count)
            return pleach__fail(PLEACH_EPROOFINDEX, "queries[%zu] = %llu: of %llu leaves", i,
                                (unsigned long long)asked->queries[i], (unsigned long long)count);
    asked->leaves = pleach__allocate(asked->pool, n * sizeof *asked->leaves);
    if (!asked->leaves)
        return pleach__fail(PLEACH_ENOMEM, "%zu bytes for queries could not be had", n * sizeof *asked->leaves);
    memcpy(asked->leaves, asked->queries, n * sizeof *asked->leaves);
    qsort(asked->leaves, n, sizeof *asked->leaves, compare);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || asked->leaves[i] != asked->leaves[asked->distinct - 1])
            asked->leaves[asked->distinct++] = asked->leaves[i];
    return PLEACH_OK;
}

static void forget(struct asked *asked)
{
    pleach__release(asked->pool, asked->leaves, asked->n * sizeof *asked->leaves);
}

static pleach_status check_size(size_t size)
{
    if (size == 0 || size % NUMBER != 0)
        return pleach__fail(PLEACH_EINVAL, "size = %zu: leaves of an opening have whole words of %d bytes", size,
                            NUMBER);
    return PLEACH_OK;
}

static pleach_status check_leaves(const pleach_tree *tree, const pleach_leaves *leaves)
{
    pleach__row row;
    if (leaves->list)
        return pleach__fail(PLEACH_EINVAL, "leaves: a list: leaves of an opening have one size");
    if (leaves->count != pleach_tree_size(tree))
        return pleach__fail(PLEACH_EINVAL, "leaves: count = %zu: the tree has %zu leaves", leaves->count,
                            pleach_tree_size(tree));
    pleach_status status = check_size(leaves->size);
    return status == PLEACH_OK ? pleach__leaves_accept(pleach_tree_scheme(tree), leaves, &row) : status;
}

static uint8_t *put_number(uint8_t *out, uint64_t value)
{
    pleach__put64(out, value);
    return out + NUMBER;
}

/* The siblings come first: for want of memory they may not come at all. */
static pleach_status write_opening(const pleach_tree *tree, const pleach_leaves *leaves, const struct asked *asked,
                                   size_t siblings, uint8_t *out)
{
    pleach_status status =
        pleach_multiproof_prove(tree, asked->leaves, asked->distinct,
                                out + 2 * NUMBER + asked->distinct * (NUMBER + leaves->size), siblings, &siblings);
    if (status != PLEACH_OK)
        return status;
    out = put_number(out, asked->distinct);
    for (size_t i = 0; i < asked->distinct; i++) {
        out = put_number(out, leaves->size / NUMBER);
        memcpy(out, leaves->data + (size_t)asked->leaves[i] * leaves->stride, leaves->size);
        out += leaves->size;
    }
    (void)put_number(out, siblings);
    return PLEACH_OK;
}

pleach_status pleach_multiproof_open(const pleach_tree *tree, const pleach_leaves *leaves, const uint64_t *queries,
                                     size_t n, uint8_t *bytes, size_t capacity, size_t *size)
{
    if (!tree || !leaves || !size || (!queries && n > 0))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL",
                            !tree     ? "tree"
                            : !leaves ? "leaves"
                            : !size   ? "size"
                                      : "queries");
    struct asked asked = {.pool = tree->pages.pool, .queries = queries, .n = n};
    pleach_status status = check_leaves(tree, leaves);
    if (status == PLEACH_OK)
        status = ask(&asked, leaves->count);
    if (status != PLEACH_OK)
        return status;
    size_t siblings = 0, needed = 0;
    status = pleach__set_siblings(asked.pool, pleach_tree_scheme(tree), leaves->count, asked.leaves, asked.distinct,
                                  &siblings);
    if (status == PLEACH_OK &&
        (asked.distinct > (PTRDIFF_MAX - 2 * NUMBER - PLEACH_DIGEST_SIZE * siblings) / (NUMBER + leaves->size)))
        status = pleach__fail(PLEACH_ERANGE, "n = %zu: the opening would not fit the address space", n);
    if (status == PLEACH_OK) {
        needed = 2 * NUMBER + asked.distinct * (NUMBER + leaves->size) + PLEACH_DIGEST_SIZE * siblings;
        if (bytes && capacity < needed)
            status = pleach__fail(PLEACH_ERANGE, "capacity = %zu: the opening has %zu bytes", capacity, needed);
    }
    if (status == PLEACH_OK && bytes)
        status = write_opening(tree, leaves, &asked, siblings, bytes);
    if (status == PLEACH_OK)
        *size = needed;
    forget(&asked);
    return status;
}

/* What is left of an opening that is read. */
struct reader {
    const uint8_t *next;
    size_t left;
};

static pleach_status read_number(struct reader *reader, const char *what, uint64_t *value)
{
    if (reader->left < NUMBER)
        return pleach__fail(PLEACH_ETRUNCATED, "it ends before %s", what);
    *value = pleach__get64(reader->next);
    reader->next += NUMBER;
    reader->left -= NUMBER;
    return PLEACH_OK;
}

static pleach_status read_leaves(struct reader *reader, const pleach_commitment *commitment, size_t distinct)
{
    uint64_t value;
    pleach_status status = read_number(reader, "the number of leaves", &value);
    if (status != PLEACH_OK)
        return status;
    if (value != distinct)
        return pleach__fail(PLEACH_EPROOFROWS, "it has %llu leaves: %zu are asked for", (unsigned long long)value,
                            distinct);
    for (size_t i = 0; i < distinct; i++) {
        status = read_number(reader, "a leaf", &value);
        if (status != PLEACH_OK)
            return status;
        if (value != commitment->size / NUMBER)
            return pleach__fail(PLEACH_EPROOFROWSIZE, "its leaf %zu has %llu words of %d bytes: all have %zu", i,
                                (unsigned long long)value, NUMBER, commitment->size / NUMBER);
        if (reader->left < commitment->size)
            return pleach__fail(PLEACH_ETRUNCATED, "it ends within leaf %zu", i);
        reader->next += commitment->size;
        reader->left -= commitment->size;
    }
    return PLEACH_OK;
}

static pleach_status read_siblings(struct reader *reader, size_t needed)
{
    uint64_t value;
    pleach_status status = read_number(reader, "the number of siblings", &value);
    if (status != PLEACH_OK)
        return status;
    if (value != needed)
        return pleach__fail(value < needed ? PLEACH_EPROOFMISSING : PLEACH_EPROOFUNUSED,
                            "it has %llu siblings: %zu belong to these leaves", (unsigned long long)value, needed);
    if (reader->left / PLEACH_DIGEST_SIZE < needed)
        return pleach__fail(PLEACH_ETRUNCATED, "it ends within the siblings");
    if (reader->left > PLEACH_DIGEST_SIZE * needed)
        return pleach__fail(PLEACH_ETRAILING, "%zu bytes follow its end", reader->left - PLEACH_DIGEST_SIZE * needed);
    return PLEACH_OK;
}

/* Paths of the queries while they grow: places of the queries in the set, and room for every path. */
struct growth {
    pleach__set_paths paths;
    uint8_t *nodes;
    size_t path_size; /* of the longest */
    size_t bytes;     /* of all this memory */
};

static pleach_status grow(struct growth *growth, const struct asked *asked, size_t path_size)
{
    const size_t each = sizeof *growth->paths.place + sizeof *growth->paths.path + path_size;
    if (asked->n > PTRDIFF_MAX / each)
        return pleach__fail(PLEACH_ERANGE, "n = %zu: their paths would not fit the address space", asked->n);
    uint8_t **path = pleach__allocate(asked->pool, asked->n * each);
    if (!path)
        return pleach__fail(PLEACH_ENOMEM, "%zu bytes for paths could not be had", asked->n * each);
    size_t *place = (size_t *)(void *)(path + asked->n);
    *growth = (struct growth){.paths = {.place = place, .n = asked->n, .path = path},
                              .nodes = (uint8_t *)(place + asked->n),
                              .path_size = path_size,
                              .bytes = asked->n * each};
    for (size_t q = 0; q < asked->n; q++) {
        const uint64_t *leaf =
            bsearch(&asked->queries[q], asked->leaves, asked->distinct, sizeof *asked->leaves, compare);
        place[q] = (size_t)(leaf - asked->leaves);
        path[q] = growth->nodes + path_size * q;
    }
    return PLEACH_OK;
}

static void copy_paths(const struct growth *growth, uint8_t *paths, size_t stride)
{
    for (size_t q = 0; q < growth->paths.n; q++) {
        const uint8_t *path = growth->nodes + growth->path_size * q;
        memcpy(paths + stride * q, path, (size_t)(growth->paths.path[q] - path));
    }
}

static void copy_rows(const struct asked *asked, const uint8_t *leaves, size_t size, const uint8_t **rows)
{
    for (size_t q = 0; q < asked->n; q++) {
        const uint64_t *leaf =
            bsearch(&asked->queries[q], asked->leaves, asked->distinct, sizeof *asked->leaves, compare);
        rows[q] = leaves + (NUMBER + size) * (size_t)(leaf - asked->leaves);
    }
}

static pleach_status check_commitment(const pleach_commitment *commitment)
{
    pleach__hashing hashing;
    pleach_status status = check_size(commitment->size);
    if (status == PLEACH_OK)
        status = pleach__scheme_hashing(commitment->scheme, commitment->size, commitment->zeros, &hashing);
    return status == PLEACH_OK ? pleach__scheme_check_count(commitment->scheme, commitment->count) : status;
}

/* Hashes the leaves of an opening that was read, and climbs. `growth` may be NULL. */
static pleach_status climb_to(const pleach_commitment *commitment, const struct asked *asked, const uint8_t *leaves,
                              const uint8_t *siblings, const struct growth *growth)
{
    const pleach_leaves stored = {.data = leaves,
                                  .size = commitment->size,
                                  .stride = NUMBER + commitment->size,
                                  .count = asked->distinct,
                                  .zeros = commitment->zeros};
    pleach__row row;
    pleach__set_climb climb;
    pleach_status status = pleach__leaves_plan(commitment->scheme, &stored, &row);
    if (status == PLEACH_OK)
        status = pleach__set_climb_begin(&climb, asked->pool, commitment->scheme, commitment->count, asked->leaves,
                                         asked->distinct);
    if (status != PLEACH_OK)
        return status;
    status = pleach__hash_inputs(&row, climb.backend, 0, row.count, climb.digests);
    if (status == PLEACH_OK)
        status = pleach__set_climb_to(&climb, siblings, growth ? &growth->paths : NULL, commitment->root);
    pleach__set_climb_end(&climb);
    return status;
}

static pleach_status check_opening(const pleach_commitment *commitment, const struct asked *asked, const uint8_t *bytes,
                                   size_t size, const struct growth *growth)
{
    struct reader reader = {bytes, size};
    size_t needed = 0;
    pleach_status status = read_leaves(&reader, commitment, asked->distinct);
    if (status == PLEACH_OK)
        status = pleach__set_siblings(asked->pool, commitment->scheme, commitment->count, asked->leaves,
                                      asked->distinct, &needed);
    if (status == PLEACH_OK)
        status = read_siblings(&reader, needed);
    return status == PLEACH_OK ? climb_to(commitment, asked, bytes + 2 * NUMBER, reader.next, growth) : status;
}

pleach_status pleach_multiproof_check(pleach_pool *pool, const pleach_commitment *commitment, const uint64_t *queries,
                                      size_t n, const uint8_t *bytes, size_t size, const uint8_t **rows, uint8_t *paths,
                                      size_t stride)
{
    if (!commitment || (!queries && n > 0) || (!bytes && size > 0))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", !commitment ? "commitment" : bytes ? "queries" : "bytes");
    struct asked asked = {.pool = pool, .queries = queries, .n = n};
    struct growth growth = {.bytes = 0};
    pleach_status status = check_commitment(commitment);
    if (status == PLEACH_OK)
        status = ask(&asked, commitment->count);
    if (status != PLEACH_OK)
        return status;
    const size_t path_size =
        PLEACH_DIGEST_SIZE * (size_t)(pleach__scheme_levels(commitment->scheme, commitment->count) - 1);
    if (paths && stride < path_size)
        status = pleach__fail(PLEACH_ERANGE, "stride = %zu: paths have up to %zu bytes", stride, path_size);
    if (status == PLEACH_OK && paths)
        status = grow(&growth, &asked, path_size);
    if (status == PLEACH_OK)
        status = check_opening(commitment, &asked, bytes, size, paths ? &growth : NULL);
    if (status == PLEACH_OK && paths)
        copy_paths(&growth, paths, stride);
    if (status == PLEACH_OK && rows)
        copy_rows(&asked, bytes + 2 * NUMBER, commitment->size, rows);
    pleach__release(pool, growth.paths.path, growth.bytes);
    forget(&asked);
    return status;
}
