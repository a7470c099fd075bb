/* Leaves as they come from a file: its bytes cut into leaves of one size, lines, or digests in hex. */
#ifndef PLEACH_LEAF_INPUT_H
#define PLEACH_LEAF_INPUT_H

#include "engine/cli/cli.h"
#include "engine/cli/input.h"

typedef enum pleach__leaf_kind { PLEACH__LEAF_BYTES, PLEACH__LEAF_LINES, PLEACH__LEAF_DIGESTS } pleach__leaf_kind;

typedef struct pleach__leaf_form {
    pleach__leaf_kind kind;
    size_t size;   /* of a leaf but a short last one; of lines 0 */
    bool reversed; /* digests: from the last byte to the first */
    bool nul;      /* lines end with a zero byte */
} pleach__leaf_form;

/* What the options say of leaves under these rules; false after a message if that is nothing or too much. */
bool pleach__leaf_form_of(const pleach__options *options, const pleach_scheme *scheme, pleach__leaf_form *form);

typedef struct pleach__leaf_source {
    pleach__leaf_form form;
    pleach__span span;
    uint64_t size; /* of the file, 0 if unknown */
    bool ended;
    /* Text that is being decoded, the line it is at, and what of its digest is left. */
    uint8_t text[1 << 14];
    size_t at, filled;
    uint64_t line;
    uint8_t digest[PLEACH_DIGEST_SIZE];
    size_t left;
    /* A batch: bytes, how many of them, and how many of these are in leaves that were handed out. */
    uint8_t *batch;
    size_t capacity, held, used;
    pleach_input *list;
    size_t listed;
} pleach__leaf_source;

/* PLEACH_EIO. */
pleach_status pleach__leaf_source_open(pleach__leaf_source *source, const pleach__leaf_form *form, const char *path);

/* The same over a file that is open, and stays so: then it is released, not closed. */
void pleach__leaf_source_over(pleach__leaf_source *source, const pleach__leaf_form *form, int file, uint64_t size);

void pleach__leaf_source_close(pleach__leaf_source *source);
void pleach__leaf_source_release(pleach__leaf_source *source);

/* A pleach_read of the leaves' bytes, one after the other; not of lines, which differ in size. */
pleach_status pleach__leaf_source_read(void *context, uint8_t *buffer, size_t size, size_t *got);

/* Bytes that it will give, by the size of the file; 0 if unknown. */
uint64_t pleach__leaf_source_expected(const pleach__leaf_source *source);

/* The next leaves, from about `most` bytes, valid until the next call; none at the end. */
pleach_status pleach__leaf_source_next(pleach__leaf_source *source, size_t most, pleach_leaves *leaves);

/* Appends all leaves of a source to a tree. `name` is for the progress bar. */
pleach_status pleach__leaf_source_append(pleach__leaf_source *source, pleach_tree *tree, const char *name);

/* Reads a file that holds a single leaf, of whatever size if it is bytes. To be freed. */
pleach_status pleach__leaf_load(const pleach__leaf_form *form, const char *path, uint8_t **bytes, size_t *size);

#endif
