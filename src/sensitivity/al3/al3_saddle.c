#include "sensitivity/al3/al3_saddle.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/sym_tools.h"
#include "math/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PASSES = 60, PATIENCE = 4, MOST_WHOLE = 1500 };
static const double SLOW = 0.3;          ///< corrections by those before
static const double ROUNDING = 1e-13;    ///< of an entry: what is no lack of symmetry
static const double DELTA = 1e-12;       ///< in units of what rows see of the inverse inertia
static const double RATIO = 1e8;         ///< c in units of the inertia that rows see
static const double NO_INERTIA = 1e-6;   ///< of the heaviest coordinate
static const double CONTRADICTED = 1e-7; ///< of what redundant rows leave of g
static const double ENOUGH = 1e-9;       ///< corrections by x that shrink no more are rounding

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
    return sari_solver_create(sari_solver_find("auto", &slopes->S), &slopes->S, NULL, &s->ldl);
}

void sari_saddle_clear(sari_saddle* s)
{
    sari_solver_clear(&s->ldl);
    sari_lu_clear(&s->lu);
    sari_lu_clear(&s->whole);
    sari_sym_clear(&s->full);
    sari_arena_clear(&s->memory);
    memset(s, 0, sizeof *s);
}

/* Of coordinate c. One without inertia counts like the heaviest. */
static double inertia(const sari_saddle* s, int c)
{
    const double own = fabs(s->A[s->slopes->S.p[c]]);
    return own > NO_INERTIA * s->heaviest ? own : s->heaviest;
}

/* What x would be without rows and with the diagonal alone, or with a row alone: its scale. */
static double answer(const sari_saddle* s, const double* f, const double* g)
{
    const sari_csr* J = &s->slopes->J;
    double most = 0.0;
    for (int r = 0; g && r < J->rows; r++) {
        const double* row = J->x + J->p[r];
        const double length = sari_vector_norm(J->p[r + 1] - J->p[r], row);
        if (length > 0.0) most = fmax(most, fabs(g[r]) / length);
    }
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

/* Is A symmetric but for rounding, which corrections take out, and W the same as J? */
static int is_symmetric(const sari_saddle* s)
{
    const sari_csr* J = &s->slopes->J;
    const int entries = s->slopes->entries;
    const double *lower = s->A, *upper = s->A + entries;
    for (int e = 0; e < entries; e++)
        if (fabs(lower[e] - upper[e]) > ROUNDING * (fabs(lower[e]) + fabs(upper[e]))) return 0;
    return memcmp(s->W, J->x, (size_t)J->p[J->rows] * sizeof(double)) == 0;
}

/* Lower values alone. */
static sar_status factor_symmetric(sari_saddle* s)
{
    const sari_csr* J = &s->slopes->J;
    const int* at = s->product_at;
    memcpy(s->S, s->A, (size_t)s->slopes->entries * sizeof(double));
    for (int r = 0; r < J->rows; r++) {
        const int first = J->p[r], count = J->p[r + 1] - first;
        for (int a = 0; a < count; a++, at += count) {
            const double part = s->c * J->x[first + a];
            for (int b = 0; b <= a; b++) s->S[at[b]] += part * J->x[first + b];
        }
    }
    return s->ldl.ops->factor(s->ldl.self, s->S);
}

sar_status sari_saddle_factor(sari_saddle* s)
{
    const sari_slopes* slopes = s->slopes;
    const sari_csr* J = &slopes->J;
    const int* at = s->product_at;
    s->c = RATIO / inverse_inertia(s);
    s->whole_is_known = 0;
    s->symmetric = is_symmetric(s);
    if (s->symmetric) return factor_symmetric(s);
    if (!s->lu.self) SARI_TRY(sari_lu_create("auto", &slopes->S, &s->lu));
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

/* The same where x and mu are zero. */
static void begin_left(sari_saddle* s, const double* f, const double* g)
{
    memcpy(s->left, f, (size_t)s->slopes->S.n * sizeof(double));
    for (int r = 0; r < s->slopes->J.rows; r++) s->apart[r] = g ? g[r] : 0.0;
}

/* (2); the size of the correction */
static double correct(sari_saddle* s, int transposed, double* x, double* mu)
{
    const sari_slopes* p = s->slopes;
    const double *J = transposed ? s->W : p->J.x, *W = transposed ? p->J.x : s->W;
    memcpy(s->dx, s->left, (size_t)p->S.n * sizeof(double));
    if (sari_vector_max(p->J.rows, s->apart) != 0.0)
        sari_slopes_add_rows_transposed(p, J, s->c, s->apart, s->dx);
    if (s->symmetric)
        s->ldl.ops->solve(s->ldl.self, s->dx);
    else if (transposed)
        s->lu.ops->solve_transposed(s->lu.self, s->dx);
    else
        s->lu.ops->solve(s->lu.self, s->dx);
    for (int r = 0; r < p->J.rows; r++) mu[r] -= s->c * s->apart[r];
    sari_slopes_add_rows(p, W, s->c, s->dx, mu);
    sari_vector_add(p->S.n, 1.0, s->dx, x);
    return sari_vector_max(p->S.n, s->dx);
}

/* ---- near singular configurations ----------------------------------------------------------- */

static sar_status make_whole(sari_saddle* s)
{
    const int size = s->slopes->S.n + s->slopes->J.rows;
    sari_pattern pattern;
    sari_pattern_init(&pattern, size, size);
    for (int i = 0; i < size; i++)
        for (int j = 0; j <= i; j++) sari_pattern_add(&pattern, i, j);
    const sar_status st = sari_pattern_make_sym(&pattern, &s->full);
    sari_pattern_clear(&pattern);
    if (st != SAR_OK) return st;
    s->upper = SARI_TAKE(&s->memory, double, s->full.p[size]);
    s->y = SARI_TAKE(&s->memory, double, size);
    if (s->memory.failed) return SAR_E_NOMEM;
    return sari_lu_create("dense", &s->full, &s->whole);
}

/* The matrix of (3); row r >= column c of the full pattern is at p[c] + r - c */
static void factor_whole(sari_saddle* s)
{
    const sari_slopes* k = s->slopes;
    const sari_csr* J = &k->J;
    const int n = k->S.n, m = J->rows, size = n + m, *p = s->full.p;
    memset(s->full.x, 0, (size_t)p[size] * sizeof(double));
    memset(s->upper, 0, (size_t)p[size] * sizeof(double));
    for (int c = 0; c < n; c++)
        for (int e = k->S.p[c]; e < k->S.p[c + 1]; e++) {
            s->full.x[p[c] + k->S.i[e] - c] = s->A[e];
            s->upper[p[c] + k->S.i[e] - c] = s->A[k->entries + e];
        }
    for (int r = 0; r < m; r++) {
        for (int e = J->p[r]; e < J->p[r + 1]; e++) {
            s->full.x[p[J->i[e]] + n + r - J->i[e]] = s->W[e];
            s->upper[p[J->i[e]] + n + r - J->i[e]] = J->x[e];
        }
        s->full.x[p[n + r]] = -DELTA * RATIO / s->c;
    }
    (void)s->whole.ops->factor(s->whole.self, s->full.x,
                               s->upper); // a weak pivot shows in the corrections
    s->whole_is_known = 1;
}

/* (3); the size of the correction */
static double correct_whole(sari_saddle* s, int transposed, double* x, double* mu)
{
    const int n = s->slopes->S.n, m = s->slopes->J.rows;
    memcpy(s->y, s->left, (size_t)n * sizeof(double));
    memcpy(s->y + n, s->apart, (size_t)m * sizeof(double));
    if (transposed)
        s->whole.ops->solve_transposed(s->whole.self, s->y);
    else
        s->whole.ops->solve(s->whole.self, s->y);
    sari_vector_add(n, 1.0, s->y, x);
    sari_vector_add(m, 1.0, s->y + n, mu);
    return sari_vector_max(n, s->y);
}

static sar_status prepare_whole(sari_saddle* s)
{
    if (s->whole_is_known) return SAR_OK;
    if (s->slopes->S.n + s->slopes->J.rows > MOST_WHOLE) return SAR_R_NO_CONV;
    if (!s->whole.self) SARI_TRY(make_whole(s));
    factor_whole(s);
    return SAR_OK;
}

sar_status sari_saddle_solve(sari_saddle* s, int transposed, const double* f, const double* g,
                             double* x, double* mu)
{
    const int n = s->slopes->S.n, m = s->slopes->J.rows;
    double last = INFINITY, most = answer(s, f, g); // of x, which may end at nothing
    int whole = s->whole_is_known;
    memset(x, 0, (size_t)n * sizeof(double));
    memset(mu, 0, (size_t)m * sizeof(double));
    for (int pass = 0; pass < PASSES; pass++) {
        if (pass > 0)
            find_left(s, transposed, f, g, x, mu);
        else
            begin_left(s, f, g);
        const double size =
            whole ? correct_whole(s, transposed, x, mu) : correct(s, transposed, x, mu);
        if (!isfinite(size)) return SAR_R_NOT_FINITE;
        most = fmax(most, fmax(size, sari_vector_max(n, x)));
        // what is below a part of a contradiction of g means nothing
        const double enough = fmax(ENOUGH * most, CONTRADICTED * sari_vector_max(m, s->apart));
        // the next one would be as much smaller as this one is than the last
        const int next_is_rounding = transposed && pass > 0 && size <= ENOUGH * most &&
                                     size * size <= DBL_EPSILON * most * last;
        const int ended = size <= 2.0 * DBL_EPSILON * most ||
                          (size <= enough && 2.0 * size > last) || next_is_rounding;
        const double before = last;
        last = size;
        if (ended) break;
        if (!whole && pass >= PATIENCE && size > fmax(SLOW * before, enough)) {
            SARI_TRY(prepare_whole(s));
            whole = 1;
        }
    }
    if (!g && last <= ENOUGH * most)
        return SAR_OK; // nobody asks what is left of rows that may all hold
    find_left(s, transposed, f, g, x, mu);
    const double enough = fmax(ENOUGH * most, CONTRADICTED * sari_vector_max(m, s->apart));
    return last <= enough ? SAR_OK : SAR_R_NO_CONV;
}
