/* Counts stays in streaming mode: the linker puts these functions before those of the library. */
#define _GNU_SOURCE
#include "aarch64_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

_Atomic unsigned stays[WORKERS + 1];

void __real_pleach__blake2s_sme_run(const void *jobs, size_t n);
void __wrap_pleach__blake2s_sme_run(const void *jobs, size_t n);
void __real_pleach__blake2s_sme_chain(uint32_t *out, const uint32_t *prepared, const uint32_t *words,
                                      uint32_t increment, size_t steps);
void __wrap_pleach__blake2s_sme_chain(uint32_t *out, const uint32_t *prepared, const uint32_t *words,
                                      uint32_t increment, size_t steps);

static void count_stay(void)
{
    char name[16] = "";
    unsigned worker;
    (void)pthread_getname_np(pthread_self(), name, sizeof name);
    if (sscanf(name, "pleach-%u", &worker) != 1 || worker >= WORKERS)
        worker = OTHERS;
    atomic_fetch_add(&stays[worker], 1);
}

void __wrap_pleach__blake2s_sme_run(const void *jobs, size_t n)
{
    count_stay();
    __real_pleach__blake2s_sme_run(jobs, n);
}

void __wrap_pleach__blake2s_sme_chain(uint32_t *out, const uint32_t *prepared, const uint32_t *words,
                                      uint32_t increment, size_t steps)
{
    count_stay();
    __real_pleach__blake2s_sme_chain(out, prepared, words, increment, steps);
}

unsigned all_stays(void)
{
    unsigned sum = 0;
    for (unsigned i = 0; i <= WORKERS; i++)
        sum += atomic_load(&stays[i]);
    return sum;
}

void forget_stays(void)
{
    for (unsigned i = 0; i <= WORKERS; i++)
        atomic_store(&stays[i], 0);
}
