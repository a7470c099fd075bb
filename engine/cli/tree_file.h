/* Trees in files: read, and replaced at once or not at all. */
#ifndef PLEACH_TREE_FILE_H
#define PLEACH_TREE_FILE_H

#include "engine/cli/cli.h"
#include "engine/cli/replacement.h"

/* As pleach_tree_parse(), and PLEACH_EIO. */
pleach_status pleach__tree_load(const char *path, pleach_pool *pool, pleach_tree **tree);

/* Does something with a tree that is read from the file named first; exit code. */
typedef int (*pleach__use_tree)(const pleach__options *options, pleach_pool *pool, const pleach_tree *tree, int count,
                                char **operands);

/* Loads it, or complains; exit code. */
int pleach__with_tree(const pleach__options *options, int count, char **operands, pleach__use_tree use);

/* As pleach__replacement_begin() and pleach__replacement_commit(), of a tree. */
pleach_status pleach__tree_file_begin(pleach__replacement *file, const char *path);
pleach_status pleach__tree_file_commit(pleach__replacement *file, const pleach_tree *tree);

#endif
