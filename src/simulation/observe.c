/* What can be seen of a simulation: what any mechanism shows (observation.h), and outputs between
 * steps, rank, events. */
#include "base/status.h"
#include "formulations/chart/singular.h"
#include "simulation/simulation.h"

#include <math.h>
#include <stdio.h>

sar_status sar_simulation_outputs(sar_simulation* s, double* values)
{
    return sari_report_outputs(&s->seen, values);
}

void sar_simulation_pose(const sar_simulation* s, sar_body_id body, double position[3],
                         double quaternion[4])
{
    sari_report_pose(&s->seen, body, position, quaternion);
}

void sar_simulation_velocity(const sar_simulation* s, sar_body_id body, double velocity[3],
                             double angular[3])
{
    sari_report_velocity(&s->seen, s->state.v, body, velocity, angular);
}

void sar_simulation_velocity_along(const sar_simulation* s, const double* v, sar_body_id body,
                                   double velocity[3], double angular[3])
{
    sari_report_velocity(&s->seen, v, body, velocity, angular);
}

sar_status sar_simulation_reaction(sar_simulation* s, sar_joint_id joint, double force[3],
                                   double torque[3])
{
    return sari_report_reaction(&s->seen, joint, force, torque);
}

sar_status sar_simulation_drive_force(sar_simulation* s, sar_joint_id joint, double* force)
{
    return sari_report_drive_force(&s->seen, joint, force);
}

void sar_simulation_applied(sar_simulation* s, sar_force_id which, double force[3],
                            double torque[3])
{
    sari_report_applied(&s->seen, which, force, torque);
}

sar_energy sar_simulation_energy(const sar_simulation* s)
{
    return sari_report_energy(&s->seen);
}

sar_violation sar_simulation_violation(const sar_simulation* s)
{
    return sari_report_violation(&s->seen, s->violation);
}

sar_status sari_outputs_of(sar_simulation* s, const sari_state* x, double* values)
{
    sari_state state = s->state;
    sar_energy energy = s->energy;
    s->state = *x;
    s->reactions_time = NAN;
    if (!s->places_only) {
        sari_equations_eval(&s->system->equations, SARI_EVAL_MASS, x->t, x->q, x->v);
        s->energy.kinetic = sari_system_kinetic_energy(s->system, x->v);
        s->energy.potential = sari_system_potential_energy(s->system, x->t, x->q, x->v);
    }
    sar_status st = sar_simulation_outputs(s, values);
    s->state = state;
    s->energy = energy;
    s->reactions_time = NAN;
    return st;
}

sar_status sari_outputs_nearby(sar_simulation* s, double part, double* values)
{
    sari_state* x = &s->between;
    double speed = 0.0, acceleration = 0.0;
    if (s->looks_back) SARI_TRY(sar_simulation_look(s, INFINITY));
    sari_state_copy(x, &s->state);
    for (int i = 0; i < x->n; i++) {
        speed = fmax(speed, fabs(x->v[i]));
        acceleration = fmax(acceleration, fabs(x->a[i]));
    }
    for (int i = 0; i < x->n; i++) x->v[i] = i % 2 ? -part : part; // the change, for now
    sari_coordinates_move(s->system->equations.space, s->state.q, x->v, x->q);
    for (int i = 0; i < x->n; i++) {
        const double sign = i % 2 ? -part : part;
        x->v[i] = s->state.v[i] + sign * speed;
        x->a[i] += sign * acceleration;
    }
    return sari_outputs_of(s, x, values);
}

/* ---- within the last step ------------------------------------------------------------------- */

static void exchange_states(sar_simulation* s)
{
    const sari_state state = s->state;
    s->state = s->between;
    s->between = state;
    s->reactions_time = NAN;
}

/* Energies and violations at the state that is examined. The balance of energies is that of the
 * ends, interpolated; the rest is work. */
static sar_status measure_within(sar_simulation* s, double part)
{
    const sari_state* x = &s->state;
    const double work = s->energy.work, now = s->energy.kinetic + s->energy.potential - work;
    s->system->undefined.what = NULL;
    const sar_status st =
        sari_equations_eval(&s->system->equations, SARI_EVAL_DYNAMICS, x->t, x->q, x->v);
    if (st != SAR_OK) sari_explain_undefined(&s->system->undefined, s->failure, sizeof s->failure);
    sari_observation_measure(&s->seen, NULL);
    if (work == 0.0 && s->work_before == 0.0) return st;
    const double balance = s->balance_before + part * (now - s->balance_before);
    s->energy.work = s->energy.kinetic + s->energy.potential - balance;
    return st;
}

sar_status sar_simulation_look(sar_simulation* s, double t)
{
    if (s->looks_back) {
        exchange_states(s);
        s->energy = s->end_energy;
        s->violation = s->end_violation;
        s->looks_back = 0;
        sari_ledger_sample(s, NULL);
    }
    const double before = s->previous.t, now = s->state.t;
    if (t >= now) return SAR_OK;
    if (!(t >= before) || s->statistics.steps == 0) return SAR_E_ARG;
    if (!s->integrator->dense) return SAR_E_INCOMPAT;
    sari_state_copy(&s->between, &s->state);
    s->between.t = t;
    SARI_TRY(s->integrator->dense(s->integrator_self, t, &s->between));
    s->end_energy = s->energy;
    s->end_violation = s->violation;
    exchange_states(s);
    s->looks_back = 1;
    sari_ledger_sample(s, &s->state);
    return measure_within(s, (t - before) / (now - before));
}

static sar_status outputs_with_ledger(sar_simulation* s, const sari_state* x, double* values)
{
    sari_ledger_sample(s, x);
    const sar_status st = sari_outputs_of(s, x, values);
    sari_ledger_sample(s, NULL);
    return st;
}

/* The outputs at t by the polynomial of the last step; positive: it has no state there. */
static sar_status outputs_within(sar_simulation* s, double t, double* values)
{
    if (!s->integrator->dense) return SAR_R_NO_CONV;
    const int place = s->integrator->dense_part && s->places_only;
    sari_state_copy(&s->between, &s->state);
    s->between.t = t;
    const sar_status found = place
                                 ? s->integrator->dense_part(s->integrator_self, t, 0, &s->between)
                                 : s->integrator->dense(s->integrator_self, t, &s->between);
    if (found != SAR_OK) return SAR_R_NO_CONV;
    return outputs_with_ledger(s, &s->between, values);
}

/* On the line between the ends: methods that do not interpolate, and the last step of a motion that ends. */
static sar_status outputs_between(sar_simulation* s, double t, double* values)
{
    const double before = s->previous.t, part = (t - before) / (s->state.t - before);
    SARI_TRY(outputs_with_ledger(s, &s->previous, values));
    SARI_TRY(sari_outputs_of(s, &s->state, s->values));
    for (int i = 0; i < s->model->outputs_count; i++)
        values[i] += part * (s->values[i] - values[i]);
    return SAR_OK;
}

sar_status sar_simulation_outputs_at(sar_simulation* s, double t, double* values)
{
    if (s->looks_back) SARI_TRY(sar_simulation_look(s, INFINITY));
    const double before = s->previous.t, now = s->state.t;
    if (t == now || s->statistics.steps == 0) return sar_simulation_outputs(s, values);
    if (!(t >= before && t <= now)) return SAR_E_ARG;
    sar_status st =
        t == before ? outputs_with_ledger(s, &s->previous, values) : outputs_within(s, t, values);
    if (st > SAR_OK) st = outputs_between(s, t, values);
    if (st == SAR_OK) sari_integrals_at(s, t, values);
    return st;
}

/* ---- rates ---------------------------------------------------------------------------------- */

/* d/dt of a signal at x; NaN: not known. */
static double signal_rate(sar_simulation* s, const sari_state* x, int signal)
{
    const sari_kinematics* k = s->system->kinematics;
    const int scalar = s->system->mechanism->signal_scalar[signal];
    const int level = s->model->signals[signal].level;
    sari_scalar_value value = {0};
    if (scalar < 0 || level > 1 || sari_scalar_eval(k, scalar, level + 1, &value) != SAR_OK)
        return NAN;
    if (level == 0) return value.rate;
    const sari_term_list* list = &k->scalar_depends[scalar];
    double rate = value.bias;
    for (int j = 0; j < list->n; j++) rate += value.g[j] * x->a[list->i[j]];
    return rate;
}

/* Chain rule; the signals are those at x. */
static double output_rate(sar_simulation* s, const sari_state* x, const sari_output* output)
{
    const int* used;
    const int count = sari_expression_variables(output->value, &used);
    double rate = 0.0;
    if (output->integral) return NAN;
    sari_expression_gradient(output->value, s->variables, s->gradient);
    for (int k = 0; k < count; k++) {
        const int signal = used[k] - SARI_VARIABLE_SIGNAL;
        const double one = used[k] == SARI_VARIABLE_T ? 1.0
                           : signal >= 0              ? signal_rate(s, x, signal)
                                                      : NAN;
        rate += s->gradient[k] * one;
    }
    return rate;
}

sar_status sar_simulation_rates_at(sar_simulation* s, double t, double* rates)
{
    const sar_model* model = s->model;
    const sari_state* x = &s->state;
    for (int i = 0; i < model->outputs_count; i++) rates[i] = NAN;
    if (s->looks_back) SARI_TRY(sar_simulation_look(s, INFINITY));
    if (t != x->t && s->statistics.steps > 0) {
        if (!(t >= s->previous.t && t <= x->t)) return SAR_E_ARG;
        sari_state_copy(&s->between, &s->state);
        s->between.t = t;
        x = &s->between;
        if (!s->integrator->dense ||
            s->integrator->dense(s->integrator_self, t, &s->between) != SAR_OK)
            return SAR_OK;
    }
    sari_system_signals(s->system, x->t, x->q, x->v, x->a, NULL, s->variables);
    sari_kinematics_update(s->system->kinematics, x->q, x->v, 1);
    for (int i = 0; i < model->outputs_count; i++) rates[i] = output_rate(s, x, &model->outputs[i]);
    return SAR_OK;
}

sar_status sar_simulation_output_rates(sar_simulation* s, const double* v, double* rates)
{
    const sar_model* model = s->model;
    const sari_state* x = &s->state;
    sari_scalar_value value = {0};
    for (int i = 0; i < model->outputs_count; i++) rates[i] = NAN;
    if (!v && s->system->nq > 0) return SAR_E_ARG;
    sari_system_signals(s->system, x->t, x->q, v, x->a, NULL, s->variables);
    sari_kinematics_update(s->system->kinematics, x->q, v, 1); // signals need no v for positions
    for (int i = 0; i < model->outputs_count; i++) {
        const sari_expression* e = model->outputs[i].value;
        const int* used;
        int count = sari_expression_variables(e, &used);
        if (model->outputs[i].integral || !sari_signals_positional(&s->seen, e)) continue;
        rates[i] = 0.0;
        sari_expression_gradient(e, s->variables, s->gradient);
        for (int k = 0; k < count; k++) { // chain rule
            int signal = used[k] - SARI_VARIABLE_SIGNAL;
            if (signal < 0) continue;
            SARI_TRY(sari_scalar_eval(s->system->kinematics,
                                      s->system->mechanism->signal_scalar[signal], 1, &value));
            rates[i] += s->gradient[k] * value.rate;
        }
    }
    return SAR_OK;
}

int sar_simulation_multipliers(const sar_simulation* s, const double** values, const double** rates)
{
    *values = *rates = NULL;
    const sari_own_step_ops* own = s->form.ops->own_step;
    if (own) own->multipliers(s->form.self, values, rates);
    return *values ? s->system->nc : 0;
}

/* Redundancy belongs to the joints, and coordinates may have built some of them in. Free bodies
 * have 3 or 6 freedoms each; conditions that are independent take one each, and so many are left:
 *
 *     freedoms - (conditions - redundant) = dof                        [Gruebler, with redundancy]
 */
sar_rank sari_rank(const sari_system* system, int conditions, int rank)
{
    const sari_mechanism* m = system->mechanism;
    const int coordinates = system->nq - system->states; // states of forces are no motions
    sar_rank out = {coordinates, system->nc, -1, -1, -1, system->velocity_rows};
    if (rank < 0) return out;
    out.rank = rank;
    out.dof = coordinates - rank;
    out.redundant = conditions + out.dof - (m->dimension == 3 ? 6 : 3) * (m->bodies - 1);
    return out;
}

sar_rank sar_simulation_rank(const sar_simulation* s)
{
    const int rank = sari_monitor_rank(s->monitor); // at a singular start too low, until it is left
    int generic = rank < 0 || rank > s->generic_rank ? rank : s->generic_rank;
    // a chart keeps rows that hold more weakly than those that the monitor counts
    if (rank >= 0 && sari_is_chart(&s->form) && s->system->velocity_rows == 0) {
        const int kept = sari_chart_rank(s->form.self);
        if (kept > generic) generic = kept;
    }
    return sari_rank(s->system, sari_reactions_conditions(s->reactions), generic);
}

/* Redundant conditions that are so but for the digits of the drawing. */
static int nearly_redundant(const sar_simulation* s)
{
    const int redundant = s->system->slack.count ? sar_simulation_rank(s).redundant : 0;
    return redundant > 0 ? redundant : 0;
}

int sar_simulation_redundant_joints(sar_simulation* s, const char** names, int most)
{
    sari_kinematics_update(s->system->kinematics, s->state.q, s->state.v, 1);
    return sari_reactions_redundant(s->reactions, s->system->kinematics->X, nearly_redundant(s),
                                    names, most);
}

int sar_simulation_indeterminate_joints(sar_simulation* s, const char** names, int most)
{
    sari_kinematics_update(s->system->kinematics, s->state.q, s->state.v, 1);
    return sari_reactions_indeterminate(s->reactions, s->system->kinematics->X, nearly_redundant(s),
                                        names, most);
}

int sar_simulation_singular_passes(const sar_simulation* s, const sar_event** events)
{
    sari_monitor_finish(s->monitor, &s->state);
    sari_events_name(&s->passes);
    *events = s->passes.at;
    return s->passes.count;
}

int sar_simulation_branch_changes(const sar_simulation* s, const sar_event** events)
{
    sari_events_name(&s->branches);
    *events = s->branches.at;
    return s->branches.count;
}

sar_statistics sar_simulation_statistics(const sar_simulation* s)
{
    sar_statistics z = s->statistics;
    const double unit = sari_unit_of_energy(&s->units);
    if (z.steps == 0) z.step = s->options.step;
    z.energy_initial = unit * z.energy_initial + s->units.level;
    z.energy_max_drift *= unit;
    z.energy_final_drift *= unit;
    z.energy_worst_drift *= unit;
    z.kinetic_max *= unit;
    z.energy_scale *= unit;
    z.violation = sari_report_violation(&s->seen, z.violation);
    z.correction *= s->units.length;
    z.gap *= s->units.length;
    z.crossing_gap *= s->units.length;
    z.crossing_error *= s->units.length;
    z.crossing_missed *= s->units.length;
    z.alpha = s->units.mass * s->form.ops->alpha(s->form.self);
    z.filter = sari_simulation_filter(s);
    z.threads = s->system->threads;
    sari_monitor_finish(s->monitor, &s->state);
    z.singular_passes = s->passes.total;
    z.branch_changes = s->branches.total;
    snprintf(z.solver, sizeof z.solver, "%s", s->form.ops->solver(s->form.self));
    return z;
}

sar_equilibrium sar_simulation_equilibrium(const sar_simulation* s)
{
    return s->equilibrium;
}
