#include "merkle_test.h"

int main(void)
{
    return test_vectors() + test_tiles() + test_shapes() + test_lists() + test_traps() + test_proofs() +
           test_forgeries() + test_batches() + test_multiproofs() + test_bitcoin() + test_consistency() +
           test_cometbft() + test_cometbft_data() + test_streams() + test_faults() + test_changes() +
           test_tree_files() + test_frontiers() + test_frontier_encodings() + test_ssz() + test_ssz_proofs() +
           test_deposits();
}
