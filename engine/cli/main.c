#include "bench/bench.h"
#include "engine/cli/cli.h"
#include "engine/cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const pleach__subcommand subcommands[] = {
    {"", "root", pleach__root, "sDzLHRwb", 1, -1, "FILE...", "print Merkle roots, \"<root>  <name>\" a line",
     "A FILE of - is standard input. A directory stands for the regular files in it and below, in the byte\n"
     "order of their paths; symbolic links met on the way are not followed. A file that cannot be read is\n"
     "named on standard error, the others are still done, and the exit code is 1.\n"
     "A last leaf is as short as it comes, where the scheme allows it; blake2s takes a power of two of whole\n"
     "leaves. Of bitcoin, a root that says nothing because leaves could be repeated under it (CVE-2012-2459)\n"
     "is said to be so on standard error.\n"},
    {"", "prove", pleach__prove, "sDzLHRwbl", 1, 1, "--leaf INDEX... FILE",
     "write the proof of one leaf or several, as JSON",
     "  --leaf INDEX        which leaf, from 0; several give one proof for all of them\n"},
    {"", "verify", pleach__verify, "erlnfdoODzLHRwb", 1, 1, "--root HEX PROOF", "check a proof: prints ok or refused",
     "  --root HEX          the root you trust, from elsewhere than the proof\n"
     "  --leaf INDEX        the leaf you asked for; as many as you asked for\n"
     "  --count N           the number of leaves you know of; without it, or --file, schemes that do not tell\n"
     "                      leaves from nodes prove nothing\n"
     "  --leaf-file FILE    a file that holds the leaf's bytes and nothing else; as many as there are leaves, in\n"
     "                      the order of --leaf or of their indices\n"
     "  --file FILE         the file that the leaves belong to\n"
     "  --older-root HEX    of a consistency proof: the older root you trust\n"
     "  --older N           of a consistency proof: the older number of leaves you know of\n"
     "  --scheme NAME       the scheme you expect\n"
     "  --depth N           of scheme ssz: the depth you know of\n"
     "A PROOF of - is standard input. What you do not give is the proof's own account.\n"},
    {"", "info", pleach__info, "jwb", 0, 0, "", "what was chosen on this machine, and why",
     "  --json              as one JSON object\n"},
    {"", "tune", pleach__tune, "emWtGjb", 0, 0, "", "which settings suit your kind of work on this machine",
     "  --work KIND         tree:HEIGHT:LEAF_SIZE, such as tree:20:64: all nodes over 2^HEIGHT leaves;\n"
     "                      lthash:SIZE, such as lthash:200: a batch of items, added to the hash of a set;\n"
     "                      block:TRANSACTIONS:SIZE, such as block:2500:400: the root of transactions.\n"
     "                      May be given several times; default: these\n"
     "  --scheme NAME       of trees; default blake2s. A block is hashed as CometBFT does, with bitcoin as Bitcoin\n"
     "  --workers LIST      numbers of workers to try, such as 1-4,8,4+2 (4+2: 2 more for efficiency cores). 1 is\n"
     "                      always tried, for comparison. Default: all that makes sense on this machine\n"
     "  --seconds S         how long it may take, about, but for the few rounds it takes at least; default 20\n"
     "  --svg FILE          plot into FILE, too\n"
     "  --json              as one JSON object\n"
     "The settings are tried in turns, round after round; an interrupt (Ctrl-C) ends that early. Best is the one with\n"
     "the fewest workers that is at most 3 % slower than the fastest, as far as times tell on a busy machine.\n"},
    {"", "block", pleach__block, "aTZjwb", 0, 1, "[FILE]", "hash a block as a node does, stage by stage",
     "  --as SYSTEM         bitcoin (default): transaction ids, Merkle root, commitment to witnesses; cometbft: "
     "hashes\n"
     "                      and data hash; sei: these and the LtHash of a store, one write a transaction\n"
     "  --txs N             without FILE: so many transactions are made up; default 2500\n"
     "  --size N            bytes of them, about; default 400\n"
     "  --json              as one JSON object\n"
     "FILE is a block of Bitcoin, as it is sent or as hex digits, such as bitcoin-cli getblock HASH 0 prints; - is\n"
     "standard input. With --as bitcoin, its ids have to give the root in its header and the commitment in its\n"
     "coinbase; if they do not, the exit code is 1. Times are medians, beside those of the scalar code on one "
     "thread.\n"},
    {"", "demo", pleach__demo, "zwb", 0, 1, "[PATH]", "roots, proofs and blocks on real data, with their times",
     "PATH is a file or a directory, whose files are taken as one; at most 256 MiB are read. Default: /usr/lib.\n"},
    {.name = NULL},
};

/* Subcommands that share a first word. */
static const struct group {
    const char *word;
    const pleach__subcommand *table;
    const char *help_begin, *help_end;
} groups[] = {
    {"tree", pleach__tree_subcommands,
     "Usage: pleach tree SUBCOMMAND [OPTION]... TREE [OPERAND]...\n"
     "Trees kept in a file: their leaf hashes, without the leaves.\n",
     "A TREE is replaced at once or not at all. While it is written, its new content is in TREE.pleach-new;\n"
     "one that a killed command left behind is overwritten by the next.\n"},
    {"lthash", pleach__lthash_subcommands,
     "Usage: pleach lthash SUBCOMMAND [OPTION]... STATE [OPERAND]...\n"
     "Hashes of sets, kept in a file: items are added and removed at a cost that does not depend on the size of\n"
     "the set, in any order. As Solana and Sei have them: LtHash16 with BLAKE3.\n",
     "A STATE is 2112 bytes, however large its set. It is replaced at once or not at all. While it is written,\n"
     "its new content is in STATE.pleach-new; one that a killed command left behind is overwritten by the next.\n"},
    {"xmss", pleach__xmss_subcommands,
     "Usage: pleach xmss SUBCOMMAND [OPTION]... [OPERAND]\n"
     "Hash-based signatures: XMSS over BLAKE2s, byte-compatible with leanVM-b.\n",
     "A key signs once for each epoch of its range, in ascending order. KEY.state remembers which were used.\n"},
    {"urm", pleach__urm_subcommands,
     "Usage: pleach urm SUBCOMMAND [OPTION]... [OPERAND]\n"
     "The first message of a zerocheck with univariate skip, as an aggregation prover computes it.\n",
     ""},
};

enum { GROUPS = sizeof groups / sizeof *groups };

static void print_table(const pleach__subcommand *table, int width)
{
    for (; table->name != NULL; table++)
        (void)printf("  %-*s  %s\n", width, table->name, table->summary);
}

static void print_help(void)
{
    (void)puts("Usage: pleach SUBCOMMAND [OPTION]... [OPERAND]...\n"
               "Merkle roots and proofs on all cores and their vector units.\n");
    print_table(subcommands, 6);
    (void)puts(
        "  tree    keep a tree in a file: build, append, update, truncate, prove, consistency, verify, show\n"
        "  lthash  keep the hash of a set in a file: add, remove, update, combine, show, verify\n"
        "  xmss    hash-based signatures: keygen, sign, show, adopt, verify, verify-batch, trace, bench\n"
        "  urm     the first message of a zerocheck: check, time\n"
        "  bench   measure this machine\n"
        "\n"
        "pleach SUBCOMMAND --help says more; pleach --version prints the version.\n"
        "The environment variables PLEACH_WORKERS, PLEACH_BACKEND and the other settings are honoured.\n"
        "\n"
        "Exit codes: 0 done; 1 a file that cannot be read or written, a source that the scheme refuses, a proof\n"
        "that is refused; 2 wrong usage, or a setting that is not accepted.");
}

static void print_group_help(const struct group *group)
{
    (void)puts(group->help_begin);
    print_table(group->table, 11);
    (void)printf("\n%spleach %s SUBCOMMAND --help says more.\n", group->help_end, group->word);
}

static void print_subcommand_help(const pleach__subcommand *c)
{
    (void)printf("Usage: pleach %s%s [OPTION]... %s\n%c%s.\n\n%s", c->group, c->name, c->synopsis,
                 c->summary[0] - 'a' + 'A', c->summary + 1, c->help);
    pleach__options_help(c->takes);
}

static int run(const pleach__subcommand *c, int argc, char **argv)
{
    char title[32]; /* what getopt_long() begins its messages with */
    pleach__options options;
    (void)snprintf(title, sizeof title, "pleach %s%s", c->group, c->name);
    argv[0] = title;
    int first = pleach__options_parse(&options, c->takes, argc, argv), code = PLEACH__EXIT_USAGE;
    int count = argc - first;
    if (first == 0) {
        print_subcommand_help(c);
        code = PLEACH__EXIT_OK;
    } else if (first > 0 && count >= c->least && (c->most < 0 || count <= c->most)) {
        code = c->run(&options, count, argv + first);
    } else {
        (void)fprintf(stderr, "Usage: %s [OPTION]... %s\nTry: %s --help\n", title, c->synopsis, title);
    }
    pleach__options_release(&options);
    return code;
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

static int run_from(const pleach__subcommand *table, int argc, char **argv)
{
    const char *group = table->group;
    for (; table->name != NULL; table++)
        if (strcmp(argv[0], table->name) == 0)
            return run(table, argc, argv);
    pleach__complain("there is no subcommand \"%s%s\"; try: pleach %s--help", group, argv[0], group);
    return PLEACH__EXIT_USAGE;
}

static int print_usage(const char *group)
{
    (void)fprintf(stderr, "Usage: pleach %sSUBCOMMAND [OPTION]... [OPERAND]...\nTry: pleach %s--help\n", group, group);
    return PLEACH__EXIT_USAGE;
}

static int dispatch_group(const struct group *group, int argc, char **argv)
{
    if (argc < 1)
        return print_usage(group->table->group);
    if (!asks_for_help(argv[0]))
        return run_from(group->table, argc, argv);
    print_group_help(group);
    return PLEACH__EXIT_OK;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2)
        return print_usage("");
    for (int i = 0; i < GROUPS; i++)
        if (strcmp(argv[1], groups[i].word) == 0)
            return dispatch_group(&groups[i], argc - 2, argv + 2);
    if (asks_for_help(argv[1])) {
        print_help();
        return PLEACH__EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        (void)printf("pleach %s\n", pleach_version());
        return PLEACH__EXIT_OK;
    }
    if (strcmp(argv[1], "bench") == 0)
        return pleach__bench_main(argc - 2, argv + 2);
    return run_from(subcommands, argc - 1, argv + 1);
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
