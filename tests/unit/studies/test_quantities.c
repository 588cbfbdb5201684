/* The table of quantities: names are unique, older ones lead to the same, values are those of the
 * library's own functions. */
#include "problem_run.h"

#include "sarrus/quantities.h"

TEST(names_of_measures_are_unique)
{
    for (int m = 0; m < SAR_MEASURES; m++) {
        const sar_measure x = sar_measure_at(m);
        char older[128];
        assert_int_equal(sar_measure_find(x.name, 0), m);
        snprintf(older, sizeof older, "%s", x.older);
        for (char* word = strtok(older, " "); word; word = strtok(NULL, " ")) {
            assert_int_equal(sar_measure_find(word, 1), m);
            assert_int_equal(sar_measure_find(word, 0), -1);
        }
        CHECK(*x.text && *x.head && strlen(x.head) <= 9);
    }
    assert_int_equal(sar_measure_find("drfit", 1), -1);
    assert_int_equal(sar_measure_find("", 1), -1);
}

TEST(measures_are_numbers_of_the_trial)
{
    sar_trial t = {.error = 3, .reached = 4};
    t.statistics.energy_max_drift = 1;
    t.statistics.energy_worst_drift = -1;
    t.statistics.steps = 7;
    t.statistics.violation.velocity = 5;
    CHECK_NEAR(sar_measure_get(sar_measure_find("drift", 1), &t), 1, 0);
    CHECK_NEAR(sar_measure_get(SAR_MEASURE_SIGNED_DRIFT, &t), -1, 0);
    CHECK_NEAR(sar_measure_get(sar_measure_find("eps_T", 1), &t), 3, 0);
    CHECK_NEAR(sar_measure_get(SAR_MEASURE_STEPS, &t), 7, 0);
    CHECK_NEAR(sar_measure_get(sar_measure_find("violation.velocity", 0), &t), 5, 0);
    CHECK(isnan(sar_measure_get(SAR_MEASURES, &t)));
}

static double value_of(problem_run* run, const char* name)
{
    sar_signal signal;
    sar_error error = {0};
    double value = NAN;
    if (sar_signal_find(run->model, name, &signal, &error) != SAR_OK) fail_msg("%s", error.message);
    CHECK_STATUS(sar_signal_get(&signal, run->simulation, &value), SAR_OK);
    return value;
}

TEST(signals_are_what_the_observers_say)
{
    problem_run run;
    problem_start(&run, PROBLEM("slider-crank-1"), NULL, "step=1e-2 end=0.3");
    problem_steps(&run, 10);
    const sar_energy e = sar_simulation_energy(run.simulation);
    double force[3], torque[3];
    CHECK_STATUS(sar_simulation_reaction(run.simulation, (sar_joint_id){0}, force, torque), SAR_OK);
    CHECK_NEAR(value_of(&run, "energy.kinetic"), e.kinetic, 0);
    CHECK_NEAR(value_of(&run, "energy.total"), e.kinetic + e.potential, 0);
    CHECK_NEAR(value_of(&run, "method.step"), run.statistics.step, 0);
    CHECK_NEAR(value_of(&run, "O.fy"), force[1], 0);
    CHECK_NEAR(value_of(&run, "O.tz"), torque[2], 0);
    problem_free(&run);
}

TEST(unknown_signals_are_refused_with_a_list)
{
    problem_run run;
    problem_load(&run, PROBLEM("slider-crank-1"), NULL);
    static const char* const wrong[] = {
        "energy", "O.f", "O.fx.y", "nobody.fx", "method.multipliers", "position", ""};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        sar_signal signal;
        sar_error error = {0};
        CHECK_STATUS(sar_signal_find(run.model, wrong[k], &signal, &error), SAR_E_ARG);
        CHECK(strstr(error.message, "energy.kinetic") && strstr(error.message, "method.penalty"));
    }
    problem_free(&run);
}
