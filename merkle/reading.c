#include "merkle/reading.h"

#include "merkle/stream.h"

pleach_status pleach__read_part(pleach__reading *reading, uint8_t *buffer, size_t size, size_t *filled)
{
    pleach_status status = PLEACH_OK;
    *filled = 0;
    for (size_t got = 1; got > 0 && *filled < size && status == PLEACH_OK; *filled += got, reading->bytes += got)
        status =
            pleach__read_some(reading->read, reading->context, reading->bytes, buffer + *filled, size - *filled, &got);
    return status;
}

pleach_status pleach__read_left(pleach__reading *reading, uint8_t *buffer, size_t size, size_t *got)
{
    const size_t most = size < reading->left ? size : (size_t)reading->left;
    *got = 0;
    if (most == 0)
        return PLEACH_OK;
    pleach_status status = pleach__read_some(reading->read, reading->context, reading->bytes, buffer, most, got);
    if (status != PLEACH_OK)
        return status;
    pleach__blake3_add(&reading->hasher, buffer, *got);
    reading->bytes += *got;
    reading->left -= *got;
    return PLEACH_OK;
}
