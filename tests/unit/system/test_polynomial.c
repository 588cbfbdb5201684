/* Affine functions and quadratic polynomials, against values computed by hand or by naive sums. */
#include "sar_test.h"
#include "system/mechanism/polynomial.h"

static const double X[4] = {2.0, -3.0, 5.0, 0.5};

static sari_affine affine(double c, int n, const int* index, const double* coefficient)
{
    sari_affine a = {.c = c};
    for (int k = 0; k < n; k++) CHECK(sari_affine_add(&a, coefficient[k], index[k]));
    return a;
}

static double at(const sari_affine* a, const double* x)
{
    double sum = a->c;
    for (int k = 0; k < a->n; k++) sum += a->coefficient[k] * x[a->index[k]];
    return sum;
}

TEST(terms_of_one_variable_are_merged)
{
    sari_affine a = {.c = 1.0};
    CHECK(sari_affine_add(&a, 2.0, 3));
    CHECK(sari_affine_add(&a, 0.0, 7)); // nothing
    CHECK(sari_affine_add(&a, -5.0, 3));
    CHECK(a.n == 1);
    CHECK_NEAR(at(&a, X), 1.0 - 3.0 * 0.5, 0.0);
}

TEST(an_affine_function_has_a_largest_size)
{
    sari_affine a = {0};
    for (int k = 0; k < SARI_AFFINE_TERMS; k++) CHECK(sari_affine_add(&a, 1.0, k));
    CHECK(!sari_affine_add(&a, 1.0, SARI_AFFINE_TERMS));
    CHECK(a.n == SARI_AFFINE_TERMS);
    CHECK(sari_affine_add(&a, 1.0, 0)); // no new term
    sari_affine other = {.n = 1, .index = {99}, .coefficient = {1.0}};
    CHECK(!sari_affine_accumulate(&a, 1.0, &other));
}

TEST(affine_functions_add_up)
{
    sari_affine a = affine(1.0, 2, (int[]){0, 2}, (double[]){3.0, -1.0});
    sari_affine b = affine(-4.0, 2, (int[]){2, 1}, (double[]){2.0, 7.0});
    double wanted = at(&a, X) - 2.5 * at(&b, X);
    CHECK(sari_affine_accumulate(&a, -2.5, &b));
    CHECK_NEAR(at(&a, X), wanted, 1e-14);
}

TEST(equality_is_up_to_rounding)
{
    sari_affine a = affine(1.0, 2, (int[]){0, 2}, (double[]){3.0, -1.0});
    sari_affine b = affine(1.0, 2, (int[]){2, 0}, (double[]){-1.0, 3.0}); // another order
    CHECK(sari_affine_equal(&a, &b));
    b.c += 1e-14;
    CHECK(sari_affine_equal(&a, &b));
    b.c = 1.0 + 1e-9;
    CHECK(!sari_affine_equal(&a, &b));
    b.c = 1.0, b.coefficient[0] += 1e-9;
    CHECK(!sari_affine_equal(&a, &b));
    CHECK(sari_affine_add(&a, 1e-6, 1));
    CHECK(!sari_affine_equal(&a, &b));
}

/* p0 = 4 + 2 a - 3 a b + a a,  p1 = -b */
static sari_polynomials two_polynomials(const sari_affine* a, const sari_affine* b)
{
    sari_polynomials p = {0};
    CHECK(sari_polynomials_new(&p) == 0);
    CHECK(sari_polynomials_add_constant(&p, 4.0));
    CHECK(sari_polynomials_add_affine(&p, 2.0, a));
    CHECK(sari_polynomials_add_product(&p, -3.0, a, b));
    CHECK(sari_polynomials_add_product(&p, 1.0, a, a));
    CHECK(sari_polynomials_new(&p) == 1);
    CHECK(sari_polynomials_add_affine(&p, -1.0, b));
    return p;
}

TEST(values_are_those_of_the_factors)
{
    sari_affine a = affine(1.0, 2, (int[]){0, 2}, (double[]){3.0, -1.0});
    sari_affine b = affine(-4.0, 3, (int[]){2, 1, 0}, (double[]){2.0, 7.0, 0.25});
    sari_polynomials p = two_polynomials(&a, &b);
    double u = at(&a, X), w = at(&b, X);
    CHECK_NEAR(sari_polynomial_value(&p, 0, X), 4.0 + 2.0 * u - 3.0 * u * w + u * u, 1e-12);
    CHECK_NEAR(sari_polynomial_value(&p, 1, X), -w, 1e-13);
    for (int t = 0; t < p.product_count; t++) CHECK(p.product[t].i <= p.product[t].j);
    int list[8];
    CHECK(sari_polynomial_variables(&p, 0, list, 8) == 3);
    CHECK(list[0] == 0 && list[1] == 1 && list[2] == 2);
    CHECK(sari_polynomial_variables(&p, 0, list, 2) > 2); // there are more than fit
    sari_polynomials_clear(&p);
    CHECK(p.count == 0 && p.row == NULL);
}

TEST(zero_is_recognised)
{
    sari_affine a = affine(1.0, 2, (int[]){0, 2}, (double[]){3.0, -1.0});
    sari_polynomials p = {0};
    CHECK(sari_polynomials_new(&p) == 0);
    CHECK(sari_polynomial_is_zero(&p, 0, 1.0));
    CHECK(sari_polynomials_add_product(&p, 1.0, &a, &a));
    CHECK(!sari_polynomial_is_zero(&p, 0, 1.0));
    CHECK(sari_polynomials_add_product(&p, -1.0, &a, &a));
    CHECK(sari_polynomial_is_zero(&p, 0, 1.0));
    CHECK(sari_polynomials_add_constant(&p, 1e-6));
    CHECK(!sari_polynomial_is_zero(&p, 0, 1.0));
    CHECK(sari_polynomial_is_zero(&p, 0, 1e9)); // 1e-6 is nothing among billions
    sari_polynomials_clear(&p);
}

/* x = (y0 - y1, 2 y0 + 1, y1, 3): the polynomial of y has the value of the polynomial of x(y). */
TEST(substitution_keeps_values)
{
    sari_affine a = affine(1.0, 3, (int[]){0, 2, 3}, (double[]){3.0, -1.0, 2.0});
    sari_affine b = affine(-4.0, 3, (int[]){2, 1, 0}, (double[]){2.0, 7.0, 0.25});
    sari_polynomials p = two_polynomials(&a, &b), out = {0};
    sari_affine map[4] = {
        affine(0.0, 2, (int[]){0, 1}, (double[]){1.0, -1.0}),
        affine(1.0, 1, (int[]){0}, (double[]){2.0}),
        affine(0.0, 1, (int[]){1}, (double[]){1.0}),
        affine(3.0, 0, NULL, NULL),
    };
    CHECK(sari_polynomial_substitute(&p, 0, map, &out) == 0);
    CHECK(sari_polynomial_substitute(&p, 1, map, &out) == 1);
    for (int k = 0; k < 5; k++) {
        double y[2] = {0.3 * k - 1.0, 1.7 - 0.9 * k}, x[4];
        for (int i = 0; i < 4; i++) x[i] = at(&map[i], y);
        for (int r = 0; r < 2; r++)
            CHECK_NEAR(sari_polynomial_value(&out, r, y), sari_polynomial_value(&p, r, x), 1e-11);
    }
    sari_polynomials_clear(&p);
    sari_polynomials_clear(&out);
}

/* x0^2 - x1^2 with x0 = x1 = y0 vanishes: no terms are left to spoil a sparsity pattern. */
TEST(substitution_drops_what_cancels)
{
    sari_affine x0 = affine(0.0, 1, (int[]){0}, (double[]){1.0});
    sari_affine x1 = affine(0.0, 1, (int[]){1}, (double[]){1.0});
    sari_polynomials p = {0}, out = {0};
    CHECK(sari_polynomials_new(&p) == 0);
    CHECK(sari_polynomials_add_product(&p, 1.0, &x0, &x0));
    CHECK(sari_polynomials_add_product(&p, -1.0, &x1, &x1));
    sari_affine y = affine(0.1, 1, (int[]){0}, (double[]){0.3});
    sari_affine map[2] = {y, y};
    int list[4];
    CHECK(sari_polynomial_substitute(&p, 0, map, &out) == 0);
    CHECK(sari_polynomial_is_zero(&out, 0, 1.0));
    CHECK(sari_polynomial_variables(&out, 0, list, 4) == 0);
    CHECK(sari_polynomial_substitute(&p, 0, (sari_affine[]){y, x1}, &out) ==
          1); // goes on after the gap
    CHECK(sari_polynomial_variables(&out, 1, list, 4) == 2);
    CHECK_NEAR(sari_polynomial_value(&out, 1, X), (0.1 + 0.6) * (0.1 + 0.6) - 9.0, 1e-13);
    sari_polynomials_clear(&p);
    sari_polynomials_clear(&out);
}
