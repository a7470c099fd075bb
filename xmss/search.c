#include "xmss/search.h"

#include "config/little_endian.h"
#include "kernels/blake2s/blake2s.h"

#include <string.h>

enum { HASH = PLEACH__XMSS_HASH, BLOCK = PLEACH__BLAKE2S_BLOCK };

void pleach__xmss_search_begin(pleach__xmss_search *search, const uint8_t parameter[PLEACH__XMSS_HASH], uint32_t epoch,
                               const uint8_t message[PLEACH_XMSS_MESSAGE_SIZE],
                               const uint8_t suffix[PLEACH__XMSS_SUFFIX])
{
    static const uint32_t initial[8] = BLAKE2S_INITIAL;
    uint8_t block[BLOCK] = {PLEACH__XMSS_ENCODING};
    pleach__put32(block + 5, epoch);
    memcpy(block + HASH, parameter, HASH);
    memcpy(block + 2 * HASH, message, PLEACH_XMSS_MESSAGE_SIZE);
    memcpy(search->state, initial, sizeof initial);
    pleach__blake2s_compress(search->state, block, BLOCK, false);
    for (size_t i = 0; i < PLEACH__XMSS_SUFFIX / 4; i++)
        search->suffix[i] = pleach__get32(suffix + 4 * i);
}
