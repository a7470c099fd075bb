#define _GNU_SOURCE
#include "pool/system_files.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096 };

static FILE *open_path(const char *root, const char *format, va_list arguments)
{
    char path[PATH_SIZE];
    size_t length = strlen(root);
    if (length >= sizeof path)
        return NULL;
    memcpy(path, root, length);
    int rest = vsnprintf(path + length, sizeof path - length, format, arguments);
    return rest > 0 && (size_t)rest < sizeof path - length ? fopen(path, "re") : NULL;
}

static char *read_line(const char *root, const char *format, va_list arguments)
{
    char *line = NULL;
    size_t size = 0;
    FILE *file = open_path(root, format, arguments);
    bool found = file != NULL && pleach__system_next_line(file, &line, &size);
    if (file != NULL)
        (void)fclose(file);
    if (found)
        return line;
    free(line);
    return NULL;
}

FILE *pleach__system_open(const char *root, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    FILE *file = open_path(root, format, arguments);
    va_end(arguments);
    return file;
}

bool pleach__system_next_line(FILE *file, char **line, size_t *size)
{
    ssize_t length = getline(line, size, file);
    if (length > 0 && (*line)[length - 1] == '\n')
        (*line)[length - 1] = '\0';
    return length > 0;
}

bool pleach__system_number(uint64_t *number, int base, const char *root, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *line = read_line(root, format, arguments), *end = line;
    va_end(arguments);
    unsigned long long value = 0;
    errno = 0;
    if (line != NULL && isxdigit((unsigned char)line[0]))
        value = strtoull(line, &end, base);
    bool whole = line != NULL && end != line && *end == '\0' && errno == 0;
    free(line);
    if (whole)
        *number = value;
    return whole;
}

static bool next_number(const char **list, unsigned *number)
{
    char *end;
    if (!isdigit((unsigned char)**list))
        return false;
    errno = 0;
    unsigned long value = strtoul(*list, &end, 10);
    *list = end;
    *number = (unsigned)value;
    return errno == 0 && value < UINT_MAX;
}

bool pleach__list_next(const char **list, unsigned *first, unsigned *last)
{
    const char *rest = *list;
    if (!next_number(&rest, first))
        return false;
    *last = *first;
    if (*rest == '-' && (rest++, !next_number(&rest, last) || *last < *first))
        return false;
    *list = rest + (*rest == ',' && rest[1] != '\0');
    return true;
}

char *pleach__system_list(const char *root, const char *format, ...)
{
    va_list arguments;
    unsigned first, last;
    va_start(arguments, format);
    char *list = read_line(root, format, arguments);
    va_end(arguments);
    const char *rest = list;
    while (rest != NULL && pleach__list_next(&rest, &first, &last)) {
    }
    if (rest == NULL || *rest == '\0')
        return list;
    free(list);
    return NULL;
}

bool pleach__list_has(const char *list, unsigned number)
{
    unsigned first, last;
    while (pleach__list_next(&list, &first, &last))
        if (number >= first && number <= last)
            return true;
    return false;
}
