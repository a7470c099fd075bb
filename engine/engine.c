#define _GNU_SOURCE
#include "config/error.h"
#include "engine/service.h"
#include "merkle/scheme.h"
#include "merkle/scheme_format.h"
#include "pool/workers.h"

#include <string.h>

/* --- sealed states --- */

/* Takes the states from `first` on from the engine, whose lock is held. They are released without it. */
static pleach_engine_view *unlink_from(pleach_engine *engine, size_t first)
{
    pleach_engine_view *list = NULL;
    while (engine->kept > first) {
        pleach_engine_view *state = engine->states[--engine->kept];
        state->next = list;
        list = state;
    }
    return list;
}

void pleach__publish(pleach_engine *engine, pleach_engine_view *state, pleach__placing placing)
{
    pleach_engine_view *dropped = NULL;
    uv_mutex_lock(&engine->lock);
    if (placing != PLEACH__AFTER) {
        dropped = unlink_from(engine, placing == PLEACH__ALONE ? 0 : engine->kept - 1);
    } else if (engine->kept == engine->kept_most) {
        dropped = engine->states[0];
        dropped->next = NULL;
        memmove(engine->states, engine->states + 1, --engine->kept * sizeof(pleach_engine_view *));
    }
    engine->states[engine->kept++] = state;
    uv_mutex_unlock(&engine->lock);
    pleach__states_release(dropped);
}

/* Where the state of a height is; `kept` if there is none. */
static size_t find_height(const pleach_engine *engine, uint64_t height)
{
    size_t i = 0;
    while (i < engine->kept && !(engine->states[i]->sealed && engine->states[i]->height == height))
        i++;
    return i;
}

static pleach_status no_height(uint64_t height, bool sealed, uint64_t oldest, uint64_t newest)
{
    if (!sealed)
        return pleach__fail(PLEACH_EROLLBACK, "height = %llu: no block was sealed yet", (unsigned long long)height);
    return pleach__fail(PLEACH_EROLLBACK, "height = %llu: there are %llu..%llu", (unsigned long long)height,
                        (unsigned long long)oldest, (unsigned long long)newest);
}

/* The state before the first block has no height. */
static pleach_status refuse_height(const pleach_engine *engine, uint64_t height)
{
    const pleach_engine_view *newest = pleach__newest(engine), *oldest = engine->states[0];
    if (!oldest->sealed && engine->kept > 1)
        oldest = engine->states[1];
    return no_height(height, newest->sealed, oldest->height, newest->height);
}

pleach_status pleach_engine_rollback(pleach_engine *engine, uint64_t height)
{
    if (engine == NULL)
        return pleach__fail(PLEACH_EINVAL, "engine = NULL");
    if (engine->block.open)
        return pleach__fail(PLEACH_EBLOCKOPEN, "height = %llu: block %llu is open", (unsigned long long)height,
                            (unsigned long long)engine->block.height);
    const size_t found = find_height(engine, height);
    if (found == engine->kept)
        return refuse_height(engine, height);
    uv_mutex_lock(&engine->lock);
    pleach_engine_view *dropped = unlink_from(engine, found + 1);
    uv_mutex_unlock(&engine->lock);
    pleach__states_release(dropped);
    return PLEACH_OK;
}

pleach_status pleach_engine_view_open(pleach_engine *engine, uint64_t height, pleach_engine_view **view)
{
    if (engine == NULL || view == NULL)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", engine == NULL ? "engine" : "view");
    pleach_status status = PLEACH_OK;
    uv_mutex_lock(&engine->lock);
    const size_t found = height == PLEACH_ENGINE_LATEST ? engine->kept - 1 : find_height(engine, height);
    if (found < engine->kept) {
        *view = pleach__state_use(engine->states[found]);
        atomic_fetch_add(&engine->views, 1);
    } else {
        status = refuse_height(engine, height);
    }
    uv_mutex_unlock(&engine->lock);
    return status;
}

void pleach_engine_view_close(pleach_engine *engine, pleach_engine_view *view)
{
    if (engine == NULL || view == NULL)
        return;
    pleach__state_release(view);
    atomic_fetch_sub(&engine->views, 1);
}

/* --- opening and closing --- */

static pleach_status check_options(const pleach_engine_options *options)
{
    if (options->rollback_blocks > PLEACH_ENGINE_ROLLBACK_MAX)
        return pleach__fail(PLEACH_EINVAL, "rollback_blocks = %u: at most %d", options->rollback_blocks,
                            PLEACH_ENGINE_ROLLBACK_MAX);
    return PLEACH_OK;
}

static pleach_status obtain_settings(pleach_engine *engine, const pleach_config *config)
{
    if (config != NULL) {
        engine->config = *config;
        return pleach_config_validate(config);
    }
    pleach_config_init(&engine->config);
    return pleach_config_from_env(&engine->config);
}

static pleach_status obtain_pool(pleach_engine *engine, pleach_pool *pool)
{
    engine->pool = pool;
    engine->owns_pool = pool == NULL;
    return pool == NULL ? pleach_pool_create(&engine->pool, &engine->config) : PLEACH_OK;
}

/* The state before all blocks. */
static pleach_status obtain_states(pleach_engine *engine)
{
    engine->states = pleach__allocate(NULL, engine->kept_most * sizeof(pleach_engine_view *));
    if (engine->states == NULL)
        return pleach__fail(PLEACH_ENOMEM, "room for %zu states could not be had", engine->kept_most);
    pleach_status status = pleach__state_create(engine->pool, 0, NULL, &engine->states[0]);
    engine->kept = status == PLEACH_OK ? 1 : 0;
    return status;
}

static pleach_status restore(pleach_engine *engine)
{
    pleach_engine_view *state = NULL;
    pleach_status status =
        pleach__directory_restore(&engine->directory, &engine->config, engine->pool, &state, &engine->restored);
    if (status == PLEACH_OK && state != NULL)
        pleach__publish(engine, state, PLEACH__ALONE);
    return status;
}

/* What there is of it; never with views open. */
static void clear(pleach_engine *engine)
{
    pleach__block_drop(engine);
    pleach__states_release(unlink_from(engine, 0));
    if (engine->owns_pool)
        (void)pleach_pool_destroy(engine->pool);
    pleach__release(NULL, engine->states, engine->kept_most * sizeof(pleach_engine_view *));
    pleach__directory_close(&engine->directory);
}

static pleach_status fill(pleach_engine *engine, const pleach_config *config, const pleach_engine_options *options)
{
    engine->kept_most = (size_t)options->rollback_blocks + 1;
    pleach_status status = obtain_settings(engine, config);
    if (status == PLEACH_OK)
        status = pleach__directory_open(&engine->directory, options->directory);
    if (status == PLEACH_OK)
        status = obtain_pool(engine, options->pool);
    if (status == PLEACH_OK)
        status = obtain_states(engine);
    return status == PLEACH_OK ? restore(engine) : status;
}

static pleach_status make(pleach_engine **engine)
{
    pleach_engine *made = pleach__allocate(NULL, sizeof *made);
    if (made == NULL)
        return pleach__fail(PLEACH_ENOMEM, "%zu bytes for an engine could not be had", sizeof *made);
    memset(made, 0, sizeof *made);
    made->directory = pleach__no_directory;
    if (uv_mutex_init(&made->lock) != 0) {
        pleach__release(NULL, made, sizeof *made);
        return pleach__fail(PLEACH_ENOMEM, "a lock could not be had");
    }
    pleach_status status = pleach__queue_open(&made->queue);
    if (status == PLEACH_OK) {
        *engine = made;
        return PLEACH_OK;
    }
    uv_mutex_destroy(&made->lock);
    pleach__release(NULL, made, sizeof *made);
    return status;
}

void pleach__engine_free(pleach_engine *engine)
{
    pleach__queue_close(&engine->queue);
    uv_mutex_destroy(&engine->lock);
    pleach__release(NULL, engine, sizeof *engine);
}

pleach_status pleach_engine_open(pleach_engine **engine, const pleach_config *config,
                                 const pleach_engine_options *options)
{
    const pleach_engine_options none = {0};
    pleach_engine *made = NULL;
    if (engine == NULL)
        return pleach__fail(PLEACH_EINVAL, "engine = NULL");
    options = options != NULL ? options : &none;
    pleach_status status = check_options(options);
    if (status == PLEACH_OK)
        status = make(&made);
    if (status != PLEACH_OK)
        return status;
    status = fill(made, config, options);
    if (status == PLEACH_OK) {
        *engine = made;
        return PLEACH_OK;
    }
    clear(made);
    pleach__engine_free(made);
    return status;
}

pleach_status pleach__engine_clear(pleach_engine *engine)
{
    if (engine->owns_pool && pleach__inside(engine->pool))
        return pleach__fail(PLEACH_EBUSY, "a task may not close the engine on whose pool it runs");
    const size_t views = atomic_load(&engine->views);
    if (views > 0)
        return pleach__fail(PLEACH_EINUSE, "%zu views are open", views);
    clear(engine);
    return PLEACH_OK;
}

pleach_status pleach_engine_close(pleach_engine *engine)
{
    if (engine == NULL)
        return PLEACH_OK;
    uv_mutex_lock(&engine->queue.lock);
    const size_t undelivered = engine->queue.undelivered;
    uv_mutex_unlock(&engine->queue.lock);
    if (undelivered > 0)
        return pleach__fail(PLEACH_EINUSE, "%zu requests are in flight", undelivered);
    pleach_status status = pleach__engine_clear(engine);
    if (status == PLEACH_OK)
        pleach__engine_free(engine);
    return status;
}

pleach_pool *pleach_engine_pool(const pleach_engine *engine)
{
    return engine != NULL ? engine->pool : NULL;
}

pleach_engine_restored pleach_engine_restored_from(const pleach_engine *engine)
{
    return engine != NULL ? engine->restored : PLEACH_RESTORED_NOTHING;
}

/* --- trees and accumulators --- */

static bool is_tree_of(const pleach__object *object, const pleach_scheme *scheme)
{
    uint8_t own[PLEACH__SCHEME_SIZE], asked[PLEACH__SCHEME_SIZE];
    if (object->kind != PLEACH__TREE)
        return false;
    pleach__scheme_encode(pleach_tree_scheme(object->tree), own);
    pleach__scheme_encode(scheme, asked);
    return memcmp(own, asked, sizeof own) == 0;
}

static bool is_accumulator_of(const pleach__object *object, const pleach_engine_accumulator_rules *rules)
{
    return object->kind == PLEACH__ACCUMULATOR && object->rules.states == rules->states &&
           object->rules.total == rules->total && object->rules.empty == rules->empty;
}

/* Whether the name is new; *index is its number, or would be. PLEACH_EBLOCKOPEN, PLEACH_ERANGE: it cannot be made. */
static pleach_status look_up(const pleach_engine *engine, const char *name, uint32_t *index, bool *is_new)
{
    const pleach_engine_view *newest = pleach__newest(engine);
    pleach_status status = pleach__check_name(name, strlen(name));
    if (status != PLEACH_OK)
        return status;
    *is_new = pleach_engine_view_find(newest, name, index) != PLEACH_OK;
    if (!*is_new)
        return PLEACH_OK;
    *index = newest->count;
    if (engine->block.open)
        return pleach__fail(PLEACH_EBLOCKOPEN, "%s: block %llu is open", name,
                            (unsigned long long)engine->block.height);
    if (newest->count == PLEACH_ENGINE_OBJECTS_MAX)
        return pleach__fail(PLEACH_ERANGE, "%s: there are %d trees and accumulators, and no more can be", name,
                            PLEACH_ENGINE_OBJECTS_MAX);
    return PLEACH_OK;
}

/* Takes the object over. */
static pleach_status add(pleach_engine *engine, pleach__object *object)
{
    const pleach_engine_view *newest = pleach__newest(engine);
    pleach_engine_view *state = NULL;
    pleach_status status = pleach__state_create(engine->pool, newest->count + 1, newest, &state);
    if (status != PLEACH_OK) {
        pleach__object_release(engine->pool, object);
        return status;
    }
    state->objects[newest->count] = object;
    pleach__publish(engine, state, PLEACH__REPLACING);
    return PLEACH_OK;
}

static pleach_status taken(const char *name)
{
    return pleach__fail(PLEACH_EOBJECTNAME, "%s: there is another tree or accumulator of that name", name);
}

pleach_status pleach_engine_tree(pleach_engine *engine, const char *name, const pleach_scheme *scheme, uint32_t *object)
{
    if (engine == NULL || name == NULL || object == NULL)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL", engine == NULL ? "engine" : name == NULL ? "name" : "object");
    pleach__object *made = NULL;
    uint32_t index = 0;
    bool is_new = false;
    pleach_status status = pleach__scheme_check(scheme);
    if (status == PLEACH_OK)
        status = look_up(engine, name, &index, &is_new);
    if (status == PLEACH_OK && !is_new && !is_tree_of(pleach__newest(engine)->objects[index], scheme))
        return taken(name);
    if (status == PLEACH_OK && is_new)
        status = pleach__object_tree(engine->pool, name, scheme, &made);
    if (status == PLEACH_OK && is_new)
        status = add(engine, made);
    if (status == PLEACH_OK)
        *object = index;
    return status;
}

pleach_status pleach_engine_accumulator(pleach_engine *engine, const char *name,
                                        const pleach_engine_accumulator_rules *rules, uint32_t *object)
{
    if (engine == NULL || name == NULL || rules == NULL || object == NULL)
        return pleach__fail(PLEACH_EINVAL, "%s = NULL",
                            engine == NULL  ? "engine"
                            : name == NULL  ? "name"
                            : rules == NULL ? "rules"
                                            : "object");
    pleach__object *made = NULL;
    uint32_t index = 0;
    bool is_new = false;
    pleach_status status = pleach__check_rules(rules);
    if (status == PLEACH_OK)
        status = look_up(engine, name, &index, &is_new);
    if (status == PLEACH_OK && !is_new && !is_accumulator_of(pleach__newest(engine)->objects[index], rules))
        return taken(name);
    if (status == PLEACH_OK && is_new)
        status = pleach__object_accumulator(engine->pool, name, rules, &made);
    if (status == PLEACH_OK && is_new)
        status = add(engine, made);
    if (status == PLEACH_OK)
        *object = index;
    return status;
}
