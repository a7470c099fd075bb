/* Numbers in encodings. */
#ifndef PLEACH_LITTLE_ENDIAN_H
#define PLEACH_LITTLE_ENDIAN_H

#include <stdint.h>

static inline void pleach__put16(uint8_t *bytes, uint16_t value)
{
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
}

static inline void pleach__put32(uint8_t *bytes, uint32_t value)
{
    pleach__put16(bytes, (uint16_t)value);
    pleach__put16(bytes + 2, (uint16_t)(value >> 16));
}

static inline void pleach__put64(uint8_t *bytes, uint64_t value)
{
    pleach__put32(bytes, (uint32_t)value);
    pleach__put32(bytes + 4, (uint32_t)(value >> 32));
}

static inline uint16_t pleach__get16(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static inline uint32_t pleach__get32(const uint8_t *bytes)
{
    return pleach__get16(bytes) | (uint32_t)pleach__get16(bytes + 2) << 16;
}

static inline uint64_t pleach__get64(const uint8_t *bytes)
{
    return pleach__get32(bytes) | (uint64_t)pleach__get32(bytes + 4) << 32;
}

#endif
