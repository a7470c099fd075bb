#include "config/error.h"
#include "kernels/blake3/hasher.h"
#include "merkle/reading.h"
#include "merkle/scheme_format.h"
#include "merkle/stored.h"

#include <string.h>

static const char kind[] = "pleachTR";

enum { END_SIZE = 2 * PLEACH_DIGEST_SIZE /* root and checksum */ };

struct writing {
    pleach_write write;
    void *context;
    pleach__blake3_hasher hasher;
    uint64_t bytes;
};

static pleach_status write_some(struct writing *writing, const uint8_t *bytes, size_t size)
{
    const unsigned texts = pleach__error_count();
    pleach__blake3_add(&writing->hasher, bytes, size);
    pleach_status status = writing->write(writing->context, bytes, size);
    if (status != PLEACH_OK && pleach__error_count() == texts)
        return pleach__fail(status, "write failed after %llu bytes", (unsigned long long)writing->bytes);
    writing->bytes += size;
    return status;
}

/* A tree of no leaves may have no root: zero bytes stand for it. */
static pleach_status find_root(const pleach_tree *tree, uint8_t *root)
{
    memset(root, 0, PLEACH_DIGEST_SIZE);
    if (tree->pages.count == 0 && tree->scheme.empty == PLEACH_EMPTY_REFUSED)
        return PLEACH_OK;
    return pleach_tree_root(tree, root);
}

uint64_t pleach_tree_serialised_size(const pleach_tree *tree)
{
    return tree ? PLEACH__PREAMBLE_SIZE + (uint64_t)PLEACH_DIGEST_SIZE * tree->pages.count + END_SIZE : 0;
}

pleach_status pleach_tree_serialise(const pleach_tree *tree, pleach_write write, void *context)
{
    if (!tree || !write)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", tree ? "write" : "tree");
    struct writing writing = {.write = write, .context = context};
    uint8_t preamble[PLEACH__PREAMBLE_SIZE], digest[PLEACH_DIGEST_SIZE];
    pleach_status status =
        pleach__blake3_begin(&writing.hasher, pleach_pool_kernels(tree->pages.pool), &pleach__blake3_unkeyed);
    if (status != PLEACH_OK)
        return status;
    pleach__preamble_encode(kind, &tree->scheme, tree->pages.count, preamble);
    status = write_some(&writing, preamble, sizeof preamble);
    const uint8_t *leaves;
    for (size_t first = 0, run; status == PLEACH_OK && (leaves = pleach_tree_nodes(tree, 0, first, &run)); first += run)
        status = write_some(&writing, leaves, PLEACH_DIGEST_SIZE * run);
    if (status == PLEACH_OK)
        status = find_root(tree, digest);
    if (status == PLEACH_OK)
        status = write_some(&writing, digest, sizeof digest);
    pleach__blake3_end(&writing.hasher, digest);
    return status == PLEACH_OK ? write_some(&writing, digest, sizeof digest) : status;
}

static pleach_status ended_early(const pleach__reading *reading, const char *part)
{
    return pleach__fail(PLEACH_ETRUNCATED, "encoded tree: ends after %llu bytes, in its %s",
                        (unsigned long long)reading->bytes, part);
}

/* A source that ends where the leaves should. */
static pleach_status read_leaves(void *context, uint8_t *buffer, size_t size, size_t *got)
{
    pleach__reading *reading = context;
    pleach_status status = pleach__read_left(reading, buffer, size, got);
    return status == PLEACH_OK && size > 0 && *got == 0 && reading->left > 0 ? ended_early(reading, "leaves") : status;
}

static pleach_status read_preamble(pleach__reading *reading, pleach_scheme *scheme, uint64_t *count)
{
    uint8_t preamble[PLEACH__PREAMBLE_SIZE];
    size_t size;
    pleach_status status = pleach__read_part(reading, preamble, sizeof preamble, &size);
    if (status == PLEACH_OK)
        status = pleach__preamble_decode(kind, preamble, size, scheme, count);
    if (status != PLEACH_OK)
        return status;
    pleach__blake3_add(&reading->hasher, preamble, sizeof preamble);
    if (*count > 0 && pleach__scheme_check_count(scheme, *count) != PLEACH_OK)
        return pleach__fail(PLEACH_EFORMAT, "encoded %s", pleach_last_error());
    if (*count > PTRDIFF_MAX / (4 * PLEACH_DIGEST_SIZE))
        return pleach__fail(PLEACH_EFORMAT, "encoded count = %llu: its tree would not fit the address space",
                            (unsigned long long)*count);
    return PLEACH_OK;
}

/* What stands behind the leaves, with which the tree was filled. */
static pleach_status read_end(pleach__reading *reading, const pleach_tree *tree)
{
    uint8_t end[END_SIZE], digest[PLEACH_DIGEST_SIZE], more;
    size_t size;
    pleach_status status = pleach__read_part(reading, end, sizeof end, &size);
    if (status != PLEACH_OK)
        return status;
    if (size < sizeof end)
        return ended_early(reading, "root and checksum");
    pleach__blake3_add(&reading->hasher, end, PLEACH_DIGEST_SIZE);
    pleach__blake3_end(&reading->hasher, digest);
    if (memcmp(digest, end + PLEACH_DIGEST_SIZE, sizeof digest) != 0)
        return pleach__fail(PLEACH_ECHECKSUM, "encoded tree: its %llu bytes have another checksum",
                            (unsigned long long)reading->bytes);
    status = pleach__read_part(reading, &more, sizeof more, &size);
    if (status != PLEACH_OK)
        return status;
    if (size > 0)
        return pleach__fail(PLEACH_ETRAILING, "encoded tree: bytes follow the checksum");
    status = find_root(tree, digest);
    if (status == PLEACH_OK && memcmp(digest, end, sizeof digest) != 0)
        return pleach__fail(PLEACH_EFORMAT, "encoded tree: its root is not that of its leaves");
    return status;
}

static pleach_status fill(pleach_tree *tree, pleach__reading *reading, uint64_t count, pleach_monitor *monitor)
{
    pleach__hashing hashing = tree->hashing;
    hashing.given = true;
    reading->left = PLEACH_DIGEST_SIZE * count;
    pleach_status status = count == 0 ? PLEACH_OK
                                      : pleach__pages_stream(&tree->pages, &tree->scheme, &hashing, PLEACH_DIGEST_SIZE,
                                                             0, read_leaves, reading, reading->left, monitor);
    return status == PLEACH_OK ? read_end(reading, tree) : status;
}

pleach_status pleach_tree_parse(pleach_tree **tree, pleach_pool *pool, pleach_read read, void *context,
                                pleach_monitor *monitor)
{
    if (!tree || !read)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", tree ? "read" : "tree");
    pleach__reading reading = {.read = read, .context = context};
    pleach_scheme scheme;
    pleach_tree *made = NULL;
    uint64_t count;
    pleach_status status = pleach__blake3_begin(&reading.hasher, pleach_pool_kernels(pool), &pleach__blake3_unkeyed);
    if (status == PLEACH_OK)
        status = read_preamble(&reading, &scheme, &count);
    if (status == PLEACH_OK)
        status = pleach_tree_create(&made, pool, &scheme);
    if (status == PLEACH_OK)
        status = fill(made, &reading, count, monitor);
    if (status == PLEACH_OK)
        *tree = made;
    else
        pleach_tree_destroy(made);
    return status;
}
