/* Frames of joints and bushings: an axis and a normal on each end, unit and perpendicular.
 *
 * What the user leaves out is taken from the drawing. A direction d of body a, seen in body b, is
 *
 *     d_b = R_WB' R_WA d_a                                         (1)
 *
 * with the drawn rotations of the two; bodies drawn without one count as unrotated. */
#include "elements/element.h"
#include "math/vec3.h"
#include "model/parts.h"

static const double PARALLEL = 1e-6; ///< [rad] two directions nearer than this count as one

bool sari_normalise(double v[3])
{
    // Scaling first keeps the squares of very long and very short vectors within range.
    double most = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    if (!(most > 0) || !isfinite(v[0]) || !isfinite(v[1]) || !isfinite(v[2])) return false;
    for (int k = 0; k < 3; k++) v[k] /= most;
    double length = sari_norm3(v);
    for (int k = 0; k < 3; k++) v[k] /= length;
    return true;
}

bool sari_is_zero(const double v[3])
{
    return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

void sari_as_drawn(const sar_model* model, sar_body_id from, sar_body_id to, const double v[3],
                   double out[3])
{
    sari_rotate(model->bodies[from.i].def.rotation, v, out); // (1)
    sari_rotate_back(model->bodies[to.i].def.rotation, out, out);
}

/// Remove from the unit vector `v` what lies along `axis`; false if nothing is left.
static bool make_perpendicular(double v[3], const double axis[3])
{
    for (int pass = 0; pass < 2; pass++) { // the second removes the round-off of the first
        double along = sari_dot(v, axis);
        for (int k = 0; k < 3; k++) v[k] -= along * axis[k];
        if (pass == 0 && sari_norm3(v) < PARALLEL) return false;
        sari_normalise(v);
    }
    return true;
}

void sari_usual_normal(const double axis[3], double out[3])
{
    int least = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(axis[k]) < fabs(axis[least])) least = k;
    memset(out, 0, 3 * sizeof out[0]);
    out[least] = 1;
    make_perpendicular(out, axis);
}

sar_status sari_end_complete(sar_end* end, sar_error* error)
{
    SARI_TRY(sari_check_numbers(end->axis, 3, "axis", error));
    SARI_TRY(sari_check_numbers(end->normal, 3, "normal", error));
    if (!sari_normalise(end->axis))
        return sari_fail(error, SAR_E_MODEL, "axis",
                         "the axis is missing or zero; give a direction on both sides");
    if (!sari_normalise(end->normal)) return SAR_OK;
    if (!make_perpendicular(end->normal, end->axis))
        return sari_fail(error, SAR_E_MODEL, "normal",
                         "the normal is parallel to the axis; give a direction across it");
    return SAR_OK;
}

sar_status sari_check_both(const double a[3], const double b[3], const char* field,
                           sar_error* error)
{
    if (sari_is_zero(a) == sari_is_zero(b)) return SAR_OK;
    return sari_fail(error, SAR_E_MODEL, field,
                     "only end %s has the %s; give it on both sides or on neither",
                     sari_is_zero(a) ? "b" : "a", field);
}

/// Complete two ends whose axes are both given; normals are given on both or on neither.
static sar_status complete_both(sar_end* a, sar_end* b, sar_error* error)
{
    SARI_TRY(sari_end_complete(a, error));
    SARI_TRY(sari_end_complete(b, error));
    return sari_check_both(a->normal, b->normal, "normal", error);
}

/// The end's normal is `v` of the body `from` as drawn, as far as it is across the end's axis.
static void normal_as_drawn(const sar_model* model, sar_end* end, sar_body_id from,
                            const double v[3])
{
    sari_as_drawn(model, from, end->body, v, end->normal);
    if (!make_perpendicular(end->normal, end->axis)) sari_usual_normal(end->axis, end->normal);
}

sar_status sari_frames_spatial(const sar_model* model, sar_end* a, sar_end* b, sar_error* error)
{
    SARI_TRY(complete_both(a, b, error));
    if (!sari_is_zero(a->normal)) return SAR_OK;
    sari_usual_normal(a->axis, a->normal);
    normal_as_drawn(model, b, a->body, a->normal);
    return SAR_OK;
}

static sar_status check_in_plane(const double v[3], const char* field, sar_error* error)
{
    SARI_TRY(sari_check_numbers(v, 3, field, error));
    if (v[2] == 0) return SAR_OK;
    return sari_fail(error, SAR_E_MODEL, field,
                     "this model is planar: the %s must lie in the plane (its z component is %g)",
                     field, v[2]);
}

static sar_status complete_in_plane(sar_end* end, sar_error* error)
{
    SARI_TRY(check_in_plane(end->axis, "axis", error));
    SARI_TRY(check_in_plane(end->normal, "normal", error));
    SARI_TRY(sari_end_complete(end, error));
    double turned[3] = {-end->axis[1], end->axis[0], 0};
    if (sari_dot(turned, end->normal) < 0)
        return sari_fail(error, SAR_E_MODEL, "normal",
                         "in a planar model the normal is the axis rotated by +90 degrees, and "
                         "this one points in the opposite direction; leave it out");
    memcpy(end->normal, turned, sizeof turned);
    return SAR_OK;
}

sar_status sari_frames_planar(sar_end* a, sar_end* b, sar_error* error)
{
    SARI_TRY(complete_in_plane(a, error));
    return complete_in_plane(b, error);
}

void sari_clear_frame(sar_end* end)
{
    memset(end->axis, 0, sizeof end->axis);
    memset(end->normal, 0, sizeof end->normal);
}

/// End b gets the frame that coincides with that of a as drawn.
static void copy_frame(const sar_model* model, const sar_end* a, sar_end* b)
{
    sari_as_drawn(model, a->body, b->body, a->axis, b->axis);
    sari_as_drawn(model, a->body, b->body, a->normal, b->normal);
}

/* ---- of joints ------------------------------------------------------------------------------ */

static sar_status complete_alone(const sar_model* model, sar_end* end, sar_error* error)
{
    sar_end twin = *end;
    return model->dimension == 2 ? complete_in_plane(end, error)
                                 : sari_frames_spatial(model, end, &twin, error);
}

/// "b on the line of a" needs a frame on a alone; b's follows as drawn.
static sar_status frames_of_a(const sar_model* model, sar_end* a, sar_end* b, sar_error* error)
{
    SARI_TRY(complete_alone(model, a, error));
    copy_frame(model, a, b);
    return SAR_OK;
}

/// The axis is z. Without normals the angle is the difference of the bodies' angles; what keeps an
/// orientation keeps the drawn one.
static sar_status frames_about_z(const sar_model* model, sar_joint_def* def, bool keeps,
                                 sar_error* error)
{
    const double z[3] = {0, 0, 1};
    sar_end* ends[2] = {&def->a, &def->b};
    for (int k = 0; k < 2; k++) {
        const double* given = ends[k]->axis;
        if (keeps && (given[0] != 0 || given[1] != 0))
            return sari_fail(error, SAR_E_MODEL, "axis",
                             "%s joints of planar models have no axis; give normals to set the "
                             "orientation of the bodies",
                             sari_type_of(def)->word);
    }
    for (int k = 0; k < 2; k++) {
        memcpy(ends[k]->axis, z, sizeof z);
        SARI_TRY(check_in_plane(ends[k]->normal, "normal", error));
    }
    SARI_TRY(complete_both(&def->a, &def->b, error));
    if (!sari_is_zero(def->a.normal)) return SAR_OK;
    def->a.normal[0] = def->b.normal[0] = 1;
    if (keeps) copy_frame(model, &def->a, &def->b);
    return SAR_OK;
}

/// A line's normal or a direction on one end; the other has the axis z.
static sar_status frames_beside_z(sar_end* end, sar_end* other, sar_error* error)
{
    sari_clear_frame(other);
    other->axis[2] = other->normal[0] = 1;
    return complete_in_plane(end, error);
}

static sar_status frames_in_plane(const sar_model* model, sar_joint_def* def, sar_error* error)
{
    const sari_joint_form* form = &sari_type_of(def)->plane;
    sar_end *a = &def->a, *b = &def->b;
    if (form->axis == SARI_OF_A) return frames_beside_z(a, b, error);
    if (form->axis == SARI_OF_B) return frames_beside_z(b, a, error);
    if (form->normal == SARI_OF_A && !form->axis) // that of b counts for nothing
        memcpy(b->normal, a->normal, sizeof a->normal);
    if (!form->axis) return frames_about_z(model, def, sari_form_aligns(form), error);
    return sari_form_symmetric(form) ? sari_frames_planar(a, b, error)
                                     : frames_of_a(model, a, b, error);
}

/// Axes across each other: without normals each end's is the other's axis as drawn, so that both
/// angles are zero there.
static sar_status frames_across(const sar_model* model, sar_end* a, sar_end* b, sar_error* error)
{
    SARI_TRY(complete_both(a, b, error));
    if (!sari_is_zero(a->normal)) return SAR_OK;
    normal_as_drawn(model, a, b->body, b->axis);
    normal_as_drawn(model, b, a->body, a->axis);
    return SAR_OK;
}

static bool has_orientation(const sar_model* model, sar_body_id body)
{
    return model->bodies[body.i].def.has_rotation || body.i == SAR_GROUND.i;
}

/// Without normals that of b follows that of a as drawn.
static sar_status frames_following(const sar_model* model, sar_joint_def* def, sar_error* error)
{
    sar_end *a = &def->a, *b = &def->b, follower;
    double normal[3], u[3], n[3];
    SARI_TRY(complete_both(a, b, error));
    memcpy(normal, a->normal, sizeof normal);
    if (sari_is_zero(normal)) sari_usual_normal(a->axis, normal);
    sari_as_drawn(model, a->body, b->body, a->axis, u);
    sari_as_drawn(model, a->body, b->body, normal, n);
    follower = *b;
    const bool found = sari_type_of(def)->space.follow(u, n, &follower);
    if (has_orientation(model, a->body) && has_orientation(model, b->body) && !found)
        return sari_fail(error, SAR_E_MODEL, "axis", "%s", sari_type_of(def)->one_axis);
    if (!sari_is_zero(a->normal)) return SAR_OK;
    memcpy(a->normal, normal, sizeof normal);
    *b = follower;
    return SAR_OK;
}

/// Axes of their own that must not be parallel as drawn.
static sar_status frames_of_each(const sar_model* model, sar_joint_def* def, sar_error* error)
{
    sar_end *a = &def->a, *b = &def->b;
    SARI_TRY(complete_alone(model, a, error));
    SARI_TRY(complete_alone(model, b, error));
    double axis[3];
    sari_as_drawn(model, b->body, a->body, b->axis, axis);
    sari_cross(a->axis, axis, axis);
    if (!has_orientation(model, a->body) || !has_orientation(model, b->body) ||
        sari_norm3(axis) > PARALLEL)
        return SAR_OK;
    return sari_fail(error, SAR_E_MODEL, "axis", "%s", sari_type_of(def)->one_axis);
}

static sar_status frames_in_space(const sar_model* model, sar_joint_def* def, sar_error* error)
{
    const sari_joint_form* form = &sari_type_of(def)->space;
    sar_end *a = &def->a, *b = &def->b;
    if (form->follow) return frames_following(model, def, error);
    if (sari_type_of(def)->one_axis) return frames_of_each(model, def, error);
    if (form->axis == SARI_OF_EACH) return frames_across(model, a, b, error);
    if (form->axis == SARI_OF_A) {
        sari_clear_frame(b);
        return complete_alone(model, a, error);
    }
    if (form->axis == SARI_OF_BOTH_OR_NONE) {
        SARI_TRY(sari_check_both(a->axis, b->axis, "axis", error));
        if (sari_is_zero(a->axis)) {
            a->axis[2] = 1;
            sari_as_drawn(model, a->body, b->body, a->axis, b->axis);
        }
    }
    return sari_form_symmetric(form) ? sari_frames_spatial(model, a, b, error)
                                     : frames_of_a(model, a, b, error);
}

sar_status sari_joint_frames(const sar_model* model, sar_joint_def* def, sar_error* error)
{
    const sari_joint_form* form = sari_form_of(def, model->dimension);
    if (form->axis || form->normal)
        return model->dimension == 2 ? frames_in_plane(model, def, error)
                                     : frames_in_space(model, def, error);
    sari_clear_frame(&def->a), sari_clear_frame(&def->b);
    return SAR_OK;
}
