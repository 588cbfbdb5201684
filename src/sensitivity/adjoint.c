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
 * (3) and (4) are integrated by Gauss's rule of order 10 over the steps of the run, from states on its own polynomials
 * (adjoint_equations.c). It is the derivative of the motion, not of its steps: both differ by as much as the run is wrong.
 * A parameter costs two or four evaluations of what it changes in (1) at each of five states of a step. Through singular configurations
 * Phi_q'y = ... has no solution: there columns are differenced. */
#include "sensitivity/adjoint.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/sym_tools.h"
#include "math/vector.h"
#include "sensitivity/adjoint_parts.h"
#include "sensitivity/al3/al3_constants.h"
#include "sensitivity/al3/al3_parts.h"
#include "sensitivity/twins.h"
#include "system/turns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 200, SAMPLES = 9 };   ///< coordinates; nodes at which forces are compared
enum { FREED = 4 };                 ///< parts after which l is freed of forces of rows
static const double MEMORY = 500e6; ///< bytes, unless the definition says so
static const double CHANGE =
    2e-4; ///< of a parameter, and twice that: four points. Much smaller ones are rounding to assemblies
static const double STEP = 1e-3;    ///< sizes or radians, and of the largest velocity
static const double DEPENDS = 1e-9; ///< of a row: it feels accelerations
static const double CLOSE = 1e-9;   ///< of the run: times that are the same

typedef sari_adjoint_node node;

typedef struct adjoint {
    sari_arena memory;
    sar_sensitivity* s;
    sari_path path;
    sari_twin own;
    sari_adjoint_equations equations;
    int np, nq, nc, counts;
    node* node;     ///< of a block of parts, from the last to the first in time
    int nodes;      ///< of these
    int first, end; ///< these parts
    int block;      ///< so many at most
    node ending;    ///< the end of a part
    double *l, *stage, *unit, *outputs, *work[3];
    double *multipliers, *none; ///< workspace, and zeros
    sari_state state, start;
    char* way;                    ///< per parameter: sari_al3_way + 1, 0: not known yet
    sari_step_terms terms[3];     ///< workspace
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

/* Revolutions are counted on from a node. */
static void count_turns(const adjoint* w, const sari_twin* twin, const node* n)
{
    sari_state x = w->state;
    if (!w->counts) return;
    x.t = n->t, x.q = n->q, x.v = n->v;
    sari_commit_angles(twin->simulation->system, &x);
}

/* They are counted from where another one is. */
static void take_turns(const adjoint* w, const sari_twin* from, const sari_twin* twin)
{
    if (w->counts)
        sari_turns_copy(from->simulation->system->kinematics, twin->simulation->system->kinematics);
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
    sari_coordinates_move(&w->equations.linear->sys->coordinates, n->q, w->unit, w->state.q);
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

/* Is the row's value that at the end of a part? */
static int is_at_end(const adjoint* w, int r, int part)
{
    const sari_path_part* p = w->path.part;
    const double length = p[w->path.parts - 1].end - p[0].begin;
    return fabs(w->s->row[r].t - p[part].end) <= CLOSE * length;
}

static void go_to(adjoint* w, int part, double t, node* n)
{
    n->t = t;
    sari_path_at(&w->path, part, t, n->q, n->v);
}

/* Its accelerations, and whether the row feels them. */
static sar_status accelerate_end(adjoint* w, int output, int* feels)
{
    sari_linear* z = w->equations.linear;
    SARI_TRY(sari_linear_accelerate(z, w->ending.t, w->ending.q, w->ending.v));
    memcpy(w->ending.a, z->a, (size_t)w->nq * sizeof(double));
    memcpy(w->ending.lambda, z->lambda, (size_t)w->nc * sizeof(double));
    return feels_forces(w, &w->ending, output, feels);
}

/* The rows at the end of a part. */
static sar_status add_rows(adjoint* w, int part, const double* weight)
{
    const sar_sensitivity* s = w->s;
    for (int r = 0; r < s->rows; r++) {
        int feels;
        if (weight[r] == 0.0 || !is_at_end(w, r, part)) continue;
        go_to(w, part, w->path.part[part].end, &w->ending);
        count_turns(w, &w->own, &w->ending);
        SARI_TRY(accelerate_end(w, s->row[r].output, &feels));
        if (feels) return SAR_E_INCOMPAT;
        SARI_TRY(add_slopes(w, &w->ending, s->row[r].output, weight[r]));
    }
    return SAR_OK;
}

/* ---- passes ---------------------------------------------------------------------------------- */

/* The next node of the block, at a time. */
static node* next_node(adjoint* w, int part, double t, double weight)
{
    node* n = &w->node[w->nodes++];
    n->weight = weight;
    go_to(w, part, t, n);
    count_turns(w, &w->own, n);
    return n;
}

static sar_status go_back_part(adjoint* w, int part, const double* weight)
{
    const double begin = w->path.part[part].begin, end = w->path.part[part].end, h = end - begin;
    SARI_TRY(add_rows(w, part, weight));
    if (part % FREED == 0) {
        node* n = next_node(w, part, end, 1.0);
        SARI_TRY(sari_adjoint_free(&w->equations, n, w->l));
        n->freed = 1;
    }
    node* n = w->node + w->nodes;
    for (int i = SARI_GAUSS - 1; i >= 0; i--)
        next_node(w, part, begin + h * sari_gauss_place[i], h * sari_gauss_weight[i])->freed = 0;
    return sari_adjoint_go_back(&w->equations, n, h, w->l);
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
    double *q = w->work[0], *v = w->work[1], *a = w->work[2];
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
    sari_linear* z = w->equations.linear;
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

/* A node as a step of al3 whose projections do nothing. */
static sari_step_record record_of(const adjoint* w, const node* n)
{
    return (sari_step_record){.t = n->t,
                              .q = n->q,
                              .v = n->v,
                              .a = n->a,
                              .v_star = n->v,
                              .a_star = n->a,
                              .lambda = n->lambda,
                              .nu = w->none,
                              .kappa = w->none};
}

/* Factors of the numbers that (1) consists of, in the integral of (4): those of a step of al3 whose projections do nothing. */
static void add_factors(adjoint* w)
{
    double *x = w->work[0], *y = w->multipliers;
    for (int i = 0; i < w->nodes; i++) {
        const node* n = &w->node[i];
        for (int j = 0; j < w->nq; j++) x[j] = n->weight * n->x[j];
        for (int j = 0; j < w->nc; j++) y[j] = n->weight * n->y[j];
        const sari_step_record at = record_of(w, n);
        const sari_step_map map = {.slopes.sys = w->equations.linear->sys,
                                   .at = at,
                                   .x1 = x,
                                   .x2 = w->none,
                                   .x3 = w->none,
                                   .y1 = n->freed ? n->y_q : w->none,
                                   .y2 = n->freed ? n->y_v : w->none,
                                   .y3 = y};
        sari_al3_constants_add(&w->constants, &map);
    }
}

/* How what a parameter does to (1) is found. */
static sari_al3_way way_of(adjoint* w, const sari_twin twin[4])
{
    sari_system* own = w->equations.linear->sys;
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

/* Which parts of (1) a parameter changes, by some nodes. */
static unsigned parts_of(adjoint* w, const sari_twin twin[2], int* straight)
{
    sari_system* const sys[] = {w->equations.linear->sys, twin[0].simulation->system,
                                twin[1].simulation->system};
    sari_step_terms* const x[] = {&w->terms[0], &w->terms[1], &w->terms[2]};
    unsigned parts = sari_parts_always(w->own.simulation);
    *straight = 1;
    for (int i = 0; i < SAMPLES; i++) {
        const sari_step_record r =
            record_of(w, &w->node[(int)((long)(w->nodes - 1) * i / (SAMPLES - 1))]);
        parts |= sari_parts_look(sys, &r, x, straight);
    }
    return parts;
}

/* The integrand of (4), less the weight, by those parts: two points on straight lines, else four. */
static sar_status residuals_at(adjoint* w, const node* n, const sari_twin twin[4], double change,
                               unsigned parts, int straight, double* sum)
{
    static const double four[4] = {2.0 / 3.0, -2.0 / 3.0, -1.0 / 12.0, 1.0 / 12.0};
    static const double two[4] = {0.5, -0.5, 0.0, 0.0};
    sari_step_terms *x = &w->terms[0], *all = &w->terms[1];
    const sari_step_record r = record_of(w, n);
    const int size = sari_terms_size(x);
    memset(all->F, 0, (size_t)size * sizeof(double));
    for (int i = 0; i < (straight ? 2 : 4); i++) {
        SARI_TRY(sari_terms_of(x, twin[i].simulation->system, &r, parts));
        sari_vector_add(size, (straight ? two : four)[i] / change, x->F, all->F);
    }
    *sum = -sari_vector_dot(w->nq, n->x, all->F) - sari_vector_dot(w->nc, n->y, all->second);
    if (n->freed)
        *sum -=
            sari_vector_dot(w->nc, n->y_q, all->Phi) + sari_vector_dot(w->nc, n->y_v, all->rate);
    return SAR_OK;
}

/* The part of the integral of (4) in the present block; with that of the last one, the first in time, what numbers tell of all. */
static sar_status integrate(adjoint* w, int k, sari_twin twin[4], double change, double* integral)
{
    int straight = 0;
    const sari_al3_way way = way_of(w, twin);
    if (w->way[k] && w->way[k] != (char)way + 1) return SAR_E_INCOMPAT;
    w->way[k] = (char)((char)way + 1);
    *integral = way == SARI_AL3_RESIDUALS || w->first > 0 ? 0.0 : by_numbers(w, twin, change, way);
    const unsigned parts = way == SARI_AL3_RESIDUALS ? parts_of(w, twin, &straight) : 0;
    for (int i = w->nodes - 1; way != SARI_AL3_NUMBERS && i >= 0; i--) {
        const node* n = &w->node[i];
        double sum;
        count_turns(w, &twin[0], n);
        for (int j = 1; j < 4; j++) take_turns(w, &twin[0], &twin[j]);
        if (way == SARI_AL3_FORCES) {
            SARI_TRY(forces_at(w, n, twin, change, &sum));
        } else {
            SARI_TRY(residuals_at(w, n, twin, change, parts, straight, &sum));
        }
        *integral += n->weight * sum;
    }
    return SAR_OK;
}

/* How rows themselves depend on a parameter, in the present block. */
static sar_status rows_by(adjoint* w, sari_twin twin[4], double change, const double* weight,
                          double* sum)
{
    const sar_sensitivity* s = w->s;
    for (int r = 0; r < s->rows; r++)
        for (int part = w->first; part < w->end; part++) {
            double value[4] = {0};
            int feels;
            if (weight[r] == 0.0 || !is_at_end(w, r, part)) continue;
            go_to(w, part, w->path.part[part].end, &w->ending);
            SARI_TRY(accelerate_end(w, s->row[r].output, &feels));
            place(w, &w->ending, 0.0, -1);
            for (int i = 0; i < 4; i++) {
                count_turns(w, &twin[i], &w->ending);
                SARI_TRY(value_at(w, &twin[i], &w->ending, s->row[r].output, &value[i]));
            }
            *sum +=
                weight[r] * (8.0 * (value[0] - value[1]) - value[2] + value[3]) / (12.0 * change);
        }
    return SAR_OK;
}

/* (4) of one parameter, the part of the present block. */
static sar_status parameter_part(adjoint* w, int k, const double* weight, double* gradient,
                                 double* work, sar_error* error)
{
    sar_sensitivity* s = w->s;
    double change = CHANGE * s->parameter[k].reach;
    sari_twin twin[4];
    const sar_status made = sari_twins_make_near(s, k, &change, twin, error);
    if (made != SAR_OK) return made == SAR_E_MODEL ? SAR_E_INCOMPAT : made; // its column says why
    if (sari_twins_make(s, k, 2.0 * change, twin + 2, error) != SAR_OK) {
        for (int i = 0; i < 2; i++) sari_twin_clear(&twin[i]);
        return SAR_E_INCOMPAT;
    }
    double *dq = w->stage, *dv = w->stage + w->nq, integral = 0.0;
    sar_status st = slopes_of_start(w, twin, change, dq, dv) ? SAR_OK : SAR_E_INCOMPAT;
    if (st == SAR_OK && w->first == 0) {
        st = meet_rows(w, twin, change, dq, dv, work);
        *gradient += sari_vector_dot(w->nq, w->l, dq) + sari_vector_dot(w->nq, w->l + w->nq, dv);
    }
    for (int i = 0; i < 4; i++) take_turns(w, &w->own, &twin[i]);
    if (st == SAR_OK) st = rows_by(w, twin, change, weight, gradient);
    for (int i = 0; i < 4; i++) take_turns(w, &w->own, &twin[i]);
    if (st == SAR_OK) st = integrate(w, k, twin, change, &integral);
    *gradient += integral;
    for (int i = 0; i < 4; i++) sari_twin_clear(&twin[i]);
    return st;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void take_node(adjoint* w, node* n)
{
    double** const of_velocities[] = {&n->v, &n->a, &n->x};
    n->q = SARI_TAKE(&w->memory, double, w->np);
    for (int k = 0; k < 3; k++) *of_velocities[k] = SARI_TAKE(&w->memory, double, w->nq);
    double** const of_rows[] = {&n->lambda, &n->y, &n->y_q, &n->y_v};
    for (int k = 0; k < 4; k++) *of_rows[k] = SARI_TAKE(&w->memory, double, w->nc);
}

/* Room for the nodes of so many parts as memory is for. */
static void take_block(adjoint* w)
{
    const double limit = w->s->def.memory > 0.0 ? w->s->def.memory : MEMORY;
    const size_t numbers = (size_t)w->np + 3 * (size_t)w->nq + 4 * (size_t)w->nc;
    const double part = (SARI_GAUSS + 1) * (double)(sizeof(node) + numbers * sizeof(double));
    w->block = (int)fmax(16.0, fmin(limit / part, w->path.parts));
    const int nodes = SARI_GAUSS * w->block + w->block / FREED + 1;
    w->node = SARI_TAKE(&w->memory, node, nodes);
    for (int i = 0; i < nodes && !w->memory.failed; i++) take_node(w, &w->node[i]);
    take_node(w, &w->ending);
}

static sar_status take(adjoint* w)
{
    const sar_simulation* x = w->own.simulation;
    sari_arena* m = &w->memory;
    w->np = x->system->np, w->nq = x->system->nq, w->nc = x->system->nc;
    w->counts = sari_turns_count(x->system->kinematics);
    double** const vectors[] = {&w->l, &w->stage, &w->work[0], &w->work[1], &w->work[2]};
    for (int k = 0; k < 5; k++) *vectors[k] = SARI_TAKE(m, double, 2 * w->nq);
    w->unit = SARI_TAKE(m, double, w->nq);
    w->multipliers = SARI_TAKE(m, double, w->nc);
    w->none = SARI_TAKE(m, double, w->nq + w->nc);
    w->way = SARI_TAKE(m, char, w->s->parameters + 1);
    for (int k = 0; k < 3; k++) sari_terms_take(&w->terms[k], m, x->system);
    SARI_TRY(sari_al3_constants_take(&w->constants, x->system, m));
    sari_al3_constants_begin(&w->constants);
    w->outputs = SARI_TAKE(m, double, sar_model_outputs(w->s->nominal.model) + 1);
    sari_state_take(&w->state, m, &x->system->equations, 0);
    sari_state_take(&w->start, m, &x->system->equations, 0);
    if (!m->failed) sari_state_copy(&w->start, &x->state);
    SARI_TRY(sari_path_take(&w->path, m, w->s, x->system, &w->start));
    take_block(w);
    if (m->failed) return SAR_E_NOMEM;
    return sari_adjoint_equations_take(&w->equations, m, x->system, x->units.size);
}

/* All parameters, as far as the present block tells. */
static sar_status add_parameters(adjoint* w, const double* weight, double* gradient,
                                 sar_error* error)
{
    double* work = SARI_NEW_ARRAY(double, 4 * (size_t)w->nq + 12 * (size_t)w->nc + 8);
    sar_status st = work ? SAR_OK : SAR_E_NOMEM;
    for (int k = 0; k < w->s->parameters && st == SAR_OK; k++) {
        if (isnan(gradient[k])) continue;
        st = parameter_part(w, k, weight, &gradient[k], work, error);
        if (st == SAR_E_INCOMPAT) gradient[k] = NAN, st = SAR_OK; // by its column
    }
    sari_release(work);
    return st;
}

static sar_status go_back(adjoint* w, const double* weight, double* gradient, sar_error* error)
{
    sar_sensitivity* s = w->s;
    for (int k = 0; k < s->parameters; k++)
        gradient[k] = s->parameter[k].refused[0] || s->parameter[k].side ? NAN : 0.0;
    take_turns(w, &s->nominal, &w->own);
    for (w->end = w->path.parts; w->end > 0; w->end = w->first) {
        w->first = w->end > w->block ? w->end - w->block : 0;
        w->nodes = 0;
        for (int part = w->end - 1; part >= w->first; part--)
            SARI_TRY(go_back_part(w, part, weight));
        if (w->constants.serves) add_factors(w);
        SARI_TRY(add_parameters(w, weight, gradient, error));
    }
    return SAR_OK;
}

sar_status sari_adjoint_gradient(sar_sensitivity* s, const double* weight, double* gradient,
                                 sar_error* error)
{
    adjoint w = {.s = s};
    for (int r = 0; r < s->rows; r++) // a value of the start itself is not one of the motion
        if (weight[r] != 0.0 && s->row[r].t <= s->nominal.simulation->options.start)
            return SAR_E_INCOMPAT;
    SARI_TRY(sari_twin_make(s, -1, 0.0, &w.own, error));
    sar_status st = take(&w);
    if (st == SAR_OK) st = go_back(&w, weight, gradient, error);
    sari_adjoint_equations_clear(&w.equations);
    sari_twin_clear(&w.own);
    sari_arena_clear(&w.memory);
    return st;
}
