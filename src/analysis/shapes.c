/* What bodies and joints do in a mode. */
#include "analysis/modes.h"

#include "math/vec3.h"

#include <math.h>

/* The system's kinematics go along the real (0) or imaginary (1) part of a mode. */
static void go_along(const sar_modes* m, int mode, int part)
{
    sari_system* sys = m->linear->sys;
    const size_t nq = (size_t)sys->nq;
    sari_kinematics_update(sys->kinematics, m->linear->q,
                           m->shape + nq * (2 * (size_t)mode + (size_t)part), 1);
}

/* They are where the simulation is again. */
static void come_back(const sar_modes* m)
{
    const sari_state* x = &m->simulation->state;
    sari_kinematics_update(m->linear->sys->kinematics, x->q, x->v, 1);
}

/* Twice the kinetic energy of a body at the present rates. */
static double energy_of(const sari_system* sys, int b)
{
    const int nx = sys->mechanism->nx;
    const double* Xd = sys->kinematics->Xd + nx * b;
    double p[12], sum = 0.0;
    sari_inertia_times(sys->mechanism, b, Xd, p);
    for (int i = 0; i < nx; i++) sum += p[i] * Xd[i];
    return sum;
}

sar_status sar_mode_body(const sar_modes* m, int mode, sar_body_id body, sar_mode_motion* out)
{
    const sari_system* sys = m->linear->sys;
    const size_t nq = (size_t)sys->nq;
    if (mode < 0 || mode >= m->summary.modes || body.i < 0 || body.i >= sys->model->bodies_count)
        return SAR_E_ARG;
    double all = 0.0, own = 0.0;
    for (int part = 0; part < 2; part++) {
        const double* shape = m->shape + nq * (2 * (size_t)mode + (size_t)part);
        go_along(m, mode, part);
        for (int b = 1; b < sys->mechanism->bodies; b++) {
            const double energy = energy_of(sys, b);
            all += energy;
            own += b == body.i ? energy : 0.0;
        }
        sari_report_velocity(&m->simulation->seen, shape, body, out->velocity + 3 * part,
                             out->angular + 3 * part);
    }
    come_back(m);
    out->energy = all > 0.0 ? own / all : 0.0;
    return SAR_OK;
}

/* Velocity of a point of an end, and the spin of its body. */
static void end_motion(const sari_system* sys, const sar_end* end, double velocity[3], double w[3])
{
    const sari_mechanism* m = sys->mechanism;
    const int b = end->body.i, nx = m->nx;
    const double *X = sys->kinematics->X + nx * b, *Xd = sys->kinematics->Xd + nx * b;
    double R[9], arm[3], turn[3];
    for (int k = 0; k < 3; k++) velocity[k] = w[k] = 0.0;
    if (b == 0) return;
    sari_rotation_of(m, X, R);
    sari_spin_of(m, X, Xd, w);
    for (int k = 0; k < 3; k++) arm[k] = end->point[k] - m->model->bodies[b].def.center[k];
    sari_rotate(R, arm, arm);
    sari_cross(w, arm, turn);
    for (int k = 0; k < 3; k++) velocity[k] = (k < m->dimension ? Xd[k] : 0.0) + turn[k];
}

sar_status sar_mode_joint(const sar_modes* m, int mode, sar_joint_id joint, double* rotation,
                          double* displacement)
{
    const sari_system* sys = m->linear->sys;
    if (mode < 0 || mode >= m->summary.modes || joint.i < 0 || joint.i >= sys->model->joints_count)
        return SAR_E_ARG;
    const sari_joint* j = &sys->model->joints[joint.i];
    if (j->relation) return SAR_E_ARG;
    double turned = 0.0, moved = 0.0;
    for (int part = 0; part < 2; part++) {
        double v[2][3], w[2][3], dv[3], dw[3];
        go_along(m, mode, part);
        end_motion(sys, &j->pair.a, v[0], w[0]);
        end_motion(sys, &j->pair.b, v[1], w[1]);
        for (int k = 0; k < 3; k++) dv[k] = v[1][k] - v[0][k], dw[k] = w[1][k] - w[0][k];
        turned += sari_dot(dw, dw);
        moved += sari_dot(dv, dv);
    }
    come_back(m);
    *rotation = sqrt(turned);
    *displacement = m->simulation->units.length * sqrt(moved);
    return SAR_OK;
}
