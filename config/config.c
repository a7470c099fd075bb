/* One table says what every setting is called and takes; setting, checking and the messages are made from it. */
#include "config/config.h"
#include "config/error.h"
#include "config/settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPIN_US_MOST = 1000000, SPIN_US_DEFAULT = 20, ACCEPTED_SIZE = 256 };

struct word {
    const char *text;
    int64_t value;
};

/* Takes the words of a list, and the numbers from 0 to `most` unless that is NO_NUMBERS. */
struct setting {
    const char *name;
    int64_t (*load)(const pleach_config *config);
    void (*store)(pleach_config *config, int64_t value);
    const struct word *words; /* up to one without text */
    int64_t most;
};

enum { NO_NUMBERS = -1 };

static const struct word zero_is_automatic[] = {{"auto", 0}, {NULL, 0}};
static const struct word automatic[] = {{"auto", PLEACH_AUTO}, {NULL, 0}};
static const struct word no_words[] = {{NULL, 0}};
static const struct word yes_or_no[] = {{"on", 1},    {"off", 0}, {"1", 1},  {"0", 0}, {"true", 1},
                                        {"false", 0}, {"yes", 1}, {"no", 0}, {NULL, 0}};
static const struct word page_sizes[] = {
    {"auto", PLEACH_HUGE_PAGES_AUTO}, {"on", PLEACH_HUGE_PAGES_ON}, {"off", PLEACH_HUGE_PAGES_OFF}, {NULL, 0}};
static const struct word log_levels[] = {{"off", PLEACH_LOG_OFF},     {"error", PLEACH_LOG_ERROR},
                                         {"warn", PLEACH_LOG_WARN},   {"info", PLEACH_LOG_INFO},
                                         {"debug", PLEACH_LOG_DEBUG}, {NULL, 0}};

#define FIELD(type, field)                                          \
    static int64_t load_##field(const pleach_config *config)        \
    {                                                               \
        return (int64_t)config->field;                              \
    }                                                               \
    static void store_##field(pleach_config *config, int64_t value) \
    {                                                               \
        config->field = (type)value;                                \
    }
FIELD(int, workers)
FIELD(int, efficiency_workers)
FIELD(int, sme_workers)
FIELD(bool, pin_threads)
FIELD(pleach_huge_pages, huge_pages)
FIELD(unsigned, spin_us)
FIELD(pleach_log_level, log_level)
#undef FIELD

#define SETTING(variable, field, words, most)              \
    {                                                      \
        variable, load_##field, store_##field, words, most \
    }
static const struct setting settings[] = {
    SETTING("PLEACH_WORKERS", workers, zero_is_automatic, PLEACH_WORKERS_MAX),
    SETTING("PLEACH_EFFICIENCY_WORKERS", efficiency_workers, automatic, PLEACH_WORKERS_MAX),
    SETTING("PLEACH_SME_WORKERS", sme_workers, automatic, PLEACH_WORKERS_MAX),
    SETTING("PLEACH_PIN", pin_threads, yes_or_no, NO_NUMBERS),
    SETTING("PLEACH_HUGE_PAGES", huge_pages, page_sizes, NO_NUMBERS),
    SETTING("PLEACH_SPIN_US", spin_us, no_words, SPIN_US_MOST),
    SETTING("PLEACH_LOG", log_level, log_levels, NO_NUMBERS),
};
#undef SETTING

/* The only setting that is a text. */
static const char pins_name[] = "PLEACH_BACKEND";
static const char pins_accepted[] = "\"auto\", one backend such as \"portable\", or a list such as "
                                    "\"blake2s:avx2,sha256:shani\" with every family once";

enum { SETTINGS = sizeof settings / sizeof settings[0] };

/* Appends to a text that is cut where it does not fit. */
static void append(char *text, size_t size, const char *part)
{
    size_t length = strlen(text);
    (void)snprintf(text + length, size - length, "%s", part);
}

static void list_accepted(const struct setting *setting, char *text, size_t size)
{
    char part[64];
    text[0] = '\0';
    for (const struct word *word = setting->words; word->text != NULL; word++) {
        bool last = word[1].text == NULL && setting->most == NO_NUMBERS;
        (void)snprintf(part, sizeof part, "%s\"%s\"", word == setting->words ? "" : last ? " or " : ", ", word->text);
        append(text, size, part);
    }
    if (setting->most == NO_NUMBERS)
        return;
    (void)snprintf(part, sizeof part, "%sa number from 0 to %" PRId64, text[0] != '\0' ? " or " : "", setting->most);
    append(text, size, part);
}

static pleach_status refuse_text(const char *name, const char *value, const char *accepted)
{
    return pleach__fail(PLEACH_ESETTING, "%s=\"%.*s\": accepted are %s", name, PLEACH_BACKEND_SIZE, value, accepted);
}

static pleach_status refuse(const struct setting *setting, const char *value)
{
    char accepted[ACCEPTED_SIZE];
    list_accepted(setting, accepted, sizeof accepted);
    return refuse_text(setting->name, value, accepted);
}

/* Decimal digits and nothing else, at most `most`. */
static bool parse_number(const char *text, int64_t most, int64_t *number)
{
    int64_t sum = 0;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return false;
        sum = sum * 10 + (*text - '0');
        if (sum > most)
            return false;
    }
    *number = sum;
    return true;
}

static pleach_status set(const struct setting *setting, pleach_config *config, const char *value)
{
    int64_t parsed;
    for (const struct word *word = setting->words; word->text != NULL; word++) {
        if (strcmp(value, word->text) == 0) {
            setting->store(config, word->value);
            return PLEACH_OK;
        }
    }
    if (!parse_number(value, setting->most, &parsed))
        return refuse(setting, value);
    setting->store(config, parsed);
    return PLEACH_OK;
}

static const char *word_of(const struct word *words, int64_t value)
{
    while (words->text != NULL && words->value != value)
        words++;
    return words->text;
}

static pleach_status check(const struct setting *setting, const pleach_config *config)
{
    int64_t value = setting->load(config);
    if (word_of(setting->words, value) != NULL || (value >= 0 && value <= setting->most))
        return PLEACH_OK;
    char text[32];
    (void)snprintf(text, sizeof text, "%" PRId64, value);
    return refuse(setting, text);
}

/* Length of the name at the start of a text. */
static size_t name_length(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
}

/* Whether the family of `length` characters stands in front of a colon again, further on. */
static bool named_again(const char *rest, const char *family, size_t length)
{
    for (const char *item = rest; item != NULL; item = strchr(item, ','), item = item != NULL ? item + 1 : NULL)
        if (strncmp(item, family, length) == 0 && item[length] == ':')
            return true;
    return false;
}

/* Empty, one name, or pairs of names. */
static bool are_pins(const char *text)
{
    size_t length = name_length(text);
    if (text[length] == '\0')
        return true;
    for (;;) {
        const char *family = text;
        length = name_length(family);
        if (length == 0 || family[length] != ':')
            return false;
        text = family + length + 1;
        size_t backend = name_length(text);
        text += backend;
        if (backend == 0)
            return false;
        if (*text == '\0')
            return true;
        if (*text++ != ',' || named_again(text, family, length))
            return false;
    }
}

static pleach_status set_pins(pleach_config *config, const char *value)
{
    if (strlen(value) >= sizeof config->backend || !are_pins(value))
        return refuse_text(pins_name, value, pins_accepted);
    (void)snprintf(config->backend, sizeof config->backend, "%s", strcmp(value, "auto") == 0 ? "" : value);
    return PLEACH_OK;
}

void pleach_config_init(pleach_config *config)
{
    *config = (pleach_config){.efficiency_workers = PLEACH_AUTO,
                              .sme_workers = PLEACH_AUTO,
                              .huge_pages = PLEACH_HUGE_PAGES_AUTO,
                              .spin_us = SPIN_US_DEFAULT,
                              .log_level = PLEACH_LOG_WARN};
}

pleach_status pleach_config_set(pleach_config *config, const char *name, const char *value)
{
    if (config == NULL || name == NULL || value == NULL)
        return pleach__fail(PLEACH_EINVAL, "%s is NULL", config == NULL ? "config" : name == NULL ? "name" : "value");
    if (strcmp(name, pins_name) == 0)
        return set_pins(config, value);
    char known[ACCEPTED_SIZE] = "";
    for (size_t i = 0; i < SETTINGS; i++) {
        if (strcmp(name, settings[i].name) == 0)
            return set(&settings[i], config, value);
        append(known, sizeof known, settings[i].name);
        append(known, sizeof known, ", ");
    }
    return pleach__fail(PLEACH_EINVAL, "no setting \"%.*s\"; there are %s%s", PLEACH_BACKEND_SIZE, name, known,
                        pins_name);
}

pleach_status pleach_config_from_env(pleach_config *config)
{
    if (config == NULL)
        return pleach__fail(PLEACH_EINVAL, "config is NULL");
    pleach_config taken = *config;
    char text[PLEACH_BACKEND_SIZE];
    const char *name;
    for (size_t i = 0; (name = pleach__setting(config, i, text)) != NULL; i++) {
        const char *value = getenv(name);
        pleach_status status = PLEACH_OK;
        if (value != NULL && value[0] != '\0')
            status = pleach_config_set(&taken, name, value);
        if (status != PLEACH_OK)
            return status;
    }
    *config = taken;
    return PLEACH_OK;
}

pleach_status pleach_config_validate(const pleach_config *config)
{
    if (config == NULL)
        return pleach__fail(PLEACH_EINVAL, "config is NULL");
    for (size_t i = 0; i < SETTINGS; i++) {
        pleach_status status = check(&settings[i], config);
        if (status != PLEACH_OK)
            return status;
    }
    if (memchr(config->backend, '\0', sizeof config->backend) == NULL || !are_pins(config->backend))
        return refuse_text(pins_name, config->backend, pins_accepted);
    if (config->workers == 1 && config->efficiency_workers > 0)
        return pleach__fail(PLEACH_ESETTING,
                            "PLEACH_EFFICIENCY_WORKERS=\"%d\": accepted beside PLEACH_WORKERS=\"1\", "
                            "which means no threads at all, are \"auto\" or 0",
                            config->efficiency_workers);
    if (config->workers + config->efficiency_workers > PLEACH_WORKERS_MAX)
        return pleach__fail(PLEACH_ESETTING,
                            "PLEACH_EFFICIENCY_WORKERS=\"%d\": accepted beside PLEACH_WORKERS=\"%d\" "
                            "are at most %d",
                            config->efficiency_workers, config->workers, PLEACH_WORKERS_MAX - config->workers);
    if ((config->allocator.allocate == NULL) != (config->allocator.release == NULL))
        return pleach__fail(PLEACH_ESETTING, "allocator.%s is NULL: accepted are both functions or neither",
                            config->allocator.allocate == NULL ? "allocate" : "release");
    return PLEACH_OK;
}

const char *pleach__setting(const pleach_config *config, size_t i, char text[PLEACH_BACKEND_SIZE])
{
    if (i > SETTINGS)
        return NULL;
    if (i == SETTINGS) {
        (void)snprintf(text, PLEACH_BACKEND_SIZE, "%s", config->backend[0] != '\0' ? config->backend : "auto");
        return pins_name;
    }
    int64_t value = settings[i].load(config);
    const char *word = word_of(settings[i].words, value);
    if (word != NULL)
        (void)snprintf(text, PLEACH_BACKEND_SIZE, "%s", word);
    else
        (void)snprintf(text, PLEACH_BACKEND_SIZE, "%" PRId64, value);
    return settings[i].name;
}

const char *pleach__log_level_name(pleach_log_level level)
{
    return word_of(log_levels, level);
}
