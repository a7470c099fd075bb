/* The command: one file per subcommand, and what they share. */
#ifndef PLEACH_CLI_H
#define PLEACH_CLI_H

#include "engine/pleach.h"

enum { PLEACH__EXIT_OK, PLEACH__EXIT_FAILED, PLEACH__EXIT_USAGE };

enum { PLEACH__HEX_SIZE = 2 * PLEACH_DIGEST_SIZE + 1 };

enum { PLEACH__LEAF_SIZE_MAX = 1 << 30 };

/* Every option of every subcommand; main.c says who takes which. */
typedef struct pleach__options {
    pleach_config config; /* of the environment and --workers, --backend */
    const pleach_scheme *scheme;
    size_t leaf_size;
    bool has_leaf, has_count, has_root;
    uint64_t leaf, count;
    uint8_t root[PLEACH_DIGEST_SIZE];
    const char *file;      /* --file or NULL */
    const char *leaf_file; /* --leaf-file or NULL */
    bool json;
} pleach__options;

/* Subcommands: options and operands in, exit code out. */
int pleach__root(const pleach__options *options, int count, char **operands);
int pleach__prove(const pleach__options *options, int count, char **operands);
int pleach__verify(const pleach__options *options, int count, char **operands);
int pleach__info(const pleach__options *options, int count, char **operands);
int pleach__demo(const pleach__options *options, int count, char **operands);

/*
 * Parses what follows a subcommand. `takes` holds the letters of the options it takes (options.c). Returns the index of
 * the first operand, 0 if --help was asked for, or -1 after a message.
 */
int pleach__options_parse(pleach__options *options, const char *takes, int argc, char **argv);

/* Starts a pool, or returns NULL after a message, with the exit code that belongs to it. */
pleach_pool *pleach__open_pool(const pleach_config *config, int *exit_code);

/* A line on standard error, "pleach: ...", with the progress bar out of the way. */
void pleach__complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

void pleach__hex(const uint8_t digest[PLEACH_DIGEST_SIZE], char text[PLEACH__HEX_SIZE]);

/* False unless the text is 64 lower-case hex digits. */
bool pleach__unhex(const char *text, uint8_t digest[PLEACH_DIGEST_SIZE]);

/* Whether `text` is a decimal number and nothing else. */
bool pleach__number(const char *text, uint64_t *value);

#endif
