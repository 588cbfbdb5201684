#include "run/report.h"
#include "run/impacts.h"
#include "run/ledger.h"

#include "common/measures.h"
#include "common/method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EVENTS = 12, LABEL = CLI_LABEL };

/* ---- JSON ----------------------------------------------------------------------------------- */

static void json_fixed(cli_json* j, const char* key, int iterations)
{
    char text[32];
    snprintf(text, sizeof text, "fixed:%d", iterations);
    cli_json_text(j, key, text);
}

/// Every parameter that the method has, with the value it ran with.
static void json_method(const cli_report* r, cli_json* j)
{
    const sar_options* o = &r->options;
    cli_json_open(j, "method", '{');
    if (r->preset) cli_json_text(j, "preset", r->preset);
    if (*r->reason) cli_json_text(j, "reason", r->reason);
    cli_json_text(j, "coordinates", o->coordinates);
    cli_json_text(j, "formulation", o->formulation);
    cli_json_text(j, "integrator", o->integrator);
    int chosen = r->has_run && *r->statistics.solver;
    cli_json_text(j, "solver", chosen ? r->statistics.solver : o->solver);
    for (int k = 0; k < cli_parameters(); k++) {
        cli_parameter p = cli_parameter_at(k);
        if (!cli_parameter_applies(k, o)) continue;
        double value = cli_parameter_value(k, o);
        if (r->has_run && strcmp(p.field, "alpha") == 0) value = r->statistics.alpha;
        if (r->has_run && strcmp(p.field, "rho") == 0) value = r->statistics.alpha;
        if (r->has_run && strcmp(p.field, "threads") == 0) value = r->statistics.threads;
        if (strcmp(p.field, "iterations") == 0 && o->iterations_fixed)
            json_fixed(j, p.field, o->iterations);
        else
            cli_json_number(j, p.field, value);
    }
    cli_json_close(j);
}

static void json_time(const cli_report* r, cli_json* j)
{
    const sar_statistics* s = &r->statistics;
    cli_json_open(j, "time", '{');
    cli_json_number(j, "start", r->options.start);
    cli_json_number(j, "end", r->reached);
    cli_json_number(j, "asked", r->options.end);
    cli_json_integer(j, "steps", s->steps);
    cli_json_integer(j, "rejected", s->rejected);
    cli_json_integer(j, "iterations", s->iterations);
    cli_json_integer(j, "not_converged", s->not_converged);
    if (s->implicit_steps > 0) {
        cli_json_open(j, "implicit", '{');
        cli_json_integer(j, "steps", s->implicit_steps);
        cli_json_integer(j, "spans", s->implicit_spans);
        cli_json_number(j, "from", s->implicit_from);
        cli_json_number(j, "until", s->implicit_until);
        cli_json_close(j);
    }
    cli_json_number(j, "shortest_step", s->step_shortest);
    cli_json_number(j, "wall_s", 1e-9 * (double)r->timing.sum);
    cli_json_number(j, "total_s", r->total);
    if (r->options.profile) {
        cli_json_number(j, "corrections_s", s->correction_time);
        cli_json_number(j, "projections_s", s->projection_time);
    }
    cli_json_open(j, "per_step_us", '{');
    cli_json_number(j, "mean", 1e6 * cli_timing_mean(&r->timing));
    cli_json_number(j, "p999", 1e6 * cli_timing_percentile(&r->timing, 0.999));
    cli_json_number(j, "max", 1e6 * cli_timing_most(&r->timing));
    cli_json_close(j);
    cli_json_close(j);
}

static void json_events(cli_json* j, const char* key, const sar_event* events, int count,
                        const cli_words* nodes)
{
    cli_json_open(j, key, '[');
    for (int k = 0; k < count; k++) {
        cli_words joints = {0};
        cli_words_split(&joints, events[k].joints, ", ");
        cli_json_open(j, NULL, '{');
        cli_json_number(j, "t", events[k].t);
        cli_json_integer(j, "rank", events[k].rank);
        cli_json_words(j, "joints", &joints);
        if (nodes && k < nodes->count && *nodes->items[k])
            cli_json_text(j, "node", nodes->items[k]);
        cli_json_close(j);
        cli_words_clear(&joints);
    }
    cli_json_close(j);
}

static void json_notes(const cli_report* r, cli_json* j)
{
    cli_json_open(j, "outside_range", '[');
    for (int k = 0; k < r->note_count && k < CLI_NOTES; k++) {
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "element", r->note[k].element);
        cli_json_number(j, "t", r->note[k].t);
        cli_json_text(j, "text", r->note[k].text);
        cli_json_close(j);
    }
    cli_json_close(j);
}

static void json_switch(const cli_report* r, const sar_switch* w, cli_json* j);

static void json_numbers(const cli_report* r, cli_json* j)
{
    const sar_statistics* s = &r->statistics;
    json_time(r, j);
    const sar_trial run = {.statistics = *s, .reached = r->reached};
    double values[SAR_MEASURES];
    cli_measures_of(&run, values);
    cli_json_measures(j, values, 0, 1);
    cli_json_rank(j, r->rank);
    json_events(j, "singular_passes", r->passes, r->pass_count, &r->pass_nodes);
    json_events(j, "branch_changes", r->branches, r->branch_count, NULL);
    cli_json_integer(j, "singular_pass_count", s->singular_passes);
    cli_json_integer(j, "branch_change_count", s->branch_changes);
    cli_json_number(j, "gap", s->gap);
    cli_json_number(j, "crossing_gap", s->crossing_gap);
    if (r->note_count > 0) json_notes(r, j);
    cli_json_number(j, "crossing_error", s->crossing_error);
    cli_json_number(j, "crossing_missed", s->crossing_missed);
    if (r->model_of_impacts) cli_impacts_json(r, j);
    if (r->account_count) cli_ledger_json(r, j);
    if (r->not_unique.count) {
        cli_json_open(j, "not_unique", '{');
        cli_json_words(j, "joints", &r->not_unique);
        cli_json_words(j, "outputs", &r->not_unique_outputs);
        cli_json_text(j, "split", r->split);
        cli_json_close(j);
    }
    if (!r->phased) return;
    cli_json_open(j, "phases", '[');
    for (int k = 0; k < r->switch_count; k++) json_switch(r, &r->switches[k], j);
    cli_json_close(j);
}

static void json_switch(const cli_report* r, const sar_switch* w, cli_json* j)
{
    cli_json_open(j, NULL, '{');
    cli_json_phase(j, r->phased, w->phase);
    cli_json_number(j, "t", w->t);
    cli_json_number(j, "moved", w->moved);
    cli_json_number(j, "turned", w->turned);
    if (w->moved_body > 0)
        cli_json_text(j, "moved_body", sar_model_body_name(r->phased, w->moved_body));
    if (w->turned_body > 0)
        cli_json_text(j, "turned_body", sar_model_body_name(r->phased, w->turned_body));
    cli_json_boolean(j, "displaced", w->displaced);
    cli_json_number(j, "kinetic_before", w->kinetic_before);
    cli_json_number(j, "kinetic_after", w->kinetic_after);
    cli_json_number(j, "lost", w->kinetic_before - w->kinetic_after);
    cli_json_number(j, "potential_change", w->potential_change);
    cli_json_numbers(j, "momentum_before", w->momentum_before, 3);
    cli_json_numbers(j, "momentum_after", w->momentum_after, 3);
    cli_json_numbers(j, "angular_momentum_before", w->angular_before, 3);
    cli_json_numbers(j, "angular_momentum_after", w->angular_after, 3);
    cli_json_numbers(j, "impulse_of_ground", w->impulse, 3);
    cli_json_numbers(j, "angular_impulse_of_ground", w->angular_impulse, 3);
    cli_json_open(j, "impulses", '{');
    for (int k = 0; k < w->impulses; k++) {
        const sar_impulse* one = &w->joint_impulse[k];
        cli_json_open(j, sar_model_joint_name(r->phased, one->joint), '{');
        cli_json_numbers(j, "force", one->force, 3);
        cli_json_numbers(j, "torque", one->torque, 3);
        cli_json_close(j);
    }
    cli_json_close(j);
    cli_json_rank(j, w->rank);
    cli_json_close(j);
}

void cli_report_json(const cli_report* r, FILE* out)
{
    cli_json j = cli_json_begin(out);
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "schema", "sarrus.run/1");
    cli_json_text(&j, "status", r->status);
    cli_json_text(&j, "model", r->model);
    cli_json_text(&j, "version", SAR_VERSION);
    json_method(r, &j);
    if (r->assembly) cli_json_assembly(&j, r->assembly);
    if (r->has_run) json_numbers(r, &j);
    if (r->has_run && r->realtime)
        cli_realtime_json(r->realtime, &r->options, r->statistics.correction, &j);
    if (r->has_run && r->reference) cli_reference_run_json(r->reference, r->doubtful, &j);
    if (r->has_run && r->uncertified) cli_json_text(&j, "uncertified", r->uncertified);
    if (r->has_run && r->accuracy.wanted > 0.0) cli_accuracy_json(&r->accuracy, &j);
    cli_json_words(&j, "warnings", &r->warnings);
    if (r->has_run)
        cli_json_boolean(&j, "trusted", !r->doubtful && strcmp(r->status, "completed") == 0);
    if (r->failure) cli_json_text(&j, "failure", r->failure);
    cli_json_text(&j, "output", r->output);
    cli_json_integer(&j, "rows", r->rows);
    if (r->plot) cli_json_text(&j, "plot", r->plot);
    cli_json_close(&j);
}

/* ---- for people ----------------------------------------------------------------------------- */

static void print_method(const cli_report* r, FILE* out)
{
    const sar_options* o = &r->options;
    const char* solver = *r->statistics.solver ? r->statistics.solver : o->solver;
    cli_print_label(out, "method");
    if (r->preset) fprintf(out, "%s: ", r->preset);
    fprintf(out, "%s, %s, %s, %s; ", o->coordinates, o->formulation, o->integrator, solver);
    if (cli_method_chooses_step(o))
        fprintf(out, "tolerance %g", o->tolerance);
    else
        fprintf(out, "step %g s", o->step);
    if (isinf(r->statistics.alpha))
        fputs(", no penalty factor", out);
    else if (r->statistics.alpha > 0)
        fprintf(out, ", alpha %.4g", r->statistics.alpha);
    if (r->statistics.threads > 1) fprintf(out, "; %d threads", r->statistics.threads);
    fputc('\n', out);
    if (!*r->reason) return;
    cli_print_label(out, "");
    cli_wrap(out, r->reason, LABEL + 2, LABEL + 2, 100);
}

/* When steps were implicit, where the integrator decides. One or two at a time were tried in vain. */
static void print_implicit(const sar_statistics* s, FILE* out)
{
    if (s->implicit_steps == 0 || s->implicit_steps < 3 * s->implicit_spans) return;
    cli_print_label(out, "stiff");
    fprintf(out, "%ld implicit steps, t = %.6g to %.6g s", s->implicit_steps, s->implicit_from,
            s->implicit_until);
    if (s->implicit_spans > 1) fprintf(out, ", in %ld spans", s->implicit_spans);
    fputc('\n', out);
}

static void print_times(const cli_report* r, FILE* out)
{
    const sar_statistics* s = &r->statistics;
    double wall = 1e-9 * (double)r->timing.sum;
    cli_print_label(out, "steps");
    fprintf(out, "%ld", s->steps);
    if (s->steps > 0)
        fprintf(out, ", %.2f iterations each", (double)s->iterations / (double)s->steps);
    if (s->rejected > 0) fprintf(out, ", %ld rejected", s->rejected);
    if (s->not_converged > 0) fprintf(out, ", %ld not converged", s->not_converged);
    fputc('\n', out);
    print_implicit(s, out);
    if (r->realtime) cli_realtime_print(r->realtime, &r->options, s->correction, out);
    if (s->steps == 0 || r->realtime) return;
    cli_print_label(out, "wall time");
    cli_print_seconds(out, wall);
    if (wall > 0)
        fprintf(out, ", %.3g times real time", fabs(r->reached - r->options.start) / wall);
    fputs("; per step ", out);
    cli_print_seconds(out, cli_timing_mean(&r->timing));
    fputs(" mean, ", out);
    cli_print_seconds(out, cli_timing_percentile(&r->timing, 0.999));
    fputs(" (99.9 %), ", out);
    cli_print_seconds(out, cli_timing_most(&r->timing));
    fputs(" worst\n", out);
    if (!r->options.profile) return;
    cli_print_label(out, "profile");
    fprintf(out, "corrections %.0f %%, projections %.0f %% of the time; ",
            100.0 * s->correction_time / wall, 100.0 * s->projection_time / wall);
    cli_print_seconds(out, (s->correction_time) / (double)s->iterations);
    fputs(" a correction\n", out);
}

/// `total`: how many there were; `count` of them are known.
static void print_events(FILE* out, const char* label, const char* what, const sar_event* events,
                         int count, long total, const cli_words* nodes)
{
    cli_print_label(out, label);
    if (count == 0) {
        fputs("none\n", out);
        return;
    }
    fprintf(out, "%ld %s%s\n", total, what, cli_plural(total));
    fprintf(out, "%*s%-14s %5s  %s\n", LABEL + 4, "", "t [s]", "rank", "joints");
    for (int k = 0; k < count && k < MOST_EVENTS; k++)
        fprintf(out, "%*s%-14.8g %5d  %s%s%s\n", LABEL + 4, "", events[k].t, events[k].rank,
                nodes && k < nodes->count ? nodes->items[k] : "",
                nodes && k < nodes->count && *nodes->items[k] ? ": " : "", events[k].joints);
    if (total > count)
        fprintf(out, "%*sand %ld more; --json lists the first %d\n", LABEL + 4, "",
                total - MOST_EVENTS, count);
    else if (count > MOST_EVENTS)
        fprintf(out, "%*sand %d more; --json lists all of them\n", LABEL + 4, "",
                count - MOST_EVENTS);
}

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void print_impulses(const cli_report* r, const sar_switch* w, FILE* out)
{
    sar_phase_def def = sar_model_phase(r->phased, w->phase);
    for (int k = 0; k < def.adds; k++)
        for (int i = 0; i < w->impulses; i++) {
            const sar_impulse* one = &w->joint_impulse[i];
            if (one->joint != def.add[k].i) continue;
            fprintf(out, "%*simpulse of %s %.6g N s, %.6g N m s\n", LABEL + 6, "",
                    sar_model_joint_name(r->phased, one->joint), length(one->force),
                    length(one->torque));
        }
}

static int repeats(const sar_model* model)
{
    int repeat = 0;
    for (int k = 0; k < sar_model_phases(model); k++) repeat |= sar_model_phase(model, k).repeats;
    return repeat;
}

static void print_phases(const cli_report* r, FILE* out)
{
    const int phases = sar_model_phases(r->phased);
    cli_print_label(out, "phases");
    if (repeats(r->phased))
        fprintf(out, "%d times a phase began\n", r->switch_count);
    else
        fprintf(out, "%d of %d begun\n", r->switch_count, phases);
    for (int k = 0; k < r->switch_count && k < MOST_EVENTS; k++) {
        const sar_switch* w = &r->switches[k];
        fprintf(out, "%*st = %.10g s ", LABEL + 4, "", w->t);
        cli_print_phase(out, r->phased, w->phase);
        fprintf(out, "; %d degree%s of freedom\n", w->rank.dof, cli_plural(w->rank.dof));
        fprintf(out, "%*smoved by %.2g m, %.2g rad; lost %.6g J of %.6g J\n", LABEL + 6, "",
                w->moved, w->turned, w->kinetic_before - w->kinetic_after, w->kinetic_before);
        print_impulses(r, w, out);
    }
    if (r->switch_count > MOST_EVENTS)
        fprintf(out, "%*sand %d more; --json lists all of them\n", LABEL + 4, "",
                r->switch_count - MOST_EVENTS);
}

static void print_quality(const cli_report* r, FILE* out)
{
    const sar_statistics* s = &r->statistics;
    cli_print_label(out, "energy");
    fprintf(out, "%.6g J at the start; drift at most %.2e J, %.2e J at the end\n",
            s->energy_initial, s->energy_max_drift, s->energy_final_drift);
    cli_print_label(out, "violations");
    fprintf(out, "position %.1e, velocity %.1e, acceleration %.1e at most\n", s->violation.position,
            s->violation.velocity, s->violation.acceleration);
    if (r->options.monitor) {
        print_events(out, "singular", "passage", r->passes, r->pass_count,
                     r->statistics.singular_passes, &r->pass_nodes);
    } else {
        cli_print_label(out, "singular");
        fputs(r->realtime ? "not looked for in real time unless asked to (--monitor)\n"
                          : "not looked for (--monitor=0)\n",
              out);
    }
    if (r->branch_count > 0)
        print_events(out, "branches", "change", r->branches, r->branch_count,
                     r->statistics.branch_changes, NULL);
}

static void print_not_unique(const cli_report* r, FILE* out)
{
    char* text = cli_format("%s", "reactions of ");
    for (int part = 0; part < 2; part++) {
        const cli_words* list = part ? &r->not_unique_outputs : &r->not_unique;
        for (int k = 0; k < list->count; k++) {
            cli_append(&text, "%s%s", k ? ", " : part ? "; outputs: " : "", list->items[k]);
        }
    }
    char* all = cli_format("%s; split: %s", text, r->split);
    cli_print_label(out, "not unique");
    cli_wrap(out, all, LABEL + 2, LABEL + 2, 100);
    free(all);
    free(text);
}

static void print_files(const cli_report* r, FILE* out)
{
    cli_print_label(out, "file");
    if (r->output && r->incomplete && r->rows >= 0)
        fprintf(out, "%s (incomplete: %ld rows)\n", r->output, r->rows);
    else if (r->output && r->incomplete)
        fprintf(out, "%s (incomplete)\n", r->output);
    else if (r->output)
        fprintf(out, "%s (%ld rows)\n", r->output, r->rows);
    else
        fputs("none; add -o result.h5 or -o result.csv to keep the results\n", out);
    if (!r->plot) return;
    cli_print_label(out, "plot");
    fprintf(out, "%s\n", r->plot);
}

void cli_report_print(const cli_report* r, FILE* out)
{
    cli_style style = strcmp(r->status, "completed") == 0 ? CLI_GREEN : CLI_RED;
    fprintf(out, "%s%s%s: %s%s%s", cli_paint(out, CLI_BOLD), r->model, cli_paint(out, CLI_PLAIN),
            cli_paint(out, style), r->status, cli_paint(out, CLI_PLAIN));
    if (style == CLI_GREEN)
        fprintf(out, ", t = %g to %g s\n", r->options.start, r->reached);
    else
        fprintf(out, "; last good time %.9g s of %g s\n", r->reached, r->options.end);
    print_method(r, out);
    cli_print_rank(out, r->rank);
    print_times(r, out);
    print_quality(r, out);
    if (r->not_unique.count) print_not_unique(r, out);
    if (r->account_count) cli_ledger_print(r, out);
    if (r->phased) print_phases(r, out);
    if (r->model_of_impacts) cli_impacts_print(r, out);
    if (r->reference) cli_reference_run_print(r->reference, r->doubtful, out);
    if (r->uncertified) {
        cli_print_label(out, "error");
        fprintf(out, "%s\n", r->uncertified);
    }
    if (r->accuracy.wanted > 0.0)
        cli_accuracy_print(&r->accuracy, cli_reference_run_certificate(r->reference), out);
    for (int k = 0; k < r->warnings.count; k++) {
        cli_print_label(out, "warning");
        cli_wrap(out, r->warnings.items[k], LABEL + 2, LABEL + 2, 100);
    }
    print_files(r, out);
}
