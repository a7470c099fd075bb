#include "content.h"

#include <string.h>

enum { D = PLEACH_DIGEST_SIZE };

uint8_t content_data[CONTENT_DATA];

int open_contents(void **state)
{
    fill_stream(content_data, CONTENT_DATA);
    return open_trials(state);
}

static size_t level_size(const struct content *content, unsigned level)
{
    return ((content->count - 1) >> level) + 1;
}

void find_nodes(const pleach_scheme *scheme, struct content *content)
{
    content->levels = 0;
    content->mutated = false;
    naive_root(scheme, content->hashes, content->count, content->root);
    if (content->count > 0)
        content->levels = naive_levels(scheme, content->hashes, content->count, content->nodes, content->level);
    for (unsigned l = 0; l < content->levels; l++)
        for (size_t i = 0; i + 1 < level_size(content, l); i += 2)
            content->mutated |= memcmp(content->level[l] + D * i, content->level[l] + D * (i + 1), D) == 0;
}

void copy_content(struct content *copy, const struct content *content)
{
    *copy = *content;
    for (unsigned l = 0; l < content->levels; l++)
        copy->level[l] = copy->nodes + (content->level[l] - content->nodes);
}

static void assert_level(const pleach_tree *tree, const struct content *content, unsigned level)
{
    const size_t size = level_size(content, level);
    size_t run = 0;
    assert_int_equal(pleach_tree_level_size(tree, level), size);
    for (size_t index = 0; index < size; index += run) {
        const uint8_t *nodes = pleach_tree_nodes(tree, level, index, &run);
        assert_non_null(nodes);
        assert_in_range(run, 1, size - index);
        assert_memory_equal(nodes, content->level[level] + D * index, D * run);
    }
    assert_null(pleach_tree_nodes(tree, level, size, &run));
    assert_int_equal(run, 0);
}

void assert_content(const pleach_tree *tree, const struct content *content)
{
    uint8_t root[D];
    assert_int_equal(pleach_tree_size(tree), content->count);
    assert_int_equal(pleach_tree_levels(tree), content->levels);
    for (unsigned l = 0; l < content->levels; l++)
        assert_level(tree, content, l);
    assert_null(pleach_tree_nodes(tree, content->levels, 0, NULL));
    assert_int_equal(pleach_tree_level_size(tree, content->levels), 0);
    assert_int_equal(pleach_tree_mutated(tree), content->mutated);
    pleach_status status = pleach_tree_root(tree, root);
    const bool has_root = content->count > 0 || is_accepted(pleach_tree_scheme(tree), 0);
    assert_int_equal(status, has_root ? PLEACH_OK : PLEACH_EINVAL);
    if (has_root)
        assert_memory_equal(root, content->root, D);
}

pleach_tree *make_tree(pleach_pool *pool, const pleach_scheme *scheme, struct content *content, size_t count)
{
    const size_t size = leaf_size_of(scheme, 24);
    const pleach_leaves leaves = {.data = content_data, .size = size, .stride = size, .count = count};
    pleach_tree *tree = NULL;
    content->count = count;
    for (size_t i = 0; i < count; i++)
        naive_leaf(scheme, content_data + size * i, size, 0, content->hashes + D * i);
    find_nodes(scheme, content);
    assert_int_equal(pleach_tree_create(&tree, pool, scheme), PLEACH_OK);
    assert_int_equal(pleach_tree_build(tree, &leaves, NULL), PLEACH_OK);
    return tree;
}
