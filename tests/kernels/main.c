#include "kernels_test.h"

#include "kernels/streaming.h"

/* main [BACKEND[,BACKEND]...]: only what is tested for each backend is limited to those. */
int main(int argc, char **argv)
{
    may_stream = pleach__streaming_begin(NULL, false);
    if (argc > 1 && !set_only_backend(argv[1])) {
        print_error("there is no backend %s\n", argv[1]);
        return 1;
    }
    return run_answer_tests() + run_blake2s_tests() + run_blake3_tests() + run_sha256_tests() + run_call_tests() +
           run_compress_tests() + run_digest_tests() + run_fold_tests() + run_hasher_tests() + run_list_tests() +
           run_lthash_tests() + run_openssl_tests() + run_probe_tests() + run_selection_tests() + run_urm_tests();
}
