/* What the library uses of the header of this name, as Apple declares it. */
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
int strcmp(const char *a, const char *b);
size_t strlen(const char *text);
size_t strcspn(const char *text, const char *rejected);
char *strchr(const char *text, int letter);
