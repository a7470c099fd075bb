#ifndef PLEACH_URM_GFNI_TEST_H
#define PLEACH_URM_GFNI_TEST_H

#include "kernels/urm/urm.h"

extern const pleach__urm_backend urm_gfni_complementing;

/* Whether this processor's affine instruction is wrong in that way. */
bool affine_complements(void);

#endif
