#include "xmss_test.h"

const pleach__family *const *trial_families(void)
{
    static const pleach__family *const families[] = {&pleach__blake2s, NULL};
    return families;
}

/* main [PATTERN]: only tests whose names are like it. */
int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return test_vectors() + test_batches() + test_calls() + test_traces() + test_wiring();
}
