/* The model file of a robot: one element a line, in the order of the sections of a model. */
#include "import/model/write.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

sari_model_place sari_model_place_of(sari_robot_link* link, const sari_pose* at)
{
    if (!link->into) return (sari_model_place){link, *at};
    return (sari_model_place){link->into, sari_pose_times(&link->at, at)};
}

void sari_put_directions(sari_model_text* t, const char* key, const sari_model_place* a,
                         const double u[3], const sari_model_place* b, const double w[3])
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

void sari_put_comment(sari_model_text* t, const char* text)
{
    for (const char* c = text; *c; c++)
        sari_text_put(t, "%c", (unsigned char)*c < 0x20 || *c == 0x7f ? ' ' : *c);
}

const char* sari_robot_coordinate_word(const sari_robot_joint* j, int k)
{
    if (j->kind == SARI_ROBOT_UNIVERSAL) return k ? "angle2" : "angle";
    return sari_robot_is_angle(j, k) ? "angle" : "displacement";
}

/* ---- points --------------------------------------------------------------------------------- */

bool sari_is_origin(const double x[3])
{
    return x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0;
}

/* The body gets a point of that name, unless it is its origin. */
static void add_point(sari_importer* im, const sari_model_place* at, const char* word)
{
    if (sari_is_origin(at->at.p)) return;
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

static void put_point(sari_importer* im, sari_model_text* t, const sari_model_place* at,
                      const char* word)
{
    sari_text_put(t, "%s.%s", at->body->word,
                  sari_is_origin(at->at.p) ? "origin" : sari_import_point_word(im, word));
}

void sari_put_between(sari_importer* im, sari_model_text* t, const sari_model_place* a,
                      const sari_model_place* b, const char* word)
{
    sari_text_put(t, "between: [");
    put_point(im, t, a, word);
    sari_text_put(t, ", ");
    put_point(im, t, b, word);
    sari_text_put(t, "]");
}

bool sari_is_in_model(const sari_robot_joint* j)
{
    return j->word && j->word[0];
}

/* Joints, springs and actuators between points. */
static void collect_points(sari_importer* im)
{
    sari_robot* robot = &im->robot;
    for (sari_robot_joint* j = robot->joints; j; j = j->next) {
        const sari_model_place a = sari_model_place_of(j->a, &j->on_a),
                               b = sari_model_place_of(j->b, &j->on_b);
        if (sari_is_in_model(j)) add_point(im, &a, j->word), add_point(im, &b, j->word);
    }
    for (sari_robot_spring* s = robot->springs; s; s = s->next)
        for (int k = 0; k < 2 && s->word[0]; k++) {
            const sari_model_place at = sari_model_place_of(s->link[k], &s->at[k]);
            add_point(im, &at, s->word);
        }
    for (sari_robot_actuator* s = robot->actuators; s; s = s->next)
        for (int k = 0; k < 2 && !s->terms && s->word[0]; k++) {
            const sari_pose shift = sari_pose_shift(s->point[k]);
            const sari_model_place at = sari_model_place_of(s->link[k], &shift);
            add_point(im, &at, s->word);
        }
}

/* ---- joints that are none, and loops -------------------------------------------------------- */

double sari_rotation_gap(const double A[9], const double B[9])
{
    double worst = 0.0;
    for (int k = 0; k < 9; k++) worst = fmax(worst, fabs(A[k] - B[k]));
    return worst;
}

/* Between parts of one body there is nothing to hold. */
static void check_ends(sari_importer* im)
{
    for (sari_robot_joint* j = im->robot.joints; j; j = j->next) {
        const sari_model_place a = sari_model_place_of(j->a, &j->on_a),
                               b = sari_model_place_of(j->b, &j->on_b);
        if (!sari_is_in_model(j)) continue;
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
        const double turned = j->kind == SARI_ROBOT_FIXED ? sari_rotation_gap(xa.R, xb.R) : 0.0;
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
        if (!sari_is_in_model(t->joint)) return false;
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
        const sari_model_place a = sari_model_place_of(s->link[0], &s->at[0]),
                               b = sari_model_place_of(s->link[1], &s->at[1]);
        if (a.body == b.body) s->word = "";
    }
}

/* ---- head ----------------------------------------------------------------------------------- */

static void put_head(sari_importer* im, sari_model_text* t)
{
    const sari_robot* robot = &im->robot;
    const char* slash = strrchr(im->path, '/');
    sari_text_put(t, "# Imported by Sarrus from ");
    sari_put_comment(t, slash ? slash + 1 : im->path);
    sari_text_put(t, " (%s).%s\n", robot->format, im->notes ? " What was decided:" : "");
    for (const sari_import_note* n = im->notes; n; n = n->next) {
        sari_text_put(t, "#   %d x %s", n->count, n->kind);
        sari_text_put(t, " (%sline %d%s", n->count > 1 ? "first: " : "", n->place.line,
                      n->first[0] ? ", " : "");
        sari_put_comment(t, n->first);
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

char* sari_import_write(sari_importer* im)
{
    sari_model_text t = {0};
    check_ends(im);
    check_forces(im);
    collect_points(im);
    put_head(im, &t);
    put_inputs(im, &t);
    sari_write_ground(im, &t);
    sari_write_bodies(im, &t);
    sari_write_frames(im, &t);
    sari_write_joints(im, &t);
    sari_write_forces(im, &t);
    sari_write_constraints(im, &t);
    sari_write_outputs(im, &t);
    if (!t.failed && !im->no_memory) return t.text;
    sari_release(t.text);
    return NULL;
}
