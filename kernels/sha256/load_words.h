/* Messages of several rows, a row to a lane. The including file defines swap_bytes() and load_four(). */
#ifndef PLEACH_SHA256_LOAD_WORDS_H
#define PLEACH_SHA256_LOAD_WORDS_H

#include <stddef.h>

INLINE void swap_four(vec m[4], const vec t[4])
{
    m[0] = swap_bytes(t[0]);
    m[1] = swap_bytes(t[1]);
    m[2] = swap_bytes(t[2]);
    m[3] = swap_bytes(t[3]);
}

/* Four message words of each row from byte `at` on. */
INLINE void load_words(vec m[4], const void *const *row, size_t at)
{
    vec t[4];
    load_four(t, row, at);
    swap_four(m, t);
}

/* Blocks of 64 bytes at `at` in each row. */
INLINE void load_blocks(vec m[16], const void *const *row, size_t at)
{
    load_words(m, row, at);
    load_words(m + 4, row, at + 16);
    load_words(m + 8, row, at + 32);
    load_words(m + 12, row, at + 48);
}

#endif
