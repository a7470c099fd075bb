#include "engine/cli/leaf_input.h"
#include "engine/cli/progress.h"

#include <stdio.h>
#include <string.h>

enum { BATCH = 8 << 20 };

typedef struct hashing {
    const pleach__options *options;
    pleach_pool *pool;
    pleach__leaf_form form;
} hashing;

/* Leaves of one size, in the memory of two windows. */
static pleach_status root_of_stream(const hashing *work, pleach__leaf_source *source, const char *name, uint8_t *root)
{
    pleach_stream_result result;
    uint64_t expected = pleach__leaf_source_expected(source);
    pleach_status status =
        pleach_merkle_root_stream(work->pool, &work->options->scheme, work->form.size, pleach__leaf_source_read, source,
                                  expected, pleach__progress(name, expected), &result);
    if (status == PLEACH_OK)
        memcpy(root, result.root, sizeof result.root);
    return status;
}

/* Leaves of differing sizes, batch by batch. */
static pleach_status root_of_lines(const hashing *work, pleach__leaf_source *source, const char *name, uint8_t *root)
{
    pleach_frontier *frontier = NULL;
    pleach_leaves leaves = {.count = 1};
    (void)pleach__progress(name, source->size);
    pleach_status status = pleach_frontier_create(&frontier, work->pool, &work->options->scheme);
    while (status == PLEACH_OK && leaves.count > 0) {
        status = pleach__leaf_source_next(source, BATCH, &leaves);
        if (status == PLEACH_OK)
            status = pleach_frontier_append(frontier, &leaves, NULL);
        pleach__progress_add(source->used);
    }
    if (status == PLEACH_OK)
        status = pleach_frontier_root(frontier, root);
    pleach_frontier_destroy(frontier);
    return status;
}

/* Whether leaves could be repeated is seen in the nodes, so they are kept. */
static pleach_status root_of_tree(const hashing *work, pleach__leaf_source *source, const char *name, uint8_t *root)
{
    pleach_tree *tree = NULL;
    pleach_status status = pleach_tree_create(&tree, work->pool, &work->options->scheme);
    if (status == PLEACH_OK)
        status = pleach__leaf_source_append(source, tree, name);
    if (status == PLEACH_OK)
        status = pleach_tree_root(tree, root);
    if (status == PLEACH_OK)
        pleach__warn_if_mutated(tree, name);
    pleach_tree_destroy(tree);
    return status;
}

static pleach_status hash_file(void *context, const char *name, int file, uint64_t size)
{
    const hashing *work = context;
    pleach__leaf_source source;
    uint8_t root[PLEACH_DIGEST_SIZE];
    pleach__leaf_source_over(&source, &work->form, file, size);
    pleach_status status = work->options->scheme.lone == PLEACH_LONE_DUPLICATED
                               ? root_of_tree(work, &source, name, root)
                           : work->form.kind == PLEACH__LEAF_LINES ? root_of_lines(work, &source, name, root)
                                                                   : root_of_stream(work, &source, name, root);
    pleach__leaf_source_release(&source);
    if (status == PLEACH_OK)
        pleach__print_root(root, work->options->reversed, name);
    else
        pleach__complain("%s: %s", name, pleach_last_error());
    return status;
}

int pleach__root(const pleach__options *options, int count, char **operands)
{
    hashing work = {.options = options};
    if (!pleach__leaf_form_of(options, &options->scheme, &work.form))
        return PLEACH__EXIT_USAGE;
    int code = PLEACH__EXIT_OK;
    work.pool = pleach__open_pool(&options->config, &code);
    if (work.pool == NULL)
        return code;
    if (pleach__visit_files(count, operands, hash_file, &work) != PLEACH_OK)
        code = PLEACH__EXIT_FAILED;
    (void)pleach_pool_destroy(work.pool);
    return code;
}
