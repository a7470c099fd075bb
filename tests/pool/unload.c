/*
 * The shared library in a program that was not linked with it: loaded, used by threads that live longer than it does,
 * unloaded, and nothing is left that could be called afterwards. Built with a jemalloc in the program and without.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "merkle/merkle.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 6, LEAVES = 20000, SIZE = 64, WORKERS = 3 };

static uint8_t data[LEAVES * SIZE], first_root[PLEACH_DIGEST_SIZE];

/* What is used of it. */
#define FUNCTIONS(X)        \
    X(pleach_config_init)   \
    X(pleach_last_error)    \
    X(pleach_hash_many)     \
    X(pleach_pool_create)   \
    X(pleach_pool_describe) \
    X(pleach_pool_destroy)  \
    X(pleach_pool_run)      \
    X(pleach_merkle_root)

struct library {
    void *handle;
    const pleach_scheme *scheme;
#define MEMBER(name) __typeof__(&name) name;
    FUNCTIONS(MEMBER)
#undef MEMBER
};

static void *symbol(void *handle, const char *name)
{
    void *address = dlsym(handle, name);
    if (address == NULL)
        fail_msg("%s", dlerror());
    return address;
}

static struct library load(void)
{
    struct library library = {.handle = dlopen(PLEACH_LIBRARY, RTLD_NOW | RTLD_LOCAL)};
    if (library.handle == NULL)
        fail_msg("%s", dlerror());
    library.scheme = symbol(library.handle, "pleach_scheme_rfc6962");
#define LOOK_UP(name)                                    \
    {                                                    \
        void *address = symbol(library.handle, #name);   \
        memcpy(&library.name, &address, sizeof address); \
    }
    FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    return library;
}

static bool is_loaded(void)
{
    void *handle = dlopen(PLEACH_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
    return handle != NULL && dlclose(handle) == 0;
}

static unsigned count_threads(void)
{
    unsigned count = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (const struct dirent *task; (task = readdir(tasks)) != NULL;)
        count += task->d_name[0] != '.';
    (void)closedir(tasks);
    return count;
}

/* A thread that was joined may be listed for a moment yet. */
static void expect_threads(unsigned expected)
{
    for (int patience = 2000; count_threads() > expected && patience > 0; patience--)
        (void)usleep(1000);
    assert_int_equal(count_threads(), expected);
}

/* A thread of the host's that uses the library and ends when it is gone. */
struct guest {
    const struct library *loaded;
    sem_t used, leave;
    pleach_status hashed, refused;
};

static void *visit(void *context)
{
    struct guest *guest = context;
    uint8_t digest[PLEACH_DIGEST_SIZE];
    guest->hashed = guest->loaded->pleach_hash_many(NULL, PLEACH_BLAKE2S, data, SIZE, SIZE, 1, digest);
    guest->refused = guest->loaded->pleach_hash_many(NULL, PLEACH_FAMILIES, data, SIZE, SIZE, 1, digest);
    (void)sem_post(&guest->used);
    (void)sem_wait(&guest->leave);
    return NULL;
}

static pleach_status nothing(void *context, const pleach_worker *worker, size_t begin, size_t end)
{
    (void)context, (void)worker, (void)begin, (void)end;
    return PLEACH_OK;
}

/* A child's exit status. With `pool` it must find that gone. */
static int fork_and_wait(const struct library *library, pleach_pool *pool)
{
    int status;
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        const pleach_job job = {.task = nothing, .items = 9};
        bool right = pool == NULL || (library->pleach_pool_run(pool, &job) == PLEACH_EFORKED &&
                                      library->pleach_pool_destroy(pool) == PLEACH_OK);
        _exit(right ? 0 : 1);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void use_pool(const struct library *library)
{
    char text[16384];
    uint8_t root[PLEACH_DIGEST_SIZE];
    const pleach_leaves leaves = {.data = data, .size = SIZE, .stride = SIZE, .count = LEAVES};
    const unsigned threads = count_threads();
    pleach_config config;
    pleach_pool *pool = NULL;
    library->pleach_config_init(&config);
    config.workers = WORKERS;
    assert_int_equal(library->pleach_pool_create(&pool, &config), PLEACH_OK);
    assert_int_equal(count_threads(), threads + WORKERS - 1);
    assert_int_equal(library->pleach_merkle_root(pool, library->scheme, &leaves, NULL, root), PLEACH_OK);
    assert_memory_equal(root, first_root, sizeof root);
    assert_true(library->pleach_pool_describe(pool, text, sizeof text) < sizeof text);
    assert_non_null(strstr(text, PLEACH_HAS_JEMALLOC ? "\"allocator\":\"jemalloc\"" : "\"allocator\":\"own\""));
    assert_int_equal(fork_and_wait(library, pool), 0);
    assert_int_equal(library->pleach_pool_destroy(pool), PLEACH_OK);
    expect_threads(threads);
}

static void nothing_is_left_behind(void **state)
{
    (void)state;
    void *const own_malloc = dlsym(RTLD_DEFAULT, "malloc");
    for (int round = 0; round < ROUNDS; round++) {
        assert_false(is_loaded());
        struct library library = load();
        struct guest guest = {.loaded = &library};
        pthread_t thread;
        assert_int_equal(sem_init(&guest.used, 0, 0), 0);
        assert_int_equal(sem_init(&guest.leave, 0, 0), 0);
        assert_int_equal(pthread_create(&thread, NULL, visit, &guest), 0);
        assert_int_equal(sem_wait(&guest.used), 0);
        const unsigned threads = count_threads();
        assert_int_equal(guest.hashed, PLEACH_OK);
        assert_int_equal(guest.refused, PLEACH_EINVAL);

        if (round == 0) {
            const pleach_leaves leaves = {.data = data, .size = SIZE, .stride = SIZE, .count = LEAVES};
            assert_int_equal(library.pleach_merkle_root(NULL, library.scheme, &leaves, NULL, first_root), PLEACH_OK);
        }
        use_pool(&library);
        use_pool(&library);
        assert_int_equal(library.pleach_pool_create(NULL, NULL), PLEACH_EINVAL);
        assert_string_equal(library.pleach_last_error(), "pool is NULL");
        assert_ptr_equal(dlsym(RTLD_DEFAULT, "malloc"), own_malloc);

        assert_int_equal(dlclose(library.handle), 0);
        assert_false(is_loaded());
        assert_int_equal(fork_and_wait(NULL, NULL), 0);
        (void)sem_post(&guest.leave);
        assert_int_equal(pthread_join(thread, NULL), 0);
        expect_threads(threads - 1);
        assert_int_equal(sem_destroy(&guest.used), 0);
        assert_int_equal(sem_destroy(&guest.leave), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_left_behind)};
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 131 + i / 251);
    (void)alarm(120); /* a hang is a failure */
    return cmocka_run_group_tests_name("unload", tests, NULL, NULL);
}
