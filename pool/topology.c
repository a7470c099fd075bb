#define _GNU_SOURCE
#include "pool/topology.h"
#include "config/error.h"
#include "pool/quota.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <uv.h>

#ifdef __linux__
enum { FEWEST_PROCESSORS = 1024, MOST_PROCESSORS = 1 << 20 };

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

static pleach_status read_processors(pleach__topology *topology)
{
    size_t size;
    cpu_set_t *mask = read_affinity(&size);
    if (mask == NULL || CPU_COUNT_S(size, mask) == 0) {
        CPU_FREE(mask);
        return PLEACH_OK;
    }
    topology->processors = (unsigned)CPU_COUNT_S(size, mask);
    topology->numbers = malloc(topology->processors * sizeof *topology->numbers);
    for (unsigned number = 0, i = 0; topology->numbers != NULL && i < topology->processors; number++)
        if (CPU_ISSET_S(number, size, mask))
            topology->numbers[i++] = number;
    CPU_FREE(mask);
    if (topology->numbers == NULL)
        return pleach__fail(PLEACH_ENOMEM, "no memory for the numbers of %u processors", topology->processors);
    return PLEACH_OK;
}
#else
static pleach_status read_processors(pleach__topology *topology)
{
    (void)topology;
    return PLEACH_OK;
}
#endif

pleach_status pleach__topology_read(pleach__topology *topology, const char *root)
{
    pleach__topology found = {.processors = uv_available_parallelism(), .quota = pleach__quota_read(root)};
    pleach_status status = read_processors(&found);
    if (status == PLEACH_OK)
        *topology = found;
    return status;
}

void pleach__topology_free(pleach__topology *topology)
{
    free(topology->numbers);
    topology->numbers = NULL;
}

unsigned pleach__topology_workers(const pleach__topology *topology)
{
    bool limited = topology->quota != 0 && topology->quota < topology->processors;
    unsigned workers = limited ? topology->quota : topology->processors;
    return workers < PLEACH_WORKERS_MAX ? workers : PLEACH_WORKERS_MAX;
}
