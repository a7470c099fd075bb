#include "engine/cli/cli.h"

#include "engine/cli/progress.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LEAF_SIZE_DEFAULT = 4096 };

static const struct option all_options[] = {
    {"scheme", required_argument, NULL, 's'},
    {"leaf-size", required_argument, NULL, 'z'},
    {"workers", required_argument, NULL, 'w'},
    {"backend", required_argument, NULL, 'b'},
    {"leaf", required_argument, NULL, 'l'},
    {"count", required_argument, NULL, 'n'},
    {"root", required_argument, NULL, 'r'},
    {"file", required_argument, NULL, 'f'},
    {"leaf-file", required_argument, NULL, 'd'},
    {"json", no_argument, NULL, 'j'},
    {"help", no_argument, NULL, 'h'},
};

enum { ALL_OPTIONS = sizeof all_options / sizeof *all_options };

void pleach__complain(const char *format, ...)
{
    va_list arguments;
    pleach__progress_clear();
    (void)fflush(stdout);
    (void)fputs("pleach: ", stderr);
    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments);
    va_end(arguments);
    (void)fputc('\n', stderr);
}

void pleach__hex(const uint8_t digest[PLEACH_DIGEST_SIZE], char text[PLEACH__HEX_SIZE])
{
    for (size_t i = 0; i < PLEACH_DIGEST_SIZE; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

bool pleach__unhex(const char *text, uint8_t digest[PLEACH_DIGEST_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    if (strlen(text) != 2 * PLEACH_DIGEST_SIZE || strspn(text, digits) != 2 * PLEACH_DIGEST_SIZE)
        return false;
    for (size_t i = 0; i < PLEACH_DIGEST_SIZE; i++)
        digest[i] = (uint8_t)((strchr(digits, text[2 * i]) - digits) << 4 | (strchr(digits, text[2 * i + 1]) - digits));
    return true;
}

bool pleach__number(const char *text, uint64_t *value)
{
    uint64_t sum = 0;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || sum > (UINT64_MAX - (uint64_t)(*text - '0')) / 10)
            return false;
        sum = 10 * sum + (uint64_t)(*text - '0');
    }
    *value = sum;
    return true;
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

static bool set(pleach_config *config, const char *name, const char *value)
{
    if (pleach_config_set(config, name, value) == PLEACH_OK)
        return true;
    pleach__complain("%s", pleach_last_error());
    return false;
}

static bool parse_scheme(const char *name, const pleach_scheme **scheme)
{
    *scheme = pleach_scheme_find(name);
    if (*scheme != NULL)
        return true;
    char known[256] = "";
    const pleach_scheme *preset;
    for (size_t i = 0; (preset = pleach_scheme_preset(i)) != NULL; i++) {
        size_t length = strlen(known);
        (void)snprintf(known + length, sizeof known - length, "%s%s", i == 0 ? "" : ", ", preset->name);
    }
    pleach__complain("--scheme \"%s\": there is no such scheme; accepted: %s", name, known);
    return false;
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
    switch (letter) {
    case 's':
        return parse_scheme(optarg, &options->scheme);
    case 'z':
        return check(parse_leaf_size(optarg, &options->leaf_size), "--leaf-size",
                     "1 to 1073741824 bytes, or a number of KiB or MiB such as 4k or 1M");
    case 'w':
        return set(&options->config, "PLEACH_WORKERS", optarg);
    case 'b':
        return set(&options->config, "PLEACH_BACKEND", optarg);
    case 'l':
        return check(options->has_leaf = pleach__number(optarg, &options->leaf), "--leaf", number);
    case 'n':
        return check(options->has_count = pleach__number(optarg, &options->count), "--count", number);
    case 'r':
        return check(options->has_root = pleach__unhex(optarg, options->root), "--root", "64 lower-case hex digits");
    case 'f':
        options->file = optarg;
        return true;
    case 'd':
        options->leaf_file = optarg;
        return true;
    case 'j':
        return options->json = true;
    default: /* getopt_long() has said what is wrong */
        return false;
    }
}

int pleach__options_parse(pleach__options *options, const char *takes, int argc, char **argv)
{
    struct option accepted[ALL_OPTIONS + 1] = {0};
    size_t count = 0;
    for (size_t i = 0; i < ALL_OPTIONS; i++)
        if (all_options[i].val == 'h' || strchr(takes, all_options[i].val) != NULL)
            accepted[count++] = all_options[i];

    *options = (pleach__options){.scheme = PLEACH_SCHEME_RFC6962, .leaf_size = LEAF_SIZE_DEFAULT};
    pleach_config_init(&options->config);
    bool environment_is_good = pleach_config_from_env(&options->config) == PLEACH_OK;
    int letter;
    while ((letter = getopt_long(argc, argv, "h", accepted, NULL)) != -1) {
        if (letter == 'h')
            return 0;
        if (!take(options, letter))
            return -1;
    }
    if (!environment_is_good) {
        pleach__complain("%s", pleach_last_error());
        return -1;
    }
    return optind;
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
