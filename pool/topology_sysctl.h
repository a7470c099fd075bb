/* How Apple's systems describe their processors: hw.perflevel* and hw.optional.arm.*. */
#ifndef PLEACH_TOPOLOGY_SYSCTL_H
#define PLEACH_TOPOLOGY_SYSCTL_H

#include "pool/topology.h"

/* Reads one value by its name; false if there is none of that kind. */
typedef struct pleach__sysctl {
    bool (*number)(const char *name, uint64_t *number);
    bool (*text)(const char *name, char *text, size_t size);
} pleach__sysctl;

/* As pleach__topology_find(). */
pleach_status pleach__topology_from_sysctl(pleach__topology *topology, const pleach__sysctl *sysctl);

#endif
