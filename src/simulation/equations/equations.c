/* The neck (system/equations.h) in the units of the user, for methods outside of the library. The system
 * is one of its own, of a copy of the model that is not scaled; its start is that of a simulation, which
 * works in units of the model and finds it whatever its size. */
#include "simulation/equations/equations.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/vec3.h"
#include "system/turns.h"

#include <math.h>
#include <string.h>

enum {
    EVERYTHING = SARI_EVAL_PHI | SARI_EVAL_DYNAMICS | SARI_EVAL_TANGENT | SARI_EVAL_JACOBIAN_RATE
};

/* ---- matrices --------------------------------------------------------------------------------- */

/* M by rows, both triangles: entry k of it is entry mass_from[k] of the lower one. */
static void fill_mass_pattern(sar_equations* e)
{
    const sari_sym* M = &e->sys->M;
    int *start = e->mass_start, n = M->n;
    for (int c = 0; c < n; c++)
        for (int k = M->p[c]; k < M->p[c + 1]; k++) {
            start[M->i[k] + 1]++;
            if (M->i[k] != c) start[c + 1]++;
        }
    for (int r = 0; r < n; r++) start[r + 1] += start[r];
    for (int c = 0; c < n; c++) // ascending columns: left of the diagonal come from columns before
        for (int k = M->p[c]; k < M->p[c + 1]; k++) {
            const int r = M->i[k];
            int at = start[r] + e->mass_filled[r]++;
            e->mass_column[at] = c, e->mass_from[at] = k;
            if (r == c) continue;
            at = start[c] + e->mass_filled[c]++;
            e->mass_column[at] = r, e->mass_from[at] = k;
        }
}

static sar_status make_matrices(sar_equations* e)
{
    const sari_sym* M = &e->sys->M;
    const int n = M->n, entries = n > 0 ? 2 * M->p[n] : 0;
    e->mass_start = SARI_TAKE(&e->memory, int, n + 1);
    e->mass_filled = SARI_TAKE(&e->memory, int, n + 1);
    e->mass_column = SARI_TAKE(&e->memory, int, entries + 1);
    e->mass_from = SARI_TAKE(&e->memory, int, entries + 1);
    e->mass_value = SARI_TAKE(&e->memory, double, entries + 1);
    e->none = SARI_TAKE(&e->memory, int, n + e->sys->nc + 1);
    if (e->memory.failed) return SAR_E_NOMEM;
    if (n > 0) fill_mass_pattern(e);
    return SAR_OK;
}

sar_status sari_equations_show(sar_equations* e, sari_system* sys)
{
    *e = (sar_equations){.sys = sys};
    return make_matrices(e);
}

void sari_equations_refresh(sar_equations* e)
{
    for (int k = 0; k < e->mass_start[e->sys->nq]; k++)
        e->mass_value[k] = e->sys->M.x[e->mass_from[k]];
}

static sar_csr show(const sar_equations* e, const sari_csr* A, int rows)
{
    if (!A->p) return (sar_csr){rows, e->sys->nq, e->none, e->none, NULL};
    return (sar_csr){A->rows, A->cols, A->p, A->i, A->x};
}

sar_csr sar_equations_sparse(const sar_equations* e, sar_equations_matrix which)
{
    const sari_system* s = e->sys;
    switch (which) {
    case SAR_MATRIX_MASS:
        return (sar_csr){s->nq, s->nq, e->mass_start, e->mass_column, e->mass_value};
    case SAR_MATRIX_STIFFNESS:
        return show(e, &s->K, s->nq);
    case SAR_MATRIX_DAMPING:
        return show(e, &s->C, s->nq);
    case SAR_MATRIX_JACOBIAN:
        return show(e, &s->Phi_q, s->nc);
    default:
        return show(e, &s->Phi_q_rate, s->nc);
    }
}

void sar_equations_dense(const sar_equations* e, sar_equations_matrix which, double* out)
{
    const sar_csr A = sar_equations_sparse(e, which);
    memset(out, 0, (size_t)A.rows * (size_t)A.columns * sizeof *out);
    for (int r = 0; r < A.rows; r++)
        for (int k = A.start[r]; k < A.start[r + 1]; k++)
            out[(size_t)r * (size_t)A.columns + (size_t)A.column[k]] = A.value[k];
}

const double* sar_equations_get(const sar_equations* e, sar_equations_vector which)
{
    const sari_system* s = e->sys;
    return which == SAR_VECTOR_FORCE   ? s->Q
           : which == SAR_VECTOR_PHI   ? s->Phi
           : which == SAR_VECTOR_PHI_T ? s->Phi_t
                                       : s->bias;
}

/* ---- states of runs --------------------------------------------------------------------------- */

/* Placement and motion of the bodies of a run, in metres and with the user's origin. */
static void take_bodies(sar_equations* e, sar_simulation* s)
{
    const sari_mechanism* m = s->system->mechanism;
    const sari_kinematics* k = s->system->kinematics;
    sari_kinematics_update(s->system->kinematics, s->state.q, s->state.v, 1);
    for (int b = 0; b < m->bodies; b++) {
        const double *X = k->X + m->nx * b, *Xd = k->Xd + m->nx * b;
        memcpy(e->X + m->nx * b, X, (size_t)m->nx * sizeof *X);
        memcpy(e->Xd + m->nx * b, Xd, (size_t)m->nx * sizeof *Xd);
        if (b > 0) sari_kinematics_spin(k, b, s->state.q, s->state.v, e->w + 3 * b);
        for (int i = 0; b > 0 && i < m->dimension; i++) {
            e->X[m->nx * b + i] = X[i] * s->units.length + s->units.origin[i];
            e->Xd[m->nx * b + i] = Xd[i] * s->units.length;
        }
    }
}

static double unit_of_state(const sar_simulation* s, int state)
{
    int type;
    bool free;
    const sari_force* force = sari_mechanism_state(s->system->mechanism, state, &type, &free);
    if (!force) return 1.0;
    const sari_force_type* t = sari_force_types[type];
    const double* scale = free ? sari_member(force->def, t->scale) : NULL;
    if (scale) return sari_unit_of_state(&s->units, *scale);
    return t->state_length ? s->units.length : 1.0;
}

static void take_states(sar_equations* e, const sar_simulation* s, double* q, double* v)
{
    const sari_system *to = e->sys, *from = s->system;
    for (int k = 0; k < to->states; k++) {
        const double unit = unit_of_state(s, k);
        q[to->np - to->states + k] = unit * s->state.q[from->np - from->states + k];
        v[to->nq - to->states + k] = unit * s->state.v[from->nq - from->states + k];
    }
}

/* Angles are in the revolution in which they are in the run. */
static void take_revolutions(sar_equations* e, const sar_simulation* s, double t)
{
    for (int i = 0; i < e->sys->kinematics->scalars; i++) {
        sari_scalar* to = &e->sys->kinematics->scalar[i];
        const sari_scalar* from = &s->system->kinematics->scalar[i];
        if (to->kind != SARI_SCALAR_ANGLE) continue;
        to->last = from->last, to->last_a = from->last_a, to->last_b = from->last_b;
        to->rate = from->rate;
    }
    sari_turns_begin(e->sys->kinematics, t);
}

static void take_state(sar_equations* e, sar_simulation* s, double* t, double* q, double* v)
{
    const sari_coordinates* c = &e->sys->coordinates;
    *t = s->state.t;
    take_bodies(e, s);
    c->ops->from_placement(c, e->X, e->Xd, e->w, q, v);
    take_states(e, s, q, v);
    take_revolutions(e, s, *t);
    sari_kinematics_update(e->sys->kinematics, q, v, 1);
    sari_turns_commit(e->sys->kinematics, *t);
}

sar_status sar_equations_take(sar_equations* e, sar_simulation* s, double* t, double* q, double* v)
{
    const size_t size = (size_t)sari_model_set_size(e->model);
    if (!s->assembled || s->user_model != e->user_model ||
        memcmp(s->system->mechanism->active, e->sys->mechanism->active, size) != 0)
        return SAR_E_ARG;
    take_state(e, s, t, q, v);
    return SAR_OK;
}

/* ---- creation --------------------------------------------------------------------------------- */

static sar_status make_system(sar_equations* e, const char* coordinates, sar_error* error)
{
    const sari_coordinates_ops* ops = sari_coordinates_find(coordinates);
    sari_units units = {0};
    if (!ops)
        return sari_fail(error, SAR_E_ARG, "coordinates",
                         "there are no coordinates \"%s\"; sarrus methods lists them", coordinates);
    if (!sari_units_of(e->user_model, &units)) return SAR_E_NOMEM;
    sari_units_of_user(&units);
    e->model = sari_model_in_units(e->user_model, &units);
    char* set = e->model ? SARI_TAKE(&e->memory, char, sari_model_set_size(e->model)) : NULL;
    if (!set) return SAR_E_NOMEM;
    sari_model_set_after(e->model, 0, set);
    SARI_TRY(sari_system_create_with(e->model, set, ops, SARI_MASS_ENTRIES, &e->sys, error));
    e->sys->size = units.size;
    return SAR_OK;
}

static sar_status make_room(sar_equations* e)
{
    const sari_mechanism* m = e->sys->mechanism;
    e->q = SARI_TAKE(&e->memory, double, e->sys->np + 1);
    e->v = SARI_TAKE(&e->memory, double, e->sys->nq + 1);
    e->v_work = SARI_TAKE(&e->memory, double, e->sys->nq + 1);
    e->q_start = SARI_TAKE(&e->memory, double, e->sys->np + 1);
    e->v_start = SARI_TAKE(&e->memory, double, e->sys->nq + 1);
    e->X = SARI_TAKE(&e->memory, double, m->nx * m->bodies);
    e->Xd = SARI_TAKE(&e->memory, double, m->nx * m->bodies);
    e->w = SARI_TAKE(&e->memory, double, 3 * m->bodies);
    return e->memory.failed ? SAR_E_NOMEM : SAR_OK;
}

static sar_status find_start(sar_equations* e, const char* coordinates, sar_error* error)
{
    sar_options options = sar_options_default();
    sar_simulation* s = NULL;
    sar_assembly report;
    SARI_TRY(sar_options_set(&options, "coordinates", coordinates, error));
    sar_status st = sar_simulation_create(e->user_model, &options, &s, error);
    if (st != SAR_OK) return st;
    st = sar_simulation_assemble(s, &report);
    if (st == SAR_OK) {
        take_state(e, s, &e->t_start, e->q_start, e->v_start);
        sari_system_set_offsets(e->sys);
    } else {
        sari_fail(error, st, NULL, "the model cannot be assembled: %s", sar_simulation_failure(s));
    }
    sar_simulation_destroy(s);
    return st;
}

sar_status sar_equations_create(const sar_model* model, const char* coordinates,
                                sar_equations** out, sar_error* error)
{
    *out = NULL;
    sar_equations* e = SARI_NEW(sar_equations);
    if (!e) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    e->user_model = model;
    sar_status st = make_system(e, coordinates, error);
    if (st == SAR_OK) st = make_room(e);
    if (st == SAR_OK) st = make_matrices(e);
    if (st == SAR_OK) st = sari_equations_make_output_room(e);
    if (st == SAR_OK) st = find_start(e, coordinates, error);
    if (st == SAR_E_NOMEM) sari_fail(error, st, NULL, "out of memory for the equations");
    if (st == SAR_OK)
        *out = e;
    else
        sar_equations_destroy(e);
    return st;
}

void sar_equations_destroy(sar_equations* e)
{
    if (!e) return;
    sari_system_destroy(e->sys);
    if (e->model) sari_model_in_units_destroy(e->model);
    sari_arena_clear(&e->memory);
    sari_release(e);
}

/* ---- what they are of ------------------------------------------------------------------------- */

sar_equations_size sar_equations_sizes(const sar_equations* e)
{
    const sari_system* s = e->sys;
    return (sar_equations_size){s->np, s->nq, s->nc, s->velocity_rows, s->states, s->constant_mass};
}

sar_status sar_equations_name(const sar_equations* e, sar_equations_label of, int k, char* name,
                              size_t room)
{
    const sari_system* s = e->sys;
    const int count = of == SAR_LABEL_POSITION ? s->np : of == SAR_LABEL_VELOCITY ? s->nq : s->nc;
    if (k < 0 || k >= count || room == 0) return SAR_E_ARG;
    name[0] = '\0';
    if (of != SAR_LABEL_CONSTRAINT) {
        sari_coordinates_name(&s->coordinates, k, of == SAR_LABEL_VELOCITY, name, room);
        return SAR_OK;
    }
    strncpy(name, sari_equations_row_name(&s->equations, k), room - 1);
    name[room - 1] = '\0';
    return SAR_OK;
}

void sar_equations_start(const sar_equations* e, double* t, double* q, double* v)
{
    *t = e->t_start;
    memcpy(q, e->q_start, (size_t)e->sys->np * sizeof *q);
    memcpy(v, e->v_start, (size_t)e->sys->nq * sizeof *v);
}

sar_status sar_equations_set_input(sar_equations* e, int input, double value)
{
    if (input < 0 || input >= e->model->inputs_count || !isfinite(value)) return SAR_E_ARG;
    sari_held_input_set(&e->model->held[input], 0.0, value, 0.0);
    return SAR_OK;
}

/* ---- evaluation ------------------------------------------------------------------------------- */

sar_status sar_equations_evaluate(sar_equations* e, double t, const double* q, const double* v)
{
    sari_system* s = e->sys;
    e->t = t;
    memcpy(e->q, q, (size_t)s->np * sizeof *q);
    memcpy(e->v, v, (size_t)s->nq * sizeof *v);
    s->undefined.what = NULL;
    const sar_status st = sari_equations_eval(&s->equations, EVERYTHING, t, e->q, e->v);
    sari_equations_refresh(e);
    return st;
}

void sar_equations_hessian(sar_equations* e, const double* lambda, double* out)
{
    const size_t n = (size_t)e->sys->nq;
    memset(out, 0, n * n * sizeof *out);
    sari_system_geometric_stiffness(e->sys, lambda, out);
}

double sar_equations_kinetic_energy(const sar_equations* e)
{
    return sari_system_kinetic_energy(e->sys, e->v);
}

double sar_equations_potential_energy(sar_equations* e)
{
    return sari_system_potential_energy(e->sys, e->t, e->q, e->v);
}

void sar_equations_move(const sar_equations* e, const double* q0, const double* d, double* q)
{
    sari_coordinates_move(&e->sys->coordinates, q0, d, q);
}

void sar_equations_rates(const sar_equations* e, const double* q, const double* v, double* qdot)
{
    sari_coordinates_position_rates(&e->sys->coordinates, q, v, qdot);
}

/* ---- bodies ----------------------------------------------------------------------------------- */

static bool is_body(const sar_equations* e, sar_body_id body)
{
    return body.i >= 0 && body.i < e->model->bodies_count;
}

/* Column by column: the motion of the body where one velocity is 1. */
sar_status sar_equations_body_jacobian(sar_equations* e, sar_body_id body, const double point[3],
                                       double* J)
{
    sari_system* s = e->sys;
    const sari_mechanism* m = s->mechanism;
    const size_t n = (size_t)s->nq;
    if (!is_body(e, body)) return SAR_E_ARG;
    memset(J, 0, 6 * n * sizeof *J);
    if (body.i == 0) return SAR_OK;
    double* unit = e->v_work;
    const double* center = e->model->bodies[body.i].def.center;
    const double local[3] = {point[0] - center[0], point[1] - center[1], point[2] - center[2]};
    for (size_t k = 0; k < n; k++) {
        double R[9], arm[3], w[3], turn[3];
        unit[k] = 1.0;
        sari_kinematics_update_body(s->kinematics, e->q, unit, body.i);
        const double* Xd = s->kinematics->Xd + m->nx * body.i;
        sari_rotation_of(m, s->kinematics->X + m->nx * body.i, R);
        sari_spin_of(m, s->kinematics->X + m->nx * body.i, Xd, w);
        sari_rotate(R, local, arm);
        sari_cross(w, arm, turn);
        for (size_t i = 0; i < 3; i++) {
            J[i * n + k] = (i < (size_t)m->dimension ? Xd[i] : 0.0) + turn[i];
            J[(3 + i) * n + k] = w[i];
        }
        unit[k] = 0.0;
    }
    return SAR_OK;
}

sar_status sar_equations_body_inertia(sar_equations* e, sar_body_id body, double center[3],
                                      double* mass, double inertia[9])
{
    const sari_mechanism* m = e->sys->mechanism;
    if (!is_body(e, body)) return SAR_E_ARG;
    const sar_body_def* def = &e->model->bodies[body.i].def;
    const double* I = def->inertia;
    const double own[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
    double R[9], RI[9];
    sari_kinematics_update_body(e->sys->kinematics, e->q, NULL, body.i);
    const double* X = e->sys->kinematics->X + m->nx * body.i;
    sari_rotation_of(m, X, R);
    *mass = def->mass;
    for (int i = 0; i < 3; i++) center[i] = i < m->dimension ? X[i] : 0.0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            RI[3 * i + k] =
                R[3 * i] * own[k] + R[3 * i + 1] * own[3 + k] + R[3 * i + 2] * own[6 + k];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            inertia[3 * i + k] =
                RI[3 * i] * R[3 * k] + RI[3 * i + 1] * R[3 * k + 1] + RI[3 * i + 2] * R[3 * k + 2];
    return SAR_OK;
}
