/* The start of a run: the bodies are assembled, or brought to an equilibrium, and everything that looks on
 * begins there. And starts within a run, after breakpoints and other changes. */
#include "simulation/events/events.h"
#include "simulation/start/equilibrium.h"

#include "base/memory.h"
#include "base/names.h"
#include "base/status.h"
#include "linalg/sym_tools.h"
#include "math/vec3.h"
#include "simulation/simulation.h"
#include "system/turns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The equations at the present state; what has no finite value there is named. */
sar_status sari_evaluate(sar_simulation* s, unsigned what, const char* where)
{
    const sari_state* x = &s->state;
    const sar_status st = sari_equations_eval(&s->system->equations, what, x->t, x->q, x->v);
    if (st != SAR_OK) sari_explain_start(s, st, where);
    return st;
}

sar_status sari_start_motion(sar_simulation* s)
{
    sari_coupling_forget(s->coupling);
    SARI_TRY(s->form.ops->start(s->form.self, &s->state));
    sari_state_copy(&s->begun, &s->state);
    return SAR_OK;
}

/* Go on from a breakpoint, or another change: forces, and with them accelerations and multipliers,
 * may have jumped. So may have the potential, by a road that drops under a tyre say: what that
 * gives or takes is work.
 */
sar_status sari_start_afresh(sar_simulation* s, const char* where)
{
    sari_state* x = &s->state;
    double before = s->energy.potential;
    s->at_breakpoint = 0;
    sar_status st = sari_start_motion(s);
    if (st == SAR_OK && s->integrator->start) st = s->integrator->start(s->integrator_self, x);
    if (st != SAR_OK) {
        sari_explain_start(s, st, where);
        return st;
    }
    s->energy.potential = sari_system_potential_energy(s->system, x->t, x->q, x->v);
    s->energy.work += s->energy.potential - before;
    sari_ledger_enter(s, SAR_ACCOUNT_JUMPS, s->energy.potential - before);
    s->power = sari_system_power(s->system, x->t, x->q, x->v, x->lambda, NULL);
    sari_integrals_resume(s);
    return SAR_OK;
}

/* Where joints contradict each other by the digits of the drawing, the method has to know. */
static sar_status check_slack(sar_simulation* s, const sar_assembly* report)
{
    if (s->system->slack.count == 0 || sari_formulation_can(s->form.ops, SARI_FORM_SLACK))
        return SAR_OK;
    snprintf(s->failure, sizeof s->failure,
             "the drawing contradicts itself by %.2g m at %s: over-constrained joints with inexact "
             "positions. %s enforces all of them as drawn, which stops the mechanism or spoils its "
             "motion; use al3, which leaves such gaps open",
             report->gap, report->conflicts ? report->conflict[0].name : "some joint",
             s->form.ops->name);
    return SAR_E_ASSEMBLY;
}

sar_status sari_watch_start(sar_simulation* s)
{
    SARI_TRY(sari_monitor_start(s->monitor, &s->state, s->reactions));
    s->generic_rank = -1;
    if (s->crossings) sari_crossings_resume(s->crossings);
    if (s->passages) sari_passages_start(s);
    return SAR_OK;
}

/* Angles are counted on from where they are now. */
void sari_commit_angles(sari_system* sys, const sari_state* x)
{
    sari_kinematics_update(sys->kinematics, x->q, x->v, 0);
    sari_turns_commit(sys->kinematics, x->t);
}

sar_status sar_simulation_assemble(sar_simulation* s, sar_assembly* report)
{
    sar_assembly local;
    if (s->present != s->first) sari_configuration_enter(s, s->first);
    sari_system* sys = s->system;
    if (!report) report = &local;
    sari_held_thaw(s);
    s->phases.next = s->phases.begun = 0;
    s->phases.now = -1;
    s->state.t = s->options.start;
    if (sys->np > 0) { // nothing moves: no arrays
        memcpy(s->state.q, sys->coordinates.q0, (size_t)sys->np * sizeof(double));
        memcpy(s->state.v, sys->coordinates.v0, (size_t)sys->nq * sizeof(double));
    }
    sys->undefined.what = NULL;
    for (int k = 0; k < s->configurations; k++) {
        sari_crossings* of = k == s->present ? s->crossings : s->configuration[k].engine.crossings;
        if (of) sari_crossings_start(of);
    }
    sari_contradictions_destroy(s->contradictions);
    s->contradictions = NULL;
    const sari_assembly_task task = {s->state.t,
                                     !s->options.assemble,
                                     s->units.size,
                                     s->options.drawing,
                                     s->smooth_start,
                                     sari_norm3(s->units.origin) / s->units.length,
                                     s->options.equilibrium ? &s->equilibrium : NULL};
    s->equilibrium = (sar_equilibrium){0};
    const int threads = sys->threads;
    if (s->options.share < 0) sari_system_share(sys, 1); // whether cores are free is not known yet
    sar_status assembled =
        sari_assemble(sys, &task, s->state.q, s->state.v, &s->contradictions, report);
    sari_system_share(sys, threads);
    sari_assembly_in_user_units(&s->units, report);
    sari_equilibrium_in_user_units(&s->units, &s->equilibrium);
    if (assembled == SAR_E_ASSEMBLY && s->equilibrium.verdict == SAR_EQUILIBRIUM_NOT_FOUND) {
        sari_equilibrium_explain(&s->equilibrium, s->failure, sizeof s->failure);
        return assembled;
    }
    if (assembled != SAR_OK) {
        sari_explain_assembly(s, assembled, report);
        return assembled;
    }
    SARI_TRY(check_slack(s, report));
    sari_commit_angles(sys, &s->state);
    sar_status st = sari_start_motion(s);
    if (st == SAR_OK && !sari_state_is_finite(s)) st = SAR_R_NOT_FINITE;
    if (st != SAR_OK) {
        sari_explain_start(s, st, "at the start");
        return st;
    }
    if (s->integrator->start) SARI_TRY(s->integrator->start(s->integrator_self, &s->state));
    s->step = 0;
    sari_events_clear(&s->passes);
    sari_events_clear(&s->branches);
    s->at_breakpoint = 0;
    s->reactions_time = NAN;
    s->energy.work = 0.0;
    s->power = sari_system_power(sys, s->state.t, s->state.q, s->state.v, s->state.lambda, NULL);
    sari_integrals_start(s);
    sari_ledger_start(s);
    sari_jumps_start(s);
    sari_growth_start(s);
    sari_time_functions_start(s);
    sari_kinks_start(s);
    sari_resolution_start(s);
    s->drive_jump = (sar_drive_jump){.t = NAN};
    sari_validity_start(s);
    memset(&s->statistics, 0, sizeof s->statistics);
    sari_pace_start(s);
    SARI_TRY(sari_evaluate(s, SARI_EVAL_DYNAMICS, "at the start"));
    sari_observation_measure(&s->seen, NULL);
    s->violation_at_start = s->violation.position;
    s->statistics.energy_initial = sari_energy_balance(s);
    sari_statistics_update(s);
    // who stops at singular configurations, or may be somewhere else soon, has to know at once
    sari_monitor_defer_search(s->monitor, sari_formulation_can(s->form.ops, SARI_FORM_RANK_DROP) &&
                                              !sari_events_are_watched(s));
    SARI_TRY(sari_watch_start(s));
    sari_sharing_start(s);
    SARI_TRY(sari_bounds_start(s));
    sari_events_wait(s);
    s->assembled = 1;
    st = sari_check_singular_start(s, report);
    if (st != SAR_OK) s->assembled = 0;
    return st;
}
