/* A tree that is built again and again. */
#ifndef PLEACH_BENCH_BUILDING_H
#define PLEACH_BENCH_BUILDING_H

#include "bench/row.h"
#include "merkle/proof.h"

typedef enum pleach__bench_manner {
    PLEACH__BENCH_KEPT,  /* all nodes, in buffers that are used again */
    PLEACH__BENCH_FRESH, /* all nodes, each time in memory that nobody has touched yet */
    PLEACH__BENCH_ROOT,  /* only the root */
} pleach__bench_manner;

typedef struct pleach__bench_shape {
    const pleach_scheme *scheme;
    pleach__bench_manner manner;
    unsigned height;
    size_t size;  /* stored bytes of a leaf */
    size_t zeros; /* zero bytes before them */
} pleach__bench_shape;

typedef struct pleach__bench_building {
    pleach__bench_shape shape;
    pleach_config config;
    pleach_leaves leaves;
    pleach_pool *pool; /* its own */
    pleach_tree *tree;
    uint8_t root[PLEACH_DIGEST_SIZE];
} pleach__bench_building;

/* Bytes of its leaves. */
size_t pleach__bench_leaves_size(const pleach__bench_shape *shape);

/* On failure there is nothing to close. */
pleach_status pleach__bench_open(pleach__bench_building *building, const pleach_config *config,
                                 const pleach__bench_shape *shape, const uint8_t *inputs);

void pleach__bench_close(pleach__bench_building *building);

/* Builds once and compares nodes of every level with the reference. */
pleach_status pleach__bench_verify(pleach__bench_building *building, bool *right);

/* What it costs to build once, by the backend that the pool has. */
pleach_status pleach__bench_building_cost(const pleach__bench_building *building, pleach__bench_cost *cost);

/* The backend that the pool has for the scheme. */
const pleach__backend *pleach__bench_building_backend(const pleach__bench_building *building);

/* The building as something to be timed. */
pleach__bench_subject pleach__bench_building_subject(pleach__bench_building *building);

#endif
