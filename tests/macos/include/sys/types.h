/* What the library uses of the header of this name, as Apple declares it. */
#include <stddef.h>
typedef long ssize_t;
