/* sarrus compare: the difference between two results. */
#include "common/files/inputs.h"
#include "common/files/json.h"
#include "common/files/result_file.h"
#include "common/options.h"
#include "common/summary.h"
#include "common/text.h"
#include "pictures/gnuplot.h"
#include "run/picture.h"

#include "sarrus/result.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    cli_words columns;
    cli_words weights;
    double interval, relative;
    int json, linear;
    const char* plot;
} request;

static int take_option(void* context, const char* name, const char* value)
{
    request* want = context;
    if (strcmp(name, "columns") == 0) cli_words_split(&want->columns, value, ", ");
    if (strcmp(name, "weights") == 0) cli_words_split_all(&want->weights, value, ", ");
    if (strcmp(name, "linear") == 0) want->linear = 1;
    if (strcmp(name, "json") == 0) want->json = 1;
    if (strcmp(name, "plot") == 0) want->plot = value;
    if (strcmp(name, "interval") == 0)
        return cli_read_number("compare", name, value, DBL_MIN, INFINITY, &want->interval);
    if (strcmp(name, "relative") == 0)
        return cli_read_number("compare", name, value, DBL_MIN, INFINITY, &want->relative);
    return 0;
}

typedef struct comparison {
    const char* path[2];
    sar_result* result[2];
    cli_words names; ///< columns to compare
    sar_comparison answer;
    double* errors;  ///< largest of each column
    double* weights; ///< of each column
    double from, to; ///< the time that both cover
} comparison;

static int read_both(comparison* c)
{
    for (int k = 0; k < 2; k++) {
        sar_error error = {0};
        if (cli_result_read(c->path[k], &c->result[k], &error) == SAR_OK) continue;
        cli_error("compare", "%s", error.message);
        return CLI_FAILED;
    }
    return 0;
}

static void refuse_column(const comparison* c, const char* name, int which)
{
    const sar_result* r = c->result[which];
    cli_words known = {0};
    for (int k = 0; k < sar_result_columns(r); k++)
        cli_words_add(&known, "%s", sar_result_name(r, k));
    const char* nearest = cli_nearest(name, (const char* const*)known.items, known.count);
    if (nearest)
        cli_error("compare", "%s has no column '%s'; did you mean '%s'?", c->path[which], name,
                  nearest);
    else
        cli_error("compare", "%s has no column '%s'", c->path[which], name);
    cli_words_clear(&known);
}

/// The columns asked for, or all that both results have.
static int choose_columns(comparison* c, const request* want)
{
    for (int k = 0; k < want->columns.count; k++) {
        const char* name = want->columns.items[k];
        for (int which = 0; which < 2; which++) {
            if (sar_result_find(c->result[which], name) >= 0) continue;
            refuse_column(c, name, which);
            return cli_usage(&cli_command_compare);
        }
        cli_words_add_once(&c->names, name);
    }
    for (int k = 0; want->columns.count == 0 && k < sar_result_columns(c->result[0]); k++) {
        const char* name = sar_result_name(c->result[0], k);
        if (sar_result_is_estimate(c->result[0], k)) continue;
        if (sar_result_find(c->result[1], name) >= 0) cli_words_add_once(&c->names, name);
    }
    if (c->names.count > 0) return 0;
    cli_error("compare", "%s and %s have no column in common", c->path[0], c->path[1]);
    return CLI_FAILED;
}

/// One for each of the columns that were asked for.
static int read_weights(const comparison* c, const request* want, double* weights)
{
    if (want->weights.count != c->names.count || want->columns.count == 0) {
        cli_error("compare", "--weights needs one number for each of --columns, here are %d for %d",
                  want->weights.count, want->columns.count);
        return cli_usage(&cli_command_compare);
    }
    for (int k = 0; k < want->weights.count; k++) {
        char* end = NULL;
        weights[k] = strtod(want->weights.items[k], &end);
        if (!*end && weights[k] >= 0.0 && !isinf(weights[k])) continue;
        cli_error("compare", "--weights: '%s' is not a number of 0 or more",
                  want->weights.items[k]);
        return cli_usage(&cli_command_compare);
    }
    return 0;
}

static int measure(comparison* c, const request* want)
{
    c->errors = cli_allocate((size_t)c->names.count, sizeof(double));
    c->weights = cli_allocate((size_t)c->names.count, sizeof(double));
    if (want->weights.count > 0) {
        const int outcome = read_weights(c, want, c->weights);
        if (outcome != 0) return outcome;
    }
    sar_comparison_def def = {.names = (const char* const*)c->names.items,
                              .weights = want->weights.count > 0 ? c->weights : NULL,
                              .count = c->names.count,
                              .interval = want->interval,
                              .linear = want->linear,
                              .relative = want->relative};
    sar_error error = {0};
    sar_status status =
        sar_result_compare(c->result[0], c->result[1], &def, &c->answer, c->errors, &error);
    if (status != SAR_OK) {
        cli_error("compare", "%s", error.message);
        return CLI_FAILED;
    }
    c->from = -INFINITY, c->to = INFINITY;
    for (int which = 0; which < 2; which++) {
        const double* t = sar_result_time(c->result[which]);
        c->from = fmax(c->from, t[0]);
        c->to = fmin(c->to, t[sar_result_rows(c->result[which]) - 1]);
    }
    return 0;
}

/* ---- telling -------------------------------------------------------------------------------- */

static void print_json(const comparison* c)
{
    cli_json j = cli_json_begin(stdout);
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "sarrus.compare/1");
    cli_json_text(&j, "a", c->path[0]);
    cli_json_text(&j, "b", c->path[1]);
    cli_json_number(&j, "total_error", c->answer.total);
    cli_json_open(&j, "max_error", '{');
    for (int k = 0; k < c->names.count; k++) cli_json_number(&j, c->names.items[k], c->errors[k]);
    cli_json_close(&j);
    cli_json_open(&j, "largest", '{');
    cli_json_text(&j, "name", c->answer.max_name);
    cli_json_number(&j, "error", c->answer.max_error);
    cli_json_number(&j, "t", c->answer.max_time);
    cli_json_close(&j);
    cli_json_number(&j, "interpolation", c->answer.interpolation);
    cli_json_text(&j, "limited", c->answer.limited);
    cli_json_integer(&j, "variables", c->answer.variables);
    cli_json_integer(&j, "samples", c->answer.samples);
    cli_json_number(&j, "start", c->from);
    cli_json_number(&j, "end", c->to);
    cli_json_close(&j);
}

static void print_report(const comparison* c)
{
    printf("%s against %s, t = %g to %g s\n", c->path[0], c->path[1], c->from, c->to);
    cli_print_label(stdout, "total error");
    printf("%.6g (%d variable%s, %d samples)\n", c->answer.total, c->answer.variables,
           cli_plural(c->answer.variables), c->answer.samples);
    cli_print_label(stdout, "largest");
    printf("%.6g in %s at t = %g s\n", c->answer.max_error,
           c->answer.max_name ? c->answer.max_name : "none", c->answer.max_time);
    for (int k = 0; k < c->names.count; k++) {
        cli_print_label(stdout, k ? "" : "by column");
        printf("%-24s %.6g\n", c->names.items[k], c->errors[k]);
    }
    if (!c->answer.limited) return;
    cli_print_label(stdout, "limited");
    char* text = cli_format("values of %s between rows are uncertain by %.1e: that limits the "
                            "comparison, not the results; store more rows (--sample), or the rates "
                            "(.h5, or --rates)",
                            c->answer.limited, c->answer.interpolation);
    cli_wrap(stdout, text, CLI_LABEL + 2, CLI_LABEL + 2, 100);
    free(text);
}

static int carry_out(comparison* c, const request* want)
{
    int outcome = read_both(c);
    if (outcome == 0) outcome = cli_inputs_refuse("compare", want->plot, cli_endings_of_file);
    if (outcome == 0 && want->plot) outcome = cli_gnuplot_check(want->plot);
    if (outcome == 0) outcome = choose_columns(c, want);
    if (outcome == 0) outcome = measure(c, want);
    if (outcome != 0) return outcome;
    if (want->json)
        print_json(c);
    else
        print_report(c);
    if (!want->plot) return CLI_DONE;
    int failed =
        cli_picture_compare((const sar_result* const*)c->result, c->path,
                            (const char* const*)c->names.items, c->names.count, want->plot);
    return failed ? CLI_FAILED : CLI_DONE;
}

static int compare_main(int argc, char** argv)
{
    request want = {0};
    comparison c = {0};
    int operands = 0;
    int outcome = cli_parse(&cli_command_compare, argc, argv, take_option, &want, &operands);
    if (outcome == CLI_GO_ON && operands != 2) {
        cli_error("compare", "expected two result files: the result and the reference");
        outcome = cli_usage(&cli_command_compare);
    } else if (outcome == CLI_GO_ON) {
        c.path[0] = argv[1], c.path[1] = argv[2];
        outcome = carry_out(&c, &want);
    }
    sar_result_destroy(c.result[0]);
    sar_result_destroy(c.result[1]);
    cli_words_clear(&c.names);
    cli_words_clear(&want.columns);
    cli_words_clear(&want.weights);
    free(c.errors);
    free(c.weights);
    return outcome;
}

static const cli_option compare_options[] = {
    {"columns", 'c', "A,B,...", "compare only these (default: all common columns)"},
    {"weights", 0, "W1,W2,...", "weights of the columns in the total error (default: 1)"},
    {"relative", 0, "FRACTION",
     "relative errors: divided by the value of B, or by this fraction of its largest value where "
     "it is smaller"},
    {"linear", 0, NULL, "straight lines between rows, as in the paper"},
    {"interval", 0, "SECONDS", "interval of the samples (default: the rows of B)"},
    {"plot", 0, "FILE",
     "plot both histories over each other: .svg, .png or .pdf by the file extension (needs "
     "gnuplot)"},
    {0}};

const cli_command cli_command_compare = {
    .name = "compare",
    .summary = "the difference between two results",
    .operands = "A B [options]",
    .examples = "# a run against the reference of its problem\n"
                "sarrus run four-bar -o run.csv\n"
                "sarrus compare run.csv problems/four-bar/reference.csv\n"
                "# two methods, two columns, drawn over each other\n"
                "sarrus compare natural.h5 cartesian.h5 --columns x,y --plot both.svg",
    .text =
        "A and B are result files (.h5, .csv); B is the reference. The total error is the metric "
        "of Ruggiu and Gonzalez (2023), eq. 1-2, over the time that both cover; between the "
        "rows of A it interpolates, with the rates that HDF5 files hold, else with more rows, and "
        "says where that limits the comparison. The largest absolute difference of each column is "
        "listed too; with --relative all errors are relative.\n\nExit codes: 0 compared, 1 a file "
        "cannot be read or the two have nothing in "
        "common, 2 wrong usage.",
    .options = compare_options,
    .takes = CLI_TAKES_JSON,
    .run = compare_main};
