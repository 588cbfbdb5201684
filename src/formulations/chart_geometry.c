/* The constraints solved at a place of the chart: equations (1) to (4) of chart.c. */
#include "formulations/chart.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ITERATIONS = 14 };

static const double NEAR = 0.012;    ///< [rad] from a singular position: evaluated from both sides
static const double SPAN = 6.0;      ///< times that: as far as the sums on both sides reach
static const double GATE = 0.2;      ///< of the usual sigma: where its distance is looked at
static const double ROUNDED = 1e-13; ///< [rad] corrections that leave a tangent as it is
static const double STALLED = 1e-9;  ///< [rad] and those that may fall no more
static const double STRAY = 0.3;     ///< of the way: a correction of more leads to another branch
static const double SWERVE = 0.97;   ///< cosine: so does a larger angle

/* ---- positions that are no vectors ---------------------------------------------------------- */

/* Inverse of a 3 x 3 matrix. */
static void invert(const double A[9], double out[9])
{
    const double c0 = A[4] * A[8] - A[5] * A[7], c1 = A[5] * A[6] - A[3] * A[8],
                 c2 = A[3] * A[7] - A[4] * A[6], det = A[0] * c0 + A[1] * c1 + A[2] * c2;
    const double adjugate[9] = {c0, A[2] * A[7] - A[1] * A[8], A[1] * A[5] - A[2] * A[4],
                                c1, A[0] * A[8] - A[2] * A[6], A[2] * A[3] - A[0] * A[5],
                                c2, A[1] * A[6] - A[0] * A[7], A[0] * A[4] - A[1] * A[3]};
    for (int k = 0; k < 9; k++) out[k] = adjugate[k] / det;
}

/* A = velocities(q_b, position_rates(q, .)), turn by turn; one column of all turns at a time. */
void sari_chart_turn_map(sari_chart* c)
{
    const sari_coordinates* space = c->sys->space;
    if (c->turns == 0) return;
    for (int k = 0; k < 3; k++) {
        memset(c->vector, 0, (size_t)c->n * sizeof(double));
        for (int b = 0; b < c->turns; b++) c->vector[c->turn[b] + k] = 1.0;
        sari_coordinates_position_rates(space, c->q, c->vector, c->position);
        sari_coordinates_velocities(space, c->q_b, c->position, c->vector);
        for (int b = 0; b < c->turns; b++)
            for (int i = 0; i < 3; i++) c->A_inv[9 * b + 3 * i + k] = c->vector[c->turn[b] + i];
    }
    for (int b = 0; b < c->turns; b++) {
        double A[9];
        memcpy(A, c->A_inv + 9 * b, sizeof A);
        invert(A, c->A_inv + 9 * b);
    }
}

void sari_chart_apply_inverse(const sari_chart* c, int k, double* X)
{
    for (int b = 0; b < c->turns; b++) {
        const double* A = c->A_inv + 9 * b;
        double* x = X + (size_t)c->turn[b] * (size_t)k;
        for (int j = 0; j < k; j++) {
            const double x0 = x[j], x1 = x[k + j], x2 = x[2 * k + j];
            for (int i = 0; i < 3; i++)
                x[i * k + j] = A[3 * i] * x0 + A[3 * i + 1] * x1 + A[3 * i + 2] * x2;
        }
    }
}

/* (1). On a manifold x(q) = velocities(q_b, q - q_b) is solved for q by Newton's method. */
void sari_chart_place(sari_chart* c, const double* x)
{
    enum { MOST = 8 };
    const sari_coordinates* space = c->sys->space;
    if (c->turns == 0) {
        for (int i = 0; i < c->n; i++) c->q[i] = c->q_b[i] + x[i];
        return;
    }
    for (int k = 0; k < MOST; k++) {
        double largest = 0.0;
        for (int i = 0; i < c->np; i++) c->position[i] = c->q[i] - c->q_b[i];
        sari_coordinates_velocities(space, c->q_b, c->position, c->vector);
        for (int i = 0; i < c->n; i++) c->g[i] = x[i] - c->vector[i];
        sari_chart_turn_map(c);
        sari_chart_apply_inverse(c, 1, c->g);
        for (int i = 0; i < c->n; i++) largest = fmax(largest, fabs(c->g[i]) / c->unit[i]);
        sari_coordinates_move(space, c->q, c->g, c->q);
        if (!(largest > 1e-9)) break; // it converges quadratically
    }
    sari_coordinates_normalise(space, c->q);
    sari_chart_turn_map(c);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Combinations of rows that are not held count for nothing. */
static void drop_slack(const sari_chart* c, int k, double* Y)
{
    const sari_slack* slack = &c->sys->slack;
    for (int s = 0; s < slack->count; s++) {
        const double* u = slack->u + (size_t)s * (size_t)slack->rows;
        memset(c->drop, 0, (size_t)k * sizeof(double));
        for (int i = 0; i < slack->rows; i++)
            for (int j = 0; j < k; j++) c->drop[j] += u[i] * Y[i * k + j];
        for (int i = 0; i < slack->rows; i++)
            for (int j = 0; j < k; j++) Y[i * k + j] -= u[i] * c->drop[j];
    }
}

void sari_chart_rows_times(const sari_chart* c, const sari_csr* J, int k, const double* X,
                           double* Y)
{
    for (int i = 0; i < c->nh; i++) {
        double* restrict y = Y + (size_t)i * (size_t)k;
        for (int j = 0; j < k; j++) y[j] = 0.0;
        for (int e = J->p[i]; e < J->p[i + 1]; e++) {
            const double* restrict x = X + (size_t)J->i[e] * (size_t)k, value = J->x[e];
            for (int j = 0; j < k; j++) y[j] += value * x[j];
        }
    }
    if (c->sys->slack.count) drop_slack(c, k, Y);
    for (int i = 0; i < c->nh; i++)
        for (int j = 0; j < k; j++) Y[i * k + j] *= c->row[i];
}

/* B = row Phi_q A^-1 W and its factors, as the system is evaluated. */
static void factor(sari_chart* c)
{
    if (c->turns) {
        memcpy(c->AW, c->W, (size_t)c->n * (size_t)c->r * sizeof(double));
        sari_chart_apply_inverse(c, c->r, c->AW);
    }
    sari_chart_rows_times(c, &c->sys->Phi_q, c->r, c->AW, c->f.A);
    sari_least_squares_factor(&c->f);
    c->f.largest = fmax(c->f.largest, c->usual);
    sari_least_squares_smallest(&c->f);
    c->sigma = c->f.largest > 0.0 ? c->f.smallest / c->f.largest : 0.0;
    c->factors++;
}

/* ---- distance from singular positions ------------------------------------------------------- */

/* Change of the smallest singular value of B along the motion v, per unit of it. */
static double slope_along(sari_chart* c, double t, const double* v, const double* left,
                          const double* y)
{
    sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN_RATE, t, c->q, v);
    sari_chart_rows_times(c, &c->sys->Phi_q_rate, 1, y, c->rhs);
    return sari_chart_dot(c->nh, left, c->rhs) / c->f.largest;
}

/* x = N^-1 g for the symmetric d x d matrix N, which is destroyed. */
static void solve_symmetric(int d, double* N, double* g)
{
    for (int k = 0; k < d; k++) {
        for (int i = k + 1; i < d; i++) {
            const double factor = N[i * d + k] / N[k * d + k];
            for (int j = k; j < d; j++) N[i * d + j] -= factor * N[k * d + j];
            g[i] -= factor * g[k];
        }
    }
    for (int k = d - 1; k >= 0; k--) {
        for (int j = k + 1; j < d; j++) g[k] -= N[k * d + j] * g[j];
        g[k] /= N[k * d + k];
    }
}

/* out = N^-1 g / |.|,  N = T' diag(1/unit^2) T: the steepest way in the metric of turns. */
static void steepest(sari_chart* c, const double* T, const double* g, double* out)
{
    const int n = c->n, d = c->d;
    memcpy(out, g, (size_t)d * sizeof(double));
    memset(c->H, 0, (size_t)(d * d) * sizeof(double));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < d; j++)
            for (int k = 0; k < d; k++)
                c->H[j * d + k] += T[i * d + j] * T[i * d + k] / (c->unit[i] * c->unit[i]);
    solve_symmetric(d, c->H, out);
    const double size = sqrt(sari_chart_dot(d, out, out));
    for (int j = 0; j < d && size > 0.0; j++) out[j] /= size;
}

/* out = X z, n x k */
static void combine(int n, int k, const double* X, const double* z, double* out)
{
    for (int i = 0; i < n; i++) out[i] = sari_chart_dot(k, X + (size_t)i * (size_t)k, z);
}

/* grad sigma by z, for a singular value with these vectors. */
static void gradient(sari_chart* c, double t, const double* T, const double* right, double* left,
                     double* g)
{
    const int n = c->n, d = c->d;
    double *y = c->x, *moving = c->v;
    sari_least_squares_rotate(&c->f, left);
    combine(n, c->r, c->AW, right, y);
    for (int j = 0; j < d; j++) {
        for (int i = 0; i < n; i++) moving[i] = T[i * d + j];
        g[j] = slope_along(c, t, moving, left, y);
    }
}

/* The distance along `along` to where sigma, with its gradient g, is zero. */
static double distance_along(sari_chart* c, const double* T, const double* g, double sigma,
                             double* slope)
{
    combine(c->n, c->d, T, c->along, c->v);
    c->along_turn = sari_equations_turn(c->sys, c->q, c->v);
    *slope = fabs(sari_chart_dot(c->d, g, c->along)) / c->along_turn;
    return *slope > 0.0 ? sigma / *slope : INFINITY;
}

/* Where only time moves. */
static void distance_in_time(sari_chart* c, double t, const sari_chart_point* from)
{
    double *y = c->x, *moving = c->v;
    sari_least_squares_rotate(&c->f, c->f.left);
    combine(c->n, c->r, c->AW, c->f.right, y);
    combine(c->n, c->r, c->AW, from->w_t, moving);
    c->along_time = 1.0;
    c->along_turn = sari_equations_turn(c->sys, c->q, moving);
    c->slope = fabs(slope_along(c, t, moving, c->f.left, y)) / c->along_turn;
    c->delta = c->slope > 0.0 ? c->sigma / c->slope : INFINITY;
}

/* Other loops may be near singular positions of their own: the way has to lead across all of them,
 * so that the steepest ways are added, each as far as it turns by a radian. */
static void turn_to_others(sari_chart* c, double t, const double* T, const double* first)
{
    enum { MOST = 3 };
    const int d = c->d, r = c->r;
    double *known = c->others, *right = known + (size_t)(MOST * r), *left = right + r,
           *g = left + c->nh, *way = g + d;
    memcpy(known, c->f.right, (size_t)r * sizeof(double));
    for (int j = 0; j < d; j++) c->along[j] /= c->along_turn;
    for (int k = 1; k < MOST && k < d && k < r; k++) {
        const double sigma = sari_least_squares_next(&c->f, k, known, right, left) / c->f.largest;
        if (!(sigma < GATE * c->sigma_usual)) break;
        memcpy(known + (size_t)(k * r), right, (size_t)r * sizeof(double));
        gradient(c, t, T, right, left, g);
        steepest(c, T, g, way);
        double slope, *along = c->along;
        c->along = way;
        const double away = distance_along(c, T, g, sigma, &slope);
        c->along = along;
        if (!(away < SPAN * NEAR)) continue;
        const double sign = sari_chart_dot(d, along, way) < 0.0 ? -1.0 : 1.0;
        for (int j = 0; j < d; j++) along[j] += sign / c->along_turn * way[j];
    }
    const double size = sqrt(sari_chart_dot(d, c->along, c->along));
    for (int j = 0; j < d; j++) c->along[j] /= size;
    distance_along(c, T, first, c->sigma, &c->slope);
}

/* The steepest way to the singular set, in the metric of turns:
 *     N = T' diag(1/unit^2) T,   along = N^-1 grad sigma                                     (5) */
static void measure_distance(sari_chart* c, double t, const sari_chart_point* from)
{
    double* g = c->zdd;
    c->measured = 1;
    if (c->d == 0) {
        distance_in_time(c, t, from);
        return;
    }
    c->along_time = 0.0;
    gradient(c, t, from->T, c->f.right, c->f.left, g);
    steepest(c, from->T, g, c->along);
    c->delta = distance_along(c, from->T, g, c->sigma, &c->slope);
    if (c->d > 1 && c->r > 1 && c->delta < SPAN * NEAR) turn_to_others(c, t, from->T, g);
}

/* Is the present place too near a singular position, in parts of the usual distance? */
static int is_near(sari_chart* c, double t, const sari_chart_point* from, double part)
{
    if (c->r == 0 || !(c->sigma < GATE * c->sigma_usual)) {
        c->delta = INFINITY;
        return 0;
    }
    measure_distance(c, t, from);
    // the system is evaluated as before
    sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN, t, c->q, NULL);
    return c->delta < part * NEAR;
}

/* ---- the place ------------------------------------------------------------------------------ */

static double distance2(const sari_chart* c, const sari_chart_point* p, double t, const double* z)
{
    double square = 0.0;
    for (int j = 0; j < c->d; j++) square += (z[j] - p->z[j]) * (z[j] - p->z[j]);
    if (c->sys->rheonomic) square += (t - p->t) * (t - p->t) * sari_chart_dot(c->r, p->w_t, p->w_t);
    return square;
}

static const sari_chart_point* nearest(const sari_chart* c, double t, const double* z)
{
    const sari_chart_point* best = &c->point[0];
    double least = INFINITY;
    for (int k = 0; k < c->points; k++) {
        const double square = distance2(c, &c->point[k], t, z);
        if (square < least) least = square, best = &c->point[k];
    }
    return best;
}

/* How long ago the motion was at p, as far as it goes from there to z: (2). */
static double time_from(const sari_chart* c, const sari_chart_point* p, double t, const double* z)
{
    if (c->sys->rheonomic) return t - p->t;
    double speed2 = 0.0, way = 0.0;
    for (int j = 0; j < c->d; j++) {
        speed2 += p->zd[j] * p->zd[j];
        way += p->zd[j] * (z[j] - p->z[j]);
    }
    return speed2 > 0.0 ? way / speed2 : 0.0;
}

/* (2). Returns the length of the way from p: |dz| + |dw|. */
static double predict(sari_chart* c, const sari_chart_point* p, double t, const double* z)
{
    const int d = c->d;
    const double tau = time_from(c, p, t, z), dt = c->sys->rheonomic ? t - p->t : 0.0;
    double dz2 = 0.0, dw2 = 0.0;
    for (int j = 0; j < d; j++) dz2 += (z[j] - p->z[j]) * (z[j] - p->z[j]);
    for (int i = 0; i < c->r; i++) {
        double dw = p->w_t[i] * dt + 0.5 * p->e[i] * tau * tau;
        for (int j = 0; j < d; j++) dw += p->D[i * d + j] * (z[j] - p->z[j]);
        c->at.w[i] = c->w_predicted[i] = p->w[i] + dw;
        dw2 += dw * dw;
    }
    return sqrt(dz2) + sqrt(dw2);
}

/* q for the present z and w. */
static void go(sari_chart* c)
{
    const int d = c->d, r = c->r;
    for (int i = 0; i < c->n; i++)
        c->x[i] = sari_chart_dot(d, c->V + (size_t)(i * d), c->at.z) +
                  sari_chart_dot(r, c->W + (size_t)(i * r), c->at.w);
    sari_chart_place(c, c->x);
}

/* dw = -B^+ row Phi into rhs; its length. */
static double correction(sari_chart* c)
{
    for (int i = 0; i < c->nh; i++) c->rhs[i] = -c->row[i] * c->sys->Phi[i];
    sari_least_squares_solve(&c->f, 1, c->rhs);
    return sqrt(sari_chart_dot(c->r, c->rhs, c->rhs));
}

/* Newton's method for w, (3): with the factors of the prediction as long as that converges fast,
 * and with new ones where it ends, so that they serve the tangents too. */
static sari_chart_outcome iterate(sari_chart* c, double t, double way)
{
    const double farthest = 0.5 * c->ell + 2.0 * way;
    double last = INFINITY;
    for (int k = 0, fresh = 1; k < ITERATIONS; k++) {
        const double size = correction(c);
        if (!(size <= farthest)) return SARI_CHART_LOST;
        const double noise = 3e-16 * c->ell * c->sigma_usual / fmin(c->sigma, c->sigma_usual);
        for (int i = 0; i < c->r; i++) c->at.w[i] += c->rhs[i];
        if (size > 0.0) go(c);
        const int rounded = size <= fmax(ROUNDED * c->ell, noise);
        if (fresh && (rounded || (size < STALLED * c->ell && size >= 0.5 * last)))
            return SARI_CHART_OK;
        fresh = rounded || size > 0.3 * last;
        last = size;
        sari_equations_eval(c->sys, fresh ? SARI_EVAL_JACOBIAN : SARI_EVAL_PHI, t, c->q, NULL);
        if (fresh) factor(c);
    }
    return SARI_CHART_LOST;
}

/* D = -B^+ row Phi_q A^-1 V,  w_t = -B^+ row Phi_t,  T = A^-1 (V + W D)                      (4) */
static void set_tangents(sari_chart* c)
{
    const int n = c->n, d = c->d, r = c->r;
    if (c->turns) {
        memcpy(c->AV, c->V, (size_t)(n * d) * sizeof(double));
        sari_chart_apply_inverse(c, d, c->AV);
    }
    sari_chart_rows_times(c, &c->sys->Phi_q, d, c->AV, c->Y);
    if (d) sari_least_squares_solve(&c->f, d, c->Y);
    for (int i = 0; i < r * d; i++) c->at.D[i] = -c->Y[i];
    for (int i = 0; i < n; i++) {
        double* restrict T = c->at.T + (size_t)(i * d);
        const double* AW = c->AW + (size_t)(i * r);
        for (int j = 0; j < d; j++) T[j] = c->AV[i * d + j];
        for (int k = 0; k < r; k++)
            for (int j = 0; j < d; j++) T[j] += AW[k] * c->at.D[k * d + j];
    }
    memset(c->at.w_t, 0, (size_t)r * sizeof(double));
    if (!c->sys->rheonomic) return;
    for (int i = 0; i < c->nh; i++) c->rhs[i] = -c->row[i] * c->sys->Phi_t[i];
    sari_least_squares_solve(&c->f, 1, c->rhs);
    memcpy(c->at.w_t, c->rhs, (size_t)r * sizeof(double));
}

/* Does w, or where it is going, differ from what was predicted by more than a smooth surface does?
 */
static int left_branch(const sari_chart* c, const sari_chart_point* p, double t, double way)
{
    const int d = c->d;
    const double tau = time_from(c, p, t, c->at.z);
    double off2 = 0.0, aa = 0.0, bb = 0.0, ab = 0.0;
    for (int j = 0; j < d; j++) aa += p->zd[j] * p->zd[j];
    ab = bb = aa;
    for (int i = 0; i < c->r; i++) {
        const double off = c->at.w[i] - c->w_predicted[i];
        const double now = sari_chart_dot(d, c->at.D + i * d, p->zd) + c->at.w_t[i];
        const double then = sari_chart_dot(d, p->D + i * d, p->zd) + p->w_t[i] + p->e[i] * tau;
        off2 += off * off;
        aa += now * now;
        bb += then * then;
        ab += now * then;
    }
    return sqrt(off2) > STRAY * way + STALLED * c->ell ||
           (aa > 0.0 && bb > 0.0 && ab < SWERVE * sqrt(aa * bb));
}

sari_chart_outcome sari_chart_dense_geometry(sari_chart* c, double t, const double* z,
                                             int carefully)
{
    const sari_chart_point* p = nearest(c, t, z);
    c->at.t = t;
    c->measured = 0;
    c->delta = INFINITY;
    memcpy(c->at.z, z, (size_t)c->d * sizeof(double));
    const double way = predict(c, p, t, z);
    go(c);
    if (c->r) {
        sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN, t, c->q, NULL);
        factor(c);
        if (carefully && is_near(c, t, p, 0.7)) return SARI_CHART_NEAR;
        const sari_chart_outcome reached = iterate(c, t, way);
        if (reached != SARI_CHART_OK) return reached;
        if (carefully && is_near(c, t, p, 1.0)) return SARI_CHART_NEAR;
    }
    if (c->sys->rheonomic) sari_equations_eval(c->sys, SARI_EVAL_PHI_T, t, c->q, NULL);
    set_tangents(c);
    return left_branch(c, p, t, way) ? SARI_CHART_BRANCH : SARI_CHART_OK;
}
