#include "engine/cli/leaf_input.h"
#include "engine/cli/proof.h"

#include <sys/stat.h>

static bool is_regular(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* One leaf of a file, by a scheme whose subtrees do not depend on what is to their right: without a tree. */
static pleach_status prove_by_reading(pleach__proof *proof, pleach_pool *pool, const pleach__options *options,
                                      const char *path)
{
    pleach__span source;
    pleach_status status = pleach__span_open(path, &source);
    if (status != PLEACH_OK)
        return status;
    status = pleach__proof_make(proof, pool, &source, options->asked[0].index, path);
    pleach__span_close(&source);
    return status;
}

static pleach_status prove_by_tree(pleach__proof *proof, pleach_pool *pool, const pleach__options *options,
                                   const pleach__leaf_form *form, const char *path)
{
    pleach__leaf_source source;
    pleach_tree *tree = NULL;
    pleach_status status = pleach__leaf_source_open(&source, form, path);
    if (status != PLEACH_OK)
        return status;
    status = pleach_tree_create(&tree, pool, &options->scheme);
    if (status == PLEACH_OK)
        status = pleach__leaf_source_append(&source, tree, path);
    if (status == PLEACH_OK)
        status = pleach__proof_of_leaves(proof, tree, options->asked, options->leaves);
    pleach_tree_destroy(tree);
    pleach__leaf_source_close(&source);
    return status;
}

static int prove(const pleach__options *options, const pleach__leaf_form *form, pleach_pool *pool, const char *path)
{
    const pleach_lone_node lone = options->scheme.lone;
    const bool alike = lone == PLEACH_LONE_REFUSED || lone == PLEACH_LONE_PROMOTED;
    pleach__proof proof = {.scheme = options->scheme, .leaf_size = form->size};
    pleach_status status = options->leaves == 1 && alike && form->kind == PLEACH__LEAF_BYTES && is_regular(path)
                               ? prove_by_reading(&proof, pool, options, path)
                               : prove_by_tree(&proof, pool, options, form, path);
    return pleach__proof_finish(&proof, status, path);
}

int pleach__prove(const pleach__options *options, int count, char **operands)
{
    (void)count;
    pleach__leaf_form form;
    if (!pleach__asks_for_leaf(options) || !pleach__leaf_form_of(options, &options->scheme, &form))
        return PLEACH__EXIT_USAGE;
    int code = PLEACH__EXIT_OK;
    pleach_pool *pool = pleach__open_pool(&options->config, &code);
    if (pool == NULL)
        return code;
    code = prove(options, &form, pool, operands[0]);
    (void)pleach_pool_destroy(pool);
    return code;
}
