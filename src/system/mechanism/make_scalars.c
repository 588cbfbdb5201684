/* The scalars of a configuration: what joints are driven by, forces act along and signals show. */
#include "system/mechanism/mechanism_parts.h"

#include "base/memory.h"
#include "math/functions.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

static int add_scalar(sari_mechanism* m, sari_scalar_kind kind, int a, int b)
{
    if (a < 0 || b < 0) return -1;
    if (!sari_grow((void**)&m->scalars, m->scalars_count, &m->scalars_capacity, sizeof *m->scalars))
        return -1;
    m->scalars[m->scalars_count] = (sari_scalar){.kind = kind, .a = a, .b = b, .joint = -1};
    return m->scalars_count++;
}

static int add_angle(sari_mechanism* m, int a, int b, const sari_rotation* of)
{
    const int scalar = add_scalar(m, SARI_SCALAR_ANGLE, a, b);
    if (scalar >= 0) m->scalars[scalar].rotation = *of;
    return scalar;
}

/* atan2(o_a . w_b, n_a . w_b): turn of the direction w_b, fixed in b's body, from a's normal about
 * a's axis; with sense = -1 the turn of a's frame from w_b. */
static int add_turn(sari_mechanism* m, const sar_end* a, double sense, const sar_end* b,
                    const double w[3])
{
    double o[3];
    sari_third_direction(m, a, o);
    for (int k = 0; k < 3; k++) o[k] *= sense;
    int s = m->poly.count;
    if (!sari_new_dot(m, a, o, b, w) || !sari_new_dot(m, a, a->normal, b, w)) return -1;
    sari_rotation of = {a->body.i, b->body.i, a->body.i, {0, 0, 1}};
    if (m->dimension == 3) memcpy(of.axis, a->axis, sizeof of.axis);
    if (sense < 0.0) of.from = b->body.i, of.of = a->body.i;
    return add_angle(m, s, s + 1, &of);
}

int sari_scalar_angle(sari_mechanism* m, const sar_end* a, const sar_end* b)
{
    return add_turn(m, a, 1.0, b, b->normal);
}

int sari_scalar_offset(sari_mechanism* m, const sar_end* a, const sar_end* b, const double u[3])
{
    int p = m->poly.count;
    return sari_new_offset(m, a, b, u) ? add_scalar(m, SARI_SCALAR_PLAIN, p, 0) : -1;
}

int sari_scalar_dot(sari_mechanism* m, const sar_end* a, const double u[3], const sar_end* b,
                    const double w[3])
{
    int p = m->poly.count;
    return sari_new_dot(m, a, u, b, w) ? add_scalar(m, SARI_SCALAR_PLAIN, p, 0) : -1;
}

int sari_scalar_sine(sari_mechanism* m, const sar_end* a, const double u[3], const sar_end* b,
                     const double w[3])
{
    int p = m->poly.count;
    return sari_new_dot(m, a, u, b, w) ? add_scalar(m, SARI_SCALAR_COMPLEMENT, p, 0) : -1;
}

int sari_scalar_distance(sari_mechanism* m, const sar_end* a, const sar_end* b)
{
    int p = m->poly.count;
    return sari_new_distance(m, a, b) ? add_scalar(m, SARI_SCALAR_ROOT, p, 0) : -1;
}

/* A universal joint takes a to b by the turn `angle` about a's axis u_a and then `angle2` about
 * b's, u_b. The first brings u_b from n_a to where it is; the second leaves u_b where it is and
 * takes n_b from u_a: seen from b, u_a turns by -angle2 from n_b.
 *
 * The axis of a plane is its normal: displacements are along the two other directions of a. */
int sari_coordinate_scalar(sari_mechanism* m, int joint, sar_coordinate coordinate)
{
    const sari_joint* j = &m->model->joints[joint];
    const sar_end *a = &m->pair[joint].a, *b = &m->pair[joint].b;
    const sari_joint_form* form = sari_form_of(&m->pair[joint], m->dimension);
    double o[3];
    const sar_end* own = j->relation ? sari_joint_ends(j) : NULL;
    if (own) a = &own[0], b = &own[1];
    switch (coordinate) {
    case SAR_COORD_ANGLE:
        return add_turn(m, a, 1.0, b,
                        sari_form_has(form, SARI_PERPENDICULAR) ? b->axis : b->normal);
    case SAR_COORD_ANGLE_2:
        return add_turn(m, b, -1.0, a, a->axis);
    case SAR_COORD_DISPLACEMENT:
        return sari_scalar_offset(m, a, b,
                                  sari_form_has(form, SARI_ON_PLANE) ? a->normal : a->axis);
    case SAR_COORD_DISPLACEMENT_2:
        sari_third_direction(m, a, o);
        return sari_scalar_offset(m, a, b, o);
    case SAR_COORD_DISTANCE:
        return sari_scalar_distance(m, a, b);
    }
    return -1;
}

int sari_scalar_of_joint(sari_mechanism* m, int joint, sar_coordinate coordinate)
{
    int scalar = sari_coordinate_scalar(m, joint, coordinate);
    if (scalar < 0) return -1;
    m->scalars[scalar].joint = joint;
    m->scalars[scalar].coordinate = coordinate;
    return scalar;
}

int sari_scalar_from_curve(sari_mechanism* m, int joint)
{
    const sar_end *a = &m->pair[joint].a, *b = &m->pair[joint].b;
    const int p = m->poly.count;
    double o[3];
    sari_third_direction(m, a, o);
    if (!sari_new_offset(m, a, b, a->normal) || !sari_new_offset(m, a, b, o)) return -1;
    const int scalar = add_scalar(m, SARI_SCALAR_CURVE, p, p + 1);
    if (scalar < 0) return -1;
    m->scalars[scalar].curve = &m->model->joints[joint].curve;
    m->scalars[scalar].last = NAN;
    return scalar;
}

/* ---- components, directions, rotations ------------------------------------------------------ */

int sari_scalar_plain(sari_mechanism* m, int poly)
{
    return add_scalar(m, SARI_SCALAR_PLAIN, poly, 0);
}

int sari_scalar_component(sari_mechanism* m, int body, const double point[3], int k)
{
    sari_affine p = sari_point_affine(m, body, point, k);
    int poly = sari_polynomials_new(&m->poly);
    return poly >= 0 && sari_polynomials_add_affine(&m->poly, 1.0, &p) ? sari_scalar_plain(m, poly)
                                                                       : -1;
}

int sari_scalar_state(sari_mechanism* m)
{
    return add_scalar(m, SARI_SCALAR_STATE, m->states++, 0);
}

static const double AXIS[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static int new_affine(sari_mechanism* m, const sari_affine* p)
{
    const int poly = sari_polynomials_new(&m->poly);
    return poly >= 0 && sari_polynomials_add_affine(&m->poly, 1.0, p) ? poly : -1;
}

static int new_direction(sari_mechanism* m, int body, const double u[3], int k)
{
    const sari_affine p = sari_axis_affine(m, body, u, k);
    return new_affine(m, &p);
}

int sari_scalar_direction(sari_mechanism* m, int body, const double u[3], int k)
{
    const int poly = new_direction(m, body, u, k);
    return poly >= 0 ? sari_scalar_plain(m, poly) : -1;
}

/* To the last polynomial: weight a_i . b_j, entry ij of the rotation R of b seen from a. */
static int add_entry(sari_mechanism* m, const sari_triad* a, const sari_triad* b, int i, int j,
                     double weight)
{
    double u[3], w[3];
    for (int k = 0; k < 3; k++) u[k] = weight * a->R[3 * k + i], w[k] = b->R[3 * k + j];
    return sari_add_dot(m, a->body, u, b->body, w);
}

static int new_entry(sari_mechanism* m, const sari_triad* a, const sari_triad* b, int i, int j,
                     double sign)
{
    const int p = sari_polynomials_new(&m->poly);
    return p >= 0 && add_entry(m, a, b, i, j, sign) ? p : -1;
}

/* R = R_i(t1) R_j(t2) R_k(t3). With e = +1 where (i, j, l) is a right-handed triple, l the third axis,
 *
 *     i != k:  sin t2 = e R_ik,  tan t1 = -e R_jk/R_kk,  tan t3 = -e R_ij/R_ii
 *     i == k:  cos t2 = R_ii,    tan t1 = R_ji/(-e R_li), tan t3 = R_ij/(e R_il) */
int sari_scalar_turn(sari_mechanism* m, const sari_triad* a, const sari_triad* b,
                     const char* sequence, int n)
{
    const int i = sequence[0] - 'x', j = sequence[1] - 'x', k = sequence[2] - 'x', l = 3 - i - j;
    const double e = j == (i + 1) % 3 ? 1.0 : -1.0;
    if (n == 1) {
        const int p = i != k ? new_entry(m, a, b, i, k, e) : new_entry(m, a, b, i, i, -1.0);
        const int scalar = p >= 0 ? add_scalar(m, SARI_SCALAR_ARC, p, 0) : -1;
        if (scalar >= 0 && i == k) m->scalars[scalar].zero = 0.5 * sari_acos(-1.0);
        return scalar;
    }
    int y, x;
    if (i != k) {
        y = n ? new_entry(m, a, b, i, j, -e) : new_entry(m, a, b, j, k, -e);
        x = n ? new_entry(m, a, b, i, i, 1.0) : new_entry(m, a, b, k, k, 1.0);
    } else {
        y = n ? new_entry(m, a, b, i, j, 1.0) : new_entry(m, a, b, j, i, 1.0);
        x = n ? new_entry(m, a, b, i, l, e) : new_entry(m, a, b, l, i, -e);
    }
    sari_rotation of = {a->body, b->body, n ? b->body : a->body, {0}};
    for (int r = 0; r < 3; r++) of.axis[r] = n ? b->R[3 * r + k] : a->R[3 * r + i];
    return y >= 0 && x >= 0 ? add_angle(m, y, x, &of) : -1;
}

/* sin(angle) axis_k = (R_ji - R_ij)/2 and cos(angle) = (tr R - 1)/2 of R = R_ab. */
int sari_scalar_rotation_vector(sari_mechanism* m, const sari_triad* a, const sari_triad* b, int k)
{
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const int sine = sari_polynomials_new(&m->poly);
    if (sine < 0 || !add_entry(m, a, b, j, i, 0.5) || !add_entry(m, a, b, i, j, -0.5)) return -1;
    const int cosine = sari_polynomials_new(&m->poly);
    if (cosine < 0 || !sari_polynomials_add_constant(&m->poly, -0.5)) return -1;
    for (int d = 0; d < 3; d++)
        if (!add_entry(m, a, b, d, d, 0.5)) return -1;
    return add_scalar(m, SARI_SCALAR_VECTOR, sine, cosine);
}

int sari_scalar_along(sari_mechanism* m, const sari_expression* e)
{
    const int* used;
    const int n = sari_expression_variables(e, &used);
    if (n == 1 && sari_expression_is_variable(e))
        return m->signal_scalar[used[0] - SARI_VARIABLE_SIGNAL];
    if (!sari_grow((void**)&m->composites, m->composites_count, &m->composites_capacity,
                   sizeof *m->composites))
        return -1;
    sari_composite* c = &m->composites[m->composites_count];
    *c = (sari_composite){.f = e, .terms = n};
    for (int i = 0; i < n; i++) {
        c->variable[i] = used[i];
        c->scalar[i] = m->signal_scalar[used[i] - SARI_VARIABLE_SIGNAL];
    }
    return add_scalar(m, SARI_SCALAR_COMPOSITE, m->composites_count++, 0);
}

static int add_flow(sari_mechanism* m, const sari_flow* flow)
{
    for (int i = 0; i < 2 * flow->terms; i++)
        if (flow->poly[i] < 0) return -1;
    if (!sari_grow((void**)&m->flows, m->flows_count, &m->flows_capacity, sizeof *m->flows))
        return -1;
    m->flows[m->flows_count] = *flow;
    return add_scalar(m, SARI_SCALAR_FLOW, m->flows_count++, 0);
}

/* w_k = 1/2 sum_j (e_j x de_j/dt)_k */
int sari_scalar_spin(sari_mechanism* m, int body, int k)
{
    const int y = (k + 1) % 3, z = (k + 2) % 3;
    sari_flow f = {.terms = 6};
    for (int j = 0; j < 3; j++) {
        const int p = new_direction(m, body, AXIS[j], y), q = new_direction(m, body, AXIS[j], z);
        f.poly[2 * j] = p, f.poly[2 * j + 1] = q;
        f.poly[2 * j + 6] = q, f.poly[2 * j + 7] = p;
        f.weight[j] = 0.5, f.weight[j + 3] = -0.5;
    }
    return add_flow(m, &f);
}

/* sum_k u_k w_k in the axes of the body: w_1 = e_3 . de_2/dt ... */
int sari_scalar_spin_along(sari_mechanism* m, int body, const double u[3])
{
    sari_flow f = {0};
    for (int k = 0; k < 3; k++)
        for (int j = 0; u[k] != 0.0 && j < 3; j++) {
            f.poly[2 * f.terms] = new_direction(m, body, AXIS[(k + 2) % 3], j);
            f.poly[2 * f.terms + 1] = new_direction(m, body, AXIS[(k + 1) % 3], j);
            f.weight[f.terms++] = u[k];
        }
    return add_flow(m, &f);
}

int sari_scalar_velocity_along(sari_mechanism* m, int body, const double point[3], int frame,
                               const double u[3])
{
    sari_flow f = {.terms = m->dimension};
    for (int j = 0; j < m->dimension; j++) {
        const sari_affine p = sari_point_affine(m, body, point, j);
        f.poly[2 * j] = new_direction(m, frame, u, j);
        f.poly[2 * j + 1] = new_affine(m, &p);
        f.weight[j] = 1.0;
    }
    return add_flow(m, &f);
}
