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
 * Balls that roll (mechanism.h) are turned in world axes instead, exp(theta/2) o e, with w in world
 * axes: their inertia is the same, and
 *
 *   d a_c / d theta_i = e_i x a_c,   d/d theta_j of it = e_i x (e_j x a_c)                    (4)
 *
 * where (3), the derivative of (2) by where the body is, is not symmetric: rotations do not
 * commute. Methods that integrate e as four numbers use its rates, see rotation.h. The point is the
 * centre of mass. Planar bodies turn by a plain angle: the same as `cartesian`. */
#include "base/memory.h"
#include "base/parallel.h"
#include "math/rotation.h"
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

/* (4) */
static void outer_derivatives(sari_body_map* map, const double* a)
{
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++) {
            const double unit[3] = {i == 0, i == 1, i == 2}, *column = a + 3 * c;
            double turned[3];
            sari_cross(unit, column, turned);
            for (int k = 0; k < 3; k++) {
                const int row = 3 + 3 * c + k;
                double* D2 = map->D2 + CHANGE * (CHANGE * row + 3 + i) + 3;
                map->T[CHANGE * row + 3 + i] = turned[k];
                for (int j = 0; j < 3; j++)
                    D2[j] = (j == k ? column[i] : 0.0) - (i == j ? column[k] : 0.0);
            }
        }
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
    for (int b = 1; b < c->mechanism->bodies; b++)
        (c->mechanism->ball[b] ? outer_derivatives : derivatives)(&c->body[b], X + 12 * b + 3);
}

typedef struct moving {
    const double *q0, *d;
    double* q;
    const char* ball;
} moving;

static void move_bodies(void* self, int first, int end)
{
    const moving* m = self;
    for (int b = first; b < end; b++) {
        const double *from = m->q0 + POSITION * b, *change = m->d + CHANGE * b;
        double* to = m->q + POSITION * b;
        for (int k = 0; k < 3; k++) to[k] = from[k] + change[k];
        if (m->ball[b + 1])
            sari_turn_outer(from + 3, change + 3, to + 3);
        else
            sari_turn(from + 3, change + 3, to + 3);
    }
}

static void move(const sari_coordinates* c, const double* q0, const double* d, double* q)
{
    moving m = {q0, d, q, c->mechanism->ball};
    if (c->mechanism->dimension == 2) {
        for (int i = 0; i < c->nq; i++) q[i] = q0[i] + d[i];
        return;
    }
    sari_parallel(c->threads, c->mechanism->bodies - 1, move_bodies, &m);
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
        (c->mechanism->ball[b + 1] ? sari_turn_between_outer
                                   : sari_turn_between)(from + 3, to + 3, d + CHANGE * b + 3);
    }
}

static void position_rates(const sari_coordinates* c, const double* q, const double* v,
                           double* qdot)
{
    if (c->mechanism->dimension == 2) {
        for (int i = 0; i < c->nq; i++) qdot[i] = v[i];
        return;
    }
    for (int b = 0; b < c->mechanism->bodies - 1; b++) {
        const double *e = q + POSITION * b + 3, *w = v + CHANGE * b + 3;
        double *to = qdot + POSITION * b, *rate = to + 3;
        for (int k = 0; k < 3; k++) to[k] = v[CHANGE * b + k];
        (c->mechanism->ball[b + 1] ? sari_quaternion_rate_outer : sari_quaternion_rate)(e, w, rate);
    }
}

static void velocities(const sari_coordinates* c, const double* q, const double* qdot, double* v)
{
    if (c->mechanism->dimension == 2) {
        for (int i = 0; i < c->nq; i++) v[i] = qdot[i];
        return;
    }
    for (int b = 0; b < c->mechanism->bodies - 1; b++) {
        const double *e = q + POSITION * b + 3, *rate = qdot + POSITION * b;
        double* to = v + CHANGE * b;
        for (int k = 0; k < 3; k++) to[k] = rate[k];
        (c->mechanism->ball[b + 1] ? sari_quaternion_spin_outer : sari_quaternion_spin)(e, rate + 3,
                                                                                        to + 3);
    }
}

static void normalise(const sari_coordinates* c, double* q)
{
    if (c->mechanism->dimension == 2) return;
    for (int b = 0; b < c->mechanism->bodies - 1; b++)
        sari_quaternion_normalise(q + POSITION * b + 3);
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
        if (m->ball[b])
            memcpy(rate + 3, w + 3 * b, 3 * sizeof *rate);
        else
            sari_rotate_back(R, w + 3 * b, rate + 3);
    }
}

static sar_status create(sari_coordinates* c, sar_error* error)
{
    const sari_mechanism* m = c->mechanism;
    if (m->dimension == 2) return sari_coordinates_cartesian.create(c, error);
    c->nq = CHANGE * (m->bodies - 1);
    c->np = POSITION * (m->bodies - 1);
    c->evaluator = &sari_evaluator_free;
    c->turns = SARI_TAKE(&c->memory, int, c->nq);
    if (!c->turns) return SAR_E_NOMEM;
    for (int b = 1; b < m->bodies; b++) {
        int q[CHANGE];
        for (int i = 0; i < CHANGE; i++) q[i] = CHANGE * (b - 1) + i;
        if (!sari_body_map_init(c, b, CHANGE, q, 1)) return SAR_E_NOMEM;
        c->body[b].span = span;
        for (int k = 0; k < 3; k++) c->body[b].T[CHANGE * k + k] = 1.0;
        c->turns[q[3]] = m->ball[b] ? -1 : 1;
        if (m->ball[b]) c->evaluator = &sari_evaluator_chain;
    }
    return SAR_OK;
}

static void resemble(const sari_coordinates* c, const double* like, double* q, double* v)
{
    if (c->mechanism->dimension == 2) sari_coordinates_cartesian.resemble(c, like, q, v);
}

const sari_coordinates_ops sari_coordinates_increments = {
    .name = "increments",
    .cite = "bruls2012 malczyk2018",
    .text = "centre of mass and orientation of every body, moved by rotation vectors (spatial)",
    .separate = 1,
    .create = create,
    .from_placement = from_placement,
    .resemble = resemble,
    .place = place,
    .update = update,
    .rates = rates,
    .move = move,
    .difference = difference,
    .position_rates = position_rates,
    .velocities = velocities,
    .normalise = normalise,
};
