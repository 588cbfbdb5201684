/* Forces of large mechanisms that are stiff for a while: dop853-ida, which finds out by itself, against
 * a chart with radau. The ladder has brakes in the hinges of a rail, which come, go, or do both. */
#include "trial_fixture.h"

enum { RUNGS = 5 };
static const double TOLERANCE = 1e-6;

/// A force of the brakes by t, and when steps have to be implicit.
typedef struct brakes {
    const char* by_time;
    double from, until;    ///< [s] the latest begin, and the earliest end, of implicit steps
    double explicit_after; ///< [s] they are not implicit any more then; INFINITY: they may be
} brakes;

static const brakes BRAKES[] = {
    {"ramp(t, 0.5, 0.55)", 0.65, 1.5, INFINITY},
    {"(1 - ramp(t, 0.5, 0.55))", 0.1, 0.5, 1.0},
    {"(ramp(t, 0.4, 0.45) - ramp(t, 0.9, 0.95))", 0.6, 0.9, INFINITY},
};

static char* ladder(const char* by_time)
{
    char forces[256], rungs[16];
    char* text = problem_text(PROBLEM("ladder"));
    snprintf(forces, sizeof forces,
             "    forces:\n      brake{i}: {type: motor, joint: \"A{i}\", torque: \"-1e4*%s*v\"}\n"
             "    joints:\n      A{i}:",
             by_time);
    snprintf(rungs, sizeof rungs, "n: %d ", RUNGS);
    CHECK(problem_replace(&text, "    joints:\n      A{i}:", forces) == 1);
    CHECK(problem_replace(&text, "n: 3 ", rungs) == 1);
    return text;
}

static sar_trial run(const char* text, const char* method, double tolerance, sar_result** history)
{
    problem_run r;
    sar_trial got;
    sar_error error = {0};
    char options[256];
    problem_parse(&r, text);
    snprintf(options, sizeof options, "%s tolerance=%g end=1.5 sample=0.01", method, tolerance);
    each_setting(options, use_option, &r.options);
    sar_trial_def def = {.model = r.model, .options = r.options, .max_seconds = 60};
    CHECK_STATUS(sar_trial_run(&def, &got, history, &error), SAR_OK);
    if (got.status != SAR_OK) fail_msg("%s: %s", options, got.failure);
    problem_free(&r);
    return got;
}

/* Of the forces of joints, or of the motion, by their ranges. */
static double difference(const sar_result* a, const sar_result* b, int forces)
{
    double worst = 0.0;
    CHECK(sar_result_rows(a) == sar_result_rows(b));
    for (int c = 0; c < sar_result_columns(a); c++) {
        if ((sar_result_name(a, c)[0] == 'F') != forces) continue;
        const double *x = sar_result_column(a, c), *y = sar_result_column(b, c);
        double low = INFINITY, high = -INFINITY, apart = 0.0;
        for (int r = 0; r < sar_result_rows(a); r++) {
            low = fmin(low, x[r]);
            high = fmax(high, x[r]);
            apart = fmax(apart, fabs(x[r] - y[r]));
        }
        worst = fmax(worst, apart / (high - low));
    }
    return worst;
}

static double evaluations(const sar_trial* t)
{
    return (double)t->statistics.iterations;
}

TEST(brakes_come_and_go)
{
    for (size_t k = 0; k < sizeof BRAKES / sizeof *BRAKES; k++) {
        const brakes* b = &BRAKES[k];
        sar_result* reference = NULL;
        char* text = ladder(b->by_time);
        run(text, "formulation=chart coordinates=relative integrator=dop853-radau", 1e-8,
            &reference);
        const char* const ways[] = {"natural", "relative"};
        for (int w = 0; w < 2; w++) {
            char method[128];
            snprintf(method, sizeof method, "formulation=al1 integrator=dop853-ida coordinates=%s",
                     ways[w]);
            sar_result* history = NULL;
            const sar_trial both = run(text, method, TOLERANCE, &history);
            CHECK_AT_MOST(difference(reference, history, 0), 100.0 * TOLERANCE);
            // multipliers of implicit steps are not held to the tolerance: a regression limit
            CHECK_AT_MOST(difference(reference, history, 1), 3000.0 * TOLERANCE);
            sar_result_destroy(history);
            CHECK_AT_MOST(both.statistics.implicit_from, b->from);
            CHECK(both.statistics.implicit_until >= b->until);
            if (isfinite(b->explicit_after))
                CHECK_AT_MOST(both.statistics.implicit_until, b->explicit_after);
            if (w > 0) continue;
            const sar_trial implicit = run(
                text, "formulation=dae integrator=ida coordinates=natural", 0.01 * TOLERANCE, NULL);
            CHECK_AT_MOST(evaluations(&both), 3.0 * evaluations(&implicit)); // dop853: 10 times
        }
        sar_result_destroy(reference);
        free(text);
    }
}

/* What is not stiff costs what it does with dop853, but for looks. */
TEST(what_is_not_stiff_stays_explicit)
{
    char* text = ladder("0");
    const char* const al1 = "formulation=al1 coordinates=natural";
    char method[128];
    snprintf(method, sizeof method, "%s integrator=dop853", al1);
    const sar_trial alone = run(text, method, TOLERANCE, NULL);
    snprintf(method, sizeof method, "%s integrator=dop853-ida", al1);
    const sar_trial both = run(text, method, TOLERANCE, NULL);
    CHECK(both.statistics.implicit_steps == 0 && both.statistics.steps == alone.statistics.steps);
    CHECK_AT_MOST(evaluations(&both), 1.25 * evaluations(&alone));
    free(text);
}

int main(void)
{
    if (!has_integrator("dop853-ida")) return 0;
    return sar_test_run();
}
