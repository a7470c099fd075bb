#define _GNU_SOURCE /* getentropy() */
#include "xmss/key_object.h"

#include "config/error.h"
#include "pool/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { HASH = PLEACH__XMSS_HASH, SPLIT_LEAST = 4 /* a subtree fills the lanes of vectors */ };

unsigned pleach__xmss_split(uint32_t first, uint32_t last)
{
    unsigned bits = 0;
    while ((uint64_t)(last - first) >> bits > 0)
        bits++;
    return bits / 2 > SPLIT_LEAST ? bits / 2 : SPLIT_LEAST;
}

pleach_status pleach__xmss_random(uint8_t *bytes, size_t size)
{
    if (getentropy(bytes, size) == 0)
        return PLEACH_OK;
    return pleach__fail(PLEACH_EIO, "the system has no random bytes: %s", strerror(errno));
}

pleach_xmss_key *pleach__xmss_key_new(const uint8_t seed[PLEACH_XMSS_SEED_SIZE], uint32_t first, uint32_t last)
{
    const unsigned split = pleach__xmss_split(first, last);
    pleach_xmss_key *key = calloc(1, sizeof *key);
    size_t nodes = 0;
    if (key) {
        key->first = first;
        key->last = last;
        key->split = split;
        key->used.next = first;
        key->file = -1;
        key->owner = getpid();
        nodes = pleach__xmss_tree_shape(&key->top, first >> split, last >> split, split, PLEACH_XMSS_HEIGHT);
        key->top.node = calloc(nodes, HASH);
    }
    if (!key || !key->top.node || pthread_mutex_init(&key->lock, NULL) != 0) {
        free(key ? key->top.node : NULL);
        free(key);
        (void)pleach__fail(PLEACH_ENOMEM, "no memory for a key of %zu nodes", nodes);
        return NULL;
    }
    if (pthread_mutex_init(&key->cache_lock, NULL) != 0) {
        (void)pthread_mutex_destroy(&key->lock);
        free(key->top.node);
        free(key);
        (void)pleach__fail(PLEACH_ENOMEM, "no memory for a lock");
        return NULL;
    }
    pleach__xmss_secret_of(&key->secret, seed);
    return key;
}

void pleach__xmss_key_finish(const pleach__compress_lanes *c, pleach_xmss_key *key)
{
    pleach__xmss_tree_rise(c, &key->secret, &key->top);
    memcpy(key->public_key, pleach__xmss_tree_node(&key->top, PLEACH_XMSS_HEIGHT, 0), HASH);
    memcpy(key->public_key + PLEACH__XMSS_PARAMETER, key->secret.parameter, HASH);
}

/* Making the nodes of level `split`. */
struct making {
    pleach_pool *pool;
    pleach_xmss_key *key;
};

static pleach_status make_node(const struct making *making, const pleach__compress_lanes *c, uint64_t index)
{
    const pleach_xmss_key *key = making->key;
    const uint64_t least = index << key->split, most = ((index + 1) << key->split) - 1;
    const uint64_t first = least > key->first ? least : key->first, last = most < key->last ? most : key->last;
    pleach__xmss_tree tree;
    const size_t nodes = pleach__xmss_tree_shape(&tree, first, last, 0, key->split);
    tree.node = pleach__allocate(making->pool, nodes * HASH);
    if (!tree.node)
        return pleach__fail(PLEACH_ENOMEM, "no memory for %zu nodes", nodes);
    pleach__xmss_leaves(c, &key->secret, (uint32_t)first, (size_t)(last - first + 1),
                        pleach__xmss_tree_node(&tree, 0, first));
    pleach__xmss_tree_rise(c, &key->secret, &tree);
    memcpy(pleach__xmss_tree_node(&key->top, key->split, index), pleach__xmss_tree_node(&tree, key->split, index),
           HASH);
    pleach__release(making->pool, tree.node, nodes * HASH);
    return PLEACH_OK;
}

static pleach_status make_nodes(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    const struct making *making = context;
    const pleach__compress_lanes *c = pleach__xmss_lanes(worker->kernels);
    pleach_status status = c ? PLEACH_OK : PLEACH_EBACKEND;
    for (size_t i = begin; i < end && status == PLEACH_OK; i++)
        status = make_node(making, c, making->key->top.first + i);
    return status;
}

static pleach_status make(pleach_pool *pool, pleach_xmss_key *key, pleach_monitor *monitor)
{
    const pleach__compress_lanes *c = pleach__xmss_lanes(pleach_pool_kernels(pool));
    if (!c)
        return PLEACH_EBACKEND;
    struct making making = {pool, key};
    const pleach_status status =
        pleach_pool_run(pool, &(pleach_job){.task = make_nodes,
                                            .context = &making,
                                            .items = (size_t)(key->top.last - key->top.first + 1),
                                            .monitor = monitor,
                                            .priority = PLEACH_BULK});
    if (status == PLEACH_OK)
        pleach__xmss_key_finish(c, key);
    return status;
}

pleach_status pleach_xmss_keygen(pleach_pool *pool, const uint8_t *seed, uint32_t first_epoch, uint32_t last_epoch,
                                 pleach_monitor *monitor, pleach_xmss_key **key)
{
    uint8_t random[PLEACH_XMSS_SEED_SIZE];
    if (!key)
        return pleach__fail(PLEACH_EINVAL, "key = NULL");
    if (first_epoch > last_epoch)
        return pleach__fail(PLEACH_EINVAL, "first_epoch = %lu: at most last_epoch = %lu", (unsigned long)first_epoch,
                            (unsigned long)last_epoch);
    pleach_status status = seed ? PLEACH_OK : pleach__xmss_random(random, sizeof random);
    if (status != PLEACH_OK)
        return status;
    pleach_xmss_key *made = pleach__xmss_key_new(seed ? seed : random, first_epoch, last_epoch);
    pleach__xmss_wipe(random, sizeof random);
    status = made ? make(pool, made, monitor) : PLEACH_ENOMEM;
    if (status == PLEACH_OK)
        *key = made;
    else
        pleach_xmss_key_destroy(made);
    return status;
}

void pleach_xmss_key_destroy(pleach_xmss_key *key)
{
    if (!key)
        return;
    pleach__xmss_subtrees_drop(key);
    if (key->file >= 0)
        (void)close(key->file);
    (void)pthread_mutex_destroy(&key->lock);
    (void)pthread_mutex_destroy(&key->cache_lock);
    free(key->top.node);
    pleach__xmss_wipe(key, sizeof *key);
    free(key);
}

pleach_status pleach__xmss_key_owned(const pleach_xmss_key *key)
{
    if (getpid() == key->owner)
        return PLEACH_OK;
    return pleach__fail(PLEACH_EFORKED, "key: process %ld made it, this is %ld", (long)key->owner, (long)getpid());
}

pleach_status pleach__xmss_key_in_range(const pleach_xmss_key *key, uint32_t epoch)
{
    if (epoch >= key->first && epoch <= key->last)
        return PLEACH_OK;
    return pleach__fail(PLEACH_EXMSSEPOCH, "epoch = %lu: %lu to %lu", (unsigned long)epoch, (unsigned long)key->first,
                        (unsigned long)key->last);
}

pleach_status pleach_xmss_key_public(const pleach_xmss_key *key, uint8_t *public_key)
{
    if (!key || !public_key)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", key ? "public_key" : "key");
    memcpy(public_key, key->public_key, sizeof key->public_key);
    return PLEACH_OK;
}

pleach_status pleach_xmss_key_range(const pleach_xmss_key *key, uint32_t *first_epoch, uint32_t *last_epoch)
{
    if (!key || !first_epoch || !last_epoch)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", !key ? "key" : first_epoch ? "last_epoch" : "first_epoch");
    *first_epoch = key->first;
    *last_epoch = key->last;
    return PLEACH_OK;
}

uint64_t pleach_xmss_key_neighbourhood(const pleach_xmss_key *key)
{
    return key ? UINT64_C(1) << key->split : 0;
}

pleach_status pleach_xmss_key_next(pleach_xmss_key *key, uint64_t *next)
{
    if (!key || !next)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", key ? "next" : "key");
    (void)pthread_mutex_lock(&key->lock);
    *next = key->used.next;
    (void)pthread_mutex_unlock(&key->lock);
    return PLEACH_OK;
}

pleach_status pleach__xmss_key_use(pleach_xmss_key *key, const pleach__xmss_used *used)
{
    if (key->closed)
        return pleach__fail(PLEACH_EIO, "key: it signs no more: it was saved, or an epoch could not be recorded");
    const pleach_status status = key->file >= 0 ? pleach__xmss_state_record(key, used) : PLEACH_OK;
    key->closed = status != PLEACH_OK;
    if (status == PLEACH_OK)
        key->used = *used;
    return status;
}

pleach_status pleach_xmss_key_skip(pleach_xmss_key *key, uint64_t next)
{
    pleach_status status = key ? pleach__xmss_key_owned(key) : pleach__fail(PLEACH_EINVAL, "key = NULL");
    if (status != PLEACH_OK)
        return status;
    if (next > (uint64_t)key->last + 1)
        return pleach__fail(PLEACH_EXMSSEPOCH, "next = %llu: at most %llu", (unsigned long long)next,
                            (unsigned long long)key->last + 1);
    (void)pthread_mutex_lock(&key->lock);
    if (next > key->used.next)
        status = pleach__xmss_key_use(key, &(pleach__xmss_used){.next = next});
    (void)pthread_mutex_unlock(&key->lock);
    return status;
}
