/* Keys of XMSS in files, and single signatures. */
#include "bench/bench.h"
#include "config/error.h"
#include "engine/cli/cli.h"
#include "engine/cli/input.h"
#include "engine/cli/progress.h"
#include "engine/cli/replacement.h"
#include "xmss/key_secret.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE = PLEACH_XMSS_MESSAGE_SIZE, SIGNATURE = PLEACH_XMSS_SIGNATURE_SIZE };

static int failed(void)
{
    pleach__complain("%s", pleach_last_error());
    return PLEACH__EXIT_FAILED;
}

static void print_hex(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        (void)printf("%02x", bytes[i]);
}

/* False after a message. */
static bool is_given(bool given, const char *option)
{
    if (!given)
        pleach__complain("%s is missing", option);
    return given;
}

/* All of a file that has so many bytes. */
static pleach_status read_exactly(const char *path, size_t expected, uint8_t *to)
{
    pleach__span span;
    uint64_t known;
    uint8_t *bytes = NULL;
    size_t size = 0;
    pleach_status status = pleach__source_open(path, &span, &known);
    if (status != PLEACH_OK)
        return status;
    status = pleach__span_load(&span, expected, &bytes, &size);
    pleach__span_close(&span);
    if (status != PLEACH_OK)
        return pleach__fail(status, "%s: %s", path, pleach_last_error());
    if (size != expected)
        status = pleach__fail(PLEACH_EFORMAT, "%s: %zu bytes: %zu are expected", path, size, expected);
    if (status == PLEACH_OK)
        memcpy(to, bytes, expected);
    pleach__xmss_wipe(bytes, size);
    free(bytes);
    return status;
}

/* --- Keys --- */

static pleach_status print_key(const pleach__options *options, pleach_xmss_key *key, bool with_next)
{
    uint8_t public_key[PLEACH_XMSS_PUBLIC_KEY_SIZE];
    uint32_t first = 0, last = 0;
    uint64_t next = 0;
    pleach_status status = pleach_xmss_key_public(key, public_key);
    if (status == PLEACH_OK)
        status = pleach_xmss_key_range(key, &first, &last);
    if (status == PLEACH_OK)
        status = pleach_xmss_key_next(key, &next);
    if (status != PLEACH_OK)
        return status;
    pleach__progress_clear();
    (void)printf(options->json ? "{\"public_key\": \"" : "");
    print_hex(public_key, sizeof public_key);
    if (options->json)
        (void)printf("\", \"first_epoch\": %" PRIu32 ", \"last_epoch\": %" PRIu32 ", \"next_epoch\": %" PRIu64 "}\n",
                     first, last, next);
    else if (with_next)
        (void)printf("\nepochs %" PRIu32 " to %" PRIu32 ", next %" PRIu64 "\n", first, last, next);
    else
        (void)putchar('\n');
    return PLEACH_OK;
}

static int keygen(const pleach__options *options, int count, char **operands)
{
    uint8_t seed[PLEACH_XMSS_SEED_SIZE];
    pleach_xmss_key *key = NULL;
    pleach_monitor monitor = pleach__progress_monitor(operands[0]);
    int code = PLEACH__EXIT_OK;
    (void)count;
    if (!is_given(options->has_last_epoch, "--last-epoch"))
        return PLEACH__EXIT_USAGE;
    pleach_pool *pool = pleach__open_pool(&options->config, &code);
    if (pool == NULL)
        return code;
    pleach_status status = options->key_file != NULL ? read_exactly(options->key_file, sizeof seed, seed) : PLEACH_OK;
    if (status == PLEACH_OK)
        status = pleach_xmss_keygen(pool, options->key_file != NULL ? seed : NULL, options->first_epoch,
                                    options->last_epoch, &monitor, &key);
    pleach__xmss_wipe(seed, sizeof seed);
    if (status == PLEACH_OK)
        status = pleach_xmss_key_save(key, operands[0]);
    if (status == PLEACH_OK)
        status = print_key(options, key, false);
    code = status == PLEACH_OK ? PLEACH__EXIT_OK : failed();
    pleach_xmss_key_destroy(key);
    (void)pleach_pool_destroy(pool);
    return code;
}

static int show(const pleach__options *options, int count, char **operands)
{
    pleach_xmss_key *key = NULL;
    (void)count;
    pleach_status status = pleach_xmss_key_open(NULL, operands[0], &key);
    if (status == PLEACH_OK)
        status = print_key(options, key, true);
    pleach_xmss_key_destroy(key);
    return status == PLEACH_OK ? PLEACH__EXIT_OK : failed();
}

static int adopt(const pleach__options *options, int count, char **operands)
{
    (void)count;
    if (!is_given(options->has_next_epoch, "--next-epoch"))
        return PLEACH__EXIT_USAGE;
    if (pleach_xmss_key_adopt(operands[0], options->next_epoch) != PLEACH_OK)
        return failed();
    return show(options, count, operands);
}

/* --- Signatures --- */

static pleach_status write_signature(const void *content, pleach_write write, void *context)
{
    return write(context, content, SIGNATURE);
}

static pleach_status save_signature(const char *path, const uint8_t signature[SIGNATURE])
{
    pleach__replacement replacement;
    pleach_status status = pleach__replacement_begin(&replacement, path, "        ");
    if (status != PLEACH_OK)
        return status;
    status = pleach__replacement_commit(&replacement, write_signature, signature, SIGNATURE);
    pleach__replacement_end(&replacement);
    return status;
}

/* A line of a list. */
static void print_signature(const pleach__options *options, const uint8_t *public_key,
                            const uint8_t signature[SIGNATURE])
{
    (void)printf("{\"public_key\": \"");
    print_hex(public_key, PLEACH_XMSS_PUBLIC_KEY_SIZE);
    (void)printf("\", \"epoch\": %" PRIu32 ", \"message\": \"", options->epoch);
    print_hex(options->message, MESSAGE);
    (void)printf("\", \"signature\": \"");
    print_hex(signature, SIGNATURE);
    (void)puts("\"}");
}

static pleach_status sign_with(pleach_pool *pool, const pleach__options *options, pleach_xmss_key *key)
{
    uint8_t signature[SIGNATURE], public_key[PLEACH_XMSS_PUBLIC_KEY_SIZE];
    pleach_status status =
        pleach_xmss_sign(pool, key, options->epoch, options->message,
                         options->random ? PLEACH_XMSS_RANDOM : PLEACH_XMSS_DETERMINISTIC, signature);
    if (status == PLEACH_OK)
        status = pleach_xmss_key_public(key, public_key);
    if (status == PLEACH_OK && options->output != NULL)
        return save_signature(options->output, signature);
    if (status == PLEACH_OK)
        print_signature(options, public_key, signature);
    return status;
}

static int sign(const pleach__options *options, int count, char **operands)
{
    pleach_xmss_key *key = NULL;
    int code = PLEACH__EXIT_OK;
    (void)count;
    if (!is_given(options->has_epoch, "--epoch") || !is_given(options->has_message, "--message"))
        return PLEACH__EXIT_USAGE;
    pleach_pool *pool = pleach__open_pool(&options->config, &code);
    if (pool == NULL)
        return code;
    pleach_status status = pleach_xmss_key_open(pool, operands[0], &key);
    if (status == PLEACH_OK)
        status = sign_with(pool, options, key);
    code = status == PLEACH_OK ? PLEACH__EXIT_OK : failed();
    pleach_xmss_key_destroy(key);
    (void)pleach_pool_destroy(pool);
    return code;
}

static int verify(const pleach__options *options, int count, char **operands)
{
    uint8_t signature[SIGNATURE];
    (void)count;
    if (!is_given(options->has_public_key, "--public-key") || !is_given(options->has_epoch, "--epoch") ||
        !is_given(options->has_message, "--message"))
        return PLEACH__EXIT_USAGE;
    if (read_exactly(operands[0], SIGNATURE, signature) != PLEACH_OK)
        return failed();
    const pleach_xmss_claim claim = {options->public_key, options->message, signature, SIGNATURE, options->epoch};
    const pleach_status status = pleach_xmss_verify(&claim);
    if (status == PLEACH_OK)
        (void)puts("ok");
    else
        (void)printf("refused: %s\n", pleach_status_text(status));
    return status == PLEACH_OK ? PLEACH__EXIT_OK : PLEACH__EXIT_FAILED;
}

static int bench(const pleach__options *options, int count, char **operands)
{
    static char rows_option[] = "--rows", rows[] = "18-20", json[] = "--json";
    char *arguments[] = {rows_option, rows, json, NULL};
    (void)count;
    (void)operands;
    return pleach__bench_main(options->json ? 3 : 2, arguments);
}

#define LIST_HELP                                                                                                  \
    "A line of LIST is {\"public_key\": \"...\", \"epoch\": N, \"message\": \"...\", \"signature\": \"...\"}, in " \
    "hex,\nas sign prints it. A LIST of - is standard input.\n"                                                    \
    "  --binary            of each signature 1276 bytes: public key, epoch (4, little-endian), message, signature\n"

const pleach__subcommand pleach__xmss_subcommands[] = {
    {"xmss ", "keygen", keygen, "gpvjwb", 1, 1, "--last-epoch N KEY", "make a key, and print its public key",
     "  --first-epoch N     of the epochs that it can sign for; default 0\n"
     "  --last-epoch N      at most 4294967295. The time grows with their number\n"
     "  --seed-file FILE    32 secret bytes; default: from the system\n"
     "  --json              as one JSON object\n"
     "What is there is never replaced. KEY and KEY.state are readable to you only. KEY may be copied; KEY.state\n"
     "says which epochs were used, and must not be copied or restored.\n"},
    {"xmss ", "sign", sign, "VMqPwb", 1, 1, "--epoch N --message HEX KEY", "sign, and print a line of a list",
     "  --epoch N           above all that were signed for\n"
     "  --message HEX       64 hex digits: a digest of what is signed\n"
     "  --random            with randomness of the system; default: deterministic\n"
     "  --output FILE       the 1208 bytes of the signature into FILE, instead of a line\n"
     "The epoch is recorded on the disk before anything is computed. The last one, with its message, may be asked\n"
     "for again, and gives the same signature.\n"},
    {"xmss ", "show", show, "j", 1, 1, "KEY", "public key, epochs, and the next that was not used",
     "  --json              as one JSON object\n"},
    {"xmss ", "adopt", adopt, "yj", 1, 1, "--next-epoch N KEY", "make a new KEY.state, after damage or a restore",
     "  --next-epoch N      neither this nor a later epoch was signed for: that is your word, and two signatures of\n"
     "                      one epoch give the key away. What is whole of the old KEY.state may say more\n"},
    {"xmss ", "verify", verify, "KVM", 1, 1, "--public-key HEX --epoch N --message HEX SIGNATURE",
     "check a signature: prints ok or refused", "SIGNATURE is a file of 1208 bytes; - is standard input.\n"},
    {"xmss ", "verify-batch", pleach__xmss_verify_batch, "Bjwb", 1, 1, "LIST", "check many signatures",
     LIST_HELP "  --json              as one JSON object\n"},
    {"xmss ", "trace", pleach__xmss_trace, "BYPjwb", 1, 1, "--output FILE LIST",
     "check many, and write down every compression",
     LIST_HELP
     "  --output FILE       the trace: words of 32 bits in the byte order of this machine\n"
     "  --layout NAME       lanes (default): tiles of 16 signatures, of each 144 compressions, of each 36 words, of\n"
     "                      each 16 signatures; blocks: the same with 24 words, block and result; results: with 8;\n"
     "                      rows: signature after signature, 144 compressions of 36 words\n"
     "  --json              what was refused, as one JSON object\n"
     "The trace of what is refused is in it, too.\n"},
    {"xmss ", "bench", bench, "j", 0, 0, "", "rows 18 to 20 of pleach bench",
     "  --json              one JSON object a line\n"},
    {.name = NULL},
};
