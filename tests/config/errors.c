#define _GNU_SOURCE
#include "config_test.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void every_status_has_a_name_and_a_text(void **state)
{
    (void)state;
    int known = 0;
#define EXPECT(name, value, text)                                           \
    assert_int_equal(PLEACH_##name, value);                                 \
    assert_string_equal(pleach_status_name((pleach_status)(value)), #name); \
    assert_string_equal(pleach_status_text((pleach_status)(value)), text);  \
    assert_int_equal(known++, value);
    PLEACH_STATUS_MAP(EXPECT)
#undef EXPECT
    assert_string_equal(pleach_status_name((pleach_status)known), "unknown");
    assert_string_equal(pleach_status_text((pleach_status)known), "unknown status");
    assert_string_equal(pleach_status_name((pleach_status)999), "unknown");
    assert_string_equal(pleach_status_name(PLEACH_ETASK), "ETASK");
    assert_string_equal(pleach_status_name((pleach_status)(PLEACH_ETASK + 7)), "ETASK");
    assert_string_equal(pleach_status_text(PLEACH_ETASK), "a task failed");
}

static void the_version_is_that_of_the_header(void **state)
{
    (void)state;
    char expected[32];
    (void)snprintf(expected, sizeof expected, "%d.%d.%d", PLEACH_VERSION_MAJOR, PLEACH_VERSION_MINOR,
                   PLEACH_VERSION_PATCH);
    assert_string_equal(pleach_version(), expected);
    assert_string_equal(PLEACH_VERSION, expected);
}

static void a_failure_leaves_its_text(void **state)
{
    (void)state;
    unsigned count = pleach__error_count();
    assert_int_equal(pleach__fail(PLEACH_ERANGE, "n is %d, at most %s", 7, "six"), PLEACH_ERANGE);
    assert_string_equal(pleach_last_error(), "n is 7, at most six");
    pleach__set_last_error("left by %s another thread");
    assert_string_equal(pleach_last_error(), "left by %s another thread");
    assert_int_equal(pleach__error_count(), count + 2);
    pleach_config config;
    pleach_config_init(&config);
    assert_int_equal(pleach_config_validate(&config), PLEACH_OK);
    assert_string_equal(pleach_last_error(), "left by %s another thread");
}

static void a_long_text_is_cut(void **state)
{
    (void)state;
    char text[2 * PLEACH__ERROR_SIZE];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    (void)pleach__fail(PLEACH_EINVAL, "%s", text);
    assert_int_equal(strlen(pleach_last_error()), PLEACH__ERROR_SIZE - 1);
    pleach__set_last_error(pleach_last_error());
    assert_int_equal(strlen(pleach_last_error()), PLEACH__ERROR_SIZE - 1);
}

static void *fail_elsewhere(void *argument)
{
    int *started_empty = argument;
    *started_empty = pleach_last_error()[0] == '\0';
    (void)pleach__fail(PLEACH_EINVAL, "elsewhere");
    return strcmp(pleach_last_error(), "elsewhere") == 0 ? argument : NULL;
}

static void a_text_belongs_to_its_thread(void **state)
{
    (void)state;
    pthread_t thread;
    void *result;
    int started_empty = 0;
    (void)pleach__fail(PLEACH_EINVAL, "here");
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, &started_empty), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, &started_empty);
    assert_true(started_empty);
    assert_string_equal(pleach_last_error(), "here");
}

struct lines {
    int count;
    pleach_log_level level;
    char last[PLEACH__ERROR_SIZE];
};

static void take_line(void *context, pleach_log_level level, const char *line)
{
    struct lines *lines = context;
    lines->count++;
    lines->level = level;
    (void)snprintf(lines->last, sizeof lines->last, "%s", line);
}

static void the_log_has_what_its_level_asks_for(void **state)
{
    (void)state;
    for (int level = PLEACH_LOG_OFF; level <= PLEACH_LOG_DEBUG; level++) {
        struct lines lines = {0};
        pleach_config config;
        pleach_config_init(&config);
        config.log_level = (pleach_log_level)level;
        config.log = take_line;
        config.log_context = &lines;
        for (int line = PLEACH_LOG_OFF; line <= PLEACH_LOG_DEBUG; line++)
            pleach__log(&config, (pleach_log_level)line, "line of level %d", line);
        assert_int_equal(lines.count, level);
        if (level > PLEACH_LOG_OFF) {
            char expected[32];
            (void)snprintf(expected, sizeof expected, "line of level %d", level);
            assert_int_equal(lines.level, level);
            assert_string_equal(lines.last, expected);
        }
    }
}

static void without_a_callback_lines_go_to_standard_error(void **state)
{
    (void)state;
    char text[128] = "";
    pleach_config config;
    pleach_config_init(&config);
    FILE *file = tmpfile();
    assert_non_null(file);
    int saved = dup(STDERR_FILENO);
    assert_true(saved >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    pleach__log(&config, PLEACH_LOG_WARN, "%s", "careful");
    pleach__log(&config, PLEACH_LOG_INFO, "not asked for");
    pleach__log(&config, PLEACH_LOG_ERROR, "broken");
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    (void)close(saved);
    rewind(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[length] = '\0';
    assert_string_equal(text, "pleach: warn: careful\npleach: error: broken\n");
}

int run_error_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_name_and_a_text),
        cmocka_unit_test(the_version_is_that_of_the_header),
        cmocka_unit_test(a_failure_leaves_its_text),
        cmocka_unit_test(a_long_text_is_cut),
        cmocka_unit_test(a_text_belongs_to_its_thread),
        cmocka_unit_test(the_log_has_what_its_level_asks_for),
        cmocka_unit_test(without_a_callback_lines_go_to_standard_error),
    };
    return cmocka_run_group_tests_name("errors and log", tests, NULL, NULL);
}
