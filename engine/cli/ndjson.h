/* One line of NDJSON: an item, or a key and its value, and the value it had before. */
#ifndef PLEACH_NDJSON_H
#define PLEACH_NDJSON_H

#include "engine/cli/encoding.h"
#include "kernels/kernels.h"

typedef struct pleach__ndjson_record {
    bool is_pair;
    pleach_input item;            /* unless it is a pair */
    pleach_input key, value, old; /* of a pair; what is not there is empty */
} pleach__ndjson_record;

/*
 * Reads a line, which holds one object and no newline. Its members are strings in the encoding: "item", or "key" and
 * "value"; of an update "key" with "old", "value" or both, where null stands for what is not there. The record's bytes
 * are in `room`, which has at least `size` bytes. PLEACH_EFORMAT.
 */
pleach_status pleach__ndjson_read(const uint8_t *line, size_t size, pleach__encoding encoding, bool update,
                                  uint8_t *room, pleach__ndjson_record *record);

#endif
