#include "pages/page_model.h"

#include <stdio.h>

static void put_point(cli_json* j, const char* key, const double p[3])
{
    cli_json_open(j, key, '[');
    for (int k = 0; k < 3; k++) cli_json_short(j, NULL, p[k]);
    cli_json_close(j);
}

static void put_joints(cli_json* j, const sar_model* model)
{
    cli_json_open(j, "joints", '[');
    for (int k = 0; k < sar_model_joints(model); k++) {
        sar_end a, b;
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "name", sar_model_joint_name(model, k));
        if (sar_model_joint_ends(model, k, &a, &b)) {
            cli_json_integer(j, "body", b.body.i);
            put_point(j, "point", b.point);
        }
        cli_json_close(j);
    }
    cli_json_close(j);
}

static void put_forces(cli_json* j, const sar_model* model)
{
    cli_json_open(j, "forces", '[');
    for (int k = 0; k < sar_model_forces(model); k++) {
        const sar_force_place place = sar_model_force_place(model, (sar_force_id){k});
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "name", sar_model_force_name(model, k));
        cli_json_integer(j, "body", place.body.i);
        put_point(j, "point", place.point);
        if (place.radius > 0) cli_json_short(j, "radius", place.radius);
        cli_json_close(j);
    }
    cli_json_close(j);
}

void cli_page_put_model(cli_json* j, const sar_model* model, const sar_drawing* drawing)
{
    double least[3], most[3], up[3], gravity[3];
    sar_model_gravity(model, gravity);
    sar_drawing_bounds(drawing, least, most);
    sar_drawing_up(drawing, up);
    cli_json_open(j, "model", '{');
    cli_json_text(j, "name", sar_model_name(model));
    cli_json_integer(j, "dimension", sar_model_dimension(model));
    cli_json_number(j, "size", sar_drawing_size(drawing));
    put_point(j, "up", up);
    put_point(j, "gravity", gravity);
    cli_json_open(j, "bounds", '[');
    put_point(j, NULL, least);
    put_point(j, NULL, most);
    cli_json_close(j);
    cli_json_open(j, "bodies", '[');
    for (int b = 0; b < sar_model_bodies(model); b++) {
        double center[3] = {0};
        sar_model_find_point(model, (sar_body_id){b}, "center", 6, center);
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "name", sar_model_body_name(model, b));
        put_point(j, "center", center);
        cli_json_number(j, "mass", sar_model_body_mass(model, b));
        cli_json_close(j);
    }
    cli_json_close(j);
    put_joints(j, model);
    put_forces(j, model);
    cli_json_close(j);
}

void cli_page_put_mark(cli_json* j, const sar_mark* m)
{
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "kind", sar_mark_kind_word(m->kind));
    cli_json_text(j, "role", sar_mark_role_word(m->role));
    cli_json_integer(j, "body", m->body);
    cli_json_integer(j, "other", m->other);
    cli_json_integer(j, "joint", m->joint);
    cli_json_text(j, "name", m->name);
    cli_json_short(j, "radius", m->radius);
    cli_json_open(j, "points", '[');
    for (int k = 0; k < m->count; k++) put_point(j, NULL, m->points[k]);
    cli_json_close(j);
    if (m->triangle_count) {
        cli_json_open(j, "triangles", '[');
        for (int k = 0; k < 3 * m->triangle_count; k++) cli_json_integer(j, NULL, m->triangles[k]);
        cli_json_close(j);
    }
    if (m->colour >= 0) {
        char colour[16];
        snprintf(colour, sizeof colour, "#%06lx", (unsigned long)m->colour & 0xffffff);
        cli_json_text(j, "colour", colour);
    }
    if (m->style != SAR_STYLE_SOLID) cli_json_text(j, "style", sar_style_word(m->style));
    cli_json_close(j);
}
