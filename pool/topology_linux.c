/*
 * The affinity mask has all that binds a process: cpusets, taskset, and that a processor is offline. Isolated
 * processors are in it where a cpuset spans them. The scheduler does not spread threads over those, so they are left
 * out, unless the process was given nothing else.
 */
#define _GNU_SOURCE
#include "config/error.h"
#include "pool/quota.h"
#include "pool/system_files.h"
#include "pool/topology.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#define CPU_FILES "/sys/devices/system/cpu"

enum { FEWEST_PROCESSORS = 1024, MOST_PROCESSORS = 1 << 20, MOST_CACHES = 16 };

/* Which processors there are: `online` counts where there is no affinity. What could not be read is NULL. */
struct masks {
    cpu_set_t *affinity;
    size_t affinity_size;
    char *online, *isolated;
};

/* The system refuses a mask that is shorter than its own, whose length it does not tell. */
static cpu_set_t *read_affinity(size_t *size)
{
    for (size_t bits = FEWEST_PROCESSORS; bits <= MOST_PROCESSORS; bits *= 2) {
        cpu_set_t *mask = CPU_ALLOC(bits);
        *size = CPU_ALLOC_SIZE(bits);
        if (mask != NULL && sched_getaffinity(0, *size, mask) == 0)
            return mask;
        bool too_short = mask != NULL && errno == EINVAL;
        CPU_FREE(mask);
        if (!too_short)
            break;
    }
    return NULL;
}

/* One more than the largest number that a processor may have. */
static unsigned numbers_end(const struct masks *masks)
{
    unsigned end = 0, first, last;
    if (masks->affinity != NULL)
        return (unsigned)(8 * masks->affinity_size);
    for (const char *rest = masks->online; rest != NULL && pleach__list_next(&rest, &first, &last);)
        if (last < MOST_PROCESSORS && last >= end)
            end = last + 1;
    return end;
}

static bool may_use(const struct masks *masks, unsigned number)
{
    if (masks->affinity != NULL)
        return CPU_ISSET_S(number, masks->affinity_size, masks->affinity);
    return pleach__list_has(masks->online, number);
}

/* Counts the processors that may be used, and numbers `found` if it is not NULL. */
static unsigned list_processors(const struct masks *masks, bool isolated_too, pleach__found *found)
{
    unsigned count = 0;
    for (unsigned number = 0, end = numbers_end(masks); number < end; number++) {
        if (!may_use(masks, number))
            continue;
        if (!isolated_too && masks->isolated != NULL && pleach__list_has(masks->isolated, number))
            continue;
        if (found != NULL)
            found[count].number = number;
        count++;
    }
    return count;
}

/* Hybrid x86 lists its performance cores, and does not always tell the others' capacity. */
static void read_capacities(const char *root, pleach__found *found, unsigned count)
{
    char *performance = pleach__system_list(root, "/sys/devices/cpu_core/cpus");
    for (unsigned i = 0; i < count; i++) {
        uint64_t capacity;
        if (performance != NULL)
            found[i].capacity = pleach__list_has(performance, found[i].number) ? 2 : 1;
        else if (pleach__system_number(&capacity, 10, root, CPU_FILES "/cpu%u/cpu_capacity", found[i].number))
            found[i].capacity = capacity < UINT_MAX ? (unsigned)capacity : UINT_MAX;
    }
    free(performance);
}

/* The first of the processors that share an L2 cache with this one. */
static uint64_t read_cluster(const char *root, unsigned processor)
{
    unsigned first = PLEACH__NONE, last;
    for (unsigned cache = 0; cache < MOST_CACHES; cache++) {
        uint64_t level;
        if (!pleach__system_number(&level, 10, root, CPU_FILES "/cpu%u/cache/index%u/level", processor, cache))
            break;
        if (level != 2)
            continue;
        char *sharers = pleach__system_list(root, CPU_FILES "/cpu%u/cache/index%u/shared_cpu_list", processor, cache);
        const char *rest = sharers;
        if (sharers != NULL)
            (void)pleach__list_next(&rest, &first, &last);
        free(sharers);
        break;
    }
    return first;
}

/*
 * SMIDR_EL1 (Arm Architecture Reference Manual, D24.2): SH in bits 14:13 says whether the processor shares its units,
 * or leaves it to the affinity to say so by not being zero. The affinity is 32 bits in two fields, 51:32 and 11:0, the
 * same for all that share; the number of units less one is in bits 59:56. A reserved SH promises nothing: no unit.
 */
static void decode_smidr(uint64_t smidr, pleach__found *found)
{
    enum { BY_AFFINITY, RESERVED, UNSHARED, SHARED } sharing = smidr >> 13 & 3;
    const unsigned least = smidr & 0xfff, most = smidr >> 32 & 0xfffff, more_units = smidr >> 56 & 15;
    if (sharing == BY_AFFINITY)
        sharing = least != 0 ? SHARED : UNSHARED;
    if (sharing == UNSHARED) {
        found->group = ((uint64_t)1 << 32) + found->number;
        found->units = 1;
    } else if (sharing == SHARED) {
        found->group = (uint64_t)most << 12 | least;
        found->units = more_units != 15 ? more_units + 1 : 1; /* 15 is reserved */
    }
}

static void describe_processors(const char *root, pleach__found *found, unsigned count)
{
    read_capacities(root, found, count);
    for (unsigned i = 0; i < count; i++) {
        uint64_t smidr;
        const unsigned number = found[i].number;
        found[i].cluster = read_cluster(root, number);
        if (pleach__system_number(&smidr, 16, root, CPU_FILES "/cpu%u/regs/identification/smidr_el1", number))
            decode_smidr(smidr, &found[i]);
    }
}

static pleach_status read_processors(pleach__topology *topology, const char *root, const struct masks *masks)
{
    unsigned count = list_processors(masks, false, NULL);
    bool isolated_too = count == 0;
    if (isolated_too)
        count = list_processors(masks, true, NULL);
    if (count == 0)
        return PLEACH_OK;
    pleach__found *found = calloc(count, sizeof *found);
    if (found == NULL)
        return pleach__fail(PLEACH_ENOMEM, "no memory for the numbers of %u processors", count);
    (void)list_processors(masks, isolated_too, found);
    describe_processors(root, found, count);
    pleach_status status = pleach__topology_arrange(topology, found, count);
    topology->numbered = status == PLEACH_OK;
    free(found);
    return status;
}

pleach_status pleach__topology_find(pleach__topology *topology, const char *root)
{
    struct masks masks = {.online = pleach__system_list(root, CPU_FILES "/online"),
                          .isolated = pleach__system_list(root, CPU_FILES "/isolated")};
    masks.affinity = read_affinity(&masks.affinity_size);
    topology->quota = pleach__quota_read(root);
    pleach_status status = read_processors(topology, root, &masks);
    if (masks.affinity != NULL)
        CPU_FREE(masks.affinity);
    free(masks.online);
    free(masks.isolated);
    return status;
}
