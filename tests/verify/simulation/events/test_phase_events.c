/* Phases along a run: events on time, orders of accuracy across changes, agreement of methods, and no memory taken at a change. */
#include "counting_allocator.h"
#include "verify/simulation/events/phases_fixture.h"

/* ---- events --------------------------------------------------------------------------------- */

// Falls freely to a height, where it is caught, until it is let go; the step does not fit.
static const char FALL[] =
    "sarrus: 1\nname: fall\ndimension: 3\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {h: 0.3, t2: 0.5}\n"
    "bodies:\n"
    "  hand: {mass: 2, inertia: [0.1, 0.2, 0.15], points: {tip: [0, 0, 0]}, position: [0, 0, 1]}\n"
    "joints:\n"
    "  pin: {type: spherical, between: [ground.origin, hand.tip], active: no, attach: here}\n"
    "phases:\n"
    "  - {when: hand.tip.z - h, crossing: falling, add: [pin]}\n"
    "  - {at: t2, remove: [pin]}\n"
    "  - {when: hand.tip.z - h, crossing: falling, add: [pin]}\n" // it starts there: no crossing
    "outputs: {z: hand.tip.z}\n"
    "method: {end: 0.6, step: 0.013}\n";

/* Their errors do not vanish where the motion is a polynomial. */
static int is_by_differences(const method* m)
{
    return strstr(m->options, "=bdf") || strstr(m->options, "=ida");
}

static void check_fall(problem_run* run, const method* m)
{
    double z, error = is_by_differences(m) ? 1e-7 : 1e-10;
    finish(run);
    const sar_switch* list;
    CHECK(sar_simulation_switches(run->simulation, &list) == 2);
    CHECK_NEAR(list[0].t, sqrt(2 * 0.7 / 9.81), error);
    CHECK_NEAR(list[0].kinetic_before, 2 * 9.81 * 0.7, 10 * 2 * 9.81 * error);
    CHECK_NEAR(list[0].kinetic_after, 0, 1e-20);
    CHECK_NEAR(list[0].impulse[2], 2 * sqrt(2 * 0.7 * 9.81), 100 * error);
    CHECK(list[1].t == 0.5);
    CHECK_STATUS(sar_simulation_outputs(run->simulation, &z), SAR_OK);
    CHECK_NEAR(z, 0.3 - 0.5 * 9.81 * 0.01, 10 * error);
    CHECK(sar_simulation_time(run->simulation) == 0.6);
}

TEST(events_are_met_in_time)
{
    with_all(FALL, "", check_fall);
}

/* An event next to the end of a step, on either side. */
TEST(events_may_come_at_any_part_of_a_step)
{
    static const double OFF[] = {-1e-4, -1e-7, -1e-10, -1e-13, 0, 1e-13, 1e-10, 1e-7, 1e-4};
    for (size_t k = 0; k < sizeof OFF / sizeof *OFF; k++)
        for (int m = 0; m < METHODS_COUNT; m++) {
            char options[200];
            const sar_switch* list;
            problem_run run;
            double t = sqrt(2 * 0.7 / 9.81);
            if (is_by_differences(&METHODS[m])) continue;
            snprintf(options, sizeof options, "coordinates=cartesian %s step=%.17g",
                     METHODS[m].options, (t + OFF[k]) / 20);
            begin(&run, FALL, options);
            finish(&run);
            CHECK(sar_simulation_switches(run.simulation, &list) == 2);
            CHECK_NEAR(list[0].t, t, 1e-10);
            CHECK_NEAR(list[0].impulse[2], 2 * sqrt(2 * 0.7 * 9.81), 1e-7);
            problem_free(&run);
        }
}

/* ---- a double pendulum whose tip is caught and let go
 * ---------------------------------------------
 */

static const char PENDULUM[] =
    "sarrus: 1\nname: pendulum\ndimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: 0.1, center: [0.5, 0], points: {end: [1, 0]}, position: [0, 0], "
    "angle: 0.3}\n"
    "  b: {mass: 1.5, inertia: 0.2, center: [0.6, 0], points: {tip: [1.1, 0]}, position: "
    "[cos(0.3), "
    "sin(0.3)],\n"
    "      angle: -0.4}\n"
    "joints:\n"
    "  A: {type: revolute, between: [ground.origin, a.origin]}\n"
    "  B: {type: revolute, between: [a.end, b.origin]}\n"
    "  grip: {type: point-on-line, between: [ground.origin, b.tip], axis: [1, 0], active: no, "
    "attach: here}\n"
    "phases:\n"
    "  - {when: b.tip.y + 0.9, crossing: falling, add: [grip]}\n"
    "  - {at: 0.83, remove: [grip]}\n"
    "  - {at: 1.07, remove: [B]}\n"
    "outputs: {x: b.tip.x, y: b.tip.y, u: a.end.x, angle: B.angle}\n"
    "method: {end: 1.2, step: 0.01}\n";

static double run_pendulum(const char* options, double out[4])
{
    problem_run run;
    begin(&run, PENDULUM, options);
    finish(&run);
    for (int k = 0; k < 3; k++) check_account(switch_of(&run, k));
    CHECK_STATUS(sar_simulation_outputs(run.simulation, out), SAR_OK);
    double drift = sar_simulation_statistics(run.simulation).energy_max_drift;
    problem_free(&run);
    return drift;
}

static void check_pendulum(problem_run* run, const method* m)
{
    double wanted[4], got[4];
    run_pendulum("coordinates=cartesian formulation=nullspace integrator=rk4 step=5e-4", wanted);
    finish(run);
    for (int k = 0; k < 3; k++) {
        const sar_switch* w = switch_of(run, k);
        check_account(w);
        CHECK_NEAR(w->rank.dof, k == 0 ? 1 : k == 1 ? 2 : 4, 0);
        if (k > 0) CHECK_NEAR(w->kinetic_before, w->kinetic_after, 1e-6);
    }
    CHECK(switch_of(run, 0)->kinetic_before - switch_of(run, 0)->kinetic_after > 0.1);
    CHECK_STATUS(sar_simulation_outputs(run->simulation, got), SAR_OK);
    CHECK_AT_MOST(largest_difference(got, wanted, 4), m->tolerance);
}

TEST(all_coordinates_and_methods_agree)
{
    with_all(PENDULUM, "step=0.002", check_pendulum);
}

/* Held by its tip as well, nothing can move. */
TEST(a_tip_that_is_held_stops_all)
{
    char* text = strcpy(calloc(1, sizeof PENDULUM), PENDULUM);
    CHECK(problem_replace(&text, "type: point-on-line", "type: revolute") == 1);
    CHECK(problem_replace(&text, "axis: [1, 0], ", "") == 1);
    for (int c = 0; c < sar_axis_members(SAR_AXIS_COORDINATES); c++) {
        char options[100];
        problem_run run;
        snprintf(options, sizeof options, "coordinates=%s end=1.05",
                 sar_axis_member(SAR_AXIS_COORDINATES, c).name);
        begin(&run, text, options);
        finish(&run);
        const sar_switch* w = switch_of(&run, 0);
        CHECK_NEAR(w->rank.dof, 0, 0);
        CHECK(w->kinetic_before > 1);
        CHECK_NEAR(w->kinetic_after, 0, 1e-20);
        check_account(w);
        CHECK_AT_MOST(switch_of(&run, 1)->kinetic_before, 1e-15);
        CHECK_NEAR(switch_of(&run, 1)->rank.dof, 2, 0);
        problem_free(&run);
    }
    free(text);
}

static double order_of(const char* options, double step)
{
    double at[4][4], error[2];
    char text[256];
    const double steps[4] = {step, step / 2, step / 4, step / 32};
    for (int k = 0; k < 4; k++) {
        snprintf(text, sizeof text, "%s step=%.17g", options, steps[k]);
        run_pendulum(text, at[k]);
    }
    for (int k = 0; k < 2; k++) error[k] = largest_difference(at[2 * k], at[3], 4);
    print_message("%s: errors %.2e %.2e\n", options, error[0], error[1]);
    return log2(error[0] / error[1]) / 2;
}

TEST(orders_are_kept_across_changes)
{
    for (int c = 0; c < sar_axis_members(SAR_AXIS_COORDINATES); c++) {
        char options[200];
        snprintf(options, sizeof options, "coordinates=%s formulation=al3",
                 sar_axis_member(SAR_AXIS_COORDINATES, c).name);
        CHECK(order_of(options, 0.005) > 1.8);

        snprintf(options, sizeof options, "coordinates=%s formulation=nullspace integrator=rk4",
                 sar_axis_member(SAR_AXIS_COORDINATES, c).name);
        CHECK(order_of(options, 0.01) > 3.7);
    }
    CHECK(order_of("coordinates=cartesian formulation=al1 integrator=rk4", 0.01) > 3.7);
}

/* ---- the rest
 * ------------------------------------------------------------------------------------
 */

/* Back at the start all is as it was. */
TEST(a_run_can_begin_again)
{
    problem_run run;
    double first[4], second[4];
    begin(&run, PENDULUM, "");
    finish(&run);
    CHECK_STATUS(sar_simulation_outputs(run.simulation, first), SAR_OK);
    CHECK_STATUS(sar_simulation_assemble(run.simulation, NULL), SAR_OK);
    const sar_switch* list;
    CHECK(sar_simulation_switches(run.simulation, &list) == 0);
    finish(&run);
    CHECK_STATUS(sar_simulation_outputs(run.simulation, second), SAR_OK);
    CHECK(memcmp(first, second, sizeof first) == 0);
    problem_free(&run);
}

/* A joint whose ends cannot meet is explained. */
TEST(what_cannot_be_joined_is_said)
{
    char* text = strcpy(calloc(1, sizeof PENDULUM), PENDULUM);
    problem_run run;
    problem_replace(&text, "axis: [1, 0], active: no, attach: here", "active: no");
    problem_replace(&text, "type: point-on-line", "type: revolute");
    problem_replace(&text, "ground.origin, b.tip", "ground.far, b.tip");
    problem_replace(&text, "bodies:\n", "ground: {points: {far: [5, 0]}}\nbodies:\n");
    begin(&run, text, "");
    sar_status st = SAR_OK;
    while (st == SAR_OK && !sar_simulation_done(run.simulation))
        st = sar_simulation_advance(run.simulation);
    CHECK_STATUS(st, SAR_E_ASSEMBLY);
    CHECK(strstr(sar_simulation_failure(run.simulation), "phase 1 at t = "));
    CHECK(strstr(sar_simulation_failure(run.simulation), "grip"));
    problem_free(&run);
    free(text);
}

static void check_no_allocation(problem_run* run, const method* m)
{
    (void)m;
    const sar_switch* list;
    long before = COUNTER.allocations;
    finish(run);
    CHECK(sar_simulation_switches(run->simulation, &list) == 3 ||
          strcmp(sar_model_name(run->model), "pendulum"));
    if (COUNTER.allocations != before)
        fail_msg("%ld allocations, wanted none", COUNTER.allocations - before);
}

TEST(a_change_allocates_nothing)
{
    use_counter(NULL);
    with_all(PENDULUM, "step=0.002", check_no_allocation);
    drop_counter(NULL);
    CHECK(COUNTER.live == 0);
}

TEST(every_failing_allocation_is_survived)
{
    problem_run run;
    use_counter(NULL);
    problem_parse(&run, PENDULUM);
    for (int c = 0; c < sar_axis_members(SAR_AXIS_COORDINATES); c++) {
        use_option(&run.options, "coordinates", sar_axis_member(SAR_AXIS_COORDINATES, c).name);
        sar_status st = SAR_E_NOMEM;
        for (long n = 1; st != SAR_OK; n += IN_FULL_OR_SAMPLE(1, 7)) {
            sar_simulation* s = NULL;
            long live = COUNTER.live;
            COUNTER.fail_at = COUNTER.allocations + n;
            st = sar_simulation_create(run.model, &run.options, &s, NULL);
            CHECK(st == SAR_OK || st == SAR_E_NOMEM);
            COUNTER.fail_at = 0;
            sar_simulation_destroy(s);
            CHECK(COUNTER.live == live);
        }
    }
    problem_free(&run);
    drop_counter(NULL);
    CHECK(COUNTER.live == 0);
}
