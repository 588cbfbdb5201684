/* One contract, run over every solver of the registry. */
#include "sar_test.h"

#include "linalg/solver.h"
#include "linalg/sym_tools.h"

static double uniform(void) // in (-1, 1), the same everywhere
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (double)(int64_t)state / 9223372036854775808.0;
}

/* ---- matrices ------------------------------------------------------------------------------- */

// Only the pattern: the diagonal, and each other entry with the given probability.
static sari_sym random_pattern(int n, double density)
{
    sari_pattern p;
    sari_pattern_init(&p, n, n);
    for (int r = 0; r < n; r++)
        for (int c = 0; c < r; c++)
            if (fabs(uniform()) < density) sari_pattern_add(&p, r, c);
    sari_sym A;
    CHECK_STATUS(sari_pattern_make_sym(&p, &A), SAR_OK);
    sari_pattern_clear(&p);
    return A;
}

static double* entry(sari_sym* A, int r, int c)
{
    int at = sari_sym_find(A, r, c);
    CHECK(at >= 0);
    return &A->x[at];
}

// Random off-diagonals and a diagonal that outweighs its row: positive definite (Gershgorin).
static sari_sym random_positive(int n, double density)
{
    sari_sym A = random_pattern(n, density);
    for (int c = 0; c < n; c++) A.x[A.p[c]] = 0.1;
    for (int c = 0; c < n; c++)
        for (int e = A.p[c] + 1; e < A.p[c + 1]; e++) {
            A.x[e] = uniform();
            A.x[A.p[c]] += fabs(A.x[e]);
            A.x[A.p[A.i[e]]] += fabs(A.x[e]);
        }
    return A;
}

// -1, 2, -1: eigenvalues 2 - 2 cos(k pi / (n+1)), determinant n + 1.
static sari_sym second_difference(int n)
{
    sari_pattern p;
    sari_pattern_init(&p, n, n);
    for (int k = 0; k + 1 < n; k++) sari_pattern_add(&p, k, k + 1);
    sari_sym A;
    CHECK_STATUS(sari_pattern_make_sym(&p, &A), SAR_OK);
    sari_pattern_clear(&p);
    for (int c = 0; c < n; c++)
        for (int e = A.p[c]; e < A.p[c + 1]; e++) A.x[e] = A.i[e] == c ? 2 : -1;
    return A;
}

// The whole triangle, all entries `value`, the diagonal `diagonal`.
static sari_sym constant(int n, double value, double diagonal)
{
    sari_sym A = random_pattern(n, 2.0);
    for (int c = 0; c < n; c++)
        for (int e = A.p[c]; e < A.p[c + 1]; e++) A.x[e] = A.i[e] == c ? diagonal : value;
    return A;
}

/* ---- the suite's tools ---------------------------------------------------------------------- */

static sari_solver solver_for(const sari_solver_ops* ops, const sari_sym* A)
{
    sari_solver s;
    CHECK_STATUS(sari_solver_create(ops, A, NULL, &s), SAR_OK);
    return s;
}

// |A x - b| over |A| |x|, all as largest entries: the backward error.
static double backward_error(const sari_sym* A, const double* x, const double* b)
{
    double* y = calloc((size_t)A->n + 1, sizeof *y);
    double size_A = 0, size_x = 0, residual = 0;
    for (int c = 0; c < A->n; c++) // own product, not the library's
        for (int e = A->p[c]; e < A->p[c + 1]; e++) {
            y[A->i[e]] += A->x[e] * x[c];
            if (A->i[e] != c) y[c] += A->x[e] * x[A->i[e]];
            size_A = fmax(size_A, fabs(A->x[e]));
        }
    for (int k = 0; k < A->n; k++) {
        size_x = fmax(size_x, fabs(x[k]));
        residual = fmax(residual, fabs(y[k] - b[k]));
    }
    free(y);
    return residual / (size_A * size_x);
}

static double solve_error(sari_solver* s, const sari_sym* A)
{
    double* b = calloc((size_t)A->n + 1, sizeof *b);
    double* x = calloc((size_t)A->n + 1, sizeof *x);
    for (int k = 0; k < A->n; k++) b[k] = x[k] = uniform();
    s->ops->solve(s->self, x);
    double error = backward_error(A, x, b);
    free(b);
    free(x);
    return error;
}

static sari_pivots pivots_of(const sari_solver* s)
{
    sari_pivots p;
    s->ops->pivots(s->self, &p);
    return p;
}

#define FOR_EACH_SOLVER(ops)                                                                       \
    for (const sari_solver_ops *const *each_ = sari_solvers, *ops = *each_; ops; ops = *++each_)   \
        if (!ops->generated) // for matrices with a tree: test_tree_solver.c

/* ---- solving -------------------------------------------------------------------------------- */

TEST(solves_positive_definite_systems_of_every_size)
{
    static const double densities[] = {0.0, 0.1, 0.4, 1.0};
    FOR_EACH_SOLVER(ops)
    {
        for (int n = 1; n <= 60; n++)
            for (int d = 0; d < 4; d++) {
                sari_sym A = random_positive(n, densities[d]);
                sari_solver s = solver_for(ops, &A);
                CHECK_STATUS(ops->factor(s.self, A.x), SAR_OK);
                CHECK_AT_MOST(solve_error(&s, &A), 1e-14);
                sari_pivots p = pivots_of(&s);
                CHECK(p.positive == n && p.negative == 0 && p.zero == 0);
                sari_solver_clear(&s);
                sari_sym_clear(&A);
            }
    }
}

/* Several right-hand sides next to each other, fewer, as many and more than are taken at a time. */
TEST(solves_several_at_once_as_one_by_one)
{
    static const int counts[] = {1, 2, 7, 8, 9, 20};
    enum { N = 40, MOST = 20 };
    sari_sym A = random_positive(N, 0.1);
    FOR_EACH_SOLVER(ops)
    {
        if (!ops->solve_many) continue;
        sari_solver s = solver_for(ops, &A);
        CHECK_STATUS(ops->factor(s.self, A.x), SAR_OK);
        for (int k = 0; k < 6; k++) {
            double B[N * MOST], column[N], given[N * MOST];
            const int count = counts[k];
            for (int i = 0; i < N * count; i++) B[i] = given[i] = uniform();
            ops->solve_many(s.self, count, B);
            for (int j = 0; j < count; j++) {
                for (int i = 0; i < N; i++) column[i] = given[i * count + j];
                ops->solve(s.self, column);
                for (int i = 0; i < N; i++) CHECK_NEAR(B[i * count + j], column[i], 1e-13);
            }
        }
        sari_solver_clear(&s);
    }
    sari_sym_clear(&A);
}

/* A matrix written into the storage gives the bits of one handed over. */
TEST(factors_what_is_in_its_storage)
{
    FOR_EACH_SOLVER(ops)
    {
        for (int n = 1; n <= 30; n++) {
            sari_sym A = random_positive(n, 0.3);
            sari_solver handed = solver_for(ops, &A), stored = solver_for(ops, &A);
            sari_solver_storage storage;
            double x[30], y[30];
            for (int i = 0; i < n; i++) x[i] = y[i] = i + 1;
            CHECK_STATUS(ops->factor(handed.self, A.x), SAR_OK);
            ops->storage(stored.self, &storage);
            for (int time = 0; time < 2; time++) { // the first leaves its factor behind
                memset(storage.value, 0, storage.count * sizeof(double));
                for (int e = 0; e < A.p[n]; e++) storage.value[storage.place[e]] = A.x[e];
                CHECK_STATUS(ops->factor_stored(stored.self), SAR_OK);
            }
            ops->solve(handed.self, x);
            ops->solve(stored.self, y);
            CHECK(memcmp(x, y, (size_t)n * sizeof(double)) == 0);
            sari_solver_clear(&handed);
            sari_solver_clear(&stored);
            sari_sym_clear(&A);
        }
    }
}

/* The kernels for B + c J'J against the same matrix factored entry by entry. */
TEST(kernels_of_small_sizes_agree_with_the_solver)
{
    enum { M = 4 };
    const double c = 1e3;
    for (int n = 1; n <= 9; n++) {
        sari_sym A = random_positive(n, 1.0);
        sari_solver s = solver_for(&sari_solver_dense, &A);
        const sari_normal_kernels* k = s.ops->normal(s.self);
        double B[9 * 9 + 4] = {0}, J[M * 12] = {0}, d[M], f[9], g[M], x[9], mu[M] = {0}, y[9],
                         Bx[9];
        for (int col = 0; col < n; col++)
            for (int e = A.p[col]; e < A.p[col + 1]; e++) B[col * n + A.i[e]] = A.x[e];
        for (int r = 0; r < M; r++) {
            for (int i = 0; i < n; i++) J[r * k->stride + i] = sin(1 + 3 * r + i * i);
            d[r] = r - 1.5, g[r] = 0.5 * r;
        }
        for (int i = 0; i < n; i++) f[i] = cos(i), y[i] = 0;
        CHECK_STATUS(k->factor(s.self, B, J, M, c), SAR_OK);
        k->solve(s.self, J, M, c, f, g, x, mu); // B x + J' mu = f, mu = c (J x - g)
        k->multiply(B, x, Bx);
        for (int i = 0; i < n; i++)
            for (int r = 0; r < M; r++) Bx[i] += J[r * k->stride + i] * mu[r];
        for (int i = 0; i < n; i++) CHECK_NEAR(Bx[i], f[i], 1e-9);
        for (int r = 0; r < M; r++) {
            double Jx = 0;
            for (int i = 0; i < n; i++) Jx += J[r * k->stride + i] * x[i];
            CHECK_NEAR(mu[r], c * (Jx - g[r]), 1e-9);
        }
        k->add_normal(s.self, J, M, c, d, y); // (B + c J'J) y = c J' d
        for (int i = 0; i < n; i++) f[i] = 0;
        k->solve(s.self, J, M, c, f, d, x, NULL);
        for (int i = 0; i < n; i++) CHECK_NEAR(y[i], x[i], 1e-12);
        sari_solver_clear(&s);
        sari_sym_clear(&A);
    }
}

TEST(one_equation)
{
    FOR_EACH_SOLVER(ops)
    {
        sari_sym A = constant(1, 0, -4);
        sari_solver s = solver_for(ops, &A);
        double b = 2;
        CHECK_STATUS(ops->factor(s.self, A.x), SAR_OK);
        ops->solve(s.self, &b);
        CHECK_NEAR(b, -0.5, 0);
        CHECK(pivots_of(&s).negative == 1);
        CHECK_NEAR(pivots_of(&s).log_abs_det, log(4), 1e-15);
        CHECK(ops->fill(s.self) == 1);
        sari_solver_clear(&s);
        sari_sym_clear(&A);
    }
}

TEST(no_equation)
{
    FOR_EACH_SOLVER(ops)
    {
        sari_sym A = constant(0, 0, 0);
        sari_solver s = solver_for(ops, &A);
        CHECK_STATUS(ops->factor(s.self, A.x), SAR_OK);
        double none = 7;
        ops->solve(s.self, &none);
        CHECK_NEAR(none, 7, 0);
        CHECK_NEAR(pivots_of(&s).log_abs_det, 0, 0);
        sari_solver_clear(&s);
        sari_sym_clear(&A);
    }
}

// -x'' = 1 with x = 0 at both ends, by differences: x_k = k (n+1-k) / 2 exactly.
TEST(long_chain_has_its_closed_form_and_little_fill)
{
    FOR_EACH_SOLVER(ops)
    {
        const int n = ops == &sari_solver_dense ? 200 : 3000;
        sari_sym A = second_difference(n);
        sari_solver s = solver_for(ops, &A);
        double* b = calloc((size_t)n, sizeof *b);
        for (int k = 0; k < n; k++) b[k] = 1;
        CHECK_STATUS(ops->factor(s.self, A.x), SAR_OK);
        ops->solve(s.self, b);
        for (int k = 1; k <= n; k++) CHECK_NEAR(b[k - 1] / (0.5 * k * (n + 1 - k)), 1, 1e-9);
        CHECK_NEAR(pivots_of(&s).log_abs_det, log(n + 1.0), 1e-9); // condition 4e6
        const long fill = ops->fill(s.self);
        if (ops == &sari_solver_dense) CHECK(fill == (long)n * (n + 1) / 2);
        if (ops == &sari_solver_sparse) CHECK(fill == 2L * n - 1);
        if (ops == &sari_solver_dca) CHECK_AT_MOST((double)fill / n, 4); // two handles each
        free(b);
        sari_solver_clear(&s);
        sari_sym_clear(&A);
    }
}

/* ---- the matrices of mechanics -------------------------------------------------------------- */

// I + alpha J'J with the same row g three times: x = b - 3 alpha (g.b) / (1 + 3 alpha g.g) g
// (Sherman, Morrison).
TEST(redundant_rows_in_a_penalty_matrix_are_not_singular)
{
    enum { N = 12 };
    FOR_EACH_SOLVER(ops)
    {
        for (double alpha = 1; alpha < 2e13; alpha *= 100) {
            double g[N], b[N], x[N], gg = 0, gb = 0;
            for (int k = 0; k < N; k++) g[k] = uniform(), b[k] = x[k] = uniform();
            for (int k = 0; k < N; k++) gg += g[k] * g[k], gb += g[k] * b[k];
            sari_sym A = constant(N, 0, 1);
            for (int r = 0; r < N; r++)
                for (int c = 0; c <= r; c++) *entry(&A, r, c) += 3 * alpha * g[r] * g[c];
            sari_solver s = solver_for(ops, &A);
            CHECK_STATUS(ops->factor(s.self, A.x), SAR_OK);
            ops->solve(s.self, x);
            for (int k = 0; k < N; k++) {
                double exact = b[k] - 3 * alpha * gb / (1 + 3 * alpha * gg) * g[k];
                CHECK_NEAR(x[k], exact, 1e-14 + 1e-14 * alpha); // condition about 4 N alpha
            }
            CHECK(pivots_of(&s).positive == N);
            sari_solver_clear(&s);
            sari_sym_clear(&A);
        }
    }
}

// [M J'; J -eps I]: n positive and m negative pivots, whatever the rank of J.
TEST(regularised_kkt_matrices_keep_their_inertia)
{
    FOR_EACH_SOLVER(ops)
    {
        for (int m = 1; m <= 14; m++) {
            const int n = 20;
            sari_pattern p;
            sari_pattern_init(&p, n + m, n + m);
            for (int r = 0; r < m; r++)
                for (int k = 0; k < 4; k++) sari_pattern_add(&p, n + r, (3 * (r / 2) + k) % n);
            sari_sym A;
            CHECK_STATUS(sari_pattern_make_sym(&p, &A), SAR_OK);
            sari_pattern_clear(&p);
            for (int k = 0; k < n; k++) *entry(&A, k, k) = 1 + fabs(uniform());
            for (int r = 0; r < m; r++) { // rows 2j and 2j+1 are the same: redundant
                *entry(&A, n + r, n + r) = -1e-3;
                for (int k = 0; k < 4; k++) *entry(&A, n + r, (3 * (r / 2) + k) % n) = 1 + 0.3 * k;
            }
            sari_solver s = solver_for(ops, &A);
            CHECK_STATUS(ops->factor(s.self, A.x), SAR_OK);
            sari_pivots v = pivots_of(&s);
            CHECK(v.positive == n && v.negative == m && v.zero == 0);
            CHECK_AT_MOST(solve_error(&s, &A), 1e-12);
            sari_solver_clear(&s);
            sari_sym_clear(&A);
        }
    }
}

// Sylvester: A - shift I has as many negative pivots as A has eigenvalues below the shift.
TEST(pivots_count_the_eigenvalues_below_a_shift)
{
    const double pi = 3.14159265358979323846;
    FOR_EACH_SOLVER(ops)
    {
        for (int n = 2; n <= 40; n++) {
            sari_sym A = second_difference(n);
            sari_solver s = solver_for(ops, &A);
            for (double shift = 0.0317; shift < 4; shift += 0.1731) {
                int below = 0;
                double log_det = 0;
                for (int k = 1; k <= n; k++) {
                    double eigenvalue = 2 - 2 * cos(k * pi / (n + 1)) - shift;
                    below += eigenvalue < 0;
                    log_det += log(fabs(eigenvalue));
                }
                for (int k = 0; k < n; k++) A.x[A.p[k]] = 2 - shift;
                CHECK_STATUS(ops->factor(s.self, A.x), SAR_OK);
                sari_pivots p = pivots_of(&s);
                CHECK(p.negative == below && p.positive == n - below);
                CHECK_NEAR(p.log_abs_det, log_det, 1e-9);
            }
            sari_solver_clear(&s);
            sari_sym_clear(&A);
        }
    }
}

TEST(determinants_beyond_the_range_of_double)
{
    FOR_EACH_SOLVER(ops)
    {
        const int n = 900;
        sari_sym A = random_pattern(n, 0.0);
        for (int k = 0; k < n; k++) A.x[k] = 3e-200;
        sari_solver s = solver_for(ops, &A);
        CHECK_STATUS(ops->factor(s.self, A.x), SAR_OK);
        CHECK_NEAR(pivots_of(&s).log_abs_det / (n * log(3e-200)), 1, 1e-14);
        sari_solver_clear(&s);
        sari_sym_clear(&A);
    }
}

/* ---- singular matrices ---------------------------------------------------------------------- */

// All ones: rank 1. A right-hand side in its range still gets a solution of moderate size.
TEST(zero_pivots_are_counted_and_the_factor_stays_usable)
{
    FOR_EACH_SOLVER(ops)
    {
        for (int n = 2; n <= 30; n++) {
            sari_sym A = constant(n, 1, 1);
            sari_solver s = solver_for(ops, &A);
            CHECK_STATUS(ops->factor(s.self, A.x), SAR_R_SINGULAR);
            sari_pivots p = pivots_of(&s);
            CHECK(p.zero == n - 1 && p.positive == 1 && p.negative == 0);
            CHECK_NEAR(p.log_abs_det, 0, 1e-12);
            double x[30], sum = 0;
            for (int k = 0; k < n; k++) x[k] = 5;
            ops->solve(s.self, x);
            for (int k = 0; k < n; k++) {
                sum += x[k];
                CHECK_AT_MOST(fabs(x[k]), 10);
            }
            CHECK_NEAR(sum, 5, 1e-6);
            sari_solver_clear(&s);
            sari_sym_clear(&A);
        }
    }
}

TEST(a_matrix_of_zeros)
{
    FOR_EACH_SOLVER(ops)
    {
        for (int n = 1; n <= 20; n++) {
            sari_sym A = constant(n, 0, 0);
            sari_solver s = solver_for(ops, &A);
            CHECK_STATUS(ops->factor(s.self, A.x), SAR_R_SINGULAR);
            CHECK(pivots_of(&s).zero == n);
            double x[20] = {0};
            x[0] = 1;
            ops->solve(s.self, x);
            for (int k = 0; k < n; k++) CHECK(isfinite(x[k]));
            sari_solver_clear(&s);
            sari_sym_clear(&A);
        }
    }
}

// Nearly parallel rows with a 1e-12 between them: ill-conditioned, yet not singular.
TEST(ill_conditioned_is_not_singular)
{
    FOR_EACH_SOLVER(ops)
    {
        sari_sym A = constant(2, 1, 1);
        *entry(&A, 1, 1) = 1 + 1e-12;
        sari_solver s = solver_for(ops, &A);
        CHECK_STATUS(ops->factor(s.self, A.x), SAR_OK);
        *entry(&A, 1, 1) = 1 + 2.3e-16; // one unit in the last place
        CHECK_STATUS(ops->factor(s.self, A.x), SAR_R_SINGULAR);
        for (int e = 0; e < 3; e++) A.x[e] = e == 1 ? 0 : 1e-250; // small alone is not singular
        CHECK_STATUS(ops->factor(s.self, A.x), SAR_OK);
        sari_solver_clear(&s);
        sari_sym_clear(&A);
    }
}

// NaN and infinity are reported, and the next good factor is that of a fresh solver, to the bit.
TEST(a_bad_factor_leaves_no_trace)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY, 1e308};
    FOR_EACH_SOLVER(ops)
    {
        for (int n = 1; n <= 23; n++)
            for (int k = 0; k < 4; k++) {
                sari_sym A = random_positive(n, 1.0);
                sari_solver fresh = solver_for(ops, &A), used = solver_for(ops, &A);
                const int where = (int)(fabs(uniform()) * A.p[n]);
                const double kept = A.x[where];
                double x[23], y[23];
                for (int i = 0; i < n; i++) x[i] = y[i] = uniform();

                A.x[where] = bad[k];
                sar_status status = ops->factor(used.self, A.x);
                if (k < 3) CHECK_STATUS(status, SAR_R_SINGULAR);
                double z[23] = {1, NAN, INFINITY};
                ops->solve(used.self, z);
                A.x[where] = kept;

                CHECK_STATUS(ops->factor(used.self, A.x), SAR_OK);
                CHECK_STATUS(ops->factor(fresh.self, A.x), SAR_OK);
                CHECK(pivots_of(&used).zero == 0 && pivots_of(&used).positive == n);
                ops->solve(used.self, x);
                ops->solve(fresh.self, y);
                CHECK(memcmp(x, y, sizeof(double) * (size_t)n) == 0);
                sari_solver_clear(&fresh);
                sari_solver_clear(&used);
                sari_sym_clear(&A);
            }
    }
}

/* ---- memory --------------------------------------------------------------------------------- */

typedef struct counter {
    long live, calls;
    long fail_at; ///< this call gives nothing; -1: none
} counter;

static void* counted_allocate(void* context, size_t bytes)
{
    counter* c = context;
    if (c->calls++ == c->fail_at) return NULL;
    c->live++;
    return calloc(1, bytes);
}

static void counted_release(void* context, void* memory)
{
    if (memory) ((counter*)context)->live--;
    free(memory);
}

TEST(nothing_allocates_after_create)
{
    sari_sym A = random_positive(40, 0.2);
    counter c = {.fail_at = -1};
    sar_set_allocator(&(sar_allocator){counted_allocate, counted_release, &c});
    FOR_EACH_SOLVER(ops)
    {
        sari_solver s = solver_for(ops, &A);
        const long calls = c.calls;
        double b[40] = {1};
        for (int k = 0; k < 100; k++) {
            ops->factor(s.self, A.x);
            ops->solve(s.self, b);
            pivots_of(&s);
        }
        CHECK(c.calls == calls);
        sari_solver_clear(&s);
        CHECK(c.live == 0);
    }
    sar_set_allocator(NULL);
    sari_sym_clear(&A);
}

TEST(every_failed_allocation_is_reported_and_leaks_nothing)
{
    sari_sym A = random_positive(40, 0.2);
    FOR_EACH_SOLVER(ops)
    {
        int reached = 0;
        for (long k = 0; !reached; k++) {
            counter c = {.fail_at = k};
            sari_solver s;
            sar_set_allocator(&(sar_allocator){counted_allocate, counted_release, &c});
            sar_status status = sari_solver_create(ops, &A, NULL, &s);
            reached = c.calls <= k; // all were served
            if (!reached) CHECK_STATUS(status, SAR_E_NOMEM);
            sari_solver_clear(&s);
            sar_set_allocator(NULL);
            CHECK(c.live == 0);
            CHECK(k < 100);
        }
    }
    sari_sym_clear(&A);
}

/* ---- the registry --------------------------------------------------------------------------- */

TEST(solvers_are_found_by_name)
{
    sari_sym A = second_difference(4);
    FOR_EACH_SOLVER(ops)
    {
        CHECK(sari_solver_find(ops->name, &A) == ops);
        CHECK(ops->text[0] && ops->cite);
    }
    CHECK(sari_solver_find("desne", &A) == NULL);
    sari_sym_clear(&A);
}

TEST(auto_takes_dense_for_small_or_filled_and_sparse_for_long)
{
    static const struct {
        int n;
        double density;
        const char* wanted;
    } cases[] = {{1, 0.0, "dense"}, {6, 0.0, "dense"}, {40, 1.0, "dense"}, {40, 0.0, "sparse"}};
    for (int k = 0; k < 4; k++) {
        sari_sym A = random_pattern(cases[k].n, cases[k].density);
        CHECK_TEXT(sari_solver_find("auto", &A)->name, cases[k].wanted);
        sari_sym_clear(&A);
    }
    sari_sym chain = second_difference(3000);
    CHECK_TEXT(sari_solver_find("auto", &chain)->name, "sparse");
    sari_sym_clear(&chain);
}
