/*
 * The app hash of a key/value store as CometBFT applications have it: the root over its entries in the order of their
 * keys; and a proof that one of them is there, which a light client checks with nothing but that hash.
 */
#include <pleach/pleach.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF_SIZE = 128, ENTRIES = 4, ASKED = 2 };

/* Ascending, as the tree has them. */
static const char *const store[ENTRIES][2] = {
    {"balance/alice", "120"}, {"balance/bob", "7"}, {"balance/carol", "3300"}, {"params/fee", "2"}};

static void check(pleach_status status, const char *what)
{
    if (status == PLEACH_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, pleach_status_text(status), pleach_last_error());
    exit(EXIT_FAILURE);
}

static pleach_input text(const char *string)
{
    return (pleach_input){(const uint8_t *)string, strlen(string)};
}

int main(void)
{
    static uint8_t leaf[ENTRIES][LEAF_SIZE];
    pleach_cometbft_entry entries[ENTRIES];
    pleach_input list[ENTRIES];
    pleach_pool *pool;
    pleach_tree *tree;
    pleach_cometbft_proof proof, received;
    uint8_t app_hash[PLEACH_DIGEST_SIZE], root[PLEACH_DIGEST_SIZE], wire[PLEACH_COMETBFT_PROOF_SIZE_MAX];
    size_t size;

    /* The node. */
    check(pleach_pool_create(&pool, NULL), "pool");
    for (int i = 0; i < ENTRIES; i++) {
        entries[i] = (pleach_cometbft_entry){text(store[i][0]), text(store[i][1])};
        check(pleach_cometbft_entry_leaf(&entries[i], leaf[i], LEAF_SIZE, &list[i].size), "leaf");
        list[i].bytes = leaf[i];
    }
    pleach_leaves leaves = {.count = ENTRIES, .list = list};
    check(pleach_tree_create(&tree, pool, PLEACH_SCHEME_RFC6962), "tree");
    check(pleach_tree_build(tree, &leaves, NULL), "tree");
    check(pleach_tree_root(tree, app_hash), "root");
    check(pleach_cometbft_prove(tree, ASKED, &proof), "proof");
    check(pleach_cometbft_proof_encode(&proof, wire, sizeof wire, &size), "proof");

    /* Whoever needs the hash alone has it from the entries in any order. */
    check(pleach_cometbft_map_root(pool, entries, ENTRIES, root), "map");
    if (memcmp(root, app_hash, sizeof root) != 0)
        return EXIT_FAILURE;

    /* The light client: it knows the app hash, key and value, and what came over the wire. */
    check(pleach_cometbft_proof_decode(wire, size, &received), "decode");
    check(pleach_cometbft_verify(&received, app_hash, sizeof app_hash, list[ASKED].bytes, list[ASKED].size), "verify");
    leaf[ASKED][1] ^= 1; /* the first letter of the key */
    if (pleach_cometbft_verify(&received, app_hash, sizeof app_hash, list[ASKED].bytes, list[ASKED].size) == PLEACH_OK)
        return EXIT_FAILURE;

    printf("app hash ");
    for (int i = 0; i < PLEACH_DIGEST_SIZE; i++)
        printf("%02x", app_hash[i]);
    printf("\n%s = %s: proved by %zu bytes; with another key: refused\n", store[ASKED][0], store[ASKED][1], size);
    pleach_tree_destroy(tree);
    check(pleach_pool_destroy(pool), "pool");
    return EXIT_SUCCESS;
}
