#include "system/mechanism/mechanism.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/vec3.h"
#include "system/mechanism/mechanism_parts.h"
#include "system/nonholonomic.h"
#include "system/relations.h"

#include <string.h>

/* ---- points and axes as affine functions of X ----------------------------------------------- */

sari_affine sari_axis_affine(const sari_mechanism* m, int body, const double axis[3], int k)
{
    sari_affine f = {0};
    if (body == 0) {
        f.c = axis[k];
    } else if (m->dimension == 3) {
        int base = m->nx * body + 3;
        for (int c = 0; c < 3; c++) sari_affine_add(&f, axis[c], base + 3 * c + k);
    } else if (k < 2) { // R = [c -s; s c]
        int cosine = m->nx * body + 2, sine = cosine + 1;
        sari_affine_add(&f, axis[k], cosine);
        sari_affine_add(&f, k == 0 ? -axis[1] : axis[0], sine);
    }
    return f;
}

sari_affine sari_point_affine(const sari_mechanism* m, int body, const double point[3], int k)
{
    if (body == 0) return (sari_affine){.c = point[k]};
    if (k >= m->dimension) return (sari_affine){0};
    const double* center = m->model->bodies[body].def.center;
    double s[3] = {point[0] - center[0], point[1] - center[1], point[2] - center[2]};
    sari_affine f = {0};
    sari_affine_add(&f, 1.0, m->nx * body + k);
    sari_affine arm = sari_axis_affine(m, body, s, k);
    sari_affine_accumulate(&f, 1.0, &arm);
    return f;
}

void sari_rotation_of(const sari_mechanism* m, const double* X_b, double R[9])
{
    if (m->dimension == 3) {
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) R[3 * k + c] = X_b[3 + 3 * c + k];
    } else {
        double c = X_b[2], s = X_b[3];
        double planar[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
        memcpy(R, planar, sizeof planar);
    }
}

/* omega = 1/2 sum_c a_c x da_c/dt */
void sari_spin_of(const sari_mechanism* m, const double* X_b, const double* Xd_b, double w[3])
{
    w[0] = w[1] = w[2] = 0.0;
    if (m->dimension == 2) {
        w[2] = X_b[2] * Xd_b[3] - X_b[3] * Xd_b[2];
        return;
    }
    for (int c = 0; c < 3; c++) {
        double part[3];
        sari_cross(X_b + 3 + 3 * c, Xd_b + 3 + 3 * c, part);
        for (int k = 0; k < 3; k++) w[k] += 0.5 * part[k];
    }
}

/* ---- polynomials ---------------------------------------------------------------------------- */

int sari_add_dot(sari_mechanism* m, int i, const double u[3], int j, const double w[3])
{
    for (int k = 0; k < m->dimension; k++) {
        sari_affine a = sari_axis_affine(m, i, u, k), b = sari_axis_affine(m, j, w, k);
        if (!sari_polynomials_add_product(&m->poly, 1.0, &a, &b)) return 0;
    }
    return 1;
}

static sari_affine difference(const sari_mechanism* m, const sar_end* a, const sar_end* b, int k)
{
    sari_affine d = sari_point_affine(m, b->body.i, b->point, k);
    sari_affine p = sari_point_affine(m, a->body.i, a->point, k);
    sari_affine_accumulate(&d, -1.0, &p);
    return d;
}

/* (p_b - p_a) . u, u fixed in a's body */
static int add_offset_along(sari_mechanism* m, const sar_end* a, const sar_end* b,
                            const double u[3])
{
    for (int k = 0; k < m->dimension; k++) {
        sari_affine d = difference(m, a, b, k), w = sari_axis_affine(m, a->body.i, u, k);
        if (!sari_polynomials_add_product(&m->poly, 1.0, &d, &w)) return 0;
    }
    return 1;
}

int sari_new_distance(sari_mechanism* m, const sar_end* a, const sar_end* b)
{
    if (sari_polynomials_new(&m->poly) < 0) return 0;
    for (int k = 0; k < m->dimension; k++) {
        sari_affine d = difference(m, a, b, k);
        if (!sari_polynomials_add_product(&m->poly, 1.0, &d, &d)) return 0;
    }
    return 1;
}

/* The third direction of an end's frame: axis x normal; planar: the normal turned by a right angle.
 */
void sari_third_direction(const sari_mechanism* m, const sar_end* e, double out[3])
{
    if (m->dimension == 3)
        sari_cross(e->axis, e->normal, out);
    else
        out[0] = -e->normal[1], out[1] = e->normal[0], out[2] = 0.0;
}

int sari_new_dot(sari_mechanism* m, const sar_end* a, const double u[3], const sar_end* b,
                 const double w[3])
{
    return sari_polynomials_new(&m->poly) >= 0 && sari_add_dot(m, a->body.i, u, b->body.i, w);
}

int sari_new_offset(sari_mechanism* m, const sar_end* a, const sar_end* b, const double u[3])
{
    return sari_polynomials_new(&m->poly) >= 0 && add_offset_along(m, a, b, u);
}

void sari_perpendiculars(const sari_mechanism* m, const sar_end* e, double n[3], double o[3])
{
    if (m->dimension == 2) {
        n[0] = -e->axis[1], n[1] = e->axis[0], n[2] = 0.0;
        return;
    }
    int least = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(e->axis[k]) < fabs(e->axis[least])) least = k;
    double unit[3] = {least == 0, least == 1, least == 2};
    sari_cross(e->axis, unit, n);
    double length = sari_norm3(n);
    for (int k = 0; k < 3; k++) n[k] /= length;
    sari_cross(e->axis, n, o);
}

/* Of a joint that attaches the frame, whose directions may have any components, so that terms are
 * there for all of them: each of the perpendiculars lacks one, which depends on the axis. */
void sari_across_line(const sari_mechanism* m, const sari_condition* c, double n[3], double o[3])
{
    sari_perpendiculars(m, &c->a, n, o);
    if (m->dimension == 2 || !m->model->joints[c->joint].attaches) return;
    memcpy(n, c->a.normal, sizeof c->a.normal);
    sari_cross(c->a.axis, n, o);
}

static int write_polynomials(sari_mechanism* m, sari_condition* c)
{
    const sar_end *a = &c->a, *b = &c->b;
    double n[3], o[3];
    int ok = 1, planar = m->dimension == 2;
    c->poly = m->poly.count;
    switch (c->kind) {
    case SARI_NO_CONDITION:
        break;
    case SARI_COINCIDE:
        for (int k = 0; k < m->dimension && ok; k++) {
            sari_affine d = difference(m, a, b, k);
            ok = sari_polynomials_new(&m->poly) >= 0 &&
                 sari_polynomials_add_affine(&m->poly, 1.0, &d);
        }
        break;
    case SARI_PARALLEL:
        sari_perpendiculars(m, b, n, o);
        ok = sari_new_dot(m, a, a->axis, b, n) && sari_new_dot(m, a, a->axis, b, o);
        break;
    case SARI_SAME_ORIENTATION:
        sari_third_direction(m, b, o);
        if (planar)
            ok = sari_new_dot(m, a, a->normal, b, o);
        else
            ok = sari_new_dot(m, a, a->axis, b, b->normal) && sari_new_dot(m, a, a->axis, b, o) &&
                 sari_new_dot(m, a, a->normal, b, o);
        break;
    case SARI_ON_LINE:
        sari_across_line(m, c, n, o);
        ok = sari_new_offset(m, a, b, n) && (planar || sari_new_offset(m, a, b, o));
        break;
    case SARI_ON_PLANE:
        ok = sari_new_offset(m, a, b, a->axis);
        break;
    case SARI_PERPENDICULAR:
        ok = sari_new_dot(m, a, a->axis, b, b->axis);
        break;
    case SARI_DISTANCE:
        ok = sari_new_distance(m, a, b) &&
             sari_polynomials_add_constant(&m->poly, -c->distance * c->distance);
        break;
    case SARI_AT_HEIGHT:
        ok = sari_new_offset(m, a, b, a->axis) &&
             sari_polynomials_add_constant(&m->poly, -c->distance);
        break;
    }
    c->poly_end = m->poly.count;
    return ok;
}

/* ---- joints --------------------------------------------------------------------------------- */

/* The ground comes first where it can: then natural coordinates can build the condition in. */
static void set_ends(const sari_mechanism* m, sari_condition* c)
{
    const sar_joint_def* def = &m->pair[c->joint];
    const int swap = def->b.body.i == 0 && sari_form_symmetric(sari_form_of(def, m->dimension));
    c->a = swap ? def->b : def->a;
    c->b = swap ? def->a : def->b;
    c->distance = c->kind == SARI_AT_HEIGHT ? def->radius : def->distance;
}

static int add_condition(sari_mechanism* m, int joint, sari_condition_kind kind)
{
    if (!m->active[joint]) return 1;
    if (!sari_grow((void**)&m->conditions, m->conditions_count, &m->conditions_capacity,
                   sizeof *m->conditions))
        return 0;
    sari_condition* c = &m->conditions[m->conditions_count++];
    *c = (sari_condition){.kind = kind, .joint = joint};
    set_ends(m, c);
    return write_polynomials(m, c);
}

sari_relation* sari_mechanism_relation(sari_mechanism* m, int joint)
{
    if (!sari_grow((void**)&m->relations, m->relations_count, &m->relations_capacity,
                   sizeof *m->relations))
        return NULL;
    sari_relation* r = &m->relations[m->relations_count++];
    *r = (sari_relation){.joint = joint};
    return r;
}

int sari_relation_add(sari_relation* r, int scalar, double coefficient)
{
    r->scalar[r->terms] = scalar;
    r->coefficient[r->terms++] = coefficient;
    return scalar >= 0;
}

static int add_pair(sari_mechanism* m, int j)
{
    const sari_joint_form* form = sari_form_of(&m->pair[j], m->dimension);
    for (const sari_condition_kind* kind = form->conditions; *kind; kind++)
        if (!add_condition(m, j, *kind)) return 0;
    const int first = m->scalars_count;
    m->row_poly[j] = m->poly.count;
    if (form->rows && !form->rows(m, j)) return 0;
    for (int s = first; s < m->scalars_count; s++)
        m->scalars[s].joint = j, m->scalars[s].of_rows = 1;
    return 1;
}

static int add_any_joint(sari_mechanism* m, int j)
{
    const sari_relation_type* relation = m->model->joints[j].relation;
    if (!relation) return add_pair(m, j);
    return !relation->rows || relation->rows(m, j); // the others after the signals
}

/* A joint that is not there has no conditions, relations and rows on velocities, but their scalars,
 * so that turns are counted on. */
static int add_joint(sari_mechanism* m, int j)
{
    const int relations = m->relations_count, rows = m->velocity_rows_count;
    if (!add_any_joint(m, j)) return 0;
    if (m->active[j]) return 1;
    m->relations_count = relations;
    m->velocity_rows_count = rows;
    return 1;
}

/* ---- joints that attach where they are ------------------------------------------------------ */

/* Where a joint attaches is not known yet. Its polynomials are made for an end in general position,
 * so that there is a place for every term that any other can have. */
static void put_anywhere(const sari_mechanism* m, sar_end* end)
{
    static const double point[3] = {0.37, -0.59, 0.83}, p[4] = {0.61, 0.37, -0.53, 0.46};
    double unit[4], R[9], size = sqrt(p[0] * p[0] + sari_dot(p + 1, p + 1));
    for (int k = 0; k < 4; k++) unit[k] = p[k] / size;
    sari_rotation_of_quaternion(unit, R);
    const int planar = m->dimension == 2, in_plane = planar && end->axis[2] == 0.0;
    for (int k = 0; k < m->dimension; k++) end->point[k] = point[k];
    if (planar) { // about z, or in the plane
        double x[3] = {0.6, 0.8, 0.0}, y[3] = {-0.8, 0.6, 0.0};
        if (in_plane && sari_norm3(end->axis) > 0.0) memcpy(end->axis, x, sizeof x);
        if (sari_norm3(end->normal) > 0.0) memcpy(end->normal, in_plane ? y : x, sizeof y);
        return;
    }
    const int has_axis = sari_norm3(end->axis) > 0.5, has_normal = sari_norm3(end->normal) > 0.5;
    for (int k = 0; k < 3; k++) {
        if (has_axis) end->axis[k] = R[3 * k];
        if (has_normal) end->normal[k] = R[3 * k + 1];
    }
}

typedef struct mark {
    int rows, linear, products;
} mark;

static mark mark_end(const sari_mechanism* m)
{
    return (mark){m->poly.count, m->poly.linear_count, m->poly.product_count};
}

/* The polynomials made since take the place of those from `first` on. */
static int take_place(sari_mechanism* m, mark end, int first)
{
    int ok = 1;
    for (int k = end.rows; ok && k < m->poly.count; k++)
        ok = sari_polynomial_assign(&m->poly, first + k - end.rows, &m->poly, k);
    m->poly.count = end.rows;
    m->poly.linear_count = end.linear;
    m->poly.product_count = end.products;
    return ok;
}

static int rewrite_scalar(sari_mechanism* m, int s)
{
    mark end = mark_end(m);
    if (sari_coordinate_scalar(m, m->scalars[s].joint, m->scalars[s].coordinate) < 0) return 0;
    m->scalars_count--;
    return take_place(m, end, m->scalars[s].a);
}

/* Once more at the end, and from there into the place of the first time. */
static int rewrite_rows(sari_mechanism* m, int joint)
{
    const sari_joint_form* form = sari_form_of(&m->pair[joint], m->dimension);
    const int scalars = m->scalars_count, relations = m->relations_count;
    const mark end = mark_end(m);
    if (m->model->joints[joint].relation || !form->rows) return 1;
    const int ok = form->rows(m, joint);
    m->scalars_count = scalars;
    m->relations_count = relations;
    return take_place(m, end, m->row_poly[joint]) && ok;
}

int sari_mechanism_attach(sari_mechanism* m, int joint, const sar_end* end, double distance)
{
    int ok = 1;
    m->pair[joint].a = *end;
    m->pair[joint].distance = distance;
    for (int i = 0; ok && i < m->conditions_count; i++) {
        sari_condition* c = &m->conditions[i];
        if (c->joint != joint) continue;
        set_ends(m, c);
        sari_condition again = *c;
        mark at_end = mark_end(m);
        ok = write_polynomials(m, &again) && take_place(m, at_end, c->poly);
    }
    for (int s = 0; ok && s < m->scalars_count; s++)
        if (m->scalars[s].joint == joint && !m->scalars[s].of_rows) ok = rewrite_scalar(m, s);
    return ok && rewrite_rows(m, joint);
}

/* All of them once, so that there is memory for what a change writes. */
static int rehearse(sari_mechanism* m)
{
    int ok = 1;
    for (int j = 0; ok && j < m->model->joints_count; j++)
        if (m->model->joints[j].attaches)
            ok = sari_mechanism_attach(m, j, &m->pair[j].a, m->pair[j].distance);
    return ok;
}

static int compile_force(sari_mechanism* m, const sari_force_type* type, const sari_force* force,
                         int* scalar)
{
    if (sari_force_along(type, force->def)) {
        *scalar = sari_scalar_along(m, force->expression[sari_force_along_text(type)]);
    } else if (type->compile) {
        return type->compile(m, force->def, scalar);
    } else {
        const sar_end* ends = sari_force_ends(type, force->def);
        const int joint = sari_force_joint(type, force->def);
        *scalar = joint < 0 ? sari_scalar_distance(m, &ends[0], &ends[1])
                            : sari_scalar_of_joint(m, joint,
                                                   *(const sar_coordinate*)sari_member(
                                                       force->def, type->is.coordinate));
    }
    return *scalar >= 0;
}

static int add_scalars_of_type(sari_mechanism* m, int number)
{
    const sari_force_type* type = sari_force_types[number];
    const sari_force_list* list = &m->model->forces[number];
    const int n = sari_force_scalars(type, m->dimension);
    m->force_scalar[number] = SARI_TAKE(&m->memory, int, n * list->count);
    m->force_state[number] = SARI_TAKE(&m->memory, int, list->count);
    if (m->memory.failed) return 0;
    for (int k = 0; n && k < list->count; k++) {
        int* scalar = m->force_scalar[number] + n * k;
        if (!compile_force(m, type, &list->at[k], scalar)) return 0;
        m->force_state[number][k] = m->states;
        m->states += sari_force_states(type, list->at[k].def);
    }
    return 1;
}

/* States of the model are scalars of their own. */
static int first_state(const sari_mechanism* m, int type, int force)
{
    const sari_force_type* t = sari_force_types[type];
    if (!sari_force_is_state(t)) return m->force_state[type][force];
    return m->scalars[m->force_scalar[type][force * sari_force_scalars(t, m->dimension)]].a;
}

const sari_force* sari_mechanism_state(const sari_mechanism* m, int state, int* type, bool* free)
{
    for (*type = 0; *type < SARI_FORCE_TYPES; (*type)++) {
        const sari_force_type* t = sari_force_types[*type];
        const sari_force_list* list = &m->model->forces[*type];
        *free = sari_force_is_state(t);
        for (int i = 0; i < list->count; i++) {
            const int count = *free ? 1 : sari_force_states(t, list->at[i].def);
            const int first = count ? first_state(m, *type, i) : 0;
            if (state >= first && state < first + count) return &list->at[i];
        }
    }
    return NULL;
}

static int add_force_scalars(sari_mechanism* m)
{
    const sar_model* model = m->model;
    for (int s = 0; s < model->signals_count; s++)
        if (!sari_signal_scalar(m, &model->signals[s], &m->signal_scalar[s])) return 0;
    for (int type = 0; type < SARI_FORCE_TYPES; type++)
        if (!add_scalars_of_type(m, type)) return 0;
    for (int s = 0; s < model->signals_count; s++) {
        const sari_signal* signal = &model->signals[s];
        if (signal->kind == SARI_SIGNAL_STATE && signal->force < model->forces[signal->type].count)
            m->signal_scalar[s] = m->force_scalar[signal->type][signal->force];
    }
    for (int j = 0; j < model->joints_count; j++) {
        const sari_relation_type* relation = model->joints[j].relation;
        if (relation && relation->rows_of_signals && !relation->rows_of_signals(m, j)) return 0;
    }
    return 1;
}

/* integral of s s' dm = 1/2 tr(J) 1 - J */
static void set_second_moments(sari_mechanism* m)
{
    for (int b = 1; b < m->bodies; b++) {
        const double* J = m->model->bodies[b].def.inertia; // xx yy zz xy xz yz
        double* P = m->second_moment + 9 * b;
        if (m->dimension == 2) {
            P[0] = J[2];
            continue;
        }
        double half = 0.5 * (J[0] + J[1] + J[2]);
        double full[9] = {half - J[0], -J[3], -J[4], -J[3],      half - J[1],
                          -J[5],       -J[4], -J[5], half - J[2]};
        memcpy(P, full, sizeof full);
    }
}

static int copy_joints(sari_mechanism* m, const char* active)
{
    const sar_model* model = m->model;
    m->active = SARI_TAKE(&m->memory, char, sari_model_set_size(model));
    m->pair = SARI_TAKE(&m->memory, sar_joint_def, model->joints_count);
    m->row_poly = SARI_TAKE(&m->memory, int, model->joints_count);
    if (m->memory.failed) return 0;
    if (active)
        memcpy(m->active, active, (size_t)sari_model_set_size(model));
    else
        sari_model_set_after(model, 0, m->active);
    for (int j = 0; j < model->joints_count; j++) {
        m->pair[j] = model->joints[j].pair;
        if (model->joints[j].attaches) put_anywhere(m, &m->pair[j].a);
    }
    return 1;
}

sar_status sari_mechanism_create(const sar_model* model, const char* active, sari_mechanism** out,
                                 sar_error* error)
{
    sari_mechanism* m = SARI_NEW(sari_mechanism);
    if (!m) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    m->model = model;
    m->dimension = model->dimension;
    m->nx = model->dimension == 3 ? 12 : 4;
    m->bodies = model->bodies_count;
    m->second_moment = SARI_TAKE(&m->memory, double, 9 * m->bodies);
    m->X0 = SARI_TAKE(&m->memory, double, m->nx * m->bodies);
    m->Xd0 = SARI_TAKE(&m->memory, double, m->nx * m->bodies);
    m->signal_scalar = SARI_TAKE(&m->memory, int, model->signals_count);
    m->ball = SARI_TAKE(&m->memory, char, m->bodies);
    int ok = copy_joints(m, active);
    for (int j = 0; ok && j < model->joints_count; j++) ok = add_joint(m, j);
    ok = ok && add_force_scalars(m) && sari_mechanism_draw(m) && rehearse(m);
    if (!ok) {
        sari_mechanism_destroy(m);
        return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory while compiling the mechanism");
    }
    set_second_moments(m);
    sari_mechanism_find_balls(m);
    const sar_status status = sari_mechanism_check_particles(m, error);
    if (status != SAR_OK) {
        sari_mechanism_destroy(m);
        return status;
    }
    *out = m;
    return SAR_OK;
}

void sari_mechanism_destroy(sari_mechanism* m)
{
    if (!m) return;
    sari_polynomials_clear(&m->poly);
    sari_release(m->conditions);
    sari_release(m->scalars);
    sari_release(m->relations);
    sari_release(m->flows);
    sari_release(m->composites);
    sari_release(m->velocity_rows);
    sari_arena_clear(&m->memory);
    sari_release(m);
}
