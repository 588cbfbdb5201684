/* Solvers for matrices without symmetry: one contract for both, and what tells them apart. */
#include "sar_test.h"

#include "linalg/lu.h"
#include "linalg/sym_tools.h"

static double uniform(void) // in (-1, 1), the same everywhere
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (double)(int64_t)state / 9223372036854775808.0;
}

/* ---- matrices ------------------------------------------------------------------------------- */

typedef struct matrix {
    sari_sym A; ///< pattern, and the lower values
    double* upper;
} matrix;

static matrix random_pattern(int n, double density)
{
    matrix m;
    sari_pattern p;
    sari_pattern_init(&p, n, n);
    for (int r = 0; r < n; r++)
        for (int c = 0; c < r; c++)
            if (fabs(uniform()) < density) sari_pattern_add(&p, r, c);
    CHECK_STATUS(sari_pattern_make_sym(&p, &m.A), SAR_OK);
    sari_pattern_clear(&p);
    m.upper = calloc((size_t)m.A.p[n] + 1, sizeof *m.upper);
    return m;
}

/* Both triangles random and different; the diagonal outweighs its row if `dominant`. */
static matrix random_matrix(int n, double density, int dominant)
{
    matrix m = random_pattern(n, density);
    for (int c = 0; c < n; c++)
        for (int e = m.A.p[c]; e < m.A.p[c + 1]; e++) m.A.x[e] = uniform(), m.upper[e] = uniform();
    for (int c = 0; c < n && dominant; c++) m.A.x[m.A.p[c]] = 1.5 + fabs(uniform());
    for (int c = 0; c < n && dominant; c++)
        for (int e = m.A.p[c] + 1; e < m.A.p[c + 1]; e++) {
            m.A.x[m.A.p[c]] += fabs(m.upper[e]);
            m.A.x[m.A.p[m.A.i[e]]] += fabs(m.A.x[e]);
        }
    return m;
}

static void matrix_clear(matrix* m)
{
    sari_sym_clear(&m->A);
    free(m->upper);
}

/* |A x - b| over |A| |x|, all as largest entries; own product, not the library's */
static double backward_error(const matrix* m, const double* x, const double* b)
{
    const int n = m->A.n;
    double* y = calloc((size_t)n + 1, sizeof *y);
    double size_A = 0, size_x = 0, residual = 0;
    for (int c = 0; c < n; c++)
        for (int e = m->A.p[c]; e < m->A.p[c + 1]; e++) {
            int r = m->A.i[e];
            y[r] += m->A.x[e] * x[c];
            if (r != c) y[c] += m->upper[e] * x[r];
            size_A = fmax(size_A, fmax(fabs(m->A.x[e]), r != c ? fabs(m->upper[e]) : 0.0));
        }
    for (int k = 0; k < n; k++) {
        size_x = fmax(size_x, fabs(x[k]));
        residual = fmax(residual, fabs(y[k] - b[k]));
    }
    free(y);
    return residual / (size_A * size_x);
}

static const char* const NAMES[] = {"dense", "sparse", "auto"};

static void check_solves(const char* name, const matrix* m, double tolerance)
{
    const int n = m->A.n;
    matrix transposed = {m->A, calloc((size_t)m->A.p[n] + 1, sizeof(double))};
    transposed.A.x = calloc((size_t)m->A.p[n] + 1, sizeof(double));
    for (int c = 0; c < n; c++)
        for (int e = m->A.p[c]; e < m->A.p[c + 1]; e++) {
            transposed.A.x[e] = m->A.i[e] == c ? m->A.x[e] : m->upper[e];
            transposed.upper[e] = m->A.x[e];
        }
    sari_lu lu;
    double *b = calloc((size_t)n + 1, sizeof *b), *x = calloc((size_t)n + 1, sizeof *x);
    CHECK_STATUS(sari_lu_create(name, &m->A, &lu), SAR_OK);
    for (int again = 0; again < 2; again++) { // the second time over what the first one left
        CHECK_STATUS(lu.ops->factor(lu.self, m->A.x, m->upper), SAR_OK);
        for (int k = 0; k < n; k++) b[k] = x[k] = uniform();
        lu.ops->solve(lu.self, x);
        double error = backward_error(m, x, b);
        if (!(error <= tolerance))
            fail_msg("%s, n = %d: backward error %g, wanted at most %g", name, n, error, tolerance);
        for (int k = 0; k < n; k++) x[k] = b[k];
        lu.ops->solve_transposed(lu.self, x);
        error = backward_error(&transposed, x, b);
        if (!(error <= tolerance))
            fail_msg("%s, n = %d, transposed: backward error %g, wanted at most %g", name, n, error,
                     tolerance);
    }
    free(b), free(x), free(transposed.A.x), free(transposed.upper);
    sari_lu_clear(&lu);
    CHECK(lu.ops == NULL && lu.self == NULL);
}

/* ---- solving -------------------------------------------------------------------------------- */

TEST(solves_dominant_systems_of_every_size)
{
    static const double densities[] = {0.0, 0.1, 0.4, 1.0};
    for (int k = 0; k < 3; k++)
        for (int n = 1; n <= 60; n++)
            for (int d = 0; d < 4; d++) {
                matrix m = random_matrix(n, densities[d], 1);
                check_solves(NAMES[k], &m, 1e-14);
                matrix_clear(&m);
            }
}

/* A penalty: M + alpha u w' with alpha so large that the pivots of M are the rounding's neighbours.
 */
TEST(keeps_what_a_penalty_leaves)
{
    for (int k = 0; k < 3; k++)
        for (int n = 2; n <= 12; n++) {
            matrix m = random_matrix(n, 2.0, 1);
            double u[12], w[12];
            for (int i = 0; i < n; i++) u[i] = uniform(), w[i] = u[i] + 0.01 * uniform();
            for (int c = 0; c < n; c++)
                for (int e = m.A.p[c]; e < m.A.p[c + 1]; e++) {
                    m.A.x[e] += 1e9 * u[m.A.i[e]] * w[c];
                    m.upper[e] += 1e9 * u[c] * w[m.A.i[e]];
                }
            check_solves(NAMES[k], &m, 1e-14);
            matrix_clear(&m);
        }
}

/* Without pivoting these would stop at the first row. */
TEST(dense_chooses_its_pivots)
{
    for (int n = 2; n <= 30; n++) {
        matrix m = random_matrix(n, 2.0, 0);
        for (int c = 0; c < n; c++) m.A.x[m.A.p[c]] = 0.0;
        check_solves("dense", &m, 1e-13);
        matrix_clear(&m);
    }
}

/* Elimination without pivoting loses six digits of this one; refinement finds them again. */
TEST(sparse_refines_what_small_pivots_lose)
{
    for (int n = 2; n <= 20; n++) {
        matrix m = random_matrix(n, 2.0, 1);
        for (int c = 0; c < n; c += 2) m.A.x[m.A.p[c]] = 1e-6;
        check_solves("sparse", &m, 1e-14);
        matrix_clear(&m);
    }
}

/* ---- singular ------------------------------------------------------------------------------- */

TEST(tells_singular_matrices)
{
    for (int k = 0; k < 2; k++)
        for (int n = 2; n <= 15; n++) {
            matrix m = random_pattern(n, 2.0);
            double u[15], w[15], x[15];
            for (int i = 0; i < n; i++) u[i] = uniform(), w[i] = uniform(), x[i] = uniform();
            for (int c = 0; c < n; c++)
                for (int e = m.A.p[c]; e < m.A.p[c + 1]; e++)
                    m.A.x[e] = u[m.A.i[e]] * w[c], m.upper[e] = u[c] * w[m.A.i[e]];
            sari_lu lu;
            CHECK_STATUS(sari_lu_create(NAMES[k], &m.A, &lu), SAR_OK);
            CHECK_STATUS(lu.ops->factor(lu.self, m.A.x, m.upper), SAR_R_SINGULAR);
            lu.ops->solve(lu.self, x);
            for (int i = 0; i < n; i++) CHECK(isfinite(x[i]));
            m.A.x[0] = NAN;
            CHECK_STATUS(lu.ops->factor(lu.self, m.A.x, m.upper), SAR_R_SINGULAR);
            // and forgets it
            for (int c = 0; c < n; c++)
                for (int e = m.A.p[c]; e < m.A.p[c + 1]; e++)
                    m.A.x[e] = m.A.i[e] == c ? 2.0 : 0.0, m.upper[e] = 0.0;
            CHECK_STATUS(lu.ops->factor(lu.self, m.A.x, m.upper), SAR_OK);
            for (int i = 0; i < n; i++) x[i] = i + 1.0;
            lu.ops->solve(lu.self, x);
            for (int i = 0; i < n; i++) CHECK_NEAR(x[i], 0.5 * (i + 1.0), 1e-15 * n);
            sari_lu_clear(&lu);
            matrix_clear(&m);
        }
}

/* ---- choice --------------------------------------------------------------------------------- */

TEST(goes_by_the_names_of_the_symmetric_ones)
{
    matrix small = random_pattern(5, 2.0), large = random_pattern(200, 0.0);
    sari_lu lu;
    for (int k = 0; k < 2; k++) {
        CHECK_STATUS(sari_lu_create(NAMES[k], &small.A, &lu), SAR_OK);
        CHECK_TEXT(lu.ops->name, NAMES[k]);
        sari_lu_clear(&lu);
    }
    CHECK_STATUS(sari_lu_create("auto", &small.A, &lu), SAR_OK);
    CHECK(lu.ops == &sari_lu_dense);
    sari_lu_clear(&lu);
    CHECK_STATUS(sari_lu_create("auto", &large.A, &lu), SAR_OK);
    CHECK(lu.ops == &sari_lu_sparse);
    sari_lu_clear(&lu);
    CHECK_STATUS(sari_lu_create("magic", &small.A, &lu), SAR_E_ARG);
    sari_lu_clear(&lu); // harmless
    matrix_clear(&small), matrix_clear(&large);
}
