/* What tolerances of dimensions do to redundant joints.
 *
 * The conditions phi_r(X, p) of joints on placements X of bodies depend on dimensions p. A change dp asks for phi_X dX =
 * -phi_p dp, which has a solution if, with the states of self-stress N of reactions_split.c,
 *
 *     g = N' phi_p dp = 0                                                                          (1)
 *
 * else the loops open by g. phi_p is the difference of two models, with p larger and smaller, at the placement of the
 * third: none of them has to be assembled. Of all combinations u of states the one is told for which u'g has the largest
 * standard deviation, for states that are orthonormal; then its largest reaction is made 1:
 *
 *     worst  sum_p |u'g_p| tol_p,   statistical  sqrt(sum_p (u'g_p tol_p)^2 / 3)                    (2)
 *
 * With compliances F of joints the loops are closed by forces,
 *
 *     r_j = G_j x,   (sum_j G_j'F_j G_j) x = -g                                                     (3)
 *
 * In a singular configuration two motions meet. Along admissible velocities T a (two of them), z the state of
 * self-stress, the loops close where
 *
 *     z'phi = a'H a/2 + d = 0,   H = T'(z'phi)_XX T,   d = g dp                                      (4)
 *
 * which for an indefinite H are two motions that cross if d = 0. Otherwise they are two branches of a hyperbola, whose
 * vertices are 2 sqrt(2 |d|/|h|) apart, h the eigenvalue of H that has the sign of -d.
 *
 * Relations between joint coordinates (gears) and rows on velocities count as exact. */
#include "simulation/reactions.h"

#include "analysis/modes.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/rank.h"
#include "math/functions.h"
#include "math/vec3.h"
#include "system/mechanism/polynomial.h"

#include <math.h>
#include <string.h>

enum { WRENCH = 6 };
static const double ZERO = 1e-7; ///< of the largest effect of a dimension: it has none

struct sar_tolerances {
    sari_arena memory;
    sar_simulation* simulation;
    sari_stress* stress;
    int count, joints, rows;
    const char** name;
    double *tolerance, *change;
    sari_system** twin; ///< two per dimension
    double* phi;        ///< per dimension: phi_p of all rows
    double* g;          ///< states x dimensions
    double *B, *sigma, *U, *work, *A, *x;
    double* X;                 ///< of a twin
    double *opening, *largest; ///< per dimension
    sar_opening most;
    sar_assembly_force* force;
    double* part; ///< per joint: twelve sums
};

/* ---- twins ---------------------------------------------------------------------------------- */

static sar_status make_twin(const sar_simulation* s, const sar_model* model, sari_system** out,
                            sar_model** converted, sar_error* error)
{
    *converted = sari_model_in_units(model, &s->units);
    if (!*converted) return SAR_E_NOMEM;
    return sari_system_create_with(*converted, s->system->mechanism->active,
                                   sari_coordinates_find(s->options.coordinates), SARI_MASS_ENTRIES,
                                   out, error);
}

static int is_alike(const sari_mechanism* a, const sari_mechanism* b)
{
    return a->bodies == b->bodies && a->conditions_count == b->conditions_count &&
           a->model->joints_count == b->model->joints_count &&
           a->relations_count == b->relations_count && a->dimension == b->dimension;
}

/* The placement of the bodies with centres of mass that the twin has. */
static void place(const sari_mechanism* m, const sari_mechanism* twin, const double* X, double* out)
{
    memcpy(out, X, (size_t)(m->nx * m->bodies) * sizeof(double));
    for (int b = 1; b < m->bodies; b++) {
        double R[9], local[3], arm[3];
        sari_rotation_of(m, X + m->nx * b, R);
        for (int i = 0; i < 3; i++)
            local[i] = twin->model->bodies[b].def.center[i] - m->model->bodies[b].def.center[i];
        sari_rotate(R, local, arm);
        for (int i = 0; i < m->dimension; i++) out[m->nx * b + i] += arm[i];
    }
}

/* phi of all rows of the reactions, of a twin at the placement of the simulation; out += factor phi. */
static void add_conditions(sar_tolerances* t, const sari_system* twin, double factor, double* out)
{
    const sari_reactions* r = t->simulation->reactions;
    const sari_mechanism* m = twin->mechanism;
    place(r->sys->mechanism, m, r->X, t->X);
    for (int row = 0; row < r->rows; row++)
        if (r->poly[row] >= 0)
            out[row] += factor * sari_polynomial_value(&m->poly, r->poly[row], t->X);
}

/* ---- (1), (2) ------------------------------------------------------------------------------- */

static void find_effects(sar_tolerances* t)
{
    const int n = t->stress->states, rows = t->rows;
    memset(t->phi, 0, (size_t)(t->count * rows) * sizeof(double));
    for (int p = 0; p < t->count; p++) {
        double* phi = t->phi + (size_t)p * (size_t)rows;
        const double factor = 0.5 / t->change[p];
        add_conditions(t, t->twin[2 * p], factor, phi);
        add_conditions(t, t->twin[2 * p + 1], -factor, phi);
        for (int k = 0; k < n; k++) {
            double sum = 0.0;
            for (int row = 0; row < rows; row++)
                sum += t->stress->N[(size_t)k * (size_t)rows + (size_t)row] * phi[row];
            t->g[k * t->count + p] = sum;
        }
    }
}

/* The largest reaction of the combination x of states. */
static double largest_reaction(const sari_stress* s, const double* x)
{
    double most = 0.0;
    for (int j = 0; j < s->joints; j++) {
        double w[WRENCH] = {0};
        for (int k = 0; k < s->states; k++)
            for (int i = 0; i < WRENCH; i++) w[i] += x[k] * s->G[WRENCH * (j * s->states + k) + i];
        most = fmax(most, fmax(sari_norm3(w), sari_norm3(w + 3) / s->size));
    }
    return most;
}

/* The combination x of states whose opening varies most. */
static void find_direction(sar_tolerances* t)
{
    const sari_stress* s = t->stress;
    const int n = s->states, m = t->count, least = n < m ? n : m;
    for (int k = 0; k < n; k++)
        for (int p = 0; p < m; p++)
            t->B[k * m + p] = s->scale[k] * t->g[k * m + p] * t->tolerance[p];
    sari_svd(n, m, t->B, t->sigma, t->U, NULL, t->work);
    for (int k = 0; k < n; k++) t->x[k] = s->scale[k] * t->U[k * least];
    const double most = largest_reaction(s, t->x);
    for (int k = 0; k < n && most > 0.0; k++) t->x[k] /= most;
}

/* z'phi of the simulation's own model where its coordinates are changed by way. */
static double state_at(sar_tolerances* t, const double* way)
{
    const sar_simulation* s = t->simulation;
    const sari_reactions* r = s->reactions;
    const sari_mechanism* m = s->system->mechanism;
    double sum = 0.0;
    sari_coordinates_move(&s->system->coordinates, s->state.q, way, s->between.q);
    sari_kinematics_update(s->system->kinematics, s->between.q, s->state.v, 1);
    for (int row = 0; row < r->rows; row++)
        if (r->poly[row] >= 0)
            sum += t->x[0] * t->stress->N[row] *
                   sari_polynomial_value(&m->poly, r->poly[row], s->system->kinematics->X);
    return sum;
}

/* How far the fastest body's origin goes for the change a of admissible coordinates. */
static double displacement(sar_tolerances* t, const sar_subspaces* T, const double a[2])
{
    sar_simulation* s = t->simulation;
    double *v = s->between.v, most = 0.0, velocity[3], angular[3];
    for (int i = 0; i < T->coordinates; i++)
        v[i] = a[0] * T->admissible[i] + a[1] * T->admissible[T->coordinates + i];
    for (int b = 1; b < s->model->bodies_count; b++) {
        sar_simulation_velocity_along(s, v, (sar_body_id){b}, velocity, angular);
        most = fmax(most, sari_norm3(velocity));
    }
    return most;
}

/* H of (4) by differences. */
static void find_curvature(sar_tolerances* t, const sar_subspaces* T, double H[3])
{
    const double SMALL = 1e-4;
    static const double way[3][2] = {{1, 0}, {0, 1}, {1, 1}};
    double f[3], *d = t->simulation->between.a, size = 0.0;
    const int n = T->coordinates;
    for (int i = 0; i < 2 * n; i++) size = fmax(size, fabs(T->admissible[i]));
    const double e = SMALL / size;
    for (int k = 0; k < 3; k++) {
        f[k] = 0.0;
        for (int sign = -1; sign <= 1; sign += 2) {
            for (int i = 0; i < n; i++)
                d[i] = sign * e * (way[k][0] * T->admissible[i] + way[k][1] * T->admissible[n + i]);
            f[k] += state_at(t, d) / (e * e);
        }
    }
    H[0] = f[0], H[1] = f[1], H[2] = 0.5 * (f[2] - f[0] - f[1]);
}

/* (4) for the worst opening, which is `worst` in the units of the model. */
static double miss_of(sar_tolerances* t, double worst)
{
    sar_subspaces T;
    double H[3], most = NAN;
    if (t->simulation->system->own_rows) return NAN; // bodies are not rigid beside the constraints
    if (t->stress->states != 1 || sar_simulation_rank(t->simulation).redundant != 0) return NAN;
    if (sar_simulation_subspaces(t->simulation, 0.0, &T) != SAR_OK || T.dof != 2) return NAN;
    find_curvature(t, &T, H);
    const double mean = 0.5 * (H[0] + H[1]), radius = sari_hypot(0.5 * (H[0] - H[1]), H[2]);
    const double h[2] = {mean + radius, mean - radius};
    if (!(h[0] > 0.0) || !(h[1] < 0.0)) return NAN;
    for (int k = 0; k < 2; k++) {
        double a[2] = {H[2], h[k] - H[0]};
        if (fabs(h[k] - H[1]) > fabs(h[k] - H[0])) a[0] = h[k] - H[1], a[1] = H[2];
        const double norm = sari_hypot(a[0], a[1]), size = 2.0 * sqrt(2.0 * worst / fabs(h[k]));
        a[0] = norm > 0.0 ? a[0] / norm : k == 0, a[1] = norm > 0.0 ? a[1] / norm : k == 1;
        const double apart = size * displacement(t, &T, a);
        most = isnan(most) || apart > most ? apart : most;
    }
    return most;
}

static void note_opening(sar_tolerances* t)
{
    const sar_simulation* s = t->simulation;
    const int n = t->stress->states;
    const double unit = s->units.length;
    double worst = 0.0, square = 0.0;
    for (int p = 0; p < t->count; p++) {
        double g = 0.0, norm = 0.0;
        for (int k = 0; k < n; k++) {
            const double part = t->stress->scale[k] * t->g[k * t->count + p];
            g += t->x[k] * t->g[k * t->count + p];
            norm += part * part;
        }
        t->largest[p] = fmax(t->largest[p], unit * sqrt(norm) * t->tolerance[p]);
        t->B[p] = unit * g;
        worst += fabs(unit * g) * t->tolerance[p];
        square += unit * g * unit * g * t->tolerance[p] * t->tolerance[p] / 3.0;
    }
    if (t->most.states > 0 && sqrt(square) <= t->most.statistical) return;
    const int redundant = sar_simulation_rank(s).redundant;
    memcpy(t->opening, t->B, (size_t)t->count * sizeof(double));
    t->most.states = n;
    t->most.extra = redundant >= 0 && n > redundant ? n - redundant : 0;
    t->most.worst = worst;
    t->most.statistical = sqrt(square);
    t->most.t = s->state.t;
    t->most.miss = miss_of(t, worst / unit);
}

/* ---- (3) ------------------------------------------------------------------------------------ */

static void add_compliances(const sar_tolerances* t, double* A)
{
    const sari_stress* s = t->stress;
    const int n = s->states;
    memset(A, 0, (size_t)(n * n) * sizeof(double));
    for (int j = 0; j < s->joints; j++) {
        const double* F = t->simulation->model->joints[j].pair.compliance;
        for (int i = 0; i < WRENCH; i++) {
            const double f = i < 3 ? F[i] : F[i] * s->size * s->size;
            for (int k = 0; k < n && f > 0.0; k++) {
                const double a = sari_stress_component(s, j, s->G + WRENCH * (j * n + k), i);
                for (int l = 0; l < n; l++)
                    A[k * n + l] +=
                        f * a * sari_stress_component(s, j, s->G + WRENCH * (j * n + l), i);
            }
        }
    }
}

/* Solves with the symmetric A by its singular vectors. 0: a state of self-stress meets no compliance. */
static int invert(sar_tolerances* t)
{
    const int n = t->stress->states;
    sari_svd(n, n, t->A, t->sigma, t->U, NULL, t->work);
    return isfinite(t->sigma[0]) && t->sigma[n - 1] > 1e-12 * t->sigma[0];
}

static void add_force(sar_tolerances* t, int p)
{
    const sari_stress* s = t->stress;
    const int n = s->states;
    memset(t->x, 0, (size_t)n * sizeof(double));
    for (int l = 0; l < n; l++) {
        double sum = 0.0;
        for (int k = 0; k < n; k++) sum += t->U[k * n + l] * t->g[k * t->count + p];
        for (int k = 0; k < n; k++) t->x[k] -= t->U[k * n + l] * sum / t->sigma[l];
    }
    for (int j = 0; j < s->joints; j++)
        for (int i = 0; i < WRENCH; i++) {
            double w = 0.0;
            for (int k = 0; k < n; k++) w += t->x[k] * s->G[WRENCH * (j * n + k) + i];
            t->part[12 * j + i] += fabs(w) * t->tolerance[p];
            t->part[12 * j + 6 + i] += w * w * t->tolerance[p] * t->tolerance[p] / 3.0;
        }
}

static void note_forces(sar_tolerances* t)
{
    const sari_units* u = &t->simulation->units;
    const double force = sari_unit_of_force(u), torque = sari_unit_of_energy(u);
    add_compliances(t, t->A);
    if (!invert(t)) return;
    t->most.forces = 1;
    memset(t->part, 0, (size_t)(12 * t->joints) * sizeof(double));
    for (int p = 0; p < t->count; p++) add_force(t, p);
    for (int j = 0; j < t->joints; j++) {
        const double *w = t->part + 12 * j, *v = w + 6;
        sar_assembly_force* f = &t->force[j];
        f->worst = fmax(f->worst, force * sari_norm3(w));
        f->torque_worst = fmax(f->torque_worst, torque * sari_norm3(w + 3));
        f->statistical = fmax(f->statistical, force * sqrt(v[0] + v[1] + v[2]));
        f->torque_statistical = fmax(f->torque_statistical, torque * sqrt(v[3] + v[4] + v[5]));
    }
}

/* ---- life ----------------------------------------------------------------------------------- */

sar_status sar_tolerances_look(sar_tolerances* t)
{
    sar_simulation* s = t->simulation;
    sari_reactions* r = s->reactions;
    if (r->rows != t->rows) return SAR_E_INCOMPAT;
    sari_reactions_complete(r, &s->state);
    s->reactions_time = NAN;
    SARI_TRY(sari_stress_find(t->stress, r));
    if (t->count == 0 && t->stress->states > t->most.states) {
        t->most.states = t->stress->states;
        t->most.t = s->state.t;
    }
    if (t->stress->states > 0 && t->count > 0) {
        find_effects(t);
        find_direction(t);
        note_opening(t);
        note_forces(t);
    }
    return sari_equations_eval(&s->system->equations, SARI_EVAL_DYNAMICS, s->state.t, s->state.q,
                               s->state.v);
}

static sar_status take(sar_tolerances* t, const sar_simulation* s)
{
    const size_t rows = (size_t)t->rows + 1, count = (size_t)t->count + 1;
    const size_t largest = rows > count ? rows : count;
    sari_arena* a = &t->memory;
    t->name = SARI_TAKE(a, const char*, count);
    t->tolerance = SARI_TAKE(a, double, count);
    t->change = SARI_TAKE(a, double, count);
    t->twin = SARI_TAKE(a, sari_system*, 2 * count);
    t->phi = SARI_TAKE(a, double, rows* count);
    t->g = SARI_TAKE(a, double, rows* count);
    t->B = SARI_TAKE(a, double, rows* count);
    t->A = SARI_TAKE(a, double, rows* rows);
    t->U = SARI_TAKE(a, double, rows* rows);
    t->sigma = SARI_TAKE(a, double, largest);
    t->x = SARI_TAKE(a, double, largest);
    t->work =
        SARI_TAKE(a, double, sari_svd_workspace((int)largest, (int)largest) + largest * largest);
    t->X = SARI_TAKE(a, double, s->system->mechanism->nx * s->system->mechanism->bodies);
    t->opening = SARI_TAKE(a, double, count);
    t->largest = SARI_TAKE(a, double, count);
    t->force = SARI_TAKE(a, sar_assembly_force, t->joints + 1);
    t->part = SARI_TAKE(a, double, 12 * (t->joints + 1));
    if (a->failed) return SAR_E_NOMEM;
    return sari_stress_create(s->reactions, a, &t->stress);
}

static sar_status add_twins(sar_tolerances* t, const sar_dimension_twins* twins, sar_error* error)
{
    const sar_simulation* s = t->simulation;
    for (int p = 0; p < t->count; p++) {
        t->name[p] = twins[p].name;
        t->tolerance[p] = twins[p].tolerance;
        t->change[p] = twins[p].change;
        for (int k = 0; k < 2; k++) {
            sar_model* model = NULL;
            sar_status st =
                make_twin(s, k ? twins[p].less : twins[p].more, &t->twin[2 * p + k], &model, error);
            if (st == SAR_OK && !is_alike(s->system->mechanism, t->twin[2 * p + k]->mechanism))
                st = sari_fail(error, SAR_E_MODEL, twins[p].name,
                               "the dimension \"%s\" changes what joints and bodies there are",
                               twins[p].name);
            if (st != SAR_OK) {
                if (!t->twin[2 * p + k]) sari_model_in_units_destroy(model);
                return st;
            }
        }
    }
    return SAR_OK;
}

sar_status sar_tolerances_create(sar_simulation* s, const sar_dimension_twins* twins, int count,
                                 sar_tolerances** out, sar_error* error)
{
    *out = NULL;
    if (!s || !s->assembled || count < 0)
        return sari_fail(error, SAR_E_ARG, NULL, "assemble the simulation before its tolerances");
    if (s->reactions->rows > SARI_LINEAR_MOST)
        return sari_fail(error, SAR_E_ARG, NULL, "the joints have %d conditions; up to %d will do",
                         s->reactions->rows, SARI_LINEAR_MOST);
    sar_tolerances* t = SARI_NEW(sar_tolerances);
    if (!t) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory for tolerances");
    t->simulation = s;
    t->count = count;
    t->joints = s->model->joints_count;
    t->rows = s->reactions->rows;
    t->most.miss = NAN;
    sar_status st = take(t, s);
    if (st == SAR_OK) st = add_twins(t, twins, error);
    if (st != SAR_OK) {
        sar_tolerances_destroy(t);
        return st == SAR_E_NOMEM ? sari_fail(error, st, NULL, "out of memory for tolerances") : st;
    }
    *out = t;
    return SAR_OK;
}

void sar_tolerances_destroy(sar_tolerances* t)
{
    if (!t) return;
    for (int k = 0; t->twin && k < 2 * t->count; k++) {
        if (!t->twin[k]) continue;
        sar_model* model = (sar_model*)t->twin[k]->model;
        sari_system_destroy(t->twin[k]);
        sari_model_in_units_destroy(model);
    }
    sari_stress_clear(t->stress);
    sari_arena_clear(&t->memory);
    sari_release(t);
}

/* ---- what was found ------------------------------------------------------------------------- */

sar_opening sar_tolerances_opening(const sar_tolerances* t)
{
    return t->most;
}

sar_status sar_tolerances_dimension(const sar_tolerances* t, int p, sar_dimension_effect* out)
{
    double all = 0.0, largest = 0.0;
    if (p < 0 || p >= t->count) return SAR_E_ARG;
    for (int i = 0; i < t->count; i++) {
        const double part = t->opening[i] * t->tolerance[i];
        all += part * part;
        largest = fmax(largest, t->largest[i]);
    }
    const double own = t->opening[p] * t->tolerance[p];
    // a tolerance moves a joint by as much: what is a small part of that is rounding
    const double zero = fmax(ZERO * largest, 1e-9 * t->tolerance[p]);
    *out = (sar_dimension_effect){.name = t->name[p],
                                  .tolerance = t->tolerance[p],
                                  .opening = t->opening[p],
                                  .share = all > 0.0 ? own * own / all : 0.0,
                                  .keeps = t->largest[p] <= zero};
    return SAR_OK;
}

sar_status sar_tolerances_joint(const sar_tolerances* t, sar_joint_id joint,
                                sar_assembly_force* out)
{
    if (joint.i < 0 || joint.i >= t->joints) return SAR_E_ARG;
    *out = t->force[joint.i];
    return SAR_OK;
}
