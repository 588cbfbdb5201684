/* sarrus import: the model file that a robot file stands for. */
#include "common/command.h"
#include "common/files/inputs.h"
#include "common/files/output_file.h"
#include "common/options.h"
#include "common/text.h"

#include "sarrus/import.h"
#include "sarrus/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    const char* output;
    sar_import_options options;
    int quiet;
} request;

static int take_option(void* context, const char* name, const char* value)
{
    request* want = context;
    if (strcmp(name, "output") == 0) want->output = value;
    if (strcmp(name, "loops") == 0) want->options.loops = value;
    if (strcmp(name, "packages") == 0) want->options.packages = value;
    if (strcmp(name, "quiet") == 0) want->quiet = 1;
    return 0;
}

/// The text of the file, free() it; NULL after a message.
static char* read_text(const char* path, size_t* length)
{
    FILE* in = fopen(path, "rb");
    char* text = NULL;
    size_t room = 1 << 16;
    *length = 0;
    if (!in) {
        cli_error("import", "cannot read '%s': %s", path, strerror(errno));
        return NULL;
    }
    cli_inputs_add_stream(fileno(in));
    for (size_t got = 1; got > 0 && *length <= SAR_MODEL_BYTES; *length += got) {
        if (!text || *length == room) text = cli_resize(text, room *= 2);
        got = fread(text + *length, 1, room - *length, in);
    }
    const int failed = ferror(in) || *length > SAR_MODEL_BYTES;
    fclose(in);
    if (!failed) return text;
    cli_error("import", "cannot read '%s': it is larger than 64 MiB, or not a file", path);
    free(text);
    return NULL;
}

static int write_model(const request* want, const char* model)
{
    cli_output_file out;
    if (!want->output || strcmp(want->output, "-") == 0) {
        fputs(model, stdout);
        return CLI_DONE;
    }
    if (cli_inputs_refuse("import", want->output, cli_endings_of_file)) return CLI_USAGE;
    if (cli_output_begin(&out, "import", want->output)) return CLI_FAILED;
    fputs(model, out.to);
    return cli_output_end(&out, "import", want->output);
}

static int import(const request* want, const char* path)
{
    size_t length;
    char *text = read_text(path, &length), *model = NULL, *messages = NULL;
    if (!text) return CLI_MODEL;
    if (!sar_import_is_robot(text, length)) {
        cli_error("import", "'%s' is not XML: a robot file begins with <robot>, <sdf> or <mujoco>",
                  path);
        free(text);
        return CLI_MODEL;
    }
    const sar_status status =
        sar_import_text(text, length, path, &want->options, &model, &messages);
    if (messages && (status != SAR_OK || !want->quiet)) fputs(messages, stderr);
    if (status != SAR_OK && !messages) cli_error("import", "%s: %s", path, sar_status_text(status));
    int outcome = status == SAR_OK ? write_model(want, model) : CLI_MODEL;
    if (status == SAR_E_NOMEM) outcome = CLI_FAILED;
    sar_text_free(model);
    sar_text_free(messages);
    free(text);
    return outcome;
}

static int import_main(int argc, char** argv)
{
    request want = {0};
    int operands = 0;
    const int outcome = cli_parse(&cli_command_import, argc, argv, take_option, &want, &operands);
    if (outcome != CLI_GO_ON) return outcome;
    if (operands != 1) {
        cli_error("import", "wanted one robot file");
        return cli_usage(&cli_command_import);
    }
    want.options.output = want.output && strcmp(want.output, "-") != 0 ? want.output : NULL;
    return import(&want, argv[1]);
}

static const cli_option import_options[] = {
    {"output", 'o', "FILE", "the model file; default: standard output"},
    {"loops", 0, "FILE",
     "a file with loops or couplings that the robot file cannot hold; default: those that lie "
     "in its folder under their usual names"},
    {"packages", 0, "FOLDER:...",
     "where package:// and model:// are looked for; default: SARRUS_PACKAGE_PATH, "
     "ROS_PACKAGE_PATH and GZ_SIM_RESOURCE_PATH"},
    {"quiet", 'q', NULL, "do not tell what was decided; the model file has it too"},
    {0}};

const cli_command cli_command_import = {
    .name = "import",
    .summary = "make a model file of a robot file (URDF, SDFormat, MJCF)",
    .operands = "ROBOT [options]",
    .examples = "# a model file to read and to change\n"
                "sarrus import robot.urdf -o robot.yaml\n"
                "# loops that the robot file cannot hold\n"
                "sarrus import robot.urdf --loops loops.yaml -o robot.yaml\n"
                "# robot files can be run, checked and viewed as they are\n"
                "sarrus run robot.urdf --end 2",
    .text =
        "Reads URDF, SDFormat (1.4 to 1.12) and MJCF, and writes a model file: one element a "
        "line, with the names of the robot file. Links that are fixed to each other become one "
        "body with frames; limits become stops; loops become joints.\n\n"
        "What was decided or changed is reported by kind, with the number of times and the first "
        "line, and stands at the head of the model file. docs/robot-files.md has the tables: "
        "what is read, what is repaired, what is refused.\n\n"
        "Files outside of the robot's folder and its package are not read, unless --packages "
        "names them.\n\n"
        "Exit codes: 0 done, 1 the model file cannot be written, 2 wrong usage, 3 the robot file "
        "cannot be read or is invalid.",
    .options = import_options,
    .run = import_main};
