/* A list of signatures and of what they are said to sign. */
#ifndef PLEACH_XMSS_CLAIMS_H
#define PLEACH_XMSS_CLAIMS_H

#include "xmss/xmss.h"

/* Owned; the claims point into the bytes. */
typedef struct pleach__xmss_claims {
    pleach_xmss_claim *claims;
    size_t n;
    uint8_t *bytes, *decoded;
} pleach__xmss_claims;

/*
 * Reads the list at `path`, "-" for standard input. Binary: of each signature 1276 bytes, which are the public key, the
 * epoch, little-endian, the message and the signature. Else lines of NDJSON, objects of "public_key", "epoch",
 * "message" and "signature": a number and hex digits. PLEACH_EIO, PLEACH_ENOMEM; PLEACH_EFORMAT names the line.
 */
pleach_status pleach__xmss_claims_read(pleach__xmss_claims *list, const char *path, bool binary);

void pleach__xmss_claims_release(pleach__xmss_claims *list);

#endif
