/* Joints, couplings and outputs of a model file. */
#include "import/model/write.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

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

/* The zero of an angle, and the orientation of a slide, are those of the drawing, unless something says other. */
static bool needs_normal(const sari_robot_joint* j)
{
    return j->start != 0.0 || j->closes || j->kind == SARI_ROBOT_UNIVERSAL;
}

static void put_axes(sari_model_text* t, const sari_robot_joint* j, const sari_model_place* a,
                     const sari_model_place* b)
{
    static const double X[3] = {1, 0, 0}, Y[3] = {0, 1, 0};
    double across[3];
    if (j->kind == SARI_ROBOT_SPHERICAL || j->kind == SARI_ROBOT_DISTANCE) return;
    if (j->kind == SARI_ROBOT_FIXED) {
        sari_put_directions(t, "axis", a, X, b, X);
        sari_put_directions(t, "normal", a, Y, b, Y);
        return;
    }
    if (j->kind == SARI_ROBOT_UNIVERSAL) {
        sari_put_directions(t, "axis", a, j->axis, b, j->axis2);
        sari_put_directions(t, "normal", a, j->axis2, b, j->axis);
        return;
    }
    sari_put_directions(t, "axis", a, j->axis, b, j->axis);
    if (!needs_normal(j)) return;
    sari_pose_across(j->axis, across);
    sari_put_directions(t, "normal", a, across, b, across);
}

static void put_joint(sari_importer* im, sari_model_text* t, const sari_robot_joint* j)
{
    const sari_model_place a = sari_model_place_of(j->a, &j->on_a),
                           b = sari_model_place_of(j->b, &j->on_b);
    sari_text_put(t, "  %s: {type: %s, ", j->word, type_of(j->kind));
    sari_put_between(im, t, &a, &b, j->word);
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

static void put_terms(sari_model_text* t, const sari_robot_term* terms)
{
    for (const sari_robot_term* k = terms; k; k = k->next) {
        if (k != terms) sari_text_put(t, ", ");
        sari_text_put(t, "%s.%s: ", k->joint->word,
                      sari_robot_coordinate_word(k->joint, k->coordinate));
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
        if (k) sari_text_put(t, ", coordinate: %s", sari_robot_coordinate_word(j, k));
        sari_text_put(t, "}\n");
    }
}

void sari_write_joints(sari_importer* im, sari_model_text* t)
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
        if (sari_is_in_model(j)) put_joint(im, t, j);
    for (const sari_robot_coupling* c = robot->couplings; c; c = c->next) {
        if (!c->word[0] || c->is_polynomial) continue;
        sari_text_put(t, "  %s: {type: coupler, sum: {", c->word);
        put_terms(t, c->terms);
        sari_text_put(t, "}, offset: ");
        sari_text_number(t, c->offset);
        sari_text_put(t, "}\n");
    }
    for (const sari_robot_joint* j = robot->joints; j; j = j->next)
        if (sari_is_in_model(j)) put_armatures(im, t, j);
    if (t->used == before) sari_text_put(t, "  {}\n");
}

/* Followers by polynomials are conditions on positions. */
void sari_write_constraints(sari_importer* im, sari_model_text* t)
{
    bool any = false;
    for (const sari_robot_coupling* c = im->robot.couplings; c; c = c->next) {
        if (!c->word[0] || !c->is_polynomial) continue;
        const sari_robot_term *y = c->terms, *x = y->next;
        if (!any) sari_text_put(t, "\nconstraints:\n");
        any = true;
        sari_text_put(t, "  %s: {position: '%s.%s - (", c->word, y->joint->word,
                      sari_robot_coordinate_word(y->joint, y->coordinate));
        sari_text_number(t, c->poly[0]);
        for (int k = 1; x && k < 5; k++) {
            if (c->poly[k] == 0.0) continue;
            sari_text_put(t, " + (");
            sari_text_number(t, c->poly[k]);
            sari_text_put(t, ")*%s.%s", x->joint->word,
                          sari_robot_coordinate_word(x->joint, x->coordinate));
            if (k > 1) sari_text_put(t, "^%d", k);
        }
        sari_text_put(t, ")'}\n");
    }
}

void sari_write_outputs(sari_importer* im, sari_model_text* t)
{
    bool any = false;
    for (const sari_robot_joint* j = im->robot.joints; j; j = j->next)
        for (int k = 0; sari_is_in_model(j) && k < sari_robot_coordinates(j->kind); k++) {
            if (!any) sari_text_put(t, "\noutputs:\n");
            any = true;
            sari_text_put(t, "  %s%s: %s.%s\n", sari_import_output_word(im, j->word), k ? "_2" : "",
                          j->word, sari_robot_coordinate_word(j, k));
        }
}
