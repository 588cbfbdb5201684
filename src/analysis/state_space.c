/* State space about a state, in numbers that have names.
 *
 * linear.c and frames.c have dxi/dt = A xi in a basis of their own; x = Z_I xi, with rows I of Z that are independent, are
 * changes of joint coordinates, their rates and states of forces:
 *
 *     A_x = Z_I A Z_I^-1,   B_x = Z_I (0; T_2'Q_u),   C_x = y_xi Z_I^-1,   D = y_u + y_a T_2 T_2'Q_u      (1)
 *
 * y_xi is the slope of outputs along (dq, dv, da) of each state: they may depend on accelerations and reactions. All
 * slopes here are central differences of four points. */
#include "analysis/modes.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/rank.h"
#include "linalg/shifted.h"
#include "math/vector.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 96 };
static const double STEP = 1e-3; ///< sizes, radians, or parts of an input

struct sar_state_space {
    sari_arena memory;
    sar_linear_system system;
    double *A, *B, *C, *D, *u_0, *y_0;
    const char **state, **input, **output;
};

typedef struct work {
    sar_state_space* out;
    sar_simulation* simulation;
    sari_linear* linear;
    sari_frames* frames;
    sari_arena memory;
    sari_state x; ///< beside the state
    int* row;     ///< rows of Z: those of I come first
    int* output;  ///< outputs of the model that count
    double *Z, *inverse, *y, *slope, *Q_u, *da, *eta;
    double* scale; ///< per row of Z: to the user's units and senses
} work;

/* ---- names ---------------------------------------------------------------------------------- */

static const char* name_of_motion(const sari_tree_joint* j, const sari_tree* t, int node, int part)
{
    static const char* const place[] = {"x", "y", "z"};
    static const char* const turn[] = {"rotation_x", "rotation_y", "rotation_z"};
    int before = 0;
    for (int i = j->first; i < node; i++) before += t->node[i].motion == t->node[node].motion;
    if (t->node[node].motion == SARI_BALL) return turn[part];
    if (t->node[node].motion == SARI_SLIDE)
        return j->joint < 0 ? place[before % 3] : before ? "displacement2" : "displacement";
    return before ? "angle2" : "angle";
}

/* Joint coordinates count the motion of the joint's second body; a tree may go the other way. */
static double sense_of(const work* w, const sari_tree_joint* j)
{
    if (j->joint < 0) return 1.0;
    const sari_joint* joint = &w->simulation->model->joints[j->joint];
    return !joint->relation && joint->pair.a.body.i != j->parent ? -1.0 : 1.0;
}

/* Text and scale of row i of Z. */
static void name_row(const work* w, int row, char* name, double* scale)
{
    const sari_frames* f = w->frames;
    const sari_tree* t = f->joints->tree;
    const sar_model* model = w->simulation->model;
    const int change = row % f->n;
    *scale = 1.0;
    snprintf(name, NAME, "state%d", row - 2 * f->n + 1);
    if (row >= 2 * f->n) return;
    const int node = t->node_of[change];
    for (int k = 0; k < t->joints; k++) {
        const sari_tree_joint* j = &t->joint[k];
        if (node < j->first || node >= j->first + j->count) continue;
        snprintf(name, NAME, "%s.%s%s",
                 j->joint >= 0 ? model->joints[j->joint].name : model->bodies[j->child].name,
                 name_of_motion(j, t, node, change - t->node[node].q), row >= f->n ? ".rate" : "");
        *scale = t->node[node].motion == SARI_SLIDE ? w->simulation->units.length : 1.0;
        if (t->node[node].motion != SARI_BALL) *scale *= sense_of(w, j);
        if (row < f->n) *scale /= w->linear->pace; // see frames.c
    }
}

/* ---- states --------------------------------------------------------------------------------- */

/* Rows of Z that are independent, positions first, and Z_I with its inverse. */
static sar_status choose_states(work* w)
{
    const sari_frames* f = w->frames;
    const int n = w->linear->states, rows = f->rows;
    double* copy = SARI_NEW_ARRAY(double, (size_t)n*(size_t)rows + 1);
    if (!copy) return SAR_E_NOMEM;
    for (int i = 0; i < rows; i++) { // rows of one length: earlier ones are preferred
        double square = 0.0;
        for (int k = 0; k < n; k++) square += f->Z[k * rows + i] * f->Z[k * rows + i];
        for (int k = 0; k < n; k++)
            copy[k * rows + i] = square > 0.0 ? f->Z[k * rows + i] / sqrt(square) : 0.0;
    }
    const int rank = sari_independent_columns(n, rows, copy, 1e-4, w->row);
    sari_release(copy);
    if (rank != n) return SAR_R_SINGULAR;
    for (int i = 0; i < n; i++) {
        char name[NAME];
        name_row(w, w->row[i], name, &w->scale[i]);
        w->out->state[i] = sari_arena_copy(&w->out->memory, name, NAME, 1);
        for (int k = 0; k < n; k++) w->Z[i * n + k] = w->scale[i] * f->Z[k * rows + w->row[i]];
    }
    return w->out->memory.failed ? SAR_E_NOMEM : SAR_OK;
}

/* By Gauss and Jordan with rows pivoted. */
static void invert(int n, const double* from, double* A, double* inverse)
{
    memcpy(A, from, (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < n * n; i++) inverse[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int r = c + 1; r < n; r++)
            if (fabs(A[r * n + c]) > fabs(A[best * n + c])) best = r;
        for (int k = 0; k < n && best != c; k++) {
            const double a = A[c * n + k], b = inverse[c * n + k];
            A[c * n + k] = A[best * n + k], inverse[c * n + k] = inverse[best * n + k];
            A[best * n + k] = a, inverse[best * n + k] = b;
        }
        const double pivot = A[c * n + c];
        for (int k = 0; k < n; k++) A[c * n + k] /= pivot, inverse[c * n + k] /= pivot;
        for (int r = 0; r < n; r++) {
            const double part = r == c ? 0.0 : A[r * n + c];
            for (int k = 0; k < n && part != 0.0; k++) {
                A[r * n + k] -= part * A[c * n + k];
                inverse[r * n + k] -= part * inverse[c * n + k];
            }
        }
    }
}

static void multiply(int rows, int inner, int cols, const double* A, const double* B, double* out)
{
    memset(out, 0, (size_t)rows * (size_t)cols * sizeof(double));
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < inner; k++)
            for (int j = 0; j < cols; j++) out[i * cols + j] += A[i * inner + k] * B[k * cols + j];
}

/* ---- slopes --------------------------------------------------------------------------------- */

static const double WEIGHT[] = {2.0 / 3.0, -1.0 / 12.0}; ///< of the first and second points

/* Outputs beside the state: moved by e along (dq, dv, da), each of which may be NULL. */
static sar_status look_beside(work* w, double e, const double* dq, const double* dv,
                              const double* da)
{
    const sari_state* from = &w->simulation->state;
    const sari_linear* l = w->linear;
    sari_state* x = &w->x;
    double* d = w->eta;
    memcpy(x->q, from->q, (size_t)from->np * sizeof(double));
    for (int i = 0; i < from->n; i++) d[i] = dq ? e * dq[i] : 0.0;
    if (dq) sari_coordinates_move(&l->sys->coordinates, from->q, d, x->q);
    for (int i = 0; i < from->n; i++) {
        x->v[i] = l->v[i] + (dv ? e * dv[i] : 0.0);
        x->a[i] = l->a[i] + (da ? e * da[i] : 0.0);
    }
    return sari_outputs_of(w->simulation, x, w->y);
}

/* Slopes of outputs along state k, into column k of slope. */
static sar_status find_output_slope(work* w, int k)
{
    const sari_linear* l = w->linear;
    const size_t nq = (size_t)l->sys->nq, at = (size_t)k * nq;
    const int n = l->states, outputs = w->out->system.outputs;
    const double most = fmax(sari_vector_max((int)nq, l->dq + at),
                             fmax(sari_vector_max((int)nq, l->dv + at) / l->pace,
                                  sari_vector_max((int)nq, l->da + at) / (l->pace * l->pace)));
    const double h = most > 0.0 ? STEP / most : STEP;
    for (int p = 2; p >= 1; p--)
        for (int sign = -1; sign <= 1; sign += 2) {
            SARI_TRY(look_beside(w, sign * p * h, l->dq + at, l->dv + at, l->da + at));
            for (int o = 0; o < outputs; o++)
                w->slope[o * n + k] += sign * WEIGHT[p - 1] / h * w->y[w->output[o]];
        }
    return SAR_OK;
}

/* ---- inputs --------------------------------------------------------------------------------- */

/* Q_u into w->Q_u; rows of constraints must not change. */
static sar_status find_input_force(work* w, int input, double h, double u)
{
    sar_simulation* s = w->simulation;
    sari_system* sys = s->system;
    const sari_linear* l = w->linear;
    memset(w->Q_u, 0, (size_t)sys->nq * sizeof(double));
    double moved = 0.0;
    for (int p = 2; p >= 1; p--)
        for (int sign = -1; sign <= 1; sign += 2) {
            SARI_TRY(sar_simulation_set_input(s, input, u + sign * p * h, 0.0));
            SARI_TRY(sari_equations_eval(&sys->equations, SARI_EVAL_DYNAMICS, l->t, l->q, l->v));
            for (int i = 0; i < sys->nq; i++) w->Q_u[i] += sign * WEIGHT[p - 1] / h * sys->Q[i];
            moved = fmax(moved, sari_vector_max(sys->nc, sys->Phi));
            sari_equations_phi_dot(&sys->equations, l->v, l->Jb);
            moved = fmax(moved, sari_vector_max(sys->nc, l->Jb) / l->pace);
        }
    return moved > 1e-3 * h && moved > 1e-6 ? SAR_E_INCOMPAT : SAR_OK;
}

/* da_u = T_2 T_2'Q_u, and column `input` of B. */
static void find_input_motion(work* w, int input)
{
    const sari_linear* l = w->linear;
    const int n = l->states, m = w->out->system.inputs, nq = l->sys->nq;
    memset(w->da, 0, (size_t)nq * sizeof(double));
    for (int j = 0; j < l->velocities; j++) {
        const double* T = l->on_velocities.T + (size_t)j * (size_t)nq;
        const double part = sari_vector_dot(nq, T, w->Q_u);
        for (int i = 0; i < nq; i++) w->da[i] += part * T[i];
        for (int i = 0; i < n; i++)
            w->out->B[i * m + input] += w->Z[i * n + l->positions + j] * part;
    }
}

static sar_status find_input(work* w, int input)
{
    sar_simulation* s = w->simulation;
    const int m = w->out->system.inputs;
    const double u = w->out->u_0[input], h = STEP * fmax(fabs(u), 1.0);
    SARI_TRY(find_input_force(w, input, h, u));
    find_input_motion(w, input);
    for (int p = 2; p >= 1; p--)
        for (int sign = -1; sign <= 1; sign += 2) {
            SARI_TRY(sar_simulation_set_input(s, input, u + sign * p * h, 0.0));
            SARI_TRY(look_beside(w, sign * p * h, NULL, NULL, w->da));
            for (int o = 0; o < w->out->system.outputs; o++)
                w->out->D[o * m + input] += sign * WEIGHT[p - 1] / h * w->y[w->output[o]];
        }
    return SAR_OK;
}

/* With the input's table put back as it was, whatever happened. */
static sar_status try_input(work* w, int input)
{
    sar_simulation* s = w->simulation;
    sari_held_input* held = &s->model->held[input];
    const sari_held_input before = *held;
    const int at_breakpoint = s->at_breakpoint;
    w->out->u_0[input] = sar_simulation_input(s, input);
    w->out->input[input] =
        s->user_model->inputs_count > input ? sar_model_input_name(s->user_model, input) : "";
    const sar_status st = find_input(w, input);
    *held = before;
    s->at_breakpoint = at_breakpoint;
    return st;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static sar_status take_memory(work* w)
{
    const sar_simulation* s = w->simulation;
    const sari_system* sys = s->system;
    sari_arena* m = &w->memory;
    const int n = w->linear->states, rows = w->frames->rows, outputs = s->model->outputs_count,
              inputs = s->model->inputs_count;
    sari_state_take(&w->x, m, &sys->equations, 0);
    sari_state_copy(&w->x, &s->state);
    w->row = SARI_TAKE(m, int, rows);
    w->scale = SARI_TAKE(m, double, n);
    w->output = SARI_TAKE(m, int, outputs);
    w->Z = SARI_TAKE(m, double, n* n);
    w->inverse = SARI_TAKE(m, double, 2 * n * n);
    w->y = SARI_TAKE(m, double, outputs + 1);
    w->slope = SARI_TAKE(m, double, outputs* n);
    w->Q_u = SARI_TAKE(m, double, sys->nq);
    w->da = SARI_TAKE(m, double, sys->nq);
    w->eta = SARI_TAKE(m, double, sys->nq);
    sari_arena* o = &w->out->memory;
    w->out->A = SARI_TAKE(o, double, n* n);
    w->out->B = SARI_TAKE(o, double, n* inputs);
    w->out->C = SARI_TAKE(o, double, outputs* n);
    w->out->D = SARI_TAKE(o, double, outputs* inputs);
    w->out->u_0 = SARI_TAKE(o, double, inputs);
    w->out->y_0 = SARI_TAKE(o, double, outputs);
    w->out->state = SARI_TAKE(o, const char*, n);
    w->out->input = SARI_TAKE(o, const char*, inputs);
    w->out->output = SARI_TAKE(o, const char*, outputs);
    return m->failed || o->failed ? SAR_E_NOMEM : SAR_OK;
}

static void choose_outputs(work* w)
{
    const sar_model* model = w->simulation->model;
    sar_linear_system* sys = &w->out->system;
    sys->outputs = 0;
    for (int o = 0; o < model->outputs_count; o++) {
        if (model->outputs[o].integral) continue;
        w->out->output[sys->outputs] = sar_model_output_name(w->simulation->user_model, o);
        w->output[sys->outputs++] = o;
    }
}

static sar_status find_all(work* w)
{
    sari_linear* l = w->linear;
    sar_linear_system* sys = &w->out->system;
    const sari_state* x = &w->simulation->state;
    sari_frame_kind kind;
    int steady;
    SARI_TRY(sari_linear_find(l, x->t, x->q, x->v));
    SARI_TRY(sari_frames_create(l, &w->frames));
    SARI_TRY(sari_frames_see(w->frames));
    SARI_TRY(sari_steady_frame(l, w->frames, &kind, &steady));
    SARI_TRY(sari_frames_reduce(w->frames, kind));
    SARI_TRY(take_memory(w));
    const int n = sys->states = l->states;
    sys->inputs = w->simulation->model->inputs_count;
    sys->about = steady                                                    ? SAR_MODES_STEADY
                 : l->at_rest && l->unbalanced <= 1e-7 * l->pace * l->pace ? SAR_MODES_EQUILIBRIUM
                                                                           : SAR_MODES_FROZEN;
    sys->t = x->t;
    choose_outputs(w);
    SARI_TRY(choose_states(w));
    invert(n, w->Z, w->inverse + n * n, w->inverse);
    double* product = w->inverse + n * n;
    multiply(n, n, n, w->Z, l->A, product);
    multiply(n, n, n, product, w->inverse, w->out->A);
    SARI_TRY(look_beside(w, 0.0, NULL, NULL, NULL));
    for (int o = 0; o < sys->outputs; o++) w->out->y_0[o] = w->y[w->output[o]];
    for (int k = 0; k < n; k++) SARI_TRY(find_output_slope(w, k));
    multiply(sys->outputs, n, n, w->slope, w->inverse, w->out->C);
    for (int k = 0; k < sys->inputs; k++) {
        const sar_status st = try_input(w, k);
        sys->inputs = st == SAR_E_INCOMPAT ? -1 - k : sys->inputs;
        SARI_TRY(st);
    }
    return SAR_OK;
}

static sar_status explain(const work* w, sar_status st, sar_error* error)
{
    const int input = -1 - w->out->system.inputs;
    if (st == SAR_E_INCOMPAT && input >= 0)
        return sari_fail(
            error, st, NULL,
            "input '%s' moves a drive or a constraint: let it act through a force, as of a stiff "
            "spring and damper, for a state space",
            sar_model_input_name(w->simulation->user_model, input));
    return sari_fail(error, st, NULL, "no state space: %s", sar_status_text(st));
}

static void put_matrices(sar_state_space* s)
{
    sar_linear_system* out = &s->system;
    out->A = s->A, out->B = s->B, out->C = s->C, out->D = s->D;
    out->u_0 = s->u_0, out->y_0 = s->y_0;
    out->state = s->state, out->input = s->input, out->output = s->output;
}

sar_status sar_state_space_create(sar_simulation* s, sar_state_space** out, sar_error* error)
{
    if (!s || !s->assembled)
        return sari_fail(error, SAR_E_ARG, NULL, "assemble the simulation before its state space");
    if (s->looks_back) SARI_TRY(sar_simulation_look(s, INFINITY));
    work w = {.simulation = s, .out = SARI_NEW(sar_state_space)};
    sar_status st = w.out ? sari_linear_create(s->system, s->units.size, &w.linear) : SAR_E_NOMEM;
    if (st == SAR_OK) st = find_all(&w);
    if (st != SAR_OK && w.out) explain(&w, st, error);
    if (st == SAR_OK) put_matrices(w.out);
    sari_frames_destroy(w.frames);
    sari_linear_destroy(w.linear);
    sari_arena_clear(&w.memory);
    (void)sari_equations_eval(&s->system->equations, SARI_EVAL_DYNAMICS, s->state.t, s->state.q,
                              s->state.v);
    if (st == SAR_OK)
        *out = w.out;
    else
        sar_state_space_destroy(w.out);
    return st;
}

void sar_state_space_destroy(sar_state_space* s)
{
    if (!s) return;
    sari_arena_clear(&s->memory);
    sari_release(s);
}

sar_linear_system sar_state_space_system(const sar_state_space* s)
{
    return s->system;
}

sar_status sar_state_space_response(const sar_state_space* s, double omega, double* re, double* im)
{
    const sar_linear_system* sys = &s->system;
    const int n = sys->states, m = sys->inputs;
    sari_arena memory = {0};
    sari_shifted f = {0};
    sari_shifted_take(&f, &memory, n, 1);
    double* x = SARI_TAKE(&memory, double, 2 * n + 1);
    sar_status st = memory.failed ? SAR_E_NOMEM : SAR_OK;
    if (st == SAR_OK && n > 0) st = sari_shifted_factor(&f, n, sys->A, 0.0, omega);
    for (int k = 0; k < m && st == SAR_OK; k++) {
        for (int i = 0; i < n; i++) x[i] = sys->B[i * m + k], x[n + i] = 0.0;
        if (n > 0) sari_shifted_solve(&f, sys->A, x, x + n);
        for (int o = 0; o < sys->outputs; o++) {
            re[o * m + k] = sys->D[o * m + k] + sari_vector_dot(n, sys->C + o * n, x);
            im[o * m + k] = sari_vector_dot(n, sys->C + o * n, x + n);
        }
    }
    sari_arena_clear(&memory);
    return st;
}
