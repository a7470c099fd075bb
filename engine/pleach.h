#ifndef PLEACH_H
#define PLEACH_H

/** All of Pleach. */

#include "config/config.h"
#include "engine/engine.h"
#include "kernels/blake3.h"
#include "kernels/kernels.h"
#include "lthash/lthash.h"
#include "lthash/sei.h"
#include "lthash/solana.h"
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
#include "proving/urm.h"
#include "xmss/key.h"
#include "xmss/trace.h"
#include "xmss/xmss.h"

#endif
