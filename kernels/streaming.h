/*
 * Streaming mode (SME): what a thread needs before a kernel enters it, and what the kernel does when it enters.
 *
 * In streaming mode a thread has another set of instructions, and vectors of another length, which on Linux is the
 * thread's own setting. A signal's handler that runs there, or a caller who keeps something of his own in the same
 * registers, would be harmed: signals are blocked, and ZA must be off.
 */
#ifndef PLEACH_STREAMING_H
#define PLEACH_STREAMING_H

#include <stdbool.h>

/* Those that a thread has blocked: a sigset_t, which not every file that includes this one can name. */
typedef struct pleach__signals {
    unsigned long bits[128 / sizeof(unsigned long)];
} pleach__signals;

/* What a thread had before. */
typedef struct pleach__streaming {
    int length; /* as prctl() gives it; -1: it was not changed */
    bool quiet;
    pleach__signals signals; /* only if quiet was changed */
} pleach__streaming;

/*
 * Prepares the calling thread for kernels that stream: vectors of 512 bits in streaming mode. If `quiet`, all signals
 * are blocked until the end, and kernels need not do it at every call. May be nested; `before` may be NULL for a thread
 * that stays as it is.
 *
 * False, and nothing is changed, if the system does not grant such vectors, or if the thread uses ZA itself. Where
 * there is no streaming mode at all, nothing needs preparing, and no kernel streams.
 */
bool pleach__streaming_begin(pleach__streaming *before, bool quiet);

/* Gives the thread back what it had. */
void pleach__streaming_end(const pleach__streaming *before);

/* For kernels, only where there is a streaming mode: whether this thread may enter it now. */
bool pleach__streaming_ready(void);

/* Around every stay in streaming mode: no signal's handler runs there. */
void pleach__streaming_enter(pleach__signals *signals);
void pleach__streaming_leave(const pleach__signals *signals);

#endif
