/* Frontiers over the leaves of one array, and what they must be. */
#ifndef PLEACH_FRONTIER_TEST_H
#define PLEACH_FRONTIER_TEST_H

#include "merkle_test.h"

#include "merkle/frontier.h"

enum { LEAVES = 5000, SIZE = 40 };

/* SIZE bytes for each leaf. */
extern uint8_t leaf_data[LEAVES * SIZE];

/* Sets up the leaves, and trials. */
int open_frontiers(void **state);

pleach_frontier *open_frontier(pleach_pool *pool, const pleach_scheme *scheme);

/* Makes the leaf hashes that assert_frontier() expects, of the first `size` bytes of each leaf. */
void hash_leaves(const pleach_scheme *scheme, size_t size);

/* Leaves [first, first + count), at a stride or, every other time, as a list. */
void append(pleach_frontier *frontier, size_t size, size_t first, size_t count);

/* It has the first `count` leaves. */
void assert_frontier(const pleach_frontier *frontier, const pleach_scheme *scheme, size_t count);

size_t encode(const pleach_frontier *frontier, uint8_t *bytes);

#endif
