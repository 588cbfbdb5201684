/* The program around tests that need no main() of their own. */
#include "sar_test.h"

int main(void)
{
    return sar_test_run();
}
