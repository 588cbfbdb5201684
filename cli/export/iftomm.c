/* sarrus export --iftomm: a problem as the IFToMM library of computational benchmark problems asks for it. A
 * proposal has a description, a file of results in columns that the description defines, and two
 * numbers: the error and the CPU time. */
#include "export/export.h"

#include "common/command.h"
#include "common/files/inputs.h"
#include "common/files/output_file.h"
#include "common/options.h"
#include "common/summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { RUNS = 5 };

static int take_option(void* context, const char* name, const char* value)
{
    cli_export* x = context;
    int taken = cli_setup_option(&x->setup, name, value);
    if (taken >= 0) return taken;
    if (strcmp(name, "iftomm") == 0) x->folder = value;
    if (strcmp(name, "author") == 0) x->author = value;
    return 0;
}

static int check_request(const cli_export* x, int operands)
{
    const char* why = operands == 0  ? "which model? Give a file, or the name of a problem"
                      : operands > 1 ? "one model at a time"
                      : !x->folder   ? "where to? Give --iftomm FOLDER"
                                     : NULL;
    if (!why) return 0;
    cli_error("export", "%s", why);
    return cli_usage(&cli_command_export);
}

/* ---- the run -------------------------------------------------------------------------------- */

/// The variables of interest: those of the metric, else the outputs that the reference has too.
static void choose_columns(cli_export* x)
{
    const cli_setup* s = &x->setup;
    for (int k = 0; s->has_metric && k < s->metric.count; k++)
        cli_words_add(&x->columns, "%s", s->metric.names[k]);
    for (int k = 0; !s->has_metric && k < sar_model_outputs(s->file.model); k++) {
        const char* name = sar_model_output_name(s->file.model, k);
        if (sar_result_find(s->reference, name) >= 0) cli_words_add(&x->columns, "%s", name);
    }
}

static double interval_of(const cli_setup* s)
{
    const double* t = sar_result_time(s->reference);
    if (s->has_metric && s->metric.interval > 0.0) return s->metric.interval;
    return sar_result_rows(s->reference) > 1 ? t[1] - t[0] : 0.0;
}

/// The result once, and its time RUNS times.
static int run(cli_export* x)
{
    const cli_setup* s = &x->setup;
    const char* names[8];
    sar_error error = {0};
    const sar_comparison_def metric = {.names = names,
                                       .weights = s->metric.weights,
                                       .count = s->metric.count,
                                       .interval = s->metric.interval};
    for (int k = 0; k < s->metric.count; k++) names[k] = s->metric.names[k];
    sar_status st = cli_setup_options(s, NULL, 0, &x->options, &error);
    x->options.sample = interval_of(s);
    sar_trial_def def = {.model = s->file.model,
                         .options = x->options,
                         .reference = s->reference,
                         .metric = s->has_metric ? &metric : NULL};
    if (st == SAR_OK) st = sar_trial_run(&def, &x->trial, &x->history, &error);
    double least = x->trial.seconds, most = least, sum = least;
    for (int k = 1; k < RUNS && st == SAR_OK && x->trial.status == SAR_OK; k++) {
        sar_trial again;
        def.reference = NULL;
        st = sar_trial_run(&def, &again, NULL, &error);
        least = fmin(least, again.seconds), most = fmax(most, again.seconds), sum += again.seconds;
    }
    x->mean = sum / RUNS;
    x->spread = most - least;
    if (st == SAR_OK && x->trial.status == SAR_OK) return 0;
    cli_error("export", "%s", st == SAR_OK ? x->trial.failure : error.message);
    return CLI_FAILED;
}

/* ---- files ---------------------------------------------------------------------------------- */

static int write_file(const cli_export* x, const char* name,
                      void (*write)(const cli_export* x, FILE* out))
{
    char* path = cli_format("%s/%s", x->folder, name);
    cli_output_file file;
    int failed = cli_output_begin(&file, "export", path);
    if (!failed) {
        write(x, file.to);
        failed = cli_output_end(&file, "export", path);
    }
    free(path);
    return failed;
}

/// Time and variables, a tabulator between them, in all their digits.
static void write_columns(const cli_export* x, const sar_result* from, FILE* out)
{
    fprintf(out, "%% time [s]");
    for (int c = 0; c < x->columns.count; c++) fprintf(out, "\t%s", x->columns.items[c]);
    fputc('\n', out);
    for (int k = 0; k < sar_result_rows(from); k++) {
        fprintf(out, "%.15g", sar_result_time(from)[k]);
        for (int c = 0; c < x->columns.count; c++) {
            const int column = sar_result_find(from, x->columns.items[c]);
            fprintf(out, "\t%.15g", column >= 0 ? sar_result_column(from, column)[k] : NAN);
        }
        fputc('\n', out);
    }
}

static void write_reference(const cli_export* x, FILE* out)
{
    write_columns(x, x->setup.reference, out);
}

static void write_results(const cli_export* x, FILE* out)
{
    write_columns(x, x->history, out);
}

static void write_model(const cli_export* x, FILE* out)
{
    fwrite(x->setup.file.text, 1, x->setup.file.length, out);
}

/// The mechanism, as `sarrus draw` draws it.
static int draw(const cli_export* x)
{
    cli_words line = {0};
    cli_words_add(&line, "draw");
    cli_words_add(&line, "%s", x->model);
    for (int k = 0; k < x->setup.settings.names.count; k++) {
        cli_words_add(&line, "--set");
        cli_words_add(&line, "%s=%s", x->setup.settings.names.items[k],
                      x->setup.settings.values.items[k]);
    }
    cli_words_add(&line, "--labels");
    cli_words_add(&line, "-o");
    cli_words_add(&line, "%s/mechanism.svg", x->folder);
    char** argv = cli_allocate((size_t)line.count + 1, sizeof *argv);
    memcpy(argv, line.items, (size_t)line.count * sizeof *argv);
    int outcome = cli_command_draw.run(line.count, argv);
    free(argv);
    cli_words_clear(&line);
    return outcome;
}

static int write_all(const cli_export* x)
{
    if (mkdir(x->folder, 0777) != 0 && errno != EEXIST) {
        cli_error("export", "cannot make the folder %s: %s", x->folder, strerror(errno));
        return CLI_FAILED;
    }
    static const struct {
        const char* name;
        void (*write)(const cli_export* x, FILE* out);
    } files[] = {{"description.md", cli_export_sheet}, {"solution.md", cli_export_solution},
                 {"reference.txt", write_reference},   {"results.txt", write_results},
                 {"curves.svg", cli_export_curves},    {"model.yaml", write_model}};
    int refused = 0;
    for (size_t k = 0; k < sizeof files / sizeof *files && !refused; k++)
        refused = write_file(x, files[k].name, files[k].write);
    return refused ? refused : draw(x);
}

static int open_model(cli_export* x, const char* model)
{
    x->model = model;
    int refused = cli_setup_open(&x->setup, model, NULL, 0);
    if (refused) return refused;
    if (!x->setup.reference) {
        cli_error("export", "a benchmark needs a reference: %s", x->setup.no_reference);
        cli_hint("--reference FILE gives one: a result, as CSV or HDF5.");
        return CLI_USAGE;
    }
    choose_columns(x);
    if (x->columns.count) return 0;
    cli_error("export", "the model and its reference have no output in common");
    return CLI_USAGE;
}

int cli_export_iftomm(int argc, char** argv)
{
    cli_export x = {.setup.command = "export", .author = ""};
    int operands = 0;
    int outcome = cli_parse(&cli_command_export, argc, argv, take_option, &x, &operands);
    if (outcome == CLI_GO_ON) {
        outcome = check_request(&x, operands);
        if (!outcome) outcome = open_model(&x, argv[1]);
        if (!outcome) outcome = run(&x);
        if (!outcome) x.index = cli_export_machine_index();
        if (!outcome) outcome = write_all(&x);
        if (!outcome) {
            printf("%s: eps_T %.3g, CPU time %.3g s, machine index %.0f\n",
                   sar_model_name(x.setup.file.model), x.trial.error, x.mean, x.index);
            cli_print_label(stdout, "folder");
            printf("%s: description.md, mechanism.svg, curves.svg, reference.txt, results.txt, "
                   "solution.md, model.yaml\n",
                   x.folder);
        }
    }
    sar_result_destroy(x.history);
    cli_words_clear(&x.columns);
    cli_setup_close(&x.setup);
    return outcome;
}
