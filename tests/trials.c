#define _GNU_SOURCE
#include "tests/trials.h"

#include "config/little_endian.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS_MOST = 32 };

struct trial trials[TRIALS_MOST];
size_t trial_count;

pleach_pool *open_pool(int workers, const char *backend)
{
    pleach_config config;
    pleach_pool *pool = NULL;
    pleach_config_init(&config);
    config.workers = workers;
    config.log_level = PLEACH_LOG_ERROR;
    (void)snprintf(config.backend, sizeof config.backend, "%s", backend);
    assert_int_equal(pleach_pool_create(&pool, &config), PLEACH_OK);
    return pool;
}

static void add_pool(int workers, const char *backend)
{
    assert_true(trial_count < TRIALS_MOST);
    struct trial *added = &trials[trial_count++];
    (void)snprintf(added->name, sizeof added->name, "%d workers, backend %s", workers, backend);
    added->pool = workers > 0 ? open_pool(workers, backend) : NULL;
}

static void add_pinned(const pleach__family *family)
{
    for (size_t b = 0; family->backends[b] != NULL; b++) {
        const pleach__backend *backend = family->backends[b];
        char pin[PLEACH_BACKEND_SIZE];
        if (!backend->usable(pleach__cpu_features())) {
            print_message("SKIPPED: %s:%s: this host lacks %s\n", family->name, backend->name, backend->needs);
            continue;
        }
        (void)snprintf(pin, sizeof pin, "%s:%s", family->name, backend->name);
        add_pool(2, pin);
    }
}

int open_trials(void **state)
{
    static const int workers[] = {0, 1, 2, 8};
    (void)state;
    for (size_t i = 0; i < sizeof workers / sizeof workers[0] - quick(); i++)
        add_pool(workers[i], "");
    for (const pleach__family *const *family = trial_families(); *family != NULL; family++)
        add_pinned(*family);
    return 0;
}

int close_trials(void **state)
{
    (void)state;
    while (trial_count > 0)
        assert_int_equal(pleach_pool_destroy(trials[--trial_count].pool), PLEACH_OK);
    return 0;
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

uint64_t random_below(uint64_t *state, uint64_t bound)
{
    return mix(*state += 0x9E3779B97F4A7C15) % bound;
}

void fill_random(uint8_t *bytes, size_t size, uint64_t seed)
{
    for (size_t i = 0; i < size; i += 8) {
        uint8_t word[8];
        pleach__put64(word, mix(seed += 0x9E3779B97F4A7C15));
        memcpy(bytes + i, word, size - i < 8 ? size - i : 8);
    }
}
