/*
 * Level 0 is the fastest. Processors of a level that share an L2 cache are a cluster of cores, and a cluster has one
 * streaming unit. Threads cannot be bound, so processors have no numbers that mean anything.
 */
#include "pool/topology_sysctl.h"
#include "config/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEVELS = 8, MOST_PROCESSORS = 1 << 16, NAME_SIZE = 64 };

struct level {
    unsigned processors, per_cluster;
    bool efficiency;
};

static unsigned read_count(const pleach__sysctl *sysctl, const char *name)
{
    uint64_t value;
    return sysctl->number(name, &value) && value <= MOST_PROCESSORS ? (unsigned)value : 0;
}

static struct level read_level(const pleach__sysctl *sysctl, unsigned number, unsigned levels)
{
    char name[NAME_SIZE], kind[NAME_SIZE];
    struct level level;
    (void)snprintf(name, sizeof name, "hw.perflevel%u.logicalcpu", number);
    level.processors = read_count(sysctl, name);
    (void)snprintf(name, sizeof name, "hw.perflevel%u.cpusperl2", number);
    level.per_cluster = read_count(sysctl, name);
    if (level.per_cluster == 0)
        level.per_cluster = MOST_PROCESSORS;
    (void)snprintf(name, sizeof name, "hw.perflevel%u.name", number);
    if (sysctl->text(name, kind, sizeof kind))
        level.efficiency = strcmp(kind, "Efficiency") == 0;
    else
        level.efficiency = number != 0 && number == levels - 1;
    return level;
}

pleach_status pleach__topology_from_sysctl(pleach__topology *topology, const pleach__sysctl *sysctl)
{
    struct level level[MOST_LEVELS];
    unsigned levels = read_count(sysctl, "hw.nperflevels"), processors = 0, cluster = 0;
    const unsigned units = read_count(sysctl, "hw.optional.arm.FEAT_SME") != 0;
    levels = levels < MOST_LEVELS ? levels : MOST_LEVELS;
    for (unsigned l = 0; l < levels; l++) {
        level[l] = read_level(sysctl, l, levels);
        processors += level[l].processors;
    }
    if (processors == 0)
        return PLEACH_OK;
    pleach__found *found = calloc(processors, sizeof *found);
    if (found == NULL)
        return pleach__fail(PLEACH_ENOMEM, "no memory for a list of %u processors", processors);
    for (unsigned l = 0, i = 0; l < levels; l++) {
        for (unsigned p = 0; p < level[l].processors; p++, i++) {
            cluster += p % level[l].per_cluster == 0;
            found[i] = (pleach__found){.number = i,
                                       .capacity = level[l].efficiency ? 1 : 2,
                                       .units = units,
                                       .group = cluster,
                                       .cluster = cluster};
        }
    }
    pleach_status status = pleach__topology_arrange(topology, found, processors);
    free(found);
    return status;
}
