#define _GNU_SOURCE
#include "merkle_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = PLEACH_DIGEST_SIZE, TOKENS = 24, ENTRIES = 160, KINDS = 32 };

size_t from_hex(const char *text, uint8_t *bytes, size_t capacity)
{
    size_t size = 0;
    unsigned byte;
    if (strcmp(text, "-") == 0)
        return 0;
    for (; sscanf(text, "%2x", &byte) == 1; text += 2) {
        assert_true(size < capacity);
        bytes[size++] = (uint8_t)byte;
    }
    return size;
}

void assert_hex(const uint8_t *digest, const char *hex)
{
    uint8_t expected[D];
    assert_int_equal(from_hex(hex, expected, D), D);
    assert_memory_equal(digest, expected, D);
}

static FILE *open_vectors(const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", PLEACH_VECTORS, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    return file;
}

void check_lines(const char *name, const struct line_kind *kinds, size_t count)
{
    unsigned lines[KINDS] = {0};
    FILE *file = open_vectors(name);
    char *line = NULL, *token[TOKENS];
    size_t room = 0;
    assert_true(count <= KINDS);
    while (getline(&line, &room, file) > 0) {
        size_t tokens = 0;
        line[strcspn(line, "#[\n")] = '\0';
        for (char *at = strtok(line, " "); at && tokens < TOKENS; at = strtok(NULL, " "))
            token[tokens++] = at;
        for (size_t k = 0; k < count && tokens > 0; k++) {
            if (strcmp(token[0], kinds[k].key) == 0) {
                kinds[k].check(token, tokens);
                lines[k]++;
            }
        }
    }
    for (size_t k = 0; k < count; k++)
        assert_int_equal(lines[k], kinds[k].lines);
    free(line);
    (void)fclose(file);
}

struct section {
    char kind[32];
    size_t entries;
    char *line[ENTRIES]; /* key, terminator, value, terminator */
    char *value[ENTRIES];
};

const char *section_text(const struct section *section, const char *key)
{
    for (size_t i = 0; i < section->entries; i++)
        if (strcmp(section->line[i], key) == 0)
            return section->value[i];
    return NULL;
}

size_t section_number(const struct section *section, const char *key)
{
    const char *text = section_text(section, key);
    assert_non_null(text);
    return strtoul(text, NULL, 10);
}

static void take_entry(struct section *section, const char *line)
{
    const char *equals = strstr(line, " = ");
    if (!equals || line[0] == '#')
        return;
    assert_true(section->entries < ENTRIES);
    char *copy = strdup(line);
    assert_non_null(copy);
    copy[strcspn(copy, "\n")] = '\0';
    copy[equals - line] = '\0';
    section->line[section->entries] = copy;
    section->value[section->entries++] = copy + (equals - line) + 3;
}

static size_t end_section(struct section *section, const char *kind, void (*check)(const struct section *section))
{
    bool is_meant = strcmp(section->kind, kind) == 0;
    if (is_meant)
        check(section);
    while (section->entries > 0)
        free(section->line[--section->entries]);
    section->kind[0] = '\0';
    return is_meant;
}

size_t check_sections(const char *name, const char *kind, void (*check)(const struct section *section))
{
    FILE *file = open_vectors(name);
    char *line = NULL;
    size_t room = 0, checked = 0;
    struct section section = {.kind = ""};
    while (getline(&line, &room, file) > 0) {
        if (line[0] == '[') {
            checked += end_section(&section, kind, check);
            (void)sscanf(line, "[%31[^] \n]", section.kind);
        } else {
            take_entry(&section, line);
        }
    }
    checked += end_section(&section, kind, check);
    free(line);
    (void)fclose(file);
    return checked;
}
