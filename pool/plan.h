/* How many workers a pool has, of which kinds, where they belong, and which of them hold a streaming slot. */
#ifndef PLEACH_PLAN_H
#define PLEACH_PLAN_H

#include "pool/topology.h"

typedef struct pleach__place {
    unsigned processor; /* index into the topology's order, or PLEACH__NONE: wherever the caller runs */
    bool streaming;     /* holds the slot of that processor's streaming unit */
    uint64_t unit_id;   /* of that unit; only if it streams */
} pleach__place;

typedef struct pleach__plan pleach__plan;
struct pleach__plan {
    unsigned workers;    /* the caller included; performance workers come first */
    unsigned efficiency; /* how many of them are extra workers for efficiency cores */
    unsigned slots;
    const char *workers_reason, *slots_reason; /* for people */
    pleach__place place[PLEACH_WORKERS_MAX];   /* of each worker; [0] is the caller's */
    pleach__plan *next;                        /* of the pools of this process */
};

/*
 * The slot of a streaming unit goes to the first worker on a processor that reaches it, if none of the other plans has
 * given it away. Callers run anywhere, so they hold none, unless the caller is the only worker.
 */
void pleach__plan_make(pleach__plan *plan, const pleach_config *config, const pleach__topology *topology,
                       const pleach__plan *others);

/* Takes their slots from all workers from one on: they could not be started. */
void pleach__plan_cut(pleach__plan *plan, unsigned workers);

/* Takes its slot from a worker that has one and cannot use it. */
void pleach__plan_deny(pleach__plan *plan, unsigned worker);

#endif
