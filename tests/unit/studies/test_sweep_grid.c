/* Ranges as text, the grid they span, and the metric of a problem. */
#include "sar_test.h"

#include "studies/sweeps.h"

static double number(const char* text)
{
    double value = NAN;
    CHECK(sar_number_read(text, &value));
    return value;
}

TEST(numbers_have_broken_exponents)
{
    CHECK_NEAR(number("1e8.5"), 316227766.01683793, 1e-6);
    CHECK_NEAR(number("2E-0.5"), 0.63245553203367587, 1e-15);
    CHECK_NEAR(number("-1e3"), -1000.0, 0.0);
    CHECK_NEAR(number("0.125"), 0.125, 0.0);
    const char* const wrong[] = {"",    "x",   "1e",    "1e8.5x",  "e5", "1e8.5e1", "0x10",
                                 "nan", "inf", "1e400", "1e309.5", " 1", "1 ",      "1e8.5.2"};
    double ignored;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        if (sar_number_read(wrong[k], &ignored)) fail_msg("\"%s\" was read as a number", wrong[k]);
}

static sar_grid* grid_of(const char* first, const char* second)
{
    sar_grid* grid;
    sar_error error = {0};
    CHECK_STATUS(sar_grid_create(&grid), SAR_OK);
    CHECK_STATUS(sar_grid_vary(grid, first, &error), SAR_OK);
    if (second) CHECK_STATUS(sar_grid_vary(grid, second, &error), SAR_OK);
    return grid;
}

TEST(spaced_values_are_what_people_would_write)
{
    sar_grid* grid = grid_of("alpha=log:1e6:1e8.5:6", "xi=lin:0:1:11");
    const char* const alpha[] = {"1e+06", "3162277.66016838", "1e+07", "31622776.6016838",
                                 "1e+08", "316227766.016838"};
    const char* const xi[] = {"0",   "0.1", "0.2", "0.3", "0.4", "0.5",
                              "0.6", "0.7", "0.8", "0.9", "1"};
    CHECK(sar_grid_count(grid, 0) == 6 && sar_grid_count(grid, 1) == 11);
    CHECK(sar_grid_scale(grid, 0) == SAR_SCALE_LOG && sar_grid_scale(grid, 1) == SAR_SCALE_LINEAR);
    for (int k = 0; k < 6; k++) {
        CHECK_TEXT(sar_grid_text(grid, 0, k), alpha[k]);
        CHECK_NEAR(sar_grid_value(grid, 0, k), strtod(alpha[k], NULL), 0.0);
    }
    for (int k = 0; k < 11; k++) CHECK_TEXT(sar_grid_text(grid, 1, k), xi[k]);
    sar_grid_destroy(grid);
}

TEST(lists_keep_their_words)
{
    sar_grid* grid = grid_of("formulation=al1, penalty", "omega=list:2,5,1e1.5,400");
    CHECK_TEXT(sar_grid_text(grid, 0, 1), "penalty");
    CHECK(isnan(sar_grid_value(grid, 0, 0)) && sar_grid_scale(grid, 0) == SAR_SCALE_WORDS);
    CHECK_TEXT(sar_grid_text(grid, 1, 2), "31.6227766016838");
    CHECK(sar_grid_scale(grid, 1) == SAR_SCALE_LOG);
    sar_grid_destroy(grid);
    grid = grid_of("n=2,3,4", NULL);
    CHECK(sar_grid_scale(grid, 0) == SAR_SCALE_LINEAR);
    sar_grid_destroy(grid);
}

TEST(the_last_axis_turns_fastest)
{
    sar_grid* grid = grid_of("a=1,2,3", "b=x,y");
    const int wanted[6][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}};
    CHECK(sar_grid_points(grid) == 6);
    for (long k = 0; k < 6; k++) {
        int index[2];
        sar_grid_point(grid, k, index);
        CHECK(index[0] == wanted[k][0] && index[1] == wanted[k][1]);
    }
    sar_grid_destroy(grid);
}

TEST(mistakes_are_named)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"alpha", "expected name=values, as in alpha=log:1e6:1e8.5:6"},
        {"=1,2", "expected name=values, as in alpha=log:1e6:1e8.5:6"},
        {"a=lgo:1:2:3", "unknown kind of range \"lgo\"; did you mean \"log\"?"},
        {"a=something:1", "expected lin:FROM:TO:COUNT, log:FROM:TO:COUNT, list:A,B,C or A,B,C"},
        {"a=log:1:2", "expected log:FROM:TO:COUNT, as in log:1e6:1e8.5:6"},
        {"a=lin:1:2:3:4", "expected lin:FROM:TO:COUNT, as in lin:0:1:5"},
        {"a=log:1:x:3", "\"x\" is not a number"},
        {"a=log:-1:2:3", "a logarithmic range needs positive ends, not -1"},
        {"a=lin:1:2:1", "the count is \"1\", expected a whole number from 2 to 100000"},
        {"a=lin:1:2:2.5", "the count is \"2.5\", expected a whole number from 2 to 100000"},
        {"a=lin:2:2:3", "the range begins and ends at 2"},
        {"a=1,,2", "a value of the list is empty; expected A,B,C"},
        {"a=1,2,", "a value of the list is empty; expected A,B,C"},
        {"a=1e1,10", "the list has 10 twice"},
        {"given=1", "given is varied already"},
        {"a=lin:0:1:100000", "that makes more than 10000000 points"},
    };
    sar_grid* grid = grid_of("given=lin:0:1:101", NULL);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        sar_error error = {0};
        CHECK_STATUS(sar_grid_vary(grid, wrong[k].text, &error), SAR_E_ARG);
        CHECK_TEXT(error.message, wrong[k].message);
    }
    CHECK(sar_grid_axes(grid) == 1 && sar_grid_points(grid) == 101);
    sar_grid_destroy(grid);
}

TEST(the_metric_of_a_problem_is_read)
{
    sar_metric metric;
    sar_error error = {0};
    CHECK_STATUS(
        sar_metric_read(SARRUS_ROOT "/problems/slider-crank-1/published.json", &metric, &error),
        SAR_OK);
    CHECK(metric.count == 2);
    CHECK_TEXT(metric.names[0], "theta1");
    CHECK_TEXT(metric.names[1], "xQ");
    CHECK_NEAR(metric.interval, 0.01, 0.0);
    CHECK_NEAR(metric.weights[1], 1.0, 0.0);
    CHECK_STATUS(sar_metric_read(SARRUS_ROOT "/problems/README.md", &metric, &error), SAR_E_ARG);
    CHECK_STATUS(sar_metric_read(SARRUS_ROOT "/problems/none.json", &metric, &error), SAR_E_IO);
}
