/* Large bushings, shafts, cables and rotors from C: what is refused, and that nothing is left of it. */
#include "model_fixture.h"

#include "sarrus/compliant.h"

/// Two revolute joints on the ground, of the crank and of the rod.
static sar_joint_id pin(sar_model* m, const char* name, sar_body_id body)
{
    sar_joint_def def = sar_joint_def_default();
    sar_joint_id id;
    def.name = name, def.b.body = body;
    CHECK_STATUS(sar_model_add_joint(m, &def, &id, NULL), SAR_OK);
    return id;
}

TEST(large_bushings_are_checked)
{
    sar_model* m = two_bodies(2);
    sar_large_bushing_def def = sar_large_bushing_def_default();
    CHECK(def.frame == SAR_FRAME_MIDDLE);
    def.name = "soft", def.a.body = CRANK, def.b.body = ROD, def.frame = 3;
    CHECK_REFUSED(m, sar_model_add_large_bushing(m, &def, &error), "frame", "no sar_bushing_frame");
    def.frame = SAR_FRAME_B, def.torque[0] = "x";
    CHECK_REFUSED(m, sar_model_add_large_bushing(m, &def, &error), "torque", "planar");
    def.torque[0] = NULL, def.torque[2] = "x + crank.angle";
    CHECK_REFUSED(m, sar_model_add_large_bushing(m, &def, &error), "torque", "x, v, t");
    def.torque[2] = "x^3", def.K[1] = 2;
    CHECK_REFUSED(m, sar_model_add_large_bushing(m, &def, &error), "K", "not symmetric");
    def.K[6] = 2;
    CHECK_STATUS(sar_model_add_large_bushing(m, &def, NULL), SAR_OK);
    sar_model_destroy(m);
}

TEST(shafts_are_checked)
{
    sar_model* m = two_bodies(2);
    sar_shaft_def def = sar_shaft_def_default();
    def.name = "shaft", def.joint[0] = pin(m, "one", CRANK);
    CHECK_REFUSED(m, sar_model_add_shaft(m, &def, &error), "joint[1]", "no joint");
    def.joint[1] = def.joint[0];
    CHECK_REFUSED(m, sar_model_add_shaft(m, &def, &error), "joint", "same joint");
    def.joint[1] = pin(m, "two", ROD), def.factor[1] = 0;
    CHECK_REFUSED(m, sar_model_add_shaft(m, &def, &error), "factor", "joins nothing");
    def.factor[1] = 2, def.tension = 5;
    CHECK_REFUSED(m, sar_model_add_shaft(m, &def, &error), "stiffness", "a belt needs");
    def.stiffness = 3, def.play = 1;
    CHECK_REFUSED(m, sar_model_add_shaft(m, &def, &error), "tension", "no play");
    def.tension = 0, def.damping = 1;
    CHECK_REFUSED(m, sar_model_add_shaft(m, &def, &error), "play", "jump");
    def.play = 0, def.capacity = "3";
    CHECK_REFUSED(m, sar_model_add_shaft(m, &def, &error), "speed", "clutch");
    def.speed = 1;
    CHECK_STATUS(sar_model_add_shaft(m, &def, NULL), SAR_OK);
    sar_model_destroy(m);
}

TEST(cables_are_checked)
{
    sar_model* m = two_bodies(3);
    sar_cable_def def = sar_cable_def_default();
    def.name = "rope", def.free = 1, def.stiffness = 1, def.points = 1;
    CHECK_REFUSED(m, sar_model_add_cable(m, &def, &error), "over", "2 to 8");
    def.points = 3;
    CHECK_REFUSED(m, sar_model_add_cable(m, &def, &error), "over", "one body");
    def.over[2].body = ROD, def.over[1].point[0] = NAN;
    CHECK_REFUSED(m, sar_model_add_cable(m, &def, &error), "over", "nan");
    def.over[1].point[0] = 1, def.free = 0;
    CHECK_REFUSED(m, sar_model_add_cable(m, &def, &error), "length", "");
    def.free = 1;
    CHECK_STATUS(sar_model_add_cable(m, &def, NULL), SAR_OK);
    CHECK(sar_model_force_place(m, (sar_force_id){0}).body.i == ROD.i);
    sar_model_destroy(m);
}

TEST(rotors_are_checked)
{
    sar_model* m = two_bodies(3);
    sar_rotor_def def = sar_rotor_def_default();
    sar_joint_id id;
    def.name = "motor";
    CHECK_REFUSED(m, sar_model_add_rotor(m, &def, &id, &error), "inertia", "");
    def.inertia = 1e-3, def.carrier.i = 7;
    CHECK_REFUSED(m, sar_model_add_rotor(m, &def, &id, &error), "carrier", "no body 7");
    def.carrier = CRANK, def.axis[2] = 0;
    CHECK_REFUSED(m, sar_model_add_rotor(m, &def, &id, &error), "axis", "zero");
    def.axis[1] = 2, def.drives.i = 4;
    CHECK_REFUSED(m, sar_model_add_rotor(m, &def, &id, &error), "joint", "no joint");
    def.drives = pin(m, "one", CRANK), def.ratio = 0;
    CHECK_REFUSED(m, sar_model_add_rotor(m, &def, &id, &error), "ratio", "drives nothing");
    def.ratio = 20, def.name = "rod";
    CHECK_REFUSED(m, sar_model_add_rotor(m, &def, &id, &error), "name", "a body called");
    pin(m, "motor_gear", ROD);
    def.name = "motor"; // the name of its gear is taken: nothing is left of the rotor
    CHECK_REFUSED(m, sar_model_add_rotor(m, &def, &id, &error), "name", "motor_gear");
    def.name = "drive";
    const int joints = sar_model_joints(m), bodies = sar_model_bodies(m);
    CHECK_STATUS(sar_model_add_rotor(m, &def, &id, NULL), SAR_OK);
    CHECK(id.i == joints && sar_model_joints(m) == joints + 2 && sar_model_bodies(m) == bodies + 1);
    CHECK_TEXT(sar_model_joint_name(m, id.i), "drive");
    CHECK_TEXT(sar_model_body_name(m, bodies), "drive_rotor");
    CHECK_TEXT(sar_model_joint_name(m, id.i + 1), "drive_gear");
    sar_model_destroy(m);
}
