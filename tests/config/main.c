#include "config_test.h"

int main(void)
{
    return run_error_tests() + run_setting_tests();
}
