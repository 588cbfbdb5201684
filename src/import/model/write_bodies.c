/* Bodies, the ground and frames of a model file. */
#include "import/model/write.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

/* ---- bodies --------------------------------------------------------------------------------- */

static void put_colour(sari_model_text* t, const double colour[4])
{
    if (colour[3] < 0) return;
    int byte[3];
    for (int k = 0; k < 3; k++) byte[k] = (int)(255 * fmin(fmax(colour[k], 0), 1) + 0.5);
    sari_text_put(t, ", colour: '#%02x%02x%02x'", (unsigned)byte[0], (unsigned)byte[1],
                  (unsigned)byte[2]);
    if (colour[3] < 0.9) sari_text_put(t, ", style: glass");
}

static void put_frame_of_shape(sari_model_text* t, const sari_pose* at)
{
    sari_text_put(t, ", center: ");
    sari_text_numbers(t, at->p, 3);
    if (sari_rotation_gap(at->R, SARI_POSE_IDENTITY.R) > 1e-15) sari_text_rotation(t, at->R);
}

static void put_round(sari_model_text* t, const sari_robot_shape* s, const char* type)
{
    double end[2][3];
    for (int k = 0; k < 2; k++) {
        const double z[3] = {0, 0, (k ? 0.5 : -0.5) * s->size[1]};
        sari_pose_point(&s->at, z, end[k]);
    }
    sari_text_put(t, "{type: %s, radius: ", type);
    sari_text_number(t, s->size[0]);
    sari_text_put(t, ", from: ");
    sari_text_numbers(t, end[0], 3);
    sari_text_put(t, ", to: ");
    sari_text_numbers(t, end[1], 3);
}

static bool is_drawn(const sari_robot_shape* s)
{
    const double* size = s->size;
    switch (s->kind) {
    case SARI_ROBOT_BOX:
        return size[0] > 0 && size[1] > 0 && size[2] > 0;
    case SARI_ROBOT_SPHERE:
    case SARI_ROBOT_MESH:
        return size[0] > 0;
    case SARI_ROBOT_CYLINDER:
    case SARI_ROBOT_CAPSULE:
        return size[0] > 0 && size[1] > 0;
    default:
        return false;
    }
}

static void put_shape(sari_model_text* t, const sari_robot_shape* s)
{
    switch (s->kind) {
    case SARI_ROBOT_BOX:
        sari_text_put(t, "{type: box, size: ");
        sari_text_numbers(t, s->size, 3);
        put_frame_of_shape(t, &s->at);
        break;
    case SARI_ROBOT_SPHERE:
        sari_text_put(t, "{type: sphere, radius: ");
        sari_text_number(t, s->size[0]);
        sari_text_put(t, ", center: ");
        sari_text_numbers(t, s->at.p, 3);
        break;
    case SARI_ROBOT_CYLINDER:
        put_round(t, s, "cylinder");
        break;
    case SARI_ROBOT_CAPSULE:
        put_round(t, s, "capsule");
        break;
    default:
        sari_text_put(t, "{type: mesh, file: ");
        sari_text_quoted(t, s->file);
        if (s->size[0] != 1.0) {
            sari_text_put(t, ", scale: ");
            sari_text_number(t, s->size[0]);
        }
        put_frame_of_shape(t, &s->at);
        break;
    }
    put_colour(t, s->colour);
    sari_text_put(t, "}");
}

/* ", shape: [...]", a line each, with `indent` before them */
static void put_shapes(sari_model_text* t, const sari_robot_link* link)
{
    bool any = false;
    for (const sari_robot_shape* s = link->shapes; s; s = s->next) {
        if (!is_drawn(s)) continue;
        sari_text_put(t, any ? ",\n      " : ",\n    shape: [");
        any = true;
        put_shape(t, s);
    }
    if (any) sari_text_put(t, "]");
}

/* Files that cannot be drawn are named all the same. */
static void put_other_meshes(sari_model_text* t, const sari_robot_link* link)
{
    for (const sari_robot_shape* s = link->shapes; s; s = s->next)
        if (s->kind == SARI_ROBOT_MESH && !is_drawn(s)) {
            sari_text_put(t, "  # mesh of %s: ", link->word);
            sari_put_comment(t, s->file);
            sari_text_put(t, "\n");
        }
}

static void put_points(sari_model_text* t, const sari_robot_link* link)
{
    for (const sari_robot_point* p = link->points; p; p = p->next) {
        sari_text_put(t, p == link->points ? "points: {%s: " : ", %s: ", p->word);
        sari_text_numbers(t, p->x, 3);
    }
    if (link->points) sari_text_put(t, "}");
}

void sari_write_ground(sari_importer* im, sari_model_text* t)
{
    const sari_robot_link* ground = &im->robot.ground;
    bool drawn = false;
    for (const sari_robot_shape* s = ground->shapes; s; s = s->next) drawn |= is_drawn(s);
    if (ground->points || drawn) {
        sari_text_put(t, "\nground: {");
        if (ground->points)
            put_points(t, ground);
        else
            sari_text_put(t, "points: {}");
        put_shapes(t, ground);
        sari_text_put(t, "}\n");
    }
    put_other_meshes(t, ground);
}

/* In the frame of the body above it, as the joint between them draws it; a root in the world. */
static void put_pose(sari_importer* im, sari_model_text* t, sari_robot_link* body)
{
    const sari_robot_joint* j = body->up;
    sari_pose at = body->pose;
    sari_robot_link* above = NULL;
    if (j) {
        const sari_model_place a = sari_model_place_of(j->a, &j->on_a);
        const sari_pose T = sari_robot_motion(j, j->start), back = sari_pose_inverse(&j->on_b);
        above = a.body;
        at = sari_pose_times(&a.at, &T);
        at = sari_pose_times(&at, &back);
    }
    const bool on_body = above && !sari_robot_is_ground(&im->robot, above);
    if (on_body) sari_text_put(t, ", drawn_on: %s", above->word);
    sari_text_put(t, ", position: ");
    sari_text_numbers(t, at.p, 3);
    if (!on_body || sari_rotation_gap(at.R, SARI_POSE_IDENTITY.R) > 1e-15)
        sari_text_rotation(t, at.R);
}

static void put_body(sari_importer* im, sari_model_text* t, sari_robot_link* body)
{
    const double* I = body->inertia;
    const bool diagonal = I[3] == 0 && I[4] == 0 && I[5] == 0;
    body->written = true;
    put_other_meshes(t, body);
    sari_text_put(t, "  %s: {mass: ", body->word);
    sari_text_number(t, body->mass);
    if (!sari_is_origin(body->center)) {
        sari_text_put(t, ", center: ");
        sari_text_numbers(t, body->center, 3);
    }
    sari_text_put(t, ", inertia: ");
    sari_text_numbers(t, I, diagonal ? 3 : 6);
    if (body->as_measured) sari_text_put(t, ", as_measured: yes");
    put_pose(im, t, body);
    if (body->points) sari_text_put(t, ", ");
    put_points(t, body);
    put_shapes(t, body);
    sari_text_put(t, "}\n");
}

static sari_robot_link* body_above(sari_importer* im, const sari_robot_link* body)
{
    sari_robot_link* a = body->up ? body->up->a : NULL;
    if (a && a->into) a = a->into;
    return !a || sari_robot_is_ground(&im->robot, a) ? NULL : a;
}

/* What a body is drawn on stands above it. */
void sari_write_bodies(sari_importer* im, sari_model_text* t)
{
    sari_text_put(t, "\nbodies:\n");
    bool any = false;
    for (sari_robot_link* k = im->robot.links; k; k = k->next) {
        sari_robot_link* at = k;
        if (k->into || k->written) continue;
        k->below = NULL;
        for (sari_robot_link* a; (a = body_above(im, at)) && !a->written; at = a) a->below = at;
        for (; at; at = at->below) put_body(im, t, at);
        any = true;
    }
    if (!any) sari_text_put(t, "  {}\n");
}

void sari_write_frames(sari_importer* im, sari_model_text* t)
{
    bool any = false;
    for (const sari_robot_link* k = im->robot.links; k; k = k->next) {
        if (!k->into) continue;
        if (!any)
            sari_text_put(t, "\nframes:   # places of bodies, and links that are fixed to them\n");
        any = true;
        sari_text_put(t, "  %s: {", k->word);
        if (!sari_robot_is_ground(&im->robot, k->into))
            sari_text_put(t, "body: %s, ", k->into->word);
        sari_text_put(t, "position: ");
        sari_text_numbers(t, k->at.p, 3);
        if (sari_rotation_gap(k->at.R, SARI_POSE_IDENTITY.R) > 1e-15)
            sari_text_rotation(t, k->at.R);
        sari_text_put(t, "}\n");
    }
}
