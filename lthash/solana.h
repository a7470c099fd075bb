#ifndef PLEACH_SOLANA_H
#define PLEACH_SOLANA_H

/**
 * Solana: accounts as items of a state.
 *
 * An account is LE64(lamports) || data || executable, 0 or 1 || owner || public key. One without lamports contributes
 * nothing, whatever else it holds.
 *
 * Source: SIMD-0215.
 */

#include "lthash/lthash.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of an owner and of a public key. */
#define PLEACH_SOLANA_KEY_SIZE 32

/** The caller's; only read. */
typedef struct pleach_solana_account {
    uint64_t lamports;
    pleach_input data;
    bool executable;
    const uint8_t *owner;      /**< PLEACH_SOLANA_KEY_SIZE bytes */
    const uint8_t *public_key; /**< PLEACH_SOLANA_KEY_SIZE bytes */
} pleach_solana_account;

/** Bytes of an account as an item; 0 if it contributes nothing. NULL = the account is absent. */
PLEACH_API size_t pleach_solana_account_size(const pleach_solana_account *account);

/**
 * Write an account as an item.
 *
 * @param account     NULL = it is absent. One without lamports needs no pointers.
 * @param[out] bytes  pleach_solana_account_size() of them; must not overlap the account; may be NULL if that is 0.
 * @param capacity    How many there are.
 * @param[out] size   How many were written: 0 if the account contributes nothing, and then there is no item; to the
 *                    states of Solana an item of no bytes is something else.
 *
 * @retval PLEACH_EINVAL  A required pointer is NULL.
 * @retval PLEACH_ERANGE  The account would not fit the address space, or capacity is too small.
 */
PLEACH_API pleach_status pleach_solana_account_item(const pleach_solana_account *account, uint8_t *bytes,
                                                    size_t capacity, size_t *size);

/**
 * The changes that turn one version of an account into another: the old one removed, the new one added. Of one that
 * contributes nothing there is no change, and neither if both are equal.
 *
 * @param before      NULL = it was absent.
 * @param after       NULL = it is to be absent.
 * @param[out] bytes  The items, in pleach_solana_account_size() of both; the changes point into them. Must not overlap
 *                    the accounts; may be NULL if both sizes are 0.
 * @param capacity    How many bytes there are.
 * @param[out] ops    Two places; both changes are of state 0.
 * @param[out] n      How many of them are used.
 *
 * Errors as pleach_solana_account_item(); after an error ops and n are as they were.
 */
PLEACH_API pleach_status pleach_solana_update(const pleach_solana_account *before, const pleach_solana_account *after,
                                              uint8_t *bytes, size_t capacity, pleach_lthash_op *ops, size_t *n);

#ifdef __cplusplus
}
#endif
#endif
