#include "engine/cli/proof.h"

#include <stdio.h>

static int verify(pleach_pool *pool, const pleach__options *options, const char *path)
{
    pleach__proof proof = {0};
    int code = PLEACH__EXIT_FAILED;
    pleach_status status = pleach__proof_read(&proof, path);
    if (status == PLEACH_OK)
        code = pleach__proof_check(pool, options, &proof);
    else if (status == PLEACH_EINVAL)
        (void)printf("refused: %s\n", pleach_last_error());
    else
        pleach__complain("%s: %s", path, pleach_last_error());
    pleach__proof_release(&proof);
    return code;
}

int pleach__verify(const pleach__options *options, int count, char **operands)
{
    (void)count;
    if (!options->has_root) {
        pleach__complain("--root HEX is missing: the root you trust, from elsewhere than the proof");
        return PLEACH__EXIT_USAGE;
    }
    int code = PLEACH__EXIT_OK;
    pleach_pool *pool = pleach__open_pool(&options->config, &code);
    if (pool == NULL)
        return code;
    code = verify(pool, options, operands[0]);
    (void)pleach_pool_destroy(pool);
    return code;
}
