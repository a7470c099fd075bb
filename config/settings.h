/* The settings by name, for reports. */
#ifndef PLEACH_SETTINGS_H
#define PLEACH_SETTINGS_H

#include "config/config.h"

/* Writes the value of setting i as pleach_config_set() takes it; returns its name, or NULL if there is no setting i. */
const char *pleach__setting(const pleach_config *config, size_t i, char text[PLEACH_BACKEND_SIZE]);

/* The word for a level. */
const char *pleach__log_level_name(pleach_log_level level);

#endif
