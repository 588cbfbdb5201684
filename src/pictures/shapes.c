/* Shapes that the model gives a body, in the place of rods and plates. */
#include "pictures/marks.h"

static const sar_mark_kind kinds[SAR_SHAPE_KINDS] = {
    [SAR_SHAPE_BOX] = SAR_MARK_BOX,         [SAR_SHAPE_CYLINDER] = SAR_MARK_CYLINDER,
    [SAR_SHAPE_SPHERE] = SAR_MARK_BALL,     [SAR_SHAPE_CAPSULE] = SAR_MARK_CAPSULE,
    [SAR_SHAPE_POLYGON] = SAR_MARK_POLYGON, [SAR_SHAPE_MESH] = SAR_MARK_MESH};

static void draw_shape(sar_drawing* d, int body, const sar_shape_def* shape)
{
    const double h = sari_layer_height(d, body);
    const double radius =
        shape->kind == SAR_SHAPE_POLYGON && shape->radius == 0 ? 0.5 * d->r : shape->radius;
    const sar_mark_role role = body ? SAR_ROLE_BODY : SAR_ROLE_GROUND;
    sar_mark* mark =
        sari_mark_add(d, kinds[shape->kind], role, body, shape->point, shape->points, radius);
    if (!mark) return;
    double(*points)[3] = (double(*)[3])(size_t)mark->points; // the drawing's own
    for (int k = 0; k < mark->count; k++) points[k][2] += h;
    mark->triangles = shape->triangles ? &shape->triangle[0][0] : NULL;
    mark->triangle_count = shape->triangles;
    mark->colour = shape->colour;
    mark->style = shape->style;
}

bool sari_draw_shapes(sar_drawing* d, int body)
{
    const sari_body* b = &d->model->bodies[body];
    for (int k = 0; k < b->shapes_count; k++) draw_shape(d, body, &b->shapes[k]);
    return b->shapes_count > 0;
}

void sari_drop_made_up(sar_drawing* d)
{
    int kept = 0;
    for (int k = 0; k < d->count; k++) {
        const sar_mark* mark = &d->marks[k];
        const bool made_up = mark->role == SAR_ROLE_BODY || mark->role == SAR_ROLE_STRIPE;
        if (made_up && d->model->bodies[mark->body].shapes_count > 0) continue;
        d->marks[kept++] = *mark;
    }
    d->count = kept;
}
