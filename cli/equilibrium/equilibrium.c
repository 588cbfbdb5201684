/* sarrus equilibrium: where a model rests under weight and springs, and whether it stays there. */
#include "common/inspection.h"
#include "common/start.h"
#include "common/summary.h"

#include <math.h>

typedef struct findings {
    cli_inspection base;
    sar_equilibrium found;
} findings;

static int examine(void* self)
{
    findings* f = self;
    cli_inspection* x = &f->base;
    int refused = cli_inspection_open(x);
    x->options.equilibrium = 1;
    x->options.best_effort = 1; // velocities that no motion follows are no matter of statics
    if (!refused) refused = cli_inspection_choose(x);
    if (!refused) refused = cli_inspection_create(x, &x->options);
    if (refused) return refused;
    refused = cli_start_assemble(x->simulation, &x->assembly, &x->failure);
    f->found = sar_simulation_equilibrium(x->simulation);
    x->known = f->found.verdict != SAR_EQUILIBRIUM_NOT_SOUGHT;
    if (refused) return f->found.verdict == SAR_EQUILIBRIUM_NOT_FOUND ? CLI_FAILED : refused;
    cli_inspection_observe(x);
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
    case SAR_EQUILIBRIUM_MARGINAL:
        return "marginal";
    case SAR_EQUILIBRIUM_SINGULAR:
        return "singular";
    case SAR_EQUILIBRIUM_NOT_FOUND:
        return "not found";
    default:
        return "failed";
    }
}

static const char* grower_of(const findings* f)
{
    return sar_model_body_name(f->base.file.model, f->found.growing_body);
}

static void json_reactions(const findings* f, cli_json* j)
{
    const sar_model* model = f->base.file.model;
    cli_json_open(j, "reactions", '{');
    for (int k = 0; k < sar_model_joints(model); k++) {
        double wrench[6];
        if (sar_simulation_reaction(f->base.simulation, (sar_joint_id){k}, wrench, wrench + 3) !=
            SAR_OK)
            continue;
        cli_json_numbers(j, sar_model_joint_name(model, k), wrench, 6);
    }
    cli_json_close(j);
}

static void print_json(const void* self, cli_json* j)
{
    const findings* f = self;
    const sar_equilibrium* e = &f->found;
    cli_json_text(j, "verdict", verdict_of(f));
    cli_json_text(j, "coordinates", f->base.options.coordinates);
    cli_json_integer(j, "freedoms", e->freedoms);
    cli_json_integer(j, "unstable", e->unstable);
    cli_json_integer(j, "undetermined", e->undetermined);
    cli_json_integer(j, "marginal", e->marginal);
    cli_json_number(j, "growth", e->growth);
    cli_json_number(j, "growth_frequency", e->growth_frequency);
    cli_json_text(j, "growing_body", e->growth > 0.0 ? grower_of(f) : "");
    cli_json_integer(j, "iterations", e->iterations);
    cli_json_number(j, "residual", e->residual);
    cli_json_number(j, "moved", e->moved);
    cli_json_number(j, "frequency", e->frequency);
    cli_json_text(j, "unstable_bodies", e->unstable_bodies);
    cli_json_text(j, "undetermined_bodies", e->undetermined_bodies);
    cli_json_text(j, "unbalanced_bodies", e->unbalanced_bodies);
    if (f->base.observed) {
        cli_inspection_json_outputs(&f->base, j);
        json_reactions(f, j);
    }
}

static void print_motions(const char* label, int count, const char* bodies)
{
    if (count == 0) return;
    cli_print_label(stdout, label);
    printf("%d motion%s, of %s\n", count, cli_plural(count), bodies);
}

static void print_growth(const findings* f)
{
    const sar_equilibrium* e = &f->found;
    if (!(e->growth > 0.0)) return;
    cli_print_label(stdout, "growth");
    printf("tenfold every %.3g s, ", 2.302585093 / e->growth);
    if (e->growth_frequency > 0.0) printf("swinging at %.3g Hz, ", e->growth_frequency);
    printf("most in %s\n", grower_of(f));
}

static void print_report(const void* self)
{
    const findings* f = self;
    const sar_equilibrium* e = &f->found;
    cli_inspection_print_verdict(&f->base, verdict_of(f), e->verdict == SAR_EQUILIBRIUM_STABLE);
    cli_print_label(stdout, "equilibrium");
    printf("%d iteration%s, %d degree%s of freedom; moved by %.3g m, %.2g N not balanced\n",
           e->iterations, cli_plural(e->iterations), e->freedoms, cli_plural(e->freedoms), e->moved,
           e->residual);
    if (isfinite(e->frequency) && e->frequency > 0.0) {
        cli_print_label(stdout, "vibrations");
        printf("from %.4g Hz on, without damping\n", e->frequency);
    }
    if (e->verdict == SAR_EQUILIBRIUM_SINGULAR) {
        cli_print_label(stdout, "singular");
        puts("several motions meet here: 'sarrus modes --at equilibrium' says how stable each of "
             "them is, from a start at rest");
    }
    print_motions("unstable", e->unstable, e->unstable_bodies);
    print_growth(f);
    if (e->marginal > 0) {
        cli_print_label(stdout, "marginal");
        printf("%d vibration%s neither die%s out nor grow%s: a little damping decides\n",
               e->marginal, cli_plural(e->marginal), e->marginal == 1 ? "s" : "",
               e->marginal == 1 ? "s" : "");
    }
    print_motions("neutral", e->undetermined, e->undetermined_bodies);
    cli_inspection_print_outputs(&f->base, f->base.outputs);
    cli_inspection_print_warnings(&f->base);
}

static int equilibrium_main(int argc, char** argv)
{
    static const cli_inspector how = {
        .examine = examine, .print_report = print_report, .print_json = print_json};
    findings f = {.base.command = &cli_command_equilibrium};
    return cli_inspect(&how, &f.base, argc, argv);
}

static const cli_option equilibrium_options[] = {{0}};

static const cli_brief equilibrium_brief[] = {
    {"coordinates", "natural, cartesian, increments, relative"}, {0}};

const cli_command cli_command_equilibrium = {
    .name = "equilibrium",
    .summary = "where a model rests under weight and springs, and whether it stays there",
    .operands = "MODEL [options]",
    .examples = "# how does the suspension stand, and with which forces?\n"
                "sarrus equilibrium suspension.yaml\n"
                "# all outputs and reactions as JSON\n"
                "sarrus equilibrium suspension.yaml --set load=300 --json\n"
                "# start a run there\n"
                "sarrus run suspension.yaml --equilibrium",
    .gist = "Moves the model from its start to a position at rest in which all forces "
            "balance, and says whether it is stable. Exit codes: 0 stable, marginal, singular or "
            "undetermined, 1 not found, 6 unstable. 'sarrus help' lists the models that come with "
            "Sarrus.",
    .brief = equilibrium_brief,
    .text =
        "Assembles the model and moves it from there to a position in which applied forces at "
        "rest and reactions are balanced. The search goes downhill: it ends in an unstable "
        "position only if it starts in one. Drives keep their values at the start; tyres with "
        "slip carry their load without slipping.\n"
        "\n"
        "Verdicts: stable; undetermined: some motions meet neither force nor stiffness, such as a "
        "wheel that may turn, and stay as drawn; unstable: some motions lead away, with the rate "
        "of their growth; marginal: forces without a potential act, and some motion neither dies "
        "out nor grows, so that a little damping decides; singular: several motions meet there, "
        "and each has modes of its own, see sarrus modes; not found: nothing holds some body, or "
        "the start is too far from any. Bodies that take part are named.\n"
        "\n"
        "Exit codes: 0 stable, marginal, singular or undetermined, 1 not found, 2 wrong usage, 3 "
        "invalid model, 4 cannot be assembled, 6 unstable.",
    .options = equilibrium_options,
    .takes = CLI_TAKES_METHOD | CLI_TAKES_SET | CLI_TAKES_JSON,
    .run = equilibrium_main};
