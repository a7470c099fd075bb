#include "merkle/scheme_format.h"

#include "config/error.h"
#include "config/little_endian.h"
#include "merkle/scheme.h"

#include <string.h>

_Static_assert(PLEACH_BLAKE2S == 0 && PLEACH_SHA256 == 1 && PLEACH_BLAKE3 == 2, "families are stored by value");
_Static_assert(PLEACH_LONE_REFUSED == 0 && PLEACH_LONE_PROMOTED == 1 && PLEACH_LONE_DUPLICATED == 2 &&
                   PLEACH_LONE_ZERO_PADDED == 3,
               "lone rules are stored by value");
_Static_assert(PLEACH_EMPTY_REFUSED == 0 && PLEACH_EMPTY_HASH == 1 && PLEACH_EMPTY_ZEROS == 2,
               "empty rules are stored by value");

enum { GIVEN = 1, LEAF_TWICE = 2, NODE_TWICE = 4 };

void pleach__scheme_encode(const pleach_scheme *scheme, uint8_t *bytes)
{
    memset(bytes, 0, PLEACH__SCHEME_SIZE);
    bytes[0] = (uint8_t)scheme->family;
    bytes[1] = (uint8_t)((scheme->leaf_given ? GIVEN : 0) | (scheme->leaf_twice ? LEAF_TWICE : 0) |
                         (scheme->node_twice ? NODE_TWICE : 0));
    pleach__put16(bytes + 2, (uint16_t)scheme->leaf_prefix);
    pleach__put16(bytes + 4, (uint16_t)scheme->node_prefix);
    bytes[6] = (uint8_t)scheme->lone;
    bytes[7] = (uint8_t)scheme->empty;
    bytes[8] = (uint8_t)scheme->depth;
}

static int prefix_of(const uint8_t *bytes)
{
    uint16_t prefix = pleach__get16(bytes);
    return prefix == UINT16_MAX ? PLEACH_NO_PREFIX : prefix;
}

static const char *name_of(const uint8_t *bytes)
{
    const pleach_scheme *preset;
    for (size_t i = 0; (preset = pleach_scheme_preset(i)) != NULL; i++) {
        uint8_t rules[PLEACH__SCHEME_SIZE];
        pleach__scheme_encode(preset, rules);
        if (memcmp(rules, bytes, sizeof rules) == 0)
            return preset->name;
    }
    return "custom";
}

pleach_status pleach__scheme_decode(const uint8_t *bytes, pleach_scheme *scheme)
{
    uint8_t rules[PLEACH__SCHEME_SIZE];
    const pleach_scheme decoded = {
        .name = name_of(bytes),
        .family = (pleach_family)bytes[0],
        .leaf_given = (bytes[1] & GIVEN) != 0,
        .leaf_prefix = prefix_of(bytes + 2),
        .node_prefix = prefix_of(bytes + 4),
        .leaf_twice = (bytes[1] & LEAF_TWICE) != 0,
        .node_twice = (bytes[1] & NODE_TWICE) != 0,
        .lone = (pleach_lone_node)bytes[6],
        .empty = (pleach_empty_tree)bytes[7],
        .depth = bytes[8],
    };
    pleach__hashing hashing; /* made only to see whether it can be */
    if (pleach__scheme_hashing(&decoded, PLEACH_DIGEST_SIZE, 0, &hashing) != PLEACH_OK)
        return pleach__fail(PLEACH_EFORMAT, "encoded %s", pleach_last_error());
    pleach__scheme_encode(&decoded, rules);
    if (memcmp(rules, bytes, sizeof rules) != 0)
        return pleach__fail(PLEACH_EFORMAT, "encoded scheme: bits are set that mean nothing");
    *scheme = decoded;
    return PLEACH_OK;
}

void pleach__preamble_encode(const char *kind, const pleach_scheme *scheme, uint64_t count, uint8_t *bytes)
{
    memcpy(bytes, kind, PLEACH__KIND_SIZE);
    pleach__put32(bytes + 8, PLEACH__FORMAT_VERSION);
    pleach__scheme_encode(scheme, bytes + 12);
    pleach__put64(bytes + 24, count);
}

pleach_status pleach__preamble_decode(const char *kind, const uint8_t *bytes, size_t size, pleach_scheme *scheme,
                                      uint64_t *count)
{
    if (memcmp(bytes, kind, size < PLEACH__KIND_SIZE ? size : PLEACH__KIND_SIZE) != 0)
        return pleach__fail(PLEACH_EFORMAT, "encoding: does not begin with %.*s", PLEACH__KIND_SIZE, kind);
    if (size < PLEACH__PREAMBLE_SIZE)
        return pleach__fail(PLEACH_ETRUNCATED, "encoding: %zu bytes: begins with %d", size, PLEACH__PREAMBLE_SIZE);
    if (pleach__get32(bytes + 8) != PLEACH__FORMAT_VERSION)
        return pleach__fail(PLEACH_EVERSION, "encoding: version = %u: only %d is read",
                            (unsigned)pleach__get32(bytes + 8), PLEACH__FORMAT_VERSION);
    pleach_scheme decoded;
    pleach_status status = pleach__scheme_decode(bytes + 12, &decoded);
    if (status != PLEACH_OK)
        return status;
    const uint64_t leaves = pleach__get64(bytes + 24), most = (uint64_t)1 << (decoded.depth > 0 ? decoded.depth : 63);
    if (leaves > most)
        return pleach__fail(PLEACH_EFORMAT, "encoding: %llu leaves: its scheme takes at most %llu",
                            (unsigned long long)leaves, (unsigned long long)most);
    *scheme = decoded;
    *count = leaves;
    return PLEACH_OK;
}
