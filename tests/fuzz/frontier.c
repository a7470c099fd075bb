/* Encoded frontiers, as they come and with the checksum set right: what is read is what is written again. */
#include "fuzz.h"

static void check(const uint8_t *bytes, size_t size)
{
    pleach_frontier *frontier = NULL;
    uint8_t again[PLEACH_FRONTIER_SERIALISED_MAX], root[PLEACH_DIGEST_SIZE];
    size_t written = 0;
    if (pleach_frontier_parse(&frontier, NULL, bytes, size) != PLEACH_OK)
        return;
    EXPECT(pleach_frontier_serialise(frontier, again, sizeof again, &written) == PLEACH_OK);
    EXPECT(written == size && memcmp(again, bytes, size) == 0);
    (void)pleach_frontier_root(frontier, root);
    pleach_frontier_destroy(frontier);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    uint8_t set_right[PLEACH_FRONTIER_SERIALISED_MAX];
    check_both(check, bytes, size, set_right, sizeof set_right);
    return 0;
}
