#include "lthash/solana.h"

#include "config/error.h"
#include "config/little_endian.h"
#include "lthash/replacement.h"

#include <string.h>

enum { LAMPORTS = 8, KEY = PLEACH_SOLANA_KEY_SIZE, FIXED = LAMPORTS + 1 + 2 * KEY };

static bool contributes(const pleach_solana_account *account)
{
    return account && account->lamports > 0;
}

static pleach_status check_account(const pleach_solana_account *account)
{
    if (!contributes(account))
        return PLEACH_OK;
    if (!account->owner || !account->public_key)
        return pleach__fail(PLEACH_EINVAL, "account: %s = NULL", account->owner ? "public_key" : "owner");
    if (!account->data.bytes && account->data.size > 0)
        return pleach__fail(PLEACH_EINVAL, "account: data.bytes = NULL, data.size = %zu", account->data.size);
    if (account->data.size > PTRDIFF_MAX / 2 - FIXED)
        return pleach__fail(PLEACH_ERANGE, "account: data.size = %zu: it would not fit the address space",
                            account->data.size);
    return PLEACH_OK;
}

static void put_account(const pleach_solana_account *account, uint8_t *bytes)
{
    pleach__put64(bytes, account->lamports);
    bytes += LAMPORTS;
    if (account->data.size > 0)
        memcpy(bytes, account->data.bytes, account->data.size);
    bytes += account->data.size;
    *bytes++ = account->executable;
    memcpy(bytes, account->owner, KEY);
    memcpy(bytes + KEY, account->public_key, KEY);
}

size_t pleach_solana_account_size(const pleach_solana_account *account)
{
    return contributes(account) ? FIXED + account->data.size : 0;
}

pleach_status pleach_solana_account_item(const pleach_solana_account *account, uint8_t *bytes, size_t capacity,
                                         size_t *size)
{
    pleach_status status = size ? check_account(account) : pleach__fail(PLEACH_EINVAL, "size = NULL");
    if (status == PLEACH_OK)
        status = pleach__lthash_check_room(bytes, capacity, pleach_solana_account_size(account));
    if (status != PLEACH_OK)
        return status;
    *size = pleach_solana_account_size(account);
    if (*size > 0)
        put_account(account, bytes);
    return PLEACH_OK;
}

pleach_status pleach_solana_update(const pleach_solana_account *before, const pleach_solana_account *after,
                                   uint8_t *bytes, size_t capacity, pleach_lthash_op *ops, size_t *n)
{
    if (!ops || !n)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", ops ? "n" : "ops");
    pleach_status status = check_account(before);
    if (status == PLEACH_OK)
        status = check_account(after);
    if (status != PLEACH_OK)
        return status;
    const size_t removed = pleach_solana_account_size(before), added = pleach_solana_account_size(after);
    status = pleach__lthash_check_room(bytes, capacity, removed + added);
    if (status != PLEACH_OK)
        return status;
    if (removed > 0)
        put_account(before, bytes);
    if (added > 0)
        put_account(after, bytes + removed);
    *n = pleach__lthash_replace(bytes, removed, added, ops);
    return PLEACH_OK;
}
