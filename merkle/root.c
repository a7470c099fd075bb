#include "config/error.h"
#include "merkle/leaves.h"

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
    return pleach__fold_root(&call, &row, root);
}
