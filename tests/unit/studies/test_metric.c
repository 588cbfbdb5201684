/* The error metric, against sums done by hand. */
#include "sar_test.h"

#include "base/memory.h"
#include "results/table.h"
#include "sarrus/result.h"

static sar_result* table(const char* text)
{
    sar_error error = {0};
    sar_result* r = SARI_NEW(sar_result);
    if (sari_parse_csv(text, strlen(text), "table", r, &error) != SAR_OK)
        fail_msg("%s", error.message);
    return r;
}

static sar_status compare(const char* a, const char* b, const sar_comparison_def* def,
                          sar_comparison* out, double* errors, sar_error* error)
{
    sar_result *ra = table(a), *rb = table(b);
    sar_status status = sar_result_compare(ra, rb, def, out, errors, error);
    static char name[32]; // out->max_name lives in the result
    snprintf(name, sizeof name, "%s", out->max_name ? out->max_name : "");
    out->max_name = name;
    sar_result_destroy(ra);
    sar_result_destroy(rb);
    return status;
}

static const char* const result = "t,x,y,only_a\n0,1,0,9\n1,2,0,9\n2,3,0,9\n";
static const char* const reference = "t,only_b,y,x\n0,8,3,1\n1,8,0,1\n2,8,4,1\n";

/* eps_x = 0 1 2, eps_y = -3 0 -4: sqrt(1/2 (5/3 + 25/3)) = sqrt(5) */
TEST(all_common_columns_with_weight_one)
{
    sar_comparison c;
    double errors[3];
    CHECK_STATUS(compare(result, reference, NULL, &c, errors, NULL), SAR_OK);
    CHECK_NEAR(c.total, 2.23606797749979, 1e-15);
    assert_int_equal(c.variables, 2);
    assert_int_equal(c.samples, 3);
    CHECK_NEAR(c.max_error, 4.0, 0.0);
    CHECK_TEXT(c.max_name, "y");
    CHECK_NEAR(c.max_time, 2.0, 0.0);
    CHECK_NEAR(errors[0], 2.0, 0.0);
    CHECK_NEAR(errors[1], 4.0, 0.0);
}

/* Weights 0.5 (y) and 2 (x): sqrt(1/2 (0.5*25/3 + 2*5/3)) = sqrt(3.75) */
TEST(names_and_weights_choose)
{
    const char* const names[] = {"y", "x"};
    const double weights[] = {0.5, 2};
    sar_comparison_def def = {.names = names, .weights = weights, .count = 2};
    sar_comparison c;
    double errors[2];
    CHECK_STATUS(compare(result, reference, &def, &c, errors, NULL), SAR_OK);
    CHECK_NEAR(c.total, 1.9364916731037085, 1e-15);
    CHECK_NEAR(errors[0], 4.0, 0.0);
    def.count = 1; // y alone with weight 0.5: sqrt(0.5*25/3)
    CHECK_STATUS(compare(result, reference, &def, &c, NULL, NULL), SAR_OK);
    CHECK_NEAR(c.total, 2.0412414523193148, 1e-15);
}

/* The result is 2 t: 0 1 2 4 at the reference's times, sqrt(21/4). */
TEST(the_result_is_interpolated_to_the_reference)
{
    sar_comparison c;
    CHECK_STATUS(compare("t,x\n0,0\n2,4\n", "t,x\n0,0\n0.5,0\n1,0\n2,0\n", NULL, &c, NULL, NULL),
                 SAR_OK);
    assert_int_equal(c.samples, 4);
    CHECK_NEAR(c.total, 2.2912878474779200, 1e-15);
    CHECK_NEAR(c.max_time, 2.0, 0.0);
}

/* t^2 at 3.5 by a straight line is 12.5; by the neighbouring rows it is exact. */
TEST(values_between_rows_may_be_linear)
{
    const char *a = "t,x\n0,0\n1,1\n2,4\n3,9\n4,16\n5,25\n6,36\n",
               *b = "t,x\n1,1\n3.5,12.25\n5,25\n";
    sar_comparison c;
    CHECK_STATUS(compare(a, b, NULL, &c, NULL, NULL), SAR_OK);
    CHECK_NEAR(c.max_error, 0.0, 1e-15);
    CHECK_STATUS(compare(a, b, &(sar_comparison_def){.linear = 1}, &c, NULL, NULL), SAR_OK);
    CHECK_NEAR(c.max_error, 0.25, 1e-15);
    CHECK(!c.limited);
}

/* Errors 0.5, 0.5, 0.5 of 10, 2 and 0.1: the last is divided by a tenth of the largest. */
TEST(errors_may_be_relative)
{
    sar_comparison c;
    CHECK_STATUS(compare("t,x\n0,10.5\n1,-1.5\n2,0.6\n", "t,x\n0,10\n1,-2\n2,0.1\n",
                         &(sar_comparison_def){.relative = 0.1}, &c, NULL, NULL),
                 SAR_OK);
    CHECK_NEAR(c.max_error, 0.5, 1e-15);
    CHECK_NEAR(c.max_time, 2.0, 0.0);
    CHECK_NEAR(c.total, sqrt((0.05 * 0.05 + 0.25 * 0.25 + 0.5 * 0.5) / 3.0), 1e-15);
}

/* On a grid of 0.5 s the difference of 2 t and t is 0 0.5 1 1.5 2: sqrt(7.5/5). */
TEST(both_are_interpolated_to_a_grid)
{
    sar_comparison_def def = {.interval = 0.5};
    sar_comparison c;
    CHECK_STATUS(compare("t,x\n0,0\n2,4\n", "t,x\n0,0\n0.3,0.3\n2,2\n", &def, &c, NULL, NULL),
                 SAR_OK);
    assert_int_equal(c.samples, 5);
    CHECK_NEAR(c.total, 1.2247448713915890, 1e-15);
}

/* sin(t) over 10 s in `rows` rows, with or without rates, beside 1000 exact samples: the largest error. */
static double sine_error(int rows, int rates, sar_comparison* c)
{
    static char text[2][1 << 17];
    size_t used[2] = {0};
    used[0] += (size_t)sprintf(text[0], rates ? "t,x,x.rate\n" : "t,x\n");
    for (int k = 0; k < rows; k++) {
        const double t = 10.0 * k / (rows - 1);
        used[0] += (size_t)sprintf(text[0] + used[0], "%.17g,%.17g", t, sin(t));
        if (rates) used[0] += (size_t)sprintf(text[0] + used[0], ",%.17g", cos(t));
        used[0] += (size_t)sprintf(text[0] + used[0], "\n");
    }
    used[1] += (size_t)sprintf(text[1], "t,x\n");
    for (int k = 0; k <= 1000; k++)
        used[1] += (size_t)sprintf(text[1] + used[1], "%.17g,%.17g\n", 0.01 * k, sin(0.01 * k));
    CHECK_STATUS(compare(text[0], text[1], NULL, c, NULL, NULL), SAR_OK);
    assert_int_equal(c->variables, 1); // rates are not compared
    return c->max_error;
}

/* Polynomials of degree 5 and 3: half the distance, 1/64 and 1/16 of the error. The uncertainty that is
 * told is no smaller, and not much larger. */
TEST(rates_make_interpolation_of_sixth_order)
{
    for (int rates = 0; rates < 2; rates++) {
        sar_comparison coarse, fine;
        const double ratio = sine_error(31, rates, &coarse) / sine_error(61, rates, &fine);
        const double order = rates ? 6.0 : 4.0;
        CHECK_NEAR(log2(ratio), order, 0.6);
        assert_true(fine.interpolation > 0.3 * fine.max_error);
        assert_true(fine.interpolation < 30.0 * fine.max_error);
        assert_non_null(fine.limited);
    }
}

/* A kink spoils the interval that it is in, and no other. */
TEST(a_kink_does_no_harm_to_its_neighbours)
{
    static char text[2][1 << 12];
    size_t used[2] = {0};
    used[0] += (size_t)sprintf(text[0], "t,x,x.rate\n");
    used[1] += (size_t)sprintf(text[1], "t,x\n");
    for (int k = 0; k <= 10; k++)
        used[0] +=
            (size_t)sprintf(text[0] + used[0], "%d,%.17g,%d\n", k, fabs(k - 4.3), k < 4.3 ? -1 : 1);
    for (int k = 0; k <= 40; k++)
        if (0.25 * k <= 4.0 || 0.25 * k >= 5.0)
            used[1] +=
                (size_t)sprintf(text[1] + used[1], "%.17g,%.17g\n", 0.25 * k, fabs(0.25 * k - 4.3));
    sar_comparison c;
    CHECK_STATUS(compare(text[0], text[1], NULL, &c, NULL, NULL), SAR_OK);
    assert_true(c.max_error < 1e-14);
    assert_null(c.limited);
}

TEST(ten_seconds_have_1001_samples_of_10_ms)
{
    sar_comparison_def def = {.interval = 0.01};
    sar_comparison c;
    CHECK_STATUS(
        compare("t,x\n0,0\n10,0\n", "t,x\n0,1\n9.9999999999999982,1\n", &def, &c, NULL, NULL),
        SAR_OK);
    assert_int_equal(c.samples, 1001);
    CHECK_NEAR(c.total, 1.0, 1e-14);
}

/* Common time is 1 ... 2.5: the reference's rows 1 and 2, where the result is 10 t: errors 10, 20.
 */
TEST(only_the_common_time_counts)
{
    sar_comparison c;
    CHECK_STATUS(compare("t,x\n0.5,5\n2.5,25\n", "t,x\n0,0\n1,0\n2,0\n3,0\n", NULL, &c, NULL, NULL),
                 SAR_OK);
    assert_int_equal(c.samples, 2);
    CHECK_NEAR(c.total, 15.811388300841896, 1e-14);
}

/* A result that ends a rounding error early still meets the last row. */
TEST(rounded_end_times_meet)
{
    sar_comparison c;
    CHECK_STATUS(
        compare("t,x\n0,0\n9.9999999999999982,0\n", "t,x\n0,1\n10,1\n", NULL, &c, NULL, NULL),
        SAR_OK);
    assert_int_equal(c.samples, 2);
}

TEST(equal_results_have_no_error)
{
    sar_comparison c;
    CHECK_STATUS(compare(result, result, NULL, &c, NULL, NULL), SAR_OK);
    CHECK_NEAR(c.total, 0.0, 0.0);
    CHECK_TEXT(c.max_name, "x");
}

TEST(what_cannot_be_compared_is_explained)
{
    const char* const names[] = {"theta_1"};
    const double negative[] = {-1};
    const struct {
        const char *a, *b;
        sar_comparison_def def;
        sar_status status;
        const char* says;
    } cases[] = {
        {"t,theta1\n0,1\n",
         "t,x\n0,1\n",
         {.names = names, .count = 1},
         SAR_E_ARG,
         "the result has no column \"theta_1\": did you mean \"theta1\"?"},
        {"t,theta_1\n0,1\n",
         "t,x\n0,1\n",
         {.names = names, .count = 1},
         SAR_E_ARG,
         "the reference has no column \"theta_1\""},
        {"t,x\n0,1\n", "t,y\n0,1\n", {0}, SAR_E_ARG, "no column in common"},
        {"t,x\n", "t,x\n0,1\n", {0}, SAR_E_ARG, "the result has no rows"},
        {"t,x\n0,1\n", "t,x\n", {0}, SAR_E_ARG, "the reference has no rows"},
        {"t,x\n0,1\n1,1\n", "t,x\n2,1\n3,1\n", {0}, SAR_E_ARG, "no time in common"},
        {"t,x\n1,1\n2,1\n", "t,x\n0,1\n3,1\n", {0}, SAR_E_ARG, "no row of the reference"},
        {"t,x\n0,1\n", "t,x\n0,1\n", {.interval = -1}, SAR_E_ARG, "sampling interval"},
        {"t,x\n0,1\n9,1\n", "t,x\n0,1\n9,1\n", {.interval = 1e-300}, SAR_E_ARG, "too many"},
        {"t,x\n0,1\n", "t,x\n0,1\n", {.weights = negative}, SAR_E_ARG, "need the names"},
        {"t,theta_1\n0,1\n",
         "t,theta_1\n0,1\n",
         {.names = names, .weights = negative, .count = 1},
         SAR_E_ARG,
         "is -1, expected 0 or more"},
        {"t,x\n0,1\n1,nan\n",
         "t,x\n0,1\n1,1\n",
         {0},
         SAR_R_NOT_FINITE,
         "\"x\" is not finite at t = 1 s"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        sar_comparison c;
        sar_error error = {0};
        sar_status got = compare(cases[k].a, cases[k].b, &cases[k].def, &c, NULL, &error);
        if (got != cases[k].status || !strstr(error.message, cases[k].says))
            fail_msg("case %zu: status %d, \"%s\"", k, got, error.message);
    }
}
