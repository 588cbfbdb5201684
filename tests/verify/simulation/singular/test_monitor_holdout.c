/* The monitor's constants were chosen on the slider-cranks and the double four-bar of problems/.
 * Here it meets mechanisms that they were not chosen on: other sizes, masses, steps, numbers of
 * loops, and twins in space. Times are scaled with sqrt(L), so that every run of a family is the
 * same motion. */
#include "problem_run.h"

typedef struct family {
    const char *path, *parameters, *options;
    int passes; ///< known from the motion; -1: counted from the crank angle
} family;

/* Passes of a slider-crank through theta1 = pi/2 + k pi, seen in its outputs: xP changes sign. */
static int sign_changes(const problem_run* run, const char* column)
{
    const double* x = problem_column(run, column);
    int count = 0;
    for (int k = 1; k < run->table.rows; k++) count += x[k - 1] * x[k] < 0;
    return count;
}

static void check_family(const family* runs, int count, const char* column)
{
    int wrong = 0, seen = 0;
    for (int k = 0; k < count; k++) {
        problem_run run;
        const sar_event *passes, *changes;
        problem_start(&run, runs[k].path, runs[k].parameters, runs[k].options);
        problem_steps(&run, 1);
        CHECK_STATUS(run.status, SAR_OK);
        int wanted = runs[k].passes >= 0 ? runs[k].passes : sign_changes(&run, column);
        int got = sar_simulation_singular_passes(run.simulation, &passes);
        int told = sar_simulation_branch_changes(run.simulation, &changes);
        seen += wanted;
        if (got != wanted || told != 0) {
            wrong++;
            print_error("%s %s %s: %d passes, wanted %d; %d branch changes, wanted 0\n",
                        runs[k].path, runs[k].parameters ? runs[k].parameters : "", runs[k].options,
                        got, wanted, told);
        }
        problem_free(&run);
    }
    CHECK(wrong == 0);
    CHECK(seen > 0);
}

#define SINGULAR PROBLEM("slider-crank-singular")
#define CASE_1 PROBLEM("slider-crank-1")
#define SPACE TEST_MODEL("slider-crank-spatial")
#define LOOPS PROBLEM("n-four-bar")
#define LOOPS_IN_SPACE TEST_MODEL("n-four-bar-spatial")

// 10 s of the motion of L = 1 are sqrt(L) 10 s of another size.
static const family SLIDER_CRANKS[] = {
    {CASE_1, "L1=0.1 L2=0.1", "step=3.2e-4 end=3.16", -1},
    {CASE_1, "L1=0.01 L2=0.01 m1=1e-3 m2=1e-3", "step=1e-4 end=1", -1},
    {CASE_1, "L1=10 L2=10 m1=1000 m2=1000", "step=3e-3 end=30", -1},
    {CASE_1, "m1=1e-3 m2=1e-3", "step=1e-3", -1},
    {CASE_1, "m1=1e3 m2=1e3", "step=1e-3", -1},
    {CASE_1, "m1=20 m2=0.1", "step=1e-3", -1},
    {CASE_1, "m1=0.1 m2=20", "step=1e-3", -1},
    {CASE_1, "m3=5", "step=1e-3", -1},
    {CASE_1, "m3=0.01", "step=1e-2", -1},
    {CASE_1, "L1=10 L2=10", "step=3e-3 end=30 coordinates=cartesian", -1},
    {CASE_1, "L1=0.1 L2=0.1 m3=2", "step=3e-4 end=3.16 coordinates=cartesian", -1},
    {CASE_1, "m1=20 m2=0.1", "step=1e-3 coordinates=cartesian", -1},
    {CASE_1, "theta0=1.2", "step=2e-3 alpha=inf", -1},
    {CASE_1, "theta0=0.3", "step=5e-4", -1},
    {SPACE, "L=0.1", "step=3.2e-4 end=3.16", -1},
    {SPACE, "L=10 m=30", "step=3e-3 end=30", -1},
    {SPACE, "m=0.01 axial=1e-5", "step=1e-3 coordinates=cartesian", -1},
    {SPACE, "L=10", "step=3e-3 end=30 coordinates=cartesian", -1},
};

// The same, begun on a singular configuration: one pass more, at the start.
static const family SINGULAR_STARTS[] = {
    {SINGULAR, NULL, "step=1e-3 end=0.5", 1},
    {SINGULAR, NULL, "step=1e-4 end=0.5", 1},
    {SINGULAR, "L=10 eta1=-6", "step=3e-3 end=1.5", 1},
    {SINGULAR, "L=0.1 eta1=-0.6", "step=3e-4 end=0.15", 1},
    {SINGULAR, "L=0.1 eta1=-0.6 m=100", "step=3e-4 end=0.15 coordinates=cartesian", 1},
    {SINGULAR, "eta1=-0.01", "step=1e-3 end=1", 1},
    {SINGULAR, "eta2=-0.01", "step=1e-3 end=0.5 best-effort=1", 1}, // along no motion
};

// All cranks level: theta passes 0 and -pi; n loops lose n ranks at once. The start stands upright
// with the same energy per length, so n = 2 passes ten times in 10 s, and others nearly so.
static const family FOUR_BARS[] = {
    {LOOPS, "n=1", "step=5e-3", -1},
    {LOOPS, "n=3", "step=5e-3", -1},
    {LOOPS, "n=3", "step=2e-3 coordinates=cartesian end=5", -1},
    {LOOPS, "n=8", "step=2e-3 end=5", -1},
    {LOOPS, "n=2 L=0.1 speed=0.3", "step=1.6e-3 end=3.16", -1},
    {LOOPS, "n=2 L=10 m=50 speed=3", "step=1.6e-2 end=31.6", -1},
    {LOOPS, "n=3 L=10", "step=1.6e-2 end=31.6 coordinates=cartesian", -1},
    {LOOPS_IN_SPACE, "n=3", "step=5e-3 end=5", -1},
    {LOOPS_IN_SPACE, "n=3", "step=5e-3 end=5 coordinates=cartesian", -1},
};

#define LONG(coordinates)                                                                          \
    {CASE_1, NULL, "step=5e-2 coordinates=" coordinates, -1},                                      \
        {CASE_1, NULL, "integrator=trapezoidal-variable tolerance=1e-3 coordinates=" coordinates,  \
         -1},                                                                                      \
        {CASE_1, NULL,                                                                             \
         "formulation=al1 integrator=dopri5 tolerance=1e-3 coordinates=" coordinates, -1},         \
        {LOOPS, NULL, "step=5e-2 coordinates=" coordinates, -1},                                   \
        {LOOPS, NULL, "integrator=trapezoidal-variable tolerance=1e-2 coordinates=" coordinates,   \
         -1},                                                                                      \
        {LOOPS, "speed=8", "step=3e-2 coordinates=" coordinates, -1},                              \
        {LOOPS, "speed=8",                                                                         \
         "integrator=trapezoidal-variable tolerance=1e-3 coordinates=" coordinates, -1},           \
        {LOOPS, "speed=8",                                                                         \
         "formulation=al1 integrator=dopri5 tolerance=1e-3 coordinates=" coordinates, -1},         \
    {                                                                                              \
        LOOPS, "speed=8", "formulation=al1 integrator=rk4 step=2e-2 coordinates=" coordinates, -1  \
    }

// Steps in which bodies turn by up to half a radian, and few of them between two passes.
static const family LONG_STEPS[] = {LONG("natural"), LONG("cartesian"), LONG("increments"),
                                    LONG("relative")};

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

TEST(long_steps_miss_no_pass)
{
    for (int k = 0; k < COUNT(LONG_STEPS); k++)
        check_family(&LONG_STEPS[k], 1, strcmp(LONG_STEPS[k].path, LOOPS) == 0 ? "y1" : "xP");
}

/* More passes than a list holds: all are counted. */
TEST(passes_beyond_the_list_are_counted)
{
    problem_run run;
    const sar_event* passes;
    problem_start(&run, LOOPS, "n=1 speed=100", "step=2e-3 end=131");
    problem_steps(&run, 1);
    CHECK_STATUS(run.status, SAR_OK);
    const int wanted = sign_changes(&run, "y1");
    const int listed = sar_simulation_singular_passes(run.simulation, &passes);
    CHECK(listed == 4096 && wanted > listed);
    CHECK(sar_simulation_statistics(run.simulation).singular_passes == wanted);
    for (int k = 1; k < listed; k++) CHECK(passes[k].t > passes[k - 1].t);
    problem_free(&run);
}

TEST(slider_cranks_of_other_sizes_and_masses)
{
    check_family(SLIDER_CRANKS, COUNT(SLIDER_CRANKS), "xP");
}

TEST(starts_on_a_singular_configuration)
{
    check_family(SINGULAR_STARTS, COUNT(SINGULAR_STARTS), "xP");
}

TEST(four_bars_of_other_sizes_and_numbers)
{
    check_family(FOUR_BARS, COUNT(FOUR_BARS), "y1");
}

/* Started on both branches at once, al3 with a finite penalty alone ends in the motion of the
 * pendulum; with the penalty-free limit it stays. Which one it is, is read from the outputs. */
TEST(a_jump_at_the_start_is_told)
{
    static const struct {
        const char *parameters, *options;
    } RUNS[] = {{"eta1=-1 eta2=-1e-2", "alpha=1e9 rescue=0 best-effort=1 end=0.3"},
                {"eta1=-1 eta2=-1e-2", "alpha=1e9 rescue=1 best-effort=1 end=0.3"},
                {"eta1=-1 eta2=-1e-3", "alpha=1e9 rescue=0 best-effort=1 end=0.3"},
                {"L=10 eta1=-3 eta2=-3e-2", "step=3e-3 alpha=1e9 rescue=0 best-effort=1 end=1"},
                {"eta1=-1 eta2=-3e-2", "coordinates=cartesian best-effort=1 end=0.3"}};
    int left = 0;
    for (int k = 0; k < COUNT(RUNS); k++) {
        problem_run run;
        const sar_event* changes;
        problem_start(&run, SINGULAR, RUNS[k].parameters, RUNS[k].options);
        problem_steps(&run, 1);
        int rows = run.table.rows;
        const double *xP = problem_column(&run, "xP"), *xQ = problem_column(&run, "xQ");
        int pendulum = fabs(xQ[rows - 1]) < 0.1 * fabs(xP[rows - 1]);
        int told = sar_simulation_branch_changes(run.simulation, &changes);
        if (told != pendulum)
            fail_msg("%s %s: %s, %d branch changes told", RUNS[k].parameters, RUNS[k].options,
                     pendulum ? "pendulum" : "slider-crank", told);
        left += pendulum;
        problem_free(&run);
    }
    CHECK(left > 0 && left < COUNT(RUNS));
}
