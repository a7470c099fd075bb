/*
 * Keys in files, and what they used.
 *
 * The file of what was used has two pages of 4096 bytes. Each holds a record and zeros; the record of sequence n is in
 * page n mod 2. Numbers are little-endian.
 *
 *   8   "PLEACHXS"
 *   8   version: 1
 *   8   sequence
 *   8   inode of the file
 *   32  public key
 *   64  what was used, as in a key in bytes
 *   32  BLAKE2s digest of all that comes before
 *
 * A record is on the disk before anything is signed for its epoch. Both records have to be whole, of this key and this
 * file, and of sequences that follow each other. So no damage passes for an older record: whether a page that is not
 * whole was being written or was altered later cannot be told, and only the operator knows what was signed.
 */
#define _GNU_SOURCE /* flock(), fdatasync() */
#include "xmss/key_object.h"

#include "config/error.h"
#include "config/little_endian.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    MAGIC = 8,
    VERSION_AT = MAGIC,
    SEQUENCE_AT = VERSION_AT + 8,
    INODE_AT = SEQUENCE_AT + 8,
    PUBLIC_AT = INODE_AT + 8,
    USED_AT = PUBLIC_AT + PLEACH_XMSS_PUBLIC_KEY_SIZE,
    CHECKSUM_AT = USED_AT + PLEACH__XMSS_USED_SIZE,
    RECORD = CHECKSUM_AT + PLEACH_DIGEST_SIZE,
    VERSION = 1,
    MODE = 0600,
};

static const uint8_t magic[MAGIC] = {'P', 'L', 'E', 'A', 'C', 'H', 'X', 'S'};
static const char state_suffix[] = ".state", new_suffix[] = ".pleach-new";

static pleach_status failed(const char *path)
{
    return pleach__fail(PLEACH_EIO, "%s: %s", path, strerror(errno));
}

static char *with_suffix(const char *path, const char *suffix)
{
    const size_t size = strlen(path) + strlen(suffix) + 1;
    char *name = malloc(size);
    if (name)
        (void)snprintf(name, size, "%s%s", path, suffix);
    else
        (void)pleach__fail(PLEACH_ENOMEM, "no memory for a name of %zu bytes", size);
    return name;
}

/* On the disk. What failed is not tried again: the system may have dropped what it could not write. */
static int sync_data(int file)
{
#ifdef __APPLE__
    return fcntl(file, F_FULLFSYNC);
#else
    return fdatasync(file);
#endif
}

static pleach_status write_all(int file, const uint8_t *bytes, size_t size, off_t at, const char *path)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = pwrite(file, bytes + done, size - done, at + (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return failed(path);
        done += (size_t)n;
    }
    return sync_data(file) == 0 ? PLEACH_OK : failed(path);
}

/* A name is on the disk when its directory is. */
static pleach_status sync_directory(const char *path)
{
    char copy[PATH_MAX];
    (void)snprintf(copy, sizeof copy, "%s", path);
    const int directory = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool synced = directory >= 0 && (fsync(directory) == 0 || errno == EINVAL);
    const pleach_status status = synced ? PLEACH_OK : failed(path);
    if (directory >= 0)
        (void)close(directory);
    return status;
}

/* --- Records --- */

typedef struct record {
    uint64_t sequence, inode;
    pleach__xmss_used used;
} record;

static void put_record(const record *r, const pleach_xmss_key *key, uint8_t page[PAGE])
{
    memset(page, 0, PAGE);
    memcpy(page, magic, sizeof magic);
    pleach__put64(page + VERSION_AT, VERSION);
    pleach__put64(page + SEQUENCE_AT, r->sequence);
    pleach__put64(page + INODE_AT, r->inode);
    memcpy(page + PUBLIC_AT, key->public_key, sizeof key->public_key);
    pleach__xmss_used_put(&r->used, page + USED_AT);
    pleach__xmss_checksum(page, CHECKSUM_AT, page + CHECKSUM_AT);
}

/* False unless the page holds a record of that key, and nothing else. */
static bool get_record(record *r, const pleach_xmss_key *key, const uint8_t page[PAGE])
{
    uint8_t again[PAGE];
    r->sequence = pleach__get64(page + SEQUENCE_AT);
    r->inode = pleach__get64(page + INODE_AT);
    if (!pleach__xmss_used_get(&r->used, page + USED_AT, key->first, key->last))
        return false;
    put_record(r, key, again);
    return memcmp(page, again, PAGE) == 0;
}

static pleach_status inode_of(int file, const char *path, uint64_t *inode)
{
    struct stat status;
    if (fstat(file, &status) != 0)
        return failed(path);
    if (!S_ISREG(status.st_mode))
        return pleach__fail(PLEACH_EIO, "%s: not a regular file", path);
    *inode = status.st_ino;
    return PLEACH_OK;
}

pleach_status pleach__xmss_state_record(pleach_xmss_key *key, const pleach__xmss_used *used)
{
    static const char path[] = "what the key used";
    uint8_t page[PAGE];
    record r = {.sequence = key->sequence + 1, .used = *used};
    pleach_status status = inode_of(key->file, path, &r.inode);
    if (status != PLEACH_OK)
        return status;
    put_record(&r, key, page);
    status = write_all(key->file, page, sizeof page, (off_t)(r.sequence % 2 * PAGE), path);
    if (status == PLEACH_OK)
        key->sequence = r.sequence;
    return status;
}

/* Two records that say the same, after those that were there. */
static pleach_status write_anew(int file, const char *path, const pleach_xmss_key *key, const pleach__xmss_used *used,
                                uint64_t sequence)
{
    uint8_t pages[2 * PAGE];
    record r = {.sequence = sequence + sequence % 2, .used = *used};
    pleach_status status = inode_of(file, path, &r.inode);
    if (status != PLEACH_OK)
        return status;
    put_record(&r, key, pages);
    r.sequence++;
    put_record(&r, key, pages + PAGE);
    if (ftruncate(file, sizeof pages) != 0)
        return failed(path);
    return write_all(file, pages, sizeof pages, 0, path);
}

/* --- Opening --- */

static pleach_status read_all(int file, const char *path, uint8_t *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = pread(file, bytes + done, size - done, (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return failed(path);
        if (n == 0)
            return pleach__fail(PLEACH_ETRUNCATED, "%s: it became shorter while it was read", path);
        done += (size_t)n;
    }
    return PLEACH_OK;
}

static pleach_status read_key(pleach_pool *pool, int file, const char *path, pleach_xmss_key **key)
{
    enum { MOST = 1 << 24 };
    struct stat its;
    if (fstat(file, &its) != 0)
        return failed(path);
    if (!S_ISREG(its.st_mode) || its.st_size > MOST)
        return pleach__fail(PLEACH_EFORMAT, "%s: this is no key of XMSS", path);
    const size_t size = (size_t)its.st_size;
    uint8_t *bytes = malloc(size + 1);
    if (!bytes)
        return pleach__fail(PLEACH_ENOMEM, "%s: no memory for %zu bytes", path, size);
    pleach_status status = read_all(file, path, bytes, size);
    if (status == PLEACH_OK) {
        status = pleach__xmss_key_get(pool, bytes, size, PLEACH__XMSS_USED_IN_FILE, key);
        if (status != PLEACH_OK)
            status = pleach__fail(status, "%s: %s", path, pleach_last_error());
    }
    pleach__xmss_wipe(bytes, size);
    free(bytes);
    return status;
}

static pleach_status open_key(pleach_pool *pool, const char *path, pleach_xmss_key **key)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return failed(path);
    const pleach_status status = read_key(pool, file, path, key);
    (void)close(file);
    return status;
}

/* Opens and locks what a key used. */
static pleach_status open_state(const char *path, int flags, int *file)
{
    struct stat opened, named;
    *file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, MODE);
    if (*file < 0)
        return errno == ENOENT ? pleach__fail(PLEACH_EXMSSSTATE, "%s: it is missing", path) : failed(path);
    if (flock(*file, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? pleach__fail(PLEACH_EBUSY, "%s: somebody signs with this key", path)
                                    : failed(path);
    if (fstat(*file, &opened) != 0 || lstat(path, &named) != 0)
        return failed(path);
    if (opened.st_ino != named.st_ino || opened.st_dev != named.st_dev)
        return pleach__fail(PLEACH_EBUSY, "%s: it was replaced just now", path);
    return PLEACH_OK;
}

static pleach_status check_records(const record r[2], const char *path, uint64_t inode)
{
    if (r[0].sequence % 2 != 0 || (r[1].sequence != r[0].sequence + 1 && r[0].sequence != r[1].sequence + 1))
        return pleach__fail(PLEACH_EXMSSSTATE, "%s: its records do not follow each other", path);
    if (r[0].inode != inode || r[1].inode != inode)
        return pleach__fail(PLEACH_EXMSSSTATE, "%s: it is a copy", path);
    return PLEACH_OK;
}

static pleach_status read_state(int file, const char *path, pleach_xmss_key *key)
{
    struct stat its;
    uint64_t inode;
    uint8_t pages[2][PAGE];
    record r[2];
    pleach_status status = inode_of(file, path, &inode);
    if (status != PLEACH_OK)
        return status;
    if (fstat(file, &its) != 0 || its.st_size != sizeof pages ||
        read_all(file, path, pages[0], sizeof pages) != PLEACH_OK)
        return pleach__fail(PLEACH_EXMSSSTATE, "%s: it is damaged: it should have %zu bytes", path, sizeof pages);
    for (int i = 0; i < 2; i++)
        if (!get_record(&r[i], key, pages[i]))
            return pleach__fail(PLEACH_EXMSSSTATE, "%s: record %d is damaged or of another key", path, i);
    status = check_records(r, path, inode);
    if (status != PLEACH_OK)
        return status;
    const record *newest = &r[r[1].sequence > r[0].sequence];
    key->used = newest->used;
    key->sequence = newest->sequence;
    return PLEACH_OK;
}

pleach_status pleach_xmss_key_open(pleach_pool *pool, const char *path, pleach_xmss_key **key)
{
    if (!path || !key)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", path ? "key" : "path");
    pleach_xmss_key *opened = NULL;
    char *state = with_suffix(path, state_suffix);
    pleach_status status = state ? open_key(pool, path, &opened) : PLEACH_ENOMEM;
    if (status == PLEACH_OK)
        status = open_state(state, 0, &opened->file);
    if (status == PLEACH_OK)
        status = read_state(opened->file, state, opened);
    if (status == PLEACH_OK)
        *key = opened;
    else
        pleach_xmss_key_destroy(opened);
    free(state);
    return status;
}

/* --- Saving --- */

/* A file that was not there before. */
static pleach_status create(const char *path, int *file)
{
    *file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, MODE);
    return *file >= 0 ? PLEACH_OK : failed(path);
}

static pleach_status save_state(const char *path, const pleach_xmss_key *key)
{
    int file;
    pleach_status status = create(path, &file);
    if (status != PLEACH_OK)
        return status;
    status = write_anew(file, path, key, &key->used, 0);
    (void)close(file);
    return status;
}

static pleach_status write_key(const char *path, const pleach_xmss_key *key)
{
    const size_t size = pleach_xmss_key_size(key);
    uint8_t *bytes = malloc(size);
    int file = -1;
    pleach_status status = bytes ? PLEACH_OK : pleach__fail(PLEACH_ENOMEM, "no memory for %zu bytes", size);
    (void)unlink(path); /* what a killed process left */
    if (status == PLEACH_OK)
        status = create(path, &file);
    if (status == PLEACH_OK) {
        pleach__xmss_key_put(key, PLEACH__XMSS_USED_IN_FILE, bytes);
        status = write_all(file, bytes, size, 0, path);
    }
    if (file >= 0)
        (void)close(file);
    if (bytes)
        pleach__xmss_wipe(bytes, size);
    free(bytes);
    return status;
}

/* Under its own name when it is whole. A link does not replace what has that name. */
static pleach_status save_key(const char *path, const pleach_xmss_key *key)
{
    char *temporary = with_suffix(path, new_suffix);
    if (!temporary)
        return PLEACH_ENOMEM;
    pleach_status status = write_key(temporary, key);
    if (status == PLEACH_OK && link(temporary, path) != 0)
        status = failed(path);
    (void)unlink(temporary);
    free(temporary);
    return status == PLEACH_OK ? sync_directory(path) : status;
}

static pleach_status save(pleach_xmss_key *key, const char *path, const char *state)
{
    if (key->closed || key->file >= 0)
        return pleach__fail(PLEACH_EINVAL, "key: it is in a file");
    if (access(path, F_OK) == 0)
        return pleach__fail(PLEACH_EIO, "%s: %s", path, strerror(EEXIST));
    pleach_status status = save_state(state, key);
    if (status == PLEACH_OK)
        status = sync_directory(state);
    if (status == PLEACH_OK) {
        status = save_key(path, key);
        key->closed = status == PLEACH_OK || access(path, F_OK) == 0;
    }
    return status;
}

pleach_status pleach_xmss_key_save(pleach_xmss_key *key, const char *path)
{
    if (!key || !path)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", key ? "path" : "key");
    pleach_status status = pleach__xmss_key_owned(key);
    if (status != PLEACH_OK)
        return status;
    char *state = with_suffix(path, state_suffix);
    if (!state)
        return PLEACH_ENOMEM;
    (void)pthread_mutex_lock(&key->lock);
    status = save(key, path, state);
    (void)pthread_mutex_unlock(&key->lock);
    free(state);
    return status;
}

/* --- Adopting --- */

/* What records say that are whole, and of this key: their last sequence, and what they used if it is more. */
static void hear(int file, const pleach_xmss_key *key, pleach__xmss_used *used, uint64_t *sequence)
{
    uint8_t page[PAGE];
    for (int i = 0; i < 2; i++) {
        record r;
        if (pread(file, page, sizeof page, (off_t)i * PAGE) != PAGE || !get_record(&r, key, page))
            continue;
        if (r.sequence >= *sequence)
            *sequence = r.sequence + 1;
        if (r.used.next > used->next)
            *used = (pleach__xmss_used){.next = r.used.next};
    }
}

static pleach_status adopt(const pleach_xmss_key *key, const char *state, uint64_t next)
{
    pleach__xmss_used used = {.next = next};
    uint64_t sequence = 0;
    int file = -1;
    if (next < key->first || next > (uint64_t)key->last + 1)
        return pleach__fail(PLEACH_EXMSSEPOCH, "next = %llu: %lu to %llu", (unsigned long long)next,
                            (unsigned long)key->first, (unsigned long long)key->last + 1);
    pleach_status status = open_state(state, O_CREAT, &file);
    if (status == PLEACH_OK) {
        hear(file, key, &used, &sequence);
        status = write_anew(file, state, key, &used, sequence);
    }
    if (file >= 0)
        (void)close(file);
    return status == PLEACH_OK ? sync_directory(state) : status;
}

pleach_status pleach_xmss_key_adopt(const char *path, uint64_t next)
{
    if (!path)
        return pleach__fail(PLEACH_EINVAL, "path = NULL");
    pleach_xmss_key *key = NULL;
    char *state = with_suffix(path, state_suffix);
    pleach_status status = state ? open_key(NULL, path, &key) : PLEACH_ENOMEM;
    if (status == PLEACH_OK)
        status = adopt(key, state, next);
    pleach_xmss_key_destroy(key);
    free(state);
    return status;
}
