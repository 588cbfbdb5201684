/* What is to be said about a motion that was computed, and whether it can be trusted. */
#include "run/job.h"

#include "common/command.h"
#include "common/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// By how much bodies are not where the model draws them.
static void warn_of_moves(cli_job* j)
{
    const sar_assembly* a = &j->assembly;
    const double degrees = a->turned * 180.0 / 3.14159265358979323846;
    const int in_mm = a->moved < 1.0;
    if (a->moved_body == 0) { // turned on the spot
        cli_words_add(&j->report.warnings,
                      "bodies were rotated to close the joints, by %.2g deg at most; the model's "
                      "angles do not meet them or the start conditions",
                      degrees);
        return;
    }
    char* rotation = degrees >= 0.005 ? cli_format(", %.2g deg", degrees) : cli_format("%s", "");
    cli_words_add(&j->report.warnings,
                  "bodies were moved to close the joints: %s by %.3g %s%s; the model's positions "
                  "do not meet them or the start conditions",
                  sar_model_body_name(j->file.model, a->moved_body),
                  in_mm ? 1e3 * a->moved : a->moved, in_mm ? "mm" : "m", rotation);
    free(rotation);
}

/// What the assembly did to the drawing, if it can be seen.
static void warn_of_start(cli_job* j)
{
    const sar_assembly* a = &j->assembly;
    const double seen = 1e-3;
    if (a->verdict != SAR_ASSEMBLED) return;
    if (a->singular && a->branches == 0)
        cli_words_add(
            &j->report.warnings,
            "no motion leads out of the start (to second order): the joints hold what they "
            "seem to leave free there; if that is not meant, draw it with more digits, or "
            "allow for them by --drawing");
    if (a->singular)
        cli_words_add(
            &j->report.warnings,
            "the start is a singular configuration: joint reactions there are not unique, and "
            "those at t = %g are one choice of many",
            j->report.options.start);
    if (a->gap > 0.0)
        cli_words_add(
            &j->report.warnings,
            "joints contradict each other, at %s by %.2g m at the start and by up to %.2g "
            "m in the motion: within the precision of the drawing (--drawing), and "
            "closed as far as possible",
            a->conflicts ? a->conflict[0].name : "several joints", a->gap,
            fmax(a->gap, sar_simulation_statistics(j->simulation).gap));
    if (a->moved > seen * a->size || a->turned > seen) warn_of_moves(j);
}

/// Singular configurations that the drawing has not quite.
static void warn_of_crossings(cli_job* j)
{
    const sar_statistics z = sar_simulation_statistics(j->simulation);
    const double seen = 1e-8 * j->assembly.size, matters = 1e-7 * j->assembly.size;
    if (z.crossing_gap > seen)
        cli_words_add(
            &j->report.warnings,
            "the drawing misses a singular configuration by %.2g m (known to %.0e m; %s): within "
            "its precision (--drawing), and corrected, so that the motion goes through%s",
            z.crossing_gap, z.crossing_error, z.crossing_joints,
            z.crossing_gap > matters ? ". The motion depends on that: with --drawing 0 it "
                                       "is the one of the numbers as they are"
                                     : "");
    if (z.crossing_missed > 0.0)
        cli_words_add(
            &j->report.warnings,
            "the drawing misses a singular configuration by %.2g m%s%s, more than its precision "
            "(--drawing): it is taken as drawn, and the motion there depends on that gap",
            z.crossing_missed, z.crossing_gap > 0.0 ? "" : " at ",
            z.crossing_gap > 0.0 ? "" : z.crossing_joints);
}

/// Where the motion depends on what was corrected, a second run has to come to the end too.
static void doubt_unchecked_crossings(cli_job* j)
{
    const double matters = 1e-7 * j->assembly.size;
    cli_report* r = &j->report;
    const sar_statistics* z = &r->statistics;
    if (!j->reference || !cli_reference_run_failed(j->reference)) return;
    if (!(fmax(z->crossing_gap, z->crossing_missed) > matters)) return;
    cli_words_add(&r->warnings,
                  "the motion depends on a singular configuration that the drawing misses, "
                  "and no second run comes to the end: do not trust it");
    r->doubtful = 1;
}

/// "moves "a" by 4.9 m and rotates "b" by 90 deg", as far as it is to be seen.
static char* displacement(const sar_model* model, const sar_switch* w)
{
    const double degrees = 180.0 / 3.14159265358979324 * w->turned;
    const char *moved = sar_model_body_name(model, w->moved_body),
               *turned = sar_model_body_name(model, w->turned_body);
    if (degrees < 1e-6) return cli_format("moves \"%s\" by %.3g m", moved, w->moved);
    if (w->moved_body == 0) return cli_format("rotates \"%s\" by %.3g deg", turned, degrees);
    return cli_format("moves \"%s\" by %.3g m and rotates \"%s\" by %.3g deg", moved, w->moved,
                      turned, degrees);
}

/// Bodies that a phase put elsewhere, with nothing in the model that would do so.
static void warn_of_displacements(cli_report* r)
{
    long more = 0;
    const sar_switch* first = NULL;
    for (int k = 0; k < r->switch_count; k++) {
        if (!r->switches[k].displaced) continue;
        if (first) more++;
        if (!first) first = &r->switches[k];
    }
    if (!first) return;
    r->doubtful = 1;
    char* others = more ? cli_format("; %ld more phase%s so too", more, more > 1 ? "s do" : " does")
                        : cli_format("%s", "");
    char* what = displacement(r->phased, first);
    cli_words_add(
        &r->warnings,
        "phase %d at t = %.6g s %s at once, to close the joints that it adds%s: add them "
        "where their ends meet, let them attach (attach: here), or allow it (move: yes in "
        "the phase)",
        first->phase + 1, first->t, what, others);
    free(others);
    free(what);
}

/// Forces outside of their range of validity.
static void warn_of_validity(cli_report* r)
{
    enum { MOST = 5 };
    for (int k = 0; k < r->note_count && k < MOST; k++)
        cli_words_add(&r->warnings, "\"%s\" %s (at t = %.6g s)", r->note[k].element,
                      r->note[k].text, r->note[k].t);
    if (r->note_count > MOST)
        cli_words_add(&r->warnings, "%d more forces leave their range of validity",
                      r->note_count - MOST);
}

/// Forces that jumped inside steps.
static void warn_of_jumps(cli_job* j)
{
    sar_jump jump;
    if (!sar_simulation_jumps(j->simulation, &jump)) return;
    char* times =
        jump.count > 1 ? cli_format(", %ld jumps in all", jump.count) : cli_format("%s", "");
    cli_words_add(&j->report.warnings,
                  "\"%s\" jumps at t = %.6g s%s: steps across a jump lose their order; %s",
                  jump.force, jump.t, times,
                  jump.of_time ? "list its times under breakpoints"
                               : "smooth it over a small range (tanh, ramp), or use small steps");
    free(times);
}

static void warn_of_contacts(cli_job* j)
{
    sar_jump passed;
    if (!sar_simulation_passed(j->simulation, &passed)) return;
    j->report.doubtful = 1;
    cli_words_add(
        &j->report.warnings,
        "\"%s\" touches and comes apart again within a step, before t = %.6g s (%ld time%s in "
        "all), so that it never acts: do not trust this motion; use a smaller step, or the "
        "automatic method",
        passed.force, passed.t, passed.count, cli_plural(passed.count));
}

static void warn_of_drives(cli_job* j)
{
    sar_drive_jump jump;
    if (!sar_simulation_drive_jumps(j->simulation, &jump)) return;
    char* times =
        jump.count > 1 ? cli_format(", %ld times in all", jump.count) : cli_format("%s", "");
    cli_words_add(
        &j->report.warnings,
        "the velocity of the drive \"%s\" jumps at t = %.6g s from %.4g to %.4g%s: an impact "
        "with infinite forces; make it smooth, with step(...) or a cubic table, if that is not "
        "meant",
        jump.drive, jump.t, jump.before, jump.after, times);
    free(times);
}

/// Constraints that were not held, in a run that went on.
static void warn_of_violations(cli_report* r)
{
    const sar_statistics* z = &r->statistics;
    if (z->violated > 0)
        cli_words_add(&r->warnings,
                      "%ld steps violate constraints, by up to %.2g: do not trust this motion; try "
                      "a smaller step, or al3",
                      z->violated, z->violation.position);
}

/// Steps that did not converge.
static void warn_of_kept_steps(cli_report* r)
{
    const sar_statistics* z = &r->statistics;
    const char* why = r->options.best_effort ? "--best-effort"
                      : z->singular_passes   ? "near a singular configuration"
                                             : "they miss less than the error of a step";
    if (z->not_converged == 0) return;
    if (z->kept_change > 0.05)
        cli_words_add(
            &r->warnings,
            "%ld steps did not converge and were kept (%s); one of them changed the energy by %.0f "
            "%% of the kinetic energy: do not trust the motion from there on; try a smaller step%s",
            z->not_converged, why, 100.0 * z->kept_change,
            strcmp(r->options.formulation, "al3") == 0 ? "" : ", or al3");
    else
        cli_words_add(&r->warnings, "%ld steps did not converge and were kept (%s)",
                      z->not_converged, why);
}

/// Bodies that spin too fast for the step.
static void warn_of_turns(cli_report* r)
{
    if (r->statistics.turn > 0.3)
        cli_words_add(
            &r->warnings,
            "a body rotated by %.2g rad in one step: in %s coordinates its spin then has an error "
            "of about %.2g %%; try --coordinates increments or relative, or a smaller step",
            r->statistics.turn, r->options.coordinates,
            100.0 / 6.0 * r->statistics.turn * r->statistics.turn);
}

/// A penalty that cannot carry reactions along the bodies of a long chain.
static void warn_of_penalty(cli_report* r)
{
    if (r->statistics.filter < 2.0 && (r->options.iterations_fixed || !r->options.rescue))
        cli_words_add(&r->warnings,
                      "alpha is too small for this many bodies in a row: its filter number is "
                      "%.2g, and below 2 the reactions do not converge in the iterations of a "
                      "step; use alpha auto, or at least %.2g",
                      r->statistics.filter, 2.0 * r->statistics.alpha / r->statistics.filter);
}

/// Singular configurations that were left the wrong way.
static void warn_of_branches(cli_report* r)
{
    if (r->branch_count > 0)
        cli_words_add(&r->warnings,
                      "the motion left its branch at a singular configuration %ld time%s; try a "
                      "smaller step, or --alpha inf",
                      r->statistics.branch_changes, cli_plural(r->statistics.branch_changes));
}

/// Outputs without a finite value that the certificate knows of, but for the one named already.
static void warn_of_other_undefined(cli_job* j, int named)
{
    enum { MOST = 5 };
    const cli_reference_run* c = j->report.reference;
    int found = 0;
    for (int k = 0; c && k < sar_model_outputs(j->file.model); k++) {
        const double t = cli_reference_run_undefined(c, k);
        if (isnan(t) || k == named || found++ >= MOST) continue;
        cli_words_add(&j->report.warnings, "output \"%s\" has no finite value at t = %.9g s",
                      sar_model_output_name(j->file.model, k), t);
    }
    if (found > MOST)
        cli_words_add(&j->report.warnings, "%d more outputs have no finite value at some times",
                      found - MOST);
}

/// Outputs without a finite value, with the first time of each.
static void warn_of_undefined(cli_job* j)
{
    cli_report* r = &j->report;
    const cli_record* record = &j->record;
    const char* why = j->failure ? "" : sar_simulation_failure(j->simulation);
    if (record->undefined > 0)
        cli_words_add(&r->warnings,
                      "output \"%s\" has no finite value at t = %.9g s; there are %ld such row%s",
                      sar_model_output_name(j->file.model, record->undefined_output),
                      record->undefined_at, record->undefined, cli_plural(record->undefined));
    if (record->doubtful > 0)
        cli_words_add(&r->warnings, "%ld row%s with quantities without a finite value%s%s",
                      record->doubtful, cli_plural(record->doubtful), *why ? ": " : "", why);
    warn_of_other_undefined(j, record->undefined > 0 ? record->undefined_output : -1);
    r->doubtful |= record->undefined > 0;
}

/// The balance of energies, and whatever else makes a motion doubtful.
static void judge_energy(cli_report* r, int outcome)
{
    double scale = r->statistics.energy_scale;
    const int off = r->statistics.energy_max_drift > SAR_DRIFT_LIMIT * scale;
    const int jumped = r->statistics.kept_change > 0.05;
    r->doubtful = off || jumped || r->branch_count > 0 || r->statistics.violated > 0;
    if (outcome != CLI_FAILED && off) // else: its cause
        cli_words_add(
            &r->warnings,
            "the energy balance is off by %.2g J, %.0f %% of the energy in this motion: do not "
            "trust it; try a smaller %s",
            r->statistics.energy_max_drift, 100.0 * r->statistics.energy_max_drift / scale,
            cli_method_chooses_step(&r->options) ? "--tolerance" : "step");
}

/// A start that was not assembled: beside the constraints, the first step moves the bodies onto them.
static void warn_of_given_start(cli_job* j)
{
    const double LEAST = 1e-9;
    cli_report* r = &j->report;
    if (j->assembly.verdict != SAR_ASSEMBLY_AS_GIVEN) return;
    const double precision = fmax(r->options.drawing, LEAST) * j->assembly.size;
    const int beside = j->assembly.residual > precision;
    cli_words_add(&r->warnings,
                  "started as given (--assemble=0): the constraints are violated by %.3g there%s",
                  j->assembly.residual,
                  beside
                      ? ". So the bodies are on no branch of the motion; the first steps move them "
                        "onto one with an impact, which decides what goes on: do not trust it"
                      : "");
    r->doubtful |= beside;
}

void cli_job_warn(cli_job* j, int outcome)
{
    cli_report* r = &j->report;
    warn_of_start(j);
    judge_energy(r, outcome);
    warn_of_given_start(j);
    warn_of_crossings(j);
    warn_of_displacements(r);
    warn_of_validity(r);
    warn_of_jumps(j);
    warn_of_drives(j);
    warn_of_contacts(j);
    warn_of_turns(r);
    warn_of_penalty(r);
    warn_of_branches(r);
    warn_of_violations(r);
    warn_of_kept_steps(r);
    warn_of_undefined(j);
    if (r->realtime) cli_realtime_warn(r->realtime, &r->warnings);
    r->doubtful |= r->accuracy.wanted > 0.0 && !r->accuracy.reached;
    if (r->reference) r->doubtful |= cli_reference_run_doubts(r->reference);
    if (outcome != CLI_FAILED) doubt_unchecked_crossings(j);
}
