/* Trees in files: read, and replaced at once or not at all. */
#ifndef PLEACH_TREE_FILE_H
#define PLEACH_TREE_FILE_H

#include "engine/cli/cli.h"

/* A file that is being replaced. Its lock keeps others from replacing it meanwhile. */
typedef struct pleach__tree_file {
    char *path;      /* of the file, links followed */
    char *temporary; /* of what will take its place */
    int file;        /* open and locked */
    bool exists;
    bool is_tree; /* it begins as one */
} pleach__tree_file;

/* As pleach_tree_parse(), and PLEACH_EIO. */
pleach_status pleach__tree_load(const char *path, pleach_pool *pool, pleach_tree **tree);

/* Does something with a tree that is read from the file named first; exit code. */
typedef int (*pleach__use_tree)(const pleach__options *options, pleach_pool *pool, const pleach_tree *tree, int count,
                                char **operands);

/* Loads it, or complains; exit code. */
int pleach__with_tree(const pleach__options *options, int count, char **operands, pleach__use_tree use);

/* PLEACH_EIO, PLEACH_ENOMEM; PLEACH_EBUSY if another command replaces it. */
pleach_status pleach__tree_file_begin(pleach__tree_file *file, const char *path);

/* Puts a tree in the file's place, on the disk when it returns. */
pleach_status pleach__tree_file_commit(pleach__tree_file *file, const pleach_tree *tree);

/* In any case: what was not committed is gone. */
void pleach__tree_file_end(pleach__tree_file *file);

#endif
