#include "import/pose.h"

#include "math/functions.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <string.h>

const sari_pose SARI_POSE_IDENTITY = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

sari_pose sari_pose_times(const sari_pose* a, const sari_pose* b)
{
    sari_pose out;
    sari_multiply3(a->R, b->R, out.R);
    sari_pose_point(a, b->p, out.p);
    return out;
}

sari_pose sari_pose_inverse(const sari_pose* a)
{
    sari_pose out;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out.R[3 * i + j] = a->R[3 * j + i];
    sari_rotate(out.R, a->p, out.p);
    for (int k = 0; k < 3; k++) out.p[k] = -out.p[k];
    return out;
}

sari_pose sari_pose_between(const sari_pose* a, const sari_pose* b)
{
    const sari_pose back = sari_pose_inverse(a);
    return sari_pose_times(&back, b);
}

void sari_pose_point(const sari_pose* a, const double x[3], double out[3])
{
    double v[3];
    sari_rotate(a->R, x, v);
    for (int k = 0; k < 3; k++) out[k] = a->p[k] + v[k];
}

sari_pose sari_pose_shift(const double p[3])
{
    sari_pose out = SARI_POSE_IDENTITY;
    memcpy(out.p, p, sizeof out.p);
    return out;
}

/* ---- rotations ------------------------------------------------------------------------------ */

/* Yaw first, from what may be small; roll from the rotation without it, which is not. */
void sari_pose_angles(const double R[9], double rpy[3])
{
    const double flat = sari_hypot(R[0], R[3]);
    const double yaw = flat > 0.0 ? sari_atan2(R[3], R[0]) : 0.0;
    const double c = sari_cos(yaw), s = sari_sin(yaw);
    rpy[0] = sari_atan2(s * R[2] - c * R[5], c * R[4] - s * R[1]);
    rpy[1] = sari_atan2(-R[6], c * R[0] + s * R[3]);
    rpy[2] = yaw;
}

bool sari_pose_normalise(double v[3])
{
    const double most = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    if (!(most > 0.0) || !isfinite(most)) return false;
    for (int k = 0; k < 3; k++) v[k] /= most;
    const double length = sari_norm3(v);
    for (int k = 0; k < 3; k++) v[k] /= length;
    return true;
}

bool sari_pose_quaternion(const double q[4], double R[9])
{
    double most = 0.0, sum = 0.0, unit[4];
    for (int k = 0; k < 4; k++) most = fmax(most, fabs(q[k]));
    if (!(most > 0.0) || !isfinite(most)) return false;
    for (int k = 0; k < 4; k++) sum += (q[k] / most) * (q[k] / most);
    for (int k = 0; k < 4; k++) unit[k] = q[k] / most / sqrt(sum);
    sari_rotation_of_quaternion(unit, R);
    return true;
}

void sari_pose_about(const double axis[3], double angle, double R[9])
{
    double u[3] = {axis[0], axis[1], axis[2]};
    if (!sari_pose_normalise(u)) {
        memcpy(R, SARI_POSE_IDENTITY.R, sizeof SARI_POSE_IDENTITY.R);
        return;
    }
    const double s = sari_sin(angle / 2);
    const double q[4] = {sari_cos(angle / 2), s * u[0], s * u[1], s * u[2]};
    sari_rotation_of_quaternion(q, R);
}

void sari_pose_across(const double u[3], double out[3])
{
    int least = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(u[k]) < fabs(u[least])) least = k;
    double other[3] = {0};
    other[least] = 1.0;
    sari_cross(u, other, out);
    (void)sari_pose_normalise(out);
}

/* ---- inertia -------------------------------------------------------------------------------- */

static const int ROW[] = {0, 1, 2, 0, 0, 1}, COLUMN[] = {0, 1, 2, 1, 2, 2}; // xx yy zz xy xz yz

static void full(const double I[6], double A[9])
{
    for (int k = 0; k < 6; k++) A[3 * ROW[k] + COLUMN[k]] = A[3 * COLUMN[k] + ROW[k]] = I[k];
}

void sari_inertia_rotate(const double R[9], double I[6])
{
    double A[9], turned[9], transposed[9];
    full(I, A);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) transposed[3 * i + j] = R[3 * j + i];
    sari_multiply3(R, A, turned);
    sari_multiply3(turned, transposed, turned);
    for (int k = 0; k < 6; k++) I[k] = turned[3 * ROW[k] + COLUMN[k]];
}

/* Steiner: I += m (d'd 1 - d d') */
static void add_offset(double m, const double d[3], double I[6])
{
    const double dd = sari_dot(d, d);
    for (int k = 0; k < 6; k++) I[k] += m * ((k < 3 ? dd : 0.0) - d[ROW[k]] * d[COLUMN[k]]);
}

void sari_inertia_add(double* mass, double center[3], double I[6], double m, const double c[3],
                      const double J[6])
{
    const double sum = *mass + m;
    double g[3] = {0}, d[3];
    if (sum > 0.0)
        for (int k = 0; k < 3; k++) g[k] = (*mass * center[k] + m * c[k]) / sum;
    for (int k = 0; k < 3; k++) d[k] = center[k] - g[k];
    add_offset(*mass, d, I);
    for (int k = 0; k < 3; k++) d[k] = c[k] - g[k];
    add_offset(m, d, I);
    for (int k = 0; k < 6; k++) I[k] += J[k];
    *mass = sum;
    if (sum > 0.0) memcpy(center, g, sizeof g);
}

/* Jacobi's method: a few sweeps make 3 x 3 diagonal. */
void sari_inertia_moments(const double I[6], double moment[3])
{
    double A[9];
    full(I, A);
    for (int sweep = 0; sweep < 12; sweep++)
        for (int k = 0; k < 3; k++) {
            const int p = k == 2 ? 1 : 0, q = k == 0 ? 1 : 2;
            if (A[3 * p + q] == 0.0) continue;
            const double theta = 0.5 * sari_atan2(2 * A[3 * p + q], A[4 * p] - A[4 * q]);
            double G[9], Gt[9];
            memcpy(G, SARI_POSE_IDENTITY.R, sizeof G);
            G[4 * p] = G[4 * q] = sari_cos(theta);
            G[3 * p + q] = -sari_sin(theta), G[3 * q + p] = sari_sin(theta);
            for (int i = 0; i < 9; i++) Gt[i] = G[3 * (i % 3) + i / 3];
            sari_multiply3(Gt, A, A);
            sari_multiply3(A, G, A);
        }
    for (int k = 0; k < 3; k++) moment[k] = A[4 * k];
}
