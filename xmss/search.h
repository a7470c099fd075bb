/* The search for the randomness of a signature. Everything here is public. */
#ifndef PLEACH_XMSS_SEARCH_H
#define PLEACH_XMSS_SEARCH_H

#include "kernels/backend.h"
#include "xmss/format.h"

enum { PLEACH__XMSS_SUFFIX = PLEACH_XMSS_RANDOMNESS_SIZE - 8 /* randomness after the counter */ };

/* What the encodings of one message have in common. */
typedef struct pleach__xmss_search {
    uint32_t state[8]; /* after the first block: tweak, public parameter, message */
    uint32_t suffix[PLEACH__XMSS_SUFFIX / 4];
} pleach__xmss_search;

void pleach__xmss_search_begin(pleach__xmss_search *search, const uint8_t parameter[PLEACH__XMSS_HASH], uint32_t epoch,
                               const uint8_t message[PLEACH_XMSS_MESSAGE_SIZE],
                               const uint8_t suffix[PLEACH__XMSS_SUFFIX]);

#endif
