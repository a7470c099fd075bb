/* What the bench prints on standard output. */
#ifndef PLEACH_BENCH_REPORT_H
#define PLEACH_BENCH_REPORT_H

#include "bench/row.h"

/* The rows there are, for people. */
void pleach__bench_print_list(const pleach__bench_row *const *rows, size_t count);

/* A table for people: what comes above it, and a line. */
void pleach__bench_print_head(const pleach__bench *bench);
void pleach__bench_print_row(const pleach__bench_row *row, const pleach__bench_result *result);

/* One JSON object on a line. `result` is NULL for a row that is only listed. False if memory ran out. */
bool pleach__bench_print_json(const pleach__bench_row *row, const pleach__bench_result *result);

#endif
