/* Newmark's family: observed order against the closed form of the pendulum, exact motions, and
 * steps that cannot converge. */
#include "neck_fixture.h"
#include "sarrus/sarrus.h"
#include "simulation/simulation.h"

#define PENDULUM SARRUS_ROOT "/problems/pendulum/model.yaml"
#define SLIDER_CRANK SARRUS_ROOT "/problems/slider-crank-1/model.yaml"

static sar_simulation* start(const sar_model* model, const sar_options* o)
{
    sar_simulation* s = NULL;
    sar_error error = {0};
    if (sar_simulation_create(model, o, &s, &error) != SAR_OK) fail_msg("%s", error.message);
    CHECK_STATUS(sar_simulation_assemble(s, NULL), SAR_OK);
    return s;
}

/* ---- order ---------------------------------------------------------------------------------- */

/* Position of the pendulum's tip at t from the reference table. */
static void reference_at(double t, double xy[2])
{
    sar_result* r = NULL;
    CHECK_STATUS(sar_result_read(SARRUS_ROOT "/problems/pendulum/reference.csv", &r, NULL), SAR_OK);
    int row = 0;
    while (row < sar_result_rows(r) - 1 && sar_result_time(r)[row] < t - 1e-9) row++;
    CHECK_NEAR(sar_result_time(r)[row], t, 1e-9);
    xy[0] = sar_result_column(r, sar_result_find(r, "x"))[row];
    xy[1] = sar_result_column(r, sar_result_find(r, "y"))[row];
    sar_result_destroy(r);
}

static double error_at_end(const sar_model* model, const sar_options* o)
{
    double got[2], wanted[2];
    sar_simulation* s = start(model, o);
    while (!sar_simulation_done(s)) CHECK_STATUS(sar_simulation_advance(s), SAR_OK);
    CHECK_NEAR(sar_simulation_time(s), o->end, 1e-12);
    CHECK_STATUS(sar_simulation_outputs(s, got), SAR_OK);
    sar_simulation_destroy(s);
    reference_at(o->end, wanted);
    return hypot(got[0] - wanted[0], got[1] - wanted[1]);
}

static void check_order(const char* integrator, double gamma, double order, double tolerance)
{
    sar_model* model = load_model(PENDULUM, NULL);
    for (int c = 0; sari_coordinates_types[c]; c++) {
        sar_options o = sar_options_default();
        CHECK_STATUS(sar_options_set(&o, "coordinates", sari_coordinates_types[c]->name, NULL),
                     SAR_OK);
        CHECK_STATUS(sar_options_set(&o, "integrator", integrator, NULL), SAR_OK);
        o.gamma = gamma;
        o.newton_tolerance = 1e-12;
        o.end = 1.5;
        double error[3];
        for (int k = 0; k < 3; k++) {
            o.step = 0.01 / (1 << k);
            error[k] = error_at_end(model, &o);
        }
        for (int k = 0; k < 2; k++) {
            double observed = log2(error[k] / error[k + 1]);
            if (!(fabs(observed - order) < tolerance))
                fail_msg("%s, gamma %g, %s: order %.3f from the errors %.3e and %.3e, wanted %g",
                         integrator, gamma, sari_coordinates_types[c]->name, observed, error[k],
                         error[k + 1], order);
        }
    }
    sar_model_destroy(model);
}

TEST(the_trapezoidal_rule_is_of_order_two)
{
    check_order("trapezoidal", 0.5, 2.0, 0.1);
    check_order("newmark", 0.5, 2.0, 0.1);
}

TEST(generalised_alpha_is_of_order_two)
{
    check_order("generalised-alpha", 0.5, 2.0, 0.15);
}

/* A spring so stiff that h omega = 1e5: the amplification has the triple root -rho [chung1993], so that
 *
 *     x_(n+1) + 3 rho x_n + 3 rho^2 x_(n-1) + rho^3 x_(n-2) = 0 */
TEST(generalised_alpha_has_its_spectral_radius)
{
    static const char* const radii[] = {"0.5", "0.8", "0.95"};
    sar_model* model =
        parse_model("sarrus: 1\nname: stiff\ndimension: 2\n"
                    "bodies: {a: {mass: 1, inertia: 1, position: [0, 0], angle: 0}}\n"
                    "joints: {J: {type: prismatic, between: [ground.origin, a.origin], axis: "
                    "[ground.x, a.x]}}\n"
                    "forces: {s: {type: spring, joint: J, stiffness: 1e14}}\n"
                    "start: {J.displacement: 1e-3}\noutputs: {x: J.displacement}\n");
    for (int k = 0; k < 3; k++) {
        const double rho = strtod(radii[k], NULL);
        double x[60];
        sar_options o = sar_options_default();
        CHECK_STATUS(sar_options_set(&o, "coordinates", "relative", NULL), SAR_OK);
        CHECK_STATUS(sar_options_set(&o, "integrator", "generalised-alpha", NULL), SAR_OK);
        CHECK_STATUS(sar_options_set(&o, "rho_inf", radii[k], NULL), SAR_OK);
        CHECK_STATUS(sar_options_set(&o, "best_effort", "1", NULL), SAR_OK);
        o.step = 0.01, o.end = 0.6;
        sar_simulation* s = start(model, &o);
        for (int i = 0; i < 60; i++) {
            CHECK_STATUS(sar_simulation_advance(s), SAR_OK);
            CHECK_STATUS(sar_simulation_outputs(s, &x[i]), SAR_OK);
        }
        for (int i = 2; i < 30; i++)
            CHECK_NEAR(x[i + 1], -rho * (3 * x[i] + rho * (3 * x[i - 1] + rho * x[i - 2])),
                       1e-6 * fabs(x[i]));
        sar_simulation_destroy(s);
    }
    sar_model_destroy(model);
}

TEST(damping_costs_an_order)
{
    check_order("newmark", 0.6, 1.0, 0.15);
}

/* The trapezoidal rule ignores gamma; Newmark with its numbers is the same method. */
TEST(the_trapezoidal_rule_is_newmark_with_quarter_and_half)
{
    sar_model* model = load_model(PENDULUM, NULL);
    sar_options o = sar_options_default();
    o.step = 0.01, o.end = 0.5;
    double a = error_at_end(model, &o);
    CHECK_STATUS(sar_options_set(&o, "integrator", "newmark", NULL), SAR_OK);
    CHECK_NEAR(error_at_end(model, &o), a, 1e-15);
    CHECK_STATUS(sar_options_set(&o, "gamma", "0.6", NULL), SAR_OK);
    CHECK(error_at_end(model, &o) > 2 * a);
    sar_model_destroy(model);
}

/* Constant acceleration is integrated exactly by every member; there are no constraints at all in
 * cartesian coordinates. */
TEST(free_fall_is_exact)
{
    sar_model* model = parse_model(
        "sarrus: 1\nname: stone\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies: {stone: {mass: 2, inertia: 1, position: [1, 2], angle: 0, velocity: [3, 4]}}\n"
        "outputs: {x: stone.origin.x, y: stone.origin.y, vy: stone.origin.vy}\n");
    static const char* const integrators[3] = {"trapezoidal", "newmark", "generalised-alpha"};
    for (int c = 0; sari_coordinates_types[c]; c++)
        for (int i = 0; i < 3; i++) {
            sar_options o = sar_options_default();
            CHECK_STATUS(sar_options_set(&o, "coordinates", sari_coordinates_types[c]->name, NULL),
                         SAR_OK);
            CHECK_STATUS(sar_options_set(&o, "integrator", integrators[i], NULL), SAR_OK);
            o.step = 0.1, o.end = 2.05; // the last step is a short one
            o.beta = 0.3025, o.gamma = 0.6;
            sar_simulation* s = start(model, &o);
            double y[3];
            while (!sar_simulation_done(s)) CHECK_STATUS(sar_simulation_advance(s), SAR_OK);
            CHECK_STATUS(sar_simulation_outputs(s, y), SAR_OK);
            CHECK_NEAR(sar_simulation_time(s), 2.05, 1e-13);
            CHECK_NEAR(y[0], 1 + 3 * 2.05, 1e-9);
            CHECK_NEAR(y[1], 2 + 4 * 2.05 - 0.5 * 9.81 * 2.05 * 2.05, 1e-9);
            CHECK_NEAR(y[2], 4 - 9.81 * 2.05, 1e-9);
            CHECK(sar_simulation_statistics(s).steps == 21);
            sar_simulation_destroy(s);
        }
    sar_model_destroy(model);
}

/* ---- steps that cannot converge ------------------------------------------------------------- */

static void cannot_converge(sar_options* o)
{
    CHECK_STATUS(sar_options_set(o, "iterations", "1", NULL), SAR_OK);
    CHECK_STATUS(sar_options_set(o, "newton-tolerance", "1e-12", NULL), SAR_OK);
    o->step = 0.02;
}

TEST(a_failed_step_restores_the_state)
{
    sar_model* model = load_model(SLIDER_CRANK, NULL);
    for (int c = 0; sari_coordinates_types[c]; c++) {
        sar_options o = sar_options_default();
        CHECK_STATUS(sar_options_set(&o, "coordinates", sari_coordinates_types[c]->name, NULL),
                     SAR_OK);
        cannot_converge(&o);
        sar_simulation* s = start(model, &o);
        int n = s->system->nq, m = s->system->nc;
        size_t bytes = (size_t)n * sizeof(double);
        double *q = vector(n), *v = vector(n), *a = vector(n), *lambda = vector(m);
        memcpy(q, s->state.q, bytes);
        memcpy(v, s->state.v, bytes);
        memcpy(a, s->state.a, bytes);
        memcpy(lambda, s->state.lambda, (size_t)m * sizeof(double));
        double before[8], after[8];
        CHECK(sar_model_outputs(model) <= 8);
        CHECK_STATUS(sar_simulation_outputs(s, before), SAR_OK);
        sar_energy energy = sar_simulation_energy(s);
        for (int attempt = 0; attempt < 2; attempt++) {
            CHECK_STATUS(sar_simulation_advance(s), SAR_R_NO_CONV);
            CHECK(sar_simulation_time(s) == 0.0);
            CHECK(memcmp(q, s->state.q, bytes) == 0);
            CHECK(memcmp(v, s->state.v, bytes) == 0);
            CHECK(memcmp(a, s->state.a, bytes) == 0);
            CHECK(memcmp(lambda, s->state.lambda, (size_t)m * sizeof(double)) == 0);
            CHECK(strstr(sar_simulation_failure(s), "did not converge") != NULL);
        }
        CHECK_STATUS(sar_simulation_outputs(s, after), SAR_OK);
        for (int k = 0; k < sar_model_outputs(model); k++) CHECK(before[k] == after[k]);
        CHECK(sar_simulation_energy(s).kinetic == energy.kinetic);
        CHECK(sar_simulation_statistics(s).steps == 0);
        CHECK(!sar_simulation_done(s));
        free(q), free(v), free(a), free(lambda);
        sar_simulation_destroy(s);
    }
    sar_model_destroy(model);
}

TEST(best_effort_goes_on_and_counts)
{
    sar_model* model = load_model(SLIDER_CRANK, NULL);
    sar_options o = sar_options_default();
    cannot_converge(&o);
    CHECK_STATUS(sar_options_set(&o, "best-effort", "1", NULL), SAR_OK);
    sar_simulation* s = start(model, &o);
    for (int k = 0; k < 5; k++) CHECK_STATUS(sar_simulation_advance(s), SAR_OK);
    sar_statistics z = sar_simulation_statistics(s);
    CHECK(z.steps == 5);
    CHECK(z.not_converged == 5);
    CHECK_NEAR(sar_simulation_time(s), 0.1, 1e-12);
    sar_simulation_destroy(s);
    sar_model_destroy(model);
}

/* The integrator by itself: the best iterate is in the state, and the report says how good it is.
 */
TEST(the_integrator_leaves_the_best_iterate)
{
    sar_model* model = load_model(SLIDER_CRANK, NULL);
    sar_options o = sar_options_default();
    cannot_converge(&o);
    sar_simulation* s = start(model, &o);
    sari_step_report report = {-1, -1.0, -1};
    double q0 = s->state.q[0], moved = 0.0;
    CHECK_STATUS(s->integrator->step(s->integrator_self, &s->state, o.step, &report),
                 SAR_R_NO_CONV);
    CHECK(report.iterations == 1);
    CHECK(report.correction > 1e-12 && report.correction < 1.0);
    CHECK(report.diverged == 0);
    CHECK_NEAR(s->state.t, o.step, 1e-15);
    moved = fabs(s->state.q[0] - q0);
    CHECK(moved > 1e-6);
    // projected all the same: the velocities fit the constraints at the position that was reached
    double* rate = vector(s->system->nc);
    sari_equations_eval(&s->system->equations, SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T, s->state.t,
                        s->state.q, s->state.v);
    sari_equations_phi_dot(&s->system->equations, s->state.v, rate);
    CHECK_AT_MOST(largest_of(rate, s->system->nc), 1e-6);
    free(rate);
    sar_simulation_destroy(s);
    sar_model_destroy(model);
}
