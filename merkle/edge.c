#include "merkle/edge.h"

#include <string.h>

/* Joins the smallest root held, which is at level `to`, with a node right of it at level `from` or below. */
static void join_last(const pleach__edge *edge, unsigned held, const pleach__hashing *hashing,
                      const pleach__backend *backend, unsigned from, unsigned to, uint8_t *node)
{
    pleach__raise(hashing, backend, from, to, node);
    pleach__hash_pair(hashing, backend, edge->roots[held - 1], node, node);
}

void pleach__edge_append(pleach__edge *edge, const pleach__hashing *hashing, const pleach__backend *backend,
                         const uint8_t *root, unsigned level)
{
    uint8_t grown[PLEACH_DIGEST_SIZE];
    memcpy(grown, root, sizeof grown);
    for (unsigned l = level; (edge->count >> l & 1) != 0; l++)
        join_last(edge, edge->held--, hashing, backend, l, l, grown);
    edge->count += (uint64_t)1 << level;
    memcpy(edge->roots[edge->held++], grown, sizeof grown);
}

void pleach__edge_root(const pleach__edge *edge, const pleach__hashing *hashing, const pleach__backend *backend,
                       const uint8_t *last, unsigned last_level, uint8_t *root)
{
    uint8_t grown[PLEACH_DIGEST_SIZE];
    uint64_t left = edge->count; /* leaves below the roots that are not joined yet */
    unsigned held = edge->held, level = last_level;
    if (!last) {
        level = (unsigned)__builtin_ctzll(left);
        last = edge->roots[--held];
        left &= left - 1;
    }
    memcpy(grown, last, sizeof grown);
    for (; held > 0; left &= left - 1) {
        unsigned next = (unsigned)__builtin_ctzll(left);
        join_last(edge, held--, hashing, backend, level, next, grown);
        level = next + 1;
    }
    if (hashing->depth > level)
        pleach__raise(hashing, backend, level, hashing->depth, grown);
    memcpy(root, grown, sizeof grown);
}
