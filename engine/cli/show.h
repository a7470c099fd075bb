/* Small trees as drawings. */
#ifndef PLEACH_SHOW_H
#define PLEACH_SHOW_H

#include "engine/cli/cli.h"

#include <stdio.h>

enum { PLEACH__SHOW_TEXT_MAX = 64, PLEACH__SHOW_SVG_MAX = 256, PLEACH__SHOW_LEVELS_MAX = 10 };

/*
 * Where the nodes go. Leaf i has position 2i, a node with two children stands between them, one with a lone child where
 * that is. Levels above the first one of a single node are not drawn one by one: they are the stem.
 */
typedef struct pleach__drawing {
    const pleach_tree *tree;
    bool reversed;
    unsigned levels; /* drawn one by one */
    unsigned stem;   /* levels above */
    size_t size[PLEACH__SHOW_LEVELS_MAX];
    size_t *position[PLEACH__SHOW_LEVELS_MAX];
    char scheme[64];
} pleach__drawing;

/* First characters of a node's digest, and all of the root's. */
void pleach__show_digest(const pleach__drawing *drawing, unsigned level, size_t index, char text[PLEACH__HEX_SIZE],
                         int digits);

/* Whether a node of a level that is drawn has no sibling, and the level is not the last one drawn. */
bool pleach__show_is_lone(const pleach__drawing *drawing, unsigned level, size_t index);

/* Whether the drawing has lone nodes or a stem. */
bool pleach__show_has_lone(const pleach__drawing *drawing);

/* What becomes of lone nodes: a sign for drawings, in plain ASCII or not, and a sentence. */
const char *pleach__show_lone_sign(pleach_lone_node lone, bool ascii);
const char *pleach__show_lone_text(pleach_lone_node lone);

void pleach__show_text(const pleach__drawing *drawing, bool ascii, FILE *file);
void pleach__show_svg(const pleach__drawing *drawing, FILE *file);

#endif
