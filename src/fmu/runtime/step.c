/* A communication step, and what the host is told about it. */
#include "base/status.h"
#include "fmu/runtime/instance.h"
#include "sarrus/run.h"

#include <math.h>

/* ---- what happened -------------------------------------------------------------------------- */

void sari_fmu_note_told(sari_fmu* f)
{
    sar_simulation* s = f->simulation;
    const sar_statistics z = sar_simulation_statistics(s);
    const sar_switch* switches;
    const sar_impact* impacts;
    long total = 0;
    sar_jump jump;
    (void)sar_simulation_impacts(s, &impacts, &total);
    f->told = (sari_fmu_told){.passes = z.singular_passes,
                              .branches = z.branch_changes,
                              .not_converged = z.not_converged,
                              .switches = sar_simulation_switches(s, &switches),
                              .notes = sar_simulation_notes(s, NULL, 0),
                              .jumps = sar_simulation_jumps(s, &jump),
                              .passed = sar_simulation_passed(s, &jump),
                              .impacts = total};
}

static void report_singular(sari_fmu* f, const sari_fmu_told* before)
{
    const sar_event* at;
    const int listed = sar_simulation_singular_passes(f->simulation, &at);
    for (long k = before->passes; k < f->told.passes && k < listed; k++)
        sari_fmu_tell(f, SARI_FMU_OK, "logSingularLinearSystems",
                      "passage through a singular configuration at t = %.9g s, rank %d: %s",
                      at[k].t, at[k].rank, at[k].joints);
    const int changes = sar_simulation_branch_changes(f->simulation, &at);
    for (long k = before->branches; k < f->told.branches && k < changes; k++)
        sari_fmu_tell(f, SARI_FMU_WARNING, "logSingularLinearSystems",
                      "the motion changes to another branch at t = %.9g s: %s", at[k].t,
                      at[k].joints);
}

static void report_events(sari_fmu* f, const sari_fmu_told* before)
{
    const sar_switch* phases;
    const sar_impact* impacts;
    const int begun = sar_simulation_switches(f->simulation, &phases);
    for (int k = before->switches; k < begun && k < 4096; k++)
        sari_fmu_tell(f, SARI_FMU_OK, "logEvents", "phase %d begins at t = %.9g s",
                      phases[k].phase + 1, phases[k].t);
    const int noted = sar_simulation_impacts(f->simulation, &impacts, NULL);
    for (long k = before->impacts; k < noted; k++)
        sari_fmu_tell(f, SARI_FMU_OK, "logEvents", "%s: %s at t = %.9g s",
                      sar_model_joint_name(f->model, impacts[k].joint),
                      impacts[k].kind == SAR_CONTACT_OPENS    ? "a contact opens"
                      : impacts[k].kind == SAR_CONTACT_CLOSES ? "a contact closes"
                      : impacts[k].kind == SAR_IMPACTS_END    ? "impacts end"
                                                              : "an impact",
                      impacts[k].t);
}

static void report_warnings(sari_fmu* f, const sari_fmu_told* before)
{
    sar_note notes[8];
    sar_jump jump;
    const int noted = f->told.notes < 8 ? f->told.notes : 8;
    (void)sar_simulation_notes(f->simulation, notes, 8);
    for (int k = before->notes; k < noted; k++)
        sari_fmu_tell(f, SARI_FMU_WARNING, "logStatusWarning", "%s %s", notes[k].element,
                      notes[k].text);
    if (f->told.not_converged > before->not_converged)
        sari_fmu_tell(f, SARI_FMU_WARNING, "logStatusWarning",
                      "%ld steps did not converge until t = %g s", f->told.not_converged, f->t);
    if (f->told.jumps > before->jumps && sar_simulation_jumps(f->simulation, &jump))
        sari_fmu_tell(f, SARI_FMU_WARNING, "logStatusWarning",
                      "force %s jumps within a step at t = %g s: shorter steps are more accurate",
                      jump.force, jump.t);
    if (f->told.passed > before->passed && sar_simulation_passed(f->simulation, &jump))
        sari_fmu_tell(f, SARI_FMU_WARNING, "logStatusWarning",
                      "force %s came and went within a step at t = %g s: the steps are too long "
                      "for it",
                      jump.force, jump.t);
}

void sari_fmu_report(sari_fmu* f)
{
    const sari_fmu_told before = f->told;
    sari_fmu_note_told(f);
    if (!f->logging || !f->log) return;
    report_singular(f, &before);
    report_events(f, &before);
    report_warnings(f, &before);
}

void sari_fmu_report_end(sari_fmu* f)
{
    if (!f->simulation || f->exchange) return;
    const sar_statistics z = sar_simulation_statistics(f->simulation);
    sari_fmu_tell(f, SARI_FMU_OK, "logAll",
                  "%ld steps to t = %g s; violation %.2g, drift of the energy %.2g J, %ld singular "
                  "passages, %ld branch changes, %ld steps not converged",
                  z.steps, f->t, z.violation.position, z.energy_worst_drift, z.singular_passes,
                  z.branch_changes, z.not_converged);
}

/* ---- a step --------------------------------------------------------------------------------- */

static void set_inputs(sari_fmu* f)
{
    for (int k = 0; k < f->layout.inputs; k++) {
        if (f->input_set[k] != 2) continue;
        (void)sar_simulation_set_input(f->simulation, k, f->input[k], f->rate[k]);
        f->input_set[k] = 1;
    }
}

static long events_so_far(sar_simulation* s)
{
    const sar_switch* switches;
    const sar_impact* impacts;
    long total = 0;
    (void)sar_simulation_impacts(s, &impacts, &total);
    return total + sar_simulation_switches(s, &switches);
}

/// To `target`, or to where something has happened.
static sar_status advance(sari_fmu* f, double target, int* event)
{
    sar_simulation* s = f->simulation;
    if (!f->early) return sar_simulation_advance_to(s, target);
    const long before = events_so_far(s);
    sar_status status = SAR_OK;
    while (status == SAR_OK && !*event && sari_is_before(s, target)) {
        status = sari_step_towards(s, target);
        *event = events_so_far(s) > before;
    }
    return status;
}

sari_fmu_status sari_fmu_step(sari_fmu* f, double now, double step, int* event, double* reached)
{
    const double apart = fabs(now - f->t), target = now + step;
    const double rounding = 1e-6 * step + 1e-12 * fabs(now); // hosts add up their steps
    *event = 0;
    *reached = f->t;
    if (!(step > 0.0) || !isfinite(target))
        return sari_fmu_refuse(f, SARI_FMU_ERROR, "a step of %g s from t = %g s leads nowhere",
                               step, now);
    if (target > f->stop + rounding)
        return sari_fmu_refuse(f, SARI_FMU_ERROR,
                               "a step to t = %.17g s goes beyond the stop time %.17g s that the "
                               "host has given",
                               target, f->stop);
    if (!(apart <= rounding))
        return sari_fmu_refuse(f, SARI_FMU_ERROR,
                               "the host is at t = %.17g s, the instance at %.17g s", now, f->t);
    set_inputs(f);
    f->known = 0;
    const sar_status status = advance(f, target, event);
    const double t = sar_simulation_time(f->simulation);
    *reached = f->t = status == SAR_OK && !*event ? target : t;
    sari_fmu_report(f);
    if (status == SAR_OK) return SARI_FMU_OK;
    const char* why = sar_simulation_failure(f->simulation);
    return sari_fmu_refuse(f, SARI_FMU_DISCARD, "the motion ends at t = %.9g s: %s", t,
                           why[0] ? why : sar_status_text(status));
}
