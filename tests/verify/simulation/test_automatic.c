/* The automatic method: what it chooses for a model, and when it is asked for. */
#include "problem_run.h"

static int output_of(const sar_model* model, const char* name)
{
    for (int k = 0; k < sar_model_outputs(model); k++)
        if (strcmp(sar_model_output_name(model, k), name) == 0) return k;
    fail_msg("no output %s", name);
    return -1;
}

static double run_energy(const problem_run* run)
{
    return sar_simulation_statistics(run->simulation).energy_initial;
}

static sar_options open_options(void)
{
    sar_options o = sar_options_default();
    CHECK_STATUS(sar_options_set(&o, "preset", "auto", NULL), SAR_OK);
    return o;
}

typedef struct chosen {
    const char *model, *settings;
    const char *coordinates, *formulation, *says;
} chosen;

static void check_choice(const chosen* c)
{
    sar_error error = {0};
    char reason[200];
    problem_run run;
    sar_options o = open_options();
    problem_load(&run, c->model, c->settings);
    if (sar_options_choose(&o, run.model, reason, sizeof reason, &error) != SAR_OK)
        fail_msg("%s: %s", c->model, error.message);
    if (strcmp(o.coordinates, c->coordinates) != 0 || strcmp(o.formulation, c->formulation) != 0)
        fail_msg("%s %s: %s, %s (%s)", c->model, c->settings, o.coordinates, o.formulation, reason);
    if (!strstr(reason, c->says)) fail_msg("%s: \"%s\"", c->model, reason);
    problem_free(&run);
}

TEST(the_model_decides)
{
    static const chosen CASES[] = {
        {PROBLEM("slider-crank-1"), "", "natural", "chart",
         "natural coordinates: 3, with constant mass"},
        {PROBLEM("n-four-bar"), "", "natural", "chart", "less than 5 joint coordinates"},
        {PROBLEM("four-bar"), "", "relative", "chart", "constraints: 5"},
        {PROBLEM("bricard"), "", "relative", "chart", "joint coordinates"},
        {PROBLEM("pendulum"), "", "relative", "chart", "joint coordinates"},
        {PROBLEM("chain"), "n=16", "relative", "al1", "open tree, joint coordinates: 48"},
        {PROBLEM("rolling-ball"), "", "relative", "chart", "joint coordinates"},
        {PROBLEM("puma"), "", "relative", "chart", "joint coordinates"}, // its phases close a loop
        {PROBLEM("n-four-bar"), "n=200", "natural", "chart",
         "natural coordinates: 402, degrees of freedom: 1"},
        {PROBLEM("ladder"), "n=100", "natural", "al1", "would take long"},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) check_choice(&CASES[k]);
}

// Coordinates or a formulation that is named stays; the rest is chosen around it.
TEST(what_is_named_stays)
{
    problem_run run;
    problem_load(&run, PROBLEM("chain"), "");
    const sar_model* model = run.model;
    sar_options o = open_options();
    CHECK_STATUS(sar_options_set(&o, "coordinates", "natural", NULL), SAR_OK);
    CHECK_STATUS(sar_options_choose(&o, model, NULL, 0, NULL), SAR_OK);
    assert_string_equal(o.coordinates, "natural");
    assert_string_equal(o.formulation, "chart");
    o = open_options();
    CHECK_STATUS(sar_options_set(&o, "formulation", "nullspace", NULL), SAR_OK);
    CHECK_STATUS(sar_options_choose(&o, model, NULL, 0, NULL), SAR_OK);
    assert_string_equal(o.coordinates, "relative");
    assert_string_equal(o.formulation, "nullspace");
    o = sar_options_default();
    char reason[8] = "x";
    CHECK_STATUS(sar_options_choose(&o, model, reason, sizeof reason, NULL), SAR_OK);
    assert_string_equal(o.coordinates, "natural");
    assert_string_equal(reason, "");
    problem_free(&run);
}

TEST(a_step_or_a_parameter_names_a_method)
{
    static const struct {
        const char *name, *value;
        int names;
    } CASES[] = {
        {"end", "3", 0},           {"tolerance", "1e-9", 0}, {"coordinates", "natural", 0},
        {"step", "1e-3", 1},       {"alpha", "1e9", 1},      {"preset", "LMD-midpoint", 1},
        {"formulation", "al1", 1}, {"integrator", "rk4", 1}, {"newton_tolerance", "1e-8", 1},
        {"step_max", "0.1", 0},    {"best_effort", "1", 0}};
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        sar_options o = sar_options_default();
        CHECK_STATUS(sar_options_set(&o, CASES[k].name, CASES[k].value, NULL), SAR_OK);
        if (sar_options_name_method(&o) != CASES[k].names) fail_msg("%s", CASES[k].name);
    }
}

// A simulation whose options are open chooses by itself.
TEST(simulations_choose_too)
{
    problem_run open, named;
    problem_run_all(&open, PROBLEM("slider-crank-1"), "", "preset=auto tolerance=1e-8 end=1", 1);
    problem_run_all(&named, PROBLEM("slider-crank-1"), "",
                    "coordinates=natural formulation=chart integrator=dop853-radau tolerance=1e-8 "
                    "end=1",
                    1);
    CHECK(open.statistics.steps > 10 && open.statistics.steps == named.statistics.steps);
    problem_free(&open);
    problem_free(&named);
}

// Observers show the mechanism within a step, on its constraints; the run does not notice.
TEST(observers_look_within_steps)
{
    const char* options = "preset=auto tolerance=1e-8 end=3";
    const double limit = 1e-12;
    problem_run run, quiet;
    double outputs[MOST_OUTPUTS], position[3], turn[4];
    problem_start(&run, PROBLEM("slider-crank-3"), "", options);
    problem_start(&quiet, PROBLEM("slider-crank-3"), "", options);
    const int xP = output_of(run.model, "xP"), yP = output_of(run.model, "yP");
    sar_body_id rod;
    CHECK_STATUS(sar_model_find_body(run.model, "rod", 3, &rod), SAR_OK);
    double before = 0.0, most = 0.0;
    while (!sar_simulation_done(run.simulation)) {
        sar_simulation* s = run.simulation;
        CHECK_STATUS(sar_simulation_advance(s), SAR_OK);
        CHECK_STATUS(sar_simulation_advance(quiet.simulation), SAR_OK);
        const double now = sar_simulation_time(s), t = before + 0.3 * (now - before);
        const sar_energy end = sar_simulation_energy(s);
        CHECK_STATUS(sar_simulation_outputs_at(s, t, outputs), SAR_OK);
        CHECK_STATUS(sar_simulation_look(s, t), SAR_OK);
        sar_simulation_pose(s, rod, position, turn);
        CHECK_NEAR(sar_simulation_time(s), t, 0.0);
        CHECK_NEAR(position[0], outputs[xP], limit);
        CHECK_NEAR(position[1], outputs[yP], limit);
        CHECK_AT_MOST(sar_simulation_violation(s).position, limit);
        const sar_energy e = sar_simulation_energy(s);
        most = fmax(most, fabs(e.kinetic + e.potential - e.work - run_energy(&run)));
        CHECK_STATUS(sar_simulation_look(s, INFINITY), SAR_OK);
        CHECK_NEAR(sar_simulation_energy(s).kinetic, end.kinetic, 0.0);
        CHECK_STATUS(sar_simulation_look(s, before - 1.0), SAR_E_ARG);
        if (now < 1.0) CHECK_STATUS(sar_simulation_look(s, t), SAR_OK); // and the next step begins
        before = now;
    }
    CHECK_AT_MOST(most, 1e-5);
    sar_simulation_pose(run.simulation, rod, position, turn);
    double other[3];
    sar_simulation_pose(quiet.simulation, rod, other, turn);
    for (int i = 0; i < 3; i++) CHECK_NEAR(position[i], other[i], 0.0);
    problem_free(&run);
    problem_free(&quiet);
}
