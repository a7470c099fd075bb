#include "config/error.h"
#include "engine/state.h"

#include <string.h>

bool pleach_engine_view_height(const pleach_engine_view *view, uint64_t *height)
{
    if (view == NULL || height == NULL || !view->sealed)
        return false;
    *height = view->height;
    return true;
}

uint32_t pleach_engine_view_size(const pleach_engine_view *view)
{
    return view != NULL ? view->count : 0;
}

static const pleach__object *object_at(const pleach_engine_view *view, uint32_t index)
{
    return index < pleach_engine_view_size(view) ? view->objects[index] : NULL;
}

const char *pleach_engine_view_name(const pleach_engine_view *view, uint32_t object)
{
    const pleach__object *found = object_at(view, object);
    return found != NULL ? found->name : NULL;
}

pleach_status pleach_engine_view_find(const pleach_engine_view *view, const char *name, uint32_t *object)
{
    if (view == NULL || name == NULL || object == NULL)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", view == NULL ? "view" : name == NULL ? "name" : "object");
    for (uint32_t i = 0; i < view->count; i++) {
        if (strcmp(view->objects[i]->name, name) == 0) {
            *object = i;
            return PLEACH_OK;
        }
    }
    return pleach__fail(PLEACH_EOBJECT, "name = %s: none of that name", name);
}

const pleach_tree *pleach_engine_view_tree(const pleach_engine_view *view, uint32_t tree)
{
    const pleach__object *found = object_at(view, tree);
    return found != NULL ? found->tree : NULL;
}

pleach_status pleach_engine_view_root(const pleach_engine_view *view, uint32_t tree, uint8_t *root)
{
    if (view == NULL || root == NULL)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", view == NULL ? "view" : "root");
    const pleach_tree *found = pleach_engine_view_tree(view, tree);
    if (found == NULL)
        return pleach__fail(PLEACH_EOBJECT, "tree = %lu: none has that number", (unsigned long)tree);
    return pleach_tree_root(found, root);
}

/* Finds a state; `output` is what the caller wants written. */
static pleach_status find_state(const pleach_engine_view *view, uint32_t accumulator, uint32_t *index,
                                const void *output, const pleach__object **object)
{
    if (view == NULL || output == NULL)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", view == NULL ? "view" : "output");
    const pleach__object *found = object_at(view, accumulator);
    if (found == NULL || found->kind != PLEACH__ACCUMULATOR)
        return pleach__fail(PLEACH_EOBJECT, "accumulator = %lu: none has that number", (unsigned long)accumulator);
    if (*index == PLEACH_ENGINE_TOTAL ? !found->rules.total : *index >= found->rules.states)
        return pleach__fail(PLEACH_ERANGE, "index = %lu: %s has %lu states%s", (unsigned long)*index, found->name,
                            (unsigned long)found->rules.states, found->rules.total ? " and a total" : "");
    if (*index == PLEACH_ENGINE_TOTAL)
        *index = found->rules.states;
    *object = found;
    return PLEACH_OK;
}

pleach_status pleach_engine_view_state(const pleach_engine_view *view, uint32_t accumulator, uint32_t index,
                                       pleach_lthash *state)
{
    const pleach__object *found = NULL;
    pleach_status status = find_state(view, accumulator, &index, state, &found);
    if (status == PLEACH_OK)
        *state = found->states[index];
    return status;
}

pleach_status pleach_engine_view_checksum(const pleach_engine_view *view, uint32_t accumulator, uint32_t index,
                                          uint8_t *checksum)
{
    const pleach__object *found = NULL;
    pleach_status status = find_state(view, accumulator, &index, checksum, &found);
    if (status == PLEACH_OK)
        memcpy(checksum, found->checksums[index], PLEACH_DIGEST_SIZE);
    return status;
}
