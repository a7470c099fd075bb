#include "bench/row.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHECKED_MOST = 1024 };

size_t pleach__bench_rows(const pleach__bench_row *rows[PLEACH__BENCH_ROWS_MAX])
{
    const pleach__bench_row *const tables[] = {pleach__bench_rows_kernels, pleach__bench_rows_lthash,
                                               pleach__bench_rows_trees,   pleach__bench_rows_pool,
                                               pleach__bench_rows_proofs,  pleach__bench_rows_proving,
                                               pleach__bench_rows_changes, pleach__bench_rows_accumulators,
                                               pleach__bench_rows_xmss,    pleach__bench_rows_xmss_keys};
    size_t count = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (const pleach__bench_row *row = tables[i]; row->number > 0 && count < PLEACH__BENCH_ROWS_MAX; row++) {
            size_t at = count++;
            for (; at > 0 && rows[at - 1]->number > row->number; at--)
                rows[at] = rows[at - 1];
            rows[at] = row;
        }
    }
    return count;
}

bool pleach__bench_met(const pleach__bench_row *row, double value)
{
    return row->bound == PLEACH__BENCH_AT_LEAST ? value >= row->target : value <= row->target;
}

pleach_config pleach__bench_with_workers(const pleach__bench *bench, unsigned workers)
{
    pleach_config config = bench->config;
    config.workers = (int)workers;
    return config;
}

pleach_config pleach__bench_scalar(const pleach__bench *bench)
{
    pleach_config config = pleach__bench_with_workers(bench, 1);
    (void)snprintf(config.backend, sizeof config.backend, "portable");
    return config;
}

const pleach__backend *pleach__bench_backend(pleach_family family, const char *name)
{
    const pleach__backend *const *backend = pleach__family_of(family)->backends;
    while (*backend && strcmp((*backend)->name, name) != 0)
        backend++;
    return *backend;
}

void pleach__bench_fill(uint8_t *buffer, size_t size)
{
    for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
        const uint64_t word = (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
        memcpy(buffer + i, &word, size - i < sizeof word ? size - i : sizeof word);
    }
}

bool pleach__bench_right(pleach_family family, const pleach__hash_form *form, const uint8_t *in, size_t stride,
                         size_t n, const uint8_t *digests)
{
    const size_t step = n > CHECKED_MOST ? n / CHECKED_MOST | 1 : 1; /* odd: no lane is left out */
    for (size_t i = 0; i < n; i += step) {
        uint8_t digest[PLEACH_DIGEST_SIZE];
        pleach__family_of(family)->reference(form, in + i * stride, digest);
        if (memcmp(digest, digests + i * sizeof digest, sizeof digest) != 0)
            return false;
    }
    return true;
}

void pleach__bench_add_cost(pleach__bench_cost *sum, pleach__bench_cost each, double times)
{
    sum->compressions += each.compressions * times;
    sum->cycles += each.cycles * times;
}

void pleach__bench_add_timing(pleach__bench_timing *sum, const pleach__bench_timing *timing)
{
    sum->ns += timing->ns;
    sum->cycles += timing->cycles;
    sum->samples += timing->samples;
    sum->dropped += timing->dropped;
    sum->disturbed |= timing->disturbed;
}

void pleach__bench_note(pleach__bench_result *result, const pleach__bench_timing *timing, pleach__bench_cost cost)
{
    result->samples = timing->samples;
    result->dropped = timing->dropped;
    result->disturbed = timing->disturbed;
    result->cycles = timing->cycles / cost.compressions;
    result->share = cost.cycles / timing->cycles;
}
