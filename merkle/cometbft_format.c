#include "merkle/cometbft_format.h"

#include "config/error.h"

#include <string.h>

/* A field's number and what kind of value follows: 0, a varint; 2, a size and bytes. */
enum { TOTAL = 1 << 3 | 0, INDEX = 2 << 3 | 0, LEAF_HASH = 3 << 3 | 2, AUNT = 4 << 3 | 2 };

uint8_t *pleach__put_varint(uint8_t *bytes, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *bytes++ = (uint8_t)(value | 0x80);
    *bytes++ = (uint8_t)value;
    return bytes;
}

uint8_t *pleach__put_bytes(uint8_t *bytes, const uint8_t *data, size_t size)
{
    bytes = pleach__put_varint(bytes, size);
    memcpy(bytes, data, size);
    return bytes + size;
}

static uint8_t *put_number(uint8_t *bytes, uint8_t field, int64_t value)
{
    if (value == 0)
        return bytes;
    *bytes++ = field;
    return pleach__put_varint(bytes, (uint64_t)value);
}

static uint8_t *put_hash(uint8_t *bytes, uint8_t field, const uint8_t *hash)
{
    *bytes++ = field;
    return pleach__put_bytes(bytes, hash, PLEACH_DIGEST_SIZE);
}

pleach_status pleach_cometbft_proof_encode(const pleach_cometbft_proof *proof, uint8_t *bytes, size_t capacity,
                                           size_t *size)
{
    if (!proof || !bytes || !size)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", !proof ? "proof" : !bytes ? "bytes" : "size");
    pleach_status status = pleach__cometbft_check(proof);
    if (status != PLEACH_OK)
        return status;
    uint8_t head[2 * (1 + PLEACH__VARINT_MAX)];
    const size_t numbers = (size_t)(put_number(put_number(head, TOTAL, proof->total), INDEX, proof->index) - head);
    const size_t needed = numbers + (1 + proof->aunts) * (2 + PLEACH_DIGEST_SIZE);
    if (capacity < needed)
        return pleach__fail(PLEACH_ERANGE, "capacity = %zu: the encoding has %zu bytes", capacity, needed);
    memcpy(bytes, head, numbers);
    bytes = put_hash(bytes + numbers, LEAF_HASH, proof->leaf_hash);
    for (size_t i = 0; i < proof->aunts; i++)
        bytes = put_hash(bytes, AUNT, proof->aunt[i]);
    *size = needed;
    return PLEACH_OK;
}

struct reader {
    const uint8_t *start, *at, *end;
};

static pleach_status ends_early(const struct reader *reader)
{
    return pleach__fail(PLEACH_ETRUNCATED, "proof: ends after %td bytes", reader->end - reader->start);
}

static pleach_status malformed(const struct reader *reader, const char *what)
{
    return pleach__fail(PLEACH_EFORMAT, "proof: byte %td: %s", reader->at - reader->start, what);
}

static pleach_status read_varint(struct reader *reader, uint64_t *value)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < PLEACH__VARINT_MAX; i++) {
        if (reader->at == reader->end)
            return ends_early(reader);
        const uint8_t byte = *reader->at;
        if (i + 1 == PLEACH__VARINT_MAX && byte > 1)
            break;
        sum |= (uint64_t)(byte & 0x7f) << 7 * i;
        if (byte == 0 && i > 0)
            return malformed(reader, "a number has more bytes than it needs");
        reader->at++;
        if (byte < 0x80) {
            *value = sum;
            return PLEACH_OK;
        }
    }
    return malformed(reader, "a number has more than 64 bits");
}

static bool has_field(const struct reader *reader, uint8_t field)
{
    return reader->at < reader->end && *reader->at == field;
}

static pleach_status read_number(struct reader *reader, uint8_t field, int64_t *number)
{
    uint64_t value = 0;
    *number = 0;
    if (!has_field(reader, field))
        return PLEACH_OK;
    reader->at++;
    pleach_status status = read_varint(reader, &value);
    if (status != PLEACH_OK)
        return status;
    if (value == 0)
        return malformed(reader, "a number that is 0 must be left out");
    *number = value <= INT64_MAX ? (int64_t)value : -(int64_t)(UINT64_MAX - value) - 1;
    return PLEACH_OK;
}

static pleach_status read_hash(struct reader *reader, uint8_t *hash)
{
    uint64_t size = 0;
    reader->at++; /* the field */
    pleach_status status = read_varint(reader, &size);
    if (status != PLEACH_OK)
        return status;
    if (size != PLEACH_DIGEST_SIZE)
        return malformed(reader, "a hash has not 32 bytes");
    if (reader->end - reader->at < PLEACH_DIGEST_SIZE)
        return ends_early(reader);
    memcpy(hash, reader->at, PLEACH_DIGEST_SIZE);
    reader->at += PLEACH_DIGEST_SIZE;
    return PLEACH_OK;
}

static pleach_status read_hashes(struct reader *reader, pleach_cometbft_proof *proof)
{
    if (reader->at == reader->end)
        return ends_early(reader);
    if (!has_field(reader, LEAF_HASH))
        return malformed(reader, "not the field that must be next");
    pleach_status status = read_hash(reader, proof->leaf_hash);
    for (; status == PLEACH_OK && has_field(reader, AUNT); proof->aunts++) {
        if (proof->aunts == PLEACH_COMETBFT_AUNTS_MAX)
            return pleach__fail(PLEACH_EPROOFLIMIT, "proof: more than %d aunts", PLEACH_COMETBFT_AUNTS_MAX);
        status = read_hash(reader, proof->aunt[proof->aunts]);
    }
    if (status == PLEACH_OK && reader->at < reader->end)
        return malformed(reader, "only aunts may follow");
    return status;
}

pleach_status pleach_cometbft_proof_decode(const uint8_t *bytes, size_t size, pleach_cometbft_proof *proof)
{
    if ((!bytes && size > 0) || !proof)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", proof ? "bytes" : "proof");
    if (size > PLEACH_COMETBFT_PROOF_SIZE_MAX)
        return pleach__fail(PLEACH_EPROOFLIMIT, "size = %zu: a proof has at most %d bytes", size,
                            PLEACH_COMETBFT_PROOF_SIZE_MAX);
    const uint8_t *start = size > 0 ? bytes : (const uint8_t *)"";
    struct reader reader = {.start = start, .at = start, .end = start + size};
    pleach_cometbft_proof found = {.total = 0};
    pleach_status status = read_number(&reader, TOTAL, &found.total);
    if (status == PLEACH_OK)
        status = read_number(&reader, INDEX, &found.index);
    if (status == PLEACH_OK)
        status = read_hashes(&reader, &found);
    if (status == PLEACH_OK)
        status = pleach__cometbft_check(&found);
    if (status == PLEACH_OK)
        *proof = found;
    return status;
}
