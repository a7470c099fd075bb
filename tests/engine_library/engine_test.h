/* What the files of this program share. */
#ifndef PLEACH_ENGINE_TEST_H
#define PLEACH_ENGINE_TEST_H

#include "chain.h"
#include "config/error.h"

#include <string.h>

/* Bytes that grow, for what an engine writes, and from where it reads. */
struct bytes {
    uint8_t *at;
    size_t size, room, read;
    size_t piece; /* most that one read gives; 0 = all that is asked for */
};

pleach_status append_bytes(void *context, const uint8_t *bytes, size_t size);
pleach_status read_bytes(void *context, uint8_t *buffer, size_t size, size_t *got);

/* The newest state of an engine, to be freed. */
struct bytes export_newest(pleach_engine *engine);

pleach_status import(pleach_engine *engine, struct bytes *bytes);

/* A reason must be in the text of the last error. */
#define expect_failure(call, status, reason)                                        \
    do {                                                                            \
        (void)pleach__fail(PLEACH_OK, "nothing");                                   \
        assert_int_equal(call, status);                                             \
        if (strstr(pleach_last_error(), reason) == NULL)                            \
            fail_msg("\"%s\" says nothing of \"%s\"", pleach_last_error(), reason); \
    } while (0)

/* How often uv_queue_work() was called. */
extern int queued_works;

/* Each file's tests; returns how many failed. */
int test_blocks(void);
int test_names(void);
int test_rollback(void);
int test_states(void);
int test_snapshots(void);
int test_readers(void);
int test_refusals(void);
int test_queue(void);

#endif
