/* The shape of a tree: it follows from the number of leaves alone. */
#ifndef PLEACH_SHAPE_H
#define PLEACH_SHAPE_H

#include <stddef.h>
#include <stdint.h>

/* Most levels a tree can have. */
enum { PLEACH__LEVELS_MAX = 65 };

/* Position of the highest set bit, counted from 1; 0 for 0. */
static inline unsigned pleach__bit_length(uint64_t value)
{
    return value == 0 ? 0 : 64 - (unsigned)__builtin_clzll(value);
}

/* Levels of a tree of `count` leaves, the root's included. */
static inline unsigned pleach__levels(uint64_t count)
{
    return count == 0 ? 0 : pleach__bit_length(count - 1) + 1;
}

/* Nodes of a level of a tree of `count` leaves, at least 1: a lone node is promoted. */
static inline uint64_t pleach__level_size(uint64_t count, unsigned level)
{
    return ((count - 1) >> level) + 1;
}

/* The node of a level above a leaf: some levels of deep trees lie above all bits of a size_t. */
static inline size_t pleach__node_above(size_t leaf, unsigned level)
{
    return (size_t)((uint64_t)leaf >> level);
}

#endif
