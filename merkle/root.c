#include "config/error.h"
#include "merkle/leaves.h"
#include "merkle/shape.h"

#include <string.h>

pleach_status pleach_merkle_root(pleach_pool *pool, const pleach_scheme *scheme, const pleach_leaves *leaves,
                                 pleach_monitor *monitor, uint8_t *root)
{
    if (!root)
        return pleach__fail(PLEACH_EINVAL, "root = NULL");
    pleach__row row;
    pleach_status status = pleach__leaves_accept(scheme, leaves, &row);
    if (status != PLEACH_OK)
        return status;
    if (row.count == 0)
        return pleach__scheme_empty_root(scheme, pool, root);
    const pleach__call call = pleach__leaves_call(pool, &row, monitor);
    uint8_t grown[PLEACH_DIGEST_SIZE];
    const pleach__backend *backend = NULL;
    status = pleach__backend_of(pool, row.hashing.family, &backend);
    if (status == PLEACH_OK)
        status = pleach__fold_root(&call, &row, grown);
    if (status != PLEACH_OK)
        return status;
    pleach__raise(&row.hashing, backend, pleach__levels(row.count) - 1, row.hashing.depth, grown);
    memcpy(root, grown, sizeof grown);
    return PLEACH_OK;
}
