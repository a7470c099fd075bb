/* What a hash family offers to the rooms above: plans, backends, references, and the choice among them. */
#ifndef PLEACH_BACKEND_H
#define PLEACH_BACKEND_H

#include "kernels/cpu.h"
#include "kernels/kernels.h"

/* The form that all inputs of a call have. What is hashed is: prefix, then `zeros` zero bytes, then the stored bytes.
 */
typedef struct pleach__hash_form {
    size_t size;  /* stored bytes of an input */
    size_t zeros; /* zero bytes that are hashed before them and not stored */
    int prefix;   /* a byte that is hashed before everything, 0..255, or PLEACH__NO_PREFIX */
    bool twice;   /* the digest is hashed once more (SHA-256d) */
} pleach__hash_form;

enum { PLEACH__NO_PREFIX = -1 };

/* A form, and what can be computed from it once. */
typedef struct pleach__hash_plan {
    pleach__hash_form form;
    uint32_t state[8]; /* chaining value after the leading whole blocks of zeros */
    uint64_t hashed;   /* bytes in that value */
    size_t lead;       /* zero bytes left in front of the stored ones, below 64 */
} pleach__hash_plan;

/* Largest height of one fold: bounds the kernels' stacks. */
enum { PLEACH__FOLD_HEIGHT_MAX = 14 };

/*
 * A perfect subtree: 2^height leaves to one root. Leaves that are digests already are folded in pairs: as leaves of 64
 * bytes hashed by the node plan, one level lower.
 */
typedef struct pleach__fold {
    const pleach__hash_plan *leaf;
    const pleach__hash_plan *node; /* of 64-byte inputs */
    const uint8_t *leaves;         /* leaf i at leaves + i * stride */
    size_t stride;
    unsigned height;       /* at most PLEACH__FOLD_HEIGHT_MAX */
    uint8_t *const *level; /* height + 1 places; level[l] takes the 2^(height - l) digests of level l, or is NULL:
                              not stored; level[height] must be given */
} pleach__fold;

/* Some inputs of a call, whose messages have equally many blocks. */
typedef struct pleach__list {
    const struct pleach__family *family;
    const pleach__hash_plan *plan; /* of the first one: its form.size is that input's, everything else is all inputs' */
    const pleach_input *inputs;
    const uint16_t *order; /* the n inputs: inputs[order[0]], ... */
    size_t n;
    uint8_t *out; /* the digest of inputs[i] goes to out + 32 * i */
} pleach__list;

typedef struct pleach__backend {
    const char *name;
    const char *needs; /* for people: the instructions it is made of */
    unsigned lanes;
    bool streaming; /* only for workers that hold a streaming slot */
    bool (*usable)(const pleach__cpu *cpu);

    /*
     * n inputs at `stride`, digest i to out + 32 * i; any n, also 0. Reads nothing outside the n inputs. `out` may be
     * `in` where stride >= 32: a digest is never written over an input that is still to be read.
     */
    void (*hash_many)(const pleach__hash_plan *plan, const uint8_t *in, size_t stride, size_t n, uint8_t *out);

    void (*fold)(const pleach__fold *fold);

    void (*hash_list)(const pleach__list *list);

    /* BLAKE2s: compressions one by one, see kernels/blake2s/compress.h; NULL for other families. */
    const struct pleach__compress_lanes *compress_lanes;
} pleach__backend;

typedef struct pleach__family {
    const char *name;
    /* Fails with PLEACH_EINVAL if the family has no such form, PLEACH_ERANGE if the input would be too long. */
    pleach_status (*plan)(pleach__hash_plan *plan, const pleach__hash_form *form);
    unsigned padding; /* bytes that every message is lengthened by at least, before it is filled up to whole blocks */
    /* One input, written from the specification, never optimised: what every backend is compared with. */
    void (*reference)(const pleach__hash_form *form, const uint8_t *in, uint8_t digest[PLEACH_DIGEST_SIZE]);
    const pleach__backend *const *backends; /* compiled in; best first, portable last, then NULL */
    /* What pleach__probe() does for what backends offer beside hashing, or NULL. A family that does not hash has this,
       a name and backends. */
    bool (*probe)(const pleach__backend *backend);
} pleach__family;

extern const pleach__family pleach__blake2s, pleach__sha256, pleach__blake3, pleach__urm;

/* NULL if there is no such family. */
const pleach__family *pleach__family_of(pleach_family family);

/* NULL if there is no such family, or it does not hash. */
const pleach__family *pleach__hash_family_of(pleach_family family);

struct pleach_kernels {
    const pleach__backend *backend[PLEACH_FAMILIES];
};

/* Why a backend was not chosen. */
typedef enum pleach__passed_over {
    PLEACH__CHOSEN,
    PLEACH__OUTRANKED,    /* usable; a better one was chosen */
    PLEACH__NOT_PINNED,   /* usable; the settings name another */
    PLEACH__NO_FEATURE,   /* this host lacks instructions it needs */
    PLEACH__NO_SLOT,      /* streaming, and not for this kind of worker */
    PLEACH__PROBE_FAILED, /* gave wrong digests here */
} pleach__passed_over;

/*
 * Chooses the kernels for one kind of worker: for each family the pinned backend, or the best usable one that passes
 * its probe. `streaming`: the worker holds a streaming slot.
 *
 * PLEACH_EBACKEND: a pin names a family or a backend that does not exist, or one this host cannot run, or whose probe
 * fails; the text says what would be accepted. A backend that fails its probe unpinned is passed over with a warning.
 * Each backend is probed once in the life of the process.
 */
pleach_status pleach__kernels_select(pleach_kernels *kernels, const pleach_config *config, bool streaming);

/* The same for one family, whose pins are known to name backends that exist. */
pleach_status pleach__choose(const pleach__family *family, const pleach_config *config, bool streaming,
                             const pleach__backend **chosen);

/* For reports: what selection makes of a backend of a family, given the outcome of the selection. */
pleach__passed_over pleach__kernels_explain(const pleach_kernels *kernels, const pleach_config *config,
                                            pleach_family family, const pleach__backend *backend);

/* Compares a backend with the family's reference on distinct inputs in every lane; true if all digests agree. Leaves
   the last error alone. */
bool pleach__probe(const pleach__family *family, const pleach__backend *backend);

/* A fold level by level over a hash_many; for backends without a better way. */
void pleach__fold_levels(const pleach__fold *fold, const pleach__backend *backend);

/*
 * n inputs, each of its own size; form->size is not looked at. The digest of inputs[i] goes to out + 32 * i. Fails as
 * the family's plan() does for the largest input; nothing is written then.
 */
pleach_status pleach__hash_list(const pleach__family *family, const pleach__backend *backend,
                                const pleach__hash_form *form, const pleach_input *inputs, size_t n, uint8_t *out);

enum { PLEACH__LIST_BATCH = 1 << 12 /* inputs that are sorted together: bounds the stack */ };

/* Sorts n indices by blocks[order[i]], n <= PLEACH__LIST_BATCH; those of equally many blocks stay in their order. */
void pleach__list_sort(const uint16_t *blocks, uint16_t *order, size_t n);

/* A list, one input after the other, by a hash_many. */
void pleach__list_singly(const pleach__list *list, const pleach__backend *backend);

/* Stores the digests of the first n inputs of a list. */
void pleach__list_store(const pleach__list *list, const uint8_t *digests, size_t n);

/* The first n inputs of a list, and the others. */
pleach__list pleach__list_first(const pleach__list *list, size_t n);
pleach__list pleach__list_rest(const pleach__list *list, size_t n);

#endif
