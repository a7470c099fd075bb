/* A bar on standard error, if that is a terminal and the command runs for more than a second. */
#ifndef PLEACH_PROGRESS_H
#define PLEACH_PROGRESS_H

#include "pool/pool.h"

/* The command starts working. */
void pleach__progress_open(void);

/* The monitor for the work on `name`, in bytes; `total` is 0 if unknown. Valid until the next call. */
pleach_monitor *pleach__progress(const char *name, uint64_t total);

/* That many bytes were finished; what the monitor reports next, if anything, comes on top. */
void pleach__progress_add(uint64_t done);

/* Of work that is not measured in bytes, this share is done. */
void pleach__progress_share(const char *name, double share);

/* A monitor for work on `name` that is measured in something else than bytes. */
pleach_monitor pleach__progress_monitor(const char *name);

/* Takes the bar off the screen before other output. */
void pleach__progress_clear(void);

#endif
