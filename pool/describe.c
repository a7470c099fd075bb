/* A pool as JSON. */
#define _GNU_SOURCE
#include "config/settings.h"
#include "pool/workers.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* A text that grows on when its place is full, so that its whole length is known at the end. */
struct writer {
    char *text;
    size_t size, length;
    bool first; /* nothing was written since the last opening bracket */
};

static void write_raw(struct writer *writer, const char *format, ...) PLEACH__PRINTF(2, 3);
static void write_raw(struct writer *writer, const char *format, ...)
{
    va_list arguments;
    bool full = writer->length >= writer->size;
    va_start(arguments, format);
    int length = vsnprintf(full ? NULL : writer->text + writer->length, full ? 0 : writer->size - writer->length,
                           format, arguments);
    va_end(arguments);
    writer->length += length > 0 ? (size_t)length : 0;
}

/* The comma and the key before a value; a key of NULL for an element of an array. */
static void begin_value(struct writer *writer, const char *key)
{
    if (!writer->first)
        write_raw(writer, ",");
    writer->first = false;
    if (key != NULL)
        write_raw(writer, "\"%s\":", key);
}

static void begin_group(struct writer *writer, const char *key, const char *bracket)
{
    begin_value(writer, key);
    write_raw(writer, "%s", bracket);
    writer->first = true;
}

static void end_group(struct writer *writer, const char *bracket)
{
    write_raw(writer, "%s", bracket);
    writer->first = false;
}

/* A text of NULL is null. None that a pool knows has a character that would have to be escaped. */
static void put_text(struct writer *writer, const char *key, const char *text)
{
    begin_value(writer, key);
    if (text != NULL)
        write_raw(writer, "\"%s\"", text);
    else
        write_raw(writer, "null");
}

static void put_number(struct writer *writer, const char *key, uint64_t number)
{
    begin_value(writer, key);
    write_raw(writer, "%" PRIu64, number);
}

/* null if there is none. */
static void put_optional(struct writer *writer, const char *key, bool exists, uint64_t number)
{
    if (exists)
        put_number(writer, key, number);
    else
        put_text(writer, key, NULL);
}

static void put_truth(struct writer *writer, const char *key, bool truth)
{
    begin_value(writer, key);
    write_raw(writer, truth ? "true" : "false");
}

/* What a pool consists of, so that the calling thread alone can be described too. */
struct subject {
    const pleach_pool *pool; /* NULL = the calling thread alone */
    const pleach_config *config;
    const pleach__topology *topology;
    const pleach__plan *plan;
    const pleach_kernels *kernels, *streaming; /* streaming: NULL if there are no slots */
    unsigned workers;
    const char *allocator;
    pleach_memory_use memory;
};

static const char *reason_text(pleach__passed_over reason)
{
    switch (reason) {
    case PLEACH__CHOSEN:
        return "chosen";
    case PLEACH__OUTRANKED:
        return "usable, but a better one was chosen";
    case PLEACH__NOT_PINNED:
        return "usable, but the settings name another";
    case PLEACH__NO_FEATURE:
        return "this host lacks instructions it needs";
    case PLEACH__NO_SLOT:
        return "only for workers that hold a streaming slot";
    case PLEACH__PROBE_FAILED:
        return "gave wrong digests on this host";
    }
    return "unknown";
}

static void put_family(struct writer *writer, const struct subject *subject, pleach_family family)
{
    begin_group(writer, NULL, "{");
    put_text(writer, "name", pleach_family_name(family));
    put_text(writer, "backend", pleach_kernels_backend(subject->kernels, family));
    put_text(writer, "streaming_backend",
             subject->streaming != NULL ? pleach_kernels_backend(subject->streaming, family) : NULL);
    begin_group(writer, "backends", "[");
    for (const pleach__backend *const *backend = pleach__family_of(family)->backends; *backend != NULL; backend++) {
        pleach__passed_over reason = pleach__kernels_explain(subject->kernels, subject->config, family, *backend);
        begin_group(writer, NULL, "{");
        put_text(writer, "name", (*backend)->name);
        put_text(writer, "needs", (*backend)->needs);
        put_number(writer, "lanes", (*backend)->lanes);
        put_truth(writer, "chosen", reason == PLEACH__CHOSEN);
        put_text(writer, "reason", reason_text(reason));
        end_group(writer, "}");
    }
    end_group(writer, "]");
    end_group(writer, "}");
}

static void put_settings(struct writer *writer, const pleach_config *config)
{
    char text[PLEACH_BACKEND_SIZE];
    const char *name;
    begin_group(writer, "settings", "{");
    for (size_t i = 0; (name = pleach__setting(config, i, text)) != NULL; i++)
        put_text(writer, name, text);
    end_group(writer, "}");
}

static void put_processors(struct writer *writer, const pleach__topology *topology)
{
    begin_group(writer, "processors", "{");
    put_number(writer, "usable", topology->processors);
    put_optional(writer, "quota", topology->quota != 0, topology->quota);
    put_number(writer, "performance", topology->processors - topology->efficiency);
    put_number(writer, "efficiency", topology->efficiency);
    put_number(writer, "performance_clusters", topology->clusters[0]);
    put_number(writer, "efficiency_clusters", topology->clusters[1]);
    end_group(writer, "}");
}

static const char *kind_text(const pleach__processor *processor)
{
    return processor->efficiency ? "efficiency" : "performance";
}

static void put_streaming(struct writer *writer, const struct subject *subject)
{
    const pleach__place *place = subject->plan->place;
    begin_group(writer, "streaming", "{");
    put_number(writer, "units", subject->topology->streaming_units);
    put_number(writer, "slots", subject->plan->slots);
    put_text(writer, "reason", subject->plan->slots_reason);
    begin_group(writer, "holders", "[");
    for (unsigned i = 0; i < subject->workers; i++) {
        if (!place[i].streaming)
            continue;
        const pleach__processor *processor = &subject->topology->order[place[i].processor];
        begin_group(writer, NULL, "{");
        put_number(writer, "worker", i);
        put_text(writer, "kind", kind_text(processor));
        put_number(writer, "cluster", processor->cluster);
        put_number(writer, "unit", processor->unit);
        end_group(writer, "}");
    }
    end_group(writer, "]");
    end_group(writer, "}");
}

static const char *binding_text(pleach__binding binding)
{
    switch (binding) {
    case PLEACH__FREE:
        return NULL;
    case PLEACH__TO_UNIT:
        return "unit";
    case PLEACH__TO_CORE:
        return "core";
    }
    return NULL;
}

/* Where one runs; callers run anywhere. */
static void put_place(struct writer *writer, const struct subject *subject, unsigned index)
{
    static const pleach__processor nowhere = {0};
    const bool is_worker = index != 0;
    const unsigned place = subject->plan->place[index].processor;
    const pleach__processor *processor = is_worker ? &subject->topology->order[place] : &nowhere;
    const pleach__binding binding = is_worker ? subject->pool->workers[index].binding : PLEACH__FREE;
    put_text(writer, "kind", is_worker ? kind_text(processor) : "callers");
    put_optional(writer, "cluster", is_worker, processor->cluster);
    put_text(writer, "bound", binding_text(binding));
    put_optional(writer, "core", binding == PLEACH__TO_CORE, processor->number);
}

static void put_participants(struct writer *writer, const struct subject *subject)
{
    begin_group(writer, "participants", "[");
    for (unsigned i = 0; i < subject->workers; i++) {
        pleach_pool_counters counters = {0};
        (void)pleach_pool_count_worker(subject->pool, i, &counters);
        begin_group(writer, NULL, "{");
        put_number(writer, "index", i);
        put_place(writer, subject, i);
        put_truth(writer, "streaming", subject->plan->place[i].streaming);
        put_number(writer, "jobs", counters.jobs);
        put_number(writer, "claims", counters.claims);
        put_number(writer, "parks", counters.parks);
        put_number(writer, "busy_ns", counters.busy_ns);
        end_group(writer, "}");
    }
    end_group(writer, "]");
}

static void put_memory(struct writer *writer, const struct subject *subject)
{
    const pleach_memory_use *use = &subject->memory;
    begin_group(writer, "memory", "{");
    put_text(writer, "allocator", subject->allocator);
    put_number(writer, "allocations", use->allocations);
    put_number(writer, "used", use->used);
    put_number(writer, "peak", use->peak);
    if (use->mapped != 0) {
        put_number(writer, "mapped", use->mapped);
        put_number(writer, "kept", use->kept);
    }
    end_group(writer, "}");
}

static void put_subject(struct writer *writer, const struct subject *subject)
{
    begin_group(writer, NULL, "{");
    put_text(writer, "version", pleach_version());

    put_processors(writer, subject->topology);

    begin_group(writer, "workers", "{");
    put_number(writer, "asked", subject->plan->workers);
    put_number(writer, "running", subject->workers);
    put_number(writer, "efficiency", subject->plan->efficiency);
    put_text(writer, "reason", subject->plan->workers_reason);
    end_group(writer, "}");

    put_streaming(writer, subject);

    put_memory(writer, subject);

    put_settings(writer, subject->config);
    put_participants(writer, subject);
    begin_group(writer, "families", "[");
    for (int family = 0; family < PLEACH_FAMILIES; family++)
        put_family(writer, subject, (pleach_family)family);
    end_group(writer, "]");
    end_group(writer, "}");
}

size_t pleach_pool_describe(const pleach_pool *pool, char *text, size_t size)
{
    struct writer writer = {.text = text, .size = size, .first = true};
    if (size != 0)
        text[0] = '\0';
    if (pool != NULL) {
        pleach_memory_use memory;
        pleach_pool_memory(pool, &memory);
        put_subject(&writer, &(struct subject){.pool = pool,
                                               .config = &pool->config,
                                               .topology = &pool->topology,
                                               .plan = &pool->plan,
                                               .kernels = &pool->kernels[0],
                                               .streaming = pool->plan.slots != 0 ? &pool->kernels[1] : NULL,
                                               .workers = pool->width,
                                               .allocator = pleach__arena_allocator(pool->arena),
                                               .memory = memory});
        return writer.length;
    }
    static const pleach__topology topology = {.processors = 1, .clusters = {1, 0}};
    static const pleach__plan plan = {.workers = 1,
                                      .workers_reason = "the calling thread alone",
                                      .slots_reason = "only workers of a pool hold slots"};
    pleach_config config;
    pleach_config_init(&config);
    config.workers = 1;
    put_subject(&writer, &(struct subject){.config = &config,
                                           .topology = &topology,
                                           .plan = &plan,
                                           .kernels = pleach_kernels_default(),
                                           .workers = 1,
                                           .allocator = pleach__arena_allocator(NULL)});
    return writer.length;
}
