#include "common/summary.h"

#include <stdio.h>

enum { LABEL = CLI_LABEL };

/* ---- JSON ----------------------------------------------------------------------------------- */

void cli_json_words(cli_json* j, const char* key, const cli_words* words)
{
    cli_json_open(j, key, '[');
    for (int k = 0; k < words->count; k++) cli_json_text(j, NULL, words->items[k]);
    cli_json_close(j);
}

/// null where the rank is not known.
static void json_count(cli_json* j, const char* key, int count, sar_rank rank)
{
    if (rank.rank < 0)
        cli_json_text(j, key, NULL);
    else
        cli_json_integer(j, key, count);
}

void cli_json_rank(cli_json* j, sar_rank rank)
{
    cli_json_open(j, "rank", '{');
    cli_json_integer(j, "coordinates", rank.coordinates);
    cli_json_integer(j, "constraints", rank.constraints);
    json_count(j, "rank", rank.rank, rank);
    json_count(j, "dof", rank.dof, rank);
    json_count(j, "redundant", rank.redundant, rank);
    cli_json_integer(j, "on_velocities", rank.on_velocities);
    cli_json_close(j);
}

static const char* assembly_word(const sar_assembly* assembly)
{
    switch (assembly->verdict) {
    case SAR_ASSEMBLED:
        return "assembled";
    case SAR_ASSEMBLY_IMPOSSIBLE:
        return "impossible";
    case SAR_ASSEMBLY_AS_GIVEN:
        return "as given";
    default:
        return "not converged";
    }
}

void cli_json_assembly(cli_json* j, const sar_assembly* assembly)
{
    cli_json_open(j, "assembly", '{');
    cli_json_text(j, "verdict", assembly_word(assembly));
    cli_json_text(j, "level", assembly->level == 0 ? "position" : "velocity");
    cli_json_integer(j, "iterations", assembly->iterations);
    cli_json_number(j, "moved", assembly->moved);
    cli_json_number(j, "turned", assembly->turned);
    cli_json_number(j, "residual", assembly->residual);
    cli_json_number(j, "gap", assembly->gap);
    cli_json_number(j, "size", assembly->size);
    cli_json_boolean(j, "singular", assembly->singular);
    cli_json_open(j, "conflicts", '[');
    for (int k = 0; k < assembly->conflicts && k < 8; k++) {
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "name", assembly->conflict[k].name);
        cli_json_number(j, "residual", assembly->conflict[k].residual);
        cli_json_close(j);
    }
    cli_json_close(j);
    cli_json_close(j);
}

static void json_parts(cli_json* j, const char* key, const sar_model* model,
                       const sar_joint_id* joint, int joints, const sar_force_id* force, int forces)
{
    cli_json_open(j, key, '[');
    for (int k = 0; k < joints; k++)
        cli_json_text(j, NULL, sar_model_joint_name(model, joint[k].i));
    for (int k = 0; k < forces; k++)
        cli_json_text(j, NULL, sar_model_force_name(model, force[k].i));
    cli_json_close(j);
}

void cli_json_phase(cli_json* j, const sar_model* model, int phase)
{
    sar_phase_def def = sar_model_phase(model, phase);
    cli_json_integer(j, "phase", phase + 1);
    if (def.when)
        cli_json_text(j, "when", def.when);
    else
        cli_json_number(j, "at", def.at);
    if (def.repeats) cli_json_boolean(j, "repeats", 1);
    json_parts(j, "added", model, def.add, def.adds, def.force_add, def.force_adds);
    json_parts(j, "removed", model, def.remove, def.removes, def.force_remove, def.force_removes);
}

/* ---- for people ----------------------------------------------------------------------------- */

void cli_print_label(FILE* out, const char* label)
{
    fprintf(out, "  %s%-*s%s", cli_paint(out, CLI_DIM), LABEL, label, cli_paint(out, CLI_PLAIN));
}

void cli_print_rank(FILE* out, sar_rank rank)
{
    cli_print_label(out, "equations");
    fprintf(out, "%d coordinate%s, %d constraint%s", rank.coordinates, cli_plural(rank.coordinates),
            rank.constraints, cli_plural(rank.constraints));
    if (rank.rank >= 0)
        fprintf(out, ", rank %d: %d degree%s of freedom, %d redundant", rank.rank, rank.dof,
                cli_plural(rank.dof), rank.redundant);
    if (rank.on_velocities)
        fprintf(out, "; %d hold%s velocities alone", rank.on_velocities,
                rank.on_velocities == 1 ? "s" : "");
    fputc('\n', out);
}

void cli_print_assembly(FILE* out, const sar_model* model, const sar_assembly* assembly)
{
    const double FAR = 0.05; // sizes: that may be another way to assemble it than the one drawn
    cli_print_label(out, "assembly");
    if (assembly->verdict == SAR_ASSEMBLED) {
        const int far = assembly->moved_body > 0 && assembly->moved > FAR * assembly->size;
        fprintf(out,
                "done in %d iteration%s; %s%smoved by %.3g m, %.3g rad, largest residual %.2g\n",
                assembly->iterations, cli_plural(assembly->iterations),
                far ? sar_model_body_name(model, assembly->moved_body) : "", far ? " " : "",
                assembly->moved, assembly->turned, assembly->residual);
        if (assembly->gap > 0.0)
            fprintf(out,
                    "%*sjoints contradict each other by %.2g m, within the drawing's precision:\n",
                    LABEL + 2, "", assembly->gap);
        for (int k = 0; assembly->gap > 0.0 && k < assembly->conflicts && k < 8; k++)
            fprintf(out, "%*s%-24s off by %.3g\n", LABEL + 4, "", assembly->conflict[k].name,
                    assembly->conflict[k].residual);
        return;
    }
    if (assembly->verdict == SAR_ASSEMBLY_AS_GIVEN) {
        fprintf(out, "none: starts as given; constraints violated by %.2g at most\n",
                assembly->residual);
        return;
    }
    const char* level = assembly->level == 0 ? "positions" : "velocities";
    if (assembly->verdict == SAR_ASSEMBLY_IMPOSSIBLE)
        fprintf(out, "impossible: the demands on the %s contradict each other\n", level);
    else
        fprintf(out, "no %s found in %d iterations; largest residual %.2g\n", level,
                assembly->iterations, assembly->residual);
    for (int k = 0; k < assembly->conflicts && k < 8; k++)
        fprintf(out, "%*s%-24s off by %.3g\n", LABEL + 4, "", assembly->conflict[k].name,
                assembly->conflict[k].residual);
}

void cli_print_seconds(FILE* out, double seconds)
{
    if (seconds < 1e-3)
        fprintf(out, "%.3g us", 1e6 * seconds);
    else if (seconds < 1)
        fprintf(out, "%.3g ms", 1e3 * seconds);
    else
        fprintf(out, "%.4g s", seconds);
}

static void print_parts(FILE* out, const char* what, const sar_model* model,
                        const sar_joint_id* joint, int joints, const sar_force_id* force,
                        int forces)
{
    for (int k = 0; k < joints; k++)
        fprintf(out, "%s%s", k ? ", " : what, sar_model_joint_name(model, joint[k].i));
    for (int k = 0; k < forces; k++)
        fprintf(out, "%s%s", k + joints ? ", " : what, sar_model_force_name(model, force[k].i));
}

void cli_print_phase(FILE* out, const sar_model* model, int phase)
{
    sar_phase_def def = sar_model_phase(model, phase);
    print_parts(out, "adds ", model, def.add, def.adds, def.force_add, def.force_adds);
    if (def.adds + def.force_adds && def.removes + def.force_removes) fputs(", ", out);
    print_parts(out, "removes ", model, def.remove, def.removes, def.force_remove,
                def.force_removes);
}
