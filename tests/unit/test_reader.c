/* The model file reader: what a file says arrives in the model, and what is wrong is said once, all
 * of it, where it is. */
#include "input/reader.h"
#include "model/model.h"
#include "sar_test.h"
#include "stored_forces.h"

#define HEAD2 "sarrus: 1\nname: test\ndimension: 2\n"
#define HEAD3 "sarrus: 1\nname: test\ndimension: 3\n"

static sar_model* parse_with(const char* text, const sar_setting* settings, int count)
{
    sar_model* model = NULL;
    char* messages = NULL;
    sar_status status =
        sar_model_parse(text, strlen(text), "test.yaml", settings, count, &model, NULL, &messages);
    if (status != SAR_OK) fail_msg("status %d: %s", status, messages ? messages : "");
    CHECK(messages == NULL || (strstr(messages, ": note: ") && !strstr(messages, ": error: ")));
    sar_text_free(messages);
    return model;
}

static sar_model* parse(const char* text)
{
    return parse_with(text, NULL, 0);
}

/// The messages about a text that is wrong; sar_text_free them.
static char* complaints_with(const char* text, const sar_setting* settings, int count)
{
    sar_model* model = NULL;
    char* messages = NULL;
    CHECK_STATUS(
        sar_model_parse(text, strlen(text), "test.yaml", settings, count, &model, NULL, &messages),
        SAR_E_MODEL);
    CHECK(model == NULL);
    CHECK(messages != NULL);
    return messages;
}

static char* complaints(const char* text)
{
    return complaints_with(text, NULL, 0);
}

static int occurrences(const char* text, const char* part)
{
    int count = 0;
    for (const char* at = text; (at = strstr(at, part)); at += strlen(part)) count++;
    return count;
}

static void check_says(const char* messages, const char* part)
{
    if (!strstr(messages, part)) fail_msg("'%s' is not in:\n%s", part, messages);
}

static const sari_body* body(const sar_model* model, const char* name)
{
    sar_body_id id;
    CHECK_STATUS(sar_model_find_body(model, name, strlen(name), &id), SAR_OK);
    return &model->bodies[id.i];
}

static const sari_joint* joint(const sar_model* model, const char* name)
{
    sar_joint_id id;
    CHECK_STATUS(sar_model_find_joint(model, name, strlen(name), &id), SAR_OK);
    return &model->joints[id.i];
}

static void check_numbers(const double* got, const double* wanted, int count)
{
    for (int k = 0; k < count; k++) CHECK_NEAR(got[k], wanted[k], 1e-14);
}

/* ---- bodies --------------------------------------------------------------------------------- */

static void planar_body_arrives_complete(void** state)
{
    (void)state;
    sar_model* m = parse(HEAD2 "parameters: {L: 2, m: 3}\n"
                               "gravity: [0, -9.81]\n"
                               "ground: {points: {O: [L, -1]}, axes: {u: [3, 4]}}\n"
                               "bodies:\n"
                               "  crank:\n"
                               "    mass: m\n"
                               "    center: [L/2, 0.5]\n"
                               "    inertia: m*L^2/12\n"
                               "    points: {P: [L, 0]}\n"
                               "    position: [1, 2]\n"
                               "    angle: pi/6\n"
                               "    velocity: [0.5, 0.25]\n"
                               "    angular_velocity: -7\n");
    const sar_body_def* crank = &body(m, "crank")->def;
    CHECK_TEXT(sar_model_name(m), "test");
    CHECK(sar_model_dimension(m) == 2);
    check_numbers(m->gravity, (double[]){0, -9.81, 0}, 3);
    CHECK_NEAR(crank->mass, 3, 0);
    check_numbers(crank->center, (double[]){1, 0.5, 0}, 3);
    check_numbers(crank->inertia, (double[]){0, 0, 1, 0, 0, 0}, 6);
    check_numbers(crank->position, (double[]){1, 2, 0}, 3);
    const double c = 0.86602540378443864676, s = 0.5;
    check_numbers(crank->rotation, (double[]){c, -s, 0, s, c, 0, 0, 0, 1}, 9);
    check_numbers(crank->velocity, (double[]){0.5, 0.25, 0}, 3);
    check_numbers(crank->angular_velocity, (double[]){0, 0, -7}, 3);
    CHECK(crank->has_position && crank->has_rotation);
    double v[3];
    CHECK_STATUS(sar_model_find_point(m, SAR_GROUND, "O", 1, v), SAR_OK);
    check_numbers(v, (double[]){2, -1, 0}, 3);
    CHECK_STATUS(sar_model_find_axis(m, SAR_GROUND, "u", 1, v), SAR_OK);
    check_numbers(v, (double[]){0.6, 0.8, 0}, 3);
    sar_model_destroy(m);
}

static void spatial_inertia_has_three_or_six_numbers(void** state)
{
    (void)state;
    sar_model* m = parse(HEAD3 "bodies:\n"
                               "  a: {mass: 1, inertia: [1, 2, 2.5]}\n"
                               "  b: {mass: 1, inertia: [1, 2, 2.5, 0.1, 0.2, 0.3]}\n");
    check_numbers(body(m, "a")->def.inertia, (double[]){1, 2, 2.5, 0, 0, 0}, 6);
    check_numbers(body(m, "b")->def.inertia, (double[]){1, 2, 2.5, 0.1, 0.2, 0.3}, 6);
    CHECK(!body(m, "a")->def.has_position && !body(m, "a")->def.has_rotation);
    sar_model_destroy(m);
}

/// A quarter turn about x, then one about z: x -> y, y -> z, z -> x.
static void forms_of_rotation_agree(void** state)
{
    (void)state;
    sar_model* m = parse(HEAD3 "bodies:\n"
                               "  a: {mass: 1, rotation: {rpy: [pi/2, 0, pi/2]}}\n"
                               "  b: {mass: 1, rotation: {axis: [2, 2, 2], angle: 2*pi/3}}\n"
                               "  c: {mass: 1, rotation: {quaternion: [3, 3, 3, 3]}}\n"
                               "  d: {mass: 1, rotation: {x: [0, 5, 0], y: [0, 1, 3]}}\n"
                               "  p: {mass: 1, rotation: {rpy: [0, pi/2, pi/2]}}\n");
    const double cyclic[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    for (int k = 1; k <= 4; k++) check_numbers(m->bodies[k].def.rotation, cyclic, 9);
    // pitch first (z -> x, x -> -z), then yaw (x -> y, y -> -x): z -> y, x -> -z, y -> -x
    check_numbers(body(m, "p")->def.rotation, (double[]){0, -1, 0, 0, 0, 1, -1, 0, 0}, 9);
    sar_model_destroy(m);
}

/* ---- joints --------------------------------------------------------------------------------- */

static void world_direction_is_fixed_in_both_bodies_as_drawn(void** state)
{
    (void)state;
    sar_model* m =
        parse(HEAD3 "bodies:\n"
                    "  a: {mass: 1, rotation: {axis: [0, 0, 1], angle: pi/2}}\n"
                    "  b: {mass: 1, rotation: {axis: [1, 0, 0], angle: pi/2}}\n"
                    "joints:\n"
                    "  j: {type: revolute, between: [a, b], axis: [0, 3, 0]}\n"
                    "  k: {type: revolute, between: [ground, b], axis: [ground.y, b.z]}\n");
    check_numbers(joint(m, "j")->pair.a.axis, (double[]){1, 0, 0}, 3);
    check_numbers(joint(m, "j")->pair.b.axis, (double[]){0, 0, -1}, 3);
    check_numbers(joint(m, "k")->pair.a.axis, (double[]){0, 1, 0}, 3);
    check_numbers(joint(m, "k")->pair.b.axis, (double[]){0, 0, 1}, 3);
    sar_model_destroy(m);
}

static void planar_direction_is_numbers_or_names(void** state)
{
    (void)state;
    sar_model* m = parse(HEAD2 "parameters: {n: 1}\n"
                               "bodies:\n"
                               "  slide1: {mass: 1, angle: pi/2, axes: {u: [0, -1]}}\n"
                               "joints:\n"
                               "  j: {type: prismatic, between: [ground, slide1], axis: [n, 0]}\n"
                               "  k: {type: point-on-line, between: [ground, slide1], axis: "
                               "[ground.x, \"slide{n+0}.u\"]}\n");
    check_numbers(joint(m, "j")->pair.a.axis, (double[]){1, 0, 0}, 3);
    check_numbers(joint(m, "j")->pair.b.axis, (double[]){0, -1, 0}, 3);
    check_numbers(joint(m, "k")->pair.a.axis, (double[]){1, 0, 0}, 3);
    sar_model_destroy(m);
}

static void every_type_of_joint_is_read(void** state)
{
    (void)state;
    sar_model* m =
        parse(HEAD3 "bodies: {b: {mass: 1, rotation: {rpy: [0, 0, 0]}, points: {P: [1, 2, 3]}}}\n"
                    "joints:\n"
                    "  j0: {type: revolute, between: [ground, b.P], axis: [0, 0, 1], normal: "
                    "[1, 0, 0]}\n"
                    "  j1: {type: prismatic, between: [ground, b.P], axis: [0, 0, 1]}\n"
                    "  j2: {type: spherical, between: [ground, b.P]}\n"
                    "  j3: {type: universal, between: [ground, b.P], axis: [ground.x, b.y]}\n"
                    "  j4: {type: cylindrical, between: [ground, b.P], axis: [0, 0, 1]}\n"
                    "  j5: {type: planar, between: [ground, b.P], axis: [0, 0, 1]}\n"
                    "  j6: {type: screw, between: [ground, b.P], axis: [0, 0, 1], pitch: 1/4}\n"
                    "  j7: {type: fixed, between: [ground, b.P]}\n"
                    "  j8: {type: point-on-line, between: [ground, b.P], axis: [0, 0, 1]}\n"
                    "  j9: {type: point-on-plane, between: [ground, b.P], axis: [0, 0, 1]}\n"
                    "  j10: {type: distance, between: [ground, b.P], distance: 2^2}\n"
                    "  j11: {type: rolling-sphere, between: [ground, b.P], axis: [0, 0, 1], "
                    "radius: 1}\n"
                    "  j12: {type: rolling-disc, between: [ground, b.P], axis: [ground.z, b.y], "
                    "radius: 2}\n"
                    "  j13: {type: knife-edge, between: [ground, b.P], axis: b.x}\n"
                    "  j14: {type: constant-velocity, between: [ground, b.P], axis: [ground.x, "
                    "b.y]}\n"
                    "  j15: {type: point-on-curve, between: [ground, b.P], axis: ground.z, curve: "
                    "{x: s, y: s^2, from: -1, to: 1}}\n");
    CHECK(sar_model_joints(m) == SAR_JOINT_TYPES);
    for (int k = 0; k < SAR_JOINT_TYPES; k++) {
        CHECK(m->joints[k].pair.type == (sar_joint_type)k);
        check_numbers(m->joints[k].pair.b.point, (double[]){1, 2, 3}, 3);
    }
    CHECK_NEAR(joint(m, "j6")->pair.pitch, 0.25, 0);
    CHECK_NEAR(joint(m, "j10")->pair.distance, 4, 0);
    check_numbers(joint(m, "j0")->pair.b.normal, (double[]){1, 0, 0}, 3);
    sar_model_destroy(m);
}

/// A gear keeps coordinate(B) - ratio coordinate(A); it may stand before its joints in the file.
static void cut_is_a_wish_of_the_joint(void** state)
{
    (void)state;
    sar_model* m = parse(HEAD2 "bodies: {a: {mass: 1, angle: 0}, b: {mass: 1, angle: 0}}\n"
                               "joints:\n"
                               "  A: {type: revolute, between: [ground, a]}\n"
                               "  B: {type: prismatic, between: [a, b], axis: [1, 0], cut: yes}\n"
                               "  C: {type: revolute, between: [b, ground], cut: true}\n"
                               "  D: {type: distance, between: [a, b], distance: 1, cut: no}\n");
    CHECK(joint(m, "A")->pair.cut == 0 && joint(m, "B")->pair.cut == 1);
    CHECK(joint(m, "C")->pair.cut == 1 && joint(m, "D")->pair.cut == 0);
    sar_model_destroy(m);
}

static void gears_and_couplers_become_sums(void** state)
{
    (void)state;
    sar_model* m =
        parse(HEAD2 "bodies: {a: {mass: 1, angle: 0}, b: {mass: 1, angle: 0}}\n"
                    "joints:\n"
                    "  g: {type: gear, joints: [A, B], ratio: 2.5}\n"
                    "  c: {type: coupler, sum: {A.angle: 3, B.displacement: -4}, offset: 5}\n"
                    "  A: {type: revolute, between: [ground, a]}\n"
                    "  B: {type: prismatic, between: [ground, b], axis: [1, 0]}\n");
    const sar_coupling_def* g = &joint(m, "g")->coupling;
    CHECK(g->terms == 2 && !g->has_offset);
    for (int k = 0; k < 2; k++) {
        bool is_a = strcmp(sar_model_joint_name(m, g->joint[k].i), "A") == 0;
        CHECK(g->coordinate[k] == (is_a ? SAR_COORD_ANGLE : SAR_COORD_DISPLACEMENT));
        CHECK_NEAR(g->coefficient[k], is_a ? -2.5 : 1, 0);
    }
    const sar_coupling_def* c = &joint(m, "c")->coupling;
    CHECK(c->terms == 2 && c->has_offset);
    CHECK_NEAR(c->offset, 5, 0);
    CHECK_NEAR(c->coefficient[0], 3, 0);
    CHECK_NEAR(c->coefficient[1], -4, 0);
    CHECK(c->coordinate[1] == SAR_COORD_DISPLACEMENT);
    sar_model_destroy(m);
}

static void drives_take_joints_or_points(void** state)
{
    (void)state;
    sar_model* m = parse(HEAD2 "parameters: {w: 2}\n"
                               "bodies: {a: {mass: 1, angle: 0}, b: {mass: 1, angle: 0}}\n"
                               "drives:\n"
                               "  turn: {joint: A, value: w*t}\n"
                               "  push: {joint: B, value: t^2}\n"
                               "  pull: {between: [a, b], value: 1 + t}\n"
                               "joints:\n"
                               "  A: {type: revolute, between: [ground, a]}\n"
                               "  B: {type: prismatic, between: [ground, b], axis: [1, 0]}\n");
    const double t = 3;
    CHECK(joint(m, "turn")->drive.coordinate == SAR_COORD_ANGLE);
    CHECK_NEAR(sari_expression_value(joint(m, "turn")->value, &t), 6, 0);
    CHECK(joint(m, "push")->drive.coordinate == SAR_COORD_DISPLACEMENT);
    CHECK_NEAR(sari_expression_value(joint(m, "push")->value, &t), 9, 0);
    CHECK(joint(m, "pull")->drive.joint.i < 0);
    CHECK_NEAR(sari_expression_value(joint(m, "pull")->value, &t), 4, 0);
    sar_model_destroy(m);
}

/* ---- forces --------------------------------------------------------------------------------- */

static void loads_keep_their_axes_and_reactions(void** state)
{
    (void)state;
    sar_model* m =
        parse(HEAD2 "bodies: {a: {mass: 1, points: {P: [1, 2]}}, b: {mass: 1}}\n"
                    "forces:\n"
                    "  f: {type: force, acts_on: a.P, force: [3*t, 4], axes: body, reaction: b}\n"
                    "  g: {type: torque, acts_on: b, torque: 5 + t}\n");
    const double t = 2;
    const sar_load_def* f = load_of(m, 0);
    CHECK(f->body.i == 1 && f->reaction.i == 2 && f->in_body_axes == 1);
    check_numbers(f->point, (double[]){1, 2, 0}, 3);
    CHECK_NEAR(sari_expression_value(force_text(m, 0, 0), &t), 6, 0);
    CHECK_NEAR(sari_expression_value(force_text(m, 0, 1), &t), 4, 0);
    CHECK(!force_text(m, 0, 2) && !torque_text(m, 0, 2));
    const sar_load_def* g = load_of(m, 1);
    CHECK(g->body.i == 2 && g->reaction.i == 0 && g->in_body_axes == 0);
    CHECK(!torque_text(m, 1, 0) && !torque_text(m, 1, 1) && !force_text(m, 1, 0));
    CHECK_NEAR(sari_expression_value(torque_text(m, 1, 2), &t), 7, 0);
    sar_model_destroy(m);
}

static void springs_have_laws_and_tables(void** state)
{
    (void)state;
    sar_model* m =
        parse(HEAD2 "parameters: {k: 100}\n"
                    "bodies: {a: {mass: 1, angle: 0, points: {P: [1, 2]}}}\n"
                    "joints: {A: {type: revolute, between: [ground, a]}}\n"
                    "forces:\n"
                    "  s: {type: spring, between: [ground, a.P], stiffness: k, damping: k/10, "
                    "length: 2, force: x*v}\n"
                    "  r: {type: rotational-spring, joint: A, angle: pi, torque: 2*x, "
                    "table: [[-1, -5], [0, 0], [2, k]]}\n");
    const sar_spring_def* s = spring_of(m, 0);
    CHECK(s->joint.i < 0);
    CHECK_NEAR(s->stiffness, 100, 0);
    CHECK_NEAR(s->damping, 10, 0);
    CHECK_NEAR(s->free, 2, 0);
    const double txv[3] = {0, 3, 4};
    CHECK_NEAR(sari_expression_value(spring_text(m, 0), txv), 12, 0);
    const sar_spring_def* r = spring_of(m, 1);
    CHECK(r->joint.i == 0 && r->coordinate == SAR_COORD_ANGLE);
    CHECK_NEAR(r->free, 3.14159265358979323846, 0);
    CHECK(r->table_length == 3);
    check_numbers(r->table_x, (double[]){-1, 0, 2}, 3);
    check_numbers(r->table_f, (double[]){-5, 0, 100}, 3);
    sar_model_destroy(m);
}

static void springs_and_drives_choose_a_coordinate(void** state)
{
    (void)state;
    sar_model* m = parse(
        "sarrus: 1\nname: test\ndimension: 3\n"
        "bodies: {a: {mass: 1, rotation: {rpy: [0, 0, 0]}}}\n"
        "joints:\n"
        "  U: {type: universal, between: [ground, a], axis: [ground.x, a.y], normal: "
        "[ground.z, a.z]}\n"
        "  P: {type: planar, between: [ground, a], axis: [0, 0, 1], normal: [0, 1, 0]}\n"
        "  Q: {type: point-on-plane, between: [ground, a], axis: [0, 0, 1], normal: [0, 1, 0]}\n"
        "  G: {type: gear, joints: [U, Q], ratio: 2}\n"
        "  C: {type: coupler, sum: {U.angle2: 1, Q.displacement2: -1}}\n"
        "drives:\n"
        "  d: {joint: U, coordinate: angle2, value: t}\n"
        "  e: {joint: Q, value: t}\n"
        "  f: {joint: P, coordinate: displacement2, value: t}\n"
        "forces:\n"
        "  r: {type: rotational-spring, joint: U, stiffness: 1}\n"
        "  s: {type: rotational-spring, joint: U, coordinate: angle2, stiffness: 1}\n"
        "  u: {type: spring, joint: P, stiffness: 1, length: 2}\n"
        "  v: {type: spring, joint: P, coordinate: displacement2, force: x}\n");
    check_numbers(joint(m, "U")->pair.a.normal, (double[]){0, 0, 1}, 3);
    check_numbers(joint(m, "P")->pair.a.normal, (double[]){0, 1, 0}, 3);
    check_numbers(joint(m, "Q")->pair.a.normal, (double[]){0, 1, 0}, 3);
    const sar_coupling_def *gear = &joint(m, "G")->coupling, *coupler = &joint(m, "C")->coupling;
    CHECK(gear->coordinate[0] == SAR_COORD_ANGLE);
    CHECK(gear->coordinate[1] == SAR_COORD_DISPLACEMENT);
    CHECK(coupler->coordinate[0] == SAR_COORD_ANGLE_2);
    CHECK(coupler->coordinate[1] == SAR_COORD_DISPLACEMENT_2);
    CHECK(joint(m, "d")->drive.coordinate == SAR_COORD_ANGLE_2);
    CHECK(joint(m, "e")->drive.coordinate == SAR_COORD_DISPLACEMENT);
    CHECK(joint(m, "f")->drive.coordinate == SAR_COORD_DISPLACEMENT_2);
    static const sar_coordinate wanted[4] = {SAR_COORD_ANGLE, SAR_COORD_ANGLE_2,
                                             SAR_COORD_DISPLACEMENT, SAR_COORD_DISPLACEMENT_2};
    for (int k = 0; k < 4; k++) {
        CHECK(spring_of(m, k)->coordinate == wanted[k]);
        CHECK(spring_of(m, k)->joint.i == k / 2);
    }
    CHECK_NEAR(spring_of(m, 2)->free, 2, 0);
    sar_model_destroy(m);
}

static void planar_bushing_fills_rows_0_1_5(void** state)
{
    (void)state;
    sar_model* m =
        parse(HEAD2 "bodies: {a: {mass: 1, angle: 0}}\n"
                    "forces:\n"
                    "  f: {type: bushing, between: [ground, a], K: [1, 2, 3], C: [[4, 5, 6], "
                    "[7, 8, 9], [10, 11, 12]]}\n");
    double K[36] = {0}, C[36] = {0};
    K[0] = 1, K[7] = 2, K[35] = 3;
    C[0] = 4, C[1] = 5, C[5] = 6, C[6] = 7, C[7] = 8, C[11] = 9, C[30] = 10, C[31] = 11, C[35] = 12;
    check_numbers(bushing_of(m, 0)->K, K, 36);
    check_numbers(bushing_of(m, 0)->C, C, 36);
    sar_model_destroy(m);
}

static void spatial_bushing_takes_six_rows(void** state)
{
    (void)state;
    sar_model* m =
        parse(HEAD3 "bodies: {a: {mass: 1, rotation: {rpy: [0, 0, 0]}}}\n"
                    "forces:\n"
                    "  f: {type: bushing, between: [ground, a], K: [1, 2, 3, 4, 5, 6]}\n");
    for (int k = 0; k < 36; k++) CHECK_NEAR(bushing_of(m, 0)->K[k], k % 7 == 0 ? 1 + k / 7 : 0, 0);
    sar_model_destroy(m);
}

/* ---- notes: valid, but perhaps not what was meant ------------------------------------------- */

/// What is said about a text that is valid; sar_text_free it.
static char* notes(const char* text)
{
    sar_model* model = NULL;
    char* messages = NULL;
    sar_status status =
        sar_model_parse(text, strlen(text), "test.yaml", NULL, 0, &model, NULL, &messages);
    if (status != SAR_OK) fail_msg("status %d: %s", status, messages ? messages : "");
    sar_model_destroy(model);
    return messages;
}

static void a_body_alone_is_said_to_be_its_origin(void** state)
{
    (void)state;
    char* said = notes(HEAD2 "bodies: {a: {mass: 1, points: {P: [1, 0]}}}\n"
                             "joints: {J: {type: revolute, between: [ground.origin, a]}}\n");
    check_says(said, "test.yaml:5:55: note: 'a' alone is taken as its origin, a.origin");
    CHECK(occurrences(said, "note") == 1);
    sar_text_free(said);
    said = notes(HEAD2 "bodies: {a: {mass: 1, points: {P: [1, 0]}}}\n"
                       "joints: {J: {type: revolute, between: [ground.origin, a.origin]}}\n");
    CHECK(said == NULL);
}

static void the_old_key_on_is_read_with_a_note(void** state)
{
    (void)state;
    char* said = notes(HEAD2 "bodies: {a: {mass: 1, inertia: 1}}\n"
                             "forces:\n"
                             "  f: {type: force, on: a.center, force: [1, 0]}\n"
                             "  g: {type: torque, on: a, torque: 1}\n"
                             "  h: {type: tyre, acts_on: a.center, radius: 1, stiffness: 1}\n");
    check_says(said, "test.yaml:6:20: note: 'on' is called 'acts_on' now");
    check_says(said, "test.yaml:7:21: note: 'on' is called 'acts_on' now");
    CHECK(occurrences(said, "note") == 2);
    sar_text_free(said);
    said = complaints(HEAD2 "bodies: {a: {mass: 1, inertia: 1}}\n"
                            "forces:\n"
                            "  f: {type: torque, on: a, acts_on: a, torque: 1}\n"
                            "  g: {type: torque, torque: 1}\n");
    check_says(said, "torque 'f' has both 'acts_on' and 'on', which mean the same");
    check_says(said, "torque 'g' lacks the key 'acts_on'");
    sar_text_free(said);
}

static void reserved_names_are_refused_and_listed(void** state)
{
    (void)state;
    char* said = complaints(HEAD2 "parameters: {v: 1}\n"
                                  "bodies: {a: {mass: 1}, energy: {mass: 1}}\n"
                                  "forces: {f: {type: force, acts_on: a.center, force: [e, 0]}}\n"
                                  "outputs: {e: a.center.x, pi: 2, x: 3}\n");
    check_says(said, "a parameter cannot be called \"v\"");
    check_says(said, "(reserved are ground, energy, t, x, v, pi, e, inf)");
    check_says(said, "a body, joint or force cannot be called \"energy\"");
    check_says(said, "(reserved are ground, energy, t)");
    check_says(said, "an output cannot be called \"e\"");
    check_says(said, "an output cannot be called \"pi\"");
    check_says(said, "(reserved are t, pi, e, inf)");
    CHECK(occurrences(said, ": error: ") == 4);
    sar_text_free(said);
}

static void an_output_does_not_change_the_x_of_a_spring(void** state)
{
    (void)state;
    char* said =
        notes(HEAD2 "bodies: {a: {mass: 1}}\n"
                    "forces: {s: {type: spring, between: [ground.origin, a.center], force: "
                    "-3*x}}\n"
                    "outputs: {x: a.center.x, v: a.center.vx}\n");
    check_says(said, "test.yaml:6:11: note: in 's' the name x means its own variable");
    CHECK(occurrences(said, "note") == 1);
    sar_text_free(said);
}

/* ---- repeat and when ------------------------------------------------------------------------ */

static const char chain[] =
    HEAD3 "parameters: {n: 3}\n"
          "bodies: {}\n"
          "repeat:\n"
          "  - index: i\n"
          "    from: 1\n"
          "    to: n\n"
          "    ground: {points: {\"G{i}\": [0, i, 0]}}\n"
          "    bodies:\n"
          "      link{i}:\n"
          "        mass: 10*i\n"
          "        position: [i - 1, 0, 0]\n"
          "        points: {\"tip{i}\": [1, 0, 0]}\n"
          "    joints:\n"
          "      J{i}:\n"
          "        type: spherical\n"
          "        between: [\"link{i-1}.tip{i-1}\", \"link{i}\"]\n"
          "        when: i > 1\n"
          "    forces:\n"
          "      F{i}: {type: force, acts_on: \"link{i}\", force: [i*t, 0, 0]}\n"
          "    outputs:\n"
          "      x{i}: link{i}.tip{i}.x + i\n"
          "    start:\n"
          "      link{i}.origin.vx: i/2\n";

static void repeat_counts_in_names_and_numbers(void** state)
{
    (void)state;
    sar_model* m = parse(chain);
    CHECK(sar_model_bodies(m) == 4 && sar_model_joints(m) == 2 && sar_model_outputs(m) == 3);
    CHECK(m->forces[SARI_FORCE_LOAD].count == 3 && m->starts_count == 3);
    for (int k = 1; k <= 3; k++) {
        CHECK_NEAR(m->bodies[k].def.mass, 10 * k, 0);
        CHECK_NEAR(m->bodies[k].def.position[0], k - 1, 0);
        CHECK_NEAR(m->starts[k - 1].value, k / 2.0, 0);
        const double t = 2;
        CHECK_NEAR(sari_expression_value(force_text(m, k - 1, 0), &t), 2 * k, 0);
    }
    CHECK_TEXT(sar_model_body_name(m, 3), "link3");
    CHECK_TEXT(sar_model_output_name(m, 2), "x3");
    CHECK_TEXT(sar_model_joint_name(m, 0), "J2");
    CHECK(joint(m, "J3")->pair.a.body.i == 2 && joint(m, "J3")->pair.b.body.i == 3);
    check_numbers(joint(m, "J3")->pair.a.point, (double[]){1, 0, 0}, 3);
    double p[3];
    CHECK_STATUS(sar_model_find_point(m, SAR_GROUND, "G3", 2, p), SAR_OK);
    check_numbers(p, (double[]){0, 3, 0}, 3);
    sar_model_destroy(m);
}

static void repeat_follows_settings_down_to_nothing(void** state)
{
    (void)state;
    sar_model* m = parse_with(chain, (sar_setting[]){{"n", "0"}}, 1);
    CHECK(sar_model_bodies(m) == 1 && sar_model_joints(m) == 0 && sar_model_outputs(m) == 0);
    sar_model_destroy(m);
    m = parse_with(chain, (sar_setting[]){{"n", "2^8"}}, 1);
    CHECK(sar_model_bodies(m) == 257);
    CHECK_TEXT(sar_model_body_name(m, 256), "link256");
    sar_model_destroy(m);
}

static void when_chooses_elements(void** state)
{
    (void)state;
    static const char text[] =
        HEAD2 "parameters: {big: 0}\n"
              "bodies:\n"
              "  a: {mass: 1}\n"
              "  b: {mass: 1, when: big}\n"
              "joints:\n"
              "  J: {type: revolute, between: [ground, b], when: big}\n"
              "forces:\n"
              "  F: {type: torque, acts_on: b, torque: 1, when: \"big == 1 ? 1 : 0\"}\n";
    sar_model* m = parse(text);
    CHECK(sar_model_bodies(m) == 2 && sar_model_joints(m) == 0 &&
          m->forces[SARI_FORCE_LOAD].count == 0);
    sar_model_destroy(m);
    m = parse_with(text, (sar_setting[]){{"big", "1"}}, 1);
    CHECK(sar_model_bodies(m) == 3 && sar_model_joints(m) == 1 &&
          m->forces[SARI_FORCE_LOAD].count == 1);
    sar_model_destroy(m);
}

static void limits_stop_a_flood(void** state)
{
    (void)state;
    sar_model* m = NULL;
    char* messages = NULL;
    const sari_limits few = {.instances = 5, .elements = 12};
    const sar_setting settings[] = {{"n", "6"}, {"n", "5"}};
    CHECK_STATUS(
        sari_reader_parse(chain, strlen(chain), "test.yaml", settings, 1, few, &m, NULL, &messages),
        SAR_E_MODEL);
    check_says(messages, "this repeats 6 times; at most 5 instances are allowed");
    sar_text_free(messages);
    CHECK_STATUS(
        sari_reader_parse(chain, strlen(chain), "test.yaml", settings, 2, few, &m, NULL, &messages),
        SAR_E_MODEL);
    check_says(messages, "more than 12 elements");
    sar_text_free(messages);
}

/* ---- parameters, settings, options ---------------------------------------------------------- */

static void settings_replace_before_later_parameters(void** state)
{
    (void)state;
    static const char text[] = HEAD2 "parameters: {a: 1, b: 2*a, c: a + b}\n"
                                     "bodies: {p: {mass: b}, q: {mass: c}}\n";
    sar_model* m = parse(text);
    CHECK_NEAR(body(m, "p")->def.mass, 2, 0);
    CHECK_NEAR(body(m, "q")->def.mass, 3, 0);
    sar_model_destroy(m);
    m = parse_with(text, (sar_setting[]){{"a", "99"}, {"a", "10"}}, 2);
    CHECK_NEAR(body(m, "p")->def.mass, 20, 0);
    CHECK_NEAR(body(m, "q")->def.mass, 30, 0);
    sar_model_destroy(m);
    m = parse_with(text, (sar_setting[]){{"c", "a + 2*b"}}, 1);
    CHECK_NEAR(body(m, "q")->def.mass, 5, 0);
    sar_model_destroy(m);
}

static void wrong_settings_are_explained(void** state)
{
    (void)state;
    static const char text[] = HEAD2 "parameters: {mass: 1, length: 2}\n"
                                     "bodies: {p: {mass: mass}}\n";
    char* messages = complaints_with(text, (sar_setting[]){{"mas", "2"}}, 1);
    check_says(messages, "the model has no parameter 'mas'");
    check_says(messages, "mass, length");
    sar_text_free(messages);
    messages = complaints_with(text, (sar_setting[]){{"mass", "2 + length"}}, 1);
    CHECK_TEXT(messages, "test.yaml: error: the setting of 'mass' from outside: there is no "
                         "parameter 'length'\n"
                         "      | 2 + length\n"
                         "      |     ^\n");
    sar_text_free(messages);
}

static void method_section_fills_the_options(void** state)
{
    (void)state;
    static const char text[] = HEAD2 "parameters: {T: 2}\n"
                                     "bodies: {p: {mass: 1}}\n"
                                     "method: {end: 3*T, step: 1e-4, newton-tolerance: 1e-7, "
                                     "alpha: inf, iterations: 7}\n";
    sar_options options = sar_options_default();
    options.start = 1.5;
    sar_model* m = NULL;
    char* messages = NULL;
    CHECK_STATUS(sar_model_parse(text, strlen(text), "test.yaml", NULL, 0, &m, &options, &messages),
                 SAR_OK);
    CHECK_NEAR(options.end, 6, 0);
    CHECK_NEAR(options.step, 1e-4, 0);
    CHECK_NEAR(options.newton_tolerance, 1e-7, 0);
    CHECK(isinf(options.alpha));
    CHECK(options.iterations == 7);
    CHECK_NEAR(options.start, 1.5, 0);
    sar_model_destroy(m);
}

static void options_stay_as_they_are_after_an_error(void** state)
{
    (void)state;
    static const char text[] = HEAD2 "bodies: {p: {mass: one}}\nmethod: {end: 3}\n";
    sar_options options = sar_options_default();
    options.end = 77;
    sar_model* m = NULL;
    char* messages = NULL;
    CHECK_STATUS(sar_model_parse(text, strlen(text), "test.yaml", NULL, 0, &m, &options, &messages),
                 SAR_E_MODEL);
    CHECK_NEAR(options.end, 77, 0);
    sar_text_free(messages);
}

/* ---- syntax --------------------------------------------------------------------------------- */

static void json_is_read_too(void** state)
{
    (void)state;
    sar_model* m = parse("{\"sarrus\": 1, \"name\": \"a pendulum\", \"dimension\": 2,\n"
                         " \"parameters\": {\"L\": 2},\n"
                         " \"bodies\": {\"bob\": {\"mass\": 1.5e0, \"points\": {\"P\": [\"L/4\", "
                         "0]}}},\n"
                         " \"joints\": {\"O\": {\"type\": \"revolute\", \"between\": [\"ground\", "
                         "\"bob.P\"]}},\n"
                         " \"outputs\": {\"a\": \"O.angle\"}}\n");
    CHECK_TEXT(sar_model_name(m), "a pendulum");
    CHECK_NEAR(body(m, "bob")->def.mass, 1.5, 0);
    check_numbers(joint(m, "O")->pair.b.point, (double[]){0.5, 0, 0}, 3);
    CHECK(sar_model_outputs(m) == 1);
    sar_model_destroy(m);
}

static void order_of_sections_does_not_matter(void** state)
{
    (void)state;
    sar_model* m = parse("start: {O.angle: 1}\n"
                         "outputs: {a: O.angle}\n"
                         "forces: {F: {type: torque, acts_on: bob, torque: T}}\n"
                         "joints: {O: {type: revolute, between: [ground.Q, bob]}}\n"
                         "bodies: {bob: {mass: 1}}\n"
                         "ground: {points: {Q: [T, 0]}}\n"
                         "parameters: {T: 3}\n"
                         "dimension: 2\nname: x\nsarrus: 1\n");
    check_numbers(joint(m, "O")->pair.a.point, (double[]){3, 0, 0}, 3);
    CHECK(m->forces[SARI_FORCE_LOAD].count == 1 && m->outputs_count == 1 && m->starts_count == 1);
    sar_model_destroy(m);
}

static void byte_order_mark_and_other_line_ends_are_fine(void** state)
{
    (void)state;
    sar_model* m =
        parse("\xef\xbb\xbfsarrus: 1\r\nname: test\r\ndimension: 2\r\nbodies:\r\n  b:\r\n"
              "    mass: 1\r\n");
    sar_model_destroy(m);
    char* messages = complaints("sarrus: 1\r\nname: \xc3\xa9\xc3\xa8\r\ndimension: 2\r\nbodies: "
                                "{b: {mass: 1, \xc3\xa9: 1, mas: 1}}\r\n");
    check_says(messages, "test.yaml:4:23: error: a body has no key '\xc3\xa9'");
    check_says(messages, "test.yaml:4:29: error: a body has no key 'mas'");
    sar_text_free(messages);
}

/* ---- errors --------------------------------------------------------------------------------- */

static void an_error_shows_line_caret_and_hint(void** state)
{
    (void)state;
    char* messages = complaints(HEAD2 "bodies:\n\n  crank: {mas: 1}\n");
    CHECK_TEXT(messages, "test.yaml:6:11: error: a body has no key 'mas'\n"
                         "    6 |   crank: {mas: 1}\n"
                         "      |           ^\n"
                         "        hint: did you mean 'mass'?\n");
    sar_text_free(messages);
}

static void all_errors_come_at_once_in_order(void** state)
{
    (void)state;
    char* messages = complaints(HEAD2 "start: {O.angel: 1}\n"
                                      "bodies: {a: {mass: [1]}, b: {mass: 1}, b: {mass: 2}}\n"
                                      "joints: {O: {type: revolute, between: [ground, b]}, P: "
                                      "{type: rigid, between: [ground, b]}}\n"
                                      "outputs: {y: 1 +}\n");
    CHECK(occurrences(messages, "error: ") == 5);
    const char* at = messages;
    static const char* const places[] = {
        "test.yaml:4:", "test.yaml:5:", "test.yaml:5:", "test.yaml:6:", "test.yaml:7:"};
    for (int k = 0; k < 5; k++) {
        at = strstr(at, places[k]);
        CHECK(at != NULL);
        at++;
    }
    sar_text_free(messages);
}

static void consequences_are_not_reported(void** state)
{
    (void)state;
    char* messages = complaints(HEAD2 "parameters: {a: 1/0, b: 2*a}\n"
                                      "bodies: {p: {mass: b, points: {Q: [a, 0]}}, q: {mass: 1}}\n"
                                      "joints: {J: {type: revolute, between: [p.Q, q]}}\n"
                                      "drives: {D: {joint: J, value: a*t}}\n"
                                      "forces: {F: {type: force, acts_on: p, force: [p.Q.x, b]}}\n"
                                      "outputs: {y: J.angle + p.Q.x}\n"
                                      "start: {J.rate: b}\n");
    CHECK(occurrences(messages, "error: ") == 1);
    check_says(messages, "a is infinite");
    sar_text_free(messages);
}

static void errors_of_a_repeat_are_reported_once(void** state)
{
    (void)state;
    char* messages = complaints(HEAD2 "bodies: {}\n"
                                      "repeat:\n"
                                      "  - {index: i, from: 1, to: 50000, bodies: "
                                      "{\"b{i}\": {mass: -i}}}\n");
    CHECK(occurrences(messages, "error: ") == 1);
    check_says(messages, "test.yaml:6:");
    sar_text_free(messages);
}

static void many_errors_are_counted(void** state)
{
    (void)state;
    char text[4096] = HEAD2 "bodies:\n";
    for (int k = 0; k < 23; k++) {
        char line[32];
        snprintf(line, sizeof line, "  b%d: {mass: q}\n", k);
        strcat(text, line);
    }
    char* messages = complaints(text);
    CHECK(occurrences(messages, "error: ") == 20);
    check_says(messages, "3 more errors not shown");
    sar_text_free(messages);
}

static void long_lines_are_cut_around_the_caret(void** state)
{
    (void)state;
    char text[1024] = HEAD2 "bodies: {";
    for (int k = 0; k < 30; k++) {
        char item[32];
        snprintf(item, sizeof item, "b%d: {mass: 1}, ", k);
        strcat(text, item);
    }
    strcat(text, "c: {mass: oops}}\n");
    char* messages = complaints(text);
    const char* caret = strchr(messages, '^');
    CHECK(caret != NULL);
    const char* line_start = caret;
    while (line_start[-1] != '\n') line_start--;
    const char* source = strchr(messages, '\n') + 1;
    CHECK(strncmp(source + (caret - line_start), "oops", 4) == 0);
    CHECK(line_start - source < 120);
    sar_text_free(messages);
}

static void messages_cannot_steer_a_terminal(void** state)
{
    (void)state;
    char* messages = complaints(HEAD2 "bodies: {\"a\\e[31m\\x9b\": {mass: 1}}\n");
    CHECK(strchr(messages, '\x1b') == NULL);
    CHECK(strstr(messages, "\xc2\x9b") == NULL);
    sar_text_free(messages);
}

static void missing_file_is_an_input_error(void** state)
{
    (void)state;
    sar_model* m = NULL;
    char* messages = NULL;
    CHECK_STATUS(sar_model_load("no/such/model.yaml", NULL, 0, &m, NULL, &messages), SAR_E_IO);
    check_says(messages, "no/such/model.yaml: error: cannot read the file: ");
    sar_text_free(messages);
    CHECK_STATUS(sar_model_load(SARRUS_ROOT, NULL, 0, &m, NULL, &messages), SAR_E_IO);
    sar_text_free(messages);
    sar_text_free(NULL);
}

/* ---- memory --------------------------------------------------------------------------------- */

typedef struct ration {
    long left;
} ration;

static void* rationed_allocate(void* context, size_t bytes)
{
    ration* r = context;
    return r->left-- > 0 ? calloc(1, bytes) : NULL;
}

static void rationed_release(void* context, void* memory)
{
    (void)context;
    free(memory);
}

/// With any number of allocations allowed the reader says so or succeeds; leaks show in the
/// sanitizer.
static void running_out_of_memory_anywhere_is_reported(void** state)
{
    (void)state;
    const char* texts[] = {chain, HEAD2 "parameters: {a: b}\nbodies: {c: {mas: [1]}}\nq: 1\n"};
    for (int k = 0; k < 2; k++) {
        sar_status status = SAR_E_NOMEM;
        for (long n = 0; n < 5000 && status == SAR_E_NOMEM; n++) {
            ration r = {n};
            const sar_allocator scarce = {rationed_allocate, rationed_release, &r};
            sar_model* m = NULL;
            char* messages = NULL;
            sar_set_allocator(&scarce);
            status = sar_model_parse(texts[k], strlen(texts[k]), "test.yaml", NULL, 0, &m, NULL,
                                     &messages);
            CHECK((status == SAR_OK) == (m != NULL));
            sar_model_destroy(m);
            sar_text_free(messages);
            sar_set_allocator(NULL);
        }
        CHECK_STATUS(status, k ? SAR_E_MODEL : SAR_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planar_body_arrives_complete),
        cmocka_unit_test(spatial_inertia_has_three_or_six_numbers),
        cmocka_unit_test(forms_of_rotation_agree),
        cmocka_unit_test(world_direction_is_fixed_in_both_bodies_as_drawn),
        cmocka_unit_test(planar_direction_is_numbers_or_names),
        cmocka_unit_test(every_type_of_joint_is_read),
        cmocka_unit_test(cut_is_a_wish_of_the_joint),
        cmocka_unit_test(gears_and_couplers_become_sums),
        cmocka_unit_test(drives_take_joints_or_points),
        cmocka_unit_test(loads_keep_their_axes_and_reactions),
        cmocka_unit_test(springs_have_laws_and_tables),
        cmocka_unit_test(springs_and_drives_choose_a_coordinate),
        cmocka_unit_test(planar_bushing_fills_rows_0_1_5),
        cmocka_unit_test(spatial_bushing_takes_six_rows),
        cmocka_unit_test(a_body_alone_is_said_to_be_its_origin),
        cmocka_unit_test(the_old_key_on_is_read_with_a_note),
        cmocka_unit_test(reserved_names_are_refused_and_listed),
        cmocka_unit_test(an_output_does_not_change_the_x_of_a_spring),
        cmocka_unit_test(repeat_counts_in_names_and_numbers),
        cmocka_unit_test(repeat_follows_settings_down_to_nothing),
        cmocka_unit_test(when_chooses_elements),
        cmocka_unit_test(limits_stop_a_flood),
        cmocka_unit_test(settings_replace_before_later_parameters),
        cmocka_unit_test(wrong_settings_are_explained),
        cmocka_unit_test(method_section_fills_the_options),
        cmocka_unit_test(options_stay_as_they_are_after_an_error),
        cmocka_unit_test(json_is_read_too),
        cmocka_unit_test(order_of_sections_does_not_matter),
        cmocka_unit_test(byte_order_mark_and_other_line_ends_are_fine),
        cmocka_unit_test(an_error_shows_line_caret_and_hint),
        cmocka_unit_test(all_errors_come_at_once_in_order),
        cmocka_unit_test(consequences_are_not_reported),
        cmocka_unit_test(errors_of_a_repeat_are_reported_once),
        cmocka_unit_test(many_errors_are_counted),
        cmocka_unit_test(long_lines_are_cut_around_the_caret),
        cmocka_unit_test(messages_cannot_steer_a_terminal),
        cmocka_unit_test(missing_file_is_an_input_error),
        cmocka_unit_test(running_out_of_memory_anywhere_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
