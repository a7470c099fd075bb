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
    check(bytes, size);
    if (size < PLEACH_DIGEST_SIZE || size > sizeof set_right)
        return 0;
    const size_t body = size - PLEACH_DIGEST_SIZE;
    memcpy(set_right, bytes, body);
    EXPECT(pleach_blake3_hash(NULL, bytes, body, 0, set_right + body, PLEACH_DIGEST_SIZE) == PLEACH_OK);
    check(set_right, size);
    return 0;
}
