/* What bodies and joints do in a mode. */
#include "analysis/modes.h"

#include "math/vec3.h"

#include <math.h>

/* Rates of placements along the real (0) or imaginary (1) part of a mode; `X` of all are the same. */
static const double* rates_of(const sar_modes* m, int mode, int part)
{
    const sari_mechanism* mechanism = m->linear->sys->mechanism;
    const size_t size = (size_t)(mechanism->nx * mechanism->bodies);
    return m->rates + size * (1 + 2 * (size_t)mode + (size_t)part);
}

/* Twice the kinetic energy of a body. */
static double energy_of(const sari_mechanism* m, int b, const double* Xd)
{
    const int nx = m->nx;
    double p[12], sum = 0.0;
    sari_inertia_times(m, b, Xd, p);
    for (int i = 0; i < nx; i++) sum += p[i] * Xd[i];
    return sum;
}

/* Velocity of a point of an end, and the spin of its body. */
static void end_motion(const sari_mechanism* m, const sar_end* end, const double* all_X,
                       const double* rates, double velocity[3], double w[3])
{
    const int b = end->body.i, nx = m->nx;
    const double *X = all_X + nx * b, *Xd = rates + nx * b;
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

sar_status sar_mode_body(const sar_modes* m, int mode, sar_body_id body, sar_mode_motion* out)
{
    const sari_system* sys = m->linear->sys;
    const sari_mechanism* mechanism = sys->mechanism;
    const int nx = mechanism->nx;
    if (mode < 0 || mode >= m->summary.modes || body.i < 0 || body.i >= sys->model->bodies_count)
        return SAR_E_ARG;
    const sar_end origin = {.body = body};
    double all = 0.0, own = 0.0;
    for (int part = 0; part < 2; part++) {
        const double* Xd = rates_of(m, mode, part);
        double* velocity = out->velocity + 3 * part;
        for (int b = 1; b < mechanism->bodies; b++) {
            const double energy = energy_of(mechanism, b, Xd + nx * b);
            all += energy;
            own += b == body.i ? energy : 0.0;
        }
        end_motion(mechanism, &origin, m->rates, Xd, velocity, out->angular + 3 * part);
        for (int i = 0; i < 3; i++) velocity[i] *= m->simulation->units.length;
    }
    out->energy = all > 0.0 ? own / all : 0.0;
    return SAR_OK;
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
        const double* Xd = rates_of(m, mode, part);
        end_motion(sys->mechanism, &j->pair.a, m->rates, Xd, v[0], w[0]);
        end_motion(sys->mechanism, &j->pair.b, m->rates, Xd, v[1], w[1]);
        for (int k = 0; k < 3; k++) dv[k] = v[1][k] - v[0][k], dw[k] = w[1][k] - w[0][k];
        turned += sari_dot(dw, dw);
        moved += sari_dot(dv, dv);
    }
    *rotation = sqrt(turned);
    *displacement = m->simulation->units.length * sqrt(moved);
    return SAR_OK;
}
