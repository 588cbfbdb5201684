/* Admissible and constrained velocities against what can be said of them by hand. */
#include "problem_run.h"

/* Velocities of P and Q of a slider-crank along v: (xP', yP', xQ'). */
static void points_of(const problem_run* run, const double* v, double out[3])
{
    double rates[MOST_OUTPUTS];
    sar_simulation_output_rates(run->simulation, v, rates);
    for (int k = 0; k < sar_model_outputs(run->model); k++) {
        const char* name = sar_model_output_name(run->model, k);
        if (strcmp(name, "xP") == 0) out[0] = rates[k];
        if (strcmp(name, "yP") == 0) out[1] = rates[k];
        if (strcmp(name, "xQ") == 0) out[2] = rates[k];
    }
}

static double kinetic(const problem_run* run, const double* v, const double* w)
{
    // two rods of 1 m, 1 kg: x'Mx by the matrix of the points
    double a[3], b[3];
    points_of(run, v, a);
    points_of(run, w, b);
    return 2.0 / 3 * (a[0] * b[0] + a[1] * b[1]) + (a[0] * b[2] + a[2] * b[0]) / 6 +
           a[2] * b[2] / 3;
}

/* All of an assembled velocity is admissible, and the rank is that of the run, which has more of it when it
 * leaves a singular start. */
TEST(an_assembled_velocity_is_admissible)
{
    static const char* const MODEL[] = {PROBLEM("slider-crank-1"), PROBLEM("slider-crank-singular"),
                                        PROBLEM("n-four-bar"), PROBLEM("andrews")};
    for (size_t k = 0; k < sizeof MODEL / sizeof *MODEL; k++)
        for (int c = 0; c < 2; c++) {
            problem_run run;
            sar_subspaces s;
            char options[64];
            snprintf(options, sizeof options, "coordinates=%s", COORDINATES[c]);
            problem_start(&run, MODEL[k], NULL, options);
            CHECK_STATUS(sar_simulation_subspaces(run.simulation, 0.0, &s), SAR_OK);
            sar_rank rank = sar_simulation_rank(run.simulation);
            const int lost = s.singular ? s.dof - s.branch[0].dimension : 0;
            CHECK(s.rank + lost == rank.rank && s.dof - lost == rank.dof);
            CHECK(s.singular_values ==
                  (s.coordinates < s.constraints ? s.coordinates : s.constraints));
            for (int i = 1; i < s.singular_values; i++)
                CHECK(s.singular_value[i] <= s.singular_value[i - 1]);
            double energy = sar_simulation_energy(run.simulation).kinetic;
            CHECK_NEAR(s.admissible_energy, energy, 1e-9 * (1 + energy)); // an assembled start
            CHECK_AT_MOST(s.constrained_energy, 1e-16 * (1 + energy));
            problem_free(&run);
        }
}

TEST(admissible_velocities_have_unit_kinetic_energy_and_right_angles)
{
    for (int c = 0; c < 2; c++) {
        problem_run run;
        sar_subspaces s;
        char options[64];
        snprintf(options, sizeof options, "coordinates=%s", COORDINATES[c]);
        problem_start(&run, PROBLEM("slider-crank-singular"), NULL, options);
        CHECK_STATUS(sar_simulation_subspaces(run.simulation, 0.0, &s), SAR_OK);
        CHECK(s.dof == 2);
        const double *a = s.admissible, *b = s.admissible + s.coordinates;
        CHECK_NEAR(kinetic(&run, a, a), 1.0, 1e-12);
        CHECK_NEAR(kinetic(&run, b, b), 1.0, 1e-12);
        CHECK_NEAR(kinetic(&run, a, b), 0.0, 1e-12);
        double p[3];
        points_of(&run, a, p); // the constraints leave yP no velocity
        CHECK_NEAR(p[1], 0.0, 1e-12);
        problem_free(&run);
    }
}

/* [gonzalez2016, (40)]: (xP, yP, xQ)' = eta1 (1, 0, 2) + eta2 (1, 0, 0), in any coordinates. */
TEST(slider_crank_has_two_branches_in_its_singular_configuration)
{
    static const double ETA2[] = {0.0, 0.5, -1.0, 3.0};
    for (int k = 0; k < 8; k++) {
        problem_run run;
        sar_subspaces s;
        char options[64], parameters[64];
        double eta1 = -2.0, eta2 = ETA2[k / 2], sum[3] = {0}, p[3];
        snprintf(options, sizeof options, "best-effort=1 coordinates=%s", COORDINATES[k % 2]);
        snprintf(parameters, sizeof parameters, "eta1=%g eta2=%g", eta1, eta2);
        problem_start(&run, PROBLEM("slider-crank-singular"), parameters, options);
        CHECK_STATUS(sar_simulation_subspaces(run.simulation, 0.0, &s), SAR_OK);
        CHECK(s.singular && s.dof == 2 && s.branches == 2);
        for (int b = 0; b < 2; b++) {
            const sar_branch* branch = &s.branch[b];
            CHECK(branch->dimension == 1);
            points_of(&run, branch->basis, p);
            int pendulum = fabs(p[2]) < 1e-9 * fabs(p[0]);
            CHECK_NEAR(p[1], 0.0, 1e-9);
            if (!pendulum) CHECK_NEAR(p[2], 2 * p[0], 1e-9);
            CHECK_NEAR(branch->eta * p[0], pendulum ? eta2 : eta1, 1e-9);
            CHECK_NEAR(kinetic(&run, branch->basis, branch->basis), 1.0, 1e-12);
            for (int i = 0; i < 3; i++) sum[i] += branch->eta * p[i];
        }
        CHECK_NEAR(sum[0], eta1 + eta2, 1e-9);
        CHECK_NEAR(sum[2], 2 * eta1, 1e-9);
        if (eta2 == 0.0) CHECK_NEAR(s.branch[0].share, 1.0, 1e-12);
        CHECK(s.branch[0].share >= s.branch[1].share);
        problem_free(&run);
    }
}

/* All cranks level: y1, y3, y5 are free. By the second derivatives of the lengths y1 (y3 - y1) = 0
 * and y3 (y5 - y3) = 0, so the motions are (1, 1, 1), (0, 1, 1) and (0, 0, 1). */
TEST(four_bars_have_one_branch_more_than_loops)
{
    for (int n = 1; n <= 4; n++) {
        problem_run run;
        sar_subspaces s;
        char* text = problem_text(PROBLEM("n-four-bar"));
        CHECK(problem_replace(&text, "angle: pi/2 - lean", "angle: 0") == 1);
        CHECK(problem_replace(&text, "[(i - 1)*L + L*sin(lean), L*cos(lean)]", "[i*L, 0]") == 1);
        CHECK(problem_replace(&text, "[speed*cos(lean), -speed*sin(lean)]", "[0, -speed]") == 1);
        char count[16];
        snprintf(count, sizeof count, "n: %d ", n);
        CHECK(problem_replace(&text, "n: 2 ", count) == 1);
        problem_parse(&run, text);
        free(text);
        problem_create(&run, "end=1");
        CHECK_STATUS(sar_simulation_assemble(run.simulation, NULL), SAR_OK);
        CHECK_STATUS(sar_simulation_subspaces(run.simulation, 0.0, &s), SAR_OK);
        CHECK(s.dof == n + 1);
        CHECK(s.branches == n + 1);
        CHECK_NEAR(s.branch[0].share, 1.0, 1e-9);
        for (int b = 0; b < s.branches; b++) {
            // crank i turns by 0 up to some crank, and all alike from there on
            double velocity[3], w[3], last = 0.0;
            for (int i = 0; i <= n; i++) {
                char name[32];
                snprintf(name, sizeof name, "crank%d", i);
                sar_body_id body;
                CHECK_STATUS(sar_model_find_body(run.model, name, strlen(name), &body), SAR_OK);
                sar_simulation_velocity_along(run.simulation, s.branch[b].basis, body, velocity, w);
                double rate = w[2];
                CHECK(fabs(last) < 1e-6 || fabs(rate - last) < 1e-6);
                last = rate;
            }
            CHECK(fabs(last) > 1e-3);
        }
        problem_free(&run);
    }
}

TEST(regular_positions_have_one_branch)
{
    static const char* const MODEL[] = {PROBLEM("slider-crank-1"), PROBLEM("bricard"),
                                        PROBLEM("four-bar"), PROBLEM("spatial-double-pendulum"),
                                        TEST_MODEL("slider-crank-spatial")};
    for (size_t k = 0; k < sizeof MODEL / sizeof *MODEL; k++)
        for (int c = 0; c < 2; c++) {
            problem_run run;
            sar_subspaces s;
            char options[64];
            snprintf(options, sizeof options, "coordinates=%s", COORDINATES[c]);
            problem_start(&run, MODEL[k], NULL, options);
            CHECK_STATUS(sar_simulation_subspaces(run.simulation, 0.0, &s), SAR_OK);
            if (s.singular || s.branches != 1 || s.branch[0].dimension != s.dof)
                fail_msg("%s %s: singular %d, %d branches", MODEL[k], COORDINATES[c], s.singular,
                         s.branches);
            problem_free(&run);
        }
}

/* Two rods in a line between fixed pins can bend a little, but nowhere to. */
TEST(a_dead_position_has_no_branch)
{
    problem_run run;
    sar_subspaces s;
    problem_parse(&run, "sarrus: 1\nname: dead\ndimension: 2\n"
                        "ground: {points: {B: [2, 0]}}\n"
                        "bodies:\n"
                        "  a: {mass: 1, inertia: 1, position: [0, 0], points: {P: [1, 0]}}\n"
                        "  b: {mass: 1, inertia: 1, position: [1, 0], points: {Q: [1, 0]}}\n"
                        "joints:\n"
                        "  A: {type: revolute, between: [ground.origin, a.origin]}\n"
                        "  P: {type: revolute, between: [a.P, b.origin]}\n"
                        "  Q: {type: revolute, between: [b.Q, ground.B]}\n");
    problem_create(&run, "end=1");
    CHECK_STATUS(sar_simulation_assemble(run.simulation, NULL), SAR_OK);
    CHECK_STATUS(sar_simulation_subspaces(run.simulation, 0.0, &s), SAR_OK);
    CHECK(s.dof == 1 && s.singular && s.branches == 0);
    problem_free(&run);
}

/* A pendulum on P: two degrees of freedom in general, three here, and two branches of two. */
TEST(branches_may_have_two_degrees_of_freedom)
{
    problem_run run;
    sar_subspaces s;
    char* text = problem_text(PROBLEM("slider-crank-singular"));
    CHECK(problem_replace(&text, "joints:\n",
                          "  bob: {mass: 1, inertia: 0.1, center: [0, -0.3], position: [0, L]}\n\n"
                          "joints:\n"
                          "  B: {type: revolute, between: [crank.P, bob.origin]}\n") == 1);
    problem_parse(&run, text);
    free(text);
    problem_create(&run, "end=1");
    CHECK_STATUS(sar_simulation_assemble(run.simulation, NULL), SAR_OK);
    CHECK_STATUS(sar_simulation_subspaces(run.simulation, 0.0, &s), SAR_OK);
    CHECK(s.dof == 3 && s.branches == 2);
    for (int b = 0; b < 2; b++) {
        CHECK(s.branch[b].dimension == 2);
        CHECK(isnan(s.branch[b].eta)); // two planes share a line: no components
        double ratio = NAN, p[3];
        for (int d = 0; d < 2; d++) {
            points_of(&run, s.branch[b].basis + d * s.coordinates, p);
            if (fabs(p[0]) > 1e-6) ratio = p[2] / p[0];
        }
        CHECK_NEAR(ratio * (ratio - 2.0), 0.0, 1e-6); // 0 or 2
    }
    CHECK_NEAR(s.branch[0].share, 1.0, 1e-9);
    problem_free(&run);
}

/* What a start as given violates is the constrained part, and is orthogonal to the rest. */
TEST(violations_are_the_constrained_part)
{
    problem_run run;
    sar_subspaces s;
    double eps = 0.05, p[3], a[3], c[3];
    problem_load(&run, PROBLEM("slider-crank-singular"), "eps=0.05 eta1=-2");
    problem_create(&run, "assemble=0");
    CHECK_STATUS(sar_simulation_assemble(run.simulation, &run.assembly), SAR_OK);
    CHECK(run.assembly.verdict == SAR_ASSEMBLY_AS_GIVEN);
    CHECK_NEAR(run.assembly.residual, 8 * eps, 1e-12); // 2 (xP - xQ) (xP' - xQ')
    CHECK_STATUS(sar_simulation_subspaces(run.simulation, 0.0, &s), SAR_OK);
    CHECK(s.rank == 2 && s.branches == 1);
    points_of(&run, s.admissible_part, a);
    points_of(&run, s.constrained_part, c);
    points_of(&run, s.admissible, p);
    CHECK_NEAR(a[0] + c[0], -2.0, 1e-12);
    CHECK_NEAR(a[1] + c[1], 0.0, 1e-12);
    CHECK_NEAR(a[2] + c[2], -4.0, 1e-12);
    CHECK_NEAR(kinetic(&run, s.admissible_part, s.constrained_part), 0.0, 1e-12);
    // rows of Phi_q at (-eps, 1, eps)
    CHECK_NEAR(-eps * p[0] + p[1], 0.0, 1e-12);
    CHECK_NEAR(-2 * eps * (p[0] - p[2]) + p[1], 0.0, 1e-12);
    CHECK_NEAR(s.admissible_energy + s.constrained_energy,
               sar_simulation_energy(run.simulation).kinetic, 1e-12);
    problem_free(&run);
}

/* A driven crank has no admissible direction; its velocity is what the drive demands. */
TEST(drives_leave_their_velocity_admissible)
{
    for (int k = 0; k < 2; k++) {
        problem_run run;
        sar_subspaces s;
        char options[64];
        snprintf(options, sizeof options, "coordinates=%s", COORDINATES[k]);
        problem_start(&run, TEST_MODEL("driven-crank"), NULL, options);
        for (int i = 0; i < 5; i++) CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_OK);
        CHECK_STATUS(sar_simulation_subspaces(run.simulation, 0.0, &s), SAR_OK);
        double energy = sar_simulation_energy(run.simulation).kinetic;
        CHECK(energy > 0.0);
        CHECK_NEAR(s.admissible_energy, energy, 1e-6 * energy);
        CHECK_AT_MOST(s.constrained_energy, 1e-12 * energy);
        problem_free(&run);
    }
}

TEST(refusals)
{
    problem_run run;
    sar_subspaces s;
    problem_load(&run, PROBLEM("slider-crank-1"), NULL);
    problem_create(&run, "end=1");
    CHECK_STATUS(sar_simulation_subspaces(run.simulation, 0.0, &s), SAR_E_ARG); // not assembled
    problem_free(&run);
}
