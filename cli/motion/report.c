#include "motion/motion.h"

#include "common/summary.h"

#include <stdio.h>

static void json_drives(const cli_motion* j, cli_json* json)
{
    cli_json_open(json, "drives", '[');
    for (int k = 0; k < j->efforts_count; k++) {
        const cli_effort* e = &j->efforts[k];
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", sar_model_joint_name(j->file.model, e->joint));
        cli_json_text(json, "kind", e->is_torque ? "torque" : "force");
        cli_json_number(json, "largest", e->largest);
        cli_json_number(json, "at", e->at);
        cli_json_number(json, "power_least", e->least);
        cli_json_number(json, "power_most", e->most);
        cli_json_number(json, "work", e->work);
        cli_json_close(json);
    }
    cli_json_close(json);
}

static void json_numbers(const cli_motion* j, cli_json* json)
{
    cli_json_open(json, "time", '{');
    cli_json_number(json, "start", j->options.start);
    cli_json_number(json, "end", j->reached);
    cli_json_number(json, "asked", j->options.end);
    cli_json_integer(json, "iterations", sar_motion_iterations(j->motion));
    cli_json_number(json, "wall_s", j->seconds);
    cli_json_close(json);
    cli_json_open(json, "violation", '{');
    cli_json_number(json, "position", j->violation.position);
    cli_json_number(json, "velocity", j->violation.velocity);
    cli_json_number(json, "acceleration", j->violation.acceleration);
    cli_json_close(json);
    if (j->want.inverse) json_drives(j, json);
}

void cli_motion_json(const cli_motion* j, const char* name)
{
    cli_json json = cli_json_begin(stdout);
    char schema[64];
    snprintf(schema, sizeof schema, "sarrus.%s/1", j->want.command->name);
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", schema);
    cli_json_text(&json, "status", j->status);
    cli_json_text(&json, "model", j->file.model ? sar_model_name(j->file.model) : name);
    cli_json_text(&json, "coordinates", j->options.coordinates);
    if (j->assembled) cli_json_assembly(&json, &j->assembly);
    if (j->assembled && j->assembly.verdict == SAR_ASSEMBLED) {
        const sar_determinacy* d = &j->determinacy;
        cli_json_rank(&json, d->rank);
        cli_json_integer(&json, "undriven", d->undriven);
        cli_json_boolean(&json, "singular", d->singular);
        cli_words joints = {0}, bodies = {0};
        cli_words_split(&joints, d->joints, ", ");
        cli_words_split(&bodies, d->bodies, ", ");
        cli_json_words(&json, "free_joints", &joints);
        cli_json_words(&json, "free_bodies", &bodies);
        cli_words_clear(&joints);
        cli_words_clear(&bodies);
    }
    if (j->rows > 0) json_numbers(j, &json);
    cli_json_words(&json, "warnings", &j->warnings);
    if (j->failure) cli_json_text(&json, "failure", j->failure);
    cli_json_text(&json, "output", j->rows > 0 ? j->want.output : NULL);
    cli_json_integer(&json, "rows", j->incomplete ? j->to.filed : j->rows);
    cli_json_close(&json);
}

static void print_drives(const cli_motion* j, FILE* out)
{
    for (int k = 0; k < j->efforts_count; k++) {
        const cli_effort* e = &j->efforts[k];
        cli_print_label(out, k ? "" : "drives");
        fprintf(out, "%-16s %s %.6g %s at t = %.6g s; power %.4g to %.4g W, work %.6g J\n",
                sar_model_joint_name(j->file.model, e->joint),
                e->is_torque ? "largest torque" : "largest force", e->largest,
                e->is_torque ? "N m" : "N", e->at, e->least, e->most, e->work);
    }
    if (j->want.inverse && j->efforts_count == 0) {
        cli_print_label(out, "drives");
        fputs("none: nothing moves\n", out);
    }
}

void cli_motion_print(const cli_motion* j, int outcome)
{
    FILE* out = j->to.stream ? stderr : stdout;
    const sar_options* o = &j->options;
    fprintf(out, "%s%s%s: %s%s%s", cli_paint(out, CLI_BOLD), sar_model_name(j->file.model),
            cli_paint(out, CLI_PLAIN), cli_paint(out, outcome == CLI_DONE ? CLI_GREEN : CLI_RED),
            j->status, cli_paint(out, CLI_PLAIN));
    if (outcome == CLI_DONE)
        fprintf(out, ", t = %g to %g s\n", o->start, j->reached);
    else
        fprintf(out, "; last good time %.9g s of %g s\n", j->reached, o->end);
    cli_print_label(out, "coordinates");
    fprintf(out, "%s\n", o->coordinates);
    cli_print_rank(out, j->determinacy.rank);
    cli_print_label(out, "positions");
    fprintf(out, "%ld, %.2f iterations each, in ", j->rows,
            (double)sar_motion_iterations(j->motion) / (double)j->rows);
    cli_print_seconds(out, j->seconds);
    fputc('\n', out);
    cli_print_label(out, "violations");
    fprintf(out, "position %.1e, velocity %.1e, acceleration %.1e at most\n", j->violation.position,
            j->violation.velocity, j->violation.acceleration);
    print_drives(j, out);
    for (int k = 0; k < j->warnings.count; k++) {
        cli_print_label(out, "warning");
        cli_wrap(out, j->warnings.items[k], 14, 14, 100);
    }
    cli_print_label(out, "file");
    if (j->incomplete && j->to.filed >= 0)
        fprintf(out, "%s (incomplete: %ld rows)\n", j->want.output, j->to.filed);
    else if (j->incomplete)
        fprintf(out, "%s (incomplete)\n", j->want.output);
    else if (j->want.output)
        fprintf(out, "%s (%ld rows, %d columns)\n", j->want.output, j->rows, 1 + j->columns.count);
    else
        fputs("none; add -o result.h5 or -o result.csv to keep the rows\n", out);
}

void cli_motion_say_failure(const cli_motion* j, int outcome)
{
    const char *command = j->want.command->name, *name = sar_model_name(j->file.model);
    if (outcome == CLI_FAILED && j->failure) cli_error(command, "%s: %s", name, j->failure);
    if (outcome == CLI_INTERRUPTED)
        cli_warning(command, "%s: interrupted at t = %.9g s", name, j->reached);
}
