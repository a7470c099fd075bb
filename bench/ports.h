/* What a hash costs: its compressions, and the cycles that the core's vector ports need at least. */
#ifndef PLEACH_BENCH_PORTS_H
#define PLEACH_BENCH_PORTS_H

#include "kernels/backend.h"

typedef struct pleach__bench_cost {
    double compressions;
    double cycles; /* at the port limit of a backend; NAN if it has none or it is not known */
} pleach__bench_cost;

/* Of one input. Sums, feed-forwards and transpositions around the rounds are not counted: no kernel reaches all of it.
 */
pleach__bench_cost pleach__bench_cost_of(pleach_family family, const pleach__backend *backend,
                                         const pleach__hash_plan *plan);

#endif
