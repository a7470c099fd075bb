/* pleach block: the transactions of a block, and what Bitcoin, CometBFT and Sei make of them, stage by stage. */
#ifndef PLEACH_BLOCK_H
#define PLEACH_BLOCK_H

#include "engine/cli/cli.h"

enum { PLEACH__BITCOIN_HEADER_SIZE = 80 };

typedef enum pleach__system { PLEACH__BITCOIN, PLEACH__COMETBFT, PLEACH__SEI, PLEACH__SYSTEMS } pleach__system;

/* "bitcoin" and "Bitcoin", and so on. */
const char *pleach__system_name(pleach__system system);
const char *pleach__system_title(pleach__system system);

/* Transactions, and the memory they lie in. */
typedef struct pleach__chain_block {
    pleach_input *transactions; /* as they are sent */
    pleach_input *bases;        /* what Bitcoin's ids are over: the same without witnesses */
    size_t *witnessed;          /* indices of those that have witnesses */
    size_t count, bytes, witnesses;
    const uint8_t *header; /* of Bitcoin; NULL = made up */
    bool committed;        /* the coinbase commits to the witnesses, which are there */
    uint8_t commitment[PLEACH_DIGEST_SIZE], reserved[PLEACH_DIGEST_SIZE];
    uint8_t *memory, *base_memory;
} pleach__chain_block;

/* So many transactions of random bytes, of half to one and a half times the size. Release it in any case. */
pleach_status pleach__chain_block_make(pleach__chain_block *block, size_t count, size_t size);

/* Bytes of one of them. */
static inline size_t pleach__transaction_size(uint64_t size, size_t index)
{
    const uint64_t random = (index + 1) * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    return (size_t)(size - size / 2 + random % (2 * (size / 2) + 1));
}

/* A block of Bitcoin from a file of its bytes or of their hex digits. Release it in any case. */
pleach_status pleach__chain_block_read(pleach__chain_block *block, const char *path);

/*
 * The same from memory, which the block then owns: strictly as it is sent, header and transactions. Whether the header
 * and the coinbase's commitment are about these transactions is found by hashing them.
 */
pleach_status pleach__chain_block_parse(pleach__chain_block *block, uint8_t *bytes, size_t size);

/* Zero it and make room for the transactions. */
pleach_status pleach__chain_block_reserve(pleach__chain_block *block, size_t count);

void pleach__chain_block_release(pleach__chain_block *block);

enum { PLEACH__STAGES_MAX = 4 };

/* What one stage took. */
typedef struct pleach__stage_time {
    const char *name;
    pleach_family family;
    double ns, scalar_ns; /* medians */
} pleach__stage_time;

typedef struct pleach__chain_block_outcome {
    pleach__system system;
    pleach__stage_time stage[PLEACH__STAGES_MAX];
    size_t stages;
    uint8_t root[PLEACH_DIGEST_SIZE]; /* of the tree */
    bool mutated;
    bool has_commitment, has_checksum;
    uint8_t commitment[PLEACH_DIGEST_SIZE]; /* Bitcoin: to the witnesses */
    uint8_t checksum[PLEACH_DIGEST_SIZE];   /* Sei: of the state after the writes */
} pleach__chain_block_outcome;

/* Hashes a block on both pools and times it in turns. PLEACH_EBACKEND if the digests differ. */
pleach_status pleach__chain_block_measure(const pleach__chain_block *block, pleach__system system, pleach_pool *pool,
                                          pleach_pool *scalar, pleach__chain_block_outcome *outcome);

/* The pool that others are compared with: the portable kernels on the calling thread. */
pleach_pool *pleach__open_scalar_pool(const pleach_config *config, int *exit_code);

void pleach__chain_block_print(const pleach__chain_block *block, const pleach__chain_block_outcome *outcome,
                               pleach_pool *pool);

/* False if there is no memory. */
bool pleach__chain_block_print_json(const pleach__chain_block *block, const pleach__chain_block_outcome *outcome,
                                    pleach_pool *pool);

/* Whether what was found is what the block says of itself; if not, a message says so. */
bool pleach__chain_block_agrees(const pleach__chain_block *block, const pleach__chain_block_outcome *outcome);

/* The block's own name: SHA-256 twice of its header. */
pleach_status pleach__chain_block_hash(const pleach__chain_block *block, uint8_t hash[PLEACH_DIGEST_SIZE]);

#endif
