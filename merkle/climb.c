#include "merkle/climb.h"

#include "merkle/path.h"

#include <string.h>

enum { NO_PAIR = UINT16_MAX };
_Static_assert((int)PLEACH__CLIMB_MOST < (int)NO_PAIR, "places of pairs have 16 bits");

/* A proof on its way. */
struct climber {
    uint8_t node[PLEACH_DIGEST_SIZE]; /* that was reached */
    const uint8_t *path;              /* what is left of it */
    uint64_t position;                /* of the node in its level */
    size_t proof;
    uint16_t pair; /* that it waits for, or NO_PAIR: the node moves up as it is */
};

struct party {
    const pleach__climb *climb;
    const pleach__backend *backend;
    pleach_status *statuses;
    size_t climbers;
    struct climber climber[PLEACH__CLIMB_MOST];
    uint16_t pairs;
    uint8_t pair[PLEACH__CLIMB_MOST][2 * PLEACH_DIGEST_SIZE]; /* then, one after the other, their parents */
};

static pleach_status check_shape(const pleach__climb *climb, const pleach_proof *proof)
{
    if (proof->index >= climb->count)
        return PLEACH_EPROOFINDEX;
    const size_t nodes = pleach__path_length(climb->hashing->lone, climb->levels, proof->index, climb->count);
    return proof->nodes == nodes ? PLEACH_OK : PLEACH_EPROOFLENGTH;
}

static void gather(struct party *party, const pleach_proof *proofs, const size_t *order, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const size_t at = order ? order[i] : i;
        const pleach_proof *proof = &proofs[at];
        party->statuses[at] = check_shape(party->climb, proof);
        if (party->statuses[at] != PLEACH_OK)
            continue;
        struct climber *climber = &party->climber[party->climbers++];
        memcpy(climber->node, proof->leaf_hash, sizeof climber->node);
        climber->path = proof->path;
        climber->position = proof->index;
        climber->proof = at;
    }
}

/* Adds a pair unless it is the same as the last one; returns its place. */
static uint16_t add_pair(struct party *party, const uint8_t *left, const uint8_t *right)
{
    uint8_t *pair = party->pair[party->pairs];
    memcpy(pair, left, PLEACH_DIGEST_SIZE);
    memcpy(pair + PLEACH_DIGEST_SIZE, right, PLEACH_DIGEST_SIZE);
    if (party->pairs == 0 || memcmp(pair - sizeof party->pair[0], pair, sizeof party->pair[0]) != 0)
        party->pairs++;
    return (uint16_t)(party->pairs - 1);
}

/* A step whose sibling the scheme makes. */
static pleach_status step_alone(struct party *party, struct climber *climber, unsigned level)
{
    const pleach__hashing *hashing = party->climb->hashing;
    const uint8_t *sibling = hashing->lone == PLEACH_LONE_DUPLICATED ? climber->node : hashing->zero[level];
    climber->pair = NO_PAIR;
    if (hashing->lone == PLEACH_LONE_PROMOTED)
        return PLEACH_OK;
    if (memcmp(climber->path, sibling, PLEACH_DIGEST_SIZE) != 0)
        return PLEACH_EPROOFROOT;
    climber->pair = add_pair(party, climber->node, sibling);
    climber->path += PLEACH_DIGEST_SIZE;
    return PLEACH_OK;
}

static pleach_status step(struct party *party, struct climber *climber, unsigned level)
{
    const bool is_right = climber->position % 2 != 0;
    if (!is_right && climber->position == (party->climb->count - 1) >> level)
        return step_alone(party, climber, level);
    const uint8_t *sibling = climber->path;
    climber->path += PLEACH_DIGEST_SIZE;
    if (party->climb->hashing->lone == PLEACH_LONE_DUPLICATED &&
        memcmp(climber->node, sibling, PLEACH_DIGEST_SIZE) == 0)
        return PLEACH_EPROOFMUTATED;
    climber->pair = is_right ? add_pair(party, sibling, climber->node) : add_pair(party, climber->node, sibling);
    return PLEACH_OK;
}

/* All take the step from a level to the next; those that cannot are left behind with their status. */
static void climb_level(struct party *party, unsigned level)
{
    size_t kept = 0;
    party->pairs = 0;
    for (size_t i = 0; i < party->climbers; i++) {
        struct climber *climber = &party->climber[i];
        const pleach_status status = step(party, climber, level);
        climber->position /= 2;
        if (status != PLEACH_OK)
            party->statuses[climber->proof] = status;
        else if (kept++ != i)
            party->climber[kept - 1] = *climber;
    }
    party->climbers = kept;
    uint8_t *parents = party->pair[0];
    party->backend->hash_many(&party->climb->hashing->node, parents, sizeof party->pair[0], party->pairs, parents);
    for (size_t i = 0; i < kept; i++) {
        struct climber *climber = &party->climber[i];
        if (climber->pair != NO_PAIR)
            memcpy(climber->node, parents + PLEACH_DIGEST_SIZE * climber->pair, PLEACH_DIGEST_SIZE);
    }
}

void pleach__climb_all(const pleach__climb *climb, const pleach__backend *backend, const pleach_proof *proofs,
                       const size_t *order, size_t n, pleach_status *statuses)
{
    struct party party; /* what is used of it is written first */
    party.climb = climb;
    party.backend = backend;
    party.statuses = statuses;
    party.climbers = 0;
    gather(&party, proofs, order, n);
    for (unsigned level = 0; level + 1 < climb->levels; level++)
        climb_level(&party, level);
    for (size_t i = 0; i < party.climbers; i++) {
        const struct climber *climber = &party.climber[i];
        if (memcmp(climber->node, climb->root, PLEACH_DIGEST_SIZE) != 0)
            statuses[climber->proof] = PLEACH_EPROOFROOT;
    }
}
