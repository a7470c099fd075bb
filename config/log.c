#include "config/error.h"
#include "config/settings.h"

#include <stdarg.h>
#include <stdio.h>

void pleach__log(const pleach_config *config, pleach_log_level level, const char *format, ...)
{
    if (level == PLEACH_LOG_OFF || level > config->log_level)
        return;
    char line[PLEACH__ERROR_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (config->log != NULL)
        config->log(config->log_context, level, line);
    else
        (void)fprintf(stderr, "pleach: %s: %s\n", pleach__log_level_name(level), line);
}
