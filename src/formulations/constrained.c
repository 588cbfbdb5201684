#include "formulations/constrained.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "linalg/inline.h"
#include "linalg/sym_tools.h"
#include "linalg/tree/generated.h"

#include <math.h>
#include <string.h>

enum { REFINEMENTS = 2 };
enum { BLOCK = 12 };    ///< variables of a body, at most
enum { LONG_ROW = 24 }; ///< entries of J: up to here J'J was never seen to fill more

enum { IMPLIED_PASSES = 8 };
static const double IMPLIED = 1e-3;               ///< part that is left of a row's multiplier
static const double GOLDEN = 0.61803398874989485; ///< whose multiples are spread evenly

static sar_status copy_pattern(const sari_sym* from, sari_sym* to)
{
    int entries = from->p[from->n];
    to->n = from->n;
    to->p = sari_copy(from->p, (size_t)from->n + 1, sizeof(int));
    to->i = entries ? sari_copy(from->i, (size_t)entries, sizeof(int)) : NULL;
    to->x = SARI_NEW_ARRAY(double, entries);
    if (from->tree && !(to->tree = sari_generated_copy(from->tree))) return SAR_E_NOMEM;
    return to->p && (to->i || !entries) && to->x ? SAR_OK : SAR_E_NOMEM;
}

/* With all entries of J, those that are always zero too: bodies stay together in the order of
 * elimination then, and panels are wider. */
static sar_status make_pattern(const sari_constrained* s, sari_sym* S)
{
    const sari_csr* J = s->J;
    sari_pattern pattern;
    int rows = s->kkt || s->augmented, size = s->n + (rows ? s->m : 0);
    sari_pattern_init(&pattern, size, size);
    for (int c = 0; c < s->n; c++)
        for (int k = s->P.p[c]; k < s->P.p[c + 1]; k++) sari_pattern_add(&pattern, s->P.i[k], c);
    for (int r = 0; r < s->m; r++) {
        if (!s->augmented) sari_pattern_add_clique(&pattern, J->i + J->p[r], J->p[r + 1] - J->p[r]);
        for (int k = J->p[r]; rows && k < J->p[r + 1]; k++)
            sari_pattern_add(&pattern, s->n + r, J->i[k]);
    }
    sar_status st = sari_pattern_make_sym(&pattern, S);
    sari_pattern_clear(&pattern);
    return st;
}

/* Where everything goes in the solver's storage of S. */
static sar_status locate(sari_constrained* s, const sari_sym* S)
{
    size_t slack = s->small ? (size_t)s->small->slack : 0;
    const sari_csr* J = &s->used;
    const int* place = s->storage.place;
    int products = 0, rows = s->kkt || s->augmented;
    for (int r = 0; r < s->m && !s->augmented; r++) {
        int n = J->p[r + 1] - J->p[r];
        products += n * (n + 1) / 2;
    }
    s->P_at = SARI_TAKE(&s->memory, int, s->P.p[s->n]);
    s->product_at = SARI_TAKE(&s->memory, int, products);
    s->J_at = SARI_TAKE(&s->memory, int, J->p[s->m]);
    s->delta_at = SARI_TAKE(&s->memory, int, s->m);
    s->base = SARI_TAKE(&s->memory, double, s->storage.count + slack);
    if (s->memory.failed) return SAR_E_NOMEM;
    for (int c = 0; c < s->n; c++)
        for (int k = s->P.p[c]; k < s->P.p[c + 1]; k++)
            s->P_at[k] = place[sari_sym_find(S, s->P.i[k], c)];
    int* at = s->product_at;
    for (int r = 0; r < s->m; r++) {
        for (int a = J->p[r]; a < J->p[r + 1] && !s->augmented; a++)
            for (int b = J->p[r]; b <= a; b++) *at++ = place[sari_sym_find(S, J->i[a], J->i[b])];
        for (int a = J->p[r]; rows && a < J->p[r + 1]; a++)
            s->J_at[a] = place[sari_sym_find(S, s->n + r, J->i[a])];
        if (rows) s->delta_at[r] = place[sari_sym_find(S, s->n + r, s->n + r)];
    }
    return SAR_OK;
}

/* Dense rows for the kernels of small sizes. */
static sar_status make_rows(sari_constrained* s)
{
    const sari_csr* J = &s->used;
    const sari_solver* solver = &s->solver;
    const int small = !s->kkt && !s->augmented && solver->ops->normal;
    s->small = small ? solver->ops->normal(solver->self) : NULL;
    if (!s->small) return SAR_OK;
    s->rows = SARI_TAKE(&s->memory, double, s->m * s->small->stride);
    s->row_at = SARI_TAKE(&s->memory, int, J->p[s->m]);
    if (s->memory.failed) return SAR_E_NOMEM;
    for (int r = 0; r < s->m; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++) s->row_at[k] = s->small->stride * r + J->i[k];
    return SAR_OK;
}

/* Entries of the factor of the present form. */
static sar_status count_fill(const sari_constrained* s, long* fill)
{
    sari_sym S = {0};
    sari_solver trial = {0};
    SARI_TRY(make_pattern(s, &S));
    sar_status st = sari_solver_create(&sari_solver_sparse, &S, NULL, &trial);
    if (st == SAR_OK) *fill = trial.ops->fill(trial.self);
    sari_solver_clear(&trial);
    sari_sym_clear(&S);
    return st;
}

/* Long rows fill J'J: then the augmented form is the sparser one, if by enough to pay for the
 * refinement that it needs. */
static sar_status choose_form(sari_constrained* s, const char* name)
{
    long with_products = 0, augmented = 0;
    int longest = 0;
    const sari_solver_ops* ops = strcmp(name, "auto") != 0 ? sari_solver_find(name, &s->P) : NULL;
    if (ops && ops->graph) s->augmented = 1;
    for (int r = 0; r < s->m; r++)
        if (s->J->p[r + 1] - s->J->p[r] > longest) longest = s->J->p[r + 1] - s->J->p[r];
    if (s->augmented || s->kkt || longest < LONG_ROW || ops == &sari_solver_dense) return SAR_OK;
    SARI_TRY(count_fill(s, &with_products));
    s->augmented = 1;
    SARI_TRY(count_fill(s, &augmented));
    s->augmented = 2 * augmented < with_products;
    return SAR_OK;
}

/* Entries that are always zero add nothing to J'J. */
static sar_status leave_out_zeros(sari_constrained* s)
{
    const sari_csr* J = s->J;
    const int entries = J->p[s->m];
    int* p = SARI_TAKE(&s->memory, int, s->m + 1);
    int* i = SARI_TAKE(&s->memory, int, entries);
    s->taken = SARI_TAKE(&s->memory, int, entries);
    if (s->memory.failed) return SAR_E_NOMEM;
    for (int r = 0, n = 0; r < s->m; r++) {
        for (int k = J->p[r]; k < J->p[r + 1]; k++)
            if (!J->zero[k]) i[n] = J->i[k], s->taken[n++] = k;
        p[r + 1] = n;
    }
    s->used.p = p;
    s->used.i = i;
    return SAR_OK;
}

static sar_status make_solver(sari_constrained* s, const char* name,
                              const sari_structure* structure)
{
    sari_sym S = {0};
    const sari_structure along = {.primal = s->n, .matrix = &s->P};
    if (s->P.tree)
        structure = &along, name = sari_solver_tree.name, s->augmented = 1;
    else if (strcmp(name, sari_solver_tree.name) == 0)
        name = "auto"; // an open tree by recursion has nothing to factor
    if (structure) SARI_TRY(choose_form(s, name));
    if (s->J->zero && !s->augmented && !s->kkt) SARI_TRY(leave_out_zeros(s));
    SARI_TRY(make_pattern(s, &S));
    const sari_solver_ops* ops = sari_solver_find(name, &S);
    sar_status st = ops ? sari_solver_create(ops, &S, structure, &s->solver) : SAR_E_ARG;
    s->refine = s->kkt || (s->augmented && ops && !ops->graph);
    if (s->P.tree && s->P.tree->lent) s->shift = s->P.tree->lent, s->refine = 1;
    if (st == SAR_OK) {
        ops->storage(s->solver.self, &s->storage);
        st = make_rows(s);
        if (st == SAR_OK) st = locate(s, &S);
    }
    sari_sym_clear(&S);
    return st;
}

sar_status sari_constrained_create(sari_constrained* s, const sari_sym* pattern, const sari_csr* J,
                                   int kkt, const char* solver, const sari_structure* structure)
{
    memset(s, 0, sizeof *s);
    s->n = pattern->n;
    s->m = J->rows;
    s->kkt = kkt;
    s->J = J;
    s->block = structure ? structure->block : NULL;
    if (s->block) s->shift = SARI_TAKE(&s->memory, double, s->n);
    if (s->block && !s->shift) return SAR_E_NOMEM;
    s->threads = structure && structure->threads > 1 ? structure->threads : 1;
    s->rhs = SARI_TAKE(&s->memory, double, 3 * (s->n + s->m));
    s->residual = SARI_TAKE(&s->memory, double, s->m);
    s->root = SARI_TAKE(&s->memory, double, s->m);
    s->weighed = SARI_TAKE(&s->memory, double, s->m);
    if (s->memory.failed) return SAR_E_NOMEM;
    s->used = (sari_csr){J->rows, J->cols, J->p, J->i, SARI_NEW_ARRAY(double, J->p[J->rows])};
    if (!s->used.x) return SAR_E_NOMEM;
    SARI_TRY(copy_pattern(pattern, &s->P));
    return make_solver(s, solver, structure);
}

sar_status sari_constrained_create_diagonal(sari_constrained* s, const sari_csr* J)
{
    sari_pattern diagonal;
    sari_sym P = {0};
    sari_pattern_init(&diagonal, J->cols, J->cols);
    sar_status st = sari_pattern_make_sym(&diagonal, &P);
    sari_pattern_clear(&diagonal);
    if (st == SAR_OK) st = sari_constrained_create(s, &P, J, 0, "auto", NULL);
    sari_sym_clear(&P);
    return st;
}

void sari_constrained_clear(sari_constrained* s)
{
    sari_solver_clear(&s->solver);
    sari_sym_clear(&s->P);
    sari_release(s->used.x);
    sari_arena_clear(&s->memory);
    memset(s, 0, sizeof *s);
}

/* ---- factor --------------------------------------------------------------------------------- */

/* S += c x' x, lower triangle; where its entries are: `at`, row after row. */
SARI_INLINE const int* add_square(const int n, double c, const double* restrict x,
                                  const int* restrict at, double* restrict S)
{
    for (int a = 0; a < n; a++) {
        const double cx = c * x[a];
        for (int b = 0; b <= a; b++) S[at[b]] += cx * x[b];
        at += a + 1;
    }
    return at;
}

/* S += c J'J. Rows of planar bars (4 entries), points in space (3, or 8 where bodies turn) and right
 * angles (6) are the most frequent. */
static void add_product(const sari_constrained* s)
{
    const sari_csr* J = &s->used;
    double* S = s->storage.value;
    const int* at = s->product_at;
    for (int r = 0; r < s->m; r++) {
        const double* x = J->x + J->p[r];
        const int n = J->p[r + 1] - J->p[r];
        switch (n) {
        case 2:
            at = add_square(2, s->c, x, at, S);
            break;
        case 3:
            at = add_square(3, s->c, x, at, S);
            break;
        case 4:
            at = add_square(4, s->c, x, at, S);
            break;
        case 6:
            at = add_square(6, s->c, x, at, S);
            break;
        case 8:
            at = add_square(8, s->c, x, at, S);
            break;
        default:
            at = add_square(n, s->c, x, at, S);
        }
    }
}

/* Smallest pivot of the Cholesky factor of one block of P, by its largest diagonal entry. */
static double block_pivot(const sari_constrained* s, int first, int size)
{
    double A[BLOCK][BLOCK] = {{0}}, largest = 0.0, least = INFINITY;
    if (size > BLOCK) return 1.0;
    for (int c = 0; c < size; c++)
        for (int k = s->P.p[first + c]; k < s->P.p[first + c + 1]; k++)
            if (s->P.i[k] < first + size) A[s->P.i[k] - first][c] = s->P.x[k];
    for (int c = 0; c < size; c++) largest = fmax(largest, A[c][c]);
    for (int c = 0; c < size && least > 0.0; c++) {
        least = fmin(least, A[c][c]);
        for (int j = c + 1; j < size && A[c][c] > 0.0; j++)
            for (int i = j; i < size; i++) A[i][j] -= A[i][c] * A[j][c] / A[c][c];
    }
    return largest > 0.0 ? least / largest : 0.0;
}

/* Bodies come first along the graph, so none may be without mass in some direction: where one is,
 * a little is lent to it, and refinement with the matrix itself takes that back. */
static void lend_mass(sari_constrained* s)
{
    double mean = 0.0;
    for (int i = 0; i < s->n; i++) mean += s->P.x[s->P.p[i]] / s->n;
    for (int first = 0, end; first < s->n; first = end) {
        double largest = 0.0;
        for (end = first; end < s->n && s->block[end] == s->block[first]; end++)
            largest = fmax(largest, s->P.x[s->P.p[end]]);
        if (block_pivot(s, first, end - first) > 1e-10) continue;
        for (int i = first; i < end; i++) s->shift[i] = 1e-4 * (largest > 0.0 ? largest : mean);
        s->refine = 1;
    }
}

sar_status sari_constrained_vary(sari_constrained* s, const int* varying, int count)
{
    if (!varying || !s->augmented) return SAR_OK;
    s->varying_at = SARI_TAKE(&s->memory, int, count);
    if (!s->varying_at) return SAR_E_NOMEM;
    for (int i = 0; i < count; i++) s->varying_at[i] = s->J_at[varying[i]];
    s->varying = varying;
    s->varying_count = count;
    return SAR_OK;
}

void sari_constrained_share(sari_constrained* s, int threads)
{
    s->threads = threads;
    if (s->solver.ops->share) s->solver.ops->share(s->solver.self, threads);
}

/* J's entries as they are factored. */
static void take_rows(sari_constrained* s)
{
    const sari_csr* J = &s->used;
    const double* from = s->J->x;
    if (s->taken)
        for (int k = 0; k < J->p[s->m]; k++) J->x[k] = from[s->taken[k]];
    else
        memcpy(J->x, from, (size_t)J->p[s->m] * sizeof(double));
    for (int r = 0; s->weighs && r < s->m; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++) J->x[k] *= s->root[r];
}

static double delta_of(const sari_constrained* s, int r)
{
    return s->kkt && r >= s->m - s->soft_rows ? s->soft_delta : s->delta;
}

static void store_P(void* self, int first, int end)
{
    const sari_constrained* s = self;
    for (int k = first; k < end; k++) s->storage.value[s->P_at[k]] = s->P.x[k];
}

static void store_varying(void* self, int first, int end)
{
    const sari_constrained* s = self;
    double* restrict S = s->storage.value;
    const double* restrict x = s->J->x;
    for (int i = first; i < end; i++) S[s->varying_at[i]] = x[s->varying[i]];
}

/* The storage still holds the last matrix: only what may have changed is written. */
static sar_status factor_kept(sari_constrained* s)
{
    double* restrict S = s->storage.value;
    if (!s->written && s->shift && s->block) lend_mass(s);
    if (s->refine || s->weighs) take_rows(s);
    const double* restrict x = s->weighs ? s->used.x : s->J->x;
    if (!s->same_P || !s->written) {
        sari_parallel(s->threads, s->P.p[s->n], store_P, s);
        for (int i = 0; s->shift && s->refine && i < s->n; i++)
            S[s->P_at[s->P.p[i]]] += s->shift[i];
    }
    if (s->varying && s->written && !s->weighs)
        sari_parallel(s->threads, s->varying_count, store_varying, s);
    else
        for (int k = 0; k < s->J->p[s->m]; k++) S[s->J_at[k]] = x[k];
    if (!s->kkt) s->delta = 1.0 / s->c;
    if (!s->written || s->delta != s->delta_written)
        for (int r = 0; r < s->m; r++) S[s->delta_at[r]] = -delta_of(s, r);
    s->delta_written = s->delta;
    s->written = 1;
    return s->solver.ops->factor_stored(s->solver.self);
}

sar_status sari_constrained_factor(sari_constrained* s)
{
    double* S = s->storage.value;
    const double* restrict P = s->P.x;
    if (s->storage.kept && s->augmented) return factor_kept(s);
    if (!s->same_P)
        for (int k = 0; k < s->P.p[s->n]; k++) s->base[s->P_at[k]] = P[k];
    const int taken = s->weighs || s->taken;
    if (taken || (!s->small && (s->refine || !s->augmented))) take_rows(s);
    const double* restrict x = taken ? s->used.x : s->J->x;
    if (s->small) {
        for (int k = 0; k < s->used.p[s->m]; k++) s->rows[s->row_at[k]] = x[k];
        return s->small->factor(s->solver.self, s->base, s->rows, s->m, s->c);
    }
    memcpy(S, s->base, s->storage.count * sizeof *S);
    if (!s->augmented) add_product(s);
    if (s->kkt || s->augmented) {
        if (!s->kkt) s->delta = 1.0 / s->c;
        for (int k = 0; k < s->J->p[s->m]; k++) S[s->J_at[k]] = x[k];
        for (int r = 0; r < s->m; r++) S[s->delta_at[r]] = -delta_of(s, r);
    }
    return s->solver.ops->factor_stored(s->solver.self);
}

void sari_constrained_archive(sari_constrained* s, sari_archive* a, int factors)
{
    const size_t n = (size_t)s->n, m = (size_t)s->m;
    SARI_ARCHIVE_INTS(a, &s->refine, &s->written, &s->same_P, &s->weighs);
    SARI_ARCHIVE_NUMBERS(a, &s->delta_written, &s->c, &s->delta, &s->soft_delta);
    sari_archive_numbers(a, s->root, m);
    if (s->block) sari_archive_numbers(a, s->shift, n);
    sari_sym_archive(&s->P, a);
    if (s->same_P && !s->storage.kept) sari_archive_numbers(a, s->base, s->storage.count);
    if (!factors && !(s->storage.kept && s->written)) return;
    sari_archive_numbers(a, s->used.x, (size_t)s->used.p[s->m]);
    if (s->small) sari_archive_numbers(a, s->rows, m * (size_t)s->small->stride);
    s->solver.ops->archive(s->solver.self, a);
}

/* ---- solve ---------------------------------------------------------------------------------- */

SARI_INLINE double times(const int n, const double* restrict a, const int* restrict i,
                         const double* x)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += a[k] * x[i[k]];
    return sum;
}

SARI_INLINE void add(const int n, double f, const double* restrict a, const int* restrict i,
                     double* restrict y)
{
    for (int k = 0; k < n; k++) y[i[k]] += f * a[k];
}

/* A row times a vector, and y += f times a row. Of short rows, whose loops cost more than what is in
 * them, planar bars (4 entries, 2 on the ground) are the most frequent; in space points (8) and right
 * angles (6) of two bodies. */
SARI_INLINE double row_times(const sari_csr* J, int r, const double* x)
{
    const int k = J->p[r], n = J->p[r + 1] - k;
    switch (n) {
    case 2:
        return times(2, J->x + k, J->i + k, x);
    case 4:
        return times(4, J->x + k, J->i + k, x);
    case 6:
        return times(6, J->x + k, J->i + k, x);
    case 8:
        return times(8, J->x + k, J->i + k, x);
    default:
        return times(n, J->x + k, J->i + k, x);
    }
}

SARI_INLINE void add_row(const sari_csr* J, int r, double f, double* restrict y)
{
    const int k = J->p[r], n = J->p[r + 1] - k;
    switch (n) {
    case 2:
        add(2, f, J->x + k, J->i + k, y);
        break;
    case 4:
        add(4, f, J->x + k, J->i + k, y);
        break;
    case 6:
        add(6, f, J->x + k, J->i + k, y);
        break;
    case 8:
        add(8, f, J->x + k, J->i + k, y);
        break;
    default:
        add(n, f, J->x + k, J->i + k, y);
    }
}

static void solve_penalty(sari_constrained* s, const double* f, const double* g, double* x,
                          double* mu)
{
    const sari_csr* J = &s->used;
    for (int i = 0; i < s->n; i++) x[i] = f[i];
    for (int r = 0; (g || mu) && r < s->m; r++) {
        double force = (mu ? mu[r] : 0.0) - (g ? s->c * g[r] : 0.0);
        s->residual[r] = force;
        add_row(J, r, -force, x);
    }
    s->solver.ops->solve(s->solver.self, x);
    for (int r = 0; mu && r < s->m; r++) mu[r] = s->residual[r] + s->c * row_times(J, r, x);
}

/* rest = b - S y, from the parts of S */
static void kkt_residual(sari_constrained* s, const double* b, const double* y, double* rest)
{
    const sari_csr* J = &s->used;
    sari_sym_multiply(&s->P, s->P.x, y, rest);
    for (int i = 0; i < s->n; i++) rest[i] = b[i] - rest[i];
    for (int r = 0; r < s->m; r++) {
        const double Jy = row_times(J, r, y), mu = y[s->n + r];
        add_row(J, r, s->augmented ? -mu : -(s->c * Jy + mu), rest);
        rest[s->n + r] = b[s->n + r] - (Jy - delta_of(s, r) * mu);
    }
}

/* Solve S y = rhs in place. Without pivoting a tiny -delta may come first and grow rounding by
 * 1/delta: refinement with the matrix itself takes that out again. */
static void solve_refined(sari_constrained* s)
{
    int size = s->n + s->m;
    if (!s->refine) {
        s->solver.ops->solve(s->solver.self, s->rhs);
        return;
    }
    double *b = s->rhs, *y = s->rhs + size, *rest = s->rhs + 2 * size;
    for (int i = 0; i < size; i++) y[i] = b[i];
    s->solver.ops->solve(s->solver.self, y);
    for (int step = 0; step < REFINEMENTS; step++) {
        kkt_residual(s, b, y, rest);
        s->solver.ops->solve(s->solver.self, rest);
        for (int i = 0; i < size; i++) y[i] += rest[i];
    }
    for (int i = 0; i < size; i++) b[i] = y[i];
}

typedef struct sides {
    const sari_constrained* s;
    const double *f, *g;
    double *x, *mu;
} sides;

/* Numbers of the right-hand side, those of rows after those of P; and of the solution. */
static void load_side(void* task, int first, int end)
{
    const sides* t = task;
    const sari_constrained* s = t->s;
    for (int i = first; i < end; i++) {
        const int r = i - s->n;
        s->rhs[i] =
            r < 0 ? t->f[i] : (t->g ? t->g[r] : 0.0) - (t->mu ? delta_of(s, r) * t->mu[r] : 0.0);
    }
}

static void store_side(void* task, int first, int end)
{
    const sides* t = task;
    const int n = t->s->n;
    for (int i = first; i < end && i < n; i++) t->x[i] = t->s->rhs[i];
    for (int i = first > n ? first : n; t->mu && i < end; i++) t->mu[i - n] = t->s->rhs[i];
}

/* [P + c J'J  J'; J  -delta] (x, mu_new) = (f + c J' g, g - delta mu_old); augmented: without c */
static void solve_kkt(sari_constrained* s, const double* f, const double* g, double* x, double* mu)
{
    sides t = {s, f, g, x, mu};
    sari_parallel(s->threads, s->n + s->m, load_side, &t);
    if (g && !s->augmented) sari_csr_multiply_add_transposed(&s->used, s->c, g, s->rhs);
    solve_refined(s);
    sari_parallel(s->threads, s->n + s->m, store_side, &t);
}

/* g as the weighed rows have it, and mu, with J' mu as it was; mu's way back. */
static const double* weigh_sides(sari_constrained* s, const double* g, double* mu)
{
    for (int r = 0; mu && r < s->m; r++) mu[r] /= s->root[r];
    for (int r = 0; g && r < s->m; r++) s->weighed[r] = s->root[r] * g[r];
    return g ? s->weighed : NULL;
}

void sari_constrained_solve(sari_constrained* s, const double* f, const double* g, int passes,
                            double* x, double* mu)
{
    if (s->weighs) g = weigh_sides(s, g, mu);
    for (int pass = 0; pass < passes; pass++) {
        if (s->small)
            s->small->solve(s->solver.self, s->rows, s->m, s->c, f, g, x, mu);
        else if (s->kkt || s->augmented)
            solve_kkt(s, f, g, x, mu);
        else
            solve_penalty(s, f, g, x, mu);
    }
    for (int r = 0; s->weighs && mu && r < s->m; r++) mu[r] *= s->root[r];
}

typedef struct violation {
    const sari_csr* J;
    const double *x, *e;
    double* d;
} violation;

static void find_violation(void* self, int first, int end)
{
    const violation* v = self;
    for (int r = first; r < end; r++) v->d[r] = row_times(v->J, r, v->x) + (v->e ? v->e[r] : 0.0);
}

/* d = J x + e, with J as it is now, is what there is to correct: rounding is relative to it, not to
 * x, and a J that has moved a little since it was factored still steers x to the right place.
 *
 *   penalty   S dx = -c J' d, again with the new d in every pass: what solve does with f = P x
 *   kkt       [P + c J'J  J'; J  -delta] (dx, mu) = (-c J' d, -d); augmented: without c */
void sari_constrained_project(sari_constrained* s, const double* e, int passes, double* x)
{
    double *dx = s->rhs, *d = s->residual;
    if (s->m == 0) return;
    for (int pass = 0; pass < passes; pass++) {
        violation task = {s->J, x, e, d};
        sari_parallel(s->threads, s->m, find_violation, &task);
        if (s->slack) sari_slack_drop(s->slack, d);
        for (int r = 0; s->weighs && r < s->m; r++) d[r] *= s->root[r];
        if (s->small) {
            s->small->add_normal(s->solver.self, s->rows, s->m, -s->c, d, x);
            continue;
        }
        memset(dx, 0, (size_t)s->n * sizeof *dx);
        for (int r = 0; r < s->m && !s->augmented; r++) add_row(&s->used, r, -s->c * d[r], dx);
        if (s->kkt || s->augmented) {
            for (int r = 0; r < s->m; r++) dx[s->n + r] = -d[r];
            solve_refined(s);
        } else {
            s->solver.ops->solve(s->solver.self, dx);
        }
        for (int i = 0; i < s->n; i++) x[i] += dx[i];
    }
}

void sari_constrained_multiply(const sari_constrained* s, const double* x, double* y)
{
    if (s->small)
        s->small->multiply(s->base, x, y);
    else
        sari_sym_multiply(&s->P, s->P.x, x, y);
}

/* (P + c J'J) dx = (f - P x - J' mu) + c J' (g - J x),   mu += c (J (x + dx) - g) */
void sari_constrained_improve(sari_constrained* s, const double* f, const double* g, double* x,
                              double* mu)
{
    double *dx = s->rhs, *left = s->rhs + s->n, *apart = s->rhs + 2 * s->n;
    sari_constrained_multiply(s, x, left);
    for (int i = 0; i < s->n; i++) left[i] = f[i] - left[i];
    for (int r = 0; r < s->m; r++) apart[r] = g[r] - row_times(s->J, r, x);
    sari_constrained_solve(s, left, apart, 1, dx, mu);
    for (int i = 0; i < s->n; i++) x[i] += dx[i];
}

void sari_constrained_strip(sari_constrained* s, int passes, double* x, double* rest, double* mu)
{
    for (int r = 0; r < s->m; r++) rest[r] = mu[r];
    for (int pass = 0; pass < passes; pass++) {
        memset(x, 0, (size_t)s->n * sizeof *x);
        sari_constrained_solve(s, x, NULL, 1, x, rest);
    }
    for (int r = 0; r < s->m; r++) mu[r] -= rest[r];
}

/* Passes leave of any mu a vector of the null space of J', if there is one: no entry of a general
 * one is zero by chance. Numbers without a pattern, the same in every run, begin it. */
int sari_constrained_implied(sari_constrained* s, int rows, double* x, double* rest, double* mu)
{
    double fraction = 0.5, most = 0.0;
    for (int r = 0; r < s->m; r++) {
        fraction = fmod(fraction + GOLDEN, 1.0);
        mu[r] = 0.5 + fraction;
    }
    sari_constrained_strip(s, IMPLIED_PASSES, x, rest, mu);
    for (int r = s->m - rows; r < s->m; r++) most = fmax(most, fabs(rest[r]));
    return most > IMPLIED;
}
