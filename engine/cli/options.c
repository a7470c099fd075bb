#include "engine/cli/cli.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF_SIZE_DEFAULT = 4096, DEPTH_MAX = 63, SECONDS_MAX = 86400, BLOCK_MAX = 1 << 24 };

/* A name may have several letters: subcommands that mean different things by it take different ones. */
static const struct option all_options[] = {
    {"scheme", required_argument, NULL, 's'}, /* of what is hashed, */
    {"scheme", required_argument, NULL, 'e'}, /* or expected of a proof */
    {"depth", required_argument, NULL, 'D'},
    {"leaf-size", required_argument, NULL, 'z'},
    {"lines", no_argument, NULL, 'L'},
    {"hashes", no_argument, NULL, 'H'},
    {"reversed", no_argument, NULL, 'R'},
    {"workers", required_argument, NULL, 'w'},
    {"backend", required_argument, NULL, 'b'},
    {"leaf", required_argument, NULL, 'l'},
    {"leaf-file", required_argument, NULL, 'd'},
    {"file", required_argument, NULL, 'f'}, /* all of the leaves, */
    {"file", required_argument, NULL, 'u'}, /* or the bytes of one */
    {"count", required_argument, NULL, 'n'},
    {"root", required_argument, NULL, 'r'},
    {"older", required_argument, NULL, 'o'},
    {"older-root", required_argument, NULL, 'O'},
    {"force", no_argument, NULL, 'F'},
    {"svg", no_argument, NULL, 'S'},
    {"ascii", no_argument, NULL, 'A'},
    {"json", no_argument, NULL, 'j'},
    {"work", required_argument, NULL, 'm'},
    {"workers", required_argument, NULL, 'W'}, /* a list of them */
    {"seconds", required_argument, NULL, 't'},
    {"svg", required_argument, NULL, 'G'}, /* into a file */
    {"nul", no_argument, NULL, '0'},
    {"ndjson", required_argument, NULL, 'N'},
    {"files", no_argument, NULL, 'i'},
    {"empty", required_argument, NULL, 'E'},
    {"key-file", required_argument, NULL, 'k'},
    {"checksum", required_argument, NULL, 'c'},
    {"output", required_argument, NULL, 'P'},
    {"subtract", required_argument, NULL, 'x'},
    {"as", required_argument, NULL, 'a'},
    {"txs", required_argument, NULL, 'T'},
    {"size", required_argument, NULL, 'Z'},
    {"epoch", required_argument, NULL, 'V'},
    {"first-epoch", required_argument, NULL, 'g'},
    {"last-epoch", required_argument, NULL, 'p'},
    {"next-epoch", required_argument, NULL, 'y'},
    {"message", required_argument, NULL, 'M'},
    {"public-key", required_argument, NULL, 'K'},
    {"seed-file", required_argument, NULL, 'v'},
    {"random", no_argument, NULL, 'q'},
    {"binary", no_argument, NULL, 'B'},
    {"layout", required_argument, NULL, 'Y'},
    {"help", no_argument, NULL, 'h'},
};

enum { ALL_OPTIONS = sizeof all_options / sizeof *all_options };

static const struct {
    char letter;
    const char *text;
} help[] = {
    {'s', "  --scheme NAME       rfc6962 (default), blake2s, blake3, bitcoin or ssz\n"},
    {'s', "  --depth N           of ssz: levels above the leaves, at most 63; 0 (default) = as many as they need\n"},
    {'z', "  --leaf-size N       bytes of a leaf, also as 4k or 1M; default 4096, of bitcoin and ssz 32\n"},
    {'L', "  --lines             each line is a leaf, without its newline\n"},
    {'H', "  --hashes            each line is a leaf of bitcoin or ssz: a digest as 64 hex digits, 0x or not\n"},
    {'R', "  --reversed          of bitcoin: digests are read and printed as its tools show them, last byte first\n"},
    {'0', "  -0, --nul           each item ends with a zero byte instead of a newline\n"},
    {'i', "  --files             each INPUT is a directory; its files are key/value pairs of path and content\n"},
    {'N', "  --ndjson ENCODING   each line is an object of strings in hex, base64 or text\n"},
    {'E', "  --empty hash|skip   what an item of no bytes is: an item like any other, or nothing\n"},
    {'k', "  --key-file FILE     the 32 bytes of the key that items are hashed under\n"},
    {'w', "  --workers N         worker threads, the caller included; 0 = automatic, 1 = no threads\n"},
    {'b', "  --backend PINS      kernels, such as portable or blake2s:avx2,sha256:shani\n"},
};

void pleach__options_help(const char *takes)
{
    for (size_t i = 0; i < sizeof help / sizeof *help; i++)
        if (strchr(takes, help[i].letter) != NULL)
            (void)fputs(help[i].text, stdout);
}

/* Bytes, or with a suffix KiB or MiB. */
static bool parse_leaf_size(const char *text, size_t *size)
{
    char digits[16];
    size_t length = strlen(text);
    unsigned shift = 0;
    uint64_t value;
    if (length > 0 && strchr("kKM", text[length - 1]) != NULL)
        shift = text[--length] == 'M' ? 20 : 10;
    if (length >= sizeof digits)
        return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    if (!pleach__number(digits, &value) || value == 0 || value > (uint64_t)PLEACH__LEAF_SIZE_MAX >> shift)
        return false;
    *size = (size_t)value << shift;
    return true;
}

static bool parse_depth(const char *text, unsigned *depth)
{
    uint64_t value;
    if (!pleach__number(text, &value) || value > DEPTH_MAX)
        return false;
    *depth = (unsigned)value;
    return true;
}

static bool parse_empty(const char *text, pleach_lthash_empty *empty)
{
    *empty = strcmp(text, "skip") == 0 ? PLEACH_LTHASH_EMPTY_SKIPPED : PLEACH_LTHASH_EMPTY_HASHED;
    return *empty == PLEACH_LTHASH_EMPTY_SKIPPED || strcmp(text, "hash") == 0;
}

static bool set(pleach_config *config, const char *name, const char *value)
{
    if (pleach_config_set(config, name, value) == PLEACH_OK)
        return true;
    pleach__complain("%s", pleach_last_error());
    return false;
}

static bool parse_scheme(const char *name, pleach_scheme *scheme)
{
    const pleach_scheme *preset = pleach_scheme_find(name);
    if (preset != NULL) {
        *scheme = *preset;
        return true;
    }
    char known[256] = "";
    for (size_t i = 0; (preset = pleach_scheme_preset(i)) != NULL; i++) {
        size_t length = strlen(known);
        (void)snprintf(known + length, sizeof known - length, "%s%s", i == 0 ? "" : ", ", preset->name);
    }
    pleach__complain("--scheme \"%s\": there is no such scheme; accepted: %s", name, known);
    return false;
}

static bool parse_epoch(const char *text, uint32_t *epoch)
{
    uint64_t value;
    if (!pleach__number(text, &value) || value > UINT32_MAX)
        return false;
    *epoch = (uint32_t)value;
    return true;
}

/* Of a block that is made up. */
static bool parse_block_number(const char *text, uint64_t *value)
{
    return pleach__number(text, value) && *value > 0 && *value <= BLOCK_MAX;
}

/* Refuses a value, saying what would be accepted. */
static bool check(bool accepted, const char *option, const char *expected)
{
    if (!accepted)
        pleach__complain("%s \"%s\": expected %s", option, optarg, expected);
    return accepted;
}

static bool take(pleach__options *options, int letter)
{
    static const char number[] = "a number from 0 to 18446744073709551615";
    static const char block_number[] = "a number from 1 to 16777216";
    static const char digest[] = "64 lower-case hex digits";
    static const char epoch[] = "a number from 0 to 4294967295";
    switch (letter) {
    case 's':
    case 'e':
        return options->has_scheme = parse_scheme(optarg, &options->scheme);
    case 'D':
        return check(options->has_depth = parse_depth(optarg, &options->depth), "--depth", "a number from 0 to 63");
    case 'z':
        return check(options->has_leaf_size = parse_leaf_size(optarg, &options->leaf_size), "--leaf-size",
                     "1 to 1073741824 bytes, or a number of KiB or MiB such as 4k or 1M");
    case 'L':
        return options->lines = true;
    case 'H':
        return options->hashes = true;
    case 'R':
        return options->reversed = true;
    case 'w':
        return set(&options->config, "PLEACH_WORKERS", optarg);
    case 'b':
        return set(&options->config, "PLEACH_BACKEND", optarg);
    case 'l':
        return check(pleach__number(optarg, &options->asked[options->leaves++].index), "--leaf", number);
    case 'd':
    case 'u':
        options->asked[options->leaf_files++].file = optarg;
        return true;
    case 'f':
        options->file = optarg;
        return true;
    case 'n':
        return check(options->has_count = pleach__number(optarg, &options->count), "--count", number);
    case 'r':
        return check(options->has_root = pleach__unhex(optarg, options->root), "--root", digest);
    case 'o':
        return check(options->has_older = pleach__number(optarg, &options->older), "--older", number);
    case 'O':
        return check(options->has_older_root = pleach__unhex(optarg, options->older_root), "--older-root", digest);
    case 'F':
        return options->force = true;
    case 'S':
        return options->svg = true;
    case 'A':
        return options->ascii = true;
    case 'j':
        return options->json = true;
    case 'm':
        options->work[options->works++] = optarg;
        return true;
    case 'W':
        options->sweep = optarg;
        return true;
    case 't':
        return check(pleach__decimal(optarg, &options->seconds) && options->seconds > 0 &&
                         options->seconds <= SECONDS_MAX,
                     "--seconds", "a number above 0 and at most 86400, such as 20 or 0.5");
    case 'G':
        options->svg_file = optarg;
        return true;
    case '0':
        return options->nul = true;
    case 'N':
        return check(options->has_encoding = pleach__encoding_find(optarg, &options->encoding), "--ndjson",
                     "hex, base64 or text");
    case 'i':
        return options->files = true;
    case 'E':
        return check(options->has_empty = parse_empty(optarg, &options->empty), "--empty", "hash or skip");
    case 'k':
    case 'v':
        options->key_file = optarg;
        return true;
    case 'c':
        return check(options->has_checksum = pleach__unhex(optarg, options->checksum), "--checksum", digest);
    case 'P':
        options->output = optarg;
        return true;
    case 'x':
        options->subtracted[options->subtractions++] = optarg;
        return true;
    case 'a':
        options->as = optarg;
        return true;
    case 'T':
        return check(parse_block_number(optarg, &options->transactions), "--txs", block_number);
    case 'Z':
        return check(parse_block_number(optarg, &options->transaction_size), "--size", block_number);
    case 'V':
        return check(options->has_epoch = parse_epoch(optarg, &options->epoch), "--epoch", epoch);
    case 'g':
        return check(parse_epoch(optarg, &options->first_epoch), "--first-epoch", epoch);
    case 'p':
        return check(options->has_last_epoch = parse_epoch(optarg, &options->last_epoch), "--last-epoch", epoch);
    case 'y':
        return check(options->has_next_epoch = pleach__number(optarg, &options->next_epoch), "--next-epoch", number);
    case 'M':
        return check(options->has_message = pleach__unhex(optarg, options->message), "--message", digest);
    case 'K':
        return check(options->has_public_key = pleach__unhex(optarg, options->public_key), "--public-key", digest);
    case 'q':
        return options->random = true;
    case 'B':
        return options->binary = true;
    case 'Y':
        options->layout = optarg;
        return true;
    default: /* getopt_long() has said what is wrong */
        return false;
    }
}

static int compare(const void *a, const void *b)
{
    uint64_t left = ((const pleach__asked *)a)->index, right = ((const pleach__asked *)b)->index;
    return (left > right) - (left < right);
}

/* The leaves by ascending index, each once, each with its file. */
static bool order_leaves(pleach__options *options)
{
    pleach__asked *asked = options->asked;
    if (options->leaves > 0 && options->leaf_files > 0 && options->leaves != options->leaf_files) {
        pleach__complain("--leaf is given %zu times and the file of a leaf %zu times: they go in pairs",
                         options->leaves, options->leaf_files);
        return false;
    }
    if (options->leaves > 0)
        qsort(asked, options->leaves, sizeof *asked, compare);
    for (size_t i = 1; i < options->leaves; i++)
        if (asked[i].index == asked[i - 1].index) {
            pleach__complain("--leaf %llu is given twice", (unsigned long long)asked[i].index);
            return false;
        }
    return true;
}

/* What can be said of the options together, whatever the subcommand. */
static bool complete(pleach__options *options, const char *takes)
{
    if (options->reversed) {
        pleach__reverse(options->root);
        pleach__reverse(options->older_root);
    }
    if (strchr(takes, 's') != NULL && options->depth > 0 && options->scheme.lone != PLEACH_LONE_ZERO_PADDED) {
        pleach__complain("--depth: a tree of scheme %s is as deep as its leaves need; one of ssz can be deeper",
                         options->scheme.name);
        return false;
    }
    options->scheme.depth = options->depth;
    return order_leaves(options);
}

int pleach__options_parse(pleach__options *options, const char *takes, int argc, char **argv)
{
    struct option accepted[ALL_OPTIONS + 1] = {0};
    size_t count = 0;
    for (size_t i = 0; i < ALL_OPTIONS; i++)
        if (all_options[i].val == 'h' || strchr(takes, all_options[i].val) != NULL)
            accepted[count++] = all_options[i];

    *options = (pleach__options){.scheme = *PLEACH_SCHEME_RFC6962, .leaf_size = LEAF_SIZE_DEFAULT};
    options->asked = calloc((size_t)argc, sizeof *options->asked);
    options->work = calloc((size_t)argc, sizeof *options->work);
    options->subtracted = calloc((size_t)argc, sizeof *options->subtracted);
    if (options->asked == NULL || options->work == NULL || options->subtracted == NULL) {
        pleach__complain("no memory");
        return -1;
    }
    pleach_config_init(&options->config);
    bool environment_is_good = pleach_config_from_env(&options->config) == PLEACH_OK;
    int letter;
    while ((letter = getopt_long(argc, argv, strchr(takes, '0') != NULL ? "h0" : "h", accepted, NULL)) != -1) {
        if (letter == 'h')
            return 0;
        if (!take(options, letter))
            return -1;
    }
    if (!environment_is_good) {
        pleach__complain("%s", pleach_last_error());
        return -1;
    }
    return complete(options, takes) ? optind : -1;
}

void pleach__options_release(pleach__options *options)
{
    free(options->subtracted);
    free(options->work);
    free(options->asked);
}

pleach_pool *pleach__open_pool(const pleach_config *config, int *exit_code)
{
    pleach_pool *pool = NULL;
    pleach_status status = pleach_pool_create(&pool, config);
    if (status == PLEACH_OK)
        return pool;
    pleach__complain("%s", pleach_last_error());
    *exit_code = status == PLEACH_ESETTING || status == PLEACH_EBACKEND ? PLEACH__EXIT_USAGE : PLEACH__EXIT_FAILED;
    return NULL;
}
