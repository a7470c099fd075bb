#!/usr/bin/env python3
"""Writes tables.c to standard output: the constants of FIPS 180-4, from primes, and what follows from them."""
import math

MASK = 0xFFFFFFFF


def primes(count):
    found, candidate = [], 2
    while len(found) < count:
        if all(candidate % p for p in found):
            found.append(candidate)
        candidate += 1
    return found


def cube_root(n):
    x = 1 << (n.bit_length() + 2) // 3
    while True:
        y = (2 * x + n // (x * x)) // 3
        if y >= x:
            return x
        x = y


def rotate(x, n):
    return (x >> n | x << (32 - n)) & MASK


def sigma0(x):
    return rotate(x, 7) ^ rotate(x, 18) ^ x >> 3


def sigma1(x):
    return rotate(x, 17) ^ rotate(x, 19) ^ x >> 10


K = [cube_root(p << 96) & MASK for p in primes(64)]
IV = [math.isqrt(p << 64) & MASK for p in primes(8)]


def known(words):
    w = list(words)
    for t in range(16, 64):
        w.append((w[t - 16] + sigma0(w[t - 15]) + w[t - 7] + sigma1(w[t - 2])) & MASK)
    return [(k + x) & MASK for k, x in zip(K, w)]


def start():
    a, b, c, d, e, f, g, h = IV
    t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + (e & f ^ ~e & g) + K[0]
    t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + (a & b ^ a & c ^ b & c)
    return [x & MASK for x in (d + t1, t1 + t2, K[1] + g, K[2] + f, K[3] + e)]


def short(size):
    bits = 8 * size
    return [sigma1(bits), bits, sigma0(bits), 0x80000000, sigma0(0x80000000)]


TABLES = [
    ("iv", IV),
    ("k", K),
    ("start", start()),
    ("known64", known([0x80000000] + [0] * 14 + [512])),
    ("short32", short(32)),
    ("short33", short(33)),
    ("short_k32", [(K[t] + {8: 0x80000000, 15: 256}.get(t, 0)) & MASK for t in range(8, 16)]),
    ("short_k33", [(K[t] + {15: 264}.get(t, 0)) & MASK for t in range(9, 16)]),
]

print("/* Written by make_tables.py. */")
print('#include "kernels/sha256/tables.h"')
for name, table in TABLES:
    print("\n_Alignas(64) const uint32_t pleach__sha256_%s[%d] = {" % (name, len(table)))
    for i in range(0, len(table), 8):
        print("    " + ", ".join("0x%08x" % x for x in table[i : i + 8]) + ",")
    print("};")
