#include "kernels/backend.h"

#include <string.h>

enum {
    BLOCK_SIZE = 64,   /* of every family */
    INSERTED = 32,     /* up to so many inputs are sorted by insertion */
    ALONE = UINT16_MAX /* blocks from which on an input is hashed alone */
};
_Static_assert((int)PLEACH__LIST_BATCH <= (int)UINT16_MAX, "an index within a batch has 16 bits");

static uint16_t count_blocks(const pleach__family *family, const pleach__hash_form *form, size_t size)
{
    const size_t prefixed = form->prefix != PLEACH__NO_PREFIX;
    const size_t blocks = (form->zeros + prefixed + size + family->padding + BLOCK_SIZE - 1) / BLOCK_SIZE;
    return blocks < ALONE ? (uint16_t)blocks : ALONE;
}

/* One pass of a radix sort, by eight bits of the blocks of each input. */
static void sort_by(const uint16_t *blocks, unsigned shift, const uint16_t *from, uint16_t *to, size_t n)
{
    size_t place[257] = {0};
    for (size_t i = 0; i < n; i++)
        place[(blocks[from[i]] >> shift & 255) + 1]++;
    for (size_t digit = 0; digit < 256; digit++)
        place[digit + 1] += place[digit];
    for (size_t i = 0; i < n; i++)
        to[place[blocks[from[i]] >> shift & 255]++] = from[i];
}

static void insert(const uint16_t *blocks, uint16_t *order, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const uint16_t input = order[i];
        size_t at = i;
        for (; at > 0 && blocks[order[at - 1]] > blocks[input]; at--)
            order[at] = order[at - 1];
        order[at] = input;
    }
}

void pleach__list_sort(const uint16_t *blocks, uint16_t *order, size_t n)
{
    uint16_t sorted[PLEACH__LIST_BATCH], all = 0;
    bool unsorted = false;
    if (n <= INSERTED) {
        insert(blocks, order, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        all |= blocks[order[i]];
        unsorted |= i > 0 && blocks[order[i - 1]] > blocks[order[i]];
    }
    for (unsigned shift = 0; unsorted && all >> shift > 0; shift += 8) {
        sort_by(blocks, shift, order, sorted, n);
        memcpy(order, sorted, n * sizeof *order);
    }
}

static void hash_batch(const pleach__family *family, const pleach__backend *backend, pleach__hash_form form,
                       const pleach_input *inputs, size_t n, uint8_t *out)
{
    uint16_t blocks[PLEACH__LIST_BATCH], order[PLEACH__LIST_BATCH];
    for (size_t i = 0; i < n; i++) {
        blocks[i] = count_blocks(family, &form, inputs[i].size);
        order[i] = (uint16_t)i;
    }
    pleach__list_sort(blocks, order, n);
    for (size_t begin = 0, end = 0; begin < n; begin = end) {
        pleach__hash_plan plan;
        const uint16_t first = order[begin];
        do
            end++;
        while (end < n && blocks[order[end]] == blocks[first] && blocks[first] != ALONE);
        form.size = inputs[first].size;
        (void)family->plan(&plan, &form); /* larger ones were accepted */
        backend->hash_list(&(pleach__list){family, &plan, inputs, order + begin, end - begin, out});
    }
}

pleach_status pleach__hash_list(const pleach__family *family, const pleach__backend *backend,
                                const pleach__hash_form *form, const pleach_input *inputs, size_t n, uint8_t *out)
{
    pleach__hash_form largest = *form;
    pleach__hash_plan plan;
    largest.size = 0;
    for (size_t i = 0; i < n; i++)
        if (largest.size < inputs[i].size)
            largest.size = inputs[i].size;
    pleach_status status = family->plan(&plan, &largest);
    if (status != PLEACH_OK)
        return status;
    for (size_t done = 0, some; done < n; done += some) {
        some = n - done < PLEACH__LIST_BATCH ? n - done : PLEACH__LIST_BATCH;
        hash_batch(family, backend, *form, inputs + done, some, out + PLEACH_DIGEST_SIZE * done);
    }
    return PLEACH_OK;
}

void pleach__list_singly(const pleach__list *list, const pleach__backend *backend)
{
    for (size_t i = 0; i < list->n; i++) {
        const pleach_input *input = &list->inputs[list->order[i]];
        uint8_t *digest = list->out + (size_t)PLEACH_DIGEST_SIZE * list->order[i];
        pleach__hash_form form = list->plan->form;
        pleach__hash_plan plan;
        form.size = input->size;
        (void)list->family->plan(&plan, &form);
        /* no address is computed from a null pointer */
        backend->hash_many(&plan, input->size > 0 ? input->bytes : digest, 0, 1, digest);
    }
}

void pleach__list_store(const pleach__list *list, const uint8_t *digests, size_t n)
{
    for (size_t i = 0; i < n; i++)
        memcpy(list->out + (size_t)PLEACH_DIGEST_SIZE * list->order[i], digests + PLEACH_DIGEST_SIZE * i,
               PLEACH_DIGEST_SIZE);
}

pleach__list pleach__list_first(const pleach__list *list, size_t n)
{
    pleach__list first = *list;
    first.n = n;
    return first;
}

pleach__list pleach__list_rest(const pleach__list *list, size_t n)
{
    pleach__list rest = *list;
    rest.order += n;
    rest.n -= n;
    return rest;
}
