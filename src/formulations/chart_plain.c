/* The dense chart where little is left of it: one degree of freedom, few rows, none of them redundant,
 * all quadratic in positions that are vectors, and M for the metric. With E = [V W], in which x = (z, w),
 * such rows are quadratic in x too,
 *
 *     row_i Phi_i = c_i + b_i'x + 1/2 x'K_i x,   K_i = row_i E' (d2Phi_i/dq2) E             (1)
 *
 *     row_i Phi_q,i E = g_i = b_i + K_i x,       row_i Phi_i = c_i + 1/2 x'(b_i + g_i)      (2)
 *
 * so that they are laid out once for a base, and nothing of the model but its forces is asked for at a
 * place. (6) to (10) of chart.c become, with y = (1, D),
 *
 *     C^2 = 1 + D'D,   dD/dt = -B^-1 (y'K_i y) dz/dt,   e = dD/dt dz/dt,   C dC/dt = D' dD/dt
 *
 *     C^2 d2z/dt2 = y'E'Q - D'e,   B'(lambda/row) = W'Q - D d2z/dt2 - e                     (3)
 *
 * Functions are compiled once per number of rows r; matrices are small enough for registers. */
#include "formulations/chart_limits.h"
#include "formulations/chart_line.h"
#include "system/quadratics_kernels.h"

#include <float.h>
#include <math.h>

/* return f(c, r, ...) with a constant r */
#define SIZED(c, f, ...)                                                                           \
    switch ((c)->r) {                                                                              \
    case 1:                                                                                        \
        return f(c, 1, __VA_ARGS__);                                                               \
    case 2:                                                                                        \
        return f(c, 2, __VA_ARGS__);                                                               \
    case 3:                                                                                        \
        return f(c, 3, __VA_ARGS__);                                                               \
    case 4:                                                                                        \
        return f(c, 4, __VA_ARGS__);                                                               \
    default:                                                                                       \
        return f(c, 5, __VA_ARGS__);                                                               \
    }

/* ---- the base ------------------------------------------------------------------------------- */

/* Row i of E = [V W], n = r + 1 numbers. */
SARI_INLINE void frame_row(const sari_chart* c, const int r, int i, double* restrict E)
{
    E[0] = c->V[i];
    for (int k = 0; k < r; k++) E[1 + k] = c->W[i * r + k];
}

/* force = E'Q */
SARI_INLINE void turn_force(sari_chart* c, const int r)
{
    const double* Q = c->sys->Q;
    double force[SARI_CHART_WIDE], E[SARI_CHART_WIDE];
    for (int j = 0; j <= r; j++) force[j] = 0.0;
    for (int i = 0; i <= r; i++) {
        frame_row(c, r, i, E);
        for (int j = 0; j <= r; j++) force[j] += E[j] * Q[i];
    }
    for (int j = 0; j <= r; j++) c->plain.force[j] = force[j];
}

/* (1) of one row, whose entries begin at e; returns where they end. */
SARI_INLINE const sari_quadratic_entry* lay_row(sari_chart* c, const int r, int row,
                                                const sari_quadratic_entry* e)
{
    enum { MOST = SARI_CHART_WIDE };
    const sari_quadratics* f = c->sys->quadratic;
    const int n = r + 1;
    const double *q = c->q_b, scale = c->row[row];
    double *b = c->plain.b + row * n, *K = c->plain.K + row * n * n;
    double twice = 0.0, E[MOST], of_row[MOST], other[MOST];
    for (int j = 0; j < n; j++) b[j] = 0.0;
    for (int j = 0; j < n * n; j++) K[j] = 0.0;
    for (const sari_quadratic_entry* end = f->row[row].end; e < end; e++) {
        const double gradient = e->b + sari_quadratics_times(f, e, q, 1);
        twice += q[e->i] * (e->b + gradient);
        frame_row(c, r, e->i, E);
        for (int j = 0; j < n; j++) of_row[j] = 0.0;
        for (int k = 0; k < 2; k++) {
            frame_row(c, r, e->x[k], other);
            for (int j = 0; j < n; j++) of_row[j] += e->c[k] * other[j];
        }
        for (int k = e->more; k < e->end; k++) {
            frame_row(c, r, f->term[k].i, other);
            for (int j = 0; j < n; j++) of_row[j] += f->term[k].c * other[j];
        }
        for (int j = 0; j < n; j++) b[j] += scale * gradient * E[j];
        for (int j = 0; j < n; j++)
            for (int k = 0; k <= j; k++) K[j * n + k] += scale * E[j] * of_row[k];
    }
    for (int j = 0; j < n; j++)
        for (int k = 0; k < j; k++) K[k * n + j] = K[j * n + k];
    c->plain.c[row] = scale * (f->row[row].c + 0.5 * twice);
    return e;
}

SARI_INLINE int lay(sari_chart* c, const int r, int with_force)
{
    const sari_quadratic_entry* e = c->sys->quadratic->entry;
    for (int row = 0; row < r; row++) e = lay_row(c, r, row, e);
    if (with_force) turn_force(c, r);
    return 0;
}

static int lay_sized(sari_chart* c, int with_force)
{
    SIZED(c, lay, with_force)
}

void sari_chart_plain_lay(sari_chart* c)
{
    lay_sized(c, c->sys->constant_force);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* (2) at the present z and w */
SARI_INLINE void rows(sari_chart* c, const int r)
{
    const int n = r + 1;
    const double *z = c->at.z, *w = c->at.w;
    sari_chart_plain* p = &c->plain;
    for (int i = 0; i < r; i++) {
        const double *b = p->b + i * n, *K = p->K + i * n * n;
        double g[SARI_CHART_WIDE];
        for (int j = 0; j < n; j++) g[j] = b[j] + K[j] * z[0];
        for (int k = 0; k < r; k++)
            for (int j = 0; j < n; j++) g[j] += K[(k + 1) * n + j] * w[k];
        double twice = z[0] * (b[0] + g[0]);
        for (int k = 0; k < r; k++) twice += w[k] * (b[1 + k] + g[1 + k]);
        p->Phi[i] = p->c[i] + 0.5 * twice;
        for (int j = 0; j < n; j++) p->g[i * n + j] = g[j];
    }
}

/* ---- factors -------------------------------------------------------------------------------- */

SARI_INLINE void swap(double* a, double* b)
{
    const double keep = *a;
    *a = *b;
    *b = keep;
}

/* A = A^-1 by Gauss and Jordan, with the largest pivots of the columns; the product of these. A pivot
 * below `least` would give no vectors of a singular value that is zero. */
SARI_INLINE double invert(const int n, double least, double* A)
{
    int row_of[SARI_CHART_SMALL];
    double product = 1.0;
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[p * n + k])) p = i;
        row_of[k] = p;
        if (p != k)
            for (int j = 0; j < n; j++) swap(&A[k * n + j], &A[p * n + j]);
        if (fabs(A[k * n + k]) < least) A[k * n + k] = least;
        const double inverse = 1.0 / A[k * n + k];
        product *= A[k * n + k];
        A[k * n + k] = 1.0;
        for (int j = 0; j < n; j++) A[k * n + j] *= inverse;
        for (int i = 0; i < n; i++) {
            if (i == k) continue;
            const double factor = A[i * n + k];
            A[i * n + k] = 0.0;
            for (int j = 0; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
        }
    }
    for (int k = n - 1; k >= 0; k--)
        if (row_of[k] != k)
            for (int i = 0; i < n; i++) swap(&A[i * n + k], &A[i * n + row_of[k]]);
    return fabs(product);
}

/* A = A^-1 of two rows, its determinant and its smallest singular value,
 *
 *     sigma_2 = |det| / sigma_1,   2 sigma_1^2 = |A|^2 + sqrt(|A|^4 - 4 det^2) */
SARI_INLINE double invert_two(double least, double* A, double* smallest)
{
    const double a = A[0], b = A[1], c = A[2], d = A[3], squares = a * a + b * b + c * c + d * d;
    double det = a * d - b * c;
    if (fabs(det) < least * sqrt(squares)) det = least * sqrt(squares);
    const double apart = squares * squares - 4.0 * det * det, inverse = 1.0 / det;
    *smallest = fabs(det) / sqrt(0.5 * (squares + sqrt(apart > 0.0 ? apart : 0.0)));
    A[0] = d * inverse;
    A[1] = -b * inverse;
    A[2] = -c * inverse;
    A[3] = a * inverse;
    return fabs(det);
}

/* The smallest singular value of B by iteration with X = B^-1 from c->f.right, as in
 * least_squares.c. */
SARI_INLINE double smallest_value(sari_chart* c, const int r, const int iterations)
{
    const double* X = c->plain.X;
    double right[SARI_CHART_SMALL], *left = c->plain.left, value = 0.0;
    const int rounds = sari_qr_guess(r, c->f.right, right) ? iterations : 2;
    for (int round = 0; round < rounds; round++) {
        for (int j = 0; j < r; j++) left[j] = right[0] * X[j];
        for (int i = 1; i < r; i++)
            for (int j = 0; j < r; j++) left[j] += right[i] * X[i * r + j];
        for (int i = 0; i < r; i++) right[i] = sari_chart_sum(r, X + i * r, left);
        const double length = 1.0 / sqrt(sari_chart_sum(r, right, right));
        value = sqrt(sari_chart_sum(r, left, left)) * length;
        for (int k = 0; k < r; k++) right[k] *= length;
    }
    for (int k = 0; k < r; k++) c->f.right[k] = right[k];
    return value;
}

/* X = B^-1, the smallest singular value, and the longest column of B. */
SARI_INLINE void factor(sari_chart* c, const int r)
{
    sari_chart_plain* p = &c->plain;
    double longest = c->usual * c->usual;
    for (int j = 0; j < r; j++) {
        double square = 0.0;
        for (int i = 0; i < r; i++) {
            const double x = p->g[i * (r + 1) + 1 + j];
            p->X[i * r + j] = x;
            square += x * x;
        }
        longest = square > longest ? square : longest;
    }
    c->f.largest = sqrt(longest);
    const double least = SARI_QR_ZERO * c->f.largest;
    if (r == 2) { // its vectors come with the distance
        p->product = invert_two(least, p->X, &c->f.smallest);
    } else {
        p->product = invert(r, least, p->X);
        c->f.smallest = p->product > 0.0 ? smallest_value(c, r, sari_chart_sigma_rounds(c)) : 0.0;
    }
    c->sigma = c->f.largest > 0.0 ? c->f.smallest / c->f.largest : 0.0;
    c->factors++;
}

/* out = X b: B_0^-1 b, where B_0 is what was factored. */
SARI_INLINE void divide(const sari_chart_plain* p, const int r, const double* b,
                        double* restrict out)
{
    for (int i = 0; i < r; i++) out[i] = sari_chart_sum(r, p->X + i * r, b);
}

/* out = B^-1 y, B that of the place: x <- x + B_0^-1 (y - B x), also where B_0 is B: an inverse is not
 * as good as a solution. */
SARI_INLINE void solve(const sari_chart_plain* p, const int r, const int refinements,
                       const double* y, double* restrict out)
{
    double rest[SARI_CHART_SMALL], change[SARI_CHART_SMALL];
    divide(p, r, y, out);
    for (int round = 0; round < refinements; round++) {
        for (int i = 0; i < r; i++) rest[i] = y[i] - sari_chart_sum(r, p->g + i * (r + 1) + 1, out);
        divide(p, r, rest, change);
        for (int i = 0; i < r; i++) out[i] += change[i];
    }
}

/* out = B'^-1 y, likewise. */
SARI_INLINE void solve_transposed(const sari_chart_plain* p, const int r, const int refinements,
                                  const double* y, double* restrict out)
{
    double rest[SARI_CHART_SMALL];
    for (int i = 0; i < r; i++) out[i] = 0.0;
    for (int round = 0; round <= refinements; round++) {
        for (int j = 0; j < r; j++) {
            rest[j] = y[j];
            for (int i = 0; round && i < r; i++) rest[j] -= p->g[i * (r + 1) + 1 + j] * out[i];
        }
        for (int i = 0; i < r; i++)
            for (int j = 0; j < r; j++) out[i] += p->X[j * r + i] * rest[j];
    }
}

/* ---- the place ------------------------------------------------------------------------------ */

/* q at the present z and w */
SARI_INLINE void go(sari_chart* c, const int r)
{
    const double *V = c->V, *W = c->W, z = c->at.z[0], *w = c->at.w;
    for (int i = 0; i <= r; i++) {
        const double x = V[i] * z + sari_chart_sum(r, W + i * r, w);
        c->q[i] = c->q_b[i] + x;
    }
}

/* y'K_i x */
SARI_INLINE double bent(const sari_chart* c, const int r, int i, const double* y, const double* x)
{
    const int n = r + 1;
    const double* K = c->plain.K + i * n * n;
    double sum = 0.0;
    for (int j = 0; j < n; j++) sum += y[j] * sari_chart_sum(n, K + j * n, x);
    return sum;
}

/* The distance from the singular set, where there is one way: sigma by its change along T, which is
 * left'(y'K_i right) / |left|. */
SARI_INLINE void measure_distance(sari_chart* c, const int r, const sari_chart_point* from)
{
    const double* left = c->plain.left;
    double y[SARI_CHART_WIDE] = {1.0}, right[SARI_CHART_WIDE] = {0.0}, slope = 0.0;
    if (r == 2) smallest_value(c, r, 2);
    for (int k = 0; k < r; k++) {
        y[1 + k] = from->D[k];
        right[1 + k] = c->f.right[k];
    }
    for (int i = 0; i < r; i++) slope += left[i] * bent(c, r, i, y, right);
    const double length = sqrt(sari_chart_sum(r, left, left)) * c->f.largest;
    c->measured = 1;
    c->along_time = 0.0;
    c->along[0] = slope < 0.0 ? -1.0 : 1.0;
    go(c, r);
    c->along_turn = sari_equations_turn(c->sys, c->q, from->T);
    c->slope = fabs(slope / length) / c->along_turn;
    c->delta = c->slope > 0.0 ? c->sigma / c->slope : INFINITY;
}

/* Is the present place too near a singular position, in parts of the usual distance? */
SARI_INLINE int is_near(sari_chart* c, const int r, const sari_chart_point* from, double part)
{
    c->delta = INFINITY;
    if (!(c->sigma < SARI_CHART_GATE * c->sigma_usual)) return 0;
    measure_distance(c, r, from);
    return c->delta < part * SARI_CHART_NEAR_RAD;
}

/* Newton's method for w, (3) of chart.c. The factors are those of the prediction, or of where it leads if
 * that is far; what they miss at the end, a few steps of refinement make up for. */
SARI_INLINE sari_chart_outcome iterate(sari_chart* c, const int r, double way, const int tangents)
{
    const double farthest = 0.5 * c->ell + 2.0 * way;
    double last = INFINITY, moved = 0.0, dw[SARI_CHART_SMALL], *w = c->at.w;
    for (int k = 0; k < SARI_CHART_ITERATIONS; k++) {
        divide(&c->plain, r, c->plain.Phi, dw);
        for (int i = 0; i < r; i++) w[i] -= dw[i];
        const double size = sqrt(sari_chart_sum(r, dw, dw));
        if (!(size <= farthest)) return SARI_CHART_LOST;
        const int still = sari_chart_is_still(c, size) || (k && sari_chart_rounded(c, size));
        if (still || (size < c->stalled * c->ell && size >= 0.5 * last)) {
            c->refinements = sari_chart_staleness(c, moved) < SARI_CHART_HALF ? 1 : 2;
            return SARI_CHART_OK;
        }
        moved += size;
        last = size;
        const double after = sari_chart_staleness(c, moved);
        if (!tangents && after * size < SARI_CHART_CONVERGED * c->ell) return SARI_CHART_OK;
        rows(c, r);
        if (after > SARI_CHART_STALE) {
            factor(c, r);
            moved = 0.0;
        }
    }
    return SARI_CHART_LOST;
}

/* D = -B^-1 row Phi_q V,   T = V + W D                                          (4) of chart.c */
SARI_INLINE void set_tangents(sari_chart* c, const int r)
{
    double along[SARI_CHART_SMALL], x[SARI_CHART_SMALL];
    for (int i = 0; i < r; i++) along[i] = c->plain.g[i * (r + 1)];
    solve(&c->plain, r, c->refinements, along, x);
    for (int k = 0; k < r; k++) c->at.D[k] = -x[k];
    for (int k = 0; k < r; k++) c->at.w_t[k] = 0.0;
    for (int i = 0; i <= r; i++) c->at.T[i] = c->V[i] - sari_chart_sum(r, c->W + i * r, x);
}

/* From the present w. */
SARI_INLINE sari_chart_outcome find_place(sari_chart* c, const int r, int carefully,
                                          const int tangents, const sari_chart_prediction* from)
{
    c->measured = 0;
    c->delta = INFINITY;
    rows(c, r);
    factor(c, r);
    const long factors = c->factors;
    if (carefully && is_near(c, r, from->point, 0.7)) return SARI_CHART_NEAR;
    const sari_chart_outcome reached = iterate(c, r, from->way, tangents);
    if (reached != SARI_CHART_OK || !carefully) return reached;
    const int near =
        c->factors > factors ? is_near(c, r, from->point, 1.0) : c->delta < SARI_CHART_NEAR_RAD;
    return near ? SARI_CHART_NEAR : SARI_CHART_OK;
}

SARI_INLINE sari_chart_outcome find(sari_chart* c, const int r, double t, double z, int carefully,
                                    sari_chart_aim purpose)
{
    c->at.t = t;
    c->at.z[0] = z;
    c->refinements = 1;
    const sari_chart_prediction from = sari_chart_predict_on_line(c, r, z);
    const sari_chart_outcome reached =
        find_place(c, r, carefully, purpose != SARI_CHART_PLACE, &from);
    go(c, r);
    if (reached != SARI_CHART_OK) return reached;
    if (purpose == SARI_CHART_PLACE)
        return sari_chart_strayed(c, r, &from) ? SARI_CHART_BRANCH : SARI_CHART_OK;
    if (purpose == SARI_CHART_LOOK) {
        factor(c, r);
        return SARI_CHART_OK;
    }
    set_tangents(c, r);
    return sari_chart_left_branch(c, r, 1, &from) ? SARI_CHART_BRANCH : SARI_CHART_OK;
}

sari_chart_outcome sari_chart_plain_find(sari_chart* c, double t, double z, int carefully,
                                         sari_chart_aim purpose){
    SIZED(c, find, t, z, carefully, purpose)}

/* The base, or the place that was evaluated last in the step. */
SARI_INLINE const sari_chart_point* nearest_end(const sari_chart* c, double z)
{
    const sari_chart_point *base = &c->point[0], *last = &c->point[c->points - 1];
    return fabs(z) < fabs(z - last->z[0]) ? base : last;
}

/* The place that w_predicted is for, which is good. */
SARI_INLINE sari_chart_outcome meet(sari_chart* c, const int r, double t, double z, int whole)
{
    sari_chart_prediction from = {nearest_end(c, z), 0.0, 0.0};
    c->at.t = t;
    c->at.z[0] = z;
    c->refinements = 1;
    for (int i = 0; i < r; i++) c->at.w[i] = c->w_predicted[i];
    from.way = fabs(z) + sqrt(sari_chart_sum(r, c->at.w, c->at.w));
    c->measured = 0;
    rows(c, r);
    factor(c, r);
    if (is_near(c, r, from.point, 1.0)) return SARI_CHART_NEAR;
    const sari_chart_outcome reached = iterate(c, r, from.way, whole);
    if (reached != SARI_CHART_OK) return reached;
    if (sari_chart_strayed(c, r, &from)) return SARI_CHART_BRANCH;
    go(c, r);
    if (whole) set_tangents(c, r);
    return SARI_CHART_OK;
}

sari_chart_outcome sari_chart_plain_meet(sari_chart* c, double t, double z,
                                         int whole){SIZED(c, meet, t, z, whole)}

/* ---- the motion ----------------------------------------------------------------------------- */

SARI_INLINE sari_chart_outcome move(sari_chart* c, const int r, double t, double u)
{
    const double *D = c->at.D, *T = c->at.T, *force = c->plain.force;
    double y[SARI_CHART_WIDE] = {1.0}, bends[SARI_CHART_SMALL], bend[SARI_CHART_SMALL];
    double D_dot_Dd = 0.0, D_dot_e = 0.0;
    const double CC = 1.0 + sari_chart_sum(r, D, D), C = sqrt(CC), zd = u / C;
    for (int k = 0; k < r; k++) y[1 + k] = D[k];
    for (int i = 0; i < r; i++) bends[i] = bent(c, r, i, y, y);
    solve(&c->plain, r, c->refinements, bends, bend);
    for (int k = 0; k < r; k++) {
        const double Dd = -bend[k] * zd, e = Dd * zd;
        D_dot_Dd += D[k] * Dd;
        D_dot_e += D[k] * e;
        c->Dd[k] = Dd;
        c->at.e[k] = e;
    }
    for (int i = 0; i <= r; i++) c->v[i] = T[i] * zd;
    if (!c->sys->constant_force) {
        sari_equations_eval(c->sys, SARI_EVAL_FORCE, t, c->q, c->v);
        turn_force(c, r);
    }
    const double zdd = (force[0] + sari_chart_sum(r, D, force + 1) - D_dot_e) / CC,
                 ud = C * zdd + D_dot_Dd / C * zd;
    c->C[0] = C;
    c->at.zd[0] = zd;
    c->zdd[0] = zdd;
    c->ud[0] = ud;
    return isfinite(zdd + ud) ? SARI_CHART_OK : SARI_CHART_UNDEFINED;
}

sari_chart_outcome sari_chart_plain_motion(sari_chart* c, double t, double u)
{
    SIZED(c, move, t, u)
}

/* (3) */
void sari_chart_plain_multipliers(sari_chart* c)
{
    const int r = c->r;
    double g[SARI_CHART_SMALL], lambda[SARI_CHART_SMALL];
    for (int k = 0; k < r; k++) g[k] = c->plain.force[1 + k] - c->at.D[k] * c->zdd[0] - c->at.e[k];
    solve_transposed(&c->plain, r, c->refinements, g, lambda);
    for (int i = 0; i < r; i++) c->lambda[i] = c->row[i] * lambda[i];
}
