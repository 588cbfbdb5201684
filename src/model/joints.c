/* Joints, couplings and drives: checks, and the frames that the user left to the drawing. */
#include "base/memory.h"
#include "math/vec3.h"
#include "model/parts.h"

#include <stdio.h>

static const struct {
    const char* word;
    bool planar, spatial;
} TYPES[] = {
#define JOINT_ROW(name, word, planar, spatial, axes, text) {word, planar, spatial},
    SAR_JOINT_LIST(JOINT_ROW)
#undef JOINT_ROW
};

sar_joint_def sar_joint_def_default(void)
{
    return (sar_joint_def){.type = SAR_JOINT_REVOLUTE, .a.axis = {0, 0, 1}, .b.axis = {0, 0, 1}};
}

sar_coupling_def sar_coupling_def_default(void)
{
    return (sar_coupling_def){0};
}

sar_drive_def sar_drive_def_default(void)
{
    return (sar_drive_def){.joint = {-1}};
}

/* ---- types -------------------------------------------------------------------------------- */

/// What to use instead in a model of the other dimension, or NULL.
static const char* substitute(sar_joint_type type)
{
    switch (type) {
    case SAR_JOINT_SPHERICAL:
    case SAR_JOINT_UNIVERSAL:
        return "revolute";
    case SAR_JOINT_CYLINDRICAL:
    case SAR_JOINT_SCREW:
        return "prismatic";
    case SAR_JOINT_POINT_ON_PLANE:
        return "point-on-line";
    case SAR_JOINT_ROLLING_SPHERE:
        return "rolling-disc";
    default:
        return NULL;
    }
}

static sar_status check_type(const sar_model* model, sar_joint_type type, sar_error* error)
{
    if ((int)type < 0 || (int)type >= SAR_JOINT_TYPES)
        return sari_fail(error, SAR_E_ARG, "type", "there is no joint type %d", (int)type);
    if (model->dimension == 2 ? TYPES[type].planar : TYPES[type].spatial) return SAR_OK;
    const char* instead = substitute(type);
    return sari_fail(error, SAR_E_MODEL, "type", "%s joints exist in spatial models only%s%s",
                     TYPES[type].word, instead ? "; in a planar model use " : "",
                     instead ? instead : "");
}

static bool rolls(sar_joint_type type)
{
    return type == SAR_JOINT_ROLLING_SPHERE || type == SAR_JOINT_ROLLING_DISC;
}

static sar_status check_sizes(sar_joint_def* def, sar_error* error)
{
    if (def->type != SAR_JOINT_SCREW) def->pitch = 0;
    if (def->type != SAR_JOINT_DISTANCE) def->distance = 0;
    if (!rolls(def->type)) def->radius = 0;
    SARI_TRY(sari_check_numbers(&def->radius, 1, "radius", error));
    if (rolls(def->type) && !(def->radius > 0))
        return sari_fail(error, SAR_E_MODEL, "radius", "the radius must be positive, not %g",
                         def->radius);
    SARI_TRY(sari_check_numbers(&def->pitch, 1, "pitch", error));
    SARI_TRY(sari_check_numbers(&def->distance, 1, "distance", error));
    if (def->type == SAR_JOINT_SCREW && def->pitch == 0)
        return sari_fail(error, SAR_E_MODEL, "pitch",
                         "the pitch of a screw joint must not be zero; use revolute for that");
    if (def->type == SAR_JOINT_DISTANCE && !(def->distance > 0))
        return sari_fail(error, SAR_E_MODEL, "distance",
                         "the distance must be positive, not %g; to let the points coincide use "
                         "a revolute or spherical joint",
                         def->distance);
    return SAR_OK;
}

/* ---- frames ------------------------------------------------------------------------------- */

static void clear_frame(sar_end* end)
{
    memset(end->axis, 0, sizeof end->axis);
    memset(end->normal, 0, sizeof end->normal);
}

/// "Point b on the line (in the plane) of a" needs a frame on a alone; b's follows as drawn.
static sar_status frames_of_a(const sar_model* model, sar_joint_def* def, sar_error* error)
{
    sar_end* a = &def->a;
    sar_end twin = *a;
    SARI_TRY(model->dimension == 2 ? sari_frames_planar(a, &twin, error)
                                   : sari_frames_spatial(model, a, &twin, error));
    sari_frame_copy(model, a, &def->b);
    return SAR_OK;
}

static sar_status frames_of_fixed(const sar_model* model, sar_joint_def* def, sar_error* error)
{
    sar_end *a = &def->a, *b = &def->b;
    SARI_TRY(sari_check_both(a->axis, b->axis, "axis", error));
    if (sari_is_zero(a->axis)) {
        a->axis[2] = 1;
        sari_as_drawn(model, a->body, b->body, a->axis, b->axis);
    }
    return sari_frames_spatial(model, a, b, error);
}

/// The two axes are across each other. Without normals each end's is the other's axis as drawn, so
/// that both angles are zero there.
static sar_status frames_of_universal(const sar_model* model, sar_joint_def* def, sar_error* error)
{
    sar_end *a = &def->a, *b = &def->b;
    SARI_TRY(sari_complete_both(a, b, error));
    if (!sari_is_zero(a->normal)) return SAR_OK;
    sari_normal_as_drawn(model, a, b->body, b->axis);
    sari_normal_as_drawn(model, b, a->body, a->axis);
    return SAR_OK;
}

/// The axes as drawn: a disc that lies in the plane touches it everywhere, and a blade that stands
/// upright in it has no direction to glide.
static sar_status check_across(const sar_model* model, const sar_joint_def* def, sar_error* error)
{
    const sar_body_def *a = &model->bodies[def->a.body.i].def,
                       *b = &model->bodies[def->b.body.i].def;
    const bool drawn_a = a->has_rotation || def->a.body.i == SAR_GROUND.i;
    const bool drawn_b = b->has_rotation || def->b.body.i == SAR_GROUND.i;
    double axis[3];
    sari_as_drawn(model, def->b.body, def->a.body, def->b.axis, axis);
    sari_cross(def->a.axis, axis, axis);
    if (!drawn_a || !drawn_b || sari_norm3(axis) > 1e-6) return SAR_OK;
    return sari_fail(
        error, SAR_E_MODEL, "axis",
        def->type == SAR_JOINT_ROLLING_DISC
            ? "as drawn the disc lies flat in the plane: its axis, on the second side, "
              "must not be along the normal of the plane, on the first"
            : "as drawn the direction in which the edge glides, on the second side, "
              "is along the normal of the plane, on the first");
}

/// A plane on a and, but for a ball, an axis on b. The first direction in the plane is a's normal.
static sar_status frames_of_plane(const sar_model* model, sar_joint_def* def, sar_error* error)
{
    sar_end twin = def->a;
    SARI_TRY(sari_frames_spatial(model, &def->a, &twin, error));
    if (def->type == SAR_JOINT_ROLLING_SPHERE) {
        clear_frame(&def->b);
        return SAR_OK;
    }
    twin = def->b;
    SARI_TRY(sari_frames_spatial(model, &def->b, &twin, error));
    return check_across(model, def, error);
}

static sar_status frames_in_space(const sar_model* model, sar_joint_def* def, sar_error* error)
{
    switch (def->type) {
    case SAR_JOINT_SPHERICAL:
    case SAR_JOINT_DISTANCE:
        clear_frame(&def->a), clear_frame(&def->b);
        return SAR_OK;
    case SAR_JOINT_POINT_ON_LINE:
    case SAR_JOINT_POINT_ON_PLANE:
        return frames_of_a(model, def, error);
    case SAR_JOINT_FIXED:
        return frames_of_fixed(model, def, error);
    case SAR_JOINT_UNIVERSAL:
        return frames_of_universal(model, def, error);
    case SAR_JOINT_ROLLING_SPHERE:
    case SAR_JOINT_ROLLING_DISC:
    case SAR_JOINT_KNIFE_EDGE:
        return frames_of_plane(model, def, error);
    default:
        return sari_frames_spatial(model, &def->a, &def->b, error);
    }
}

/// Revolute and fixed: the axis is z. Without normals the angle of a revolute joint is the
/// difference of the bodies' angles; a fixed joint keeps the drawn difference.
static sar_status frames_about_z(const sar_model* model, sar_joint_def* def, sar_error* error)
{
    sar_end *a = &def->a, *b = &def->b;
    SARI_TRY(sari_frames_about_z(a, b, error));
    if (!sari_is_zero(a->normal)) return SAR_OK;
    a->normal[0] = b->normal[0] = 1;
    if (def->type == SAR_JOINT_FIXED) sari_frame_copy(model, a, b);
    return SAR_OK;
}

/// A wheel on a line, given by the line's normal on a, or an edge that glides along b's axis. The
/// other side has z: the axis of the wheel, the normal of the edge's plane.
static sar_status frame_of_one(sar_joint_def* def, sar_error* error)
{
    const bool wheel = def->type == SAR_JOINT_ROLLING_DISC;
    sar_end *one = wheel ? &def->a : &def->b, *other = wheel ? &def->b : &def->a, twin = *one;
    clear_frame(other);
    other->axis[2] = other->normal[0] = 1;
    return sari_frames_planar(one, &twin, error);
}

static sar_status frames_in_plane(const sar_model* model, sar_joint_def* def, sar_error* error)
{
    const double* given[2] = {def->a.axis, def->b.axis};
    switch (def->type) {
    case SAR_JOINT_DISTANCE:
        clear_frame(&def->a), clear_frame(&def->b);
        return SAR_OK;
    case SAR_JOINT_POINT_ON_LINE:
        return frames_of_a(model, def, error);
    case SAR_JOINT_ROLLING_DISC:
    case SAR_JOINT_KNIFE_EDGE:
        return frame_of_one(def, error);
    case SAR_JOINT_PRISMATIC:
        return sari_frames_planar(&def->a, &def->b, error);
    case SAR_JOINT_FIXED:
        for (int k = 0; k < 2; k++)
            if (given[k][0] != 0 || given[k][1] != 0)
                return sari_fail(error, SAR_E_MODEL, "axis",
                                 "fixed joints of planar models have no axis; to say how the "
                                 "bodies are turned give normals");
        return frames_about_z(model, def, error);
    default:
        return frames_about_z(model, def, error);
    }
}

/* ---- storing ------------------------------------------------------------------------------ */

void sari_joint_release(sari_joint* joint)
{
    sari_release(joint->name);
    sari_release((void*)joint->drive.value);
    sari_expression_destroy(joint->value);
    *joint = (sari_joint){0};
}

sar_status sari_joint_store(sar_model* model, sari_joint joint, const char* name, sar_joint_id* out,
                            sar_error* error)
{
    void* joints = model->joints;
    bool grown =
        sari_grow(&joints, model->joints_count, &model->joints_capacity, sizeof(sari_joint));
    model->joints = joints;
    joint.name = grown ? sari_copy_string(name) : NULL;
    const int number = model->joints_count;
    sar_status status =
        joint.name ? sari_model_enter_part(model, SARI_PART_JOINT, joint.name, number, error)
                   : sari_out_of_memory(error);
    if (status != SAR_OK) {
        sari_joint_release(&joint);
        return status;
    }
    joint.pair.name = joint.coupling.name = joint.drive.name = joint.name;
    if (out) *out = (sar_joint_id){number};
    model->joints[model->joints_count++] = joint;
    return SAR_OK;
}

sar_status sar_model_add_joint(sar_model* model, const sar_joint_def* def, sar_joint_id* out,
                               sar_error* error)
{
    sari_joint joint = {.kind = SARI_JOINT_PAIR, .pair = *def};
    SARI_TRY(sari_model_check_name(model, def->name, error));
    SARI_TRY(check_type(model, def->type, error));
    SARI_TRY(sari_check_ends(model, &def->a, &def->b, error));
    SARI_TRY(check_sizes(&joint.pair, error));
    SARI_TRY(model->dimension == 2 ? frames_in_plane(model, &joint.pair, error)
                                   : frames_in_space(model, &joint.pair, error));
    if (def->attach_here && (rolls(def->type) || def->type == SAR_JOINT_KNIFE_EDGE))
        return sari_fail(error, SAR_E_MODEL, "attach",
                         "a %s joint has nothing to attach: its plane stays where it is on the "
                         "first body",
                         TYPES[def->type].word);
    if (def->attach_here && !def->absent)
        return sari_fail(error, SAR_E_MODEL, "attach",
                         "a joint that is there from the start has its place from the drawing; "
                         "only one that a phase adds (active: no) can attach where it is");
    joint.absent = def->absent != 0;
    joint.attaches = def->attach_here != 0;
    return sari_joint_store(model, joint, def->name, out, error);
}

/* ---- couplings ---------------------------------------------------------------------------- */

static sar_status check_coefficient(double coefficient, int k, sar_error* error)
{
    char field[32];
    snprintf(field, sizeof field, "coefficient[%d]", k);
    return sari_check_numbers(&coefficient, 1, field, error);
}

static sar_status check_terms(const sar_model* model, const sar_coupling_def* def, sar_error* error)
{
    if (def->terms < 2 || def->terms > 8)
        return sari_fail(error, SAR_E_MODEL, "terms", "a coupling has 2 to 8 terms, not %d",
                         def->terms);
    bool zero = true;
    for (int k = 0; k < def->terms; k++) {
        SARI_TRY(sari_check_coordinate(model, def->joint[k], def->coordinate[k], k, error));
        SARI_TRY(check_coefficient(def->coefficient[k], k, error));
        if (def->coefficient[k] != 0) zero = false;
    }
    if (zero)
        return sari_fail(error, SAR_E_MODEL, "coefficient[0]",
                         "all coefficients are zero: nothing is coupled");
    return SAR_OK;
}

sar_status sar_model_add_coupling(sar_model* model, const sar_coupling_def* def, sar_joint_id* out,
                                  sar_error* error)
{
    sari_joint joint = {.kind = SARI_JOINT_COUPLING, .coupling = *def, .absent = def->absent != 0};
    SARI_TRY(sari_model_check_name(model, def->name, error));
    SARI_TRY(check_terms(model, def, error));
    if (!def->has_offset) joint.coupling.offset = 0;
    SARI_TRY(sari_check_numbers(&joint.coupling.offset, 1, "offset", error));
    return sari_joint_store(model, joint, def->name, out, error);
}

/* ---- drives ------------------------------------------------------------------------------- */

static sar_status check_drive(const sar_model* model, sar_drive_def* def, sar_error* error)
{
    SARI_TRY(sari_model_check_name(model, def->name, error));
    if (def->joint.i >= 0) {
        def->a = def->b = (sar_end){0};
        return sari_check_coordinate(model, def->joint, def->coordinate, -1, error);
    }
    def->coordinate = SAR_COORD_DISTANCE;
    clear_frame(&def->a), clear_frame(&def->b);
    return sari_check_ends(model, &def->a, &def->b, error);
}

sar_status sar_model_add_drive(sar_model* model, const sar_drive_def* def, sar_joint_id* out,
                               sar_error* error)
{
    sari_joint joint = {.kind = SARI_JOINT_DRIVE, .drive = *def, .absent = def->absent != 0};
    SARI_TRY(check_drive(model, &joint.drive, error));
    joint.drive.value = NULL;
    SARI_TRY(sari_model_compile(model, def->value, 0, "value", &joint.value, error));
    joint.drive.value = sari_copy_string(def->value);
    if (!joint.drive.value) {
        sari_joint_release(&joint);
        return sari_out_of_memory(error);
    }
    return sari_joint_store(model, joint, def->name, out, error);
}

sar_status sar_model_find_joint(const sar_model* model, const char* name, size_t length,
                                sar_joint_id* out)
{
    int found = sari_model_find_kind(model, SARI_PART_JOINT, name, length);
    if (found < 0) return SAR_E_ARG;
    *out = (sar_joint_id){found};
    return SAR_OK;
}
