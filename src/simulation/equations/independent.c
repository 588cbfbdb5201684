/* The equations in independent velocities z, chosen among v. With E v = z the rows
 *
 *     [ Phi_q ]       [ 0 ]     [ -Phi_t ]            [ 0 ]     [ -bias ]
 *     [   E   ] v  =  [ z ]  +  [    0   ] ,   a like [ z']  +  [   0   ]                        (1)
 *
 * give v = R z + r and a = R dz/dt + s. They are more than the unknowns where constraints are redundant:
 * all of them are kept, and solved as least squares with rows and columns of unit length. Consistent rows
 * have no residual, whatever their number. Then [garciadejalon1994]
 *
 *     (R' M R) dz/dt = R' (Q - M s)                                                             (2)
 */
#include "base/memory.h"
#include "simulation/equations/equations.h"

#include <math.h>
#include <string.h>

static const double SINGULAR = 1e-10;  ///< smallest singular value, beside columns of length one
static const double CONSISTENT = 1e-8; ///< what rows may leave of R, beside what they are sums of

static sar_status make_room(sar_equations* e)
{
    const int n = e->sys->nq, rows = e->sys->nc + n;
    if (e->independent.made) return SAR_OK;
    sari_least_squares_take(&e->independent.system, &e->memory, rows, n, n + 2);
    e->independent.right = SARI_TAKE(&e->memory, double, (size_t)rows*(size_t)(n + 2));
    e->independent.column_scale = SARI_TAKE(&e->memory, double, n);
    e->independent.row_scale = SARI_TAKE(&e->memory, double, rows);
    if (e->memory.failed) return SAR_E_NOMEM;
    e->independent.made = 1;
    return SAR_OK;
}

static double unit_or_one(double square)
{
    return square > 0.0 ? 1.0 / sqrt(square) : 1.0;
}

/* The matrix of (1), with rows, then columns, of unit length. */
static void fill_matrix(sar_equations* e, int count, const int* chosen)
{
    const sari_csr* P = &e->sys->Phi_q;
    const int n = e->sys->nq, nc = e->sys->nc;
    double *A = e->independent.system.A, *row = e->independent.row_scale;
    double* column = e->independent.column_scale;
    memset(A, 0, (size_t)(nc + count) * (size_t)n * sizeof *A);
    memset(column, 0, (size_t)n * sizeof *column);
    for (int r = 0; r < nc; r++) {
        double square = 0.0;
        for (int k = P->p[r]; k < P->p[r + 1]; k++) square += P->x[k] * P->x[k];
        row[r] = unit_or_one(square);
        for (int k = P->p[r]; k < P->p[r + 1]; k++) {
            const double x = row[r] * P->x[k];
            A[(size_t)r * (size_t)n + (size_t)P->i[k]] = x;
            column[P->i[k]] += x * x;
        }
    }
    for (int j = 0; j < count; j++) {
        A[(size_t)(nc + j) * (size_t)n + (size_t)chosen[j]] = 1.0;
        column[chosen[j]] += 1.0;
    }
    for (int k = 0; k < n; k++) column[k] = unit_or_one(column[k]);
    for (int r = 0; r < nc + count; r++)
        for (int k = 0; k < n; k++) A[(size_t)r * (size_t)n + (size_t)k] *= column[k];
}

/* Right-hand sides by rows: z one by one, those of r and of s. */
static void fill_right(sar_equations* e, int count)
{
    const int nc = e->sys->nc, sides = count + 2;
    double *b = e->independent.right, *row = e->independent.row_scale;
    memset(b, 0, (size_t)(nc + count) * (size_t)sides * sizeof *b);
    for (int r = 0; r < nc; r++) {
        b[(size_t)r * (size_t)sides + (size_t)count] = -row[r] * e->sys->Phi_t[r];
        b[(size_t)r * (size_t)sides + (size_t)count + 1] = -row[r] * e->sys->bias[r];
    }
    for (int j = 0; j < count; j++) b[(size_t)(nc + j) * (size_t)sides + (size_t)j] = 1.0;
}

/* Does a side satisfy Phi_q x + right = 0, to rounding? */
static bool satisfies(const sar_equations* e, int side, int sides, const double* right)
{
    const sari_csr* P = &e->sys->Phi_q;
    const double* x = e->independent.right;
    double largest = 0.0;
    for (int k = 0; k < e->sys->nq; k++)
        largest = fmax(largest, fabs(x[(size_t)k * (size_t)sides + (size_t)side]));
    for (int r = 0; r < e->sys->nc; r++) {
        double sum = right ? right[r] : 0.0, size = fabs(sum);
        for (int k = P->p[r]; k < P->p[r + 1]; k++) {
            sum += P->x[k] * x[(size_t)P->i[k] * (size_t)sides + (size_t)side];
            size += fabs(P->x[k]) * largest;
        }
        if (!(fabs(sum) <= CONSISTENT * size)) return false;
    }
    return true;
}

static bool is_chosen_well(const sar_equations* e, int count, const int* chosen)
{
    for (int j = 0; j < count; j++) {
        if (chosen[j] < 0 || chosen[j] >= e->sys->nq) return false;
        for (int i = 0; i < j; i++)
            if (chosen[i] == chosen[j]) return false;
    }
    return count >= 0;
}

/* (1); solutions are the first rows of `right`. */
static sar_status solve(sar_equations* e, int count, const int* chosen)
{
    sari_least_squares* f = &e->independent.system;
    const int n = e->sys->nq, sides = count + 2;
    double* x = e->independent.right;
    if (e->sys->nc + count < n) return SAR_R_SINGULAR;
    f->rows = e->sys->nc + count;
    fill_matrix(e, count, chosen);
    fill_right(e, count);
    sari_least_squares_factor(f);
    sari_least_squares_smallest(f, 2);
    if (!(f->smallest > SINGULAR)) return SAR_R_SINGULAR;
    sari_least_squares_solve(f, sides, x);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < sides; j++)
            x[(size_t)k * (size_t)sides + (size_t)j] *= e->independent.column_scale[k];
    for (int j = 0; j < count; j++) {
        if (!satisfies(e, j, sides, NULL)) return SAR_R_SINGULAR;
        for (int i = 0; i < count; i++)
            if (!(fabs(x[(size_t)chosen[i] * (size_t)sides + (size_t)j] - (i == j)) <= CONSISTENT))
                return SAR_R_SINGULAR;
    }
    return satisfies(e, count, sides, e->sys->Phi_t) ? SAR_OK : SAR_R_VIOLATED;
}

/* out_j = sum_k R_kj y_k */
static double along(const double* x, int n, int sides, int j, const double* y)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += x[(size_t)k * (size_t)sides + (size_t)j] * y[k];
    return sum;
}

/* y = M x, x: side j */
static void mass_times_side(const sar_equations* e, int sides, int j, double* y)
{
    const double* x = e->independent.right;
    for (int r = 0; r < e->sys->nq; r++) {
        y[r] = 0.0;
        for (int k = e->mass_start[r]; k < e->mass_start[r + 1]; k++)
            y[r] += e->mass_value[k] * x[(size_t)e->mass_column[k] * (size_t)sides + (size_t)j];
    }
}

/* (2); the scales of columns are needed no more, and serve as room. */
static void reduce(sar_equations* e, int count, double* M_z, double* Q_z)
{
    const int n = e->sys->nq, sides = count + 2;
    double *y = e->independent.column_scale, *x = e->independent.right;
    for (int j = 0; M_z && j < count; j++) {
        mass_times_side(e, sides, j, y);
        for (int i = 0; i < count; i++) M_z[i * count + j] = along(x, n, sides, i, y);
    }
    if (!Q_z) return;
    mass_times_side(e, sides, count + 1, y);
    for (int k = 0; k < n; k++) y[k] = e->sys->Q[k] - y[k];
    for (int i = 0; i < count; i++) Q_z[i] = along(x, n, sides, i, y);
}

sar_status sar_equations_independent(sar_equations* e, int count, const int* chosen, double* R,
                                     double* r, double* s, double* M_z, double* Q_z)
{
    const int n = e->sys->nq, sides = count + 2;
    if (count > n || !is_chosen_well(e, count, chosen)) return SAR_E_ARG;
    sar_status st = make_room(e);
    if (st == SAR_OK) st = solve(e, count, chosen);
    if (st != SAR_OK) return st;
    const double* x = e->independent.right;
    for (int k = 0; k < n; k++) {
        const double* at = x + (size_t)k * (size_t)sides;
        if (R) memcpy(R + (size_t)k * (size_t)count, at, (size_t)count * sizeof *R);
        if (r) r[k] = at[count];
        if (s) s[k] = at[count + 1];
    }
    reduce(e, count, M_z, Q_z);
    return SAR_OK;
}
