/* The model file reader: rolling joints, knife edges and constraints on velocities. */
#include "reader_fixture.h"

// `drawn` is turned by a quarter about z: its x axis is y of the world.
#define BODIES                                                                                     \
    "bodies:\n"                                                                                    \
    "  drawn: {mass: 1, rotation: {axis: [0, 0, 1], angle: pi/2}, axes: {u: [1, 0, 0]}}\n"         \
    "  loose: {mass: 1}\n"

/* ---- joints --------------------------------------------------------------------------------- */

/// A direction of one side needs no drawing of the other.
TEST(a_plane_is_named_paired_or_drawn)
{
    sar_model* m = parse(
        HEAD3 "parameters: {R: 0.25}\n" BODIES "joints:\n"
              "  named: {type: rolling-sphere, between: [drawn, loose], axis: drawn.u, radius: R}\n"
              "  paired: {type: rolling-sphere, between: [drawn, loose], axis: [drawn.y, loose.x], "
              "normal: drawn.z, radius: 2*R}\n"
              "  world: {type: rolling-sphere, between: [drawn, loose], axis: [0, 1, 0], "
              "normal: [1, 0, 0], radius: 1, cut: yes}\n");
    check_xyz(joint(m, "named")->pair.a.axis, 1, 0, 0);
    CHECK_NEAR(joint(m, "named")->pair.radius, 0.25, 0);
    CHECK(joint(m, "named")->pair.type == SAR_JOINT_ROLLING_SPHERE);
    check_xyz(joint(m, "paired")->pair.a.axis, 0, 1, 0);
    check_xyz(joint(m, "paired")->pair.a.normal, 0, 0, 1);
    check_xyz(joint(m, "world")->pair.a.axis, 1, 0, 0);
    check_xyz(joint(m, "world")->pair.a.normal, 0, -1, 0);
    check_xyz(joint(m, "world")->pair.b.axis, 0, 0, 0);
    CHECK(joint(m, "world")->pair.cut == 1);
    sar_model_destroy(m);
}

TEST(discs_and_edges_name_two_axes)
{
    sar_model* m =
        parse(HEAD3 BODIES
              "joints:\n"
              "  disc: {type: rolling-disc, between: [ground, loose], axis: [ground.z, loose.y], "
              "normal: [1, 1, 0], radius: 1, active: no}\n"
              "  edge: {type: knife-edge, between: [ground, loose], axis: [ground.y, loose.x]}\n"
              "  short: {type: knife-edge, between: [drawn, loose], axis: loose.y}\n"
              "  own: {type: revolute, between: [drawn, loose], axis: [[0, 3, 4], [1, 0, 0]]}\n"
              "  mixed: {type: revolute, between: [drawn, loose], axis: [drawn.y, [0, 0, 2]]}\n");
    check_xyz(joint(m, "disc")->pair.a.axis, 0, 0, 1);
    check_xyz(joint(m, "disc")->pair.a.normal, sqrt(0.5), sqrt(0.5), 0);
    check_xyz(joint(m, "disc")->pair.b.axis, 0, 1, 0);
    CHECK(joint(m, "disc")->absent && joint(m, "disc")->pair.type == SAR_JOINT_ROLLING_DISC);
    check_xyz(joint(m, "edge")->pair.a.axis, 0, 1, 0);
    check_xyz(joint(m, "edge")->pair.b.axis, 1, 0, 0);
    check_xyz(joint(m, "short")->pair.a.axis, 0, 0, 1); // z where it is left out
    check_xyz(joint(m, "short")->pair.b.axis, 0, 1, 0);
    check_xyz(joint(m, "own")->pair.a.axis, 0, 0.6, 0.8); // in the axes of each body
    check_xyz(joint(m, "own")->pair.b.axis, 1, 0, 0);
    check_xyz(joint(m, "mixed")->pair.a.axis, 0, 1, 0);
    check_xyz(joint(m, "mixed")->pair.b.axis, 0, 0, 1);
    sar_model_destroy(m);
}

TEST(planar_ones_take_one_direction)
{
    sar_model* m = parse(
        HEAD2 "bodies: {wheel: {mass: 1}, skate: {mass: 1, angle: pi/2}}\n"
              "joints:\n"
              "  named: {type: rolling-disc, between: [ground, wheel], axis: ground.y, radius: 1}\n"
              "  world: {type: rolling-disc, between: [ground, wheel], axis: [0, 2], radius: 1}\n"
              "  edge: {type: knife-edge, between: [wheel, skate], axis: skate.x}\n"
              "  drawn: {type: knife-edge, between: [wheel, skate], axis: [1, 0]}\n"
              "  pair: {type: knife-edge, between: [wheel, skate], axis: [wheel.x, skate.y]}\n");
    check_xyz(joint(m, "named")->pair.a.axis, 0, 1, 0);
    check_xyz(joint(m, "world")->pair.a.axis, 0, 1, 0);
    check_xyz(joint(m, "edge")->pair.b.axis, 1, 0, 0);
    check_xyz(joint(m, "drawn")->pair.b.axis, 0, -1, 0);
    check_xyz(joint(m, "pair")->pair.b.axis, 0, 1, 0);
    sar_model_destroy(m);
}

TEST(wrong_joints_are_explained_all_at_once)
{
    char* messages = complaints(
        HEAD3 BODIES
        "joints:\n"
        "  a: {type: rolling-sphere, between: [ground, loose], axis: ground.z}\n"
        "  b: {type: rolling-sphere, between: [ground, loose], axis: loose.z, radius: 1}\n"
        "  c: {type: rolling-sphere, between: [ground, loose], axis: {z: 1}, radius: 1}\n"
        "  d: {type: rolling-sphere, between: [loose, ground], axis: [0, 0, 1], radius: 1}\n"
        "  e: {type: rolling-disc, between: [ground, drawn], axis: [0, 0, 1], radius: 1}\n"
        "  f: {type: rolling-disc, between: [ground, drawn], axis: drawn.z, radius: 1}\n"
        "  g: {type: rolling-disc, between: [ground, drawn], axis: [ground.z, drawn.z], "
        "radius: 1}\n"
        "  h: {type: knife-edge, between: [ground, drawn], axis: [1, 0, 0]}\n"
        "  i: {type: knife-edge, between: [ground, drawn], axis: ground.x}\n"
        "  j: {type: revolute, between: [ground, drawn], axis: [0, 0, 1], raduis: 1}\n"
        "  k: {type: revolute, between: [ground, drawn], axis: [0, 0, 1], radius: 1}\n"
        "  l: {type: rolling-ball, between: [ground, drawn]}\n");
    check_says(messages, "test.yaml:8:3: error: the rolling-sphere joint 'a' lacks the key "
                         "'radius'");
    check_says(messages, "test.yaml:9:61: error: axis is an axis of 'loose', but the first point");
    check_says(messages, "hint: name an axis of 'ground'");
    check_says(messages, "test.yaml:10:61: error: axis must be [BODY.AXIS, BODY.AXIS] or");
    check_says(messages, "test.yaml:11:61: error: axis is a direction in world axes, but 'loose'");
    check_says(messages, "test.yaml:12:59: error: a rolling disc has two axes");
    check_says(messages, "test.yaml:13:59: error: axis must be [BODY.AXIS, BODY.AXIS] or");
    check_says(messages, "test.yaml:14:59: error: as drawn the disc lies flat in the plane");
    check_says(messages, "test.yaml:15:57: error: a knife edge has two axes");
    check_says(messages, "test.yaml:16:57: error: axis is an axis of 'ground', but the second");
    check_says(messages, "test.yaml:17:66: error: a joint has no key 'raduis'");
    check_says(messages, "hint: did you mean 'radius'?");
    check_says(messages, "test.yaml:18:66: error: revolute joints have no radius");
    check_says(messages, "test.yaml:19:13: error: there is no joint type 'rolling-ball'");
    CHECK(occurrences(messages, ": error: ") == 12);
    sar_text_free(messages);
}

/* ---- constraints ---------------------------------------------------------------------------- */

TEST(constraints_arrive)
{
    // Before what they speak of, and used in phases, outputs and their own conditions.
    sar_model* m = parse(
        HEAD3 "parameters: {R: 0.5}\n"
              "constraints:\n"
              "  roll: {velocity: loose.origin.vx - R*loose.wy + 2*t}\n"
              "  pull: {velocity: spring.speed, active: no}\n"
              "  out: {velocity: loose.wx, when: R > 1}\n"
              "phases: [{at: 1, add: pull, remove: [roll]}]\n"
              "outputs: {f: roll.force}\n"
              "forces: {spring: {type: spring, between: [drawn, loose], stiffness: 1}}\n" BODIES);
    const sari_joint* roll = joint(m, "roll");
    CHECK(sar_model_joints(m) == 2);
    CHECK(roll->relation && roll->relation->nowhere && !roll->absent && roll->phased);
    CHECK(joint(m, "pull")->absent);
    double numbers[16] = {0};
    numbers[SARI_VARIABLE_T] = 10;
    for (int k = 0; k < m->signals_count; k++)
        numbers[SARI_VARIABLE_SIGNAL + k] = m->signals[k].kind == SARI_SIGNAL_BODY_SPIN ? 6 : 1;
    CHECK_NEAR(sari_expression_value(roll->value, numbers), 1 - 3 + 20, 1e-14);
    sar_model_destroy(m);
}

TEST(constraints_are_repeated)
{
    sar_model* m =
        parse(HEAD2 "parameters: {n: 3}\n"
                    "repeat:\n"
                    "  - index: i\n"
                    "    from: 1\n"
                    "    to: n\n"
                    "    bodies: {\"w{i}\": {mass: 1}}\n"
                    "    constraints:\n"
                    "      c{i}: {velocity: \"i*w{i}.rate\", active: no}\n"
                    "      d{i}: {velocity: \"w{i}.rate - w{i-1}.rate\", when: i > 1}\n");
    CHECK(sar_model_joints(m) == 5);
    for (int k = 1; k <= 3; k++) {
        char name[] = "c0";
        name[1] = (char)('0' + k);
        double numbers[16];
        for (int v = 0; v < 16; v++) numbers[v] = 1;
        CHECK_NEAR(sari_expression_value(joint(m, name)->value, numbers), k, 0);
        CHECK(joint(m, name)->absent);
    }
    CHECK(!joint(m, "d3")->absent);
    sar_model_destroy(m);
}

TEST(wrong_constraints_are_explained_all_at_once)
{
    char* messages = complaints(HEAD3 BODIES "constraints:\n"
                                             "  a: {velocity: loose.wx*loose.wy}\n"
                                             "  b: {velocity: loose.origin.x}\n"
                                             "  c: {velocity: 0*loose.wx}\n"
                                             "  d: {velocity: 2*loose.origin.ax}\n"
                                             "  e: {velocity: 2*lose.wx}\n"
                                             "  f: {velocity: 2*loose.wx + }\n"
                                             "  g: {speed: loose.wx}\n"
                                             "  h: [1]\n"
                                             "  i: {velocity: loose.wx, active: perhaps}\n"
                                             "  loose: {velocity: loose.wx}\n"
                                             "  k-1: {velocity: loose.wx}\n"
                                             "  l: {velocity: max(loose.wx, 0}\n"
                                             "phases: [{at: 1, add: a}]\n");
    check_says(messages, "test.yaml:8:17: error: a constraint has to be linear in the speeds: "
                         "loose.wx*loose.wy is not");
    check_says(messages, "test.yaml:9:17: error: loose.origin.x holds no velocity: it has to use");
    check_says(messages, "test.yaml:10:17: error: 0*loose.wx holds no velocity: no speed changes");
    check_says(messages, "test.yaml:11:19: error: \"ax\" is an acceleration: constraints can use");
    check_says(messages, "test.yaml:12:19: error: no body or joint is called \"lose\"");
    check_says(messages, "test.yaml:13:29: error: expected a value");
    check_says(messages, "test.yaml:14:7: error: a constraint has no key 'speed'");
    check_says(messages, "test.yaml:14:3: error: the constraint 'g' lacks the key 'position' or "
                         "'velocity'");
    check_says(messages, "test.yaml:15:6: error: constraint 'h' must be a map");
    check_says(messages, "test.yaml:16:35: error: 'perhaps' is not a valid active");
    check_says(messages, "test.yaml:17:3: error: there is a body called \"loose\" already");
    check_says(messages, "test.yaml:18:3: error: ");
    check_says(messages, "test.yaml:19:31: error: the comma before '0' ends the value");
    sar_text_free(messages);
    messages = complaints(HEAD3 BODIES "constraints: [1]\n");
    check_says(messages, "test.yaml:7:14: error: constraints must be a map");
    sar_text_free(messages);
    messages = complaints(HEAD3 BODIES "constraint: {c: {velocity: loose.wx}}\n");
    check_says(messages, "hint: did you mean 'constraints'?");
    sar_text_free(messages);
}
