#include "config/error.h"
#include "kernels/backend.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { BACKENDS_MAX = 8 };

/* A stretch of the setting, not terminated. */
typedef struct part {
    const char *text;
    size_t length;
} part;

/* One item of the setting: "family:backend", or "backend" for every family that has it. */
typedef struct pin {
    part whole, family, backend;
} pin;

static bool names(const part *stretch, const char *name)
{
    return strlen(name) == stretch->length && memcmp(stretch->text, name, stretch->length) == 0;
}

/* Takes the next item off the setting; false at its end. */
static bool next_pin(const char **setting, pin *next)
{
    const char *text = *setting;
    if (!*text)
        return false;
    const size_t length = strcspn(text, ","), colon = strcspn(text, ":,");
    *setting = text + length + (text[length] == ',');
    *next = (pin){.whole = {text, length}, .backend = {text, length}};
    if (colon < length) {
        next->family = (part){text, colon};
        next->backend = (part){text + colon + 1, length - colon - 1};
    }
    return true;
}

static const pleach__family *find_family(const part *name)
{
    for (int i = 0; i < PLEACH_FAMILIES; i++)
        if (names(name, pleach__family_of((pleach_family)i)->name))
            return pleach__family_of((pleach_family)i);
    return NULL;
}

static const pleach__backend *find_backend(const pleach__family *family, const part *name)
{
    for (const pleach__backend *const *b = family->backends; *b; b++)
        if (names(name, (*b)->name))
            return *b;
    return NULL;
}

/* What the settings pin a family to, or NULL; *item is the item that does. */
static const pleach__backend *pinned(const pleach_config *config, const pleach__family *family, pin *item)
{
    const char *setting = config->backend;
    while (next_pin(&setting, item))
        if (!item->family.text || names(&item->family, family->name))
            return find_backend(family, &item->backend);
    return NULL;
}

/* A streaming backend is not touched where there is no slot for it, not even to probe it. */
static bool permitted(const pleach__backend *backend, bool streaming)
{
    return (streaming || !backend->streaming) && backend->usable(pleach__cpu_features());
}

/* What probes found out, for the life of the process: a backend that was probed is in one of its two places. */
typedef struct outcome {
    _Atomic(const pleach__backend *) right, wrong;
} outcome;
static outcome outcomes[PLEACH_FAMILIES][BACKENDS_MAX];

/* NULL for a family that is none of the library's. */
static outcome *outcome_of(const pleach__family *family, const pleach__backend *backend)
{
    int i = 0;
    while (i < PLEACH_FAMILIES && pleach__family_of((pleach_family)i) != family)
        i++;
    for (size_t j = 0; i < PLEACH_FAMILIES && j < BACKENDS_MAX && family->backends[j]; j++)
        if (family->backends[j] == backend)
            return &outcomes[i][j];
    return NULL;
}

/* Threads that ask at once may both probe: they find the same. */
static bool passes(const pleach__family *family, const pleach__backend *backend)
{
    outcome *known = outcome_of(family, backend);
    if (known && atomic_load_explicit(&known->right, memory_order_relaxed) == backend)
        return true;
    if (known && atomic_load_explicit(&known->wrong, memory_order_relaxed) == backend)
        return false;
    const bool right = pleach__probe(family, backend);
    if (known)
        atomic_store_explicit(right ? &known->right : &known->wrong, backend, memory_order_relaxed);
    return right;
}

/* Fails with what is wrong with an item of the setting, and with everything that would be accepted instead. */
static pleach_status refuse(const pleach_config *config, bool streaming, const pin *item, const char *what)
{
    char list[PLEACH__ERROR_SIZE] = "";
    size_t at = 0;
    for (int i = 0; i < PLEACH_FAMILIES; i++) {
        const pleach__family *family = pleach__family_of((pleach_family)i);
        for (const pleach__backend *const *b = family->backends; *b; b++)
            if (at < sizeof list && permitted(*b, streaming) && passes(family, *b))
                at += (size_t)snprintf(list + at, sizeof list - at, "%s:%s, ", family->name, (*b)->name);
    }
    return pleach__fail(PLEACH_EBACKEND,
                        "PLEACH_BACKEND=%s: \"%.*s\": %s; accepted here: %sor one backend's name alone",
                        config->backend, (int)item->whole.length, item->whole.text, what, list);
}

/* Every item names a backend that was compiled in, and no family is pinned twice. */
static pleach_status check_pins(const pleach_config *config, bool streaming)
{
    bool seen[PLEACH_FAMILIES] = {false};
    const char *setting = config->backend;
    const bool several = strchr(setting, ',') != NULL;
    pin item;
    while (next_pin(&setting, &item)) {
        const part *family = &item.family;
        if (!family->text && several)
            return refuse(config, streaming, &item, "an item of a list names its family");
        if (family->text && !find_family(family))
            return refuse(config, streaming, &item, "no such family");
        bool found = false;
        for (int i = 0; i < PLEACH_FAMILIES; i++) {
            const pleach__family *candidate = pleach__family_of((pleach_family)i);
            if ((family->text && !names(family, candidate->name)) || !find_backend(candidate, &item.backend))
                continue;
            if (seen[i])
                return refuse(config, streaming, &item, "the family is pinned twice");
            found = seen[i] = true;
        }
        if (!found)
            return refuse(config, streaming, &item, "no such backend");
    }
    return PLEACH_OK;
}

pleach_status pleach__choose(const pleach__family *family, const pleach_config *config, bool streaming,
                             const pleach__backend **chosen)
{
    pin item;
    const pleach__backend *only = pinned(config, family, &item);
    if (only && !only->usable(pleach__cpu_features())) {
        char what[128];
        (void)snprintf(what, sizeof what, "this host lacks %s", only->needs);
        return refuse(config, streaming, &item, what);
    }
    /* A pin to a streaming backend is for those workers that hold a slot. */
    if (only && permitted(only, streaming)) {
        if (!passes(family, only))
            return refuse(config, streaming, &item, "it gives wrong digests on this host");
        *chosen = only;
        return PLEACH_OK;
    }
    for (const pleach__backend *const *b = family->backends; *b; b++) {
        if (!permitted(*b, streaming))
            continue;
        if (passes(family, *b)) {
            *chosen = *b;
            return PLEACH_OK;
        }
        pleach__log(config, PLEACH_LOG_WARN, "%s: backend %s gives wrong digests on this host and is passed over",
                    family->name, (*b)->name);
    }
    return pleach__fail(PLEACH_EBACKEND, "%s: no backend gives right digests on this host", family->name);
}

pleach_status pleach__kernels_select(pleach_kernels *kernels, const pleach_config *config, bool streaming)
{
    pleach_kernels selected;
    pleach_status status = check_pins(config, streaming);
    for (int i = 0; status == PLEACH_OK && i < PLEACH_FAMILIES; i++)
        status = pleach__choose(pleach__family_of((pleach_family)i), config, streaming, &selected.backend[i]);
    if (status == PLEACH_OK)
        *kernels = selected;
    return status;
}

pleach__passed_over pleach__kernels_explain(const pleach_kernels *kernels, const pleach_config *config,
                                            pleach_family family, const pleach__backend *backend)
{
    pin item;
    const pleach__backend *chosen = kernels->backend[family];
    const pleach__backend *only = pinned(config, pleach__family_of(family), &item);
    if (backend == chosen)
        return PLEACH__CHOSEN;
    if (!backend->usable(pleach__cpu_features()))
        return PLEACH__NO_FEATURE;
    if (only && only == chosen)
        return PLEACH__NOT_PINNED;
    if (backend->streaming)
        return PLEACH__NO_SLOT;
    for (const pleach__backend *const *b = pleach__family_of(family)->backends; *b != backend; b++)
        if (*b == chosen)
            return PLEACH__OUTRANKED;
    return PLEACH__PROBE_FAILED;
}
