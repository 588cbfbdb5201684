/* Steps that end where something happens, and what does.
 *
 * A bound is met where g(q, t) = 0, n = dg/dq. The step's end, and with it its length, changes with parameters:
 *
 *     dt = -(n.dq + g_p)/(n.(psi_h + psi_t) + g_t),   dx = Psi_x dx0 + Psi_p + psi_h (dt - dt0) + psi_t dt      (1)
 *
 * with psi_h by the length and psi_t by the time at its end, dt0 of its begin. The next step begins then and ends where
 * it would have, dt = 0. An impact with restitution e [glocker2001]:
 *
 *     v+ = v - (1 + e) (n.v + g_t)/(n.w) w = R(q, v),   [M J'; J 0] (w, .) = (n, 0)                        (2)
 *
 * R is linear in v; by q and by parameters it is differenced, at the few impacts that there are. */
#include "sensitivity/al3/al3.h"

#include "base/status.h"
#include "math/vector.h"
#include "simulation/events/events.h"
#include "system/turns.h"

#include <math.h>
#include <string.h>

static const double STEP = 1e-3;   ///< sizes or radians
static const double GRAZES = 1e-6; ///< of what the rate of a bound is the sum of
static const double MOMENT = 1e-3; ///< of a step: for differences by time

int sari_al3_twins_of(const sari_al3_gradient* m, int k)
{
    const sari_twin* twin = &m->twin[SARI_AL3_TWINS * k];
    return !twin[0].simulation ? 0 : twin[2].simulation ? 4 : 2;
}

/* Of twin i in the slope. */
static double weight_of(const sari_al3_gradient* m, int k, int i)
{
    static const double four[SARI_AL3_TWINS] = {2.0 / 3.0, -2.0 / 3.0, -1.0 / 12.0, 1.0 / 12.0};
    static const double two[SARI_AL3_TWINS] = {0.5, -0.5, 0.0, 0.0};
    return (sari_al3_twins_of(m, k) == 4 ? four : two)[i] / m->change[k];
}

double sari_al3_slope(const sari_al3_gradient* m, int k, const double value[SARI_AL3_TWINS])
{
    const int twins = sari_al3_twins_of(m, k);
    double near = weight_of(m, k, 0) * (value[0] - value[1]);
    return twins == 4 ? near + weight_of(m, k, 2) * (value[2] - value[3]) : near;
}

sari_system* sari_al3_twin_system(const sari_al3_gradient* m, int k, int i)
{
    sari_system* sys = m->twin[SARI_AL3_TWINS * k + i].simulation->system;
    if (m->counts) sari_turns_copy(m->own.simulation->system->kinematics, sys->kinematics);
    return sys;
}

/* What parameter k does to the numbers of the equations, once. */
static void find_slopes(sari_al3_gradient* m, int k)
{
    sari_al3_constants* c = &m->constants;
    const size_t n = (size_t)m->tape.nq;
    if (c->of == k) return;
    c->of = k;
    if (m->effect[k].known) {
        sari_al3_slopes_unpack(c, &m->effect[k].slopes);
        return;
    }
    memset(c->slope.M, 0, (size_t)c->size * sizeof(double));
    for (int i = 0; i < sari_al3_twins_of(m, k); i += 2)
        sari_al3_slopes_add(c, weight_of(m, k, i),
                            m->twin[SARI_AL3_TWINS * k + i].simulation->system,
                            m->twin[SARI_AL3_TWINS * k + i + 1].simulation->system);
    if (m->way[k] == SARI_AL3_FORCES) memset(c->slope.Q, 0, n * sizeof(double)); // asked with them
}

sar_status sari_al3_slopes_keep(sari_al3_gradient* m, int k, sari_al3_slopes* out)
{
    find_slopes(m, k);
    return sari_al3_slopes_pack(&m->constants, &m->memory, out);
}

double sari_al3_by_numbers(sari_al3_gradient* m, int k)
{
    if (m->way[k] == SARI_AL3_RESIDUALS) return 0.0;
    if (m->effect[k].known) return sari_al3_slopes_sum(&m->constants, &m->effect[k].slopes);
    find_slopes(m, k);
    return sari_al3_constants_sum(&m->constants);
}

sar_status sari_al3_forces_by(sari_al3_gradient* m, int k, double* Q)
{
    const sari_step_record* r = &m->map.at;
    const int n = m->tape.nq;
    memset(Q, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < sari_al3_twins_of(m, k); i += 2) {
        sari_system *more = sari_al3_twin_system(m, k, i),
                    *less = sari_al3_twin_system(m, k, i + 1);
        const double weight = weight_of(m, k, i);
        SARI_TRY(sari_equations_eval(&more->equations, SARI_EVAL_FORCE, r->t, r->q, r->v_star));
        SARI_TRY(sari_equations_eval(&less->equations, SARI_EVAL_FORCE, r->t, r->q, r->v_star));
        for (int a = 0; a < n; a++) Q[a] += weight * (more->Q[a] - less->Q[a]);
    }
    return SAR_OK;
}

/* By differences of all equations. */
static sar_status source_of_residuals(sari_al3_gradient* m, int k)
{
    const sari_step_record* r = &m->map.at;
    const int size = sari_terms_size(&m->more), twins = sari_al3_twins_of(m, k);
    memset(m->more.F, 0, (size_t)size * sizeof(double));
    for (int i = 0; i < twins; i += 2) { // differences first: they are small
        for (int j = 0; j < 2; j++)
            SARI_TRY(sari_terms_of(j ? &m->less : &m->far, sari_al3_twin_system(m, k, i + j), r,
                                   (unsigned)m->parts[k]));
        const double weight = weight_of(m, k, i);
        for (int a = 0; a < size; a++) m->more.F[a] += weight * (m->far.F[a] - m->less.F[a]);
    }
    return SAR_OK;
}

sar_status sari_al3_source(sari_al3_gradient* m, int k)
{
    if (m->way[k] == SARI_AL3_RESIDUALS) return source_of_residuals(m, k);
    find_slopes(m, k);
    sari_al3_constants_terms(&m->constants, &m->map, &m->more);
    if (m->way[k] != SARI_AL3_FORCES) return SAR_OK;
    SARI_TRY(sari_al3_forces_by(m, k, m->less.F));
    sari_vector_add(m->tape.nq, -1.0, m->less.F, m->more.F);
    return SAR_OK;
}

/* ---- times ---------------------------------------------------------------------------------- */

sar_status sari_al3_time_source(sari_al3_gradient* m, int step)
{
    const sari_step_record* r = &m->map.at;
    sari_system* sys = m->own.simulation->system;
    const int n = m->tape.nq, size = sari_terms_size(&m->time);
    const double e = MOMENT * m->own.simulation->options.step, h = r->h;
    SARI_TRY(sari_terms_find(&m->time, sys, r, r->t + e, r->q, r->v_star, r->v, SARI_TERMS_ALL));
    SARI_TRY(sari_terms_find(&m->less, sys, r, r->t - e, r->q, r->v_star, r->v, SARI_TERMS_ALL));
    for (int i = 0; i < size; i++) m->time.F[i] = 0.5 / e * (m->time.F[i] - m->less.F[i]);
    if (!step) return SAR_OK;
    for (int i = 0; i < n; i++) {
        m->h_v[i] = -(r->v_star[i] + r->v0[i]) / h;
        m->h_a[i] = -2.0 / h * (r->a_star[i] + r->a0[i]) - m->map.ca * r->v0[i];
    }
    const sari_step_source by_time = {&m->time, NULL, NULL};
    memset(m->psi_t, 0, 3 * (size_t)n * sizeof(double));
    SARI_TRY(sari_step_map_along(&m->map, &by_time, m->psi_t));
    memset(m->less.F, 0, (size_t)size * sizeof(double));
    const sari_step_source by_length = {&m->less, m->h_v, m->h_a};
    memset(m->psi_h, 0, 3 * (size_t)n * sizeof(double));
    return sari_step_map_along(&m->map, &by_length, m->psi_h);
}

/* ---- bounds --------------------------------------------------------------------------------- */

static sari_bound* bound_of(sari_al3_gradient* m, const sari_twin* twin, int entry,
                            const sari_state* x)
{
    return sari_bound_at(twin->simulation, m->tape.bound[entry] - 1, x);
}

sar_status sari_al3_meet(sari_al3_gradient* m, int entry, double* g_t, double* slope)
{
    const sari_state x = sari_al3_tape_state(&m->tape, entry);
    const sari_bound* b = bound_of(m, &m->own, entry, &x);
    const int n = m->tape.nq;
    memcpy(m->n, b->n, (size_t)n * sizeof(double));
    *g_t = b->rate - sari_vector_dot(n, m->n, x.v);
    *slope = sari_vector_dot(n, m->n, m->psi_h) + sari_vector_dot(n, m->n, m->psi_t) + *g_t;
    return fabs(b->rate) > GRAZES * b->moving ? SAR_OK : SAR_E_MODEL;
}

/* f less the bound that it is at in the nominal run */
static double gap(sari_al3_gradient* m, const sari_twin* twin, int entry, const sari_state* x)
{
    const sari_bound* b = bound_of(m, twin, entry, x);
    const sari_joint* own = &m->own.simulation->model->joints[b->joint];
    const sari_joint* j = &twin->simulation->model->joints[b->joint];
    const int lower = fabs(b->f - own->lower) < fabs(own->upper - b->f);
    return b->f - (lower ? j->lower : j->upper);
}

double sari_al3_meet_by(sari_al3_gradient* m, int entry, int k)
{
    const sari_state x = sari_al3_tape_state(&m->tape, entry);
    double value[SARI_AL3_TWINS] = {0};
    for (int i = 0; i < sari_al3_twins_of(m, k); i++) {
        (void)sari_al3_twin_system(m, k, i);
        value[i] = gap(m, &m->twin[SARI_AL3_TWINS * k + i], entry, &x);
    }
    return sari_al3_slope(m, k, value);
}

/* ---- impacts -------------------------------------------------------------------------------- */

/* (2) into v; of the velocities that m->beside has, at its position */
static sar_status strike(sari_al3_gradient* m, const sari_twin* twin, int entry, double* v)
{
    const sari_state* x = &m->beside;
    const sari_bound* b = bound_of(m, twin, entry, x);
    const int n = m->tape.nq;
    const double e = twin->simulation->model->joints[b->joint].restitution;
    SARI_TRY(sari_step_map_respond(&m->map, twin->simulation->system, x->t, x->q, b->n, m->w));
    const double P = -(1.0 + e) * b->rate / sari_vector_dot(n, b->n, m->w);
    for (int i = 0; i < n; i++) v[i] = x->v[i] + P * m->w[i];
    return SAR_OK;
}

/* Where it comes from. */
static void stand_before(sari_al3_gradient* m, int entry)
{
    const sari_state x = sari_al3_tape_state(&m->tape, entry - 1);
    sari_state_copy(&m->beside, &x);
}

/* Column c of R_q or R_v */
static sar_status find_column(sari_al3_gradient* m, int entry, int c, int of_velocity, double* R)
{
    static const double weight[] = {2.0 / 3.0, -1.0 / 12.0};
    const sari_state x = sari_al3_tape_state(&m->tape, entry - 1);
    const int n = m->tape.nq;
    for (int i = 0; i < n; i++) R[i * n + c] = 0.0;
    for (int k = 2; k >= 1; k--)
        for (int sign = -1; sign <= 1; sign += 2) {
            stand_before(m, entry);
            memset(m->dx, 0, (size_t)n * sizeof(double));
            m->dx[c] = sign * k * STEP;
            if (of_velocity)
                m->beside.v[c] += m->dx[c];
            else
                sari_coordinates_move(&m->own.simulation->system->coordinates, x.q, m->dx,
                                      m->beside.q);
            SARI_TRY(strike(m, &m->own, entry, m->v));
            for (int i = 0; i < n; i++) R[i * n + c] += sign * weight[k - 1] / STEP * m->v[i];
        }
    return SAR_OK;
}

sar_status sari_al3_impact(sari_al3_gradient* m, int entry)
{
    for (int c = 0; c < m->tape.nq; c++) {
        SARI_TRY(find_column(m, entry, c, 0, m->R_q));
        SARI_TRY(find_column(m, entry, c, 1, m->R_v));
    }
    return SAR_OK;
}

sar_status sari_al3_impact_by(sari_al3_gradient* m, int entry, int k)
{
    const int n = m->tape.nq;
    stand_before(m, entry);
    memset(m->v, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < sari_al3_twins_of(m, k); i++) {
        (void)sari_al3_twin_system(m, k, i);
        SARI_TRY(strike(m, &m->twin[SARI_AL3_TWINS * k + i], entry, m->dx));
        sari_vector_add(n, weight_of(m, k, i), m->dx, m->v);
    }
    return SAR_OK;
}
