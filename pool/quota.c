/*
 * /proc/self/cgroup says which groups the process is in, /proc/self/mountinfo where their hierarchies are mounted. A
 * mount may show only a part of its hierarchy, as in a container; a group outside that part is taken for the mounted
 * one.
 */
#define _GNU_SOURCE
#include "pool/quota.h"
#include "pool/system_files.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096 };

/* Whether a comma separated list has a word. */
static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *item = list; item != NULL; item = strchr(item, ','), item = item != NULL ? item + 1 : NULL)
        if (strncmp(item, word, length) == 0 && (item[length] == ',' || item[length] == '\0'))
            return true;
    return false;
}

/* Both versions' files, as "quota period"; a quota that is no number, or negative, is no limit. */
static unsigned read_limit(const char *root, const char *group, bool version2)
{
    long long quota = -1, period = 0;
    int fields = 0;
    FILE *file = pleach__system_open(root, "%s/%s", group, version2 ? "cpu.max" : "cpu.cfs_quota_us");
    if (file != NULL) {
        fields = version2 ? fscanf(file, "%lld %lld", &quota, &period) : fscanf(file, "%lld", &quota);
        (void)fclose(file);
    }
    if (!version2 && fields == 1 && (file = pleach__system_open(root, "%s/cpu.cfs_period_us", group)) != NULL) {
        fields += fscanf(file, "%lld", &period);
        (void)fclose(file);
    }
    if (fields != 2 || quota <= 0 || period <= 0)
        return 0;
    long long processors = (quota - 1) / period + 1;
    return processors < UINT_MAX ? (unsigned)processors : UINT_MAX;
}

static unsigned tighter(unsigned a, unsigned b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* The tightest limit from `group`, which is below the directory `mount` and is cut up on the way, to `mount`. */
static unsigned read_limits(const char *root, char *group, size_t mount, bool version2)
{
    unsigned limit = read_limit(root, group, version2);
    while (strlen(group) > mount) {
        *strrchr(group, '/') = '\0';
        limit = tighter(limit, read_limit(root, group, version2));
    }
    return limit;
}

/* The path of the process's group in a hierarchy; empty if it is in none. */
static void find_group(const char *root, bool version2, char group[PATH_SIZE])
{
    char *line = NULL;
    size_t size = 0;
    FILE *file = pleach__system_open(root, "/proc/self/cgroup");
    group[0] = '\0';
    while (file != NULL && pleach__system_next_line(file, &line, &size)) {
        char *controllers = strchr(line, ':');
        char *path = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (path == NULL)
            continue;
        *path++ = '\0';
        if (version2 ? controllers[1] == '\0' : has_word(controllers + 1, "cpu"))
            (void)snprintf(group, PATH_SIZE, "%s", path);
    }
    free(line);
    if (file != NULL)
        (void)fclose(file);
}

/* One line of mountinfo: "id parent device root point options [tags] - type source options". */
static unsigned read_mount(const char *root, char *line, bool version2, const char *group)
{
    char *fields[5], *rest = line, group_path[PATH_SIZE];
    for (int i = 0; i < 5; i++)
        if ((fields[i] = strsep(&rest, " ")) == NULL)
            return 0;
    char *type = rest != NULL ? strstr(rest, " - ") : NULL;
    if (type == NULL)
        return 0;
    type += strlen(" - ");
    char *options = strrchr(type, ' ');
    size_t length = strcspn(type, " ");
    bool is_version2 = length == strlen("cgroup2") && strncmp(type, "cgroup2", length) == 0;
    bool is_version1 = length == strlen("cgroup") && strncmp(type, "cgroup", length) == 0;
    if (version2 ? !is_version2 : !is_version1 || options == NULL || !has_word(options + 1, "cpu"))
        return 0;

    const char *shown = strcmp(fields[3], "/") == 0 ? "" : fields[3], *point = fields[4];
    size_t prefix = strlen(shown);
    bool inside = strncmp(group, shown, prefix) == 0 && group[prefix] == '/' && group[prefix + 1] != '\0';
    int written = snprintf(group_path, sizeof group_path, "%s%s", point, inside ? group + prefix : "");
    if (written < 0 || (size_t)written >= sizeof group_path)
        return 0;
    return read_limits(root, group_path, strlen(point), version2);
}

static unsigned read_version(const char *root, bool version2)
{
    char group[PATH_SIZE], *line = NULL;
    size_t size = 0;
    unsigned limit = 0;
    find_group(root, version2, group);
    FILE *file = group[0] != '\0' ? pleach__system_open(root, "/proc/self/mountinfo") : NULL;
    while (file != NULL && pleach__system_next_line(file, &line, &size))
        limit = tighter(limit, read_mount(root, line, version2, group));
    free(line);
    if (file != NULL)
        (void)fclose(file);
    return limit;
}

unsigned pleach__quota_read(const char *root)
{
    return tighter(read_version(root, false), read_version(root, true));
}
