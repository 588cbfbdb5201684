/* States of self-stress and the split of reactions, against elastic solutions that are found here by themselves. */
#include "reader_fixture.h"

#include "sarrus/analysis.h"

typedef struct held {
    sar_model* model;
    sar_simulation* simulation;
    sar_self_stress* stress;
} held;

static held start(const char* text, const char* coordinates)
{
    held h = {.model = parse_with(text, NULL, 0)};
    sar_error error = {0};
    sar_options options = sar_options_default();
    CHECK_STATUS(sar_options_set(&options, "coordinates", coordinates, &error), SAR_OK);
    CHECK_STATUS(sar_simulation_create(h.model, &options, &h.simulation, &error), SAR_OK);
    CHECK_STATUS(sar_simulation_assemble(h.simulation, NULL), SAR_OK);
    CHECK_STATUS(sar_self_stress_create(h.simulation, &h.stress, &error), SAR_OK);
    return h;
}

static void end(held* h)
{
    sar_self_stress_destroy(h->stress);
    sar_simulation_destroy(h->simulation);
    sar_model_destroy(h->model);
}

static const char* const COORDINATES[] = {"natural", "cartesian", "increments", "relative"};
enum { TYPES = sizeof COORDINATES / sizeof *COORDINATES };

static const char TABLE[] =
    HEAD3 "parameters: {a: 0.5, b: 0.3}\n"
          "bodies: {top: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], points: {l1: [a, b, "
          "0], l2: [-a, b, 0], "
          "l3: [-a, -b, 0], l4: [a, -b, 0], load: [0.2, 0.1, 0]}}}\n"
          "joints:\n"
          "  leg1: {type: point-on-plane, between: [ground.origin, top.l1], axis: [0, 0, 1]}\n"
          "  leg2: {type: point-on-plane, between: [ground.origin, top.l2], axis: [0, 0, 1]}\n"
          "  leg3: {type: point-on-plane, between: [ground.origin, top.l3], axis: [0, 0, 1]}\n"
          "  leg4: {type: point-on-plane, between: [ground.origin, top.l4], axis: [0, 0, 1]}\n"
          "forces: {load: {type: force, acts_on: top.load, force: [0, 0, -100]}}\n";

/* A rigid top on springs k: sinks by u + x p - y q, so that legs carry k times that; 3 equations. */
static void elastic_table(const double k[4], double out[4])
{
    const double x[4] = {0.5, -0.5, -0.5, 0.5}, y[4] = {0.3, 0.3, -0.3, -0.3};
    double A[3][4] = {{0, 0, 0, 100}, {0, 0, 0, 100 * 0.2}, {0, 0, 0, 100 * 0.1}};
    for (int i = 0; i < 4; i++) {
        const double g[3] = {1, x[i], y[i]};
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) A[r][c] += k[i] * g[r] * g[c];
    }
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) {
            const double f = r == c ? 0.0 : A[r][c] / A[c][c];
            for (int j = 0; j < 4 && r != c; j++) A[r][j] -= f * A[c][j];
        }
    for (int i = 0; i < 4; i++)
        out[i] = k[i] * (A[0][3] / A[0][0] + x[i] * A[1][3] / A[1][1] + y[i] * A[2][3] / A[2][2]);
}

TEST(legs_of_a_table_share_the_load)
{
    const double stiffness[2][4] = {{1e6, 1e6, 1e6, 1e6}, {1e6, 2e6, 3e6, 4e6}};
    for (int c = 0; c < TYPES; c++) {
        held h = start(TABLE, COORDINATES[c]);
        CHECK(sar_self_stress_count(h.stress) == 1);
        for (int set = 0; set < 2; set++) {
            sar_compliance compliance[4] = {0};
            double force[12], torque[12], wanted[4];
            for (int j = 0; j < 4; j++)
                for (int i = 0; i < 3; i++)
                    compliance[j].displacement[i] = compliance[j].rotation[i] =
                        1 / stiffness[set][j];
            CHECK_STATUS(sar_self_stress_split(h.stress, compliance, force, torque, NULL), SAR_OK);
            elastic_table(stiffness[set], wanted);
            for (int j = 0; j < 4; j++) CHECK_NEAR(force[3 * j + 2], wanted[j], 1e-10);
        }
        for (int j = 0; j < 4; j++) {
            sar_uniqueness u;
            CHECK_STATUS(sar_self_stress_uniqueness(h.stress, (sar_joint_id){j}, &u), SAR_OK);
            CHECK(u.directions == 1 && u.force[0] && u.force[1] && !u.force[2]);
            CHECK(u.torque[0] && u.torque[1] && u.torque[2]);
        }
        end(&h);
    }
}

static const char DOOR[] =
    HEAD3 "bodies: {door: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], points: {low: [0, 0, "
          "0], load: [0.45, 0, 0]}}}\n"
          "joints:\n"
          "  low: {type: revolute, between: [ground.origin, door.low], axis: [0, 0, 1]}\n"
          "  high: {type: revolute, between: [ground, door], at: [0, 0, 1.7], axis: [0, 0, 1]}\n"
          "forces: {load: {type: force, acts_on: door.load, force: [0, 0, -200]}}\n";

/* Hinges that are soft against rotation push by F w/h; vertically they share by their stiffness. */
TEST(hinges_of_a_door_share_the_load)
{
    for (int c = 0; c < TYPES; c++) {
        held h = start(DOOR, COORDINATES[c]);
        CHECK(sar_self_stress_count(h.stress) == 5);
        for (int j = 0; j < 2; j++) {
            sar_uniqueness u;
            CHECK_STATUS(sar_self_stress_uniqueness(h.stress, (sar_joint_id){j}, &u), SAR_OK);
            CHECK(u.directions == 5 && !u.force[0] && !u.force[1] && !u.force[2]);
            CHECK(!u.torque[0] && !u.torque[1] && u.torque[2]);
        }
        sar_compliance soft[2];
        double force[6], torque[6], left;
        for (int j = 0; j < 2; j++)
            for (int i = 0; i < 3; i++) soft[j].displacement[i] = 1e-6, soft[j].rotation[i] = 1e3;
        soft[0].displacement[2] = 1e-3;
        CHECK_STATUS(sar_self_stress_split(h.stress, soft, force, torque, NULL), SAR_OK);
        CHECK_NEAR(force[0], 200 * 0.45 / 1.7, 1e-6);
        CHECK_NEAR(force[3], -200 * 0.45 / 1.7, 1e-6);
        CHECK_NEAR(force[2], 200.0 / 1001, 1e-8);
        CHECK_NEAR(force[5], 200.0 * 1000 / 1001, 1e-8);
        for (int i = 0; i < 3; i++) soft[0].displacement[i] = soft[0].rotation[i] = INFINITY;
        CHECK_STATUS(sar_self_stress_split(h.stress, soft, force, torque, &left), SAR_OK);
        CHECK(left < 1e-9);
        CHECK_NEAR(force[5], 200, 1e-9);
        for (int i = 0; i < 3; i++) soft[1].displacement[i] = soft[1].rotation[i] = INFINITY;
        CHECK_STATUS(sar_self_stress_split(h.stress, soft, force, torque, &left), SAR_OK);
        CHECK(left > 50); // both are needed
        end(&h);
    }
}

/* In a state of self-stress alone every body is in balance. */
TEST(states_are_in_balance)
{
    held h = start(DOOR, "relative");
    for (int k = 0; k < sar_self_stress_count(h.stress); k++) {
        double sum[3] = {0}, moment[3] = {0}, largest = 0;
        for (int j = 0; j < 2; j++) {
            double f[3], t[3];
            const double z = j ? 1.7 : 0.0;
            CHECK_STATUS(sar_self_stress_joint(h.stress, k, (sar_joint_id){j}, f, t), SAR_OK);
            for (int i = 0; i < 3; i++)
                sum[i] += f[i], moment[i] += t[i], largest = fmax(largest, fabs(f[i]));
            moment[0] -= z * f[1], moment[1] += z * f[0];
        }
        for (int i = 0; i < 3; i++) CHECK(fabs(sum[i]) < 1e-12 && fabs(moment[i]) < 1e-12);
        CHECK(largest <= 1 + 1e-12);
    }
    double f[3], t[3];
    CHECK_STATUS(sar_self_stress_joint(h.stress, 5, (sar_joint_id){0}, f, t), SAR_E_ARG);
    CHECK_STATUS(sar_self_stress_joint(h.stress, 0, (sar_joint_id){2}, f, t), SAR_E_ARG);
    end(&h);
}
