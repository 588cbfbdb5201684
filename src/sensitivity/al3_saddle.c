#include "sensitivity/al3_saddle.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/sym_tools.h"
#include "math/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PASSES = 60 };
static const double RATIO = 1e6;       ///< c in units of the inertia that rows see
static const double NO_INERTIA = 1e-6; ///< of the heaviest coordinate
static const double ENOUGH = 1e-10;    ///< corrections by x, after all passes
static const double SMALL =
    1e-9; ///< corrections by x: good enough where they do not shrink any more

sar_status sari_saddle_create(sari_saddle* s, const sari_slopes* slopes)
{
    const sari_csr* J = &slopes->J;
    const int n = slopes->S.n, both = 2 * slopes->entries;
    int products = 0;
    memset(s, 0, sizeof *s);
    s->slopes = slopes;
    for (int r = 0; r < J->rows; r++) products += (J->p[r + 1] - J->p[r]) * (J->p[r + 1] - J->p[r]);
    s->A = SARI_TAKE(&s->memory, double, both);
    s->S = SARI_TAKE(&s->memory, double, both);
    s->W = SARI_TAKE(&s->memory, double, J->p[J->rows]);
    s->product_at = SARI_TAKE(&s->memory, int, products);
    s->dx = SARI_TAKE(&s->memory, double, n);
    s->left = SARI_TAKE(&s->memory, double, n);
    s->apart = SARI_TAKE(&s->memory, double, J->rows);
    if (s->memory.failed) return SAR_E_NOMEM;
    int* at = s->product_at;
    for (int r = 0; r < J->rows; r++)
        for (int a = J->p[r]; a < J->p[r + 1]; a++)
            for (int b = J->p[r]; b < J->p[r + 1]; b++) {
                const int e = sari_sym_find(&slopes->S, J->i[a], J->i[b]);
                *at++ = J->i[b] <= J->i[a] ? e : slopes->entries + e;
            }
    return sari_lu_create("auto", &slopes->S, &s->lu);
}

void sari_saddle_clear(sari_saddle* s)
{
    sari_lu_clear(&s->lu);
    sari_arena_clear(&s->memory);
    memset(s, 0, sizeof *s);
}

/* Of coordinate c. One without inertia counts like the heaviest. */
static double inertia(const sari_saddle* s, int c)
{
    const double own = fabs(s->A[s->slopes->S.p[c]]);
    return own > NO_INERTIA * s->heaviest ? own : s->heaviest;
}

/* What x would be without rows and with the diagonal alone: its scale. */
static double answer(const sari_saddle* s, const double* f)
{
    double most = 0.0;
    for (int c = 0; c < s->slopes->S.n; c++) most = fmax(most, fabs(f[c]) / inertia(s, c));
    return most;
}

/* Mean of what rows see of the inverse of A's diagonal. */
static double inverse_inertia(sari_saddle* s)
{
    const sari_csr* J = &s->slopes->J;
    const sari_sym* S = &s->slopes->S;
    double sum = 0.0;
    s->heaviest = 0.0;
    for (int c = 0; c < S->n; c++) s->heaviest = fmax(s->heaviest, fabs(s->A[S->p[c]]));
    for (int r = 0; r < J->rows; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++) sum += J->x[k] * J->x[k] / inertia(s, J->i[k]);
    return sum > 0.0 ? sum / J->rows : 1.0;
}

sar_status sari_saddle_factor(sari_saddle* s)
{
    const sari_slopes* slopes = s->slopes;
    const sari_csr* J = &slopes->J;
    const int* at = s->product_at;
    s->c = RATIO / inverse_inertia(s);
    memcpy(s->S, s->A, 2 * (size_t)slopes->entries * sizeof(double));
    for (int r = 0; r < J->rows; r++)
        for (int a = J->p[r]; a < J->p[r + 1]; a++)
            for (int b = J->p[r]; b < J->p[r + 1]; b++) s->S[*at++] += s->c * J->x[a] * s->W[b];
    return s->lu.ops->factor(s->lu.self, s->S, s->S + slopes->entries);
}

/* left = f - A x - J'mu, apart = g - W x; or of the transposed equations */
static void find_left(sari_saddle* s, int transposed, const double* f, const double* g,
                      const double* x, const double* mu)
{
    const sari_slopes* p = s->slopes;
    const double *J = transposed ? s->W : p->J.x, *W = transposed ? p->J.x : s->W;
    if (transposed)
        sari_slopes_times_transposed(p, s->A, x, s->left);
    else
        sari_slopes_times(p, s->A, x, s->left);
    for (int i = 0; i < p->S.n; i++) s->left[i] = f[i] - s->left[i];
    sari_slopes_add_rows_transposed(p, J, -1.0, mu, s->left);
    for (int r = 0; r < p->J.rows; r++) s->apart[r] = g ? g[r] : 0.0;
    sari_slopes_add_rows(p, W, -1.0, x, s->apart);
}

/* (2); the size of the correction */
static double correct(sari_saddle* s, int transposed, double* x, double* mu)
{
    const sari_slopes* p = s->slopes;
    const double *J = transposed ? s->W : p->J.x, *W = transposed ? p->J.x : s->W;
    memcpy(s->dx, s->left, (size_t)p->S.n * sizeof(double));
    sari_slopes_add_rows_transposed(p, J, s->c, s->apart, s->dx);
    if (transposed)
        s->lu.ops->solve_transposed(s->lu.self, s->dx);
    else
        s->lu.ops->solve(s->lu.self, s->dx);
    for (int r = 0; r < p->J.rows; r++) mu[r] -= s->c * s->apart[r];
    sari_slopes_add_rows(p, W, s->c, s->dx, mu);
    sari_vector_add(p->S.n, 1.0, s->dx, x);
    return sari_vector_max(p->S.n, s->dx);
}

sar_status sari_saddle_solve(sari_saddle* s, int transposed, const double* f, const double* g,
                             double* x, double* mu)
{
    const int n = s->slopes->S.n, m = s->slopes->J.rows;
    double last = INFINITY, most = answer(s, f); // of x, which may end at nothing
    memset(x, 0, (size_t)n * sizeof(double));
    memset(mu, 0, (size_t)m * sizeof(double));
    for (int pass = 0; pass < PASSES; pass++) {
        find_left(s, transposed, f, g, x, mu);
        const double size = correct(s, transposed, x, mu);
        if (!isfinite(size)) return SAR_R_NOT_FINITE;
        most = fmax(most, fmax(size, sari_vector_max(n, x)));
        const int ended =
            size <= 2.0 * DBL_EPSILON * most || (size <= SMALL * most && 2.0 * size > last);
        if (ended) {
            find_left(s, transposed, f, g, x, mu);
            return SAR_OK;
        }
        last = size;
    }
    find_left(s, transposed, f, g, x, mu);
    return last <= ENOUGH * most ? SAR_OK : SAR_R_NO_CONV;
}
