#include "lthash_test.h"

/* main [PATTERN]: only tests whose names are like it. */
int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return test_vectors() + test_states() + test_batches() + test_refusals() + test_several() + test_streams() +
           test_items() + test_sets() + test_calls();
}
