/* A vector of one lane: the round bodies in plain C. See lanes.h. */
#ifndef PLEACH_LANES_ONE_H
#define PLEACH_LANES_ONE_H

#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

typedef uint32_t vec;
enum { LANES = 1 };

#define VEC_ADD(a, b)        ((a) += (b))
#define VEC_XOR(a, b)        ((a) ^= (b))
#define VEC_ROTR(a, n)       ((a) = (a) >> (n) | (a) << (32 - (n)))
#define VEC_ADD_MEMORY(a, b) ((a) += (b))
#define VEC_ADD_XOR(c, d, b) ((c) += (d), (b) ^= (c))
#define VEC_XOR3(a, b, c)    ((a) ^ (b) ^ (c))
#define VEC_SPLAT(word)      (word)
#define VEC_LEAVE()          ((void)0)

#endif
