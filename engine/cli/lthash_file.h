/*
 * States of LtHash in files.
 *
 *     offset  bytes
 *          0      8  "pleachLT"
 *          8      4  version, 1
 *         12      4  1 if items are hashed under a key, else 0
 *         16     16  check value of the key: the first bytes that BLAKE3 derives from it in the context
 *                    "pleach lthash key check"; zero bytes if there is none
 *         32   2048  the state
 *       2080     32  BLAKE3 of all before
 *
 * Numbers are little-endian.
 */
#ifndef PLEACH_LTHASH_FILE_H
#define PLEACH_LTHASH_FILE_H

#include "engine/cli/replacement.h"
#include "lthash/lthash.h"

enum { PLEACH__KEY_CHECK_SIZE = 16, PLEACH__LTHASH_FILE_SIZE = 2112 };

typedef struct pleach__lthash_file {
    pleach_lthash sum; /* without its key until that is given */
    bool keyed;
    uint8_t key_check[PLEACH__KEY_CHECK_SIZE];
} pleach__lthash_file;

/* "-" is standard input. PLEACH_EIO, or what is wrong with the file. */
pleach_status pleach__lthash_load(const char *path, pleach__lthash_file *file);

/* The state of the empty set, under the key in a file unless `key_file` is NULL. PLEACH_EIO, PLEACH_EKEY. */
pleach_status pleach__lthash_new(const char *key_file, pleach__lthash_file *file);

/* Gives a state that was loaded its key, so that items can be added: PLEACH_EIO; PLEACH_EKEY if it is another. */
pleach_status pleach__lthash_unlock(pleach__lthash_file *file, const char *key_file);

/* Whether both are of the same key or of none. */
bool pleach__lthash_same_key(const pleach__lthash_file *a, const pleach__lthash_file *b);

/* As pleach__replacement_begin() and pleach__replacement_commit(), of a state. */
pleach_status pleach__lthash_begin(pleach__replacement *replacement, const char *path);
pleach_status pleach__lthash_commit(pleach__replacement *replacement, const pleach__lthash_file *file);

#endif
