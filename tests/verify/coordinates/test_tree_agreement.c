/* The solver `tree` does without the mass matrix, and its rows of points that coincide are in axes that
 * turn along: other ways to the same motion. Steps of al3, and rates of al1, beside those of the dense
 * solver with all entries of M, in joint coordinates. */
#include "problem_run.h"

#include "simulation/simulation.h"

typedef struct scene {
    const char *model, *parameters, *options;
} scene;

/* Largest difference of two vectors by the largest number in one of them, or by one: positions are in
 * radians and in the lengths of bodies, and may begin with zero. */
static double apart(const double* x, const double* y, int n)
{
    double off = 0.0, size = 1.0;
    for (int i = 0; i < n; i++) {
        off = fmax(off, fabs(x[i] - y[i]));
        size = fmax(size, fmax(fabs(x[i]), fabs(y[i])));
    }
    return off / size;
}

/* By the motion that is left where both are at rest but for rounding. */
static void check_near(const scene* s, const problem_run* got, const problem_run* wanted, int step)
{
    static const double POSITION = 1e-9, VELOCITY = 1e-7, ACCELERATION = 1e-5;
    const sari_state *a = &got->simulation->state, *b = &wanted->simulation->state;
    const double off[3] = {apart(a->q, b->q, b->np), apart(a->v, b->v, b->n),
                           apart(a->a, b->a, b->n)};
    if (!(off[0] <= POSITION && off[1] <= VELOCITY && off[2] <= ACCELERATION))
        fail_msg("%s %s %s, step %d: q, v, a off by %.2g, %.2g, %.2g", s->model, s->parameters,
                 s->options, step, off[0], off[1], off[2]);
}

static void check_scene(const scene* s, const char* method)
{
    static const char* const SOLVER[2] = {"dense", "tree"};
    const int steps = IN_FULL_OR_SAMPLE(25, 3);
    problem_run run[2];
    for (int i = 0; i < 2; i++) {
        char options[200];
        snprintf(options, sizeof options, "coordinates=relative solver=%s end=10 %s %s", SOLVER[i],
                 method, s->options);
        problem_start(&run[i], s->model, s->parameters, options);
    }
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < 2; i++)
            if (sar_simulation_advance(run[i].simulation) != SAR_OK)
                fail_msg("%s, %s: %s", s->model, SOLVER[i],
                         sar_simulation_failure(run[i].simulation));
        check_near(s, &run[1], &run[0], step);
    }
    if (run[1].simulation->system->nc) // al1 of open trees has nothing to factor
        CHECK_TEXT(sar_simulation_statistics(run[1].simulation).solver, "tree");
    for (int i = 0; i < 2; i++) problem_free(&run[i]);
}

static const scene SCENES[] = {
    {PROBLEM("chain"), "n=3", "step=1e-3"},
    {PROBLEM("chain"), "n=40", "step=1e-3"},
    {PROBLEM("chain"), "n=40 hinges=1", "step=1e-3"},
    {PROBLEM("tree"), "n=15", "step=1e-3"},
    {PROBLEM("ladder"), "n=3", "step=1e-3"},
    {PROBLEM("ladder"), "n=30", "step=1e-3"},
    {PROBLEM("four-bar"), "", "step=1e-3"},
    {PROBLEM("n-four-bar"), "n=2", "step=1e-3"},
    {PROBLEM("n-four-bar"), "n=9", "step=1e-3"},
    {PROBLEM("slider-crank-1"), "", "step=1e-3"}, // a slider without mass
    {PROBLEM("puma"), "", "step=1e-3"},
    {PROBLEM("flyball-governor"), "", "step=1e-4"},
    {TEST_MODEL("slider-crank-spatial"), "", "step=1e-3"},
    {TEST_MODEL("n-four-bar-spatial"), "", "step=1e-3"},
    {TEST_MODEL("universal-shaft"), "", "step=1e-3"},
    {TEST_MODEL("bushing"), "", "step=1e-3"},
    {TEST_MODEL("gear-train"), "", "step=1e-3"},
    {TEST_MODEL("rack"), "", "step=1e-3"},
    {TEST_MODEL("screw-jack"), "", "step=1e-3"},
    {TEST_MODEL("driven-crank"), "", "step=1e-3"},
};

TEST(corrections_of_al3)
{
    for (size_t k = 0; k < sizeof SCENES / sizeof *SCENES; k++)
        check_scene(&SCENES[k], "formulation=al3 integrator=trapezoidal");
}

TEST(rates_of_al1)
{
    for (size_t k = 0; k < 9; k++) check_scene(&SCENES[k], "formulation=al1 integrator=rk4");
}

/* What `auto` takes, and that others see the same mass. */
TEST(chosen_where_it_pays)
{
    static const struct {
        const char *model, *parameters, *solver;
    } CASES[] = {{PROBLEM("chain"), "n=4", "dense"},
                 {PROBLEM("chain"), "n=64", "tree"},
                 {PROBLEM("ladder"), "n=3", "dense"},
                 {PROBLEM("ladder"), "n=60", "tree"},
                 {PROBLEM("n-four-bar"), "n=60", "sparse"}};
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        problem_run run;
        problem_start(
            &run, CASES[k].model, CASES[k].parameters,
            "coordinates=relative formulation=al3 integrator=trapezoidal step=1e-3 end=1");
        CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_OK);
        CHECK_TEXT(sar_simulation_statistics(run.simulation).solver, CASES[k].solver);
        problem_free(&run);
    }
}
