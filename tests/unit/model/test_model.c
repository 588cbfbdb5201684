/* The model: names, bodies, points, axes, parameters, transform, and a failing allocator. */
#include "model_fixture.h"

static const double Z90[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1}; ///< x to y

static sar_body_def body_called(const char* name)
{
    sar_body_def def = sar_body_def_default();
    def.name = name;
    return def;
}

TEST(a_new_model_has_the_ground_with_its_points_and_axes)
{
    CHECK(sar_model_create("m", 1) == NULL);
    CHECK(sar_model_create("m", 4) == NULL);
    sar_model* m = sar_model_create("slider-crank", 3);
    CHECK_TEXT(sar_model_name(m), "slider-crank");
    CHECK(sar_model_dimension(m) == 3);
    CHECK(sar_model_bodies(m) == 1 && sar_model_joints(m) == 0 && sar_model_outputs(m) == 0);
    CHECK_TEXT(sar_model_body_name(m, 0), "ground");
    CHECK(sar_model_body_name(m, 1) == NULL && sar_model_joint_name(m, 0) == NULL);
    CHECK(sar_model_output_name(m, -1) == NULL);
    double v[3] = {9, 9, 9};
    CHECK_STATUS(sar_model_find_point(m, SAR_GROUND, "origin.x", 6, v), SAR_OK);
    CHECK(v[0] == 0 && v[1] == 0 && v[2] == 0);
    CHECK_STATUS(sar_model_find_point(m, SAR_GROUND, "center", 6, v), SAR_OK);
    CHECK_STATUS(sar_model_find_axis(m, SAR_GROUND, "y", 1, v), SAR_OK);
    CHECK(v[0] == 0 && v[1] == 1 && v[2] == 0);
    CHECK_STATUS(sar_model_find_axis(m, SAR_GROUND, "w", 1, v), SAR_E_ARG);
    CHECK_STATUS(sar_model_find_point(m, (sar_body_id){7}, "origin", 6, v), SAR_E_ARG);
    sar_body_id body = {9};
    sar_joint_id joint;
    CHECK_STATUS(sar_model_find_body(m, "ground.O", 6, &body), SAR_OK);
    CHECK(body.i == 0);
    CHECK_STATUS(sar_model_find_body(m, "ground.O", 5, &body), SAR_E_ARG);
    CHECK_STATUS(sar_model_find_joint(m, "ground", 6, &joint), SAR_E_ARG);
    sar_model_destroy(m);
    sar_model_destroy(NULL);
}

TEST(names_are_checked)
{
    static const struct {
        const char *name, *says;
    } bad[] = {{NULL, "missing"},
               {"", "missing"},
               {"a-b", "letters, digits"},
               {"1a", "start with a letter"},
               {"a.b", "letters, digits"},
               {"\xc3\xa4", "letters, digits"},
               {"ground", "taken"},
               {"energy", "taken"},
               {"t", "taken"},
               {"crank", "a body called \"crank\" already"}};
    sar_model* m = two_bodies(2);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        sar_body_def def = body_called(bad[k].name);
        CHECK_REFUSED(m, sar_model_add_body(m, &def, NULL, &error), "name", bad[k].says);
    }
    char name[65];
    memset(name, 'a', 64), name[64] = '\0';
    sar_body_def def = body_called(name);
    CHECK_REFUSED(m, sar_model_add_body(m, &def, NULL, &error), "name", "at most 63");
    name[63] = '\0';
    CHECK_STATUS(sar_model_add_body(m, &def, NULL, NULL), SAR_OK);
    add_joint(m, "pin", SAR_JOINT_REVOLUTE);
    def = body_called("pin");
    CHECK_REFUSED(m, sar_model_add_body(m, &def, NULL, &error), "name", "a joint called");
    def = body_called("_x1");
    CHECK_STATUS(sar_model_add_body(m, &def, NULL, NULL), SAR_OK);
    sar_model_destroy(m);
}

TEST(numbers_of_a_body_are_finite)
{
    sar_model* m = sar_model_create("m", 3);
    struct {
        size_t offset;
        const char *field, *says;
    } fields[] = {
        {offsetof(sar_body_def, mass), "mass", "mass is nan"},
        {offsetof(sar_body_def, center[1]), "center", "center[1] is nan"},
        {offsetof(sar_body_def, inertia[5]), "inertia", "inertia[5]"},
        {offsetof(sar_body_def, position[2]), "position", "position[2]"},
        {offsetof(sar_body_def, rotation[8]), "rotation", "rotation[8]"},
        {offsetof(sar_body_def, velocity[0]), "velocity", "velocity[0]"},
        {offsetof(sar_body_def, angular_velocity[0]), "angular_velocity", "not a finite"}};
    for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++) {
        sar_body_def def = body_called("b");
        def.has_position = def.has_rotation = 1;
        double bad = NAN;
        memcpy((char*)&def + fields[k].offset, &bad, sizeof bad);
        CHECK_REFUSED(m, sar_model_add_body(m, &def, NULL, &error), fields[k].field,
                      fields[k].says);
    }
    sar_body_def def = body_called("b");
    def.mass = -1e-9;
    CHECK_REFUSED(m, sar_model_add_body(m, &def, NULL, &error), "mass", "negative");
    def.mass = INFINITY;
    CHECK_REFUSED(m, sar_model_add_body(m, &def, NULL, &error), "mass", "inf");
    sar_model_destroy(m);
}

static void set_inertia(sar_body_def* def, const double I[6])
{
    memcpy(def->inertia, I, sizeof def->inertia);
}

TEST(only_inertias_that_a_body_can_have_are_accepted)
{
    sar_model* m = sar_model_create("m", 3);
    sar_body_def def = body_called("b");
    set_inertia(&def, (double[6]){-1e-3, 1, 1});
    CHECK_REFUSED(m, sar_model_add_body(m, &def, NULL, &error), "inertia", "negative principal");
    set_inertia(&def, (double[6]){1, 1, 1, 2, 0, 0}); // moments 3, 1, -1
    CHECK_REFUSED(m, sar_model_add_body(m, &def, NULL, &error), "inertia", "moment -1;");
    set_inertia(&def, (double[6]){1, 1, 2.00001});
    CHECK_REFUSED(m, sar_model_add_body(m, &def, NULL, &error), "inertia", "more than the sum");
    // Moments 1, 1, 4 with the large one along (1, 1, 1).
    set_inertia(&def, (double[6]){2, 2, 2, 1, 1, 1});
    CHECK_REFUSED(m, sar_model_add_body(m, &def, NULL, &error), "inertia", "moment of inertia, 4,");
    // A slender rod along u = (1, 2, 3): 7 (1 - u u'/14). Equality, to round-off.
    double u[3] = {1, 2, 3}, I[6];
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) I[k] = 7 * ((k < 3) - u[row[k]] * u[column[k]] / 14);
    set_inertia(&def, I);
    CHECK_STATUS(sar_model_add_body(m, &def, NULL, NULL), SAR_OK); // and without mass
    def = body_called("plate");
    set_inertia(&def, (double[6]){1, 2, 3 * (1 + 1e-8)});
    CHECK_REFUSED(m, sar_model_add_body(m, &def, NULL, &error), "inertia", "more than the sum");
    set_inertia(&def, (double[6]){1, 2, 3 * (1 + 1e-10)});
    CHECK_STATUS(sar_model_add_body(m, &def, NULL, NULL), SAR_OK);
    sar_model_destroy(m);
}

TEST(rotations_are_checked_and_made_exact)
{
    sar_model* m = sar_model_create("m", 3);
    sar_body_def def = body_called("b");
    def.has_rotation = 1;
    def.rotation[0] = 1.00001;
    CHECK_REFUSED(m, sar_model_add_body(m, &def, NULL, &error), "rotation", "not a rotation");
    def.rotation[0] = -1;
    CHECK_REFUSED(m, sar_model_add_body(m, &def, NULL, &error), "rotation", "reflection");
    // Typed with seven digits: 30 degrees about x.
    double R[9] = {1, 0, 0, 0, 0.8660254, -0.5, 0, 0.5, 0.8660254};
    memcpy(def.rotation, R, sizeof R);
    CHECK_STATUS(sar_model_add_body(m, &def, NULL, NULL), SAR_OK);
    const double* got = m->bodies[1].def.rotation;
    for (int k = 0; k < 9; k++) CHECK_NEAR(got[k], R[k], 1e-7);
    CHECK_NEAR(got[4] * got[4] + got[5] * got[5], 1.0, 1e-15);
    CHECK_NEAR(got[4] * got[7] + got[5] * got[8], 0.0, 1e-15);
    def = body_called("c");
    memset(def.rotation, 0, sizeof def.rotation); // without has_rotation nobody looks at it
    def.position[0] = NAN;
    CHECK_STATUS(sar_model_add_body(m, &def, NULL, NULL), SAR_OK);
    CHECK(m->bodies[2].def.rotation[0] == 1 && m->bodies[2].def.position[0] == 0);
    sar_model_destroy(m);
}

TEST(planar_models_have_no_z)
{
    sar_model* m = two_bodies(2);
    sar_body_def def = body_called("b");
    def.center[2] = 1;
    CHECK_REFUSED(m, sar_model_add_body(m, &def, NULL, &error), "center", "planar");
    def = body_called("b"), def.has_position = 1, def.position[2] = 1;
    CHECK_REFUSED(m, sar_model_add_body(m, &def, NULL, &error), "position", "planar");
    def = body_called("b"), def.velocity[2] = 1;
    CHECK_REFUSED(m, sar_model_add_body(m, &def, NULL, &error), "velocity", "planar");
    def = body_called("b"), def.angular_velocity[0] = 1;
    CHECK_REFUSED(m, sar_model_add_body(m, &def, NULL, &error), "angular_velocity", "about z");
    def = body_called("b"), def.inertia[0] = 1;
    CHECK_REFUSED(m, sar_model_add_body(m, &def, NULL, &error), "inertia", "inertia[2]");
    def = body_called("b"), def.inertia[2] = -1;
    CHECK_REFUSED(m, sar_model_add_body(m, &def, NULL, &error), "inertia", "negative");
    def = body_called("b"), def.has_rotation = 1;
    double about_x[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};
    memcpy(def.rotation, about_x, sizeof about_x);
    CHECK_REFUSED(m, sar_model_add_body(m, &def, NULL, &error), "rotation", "about z");
    memcpy(def.rotation, Z90, sizeof Z90);
    CHECK_STATUS(sar_model_add_body(m, &def, NULL, NULL), SAR_OK);
    sar_model_set_gravity(m, (double[3]){0, -9.81, 5});
    CHECK(m->gravity[1] == -9.81 && m->gravity[2] == 0);
    double out[3] = {0, 1, 1};
    CHECK_REFUSED(m, sar_model_add_point(m, CRANK, "Q", out, &error), "point", "planar");
    CHECK_REFUSED(m, sar_model_add_axis(m, CRANK, "u", out, &error), "axis", "planar");
    sar_model_destroy(m);
}

TEST(points_and_axes_are_checked)
{
    sar_model* m = two_bodies(3);
    double v[3] = {3, 0, 4}, bad[3] = {0, NAN, 0}, zero[3] = {0};
    CHECK_REFUSED(m, sar_model_add_point(m, CRANK, "P", v, &error), "name",
                  "crank has a point \"P\" already");
    CHECK_REFUSED(m, sar_model_add_point(m, CRANK, "origin", v, &error), "name", "already");
    CHECK_REFUSED(m, sar_model_add_point(m, CRANK, "P-", v, &error), "name", "letters");
    CHECK_REFUSED(m, sar_model_add_point(m, CRANK, "Q", bad, &error), "point", "point[1]");
    CHECK_REFUSED(m, sar_model_add_point(m, (sar_body_id){3}, "Q", v, &error), "body", "no body 3");
    CHECK_REFUSED(m, sar_model_add_point(m, (sar_body_id){-1}, "Q", v, &error), "body", "no body");
    CHECK_REFUSED(m, sar_model_add_axis(m, CRANK, "x", v, &error), "name", "an axis \"x\" already");
    CHECK_REFUSED(m, sar_model_add_axis(m, CRANK, "u", zero, &error), "axis", "zero");
    CHECK_REFUSED(m, sar_model_add_axis(m, CRANK, "u", bad, &error), "axis", "not a finite");
    CHECK_REFUSED(m, sar_model_add_axis(m, CRANK, "9", v, &error), "name", "letters");
    CHECK_REFUSED(m, sar_model_add_axis(m, (sar_body_id){3}, "u", v, &error), "body", "no body 3");
    CHECK_STATUS(sar_model_add_axis(m, CRANK, "u", v, NULL), SAR_OK);
    double got[3];
    CHECK_STATUS(sar_model_find_axis(m, CRANK, "u", 1, got), SAR_OK);
    CHECK_NEAR(got[0], 0.6, 1e-16);
    CHECK_NEAR(got[2], 0.8, 1e-16);
    CHECK_STATUS(sar_model_add_point(m, ROD, "P", v, NULL), SAR_OK); // another body's P
    CHECK_STATUS(sar_model_add_point(m, SAR_GROUND, "O", v, NULL), SAR_OK);
    CHECK_STATUS(sar_model_find_point(m, SAR_GROUND, "O", 1, got), SAR_OK);
    CHECK(got[0] == 3 && got[2] == 4);
    sar_model_destroy(m);
}

TEST(parameters_are_checked_and_replaced)
{
    static const char* const words[] = {"t",   "x",   "v",    "pi",  "e",      "inf",
                                        "and", "sin", "step", "not", "energy", "ground"};
    sar_model* m = sar_model_create("m", 2);
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        CHECK_REFUSED(m, sar_model_set_parameter(m, words[k], 1, &error), "name",
                      "a parameter cannot be called");
    CHECK_REFUSED(m, sar_model_set_parameter(m, "L-1", 1, &error), "name", "letters");
    CHECK_REFUSED(m, sar_model_set_parameter(m, "L", NAN, &error), "value", "not a finite");
    CHECK_STATUS(sar_model_set_parameter(m, "L", 1, NULL), SAR_OK);
    CHECK_STATUS(sar_model_add_output(m, "before", "L", NULL), SAR_OK);
    CHECK_STATUS(sar_model_set_parameter(m, "L", 2, NULL), SAR_OK);
    CHECK_STATUS(sar_model_add_output(m, "after", "L", NULL), SAR_OK);
    CHECK(m->parameters_count == 1);
    CHECK_NEAR(sari_expression_value(m->outputs[0].value, NULL), 1, 0);
    CHECK_NEAR(sari_expression_value(m->outputs[1].value, NULL), 2, 0);
    sar_model_destroy(m);
}

/* A quarter turn about z and a shift by (10, 20, 0): (x, y) goes to (10 - y, 20 + x). */
TEST(transform_moves_bodies_and_what_is_on_the_ground)
{
    sar_model* m = sar_model_create("m", 3);
    sar_model_set_gravity(m, (double[3]){0, -10, 0});
    CHECK_STATUS(sar_model_add_point(m, SAR_GROUND, "O", (double[3]){1, 2, 3}, NULL), SAR_OK);
    CHECK_STATUS(sar_model_add_axis(m, SAR_GROUND, "u", (double[3]){1, 0, 0}, NULL), SAR_OK);
    sar_body_def def = body_called("b");
    def.has_position = 1, def.position[0] = 1, def.velocity[0] = 2, def.angular_velocity[1] = 3;
    sar_body_id b;
    CHECK_STATUS(sar_model_add_body(m, &def, &b, NULL), SAR_OK);
    sar_joint_def pin = sar_joint_def_default();
    pin.name = "pin", pin.b.body = b, pin.a.point[1] = 2, pin.b.point[1] = 2;
    CHECK_STATUS(sar_model_add_joint(m, &pin, NULL, NULL), SAR_OK);
    CHECK_STATUS(sar_model_add_output(m, "o", "ground.O.x - b.origin.x", NULL), SAR_OK);
    sar_spring_def spring = sar_spring_def_default();
    spring.name = "spring", spring.b.body = b, spring.a.point[0] = spring.b.point[0] = 4;
    CHECK_STATUS(sar_model_add_spring(m, &spring, NULL), SAR_OK);
    sar_bushing_def bushing = sar_bushing_def_default();
    bushing.name = "bushing", bushing.a.body = b, bushing.b.point[0] = bushing.a.point[0] = 5;
    CHECK_STATUS(sar_model_add_bushing(m, &bushing, NULL), SAR_OK);
    sar_load_def load = sar_load_def_default();
    load.name = "load", load.reaction = b, load.point[0] = 6, load.torque[0] = "1";
    CHECK_STATUS(sar_model_add_load(m, &load, NULL), SAR_OK);
    sar_drive_def jack = sar_drive_def_default();
    jack.name = "jack", jack.b.body = b, jack.a.point[0] = jack.b.point[0] = 7, jack.value = "t";
    CHECK_STATUS(sar_model_add_drive(m, &jack, NULL, NULL), SAR_OK);

    sar_model_transform(m, Z90, (double[3]){10, 20, 0});
    CHECK(m->gravity[0] == 10 && m->gravity[1] == 0);
    const sari_body* ground = &m->bodies[0];
    CHECK(ground->points[0].v[0] == 0 && ground->axes[0].v[0] == 1); // world origin and axes stay
    CHECK(ground->points[2].v[0] == 8 && ground->points[2].v[1] == 21 &&
          ground->points[2].v[2] == 3);
    CHECK(ground->axes[3].v[0] == 0 && ground->axes[3].v[1] == 1);
    const sar_body_def* moved = &m->bodies[1].def;
    CHECK(moved->position[0] == 10 && moved->position[1] == 21);
    CHECK(moved->velocity[1] == 2 && moved->angular_velocity[0] == -3);
    CHECK(memcmp(moved->rotation, Z90, sizeof Z90) == 0);
    const sar_joint_def* joint = &m->joints[0].pair;
    CHECK(joint->a.point[0] == 8 && joint->a.point[1] == 20 && joint->a.axis[2] == 1);
    CHECK(joint->a.normal[0] == 0 && joint->a.normal[1] == 1);
    CHECK(joint->b.point[0] == 0 && joint->b.point[1] == 2 && joint->b.normal[0] == 1);
    CHECK(m->signals[0].point[0] == 8 && m->signals[1].point[0] == 0);
    CHECK(spring_of(m, 0)->a.point[1] == 24 && spring_of(m, 0)->b.point[0] == 4);
    CHECK(bushing_of(m, 0)->a.point[0] == 5 && bushing_of(m, 0)->b.point[1] == 25);
    CHECK(bushing_of(m, 0)->a.axis[0] == 1 && bushing_of(m, 0)->b.axis[1] == 1);
    CHECK(load_of(m, 0)->point[0] == 10 && load_of(m, 0)->point[1] == 26);
    CHECK(m->joints[1].drive.a.point[1] == 27 && m->joints[1].drive.b.point[0] == 7);
    sar_model_destroy(m);
}

/* ---- an allocator that fails once ----------------------------------------------------------- */

static struct {
    long calls, fail_at, live;
} heap;

static void* failing_allocate(void* context, size_t bytes)
{
    (void)context;
    if (++heap.calls == heap.fail_at) return NULL;
    heap.live++;
    return calloc(1, bytes);
}

static void counting_release(void* context, void* memory)
{
    (void)context;
    heap.live -= memory != NULL;
    free(memory);
}

static sar_status add_crank(sar_model* m, sar_error* error)
{
    sar_body_def def = body_called("crank");
    def.mass = 1;
    return sar_model_add_body(m, &def, NULL, error);
}

static sar_status add_point(sar_model* m, sar_error* error)
{
    return sar_model_add_point(m, CRANK, "P", (double[3]){1, 0, 0}, error);
}

static sar_status add_axis(sar_model* m, sar_error* error)
{
    return sar_model_add_axis(m, CRANK, "u", (double[3]){1, 1, 0}, error);
}

static sar_status add_parameter(sar_model* m, sar_error* error)
{
    return sar_model_set_parameter(m, "k", 5, error);
}

static sar_status add_pin(sar_model* m, sar_error* error)
{
    sar_joint_def def = sar_joint_def_default();
    def.name = "pin", def.b.body = CRANK;
    return sar_model_add_joint(m, &def, NULL, error);
}

static sar_status add_second_pin(sar_model* m, sar_error* error)
{
    sar_joint_def def = sar_joint_def_default();
    def.name = "pin2", def.b.body = CRANK;
    return sar_model_add_joint(m, &def, NULL, error);
}

static sar_status add_gear(sar_model* m, sar_error* error)
{
    sar_coupling_def def = sar_coupling_def_default();
    def.name = "gear", def.terms = 2, def.joint[1].i = 1;
    def.coefficient[0] = def.coefficient[1] = 1;
    return sar_model_add_coupling(m, &def, NULL, error);
}

static sar_status add_drive(sar_model* m, sar_error* error)
{
    sar_drive_def def = sar_drive_def_default();
    def.name = "motor", def.joint.i = 0, def.value = "k*t";
    return sar_model_add_drive(m, &def, NULL, error);
}

static sar_status add_load(sar_model* m, sar_error* error)
{
    sar_load_def def = sar_load_def_default();
    def.name = "push", def.body = CRANK, def.force[0] = "k*crank.P.x", def.force[1] = "crank.P.vy";
    def.torque[2] = "sin(t)*pin.rate";
    return sar_model_add_load(m, &def, error);
}

static sar_status add_spring(sar_model* m, sar_error* error)
{
    sar_spring_def def = sar_spring_def_default();
    def.name = "spring", def.b.body = CRANK, def.force = "x*v + crank.P.y";
    def.table_length = 2, def.table_x = (double[]){0, 1}, def.table_f = (double[]){0, 5};
    return sar_model_add_spring(m, &def, error);
}

static sar_status add_bushing(sar_model* m, sar_error* error)
{
    sar_bushing_def def = sar_bushing_def_default();
    def.name = "bushing", def.b.body = CRANK;
    return sar_model_add_bushing(m, &def, error);
}

static sar_status add_table(sar_model* m, sar_error* error)
{
    sar_table_def def = sar_table_def_default();
    def.name = "road", def.length = 4, def.interpolation = SAR_INTERPOLATION_CUBIC;
    def.x = (double[]){0, 1, 2, 3}, def.y = (double[]){0, 5, 1, 2};
    return sar_model_add_table(m, &def, error);
}

static sar_status add_tyre(sar_model* m, sar_error* error)
{
    sar_tyre_def def = sar_tyre_def_default();
    def.name = "tyre", def.body = CRANK, def.radius = 1, def.stiffness = 5;
    def.road = "road(x)", def.along = "x + k*t";
    return sar_model_add_tyre(m, &def, error);
}

static sar_status add_breakpoint(sar_model* m, sar_error* error)
{
    return sar_model_add_breakpoint(m, 3, error);
}

static sar_status add_constraint(sar_model* m, sar_error* error)
{
    sar_constraint_def def = sar_constraint_def_default();
    def.name = "edge", def.velocity = "cos(k*crank.angle)*crank.P.vy - crank.rate";
    return sar_model_add_constraint(m, &def, NULL, error);
}

static sar_status add_integral(sar_model* m, sar_error* error)
{
    return sar_model_add_integral(m, "i", "spring.speed^2", "spring.length", error);
}

static sar_status add_output(sar_model* m, sar_error* error)
{
    return sar_model_add_output(m, "o", "pin.angle + k*crank.P.ax", error);
}

static sar_status add_start(sar_model* m, sar_error* error)
{
    return sar_model_add_start(m, "crank.origin.vx", 1, error);
}

/// Every kind of part. A step that fails for want of memory is tried again, which must then work.
static sar_model* build_stubbornly(void)
{
    static sar_status (*const steps[])(sar_model*, sar_error*) = {
        add_crank, add_point,      add_axis,   add_parameter, add_pin,     add_second_pin,
        add_gear,  add_drive,      add_load,   add_spring,    add_bushing, add_table,
        add_tyre,  add_breakpoint, add_output, add_integral,  add_start,   add_constraint};
    sar_model* m = sar_model_create("m", 2);
    if (!m) m = sar_model_create("m", 2);
    CHECK(m != NULL);
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
        sar_error error = {0};
        int before = parts(m);
        sar_status status = steps[k](m, &error);
        if (status == SAR_OK) continue;
        CHECK_STATUS(status, SAR_E_NOMEM);
        CHECK_STATUS(error.status, SAR_E_NOMEM);
        CHECK(parts(m) == before);
        CHECK_STATUS(steps[k](m, &error), SAR_OK);
    }
    return m;
}

TEST(any_allocation_may_fail_and_nothing_changes_or_leaks)
{
    const sar_allocator allocator = {failing_allocate, counting_release, NULL};
    sar_set_allocator(&allocator);
    memset(&heap, 0, sizeof heap);
    sar_model* whole = build_stubbornly();
    long calls = heap.calls;
    int wanted = parts(whole);
    sar_model_destroy(whole);
    CHECK(heap.live == 0);
    CHECK(calls > 40);
    for (long n = 1; n <= calls; n++) {
        memset(&heap, 0, sizeof heap);
        heap.fail_at = n;
        sar_model* m = build_stubbornly();
        CHECK(heap.calls >= calls); // the n-th did fail, and was made up for
        CHECK(parts(m) == wanted);
        sar_model_destroy(m);
        CHECK(heap.live == 0);
    }
    sar_set_allocator(NULL);
}

/// Messages with a suggestion look for it in temporary memory: without it there is no suggestion.
TEST(without_memory_for_a_suggestion_the_message_does_without)
{
    sar_model* m = two_bodies(2);
    const sar_allocator allocator = {failing_allocate, counting_release, NULL};
    memset(&heap, 0, sizeof heap);
    heap.fail_at = 1;
    sar_set_allocator(&allocator);
    sar_error error = {0};
    CHECK_STATUS(sar_model_add_start(m, "crnk.angle", 0, &error), SAR_E_MODEL);
    CHECK_TEXT(error.message, "no body or joint is called \"crnk\"");
    CHECK(heap.live == 0);
    sar_set_allocator(NULL);
    sar_model_destroy(m);
}
