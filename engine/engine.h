#ifndef PLEACH_ENGINE_H
#define PLEACH_ENGINE_H

/**
 * What a node embeds: named trees and accumulators that change block by block, and can go back.
 *
 * Between blocks the engine holds a sealed state: the content of all its trees and accumulators at a height. A block is
 * begun, takes changes, and is sealed: all of them are worked off then, in one pass over the pool, and a new sealed
 * state takes the place of the old one, or after an error none. Sealed states never change. They share what blocks did
 * not touch, so going back to one of the last is a matter of pointers.
 *
 * Threads: an engine has one writer at a time, and any number of readers. Each function says which of the two its
 * caller is; "any" is a caller who need not care. Readers see sealed states only, and are never held up by a block: the
 * lock that they share with the writer is held to copy a few pointers. Work that was handed to pleach_engine_queue() is
 * a writer while it runs.
 *
 * A fork of the process may use none of its engines; their directories stay taken until it has ended too, or runs
 * another program.
 */

#include "lthash/lthash.h"
#include "merkle/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pleach_engine pleach_engine;

/** Most trees and accumulators of an engine. */
#define PLEACH_ENGINE_OBJECTS_MAX 1024

/** Most states of an accumulator, its total not counted. */
#define PLEACH_ENGINE_STATES_MAX 1024

/** Most characters of a name: of letters, digits, '.', '_' and '-'. */
#define PLEACH_ENGINE_NAME_MAX 64

/** Most blocks that can be gone back. */
#define PLEACH_ENGINE_ROLLBACK_MAX 4096

/** Zero-initialise it. */
typedef struct pleach_engine_options {
    const char *directory; /**< for snapshots; it exists, and belongs to the engine while that is open; NULL = none */
    unsigned rollback_blocks; /**< sealed blocks that can be gone back, at most PLEACH_ENGINE_ROLLBACK_MAX */
    pleach_pool *pool;        /**< outlives the engine; NULL = it starts one of its own */
} pleach_engine_options;

/** What pleach_engine_open() found in the directory. */
typedef enum pleach_engine_restored {
    PLEACH_RESTORED_NOTHING, /**< no snapshot: the engine is empty */
    PLEACH_RESTORED_LAST,    /**< the last snapshot */
    PLEACH_RESTORED_PREVIOUS /**< the one before, as the last is damaged or absent; the log says why */
} pleach_engine_restored;

/**
 * Open an engine, with the state of the last snapshot if there is a directory that has one.
 *
 * @param config        Of its pool and log; NULL = defaults and environment. Copied.
 * @param options       NULL = zeros. Copied.
 * @param[out] engine   The caller's, until pleach_engine_close().
 *
 * @retval PLEACH_EINVAL     engine is NULL, or an option is out of range.
 * @retval PLEACH_ELOCKED    Another engine has the directory, of this process or of another.
 * @retval PLEACH_ESNAPSHOT  There are snapshots, but all are damaged; the text names one and says how.
 * @retval PLEACH_EVERSION   The last snapshot is of a version this library does not read.
 * @retval PLEACH_EIO        The directory or a file in it could not be opened, locked or read.
 * @retval PLEACH_ENOMEM     Memory could not be had.
 * @retval other             As pleach_pool_create().
 */
PLEACH_API pleach_status pleach_engine_open(pleach_engine **engine, const pleach_config *config,
                                            const pleach_engine_options *options);

/**
 * Free an engine, an open block included. NULL is allowed. Writer, and the last call of all.
 *
 * @retval PLEACH_EINUSE  Views are open, or there is work that was queued: nothing happened. See
 *                        pleach_engine_close_queue().
 * @retval PLEACH_EBUSY   Called from a task of its pool: nothing happened.
 */
PLEACH_API pleach_status pleach_engine_close(pleach_engine *engine);

/** The pool it works on; NULL for NULL. Any. */
PLEACH_API pleach_pool *pleach_engine_pool(const pleach_engine *engine);

/** What it was opened with. Any. */
PLEACH_API pleach_engine_restored pleach_engine_restored_from(const pleach_engine *engine);

/* --- trees and accumulators --- */

/**
 * Find the tree of a name, or between blocks make an empty one. It belongs to the sealed state: to go back behind its
 * making is to go back to when there was none.
 *
 * @param scheme       As for pleach_tree_create(); of a tree that is there already, the same rules.
 * @param[out] object  Its number, which it keeps.
 *
 * @retval PLEACH_EINVAL       A pointer is NULL, or the scheme is not one that can be computed.
 * @retval PLEACH_EOBJECTNAME  The name is empty, too long, has other characters, or is that of something else.
 * @retval PLEACH_EBLOCKOPEN   There is none, and a block is open.
 * @retval PLEACH_ERANGE       There are PLEACH_ENGINE_OBJECTS_MAX already.
 * @retval PLEACH_ENOMEM       Memory could not be had.
 *
 * Writer.
 */
PLEACH_API pleach_status pleach_engine_tree(pleach_engine *engine, const char *name, const pleach_scheme *scheme,
                                            uint32_t *object);

/** What an accumulator is. */
typedef struct pleach_engine_accumulator_rules {
    uint32_t states;           /**< LtHash states without a key, such as one a module: 1..PLEACH_ENGINE_STATES_MAX */
    bool total;                /**< there is one more, which is the sum of the others */
    pleach_lthash_empty empty; /**< what items of no bytes are */
} pleach_engine_accumulator_rules;

/** The same for an accumulator. PLEACH_EINVAL: rules is NULL or out of range. */
PLEACH_API pleach_status pleach_engine_accumulator(pleach_engine *engine, const char *name,
                                                   const pleach_engine_accumulator_rules *rules, uint32_t *object);

/* --- blocks --- */

/** Stands for the total of an accumulator where a state is asked for. */
#define PLEACH_ENGINE_TOTAL UINT32_MAX

/**
 * Begin a block.
 *
 * @param height  One more than that of the sealed state; any below UINT64_MAX if no block was sealed yet.
 *
 * @retval PLEACH_EINVAL        engine is NULL.
 * @retval PLEACH_EBLOCKOPEN    A block is open.
 * @retval PLEACH_EBLOCKHEIGHT  Another height comes next; the text says which.
 * @retval PLEACH_ENOMEM        Memory could not be had.
 *
 * Writer.
 */
PLEACH_API pleach_status pleach_engine_block_begin(pleach_engine *engine, uint64_t height);

/**
 * Add leaves to the end of a tree, when the block is sealed.
 *
 * @param leaves  Copied; their `zeros` is 0. The scheme need not allow the number of leaves in between, only the one at
 *                the end of the block.
 *
 * @retval PLEACH_EINVAL     A pointer is NULL, zeros > 0, or the scheme refuses the leaves.
 * @retval PLEACH_EBLOCK     No block is open.
 * @retval PLEACH_EOBJECT    No tree has that number.
 * @retval PLEACH_ERANGE     The leaves would not fit the address space, or are longer than the hash allows.
 * @retval PLEACH_ENOMEM     Memory could not be had.
 *
 * Writer. After an error the block is as it was.
 */
PLEACH_API pleach_status pleach_engine_append(pleach_engine *engine, uint32_t tree, const pleach_leaves *leaves);

/**
 * Replace leaves of a tree, those that the block has added so far included: the leaf at index[i] becomes leaf i of
 * `leaves`. Of changes to one leaf the last counts.
 *
 * @param index  leaves->count of them; copied. May be NULL if that is 0.
 *
 * @retval PLEACH_ERANGE  Also if an index is no leaf of the tree.
 * Everything else as pleach_engine_append().
 */
PLEACH_API pleach_status pleach_engine_update(pleach_engine *engine, uint32_t tree, const uint64_t *index,
                                              const pleach_leaves *leaves);

/**
 * Add items to the states of an accumulator, or remove them, when the block is sealed. A total takes all changes too.
 *
 * @param ops  n changes, of the state that op.state says; copied with their items. May be NULL if n is 0.
 *
 * @retval PLEACH_EINVAL  A pointer is NULL, or an action or the number of a state is out of range.
 * @retval PLEACH_ERANGE  The items would not fit the address space.
 * @retval PLEACH_EBLOCK, PLEACH_EOBJECT, PLEACH_ENOMEM  As pleach_engine_append().
 *
 * Writer. After an error the block is as it was.
 */
PLEACH_API pleach_status pleach_engine_apply(pleach_engine *engine, uint32_t accumulator, const pleach_lthash_op *ops,
                                             size_t n);

/** A root or a checksum. */
typedef struct pleach_engine_digest {
    uint32_t object;
    uint32_t state; /**< of an accumulator, or PLEACH_ENGINE_TOTAL; of a tree 0 */
    uint8_t digest[PLEACH_DIGEST_SIZE];
} pleach_engine_digest;

/**
 * Seal the block: work off its changes, as latency jobs of the pool, and make the result the sealed state.
 *
 * A tree that changes costs, beside its changes, time and memory in proportion to its pages of 64 nodes: see
 * pleach_tree_snapshot().
 *
 * @param monitor       Progress in trees and accumulators, and cancellation; may be NULL.
 * @param[out] digests  Takes the roots of the trees and the checksums of the states that the block changed, in the
 * order of their numbers, totals last. May be NULL.
 * @param room          How many fit into digests.
 * @param[out] count    How many there are; may be NULL.
 *
 * @retval PLEACH_EINVAL     engine is NULL, or a scheme has no tree of the number of leaves that would result.
 * @retval PLEACH_EBLOCK     No block is open.
 * @retval PLEACH_ERANGE     digests has no room for all, or a tree of so many leaves would not fit its depth or the
 *                           address space.
 * @retval PLEACH_ENOMEM     Memory could not be had.
 * @retval PLEACH_ECANCELED  The monitor was cancelled.
 * @retval other             As pleach_tree_append(), pleach_lthash_apply().
 *
 * Writer. After an error the block is as it was, and open.
 */
PLEACH_API pleach_status pleach_engine_block_seal(pleach_engine *engine, pleach_monitor *monitor,
                                                  pleach_engine_digest *digests, size_t room, size_t *count);

/**
 * Drop the block and its changes.
 *
 * @retval PLEACH_EINVAL  engine is NULL.
 * @retval PLEACH_EBLOCK  No block is open.
 *
 * Writer.
 */
PLEACH_API pleach_status pleach_engine_block_abort(pleach_engine *engine);

/**
 * Go back to the state that the block of a height left. The next block is the one after it.
 *
 * @retval PLEACH_EINVAL      engine is NULL.
 * @retval PLEACH_EBLOCKOPEN  A block is open.
 * @retval PLEACH_EROLLBACK   The height was not sealed, or is further back than the engine keeps: rollback_blocks, or
 *                            the state it was opened or imported with. The text says which heights can be had.
 *
 * Writer.
 */
PLEACH_API pleach_status pleach_engine_rollback(pleach_engine *engine, uint64_t height);

/* --- sealed states, for readers --- */

/** A sealed state, which stays as it is while the engine goes on. Any number of threads may read one. */
typedef struct pleach_engine_view pleach_engine_view;

/** The height that stands for the newest sealed state. */
#define PLEACH_ENGINE_LATEST UINT64_MAX

/**
 * Open a view.
 *
 * @param height     Of one of the states that pleach_engine_rollback() can go back to; or PLEACH_ENGINE_LATEST.
 * @param[out] view  The caller's, until pleach_engine_view_close().
 *
 * @retval PLEACH_EINVAL     A pointer is NULL.
 * @retval PLEACH_EROLLBACK  There is no such height.
 *
 * Any.
 */
PLEACH_API pleach_status pleach_engine_view_open(pleach_engine *engine, uint64_t height, pleach_engine_view **view);

/** NULL is allowed for the view. Any; the engine must still be open. */
PLEACH_API void pleach_engine_view_close(pleach_engine *engine, pleach_engine_view *view);

/** Height of the block that left it. False, and *height as it was, if no block was sealed yet. */
PLEACH_API bool pleach_engine_view_height(const pleach_engine_view *view, uint64_t *height);

/** How many trees and accumulators there are: their numbers are below that. */
PLEACH_API uint32_t pleach_engine_view_size(const pleach_engine_view *view);

/** The name of one of them, valid as long as the view; NULL if there is none of that number. */
PLEACH_API const char *pleach_engine_view_name(const pleach_engine_view *view, uint32_t object);

/** Find one by name. PLEACH_EINVAL: a pointer is NULL; PLEACH_EOBJECT: there is none. */
PLEACH_API pleach_status pleach_engine_view_find(const pleach_engine_view *view, const char *name, uint32_t *object);

/** A tree, for proofs and nodes, valid as long as the view; NULL if the number is not that of a tree. */
PLEACH_API const pleach_tree *pleach_engine_view_tree(const pleach_engine_view *view, uint32_t tree);

/**
 * Copy the root of a tree.
 *
 * @retval PLEACH_EINVAL   A pointer is NULL, or the tree has no leaf and its scheme no empty tree.
 * @retval PLEACH_EOBJECT  No tree has that number.
 */
PLEACH_API pleach_status pleach_engine_view_root(const pleach_engine_view *view, uint32_t tree, uint8_t *root);

/**
 * Copy a state of an accumulator.
 *
 * @param index  Of the state; PLEACH_ENGINE_TOTAL = the total.
 *
 * @retval PLEACH_EINVAL   A pointer is NULL.
 * @retval PLEACH_EOBJECT  No accumulator has that number.
 * @retval PLEACH_ERANGE   It has no such state.
 */
PLEACH_API pleach_status pleach_engine_view_state(const pleach_engine_view *view, uint32_t accumulator, uint32_t index,
                                                  pleach_lthash *state);

/** Copy the checksum of such a state, PLEACH_DIGEST_SIZE bytes. Errors as pleach_engine_view_state(). */
PLEACH_API pleach_status pleach_engine_view_checksum(const pleach_engine_view *view, uint32_t accumulator,
                                                     uint32_t index, uint8_t *checksum);

/* --- states as bytes --- */

/** Bytes that pleach_engine_state_export() writes; 0 for NULL. */
PLEACH_API uint64_t pleach_engine_state_size(const pleach_engine_view *view);

/**
 * Write a sealed state, for a node that keeps it in its own database.
 *
 * Layout, numbers little-endian: "pleachEN"; version, 4 bytes, 1; number of objects, 4 bytes; height, 8 bytes; 1 byte
 * that is 1 if there is a height, 0 if no block was sealed, when the height is 0 too; 7 zero bytes; the objects; and
 * the BLAKE3 checksum of all before it. An object: length of its name, 1 byte; 1 byte that is 0 for a tree, 1 for an
 * accumulator; the name; 8 bytes: length of what follows. Of a tree: what pleach_tree_serialise() writes. Of an
 * accumulator: number of states, 4 bytes; whether there is a total, 1 byte; the rule of empty items, 1 byte; 2 zero
 * bytes; and each state as pleach_lthash_serialise() writes it, without the total.
 *
 * @retval PLEACH_EINVAL  A required pointer is NULL.
 * @retval other          What `write` returned.
 *
 * Any.
 */
PLEACH_API pleach_status pleach_engine_state_export(const pleach_engine_view *view, pleach_write write, void *context);

/**
 * Make what pleach_engine_state_export() wrote the sealed state, the only one. Everything is checked first.
 *
 * @retval PLEACH_EINVAL     A required pointer is NULL.
 * @retval PLEACH_EBLOCKOPEN A block is open.
 * @retval PLEACH_EFORMAT    No state; the text says what is wrong.
 * @retval PLEACH_EVERSION   Of a version this library does not read.
 * @retval PLEACH_ETRUNCATED The source ended early.
 * @retval PLEACH_ETRAILING  Bytes follow the end.
 * @retval PLEACH_ECHECKSUM  Altered.
 * @retval PLEACH_ENOMEM     Memory could not be had.
 * @retval other             What `read` returned; as pleach_tree_parse().
 *
 * Writer. After an error the engine is as it was.
 */
PLEACH_API pleach_status pleach_engine_state_import(pleach_engine *engine, pleach_read read, void *context,
                                                    pleach_monitor *monitor);

/**
 * Write the newest sealed state to the directory: on the disk when this returns. It is written aside, and then takes
 * the place of the last snapshot, which is kept as the previous one. Killed at any point, or out of space, the engine
 * opens with one of the two.
 *
 * Undo records are not part of it: after opening, the engine goes back to blocks sealed since then.
 *
 * @retval PLEACH_EINVAL  engine is NULL, or has no directory.
 * @retval PLEACH_EIO     A file could not be written; the text names it.
 * @retval PLEACH_ENOMEM  Memory could not be had.
 *
 * Any; one at a time, the others wait. It does not hold up the writer.
 */
PLEACH_API pleach_status pleach_engine_snapshot(pleach_engine *engine);

/* --- beside a loop --- */

/** Names uv_loop_t without needing its header. */
struct uv_loop_s;

/** Work that was queued. Valid until its `done` returns. */
typedef struct pleach_engine_request pleach_engine_request;

/** Runs on the engine's thread, as a writer. What it returns, and the text of pleach_last_error() there, go to `done`.
 */
typedef pleach_status (*pleach_engine_work)(void *context, pleach_engine *engine, pleach_monitor *monitor);

/**
 * Runs on the loop's thread. If status is not PLEACH_OK, pleach_last_error() has its text. May queue more, and cancel.
 */
typedef void (*pleach_engine_done)(void *context, pleach_status status);

/**
 * Have work done by a thread of the engine's own, which starts with the first request, and calls back on the loop. One
 * request runs at a time, in the order they were queued, and calls back in that order on each loop. Never blocks the
 * loop, and does not use libuv's own threads.
 *
 * The loop stays alive until `done` was called.
 *
 * @param loop          Whose thread this is called on.
 * @param work          What to do; context is handed to it and to done.
 * @param done          May be NULL.
 * @param[out] request  For pleach_engine_cancel(); may be NULL.
 *
 * @retval PLEACH_EINVAL   A required pointer is NULL.
 * @retval PLEACH_ECLOSED  pleach_engine_close_queue() was called.
 * @retval PLEACH_ENOMEM   Memory, the thread, or a pipe to wake the loop could not be had.
 *
 * Any thread, for its own loop.
 */
PLEACH_API pleach_status pleach_engine_queue(pleach_engine *engine, struct uv_loop_s *loop, pleach_engine_work work,
                                             pleach_engine_done done, void *context, pleach_engine_request **request);

/**
 * Ask a request to stop. If it has not begun, its work is never called and `done` gets PLEACH_ECANCELED, in its turn;
 * if it has, its monitor is cancelled. Called on the loop's thread.
 */
PLEACH_API void pleach_engine_cancel(pleach_engine_request *request);

/**
 * Close an engine that may have work in flight: no more is taken, all that is there is cancelled, and once every `done`
 * that is owed has returned, on whichever loop, `closed` is called on this one.
 *
 * @param closed  Gets PLEACH_OK: the engine is gone. PLEACH_EINUSE: views are open; the engine is as it was, and takes
 *                requests again. May be NULL.
 *
 * @retval PLEACH_EINVAL, PLEACH_ECLOSED, PLEACH_ENOMEM  As pleach_engine_queue().
 */
PLEACH_API pleach_status pleach_engine_close_queue(pleach_engine *engine, struct uv_loop_s *loop,
                                                   pleach_engine_done closed, void *context);

#ifdef __cplusplus
}
#endif
#endif
