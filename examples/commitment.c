/*
 * A prover commits to a matrix, row by row, and opens the rows that a verifier asks for: one opening for all of them,
 * without the nodes that follow from others.
 */
#include <pleach/pleach.h>
#include <stdio.h>
#include <stdlib.h>

enum { HEIGHT = 12, ROWS = 1 << HEIGHT, ROW_SIZE = 128, QUERIES = 5 };

static void check(pleach_status status, const char *what)
{
    if (status == PLEACH_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, pleach_status_text(status), pleach_last_error());
    exit(EXIT_FAILURE);
}

int main(void)
{
    static uint8_t matrix[ROWS][ROW_SIZE];
    static const uint64_t queries[QUERIES] = {3000, 17, 4095, 18, 17}; /* in any order, also repeated */
    const uint8_t *rows[QUERIES];
    pleach_leaves leaves = {.data = matrix[0], .size = ROW_SIZE, .stride = ROW_SIZE, .count = ROWS};
    pleach_commitment commitment = {.scheme = PLEACH_SCHEME_BLAKE2S, .count = ROWS, .size = ROW_SIZE};
    pleach_pool *pool;
    pleach_tree *tree;
    size_t size;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROW_SIZE; j++)
            matrix[i][j] = (uint8_t)(i * j + i / 256);

    /* The prover. */
    check(pleach_pool_create(&pool, NULL), "pool");
    check(pleach_tree_create(&tree, pool, PLEACH_SCHEME_BLAKE2S), "tree");
    check(pleach_tree_build(tree, &leaves, NULL), "tree");
    check(pleach_tree_root(tree, commitment.root), "root");
    check(pleach_multiproof_open(tree, &leaves, queries, QUERIES, NULL, 0, &size), "size of the opening");
    uint8_t *opening = malloc(size);
    if (opening == NULL)
        return EXIT_FAILURE;
    check(pleach_multiproof_open(tree, &leaves, queries, QUERIES, opening, size, &size), "opening");

    /* The verifier: it knows the commitment and what it asked for. */
    check(pleach_multiproof_check(pool, &commitment, queries, QUERIES, opening, size, rows, NULL, 0), "check");
    printf("root ");
    for (int i = 0; i < PLEACH_DIGEST_SIZE; i++)
        printf("%02x", commitment.root[i]);
    printf("\nrow %d begins with %d, %d, %d\n", (int)queries[0], rows[0][0], rows[0][1], rows[0][2]);
    opening[size - 1] ^= 1;
    if (pleach_multiproof_check(pool, &commitment, queries, QUERIES, opening, size, NULL, NULL, 0) == PLEACH_OK)
        return EXIT_FAILURE;
    printf("opening of %d rows: %zu bytes, accepted; with one bit changed: refused\n", QUERIES, size);

    free(opening);
    pleach_tree_destroy(tree);
    check(pleach_pool_destroy(pool), "pool");
    return EXIT_SUCCESS;
}
