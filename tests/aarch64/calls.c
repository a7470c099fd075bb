/*
 * calls kernels: what count.sh divides counted instructions by, a line "FAMILY BACKEND WHAT HASHES" for every stretch
 * that is counted. calls pool SLOTS: a tree on a pool with so many streaming slots.
 */
#define _GNU_SOURCE
#include "kernels/backend.h"
#include "kernels/streaming.h"
#include "merkle/merkle.h"
#include "pool/workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEIGHT = 10, INPUTS = 1 << HEIGHT, SIZE = 64, LONG = 1024, LONG_INPUTS = 64 };

static uint8_t in[INPUTS * SIZE], out[INPUTS * PLEACH_DIGEST_SIZE];

void count_begin(void);
void count_end(void);

/* Functions of their own in the emulator's eyes. */
__attribute__((noinline)) void count_begin(void)
{
    __asm__ volatile("" : : : "memory");
}

__attribute__((noinline)) void count_end(void)
{
    __asm__ volatile("nop" : : : "memory");
}

static pleach__hash_plan plan_of(const pleach__family *family, size_t size)
{
    pleach__hash_plan plan;
    const pleach__hash_form form = {.size = size, .prefix = PLEACH__NO_PREFIX};
    if (family->plan(&plan, &form) != PLEACH_OK)
        abort();
    return plan;
}

static void count_hashes(const pleach__family *family, const pleach__backend *backend, const char *what, size_t size,
                         size_t n)
{
    const pleach__hash_plan plan = plan_of(family, size);
    backend->hash_many(&plan, in, size, n, out); /* what is bound or copied at a first call is not counted */
    count_begin();
    backend->hash_many(&plan, in, size, n, out);
    count_end();
    printf("%s %s %s %zu\n", family->name, backend->name, what, n * (size / SIZE));
}

static void count_fold(const pleach__family *family, const pleach__backend *backend)
{
    const pleach__hash_plan plan = plan_of(family, SIZE);
    uint8_t root[PLEACH_DIGEST_SIZE], *level[HEIGHT + 1] = {NULL};
    const pleach__fold fold = {&plan, &plan, in, SIZE, HEIGHT, level};
    level[HEIGHT] = root;
    backend->fold(&fold);
    count_begin();
    backend->fold(&fold);
    count_end();
    printf("%s %s fold %d\n", family->name, backend->name, 2 * INPUTS - 1);
}

static int count_kernels(void)
{
    for (int f = 0; f < PLEACH_HASH_FAMILIES; f++) {
        const pleach__family *family = pleach__family_of((pleach_family)f);
        for (const pleach__backend *const *b = family->backends; *b != NULL; b++) {
            if (!(*b)->usable(pleach__cpu_features()) || ((*b)->streaming && !pleach__streaming_begin(NULL, true)))
                continue;
            count_hashes(family, *b, "one", SIZE, 1);
            count_hashes(family, *b, "many", SIZE, INPUTS);
            count_hashes(family, *b, "long", LONG, LONG_INPUTS);
            count_fold(family, *b);
        }
    }
    return 0;
}

/* On a machine of which two processors have streaming units of their own. */
static int run_pool(const char *slots)
{
    uint8_t root[PLEACH_DIGEST_SIZE];
    pleach__found found[2];
    pleach__topology topology = {.quota = 0};
    pleach_pool *pool;
    pleach_config config;
    const pleach_leaves leaves = {.data = in, .size = SIZE, .stride = SIZE, .count = INPUTS};
    for (unsigned i = 0; i < 2; i++)
        found[i] = (pleach__found){.number = i, .capacity = 100, .units = 1, .group = i, .cluster = i};
    pleach_config_init(&config);
    if (pleach_config_set(&config, "PLEACH_SME_WORKERS", slots) != PLEACH_OK ||
        pleach_config_set(&config, "PLEACH_WORKERS", "3") != PLEACH_OK ||
        pleach__topology_arrange(&topology, found, 2) != PLEACH_OK ||
        pleach__pool_create_on(&pool, &config, &topology) != PLEACH_OK)
        return 1;
    for (int i = 0; i < 20; i++)
        if (pleach_merkle_root(pool, &pleach_scheme_blake2s, &leaves, NULL, root) != PLEACH_OK)
            return 1;
    (void)pleach_pool_describe(pool, NULL, 0);
    return pleach_pool_destroy(pool) != PLEACH_OK;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "pool") == 0)
        return run_pool(argv[2]);
    return argc == 2 && strcmp(argv[1], "kernels") == 0 ? count_kernels() : 2;
}
