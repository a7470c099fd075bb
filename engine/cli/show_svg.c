#include "engine/cli/show.h"

enum { DIGITS = 8 };

/* In pixels. A position is half of what a leaf takes. */
enum {
    POSITION = 48,
    LEVEL = 68,
    NODE_WIDTH = 80,
    NODE_HEIGHT = 26,
    MARGIN = 24,
    HEADER = 64,
    LABEL = 20,
    FOOTER = 28,
    WIDTH_MIN = 640
};

static const char style[] =
    "  <style>\n"
    "    svg { color-scheme: light dark; }\n"
    "    text { font-family: ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; font-size: 12px; }\n"
    "    .title { font-family: system-ui, 'DejaVu Sans', sans-serif; font-size: 16px; font-weight: 600; fill: #1f2a37; "
    "}\n"
    "    .note { font-family: system-ui, 'DejaVu Sans', sans-serif; fill: #5b6777; }\n"
    "    .page { fill: #fbfcfa; }\n"
    "    .link { fill: none; stroke: #a9b4c0; stroke-width: 1.5; }\n"
    "    .lone { stroke-dasharray: 4 4; }\n"
    "    .sign { fill: #fbfcfa; stroke: #a9b4c0; }\n"
    "    .node rect { fill: #ffffff; stroke: #8292a4; }\n"
    "    .node text { fill: #1f2a37; text-anchor: middle; }\n"
    "    .leaf rect { fill: #e6f3ea; stroke: #4f9468; }\n"
    "    .leaf .index { fill: #4f7a5f; font-size: 11px; }\n"
    "    .root rect { fill: #24523a; stroke: #24523a; }\n"
    "    .root text { fill: #ffffff; }\n"
    "    .root .index { fill: #4f7a5f; }\n"
    "    .mark { fill: #5b6777; text-anchor: middle; }\n"
    "    @media (prefers-color-scheme: dark) {\n"
    "      .page, .sign { fill: #161b20; }\n"
    "      .title { fill: #e6ebf0; }\n"
    "      .note, .mark { fill: #9aa7b4; }\n"
    "      .link, .sign { stroke: #55616e; }\n"
    "      .node rect { fill: #20272e; stroke: #66737f; }\n"
    "      .node text { fill: #e6ebf0; }\n"
    "      .leaf rect { fill: #1c3326; stroke: #4f9468; }\n"
    "      .leaf .index, .root .index { fill: #86b898; }\n"
    "      .root rect { fill: #3f8a60; stroke: #3f8a60; }\n"
    "    }\n"
    "  </style>\n";

typedef struct canvas {
    const pleach__drawing *drawing;
    FILE *file;
    int shift;     /* of the tree to the right, to stand in the middle */
    unsigned rows; /* of nodes */
} canvas;

static int x_of(const canvas *c, size_t position)
{
    return c->shift + MARGIN + NODE_WIDTH / 2 + (int)position * POSITION;
}

/* The middle of a node's height; level 0 is at the bottom. */
static int y_of(const canvas *c, unsigned level)
{
    return HEADER + MARGIN + NODE_HEIGHT / 2 + (int)(c->rows - 1 - level) * LEVEL;
}

static void draw_link(const canvas *c, unsigned level, int x, int parent_x, bool lone)
{
    const int bottom = y_of(c, level) - NODE_HEIGHT / 2, top = y_of(c, level + 1) + NODE_HEIGHT / 2;
    const int middle = (bottom + top) / 2;
    (void)fprintf(c->file, "  <path class=\"link%s\" d=\"M%d %d C%d %d %d %d %d %d\"/>\n", lone ? " lone" : "", x,
                  bottom, x, middle, parent_x, middle, parent_x, top);
    if (lone)
        (void)fprintf(c->file,
                      "  <circle class=\"sign\" cx=\"%d\" cy=\"%d\" r=\"9\"/>"
                      "<text class=\"mark\" x=\"%d\" y=\"%d\">%s</text>\n",
                      x, middle, x, middle + 4,
                      pleach__show_lone_sign(pleach_tree_scheme(c->drawing->tree)->lone, false));
}

static void draw_links(const canvas *c)
{
    const pleach__drawing *d = c->drawing;
    for (unsigned level = 0; level + 1 < d->levels; level++)
        for (size_t i = 0; i < d->size[level]; i++)
            draw_link(c, level, x_of(c, d->position[level][i]), x_of(c, d->position[level + 1][i / 2]),
                      pleach__show_is_lone(d, level, i));
}

/* `row` is the level it is drawn at, `level` the one it has. */
static void draw_node(const canvas *c, unsigned row, unsigned level, size_t index, size_t position)
{
    const int x = x_of(c, position), y = y_of(c, row);
    char text[PLEACH__HEX_SIZE];
    pleach__show_digest(c->drawing, level, index, text, PLEACH__HEX_SIZE - 1);
    (void)fprintf(c->file,
                  "  <g class=\"node%s%s\"><title>%s %zu: %s</title>"
                  "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/><text x=\"%d\" y=\"%d\">%.*s</text>",
                  level == 0 ? " leaf" : "", row + 1 == c->rows ? " root" : "", level == 0 ? "leaf" : "node", index,
                  text, x - NODE_WIDTH / 2, y - NODE_HEIGHT / 2, NODE_WIDTH, NODE_HEIGHT, x, y + 4, DIGITS, text);
    if (level == 0)
        (void)fprintf(c->file, "<text class=\"index\" x=\"%d\" y=\"%d\">%zu</text>", x, y + NODE_HEIGHT / 2 + 15,
                      index);
    (void)fputs("</g>\n", c->file);
}

static void draw_nodes(const canvas *c)
{
    const pleach__drawing *d = c->drawing;
    for (unsigned level = 0; level < d->levels; level++)
        for (size_t i = 0; i < d->size[level]; i++)
            draw_node(c, level, level, i, d->position[level][i]);
}

static void draw_stem(const canvas *c)
{
    const pleach__drawing *d = c->drawing;
    const unsigned top = d->levels - 1;
    const size_t position = d->position[top][0];
    const int x = x_of(c, position), y = (y_of(c, top) + y_of(c, top + 1)) / 2;
    draw_link(c, top, x, x, true);
    (void)fprintf(c->file, "  <text class=\"note\" x=\"%d\" y=\"%d\">%u level%s</text>\n", x + 16, y + 4, d->stem,
                  d->stem == 1 ? "" : "s");
    draw_node(c, top + 1, top + d->stem, 0, position);
}

static void draw_header(const canvas *c, int width, int height)
{
    const pleach__drawing *d = c->drawing;
    const size_t leaves = pleach_tree_size(d->tree);
    uint8_t root[PLEACH_DIGEST_SIZE];
    char text[PLEACH__HEX_SIZE] = "none";
    if (pleach_tree_root(d->tree, root) == PLEACH_OK)
        pleach__hex_ordered(root, d->reversed, text);
    (void)fprintf(c->file,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                  "role=\"img\">\n"
                  "  <title>Merkle tree of %zu %s, scheme %s</title>\n"
                  "  <desc>Root %s</desc>\n"
                  "%s"
                  "  <rect class=\"page\" width=\"%d\" height=\"%d\"/>\n"
                  "  <text class=\"title\" x=\"%d\" y=\"34\">%s, %zu %s</text>\n"
                  "  <text class=\"note\" x=\"%d\" y=\"56\" style=\"font-family: ui-monospace, monospace\">%s</text>\n",
                  width, height, width, height, leaves, leaves == 1 ? "leaf" : "leaves", d->scheme, text, style, width,
                  height, MARGIN, d->scheme, leaves, leaves == 1 ? "leaf" : "leaves", MARGIN, text);
}

void pleach__show_svg(const pleach__drawing *drawing, FILE *file)
{
    const size_t leaves = pleach_tree_size(drawing->tree);
    const pleach_lone_node lone = pleach_tree_scheme(drawing->tree)->lone;
    const bool has_lone = pleach__show_has_lone(drawing);
    canvas c = {.drawing = drawing, .file = file, .rows = drawing->levels + (drawing->stem > 0)};
    const int tree = leaves == 0 ? 0 : 2 * MARGIN + NODE_WIDTH + (int)(2 * (leaves - 1)) * POSITION;
    const int width = tree > WIDTH_MIN ? tree : WIDTH_MIN;
    const int bottom = leaves == 0 ? HEADER : y_of(&c, 0) + NODE_HEIGHT / 2 + LABEL;
    c.shift = (width - tree) / 2;
    draw_header(&c, width, bottom + MARGIN + (has_lone ? FOOTER : 0));
    if (leaves > 0) {
        draw_links(&c);
        if (drawing->stem > 0)
            draw_stem(&c);
        draw_nodes(&c);
    }
    if (has_lone)
        (void)fprintf(file, "  <text class=\"note\" x=\"%d\" y=\"%d\">%s  %s</text>\n", MARGIN, bottom + FOOTER,
                      pleach__show_lone_sign(lone, false), pleach__show_lone_text(lone));
    (void)fputs("</svg>\n", file);
}
