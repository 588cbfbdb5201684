/* Steps that end after one correction, with a first guess from the steps before, are as accurate as steps
 * with many: what they leave is small beside the error of the trapezoidal rule itself, which two steps
 * tell (Richardson). What is left may be 6e-3 of that, if it adds up from step to step (PART in
 * predictor.c, by the factor of the rule), as far as the rate at which corrections shrink is known: to
 * a factor of five here. */
#include "problem_run.h"

enum { ROWS_APART = 8 };
static const double LEFT = 5.0 * 6e-3;
static const double CORRECTIONS = 1.9; ///< a step, at most: otherwise nothing was predicted

typedef struct motion {
    const char *problem, *coordinates;
    double step, end;
} motion;

static void run_motion(problem_run* run, const motion* m, int halves, const char* method)
{
    char options[256];
    snprintf(options, sizeof options,
             "formulation=al3 integrator=trapezoidal coordinates=%s monitor=0 end=%g step=%.17g %s",
             m->coordinates, m->end, m->step / (1 << halves), method);
    problem_run_all(run, m->problem, NULL, options, ROWS_APART << halves);
}

static double apart(const problem_run* a, const problem_run* b, int column)
{
    double most = 0.0;
    const double *x = sar_result_column(&a->table, column),
                 *y = sar_result_column(&b->table, column);
    CHECK(a->table.rows == b->table.rows);
    for (int k = 0; k < a->table.rows; k++) most = fmax(most, fabs(x[k] - y[k]));
    return most;
}

static void check_motion(const motion* m)
{
    static const char MANY[] = "tangent_life=1 iterations=fixed:5";
    problem_run own, many, half;
    run_motion(&own, m, 0, "");
    run_motion(&many, m, 0, MANY);
    run_motion(&half, m, 1, MANY);
    const double corrections = (double)own.statistics.iterations / (double)own.statistics.steps;
    if (!(corrections < CORRECTIONS))
        fail_msg("%s, %s: %g corrections", m->problem, m->coordinates, corrections);
    for (int c = 0; c < sar_model_outputs(own.model); c++) {
        const double left = apart(&own, &many, c), error = 4.0 / 3.0 * apart(&many, &half, c);
        if (!(left <= LEFT * error))
            fail_msg("%s, %s: output %d off by %g, with steps that are by %g", m->problem,
                     m->coordinates, c, left, error);
    }
    problem_free(&own);
    problem_free(&many);
    problem_free(&half);
}

/* Stiff springs that turn with their bodies: K of some steps before would be stiff where they are free. */
TEST(turning_springs)
{
    for (int k = 0; axis_member(SAR_AXIS_COORDINATES, k); k++)
        check_motion(&(motion){PROBLEM("flyball-governor"), axis_member(SAR_AXIS_COORDINATES, k),
                               1.25e-3, 0.8});
}

/* Small steps: what is left in positions is seen by 4/h^2 in accelerations. */
TEST(small_steps)
{
    check_motion(&(motion){PROBLEM("slider-crank-1"), "relative", 1e-3, 0.32});
    check_motion(&(motion){PROBLEM("slider-crank-1"), "relative", 2.5e-4, 0.96});
    check_motion(&(motion){PROBLEM("four-bar"), "relative", 1e-3, 0.8});
    check_motion(&(motion){PROBLEM("andrews"), "natural", 1e-5, 4e-3});
    check_motion(&(motion){PROBLEM("puma"), "relative", 2.5e-3, 0.8});
}

/* Light parts that a penalty holds softly: multipliers need more than one pass. */
TEST(soft_penalties)
{
    for (int k = 0; axis_member(SAR_AXIS_COORDINATES, k); k++)
        if (IN_FULL_OR_TURN(k, 0))
            check_motion(&(motion){PROBLEM("iltis-suspension"),
                                   axis_member(SAR_AXIS_COORDINATES, k), 1e-3, 0.32});
}
