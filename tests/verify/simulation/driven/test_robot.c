/* Inverse dynamics of a robot with six joints, the PUMA 560 [armstrong1986], built from its
 * Denavit-Hartenberg parameters, against torques that others published for it [corke1996]. In all
 * coordinates. */
#include "problem_run.h"

#include "sarrus/motion.h"

enum { AXES = 6 };
static const double PI = 3.14159265358979323846;

/* As printed, no body has the inertia of the third link (0.086 is more than 0.066 + 0.0125). A thin
 * rod along the axis between two links belongs to either of them, whose motions about all other
 * axes are one: it goes from the second to the third. */
#define ROD 0.01

/// Rot_z(q) Trans_z(d) Trans_x(a) Rot_x(alpha); masses and inertias in the link's frame.
static const struct link {
    double d, a, alpha, mass, center[3], inertia[3];
    double motor, gear; ///< rotor inertia and transmission
} links[AXES] = {
    // the first link turns about its y axis only: its mass and the other inertias move nothing
    {0, 0, 0.5, 13, {0, 0, 0}, {0.35, 0.35, 0.35}, 200e-6, -62.6111},
    {0,
     0.4318,
     0,
     17.4,
     {-0.3638, 0.006, 0.2275},
     {0.13 - ROD, 0.524 - ROD, 0.539},
     200e-6,
     107.815},
    {0.15005,
     0.0203,
     -0.5,
     4.8,
     {-0.0203, -0.0141, 0.070},
     {0.066 + ROD, 0.086, 0.0125 + ROD},
     200e-6,
     -53.7063},
    {0.4318, 0, 0.5, 0.82, {0, 0.019, 0}, {1.8e-3, 1.3e-3, 1.8e-3}, 33e-6, 76.0364},
    {0, 0, -0.5, 0.34, {0, 0, 0}, {0.3e-3, 0.4e-3, 0.3e-3}, 33e-6, 71.923},
    {0, 0, 0, 0.09, {0, 0, 0.032}, {0.15e-3, 0.15e-3, 0.04e-3}, 33e-6, 76.686},
};

static const double nominal[AXES] = {0, 0.25, 1, 0, 0.25, 0}; ///< in units of pi

/// Pose of the next link: T = T A(q), with R row-major.
static void go_on(double R[9], double p[3], const struct link* l, double q)
{
    double c = cos(q), s = sin(q), ca = cos(PI * l->alpha), sa = sin(PI * l->alpha);
    const double A[9] = {c, -s * ca, s * sa, s, c * ca, -c * sa, 0, sa, ca};
    const double b[3] = {l->a * c, l->a * s, l->d};
    double next[9] = {0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            p[i] += R[3 * i + k] * b[k];
            for (int j = 0; j < 3; j++) next[3 * i + j] += R[3 * i + k] * A[3 * k + j];
        }
    memcpy(R, next, sizeof next);
}

static sar_joint_id add_link(sar_model* m, int k, sar_body_id before, const double R[9],
                             const double p[3], sar_body_id* out)
{
    char name[16];
    sar_error error = {0};
    const struct link* l = &links[k];
    sar_body_def body = sar_body_def_default();
    snprintf(name, sizeof name, "link%d", k + 1);
    body.name = name, body.mass = l->mass;
    memcpy(body.center, l->center, sizeof l->center);
    memcpy(body.inertia, l->inertia, sizeof l->inertia);
    memcpy(body.position, p, sizeof body.position);
    memcpy(body.rotation, R, sizeof body.rotation);
    body.has_position = body.has_rotation = 1;
    if (sar_model_add_body(m, &body, out, &error) != SAR_OK) fail_msg("%s", error.message);
    sar_joint_def pin = sar_joint_def_default();
    double c = cos(PI * l->alpha), s = sin(PI * l->alpha);
    snprintf(name, sizeof name, "axis%d", k + 1);
    pin.name = name, pin.a.body = before, pin.b.body = *out;
    pin.a.axis[0] = 0, pin.a.axis[1] = 0, pin.a.axis[2] = 1, pin.a.normal[0] = 1;
    // the axis before and its origin, seen from the link's own frame at its other end
    pin.b.axis[0] = 0, pin.b.axis[1] = s, pin.b.axis[2] = c, pin.b.normal[0] = 1;
    pin.b.point[0] = -l->a, pin.b.point[1] = -l->d * s, pin.b.point[2] = -l->d * c;
    sar_joint_id joint;
    if (sar_model_add_joint(m, &pin, &joint, &error) != SAR_OK) fail_msg("%s", error.message);
    return joint;
}

/// The robot at its nominal position with drives that give it these rates and accelerations.
static sar_model* robot(double gravity, const double rate[AXES], const double acceleration[AXES],
                        sar_joint_id drive[AXES])
{
    double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, p[3] = {0};
    sar_model* m = sar_model_create("robot", 3);
    sar_body_id before = SAR_GROUND;
    sar_model_set_gravity(m, (double[3]){0, 0, -gravity});
    for (int k = 0; k < AXES; k++) {
        char name[32], value[128];
        sar_error error = {0};
        go_on(R, p, &links[k], PI * nominal[k]);
        sar_drive_def def = sar_drive_def_default();
        def.joint = add_link(m, k, before, R, p, &before);
        snprintf(name, sizeof name, "motor%d", k + 1);
        snprintf(value, sizeof value, "%.17g + (%.17g)*t + (%.17g)*t^2", PI * nominal[k], rate[k],
                 0.5 * acceleration[k]);
        def.name = name, def.coordinate = SAR_COORD_ANGLE, def.value = value;
        if (sar_model_add_drive(m, &def, &drive[k], &error) != SAR_OK)
            fail_msg("%s", error.message);
    }
    return m;
}

static const double none[AXES] = {0};

/// Torques of the links, and with `motors` of their rotors too, at the nominal position.
static void torques(const char* coordinates, double gravity, const double* rate,
                    const double* acceleration, int motors, double out[AXES])
{
    sar_joint_id drive[AXES];
    sar_error error = {0};
    sar_motion* motion;
    sar_model* m = robot(gravity, rate, acceleration, drive);
    sar_options o = sar_options_default();
    snprintf(o.coordinates, sizeof o.coordinates, "%s", coordinates);
    if (sar_motion_create(m, &o, &motion, &error) != SAR_OK) fail_msg("%s", error.message);
    if (sar_motion_assemble(motion, NULL) != SAR_OK)
        fail_msg("%s: %s", coordinates, sar_motion_failure(motion));
    for (int k = 0; k < AXES; k++) {
        CHECK_STATUS(sar_motion_drive_force(motion, drive[k], &out[k]), SAR_OK);
        if (motors) out[k] += links[k].motor * links[k].gear * links[k].gear * acceleration[k];
    }
    sar_motion_destroy(motion);
    sar_model_destroy(m);
}

static void check(const char* coordinates, const char* what, const double* got,
                  const double* printed)
{
    for (int k = 0; k < AXES; k++)
        if (!(fabs(got[k] - printed[k]) <= 0.5e-4 + 1e-9))
            fail_msg("%s, %s, axis %d: %.6f, printed %.4f", coordinates, what, k + 1, got[k],
                     printed[k]);
}

TEST(torques_are_the_published_ones)
{
    static const double weight[AXES] = {0, 31.6399, 6.0351, 0, 0.0283, 0};
    static const double push[AXES] = {1, 2, 3, 1, 2, 3};
    static const double inertial[AXES] = {3.1500, 9.4805, 3.6189, 0.1901, 0.3519, 0.5823};
    const char* coordinates;
    for (int c = 0; (coordinates = axis_member(SAR_AXIS_COORDINATES, c)); c++) {
        double got[AXES];
        torques(coordinates, 9.81, none, none, 1, got);
        check(coordinates, "gravity", got, weight);
        torques(coordinates, 0, none, push, 1, got);
        check(coordinates, "inertia", got, inertial);
    }
}

TEST(the_inertia_matrix_is_the_published_one)
{
    static const double printed[3][AXES] = {{3.6594, -0.4044, 0.1006, -0.0025, 0, 0},
                                            {-0.4044, 4.4137, 0.3509, 0, 0.0024, 0},
                                            {0.1006, 0.3509, 0.9378, 0, 0.0015, 0}};
    static const double diagonal[AXES] = {3.6594, 4.4137, 0.9378, 0.1925, 0.1713, 0.1941};
    const char* coordinates;
    for (int c = 0; (coordinates = axis_member(SAR_AXIS_COORDINATES, c)); c++) {
        double M[AXES][AXES];
        for (int k = 0; k < AXES; k++) {
            double unit[AXES] = {0};
            unit[k] = 1;
            torques(coordinates, 0, none, unit, 1, M[k]);
            CHECK_NEAR(M[k][k], diagonal[k], 0.5e-4);
            if (k < 3) check(coordinates, "row", M[k], printed[k]);
        }
        for (int i = 0; i < AXES; i++)
            for (int j = 0; j < i; j++) CHECK_NEAR(M[i][j], M[j][i], 1e-9);
    }
}

/* Accelerations that torques cause, published for a moving robot with friction in its motors,
 * viscous and dry: the torques come back. */
TEST(torques_of_a_moving_robot_come_back)
{
    static const double rate[AXES] = {0.1, 0.2, 0.8, 0.2, 0.5, 1};
    static const double acceleration[AXES] = {-7.4102, -9.8432, -10.9694,
                                              -4.4314, -0.9881, 21.0228};
    static const double given[AXES] = {1, 3.2, 1.8, 0.1, 0.7, 4.6};
    static const double viscous[AXES] = {1.48e-3, 0.817e-3, 1.38e-3, 71.2e-6, 82.6e-6, 36.7e-6};
    static const double dry[AXES] = {0.395, 0.126, 0.132, 11.2e-3, 9.26e-3, 3.96e-3};
    const char* coordinates;
    for (int c = 0; (coordinates = axis_member(SAR_AXIS_COORDINATES, c)); c++) {
        double got[AXES];
        torques(coordinates, 9.81, rate, acceleration, 1, got);
        for (int k = 0; k < AXES; k++) { // to the digits of the accelerations
            double gear = fabs(links[k].gear);
            double friction = gear * (gear * viscous[k] * rate[k] + dry[k]);
            CHECK_NEAR(got[k] + friction, given[k], 0.5e-4 * 6);
        }
    }
}
