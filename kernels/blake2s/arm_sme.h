/* BLAKE2s in streaming mode: what its files share. */
#ifndef PLEACH_BLAKE2S_ARM_SME_H
#define PLEACH_BLAKE2S_ARM_SME_H

#include "kernels/blake2s/blake2s.h"
#include "kernels/blake2s/compress.h"

/* Takes over what is too small for streaming mode, and everything on a thread that cannot enter it now. */
#define BLAKE2S_ORDINARY pleach__blake2s_neon

/* Of sixteen lanes. */
extern const pleach__compress_lanes pleach__blake2s_sme_lanes;

#endif
