/* Joints, couplings and drives: what is refused, and the frames left to the drawing. */
#include "model_fixture.h"

/// Crank as drawn unturned; `rod` turned by a quarter about `axis` (0: x, 2: z).
static sar_model* turned_rod(int dimension, int axis)
{
    static const double about_x[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};
    static const double about_z[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    sar_model* m = sar_model_create("turned", dimension);
    sar_body_def body = sar_body_def_default();
    body.name = "crank";
    CHECK_STATUS(sar_model_add_body(m, &body, NULL, NULL), SAR_OK);
    body.name = "rod", body.has_rotation = 1;
    memcpy(body.rotation, axis == 0 ? about_x : about_z, sizeof body.rotation);
    CHECK_STATUS(sar_model_add_body(m, &body, NULL, NULL), SAR_OK);
    return m;
}

TEST(types_belong_to_dimensions)
{
    static const struct {
        sar_joint_type type;
        const char* says;
    } spatial[] = {
        {SAR_JOINT_SPHERICAL,
         "spherical joints exist in spatial models only; in a planar model use revolute"},
        {SAR_JOINT_UNIVERSAL, "universal joints exist in spatial models only"},
        {SAR_JOINT_CYLINDRICAL, "in a planar model use prismatic"},
        {SAR_JOINT_PLANAR, "planar joints exist in spatial models only"},
        {SAR_JOINT_SCREW, "screw joints exist in spatial models only"},
        {SAR_JOINT_POINT_ON_PLANE, "in a planar model use point-on-line"},
        {SAR_JOINT_ROLLING_SPHERE, "in a planar model use rolling-disc"},
        {SAR_JOINT_CONSTANT_VELOCITY, "in a planar model use revolute"}};
    sar_model* m = two_bodies(2);
    for (size_t k = 0; k < sizeof spatial / sizeof spatial[0]; k++) {
        sar_joint_def def = joint_between(m, "j", spatial[k].type);
        CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "type", spatial[k].says);
    }
    sar_joint_def def = joint_between(m, "j", SAR_JOINT_TYPES);
    char none[32];
    snprintf(none, sizeof none, "no joint type %d", (int)SAR_JOINT_TYPES);
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "type", none);
    add_joint(m, "revolute", SAR_JOINT_REVOLUTE);
    add_joint(m, "prismatic", SAR_JOINT_PRISMATIC);
    add_joint(m, "fixed", SAR_JOINT_FIXED);
    add_joint(m, "line", SAR_JOINT_POINT_ON_LINE);
    CHECK(add_joint(m, "distance", SAR_JOINT_DISTANCE).i == 4);
    CHECK(sar_model_joints(m) == 5);
    CHECK_TEXT(sar_model_joint_name(m, 2), "fixed");
    sar_model_destroy(m);
    m = two_bodies(3);
    for (int type = 0; type < SAR_JOINT_TYPES; type++) {
        char name[16];
        snprintf(name, sizeof name, "j%d", type);
        add_joint(m, name, (sar_joint_type)type);
    }
    sar_joint_id found;
    CHECK_STATUS(sar_model_find_joint(m, "j6", 2, &found), SAR_OK);
    CHECK(found.i == SAR_JOINT_SCREW);
    sar_model_destroy(m);
}

TEST(ends_are_checked)
{
    sar_model* m = two_bodies(2);
    sar_joint_def def = sar_joint_def_default();
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "name", "missing");
    def.name = "rod";
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "name", "a body called \"rod\"");
    def.name = "j";
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "body",
                  "both ends are on \"ground\"");
    def.b.body.i = 3;
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "body", "no body 3");
    def.a.body.i = -1, def.b.body = ROD;
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "body", "no body -1");
    def.a.body = CRANK, def.a.point[2] = 1;
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "point", "planar");
    def.a.point[2] = 0, def.b.point[0] = INFINITY;
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "point", "point[0] is inf");
    sar_model_destroy(m);
}

TEST(axes_and_normals_are_checked_in_space)
{
    sar_model* m = two_bodies(3);
    sar_joint_def def = joint_between(m, "j", SAR_JOINT_CYLINDRICAL);
    set(def.b.axis, 0, 0, 0);
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "axis", "missing or zero");
    set(def.b.axis, 0, 0, NAN);
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "axis", "axis[2]");
    set(def.b.axis, 0, 0, 1), set(def.a.normal, 0, INFINITY, 0);
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "normal", "normal[1]");
    set(def.a.normal, 1, 0, 0);
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "normal", "only end a has");
    set(def.a.normal, 0, 0, 0), set(def.b.normal, 1, 0, 0);
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "normal", "only end b has");
    set(def.a.normal, 0, 0, 5);
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "normal", "parallel to the axis");
    def = joint_between(m, "j", SAR_JOINT_UNIVERSAL), set(def.a.normal, 1, 0, 0);
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "normal", "only end a has");
    def = joint_between(m, "j", SAR_JOINT_FIXED), set(def.a.axis, 0, 0, 0);
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "axis", "only end b has");
    def = joint_between(m, "j", SAR_JOINT_POINT_ON_PLANE), set(def.a.axis, 0, 0, 0);
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "axis", "missing or zero");
    sar_model_destroy(m);
}

TEST(axes_and_normals_are_checked_in_the_plane)
{
    sar_model* m = two_bodies(2);
    sar_joint_def def = joint_between(m, "j", SAR_JOINT_PRISMATIC);
    set(def.b.axis, 0, 0, 1);
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "axis", "lie in the plane");
    set(def.b.axis, 0, 0, 0);
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "axis", "missing or zero");
    set(def.b.axis, 0, NAN, 0);
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "axis", "axis[1]");
    set(def.b.axis, 1, 0, 0), set(def.b.normal, 0, 1, 1);
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "normal", "lie in the plane");
    set(def.b.normal, 0, -1, 0);
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "normal", "+90 degrees");
    def = joint_between(m, "j", SAR_JOINT_REVOLUTE), set(def.b.normal, 0, 0, 1);
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "normal", "lie in the plane");
    set(def.b.normal, 0, 1, 0);
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "normal", "only end b has");
    def = joint_between(m, "j", SAR_JOINT_FIXED), set(def.b.axis, 1, 0, 0);
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "axis", "have no axis");
    sar_model_destroy(m);
}

TEST(sizes_are_checked)
{
    sar_model* m = two_bodies(3);
    sar_joint_def def = joint_between(m, "j", SAR_JOINT_SCREW);
    def.pitch = 0;
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "pitch", "must not be zero");
    def.pitch = NAN;
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "pitch", "pitch is nan");
    def.type = SAR_JOINT_DISTANCE, def.distance = 0; // its pitch does not matter
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "distance", "must be positive");
    def.distance = INFINITY;
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "distance", "not a finite");
    def.distance = 2;
    CHECK_STATUS(sar_model_add_joint(m, &def, NULL, NULL), SAR_OK);
    CHECK(m->joints[0].pair.pitch == 0 && m->joints[0].pair.distance == 2);
    check_xyz(m->joints[0].pair.a.axis, 0, 0, 0); // distance joints have no frame
    sar_model_destroy(m);
}

/* The rod is drawn turned by 90 degrees about x: its y is the world's z, its z the world's -y. */
TEST(frames_follow_the_drawing_in_space)
{
    sar_model* m = turned_rod(3, 0);
    sar_joint_def def = joint_between(m, "pin", SAR_JOINT_REVOLUTE);
    set(def.a.axis, 0, 3, 0), set(def.b.axis, 0, 0, -2); // both along the world's y
    CHECK_STATUS(sar_model_add_joint(m, &def, NULL, NULL), SAR_OK);
    const sar_joint_def* pin = &m->joints[0].pair;
    check_xyz(pin->a.axis, 0, 1, 0);
    check_xyz(pin->b.axis, 0, 0, -1);
    check_xyz(pin->a.normal, 1, 0, 0);
    check_xyz(pin->b.normal, 1, 0, 0);

    def = joint_between(m, "weld", SAR_JOINT_FIXED);
    set(def.a.axis, 0, 0, 0), set(def.b.axis, 0, 0, 0);
    CHECK_STATUS(sar_model_add_joint(m, &def, NULL, NULL), SAR_OK);
    const sar_joint_def* weld = &m->joints[1].pair;
    check_xyz(weld->a.axis, 0, 0, 1);
    check_xyz(weld->b.axis, 0, 1, 0);
    check_xyz(weld->b.normal, weld->a.normal[0], 0, 0);

    def = joint_between(m, "line", SAR_JOINT_POINT_ON_LINE);
    set(def.a.axis, 0, 2, 0), set(def.a.normal, 0, 1, 1), set(def.b.axis, 0, 0, 0);
    CHECK_STATUS(sar_model_add_joint(m, &def, NULL, NULL), SAR_OK);
    const sar_joint_def* line = &m->joints[2].pair;
    check_xyz(line->a.normal, 0, 0, 1);
    check_xyz(line->b.axis, 0, 0, -1);
    check_xyz(line->b.normal, 0, 1, 0);
    sar_model_destroy(m);
}

/// b's axis lies along a's normal as drawn, which leaves nothing to project: any normal will do.
TEST(frames_are_complete_even_where_the_drawing_says_nothing)
{
    sar_model* m = two_bodies(3);
    sar_joint_def def = joint_between(m, "pin", SAR_JOINT_REVOLUTE);
    set(def.b.axis, 1, 0, 0);
    CHECK_STATUS(sar_model_add_joint(m, &def, NULL, NULL), SAR_OK);
    def.name = "cross", def.type = SAR_JOINT_UNIVERSAL;
    CHECK_STATUS(sar_model_add_joint(m, &def, NULL, NULL), SAR_OK);
    for (int j = 0; j < 2; j++) {
        const sar_end* ends[2] = {&m->joints[j].pair.a, &m->joints[j].pair.b};
        for (int k = 0; k < 2; k++) {
            const double *u = ends[k]->axis, *n = ends[k]->normal;
            CHECK_NEAR(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-15);
            CHECK_NEAR(u[0] * n[0] + u[1] * n[1] + u[2] * n[2], 0, 1e-15);
        }
    }
    sar_model_destroy(m);
}

/// Without normals each end takes the other's axis, as far as it is across its own.
TEST(a_universal_joint_is_drawn_with_angles_of_zero)
{
    sar_model* m = two_bodies(3);
    sar_joint_def def = joint_between(m, "cross", SAR_JOINT_UNIVERSAL);
    def.a.body.i = 0, def.b.body = CRANK; // both drawn along the axes of the world
    set(def.a.axis, 0, 0, 2), set(def.b.axis, 3, 0, 4);
    CHECK_STATUS(sar_model_add_joint(m, &def, NULL, NULL), SAR_OK);
    check_xyz(m->joints[0].pair.a.normal, 1, 0, 0);
    check_xyz(m->joints[0].pair.b.normal, -0.8, 0, 0.6);
    def.name = "marked", set(def.a.normal, 0, 1, 5), set(def.b.normal, 0, -2, 0);
    CHECK_STATUS(sar_model_add_joint(m, &def, NULL, NULL), SAR_OK);
    check_xyz(m->joints[1].pair.a.normal, 0, 1, 0);
    check_xyz(m->joints[1].pair.b.normal, 0, -1, 0);
    sar_model_destroy(m);
}

/// Which coordinates a joint of each type has, and what is said of the others.
TEST(joints_have_the_coordinates_of_their_freedom)
{
    enum { A = 1, D = 2, A2 = 8, D2 = 16 };
    static const struct {
        sar_joint_type type;
        int has;
        const char* list;
    } wanted[] = {
        {SAR_JOINT_REVOLUTE, A, "it has angle"},
        {SAR_JOINT_PRISMATIC, D, "it has displacement"},
        {SAR_JOINT_SPHERICAL, 0, "it has no coordinates"},
        {SAR_JOINT_UNIVERSAL, A | A2, "it has angle and angle2"},
        {SAR_JOINT_CYLINDRICAL, A | D, "it has angle and displacement"},
        {SAR_JOINT_PLANAR, A | D | D2, "it has angle, displacement and displacement2"},
        {SAR_JOINT_SCREW, A | D, "it has angle and displacement"},
        {SAR_JOINT_FIXED, 0, "it has no coordinates"},
        {SAR_JOINT_POINT_ON_LINE, D, "it has displacement"},
        {SAR_JOINT_POINT_ON_PLANE, D | D2, "it has displacement and displacement2"},
    };
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
        sar_model* m = two_bodies(3);
        sar_joint_def joint = joint_between(m, "j", wanted[k].type);
        joint.pitch = 1;
        if (wanted[k].type == SAR_JOINT_UNIVERSAL) set(joint.b.axis, 1, 0, 0);
        CHECK_STATUS(sar_model_add_joint(m, &joint, NULL, NULL), SAR_OK);
        for (int c = 0; c <= SAR_COORD_DISPLACEMENT_2; c++) {
            sar_error error = {0};
            sar_drive_def def = sar_drive_def_default();
            def.name = (char[]){'d', (char)('0' + c), 0}, def.value = "t";
            def.joint.i = 0, def.coordinate = (sar_coordinate)c;
            sar_status status = sar_model_add_drive(m, &def, NULL, &error);
            CHECK_STATUS(status, wanted[k].has & 1 << c ? SAR_OK : SAR_E_MODEL);
            if (status != SAR_OK && !strstr(error.message, wanted[k].list))
                fail_msg("\"%s\" does not say \"%s\"", error.message, wanted[k].list);
        }
        sar_model_destroy(m);
    }
}

TEST(an_end_is_completed_in_place)
{
    sar_end end = {.axis = {0, 0, 1e-200}, .normal = {3, 4, 1e9}}; // nearly along the axis
    CHECK_STATUS(sari_end_complete(&end, NULL), SAR_E_MODEL);
    end = (sar_end){.axis = {0, 0, 1e-200}, .normal = {3e200, 4e200, 1e200}};
    CHECK_STATUS(sari_end_complete(&end, NULL), SAR_OK);
    check_xyz(end.axis, 0, 0, 1);
    check_xyz(end.normal, 0.6, 0.8, 0);
}

/* The rod is drawn turned by 90 degrees: its x is the world's y. */
TEST(frames_of_planar_joints)
{
    sar_model* m = turned_rod(2, 2);
    add_joint(m, "pin", SAR_JOINT_REVOLUTE);
    check_xyz(m->joints[0].pair.a.axis, 0, 0, 1);
    check_xyz(m->joints[0].pair.a.normal, 1, 0, 0);
    check_xyz(m->joints[0].pair.b.normal, 1, 0, 0); // angle = difference of the bodies' angles
    add_joint(m, "weld", SAR_JOINT_FIXED);
    check_xyz(m->joints[1].pair.a.normal, 1, 0, 0);
    check_xyz(m->joints[1].pair.b.normal, 0, -1, 0); // world x, as drawn
    sar_joint_def def = joint_between(m, "slide", SAR_JOINT_PRISMATIC);
    set(def.a.axis, 0, 2, 0), set(def.b.axis, 5, 0, 0);
    CHECK_STATUS(sar_model_add_joint(m, &def, NULL, NULL), SAR_OK);
    check_xyz(m->joints[2].pair.a.axis, 0, 1, 0);
    check_xyz(m->joints[2].pair.a.normal, -1, 0, 0);
    check_xyz(m->joints[2].pair.b.normal, 0, 1, 0);
    def = joint_between(m, "line", SAR_JOINT_POINT_ON_LINE);
    set(def.b.axis, 0, 0, 1); // as in the default: b has no line
    CHECK_STATUS(sar_model_add_joint(m, &def, NULL, NULL), SAR_OK);
    check_xyz(m->joints[3].pair.b.axis, 0, -1, 0);
    check_xyz(m->joints[3].pair.b.normal, 1, 0, 0);
    def = joint_between(m, "marked", SAR_JOINT_REVOLUTE);
    set(def.a.normal, 0, 2, 0), set(def.b.normal, 3, 4, 0);
    CHECK_STATUS(sar_model_add_joint(m, &def, NULL, NULL), SAR_OK);
    check_xyz(m->joints[4].pair.a.normal, 0, 1, 0);
    check_xyz(m->joints[4].pair.b.normal, 0.6, 0.8, 0);
    sar_model_destroy(m);
}

TEST(couplings_join_coordinates_that_exist)
{
    sar_model* m = two_bodies(3);
    sar_joint_id pin = add_joint(m, "pin", SAR_JOINT_REVOLUTE);
    sar_joint_id tube = add_joint(m, "tube", SAR_JOINT_CYLINDRICAL);
    sar_joint_id ball = add_joint(m, "ball", SAR_JOINT_SPHERICAL);
    sar_joint_id bar = add_joint(m, "bar", SAR_JOINT_DISTANCE);
    sar_coupling_def def = sar_coupling_def_default();
    def.name = "gear", def.terms = 1;
    CHECK_REFUSED(m, sar_model_add_coupling(m, &def, NULL, &error), "terms", "2 to 8 terms, not 1");
    def.terms = 9;
    CHECK_REFUSED(m, sar_model_add_coupling(m, &def, NULL, &error), "terms", "not 9");
    def.terms = 2, def.joint[0] = pin, def.joint[1].i = 17;
    def.coefficient[0] = 1, def.coefficient[1] = -2;
    CHECK_REFUSED(m, sar_model_add_coupling(m, &def, NULL, &error), "joint[1]", "no joint 17");
    def.joint[1] = ball;
    CHECK_REFUSED(m, sar_model_add_coupling(m, &def, NULL, &error), "coordinate[1]",
                  "\"ball\" is a spherical joint: it has no angle");
    def.joint[1] = bar, def.coordinate[1] = SAR_COORD_DISTANCE;
    CHECK_REFUSED(m, sar_model_add_coupling(m, &def, NULL, &error), "joint[1]", "distance joint");
    def.coordinate[0] = def.coordinate[1] = SAR_COORD_DISPLACEMENT, def.joint[1] = tube;
    CHECK_REFUSED(m, sar_model_add_coupling(m, &def, NULL, &error), "coordinate[0]",
                  "\"pin\" is a revolute joint: it has no displacement");
    def.coordinate[0] = SAR_COORD_ANGLE, def.coefficient[1] = NAN;
    CHECK_REFUSED(m, sar_model_add_coupling(m, &def, NULL, &error), "coefficient[1]", "nan");
    def.coefficient[0] = def.coefficient[1] = 0;
    CHECK_REFUSED(m, sar_model_add_coupling(m, &def, NULL, &error), "coefficient[0]", "all coeff");
    def.coefficient[0] = 1, def.has_offset = 1, def.offset = NAN;
    CHECK_REFUSED(m, sar_model_add_coupling(m, &def, NULL, &error), "offset", "not a finite");
    def.has_offset = 0;
    sar_joint_id gear;
    CHECK_STATUS(sar_model_add_coupling(m, &def, &gear, NULL), SAR_OK);
    CHECK(gear.i == 4 && m->joints[4].coupling.offset == 0);
    CHECK_REFUSED(m, sar_model_add_coupling(m, &def, NULL, &error), "name", "a coupling called");
    def.name = "gear2", def.joint[1] = gear;
    CHECK_REFUSED(m, sar_model_add_coupling(m, &def, NULL, &error), "joint[1]",
                  "\"gear\" is a coupling and has no coordinate");
    sar_model_destroy(m);
}

TEST(drives_are_functions_of_time)
{
    sar_model* m = two_bodies(2);
    sar_joint_id pin = add_joint(m, "pin", SAR_JOINT_REVOLUTE);
    CHECK_STATUS(sar_model_set_parameter(m, "w", 3, NULL), SAR_OK);
    sar_drive_def def = sar_drive_def_default();
    def.name = "motor", def.joint = pin;
    CHECK_REFUSED(m, sar_model_add_drive(m, &def, NULL, &error), "value", "missing");
    def.value = "pin.angle";
    CHECK_REFUSED(m, sar_model_add_drive(m, &def, NULL, &error), "value",
                  "drives can use t and parameters only");
    def.value = "x";
    CHECK_REFUSED(m, sar_model_add_drive(m, &def, NULL, &error), "value", "springs only");
    def.value = "w*t*";
    CHECK_REFUSED(m, sar_model_add_drive(m, &def, NULL, &error), "value", "");
    def.value = "w*t", def.coordinate = SAR_COORD_DISPLACEMENT;
    CHECK_REFUSED(m, sar_model_add_drive(m, &def, NULL, &error), "coordinate", "no displacement");
    def.coordinate = SAR_COORD_ANGLE, def.joint.i = 5;
    CHECK_REFUSED(m, sar_model_add_drive(m, &def, NULL, &error), "joint", "no joint 5");
    def.joint = pin, def.name = "crank";
    CHECK_REFUSED(m, sar_model_add_drive(m, &def, NULL, &error), "name", "a body called");
    char text[] = "w*t^2", name[] = "motor";
    def.value = text, def.name = name;
    sar_joint_id motor;
    CHECK_STATUS(sar_model_add_drive(m, &def, &motor, NULL), SAR_OK);
    memset(text, 'z', 5), memset(name, 'z', 5); // both were copied
    CHECK_TEXT(sar_model_joint_name(m, motor.i), "motor");
    CHECK_TEXT(m->joints[motor.i].drive.value, "w*t^2");
    double series[3], t = 2;
    sari_expression_series(m->joints[motor.i].value, &t, SARI_VARIABLE_T, series);
    CHECK_NEAR(series[0], 12, 1e-14);
    CHECK_NEAR(series[1], 12, 1e-14);
    CHECK_NEAR(series[2], 6, 1e-14);

    def = sar_drive_def_default();
    def.name = "jack", def.value = "1 + t", def.a.body = CRANK, def.b.body = CRANK;
    CHECK_REFUSED(m, sar_model_add_drive(m, &def, NULL, &error), "body", "two different bodies");
    def.b.body = ROD, def.b.point[2] = 1;
    CHECK_REFUSED(m, sar_model_add_drive(m, &def, NULL, &error), "point", "planar");
    def.b.point[2] = 0;
    CHECK_STATUS(sar_model_add_drive(m, &def, NULL, NULL), SAR_OK);
    CHECK(m->joints[2].drive.coordinate == SAR_COORD_DISTANCE);
    sar_model_destroy(m);
}
