/* The model file reader: what a file says of bodies, joints and forces arrives in the model. */
#include "reader_fixture.h"
#include "stored_forces.h"

/* ---- bodies --------------------------------------------------------------------------------- */

TEST(planar_body_arrives_complete)
{
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

/* Two masses of 1 at (1, 1, 0) and (-1, -1, 0), whose middle is at (3, 0, 4): by rows, along their
 * line, and about the origin. */
TEST(inertia_along_other_axes_and_about_other_points)
{
    const double wanted[] = {3, 3, 5, -2, 0, 0}; // with 1 more about each axis
    const char* ways[] = {
        "inertia: [[3, -2, 0], [-2, 3, 0], [0, 0, 5]]",
        "inertia: [1, 5, 5], inertia_axes: {axis: [0, 0, 1], angle: pi/4}",
        "inertia: [35, 53, 23, -2, -24, 0], inertia_about: [0, 0, 0]",
        "inertia: [3, 3, 5, -2, 0, 0], inertia_about: [3, 0, 4]",
    };
    for (int k = 0; k < 4; k++) {
        char text[256];
        snprintf(text, sizeof text, HEAD3 "bodies: {a: {mass: 2, center: [3, 0, 4], %s}}\n",
                 ways[k]);
        sar_model* m = parse(text);
        for (int i = 0; i < 6; i++) CHECK_NEAR(body(m, "a")->def.inertia[i], wanted[i], 1e-13);
        sar_model_destroy(m);
    }
    sar_model* m = parse(HEAD2 "bodies: {a: {mass: 2, center: [3, 0], inertia: 19, "
                               "inertia_about: [0, 0]}}\n");
    CHECK_NEAR(body(m, "a")->def.inertia[2], 1.0, 1e-13);
    sar_model_destroy(m);
}

TEST(spatial_inertia_has_three_or_six_numbers)
{
    sar_model* m = parse(HEAD3 "bodies:\n"
                               "  a: {mass: 1, inertia: [1, 2, 2.5]}\n"
                               "  b: {mass: 1, inertia: [1, 2, 2.5, 0.1, 0.2, 0.3]}\n");
    check_numbers(body(m, "a")->def.inertia, (double[]){1, 2, 2.5, 0, 0, 0}, 6);
    check_numbers(body(m, "b")->def.inertia, (double[]){1, 2, 2.5, 0.1, 0.2, 0.3}, 6);
    CHECK(!body(m, "a")->def.has_position && !body(m, "a")->def.has_rotation);
    sar_model_destroy(m);
}

/// A quarter turn about x, then one about z: x -> y, y -> z, z -> x.
TEST(forms_of_rotation_agree)
{
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

TEST(world_direction_is_fixed_in_both_bodies_as_drawn)
{
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

TEST(planar_direction_is_numbers_or_names)
{
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

TEST(every_type_of_joint_is_read)
{
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
                    "{x: s, y: s^2, from: -1, to: 1}}\n"
                    "  j16: {type: orientation, between: [ground, b.P]}\n"
                    "  j17: {type: parallel-axes, between: [ground, b.P], axis: [0, 0, 1]}\n"
                    "  j18: {type: perpendicular-axes, between: [ground, b.P], axis: [ground.x, "
                    "b.y]}\n"
                    "  j19: {type: general, between: [ground, b.P], axis: [0, 0, 1], locked: [x, "
                    "rz]}\n");
    CHECK(joint(m, "j19")->pair.locked == (SAR_LOCK_X | SAR_LOCK_RZ));
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
TEST(cut_is_a_wish_of_the_joint)
{
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

TEST(gears_and_couplers_become_sums)
{
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

TEST(drives_take_joints_or_points)
{
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

TEST(loads_keep_their_axes_and_reactions)
{
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

TEST(springs_have_laws_and_tables)
{
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

TEST(springs_and_drives_choose_a_coordinate)
{
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

TEST(planar_bushing_fills_rows_0_1_5)
{
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

TEST(spatial_bushing_takes_six_rows)
{
    sar_model* m =
        parse(HEAD3 "bodies: {a: {mass: 1, rotation: {rpy: [0, 0, 0]}}}\n"
                    "forces:\n"
                    "  f: {type: bushing, between: [ground, a], K: [1, 2, 3, 4, 5, 6]}\n");
    for (int k = 0; k < 36; k++) CHECK_NEAR(bushing_of(m, 0)->K[k], k % 7 == 0 ? 1 + k / 7 : 0, 0);
    sar_model_destroy(m);
}
