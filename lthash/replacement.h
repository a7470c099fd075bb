/* An item that takes the place of another. */
#ifndef PLEACH_LTHASH_REPLACEMENT_H
#define PLEACH_LTHASH_REPLACEMENT_H

#include "lthash/lthash.h"

/* The changes that remove the first item and add the second, which follows it in memory. Sizes of 0 are of items that
   contribute nothing; of equal items there are no changes. Returns how many changes there are. */
size_t pleach__lthash_replace(const uint8_t *items, size_t before, size_t after, pleach_lthash_op ops[2]);

/* Whether an encoding has room. */
pleach_status pleach__lthash_check_room(const uint8_t *bytes, size_t capacity, size_t size);

#endif
