/* Reference-point coordinates: every body on its own.
 *
 *   planar   q_b = (x, y, phi)                    X_b = (x, y, cos phi, sin phi)
 *   spatial  q_b = (x, y, z, e0, e1, e2, e3)      X_b = (x, y, z, columns of A(e))          (1)
 *            e'e - 1 = 0                                                                    (2)
 *
 * The point is the centre of mass. A(e) is the homogeneous quadratic form of the Euler parameters
 * [nikravesh1988]: an entry is 1/2 e'D e with constant D, so its derivative is D e. The mass matrix
 * that follows, T' M_X T, equals the usual 4 L'J L on motions that respect (2) and is regular off
 * them too. */
#include "base/memory.h"
#include "math/functions.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "system/coordinates.h"

/* D of (1) for the entries of the columns a_x, a_y, a_z: second derivatives of the quadratic forms
 * by (w, x, y, z). */
// clang-format off
static const signed char D[9][4][4] = {
    {{ 2, 0, 0, 0}, { 0, 2, 0, 0}, { 0, 0,-2, 0}, { 0, 0, 0,-2}},
    {{ 0, 0, 0, 2}, { 0, 0, 2, 0}, { 0, 2, 0, 0}, { 2, 0, 0, 0}},
    {{ 0, 0,-2, 0}, { 0, 0, 0, 2}, {-2, 0, 0, 0}, { 0, 2, 0, 0}},
    {{ 0, 0, 0,-2}, { 0, 0, 2, 0}, { 0, 2, 0, 0}, {-2, 0, 0, 0}},
    {{ 2, 0, 0, 0}, { 0,-2, 0, 0}, { 0, 0, 2, 0}, { 0, 0, 0,-2}},
    {{ 0, 2, 0, 0}, { 2, 0, 0, 0}, { 0, 0, 0, 2}, { 0, 0, 2, 0}},
    {{ 0, 0, 2, 0}, { 0, 0, 0, 2}, { 2, 0, 0, 0}, { 0, 2, 0, 0}},
    {{ 0,-2, 0, 0}, {-2, 0, 0, 0}, { 0, 0, 0, 2}, { 0, 0, 2, 0}},
    {{ 2, 0, 0, 0}, { 0,-2, 0, 0}, { 0, 0,-2, 0}, { 0, 0, 0, 2}},
};
// clang-format on

/* Columns of T that are not zero, row by row. */
static const int planar_span[4][2] = {{0, 1}, {1, 2}, {2, 3}, {2, 3}};
static const int spatial_span[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 7}, {3, 7}, {3, 7},
                                        {3, 7}, {3, 7}, {3, 7}, {3, 7}, {3, 7}, {3, 7}};

static void update_spatial(sari_body_map* map, const double* q_b, double* X)
{
    const double* e = q_b + 3;
    for (int k = 0; k < 3; k++) X[k] = q_b[k];
    for (int a = 0; a < 9; a++) {
        double* row = map->T + 7 * (3 + a) + 3;
        double twice = 0.0;
        for (int i = 0; i < 4; i++) {
            row[i] = D[a][i][0] * e[0] + D[a][i][1] * e[1] + D[a][i][2] * e[2] + D[a][i][3] * e[3];
            twice += row[i] * e[i];
        }
        X[3 + a] = 0.5 * twice; // (1)
    }
}

static void update_planar(sari_body_map* map, const double* q_b, double* X)
{
    double c, s;
    sari_sine_cosine(q_b[2], &s, &c);
    X[0] = q_b[0], X[1] = q_b[1], X[2] = c, X[3] = s;
    map->T[3 * 2 + 2] = -s, map->T[3 * 3 + 2] = c;
    map->D2[9 * 2 + 8] = -c, map->D2[9 * 3 + 8] = -s;
}

static void update(sari_coordinates* c, const double* q, double* X)
{
    int nx = c->mechanism->nx;
    for (int b = 1; b < c->mechanism->bodies; b++) {
        sari_body_map* map = &c->body[b];
        if (nx == 12)
            update_spatial(map, q + map->q[0], X + nx * b);
        else
            update_planar(map, q + map->q[0], X + nx * b);
    }
}

/* Angular velocity to rates of the Euler parameters: edot = 1/2 (0, w) o e, w in world axes. */
static void euler_rates(const double* w, const double* e, double* rate)
{
    double cross[3];
    sari_cross(w, e + 1, cross);
    rate[0] = -0.5 * sari_dot(w, e + 1);
    for (int k = 0; k < 3; k++) rate[1 + k] = 0.5 * (e[0] * w[k] + cross[k]);
}

static void body_from_placement(const sari_mechanism* m, const double* X, const double* Xd,
                                const double* w, double* q, double* v)
{
    for (int k = 0; k < m->dimension; k++) q[k] = X[k], v[k] = Xd[k];
    if (m->dimension == 2) {
        q[2] = sari_atan2(X[3], X[2]), v[2] = w[2];
        return;
    }
    double R[9];
    sari_rotation_of(m, X, R);
    sari_quaternion_of_rotation(R, q + 3);
    euler_rates(w, q + 3, v + 3);
}

static void from_placement(const sari_coordinates* c, const double* X, const double* Xd,
                           const double* w, double* q, double* v)
{
    const sari_mechanism* m = c->mechanism;
    for (int b = 1; b < m->bodies; b++) {
        int first = c->body[b].q[0];
        body_from_placement(m, X + m->nx * b, Xd + m->nx * b, w + 3 * b, q + first, v + first);
    }
}

static void resemble(const sari_coordinates* c, const double* like, double* q, double* v)
{
    const sari_mechanism* m = c->mechanism;
    for (int b = 1; b < m->bodies; b++) {
        const int at = c->body[b].q[0] + m->dimension;
        double along = 0.0;
        if (m->dimension == 2) {
            q[at] = sari_angle_near(q[at], like[at]);
            continue;
        }
        for (int k = at; k < at + 4; k++) along += q[k] * like[k];
        for (int k = at; along < 0.0 && k < at + 4; k++) q[k] = -q[k], v[k] = -v[k];
    }
}

static int add_normalisation(sari_coordinates* c, int b)
{
    if (sari_polynomials_new(&c->own) < 0) return 0;
    for (int i = 3; i < 7; i++) {
        sari_affine e = {.n = 1, .index = {c->body[b].q[i]}, .coefficient = {1.0}};
        if (!sari_polynomials_add_product(&c->own, 1.0, &e, &e)) return 0;
    }
    sari_polynomials_add_constant(&c->own, -1.0); // (2)
    return sari_coordinates_own(c, b);
}

static sar_status create(sari_coordinates* c, sar_error* error)
{
    (void)error; // running out of memory is reported by the caller
    const sari_mechanism* m = c->mechanism;
    int per_body = m->dimension == 3 ? 7 : 3;
    c->nq = per_body * (m->bodies - 1);
    for (int b = 1; b < m->bodies; b++) {
        int q[7];
        for (int i = 0; i < per_body; i++) q[i] = per_body * (b - 1) + i;
        if (!sari_body_map_init(c, b, per_body, q, 1)) return SAR_E_NOMEM;
        sari_body_map* map = &c->body[b];
        map->span = m->dimension == 3 ? spatial_span : planar_span;
        for (int k = 0; k < m->dimension; k++) map->T[per_body * k + k] = 1.0;
        for (int a = 0; per_body == 7 && a < 9; a++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    map->D2[49 * (3 + a) + 7 * (3 + i) + 3 + j] = D[a][i][j];
        if (per_body == 7 && !add_normalisation(c, b)) return SAR_E_NOMEM;
    }
    return SAR_OK;
}

const sari_coordinates_ops sari_coordinates_cartesian = {
    .name = "cartesian",
    .cite = "nikravesh1988",
    .text = "centre of mass and angle (planar) or Euler parameters (spatial) of every body",
    .separate = 1,
    .create = create,
    .from_placement = from_placement,
    .resemble = resemble,
    .update = update,
};
