/* States of self-stress for users: see simulation/reactions_split.c. Here they are in the user's units. */
#include "simulation/reactions.h"

#include "analysis/modes.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/rank.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { WRENCH = 6 };
static const double UNIQUE = 1e-8; ///< of the largest reaction in any state

struct sar_self_stress {
    sari_arena memory;
    sar_simulation* simulation;
    sari_stress* of; ///< in the user's units, [N] and [N m]
};

/* The largest force, or torque over the size, of a state stays 1. */
static void put_in_user_units(const sar_simulation* s, sari_stress* t)
{
    for (int j = 0; j < t->joints; j++)
        for (int i = 0; i < WRENCH; i++) {
            t->r[WRENCH * j + i] *=
                i < 3 ? sari_unit_of_force(&s->units) : sari_unit_of_energy(&s->units);
            for (int k = 0; k < t->states && i >= 3; k++)
                t->G[WRENCH * (j * t->states + k) + i] *= s->units.length;
        }
    t->size *= s->units.length;
}

static sar_status find(sar_self_stress* t)
{
    sar_simulation* s = t->simulation;
    sari_reactions* r = s->reactions;
    s->reactions_time = NAN;
    SARI_TRY(sari_stress_create(r, &t->memory, &t->of));
    if (sari_reactions_solve(r, &s->state) < 0) return SAR_E_NOMEM;
    sari_reactions_complete(r, &s->state);
    SARI_TRY(sari_stress_find(t->of, r));
    put_in_user_units(s, t->of);
    return SAR_OK;
}

sar_status sar_self_stress_create(sar_simulation* s, sar_self_stress** out, sar_error* error)
{
    if (!s || !s->assembled)
        return sari_fail(error, SAR_E_ARG, NULL, "assemble the simulation before its self-stress");
    if (s->looks_back) SARI_TRY(sar_simulation_look(s, INFINITY));
    if (s->reactions->rows > SARI_LINEAR_MOST)
        return sari_fail(error, SAR_E_ARG, NULL, "the joints have %d conditions; up to %d will do",
                         s->reactions->rows, SARI_LINEAR_MOST);
    sar_self_stress* t = SARI_NEW(sar_self_stress);
    if (!t) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory for self-stress");
    t->simulation = s;
    const sar_status st = find(t);
    s->reactions_time = NAN; // multipliers are to be found again
    (void)sari_equations_eval(&s->system->equations, SARI_EVAL_DYNAMICS, s->state.t, s->state.q,
                              s->state.v);
    if (st == SAR_OK) {
        *out = t;
        return SAR_OK;
    }
    sar_self_stress_destroy(t);
    return sari_fail(error, st, NULL, "no states of self-stress: %s", sar_status_text(st));
}

void sar_self_stress_destroy(sar_self_stress* t)
{
    if (!t) return;
    sari_stress_clear(t->of);
    sari_arena_clear(&t->memory);
    sari_release(t);
}

int sar_self_stress_count(const sar_self_stress* t)
{
    return t->of->states;
}

sar_status sar_self_stress_joint(const sar_self_stress* t, int state, sar_joint_id joint,
                                 double force[3], double torque[3])
{
    if (state < 0 || state >= t->of->states || joint.i < 0 || joint.i >= t->of->joints)
        return SAR_E_ARG;
    const double* G = t->of->G + WRENCH * (size_t)(joint.i * t->of->states + state);
    memcpy(force, G, 3 * sizeof(double));
    memcpy(torque, G + 3, 3 * sizeof(double));
    return SAR_OK;
}

/* ---- uniqueness ----------------------------------------------------------------------------- */

/* Singular values of G_j that are not zero; -1: out of memory. */
static int count_directions(const sar_self_stress* t, int joint)
{
    const int n = t->of->states, least = n < WRENCH ? n : WRENCH;
    double* G = SARI_NEW_ARRAY(double, WRENCH* n + least + sari_svd_workspace(WRENCH, n) + 1);
    int found = 0;
    if (!G) return -1;
    for (int i = 0; i < WRENCH; i++)
        for (int k = 0; k < n; k++)
            G[i * n + k] = sari_stress_component(
                t->of, joint, t->of->G + WRENCH * (size_t)(joint * t->of->states + k), i);
    double *sigma = G + WRENCH * n, *work = sigma + least;
    if (n > 0) sari_svd(WRENCH, n, G, sigma, NULL, NULL, work);
    for (int i = 0; i < least; i++) found += sigma[i] > UNIQUE;
    sari_release(G);
    return found;
}

sar_status sar_self_stress_uniqueness(const sar_self_stress* t, sar_joint_id joint,
                                      sar_uniqueness* out)
{
    if (joint.i < 0 || joint.i >= t->of->joints) return SAR_E_ARG;
    memcpy(out->axes, t->of->axes + 9 * joint.i, sizeof out->axes);
    for (int i = 0; i < WRENCH; i++) {
        double most = 0.0;
        for (int k = 0; k < t->of->states; k++) {
            const double* G = t->of->G + WRENCH * (size_t)(joint.i * t->of->states + k);
            most = fmax(most, fabs(sari_stress_component(t->of, joint.i, G, i)));
        }
        *(i < 3 ? &out->force[i] : &out->torque[i - 3]) = most <= UNIQUE;
    }
    out->directions = count_directions(t, joint.i);
    return out->directions < 0 ? SAR_E_NOMEM : SAR_OK;
}

/* ---- outputs -------------------------------------------------------------------------------- */

static int by_reactions(const sari_signal* signal)
{
    return sari_signal_is_reaction(signal) || signal->kind == SARI_SIGNAL_DRIVE_WORK;
}

/* A signal in state k, if it is a component of a reaction. Works of drives are shared as their forces are. */
static double signal_in(const sar_self_stress* t, const sari_signal* signal, int k)
{
    const sar_simulation* s = t->simulation;
    const sari_mechanism* m = s->system->mechanism;
    double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, sum = 0.0;
    if (signal->kind == SARI_SIGNAL_DRIVE || signal->kind == SARI_SIGNAL_DRIVE_WORK) {
        const sari_reactions* r = s->reactions;
        for (int row = 0; row < r->rows; row++)
            if (r->joint[row] == signal->joint)
                sum += t->of->N[(size_t)k * (size_t)r->rows + (size_t)row];
        return sum;
    }
    if (signal->kind != SARI_SIGNAL_FORCE && signal->kind != SARI_SIGNAL_TORQUE) return 0.0;
    const int torque = signal->kind == SARI_SIGNAL_TORQUE;
    const double* w = t->of->G + WRENCH * (size_t)(signal->joint * t->of->states + k) + 3 * torque;
    if (signal->frame) sari_rotation_of(m, s->system->kinematics->X + m->nx * signal->frame, R);
    if (signal->axes) sari_multiply3(R, m->model->frames[signal->axes - 1].R, R);
    for (int i = 0; i < 3; i++) sum += R[3 * i + signal->component] * w[i];
    return torque ? sum / t->of->size : sum;
}

int sar_self_stress_output(const sar_self_stress* t, int output)
{
    sar_simulation* s = t->simulation;
    const int* used;
    if (output < 0 || output >= s->model->outputs_count) return -1;
    const sari_expression* e = s->model->outputs[output].value;
    const int count = sari_expression_variables(e, &used);
    (void)sar_simulation_outputs(s, s->values); // its variables
    sari_expression_gradient(e, s->variables, s->gradient);
    for (int k = 0; k < t->of->states; k++) {
        double sum = 0.0, size = 0.0;
        for (int i = 0; i < count; i++) {
            const int signal = used[i] - SARI_VARIABLE_SIGNAL;
            if (signal < 0 || !by_reactions(&s->model->signals[signal])) continue;
            sum += s->gradient[i] * signal_in(t, &s->model->signals[signal], k);
            size = fmax(size, fabs(s->gradient[i]));
        }
        if (fabs(sum) > UNIQUE * size) return 0;
    }
    return 1;
}

int sar_self_stress_by_compliances(const sar_self_stress* t)
{
    return t->simulation->reactions->stress != NULL;
}

/* ---- compliances ---------------------------------------------------------------------------- */

sar_status sar_self_stress_split(const sar_self_stress* t, const sar_compliance* compliance,
                                 double* force, double* torque, double* left)
{
    sari_stress* of = t->of;
    const size_t numbers = (size_t)(WRENCH * of->joints);
    double* F = SARI_NEW_ARRAY(double, 2 * numbers + 1);
    double *before = F + numbers, most = 0.0;
    if (!F) return SAR_E_NOMEM;
    for (int j = 0; j < of->joints; j++) {
        memcpy(F + WRENCH * j, compliance[j].displacement, 3 * sizeof(double));
        memcpy(F + WRENCH * j + 3, compliance[j].rotation, 3 * sizeof(double));
    }
    memcpy(before, of->r, numbers * sizeof(double));
    const int open = sari_stress_split(of, F);
    for (int j = 0; j < of->joints; j++) {
        const double* r = of->r + WRENCH * j;
        memcpy(force + 3 * j, r, 3 * sizeof(double));
        memcpy(torque + 3 * j, r + 3, 3 * sizeof(double));
        if (sari_compliance_is_infinite(F + WRENCH * j))
            most = fmax(most, fmax(sari_norm3(r), sari_norm3(r + 3) / of->size));
    }
    memcpy(of->r, before, numbers * sizeof(double));
    if (left) *left = most;
    sari_release(F);
    return open > 0 ? SAR_R_SINGULAR : SAR_OK;
}
