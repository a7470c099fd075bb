#include "config/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last_error[PLEACH__ERROR_SIZE];
static _Thread_local unsigned error_count;

const char *pleach_version(void)
{
    return PLEACH_VERSION;
}

const char *pleach_status_name(pleach_status status)
{
    switch (status) {
#define NAME(name, value, text) \
    case PLEACH_##name:         \
        return #name;
        PLEACH_STATUS_MAP(NAME)
#undef NAME
    default:
        return status >= PLEACH_ETASK ? "ETASK" : "unknown";
    }
}

const char *pleach_status_text(pleach_status status)
{
    switch (status) {
#define TEXT(name, value, text) \
    case PLEACH_##name:         \
        return text;
        PLEACH_STATUS_MAP(TEXT)
#undef TEXT
    default:
        return status >= PLEACH_ETASK ? "a task failed" : "unknown status";
    }
}

const char *pleach_last_error(void)
{
    return last_error;
}

pleach_status pleach__fail(pleach_status status, const char *format, ...)
{
    char text[sizeof last_error]; /* the last error may be among the arguments */
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(last_error, text, sizeof text);
    error_count++;
    return status;
}

void pleach__set_last_error(const char *text)
{
    (void)pleach__fail(PLEACH_OK, "%s", text);
}

unsigned pleach__error_count(void)
{
    return error_count;
}
