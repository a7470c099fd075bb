#include "bench/report.h"

#include "bench/clock.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

enum { CELL = 400, PRECISION = 6 }; /* a double may have 309 digits */

static const char *huge_pages_name(pleach_huge_pages setting)
{
    return setting == PLEACH_HUGE_PAGES_ON ? "on" : setting == PLEACH_HUGE_PAGES_OFF ? "off" : "auto";
}

/* Three digits that matter, then `unit`; "-" if there is no such figure. */
static const char *figure(char cell[CELL], double value, const char *unit)
{
    const int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
    if (isnan(value))
        return "-";
    (void)snprintf(cell, CELL, "%.*f%.8s", decimals, value, unit);
    return cell;
}

static const char *target_of(char cell[CELL], const pleach__bench_row *row)
{
    if (row->bound == PLEACH__BENCH_NO_TARGET)
        return "-";
    (void)snprintf(cell, CELL, "%s %g %s", row->bound == PLEACH__BENCH_AT_LEAST ? ">=" : "<=", row->target, row->unit);
    return cell;
}

void pleach__bench_print_list(const pleach__bench_row *const *rows, size_t count)
{
    char target[CELL];
    (void)printf("%4s  %-46s %s\n", "row", "work", "target");
    for (size_t i = 0; i < count; i++)
        (void)printf("%4u  %-46s %s%s\n", rows[i]->number, rows[i]->name, target_of(target, rows[i]),
                     rows[i]->heavy ? "  (only with --rows)" : "");
}

void pleach__bench_print_head(const pleach__bench *bench)
{
    const unsigned workers = pleach_pool_width(bench->pool);
    (void)printf("pleach %s:", pleach_version());
    for (int i = 0; i < PLEACH_FAMILIES; i++)
        (void)printf(" %s %s,", pleach_family_name((pleach_family)i),
                     pleach_kernels_backend(pleach_pool_kernels(bench->pool), (pleach_family)i));
    (void)printf(" %u worker%s, core clock %.2f GHz, huge pages %s\n", workers, workers == 1 ? "" : "s",
                 1 / pleach__bench_best_cycle(), huge_pages_name(bench->config.huge_pages));
    (void)printf("Targets are those of an AVX-512 core at 4.0 GHz; ratios are what can be compared.\n\n");
    (void)printf("%4s  %-46s %10s  %-12s %-4s %7s %6s %7s  %s\n", "row", "work", "value", "target", "met", "cycles",
                 "limit", "scalar", "backend");
}

void pleach__bench_print_row(const pleach__bench_row *row, const pleach__bench_result *result)
{
    char value[CELL], unit[CELL], target[CELL], cycles[CELL], share[CELL], scalar[CELL];
    (void)printf("%4u  %-46s ", row->number, row->name);
    if (result->skipped) {
        (void)printf("%10s  needs %s\n", "-", result->skipped);
    } else if (result->wrong) {
        (void)printf("WRONG DIGESTS by %s\n", result->backend ? result->backend : "the pool");
    } else {
        (void)snprintf(unit, sizeof unit, "%s %s", result->disturbed ? "~" : "", row->unit);
        const char *met = row->bound == PLEACH__BENCH_NO_TARGET   ? ""
                          : pleach__bench_met(row, result->value) ? "yes"
                                                                  : "no";
        (void)printf("%10s  %-12s %-4s %7s %6s %7s  %s", figure(value, result->value, unit), target_of(target, row),
                     met, figure(cycles, result->cycles, ""), figure(share, 100 * result->share, "%"),
                     figure(scalar, result->scalar, "x"), result->backend ? result->backend : "-");
        (void)printf(result->workers > 1 ? " x %u\n" : "\n", result->workers);
    }
    (void)fflush(stdout);
}

static json_t *number(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *describe(const pleach__bench_row *row)
{
    return json_pack("{s:i, s:s, s:s, s:o, s:b, s:b}", "row", (int)row->number, "name", row->name, "unit", row->unit,
                     "target", row->bound == PLEACH__BENCH_NO_TARGET ? json_null() : json_real(row->target), "at_least",
                     row->bound == PLEACH__BENCH_AT_LEAST, "heavy", row->heavy);
}

static json_t *account(const pleach__bench_row *row, const pleach__bench_result *result)
{
    const bool judged = row->bound != PLEACH__BENCH_NO_TARGET && !isnan(result->value);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:s?, s:i, s:f, s:i, s:i, s:b, s:b, s:s?}", "value",
                     number(result->value), "cycles_per_compression", number(result->cycles), "port_limit_share",
                     number(result->share), "scalar_ratio", number(result->scalar), "met",
                     judged ? json_boolean(pleach__bench_met(row, result->value)) : json_null(), "backend",
                     result->backend, "workers", (int)result->workers, "clock_ghz", 1 / pleach__bench_best_cycle(),
                     "samples", (int)result->samples, "dropped", (int)result->dropped, "disturbed", result->disturbed,
                     "wrong", result->wrong, "needs", result->skipped);
}

bool pleach__bench_print_json(const pleach__bench_row *row, const pleach__bench_result *result)
{
    json_t *object = describe(row);
    json_t *measured = result ? account(row, result) : json_object();
    const bool done = object && measured && json_object_update(object, measured) == 0 &&
                      json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(PRECISION)) == 0;
    json_decref(object);
    json_decref(measured);
    (void)fputc('\n', stdout);
    (void)fflush(stdout);
    return done;
}
