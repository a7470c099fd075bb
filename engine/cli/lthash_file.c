#include "engine/cli/lthash_file.h"

#include "config/error.h"
#include "config/little_endian.h"
#include "engine/cli/input.h"
#include "kernels/blake3.h"

#include <string.h>

static const char kind[] = "pleachLT", check_context[] = "pleach lthash key check";

enum {
    KIND_SIZE = 8,
    VERSION = 1,
    VERSION_AT = 8,
    KEYED_AT = 12,
    CHECK_AT = 16,
    STATE_AT = 32,
    CHECKSUM_AT = PLEACH__LTHASH_FILE_SIZE - PLEACH_DIGEST_SIZE
};

static pleach_status digest_of(const uint8_t *bytes, uint8_t *digest)
{
    return pleach_blake3_hash(NULL, bytes, CHECKSUM_AT, 0, digest, PLEACH_DIGEST_SIZE);
}

static pleach_status parse_key(const uint8_t *bytes, pleach__lthash_file *file)
{
    static const uint8_t none[PLEACH__KEY_CHECK_SIZE];
    const uint32_t keyed = pleach__get32(bytes + KEYED_AT);
    memcpy(file->key_check, bytes + CHECK_AT, sizeof file->key_check);
    file->keyed = keyed == 1;
    if (keyed > 1 || (keyed == 0 && memcmp(file->key_check, none, sizeof none) != 0))
        return pleach__fail(PLEACH_EFORMAT, "it is neither with a key nor without");
    return PLEACH_OK;
}

static pleach_status parse(const uint8_t *bytes, size_t size, pleach__lthash_file *file)
{
    uint8_t digest[PLEACH_DIGEST_SIZE];
    if (memcmp(bytes, kind, size < KIND_SIZE ? size : KIND_SIZE) != 0)
        return pleach__fail(PLEACH_EFORMAT, "it does not begin with \"%s\"", kind);
    if (size < PLEACH__LTHASH_FILE_SIZE)
        return pleach__fail(PLEACH_ETRUNCATED, "it ends after %zu of %d bytes", size, PLEACH__LTHASH_FILE_SIZE);
    if (pleach__get32(bytes + VERSION_AT) != VERSION)
        return pleach__fail(PLEACH_EVERSION, "its version is %lu, and only %d is known",
                            (unsigned long)pleach__get32(bytes + VERSION_AT), VERSION);
    if (size > PLEACH__LTHASH_FILE_SIZE)
        return pleach__fail(PLEACH_ETRAILING, "it goes on after its end");
    pleach_status status = digest_of(bytes, digest);
    if (status == PLEACH_OK && memcmp(bytes + CHECKSUM_AT, digest, sizeof digest) != 0)
        status = pleach__fail(PLEACH_ECHECKSUM, "its checksum does not match");
    if (status == PLEACH_OK)
        status = parse_key(bytes, file);
    return status == PLEACH_OK ? pleach_lthash_parse(&file->sum, bytes + STATE_AT, PLEACH_LTHASH_SIZE) : status;
}

pleach_status pleach__lthash_load(const char *path, pleach__lthash_file *file)
{
    uint8_t bytes[PLEACH__LTHASH_FILE_SIZE + 1];
    pleach__span span;
    uint64_t size;
    size_t got;
    *file = (pleach__lthash_file){0};
    pleach_status status = pleach__source_open(path, &span, &size);
    if (status != PLEACH_OK)
        return status;
    status = pleach__span_read(&span, bytes, sizeof bytes, &got);
    pleach__span_close(&span);
    if (status == PLEACH_OK && (status = parse(bytes, got, file)) != PLEACH_OK)
        return pleach__fail(status, "no state of LtHash, or a damaged one: %s", pleach_last_error());
    return status;
}

static pleach_status load_key(const char *path, uint8_t key[PLEACH_LTHASH_KEY_SIZE])
{
    uint8_t bytes[PLEACH_LTHASH_KEY_SIZE + 1];
    pleach__span span;
    uint64_t size;
    size_t got = 0;
    pleach_status status = pleach__source_open(path, &span, &size);
    if (status == PLEACH_OK) {
        status = pleach__span_read(&span, bytes, sizeof bytes, &got);
        pleach__span_close(&span);
    }
    if (status != PLEACH_OK)
        return pleach__fail(status, "key %s: %s", path, pleach_last_error());
    if (got != PLEACH_LTHASH_KEY_SIZE)
        return pleach__fail(PLEACH_EKEY, "key %s: %s than %d bytes", path,
                            got < PLEACH_LTHASH_KEY_SIZE ? "fewer" : "more", PLEACH_LTHASH_KEY_SIZE);
    memcpy(key, bytes, PLEACH_LTHASH_KEY_SIZE);
    return PLEACH_OK;
}

pleach_status pleach__lthash_new(const char *key_file, pleach__lthash_file *file)
{
    uint8_t key[PLEACH_LTHASH_KEY_SIZE];
    *file = (pleach__lthash_file){.keyed = key_file != NULL};
    if (key_file == NULL)
        return PLEACH_OK;
    pleach_status status = load_key(key_file, key);
    if (status == PLEACH_OK)
        status = pleach_blake3_derive_key(NULL, (const uint8_t *)check_context, strlen(check_context), key, sizeof key,
                                          0, file->key_check, sizeof file->key_check);
    return status == PLEACH_OK ? pleach_lthash_init_keyed(&file->sum, key) : status;
}

bool pleach__lthash_same_key(const pleach__lthash_file *a, const pleach__lthash_file *b)
{
    return a->keyed == b->keyed && memcmp(a->key_check, b->key_check, sizeof a->key_check) == 0;
}

pleach_status pleach__lthash_unlock(pleach__lthash_file *file, const char *key_file)
{
    uint8_t bytes[PLEACH_LTHASH_SIZE];
    pleach__lthash_file empty;
    pleach_status status = pleach__lthash_new(key_file, &empty);
    if (status != PLEACH_OK)
        return status;
    if (file->keyed && !empty.keyed)
        return pleach__fail(PLEACH_EKEY, "its items are hashed under a key: --key-file FILE is missing");
    if (!file->keyed && empty.keyed)
        return pleach__fail(PLEACH_EKEY, "its items are hashed without a key, and --key-file is given");
    if (!pleach__lthash_same_key(file, &empty))
        return pleach__fail(PLEACH_EKEY, "its items are hashed under another key than that of --key-file");
    status = pleach_lthash_serialise(&file->sum, bytes);
    if (status == PLEACH_OK)
        status = pleach_lthash_parse(&empty.sum, bytes, sizeof bytes);
    if (status == PLEACH_OK)
        *file = empty;
    return status;
}

pleach_status pleach__lthash_begin(pleach__replacement *replacement, const char *path)
{
    return pleach__replacement_begin(replacement, path, kind);
}

static pleach_status serialise(const void *content, pleach_write write, void *context)
{
    const pleach__lthash_file *file = content;
    uint8_t bytes[PLEACH__LTHASH_FILE_SIZE] = {0};
    memcpy(bytes, kind, KIND_SIZE);
    pleach__put32(bytes + VERSION_AT, VERSION);
    pleach__put32(bytes + KEYED_AT, file->keyed);
    memcpy(bytes + CHECK_AT, file->key_check, sizeof file->key_check);
    pleach_status status = pleach_lthash_serialise(&file->sum, bytes + STATE_AT);
    if (status == PLEACH_OK)
        status = digest_of(bytes, bytes + CHECKSUM_AT);
    return status == PLEACH_OK ? write(context, bytes, sizeof bytes) : status;
}

pleach_status pleach__lthash_commit(pleach__replacement *replacement, const pleach__lthash_file *file)
{
    return pleach__replacement_commit(replacement, serialise, file, PLEACH__LTHASH_FILE_SIZE);
}
