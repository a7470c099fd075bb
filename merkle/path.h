/* The shape of proofs, and where a tree has their nodes. */
#ifndef PLEACH_PATH_H
#define PLEACH_PATH_H

#include "merkle/scheme.h"
#include "merkle/tree.h"

/* PLEACH_EINVAL, PLEACH_ERANGE as pleach__scheme_check() and pleach__scheme_check_count(), after PLEACH_EPROOFINDEX. */
pleach_status pleach__check_place(const pleach_scheme *scheme, uint64_t index, uint64_t count);

/* Nodes in the inclusion proof of a leaf of a tree of so many levels; index < count. */
size_t pleach__path_length(pleach_lone_node lone, unsigned levels, uint64_t index, uint64_t count);

/* Nodes in a consistency proof; 0 < older <= newer. */
size_t pleach__consistency_length(uint64_t older, uint64_t newer);

/* PLEACH_EINVAL unless the scheme promotes lone nodes: only such trees have consistency proofs. */
pleach_status pleach__check_promotes(const pleach_scheme *scheme);

/* Errors as pleach__check_promotes(); PLEACH_EPROOFEMPTY, PLEACH_EPROOFORDER. */
pleach_status pleach__check_ages(const pleach_scheme *scheme, uint64_t older, uint64_t newer);

/* PLEACH_EPROOFLENGTH if a proof has not as many nodes as belong to its shape. */
pleach_status pleach__check_nodes(size_t nodes, size_t expected);

/* PLEACH_ERANGE if a proof of so many nodes does not fit. */
pleach_status pleach__check_capacity(size_t capacity, size_t nodes);

/*
 * Copies the siblings of a node and of its ancestors; returns where they end. `zeros` has the zero subtrees of the
 * scheme, if it pads with them; else it may be NULL.
 */
uint8_t *pleach__copy_siblings(const pleach_tree *tree, const pleach__hashing *zeros, unsigned level, uint64_t position,
                               uint8_t *path);

#endif
