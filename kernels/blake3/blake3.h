/* BLAKE3: modes, the root of an input and its output of any length; what the files of the family share. */
#ifndef PLEACH_BLAKE3_PRIVATE_H
#define PLEACH_BLAKE3_PRIVATE_H

#include "kernels/backend.h"
#include "kernels/blake_rounds.h"

enum {
    PLEACH__BLAKE3_BLOCK = 64,
    PLEACH__BLAKE3_CHUNK = 1024,
    PLEACH__BLAKE3_KEY = 32,
    PLEACH__BLAKE3_GROUP = 16, /* blocks of output that xof_groups writes together */
    PLEACH__LTHASH_LIMBS = 1024,
    PLEACH__LTHASH_WORDS = PLEACH__LTHASH_LIMBS / 2
};

/* The flags of a compression. */
enum {
    BLAKE3_CHUNK_START = 1,
    BLAKE3_CHUNK_END = 2,
    BLAKE3_PARENT = 4,
    BLAKE3_ROOT = 8,
    BLAKE3_KEYED_HASH = 16,
    BLAKE3_DERIVE_KEY_CONTEXT = 32,
    BLAKE3_DERIVE_KEY_MATERIAL = 64
};

/* What chunks and parents start from, and the flags of every compression. */
typedef struct pleach__blake3_mode {
    uint32_t key[8];
    uint32_t flags;
} pleach__blake3_mode;

extern const pleach__blake3_mode pleach__blake3_unkeyed;

pleach__blake3_mode pleach__blake3_keyed(const uint8_t key[PLEACH__BLAKE3_KEY]);
pleach__blake3_mode pleach__blake3_deriving(const uint8_t *context, size_t size);

/* The last compression of an input or, without BLAKE3_ROOT, of a subtree. */
typedef struct pleach__blake3_root {
    uint32_t cv[8];
    uint32_t block[16];
    uint32_t size; /* bytes of the block */
    uint32_t flags;
} pleach__blake3_root;

/* What a backend offers beside hashing. */
typedef struct pleach__blake3_backend {
    pleach__backend hashes; /* first: pleach__blake3_backend_of() finds the rest by it */

    /* The roots of n inputs at `stride`; any n, size and alignment. Reads nothing outside the inputs. */
    void (*roots)(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, size_t stride, size_t n,
                  pleach__blake3_root *roots);

    /* The chaining value of the subtree of an input, not all of it, whose first chunk is chunk `number`. */
    void (*chain)(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, uint64_t number, uint32_t cv[8]);

    /* Blocks first .. first + blocks - 1 of the output. */
    void (*xof)(const pleach__blake3_root *root, uint64_t first, size_t blocks, uint8_t *out);

    /* The same, sixteen blocks to a group, word by word: word w of block first + 16 g + i becomes
       words[256 g + 16 w + i]. */
    void (*xof_groups)(const pleach__blake3_root *root, uint64_t first, size_t groups, uint32_t *words);

    /* LtHash: adds to the state the first 2048 bytes of output of each of n roots, as 16-bit limbs mod 2^16, or
       subtracts them. The state is as two groups of xof_groups: word w of block 16 g + i is state[256 g + 16 w + i],
       and limb 32 (16 g + i) + 2 w + h is half h of it, 0 being the low one. At an address that 64 divides. */
    void (*lthash)(const pleach__blake3_root *roots, size_t n, bool subtract, uint32_t state[PLEACH__LTHASH_WORDS]);

    /* See pleach__blake3_roots_list(). */
    void (*roots_list)(const pleach__blake3_mode *mode, const pleach_input *inputs, size_t n,
                       pleach__blake3_root *roots);
} pleach__blake3_backend;

extern const pleach__blake3_backend pleach__blake3_portable, pleach__blake3_avx2, pleach__blake3_avx512,
    pleach__blake3_neon, pleach__blake3_sve2;

/* NULL = pleach_kernels_default(), which may be NULL too: then so is the result. */
const pleach__blake3_backend *pleach__blake3_backend_of(const pleach_kernels *kernels);

/* The roots of n inputs of differing sizes, any alignment; those of more than one block and at most a chunk share
   lanes. roots[i] is that of inputs[i]. */
void pleach__blake3_roots_list(const pleach__blake3_backend *backend, const pleach__blake3_mode *mode,
                               const pleach_input *inputs, size_t n, pleach__blake3_root *roots);

/* Compares lthash and roots_list with the reference, on distinct inputs in every lane. */
bool pleach__blake3_probe(const pleach__backend *backend);

/* `size` bytes of the output from byte `offset` on. */
void pleach__blake3_output(const pleach__blake3_backend *backend, const pleach__blake3_root *root, uint64_t offset,
                           uint8_t *out, size_t size);

/* Bytes of the left subtree of an input of more than one chunk. */
size_t pleach__blake3_left_size(size_t size);

/* The chaining value that the last compression of an input or of several chunks gives. */
void pleach__blake3_chain(const pleach__blake3_root *top, uint32_t cv[8]);

/* Of what is hashed in a mode, out_size bytes of output from byte `offset` on. From the specification. */
void pleach__blake3_reference_output(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, uint64_t offset,
                                     uint8_t *out, size_t out_size);

/* Adds the first 2048 bytes of output of what is hashed in a mode to limbs, or subtracts them. From the definition. */
void pleach__blake3_reference_lthash(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, bool subtract,
                                     uint16_t limbs[PLEACH__LTHASH_LIMBS]);

/* The limbs of a state as lthash has it. */
void pleach__blake3_reference_limbs(const uint32_t state[PLEACH__LTHASH_WORDS], uint16_t limbs[PLEACH__LTHASH_LIMBS]);

void pleach__blake3_reference_chain(const pleach__blake3_mode *mode, const uint8_t *in, size_t size, uint64_t number,
                                    uint32_t cv[8]);

void pleach__blake3_reference(const pleach__hash_form *form, const uint8_t *in, uint8_t digest[PLEACH_DIGEST_SIZE]);

#endif
