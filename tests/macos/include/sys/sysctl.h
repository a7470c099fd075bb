/* What the library uses of the header of this name, as Apple declares it. */
#include <stddef.h>
int sysctlbyname(const char *name, void *old, size_t *old_size, void *new_value, size_t new_size);
