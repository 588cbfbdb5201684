/* A jump to another branch of motion is told if and only if there was one.
 *
 * In the slider-crank with equal rods the own motion has xQ = 2 xP, the pendulum branch xQ = 0;
 * they meet at xP = 0. Which of the two a run follows is read from its outputs, without the
 * library's monitor. The load of case 3 is what throws runs off their branch; cases that stop
 * because a step does not converge count up to there. */
#include "problem_run.h"

typedef struct case_of_run {
    const char *path, *options;
} case_of_run;

#define CASE_1 PROBLEM("slider-crank-1")
#define CASE_3 PROBLEM("slider-crank-3")

static const case_of_run RUNS[] = {
    {CASE_1, "coordinates=natural step=1e-3"},
    {CASE_1, "coordinates=cartesian step=1e-3"},
    {CASE_1, "coordinates=natural step=1e-2"},
    {CASE_1, "coordinates=cartesian step=2e-2"},
    {CASE_1, "coordinates=natural step=5e-2"},
    {CASE_1, "coordinates=natural step=1e-2 newton-tolerance=1e-3"},
    {CASE_1, "coordinates=natural step=2e-3 alpha=1e6"},
    {CASE_1, "coordinates=natural step=2e-3 alpha=inf"},
    {CASE_3, "coordinates=natural step=2e-3 best-effort=1"},
    {CASE_3, "coordinates=cartesian step=2e-3 best-effort=1"},
    {CASE_3, "coordinates=natural step=1e-3 best-effort=1"},
    {CASE_3, "coordinates=cartesian step=1e-3 best-effort=1"},
    {CASE_3, "coordinates=natural step=1e-3 alpha=1e6 best-effort=1"},
    {CASE_3, "coordinates=natural step=1e-3 alpha=1e7 best-effort=1"},
    {CASE_3, "coordinates=natural step=5e-4 alpha=1e6 best-effort=1"},
    {CASE_3, "coordinates=natural step=5e-4 alpha=1e7 best-effort=1"},
    {CASE_3, "coordinates=cartesian step=5e-4 alpha=1e7 best-effort=1"},
    {CASE_3, "coordinates=natural step=5e-4 alpha=1e8 best-effort=1"},
    {CASE_3, "coordinates=natural step=2e-4 alpha=1e7 best-effort=1"},
    {CASE_3, "coordinates=natural step=2e-4 alpha=1e8 best-effort=1"},
    {CASE_3, "coordinates=cartesian step=2e-4 alpha=1e8 best-effort=1"},
    {CASE_3, "coordinates=natural step=1e-3 alpha=inf"},
    {CASE_3, "coordinates=natural step=5e-4 best-effort=1"},
    {CASE_3, "coordinates=cartesian step=5e-4 alpha=inf"},
};

/* When the motion was first seen on another branch than the one it began on; NaN: never. */
static double departure(const problem_run* run)
{
    const double *xQ = problem_column(run, "xQ"), *xP = problem_column(run, "xP");
    for (int k = 0; k < run->table.rows; k++)
        if (fabs(xQ[k] - 2 * xP[k]) > 1e-3) return run->table.time[k];
    return NAN;
}

TEST(changes_are_told_if_and_only_if_there_are_some)
{
    int table[2][2] = {{0}}; // [left][told]
    for (size_t k = 0; k < sizeof RUNS / sizeof *RUNS; k += IN_FULL_OR_SAMPLE(1, 2)) {
        problem_run run;
        const sar_event* changes;
        problem_start(&run, RUNS[k].path, NULL, RUNS[k].options);
        problem_steps(&run, 1);
        double left = departure(&run);
        int count = sar_simulation_branch_changes(run.simulation, &changes), told = 0;
        // told in time: at the pass right before the departure shows
        for (int i = 0; i < count; i++) told |= !isfinite(left) || fabs(changes[i].t - left) < 0.1;
        table[isfinite(left)][told]++;
        if (isfinite(left) != told)
            print_error("%s: left its branch at %g s, %d changes told, the first at %g s\n",
                        RUNS[k].options, left, count, count ? changes[0].t : NAN);
        problem_free(&run);
    }
    print_message("branch kept: %d silent, %d false alarms; left: %d missed, %d told\n",
                  table[0][0], table[0][1], table[1][0], table[1][1]);
    CHECK(table[0][1] == 0);
    CHECK(table[1][0] == 0);
    CHECK(table[1][1] > 0); // the set does contain runs that leave
    CHECK(table[0][0] > 0);
}
