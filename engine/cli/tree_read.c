/* Trees kept in files: those subcommands that read one. */
#include "engine/cli/leaf_input.h"
#include "engine/cli/proof.h"
#include "engine/cli/tree_file.h"

#include <stdio.h>
#include <string.h>

static int prove(const pleach__options *options, pleach_pool *pool, const pleach_tree *tree, int count, char **operands)
{
    (void)pool;
    (void)count;
    pleach__leaf_form form;
    const pleach_scheme *scheme = pleach_tree_scheme(tree);
    if (!pleach__leaf_form_of(options, scheme, &form))
        return PLEACH__EXIT_USAGE;
    pleach__proof proof = {.leaf_size = options->has_leaf_size || scheme->leaf_given ? form.size : 0};
    return pleach__proof_finish(&proof, pleach__proof_of_leaves(&proof, tree, options->asked, options->leaves),
                                operands[0]);
}

int pleach__tree_prove(const pleach__options *options, int count, char **operands)
{
    return pleach__asks_for_leaf(options) ? pleach__with_tree(options, count, operands, prove) : PLEACH__EXIT_USAGE;
}

static int prove_older(const pleach__options *options, pleach_pool *pool, const pleach_tree *tree, int count,
                       char **operands)
{
    (void)pool;
    (void)count;
    pleach__proof proof = {0};
    return pleach__proof_finish(&proof, pleach__proof_of_older(&proof, tree, options->older), operands[0]);
}

int pleach__tree_consistency(const pleach__options *options, int count, char **operands)
{
    if (!options->has_older) {
        pleach__complain("--older N is missing: the number of leaves that the older tree had");
        return PLEACH__EXIT_USAGE;
    }
    return pleach__with_tree(options, count, operands, prove_older);
}

/* Checks a proof: everything that it says of its tree is known. */
static int check_proof(const pleach__options *options, pleach_pool *pool, const pleach_tree *tree, const char *path)
{
    pleach__options known = *options;
    pleach__proof proof = {0};
    int code = PLEACH__EXIT_FAILED;
    pleach_status status = pleach__proof_read(&proof, path);
    if (status == PLEACH_OK && proof.kind == PLEACH__PROOF_OLDER) {
        status = pleach__older_root(tree, proof.older, known.older_root);
        known.has_older = known.has_older_root = true;
        known.older = proof.older;
    }
    if (status == PLEACH_OK && pleach__scheme_equal(&proof.scheme, pleach_tree_scheme(tree))) {
        known.has_root = known.has_count = known.has_depth = true;
        known.count = pleach_tree_size(tree);
        known.depth = proof.scheme.depth;
        code = pleach__proof_check(pool, &known, &proof);
    } else if (status == PLEACH_OK) {
        (void)puts("refused: the proof is for other rules than the tree's");
    } else if (status == PLEACH_EIO || status == PLEACH_ENOMEM) {
        pleach__complain("%s: %s", path, pleach_last_error());
    } else {
        (void)printf("refused: %s\n", pleach_last_error());
    }
    pleach__proof_release(&proof);
    return code;
}

/* Compares a tree with what is known of it. */
static bool check_tree(const pleach__options *options, const pleach_tree *tree, const uint8_t *root)
{
    const size_t leaves = pleach_tree_size(tree);
    if (options->has_count && options->count != leaves)
        (void)printf("refused: the tree has %zu leaves\n", leaves);
    else if (options->has_root && memcmp(options->root, root, PLEACH_DIGEST_SIZE) != 0)
        (void)puts("refused: the tree has another root");
    else
        return true;
    return false;
}

static void print_ok(const pleach__options *options, const pleach_tree *tree, const uint8_t *root)
{
    char text[PLEACH__HEX_SIZE], scheme[64];
    pleach__hex_ordered(root, options->reversed, text);
    pleach__scheme_describe(pleach_tree_scheme(tree), scheme, sizeof scheme);
    (void)printf("ok: %zu leaves of scheme %s, root %s\n", pleach_tree_size(tree), scheme, text);
}

static int verify(const pleach__options *options, pleach_pool *pool, const pleach_tree *tree, int count,
                  char **operands)
{
    pleach__options known = *options;
    pleach__leaf_form form;
    if (!pleach__leaf_form_of(options, pleach_tree_scheme(tree), &form))
        return PLEACH__EXIT_USAGE;
    if (pleach_tree_root(tree, known.root) != PLEACH_OK) {
        pleach__complain("%s: %s", operands[0], pleach_last_error());
        return PLEACH__EXIT_FAILED;
    }
    if (!check_tree(options, tree, known.root))
        return PLEACH__EXIT_FAILED;
    if (count > 1)
        return check_proof(&known, pool, tree, operands[1]);
    print_ok(options, tree, known.root);
    return PLEACH__EXIT_OK;
}

int pleach__tree_verify(const pleach__options *options, int count, char **operands)
{
    if (count == 1 && (options->leaves > 0 || options->leaf_files > 0 || options->file != NULL)) {
        pleach__complain("--leaf, --leaf-file and --file are for a proof, and none is given");
        return PLEACH__EXIT_USAGE;
    }
    return pleach__with_tree(options, count, operands, verify);
}
