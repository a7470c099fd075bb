/* Bytes as text: UTF-8 as it is, hex digits, or base64. */
#ifndef PLEACH_ENCODING_H
#define PLEACH_ENCODING_H

#include "config/config.h"

typedef enum pleach__encoding { PLEACH__TEXT, PLEACH__HEX, PLEACH__BASE64, PLEACH__ENCODINGS } pleach__encoding;

/* "text", "hex", "base64"; false if it is none of them. */
bool pleach__encoding_find(const char *name, pleach__encoding *encoding);

/*
 * Decodes `size` characters into bytes, of which there are never more than characters. Hex digits are of either case,
 * two a byte. Base64 is that of RFC 4648 section 4, padded, with no bits set that are left over. PLEACH_EFORMAT.
 */
pleach_status pleach__decode(pleach__encoding encoding, const char *text, size_t size, uint8_t *bytes, size_t *count);

#endif
