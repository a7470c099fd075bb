/*
 * Compression of one block in every lane. The including file defines the vector operations of rounds.h, and V_STATE,
 * the variables of a state.
 */
#ifndef PLEACH_SHA256_COMPRESS_H
#define PLEACH_SHA256_COMPRESS_H

#include "kernels/sha256/rounds.h"

#include <stdbool.h>

/* One block; begins at the initial value, not at s, if `first`. */
static __attribute__((noinline)) void compress(vec s[8], const vec m[16], bool first)
{
    HIDDEN(k, pleach__sha256_k);
    HIDDEN(start, pleach__sha256_start);
    HIDDEN(iv, pleach__sha256_iv);
    V_STATE;
    vec WORDS(m);
    if (first) {
        for (int i = 0; i < 8; i++)
            s[i] = V_ALL(iv + i);
        FIRST4(start, iv);
    } else {
        LOAD_STATE(s);
        WORD4(k);
    }
    REST60(k);
    CHAIN(s);
}

/* A block whose K + W are the same in all lanes. */
static __attribute__((noinline)) void compress_known(vec s[8], const uint32_t kw[64])
{
    V_STATE;
    LOAD_STATE(s);
    V_KEEP(b, c);
    for (int i = 0; i < 64; i += 8)
        CONST8(kw + i);
    CHAIN(s);
}

#endif
