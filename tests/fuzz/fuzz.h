/* What the fuzz targets share: one program each, whose input is what a peer or a damaged file could hand to a decoder.
 */
#ifndef PLEACH_FUZZ_H
#define PLEACH_FUZZ_H

#include "engine/pleach.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* What must hold for every input. */
#define EXPECT(condition) \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

#endif
