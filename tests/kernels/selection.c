#include "fakes.h"

#include <stdio.h>
#include <string.h>

static pleach_config config_of(const char *backend)
{
    pleach_config config;
    pleach_config_init(&config);
    assert_in_range(snprintf(config.backend, sizeof config.backend, "%s", backend), 0, sizeof config.backend - 1);
    return config;
}

static void select_with(pleach_kernels *kernels, const char *setting)
{
    const pleach_config config = config_of(setting);
    assert_int_equal(pleach__kernels_select(kernels, &config, false), PLEACH_OK);
}

static void assert_error_has(const char *part)
{
    if (!strstr(pleach_last_error(), part))
        fail_msg("\"%s\" lacks \"%s\"", pleach_last_error(), part);
}

/* Refused, with a text that has the variable, the value, `why` and what would be accepted; kernels are left alone. */
static void refused(const char *setting, const char *why)
{
    const pleach_config config = config_of(setting);
    pleach_kernels kernels = {{&fake_right, &fake_right}}, before = kernels;
    assert_int_equal(pleach__kernels_select(&kernels, &config, false), PLEACH_EBACKEND);
    assert_memory_equal(&kernels, &before, sizeof kernels);
    assert_error_has("PLEACH_BACKEND=");
    assert_error_has(setting);
    assert_error_has(why);
    assert_error_has("blake2s:portable");
    assert_error_has("sha256:portable");
}

static void nothing_pinned(void **state)
{
    pleach_kernels kernels;
    (void)state;
    select_with(&kernels, "");
    assert_memory_equal(&kernels, pleach_kernels_default(), sizeof kernels);
}

/* What a pin gives a worker without a slot. */
static const pleach__backend *unless_streaming(const pleach__backend *pinned, int family)
{
    return pinned && !pinned->streaming ? pinned : pleach_kernels_default()->backend[family];
}

/* "family:backend" */
static void every_pin(void **state)
{
    const subject *s = *state;
    char setting[64];
    pleach_kernels kernels;
    (void)snprintf(setting, sizeof setting, "%s:%s", s->family->name, s->backend->name);
    if (!s->backend->usable(pleach__cpu_features())) {
        refused(setting, s->backend->needs);
        return;
    }
    if (wrong_here(s->backend)) {
        refused(setting, "it gives wrong digests on this host");
        return;
    }
    select_with(&kernels, setting);
    for (int i = 0; i < PLEACH_FAMILIES; i++)
        assert_ptr_equal(kernels.backend[i],
                         unless_streaming(pleach__family_of((pleach_family)i) == s->family ? s->backend : NULL, i));
}

static const pleach__backend *backend_named(const pleach__family *family, const char *name)
{
    for (const pleach__backend *const *b = family->backends; *b; b++)
        if (strcmp((*b)->name, name) == 0)
            return *b;
    return NULL;
}

/* "backend" */
static void every_bare_name(void **state)
{
    const subject *s = *state;
    pleach_kernels kernels;
    for (int i = 0; i < PLEACH_FAMILIES; i++) {
        const pleach__backend *namesake = backend_named(pleach__family_of((pleach_family)i), s->backend->name);
        const bool usable = !namesake || namesake->usable(pleach__cpu_features());
        if (!usable || wrong_here(namesake)) {
            refused(s->backend->name, usable ? "it gives wrong digests on this host" : namesake->needs);
            return;
        }
    }
    select_with(&kernels, s->backend->name);
    for (int i = 0; i < PLEACH_FAMILIES; i++) {
        const pleach__backend *namesake = backend_named(pleach__family_of((pleach_family)i), s->backend->name);
        assert_ptr_equal(kernels.backend[i], unless_streaming(namesake, i));
    }
}

static void all_families_pinned(void **state)
{
    pleach_kernels kernels;
    (void)state;
    select_with(&kernels, "sha256:portable,urm:portable,blake2s:portable,blake3:portable");
    for (int i = 0; i < PLEACH_FAMILIES; i++)
        assert_string_equal(pleach_kernels_backend(&kernels, (pleach_family)i), "portable");
}

static void what_does_not_exist(void **state)
{
    (void)state;
    refused("avx9", "\"avx9\": no such backend");
    refused("Portable", "no such backend");
    refused("portabl", "no such backend");
    refused("portablee", "no such backend");
    refused("blake9:portable", "\"blake9:portable\": no such family");
    refused(":portable", "no such family");
    refused("blake2:portable", "no such family");
    refused("blake2s:", "\"blake2s:\": no such backend");
    refused("blake2s:avx9", "\"blake2s:avx9\": no such backend");
    refused("blake2s:shani", "\"blake2s:shani\": no such backend");
    refused("blake2s:portable:portable", "no such backend");
    refused("sha256:portable,blake2s:sme2", "\"blake2s:sme2\": no such backend");
    refused("blake2s:portable,blake2s:portable", "pinned twice");
    refused("portable,sha256:portable", "names its family");
    refused("sha256:portable,portable", "names its family");
    refused(",blake2s:portable", "names its family");
}

static pleach__passed_over explained(const pleach_kernels *kernels, const char *setting, const pleach__backend *backend)
{
    const pleach_config config = config_of(setting);
    return pleach__kernels_explain(kernels, &config, PLEACH_BLAKE2S, backend);
}

static void explains(void **state)
{
    pleach_kernels kernels;
    (void)state;
    bool chosen = false;
    select_with(&kernels, "");
    for (const pleach__backend *const *b = pleach__blake2s.backends; *b; b++) {
        if (*b == kernels.backend[PLEACH_BLAKE2S]) {
            assert_int_equal(explained(&kernels, "", *b), PLEACH__CHOSEN);
            chosen = true;
        } else {
            const bool usable = (*b)->usable(pleach__cpu_features());
            assert_int_equal(explained(&kernels, "", *b), !usable           ? PLEACH__NO_FEATURE
                                                          : (*b)->streaming ? PLEACH__NO_SLOT
                                                                            : PLEACH__OUTRANKED);
            assert_true(chosen || !usable || (*b)->streaming);
        }
    }
    select_with(&kernels, "blake2s:portable");
    for (const pleach__backend *const *b = pleach__blake2s.backends; *b; b++) {
        const bool usable = (*b)->usable(pleach__cpu_features());
        assert_int_equal(explained(&kernels, "blake2s:portable", *b), !b[1]    ? PLEACH__CHOSEN
                                                                      : usable ? PLEACH__NOT_PINNED
                                                                               : PLEACH__NO_FEATURE);
    }
    kernels.backend[PLEACH_BLAKE2S] = backend_named(&pleach__blake2s, "portable");
    if (pleach_kernels_default()->backend[PLEACH_BLAKE2S] != kernels.backend[PLEACH_BLAKE2S])
        assert_int_equal(explained(&kernels, "", pleach_kernels_default()->backend[PLEACH_BLAKE2S]),
                         PLEACH__PROBE_FAILED);
    assert_int_equal(explained(&kernels, "", &fake_streaming), PLEACH__NO_SLOT);
    assert_int_equal(explained(&kernels, "", &fake_unusable), PLEACH__NO_FEATURE);
}

static unsigned warnings;

static void count_warnings(void *context, pleach_log_level level, const char *line)
{
    warnings += level == PLEACH_LOG_WARN && strstr(line, context) != NULL;
}

/* Chooses from two backends; NULL if that is refused. */
static const pleach__backend *choose(const pleach__backend *first, const pleach__backend *second, const char *setting,
                                     bool streaming)
{
    const pleach__backend *const backends[] = {first, second, NULL}, *chosen = NULL;
    const pleach__family family = fake_family(backends);
    pleach_config config = config_of(setting);
    config.log_level = PLEACH_LOG_WARN;
    config.log = count_warnings;
    config.log_context = "swaps";
    pleach_status status = pleach__choose(&family, &config, streaming, &chosen);
    assert_true(status == PLEACH_OK ? chosen != NULL : status == PLEACH_EBACKEND && chosen == NULL);
    return chosen;
}

static void faulty_backends(void **state)
{
    (void)state;
    warnings = 0;
    assert_ptr_equal(choose(&fake_right, &fake_swaps_lanes, "", false), &fake_right);
    assert_int_equal(warnings, 0);
    assert_ptr_equal(choose(&fake_swaps_lanes, &fake_right, "", false), &fake_right);
    assert_int_equal(warnings, 1);
    assert_ptr_equal(choose(&fake_swaps_lanes, &fake_right, "fake:right", false), &fake_right);
    assert_int_equal(warnings, 1);
    assert_null(choose(&fake_right, &fake_swaps_lanes, "fake:swaps", false));
    assert_error_has("PLEACH_BACKEND=fake:swaps");
    assert_error_has("wrong digests");
    assert_null(choose(&fake_right, &fake_swaps_lanes, "swaps", false));
    assert_null(choose(&fake_swaps_lanes, &fake_last_lane, "", false));
    assert_error_has("no backend gives right digests");
}

static void unusable_backends(void **state)
{
    (void)state;
    assert_ptr_equal(choose(&fake_unusable, &fake_right, "", false), &fake_right);
    assert_null(choose(&fake_unusable, &fake_right, "fake:unusable", false));
    assert_error_has("this host lacks a quantum annealer");
    assert_null(choose(&fake_unusable, &fake_right, "unusable", true));
}

/* Without a slot a streaming backend is not run at all, whatever is pinned. */
static void streaming_backends(void **state)
{
    (void)state;
    fake_streaming_calls = 0;
    assert_ptr_equal(choose(&fake_streaming, &fake_right, "", false), &fake_right);
    assert_ptr_equal(choose(&fake_streaming, &fake_right, "fake:streaming", false), &fake_right);
    assert_int_equal(fake_streaming_calls, 0);
    assert_ptr_equal(choose(&fake_streaming, &fake_right, "", true), &fake_streaming);
    assert_true(fake_streaming_calls > 0);
    assert_ptr_equal(choose(&fake_streaming, &fake_right, "fake:streaming", true), &fake_streaming);
    assert_ptr_equal(choose(&fake_streaming, &fake_right, "fake:right", true), &fake_right);
}

int run_selection_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_pinned),      cmocka_unit_test(all_families_pinned),
        cmocka_unit_test(what_does_not_exist), cmocka_unit_test(explains),
        cmocka_unit_test(faulty_backends),     cmocka_unit_test(unusable_backends),
        cmocka_unit_test(streaming_backends),
    };
    return run_for_all("pin", every_pin) + run_for_family(&pleach__urm, "pin", every_pin) +
           run_for_all("bare name", every_bare_name) + run_for_family(&pleach__urm, "bare name", every_bare_name) +
           RUN_GROUP(tests);
}
