/* The dense algebra of a place: B, its factors and tangents, (1), (3) and (4) of chart.c. */
#include "formulations/chart/limits.h"
#include "linalg/tall.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- positions that are no vectors ---------------------------------------------------------- */

/* A = velocities(q_b, position_rates(q, .)), turn by turn; one column of all turns at a time. */
void sari_chart_turn_map(sari_chart* c)
{
    const sari_coordinates* space = c->sys->space;
    if (c->turns == 0) return;
    for (int k = 0; k < 3; k++) {
        memset(c->work.vector, 0, (size_t)c->n * sizeof(double));
        for (int b = 0; b < c->turns; b++) c->work.vector[c->turn[b] + k] = 1.0;
        sari_coordinates_position_rates(space, c->q, c->work.vector, c->work.position);
        sari_coordinates_velocities(space, c->base.q, c->work.position, c->work.vector);
        for (int b = 0; b < c->turns; b++)
            for (int i = 0; i < 3; i++)
                c->A_inv[9 * b + 3 * i + k] = c->work.vector[c->turn[b] + i];
    }
    for (int b = 0; b < c->turns; b++) {
        double A[9];
        memcpy(A, c->A_inv + 9 * b, sizeof A);
        sari_invert3(A, c->A_inv + 9 * b);
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

/* Is q less than half a revolution from q_b, in all turns? A is singular there, and beyond it
 * another q, that of the opposite sign, has the same x. A_inv is that of q. */
static int same_side(const sari_chart* c)
{
    for (int b = 0; b < c->turns; b++)
        if (!(sari_determinant3(c->A_inv + 9 * b) > 0.0)) return 0;
    return 1;
}

/* x(q) = velocities(q_b, q - q_b) is solved for q by Newton's method. 0: not from this q. */
static int turn_to(sari_chart* c, const double* x, int most)
{
    const sari_coordinates* space = c->sys->space;
    double largest = INFINITY;
    for (int k = 0; k < most && largest > 1e-9; k++) { // it converges quadratically
        largest = 0.0;
        for (int i = 0; i < c->np; i++) c->work.position[i] = c->q[i] - c->base.q[i];
        sari_coordinates_velocities(space, c->base.q, c->work.position, c->work.vector);
        for (int i = 0; i < c->n; i++) c->work.g[i] = x[i] - c->work.vector[i];
        sari_chart_turn_map(c);
        sari_chart_apply_inverse(c, 1, c->work.g);
        for (int i = 0; i < c->n; i++) largest = fmax(largest, fabs(c->work.g[i]) / c->unit[i]);
        sari_coordinates_move(space, c->q, c->work.g, c->q);
    }
    sari_coordinates_normalise(space, c->q);
    sari_chart_turn_map(c);
    return !(largest > 1e-9) && same_side(c);
}

/* (1). On a manifold from the last q, which is near as a rule; after an attempt that went too far it
 * may be on the other side. From q_b the turns only grow towards the solution, as x does less than
 * they: 2 sin(turn/2). Nowhere if x is more than half a revolution. */
void sari_chart_place(sari_chart* c, const double* x)
{
    enum { USUAL = 8, MOST = 40 };
    if (c->turns == 0) {
        for (int i = 0; i < c->n; i++) c->q[i] = c->base.q[i] + x[i];
        return;
    }
    if (turn_to(c, x, USUAL)) return;
    memcpy(c->q, c->base.q, (size_t)c->np * sizeof(double));
    if (turn_to(c, x, MOST)) return;
    for (int i = 0; i < c->np; i++) c->q[i] = NAN;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Combinations of rows that are not held count for nothing. */
static void drop_slack(const sari_chart* c, int k, double* Y)
{
    const sari_slack* slack = &c->sys->slack;
    for (int s = 0; s < slack->count; s++) {
        const double* u = slack->u + (size_t)s * (size_t)slack->rows;
        memset(c->work.drop, 0, (size_t)k * sizeof(double));
        for (int i = 0; i < slack->rows; i++)
            for (int j = 0; j < k; j++) c->work.drop[j] += u[i] * Y[i * k + j];
        for (int i = 0; i < slack->rows; i++)
            for (int j = 0; j < k; j++) Y[i * k + j] -= u[i] * c->work.drop[j];
    }
}

void sari_chart_times(const sari_chart* c, const sari_csr* J, int k, const double* X, double* Y)
{
    const int slack = c->sys->slack.count;
    sari_tall_times(J, c->nh, slack ? NULL : c->row, k, X, Y);
    if (!slack) return;
    drop_slack(c, k, Y);
    for (int i = 0; i < c->nh; i++)
        for (int j = 0; j < k; j++) Y[i * k + j] *= c->row[i];
}

/* AW = A^-1 W */
static void turn_rest(sari_chart* c)
{
    memcpy(c->AW, c->base.W, (size_t)c->n * (size_t)c->r * sizeof(double));
    sari_chart_apply_inverse(c, c->r, c->AW);
}

/* B = row Phi_q A^-1 W and its factors, as the system is evaluated. */
void sari_chart_dense_factor(sari_chart* c, const sari_chart_point* from)
{
    (void)from;
    if (c->turns) turn_rest(c);
    sari_chart_times(c, &c->sys->Phi_q, c->r, c->AW, c->f.A);
    sari_least_squares_factor(&c->f);
    c->f.largest = fmax(c->f.largest, c->base.usual);
    sari_least_squares_smallest(&c->f, sari_chart_sigma_rounds(c));
    c->singular.sigma = c->f.largest > 0.0 ? c->f.smallest / c->f.largest : 0.0;
    c->factors++;
    c->refinements = 0;
}

/* ---- singular values ------------------------------------------------------------------------ */

/* Change of the smallest singular value of B along the motion v, per unit of it. */
static double slope_along(sari_chart* c, double t, const double* v, const double* left,
                          const double* y)
{
    sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN_RATE, t, c->q, v);
    sari_chart_times(c, &c->sys->Phi_q_rate, 1, y, c->work.rhs);
    return sari_vector_dot(c->nh, left, c->work.rhs) / c->f.largest;
}

/* out = X z, n x k */
static void combine(int n, int k, const double* X, const double* z, double* out)
{
    for (int i = 0; i < n; i++) out[i] = sari_vector_dot(k, X + (size_t)i * (size_t)k, z);
}

void sari_chart_dense_gradient(sari_chart* c, double t, const double* T, double sigma,
                               const double* right, double* left, double* g)
{
    const int n = c->n, d = c->d;
    double *y = c->x, *moving = c->v;
    (void)sigma;
    sari_least_squares_rotate(&c->f, left);
    combine(n, c->r, c->AW, right, y);
    for (int j = 0; j < d; j++) {
        for (int i = 0; i < n; i++) moving[i] = T[i * d + j];
        g[j] = slope_along(c, t, moving, left, y);
    }
}

double sari_chart_dense_slope_in_time(sari_chart* c, double t, const double* w_t, double* turn)
{
    double *y = c->x, *moving = c->v;
    sari_least_squares_rotate(&c->f, c->singular.left);
    combine(c->n, c->r, c->AW, c->singular.right, y);
    combine(c->n, c->r, c->AW, w_t, moving);
    *turn = sari_equations_turn(c->sys, c->q, moving);
    return fabs(slope_along(c, t, moving, c->singular.left, y));
}

double sari_chart_dense_next_value(sari_chart* c, int count, const double* known, double* right,
                                   double* left)
{
    double* lefts = c->work.others + (size_t)((SARI_CHART_OTHERS + 1) * c->r + c->nh + 2 * c->d);
    return sari_least_squares_next(&c->f, count, known, lefts, right, left) / c->f.largest;
}

/* Where two singular values are zero, any left vector of theirs goes with any right one, and one of one
 * loop with one of another has no slope: the sums of both have that of both. */
int sari_chart_dense_mix(sari_chart* c, double zero)
{
    const int r = c->r;
    double *lefts = c->work.others, *right = lefts + r, *left = right + r;
    const double second =
        sari_least_squares_next(&c->f, 1, c->singular.right, lefts, right, left) / c->f.largest;
    if (!(second < zero)) return 0;
    memset(c->singular.left, 0, (size_t)c->nh * sizeof(double));
    for (int i = 0; i < r; i++) {
        c->singular.right[i] = sqrt(0.5) * (c->singular.right[i] + right[i]);
        c->singular.left[i] = sqrt(0.5) * (lefts[i] + left[i]);
    }
    return 1;
}

/* ---- the place ------------------------------------------------------------------------------ */

/* q for the present z and w. */
void sari_chart_dense_go(sari_chart* c)
{
    const double *V = c->base.V, *W = c->base.W, *z = c->at.z, *w = c->at.w;
    double* x = c->x;
    for (int i = 0; i < c->n; i++)
        x[i] = sari_vector_dot(c->d, V + i * c->d, z) + sari_vector_dot(c->r, W + i * c->r, w);
    if (c->turns) {
        sari_chart_place(c, x);
        return;
    }
    for (int i = 0; i < c->n; i++) c->q[i] = c->base.q[i] + x[i];
}

/* w += dw, dw = -B^+ row Phi; its length. */
double sari_chart_dense_correct(sari_chart* c)
{
    const double *row = c->row, *Phi = c->sys->Phi;
    double *dw = c->work.rhs, *w = c->at.w;
    for (int i = 0; i < c->nh; i++) dw[i] = row[i] * Phi[i];
    sari_least_squares_solve(&c->f, 1, dw);
    for (int i = 0; i < c->r; i++) w[i] -= dw[i];
    return sqrt(sari_vector_dot(c->r, dw, dw));
}

/* D -= X, T -= A^-1 W X */
static void correct_tangents(sari_chart* c, const double* X)
{
    for (int i = 0; i < c->r * c->d; i++) c->at.D[i] -= X[i];
    sari_tall_add_product(c->n, c->r, c->d, -1.0, c->AW, X, c->d, c->at.T);
}

/* D = -B^+ row Phi_q A^-1 V,  w_t = -B^+ row Phi_t,  T = A^-1 (V + W D)                      (4) */
int sari_chart_dense_tangents(sari_chart* c)
{
    if (c->turns) {
        if (c->refinements) turn_rest(c); // it is that of the prediction
        memcpy(c->AV, c->base.V, (size_t)(c->n * c->d) * sizeof(double));
        sari_chart_apply_inverse(c, c->d, c->AV);
    }
    for (int i = 0; i < c->r * c->d; i++) c->at.D[i] = 0.0;
    for (int i = 0; i < c->n * c->d; i++) c->at.T[i] = c->AV[i];
    for (int round = 0; c->d && c->r && round <= c->refinements; round++) { // Phi_q T is to be zero
        sari_chart_times(c, &c->sys->Phi_q, c->d, c->at.T, c->work.Y);
        sari_least_squares_solve(&c->f, c->d, c->work.Y);
        correct_tangents(c, c->work.Y);
    }
    for (int i = 0; i < c->r; i++) c->at.w_t[i] = 0.0;
    if (!c->sys->rheonomic) return 1;
    for (int i = 0; i < c->nh; i++) c->work.rhs[i] = -c->row[i] * c->sys->Phi_t[i];
    sari_chart_solve(c, 1, c->work.rhs);
    for (int i = 0; i < c->r; i++) c->at.w_t[i] = c->work.rhs[i];
    return 1;
}

/* Does w, or where it is going, differ from what was predicted by more than a smooth surface does? Where
 * no singular configuration is near there is but one surface: a prediction that is good is on it. */
int sari_chart_left_branch(sari_chart* c, const sari_chart_prediction* from)
{
    const double GOOD = 1e-3;   // of the way: a correction of less stays on its branch
    const double SWERVE = 0.97; // cosine: a larger angle leads to another one
    const sari_chart_point* p = from->point;
    const double good = GOOD * from->way;
    const int r = c->r, d = c->d;
    double aa = 0.0, bb = 0.0, ab = 0.0;
    if (c->singular.sigma >= SARI_CHART_GATE * c->singular.sigma_usual &&
        sari_chart_stray2(c) <= good * good)
        return 0;
    for (int j = 0; j < d; j++) aa += p->zd[j] * p->zd[j];
    ab = bb = aa;
    for (int i = 0; i < r; i++) {
        const double now = sari_vector_dot(d, c->at.D + i * d, p->zd) + c->at.w_t[i];
        const double then =
            sari_vector_dot(d, p->D + i * d, p->zd) + p->w_t[i] + p->e[i] * from->tau;
        aa += now * now;
        bb += then * then;
        ab += now * then;
    }
    if (sari_chart_strayed(c, from)) return 1;
    const double slow = c->stalled * c->base.ell / c->span; // moves nothing in the time of the run
    return fmax(aa, bb) > slow * slow && aa > 0.0 && bb > 0.0 && ab < SWERVE * sqrt(aa * bb);
}
