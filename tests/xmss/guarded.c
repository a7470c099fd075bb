#define _GNU_SOURCE
#include "xmss_test.h"

#include "tests/emulated.h"

#include <sys/mman.h>
#include <unistd.h>

static size_t page(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Whole pages for so many bytes; one at least. */
static size_t room_for(size_t size)
{
    return (size + emulated_overrun()) / page() * page() + page();
}

uint8_t *guarded(size_t size)
{
    const size_t room = room_for(size);
    uint8_t *map = mmap(NULL, room + page(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(map, MAP_FAILED);
    assert_return_code(mprotect(map, room, PROT_READ | PROT_WRITE), 0);
    return map + room - emulated_overrun() - size;
}

void guarded_free(uint8_t *bytes, size_t size)
{
    const size_t room = room_for(size);
    assert_return_code(munmap(bytes + size + emulated_overrun() - room, room + page()), 0);
}

uint8_t *untouchable(void)
{
    static uint8_t *map;
    if (!map)
        map = mmap(NULL, page(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(map, MAP_FAILED);
    return map;
}
