#ifndef PLEACH_H
#define PLEACH_H

/** All of Pleach. */

#include "config/config.h"
#include "kernels/blake3.h"
#include "kernels/kernels.h"
#include "merkle/merkle.h"
#include "pool/pool.h"

#endif
