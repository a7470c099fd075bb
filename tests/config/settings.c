#define _GNU_SOURCE
#include "config/settings.h"
#include "config_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char workers_accepted[] = "\"auto\" or a number from 0 to 1024";
static const char pin_accepted[] = "\"on\", \"off\", \"1\", \"0\", \"true\", \"false\", \"yes\" or \"no\"";
static const char pages_accepted[] = "\"auto\", \"on\" or \"off\"";
static const char spin_accepted[] = "a number from 0 to 1000000";
static const char log_accepted[] = "\"off\", \"error\", \"warn\", \"info\" or \"debug\"";
static const char backend_accepted[] = "\"auto\", one backend such as \"portable\", or a list such as "
                                       "\"blake2s:avx2,sha256:shani\" with every family once";

static pleach_config defaults(void)
{
    pleach_config config;
    memset(&config, 0, sizeof config);
    pleach_config_init(&config);
    return config;
}

static void assert_same(const pleach_config *a, const pleach_config *b)
{
    char left[PLEACH_BACKEND_SIZE], right[PLEACH_BACKEND_SIZE];
    for (size_t i = 0; pleach__setting(a, i, left) != NULL; i++) {
        (void)pleach__setting(b, i, right);
        assert_string_equal(left, right);
    }
    assert_true(a->log == b->log && a->log_context == b->log_context);
}

static void clear_environment(void)
{
    pleach_config config = defaults();
    char text[PLEACH_BACKEND_SIZE];
    const char *name;
    for (size_t i = 0; (name = pleach__setting(&config, i, text)) != NULL; i++)
        (void)unsetenv(name);
}

static void the_defaults(void **state)
{
    (void)state;
    pleach_config config;
    memset(&config, 0xa5, sizeof config);
    pleach_config_init(&config);
    assert_int_equal(config.workers, 0);
    assert_int_equal(config.efficiency_workers, PLEACH_AUTO);
    assert_int_equal(config.sme_workers, PLEACH_AUTO);
    assert_string_equal(config.backend, "");
    assert_false(config.pin_threads);
    assert_int_equal(config.huge_pages, PLEACH_HUGE_PAGES_AUTO);
    assert_int_equal(config.spin_us, 20);
    assert_int_equal(config.log_level, PLEACH_LOG_WARN);
    assert_null(config.log);
    assert_null(config.log_context);
    assert_int_equal(pleach_config_validate(&config), PLEACH_OK);
}

static const struct good {
    const char *name, *value;
    size_t offset;
    int64_t expected;
    size_t size;
} good[] = {
#define GOOD(name, value, field, expected)                                                          \
    {                                                                                               \
        name, value, offsetof(pleach_config, field), expected, sizeof((pleach_config *)NULL)->field \
    }
    GOOD("PLEACH_WORKERS", "auto", workers, 0),
    GOOD("PLEACH_WORKERS", "0", workers, 0),
    GOOD("PLEACH_WORKERS", "1", workers, 1),
    GOOD("PLEACH_WORKERS", "007", workers, 7),
    GOOD("PLEACH_WORKERS", "1024", workers, 1024),
    GOOD("PLEACH_EFFICIENCY_WORKERS", "auto", efficiency_workers, PLEACH_AUTO),
    GOOD("PLEACH_EFFICIENCY_WORKERS", "0", efficiency_workers, 0),
    GOOD("PLEACH_EFFICIENCY_WORKERS", "12", efficiency_workers, 12),
    GOOD("PLEACH_SME_WORKERS", "auto", sme_workers, PLEACH_AUTO),
    GOOD("PLEACH_SME_WORKERS", "0", sme_workers, 0),
    GOOD("PLEACH_SME_WORKERS", "2", sme_workers, 2),
    GOOD("PLEACH_PIN", "on", pin_threads, 1),
    GOOD("PLEACH_PIN", "1", pin_threads, 1),
    GOOD("PLEACH_PIN", "true", pin_threads, 1),
    GOOD("PLEACH_PIN", "yes", pin_threads, 1),
    GOOD("PLEACH_PIN", "off", pin_threads, 0),
    GOOD("PLEACH_PIN", "0", pin_threads, 0),
    GOOD("PLEACH_PIN", "false", pin_threads, 0),
    GOOD("PLEACH_PIN", "no", pin_threads, 0),
    GOOD("PLEACH_HUGE_PAGES", "auto", huge_pages, PLEACH_HUGE_PAGES_AUTO),
    GOOD("PLEACH_HUGE_PAGES", "on", huge_pages, PLEACH_HUGE_PAGES_ON),
    GOOD("PLEACH_HUGE_PAGES", "off", huge_pages, PLEACH_HUGE_PAGES_OFF),
    GOOD("PLEACH_SPIN_US", "0", spin_us, 0),
    GOOD("PLEACH_SPIN_US", "1000000", spin_us, 1000000),
    GOOD("PLEACH_LOG", "off", log_level, PLEACH_LOG_OFF),
    GOOD("PLEACH_LOG", "error", log_level, PLEACH_LOG_ERROR),
    GOOD("PLEACH_LOG", "warn", log_level, PLEACH_LOG_WARN),
    GOOD("PLEACH_LOG", "info", log_level, PLEACH_LOG_INFO),
    GOOD("PLEACH_LOG", "debug", log_level, PLEACH_LOG_DEBUG),
#undef GOOD
};

static int64_t load(const pleach_config *config, const struct good *case_)
{
    int number = 0;
    bool truth = false;
    if (case_->size == sizeof truth) {
        memcpy(&truth, (const char *)config + case_->offset, sizeof truth);
        return truth;
    }
    memcpy(&number, (const char *)config + case_->offset, sizeof number);
    return number;
}

static void good_values_are_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        pleach_config config = defaults();
        assert_int_equal(pleach_config_set(&config, good[i].name, good[i].value), PLEACH_OK);
        assert_int_equal(load(&config, &good[i]), good[i].expected);
        assert_int_equal(pleach_config_validate(&config), PLEACH_OK);

        clear_environment();
        pleach_config from_env = defaults();
        assert_int_equal(setenv(good[i].name, good[i].value, 1), 0);
        assert_int_equal(pleach_config_from_env(&from_env), PLEACH_OK);
        assert_same(&from_env, &config);
        clear_environment();
    }
}

#define NUMBERS_REFUSED(name, accepted)                                                                               \
    {name, "12x", accepted}, {name, "-1", accepted}, {name, "+1", accepted}, {name, " 1", accepted},                  \
        {name, "1 ", accepted}, {name, "0x10", accepted}, {name, "1.5", accepted}, {name, "1e2", accepted},           \
        {name, "99999999999999999999", accepted}, {name, "18446744073709551617", accepted}, {name, "many", accepted}, \
        {name, "Auto", accepted}, {name, "auto ", accepted},                                                          \
    {                                                                                                                 \
        name, "-", accepted                                                                                           \
    }

static const struct bad {
    const char *name, *value, *accepted;
} bad[] = {
    NUMBERS_REFUSED("PLEACH_WORKERS", workers_accepted),
    {"PLEACH_WORKERS", "1025", workers_accepted},
    {"PLEACH_WORKERS", "", workers_accepted},
    NUMBERS_REFUSED("PLEACH_EFFICIENCY_WORKERS", workers_accepted),
    {"PLEACH_EFFICIENCY_WORKERS", "1025", workers_accepted},
    NUMBERS_REFUSED("PLEACH_SME_WORKERS", workers_accepted),
    {"PLEACH_SME_WORKERS", "1025", workers_accepted},
    NUMBERS_REFUSED("PLEACH_SPIN_US", spin_accepted),
    {"PLEACH_SPIN_US", "auto", spin_accepted},
    {"PLEACH_SPIN_US", "1000001", spin_accepted},
    {"PLEACH_PIN", "", pin_accepted},
    {"PLEACH_PIN", "2", pin_accepted},
    {"PLEACH_PIN", "auto", pin_accepted},
    {"PLEACH_PIN", "ON", pin_accepted},
    {"PLEACH_PIN", "on,", pin_accepted},
    {"PLEACH_HUGE_PAGES", "1", pages_accepted},
    {"PLEACH_HUGE_PAGES", "always", pages_accepted},
    {"PLEACH_HUGE_PAGES", "", pages_accepted},
    {"PLEACH_LOG", "warning", log_accepted},
    {"PLEACH_LOG", "2", log_accepted},
    {"PLEACH_LOG", "", log_accepted},
    {"PLEACH_BACKEND", ":", backend_accepted},
    {"PLEACH_BACKEND", "blake2s:", backend_accepted},
    {"PLEACH_BACKEND", ":avx2", backend_accepted},
    {"PLEACH_BACKEND", ",", backend_accepted},
    {"PLEACH_BACKEND", "portable,", backend_accepted},
    {"PLEACH_BACKEND", "portable,avx2", backend_accepted},
    {"PLEACH_BACKEND", "blake2s:avx2,", backend_accepted},
    {"PLEACH_BACKEND", ",blake2s:avx2", backend_accepted},
    {"PLEACH_BACKEND", "blake2s:avx2,portable", backend_accepted},
    {"PLEACH_BACKEND", "portable,blake2s:avx2", backend_accepted},
    {"PLEACH_BACKEND", "blake2s:avx2:avx512", backend_accepted},
    {"PLEACH_BACKEND", "blake2s=avx2", backend_accepted},
    {"PLEACH_BACKEND", "blake2s:avx2, sha256:shani", backend_accepted},
    {"PLEACH_BACKEND", "blake2s:avx2;sha256:shani", backend_accepted},
    {"PLEACH_BACKEND", " portable", backend_accepted},
    {"PLEACH_BACKEND", "AVX2", backend_accepted},
    {"PLEACH_BACKEND", "blake2s:avx2,blake2s:avx2", backend_accepted},
    {"PLEACH_BACKEND", "sha256:shani,blake2s:avx2,sha256:portable", backend_accepted},
};

static void expect_refusal(const struct bad *case_)
{
    char expected[PLEACH__ERROR_SIZE];
    (void)snprintf(expected, sizeof expected, "%s=\"%s\": accepted are %s", case_->name, case_->value, case_->accepted);
    assert_string_equal(pleach_last_error(), expected);
}

static void bad_values_are_refused(void **state)
{
    (void)state;
    const pleach_config before = defaults();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        pleach_config config = before;
        assert_int_equal(pleach_config_set(&config, bad[i].name, bad[i].value), PLEACH_ESETTING);
        expect_refusal(&bad[i]);
        assert_same(&config, &before);
        if (bad[i].value[0] == '\0')
            continue;
        clear_environment();
        assert_int_equal(setenv("PLEACH_WORKERS", "5", 1), 0);
        assert_int_equal(setenv(bad[i].name, bad[i].value, 1), 0);
        assert_int_equal(pleach_config_from_env(&config), PLEACH_ESETTING);
        expect_refusal(&bad[i]);
        assert_same(&config, &before);
        clear_environment();
    }
}

static void pins_are_taken_as_written(void **state)
{
    (void)state;
    static const char *const values[] = {"portable", "blake2s:avx2", "blake2s:avx2,sha256:shani",
                                         "a_1:b_2,sha256:x,blake2s:y", ""};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        pleach_config config = defaults();
        assert_int_equal(pleach_config_set(&config, "PLEACH_BACKEND", values[i]), PLEACH_OK);
        assert_string_equal(config.backend, values[i]);
        assert_int_equal(pleach_config_validate(&config), PLEACH_OK);
    }
    pleach_config config = defaults();
    assert_int_equal(pleach_config_set(&config, "PLEACH_BACKEND", "portable"), PLEACH_OK);
    assert_int_equal(pleach_config_set(&config, "PLEACH_BACKEND", "auto"), PLEACH_OK);
    assert_string_equal(config.backend, "");
}

static void pins_fill_their_field_and_no_more(void **state)
{
    (void)state;
    char value[PLEACH_BACKEND_SIZE + 1];
    memset(value, 'a', sizeof value);
    value[sizeof value - 1] = '\0';
    pleach_config config = defaults();
    assert_int_equal(pleach_config_set(&config, "PLEACH_BACKEND", value), PLEACH_ESETTING);
    assert_string_equal(config.backend, "");
    value[sizeof value - 2] = '\0';
    assert_int_equal(pleach_config_set(&config, "PLEACH_BACKEND", value), PLEACH_OK);
    assert_string_equal(config.backend, value);
    memset(config.backend, 'a', sizeof config.backend);
    assert_int_equal(pleach_config_validate(&config), PLEACH_ESETTING);
}

static void an_empty_variable_is_absent(void **state)
{
    (void)state;
    clear_environment();
    pleach_config config = defaults(), expected;
    config.workers = 3;
    config.log_level = PLEACH_LOG_DEBUG;
    expected = config;
    expected.spin_us = 7;
    assert_int_equal(setenv("PLEACH_WORKERS", "", 1) | setenv("PLEACH_BACKEND", "", 1), 0);
    assert_int_equal(setenv("PLEACH_SPIN_US", "7", 1), 0);
    assert_int_equal(pleach_config_from_env(&config), PLEACH_OK);
    assert_same(&config, &expected);
    clear_environment();
}

static void unknown_names_and_missing_pointers_are_refused(void **state)
{
    (void)state;
    pleach_config config = defaults();
    assert_int_equal(pleach_config_set(&config, "PLEACH_WORKER", "1"), PLEACH_EINVAL);
    assert_string_equal(pleach_last_error(),
                        "no setting \"PLEACH_WORKER\"; there are PLEACH_WORKERS, PLEACH_EFFICIENCY_WORKERS, "
                        "PLEACH_SME_WORKERS, PLEACH_PIN, PLEACH_HUGE_PAGES, PLEACH_SPIN_US, PLEACH_LOG, "
                        "PLEACH_BACKEND");
    assert_int_equal(pleach_config_set(NULL, "PLEACH_WORKERS", "1"), PLEACH_EINVAL);
    assert_string_equal(pleach_last_error(), "config is NULL");
    assert_int_equal(pleach_config_set(&config, NULL, "1"), PLEACH_EINVAL);
    assert_string_equal(pleach_last_error(), "name is NULL");
    assert_int_equal(pleach_config_set(&config, "PLEACH_WORKERS", NULL), PLEACH_EINVAL);
    assert_string_equal(pleach_last_error(), "value is NULL");
    pleach__set_last_error("");
    assert_int_equal(pleach_config_from_env(NULL), PLEACH_EINVAL);
    assert_string_equal(pleach_last_error(), "config is NULL");
    pleach__set_last_error("");
    assert_int_equal(pleach_config_validate(NULL), PLEACH_EINVAL);
    assert_string_equal(pleach_last_error(), "config is NULL");
}

#define EXPECT_INVALID(assignment, text)                                    \
    do {                                                                    \
        pleach_config config = defaults();                                  \
        assignment;                                                         \
        assert_int_equal(pleach_config_validate(&config), PLEACH_ESETTING); \
        assert_memory_equal(pleach_last_error(), text, strlen(text));       \
    } while (0)

static void fields_are_checked(void **state)
{
    (void)state;
    EXPECT_INVALID(config.workers = -1, "PLEACH_WORKERS=\"-1\": accepted are ");
    EXPECT_INVALID(config.workers = 1025, "PLEACH_WORKERS=\"1025\": accepted are ");
    EXPECT_INVALID(config.efficiency_workers = -2, "PLEACH_EFFICIENCY_WORKERS=\"-2\": accepted are ");
    EXPECT_INVALID(config.efficiency_workers = 1025, "PLEACH_EFFICIENCY_WORKERS=\"1025\": accepted are ");
    EXPECT_INVALID(config.sme_workers = -2, "PLEACH_SME_WORKERS=\"-2\": accepted are ");
    EXPECT_INVALID(config.sme_workers = INT32_MAX, "PLEACH_SME_WORKERS=\"2147483647\": accepted are ");
    EXPECT_INVALID(config.huge_pages = (pleach_huge_pages)3, "PLEACH_HUGE_PAGES=\"3\": accepted are ");
    EXPECT_INVALID(config.spin_us = UINT32_MAX, "PLEACH_SPIN_US=\"4294967295\": accepted are ");
    EXPECT_INVALID(config.log_level = (pleach_log_level)5, "PLEACH_LOG=\"5\": accepted are ");
    EXPECT_INVALID(strcpy(config.backend, "a:b:c"), "PLEACH_BACKEND=\"a:b:c\": accepted are ");
    EXPECT_INVALID((config.workers = 1, config.efficiency_workers = 2),
                   "PLEACH_EFFICIENCY_WORKERS=\"2\": accepted beside PLEACH_WORKERS=\"1\"");
    EXPECT_INVALID((config.workers = 1000, config.efficiency_workers = 25),
                   "PLEACH_EFFICIENCY_WORKERS=\"25\": accepted beside PLEACH_WORKERS=\"1000\" are at most 24");
    pleach_config config = defaults();
    config.workers = 1000;
    config.efficiency_workers = 24;
    assert_int_equal(pleach_config_validate(&config), PLEACH_OK);
}

/* What a report says can be set again. */
static void reported_values_can_be_set(void **state)
{
    (void)state;
    pleach_config config = defaults(), copy = defaults();
    config.workers = 9;
    config.sme_workers = 0;
    config.pin_threads = true;
    config.huge_pages = PLEACH_HUGE_PAGES_OFF;
    config.spin_us = 0;
    config.log_level = PLEACH_LOG_DEBUG;
    (void)strcpy(config.backend, "sha256:portable");
    char text[PLEACH_BACKEND_SIZE];
    const char *name;
    for (size_t i = 0; (name = pleach__setting(&config, i, text)) != NULL; i++)
        assert_int_equal(pleach_config_set(&copy, name, text), PLEACH_OK);
    assert_same(&config, &copy);
    assert_int_equal(copy.workers, 9);
    assert_string_equal(copy.backend, "sha256:portable");
}

int run_setting_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_defaults),
        cmocka_unit_test(good_values_are_taken),
        cmocka_unit_test(bad_values_are_refused),
        cmocka_unit_test(pins_are_taken_as_written),
        cmocka_unit_test(pins_fill_their_field_and_no_more),
        cmocka_unit_test(an_empty_variable_is_absent),
        cmocka_unit_test(unknown_names_and_missing_pointers_are_refused),
        cmocka_unit_test(fields_are_checked),
        cmocka_unit_test(reported_values_can_be_set),
    };
    return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
