/* The model file of a robot: one element a line, in the order of the sections of a model. */
#include "import/words.h"
#include "import/write_text.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

/// Where a frame of a link is in the model: a body, or the ground, and the pose in it.
typedef struct model_place {
    sari_robot_link* body;
    sari_pose at;
} model_place;

static model_place place_of(sari_robot_link* link, const sari_pose* at)
{
    if (!link->into) return (model_place){link, *at};
    return (model_place){link->into, sari_pose_times(&link->at, at)};
}

/* ---- points --------------------------------------------------------------------------------- */

static bool is_origin(const double x[3])
{
    return x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0;
}

/* The body gets a point of that name, unless it is its origin. */
static void add_point(sari_importer* im, const model_place* at, const char* word)
{
    if (is_origin(at->at.p)) return;
    sari_robot_point* point = sari_import_take(im, sizeof *point);
    if (!point) return;
    point->word = sari_import_point_word(im, word);
    memcpy(point->x, at->at.p, sizeof point->x);
    if (at->body->last_point)
        at->body->last_point->next = point;
    else
        at->body->points = point;
    at->body->last_point = point;
}

static void put_point(sari_importer* im, sari_model_text* t, const model_place* at,
                      const char* word)
{
    sari_text_put(t, "%s.%s", at->body->word,
                  is_origin(at->at.p) ? "origin" : sari_import_point_word(im, word));
}

static void put_between(sari_importer* im, sari_model_text* t, const model_place* a,
                        const model_place* b, const char* word)
{
    sari_text_put(t, "between: [");
    put_point(im, t, a, word);
    sari_text_put(t, ", ");
    put_point(im, t, b, word);
    sari_text_put(t, "]");
}

static bool is_in_model(const sari_robot_joint* j)
{
    return j->word && j->word[0];
}

/* Joints, springs and actuators between points. */
static void collect_points(sari_importer* im)
{
    sari_robot* robot = &im->robot;
    for (sari_robot_joint* j = robot->joints; j; j = j->next) {
        const model_place a = place_of(j->a, &j->on_a), b = place_of(j->b, &j->on_b);
        if (is_in_model(j)) add_point(im, &a, j->word), add_point(im, &b, j->word);
    }
    for (sari_robot_spring* s = robot->springs; s; s = s->next)
        for (int k = 0; k < 2 && s->word[0]; k++) {
            const model_place at = place_of(s->link[k], &s->at[k]);
            add_point(im, &at, s->word);
        }
    for (sari_robot_actuator* s = robot->actuators; s; s = s->next)
        for (int k = 0; k < 2 && !s->terms && s->word[0]; k++) {
            const sari_pose shift = sari_pose_shift(s->point[k]);
            const model_place at = place_of(s->link[k], &shift);
            add_point(im, &at, s->word);
        }
}

/* ---- joints that are none, and loops -------------------------------------------------------- */

static double angle_between(const double A[9], const double B[9])
{
    double worst = 0.0;
    for (int k = 0; k < 9; k++) worst = fmax(worst, fabs(A[k] - B[k]));
    return worst;
}

/* Between parts of one body there is nothing to hold. */
static void check_ends(sari_importer* im)
{
    for (sari_robot_joint* j = im->robot.joints; j; j = j->next) {
        const model_place a = place_of(j->a, &j->on_a), b = place_of(j->b, &j->on_b);
        if (!is_in_model(j)) continue;
        if (a.body == b.body) {
            j->word = "";
            sari_import_note_at(im, j->place, "joints between parts of one body: left out",
                                "joint '%.60s'", j->name);
            continue;
        }
        if (!j->closes) continue;
        const sari_pose xa = sari_pose_times(&a.body->pose, &a.at),
                        xb = sari_pose_times(&b.body->pose, &b.at);
        double gap[3];
        for (int k = 0; k < 3; k++) gap[k] = xb.p[k] - xa.p[k];
        const double turned = j->kind == SARI_ROBOT_FIXED ? angle_between(xa.R, xb.R) : 0.0;
        const bool distance = j->kind == SARI_ROBOT_DISTANCE;
        sari_import_note_at(im, j->place, "loops that joints close", "joint '%.60s'", j->name);
        if (!distance && (sari_norm3(gap) > 1e-6 || turned > 1e-6))
            sari_import_note_at(im, j->place,
                                "loops that are open as drawn: the start of a run closes them",
                                "joint '%.60s', by %.2g m", j->name, sari_norm3(gap));
    }
}

static bool term_is_in_model(const sari_robot_term* t)
{
    for (; t; t = t->next)
        if (!is_in_model(t->joint)) return false;
    return true;
}

/* What acts along joints that are not there, or within one body. */
static void check_forces(sari_importer* im)
{
    for (sari_robot_coupling* c = im->robot.couplings; c; c = c->next)
        if (!term_is_in_model(c->terms)) {
            c->word = "";
            sari_import_note_at(im, c->place, "couplings of joints that do not move: left out",
                                "'%.60s'", c->name);
        }
    for (sari_robot_actuator* a = im->robot.actuators; a; a = a->next)
        if (a->terms ? !term_is_in_model(a->terms)
                     : (a->link[0]->into ? a->link[0]->into : a->link[0]) ==
                           (a->link[1]->into ? a->link[1]->into : a->link[1])) {
            a->word = "";
            sari_import_note_at(im, a->place, "actuators of joints that do not move: left out",
                                "'%.60s'", a->name);
        }
    for (sari_robot_spring* s = im->robot.springs; s; s = s->next) {
        const model_place a = place_of(s->link[0], &s->at[0]), b = place_of(s->link[1], &s->at[1]);
        if (a.body == b.body) s->word = "";
    }
}

/* ---- head ----------------------------------------------------------------------------------- */

static void put_comment(sari_model_text* t, const char* text)
{
    for (const char* c = text; *c; c++)
        sari_text_put(t, "%c", (unsigned char)*c < 0x20 || *c == 0x7f ? ' ' : *c);
}

static void put_head(sari_importer* im, sari_model_text* t)
{
    const sari_robot* robot = &im->robot;
    const char* slash = strrchr(im->path, '/');
    sari_text_put(t, "# Imported by Sarrus from ");
    put_comment(t, slash ? slash + 1 : im->path);
    sari_text_put(t, " (%s).%s\n", robot->format, im->notes ? " What was decided:" : "");
    for (const sari_import_note* n = im->notes; n; n = n->next) {
        sari_text_put(t, "#   %d x %s", n->count, n->kind);
        sari_text_put(t, " (%sline %d%s", n->count > 1 ? "first: " : "", n->place.line,
                      n->first[0] ? ", " : "");
        put_comment(t, n->first);
        sari_text_put(t, ")\n");
    }
    sari_text_put(t, "sarrus: 1\nname: ");
    sari_text_quoted(t, robot->name && robot->name[0] ? robot->name : "robot");
    sari_text_put(t, "\ndimension: 3\ngravity: ");
    sari_text_numbers(t, robot->gravity, 3);
    sari_text_put(t, "\n");
    for (const sari_robot_link* k = robot->links; k; k = k->next)
        if (k->root_may_be_free) {
            sari_text_put(t, "parameters: {base_free: 0}   # 1: nothing fastens the robot to the "
                             "ground\n");
            break;
        }
}

static void put_inputs(sari_importer* im, sari_model_text* t)
{
    bool any = false;
    for (const sari_robot_actuator* a = im->robot.actuators; a; a = a->next) {
        if (!a->word[0]) continue;
        if (!any) sari_text_put(t, "\ninputs:\n");
        any = true;
        sari_text_put(t, "  %s: 0\n", a->input);
    }
}

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
    if (angle_between(at->R, SARI_POSE_IDENTITY.R) > 1e-15) sari_text_rotation(t, at->R);
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
            put_comment(t, s->file);
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

static void put_ground(sari_importer* im, sari_model_text* t)
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
        const model_place a = place_of(j->a, &j->on_a);
        const sari_pose T = sari_robot_motion(j, j->start), back = sari_pose_inverse(&j->on_b);
        above = a.body;
        at = sari_pose_times(&a.at, &T);
        at = sari_pose_times(&at, &back);
    }
    const bool on_body = above && !sari_robot_is_ground(&im->robot, above);
    if (on_body) sari_text_put(t, ", drawn_on: %s", above->word);
    sari_text_put(t, ", position: ");
    sari_text_numbers(t, at.p, 3);
    if (!on_body || angle_between(at.R, SARI_POSE_IDENTITY.R) > 1e-15) sari_text_rotation(t, at.R);
}

static void put_body(sari_importer* im, sari_model_text* t, sari_robot_link* body)
{
    const double* I = body->inertia;
    const bool diagonal = I[3] == 0 && I[4] == 0 && I[5] == 0;
    body->written = true;
    put_other_meshes(t, body);
    sari_text_put(t, "  %s: {mass: ", body->word);
    sari_text_number(t, body->mass);
    if (!is_origin(body->center)) {
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
static void put_bodies(sari_importer* im, sari_model_text* t)
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

static void put_frames(sari_importer* im, sari_model_text* t)
{
    bool any = false;
    for (const sari_robot_link* k = im->robot.links; k; k = k->next) {
        if (!k->into) continue;
        if (!any) sari_text_put(t, "\nframes:   # links that are fixed to another one\n");
        any = true;
        sari_text_put(t, "  %s: {", k->word);
        if (!sari_robot_is_ground(&im->robot, k->into))
            sari_text_put(t, "body: %s, ", k->into->word);
        sari_text_put(t, "position: ");
        sari_text_numbers(t, k->at.p, 3);
        if (angle_between(k->at.R, SARI_POSE_IDENTITY.R) > 1e-15) sari_text_rotation(t, k->at.R);
        sari_text_put(t, "}\n");
    }
}

/* ---- joints --------------------------------------------------------------------------------- */

static const char* type_of(sari_robot_joint_kind kind)
{
    static const char* const words[] = {
        [SARI_ROBOT_FIXED] = "fixed",         [SARI_ROBOT_REVOLUTE] = "revolute",
        [SARI_ROBOT_PRISMATIC] = "prismatic", [SARI_ROBOT_CYLINDRICAL] = "cylindrical",
        [SARI_ROBOT_SCREW] = "screw",         [SARI_ROBOT_UNIVERSAL] = "universal",
        [SARI_ROBOT_SPHERICAL] = "spherical", [SARI_ROBOT_PLANAR] = "planar",
        [SARI_ROBOT_DISTANCE] = "distance",   [SARI_ROBOT_FREE] = ""};
    return words[kind];
}

static void put_directions(sari_model_text* t, const char* key, const model_place* a,
                           const double u[3], const model_place* b, const double w[3])
{
    double in_a[3], in_b[3];
    sari_rotate(a->at.R, u, in_a);
    sari_rotate(b->at.R, w, in_b);
    sari_text_put(t, ", %s: [", key);
    sari_text_direction(t, a->body->word, in_a);
    sari_text_put(t, ", ");
    sari_text_direction(t, b->body->word, in_b);
    sari_text_put(t, "]");
}

/* The zero of an angle, and the orientation of a slide, are those of the drawing, unless something says other. */
static bool needs_normal(const sari_robot_joint* j)
{
    return j->start != 0.0 || j->closes || j->kind == SARI_ROBOT_UNIVERSAL;
}

static void put_axes(sari_model_text* t, const sari_robot_joint* j, const model_place* a,
                     const model_place* b)
{
    static const double X[3] = {1, 0, 0}, Y[3] = {0, 1, 0};
    double across[3];
    if (j->kind == SARI_ROBOT_SPHERICAL || j->kind == SARI_ROBOT_DISTANCE) return;
    if (j->kind == SARI_ROBOT_FIXED) {
        put_directions(t, "axis", a, X, b, X);
        put_directions(t, "normal", a, Y, b, Y);
        return;
    }
    if (j->kind == SARI_ROBOT_UNIVERSAL) {
        put_directions(t, "axis", a, j->axis, b, j->axis2);
        put_directions(t, "normal", a, j->axis2, b, j->axis);
        return;
    }
    put_directions(t, "axis", a, j->axis, b, j->axis);
    if (!needs_normal(j)) return;
    sari_pose_across(j->axis, across);
    put_directions(t, "normal", a, across, b, across);
}

static void put_joint(sari_importer* im, sari_model_text* t, const sari_robot_joint* j)
{
    const model_place a = place_of(j->a, &j->on_a), b = place_of(j->b, &j->on_b);
    sari_text_put(t, "  %s: {type: %s, ", j->word, type_of(j->kind));
    put_between(im, t, &a, &b, j->word);
    put_axes(t, j, &a, &b);
    if (j->kind == SARI_ROBOT_SCREW) {
        sari_text_put(t, ", pitch: ");
        sari_text_number(t, j->pitch);
    }
    if (j->kind == SARI_ROBOT_DISTANCE) {
        sari_text_put(t, ", distance: ");
        sari_text_number(t, j->distance);
    }
    sari_text_put(t, "}%s\n", j->closes ? "   # closes a loop" : "");
}

static const char* coordinate_of(const sari_robot_joint* j, int k)
{
    if (j->kind == SARI_ROBOT_UNIVERSAL) return k ? "angle2" : "angle";
    return sari_robot_is_angle(j, k) ? "angle" : "displacement";
}

static void put_terms(sari_model_text* t, const sari_robot_term* terms)
{
    for (const sari_robot_term* k = terms; k; k = k->next) {
        if (k != terms) sari_text_put(t, ", ");
        sari_text_put(t, "%s.%s: ", k->joint->word, coordinate_of(k->joint, k->coordinate));
        sari_text_number(t, k->factor);
    }
}

static void put_armatures(sari_importer* im, sari_model_text* t, const sari_robot_joint* j)
{
    for (int k = 0; k < sari_robot_coordinates(j->kind); k++) {
        if (!(j->travel[k].armature > 0.0)) continue;
        sari_text_put(t, "  %s: {type: rotor, inertia: ",
                      sari_import_word(im, sari_import_print(im, "%s_armature", j->word), ""));
        sari_text_number(t, j->travel[k].armature);
        sari_text_put(t, ", drives: %s", j->word);
        if (k) sari_text_put(t, ", coordinate: %s", coordinate_of(j, k));
        sari_text_put(t, "}\n");
    }
}

static void put_joints(sari_importer* im, sari_model_text* t)
{
    const sari_robot* robot = &im->robot;
    sari_text_put(t, "\njoints:\n");
    const size_t before = t->used;
    for (const sari_robot_link* k = robot->links; k; k = k->next)
        if (k->root_may_be_free)
            sari_text_put(t,
                          "  %s: {type: fixed, between: [ground.origin, %s.origin], when: not "
                          "base_free}\n",
                          sari_import_word(im, sari_import_print(im, "%s_on_ground", k->word), ""),
                          k->word);
    for (const sari_robot_joint* j = robot->joints; j; j = j->next)
        if (is_in_model(j)) put_joint(im, t, j);
    for (const sari_robot_coupling* c = robot->couplings; c; c = c->next) {
        if (!c->word[0] || c->is_polynomial) continue;
        sari_text_put(t, "  %s: {type: coupler, sum: {", c->word);
        put_terms(t, c->terms);
        sari_text_put(t, "}, offset: ");
        sari_text_number(t, c->offset);
        sari_text_put(t, "}\n");
    }
    for (const sari_robot_joint* j = robot->joints; j; j = j->next)
        if (is_in_model(j)) put_armatures(im, t, j);
    if (t->used == before) sari_text_put(t, "  {}\n");
}

/* Followers by polynomials are conditions on positions. */
static void put_constraints(sari_importer* im, sari_model_text* t)
{
    bool any = false;
    for (const sari_robot_coupling* c = im->robot.couplings; c; c = c->next) {
        if (!c->word[0] || !c->is_polynomial) continue;
        const sari_robot_term *y = c->terms, *x = y->next;
        if (!any) sari_text_put(t, "\nconstraints:\n");
        any = true;
        sari_text_put(t, "  %s: {position: '%s.%s - (", c->word, y->joint->word,
                      coordinate_of(y->joint, y->coordinate));
        sari_text_number(t, c->poly[0]);
        for (int k = 1; x && k < 5; k++) {
            if (c->poly[k] == 0.0) continue;
            sari_text_put(t, " + (");
            sari_text_number(t, c->poly[k]);
            sari_text_put(t, ")*%s.%s", x->joint->word, coordinate_of(x->joint, x->coordinate));
            if (k > 1) sari_text_put(t, "^%d", k);
        }
        sari_text_put(t, ")'}\n");
    }
}

/* ---- forces --------------------------------------------------------------------------------- */

/// What stops are made for: the weight of the robot and its size.
typedef struct robot_scale {
    double weight, size;
} robot_scale;

static robot_scale scale_of(const sari_robot* robot)
{
    double low[3] = {0}, high[3] = {0}, mass = 0.0, size = 0.0;
    for (const sari_robot_link* k = robot->links; k; k = k->next) {
        if (!k->into) mass += k->mass;
        for (int i = 0; i < 3; i++) {
            low[i] = fmin(low[i], k->pose.p[i]);
            high[i] = fmax(high[i], k->pose.p[i]);
        }
    }
    for (int i = 0; i < 3; i++) size = fmax(size, high[i] - low[i]);
    const double g = sari_norm3(robot->gravity);
    return (robot_scale){fmax(mass, 1e-3) * (g > 0 ? g : 9.81), size > 0 ? size : 1.0};
}

/* A stop gives way by a hundredth, of a radian or of the size, under the effort of the joint's motor or, where that is not
 * known or is more than the robot could bear, under the weight of the robot. */
static void put_stop(sari_importer* im, sari_model_text* t, const sari_robot_joint* j, int k,
                     const robot_scale* scale)
{
    const sari_robot_travel* travel = &j->travel[k];
    const bool angle = sari_robot_is_angle(j, k);
    const double weight = angle ? scale->weight * scale->size : scale->weight;
    const double load = travel->effort > 0 ? fmin(travel->effort, 10 * weight) : weight;
    const double give = angle ? 0.01 : 0.01 * scale->size;
    sari_text_put(t, "  %s: {type: stop, joint: %s",
                  sari_import_word(im, sari_import_print(im, "%s_stop", j->word), ""), j->word);
    if (k) sari_text_put(t, ", coordinate: %s", coordinate_of(j, k));
    if (isfinite(travel->lower)) {
        sari_text_put(t, ", lower: ");
        sari_text_number(t, travel->lower);
    }
    if (isfinite(travel->upper)) {
        sari_text_put(t, ", upper: ");
        sari_text_number(t, travel->upper);
    }
    sari_text_put(t, ", stiffness: %.3g, damping: 1}\n", load / give);
}

static void put_travel(sari_importer* im, sari_model_text* t, const sari_robot_joint* j, int k,
                       const robot_scale* scale)
{
    const sari_robot_travel* travel = &j->travel[k];
    const bool angle = sari_robot_is_angle(j, k);
    const char* coordinate =
        k ? sari_import_print(im, ", coordinate: %s", coordinate_of(j, k)) : "";
    if (travel->limited) put_stop(im, t, j, k, scale);
    if (travel->friction > 0.0 || travel->damping > 0.0) {
        sari_text_put(t, "  %s: {type: friction, joint: %s%s",
                      sari_import_word(im, sari_import_print(im, "%s_friction", j->word), ""),
                      j->word, coordinate);
        if (travel->friction > 0.0) {
            sari_text_put(t, ", level: ");
            sari_text_number(t, travel->friction);
            sari_text_put(t, ", speed: 0.01");
        }
        if (travel->damping > 0.0) {
            sari_text_put(t, ", viscous: ");
            sari_text_number(t, travel->damping);
        }
        sari_text_put(t, "}\n");
    }
    if (travel->stiffness > 0.0) {
        sari_text_put(t, "  %s: {type: %s, joint: %s%s, stiffness: ",
                      sari_import_word(im, sari_import_print(im, "%s_spring", j->word), ""),
                      angle ? "rotational-spring" : "spring", j->word, coordinate);
        sari_text_number(t, travel->stiffness);
        sari_text_put(t, angle ? ", angle: " : ", length: ");
        sari_text_number(t, travel->rest);
        sari_text_put(t, "}\n");
    }
}

static void put_term_sum(sari_model_text* t, const sari_robot_term* terms)
{
    for (const sari_robot_term* k = terms; k; k = k->next) {
        sari_text_put(t, k == terms ? "(" : " + (");
        sari_text_number(t, k->factor);
        sari_text_put(t, ")*%s.%s", k->joint->word, coordinate_of(k->joint, k->coordinate));
    }
}

static void put_law(sari_model_text* t, const sari_robot_actuator* a)
{
    static const char* const of[] = {"", "*x", "*v"};
    if (a->force_limited) sari_text_put(t, "min(max(");
    sari_text_number(t, a->gain);
    if (a->control_limited) {
        sari_text_put(t, "*min(max(%s, ", a->input);
        sari_text_number(t, a->control[0]);
        sari_text_put(t, "), ");
        sari_text_number(t, a->control[1]);
        sari_text_put(t, ")");
    } else {
        sari_text_put(t, "*%s", a->input);
    }
    for (int k = 0; k < 3; k++)
        if (a->bias[k] != 0.0) {
            sari_text_put(t, " + (");
            sari_text_number(t, a->bias[k]);
            sari_text_put(t, ")%s", of[k]);
        }
    if (a->force_limited) {
        sari_text_put(t, ", ");
        sari_text_number(t, a->force[0]);
        sari_text_put(t, "), ");
        sari_text_number(t, a->force[1]);
        sari_text_put(t, ")");
    }
}

static void put_actuator(sari_importer* im, sari_model_text* t, const sari_robot_actuator* a)
{
    const sari_robot_term* term = a->terms;
    const bool angle = term && sari_robot_is_angle(term->joint, term->coordinate);
    const bool alone = term && !term->next && term->factor == 1.0;
    sari_text_put(t, "  %s: {type: %s, ", a->word, angle ? "motor" : "actuator");
    if (alone) {
        sari_text_put(t, "joint: %s", term->joint->word);
        if (term->coordinate)
            sari_text_put(t, ", coordinate: %s", coordinate_of(term->joint, term->coordinate));
    } else if (term) {
        sari_text_put(t, "along: '");
        put_term_sum(t, term);
        sari_text_put(t, "'");
    } else {
        const sari_pose p = sari_pose_shift(a->point[0]), q = sari_pose_shift(a->point[1]);
        const model_place first = place_of(a->link[0], &p), second = place_of(a->link[1], &q);
        put_between(im, t, &first, &second, a->word);
    }
    sari_text_put(t, ", %s: '", angle ? "torque" : "force");
    put_law(t, a);
    sari_text_put(t, "'}\n");
}

static void put_spring(sari_importer* im, sari_model_text* t, const sari_robot_spring* s)
{
    const model_place a = place_of(s->link[0], &s->at[0]), b = place_of(s->link[1], &s->at[1]);
    static const double X[3] = {1, 0, 0}, Y[3] = {0, 1, 0};
    sari_text_put(t, "  %s: {type: %s, ", s->word, s->is_bushing ? "large-bushing" : "spring");
    put_between(im, t, &a, &b, s->word);
    if (s->is_bushing) {
        put_directions(t, "axis", &a, X, &b, X);
        put_directions(t, "normal", &a, Y, &b, Y);
        sari_text_put(t, ", K: ");
        sari_text_numbers(t, s->K, 6);
        sari_text_put(t, ", C: ");
        sari_text_numbers(t, s->C, 6);
    } else {
        sari_text_put(t, ", stiffness: ");
        sari_text_number(t, s->stiffness);
        sari_text_put(t, ", damping: ");
        sari_text_number(t, s->damping);
        sari_text_put(t, ", length: ");
        sari_text_number(t, s->length);
    }
    sari_text_put(t, "}\n");
}

static void put_forces(sari_importer* im, sari_model_text* t)
{
    const robot_scale scale = scale_of(&im->robot);
    sari_text_put(t, "\nforces:\n");
    const size_t before = t->used;
    for (const sari_robot_joint* j = im->robot.joints; j; j = j->next)
        for (int k = 0; is_in_model(j) && k < sari_robot_coordinates(j->kind); k++)
            put_travel(im, t, j, k, &scale);
    for (const sari_robot_spring* s = im->robot.springs; s; s = s->next)
        if (s->word[0]) put_spring(im, t, s);
    for (const sari_robot_actuator* a = im->robot.actuators; a; a = a->next)
        if (a->word[0]) put_actuator(im, t, a);
    if (t->used == before) sari_text_put(t, "  {}\n");
}

static void put_outputs(sari_importer* im, sari_model_text* t)
{
    bool any = false;
    for (const sari_robot_joint* j = im->robot.joints; j; j = j->next)
        for (int k = 0; is_in_model(j) && k < sari_robot_coordinates(j->kind); k++) {
            if (!any) sari_text_put(t, "\noutputs:\n");
            any = true;
            sari_text_put(t, "  %s%s: %s.%s\n", sari_import_output_word(im, j->word), k ? "_2" : "",
                          j->word, coordinate_of(j, k));
        }
}

char* sari_import_write(sari_importer* im)
{
    sari_model_text t = {0};
    check_ends(im);
    check_forces(im);
    collect_points(im);
    put_head(im, &t);
    put_inputs(im, &t);
    put_ground(im, &t);
    put_bodies(im, &t);
    put_frames(im, &t);
    put_joints(im, &t);
    put_forces(im, &t);
    put_constraints(im, &t);
    put_outputs(im, &t);
    if (!t.failed && !im->no_memory) return t.text;
    sari_release(t.text);
    return NULL;
}
