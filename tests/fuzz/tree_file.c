/* Encoded trees, as they come and with the checksum set right: what is read is what is written again. */
#include "fuzz.h"

enum { MOST = 1 << 16 };

struct bytes {
    const uint8_t *at;
    size_t left;
};

static pleach_status read_bytes(void *context, uint8_t *buffer, size_t size, size_t *got)
{
    struct bytes *bytes = context;
    *got = size < bytes->left ? size : bytes->left;
    if (*got > 0)
        memcpy(buffer, bytes->at, *got);
    bytes->at += *got;
    bytes->left -= *got;
    return PLEACH_OK;
}

/* Compares instead of writing. */
static pleach_status expect_bytes(void *context, const uint8_t *written, size_t size)
{
    struct bytes *bytes = context;
    EXPECT(size <= bytes->left && memcmp(bytes->at, written, size) == 0);
    bytes->at += size;
    bytes->left -= size;
    return PLEACH_OK;
}

static void check(const uint8_t *encoded, size_t size)
{
    pleach_tree *tree = NULL;
    struct bytes bytes = {encoded, size};
    if (pleach_tree_parse(&tree, NULL, read_bytes, &bytes, NULL) != PLEACH_OK)
        return;
    bytes = (struct bytes){encoded, size};
    EXPECT(pleach_tree_serialise(tree, expect_bytes, &bytes) == PLEACH_OK && bytes.left == 0);
    pleach_tree_destroy(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static uint8_t set_right[MOST];
    check(bytes, size);
    if (size < PLEACH_DIGEST_SIZE || size > MOST)
        return 0;
    const size_t body = size - PLEACH_DIGEST_SIZE;
    memcpy(set_right, bytes, body);
    EXPECT(pleach_blake3_hash(NULL, bytes, body, 0, set_right + body, PLEACH_DIGEST_SIZE) == PLEACH_OK);
    check(set_right, size);
    return 0;
}
