/* sarrus check: is the model valid, how many degrees of freedom does it have, can it be assembled?
 */
#include "check/fmu.h"
#include "check/position.h"
#include "check/tree_report.h"
#include "check/uniqueness.h"
#include "common/inspection.h"
#include "common/options.h"
#include "common/place.h"
#include "common/start.h"
#include "common/summary.h"
#include "map/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct findings {
    cli_inspection base;
    const char* at;     ///< a time, "singular", or NULL
    double time;        ///< of `at`
    double tolerance;   ///< of the rank; 0: the usual
    const char* status; ///< "valid", "invalid", "cannot assemble", "failed"
    int done;           ///< there is nothing left to find out
    sar_rank rank;
    const char** redundant;  ///< names of joints
    int redundant_count;     ///< -1: not known
    const char** shared;     ///< joints whose reactions are not unique
    int shared_count;        ///< -1: not known
    sar_self_stress* stress; ///< NULL: not known
    cli_position position;   ///< without a simulation: not analysed
    int maps;                ///< the map too
    cli_map map;
} findings;

enum { AT_ONCE = 120 }; ///< coordinates of models whose velocities are analysed without being asked

static int take_option(void* self, const char* name, const char* value)
{
    findings* f = self;
    if (strcmp(name, "rank-tolerance") == 0)
        return cli_read_number("check", name, value, 0.0, INFINITY, &f->tolerance);
    if (strcmp(name, "map") == 0) f->maps = 1;
    if (strcmp(name, "at") != 0) return 0;
    f->at = value;
    if (strcmp(value, "singular") == 0 || cli_place_is(value)) return 0;
    return cli_read_number("check", name, value, -INFINITY, INFINITY, &f->time);
}

static int wants_singular(const findings* f)
{
    return f->at && strcmp(f->at, "singular") == 0;
}

/* ---- finding out ---------------------------------------------------------------------------- */

static void find_redundant(findings* f)
{
    int most = sar_model_joints(f->base.file.model);
    f->redundant = cli_allocate((size_t)most, sizeof *f->redundant);
    f->redundant_count = sar_simulation_redundant_joints(f->base.simulation, f->redundant, most);
    if (f->redundant_count > most) f->redundant_count = most;
    f->shared = cli_allocate((size_t)most, sizeof *f->shared);
    f->shared_count = sar_simulation_indeterminate_joints(f->base.simulation, f->shared, most);
    if (f->shared_count > most) f->shared_count = most;
    (void)sar_self_stress_create(f->base.simulation, &f->stress, NULL); // large models have none
}

static int fail(findings* f, sar_status status, const char* word)
{
    const int outcome = cli_start_failure(f->base.simulation, status, &f->base.failure);
    f->status = outcome == CLI_ASSEMBLY ? "cannot assemble" : word;
    return outcome;
}

static int assemble(findings* f)
{
    sar_status status = sar_simulation_assemble(f->base.simulation, &f->base.assembly);
    f->rank = sar_simulation_rank(f->base.simulation);
    f->base.known = 1;
    return status == SAR_OK ? CLI_DONE : fail(f, status, "failed");
}

/// What there is to see where the simulation is now.
static void observe(findings* f)
{
    f->rank = sar_simulation_rank(f->base.simulation);
    find_redundant(f);
    if (!cli_inspection_observe(&f->base))
        cli_words_add(&f->base.warnings, "the outputs have no values there");
    f->status = "valid";
}

/* ---- going to another time ------------------------------------------------------------------ */

/// Steps to the end, or until the first singular passage is known, whose time goes to *passage.
static int advance(findings* f, double* passage)
{
    const sar_event* passes;
    while (!sar_simulation_done(f->base.simulation)) {
        sar_status status = sar_simulation_advance(f->base.simulation);
        if (status != SAR_OK) return fail(f, status, "failed");
        if (!passage || sar_simulation_singular_passes(f->base.simulation, &passes) == 0) continue;
        *passage = passes[0].t;
        return CLI_DONE;
    }
    if (!passage) return CLI_DONE;
    f->base.failure = cli_format("no singular configuration between t = %g s and %g s (--end)",
                                 f->base.options.start, f->base.options.end);
    f->status = "failed";
    return CLI_FAILED;
}

/// `stays`: nothing but the start is examined.
static int create(findings* f, int stays)
{
    sar_options options = f->base.options;
    if (stays) options.best_effort = 1; // a start that no motion follows is shown, not refused
    const int refused = cli_inspection_create(&f->base, &options);
    if (!refused) return assemble(f);
    if (refused != CLI_MODEL) f->status = "failed";
    return refused;
}

/// From the assembled start to the time that was asked for: a run that ends there.
static int go_to(findings* f)
{
    double time = f->time;
    int refused = wants_singular(f) ? advance(f, &time) : 0;
    if (refused) return refused;
    if (time < f->base.options.start) {
        cli_error("check", "--at %g is before the start, t = %g s", time, f->base.options.start);
        return CLI_USAGE;
    }
    if (time == f->base.options.start && sar_simulation_time(f->base.simulation) == time)
        return CLI_DONE;
    if (time > f->base.options.start) f->base.options.end = time;
    refused = create(f, time == f->base.options.start);
    if (!refused && time > f->base.options.start) refused = advance(f, NULL);
    return refused;
}

/// All assembly modes, ranges and dead points. The exit code.
static int make_map(findings* f)
{
    sar_error error = {0};
    f->map.asked = sar_map_options_default();
    f->map.base.file.model = f->base.file.model;
    if (cli_map_make(&f->map, &error) != SAR_OK) {
        cli_words_add(&f->base.warnings, "there is no map: %s", error.message);
        return CLI_DOUBTFUL;
    }
    return f->map.summary.complete && !cli_map_overlaps(&f->map) ? CLI_DONE : CLI_DOUBTFUL;
}

static int examine(void* self)
{
    findings* f = self;
    f->status = "invalid";
    f->redundant_count = f->shared_count = -1;
    int refused = cli_inspection_open(&f->base);
    const int placed = f->at && cli_place_is(f->at);
    if (!refused && placed)
        refused = cli_place_go("check", f->base.file.path, f->base.file.model, f->at, 0.0, NULL);
    if (!refused) refused = cli_inspection_choose(&f->base);
    if (!refused) refused = create(f, !wants_singular(f));
    if (!refused && f->at && !placed) refused = go_to(f);
    if (refused) return refused;
    observe(f);
    const double tolerance = f->tolerance > 0.0 ? f->tolerance : wants_singular(f) ? 1e-4 : 0.0;
    if (f->at || f->rank.coordinates <= AT_ONCE)
        cli_position_find(&f->position, f->base.file.model, f->base.simulation, &f->base.options,
                          tolerance);
    f->done = 1;
    return f->maps ? make_map(f) : CLI_DONE;
}

/* ---- telling -------------------------------------------------------------------------------- */

/// Rank of the equations after a phase, at the present position. 0: not known.
static int rank_after(const findings* f, int phase, sar_rank* rank)
{
    return sar_simulation_phase_rank(f->base.simulation, phase, rank) == SAR_OK;
}

static void json_phases(const findings* f, cli_json* j)
{
    if (!f->base.known || sar_model_phases(f->base.file.model) == 0) return;
    cli_json_open(j, "phases", '[');
    for (int k = 0; k < sar_model_phases(f->base.file.model); k++) {
        sar_rank rank;
        cli_json_open(j, NULL, '{');
        cli_json_phase(j, f->base.file.model, k);
        if (rank_after(f, k, &rank)) cli_json_rank(j, rank);
        cli_json_close(j);
    }
    cli_json_close(j);
}

static void print_phases(const findings* f)
{
    for (int k = 0; k < sar_model_phases(f->base.file.model); k++) {
        sar_phase_def def = sar_model_phase(f->base.file.model, k);
        sar_rank rank;
        cli_print_label(stdout, k ? "" : "phases");
        if (def.when)
            printf("when%s %s %s ", def.repeats ? "ever" : "", def.when,
                   def.crossing == SAR_CROSSING_RISING    ? "rises through 0"
                   : def.crossing == SAR_CROSSING_FALLING ? "falls through 0"
                                                          : "changes sign");
        else
            printf("at %g s ", def.at);
        cli_print_phase(stdout, f->base.file.model, k);
        if (rank_after(f, k, &rank))
            printf("; rank %d of %d constraints, %d degree%s of freedom, %d redundant", rank.rank,
                   rank.constraints, rank.dof, cli_plural(rank.dof), rank.redundant);
        putchar('\n');
    }
}

/// Nothing where it is not known.
static void json_names(cli_json* j, const char* key, const char* const* names, int count)
{
    if (count < 0) return;
    cli_json_open(j, key, '[');
    for (int k = 0; k < count; k++) cli_json_text(j, NULL, names[k]);
    cli_json_close(j);
}

static void print_json(const void* self, cli_json* j)
{
    const findings* f = self;
    cli_json_text(j, "status", f->status);
    if (f->base.file.model) {
        cli_json_integer(j, "dimension", sar_model_dimension(f->base.file.model));
        cli_json_integer(j, "bodies", sar_model_bodies(f->base.file.model) - 1);
        cli_json_integer(j, "joints", sar_model_joints(f->base.file.model));
    }
    if (f->base.known) {
        cli_json_text(j, "coordinates", f->base.options.coordinates);
        cli_json_rank(j, f->rank);
        cli_json_assembly(j, &f->base.assembly);
        cli_tree_json(f->base.file.model, f->base.simulation, j);
    }
    json_phases(f, j);
    json_names(j, "redundant_joints", f->redundant, f->redundant_count);
    json_names(j, "indeterminate_joints", f->shared, f->shared_count);
    if (f->stress) cli_uniqueness_json(f->base.file.model, f->stress, j);
    if (f->done && f->at) cli_position_json(&f->position, j);
    if (f->map.map) {
        cli_json_open(j, "map", '{');
        cli_map_json_members(&f->map, j);
        cli_json_close(j);
    }
    cli_inspection_json_outputs(&f->base, j);
}

static void print_names(const char* const* names, int count)
{
    enum { MOST = 20 };
    for (int k = 0; k < count && k < MOST; k++) printf("%s%s", k ? ", " : "", names[k]);
    if (count > MOST) printf(" and %d more", count - MOST);
}

static void print_redundant(const findings* f)
{
    if (f->rank.redundant <= 0 || !f->done) return;
    cli_print_label(stdout, "redundant");
    if (f->redundant_count < 0) {
        puts("the model is too large to say which joints");
        return;
    }
    if (f->redundant_count == 0)
        printf("%d constraint%s of the bodies themselves", f->rank.redundant,
               f->rank.redundant == 1 ? "" : "s");
    print_names(f->redundant, f->redundant_count);
    if (f->position.sub.singular) {
        puts(": in this position");
        return;
    }
    if (f->shared_count == 0) {
        puts(": the motion and the reactions of joints are unique");
        return;
    }
    fputs(": the motion is unique, the split of the reactions among ", stdout);
    print_names(f->shared, f->shared_count);
    puts(" is not");
    if (f->stress) cli_uniqueness_print(f->base.file.model, f->stress);
}

static void print_position(const findings* f)
{
    if (!f->done || !f->position.simulation) return;
    if (f->at) {
        cli_position_print(&f->position, stdout);
    } else if (f->position.sub.singular) {
        cli_print_label(stdout, "singular");
        puts(
            "the start is a singular configuration: several motions meet there; --at 0 shows them");
    }
}

static void print_report(const void* self)
{
    const findings* f = self;
    const sar_model* model = f->base.file.model;
    cli_inspection_print_verdict(&f->base, f->status, strcmp(f->status, "valid") == 0);
    cli_print_label(stdout, "model");
    int bodies = sar_model_bodies(model) - 1, joints = sar_model_joints(model);
    const int states = sar_model_states(model), outputs = sar_model_outputs(model);
    printf("%s, %d bod%s, %d joint%s (drives included), ",
           sar_model_dimension(model) == 2 ? "planar" : "spatial", bodies,
           bodies == 1 ? "y" : "ies", joints, cli_plural(joints));
    if (states) printf("%d state%s, ", states, cli_plural(states));
    printf("%d output%s\n", outputs, cli_plural(outputs));
    cli_print_label(stdout, "coordinates");
    puts(f->base.options.coordinates);
    cli_print_rank(stdout, f->rank);
    print_redundant(f);
    cli_tree_print(model, f->base.simulation, stdout);
    print_phases(f);
    cli_print_assembly(stdout, f->base.file.model, &f->base.assembly);
    cli_inspection_print_outputs(&f->base, 20);
    print_position(f);
    if (f->map.map) cli_map_print_parts(&f->map);
    cli_inspection_print_warnings(&f->base);
}

static int check_main(int argc, char** argv)
{
    static const cli_inspector how = {take_option, examine, print_report, print_json};
    findings f = {.base.command = &cli_command_check};
    const char* fmu = cli_check_fmu_name(argc, argv);
    if (fmu) return cli_check_fmu(fmu, strcmp(argv[argc - 1], "--json") == 0);
    const int outcome = cli_inspect(&how, &f.base, argc, argv);
    sar_self_stress_destroy(f.stress);
    cli_map_clear(&f.map);
    free(f.redundant);
    free(f.shared);
    return outcome;
}

static const cli_option check_options[] = {
    {"at", 0, "TIME",
     "run to this time with the chosen method, or to the first singular configuration (--at "
     "singular), or go to a place of the model's map (--at S1, A2@0.3; 'sarrus map'), "
     "and show which motions are possible there"},
    {"map", 0, NULL,
     "find all assembly modes, the range of every joint, dead points, transmission angles and how "
     "near shapes come to each other too, as 'sarrus map' does; exit code 6 if some part could "
     "not be resolved, or shapes overlap on a curve of the drawn start"},
    {"rank-tolerance", 0, "X",
     "singular values below X times the largest count as zero (default 1e-6; with --at singular "
     "1e-4)"},
    {0}};

static const cli_brief check_brief[] = {
    {"at", "the same at a time, 'singular', or a place of the map"},
    {"map", "assembly modes, ranges, dead points too"},
    {"coordinates", "natural, cartesian, increments, relative"},
    {0}};

const cli_command cli_command_check = {
    .name = "check",
    .summary = "validity, degrees of freedom, redundancy, assembly, possible motions; FMUs",
    .operands = "MODEL [options]",
    .examples = "# is my file valid, and how many degrees of freedom does it have?\n"
                "sarrus check robot.yaml\n"
                "# the same mechanism with other coordinates, and another number of loops\n"
                "sarrus check n-four-bar --set n=10 --coordinates cartesian\n"
                "# which joints form the tree of relative coordinates, and where are loops cut?\n"
                "sarrus check four-bar --coordinates relative\n"
                "# which motions meet at the first singular configuration?\n"
                "sarrus check slider-crank-1 --at singular\n"
                "# does an FMU do what it was exported to do?\n"
                "sarrus check robot.fmu",
    .gist = "Reads the model, reports all errors, counts coordinates, constraints and "
            "degrees of freedom, names redundant joints, assembles the mechanism and shows "
            "its outputs. With --at: which motions are possible there. Exit codes: 0 "
            "valid, 3 invalid model, 4 cannot be assembled. 'sarrus help' lists the models "
            "that come with Sarrus.",
    .brief = check_brief,
    .text = "Reads the model and reports all errors. Counts coordinates and constraints, "
            "determines the rank of the constraints and the degrees of freedom, lists redundant "
            "joints, assembles the mechanism (or reports contradictory conditions), and shows the "
            "outputs at the start. Lists phases with the rank after each, at the start position.\n"
            "\n"
            "With --coordinates relative it shows the spanning tree: the coordinates of every "
            "joint of the tree (turn, slide, ball), floating bodies, and cut joints with the "
            "constraints that close them.\n"
            "\n"
            "With --at it shows the same at another time, and the velocities there: the singular "
            "values of the constraints, the admissible directions, the branches of motion if the "
            "position is singular, and the components of the present velocity. Directions are "
            "given as rates of the outputs.\n"
            "\n"
            "An FMU of Sarrus is loaded as a host would, run, and compared with the motion that "
            "is stored in it.\n"
            "\n"
            "Exit codes: 0 valid, 1 the run to --at failed, or an FMU does something else, 2 "
            "wrong usage, 3 invalid model, 4 cannot be assembled.",
    .options = check_options,
    .takes = CLI_TAKES_METHOD | CLI_TAKES_SET | CLI_TAKES_JSON,
    .run = check_main};
