/* Rolling joints, knife edges and constraints on velocities: what is refused, and how they are
 * completed. */
#include "model_fixture.h"

static const sar_joint_type ROLLING[] = {SAR_JOINT_ROLLING_SPHERE, SAR_JOINT_ROLLING_DISC};

/* ---- joints --------------------------------------------------------------------------------- */

TEST(rolling_joints_need_a_radius)
{
    sar_model* m = two_bodies(3);
    for (int k = 0; k < 2; k++) {
        sar_joint_def def = joint_between(m, "j", ROLLING[k]);
        def.radius = 0;
        CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "radius",
                      "the radius must be positive, not 0");
        def.radius = -2;
        CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "radius", "not -2");
        def.radius = NAN;
        CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "radius", "finite");
    }
    sar_joint_def def = joint_between(m, "edge", SAR_JOINT_KNIFE_EDGE);
    def.radius = NAN; // not its affair
    CHECK_STATUS(sar_model_add_joint(m, &def, NULL, NULL), SAR_OK);
    CHECK(m->joints[0].pair.radius == 0);
    add_joint(m, "ball", SAR_JOINT_ROLLING_SPHERE);
    CHECK(m->joints[1].pair.radius == 0.5);
    sar_model_destroy(m);
}

/// The plane's frame is completed; a ball has none of its own.
TEST(a_ball_has_no_frame)
{
    sar_model* m = two_bodies(3);
    sar_joint_def def = joint_between(m, "ball", SAR_JOINT_ROLLING_SPHERE);
    set(def.a.axis, 0, 0, 4), set(def.b.axis, 0, 0, 0), set(def.b.normal, 1, 0, 0);
    CHECK_STATUS(sar_model_add_joint(m, &def, NULL, NULL), SAR_OK);
    const sar_joint_def* got = &m->joints[0].pair;
    check_xyz(got->a.axis, 0, 0, 1);
    check_xyz(got->a.normal, 1, 0, 0);
    check_xyz(got->b.axis, 0, 0, 0);
    check_xyz(got->b.normal, 0, 0, 0);
    def.name = "other", set(def.a.normal, 0, 2, 7);
    CHECK_STATUS(sar_model_add_joint(m, &def, NULL, NULL), SAR_OK);
    check_xyz(m->joints[1].pair.a.normal, 0, 1, 0);
    set(def.a.axis, 0, 0, 0), def.name = "none";
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "axis", "missing or zero");
    set(def.a.axis, 0, 1, 0), set(def.a.normal, 0, 1, 0);
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "normal", "parallel to the axis");
    sar_model_destroy(m);
}

TEST(discs_and_edges_have_an_axis_on_either_side)
{
    static const sar_joint_type types[] = {SAR_JOINT_ROLLING_DISC, SAR_JOINT_KNIFE_EDGE};
    sar_model* m = two_bodies(3);
    for (int k = 0; k < 2; k++) {
        sar_joint_def def = joint_between(m, k ? "edge" : "disc", types[k]);
        set(def.a.axis, 0, 0, 2), set(def.b.axis, 0, 0, 0);
        CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "axis", "missing or zero");
        set(def.b.axis, 0, 3, 0);
        CHECK_STATUS(sar_model_add_joint(m, &def, NULL, NULL), SAR_OK);
        const sar_joint_def* got = &m->joints[k].pair;
        check_xyz(got->a.axis, 0, 0, 1);
        check_xyz(got->a.normal, 1, 0, 0);
        check_xyz(got->b.axis, 0, 1, 0);
        CHECK_NEAR(got->b.normal[1], 0, 1e-15);
    }
    sar_model_destroy(m);
}

/// As drawn; where a body is drawn without a rotation nothing is known of it.
TEST(a_disc_does_not_lie_in_its_plane)
{
    sar_model* m = sar_model_create("drawn", 3);
    sar_body_def body = sar_body_def_default();
    body.name = "disc", body.has_rotation = 1;
    memcpy(body.rotation, (double[9]){1, 0, 0, 0, 0, -1, 0, 1, 0}, sizeof body.rotation);
    CHECK_STATUS(sar_model_add_body(m, &body, NULL, NULL), SAR_OK);
    body.name = "loose", body.has_rotation = 0;
    CHECK_STATUS(sar_model_add_body(m, &body, NULL, NULL), SAR_OK);
    sar_joint_def def = sar_joint_def_default();
    def.name = "j", def.type = SAR_JOINT_ROLLING_DISC, def.radius = 1, def.b.body.i = 1;
    set(def.b.axis, 0, 1, 0); // z in the world
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "axis",
                  "as drawn the disc lies flat in the plane");
    set(def.b.axis, 0, -1, 1e-8);
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "axis", "flat");
    def.type = SAR_JOINT_KNIFE_EDGE;
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "axis",
                  "is along the normal of the plane");
    set(def.b.axis, 0, 0, 1); // -y in the world
    CHECK_STATUS(sar_model_add_joint(m, &def, NULL, NULL), SAR_OK);
    def.name = "k", def.b.body.i = 2;
    set(def.b.axis, 0, 0, 1);
    CHECK_STATUS(sar_model_add_joint(m, &def, NULL, NULL), SAR_OK);
    sar_model_destroy(m);
}

TEST(planar_wheels_and_edges_have_one_direction)
{
    sar_model* m = two_bodies(2);
    sar_joint_def def = joint_between(m, "wheel", SAR_JOINT_ROLLING_DISC);
    set(def.a.axis, 0, 0, 1);
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "axis", "must lie in the plane");
    set(def.a.axis, 0, 3, 0), set(def.b.axis, 0, 0, 0);
    CHECK_STATUS(sar_model_add_joint(m, &def, NULL, NULL), SAR_OK);
    check_xyz(m->joints[0].pair.a.axis, 0, 1, 0);
    check_xyz(m->joints[0].pair.a.normal, -1, 0, 0);
    check_xyz(m->joints[0].pair.b.axis, 0, 0, 1);

    def = joint_between(m, "edge", SAR_JOINT_KNIFE_EDGE);
    set(def.a.axis, 0, 0, 0), set(def.b.axis, 0, 0, 1);
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "axis", "must lie in the plane");
    set(def.b.axis, 2, 0, 0);
    CHECK_STATUS(sar_model_add_joint(m, &def, NULL, NULL), SAR_OK);
    check_xyz(m->joints[1].pair.a.axis, 0, 0, 1);
    check_xyz(m->joints[1].pair.b.axis, 1, 0, 0);
    check_xyz(m->joints[1].pair.b.normal, 0, 1, 0);
    sar_model_destroy(m);
}

TEST(they_attach_nowhere_and_have_no_coordinates)
{
    static const sar_joint_type types[] = {SAR_JOINT_ROLLING_SPHERE, SAR_JOINT_ROLLING_DISC,
                                           SAR_JOINT_KNIFE_EDGE};
    static const char* const names[] = {"ball", "disc", "edge"};
    sar_model* m = two_bodies(3);
    for (int k = 0; k < 3; k++) {
        sar_joint_def def = joint_between(m, names[k], types[k]);
        def.absent = def.attach_here = 1;
        CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "attach",
                      "has nothing to attach");
        sar_drive_def drive = sar_drive_def_default();
        drive.joint = add_joint(m, names[k], types[k]), drive.name = "d", drive.value = "t";
        for (int c = SAR_COORD_ANGLE; c <= SAR_COORD_DISPLACEMENT_2; c++) {
            drive.coordinate = (sar_coordinate)c;
            CHECK_REFUSED(m, sar_model_add_drive(m, &drive, NULL, &error), "coordinate",
                          "it has no coordinates");
        }
    }
    CHECK_STATUS(sar_model_add_output(m, "fz", "ball.fz + disc.tx + edge.fy", NULL), SAR_OK);
    CHECK_REFUSED(m, sar_model_add_output(m, "a", "ball.angle", &error), "expression",
                  "\"ball\" is a rolling-sphere joint: it has no angle; it has no coordinates");
    CHECK_REFUSED(m, sar_model_add_output(m, "a", "edge.force", &error), "expression",
                  "\"edge\" is a knife-edge joint: only drives have a force");
    sar_model_destroy(m);
}

TEST(a_plane_on_the_ground_moves_with_the_model)
{
    const double R[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0}, d[3] = {0, 0, 5};
    sar_model* m = two_bodies(3);
    sar_joint_def def = joint_between(m, "disc", SAR_JOINT_ROLLING_DISC);
    def.a.body = SAR_GROUND, set(def.a.point, 0, 1, 0), set(def.b.axis, 0, 1, 0);
    CHECK_STATUS(sar_model_add_joint(m, &def, NULL, NULL), SAR_OK);
    sar_model_transform(m, R, d);
    const sar_joint_def* got = &m->joints[0].pair;
    check_xyz(got->a.point, 0, 0, 6);
    check_xyz(got->a.axis, 0, -1, 0);
    check_xyz(got->a.normal, 1, 0, 0);
    check_xyz(got->b.axis, 0, 1, 0);
    CHECK(got->radius == 0.5);
    sar_model_destroy(m);
}

/* ---- constraints ---------------------------------------------------------------------------- */

static sar_status add(sar_model* m, const char* velocity, sar_joint_id* out, sar_error* error)
{
    sar_constraint_def def = sar_constraint_def_default();
    def.name = "hold", def.velocity = velocity;
    return sar_model_add_constraint(m, &def, out, error);
}

TEST(constraints_share_the_joints_names_and_numbers)
{
    sar_model* m = two_bodies(3);
    sar_joint_id id = {-1}, found;
    sar_constraint_def def = sar_constraint_def_default();
    def.velocity = "crank.wx";
    CHECK_REFUSED(m, sar_model_add_constraint(m, &def, NULL, &error), "name", "missing");
    def.name = "crank";
    CHECK_REFUSED(m, sar_model_add_constraint(m, &def, NULL, &error), "name",
                  "there is a body called \"crank\"");
    add_joint(m, "pin", SAR_JOINT_REVOLUTE);
    CHECK_STATUS(add(m, "crank.wx - rod.P0", &id, NULL), SAR_E_MODEL);
    CHECK_STATUS(add(m, "crank.wx - 2*rod.wy", &id, NULL), SAR_OK);
    CHECK(id.i == 1 && sar_model_joints(m) == 2);
    CHECK_TEXT(sar_model_joint_name(m, 1), "hold");
    CHECK_STATUS(sar_model_find_joint(m, "hold", 4, &found), SAR_OK);
    CHECK(found.i == 1);
    CHECK(m->joints[1].relation && m->joints[1].relation->nowhere && !m->joints[1].absent);
    CHECK(m->signals_count == 2 && m->signals[0].kind == SARI_SIGNAL_BODY_SPIN);
    double numbers[SARI_VARIABLE_SIGNAL + 2] = {0, 0, 0, 5, 3};
    CHECK_NEAR(sari_expression_value(m->joints[1].value, numbers), -1, 0);
    sar_end a, b;
    CHECK(sar_model_joint_ends(m, 1, &a, &b) == 0);
    CHECK(sar_model_joint_is_drive(m, 1, NULL) == 0);
    CHECK_REFUSED(m, add(m, "crank.wx", NULL, &error), "name",
                  "there is a constraint called \"hold\"");
    sar_drive_def drive = sar_drive_def_default();
    drive.name = "d", drive.joint = id, drive.value = "t";
    CHECK_REFUSED(m, sar_model_add_drive(m, &drive, NULL, &error), "joint",
                  "\"hold\" is a constraint and has no coordinate of its own");
    sar_model_destroy(m);
}

TEST(only_what_is_linear_in_the_speeds_is_accepted)
{
    static const char* const good[] = {
        "crank.P.vx",
        "sin(crank.P.x)*crank.P.vx - cos(t)*rod.wz + k",
        "(crank.P.vx + rod.origin.vy)/sqrt(crank.P.x^2 + 1)",
        "pin.rate - 2*pin.angle*t",
        "sqrt(crank.P.x)*crank.P.vx",                     // not everywhere
        "acos(crank.P.x)*crank.P.vx + log(rod.origin.y)", // nor this
        "crank.P.x > 0 ? crank.P.vx : 3*crank.P.vy",      // kinks in the positions are fine
        "abs(crank.P.x)*crank.P.vx + floor(t)",
        "-(-crank.P.vx)^1",
        "1e-9*crank.P.vx + 1e9*rod.wx",
        "crank.P.vx - 0.3*crank.wy + 1e6*crank.P.y",
    };
    static const char* const bad[] = {
        "crank.P.vx^2",
        "crank.P.vx*rod.wx",
        "crank.P.vx + 1e-9*crank.P.vx^2",
        "crank.P.vx*(1 + 0.001*sin(rod.wx))",
        "sqrt(crank.P.vx^2 + crank.P.vy^2)",
        "hypot(crank.P.vx, crank.P.vy)",
        "abs(crank.P.vx)",
        "max(crank.P.vx, 0)",
        "crank.P.vx > 0 ? crank.P.vx : 2*crank.P.vx",
        "crank.P.vx + sign(rod.wx)",
        "crank.P.vx + 0.01*floor(rod.wx)",
        "pin.rate*pin.rate*pin.angle",
        "1/rod.wx",
        "crank.P.x*exp(crank.P.vx/1000)",
    };
    sar_model* m = two_bodies(3);
    add_joint(m, "pin", SAR_JOINT_REVOLUTE);
    CHECK_STATUS(sar_model_set_parameter(m, "k", 4, NULL), SAR_OK);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        CHECK_REFUSED(m, add(m, bad[k], NULL, &error), "velocity",
                      "has to be linear in the speeds: ");
        CHECK_REFUSED(m, add(m, bad[k], NULL, &error), "velocity", bad[k]);
    }
    for (size_t k = 0; k < sizeof good / sizeof good[0]; k++) {
        char name[8];
        sar_error error = {0};
        snprintf(name, sizeof name, "c%d", (int)k);
        const sar_constraint_def def = {.name = name, .velocity = good[k]};
        if (sar_model_add_constraint(m, &def, NULL, &error) != SAR_OK)
            fail_msg("%s: %s", good[k], error.message);
    }
    sar_model_destroy(m);
}

TEST(something_has_to_move)
{
    sar_model* m = two_bodies(3);
    static const char* const still[] = {"1", "t", "crank.P.x - 1", "ground.origin.vx", "ground.wx"};
    for (size_t k = 0; k < sizeof still / sizeof still[0]; k++)
        CHECK_REFUSED(m, add(m, still[k], NULL, &error), "velocity",
                      "holds no velocity: it has to use some vx");
    CHECK_REFUSED(m, add(m, "0*crank.wx + t", NULL, &error), "velocity",
                  "holds no velocity: no speed changes its value");
    sar_model_destroy(m);
}

TEST(constraints_use_positions_rates_and_spins)
{
    static const struct {
        const char *velocity, *says;
    } cases[] = {
        {NULL, "give one of the two"},
        {"", "the expression is missing"},
        {"crank.P.ax", "\"ax\" is an acceleration: constraints can use positions and rates only"},
        {"pin.fx", "\"fx\" is a reaction: constraints can use"},
        {"energy.kinetic", "\"kinetic\" is an energy: constraints can use"},
        {"crank.rate", "use that of a joint, or crank.wx"},
        {"x*crank.wx", "exist in the expressions of springs only"},
        {"crank.wx +", "expected a value"},
        {"crank.origin.vx@rod", "rates in world axes"},
    };
    sar_model* m = two_bodies(3);
    add_joint(m, "pin", SAR_JOINT_REVOLUTE);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        CHECK_REFUSED(m, add(m, cases[k].velocity, NULL, &error), "velocity", cases[k].says);
    sar_spring_def spring = sar_spring_def_default();
    spring.name = "spring", spring.a.body = CRANK, spring.b.body = ROD, spring.stiffness = 1;
    CHECK_STATUS(sar_model_add_spring(m, &spring, NULL), SAR_OK);
    CHECK_STATUS(add(m, "spring.speed - spring.length*t", NULL, NULL), SAR_OK);
    sar_load_def load = sar_load_def_default();
    load.name = "load", load.body = CRANK, load.force[0] = "crank.wx"; // forces too
    CHECK_STATUS(sar_model_add_load(m, &load, NULL), SAR_OK);
    sar_model_destroy(m);
    m = two_bodies(2);
    CHECK_REFUSED(m, add(m, "crank.wz", NULL, &error), "velocity", "use crank.rate");
    CHECK_STATUS(add(m, "crank.rate - rod.origin.vx", NULL, NULL), SAR_OK);
    sar_model_destroy(m);
}

TEST(their_variables_are_counted)
{
    char text[4096] = "0";
    sar_model* m = two_bodies(3);
    for (int k = 0; k <= SARI_FORCE_VARIABLES; k++) {
        char name[16], term[32];
        snprintf(name, sizeof name, "p%d", k);
        snprintf(term, sizeof term, " + crank.p%d.vx", k);
        CHECK_STATUS(sar_model_add_point(m, CRANK, name, (double[3]){k, 0, 0}, NULL), SAR_OK);
        strcat(text, term);
    }
    CHECK_REFUSED(m, add(m, text, NULL, &error), "velocity", "uses more than 64 positions and ra");
    *strrchr(text, '+') = '\0';
    CHECK_STATUS(add(m, text, NULL, NULL), SAR_OK);
    CHECK(m->signals_count == SARI_FORCE_VARIABLES);
    sar_model_destroy(m);
}

TEST(their_force_is_an_output)
{
    sar_model* m = two_bodies(3);
    CHECK_STATUS(add(m, "crank.wx", NULL, NULL), SAR_OK);
    CHECK_STATUS(sar_model_add_output(m, "f", "hold.force", NULL), SAR_OK);
    const sari_signal* s = &m->signals[m->signals_count - 1];
    CHECK(s->kind == SARI_SIGNAL_DRIVE && s->joint == 0);
    CHECK_REFUSED(m, sar_model_add_output(m, "g", "hold.torque", &error), "expression",
                  "\"hold\" is a constraint: use hold.force");
    CHECK_REFUSED(m, sar_model_add_output(m, "g", "hold.fx", &error), "expression",
                  "which acts at no one point: use hold.force");
    CHECK_REFUSED(m, sar_model_add_output(m, "g", "hold.rate", &error), "expression",
                  "\"hold\" is a constraint: it has no rate; it has no coordinates");
    CHECK_REFUSED(m, sar_model_add_integral(m, "g", "hold.force", NULL, &error), "expression",
                  "\"force\" is the force of a constraint");
    CHECK_REFUSED(m, sar_model_add_start(m, "hold.force", 1, &error), "signal",
                  "\"force\" is the force of a constraint");
    sar_model_destroy(m);
}

TEST(constraints_come_and_go)
{
    sar_model* m = two_bodies(3);
    sar_constraint_def def = sar_constraint_def_default();
    sar_joint_id late, early;
    def.name = "late", def.velocity = "crank.wx", def.absent = 1;
    CHECK_STATUS(sar_model_add_constraint(m, &def, &late, NULL), SAR_OK);
    def.name = "early", def.absent = 0;
    CHECK_STATUS(sar_model_add_constraint(m, &def, &early, NULL), SAR_OK);
    sar_phase_def phase = sar_phase_def_default();
    phase.at = 1, phase.adds = 1, phase.add = &early;
    CHECK_REFUSED(m, sar_model_add_phase(m, &phase, &error), "add", "there already");
    phase.add = &late, phase.removes = 1, phase.remove = &early;
    CHECK_STATUS(sar_model_add_phase(m, &phase, NULL), SAR_OK);
    CHECK(!sari_model_joint_present(m, late.i, 0) && sari_model_joint_present(m, early.i, 0));
    CHECK(sari_model_joint_present(m, late.i, 1) && !sari_model_joint_present(m, early.i, 1));
    CHECK(m->joints[0].phased && m->joints[1].phased);
    sar_model_destroy(m);
}
