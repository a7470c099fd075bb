/* Hashes of sets kept in files: those subcommands that change one. */
#include "engine/cli/lthash_file.h"
#include "engine/cli/lthash_items.h"

#include "config/error.h"

#define INPUT_HELP                                                                                           \
    "Each line of an INPUT is an item, or what the options say. An INPUT of - is standard input.\n"          \
    "A line of --ndjson is {\"item\": \"...\"}, or {\"key\": \"...\", \"value\": \"...\"} for a pair.\n"     \
    "Pairs are items as Sei has them; one without a key or without a value counts nothing. With --files a\n" \
    "key is a path within the INPUT; symbolic links and special files are left out.\n"

static int add(const pleach__options *options, int count, char **operands);
static int take_away(const pleach__options *options, int count, char **operands);
static int update(const pleach__options *options, int count, char **operands);
static int combine(const pleach__options *options, int count, char **operands);

const pleach__subcommand pleach__lthash_subcommands[] = {
    {"lthash ", "add", add, "0NiEkwb", 2, -1, "STATE INPUT...",
     "add items to a set, which is empty if there is no STATE", INPUT_HELP},
    {"lthash ", "remove", take_away, "0NiEkwb", 2, -1, "STATE INPUT...", "remove items from a set",
     INPUT_HELP "Removing what was never added is not noticed.\n"},
    {"lthash ", "update", update, "Nkwb", 2, -1, "--ndjson ENCODING STATE INPUT...", "replace the values of keys",
     "A line is {\"key\": \"...\", \"old\": \"...\", \"value\": \"...\"}. An old value that is null or left out\n"
     "was not there; a value that is null or left out is there no more. An INPUT of - is standard input.\n"},
    {"lthash ", "combine", combine, "PxFwb", 1, -1, "--output STATE STATE...", "add sets to each other",
     "  --output STATE      where the sum goes\n"
     "  --subtract STATE    a set to be removed; as many as you like\n"
     "  --force             replace a state that is there\n"},
    {"lthash ", "show", pleach__lthash_show, "jwb", 1, 1, "STATE",
     "print its checksum, whether it is zero, and under which key it is", "  --json              as one JSON object\n"},
    {"lthash ", "verify", pleach__lthash_verify, "c0NiEkwb", 1, -1, "STATE [INPUT...]",
     "check a state's file, its checksum, or that it is of these items",
     INPUT_HELP "  --checksum HEX      the checksum you trust\n"},
    {.name = NULL},
};

/* A state that is being replaced, and what by. */
typedef struct work {
    const pleach__options *options;
    const char *path;
    int count; /* of what follows it */
    char **operands;
    pleach_pool *pool;
    pleach__replacement replacement;
    pleach__lthash_file file;
    /* Of items. */
    pleach_lthash_action action;
    bool update, may_be_new;
} work;

static int complain_of(const char *path)
{
    pleach__complain("%s: %s", path, pleach_last_error());
    return PLEACH__EXIT_FAILED;
}

/* The state in the file, with its key; or of the empty set, if there is none and it may be made. */
static pleach_status obtain(work *w)
{
    if (w->may_be_new && !w->replacement.exists)
        return pleach__lthash_new(w->options->key_file, &w->file);
    pleach_status status = pleach__lthash_load(w->path, &w->file);
    return status == PLEACH_OK ? pleach__lthash_unlock(&w->file, w->options->key_file) : status;
}

static int change(work *w)
{
    if (obtain(w) != PLEACH_OK)
        return complain_of(w->path);
    pleach__lthash_items items = {.options = w->options,
                                  .pool = w->pool,
                                  .sum = &w->file.sum,
                                  .action = w->action,
                                  .update = w->update,
                                  .locked = w->replacement.file};
    return pleach__lthash_items_take(&items, w->count, w->operands);
}

/* Adds or subtracts states; the first that is added says which key they are of. */
static bool combine_all(work *w, int count, char *const *paths, bool subtract)
{
    for (int i = 0; i < count; i++) {
        pleach__lthash_file other;
        bool is_first = !subtract && i == 0;
        pleach_status status = pleach__lthash_load(paths[i], &other);
        if (status == PLEACH_OK && is_first)
            w->file = other;
        else if (status == PLEACH_OK && !pleach__lthash_same_key(&w->file, &other))
            status =
                pleach__fail(PLEACH_EKEY, "its items are hashed under another key than those of %s", w->operands[0]);
        else if (status == PLEACH_OK)
            status = subtract ? pleach_lthash_subtract(&w->file.sum, &other.sum)
                              : pleach_lthash_combine(&w->file.sum, &other.sum);
        if (status != PLEACH_OK) {
            (void)complain_of(paths[i]);
            return false;
        }
    }
    return true;
}

static int sum(work *w)
{
    const pleach__options *options = w->options;
    if (w->replacement.exists && !w->replacement.is_kind)
        pleach__complain("%s: exists and is no state of LtHash: it is left alone", w->path);
    else if (w->replacement.exists && !options->force)
        pleach__complain("%s: exists; --force replaces it", w->path);
    else if (combine_all(w, w->count, w->operands, false) &&
             combine_all(w, options->subtractions, options->subtracted, true))
        return PLEACH__EXIT_OK;
    return PLEACH__EXIT_FAILED;
}

/* Writes the state and says what its checksum is now. */
static int commit(work *w)
{
    uint8_t checksum[PLEACH_DIGEST_SIZE];
    if (pleach_lthash_checksum(w->pool, &w->file.sum, checksum) != PLEACH_OK)
        return complain_of(w->path);
    if (pleach__lthash_commit(&w->replacement, &w->file) != PLEACH_OK) {
        pleach__complain("%s", pleach_last_error());
        return PLEACH__EXIT_FAILED;
    }
    pleach__print_root(checksum, false, w->path);
    return PLEACH__EXIT_OK;
}

/* Puts what `make` makes in the state's place; exit code. */
static int replace(work *w, int (*make)(work *w))
{
    int code = PLEACH__EXIT_OK;
    w->pool = pleach__open_pool(&w->options->config, &code);
    if (w->pool == NULL)
        return code;
    if (pleach__lthash_begin(&w->replacement, w->path) == PLEACH_OK) {
        code = make(w);
        if (code == PLEACH__EXIT_OK)
            code = commit(w);
        pleach__replacement_end(&w->replacement);
    } else {
        pleach__complain("%s", pleach_last_error());
        code = PLEACH__EXIT_FAILED;
    }
    (void)pleach_pool_destroy(w->pool);
    return code;
}

static int replace_by_items(work *w, const pleach__options *options, int count, char **operands)
{
    w->options = options;
    w->path = operands[0];
    w->count = count - 1;
    w->operands = operands + 1;
    return pleach__lthash_items_fit(options) ? replace(w, change) : PLEACH__EXIT_USAGE;
}

static int add(const pleach__options *options, int count, char **operands)
{
    work w = {.action = PLEACH_LTHASH_ADD, .may_be_new = true};
    return replace_by_items(&w, options, count, operands);
}

static int take_away(const pleach__options *options, int count, char **operands)
{
    work w = {.action = PLEACH_LTHASH_REMOVE};
    return replace_by_items(&w, options, count, operands);
}

static int update(const pleach__options *options, int count, char **operands)
{
    work w = {.action = PLEACH_LTHASH_ADD, .update = true};
    if (options->has_encoding)
        return replace_by_items(&w, options, count, operands);
    pleach__complain("--ndjson ENCODING is missing: how keys and values are written");
    return PLEACH__EXIT_USAGE;
}

static int combine(const pleach__options *options, int count, char **operands)
{
    work w = {.options = options, .path = options->output, .count = count, .operands = operands};
    if (options->output != NULL)
        return replace(&w, sum);
    pleach__complain("--output STATE is missing: where the sum goes");
    return PLEACH__EXIT_USAGE;
}
