/* Loads, springs and bushings: what is refused, what is copied, and default frames. */
#include "model_fixture.h"

static sar_load_def load_called(const char* name)
{
    sar_load_def def = sar_load_def_default();
    def.name = name, def.body = CRANK, def.force[0] = "1";
    return def;
}

TEST(loads_are_checked)
{
    sar_model* m = two_bodies(2);
    sar_load_def def = load_called("rod");
    CHECK_REFUSED(m, sar_model_add_load(m, &def, &error), "name", "a body called");
    def = load_called("push"), def.body.i = 4;
    CHECK_REFUSED(m, sar_model_add_load(m, &def, &error), "body", "no body 4");
    def.body = SAR_GROUND;
    CHECK_REFUSED(m, sar_model_add_load(m, &def, &error), "body", "moves nothing");
    def.body = CRANK, def.reaction.i = -3;
    CHECK_REFUSED(m, sar_model_add_load(m, &def, &error), "reaction", "no body -3");
    def.reaction = CRANK;
    CHECK_REFUSED(m, sar_model_add_load(m, &def, &error), "reaction", "cancel");
    def.reaction = ROD, def.point[2] = 1;
    CHECK_REFUSED(m, sar_model_add_load(m, &def, &error), "point", "planar");
    def.point[2] = 0, def.force[0] = NULL;
    CHECK_REFUSED(m, sar_model_add_load(m, &def, &error), "force", "neither");
    def.force[2] = "0";
    CHECK_REFUSED(m, sar_model_add_load(m, &def, &error), "force[2]",
                  "this model is planar: there is no z");
    def.force[2] = NULL, def.torque[1] = "1";
    CHECK_REFUSED(m, sar_model_add_load(m, &def, &error), "torque[1]", "torque[2]");
    def.torque[1] = NULL, def.torque[0] = "1";
    CHECK_REFUSED(m, sar_model_add_load(m, &def, &error), "torque[0]", "planar");
    // The signals of a good component go away with the bad one.
    def.torque[0] = NULL, def.force[0] = "crank.P.x", def.force[1] = "crank.P.vx + blub";
    CHECK_REFUSED(m, sar_model_add_load(m, &def, &error), "force[1]", "no parameter is called");
    def.force[1] = NULL, def.torque[2] = "1 +";
    CHECK_REFUSED(m, sar_model_add_load(m, &def, &error), "torque[2]", "");
    def.torque[2] = "2*t";
    CHECK_STATUS(sar_model_add_load(m, &def, NULL), SAR_OK);
    const sar_load_def* load = load_of(m, 0);
    CHECK(force_text(m, 0, 0) && !force_text(m, 0, 1) && !force_text(m, 0, 2));
    CHECK(torque_text(m, 0, 2));
    CHECK_TEXT(load->torque[2], "2*t");
    CHECK(load->torque[2] != def.torque[2] && load->force[1] == NULL);
    CHECK(m->signals_count == 1);
    CHECK_REFUSED(m, sar_model_add_load(m, &def, &error), "name", "a force called \"push\"");
    sar_model_destroy(m);
}

/// The message tells the character of the expression where it is wrong.
TEST(errors_of_expressions_have_an_offset)
{
    sar_model* m = two_bodies(3);
    sar_load_def def = load_called("push");
    def.force[2] = "3*crank.Q.x";
    sar_error error;
    CHECK_STATUS(sar_model_add_load(m, &def, &error), SAR_E_MODEL);
    CHECK_TEXT(error.field, "force[2]");
    CHECK(error.offset == 2);
    CHECK_STATUS(sar_model_add_load(m, &def, NULL), SAR_E_MODEL);
    sar_model_destroy(m);
}

TEST(springs_are_checked)
{
    sar_model* m = two_bodies(2);
    add_joint(m, "pin", SAR_JOINT_REVOLUTE);
    sar_spring_def def = sar_spring_def_default();
    def.name = "t";
    CHECK_REFUSED(m, sar_model_add_spring(m, &def, &error), "name", "taken");
    def.name = "s";
    CHECK_REFUSED(m, sar_model_add_spring(m, &def, &error), "body", "two different bodies");
    def.b.body = ROD, def.a.point[0] = NAN;
    CHECK_REFUSED(m, sar_model_add_spring(m, &def, &error), "point", "not a finite");
    def.a.point[0] = 0, def.stiffness = INFINITY;
    CHECK_REFUSED(m, sar_model_add_spring(m, &def, &error), "stiffness", "inf");
    def.stiffness = -3, def.damping = NAN;
    CHECK_REFUSED(m, sar_model_add_spring(m, &def, &error), "damping", "nan");
    def.damping = -1, def.free = NAN;
    CHECK_REFUSED(m, sar_model_add_spring(m, &def, &error), "free", "nan");
    def.free = 1, def.force = "y";
    CHECK_REFUSED(m, sar_model_add_spring(m, &def, &error), "force", "no parameter is called");
    def.force = "-x*v*pin.rate";
    CHECK_STATUS(sar_model_add_spring(m, &def, NULL), SAR_OK);
    double values[] = {0, 2, 3, 5};
    CHECK_NEAR(sari_expression_value(spring_text(m, 0), values), -30, 0);
    def = sar_spring_def_default(), def.name = "r", def.joint.i = 0;
    def.coordinate = SAR_COORD_DISPLACEMENT;
    CHECK_REFUSED(m, sar_model_add_spring(m, &def, &error), "coordinate", "no displacement");
    def.joint.i = 1;
    CHECK_REFUSED(m, sar_model_add_spring(m, &def, &error), "joint", "no joint 1");
    def.joint.i = 0, def.coordinate = SAR_COORD_ANGLE;
    CHECK_STATUS(sar_model_add_spring(m, &def, NULL), SAR_OK);
    sar_model_destroy(m);
}

TEST(tables_increase)
{
    sar_model* m = two_bodies(3);
    double x[3] = {0, 1, 1}, f[3] = {0, 2, NAN};
    sar_spring_def def = sar_spring_def_default();
    def.name = "s", def.b.body = ROD, def.table_x = x, def.table_f = f;
    def.table_length = 1;
    CHECK_REFUSED(m, sar_model_add_spring(m, &def, &error), "table", "at least 2 pairs, not 1");
    def.table_length = -2;
    CHECK_REFUSED(m, sar_model_add_spring(m, &def, &error), "table", "at least 2");
    def.table_length = 3;
    CHECK_REFUSED(m, sar_model_add_spring(m, &def, &error), "table", "pair 2 of the table");
    f[2] = 3;
    CHECK_REFUSED(m, sar_model_add_spring(m, &def, &error), "table", "must increase");
    def.table_x = NULL;
    CHECK_REFUSED(m, sar_model_add_spring(m, &def, &error), "table", "");
    def.table_x = x, x[2] = 4;
    CHECK_STATUS(sar_model_add_spring(m, &def, NULL), SAR_OK);
    x[1] = f[1] = -100; // copied
    CHECK(spring_of(m, 0)->table_x[1] == 1 && spring_of(m, 0)->table_f[1] == 2);
    sar_model_destroy(m);
}

TEST(bushings_are_checked)
{
    sar_model* m = two_bodies(2);
    sar_bushing_def def = sar_bushing_def_default();
    def.name = "energy";
    CHECK_REFUSED(m, sar_model_add_bushing(m, &def, &error), "name", "taken");
    def.name = "b";
    CHECK_REFUSED(m, sar_model_add_bushing(m, &def, &error), "body", "two different bodies");
    def.a.body = CRANK, def.b.body = ROD, def.K[7] = NAN;
    CHECK_REFUSED(m, sar_model_add_bushing(m, &def, &error), "K", "K[7] is nan");
    def.K[7] = 0, def.K[14] = 1;
    CHECK_REFUSED(m, sar_model_add_bushing(m, &def, &error), "K", "row 2, column 2 of K");
    def.K[14] = 0, def.K[0] = 1e3, def.K[6] = 1;
    CHECK_REFUSED(m, sar_model_add_bushing(m, &def, &error), "K", "not symmetric");
    def.K[1] = 1 + 1e-7; // within 1e-9 of the largest entry
    CHECK_STATUS(sar_model_add_bushing(m, &def, NULL), SAR_OK);
    def.name = "c", def.C[35] = NAN;
    CHECK_REFUSED(m, sar_model_add_bushing(m, &def, &error), "C", "C[35]");
    def.C[35] = 0, def.C[4] = 1;
    CHECK_REFUSED(m, sar_model_add_bushing(m, &def, &error), "C", "planar");
    def.C[4] = 0, def.C[1] = 1; // need not be symmetric
    def.a.axis[0] = 1;
    CHECK_REFUSED(m, sar_model_add_bushing(m, &def, &error), "axis", "only end a has");
    def.b.axis[2] = 1;
    CHECK_REFUSED(m, sar_model_add_bushing(m, &def, &error), "axis", "lie in the plane");
    def.a.axis[0] = def.b.axis[2] = 0, def.a.normal[1] = 1;
    CHECK_REFUSED(m, sar_model_add_bushing(m, &def, &error), "normal", "needs an axis");
    def.a.normal[1] = 0;
    CHECK_STATUS(sar_model_add_bushing(m, &def, NULL), SAR_OK);
    sar_model_destroy(m);
}

/* The second body is drawn turned by 90 degrees about z: the world's x is its -y. */
TEST(a_bushing_without_axes_has_those_of_the_world)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        sar_model* m = two_bodies(dimension);
        sar_body_def body = sar_body_def_default();
        body.name = "turned", body.has_rotation = 1;
        memcpy(body.rotation, (double[9]){0, -1, 0, 1, 0, 0, 0, 0, 1}, sizeof body.rotation);
        sar_bushing_def def = sar_bushing_def_default();
        def.name = "b", def.a.body = CRANK;
        CHECK_STATUS(sar_model_add_body(m, &body, &def.b.body, NULL), SAR_OK);
        CHECK_STATUS(sar_model_add_bushing(m, &def, NULL), SAR_OK);
        const sar_bushing_def* got = bushing_of(m, 0);
        CHECK(got->a.axis[0] == 1 && got->a.normal[1] == 1);
        CHECK(got->b.axis[0] == 0 && got->b.axis[1] == -1);
        CHECK(got->b.normal[0] == 1 && got->b.normal[1] == 0);
        sar_model_destroy(m);
    }
}
