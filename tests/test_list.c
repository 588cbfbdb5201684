/* The tests of a program, in the order in which they stand in its source. */
#include "sar_test.h"

enum { MOST = 100 };

static struct CMUnitTest tests[MOST];
static int count;
static CMFixtureFunction before_all, after_all;

void sar_test_list(const char* name, CMUnitTestFunction test, CMFixtureFunction before,
                   CMFixtureFunction after)
{
    if (count == MOST) abort();
    tests[count++] = (struct CMUnitTest){
        .name = name, .test_func = test, .setup_func = before, .teardown_func = after};
}

void sar_test_between(CMFixtureFunction before, CMFixtureFunction after)
{
    before_all = before;
    after_all = after;
}

int sar_test_run(void)
{
    return _cmocka_run_group_tests("tests", tests, (size_t)count, before_all, after_all);
}
