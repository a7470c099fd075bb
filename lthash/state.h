/* States inside: their numbers two to a word, in the order that backends take, and their keys. */
#ifndef PLEACH_LTHASH_STATE_H
#define PLEACH_LTHASH_STATE_H

#include "kernels/blake3/blake3.h"
#include "lthash/lthash.h"

/* What a backend adds to. */
typedef struct pleach__lthash_words {
    _Alignas(64) uint32_t word[PLEACH__LTHASH_WORDS];
} pleach__lthash_words;

void pleach__lthash_add_words(uint32_t *words, const uint32_t *others);
void pleach__lthash_subtract_words(uint32_t *words, const uint32_t *others);

/* How items are hashed. */
pleach__blake3_mode pleach__lthash_mode(const pleach_lthash *state);

/* PLEACH_EKEY unless the keys are the same. */
pleach_status pleach__lthash_check_keys(const pleach_lthash *a, const pleach_lthash *b);

pleach_status pleach__lthash_check_choices(pleach_lthash_action action, pleach_lthash_empty empty);

/* Whether a backend can add to the state where it is. */
bool pleach__lthash_is_aligned(const pleach_lthash *state);

#endif
