/* Velocities and accelerations at a place of the chart: equations (6) to (11) of chart.c. */
#include "formulations/chart/rows.h"

#include "linalg/cholesky.h"
#include "linalg/tall.h"

#include <math.h>
#include <string.h>

/* ---- quasi-velocities ----------------------------------------------------------------------- */

/* H = I + D'D = C C',  zd = C'^-1 u                                                          (6) */
static void velocities_of(sari_chart* c, const double* u)
{
    const int d = c->d;
    double* C = c->C;
    memcpy(c->at.zd, u, (size_t)d * sizeof(double));
    if (c->mv) return; // u is zd
    for (int j = 0; j < d; j++)
        for (int k = 0; k <= j; k++) C[j * d + k] = j == k;
    for (int i = 0; i < c->r; i++) {
        const double* D = c->at.D + (size_t)(i * d);
        for (int j = 0; j < d; j++) sari_vector_add(j + 1, D[j], D, C + j * d);
    }
    sari_cholesky(d, C, 0.0);
    sari_cholesky_backward(d, C, c->at.zd);
}

void sari_chart_quasi_accelerations(sari_chart* c, double* N)
{
    const int d = c->d;
    double *C = c->C, *y = c->work.vector;
    sari_cholesky_forward_rows(d, C, d, N, y); // C^-1 N, and N is symmetric: (N C'^-1)'
    for (int j = 0; j < d; j++)
        for (int k = 0; k < j; k++) {
            const double other = N[j * d + k];
            N[j * d + k] = N[k * d + j];
            N[k * d + j] = other;
        }
    sari_cholesky_forward_rows(d, C, d, N, y); // C^-1 (N C'^-1)
    for (int j = 0; j < d; j++) N[j * d + j] *= 0.5;
    for (int j = 0; j < d; j++) { // dC/dt' zd = low' (C' zd)
        y[j] = 0.0;
        for (int k = j; k < d; k++) y[j] += C[k * d + j] * c->at.zd[k];
    }
    for (int j = 0; j < d; j++) {
        c->ud[j] = 0.0;
        for (int k = j; k < d; k++) c->ud[j] += C[k * d + j] * c->zdd[k] + N[k * d + j] * y[k];
    }
}

/* dH/dt = Dd'D + D'Dd */
static void quasi_accelerations(sari_chart* c)
{
    const int d = c->d;
    double* N = c->work.H;
    if (c->mv) {
        memcpy(c->ud, c->zdd, (size_t)d * sizeof(double));
        return;
    }
    memset(N, 0, (size_t)(d * d) * sizeof(double));
    for (int i = 0; i < c->r; i++) {
        const double *D = c->at.D + (size_t)(i * d), *Dd = c->work.Dd + (size_t)(i * d);
        for (int j = 0; j < d; j++) sari_vector_add_two(d, Dd[j], D, D[j], Dd, N + j * d);
    }
    sari_chart_quasi_accelerations(c, N);
}

/* ---- rows on velocities --------------------------------------------------------------------- */

/* A_T = A T of the rows on velocities, K^-1 A_T' and the factors of S = A_T K^-1 A_T'. */
static void velocity_rows(sari_chart* c)
{
    const int d = c->d, mv = c->mv;
    const sari_csr* J = &c->sys->Phi_q;
    for (int i = 0; i < mv; i++) {
        double* row = c->work.A_T + i * d;
        memset(row, 0, (size_t)d * sizeof *row);
        for (int e = J->p[c->nh + i]; e < J->p[c->nh + i + 1]; e++)
            sari_vector_add(d, J->x[e], c->at.T + J->i[e] * d, row);
        memcpy(c->work.KA + i * d, row, (size_t)d * sizeof *row);
        sari_cholesky_solve(d, c->work.H, c->work.KA + i * d);
    }
    for (int i = 0; i < mv; i++)
        for (int k = 0; k < mv; k++)
            c->work.S[i * mv + k] = sari_vector_dot(d, c->work.A_T + i * d, c->work.KA + k * d);
    sari_cholesky(mv, c->work.S, 1e-12);
}

/* x -= K^-1 A_T' S^-1 (A_T x + rest): to the rows on velocities, the nearest in kinetic energy. */
void sari_chart_meet_velocity_rows(sari_chart* c, const double* rest, double* x)
{
    const int d = c->d, mv = c->mv;
    double* mu = c->work.rhs;
    for (int i = 0; i < mv; i++) mu[i] = sari_vector_dot(d, c->work.A_T + i * d, x) + rest[i];
    sari_cholesky_solve(mv, c->work.S, mu);
    for (int i = 0; i < mv; i++)
        for (int j = 0; j < d; j++) x[j] -= c->work.KA[i * d + j] * mu[i];
}

/* drop[i] = (row nh + i of Phi_q) x + add[nh + i] */
static void velocity_rest(sari_chart* c, const double* x, const double* add)
{
    const sari_csr* J = &c->sys->Phi_q;
    for (int i = 0; i < c->mv; i++) {
        double sum = add[c->nh + i];
        for (int e = J->p[c->nh + i]; e < J->p[c->nh + i + 1]; e++) sum += J->x[e] * x[J->i[e]];
        c->work.drop[i] = sum;
    }
}

/* ---- the motion ----------------------------------------------------------------------------- */

/* out = A^-1 W x */
static void along_constraints(const sari_chart* c, const double* x, double* out)
{
    for (int i = 0; i < c->n; i++) out[i] = sari_vector_dot(c->r, c->AW + (size_t)(i * c->r), x);
}

/* K = T'MT = (factors), Z = M T. 0: some motion has no mass. */
static int reduced_mass(sari_chart* c)
{
    const int d = c->d;
    double* K = c->work.H;
    sari_tall_sym_times(&c->sys->M, d, c->at.T, c->work.Z);
    memset(K, 0, (size_t)(d * d) * sizeof *K);
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < d; j++)
            sari_vector_add(j + 1, c->at.T[i * d + j], c->work.Z + i * d, K + j * d);
    return sari_cholesky(d, K, 1e-14) == 0;
}

/* v = T zd + A^-1 W w_t                                                                      (7) */
static void set_velocity(sari_chart* c)
{
    const int d = c->d;
    for (int i = 0; i < c->n; i++)
        c->v[i] = sari_vector_dot(d, c->at.T + (size_t)(i * d), c->at.zd);
    if (!c->sys->rheonomic) return;
    for (int i = 0; i < c->n; i++)
        c->v[i] += sari_vector_dot(c->r, c->AW + (size_t)(i * c->r), c->at.w_t);
}

/* g = A^-1 (dA/dt) v, and likewise for the columns of T: what the chart itself turns. */
void sari_chart_turn_rate(sari_chart* c, const double* qdot, const double* v, double* out)
{
    const sari_coordinates* space = c->sys->space;
    sari_coordinates_position_rates(space, qdot, v, c->work.position);
    sari_coordinates_velocities(space, c->base.q, c->work.position, out);
    int next = 0; // coordinates that are no turns do not change their meaning
    for (int b = 0; b <= c->turns; b++) {
        const int until = b < c->turns ? c->turn[b] : c->n;
        for (; next < until; next++) out[next] = 0.0;
        next = until + 3;
    }
    sari_chart_apply_inverse(c, 1, out);
}

/* Dd = -B^+ row (dPhi_q/dt T - Phi_q A^-1 (dA/dt) T)                                         (8) */
void sari_chart_tangent_rates(sari_chart* c, const double* qdot)
{
    const int d = c->d;
    sari_chart_times(c, &c->sys->Phi_q_rate, d, c->at.T, c->work.Y);
    if (c->turns) {
        double *column = c->x, *turned = c->work.vector, *G = c->work.Z, *Y = c->work.refining;
        for (int j = 0; j < d; j++) {
            for (int i = 0; i < c->n; i++) column[i] = c->at.T[i * d + j];
            sari_chart_turn_rate(c, qdot, column, turned);
            for (int i = 0; i < c->n; i++) G[i * d + j] = turned[i];
        }
        sari_chart_times(c, &c->sys->Phi_q, d, G, Y);
        for (int i = 0; i < c->nh * d; i++) c->work.Y[i] -= Y[i];
    }
    sari_chart_solve(c, d, c->work.Y);
    for (int i = 0; i < c->r * d; i++) c->work.Dd[i] = -c->work.Y[i];
}

/* Nothing but one degree of freedom moves: dD/dt dz/dt is e. */
static int moves_alone(const sari_chart* c)
{
    return c->d == 1 && !c->sys->rheonomic && !c->turns && !c->mv;
}

/* Dd = e / zd */
static void set_single_rate(sari_chart* c)
{
    const double zd = c->at.zd[0];
    for (int i = 0; i < c->r; i++) c->work.Dd[i] = zd != 0.0 ? c->at.e[i] / zd : 0.0;
}

/* e = -B^+ row (bias - Phi_q g); without time and turns the same as Dd zd, and then exactly so. */
static void set_curvature(sari_chart* c)
{
    const int d = c->d;
    if (!c->sys->rheonomic && !c->turns && !c->mv && d > 1) {
        for (int i = 0; i < c->r; i++)
            c->at.e[i] = sari_vector_dot(d, c->work.Dd + (size_t)(i * d), c->at.zd);
        return;
    }
    memset(c->work.rhs, 0, (size_t)c->nh * sizeof(double));
    if (c->turns) sari_chart_times(c, &c->sys->Phi_q, 1, c->work.g, c->work.rhs);
    for (int i = 0; i < c->nh; i++) c->work.rhs[i] -= c->row[i] * c->sys->bias[i];
    sari_chart_solve(c, 1, c->work.rhs);
    memcpy(c->at.e, c->work.rhs, (size_t)c->r * sizeof(double));
}

/* a0 = A^-1 W e - g */
static void set_drift(sari_chart* c, double* a0)
{
    along_constraints(c, c->at.e, a0);
    for (int i = 0; c->turns && i < c->n; i++) a0[i] -= c->work.g[i];
}

/* (T'MT) zdd = T'(Q - M a0)                                                                  (9) */
static void set_acceleration(sari_chart* c)
{
    const int d = c->d;
    double* a0 = c->a;
    set_drift(c, a0);
    for (int j = 0; j < d; j++) c->zdd[j] = 0.0;
    for (int i = 0; i < c->n; i++)
        sari_vector_add_two(d, c->sys->Q[i], c->at.T + i * d, -a0[i], c->work.Z + i * d, c->zdd);
    sari_cholesky_solve(d, c->work.H, c->zdd);
    if (c->mv) {
        velocity_rest(c, a0, c->sys->bias);
        sari_chart_meet_velocity_rows(c, c->work.drop, c->zdd);
    }
}

/* The same where M is the metric: T'MT = C C', T'M W = D'. */
static void set_massive_acceleration(sari_chart* c)
{
    const int d = c->d;
    for (int j = 0; j < d; j++) c->zdd[j] = 0.0;
    for (int i = 0; i < c->n; i++) sari_vector_add(d, c->sys->Q[i], c->at.T + i * d, c->zdd);
    for (int i = 0; i < c->r; i++) sari_vector_add(d, -c->at.e[i], c->at.D + i * d, c->zdd);
    sari_cholesky_solve(d, c->C, c->zdd);
}

/* Velocities that meet their rows too, and what M, Phi_q and Phi_t are there. */
static int meet_rows(sari_chart* c, double t)
{
    sari_equations_eval(c->sys, SARI_EVAL_MASS | SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T, t,
                        sari_chart_evaluated(c), NULL);
    if (!reduced_mass(c)) return 0;
    velocity_rows(c);
    along_constraints(c, c->at.w_t, c->v);
    velocity_rest(c, c->v, c->sys->Phi_t);
    sari_chart_meet_velocity_rows(c, c->work.drop, c->at.zd);
    return 1;
}

sari_chart_outcome sari_chart_dense_motion(sari_chart* c, double t, const double* u)
{
    sari_equations* sys = c->sys;
    unsigned what = SARI_EVAL_FORCE;
    velocities_of(c, u);
    if (c->mv && !meet_rows(c, t)) return c->no_mass = 1, SARI_CHART_UNDEFINED;
    if (!c->mv && !sys->constant_mass) what |= SARI_EVAL_MASS;
    const int alone = moves_alone(c);
    if (c->r && !c->mv && !alone) what |= SARI_EVAL_JACOBIAN_RATE;
    if (sys->rheonomic || c->turns || c->mv || alone) what |= SARI_EVAL_BIAS;
    set_velocity(c);
    if (sari_equations_eval(sys, what, t, sari_chart_evaluated(c), c->v) != SAR_OK)
        return SARI_CHART_UNDEFINED;
    if (c->turns) {
        double* qdot = c->work.Cd; // np numbers
        sari_coordinates_position_rates(sys->space, c->q, c->v, qdot);
        sari_chart_turn_rate(c, qdot, c->v, c->work.g);
        if (c->r && !c->mv) sari_chart_tangent_rates(c, qdot);
    } else if (c->r && !c->mv && !alone) {
        sari_chart_tangent_rates(c, NULL);
    }
    if (c->r) set_curvature(c);
    if (alone) set_single_rate(c);
    if (c->base.massive) {
        set_massive_acceleration(c);
    } else {
        if (!c->mv && !reduced_mass(c)) return c->no_mass = 1, SARI_CHART_UNDEFINED;
        set_acceleration(c);
    }
    quasi_accelerations(c);
    return sari_vector_finite(c->d, c->zdd) && sari_vector_finite(c->d, c->ud)
               ? SARI_CHART_OK
               : SARI_CHART_UNDEFINED;
}

sari_chart_outcome sari_chart_dense_velocity(sari_chart* c, const double* u)
{
    if (c->mv) return SARI_CHART_UNDEFINED; // u has to meet their rows, which takes the masses
    velocities_of(c, u);
    set_velocity(c);
    return SARI_CHART_OK;
}

/* C' zd, C of (6) */
void sari_chart_quasi_velocities_here(sari_chart* c, const double* zd, double* u)
{
    const int d = c->d;
    velocities_of(c, zd);
    for (int j = 0; j < d; j++) {
        u[j] = c->mv ? zd[j] : 0.0;
        for (int k = j; k < d && !c->mv; k++) u[j] += c->C[k * d + j] * zd[k];
    }
}

/* a = T zdd + a0 */
static void set_accelerations(sari_chart* c)
{
    const int d = c->d;
    set_drift(c, c->a);
    for (int i = 0; i < c->n; i++) c->a[i] += sari_vector_dot(d, c->at.T + (size_t)(i * d), c->zdd);
}

/* W' A^-T (Q - M a) = B' (lambda / row): the shortest such lambda, with what rows on velocities
 * need first.                                                                               (11) */
void sari_chart_dense_multipliers(sari_chart* c)
{
    const int n = c->n, r = c->r;
    double *rest = c->x, *g = c->work.w_predicted;
    const sari_csr* J = &c->sys->Phi_q;
    set_accelerations(c);
    sari_tall_sym_times(&c->sys->M, 1, c->a, rest);
    for (int i = 0; i < n; i++) rest[i] = c->sys->Q[i] - rest[i];
    if (c->mv) { // A_T' mu = T'(Q - M a), in the least-squares sense
        double* mu = c->lambda + c->nh;
        for (int i = 0; i < c->mv; i++) {
            mu[i] = 0.0;
            for (int k = 0; k < n; k++)
                for (int j = 0; j < c->d; j++)
                    mu[i] += c->work.KA[i * c->d + j] * c->at.T[k * c->d + j] * rest[k];
        }
        sari_cholesky_solve(c->mv, c->work.S, mu);
        for (int i = 0; i < c->mv; i++)
            for (int e = J->p[c->nh + i]; e < J->p[c->nh + i + 1]; e++)
                rest[J->i[e]] -= J->x[e] * mu[i];
    }
    if (c->nh == 0) return;
    for (int k = 0; k < r; k++) g[k] = 0.0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < r; k++) g[k] += c->AW[i * r + k] * rest[i];
    sari_chart_refresh(c);
    sari_least_squares_shortest(&c->f, g, c->work.rhs);
    for (int i = 0; i < c->nh; i++) c->lambda[i] = c->row[i] * c->work.rhs[i];
}
