#include "engine/cli/show.h"

#include <string.h>

enum { DIGITS = 8, LINE_SIZE = 1024 };

typedef enum piece { NOTHING, FROM_FIRST, FROM_SECOND, BETWEEN, TO_PARENT, PIECES } piece;

/* Between two levels; a lone node's piece has a sign of its own. */
static const char *const pieces[2][PIECES] = {
    {"     ", " ─┐  ", " ─┘  ", "  │  ", "  ├─ "},
    {"     ", " -.  ", " -'  ", "  |  ", "  +- "},
};
static const char *const lines[2] = {"─", "-"};

/* A line of the drawing. */
typedef struct line {
    char text[LINE_SIZE];
    size_t length;
} line;

static void add(line *l, const char *text)
{
    size_t length = strlen(text);
    if (length < sizeof l->text - l->length)
        memcpy(l->text + l->length, text, length + 1);
    l->length += length < sizeof l->text - l->length ? length : 0;
}

static void add_lone(line *l, pleach_lone_node lone, bool ascii)
{
    add(l, " ");
    add(l, lines[ascii]);
    add(l, pleach__show_lone_sign(lone, ascii));
    add(l, lines[ascii]);
    add(l, " ");
}

/* What connects a level with the one above, at a position. */
static void add_connection(line *l, const pleach__drawing *d, unsigned level, size_t at, bool ascii)
{
    piece found = NOTHING;
    for (size_t i = 0; i < d->size[level + 1] && found == NOTHING; i++) {
        const size_t first = d->position[level][2 * i];
        if (pleach__show_is_lone(d, level, 2 * i)) {
            if (at == first) {
                add_lone(l, pleach_tree_scheme(d->tree)->lone, ascii);
                return;
            }
            continue;
        }
        const size_t second = d->position[level][2 * i + 1];
        if (at >= first && at <= second)
            found = at == first                       ? FROM_FIRST
                    : at == second                    ? FROM_SECOND
                    : at == d->position[level + 1][i] ? TO_PARENT
                                                      : BETWEEN;
    }
    add(l, pieces[ascii][found]);
}

/* The node of a level at a position, or the room it would take. */
static void add_node(line *l, const pleach__drawing *d, unsigned level, size_t at)
{
    char text[PLEACH__HEX_SIZE];
    (void)snprintf(text, sizeof text, "%*s", DIGITS, "");
    for (size_t i = 0; i < d->size[level]; i++)
        if (d->position[level][i] == at)
            pleach__show_digest(d, level, i, text, DIGITS);
    add(l, text);
}

static void add_stem(line *l, const pleach__drawing *d, bool ascii)
{
    char text[PLEACH__HEX_SIZE];
    add_lone(l, pleach_tree_scheme(d->tree)->lone, ascii);
    (void)snprintf(text, sizeof text, "%u level%s ", d->stem, d->stem == 1 ? "" : "s");
    add(l, text);
    add(l, lines[ascii]);
    add(l, " ");
    pleach__show_digest(d, d->levels + d->stem - 1, 0, text, DIGITS);
    add(l, text);
}

static void print_line(const pleach__drawing *d, size_t at, int label, bool ascii, FILE *file)
{
    char text[32];
    line l = {.length = 0};
    if (at % 2 == 0)
        (void)snprintf(text, sizeof text, "%*zu  ", label, at / 2);
    else
        (void)snprintf(text, sizeof text, "%*s  ", label, "");
    add(&l, text);
    for (unsigned level = 0; level < d->levels; level++) {
        add_node(&l, d, level, at);
        if (level + 1 < d->levels)
            add_connection(&l, d, level, at, ascii);
        else if (d->stem > 0 && d->position[level][0] == at)
            add_stem(&l, d, ascii);
    }
    while (l.length > 0 && l.text[l.length - 1] == ' ')
        l.length--;
    (void)fprintf(file, "%.*s\n", (int)l.length, l.text);
}

void pleach__show_text(const pleach__drawing *drawing, bool ascii, FILE *file)
{
    const size_t leaves = pleach_tree_size(drawing->tree);
    const pleach_lone_node lone = pleach_tree_scheme(drawing->tree)->lone;
    uint8_t root[PLEACH_DIGEST_SIZE];
    char text[PLEACH__HEX_SIZE];
    (void)fprintf(file, "scheme %s, %zu %s\n", drawing->scheme, leaves, leaves == 1 ? "leaf" : "leaves");
    if (pleach_tree_root(drawing->tree, root) == PLEACH_OK) {
        pleach__hex_ordered(root, drawing->reversed, text);
        (void)fprintf(file, "root %s\n", text);
    }
    if (leaves > 0)
        (void)fputc('\n', file);
    const int label = snprintf(NULL, 0, "%zu", leaves - 1);
    for (size_t at = 0; at + 1 < 2 * leaves; at++)
        print_line(drawing, at, label, ascii, file);
    if (pleach__show_has_lone(drawing))
        (void)fprintf(file, "\n%s  %s\n", pleach__show_lone_sign(lone, ascii), pleach__show_lone_text(lone));
}
