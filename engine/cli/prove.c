#include "engine/cli/cli.h"
#include "engine/cli/progress.h"
#include "engine/cli/proof.h"

#include <unistd.h>

static int prove(const pleach__options *options, pleach_pool *pool, const char *path)
{
    pleach__span source;
    pleach__proof proof = {.scheme = options->scheme, .leaf_size = options->leaf_size, .index = options->leaf};
    pleach_status status = pleach__span_open(path, &source);
    if (status == PLEACH_OK) {
        status = pleach__proof_make(&proof, pool, &source, path);
        (void)close(source.file);
    }
    if (status != PLEACH_OK) {
        pleach__complain("%s: %s", path, pleach_last_error());
        return PLEACH__EXIT_FAILED;
    }
    pleach__progress_clear();
    return pleach__proof_write(&proof, stdout) ? PLEACH__EXIT_OK : PLEACH__EXIT_FAILED;
}

int pleach__prove(const pleach__options *options, int count, char **operands)
{
    (void)count;
    if (!options->has_leaf) {
        pleach__complain("--leaf INDEX is missing: which leaf to prove, from 0");
        return PLEACH__EXIT_USAGE;
    }
    int code = PLEACH__EXIT_OK;
    pleach_pool *pool = pleach__open_pool(&options->config, &code);
    if (pool == NULL)
        return code;
    code = prove(options, pool, operands[0]);
    (void)pleach_pool_destroy(pool);
    return code;
}
