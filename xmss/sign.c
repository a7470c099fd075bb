#include "xmss/key_object.h"

#include "config/error.h"
#include "config/little_endian.h"
#include "xmss/reference.h"
#include "xmss/verify.h"

#include <string.h>

enum { HASH = PLEACH__XMSS_HASH, TRIES = 1 << 16 /* most signatures need fewer */ };

/* Takes the epoch for the message, and finds the randomness that goes with it. */
static pleach_status reserve(pleach_xmss_key *key, uint32_t epoch, const uint8_t *message,
                             pleach_xmss_randomness randomness, uint8_t suffix[PLEACH__XMSS_SUFFIX])
{
    pleach__xmss_used used = {.next = (uint64_t)epoch + 1, .has_last = true};
    pleach_status status = PLEACH_OK;
    memcpy(used.message, message, sizeof used.message);
    if (randomness == PLEACH_XMSS_RANDOM)
        status = pleach__xmss_random(used.suffix, sizeof used.suffix);
    if (status != PLEACH_OK)
        return status;
    (void)pthread_mutex_lock(&key->lock);
    const pleach__xmss_used *before = &key->used;
    if (!key->closed && before->has_last && before->next == used.next &&
        memcmp(before->message, message, sizeof before->message) == 0)
        memcpy(used.suffix, before->suffix, sizeof used.suffix);
    else if (epoch < before->next)
        status = pleach__fail(PLEACH_EXMSSUSED, "epoch = %lu: all below %llu were used", (unsigned long)epoch,
                              (unsigned long long)before->next);
    else
        status = pleach__xmss_key_use(key, &used);
    (void)pthread_mutex_unlock(&key->lock);
    memcpy(suffix, used.suffix, sizeof used.suffix);
    return status;
}

static void find_randomness(const pleach_kernels *kernels, const pleach_xmss_key *key, uint32_t epoch,
                            const uint8_t *message, const uint8_t *suffix, uint8_t *randomness)
{
    pleach__xmss_search search;
    uint64_t counter = 0, end = 0;
    pleach__xmss_search_begin(&search, key->secret.parameter, epoch, message, suffix);
    while (counter == end) {
        end += TRIES;
        counter = pleach__xmss_walk_of(kernels)->search(&search, counter, end);
    }
    pleach__put64(randomness, counter);
    memcpy(randomness + 8, suffix, PLEACH__XMSS_SUFFIX);
}

static void put_path(const pleach_xmss_key *key, const pleach__xmss_subtree *subtree, uint32_t epoch, uint8_t *path)
{
    for (unsigned level = 0; level < PLEACH_XMSS_HEIGHT; level++) {
        const pleach__xmss_tree *tree = level < key->split ? &subtree->tree : &key->top;
        memcpy(path + HASH * level, pleach__xmss_tree_node(tree, level, (uint64_t)epoch >> level ^ 1), HASH);
    }
}

static pleach_status compute(const pleach_kernels *kernels, const pleach_xmss_key *key,
                             const pleach__xmss_subtree *subtree, uint32_t epoch, const uint8_t *message,
                             const uint8_t *suffix, uint8_t signature[PLEACH_XMSS_SIGNATURE_SIZE])
{
    uint8_t digits[PLEACH_XMSS_CHAINS];
    uint8_t *randomness = signature + PLEACH__XMSS_RANDOMNESS;
    const pleach_xmss_claim claim = {key->public_key, message, signature, PLEACH_XMSS_SIGNATURE_SIZE, epoch};
    find_randomness(kernels, key, epoch, message, suffix, randomness);
    (void)pleach__xmss_reference_encode(digits, key->secret.parameter, epoch, message, randomness, NULL);
    pleach__xmss_reveal(pleach__xmss_lanes(kernels), &key->secret, epoch, digits, signature);
    put_path(key, subtree, epoch, signature + PLEACH__XMSS_PATH);
    return pleach_xmss_verify(&claim);
}

pleach_status pleach_xmss_sign(pleach_pool *pool, pleach_xmss_key *key, uint32_t epoch, const uint8_t *message,
                               pleach_xmss_randomness randomness, uint8_t *signature)
{
    if (!key || !message || !signature)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", !key ? "key" : message ? "signature" : "message");
    if (randomness != PLEACH_XMSS_DETERMINISTIC && randomness != PLEACH_XMSS_RANDOM)
        return pleach__fail(PLEACH_EINVAL, "randomness = %d: there is no such randomness", (int)randomness);
    pleach__xmss_subtree *subtree = NULL;
    uint8_t suffix[PLEACH__XMSS_SUFFIX], made[PLEACH_XMSS_SIGNATURE_SIZE];
    const pleach_kernels *kernels = pleach_pool_kernels(pool);
    pleach_status status = pleach__xmss_lanes(kernels) ? pleach__xmss_key_owned(key) : PLEACH_EBACKEND;
    if (status == PLEACH_OK)
        status = pleach__xmss_key_in_range(key, epoch);
    if (status == PLEACH_OK)
        status = pleach__xmss_subtree_take(pool, key, epoch, NULL, &subtree);
    if (status != PLEACH_OK)
        return status;
    status = reserve(key, epoch, message, randomness, suffix);
    if (status == PLEACH_OK)
        status = compute(kernels, key, subtree, epoch, message, suffix, made);
    pleach__xmss_subtree_give(key, subtree);
    if (status == PLEACH_OK)
        memcpy(signature, made, sizeof made);
    pleach__xmss_wipe(made, sizeof made); /* after a fault, more of the chains than a signature shows */
    return status;
}
