/* Openings of one fixed tree: none but the one that belongs to the queries is accepted. */
#include "fuzz.h"

enum { LEAVES = 16, SIZE = 24, QUERIES = 5 };

static const uint64_t queries[QUERIES] = {6, 1, 11, 2, 6};
static pleach_commitment commitment = {.count = LEAVES, .size = SIZE};
static uint8_t opening[1024];
static size_t opening_size;

static void plant(void)
{
    uint8_t data[LEAVES * SIZE];
    const pleach_leaves leaves = {.data = data, .size = SIZE, .stride = SIZE, .count = LEAVES};
    pleach_tree *tree = NULL;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)i;
    commitment.scheme = PLEACH_SCHEME_BLAKE2S;
    EXPECT(pleach_tree_create(&tree, NULL, commitment.scheme) == PLEACH_OK);
    EXPECT(pleach_tree_build(tree, &leaves, NULL) == PLEACH_OK);
    EXPECT(pleach_tree_root(tree, commitment.root) == PLEACH_OK);
    EXPECT(pleach_multiproof_open(tree, &leaves, queries, QUERIES, opening, sizeof opening, &opening_size) ==
           PLEACH_OK);
    pleach_tree_destroy(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const uint8_t *rows[QUERIES];
    uint8_t paths[QUERIES * PLEACH_PATH_MAX * PLEACH_DIGEST_SIZE];
    if (opening_size == 0)
        plant();
    const pleach_status status = pleach_multiproof_check(NULL, &commitment, queries, QUERIES, bytes, size, rows, paths,
                                                         (size_t)PLEACH_PATH_MAX * PLEACH_DIGEST_SIZE);
    EXPECT((status == PLEACH_OK) == (size == opening_size && memcmp(bytes, opening, size) == 0));
    return 0;
}
