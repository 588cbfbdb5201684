/* The robot of problems/puma: torques of its manoeuvre against an independent recursion, the same
 * torques applied forwards until the hand is back, what happens when the hand is held and released,
 * and the accelerations that others published for it [corke1996]. In all coordinates. */
#include "problem_run.h"

#include "expression/table.h"
#include "sarrus/motion.h"

enum { AXES = 6, PHASES = 3 };
#define PUMA(file) SARRUS_ROOT "/problems/puma/" file

static sar_result* read_table(const char* path)
{
    sar_error error = {0};
    sar_result* table = NULL;
    if (sar_result_read(path, &table, &error) != SAR_OK) fail_msg("%s", error.message);
    return table;
}

/* ---- inverse dynamics ----------------------------------------------------------------------- */

typedef struct phase {
    problem_run run; ///< its model and options
    sar_motion* motion;
} phase;

static void phase_begin(phase* p, int k, const char* coordinates)
{
    char path[512];
    sar_error error = {0};
    snprintf(path, sizeof path, PUMA("inverse-%d.yaml"), k + 1);
    problem_load(&p->run, path, NULL);
    use_option(&p->run.options, "coordinates", coordinates);
    if (sar_motion_create(p->run.model, &p->run.options, &p->motion, &error) != SAR_OK)
        fail_msg("%s", error.message);
    CHECK_STATUS(sar_motion_assemble(p->motion, NULL), SAR_OK);
}

static void phase_end(phase* p)
{
    sar_motion_destroy(p->motion);
    problem_free(&p->run);
}

/// Torque of the drive `d1` ... `d6`; phase 2 has three of them.
static double torque(const phase* p, const char* drive)
{
    sar_joint_id id = {-1};
    double value = NAN;
    CHECK_STATUS(sar_model_find_joint(p->run.model, drive, strlen(drive), &id), SAR_OK);
    CHECK_STATUS(sar_motion_drive_force(p->motion, id, &value), SAR_OK);
    return value;
}

/// All outputs of a phase at one row of the reference, whose last digit is the tenth.
static void check_row(phase* p, const sar_result* reference, int row)
{
    double values[MOST_OUTPUTS], t = sar_result_time(reference)[row];
    CHECK_STATUS(sar_motion_go(p->motion, t), SAR_OK);
    CHECK_STATUS(sar_motion_outputs(p->motion, values), SAR_OK);
    for (int k = 0; k < sar_model_outputs(p->run.model); k++) {
        const char* name = sar_model_output_name(p->run.model, k);
        int column = sar_result_find(reference, name);
        CHECK(column >= 0);
        double wanted = sar_result_column(reference, column)[row];
        if (!(fabs(values[k] - wanted) <= 1e-9))
            fail_msg("%s, %s, %s at %g s: %.12g, wanted %.12g", sar_model_name(p->run.model),
                     p->run.options.coordinates, name, t, values[k], wanted);
    }
}

TEST(inverse_dynamics_meets_the_reference)
{
    sar_result* reference = read_table(PUMA("reference.csv"));
    const double* time = sar_result_time(reference);
    for (int k = 0; k < PHASES; k++)
        for (int c = 0; c < sar_axis_members(SAR_AXIS_COORDINATES); c++) {
            phase p;
            phase_begin(&p, k, sar_axis_member(SAR_AXIS_COORDINATES, c).name);
            const sar_options* o = &p.run.options;
            for (int i = 0; i < sar_result_rows(reference); i += IN_FULL_OR_SAMPLE(1, 50))
                if (time[i] > o->start - 1e-9 && time[i] < o->end + 1e-9)
                    check_row(&p, reference, i);
            phase_end(&p);
        }
    sar_result_destroy(reference);
}

/* The tables that the model reads are what its phases need: at their points, and between them. */
static void check_table(phase* p, const sar_result* file, int column)
{
    const double *x = sar_result_time(file), *y = sar_result_column(file, column);
    const char* drive = sar_result_name(file, column);
    char name[8];
    sari_table* table = NULL;
    double at_points = 0, between = 0, inside = 0, scale = 0;
    sar_table_def def = sar_table_def_default();
    def.name = "torque", def.length = sar_result_rows(file), def.x = x, def.y = y;
    def.interpolation = SAR_INTERPOLATION_CUBIC;
    CHECK_STATUS(sari_table_create(&def, &table, NULL), SAR_OK);
    snprintf(name, sizeof name, "%.2s", drive);
    for (int i = 0; i + 1 < def.length; i += IN_FULL_OR_SAMPLE(2, 100)) {
        double middle = 0.5 * (x[i] + x[i + 1]);
        CHECK_STATUS(sar_motion_go(p->motion, x[i]), SAR_OK);
        at_points = fmax(at_points, fabs(torque(p, name) - y[i]));
        CHECK_STATUS(sar_motion_go(p->motion, middle), SAR_OK);
        double error = fabs(torque(p, name) - sari_table_value(table, middle));
        between = fmax(between, error);
        if (i > 10 && i < def.length - 10) inside = fmax(inside, error);
        scale = fmax(scale, fabs(y[i]));
    }
    print_message("%s, %s: largest %.2g N m; off by %.1e, between points %.1e, away from the "
                  "ends %.1e\n",
                  sar_model_name(p->run.model), drive, scale, at_points, between, inside);
    CHECK_AT_MOST(at_points, 1e-13);
    CHECK_AT_MOST(between, 1e-9 * scale);
    CHECK_AT_MOST(inside, 1e-10 * scale);
    sari_table_destroy(table);
}

TEST(torque_files_are_those_of_the_phases)
{
    for (int k = 0; k < PHASES; k++) {
        phase p;
        char path[512];
        snprintf(path, sizeof path, PUMA("torques-%d.csv"), k + 1);
        sar_result* file = read_table(path);
        CHECK(sar_result_columns(file) == (k == 1 ? 3 : AXES));
        phase_begin(&p, k, "cartesian"); // other coordinates than those that made the file
        for (int j = 0; j < sar_result_columns(file); j++) check_table(&p, file, j);
        phase_end(&p);
        sar_result_destroy(file);
    }
}

/* ---- the manoeuvre -------------------------------------------------------------------------- */

static double last(const problem_run* run, const char* name)
{
    return problem_column(run, name)[run->table.rows - 1];
}

static double distance(const char* options, double step)
{
    problem_run run;
    char text[200];
    snprintf(text, sizeof text, "%s step=%.17g", options, step);
    problem_run_all(&run, PROBLEM("puma"), NULL, text, 1000);
    double value = last(&run, "distance");
    CHECK(run.statistics.not_converged == 0);
    problem_free(&run);
    return value;
}

/* The trapezoidal rule: a half of the step leaves a quarter of the distance. */
TEST(the_hand_comes_back_with_second_order)
{
    for (int c = 0; c < sar_axis_members(SAR_AXIS_COORDINATES); c++) {
        char options[100];
        double at[3];
        snprintf(options, sizeof options, "formulation=al3 integrator=trapezoidal coordinates=%s",
                 sar_axis_member(SAR_AXIS_COORDINATES, c).name);
        for (int k = 0; k < 3; k++) at[k] = distance(options, 0.01 / (1 << k));
        print_message("%s: %.4e %.4e %.4e m\n", sar_axis_member(SAR_AXIS_COORDINATES, c).name,
                      at[0], at[1], at[2]);
        CHECK_AT_MOST(at[0], 2e-4);
        for (int k = 0; k < 2; k++) CHECK_NEAR(log2(at[k] / at[k + 1]), 2, 0.02);
    }
    CHECK_NEAR(distance("preset=topological", 0.01), distance("preset=hybrid", 0.01), 1e-6);
}

/* Higher orders follow the reference all the way, the force that holds the hand included. */
TEST(the_manoeuvre_is_that_of_the_reference)
{
    static const char columns[] = "q1 q2 q3 q4 q5 q6 hx hy hz lamx lamy lamz";
    static const char* const methods[] = {"formulation=nullspace integrator=rk4 step=0.005",
                                          "formulation=al1 integrator=rk4 step=0.005",
                                          "formulation=al1 integrator=dopri5 tolerance=1e-11"};
    for (int c = 0; c < sar_axis_members(SAR_AXIS_COORDINATES); c++)
        for (int m = 0; m < 3; m++) {
            if (IN_FULL_OR_SAMPLE(0, m != c % 3)) continue; // they take turns
            problem_run run;
            char options[120];
            int fixed = strstr(methods[m], "rk4") != NULL;
            snprintf(options, sizeof options, "coordinates=%s %s",
                     sar_axis_member(SAR_AXIS_COORDINATES, c).name, methods[m]);
            problem_start(&run, PROBLEM("puma"), NULL, options);
            if (fixed) {
                problem_steps(&run, 2);
                sar_comparison got = problem_compare(&run, REFERENCE("puma"), columns);
                print_message("%s: %s off by %.1e, hand %.1e m\n", options, got.max_name,
                              got.max_error, last(&run, "distance"));
                CHECK_AT_MOST(got.max_error, 1e-7);
                CHECK_AT_MOST(last(&run, "distance"), 1e-9);
            } else {
                double values[MOST_OUTPUTS];
                while (!sar_simulation_done(run.simulation))
                    CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_OK);
                CHECK_STATUS(sar_simulation_outputs(run.simulation, values), SAR_OK);
                CHECK_TEXT(sar_model_output_name(run.model, 9), "distance");
                print_message("%s: hand %.1e m\n", options, values[9]);
                CHECK_AT_MOST(values[9], 1e-9);
            }
            problem_free(&run);
        }
}

/* ---- held and released ---------------------------------------------------------------------- */

/// The model with changes of its text; it reads its tables still.
static void begin_changed(problem_run* run, char* text, const char* parameters, const char* options)
{
    setting_list list = {.count = 0};
    char* messages = NULL;
    memset(run, 0, sizeof *run);
    run->options = sar_options_default();
    each_setting(parameters, use_parameter, &list);
    if (sar_model_parse(text, strlen(text), PROBLEM("puma"), list.at, list.count, &run->model,
                        &run->options, &messages) != SAR_OK)
        fail_msg("%s", messages);
    sar_text_free(messages);
    problem_create(run, options);
    CHECK_STATUS(sar_simulation_assemble(run->simulation, &run->assembly), SAR_OK);
}

static void change(char** text, const char* old, const char* new)
{
    CHECK(problem_replace(text, old, new) == 1);
}

static void go_to(problem_run* run, double t)
{
    while (sar_simulation_time(run->simulation) < t)
        if (sar_simulation_advance(run->simulation) != SAR_OK)
            fail_msg("%s: %s", run->options.coordinates, sar_simulation_failure(run->simulation));
    CHECK(sar_simulation_time(run->simulation) == t);
}

static double difference(const double a[3], const double b[3], const double c[3])
{
    double most = 0;
    for (int k = 0; k < 3; k++) most = fmax(most, fabs(a[k] - b[k] - c[k]));
    return most;
}

/// What the ground gave is the change of momentum. `scale` of the momenta that pass through joints.
static void check_momentum(const sar_switch* w)
{
    double scale = 0;
    for (int i = 0; i < w->impulses; i++)
        for (int k = 0; k < 3; k++) scale = fmax(scale, fabs(w->joint_impulse[i].force[k]));
    for (int k = 0; k < 3; k++) scale = fmax(scale, fabs(w->momentum_before[k]));
    CHECK_AT_MOST(difference(w->momentum_after, w->momentum_before, w->impulse), 1e-12 * scale);
    CHECK_AT_MOST(difference(w->angular_after, w->angular_before, w->angular_impulse),
                  1e-12 * scale);
}

/// The impulse of the pin brings the hand to rest: it does half of impulse times speed.
static void check_pinned(const problem_run* run, const sar_switch* w, const double speed[3],
                         double drift)
{
    sar_joint_id pin;
    double work = 0;
    CHECK_STATUS(sar_model_find_joint(run->model, "pin", 3, &pin), SAR_OK);
    for (int i = 0; i < w->impulses; i++)
        for (int k = 0; w->joint_impulse[i].joint == pin.i && k < 3; k++)
            work += 0.5 * w->joint_impulse[i].force[k] * speed[k];
    CHECK(w->kinetic_before - w->kinetic_after > 0.05);
    CHECK_NEAR(w->kinetic_after - w->kinetic_before, work, drift * w->kinetic_before);
    CHECK_AT_MOST(w->moved + w->turned, drift); // it attaches where it is
    CHECK_NEAR(w->rank.dof, 3, 0);
    check_momentum(w);
}

static void check_released(const sar_switch* w, double drift)
{
    CHECK_NEAR(w->kinetic_after, w->kinetic_before, drift * w->kinetic_before);
    CHECK_AT_MOST(difference(w->momentum_after, w->momentum_before, (double[3]){0}), 10 * drift);
    CHECK_NEAR(w->rank.dof, AXES, 0);
    check_momentum(w);
}

/* Caught at full speed, so that there is something to account for. A method that lets the joints
 * drift apart has them closed at the change, which moves bodies and costs energy as well. */
TEST(energy_and_momentum_close_where_it_is_held_and_released)
{
    static const struct {
        const char* options;
        double drift;
    } methods[] = {{"formulation=al3 integrator=trapezoidal alpha=inf step=0.01", 1e-12},
                   {"formulation=nullspace integrator=rk4 step=0.002", 1e-6},
                   {"formulation=al1 integrator=dopri5 tolerance=1e-10", 1e-6}};
    char* text = problem_text(PROBLEM("puma"));
    change(&text, "{at: 2, add", "{at: 1, add");
    change(&text, "{at: 6, remove", "{at: 1.5, remove");
    change(&text, "outputs:\n",
           "outputs:\n  vx: link6.hand.vx\n  vy: link6.hand.vy\n  vz: link6.hand.vz\n");
    for (int c = 0; c < sar_axis_members(SAR_AXIS_COORDINATES); c++)
        for (int m = 0; m < 3; m++) {
            problem_run run;
            char options[120];
            double before[MOST_OUTPUTS], drift = methods[m].drift;
            const sar_switch* list;
            snprintf(options, sizeof options, "coordinates=%s end=2 %s",
                     sar_axis_member(SAR_AXIS_COORDINATES, c).name, methods[m].options);
            begin_changed(&run, text, NULL, options);
            go_to(&run, 1); // outputs are of the state before the change
            CHECK_STATUS(sar_simulation_outputs(run.simulation, before), SAR_OK);
            go_to(&run, 2);
            CHECK(sar_simulation_switches(run.simulation, &list) == 2);
            check_pinned(&run, &list[0], before, drift);
            check_released(&list[1], drift);
            problem_free(&run);
        }
    free(text);
}

static long allocations;

static void* count_allocate(void* context, size_t bytes)
{
    ++*(long*)context;
    return calloc(1, bytes ? bytes : 1);
}

static void count_release(void* context, void* memory)
{
    (void)context;
    free(memory);
}

TEST(nothing_is_allocated_on_the_way)
{
    static const char* const presets[] = {"solver=sparse", "preset=topological", "preset=hybrid",
                                          "coordinates=cartesian", "coordinates=increments"};
    sar_set_allocator(&(sar_allocator){count_allocate, count_release, &allocations});
    for (int k = 0; k < 5; k++) {
        problem_run run;
        char options[100];
        const sar_switch* list;
        snprintf(options, sizeof options, "%s step=0.1", presets[k]);
        problem_start(&run, PROBLEM("puma"), NULL, options);
        long before = allocations;
        go_to(&run, 8);
        CHECK(allocations == before);
        CHECK(sar_simulation_switches(run.simulation, &list) == 2);
        CHECK_NEAR(list[0].t, 2, 0);
        CHECK_NEAR(list[1].t, 6, 0);
        problem_free(&run);
    }
    sar_set_allocator(NULL);
}

/* ---- published accelerations ---------------------------------------------------------------- */

/* Rates r, and after h and 2h: (4 r(h) - r(2h) - 3 r(0))/2h is the acceleration, of second order
 * in h. */
static void accelerations(const char* text, const char* options, double out[AXES])
{
    const double h = 1e-4;
    double r[3][MOST_OUTPUTS];
    char all[200];
    problem_run run;
    char* copy = strcpy(calloc(1, strlen(text) + 1), text);
    snprintf(all, sizeof all, "%s step=%g end=%g", options, h, 2 * h);
    begin_changed(&run, copy, "g=9.81 friction=1 motors=1", all);
    for (int k = 0; k < 3; k++) {
        if (k) CHECK_STATUS(sar_simulation_advance(run.simulation), SAR_OK);
        CHECK_STATUS(sar_simulation_outputs(run.simulation, r[k]), SAR_OK);
    }
    for (int k = 0; k < AXES; k++) out[k] = (4 * r[1][k] - r[2][k] - 3 * r[0][k]) / (2 * h);
    problem_free(&run);
    free(copy);
}

/* Gravity, friction of both kinds, the inertia of the motors, and torques that do not balance. */
TEST(accelerations_are_the_published_ones)
{
    static const double printed[AXES] = {-7.4102, -9.8432, -10.9694, -4.4314, -0.9881, 21.0228};
    static const char* const given[AXES] = {"1", "3.2", "1.8", "0.1", "0.7", "4.6"};
    static const char* const methods[] = {"formulation=nullspace", "formulation=al1"};
    char* text = problem_text(PROBLEM("puma"));
    for (int k = 0; k < AXES; k++) {
        char old[64], new[64];
        snprintf(old, sizeof old, "-(t < 2 ? free%d(t)", k + 1);
        snprintf(new, sizeof new, "-(t < 2 ? %s", given[k]);
        change(&text, old, new);
        snprintf(old, sizeof old, "  q%d: q%d.angle", k + 1, k + 1);
        snprintf(new, sizeof new, "  q%d: q%d.rate", k + 1, k + 1);
        change(&text, old, new);
    }
    change(&text, "start: {",
           "start: {q1.rate: 0.1, q2.rate: 0.2, q3.rate: 0.8, q4.rate: 0.2, "
           "q5.rate: 0.5, q6.rate: 1, ");
    for (int c = 0; c < sar_axis_members(SAR_AXIS_COORDINATES); c++)
        for (int m = 0; m < 2; m++) {
            double got[AXES];
            char options[100];
            snprintf(options, sizeof options, "coordinates=%s integrator=rk4 %s",
                     sar_axis_member(SAR_AXIS_COORDINATES, c).name, methods[m]);
            accelerations(text, options, got);
            for (int k = 0; k < AXES; k++)
                if (!(fabs(got[k] - printed[k]) <= 0.6e-4))
                    fail_msg("%s, axis %d: %.6f, printed %.4f", options, k + 1, got[k], printed[k]);
        }
    free(text);
}
