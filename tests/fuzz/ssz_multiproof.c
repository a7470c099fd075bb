/*
 * Proofs for several nodes of an SSZ tree, beside a computation of the root that starts from the root. An input is a
 * byte, for a number of indices; the indices; the nodes that they name; the proof's nodes.
 */
#include "fuzz.h"

enum { INDICES = 6, WIDTH = PLEACH_DIGEST_SIZE, HELPERS = INDICES * 64 };

struct proof {
    uint64_t index[INDICES];
    const uint8_t *found, *path;
    size_t count, nodes;
    uint64_t helpers[HELPERS]; /* whose nodes the proof must have, descending */
    size_t helper_count;
    bool prefers_given; /* where a node is not what those below it lead to */
    bool contradicts;   /* there was such a node */
};

/* Is a node an index, or above one? */
static bool leads_to(uint64_t node, uint64_t index)
{
    while (index > node)
        index >>= 1;
    return index == node;
}

static int descending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

static void find_helpers(struct proof *proof)
{
    size_t all = 0;
    for (size_t i = 0; i < proof->count; i++)
        for (uint64_t node = proof->index[i]; node > 1; node >>= 1) {
            bool known = false;
            for (size_t k = 0; k < proof->count; k++)
                known = known || leads_to(node ^ 1, proof->index[k]);
            if (!known)
                proof->helpers[all++] = node ^ 1;
        }
    qsort(proof->helpers, all, sizeof *proof->helpers, descending);
    for (size_t i = 0; i < all; i++)
        if (i == 0 || proof->helpers[i] != proof->helpers[i - 1])
            proof->helpers[proof->helper_count++] = proof->helpers[i];
}

static const uint8_t *helper(const struct proof *proof, uint64_t node)
{
    const uint64_t *at = bsearch(&node, proof->helpers, proof->helper_count, sizeof node, descending);
    EXPECT(at != NULL);
    return proof->path + (size_t)(at - proof->helpers) * WIDTH;
}

static void compute(struct proof *proof, uint64_t node, uint8_t *digest)
{
    const uint8_t *given = NULL;
    bool is_above = false;
    for (size_t i = 0; i < proof->count; i++)
        if (proof->index[i] == node)
            given = proof->found + i * WIDTH;
        else
            is_above = is_above || leads_to(node, proof->index[i]);
    if (is_above) {
        uint8_t children[2 * WIDTH];
        compute(proof, 2 * node, children);
        compute(proof, 2 * node + 1, children + WIDTH);
        EXPECT(pleach_hash_many(NULL, PLEACH_SHA256, children, sizeof children, sizeof children, 1, digest) ==
               PLEACH_OK);
        proof->contradicts = proof->contradicts || (given != NULL && memcmp(given, digest, WIDTH) != 0);
        if (given != NULL && proof->prefers_given)
            memcpy(digest, given, WIDTH);
    } else
        memcpy(digest, given != NULL ? given : helper(proof, node), WIDTH);
}

static pleach_status verify(const struct proof *proof, const uint8_t *root)
{
    return pleach_ssz_verify_many(proof->index, proof->found, proof->count, proof->path, proof->nodes, root);
}

static bool is_in_order(const struct proof *proof)
{
    for (size_t i = 1; i < proof->count; i++)
        if (proof->index[i] >= proof->index[i - 1])
            return false;
    return proof->index[proof->count - 1] > 0;
}

static void check(struct proof *proof)
{
    uint8_t root[WIDTH] = {0};
    if (!is_in_order(proof)) {
        EXPECT(verify(proof, root) != PLEACH_OK);
        return;
    }
    find_helpers(proof);
    if (proof->nodes != proof->helper_count) {
        const pleach_status wanted = proof->nodes < proof->helper_count ? PLEACH_EPROOFMISSING : PLEACH_EPROOFUNUSED;
        const pleach_status status = verify(proof, root);
        EXPECT(status == wanted || status == PLEACH_EPROOFROOT);
        return;
    }
    for (int i = 0; i < 2; i++) {
        proof->prefers_given = i == 1;
        compute(proof, 1, root);
        EXPECT(verify(proof, root) == (proof->contradicts ? PLEACH_EPROOFROOT : PLEACH_OK));
        root[0] ^= 1;
        EXPECT(verify(proof, root) == PLEACH_EPROOFROOT);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct proof proof = {.count = size > 0 ? 1 + bytes[0] % INDICES : 1};
    const size_t before = 1 + proof.count * (sizeof(uint64_t) + WIDTH);
    if (size < before)
        return 0;
    memcpy(proof.index, bytes + 1, proof.count * sizeof(uint64_t));
    proof.found = bytes + 1 + proof.count * sizeof(uint64_t);
    proof.path = bytes + before;
    proof.nodes = (size - before) / WIDTH;
    check(&proof);
    return 0;
}
