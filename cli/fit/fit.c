/* sarrus fit: numbers of a model that fit measurements. */
#include "fit/study.h"

#include "common/files/inputs.h"
#include "common/files/output_file.h"
#include "common/files/result_file.h"
#include "common/options.h"
#include "common/summary.h"
#include "pictures/svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double STRONG = 0.9;  ///< correlations that are reported
static const double LOOSE = 100.0; ///< deviations beyond which a number is not identified

typedef struct fit_task {
    cli_study base;
    cli_words names, expressions; ///< of --column
    cli_words weighed, weights;   ///< of --weight
    sar_fit_column* columns;
    sar_result* data;
    sar_fit* fit;
    sar_fit_summary summary;
    char* again;
} fit_task;

/* ---- the command line ----------------------------------------------------------------------- */

static int take_pair(const char* option, const char* value, cli_words* names, cli_words* values)
{
    const char* equals = strchr(value, '=');
    if (!equals || equals == value || !equals[1]) {
        cli_error("fit", "--%s wants NAME=%s, not '%s'", option,
                  strcmp(option, "weight") == 0 ? "NUMBER" : "EXPRESSION", value);
        return CLI_USAGE;
    }
    cli_words_add(names, "%.*s", (int)(equals - value), value);
    cli_words_add(values, "%s", equals + 1);
    return 0;
}

static int take_option(void* context, const char* name, const char* value)
{
    fit_task* task = context;
    const int taken = cli_study_take(&task->base, name, value);
    if (taken) return taken < 0 ? -taken : 0;
    if (strcmp(name, "column") == 0)
        return take_pair(name, value, &task->names, &task->expressions);
    if (strcmp(name, "weight") == 0) return take_pair(name, value, &task->weighed, &task->weights);
    return 0;
}

/* ---- finding -------------------------------------------------------------------------------- */

static int read_weight(const fit_task* task, const char* name, double* out)
{
    *out = NAN;
    for (int k = 0; k < task->weighed.count; k++) {
        char* end;
        if (strcmp(task->weighed.items[k], name) != 0) continue;
        *out = strtod(task->weights.items[k], &end);
        if (*end == 0 && *out > 0.0 && isfinite(*out)) return 0;
        cli_error("fit", "--weight %s wants a number above 0, not '%s'", name,
                  task->weights.items[k]);
        return CLI_USAGE;
    }
    return 0;
}

/* The columns of the data, or those of --column. */
static int list_columns(fit_task* task, int* count)
{
    *count = task->names.count ? task->names.count : sar_result_columns(task->data);
    task->columns = cli_allocate((size_t)*count + 1, sizeof *task->columns);
    for (int k = 0; k < *count; k++) {
        sar_fit_column* c = &task->columns[k];
        c->name = task->names.count ? task->names.items[k] : sar_result_name(task->data, k);
        if (task->names.count) c->expression = task->expressions.items[k];
        const int refused = read_weight(task, c->name, &c->weight);
        if (refused) return refused;
    }
    for (int k = 0; k < task->weighed.count; k++)
        if (sar_result_find(task->data, task->weighed.items[k]) < 0) {
            cli_error("fit", "--weight %s: the data have no such column", task->weighed.items[k]);
            return CLI_USAGE;
        }
    return 0;
}

static int search(fit_task* task, const char* path)
{
    cli_study* x = &task->base;
    sar_error error = {0};
    sar_free offset = {0};
    sar_fit_def def = {0};
    if (cli_result_read(path, &task->data, &error) != SAR_OK) {
        cli_error("fit", "%s", error.message);
        return CLI_FAILED;
    }
    int refused = list_columns(task, &def.columns_count);
    if (refused) return refused;
    x->offset = def.offset = cli_study_remove_free(x, "offset", &offset);
    def.offset_start = isnan(offset.start) ? 0.0 : offset.start;
    def.offset_lower = offset.lower, def.offset_upper = offset.upper;
    x->study.free_count = x->free_names.count;
    def.data = task->data, def.columns = task->columns;
    sar_status status = sar_fit_create(&x->study, &def, &task->fit, &error);
    if (status != SAR_OK) {
        cli_error("fit", "%s: %s", x->file.path, error.message);
        return status == SAR_E_ARG ? CLI_USAGE : status == SAR_E_MODEL ? CLI_MODEL : CLI_FAILED;
    }
    status = sar_fit_run(task->fit, &error);
    cli_progress_end(&x->progress);
    if (status == SAR_OK) return 0;
    cli_error("fit", "%s: %s", x->file.path, error.message);
    return CLI_FAILED;
}

/* ---- files ---------------------------------------------------------------------------------- */

static void draw_curve(const sar_fit_curve* c, int y, FILE* out)
{
    char* title = cli_format("%s: measured, at the start, fitted", c->name);
    char* below = cli_format("%s: measured - fitted, rms %.4g", c->name, c->rms);
    double* rest = cli_allocate((size_t)c->count, sizeof *rest);
    double *t = cli_allocate(2 * (size_t)c->count, sizeof *t),
           *dots = cli_allocate(2 * (size_t)c->count, sizeof *dots);
    for (int i = 0; i < c->count; i++) { // breaks between them make dots without lines
        rest[i] = c->measured[i] - c->found[i];
        t[2 * i] = c->t[i], dots[2 * i] = c->measured[i];
        t[2 * i + 1] = dots[2 * i + 1] = NAN;
    }
    const cli_svg_series curves[] = {
        {.name = "at the start", .n = c->count, .x = c->t, .y = c->before, .style = -1},
        {.name = "measured", .n = 2 * c->count, .x = t, .y = dots, .style = 1, .points = 1},
        {.name = "fitted", .n = c->count, .x = c->t, .y = c->found, .style = 0}};
    const cli_svg_series rests[] = {
        {.name = "measured - fitted", .n = c->count, .x = c->t, .y = rest, .points = 1}};
    const cli_svg_plot plots[] = {{.title = title,
                                   .xlabel = "time [s]",
                                   .ylabel = c->name,
                                   .width = 640,
                                   .height = 300,
                                   .legend = 1,
                                   .series = curves,
                                   .count = 3},
                                  {.title = below,
                                   .xlabel = "time [s]",
                                   .ylabel = "difference",
                                   .width = 640,
                                   .height = 200,
                                   .series = rests,
                                   .count = 1}};
    fprintf(out, "<g transform=\"translate(10, %d)\">", y);
    cli_svg_write(out, &plots[0]);
    fprintf(out, "</g>\n<g transform=\"translate(10, %d)\">", y + 320);
    cli_svg_write(out, &plots[1]);
    fputs("</g>\n", out);
    free(title), free(below), free(rest), free(t), free(dots);
}

static void write_csv(const fit_task* task, FILE* out)
{
    fputs("column,time,measured,start,fitted\n", out);
    for (int k = 0; k < sar_fit_curves(task->fit); k++) {
        const sar_fit_curve c = sar_fit_curve_at(task->fit, k);
        for (int i = 0; i < c.count; i++)
            fprintf(out, "%s,%.17g,%.17g,%.17g,%.17g\n", c.name, c.t[i], c.measured[i], c.before[i],
                    c.found[i]);
    }
}

static int write_file(const fit_task* task, const char* path)
{
    const size_t n = strlen(path);
    cli_output_file out;
    const int curves = sar_fit_curves(task->fit);
    if (cli_output_begin(&out, "fit", path)) return CLI_FAILED;
    if (n > 4 && strcmp(path + n - 4, ".svg") == 0) {
        cli_svg_begin(out.to, 660, 540 * curves + 10);
        for (int k = 0; k < curves; k++) {
            const sar_fit_curve c = sar_fit_curve_at(task->fit, k);
            draw_curve(&c, 10 + 540 * k, out.to);
        }
        fputs("</svg>\n", out.to);
    } else
        write_csv(task, out.to);
    return cli_output_end(&out, "fit", path);
}

/* ---- telling -------------------------------------------------------------------------------- */

/* "k (+1 %), m (+1 %)": what changes together without a trace. */
static char* combination_text(const fit_task* task, int which)
{
    const double* v = sar_fit_combination(task->fit, which);
    double most = 0.0;
    char* text = cli_format("%s", "");
    for (int k = 0; k < sar_fit_numbers(task->fit); k++) most = fmax(most, fabs(v[k]));
    for (int k = 0; k < sar_fit_numbers(task->fit); k++) {
        if (fabs(v[k]) < 1e-3 * most) continue;
        char* more = cli_format("%s%s%s (%+.3g %%)", text, *text ? ", " : "",
                                sar_fit_number_at(task->fit, k).name, v[k] / most);
        free(text);
        text = more;
    }
    return text;
}

/* A number that is by far less than its deviation: slopes by differences do not show more. */
static int is_loose(const fit_task* task, int k)
{
    const sar_fit_number n = sar_fit_number_at(task->fit, k);
    return n.deviation > LOOSE * fmax(fabs(n.value), fabs(n.start));
}

static int is_fine(const fit_task* task)
{
    int fine = task->summary.search.verdict == SAR_OPTIMUM_FOUND &&
               task->summary.covariance.unidentified == 0;
    for (int k = 0; k < sar_fit_numbers(task->fit); k++) fine &= !is_loose(task, k);
    return fine;
}

static void print_doubts(const fit_task* task)
{
    const int n = sar_fit_numbers(task->fit);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) {
            const double c = sar_fit_correlation(task->fit, i, k);
            if (!(fabs(c) > STRONG)) continue;
            cli_print_label(stdout, "correlated");
            printf("%s and %s: %.4f\n", sar_fit_number_at(task->fit, k).name,
                   sar_fit_number_at(task->fit, i).name, c);
        }
    for (int k = 0; k < n; k++) {
        if (!is_loose(task, k)) continue;
        cli_print_label(stdout, "not told");
        printf("%s: its deviation is more than %g times itself\n",
               sar_fit_number_at(task->fit, k).name, LOOSE);
    }
    for (int k = 0; k < task->summary.covariance.unidentified; k++) {
        char* text = combination_text(task, k);
        cli_print_label(stdout, "not told");
        printf("the data do not change with %s: any of it fits as well\n", text);
        free(text);
    }
}

static void print_report(const fit_task* task)
{
    const cli_study* x = &task->base;
    const int fine = is_fine(task);
    printf("%s%s%s: %s%s%s\n", cli_paint(stdout, CLI_BOLD), sar_model_name(x->file.model),
           cli_paint(stdout, CLI_PLAIN), cli_paint(stdout, fine ? CLI_GREEN : CLI_RED),
           task->summary.search.verdict == SAR_OPTIMUM_STOPPED ? "stopped"
           : fine                                              ? "fitted"
                                                               : "fitted, with doubts",
           cli_paint(stdout, CLI_PLAIN));
    for (int k = 0; k < sar_fit_numbers(task->fit); k++) {
        const sar_fit_number n = sar_fit_number_at(task->fit, k);
        cli_study_print_number(k ? "" : "numbers", n.name, n.value, n.deviation, n.start,
                               n.at_bound);
    }
    print_doubts(task);
    for (int k = 0; k < sar_fit_curves(task->fit); k++) {
        const sar_fit_curve c = sar_fit_curve_at(task->fit, k);
        cli_print_label(stdout, k ? "" : "residuals");
        printf("%-20s rms %.6g of %d value%s, weight %.6g\n", c.name, c.rms, c.count,
               cli_plural(c.count), c.weight);
    }
    cli_study_print_search(x, &task->summary.search, task->summary.runs, task->summary.refused);
    for (int k = 0; k < x->warnings.count; k++) {
        cli_print_label(stdout, "warning");
        puts(x->warnings.items[k]);
    }
    cli_print_label(stdout, "again");
    puts(task->again);
}

static void json_numbers(const fit_task* task, cli_json* j)
{
    const int n = sar_fit_numbers(task->fit);
    cli_json_open(j, "numbers", '[');
    for (int k = 0; k < n; k++) {
        const sar_fit_number x = sar_fit_number_at(task->fit, k);
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "name", x.name);
        cli_json_number(j, "value", x.value);
        cli_json_number(j, "deviation", x.deviation);
        cli_json_number(j, "start", x.start);
        cli_json_number(j, "lower", x.lower);
        cli_json_number(j, "upper", x.upper);
        cli_json_boolean(j, "at_bound", x.at_bound);
        cli_json_close(j);
    }
    cli_json_close(j);
    cli_json_open(j, "correlations", '[');
    for (int i = 0; i < n; i++) {
        cli_json_open(j, NULL, '[');
        for (int k = 0; k < n; k++) cli_json_number(j, NULL, sar_fit_correlation(task->fit, i, k));
        cli_json_close(j);
    }
    cli_json_close(j);
    cli_json_open(j, "not_told", '[');
    for (int i = 0; i < task->summary.covariance.unidentified; i++) {
        const double* v = sar_fit_combination(task->fit, i);
        cli_json_open(j, NULL, '{');
        for (int k = 0; k < n; k++) cli_json_number(j, sar_fit_number_at(task->fit, k).name, v[k]);
        cli_json_close(j);
    }
    cli_json_close(j);
}

static void print_json(const fit_task* task)
{
    cli_json j = cli_json_begin(stdout);
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "sarrus.fit/1");
    cli_json_text(&j, "model", sar_model_name(task->base.file.model));
    json_numbers(task, &j);
    cli_json_open(&j, "columns", '[');
    for (int k = 0; k < sar_fit_curves(task->fit); k++) {
        const sar_fit_curve c = sar_fit_curve_at(task->fit, k);
        cli_json_open(&j, NULL, '{');
        cli_json_text(&j, "name", c.name);
        cli_json_text(&j, "expression", c.expression);
        cli_json_number(&j, "weight", c.weight);
        cli_json_number(&j, "rms", c.rms);
        cli_json_integer(&j, "values", c.count);
        cli_json_close(&j);
    }
    cli_json_close(&j);
    cli_json_number(&j, "objective", task->summary.search.objective);
    cli_study_json_search(&task->base, &task->summary.search, task->summary.runs,
                          task->summary.refused, &j);
    cli_json_text(&j, "again", task->again);
    cli_json_words(&j, "warnings", &task->base.warnings);
    cli_json_close(&j);
}

/* ---- the command ---------------------------------------------------------------------------- */

static int carry_out(fit_task* task, const char* model, const char* data)
{
    cli_study* x = &task->base;
    int outcome = cli_study_open(x, model);
    if (!outcome) outcome = search(task, data);
    if (outcome) return outcome;
    task->summary = sar_fit_summarise(task->fit);
    double* p = cli_allocate((size_t)sar_fit_numbers(task->fit), sizeof *p);
    for (int k = 0; k < sar_fit_numbers(task->fit); k++)
        p[k] = sar_fit_number_at(task->fit, k).value;
    task->again = cli_study_command(x, p);
    cli_study_keep(x, p);
    free(p);
    for (int k = 0; k < x->outputs.count && !outcome; k++)
        outcome = cli_inputs_refuse("fit", x->outputs.items[k], cli_endings_of_file);
    for (int k = 0; k < x->outputs.count && !outcome; k++)
        outcome = write_file(task, x->outputs.items[k]);
    (x->json ? print_json : print_report)(task);
    if (outcome) return outcome;
    const sar_optimum_verdict verdict = task->summary.search.verdict;
    if (verdict == SAR_OPTIMUM_STOPPED) return CLI_INTERRUPTED;
    return is_fine(task) ? CLI_DONE : CLI_DOUBTFUL;
}

static int fit_main(int argc, char** argv)
{
    fit_task task = {.base = {.command = &cli_command_fit, .study = sar_study_default()}};
    int operands = 0;
    int outcome = cli_parse(&cli_command_fit, argc, argv, take_option, &task, &operands);
    if (outcome == CLI_GO_ON && operands != 2) {
        cli_error("fit", "a model and a file of data, please");
        outcome = cli_usage(&cli_command_fit);
    } else if (outcome == CLI_GO_ON && task.base.free_names.count == 0) {
        cli_error("fit", "which numbers may change? Name them, as in --free k=1e3:1e5");
        outcome = cli_usage(&cli_command_fit);
    } else if (outcome == CLI_GO_ON) {
        outcome = carry_out(&task, argv[1], argv[2]);
    }
    sar_fit_destroy(task.fit);
    sar_result_destroy(task.data);
    cli_words_clear(&task.names), cli_words_clear(&task.expressions);
    cli_words_clear(&task.weighed), cli_words_clear(&task.weights);
    free(task.columns);
    free(task.again);
    cli_study_close(&task.base);
    return outcome;
}

static const cli_option fit_options[] = {
    CLI_STUDY_OPTIONS,
    {"column", 0, "NAME=EXPRESSION",
     "column NAME of the data is this expression of the model; with it, only columns named so "
     "count; may be repeated. Without it every column is called by an output or by an expression"},
    {"weight", 0, "NAME=NUMBER",
     "weight of a column: 1/(standard deviation of its noise). Default: 1 of a single column, else "
     "1/(standard deviation of its values)"},
    {"output", 'o', "FILE",
     ".svg: measured, start and fit, and their differences; .csv: the same as numbers; may be "
     "repeated"},
    {0}};

static const cli_brief fit_brief[] = {
    {"free", "NAME or NAME=LOW:HIGH: a number that may change; 'offset': of the data's clock"},
    {"column", "NAME=EXPRESSION: what a column of the data is"},
    {"weight", "NAME=NUMBER: 1/(standard deviation of a column's noise)"},
    {"output", "picture of curves and differences: .svg; numbers: .csv"},
    {"state", "go on from the best numbers in this file, and keep them there"},
    {0}};

const cli_command cli_command_fit = {
    .name = "fit",
    .summary = "numbers of a model that fit measurements, with their standard deviations",
    .operands = "MODEL DATA [options]",
    .examples = "# stiffness and damping from a measured swing\n"
                "sarrus fit swing.yaml swing.csv --free k=1e3:1e5 --free c=0: -o fit.svg\n"
                "# the pendulum was released at an unknown angle, and the clock ran already\n"
                "sarrus fit pendulum.yaml data.csv --free L --free J.angle --free offset",
    .gist =
        "Least squares between runs and DATA: a CSV or HDF5 file with a column 'time' and columns "
        "called by outputs or expressions of the model. Exit codes: 0 fitted, 6 with doubts.",
    .brief = fit_brief,
    .text =
        "The numbers of --free are changed until the weighed sum of squares of (model - data) is "
        "least, by Levenberg's and Marquardt's method within their bounds. A run that fails is a "
        "step that is too long. Reported are standard deviations, as the scatter of the residuals "
        "has them, correlations above 0.9, and combinations of numbers that the data do not tell "
        "apart. '--free offset' finds when the clock of the data began: time of the model = time "
        "of the data + offset.\n"
        "\n"
        "Ctrl-C ends the search with the best numbers so far.\n"
        "\n"
        "Exit codes: 0 fitted, 1 failed, 2 wrong usage, 3 invalid model, 6 not at a minimum, or "
        "some numbers cannot be told apart, 130 interrupted.",
    .options = fit_options,
    .takes = CLI_TAKES_METHOD | CLI_TAKES_SET | CLI_TAKES_JSON,
    .run = fit_main};
