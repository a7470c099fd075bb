/* CometBFT's proof objects and their encoding, and its known answers. */
#define _GNU_SOURCE
#include "merkle_test.h"

#include "merkle/cometbft.h"

#include <stdlib.h>
#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, MOST = 70, LEAF = 11, ENCODED = PLEACH_COMETBFT_PROOF_SIZE_MAX };

static uint8_t data[MOST * LEAF];

/* A proof, and what it is checked against. */
struct claim {
    pleach_cometbft_proof proof;
    uint8_t root[D], leaf[LEAF + 1];
    size_t root_size, leaf_size;
};

static pleach_status verify(const void *context)
{
    const struct claim *claim = context;
    return pleach_cometbft_verify(&claim->proof, claim->root, claim->root_size, claim->leaf, claim->leaf_size);
}

static struct claim claim_of(const pleach_tree *tree, size_t index)
{
    struct claim claim = {.root_size = D, .leaf_size = LEAF};
    assert_int_equal(pleach_cometbft_prove(tree, index, &claim.proof), PLEACH_OK);
    assert_int_equal(pleach_tree_root(tree, claim.root), PLEACH_OK);
    memcpy(claim.leaf, data + LEAF * index, LEAF);
    return claim;
}

static void alter_bytes(const struct claim *good)
{
    struct claim bad = *good;
    for (size_t i = 0; i < D * good->proof.aunts; i++) {
        bad.proof.aunt[i / D][i % D] ^= (uint8_t)(1 << i % 8);
        assert_int_equal(verify(&bad), PLEACH_EPROOFROOT);
        bad.proof.aunt[i / D][i % D] = good->proof.aunt[i / D][i % D];
    }
    for (size_t i = 0; i < D; i++) {
        bad.proof.leaf_hash[i] ^= (uint8_t)(1 << i % 8);
        assert_int_equal(verify(&bad), PLEACH_EPROOFLEAF);
        bad.proof.leaf_hash[i] = good->proof.leaf_hash[i];
        bad.root[i] ^= (uint8_t)(1 << i % 8);
        assert_int_equal(verify(&bad), PLEACH_EPROOFROOT);
        bad.root[i] = good->root[i];
    }
    for (size_t i = 0; i < LEAF; i++) {
        bad.leaf[i] ^= (uint8_t)(1 << i % 8);
        assert_int_equal(verify(&bad), PLEACH_EPROOFLEAF);
        bad.leaf[i] = good->leaf[i];
    }
    for (bad.leaf_size = 0; bad.leaf_size <= LEAF + 1; bad.leaf_size++)
        assert_int_equal(verify(&bad), bad.leaf_size == LEAF ? PLEACH_OK : PLEACH_EPROOFLEAF);
}

/* No root but one of 32 bytes is led to; nil and empty ones never. */
static void alter_root_size(const struct claim *good)
{
    struct claim bad = *good;
    for (bad.root_size = 0; bad.root_size < D; bad.root_size++)
        assert_int_equal(verify(&bad), PLEACH_EPROOFROOT);
    assert_int_equal(pleach_cometbft_verify(&good->proof, NULL, 0, good->leaf, LEAF), PLEACH_EPROOFROOT);
    assert_int_equal(pleach_cometbft_verify(&good->proof, NULL, D, good->leaf, LEAF), PLEACH_EINVAL);
}

/* Other numbers of aunts; one dropped, doubled, or swapped with the next. */
static void alter_aunts(const struct claim *good)
{
    const size_t aunts = good->proof.aunts;
    struct claim bad = *good;
    for (bad.proof.aunts = 0; bad.proof.aunts <= PLEACH_COMETBFT_AUNTS_MAX; bad.proof.aunts++)
        assert_int_equal(verify(&bad), bad.proof.aunts == aunts ? PLEACH_OK : PLEACH_EPROOFLENGTH);
    assert_int_equal(verify(&bad), PLEACH_EPROOFLIMIT);
    bad.proof.aunts = SIZE_MAX;
    assert_int_equal(verify(&bad), PLEACH_EPROOFLIMIT);
    bad.proof.aunts = aunts;
    alter_nodes(&(struct altered){bad.proof.aunt[0], &bad.proof.aunts, verify, &bad});
}

static void alter_numbers(const struct claim *good)
{
    struct claim bad = *good;
    uint8_t sides[PLEACH_PATH_MAX], others[PLEACH_PATH_MAX];
    const size_t aunts = naive_sides((uint64_t)good->proof.total, (uint64_t)good->proof.index, sides);
    for (bad.proof.total = -2; bad.proof.total <= good->proof.total + 3; bad.proof.total++) {
        for (bad.proof.index = -2; bad.proof.index <= bad.proof.total + 2; bad.proof.index++) {
            const int64_t total = bad.proof.total, index = bad.proof.index;
            pleach_status expected = PLEACH_EPROOFROOT;
            if (total < 0 || index < 0)
                expected = PLEACH_EPROOFLIMIT;
            else if (total == 0)
                expected = PLEACH_EPROOFEMPTY;
            else if (index >= total)
                expected = PLEACH_EPROOFINDEX;
            else if (naive_sides((uint64_t)total, (uint64_t)index, others) != aunts)
                expected = PLEACH_EPROOFLENGTH;
            else if (memcmp(sides, others, aunts) == 0)
                expected = PLEACH_OK;
            assert_int_equal(verify(&bad), expected);
        }
    }
    bad = *good;
    bad.proof.total = INT64_MIN;
    assert_int_equal(verify(&bad), PLEACH_EPROOFLIMIT);
    bad.proof.total = INT64_MAX;
    assert_int_equal(verify(&bad), PLEACH_EPROOFLENGTH);
    bad.proof.index = INT64_MAX;
    assert_int_equal(verify(&bad), PLEACH_EPROOFINDEX);
}

/* The same object as the definition makes, leaf by leaf. */
static void every_proof(void **state)
{
    uint8_t hashes[MOST * D];
    (void)state;
    for (size_t i = 0; i < MOST; i++)
        naive_leaf(PLEACH_SCHEME_RFC6962, data + LEAF * i, LEAF, 0, hashes + D * i);
    for (size_t total = 1; total <= MOST; total += quick() ? 23 : 1) {
        pleach_tree *tree = plant_tree(PLEACH_SCHEME_RFC6962, data, LEAF, total);
        for (size_t index = 0; index < total; index++) {
            const struct claim good = claim_of(tree, index);
            pleach_cometbft_proof expected = {.total = (int64_t)total, .index = (int64_t)index};
            uint8_t sides[PLEACH_PATH_MAX];
            memcpy(expected.leaf_hash, hashes + D * index, D);
            expected.aunts = naive_path(PLEACH_SCHEME_RFC6962, hashes, total, index, expected.aunt[0], sides);
            assert_memory_equal(&good.proof, &expected, sizeof expected);
            assert_int_equal(verify(&good), PLEACH_OK);
            alter_bytes(&good);
            alter_aunts(&good);
            alter_root_size(&good);
            if (index % 7 == total % 7)
                alter_numbers(&good);
        }
        pleach_tree_destroy(tree);
    }
}

static void refused(void **state)
{
    pleach_cometbft_proof proof = {.total = 77};
    uint8_t root[D] = {0};
    (void)state;
    for (size_t s = 0; s < scheme_count(); s++) {
        pleach_tree *tree = plant_tree(every_scheme[s], data, leaf_size_of(every_scheme[s], LEAF), 8);
        const bool is_same = every_scheme[s] == PLEACH_SCHEME_RFC6962;
        assert_int_equal(pleach_cometbft_prove(tree, 8, &proof), is_same ? PLEACH_EPROOFINDEX : PLEACH_EINVAL);
        assert_int_equal(pleach_cometbft_prove(tree, UINT64_MAX, &proof), is_same ? PLEACH_EPROOFINDEX : PLEACH_EINVAL);
        assert_int_equal(pleach_cometbft_prove(tree, 0, NULL), PLEACH_EINVAL);
        pleach_tree_destroy(tree);
    }
    assert_int_equal(pleach_cometbft_prove(NULL, 0, &proof), PLEACH_EINVAL);
    assert_int_equal(proof.total, 77);
    assert_int_equal(pleach_cometbft_verify(NULL, root, D, data, 1), PLEACH_EINVAL);
    assert_int_equal(pleach_cometbft_verify(&proof, root, D, NULL, 1), PLEACH_EINVAL);
}

/* --- the encoding --- */

static uint8_t *put_hash(uint8_t *at, uint8_t field, const uint8_t *hash)
{
    *at++ = field;
    *at++ = 32;
    memcpy(at, hash, D);
    return at + D;
}

/* A message: bytes for the numbers as given, then the hashes. */
struct message {
    uint8_t bytes[ENCODED + 64];
    size_t size;
};

static struct message message_of(const char *numbers, const pleach_cometbft_proof *proof)
{
    struct message message;
    uint8_t *at = message.bytes + from_hex(numbers, message.bytes, 32);
    at = put_hash(at, 0x1a, proof->leaf_hash);
    for (size_t i = 0; i < proof->aunts; i++)
        at = put_hash(at, 0x22, proof->aunt[i]);
    message.size = (size_t)(at - message.bytes);
    return message;
}

static pleach_status decode(const struct message *message, size_t size, pleach_cometbft_proof *proof)
{
    uint8_t *bytes = guarded(size);
    memcpy(bytes, message->bytes, size);
    const pleach_status status = pleach_cometbft_proof_decode(bytes, size, proof);
    guarded_free(bytes, size);
    return status;
}

static void assert_refused(const struct message *message, size_t size, pleach_status expected)
{
    pleach_cometbft_proof proof, before;
    memset(&proof, 0xab, sizeof proof);
    memset(&before, 0xab, sizeof before);
    assert_int_equal(decode(message, size, &proof), expected);
    assert_memory_equal(&proof, &before, sizeof proof);
}

/* A random proof with `aunts` of them. */
static pleach_cometbft_proof some_proof(int64_t total, int64_t index, size_t aunts)
{
    pleach_cometbft_proof proof = {.total = total, .index = index, .aunts = aunts};
    uint8_t bytes[D * (PLEACH_COMETBFT_AUNTS_MAX + 1)];
    fill_stream(bytes, sizeof bytes);
    memcpy(proof.leaf_hash, bytes, D);
    memcpy(proof.aunt, bytes + D, D * aunts);
    return proof;
}

/* Numbers as protobuf has them, left out if 0. */
static void encodings(void **state)
{
    static const struct {
        int64_t total, index;
        const char *numbers;
        size_t aunts;
    } known[] = {
        {1, 0, "0801", 0},
        {0, 0, "-", 0},
        {0, 3, "1003", 2},
        {127, 126, "087f107e", 7},
        {128, 127, "088001107f", 7},
        {300, 128, "08ac02108001", 9},
        {INT64_MAX, INT64_MAX - 1, "08ffffffffffffffff7f10feffffffffffffff7f", 63},
        {5, 4, "08051004", PLEACH_COMETBFT_AUNTS_MAX},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const pleach_cometbft_proof proof = some_proof(known[i].total, known[i].index, known[i].aunts);
        const struct message message = message_of(known[i].numbers, &proof);
        pleach_cometbft_proof found;
        uint8_t bytes[ENCODED];
        size_t size = 77;
        memset(bytes, 0xab, sizeof bytes);
        assert_int_equal(pleach_cometbft_proof_encode(&proof, bytes, message.size - 1, &size), PLEACH_ERANGE);
        assert_int_equal(size, 77);
        assert_int_equal(bytes[0], 0xab);
        assert_int_equal(pleach_cometbft_proof_encode(&proof, bytes, message.size, &size), PLEACH_OK);
        assert_int_equal(size, message.size);
        assert_memory_equal(bytes, message.bytes, size);
        memset(&found, 0xab, sizeof found);
        assert_int_equal(decode(&message, size, &found), PLEACH_OK);
        assert_memory_equal(&found, &proof, sizeof proof);
        for (size_t cut = 0; cut < size; cut++) {
            /* between two aunts a shorter proof ends */
            const size_t hashes = size - (1 + proof.aunts) * (2 + D);
            const bool is_whole = cut >= hashes + 2 + D && (cut - hashes) % (2 + D) == 0;
            if (is_whole)
                assert_int_equal(decode(&message, cut, &found), PLEACH_OK);
            else
                assert_refused(&message, cut, PLEACH_ETRUNCATED);
        }
    }
}

static void malformed(void **state)
{
    static const struct {
        const char *numbers;
        pleach_status status;
    } faults[] = {
        {"0800", PLEACH_EFORMAT},                           /* a zero that is not left out */
        {"08051000", PLEACH_EFORMAT},                       /* the same */
        {"088500", PLEACH_EFORMAT},                         /* 5 in two bytes */
        {"08858080808080808000", PLEACH_EFORMAT},           /* 5 in nine bytes */
        {"0805108400", PLEACH_EFORMAT},                     /* 4 in two bytes */
        {"0885808080808080808002", PLEACH_EFORMAT},         /* 65 bits */
        {"08ffffffffffffffffff7f", PLEACH_EFORMAT},         /* 70 bits */
        {"08ffffffffffffffffffff01", PLEACH_EFORMAT},       /* eleven bytes */
        {"08ffffffffffffffffff01", PLEACH_EPROOFLIMIT},     /* -1 */
        {"080510feffffffffffffffff01", PLEACH_EPROOFLIMIT}, /* -2 */
        {"0880808080808080808001", PLEACH_EPROOFLIMIT},     /* the least there is */
        {"10040805", PLEACH_EFORMAT},                       /* fields in another order */
        {"08050805", PLEACH_EFORMAT},                       /* one twice */
        {"080510041004", PLEACH_EFORMAT},                   /* the same */
        {"0a0105", PLEACH_EFORMAT},                         /* another type of value */
        {"0905000000000000001004", PLEACH_EFORMAT},         /* the same */
        {"080510042801", PLEACH_EFORMAT},                   /* a field there is not */
        {"08051004228000", PLEACH_EFORMAT},                 /* an aunt before the leaf hash */
        {"0805100400", PLEACH_EFORMAT},                     /* no field */
        {"880005", PLEACH_EFORMAT},                         /* a field number in two bytes */
    };
    const pleach_cometbft_proof proof = some_proof(5, 4, 3);
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        const struct message message = message_of(faults[i].numbers, &proof);
        assert_refused(&message, message.size, faults[i].status);
    }
}

/* Hashes of another size, what may not follow, and too much. */
static void malformed_hashes(void **state)
{
    const pleach_cometbft_proof proof = some_proof(5, 4, 3);
    const struct message good = message_of("08051004", &proof);
    (void)state;
    for (size_t hash = 0; hash <= proof.aunts; hash++) {
        const size_t at = 4 + hash * (2 + D) + 1;
        for (unsigned size = 0; size < 128; size++) {
            struct message bad = good;
            bad.bytes[at] = (uint8_t)size;
            if (size != D)
                assert_refused(&bad, bad.size, PLEACH_EFORMAT);
        }
        struct message bad = good; /* 32 in two bytes */
        memmove(bad.bytes + at + 2, bad.bytes + at + 1, bad.size - at - 1);
        bad.bytes[at] = 0xa0;
        bad.bytes[at + 1] = 0;
        assert_refused(&bad, bad.size + 1, PLEACH_EFORMAT);
        bad.bytes[at + 1] = 0x80; /* a size of more than 64 bits */
        memset(bad.bytes + at, 0xff, 12);
        assert_refused(&bad, bad.size + 1, PLEACH_EFORMAT);
    }
    for (unsigned field = 0; field < 256; field++) {
        struct message bad = good;
        bad.bytes[bad.size] = (uint8_t)field;
        assert_refused(&bad, bad.size + 1, field == 0x22 ? PLEACH_ETRUNCATED : PLEACH_EFORMAT);
        bad.bytes[4] = (uint8_t)field; /* the leaf hash's */
        if (field != 0x1a)
            assert_refused(&bad, good.size, PLEACH_EFORMAT);
    }
    const pleach_cometbft_proof full = some_proof(5, 4, PLEACH_COMETBFT_AUNTS_MAX);
    struct message more = message_of("-", &full);
    (void)put_hash(more.bytes + more.size, 0x22, full.leaf_hash);
    assert_refused(&more, more.size + 1, PLEACH_EPROOFLIMIT);
    assert_int_equal(pleach_cometbft_proof_decode(more.bytes, ENCODED + 1, &(pleach_cometbft_proof){.total = 0}),
                     PLEACH_EPROOFLIMIT);
    assert_refused(&more, 0, PLEACH_ETRUNCATED);
}

/* Every bit of a proof's encoding changed: it cannot be read, or is not the same proof and does not hold. */
static void every_bit(void **state)
{
    pleach_tree *tree = plant_tree(PLEACH_SCHEME_RFC6962, data, LEAF, 11);
    const struct claim good = claim_of(tree, 9);
    struct message message = {.size = 0};
    (void)state;
    assert_int_equal(pleach_cometbft_proof_encode(&good.proof, message.bytes, ENCODED, &message.size), PLEACH_OK);
    for (size_t i = 0; i < 8 * message.size; i++) {
        struct message bad = message;
        struct claim claim = good;
        bad.bytes[i / 8] ^= (uint8_t)(1 << i % 8);
        const pleach_status status = decode(&bad, bad.size, &claim.proof);
        assert_true(status == PLEACH_OK || status == PLEACH_EFORMAT || status == PLEACH_ETRUNCATED);
        if (status != PLEACH_OK)
            continue;
        uint8_t again[ENCODED];
        size_t size = 0;
        assert_int_not_equal(memcmp(&claim.proof, &good.proof, sizeof good.proof), 0);
        assert_int_equal(pleach_cometbft_proof_encode(&claim.proof, again, sizeof again, &size), PLEACH_OK);
        assert_int_equal(size, bad.size);
        assert_memory_equal(again, bad.bytes, size);
        /* another total or index: of those with the same shape only the verifier's own numbers tell */
        if (claim.proof.total == good.proof.total && claim.proof.index == good.proof.index)
            assert_int_not_equal(verify(&claim), PLEACH_OK);
    }
    pleach_tree_destroy(tree);
}

static void refused_encodings(void **state)
{
    pleach_cometbft_proof proof = some_proof(-1, 0, 0);
    uint8_t bytes[ENCODED];
    size_t size = 77;
    (void)state;
    assert_int_equal(pleach_cometbft_proof_encode(&proof, bytes, sizeof bytes, &size), PLEACH_EPROOFLIMIT);
    proof = some_proof(1, -1, 0);
    assert_int_equal(pleach_cometbft_proof_encode(&proof, bytes, sizeof bytes, &size), PLEACH_EPROOFLIMIT);
    proof = some_proof(1, 0, 0);
    proof.aunts = PLEACH_COMETBFT_AUNTS_MAX + 1;
    assert_int_equal(pleach_cometbft_proof_encode(&proof, bytes, sizeof bytes, &size), PLEACH_EPROOFLIMIT);
    proof.aunts = 0;
    assert_int_equal(pleach_cometbft_proof_encode(NULL, bytes, sizeof bytes, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_cometbft_proof_encode(&proof, NULL, sizeof bytes, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_cometbft_proof_encode(&proof, bytes, sizeof bytes, NULL), PLEACH_EINVAL);
    assert_int_equal(size, 77);
    assert_int_equal(pleach_cometbft_proof_decode(NULL, 1, &proof), PLEACH_EINVAL);
    assert_int_equal(pleach_cometbft_proof_decode(bytes, 1, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_cometbft_proof_decode(NULL, 0, &proof), PLEACH_ETRUNCATED);
}

/* --- known answers --- */

static uint8_t header[14][128];
static pleach_input header_leaf[14];

static void check_root(char **token, size_t count)
{
    uint8_t bytes[64], root[D];
    pleach_input list[8];
    size_t size = 0;
    for (size_t i = 3; i < count; i++) {
        list[i - 3] = (pleach_input){bytes + size, from_hex(token[i], bytes + size, sizeof bytes - size)};
        size += list[i - 3].size;
    }
    assert_int_equal(strtoul(token[2] + 2, NULL, 10), count - 3);
    const pleach_leaves leaves = {.list = count > 3 ? list : NULL, .count = count - 3};
    assert_int_equal(pleach_merkle_root(NULL, PLEACH_SCHEME_RFC6962, &leaves, NULL, root), PLEACH_OK);
    assert_hex(root, token[1]);
}

/* The root of a tree of n leaves is over those of the first k and of the others. */
static void check_split(char **token, size_t count)
{
    uint8_t bytes[257];
    fill_stream(bytes, sizeof bytes);
    assert_int_equal(count, 12);
    for (size_t i = 2; i < count; i++) {
        const size_t n = strtoul(token[i], NULL, 10), k = strtoul(strchr(token[i], '=') + 1, NULL, 10);
        const pleach_leaves all = {bytes, 1, 1, n, 0, NULL}, left = {bytes, 1, 1, k, 0, NULL},
                            right = {bytes + k, 1, 1, n - k, 0, NULL};
        uint8_t root[D], pair[2 * D];
        assert_int_equal(pleach_merkle_root(NULL, PLEACH_SCHEME_RFC6962, &all, NULL, root), PLEACH_OK);
        assert_int_equal(pleach_merkle_root(NULL, PLEACH_SCHEME_RFC6962, &left, NULL, pair), PLEACH_OK);
        assert_int_equal(pleach_merkle_root(NULL, PLEACH_SCHEME_RFC6962, &right, NULL, pair + D), PLEACH_OK);
        naive_node(PLEACH_SCHEME_RFC6962, pair, pair + D, pair);
        assert_memory_equal(root, pair, D);
    }
}

static void check_map(char **token, size_t count)
{
    pleach_cometbft_entry entries[8];
    uint8_t root[D];
    for (size_t i = 2; i < count; i++) {
        const char *equals = strchr(token[i], '=');
        assert_true(equals && i < 10);
        entries[count - 1 - i] = (pleach_cometbft_entry){{(const uint8_t *)token[i], (size_t)(equals - token[i])},
                                                         {(const uint8_t *)equals + 1, strlen(equals + 1)}};
    }
    assert_int_equal(pleach_cometbft_map_root(NULL, entries, count - 2, root), PLEACH_OK);
    assert_hex(root, token[1]);
}

static void take_header(char **token, size_t count)
{
    const size_t index = strtoul(token[1], NULL, 10);
    assert_true(count == 3 && index < 14);
    header_leaf[index] = (pleach_input){header[index], from_hex(token[2], header[index], sizeof header[index])};
}

/* The root of a block's header, and proofs of each of its fields. */
static void check_header(char **token, size_t count)
{
    uint8_t root[D];
    pleach_tree *tree = NULL;
    assert_int_equal(count, 2);
    assert_int_equal(pleach_tree_create(&tree, NULL, PLEACH_SCHEME_RFC6962), PLEACH_OK);
    assert_int_equal(pleach_tree_build(tree, &(pleach_leaves){.list = header_leaf, .count = 14}, NULL), PLEACH_OK);
    assert_int_equal(pleach_tree_root(tree, root), PLEACH_OK);
    assert_hex(root, token[1]);
    for (uint64_t i = 0; i < 14; i++) {
        pleach_cometbft_proof proof;
        assert_int_equal(pleach_cometbft_prove(tree, i, &proof), PLEACH_OK);
        assert_int_equal(pleach_cometbft_verify(&proof, root, D, header_leaf[i].bytes, header_leaf[i].size), PLEACH_OK);
        assert_int_equal(pleach_cometbft_verify(&proof, root, D, header_leaf[i].bytes, header_leaf[i].size - 1),
                         PLEACH_EPROOFLEAF);
    }
    pleach_tree_destroy(tree);
}

/* The leaf hash is right, and the root of nothing is no bytes: a verifier that compares those takes it for proved. */
static void check_attack(char **token, size_t count)
{
    pleach_cometbft_proof proof = {.total = 0};
    uint8_t key[1], value[1], leaf[64], hash[D], nothing[D];
    size_t size = 0;
    assert_true(count == 9 && strncmp(token[3], "leafhash=", 9) == 0 && strcmp(token[8], "expect=FAIL") == 0);
    assert_int_equal(from_hex(token[1] + 4, key, 1), 1);
    assert_int_equal(from_hex(token[2] + 6, value, 1), 1);
    assert_int_equal(from_hex(token[3] + 9, proof.leaf_hash, D), D);
    assert_int_equal(
        pleach_cometbft_entry_leaf(&(pleach_cometbft_entry){{key, 1}, {value, 1}}, leaf, sizeof leaf, &size),
        PLEACH_OK);
    assert_int_equal(pleach_merkle_leaf(PLEACH_SCHEME_RFC6962, leaf, size, 0, hash), PLEACH_OK);
    assert_memory_equal(hash, proof.leaf_hash, D);
    naive_root(PLEACH_SCHEME_RFC6962, NULL, 0, nothing);
    assert_int_equal(pleach_cometbft_verify(&proof, NULL, 0, leaf, size), PLEACH_EPROOFEMPTY);
    assert_int_equal(pleach_cometbft_verify(&proof, leaf, 0, leaf, size), PLEACH_EPROOFEMPTY);
    assert_int_equal(pleach_cometbft_verify(&proof, nothing, D, leaf, size), PLEACH_EPROOFEMPTY);
    assert_int_equal(pleach_cometbft_verify(&proof, hash, D, leaf, size), PLEACH_EPROOFEMPTY);
    proof.total = 1; /* a good proof, but of a root that is nil */
    assert_int_equal(pleach_cometbft_verify(&proof, hash, D, leaf, size), PLEACH_OK);
    assert_int_equal(pleach_cometbft_verify(&proof, NULL, 0, leaf, size), PLEACH_EPROOFROOT);
}

static void known_answers(void **state)
{
    static const struct line_kind kinds[] = {
        {"tm.root", check_root, 5},          {"tm.split", check_split, 1},
        {"tm.kvmap", check_map, 4},          {"tm.header.leaf", take_header, 14},
        {"tm.header.root", check_header, 1}, {"tm.attack.emptyroot", check_attack, 1},
    };
    (void)state;
    check_lines("sha256-merkle.txt", kinds, sizeof kinds / sizeof kinds[0]);
}

static int fill_data(void **state)
{
    (void)state;
    fill_stream(data, sizeof data);
    return 0;
}

int test_cometbft(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_proof),       cmocka_unit_test(refused),
                                       cmocka_unit_test(encodings),         cmocka_unit_test(malformed),
                                       cmocka_unit_test(malformed_hashes),  cmocka_unit_test(every_bit),
                                       cmocka_unit_test(refused_encodings), cmocka_unit_test(known_answers)};
    return cmocka_run_group_tests_name("cometbft", tests, fill_data, NULL);
}
