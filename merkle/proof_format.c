#include "config/error.h"
#include "config/little_endian.h"
#include "merkle/path.h"
#include "merkle/proof.h"
#include "merkle/scheme_format.h"

#include <string.h>

enum { INDEX_AT = PLEACH__PREAMBLE_SIZE };
_Static_assert(PLEACH_PROOF_HEAD == PLEACH__PREAMBLE_SIZE + 8, "a proof begins like other encodings, then its index");

static const char *const kinds[] = {[PLEACH_INCLUSION] = "pleachIP", [PLEACH_CONSISTENCY] = "pleachCP"};

static pleach_status check_kind(pleach_proof_kind kind)
{
    if ((unsigned)kind >= sizeof kinds / sizeof kinds[0])
        return pleach__fail(PLEACH_EINVAL, "kind = %d: not a pleach_proof_kind", (int)kind);
    return PLEACH_OK;
}

/* Nodes of a proof, if there is one of that index and count. */
static pleach_status find_nodes(pleach_proof_kind kind, const pleach_scheme *scheme, uint64_t index, uint64_t count,
                                size_t *nodes)
{
    return (kind == PLEACH_INCLUSION ? pleach_merkle_path_length : pleach_merkle_consistency_length)(scheme, index,
                                                                                                     count, nodes);
}

pleach_status pleach_proof_encode(pleach_proof_kind kind, const pleach_scheme *scheme, const pleach_proof_parts *proof,
                                  uint8_t *bytes, size_t capacity, size_t *size)
{
    if (!proof || !bytes || !size || (!proof->path && proof->nodes > 0))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL",
                            !proof   ? "proof"
                            : !bytes ? "bytes"
                            : !size  ? "size"
                                     : "proof: path");
    size_t nodes = 0;
    pleach_status status = check_kind(kind);
    if (status == PLEACH_OK)
        status = find_nodes(kind, scheme, proof->index, proof->count, &nodes);
    if (status == PLEACH_OK)
        status = pleach__check_nodes(proof->nodes, nodes);
    if (status != PLEACH_OK)
        return status;
    if (proof->count > (uint64_t)1 << 63)
        return pleach__fail(PLEACH_ERANGE, "proof: count = %llu: at most 2^63", (unsigned long long)proof->count);
    const size_t needed = PLEACH_PROOF_HEAD + PLEACH_DIGEST_SIZE * nodes;
    if (capacity < needed)
        return pleach__fail(PLEACH_ERANGE, "capacity = %zu: the encoding has %zu bytes", capacity, needed);
    pleach__preamble_encode(kinds[kind], scheme, proof->count, bytes);
    pleach__put64(bytes + INDEX_AT, proof->index);
    if (nodes > 0)
        memcpy(bytes + PLEACH_PROOF_HEAD, proof->path, PLEACH_DIGEST_SIZE * nodes);
    *size = needed;
    return PLEACH_OK;
}

/* What comes before the nodes, and how many there are. */
static pleach_status decode_head(pleach_proof_kind kind, const pleach_scheme *scheme, const uint8_t *bytes, size_t size,
                                 pleach_proof_parts *proof)
{
    uint8_t expected[PLEACH__SCHEME_SIZE], rules[PLEACH__SCHEME_SIZE];
    pleach_scheme named;
    pleach_status status = pleach__preamble_decode(kinds[kind], bytes, size, &named, &proof->count);
    if (status != PLEACH_OK)
        return status;
    pleach__scheme_encode(scheme, expected);
    pleach__scheme_encode(&named, rules);
    if (memcmp(rules, expected, sizeof rules) != 0)
        return pleach__fail(PLEACH_EFORMAT, "proof: under the rules of scheme %s, not %s", named.name,
                            pleach__scheme_name(scheme));
    if (size < PLEACH_PROOF_HEAD)
        return pleach__fail(PLEACH_ETRUNCATED, "proof: %zu bytes: at least %d", size, PLEACH_PROOF_HEAD);
    proof->index = pleach__get64(bytes + INDEX_AT);
    status = find_nodes(kind, scheme, proof->index, proof->count, &proof->nodes);
    /* the scheme itself is accepted: it is the count that it refuses */
    return status == PLEACH_EINVAL ? pleach__fail(PLEACH_EFORMAT, "proof: %s", pleach_last_error()) : status;
}

pleach_status pleach_proof_decode(pleach_proof_kind kind, const pleach_scheme *scheme, const uint8_t *bytes,
                                  size_t size, pleach_proof_parts *proof)
{
    if (!bytes || !proof)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", bytes ? "proof" : "bytes");
    pleach_proof_parts found;
    pleach_status status = check_kind(kind);
    if (status == PLEACH_OK)
        status = (kind == PLEACH_INCLUSION ? pleach__scheme_check : pleach__check_promotes)(scheme);
    if (status == PLEACH_OK)
        status = decode_head(kind, scheme, bytes, size, &found);
    if (status != PLEACH_OK)
        return status;
    const size_t needed = PLEACH_PROOF_HEAD + PLEACH_DIGEST_SIZE * found.nodes;
    if (size != needed)
        return pleach__fail(size < needed ? PLEACH_ETRUNCATED : PLEACH_ETRAILING,
                            "proof: %zu bytes: one of %zu nodes has %zu", size, found.nodes, needed);
    found.path = bytes + PLEACH_PROOF_HEAD;
    *proof = found;
    return PLEACH_OK;
}
