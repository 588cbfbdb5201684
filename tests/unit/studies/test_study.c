/* Studies: what their files mean, which methods are there, and how a run is judged. */
#include "sar_test.h"

#include "studies/studies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/sarrus-study-XXXXXX";

static void write_file(const char* text)
{
    FILE* file = fopen(path, "w");
    CHECK(file);
    fputs(text, file);
    fclose(file);
}

static const char* const good =
    "study: 1\n"
    "name: test-1\n"
    "group: \"007\"\n"
    "title: \"A test: with a colon\"\n"
    "source: gonzalez2016\n"
    "problems: [pendulum]\n"
    "metric: {variables: [x, y], weights: [1, 4], sample: 0.02,\n"
    "         low_precision: 0.1, time_limit_s: 50}\n"
    "remarks: {why: because}\n"
    "plots: [{y: x}, {x: seconds, y: total_error, scale: log}]\n"
    "rows:\n"
    "  - label: A\n"
    "    precision: low\n"
    "    remark: why\n"
    "    method: {step: [1e-2, 1e-3], alpha: [1, 2], formulation: al1,\n"
    "             integrator: rk4}\n"
    "  - {label: B, method: {preset: no-such-thing}, status: failed,\n"
    "     failure: too hard, max_energy_drift: 0.5}\n"
    "  - {label: C, text: only words}\n";

TEST(lists_make_rows_and_the_metric_gives_limits)
{
    sar_study* study = NULL;
    char* messages = NULL;
    write_file(good);
    if (sar_study_read(path, &study, &messages) != SAR_OK) fail_msg("%s", messages);
    const sar_study_head* head = sar_study_about(study);
    CHECK_TEXT(head->name, "test-1");
    CHECK_TEXT(head->group, "007");
    CHECK_TEXT(head->title, "A test: with a colon");
    assert_int_equal(head->plot_count, 2);
    CHECK_TEXT(head->plots[0].x, "t");
    CHECK(!head->plots[0].logarithmic && head->plots[1].logarithmic);
    assert_int_equal(sar_study_rows(study), 3);
    for (int k = 0; k < 2; k++) {
        const sar_study_row* row = sar_study_row_at(study, k);
        CHECK_TEXT(row->label, "A");
        CHECK_TEXT(row->problem, "pendulum");
        CHECK_TEXT(row->source, "gonzalez2016");
        CHECK_TEXT(row->remark, "because");
        CHECK_TEXT(row->options[0].name, "step");
        CHECK_TEXT(row->options[0].value, k ? "1e-3" : "1e-2");
        CHECK_TEXT(row->options[1].value, k ? "2" : "1");
        CHECK_TEXT(row->options[2].value, "al1");
        CHECK_NEAR(row->error_limit, 0.1, 0.0);
        CHECK_NEAR(row->time_limit, 50.0, 0.0);
        CHECK_NEAR(row->sample, 0.02, 0.0);
        assert_int_equal(row->column_count, 2);
        CHECK_NEAR(row->weights[1], 4.0, 0.0);
        CHECK(isnan(row->energy_limit) && isnan(row->published.error) && !row->published.failed);
    }
    const sar_study_row* b = sar_study_row_at(study, 2);
    CHECK(b->published.failed);
    CHECK_TEXT(b->published.failure, "too hard");
    CHECK_NEAR(b->energy_limit, 0.5, 0.0);
    CHECK(isnan(b->error_limit));
    CHECK(!sar_study_row_at(study, 3));
    sar_study_destroy(study);
}

static const char* const named = "study: 1\n"
                                 "name: test-1\n"
                                 "problems: [pendulum]\n"
                                 "methods:\n"
                                 "  stable: {formulation: al1, integrator: rk4, omega: 100}\n"
                                 "rows:\n"
                                 "  - {label: A, method: {use: stable, step: [1, 2]}}\n"
                                 "  - {label: B, method: {omega: 7, use: stable}}\n";

static void check_option(const sar_study_row* row, int k, const char* name, const char* value)
{
    CHECK_TEXT(row->options[k].name, name);
    CHECK_TEXT(row->options[k].value, value);
}

/* The row's own settings come last and replace those of the method that it begins with. */
TEST(a_file_may_name_methods_of_its_own)
{
    sar_study* study = NULL;
    char* messages = NULL;
    write_file(named);
    if (sar_study_read(path, &study, &messages) != SAR_OK) fail_msg("%s", messages);
    assert_int_equal(sar_study_rows(study), 3);
    const sar_study_row* second = sar_study_row_at(study, 1);
    assert_int_equal(second->option_count, 4);
    assert_int_equal(second->inherited, 3);
    check_option(second, 0, "formulation", "al1");
    check_option(second, 2, "omega", "100");
    check_option(second, 3, "step", "2");
    const sar_study_row* b = sar_study_row_at(study, 2);
    assert_int_equal(b->option_count, 3);
    assert_int_equal(b->inherited, 2);
    check_option(b, 2, "omega", "7");
    sar_study_destroy(study);
}

static void refuse_in(const char* file, const char* old, const char* new, const char* word)
{
    char text[2048];
    const char* at = strstr(file, old);
    CHECK(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - file), file, new, at + strlen(old));
    write_file(text);
    sar_study* study = NULL;
    char* messages = NULL;
    CHECK_STATUS(sar_study_read(path, &study, &messages), SAR_E_MODEL);
    CHECK(!study && messages);
    if (!strstr(messages, word)) fail_msg("no '%s' in:\n%s", word, messages);
    sar_text_free(messages);
}

static void refuse(const char* old, const char* new, const char* word)
{
    refuse_in(good, old, new, word);
}

TEST(mistakes_are_told_with_their_line)
{
    refuse("study: 1", "study: 2", "study: 1");
    refuse("group:", "grup:", "did you mean 'group'?");
    refuse("label: B,", "lable: B,", "did you mean 'label'?");
    refuse("alpha: [1, 2]", "alpha: [1, 2, 3]", "one length");
    refuse_in(named, "use: stable,", "use: unstable,", "no method 'unstable'");
    refuse_in(named, "omega: 100", "omega: [1, 2]", "'omega' must be one text");
    refuse("remark: why", "remark: who", ":14:");
    refuse("precision: low", "precision: medium", "medium_precision");
    refuse("max_energy_drift: 0.5", "max_energy_drift: half", "must be a number");
    refuse("scale: log", "scale: cubic", "linear or log");
    refuse("name: test-1\n", "", "no name");
}

static const char* const large =
    "study: 1\n"
    "name: large-1\n"
    "source: malczyk2018\n"
    "problems: [chain]\n"
    "rounds: 3\n"
    "fit: A\n"
    "columns: [step_us, body_us]\n"
    "measure: {title: error, take: last, of: a, minus: b, right: -2, within: 0.5}\n"
    "plots: [{x: n, y: step_us, by: threads, most: 9}, {snapshots: 0.5},\n"
    "  {y: yA, orbit: xA, from: 1, until: 2.5}]\n"
    "statements:\n"
    "  - {text: linear, take: slope, of: step_us, over: n, from: 16, published: 1, within: 0.25}\n"
    "  - {text: low, take: time of least, of: energy_drift, label: A, where: {n: 4}, at_most: 2,"
    " against: B}\n"
    "rows:\n"
    "  - {label: A, parameters: {n: [2, 4], m: 3}, method: {step: 1e-2, end: [1, 2]}, value: -3}\n";

TEST(statements_columns_and_lists_of_parameters)
{
    sar_study* study = NULL;
    char* messages = NULL;
    write_file(large);
    if (sar_study_read(path, &study, &messages) != SAR_OK) fail_msg("%s", messages);
    const sar_study_head* head = sar_study_about(study);
    assert_int_equal(head->rounds, 3);
    CHECK_TEXT(head->fit, "A");
    assert_int_equal(head->column_count, 2);
    CHECK_TEXT(head->columns[1], "body_us");
    CHECK_TEXT(head->plots[0].by, "threads");
    CHECK(isnan(head->plots[0].snapshots) && isnan(head->plots[1].most));
    CHECK_NEAR(head->plots[0].most, 9.0, 0.0);
    CHECK_NEAR(head->plots[1].snapshots, 0.5, 0.0);
    CHECK_TEXT(head->plots[2].orbit, "xA");
    CHECK_TEXT(head->plots[0].orbit, "");
    CHECK(head->plots[2].from == 1.0 && head->plots[2].until == 2.5 && isnan(head->plots[0].from));
    assert_int_equal(head->statement_count, 2);
    const sar_study_statement *slope = &head->statements[0], *low = &head->statements[1];
    assert_int_equal(slope->take, SAR_STATEMENT_SLOPE);
    CHECK_NEAR(slope->from, 16, 0.0);
    CHECK_NEAR(slope->at_least, 0.75, 0.0);
    CHECK_NEAR(slope->at_most, 1.25, 0.0);
    assert_int_equal(low->take, SAR_STATEMENT_TIME_OF_LEAST);
    assert_int_equal(low->where_count, 1);
    CHECK_TEXT(low->where[0].value, "4");
    CHECK(isnan(low->published) && isnan(low->at_least));
    CHECK_TEXT(low->against, "B");
    CHECK_TEXT(slope->against, "");
    assert_int_equal(sar_study_rows(study), 2);
    for (int k = 0; k < 2; k++) {
        const sar_study_row* row = sar_study_row_at(study, k);
        CHECK_TEXT(row->parameters[0].value, k ? "4" : "2");
        CHECK_TEXT(row->parameters[1].value, "3");
        CHECK_TEXT(row->options[1].value, k ? "2" : "1");
        CHECK_TEXT(row->reference, "");
        assert_int_equal(row->measure.take, SAR_STATEMENT_LAST);
        CHECK_TEXT(row->measure.of, "a");
        CHECK_TEXT(row->measure.minus, "b");
        CHECK_NEAR(row->measure.right, -2, 0.0);
        CHECK_NEAR(row->measure.within, 0.5, 0.0);
        CHECK_NEAR(row->published.value, -3, 0.0);
    }
    sar_study_destroy(study);
}

TEST(mistakes_in_statements_are_told)
{
    refuse_in(large, "take: slope", "take: slop", "did you mean 'slope'?");
    refuse_in(large, "over: n, ", "", "a slope 'over'");
    refuse_in(large, "published: 1, ", "", "'within' needs 'published'");
    refuse_in(large, "text: low", "txet: low", "did you mean 'text'?");
    refuse_in(large, "where: {n: 4}", "where: 4", "must be a map");
    refuse_in(large, "end: [1, 2]", "end: [1, 2, 3]", "one length");
    refuse_in(large, "snapshots: 0.5", "snapshots: 0", "interval");
    refuse_in(large, "columns: [step_us, body_us]", "columns: 5", "list of names");
    refuse_in(large, "right: -2, ", "", "'within' needs 'right'");
    refuse_in(large, "take: last", "take: slope", "takes no slope");
    refuse_in(large, "minus: b", "less: b", "no key 'less'");
}

TEST(times_spread_and_interpolation_may_be_those_of_a_source)
{
    static const char* const file = "study: 1\n"
                                    "name: test-1\n"
                                    "problems: [pendulum]\n"
                                    "timing: mean of 5 wall\n"
                                    "interpolation: linear\n"
                                    "spread: {relative: 0.1}\n"
                                    "rows:\n"
                                    "  - {label: A, method: {step: 1}}\n";
    sar_study* study = NULL;
    char* messages = NULL;
    write_file(file);
    if (sar_study_read(path, &study, &messages) != SAR_OK) fail_msg("%s", messages);
    const sar_study_row* row = sar_study_row_at(study, 0);
    assert_int_equal(sar_study_about(study)->mean_of, 5);
    CHECK(row->linear && row->published.relative == 0.1 && isnan(row->published.absolute));
    sar_study_destroy(study);
    refuse_in(file, "mean of 5 wall", "mean of 5 cpu", "'timing' is 'mean of N wall'");
    refuse_in(file, "mean of 5 wall", "mean of 0 wall", "'timing' is 'mean of N wall'");
    refuse_in(file, "interpolation: linear", "interpolation: cubic", "'interpolation' is 'linear'");
    refuse_in(file, "relative: 0.1", "relative: 0", "'spread' needs");
    refuse_in(file, "relative: 0.1", "absolut: 0.1", "absolut");
}

TEST(a_missing_file_is_an_error)
{
    sar_study* study = NULL;
    char* messages = NULL;
    CHECK_STATUS(sar_study_read("/no/such/file.yaml", &study, &messages), SAR_E_IO);
    CHECK(!study && messages && strstr(messages, "/no/such/file.yaml"));
    sar_text_free(messages);
}

TEST(published_rows_are_chosen_by_source_and_table)
{
    static const struct {
        const char *problem, *source, *table;
        int rows;
    } wanted[] = {
        {"slider-crank-1", "gonzalez2016", "1", 5}, {"slider-crank-1", "gonzalez2016", "2", 9},
        {"n-four-bar", "gonzalez2016", "3", 11},    {"slider-crank-1", "ruggiu2023", "4", 8},
        {"slider-crank-1", "ruggiu2023", "5", 8},   {"slider-crank-2", "ruggiu2023", "6", 8},
        {"slider-crank-2", "ruggiu2023", "7", 8},   {"slider-crank-3", "ruggiu2023", "8", 8},
        {"slider-crank-3", "ruggiu2023", "9", 8},   {"slider-crank-3", NULL, NULL, 16},
        {"slider-crank-3", "ruggiu2023", "1", 0}};
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
        char file[512], *messages = NULL;
        sar_study* study = NULL;
        snprintf(file, sizeof file, SARRUS_ROOT "/problems/%s/published.json", wanted[k].problem);
        CHECK_STATUS(sar_study_create("x", "y", &study), SAR_OK);
        if (sar_study_add_published(study, file, wanted[k].source, wanted[k].table, NULL,
                                    &messages) != SAR_OK)
            fail_msg("%s", messages);
        assert_int_equal(sar_study_rows(study), wanted[k].rows);
        sar_study_destroy(study);
    }
}

TEST(a_method_that_is_not_there_is_not_available)
{
    const sar_setting unknown[] = {{"alpha", "1"}, {"integrator", "no-such-thing"}};
    const sar_setting together[] = {{"formulation", "al3"}, {"integrator", "rk4"}};
    const sar_setting typo[] = {{"formulation", "al1"}, {"integrator", "rk4"}, {"alhpa", "1"}};
    const sar_setting preset[] = {{"iterations", "7"}, {"preset", "i3DCA"}};
    sar_options options = sar_options_default();
    sar_error error = {0};
    sar_study_row row = {.options = unknown, .option_count = 2};
    CHECK_STATUS(sar_study_method(&row, &options, &error), SAR_E_BUILD);
    CHECK_TEXT(error.message, "no integrator \"no-such-thing\"");
    options = sar_options_default();
    row.options = together;
    CHECK_STATUS(sar_study_method(&row, &options, &error), SAR_E_BUILD);
    CHECK_TEXT(error.message, "no al3 with rk4");
    options = sar_options_default();
    row = (sar_study_row){.options = typo, .option_count = 3};
    CHECK_STATUS(sar_study_method(&row, &options, &error), SAR_E_ARG);
    // the row's numbers come over those of the preset, in whatever order they are written
    options = sar_options_default();
    row = (sar_study_row){.options = preset, .option_count = 2};
    CHECK_STATUS(sar_study_method(&row, &options, &error), SAR_OK);
    CHECK(options.iterations == 7 && !options.iterations_fixed);
}

static sar_verdict judge(double energy_limit, double error_limit, int published_failed,
                         double published_seconds, sar_trial trial, char* reason)
{
    sar_study_row row = {.energy_limit = energy_limit, .error_limit = error_limit};
    row.published.failed = published_failed;
    row.published.error = row.published.energy_drift = row.published.step_us = NAN;
    row.published.value = NAN;
    row.published.seconds = published_seconds;
    return sar_study_judge(&row, &trial, reason, 600);
}

TEST(figures_may_differ_from_those_published)
{
    char why[600];
    sar_trial trial = {.error = 1.3e-3, .value = -43.0, .branch_changed = NAN};
    sar_study_row row = {
        .energy_limit = NAN, .error_limit = 1e-2, .measure = {.title = "error [J]"}};
    row.published.error = 1e-3;
    row.published.energy_drift = row.published.value = NAN;
    row.published.relative = row.published.absolute = NAN;
    assert_int_equal(sar_study_judge(&row, &trial, why, sizeof why), SAR_VERDICT_PASSES);
    row.published.relative = 0.2;
    assert_int_equal(sar_study_judge(&row, &trial, why, sizeof why), SAR_VERDICT_DIFFERS);
    CHECK_TEXT(why, "eps_T 0.0013, published 0.001");
    row.published.absolute = 5e-4; // the larger counts
    assert_int_equal(sar_study_judge(&row, &trial, why, sizeof why), SAR_VERDICT_PASSES);
    row.published.error = NAN;
    row.published.value = -45.0;
    row.published.relative = NAN;
    assert_int_equal(sar_study_judge(&row, &trial, why, sizeof why), SAR_VERDICT_DIFFERS);
    CHECK_TEXT(why, "error [J] -43, published -45");
    row.published.failed = 1; // that is another verdict
    assert_int_equal(sar_study_judge(&row, &trial, why, sizeof why), SAR_VERDICT_PASSES_UNLIKE);
}

TEST(verdicts_follow_the_limits)
{
    char why[600];
    sar_trial good_run = {.error = 1e-3, .branch_changed = NAN};
    good_run.statistics.energy_max_drift = 0.05;
    sar_trial failed = {.status = SAR_R_NO_CONV, .error = NAN, .branch_changed = NAN};
    snprintf(failed.failure, sizeof failed.failure,
             "the step from t = 1 with h = 2 did not converge: after 20 iterations ... Try this.");

    assert_int_equal(judge(0.1, NAN, 0, 1, good_run, why), SAR_VERDICT_PASSES);
    CHECK_TEXT(why, "");
    assert_int_equal(judge(0.1, NAN, 1, NAN, good_run, why), SAR_VERDICT_PASSES_UNLIKE);
    assert_int_equal(judge(0.01, NAN, 0, 1, good_run, why), SAR_VERDICT_FAILS);
    CHECK_TEXT(why, "energy drift 0.05 J above 0.01 J");
    assert_int_equal(judge(NAN, 1e-4, 0, 1, good_run, why), SAR_VERDICT_FAILS);
    CHECK_TEXT(why, "eps_T 0.001 above 0.0001");
    assert_int_equal(judge(NAN, 1e-4, 1, NAN, good_run, why), SAR_VERDICT_FAILS_AS_PUBLISHED);
    assert_int_equal(judge(NAN, 1e-2, 0, 1, failed, why), SAR_VERDICT_FAILS);
    CHECK_TEXT(why, "the step from t = 1 with h = 2 did not converge");
    assert_int_equal(judge(NAN, NAN, 0, 1, good_run, why), SAR_VERDICT_COMPLETED);
    assert_int_equal(judge(NAN, NAN, 0, NAN, failed, why), SAR_VERDICT_NOT_COMPLETED);
    failed.stopped = 1;
    assert_int_equal(judge(NAN, NAN, 0, 1, failed, why), SAR_VERDICT_NOT_RUN);

    sar_trial jumped = good_run;
    jumped.branch_changes = 1;
    jumped.branch_changed = 2.165;
    jumped.statistics.energy_max_drift = 3.0;
    assert_int_equal(judge(0.1, NAN, 0, 1, jumped, why), SAR_VERDICT_FAILS);
    CHECK_TEXT(why, "branch change at t = 2.165 s; energy drift 3 J above 0.1 J");
    // a run that left its branch is no better for keeping its energy
    jumped.statistics.energy_max_drift = 0.01;
    assert_int_equal(judge(0.1, NAN, 0, 1, jumped, why), SAR_VERDICT_FAILS);
    CHECK_TEXT(why, "branch change at t = 2.165 s");
    // a failure of the source that is none here, without a limit
    assert_int_equal(judge(NAN, NAN, 1, NAN, good_run, why), SAR_VERDICT_PASSES_UNLIKE);
    // what is told in brackets belongs to the sentence
    failed.stopped = 0;
    snprintf(failed.failure, sizeof failed.failure, "it fails (here; or there), oh: take another");
    assert_int_equal(judge(NAN, NAN, 0, 1, failed, why), SAR_VERDICT_FAILS);
    CHECK_TEXT(why, "it fails (here; or there), oh");
    // nothing finite to compare
    sar_trial lost = good_run;
    lost.error = NAN;
    assert_int_equal(judge(NAN, 1e-2, 0, 1, lost, why), SAR_VERDICT_FAILS);
    CHECK_TEXT(why, "no finite error");
}

TEST(a_measure_of_its_own_is_held_against_the_exact_motion)
{
    char why[600];
    sar_study_row row = {.energy_limit = NAN, .error_limit = NAN};
    row.measure =
        (sar_study_measure){.title = "error", .of = "a", .minus = "", .right = -2, .within = 0.5};
    row.published.value = -2.1;
    sar_trial run = {.error = NAN, .branch_changed = NAN, .value = -1.6};
    assert_int_equal(sar_study_judge(&row, &run, why, sizeof why), SAR_VERDICT_PASSES);
    run.value = -2.75;
    assert_int_equal(sar_study_judge(&row, &run, why, sizeof why), SAR_VERDICT_FAILS);
    CHECK_TEXT(why, "error -2.75: off by 0.75, above 0.5");
    run.value = NAN;
    assert_int_equal(sar_study_judge(&row, &run, why, sizeof why), SAR_VERDICT_FAILS);
}

static int make_file(void** state)
{
    (void)state;
    const int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_file(void** state)
{
    (void)state;
    return unlink(path);
}

TESTS_BETWEEN(make_file, remove_file)
