/* Shapes of bodies: checked, kept, and shown by pictures alone. */
#include "base/memory.h"
#include "math/vec3.h"
#include "model/parts.h"

static const double FLAT = 1e-6; ///< of a polygon's size: so far its corners may be from its plane

sar_shape_def sar_shape_def_default(void)
{
    return (sar_shape_def){.colour = -1};
}

/* ---- checks --------------------------------------------------------------------------------- */

static void difference(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = a[k] - b[k];
}

/* The vectors from point 0 to the faces span a box. */
static sar_status check_box(const sar_shape_def* def, sar_error* error)
{
    for (int k = 1; k < 4; k++) {
        double edge[3];
        difference(def->point[k], def->point[0], edge);
        if (!(sari_norm3(edge) > 0))
            return sari_fail(error, SAR_E_MODEL, "size", "the edges of a box must be positive");
    }
    return SAR_OK;
}

static sar_status check_ends(const sar_shape_def* def, sar_error* error)
{
    double axis[3];
    difference(def->point[1], def->point[0], axis);
    if (sari_norm3(axis) > 0) return SAR_OK;
    return sari_fail(error, SAR_E_MODEL, "to", "both ends are at the same place");
}

/* Not all on a line, and all in a plane. */
static sar_status check_polygon(const sar_shape_def* def, sar_error* error)
{
    double normal[3] = {0}, size = 0, gap[3], side[3], across[3];
    for (int k = 1; k < def->points; k++) {
        difference(def->point[k], def->point[0], gap);
        size = fmax(size, sari_norm3(gap));
    }
    for (int i = 1; i < def->points; i++) {
        difference(def->point[i], def->point[0], gap);
        difference(def->point[(i + 1) % def->points], def->point[i], side);
        sari_cross(gap, side, across);
        if (sari_norm3(across) > sari_norm3(normal)) memcpy(normal, across, sizeof normal);
    }
    const double length = sari_norm3(normal);
    if (!(length > FLAT * size * size))
        return sari_fail(error, SAR_E_MODEL, "points", "the corners of the polygon are on a line");
    for (int k = 1; k < def->points; k++) {
        difference(def->point[k], def->point[0], gap);
        if (fabs(sari_dot(gap, normal)) > FLAT * size * length)
            return sari_fail(error, SAR_E_MODEL, "points",
                             "corner %d of the polygon is not in the plane of the others", k + 1);
    }
    return SAR_OK;
}

static sar_status check_mesh(const sar_shape_def* def, sar_error* error)
{
    if (def->triangles < 1)
        return sari_fail(error, SAR_E_MODEL, "file", "the mesh has no triangles");
    for (int t = 0; t < def->triangles; t++)
        for (int k = 0; k < 3; k++)
            if (def->triangle[t][k] < 0 || def->triangle[t][k] >= def->points)
                return sari_fail(error, SAR_E_MODEL, "file",
                                 "triangle %d has a corner %d; there are %d", t + 1,
                                 def->triangle[t][k], def->points);
    return SAR_OK;
}

static sar_status check(const sar_shape_def* def, sar_error* error)
{
    static const int points[SAR_SHAPE_KINDS] = {
        [SAR_SHAPE_BOX] = 4,     [SAR_SHAPE_CYLINDER] = 2, [SAR_SHAPE_SPHERE] = 1,
        [SAR_SHAPE_CAPSULE] = 2, [SAR_SHAPE_POLYGON] = 3,  [SAR_SHAPE_MESH] = 3};
    if (def->kind < 0 || def->kind >= SAR_SHAPE_KINDS || def->style < 0 || def->style >= SAR_STYLES)
        return sari_fail(error, SAR_E_MODEL, "type", "there is no such shape or style");
    const bool some = def->kind == SAR_SHAPE_POLYGON || def->kind == SAR_SHAPE_MESH;
    if (def->points < points[def->kind] || (!some && def->points > points[def->kind]))
        return sari_fail(error, SAR_E_MODEL, "points", "%d points are not what this shape has",
                         def->points);
    SARI_TRY(sari_check_numbers(&def->point[0][0], 3 * def->points, "points", error));
    if (def->colour < -1 || def->colour > 0xffffff)
        return sari_fail(error, SAR_E_MODEL, "colour", "a colour is 0xRRGGBB");
    switch (def->kind) {
    case SAR_SHAPE_BOX:
        return check_box(def, error);
    case SAR_SHAPE_POLYGON:
        SARI_TRY(sari_check_not_negative(def->radius, "thickness", error));
        return check_polygon(def, error);
    case SAR_SHAPE_MESH:
        return check_mesh(def, error);
    default:
        SARI_TRY(sari_check_positive(def->radius, "radius", error));
        return def->kind == SAR_SHAPE_SPHERE ? SAR_OK : check_ends(def, error);
    }
}

/* ---- the list ------------------------------------------------------------------------------- */

static void release(sar_shape_def* shape)
{
    sari_release((void*)(size_t)shape->point);
    sari_release((void*)(size_t)shape->triangle);
}

void sari_shapes_release(sari_body* body)
{
    for (int k = 0; k < body->shapes_count; k++) release(&body->shapes[k]);
    sari_release(body->shapes);
}

sar_status sar_model_add_shape(sar_model* model, sar_body_id body, const sar_shape_def* def,
                               sar_error* error)
{
    SARI_TRY(sari_check_body(model, body, "body", error));
    SARI_TRY(check(def, error));
    sari_body* b = &model->bodies[body.i];
    void* shapes = b->shapes;
    const int grown = sari_grow(&shapes, b->shapes_count, &b->shapes_capacity, sizeof *b->shapes);
    b->shapes = shapes;
    sar_shape_def copy = *def;
    copy.point = sari_copy(def->point, (size_t)def->points, sizeof *def->point);
    copy.triangle = sari_copy(def->triangle, (size_t)def->triangles, sizeof *def->triangle);
    if (!grown || !copy.point || (def->triangles && !copy.triangle)) {
        release(&copy);
        return sari_out_of_memory(error);
    }
    b->shapes[b->shapes_count++] = copy;
    return SAR_OK;
}

int sar_model_shapes(const sar_model* model, sar_body_id body)
{
    return body.i >= 0 && body.i < model->bodies_count ? model->bodies[body.i].shapes_count : 0;
}
