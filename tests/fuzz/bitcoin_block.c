/* Bytes as a block of Bitcoin: refused, or cut into transactions that are all of it and lie one after the other. */
#include "engine/cli/block.h"
#include "fuzz.h"

static void check_block(const pleach__chain_block *block, const uint8_t *bytes, size_t size)
{
    const uint8_t *at = block->transactions[0].bytes;
    size_t witnesses = 0;
    EXPECT(block->header == bytes && at > bytes + PLEACH__BITCOIN_HEADER_SIZE);
    for (size_t i = 0; i < block->count; i++) {
        const pleach_input *whole = &block->transactions[i], *base = &block->bases[i];
        EXPECT(whole->bytes == at);
        at += whole->size;
        if (base->bytes == whole->bytes) {
            EXPECT(base->size == whole->size);
            continue;
        }
        EXPECT(base->size + 2 < whole->size);
        EXPECT(block->witnessed[witnesses++] == i);
        EXPECT(memcmp(base->bytes, whole->bytes, 4) == 0);
        EXPECT(memcmp(base->bytes + base->size - 4, at - 4, 4) == 0);
    }
    EXPECT(at == bytes + size && witnesses == block->witnesses);
    EXPECT(block->committed == (witnesses > 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    pleach__chain_block block;
    uint8_t *copy = malloc(size > 0 ? size : 1);
    EXPECT(copy != NULL);
    if (size > 0)
        memcpy(copy, bytes, size);
    if (pleach__chain_block_parse(&block, copy, size) == PLEACH_OK)
        check_block(&block, copy, size);
    pleach__chain_block_release(&block);
    return 0;
}
