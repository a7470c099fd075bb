#define _GNU_SOURCE
#include "chain.h"
#include "merkle/proof.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const pleach__family *const *trial_families(void)
{
    static const pleach__family *const families[] = {&pleach__blake3, NULL};
    return families;
}

const char *const object_names[OBJECTS] = {"transactions", "ids", "rare", "bank", "store.v2"};
const pleach_scheme *const tree_schemes[TREES] = {PLEACH_SCHEME_RFC6962, PLEACH_SCHEME_BITCOIN, PLEACH_SCHEME_BLAKE3};
const pleach_engine_accumulator_rules accumulator_rules[ACCUMULATORS] = {
    {.states = MODULES, .total = true, .empty = PLEACH_LTHASH_EMPTY_HASHED},
    {.states = 1, .empty = PLEACH_LTHASH_EMPTY_SKIPPED},
};

enum { ADDED = 24, REPLACED = 12, CHANGES = 32, LONGEST = 300 };

struct content {
    uint8_t bytes[TREES * (ADDED + REPLACED) * LONGEST + ACCUMULATORS * CHANGES * LONGEST];
    size_t used;
    pleach_input added[TREES][ADDED], replaced[TREES][REPLACED];
    uint64_t index[TREES][REPLACED];
    size_t adds[TREES], replacements[TREES];
    pleach_lthash_op ops[ACCUMULATORS][CHANGES];
    size_t changes[ACCUMULATORS];
};

static pleach_input draw(struct content *content, uint64_t *seed, size_t size)
{
    uint8_t *bytes = content->bytes + content->used;
    fill_random(bytes, size, random_below(seed, UINT64_MAX));
    content->used += size;
    return (pleach_input){bytes, size};
}

static size_t leaf_size(uint32_t tree, uint64_t height, uint64_t *seed)
{
    if (tree_schemes[tree]->leaf_given)
        return PLEACH_DIGEST_SIZE;
    return height % 2 == 0 ? 40 : (size_t)random_below(seed, LONGEST);
}

static bool takes_part(uint32_t object, uint64_t height)
{
    return object == RARE ? height % 4 == 1 : object == STORE ? height % 3 == 0 : height % 10 != 7;
}

static void draw_tree(struct content *content, uint32_t tree, uint64_t height, uint64_t size, uint64_t *seed)
{
    content->adds[tree] = (size_t)random_below(seed, ADDED);
    for (size_t i = 0; i < content->adds[tree]; i++)
        content->added[tree][i] = draw(content, seed, leaf_size(tree, height, seed));
    size += content->adds[tree];
    content->replacements[tree] = size > 0 ? (size_t)random_below(seed, REPLACED) : 0;
    for (size_t i = 0; i < content->replacements[tree]; i++) {
        content->index[tree][i] = random_below(seed, size);
        content->replaced[tree][i] = draw(content, seed, leaf_size(tree, height, seed));
    }
}

static void draw_accumulator(struct content *content, uint32_t accumulator, uint64_t *seed)
{
    content->changes[accumulator] = (size_t)random_below(seed, CHANGES);
    for (size_t i = 0; i < content->changes[accumulator]; i++)
        content->ops[accumulator][i] =
            (pleach_lthash_op){.item = draw(content, seed, (size_t)random_below(seed, LONGEST)),
                               .action = random_below(seed, 3) == 0 ? PLEACH_LTHASH_REMOVE : PLEACH_LTHASH_ADD,
                               .state = (uint32_t)random_below(seed, accumulator_rules[accumulator].states)};
}

/* `sizes`: of the trees before the block. */
static struct content *draw_content(uint64_t height, const uint64_t *sizes)
{
    struct content *content = calloc(1, sizeof *content);
    uint64_t seed = 0x9e3779b97f4a7c15U * (height + 1);
    assert_non_null(content);
    for (uint32_t t = 0; t < TREES; t++)
        if (takes_part(t, height))
            draw_tree(content, t, height, sizes[t], &seed);
    for (uint32_t a = 0; a < ACCUMULATORS; a++)
        if (takes_part(TREES + a, height))
            draw_accumulator(content, a, &seed);
    return content;
}

/* --- engines --- */

pleach_config chain_settings(void)
{
    pleach_config config;
    pleach_config_init(&config);
    config.workers = 2;
    config.log_level = PLEACH_LOG_OFF;
    return config;
}

pleach_engine *chain_open(const char *path, unsigned rollback_blocks)
{
    const pleach_config config = chain_settings();
    const pleach_engine_options options = {.directory = path, .rollback_blocks = rollback_blocks};
    pleach_engine *engine = NULL;
    if (pleach_engine_open(&engine, &config, &options) != PLEACH_OK)
        fail_msg("%s", pleach_last_error());
    return engine;
}

pleach_status chain_objects(pleach_engine *engine)
{
    pleach_status status = PLEACH_OK;
    uint32_t object = OBJECTS;
    for (uint32_t t = 0; t < TREES && status == PLEACH_OK; t++)
        status = pleach_engine_tree(engine, object_names[t], tree_schemes[t], &object);
    for (uint32_t a = 0; a < ACCUMULATORS && status == PLEACH_OK; a++)
        status = pleach_engine_accumulator(engine, object_names[TREES + a], &accumulator_rules[a], &object);
    return status;
}

/* In two calls, of which the second has the larger part. */
static pleach_status add_leaves(pleach_engine *engine, uint32_t tree, const pleach_input *list, size_t n)
{
    pleach_status status = pleach_engine_append(engine, tree, &(pleach_leaves){.count = n / 3, .list = list});
    return status == PLEACH_OK
               ? pleach_engine_append(engine, tree, &(pleach_leaves){.count = n - n / 3, .list = list + n / 3})
               : status;
}

static pleach_status hand_over(pleach_engine *engine, const struct content *content)
{
    pleach_status status = PLEACH_OK;
    for (uint32_t t = 0; t < TREES && status == PLEACH_OK; t++) {
        const pleach_leaves replaced = {.count = content->replacements[t], .list = content->replaced[t]};
        status = add_leaves(engine, t, content->added[t], content->adds[t]);
        if (status == PLEACH_OK)
            status = pleach_engine_update(engine, t, content->index[t], &replaced);
    }
    for (uint32_t a = 0; a < ACCUMULATORS && status == PLEACH_OK; a++)
        status = pleach_engine_apply(engine, TREES + a, content->ops[a], content->changes[a]);
    return status;
}

pleach_status chain_fill(pleach_engine *engine, uint64_t height)
{
    pleach_engine_view *view = NULL;
    uint64_t sizes[TREES];
    pleach_status status = pleach_engine_view_open(engine, PLEACH_ENGINE_LATEST, &view);
    for (uint32_t t = 0; t < TREES && status == PLEACH_OK; t++)
        sizes[t] = pleach_tree_size(pleach_engine_view_tree(view, t));
    pleach_engine_view_close(engine, view);
    if (status == PLEACH_OK)
        status = pleach_engine_block_begin(engine, height);
    if (status != PLEACH_OK)
        return status;
    struct content *content = draw_content(height, sizes);
    status = hand_over(engine, content);
    memset(content, 0xa5, sizeof *content); /* what the engine was given is the caller's again */
    free(content);
    return status;
}

pleach_status chain_block(pleach_engine *engine, uint64_t height)
{
    pleach_status status = chain_fill(engine, height);
    return status == PLEACH_OK ? pleach_engine_block_seal(engine, NULL, NULL, 0, NULL) : status;
}

void chain_blocks(pleach_engine *engine, uint64_t first, uint64_t last)
{
    for (uint64_t height = first; height <= last; height++)
        if (chain_block(engine, height) != PLEACH_OK)
            fail_msg("block %llu: %s", (unsigned long long)height, pleach_last_error());
}

/* --- the model --- */

void model_open(struct model *model)
{
    memset(model, 0, sizeof *model);
    for (uint32_t t = 0; t < TREES; t++)
        assert_int_equal(pleach_tree_create(&model->trees[t], NULL, tree_schemes[t]), PLEACH_OK);
}

void model_close(struct model *model)
{
    for (uint32_t t = 0; t < TREES; t++)
        pleach_tree_destroy(model->trees[t]);
}

static void model_change(struct model *model, const struct content *content)
{
    for (uint32_t t = 0; t < TREES; t++) {
        for (size_t i = 0; i < content->adds[t]; i++) {
            const pleach_leaves leaf = {.count = 1, .list = &content->added[t][i]};
            assert_int_equal(pleach_tree_append(model->trees[t], &leaf, NULL), PLEACH_OK);
        }
        for (size_t i = 0; i < content->replacements[t]; i++) {
            const pleach_leaves leaf = {.count = 1, .list = &content->replaced[t][i]};
            assert_int_equal(pleach_tree_update(model->trees[t], &content->index[t][i], &leaf, NULL), PLEACH_OK);
        }
    }
    for (uint32_t a = 0; a < ACCUMULATORS; a++) {
        for (size_t i = 0; i < content->changes[a]; i++) {
            pleach_lthash_op op = content->ops[a][i];
            pleach_lthash *state = &model->states[a == 0 ? op.state : MODULES + 1];
            op.state = 0;
            assert_int_equal(pleach_lthash_apply(NULL, state, &op, 1, accumulator_rules[a].empty, NULL), PLEACH_OK);
            if (a == 0)
                assert_int_equal(
                    pleach_lthash_apply(NULL, &model->states[MODULES], &op, 1, accumulator_rules[a].empty, NULL),
                    PLEACH_OK);
        }
    }
}

void model_block(struct model *model)
{
    uint64_t sizes[TREES];
    for (uint32_t t = 0; t < TREES; t++)
        sizes[t] = pleach_tree_size(model->trees[t]);
    struct content *content = draw_content(++model->height, sizes);
    model_change(model, content);
    free(content);
}

void model_build(struct model *model, uint64_t height)
{
    model_open(model);
    while (model->height < height)
        model_block(model);
}

static bool same_tree(const pleach_tree *a, const pleach_tree *b)
{
    bool same = pleach_tree_size(a) == pleach_tree_size(b);
    for (unsigned level = 0; same && level < pleach_tree_levels(a); level++)
        for (size_t i = 0; same && i < pleach_tree_level_size(a, level); i++)
            same = memcmp(pleach_tree_nodes(a, level, i, NULL), pleach_tree_nodes(b, level, i, NULL),
                          PLEACH_DIGEST_SIZE) == 0;
    return same;
}

static bool same_state(const struct model *model, uint32_t number, const pleach_engine_view *view, uint32_t object,
                       uint32_t index)
{
    pleach_lthash state;
    bool same = false;
    uint8_t checksum[PLEACH_DIGEST_SIZE], expected[PLEACH_DIGEST_SIZE];
    assert_int_equal(pleach_engine_view_state(view, object, index, &state), PLEACH_OK);
    assert_int_equal(pleach_engine_view_checksum(view, object, index, checksum), PLEACH_OK);
    assert_int_equal(pleach_lthash_checksum(NULL, &model->states[number], expected), PLEACH_OK);
    assert_int_equal(pleach_lthash_equal(&state, &model->states[number], &same), PLEACH_OK);
    return same && memcmp(checksum, expected, sizeof expected) == 0;
}

bool model_is(const struct model *model, const pleach_engine_view *view)
{
    uint64_t height = 0;
    const bool sealed = pleach_engine_view_height(view, &height);
    bool same = sealed == (model->height > 0) && height == model->height && pleach_engine_view_size(view) == OBJECTS;
    for (uint32_t i = 0; same && i < OBJECTS; i++)
        same = strcmp(pleach_engine_view_name(view, i), object_names[i]) == 0;
    for (uint32_t t = 0; same && t < TREES; t++)
        same = same_tree(model->trees[t], pleach_engine_view_tree(view, t));
    for (uint32_t s = 0; same && s < MODULES + 1; s++)
        same = same_state(model, s, view, BANK, s < MODULES ? s : PLEACH_ENGINE_TOTAL);
    return same && same_state(model, MODULES + 1, view, STORE, 0);
}

void expect_height(pleach_engine *engine, uint64_t height)
{
    struct model model;
    pleach_engine_view *view = NULL;
    model_build(&model, height);
    assert_int_equal(pleach_engine_view_open(engine, PLEACH_ENGINE_LATEST, &view), PLEACH_OK);
    assert_true(model_is(&model, view));
    pleach_engine_view_close(engine, view);
    model_close(&model);
}

bool leads_to(const pleach_engine_view *view, uint32_t tree, const pleach_scheme *scheme, size_t index,
              const uint8_t root[PLEACH_DIGEST_SIZE])
{
    const pleach_tree *proved = pleach_engine_view_tree(view, tree);
    uint8_t path[PLEACH_PATH_MAX * PLEACH_DIGEST_SIZE];
    size_t nodes = 0;
    return pleach_tree_prove(proved, index, path, PLEACH_PATH_MAX, &nodes) == PLEACH_OK &&
           pleach_merkle_verify(scheme, index, pleach_tree_size(proved), pleach_tree_nodes(proved, 0, index, NULL),
                                path, nodes, root) == PLEACH_OK;
}

/* --- directories --- */

char directory[64];

int make_directory(void **state)
{
    (void)state;
    (void)strcpy(directory, "/dev/shm/pleach-engine-XXXXXX"); /* in memory: tests write a lot */
    if (mkdtemp(directory) != NULL)
        return 0;
    (void)strcpy(directory, "/tmp/pleach-engine-XXXXXX");
    return mkdtemp(directory) == NULL;
}

const char *file_in(const char *name)
{
    static char path[sizeof directory + 256];
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

int remove_directory(void **state)
{
    (void)state;
    DIR *entries = opendir(directory);
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;)
        if (entry->d_name[0] != '.')
            (void)unlink(file_in(entry->d_name));
    (void)closedir(entries);
    return rmdir(directory);
}
