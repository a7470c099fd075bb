/* pleach block: hash the transactions of a block as a node does. */
#include "engine/cli/block.h"

#include <string.h>

enum { TRANSACTIONS_DEFAULT = 2500, SIZE_DEFAULT = 400 };

pleach_pool *pleach__open_scalar_pool(const pleach_config *config, int *exit_code)
{
    pleach_config scalar = *config;
    if (pleach_config_set(&scalar, "PLEACH_WORKERS", "1") == PLEACH_OK &&
        pleach_config_set(&scalar, "PLEACH_EFFICIENCY_WORKERS", "auto") == PLEACH_OK &&
        pleach_config_set(&scalar, "PLEACH_BACKEND", "portable") == PLEACH_OK)
        return pleach__open_pool(&scalar, exit_code);
    pleach__complain("%s", pleach_last_error());
    *exit_code = PLEACH__EXIT_FAILED;
    return NULL;
}

static bool find_system(const char *name, pleach__system *system)
{
    for (int i = 0; i < PLEACH__SYSTEMS; i++) {
        *system = (pleach__system)i;
        if (strcmp(name, pleach__system_name(*system)) == 0)
            return true;
    }
    pleach__complain("--as \"%s\": expected bitcoin, cometbft or sei", name);
    return false;
}

static pleach_status open_block(pleach__chain_block *block, const pleach__options *options, const char *file)
{
    if (file != NULL)
        return pleach__chain_block_read(block, file);
    return pleach__chain_block_make(block,
                                    options->transactions != 0 ? (size_t)options->transactions : TRANSACTIONS_DEFAULT,
                                    options->transaction_size != 0 ? (size_t)options->transaction_size : SIZE_DEFAULT);
}

static bool report(const pleach__chain_block *block, const pleach__chain_block_outcome *outcome, pleach_pool *pool,
                   bool json)
{
    bool good = true;
    if (json)
        good = pleach__chain_block_print_json(block, outcome, pool);
    else
        pleach__chain_block_print(block, outcome, pool);
    return pleach__chain_block_agrees(block, outcome) && good;
}

static int hash(const pleach__options *options, const pleach__chain_block *block, pleach__system system)
{
    int code = PLEACH__EXIT_FAILED;
    pleach__chain_block_outcome outcome;
    pleach_pool *pool = pleach__open_pool(&options->config, &code);
    pleach_pool *scalar = pool != NULL ? pleach__open_scalar_pool(&options->config, &code) : NULL;
    if (scalar != NULL) {
        code = PLEACH__EXIT_FAILED;
        if (pleach__chain_block_measure(block, system, pool, scalar, &outcome) != PLEACH_OK)
            pleach__complain("%s", pleach_last_error());
        else if (report(block, &outcome, pool, options->json))
            code = PLEACH__EXIT_OK;
    }
    (void)pleach_pool_destroy(scalar);
    (void)pleach_pool_destroy(pool);
    return code;
}

int pleach__block(const pleach__options *options, int count, char **operands)
{
    const char *file = count > 0 ? operands[0] : NULL;
    pleach__system system;
    pleach__chain_block block;
    int code = PLEACH__EXIT_FAILED;
    if (!find_system(options->as != NULL ? options->as : "bitcoin", &system))
        return PLEACH__EXIT_USAGE;
    if (file != NULL && (options->transactions != 0 || options->transaction_size != 0)) {
        pleach__complain("--txs and --size are of a block that is made up, not of one in a file");
        return PLEACH__EXIT_USAGE;
    }
    if (open_block(&block, options, file) == PLEACH_OK)
        code = hash(options, &block, system);
    else
        pleach__complain("%s%s%s", file != NULL ? file : "", file != NULL ? ": " : "", pleach_last_error());
    pleach__chain_block_release(&block);
    return code;
}
