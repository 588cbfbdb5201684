/* sar_robot_write: the mechanism as links that hang on each other (tree.c), what acts along their motions (travel.c), and what
 * is left out. The two formats are in urdf.c and mjcf.c. */
#include "export/robot_file.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- parts of links ------------------------------------------------------------------------- */

sari_pose sari_export_pose(const sari_robot_file* f, int above, int link)
{
    const double ROUNDING = 1e-15; // of the size, and of an axis
    sari_pose at = sari_pose_between(&f->link[above].at, &f->link[link].at);
    for (int k = 0; k < 3; k++)
        if (fabs(at.p[k]) <= ROUNDING * f->size) at.p[k] = 0.0;
    for (int k = 0; k < 9; k++)
        if (fabs(at.R[k]) <= ROUNDING) at.R[k] = 0.0;
    return at;
}

/* In the plane one moment counts; the others are those of a flat body. */
void sari_export_inertia(const sari_robot_file* f, int link, double center[3], double inertia[6])
{
    const sari_export_link* x = &f->link[link];
    const sar_body_def* def = &f->model->bodies[x->body].def;
    for (int k = 0; k < 3; k++) center[k] = def->center[k] - x->shift[k];
    memcpy(inertia, def->inertia, sizeof def->inertia);
    if (f->model->dimension == 2) inertia[0] = inertia[1] = 0.5 * inertia[2];
}

/* Axes of which z is given. */
static void frame_of(const double z[3], double R[9])
{
    double x[3], y[3];
    sari_pose_across(z, x);
    sari_cross(z, x, y);
    for (int k = 0; k < 3; k++) R[3 * k] = x[k], R[3 * k + 1] = y[k], R[3 * k + 2] = z[k];
}

/* Between the middles of its ends; of a capsule without its round ones. */
static bool put_rod(const sar_shape_def* shape, sari_export_solid* out)
{
    double z[3];
    for (int k = 0; k < 3; k++) {
        z[k] = shape->point[1][k] - shape->point[0][k];
        out->at.p[k] = 0.5 * (shape->point[0][k] + shape->point[1][k]);
    }
    out->size[0] = shape->radius;
    out->size[1] = sari_norm3(z);
    if (!sari_pose_normalise(z)) return false;
    frame_of(z, out->at.R);
    return true;
}

/* Its middle, and those of three faces; the third edge follows from the others, right-handed. */
static bool put_box(const sar_shape_def* shape, sari_export_solid* out)
{
    double edge[3][3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) edge[i][k] = shape->point[i + 1][k] - shape->point[0][k];
        out->size[i] = 2.0 * sari_norm3(edge[i]);
        if (!sari_pose_normalise(edge[i])) return false;
    }
    sari_cross(edge[0], edge[1], edge[2]);
    memcpy(out->at.p, shape->point[0], sizeof out->at.p);
    for (int k = 0; k < 9; k++) out->at.R[k] = edge[k % 3][k / 3];
    return true;
}

bool sari_export_shape(const sari_robot_file* f, int link, const sar_shape_def* shape,
                       sari_export_solid* out)
{
    *out = (sari_export_solid){.at = SARI_POSE_IDENTITY};
    bool solid = false;
    switch (shape->kind) {
    case SAR_SHAPE_BOX:
        solid = put_box(shape, out);
        break;
    case SAR_SHAPE_CYLINDER:
    case SAR_SHAPE_CAPSULE:
        solid = put_rod(shape, out);
        break;
    case SAR_SHAPE_SPHERE:
        memcpy(out->at.p, shape->point[0], sizeof out->at.p);
        out->size[0] = shape->radius;
        solid = true;
        break;
    default:
        break;
    }
    out->at = sari_export_place(f, f->link[link].body, &out->at);
    return solid;
}

/* ---- what is left out ----------------------------------------------------------------------- */

static int yields(const sar_joint_def* def)
{
    int some = 0;
    for (int k = 0; k < 6; k++) some |= def->compliance[k] != 0.0;
    return some;
}

/* Of what drives the mechanism, and where joints yield. Forces are listed where they are read. */
static void list_names(sari_robot_file* f)
{
    const sar_model* m = f->model;
    for (int t = 0; t < SARI_FORCE_TYPES; t++)
        for (int k = 0; sari_force_is_state(sari_force_types[t]) && k < m->forces[t].count; k++)
            sari_text_put(&f->left_out, "state %s\n", m->forces[t].at[k].name);
    for (int k = 0; k < sar_model_inputs(m); k++) {
        bool used = false;
        for (int i = 0; i < f->motors; i++) used |= f->motor[i].input == k;
        if (!used) sari_text_put(&f->left_out, "input %s\n", sar_model_input_name(m, k));
    }
    for (int j = 0; j < m->joints_count; j++)
        if (!m->joints[j].relation && yields(&m->joints[j].pair))
            sari_text_put(&f->left_out, "compliance of joint %s\n", m->joints[j].name);
}

static void list_rest(sari_robot_file* f)
{
    const sar_model* m = f->model;
    double moves = 0.0;
    list_names(f);
    for (int b = 1; b < m->bodies_count; b++) {
        double v[3], w[3];
        sar_simulation_velocity(f->simulation, (sar_body_id){b}, v, w);
        moves = fmax(moves, fmax(sari_norm3(v), sari_norm3(w)));
        const sari_export_link* link = &f->link[f->link_of_body[b]];
        if (m->bodies[b].def.mass == 0.0 && link->body > 0 && !link->folded)
            sari_text_put(&f->left_out, "body %s: no mass, which other programs may want\n",
                          m->bodies[b].name);
    }
    if (moves > 0) sari_text_put(&f->left_out, "velocities at the start\n");
    if (m->phases_count) sari_text_put(&f->left_out, "%d phases\n", m->phases_count);
    const double g = sari_norm3(m->gravity);
    if (f->format == SAR_ROBOT_URDF && fabs(g - 9.81) > 1e-9)
        sari_text_put(&f->left_out, "gravity of %g m/s^2: programs take 9.81\n", g);
}

/* ---- all of it ------------------------------------------------------------------------------ */

void sari_export_numbers(sari_model_text* t, const double* x, int count)
{
    for (int k = 0; k < count; k++) {
        sari_text_put(t, "%s", k ? " " : "");
        sari_text_number(t, x[k]);
    }
}

void sari_export_attribute(sari_model_text* t, const char* name, const double* x, int count)
{
    sari_text_put(t, " %s=\"", name);
    sari_export_numbers(t, x, count);
    sari_text_put(t, "\"");
}

const char* sari_export_title(sari_robot_file* f)
{
    snprintf(f->title, sizeof f->title, "%s", f->model->name);
    for (char* c = f->title; *c; c++)
        if (strchr("<>&\"'", *c) || (unsigned char)*c < ' ') *c = '_';
    return f->title;
}

static sar_status write(sari_robot_file* f)
{
    SARI_TRY(sari_export_tree(f));
    SARI_TRY(sari_export_travels(f));
    f->format == SAR_ROBOT_URDF ? sari_export_urdf(f) : sari_export_mjcf(f);
    list_rest(f);
    return f->text.failed || f->left_out.failed ? SAR_E_NOMEM : SAR_OK;
}

sar_status sar_robot_write(sar_simulation* s, sar_robot_format format, char** text, char** left_out)
{
    sari_robot_file f = {.model = s->user_model, .simulation = s, .format = format};
    *text = *left_out = NULL;
    if (!s->assembled) return SAR_E_ARG;
    const sar_status status = write(&f);
    sari_arena_clear(&f.memory);
    if (status != SAR_OK) {
        sari_release(f.text.text);
        sari_release(f.left_out.text);
        return status;
    }
    *text = f.text.text;
    *left_out = f.left_out.text;
    return SAR_OK;
}
