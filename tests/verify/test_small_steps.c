/* Steps of al3 in one piece (formulations/al3_small.c) have the bits of the general code. A run with
 * the option `profile` goes through the general code, for its parts are timed: all models whose steps
 * may come in one piece are run both ways, through singular positions too. */
#include "problem_run.h"
#include "simulation/simulation.h"

#include <dirent.h>
#include <math.h>

enum { STEPS = IN_FULL_OR_SANITIZED(600, 60) };

static const char* const VARIANTS[] = {
    "step=1e-2",
    "step=1e-3",
    "step=3e-2",
    "step=2e-3 alpha=1e9 newton_tolerance=1e-7",
    "step=5e-3 iterations=fixed:2",
    "step=5e-3 projections=4",
    "step=1e-3 projections=2 iterations=fixed:1",
    "step=5e-3 integrator=newmark beta=0.3025 gamma=0.6",
    "step=4e-3 solver=dense drawing=1e-4",
};

/// One simulation of a model; NULL where the model or the method refuses.
static sar_simulation* start(const sar_model* model, sar_options options, const char* variant,
                             int general)
{
    sar_simulation* s = NULL;
    sar_error error = {0};
    options.given = 0;
    each_setting("coordinates=natural formulation=al3 integrator=trapezoidal end=100", use_option,
                 &options);
    each_setting(variant, use_option, &options);
    options.profile = general;
    if (sar_simulation_create(model, &options, &s, &error) != SAR_OK) return NULL;
    if (sar_simulation_assemble(s, NULL) == SAR_OK) return s;
    sar_simulation_destroy(s);
    return NULL;
}

static int same(const double* a, const double* b, int n)
{
    return n == 0 || memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

static void compare(const sar_simulation* a, const sar_simulation* b, const char* where)
{
    const sari_state *x = &a->state, *y = &b->state;
    const sari_equations *f = &a->system->equations, *g = &b->system->equations;
    const int n = f->nq, m = f->nc;
    if (!same(x->q, y->q, n) || !same(x->v, y->v, n) || !same(x->a, y->a, n) ||
        !same(x->lambda, y->lambda, m) || !same(&x->t, &y->t, 1))
        fail_msg("%s: states differ after t = %.17g", where, x->t);
    if (!same(f->Phi, g->Phi, m) || !same(f->bias, g->bias, m) ||
        !same(f->Phi_q.x, g->Phi_q.x, f->Phi_q.p[m]))
        fail_msg("%s: rows differ after t = %.17g", where, x->t);
    if (a->statistics.iterations != b->statistics.iterations ||
        memcmp(&a->violation, &b->violation, sizeof a->violation) != 0 ||
        memcmp(&a->energy, &b->energy, sizeof a->energy) != 0)
        fail_msg("%s: what is observed differs after t = %.17g", where, x->t);
}

/* Does a step come in one piece? `trial` is there to try it from where `s` is. */
static int in_one_piece(const sar_simulation* s, sar_simulation* trial)
{
    const sar_options* o = &s->options;
    const int newmark = strcmp(o->integrator, "newmark") == 0;
    sari_newmark_step step = {.h = o->step,
                              .beta = newmark ? o->beta : 0.25,
                              .gamma = newmark ? o->gamma : 0.5,
                              .rule = {.iterations = o->iterations,
                                       .fixed = o->iterations_fixed,
                                       .tolerance = o->newton_tolerance,
                                       .usual = 1e-9,
                                       .published = o->alpha > 0.0}};
    sari_state_copy(&trial->state, &s->state);
    return trial->form.ops->corrections->whole(trial->form.self, &trial->state, &step);
}

/* Returns how many of the steps came in one piece. */
static long run_both(const char* path, const char* parameters, const char* variant)
{
    problem_run run;
    char where[512];
    long whole = 0;
    snprintf(where, sizeof where, "%s (%s) %s", path, parameters ? parameters : "", variant);
    problem_load(&run, path, parameters);
    sar_simulation* fast = start(run.model, run.options, variant, 0);
    sar_simulation* trial = fast ? start(run.model, run.options, variant, 0) : NULL;
    sar_simulation* general = trial ? start(run.model, run.options, variant, 1) : NULL;
    sar_status st = general ? SAR_OK : SAR_E_ARG;
    const int few = general && fast->system->nq <= 9 && fast->system->nc > 0;
    for (int k = 0; few && k < STEPS && st == SAR_OK; k++) {
        whole += in_one_piece(fast, trial);
        st = sar_simulation_advance(fast);
        const sar_status other = sar_simulation_advance(general);
        if (st != other) fail_msg("%s: %d, but %d", where, st, other);
        compare(fast, general, where);
        if (k == 50 && whole == 0) break; // it is no model of that kind
    }
    sar_simulation_destroy(fast);
    sar_simulation_destroy(trial);
    sar_simulation_destroy(general);
    problem_free(&run);
    return whole;
}

static void benchmarks_with_few_coordinates(void** state)
{
    static const char* const benchmarks[][2] = {
        {PROBLEM("slider-crank-1"), NULL},
        {PROBLEM("slider-crank-1"), "m3=0.4 L2=1.3"},
        {PROBLEM("slider-crank-singular"), NULL},
        {PROBLEM("n-four-bar"), "n=1"},
        {PROBLEM("n-four-bar"), NULL},
        {PROBLEM("n-four-bar"), "n=3"},
        {PROBLEM("n-four-bar"), "n=2 L=0.37 m=12"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof benchmarks / sizeof *benchmarks; k++) {
        const int variants = sizeof VARIANTS / sizeof *VARIANTS;
        long whole = 0;
        for (int v = 0; v < variants; v++)
            whole += run_both(benchmarks[k][0], benchmarks[k][1], VARIANTS[v]);
        print_message("%s %s: %ld of %d steps in one piece\n", benchmarks[k][0],
                      benchmarks[k][1] ? benchmarks[k][1] : "", whole, variants * STEPS);
        CHECK(whole > variants * STEPS / 2);
    }
}

static void all_other_models(void** state)
{
    char path[512];
    long whole = 0;
    int models = 0;
    (void)state;
    DIR* folder = opendir(SARRUS_ROOT "/tests/models");
    CHECK(folder);
    for (struct dirent* file; (file = readdir(folder));) {
        if (!strstr(file->d_name, ".yaml")) continue;
        snprintf(path, sizeof path, SARRUS_ROOT "/tests/models/%s", file->d_name);
        const long these = run_both(path, NULL, VARIANTS[0]) + run_both(path, NULL, VARIANTS[1]);
        whole += these;
        models += these > 0;
    }
    closedir(folder);
    print_message("%ld steps in one piece, of %d models\n", whole, models);
    CHECK(whole > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(benchmarks_with_few_coordinates),
        cmocka_unit_test(all_other_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
