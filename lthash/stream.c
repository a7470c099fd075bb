/* An item that comes in pieces. */
#include "config/error.h"
#include "kernels/blake3/hasher.h"
#include "lthash/state.h"
#include "pool/memory.h"

struct pleach_lthash_stream {
    pleach_pool *pool;
    pleach_lthash empty; /* of the stream's key */
    pleach__blake3_hasher hasher;
};

pleach_status pleach_lthash_begin(pleach_lthash_stream **stream, pleach_pool *pool, const pleach_lthash *state)
{
    if (!stream || !state)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", stream ? "state" : "stream");
    pleach_lthash_stream *made = pleach__allocate(pool, sizeof *made);
    if (!made)
        return pleach__fail(PLEACH_ENOMEM, "no memory for a stream of %zu bytes", sizeof *made);
    const pleach__blake3_mode mode = pleach__lthash_mode(state);
    pleach_status status = pleach__blake3_begin(&made->hasher, pleach_pool_kernels(pool), &mode);
    if (status != PLEACH_OK) {
        pleach__release(pool, made, sizeof *made);
        return status;
    }
    made->pool = pool;
    made->empty = *state;
    (void)pleach_lthash_zero(&made->empty);
    *stream = made;
    return PLEACH_OK;
}

pleach_status pleach_lthash_part(pleach_lthash_stream *stream, const uint8_t *bytes, size_t size)
{
    if (!stream || (!bytes && size > 0))
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", stream ? "bytes" : "stream");
    pleach__blake3_add(&stream->hasher, bytes, size);
    return PLEACH_OK;
}

pleach_status pleach_lthash_end(pleach_lthash_stream *stream, pleach_lthash *state, pleach_lthash_action action,
                                pleach_lthash_empty empty)
{
    if (!stream || !state)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", stream ? "state" : "stream");
    pleach_status status = pleach__lthash_check_choices(action, empty);
    if (status == PLEACH_OK)
        status = pleach__lthash_check_keys(state, &stream->empty);
    if (status != PLEACH_OK)
        return status;
    const bool is_empty = stream->hasher.filled == 0; /* its last bytes are always held back */
    if (!is_empty || empty == PLEACH_LTHASH_EMPTY_HASHED) {
        pleach__lthash_words sum = {.word = {0}};
        pleach__blake3_root root;
        pleach__blake3_root_of(&stream->hasher, &root);
        stream->hasher.backend->lthash(&root, 1, action == PLEACH_LTHASH_REMOVE, sum.word);
        pleach__lthash_add_words(state->words, sum.word);
    }
    pleach__blake3_restart(&stream->hasher);
    return PLEACH_OK;
}

void pleach_lthash_stream_destroy(pleach_lthash_stream *stream)
{
    if (stream)
        pleach__release(stream->pool, stream, sizeof *stream);
}
