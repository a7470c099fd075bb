/* What the machine offers this process. */
#ifndef PLEACH_TOPOLOGY_H
#define PLEACH_TOPOLOGY_H

#include "config/config.h"

#include <limits.h>

#define PLEACH__NONE UINT_MAX

typedef struct pleach__processor {
    unsigned number;  /* the system's, if the topology is numbered */
    bool efficiency;  /* of an efficiency core */
    unsigned cluster; /* of its kind, from 0: processors that share an L2 cache */
    unsigned unit;    /* streaming unit, from 0, or PLEACH__NONE */
    uint64_t unit_id; /* the same unit in every topology of this machine, whatever processors that has */
} pleach__processor;

typedef struct pleach__topology {
    unsigned processors;      /* that this process may run on; at least 1 */
    unsigned efficiency;      /* how many of them are of efficiency cores */
    unsigned clusters[2];     /* of performance, of efficiency cores */
    unsigned streaming_units; /* that any of them reaches */
    unsigned quota;           /* processors' worth of time that control groups grant, rounded up; 0 = no limit */
    bool numbered;            /* threads can be bound to them */
    /* The order in which workers are put on them: performance before efficiency cores; from every cluster one, then
     * from every cluster a second, ... */
    pleach__processor *order;
} pleach__topology;

/*
 * Reads it; what cannot be read counts as absent. `root` stands before every path: "" is the system itself.
 *
 * PLEACH_ENOMEM.
 */
pleach_status pleach__topology_read(pleach__topology *topology, const char *root);

void pleach__topology_free(pleach__topology *topology);

/* A processor as a system describes it. Groups and clusters are known by whatever number their members have in common.
 */
typedef struct pleach__found {
    unsigned number;
    unsigned capacity; /* relative speed; 0 = not known */
    unsigned units;    /* streaming units that its group shares; 0 = none */
    uint64_t group;
    uint64_t cluster;
} pleach__found;

/* Sets all that follows from a list of processors, of which there is at least one. PLEACH_ENOMEM. */
pleach_status pleach__topology_arrange(pleach__topology *topology, const pleach__found *found, unsigned processors);

/* The same from processors of which nothing is known but how many there are. */
pleach_status pleach__topology_uniform(pleach__topology *topology, unsigned processors);

/* What this system tells, in a topology of zeros; no processors if nothing of them is known. PLEACH_ENOMEM. */
pleach_status pleach__topology_find(pleach__topology *topology, const char *root);

#endif
