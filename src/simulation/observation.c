#include "simulation/observation.h"

#include "base/parallel.h"
#include "base/status.h"
#include "math/functions.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "model/clearance.h"
#include "simulation/simulation.h"
#include "system/forces/forces.h"
#include "system/forces/loads.h"

void sari_observation_clear(sari_observation* o)
{
    sari_arena_clear(&o->memory);
    sari_model_in_units_destroy(o->model);
}

/* ---- what is measured ----------------------------------------------------------------------- */

/* The larger of a and |x|. */
static double larger(double a, double x)
{
    double size = fabs(x);
    return size > a ? size : a;
}

/* Of the rows first to end - 1. */
static sar_violation violation_of(const sari_observation* o, int first, int end)
{
    const sari_system* sys = o->system;
    const sari_state* x = &o->state;
    const sari_csr* J = &sys->Phi_q;
    sar_violation most = {0};
    int k = J->p[first];
    for (int r = first; r < end; r++) {
        double rate = sys->rheonomic ? sys->Phi_t[r] : 0.0, second = sys->bias[r];
        for (; k < J->p[r + 1]; k++) {
            rate += J->x[k] * x->v[J->i[k]];
            second += J->x[k] * x->a[J->i[k]];
        }
        most.position = larger(most.position, sys->Phi[r]);
        most.velocity = larger(most.velocity, rate);
        most.acceleration = larger(most.acceleration, second);
    }
    return most;
}

/* Of the rows that are held: without the combinations that contradict each other. Those are known
 * where the last step ended, so that between its ends Phi_q v and Phi_q a have parts along them. */
static sar_violation violation_beside_slack(const sari_observation* o)
{
    const sari_system* sys = o->system;
    const sari_state* x = &o->state;
    const sari_csr* J = &sys->Phi_q;
    const sari_slack* slack = &sys->slack;
    double *rate = slack->work, *second = rate + slack->rows;
    sar_violation most = violation_of(o, slack->rows, sys->nc);
    for (int r = 0; r < slack->rows; r++) {
        rate[r] = sys->rheonomic ? sys->Phi_t[r] : 0.0;
        second[r] = sys->bias[r];
        for (int k = J->p[r]; k < J->p[r + 1]; k++) {
            rate[r] += J->x[k] * x->v[J->i[k]];
            second[r] += J->x[k] * x->a[J->i[k]];
        }
    }
    sari_slack_drop(slack, rate);
    sari_slack_drop(slack, second);
    for (int r = 0; r < slack->rows; r++) {
        most.position = larger(most.position, sys->Phi[r]);
        most.velocity = larger(most.velocity, rate[r]);
        most.acceleration = larger(most.acceleration, second[r]);
    }
    return most;
}

enum { PARTS = 16 };
typedef struct measuring {
    const sari_observation* o;
    sar_violation part[PARTS];
} measuring;

static void measure_parts(void* self, int first, int end)
{
    measuring* t = self;
    const long rows = t->o->system->nc;
    for (int i = first; i < end; i++)
        t->part[i] = violation_of(t->o, (int)(rows * i / PARTS), (int)(rows * (i + 1) / PARTS));
}

static void measure_in_parts(sari_observation* o)
{
    measuring t = {.o = o};
    sar_violation* most = &o->violation;
    sari_parallel(o->system->threads, PARTS, measure_parts, &t);
    *most = (sar_violation){0};
    for (int i = 0; i < PARTS; i++) {
        most->position = larger(most->position, t.part[i].position);
        most->velocity = larger(most->velocity, t.part[i].velocity);
        most->acceleration = larger(most->acceleration, t.part[i].acceleration);
    }
}

/* The system is evaluated at the present state: Phi, Phi_q, Phi_t, bias, M. */
void sari_observation_measure(sari_observation* o, double* power)
{
    sari_system* sys = o->system;
    const sari_state* x = &o->state;
    if (sys->slack.count)
        o->violation = violation_beside_slack(o);
    else if (sys->threads == 1)
        o->violation = violation_of(o, 0, sys->nc);
    else
        measure_in_parts(o);
    o->energy.kinetic = sari_system_kinetic_energy(sys, x->v);
    if (power)
        *power = sari_system_power(sys, x->t, x->q, x->v, x->lambda, &o->energy.potential);
    else
        o->energy.potential = sari_system_potential_energy(sys, x->t, x->q, x->v);
}

/* ---- what is observed ----------------------------------------------------------------------- */

static sar_status solve_reactions(sari_observation* o)
{
    if (o->reactions_time == o->state.t) return SAR_OK;
    sar_status st = sari_reactions_solve(o->reactions, &o->state);
    if (st >= 0) o->reactions_time = o->state.t;
    return st < 0 ? st : SAR_OK;
}

/* In world axes: those of a body, or of a frame in it (its number and 1). */
static void axes_of(const sari_observation* o, int body, int frame, double R[9])
{
    static const double same[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const sari_mechanism* m = o->system->mechanism;
    memcpy(R, same, sizeof same);
    if (body) sari_rotation_of(m, o->system->kinematics->X + m->nx * body, R);
    if (frame) sari_multiply3(R, o->model->frames[frame - 1].R, R);
}

/* The component of a vector w that a signal is: in world axes, or along those of a body. */
static double along(const sari_observation* o, const sari_signal* signal, const double w[3])
{
    double R[9], u[3];
    if (!signal->frame && !signal->axes) return w[signal->component];
    axes_of(o, signal->frame, signal->axes, R);
    for (int k = 0; k < 3; k++) u[k] = R[3 * k + signal->component];
    return u[0] * w[0] + u[1] * w[1] + u[2] * w[2];
}

/* Of a point, in world axes. */
static void accelerate(sari_observation* o, const sari_signal* signal, double out[3])
{
    const sari_mechanism* m = o->system->mechanism;
    sari_kinematics* k = o->system->kinematics;
    sari_kinematics_accelerations(k, o->state.a, o->on_X);
    for (int c = 0; c < 3; c++) {
        out[c] = 0.0;
        if (c >= m->dimension || signal->body == SAR_GROUND.i) continue;
        const sari_affine p = sari_point_affine(m, signal->body, signal->point, c);
        for (int i = 0; i < p.n; i++) out[c] += p.coefficient[i] * o->on_X[p.index[i]];
    }
}

/* Of the rotation of a body in the world, or of a joint's second seen from its first: quaternion with
 * w >= 0, or axis times angle. */
static double rotation_number(const sari_observation* o, const sari_signal* signal)
{
    double A[9], B[9], R[9], q[4];
    axes_of(o, signal->frame, signal->axes, A);
    axes_of(o, signal->body, signal->own, B);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j]; // A'B
    sari_quaternion_of_rotation(R, q);
    const double sign = q[0] < 0.0 ? -1.0 : 1.0;
    if (signal->component < 4) return sign * q[signal->component];
    const double sine = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double factor = sine > 0.0 ? 2.0 * sari_atan2(sine, sign * q[0]) / sine : 2.0;
    return sign * factor * q[signal->component - 3];
}

/* A force on its body: the wrench about the centre of mass, moved to its point. */
static void applied(sari_observation* o, int type, int index, double force[3], double torque[3])
{
    const sari_mechanism* m = o->system->mechanism;
    const double* X = o->system->kinematics->X;
    const sari_force* f = &o->model->forces[type].at[index];
    const sar_force_place place = sari_force_place(o->model, type, f);
    const int b = place.body.i, nx = m->nx;
    double wrench[6] = {0}, R[9], body_arm[3], arm[3], moment[3];
    memset(o->on_X, 0, (size_t)(nx * m->bodies) * sizeof *o->on_X);
    sari_force_on_X(o->system, f, o->on_X);
    sari_wrench_of(m, X + nx * b, o->on_X + nx * b, wrench);
    sari_rotation_of(m, X + nx * b, R);
    for (int i = 0; i < 3; i++)
        body_arm[i] = m->model->bodies[b].def.center[i] - place.point[i]; // point to centre
    sari_rotate(R, body_arm, arm);
    sari_cross(arm, wrench, moment);
    for (int i = 0; i < 3; i++) force[i] = wrench[i], torque[i] = wrench[3 + i] + moment[i];
}

/* ---- values of signals that are no scalars, by kind ----------------------------------------- */

typedef sar_status (*signal_value)(sari_observation* o, const sari_signal* signal, double* out);

static sar_status acceleration(sari_observation* o, const sari_signal* signal, double* out)
{
    double a[3];
    accelerate(o, signal, a);
    *out = along(o, signal, a);
    return SAR_OK;
}

/* Linear in the rates of the axes e: w = sum e x de/dt / 2. */
static sar_status spin(sari_observation* o, const sari_signal* signal, double* out)
{
    sari_kinematics* k = o->system->kinematics;
    double w[3];
    if (signal->level == 2) sari_kinematics_accelerations(k, o->state.a, o->on_X);
    sari_spin_of(o->system->mechanism, k->X + k->nx * signal->body,
                 (signal->level == 2 ? o->on_X : k->Xd) + k->nx * signal->body, w);
    *out = along(o, signal, w);
    return SAR_OK;
}

static sar_status rotation(sari_observation* o, const sari_signal* signal, double* out)
{
    *out = rotation_number(o, signal);
    return SAR_OK;
}

static sar_status reaction(sari_observation* o, const sari_signal* signal, double* out)
{
    double force[3], torque[3];
    SARI_TRY(solve_reactions(o));
    sari_reaction(o->reactions, signal->joint, force, torque);
    *out = along(o, signal, signal->kind == SARI_SIGNAL_FORCE ? force : torque);
    return SAR_OK;
}

static sar_status drive_force(sari_observation* o, const sari_signal* signal, double* out)
{
    return sari_observation_drive_force(o, signal->joint, out);
}

static sar_status applied_force(sari_observation* o, const sari_signal* signal, double* out)
{
    double force[3], torque[3];
    applied(o, signal->type, signal->force, force, torque);
    *out = along(o, signal, signal->kind == SARI_SIGNAL_APPLIED_FORCE ? force : torque);
    return SAR_OK;
}

static sar_status force_along(sari_observation* o, const sari_signal* signal, double* out)
{
    *out = sari_forces_along(o->system, signal->type, signal->force);
    return SAR_OK;
}

static sar_status power(sari_observation* o, const sari_signal* signal, double* out)
{
    *out = sari_forces_power_of(o->system, signal->type, signal->force);
    return SAR_OK;
}

static sar_status shown(sari_observation* o, const sari_signal* signal, double* out)
{
    *out = sari_forces_show(o->system, signal->type, signal->force, signal->component);
    return SAR_OK;
}

static sar_status energy(sari_observation* o, const sari_signal* signal, double* out)
{
    const double part[] = {o->energy.kinetic, o->energy.potential,
                           o->energy.kinetic + o->energy.potential};
    *out = part[signal->component];
    return SAR_OK;
}

static sar_status work(sari_observation* o, const sari_signal* signal, double* out)
{
    int force = signal->force;
    for (int t = 0; t < signal->type; t++)
        if (!sari_force_is_state(sari_force_types[t])) force += o->model->forces[t].count;
    *out = o->ledger ? sari_ledger_force(o->ledger, force) : NAN;
    return SAR_OK;
}

static sar_status drive_work(sari_observation* o, const sari_signal* signal, double* out)
{
    *out = o->ledger ? sari_ledger_joint(o->ledger, signal->joint) : NAN;
    return SAR_OK;
}

static sar_status account(sari_observation* o, const sari_signal* signal, double* out)
{
    static const int of[2][3] = {
        {SAR_ACCOUNT_INTEGRATOR, SAR_ACCOUNT_PROJECTIONS, SAR_ACCOUNT_IMPACTS},
        {SAR_ACCOUNT_PHASES, SAR_ACCOUNT_JUMPS, SAR_ACCOUNT_CORRECTIONS}};
    const int* kinds = of[signal->kind == SARI_SIGNAL_LEDGER_EVENTS];
    *out = o->ledger ? sari_ledger_other(o->ledger, kinds[signal->component]) : NAN;
    return SAR_OK;
}

/* Shapes are in the user's units. */
static sar_status clearance(sari_observation* o, const sari_signal* signal, double* out)
{
    const sari_mechanism* m = o->system->mechanism;
    const int body[2] = {signal->body, signal->frame};
    double R[2][9], at[2][3];
    int shape[2];
    sari_gap gap;
    for (int i = 0; i < 2; i++) {
        double quaternion[4];
        sari_report_pose(o, (sar_body_id){body[i]}, at[i], quaternion);
        sari_rotation_of_quaternion(quaternion, R[i]);
    }
    const double *const p[2] = {at[0], at[1]}, *const turned[2] = {R[0], R[1]};
    sari_model_gap(m->model, body, p, turned, &gap, shape);
    *out = gap.distance / o->units.length;
    return SAR_OK;
}

static const signal_value VALUES[SARI_SIGNALS] = {
    [SARI_SIGNAL_CLEARANCE] = clearance,
    [SARI_SIGNAL_POINT] = acceleration,
    [SARI_SIGNAL_BODY_SPIN] = spin,
    [SARI_SIGNAL_QUATERNION] = rotation,
    [SARI_SIGNAL_FORCE] = reaction,
    [SARI_SIGNAL_TORQUE] = reaction,
    [SARI_SIGNAL_DRIVE] = drive_force,
    [SARI_SIGNAL_APPLIED_FORCE] = applied_force,
    [SARI_SIGNAL_APPLIED_TORQUE] = applied_force,
    [SARI_SIGNAL_FORCE_ALONG] = force_along,
    [SARI_SIGNAL_TORQUE_ALONG] = force_along,
    [SARI_SIGNAL_POWER] = power,
    [SARI_SIGNAL_SHOWN] = shown,
    [SARI_SIGNAL_ENERGY] = energy,
    [SARI_SIGNAL_WORK] = work,
    [SARI_SIGNAL_DRIVE_WORK] = drive_work,
    [SARI_SIGNAL_LEDGER] = account,
    [SARI_SIGNAL_LEDGER_EVENTS] = account,
};

int sari_signals_positional(const sari_observation* o, const sari_expression* e)
{
    const int* used;
    int count = sari_expression_variables(e, &used);
    for (int k = 0; k < count; k++) {
        int signal = used[k] - SARI_VARIABLE_SIGNAL;
        if (signal < 0) continue; // time
        if (o->system->mechanism->signal_scalar[signal] < 0) return 0;
        if (o->model->signals[signal].level != 0) return 0;
    }
    return 1;
}

void sari_observation_evaluate_outputs(sari_observation* o)
{
    o->places_only = 1;
    for (int i = 0; i < o->model->outputs_count; i++) {
        const sari_output* output = &o->model->outputs[i];
        if (output->integral != SARI_OUTPUT_INTEGRAL)
            o->places_only &= sari_signals_positional(o, output->value);
    }
}

/* The signals have been read. At the start a mean is the value itself. */
static double output_value(const sari_observation* o, int i)
{
    const sari_output* output = &o->model->outputs[i];
    const double value = sari_expression_value(output->value, o->variables);
    if (!output->integral) return value;
    return sari_output_shown(output, o->integral[i], o->state.t - o->options.start,
                             output->integral == SARI_OUTPUT_RMS ? value * value : value);
}

/* What forces depend on is read, once for all that follows. */
static void see_forces(sari_observation* o)
{
    const sari_state* x = &o->state;
    (void)sari_system_couple(o->system, x->t, x->q, x->v);
    o->system->kinematics->time = x->t;
    sari_kinematics_update(o->system->kinematics, x->q, x->v, 1);
    sari_forces_see(o->system, x->t);
}

sar_status sari_report_outputs(sari_observation* o, double* values)
{
    const sar_model* model = o->model;
    const sari_state* x = &o->state;
    const double* v = o->places_only ? NULL : x->v;
    sari_system_signals(o->system, x->t, x->q, v, x->a, NULL, o->variables);
    for (int i = 0, seen = 0; v && i < model->signals_count; i++) {
        if (o->system->mechanism->signal_scalar[i] >= 0) continue;
        const sari_signal_owner of = sari_signal_types[model->signals[i].kind].of;
        if (!seen && (of == SARI_OF_FORCE || of == SARI_OF_FORCE_TYPE)) {
            see_forces(o);
            seen = 1;
        }
        const signal_value find = VALUES[model->signals[i].kind];
        if (find) SARI_TRY(find(o, &model->signals[i], &o->variables[SARI_VARIABLE_SIGNAL + i]));
        sari_kinematics_update(o->system->kinematics, x->q, x->v, 1);
    }
    for (int i = 0; i < model->outputs_count; i++) values[i] = output_value(o, i);
    return SAR_OK;
}

/* Orientation and origin of a body from its placement. */
void sari_observation_pose(const sari_observation* o, int body, double position[3],
                           double quaternion[4])
{
    const sari_mechanism* m = o->system->mechanism;
    sari_kinematics* k = o->system->kinematics;
    double R[9], center[3];
    sari_kinematics_update_body(k, o->state.q, o->state.v, body);
    const double* X = k->X + m->nx * body;
    sari_rotation_of(m, X, R);
    sari_quaternion_of_rotation(R, quaternion);
    sari_rotate(R, m->model->bodies[body].def.center, center);
    for (int i = 0; i < 3; i++) position[i] = i < m->dimension ? X[i] - center[i] : 0.0;
}

void sari_report_pose(const sari_observation* o, sar_body_id body, double position[3],
                      double quaternion[4])
{
    const sari_units* u = &o->units;
    sari_observation_pose(o, body.i, position, quaternion);
    for (int i = 0; i < 3; i++)
        position[i] = body.i ? u->length * position[i] + u->origin[i] : position[i];
}

void sari_observation_velocity(const sari_observation* o, const double* v, int body,
                               double velocity[3], double angular[3])
{
    const sari_mechanism* m = o->system->mechanism;
    sari_kinematics* k = o->system->kinematics;
    double R[9], arm[3], turn[3];
    sari_kinematics_update_body(k, o->state.q, v, body);
    const double *X = k->X + m->nx * body, *Xd = k->Xd + m->nx * body;
    sari_rotation_of(m, X, R);
    sari_spin_of(m, X, Xd, angular);
    sari_rotate(R, m->model->bodies[body].def.center, arm);
    sari_cross(angular, arm, turn);
    for (int i = 0; i < 3; i++) velocity[i] = i < m->dimension ? Xd[i] - turn[i] : 0.0;
}

void sari_report_velocity(const sari_observation* o, const double* v, sar_body_id body,
                          double velocity[3], double angular[3])
{
    sari_observation_velocity(o, v, body.i, velocity, angular);
    for (int i = 0; i < 3; i++) velocity[i] *= o->units.length;
}

sar_status sari_report_reaction(sari_observation* o, sar_joint_id joint, double force[3],
                                double torque[3])
{
    SARI_TRY(solve_reactions(o));
    sari_reaction(o->reactions, joint.i, force, torque);
    for (int k = 0; k < 3; k++) {
        force[k] *= sari_unit_of_force(&o->units);
        torque[k] *= sari_unit_of_energy(&o->units);
    }
    return SAR_OK;
}

sar_status sari_observation_drive_force(sari_observation* o, int joint, double* force)
{
    if (joint < 0 || joint >= o->model->joints_count) return SAR_E_ARG;
    const sari_relation_type* relation = o->model->joints[joint].relation;
    if (!relation || !relation->force) return SAR_E_ARG;
    SARI_TRY(solve_reactions(o));
    *force = sari_reaction_along(o->reactions, joint);
    return SAR_OK;
}

sar_status sari_report_drive_force(sari_observation* o, sar_joint_id joint, double* force)
{
    SARI_TRY(sari_observation_drive_force(o, joint.i, force));
    *force *= sari_unit_of_energy(&o->units) / sari_unit_of_condition(o->model, &o->units, joint.i);
    return SAR_OK;
}

void sari_report_applied(sari_observation* o, sar_force_id which, double force[3], double torque[3])
{
    int type;
    const sari_force* f = sari_model_force(o->model, which.i, &type);
    see_forces(o);
    applied(o, type, (int)(f - o->model->forces[type].at), force, torque);
    for (int i = 0; i < 3; i++) {
        force[i] *= sari_unit_of_force(&o->units);
        torque[i] *= sari_unit_of_energy(&o->units);
    }
}

sar_energy sari_report_energy(const sari_observation* o)
{
    const double unit = sari_unit_of_energy(&o->units);
    return (sar_energy){unit * o->energy.kinetic, unit * o->energy.potential + o->units.level,
                        unit * o->energy.work};
}

sar_violation sari_report_violation(const sari_observation* o, sar_violation v)
{
    const double unit = o->units.length;
    return (sar_violation){unit * v.position, unit * v.velocity, unit * v.acceleration};
}
