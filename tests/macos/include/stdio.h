/* What the library uses of the header of this name, as Apple declares it. */
#include <stddef.h>
int snprintf(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
