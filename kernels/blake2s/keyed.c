#include "kernels/blake2s/keyed.h"

#include "config/error.h"
#include "kernels/blake2s/blake2s.h"

#include <string.h>

pleach_status pleach__blake2s_key(pleach__blake2s_keyed *keyed, const uint8_t *key, size_t key_size, size_t size)
{
    const bool alone = size == 0;
    pleach__blake2s_keyed k = {.key = {0}};
    if (key_size == 0 || key_size > PLEACH__BLAKE2S_KEY_MAX)
        return pleach__fail(PLEACH_EINVAL, "key_size = %zu: blake2s takes 1 to %d bytes", key_size,
                            (int)PLEACH__BLAKE2S_KEY_MAX);
    const pleach__hash_form form = {.size = alone ? sizeof k.key : size, .prefix = PLEACH__NO_PREFIX};
    pleach_status status = pleach__blake2s.plan(&k.plan, &form);
    if (status != PLEACH_OK)
        return status;
    memcpy(k.key, key, key_size);
    k.plan.state[0] ^= (uint32_t)key_size << 8;
    if (!alone) {
        k.plan.hashed = sizeof k.key;
        pleach__blake2s_compress(k.plan.state, k.key, k.plan.hashed, false);
    }
    *keyed = k;
    return PLEACH_OK;
}

void pleach__blake2s_hash_keyed(const pleach__blake2s_keyed *keyed, const pleach__backend *backend, const uint8_t *in,
                                size_t stride, size_t n, uint8_t *out)
{
    const bool alone = keyed->plan.hashed == 0;
    backend->hash_many(&keyed->plan, alone ? keyed->key : in, alone ? 0 : stride, n, out);
}
