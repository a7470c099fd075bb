/* Digests and numbers as text, and what is said to the user. */
#include "engine/cli/cli.h"
#include "engine/cli/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void pleach__complain(const char *format, ...)
{
    va_list arguments;
    pleach__progress_clear();
    (void)fflush(stdout);
    (void)fputs("pleach: ", stderr);
    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments);
    va_end(arguments);
    (void)fputc('\n', stderr);
}

void pleach__warn_if_mutated(const pleach_tree *tree, const char *name)
{
    if (pleach_tree_scheme(tree)->lone == PLEACH_LONE_DUPLICATED && pleach_tree_mutated(tree))
        pleach__complain("%s: mutated: two siblings are equal, so other leaves have the same root (CVE-2012-2459)",
                         name);
}

void pleach__hex(const uint8_t digest[PLEACH_DIGEST_SIZE], char text[PLEACH__HEX_SIZE])
{
    for (size_t i = 0; i < PLEACH_DIGEST_SIZE; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

void pleach__hex_ordered(const uint8_t digest[PLEACH_DIGEST_SIZE], bool reversed, char text[PLEACH__HEX_SIZE])
{
    uint8_t ordered[PLEACH_DIGEST_SIZE];
    memcpy(ordered, digest, sizeof ordered);
    if (reversed)
        pleach__reverse(ordered);
    pleach__hex(ordered, text);
}

bool pleach__unhex(const char *text, uint8_t digest[PLEACH_DIGEST_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    if (strlen(text) != 2 * PLEACH_DIGEST_SIZE || strspn(text, digits) != 2 * PLEACH_DIGEST_SIZE)
        return false;
    for (size_t i = 0; i < PLEACH_DIGEST_SIZE; i++)
        digest[i] = (uint8_t)((strchr(digits, text[2 * i]) - digits) << 4 | (strchr(digits, text[2 * i + 1]) - digits));
    return true;
}

void pleach__reverse(uint8_t digest[PLEACH_DIGEST_SIZE])
{
    for (size_t i = 0, j = PLEACH_DIGEST_SIZE - 1; i < j; i++, j--) {
        uint8_t byte = digest[i];
        digest[i] = digest[j];
        digest[j] = byte;
    }
}

bool pleach__number(const char *text, uint64_t *value)
{
    uint64_t sum = 0;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || sum > (UINT64_MAX - (uint64_t)(*text - '0')) / 10)
            return false;
        sum = 10 * sum + (uint64_t)(*text - '0');
    }
    *value = sum;
    return true;
}

bool pleach__decimal(const char *text, double *value)
{
    double sum = 0, unit = 1;
    size_t whole = strspn(text, "0123456789"), length = strlen(text), part = length - whole;
    if (whole == 0 ||
        (part > 0 && (part < 2 || text[whole] != '.' || strspn(text + whole + 1, "0123456789") < part - 1)))
        return false;
    for (size_t i = 0; i < whole; i++)
        sum = 10 * sum + (text[i] - '0');
    for (size_t i = whole + 1; i < length; i++)
        sum += (text[i] - '0') * (unit /= 10);
    *value = sum;
    return true;
}

/* As sha256sum does: a name with a newline or a backslash is escaped, and its line begins with a backslash. */
void pleach__print_root(const uint8_t root[PLEACH_DIGEST_SIZE], bool reversed, const char *name)
{
    char text[PLEACH__HEX_SIZE];
    pleach__hex_ordered(root, reversed, text);
    pleach__progress_clear();
    if (strpbrk(name, "\\\n") != NULL)
        (void)putchar('\\');
    (void)printf("%s  ", text);
    for (; *name != '\0'; name++) {
        if (*name == '\n')
            (void)fputs("\\n", stdout);
        else if (*name == '\\')
            (void)fputs("\\\\", stdout);
        else
            (void)putchar(*name);
    }
    (void)putchar('\n');
}
