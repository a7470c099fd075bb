/* The system's small files, such as those of /proc and /sys. `root` stands before every path: "" is the system itself.
 */
#ifndef PLEACH_SYSTEM_FILES_H
#define PLEACH_SYSTEM_FILES_H

#include "config/error.h"

#include <stdarg.h>
#include <stdio.h>

/* NULL if it cannot be opened. */
FILE *pleach__system_open(const char *root, const char *format, ...) PLEACH__PRINTF(2, 3);

/* The next line without its newline, in a buffer that getline() keeps; false at the end of the file. */
bool pleach__system_next_line(FILE *file, char **line, size_t *size);

/* A number that is all of the first line; false if there is none. */
bool pleach__system_number(uint64_t *number, int base, const char *root, const char *format, ...) PLEACH__PRINTF(4, 5);

/* A list of numbers such as "0-3,8,10-12", to be freed; may be empty. NULL if it cannot be had or has another form. */
char *pleach__system_list(const char *root, const char *format, ...) PLEACH__PRINTF(2, 3);

/* Takes the next range off such a list; false at its end. */
bool pleach__list_next(const char **list, unsigned *first, unsigned *last);

bool pleach__list_has(const char *list, unsigned number);

#endif
