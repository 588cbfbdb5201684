/* sarrus modes: how a model vibrates about a state, and whether it is stable. */
#include "modes/modes.h"

#include "common/start.h"
#include "common/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- options -------------------------------------------------------------------------------- */

static int take_option(void* self, const char* name, const char* value)
{
    modes_task* task = self;
    if (strcmp(name, "vary") == 0) return modes_read_vary(task, value);
    if (strcmp(name, "output") == 0) cli_words_add(&task->outputs, "%s", value);
    if (strcmp(name, "at") != 0) return 0;
    task->at = value;
    if (strcmp(value, "start") == 0 || strcmp(value, "equilibrium") == 0 ||
        strcmp(value, "steady") == 0)
        return 0;
    char* end;
    task->time = strtod(value, &end);
    if (end != value && *end == 0 && isfinite(task->time)) return 0;
    cli_error("modes", "--at '%s' is none of start, equilibrium, steady, nor a time", value);
    return CLI_USAGE;
}

static int wants(const modes_task* task, const char* word)
{
    return task->at && strcmp(task->at, word) == 0;
}

static int wants_time(const modes_task* task)
{
    return task->at && !wants(task, "start") && !wants(task, "equilibrium") &&
           !wants(task, "steady");
}

/* ---- finding -------------------------------------------------------------------------------- */

static int advance(modes_task* task)
{
    cli_inspection* x = &task->base;
    while (!sar_simulation_done(x->simulation)) {
        const sar_status status = sar_simulation_advance(x->simulation);
        if (status != SAR_OK) return cli_start_failure(x->simulation, status, &x->failure);
    }
    return 0;
}

static int rest(modes_task* task)
{
    cli_inspection* x = &task->base;
    const sar_status status = sar_simulation_to_rest(x->simulation);
    return status == SAR_OK ? 0 : cli_start_failure(x->simulation, status, &x->failure);
}

static int create(modes_task* task)
{
    cli_inspection* x = &task->base;
    sar_options options = x->options;
    if (wants(task, "equilibrium")) options.equilibrium = 1;
    if (wants_time(task) && task->time > options.start)
        options.end = task->time;
    else
        options.best_effort = 1; // a start that no motion follows has modes all the same
    return cli_inspection_create(x, &options);
}

static int find(modes_task* task)
{
    cli_inspection* x = &task->base;
    sar_error error = {0};
    if (sar_modes_create(x->simulation, &task->modes, &error) != SAR_OK) {
        x->failure = cli_format("%s", error.message);
        return CLI_FAILED;
    }
    task->summary = sar_modes_summarise(task->modes);
    return 0;
}

/* About the steady motion near the start, where that is none itself. */
static int find_steady(modes_task* task)
{
    cli_inspection* x = &task->base;
    sar_error error = {0};
    int refused = find(task);
    if (refused || !wants(task, "steady") || task->summary.about != SAR_MODES_FROZEN)
        return refused;
    sar_modes_destroy(task->modes);
    task->modes = NULL;
    if (sar_simulation_to_steady(x->simulation, &error) != SAR_OK) {
        x->failure = cli_format("%s; --at start takes the motion as it is now", error.message);
        return CLI_FAILED;
    }
    task->moved = 1;
    return find(task);
}

/* Before anything is computed. */
static int check_outputs(const modes_task* task)
{
    static const char *const of_scan[] = {".csv", ".svg", NULL}, *const of_space[] = {
                                                                     ".mat",  ".h5",  ".csv",
                                                                     ".json", ".svg", NULL};
    for (int k = 0; k < task->outputs.count; k++) {
        const char *const *ending = task->vary ? of_scan : of_space, *path = task->outputs.items[k];
        while (*ending && !cli_ends_with(path, *ending)) ending++;
        if (*ending) continue;
        cli_error("modes", "-o %s: the ending says what is written: %s", path,
                  task->vary ? ".csv (a table) or .svg (the root locus)"
                             : ".mat, .h5, .csv, .json (the state space) or .svg (Bode plots)");
        return CLI_USAGE;
    }
    return 0;
}

static int examine(void* self)
{
    modes_task* task = self;
    cli_inspection* x = &task->base;
    int refused = check_outputs(task);
    if (!refused) refused = cli_inspection_prefer_relative(x);
    if (!refused) refused = cli_inspection_open(x);
    if (!refused) refused = cli_inspection_choose(x);
    if (!refused && wants_time(task) && task->time < x->options.start) {
        cli_error("modes", "--at %g is before the start, t = %g s", task->time, x->options.start);
        return CLI_USAGE;
    }
    if (!refused && task->vary) return modes_scan(task);
    if (!refused) refused = create(task);
    if (!refused) refused = cli_start_assemble(x->simulation, &x->assembly, &x->failure);
    if (!refused && wants(task, "equilibrium")) refused = rest(task);
    if (!refused && wants_time(task) && task->time > x->options.start) refused = advance(task);
    if (!refused) refused = find_steady(task);
    if (!refused) refused = modes_write_state_space(task);
    if (refused) return refused;
    x->known = 1;
    cli_inspection_observe(x);
    return task->summary.unstable > 0 ? CLI_DOUBTFUL : CLI_DONE;
}

/* ---- the command ---------------------------------------------------------------------------- */

static int modes_main(int argc, char** argv)
{
    static const cli_inspector how = {.take = take_option,
                                      .examine = examine,
                                      .print_report = modes_print,
                                      .print_json = modes_json};
    modes_task task = {.base.command = &cli_command_modes};
    const int outcome = cli_inspect(&how, &task.base, argc, argv);
    sar_modes_destroy(task.modes);
    sar_modes_scan_destroy(task.scan);
    cli_words_clear(&task.outputs);
    free(task.vary);
    return outcome;
}

static const cli_option modes_options[] = {
    {"at", 0, "WHERE",
     "start (default), equilibrium: the one near it, steady: the steady motion near it, with its "
     "rates of joints, or a time [s] of the run"},
    {"vary", 0, "NAME=FROM:TO:POINTS",
     "for values of a parameter at equal distances, and find the values at which stability "
     "changes"},
    {"output", 'o', "FILE",
     "the state space A, B, C, D with names: .mat, .h5, .csv, .json; .svg: Bode plots; of --vary: "
     ".csv, or .svg: root locus, growth and frequencies; may be repeated"},
    {0}};

static const cli_brief modes_brief[] = {
    {"at", "start, equilibrium, steady, or a time [s]"},
    {"vary", "NAME=FROM:TO:POINTS: over a parameter, with the values where stability changes"},
    {"output", "state space: .mat, .h5, .csv, .json; Bode plot, root locus: .svg"},
    {"coordinates", "natural, cartesian, increments, relative (default)"},
    {0}};

const cli_command cli_command_modes = {
    .name = "modes",
    .summary = "how a model vibrates about a state, and whether it is stable",
    .operands = "MODEL [options]",
    .examples = "# frequencies, damping and stability of a suspension where it rests\n"
                "sarrus modes suspension --at equilibrium\n"
                "# does a bicycle balance itself at 6 m/s?\n"
                "sarrus modes bicycle --set speed=6 --set push=0 --at steady\n"
                "# linear equations for a controller, and Bode plots, of your model with inputs\n"
                "sarrus modes arm.yaml -o arm.mat -o bode.svg\n"
                "# between which speeds does it?\n"
                "sarrus modes bicycle --set push=0 --vary speed=1:10:37 -o speeds.svg",
    .gist = "Eigenvalues of small motions about a state: frequencies, damping ratios, which bodies "
            "and joints take part. Exit codes: 0 nothing grows, 6 unstable. 'sarrus help' lists "
            "the models that come with Sarrus.",
    .brief = modes_brief,
    .text = "Small motions about a state obey linear equations, in as many numbers as the model "
            "has degrees of freedom. Redundant joints, non-holonomic constraints, stiffness by "
            "preloads and reactions, gyroscopic, circulatory and follower forces, and states of "
            "forces are in them. Their eigenvalues are the modes.\n"
            "\n"
            "About an equilibrium and about a steady motion, in which rates of joint coordinates "
            "are constant, eigenvalues decide about stability. About any other state they are "
            "those of frozen time, and the report says so. Eigenvalues that are zero belong to "
            "positions and rates that nothing holds; they are counted and not listed. In a "
            "singular configuration each of the motions that meet there has modes of its own.\n"
            "\n"
            "Exit codes: 0 nothing grows, 1 failed, 2 wrong usage, 3 invalid model, 4 cannot be "
            "assembled, 6 some mode grows.",
    .options = modes_options,
    .takes = CLI_TAKES_METHOD | CLI_TAKES_SET | CLI_TAKES_JSON,
    .run = modes_main};
