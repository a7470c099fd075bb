#define _GNU_SOURCE
#include "engine_test.h"

#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

enum { PATIENCE_SECONDS = 900 };

int queued_works;

int __wrap_uv_queue_work(uv_loop_t *loop, uv_work_t *request, uv_work_cb work, uv_after_work_cb after);

int __wrap_uv_queue_work(uv_loop_t *loop, uv_work_t *request, uv_work_cb work, uv_after_work_cb after)
{
    (void)loop, (void)request, (void)work, (void)after;
    queued_works++;
    return UV_ENOSYS;
}

pleach_status append_bytes(void *context, const uint8_t *bytes, size_t size)
{
    struct bytes *to = context;
    if (to->size + size > to->room) {
        to->room = 2 * (to->size + size);
        to->at = realloc(to->at, to->room);
        assert_non_null(to->at);
    }
    memcpy(to->at + to->size, bytes, size);
    to->size += size;
    return PLEACH_OK;
}

pleach_status read_bytes(void *context, uint8_t *buffer, size_t size, size_t *got)
{
    struct bytes *from = context;
    *got = size < from->size - from->read ? size : from->size - from->read;
    if (from->piece > 0 && *got > from->piece)
        *got = from->piece;
    if (*got > 0)
        memcpy(buffer, from->at + from->read, *got);
    from->read += *got;
    return PLEACH_OK;
}

struct bytes export_newest(pleach_engine *engine)
{
    struct bytes bytes = {0};
    pleach_engine_view *view = NULL;
    assert_int_equal(pleach_engine_view_open(engine, PLEACH_ENGINE_LATEST, &view), PLEACH_OK);
    assert_int_equal(pleach_engine_state_export(view, append_bytes, &bytes), PLEACH_OK);
    assert_int_equal(pleach_engine_state_size(view), bytes.size);
    pleach_engine_view_close(engine, view);
    return bytes;
}

pleach_status import(pleach_engine *engine, struct bytes *bytes)
{
    bytes->read = 0;
    return pleach_engine_state_import(engine, read_bytes, bytes, NULL);
}

int main(void)
{
    (void)alarm(PATIENCE_SECONDS); /* a hang is a failure */
    return test_blocks() + test_names() + test_rollback() + test_states() + test_snapshots() + test_readers() +
           test_refusals() + test_queue();
}
