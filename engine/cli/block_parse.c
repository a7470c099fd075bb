/* A block of Bitcoin as it is sent: header, transactions, and in these witnesses apart from the rest (BIP 144). */
#include "engine/cli/block.h"

#include "config/error.h"

#include <stdlib.h>
#include <string.h>

enum {
    WEIGHT_MAX = 4000000,   /* four times the bytes without witnesses, and once those of the witnesses */
    TRANSACTION_LEAST = 60, /* bytes of one that has an input and an output without scripts */
    PREVIOUS_SIZE = 36,     /* transaction id and number of the output that is spent */
    COMMITMENT_SCRIPT = 38, /* bytes of the script of an output that commits to witnesses, at least */
    COMMITMENT_PREFIX = 6,  /* of these, how many say that it does */
};

static const uint8_t commitment_prefix[COMMITMENT_PREFIX] = {0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed};

/* What is left to read, and whose it is. */
struct reader {
    const uint8_t *bytes;
    size_t size, at;
    size_t transaction;
};

/* Where the parts of a transaction are. */
struct parts {
    size_t begin, inputs, witnesses, lock_time, end; /* inputs: after the marker, if there is one */
    uint64_t input_count;
    bool witnessed;
};

static pleach_status malformed(const struct reader *reader, const char *what)
{
    return pleach__fail(PLEACH_EFORMAT, "byte %zu, transaction %zu: %s", reader->at, reader->transaction, what);
}

static pleach_status skip(struct reader *reader, uint64_t size)
{
    if (size > reader->size - reader->at)
        return pleach__fail(PLEACH_ETRUNCATED, "byte %zu, transaction %zu: %llu bytes wanted, %zu left", reader->at,
                            reader->transaction, (unsigned long long)size, reader->size - reader->at);
    reader->at += (size_t)size;
    return PLEACH_OK;
}

static uint64_t little_endian(const uint8_t *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = size; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

/* A number of 1, 3, 5 or 9 bytes, of as few as there can be. */
static pleach_status read_number(struct reader *reader, uint64_t *value)
{
    const size_t begin = reader->at;
    pleach_status status = skip(reader, 1);
    if (status != PLEACH_OK)
        return status;
    const uint8_t first = reader->bytes[begin];
    const size_t more = first < 0xfd ? 0 : (size_t)2 << (first - 0xfd);
    *value = first;
    status = skip(reader, more);
    if (status != PLEACH_OK || more == 0)
        return status;
    *value = little_endian(reader->bytes + begin + 1, more);
    const uint64_t least = more == 2 ? 0xfd : UINT64_C(1) << 4 * more;
    return *value >= least ? PLEACH_OK : malformed(reader, "a number has more bytes than it needs");
}

/* A number, and so many bytes. */
static pleach_status skip_counted(struct reader *reader, const uint8_t **bytes, uint64_t *size)
{
    pleach_status status = read_number(reader, size);
    *bytes = reader->bytes + reader->at;
    return status == PLEACH_OK ? skip(reader, *size) : status;
}

static bool spends_nothing(const uint8_t *previous)
{
    for (size_t i = 0; i < PREVIOUS_SIZE; i++)
        if (previous[i] != (i < PLEACH_DIGEST_SIZE ? 0 : 0xff))
            return false;
    return true;
}

static pleach_status read_inputs(struct reader *reader, struct parts *parts)
{
    const bool coinbase = reader->transaction == 0;
    pleach_status status = read_number(reader, &parts->input_count);
    if (status == PLEACH_OK && parts->input_count == 0)
        return malformed(reader, "no inputs");
    if (status == PLEACH_OK && coinbase && parts->input_count != 1)
        return malformed(reader, "the first transaction is no coinbase: it has several inputs");
    for (uint64_t i = 0; status == PLEACH_OK && i < parts->input_count; i++) {
        const uint8_t *previous = reader->bytes + reader->at, *script;
        uint64_t size;
        status = skip(reader, PREVIOUS_SIZE);
        if (status == PLEACH_OK && spends_nothing(previous) != coinbase)
            return malformed(reader, coinbase ? "the first transaction is no coinbase: it spends an output"
                                              : "a coinbase that is not the first transaction");
        if (status == PLEACH_OK)
            status = skip_counted(reader, &script, &size);
        if (status == PLEACH_OK)
            status = skip(reader, 4);
    }
    return status;
}

/* Of the coinbase, the last output that commits to witnesses counts. */
static void look_for_commitment(pleach__chain_block *block, const uint8_t *script, uint64_t size)
{
    if (size < COMMITMENT_SCRIPT || memcmp(script, commitment_prefix, COMMITMENT_PREFIX) != 0)
        return;
    block->committed = true;
    memcpy(block->commitment, script + COMMITMENT_PREFIX, PLEACH_DIGEST_SIZE);
}

static pleach_status read_outputs(pleach__chain_block *block, struct reader *reader)
{
    uint64_t count;
    pleach_status status = read_number(reader, &count);
    if (status == PLEACH_OK && count == 0)
        return malformed(reader, "no outputs");
    for (uint64_t i = 0; status == PLEACH_OK && i < count; i++) {
        const uint8_t *script;
        uint64_t size;
        status = skip(reader, 8);
        if (status == PLEACH_OK)
            status = skip_counted(reader, &script, &size);
        if (status == PLEACH_OK && reader->transaction == 0)
            look_for_commitment(block, script, size);
    }
    return status;
}

/* The items of every input. That of the coinbase is the value reserved beside the commitment. */
static pleach_status read_witnesses(pleach__chain_block *block, struct reader *reader, const struct parts *parts)
{
    pleach_status status = PLEACH_OK;
    bool any = false;
    for (uint64_t i = 0; status == PLEACH_OK && i < parts->input_count; i++) {
        const uint8_t *item = NULL;
        uint64_t items, size = 0;
        status = read_number(reader, &items);
        any = any || items > 0;
        for (uint64_t j = 0; status == PLEACH_OK && j < items; j++)
            status = skip_counted(reader, &item, &size);
        if (status != PLEACH_OK || reader->transaction > 0)
            continue;
        if (items != 1 || size != PLEACH_DIGEST_SIZE)
            return malformed(reader, "the coinbase's witness is not one value of 32 bytes");
        memcpy(block->reserved, item, PLEACH_DIGEST_SIZE);
    }
    return status == PLEACH_OK && !any ? malformed(reader, "marked as having witnesses, but has none") : status;
}

static pleach_status read_transaction(pleach__chain_block *block, struct reader *reader, struct parts *parts)
{
    *parts = (struct parts){.begin = reader->at};
    pleach_status status = skip(reader, 4);
    if (status == PLEACH_OK && reader->at + 2 <= reader->size && reader->bytes[reader->at] == 0) {
        if (reader->bytes[reader->at + 1] != 1)
            return malformed(reader, "no inputs, or an unknown flag");
        parts->witnessed = true;
        reader->at += 2;
    }
    parts->inputs = reader->at;
    if (status == PLEACH_OK)
        status = read_inputs(reader, parts);
    if (status == PLEACH_OK)
        status = read_outputs(block, reader);
    parts->witnesses = reader->at;
    if (status == PLEACH_OK && parts->witnessed)
        status = read_witnesses(block, reader, parts);
    parts->lock_time = reader->at;
    if (status == PLEACH_OK)
        status = skip(reader, 4);
    parts->end = reader->at;
    return status;
}

static uint8_t *copy(uint8_t *to, const uint8_t *bytes, size_t begin, size_t end)
{
    memcpy(to, bytes + begin, end - begin);
    return to + (end - begin);
}

/* Puts it on the lists; its base is copied together if witnesses are in between. Returns the end of the copies. */
static uint8_t *list(pleach__chain_block *block, size_t index, const struct parts *parts, uint8_t *copies)
{
    const uint8_t *bytes = block->memory;
    block->transactions[index] = (pleach_input){bytes + parts->begin, parts->end - parts->begin};
    block->bases[index] = block->transactions[index];
    block->bytes += parts->end - parts->begin;
    if (!parts->witnessed)
        return copies;
    uint8_t *end = copy(copies, bytes, parts->begin, parts->begin + 4);
    end = copy(end, bytes, parts->inputs, parts->witnesses);
    end = copy(end, bytes, parts->lock_time, parts->end);
    block->bases[index] = (pleach_input){copies, (size_t)(end - copies)};
    block->witnessed[block->witnesses++] = index;
    return end;
}

static pleach_status read_transactions(pleach__chain_block *block, struct reader *reader)
{
    pleach_status status = PLEACH_OK;
    uint8_t *copies = block->base_memory;
    size_t weight = 4 * reader->at;
    for (; status == PLEACH_OK && reader->transaction < block->count; reader->transaction++) {
        struct parts parts;
        status = read_transaction(block, reader, &parts);
        if (status == PLEACH_OK) {
            copies = list(block, reader->transaction, &parts, copies);
            weight += 3 * block->bases[reader->transaction].size + block->transactions[reader->transaction].size;
        }
    }
    if (status == PLEACH_OK && reader->at < reader->size)
        return pleach__fail(PLEACH_ETRAILING, "%zu bytes follow the last transaction", reader->size - reader->at);
    if (status == PLEACH_OK && weight > WEIGHT_MAX)
        return pleach__fail(PLEACH_ERANGE, "weight %zu: a block has at most %d", weight, WEIGHT_MAX);
    return status;
}

/* Commitment and witnesses belong together; a block that was sent without witnesses is checked without them. */
static pleach_status check_commitment(pleach__chain_block *block)
{
    const bool coinbase = block->witnesses > 0 && block->witnessed[0] == 0;
    if (block->witnesses > 0 && !block->committed)
        return pleach__fail(PLEACH_EFORMAT, "transaction %zu has witnesses, but the coinbase commits to none",
                            block->witnessed[0]);
    if (block->witnesses > 0 && !coinbase)
        return pleach__fail(PLEACH_EFORMAT, "the coinbase commits to witnesses, but has not the value reserved for it");
    block->committed = coinbase;
    return PLEACH_OK;
}

pleach_status pleach__chain_block_reserve(pleach__chain_block *block, size_t count)
{
    block->transactions = calloc(count, sizeof *block->transactions);
    block->bases = calloc(count, sizeof *block->bases);
    block->witnessed = calloc(count, sizeof *block->witnessed);
    if (block->transactions == NULL || block->bases == NULL || block->witnessed == NULL)
        return pleach__fail(PLEACH_ENOMEM, "no memory for %zu transactions", count);
    block->count = count;
    return PLEACH_OK;
}

pleach_status pleach__chain_block_parse(pleach__chain_block *block, uint8_t *bytes, size_t size)
{
    struct reader reader = {.bytes = bytes, .size = size};
    uint64_t count = 0;
    *block = (pleach__chain_block){.memory = bytes};
    pleach_status status = skip(&reader, PLEACH__BITCOIN_HEADER_SIZE);
    if (status == PLEACH_OK)
        status = read_number(&reader, &count);
    if (status == PLEACH_OK && (count == 0 || count > (size - reader.at) / TRANSACTION_LEAST))
        status =
            pleach__fail(PLEACH_EFORMAT, "%llu transactions in %zu bytes", (unsigned long long)count, size - reader.at);
    if (status == PLEACH_OK)
        status = pleach__chain_block_reserve(block, (size_t)count);
    if (status != PLEACH_OK)
        return status;
    block->header = bytes;
    block->base_memory = malloc(size);
    if (block->base_memory == NULL)
        return pleach__fail(PLEACH_ENOMEM, "no memory for %zu bytes", size);
    status = read_transactions(block, &reader);
    return status == PLEACH_OK ? check_commitment(block) : status;
}

void pleach__chain_block_release(pleach__chain_block *block)
{
    free(block->transactions);
    free(block->bases);
    free(block->witnessed);
    free(block->memory);
    free(block->base_memory);
    *block = (pleach__chain_block){0};
}
