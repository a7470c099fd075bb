#include "engine/cli/cli.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A string, number, truth or null. */
static void print_scalar(json_t *value)
{
    if (json_is_string(value))
        (void)fputs(json_string_value(value), stdout);
    else if (json_is_integer(value))
        (void)printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else
        (void)fputs(json_is_null(value) ? "none" : json_is_true(value) ? "yes" : "no", stdout);
}

static const char *text_of(json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "none";
}

/* A scalar, or an array of objects: "member value member value; member value member value". */
static void print_value(json_t *value)
{
    const char *key, *separator = "";
    size_t i;
    json_t *element, *member;
    if (!json_is_array(value))
        print_scalar(value);
    else if (json_array_size(value) == 0)
        print_scalar(json_null());
    json_array_foreach(value, i, element)
    {
        json_object_foreach(element, key, member)
        {
            (void)printf("%s%s ", separator, key);
            print_scalar(member);
            separator = " ";
        }
        separator = "; ";
    }
}

/* "name  member value, member value" */
static void print_group(const char *name, json_t *object)
{
    const char *key, *separator = "";
    json_t *value;
    (void)printf("%-12s", name);
    json_object_foreach(object, key, value)
    {
        (void)printf("%s%s ", separator, key);
        print_value(value);
        separator = ", ";
    }
    (void)putchar('\n');
}

static void print_settings(json_t *settings)
{
    const char *key;
    json_t *value;
    (void)puts("\nsettings");
    json_object_foreach(settings, key, value)(void)
        printf("  %-28s%s\n", key, json_string_length(value) > 0 ? json_string_value(value) : "(not set)");
}

static void print_families(json_t *families)
{
    size_t i, j;
    json_t *family, *backend;
    (void)printf("\n%-10s%-10s%5s  %-42s%s\n", "family", "backend", "lanes", "outcome", "needs");
    json_array_foreach(families, i, family)
    {
        json_array_foreach(json_object_get(family, "backends"), j, backend)
        {
            (void)printf("%-10s%-10s%5" JSON_INTEGER_FORMAT "  %-42s%s\n", j == 0 ? text_of(family, "name") : "",
                         text_of(backend, "name"), json_integer_value(json_object_get(backend, "lanes")),
                         text_of(backend, "reason"), text_of(backend, "needs"));
        }
    }
}

static void print_cell(json_t *object, const char *key, int width)
{
    json_t *value = json_object_get(object, key);
    if (json_is_integer(value))
        (void)printf("  %*" JSON_INTEGER_FORMAT, width, json_integer_value(value));
    else
        (void)printf("  %*s", width, json_is_null(value) ? "-" : json_is_true(value) ? "yes" : "no");
}

static void print_participants(json_t *participants)
{
    static const struct {
        const char *key;
        int width;
    } columns[] = {{"cluster", 7}, {"core", 4}, {"streaming", 9}, {"jobs", 10}, {"claims", 10}, {"parks", 10}};
    enum { COLUMNS = sizeof columns / sizeof columns[0] };
    size_t i;
    json_t *participant;
    (void)printf("\n%-8s%-13s%-6s", "worker", "kind", "bound");
    for (int c = 0; c < COLUMNS; c++)
        (void)printf("  %*s", columns[c].width, columns[c].key);
    (void)printf("  %10s\n", "busy ms");
    json_array_foreach(participants, i, participant)
    {
        (void)printf("%-8zu%-13s%-6s", i, text_of(participant, "kind"), text_of(participant, "bound"));
        for (int c = 0; c < COLUMNS; c++)
            print_cell(participant, columns[c].key, columns[c].width);
        (void)printf("  %10" JSON_INTEGER_FORMAT "\n",
                     json_integer_value(json_object_get(participant, "busy_ns")) / 1000000);
    }
}

static void print_table(json_t *description)
{
    const char *key;
    json_t *value;
    json_object_foreach(description, key, value)
    {
        if (strcmp(key, "settings") == 0)
            print_settings(value);
        else if (strcmp(key, "families") == 0)
            print_families(value);
        else if (strcmp(key, "participants") == 0)
            print_participants(value);
        else if (json_is_object(value))
            print_group(key, value);
        else
            (void)printf("%-12s%s\n", key, text_of(description, key));
    }
}

static bool print_description(const pleach_pool *pool, bool as_json)
{
    enum { GROWTH = 4096 }; /* of counters, meanwhile */
    const size_t size = pleach_pool_describe(pool, NULL, 0) + GROWTH;
    char *text = malloc(size);
    if (text == NULL)
        return false;
    (void)pleach_pool_describe(pool, text, size);
    json_t *description = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    if (description != NULL && as_json)
        (void)puts(text);
    else if (description != NULL)
        print_table(description);
    free(text);
    json_decref(description);
    return description != NULL;
}

int pleach__info(const pleach__options *options, int count, char **operands)
{
    (void)count;
    (void)operands;
    int code = PLEACH__EXIT_OK;
    pleach_pool *pool = pleach__open_pool(&options->config, &code);
    if (pool == NULL)
        return code;
    if (!print_description(pool, options->json)) {
        pleach__complain("the description of the pool could not be had");
        code = PLEACH__EXIT_FAILED;
    }
    (void)pleach_pool_destroy(pool);
    return code;
}
