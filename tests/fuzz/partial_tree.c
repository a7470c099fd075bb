/* Bitcoin's partial trees: matches are transactions of the block, ascending, and reading once more finds the same. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static pleach_bitcoin_match matches[PLEACH_BITCOIN_TRANSACTIONS_MAX];
    pleach_bitcoin_partial_tree partial, again;
    if (pleach_bitcoin_partial_tree_read(bytes, size, &partial, matches, PLEACH_BITCOIN_TRANSACTIONS_MAX) != PLEACH_OK)
        return 0;
    for (size_t i = 0; i < partial.matches; i++)
        EXPECT(matches[i].index < partial.transactions && (i == 0 || matches[i].index > matches[i - 1].index));
    EXPECT(pleach_bitcoin_partial_tree_read(bytes, size, &again, NULL, 0) == PLEACH_OK);
    EXPECT(memcmp(partial.root, again.root, sizeof again.root) == 0 && partial.matches == again.matches);
    return 0;
}
