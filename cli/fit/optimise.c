/* sarrus optimise: numbers of a model that make its motion best, within limits. */
#include "fit/study.h"

#include "common/files/inputs.h"
#include "common/files/output_file.h"
#include "common/options.h"
#include "common/summary.h"
#include "pictures/svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct optimise_task {
    cli_study base;
    cli_words minimise, limits;
    int samples, starts;
    sar_design* design;
    sar_design_summary summary;
    char* again;
} optimise_task;

/* ---- the command line ----------------------------------------------------------------------- */

static int take_option(void* context, const char* name, const char* value)
{
    optimise_task* task = context;
    const int taken = cli_study_take(&task->base, name, value);
    if (taken) return taken < 0 ? -taken : 0;
    if (strcmp(name, "minimise") == 0) cli_words_add(&task->minimise, "%s", value);
    if (strcmp(name, "limit") == 0) cli_words_add(&task->limits, "%s", value);
    if (strcmp(name, "samples") == 0)
        return cli_read_count("optimise", name, value, 1, 1000000, &task->samples);
    if (strcmp(name, "starts") == 0)
        return cli_read_count("optimise", name, value, 1, 1000000, &task->starts);
    if (strcmp(name, "search") == 0) {
        task->base.study.search.solver = value;
        if (strcmp(value, "auto") != 0 && strcmp(value, "own") != 0 &&
            strcmp(value, "nlopt") != 0) {
            cli_error("optimise", "--search is auto, own or nlopt, not '%s'", value);
            return CLI_USAGE;
        }
    }
    return 0;
}

/* ---- finding -------------------------------------------------------------------------------- */

static int search(optimise_task* task)
{
    cli_study* x = &task->base;
    sar_error error = {0};
    const sar_design_def def = {.minimise = (const char* const*)task->minimise.items,
                                .minimise_count = task->minimise.count,
                                .limits = (const char* const*)task->limits.items,
                                .limits_count = task->limits.count,
                                .samples = task->samples,
                                .starts = task->starts};
    sar_status status = sar_design_create(&x->study, &def, &task->design, &error);
    if (status != SAR_OK) {
        cli_error("optimise", "%s: %s", x->file.path, error.message);
        return status == SAR_E_ARG ? CLI_USAGE : status == SAR_E_MODEL ? CLI_MODEL : CLI_FAILED;
    }
    status = sar_design_run(task->design, &error);
    cli_progress_end(&x->progress);
    if (status == SAR_OK) return 0;
    cli_error("optimise", "%s: %s", x->file.path, error.message);
    if (status == SAR_E_BUILD)
        cli_hint("--search nlopt needs the library NLopt (Debian: libnlopt0).");
    return CLI_FAILED;
}

/* ---- files ---------------------------------------------------------------------------------- */

static void write_svg(const optimise_task* task, FILE* out)
{
    const int curves = sar_design_curves(task->design);
    cli_svg_begin(out, 660, 320 * curves + 10);
    for (int k = 0; k < curves; k++) {
        const sar_design_curve c = sar_design_curve_at(task->design, k);
        const int was = !isnan(task->summary.before);
        const cli_svg_series series[] = {
            {.name = "before", .n = was ? c.count : 0, .x = c.t, .y = c.before, .style = -1},
            {.name = "after", .n = c.count, .x = c.t, .y = c.after, .style = 0}};
        const cli_svg_plot plot = {.title = c.expression,
                                   .xlabel = "time [s]",
                                   .ylabel = "",
                                   .width = 640,
                                   .height = 300,
                                   .legend = 1,
                                   .series = series,
                                   .count = 2};
        fprintf(out, "<g transform=\"translate(10, %d)\">", 10 + 320 * k);
        cli_svg_write(out, &plot);
        fputs("</g>\n", out);
    }
    fputs("</svg>\n", out);
}

static void write_csv(const optimise_task* task, FILE* out)
{
    fputs("expression,time,before,after\n", out);
    for (int k = 0; k < sar_design_curves(task->design); k++) {
        const sar_design_curve c = sar_design_curve_at(task->design, k);
        for (int i = 0; i < c.count; i++)
            fprintf(out, "\"%s\",%.17g,%.17g,%.17g\n", c.expression, c.t[i], c.before[i],
                    c.after[i]);
    }
}

static int write_file(const optimise_task* task, const char* path)
{
    const size_t n = strlen(path);
    cli_output_file out;
    if (cli_output_begin(&out, "optimise", path)) return CLI_FAILED;
    (n > 4 && strcmp(path + n - 4, ".svg") == 0 ? write_svg : write_csv)(task, out.to);
    return cli_output_end(&out, "optimise", path);
}

/* ---- telling -------------------------------------------------------------------------------- */

static int is_fine(const optimise_task* task)
{
    const sar_optimum_verdict verdict = task->summary.search.verdict;
    return verdict == SAR_OPTIMUM_FOUND;
}

static void print_report(const optimise_task* task)
{
    const cli_study* x = &task->base;
    const sar_design_summary* s = &task->summary;
    printf("%s%s%s: %s%s%s\n", cli_paint(stdout, CLI_BOLD), sar_model_name(x->file.model),
           cli_paint(stdout, CLI_PLAIN), cli_paint(stdout, is_fine(task) ? CLI_GREEN : CLI_RED),
           s->search.verdict == SAR_OPTIMUM_INFEASIBLE    ? "limits do not hold"
           : s->search.verdict == SAR_OPTIMUM_STOPPED     ? "stopped"
           : s->search.verdict == SAR_OPTIMUM_CONSTANT    ? "nothing to optimise"
           : s->search.verdict == SAR_OPTIMUM_UNBOUNDED   ? "no minimum"
           : s->search.verdict == SAR_OPTIMUM_NO_PROGRESS ? "stuck, maybe at a minimum"
           : is_fine(task)                                ? "optimised"
                                                          : "not at a minimum yet",
           cli_paint(stdout, CLI_PLAIN));
    cli_print_label(stdout, "objective");
    printf("%.9g, before %.6g\n", s->after, s->before);
    for (int k = 0; k < sar_design_numbers(task->design); k++) {
        const sar_fit_number n = sar_design_number_at(task->design, k);
        cli_study_print_number(k ? "" : "numbers", n.name, n.value, NAN, n.start, n.at_bound);
    }
    for (int k = 0; k < sar_design_limits(task->design); k++) {
        const sar_design_limit l = sar_design_limit_at(task->design, k);
        cli_print_label(stdout, k ? "" : "limits");
        printf("%-32s %s", l.text, l.active ? "just holds" : l.after > 0.0 ? "BROKEN" : "holds");
        printf(l.after > 0.0 && !l.active ? " by %.4g" : ", %.3g to spare", fabs(l.after));
        printf(", before %.4g\n", -l.before);
    }
    if (s->starts > 1) {
        cli_print_label(stdout, "starts");
        for (int k = 0; k < s->starts; k++)
            printf("%s%.6g", k ? " " : "", sar_design_objective(task->design, k));
        printf("\n");
    }
    cli_study_print_search(x, &s->search, s->runs, s->refused);
    for (int k = 0; k < x->warnings.count; k++) {
        cli_print_label(stdout, "warning");
        puts(x->warnings.items[k]);
    }
    cli_print_label(stdout, "again");
    puts(task->again);
}

static void json_limits(const optimise_task* task, cli_json* j)
{
    cli_json_open(j, "limits", '[');
    for (int k = 0; k < sar_design_limits(task->design); k++) {
        const sar_design_limit l = sar_design_limit_at(task->design, k);
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "text", l.text);
        cli_json_number(j, "before", l.before);
        cli_json_number(j, "after", l.after);
        cli_json_boolean(j, "active", l.active);
        cli_json_close(j);
    }
    cli_json_close(j);
}

static void print_json(const optimise_task* task)
{
    const sar_design_summary* s = &task->summary;
    cli_json j = cli_json_begin(stdout);
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "sarrus.optimise/1");
    cli_json_text(&j, "model", sar_model_name(task->base.file.model));
    cli_json_number(&j, "before", s->before);
    cli_json_number(&j, "after", s->after);
    cli_json_number(&j, "violation", s->search.violation);
    cli_json_open(&j, "numbers", '[');
    for (int k = 0; k < sar_design_numbers(task->design); k++) {
        const sar_fit_number n = sar_design_number_at(task->design, k);
        cli_json_open(&j, NULL, '{');
        cli_json_text(&j, "name", n.name);
        cli_json_number(&j, "value", n.value);
        cli_json_number(&j, "start", n.start);
        cli_json_number(&j, "lower", n.lower);
        cli_json_number(&j, "upper", n.upper);
        cli_json_boolean(&j, "at_bound", n.at_bound);
        cli_json_close(&j);
    }
    cli_json_close(&j);
    json_limits(task, &j);
    cli_json_open(&j, "starts", '[');
    for (int k = 0; k < s->starts; k++)
        cli_json_number(&j, NULL, sar_design_objective(task->design, k));
    cli_json_close(&j);
    cli_study_json_search(&task->base, &s->search, s->runs, s->refused, &j);
    cli_json_text(&j, "again", task->again);
    cli_json_words(&j, "warnings", &task->base.warnings);
    cli_json_close(&j);
}

/* ---- the command ---------------------------------------------------------------------------- */

static int carry_out(optimise_task* task, const char* model)
{
    cli_study* x = &task->base;
    int outcome = cli_study_open(x, model);
    if (!outcome) outcome = search(task);
    if (outcome) return outcome;
    task->summary = sar_design_summarise(task->design);
    const int numbers = sar_design_numbers(task->design);
    double* p = cli_allocate((size_t)numbers, sizeof *p);
    for (int k = 0; k < numbers; k++) p[k] = sar_design_number_at(task->design, k).value;
    task->again = cli_study_command(x, p);
    cli_study_keep(x, p);
    free(p);
    for (int k = 0; k < x->outputs.count && !outcome; k++)
        outcome = cli_inputs_refuse("optimise", x->outputs.items[k], cli_endings_of_file);
    for (int k = 0; k < x->outputs.count && !outcome; k++)
        outcome = write_file(task, x->outputs.items[k]);
    (x->json ? print_json : print_report)(task);
    if (outcome) return outcome;
    if (task->summary.search.verdict == SAR_OPTIMUM_STOPPED) return CLI_INTERRUPTED;
    return is_fine(task) ? CLI_DONE : CLI_DOUBTFUL;
}

static int optimise_main(int argc, char** argv)
{
    const cli_command* command = &cli_command_optimise;
    optimise_task task = {.base = {.command = command, .study = sar_study_default()}};
    int operands = 0;
    int outcome = cli_parse(command, argc, argv, take_option, &task, &operands);
    if (outcome == CLI_GO_ON &&
        (operands != 1 || task.base.free_names.count == 0 || task.minimise.count == 0)) {
        cli_error("optimise", operands != 1 ? "one model, please"
                              : task.minimise.count == 0
                                  ? "what is to be least? Say so, as in --minimise \"rms(P.y)\""
                                  : "which numbers may change? Name them, as in --free L=0.1:0.5");
        outcome = cli_usage(command);
    } else if (outcome == CLI_GO_ON) {
        outcome = carry_out(&task, argv[1]);
    }
    sar_design_destroy(task.design);
    cli_words_clear(&task.minimise), cli_words_clear(&task.limits);
    free(task.again);
    cli_study_close(&task.base);
    return outcome;
}

static const cli_option optimise_options[] = {
    {"minimise", 'm', "EXPRESSION",
     "what is to be least: of start(E), end(E), integral(E), mean(E), rms(E), max(E), min(E) over "
     "the run, E being expressions of the model; E alone is its value at the end. rms(E) may be "
     "repeated: the root of the sum of squares"},
    {"limit", 0, "LIMIT",
     "EXPRESSION <= EXPRESSION, >= or =: at all times of the run, or of the above, or of "
     "parameters; may be repeated"},
    CLI_STUDY_OPTIONS,
    {"samples", 0, "N", "values of the run that count are N + 1 at equal distances (default 100)"},
    {"starts", 0, "N",
     "search N times, from the model and from numbers within the bounds, the same every time; "
     "keep the best (default 1)"},
    {"search", 0, "WHICH",
     "auto (default): least squares for rms; else SLSQP of NLopt where it is installed and there "
     "are limits; own: never another library; nlopt: SLSQP"},
    {"output", 'o', "FILE",
     ".svg: the expressions over time before and after; .csv: as numbers; may be repeated"},
    {0}};

static const cli_brief optimise_brief[] = {
    {"minimise", "what is to be least: rms(E), max(E), integral(E), end(E), ... of the run"},
    {"limit", "\"E <= VALUE\": at all times, or of the above; may be repeated"},
    {"free", "NAME=LOW:HIGH: a number that may change; may be repeated"},
    {"kinematics", "drives prescribe the motion: positions alone"},
    {"starts", "search from N places and keep the best"},
    {"output", "curves before and after: .svg, .csv"},
    {0}};

const cli_command cli_command_optimise = {
    .name = "optimise",
    .summary = "numbers of a model that make its motion best, within limits",
    .operands = "MODEL --minimise EXPRESSION --free NAME=LOW:HIGH [options]",
    .examples =
        "# springs that shake the seat least, and do not hit their stops\n"
        "sarrus optimise car.yaml --minimise \"rms(seat.ay)\" --free k=5e3:5e4 --free c=0:5e3 "
        "--limit \"strut.displacement <= 0.08\"\n"
        "# a four-bar whose coupler goes along a straight line\n"
        "sarrus optimise linkage.yaml --kinematics --minimise \"rms(coupler.P.y - 1)\" --free a "
        "--free b --limit \"end(coupler.P.x) - start(coupler.P.x) >= 1.2\"",
    .gist =
        "Changes numbers of the model until an objective of its run is least and limits hold. Exit "
        "codes: 0 optimised, 6 no minimum, or limits do not hold.",
    .brief = optimise_brief,
    .text = "The numbers of --free are changed within their bounds until what is minimised is "
            "least and all limits hold. rms(E) is least squares, by Levenberg's and Marquardt's "
            "method; max(E) the largest value over the run; all else one number. Limits are met "
            "by multipliers (augmented Lagrangian), or by SLSQP of NLopt; the report says which "
            "was used. A run that fails, or a linkage that does not close, is a step that is too "
            "long. Searches end in the nearest minimum: --starts looks for better ones.\n"
            "\n"
            "Ctrl-C ends the search with the best numbers so far.\n"
            "\n"
            "Exit codes: 0 optimised, 1 failed, 2 wrong usage, 3 invalid model, 6 out of "
            "iterations, or limits do not hold, 130 interrupted.",
    .options = optimise_options,
    .takes = CLI_TAKES_METHOD | CLI_TAKES_SET | CLI_TAKES_JSON,
    .run = optimise_main};
