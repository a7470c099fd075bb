/* Hashes of sets kept in files: those subcommands that change none. */
#include "engine/cli/lthash_file.h"
#include "engine/cli/lthash_items.h"
#include "engine/cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A state that was loaded. */
typedef struct found {
    pleach__lthash_file file;
    uint8_t checksum[PLEACH_DIGEST_SIZE];
    char text[PLEACH__HEX_SIZE]; /* its checksum */
} found;

/* Does something with a state; exit code. `count` and `operands` are what follows it. */
typedef int (*use)(const pleach__options *options, pleach_pool *pool, found *found, int count, char **operands);

static int complain_of(const char *path)
{
    pleach__complain("%s: %s", path, pleach_last_error());
    return PLEACH__EXIT_FAILED;
}

static pleach_status find(found *f, pleach_pool *pool, const char *path)
{
    pleach_status status = pleach__lthash_load(path, &f->file);
    if (status == PLEACH_OK)
        status = pleach_lthash_checksum(pool, &f->file.sum, f->checksum);
    if (status == PLEACH_OK)
        pleach__hex(f->checksum, f->text);
    return status;
}

static int with_state(const pleach__options *options, int count, char **operands, use make)
{
    int code = PLEACH__EXIT_OK;
    found f;
    pleach_pool *pool = pleach__open_pool(&options->config, &code);
    if (pool == NULL)
        return code;
    code =
        find(&f, pool, operands[0]) == PLEACH_OK ? make(options, pool, &f, count, operands) : complain_of(operands[0]);
    (void)pleach_pool_destroy(pool);
    return code;
}

static int show(const pleach__options *options, pleach_pool *pool, found *f, int count, char **operands)
{
    char check[2 * PLEACH__KEY_CHECK_SIZE + 1];
    const bool zero = pleach_lthash_is_zero(&f->file.sum), keyed = f->file.keyed;
    (void)pool;
    (void)count;
    (void)operands;
    for (size_t i = 0; i < PLEACH__KEY_CHECK_SIZE; i++)
        (void)snprintf(check + 2 * i, 3, "%02x", f->file.key_check[i]);
    if (options->json)
        (void)printf("{\"checksum\": \"%s\", \"zero\": %s, \"key_check\": %s%s%s}\n", f->text, zero ? "true" : "false",
                     keyed ? "\"" : "", keyed ? check : "null", keyed ? "\"" : "");
    else
        (void)printf("checksum   %s\nzero       %s\nkey check  %s\n", f->text, zero ? "yes" : "no",
                     keyed ? check : "none: items are hashed without a key");
    return PLEACH__EXIT_OK;
}

/* Compares a state with that of items which are read; exit code. */
static int check_items(const pleach__options *options, pleach_pool *pool, found *f, int count, char **operands)
{
    pleach__lthash_file other;
    pleach__lthash_items items = {
        .options = options, .pool = pool, .sum = &other.sum, .action = PLEACH_LTHASH_ADD, .locked = -1};
    uint8_t checksum[PLEACH_DIGEST_SIZE];
    char text[PLEACH__HEX_SIZE];
    bool equal = false;
    if (pleach__lthash_unlock(&f->file, options->key_file) != PLEACH_OK ||
        pleach__lthash_new(options->key_file, &other) != PLEACH_OK)
        return complain_of(operands[0]);
    int code = pleach__lthash_items_take(&items, count - 1, operands + 1);
    pleach__progress_clear();
    if (code != PLEACH__EXIT_OK)
        return code;
    if (pleach_lthash_equal(&f->file.sum, &other.sum, &equal) != PLEACH_OK ||
        pleach_lthash_checksum(pool, &other.sum, checksum) != PLEACH_OK)
        return complain_of(operands[0]);
    pleach__hex(checksum, text);
    if (equal)
        (void)printf("ok: checksum %s, of %" PRIu64 " items\n", f->text, items.count);
    else
        (void)printf("refused: the state has checksum %s, that of the %" PRIu64 " items has %s\n", f->text, items.count,
                     text);
    return equal ? PLEACH__EXIT_OK : PLEACH__EXIT_FAILED;
}

static int verify(const pleach__options *options, pleach_pool *pool, found *f, int count, char **operands)
{
    if (options->has_checksum && memcmp(options->checksum, f->checksum, sizeof f->checksum) != 0) {
        (void)printf("refused: the state has checksum %s\n", f->text);
        return PLEACH__EXIT_FAILED;
    }
    if (count > 1)
        return check_items(options, pool, f, count, operands);
    (void)printf("ok: checksum %s\n", f->text);
    return PLEACH__EXIT_OK;
}

int pleach__lthash_show(const pleach__options *options, int count, char **operands)
{
    return with_state(options, count, operands, show);
}

int pleach__lthash_verify(const pleach__options *options, int count, char **operands)
{
    if (!pleach__lthash_items_fit(options))
        return PLEACH__EXIT_USAGE;
    if (count == 1 &&
        (options->nul || options->files || options->has_encoding || options->has_empty || options->key_file != NULL)) {
        pleach__complain("--nul, --ndjson, --files, --empty and --key-file are for items, and none are given");
        return PLEACH__EXIT_USAGE;
    }
    return with_state(options, count, operands, verify);
}
