/* sarrus pose: a configuration that comes nearest to what is wanted. */
#include "pose/pose.h"

#include "common/files/inputs.h"
#include "common/options.h"
#include "common/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- options -------------------------------------------------------------------------------- */

static int take_option(void* self, const char* name, const char* value)
{
    static const char* const roles[] = {"want", "keep", "prefer", "limit"};
    pose_task* task = self;
    for (int k = 0; k < 4; k++)
        if (strcmp(name, roles[k]) == 0) cli_words_add(&task->asked[k], "%s", value);
    if (strcmp(name, "table") == 0) task->table = value;
    if (strcmp(name, "output") == 0) task->output = value;
    if (strcmp(name, "starts") != 0) return 0;
    return cli_read_count("pose", name, value, 0, 100000, &task->starts);
}

/* A number of the command line, with units and parameters; 20deg needs no blank here. */
static int read_number(pose_task* task, const char* option, const char* text, double* out)
{
    sar_error error = {0};
    char* unit;
    strtod(text, &unit);
    const int close = unit != text && strchr("abcdefghijklmnopqrstuvwxyz", *unit) && *unit;
    char* spaced = cli_format("%.*s%s%s", (int)(unit - text), text, close ? " " : "", unit);
    const sar_status status = sar_model_number(task->base.file.model, spaced, out, &error);
    free(spaced);
    if (status == SAR_OK) return 0;
    cli_error("pose", "--%s: %s", option, error.message);
    return CLI_USAGE;
}

/* "..., weight=W" at the end is taken off. */
static int take_weight(pose_task* task, const char* option, char* text, double* weight)
{
    char *comma = strrchr(text, ','), *word = comma ? comma + 1 : NULL;
    if (!word) return 0;
    word += strspn(word, " ");
    if (strncmp(word, "weight=", 7) != 0) return 0;
    *comma = 0;
    return read_number(task, option, word + 7, weight);
}

static int read_limit(pose_task* task, char* text, sar_pose_row* row)
{
    char* colon = strchr(text, ':');
    if (!colon) {
        cli_error("pose", "--limit %s=%s: expected LOWER:UPPER", row->expression, text);
        return CLI_USAGE;
    }
    *colon = 0;
    int refused = *text ? read_number(task, "limit", text, &row->lower) : 0;
    if (!refused && colon[1]) refused = read_number(task, "limit", colon + 1, &row->upper);
    return refused;
}

/* [x, y, z] of a point or an axis: a row each. */
static int add_vector(pose_task* task, const char* option, sar_pose_row row, char* text)
{
    static const char* const words[] = {"x", "y", "z"};
    const char* owner = row.expression;
    const int dimension = sar_model_dimension(task->base.file.model);
    const size_t end = strcspn(text, "]");
    const int fine = text[end] == ']' && text[end + 1 + strspn(text + end + 1, " ")] == 0;
    int given = 1;
    for (const char* c = text; *c; c++) given += *c == ',';
    text[end] = 0;
    for (int k = 0; k < dimension; k++) {
        char* part = strtok(k ? NULL : text + 1, ",");
        if (!part || !fine || given != dimension) {
            cli_error("pose", "--%s %s: expected %d numbers, as in [0.1, 0.2%s]", option, owner,
                      dimension, dimension == 3 ? ", 0.3" : "");
            return CLI_USAGE;
        }
        if (read_number(task, option, part, &row.value)) return CLI_USAGE;
        cli_words_add(&task->names, "%s.%s", owner, words[k]);
        row.expression = task->names.items[task->names.count - 1];
        task->rows[task->count++] = row;
    }
    return 0;
}

static int add_row(pose_task* task, int role, const char* given)
{
    static const char* const options[] = {"want", "keep", "prefer", "limit"};
    sar_pose_row row = sar_pose_row_default();
    row.role = (sar_pose_role)role;
    char *text = cli_format("%s", given), *equals = strchr(text, '=');
    int refused = role == SAR_POSE_LIMIT ? 0 : take_weight(task, options[role], text, &row.weight);
    if (equals && equals > text + strlen(text)) equals = NULL; // it was that of the weight
    if (equals) *equals = 0;
    for (char* end = text + strlen(text); end > text && end[-1] == ' ';) *--end = 0;
    cli_words_add(&task->names, "%s", text);
    row.expression = task->names.items[task->names.count - 1];
    row.value = NAN;
    char* value = equals ? equals + 1 + strspn(equals + 1, " ") : NULL;
    if (!refused && !value && role != SAR_POSE_KEEP && role != SAR_POSE_PREFER) {
        cli_error("pose", "--%s %s: expected SIGNAL=VALUE", options[role], given);
        refused = CLI_USAGE;
    }
    if (!refused && role == SAR_POSE_LIMIT)
        refused = read_limit(task, value, &row);
    else if (!refused && value && *value == '[') {
        refused = add_vector(task, options[role], row, value);
        free(text);
        return refused;
    } else if (!refused && value)
        refused = read_number(task, options[role], value, &row.value);
    free(text);
    if (!refused) task->rows[task->count++] = row;
    return refused;
}

static int read_rows(pose_task* task)
{
    int most = task->columns;
    for (int k = 0; k < 4; k++) most += 3 * task->asked[k].count;
    task->rows = cli_allocate((size_t)most + 1, sizeof *task->rows);
    for (int c = 0; c < task->columns; c++) { // those of the table first
        sar_pose_row row = sar_pose_row_default();
        row.expression = task->names.items[c];
        row.value = NAN;
        task->rows[task->count++] = row;
    }
    for (int role = 0; role < 4; role++)
        for (int k = 0; k < task->asked[role].count; k++) {
            const int refused = add_row(task, role, task->asked[role].items[k]);
            if (refused) return refused;
        }
    int wants = 0;
    for (int k = 0; k < task->count; k++)
        wants += task->rows[k].role == SAR_POSE_WANT || task->rows[k].role == SAR_POSE_PREFER;
    if (wants > 0) return 0;
    cli_error("pose", "what is wanted? Name a signal and its value: --want hand.origin.x=0.3");
    return CLI_USAGE;
}

/* ---- finding -------------------------------------------------------------------------------- */

static int create(pose_task* task)
{
    cli_inspection* x = &task->base;
    sar_error error = {0};
    const sar_status status =
        sar_pose_create(x->file.model, &x->options, task->rows, task->count, &task->pose, &error);
    if (status == SAR_OK) return 0;
    x->failure = cli_format("%s", error.message);
    cli_error("pose", "%s: %s", x->name, x->failure);
    return status == SAR_E_ASSEMBLY                       ? CLI_ASSEMBLY
           : status == SAR_E_MODEL || status == SAR_E_ARG ? CLI_USAGE
                                                          : CLI_FAILED;
}

static int solve(pose_task* task)
{
    cli_inspection* x = &task->base;
    const sar_status status = sar_pose_solve(task->pose, task->starts, &task->report);
    if (status != SAR_OK) {
        x->failure = cli_format(status == SAR_R_NO_CONV
                                    ? "no pose was found in which the loops close and what is kept "
                                      "holds: keep less"
                                    : "%s",
                                sar_status_text(status));
        cli_error("pose", "%s: %s", x->name, x->failure);
        return CLI_FAILED;
    }
    x->known = 1;
    return task->report.met ? CLI_DONE : CLI_DOUBTFUL;
}

/* What a run from here does besides. */
static void warn_of_start(pose_task* task)
{
    const sar_model* model = task->base.file.model;
    int drives = 0, rates = 0;
    for (int j = 0; j < sar_model_joints(model); j++)
        drives += sar_model_joint_is_drive(model, j, NULL);
    for (int k = 0; k < sar_model_starts(model); k++)
        rates += strstr(sar_model_start_unit(model, k), "/s") != NULL;
    if (drives)
        cli_words_add(&task->base.warnings,
                      "drives are released in a pose: a run from it needs drives that begin there");
    if (rates)
        cli_words_add(&task->base.warnings,
                      "rates of the model's start are left out of %s: give it those of this pose",
                      task->output);
}

static int examine(void* self)
{
    pose_task* task = self;
    cli_inspection* x = &task->base;
    if (task->output && cli_inputs_refuse("pose", task->output, cli_endings_of_file))
        return CLI_USAGE;
    int refused = cli_inspection_open(x);
    if (!refused && task->table) refused = pose_read_table(task);
    if (!refused) refused = read_rows(task);
    if (!refused && task->output)
        refused = cli_inputs_refuse("pose", task->output, cli_endings_of_file);
    if (!refused) refused = create(task);
    if (refused) return refused;
    const int outcome = task->table ? pose_solve_table(task) : solve(task);
    if (outcome != CLI_DONE && outcome != CLI_DOUBTFUL && outcome != CLI_INTERRUPTED)
        return outcome;
    if (task->output && !task->table) warn_of_start(task);
    refused = task->output ? pose_write(task) : 0;
    return refused ? refused : outcome;
}

/* ---- telling -------------------------------------------------------------------------------- */

static const char* verdict_of(const pose_task* task)
{
    if (task->interrupted) return "interrupted";
    if (task->table) return task->missed ? "some poses are not reached" : "all poses reached";
    return task->report.met ? "reached" : "not reached";
}

static void print_rows(const pose_task* task)
{
    static const char* const labels[] = {"wanted", "kept", "preferred", "limit"};
    int last = -1;
    for (int k = 0, row = 0; k < sar_pose_rows(task->pose); k++, row++) {
        double value, miss;
        while (row < task->count &&
               strcmp(task->rows[row].expression, sar_pose_row_name(task->pose, k)) != 0)
            row++; // the name of a drive
        const int role = row < task->count ? (int)task->rows[row].role : SAR_POSE_LIMIT;
        sar_pose_row_value(task->pose, k, &value, &miss);
        if (row >= task->count && miss == 0.0) continue; // limits of the model that hold
        cli_print_label(stdout, role == last ? "" : labels[role]);
        last = role;
        printf("%-20s %.10g", sar_pose_row_name(task->pose, k), value);
        if (miss != 0.0 && role != SAR_POSE_PREFER)
            printf("   %smissed by %.3g%s", cli_paint(stdout, CLI_RED), fabs(miss),
                   cli_paint(stdout, CLI_PLAIN));
        putchar('\n');
    }
}

static void print_report(const void* self)
{
    const pose_task* task = self;
    cli_inspection_print_verdict(&task->base, verdict_of(task),
                                 task->table ? !task->missed && !task->interrupted
                                             : task->report.met);
    if (task->table) {
        pose_print_table(task);
        return;
    }
    const sar_pose_report* r = &task->report;
    print_rows(task);
    cli_print_label(stdout, "search");
    printf("%d iteration%s from %d start%s; %d degree%s of freedom; loops closed to %.1g\n",
           r->iterations, cli_plural(r->iterations), r->starts, cli_plural(r->starts), r->freedoms,
           cli_plural(r->freedoms), r->open);
    if (r->elsewhere) {
        cli_print_label(stdout, "note");
        puts("found from a random start: whether a motion leads there is not known");
    }
    for (int k = 0; k < sar_pose_starts(task->pose); k++) {
        cli_print_label(stdout, k ? "" : "start");
        printf("%s: %.17g\n", sar_pose_start_name(task->pose, k),
               sar_pose_start_value(task->pose, k));
    }
    cli_inspection_print_warnings(&task->base);
}

static void json_rows(const pose_task* task, cli_json* j)
{
    cli_json_open(j, "rows", '[');
    for (int k = 0; k < sar_pose_rows(task->pose); k++) {
        double value, miss;
        sar_pose_row_value(task->pose, k, &value, &miss);
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "name", sar_pose_row_name(task->pose, k));
        cli_json_number(j, "value", value);
        cli_json_number(j, "miss", miss);
        cli_json_close(j);
    }
    cli_json_close(j);
}

static void json_pose(const pose_task* task, cli_json* j)
{
    const sar_pose_report* r = &task->report;
    const sar_model* model = task->base.file.model;
    cli_json_number(j, "distance", r->distance);
    cli_json_number(j, "size", r->size);
    cli_json_integer(j, "freedoms", r->freedoms);
    cli_json_integer(j, "starts", r->starts);
    cli_json_boolean(j, "elsewhere", r->elsewhere);
    cli_json_integer(j, "iterations", r->iterations);
    cli_json_number(j, "open", r->open);
    json_rows(task, j);
    cli_json_open(j, "start", '{');
    for (int k = 0; k < sar_pose_starts(task->pose); k++)
        cli_json_number(j, sar_pose_start_name(task->pose, k), sar_pose_start_value(task->pose, k));
    cli_json_close(j);
    cli_json_open(j, "bodies", '{');
    for (int b = 1; b < sar_model_bodies(model); b++) {
        double place[7];
        sar_pose_body(task->pose, (sar_body_id){b}, place, place + 3);
        cli_json_numbers(j, sar_model_body_name(model, b), place, 7);
    }
    cli_json_close(j);
}

static void print_json(const void* self, cli_json* j)
{
    const pose_task* task = self;
    if (task->base.known) {
        cli_json_text(j, "verdict", verdict_of(task));
        if (task->table)
            pose_json_table(task, j);
        else
            json_pose(task, j);
    }
}

/* ---- the command ---------------------------------------------------------------------------- */

static int pose_main(int argc, char** argv)
{
    static const cli_inspector how = {.take = take_option,
                                      .examine = examine,
                                      .print_report = print_report,
                                      .print_json = print_json};
    pose_task task = {.base.command = &cli_command_pose, .starts = 64};
    const int outcome = cli_inspect(&how, &task.base, argc, argv);
    for (int k = 0; k < 4; k++) cli_words_clear(&task.asked[k]);
    cli_words_clear(&task.names);
    free(task.rows);
    free(task.column);
    free(task.values);
    free(task.shown);
    free(task.reports);
    sar_pose_destroy(task.pose);
    return outcome;
}

static const cli_option pose_options[] = {
    {"want", 'w', "SIGNAL=VALUE[, weight=W]",
     "what shall be there: any expression of positions, or [x, y, z] of a point or an axis; may be "
     "repeated"},
    {"keep", 'k', "SIGNAL[=VALUE]",
     "holds exactly, as joints do: its value at the start, or this one; the name of a drive: it "
     "stays; may be repeated"},
    {"prefer", 0, "SIGNAL[=VALUE][, weight=W]",
     "where what is wanted leaves a choice; without a value: near that of the start; may be "
     "repeated"},
    {"limit", 0, "SIGNAL=LOWER:UPPER",
     "beside the stops and bounds of the model; one of the two may be missing; may be repeated"},
    {"table", 't', "FILE",
     "many poses, each from the one before: a CSV file with signals as heads of its columns, a row "
     "of wanted values each"},
    {"starts", 0, "N",
     "places to search from, where something is missed from the first (default 64)"},
    {"output", 'o', "FILE",
     "the pose as the start of a model file (.yaml), of --table all poses (.csv)"},
    {0}};

static const cli_brief pose_brief[] = {
    {"want", "SIGNAL=VALUE, as hand.origin.x=0.3 or 'hand.z=[0, 0, -1]'; may be repeated"},
    {"keep", "SIGNAL: holds exactly; may be repeated"},
    {"prefer", "SIGNAL=VALUE: where there is a choice; may be repeated"},
    {"limit", "SIGNAL=LOWER:UPPER; may be repeated"},
    {"table", "a CSV file of wanted values: many poses, each from the one before"},
    {"output", "the model with this start (.yaml), or the table of poses (.csv)"},
    {0}};

const cli_command cli_command_pose = {
    .name = "pose",
    .summary = "put the hand here: the configuration nearest to what is wanted",
    .operands = "MODEL --want SIGNAL=VALUE ... [options]",
    .examples =
        "# joint angles of a robot whose hand is there and points down\n"
        "sarrus pose robot.yaml --want 'hand.tip=[0.4, 0.1, 0.2]' --want 'hand.z=[0, 0, -1]'\n"
        "# start a run in that pose\n"
        "sarrus pose robot.yaml --want J1.angle=20deg --want hand.tip.x=0.3 -o there.yaml\n"
        "sarrus run there.yaml\n"
        "# a path: inverse kinematics, row by row\n"
        "sarrus pose robot.yaml --table path.csv --prefer elbow.angle=-60deg -o joints.csv",
    .gist =
        "Finds a configuration that closes all loops, keeps limits, and comes nearest to what is "
        "wanted. Drives are released. Exit codes: 0 all is met, 6 something is missed: it is "
        "named, with how near it came.",
    .brief = pose_brief,
    .text =
        "Of all poses that close the loops, keep what is to be kept and stay within the limits, "
        "the one with the least sum of (weight (value - wanted) / unit)^2 is sought; the unit is "
        "the size of the model for lengths, and 1 for angles and directions. Where several are "
        "equally near, what is preferred decides, then how far joint coordinates move. Limits are "
        "--limit, stops and bounds of constraints.\n"
        "\n"
        "The search begins at the start of the model and goes along motions that keep the loops "
        "closed, through singular configurations too. Where something is missed, it is repeated "
        "from other places; the report says if the pose was found from a random one, so that it "
        "is not known whether a motion leads there.\n"
        "\n"
        "Exit codes: 0 met, 1 failed, 2 wrong usage, 3 invalid model, 4 cannot be assembled, 6 "
        "something is missed, 130 interrupted: the poses of a table until then are kept.",
    .options = pose_options,
    .takes = CLI_TAKES_METHOD | CLI_TAKES_SET | CLI_TAKES_JSON,
    .run = pose_main};
