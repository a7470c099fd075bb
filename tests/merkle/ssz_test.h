/* The definition of trees padded with zero subtrees, by their nodes. */
#ifndef PLEACH_SSZ_TEST_H
#define PLEACH_SSZ_TEST_H

#include "merkle_test.h"

/* Roots of zero subtrees by height, once they were made. */
extern uint8_t zero_root[65][PLEACH_DIGEST_SIZE];
void make_zero_roots(void);

/* Node `index` of a level of the tree over chunks, which is as wide as asked for. */
void node_of_level(const uint8_t *chunks, size_t count, unsigned level, uint64_t index, uint8_t *node);

/* A number as a chunk, little-endian. */
void chunk_of(uint64_t number, uint8_t *chunk);

#endif
