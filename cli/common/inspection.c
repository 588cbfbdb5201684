#include "common/inspection.h"

#include "common/options.h"
#include "common/start.h"
#include "common/summary.h"

#include <stdlib.h>
#include <string.h>

/* ---- looking -------------------------------------------------------------------------------- */

int cli_inspection_open(cli_inspection* x)
{
    const char* command = x->command->name;
    const int refused = cli_model_open(x->name, command, &x->settings, &x->file);
    if (x->file.complaints && refused) x->failure = cli_format("%s", x->file.complaints);
    if (refused) return refused;
    cli_model_warnings(&x->file, &x->warnings);
    x->name = sar_model_name(x->file.model);
    x->options = x->file.method;
    return cli_method_apply(&x->method, command, &x->options, &x->warnings);
}

int cli_inspection_choose(cli_inspection* x)
{
    return cli_method_choose(x->command->name, x->file.path, x->file.model, &x->options, NULL, 0);
}

int cli_inspection_create(cli_inspection* x, const sar_options* options)
{
    sar_simulation_destroy(x->simulation);
    x->simulation = NULL;
    const int refused = cli_start_create(x->file.model, options, &x->simulation, &x->failure);
    if (refused) cli_error(x->command->name, "%s: %s", x->file.path, x->failure);
    return refused;
}

int cli_inspection_observe(cli_inspection* x)
{
    const int outputs = sar_model_outputs(x->file.model);
    x->values = cli_allocate((size_t)outputs, sizeof(double));
    x->observed = sar_simulation_outputs(x->simulation, x->values) == SAR_OK;
    x->outputs = x->observed ? outputs : 0;
    return x->observed;
}

/* ---- telling -------------------------------------------------------------------------------- */

void cli_inspection_print_verdict(const cli_inspection* x, const char* verdict, int fine)
{
    printf("%s%s%s: %s%s%s\n", cli_paint(stdout, CLI_BOLD), x->name, cli_paint(stdout, CLI_PLAIN),
           cli_paint(stdout, fine ? CLI_GREEN : CLI_RED), verdict, cli_paint(stdout, CLI_PLAIN));
}

void cli_inspection_print_outputs(const cli_inspection* x, int most)
{
    for (int k = 0; k < x->outputs && k < most; k++) {
        cli_print_label(stdout, k ? "" : "outputs");
        printf("%-20s %.10g\n", sar_model_output_name(x->file.model, k), x->values[k]);
    }
    if (x->outputs <= most) return;
    cli_print_label(stdout, "");
    printf("and %d more; --json lists all of them\n", x->outputs - most);
}

void cli_inspection_print_warnings(const cli_inspection* x)
{
    for (int k = 0; k < x->warnings.count; k++) {
        cli_print_label(stdout, "warning");
        puts(x->warnings.items[k]);
    }
}

void cli_inspection_json_outputs(const cli_inspection* x, cli_json* j)
{
    cli_json_open(j, "outputs", '{');
    for (int k = 0; k < x->outputs; k++)
        cli_json_number(j, sar_model_output_name(x->file.model, k), x->values[k]);
    cli_json_close(j);
}

/* ---- the command ---------------------------------------------------------------------------- */

typedef struct asked {
    const cli_inspector* how;
    cli_inspection* self;
} asked;

static int take_option(void* context, const char* name, const char* value)
{
    const asked* from = context;
    cli_inspection* x = from->self;
    const char* command = x->command->name;
    if (cli_method_knows(name)) return cli_method_set(&x->method, command, name, value);
    if (strcmp(name, "set") == 0) return cli_settings_add(&x->settings, command, value);
    if (strcmp(name, "json") == 0) x->json = 1;
    return from->how->take ? from->how->take(x, name, value) : 0;
}

static void print_json(const cli_inspector* how, const cli_inspection* x)
{
    cli_json j = cli_json_begin(stdout);
    char* schema = cli_format("sarrus.%s/1", x->command->name);
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", schema);
    cli_json_text(&j, "model", x->name);
    cli_json_text(&j, "path", x->file.path);
    how->print_json(x, &j);
    cli_json_words(&j, "warnings", &x->warnings);
    if (x->failure) cli_json_text(&j, "failure", x->failure);
    cli_json_close(&j);
    free(schema);
}

static int examine_and_print(const cli_inspector* how, cli_inspection* x)
{
    const int outcome = how->examine(x);
    if (x->json && outcome != CLI_USAGE && how->print_json)
        print_json(how, x);
    else if (x->known)
        how->print_report(x);
    if (x->failure && x->simulation) cli_error(x->command->name, "%s: %s", x->name, x->failure);
    return outcome;
}

int cli_inspect(const cli_inspector* how, cli_inspection* x, int argc, char** argv)
{
    int operands = 0;
    int outcome = cli_parse(x->command, argc, argv, take_option, &(asked){how, x}, &operands);
    if (outcome == CLI_GO_ON && operands != 1) {
        cli_error(x->command->name, operands ? "one model at a time" : "which model?");
        outcome = cli_usage(x->command);
    } else if (outcome == CLI_GO_ON) {
        x->name = argv[1];
        outcome = examine_and_print(how, x);
    }
    sar_simulation_destroy(x->simulation);
    cli_model_close(&x->file);
    free(x->values);
    free(x->failure);
    cli_words_clear(&x->warnings);
    cli_method_clear(&x->method);
    cli_settings_clear(&x->settings);
    return outcome;
}

int cli_inspection_prefer_relative(cli_inspection* x)
{
    if (x->method.preset) return 0;
    for (int k = 0; k < x->method.names.count; k++)
        if (strcmp(x->method.names.items[k], "coordinates") == 0) return 0;
    return cli_method_set(&x->method, x->command->name, "coordinates", "relative");
}

int cli_are_joined(const sar_model* model, int a, int b)
{
    sar_end one, two;
    for (int j = 0; j < sar_model_joints(model); j++)
        if (sar_model_joint_ends(model, j, &one, &two) &&
            ((one.body.i == a && two.body.i == b) || (one.body.i == b && two.body.i == a)))
            return 1;
    return 0;
}
