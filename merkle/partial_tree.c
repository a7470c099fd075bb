#include "merkle/bitcoin.h"

#include "config/error.h"
#include "config/little_endian.h"
#include "merkle/scheme.h"
#include "merkle/scheme_format.h"
#include "merkle/set.h"

#include <string.h>

enum {
    HEIGHT_MAX = 15,                                                /* of PLEACH_BITCOIN_TRANSACTIONS_MAX leaves */
    BITS_MAX = 2 * PLEACH_BITCOIN_TRANSACTIONS_MAX + 2 * HEIGHT_MAX /* nodes of a tree: one bit each at most */
};
_Static_assert(PLEACH_BITCOIN_TRANSACTIONS_MAX <= 1 << HEIGHT_MAX, "levels of the largest tree");

/* --- writing: nodes in depth-first order, down to those that no match is below of --- */

struct writer {
    const pleach_tree *tree;
    uint8_t flags[(BITS_MAX + 7) / 8];
    size_t bits, hashes;
    uint8_t *out; /* where hashes go, or NULL: they are only counted */
};

static void write_node(struct writer *writer, unsigned level, size_t index)
{
    if (writer->out)
        memcpy(writer->out + PLEACH_DIGEST_SIZE * writer->hashes, pleach_tree_nodes(writer->tree, level, index, NULL),
               PLEACH_DIGEST_SIZE);
    writer->hashes++;
}

/* `matches` are the n indices of the transactions below the node that are to be proved. */
static void write_subtree(struct writer *writer, unsigned level, size_t index, const uint64_t *matches, size_t n)
{
    writer->flags[writer->bits / 8] |= (uint8_t)((n > 0) << writer->bits % 8);
    writer->bits++;
    if (level == 0 || n == 0) {
        write_node(writer, level, index);
        return;
    }
    const uint64_t middle = (uint64_t)(2 * index + 1) << (level - 1); /* first leaf of the right half */
    size_t left = 0;
    while (left < n && matches[left] < middle)
        left++;
    write_subtree(writer, level - 1, 2 * index, matches, left);
    if (2 * index + 1 < pleach_tree_level_size(writer->tree, level - 1))
        write_subtree(writer, level - 1, 2 * index + 1, matches + left, n - left);
}

static bool has_rules_of(const pleach_scheme *scheme, const pleach_scheme *other)
{
    uint8_t rules[2][PLEACH__SCHEME_SIZE];
    pleach__scheme_encode(scheme, rules[0]);
    pleach__scheme_encode(other, rules[1]);
    return memcmp(rules[0], rules[1], sizeof rules[0]) == 0;
}

static pleach_status check_tree(const pleach_tree *tree)
{
    const pleach_scheme *scheme = pleach_tree_scheme(tree);
    if (!has_rules_of(scheme, PLEACH_SCHEME_BITCOIN))
        return pleach__fail(PLEACH_EINVAL, "tree: of scheme %s: partial trees are Bitcoin's",
                            pleach__scheme_name(scheme));
    if (pleach_tree_size(tree) == 0)
        return pleach__fail(PLEACH_EPROOFEMPTY, "the tree has no transactions");
    if (pleach_tree_size(tree) > PLEACH_BITCOIN_TRANSACTIONS_MAX)
        return pleach__fail(PLEACH_EPROOFLIMIT, "the tree has %zu transactions: a partial tree has at most %d",
                            pleach_tree_size(tree), PLEACH_BITCOIN_TRANSACTIONS_MAX);
    return PLEACH_OK;
}

static size_t compact_size_bytes(size_t value)
{
    return value < 0xfd ? 1 : 3;
}

static uint8_t *put_compact_size(uint8_t *out, size_t value)
{
    if (value < 0xfd) {
        *out = (uint8_t)value;
        return out + 1;
    }
    *out = 0xfd;
    pleach__put16(out + 1, (uint16_t)value);
    return out + 3;
}

pleach_status pleach_bitcoin_partial_tree_write(const pleach_tree *tree, const uint64_t *indices, size_t n,
                                                uint8_t *bytes, size_t capacity, size_t *size)
{
    if (!tree || !size || (!indices && n > 0))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", !tree ? "tree" : !size ? "size" : "indices");
    pleach_status status = check_tree(tree);
    if (status == PLEACH_OK && n > 0)
        status = pleach__set_check(indices, n, pleach_tree_size(tree));
    if (status != PLEACH_OK)
        return status;
    const unsigned top = pleach_tree_levels(tree) - 1;
    struct writer writer = {.tree = tree};
    write_subtree(&writer, top, 0, indices, n);
    const size_t flags = (writer.bits + 7) / 8;
    const size_t needed = sizeof(uint32_t) + compact_size_bytes(writer.hashes) + PLEACH_DIGEST_SIZE * writer.hashes +
                          compact_size_bytes(flags) + flags;
    if (bytes && capacity < needed)
        return pleach__fail(PLEACH_ERANGE, "capacity = %zu: the partial tree has %zu bytes", capacity, needed);
    if (bytes) {
        pleach__put32(bytes, (uint32_t)pleach_tree_size(tree));
        writer = (struct writer){.tree = tree, .out = put_compact_size(bytes + sizeof(uint32_t), writer.hashes)};
        write_subtree(&writer, top, 0, indices, n);
        memcpy(put_compact_size(writer.out + PLEACH_DIGEST_SIZE * writer.hashes, flags), writer.flags, flags);
    }
    *size = needed;
    return PLEACH_OK;
}

/* --- reading --- */

struct reader {
    const uint8_t *hash, *flags;
    size_t hashes, bits; /* there are */
    size_t hash_at, bit_at;
    uint32_t transactions;
    pleach__hashing hashing;
    const pleach__backend *backend;
    pleach_bitcoin_match *matches;
    size_t capacity, found;
};

static pleach_status read_leaf(struct reader *reader, size_t index, const uint8_t *txid)
{
    if (reader->found < reader->capacity) {
        reader->matches[reader->found].index = (uint32_t)index;
        memcpy(reader->matches[reader->found].txid, txid, PLEACH_DIGEST_SIZE);
    }
    reader->found++;
    return PLEACH_OK;
}

static pleach_status read_subtree(struct reader *reader, unsigned level, size_t index, uint8_t *node)
{
    if (reader->bit_at >= reader->bits)
        return pleach__fail(PLEACH_EPROOFBITS, "it has %zu flag bits: more are needed", reader->bits);
    const size_t bit = reader->bit_at++;
    const bool has_match = (reader->flags[bit / 8] >> bit % 8 & 1) != 0;
    if (level == 0 || !has_match) {
        if (reader->hash_at >= reader->hashes)
            return pleach__fail(PLEACH_EPROOFMISSING, "it has %zu hashes: more are needed", reader->hashes);
        memcpy(node, reader->hash + PLEACH_DIGEST_SIZE * reader->hash_at++, PLEACH_DIGEST_SIZE);
        return has_match ? read_leaf(reader, index, node) : PLEACH_OK;
    }
    uint8_t right[PLEACH_DIGEST_SIZE];
    pleach_status status = read_subtree(reader, level - 1, 2 * index, node);
    if (status != PLEACH_OK)
        return status;
    if (2 * index + 1 >= pleach__level_size(reader->transactions, level - 1)) {
        pleach__hash_lone(&reader->hashing, reader->backend, level - 1, node, node);
        return PLEACH_OK;
    }
    status = read_subtree(reader, level - 1, 2 * index + 1, right);
    if (status != PLEACH_OK)
        return status;
    if (memcmp(node, right, sizeof right) == 0)
        return pleach__fail(PLEACH_EPROOFMUTATED, "at level %u node %zu is its own sibling", level - 1, 2 * index);
    pleach__hash_pair(&reader->hashing, reader->backend, node, right, node);
    return PLEACH_OK;
}

/* Bytes that are left. */
struct input {
    const uint8_t *next;
    size_t left;
};

static pleach_status take(struct input *input, size_t size, const char *what, const uint8_t **bytes)
{
    if (input->left < size)
        return pleach__fail(PLEACH_ETRUNCATED, "it ends within %s", what);
    *bytes = input->next;
    input->next += size;
    input->left -= size;
    return PLEACH_OK;
}

static pleach_status take_compact_size(struct input *input, const char *what, uint64_t *value)
{
    const uint8_t *bytes = NULL, *first = NULL;
    pleach_status status = take(input, 1, what, &first);
    if (status != PLEACH_OK)
        return status;
    *value = *first;
    if (*first < 0xfd)
        return PLEACH_OK;
    status = take(input, (size_t)2 << (*first - 0xfd), what, &bytes);
    if (status != PLEACH_OK)
        return status;
    const uint64_t least = *first == 0xfd ? 0xfd : *first == 0xfe ? 1ull << 16 : 1ull << 32;
    *value = *first == 0xfd ? pleach__get16(bytes) : *first == 0xfe ? pleach__get32(bytes) : pleach__get64(bytes);
    return *value >= least ? PLEACH_OK : pleach__fail(PLEACH_EFORMAT, "%s: not the shortest compact size", what);
}

static pleach_status read_parts(struct input *input, struct reader *reader)
{
    const uint8_t *number = NULL;
    uint64_t hashes = 0, flags = 0;
    pleach_status status = take(input, sizeof(uint32_t), "the number of transactions", &number);
    if (status != PLEACH_OK)
        return status;
    reader->transactions = pleach__get32(number);
    if (reader->transactions == 0)
        return pleach__fail(PLEACH_EPROOFEMPTY, "it is of a block of no transactions");
    if (reader->transactions > PLEACH_BITCOIN_TRANSACTIONS_MAX)
        return pleach__fail(PLEACH_EPROOFLIMIT, "it is of %u transactions: at most %d", reader->transactions,
                            PLEACH_BITCOIN_TRANSACTIONS_MAX);
    status = take_compact_size(input, "the number of hashes", &hashes);
    if (status == PLEACH_OK && hashes > reader->transactions)
        status = pleach__fail(PLEACH_EPROOFLIMIT, "it has %llu hashes of %u transactions", (unsigned long long)hashes,
                              reader->transactions);
    if (status == PLEACH_OK)
        status = take(input, PLEACH_DIGEST_SIZE * (size_t)hashes, "the hashes", &reader->hash);
    if (status == PLEACH_OK)
        status = take_compact_size(input, "the number of flag bytes", &flags);
    if (status == PLEACH_OK && flags > (BITS_MAX + 7) / 8)
        status = pleach__fail(PLEACH_EPROOFBITS, "it has %llu flag bytes: at most %d are used",
                              (unsigned long long)flags, (BITS_MAX + 7) / 8);
    if (status == PLEACH_OK)
        status = take(input, (size_t)flags, "the flag bits", &reader->flags);
    if (status == PLEACH_OK && 8 * flags < hashes)
        status = pleach__fail(PLEACH_EPROOFBITS, "it has %llu flag bits of %llu hashes",
                              (unsigned long long)(8 * flags), (unsigned long long)hashes);
    if (status == PLEACH_OK && input->left > 0)
        status = pleach__fail(PLEACH_ETRAILING, "%zu bytes follow its end", input->left);
    reader->hashes = (size_t)hashes;
    reader->bits = 8 * (size_t)flags;
    return status;
}

static pleach_status check_all_used(const struct reader *reader)
{
    const size_t rest = reader->bits - reader->bit_at;
    if (rest >= 8 || (rest > 0 && reader->flags[reader->bits / 8 - 1] >> (8 - rest) != 0))
        return pleach__fail(PLEACH_EPROOFBITS, "of its %zu flag bits, %zu are used", reader->bits, reader->bit_at);
    if (reader->hash_at < reader->hashes)
        return pleach__fail(PLEACH_EPROOFUNUSED, "of its %zu hashes, %zu are used", reader->hashes, reader->hash_at);
    return PLEACH_OK;
}

/* Reads the tree once for its faults and the number of matches, then once more for these: nothing is written on error.
 */
static pleach_status read_tree(struct reader *reader, uint8_t *root)
{
    reader->hash_at = reader->bit_at = reader->found = 0;
    return read_subtree(reader, pleach__levels(reader->transactions) - 1, 0, root);
}

pleach_status pleach_bitcoin_partial_tree_read(const uint8_t *bytes, size_t size, pleach_bitcoin_partial_tree *partial,
                                               pleach_bitcoin_match *matches, size_t capacity)
{
    if (!partial || (!bytes && size > 0) || (!matches && capacity > 0))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", !partial ? "partial" : bytes ? "matches" : "bytes");
    struct input input = {bytes, size};
    struct reader reader = {.matches = NULL};
    uint8_t root[PLEACH_DIGEST_SIZE];
    pleach_status status = read_parts(&input, &reader);
    if (status == PLEACH_OK)
        status = pleach__scheme_nodes(PLEACH_SCHEME_BITCOIN, &reader.hashing);
    if (status == PLEACH_OK)
        status = pleach__backend_of(NULL, PLEACH_SHA256, &reader.backend);
    if (status == PLEACH_OK)
        status = read_tree(&reader, root);
    if (status == PLEACH_OK)
        status = check_all_used(&reader);
    if (status == PLEACH_OK && capacity > 0 && capacity < reader.found)
        status = pleach__fail(PLEACH_ERANGE, "capacity = %zu: it has %zu matches", capacity, reader.found);
    if (status != PLEACH_OK)
        return status;
    if (capacity > 0) {
        reader.matches = matches;
        reader.capacity = capacity;
        (void)read_tree(&reader, root);
    }
    memcpy(partial->root, root, sizeof root);
    partial->transactions = reader.transactions;
    partial->matches = reader.found;
    return PLEACH_OK;
}
