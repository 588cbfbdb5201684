/* A force F at the point s (from the centre) of a body and a torque T, as forces on X = (r, a_x,
 * a_y, a_z):
 *
 *     on r: F;     on a_c: s_c F + 1/2 T x a_c                                                (1)
 *
 * because a_c turns by dtheta x a_c, so that sum_c (1/2 T x a_c) . (dtheta x a_c) = T . dtheta.
 * Planar, X = (x, y, c, s):
 *
 *     on c: s_x F_x + s_y F_y - s T,   on s: s_x F_y - s_y F_x + c T                          (2)
 *
 * The reaction on another body acts at the same place p:
 *
 *     -F and the moment -T - (p - r2) x F                                                     (3)
 *
 * Conversely the moment of forces G_c on the axes is
 *
 *     sum_c a_c x G_c                                                                         (4) */
#include "system/forces/loads.h"

#include "math/vec3.h"

static int is_zero(const double x[3])
{
    return x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0;
}

/* (1), (2): force F at the arm s fixed in the body, torque T. Without a torque X does not count. */
static void on_body(int d, const double* X, const double s[3], const double F[3], const double T[3],
                    double* out)
{
    if (is_zero(T)) {
        for (int k = 0; k < d; k++) out[k] = F[k];
        if (d == 2) out[2] = s[0] * F[0] + s[1] * F[1], out[3] = s[0] * F[1] - s[1] * F[0];
        for (int c = 0; d == 3 && c < 3; c++)
            for (int k = 0; k < 3; k++) out[3 + 3 * c + k] = s[c] * F[k];
        return;
    }
    if (d == 2) {
        out[0] = F[0], out[1] = F[1];
        out[2] = s[0] * F[0] + s[1] * F[1] - X[3] * T[2];
        out[3] = s[0] * F[1] - s[1] * F[0] + X[2] * T[2];
        return;
    }
    for (int k = 0; k < 3; k++) out[k] = F[k];
    for (int c = 0; c < 3; c++) {
        double turn[3];
        sari_cross(T, X + 3 + 3 * c, turn);
        for (int k = 0; k < 3; k++) out[3 + 3 * c + k] = s[c] * F[k] + 0.5 * turn[k];
    }
}

/* A vector given in body axes, in world axes. Bilinear in X and u. */
static void to_world(int d, const double* X, const double u[3], double out[3])
{
    if (d == 2) {
        out[0] = X[2] * u[0] - X[3] * u[1];
        out[1] = X[3] * u[0] + X[2] * u[1];
        out[2] = u[2];
        return;
    }
    for (int k = 0; k < 3; k++) out[k] = u[0] * X[3 + k] + u[1] * X[6 + k] + u[2] * X[9 + k];
}

static void arm_of(const sari_mechanism* m, const sar_load_def* def, double s[3])
{
    const double* center = m->model->bodies[def->body.i].def.center;
    for (int k = 0; k < 3; k++) s[k] = def->point[k] - center[k];
}

/* p - r2 from the placement (or its change) of both bodies */
static void lever(int d, const double* X1, const double* X2, const double s[3], double out[3])
{
    double arm[3] = {0};
    to_world(d, X1, s, arm);
    for (int k = 0; k < 3; k++) out[k] = k < d ? X1[k] + arm[k] - X2[k] : 0.0;
}

void sari_load_on_X(const sari_mechanism* m, const sar_load_def* def, const double* X,
                    const sari_load_action* action, double* out)
{
    int d = m->dimension, nx = m->nx;
    const double *X1 = X + nx * def->body.i, *X2 = X + nx * def->reaction.i;
    double F[3], T[3], s[3];
    memcpy(F, action->F, sizeof F);
    memcpy(T, action->T, sizeof T);
    if (def->in_body_axes) to_world(d, X1, action->F, F), to_world(d, X1, action->T, T);
    arm_of(m, def, s);
    on_body(d, X1, s, F, T, out);
    if (def->reaction.i == 0) return;
    double l[3], moment[3], zero[3] = {0}, minus[3] = {-F[0], -F[1], -F[2]};
    lever(d, X1, X2, s, l);
    sari_cross(l, F, moment);
    for (int k = 0; k < 3; k++) moment[k] = -T[k] - moment[k]; // (3)
    on_body(d, X2, zero, minus, moment, out + nx);
}

int sari_load_turns(const sar_load_def* def, const sari_load_action* action)
{
    return def->in_body_axes || !is_zero(action->T);
}

unsigned sari_load_turn(const sari_mechanism* m, const sar_load_def* def, const double* X,
                        const sari_load_action* action, const double* dX, double* out)
{
    const int d = m->dimension, nx = m->nx;
    const double *X1 = X + nx * def->body.i, *X2 = X + nx * def->reaction.i;
    const double *dX1 = dX, *dX2 = dX + nx;
    double F[3], T[3], dF[3] = {0}, dT[3] = {0}, s[3], zero[3] = {0}, part[12];
    unsigned changed = 0;
    memcpy(F, action->F, sizeof F);
    memcpy(T, action->T, sizeof T);
    if (def->in_body_axes) { // the planar z part does not turn
        to_world(d, X1, action->F, F), to_world(d, X1, action->T, T);
        to_world(d, dX1, action->F, dF), to_world(d, dX1, action->T, dT);
        if (d == 2) dT[2] = 0.0;
    }
    arm_of(m, def, s);
    if (sari_load_turns(def, action)) {
        on_body(d, X1, s, dF, dT, out);
        on_body(d, dX1, zero, zero, T, part);
        for (int a = 0; a < nx; a++) out[a] += part[a];
        changed = 1;
    }
    if (def->reaction.i == 0) return changed;
    double l[3], dl[3], a[3], b[3], moment[3], d_moment[3], minus[3] = {-dF[0], -dF[1], -dF[2]};
    lever(d, X1, X2, s, l);
    lever(d, dX1, dX2, s, dl);
    sari_cross(l, F, moment);
    sari_cross(dl, F, a);
    sari_cross(l, dF, b);
    for (int k = 0; k < 3; k++) {
        moment[k] = -T[k] - moment[k];
        d_moment[k] = -dT[k] - a[k] - b[k];
    }
    on_body(d, X2, zero, minus, d_moment, out + nx);
    on_body(d, dX2, zero, zero, moment, part);
    for (int k = 0; k < nx; k++) out[nx + k] += part[k];
    return changed | 2u;
}

void sari_wrench_of(const sari_mechanism* m, const double* X_b, const double* G, double wrench[6])
{
    for (int k = 0; k < 6; k++) wrench[k] = 0.0;
    if (m->dimension == 2) {
        wrench[0] = G[0], wrench[1] = G[1];
        wrench[5] = X_b[2] * G[3] - X_b[3] * G[2];
        return;
    }
    for (int k = 0; k < 3; k++) wrench[k] = G[k];
    for (int c = 0; c < 3; c++) { // (4)
        double moment[3];
        sari_cross(X_b + 3 + 3 * c, G + 3 + 3 * c, moment);
        for (int k = 0; k < 3; k++) wrench[3 + k] += moment[k];
    }
}
