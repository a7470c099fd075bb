/* The command: one file per subcommand or group of them, and what they share. */
#ifndef PLEACH_CLI_H
#define PLEACH_CLI_H

#include "engine/cli/encoding.h"
#include "engine/pleach.h"

enum { PLEACH__EXIT_OK, PLEACH__EXIT_FAILED, PLEACH__EXIT_USAGE };

enum { PLEACH__HEX_SIZE = 2 * PLEACH_DIGEST_SIZE + 1 };

enum { PLEACH__LEAF_SIZE_MAX = 1 << 30 };

/* A leaf that is asked for, and the file that holds its bytes. */
typedef struct pleach__asked {
    uint64_t index;
    const char *file; /* or NULL */
} pleach__asked;

/* Every option of every subcommand; the tables of subcommands say who takes which. */
typedef struct pleach__options {
    pleach_config config; /* of the environment and --workers, --backend */
    bool has_scheme, has_depth, has_leaf_size, has_count, has_older, has_root, has_older_root;
    pleach_scheme scheme; /* with --depth */
    unsigned depth;
    size_t leaf_size;
    bool lines, hashes, reversed;
    pleach__asked *asked; /* --leaf with --leaf-file, by ascending index; owned */
    size_t leaves, leaf_files;
    uint64_t count, older;
    uint8_t root[PLEACH_DIGEST_SIZE], older_root[PLEACH_DIGEST_SIZE];
    const char *file; /* --file or NULL */
    bool json, force, svg, ascii;
    /* Of tune. */
    const char **work; /* owned */
    int works;
    const char *sweep, *svg_file; /* --workers as a list; or NULL */
    double seconds;               /* 0 = not given */
    /* Of block. */
    const char *as;                          /* --as or NULL */
    uint64_t transactions, transaction_size; /* 0 = not given */
    /* Of lthash. */
    bool nul, files, has_encoding, has_empty, has_checksum;
    pleach__encoding encoding; /* --ndjson */
    pleach_lthash_empty empty;
    uint8_t checksum[PLEACH_DIGEST_SIZE];
    const char *key_file, *output; /* or NULL */
    char **subtracted;             /* owned */
    int subtractions;
    /* Of xmss. */
    bool has_epoch, has_last_epoch, has_next_epoch, has_message, has_public_key, binary, random;
    uint32_t epoch, first_epoch, last_epoch;
    uint64_t next_epoch;
    uint8_t message[PLEACH_XMSS_MESSAGE_SIZE], public_key[PLEACH_XMSS_PUBLIC_KEY_SIZE];
    const char *layout; /* or NULL */
} pleach__options;

typedef struct pleach__subcommand {
    const char *group; /* "", or the word before its name and a space */
    const char *name;  /* NULL ends a table */
    int (*run)(const pleach__options *options, int count, char **operands); /* exit code */
    const char *takes; /* letters of its options, as in options.c */
    int least, most;   /* operands; most = -1: any number */
    const char *synopsis, *summary, *help;
} pleach__subcommand;

int pleach__root(const pleach__options *options, int count, char **operands);
int pleach__prove(const pleach__options *options, int count, char **operands);
int pleach__verify(const pleach__options *options, int count, char **operands);
int pleach__info(const pleach__options *options, int count, char **operands);
int pleach__demo(const pleach__options *options, int count, char **operands);
int pleach__block(const pleach__options *options, int count, char **operands);
int pleach__tune(const pleach__options *options, int count, char **operands);
int pleach__tree_prove(const pleach__options *options, int count, char **operands);
int pleach__tree_consistency(const pleach__options *options, int count, char **operands);
int pleach__tree_verify(const pleach__options *options, int count, char **operands);
int pleach__tree_show(const pleach__options *options, int count, char **operands);

int pleach__lthash_show(const pleach__options *options, int count, char **operands);
int pleach__lthash_verify(const pleach__options *options, int count, char **operands);
int pleach__xmss_verify_batch(const pleach__options *options, int count, char **operands);
int pleach__xmss_trace(const pleach__options *options, int count, char **operands);

extern const pleach__subcommand pleach__tree_subcommands[], pleach__lthash_subcommands[], pleach__urm_subcommands[],
    pleach__xmss_subcommands[];

/*
 * Parses what follows a subcommand. `takes` holds the letters of the options it takes (options.c). Returns the index of
 * the first operand, 0 if --help was asked for, or -1 after a message. Release the options in any case.
 */
int pleach__options_parse(pleach__options *options, const char *takes, int argc, char **argv);

void pleach__options_release(pleach__options *options);

/* What the options say about themselves: a line for each that needs no words of its subcommand's own. */
void pleach__options_help(const char *takes);

/* Whether --reversed is not given, or suits the scheme; false after a message. */
bool pleach__reversed_fits(const pleach__options *options, const pleach_scheme *scheme);

/* Starts a pool, or returns NULL after a message, with the exit code that belongs to it. */
pleach_pool *pleach__open_pool(const pleach_config *config, int *exit_code);

/* A line on standard error, "pleach: ...", with the progress bar out of the way. */
void pleach__complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says so if leaves could be repeated under a tree's root: the root then says nothing. */
void pleach__warn_if_mutated(const pleach_tree *tree, const char *name);

void pleach__hex(const uint8_t digest[PLEACH_DIGEST_SIZE], char text[PLEACH__HEX_SIZE]);

/* The same from the last byte to the first, if `reversed`. */
void pleach__hex_ordered(const uint8_t digest[PLEACH_DIGEST_SIZE], bool reversed, char text[PLEACH__HEX_SIZE]);

/* False unless the text is 64 lower-case hex digits. */
bool pleach__unhex(const char *text, uint8_t digest[PLEACH_DIGEST_SIZE]);

void pleach__reverse(uint8_t digest[PLEACH_DIGEST_SIZE]);

/* Whether `text` is a decimal number and nothing else. */
bool pleach__number(const char *text, uint64_t *value);

/* The same with decimals, such as 0.5. */
bool pleach__decimal(const char *text, double *value);

/* "<root>  <name>", escaped as sha256sum does, on standard output. */
void pleach__print_root(const uint8_t root[PLEACH_DIGEST_SIZE], bool reversed, const char *name);

#endif
