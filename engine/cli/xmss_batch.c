/* Signatures of XMSS in lists. */
#include "config/error.h"
#include "engine/cli/cli.h"
#include "engine/cli/progress.h"
#include "engine/cli/replacement.h"
#include "engine/cli/xmss_claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is done with a list. */
typedef struct batch {
    const pleach__options *options;
    pleach_pool *pool;
    pleach__xmss_claims list;
    pleach_status *results;
    uint8_t *trace; /* or NULL */
    size_t trace_size;
    pleach_xmss_layout layout;
} batch;

static pleach_status check(batch *b, const char *path)
{
    const pleach__xmss_claims *list = &b->list;
    pleach_monitor monitor = pleach__progress_monitor(path);
    return b->trace != NULL ? pleach_xmss_trace(b->pool, list->claims, list->n, b->layout, b->trace, b->trace_size,
                                                b->results, &monitor)
                            : pleach_xmss_verify_many(b->pool, list->claims, list->n, b->results, &monitor);
}

static int report(const batch *b)
{
    const bool json = b->options->json;
    size_t refused = 0;
    pleach__progress_clear();
    if (json)
        (void)printf("{\"signatures\": %zu, \"refused\": [", b->list.n);
    for (size_t i = 0; i < b->list.n; i++) {
        if (b->results[i] == PLEACH_OK)
            continue;
        if (json)
            (void)printf("%s{\"index\": %zu, \"status\": \"%s\"}", refused > 0 ? ", " : "", i,
                         pleach_status_name(b->results[i]));
        else
            (void)printf("refused: signature %zu: %s\n", i, pleach_status_text(b->results[i]));
        refused++;
    }
    if (json)
        (void)puts("]}");
    else if (refused > 0)
        (void)printf("refused: %zu of %zu signatures\n", refused, b->list.n);
    else
        (void)printf("ok: %zu signatures\n", b->list.n);
    return refused > 0 ? PLEACH__EXIT_FAILED : PLEACH__EXIT_OK;
}

static pleach_status load(batch *b, const char *path, bool traced)
{
    pleach_status status = pleach__xmss_claims_read(&b->list, path, b->options->binary);
    if (status != PLEACH_OK)
        return status;
    b->results = calloc(b->list.n + 1, sizeof *b->results);
    if (b->results == NULL)
        return pleach__fail(PLEACH_ENOMEM, "no memory for %zu results", b->list.n);
    if (!traced)
        return PLEACH_OK;
    status = pleach_xmss_trace_size(b->layout, b->list.n, &b->trace_size);
    if (status != PLEACH_OK)
        return status;
    b->trace = malloc(b->trace_size + 1);
    return b->trace != NULL ? PLEACH_OK : pleach__fail(PLEACH_ENOMEM, "no memory for %zu bytes", b->trace_size);
}

static pleach_status write_trace(const void *content, pleach_write write, void *context)
{
    const batch *b = content;
    return write(context, b->trace, b->trace_size);
}

static pleach_status save_trace(const batch *b)
{
    pleach__replacement replacement;
    pleach_status status = pleach__replacement_begin(&replacement, b->options->output, "        ");
    if (status != PLEACH_OK)
        return status;
    status = pleach__replacement_commit(&replacement, write_trace, b, b->trace_size);
    pleach__replacement_end(&replacement);
    return status;
}

static int run(batch *b, const char *path, bool traced)
{
    int code = PLEACH__EXIT_OK;
    b->pool = pleach__open_pool(&b->options->config, &code);
    if (b->pool == NULL)
        return code;
    pleach_status status = load(b, path, traced);
    if (status == PLEACH_OK)
        status = check(b, path);
    if (status == PLEACH_OK && traced)
        status = save_trace(b);
    if (status == PLEACH_OK) {
        code = report(b);
    } else {
        pleach__complain("%s: %s", path, pleach_last_error());
        code = PLEACH__EXIT_FAILED;
    }
    free(b->results);
    free(b->trace);
    pleach__xmss_claims_release(&b->list);
    (void)pleach_pool_destroy(b->pool);
    return code;
}

int pleach__xmss_verify_batch(const pleach__options *options, int count, char **operands)
{
    batch b = {.options = options};
    (void)count;
    return run(&b, operands[0], false);
}

int pleach__xmss_trace(const pleach__options *options, int count, char **operands)
{
    static const char *const layouts[] = {"lanes", "blocks", "results", "rows"};
    batch b = {.options = options};
    (void)count;
    if (options->output == NULL) {
        pleach__complain("--output FILE says where the trace goes");
        return PLEACH__EXIT_USAGE;
    }
    for (int i = 0; i < 4; i++)
        if (options->layout != NULL && strcmp(options->layout, layouts[i]) == 0)
            b.layout = (pleach_xmss_layout)i;
    if (options->layout != NULL && strcmp(options->layout, layouts[b.layout]) != 0) {
        pleach__complain("--layout \"%s\": expected lanes, blocks, results or rows", options->layout);
        return PLEACH__EXIT_USAGE;
    }
    return run(&b, operands[0], true);
}
