#include "config/error.h"
#include "merkle/cometbft_format.h"
#include "pool/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 64,        /* inputs of an item: some for every length there may be */
    ALONE_MOST = 8192, /* compressions that a caller does sooner than others could be woken, and waited for, to help */
    LATENCY_MOST = 1 << 20, /* compressions for which somebody waits */
};

struct hashing {
    const pleach_input *inputs;
    size_t n;
    uint8_t *hashes;
};

static pleach_status hash_range(const struct hashing *hashing, const pleach_kernels *kernels, size_t begin, size_t end)
{
    return pleach_hash_list(kernels, PLEACH_SHA256, hashing->inputs + begin, end - begin,
                            hashing->hashes + PLEACH_DIGEST_SIZE * begin);
}

static pleach_status hash_blocks(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    const struct hashing *hashing = context;
    return hash_range(hashing, worker->kernels, BLOCK * begin, BLOCK * end < hashing->n ? BLOCK * end : hashing->n);
}

/* Compressions for all inputs, about, if they can be hashed: what a worker would refuse must be found before. */
static pleach_status check_inputs(const pleach_input *inputs, size_t n, size_t *compressions)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) {
        if (!inputs[i].bytes && inputs[i].size > 0)
            return pleach__fail(PLEACH_EINVAL, "input %zu: bytes = NULL, size = %zu", i, inputs[i].size);
        if (inputs[i].size > PTRDIFF_MAX - bytes)
            return pleach__fail(PLEACH_ERANGE, "input %zu: size = %zu: together they would not fit the address space",
                                i, inputs[i].size);
        bytes += inputs[i].size;
    }
    *compressions = bytes / 64 + n;
    return PLEACH_OK;
}

static pleach_status hash_list(pleach_pool *pool, const pleach_input *inputs, size_t n, uint8_t *hashes)
{
    struct hashing hashing = {.inputs = inputs, .n = n, .hashes = hashes};
    size_t compressions = 0;
    pleach_status status = check_inputs(inputs, n, &compressions);
    if (status != PLEACH_OK || n == 0)
        return status;
    if (pleach_pool_width(pool) == 1 || compressions <= ALONE_MOST)
        return hash_range(&hashing, pleach_pool_kernels(pool), 0, n);
    return pleach_pool_run(pool,
                           &(pleach_job){.task = hash_blocks,
                                         .context = &hashing,
                                         .items = (n - 1) / BLOCK + 1,
                                         .priority = compressions <= LATENCY_MOST ? PLEACH_LATENCY : PLEACH_BULK});
}

static pleach_status check_list(const void *list, const char *name, size_t n)
{
    if (!list && n > 0)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL, n = %zu", name, n);
    if (n > PTRDIFF_MAX / (4 * PLEACH_DIGEST_SIZE))
        return pleach__fail(PLEACH_ERANGE, "n = %zu: their tree would not fit the address space", n);
    return PLEACH_OK;
}

pleach_status pleach_cometbft_hash_transactions(pleach_pool *pool, const pleach_input *transactions, size_t n,
                                                uint8_t *hashes)
{
    pleach_status status = check_list(transactions, "transactions", n);
    if (status == PLEACH_OK)
        status = check_list(hashes, "hashes", n);
    return status == PLEACH_OK ? hash_list(pool, transactions, n, hashes) : status;
}

pleach_status pleach_cometbft_transactions_root(pleach_pool *pool, const pleach_input *transactions, size_t n,
                                                uint8_t *root)
{
    if (!root)
        return pleach__fail(PLEACH_EINVAL, "root = NULL");
    pleach_status status = check_list(transactions, "transactions", n);
    if (status != PLEACH_OK)
        return status;
    uint8_t *hashes = NULL;
    if (n > 0 && !(hashes = pleach__allocate(pool, PLEACH_DIGEST_SIZE * n)))
        return pleach__fail(PLEACH_ENOMEM, "%zu hashes could not be had", n);
    const pleach_leaves leaves = {.data = hashes, .size = PLEACH_DIGEST_SIZE, .stride = PLEACH_DIGEST_SIZE, .count = n};
    status = hash_list(pool, transactions, n, hashes);
    if (status == PLEACH_OK)
        status = pleach_merkle_root(pool, PLEACH_SCHEME_RFC6962, &leaves, NULL, root);
    pleach__release(pool, hashes, PLEACH_DIGEST_SIZE * n);
    return status;
}

static pleach_status check_key(const pleach_input *key, size_t entry)
{
    if (!key->bytes || key->size == 0)
        return pleach__fail(PLEACH_EINVAL, "entry %zu: key: %s", entry, key->bytes ? "size = 0" : "bytes = NULL");
    if (key->size > PTRDIFF_MAX - PLEACH_COMETBFT_ENTRY_EXTRA)
        return pleach__fail(PLEACH_ERANGE, "entry %zu: key: size = %zu: its leaf would not fit the address space",
                            entry, key->size);
    return PLEACH_OK;
}

/* Returns where the leaf ends. */
static uint8_t *put_leaf(uint8_t *leaf, const pleach_input *key, const uint8_t *value_hash)
{
    leaf = pleach__put_bytes(leaf, key->bytes, key->size);
    return pleach__put_bytes(leaf, value_hash, PLEACH_DIGEST_SIZE);
}

pleach_status pleach_cometbft_entry_leaf(const pleach_cometbft_entry *entry, uint8_t *leaf, size_t capacity,
                                         size_t *size)
{
    if (!entry || !leaf || !size)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", !entry ? "entry" : !leaf ? "leaf" : "size");
    uint8_t hash[PLEACH_DIGEST_SIZE], digits[PLEACH__VARINT_MAX];
    pleach_status status = check_key(&entry->key, 0);
    if (status == PLEACH_OK)
        status = hash_list(NULL, &entry->value, 1, hash);
    if (status != PLEACH_OK)
        return status;
    const size_t needed =
        (size_t)(pleach__put_varint(digits, entry->key.size) - digits) + entry->key.size + 1 + PLEACH_DIGEST_SIZE;
    if (capacity < needed)
        return pleach__fail(PLEACH_ERANGE, "capacity = %zu: the leaf has %zu bytes", capacity, needed);
    (void)put_leaf(leaf, &entry->key, hash);
    *size = needed;
    return PLEACH_OK;
}

static int compare_keys(const void *a, const void *b)
{
    const pleach_input *left = &(*(const pleach_cometbft_entry *const *)a)->key;
    const pleach_input *right = &(*(const pleach_cometbft_entry *const *)b)->key;
    const size_t common = left->size < right->size ? left->size : right->size;
    const int order = memcmp(left->bytes, right->bytes, common);
    return order != 0 ? order : (left->size > right->size) - (left->size < right->size);
}

/* What the leaves of a map are made in. */
struct map {
    const pleach_cometbft_entry **sorted;
    pleach_input *inputs; /* the values, then the leaves */
    uint8_t *hashes;      /* of the values */
    uint8_t *leaves;
};

static pleach_status sort_entries(const struct map *map, const pleach_cometbft_entry *entries, size_t n)
{
    for (size_t i = 0; i < n; i++)
        map->sorted[i] = &entries[i];
    qsort(map->sorted, n, sizeof map->sorted[0], compare_keys);
    for (size_t i = 0; i + 1 < n; i++)
        if (compare_keys(&map->sorted[i], &map->sorted[i + 1]) == 0)
            return pleach__fail(PLEACH_EINVAL, "entries %td and %td have the same key", map->sorted[i] - entries,
                                map->sorted[i + 1] - entries);
    return PLEACH_OK;
}

static pleach_status hash_values(pleach_pool *pool, const struct map *map, size_t n)
{
    for (size_t i = 0; i < n; i++)
        map->inputs[i] = map->sorted[i]->value;
    return hash_list(pool, map->inputs, n, map->hashes);
}

static pleach_status find_root(pleach_pool *pool, const struct map *map, size_t n, uint8_t *root)
{
    uint8_t *leaf = map->leaves;
    for (size_t i = 0; i < n; i++) {
        uint8_t *end = put_leaf(leaf, &map->sorted[i]->key, map->hashes + PLEACH_DIGEST_SIZE * i);
        map->inputs[i] = (pleach_input){.bytes = leaf, .size = (size_t)(end - leaf)};
        leaf = end;
    }
    return pleach_merkle_root(pool, PLEACH_SCHEME_RFC6962, &(pleach_leaves){.list = map->inputs, .count = n}, NULL,
                              root);
}

/* Bytes that the leaves and everything before them take. */
static pleach_status size_map(const pleach_cometbft_entry *entries, size_t n, size_t *size)
{
    const size_t each =
        sizeof(pleach_cometbft_entry *) + sizeof(pleach_input) + PLEACH_DIGEST_SIZE + PLEACH_COMETBFT_ENTRY_EXTRA;
    size_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        pleach_status status = check_key(&entries[i].key, i);
        if (status != PLEACH_OK)
            return status;
        if (each > PTRDIFF_MAX - sum || entries[i].key.size > PTRDIFF_MAX - sum - each)
            return pleach__fail(PLEACH_ERANGE, "entry %zu: the leaves would not fit the address space", i);
        sum += each + entries[i].key.size;
    }
    *size = sum;
    return PLEACH_OK;
}

pleach_status pleach_cometbft_map_root(pleach_pool *pool, const pleach_cometbft_entry *entries, size_t n, uint8_t *root)
{
    if (!root)
        return pleach__fail(PLEACH_EINVAL, "root = NULL");
    size_t size = 0;
    pleach_status status = check_list(entries, "entries", n);
    if (status == PLEACH_OK)
        status = size_map(entries, n, &size);
    if (status != PLEACH_OK)
        return status;
    if (n == 0)
        return pleach_merkle_root(pool, PLEACH_SCHEME_RFC6962, &(pleach_leaves){.count = 0}, NULL, root);
    uint8_t *memory = pleach__allocate(pool, size);
    if (!memory)
        return pleach__fail(PLEACH_ENOMEM, "%zu bytes for the leaves could not be had", size);
    struct map map = {.sorted = (const pleach_cometbft_entry **)(void *)memory};
    map.inputs = (pleach_input *)(void *)(map.sorted + n);
    map.hashes = (uint8_t *)(map.inputs + n);
    map.leaves = map.hashes + PLEACH_DIGEST_SIZE * n;
    status = sort_entries(&map, entries, n);
    if (status == PLEACH_OK)
        status = hash_values(pool, &map, n);
    if (status == PLEACH_OK)
        status = find_root(pool, &map, n, root);
    pleach__release(pool, memory, size);
    return status;
}
