#define _GNU_SOURCE
#include "kernels_test.h"
#include "urm_gfni.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SUBJECTS_MAX = 32 };

subject subjects[SUBJECTS_MAX];
size_t subject_count;
bool may_stream;
static const char *only_backend;

__attribute__((constructor)) static void find_subjects(void)
{
    for (int i = 0; i < PLEACH_FAMILIES; i++) {
        const pleach__family *family = pleach__family_of((pleach_family)i);
        for (const pleach__backend *const *b = family->backends; *b && subject_count < SUBJECTS_MAX; b++)
            subjects[subject_count++] = (subject){family, *b};
    }
}

/* The names in `only_backend` are separated by commas. */
static bool is_asked_for(const subject *s)
{
    const size_t length = strlen(s->backend->name);
    for (const char *name = only_backend; name; name = strchr(name, ',') ? strchr(name, ',') + 1 : NULL)
        if (strncmp(name, s->backend->name, length) == 0 && (name[length] == ',' || !name[length]))
            return true;
    return !only_backend;
}

bool set_only_backend(const char *name)
{
    only_backend = name;
    for (size_t i = 0; i < subject_count; i++)
        if (is_asked_for(&subjects[i]))
            return true;
    return false;
}

void skip_unless_usable(const subject *s)
{
    if (s->backend->usable(pleach__cpu_features()) && (may_stream || !s->backend->streaming))
        return;
    printf("SKIPPED: %s %s needs %s\n", s->family->name, s->backend->name, s->backend->needs);
    skip();
}

bool wrong_here(const pleach__backend *backend)
{
#if defined(__x86_64__)
    return backend == &pleach__urm_gfni.backend && affine_complements();
#else
    (void)backend;
    return false;
#endif
}

int run_for_family(const pleach__family *family, const char *group, CMUnitTestFunction test)
{
    char names[SUBJECTS_MAX][64];
    struct CMUnitTest tests[SUBJECTS_MAX];
    size_t count = 0;
    for (subject *s = subjects; s < subjects + subject_count; s++) {
        if ((family ? s->family != family : !s->family->reference) || !is_asked_for(s))
            continue;
        (void)snprintf(names[count], sizeof names[count], "%s: %s %s", group, s->family->name, s->backend->name);
        tests[count] = (struct CMUnitTest){.name = names[count], .test_func = test, .initial_state = s};
        count++;
    }
    return count ? _cmocka_run_group_tests(group, tests, count, NULL, NULL) : 0;
}

int run_for_all(const char *group, CMUnitTestFunction test)
{
    return run_for_family(NULL, group, test);
}

pleach__hash_form form_of(size_t size, size_t zeros, int prefix, bool twice)
{
    return (pleach__hash_form){size, zeros, prefix, twice};
}

bool plan_of(const pleach__family *family, const pleach__hash_form *form, pleach__hash_plan *plan)
{
    pleach_status status = family->plan(plan, form);
    assert_true(status == PLEACH_OK || status == PLEACH_EINVAL);
    return status == PLEACH_OK;
}

void fill_stream(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        uint64_t z = (i / 8 + 1) * 0x9E3779B97F4A7C15;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
        z = (z ^ z >> 27) * 0x94D049BB133111EB;
        bytes[i] = (uint8_t)((z ^ z >> 31) >> 8 * (i % 8));
    }
}

size_t random_below(size_t limit)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005 + 1442695040888963407;
    return (size_t)(state >> 33) % limit;
}

guarded guarded_stream(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), overrun = emulated_overrun();
    const size_t room = (size + overrun) / page * page + page;
    guarded g = {.map_size = 2 * room + 3 * page};
    uint8_t *map = mmap(NULL, g.map_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_ptr_not_equal(map, MAP_FAILED);
    g.map = map;
    g.first = map + page;
    g.last = map + 2 * page + 2 * room - overrun - size;
    assert_return_code(mprotect(map + page, room, PROT_READ | PROT_WRITE), 0);
    assert_return_code(mprotect(map + 2 * page + room, room, PROT_READ | PROT_WRITE), 0);
    fill_stream(g.first, size);
    memcpy(g.last, g.first, size);
    return g;
}

void guarded_free(guarded *g)
{
    assert_return_code(munmap(g->map, g->map_size), 0);
}

void reference_many(const pleach__family *family, const pleach__hash_form *form, const uint8_t *in, size_t stride,
                    size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i++)
        family->reference(form, in + i * stride, out + DIGEST * i);
}

void check_many(const subject *s, const pleach__hash_form *form, const uint8_t *in, size_t stride, size_t n,
                const uint8_t *want)
{
    static uint8_t around[(COUNT_MAX + 4) * DIGEST];
    uint8_t *out = around + DIGEST + 1; /* not aligned */
    pleach__hash_plan plan;
    assert_in_range(n, 0, COUNT_MAX);
    assert_true(plan_of(s->family, form, &plan));
    memset(around, CANARY, sizeof around);
    s->backend->hash_many(&plan, in, stride, n, out);
    for (uint8_t *p = around; p < around + sizeof around; p++) {
        if (p == out)
            p += DIGEST * n;
        if (*p != CANARY)
            fail_msg("size %zu stride %zu n %zu: wrote beside the digests", form->size, stride, n);
    }
    for (size_t i = 0; i < n; i++)
        if (memcmp(out + DIGEST * i, want + DIGEST * i, DIGEST) != 0)
            fail_msg("size %zu zeros %zu prefix %d twice %d stride %zu n %zu: digest %zu differs", form->size,
                     form->zeros, form->prefix, form->twice, stride, n, i);
}
