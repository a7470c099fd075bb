/* What the machine offers this process. */
#ifndef PLEACH_TOPOLOGY_H
#define PLEACH_TOPOLOGY_H

#include "config/config.h"

typedef struct pleach__topology {
    unsigned processors;      /* that this process may run on; at least 1 */
    unsigned *numbers;        /* the system's numbers of them, ascending; NULL = not known */
    unsigned quota;           /* processors' worth of time that control groups grant, rounded up; 0 = no limit */
    unsigned streaming_units; /* a streaming slot for each */
} pleach__topology;

/*
 * Reads it; what cannot be read counts as absent. `root` stands before every path: "" is the system itself.
 *
 * PLEACH_ENOMEM.
 */
pleach_status pleach__topology_read(pleach__topology *topology, const char *root);

void pleach__topology_free(pleach__topology *topology);

/* Performance workers where the settings leave their number to the library. */
unsigned pleach__topology_workers(const pleach__topology *topology);

#endif
