/* A key, as the files that make, keep and use it see it. */
#ifndef PLEACH_XMSS_KEY_OBJECT_H
#define PLEACH_XMSS_KEY_OBJECT_H

#include "xmss/key.h"
#include "xmss/key_tree.h"
#include "xmss/search.h"

#include <pthread.h>
#include <sys/types.h>

/* What a key has signed for. */
typedef struct pleach__xmss_used {
    uint64_t next; /* the least epoch that was not used */
    bool has_last; /* epoch next - 1 was signed for; else what follows is zero */
    uint8_t message[PLEACH_XMSS_MESSAGE_SIZE];
    uint8_t suffix[PLEACH__XMSS_SUFFIX];
} pleach__xmss_used;

/* Nodes below one of level `split`. Whoever uses it counts. */
typedef struct pleach__xmss_subtree {
    pleach__xmss_tree tree; /* the nodes follow in memory */
    unsigned users;
} pleach__xmss_subtree;

struct pleach_xmss_key {
    uint32_t first, last;
    unsigned split;
    pleach__xmss_secret secret;
    uint8_t public_key[PLEACH_XMSS_PUBLIC_KEY_SIZE];
    pleach__xmss_tree top; /* from level `split` to the root */
    pid_t owner;

    pthread_mutex_t lock; /* of what was used, and of its file */
    pleach__xmss_used used;
    bool closed;       /* signs no more: it is in a file, or what it used could not be recorded */
    int file;          /* of what was used; -1 = none */
    uint64_t sequence; /* of the record there */

    pthread_mutex_t cache_lock; /* never held while something is computed */
    pleach__xmss_subtree *cached[2];
};

/* The level that divides the range, so that above and below it there are about equally many nodes to keep. */
unsigned pleach__xmss_split(uint32_t first, uint32_t last);

/* A key of its seed and range, without nodes; NULL after a failure. Destroy it with pleach_xmss_key_destroy(). */
pleach_xmss_key *pleach__xmss_key_new(const uint8_t seed[PLEACH_XMSS_SEED_SIZE], uint32_t first, uint32_t last);

/* Computes the top and the public key from the nodes of level `split`. */
void pleach__xmss_key_finish(const pleach__compress_lanes *c, pleach_xmss_key *key);

/* PLEACH_EFORKED: this process is a fork of the one that made the key. */
pleach_status pleach__xmss_key_owned(const pleach_xmss_key *key);

pleach_status pleach__xmss_key_in_range(const pleach_xmss_key *key, uint32_t epoch);

/* System's random bytes. */
pleach_status pleach__xmss_random(uint8_t *bytes, size_t size);

/* The neighbourhood of an epoch in the range, computed unless it is cached. Give it back. */
pleach_status pleach__xmss_subtree_take(pleach_pool *pool, pleach_xmss_key *key, uint32_t epoch,
                                        pleach_monitor *monitor, pleach__xmss_subtree **subtree);
void pleach__xmss_subtree_give(pleach_xmss_key *key, pleach__xmss_subtree *subtree);
void pleach__xmss_subtrees_drop(pleach_xmss_key *key);

/* Notes what is used, in the file too if there is one. With the lock held, and after that of a failure nothing is ever
   noted or signed again. */
pleach_status pleach__xmss_key_use(pleach_xmss_key *key, const pleach__xmss_used *used);

/* --- Encodings --- */

enum { PLEACH__XMSS_USED_SIZE = 64 };

void pleach__xmss_used_put(const pleach__xmss_used *used, uint8_t bytes[PLEACH__XMSS_USED_SIZE]);

/* False unless it is what was put for a key of that range. */
bool pleach__xmss_used_get(pleach__xmss_used *used, const uint8_t bytes[PLEACH__XMSS_USED_SIZE], uint32_t first,
                           uint32_t last);

/* Where what was used is to be found. */
enum { PLEACH__XMSS_USED_HERE, PLEACH__XMSS_USED_IN_FILE };

void pleach__xmss_key_put(const pleach_xmss_key *key, uint32_t where, uint8_t *bytes);
pleach_status pleach__xmss_key_get(pleach_pool *pool, const uint8_t *bytes, size_t size, uint32_t where,
                                   pleach_xmss_key **key);

/* The checksum that ends encodings: the digest of so many bytes. */
void pleach__xmss_checksum(const uint8_t *bytes, size_t size, uint8_t digest[PLEACH_DIGEST_SIZE]);

/* --- Files --- */

/* Writes down what is used, on the disk when it returns. */
pleach_status pleach__xmss_state_record(pleach_xmss_key *key, const pleach__xmss_used *used);

#endif
