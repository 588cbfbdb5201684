/* P x + J' mu = f, J x = g by the penalty and by the KKT form, against a dense reference that
 * eliminates with pivoting on an independent set of rows of J. */
#include "formulations/constrained.h"
#include "neck_fixture.h"

enum { N = 7, M = 4 };

typedef struct problem {
    double P[N * N], J[M * N], f[N], g[M];
    double x[N];    ///< reference
    double JTmu[N]; ///< reference: f - P x, unique where mu is not
} problem;

/* Gauss with full row pivoting on the augmented n x (n + 1) system. */
static void eliminate(double* A, int n, double* x)
{
    int w = n + 1;
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int r = c + 1; r < n; r++)
            if (fabs(A[w * r + c]) > fabs(A[w * best + c])) best = r;
        CHECK(fabs(A[w * best + c]) > 1e-9);
        for (int k = 0; k < w; k++) {
            double keep = A[w * c + k];
            A[w * c + k] = A[w * best + k], A[w * best + k] = keep;
        }
        for (int r = 0; r < n; r++) {
            if (r == c) continue;
            double factor = A[w * r + c] / A[w * c + c];
            for (int k = c; k < w; k++) A[w * r + k] -= factor * A[w * c + k];
        }
    }
    for (int r = 0; r < n; r++) x[r] = A[w * r + n] / A[w * r + r];
}

/* The KKT system with the first `rank` rows of J, which are independent. */
static void solve_reference(problem* p, int rank)
{
    double A[(N + M) * (N + M + 1)] = {0}, y[N + M];
    int n = N + rank, w = n + 1;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) A[w * i + j] = p->P[N * i + j];
        for (int r = 0; r < rank; r++) A[w * i + N + r] = A[w * (N + r) + i] = p->J[N * r + i];
        A[w * i + n] = p->f[i];
    }
    for (int r = 0; r < rank; r++) A[w * (N + r) + n] = p->g[r];
    eliminate(A, n, y);
    memcpy(p->x, y, sizeof p->x);
    for (int i = 0; i < N; i++) p->JTmu[i] = p->f[i] - dot(p->P + N * i, p->x, N);
}

/* P = B B' with B random, J with `rank` independent rows, the others combinations of them (and g
 * likewise). */
static problem make_problem(int rank)
{
    problem p = {0};
    double B[N * N];
    for (int i = 0; i < N * N; i++) B[i] = any();
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            p.P[N * i + j] = dot(B + N * i, B + N * j, N) + (i == j ? 0.5 : 0.0);
    for (int i = 0; i < N; i++) p.f[i] = any();
    for (int r = 0; r < M; r++) {
        double c[M];
        for (int s = 0; s < rank; s++) c[s] = any();
        p.g[r] = r < rank ? any() : dot(c, p.g, rank);
        for (int i = 0; i < N; i++) {
            p.J[N * r + i] = any();
            if (r < rank) continue;
            p.J[N * r + i] = 0.0;
            for (int s = 0; s < rank; s++) p.J[N * r + i] += c[s] * p.J[N * s + i];
        }
    }
    return p;
}

static void full_patterns(sari_sym* P, sari_csr* J)
{
    sari_pattern a, b;
    sari_pattern_init(&a, N, N);
    sari_pattern_init(&b, M, N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) sari_pattern_add(&a, i, j);
    for (int r = 0; r < M; r++)
        for (int i = 0; i < N; i++) sari_pattern_add(&b, r, i);
    CHECK_STATUS(sari_pattern_make_sym(&a, P), SAR_OK);
    CHECK_STATUS(sari_pattern_make_csr(&b, J), SAR_OK);
    sari_pattern_clear(&a);
    sari_pattern_clear(&b);
}

static void check_solution(const char* what, const problem* p, const double* x, const double* mu,
                           double tolerance)
{
    for (int i = 0; i < N; i++) {
        if (!(fabs(x[i] - p->x[i]) < tolerance))
            fail_msg("%s: x[%d] = %.12g, wanted %.12g", what, i, x[i], p->x[i]);
        double force = 0.0;
        for (int r = 0; r < M; r++) force += p->J[N * r + i] * mu[r];
        if (!(fabs(force - p->JTmu[i]) < 100 * tolerance))
            fail_msg("%s: (J' mu)[%d] = %.12g, wanted %.12g", what, i, force, p->JTmu[i]);
    }
}

static void solve_and_check(int rank, int kkt, const char* solver, const sari_structure* structure)
{
    sari_sym P;
    sari_csr J;
    sari_constrained s;
    char what[80];
    snprintf(what, sizeof what, "rank %d, %s%s, %s", rank, kkt ? "kkt" : "penalty",
             structure ? " by structure" : "", solver);
    full_patterns(&P, &J);
    CHECK_STATUS(sari_constrained_create(&s, &P, &J, kkt, solver, structure), SAR_OK);
    const double tolerance = 1e-8; // also when the ordering puts rows of J, with -delta, first
    for (int trial = 0; trial < 5; trial++) {
        problem p = make_problem(rank);
        double x[N], mu[M] = {0}, f[N];
        solve_reference(&p, rank);
        for (int c = 0; c < N; c++)
            for (int k = s.P.p[c]; k < s.P.p[c + 1]; k++) s.P.x[k] = p.P[N * s.P.i[k] + c];
        memcpy(J.x, p.J, sizeof p.J);
        double unit = sari_constrained_unit(&s);
        CHECK(unit > 0.0);
        s.c = (kkt ? 1.0 : 1e5) / unit;
        s.delta = (trial % 2 ? 1e-9 : 1e-4) * unit; // large: many passes are needed
        CHECK_STATUS(sari_constrained_factor(&s), SAR_OK);
        memcpy(f, p.f, sizeof f);
        sari_constrained_solve(&s, f, p.g, 12, x, mu);
        check_solution(what, &p, x, mu, tolerance);
        CHECK(memcmp(f, p.f, sizeof f) == 0);         // f is kept
        sari_constrained_solve(&s, f, p.g, 1, x, mu); // mu is where it should be: nothing changes
        check_solution(what, &p, x, mu, tolerance);
        memset(p.g, 0, sizeof p.g);
        solve_reference(&p, rank);
        memset(mu, 0, sizeof mu);
        sari_constrained_solve(&s, f, NULL, 12, x, mu); // g = 0
        check_solution(what, &p, x, mu, tolerance);
    }
    sari_constrained_clear(&s);
    sari_sym_clear(&P);
    sari_csr_clear(&J);
}

static void solve_with_rank(int rank)
{
    static const int block[N] = {0};
    const sari_structure one_body = {N, block, 1};
    for (int kkt = 0; kkt < 2; kkt++) {
        for (int k = 0; sari_solvers[k]; k++) {
            if (sari_solvers[k]->generated) continue; // for matrices with a tree
            solve_and_check(rank, kkt, sari_solvers[k]->name, NULL);
            solve_and_check(rank, kkt, sari_solvers[k]->name, &one_body);
        }
        solve_and_check(rank, kkt, "auto", NULL);
    }
}

TEST(full_rank)
{
    solve_with_rank(M);
}

TEST(one_redundant_row)
{
    solve_with_rank(M - 1);
}

TEST(rank_one_and_rank_zero)
{
    solve_with_rank(1);
    solve_with_rank(0);
}

/* Contradictory rows: x1 = 0 and x1 = 1. The penalty form takes the middle, and stays there. */
TEST(contradictions_are_shared)
{
    sari_sym P;
    sari_csr J;
    sari_constrained s;
    full_patterns(&P, &J);
    CHECK_STATUS(sari_constrained_create(&s, &P, &J, 0, "dense", NULL), SAR_OK);
    for (int c = 0; c < N; c++) s.P.x[s.P.p[c]] = 1.0;
    J.x[0] = J.x[N] = 1.0;
    s.c = 1e6;
    double x[N], mu[M] = {0}, zero[N] = {0}, g[M] = {0, 1, 0, 0};
    CHECK_STATUS(sari_constrained_factor(&s), SAR_OK);
    sari_constrained_solve(&s, zero, g, 5, x, mu);
    CHECK_NEAR(x[0], 0.5, 1e-5);
    for (int i = 1; i < N; i++) CHECK_NEAR(x[i], 0.0, 1e-12);
    sari_constrained_clear(&s);
    sari_sym_clear(&P);
    sari_csr_clear(&J);
}

/* A sparse J: entries of J'J outside of P's pattern, and a coordinate no row mentions. */
TEST(sparse_rows_fill_in)
{
    for (int kkt = 0; kkt < 2; kkt++)
        for (int k = 0; sari_solvers[k]; k++) {
            sari_pattern a, b;
            sari_sym P;
            sari_csr J;
            sari_constrained s;
            sari_pattern_init(&a, 3, 3);
            sari_pattern_init(&b, 1, 3);
            sari_pattern_add(&b, 0, 0);
            sari_pattern_add(&b, 0, 2);
            CHECK_STATUS(sari_pattern_make_sym(&a, &P), SAR_OK);
            CHECK_STATUS(sari_pattern_make_csr(&b, &J), SAR_OK);
            CHECK_STATUS(sari_constrained_create(&s, &P, &J, kkt, sari_solvers[k]->name, NULL),
                         SAR_OK);
            for (int c = 0; c < 3; c++) s.P.x[s.P.p[c]] = c + 1.0;
            J.x[0] = 1.0, J.x[1] = 2.0;
            s.c = kkt ? 1.0 : 1e4, s.delta = 1e-10;
            CHECK_STATUS(sari_constrained_factor(&s), SAR_OK);
            // min x0^2/2 + x1^2 + 3/2 x2^2 - 6 x1 with x0 + 2 x2 = 7: mu = -3, x = (3, 3, 2)
            double x[3], mu[1] = {0}, f[3] = {0, 6, 0}, g[1] = {7};
            sari_constrained_solve(&s, f, g, 6, x, mu);
            CHECK_NEAR(x[0], 3.0, 1e-9);
            CHECK_NEAR(x[1], 3.0, 1e-9);
            CHECK_NEAR(x[2], 2.0, 1e-9);
            CHECK_NEAR(mu[0], -3.0, 1e-8);
            sari_pattern_clear(&a);
            sari_pattern_clear(&b);
            sari_constrained_clear(&s);
            sari_sym_clear(&P);
            sari_csr_clear(&J);
        }
}

/* Onto J x + e = 0 along P^-1 J': also when J has moved a little since it was factored. */
TEST(projects_onto_the_present_rows)
{
    for (int kkt = 0; kkt < 2; kkt++)
        for (int k = 0; sari_solvers[k]; k++) {
            sari_sym P;
            sari_csr J;
            sari_constrained s;
            full_patterns(&P, &J);
            CHECK_STATUS(sari_constrained_create(&s, &P, &J, kkt, sari_solvers[k]->name, NULL),
                         SAR_OK);
            problem p = make_problem(M - 1);
            for (int c = 0; c < N; c++)
                for (int e = s.P.p[c]; e < s.P.p[c + 1]; e++) s.P.x[e] = p.P[N * s.P.i[e] + c];
            memcpy(J.x, p.J, sizeof p.J);
            s.c = (kkt ? 1.0 : 1e5) / sari_constrained_unit(&s);
            s.delta = 1e-9 * sari_constrained_unit(&s);
            CHECK_STATUS(sari_constrained_factor(&s), SAR_OK);
            double x[N], e[M], Px[N], moved[M * N];
            for (int i = 0; i < N; i++) x[i] = 1.0 + i;
            for (int r = 0; r < M; r++) e[r] = -p.g[r];
            sari_constrained_multiply(&s, x, Px);
            memcpy(p.f, Px, sizeof p.f); // the projection is the solution with f = P x
            solve_reference(&p, M - 1);
            sari_constrained_project(&s, e, 6, x);
            for (int i = 0; i < N; i++) CHECK_NEAR(x[i], p.x[i], 1e-8);
            for (int i = 0; i < M * N; i++) moved[i] = J.x[i] *= 1.0 + 1e-6;
            sari_constrained_project(&s, e, 6, x);
            for (int r = 0; r < M; r++) CHECK_NEAR(dot(moved + N * r, x, N) + e[r], 0.0, 1e-12);
            sari_constrained_clear(&s);
            sari_sym_clear(&P);
            sari_csr_clear(&J);
        }
}

/* A penalty so large that a pass alone leaves only half of the digits. */
TEST(corrections_take_the_rounding_out)
{
    for (int k = 0; sari_solvers[k]; k++) {
        sari_sym P;
        sari_csr J;
        sari_constrained s;
        double plain = 0.0;
        full_patterns(&P, &J);
        CHECK_STATUS(sari_constrained_create(&s, &P, &J, 0, sari_solvers[k]->name, NULL), SAR_OK);
        for (int trial = 0; trial < 5; trial++) {
            problem p = make_problem(M - 1);
            double x[N], mu[M] = {0};
            solve_reference(&p, M - 1);
            for (int c = 0; c < N; c++)
                for (int e = s.P.p[c]; e < s.P.p[c + 1]; e++) s.P.x[e] = p.P[N * s.P.i[e] + c];
            memcpy(J.x, p.J, sizeof p.J);
            s.c = 1e9 / sari_constrained_unit(&s);
            CHECK_STATUS(sari_constrained_factor(&s), SAR_OK);
            sari_constrained_solve(&s, p.f, p.g, 1, x, mu);
            for (int i = 0; i < N; i++) plain = fmax(plain, fabs(x[i] - p.x[i]));
            for (int pass = 0; pass < 2; pass++) sari_constrained_improve(&s, p.f, p.g, x, mu);
            check_solution(sari_solvers[k]->name, &p, x, mu, 1e-12);
        }
        CHECK(plain > 1e-9); // there was something to take out
        sari_constrained_clear(&s);
        sari_sym_clear(&P);
        sari_csr_clear(&J);
    }
}

TEST(unknown_solvers_are_refused)
{
    sari_sym P;
    sari_csr J;
    sari_constrained s;
    full_patterns(&P, &J);
    CHECK_STATUS(sari_constrained_create(&s, &P, &J, 0, "magic", NULL), SAR_E_ARG);
    sari_constrained_clear(&s);
    sari_sym_clear(&P);
    sari_csr_clear(&J);
}

/* One row over all variables fills J'J; the augmented matrix stays sparse, and the numbers are the
 * same. */
TEST(a_long_row_makes_the_matrix_augmented)
{
    enum { MANY = 80 };
    int block[MANY];
    double x[2][MANY], mu[2][2];
    sari_pattern diagonal, rows;
    sari_sym P;
    sari_csr J;
    sari_pattern_init(&diagonal, MANY, MANY);
    sari_pattern_init(&rows, 2, MANY);
    for (int i = 0; i < MANY; i++) {
        block[i] = i;
        sari_pattern_add(&rows, 0, i);
    }
    sari_pattern_add(&rows, 1, 3);
    sari_pattern_add(&rows, 1, 4);
    CHECK_STATUS(sari_pattern_make_sym(&diagonal, &P), SAR_OK);
    CHECK_STATUS(sari_pattern_make_csr(&rows, &J), SAR_OK);
    const sari_structure structure = {MANY, block, 1};
    for (int k = 0; k < 2; k++) {
        sari_constrained s;
        double f[MANY], g[2] = {0.7, -0.2};
        CHECK_STATUS(
            sari_constrained_create(&s, &P, &J, 0, k ? "dense" : "sparse", k ? NULL : &structure),
            SAR_OK);
        CHECK(s.augmented == !k);
        for (int i = 0; i < MANY; i++) s.P.x[s.P.p[i]] = 1.0 + 0.1 * i, f[i] = sin(i);
        for (int e = 0; e < J.p[2]; e++) J.x[e] = cos(0.3 * e);
        s.c = 1e5;
        mu[k][0] = mu[k][1] = 0.0;
        CHECK_STATUS(sari_constrained_factor(&s), SAR_OK);
        sari_constrained_solve(&s, f, g, 3, x[k], mu[k]);
        sari_constrained_clear(&s);
    }
    for (int i = 0; i < MANY; i++) CHECK_NEAR(x[0][i], x[1][i], 1e-10);
    for (int r = 0; r < 2; r++) CHECK_NEAR(mu[0][r], mu[1][r], 1e-8);
    sari_pattern_clear(&diagonal);
    sari_pattern_clear(&rows);
    sari_sym_clear(&P);
    sari_csr_clear(&J);
}
