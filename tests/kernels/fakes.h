/* Backends that are wrong in one way each, and a family of them. */
#ifndef PLEACH_FAKES_H
#define PLEACH_FAKES_H

#include "kernels_test.h"

extern const pleach__backend fake_right, fake_swaps_lanes, fake_last_lane, fake_spare_lane, fake_many_blocks,
    fake_padded, fake_fold_root, fake_fold_level, fake_list_order, fake_list_size, fake_unusable, fake_streaming;

/* Its backends, with a NULL behind them. */
pleach__family fake_family(const pleach__backend *const *backends);

/* How often fake_streaming hashed. */
extern unsigned fake_streaming_calls;

#endif
