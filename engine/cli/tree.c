/* Trees kept in files: those subcommands that change one. */
#include "engine/cli/leaf_input.h"
#include "engine/cli/tree_file.h"

#include <stdlib.h>

#define INPUT_HELP                                                                                        \
    "INPUT is a file, or - for standard input; its last leaf is as short as it comes, where the scheme\n" \
    "allows it.\n"

static int build(const pleach__options *options, int count, char **operands);
static int append(const pleach__options *options, int count, char **operands);
static int update(const pleach__options *options, int count, char **operands);
static int truncate_tree(const pleach__options *options, int count, char **operands);

const pleach__subcommand pleach__tree_subcommands[] = {
    {"tree ", "build", build, "sDzLHRFwb", 2, 2, "TREE INPUT", "make a tree of the leaves of a file",
     INPUT_HELP "  --force             replace a tree that is there\n"},
    {"tree ", "append", append, "zLHRwb", 2, 2, "TREE INPUT", "add leaves at the end",
     INPUT_HELP "How its leaves are cut is not kept in the tree: say it as you did when you built it.\n"},
    {"tree ", "update", update, "luLHRwb", 1, 1, "--leaf INDEX --file FILE... TREE", "replace leaves",
     "  --leaf INDEX        which leaf, from 0\n"
     "  --file FILE         what takes its place: all bytes of the file, or its only line\n"},
    {"tree ", "truncate", truncate_tree, "nRwb", 1, 1, "--count N TREE", "go back to the first leaves",
     "  --count N           how many leaves to keep\n"},
    {"tree ", "prove", pleach__tree_prove, "lzwb", 1, 1, "--leaf INDEX... TREE",
     "write the proof of one leaf or several, as JSON",
     "  --leaf INDEX        which leaf, from 0; several give one proof for all of them\n"
     "With --leaf-size the proof says how large leaves are, for verify --file.\n"},
    {"tree ", "consistency", pleach__tree_consistency, "owb", 1, 1, "--older N TREE",
     "write the proof that it begins with an older tree",
     "  --older N           the number of leaves that the older tree had\n"
     "Trees that promote lone nodes have such proofs: rfc6962 and blake3. pleach verify checks them.\n"},
    {"tree ", "verify", pleach__tree_verify, "rnldfzLHRwb", 1, 2, "TREE [PROOF]",
     "check a tree's file, or a proof against it",
     "  --root HEX          the root you trust\n"
     "  --count N           the number of leaves you know of\n"
     "  --leaf INDEX        the leaf you asked for; as many as you asked for\n"
     "  --leaf-file FILE    a file that holds the leaf's bytes and nothing else\n"
     "  --file FILE         the file that the leaves belong to\n"},
    {"tree ", "show", pleach__tree_show, "SARwb", 1, 1, "TREE", "draw a small tree as text or SVG",
     "  --svg               as SVG, for up to 256 leaves; as text for up to 64\n"
     "  --ascii             as text of plain ASCII\n"},
    {.name = NULL},
};

/* Changes a tree; exit code, after a message if that is not 0. */
typedef int (*change)(const pleach__options *options, pleach_tree *tree, char **operands);

static int complain_of(const char *path)
{
    pleach__complain("%s: %s", path, pleach_last_error());
    return PLEACH__EXIT_FAILED;
}

static int append_input(const pleach__options *options, pleach_tree *tree, char **operands)
{
    pleach__leaf_form form;
    pleach__leaf_source source;
    const char *path = operands[1];
    if (!pleach__leaf_form_of(options, pleach_tree_scheme(tree), &form))
        return PLEACH__EXIT_USAGE;
    if (pleach__leaf_source_open(&source, &form, path) != PLEACH_OK)
        return complain_of(path);
    int code = pleach__leaf_source_append(&source, tree, path) == PLEACH_OK ? PLEACH__EXIT_OK : complain_of(path);
    pleach__leaf_source_close(&source);
    return code;
}

/* Leaves that were loaded one by one. */
typedef struct loaded {
    uint64_t *index;
    pleach_input *list;
    uint8_t **bytes; /* of list[i]; owned */
    size_t count;
} loaded;

static void unload(loaded *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->bytes[i]);
    free(l->bytes);
    free(l->list);
    free(l->index);
}

/* False after a message. */
static bool load(const pleach__options *options, const pleach__leaf_form *form, loaded *l)
{
    l->index = calloc(options->leaves, sizeof *l->index);
    l->list = calloc(options->leaves, sizeof *l->list);
    l->bytes = calloc(options->leaves, sizeof *l->bytes);
    if (l->index == NULL || l->list == NULL || l->bytes == NULL) {
        pleach__complain("no memory for %zu leaves", options->leaves);
        return false;
    }
    for (; l->count < options->leaves; l->count++) {
        const pleach__asked *leaf = &options->asked[l->count];
        pleach_input *input = &l->list[l->count];
        if (pleach__leaf_load(form, leaf->file, &l->bytes[l->count], &input->size) != PLEACH_OK) {
            (void)complain_of(leaf->file);
            return false;
        }
        input->bytes = l->bytes[l->count];
        l->index[l->count] = leaf->index;
    }
    return true;
}

static int update_leaves(const pleach__options *options, pleach_tree *tree, char **operands)
{
    pleach__leaf_form form;
    loaded l = {0};
    int code = PLEACH__EXIT_FAILED;
    if (!pleach__leaf_form_of(options, pleach_tree_scheme(tree), &form))
        return PLEACH__EXIT_USAGE;
    if (load(options, &form, &l)) {
        pleach_leaves leaves = {.list = l.list, .count = l.count};
        code =
            pleach_tree_update(tree, l.index, &leaves, NULL) == PLEACH_OK ? PLEACH__EXIT_OK : complain_of(operands[0]);
    }
    unload(&l);
    return code;
}

static int keep_first(const pleach__options *options, pleach_tree *tree, char **operands)
{
    if (!pleach__reversed_fits(options, pleach_tree_scheme(tree)))
        return PLEACH__EXIT_USAGE;
    return pleach_tree_truncate(tree, options->count) == PLEACH_OK ? PLEACH__EXIT_OK : complain_of(operands[0]);
}

/* Writes the tree and says what its root is now. */
static int commit(const pleach__options *options, pleach__replacement *file, const pleach_tree *tree, const char *path)
{
    uint8_t root[PLEACH_DIGEST_SIZE];
    if (pleach_tree_root(tree, root) != PLEACH_OK)
        return complain_of(path);
    if (pleach__tree_file_commit(file, tree) != PLEACH_OK) {
        pleach__complain("%s", pleach_last_error());
        return PLEACH__EXIT_FAILED;
    }
    pleach__warn_if_mutated(tree, path);
    pleach__print_root(root, options->reversed, path);
    return PLEACH__EXIT_OK;
}

/* A new tree, or the one in the file, under its lock. */
static int obtain(const pleach__options *options, pleach_pool *pool, const pleach__replacement *file, bool is_new,
                  const char *path, pleach_tree **tree)
{
    if (is_new && file->exists && !file->is_kind)
        pleach__complain("%s: exists and is no tree: it is left alone", path);
    else if (is_new && file->exists && !options->force)
        pleach__complain("%s: exists; --force replaces it", path);
    else if (is_new && pleach_tree_create(tree, pool, &options->scheme) != PLEACH_OK)
        (void)complain_of(path);
    else if (!is_new && pleach__tree_load(path, pool, tree) != PLEACH_OK)
        (void)complain_of(path);
    else
        return PLEACH__EXIT_OK;
    return PLEACH__EXIT_FAILED;
}

static int with_tree(const pleach__options *options, char **operands, change make, bool is_new)
{
    const char *path = operands[0];
    int code = PLEACH__EXIT_OK;
    pleach__replacement file;
    pleach_tree *tree = NULL;
    pleach_pool *pool = pleach__open_pool(&options->config, &code);
    if (pool == NULL)
        return code;
    if (pleach__tree_file_begin(&file, path) == PLEACH_OK) {
        code = obtain(options, pool, &file, is_new, path, &tree);
        if (code == PLEACH__EXIT_OK)
            code = make(options, tree, operands);
        if (code == PLEACH__EXIT_OK)
            code = commit(options, &file, tree, path);
        pleach_tree_destroy(tree);
        pleach__replacement_end(&file);
    } else {
        pleach__complain("%s", pleach_last_error());
        code = PLEACH__EXIT_FAILED;
    }
    (void)pleach_pool_destroy(pool);
    return code;
}

static int build(const pleach__options *options, int count, char **operands)
{
    pleach__leaf_form form;
    (void)count;
    if (!pleach__leaf_form_of(options, &options->scheme, &form))
        return PLEACH__EXIT_USAGE;
    return with_tree(options, operands, append_input, true);
}

static int append(const pleach__options *options, int count, char **operands)
{
    (void)count;
    return with_tree(options, operands, append_input, false);
}

static int update(const pleach__options *options, int count, char **operands)
{
    (void)count;
    if (options->leaves == 0 || options->leaf_files == 0) {
        pleach__complain("--leaf INDEX --file FILE is missing: which leaf to replace, and what takes its place");
        return PLEACH__EXIT_USAGE;
    }
    return with_tree(options, operands, update_leaves, false);
}

static int truncate_tree(const pleach__options *options, int count, char **operands)
{
    (void)count;
    if (!options->has_count) {
        pleach__complain("--count N is missing: how many leaves to keep");
        return PLEACH__EXIT_USAGE;
    }
    return with_tree(options, operands, keep_first, false);
}
