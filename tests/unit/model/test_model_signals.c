/* Signal names: what each means, which are refused and how, outputs and starts. */
#include "model_fixture.h"

/// crank and rod with every kind of joint, coupling and drive that has something to observe.
static sar_model* mechanism(int dimension)
{
    sar_model* m = two_bodies(dimension);
    sar_joint_id pin = add_joint(m, "pin", SAR_JOINT_REVOLUTE);
    sar_joint_id slide = add_joint(m, "slide", SAR_JOINT_PRISMATIC);
    add_joint(m, "bar", SAR_JOINT_DISTANCE);
    sar_coupling_def gear = sar_coupling_def_default();
    gear.name = "gear", gear.terms = 2, gear.joint[0] = pin, gear.joint[1] = slide;
    gear.coordinate[1] = SAR_COORD_DISPLACEMENT, gear.coefficient[0] = gear.coefficient[1] = 1;
    CHECK_STATUS(sar_model_add_coupling(m, &gear, NULL, NULL), SAR_OK);
    sar_drive_def motor = sar_drive_def_default();
    motor.name = "motor", motor.joint = pin, motor.value = "t";
    CHECK_STATUS(sar_model_add_drive(m, &motor, NULL, NULL), SAR_OK);
    motor.name = "jack", motor.joint.i = -1, motor.a.body = CRANK, motor.b.body = ROD;
    CHECK_STATUS(sar_model_add_drive(m, &motor, NULL, NULL), SAR_OK);
    sar_load_def push = sar_load_def_default();
    push.name = "push", push.body = CRANK, push.force[0] = "1";
    CHECK_STATUS(sar_model_add_load(m, &push, NULL), SAR_OK);
    CHECK_STATUS(sar_model_set_parameter(m, "mass", 5, NULL), SAR_OK);
    return m;
}

static void check_signal(sar_model* m, const char* name, sari_signal wanted)
{
    sar_error error = {0};
    int index = sari_model_signal(m, name, SARI_USE_ALL, "", &error);
    if (index < 0) fail_msg("%s: %s", name, error.message);
    const sari_signal* got = &m->signals[index];
    if (got->kind != wanted.kind || got->level != wanted.level || got->body != wanted.body ||
        got->joint != wanted.joint || got->component != wanted.component)
        fail_msg("%s: kind %d level %d body %d joint %d component %d", name, (int)got->kind,
                 got->level, got->body, got->joint, got->component);
    for (int k = 0; k < 3; k++) CHECK_NEAR(got->point[k], wanted.point[k], 0);
}

TEST(signals_mean_what_their_names_say)
{
    sar_model* m = mechanism(2);
    check_signal(m, "crank.P.x", (sari_signal){SARI_SIGNAL_POINT, 0, 1, -1, {1, 2, 0}, 0});
    check_signal(m, "crank.P.vy", (sari_signal){SARI_SIGNAL_POINT, 1, 1, -1, {1, 2, 0}, 1});
    check_signal(m, "rod.center.ax", (sari_signal){SARI_SIGNAL_POINT, 2, 2, -1, {0}, 0});
    check_signal(m, "ground.origin.y", (sari_signal){SARI_SIGNAL_POINT, 0, 0, -1, {0}, 1});
    check_signal(m, "rod.angle", (sari_signal){SARI_SIGNAL_BODY_ANGLE, 0, 2, -1, {0}, 0});
    check_signal(m, "rod.rate", (sari_signal){SARI_SIGNAL_BODY_ANGLE, 1, 2, -1, {0}, 0});
    check_signal(m, "pin.angle", (sari_signal){SARI_SIGNAL_ANGLE, 0, -1, 0, {0}, 0});
    check_signal(m, "pin.rate", (sari_signal){SARI_SIGNAL_ANGLE, 1, -1, 0, {0}, 0});
    check_signal(m, "slide.displacement",
                 (sari_signal){SARI_SIGNAL_DISPLACEMENT, 0, -1, 1, {0}, 0});
    check_signal(m, "slide.speed", (sari_signal){SARI_SIGNAL_DISPLACEMENT, 1, -1, 1, {0}, 0});
    check_signal(m, "bar.distance", (sari_signal){SARI_SIGNAL_DISTANCE, 0, -1, 2, {0}, 0});
    check_signal(m, "bar.speed", (sari_signal){SARI_SIGNAL_DISTANCE, 1, -1, 2, {0}, 0});
    check_signal(m, "jack.distance", (sari_signal){SARI_SIGNAL_DISTANCE, 0, -1, 5, {0}, 0});
    check_signal(m, "jack.speed", (sari_signal){SARI_SIGNAL_DISTANCE, 1, -1, 5, {0}, 0});
    check_signal(m, "pin.fy", (sari_signal){SARI_SIGNAL_FORCE, 0, -1, 0, {0}, 1});
    check_signal(m, "gear.tz", (sari_signal){SARI_SIGNAL_TORQUE, 0, -1, 3, {0}, 2});
    check_signal(m, "motor.tz", (sari_signal){SARI_SIGNAL_TORQUE, 0, -1, 4, {0}, 2});
    check_signal(m, "motor.force", (sari_signal){SARI_SIGNAL_DRIVE, 0, -1, 4, {0}, 0});
    check_signal(m, "motor.torque", (sari_signal){SARI_SIGNAL_DRIVE, 0, -1, 4, {0}, 0});
    check_signal(m, "jack.force", (sari_signal){SARI_SIGNAL_DRIVE, 0, -1, 5, {0}, 0});
    check_signal(m, "energy.potential", (sari_signal){SARI_SIGNAL_ENERGY, 0, -1, -1, {0}, 1});
    int count = m->signals_count;
    CHECK(count == 20);
    check_signal(m, "pin.angle", (sari_signal){SARI_SIGNAL_ANGLE, 0, -1, 0, {0}, 0});
    CHECK(m->signals_count == count); // each once
    sar_model_destroy(m);

    m = mechanism(3);
    check_signal(m, "rod.wy", (sari_signal){SARI_SIGNAL_BODY_SPIN, 1, 2, -1, {0}, 1});
    check_signal(m, "crank.P.az", (sari_signal){SARI_SIGNAL_POINT, 2, 1, -1, {1, 2, 0}, 2});
    check_signal(m, "pin.fz", (sari_signal){SARI_SIGNAL_FORCE, 0, -1, 0, {0}, 2});
    check_signal(m, "pin.tx", (sari_signal){SARI_SIGNAL_TORQUE, 0, -1, 0, {0}, 0});
    sar_model_destroy(m);
}

static sar_status output(sar_model* m, const char* text, sar_error* error)
{
    return sar_model_add_output(m, "o", text, error);
}

TEST(unknown_names_are_explained)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"crank.Q.x", "crank has no point \"Q\" (did you mean \"P\"?)"},
        {"crnk.P.x", "no body or joint is called \"crnk\" (did you mean \"crank\"?)"},
        {"enrgy.total", "(did you mean \"energy\"?)"},
        {"crank.P.xx", "crank.P has no \"xx\" (did you mean \"x\"?)"},
        {"crank.P.z", "this model is planar: there is no z"},
        {"crank.P.vz", "this model is planar: there is no z"},
        {"crank.wz", "use crank.rate"},
        {"crank.vx", "name a point: crank.origin.vx"},
        {"crank.angel", "crank has no \"angel\" (did you mean \"angle\"?)"},
        {"crank.P", "crank has no \"P\""},
        {"crank.P.x.y", "is not a signal: write BODY.POINT.x"},
        {"pin.P.x", "is not a signal: write JOINT.angle"},
        {"energy.total.x", "is not a signal: write energy.kinetic"},
        {"energy.totl", "there is no energy.totl (did you mean \"total\"?)"},
        {"pin.rat", "pin has no \"rat\" (did you mean \"rate\"?)"},
        {"pin.displacement", "\"pin\" is a revolute joint: it has no displacement; it has angle"},
        {"pin.angle2", "\"pin\" is a revolute joint: it has no angle2; it has angle"},
        {"pin.rate2", "\"pin\" is a revolute joint: it has no rate2; it has angle"},
        {"slide.displacement2", "it has no displacement2; it has displacement"},
        {"bar.speed2", "it has no speed2; it has distance"},
        {"slide.rate", "\"slide\" is a prismatic joint: it has no rate"},
        {"slide.distance", "\"slide\" is a prismatic joint: it has no distance"},
        {"bar.displacement", "\"bar\" is a distance joint: it has no displacement"},
        {"gear.angle", "\"gear\" is a coupling: it has no angle; it has no coordinates"},
        {"motor.angle", "\"motor\" is a drive: it has no angle"},
        {"motor.speed", "\"motor\" is a drive: it has no speed"},
        {"pin.force", "\"pin\" is a revolute joint: only drives have a force"},
        {"gear.torque", "\"gear\" is a coupling: only drives have a torque"},
        {"jack.torque", "\"jack\" drives a length: use jack.force"},
        {"pin.fz", "this model is planar: there is no z"},
        {"pin.tx", "this model is planar: torques act about z"},
        {"pin.ty", "use \"tz\""},
        {"push.length", "\"push\" has no length"},
        {"push.force", "\"push\" acts along no line alone: use push.fx"},
        {"push.heat", "push has no \"heat\""},
        {"pin.work", "\"pin\" is a revolute joint, which does no work"},
        {"mas", "no parameter is called \"mas\" (did you mean \"mass\"?)"},
        {"x", "springs only"},
        {"crank", "\"crank\" is a body, not a number"},
        {"pin + 1", "such as pin.angle"},
        {"energy", "such as energy.total"},
    };
    sar_model* m = mechanism(2);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        CHECK_REFUSED(m, output(m, bad[k].text, &error), "expression", bad[k].says);
    sar_model_destroy(m);
    m = mechanism(3);
    CHECK_REFUSED(m, output(m, "crank.angle", &error), "expression", "in a spatial model");
    CHECK_REFUSED(m, output(m, "crank.spin", &error), "expression", "wx, wy and wz");
    sar_model_destroy(m);
}

TEST(phases_use_positions_and_rates_only)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"crank.P.ax",
         "\"ax\" is an acceleration: phases and sums over time can use positions and rates only"},
        {"crank.qx", "\"qx\" is a number of a rotation: phases and sums over time can use"},
        {"crank.P.ax@rod", "\"ax\" is an acceleration: phases and sums over time can use"},
        {"crank.wx@rod", "forces can use angular velocities in world axes, or in the body's own"},
        {"pin.angle@rod", "\"pin.angle\" is no component of a vector: it has no @BODY"},
        {"crank.P.x@nobody", "\"nobody\" after @ is no body"},
        {"pin.fx",
         "\"fx\" is a reaction: phases and sums over time can use positions and rates only"},
        {"motor.force", "\"force\" is the force of a drive: phases and sums over time can use"},
        {"energy.total",
         "\"total\" is an energy: phases and sums over time can use positions and rates only"},
    };
    sar_model* m = mechanism(3);
    sari_expression* e = (sari_expression*)m;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        CHECK_REFUSED(m, sari_model_compile(m, bad[k].text, SARI_USE_RATES, "force[0]", &e, &error),
                      "force[0]", bad[k].says);
        CHECK(e == NULL);
    }
    CHECK_STATUS(
        sari_model_compile(m, "mass*crank.P.vx + t*slide.speed", SARI_USE_RATES, "f", &e, NULL),
        SAR_OK);
    double values[SARI_VARIABLE_SIGNAL + 2] = {[SARI_VARIABLE_T] = 2};
    values[SARI_VARIABLE_SIGNAL] = 3, values[SARI_VARIABLE_SIGNAL + 1] = 7;
    CHECK_NEAR(sari_expression_value(e, values), 5 * 3 + 2 * 7, 0);
    sari_expression_destroy(e);
    sar_model_destroy(m);
}

TEST(outputs_are_checked)
{
    sar_model* m = mechanism(2);
    CHECK_REFUSED(m, sar_model_add_output(m, "x-y", "1", &error), "name", "letters");
    CHECK_REFUSED(m, sar_model_add_output(m, NULL, "1", &error), "name", "missing");
    CHECK_REFUSED(m, sar_model_add_output(m, "time", "t", &error), "name", "column");
    CHECK_REFUSED(m, sar_model_add_output(m, "o", NULL, &error), "expression", "missing");
    CHECK_REFUSED(m, sar_model_add_output(m, "o", "", &error), "expression", "missing");
    CHECK_REFUSED(m, sar_model_add_output(m, "o", "crank.P.x + (", &error), "expression", "");
    CHECK_STATUS(sar_model_add_output(m, "energy", "energy.total", NULL), SAR_OK);
    CHECK_REFUSED(m, sar_model_add_output(m, "energy", "1", &error), "name", "already");
    CHECK(sar_model_outputs(m) == 1);
    CHECK_TEXT(sar_model_output_name(m, 0), "energy");
    CHECK_TEXT(m->outputs[0].text, "energy.total");
    sar_model_destroy(m);
}

TEST(starts_are_positions_and_rates_of_what_moves)
{
    sar_model* m = mechanism(2);
    CHECK_REFUSED(m, sar_model_add_start(m, NULL, 0, &error), "signal", "missing");
    CHECK_REFUSED(m, sar_model_add_start(m, "pin.angle", NAN, &error), "value", "not a finite");
    CHECK_REFUSED(m, sar_model_add_start(m, "crank.P.ax", 0, &error), "signal",
                  "\"ax\" is an acceleration: a start can demand positions and rates only");
    CHECK_REFUSED(m, sar_model_add_start(m, "pin.fx", 0, &error), "signal", "a reaction");
    CHECK_REFUSED(m, sar_model_add_start(m, "crank", 0, &error), "signal", "not a signal");
    CHECK_REFUSED(m, sar_model_add_start(m, "crank..x", 0, &error), "signal", "missing at a dot");
    CHECK_REFUSED(m, sar_model_add_start(m, "crank.Q.x", 0, &error), "signal", "no point \"Q\"");
    CHECK_REFUSED(m, sar_model_add_start(m, "ground.origin.x", 0, &error), "signal",
                  "does not move");
    CHECK_STATUS(sar_model_add_start(m, "pin.angle", 1, NULL), SAR_OK);
    CHECK_STATUS(sar_model_add_start(m, "pin.rate", 2, NULL), SAR_OK);
    CHECK_REFUSED(m, sar_model_add_start(m, "pin.angle", 1, &error), "signal", "already");
    CHECK_TEXT(m->starts[1].name, "pin.rate");
    CHECK(m->signals[m->starts[1].signal].level == 1 && m->starts[1].value == 2);
    sar_model_destroy(m);
}
