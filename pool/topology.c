#define _GNU_SOURCE
#include "pool/topology.h"
#include "config/error.h"

#include <stdlib.h>
#include <uv.h>

/* A core with less of the fastest core's capacity is an efficiency core: more than the small cores of Apple's and Arm's
 * designs have, less than the middle ones of the latter. */
enum { EFFICIENCY_PERCENT = 60 };

enum { UNITS_OF_GROUP = 16 }; /* more than any group has */

/* A processor on its way into the order. */
struct candidate {
    uint64_t key[3];
    const pleach__found *found;
    pleach__processor processor;
};

static int compare(const void *a, const void *b)
{
    const struct candidate *first = a, *second = b;
    for (int i = 0; i < 3; i++)
        if (first->key[i] != second->key[i])
            return first->key[i] < second->key[i] ? -1 : 1;
    return 0;
}

static void tell_kinds(struct candidate *candidates, unsigned count)
{
    uint64_t fastest = 0;
    for (unsigned i = 0; i < count; i++)
        if (candidates[i].found->capacity > fastest)
            fastest = candidates[i].found->capacity;
    for (unsigned i = 0; i < count; i++) {
        uint64_t capacity = candidates[i].found->capacity;
        candidates[i].processor.efficiency = capacity != 0 && capacity * 100 < fastest * EFFICIENCY_PERCENT;
    }
}

/* Numbers the clusters of each kind, and puts the candidates in the workers' order. */
static void deal_clusters(struct candidate *candidates, unsigned count, unsigned clusters[2])
{
    for (unsigned i = 0; i < count; i++) {
        struct candidate *c = &candidates[i];
        c->key[0] = c->processor.efficiency;
        c->key[1] = c->found->cluster;
        c->key[2] = c->found->number;
    }
    qsort(candidates, count, sizeof *candidates, compare);
    clusters[0] = clusters[1] = 0;
    for (unsigned i = 0, rank = 0; i < count; i++) {
        struct candidate *c = &candidates[i];
        bool joins = i != 0 && c[-1].processor.efficiency == c->processor.efficiency &&
                     c[-1].found->cluster == c->found->cluster;
        rank = joins ? rank + 1 : 0;
        c->processor.cluster = joins ? c[-1].processor.cluster : clusters[c->processor.efficiency]++;
        c->key[1] = rank;
        c->key[2] = c->processor.cluster;
    }
    qsort(candidates, count, sizeof *candidates, compare);
}

/* Deals each group's units out to its members; returns how many are reached. Leaves the workers' order in key[2]. */
static unsigned deal_units(struct candidate *candidates, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct candidate *c = &candidates[i];
        c->key[0] = c->found->units == 0;
        c->key[1] = c->found->group;
        c->key[2] = i;
    }
    qsort(candidates, count, sizeof *candidates, compare);
    unsigned reached = 0;
    for (unsigned i = 0, first = 0; i < count; i++) { /* first: of the group's units */
        struct candidate *c = &candidates[i];
        if (i == 0 || c[-1].found->group != c->found->group)
            first = reached;
        if (c->found->units == 0) {
            c->processor.unit = PLEACH__NONE;
        } else if (reached - first < c->found->units) {
            c->processor.unit = reached++;
        } else {
            c->processor.unit = c[-(int)(reached - first)].processor.unit; /* its turn comes again */
        }
        c->processor.unit_id = c->found->group * UNITS_OF_GROUP + c->processor.unit - first;
    }
    return reached;
}

pleach_status pleach__topology_arrange(pleach__topology *topology, const pleach__found *found, unsigned processors)
{
    struct candidate *candidates = calloc(processors, sizeof *candidates);
    pleach__processor *order = calloc(processors, sizeof *order);
    if (candidates == NULL || order == NULL) {
        free(candidates);
        free(order);
        return pleach__fail(PLEACH_ENOMEM, "no memory for a description of %u processors", processors);
    }
    for (unsigned i = 0; i < processors; i++) {
        candidates[i].found = &found[i];
        candidates[i].processor.number = found[i].number;
    }
    tell_kinds(candidates, processors);
    deal_clusters(candidates, processors, topology->clusters);
    topology->streaming_units = deal_units(candidates, processors);
    topology->efficiency = 0;
    for (unsigned i = 0; i < processors; i++) {
        order[candidates[i].key[2]] = candidates[i].processor;
        topology->efficiency += candidates[i].processor.efficiency;
    }
    topology->processors = processors;
    topology->order = order;
    free(candidates);
    return PLEACH_OK;
}

pleach_status pleach__topology_uniform(pleach__topology *topology, unsigned processors)
{
    pleach__found *found = calloc(processors, sizeof *found);
    if (found == NULL)
        return pleach__fail(PLEACH_ENOMEM, "no memory for a list of %u processors", processors);
    for (unsigned i = 0; i < processors; i++)
        found[i].number = i;
    pleach_status status = pleach__topology_arrange(topology, found, processors);
    free(found);
    return status;
}

pleach_status pleach__topology_read(pleach__topology *topology, const char *root)
{
    pleach__topology found = {0};
    pleach_status status = pleach__topology_find(&found, root);
    if (status == PLEACH_OK && found.processors == 0)
        status = pleach__topology_uniform(&found, uv_available_parallelism());
    if (status == PLEACH_OK)
        *topology = found;
    return status;
}

void pleach__topology_free(pleach__topology *topology)
{
    free(topology->order);
    topology->order = NULL;
}

#if !defined(__linux__) && !defined(__APPLE__)
pleach_status pleach__topology_find(pleach__topology *topology, const char *root)
{
    (void)topology, (void)root;
    return PLEACH_OK;
}
#endif
