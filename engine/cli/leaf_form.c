#include "engine/cli/leaf_input.h"

static bool bytes_of(const pleach__options *options, const pleach_scheme *scheme, pleach__leaf_form *form)
{
    if (options->has_leaf_size && scheme->leaf_given && options->leaf_size != PLEACH_DIGEST_SIZE) {
        pleach__complain("--leaf-size %zu: a leaf of scheme %s is a digest of %d bytes", options->leaf_size,
                         scheme->name, PLEACH_DIGEST_SIZE);
        return false;
    }
    form->size = scheme->leaf_given ? PLEACH_DIGEST_SIZE : options->leaf_size;
    return true;
}

static bool lines_of(const pleach__options *options, const pleach_scheme *scheme)
{
    const char *option = options->lines ? "--lines" : "--hashes";
    if (options->lines && options->hashes)
        pleach__complain("--lines and --hashes: a line is either a leaf or a digest in hex");
    else if (options->has_leaf_size)
        pleach__complain("--leaf-size and %s: a leaf is either so many bytes or a line", option);
    else if (options->lines && scheme->leaf_given)
        pleach__complain("--lines: a leaf of scheme %s is a digest; --hashes takes digests in hex", scheme->name);
    else if (options->hashes && !scheme->leaf_given)
        pleach__complain("--hashes: scheme %s hashes its leaves itself; bitcoin and ssz take digests", scheme->name);
    else
        return true;
    return false;
}

bool pleach__reversed_fits(const pleach__options *options, const pleach_scheme *scheme)
{
    bool fits = !options->reversed || (scheme->leaf_given && scheme->lone == PLEACH_LONE_DUPLICATED);
    if (!fits)
        pleach__complain("--reversed: only digests of scheme bitcoin are shown in reverse byte order");
    return fits;
}

bool pleach__leaf_form_of(const pleach__options *options, const pleach_scheme *scheme, pleach__leaf_form *form)
{
    *form = (pleach__leaf_form){.reversed = options->reversed};
    if (!pleach__reversed_fits(options, scheme))
        return false;
    if (!options->lines && !options->hashes)
        return bytes_of(options, scheme, form);
    if (!lines_of(options, scheme))
        return false;
    form->kind = options->lines ? PLEACH__LEAF_LINES : PLEACH__LEAF_DIGESTS;
    form->size = options->lines ? 0 : PLEACH_DIGEST_SIZE;
    return true;
}
