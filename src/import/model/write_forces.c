/* Forces of a model file: stops, friction, springs, actuators. */
#include "import/model/write.h"

#include "math/functions.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

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

static double three_digits(double x)
{
    const double unit = sari_pow(10.0, floor(sari_log10(x)) - 2.0);
    return floor(x / unit + 0.5) * unit;
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
    if (k) sari_text_put(t, ", coordinate: %s", sari_robot_coordinate_word(j, k));
    if (isfinite(travel->lower)) {
        sari_text_put(t, ", lower: ");
        sari_text_number(t, travel->lower);
    }
    if (isfinite(travel->upper)) {
        sari_text_put(t, ", upper: ");
        sari_text_number(t, travel->upper);
    }
    sari_text_put(t, ", stiffness: ");
    sari_text_number(t, three_digits(load / give));
    sari_text_put(t, ", damping: 1}\n");
}

static void put_travel(sari_importer* im, sari_model_text* t, const sari_robot_joint* j, int k,
                       const robot_scale* scale)
{
    const sari_robot_travel* travel = &j->travel[k];
    const bool angle = sari_robot_is_angle(j, k);
    const char* coordinate =
        k ? sari_import_print(im, ", coordinate: %s", sari_robot_coordinate_word(j, k)) : "";
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
        sari_text_put(t, ")*%s.%s", k->joint->word,
                      sari_robot_coordinate_word(k->joint, k->coordinate));
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
            sari_text_put(t, ", coordinate: %s",
                          sari_robot_coordinate_word(term->joint, term->coordinate));
    } else if (term) {
        sari_text_put(t, "along: '");
        put_term_sum(t, term);
        sari_text_put(t, "'");
    } else {
        const sari_pose p = sari_pose_shift(a->point[0]), q = sari_pose_shift(a->point[1]);
        const sari_model_place first = sari_model_place_of(a->link[0], &p),
                               second = sari_model_place_of(a->link[1], &q);
        sari_put_between(im, t, &first, &second, a->word);
    }
    sari_text_put(t, ", %s: '", angle ? "torque" : "force");
    put_law(t, a);
    sari_text_put(t, "'}\n");
}

static void put_spring(sari_importer* im, sari_model_text* t, const sari_robot_spring* s)
{
    const sari_model_place a = sari_model_place_of(s->link[0], &s->at[0]),
                           b = sari_model_place_of(s->link[1], &s->at[1]);
    static const double X[3] = {1, 0, 0}, Y[3] = {0, 1, 0};
    sari_text_put(t, "  %s: {type: %s, ", s->word, s->is_bushing ? "large-bushing" : "spring");
    sari_put_between(im, t, &a, &b, s->word);
    if (s->is_bushing) {
        sari_put_directions(t, "axis", &a, X, &b, X);
        sari_put_directions(t, "normal", &a, Y, &b, Y);
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

void sari_write_forces(sari_importer* im, sari_model_text* t)
{
    const robot_scale scale = scale_of(&im->robot);
    sari_text_put(t, "\nforces:\n");
    const size_t before = t->used;
    for (const sari_robot_joint* j = im->robot.joints; j; j = j->next)
        for (int k = 0; sari_is_in_model(j) && k < sari_robot_coordinates(j->kind); k++)
            put_travel(im, t, j, k, &scale);
    for (const sari_robot_spring* s = im->robot.springs; s; s = s->next)
        if (s->word[0]) put_spring(im, t, s);
    for (const sari_robot_actuator* a = im->robot.actuators; a; a = a->next)
        if (a->word[0]) put_actuator(im, t, a);
    if (t->used == before) sari_text_put(t, "  {}\n");
}
