/* Small changes (dq, dv) of a state (q, v), with a and lambda that belong to it, in minimal coordinates.
 *
 * With F = M a + Phi_q' lambda - Q (system/linear/residual.h), J all rows, those on velocities too, and T of
 * system/linear/row_space.h:
 *
 *     a = a_p + T T'(Q - M a_p),   J a_p = -bias,   J' lambda = Q - M a                        (1)
 *
 *     dq = T_1 y,           Phi_q T_1 = 0,  T_1'M T_1 = 1                                      (2)
 *     dv = P y + T_2 eta,   J T_2 = 0,      T_2'M T_2 = 1,   J P = -(J v + Phi_t)_q T_1        (3)
 *
 * are all changes that the constraints admit: y of positions, eta of velocities and of the states of forces.
 * The positions that belong to those, their integrals, are left out. Then
 *
 *     J da_p = -((J a + bias)_q dq + bias_v dv)                                                (4)
 *     da = da_p - T_2 T_2'(F_q dq + F_v dv + M da_p)                                           (5)
 *     d(dq)/dt = dv + [v, dq]                                                                  (6)
 *
 * lambda is constant in F_q, where it makes the geometric stiffness; its change drops out of (5), as does what
 * redundant rows leave open of it. [v, dq] is the bracket of positions that are no vectors: with E(q) v = dq/dt,
 *
 *     E [v, d] = E_q(E d) v - E_q(E v) d                                                       (7)
 *
 * At rest the basis does not change with time, and
 *
 *     d/dt (y; eta) = A (y; eta),   A = (T_1'M d(dq)/dt;  T_2'M (da - P dy/dt))                 (8)
 *
 * In motion it does: frames.c. */
#include "analysis/linear.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

static const double REST = 1e-12;  ///< of the pace: velocities that are rounding
static const double SOLVED = 1e-7; ///< of the largest number: what redundant rows may leave

static sar_status take_memory(sari_linear* l)
{
    sari_system* sys = l->sys;
    sari_arena* m = &l->memory;
    const int nq = sys->nq, n = nq - sys->states, most = n + nq;
    const size_t each = (size_t)most * (size_t)nq;
    l->q = SARI_TAKE(m, double, sys->np);
    l->v = SARI_TAKE(m, double, nq);
    l->a = SARI_TAKE(m, double, nq);
    l->lambda = SARI_TAKE(m, double, sys->nc);
    l->dq = SARI_TAKE(m, double, each);
    l->dv = SARI_TAKE(m, double, each);
    l->rate = SARI_TAKE(m, double, each);
    l->da = SARI_TAKE(m, double, each);
    l->A = SARI_TAKE(m, double, (size_t)most*(size_t)most);
    l->Jb = SARI_TAKE(m, double, sys->nc);
    l->work = SARI_TAKE(m, double, nq);
    l->more = SARI_TAKE(m, double, nq);
    l->bracket = SARI_TAKE(m, double, 3 * sys->np + nq);
    sari_residual_take(&l->residual, m, sys);
    SARI_TRY(sari_row_space_create(&l->on_positions, m, sys, sys->nc - sys->velocity_rows, n));
    SARI_TRY(sari_row_space_create(&l->on_velocities, m, sys, sys->nc, nq));
    return m->failed ? SAR_E_NOMEM : SAR_OK;
}

sar_status sari_linear_create(sari_system* sys, double unit, sari_linear** out)
{
    if (sys->nq > SARI_LINEAR_MOST || sys->nc > SARI_LINEAR_MOST) return SAR_E_ARG;
    sari_linear* l = SARI_NEW(sari_linear);
    if (!l) return SAR_E_NOMEM;
    l->sys = sys;
    l->unit = unit;
    const sar_status st = take_memory(l);
    if (st != SAR_OK) {
        sari_linear_destroy(l);
        return st;
    }
    *out = l;
    return SAR_OK;
}

void sari_linear_destroy(sari_linear* l)
{
    if (!l) return;
    sari_row_space_clear(&l->on_positions);
    sari_row_space_clear(&l->on_velocities);
    sari_arena_clear(&l->memory);
    sari_release(l);
}

/* ---- the state ------------------------------------------------------------------------------ */

/* x += sum_j T_j factor (T_j . f) over the motions of on_velocities */
static void add_free_part(const sari_linear* l, double factor, const double* f, double* x)
{
    const size_t nq = (size_t)l->sys->nq;
    for (int j = 0; j < l->on_velocities.d; j++) {
        const double* T = l->on_velocities.T + (size_t)j * nq;
        const double part = factor * sari_vector_dot((int)nq, T, f);
        for (size_t i = 0; i < nq; i++) x[i] += part * T[i];
    }
}

/* (1), with the system evaluated and on_velocities found. */
static void find_accelerations(sari_linear* l)
{
    sari_system* sys = l->sys;
    const int nq = sys->nq;
    for (int r = 0; r < sys->nc; r++) l->Jb[r] = -sys->bias[r];
    sari_row_space_solve(&l->on_velocities, l->Jb, l->a);
    sari_equations_mass_times(&sys->equations, l->a, l->work);
    for (int i = 0; i < nq; i++) l->work[i] = sys->Q[i] - l->work[i];
    add_free_part(l, 1.0, l->work, l->a);
    sari_equations_mass_times(&sys->equations, l->a, l->work);
    for (int i = 0; i < nq; i++) l->work[i] = sys->Q[i] - l->work[i];
    sari_row_space_multipliers(&l->on_velocities, l->work, l->lambda);
}

static void take_state(sari_linear* l, double t, const double* q, const double* v)
{
    l->t = t;
    memmove(l->q, q, (size_t)l->sys->np * sizeof(double));
    memmove(l->v, v, (size_t)l->sys->nq * sizeof(double));
    l->residual.t = t;
    l->residual.q = l->q, l->residual.v = l->v;
    l->residual.a = l->a, l->residual.lambda = l->lambda;
}

sar_status sari_linear_accelerate(sari_linear* l, double t, const double* q, const double* v)
{
    take_state(l, t, q, v);
    SARI_TRY(sari_equations_eval(&l->sys->equations, SARI_EVAL_DYNAMICS, t, l->q, l->v));
    SARI_TRY(sari_row_space_find(&l->on_velocities));
    find_accelerations(l);
    return isfinite(sari_vector_norm(l->sys->nq, l->a)) ? SAR_OK : SAR_R_NOT_FINITE;
}

/* ---- (7) ------------------------------------------------------------------------------------ */

/* out += sign E^-1 E_q(E d) w: E is of first degree in q where it depends on it at all. */
static void add_turned(sari_linear* l, double sign, const double* d, const double* w, double* out)
{
    const sari_coordinates* c = &l->sys->coordinates;
    const int np = l->sys->np, nq = l->sys->nq;
    double *there = l->bracket, *rates = there + np, *here = rates + np, *v = here + np;
    sari_coordinates_position_rates(c, l->q, d, there);
    for (int i = 0; i < np; i++) there[i] += l->q[i];
    sari_coordinates_position_rates(c, there, w, rates);
    sari_coordinates_position_rates(c, l->q, w, here);
    for (int i = 0; i < np; i++) rates[i] -= here[i];
    sari_coordinates_velocities(c, l->q, rates, v);
    for (int i = 0; i < nq; i++) out[i] += sign * v[i];
}

void sari_linear_bracket(sari_linear* l, const double* w, const double* d, double* out)
{
    memset(out, 0, (size_t)l->sys->nq * sizeof(double));
    if (l->sys->vectors) return;
    add_turned(l, 1.0, d, w, out);
    add_turned(l, -1.0, w, d, out);
}

/* ---- changes -------------------------------------------------------------------------------- */

static double* state_of(const sari_linear* l, double* vectors, int k)
{
    return vectors + (size_t)k * (size_t)l->sys->nq;
}

/* da of (5) from F = F_q dq + F_v dv and `second` = (J a + bias)_q dq + bias_v dv. */
static void find_change(sari_linear* l, const double* F, const double* second, double* da)
{
    const int nq = l->sys->nq;
    for (int r = 0; r < l->sys->nc; r++) l->Jb[r] = -second[r];
    sari_row_space_solve(&l->on_velocities, l->Jb, da);
    sari_equations_mass_times(&l->sys->equations, da, l->work);
    for (int i = 0; i < nq; i++) l->work[i] += F[i];
    add_free_part(l, -1.0, l->work, da);
}

/* M and Phi_q are those of the state again; K and C stay. */
static sar_status come_back(sari_linear* l)
{
    return sari_equations_eval(&l->sys->equations, SARI_EVAL_JACOBIAN | SARI_EVAL_MASS, l->t, l->q,
                               l->v);
}

/* Change k of positions, whose slopes along dq are kept in `slope`: nq + 2 nc numbers. */
static sar_status change_position(sari_linear* l, int k, double* slope)
{
    const int nq = l->sys->nq, nc = l->sys->nc;
    double *dq = state_of(l, l->dq, k), *dv = state_of(l, l->dv, k);
    for (int r = 0; r < nc; r++) l->Jb[r] = -slope[nq + r];
    sari_row_space_solve(&l->on_velocities, l->Jb, dv); // (3)
    SARI_TRY(sari_residual_along_velocity(&l->residual, dv, l->pace));
    for (int i = 0; i < nq; i++) slope[i] += l->residual.F[i];
    for (int r = 0; r < nc; r++) slope[nq + nc + r] += l->residual.second[r];
    SARI_TRY(come_back(l));
    find_change(l, slope, slope + nq + nc, state_of(l, l->da, k));
    sari_linear_bracket(l, l->v, dq, l->more);
    double* rate = state_of(l, l->rate, k);
    for (int i = 0; i < nq; i++) rate[i] = dv[i] + l->more[i];
    for (int i = nq - l->sys->states; i < nq; i++) rate[i] = 0.0;
    return SAR_OK;
}

static sar_status change_velocity(sari_linear* l, int k)
{
    const int nq = l->sys->nq;
    double *dv = state_of(l, l->dv, k), *rate = state_of(l, l->rate, k);
    memcpy(rate, dv, (size_t)nq * sizeof(double));
    for (int i = nq - l->sys->states; i < nq; i++) rate[i] = 0.0;
    SARI_TRY(sari_residual_along_velocity(&l->residual, dv, l->pace));
    SARI_TRY(come_back(l));
    find_change(l, l->residual.F, l->residual.second, state_of(l, l->da, k));
    return SAR_OK;
}

/* Slopes along the motions of positions, into `slopes`; the pace of what they do. */
static sar_status find_slopes(sari_linear* l, double* slopes)
{
    const size_t nq = (size_t)l->sys->nq, size = nq + 2 * (size_t)l->sys->nc;
    double stiffest = 0.0;
    for (int j = 0; j < l->positions; j++) {
        const double* T = l->on_positions.T + (size_t)j * nq;
        double* slope = slopes + (size_t)j * size;
        memcpy(state_of(l, l->dq, j), T, nq * sizeof(double));
        SARI_TRY(sari_residual_along_position(&l->residual, T, l->unit));
        memcpy(slope, l->residual.F, size * sizeof(double));
        stiffest = fmax(stiffest, fabs(sari_vector_dot((int)nq, T, slope)));
    }
    l->pace = fmax(fmax(sqrt(stiffest), sari_vector_max((int)nq, l->v)), 1e-6);
    return SAR_OK;
}

/* Is J x = -b in all rows, redundant ones too? */
static int is_solved(const sari_linear* l, int rows, const double* x, const double* b)
{
    double most = 0.0, left = 0.0;
    sari_csr_multiply(&l->sys->Phi_q, x, l->Jb);
    for (int r = 0; r < rows; r++) {
        most = fmax(most, fabs(b[r]));
        left = fmax(left, fabs(l->Jb[r] + b[r]));
    }
    return left <= SOLVED * most;
}

sar_status sari_linear_add_change(sari_linear* l, const double* Phi_u, double* slope)
{
    const int k = l->states, nq = l->sys->nq, nc = l->sys->nc, rows = l->on_positions.rows;
    double* dq = state_of(l, l->dq, k);
    if (l->on_velocities.rank == 0) return SAR_E_INCOMPAT;
    for (int r = 0; r < rows; r++) l->Jb[r] = -Phi_u[r];
    sari_row_space_solve(&l->on_positions, l->Jb, dq);
    if (!is_solved(l, rows, dq, Phi_u)) return SAR_E_INCOMPAT;
    SARI_TRY(sari_residual_along_position(&l->residual, dq, l->unit));
    for (int i = 0; i < nq + 2 * nc; i++) slope[i] += l->residual.F[i];
    SARI_TRY(change_position(l, k, slope));
    return is_solved(l, nc, state_of(l, l->dv, k), slope + nq) ? SAR_OK : SAR_E_INCOMPAT;
}

static sar_status find_changes(sari_linear* l)
{
    const size_t nq = (size_t)l->sys->nq, size = nq + 2 * (size_t)l->sys->nc;
    double* slopes = SARI_NEW_ARRAY(double, (size_t)(l->positions + 1) * size);
    if (!slopes) return SAR_E_NOMEM;
    sar_status st = find_slopes(l, slopes);
    for (int j = 0; j < l->positions && st == SAR_OK; j++)
        st = change_position(l, j, slopes + (size_t)j * size);
    for (int j = 0; j < l->velocities && st == SAR_OK; j++) {
        memset(state_of(l, l->dq, l->positions + j), 0, nq * sizeof(double));
        memcpy(state_of(l, l->dv, l->positions + j), l->on_velocities.T + (size_t)j * nq,
               nq * sizeof(double));
        st = change_velocity(l, l->positions + j);
    }
    sari_release(slopes);
    return st;
}

sar_status sari_linear_find(sari_linear* l, double t, const double* q, const double* v)
{
    const sari_system* sys = l->sys;
    take_state(l, t, q, v);
    SARI_TRY(sari_residual_tangent(&l->residual));
    SARI_TRY(sari_row_space_find(&l->on_positions));
    SARI_TRY(sari_row_space_find(&l->on_velocities));
    find_accelerations(l);
    if (!isfinite(sari_vector_norm(sys->nq, l->a))) return SAR_R_NOT_FINITE;
    l->positions = l->on_positions.d;
    l->velocities = l->on_velocities.d;
    l->states = l->positions + l->velocities;
    SARI_TRY(find_changes(l));
    l->at_rest = !(sari_vector_max(sys->nq - sys->states, l->v) > REST * l->pace);
    l->unbalanced = sari_vector_max(sys->nq - sys->states, l->a);
    return SAR_OK;
}

void sari_linear_reduce(sari_linear* l)
{
    const size_t n = (size_t)l->states, nq = (size_t)l->sys->nq;
    for (size_t k = 0; k < n; k++) {
        const double *rate = state_of(l, l->rate, (int)k), *da = state_of(l, l->da, (int)k);
        sari_equations_mass_times(&l->sys->equations, rate, l->work);
        for (int j = 0; j < l->positions; j++)
            l->A[(size_t)j * n + k] = sari_vector_dot((int)nq, state_of(l, l->dq, j), l->work);
        memcpy(l->more, da, nq * sizeof(double));
        for (int j = 0; j < l->positions; j++)
            for (size_t i = 0; i < nq; i++)
                l->more[i] -= l->A[(size_t)j * n + k] * state_of(l, l->dv, j)[i];
        sari_equations_mass_times(&l->sys->equations, l->more, l->work);
        for (int j = l->positions; j < l->states; j++)
            l->A[(size_t)j * n + k] = sari_vector_dot((int)nq, state_of(l, l->dv, j), l->work);
    }
}
