/*
 * No branch and no address depends on a secret: memcheck follows the seed, which it is told is undefined, through
 * everything that is computed before a signature. The backend is the portable one, whose code all others share but for
 * the compression itself.
 */
#include "xmss/key_object.h"

#include "kernels/blake2s/blake2s.h"
#include "xmss/reference.h"

#include <stdio.h>
#include <string.h>

#if defined(__has_include)
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#endif
#endif

#ifdef VALGRIND_COUNT_ERRORS

enum { FIRST = 13, LAST = 18, EPOCH = 15 };

static unsigned failures;

static void expect(const char *title, bool holds)
{
    (void)printf("%s: %s\n", title, holds ? "ok" : "FAILED");
    failures += !holds;
}

static unsigned errors(void)
{
    return (unsigned)VALGRIND_COUNT_ERRORS;
}

static void make_public(const void *bytes, size_t size)
{
    (void)VALGRIND_MAKE_MEM_DEFINED(bytes, size);
}

static pleach_xmss_key *make_key(pleach_pool *pool)
{
    uint8_t seed[PLEACH_XMSS_SEED_SIZE];
    pleach_xmss_key *key = NULL;
    memset(seed, 7, sizeof seed);
    (void)VALGRIND_MAKE_MEM_UNDEFINED(seed, sizeof seed);
    const pleach_status status = pleach_xmss_keygen(pool, seed, FIRST, LAST, NULL, &key);
    expect("a key is made", status == PLEACH_OK);
    return key;
}

/* All of signing but the search, which knows no secret, and verifying, which branches on what is public by then. */
static void check_signature(pleach_pool *pool, pleach_xmss_key *key)
{
    const uint8_t message[PLEACH_XMSS_MESSAGE_SIZE] = {1};
    const uint8_t randomness[PLEACH_XMSS_RANDOMNESS_SIZE] = {0};
    uint8_t digits[PLEACH_XMSS_CHAINS], values[PLEACH_XMSS_CHAINS][PLEACH__XMSS_HASH], expected[PLEACH__XMSS_HASH];
    pleach__xmss_subtree *subtree = NULL;
    make_public(key->secret.parameter, sizeof key->secret.parameter);
    (void)pleach__xmss_reference_encode(digits, key->secret.parameter, EPOCH, message, randomness, NULL);
    digits[0] = 0; /* every digit */
    digits[1] = 7;
    pleach__xmss_reveal(pleach__blake2s_portable.compress_lanes, &key->secret, EPOCH, digits, values[0]);
    expect("a neighbourhood is made", pleach__xmss_subtree_take(pool, key, EPOCH, NULL, &subtree) == PLEACH_OK);
    pleach__xmss_subtree_give(key, subtree);
    expect("nothing depends on secrets", errors() == 0);
    make_public(key->secret.seed, sizeof key->secret.seed);
    make_public(values, sizeof values);
    for (unsigned chain = 0; chain < PLEACH_XMSS_CHAINS; chain++) {
        pleach__xmss_reference_prf(expected, key->secret.seed, PLEACH__XMSS_START, EPOCH, chain);
        pleach__xmss_reference_steps(expected, key->secret.parameter, EPOCH, chain, 0, digits[chain], NULL);
        if (memcmp(expected, values[chain], sizeof expected) != 0)
            expect("the values are those of the digits", false);
    }
}

/* What must not be in the code is found. */
static void check_planted(void)
{
    static volatile int sink;
    static const int table[256] = {1};
    uint8_t secret = 1;
    (void)VALGRIND_MAKE_MEM_UNDEFINED(&secret, sizeof secret);
    unsigned before = errors();
    if (*(volatile uint8_t *)&secret & 1)
        sink = 1;
    expect("a branch is noticed", errors() > before);
    before = errors();
    sink = ((volatile const int *)table)[*(volatile uint8_t *)&secret];
    expect("a look-up is noticed", errors() > before);
    (void)sink;
}

int main(void)
{
    pleach_config config;
    pleach_pool *pool = NULL;
    if (!RUNNING_ON_VALGRIND) {
        (void)puts("SKIPPED: not run by valgrind");
        return 0;
    }
    pleach_config_init(&config);
    config.workers = 1;
    (void)snprintf(config.backend, sizeof config.backend, "portable");
    expect("a pool is made", pleach_pool_create(&pool, &config) == PLEACH_OK);
    pleach_xmss_key *key = make_key(pool);
    if (key)
        check_signature(pool, key);
    check_planted();
    pleach_xmss_key_destroy(key);
    (void)pleach_pool_destroy(pool);
    return failures > 0;
}

#else

int main(void)
{
    (void)puts("SKIPPED: built without the headers of valgrind");
    return 0;
}

#endif
