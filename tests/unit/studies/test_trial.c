/* A trial: its history, its error, and the ways a run can end. */
#include "problem_run.h"

#include "sarrus/trial.h"

static sar_model* load(const char* path, sar_options* options)
{
    sar_model* model = NULL;
    char* messages = NULL;
    *options = sar_options_default();
    if (sar_model_load(path, NULL, 0, &model, options, &messages) != SAR_OK)
        fail_msg("%s", messages);
    sar_text_free(messages);
    return model;
}

static sar_trial_def slider_crank(const char* options)
{
    sar_trial_def def = {0};
    def.model = load(PROBLEM("slider-crank-1"), &def.options);
    each_setting(options, use_option, &def.options);
    return def;
}

static void done(sar_trial_def* def)
{
    sar_model_destroy((sar_model*)(uintptr_t)def->model);
}

TEST(history_lies_on_the_grid_and_gives_the_error)
{
    const char* names[] = {"theta1", "xQ"};
    sar_comparison_def metric = {.names = names, .count = 2};
    sar_trial_def def = slider_crank("step=3e-3 sample=0.01"); // no step hits all samples
    sar_result *reference = NULL, *history = NULL;
    sar_trial trial;
    sar_error error = {0};
    CHECK_STATUS(sar_result_read(REFERENCE("slider-crank-1"), &reference, &error), SAR_OK);
    def.reference = reference;
    def.metric = &metric;
    CHECK_STATUS(sar_trial_run(&def, &trial, &history, &error), SAR_OK);
    CHECK_STATUS(trial.status, SAR_OK);
    assert_int_equal(sar_result_rows(history), 1001);
    for (int k = 0; k <= 1000; k++) CHECK_NEAR(sar_result_time(history)[k], 0.01 * k, 1e-11);
    // the same measure as of the two tables outside of the trial
    sar_comparison again;
    CHECK_STATUS(sar_result_compare(history, reference, &metric, &again, NULL, NULL), SAR_OK);
    CHECK_NEAR(trial.error, again.total, 0.0);
    CHECK(trial.error > 1e-5 && trial.error < 5e-3);
    assert_int_equal(trial.singular_passes, 11);
    assert_int_equal(trial.branch_changes, 0);
    CHECK(isnan(trial.branch_changed));
    CHECK(trial.seconds > 0.0 && trial.statistics.steps == 3334);
    CHECK_NEAR(trial.step_us, 1e6 * trial.seconds / 3334.0, 1e-9);
    sar_result_destroy(history);
    sar_result_destroy(reference);
    done(&def);
}

TEST(without_an_interval_every_step_is_a_row)
{
    sar_trial_def def = slider_crank("step=1e-2 end=0.3");
    sar_result* history = NULL;
    sar_trial trial;
    CHECK_STATUS(sar_trial_run(&def, &trial, &history, NULL), SAR_OK);
    assert_int_equal(sar_result_rows(history), 31);
    CHECK(isnan(trial.error));
    sar_result_destroy(history);
    done(&def);
}

TEST(extra_columns_follow_the_outputs)
{
    const char* extra[] = {"energy.drift", "violation.position", "O.fx", "method.step",
                           "method.penalty"};
    sar_trial_def def = slider_crank("step=1e-3 end=1");
    def.extra = extra;
    def.extra_count = 5;
    sar_result* history = NULL;
    sar_trial trial;
    CHECK_STATUS(sar_trial_run(&def, &trial, &history, NULL), SAR_OK);
    assert_int_equal(sar_result_columns(history), sar_model_outputs(def.model) + 5);
    const double* drift = sar_result_column(history, sar_result_find(history, "energy.drift"));
    const double* size = sar_result_column(history, sar_result_find(history, "method.step"));
    const double* penalty = sar_result_column(history, sar_result_find(history, "method.penalty"));
    for (int k = 1; k < sar_result_rows(history); k++) {
        CHECK_NEAR(size[k], def.options.step, 1e-12);
        CHECK_NEAR(penalty[k], trial.statistics.alpha, 1e-9 * trial.statistics.alpha);
    }
    const double* force = sar_result_column(history, sar_result_find(history, "O.fx"));
    double most = 0.0, pull = 0.0;
    for (int k = 0; k < sar_result_rows(history); k++) {
        most = fmax(most, fabs(drift[k]));
        pull = fmax(pull, fabs(force[k]));
    }
    CHECK_NEAR(most, trial.statistics.energy_max_drift, 1e-15);
    CHECK(pull > 1.0);
    sar_result_destroy(history);

    extra[1] = "position_violations";
    sar_error error = {0};
    CHECK_STATUS(sar_trial_run(&def, &trial, NULL, &error), SAR_E_ARG);
    CHECK(strstr(error.message, "position_violations"));
    done(&def);
}

TEST(energies_add_up_to_the_drift)
{
    const char* extra[] = {"energy.drift", "energy.kinetic", "energy.potential"};
    sar_trial_def def = slider_crank("step=1e-3 end=1");
    def.extra = extra;
    def.extra_count = 3;
    sar_result* history = NULL;
    sar_trial trial;
    CHECK_STATUS(sar_trial_run(&def, &trial, &history, NULL), SAR_OK);
    int first = sar_result_find(history, "energy.drift");
    const double* drift = sar_result_column(history, first);
    const double* kinetic = sar_result_column(history, first + 1);
    const double* potential = sar_result_column(history, first + 2);
    double most = 0.0;
    for (int k = 0; k < sar_result_rows(history); k++) {
        CHECK_NEAR(kinetic[k] + potential[k] - trial.statistics.energy_initial, drift[k], 1e-12);
        most = fmax(most, kinetic[k]);
    }
    CHECK_NEAR(most, trial.statistics.kinetic_max, 1e-12);
    sar_result_destroy(history);
    done(&def);
}

typedef struct samples {
    int count;
    double last;
} samples;

static void see(void* context, const sar_simulation* s)
{
    samples* x = context;
    x->count++;
    x->last = sar_simulation_time(s);
}

TEST(every_sample_is_shown)
{
    sar_trial_def def = slider_crank("step=1e-3 end=1 sample=0.1");
    samples x = {0};
    def.sampled = see;
    def.context = &x;
    sar_result* history = NULL;
    sar_trial trial;
    CHECK_STATUS(sar_trial_run(&def, &trial, &history, NULL), SAR_OK);
    assert_int_equal(x.count, 11);
    CHECK_NEAR(x.last, 1.0, 0.0);
    CHECK(trial.wall > 0.0);
    sar_result_destroy(history);
    done(&def);
}

/* [gonzalez2016, Fig. 6]: penalty and explicit Euler leave the branch at t = 2.17 s, the third
 * singular configuration; how fast it is there depends on what was lost in the second. */
TEST(a_branch_change_has_its_time)
{
    sar_trial_def def = slider_crank("formulation=penalty integrator=euler step=1e-5 alpha=1e8 "
                                     "omega=10 xi=1 end=2.5");
    sar_trial trial;
    CHECK_STATUS(sar_trial_run(&def, &trial, NULL, NULL), SAR_OK);
    assert_int_equal(trial.branch_changes, 1);
    CHECK_NEAR(trial.branch_changed, 2.17, 0.1);
    done(&def);
}

TEST(a_failed_run_is_a_result)
{
    sar_trial_def def = slider_crank("step=1e-3 alpha=1e3 rescue=0 sample=0.01");
    sar_result* history = NULL;
    sar_trial trial;
    CHECK_STATUS(sar_trial_run(&def, &trial, &history, NULL), SAR_OK);
    CHECK(trial.status > 0);
    CHECK(strstr(trial.failure, "did not converge"));
    CHECK(trial.reached > 0.0 && trial.reached < 10.0);
    const double* t = sar_result_time(history);
    CHECK(t[sar_result_rows(history) - 1] <= trial.reached);
    CHECK(isnan(trial.error));
    sar_result_destroy(history);
    done(&def);
}

TEST(the_time_limit_holds_without_samples)
{
    sar_trial_def def = slider_crank("step=1e-6 sample=10"); // no sample before the end
    def.max_seconds = 1e-3;
    sar_trial trial;
    CHECK_STATUS(sar_trial_run(&def, &trial, NULL, NULL), SAR_OK);
    CHECK(trial.status != SAR_OK && !trial.stopped);
    CHECK(strstr(trial.failure, "took more than 0.001 s"));
    CHECK(trial.reached < 10.0);
    done(&def);
}

static int watch(void* context, double t, long steps)
{
    (void)steps;
    *(double*)context = t;
    return t < 2.0;
}

TEST(watch_follows_and_stops_a_run)
{
    sar_trial_def def = slider_crank("step=1e-3");
    double seen = 0.0;
    def.watch = watch;
    def.context = &seen;
    sar_trial trial;
    CHECK_STATUS(sar_trial_run(&def, &trial, NULL, NULL), SAR_OK);
    assert_int_equal(trial.stopped, 1);
    CHECK(seen >= 2.0 && seen < 3.0);
    CHECK_NEAR(trial.reached, seen, 0.0);
    done(&def);
}

TEST(a_mechanism_that_cannot_be_assembled_has_an_empty_history)
{
    problem_run run;
    problem_parse(&run, "sarrus: 1\nname: far\ndimension: 2\n"
                        "ground: {points: {P: [5, 0]}}\n"
                        "bodies: {rod: {mass: 1, inertia: 1, angle: 0, points: {tip: [1, 0]}}}\n"
                        "joints:\n"
                        "  a: {type: revolute, between: [ground.origin, rod.origin]}\n"
                        "  b: {type: revolute, between: [ground.P, rod.tip]}\n"
                        "outputs: {y: rod.tip.y}\n");
    sar_trial_def def = {.model = run.model, .options = run.options};
    sar_result* history = NULL;
    sar_trial trial;
    CHECK_STATUS(sar_trial_run(&def, &trial, &history, NULL), SAR_OK);
    CHECK_STATUS(trial.status, SAR_E_ASSEMBLY);
    CHECK(strstr(trial.failure, "cannot be assembled"));
    assert_int_equal(sar_result_rows(history), 0);
    sar_result_destroy(history);
    problem_free(&run);
}
