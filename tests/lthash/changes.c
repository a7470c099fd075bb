#include "lthash_test.h"

#include <stdlib.h>
#include <string.h>

const pleach__family *const *trial_families(void)
{
    static const pleach__family *const families[] = {&pleach__blake3, NULL};
    return families;
}

struct changes changes_of(size_t most, size_t size)
{
    struct changes changes = {.most = most, .size = size};
    changes.ops = calloc(most + 1, sizeof *changes.ops);
    changes.bytes = malloc(size + 1);
    assert_true(changes.ops && changes.bytes);
    return changes;
}

uint8_t *change(struct changes *changes, pleach_lthash_action action, size_t size)
{
    assert_true(changes->n < changes->most && size <= changes->size - changes->used);
    uint8_t *bytes = changes->bytes + changes->used;
    changes->ops[changes->n++] = (pleach_lthash_op){.item = {bytes, size}, .action = action};
    changes->used += size;
    return bytes;
}

void changes_free(struct changes *changes)
{
    free(changes->ops);
    free(changes->bytes);
}

struct changes random_changes(uint64_t seed, size_t n, size_t bound, uint32_t states)
{
    struct changes changes = changes_of(n, n * bound);
    for (size_t i = 0; i < n; i++) {
        const size_t size = (size_t)random_below(&seed, bound);
        const pleach_lthash_action action = random_below(&seed, 3) == 0 ? REMOVE : ADD;
        fill_random(change(&changes, action, size), size, seed);
        changes.ops[i].state = (uint32_t)random_below(&seed, states);
    }
    return changes;
}

void naive_apply(naive *state, const uint8_t *key, const struct changes *changes, int which)
{
    for (size_t i = 0; i < changes->n; i++) {
        const pleach_lthash_op *op = &changes->ops[i];
        if (which == ALL || op->state == (uint32_t)which)
            naive_change(state, key, op->action, op->item.bytes, op->item.size);
    }
}

void shuffle(struct changes *changes, uint64_t seed)
{
    for (size_t i = changes->n; i > 1; i--) {
        const size_t j = (size_t)random_below(&seed, i);
        const pleach_lthash_op op = changes->ops[i - 1];
        changes->ops[i - 1] = changes->ops[j];
        changes->ops[j] = op;
    }
}
