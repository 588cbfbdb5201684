/* A thin layer over cmocka: tests that are listed where they stand, checks that print got, wanted and tolerance. */
#ifndef SAR_TEST_H
#define SAR_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/// TEST(what_it_shows) { ... }: a test of this program, without another list of them.
#define TEST(name) TEST_WITH(name, NULL, NULL)

/// The same between two functions, as cmocka has them.
#define TEST_WITH(name, before, after)                                                             \
    static void name(void** unused_);                                                              \
    __attribute__((constructor)) static void list_##name(void)                                     \
    {                                                                                              \
        sar_test_list(#name, name, before, after);                                                 \
    }                                                                                              \
    static void name(void** unused_ __attribute__((unused)))

/// What runs before the first test and after the last one.
#define TESTS_BETWEEN(before, after)                                                               \
    __attribute__((constructor)) static void surround_tests(void)                                  \
    {                                                                                              \
        sar_test_between(before, after);                                                           \
    }

void sar_test_list(const char* name, CMUnitTestFunction test, CMFixtureFunction before,
                   CMFixtureFunction after);
void sar_test_between(CMFixtureFunction before, CMFixtureFunction after);
/// Runs what is listed. @return how many failed; main() of test_main.c does no more
int sar_test_run(void);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) fail_msg("%s:%d: %s", __FILE__, __LINE__, #condition);                   \
    } while (0)

#define CHECK_NEAR(got, wanted, tolerance)                                                         \
    do {                                                                                           \
        double got_ = (got), wanted_ = (wanted), tolerance_ = (tolerance);                         \
        if (!(fabs(got_ - wanted_) <= tolerance_))                                                 \
            fail_msg("%s:%d: %s = %.17g, wanted %.17g +- %.3g (off by %.3g)", __FILE__, __LINE__,  \
                     #got, got_, wanted_, tolerance_, got_ - wanted_);                             \
    } while (0)

#define CHECK_AT_MOST(got, bound)                                                                  \
    do {                                                                                           \
        double got_ = (got), bound_ = (bound);                                                     \
        if (!(got_ <= bound_))                                                                     \
            fail_msg("%s:%d: %s = %.6g, wanted at most %.6g", __FILE__, __LINE__, #got, got_,      \
                     bound_);                                                                      \
    } while (0)

#define CHECK_STATUS(call, wanted)                                                                 \
    do {                                                                                           \
        int got_ = (int)(call), wanted_ = (int)(wanted);                                           \
        if (got_ != wanted_)                                                                       \
            fail_msg("%s:%d: %s gave status %d, wanted %d", __FILE__, __LINE__, #call, got_,       \
                     wanted_);                                                                     \
    } while (0)

#define CHECK_TEXT(got, wanted)                                                                    \
    do {                                                                                           \
        const char *got_ = (got), *wanted_ = (wanted);                                             \
        if (!got_ || strcmp(got_, wanted_) != 0)                                                   \
            fail_msg("%s:%d: %s = \"%s\", wanted \"%s\"", __FILE__, __LINE__, #got,                \
                     got_ ? got_ : "(null)", wanted_);                                             \
    } while (0)

static inline void check_xyz(const double got[3], double x, double y, double z)
{
    CHECK_NEAR(got[0], x, 1e-15);
    CHECK_NEAR(got[1], y, 1e-15);
    CHECK_NEAR(got[2], z, 1e-15);
}

#endif
