/* Blocks of which not all bytes are stored. */
#ifndef PLEACH_LANES_COPY_H
#define PLEACH_LANES_COPY_H

#include <stdint.h>
#include <string.h>

/* Those bytes of a block that `mask` has, one run of them, and zeros for the others. */
static inline void copy_block(uint8_t *to, const uint8_t *block, uint64_t mask)
{
    if (mask == UINT64_MAX) {
        memcpy(to, block, 64);
        return;
    }
    memset(to, 0, 64);
    if (mask) {
        const int begin = __builtin_ctzll(mask);
        memcpy(to + begin, block + begin, (size_t)(64 - __builtin_clzll(mask) - begin));
    }
}

#endif
