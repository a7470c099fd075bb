/* How workers fall asleep and are woken. */
#define _GNU_SOURCE
#include "pool/workers.h"

/* A wake-up costs its caller microseconds: it is not worth one before every claim. */
enum { WAKE_INTERVAL_NS = 10000 };

static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory"); /* `yield` is a no-op on most cores */
#endif
}

bool pleach__spin(struct pleach__spin *spin, uint64_t ns)
{
    if (spin->polls++ % 32 == 0) {
        uint64_t now = uv_hrtime();
        if (spin->polls == 1)
            spin->since = now;
        if (now - spin->since >= ns)
            return false;
    }
    pause_briefly();
    return true;
}

void pleach__count(_Atomic uint64_t *counter, uint64_t more)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, relaxed) + more, relaxed);
}

bool pleach__wake_one(pleach_pool *pool)
{
    for (unsigned word = 0; word * 64 < pool->width; word++) {
        uint64_t bits;
        while ((bits = atomic_load(&pool->parked[word])) != 0) {
            uint64_t bit = bits & -bits; /* the lowest index: performance cores and streaming slots come first */
            if (atomic_fetch_and(&pool->parked[word], ~bit) & bit) {
                uv_sem_post(&pool->workers[word * 64 + (unsigned)__builtin_ctzll(bit)].wake);
                return true;
            }
        }
    }
    return false;
}

void pleach__wake_another(pleach_pool *pool, uint64_t *not_before)
{
    uint64_t now = uv_hrtime();
    if (now >= *not_before && pleach__wake_one(pool))
        *not_before = now + WAKE_INTERVAL_NS;
}

/*
 * Announce, look once more, sleep. A caller writes `unclaimed` and then reads `parked`; this writes `parked` and then
 * reads `unclaimed`; all four are sequentially consistent, so one of the two sees the other. Fences would do too, but
 * ThreadSanitizer does not understand them. A cleared bit is owed exactly one post.
 */
void pleach__park(pleach_pool *pool, struct pleach__worker *self)
{
    _Atomic uint64_t *parked = &pool->parked[self->seat.index / 64];
    uint64_t bit = (uint64_t)1 << self->seat.index % 64;
    atomic_fetch_or(parked, bit);
    if ((pleach__pick(pool) != NULL || atomic_load(&pool->stopping)) && (atomic_fetch_and(parked, ~bit) & bit))
        return; /* withdrawn: no post is on its way */
    pleach__count(&self->counted.parks, 1);
    uv_sem_wait(&self->wake);
}
