#define _GNU_SOURCE
#include "scarce.h"

#include "config/error.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST_HELD = 1 << 14 };

/* What the linker puts in the place of the library's calls, and what it would have called. */
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void __wrap_free(void *memory);
void *__real_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
int __real_pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void));
int __wrap_pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    void *memory;
    size_t size;
} held[MOST_HELD];
static atomic_size_t count_held;

/* While `armed`: how many allocations will succeed yet, whether more fail than the one after them, how many failed,
 * whether that was a mapping, and how many were asked of the process or of jemalloc. */
static atomic_bool armed, no_maps;
static atomic_long left;
static bool failing_on;
static atomic_uint failed, elsewhere;

static _Noreturn void stop(const char *fault, const void *memory, size_t size)
{
    (void)fprintf(stderr, "scarce memory: %s: %zu bytes at %p\n", fault, size, memory);
    abort();
}

static bool refuses(void)
{
    if (!atomic_load(&armed))
        return false;
    long before = atomic_fetch_sub(&left, 1);
    bool refused = before == 0 || (before < 0 && failing_on);
    atomic_fetch_add(&failed, refused);
    return refused;
}

static bool refuses_elsewhere(void)
{
    atomic_fetch_add(&elsewhere, atomic_load(&armed));
    return refuses();
}

static void *hold(void *memory, size_t size)
{
    if (memory == NULL)
        return NULL;
    (void)pthread_mutex_lock(&lock);
    size_t i = atomic_load(&count_held);
    if (i == MOST_HELD)
        stop("too much is held", memory, size);
    held[i].memory = memory;
    held[i].size = size;
    atomic_store(&count_held, i + 1);
    (void)pthread_mutex_unlock(&lock);
    return memory;
}

/* The size of what is let go; 0 if it is not held. */
static size_t let_go(const void *memory)
{
    size_t size = 0;
    if (memory == NULL || atomic_load(&count_held) == 0)
        return 0;
    (void)pthread_mutex_lock(&lock);
    size_t last = atomic_load(&count_held), i = last--;
    while (i > 0 && held[i - 1].memory != memory)
        i--;
    if (i > 0) {
        size = held[i - 1].size;
        held[i - 1] = held[last];
        atomic_store(&count_held, last);
    }
    (void)pthread_mutex_unlock(&lock);
    return size;
}

/* --- the host's allocator --- */

static void *host_allocate(void *context, size_t size, size_t alignment)
{
    void *memory;
    if (context != &held || size == 0 || alignment < 64 || alignment > 4096 || (alignment & (alignment - 1)) != 0)
        stop("asked for what is not allowed", NULL, size);
    if (refuses() || posix_memalign(&memory, alignment, size) != 0)
        return NULL;
    memset(memory, 0xa5, size);
    return hold(memory, size);
}

static void host_release(void *context, void *memory, size_t size)
{
    if (context != &held || size == 0 || let_go(memory) != size)
        stop("released, but not held with this size", memory, size);
    memset(memory, 0x5a, size);
    __real_free(memory);
}

const pleach_allocator scarce_allocator = {.allocate = host_allocate, .release = host_release, .context = &held};

/* --- the process: malloc() and calloc(), which tests use too, count only while a call is attempted --- */

void *__wrap_malloc(size_t size)
{
    if (!atomic_load(&armed))
        return __real_malloc(size);
    return refuses_elsewhere() ? NULL : hold(__real_malloc(size), size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    if (!atomic_load(&armed))
        return __real_calloc(count, size);
    return refuses_elsewhere() ? NULL : hold(__real_calloc(count, size), count * size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return refuses_elsewhere() ? NULL : hold(__real_aligned_alloc(alignment, size), size);
}

void __wrap_free(void *memory)
{
    (void)let_go(memory);
    __real_free(memory);
}

/* Not in the balance: a pool keeps what it has mapped. That it would try once more where it has some is no way out. */
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    if (refuses_elsewhere())
        atomic_store(&no_maps, true);
    if (atomic_load(&armed) && atomic_load(&no_maps))
        return MAP_FAILED;
    /* Some systems align what is large: others must do too. */
    const size_t page = at == NULL ? (size_t)sysconf(_SC_PAGESIZE) : 0;
    char *memory = __real_mmap(at, size + page, protection, flags, file, offset);
    if (memory == MAP_FAILED || page == 0)
        return memory;
    (void)munmap(memory, page);
    return memory + page;
}

int __wrap_pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    return refuses_elsewhere() ? ENOMEM : __real_pthread_atfork(prepare, parent, child);
}

/* --- jemalloc --- */

#ifdef SCARCE_JEMALLOC
#include <jemalloc/jemalloc.h>

void *__real_mallocx(size_t size, int flags);
void *__wrap_mallocx(size_t size, int flags);
void __real_dallocx(void *memory, int flags);
void __wrap_dallocx(void *memory, int flags);
int __real_mallctl(const char *name, void *old, size_t *old_size, void *new, size_t new_size);
int __wrap_mallctl(const char *name, void *old, size_t *old_size, void *new, size_t new_size);

static char arenas[4096]; /* whose addresses stand for arenas in the balance */

void *__wrap_mallocx(size_t size, int flags)
{
    return refuses_elsewhere() ? NULL : hold(__real_mallocx(size, flags), size);
}

void __wrap_dallocx(void *memory, int flags)
{
    (void)let_go(memory);
    __real_dallocx(memory, flags);
}

int __wrap_mallctl(const char *name, void *old, size_t *old_size, void *new, size_t new_size)
{
    unsigned index;
    bool creates = strcmp(name, "arenas.create") == 0;
    if (creates && refuses_elsewhere())
        return EAGAIN;
    int error = __real_mallctl(name, old, old_size, new, new_size);
    if (error == 0 && creates)
        (void)hold(&arenas[*(unsigned *)old], 1);
    else if (error == 0 && sscanf(name, "arena.%u.destroy", &index) == 1 && strstr(name, "destroy") != NULL)
        (void)let_go(&arenas[index]);
    return error;
}
#endif

/* --- attempts --- */

size_t scarce_held(void)
{
    return atomic_load(&count_held);
}

/* Whether an allocation failed. */
static bool attempt(const struct scarce_call *call, unsigned what, unsigned succeeding, bool on)
{
    const size_t before = scarce_held();
    const unsigned texts = pleach__error_count();
    failing_on = on;
    atomic_store(&failed, 0);
    atomic_store(&elsewhere, 0);
    atomic_store(&no_maps, false);
    atomic_store(&left, (long)succeeding);
    atomic_store(&armed, true);
    pleach_status status = call->attempt(call->context);
    atomic_store(&armed, false);
    if ((what & SCARCE_HOSTED) != 0 && atomic_load(&elsewhere) != 0)
        fail_msg("%u allocations were not asked of the host", atomic_load(&elsewhere));
    if (atomic_load(&failed) == 0) {
        if (status != PLEACH_OK)
            fail_msg("%s with all the memory it asked for: %s", pleach_status_name(status), pleach_last_error());
        return false;
    }
    const bool spared = status == PLEACH_OK && (what & SCARCE_SPARED) != 0;
    if (status != PLEACH_ENOMEM && !spared)
        fail_msg("%s without allocation %u: %s", pleach_status_name(status), succeeding + 1, pleach_last_error());
    if (scarce_held() != before && (what & SCARCE_KEPT) == 0)
        fail_msg("%zu allocations are held, %zu were before number %u failed", scarce_held(), before, succeeding + 1);
    if (spared)
        return true;
    assert_true(pleach__error_count() != texts);
    assert_true(pleach_last_error()[0] != '\0');
    if (call->unchanged != NULL)
        call->unchanged(call->context);
    return true;
}

unsigned scarce_run_as(const struct scarce_call *call, unsigned what)
{
    unsigned succeeding = 0;
    while (attempt(call, what, succeeding, false) && attempt(call, what, succeeding, true))
        succeeding++;
    return succeeding;
}

unsigned scarce_run(const struct scarce_call *call)
{
    return scarce_run_as(call, 0);
}
