/* Memory: a step takes none, and running out of it anywhere in `create` leaves nothing behind. */
#include "counting_allocator.h"
#include "problem_run.h"

#include "sarrus/pose.h"

#include "simulation/simulation.h"

static const char* const MODELS[] = {
    PROBLEM("slider-crank-1"),
    PROBLEM("n-four-bar"),
    PROBLEM("bricard"),
    TEST_MODEL("bushing"),
    TEST_MODEL("bushing-planar"),
    TEST_MODEL("spring"),
    TEST_MODEL("spring-force"),
    TEST_MODEL("spring-table"),
    TEST_MODEL("rotational-spring"),
    TEST_MODEL("stop"),
    TEST_MODEL("friction"),
    TEST_MODEL("friction-reaction"),
    TEST_MODEL("rotational-table"),
    TEST_MODEL("rotational-drag"),
    TEST_MODEL("torque"),
    TEST_MODEL("signal-force"),
    TEST_MODEL("follower-force"),
    TEST_MODEL("follower-force-spatial"),
    TEST_MODEL("force-reaction"),
    TEST_MODEL("driven-crank"),
    TEST_MODEL("gear-train"),
    TEST_MODEL("screw-jack"),
};

/* Everything a user can ask for between two steps. */
static void observe(problem_run* run)
{
    double values[MOST_OUTPUTS], force[3], torque[3], p[3], quaternion[4];
    CHECK_STATUS(sar_simulation_outputs(run->simulation, values), SAR_OK);
    for (int joint = 0; joint < sar_model_joints(run->model); joint++)
        CHECK_STATUS(sar_simulation_reaction(run->simulation, (sar_joint_id){joint}, force, torque),
                     SAR_OK);
    for (int body = 0; body < sar_model_bodies(run->model); body++)
        sar_simulation_pose(run->simulation, (sar_body_id){body}, p, quaternion);
    (void)sar_simulation_energy(run->simulation);
    (void)sar_simulation_violation(run->simulation);
    (void)sar_simulation_statistics(run->simulation);
}

/* All steps by so many threads, whether that pays or not. */
static void share(sar_simulation* s, int threads)
{
    s->sharing.trial = 0; // nothing to try
    sari_system_share(s->system, threads);
    s->form.ops->share(s->form.self, threads);
}

static void check_steps_of(const char* path, const char* parameters, const char* options)
{
    problem_run run;
    problem_start(&run, path, parameters, options);
    if (run.options.threads > 1) share(run.simulation, run.options.threads);
    observe(&run); // the first call may allocate
    long before = COUNTER.allocations;
    for (int k = 0; k < 1000 && !sar_simulation_done(run.simulation); k++) {
        if (sar_simulation_advance(run.simulation) != SAR_OK)
            fail_msg("%s: %s", path, sar_simulation_failure(run.simulation));
        if (k % 10 == 0) observe(&run);
    }
    if (COUNTER.allocations != before)
        fail_msg("%s (%s): %ld allocations during the steps, wanted none", path, options,
                 COUNTER.allocations - before);
    problem_free(&run);
    if (COUNTER.live != 0)
        fail_msg("%s (%s): %ld pieces of memory not released", path, options, COUNTER.live);
}

static void check_steps(const char* path, const char* options)
{
    check_steps_of(path, NULL, options);
}

/* A tyre, its breakpoint and an integral. */
TEST_WITH(nor_does_one_that_starts_afresh, use_counter, drop_counter)
{
    check_steps_of(PROBLEM("iltis-suspension"), "t_kerb=0.05", "coordinates=natural end=0.2");
    check_steps_of(PROBLEM("iltis-suspension"), "t_kerb=0.05005",
                   "coordinates=natural integrator=trapezoidal-variable end=0.2");
}

/* Room for the motions is made at the start, when their number is known. */
TEST_WITH(nor_does_one_in_a_chart, use_counter, drop_counter)
{
    static const char* const OPTIONS[] = {
        "formulation=chart integrator=dop853 tolerance=1e-6 coordinates=natural solver=dense end=2",
        "formulation=chart integrator=dop853 tolerance=1e-6 coordinates=natural solver=sparse "
        "end=2"};
    for (int k = 0; k < 2; k++) {
        check_steps(PROBLEM("slider-crank-singular"), OPTIONS[k]);
        check_steps(PROBLEM("bricard"), OPTIONS[k]);
        check_steps_of(PROBLEM("n-four-bar"), "n=10", OPTIONS[k]);
    }
}

TEST_WITH(a_step_allocates_nothing, use_counter, drop_counter)
{
    static const char* const OPTIONS[] = {
        "coordinates=natural end=10", "coordinates=cartesian end=10",
        "coordinates=natural end=10 alpha=inf", "coordinates=natural solver=dense end=10",
        "coordinates=natural solver=sparse end=10"};
    static const char* const FORMS[] = {"formulation=al1", "formulation=penalty",
                                        "formulation=hamiltonian"};
    static const char* const MORE[] = {"integrator=trapezoidal solver=dense end=0.05",
                                       "integrator=trapezoidal solver=sparse end=0.05",
                                       "integrator=trapezoidal-fixed-point end=0.05",
                                       "integrator=euler end=0.05",
                                       "integrator=rk4 coordinates=cartesian end=0.05",
                                       "integrator=trapezoidal coordinates=increments end=0.05",
                                       "integrator=trapezoidal-fixed-point coordinates=increments "
                                       "end=0.05",
                                       "integrator=euler coordinates=increments "
                                       "end=0.05",
                                       "integrator=rk4 coordinates=increments end=0.05"};
    for (size_t k = 0; k < sizeof MODELS / sizeof *MODELS; k++)
        for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++)
            check_steps(MODELS[k], OPTIONS[i]);
    for (size_t k = 0; k < sizeof MODELS / sizeof *MODELS; k++)
        for (size_t f = 0; f < sizeof FORMS / sizeof *FORMS; f++)
            for (size_t i = 0; i < sizeof MORE / sizeof *MORE; i++) {
                char options[160];
                snprintf(options, sizeof options, "%s %s step=1e-3", FORMS[f], MORE[i]);
                check_steps(MODELS[k], options);
            }
}

/* Bases, bridges, Jacobians, factors and places of the last step. */
TEST_WITH(nor_does_one_of_the_chart, use_counter, drop_counter)
{
    static const char* const OPTIONS[] = {
        "integrator=dop853 coordinates=natural", "integrator=radau coordinates=natural",
        "integrator=radau coordinates=increments", "integrator=radau coordinates=relative",
        "integrator=dop853-radau coordinates=relative"};
    static const char* const PATHS[] = {PROBLEM("slider-crank-1"), PROBLEM("bricard"),
                                        PROBLEM("rolling-disc"), PROBLEM("flyball-governor"),
                                        PROBLEM("iltis-suspension")};
    for (size_t k = 0; k < sizeof OPTIONS / sizeof *OPTIONS; k++)
        for (size_t p = 0; p < sizeof PATHS / sizeof *PATHS; p++) {
            char options[160];
            snprintf(options, sizeof options, "formulation=chart tolerance=1e-5 end=2 %s",
                     OPTIONS[k]);
            check_steps(PATHS[p], options);
        }
}

/* Divide and conquer, kept tangents and their geometric part. */
/* Halved steps, an error that is met, multipliers beside, and a matrix along the joints. */
TEST_WITH(nor_does_one_that_a_formulation_brings, use_counter, drop_counter)
{
    static const char* const OPTIONS[] = {
        "integrator=own coordinates=natural multipliers=1",
        "integrator=own coordinates=cartesian iterations=3 best_effort=1",
        "integrator=own coordinates=increments solver=dca",
        "integrator=own coordinates=relative rattle=1",
        "integrator=own-variable coordinates=natural tolerance=1e-5"};
    static const char* const PATHS[] = {PROBLEM("slider-crank-1"), PROBLEM("bricard"),
                                        PROBLEM("rolling-disc")};
    for (size_t k = 0; k < sizeof OPTIONS / sizeof *OPTIONS; k++)
        for (int p = 0; p < 3; p++) {
            char options[160];
            if (p == 2 && strstr(OPTIONS[k], "rattle")) continue; // rows on velocities
            snprintf(options, sizeof options, "formulation=threefield step=0.01 end=0.2 %s",
                     OPTIONS[k]);
            check_steps(PATHS[p], options);
        }
}

TEST_WITH(so_it_is_along_the_joints, use_counter, drop_counter)
{
    static const char* const METHODS[] = {
        "preset=DCA",
        "preset=i3DCA",
        "preset=DCA tangent-life=0",
        "preset=DCA tangent-life=3",
        "preset=DCA geometric=0",
        "preset=DCA geometric=1",
        "preset=DCA alpha=inf",
        "preset=DCA solver=sparse tangent-life=0",
        "coordinates=cartesian solver=dca alpha=inf",
    };
    static const char* const LARGE[] = {PROBLEM("chain"),
                                        PROBLEM("tree"),
                                        PROBLEM("ladder"),
                                        PROBLEM("four-bar"),
                                        PROBLEM("spatial-double-pendulum"),
                                        TEST_MODEL("universal-shaft")};
    const size_t models = sizeof MODELS / sizeof *MODELS, large = sizeof LARGE / sizeof *LARGE;
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++)
        for (size_t k = 0; k < models + large; k++) {
            char options[160];
            const char* model = k < models ? MODELS[k] : LARGE[k - models];
            snprintf(options, sizeof options, "%s step=5e-3 end=0.3", METHODS[i]);
            check_steps(model, options);
        }
}

/* What the library takes is counted whichever thread asks; what OpenMP takes for its threads is its
 * own. */
TEST_WITH(so_it_is_with_several_threads, use_counter, drop_counter)
{
    static const char* const METHODS[] = {"preset=DCA", "preset=i3DCA", "preset=DCA tangent-life=0",
                                          "preset=DCA alpha=inf"};
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++)
        for (int threads = 1; threads <= 2; threads++) {
            char options[160];
            snprintf(options, sizeof options, "%s threads=%d step=5e-3 end=0.05", METHODS[i],
                     threads);
            check_steps_of(PROBLEM("chain"), "n=300", options);
            check_steps_of(PROBLEM("ladder"), "n=100", options);
        }
}

/* create and assemble with the n-th allocation failing; 1 when n was beyond the last. */
static int survives(const sar_model* model, const sar_options* options, long n)
{
    sar_simulation* s = NULL;
    sar_error error = {0};
    long before = COUNTER.live;
    COUNTER.fail_at = COUNTER.allocations + n;
    sar_status created = sar_simulation_create(model, options, &s, &error), assembled = SAR_OK;
    if (created == SAR_OK) {
        assembled = sar_simulation_assemble(s, NULL);
        CHECK(assembled == SAR_OK || assembled == SAR_E_NOMEM);
        if (assembled == SAR_OK && !sar_simulation_done(s))
            CHECK_STATUS(sar_simulation_advance(s), SAR_OK);
    } else {
        CHECK(s == NULL);
        CHECK_STATUS(created, SAR_E_NOMEM);
        CHECK_STATUS(error.status, SAR_E_NOMEM);
        CHECK(error.message[0] != 0);
    }
    int reached = COUNTER.allocations >= COUNTER.fail_at;
    COUNTER.fail_at = 0;
    sar_simulation_destroy(s);
    if (COUNTER.live != before)
        fail_msg("allocation %ld failing: %ld pieces of memory not released", n,
                 COUNTER.live - before);
    return !reached;
}

TEST_WITH(every_failing_allocation_is_survived, use_counter, drop_counter)
{
    static const char* const SMALL[] = {PROBLEM("slider-crank-1"), PROBLEM("bricard"),
                                        TEST_MODEL("bushing"),     TEST_MODEL("driven-crank"),
                                        TEST_MODEL("gear-train"),  TEST_MODEL("spring-table"),
                                        TEST_MODEL("tyre"),        TEST_MODEL("integral")};
    for (size_t k = 0; k < sizeof SMALL / sizeof *SMALL; k++)
        for (int c = 0; c < 6; c++) {
            problem_run run;
            problem_load(&run, SMALL[k], NULL);
            use_option(&run.options, "coordinates", c < 4 ? COORDINATES[c % 2] : "increments");
            use_option(&run.options, "formulation", c < 2 ? "al3" : c == 2 ? "hamiltonian" : "al1");
            if (c > 1) use_option(&run.options, "solver", c == 2 ? "sparse" : "dense");
            if (c == 4) use_option(&run.options, "integrator", "rk4");
            if (c == 5) use_option(&run.options, "integrator", "trapezoidal-fixed-point");
            // in a sample: one in seven, others with each model and method
            const long stride = IN_FULL_OR_SAMPLE(1, 7);
            long n = 1 + (long)(k + 3 * (size_t)c) % stride;
            while (!survives(run.model, &run.options, n)) n += stride;
            CHECK(n > 10); // the loop did meet allocations
            problem_free(&run);
        }
    CHECK(COUNTER.live == 0);
}

/* Other formulations and integrators; those that are not built in are passed over. */
TEST_WITH(so_it_is_with_other_methods, use_counter, drop_counter)
{
    static const struct {
        const char *preset, *integrator; ///< "": the preset's
    } METHODS[] = {{"mNS", ""},    {"mNS", "rk4"}, {"mAL", ""},
                   {"mAL", "bdf"}, {"LMD", ""},    {"LMD-midpoint", ""},
                   {"DCA", ""},    {"i3DCA", ""},  {"auto", "dop853-radau"}};
    for (size_t k = 0; k < sizeof METHODS / sizeof *METHODS; k++) {
        problem_run run;
        problem_load(&run, k < 6 ? PROBLEM("slider-crank-1") : PROBLEM("four-bar"), NULL);
        if (sar_options_set(&run.options, "preset", METHODS[k].preset, NULL) == SAR_OK) {
            if (*METHODS[k].integrator)
                use_option(&run.options, "integrator", METHODS[k].integrator);
            const long stride = IN_FULL_OR_SAMPLE(1, 5);
            long n = 1 + (long)k % stride;
            while (!survives(run.model, &run.options, n)) n += stride;
            CHECK(n > 10);
        }
        problem_free(&run);
    }
    CHECK(COUNTER.live == 0);
}

/* Motions that drives prescribe: singular configurations on the way and all that can be asked. */
TEST_WITH(going_on_allocates_nothing, use_counter, drop_counter)
{
    static const char* const SOLVERS[] = {"dense", "sparse"};
    for (int k = 0; k < 4; k++) {
        problem_run run;
        sar_motion* m = NULL;
        double values[MOST_OUTPUTS], force[3], torque[3];
        problem_load(&run, TEST_MODEL("driven-crank"), NULL);
        use_option(&run.options, "coordinates", COORDINATES[k % 2]);
        use_option(&run.options, "solver", SOLVERS[k / 2]);
        CHECK_STATUS(sar_motion_create(run.model, &run.options, &m, NULL), SAR_OK);
        CHECK_STATUS(sar_motion_assemble(m, NULL), SAR_OK);
        long before = COUNTER.allocations;
        for (int i = 1; i < 200; i++) {
            CHECK_STATUS(sar_motion_go(m, 0.01 * i), SAR_OK);
            CHECK_STATUS(sar_motion_outputs(m, values), SAR_OK);
            for (int j = 0; j < sar_model_joints(run.model); j++)
                CHECK_STATUS(sar_motion_reaction(m, (sar_joint_id){j}, force, torque), SAR_OK);
        }
        CHECK(COUNTER.allocations == before);
        sar_motion_destroy(m);
        problem_free(&run);
    }
    CHECK(COUNTER.live == 0);
}

/* The hands of robots along circles, each pose from the one before: a tree, and two with loops. */
TEST_WITH(nor_does_a_pose, use_counter, drop_counter)
{
    static const struct {
        const char* path;
        const char* signal[2];
        double around[2], radius;
    } robots[] = {
        {PROBLEM("puma"), {"link6.hand.x", "link6.hand.y"}, {0.4, 0.3}, 0.1},
        {SARRUS_ROOT "/examples/models/delta-robot.yaml",
         {"plate.origin.x", "plate.origin.y"},
         {0.0, 0.0},
         0.1},
        {SARRUS_ROOT "/examples/models/stewart-platform.yaml",
         {"platform.origin.x", "platform.origin.y"},
         {0.0, 0.0},
         0.1},
    };
    for (int k = 0; k < 3; k++) {
        problem_run run;
        sar_pose* pose = NULL;
        sar_pose_report report;
        sar_pose_row want[2] = {sar_pose_row_default(), sar_pose_row_default()};
        for (int i = 0; i < 2; i++) {
            want[i].expression = robots[k].signal[i];
            want[i].value = robots[k].around[i];
        }
        problem_load(&run, robots[k].path, NULL);
        CHECK_STATUS(sar_pose_create(run.model, &run.options, want, 2, &pose, NULL), SAR_OK);
        CHECK_STATUS(sar_pose_solve(pose, 8, &report), SAR_OK);
        const long before = COUNTER.allocations;
        for (int i = 0; i < 100; i++) {
            const double turn = 0.0628 * i, at[2] = {cos(turn), sin(turn)};
            for (int c = 0; c < 2; c++)
                CHECK_STATUS(sar_pose_set(pose, c, robots[k].around[c] + robots[k].radius * at[c]),
                             SAR_OK);
            CHECK_STATUS(sar_pose_solve(pose, 0, &report), SAR_OK);
            CHECK(report.met);
        }
        CHECK(COUNTER.allocations == before);
        sar_pose_destroy(pose);
        problem_free(&run);
    }
    CHECK(COUNTER.live == 0);
}

static int motion_survives(const sar_model* model, const sar_options* options, long n)
{
    sar_motion* m = NULL;
    sar_error error = {0};
    long before = COUNTER.live;
    COUNTER.fail_at = COUNTER.allocations + n;
    sar_status st = sar_motion_create(model, options, &m, &error);
    if (st == SAR_OK) st = sar_motion_assemble(m, NULL);
    int reached = COUNTER.allocations >= COUNTER.fail_at;
    COUNTER.fail_at = 0;
    CHECK_STATUS(st, reached ? SAR_E_NOMEM : SAR_OK);
    sar_motion_destroy(m);
    CHECK(COUNTER.live == before);
    return !reached;
}

TEST_WITH(so_it_is_with_prescribed_motions, use_counter, drop_counter)
{
    for (int k = 0; k < 4; k++) {
        problem_run run;
        problem_load(&run, TEST_MODEL("driven-crank"), NULL);
        use_option(&run.options, "coordinates", COORDINATES[k % 2]);
        use_option(&run.options, "solver", k < 2 ? "dense" : "sparse");
        long n = 1;
        while (!motion_survives(run.model, &run.options, n)) n++;
        CHECK(n > 10);
        problem_free(&run);
    }
    CHECK(COUNTER.live == 0);
}
