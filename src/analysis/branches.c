/* Modes of the motions that meet in a singular configuration, at rest.
 *
 * There the space of admissible velocities is larger than that of any motion, and linear equations in it mean nothing. A
 * branch with the tangents T, T'M T = 1, is a manifold of its own; places on it beside the configuration are regular. With
 * y = T'M (q - q_0) its coordinates and f(y) = T'M a the accelerations from rest there,
 *
 *     d2y/dt2 + C dy/dt + H y = 0,   H = -df/dy,   C = T' C T                                   (1)
 *
 * f is not evaluated where it is 0/0: central differences have twelve points, +-1 ... +-6 steps. A formula with the
 * multipliers at the configuration itself is wrong where forces are balanced along the branch alone: its curvature along
 * the tangent of another branch then counts. */
#include "analysis/modes.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

enum { POINTS = 6 };
static const double STEP = 0.02;     ///< sizes or radians
static const double BALANCED = 1e-7; ///< of the pace squared

typedef struct walk {
    sar_modes* m;
    sari_projector* projector;
    const sar_branch* branch;
    double *q, *v, *X, *d;
    double *H, *A, *dq, *T, *M_T; ///< T, and M T
} walk;

/* The place on the branch that a step along tangent j leads to. */
static sar_status go(walk* w, int j, double step)
{
    const sari_linear* l = w->m->linear;
    sari_system* sys = l->sys;
    const sari_mechanism* m = sys->mechanism;
    const double* T = w->T + (size_t)j * (size_t)sys->nq;
    for (int i = 0; i < sys->nq; i++) w->d[i] = step * T[i];
    sari_coordinates_move(&sys->coordinates, w->m->simulation->state.q, w->d, w->q);
    sari_kinematics_update(sys->kinematics, w->q, NULL, 1);
    memcpy(w->X, sys->kinematics->X, (size_t)(m->nx * m->bodies) * sizeof(double));
    return sari_project_position(w->projector, l->t, w->X, w->q);
}

/* Column j of H: derivative along tangent j. */
static sar_status find_column(walk* w, int j)
{
    sari_linear* l = w->m->linear;
    const int nq = l->sys->nq, d = w->branch->dimension;
    const double* T = w->T + (size_t)j * (size_t)nq;
    const double h = STEP * fmin(l->unit, 1.0) / sari_vector_max(nq, T);
    double weight = 1.0;
    for (int k = 1; k <= POINTS; k++) { // 2 (-1)^(k+1) m!^2 / (k (m-k)! (m+k)!)
        weight *= (double)(POINTS - k + 1) / (POINTS + k);
        const double factor = (k % 2 ? 1.0 : -1.0) * weight / (k * h);
        for (int sign = -1; sign <= 1; sign += 2) {
            SARI_TRY(go(w, j, sign * k * h));
            SARI_TRY(sari_linear_accelerate(l, l->t, w->q, w->v));
            for (int i = 0; i < d; i++)
                w->H[i * d + j] -=
                    sign * factor * sari_vector_dot(nq, w->M_T + (size_t)i * (size_t)nq, l->a);
        }
    }
    return SAR_OK;
}

/* A of (1) with the damping of applied forces. */
static sar_status fill(walk* w)
{
    sari_linear* l = w->m->linear;
    sari_system* sys = l->sys;
    const int nq = sys->nq, d = w->branch->dimension, n = 2 * d;
    const double* T = w->T;
    const sari_state* x = &w->m->simulation->state;
    SARI_TRY(sari_equations_eval(&sys->equations, SARI_EVAL_DYNAMICS | SARI_EVAL_TANGENT, x->t,
                                 x->q, x->v));
    for (int j = 0; j < d; j++) {
        sari_csr_multiply(&sys->C, T + (size_t)j * (size_t)nq, w->d);
        w->A[j * n + d + j] = 1.0;
        for (int i = 0; i < d; i++) {
            w->A[(d + i) * n + j] = -w->H[i * d + j];
            w->A[(d + i) * n + d + j] = -sari_vector_dot(nq, T + (size_t)i * (size_t)nq, w->d);
        }
        memcpy(w->dq + (size_t)j * (size_t)nq, T + (size_t)j * (size_t)nq,
               (size_t)nq * sizeof(double));
    }
    return SAR_OK;
}

static double stiffest(const walk* w)
{
    const int d = w->branch->dimension;
    return sari_vector_max(d * d, w->H);
}

static sar_status find_branch(walk* w, int number)
{
    sar_modes* m = w->m;
    sari_linear* l = m->linear;
    const int nq = l->sys->nq, d = w->branch->dimension;
    memset(w->H, 0, (size_t)(d * d) * sizeof(double));
    memset(w->A, 0, (size_t)(4 * d * d) * sizeof(double));
    memset(w->dq, 0, (size_t)(2 * d * nq) * sizeof(double));
    const sari_state* x = &m->simulation->state;
    SARI_TRY(sari_equations_eval(&l->sys->equations, SARI_EVAL_DYNAMICS, x->t, x->q, x->v));
    // orthonormal in units of the user, who sees them
    const double root = sqrt(sari_unit_of_energy(&m->simulation->units));
    for (int i = 0; i < d * nq; i++) w->T[i] = root * w->branch->basis[i];
    for (int j = 0; j < d; j++)
        sari_equations_mass_times(&l->sys->equations, w->T + (size_t)j * (size_t)nq,
                                  w->M_T + (size_t)j * (size_t)nq);
    for (int j = 0; j < d; j++) SARI_TRY(find_column(w, j));
    l->pace = fmax(sqrt(stiffest(w)), 1e-6);
    SARI_TRY(fill(w));
    for (int j = 0; j < d; j++) { // Q along the branch
        const double force = sari_vector_dot(nq, w->T + (size_t)j * (size_t)nq, l->sys->Q);
        m->summary.unbalanced = fmax(m->summary.unbalanced, fabs(force) / (l->pace * l->pace));
    }
    return sari_modes_add(m, 2 * d, w->A, w->dq, number);
}

static sar_status take_memory(walk* w, sari_arena* memory)
{
    const sari_system* sys = w->m->linear->sys;
    const size_t nq = (size_t)sys->nq, d = SARI_BRANCHES_DOF;
    w->q = SARI_TAKE(memory, double, sys->np);
    w->v = SARI_TAKE(memory, double, nq);
    w->d = SARI_TAKE(memory, double, nq);
    w->X = SARI_TAKE(memory, double, sys->mechanism->nx * sys->mechanism->bodies);
    w->H = SARI_TAKE(memory, double, d* d);
    w->A = SARI_TAKE(memory, double, 4 * d * d);
    w->dq = SARI_TAKE(memory, double, 2 * d * nq);
    w->T = SARI_TAKE(memory, double, d* nq);
    w->M_T = SARI_TAKE(memory, double, d* nq);
    if (memory->failed) return SAR_E_NOMEM;
    return sari_projector_create(w->m->linear->sys, &w->projector);
}

sar_status sari_modes_by_branches(sar_modes* m, const sar_subspaces* found, sar_error* error)
{
    m->summary.singular = found->branches;
    m->summary.freedoms = found->branch[0].dimension;
    m->summary.positions = m->summary.freedoms;
    if (!m->linear->at_rest || m->linear->sys->states)
        return sari_fail(
            error, SAR_E_INCOMPAT, NULL,
            "%d motions meet in this singular configuration: modes are to be had here at "
            "rest and without states of forces; ask for them at another time",
            found->branches);
    sari_arena memory = {0};
    walk w = {.m = m};
    sar_status st = take_memory(&w, &memory);
    for (int b = 0; b < found->branches && st == SAR_OK; b++) {
        w.branch = &found->branch[b];
        st = find_branch(&w, b);
    }
    m->summary.about = m->summary.unbalanced <= BALANCED ? SAR_MODES_EQUILIBRIUM : SAR_MODES_FROZEN;
    memcpy(m->linear->q, m->simulation->state.q, (size_t)m->linear->sys->np * sizeof(double));
    sari_projector_destroy(w.projector);
    sari_arena_clear(&memory);
    if (st == SAR_OK) return SAR_OK;
    return sari_fail(error, st, NULL,
                     "%d motions meet in this singular configuration, and one of them could not be "
                     "followed: %s",
                     found->branches, sar_status_text(st));
}
