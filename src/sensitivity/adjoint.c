/* The adjoint of a run without events: the gradient of a weighted sum of rows by all parameters, backwards in time.
 *
 * In coordinates q and velocities v the motion is dq/dt = v, dv/dt = a(q, v, p), with a and lambda of
 *
 *     F = M a + Phi_q' lambda - Q = 0,   second = Phi_q a + bias = 0                               (1)
 *
 * Small changes follow d(dq)/dt = dv + [v, dq] (analysis/linear.c) and d(dv)/dt = da, and with T of linear.c
 *
 *     l_v'da = -x'(F_q dq + F_v dv + F_p) - y'(second_q dq + second_v dv + second_p),
 *     x = T T'l_v,   Phi_q'y = l_v - M x                                                            (2)
 *
 * so that l = (l_q, l_v), which begins with the slopes of the rows at the end, follows
 *
 *     dl_q/dt = (x'F + y'second)_q - [v, .]'l_q,   dl_v/dt = -l_q + (x'F + y'second)_v              (3)
 *
 * and   dJ/dp = l(0)'(dq, dv)(0) - integral of x'F_p + y'second_p dt + slopes of rows               (4)
 *
 * (3) and (4) are integrated by the rule of the run, with its steps, from states on its own polynomials. It is the
 * derivative of the motion, not of its steps: both differ by as much as the run is wrong. A parameter costs four
 * evaluations of (1) at each state. Through singular configurations Phi_q'y = ... has no solution: there columns are
 * differenced. */
#include "sensitivity/adjoint.h"

#include "analysis/linear.h"
#include "base/memory.h"
#include "base/status.h"
#include "integrators/dop853_table.h"
#include "linalg/sym_tools.h"
#include "math/vector.h"
#include "sensitivity/al3_constants.h"
#include "sensitivity/twins.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 200, SAMPLES = 9 }; ///< coordinates; nodes at which forces are compared
static const double CHANGE =
    2e-4; ///< of a parameter, and twice that: four points. Much smaller ones are rounding to assemblies
static const double STEP = 1e-3;    ///< sizes or radians, and of the largest velocity
static const double DEPENDS = 1e-9; ///< of a row: it feels accelerations

/// A state at which (3) is evaluated, with x and y.
typedef struct node {
    double t, weight; ///< of the integral (4)
    double *q, *v, *a, *lambda, *x, *y;
} node;

typedef struct adjoint {
    sari_arena memory;
    sar_sensitivity* s;
    sari_twin own;
    sari_linear* linear;
    int np, nq, nc, parts, nodes, capacity;
    int freedoms; ///< of velocities, everywhere
    double* ends; ///< parts + 1 times
    node* node;   ///< DOP853_STAGES for each part, backwards in time
    double *l, *stage, *k[DOP853_STAGES], *unit, *outputs;
    double *multipliers, *none; ///< workspace, and zeros
    sari_state state, start;
    sari_al3_constants constants; ///< (4) by the numbers of the equations, at all nodes
} adjoint;

int sari_adjoint_serves(const sar_sensitivity* s)
{
    const sari_system* sys = s->nominal.simulation->system;
    if (s->passages || sys->nq > MOST || sys->slack.count) return 0;
    for (int k = 0; k < s->tape.count; k++)
        if (s->tape.event[k]) return 0;
    for (int r = 0; r < s->rows; r++) {
        const sar_objective_kind kind = s->objective[s->row[r].objective].kind;
        if (kind != SAR_OBJECTIVE_END && kind != SAR_OBJECTIVE_SAMPLES) return 0;
    }
    return 1;
}

/* ---- the run again, with states within steps ------------------------------------------------- */

/* Times of steps and of rows, ascending. */
static void list_ends(adjoint* w)
{
    const sar_sensitivity* s = w->s;
    const double start = w->own.simulation->state.t, end = s->tape.t[s->tape.count - 1];
    const double close = 1e-9 * (end - start);
    w->ends[0] = start;
    for (int k = 0; k < s->tape.count; k++) w->ends[++w->parts] = s->tape.t[k];
    for (int r = 0; r < s->rows; r++) {
        const double t = s->row[r].t;
        int k = 0;
        while (k <= w->parts && w->ends[k] < t - close) k++;
        if (k > w->parts || fabs(w->ends[k] - t) <= close) continue;
        memmove(w->ends + k + 1, w->ends + k, (size_t)(w->parts - k + 1) * sizeof(double));
        w->ends[k] = t;
        w->parts++;
    }
}

static sar_status note_part(adjoint* w, int part)
{
    sar_simulation* x = w->own.simulation;
    const double b = w->ends[part + 1], h = b - w->ends[part];
    const dop853_row* sum = &dop853_stage[DOP853_STAGES];
    for (int i = 0; i < DOP853_STAGES; i++) {
        node* n = &w->node[part * DOP853_STAGES + i];
        n->t = b - dop853_time[i] * h;
        for (int j = 0; j < sum->count; j++)
            if (sum->stage[j] == i) n->weight = h * sum->weight[j];
        const sari_state* at = &x->state;
        if (n->t < x->state.t) {
            SARI_TRY(x->integrator->dense(x->integrator_self, n->t, &w->state));
            at = &w->state;
        }
        memcpy(n->q, at->q, (size_t)w->np * sizeof(double));
        memcpy(n->v, at->v, (size_t)w->nq * sizeof(double));
    }
    return SAR_OK;
}

static sar_status run_again(adjoint* w, sar_error* error)
{
    sar_simulation* x = w->own.simulation;
    int part = 0;
    x->integrator->obey(x->integrator_self, 1);
    for (int k = 0; k < w->s->tape.count; k++) {
        const double t = w->s->tape.t[k];
        while (x->state.t < t - 1e-13 * fmax(1.0, fabs(t)))
            if (sari_step_towards(x, t) != SAR_OK)
                return sari_fail(error, SAR_R_NO_CONV, NULL, "%s", sar_simulation_failure(x));
        for (; part < w->parts && w->ends[part + 1] <= t * (1.0 + 1e-15); part++)
            SARI_TRY(note_part(w, part));
    }
    return part == w->parts ? SAR_OK : sari_fail(error, SAR_R_NO_CONV, NULL, "steps were cut");
}

/* ---- (2), (3) -------------------------------------------------------------------------------- */

static void find_multipliers(adjoint* w, node* n, const double* l_v)
{
    const sari_row_space* space = &w->linear->on_velocities;
    double* rest = w->linear->work;
    memset(n->x, 0, (size_t)w->nq * sizeof(double));
    for (int j = 0; j < space->d; j++) {
        const double* T = space->T + (size_t)j * (size_t)w->nq;
        const double part = sari_vector_dot(w->nq, T, l_v);
        for (int i = 0; i < w->nq; i++) n->x[i] += part * T[i];
    }
    sari_equations_mass_times(&w->linear->sys->equations, n->x, rest);
    for (int i = 0; i < w->nq; i++) rest[i] = l_v[i] - rest[i];
    sari_row_space_multipliers(&w->linear->on_velocities, rest, n->y);
}

static double weighed(const adjoint* w, const node* n)
{
    const sari_residual* r = &w->linear->residual;
    return sari_vector_dot(w->nq, n->x, r->F) + sari_vector_dot(w->nc, n->y, r->second);
}

/* (3) where M is constant, places are linear in q and rows quadratic, phi = c + b'q + q'H q/2: with R(w) = dPhi_q/dt along
 * a velocity w,
 *
 *     (x'F + y'second)_q = K'x + R(x)'lambda + R(a)'y,   (x'F + y'second)_v = C'x + 2 R(v)'y         (5) */
static int has_closed_form(const sari_system* sys)
{
    return sys->quadratic && sys->coordinates.constant && sys->constant_mass &&
           sys->velocity_rows == 0;
}

static sar_status add_rate(sari_system* sys, const node* n, const double* along, double f,
                           const double* mu, double* out)
{
    SARI_TRY(sari_equations_eval(&sys->equations, SARI_EVAL_JACOBIAN_RATE, n->t, n->q, along));
    sari_csr_multiply_add_transposed(&sys->Phi_q_rate, f, mu, out);
    return SAR_OK;
}

static sar_status closed_rates(const adjoint* w, const node* n, const double* l, double* out)
{
    sari_system* sys = w->linear->sys;
    double* out_v = out + w->nq;
    memset(out, 0, 2 * (size_t)w->nq * sizeof(double));
    sari_csr_multiply_add_transposed(&sys->K, 1.0, n->x, out);
    sari_csr_multiply_add_transposed(&sys->C, 1.0, n->x, out_v);
    SARI_TRY(add_rate(sys, n, n->x, 1.0, n->lambda, out));
    SARI_TRY(add_rate(sys, n, n->a, 1.0, n->y, out));
    SARI_TRY(add_rate(sys, n, n->v, 2.0, n->y, out_v));
    sari_vector_add(w->nq, -1.0, l, out_v);
    return SAR_OK;
}

/* dl/dt at a node. */
static sar_status rates(adjoint* w, node* n, const double* l, double* out)
{
    sari_linear* z = w->linear;
    const double pace = fmax(1.0, sari_vector_max(w->nq, n->v));
    SARI_TRY(sari_linear_accelerate(z, n->t, n->q, n->v));
    memcpy(n->a, z->a, (size_t)w->nq * sizeof(double));
    memcpy(n->lambda, z->lambda, (size_t)w->nc * sizeof(double));
    if (w->freedoms < 0) w->freedoms = z->on_velocities.d;
    if (w->freedoms != z->on_velocities.d) return SAR_R_SINGULAR; // ranks are not to be told
    find_multipliers(w, n, l + w->nq);
    SARI_TRY(sari_residual_tangent(&z->residual));
    if (has_closed_form(z->sys)) return closed_rates(w, n, l, out);
    for (int i = 0; i < w->nq; i++) {
        w->unit[i] = 1.0;
        SARI_TRY(sari_residual_along_position(&z->residual, w->unit, z->unit));
        out[i] = weighed(w, n);
        if (!z->sys->vectors) {
            sari_linear_bracket(z, n->v, w->unit, z->more);
            out[i] -= sari_vector_dot(w->nq, l, z->more);
        }
        SARI_TRY(sari_residual_along_velocity(&z->residual, w->unit, pace));
        out[w->nq + i] = weighed(w, n) - l[i];
        w->unit[i] = 0.0;
    }
    return SAR_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static sar_status value_at(adjoint* w, sari_twin* twin, const node* n, int output, double* value)
{
    memcpy(w->state.a, n->a, (size_t)w->nq * sizeof(double));
    memcpy(w->state.lambda, n->lambda, (size_t)w->nc * sizeof(double));
    const sar_status st = sari_outputs_of(twin->simulation, &w->state, w->outputs);
    *value = w->outputs[output];
    return st;
}

static void place(adjoint* w, const node* n, double e, int i)
{
    w->state.t = n->t;
    memcpy(w->state.v, n->v, (size_t)w->nq * sizeof(double));
    memcpy(w->state.q, n->q, (size_t)w->np * sizeof(double));
    if (i >= w->nq) w->state.v[i - w->nq] += e;
    if (i < 0 || i >= w->nq) return;
    w->unit[i] = e;
    sari_coordinates_move(&w->linear->sys->coordinates, n->q, w->unit, w->state.q);
    w->unit[i] = 0.0;
}

/* Does the row feel accelerations or reactions? Those are not differentiated here. */
static sar_status feels_forces(adjoint* w, const node* n, int output, int* feels)
{
    double plain, other;
    place(w, n, 0.0, -1);
    SARI_TRY(value_at(w, &w->own, n, output, &plain));
    for (int i = 0; i < w->nq; i++) w->state.a[i] += 0.1 * (1.0 + fabs(n->a[i]));
    for (int i = 0; i < w->nc; i++) w->state.lambda[i] += 0.1 * (1.0 + fabs(n->lambda[i]));
    SARI_TRY(sari_outputs_of(w->own.simulation, &w->state, w->outputs));
    other = w->outputs[output];
    *feels = fabs(other - plain) > DEPENDS * (fabs(plain) + fabs(other));
    return SAR_OK;
}

/* l += weight * slopes of an output at a node: four points */
static sar_status add_slopes(adjoint* w, const node* n, int output, double weight)
{
    static const double part[] = {2.0 / 3.0, -1.0 / 12.0};
    const double pace = fmax(1e-3, sari_vector_max(w->nq, n->v));
    for (int i = 0; i < 2 * w->nq; i++) {
        const double e = STEP * (i < w->nq ? 1.0 : pace);
        for (int k = 1; k <= 2; k++)
            for (int sign = -1; sign <= 1; sign += 2) {
                double value;
                place(w, n, sign * k * e, i);
                SARI_TRY(value_at(w, &w->own, n, output, &value));
                w->l[i] += weight * sign * part[k - 1] / e * value;
            }
    }
    return SAR_OK;
}

/* The rows at the end of a part, where its first node is. */
static sar_status add_rows(adjoint* w, int part, const double* weight)
{
    const sar_sensitivity* s = w->s;
    node* n = &w->node[part * DOP853_STAGES];
    const double close = 1e-9 * (w->ends[w->parts] - w->ends[0]);
    for (int r = 0; r < s->rows; r++) {
        int feels;
        if (weight[r] == 0.0 || fabs(s->row[r].t - n->t) > close) continue;
        SARI_TRY(sari_linear_accelerate(w->linear, n->t, n->q, n->v));
        memcpy(n->a, w->linear->a, (size_t)w->nq * sizeof(double));
        memcpy(n->lambda, w->linear->lambda, (size_t)w->nc * sizeof(double));
        SARI_TRY(feels_forces(w, n, s->row[r].output, &feels));
        if (feels) return SAR_E_INCOMPAT;
        SARI_TRY(add_slopes(w, n, s->row[r].output, weight[r]));
    }
    return SAR_OK;
}

/* ---- passes ---------------------------------------------------------------------------------- */

static sar_status go_back_part(adjoint* w, int part)
{
    const double h = w->ends[part + 1] - w->ends[part];
    const size_t size = 2 * (size_t)w->nq;
    for (int i = 0; i <= DOP853_STAGES; i++) {
        const dop853_row* row = &dop853_stage[i];
        memcpy(w->stage, w->l, size * sizeof(double));
        for (int j = 0; j < row->count && i > 0; j++)
            for (size_t e = 0; e < size; e++)
                w->stage[e] -= h * row->weight[j] * w->k[row->stage[j]][e];
        if (i == DOP853_STAGES) break;
        SARI_TRY(rates(w, &w->node[part * DOP853_STAGES + i], w->stage, w->k[i]));
    }
    memcpy(w->l, w->stage, size * sizeof(double));
    return SAR_OK;
}

/* Slopes by a parameter of what twins say of x: four points. `work`: 2 nq + 6 nc numbers. */
static sar_status slopes_at(adjoint* w, sari_twin twin[4], double change, const sari_state* x,
                            double* slopes, double* work)
{
    const int size = w->nq + 3 * w->nc;
    double *F = slopes, *far = work, *more = work + size;
    SARI_TRY(sari_twins_slopes(twin, change, x, F, F + w->nq, F + w->nq + w->nc,
                               F + w->nq + 2 * w->nc, more));
    SARI_TRY(sari_twins_slopes(twin + 2, 2.0 * change, x, far, far + w->nq, far + w->nq + w->nc,
                               far + w->nq + 2 * w->nc, more));
    for (int i = 0; i < size; i++) F[i] = (4.0 * F[i] - far[i]) / 3.0;
    return SAR_OK;
}

/* Those of the start. 0: see sari_twins_start. */
static int slopes_of_start(adjoint* w, sari_twin twin[4], double change, double* dq, double* dv)
{
    double *q = w->k[0], *v = w->k[1], *a = w->k[2];
    if (!sari_twins_start(twin, change, dq, dv, a) ||
        !sari_twins_start(twin + 2, 2.0 * change, q, v, a))
        return 0;
    for (int i = 0; i < w->nq; i++) {
        dq[i] = (4.0 * dq[i] - q[i]) / 3.0;
        dv[i] = (4.0 * dv[i] - v[i]) / 3.0;
    }
    return 1;
}

/* out = -(out + J x) of the first `rows` rows, J as evaluated last */
static void lack(const sari_system* sys, int rows, const double* x, double* out)
{
    const sari_csr* J = &sys->Phi_q;
    for (int r = 0; r < rows; r++) {
        for (int e = J->p[r]; e < J->p[r + 1]; e++) out[r] += J->x[e] * x[J->i[e]];
        out[r] = -out[r];
    }
}

/* The start's change, differences of two assemblies, to the constraints: Phi_q dq = -Phi_p and likewise for dv. Assemblies
 * end when what is left is small, which is not small beside their difference, and l is large along what is left. */
static sar_status meet_rows(adjoint* w, sari_twin twin[4], double change, double* dq, double* dv,
                            double* work)
{
    sari_linear* z = w->linear;
    const sari_system* sys = z->sys;
    double *F = work, *Phi = F + w->nq, *rate = Phi + w->nc, *second = rate + w->nc,
           *more = second + w->nc, *c = z->more;
    SARI_TRY(sari_linear_accelerate(z, w->start.t, w->start.q, w->start.v));
    SARI_TRY(sari_row_space_find(&z->on_positions));
    const sari_state x = {.np = w->np,
                          .n = w->nq,
                          .m = w->nc,
                          .t = w->start.t,
                          .q = w->start.q,
                          .v = w->start.v,
                          .a = z->a,
                          .lambda = z->lambda};
    SARI_TRY(slopes_at(w, twin, change, &x, F, more));
    lack(sys, w->nc - sys->velocity_rows, dq, Phi);
    sari_row_space_solve(&z->on_positions, Phi, c);
    for (int i = 0; i < w->nq; i++) dq[i] += c[i];
    SARI_TRY(sari_residual_tangent(&z->residual));
    SARI_TRY(sari_residual_along_position(&z->residual, dq, z->unit));
    for (int r = 0; r < w->nc; r++) rate[r] += z->residual.rate[r];
    SARI_TRY(sari_linear_accelerate(z, w->start.t, w->start.q, w->start.v));
    lack(sys, w->nc, dv, rate);
    sari_row_space_solve(&z->on_velocities, rate, c);
    for (int i = 0; i < w->nq; i++) dv[i] += c[i];
    return SAR_OK;
}

/* Factors of the numbers that (1) consists of, in the integral of (4): those of a step of al3 whose projections do nothing. */
static void add_factors(adjoint* w)
{
    double *x = w->k[0], *y = w->multipliers, *none = w->none;
    sari_al3_constants_begin(&w->constants);
    for (int i = 0; i < w->nodes; i++) {
        const node* n = &w->node[i];
        if (n->weight == 0.0) continue;
        for (int j = 0; j < w->nq; j++) x[j] = n->weight * n->x[j];
        for (int j = 0; j < w->nc; j++) y[j] = n->weight * n->y[j];
        const sari_step_record at = {.t = n->t,
                                     .q = n->q,
                                     .v = n->v,
                                     .a = n->a,
                                     .v_star = n->v,
                                     .a_star = n->a,
                                     .lambda = n->lambda,
                                     .nu = none,
                                     .kappa = none};
        const sari_step_map map = {.slopes.sys = w->linear->sys,
                                   .at = at,
                                   .x1 = x,
                                   .x2 = none,
                                   .x3 = none,
                                   .y1 = none,
                                   .y2 = none,
                                   .y3 = y};
        sari_al3_constants_add(&w->constants, &map);
    }
}

/* How what a parameter does to (1) is found. */
static sari_al3_way way_of(adjoint* w, const sari_twin twin[4])
{
    sari_system* own = w->linear->sys;
    sari_al3_way way = sari_al3_way_of(&w->constants, own, twin[0].simulation->system);
    for (int i = 1; i < 4; i++)
        if (sari_al3_way_of(&w->constants, own, twin[i].simulation->system) != way)
            return SARI_AL3_RESIDUALS;
    for (int i = 0; way == SARI_AL3_NUMBERS && i < SAMPLES; i++) {
        const node* n = &w->node[(int)((long)(w->nodes - 1) * i / (SAMPLES - 1))];
        if (!sari_twin_same_forces(own, twin[0].simulation->system, n->t, n->q, n->v))
            return SARI_AL3_RESIDUALS;
    }
    return way;
}

/* The integral of (4) by the numbers of the equations. */
static double by_numbers(adjoint* w, const sari_twin twin[4], double change, sari_al3_way way)
{
    sari_al3_constants* c = &w->constants;
    memset(c->slope.M, 0, (size_t)c->size * sizeof(double));
    sari_al3_slopes_add(c, 2.0 / (3.0 * change), twin[0].simulation->system,
                        twin[1].simulation->system);
    sari_al3_slopes_add(c, -1.0 / (12.0 * change), twin[2].simulation->system,
                        twin[3].simulation->system);
    if (way == SARI_AL3_FORCES) memset(c->slope.Q, 0, (size_t)w->nq * sizeof(double));
    return sari_al3_constants_sum(c);
}

/* And of forces: x'Q_p at a node. */
static sar_status forces_at(const adjoint* w, const node* n, const sari_twin twin[4], double change,
                            double* sum)
{
    static const double part[4] = {2.0 / 3.0, -2.0 / 3.0, -1.0 / 12.0, 1.0 / 12.0};
    *sum = 0.0;
    for (int i = 0; i < w->nq; i++) w->unit[i] = 0.0;
    for (int i = 0; i < 4; i++) {
        sari_system* sys = twin[i].simulation->system;
        SARI_TRY(sari_equations_eval(&sys->equations, SARI_EVAL_FORCE, n->t, n->q, n->v));
        sari_vector_add(w->nq, part[i] / change, sys->Q, w->unit);
    }
    *sum = sari_vector_dot(w->nq, n->x, w->unit);
    return SAR_OK;
}

/* The integral of (4) of one parameter. */
static sar_status integrate(adjoint* w, sari_twin twin[4], double change, double* work,
                            double* integral)
{
    double *F = work, *Phi = F + w->nq, *rate = Phi + w->nc, *second = rate + w->nc,
           *more = second + w->nc;
    const sari_al3_way way = way_of(w, twin);
    *integral = way == SARI_AL3_RESIDUALS ? 0.0 : by_numbers(w, twin, change, way);
    for (int i = 0; way != SARI_AL3_NUMBERS && i < w->nodes; i++) {
        const node* n = &w->node[i];
        double sum;
        if (n->weight == 0.0) continue;
        if (way == SARI_AL3_FORCES) {
            SARI_TRY(forces_at(w, n, twin, change, &sum));
        } else {
            const sari_state x = {.np = w->np,
                                  .n = w->nq,
                                  .m = w->nc,
                                  .t = n->t,
                                  .q = n->q,
                                  .v = n->v,
                                  .a = n->a,
                                  .lambda = n->lambda};
            SARI_TRY(slopes_at(w, twin, change, &x, F, more));
            sum = -sari_vector_dot(w->nq, n->x, F) - sari_vector_dot(w->nc, n->y, second);
        }
        *integral += n->weight * sum;
    }
    return SAR_OK;
}

/* (4) of one parameter. */
static sar_status parameter_part(adjoint* w, int k, const double* weight, double* gradient,
                                 double* work, sar_error* error)
{
    sar_sensitivity* s = w->s;
    const double change = CHANGE * s->parameter[k].size,
                 close = 1e-9 * (w->ends[w->parts] - w->ends[0]);
    sari_twin twin[4];
    SARI_TRY(sari_twins_make(s, k, change, twin, error));
    if (sari_twins_make(s, k, 2.0 * change, twin + 2, error) != SAR_OK) {
        for (int i = 0; i < 2; i++) sari_twin_clear(&twin[i]);
        return SAR_E_INCOMPAT;
    }
    double *dq = w->stage, *dv = w->stage + w->nq;
    sar_status st = slopes_of_start(w, twin, change, dq, dv) ? SAR_OK : SAR_E_INCOMPAT;
    if (st == SAR_OK) st = meet_rows(w, twin, change, dq, dv, work);
    *gradient = sari_vector_dot(w->nq, w->l, dq) + sari_vector_dot(w->nq, w->l + w->nq, dv);
    double integral = 0.0;
    if (st == SAR_OK) st = integrate(w, twin, change, work, &integral);
    *gradient += integral;
    for (int i = 0; i < w->nq; i++) w->unit[i] = 0.0;
    for (int r = 0; r < s->rows && st == SAR_OK; r++)
        for (int part = 0; part < w->parts && weight[r] != 0.0 && st == SAR_OK; part++) {
            const node* n = &w->node[part * DOP853_STAGES];
            double value[4] = {0};
            if (fabs(s->row[r].t - n->t) > close) continue;
            place(w, n, 0.0, -1);
            for (int i = 0; i < 4 && st == SAR_OK; i++)
                st = value_at(w, &twin[i], n, s->row[r].output, &value[i]);
            *gradient +=
                weight[r] * (8.0 * (value[0] - value[1]) - value[2] + value[3]) / (12.0 * change);
        }
    for (int i = 0; i < 4; i++) sari_twin_clear(&twin[i]);
    return st;
}

static sar_status take(adjoint* w)
{
    const sar_simulation* x = w->own.simulation;
    sari_arena* m = &w->memory;
    w->np = x->system->np, w->nq = x->system->nq, w->nc = x->system->nc;
    w->capacity = w->s->tape.count + w->s->rows + 2;
    w->ends = SARI_TAKE(m, double, w->capacity + 1);
    double** const vectors[] = {&w->l, &w->stage};
    for (int k = 0; k < 2; k++) *vectors[k] = SARI_TAKE(m, double, 2 * w->nq);
    for (int k = 0; k < DOP853_STAGES; k++) w->k[k] = SARI_TAKE(m, double, 2 * w->nq);
    w->unit = SARI_TAKE(m, double, w->nq);
    w->multipliers = SARI_TAKE(m, double, w->nc);
    w->none = SARI_TAKE(m, double, w->nq + w->nc);
    SARI_TRY(sari_al3_constants_take(&w->constants, x->system, m));
    w->outputs = SARI_TAKE(m, double, sar_model_outputs(w->s->nominal.model) + 1);
    sari_state_take(&w->state, m, &x->system->equations, 0);
    sari_state_take(&w->start, m, &x->system->equations, 0);
    if (!m->failed) sari_state_copy(&w->start, &x->state);
    if (m->failed) return SAR_E_NOMEM;
    list_ends(w);
    w->nodes = w->parts * DOP853_STAGES;
    w->node = SARI_TAKE(m, node, w->nodes);
    for (int i = 0; i < w->nodes && !m->failed; i++) {
        node* n = &w->node[i];
        n->q = SARI_TAKE(m, double, w->np);
        double** const of_velocities[] = {&n->v, &n->a, &n->x};
        for (int k = 0; k < 3; k++) *of_velocities[k] = SARI_TAKE(m, double, w->nq);
        n->lambda = SARI_TAKE(m, double, w->nc);
        n->y = SARI_TAKE(m, double, w->nc);
    }
    if (m->failed) return SAR_E_NOMEM;
    return sari_linear_create(x->system, x->units.size, &w->linear);
}

static sar_status go_back(adjoint* w, const double* weight, double* gradient, sar_error* error)
{
    sar_sensitivity* s = w->s;
    SARI_TRY(run_again(w, error));
    for (int part = w->parts - 1; part >= 0; part--) {
        SARI_TRY(add_rows(w, part, weight));
        SARI_TRY(go_back_part(w, part));
    }
    if (w->constants.serves) add_factors(w);
    double* work = SARI_NEW_ARRAY(double, 4 * (size_t)w->nq + 12 * (size_t)w->nc + 8);
    sar_status st = work ? SAR_OK : SAR_E_NOMEM;
    for (int k = 0; k < s->parameters && st == SAR_OK; k++) {
        gradient[k] = NAN;
        if (!s->parameter[k].refused[0] && s->parameter[k].side == 0)
            st = parameter_part(w, k, weight, &gradient[k], work, error);
        if (st == SAR_E_INCOMPAT) gradient[k] = NAN, st = SAR_OK; // by its column
    }
    sari_release(work);
    return st;
}

sar_status sari_adjoint_gradient(sar_sensitivity* s, const double* weight, double* gradient,
                                 sar_error* error)
{
    adjoint w = {.s = s, .freedoms = -1};
    for (int r = 0; r < s->rows; r++) // a value of the start itself is not one of the motion
        if (weight[r] != 0.0 && s->row[r].t <= s->nominal.simulation->options.start)
            return SAR_E_INCOMPAT;
    SARI_TRY(sari_twin_make(s, -1, 0.0, &w.own, error));
    sar_status st = take(&w);
    if (st == SAR_OK) st = go_back(&w, weight, gradient, error);
    sari_linear_destroy(w.linear);
    sari_twin_clear(&w.own);
    sari_arena_clear(&w.memory);
    return st;
}
