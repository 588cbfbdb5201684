/* sarrus equilibrium: where a model rests under weight and springs, and whether it stays there. */
#include "common/json.h"
#include "common/method.h"
#include "common/model_file.h"
#include "common/options.h"
#include "common/start.h"
#include "common/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    cli_method method;
    cli_settings settings;
    int json;
} request;

typedef struct findings {
    const char* name;
    cli_model_file file;
    sar_options options;
    sar_simulation* simulation;
    sar_assembly assembly;
    sar_equilibrium found;
    double* values; ///< of outputs; NULL: there are none
    char* failure;
    cli_words warnings;
} findings;

static int take_option(void* context, const char* name, const char* value)
{
    request* want = context;
    if (cli_method_knows(name)) return cli_method_set(&want->method, "equilibrium", name, value);
    if (strcmp(name, "set") == 0) return cli_settings_add(&want->settings, "equilibrium", value);
    if (strcmp(name, "json") == 0) want->json = 1;
    return 0;
}

/* ---- finding -------------------------------------------------------------------------------- */

static int open_model(findings* f, const request* want)
{
    int refused = cli_model_open(f->name, "equilibrium", &want->settings, &f->file);
    if (f->file.complaints && refused) f->failure = cli_format("%s", f->file.complaints);
    if (refused) return refused;
    cli_model_warnings(&f->file, &f->warnings);
    f->name = sar_model_name(f->file.model);
    f->options = f->file.method;
    refused = cli_method_apply(&want->method, "equilibrium", &f->options, &f->warnings);
    f->options.equilibrium = 1;
    f->options.best_effort = 1; // velocities that no motion follows are no matter of statics
    if (refused) return refused;
    return cli_method_choose("equilibrium", f->file.path, f->file.model, &f->options, NULL, 0);
}

static int look(findings* f, const request* want)
{
    int refused = open_model(f, want);
    if (!refused)
        refused = cli_start_create(f->file.model, &f->options, &f->simulation, &f->failure);
    if (refused) return refused;
    refused = cli_start_assemble(f->simulation, &f->assembly, &f->failure);
    f->found = sar_simulation_equilibrium(f->simulation);
    if (refused) return f->found.verdict == SAR_EQUILIBRIUM_NOT_FOUND ? CLI_FAILED : refused;
    f->values = cli_allocate((size_t)sar_model_outputs(f->file.model), sizeof(double));
    if (sar_simulation_outputs(f->simulation, f->values) != SAR_OK) {
        free(f->values);
        f->values = NULL;
    }
    return f->found.verdict == SAR_EQUILIBRIUM_UNSTABLE ? CLI_DOUBTFUL : CLI_DONE;
}

/* ---- telling -------------------------------------------------------------------------------- */

static const char* verdict_of(const findings* f)
{
    switch (f->found.verdict) {
    case SAR_EQUILIBRIUM_STABLE:
        return "stable";
    case SAR_EQUILIBRIUM_UNDETERMINED:
        return "undetermined";
    case SAR_EQUILIBRIUM_UNSTABLE:
        return "unstable";
    case SAR_EQUILIBRIUM_NOT_FOUND:
        return "not found";
    default:
        return "failed";
    }
}

static void tell_json_reactions(const findings* f, cli_json* j)
{
    const sar_model* model = f->file.model;
    cli_json_open(j, "reactions", '{');
    for (int k = 0; k < sar_model_joints(model); k++) {
        double force[3], torque[3];
        if (sar_simulation_reaction(f->simulation, (sar_joint_id){k}, force, torque) != SAR_OK)
            continue;
        cli_json_open(j, sar_model_joint_name(model, k), '[');
        for (int i = 0; i < 3; i++) cli_json_number(j, NULL, force[i]);
        for (int i = 0; i < 3; i++) cli_json_number(j, NULL, torque[i]);
        cli_json_close(j);
    }
    cli_json_close(j);
}

static void tell_json(const findings* f)
{
    const sar_equilibrium* e = &f->found;
    cli_json j = cli_json_begin(stdout);
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "sarrus.equilibrium/1");
    cli_json_text(&j, "model", f->name);
    cli_json_text(&j, "path", f->file.path);
    cli_json_text(&j, "verdict", verdict_of(f));
    cli_json_text(&j, "coordinates", f->options.coordinates);
    cli_json_integer(&j, "freedoms", e->freedoms);
    cli_json_integer(&j, "unstable", e->unstable);
    cli_json_integer(&j, "undetermined", e->undetermined);
    cli_json_integer(&j, "iterations", e->iterations);
    cli_json_number(&j, "residual", e->residual);
    cli_json_number(&j, "moved", e->moved);
    cli_json_number(&j, "frequency", e->frequency);
    cli_json_text(&j, "unstable_bodies", e->unstable_bodies);
    cli_json_text(&j, "undetermined_bodies", e->undetermined_bodies);
    cli_json_text(&j, "unbalanced_bodies", e->unbalanced_bodies);
    if (f->values) {
        cli_json_open(&j, "outputs", '{');
        for (int k = 0; k < sar_model_outputs(f->file.model); k++)
            cli_json_number(&j, sar_model_output_name(f->file.model, k), f->values[k]);
        cli_json_close(&j);
        tell_json_reactions(f, &j);
    }
    cli_json_words(&j, "warnings", &f->warnings);
    if (f->failure) cli_json_text(&j, "failure", f->failure);
    cli_json_close(&j);
}

static void tell_motions(const char* label, int count, const char* bodies)
{
    if (count == 0) return;
    cli_print_label(stdout, label);
    printf("%d motion%s, of %s\n", count, cli_plural(count), bodies);
}

static void tell(const findings* f)
{
    const sar_equilibrium* e = &f->found;
    const int fine = e->verdict == SAR_EQUILIBRIUM_STABLE;
    printf("%s%s%s: %s%s%s\n", cli_paint(stdout, CLI_BOLD), f->name, cli_paint(stdout, CLI_PLAIN),
           cli_paint(stdout, fine ? CLI_GREEN : CLI_RED), verdict_of(f),
           cli_paint(stdout, CLI_PLAIN));
    cli_print_label(stdout, "equilibrium");
    printf("%d iteration%s, %d degree%s of freedom; moved by %.3g m, %.2g N not balanced\n",
           e->iterations, cli_plural(e->iterations), e->freedoms, cli_plural(e->freedoms), e->moved,
           e->residual);
    if (isfinite(e->frequency) && e->frequency > 0.0) {
        cli_print_label(stdout, "vibrations");
        printf("from %.4g Hz on, without damping\n", e->frequency);
    }
    tell_motions("unstable", e->unstable, e->unstable_bodies);
    tell_motions("neutral", e->undetermined, e->undetermined_bodies);
    for (int k = 0; f->values && k < sar_model_outputs(f->file.model); k++) {
        cli_print_label(stdout, k ? "" : "outputs");
        printf("%-20s %.10g\n", sar_model_output_name(f->file.model, k), f->values[k]);
    }
    for (int k = 0; k < f->warnings.count; k++) {
        cli_print_label(stdout, "warning");
        puts(f->warnings.items[k]);
    }
}

static int equilibrium_main(int argc, char** argv)
{
    request want = {0};
    findings f = {0};
    int operands = 0;
    int outcome = cli_parse(&cli_command_equilibrium, argc, argv, take_option, &want, &operands);
    if (outcome == CLI_GO_ON && operands != 1) {
        cli_error("equilibrium", operands ? "one model at a time" : "which model?");
        outcome = cli_usage(&cli_command_equilibrium);
    } else if (outcome == CLI_GO_ON) {
        f.name = argv[1];
        outcome = look(&f, &want);
        if (want.json && outcome != CLI_USAGE)
            tell_json(&f);
        else if (f.found.verdict != SAR_EQUILIBRIUM_NOT_SOUGHT)
            tell(&f);
        if (f.failure && f.simulation) cli_error("equilibrium", "%s: %s", f.name, f.failure);
    }
    sar_simulation_destroy(f.simulation);
    cli_model_close(&f.file);
    free(f.values);
    free(f.failure);
    cli_words_clear(&f.warnings);
    cli_method_clear(&want.method);
    cli_settings_clear(&want.settings);
    return outcome;
}

static const cli_option equilibrium_options[] = {
    {"set", 's', "NAME=VALUE", "set a parameter of the model; may be repeated"},
    {"json", 0, NULL, "print one JSON object on standard output and nothing else"},
    {0}};

const cli_command cli_command_equilibrium = {
    .name = "equilibrium",
    .summary = "where a model rests under weight and springs, and whether it stays there",
    .operands = "MODEL [options]",
    .examples = "# how does the suspension stand, and with which forces?\n"
                "sarrus equilibrium suspension.yaml\n"
                "# all outputs and reactions as JSON\n"
                "sarrus equilibrium suspension.yaml --set load=300 --json\n"
                "# start a run there\n"
                "sarrus run suspension.yaml --equilibrium 1",
    .text = "Assembles the model and moves it from there to a position in which applied forces at "
            "rest and reactions are balanced. The search goes downhill: it ends in an unstable "
            "position only if it starts in one. Drives keep their values at the start; tyres with "
            "slip carry, and do not slip.\n"
            "\n"
            "Verdicts: stable; undetermined: some motions meet neither force nor stiffness, such "
            "as a wheel that may turn, and stay as drawn; unstable: some motions lead away; not "
            "found: something is held by nothing, or was drawn too far away. Bodies that take part "
            "are named.\n"
            "\n"
            "Exit codes: 0 stable or undetermined, 1 not found, 2 wrong usage, 3 invalid model, 4 "
            "cannot be assembled, 6 unstable.",
    .options = equilibrium_options,
    .takes = CLI_TAKES_AXES | CLI_TAKES_PARAMETERS,
    .run = equilibrium_main};
