/* What the files of the program of memory tests share: it runs with a jemalloc and without. */
#ifndef PLEACH_MEMORY_TEST_H
#define PLEACH_MEMORY_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pool/workers.h"

/* Settings that ask for some workers, on memory of the host's or not. */
pleach_config memory_settings(int workers, bool hosted);

/* A pool under settings; fails the test if it cannot be. */
pleach_pool *pool_under(const pleach_config *config);

int run_out_of_memory_tests(void);

#endif
