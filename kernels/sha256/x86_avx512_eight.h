#ifndef PLEACH_SHA256_X86_AVX512_EIGHT_H
#define PLEACH_SHA256_X86_AVX512_EIGHT_H

#include <stddef.h>
#include <stdint.h>

/* SHA-256 of n inputs of 64 bytes, 1 <= n <= 8, on 256-bit vectors. */
void pleach__sha256_x8_pairs(const uint8_t *in, size_t stride, size_t n, uint8_t *out);

#endif
