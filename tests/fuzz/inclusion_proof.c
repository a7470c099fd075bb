/* Inclusion and consistency proofs under any preset: what is read is what is written again. */
#include "fuzz.h"

static void check(pleach_proof_kind kind, const pleach_scheme *scheme, const uint8_t *bytes, size_t size)
{
    pleach_proof_parts parts;
    uint8_t again[PLEACH_PROOF_SIZE_MAX], digest[PLEACH_DIGEST_SIZE] = {0};
    size_t written = 0;
    if (pleach_proof_decode(kind, scheme, bytes, size, &parts) != PLEACH_OK)
        return;
    EXPECT(pleach_proof_encode(kind, scheme, &parts, again, sizeof again, &written) == PLEACH_OK);
    EXPECT(written == size && memcmp(again, bytes, size) == 0);
    if (kind == PLEACH_INCLUSION)
        (void)pleach_merkle_verify(scheme, parts.index, parts.count, digest, parts.path, parts.nodes, digest);
    else
        (void)pleach_merkle_verify_consistency(scheme, parts.index, parts.count, parts.path, parts.nodes, digest,
                                               digest);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const pleach_scheme *scheme;
    for (size_t i = 0; (scheme = pleach_scheme_preset(i)) != NULL; i++) {
        check(PLEACH_INCLUSION, scheme, bytes, size);
        check(PLEACH_CONSISTENCY, scheme, bytes, size);
    }
    return 0;
}
