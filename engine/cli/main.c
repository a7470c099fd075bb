#include "bench/bench.h"
#include "engine/cli/cli.h"
#include "engine/cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char settings_help[] =
    "  --workers N         worker threads, the caller included; 0 = automatic, 1 = no threads\n"
    "  --backend PINS      kernels, such as portable or blake2s:avx2,sha256:shani\n";

static const char tree_help[] = "  --scheme NAME       rfc6962 (default) or blake2s\n"
                                "  --leaf-size N       bytes of a leaf, also as 4k or 1M; default 4096\n";

typedef struct subcommand {
    const char *name;
    int (*run)(const pleach__options *options, int count, char **operands);
    const char *takes; /* letters of its options, as in options.c */
    int least, most;   /* operands; most = -1: any number */
    const char *synopsis, *summary, *help;
} subcommand;

static const subcommand subcommands[] = {
    {"root", pleach__root, "szwb", 1, -1, "FILE...", "print Merkle roots, \"<root>  <name>\" a line",
     "A FILE of - is standard input. A directory stands for the regular files in it and below, in the byte\n"
     "order of their paths; symbolic links met on the way are not followed. A file that cannot be read is\n"
     "named on standard error, the others are still done, and the exit code is 1.\n"
     "Scheme rfc6962 takes files of any size: the last leaf is as short as it comes. Scheme blake2s takes a\n"
     "power of two of whole leaves.\n"},
    {"prove", pleach__prove, "szwbl", 1, 1, "--leaf INDEX FILE", "write the inclusion proof of a leaf, as JSON",
     "  --leaf INDEX        which leaf, from 0\n"},
    {"verify", pleach__verify, "rlnfdwb", 1, 1, "--root HEX PROOF", "check an inclusion proof: prints ok or refused",
     "  --root HEX          the root you trust, from elsewhere than the proof\n"
     "  --leaf INDEX        the leaf you asked for\n"
     "  --count N           the number of leaves you know of; scheme blake2s needs it, or --file\n"
     "  --leaf-file FILE    a file that holds the leaf's bytes and nothing else\n"
     "  --file FILE         the file that the leaf belongs to\n"
     "A PROOF of - is standard input. Without --leaf and --count, index and count are the proof's own account.\n"},
    {"info", pleach__info, "jwb", 0, 0, "", "what was chosen on this machine, and why",
     "  --json              as one JSON object\n"},
    {"demo", pleach__demo, "zwb", 0, 1, "[PATH]", "roots, a proof and throughput on real data",
     "PATH is a file or a directory, whose files are taken as one; at most 256 MiB are read. Default: /usr/lib.\n"
     "  --leaf-size N       bytes of a leaf; default 4096\n"},
};

enum { SUBCOMMANDS = sizeof subcommands / sizeof *subcommands };

static void print_help(void)
{
    (void)puts("Usage: pleach SUBCOMMAND [OPTION]... [OPERAND]...\n"
               "Merkle roots and proofs on all cores and their vector units.\n");
    for (size_t i = 0; i < SUBCOMMANDS; i++)
        (void)printf("  %-8s%s\n", subcommands[i].name, subcommands[i].summary);
    (void)puts(
        "  bench   measure this machine\n"
        "\n"
        "pleach SUBCOMMAND --help says more; pleach --version prints the version.\n"
        "The environment variables PLEACH_WORKERS, PLEACH_BACKEND and the other settings are honoured.\n"
        "\n"
        "Exit codes: 0 done; 1 a file that cannot be read or written, a source that the scheme refuses, a proof\n"
        "that is refused; 2 wrong usage, or a setting that is not accepted.");
}

static void print_subcommand_help(const subcommand *c)
{
    (void)printf("Usage: pleach %s [OPTION]... %s\n%c%s.\n\n%s%s%s", c->name, c->synopsis, c->summary[0] - 'a' + 'A',
                 c->summary + 1, c->help, strchr(c->takes, 's') != NULL ? tree_help : "", settings_help);
}

static int run(const subcommand *c, int argc, char **argv)
{
    char title[32]; /* what getopt_long() begins its messages with */
    pleach__options options;
    (void)snprintf(title, sizeof title, "pleach %s", c->name);
    argv[0] = title;
    int first = pleach__options_parse(&options, c->takes, argc, argv);
    if (first == 0) {
        print_subcommand_help(c);
        return PLEACH__EXIT_OK;
    }
    int count = argc - first;
    if (first > 0 && count >= c->least && (c->most < 0 || count <= c->most))
        return c->run(&options, count, argv + first);
    (void)fprintf(stderr, "Usage: pleach %s [OPTION]... %s\nTry: pleach %s --help\n", c->name, c->synopsis, c->name);
    return PLEACH__EXIT_USAGE;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        (void)fputs("Usage: pleach SUBCOMMAND [OPTION]... [OPERAND]...\nTry: pleach --help\n", stderr);
        return PLEACH__EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help();
        return PLEACH__EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        (void)printf("pleach %s\n", pleach_version());
        return PLEACH__EXIT_OK;
    }
    if (strcmp(argv[1], "bench") == 0)
        return pleach__bench_main(argc - 2, argv + 2);
    for (size_t i = 0; i < SUBCOMMANDS; i++)
        if (strcmp(argv[1], subcommands[i].name) == 0)
            return run(&subcommands[i], argc - 1, argv + 1);
    pleach__complain("there is no subcommand \"%s\"; try: pleach --help", argv[1]);
    return PLEACH__EXIT_USAGE;
}

int main(int argc, char **argv)
{
    pleach__progress_open();
    int code = dispatch(argc, argv);
    pleach__progress_clear();
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("pleach: standard output");
        return PLEACH__EXIT_FAILED;
    }
    return code;
}
