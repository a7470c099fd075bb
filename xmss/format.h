/* Sizes, places and tweaks of the signature format: what the files of this room share. */
#ifndef PLEACH_XMSS_FORMAT_H
#define PLEACH_XMSS_FORMAT_H

#include "xmss/trace.h"
#include "xmss/xmss.h"

enum {
    PLEACH__XMSS_HASH = 16, /* bytes of a chain value, a node, a public parameter */
    PLEACH__XMSS_STEPS = 7, /* of a chain; a digit says how many lie behind the value revealed */
    PLEACH__XMSS_SUM = 195, /* of the digits of a valid encoding */
    PLEACH__XMSS_WALK = PLEACH_XMSS_CHAINS * PLEACH__XMSS_STEPS - PLEACH__XMSS_SUM, /* steps that a verifier walks */

    /* In a signature, after the chain values. */
    PLEACH__XMSS_RANDOMNESS = PLEACH_XMSS_CHAINS * PLEACH__XMSS_HASH,
    PLEACH__XMSS_PATH = PLEACH__XMSS_RANDOMNESS + PLEACH_XMSS_RANDOMNESS_SIZE,

    /* In a public key, after the root. */
    PLEACH__XMSS_PARAMETER = PLEACH__XMSS_HASH,
};

/* What a hash is of: the first byte of its tweak. */
enum { PLEACH__XMSS_CHAIN, PLEACH__XMSS_LEAF, PLEACH__XMSS_NODE, PLEACH__XMSS_ENCODING };

/* The tweak: type, sub and index, 9 bytes of the 16 that are hashed first. The public parameter follows. */
typedef struct pleach__xmss_tweak {
    uint8_t type;
    uint32_t sub;   /* chain: 8 * chain + step; node: the parent's level, 1 .. 32; else 0 */
    uint32_t index; /* node: the parent's index in its level; else the epoch */
} pleach__xmss_tweak;

/* What the secret seed expands to: domains of the pseudorandom function. */
enum {
    PLEACH__XMSS_START = 1000,  /* of an epoch and a chain */
    PLEACH__XMSS_PUBLIC = 1001, /* the public parameter, of 0 and 0 */
    PLEACH__XMSS_FILLER = 1002, /* a node outside of the key's range, of its level and index */
};

/* Of a chain where the message has no valid encoding: made-up digits of the right sum, so that the walk is as long. */
static inline unsigned pleach__xmss_substitute(unsigned chain)
{
    return chain < PLEACH__XMSS_SUM - 4 * PLEACH_XMSS_CHAINS ? 5 : 4;
}

#endif
