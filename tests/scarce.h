/*
 * Memory that runs out when a test says so, and a balance of what is held: of the host's allocator below, and of what
 * the library takes from the process or from jemalloc, in programs that CMake's pleach_scarce() prepares.
 */
#ifndef PLEACH_SCARCE_H
#define PLEACH_SCARCE_H

#include "config/config.h"

/* For pleach_config.allocator. What it is asked for and what it gets back are checked: a fault ends the program. */
extern const pleach_allocator scarce_allocator;

struct scarce_call {
    /* One call of the library. It allocates nothing itself but by that call. */
    pleach_status (*attempt)(void *context);
    /* Asserts, after every attempt that failed, that outputs and objects are as they were; may be NULL. */
    void (*unchanged)(void *context);
    void *context;
};

/*
 * Attempts a call with its first allocation failing, then with its second, ..., each time also with all later ones
 * failing, until an attempt needs no more allocations. That one must succeed; all others must be PLEACH_ENOMEM, leave a
 * text, and hold nothing that was not held before. Returns how many allocations were made to fail.
 */
unsigned scarce_run(const struct scarce_call *call);

/* The same for calls of which more is known, or less expected. */
enum {
    SCARCE_HOSTED = 1, /* all that is allocated is the allocator's above, nothing the process's or a pool's own */
    SCARCE_SPARED = 2, /* an attempt may succeed without what failed, if that only made it faster */
    SCARCE_KEPT = 4    /* an attempt that failed may leave memory to an object, for the next one */
};
unsigned scarce_run_as(const struct scarce_call *call, unsigned what);

/* Allocations that are held now, to be compared. */
size_t scarce_held(void);

#endif
