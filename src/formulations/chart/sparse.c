/* The linear problems of the sparse chart: (s1) to (s5) of chart/sparse.h. */
#include "formulations/chart/sparse.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/sym_tools.h"
#include "linalg/tall.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

static const double GROWN = 3.0;     ///< entries of T_S: other coordinates tell the motions better
static const double ROUNDED = 1e-16; ///< of a solution: errors that make no difference
static const double SHIFT = 1e-12;   ///< added to N in a singular configuration
static const int LEAST = 40;         ///< coordinates from which on the sparse algebra pays

/* ---- life ----------------------------------------------------------------------------------- */

/* LEAST: see the measurements in automatic.c. In relative coordinates J'J may be full, as that of a
 * ladder is: its factors then take what the dense algebra takes. */
int sari_chart_sparse_suits(const sari_chart* c, const char* solver)
{
    const int possible = c->turns == 0 && c->np == c->n && c->mv == 0 && c->nh > 0;
    if (!possible || strcmp(solver, "dense") == 0) return 0;
    return strcmp(solver, "sparse") == 0 || c->n >= LEAST;
}

static void take(sari_chart_sparse* s, sari_chart* c)
{
    sari_arena* m = &s->memory;
    const sari_csr* J = &c->sys->Phi_q;
    const sari_sym* M = &c->sys->M;
    s->J = (sari_csr){c->nh, c->n, J->p, J->i, SARI_TAKE(m, double, J->p[c->nh])};
    s->G = (sari_sym){c->n, M->p, M->i, SARI_TAKE(m, double, M->p[c->n])};
    s->selected = SARI_TAKE(m, int, c->n);
    c->singular.left = SARI_TAKE(m, double, c->nh);
    double** const vectors[] = {&c->singular.right, &s->Gx, &s->now, &s->then, &s->column, NULL};
    for (int k = 0; vectors[k]; k++) *vectors[k] = SARI_TAKE(m, double, c->n);
}

/// Coordinates up to which B is had as a dense matrix, for passages: beyond that its singular values
/// would cost more than the run.
enum { FRAMED = 24 };
static const double OTHERS = 1e-3; ///< of a warm vector: what all others begin with

sar_status sari_chart_sparse_create(sari_chart* c)
{
    sari_chart_sparse* s = c->sparse = SARI_NEW(sari_chart_sparse);
    if (!s) return SAR_E_NOMEM;
    s->most = -1;
    take(s, c);
    if (c->n <= FRAMED && c->nh <= 2 * FRAMED) {
        sari_least_squares_take(&c->f, &s->memory, c->nh, c->n, c->n);
        sari_chart_take_frame(c, &s->memory, c->n);
    }
    if (s->memory.failed) return SAR_E_NOMEM;
    const sari_solver_ops* ops = sari_solver_find("auto", &s->G);
    SARI_TRY(sari_solver_create(ops, &s->G, NULL, &s->metric));
    SARI_TRY(sari_constrained_create_diagonal(&s->N, &s->J, 0, "auto"));
    c->engine = &sari_chart_engine_sparse;
    return SAR_OK;
}

void sari_chart_sparse_destroy(sari_chart_sparse* s)
{
    if (!s) return;
    sari_constrained_clear(&s->N);
    sari_solver_clear(&s->metric);
    sari_arena_clear(&s->room);
    sari_arena_clear(&s->memory);
    sari_release(s);
}

/* ---- N -------------------------------------------------------------------------------------- */

/* J = row Phi_q unit */
static void load(sari_chart* c)
{
    const sari_csr* from = &c->sys->Phi_q;
    double* restrict x = c->sparse->J.x;
    for (int i = 0; i < c->nh; i++)
        for (int e = from->p[i]; e < from->p[i + 1]; e++)
            x[e] = c->row[i] * from->x[e] * c->unit[from->i[e]];
}

int sari_chart_sparse_factor(sari_chart* c, double diagonal, int all)
{
    sari_constrained* N = &c->sparse->N;
    sari_pivots pivots = {0};
    load(c);
    for (int i = 0; i < c->n; i++) N->P.x[N->P.p[i]] = all ? diagonal : 0.0;
    for (int j = 0; !all && j < c->d; j++) N->P.x[N->P.p[c->sparse->selected[j]]] = diagonal;
    N->c = 1.0;
    const sar_status st = sari_constrained_factor(N);
    if (!all &&
        st != SAR_OK) { // a multiple of the identity leaves the singular vectors as they are
        for (int i = 0; i < c->n; i++) N->P.x[N->P.p[i]] += SHIFT;
        (void)sari_constrained_factor(N);
    }
    if (!all) return 0;
    N->solver.ops->pivots(N->solver.self, &pivots);
    return c->n - pivots.positive;
}

/* X = N^-1 X, n x k */
static void normal_solve(const sari_chart* c, int k, double* X)
{
    const sari_solver* solver = &c->sparse->N.solver;
    double* column = c->sparse->column;
    if (k == 1) {
        solver->ops->solve(solver->self, X);
    } else if (solver->ops->solve_many) {
        solver->ops->solve_many(solver->self, k, X);
    } else {
        for (int j = 0; j < k; j++) {
            for (int i = 0; i < c->n; i++) column[i] = X[i * k + j];
            solver->ops->solve(solver->self, column);
            for (int i = 0; i < c->n; i++) X[i * k + j] = column[i];
        }
    }
}

void sari_chart_sparse_normal_solve(const sari_chart* c, int k, double* X)
{
    normal_solve(c, k, X);
}

/* J X = B (NULL: 0) in k columns, and S X = 0, or the identity: (s3) and (s4); X in units. Every
 * pass makes the error smaller by the same factor, which the first correction shows. */
static void solve_in_units(sari_chart* c, int k, const double* B, int identity, int passes,
                           double* X)
{
    sari_chart_sparse* s = c->sparse;
    const size_t size = (size_t)c->n * (size_t)k;
    sari_tall_residual(&s->J, k, B, NULL, s->residual, X);
    for (int j = 0; identity && j < c->d; j++)
        X[(size_t)s->selected[j] * (size_t)k + (size_t)j] += 1.0;
    normal_solve(c, k, X);
    double last = passes ? sari_vector_max(size, X) : 0.0;
    for (int pass = 0; pass < passes; pass++) {
        sari_tall_residual(&s->J, k, B, X, s->residual, s->step);
        for (int j = 0; j < c->d; j++) {
            const size_t at = (size_t)s->selected[j] * (size_t)k;
            for (int l = 0; l < k; l++) s->step[at + (size_t)l] -= X[at + (size_t)l];
            if (identity) s->step[at + (size_t)j] += 1.0;
        }
        normal_solve(c, k, s->step);
        const double change = sari_vector_max(size, s->step);
        if (!(change < 0.5 * last)) return;
        for (size_t i = 0; i < size; i++) X[i] += s->step[i];
        if (change * (change / last) <= ROUNDED * sari_vector_max(size, X)) return;
        last = change;
    }
}

void sari_chart_sparse_solve(sari_chart* c, int k, const double* B, int passes, double* X)
{
    solve_in_units(c, k, B, 0, passes, X);
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < k; j++) X[(size_t)i * (size_t)k + (size_t)j] *= c->unit[i];
}

/* ---- tangents ------------------------------------------------------------------------------- */

void sari_chart_sparse_select(sari_chart* c, const double* T)
{
    const int n = c->n, d = c->d;
    double* rows = c->sparse->MT;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < d; j++) rows[i * d + j] = T[i * d + j] / c->unit[i];
    for (int k = 0; k < d; k++) { // the longest row, and what is along it goes from all
        int best = 0;
        double most = -1.0;
        for (int i = 0; i < n; i++) {
            const double size = sari_vector_dot(d, rows + i * d, rows + i * d);
            if (size > most) most = size, best = i;
        }
        double* pivot = c->sparse->F;
        memcpy(pivot, rows + best * d, (size_t)d * sizeof *pivot);
        for (int i = 0; i < n && most > 0.0; i++) {
            const double along = sari_vector_dot(d, rows + i * d, pivot) / most;
            for (int j = 0; j < d; j++) rows[i * d + j] -= along * pivot[j];
        }
        memset(rows + best * d, 0, (size_t)d * sizeof *rows);
        c->sparse->selected[k] = best;
    }
    c->sparse->reselect = 0;
}

void sari_chart_sparse_motions(sari_chart* c, int passes)
{
    const int n = c->n, d = c->d;
    solve_in_units(c, d, NULL, 1, passes, c->at.T);
    c->sparse->reselect = !(sari_vector_max((size_t)n * (size_t)d, c->at.T) < GROWN);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < d; j++) c->at.T[i * d + j] *= c->unit[i];
}

int sari_chart_sparse_tangents(sari_chart* c, int passes)
{
    sari_chart_sparse_motions(c, passes);
    return sari_chart_normalise(c, c->at.T);
}

void sari_chart_sparse_complement(sari_chart* c, int k, const double* T, double* X)
{
    const int n = c->n, d = c->d;
    double* y = c->sparse->F; // d x k
    memset(y, 0, (size_t)d * (size_t)k * sizeof *y);
    if (k == d) {
        sari_tall_product(n, d, 0, c->base.GV, X, y);
    } else { // one column
        for (int i = 0; i < n; i++)
            for (int j = 0; j < d; j++) y[j] += c->base.GV[i * d + j] * X[i];
    }
    sari_tall_add_product(n, d, k, -1.0, T, y, k, X);
}

/* ---- singular values ------------------------------------------------------------------------ */

void sari_chart_sparse_smallest(sari_chart* c)
{
    enum { ITERATIONS = 2 };
    sari_chart_sparse* s = c->sparse;
    const int n = c->n;
    double* right = c->singular.right;
    // loops that have nothing to do with the one of the last vector must not be missed
    const double warm = sari_vector_dot(n, right, right), others = warm > 0.0 ? OTHERS : 1.0;
    for (int i = 0; i < n; i++) right[i] += others * (1.0 + 0.1 * (i % 7)) / sqrt(n);
    for (int k = 0; k < ITERATIONS; k++) {
        normal_solve(c, 1, right);
        const double size = sqrt(sari_vector_dot(n, right, right));
        for (int i = 0; i < n; i++) right[i] /= size;
    }
    sari_csr_multiply(&s->J, right, c->singular.left);
    double square = sari_vector_dot(c->nh, c->singular.left, c->singular.left);
    for (int j = 0; j < c->d; j++) square += right[s->selected[j]] * right[s->selected[j]];
    c->singular.sigma = sqrt(square);
    for (int i = 0; i < c->nh && square > 0.0; i++) c->singular.left[i] /= c->singular.sigma;
    if (!isfinite(c->singular.sigma))
        c->singular.sigma = 0.0, memset(right, 0, (size_t)n * sizeof *right);
}

int sari_chart_sparse_count_below(sari_chart* c, double limit)
{
    sari_constrained* N = &c->sparse->N;
    sari_pivots pivots = {0};
    for (int i = 0; i < c->n; i++) N->P.x[N->P.p[i]] = -limit * limit;
    for (int j = 0; j < c->d; j++) N->P.x[N->P.p[c->sparse->selected[j]]] += 1.0;
    (void)sari_constrained_factor(N);
    N->solver.ops->pivots(N->solver.self, &pivots);
    return c->n - pivots.positive;
}

/* ---- metric --------------------------------------------------------------------------------- */

void sari_chart_sparse_metric_times(const sari_chart* c, const double* x, double* y)
{
    sari_sym_multiply(&c->sparse->G, c->sparse->G.x, x, y);
}

double sari_chart_sparse_length(sari_chart* c, const double* x)
{
    sari_chart_sparse_metric_times(c, x, c->sparse->Gx);
    return sqrt(fmax(0.0, sari_vector_dot(c->n, x, c->sparse->Gx)));
}
