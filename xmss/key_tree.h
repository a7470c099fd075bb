/* Some levels of the tree of a key: those nodes that are above epochs of its range, and the fillers beside them. */
#ifndef PLEACH_XMSS_KEY_TREE_H
#define PLEACH_XMSS_KEY_TREE_H

#include "xmss/key_secret.h"

/* Of a level, nodes are kept in whole pairs. */
typedef struct pleach__xmss_tree {
    uint64_t first, last; /* in the level `bottom` */
    unsigned bottom, top; /* levels; leaves are 0 */
    uint8_t (*node)[PLEACH__XMSS_HASH];
    size_t at[PLEACH_XMSS_HEIGHT + 2]; /* of each level from `bottom`; then, of all nodes */
} pleach__xmss_tree;

/* All but the nodes; returns how many there are, or 0 if they would not fit the address space. */
size_t pleach__xmss_tree_shape(pleach__xmss_tree *tree, uint64_t first, uint64_t last, unsigned bottom, unsigned top);

/* One of a kept pair. */
uint8_t *pleach__xmss_tree_node(const pleach__xmss_tree *tree, unsigned level, uint64_t index);

/* Computes everything from the nodes first .. last of level `bottom`. */
void pleach__xmss_tree_rise(const pleach__compress_lanes *c, const pleach__xmss_secret *secret,
                            const pleach__xmss_tree *tree);

#endif
