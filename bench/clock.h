/* Time, and what the core does: the length of its cycle, and whether it is shared. */
#ifndef PLEACH_BENCH_CLOCK_H
#define PLEACH_BENCH_CLOCK_H

/* Nanoseconds of a clock that never goes back. */
double pleach__bench_now(void);

/* Nanoseconds for which this thread had a processor. */
double pleach__bench_processor(void);

/* The same of all threads of this process together. */
double pleach__bench_processors(void);

/* How often any thread of this process lost its processor to another. */
double pleach__bench_switches(void);

typedef struct pleach__bench_pace {
    double cycle; /* nanoseconds of a core cycle: a chain of dependent additions, which take one each on every core */
    double issue; /* cycles of an addition that waits for nothing: more if another thread has a part of the core */
} pleach__bench_pace;

/* Finds the best that the core does; first of all, and by the only thread that times anything. */
void pleach__bench_calibrate(void);

/* Some microseconds of calibration. */
pleach__bench_pace pleach__bench_pace_now(void);

/* The shortest cycle of all calibrations. */
double pleach__bench_best_cycle(void);

/* How much what ran between two calibrations was disturbed: above 1 is too much. */
double pleach__bench_disturbance(pleach__bench_pace before, pleach__bench_pace after);

#endif
