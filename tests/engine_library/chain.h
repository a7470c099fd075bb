/*
 * Blocks whose content follows from their heights, for an engine, and for trees and states that change by one call for
 * each leaf and item.
 */
#ifndef PLEACH_CHAIN_H
#define PLEACH_CHAIN_H

#include "engine/engine.h"
#include "tests/trials.h"

enum { TREES = 3, ACCUMULATORS = 2, OBJECTS = TREES + ACCUMULATORS, MODULES = 3 };

/* The numbers that objects have when they were made in this order. */
enum { TRANSACTIONS, IDS, RARE, BANK, STORE };

extern const char *const object_names[OBJECTS];
extern const pleach_scheme *const tree_schemes[TREES];
extern const pleach_engine_accumulator_rules accumulator_rules[ACCUMULATORS];

/* --- engines --- */

/* Settings of two workers, which take nothing from the environment. */
pleach_config chain_settings(void);

pleach_engine *chain_open(const char *directory, unsigned rollback_blocks);

/* Finds or makes all objects. */
pleach_status chain_objects(pleach_engine *engine);

/* Begins a block and hands its content over; then seals it. */
pleach_status chain_fill(pleach_engine *engine, uint64_t height);
pleach_status chain_block(pleach_engine *engine, uint64_t height);

/* Blocks first .. last of an engine that has its objects. */
void chain_blocks(pleach_engine *engine, uint64_t first, uint64_t last);

/* --- what they must come to --- */

struct model {
    pleach_tree *trees[TREES];
    pleach_lthash states[MODULES + 2]; /* of BANK, its total, and of STORE */
    uint64_t height;                   /* 0: none yet; blocks are counted from 1 on */
};

void model_open(struct model *model);
void model_close(struct model *model);
void model_block(struct model *model);

/* The model after so many blocks, built anew. */
void model_build(struct model *model, uint64_t height);

/* True if a view has the height and the content of the model. */
bool model_is(const struct model *model, const pleach_engine_view *view);

/* The same of a new model and the newest state of an engine. */
void expect_height(pleach_engine *engine, uint64_t height);

/* True if the proof of a leaf of a view's tree leads to a root. */
bool leads_to(const pleach_engine_view *view, uint32_t tree, const pleach_scheme *scheme, size_t index,
              const uint8_t root[PLEACH_DIGEST_SIZE]);

/* --- directories --- */

/* An empty one, for one test: a setup and a teardown. */
extern char directory[64];
int make_directory(void **state);
int remove_directory(void **state);

/* The path of a file in it; valid until the next call. */
const char *file_in(const char *name);

#endif
