/* Estimates of errors from samples whose errors are known: series made by hand, and methods of
 * order 1, 2 and 4 whose steps have closed forms. */
#include "sar_test.h"

#include "sarrus/certificate.h"

enum { ROWS = 401 };

typedef struct series {
    double t[ROWS], exact[ROWS], run[ROWS], reference[ROWS], coarser[ROWS], errors[ROWS];
} series;

static sar_certificate_def def_of(const series* s, double ratio, double order)
{
    return (sar_certificate_def){.rows = ROWS,
                                 .columns = 1,
                                 .time = s->t,
                                 .values = s->run,
                                 .reference = s->reference,
                                 .ratio = ratio,
                                 .order = order};
}

/* x'' = -x from x = 1, v = 0 by (1, -h; h, 1) + ... + (-h^p/p!): the Taylor step of order p. */
static void oscillate(double h, int order, int steps_per_row, double* x_at)
{
    double x = 1.0, v = 0.0;
    for (int i = 0; i < ROWS; i++) {
        x_at[i] = x;
        for (int k = 0; k < steps_per_row; k++) {
            double dx = x, dv = v, sum_x = x, sum_v = v;
            for (int p = 1; p <= order; p++) {
                const double next_x = dv * h / p, next_v = -dx * h / p;
                dx = next_x, dv = next_v;
                sum_x += dx, sum_v += dv;
            }
            x = sum_x, v = sum_v;
        }
    }
}

static void fill(series* s, int order, double h)
{
    for (int i = 0; i < ROWS; i++) s->t[i] = 2.0 * h * i, s->exact[i] = cos(s->t[i]);
    oscillate(2.0 * h, order, 1, s->coarser);
    oscillate(h, order, 2, s->run);
    oscillate(h / 2.0, order, 4, s->reference);
}

static double largest_error(const series* s)
{
    double most = 0.0;
    for (int i = 0; i < ROWS; i++) most = fmax(most, fabs(s->run[i] - s->exact[i]));
    return most;
}

TEST(estimates_of_order_1_2_and_4)
{
    static series s;
    const int order[] = {1, 2, 4};
    const double step[] = {2e-4, 1e-2, 2e-2};
    for (int k = 0; k < 3; k++) {
        fill(&s, order[k], step[k]);
        sar_certificate_def def = def_of(&s, 2.0, order[k]);
        sar_certificate c;
        CHECK_STATUS(sar_certify(&def, &c, s.errors, NULL), SAR_OK);
        for (int i = 0; i < ROWS; i++)
            CHECK_NEAR(s.errors[i], fabs(s.run[i] - s.exact[i]), 0.05 * largest_error(&s) + 1e-14);
        assert_int_equal(c.column, -1);
        CHECK_NEAR(c.trusted, s.t[ROWS - 1], 0.0);
    }
}

/* Twice the step in place of half of it: more than three times the difference for the same error. */
TEST(a_coarser_companion_tells_as_much)
{
    static series s;
    fill(&s, 2, 1e-2);
    sar_certificate_def def = def_of(&s, 0.5, 2.0);
    def.reference = s.coarser;
    sar_certificate c;
    CHECK_STATUS(sar_certify(&def, &c, s.errors, NULL), SAR_OK);
    for (int i = 0; i < ROWS; i++)
        CHECK_NEAR(s.errors[i], fabs(s.run[i] - s.exact[i]), 0.1 * largest_error(&s) + 1e-14);
    CHECK(fabs(s.coarser[ROWS - 1] - s.run[ROWS - 1]) > 2.5 * s.errors[ROWS - 1]);
    def.ratio = -0.5;
    CHECK_STATUS(sar_certify(&def, &c, s.errors, NULL), SAR_E_ARG);
}

/* A method of order 1 that is said to have order 4: the third run tells. */
TEST(the_order_is_measured)
{
    static series s;
    for (int order = 1; order <= 2; order++) {
        fill(&s, order, order == 1 ? 2e-4 : 1e-2);
        sar_certificate_def def = def_of(&s, 2.0, 4.0);
        def.coarser = s.coarser;
        sar_certificate c;
        CHECK_STATUS(sar_certify(&def, &c, s.errors, NULL), SAR_OK);
        assert_int_equal(c.measured, 1);
        assert_int_equal(c.diverges, 0);
        CHECK_NEAR(c.order, order, 0.1);
        CHECK_NEAR(s.errors[ROWS - 1], fabs(s.run[ROWS - 1] - s.exact[ROWS - 1]),
                   0.1 * largest_error(&s));
    }
}

/* Noise that does not fall with the step. */
TEST(steps_that_do_not_help)
{
    static series s;
    fill(&s, 4, 1e-2);
    for (int i = 0; i < ROWS; i++) {
        s.run[i] += 1e-3 * sin(0.7 * i);
        s.reference[i] += 1e-3 * sin(1.9 * i);
        s.coarser[i] += 1e-3 * sin(2.3 * i);
    }
    sar_certificate_def def = def_of(&s, 2.0, 4.0);
    def.coarser = s.coarser;
    sar_certificate c;
    CHECK_STATUS(sar_certify(&def, &c, NULL, NULL), SAR_OK);
    assert_int_equal(c.diverges, 1);
}

/* An error of 1e-8 10^(t/1.25) beside a range of 2: 1 % of it is reached at 1.25 log10(2e6). */
TEST(exponential_growth_and_saturation)
{
    static series s;
    for (int i = 0; i < ROWS; i++) {
        s.t[i] = 3.0 + 0.04 * i;
        s.reference[i] = sin(5.0 * s.t[i]);
        const double error = 1e-8 * pow(10.0, (s.t[i] - 3.0) / 1.25);
        s.run[i] = s.reference[i] + fmin(error, 1.0);
    }
    sar_certificate_def def = def_of(&s, INFINITY, 2.0);
    sar_certificate c;
    CHECK_STATUS(sar_certify(&def, &c, NULL, NULL), SAR_OK);
    CHECK_NEAR(c.tenfold, 1.25, 1e-3);
    CHECK_NEAR(c.trusted, 3.0 + 1.25 * log10(2e6), 2e-3);
    CHECK_NEAR(c.largest, 0.5, 1e-3);
    assert_int_equal(c.column, 0);
    CHECK(isnan(c.power));
    def.accuracy = 1e-4;
    CHECK_STATUS(sar_certify(&def, &c, NULL, NULL), SAR_OK);
    CHECK_NEAR(c.trusted, 3.0 + 1.25 * log10(2e4), 2e-3);
}

TEST(errors_that_add_up_grow_with_a_power)
{
    static series s;
    for (int i = 0; i < ROWS; i++) {
        s.t[i] = 0.04 * i;
        s.reference[i] = sin(5.0 * s.t[i]);
        s.run[i] = s.reference[i] + 1e-6 * s.t[i] * s.t[i];
    }
    sar_certificate_def def = def_of(&s, INFINITY, 2.0);
    sar_certificate c;
    CHECK_STATUS(sar_certify(&def, &c, NULL, NULL), SAR_OK);
    CHECK_NEAR(c.power, 2.0, 1e-3);
    CHECK(isinf(c.tenfold));
}

/* Two branches from t = 2 on. */
TEST(another_branch_ends_trust)
{
    static series s;
    for (int i = 0; i < ROWS; i++) {
        s.t[i] = 0.01 * i;
        s.reference[i] = fabs(2.0 - s.t[i]);
        s.run[i] = 2.0 - s.t[i];
    }
    sar_certificate_def def = def_of(&s, 2.0, 2.0);
    sar_certificate c;
    CHECK_STATUS(sar_certify(&def, &c, NULL, NULL), SAR_OK);
    CHECK_NEAR(c.trusted, 2.0, 0.02);
    CHECK(c.largest > 1.0);
}

/* An angle that jumps from pi to -pi a sample later in the reference run is no error of 2 pi. */
TEST(jumps_of_angles_are_no_errors)
{
    static series s;
    const double two_pi = 6.283185307179586;
    for (int i = 0; i < ROWS; i++) {
        s.t[i] = 0.05 * i;
        s.run[i] = remainder(s.t[i], two_pi);
        s.reference[i] = remainder(s.t[i] - 0.04, two_pi);
    }
    sar_certificate_def def = def_of(&s, INFINITY, 2.0);
    sar_certificate c;
    CHECK_STATUS(sar_certify(&def, &c, NULL, NULL), SAR_OK);
    CHECK_AT_MOST(c.largest, 0.06 / two_pi);
    assert_int_equal(c.column, -1);
}

/* Two lengths: one moves, the other stands still but for rounding. */
TEST(what_stands_still_is_measured_by_its_kind)
{
    static double t[ROWS], run[2 * ROWS], reference[2 * ROWS];
    for (int i = 0; i < ROWS; i++) {
        t[i] = 0.01 * i;
        run[2 * i] = reference[2 * i] = sin(t[i]);
        run[2 * i + 1] = 1e-16 * (i % 3);
        reference[2 * i + 1] = 1e-16 * (i % 2);
    }
    const int group[] = {7, 7};
    double range[2];
    sar_certificate_def def = {.rows = ROWS,
                               .columns = 2,
                               .time = t,
                               .values = run,
                               .reference = reference,
                               .ratio = 2.0,
                               .order = 2.0};
    sar_certificate c;
    CHECK_STATUS(sar_certify(&def, &c, NULL, range), SAR_OK);
    CHECK(c.largest > 0.5);
    def.group = group;
    CHECK_STATUS(sar_certify(&def, &c, NULL, range), SAR_OK);
    CHECK_AT_MOST(c.largest, 1e-12);
    CHECK_NEAR(range[1], 1e-3 * range[0], 1e-15);
    def.group = NULL;
    const double least[] = {0.0, 0.1};
    def.least = least;
    CHECK_STATUS(sar_certify(&def, &c, NULL, range), SAR_OK);
    CHECK_AT_MOST(c.largest, 1e-12);
}

/* A reference run that ends early says nothing of what comes after. */
TEST(a_companion_that_ends_early)
{
    static series s;
    fill(&s, 2, 1e-2);
    for (int i = 100; i < ROWS; i++) s.reference[i] = NAN;
    sar_certificate_def def = def_of(&s, 2.0, 2.0);
    sar_certificate c;
    CHECK_STATUS(sar_certify(&def, &c, s.errors, NULL), SAR_OK);
    CHECK_NEAR(c.covered, s.t[99], 0.0);
    CHECK_NEAR(c.trusted, s.t[99], 0.0);
    CHECK(isfinite(s.errors[99]) && isnan(s.errors[100]));
    s.reference[0] = NAN;
    CHECK_STATUS(sar_certify(&def, &c, s.errors, NULL), SAR_OK);
    CHECK(isnan(c.covered) && isnan(c.trusted));
}

TEST(what_means_nothing_is_refused)
{
    static series s;
    fill(&s, 2, 1e-2);
    sar_certificate c;
    sar_certificate_def def = def_of(&s, 1.0, 2.0);
    CHECK_STATUS(sar_certify(&def, &c, NULL, NULL), SAR_E_ARG);
    def = def_of(&s, 2.0, 0.0);
    CHECK_STATUS(sar_certify(&def, &c, NULL, NULL), SAR_E_ARG);
    def = def_of(&s, 2.0, 2.0);
    s.t[5] = s.t[4];
    CHECK_STATUS(sar_certify(&def, &c, NULL, NULL), SAR_E_ARG);
    def.rows = 0;
    CHECK_STATUS(sar_certify(&def, &c, NULL, NULL), SAR_E_ARG);
}

/* ---- reference runs ------------------------------------------------------------------------- */

TEST(companions_of_fixed_and_variable_steps)
{
    sar_options o = sar_options_default(), other;
    double ratio, order;
    CHECK_STATUS(sar_reference_options(&o, SAR_REFERENCE_FINER, 10, &other, &ratio, &order),
                 SAR_OK);
    CHECK_NEAR(other.step, o.step / 2.0, 0.0);
    CHECK_NEAR(ratio, 2.0, 0.0);
    CHECK_NEAR(order, 2.0, 0.0);
    CHECK_STATUS(sar_reference_options(&o, SAR_REFERENCE_COARSER, 10, &other, &ratio, &order),
                 SAR_OK);
    CHECK_NEAR(other.step, 2.0 * o.step, 0.0);
    CHECK_STATUS(sar_reference_options(&o, SAR_REFERENCE_INDEPENDENT, 10, &other, &ratio, &order),
                 SAR_OK);
    CHECK_TEXT(other.formulation, "auto");
    CHECK(isinf(ratio));
    CHECK_STATUS(sar_options_set(&o, "assemble", "0", NULL), SAR_OK);
    CHECK_STATUS(sar_reference_options(&o, SAR_REFERENCE_INDEPENDENT, 10, &other, &ratio, &order),
                 SAR_E_INCOMPAT);
    o = sar_options_default();
    CHECK_STATUS(sar_options_set(&o, "preset", "auto", NULL), SAR_OK);
    CHECK_STATUS(sar_options_set(&o, "coordinates", "relative", NULL), SAR_OK);
    o.tolerance = 1e-7;
    CHECK_STATUS(sar_reference_options(&o, SAR_REFERENCE_INDEPENDENT, 10, &other, &ratio, &order),
                 SAR_OK);
    CHECK_NEAR(other.tolerance, 1e-9, 1e-20);
    CHECK_TEXT(other.coordinates, "natural");
    CHECK_STATUS(sar_reference_options(&o, SAR_REFERENCE_INDEPENDENT, 1000, &other, &ratio, &order),
                 SAR_OK);
    CHECK_TEXT(other.coordinates, "auto");
}
