#include "bench/bench.h"

#include "bench/clock.h"
#include "bench/report.h"

#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { DONE, FAILED, USAGE };

struct options {
    pleach_config config;
    bool list, json, help, chosen;
    size_t count; /* of all rows */
    const pleach__bench_row *row[PLEACH__BENCH_ROWS_MAX];
    bool wanted[PLEACH__BENCH_ROWS_MAX];
};

static const char help[] =
    "Usage: pleach bench [OPTION]...\n"
    "Measure this machine: each row is a piece of work with a target.\n"
    "\n"
    "  --list           what rows there are\n"
    "  --rows LIST      numbers and ranges, such as 1,4-6,101; default: all but the heavy ones\n"
    "  --json           one JSON object a line\n"
    "  --workers N      workers of trees; default 1, which the targets are for; 0 = automatic\n"
    "  --backend PINS   kernels, such as portable or blake2s:avx2,sha256:shani\n"
    "  --help           this\n"
    "\n"
    "Digests are compared with those of the reference before anything is timed: of big rows a part. A value is a\n"
    "median over at least seven samples, by the wall clock. A sample counts if the core ran at the same pace before "
    "and\n"
    "after it, and nobody took its processors away. ~ marks a row with too few such samples: the least disturbed "
    "seven\n"
    "count, of one worker by its processor time.\n"
    "\n"
    "  target   was set on another machine, an AVX-512 core at 4.0 GHz with huge pages: what can be compared are "
    "ratios\n"
    "  cycles   of the core clock for a compression of one hash, by the wall clock whatever the number of workers\n"
    "  limit    share of what the vector ports allow: operations of the rounds and of the message schedule, over the\n"
    "           vector operations that the core begins in a cycle, which is measured; - where no such limit is known\n"
    "  scalar   times as fast as the portable code on one worker at the same work, of trees at most 2^14 leaves, "
    "scaled\n"
    "\n"
    "Rows from 101 on are beside the targets. Rows 22 and 23 take two workers, row 24 as many as there are "
    "processors,\n"
    "or what --workers says if that is more than one. Kernels are run by one worker.\n"
    "Exit code: 0 done; 1 a row failed or had wrong digests; 2 wrong usage.\n";

__attribute__((format(printf, 1, 2))) static bool refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)fputs("pleach bench: ", stderr);
    (void)vfprintf(stderr, format, arguments);
    (void)fputc('\n', stderr);
    va_end(arguments);
    return false;
}

static bool want(struct options *options, unsigned long first, unsigned long last)
{
    bool any = false;
    for (size_t i = 0; i < options->count; i++) {
        if (options->row[i]->number >= first && options->row[i]->number <= last)
            any = options->wanted[i] = true;
    }
    return any;
}

/* A row number at *text, which moves on; 0 if there is none. */
static unsigned long row_number(const char **text)
{
    char *end;
    const unsigned long number = **text >= '1' && **text <= '9' ? strtoul(*text, &end, 10) : 0;
    if (number > 0)
        *text = end;
    return number;
}

static bool choose_rows(struct options *options, const char *list)
{
    for (const char *at = list;; at++) {
        const unsigned long first = row_number(&at);
        unsigned long last = first;
        if (first > 0 && *at == '-') {
            at++;
            last = row_number(&at);
        }
        if (last == 0 || (*at != ',' && *at != '\0'))
            return refuse("--rows %s: expected numbers and ranges, such as 1,4-6,101", list);
        if (!want(options, first, last))
            return refuse("--rows %s: there is no row %lu; --list shows those there are", list, first);
        if (*at == '\0')
            return true;
    }
}

static bool set(struct options *options, const char *name, const char *value)
{
    return pleach_config_set(&options->config, name, value) == PLEACH_OK || refuse("%s", pleach_last_error());
}

static const struct option accepted[] = {
    {"list", no_argument, NULL, 'l'},
    {"rows", required_argument, NULL, 'r'},
    {"json", no_argument, NULL, 'j'},
    {"workers", required_argument, NULL, 'w'},
    {"backend", required_argument, NULL, 'b'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static bool take(struct options *options, int letter)
{
    switch (letter) {
    case 'l':
        return options->list = true;
    case 'j':
        return options->json = true;
    case 'h':
        return options->help = true;
    case 'r':
        return options->chosen = choose_rows(options, optarg);
    case 'w':
        return set(options, "PLEACH_WORKERS", optarg);
    case 'b':
        return set(options, "PLEACH_BACKEND", optarg);
    default: /* getopt_long() has said what is wrong */
        return false;
    }
}

/* `arguments` begins with a title for messages, as getopt_long() wants it. */
static bool parse(struct options *options, int count, char **arguments)
{
    optind = 1;
    for (int letter; (letter = getopt_long(count, arguments, "h", accepted, NULL)) != -1;)
        if (!take(options, letter))
            return false;
    if (optind < count)
        return refuse("%s: no operand is accepted", arguments[optind]);
    for (size_t i = 0; !options->chosen && i < options->count; i++)
        options->wanted[i] = !options->row[i]->heavy;
    return true;
}

/* Options of the environment and the command line. */
static bool parse_all(struct options *options, int argc, char **argv)
{
    char title[] = "pleach bench";
    char **arguments = calloc((size_t)argc + 2, sizeof *arguments);
    if (!arguments)
        return refuse("no memory for %d arguments", argc);
    arguments[0] = title;
    for (int i = 0; i < argc; i++)
        arguments[i + 1] = argv[i];
    options->count = pleach__bench_rows(options->row);
    pleach_config_init(&options->config);
    options->config.workers = 1;
    bool parsed = pleach_config_from_env(&options->config) == PLEACH_OK || refuse("%s", pleach_last_error());
    parsed = parsed && parse(options, argc + 1, arguments);
    free(arguments);
    return parsed;
}

static bool measure(const struct options *options, const pleach__bench *bench, const pleach__bench_row *row)
{
    pleach__bench_result result = {.value = NAN, .cycles = NAN, .share = NAN, .scalar = NAN};
    if (row->measure(row, bench, &result) != PLEACH_OK)
        return refuse("row %u, %s: %s", row->number, row->name, pleach_last_error());
    if (!options->json)
        pleach__bench_print_row(row, &result);
    else if (!pleach__bench_print_json(row, &result))
        return refuse("row %u, %s: no memory for its JSON", row->number, row->name);
    return !result.wrong;
}

static int run(const struct options *options)
{
    pleach__bench bench = {.config = options->config};
    int code = DONE;
    if (pleach_pool_create(&bench.pool, &bench.config) != PLEACH_OK) {
        (void)refuse("%s", pleach_last_error());
        return FAILED;
    }
    pleach__bench_calibrate();
    if (!options->json)
        pleach__bench_print_head(&bench);
    for (size_t i = 0; i < options->count; i++)
        if (options->wanted[i] && !measure(options, &bench, options->row[i]))
            code = FAILED;
    (void)pleach_pool_destroy(bench.pool);
    return code;
}

static int list(const struct options *options)
{
    if (!options->json)
        pleach__bench_print_list(options->row, options->count);
    for (size_t i = 0; options->json && i < options->count; i++)
        if (!pleach__bench_print_json(options->row[i], NULL))
            return FAILED;
    return DONE;
}

int pleach__bench_main(int argc, char **argv)
{
    struct options options = {.count = 0};
    if (!parse_all(&options, argc, argv)) {
        (void)fputs("Try: pleach bench --help\n", stderr);
        return USAGE;
    }
    if (options.help)
        return fputs(help, stdout) >= 0 ? DONE : FAILED;
    return options.list ? list(&options) : run(&options);
}
