#include "merkle_test.h"

int main(void)
{
    return test_vectors() + test_shapes() + test_proofs() + test_streams() + test_faults();
}
