/* Items of LtHash as they come from files: lines, zero-terminated data, NDJSON, or directories of files. */
#ifndef PLEACH_LTHASH_ITEMS_H
#define PLEACH_LTHASH_ITEMS_H

#include "engine/cli/cli.h"

/* What becomes of items. */
typedef struct pleach__lthash_items {
    const pleach__options *options; /* how they come */
    pleach_pool *pool;
    pleach_lthash *sum;          /* what they are added to or removed from */
    pleach_lthash_action action; /* of items and pairs; of an update PLEACH_LTHASH_ADD */
    bool update;                 /* they are pairs with the values that they had */
    int locked;                  /* the file that locks the state that is replaced, or -1 */
    uint64_t count;              /* changes of the sum so far */
} pleach__lthash_items;

/* Whether the options say one way in which items come; false after a message. */
bool pleach__lthash_items_fit(const pleach__options *options);

/* Takes all items of some inputs; exit code, after a message if that is not 0. The sum is then of no use. */
int pleach__lthash_items_take(pleach__lthash_items *items, int count, char **inputs);

/* The same of the files of one directory and below it: pairs of path within it and content. */
int pleach__lthash_files_take(pleach__lthash_items *items, char *directory);

#endif
