/* Consistency proofs: between any two sizes of every small tree, and all that is wrong with altered ones; and how both
   kinds of proof are written as bytes. */
#include "merkle_test.h"

#include <stdlib.h>
#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, MOST = 70, LEAF = 7, ROOM = D * (PLEACH_CONSISTENCY_MAX + 1) };

static uint8_t data[MOST * D];

struct proof {
    const pleach_scheme *scheme;
    uint64_t older, newer;
    uint8_t older_root[D], newer_root[D], path[ROOM];
    size_t nodes;
};

static pleach_status verify(const void *context)
{
    const struct proof *proof = context;
    return pleach_merkle_verify_consistency(proof->scheme, proof->older, proof->newer, proof->path, proof->nodes,
                                            proof->older_root, proof->newer_root);
}

/* --- the definition, RFC 9162 section 2.1.4.1 --- */

static uint64_t split(uint64_t n)
{
    uint64_t k = 1;
    while (k < n - k)
        k *= 2;
    return k;
}

static size_t naive_subproof(const pleach_scheme *scheme, const uint8_t *hashes, size_t m, size_t n, bool complete,
                             uint8_t *path)
{
    if (m == n) {
        if (!complete)
            naive_root(scheme, hashes, n, path);
        return !complete;
    }
    const size_t k = (size_t)split(n);
    size_t nodes;
    if (m <= k) {
        nodes = naive_subproof(scheme, hashes, m, k, complete, path);
        naive_root(scheme, hashes + D * k, n - k, path + D * nodes);
    } else {
        nodes = naive_subproof(scheme, hashes + D * k, m - k, n - k, false, path);
        naive_root(scheme, hashes, k, path + D * nodes);
    }
    return nodes + 1;
}

/* --- what is wrong with altered ones --- */

static void alter_byte(struct proof *bad, uint8_t *byte, uint8_t bits)
{
    *byte ^= bits;
    assert_int_equal(verify(bad), PLEACH_EPROOFROOT);
    *byte ^= bits;
}

static void alter_bytes(const struct proof *good)
{
    struct proof bad = *good;
    for (size_t i = 0; i < D * good->nodes; i++)
        alter_byte(&bad, &bad.path[i], (uint8_t)(1 << i % 8));
    for (size_t i = 0; i < D; i++) {
        alter_byte(&bad, &bad.older_root[i], (uint8_t)(1 << i % 8));
        alter_byte(&bad, &bad.newer_root[i], (uint8_t)(1 << i % 8));
    }
    assert_int_equal(verify(&bad), PLEACH_OK);
}

/* What a proof is made of, as a text of its steps: '+' a left sibling, of both trees; '-' a right one, of the newer
   tree; 's' the subtree it begins with, if the proof gives it. */
static size_t naive_steps(uint64_t m, uint64_t n, bool complete, char *steps)
{
    if (m == n) {
        if (!complete)
            steps[0] = 's';
        return !complete;
    }
    const uint64_t k = split(n);
    const size_t length = m <= k ? naive_steps(m, k, complete, steps) : naive_steps(m - k, n - k, false, steps);
    steps[length] = m <= k ? '-' : '+';
    return length + 1;
}

/* Other numbers of leaves: refused unless they have the very same steps. */
static void alter_counts(const struct proof *good)
{
    char steps[PLEACH_CONSISTENCY_MAX], others[PLEACH_CONSISTENCY_MAX];
    const size_t length = naive_steps(good->older, good->newer, true, steps);
    struct proof bad = *good;
    for (bad.newer = good->newer > 3 ? good->newer - 3 : 0; bad.newer <= good->newer + 3; bad.newer++) {
        for (bad.older = 0; bad.older <= bad.newer + 2; bad.older++) {
            pleach_status expected = PLEACH_EPROOFROOT;
            if (bad.older == 0)
                expected = PLEACH_EPROOFEMPTY;
            else if (bad.older > bad.newer)
                expected = PLEACH_EPROOFORDER;
            else if (naive_steps(bad.older, bad.newer, true, others) != length)
                expected = PLEACH_EPROOFLENGTH;
            else if (memcmp(steps, others, length) == 0)
                expected = PLEACH_OK;
            assert_int_equal(verify(&bad), expected);
        }
    }
    bad.older = UINT64_MAX;
    assert_int_equal(verify(&bad), PLEACH_EPROOFORDER);
}

static void check_proof(const pleach_tree *tree, const uint8_t *hashes, size_t older)
{
    struct proof good = {.scheme = pleach_tree_scheme(tree), .older = older, .newer = pleach_tree_size(tree)};
    uint8_t path[ROOM];
    const size_t nodes = naive_subproof(good.scheme, hashes, older, pleach_tree_size(tree), true, path);
    size_t length = 99;
    assert_int_equal(pleach_merkle_consistency_length(good.scheme, older, good.newer, &length), PLEACH_OK);
    assert_int_equal(length, nodes);
    memset(good.path, 0xab, sizeof good.path);
    assert_int_equal(pleach_tree_prove_consistency(tree, older, good.path, nodes, &good.nodes), PLEACH_OK);
    assert_int_equal(good.nodes, nodes);
    assert_memory_equal(good.path, path, D * nodes);
    assert_int_equal(good.path[D * nodes], 0xab);
    naive_root(good.scheme, hashes, older, good.older_root);
    naive_root(good.scheme, hashes, pleach_tree_size(tree), good.newer_root);
    assert_int_equal(verify(&good), PLEACH_OK);
    if (pleach_scheme_find(good.scheme->name) || good.newer <= 20) /* others differ in what is hashed alone */
        alter_bytes(&good);
    alter_nodes(&(struct altered){good.path, &good.nodes, verify, &good});
    if (older % 5 == good.newer % 5)
        alter_counts(&good);
}

static pleach_tree *plant(const pleach_scheme *scheme, size_t count, uint8_t *hashes)
{
    const size_t size = leaf_size_of(scheme, LEAF);
    pleach_tree *tree = plant_tree(scheme, data, size, count);
    for (size_t i = 0; i < count; i++)
        naive_leaf(scheme, data + size * i, size, 0, hashes + D * i);
    return tree;
}

static void every_proof(void **state)
{
    size_t schemes = 0;
    (void)state;
    for (size_t s = 0; s < scheme_count(); s++) {
        if (every_scheme[s]->lone != PLEACH_LONE_PROMOTED)
            continue;
        schemes++;
        for (size_t newer = 1; newer <= MOST; newer += quick() ? 15 : 1) {
            uint8_t hashes[MOST * D];
            pleach_tree *tree = plant(every_scheme[s], newer, hashes);
            for (size_t older = 1; older <= newer; older++)
                check_proof(tree, hashes, older);
            pleach_tree_destroy(tree);
        }
    }
    assert_int_equal(schemes, quick() ? 3 : 5);
}

/* Lengths by the steps, also where counts have all 64 bits. */
static void lengths(void **state)
{
    uint64_t seed = 3;
    size_t most = 0;
    (void)state;
    for (int trial = 0; trial < 20000; trial++) {
        char steps[PLEACH_CONSISTENCY_MAX];
        uint64_t newer = (random_below(&seed, UINT64_MAX) >> random_below(&seed, 64)) + 1;
        if (trial < 64)
            newer = (uint64_t)1 << trial;
        else if (trial < 128)
            newer = UINT64_MAX >> (trial - 64);
        const uint64_t older = trial % 3 == 0 ? newer - newer / 3 : 1 + random_below(&seed, newer);
        size_t nodes = 0;
        assert_int_equal(pleach_merkle_consistency_length(PLEACH_SCHEME_BLAKE3, older, newer, &nodes), PLEACH_OK);
        assert_int_equal(nodes, naive_steps(older, newer, true, steps));
        most = nodes > most ? nodes : most;
    }
    size_t nodes = 0;
    assert_int_equal(pleach_merkle_consistency_length(PLEACH_SCHEME_RFC6962, UINT64_MAX - 2, UINT64_MAX, &nodes),
                     PLEACH_OK);
    assert_true(most <= PLEACH_CONSISTENCY_MAX && nodes <= PLEACH_CONSISTENCY_MAX);
    assert_int_equal(
        pleach_merkle_consistency_length(PLEACH_SCHEME_RFC6962, ((uint64_t)1 << 63) - 1, UINT64_MAX, &nodes),
        PLEACH_OK);
    assert_int_equal(nodes, PLEACH_CONSISTENCY_MAX);
}

static void refused(void **state)
{
    uint8_t hashes[MOST * D], path[ROOM], before[ROOM];
    pleach_tree *tree = plant(PLEACH_SCHEME_RFC6962, 7, hashes);
    size_t nodes = 77;
    (void)state;
    memset(path, 0xab, sizeof path);
    memset(before, 0xab, sizeof before);
    assert_int_equal(pleach_tree_prove_consistency(tree, 0, path, 9, &nodes), PLEACH_EPROOFEMPTY);
    assert_int_equal(pleach_tree_prove_consistency(tree, 8, path, 9, &nodes), PLEACH_EPROOFORDER);
    assert_int_equal(pleach_tree_prove_consistency(tree, 3, path, 3, &nodes), PLEACH_ERANGE);
    assert_non_null(strstr(pleach_last_error(), "4 nodes"));
    assert_int_equal(pleach_tree_prove_consistency(NULL, 3, path, 9, &nodes), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_prove_consistency(tree, 3, NULL, 9, &nodes), PLEACH_EINVAL);
    assert_int_equal(pleach_tree_prove_consistency(tree, 3, path, 9, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_consistency_length(PLEACH_SCHEME_RFC6962, 3, 7, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_consistency_length(NULL, 3, 7, &nodes), PLEACH_EINVAL);
    assert_int_equal(nodes, 77);
    assert_memory_equal(path, before, sizeof path);
    assert_int_equal(pleach_tree_prove_consistency(tree, 7, NULL, 0, &nodes), PLEACH_OK);
    assert_int_equal(nodes, 0);
    const pleach_scheme *scheme = PLEACH_SCHEME_RFC6962;
    assert_int_equal(pleach_merkle_verify_consistency(scheme, 7, 7, NULL, 0, hashes, hashes), PLEACH_OK);
    assert_int_equal(pleach_merkle_verify_consistency(scheme, 7, 7, NULL, 0, hashes, hashes + D), PLEACH_EPROOFROOT);
    assert_int_equal(pleach_merkle_verify_consistency(scheme, 7, 7, path, 1, hashes, hashes), PLEACH_EPROOFLENGTH);
    assert_int_equal(pleach_merkle_verify_consistency(scheme, 0, 0, NULL, 0, hashes, hashes), PLEACH_EPROOFEMPTY);
    assert_int_equal(pleach_merkle_verify_consistency(NULL, 7, 7, NULL, 0, hashes, hashes), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_verify_consistency(scheme, 6, 7, NULL, 3, hashes, hashes), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_verify_consistency(scheme, 7, 7, NULL, 0, NULL, hashes), PLEACH_EINVAL);
    assert_int_equal(pleach_merkle_verify_consistency(scheme, 7, 7, NULL, 0, hashes, NULL), PLEACH_EINVAL);
    pleach_tree_destroy(tree);
}

static void refused_schemes(void **state)
{
    (void)state;
    for (size_t s = 0; s < scheme_count(); s++) {
        uint8_t hashes[MOST * D], path[ROOM];
        size_t nodes = 77;
        if (every_scheme[s]->lone == PLEACH_LONE_PROMOTED)
            continue;
        pleach_tree *tree = plant(every_scheme[s], 8, hashes);
        assert_int_equal(pleach_merkle_consistency_length(every_scheme[s], 4, 8, &nodes), PLEACH_EINVAL);
        assert_int_equal(pleach_tree_prove_consistency(tree, 4, path, 9, &nodes), PLEACH_EINVAL);
        assert_int_equal(pleach_merkle_verify_consistency(every_scheme[s], 8, 8, NULL, 0, hashes, hashes),
                         PLEACH_EINVAL);
        assert_non_null(strstr(pleach_last_error(), every_scheme[s]->name));
        assert_int_equal(nodes, 77);
        pleach_tree_destroy(tree);
    }
}

/* --- known answers --- */

static uint8_t known_root[9][D];

static void take_root(char **token, size_t count)
{
    size_t leaves = strtoul(token[1], NULL, 10);
    assert_true(count == 3 && leaves < 9);
    assert_int_equal(from_hex(token[2], known_root[leaves], D), D);
}

static void check_known(char **token, size_t count)
{
    struct proof proof = {.scheme = PLEACH_SCHEME_RFC6962};
    proof.older = strtoul(token[1], NULL, 10);
    proof.newer = strtoul(token[2], NULL, 10);
    assert_true(proof.newer <= 8 && proof.older <= proof.newer);
    for (size_t i = 3; i < count; i++)
        proof.nodes += from_hex(token[i], proof.path + D * proof.nodes, D) / D;
    memcpy(proof.older_root, known_root[proof.older], D);
    memcpy(proof.newer_root, known_root[proof.newer], D);
    assert_int_equal(verify(&proof), PLEACH_OK);
    alter_bytes(&proof);
    alter_nodes(&(struct altered){proof.path, &proof.nodes, verify, &proof});
    alter_counts(&proof);
}

static void known_proofs(void **state)
{
    static const struct line_kind kinds[] = {{"rfc6962.root", take_root, 9}, {"rfc6962.cons", check_known, 36}};
    (void)state;
    check_lines("sha256-merkle.txt", kinds, sizeof kinds / sizeof kinds[0]);
}

/* --- proofs as bytes --- */

struct encoding {
    pleach_proof_kind kind;
    const pleach_scheme *scheme;
    pleach_proof_parts proof;
    uint8_t bytes[PLEACH_PROOF_SIZE_MAX + 1];
    size_t size;
};

static pleach_status decode(const struct encoding *encoding, size_t size, pleach_proof_parts *found)
{
    uint8_t *bytes = guarded(size);
    memcpy(bytes, encoding->bytes, size);
    const pleach_status status = pleach_proof_decode(encoding->kind, encoding->scheme, bytes, size, found);
    if (status == PLEACH_OK) {
        assert_ptr_equal(found->path, bytes + PLEACH_PROOF_HEAD);
        found->path = encoding->bytes + PLEACH_PROOF_HEAD;
    }
    guarded_free(bytes, size);
    return status;
}

/* What the decoder says of other numbers in the head. */
static pleach_status expected_of(const struct encoding *encoding, uint64_t index, uint64_t count)
{
    size_t nodes = 0;
    pleach_status status = count > (uint64_t)1 << 63 ? PLEACH_EINVAL : PLEACH_OK;
    if (status == PLEACH_OK && encoding->kind == PLEACH_INCLUSION)
        status = pleach_merkle_path_length(encoding->scheme, index, count, &nodes);
    else if (status == PLEACH_OK)
        status = pleach_merkle_consistency_length(encoding->scheme, index, count, &nodes);
    if (encoding->scheme->depth > 0 && count > (uint64_t)1 << encoding->scheme->depth)
        return PLEACH_EFORMAT;
    if (status != PLEACH_OK)
        return status == PLEACH_EINVAL ? PLEACH_EFORMAT : status;
    if (nodes == encoding->proof.nodes)
        return PLEACH_OK;
    return nodes > encoding->proof.nodes ? PLEACH_ETRUNCATED : PLEACH_ETRAILING;
}

static uint64_t number_at(const uint8_t *bytes)
{
    uint64_t number = 0;
    for (size_t i = 8; i-- > 0;)
        number = number << 8 | bytes[i];
    return number;
}

/* Every byte of the head changed, every end cut off, and more. */
static void alter_encoding(const struct encoding *good)
{
    const pleach_proof_parts before = {.index = 77};
    pleach_proof_parts found = before;
    for (size_t i = 0; i < PLEACH_PROOF_HEAD; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            struct encoding bad = *good;
            bad.bytes[i] ^= (uint8_t)(1 << bit);
            pleach_status expected = PLEACH_EFORMAT;
            if (i >= 8 && i < 12)
                expected = PLEACH_EVERSION;
            else if (i >= 24)
                expected = expected_of(good, number_at(bad.bytes + 32), number_at(bad.bytes + 24));
            found = before;
            assert_int_equal(decode(&bad, bad.size, &found), expected);
            assert_true(expected == PLEACH_OK || memcmp(&found, &before, sizeof found) == 0);
        }
    }
    for (size_t size = 0; size < good->size; size++)
        assert_int_equal(decode(good, size, &found), PLEACH_ETRUNCATED);
    assert_int_equal(decode(good, good->size + 1, &found), PLEACH_ETRAILING);
    for (size_t s = 0; s < scheme_count(); s++) {
        struct encoding other = *good;
        other.scheme = every_scheme[s];
        other.kind = PLEACH_INCLUSION;
        if (good->kind == PLEACH_INCLUSION && every_scheme[s] != good->scheme)
            assert_int_equal(decode(&other, other.size, &found), PLEACH_EFORMAT);
    }
    struct encoding other = *good;
    other.kind = good->kind == PLEACH_INCLUSION ? PLEACH_CONSISTENCY : PLEACH_INCLUSION;
    if (good->scheme->lone == PLEACH_LONE_PROMOTED)
        assert_int_equal(decode(&other, other.size, &found), PLEACH_EFORMAT);
}

static void check_encoding(pleach_proof_kind kind, const pleach_scheme *scheme, const pleach_proof_parts *proof)
{
    struct encoding encoding = {.kind = kind, .scheme = scheme, .proof = *proof};
    pleach_proof_parts found;
    const size_t size = PLEACH_PROOF_HEAD + D * proof->nodes;
    assert_int_equal(pleach_proof_encode(kind, scheme, proof, encoding.bytes, size, &encoding.size), PLEACH_OK);
    assert_int_equal(encoding.size, size);
    assert_memory_equal(encoding.bytes, kind == PLEACH_INCLUSION ? "pleachIP\1\0\0" : "pleachCP\1\0\0", 12);
    assert_int_equal(encoding.bytes[12], scheme->family);
    assert_int_equal(number_at(encoding.bytes + 24), proof->count);
    assert_int_equal(number_at(encoding.bytes + 32), proof->index);
    assert_memory_equal(encoding.bytes + PLEACH_PROOF_HEAD, proof->path, D * proof->nodes);
    assert_int_equal(decode(&encoding, size, &found), PLEACH_OK);
    assert_int_equal(found.index, proof->index);
    assert_int_equal(found.count, proof->count);
    assert_int_equal(found.nodes, proof->nodes);
    assert_memory_equal(found.path, proof->path, D * proof->nodes);
    alter_encoding(&encoding);
}

static void encodings(void **state)
{
    static const size_t counts[] = {1, 2, 3, 4, 7, 64, 70};
    (void)state;
    for (size_t s = 0; s < scheme_count(); s++) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            uint8_t hashes[MOST * D], path[ROOM];
            if (!is_accepted(every_scheme[s], counts[c]))
                continue;
            pleach_tree *tree = plant(every_scheme[s], counts[c], hashes);
            pleach_proof_parts proof = {.index = counts[c] - 1, .count = counts[c], .path = path};
            assert_int_equal(pleach_tree_prove(tree, proof.index, path, PLEACH_PATH_MAX, &proof.nodes), PLEACH_OK);
            check_encoding(PLEACH_INCLUSION, every_scheme[s], &proof);
            proof.index = (counts[c] + 1) / 2;
            if (every_scheme[s]->lone == PLEACH_LONE_PROMOTED) {
                assert_int_equal(
                    pleach_tree_prove_consistency(tree, proof.index, path, PLEACH_CONSISTENCY_MAX, &proof.nodes),
                    PLEACH_OK);
                check_encoding(PLEACH_CONSISTENCY, every_scheme[s], &proof);
            }
            pleach_tree_destroy(tree);
        }
    }
}

/* The longest there are. */
static void long_encodings(void **state)
{
    uint8_t path[ROOM];
    const uint64_t half = (uint64_t)1 << 62;
    (void)state;
    fill_stream(path, sizeof path);
    check_encoding(PLEACH_INCLUSION, PLEACH_SCHEME_BITCOIN, &(pleach_proof_parts){5, 2 * half, path, 63});
    check_encoding(PLEACH_CONSISTENCY, PLEACH_SCHEME_BLAKE3, &(pleach_proof_parts){half - 1, 2 * half, path, 64});
}

static void refused_encodings(void **state)
{
    const pleach_scheme *scheme = PLEACH_SCHEME_RFC6962, *blake2s = PLEACH_SCHEME_BLAKE2S;
    uint8_t path[3 * D] = {0}, bytes[PLEACH_PROOF_HEAD + 3 * D], before[sizeof bytes];
    pleach_proof_parts proof = {1, 5, path, 3};
    size_t size = 77;
    (void)state;
    memset(bytes, 0xab, sizeof bytes);
    memset(before, 0xab, sizeof before);
    assert_int_equal(pleach_proof_encode(PLEACH_INCLUSION, scheme, &proof, bytes, sizeof bytes - 1, &size),
                     PLEACH_ERANGE);
    assert_non_null(strstr(pleach_last_error(), "136 bytes"));
    proof.nodes = 2;
    assert_int_equal(pleach_proof_encode(PLEACH_INCLUSION, scheme, &proof, bytes, sizeof bytes, &size),
                     PLEACH_EPROOFLENGTH);
    proof = (pleach_proof_parts){5, 5, path, 3};
    assert_int_equal(pleach_proof_encode(PLEACH_INCLUSION, scheme, &proof, bytes, sizeof bytes, &size),
                     PLEACH_EPROOFINDEX);
    assert_int_equal(pleach_proof_encode(PLEACH_INCLUSION, blake2s, &(pleach_proof_parts){1, 3, path, 2}, bytes,
                                         sizeof bytes, &size),
                     PLEACH_EINVAL);
    assert_int_equal(pleach_proof_encode(PLEACH_CONSISTENCY, blake2s, &(pleach_proof_parts){1, 2, path, 1}, bytes,
                                         sizeof bytes, &size),
                     PLEACH_EINVAL);
    proof = (pleach_proof_parts){0, 5, path, 3};
    assert_int_equal(pleach_proof_encode(PLEACH_CONSISTENCY, scheme, &proof, bytes, sizeof bytes, &size),
                     PLEACH_EPROOFEMPTY);
    proof = (pleach_proof_parts){6, 5, path, 3};
    assert_int_equal(pleach_proof_encode(PLEACH_CONSISTENCY, scheme, &proof, bytes, sizeof bytes, &size),
                     PLEACH_EPROOFORDER);
    const uint64_t beyond = ((uint64_t)1 << 63) + 1;
    proof = (pleach_proof_parts){beyond - 1, beyond, path, 1};
    assert_int_equal(pleach_proof_encode(PLEACH_INCLUSION, scheme, &proof, bytes, sizeof bytes, &size), PLEACH_ERANGE);
    proof = (pleach_proof_parts){1, 5, path, 3};
    assert_int_equal(pleach_proof_encode((pleach_proof_kind)2, scheme, &proof, bytes, sizeof bytes, &size),
                     PLEACH_EINVAL);
    assert_int_equal(pleach_proof_encode(PLEACH_INCLUSION, NULL, &proof, bytes, sizeof bytes, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_proof_encode(PLEACH_INCLUSION, scheme, NULL, bytes, sizeof bytes, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_proof_encode(PLEACH_INCLUSION, scheme, &proof, NULL, sizeof bytes, &size), PLEACH_EINVAL);
    assert_int_equal(pleach_proof_encode(PLEACH_INCLUSION, scheme, &proof, bytes, sizeof bytes, NULL), PLEACH_EINVAL);
    proof.path = NULL;
    assert_int_equal(pleach_proof_encode(PLEACH_INCLUSION, scheme, &proof, bytes, sizeof bytes, &size), PLEACH_EINVAL);
    assert_int_equal(size, 77);
    assert_memory_equal(bytes, before, sizeof bytes);
    assert_int_equal(pleach_proof_decode(PLEACH_INCLUSION, scheme, NULL, 40, &proof), PLEACH_EINVAL);
    assert_int_equal(pleach_proof_decode(PLEACH_INCLUSION, scheme, bytes, 40, NULL), PLEACH_EINVAL);
    assert_int_equal(pleach_proof_decode(PLEACH_INCLUSION, NULL, bytes, 40, &proof), PLEACH_EINVAL);
    assert_int_equal(pleach_proof_decode((pleach_proof_kind)-1, scheme, bytes, 40, &proof), PLEACH_EINVAL);
    assert_int_equal(pleach_proof_decode(PLEACH_CONSISTENCY, blake2s, bytes, 40, &proof), PLEACH_EINVAL);
}

static int fill_data(void **state)
{
    (void)state;
    fill_stream(data, sizeof data);
    return 0;
}

int test_consistency(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_proof),    cmocka_unit_test(lengths),
                                       cmocka_unit_test(refused),        cmocka_unit_test(refused_schemes),
                                       cmocka_unit_test(known_proofs),   cmocka_unit_test(encodings),
                                       cmocka_unit_test(long_encodings), cmocka_unit_test(refused_encodings)};
    return cmocka_run_group_tests_name("consistency", tests, fill_data, NULL);
}
