#include "merkle_test.h"

/* main [PATTERN]: only tests whose names are like it. */
int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return test_vectors() + test_tiles() + test_shapes() + test_lists() + test_traps() + test_proofs() +
           test_forgeries() + test_batches() + test_multiproofs() + test_bitcoin() + test_consistency() +
           test_cometbft() + test_cometbft_data() + test_streams() + test_faults() + test_changes() +
           test_refused_changes() + test_shared_changes() + test_tree_files() + test_frontiers() +
           test_frontier_encodings() + test_ssz() + test_ssz_proofs() + test_deposits();
}
