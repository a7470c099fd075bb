/* Encoded trees, as they come and with the checksum set right: what is read is what is written again. */
#include "fuzz.h"

enum { MOST = 1 << 16 };

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
    check_both(check, bytes, size, set_right, sizeof set_right);
    return 0;
}
