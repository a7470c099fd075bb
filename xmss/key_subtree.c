/*
 * The nodes below the top, of the two latest neighbourhoods that were asked for. They are computed with no lock held:
 * two callers may compute the same, and one of them then throws its own away.
 */
#include "xmss/key_object.h"

#include "config/error.h"

#include <stdlib.h>

enum { HASH = PLEACH__XMSS_HASH, PART = 16 /* epochs that are computed together */ };

struct leaves {
    const pleach_xmss_key *key;
    const pleach__xmss_tree *tree;
};

static pleach_status make_leaves(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    const struct leaves *job = context;
    const pleach__compress_lanes *c = pleach__xmss_lanes(worker->kernels);
    if (!c)
        return PLEACH_EBACKEND;
    const uint64_t first = job->tree->first + (uint64_t)begin * PART,
                   end_of_parts = job->tree->first + (uint64_t)end * PART;
    const uint64_t last = end_of_parts - 1 < job->tree->last ? end_of_parts - 1 : job->tree->last;
    pleach__xmss_leaves(c, &job->key->secret, (uint32_t)first, (size_t)(last - first + 1),
                        pleach__xmss_tree_node(job->tree, 0, first));
    return PLEACH_OK;
}

static pleach_status compute(pleach_pool *pool, const pleach_xmss_key *key, uint64_t index, pleach_monitor *monitor,
                             pleach__xmss_subtree **made)
{
    const uint64_t least = index << key->split, most = ((index + 1) << key->split) - 1;
    const uint64_t first = least > key->first ? least : key->first, last = most < key->last ? most : key->last;
    const pleach__compress_lanes *c = pleach__xmss_lanes(pleach_pool_kernels(pool));
    pleach__xmss_tree tree;
    const size_t nodes = pleach__xmss_tree_shape(&tree, first, last, 0, key->split);
    pleach__xmss_subtree *subtree = c ? calloc(1, sizeof *subtree + nodes * HASH) : NULL;
    if (!subtree)
        return c ? pleach__fail(PLEACH_ENOMEM, "no memory for %zu nodes", nodes) : PLEACH_EBACKEND;
    subtree->tree = tree;
    subtree->tree.node = (void *)(subtree + 1);
    subtree->users = 1;
    struct leaves job = {key, &subtree->tree};
    const pleach_status status = pleach_pool_run(pool, &(pleach_job){.task = make_leaves,
                                                                     .context = &job,
                                                                     .items = (size_t)((last - first) / PART + 1),
                                                                     .monitor = monitor,
                                                                     .priority = PLEACH_LATENCY});
    if (status == PLEACH_OK) {
        pleach__xmss_tree_rise(c, &key->secret, &subtree->tree);
        *made = subtree;
    } else {
        free(subtree);
    }
    return status;
}

static bool is_of(const pleach_xmss_key *key, const pleach__xmss_subtree *subtree, uint64_t index)
{
    return subtree && subtree->tree.first >> key->split == index;
}

/* With the lock held. */
static void leave(pleach__xmss_subtree *subtree)
{
    if (subtree && --subtree->users == 0)
        free(subtree);
}

/* With the lock held: a cached one, with one user more, or NULL. */
static pleach__xmss_subtree *find(const pleach_xmss_key *key, uint64_t index)
{
    for (int i = 0; i < 2; i++)
        if (is_of(key, key->cached[i], index)) {
            key->cached[i]->users++;
            return key->cached[i];
        }
    return NULL;
}

pleach_status pleach__xmss_subtree_take(pleach_pool *pool, pleach_xmss_key *key, uint32_t epoch,
                                        pleach_monitor *monitor, pleach__xmss_subtree **subtree)
{
    const uint64_t index = epoch >> key->split;
    pleach__xmss_subtree *mine = NULL;
    (void)pthread_mutex_lock(&key->cache_lock);
    *subtree = find(key, index);
    (void)pthread_mutex_unlock(&key->cache_lock);
    if (*subtree)
        return PLEACH_OK;
    const pleach_status status = compute(pool, key, index, monitor, &mine);
    if (status != PLEACH_OK)
        return status;
    (void)pthread_mutex_lock(&key->cache_lock);
    *subtree = find(key, index);
    if (*subtree) {
        leave(mine);
    } else {
        leave(key->cached[0]);
        key->cached[0] = key->cached[1];
        key->cached[1] = *subtree = mine;
        mine->users++;
    }
    (void)pthread_mutex_unlock(&key->cache_lock);
    return PLEACH_OK;
}

void pleach__xmss_subtree_give(pleach_xmss_key *key, pleach__xmss_subtree *subtree)
{
    (void)pthread_mutex_lock(&key->cache_lock);
    leave(subtree);
    (void)pthread_mutex_unlock(&key->cache_lock);
}

void pleach__xmss_subtrees_drop(pleach_xmss_key *key)
{
    for (int i = 0; i < 2; i++)
        leave(key->cached[i]);
}

pleach_status pleach_xmss_key_prepare(pleach_pool *pool, pleach_xmss_key *key, uint32_t epoch, pleach_monitor *monitor)
{
    pleach__xmss_subtree *subtree;
    pleach_status status = key ? pleach__xmss_key_owned(key) : pleach__fail(PLEACH_EINVAL, "key = NULL");
    if (status == PLEACH_OK)
        status = pleach__xmss_key_in_range(key, epoch);
    if (status == PLEACH_OK)
        status = pleach__xmss_subtree_take(pool, key, epoch, monitor, &subtree);
    if (status == PLEACH_OK)
        pleach__xmss_subtree_give(key, subtree);
    return status;
}
