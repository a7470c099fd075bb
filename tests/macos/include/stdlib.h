/* What the library uses of the header of this name, as Apple declares it. */
#include <stddef.h>
void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void free(void *memory);
