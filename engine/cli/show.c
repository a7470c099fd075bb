#include "engine/cli/show.h"

#include "engine/cli/progress.h"
#include "engine/cli/proof.h"
#include "engine/cli/tree_file.h"

#include <stdlib.h>
#include <string.h>

void pleach__show_digest(const pleach__drawing *drawing, unsigned level, size_t index, char text[PLEACH__HEX_SIZE],
                         int digits)
{
    pleach__hex_ordered(pleach_tree_nodes(drawing->tree, level, index, NULL), drawing->reversed, text);
    text[digits] = '\0';
}

bool pleach__show_is_lone(const pleach__drawing *drawing, unsigned level, size_t index)
{
    return level + 1 < drawing->levels && index % 2 == 0 && index + 1 == drawing->size[level];
}

bool pleach__show_has_lone(const pleach__drawing *drawing)
{
    for (unsigned level = 0; level + 1 < drawing->levels; level++)
        if (drawing->size[level] % 2 != 0)
            return true;
    return drawing->stem > 0;
}

static const struct {
    const char *sign[2], *text;
} lone_nodes[] = {
    [PLEACH_LONE_REFUSED] = {{"", ""}, ""},
    [PLEACH_LONE_PROMOTED] = {{"↑", "^"}, "a lone node moves up unchanged"},
    [PLEACH_LONE_DUPLICATED] = {{"═", "="}, "a lone node is its own sibling"},
    [PLEACH_LONE_ZERO_PADDED] = {{"∅", "0"}, "the sibling of a lone node stands above zeros"},
};

const char *pleach__show_lone_sign(pleach_lone_node lone, bool ascii)
{
    return lone_nodes[lone].sign[ascii];
}

const char *pleach__show_lone_text(pleach_lone_node lone)
{
    return lone_nodes[lone].text;
}

static bool place(pleach__drawing *d)
{
    const unsigned levels = pleach_tree_levels(d->tree);
    while (d->levels < levels && (d->levels == 0 || d->size[d->levels - 1] > 1)) {
        const unsigned level = d->levels;
        const size_t size = pleach_tree_level_size(d->tree, level);
        size_t *position = calloc(size, sizeof *position);
        if (position == NULL)
            return false;
        for (size_t i = 0; i < size; i++) {
            const size_t *below = level > 0 ? d->position[level - 1] : NULL;
            if (level == 0)
                position[i] = 2 * i;
            else if (2 * i + 1 < d->size[level - 1])
                position[i] = (below[2 * i] + below[2 * i + 1]) / 2;
            else
                position[i] = below[2 * i];
        }
        d->position[level] = position;
        d->size[level] = size;
        d->levels++;
    }
    d->stem = levels - d->levels;
    return true;
}

static int draw(const pleach__options *options, const pleach_tree *tree, const char *path)
{
    const size_t leaves = pleach_tree_size(tree);
    const size_t most = options->svg ? PLEACH__SHOW_SVG_MAX : PLEACH__SHOW_TEXT_MAX;
    if (leaves > most) {
        pleach__complain("%s: %zu leaves: %s has room for %zu%s", path, leaves,
                         options->svg ? "an SVG drawing" : "a drawing as text", most,
                         options->svg || leaves > PLEACH__SHOW_SVG_MAX ? "" : "; --svg has more");
        return PLEACH__EXIT_FAILED;
    }
    pleach__drawing drawing = {.tree = tree, .reversed = options->reversed};
    pleach__scheme_describe(pleach_tree_scheme(tree), drawing.scheme, sizeof drawing.scheme);
    bool placed = place(&drawing);
    pleach__progress_clear();
    if (!placed)
        pleach__complain("no memory for a drawing");
    else if (options->svg)
        pleach__show_svg(&drawing, stdout);
    else
        pleach__show_text(&drawing, options->ascii, stdout);
    for (unsigned level = 0; level < drawing.levels; level++)
        free(drawing.position[level]);
    return placed ? PLEACH__EXIT_OK : PLEACH__EXIT_FAILED;
}

static int show(const pleach__options *options, pleach_pool *pool, const pleach_tree *tree, int count, char **operands)
{
    (void)pool;
    (void)count;
    if (pleach__reversed_fits(options, pleach_tree_scheme(tree)))
        return draw(options, tree, operands[0]);
    return PLEACH__EXIT_USAGE;
}

int pleach__tree_show(const pleach__options *options, int count, char **operands)
{
    if (options->svg && options->ascii) {
        pleach__complain("--svg and --ascii: a drawing is either SVG or text");
        return PLEACH__EXIT_USAGE;
    }
    return pleach__with_tree(options, count, operands, show);
}
