#ifndef PLEACH_H
#define PLEACH_H

/** All of Pleach. */

#include "config/config.h"
#include "kernels/blake3.h"
#include "kernels/kernels.h"
#include "merkle/bitcoin.h"
#include "merkle/cometbft.h"
#include "merkle/deposit.h"
#include "merkle/frontier.h"
#include "merkle/merkle.h"
#include "merkle/multiproof.h"
#include "merkle/proof.h"
#include "merkle/ssz.h"
#include "merkle/tree.h"
#include "pool/pool.h"

#endif
