/* Bodies, their named points and axes, and the checks of mass, inertia and drawn pose. */
#include "base/memory.h"
#include "elements/element.h"
#include "math/functions.h"
#include "math/vec3.h"
#include "model/parts.h"

#include <stdio.h>

static const double INERTIA_TOLERANCE = 1e-9;  ///< relative to the largest moment
static const double ROTATION_TOLERANCE = 1e-6; ///< of R'R - 1, as typed with some digits
static const double IDENTITY[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

sar_body_def sar_body_def_default(void)
{
    sar_body_def def = {0};
    memcpy(def.rotation, IDENTITY, sizeof IDENTITY);
    return def;
}

/* ---- inertia -------------------------------------------------------------------------------- */

/// Eigenvalues of a symmetric matrix by Jacobi's rotations: small ones keep their absolute
/// accuracy, so that a slender rod in any direction passes.
static void eigenvalues(double A[9], double out[3])
{
    static const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    for (int turn = 0; turn < 30; turn++) { // quadratic convergence: a few sweeps of three do
        int p = pairs[turn % 3][0], q = pairs[turn % 3][1];
        if (A[3 * p + q] == 0) continue;
        double gap = A[4 * q] - A[4 * p], G[9], Gt[9];
        double theta =
            0.5 * (gap == 0 ? sari_acos(0) : sari_atan(2 * A[3 * p + q] / gap)); // at most pi/4
        memcpy(G, IDENTITY, sizeof G);
        G[4 * p] = G[4 * q] = sari_cos(theta);
        G[3 * p + q] = sari_sin(theta), G[3 * q + p] = -sari_sin(theta);
        for (int k = 0; k < 9; k++) Gt[k] = G[3 * (k % 3) + k / 3];
        sari_multiply3(Gt, A, A);
        sari_multiply3(A, G, A);
    }
    for (int k = 0; k < 3; k++) out[k] = A[4 * k];
}

/// Of a rigid body: principal moments not negative, none larger than the sum of the others, unless
/// they are as measured.
static sar_status check_inertia(const sar_body_def* def, sar_error* error)
{
    const double* I = def->inertia;
    double A[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]}, moment[3];
    eigenvalues(A, moment);
    double sum = moment[0] + moment[1] + moment[2];
    double least = fmin(moment[0], fmin(moment[1], moment[2]));
    double most = fmax(moment[0], fmax(moment[1], moment[2]));
    double slack = INERTIA_TOLERANCE * fmax(fabs(least), fabs(most));
    if (least < -slack)
        return sari_fail(error, SAR_E_MODEL, "inertia",
                         "the inertia has the negative principal moment %g; no body has that",
                         least);
    if (sum - 2 * most < -slack && !def->as_measured)
        return sari_fail(error, SAR_E_MODEL, "inertia",
                         "the largest principal moment of inertia, %g, is more than the sum of the "
                         "other two, %g; no body has that (is it about the centre of mass? "
                         "as_measured accepts it)",
                         most, sum - most);
    return SAR_OK;
}

static sar_status check_planar_inertia(const double I[6], sar_error* error)
{
    for (int k = 0; k < 6; k++)
        if (k != 2 && I[k] != 0)
            return sari_fail(error, SAR_E_MODEL, "inertia",
                             "this model is planar: inertia[%d] must be zero; the inertia about z "
                             "is inertia[2]",
                             k);
    if (I[2] < 0)
        return sari_fail(error, SAR_E_MODEL, "inertia", "the inertia is negative: %g", I[2]);
    return SAR_OK;
}

/* ---- drawn pose ----------------------------------------------------------------------------- */

/// The transposed inverse times the determinant, which is returned.
static double cofactors(const double R[9], double out[9])
{
    sari_cross(R + 3, R + 6, out);
    sari_cross(R + 6, R, out + 3);
    sari_cross(R, R + 3, out + 6);
    return sari_dot(R, out);
}

/// The nearest rotation, by Newton's iteration for the polar factor: R = (R + R^-T) / 2. It
/// leaves an exact rotation as it is.
static void orthonormalise(double R[9])
{
    for (int pass = 0; pass < 3; pass++) {
        double inverse[9], det = cofactors(R, inverse);
        for (int k = 0; k < 9; k++) R[k] = 0.5 * (R[k] + inverse[k] / det);
    }
}

static sar_status complete_rotation(double R[9], int dimension, sar_error* error)
{
    SARI_TRY(sari_check_numbers(R, 9, "rotation", error));
    double C[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (fabs(sari_dot(R + 3 * i, R + 3 * j) - (i == j)) > ROTATION_TOLERANCE)
                return sari_fail(error, SAR_E_MODEL, "rotation",
                                 "not a rotation: its rows must be perpendicular unit vectors "
                                 "(row %d times row %d is %g)",
                                 i, j, sari_dot(R + 3 * i, R + 3 * j));
    if (cofactors(R, C) < 0)
        return sari_fail(error, SAR_E_MODEL, "rotation",
                         "a reflection, not a rotation: its determinant is -1; swap the sign of "
                         "one axis");
    if (dimension == 2) {
        if (fabs(R[2]) > ROTATION_TOLERANCE || fabs(R[5]) > ROTATION_TOLERANCE || R[8] < 0)
            return sari_fail(error, SAR_E_MODEL, "rotation",
                             "this model is planar: bodies can only be turned about z");
        R[2] = R[5] = R[6] = R[7] = 0, R[8] = 1;
    }
    orthonormalise(R);
    return SAR_OK;
}

static sar_status complete_pose(const sar_model* model, sar_body_def* def, sar_error* error)
{
    if (!def->has_position) memset(def->position, 0, sizeof def->position);
    if (!def->has_rotation) memcpy(def->rotation, IDENTITY, sizeof IDENTITY);
    SARI_TRY(sari_check_vector(model, def->position, "position", error));
    SARI_TRY(complete_rotation(def->rotation, model->dimension, error));
    SARI_TRY(sari_check_numbers(def->winding, 3, "winding", error));
    SARI_TRY(sari_check_vector(model, def->velocity, "velocity", error));
    SARI_TRY(sari_check_numbers(def->angular_velocity, 3, "angular_velocity", error));
    if (model->dimension == 2 && (def->angular_velocity[0] != 0 || def->angular_velocity[1] != 0))
        return sari_fail(error, SAR_E_MODEL, "angular_velocity",
                         "this model is planar: bodies can only rotate about z");
    return SAR_OK;
}

/* ---- particles ------------------------------------------------------------------------------ */

static bool any(const double* x, int n)
{
    for (int k = 0; k < n; k++)
        if (x[k] != 0) return true;
    return false;
}

static sar_status check_particle(const sar_body_def* def, sar_error* error)
{
    if (!(def->mass > 0)) return sari_fail(error, SAR_E_MODEL, "mass", "a particle needs a mass");
    if (any(def->inertia, 6))
        return sari_fail(error, SAR_E_MODEL, "inertia",
                         "a particle has no inertia: it does not rotate");
    if (any(def->center, 3))
        return sari_fail(error, SAR_E_MODEL, "center", "the mass of a particle is at its origin");
    if (any(def->angular_velocity, 3))
        return sari_fail(error, SAR_E_MODEL, "angular_velocity", "a particle does not rotate");
    return SAR_OK;
}

/* Nothing may depend on its orientation, which system/mechanism/particles.c looks after: any will do. */
static sar_status hold_particle(sar_model* model, sar_body_id body, sar_error* error)
{
    char name[SARI_NAME_LENGTH + 16];
    sar_joint_def joint = sar_joint_def_default();
    snprintf(name, sizeof name, "%s_particle", model->bodies[body.i].name);
    joint.name = name;
    joint.type = sari_against_turning;
    joint.b.body = body;
    return sar_model_add_joint(model, &joint, NULL, error);
}

bool sari_holds_particle(const sar_model* model, int joint)
{
    const sari_joint* j = &model->joints[joint];
    return !j->relation && j->pair.type == sari_against_turning &&
           j->pair.a.body.i == SAR_GROUND.i && model->bodies[j->pair.b.body.i].def.particle;
}

static sar_status complete_body(const sar_model* model, sar_body_def* def, sar_error* error)
{
    SARI_TRY(sari_model_check_name(model, def->name, error));
    SARI_TRY(sari_check_numbers(&def->mass, 1, "mass", error));
    if (def->mass < 0)
        return sari_fail(error, SAR_E_MODEL, "mass", "the mass is negative: %g", def->mass);
    SARI_TRY(sari_check_vector(model, def->center, "center", error));
    SARI_TRY(sari_check_numbers(def->inertia, 6, "inertia", error));
    SARI_TRY(model->dimension == 2 ? check_planar_inertia(def->inertia, error)
                                   : check_inertia(def, error));
    if (def->particle) {
        SARI_TRY(check_particle(def, error));
        if (!def->has_rotation) memcpy(def->rotation, IDENTITY, sizeof IDENTITY);
        def->has_rotation = 1;
    }
    return complete_pose(model, def, error);
}

/* ---- creation ------------------------------------------------------------------------------- */

/// Points or axes of a body.
typedef struct vector_list {
    sari_named_vector** at;
    int *count, *capacity;
    sari_hash* by_name;
} vector_list;

static vector_list points_of(sari_body* b)
{
    return (vector_list){&b->points, &b->points_count, &b->points_capacity, &b->points_by_name};
}

static vector_list axes_of(sari_body* b)
{
    return (vector_list){&b->axes, &b->axes_count, &b->axes_capacity, &b->axes_by_name};
}

enum { ORIGIN, CENTER }; ///< points that every body has

/// So many are found faster one by one, and most bodies have no more.
enum { FEW = 8 };

/// All names up to the list's end get into its hash, once there are more than a few.
static bool enter_names(const vector_list* list, const char* last)
{
    if (*list->count < FEW) return true;
    while (list->by_name->count <= *list->count) {
        int k = list->by_name->count;
        const char* name = k < *list->count ? (*list->at)[k].name : last;
        if (!sari_hash_add(list->by_name, sari_name_code(name, strlen(name)))) return false;
    }
    return true;
}

static bool append_vector(vector_list list, const char* name, const double v[3])
{
    void* array = *list.at;
    bool grown = sari_grow(&array, *list.count, list.capacity, sizeof(sari_named_vector));
    *list.at = array;
    char* copy = grown ? sari_copy_string(name) : NULL;
    if (!copy || !enter_names(&list, copy)) {
        sari_release(copy);
        return false;
    }
    (*list.at)[*list.count] = (sari_named_vector){.name = copy, .v = {v[0], v[1], v[2]}};
    (*list.count)++;
    return true;
}

static bool append_point(sari_body* body, const char* name, const double v[3])
{
    return append_vector(points_of(body), name, v);
}

static bool append_axis(sari_body* body, const char* name, const double v[3])
{
    return append_vector(axes_of(body), name, v);
}

sar_status sari_body_create(sari_body* body, const sar_body_def* def, sar_error* error)
{
    *body = (sari_body){.name = sari_copy_string(def->name), .def = *def};
    body->def.name = body->name;
    const double origin[3] = {0, 0, 0};
    bool done = body->name && append_point(body, "origin", origin) &&
                append_point(body, "center", def->center) && append_axis(body, "x", IDENTITY) &&
                append_axis(body, "y", IDENTITY + 3) && append_axis(body, "z", IDENTITY + 6);
    if (done) return SAR_OK;
    sari_body_release(body);
    return sari_out_of_memory(error);
}

void sari_body_center_moved(sari_body* body)
{
    memcpy(body->points[CENTER].v, body->def.center, sizeof body->def.center);
}

void sari_body_release(sari_body* body)
{
    for (int k = 0; k < body->points_count; k++) sari_release(body->points[k].name);
    for (int k = 0; k < body->axes_count; k++) sari_release(body->axes[k].name);
    sari_release(body->points);
    sari_release(body->axes);
    sari_hash_release(&body->points_by_name);
    sari_hash_release(&body->axes_by_name);
    sari_shapes_release(body);
    sari_release(body->name);
    *body = (sari_body){0};
}

sar_status sar_model_add_body(sar_model* model, const sar_body_def* def, sar_body_id* out,
                              sar_error* error)
{
    sar_body_def complete = *def;
    SARI_TRY(complete_body(model, &complete, error));
    void* bodies = model->bodies;
    bool grown =
        sari_grow(&bodies, model->bodies_count, &model->bodies_capacity, sizeof(sari_body));
    model->bodies = bodies;
    if (!grown) return sari_out_of_memory(error);
    const int number = model->bodies_count;
    sari_body* body = &model->bodies[number];
    SARI_TRY(sari_body_create(body, &complete, error));
    sar_status status = sari_model_enter_part(model, SARI_PART_BODY, body->name, number, error);
    if (status != SAR_OK) {
        sari_body_release(body);
        return status;
    }
    if (out) *out = (sar_body_id){number};
    model->bodies_count++;
    return complete.particle ? hold_particle(model, (sar_body_id){number}, error) : SAR_OK;
}

/* ---- points and axes ------------------------------------------------------------------------ */

static const sari_named_vector* find_vector(const sari_named_vector* list, int count,
                                            const sari_hash* by_name, const char* name,
                                            size_t length)
{
    if (count <= FEW) {
        for (int k = 0; k < count; k++)
            if (sari_same_name(list[k].name, name, length)) return &list[k];
        return NULL;
    }
    for (int k = sari_hash_first(by_name, sari_name_code(name, length)); k >= 0;
         k = sari_hash_next(by_name, k))
        if (sari_same_name(list[k].name, name, length)) return &list[k];
    return NULL;
}

static const sari_named_vector* find_point(const sari_body* b, const char* name, size_t length)
{
    return find_vector(b->points, b->points_count, &b->points_by_name, name, length);
}

static const sari_named_vector* find_axis(const sari_body* b, const char* name, size_t length)
{
    return find_vector(b->axes, b->axes_count, &b->axes_by_name, name, length);
}

sar_status sar_model_add_point(sar_model* model, sar_body_id body, const char* name,
                               const double point[3], sar_error* error)
{
    SARI_TRY(sari_check_body(model, body, "body", error));
    SARI_TRY(sari_check_spelling(model, name, error));
    sari_body* b = &model->bodies[body.i];
    if (find_point(b, name, strlen(name)))
        return sari_fail(error, SAR_E_MODEL, "name", "%s has a point \"%s\" already", b->name,
                         name);
    SARI_TRY(sari_check_vector(model, point, "point", error));
    return append_point(b, name, point) ? SAR_OK : sari_out_of_memory(error);
}

sar_status sar_model_add_axis(sar_model* model, sar_body_id body, const char* name,
                              const double axis[3], sar_error* error)
{
    SARI_TRY(sari_check_body(model, body, "body", error));
    SARI_TRY(sari_check_spelling(model, name, error));
    sari_body* b = &model->bodies[body.i];
    if (find_axis(b, name, strlen(name)))
        return sari_fail(error, SAR_E_MODEL, "name", "%s has an axis \"%s\" already", b->name,
                         name);
    SARI_TRY(sari_check_vector(model, axis, "axis", error));
    double unit[3] = {axis[0], axis[1], axis[2]};
    if (!sari_normalise(unit))
        return sari_fail(error, SAR_E_MODEL, "axis", "the axis is zero: it has no direction");
    return append_axis(b, name, unit) ? SAR_OK : sari_out_of_memory(error);
}

sar_status sar_model_find_body(const sar_model* model, const char* name, size_t length,
                               sar_body_id* out)
{
    int found = sari_model_find_kind(model, SARI_PART_BODY, name, length);
    if (found < 0) return SAR_E_ARG;
    *out = (sar_body_id){found};
    return SAR_OK;
}

sar_status sar_model_find_point(const sar_model* model, sar_body_id body, const char* name,
                                size_t length, double point[3])
{
    SARI_TRY(sari_check_body(model, body, NULL, NULL));
    const sari_body* b = &model->bodies[body.i];
    const sari_named_vector* found = find_point(b, name, length);
    if (!found) return SAR_E_ARG;
    memcpy(point, found->v, sizeof found->v);
    return SAR_OK;
}

sar_status sar_model_find_axis(const sar_model* model, sar_body_id body, const char* name,
                               size_t length, double axis[3])
{
    SARI_TRY(sari_check_body(model, body, NULL, NULL));
    const sari_body* b = &model->bodies[body.i];
    const sari_named_vector* found = find_axis(b, name, length);
    if (!found) return SAR_E_ARG;
    memcpy(axis, found->v, sizeof found->v);
    return SAR_OK;
}

sar_status sar_model_draw(sar_model* model, const double* poses, const double* velocities)
{
    const int bodies = model->bodies_count - 1;
    for (int k = 0; k < 7 * bodies; k++)
        if (!isfinite(poses[k])) return SAR_E_ARG;
    for (int k = 0; velocities && k < 6 * bodies; k++)
        if (!isfinite(velocities[k])) return SAR_E_ARG;
    for (int b = 1; b <= bodies; b++) {
        sar_body_def* def = &model->bodies[b].def;
        const double* pose = poses + (ptrdiff_t)7 * (b - 1);
        const double* rate = velocities ? velocities + (ptrdiff_t)6 * (b - 1) : NULL;
        memcpy(def->position, pose, sizeof def->position);
        sari_rotation_of_quaternion(pose + 3, def->rotation);
        memset(def->winding, 0, sizeof def->winding);
        for (int i = 0; i < 3; i++) {
            def->velocity[i] = rate ? rate[i] : 0.0;
            def->angular_velocity[i] = rate ? rate[3 + i] : 0.0;
        }
        def->has_position = def->has_rotation = 1;
    }
    for (int j = 0; j < model->joints_count; j++) model->joints[j].zero_as_drawn = false;
    for (int k = 0; k < model->starts_count; k++) {
        model->signals[model->starts[k].signal].starts = 0;
        sari_release(model->starts[k].name);
    }
    model->starts_count = 0;
    return SAR_OK;
}
