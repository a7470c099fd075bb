/* How a room reports a failure or writes to the log. */
#ifndef PLEACH_ERROR_H
#define PLEACH_ERROR_H

#include "config/config.h"

#define PLEACH__PRINTF(text, first) __attribute__((format(printf, text, first)))

enum { PLEACH__ERROR_SIZE = 512 }; /* longer texts are cut */

/*
 * Sets this thread's last error and returns `status`, so that a check is one statement: return pleach__fail(...). The
 * arguments may contain the last error itself.
 */
pleach_status pleach__fail(pleach_status status, const char *format, ...) PLEACH__PRINTF(2, 3);

/* Sets this thread's last error to a text that another thread left. */
void pleach__set_last_error(const char *text);

/* How often this thread's last error was set: tells a text that a call left from an older one. */
unsigned pleach__error_count(void);

/* Writes a line to the log of `config` if its level asks for it. */
void pleach__log(const pleach_config *config, pleach_log_level level, const char *format, ...) PLEACH__PRINTF(3, 4);

#endif
