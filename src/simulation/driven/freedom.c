/* Where the constraints leave directions free: is there a motion, and what moves in it?
 *
 * Less than full rank at one position says little: in a singular configuration an otherwise determined
 * mechanism has free directions too, but cannot go far along them. So the test is to go: a small
 * way along the free directions, from there back to the constraints with the free coordinates held
 * where they are. If that succeeds the mechanism moves while its drives stand still. */
#include "simulation/driven/motion.h"

#include "base/names.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* World position of an end's point. */
static void place_of(const sar_motion* m, const sar_end* end, double p[3])
{
    double r[3], quaternion[4], R[9];
    sari_observation_pose(&m->seen, end->body.i, r, quaternion);
    sari_rotation_of_quaternion(quaternion, R);
    sari_rotate(R, end->point, p);
    for (int k = 0; k < 3; k++) p[k] += r[k];
}

/* Velocity of a body at the place p, and its angular velocity, if the coordinates changed by v. */
static void motion_at(const sar_motion* m, const double* v, int body, const double p[3],
                      double at[3], double w[3])
{
    double r[3], quaternion[4], arm[3], turn[3];
    at[0] = at[1] = at[2] = w[0] = w[1] = w[2] = 0.0;
    if (body == 0) return;
    sari_observation_pose(&m->seen, body, r, quaternion);
    sari_observation_velocity(&m->seen, v, body, at, w);
    for (int k = 0; k < 3; k++) arm[k] = p[k] - r[k];
    sari_cross(w, arm, turn);
    for (int k = 0; k < 3; k++) at[k] += turn[k];
}

static double speed_of_body(const sar_motion* m, const double* v, int body)
{
    double at[3], w[3];
    sari_observation_velocity(&m->seen, v, body, at, w);
    return fmax(sari_norm3(at), sari_norm3(w));
}

/* How fast the two sides of a joint move against each other. */
static double speed_of_joint(const sar_motion* m, const double* v, int joint)
{
    double p[3], va[3], wa[3], vb[3], wb[3];
    const sari_joint* j = &m->seen.model->joints[joint];
    if (j->relation) return 0.0;
    place_of(m, &j->pair.b, p);
    motion_at(m, v, j->pair.a.body.i, p, va, wa);
    motion_at(m, v, j->pair.b.body.i, p, vb, wb);
    for (int k = 0; k < 3; k++) va[k] -= vb[k], wa[k] -= wb[k];
    return fmax(sari_norm3(va), sari_norm3(wa));
}

/* What moves along v gets its mark: the joints first, then the bodies. */
static void mark_moving(sar_motion* m, const double* v)
{
    const sar_model* model = m->seen.model;
    double scale = 0.0;
    for (int b = 1; b < model->bodies_count; b++) scale = fmax(scale, speed_of_body(m, v, b));
    for (int b = 1; b < model->bodies_count; b++)
        if (speed_of_body(m, v, b) > 1e-6 * scale) m->moves[model->joints_count + b] = 1;
    for (int j = 0; j < model->joints_count; j++)
        if (speed_of_joint(m, v, j) > 1e-6 * scale) m->moves[j] = 1;
}

void sari_motion_name_free(sar_motion* m, const double* q, int rank)
{
    const sar_model* model = m->seen.model;
    sar_determinacy* d = &m->determinacy;
    double* const kept = m->seen.state.q;
    const int joints = model->joints_count;
    d->joints[0] = d->bodies[0] = 0;
    memset(m->moves, 0, (size_t)(joints + model->bodies_count));
    m->seen.state.q = (double*)(uintptr_t)q; // poses are those of q
    for (int k = 0; k < m->seen.system->nq - rank; k++) {
        sari_determined_free(&m->lin, rank, k, m->d);
        mark_moving(m, m->d);
    }
    m->seen.state.q = kept;
    for (int j = 0; j < joints; j++)
        if (m->moves[j]) sari_add_name(d->joints, sizeof d->joints, model->joints[j].name);
    for (int b = 1; b < model->bodies_count; b++)
        if (m->moves[joints + b]) sari_add_name(d->bodies, sizeof d->bodies, model->bodies[b].name);
}

/* A small way along all free directions at once, in proportions that nothing cancels. */
static void leave(sar_motion* m, int rank)
{
    const sari_system* sys = m->seen.system;
    double length = 0.0, *step = m->rhs;
    for (int i = 0; i < sys->nq; i++) step[i] = 0.0;
    for (int k = 0; k < sys->nq - rank; k++) {
        sari_determined_free(&m->lin, rank, k, m->d);
        for (int i = 0; i < sys->nq; i++) step[i] += (1.0 + 0.37 * k) * m->d[i];
    }
    for (int i = 0; i < sys->nq; i++) length = fmax(length, fabs(step[i]));
    for (int i = 0; i < sys->nq; i++) step[i] *= 1e-2 * m->size / length;
    sari_coordinates_move(&sys->coordinates, m->q, step, m->q);
}

void sari_motion_freedom(sar_motion* m, int rank)
{
    sari_system* sys = m->seen.system;
    double t = m->seen.options.start;
    memcpy(m->seen.state.q, m->q, (size_t)sys->np * sizeof *m->q);
    leave(m, rank);
    int moved = sari_motion_positions(m, t, rank) == SAR_OK;
    double away = 0.0;
    sari_coordinates_difference(&sys->coordinates, m->seen.state.q, m->q, m->d);
    for (int i = 0; i < sys->nq; i++) away = fmax(away, fabs(m->d[i]));
    if (!moved || away < 1e-3 * m->size) // back where it was: singular
        memcpy(m->q, m->seen.state.q, (size_t)sys->np * sizeof *m->q);
    sari_equations_eval(&sys->equations, SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T, t, m->q, NULL);
    sari_determined_factor(&m->lin, &sys->Phi_q, sys->nq);
    sari_determined_assess(&m->lin);
    int there = sari_determined_rank(&m->lin, SARI_MOTION_WEIGHT);
    if (moved && away >= 1e-3 * m->size && there < sys->nq) {
        m->determinacy.undriven = sys->nq - there;
        m->determinacy.singular = 0;
    }
    sari_motion_name_free(m, m->q, there);
}
