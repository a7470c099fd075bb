#ifndef PLEACH_CONFIG_TEST_H
#define PLEACH_CONFIG_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "config/config.h"
#include "config/error.h"

int run_error_tests(void);
int run_setting_tests(void);

#endif
