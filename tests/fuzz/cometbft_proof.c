/* CometBFT's protobuf message: what is read is what is written again. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    pleach_cometbft_proof proof;
    uint8_t again[PLEACH_COMETBFT_PROOF_SIZE_MAX], root[PLEACH_DIGEST_SIZE] = {0};
    size_t written = 0;
    if (pleach_cometbft_proof_decode(bytes, size, &proof) != PLEACH_OK)
        return 0;
    EXPECT(pleach_cometbft_proof_encode(&proof, again, sizeof again, &written) == PLEACH_OK);
    EXPECT(written == size && memcmp(again, bytes, size) == 0);
    EXPECT(pleach_cometbft_verify(&proof, root, sizeof root, bytes, size) != PLEACH_OK);
    return 0;
}
