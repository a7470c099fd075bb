#define _GNU_SOURCE
#include "kernels/streaming.h"

#include "kernels/cpu.h"

#if defined(__aarch64__)
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#if defined(__linux__)
#include <sys/prctl.h>

#ifndef PR_SME_SET_VL
#define PR_SME_SET_VL 63
#define PR_SME_GET_VL 64
#endif
#endif

enum { VECTOR_BYTES = 64, UNCHANGED = -1 };

/* Bytes of a vector in streaming mode. */
size_t pleach__streaming_length(void);
/* Whether SVCR and TPIDR2_EL0 are zero: not in streaming mode, ZA off and nobody's to be saved later. */
bool pleach__streaming_unused(void);

/* All signals that can be are blocked on this thread. */
static _Thread_local bool thread_is_quiet;

_Static_assert(sizeof(sigset_t) <= sizeof(pleach__signals), "there is room for a sigset_t");

static void block_signals(pleach__signals *before)
{
    sigset_t all, old;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    memcpy(before, &old, sizeof old);
}

static void restore_signals(const pleach__signals *before)
{
    sigset_t old;
    memcpy(&old, before, sizeof old);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
}

#if defined(__linux__)
/* Changing the length would discard ZA. */
static bool set_length(int *before)
{
    *before = prctl(PR_SME_GET_VL, 0, 0, 0, 0);
    if (*before < 0 || prctl(PR_SME_SET_VL, VECTOR_BYTES, 0, 0, 0) < 0)
        return false;
    if (pleach__streaming_length() == VECTOR_BYTES)
        return true;
    (void)prctl(PR_SME_SET_VL, *before, 0, 0, 0); /* the nearest length that there is was set */
    return false;
}

static void restore_length(int before)
{
    if (pleach__streaming_unused())
        (void)prctl(PR_SME_SET_VL, before, 0, 0, 0);
}
#else
static bool set_length(int *before)
{
    (void)before;
    return false;
}

static void restore_length(int before)
{
    (void)before;
}
#endif

bool pleach__streaming_begin(pleach__streaming *before, bool quiet)
{
    pleach__streaming unwanted;
    if (before == NULL)
        before = &unwanted;
    *before = (pleach__streaming){.length = UNCHANGED, .quiet = thread_is_quiet};
    if (!pleach__cpu_features()->sme)
        return true;
    if (!pleach__streaming_unused() || (pleach__streaming_length() != VECTOR_BYTES && !set_length(&before->length)))
        return false;
    if (quiet && !thread_is_quiet) {
        block_signals(&before->signals);
        thread_is_quiet = true;
    }
    return true;
}

void pleach__streaming_end(const pleach__streaming *before)
{
    if (before->length != UNCHANGED)
        restore_length(before->length);
    if (thread_is_quiet && !before->quiet) {
        thread_is_quiet = false;
        restore_signals(&before->signals);
    }
}

bool pleach__streaming_ready(void)
{
    return pleach__streaming_unused() && pleach__streaming_length() == VECTOR_BYTES;
}

void pleach__streaming_enter(pleach__signals *signals)
{
    if (!thread_is_quiet)
        block_signals(signals);
}

void pleach__streaming_leave(const pleach__signals *signals)
{
    if (!thread_is_quiet)
        restore_signals(signals);
}
#else
bool pleach__streaming_begin(pleach__streaming *before, bool quiet)
{
    (void)before, (void)quiet;
    return true;
}

void pleach__streaming_end(const pleach__streaming *before)
{
    (void)before;
}
#endif
