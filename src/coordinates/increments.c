/* Reference-point coordinates with rotation increments: every body on its own, and positions that
 * are no vectors.
 *
 *   spatial  q_b = (x, y, z, unit quaternion e)   moves by d_b = (dx, dy, dz, theta):
 *            x + dx, e o exp(theta/2)             theta: rotation vector in body axes         (1)
 *
 * Velocities are (dx/dt, dy/dt, dz/dt, w), w the angular velocity in body axes, so the mass matrix
 * is constant, m and J of every body, and there is no normalisation to enforce. Derivatives are
 * those by d at d = 0; with the columns a_c = R e_c of the rotation
 *
 *   d a_c / d theta_i = R (e_i x e_c)                                                         (2)
 *
 *   d/d theta_j of (2) = R (e_j x (e_i x e_c)) = delta_jc a_i - delta_ij a_c                  (3)
 *
 * where (3), the derivative of (2) by where the body is, is not symmetric: rotations do not
 * commute. The point is the centre of mass. Planar bodies turn by a plain angle: the same as
 * `cartesian`. */
#include "base/memory.h"
#include "base/parallel.h"
#include "math/vec3.h"
#include "system/coordinates.h"

enum { CHANGE = 6, POSITION = 7 };

static const int span[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 6}, {3, 6}, {3, 6},
                                {3, 6}, {3, 6}, {3, 6}, {3, 6}, {3, 6}, {3, 6}};

typedef struct placing {
    const double* q;
    double* X;
} placing;

static void place_bodies(void* self, int first, int end)
{
    const placing* at = self;
    for (int b = first; b < end; b++) {
        const double* from = at->q + POSITION * b;
        double* to = at->X + 12 * (b + 1);
        const double w = from[3], x = from[4], y = from[5], z = from[6];
        const double xx = x * x, yy = y * y, zz = z * z, xy = x * y, xz = x * z, yz = y * z;
        const double wx = w * x, wy = w * y, wz = w * z;
        to[0] = from[0], to[1] = from[1], to[2] = from[2];
        to[3] = 1.0 - 2.0 * (yy + zz), to[4] = 2.0 * (xy + wz), to[5] = 2.0 * (xz - wy);
        to[6] = 2.0 * (xy - wz), to[7] = 1.0 - 2.0 * (xx + zz), to[8] = 2.0 * (yz + wx);
        to[9] = 2.0 * (xz + wy), to[10] = 2.0 * (yz - wx), to[11] = 1.0 - 2.0 * (xx + yy);
    }
}

static void place(const sari_coordinates* c, const double* q, double* X)
{
    placing at = {q, X};
    sari_parallel(c->threads, c->mechanism->bodies - 1, place_bodies, &at);
}

/* (2), (3) for the columns a of a rotation */
static void derivatives(sari_body_map* map, const double* a)
{
    for (int c = 0; c < 3; c++) {
        const int next = (c + 1) % 3, last = (c + 2) % 3;
        for (int k = 0; k < 3; k++) {
            const int row = 3 + 3 * c + k;
            map->T[CHANGE * row + 3 + next] = -a[3 * last + k];
            map->T[CHANGE * row + 3 + last] = a[3 * next + k];
            double* D2 = map->D2 + CHANGE * CHANGE * row + CHANGE * 3 + 3;
            D2[CHANGE * next + c] = a[3 * next + k];
            D2[CHANGE * last + c] = a[3 * last + k];
            D2[CHANGE * next + next] = D2[CHANGE * last + last] = -a[3 * c + k];
        }
    }
}

/* a_c' = W x a_c and, without acceleration, a_c'' = W w_c - w^2 a_c, W = R w */
static void rates(const sari_coordinates* c, const double* X, const double* v, double* Xd,
                  double* Xdd)
{
    for (int b = 1; b < c->mechanism->bodies; b++) {
        const double *u = v + CHANGE * (b - 1), *w = u + 3, *a = X + 12 * b + 3;
        double *one = Xd + 12 * b, *two = Xdd + 12 * b, W[3], square = sari_dot(w, w);
        for (int k = 0; k < 3; k++) {
            W[k] = a[k] * w[0] + a[3 + k] * w[1] + a[6 + k] * w[2];
            one[k] = u[k], two[k] = 0.0;
        }
        for (int i = 0; i < 3; i++) {
            sari_cross(W, a + 3 * i, one + 3 + 3 * i);
            for (int k = 0; k < 3; k++) two[3 + 3 * i + k] = W[k] * w[i] - square * a[3 * i + k];
        }
    }
}

static void update(sari_coordinates* c, const double* q, double* X)
{
    if (c->mechanism->dimension == 2) {
        sari_coordinates_cartesian.update(c, q, X);
        return;
    }
    place(c, q, X);
    for (int b = 1; b < c->mechanism->bodies; b++) derivatives(&c->body[b], X + 12 * b + 3);
}

/* Cosine, and sine by the angle, of the root of x; the series where it is short. */
static void cosine_and_sinc(double x, double* cosine, double* sinc)
{
    if (x > 0.25) {
        const double angle = sqrt(x);
        *cosine = cos(angle);
        *sinc = sin(angle) / angle;
        return;
    }
    // 1 - x/2! + x^2/4! - ..., 1 - x/3! + x^2/5! - ...
    static const double C[] = {1.0 / 2,         -1.0 / 24,        1.0 / 720,          -1.0 / 40320,
                               1.0 / 3628800.0, -1.0 / 479001600, 1.0 / 87178291200.0};
    static const double S[] = {
        1.0 / 6,          -1.0 / 120,          1.0 / 5040,           -1.0 / 362880,
        1.0 / 39916800.0, -1.0 / 6227020800.0, 1.0 / 1307674368000.0};
    const int terms = x > 0.01 ? 6 : 3; // beyond the first
    double even = C[terms], odd = S[terms];
    for (int k = terms - 1; k >= 0; k--) even = C[k] + x * even, odd = S[k] + x * odd;
    *cosine = 1.0 - x * even;
    *sinc = 1.0 - x * odd;
}

/* (1). Rounding of the norm is taken out each time. */
static void turn(const double e[4], const double theta[3], double* out)
{
    double w, sinc;
    cosine_and_sinc(0.25 * sari_dot(theta, theta), &w, &sinc);
    const double x = 0.5 * sinc * theta[0], y = 0.5 * sinc * theta[1], z = 0.5 * sinc * theta[2];
    const double p[4] = {
        e[0] * w - e[1] * x - e[2] * y - e[3] * z, e[0] * x + e[1] * w + e[2] * z - e[3] * y,
        e[0] * y - e[1] * z + e[2] * w + e[3] * x, e[0] * z + e[1] * y - e[2] * x + e[3] * w};
    const double unit =
        0.5 * (3.0 - (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])); // of 1/norm
    for (int k = 0; k < 4; k++) out[k] = unit * p[k];
}

typedef struct moving {
    const double *q0, *d;
    double* q;
} moving;

static void move_bodies(void* self, int first, int end)
{
    const moving* m = self;
    for (int b = first; b < end; b++) {
        const double *from = m->q0 + POSITION * b, *change = m->d + CHANGE * b;
        double* to = m->q + POSITION * b;
        for (int k = 0; k < 3; k++) to[k] = from[k] + change[k];
        turn(from + 3, change + 3, to + 3);
    }
}

static void move(const sari_coordinates* c, const double* q0, const double* d, double* q)
{
    moving m = {q0, d, q};
    if (c->mechanism->dimension == 2) {
        for (int i = 0; i < c->nq; i++) q[i] = q0[i] + d[i];
        return;
    }
    sari_parallel(c->threads, c->mechanism->bodies - 1, move_bodies, &m);
}

/* Rotation vector of the quaternion conj(e) o p: the shorter way round. */
static void turn_between(const double e[4], const double p[4], double theta[3])
{
    double w = e[0] * p[0] + e[1] * p[1] + e[2] * p[2] + e[3] * p[3];
    double v[3] = {e[0] * p[1] - e[1] * p[0] - e[2] * p[3] + e[3] * p[2],
                   e[0] * p[2] + e[1] * p[3] - e[2] * p[0] - e[3] * p[1],
                   e[0] * p[3] - e[1] * p[2] + e[2] * p[1] - e[3] * p[0]};
    double sine = sari_norm3(v), sign = w < 0.0 ? -1.0 : 1.0;
    double by_sine = sine > 1e-12 ? atan2(sine, sign * w) / sine : 1.0;
    for (int k = 0; k < 3; k++) theta[k] = 2.0 * sign * by_sine * v[k];
}

static void difference(const sari_coordinates* c, const double* q0, const double* q, double* d)
{
    if (c->mechanism->dimension == 2) {
        for (int i = 0; i < c->nq; i++) d[i] = q[i] - q0[i];
        return;
    }
    for (int b = 0; b < c->mechanism->bodies - 1; b++) {
        const double *from = q0 + POSITION * b, *to = q + POSITION * b;
        for (int k = 0; k < 3; k++) d[CHANGE * b + k] = to[k] - from[k];
        turn_between(from + 3, to + 3, d + CHANGE * b + 3);
    }
}

static void from_placement(const sari_coordinates* c, const double* X, const double* Xd,
                           const double* w, double* q, double* v)
{
    const sari_mechanism* m = c->mechanism;
    if (m->dimension == 2) {
        sari_coordinates_cartesian.from_placement(c, X, Xd, w, q, v);
        return;
    }
    for (int b = 1; b < m->bodies; b++) {
        double *at = q + POSITION * (b - 1), *rate = v + CHANGE * (b - 1), R[9];
        for (int k = 0; k < 3; k++) at[k] = X[12 * b + k], rate[k] = Xd[12 * b + k];
        sari_rotation_of(m, X + 12 * b, R);
        sari_quaternion_of_rotation(R, at + 3);
        sari_rotate_back(R, w + 3 * b, rate + 3);
    }
}

static sar_status create(sari_coordinates* c, sar_error* error)
{
    const sari_mechanism* m = c->mechanism;
    if (m->dimension == 2) return sari_coordinates_cartesian.create(c, error);
    c->nq = CHANGE * (m->bodies - 1);
    c->np = POSITION * (m->bodies - 1);
    c->spatial = 1;
    for (int b = 1; b < m->bodies; b++) {
        int q[CHANGE];
        for (int i = 0; i < CHANGE; i++) q[i] = CHANGE * (b - 1) + i;
        if (!sari_body_map_init(c, b, CHANGE, q, 1)) return SAR_E_NOMEM;
        c->body[b].span = span;
        for (int k = 0; k < 3; k++) c->body[b].T[CHANGE * k + k] = 1.0;
    }
    return SAR_OK;
}

const sari_coordinates_ops sari_coordinates_increments = {
    .name = "increments",
    .cite = "bruls2012 malczyk2018",
    .text = "centre of mass and orientation of every body, moved by rotation vectors (spatial)",
    .separate = 1,
    .create = create,
    .from_placement = from_placement,
    .place = place,
    .update = update,
    .rates = rates,
    .move = move,
    .difference = difference,
};
