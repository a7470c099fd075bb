/* BLAKE2s for threads that may enter streaming mode. Below a full vector of inputs nobody does. */
#include "kernels/lanes_sme.h"

#include "kernels/blake2s/arm_sme.h"
#include "kernels/blake2s/lanes.h"
#include "kernels/streaming.h"

#include <stddef.h>

/* What arm_sme.S takes for granted. */
_Static_assert(sizeof(job) == 56 && offsetof(job, step) == 16 && offsetof(job, block) == 32 &&
                   offsetof(job, right) == 48 && offsetof(step, stride) == 32 && offsetof(step, mask) == 40 &&
                   offsetof(step, own) == 64 && sizeof(lanes) == 512,
               "as in the assembler file");

void pleach__blake2s_sme_run(const job *jobs, size_t n);

static void run_jobs(const job *jobs, size_t n)
{
    pleach__signals signals;
    pleach__streaming_enter(&signals);
    pleach__blake2s_sme_run(jobs, n);
    pleach__streaming_leave(&signals);
}

static bool streams(size_t n)
{
    return n >= LANES && pleach__streaming_ready();
}

static void hash_many(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out)
{
    if (streams(n))
        hash_rows(plan, in, stride, n, out);
    else
        BLAKE2S_ORDINARY.hash_many(plan, in, stride, n, out);
}

static void fold(const pleach__fold *fold)
{
    if (streams((size_t)1 << fold->height))
        fold_lanes(fold);
    else
        BLAKE2S_ORDINARY.fold(fold);
}

static void hash_list(const pleach__list *list)
{
    if (streams(list->n))
        list_rows(list);
    else
        BLAKE2S_ORDINARY.hash_list(list);
}

static bool usable(const pleach__cpu *cpu)
{
    return cpu->sme;
}

const pleach__backend pleach__blake2s_sme = {
    .name = "sme",
    .needs = "SME with vectors of 512 bits",
    .lanes = LANES,
    .streaming = true,
    .usable = usable,
    .hash_many = hash_many,
    .fold = fold,
    .hash_list = hash_list,
    .compress_lanes = &pleach__blake2s_sme_lanes,
};
