/* The steady motion near a state: positions for which no joint coordinate accelerates, with rates as they are.
 *
 * A motion is steady if in the frames of frames.c
 *
 *     b(q, v) = 0,   b = accelerations of joint coordinates and rates of force states          (1)
 *
 * With the changes xi of linear.c, whose numbers in these frames are z, dz/dt, d2z/dt2 (and x, dx/dt), each step is
 * the least of
 *
 *     |H (b + b_xi xi)|^2 + |r - r_0 + dz/dt|^2 + |S z|^2                                       (2)
 *
 * H is so large that (1) is met as well as it can be, and S so small that what (1) leaves open is decided by rates,
 * which stay the r_0 of the state as far as the loops admit it, then by the shortest way. Constraints are satisfied after every
 * step. Whether the linear equations are constant there, which is the other condition, is for steady.c to say. */
#include "analysis/modes.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/least_squares.h"
#include "math/vector.h"
#include "simulation/events/events.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 60, HALVINGS = 8, PATIENCE = 10 };
static const double HARD = 1e4, SHORT = 1e-3; ///< H and S of (2), in units of the pace
static const double FARTHEST = 0.3;           ///< rad or sizes: of a step
static const double STEP = 1e-5;              ///< rad or sizes: of differences
static const double STEADY = 1e-12;           ///< of the pace squared: accelerations that are none
static const double NEARLY = 1e-9;            ///< the same, where steps do not help any more
static const double PROGRESS = 0.9;           ///< of them: what leaves more is no progress

typedef struct search {
    sar_simulation* simulation;
    sari_linear* linear;
    sari_frames* frames;
    sari_projector* projector;
    sari_arena memory;
    sari_least_squares squares;
    sari_frame_kind kind;
    int states;                        ///< of the linear equations; the same everywhere
    double pace;                       ///< of the start
    double *q, *v, *q_start, *v_start; ///< of the system: before a step, and at the start
    double *b, *r, *r_0;               ///< (1), and rates
    double *dq, *dv, *X, *Xd, *rhs, *beside, *held;
} search;

/* b at the state of the linear equations. */
static void find_b(search* s)
{
    const sari_linear* l = s->linear;
    const int n = s->frames->n, states = l->sys->states;
    sari_frames_rates(s->frames, s->kind, s->r, s->b);
    for (int i = 0; i < states; i++) s->b[n + i] = l->a[l->sys->nq - states + i] * l->pace;
}

/* The size of b in units of the pace. */
static sar_status measure(search* s, double* size)
{
    find_b(s);
    *size = sari_vector_max(s->frames->n + s->linear->sys->states, s->b) / (s->pace * s->pace);
    return isfinite(*size) ? SAR_OK : SAR_R_NOT_FINITE;
}

/* Everything at the state of the simulation. */
static sar_status see(search* s, double* size)
{
    const sari_state* x = &s->simulation->state;
    sari_linear* l = s->linear;
    SARI_TRY(sari_linear_find(l, x->t, x->q, x->v));
    if (s->states >= 0 && l->states != s->states) return SAR_R_SINGULAR;
    SARI_TRY(sari_frames_see(s->frames));
    if (s->states < 0) s->pace = l->pace;
    return measure(s, size);
}

/* b alone, which costs little. */
static sar_status try_here(search* s, double* size)
{
    const sari_state* x = &s->simulation->state;
    SARI_TRY(sari_linear_accelerate(s->linear, x->t, x->q, x->v));
    sari_frames_see_state(s->frames);
    return measure(s, size);
}

/* b_xi along change k by differences, into column k: frames that turn do so with the change too. */
static sar_status find_slope(search* s, int k, double* A)
{
    sari_linear* l = s->linear;
    const sari_state* x = &s->simulation->state;
    const size_t nq = (size_t)l->sys->nq, at = (size_t)k * nq;
    const int n = s->frames->n + l->sys->states;
    const double most =
        fmax(sari_vector_max((int)nq, l->dq + at), sari_vector_max((int)nq, l->dv + at) / l->pace);
    const double h = STEP / fmax(most, 1e-300);
    for (int sign = -1; sign <= 1; sign += 2) {
        for (size_t i = 0; i < nq; i++) {
            s->rhs[i] = sign * h * l->dq[at + i];
            s->dv[i] = x->v[i] + sign * h * l->dv[at + i];
        }
        sari_coordinates_move(&l->sys->coordinates, x->q, s->rhs, s->beside);
        SARI_TRY(sari_linear_accelerate(l, x->t, s->beside, s->dv));
        sari_frames_see_state(s->frames);
        find_b(s);
        for (int i = 0; i < n; i++)
            A[i * l->states + k] += sign * HARD * s->b[i] / (2.0 * h * l->pace * l->pace);
    }
    return SAR_OK;
}

/* Rows of (2), and its solution in the first numbers of rhs. */
static sar_status solve(search* s)
{
    const sari_frames* f = s->frames;
    const sari_linear* l = s->linear;
    const int n = f->n, x = l->sys->states, cols = l->states, rows = f->rows;
    const double pace = l->pace;
    double* A = s->squares.A;
    for (int k = 0; k < cols; k++) {
        sari_frames_see_change(s->frames, s->kind, k);
        const double *Z = f->Z + (size_t)k * (size_t)rows, *Z_1 = f->Z_1 + (size_t)k * (size_t)rows;
        int row = 0;
        for (int i = 0; i < n + x; i++, row++)
            A[row * cols + k] = s->kind == SARI_FRAME_FIXED
                                    ? HARD * Z_1[n + i] / (i < n ? pace * pace : pace)
                                    : 0.0;
        for (int i = 0; i < n; i++, row++) A[row * cols + k] = Z[n + i] / pace;
        for (int i = 0; i < n + x; i++, row++)
            A[row * cols + k] = SHORT * (i < n ? Z[i] / pace : Z[n + i]);
    }
    memcpy(s->held, s->b, (size_t)(n + x) * sizeof(double));
    memcpy(s->held + n + x, s->r, (size_t)n * sizeof(double));
    for (int k = 0; k < cols && s->kind != SARI_FRAME_FIXED; k++) SARI_TRY(find_slope(s, k, A));
    memset(s->rhs, 0, (size_t)(3 * n + 2 * x) * sizeof(double));
    for (int i = 0; i < n + x; i++) s->rhs[i] = -HARD * s->held[i] / (pace * pace);
    for (int i = 0; i < n; i++) s->rhs[n + x + i] = (s->r_0[i] - s->held[n + x + i]) / pace;
    sari_least_squares_factor(&s->squares);
    sari_least_squares_solve(&s->squares, 1, s->rhs);
    return SAR_OK;
}

/* dq and dv of the solution, no longer than a step may be. */
static void take_step(search* s)
{
    const sari_linear* l = s->linear;
    const sari_frames* f = s->frames;
    const size_t nq = (size_t)l->sys->nq;
    memset(s->dq, 0, nq * sizeof(double));
    memset(s->dv, 0, nq * sizeof(double));
    memset(s->b, 0, (size_t)f->n * sizeof(double));
    for (int k = 0; k < l->states; k++) {
        for (size_t i = 0; i < nq; i++) {
            s->dq[i] += s->rhs[k] * l->dq[(size_t)k * nq + i];
            s->dv[i] += s->rhs[k] * l->dv[(size_t)k * nq + i];
        }
        for (int i = 0; i < f->n; i++)
            s->b[i] += s->rhs[k] * f->Z[(size_t)k * (size_t)f->rows + (size_t)i] / l->pace;
    }
    const double length = sari_vector_max(f->n, s->b);
    for (size_t i = 0; i < nq && length > FARTHEST; i++)
        s->dq[i] *= FARTHEST / length, s->dv[i] *= FARTHEST / length;
}

/* To `part` of the step, on the constraints. */
static sar_status go(search* s, double part)
{
    sari_system* sys = s->linear->sys;
    const sari_mechanism* m = sys->mechanism;
    sari_state* x = &s->simulation->state;
    const size_t size = (size_t)(m->nx * m->bodies) * sizeof(double);
    for (int i = 0; i < sys->nq; i++) {
        s->rhs[i] = part * s->dq[i];
        x->v[i] = s->v[i] + part * s->dv[i];
    }
    sari_coordinates_move(&sys->coordinates, s->q, s->rhs, x->q);
    sari_kinematics_update(sys->kinematics, x->q, x->v, 1);
    memcpy(s->X, sys->kinematics->X, size);
    memcpy(s->Xd, sys->kinematics->Xd, size);
    if (sys->nc == 0) return SAR_OK;
    SARI_TRY(sari_project_position(s->projector, x->t, s->X, x->q));
    return sari_project_velocity(s->projector, x->t, x->q, s->Xd, x->v);
}

/* One step that makes b smaller; SAR_R_NO_CONV: there is none. */
static sar_status improve(search* s, double* size)
{
    const sari_system* sys = s->linear->sys;
    sari_state* x = &s->simulation->state;
    const double before = *size;
    memcpy(s->q, x->q, (size_t)sys->np * sizeof(double));
    memcpy(s->v, x->v, (size_t)sys->nq * sizeof(double));
    SARI_TRY(solve(s));
    take_step(s);
    double part = 1.0;
    for (int k = 0; k < HALVINGS; k++, part *= 0.5) {
        sar_status st = go(s, part) == SAR_OK ? try_here(s, size) : SAR_R_NO_CONV;
        if (st == SAR_OK && *size < before) st = see(s, size);
        if (st < 0) return st;
        if (st == SAR_OK && *size < before) return SAR_OK;
    }
    memcpy(x->q, s->q, (size_t)sys->np * sizeof(double));
    memcpy(x->v, s->v, (size_t)sys->nq * sizeof(double));
    SARI_TRY(see(s, size));
    return SAR_R_NO_CONV;
}

static sar_status find_in(search* s, sari_frame_kind kind)
{
    const sari_system* sys = s->linear->sys;
    sari_state* x = &s->simulation->state;
    double size, since = INFINITY;
    s->kind = kind;
    memcpy(x->q, s->q_start, (size_t)sys->np * sizeof(double));
    memcpy(x->v, s->v_start, (size_t)sys->nq * sizeof(double));
    SARI_TRY(see(s, &size));
    s->states = s->linear->states;
    sari_least_squares_take(&s->squares, &s->memory, 3 * s->frames->n + 2 * sys->states, s->states,
                            1);
    if (s->memory.failed) return SAR_E_NOMEM;
    memcpy(s->r_0, s->r, (size_t)s->frames->n * sizeof(double));
    for (int k = 0; k < ITERATIONS && size > STEADY; k++) {
        const double before = size;
        const sar_status st = improve(s, &size);
        if (st != SAR_OK && st != SAR_R_NO_CONV) return st;
        if (size <= NEARLY && size > PROGRESS * before) return SAR_OK;
        SARI_TRY(st);
        if (k % PATIENCE) continue;
        if (size > PROGRESS * since) return SAR_R_NO_CONV;
        since = size;
    }
    return size <= NEARLY ? SAR_OK : SAR_R_NO_CONV;
}

static sar_status prepare(search* s)
{
    sar_simulation* of = s->simulation;
    sari_system* sys = of->system;
    sari_arena* m = &s->memory;
    SARI_TRY(sari_linear_create(sys, of->units.size, &s->linear));
    SARI_TRY(sari_frames_create(s->linear, &s->frames));
    SARI_TRY(sari_projector_create(sys, &s->projector));
    const int n = s->frames->n + sys->states, placed = sys->mechanism->nx * sys->mechanism->bodies;
    s->q = SARI_TAKE(m, double, sys->np);
    s->v = SARI_TAKE(m, double, sys->nq);
    s->q_start = sari_arena_copy(m, of->state.q, (size_t)sys->np, sizeof(double));
    s->v_start = sari_arena_copy(m, of->state.v, (size_t)sys->nq, sizeof(double));
    s->b = SARI_TAKE(m, double, n);
    s->r = SARI_TAKE(m, double, n);
    s->r_0 = SARI_TAKE(m, double, n);
    s->dq = SARI_TAKE(m, double, sys->nq);
    s->dv = SARI_TAKE(m, double, sys->nq);
    s->X = SARI_TAKE(m, double, placed);
    s->Xd = SARI_TAKE(m, double, placed);
    s->beside = SARI_TAKE(m, double, sys->np);
    s->held = SARI_TAKE(m, double, 2 * n);
    s->rhs = SARI_TAKE(m, double, 3 * n + sys->nq);
    return m->failed ? SAR_E_NOMEM : SAR_OK;
}

/* In frames of one kind after the other, until the linear equations are constant too. */
static sar_status find(search* s)
{
    sar_status st = prepare(s);
    int steady = 0;
    for (int k = 0; k < SARI_FRAME_KINDS && st == SAR_OK && !steady; k++) {
        s->states = -1;
        st = find_in(s, (sari_frame_kind)k);
        if (st == SAR_OK) steady = s->linear->at_rest;
        if (st == SAR_OK && !steady) {
            SARI_TRY(sari_frames_reduce(s->frames, s->kind));
            SARI_TRY(sari_is_steady(s->linear, s->frames, s->kind, &steady));
        }
        if (st > 0) st = SAR_OK; // in other frames, perhaps
    }
    return st == SAR_OK && !steady ? SAR_R_NO_CONV : st;
}

sar_status sar_simulation_to_steady(sar_simulation* simulation, sar_error* error)
{
    if (!simulation || !simulation->assembled)
        return sari_fail(error, SAR_E_ARG, NULL,
                         "assemble the simulation before its steady motion");
    if (simulation->looks_back) SARI_TRY(sar_simulation_look(simulation, INFINITY));
    search s = {.simulation = simulation};
    sari_state* x = &simulation->state;
    const sari_system* sys = simulation->system;
    const sar_status st = find(&s);
    if (st != SAR_OK && s.q_start && s.v_start) {
        memcpy(x->q, s.q_start, (size_t)sys->np * sizeof(double));
        memcpy(x->v, s.v_start, (size_t)sys->nq * sizeof(double));
    }
    sari_frames_destroy(s.frames);
    sari_linear_destroy(s.linear);
    sari_projector_destroy(s.projector);
    sari_arena_clear(&s.memory);
    const sar_status again = sari_switch_restart(simulation);
    sari_observation_measure(&simulation->seen, NULL);
    if (st == SAR_OK && again == SAR_OK) return SAR_OK;
    return sari_fail(error, st == SAR_OK ? again : st, NULL,
                     "no steady motion was found near the start, with its rates of joints: draw "
                     "it nearer to one, or set other rates");
}
