#include "engine/cli/cli.h"
#include "engine/cli/input.h"
#include "engine/cli/progress.h"

#include <stdio.h>
#include <string.h>

typedef struct hashing {
    const pleach__options *options;
    pleach_pool *pool;
} hashing;

/* As sha256sum does: a name with a newline or a backslash is escaped, and its line begins with a backslash. */
static void print_line(const char *digest, const char *name)
{
    if (strpbrk(name, "\\\n") != NULL)
        (void)putchar('\\');
    (void)printf("%s  ", digest);
    for (; *name != '\0'; name++) {
        if (*name == '\n')
            (void)fputs("\\n", stdout);
        else if (*name == '\\')
            (void)fputs("\\\\", stdout);
        else
            (void)putchar(*name);
    }
    (void)putchar('\n');
}

static pleach_status hash_file(void *context, const char *name, int file, uint64_t size)
{
    const hashing *work = context;
    pleach__span span = {.file = file, .left = UINT64_MAX};
    pleach_stream_result result;
    pleach_status status =
        pleach_merkle_root_stream(work->pool, work->options->scheme, work->options->leaf_size, pleach__span_read, &span,
                                  size, pleach__progress(name, size), &result);
    if (status != PLEACH_OK) {
        pleach__complain("%s: %s", name, pleach_last_error());
        return status;
    }
    char digest[PLEACH__HEX_SIZE];
    pleach__hex(result.root, digest);
    pleach__progress_clear();
    print_line(digest, name);
    return PLEACH_OK;
}

int pleach__root(const pleach__options *options, int count, char **operands)
{
    int code = PLEACH__EXIT_OK;
    pleach_pool *pool = pleach__open_pool(&options->config, &code);
    if (pool == NULL)
        return code;
    hashing work = {.options = options, .pool = pool};
    if (pleach__visit_files(count, operands, hash_file, &work) != PLEACH_OK)
        code = PLEACH__EXIT_FAILED;
    (void)pleach_pool_destroy(pool);
    return code;
}
