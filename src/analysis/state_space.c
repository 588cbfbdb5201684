/* State space about a state, in numbers that have names.
 *
 * linear.c and frames.c have dxi/dt = A xi in a basis of their own; x = Z_I xi, with rows I of Z that are independent, are
 * changes of joint coordinates, their rates and states of forces:
 *
 *     A_x = Z_I A Z_I^-1,   B_x = Z_I (0; T_2'Q_u),   C_x = y_xi Z_I^-1,   D = y_u + y_a T_2 T_2'Q_u      (1)
 *
 * y_xi is the slope of outputs along (dq, dv, da) of each state: they may depend on accelerations and reactions. All
 * slopes here are central differences of four points.
 *
 * An input u that moves rows of constraints, as of a drive, and its rate u_1 are two states more; what goes in is u_2, its
 * second derivative. Each of the three has a change of its own, with which all constraints are kept (linear.c), so that
 *
 *     x = Z_I xi + Z_u u + Z_u1 u_1,   dx/dt = Z_1I xi + Z_1u u + Z_1u1 u_1 + Z_1u2 u_2
 *       = A_x x + (Z_1u - A_x Z_u) u + (Z_1u1 - A_x Z_u1) u_1 + Z_1u2 u_2                        (2)
 *     y = C_x x + (y_u - C_x Z_u) u + (y_u1 - C_x Z_u1) u_1 + y_u2 u_2                           (3) */
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
static const double ROUNDING =
    1e-10; ///< of the largest number of Z: joint coordinates that are held

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
    double *Z, *inverse, *y, *slope, *da, *eta;
    double* scale; ///< per row of Z: to the user's units and senses
    double *F, *Q_u, *Phi_u, *along,
        *rows; ///< of an input: slopes of Q, Phi, and of F, rate and second
    sari_frame_kind kind;
    int* driven;         ///< per input: it moves rows
    double* u;           ///< per input: value and rate
    double *Z_u, *A, *C; ///< of (2) and (3): columns of an input; A_x and C_x
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
    const double none = ROUNDING * sari_vector_max(n * rows, f->Z);
    for (int i = 0; i < rows; i++) { // rows of one length: earlier ones are preferred
        double square = 0.0;
        for (int k = 0; k < n; k++) square += f->Z[k * rows + i] * f->Z[k * rows + i];
        for (int k = 0; k < n; k++)
            copy[k * rows + i] = square > none * none ? f->Z[k * rows + i] / sqrt(square) : 0.0;
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
static sar_status evaluate_beside(work* w, double e, const double* dq, const double* dv,
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

/* The input and its rate, this much off those of the state. */
static sar_status move_input(work* w, int input, double by, double rate)
{
    const double* u = w->u + 2 * input;
    return sar_simulation_set_input(w->simulation, input, u[0] + by, u[1] + rate);
}

/* Slopes of outputs along change k, into column `to` of out with `cols` columns, for steps of h; along the rate or the
 * value of an input as well, if it is not negative. */
static sar_status find_slope(work* w, int k, double h, int input, int rate, double* out, int cols,
                             int to)
{
    const sari_linear* l = w->linear;
    const size_t at = (size_t)k * (size_t)l->sys->nq;
    for (int p = 2; p >= 1; p--)
        for (int sign = -1; sign <= 1; sign += 2) {
            const double e = sign * p * h;
            if (input >= 0) SARI_TRY(move_input(w, input, rate ? 0.0 : e, rate ? e : 0.0));
            SARI_TRY(evaluate_beside(w, e, l->dq + at, l->dv + at, l->da + at));
            for (int o = 0; o < w->out->system.outputs; o++)
                out[o * cols + to] += sign * WEIGHT[p - 1] / h * w->y[w->output[o]];
        }
    return SAR_OK;
}

/* A step along change k that is small for bodies and motions. */
static double step_along(const sari_linear* l, int k)
{
    const size_t nq = (size_t)l->sys->nq, at = (size_t)k * nq;
    const double most = fmax(sari_vector_max((int)nq, l->dq + at),
                             fmax(sari_vector_max((int)nq, l->dv + at) / l->pace,
                                  sari_vector_max((int)nq, l->da + at) / (l->pace * l->pace)));
    return most > 0.0 ? STEP / most : STEP;
}

/* ---- inputs --------------------------------------------------------------------------------- */

/* Slopes of F, rate and second at the state, without applied forces that stay, and of Phi, along an input or its rate. */
static sar_status find_row_slopes(work* w, int input, double h, int rate)
{
    sari_system* sys = w->simulation->system;
    const sari_linear* l = w->linear;
    const int nq = sys->nq, nc = sys->nc;
    double *F = w->F, *first = F + nq, *second = first + nc;
    memset(w->along, 0, (size_t)(nq + 2 * nc) * sizeof(double));
    memset(w->Q_u, 0, (size_t)nq * sizeof(double));
    memset(w->Phi_u, 0, (size_t)nc * sizeof(double));
    for (int p = 2; p >= 1; p--)
        for (int sign = -1; sign <= 1; sign += 2) {
            const double e = sign * p * h, part = sign * WEIGHT[p - 1] / h;
            SARI_TRY(move_input(w, input, rate ? 0.0 : e, rate ? e : 0.0));
            SARI_TRY(sari_equations_eval(&sys->equations, SARI_EVAL_DYNAMICS, l->t, l->q, l->v));
            memset(F, 0, (size_t)nq * sizeof(double)); // M a does not depend on inputs
            sari_csr_multiply_add_transposed(&sys->Phi_q, 1.0, l->lambda, F);
            sari_csr_multiply(&sys->Phi_q, l->v, first);
            sari_csr_multiply(&sys->Phi_q, l->a, second);
            for (int i = 0; i < nq; i++) F[i] -= sys->Q[i], w->Q_u[i] += part * sys->Q[i];
            for (int r = 0; r < nc; r++) {
                first[r] += sys->Phi_t[r], second[r] += sys->bias[r];
                w->Phi_u[r] += part * sys->Phi[r];
            }
            for (int i = 0; i < nq + 2 * nc; i++) w->along[i] += part * F[i];
        }
    return move_input(w, input, 0.0, 0.0);
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

static sar_status find_force_input(work* w, int input)
{
    const int m = w->out->system.inputs;
    const double h = STEP * fmax(fabs(w->u[2 * input]), 1.0);
    SARI_TRY(find_row_slopes(w, input, h, 0));
    find_input_motion(w, input);
    for (int p = 2; p >= 1; p--)
        for (int sign = -1; sign <= 1; sign += 2) {
            SARI_TRY(move_input(w, input, sign * p * h, 0.0));
            SARI_TRY(evaluate_beside(w, sign * p * h, NULL, NULL, w->da));
            for (int o = 0; o < w->out->system.outputs; o++)
                w->out->D[o * m + input] += sign * WEIGHT[p - 1] / h * w->y[w->output[o]];
        }
    return SAR_OK;
}

/* Columns of (2) and (3) for u, its rate, or its second derivative (`order`), with slopes of rows found. */
static sar_status find_driven_change(work* w, int order, int input, int to)
{
    sari_linear* l = w->linear;
    const sar_linear_system* sys = &w->out->system;
    const int n = l->states, all = sys->states, rows = w->frames->rows;
    const double limit = STEP * (order == 0 ? fmax(fabs(w->u[2 * input]), 1.0) : INFINITY);
    double *A = order < 2 ? w->out->A : w->out->B, *C = order < 2 ? w->out->C : w->out->D;
    const int cols = order < 2 ? all : sys->inputs;
    SARI_TRY(sari_residual_tangent(&l->residual));
    SARI_TRY(sari_linear_add_change(l, w->Phi_u, w->along));
    sari_frames_see_change(w->frames, w->kind, n);
    const double *Z = w->frames->Z + (size_t)n * (size_t)rows,
                 *Z_1 = w->frames->Z_1 + (size_t)n * (size_t)rows;
    SARI_TRY(find_slope(w, n, fmin(step_along(l, n), limit), order < 2 ? input : -1, order == 1, C,
                        cols, to));
    for (int i = 0; i < n; i++) w->Z_u[i] = order < 2 ? w->scale[i] * Z[w->row[i]] : 0.0;
    for (int i = 0; i < n; i++)
        A[i * cols + to] = w->scale[i] * Z_1[w->row[i]] - sari_vector_dot(n, w->A + i * n, w->Z_u);
    for (int o = 0; o < sys->outputs; o++)
        C[o * cols + to] -= sari_vector_dot(n, w->C + o * n, w->Z_u);
    return SAR_OK;
}

/* States `at` and at + 1 are the input and its rate. */
static sar_status find_driven_input(work* w, int input, int at)
{
    sari_linear* l = w->linear;
    const sari_system* sys = l->sys;
    const int all = w->out->system.states, m = w->out->system.inputs, nq = sys->nq, nc = sys->nc;
    const double size = fmax(fabs(w->u[2 * input]), 1.0), steep = sari_vector_max(nc, w->Phi_u);
    const double h = steep > 0.0 ? fmin(STEP * size, STEP * l->unit / steep) : STEP * size;
    w->out->A[at * all + at + 1] = 1.0;
    w->out->B[(at + 1) * m + input] = 1.0;
    SARI_TRY(find_row_slopes(w, input, h, 0));
    memcpy(w->rows, w->Phi_u, (size_t)nc * sizeof(double));
    SARI_TRY(find_driven_change(w, 0, input, at));
    SARI_TRY(find_row_slopes(w, input, h * l->pace, 1));
    SARI_TRY(find_driven_change(w, 1, input, at + 1));
    memset(w->along, 0, (size_t)(nq + 2 * nc) * sizeof(double));
    memset(w->Phi_u, 0, (size_t)nc * sizeof(double));
    memcpy(w->along + nq + nc, w->rows, (size_t)nc * sizeof(double));
    return find_driven_change(w, 2, input, input);
}

/* Does it move rows? Rows that do not know of it have the same bits. */
static sar_status classify_input(work* w, int input)
{
    SARI_TRY(find_row_slopes(w, input, STEP * fmax(fabs(w->u[2 * input]), 1.0), 0));
    const sari_system* sys = w->linear->sys;
    w->driven[input] = sari_vector_max(sys->nc, w->Phi_u) > 0.0 ||
                       sari_vector_max(sys->nc, w->along + sys->nq) > 0.0;
    return SAR_OK;
}

static void name_input(work* w, int input, int at)
{
    sar_state_space* out = w->out;
    const sar_model* model = w->simulation->user_model;
    const char* name = model->inputs_count > input ? sar_model_input_name(model, input) : "";
    char text[NAME];
    out->input[input] = name;
    if (!w->driven[input]) return;
    out->state[at] = name;
    snprintf(text, NAME, "%s.rate", name);
    out->state[at + 1] = sari_arena_copy(&out->memory, text, NAME, 1);
    snprintf(text, NAME, "%s.acceleration", name);
    out->input[input] = sari_arena_copy(&out->memory, text, NAME, 1);
}

/* With the tables of inputs put back as they were, whatever happened. */
static sar_status with_input(work* w, int input, int at)
{
    sar_simulation* s = w->simulation;
    sari_held_input* held = &s->model->held[input];
    const sari_held_input before = *held;
    const int at_breakpoint = s->at_breakpoint;
    const sar_status st = at < 0             ? classify_input(w, input)
                          : w->driven[input] ? find_driven_input(w, input, at)
                                             : find_force_input(w, input);
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
              inputs = s->model->inputs_count, all = n + 2 * inputs;
    sari_state_take(&w->x, m, &sys->equations, 0);
    sari_state_copy(&w->x, &s->state);
    w->row = SARI_TAKE(m, int, rows);
    w->scale = SARI_TAKE(m, double, n);
    w->output = SARI_TAKE(m, int, outputs);
    w->Z = SARI_TAKE(m, double, n* n);
    w->inverse = SARI_TAKE(m, double, 2 * n * n);
    w->y = SARI_TAKE(m, double, outputs + 1);
    w->slope = SARI_TAKE(m, double, outputs* n);
    w->F = SARI_TAKE(m, double, sys->nq + 2 * sys->nc);
    w->along = SARI_TAKE(m, double, sys->nq + 2 * sys->nc);
    w->Q_u = SARI_TAKE(m, double, sys->nq);
    w->Phi_u = SARI_TAKE(m, double, sys->nc);
    w->rows = SARI_TAKE(m, double, sys->nc);
    w->driven = SARI_TAKE(m, int, inputs);
    w->u = SARI_TAKE(m, double, 2 * inputs);
    w->Z_u = SARI_TAKE(m, double, n);
    w->A = SARI_TAKE(m, double, n* n);
    w->C = SARI_TAKE(m, double, outputs* n);
    w->da = SARI_TAKE(m, double, sys->nq);
    w->eta = SARI_TAKE(m, double, sys->nq);
    sari_arena* o = &w->out->memory;
    w->out->A = SARI_TAKE(o, double, all* all);
    w->out->B = SARI_TAKE(o, double, all* inputs);
    w->out->C = SARI_TAKE(o, double, outputs* all);
    w->out->D = SARI_TAKE(o, double, outputs* inputs);
    w->out->u_0 = SARI_TAKE(o, double, inputs);
    w->out->y_0 = SARI_TAKE(o, double, outputs);
    w->out->state = SARI_TAKE(o, const char*, all);
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

/* A_x, and C_x of (1). */
static sar_status find_matrices(work* w)
{
    sari_linear* l = w->linear;
    const sar_linear_system* sys = &w->out->system;
    const int n = l->states;
    invert(n, w->Z, w->inverse + n * n, w->inverse);
    double* product = w->inverse + n * n;
    multiply(n, n, n, w->Z, l->A, product);
    multiply(n, n, n, product, w->inverse, w->A);
    SARI_TRY(evaluate_beside(w, 0.0, NULL, NULL, NULL));
    for (int o = 0; o < sys->outputs; o++) w->out->y_0[o] = w->y[w->output[o]];
    for (int k = 0; k < n; k++) SARI_TRY(find_slope(w, k, step_along(l, k), -1, 0, w->slope, n, k));
    multiply(sys->outputs, n, n, w->slope, w->inverse, w->C);
    return SAR_OK;
}

/* Which inputs move rows, and how many states there are with them. */
static sar_status classify_inputs(work* w)
{
    sar_linear_system* sys = &w->out->system;
    const sar_model* model = w->simulation->model;
    sys->inputs = model->inputs_count;
    sys->states = w->linear->states;
    for (int k = 0; k < sys->inputs; k++) {
        double now[3];
        sari_table_series(&model->held[k].table, w->linear->t, now);
        w->u[2 * k] = now[0], w->u[2 * k + 1] = now[1];
        SARI_TRY(with_input(w, k, -1));
        name_input(w, k, sys->states);
        w->out->u_0[k] = w->driven[k] ? now[2] : now[0];
        sys->states += 2 * w->driven[k];
    }
    return SAR_OK;
}

/* A and C in their place among those of inputs that move rows. */
static void place_matrices(work* w)
{
    const sar_linear_system* sys = &w->out->system;
    const int n = w->linear->states, all = sys->states;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) w->out->A[i * all + k] = w->A[i * n + k];
    for (int o = 0; o < sys->outputs; o++)
        for (int k = 0; k < n; k++) w->out->C[o * all + k] = w->C[o * n + k];
}

static sar_status find_all(work* w)
{
    sari_linear* l = w->linear;
    sar_linear_system* sys = &w->out->system;
    const sari_state* x = &w->simulation->state;
    int steady, at;
    SARI_TRY(sari_linear_find(l, x->t, x->q, x->v));
    SARI_TRY(sari_frames_create(l, &w->frames));
    SARI_TRY(sari_frames_see(w->frames));
    SARI_TRY(sari_steady_frame(l, w->frames, &w->kind, &steady));
    SARI_TRY(sari_frames_reduce(w->frames, w->kind));
    SARI_TRY(take_memory(w));
    sys->about = steady                                                    ? SAR_MODES_STEADY
                 : l->at_rest && l->unbalanced <= 1e-7 * l->pace * l->pace ? SAR_MODES_EQUILIBRIUM
                                                                           : SAR_MODES_FROZEN;
    sys->t = x->t;
    choose_outputs(w);
    SARI_TRY(choose_states(w));
    SARI_TRY(find_matrices(w));
    SARI_TRY(classify_inputs(w));
    place_matrices(w);
    at = l->states;
    for (int k = 0; k < sys->inputs; at += 2 * w->driven[k], k++) {
        const sar_status st = with_input(w, k, at);
        sys->inputs = st == SAR_E_INCOMPAT ? -1 - k : sys->inputs;
        SARI_TRY(st);
    }
    return w->out->memory.failed ? SAR_E_NOMEM : SAR_OK;
}

static sar_status explain(const work* w, sar_status st, sar_error* error)
{
    const int input = -1 - w->out->system.inputs;
    if (st == SAR_E_INCOMPAT && input >= 0)
        return sari_fail(
            error, st, NULL,
            "input '%s' moves redundant constraints apart: let it act through a force, as of a "
            "stiff spring and damper, for a state space",
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
