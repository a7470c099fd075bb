#ifndef PLEACH_CONFIG_H
#define PLEACH_CONFIG_H

/**
 * Status codes, error texts, settings and logging: what every other room speaks.
 *
 * Rules that hold for the whole library: a function that can fail returns a pleach_status; on failure its outputs and
 * the object it was called on are as they were, and pleach_last_error() names the argument, its value and the limit.
 * Sizes are in bytes unless the name says otherwise.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PLEACH_API __attribute__((visibility("default")))
#else
#define PLEACH_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define PLEACH_VERSION_MAJOR 0
#define PLEACH_VERSION_MINOR 1
#define PLEACH_VERSION_PATCH 0
#define PLEACH_VERSION       "0.1.0"

/** Version of the library that runs, as "major.minor.patch"; PLEACH_VERSION is that of the header compiled against. */
PLEACH_API const char *pleach_version(void);

/** Every status: name, value, text. Values never change; new ones are added at the end. */
#define PLEACH_STATUS_MAP(X)                                                  \
    X(OK, 0, "no error")                                                      \
    X(EINVAL, 1, "invalid argument")                                          \
    X(ERANGE, 2, "size or index out of range")                                \
    X(ENOMEM, 3, "out of memory")                                             \
    X(ECANCELED, 4, "cancelled")                                              \
    X(EFORKED, 5, "the pool belongs to the parent of this process")           \
    X(ECLOSED, 6, "the pool is being destroyed")                              \
    X(EBUSY, 7, "a task may not destroy the pool it runs on")                 \
    X(ESETTING, 8, "a setting has a value that is not accepted")              \
    X(EBACKEND, 9, "no such backend, or this host cannot run it")             \
    X(EIO, 10, "input could not be read")                                     \
    X(EPROOFINDEX, 11, "proof for a leaf that is not in the tree")            \
    X(EPROOFLENGTH, 12, "proof has the wrong number of nodes")                \
    X(EPROOFROOT, 13, "proof does not lead to the root")                      \
    X(EFORMAT, 14, "encoding is malformed")                                   \
    X(EVERSION, 15, "encoding has a version that is not supported")           \
    X(ETRUNCATED, 16, "encoding ends early")                                  \
    X(ETRAILING, 17, "bytes follow the end of an encoding")                   \
    X(ECHECKSUM, 18, "checksum does not match")                               \
    X(EPROOFEMPTY, 19, "proof over nothing proves nothing")                   \
    X(EPROOFLIMIT, 20, "proof exceeds a limit of its format")                 \
    X(EPROOFORDER, 21, "older tree has more leaves than the newer")           \
    X(EPROOFLEAF, 22, "proof is of another leaf")                             \
    X(EPROOFROWS, 23, "proof has rows for other queries")                     \
    X(EPROOFROWSIZE, 24, "proof has a row of the wrong size")                 \
    X(EPROOFMISSING, 25, "proof lacks nodes")                                 \
    X(EPROOFUNUSED, 26, "proof has nodes that are not used")                  \
    X(EPROOFBITS, 27, "proof has too few or unused flag bits")                \
    X(EPROOFMUTATED, 28, "proof repeats a node as its own sibling")           \
    X(EPROOFDUPLICATE, 29, "proof names a leaf twice")                        \
    X(EPROOFUNSORTED, 30, "proof names leaves out of order")                  \
    X(EKEY, 31, "states have different keys")                                 \
    X(EXMSSSIZE, 32, "signature has the wrong size")                          \
    X(EXMSSENCODING, 33, "message gives no valid encoding")                   \
    X(EXMSSROOT, 34, "signature does not lead to the public key")             \
    X(EXMSSEPOCH, 35, "epoch outside of the key's range")                     \
    X(EXMSSUSED, 36, "epoch was used already")                                \
    X(EXMSSSTATE, 37, "signer's state is missing, damaged or of another key") \
    X(EBLOCK, 38, "no block is open")                                         \
    X(EBLOCKOPEN, 39, "a block is open")                                      \
    X(EBLOCKHEIGHT, 40, "block comes out of the order of heights")            \
    X(EROLLBACK, 41, "height cannot be gone back to")                         \
    X(EOBJECT, 42, "no such tree or accumulator")                             \
    X(EOBJECTNAME, 43, "name is not accepted, or taken")                      \
    X(ELOCKED, 44, "directory belongs to another engine")                     \
    X(ESNAPSHOT, 45, "all snapshots are damaged")                             \
    X(EINUSE, 46, "engine has open views or work in flight")

typedef enum pleach_status {
#define PLEACH_STATUS_ENTRY(name, value, text) PLEACH_##name = value,
    PLEACH_STATUS_MAP(PLEACH_STATUS_ENTRY)
#undef PLEACH_STATUS_ENTRY
        PLEACH_ETASK = 1000 /**< first status that a pool task may use for faults of its own */
} pleach_status;

/** Name of a status without its prefix, such as "EINVAL"; "ETASK" from 1000 on; "unknown" otherwise. Never NULL. */
PLEACH_API const char *pleach_status_name(pleach_status status);

/** One line on what a status means. Never NULL. */
PLEACH_API const char *pleach_status_text(pleach_status status);

/**
 * Detail of the last failure of a library call on this thread: which argument, which value, what would be accepted.
 * Never NULL; valid until the next failing call on this thread. Calls that succeed leave it alone.
 */
PLEACH_API const char *pleach_last_error(void);

/** A number setting that the library chooses by itself. */
#define PLEACH_AUTO (-1)

/** Most workers a pool can have. */
#define PLEACH_WORKERS_MAX 1024

/** Room for pins, terminator included. */
#define PLEACH_BACKEND_SIZE 160

typedef enum pleach_huge_pages {
    PLEACH_HUGE_PAGES_AUTO, /**< ask for them for buffers of several megabytes */
    PLEACH_HUGE_PAGES_ON,   /**< ask for them for every buffer of at least one huge page */
    PLEACH_HUGE_PAGES_OFF
} pleach_huge_pages;

typedef enum pleach_log_level {
    PLEACH_LOG_OFF,
    PLEACH_LOG_ERROR,
    PLEACH_LOG_WARN,
    PLEACH_LOG_INFO,
    PLEACH_LOG_DEBUG
} pleach_log_level;

/** Receives one line without its newline. May be called from any thread, also from several at once. */
typedef void (*pleach_log_callback)(void *context, pleach_log_level level, const char *line);

/**
 * Memory that the host brings for a pool and all that is made on it: the pool itself, trees, buffers. Not for the
 * stacks of its threads, nor for what the system's libraries allocate by themselves.
 *
 * Both functions are called from any thread, also from several at once, and must not call the library. They and what
 * context points at outlive the pool, in a forked child too if it destroys the pool there.
 */
typedef struct pleach_allocator {
    /** Returns at least size bytes, which is never 0, with any content, at a multiple of alignment: a power of two from
        64 to 4096. NULL = there is no memory: the call that needed it then fails with PLEACH_ENOMEM. */
    void *(*allocate)(void *context, size_t size, size_t alignment);
    /** Takes back what allocate returned, never NULL, with the size that was asked for. */
    void (*release)(void *context, void *memory, size_t size);
    /** Handed to both. */
    void *context;
} pleach_allocator;

/**
 * Settings. Filled in this order: pleach_config_init(), pleach_config_from_env(), the caller's own assignments; then
 * checked by pleach_config_validate(), which every function that takes a config calls too. A plain value: it owns
 * nothing and may be copied.
 */
typedef struct pleach_config {
    /** PLEACH_WORKERS: performance workers, the caller included; 0 = automatic, 1 = strictly sequential, no threads at
        all. */
    int workers;
    /** PLEACH_EFFICIENCY_WORKERS: extra workers on efficiency cores; PLEACH_AUTO = one for each of these if workers is
        automatic too, else none. None beside workers = 1; together with workers at most PLEACH_WORKERS_MAX. */
    int efficiency_workers;
    /** PLEACH_SME_WORKERS: streaming slots that may be used; PLEACH_AUTO = one for each streaming unit that no other
       pool of the process has; 0 = SME code is never touched, not even probed. */
    int sme_workers;
    /** PLEACH_BACKEND: pins, such as "blake2s:avx2,sha256:shani", or one name for all families that have it, such as
        "portable"; empty = choose. */
    char backend[PLEACH_BACKEND_SIZE];
    /** PLEACH_PIN: bind workers to cores (Linux): on or off; 1, 0, true, false, yes and no will do. If off, those that
        hold a streaming slot are still bound to the cores of their unit. */
    bool pin_threads;
    /** PLEACH_HUGE_PAGES: auto, on, off. */
    pleach_huge_pages huge_pages;
    /** PLEACH_SPIN_US: microseconds for which an idle worker spins before it parks, and a caller before it sleeps until
        the last claims of its job are done; at most 1000000. */
    unsigned spin_us;
    /** PLEACH_LOG: off, error, warn, info, debug. */
    pleach_log_level log_level;
    /** NULL = lines go to standard error. */
    pleach_log_callback log;
    /** Handed to log. */
    void *log_context;
    /** Where memory comes from; functions of NULL = a jemalloc arena of the pool's own if the program has jemalloc, or
        else mappings of its own. PLEACH_HUGE_PAGES is about these and not about what the host brings. */
    pleach_allocator allocator;
} pleach_config;

/** Sets every field to its default. */
PLEACH_API void pleach_config_init(pleach_config *config);

/**
 * Set one setting from its text, as the environment would.
 *
 * @param name   Variable name, such as "PLEACH_WORKERS".
 * @param value  Its text; "auto" is accepted wherever automatic is.
 *
 * @retval PLEACH_EINVAL    A pointer is NULL or there is no such setting; the text lists the settings.
 * @retval PLEACH_ESETTING  The value does not parse or is out of range; the text names the variable, the value and what
 *                          would be accepted. config is unchanged.
 */
PLEACH_API pleach_status pleach_config_set(pleach_config *config, const char *name, const char *value);

/**
 * Take every setting that is in the environment. An empty variable counts as absent.
 *
 * @retval PLEACH_ESETTING  As pleach_config_set(); config is unchanged.
 *
 * Not safe while another thread changes the environment.
 */
PLEACH_API pleach_status pleach_config_from_env(pleach_config *config);

/**
 * Check every field.
 *
 * @retval PLEACH_EINVAL    config is NULL.
 * @retval PLEACH_ESETTING  A field is out of range, or the pins are not of the form family:backend. Whether a backend
 *                          exists and this host can run it is found by pleach_pool_create().
 */
PLEACH_API pleach_status pleach_config_validate(const pleach_config *config);

#ifdef __cplusplus
}
#endif
#endif
