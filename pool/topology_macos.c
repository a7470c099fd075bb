#include "pool/topology_sysctl.h"

#include <string.h>
#include <sys/sysctl.h>
#include <sys/types.h>

static bool read_number(const char *name, uint64_t *number)
{
    unsigned char bytes[sizeof *number];
    uint32_t half;
    size_t size = sizeof bytes;
    if (sysctlbyname(name, bytes, &size, NULL, 0) != 0)
        return false;
    if (size == sizeof *number) {
        memcpy(number, bytes, sizeof *number);
        return true;
    }
    if (size != sizeof half)
        return false;
    memcpy(&half, bytes, sizeof half);
    *number = half;
    return true;
}

static bool read_text(const char *name, char *text, size_t size)
{
    return sysctlbyname(name, text, &size, NULL, 0) == 0 && size != 0 && text[size - 1] == '\0';
}

pleach_status pleach__topology_find(pleach__topology *topology, const char *root)
{
    (void)root;
    return pleach__topology_from_sysctl(topology, &(pleach__sysctl){.number = read_number, .text = read_text});
}
