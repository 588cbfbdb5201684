/* Modes of the linear equations dx/dt = A x of linear.c and frames.c.
 *
 * About an equilibrium with forces that have a potential, and without any that depend on velocities, A has the form
 * (0 1; -H 0) with a symmetric H, whose eigenvalues e are real:
 *
 *     lambda^2 = -e                                                                            (1)
 *
 * Otherwise lambda are eigenvalues of A, in units of its pace, without those that are zero (deflate.c). A mode decays if
 * its real part is below -1e-9 of the pace, and grows if it is above that. */
#include "analysis/modes.h"

#include "base/memory.h"
#include "base/names.h"
#include "base/status.h"
#include "linalg/eigenvalues.h"
#include "linalg/rank.h"
#include "math/functions.h"
#include "math/vec3.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

enum {
    BY_BRANCHES = 2 * SARI_BRANCHES_MOST * SARI_BRANCHES_DOF
}; ///< modes in a singular configuration

static const double TURN = 6.28318530717958648;
static const double NEUTRAL = 1e-11;   ///< of the stiffest: e of (1) that count as zero
static const double DECAYS = 1e-9;     ///< of the pace
static const double SYMMETRIC = 1e-10; ///< of the largest entry: H and C of (1)
static const double MOVES = 0.05;      ///< of the fastest body: it takes part
static const double BALANCED = 1e-7;   ///< of the pace squared: accelerations that are none

/* ---- modes ---------------------------------------------------------------------------------- */

/* Mode with these numbers, and room for its shape; NULL: out of memory. */
static sar_mode* add_mode(sar_modes* m, double re, double im, double pace, int branch)
{
    if (m->summary.modes == m->capacity) return NULL;
    sar_mode* mode = &m->mode[m->summary.modes++];
    const double size = sari_hypot(re, im);
    *mode = (sar_mode){.re = re, .im = im, .frequency = im / TURN, .branch = branch};
    mode->damping = size > 0.0 && re != 0.0 ? -re / size : 0.0;
    mode->stability = re > DECAYS * pace ? 1 : re < -DECAYS * pace ? -1 : 0;
    m->summary.unstable += mode->stability > 0;
    m->summary.marginal += mode->stability == 0;
    return mode;
}

/* dq of a vector x + i x_im of n states, `dq` the changes of these, as the shape of the last mode. */
static void put_shape(sar_modes* m, int n, const double* dq, const double* x, const double* x_im)
{
    const size_t nq = (size_t)m->linear->sys->nq;
    double* shape = m->shape + 2 * nq * (size_t)(m->summary.modes - 1);
    memset(shape, 0, 2 * nq * sizeof(double));
    for (int k = 0; k < n; k++)
        for (size_t i = 0; i < nq; i++) {
            shape[i] += x[k] * dq[(size_t)k * nq + i];
            if (x_im) shape[nq + i] += x_im[k] * dq[(size_t)k * nq + i];
        }
}

/* Speed of a body of the placement's rates, in sizes or radians. */
static double speed_of(const sar_modes* m, int b)
{
    const sari_mechanism* mechanism = m->linear->sys->mechanism;
    const sari_kinematics* k = m->linear->sys->kinematics;
    const double *X = k->X + mechanism->nx * b, *Xd = k->Xd + mechanism->nx * b;
    double w[3], at[3] = {0};
    sari_spin_of(mechanism, X, Xd, w);
    for (int i = 0; i < mechanism->dimension; i++) at[i] = Xd[i];
    return fmax(sari_norm3(at) / m->linear->unit, sari_norm3(w));
}

/* Bodies that move along a zero motion get a mark. */
static void mark_zero(sar_modes* m, int n, const double* dq, const double* x)
{
    sari_system* sys = m->linear->sys;
    const int bodies = sys->mechanism->bodies;
    const size_t nq = (size_t)sys->nq;
    double fastest = 0.0, *d = m->linear->more;
    memset(d, 0, nq * sizeof(double));
    for (int k = 0; k < n; k++)
        for (size_t i = 0; i < nq; i++) d[i] += x[k] * dq[(size_t)k * nq + i];
    sari_kinematics_update(sys->kinematics, m->linear->q, d, 1);
    for (int b = 1; b < bodies; b++) fastest = fmax(fastest, speed_of(m, b));
    for (int b = 1; b < bodies; b++)
        if (fastest > 1e-6 && speed_of(m, b) > MOVES * fastest) m->moves[b] = 1;
}

/* ---- (1) ------------------------------------------------------------------------------------ */

/* Is A of the form of (1)? Positions come first, then as many velocities. */
static int is_conservative(const sari_linear* l)
{
    const int d = l->positions, n = l->states;
    if (!l->at_rest || l->velocities != d || l->sys->states || l->sys->velocity_rows) return 0;
    double most = 0.0, odd = 0.0, damped = 0.0;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            const double h = l->A[(d + i) * n + j];
            most = fmax(most, fabs(h));
            odd = fmax(odd, fabs(h - l->A[(d + j) * n + i]));
            damped = fmax(damped, fabs(l->A[(d + i) * n + d + j]));
        }
    return odd <= SYMMETRIC * most && damped <= SYMMETRIC * sqrt(most);
}

static sar_status add_symmetric(sar_modes* m)
{
    const sari_linear* l = m->linear;
    const int d = l->positions, n = l->states;
    sari_arena memory = {0};
    double* H = SARI_TAKE(&memory, double, d* d);
    double* e = SARI_TAKE(&memory, double, d);
    double* V = SARI_TAKE(&memory, double, d* d);
    double* x = SARI_TAKE(&memory, double, d);
    double* work = SARI_TAKE(&memory, double, sari_svd_workspace(d, d));
    if (memory.failed) {
        sari_arena_clear(&memory);
        return SAR_E_NOMEM;
    }
    double stiffest = 0.0;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            H[i * d + j] = -0.5 * (l->A[(d + i) * n + j] + l->A[(d + j) * n + i]);
    const double shift = sari_vector_norm(d * d, H);
    for (int i = 0; i < d; i++) H[i * d + i] += shift; // singular values are e + shift
    sari_svd(d, d, H, e, NULL, V, work);
    for (int k = 0; k < d; k++) e[k] -= shift, stiffest = fmax(stiffest, fabs(e[k]));
    for (int k = 0; k < d; k++) {
        for (int i = 0; i < d; i++) x[i] = V[i * d + k];
        const double root = sqrt(fabs(e[k]));
        if (fabs(e[k]) <= NEUTRAL * stiffest) {
            m->summary.zeros += 2;
            mark_zero(m, d, l->dq, x);
        } else if (e[k] > 0.0) {
            add_mode(m, 0.0, root, l->pace, 0);
            put_shape(m, d, l->dq, x, NULL);
        } else {
            for (int sign = 1; sign >= -1; sign -= 2) {
                add_mode(m, sign * root, 0.0, l->pace, 0);
                put_shape(m, d, l->dq, x, NULL);
            }
        }
    }
    sari_arena_clear(&memory);
    return SAR_OK;
}

/* ---- the general case ----------------------------------------------------------------------- */

typedef struct solution {
    sari_arena memory;
    sari_deflated d;
    double *re, *im, *V, *x, *x_im, *y, *y_im, *work;
} solution;

static sar_status solve(solution* s, int n, const double* A)
{
    sari_arena* memory = &s->memory;
    s->re = SARI_TAKE(memory, double, n);
    s->im = SARI_TAKE(memory, double, n);
    s->V = SARI_TAKE(memory, double, n* n);
    s->x = SARI_TAKE(memory, double, 2 * n);
    s->x_im = SARI_TAKE(memory, double, 2 * n);
    s->y = SARI_TAKE(memory, double, n);
    s->y_im = SARI_TAKE(memory, double, n);
    s->work = SARI_TAKE(memory, double, sari_eigenvectors_workspace(n));
    if (memory->failed) return SAR_E_NOMEM;
    SARI_TRY(sari_deflate(n, A, memory, &s->d));
    return sari_eigenvectors(s->d.size, s->d.B, s->re, s->im, s->V, s->work);
}

static void add_solution(sar_modes* m, solution* s, const double* A, double pace, const double* dq,
                         int branch)
{
    const sari_deflated* d = &s->d;
    m->summary.zeros += d->zeros;
    for (int k = 0; k < d->zeros; k++) mark_zero(m, d->n, dq, d->N + (size_t)k * (size_t)d->n);
    for (int k = 0; k < d->size; k++) {
        const int pair = s->im[k] > 0.0, n = d->size;
        if (!add_mode(m, pace * s->re[k], pace * s->im[k], pace, branch)) return;
        for (int i = 0; i < n; i++) {
            s->y[i] = s->V[i * n + k];
            s->y_im[i] = pair ? s->V[i * n + k + 1] : 0.0;
        }
        sari_deflated_vector(d, A, s->re[k], s->im[k], s->y, s->y_im, s->x, s->x_im);
        put_shape(m, d->n, dq, s->x, s->x_im);
        k += pair;
    }
}

sar_status sari_modes_add(sar_modes* m, int n, const double* A, const double* dq, int branch)
{
    const sari_linear* l = m->linear;
    solution s = {0};
    double* scaled = SARI_TAKE(&s.memory, double, n* n);
    if (!scaled) return SAR_E_NOMEM;
    const int positions = branch < 0 ? l->positions : n / 2;
    for (int i = 0; i < n; i++) // changes of positions in lengths of the pace, times in its inverse
        for (int j = 0; j < n; j++) {
            const double rows = i < positions ? l->pace : 1.0, cols = j < positions ? l->pace : 1.0;
            scaled[i * n + j] = A[i * n + j] * rows / cols / l->pace;
        }
    double* back = SARI_TAKE(&s.memory, double, (size_t)n*(size_t)l->sys->nq);
    sar_status st = back ? solve(&s, n, scaled) : SAR_E_NOMEM;
    if (st == SAR_OK) {
        for (int k = 0; k < n; k++)
            for (int i = 0; i < l->sys->nq; i++)
                back[k * l->sys->nq + i] = dq[k * l->sys->nq + i] / (k < positions ? l->pace : 1.0);
        add_solution(m, &s, scaled, l->pace, back, branch < 0 ? 0 : branch);
    }
    sari_arena_clear(&s.memory);
    return st;
}

/* ---- the state ------------------------------------------------------------------------------ */

/* A of a motion: in the frames in which it is steady, or in fixed ones. */
static sar_status reduce_motion(sar_modes* m)
{
    int steady = 0;
    sari_frame_kind kind;
    SARI_TRY(sari_frames_create(m->linear, &m->frames));
    SARI_TRY(sari_frames_see(m->frames));
    SARI_TRY(sari_steady_frame(m->linear, m->frames, &kind, &steady));
    m->summary.about = steady ? SAR_MODES_STEADY : SAR_MODES_FROZEN;
    return SAR_OK;
}

/* Is it singular, so that more than one motion goes on from here? */
static int is_singular(sar_modes* m, sar_subspaces* found)
{
    sar_simulation* s = m->simulation;
    const int dof = sar_simulation_rank(s).dof;
    if (s->system->nq > SAR_SUBSPACES_MAX || s->system->nc > SAR_SUBSPACES_MAX) return 0;
    if (dof >= 0 && m->linear->velocities - s->system->states <= dof &&
        m->linear->on_velocities.weakest > 1e-6)
        return 0;
    return sar_simulation_subspaces(s, 0.0, found) == SAR_OK && found->singular &&
           found->branches > 1;
}

static sar_status find_regular(sar_modes* m)
{
    sari_linear* l = m->linear;
    m->summary.unbalanced = l->unbalanced / (l->pace * l->pace);
    if (!l->at_rest) {
        SARI_TRY(reduce_motion(m));
        return sari_modes_add(m, l->states, l->A, l->dq, -1);
    }
    m->summary.about = m->summary.unbalanced <= BALANCED ? SAR_MODES_EQUILIBRIUM : SAR_MODES_FROZEN;
    sari_linear_reduce(l);
    m->summary.conservative = m->summary.about == SAR_MODES_EQUILIBRIUM && is_conservative(l);
    return m->summary.conservative ? add_symmetric(m)
                                   : sari_modes_add(m, l->states, l->A, l->dq, -1);
}

static int later(const sar_mode* a, const sar_mode* b)
{
    if (a->branch != b->branch) return a->branch > b->branch;
    const double x = sari_hypot(a->re, a->im), y = sari_hypot(b->re, b->im);
    if (fabs(x - y) > 1e-9 * (x + y)) return x > y;
    return a->re < b->re;
}

/* The slowest first, shapes with them. */
static void sort_modes(sar_modes* m)
{
    const size_t nq = (size_t)m->linear->sys->nq;
    for (int i = 1; i < m->summary.modes; i++)
        for (int k = i; k > 0 && later(&m->mode[k - 1], &m->mode[k]); k--) {
            const sar_mode swap = m->mode[k];
            m->mode[k] = m->mode[k - 1], m->mode[k - 1] = swap;
            double *a = m->shape + 2 * nq * (size_t)k, *b = a - 2 * nq;
            for (size_t j = 0; j < 2 * nq; j++) {
                const double x = a[j];
                a[j] = b[j], b[j] = x;
            }
        }
}

static sar_status explain(sar_modes* m, sar_status st, sar_error* error)
{
    sar_simulation* s = m->simulation;
    char names[192] = "", text[320];
    if (st == SAR_R_SINGULAR) {
        const size_t nq = (size_t)s->system->nq;
        const sari_row_space* space = &m->linear->on_velocities;
        if (space->d > 0)
            sari_name_moving(s, space->T + (size_t)(space->d - 1) * nq, names, sizeof names);
        return sari_fail(error, st, NULL,
                         "a motion of %s has no mass, so that it has no mode: give the bodies mass "
                         "and moments of inertia, or hold them",
                         names[0] ? names : "some bodies");
    }
    if (st == SAR_R_NOT_FINITE && sari_explain_undefined(&s->system->undefined, text, sizeof text))
        return sari_fail(error, st, NULL, "%s", text);
    return sari_fail(error, st, NULL, "no modes: %s", sar_status_text(st));
}

/* What shapes.c needs: all bodies along both parts of every shape. */
static sar_status keep_rates(sar_modes* m)
{
    sari_system* sys = m->linear->sys;
    const size_t size = (size_t)(sys->mechanism->nx * sys->mechanism->bodies), nq = (size_t)sys->nq;
    m->rates = SARI_TAKE(&m->memory, double, (1 + 2 * (size_t)m->summary.modes) * size);
    if (!m->rates) return SAR_E_NOMEM;
    sari_kinematics_update(sys->kinematics, m->linear->q, m->linear->v, 1);
    memcpy(m->rates, sys->kinematics->X, size * sizeof(double));
    for (size_t k = 0; k < 2 * (size_t)m->summary.modes; k++) {
        sari_kinematics_update(sys->kinematics, m->linear->q, m->shape + k * nq, 1);
        memcpy(m->rates + (1 + k) * size, sys->kinematics->Xd, size * sizeof(double));
    }
    return SAR_OK;
}

/* Shapes in the common measure, see the header; names of bodies that nothing holds. */
static sar_status finish(sar_modes* m)
{
    sari_system* sys = m->linear->sys;
    const size_t nq = (size_t)sys->nq;
    for (int k = 0; k < m->summary.modes; k++) {
        double *shape = m->shape + 2 * nq * (size_t)k, fastest = 0.0;
        for (int part = 0; part < 2; part++) {
            sari_kinematics_update(sys->kinematics, m->linear->q, shape + (size_t)part * nq, 1);
            for (int b = 1; b < sys->mechanism->bodies; b++)
                fastest = fmax(fastest, speed_of(m, b));
        }
        for (size_t i = 0; i < 2 * nq && fastest > 0.0; i++) shape[i] /= fastest;
    }
    sort_modes(m);
    for (int b = 1; b < sys->mechanism->bodies; b++)
        if (m->moves[b])
            sari_add_name(m->summary.zero_bodies, sizeof m->summary.zero_bodies,
                          sys->model->bodies[b].name);
    return keep_rates(m);
}

static sar_status find(sar_modes* m, sar_error* error)
{
    sar_simulation* s = m->simulation;
    const sari_system* sys = s->system;
    const int most = 2 * sys->nq;
    sar_subspaces found;
    m->capacity = most > BY_BRANCHES ? most : BY_BRANCHES;
    m->mode = SARI_TAKE(&m->memory, sar_mode, m->capacity);
    m->moves = SARI_TAKE(&m->memory, char, sys->mechanism->bodies);
    m->shape = SARI_TAKE(&m->memory, double, (size_t)m->capacity*(size_t)(2 * sys->nq));
    if (m->memory.failed) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory for modes");
    s->system->undefined.what = NULL;
    sar_status st = sari_linear_find(m->linear, s->state.t, s->state.q, s->state.v);
    m->summary.t = s->state.t;
    m->summary.positions = m->linear->positions;
    m->summary.force_states = sys->states;
    m->summary.freedoms = m->linear->velocities - sys->states;
    if (st == SAR_OK && is_singular(m, &found)) return sari_modes_by_branches(m, &found, error);
    if (st == SAR_OK) st = find_regular(m);
    return st == SAR_OK ? SAR_OK : explain(m, st, error);
}

sar_status sar_modes_create(sar_simulation* s, sar_modes** out, sar_error* error)
{
    if (!s || !s->assembled)
        return sari_fail(error, SAR_E_ARG, NULL, "assemble the simulation before its modes");
    if (s->looks_back) SARI_TRY(sar_simulation_look(s, INFINITY));
    if (s->system->nq > SARI_LINEAR_MOST || s->system->nc > SARI_LINEAR_MOST)
        return sari_fail(
            error, SAR_E_ARG, NULL,
            "the model has %d coordinates and %d constraints; matrices of modes are full, "
            "up to %d will do: relative coordinates have the fewest",
            s->system->nq, s->system->nc, SARI_LINEAR_MOST);
    sar_modes* m = SARI_NEW(sar_modes);
    if (!m) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory for modes");
    m->simulation = s;
    sar_status st = sari_linear_create(s->system, s->units.size, &m->linear);
    if (st == SAR_OK) st = find(m, error);
    if (st == SAR_OK) st = finish(m);
    if (st == SAR_E_NOMEM) sari_fail(error, st, NULL, "out of memory for modes");
    // the simulation's own equations are at its state again
    (void)sari_equations_eval(&s->system->equations, SARI_EVAL_DYNAMICS, s->state.t, s->state.q,
                              s->state.v);
    if (st != SAR_OK) {
        sar_modes_destroy(m);
        return st;
    }
    *out = m;
    return SAR_OK;
}

void sar_modes_destroy(sar_modes* m)
{
    if (!m) return;
    sari_frames_destroy(m->frames);
    sari_linear_destroy(m->linear);
    sari_arena_clear(&m->memory);
    sari_release(m);
}

sar_modes_summary sar_modes_summarise(const sar_modes* m)
{
    return m->summary;
}

int sar_modes_list(const sar_modes* m, const sar_mode** list)
{
    *list = m->mode;
    return m->summary.modes;
}
