/* sarrus sensitivity: derivatives of results by numbers of the model file. */
#include "sensitivity/sensitivity.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 4 };
static const double TIGHTER = 1e-2, TIGHTEST = 1e-13, WHOLE = 1e-12;

static const struct {
    const char* word;
    sar_objective_kind kind;
} kinds[] = {{"integral", SAR_OBJECTIVE_INTEGRAL}, {"mean", SAR_OBJECTIVE_MEAN},
             {"max", SAR_OBJECTIVE_MAX},           {"min", SAR_OBJECTIVE_MIN},
             {"time", SAR_OBJECTIVE_TIME},         {"end", SAR_OBJECTIVE_END}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int take_option(void* self, const char* name, const char* value)
{
    cli_derivatives* d = self;
    char* end;
    if (strcmp(name, "of") == 0) cli_words_add(&d->of, "%s", value);
    if (strcmp(name, "by") == 0) cli_words_split(&d->by, value, ", ");
    if (strcmp(name, "list") == 0) d->list = 1;
    if (strcmp(name, "check-differences") == 0) d->check = 1;
    if (strcmp(name, "quick") == 0) d->quick = 1;
    if (strcmp(name, "adjoint") == 0) d->adjoint = 1;
    if (strcmp(name, "direct") == 0) d->adjoint = 0;
    if (strcmp(name, "plot") == 0) d->plot = value;
    if (strcmp(name, "output") == 0) {
        d->output = value;
        return cli_derivatives_check_output(d);
    }
    if (strcmp(name, "plot") == 0 &&
        !(strrchr(value, '.') && strcmp(strrchr(value, '.'), ".svg") == 0)) {
        cli_error("sensitivity", "--plot '%s': pictures are written as .svg", value);
        return CLI_USAGE;
    }
    if (strcmp(name, "at") == 0) {
        const long samples = strtol(value, &end, 10);
        d->at_samples = strcmp(value, "end") != 0;
        d->samples = (int)samples;
        if (!d->at_samples || (*end == 0 && samples > 0 && samples <= 100000)) return 0;
        cli_error("sensitivity", "--at '%s' is neither end nor a number of samples", value);
        return CLI_USAGE;
    }
    return 0;
}

/* ---- what is asked for ---------------------------------------------------------------------- */

/* "max: rod.x" */
static void read_objective(cli_derivatives* d, int k)
{
    const char *text = d->of.items[k], *colon = strchr(text, ':');
    d->objective[k] =
        (sar_objective){text, d->at_samples ? SAR_OBJECTIVE_SAMPLES : SAR_OBJECTIVE_END};
    for (int i = 0; colon && i < KINDS; i++) {
        const size_t length = strlen(kinds[i].word);
        if (strncmp(text, kinds[i].word, length) != 0 || text + length != colon) continue;
        const char* rest = colon + 1;
        while (isspace((unsigned char)*rest)) rest++;
        d->objective[k] = (sar_objective){rest, kinds[i].kind};
    }
}

static const char OF_TOLERANCE[] = ".tolerance"; ///< {value: 1, tolerance: 0.1}

static int is_tolerance(const char* name)
{
    const size_t length = strlen(name), own = sizeof OF_TOLERANCE - 1;
    return length > own && strcmp(name + length - own, OF_TOLERANCE) == 0;
}

/* Not numbers of the mechanism. */
static int is_aside(const char* name)
{
    static const char* const aside[] = {"method.", "dimension", "sarrus", "breakpoints"};
    for (int k = 0; k < 4; k++)
        if (strncmp(name, aside[k], strlen(aside[k])) == 0) return 1;
    return is_tolerance(name) || (strncmp(name, "repeat[", 7) == 0 && strstr(name, "].count"));
}

/* `all`: every number of the file; `tolerances`: those that have one. */
static int list_numbers(cli_derivatives* d)
{
    const sar_number* list;
    int count;
    sar_setting* settings = cli_settings_list(&d->base.settings, 0);
    const sar_status st =
        sar_source_numbers(d->source, settings, d->base.settings.names.count, &list, &count);
    free(settings);
    if (st != SAR_OK) return CLI_FAILED;
    for (int k = 0; k < count && d->list; k++)
        if (list[k].name && !is_aside(list[k].name))
            printf("%-44s %.10g\n", list[k].name, list[k].value);
    const char* group = d->by.count == 1 ? d->by.items[0] : "";
    const int all = strcmp(group, "all") == 0, some = strcmp(group, "tolerances") == 0;
    if (!all && !some) return 0;
    cli_words_clear(&d->by);
    for (int k = 0; k < count; k++) {
        const char* name = list[k].name;
        if (all && name && !is_aside(name)) cli_words_add_once(&d->by, name);
        if (!some || !name || !is_tolerance(name) || strncmp(name, "method.", 7) == 0) continue;
        char* of = cli_format("%.*s", (int)(strlen(name) - sizeof OF_TOLERANCE + 1), name);
        cli_words_add_once(&d->by, of);
        free(of);
    }
    if (d->by.count) return 0;
    cli_error("sensitivity",
              "no number of the model has a tolerance: write {value: 0.3, tolerance: 1e-4}");
    return CLI_USAGE;
}

/* Tolerances that stand beside the values of the parameters. */
static int find_tolerances(cli_derivatives* d)
{
    const sar_number* list;
    int count;
    sar_setting* settings = cli_settings_list(&d->base.settings, 0);
    const sar_status st =
        sar_source_numbers(d->source, settings, d->base.settings.names.count, &list, &count);
    free(settings);
    if (st != SAR_OK) return CLI_FAILED;
    d->tolerance = cli_allocate((size_t)d->parameters + 1, sizeof *d->tolerance);
    for (int k = 0; k < d->parameters; k++) {
        sar_sensitivity_parameter p;
        sar_sensitivity_get_parameter(d->found, k, &p);
        char* name = cli_format("%s%s", p.name, OF_TOLERANCE);
        const int at = sar_source_find_number(d->source, name);
        if (at >= 0) d->tolerance[k] = list[at].value;
        d->tolerances += at >= 0;
        free(name);
    }
    return 0;
}

static void make_samples(cli_derivatives* d)
{
    const sar_options* o = &d->base.options;
    d->sample = cli_allocate((size_t)d->samples + 1, sizeof *d->sample);
    for (int k = 0; k < d->samples; k++)
        d->sample[k] = o->start + (o->end - o->start) * (k + 1) / d->samples;
}

/* ---- finding -------------------------------------------------------------------------------- */

static sar_status create(cli_derivatives* d, const sar_options* options, const double* value,
                         sar_sensitivity** out, sar_error* error)
{
    sar_setting* settings = cli_settings_list(&d->base.settings, 0);
    sar_sensitivity_def def = sar_sensitivity_def_default();
    def.source = d->source;
    def.settings = settings, def.settings_count = d->base.settings.names.count;
    def.options = options;
    def.parameter = (const char* const*)d->by.items, def.parameters = d->by.count;
    def.value = value;
    def.objective = d->objective, def.objectives = d->of.count;
    def.sample = d->sample, def.samples = d->samples;
    const sar_status st = sar_sensitivity_create(&def, out, error);
    free(settings);
    return st;
}

/* All derivatives of s into J, rows x parameters; NaN where they are refused. */
static sar_status find(const cli_derivatives* d, sar_sensitivity* s, double* J, sar_error* error)
{
    double* weight = cli_allocate((size_t)d->rows + 1, sizeof *weight);
    sar_status st = SAR_OK;
    for (int r = 0; d->adjoint && r < d->rows && st == SAR_OK; r++) {
        weight[r] = 1.0;
        st = sar_sensitivity_gradient(s, weight, J + (size_t)r * (size_t)d->parameters, error);
        weight[r] = 0.0;
    }
    for (int k = 0; !d->adjoint && k < d->parameters && st == SAR_OK; k++) {
        st = sar_sensitivity_column(s, k, weight, error);
        for (int r = 0; r < d->rows; r++) J[r * d->parameters + k] = st == SAR_OK ? weight[r] : NAN;
        if (st == SAR_E_MODEL) st = SAR_OK;
    }
    free(weight);
    return st;
}

/* The same with a smaller tolerance, or step: how far derivatives are from each other. */
static void certify(cli_derivatives* d)
{
    sar_options options = d->base.options;
    sar_sensitivity* other = NULL;
    const int all = d->rows * d->parameters;
    options.tolerance = fmax(TIGHTEST, fmin(options.tolerance, 1e-9) * TIGHTER);
    options.step *= 0.5; // of methods with a fixed one
    double* J = cli_allocate((size_t)all + 1, sizeof *J);
    sar_error error = {0};
    const int known =
        create(d, &options, NULL, &other, &error) == SAR_OK && find(d, other, J, &error) == SAR_OK;
    if (!known) d->uncertain = cli_format("not known: %s", error.message);
    for (int i = 0; i < all; i++)
        d->J[i].error = known ? fmax(d->J[i].error, fabs(J[i] - d->J[i].value)) : NAN;
    sar_sensitivity_destroy(other);
    free(J);
}

/* Values of all rows of a run of its own, with one parameter changed. 0: there is none. */
static int whole_run(cli_derivatives* d, int k, double change, double* out)
{
    sar_options options = d->base.options;
    sar_sensitivity* other = NULL;
    sar_sensitivity_parameter p;
    double* value = cli_allocate((size_t)d->parameters + 1, sizeof *value);
    options.tolerance = WHOLE;
    for (int i = 0; i < d->parameters; i++) value[i] = NAN;
    sar_sensitivity_get_parameter(d->found, k, &p);
    value[k] = p.value + change;
    const int ran = create(d, &options, value, &other, NULL) == SAR_OK &&
                    sar_sensitivity_run(other, NULL) == SAR_OK;
    for (int r = 0; r < d->rows && ran; r++) {
        sar_sensitivity_row row;
        sar_sensitivity_get_row(other, r, &row);
        out[r] = row.value;
    }
    sar_sensitivity_destroy(other);
    free(value);
    return ran;
}

/* Four runs, each with steps of its own. */
static void check_differences(cli_derivatives* d)
{
    static const double at[POINTS] = {1, -1, 2, -2}, weight[POINTS] = {8, -8, -1, 1};
    double* f = cli_allocate((size_t)d->rows + 1, sizeof *f);
    for (int k = 0; k < d->parameters; k++) {
        sar_sensitivity_parameter p;
        sar_sensitivity_get_parameter(d->found, k, &p);
        if (p.refused) continue;
        const double change = 1e-4 * (p.value != 0.0 ? fabs(p.value) : 1.0);
        for (int r = 0; r < d->rows; r++) d->J[r * d->parameters + k].check = 0.0;
        for (int i = 0; i < POINTS; i++) {
            const int ran = whole_run(d, k, at[i] * change, f);
            for (int r = 0; r < d->rows; r++)
                d->J[r * d->parameters + k].check += ran ? weight[i] * f[r] / (12.0 * change) : NAN;
        }
    }
    free(f);
}

static int fail(cli_derivatives* d, sar_status st, const sar_error* error)
{
    d->base.failure = cli_format("%s", error->message);
    cli_error("sensitivity", "%s: %s", d->base.name, error->message);
    return st == SAR_E_ARG || st == SAR_E_INCOMPAT ? CLI_USAGE
           : st == SAR_E_ASSEMBLY                  ? CLI_ASSEMBLY
                                                   : CLI_FAILED;
}

static int differentiate(cli_derivatives* d)
{
    sar_error error = {0};
    sar_status st = create(d, &d->base.options, NULL, &d->found, &error);
    if (st == SAR_OK) st = sar_sensitivity_run(d->found, &error);
    if (st != SAR_OK) return fail(d, st, &error);
    d->rows = sar_sensitivity_rows(d->found);
    d->parameters = sar_sensitivity_parameters(d->found);
    d->J = cli_allocate((size_t)(d->rows + 1) * (size_t)(d->parameters + 1), sizeof *d->J);
    double *J = cli_allocate((size_t)(d->rows + 1) * (size_t)(d->parameters + 1), sizeof *J),
           *error_of = cli_allocate((size_t)d->rows + 1, sizeof *error_of);
    st = find(d, d->found, J, &error);
    int backwards = !d->adjoint || d->parameters == 1; // one number is differenced in any case
    for (int k = 0; k < d->parameters && st == SAR_OK; k++) {
        const int told = sar_sensitivity_column_error(d->found, k, error_of) == SAR_OK;
        for (int r = 0; r < d->rows; r++) {
            const double value = J[r * d->parameters + k];
            d->J[r * d->parameters + k] = (cli_derivative){value, told ? error_of[r] : NAN, NAN};
            backwards |= !told && !isnan(value);
        }
    }
    if (st == SAR_OK && !backwards)
        cli_words_add(&d->base.warnings,
                      "number by number in spite of --adjoint: the run has events or singular "
                      "configurations, what is asked is no value, or backwards in time it differs "
                      "by more than 1e-7, where a smaller --tolerance helps");
    free(J);
    free(error_of);
    return st == SAR_OK ? 0 : fail(d, st, &error);
}

/* The automatic method, unless the command line names one. */
static int prefer_automatic(cli_inspection* x)
{
    const cli_words* names = &x->method.names;
    if (x->method.preset) return 0;
    for (int k = 0; k < names->count; k++)
        if (strcmp(names->items[k], "formulation") == 0 ||
            strcmp(names->items[k], "integrator") == 0)
            return 0;
    return cli_method_set(&x->method, x->command->name, "preset", CLI_AUTOMATIC);
}

static int examine(void* self)
{
    cli_derivatives* d = self;
    cli_inspection* x = &d->base;
    int refused = prefer_automatic(x);
    if (!refused) refused = cli_inspection_open(x);
    if (refused) return refused;
    if (sar_source_open(x->file.text, strlen(x->file.text), x->file.path, &d->source) != SAR_OK)
        return CLI_FAILED;
    if ((refused = list_numbers(d)) || d->list) return refused;
    if (d->of.count == 0 || d->by.count == 0) {
        cli_error("sensitivity", d->of.count
                                     ? "by which numbers? --by NAMES, or --by all"
                                     : "of what? --of EXPRESSION, or the name of an output");
        return CLI_USAGE;
    }
    if ((refused = cli_inspection_choose(x))) return refused;
    d->end = x->options.end;
    d->objective = cli_allocate((size_t)d->of.count, sizeof *d->objective);
    for (int k = 0; k < d->of.count; k++) read_objective(d, k);
    make_samples(d);
    if ((refused = differentiate(d)) || (refused = find_tolerances(d))) return refused;
    if (!d->quick) certify(d);
    if (d->check) check_differences(d);
    x->known = 1;
    if (d->output && (refused = cli_derivatives_write(d))) return refused;
    return d->plot ? cli_derivatives_draw(d) : 0;
}

/* ---- the command ---------------------------------------------------------------------------- */

static int sensitivity_main(int argc, char** argv)
{
    static const cli_inspector how = {.take = take_option,
                                      .examine = examine,
                                      .print_report = cli_derivatives_print,
                                      .print_json = cli_derivatives_json};
    cli_derivatives d = {.base.command = &cli_command_sensitivity};
    const int outcome = cli_inspect(&how, &d.base, argc, argv);
    sar_sensitivity_destroy(d.found);
    sar_source_close(d.source);
    cli_words_clear(&d.of);
    cli_words_clear(&d.by);
    free(d.objective);
    free(d.sample);
    free(d.J);
    free(d.tolerance);
    free(d.uncertain);
    return outcome;
}

static const cli_option sensitivity_options[] = {
    {"of", 0, "EXPRESSION",
     "what to differentiate: an output, an expression, or `integral: EXPRESSION`, mean:, max:, "
     "min:, `time: EXPRESSION` (when it is zero for the first time); may be repeated"},
    {"by", 0, "NAMES",
     "numbers of the model file, separated by commas: L (of `parameters`), bodies.rod.mass, "
     "joints.A.point[0], start.A.angle; r+l changes both; all: every number; tolerances: those "
     "with a tolerance"},
    {"at", 0, "end|N", "values at the end (default), or at N times of the run"},
    {"list", 0, NULL, "print the names of all numbers of the model file, and do nothing else"},
    {"direct", 0, NULL, "number by number (default)"},
    {"adjoint", 0, NULL,
     "row by row, backwards in time: for few rows and many numbers; number by number where the "
     "run has events or singular configurations"},
    {"check-differences", 0, NULL,
     "differences of four whole runs with tolerance 1e-12 beside each derivative"},
    {"quick", 0, NULL, "without the second tolerance by which errors are estimated: half the time"},
    {"plot", 0, "FILE",
     "bars of the effects as a picture (.svg); with --at N and numbers that have tolerances: "
     "curves with their bands"},
    {"output", 'o', "FILE",
     "values, derivatives and errors with the times of their rows, as HDF5 (.h5)"},
    {0}};

static const cli_brief sensitivity_brief[] = {
    {"of", "output or expression; integral:, mean:, max:, min:, time: before it"},
    {"by", "names of numbers, or all; --list shows them"},
    {"at", "end, or N times of the run"},
    {"check-differences", "compare with differences of whole runs"},
    {"plot", "bars as .svg"},
    {"output", "derivatives as HDF5"},
    {"end", "time at the end of the run"},
    {0}};

const cli_command cli_command_sensitivity = {
    .name = "sensitivity",
    .summary = "what numbers of the model file do to results of a run",
    .operands = "MODEL --of EXPRESSION --by NAMES [options]",
    .examples = "# which dimension matters most for where the slider is at the end?\n"
                "sarrus sensitivity crank.yaml --of slider.x --by all\n"
                "# the largest force of a joint, by a spring and a mass\n"
                "sarrus sensitivity crank.yaml --of 'max: A.fx' --by k,bodies.rod.mass",
    .gist =
        "Derivatives of results by numbers of the model file, through phases, impacts and singular "
        "configurations. A number without a derivative is named, with the reason.",
    .brief = sensitivity_brief,
    .text = "Prints derivatives of values at the end of a run, at samples, of integrals, means, "
            "extremes and of times by numbers of the model file, sorted by what one percent of "
            "each does. They are derivatives of the run as it is computed, with the same steps, "
            "and agree with differences of whole runs to about nine digits (--check-differences). "
            "The error is the difference to those of a run with a hundredth of the tolerance.\n"
            "\n"
            "Some numbers have no derivative: those that separate motions which meet at a "
            "singular configuration of the run, that redundant joints do not fit each other with, "
            "or with which events happen in another order. They are refused by name.\n"
            "\n"
            "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 invalid model, 4 cannot be assembled.",
    .options = sensitivity_options,
    .takes = CLI_TAKES_METHOD | CLI_TAKES_SET | CLI_TAKES_JSON,
    .run = sensitivity_main};
