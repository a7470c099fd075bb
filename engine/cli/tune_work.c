#include "engine/cli/tune.h"

#include "config/error.h"
#include "engine/cli/block.h"

#include "bench/row.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 2, HEIGHT_MAX = 40, ITEMS = 4096, TRANSACTIONS_MAX = 1 << 30 };

struct pleach__tune_kind {
    const char *name, *example;
    bool keeps_tree;
    struct {
        const char *name; /* NULL if there is none */
        uint64_t least, most;
    } number[NUMBERS];
    /* False after a message. */
    bool (*fits)(pleach__tune_work *work, const pleach__options *options);
    double (*memory)(const pleach__tune_work *work);
    void (*words)(const pleach__tune_work *work, char words[PLEACH__TUNE_WORDS]);
    pleach_status (*load)(pleach__tune_work *work); /* NULL if the bytes are all */
    pleach_status (*run)(pleach__tune_work *work);
};

/* --- tree:HEIGHT:LEAF_SIZE --- */

static bool tree_fits(pleach__tune_work *work, const pleach__options *options)
{
    work->scheme = options->has_scheme ? options->scheme : *PLEACH_SCHEME_BLAKE2S;
    work->family = work->scheme.family;
    if (!work->scheme.leaf_given || work->number[1] == PLEACH_DIGEST_SIZE)
        return true;
    pleach__complain("--work \"%s\": a leaf of scheme %s is a digest of %d bytes", work->text, work->scheme.name,
                     PLEACH_DIGEST_SIZE);
    return false;
}

static double tree_memory(const pleach__tune_work *work)
{
    const double leaves = (double)(UINT64_C(1) << work->number[0]);
    return leaves * ((double)work->number[1] + 2 * PLEACH_DIGEST_SIZE);
}

static void tree_words(const pleach__tune_work *work, char words[PLEACH__TUNE_WORDS])
{
    (void)snprintf(words, PLEACH__TUNE_WORDS, "2^%" PRIu64 " leaves of %" PRIu64 " bytes, all nodes kept",
                   work->number[0], work->number[1]);
}

static pleach_status tree_load(pleach__tune_work *work)
{
    work->size = (size_t)work->number[1] << work->number[0];
    return PLEACH_OK;
}

static pleach_status tree_run(pleach__tune_work *work)
{
    const size_t leaf_size = (size_t)work->number[1];
    const pleach_leaves leaves = {
        .data = work->bytes, .size = leaf_size, .stride = leaf_size, .count = (size_t)1 << work->number[0]};
    pleach_status status = pleach_tree_build(work->tree, &leaves, NULL);
    return status == PLEACH_OK ? pleach_tree_root(work->tree, work->digest) : status;
}

/* --- lthash:SIZE --- */

static bool lthash_fits(pleach__tune_work *work, const pleach__options *options)
{
    (void)options;
    work->family = PLEACH_BLAKE3;
    return true;
}

static double lthash_memory(const pleach__tune_work *work)
{
    return (double)ITEMS * (double)work->number[0];
}

static void lthash_words(const pleach__tune_work *work, char words[PLEACH__TUNE_WORDS])
{
    (void)snprintf(words, PLEACH__TUNE_WORDS, "%d items of %" PRIu64 " bytes, added to the hash of a set", ITEMS,
                   work->number[0]);
}

static pleach_status lthash_load(pleach__tune_work *work)
{
    work->size = ITEMS * (size_t)work->number[0];
    return PLEACH_OK;
}

static pleach_status lthash_run(pleach__tune_work *work)
{
    const size_t size = (size_t)work->number[0];
    const pleach_lthash_items items = {.data = work->bytes, .size = size, .stride = size, .count = ITEMS};
    pleach_lthash state;
    pleach_status status = pleach_lthash_init(&state);
    if (status == PLEACH_OK)
        status =
            pleach_lthash_apply_items(work->pool, &state, PLEACH_LTHASH_ADD, &items, PLEACH_LTHASH_EMPTY_HASHED, NULL);
    return status == PLEACH_OK ? pleach_lthash_checksum(work->pool, &state, work->digest) : status;
}

/* --- block:TRANSACTIONS:SIZE --- */

static bool is_bitcoin(const pleach__tune_work *work)
{
    return work->scheme.lone == PLEACH_LONE_DUPLICATED;
}

/* As Bitcoin has it if that is asked for, as CometBFT has it otherwise. */
static bool block_fits(pleach__tune_work *work, const pleach__options *options)
{
    work->scheme = *PLEACH_SCHEME_RFC6962;
    work->family = work->scheme.family;
    if (options->has_scheme && options->scheme.lone == PLEACH_LONE_DUPLICATED) {
        work->scheme = *PLEACH_SCHEME_BITCOIN; /* whose leaves are hashes of transactions */
        work->scheme.leaf_given = false;
        work->scheme.leaf_twice = true;
    }
    return true;
}

static double block_memory(const pleach__tune_work *work)
{
    return (double)work->number[0] * ((double)work->number[1] + sizeof *work->list + 3 * PLEACH_DIGEST_SIZE);
}

static void block_words(const pleach__tune_work *work, char words[PLEACH__TUNE_WORDS])
{
    (void)snprintf(words, PLEACH__TUNE_WORDS, "%" PRIu64 " transactions of about %" PRIu64 " bytes, as %s hashes them",
                   work->number[0], work->number[1], is_bitcoin(work) ? "Bitcoin" : "CometBFT");
}

static pleach_status block_load(pleach__tune_work *work)
{
    const size_t count = (size_t)work->number[0];
    work->list = calloc(count, sizeof *work->list);
    if (work->list == NULL)
        return pleach__fail(PLEACH_ENOMEM, "no memory for %zu transactions", count);
    work->size = 0;
    for (size_t i = 0; i < count; i++) {
        work->list[i].size = pleach__transaction_size(work->number[1], i);
        work->size += work->list[i].size;
    }
    return PLEACH_OK;
}

static pleach_status block_run(pleach__tune_work *work)
{
    const size_t count = (size_t)work->number[0];
    const pleach_leaves leaves = {.count = count, .list = work->list};
    if (is_bitcoin(work))
        return pleach_merkle_root(work->pool, &work->scheme, &leaves, NULL, work->digest);
    return pleach_cometbft_transactions_root(work->pool, work->list, count, work->digest);
}

static const struct pleach__tune_kind kinds[] = {
    {"tree",
     "tree:20:64",
     true,
     {{"HEIGHT", 0, HEIGHT_MAX}, {"LEAF_SIZE", 1, PLEACH__LEAF_SIZE_MAX}},
     tree_fits,
     tree_memory,
     tree_words,
     tree_load,
     tree_run},
    {"lthash",
     "lthash:200",
     false,
     {{"SIZE", 1, PLEACH__LEAF_SIZE_MAX}},
     lthash_fits,
     lthash_memory,
     lthash_words,
     lthash_load,
     lthash_run},
    {"block",
     "block:2500:400",
     false,
     {{"TRANSACTIONS", 1, TRANSACTIONS_MAX}, {"SIZE", 1, PLEACH__LEAF_SIZE_MAX}},
     block_fits,
     block_memory,
     block_words,
     block_load,
     block_run},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* --- whatever it is --- */

static size_t numbers_of(const struct pleach__tune_kind *kind)
{
    size_t count = 0;
    while (count < NUMBERS && kind->number[count].name != NULL)
        count++;
    return count;
}

static bool complain_of_form(const char *text)
{
    char known[256] = "";
    for (size_t i = 0; i < KINDS; i++) {
        size_t length = strlen(known);
        (void)snprintf(known + length, sizeof known - length, "%s%s", i == 0 ? "" : ", ", kinds[i].name);
        for (size_t j = 0; j < numbers_of(&kinds[i]); j++) {
            length = strlen(known);
            (void)snprintf(known + length, sizeof known - length, ":%s", kinds[i].number[j].name);
        }
        length = strlen(known);
        (void)snprintf(known + length, sizeof known - length, " (%s)", kinds[i].example);
    }
    pleach__complain("--work \"%s\": expected one of %s", text, known);
    return false;
}

/* What follows a colon. False if it is not there, or no number. */
static bool parse_number(const char **text, uint64_t *number)
{
    char digits[24];
    if (**text != ':')
        return false;
    const size_t length = strcspn(++*text, ":");
    if (length >= sizeof digits)
        return false;
    memcpy(digits, *text, length);
    digits[length] = '\0';
    *text += length;
    return pleach__number(digits, number);
}

static bool parse_numbers(pleach__tune_work *work, const char *text)
{
    const struct pleach__tune_kind *kind = work->kind;
    for (size_t i = 0; i < numbers_of(kind); i++)
        if (!parse_number(&text, &work->number[i]))
            return complain_of_form(work->text);
    if (*text != '\0')
        return complain_of_form(work->text);
    for (size_t i = 0; i < numbers_of(kind); i++)
        if (work->number[i] < kind->number[i].least || work->number[i] > kind->number[i].most) {
            pleach__complain("--work \"%s\": expected %s from %" PRIu64 " to %" PRIu64, work->text,
                             kind->number[i].name, kind->number[i].least, kind->number[i].most);
            return false;
        }
    return true;
}

bool pleach__tune_work_parse(pleach__tune_work *work, const char *text, const pleach__options *options)
{
    const size_t length = strcspn(text, ":");
    *work = (pleach__tune_work){.text = text};
    for (size_t i = 0; i < KINDS && work->kind == NULL; i++)
        if (strlen(kinds[i].name) == length && strncmp(kinds[i].name, text, length) == 0)
            work->kind = &kinds[i];
    if (work->kind == NULL)
        return complain_of_form(text);
    return parse_numbers(work, text + length) && work->kind->fits(work, options);
}

void pleach__tune_work_words(const pleach__tune_work *work, char words[PLEACH__TUNE_WORDS])
{
    work->kind->words(work, words);
}

double pleach__tune_work_memory(const pleach__tune_work *work)
{
    return work->kind->memory(work);
}

pleach_status pleach__tune_work_load(pleach__tune_work *work)
{
    pleach_status status = work->kind->load(work);
    work->bytes = status == PLEACH_OK ? malloc(work->size) : NULL;
    if (work->bytes == NULL) {
        pleach__tune_work_unload(work);
        return status != PLEACH_OK ? status : pleach__fail(PLEACH_ENOMEM, "no memory for %zu bytes", work->size);
    }
    pleach__bench_fill(work->bytes, work->size);
    const uint8_t *at = work->bytes;
    for (size_t i = 0; work->list != NULL && i < (size_t)work->number[0]; i++) {
        work->list[i].bytes = at;
        at += work->list[i].size;
    }
    return PLEACH_OK;
}

void pleach__tune_work_unload(pleach__tune_work *work)
{
    free(work->bytes);
    free(work->list);
    work->bytes = NULL;
    work->list = NULL;
}

pleach_status pleach__tune_work_open(pleach__tune_work *work, const pleach_config *config)
{
    pleach_status status = pleach_pool_create(&work->pool, config);
    if (status == PLEACH_OK && work->kind->keeps_tree)
        status = pleach_tree_create(&work->tree, work->pool, &work->scheme);
    if (status != PLEACH_OK)
        pleach__tune_work_close(work);
    return status;
}

void pleach__tune_work_close(pleach__tune_work *work)
{
    pleach_tree_destroy(work->tree);
    (void)pleach_pool_destroy(work->pool);
    work->tree = NULL;
    work->pool = NULL;
}

pleach_status pleach__tune_work_run(pleach__tune_work *work)
{
    return work->kind->run(work);
}
