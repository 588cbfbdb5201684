#include "formulations/constrained.h"

#include "base/memory.h"
#include "base/status.h"
#include "solvers/sym_tools.h"

#include <string.h>

enum { REFINEMENTS = 2 };

static sar_status copy_pattern(const sari_sym* from, sari_sym* to)
{
    int entries = from->p[from->n];
    to->n = from->n;
    to->p = sari_copy(from->p, (size_t)from->n + 1, sizeof(int));
    to->i = entries ? sari_copy(from->i, (size_t)entries, sizeof(int)) : NULL;
    to->x = SARI_NEW_ARRAY(double, entries);
    return to->p && (to->i || !entries) && to->x ? SAR_OK : SAR_E_NOMEM;
}

static sar_status make_pattern(sari_constrained* s)
{
    const sari_csr* J = s->J;
    sari_pattern pattern;
    int size = s->n + (s->kkt ? s->m : 0);
    sari_pattern_init(&pattern, size, size);
    for (int c = 0; c < s->n; c++)
        for (int k = s->P.p[c]; k < s->P.p[c + 1]; k++) sari_pattern_add(&pattern, s->P.i[k], c);
    for (int r = 0; r < s->m; r++) {
        sari_pattern_add_clique(&pattern, J->i + J->p[r], J->p[r + 1] - J->p[r]);
        for (int k = J->p[r]; s->kkt && k < J->p[r + 1]; k++)
            sari_pattern_add(&pattern, s->n + r, J->i[k]);
    }
    sar_status st = sari_pattern_make_sym(&pattern, &s->S);
    sari_pattern_clear(&pattern);
    return st;
}

static sar_status locate(sari_constrained* s)
{
    const sari_csr* J = s->J;
    int products = 0;
    for (int r = 0; r < s->m; r++) {
        int n = J->p[r + 1] - J->p[r];
        products += n * (n + 1) / 2;
    }
    s->P_at = SARI_NEW_ARRAY(int, s->P.p[s->n]);
    s->product_at = SARI_NEW_ARRAY(int, products);
    s->J_at = SARI_NEW_ARRAY(int, J->p[s->m]);
    s->delta_at = SARI_NEW_ARRAY(int, s->m);
    if (!s->P_at || !s->product_at || !s->J_at || !s->delta_at) return SAR_E_NOMEM;
    for (int c = 0; c < s->n; c++)
        for (int k = s->P.p[c]; k < s->P.p[c + 1]; k++)
            s->P_at[k] = sari_sym_find(&s->S, s->P.i[k], c);
    int* at = s->product_at;
    for (int r = 0; r < s->m; r++) {
        for (int a = J->p[r]; a < J->p[r + 1]; a++)
            for (int b = J->p[r]; b <= a; b++) *at++ = sari_sym_find(&s->S, J->i[a], J->i[b]);
        for (int a = J->p[r]; s->kkt && a < J->p[r + 1]; a++)
            s->J_at[a] = sari_sym_find(&s->S, s->n + r, J->i[a]);
        if (s->kkt) s->delta_at[r] = sari_sym_find(&s->S, s->n + r, s->n + r);
    }
    return SAR_OK;
}

sar_status sari_constrained_create(sari_constrained* s, const sari_sym* pattern, const sari_csr* J,
                                   int kkt, const char* solver)
{
    memset(s, 0, sizeof *s);
    s->n = pattern->n;
    s->m = J->rows;
    s->kkt = kkt;
    s->J = J;
    s->rhs = SARI_NEW_ARRAY(double, 3 * (s->n + s->m));
    s->residual = SARI_NEW_ARRAY(double, s->m);
    if (!s->rhs || !s->residual) return SAR_E_NOMEM;
    s->used = (sari_csr){J->rows, J->cols, J->p, J->i, SARI_NEW_ARRAY(double, J->p[J->rows])};
    if (!s->used.x) return SAR_E_NOMEM;
    SARI_TRY(copy_pattern(pattern, &s->P));
    SARI_TRY(make_pattern(s));
    SARI_TRY(locate(s));
    const sari_solver_ops* ops = sari_solver_find(solver, &s->S);
    if (!ops) return SAR_E_ARG;
    return sari_solver_create(ops, &s->S, &s->solver);
}

void sari_constrained_clear(sari_constrained* s)
{
    sari_solver_clear(&s->solver);
    sari_sym_clear(&s->P);
    sari_sym_clear(&s->S);
    sari_release(s->used.x);
    sari_release(s->P_at);
    sari_release(s->product_at);
    sari_release(s->J_at);
    sari_release(s->delta_at);
    sari_release(s->rhs);
    sari_release(s->residual);
    memset(s, 0, sizeof *s);
}

sar_status sari_constrained_factor(sari_constrained* s)
{
    const sari_csr* J = s->J;
    double* S = s->S.x;
    memset(S, 0, (size_t)s->S.p[s->S.n] * sizeof *S);
    for (int k = 0; k < s->P.p[s->n]; k++) S[s->P_at[k]] = s->P.x[k];
    const int* at = s->product_at;
    double* kept = s->used.x;
    for (int r = 0; r < s->m; r++)
        for (int a = J->p[r]; a < J->p[r + 1]; a++) {
            double x = kept[a] = J->x[a], cx = s->c * x;
            for (int b = J->p[r]; b <= a; b++) S[*at++] += cx * kept[b];
        }
    if (s->kkt) {
        for (int k = 0; k < J->p[s->m]; k++) S[s->J_at[k]] = kept[k];
        for (int r = 0; r < s->m; r++) S[s->delta_at[r]] = -s->delta;
    }
    return s->solver.ops->factor(s->solver.self, S);
}

static void solve_penalty(sari_constrained* s, const double* f, const double* g, double* x,
                          double* mu)
{
    for (int i = 0; i < s->n; i++) x[i] = f[i];
    if (g || mu) {
        for (int r = 0; r < s->m; r++)
            s->residual[r] = (g ? s->c * g[r] : 0.0) - (mu ? mu[r] : 0.0);
        sari_csr_multiply_add_transposed(&s->used, 1.0, s->residual, x);
    }
    s->solver.ops->solve(s->solver.self, x);
    if (!mu) return;
    sari_csr_multiply(&s->used, x, s->residual);
    for (int r = 0; r < s->m; r++) mu[r] += s->c * (s->residual[r] - (g ? g[r] : 0.0));
}

/* Solve S y = rhs in place. Without pivoting a tiny -delta may come first and grow rounding by
 * 1/delta: refinement with the matrix itself takes that out again. */
static void solve_refined(sari_constrained* s)
{
    int size = s->n + s->m;
    double *b = s->rhs, *y = s->rhs + size, *rest = s->rhs + 2 * size;
    for (int i = 0; i < size; i++) y[i] = b[i];
    s->solver.ops->solve(s->solver.self, y);
    for (int step = 0; step < REFINEMENTS; step++) {
        sari_sym_multiply(&s->S, s->S.x, y, rest);
        for (int i = 0; i < size; i++) rest[i] = b[i] - rest[i];
        s->solver.ops->solve(s->solver.self, rest);
        for (int i = 0; i < size; i++) y[i] += rest[i];
    }
    for (int i = 0; i < size; i++) b[i] = y[i];
}

/* [P + c J'J  J'; J  -delta] (x, mu_new) = (f + c J' g, g - delta mu_old) */
static void solve_kkt(sari_constrained* s, const double* f, const double* g, double* x, double* mu)
{
    for (int i = 0; i < s->n; i++) s->rhs[i] = f[i];
    if (g) sari_csr_multiply_add_transposed(&s->used, s->c, g, s->rhs);
    for (int r = 0; r < s->m; r++)
        s->rhs[s->n + r] = (g ? g[r] : 0.0) - (mu ? s->delta * mu[r] : 0.0);
    solve_refined(s);
    for (int i = 0; i < s->n; i++) x[i] = s->rhs[i];
    for (int r = 0; mu && r < s->m; r++) mu[r] = s->rhs[s->n + r];
}

void sari_constrained_solve(sari_constrained* s, const double* f, const double* g, int passes,
                            double* x, double* mu)
{
    for (int pass = 0; pass < passes; pass++) {
        if (s->kkt)
            solve_kkt(s, f, g, x, mu);
        else
            solve_penalty(s, f, g, x, mu);
    }
}

/* (P + c J'J) dx = (f - P x - J' mu) + c J' (g - J x),   mu += c (J (x + dx) - g) */
void sari_constrained_improve(sari_constrained* s, const double* f, const double* g, double* x,
                              double* mu)
{
    double *dx = s->rhs, *rest = s->rhs + s->n;
    sari_sym_multiply(&s->P, s->P.x, x, dx);
    sari_csr_multiply(&s->used, x, rest);
    for (int i = 0; i < s->n; i++) dx[i] = f[i] - dx[i];
    for (int r = 0; r < s->m; r++) {
        rest[r] = g[r] - rest[r];
        s->residual[r] = s->c * rest[r] - mu[r];
    }
    sari_csr_multiply_add_transposed(&s->used, 1.0, s->residual, dx);
    s->solver.ops->solve(s->solver.self, dx);
    sari_csr_multiply(&s->used, dx, s->residual);
    for (int i = 0; i < s->n; i++) x[i] += dx[i];
    for (int r = 0; r < s->m; r++) mu[r] += s->c * (s->residual[r] - rest[r]);
}

double sari_constrained_unit(const sari_constrained* s)
{
    const sari_csr* J = s->J;
    double largest = 0.0, sum = 0.0;
    for (int c = 0; c < s->n; c++)
        if (s->P.x[s->P.p[c]] > largest) largest = s->P.x[s->P.p[c]];
    for (int r = 0; r < s->m; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++) {
            double d = s->P.x[s->P.p[J->i[k]]]; // massless coordinates would make it infinite
            if (d > 1e-6 * largest) sum += J->x[k] * J->x[k] / d;
        }
    return s->m && sum > 0.0 ? sum / s->m : 1.0;
}
