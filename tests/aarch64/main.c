#include "aarch64_test.h"

#include <stdio.h>
#include <string.h>

bool can_stream;

void skip_unless_streaming(void)
{
    if (can_stream)
        return;
    printf("SKIPPED: %s\n", pleach__cpu_features()->sme ? "the system grants no vectors of 512 bits in streaming mode"
                                                        : "there is no streaming mode here");
    skip();
}

/* main [streams | refused | absent]: what is to be expected of this machine. */
int main(int argc, char **argv)
{
    pleach__streaming before;
    const bool sme = pleach__cpu_features()->sme;
    can_stream = sme && pleach__streaming_begin(&before, false);
    if (can_stream)
        pleach__streaming_end(&before);
    const char *found = can_stream ? "streams" : sme ? "refused" : "absent";
    if (argc > 1 && strcmp(argv[1], found) != 0) {
        print_error("%s was expected, %s was found\n", argv[1], found);
        return 1;
    }
    return run_entering_tests() + run_storm_tests() + run_slot_tests();
}
