/* What a stored tree is, and how its nodes are made; for the files that make and change them. */
#ifndef PLEACH_STORED_H
#define PLEACH_STORED_H

#include "merkle/pages.h"
#include "merkle/tile.h"
#include "merkle/tree.h"

struct pleach_tree {
    pleach_scheme scheme;
    pleach__hashing hashing; /* of its nodes */
    pleach__pages pages;
};

/*
 * Makes the nodes of levels low .. high, low > 0, above leaves first .. end - 1 from what is below them. Those to the
 * right are not there: a last node without a sibling is lone. If first = end, which is the number of leaves, it makes
 * the nodes that have lost leaves at their right. The nodes may be written; never fails.
 */
void pleach__rise(const pleach__pages *pages, const pleach__hashing *hashing, const pleach__backend *backend,
                  size_t first, size_t end, unsigned low, unsigned high);

/*
 * Finds where the nodes of a perfect subtree go, as pleach__fold_row() takes it: level[l] for the 2^(height - l) ones
 * of level l above leaf `first`. False if they do not follow each other at every level.
 */
bool pleach__find_places(const pleach__pages *pages, size_t first, unsigned height, uint8_t **level);

/*
 * Replaces content by leaves from a source, read in windows of so many leaves, a power of two, or 0: as many as suit.
 * Errors as pleach_merkle_root_stream(); nothing is changed then.
 */
pleach_status pleach__pages_stream(pleach__pages *pages, const pleach_scheme *scheme, const pleach__hashing *hashing,
                                   size_t leaf_size, size_t window, pleach_read read, void *context, uint64_t total,
                                   pleach_monitor *monitor);

/* A job's monitor: what it tells in items goes on to the caller's in leaves. */
typedef struct pleach__watch {
    pleach_monitor job;
    pleach_monitor *caller;
    uint64_t leaves;
} pleach__watch;

/* What the job takes for its monitor: NULL if the caller has none. Tasks look themselves whether that was cancelled. */
pleach_monitor *pleach__watch_leaves(pleach__watch *watch, pleach_monitor *caller, uint64_t leaves);

#endif
