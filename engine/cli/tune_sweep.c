#include "engine/cli/tune.h"
#include "pool/plan.h"

#include <stdlib.h>
#include <string.h>

enum { EVERY_ONE = 16 }; /* up to here every number of workers is tried; beyond, four between powers of two */

/* Pairs of workers, before slots come into it. */
typedef struct pairs {
    size_t count;
    pleach__tune_setting pair[PLEACH__TUNE_SETTINGS_MAX];
} pairs;

unsigned pleach__tune_workers(const pleach__tune_setting *setting)
{
    return setting->workers + setting->efficiency;
}

bool pleach__tune_equal(const pleach__tune_setting *a, const pleach__tune_setting *b)
{
    return a->workers == b->workers && a->efficiency == b->efficiency && a->slots == b->slots;
}

void pleach__tune_name(const pleach__tune_setting *setting, char name[PLEACH__TUNE_NAME])
{
    const int length = snprintf(name, PLEACH__TUNE_NAME, "%u", setting->workers);
    if (setting->efficiency > 0)
        (void)snprintf(name + length, (size_t)(PLEACH__TUNE_NAME - length), "+%u", setting->efficiency);
}

static bool contains(const pleach__tune_setting *settings, size_t count, const pleach__tune_setting *setting)
{
    for (size_t i = 0; i < count; i++)
        if (pleach__tune_equal(&settings[i], setting))
            return true;
    return false;
}

/* Those without efficiency cores first; then by workers. */
static int compare_pairs(const void *a, const void *b)
{
    const pleach__tune_setting *left = a, *right = b;
    if ((left->efficiency > 0) != (right->efficiency > 0))
        return left->efficiency > 0 ? 1 : -1;
    if (left->workers != right->workers)
        return left->workers > right->workers ? 1 : -1;
    return (left->efficiency > right->efficiency) - (left->efficiency < right->efficiency);
}

/* False if there are too many. */
static bool add_pair(pairs *p, unsigned workers, unsigned efficiency)
{
    const pleach__tune_setting pair = {.workers = workers, .efficiency = efficiency};
    if (contains(p->pair, p->count, &pair))
        return true;
    if (p->count == PLEACH__TUNE_SETTINGS_MAX)
        return false;
    p->pair[p->count++] = pair;
    return true;
}

/* The number to be tried after n, when `most` is the last one. */
static unsigned next_number(unsigned n, unsigned most)
{
    unsigned step = 1;
    while (n >= EVERY_ONE && step * 8 <= n)
        step *= 2;
    return n < most && n + step > most ? most : n + step;
}

static unsigned lesser(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Every number of workers alone; and on top of as many as the library would take, those of efficiency cores. */
static void add_automatic_pairs(pairs *p, const pleach__tune_setting *automatic, const pleach__topology *topology)
{
    const unsigned granted = topology->quota != 0 ? lesser(topology->quota, PLEACH_WORKERS_MAX) : PLEACH_WORKERS_MAX;
    const unsigned top = lesser(topology->processors - topology->efficiency, granted);
    const unsigned base = automatic->workers > 1 ? automatic->workers : 2; /* beside one there may be none */
    const unsigned left = base <= top ? lesser(granted - base, topology->efficiency) : 0;
    for (unsigned n = 1; n <= top; n = next_number(n, top))
        (void)add_pair(p, n, 0);
    for (unsigned n = 1; n <= left; n = next_number(n, left))
        (void)add_pair(p, base, n);
    if (base < top && left > 0 && granted - top >= topology->efficiency)
        (void)add_pair(p, top, topology->efficiency);
}

static bool parse_number(const char **text, unsigned *number)
{
    const char *at = *text;
    for (*number = 0; *at >= '0' && *at <= '9' && *number <= PLEACH_WORKERS_MAX; at++)
        *number = 10 * *number + (unsigned)(*at - '0');
    const bool good = at != *text && *number >= 1 && *number <= PLEACH_WORKERS_MAX;
    *text = at;
    return good;
}

/* N, N-M or N+E, and the comma that follows. */
static bool parse_item(const char **text, pairs *p)
{
    unsigned first, last;
    char sign = '-';
    if (!parse_number(text, &first))
        return false;
    last = first;
    if (**text == '-' || **text == '+') {
        sign = *(*text)++;
        if (!parse_number(text, &last))
            return false;
    }
    if (sign == '+' ? first < 2 || first + last > PLEACH_WORKERS_MAX || !add_pair(p, first, last) : last < first)
        return false;
    for (unsigned n = first; sign == '-' && n <= last; n++)
        if (!add_pair(p, n, 0))
            return false;
    if (**text == ',' && (*text)[1] != '\0')
        ++*text;
    else if (**text != '\0')
        return false;
    return true;
}

static bool parse_pairs(const char *list, pairs *p)
{
    const char *at = list;
    bool good = *at != '\0';
    while (good && *at != '\0')
        good = parse_item(&at, p);
    if (!good)
        pleach__complain("--workers \"%s\": expected numbers from 1 to %d, ranges and sums, such as 1-4,8,4+2 (4+2: 4 "
                         "workers and 2 for efficiency cores, beside at least 2), %d settings at most",
                         list, PLEACH_WORKERS_MAX, PLEACH__TUNE_SETTINGS_MAX);
    return good;
}

/* The slots that a pool would have. */
static unsigned slots_of(const pleach__tune_setting *setting, const pleach__topology *topology)
{
    pleach_config config;
    pleach__plan plan;
    pleach_config_init(&config);
    config.workers = (int)setting->workers;
    config.efficiency_workers = (int)setting->efficiency;
    config.sme_workers = (int)setting->slots;
    pleach__plan_make(&plan, &config, topology, NULL);
    return plan.slots;
}

static pleach__tune_setting automatic_setting(const pleach_config *config, const pleach__topology *topology)
{
    pleach_config automatic;
    pleach__plan plan;
    pleach_config_init(&automatic);
    automatic.sme_workers = config->sme_workers;
    pleach__plan_make(&plan, &automatic, topology, NULL);
    return (pleach__tune_setting){plan.workers - plan.efficiency, plan.efficiency, plan.slots};
}

/* Adds the pairs with so many slots each, as far as they can have them. False if there are too many. */
static bool add_with_slots(pleach__tune_sweep *sweep, const pairs *p, unsigned slots, const pleach__topology *topology)
{
    for (size_t i = 0; i < p->count; i++) {
        pleach__tune_setting setting = p->pair[i];
        setting.slots = slots;
        if (slots > 0 && slots_of(&setting, topology) < slots)
            continue;
        if (sweep->count == PLEACH__TUNE_SETTINGS_MAX)
            return false;
        sweep->setting[sweep->count++] = setting;
        sweep->has_efficiency |= setting.efficiency > 0;
    }
    return true;
}

bool pleach__tune_sweep_make(pleach__tune_sweep *sweep, const char *list, const pleach_config *config,
                             const pleach__topology *topology)
{
    pairs p = {0};
    const unsigned allowed = config->sme_workers == PLEACH_AUTO ? UINT_MAX : (unsigned)config->sme_workers;
    const unsigned slots = lesser(topology->streaming_units, allowed);
    memset(sweep, 0, sizeof *sweep);
    sweep->automatic = automatic_setting(config, topology);
    sweep->has_efficiency = topology->efficiency > 0;
    sweep->has_slots = topology->streaming_units > 0;
    (void)add_pair(&p, 1, 0);
    if (list == NULL)
        add_automatic_pairs(&p, &sweep->automatic, topology);
    else if (!parse_pairs(list, &p))
        return false;
    qsort(p.pair, p.count, sizeof *p.pair, compare_pairs);
    for (unsigned n = 0; n <= slots; n++)
        if (!add_with_slots(sweep, &p, n, topology)) {
            pleach__complain("with up to %u streaming slots these are more than %d settings: give fewer --workers",
                             slots, PLEACH__TUNE_SETTINGS_MAX);
            return false;
        }
    return true;
}
