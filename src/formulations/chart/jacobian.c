/* df/dy of the chart's first-order form at its base, for implicit integrators.
 *
 * At the base D = 0, C = I, A = I and T = V: most of what (6) to (10) of chart.c consist of has no
 * derivative there. With D_k = dD/dz_k, A_k = dA/dz_k and T_k = W D_k - A_k V,
 *
 *     d(dz/dt)/dz = 0,   d(dz/dt)/du = I,   (V'MV) d(du/dt)/du = -V'CV                       (1)
 *
 *     (V'MV) d(du/dt)/dz_k = -V'(K V_k + C T_k dz/dt) - V'(dM/dz_k) a - (dPhi_q/dz_k V)' lambda  (2)
 *                     + V'M (A_k a + dg/dz_k) + low(D_t' D_k + D_k' D_t)' dz/dt              (3)
 *
 * (2) is stiffness, damping and the geometric stiffness of the constraints, (3) what the chart's own
 * curvature adds: D_t = dD/dt, low as in (10) of chart.c. Q has no inertial terms, and M no derivative,
 * where places are linear in q; elsewhere the first two terms of (2), and CV, are difference quotients
 * of Q - M a, which cost an evaluation of forces each.
 *
 * Where motions without mass were given some, V'MW is not zero, and what the constraints make of a
 * counts too, d(bias) by differences:
 *
 *     -V'M W x,   Phi_q W x = -d(bias) - dPhi_q/dz_k a + Phi_q (A_k a + dg/dz_k)             (4)
 *
 * Left out: d2w/dz dt of constraints that depend on time, and what changes of rows on velocities,
 * which are met by projection, as in the motion itself. Near singular configurations all that needs D_k is
 * left out. */
#include "formulations/chart/chart.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

static const double BESIDE = 1e-7; ///< [rad] of a difference quotient

/// What is the same for all columns.
typedef struct slopes {
    sari_chart* c;
    double t;
    const double* q;
    int regular;        ///< D_k is well determined
    int regularised;    ///< some motion has no mass of its own
    const double* D_t;  ///< r x d
    const double* here; ///< Q - M a
    const double* bias;
} slopes;

/// Column k of d(du/dt)/dz and of d(du/dt)/du, and how far it is from row to row.
typedef struct column {
    int k, stride;
    double *of_z, *of_u;
} column;

/* out = V'x */
static void onto_tangents(const sari_chart* c, const double* x, double* out, int stride)
{
    for (int j = 0; j < c->d; j++) {
        double sum = 0.0;
        for (int i = 0; i < c->n; i++) sum += c->base.V[i * c->d + j] * x[i];
        out[j * stride] += sum;
    }
}

static void column_of(const sari_chart* c, int k, double factor, double* out)
{
    for (int i = 0; i < c->n; i++) out[i] = factor * c->base.V[i * c->d + k];
}

/* out -= A x */
static void subtract_product(const sari_csr* A, int n, const double* x, double* out)
{
    for (int i = 0; i < n; i++)
        for (int e = A->p[i]; e < A->p[i + 1]; e++) out[i] -= A->x[e] * x[A->i[e]];
}

/* out = Q - M a, as the system is evaluated */
static void left_of_forces(const sari_chart* c, double* out)
{
    sari_equations_mass_times(c->sys, c->a, out);
    for (int i = 0; i < c->n; i++) out[i] = c->sys->Q[i] - out[i];
}

/* ---- curvature ------------------------------------------------------------------------------ */

/* out = -dPhi_q/dz_k' lambda, where Phi_q_rate is dPhi_q/dz_k */
static void geometric_force(const sari_chart* c, double* out)
{
    const sari_csr* rate = &c->sys->Phi_q_rate;
    memset(out, 0, (size_t)c->n * sizeof(double));
    for (int i = 0; i < c->nh; i++)
        for (int e = rate->p[i]; e < rate->p[i + 1]; e++)
            out[rate->i[e]] -= rate->x[e] * c->lambda[i];
}

/* All that needs dPhi_q/dz_k, regularised masses excepted; T_k dz/dt, of its part W D_k, to
 * motion_of_z. */
static void add_geometry(const slopes* s, const double* qdot, const column* to)
{
    sari_chart* c = s->c;
    const int n = c->n, d = c->d, r = c->r;
    geometric_force(c, c->work.force_of_z);
    onto_tangents(c, c->work.force_of_z, to->of_z, to->stride);
    if (!s->regular) return;
    sari_chart_tangent_rates(c, qdot); // D_k
    for (int i = 0; i < r; i++) {
        const double *D_k = c->work.Dd + (size_t)(i * d), *D_t = s->D_t + (size_t)(i * d);
        const double curved = sari_vector_dot(d, D_k, c->at.zd);
        for (int l = 0; l < n; l++) c->work.motion_of_z[l] += c->base.W[l * r + i] * curved;
        for (int j = 0; j < d && !c->mv; j++)
            for (int l = j; l < d; l++)
                to->of_z[j * to->stride] +=
                    (l == j ? 0.5 : 1.0) * (D_t[l] * D_k[j] + D_k[l] * D_t[j]) * c->at.zd[l];
    }
}

/* A_k of (2) and (3): what the chart's own turning adds. Leaves A_k a + dg/dz_k in c->work.g. */
static void add_turning(const slopes* s, const double* qdot, const column* to)
{
    sari_chart* c = s->c;
    const int n = c->n;
    double *turned = c->work.g, *force = c->work.force_of_z, *rates = c->work.Cd;
    sari_chart_turn_rate(c, qdot, c->v, turned);
    for (int i = 0; i < n; i++) c->work.motion_of_z[i] -= turned[i];
    // dg/dz_k: the rates of a place beside, twice along v
    sari_coordinates_position_rates(c->sys->space, qdot, c->v, rates);
    sari_chart_turn_rate(c, rates, c->v, turned);
    sari_chart_turn_rate(c, qdot, c->a, c->x);
    for (int i = 0; i < n; i++) turned[i] += c->x[i];
    sari_equations_mass_times(c->sys, turned, force);
    onto_tangents(c, force, to->of_z, to->stride);
}

/* ---- forces --------------------------------------------------------------------------------- */

/* K and C as the neck has them. */
static void add_forces(const slopes* s, const column* to)
{
    sari_chart* c = s->c;
    const int n = c->n;
    double *force = c->work.force_of_z, *motion = c->work.vector;
    if (c->sys->K.p[n] == 0) return;
    column_of(c, to->k, 1.0, motion);
    memset(force, 0, (size_t)n * sizeof(double));
    subtract_product(&c->sys->C, n, motion, force);
    onto_tangents(c, force, to->of_u, to->stride);
    memset(force, 0, (size_t)n * sizeof(double));
    subtract_product(&c->sys->K, n, motion, force);
    subtract_product(&c->sys->C, n, c->work.motion_of_z, force);
    onto_tangents(c, force, to->of_z, to->stride);
}

/* to += ((Q - M a) there - here) / eps */
static void add_quotient(const slopes* s, const double* q, const double* v, double eps, double* to,
                         int stride)
{
    sari_chart* c = s->c;
    double* force = c->work.force_of_z;
    sari_equations_eval(c->sys, SARI_EVAL_FORCE | SARI_EVAL_MASS, s->t, q, v);
    left_of_forces(c, force);
    for (int i = 0; i < c->n; i++) force[i] = (force[i] - s->here[i]) / eps;
    onto_tangents(c, force, to, stride);
}

/* c->q and c->x: the place and the velocity beside the base, along V_k. */
static void go_beside(const slopes* s, int k, double eps)
{
    sari_chart* c = s->c;
    column_of(c, k, eps, c->work.vector);
    sari_coordinates_move(c->sys->space, s->q, c->work.vector, c->q);
    for (int i = 0; i < c->n; i++) c->x[i] = c->v[i] + eps * c->work.motion_of_z[i];
}

/* c->x: a velocity beside. */
static void speed_up(const slopes* s, int k, double rate)
{
    sari_chart* c = s->c;
    column_of(c, k, rate, c->x);
    for (int i = 0; i < c->n; i++) c->x[i] += c->v[i];
}

/* The same as difference quotients of Q - M a, with the inertia's part. */
static void add_force_differences(const slopes* s, const column* to)
{
    sari_chart* c = s->c;
    const double eps = BESIDE * c->base.ell, rate = eps * c->Omega;
    go_beside(s, to->k, eps);
    add_quotient(s, c->q, c->x, eps, to->of_z, to->stride);
    speed_up(s, to->k, rate);
    add_quotient(s, s->q, c->x, rate, to->of_u, to->stride);
}

/* ---- regularised masses: (4) ----------------------------------------------------------------------- */

/* to += -V'M W x, Phi_q W x = -(bias there - bias)/eps - rest; `rest` (nh) is scaled, and destroyed. */
static void add_constrained(const slopes* s, const double* q, const double* v, double eps,
                            double* rest, double* to, int stride)
{
    sari_chart* c = s->c;
    const int r = c->r;
    sari_equations_eval(c->sys, SARI_EVAL_BIAS, s->t, q, v);
    for (int i = 0; i < c->nh; i++)
        rest[i] = -c->row[i] * (c->sys->bias[i] - s->bias[i]) / eps - rest[i];
    sari_least_squares_solve(&c->f, 1, rest);
    for (int l = 0; l < c->n; l++)
        c->work.vector[l] = -sari_vector_dot(r, c->base.W + (size_t)(l * r), rest);
    sari_equations_eval(c->sys, SARI_EVAL_MASS, s->t, s->q, NULL);
    sari_equations_mass_times(c->sys, c->work.vector, c->work.force_of_z);
    onto_tangents(c, c->work.force_of_z, to, stride);
}

/* Phi_q_rate is dPhi_q/dz_k, c->work.g is what turns. */
static void add_regularised(const slopes* s, const column* to)
{
    sari_chart* c = s->c;
    const double eps = BESIDE * c->base.ell, rate = eps * c->Omega;
    double *rest = c->work.rhs, *turned = c->work.Y;
    sari_chart_times(c, &c->sys->Phi_q_rate, 1, c->a, rest);
    if (c->turns) {
        sari_chart_times(c, &c->sys->Phi_q, 1, c->work.g, turned);
        for (int i = 0; i < c->nh; i++) rest[i] -= turned[i];
    }
    go_beside(s, to->k, eps);
    add_constrained(s, c->q, c->x, eps, rest, to->of_z, to->stride);
    memset(rest, 0, (size_t)c->nh * sizeof(double));
    speed_up(s, to->k, rate);
    add_constrained(s, s->q, c->x, rate, rest, to->of_u, to->stride);
}

/* Is M V not G V? M V is left in c->work.Z by the motion. */
static int lends_mass(const sari_chart* c)
{
    const double LEAST = 1e-9;
    double largest = 0.0, off = 0.0;
    if (c->base.massive) return 0;
    for (int i = 0; i < c->n * c->d; i++) {
        largest = fmax(largest, fabs(c->base.GV[i]));
        off = fmax(off, fabs(c->base.GV[i] - c->work.Z[i]));
    }
    return off > LEAST * largest;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* Rows on velocities: f = (P u, P du/dt), as the motion is projected. */
static void project(sari_chart* c, double* J)
{
    const int d = c->d, size = 2 * d;
    double* x = c->zdd;
    memset(c->work.drop, 0, (size_t)c->mv * sizeof(double));
    for (int j = 0; j < size; j++) { // columns: P on the left
        for (int half = 0; half < 2; half++) {
            double* block = J + half * d * size;
            for (int i = 0; i < d; i++) x[i] = block[i * size + j];
            sari_chart_meet_velocity_rows(c, c->work.drop, x);
            for (int i = 0; i < d; i++) block[i * size + j] = x[i];
        }
    }
}

/* Motions with a regularised mass: (V'MV)^-1 in front of d(du/dt), by elimination. */
static void divide_by_mass(sari_chart* c, double* J)
{
    const int d = c->d, size = 2 * d;
    double *N = c->work.H, *x = c->work.force_of_z;
    memset(N, 0, (size_t)(d * d) * sizeof(double));
    for (int k = 0; k < d; k++) {
        column_of(c, k, 1.0, c->work.vector);
        sari_equations_mass_times(c->sys, c->work.vector, x);
        onto_tangents(c, x, N + k, d);
    }
    for (int k = 0; k < d; k++)
        for (int i = k + 1; i < d; i++) {
            const double factor = N[i * d + k] / N[k * d + k];
            for (int j = k; j < d; j++) N[i * d + j] -= factor * N[k * d + j];
            for (int j = 0; j < size; j++) J[(d + i) * size + j] -= factor * J[(d + k) * size + j];
        }
    for (int k = d - 1; k >= 0; k--)
        for (int j = 0; j < size; j++) {
            double sum = J[(d + k) * size + j];
            for (int i = k + 1; i < d; i++) sum -= N[k * d + i] * J[(d + i) * size + j];
            J[(d + k) * size + j] = sum / N[k * d + k];
        }
}

static void add_column(const slopes* s, const column* to)
{
    sari_chart* c = s->c;
    double* qdot = c->work.qdot_of_z;
    memset(c->work.motion_of_z, 0, (size_t)c->n * sizeof(double));
    column_of(c, to->k, 1.0, c->work.vector);
    sari_coordinates_position_rates(c->sys->space, s->q, c->work.vector, qdot);
    if (c->r) {
        sari_equations_eval(c->sys, SARI_EVAL_JACOBIAN_RATE, s->t, s->q, c->work.vector);
        add_geometry(s, qdot, to);
    }
    if (c->turns) add_turning(s, qdot, to);
    if (s->regularised && s->regular) add_regularised(s, to);
    if (c->sys->linear)
        add_forces(s, to);
    else
        add_force_differences(s, to);
}

sar_status sari_chart_jacobian(void* self, double t, const double* y, double* J)
{
    sari_chart* c = self;
    const int d = c->d, size = 2 * d;
    if (c->engine != &sari_chart_engine_dense) return SAR_E_INCOMPAT;
    if (d == 0) return SAR_OK; // drives leave nothing free
    if (sari_chart_evaluate(c, t, y, y + d, 1) != SARI_CHART_OK) return SAR_R_NO_CONV;
    if (c->nh) sari_chart_refresh(c);
    const int regular = c->r && !c->bridged;
    slopes s = {c,
                t,
                c->base.q,
                regular,
                lends_mass(c),
                c->work.sums,
                c->work.force_here,
                c->work.bias_here};
    memset(J, 0, (size_t)(size * size) * sizeof(double));
    memcpy(c->work.sums, c->work.Dd, (size_t)(c->r * d) * sizeof(double));
    sari_equations_eval(c->sys,
                        SARI_EVAL_MASS | SARI_EVAL_BIAS | SARI_EVAL_JACOBIAN |
                            (c->sys->linear ? SARI_EVAL_TANGENT : SARI_EVAL_FORCE),
                        t, s.q, c->v);
    left_of_forces(c, c->work.force_here);
    memcpy(c->work.bias_here, c->sys->bias, (size_t)c->nh * sizeof(double));
    for (int k = 0; k < d; k++) {
        double* of_z = J + d * size + k;
        J[k * size + d + k] = 1.0;
        add_column(&s, &(column){k, size, of_z, of_z + d});
    }
    sari_equations_eval(c->sys, SARI_EVAL_MASS, t, s.q, NULL);
    divide_by_mass(c, J);
    if (c->mv) project(c, J);
    return SAR_OK;
}
