/* The search of `tune` on functions whose answer is known. */
#include "sar_test.h"

#include "sarrus/tune.h"

typedef struct landscape {
    int calls;
    double largest_step; ///< that passes where the other variable is best
} landscape;

/// Error h^2 e(a) with e least at a = 1e9, threshold 1e-4; a run of 10 s costs 10/h.
static double step_limit(double a)
{
    double off = log10(a) - 9.0;
    return 1e-2 / (1.0 + 0.2 * off * off);
}

static sar_status smooth(void* context, int count, const double* x, sar_tune_outcome* out)
{
    landscape* l = context;
    for (int k = 0; k < count; k++, x += 2) {
        double error = 1e-4 * (x[0] / step_limit(x[1])) * (x[0] / step_limit(x[1]));
        out[k] = (sar_tune_outcome){error <= 1e-4, 10.0 / x[0], error};
        if (out[k].passes) l->largest_step = fmax(l->largest_step, x[0]);
    }
    l->calls += count;
    return SAR_OK;
}

static double steps(void* context, const double* x)
{
    (void)context;
    return 10.0 / x[0];
}

static sar_tune_def smooth_def(const sar_tune_variable* variables, landscape* l)
{
    return (sar_tune_def){.variables = variables,
                          .count = 2,
                          .driver = 0,
                          .points = 5,
                          .tightness = 1.02,
                          .evaluate = smooth,
                          .least_cost = steps,
                          .context = l};
}

TEST(finds_the_edge_of_a_smooth_region)
{
    const sar_tune_variable variables[] = {{1e-5, 1e-1, 1, 0}, {1e6, 1e13, 1, 0}};
    landscape l = {0};
    sar_tune_def def = smooth_def(variables, &l);
    sar_tune_answer answer;
    CHECK_STATUS(sar_tune(&def, &answer, NULL), SAR_OK);
    CHECK(answer.found && answer.outcome.passes);
    CHECK_AT_MOST(answer.setting[0], 1e-2);
    CHECK_AT_MOST(0.95e-2, answer.setting[0]); // bisected to 2 %, a refined to an eighth of a notch
    CHECK_NEAR(answer.setting[0], l.largest_step, 0.0);
    CHECK_AT_MOST(answer.tried, 150);
    CHECK(answer.tried == l.calls); // nothing twice
}

TEST(the_same_search_gives_the_same_answer)
{
    const sar_tune_variable variables[] = {{1e-5, 1e-1, 1, 0}, {1e6, 1e13, 1, 0}};
    landscape l = {0};
    sar_tune_def def = smooth_def(variables, &l);
    sar_tune_answer first, second;
    CHECK_STATUS(sar_tune(&def, &first, NULL), SAR_OK);
    CHECK_STATUS(sar_tune(&def, &second, NULL), SAR_OK);
    CHECK(memcmp(first.setting, second.setting, sizeof first.setting) == 0);
    CHECK(first.tried == second.tried);
}

TEST(nothing_passes)
{
    const sar_tune_variable variables[] = {{1.0, 2.0, 1, 0}, {1e6, 1e13, 1, 0}};
    landscape l = {0};
    sar_tune_def def = smooth_def(variables, &l);
    sar_tune_answer answer;
    CHECK_STATUS(sar_tune(&def, &answer, NULL), SAR_OK);
    CHECK(!answer.found && answer.tried > 0);
}

TEST(everything_passes)
{
    const sar_tune_variable variables[] = {{1e-6, 1e-4, 1, 0}, {1e8, 1e10, 1, 0}};
    landscape l = {0};
    sar_tune_def def = smooth_def(variables, &l);
    sar_tune_answer answer;
    CHECK_STATUS(sar_tune(&def, &answer, NULL), SAR_OK);
    CHECK(answer.found);
    CHECK_NEAR(answer.setting[0], 1e-4, 0.0); // the end of the range itself
}

/// No driver: an integer n and a linear x; cost (n - 7)^2 + (x - 0.3)^2 + 1, all pass.
static sar_status bowl(void* context, int count, const double* x, sar_tune_outcome* out)
{
    (void)context;
    for (int k = 0; k < count; k++, x += 2) {
        if (x[0] != floor(x[0])) return SAR_E_ARG;
        double a = x[0] - 7.0, b = x[1] - 0.3;
        out[k] = (sar_tune_outcome){1, a * a + b * b + 1.0, 0.0};
    }
    return SAR_OK;
}

TEST(integers_stay_integers)
{
    const sar_tune_variable variables[] = {{1, 20, 0, 1}, {0, 1, 0, 0}};
    sar_tune_def def = {.variables = variables,
                        .count = 2,
                        .driver = -1,
                        .points = 5,
                        .tightness = 1.02,
                        .evaluate = bowl};
    sar_tune_answer answer;
    CHECK_STATUS(sar_tune(&def, &answer, NULL), SAR_OK);
    CHECK_NEAR(answer.setting[0], 7.0, 1.0);
    CHECK_NEAR(answer.setting[1], 0.3, 0.07);
}

TEST(neighbours_are_a_notch_away)
{
    const sar_tune_variable variables[] = {{1e-5, 1e-1, 1, 0}, {1, 20, 0, 1}, {1e6, 1e9, 1, 0}};
    sar_tune_def def = {.variables = variables, .count = 3, .driver = 0};
    const double x[] = {1e-2, 20, 1e7};
    double beside[3];
    CHECK(sar_tune_neighbour(&def, x, 0, 1, beside));
    CHECK_NEAR(beside[0], 1.1e-2, 1e-12);
    CHECK(!sar_tune_neighbour(&def, x, 1, 1, beside)); // beyond the range
    CHECK(sar_tune_neighbour(&def, x, 1, -1, beside));
    CHECK_NEAR(beside[1], 18, 0.0);
    CHECK(sar_tune_neighbour(&def, x, 2, -1, beside));
    CHECK_NEAR(beside[2], 3.162e6, 1.0);
}

TEST(definitions_without_sense_are_refused)
{
    const sar_tune_variable good[] = {{1, 2, 0, 0}}, upside_down[] = {{2, 1, 0, 0}},
                            no_log[] = {{-1, 1, 1, 0}};
    sar_tune_def def = {.variables = good, .count = 1, .points = 2, .tightness = 1.02};
    sar_tune_answer answer;
    sar_error error;
    def.variables = upside_down;
    CHECK_STATUS(sar_tune(&def, &answer, &error), SAR_E_ARG);
    def.variables = no_log;
    CHECK_STATUS(sar_tune(&def, &answer, &error), SAR_E_ARG);
    def.variables = good, def.points = 1;
    CHECK_STATUS(sar_tune(&def, &answer, &error), SAR_E_ARG);
    def.points = 2, def.count = SAR_TUNE_MOST + 1;
    CHECK_STATUS(sar_tune(&def, &answer, &error), SAR_E_ARG);
}
