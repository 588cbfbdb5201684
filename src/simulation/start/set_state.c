/* A state from outside: poses and velocities of all bodies, in no coordinates in particular.
 *
 * The coordinates are those of the bodies so placed, brought to the nearest position and velocity
 * that satisfy the constraints, as at the beginning of a phase. The motion starts afresh there; in
 * the balance of energy the change counts as work. */
#include "base/memory.h"
#include "base/status.h"
#include "math/vec3.h"
#include "math/vector.h"
#include "simulation/events/events.h"
#include "simulation/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POSE = 7, VELOCITY = 6 }; // numbers of a body

/// What a change needs for its time.
typedef struct change {
    double *X, *Xd, *w; ///< bodies as they are wanted: nx, nx and 3 each
    double *q, *v;      ///< the state before
    sari_projector* projector;
} change;

static void release(change* c)
{
    sari_release(c->X);
    sari_release(c->Xd);
    sari_release(c->w);
    sari_release(c->q);
    sari_release(c->v);
    sari_projector_destroy(c->projector);
}

static sar_status prepare(sar_simulation* s, change* c)
{
    const sari_system* sys = s->system;
    const int n = sys->mechanism->nx * sys->mechanism->bodies;
    c->X = SARI_NEW_ARRAY(double, n);
    c->Xd = SARI_NEW_ARRAY(double, n);
    c->w = SARI_NEW_ARRAY(double, 3 * sys->mechanism->bodies);
    c->q = SARI_NEW_ARRAY(double, sys->np + 1);
    c->v = SARI_NEW_ARRAY(double, sys->nq + 1);
    if (!c->X || !c->Xd || !c->w || !c->q || !c->v) return SAR_E_NOMEM;
    memcpy(c->q, s->state.q, (size_t)sys->np * sizeof(double));
    memcpy(c->v, s->state.v, (size_t)sys->nq * sizeof(double));
    return sari_projector_create(s->system, &c->projector);
}

/// Body b in the units and numbers of the mechanism. False: its rotation is none.
static bool place_body(const sar_simulation* s, int b, const double* pose, const double* velocity,
                       change* c)
{
    const sari_mechanism* m = s->system->mechanism;
    const sari_units* u = &s->units;
    double R[9], arm[3], turn[3], unit[4], size = 0.0;
    for (int k = 0; k < 4; k++) size += pose[3 + k] * pose[3 + k];
    if (!(size > 0.0)) return false;
    for (int k = 0; k < 4; k++) unit[k] = pose[3 + k] / sqrt(size);
    sari_rotation_of_quaternion(unit, R);
    sari_rotate(R, m->model->bodies[b].def.center, arm);
    sari_cross(velocity + 3, arm, turn);
    double *X = c->X + m->nx * b, *Xd = c->Xd + m->nx * b, *w = c->w + 3 * b;
    for (int k = 0; k < 3; k++) w[k] = velocity[3 + k];
    for (int k = 0; k < m->dimension; k++) {
        X[k] = (pose[k] - u->origin[k]) / u->length + arm[k];
        Xd[k] = velocity[k] / u->length + turn[k];
    }
    if (m->dimension == 2) {
        X[2] = R[0], X[3] = R[3];
        Xd[2] = -w[2] * X[3], Xd[3] = w[2] * X[2];
        return true;
    }
    for (int a = 0; a < 3; a++) {
        for (int k = 0; k < 3; k++) X[3 + 3 * a + k] = R[3 * k + a];
        sari_cross(w, X + 3 + 3 * a, Xd + 3 + 3 * a);
    }
    return true;
}

static sar_status place_bodies(sar_simulation* s, const double* poses, const double* velocities,
                               change* c)
{
    static const double rest[VELOCITY] = {0};
    const sari_mechanism* m = s->system->mechanism;
    for (int k = 0; k < POSE * (m->bodies - 1); k++)
        if (!isfinite(poses[k])) return SAR_E_ARG;
    for (int k = 0; velocities && k < VELOCITY * (m->bodies - 1); k++)
        if (!isfinite(velocities[k])) return SAR_E_ARG;
    sari_kinematics_update(s->system->kinematics, s->state.q, s->state.v, 1);
    memcpy(c->X, s->system->kinematics->X, (size_t)m->nx * sizeof(double)); // the ground
    for (int b = 1; b < m->bodies; b++)
        if (!place_body(s, b, poses + POSE * (b - 1),
                        velocities ? velocities + VELOCITY * (b - 1) : rest, c))
            return SAR_E_ARG;
    return SAR_OK;
}

/// Largest distance between a centre of mass and where it was wanted [m].
static double distance(const sar_simulation* s, const double* X)
{
    const sari_mechanism* m = s->system->mechanism;
    double largest = 0.0;
    for (int b = 1; b < m->bodies; b++) {
        double square = 0.0;
        for (int k = 0; k < m->dimension; k++) {
            const double d = s->system->kinematics->X[m->nx * b + k] - X[m->nx * b + k];
            square += d * d;
        }
        largest = fmax(largest, sqrt(square));
    }
    return s->units.length * largest;
}

/// To the nearest state that satisfies the constraints.
static sar_status project(sar_simulation* s, change* c, double* moved)
{
    sari_system* sys = s->system;
    sari_state* x = &s->state;
    const sari_coordinates* map = &sys->coordinates;
    map->ops->from_placement(map, c->X, c->Xd, c->w, x->q, x->v);
    for (int k = 1; k <= sys->states; k++) { // those of forces stay
        x->q[sys->np - k] = c->q[sys->np - k];
        x->v[sys->nq - k] = c->v[sys->nq - k];
    }
    SARI_TRY(sari_project_position(c->projector, x->t, c->X, x->q));
    sari_kinematics_update(sys->kinematics, x->q, NULL, 1);
    if (moved) *moved = distance(s, c->X);
    return sari_project_velocity(c->projector, x->t, x->q, c->Xd, x->v);
}

static void put_back(sar_simulation* s, const change* c)
{
    memcpy(s->state.q, c->q, (size_t)s->system->np * sizeof(double));
    memcpy(s->state.v, c->v, (size_t)s->system->nq * sizeof(double));
    sari_kinematics_update(s->system->kinematics, s->state.q, s->state.v, 1);
}

sar_status sar_simulation_set_state(sar_simulation* s, const double* poses,
                                    const double* velocities, double* moved)
{
    change c = {0};
    if (!s->assembled) return SAR_E_ARG;
    if (s->looks_back) SARI_TRY(sar_simulation_look(s, INFINITY));
    const sar_energy before = s->energy;
    sar_status st = prepare(s, &c);
    if (st == SAR_OK) st = place_bodies(s, poses, velocities, &c);
    if (st == SAR_OK) {
        st = project(s, &c, moved);
        if (st == SAR_OK) st = sari_switch_restart(s);
        if (st != SAR_OK) {
            put_back(s, &c);
            sari_switch_restart(s);
            snprintf(s->failure, sizeof s->failure,
                     "no state near the one that was set satisfies the joints and drives");
            st = SAR_E_ASSEMBLY;
        }
        sari_observation_measure(&s->seen, NULL);
        s->energy.work = before.work + (s->energy.kinetic + s->energy.potential) -
                         (before.kinetic + before.potential);
        sari_ledger_enter(s, SAR_ACCOUNT_JUMPS, s->energy.work - before.work);
    }
    release(&c);
    return st;
}

sar_status sar_simulation_to_rest(sar_simulation* s)
{
    if (!s->assembled) return SAR_E_ARG;
    const int bodies = s->system->mechanism->bodies;
    if (!(sari_vector_max(s->system->nq, s->state.v) > 0.0)) return SAR_OK;
    double* poses = SARI_NEW_ARRAY(double, (size_t)bodies* POSE);
    if (!poses) return SAR_E_NOMEM;
    for (int b = 1; b < bodies; b++) {
        double* pose = poses + (size_t)(b - 1) * POSE;
        sar_simulation_pose(s, (sar_body_id){b}, pose, pose + 3);
    }
    const sar_status st = sar_simulation_set_state(s, poses, NULL, NULL);
    sari_release(poses);
    return st;
}
