/* How long the thread of a loop is busy between two waits, and how late it comes to a timer of a millisecond. */
#ifndef PLEACH_LOOP_WATCH_H
#define PLEACH_LOOP_WATCH_H

#include <uv.h>

struct loop_watch {
    uv_prepare_t prepare; /* before each wait */
    uv_poll_t timer;
    int file;           /* of the timer */
    uint64_t begin;     /* of this turn of the loop; 0 = there was none yet */
    uint64_t idle, cpu; /* of the loop and its thread until then */
    uint64_t due;       /* the next time of the timer */
    uint64_t turns, long_turns, longest, longest_cpu;
    uint64_t ticks, late_ticks, latest;
    uint64_t stolen; /* from the processors by their host */
};

uint64_t monotonic_time(void);

void loop_watch_start(struct loop_watch *watch, uv_loop_t *loop);

/* Leaves out what was done since the last wait. */
void loop_watch_skip(struct loop_watch *watch);

/* Closes its handles, whose memory must last until the loop has done so. */
void loop_watch_stop(struct loop_watch *watch);

void loop_watch_print(const struct loop_watch *watch);

#endif
