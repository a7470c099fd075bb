#include "engine/cli/tree_file.h"

#include "config/error.h"
#include "engine/cli/input.h"
#include "engine/cli/progress.h"

static const char kind[] = "pleachTR";

static bool is_damage(pleach_status status)
{
    return status == PLEACH_EFORMAT || status == PLEACH_EVERSION || status == PLEACH_ETRUNCATED ||
           status == PLEACH_ETRAILING || status == PLEACH_ECHECKSUM;
}

pleach_status pleach__tree_load(const char *path, pleach_pool *pool, pleach_tree **tree)
{
    pleach__span span;
    uint64_t size;
    pleach_status status = pleach__source_open(path, &span, &size);
    if (status != PLEACH_OK)
        return status;
    status = pleach_tree_parse(tree, pool, pleach__span_read, &span, pleach__progress(path, size));
    pleach__span_close(&span);
    return is_damage(status) ? pleach__fail(status, "no tree, or a damaged one: %s", pleach_last_error()) : status;
}

pleach_status pleach__tree_file_begin(pleach__replacement *file, const char *path)
{
    return pleach__replacement_begin(file, path, kind);
}

static pleach_status serialise(const void *content, pleach_write write, void *context)
{
    return pleach_tree_serialise(content, write, context);
}

pleach_status pleach__tree_file_commit(pleach__replacement *file, const pleach_tree *tree)
{
    return pleach__replacement_commit(file, serialise, tree, pleach_tree_serialised_size(tree));
}

int pleach__with_tree(const pleach__options *options, int count, char **operands, pleach__use_tree use)
{
    int code = PLEACH__EXIT_OK;
    pleach_tree *tree = NULL;
    pleach_pool *pool = pleach__open_pool(&options->config, &code);
    if (pool == NULL)
        return code;
    pleach_status status = pleach__tree_load(operands[0], pool, &tree);
    pleach__progress_clear();
    if (status == PLEACH_OK) {
        code = use(options, pool, tree, count, operands);
    } else {
        pleach__complain("%s: %s", operands[0], pleach_last_error());
        code = PLEACH__EXIT_FAILED;
    }
    pleach_tree_destroy(tree);
    (void)pleach_pool_destroy(pool);
    return code;
}
