#include "merkle/stored.h"

enum { SOME = 1 << 12 }; /* nodes that are hashed at once: runs are looked for no further */

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

void pleach__rise(const pleach__pages *pages, const pleach__hashing *hashing, const pleach__backend *backend,
                  size_t first, size_t end, unsigned low, unsigned high)
{
    for (unsigned l = low; l <= high; l++) {
        const size_t parents = (size_t)pleach__level_size(end, l), children = (size_t)pleach__level_size(end, l - 1);
        for (size_t parent = pleach__node_above(first, l), nodes; parent < parents; parent += (nodes + 1) / 2) {
            nodes = pleach__pages_run(pages, l - 1, 2 * parent, smaller(children, 2 * parent + SOME));
            nodes = smaller(nodes, 2 * pleach__pages_run(pages, l, parent, smaller(parents, parent + SOME / 2)));
            pleach__hash_parents(hashing, backend, l - 1, pleach__pages_at(pages, l - 1, 2 * parent), nodes,
                                 pleach__pages_at(pages, l, parent));
        }
    }
}

bool pleach__find_places(const pleach__pages *pages, size_t first, unsigned height, uint8_t **level)
{
    for (unsigned l = 0; l <= height; l++) {
        const size_t nodes = (size_t)1 << (height - l), node = first >> l;
        if (pleach__pages_run(pages, l, node, node + nodes) < nodes)
            return false;
        level[l] = pleach__pages_at(pages, l, node);
    }
    return true;
}

static void report(void *context, uint64_t done, uint64_t items)
{
    const pleach__watch *watch = context;
    const uint64_t leaves = done < items ? watch->leaves / items * done : watch->leaves;
    if (watch->caller->progress)
        watch->caller->progress(watch->caller->context, leaves, watch->leaves);
}

pleach_monitor *pleach__watch_leaves(pleach__watch *watch, pleach_monitor *caller, uint64_t leaves)
{
    *watch = (pleach__watch){.job = {.progress = report, .context = watch}, .caller = caller, .leaves = leaves};
    return caller ? &watch->job : NULL;
}
