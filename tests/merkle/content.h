/* Trees that change, and what they must be then. */
#ifndef PLEACH_CONTENT_H
#define PLEACH_CONTENT_H

#include "merkle_test.h"

#include "merkle/stored.h"

enum { CONTENT_MOST = 5000, CONTENT_DATA = 1 << 19 };

/* Leaves are parts of this, once open_contents() has filled it and opened the trials. */
extern uint8_t content_data[CONTENT_DATA];
int open_contents(void **state);

/* What a tree must be: leaf hashes, and what find_nodes() makes of them. */
struct content {
    uint8_t hashes[PLEACH_DIGEST_SIZE * CONTENT_MOST];
    size_t count;
    uint8_t nodes[PLEACH_DIGEST_SIZE * (2 * CONTENT_MOST + LEVELS)];
    uint8_t root[PLEACH_DIGEST_SIZE];
    const uint8_t *level[LEVELS];
    unsigned levels;
    bool mutated;
};

void find_nodes(const pleach_scheme *scheme, struct content *content);
void copy_content(struct content *copy, const struct content *content);
void assert_content(const pleach_tree *tree, const struct content *content);

/* A tree of the first leaves of the data. */
pleach_tree *make_tree(pleach_pool *pool, const pleach_scheme *scheme, struct content *content, size_t count);

#endif
