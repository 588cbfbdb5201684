/* What is to be said about a motion that was computed, and whether it can be trusted. */
#include "run/job.h"

#include "common/command.h"
#include "common/options.h"

#include <stdlib.h>
#include <string.h>

/// What the assembly did to the drawing, if it can be seen.
static void warn_of_start(cli_job* j)
{
    const sar_assembly* a = &j->assembly;
    const double seen = 1e-3;
    if (a->verdict != SAR_ASSEMBLED) return;
    if (a->singular)
        cli_words_add(&j->report.warnings,
                      "the start is a singular position: joint reactions there are not unique, and "
                      "those at t = %g are one choice of many",
                      j->report.options.start);
    if (a->gap > 0.0)
        cli_words_add(&j->report.warnings,
                      "joints contradict each other, at %s by %.2g m at the start and by up to %.2g "
                      "m in the motion: within the precision of the drawing (--drawing), and "
                      "closed as far as possible",
                      a->conflicts ? a->conflict[0].name : "several joints", a->gap,
                      fmax(a->gap, sar_simulation_statistics(j->simulation).gap));
    if (a->moved > seen * a->size || a->turned > seen)
        cli_words_add(&j->report.warnings,
                      "the start is not as drawn: %s is moved by %.3g m, bodies are rotated by up "
                      "to %.3g rad, so that joints and start conditions are met",
                      sar_model_body_name(j->file.model, a->moved_body), a->moved, a->turned);
}

/// Singular positions that the drawing has not quite.
static void warn_of_crossings(cli_job* j)
{
    const double gap = sar_simulation_statistics(j->simulation).crossing_gap, seen = 1e-8;
    if (gap > seen * j->assembly.size)
        cli_words_add(&j->report.warnings,
                      "the drawing misses a singular position by %.2g m: within its precision "
                      "(--drawing), and corrected, so that the motion goes through",
                      gap);
}

/// Forces that jumped inside steps.
static void warn_of_jumps(cli_job* j)
{
    sar_jump jump;
    if (!sar_simulation_jumps(j->simulation, &jump)) return;
    char* times =
        jump.count > 1 ? cli_format(", %ld jumps in all", jump.count) : cli_format("%s", "");
    cli_words_add(
        &j->report.warnings,
        "the force \"%s\" jumps at t = %.6g s%s: steps across a jump lose their order; %s",
        jump.force, jump.t, times,
        jump.of_time ? "list its times under breakpoints"
                     : "smooth it over a small range (tanh, ramp), or use small steps");
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
    const char* why = r->options.best_effort ? "--best-effort" : "near a singular position";
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

/// A penalty that cannot carry reactions along so many bodies.
static void warn_of_penalty(cli_report* r)
{
    if (r->statistics.filter < 2.0 && (r->options.iterations_fixed || !r->options.rescue))
        cli_words_add(&r->warnings,
                      "alpha is too small for this many bodies in a row: its filter number is "
                      "%.2g, and below 2 the reactions do not converge in the iterations of a "
                      "step; use alpha auto, or at least %.2g",
                      r->statistics.filter, 2.0 * r->statistics.alpha / r->statistics.filter);
}

/// Singular positions that were left the wrong way.
static void warn_of_branches(cli_report* r)
{
    if (r->branch_count > 0)
        cli_words_add(&r->warnings,
                      "the motion left its branch at a singular position %ld time%s; try a "
                      "smaller step, or --alpha inf",
                      r->statistics.branch_changes, cli_plural(r->statistics.branch_changes));
}

/// Rows with numbers that are none: the first output, or what the observers met.
static void warn_of_undefined(cli_job* j)
{
    const cli_record* record = &j->record;
    const char* why = j->failure ? "" : sar_simulation_failure(j->simulation);
    if (record->undefined > 0)
        cli_words_add(&j->report.warnings,
                      "output \"%s\" has no finite value at t = %.9g s; there are %ld such row%s",
                      sar_model_output_name(j->file.model, record->undefined_output),
                      record->undefined_at, record->undefined, cli_plural(record->undefined));
    if (record->doubtful > 0)
        cli_words_add(&j->report.warnings, "%ld row%s with quantities without a finite value%s%s",
                      record->doubtful, cli_plural(record->doubtful), *why ? ": " : "", why);
}

/// The balance of energies, and whatever else makes a motion doubtful.
static void judge_energy(cli_report* r, int outcome)
{
    double scale = r->statistics.energy_scale;
    const int off = r->statistics.energy_max_drift > SAR_DRIFT_LIMIT * scale;
    const int jumped = r->statistics.kept_change > 0.05;
    r->doubtful = !r->options.best_effort && (off || jumped || r->branch_count > 0);
    r->doubtful |= r->statistics.violated > 0;
    if (outcome != CLI_FAILED && off) // else: its cause
        cli_words_add(
            &r->warnings,
            "the energy balance is off by %.2g J, %.0f %% of the energy in this motion: do not "
            "trust it; try a smaller step",
            r->statistics.energy_max_drift, 100.0 * r->statistics.energy_max_drift / scale);
}

void cli_job_warn(cli_job* j, int outcome)
{
    cli_report* r = &j->report;
    if (j->assembly.verdict == SAR_ASSEMBLY_AS_GIVEN)
        cli_words_add(&r->warnings,
                      "started as given (--assemble 0): the constraints are violated by %.3g there",
                      j->assembly.residual);
    warn_of_start(j);
    judge_energy(r, outcome);
    warn_of_crossings(j);
    warn_of_jumps(j);
    warn_of_turns(r);
    warn_of_penalty(r);
    warn_of_branches(r);
    warn_of_violations(r);
    warn_of_kept_steps(r);
    warn_of_undefined(j);
    if (r->realtime) cli_realtime_warn(r->realtime, &r->warnings);
    r->doubtful |= r->accuracy.wanted > 0.0 && !r->accuracy.reached;
    if (r->companion && !r->options.best_effort) r->doubtful |= cli_companion_doubts(r->companion);
}
