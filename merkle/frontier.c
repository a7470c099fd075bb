#include "merkle/frontier.h"

#include "config/error.h"
#include "kernels/blake3.h"
#include "merkle/edge.h"
#include "merkle/leaves.h"
#include "merkle/scheme_format.h"
#include "pool/memory.h"

#include <string.h>

enum {
    D = PLEACH_DIGEST_SIZE,
    CHUNK_MOST = 4096, /* compressions of a chunk: what lies before the first whole one and after the last is hashed by
                          the calling thread alone */
    FEW = 16           /* leaves whose digests need no memory but the stack */
};

static const char kind[] = "pleachFR";

struct pleach_frontier {
    pleach_pool *pool;
    pleach_scheme scheme;
    pleach_scheme part; /* the rules of rows that are part of the tree: no lone node is met, no depth heeded */
    pleach__hashing hashing;
    const pleach__backend *backend;
    pleach__edge edge;
};

pleach_status pleach_frontier_create(pleach_frontier **frontier, pleach_pool *pool, const pleach_scheme *scheme)
{
    if (!frontier)
        return pleach__fail(PLEACH_EINVAL, "frontier = NULL");
    pleach_status status = pleach__scheme_check(scheme);
    if (status != PLEACH_OK)
        return status;
    pleach_frontier *made = pleach__allocate(pool, sizeof *made);
    if (!made)
        return pleach__fail(PLEACH_ENOMEM, "memory for a frontier could not be had");
    made->pool = pool;
    made->scheme = made->part = *scheme;
    made->part.lone = PLEACH_LONE_PROMOTED;
    made->part.depth = 0;
    made->edge.count = 0;
    made->edge.held = 0;
    status = pleach__scheme_nodes(scheme, &made->hashing);
    if (status == PLEACH_OK)
        status = pleach__backend_of(pool, scheme->family, &made->backend);
    if (status == PLEACH_OK)
        *frontier = made;
    else
        pleach_frontier_destroy(made);
    return status;
}

void pleach_frontier_destroy(pleach_frontier *frontier)
{
    if (frontier)
        pleach__release(frontier->pool, frontier, sizeof *frontier);
}

/*
 * How leaves that are appended are cut: chunks of 2^height, where they are aligned in the tree, are folded to their
 * roots by the pool; the digests of what lies before and after those are made by the calling thread.
 */
struct cut {
    unsigned height;
    size_t before, chunks, after;
    uint8_t *row[3]; /* digests of each, with places for the roots that are joined to their left */
};

static size_t places(size_t digests)
{
    return digests + pleach__bit_length(digests);
}

static struct cut cut_leaves(const pleach_frontier *frontier, const pleach__row *row)
{
    struct cut cut = {.before = row->count};
    const size_t cost = pleach__row_cost(row);
    while (cost <= (size_t)CHUNK_MOST >> (cut.height + 1))
        cut.height++;
    const size_t chunk = (size_t)1 << cut.height;
    const size_t before = (size_t)-frontier->edge.count & (chunk - 1);
    if (row->count < before || row->count - before < chunk)
        return cut;
    cut.before = before;
    cut.chunks = (row->count - before) >> cut.height;
    cut.after = (row->count - before) & (chunk - 1);
    return cut;
}

static pleach_status fold_chunks(const pleach_frontier *frontier, const pleach__row *row, const struct cut *cut,
                                 pleach_monitor *monitor)
{
    pleach__row part = *row;
    pleach__call call = pleach__leaves_call(frontier->pool, row, monitor);
    uint8_t *level[PLEACH__LEVELS_MAX] = {NULL}, top[D];
    call.before = cut->before;
    part.inputs += cut->before * row->stride;
    part.count = cut->chunks << cut->height;
    if (row->list) {
        part.list += cut->before;
        part.list_bytes = row->list_bytes / row->count * part.count;
    }
    level[pleach__levels(part.count) - 1] = top;
    level[cut->height] = cut->row[1];
    return pleach__fold_row(&call, &part, level);
}

/* Everything that can fail. */
static pleach_status hash_rows(const pleach_frontier *frontier, const pleach__row *row, const struct cut *cut,
                               pleach_monitor *monitor)
{
    pleach_status status = pleach__check_cancel(monitor);
    if (status == PLEACH_OK)
        status = pleach__hash_inputs(row, frontier->backend, 0, cut->before, cut->row[0]);
    if (status == PLEACH_OK && cut->chunks > 0)
        status = fold_chunks(frontier, row, cut, monitor);
    if (status == PLEACH_OK)
        status = pleach__hash_inputs(row, frontier->backend, row->count - cut->after, cut->after, cut->row[2]);
    return status;
}

/* Appends the roots of `count` perfect subtrees of 2^level leaves, level by level, to an edge that ends where one
   begins. */
static void append_row(pleach_frontier *frontier, uint8_t *row, size_t count, unsigned level)
{
    pleach__edge *edge = &frontier->edge;
    struct {
        unsigned level;
        uint8_t root[D];
    } left[64]; /* without a sibling, smallest first */
    unsigned found = 0;
    if (count == 0)
        return;
    for (; count > 1; count /= 2, level++) {
        if ((edge->count >> level & 1) != 0) {
            row -= D;
            memcpy(row, edge->roots[--edge->held], D);
            edge->count -= (uint64_t)1 << level;
            count++;
        }
        if (count % 2 != 0) {
            left[found].level = level;
            memcpy(left[found++].root, row + D * (count - 1), D);
        }
        frontier->backend->hash_many(&frontier->hashing.node, row, 2 * D, count / 2, row);
    }
    pleach__edge_append(edge, &frontier->hashing, frontier->backend, row, level);
    while (found-- > 0)
        pleach__edge_append(edge, &frontier->hashing, frontier->backend, left[found].root, left[found].level);
}

static pleach_status append_accepted(pleach_frontier *frontier, const pleach__row *row, pleach_monitor *monitor)
{
    struct cut cut = cut_leaves(frontier, row);
    const size_t part[3] = {cut.before, cut.chunks, cut.after};
    uint8_t few[D * (FEW + 5)], *memory = few;
    size_t size = 0;
    for (unsigned i = 0; i < 3; i++)
        size += D * places(part[i]);
    if (size > sizeof few && !(memory = pleach__allocate(frontier->pool, size)))
        return pleach__fail(PLEACH_ENOMEM, "%zu bytes for digests could not be had", size);
    size_t at = 0;
    for (unsigned i = 0; i < 3; i++) {
        cut.row[i] = memory + at + D * (places(part[i]) - part[i]);
        at += D * places(part[i]);
    }
    pleach_status status = hash_rows(frontier, row, &cut, monitor);
    for (unsigned i = 0; i < 3 && status == PLEACH_OK; i++)
        append_row(frontier, cut.row[i], part[i], i == 1 ? cut.height : 0);
    if (memory != few)
        pleach__release(frontier->pool, memory, size);
    if (status == PLEACH_OK && monitor && monitor->progress)
        monitor->progress(monitor->context, row->count, row->count);
    return status;
}

pleach_status pleach_frontier_append(pleach_frontier *frontier, const pleach_leaves *leaves, pleach_monitor *monitor)
{
    if (!frontier)
        return pleach__fail(PLEACH_EINVAL, "frontier = NULL");
    pleach__row row;
    pleach_status status = pleach__leaves_plan(&frontier->part, leaves, &row);
    if (status != PLEACH_OK)
        return status;
    const unsigned depth = frontier->scheme.depth > 0 ? frontier->scheme.depth : 63;
    if (row.count > ((uint64_t)1 << depth) - frontier->edge.count)
        return pleach__fail(PLEACH_ERANGE, "leaves: count = %zu: there are %llu already, scheme %s takes at most 2^%u",
                            row.count, (unsigned long long)frontier->edge.count, pleach__scheme_name(&frontier->scheme),
                            depth);
    return row.count > 0 ? append_accepted(frontier, &row, monitor) : PLEACH_OK;
}

uint64_t pleach_frontier_size(const pleach_frontier *frontier)
{
    return frontier ? frontier->edge.count : 0;
}

pleach_status pleach_frontier_root(const pleach_frontier *frontier, uint8_t *root)
{
    if (!frontier || !root)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", frontier ? "root" : "frontier");
    pleach_status status = pleach__scheme_check_count(&frontier->scheme, frontier->edge.count);
    if (status != PLEACH_OK)
        return status;
    if (frontier->edge.count == 0)
        return pleach__scheme_empty_root(&frontier->scheme, frontier->pool, root);
    pleach__edge_root(&frontier->edge, &frontier->hashing, frontier->backend, NULL, 0, root);
    return PLEACH_OK;
}

size_t pleach_frontier_peaks(const pleach_frontier *frontier, uint8_t *roots, size_t capacity)
{
    if (!frontier)
        return 0;
    const size_t held = frontier->edge.held, copied = held < capacity ? held : capacity;
    if (roots && copied > 0)
        memcpy(roots, frontier->edge.roots, D * copied);
    return held;
}

/* --- its encoding: a preamble, the roots, and the BLAKE3 digest of both --- */

static pleach_status checksum(const pleach_frontier *frontier, const uint8_t *bytes, size_t size, uint8_t *sum)
{
    return pleach_blake3_hash(pleach_pool_kernels(frontier->pool), bytes, size, 0, sum, D);
}

pleach_status pleach_frontier_serialise(const pleach_frontier *frontier, uint8_t *bytes, size_t capacity, size_t *size)
{
    if (!frontier || !size || (!bytes && capacity > 0))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", !frontier ? "frontier" : !size ? "size" : "bytes");
    uint8_t encoded[PLEACH_FRONTIER_SERIALISED_MAX];
    const size_t roots = D * (size_t)frontier->edge.held, summed = PLEACH__PREAMBLE_SIZE + roots;
    if (capacity < summed + D)
        return pleach__fail(PLEACH_ERANGE, "capacity = %zu: %zu bytes are needed", capacity, summed + D);
    pleach__preamble_encode(kind, &frontier->scheme, frontier->edge.count, encoded);
    memcpy(encoded + PLEACH__PREAMBLE_SIZE, frontier->edge.roots, roots);
    pleach_status status = checksum(frontier, encoded, summed, encoded + summed);
    if (status != PLEACH_OK)
        return status;
    memcpy(bytes, encoded, summed + D);
    *size = summed + D;
    return PLEACH_OK;
}

/* `frontier` has only its pool. */
static pleach_status check_encoding(const pleach_frontier *frontier, uint64_t count, const uint8_t *bytes, size_t size)
{
    const size_t summed = PLEACH__PREAMBLE_SIZE + D * (size_t)__builtin_popcountll(count);
    if (size != summed + D)
        return pleach__fail(size < summed + D ? PLEACH_ETRUNCATED : PLEACH_ETRAILING,
                            "frontier: %zu bytes: %zu belong to %llu leaves", size, summed + D,
                            (unsigned long long)count);
    uint8_t sum[D];
    pleach_status status = checksum(frontier, bytes, summed, sum);
    if (status == PLEACH_OK && memcmp(sum, bytes + summed, D) != 0)
        return pleach__fail(PLEACH_ECHECKSUM, "frontier: its checksum does not match");
    return status;
}

pleach_status pleach_frontier_parse(pleach_frontier **frontier, pleach_pool *pool, const uint8_t *bytes, size_t size)
{
    if (!frontier || !bytes)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", frontier ? "bytes" : "frontier");
    pleach_scheme scheme;
    pleach_frontier *made = NULL;
    uint64_t count;
    pleach_status status = pleach__preamble_decode(kind, bytes, size, &scheme, &count);
    if (status == PLEACH_OK)
        status = pleach_frontier_create(&made, pool, &scheme);
    if (status != PLEACH_OK)
        return status;
    status = check_encoding(made, count, bytes, size);
    if (status != PLEACH_OK) {
        pleach_frontier_destroy(made);
        return status;
    }
    made->edge.count = count;
    made->edge.held = (unsigned)__builtin_popcountll(count);
    memcpy(made->edge.roots, bytes + PLEACH__PREAMBLE_SIZE, D * (size_t)made->edge.held);
    *frontier = made;
    return PLEACH_OK;
}
