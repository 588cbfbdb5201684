/* sarrus export: a model as an FMU or as a robot file. */
#include "common/files/inputs.h"
#include "common/files/output_file.h"
#include "common/inspection.h"
#include "common/options.h"
#include "common/start.h"
#include "common/summary.h"

#include "sarrus/export.h"
#include "sarrus/fmu.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct request {
    cli_inspection base;
    const char *fmu, *urdf, *mjcf;
    int version, no_reference, sources;
} request;

static int take_option(void* context, const char* name, const char* value)
{
    request* want = context;
    if (strcmp(name, "fmu") == 0) want->fmu = value;
    if (strcmp(name, "urdf") == 0) want->urdf = value;
    if (strcmp(name, "mjcf") == 0) want->mjcf = value;
    if (strcmp(name, "no-reference") == 0) want->no_reference = 1;
    if (strcmp(name, "sources") == 0) want->sources = 1;
    return strcmp(name, "fmi") == 0 ? cli_read_count("export", name, value, 2, 3, &want->version)
                                    : 0;
}

/* ---- an FMU --------------------------------------------------------------------------------- */

/// The folder with the sources of Sarrus: of a clone, or where they are installed.
static char* find_sources(void)
{
    cli_words folders = {0};
    char* found = NULL;
    cli_data_folders("src", &folders);
    for (int k = 1; k < folders.count && !found; k++) { // the first one is where we are now
        char* runtime = cli_format("%s/fmu/runtime", folders.items[k]);
        if (access(runtime, R_OK) == 0) found = cli_format("%s/..", folders.items[k]);
        free(runtime);
    }
    cli_words_clear(&folders);
    return found ? found : cli_format("share/sarrus");
}

static void print_fmu(const request* want, const sar_fmu_report* r)
{
    const sar_options* o = &want->base.options;
    printf("%s%s%s: FMI %d.0\n", cli_paint(stdout, CLI_BOLD), want->fmu,
           cli_paint(stdout, CLI_PLAIN), want->version);
    cli_print_label(stdout, "method");
    printf("%s, %s, %s\n", o->coordinates, o->formulation, o->integrator);
    cli_print_label(stdout, "variables");
    printf("%d parameter%s, %d input%s, %d output%s\n", r->parameters, cli_plural(r->parameters),
           r->inputs, cli_plural(r->inputs), r->outputs, cli_plural(r->outputs));
    cli_print_label(stdout, "interfaces");
    if (r->states)
        printf("Co-Simulation, and Model Exchange with %d states and %d event indicator%s\n",
               r->states, r->indicators, cli_plural(r->indicators));
    else
        printf("Co-Simulation; no Model Exchange: %s\n", r->no_exchange);
    cli_print_label(stdout, "reference");
    if (!r->rows)
        printf("none\n");
    else if (isnan(r->certificate.largest))
        printf("%d rows, every %g s, without estimates of errors\n", r->rows, r->step);
    else
        printf("%d rows, every %g s; errors below %.2g of the outputs' ranges\n", r->rows, r->step,
               r->certificate.largest);
}

static int export_fmu(request* want)
{
    sar_error error = {0};
    sar_fmu_report report;
    sar_setting* settings = cli_settings_list(&want->base.settings, 0);
    char* sources = want->sources ? find_sources() : NULL;
    const sar_fmu_def def = {.text = want->base.file.text,
                             .length = want->base.file.length,
                             .path = want->base.file.path,
                             .settings = settings,
                             .settings_count = want->base.settings.names.count,
                             .options = &want->base.options,
                             .version = want->version,
                             .sources = sources,
                             .reference = !want->no_reference};
    int outcome = cli_inputs_refuse("export", want->fmu, cli_endings_of_file);
    char* part = outcome ? NULL : cli_output_part(want->fmu);
    sar_status status = outcome ? SAR_OK : sar_fmu_write(&def, part, &report, &error);
    if (!outcome && status == SAR_OK && cli_output_rename(want->fmu) != 0)
        status = SAR_E_IO, snprintf(error.message, sizeof error.message, "%s", strerror(errno));
    if (!outcome && status != SAR_OK) {
        cli_error("export", "%s: %s", want->fmu, error.message);
        outcome = status == SAR_E_ASSEMBLY ? CLI_ASSEMBLY
                  : status == SAR_E_MODEL  ? CLI_MODEL
                                           : CLI_FAILED;
    }
    if (!outcome) print_fmu(want, &report);
    free(part);
    free(sources);
    free(settings);
    return outcome;
}

/* ---- robot files ---------------------------------------------------------------------------- */

static int write_text(const char* path, const char* text)
{
    cli_output_file out;
    if (cli_inputs_refuse("export", path, cli_endings_of_file)) return CLI_USAGE;
    if (cli_output_begin(&out, "export", path)) return CLI_FAILED;
    fputs(text, out.to);
    return cli_output_end(&out, "export", path);
}

static void print_robot(const char* path, const char* left_out)
{
    printf("%s%s%s\n", cli_paint(stdout, CLI_BOLD), path, cli_paint(stdout, CLI_PLAIN));
    for (int first = 1; left_out && *left_out; first = 0) {
        const int length = (int)strcspn(left_out, "\n");
        cli_print_label(stdout, first ? "left out" : "");
        printf("%.*s\n", length, left_out);
        left_out += length + 1;
    }
}

static int export_robot(request* want, const char* path, sar_robot_format format)
{
    char *text = NULL, *left_out = NULL;
    int outcome = cli_inspection_create(&want->base, &want->base.options);
    if (!outcome)
        outcome =
            cli_start_assemble(want->base.simulation, &want->base.assembly, &want->base.failure);
    if (outcome && want->base.failure) cli_error("export", "%s", want->base.failure);
    if (!outcome && sar_robot_write(want->base.simulation, format, &text, &left_out) != SAR_OK) {
        cli_error("export", "out of memory");
        outcome = CLI_FAILED;
    }
    if (!outcome) outcome = write_text(path, text);
    if (!outcome) print_robot(path, left_out);
    sar_text_free(text);
    sar_text_free(left_out);
    return outcome;
}

/* ---- the command ---------------------------------------------------------------------------- */

static int examine(void* context)
{
    request* want = context;
    if (!want->fmu && !want->urdf && !want->mjcf) {
        cli_error("export", "where to? Give --fmu, --urdf or --mjcf FILE");
        return cli_usage(&cli_command_export);
    }
    int refused = cli_inspection_open(&want->base);
    if (!refused) refused = cli_inspection_choose(&want->base);
    if (!refused && want->fmu) refused = export_fmu(want);
    if (!refused && want->urdf) refused = export_robot(want, want->urdf, SAR_ROBOT_URDF);
    if (!refused && want->mjcf) refused = export_robot(want, want->mjcf, SAR_ROBOT_MJCF);
    return refused;
}

static void print_report(const void* context)
{
    cli_inspection_print_warnings(context);
}

static int export_main(int argc, char** argv)
{
    static const cli_inspector how = {take_option, examine, print_report, NULL};
    request want = {.base.command = &cli_command_export, .version = 3};
    return cli_inspect(&how, &want.base, argc, argv);
}

static const cli_option export_options[] = {
    {"fmu", 0, "FILE", "an FMU, for programs that couple others"},
    {"fmi", 0, "VERSION", "of the FMU: 2 or 3; default: 3"},
    {"urdf", 0, "FILE", "a robot file with what URDF can say, and a list of what it cannot"},
    {"mjcf", 0, "FILE", "the same for MJCF"},
    {"no-reference", 0, NULL,
     "do not run the model: the FMU carries no motion that it can be compared with"},
    {"sources", 0, NULL,
     "put the C sources of the runtime and a description of its build into the FMU as well"},
    {0}};

const cli_command cli_command_export = {
    .name = "export",
    .summary = "an FMU or a robot file (URDF, MJCF)",
    .operands = "MODEL --fmu FILE | --urdf FILE | --mjcf FILE [options]",
    .examples = "# for programs that couple others: FMI 3.0, and 2.0\n"
                "sarrus export robot.yaml --fmu robot.fmu\n"
                "sarrus export robot.urdf --fmu robot.fmu --fmi 2\n"
                "# does it do what it was exported to do?\n"
                "sarrus check robot.fmu\n"
                "# what URDF can say, and a list of what it cannot\n"
                "sarrus export robot.yaml --urdf robot.urdf",
    .text =
        "Writes the model, a runtime and a description into one archive that other programs load. "
        "It "
        "takes its own steps (Co-Simulation); where the formulation has rates (al1, penalty, "
        "nullspace) hosts may integrate it too (Model Exchange).\n\n"
        "Parameters of the model can be set before it is initialised. Its inputs and outputs are "
        "those of the FMU. The method is the one that the options name.\n\n"
        "The model is run as a host would, with reference runs, and its motion is stored in the "
        "FMU with estimates of its errors; 'sarrus check FILE.fmu' compares with it. "
        "docs/fmu.md has the tables.\n\n"
        "Robot files hold the mechanism as it starts: bodies, shapes, joints and loops, limits, "
        "springs, friction, motors, joints that follow others. What they cannot hold is listed.\n\n"
        "Exit codes: 0 done, 1 it cannot be written or run, 2 wrong usage, 3 the model is "
        "invalid, 4 it cannot be assembled.",
    .options = export_options,
    .takes = CLI_TAKES_METHOD | CLI_TAKES_SET | CLI_LISTS_MODELS,
    .run = export_main};
