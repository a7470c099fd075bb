/* EIP-4881 snapshots: what is read is what is written again, and a tree made of it has its root. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    pleach_deposit_snapshot snapshot;
    pleach_deposit_tree *tree = NULL;
    uint8_t again[PLEACH_DEPOSIT_SNAPSHOT_MAX], root[PLEACH_DIGEST_SIZE];
    size_t written = 0;
    if (pleach_deposit_snapshot_parse(bytes, size, &snapshot) != PLEACH_OK)
        return 0;
    EXPECT(pleach_deposit_snapshot_serialise(&snapshot, again, sizeof again, &written) == PLEACH_OK);
    EXPECT(written == size && memcmp(again, bytes, size) == 0);
    if (pleach_deposit_from_snapshot(&tree, NULL, &snapshot) != PLEACH_OK)
        return 0;
    EXPECT(pleach_deposit_root(tree, snapshot.deposit_count, root) == PLEACH_OK);
    EXPECT(memcmp(root, snapshot.deposit_root, sizeof root) == 0);
    pleach_deposit_destroy(tree);
    return 0;
}
