/* sarrus kinematics and sarrus inverse: motions prescribed by drives, and the forces of the drives. */
#include "motion/motion.h"

#include "common/files/inputs.h"
#include "common/interrupt.h"
#include "common/options.h"
#include "common/progress.h"
#include "common/summary.h"
#include "common/timing.h"

#include "sarrus/methods.h"
#include "sarrus/result.h"
#include "sarrus/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the command line ----------------------------------------------------------------------- */

static int take_option(void* context, const char* name, const char* value)
{
    cli_motion_request* want = context;
    const char* command = want->command->name;
    if (cli_method_knows(name)) return cli_method_set(&want->method, command, name, value);
    if (strcmp(name, "set") == 0) return cli_settings_add(&want->settings, command, value);
    if (strcmp(name, "output") == 0) want->output = value;
    if (strcmp(name, "along") == 0) want->along = value;
    if (strcmp(name, "reactions") == 0) want->reactions = 1;
    if (strcmp(name, "json") == 0) want->json = 1;
    if (strcmp(name, "quiet") == 0) want->quiet = 1;
    return 0;
}

/// 0, or CLI_USAGE after a message.
static int check_request(const cli_motion_request* want, int operands)
{
    const char* command = want->command->name;
    if (operands == 0)
        cli_error(command, "which model? Give a file, or the name of a problem");
    else if (operands > 1)
        cli_error(command, "one model at a time");
    else if (want->json && want->output && strcmp(want->output, "-") == 0)
        cli_error(command,
                  "--json and -o - both want standard output; write the results to a file");
    else
        return 0;
    return cli_usage(want->command);
}

/* ---- the columns ---------------------------------------------------------------------------- */

/// The components of a reaction that there are: in a plane fx, fy and tz.
static int has_component(const sar_model* model, int k)
{
    return sar_model_dimension(model) == 3 || k < 2 || k == 5;
}

static void list_columns(cli_motion* j)
{
    static const char* const component[6] = {"fx", "fy", "fz", "tx", "ty", "tz"};
    const sar_model* model = j->file.model;
    int joints = sar_model_joints(model);
    for (int k = 0; k < sar_model_outputs(model); k++)
        cli_words_add(&j->columns, "%s", sar_model_output_name(model, k));
    j->efforts = cli_allocate((size_t)joints, sizeof *j->efforts);
    for (int k = 0; k < joints && j->want.inverse; k++) {
        sar_coordinate coordinate;
        if (!sar_model_joint_is_drive(model, k, &coordinate)) continue;
        cli_effort* e = &j->efforts[j->efforts_count++];
        *e = (cli_effort){.joint = k,
                          .is_torque =
                              coordinate == SAR_COORD_ANGLE || coordinate == SAR_COORD_ANGLE_2};
        e->least = INFINITY, e->most = -INFINITY;
        cli_words_add(&j->columns, "%s.%s", sar_model_joint_name(model, k),
                      e->is_torque ? "torque" : "force");
    }
    for (int k = 0; k < joints && j->want.reactions; k++)
        for (int c = 0; c < 6; c++)
            if (has_component(model, c))
                cli_words_add(&j->columns, "%s.%s", sar_model_joint_name(model, k), component[c]);
    j->row = cli_allocate((size_t)(1 + j->columns.count), sizeof *j->row);
}

static void note_effort(cli_effort* e, double t, double before, double force, double power,
                        int first)
{
    if (first || fabs(force) > fabs(e->largest)) e->largest = force, e->at = t;
    if (!first) e->work += 0.5 * (t - before) * (power + e->power);
    e->least = fmin(e->least, power);
    e->most = fmax(e->most, power);
    e->power = power;
}

/// All columns of the present time.
static sar_status fill_row(cli_motion* j)
{
    const sar_model* model = j->file.model;
    double t = sar_motion_time(j->motion), *at = j->row, six[6];
    *at++ = t;
    sar_status status = sar_motion_outputs(j->motion, at);
    at += sar_model_outputs(model);
    for (int k = 0; k < j->efforts_count && status == SAR_OK; k++) {
        double power;
        status = sar_motion_drive_force(j->motion, (sar_joint_id){j->efforts[k].joint}, at);
        if (status == SAR_OK)
            status = sar_motion_drive_power(j->motion, (sar_joint_id){j->efforts[k].joint}, &power);
        if (status == SAR_OK)
            note_effort(&j->efforts[k], t, j->reached, *at++, power, j->rows == 0);
    }
    for (int k = 0; j->want.reactions && k < sar_model_joints(model) && status == SAR_OK; k++) {
        status = sar_motion_reaction(j->motion, (sar_joint_id){k}, six, six + 3);
        for (int c = 0; c < 6; c++)
            if (has_component(model, c)) *at++ = six[c];
    }
    return status;
}

/* ---- the file ------------------------------------------------------------------------------- */

static const char* unit_of(const cli_motion* j, int column)
{
    int drive = column - sar_model_outputs(j->file.model), reaction = drive - j->efforts_count;
    if (drive < 0) return "";
    if (reaction < 0) return j->efforts[drive].is_torque ? "N m" : "N";
    const char* name = j->columns.items[column];
    return name[strlen(name) - 2] == 't' ? "N m" : "N";
}

/// Keys of what was computed with: the coordinates.
static const char* cite_of(const cli_motion* j)
{
    for (int k = 0; k < sar_axis_members(SAR_AXIS_COORDINATES); k++) {
        sar_member member = sar_axis_member(SAR_AXIS_COORDINATES, k);
        if (strcmp(member.name, j->options.coordinates) == 0 && member.cite) return member.cite;
    }
    return "";
}

static void put_attributes(cli_motion* j, const char* verdict)
{
    cli_rows_attribute(&j->to, "model", sar_model_name(j->file.model));
    cli_rows_attribute(&j->to, "model_text", j->file.text);
    cli_rows_attribute(&j->to, "cite", cite_of(j));
    cli_rows_attribute(&j->to, "verdict", verdict);
    cli_rows_attribute(&j->to, "command", j->want.command_line);
    cli_rows_attribute(&j->to, "version", SAR_VERSION);
}

/// Must not be something that was read. 0, or the exit code after a message.
static int check_output(const cli_motion* j)
{
    const char* path = j->want.output;
    if (!path || strcmp(path, "-") == 0) return 0;
    return cli_inputs_refuse(j->want.command->name, path, cli_endings_of_result);
}

static int open_output(cli_motion* j)
{
    const char* path = j->want.output;
    cli_catch_signals();
    if (!path) return 0;
    cli_words paths = {0};
    sar_error error = {0};
    sar_dataset* sets = cli_allocate((size_t)(1 + j->columns.count), sizeof *sets);
    sets[0] = (sar_dataset){"time", 1, "s", "time"};
    for (int k = 0; k < j->columns.count; k++)
        cli_words_add(&paths, "outputs/%s", j->columns.items[k]);
    for (int k = 0; k < j->columns.count; k++)
        sets[1 + k] = (sar_dataset){paths.items[k], 1, unit_of(j, k), ""};
    sar_status status = cli_rows_open(&j->to, path, sets, 1 + j->columns.count, &error);
    if (status == SAR_OK) {
        put_attributes(j, "unfinished"); // until something else is known
        status = cli_rows_flush(&j->to, &error);
    }
    free(sets);
    cli_words_clear(&paths);
    if (status == SAR_OK) return 0;
    j->failure = cli_format("%s", error.message);
    cli_error(j->want.command->name, "%s", error.message);
    return status == SAR_E_ARG ? CLI_USAGE : CLI_FAILED;
}

/// Everything is in the file, or the summary says what is.
static int close_output(cli_motion* j, int outcome)
{
    sar_error error = {0};
    put_attributes(j, j->status);
    sar_status status = cli_rows_close(&j->to, &error);
    if (status == SAR_OK) return outcome;
    cli_error(j->want.command->name, "%s", error.message);
    j->incomplete = 1;
    j->status = "failed";
    if (!j->failure) j->failure = cli_format("%s", error.message);
    return CLI_FAILED;
}

/* ---- the motion ----------------------------------------------------------------------------- */

/// Options of the model with those given here over them. Formulation and integrator mean nothing
/// here, so that there is nothing to fit together.
static int complete_options(cli_motion* j)
{
    const cli_method* given = &j->want.method;
    sar_error error = {0};
    j->options = j->file.method;
    for (int k = 0; k < given->names.count; k++)
        if (sar_options_set(&j->options, given->names.items[k], given->values.items[k], &error) !=
            SAR_OK) {
            cli_error(j->want.command->name, "%s", error.message);
            return CLI_USAGE;
        }
    return 0;
}

static int set_up(cli_motion* j, const char* name)
{
    const char* command = j->want.command->name;
    sar_error error = {0};
    j->status = "invalid";
    int refused = cli_model_open(name, command, &j->want.settings, &j->file);
    if (refused) {
        if (j->file.complaints) j->failure = cli_format("%s", j->file.complaints);
        return refused;
    }
    cli_model_warnings(&j->file, &j->warnings);
    j->status = "failed";
    refused = complete_options(j);
    if (refused) return refused;
    sar_status status = sar_motion_create(j->file.model, &j->options, &j->motion, &error);
    if (status == SAR_OK) return 0;
    j->failure = cli_format("%s", error.message);
    cli_error(command, "%s: %s", j->file.path, error.message);
    if (status == SAR_E_MODEL) j->status = "invalid";
    return status == SAR_E_MODEL ? CLI_MODEL : status == SAR_E_NOMEM ? CLI_FAILED : CLI_USAGE;
}

static int put_together(cli_motion* j)
{
    const char* command = j->want.command->name;
    sar_status status = sar_motion_assemble(j->motion, &j->assembly);
    j->assembled = 1;
    j->determinacy = sar_motion_determinacy(j->motion);
    if (status == SAR_OK) return 0;
    const char* why = sar_motion_failure(j->motion);
    j->failure = cli_options_as_typed(why && *why ? why : sar_status_text(status));
    cli_error(command, "%s: %s", sar_model_name(j->file.model), j->failure);
    if (status == SAR_E_MODEL) {
        j->status = "not determined";
        cli_hint("Give each degree of freedom a drive ('drives:'), or let forces move it: "
                 "'sarrus run'.");
    }
    if (status != SAR_E_ASSEMBLY) return CLI_FAILED;
    j->status = "cannot assemble";
    cli_print_assembly(stderr, j->file.model, &j->assembly);
    return CLI_ASSEMBLY;
}

/// Keep the present time. CLI_FAILED after noting why not.
static int store(cli_motion* j)
{
    sar_violation v = sar_motion_violation(j->motion);
    double t = sar_motion_time(j->motion);
    sar_status status = fill_row(j);
    if (status == SAR_OK) status = cli_rows_add(&j->to, j->row);
    j->violation.position = fmax(j->violation.position, v.position);
    j->violation.velocity = fmax(j->violation.velocity, v.velocity);
    j->violation.acceleration = fmax(j->violation.acceleration, v.acceleration);
    j->reached = t;
    j->rows++;
    if (status == SAR_OK) return 0;
    j->failure =
        status == SAR_E_IO
            ? cli_format("cannot write the results of t = %.9g s to %s", t, j->want.output)
            : cli_format("the outputs at t = %.9g s have no value: %s", t, sar_status_text(status));
    return CLI_FAILED;
}

/// To the time t, with a row. With --best-effort positions without velocities are left out.
static int visit(cli_motion* j, double t)
{
    sar_status status = sar_motion_go(j->motion, t);
    if (status == SAR_OK) return store(j);
    if (status == SAR_R_SINGULAR && j->options.best_effort) {
        j->skipped++;
        return 0;
    }
    j->failure = cli_options_as_typed(sar_motion_failure(j->motion));
    return CLI_FAILED;
}

enum { MOST_ROWS = 10000 };

/// Rows at start + k interval, and at the end: as those of a run that gets there in one step.
static int run_rows(cli_motion* j)
{
    const sar_options* o = &j->options;
    sar_sampling rows = sar_sampling_of(o, MOST_ROWS);
    if (rows.interval <= 0) rows.interval = (double)rows.stride * o->step;
    int64_t began = cli_clock();
    cli_progress progress =
        cli_progress_begin(o->start, o->end, !j->want.quiet && !j->want.json && !j->to.stream);
    double t;
    int more = sar_sampling_next(&rows, 0, o->end, &t), outcome = store(j); // the start
    while (outcome == 0 && !cli_interrupted && (more = sar_sampling_next(&rows, 0, o->end, &t))) {
        outcome = visit(j, t);
        if (progress.shown) cli_progress_update(&progress, cli_clock(), t, j->rows);
    }
    cli_progress_end(&progress);
    j->seconds = 1e-9 * (double)(cli_clock() - began);
    if (j->skipped > 0)
        cli_words_add(&j->warnings, "%ld singular configuration%s left out (--best-effort)",
                      j->skipped, cli_plural(j->skipped));
    return outcome == 0 && more ? CLI_INTERRUPTED : outcome;
}

/* ---- the commands --------------------------------------------------------------------------- */

static int carry_out(cli_motion* j, const char* name)
{
    if (j->want.along) return cli_motion_along(j, name);
    int outcome = set_up(j, name);
    if (outcome == 0) outcome = put_together(j);
    if (outcome == 0) {
        list_columns(j);
        outcome = check_output(j);
    }
    if (outcome == 0) {
        outcome = open_output(j);
    }
    if (outcome == 0) {
        outcome = run_rows(j);
        j->status = outcome == CLI_DONE          ? "completed"
                    : outcome == CLI_INTERRUPTED ? "interrupted"
                                                 : "failed";
        cli_motion_say_failure(j, outcome);
        outcome = close_output(j, outcome);
        if (!j->want.json && !j->want.quiet) cli_motion_print(j, outcome);
    }
    if (j->want.json && outcome != CLI_USAGE) cli_motion_json(j, name);
    return outcome;
}

static int motion_main(const cli_command* command, int inverse, int argc, char** argv)
{
    cli_motion* j = cli_allocate(1, sizeof *j);
    int operands = 0;
    j->want.command = command;
    j->want.inverse = inverse;
    j->want.command_line = cli_quote_command(argc, argv);
    int outcome = cli_parse(command, argc, argv, take_option, &j->want, &operands);
    if (outcome == CLI_GO_ON) {
        outcome = check_request(&j->want, operands);
        if (outcome == 0) outcome = carry_out(j, argv[1]);
    }
    sar_motion_destroy(j->motion);
    cli_model_close(&j->file);
    cli_words_clear(&j->warnings);
    cli_words_clear(&j->columns);
    cli_method_clear(&j->want.method);
    cli_settings_clear(&j->want.settings);
    free(j->want.command_line);
    free(j->failure);
    free(j->row);
    free(j->efforts);
    free(j);
    return outcome;
}

static int kinematics_main(int argc, char** argv)
{
    return motion_main(&cli_command_kinematics, 0, argc, argv);
}

static int inverse_main(int argc, char** argv)
{
    return motion_main(&cli_command_inverse, 1, argc, argv);
}

#define COMMON_OPTIONS                                                                             \
    {"output", 'o', "FILE",                                                                        \
     "write a row for each time: .h5 (HDF5) or .csv by the file extension, '-' for CSV on "        \
     "standard output"},                                                                           \
        {"start", 0, "X", "time at the start (default 0 s)"},                                      \
        {"end", 0, "X", "time at the end (default 10 s)"},                                         \
        {"step", 0, "X",                                                                           \
         "interval of the rows (default 0.001 s), increased above 10 000 rows; it does not "       \
         "affect their accuracy"},                                                                 \
        {"sample", 0, "X", "interval of the rows without that limit"},                             \
        {"coordinates", 0, "NAME", "coordinates, see 'sarrus methods'"},                           \
        {"solver", 0, "NAME", "dense, sparse, or auto: by the number of coordinates (default)"},   \
        {"best-effort", 0, "[=0]", "skip singular configurations and continue behind them"},       \
    {                                                                                              \
        "quiet", 'q', NULL, "no progress and no summary, only errors"                              \
    }

#define EXIT_CODES                                                                                 \
    "Exit codes: 0 completed; 1 the drives do not determine the motion, a position is singular, "  \
    "the mechanism cannot follow, or a file could not be written; 2 wrong usage; 3 invalid "       \
    "model; 4 the mechanism cannot be assembled; 130 interrupted."

static const cli_option kinematics_options[] = {
    COMMON_OPTIONS,
    {"along", 0, "CURVE",
     "in place of drives: 201 rows along a curve of the model's map, A1, A2 ... ('sarrus map'), "
     "with the part of the curve in the place of time, and all coordinates of joints"},
    {0}};

static const cli_option inverse_options[] = {
    COMMON_OPTIONS,
    {"reactions", 0, NULL,
     "add the reactions of all joints: JOINT.fx ... JOINT.tz, on the second side at its point, "
     "world axes"},
    {0}};

const cli_command cli_command_kinematics = {
    .name = "kinematics",
    .summary = "positions, velocities and accelerations of driven mechanisms",
    .operands = "MODEL [options]",
    .examples = "# all outputs, a row every 10 ms\n"
                "sarrus kinematics press.yaml --end 2 --sample 0.01 -o press.csv",
    .text = "For models whose drives prescribe every degree of freedom. Nothing is integrated: "
            "each row is exact to rounding, at any interval. Masses and forces do not matter; "
            "redundant joints and drives are allowed.\n"
            "\n"
            "Missing drives are reported with the joints that are free to move; a singular "
            "configuration is reported with its time.\n"
            "\n" EXIT_CODES,
    .options = kinematics_options,
    .takes = CLI_TAKES_SET | CLI_TAKES_JSON,
    .run = kinematics_main};

static const cli_brief inverse_brief[] = {{"output", "write a row for each time, HDF5 or CSV"},
                                          {"end", "time at the end (default 10 s)"},
                                          {"step", "interval of the rows (default 0.001 s)"},
                                          {"reactions", "add the reactions of all joints"},
                                          {0}};

const cli_command cli_command_inverse = {
    .name = "inverse",
    .summary = "inverse dynamics: the forces of drives for a prescribed motion",
    .operands = "MODEL [options]",
    .examples = "# the torques of a robot: a column for each drive\n"
                "sarrus inverse robot.yaml --end 2 --sample 0.01 -o torques.csv\n"
                "# and the reactions in its bearings\n"
                "sarrus inverse robot.yaml --reactions -o forces.h5",
    .gist = "Drives prescribe the motion, as in 'sarrus kinematics'. Rows hold the outputs "
            "and a column for each drive: DRIVE.torque or DRIVE.force, positive if it "
            "pushes its coordinate up.",
    .brief = inverse_brief,
    .text =
        "The motion is that of 'sarrus kinematics'; masses, gravity, springs and all other forces "
        "of the model determine the forces of the drives. Rows hold the model's outputs and one "
        "column for each drive, DRIVE.torque if it drives an angle, else DRIVE.force: positive if "
        "it pushes its coordinate up, so that force times rate is power. The model's outputs may "
        "use the same signals, in every run.\n"
        "\n"
        "If joints or drives are redundant their forces are not unique; the smallest are shown.\n"
        "\n" EXIT_CODES,
    .options = inverse_options,
    .takes = CLI_TAKES_SET | CLI_TAKES_JSON,
    .run = inverse_main};
