/* Drives whose velocity jumps, as at the points of a table of straight lines: an impact. Positions stay,
 * and velocities become those that satisfy the constraints after it and are nearest to those before, in the
 * norm of kinetic energy:
 *
 *     M (v+ - v-) + Phi_q' p = 0,   Phi_q v+ + Phi_t+ = 0,   p: impulses
 *
 * What that changes of the kinetic energy is work of the drive. A drive whose position jumps cannot be
 * followed. */
#include "base/status.h"
#include "expression/time.h"
#include "simulation/events/events.h"
#include "simulation/simulation.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

int sari_drives_break(const sar_model* model)
{
    for (int j = 0; j < model->joints_count; j++) {
        const sari_joint* joint = &model->joints[j];
        if (joint->relation && joint->relation->prescribes && sari_expression_guards(joint->value))
            return 1;
    }
    return 0;
}

/* How its prescribed value and rate change at the present time; by how much its accelerations change
 * the rate between the two times that are looked at. */
typedef struct change {
    double value, rate_before, rate_after, jump, accelerated;
} change;

static change change_of(const sari_joint* drive, double t)
{
    const double d = 16.0 * DBL_EPSILON * fabs(t) + DBL_MIN, others[1] = {t};
    sari_time_series before, after;
    (void)sari_expression_over_time(drive->value, others, t - d, t - d, &before);
    (void)sari_expression_over_time(drive->value, others, t + d, t + d, &after);
    const double acceleration = 2.0 * fmax(fabs(before.c[2].low), fabs(after.c[2].low));
    return (change){before.at[0], before.c[1].low, after.c[1].low, fabs(after.at[0] - before.at[0]),
                    2.0 * d * acceleration};
}

static sar_status refuse(sar_simulation* s, int joint, const change* c)
{
    const double unit = sari_unit_of_condition(s->model, &s->units, joint);
    snprintf(s->failure, sizeof s->failure,
             "the drive \"%s\" jumps by %.4g at t = %.9g: no mechanism can follow. Let it move "
             "there in some time, with step(t, t0, y0, t1, y1) or a cubic table",
             s->model->joints[joint].name, unit * c->jump, s->state.t);
    return SAR_R_NO_CONV;
}

/* Who names the time in the model knows of it. */
static bool is_breakpoint(const sar_model* model, double t)
{
    for (int k = 0; k < model->breakpoints_count; k++)
        if (fabs(model->breakpoints[k] - t) <= 16.0 * DBL_EPSILON * fabs(t)) return true;
    return false;
}

static void note(sar_simulation* s, int joint, const change* c, double t)
{
    sar_drive_jump* first = &s->drive_jump;
    const double unit = sari_unit_of_condition(s->model, &s->units, joint);
    if (is_breakpoint(s->model, t) || first->count++ > 0) return;
    first->t = t;
    first->before = unit * c->rate_before;
    first->after = unit * c->rate_after;
    snprintf(first->drive, sizeof first->drive, "%s", s->model->joints[joint].name);
}

static sar_status strike(sar_simulation* s, int joint)
{
    sari_state* x = &s->state;
    sari_system* sys = s->system;
    sari_kinematics_update(sys->kinematics, x->q, x->v, 1);
    const double before = s->energy.kinetic;
    const sar_status st =
        sari_project_velocity(s->projector, x->t, x->q, sys->kinematics->Xd, x->v);
    if (st != SAR_OK) {
        snprintf(s->failure, sizeof s->failure,
                 "the velocity of the drive \"%s\" jumps at t = %.9g, and no velocities satisfy "
                 "all joints and drives after that",
                 s->model->joints[joint].name, x->t);
        return st;
    }
    SARI_TRY(sari_equations_eval(&sys->equations, SARI_EVAL_DYNAMICS, x->t, x->q, x->v));
    sari_observation_measure(&s->seen, NULL);
    s->energy.work += s->energy.kinetic - before;
    sari_ledger_enter(s, SAR_ACCOUNT_JUMPS, s->energy.kinetic - before);
    return SAR_OK;
}

sar_status sari_drives_pass_break(sar_simulation* s, double t)
{
    const double SMALL = 1e-9; // of values and rates, in units of the model
    int striking = -1;
    if (!s->drives_break) return SAR_OK;
    for (int j = 0; j < s->model->joints_count; j++) {
        const sari_joint* drive = &s->model->joints[j];
        if (!drive->relation || !drive->relation->prescribes || !s->system->mechanism->active[j])
            continue;
        if (sari_expression_guards(drive->value) == 0) continue;
        const change c = change_of(drive, t);
        const double fastest = fmax(fabs(c.rate_before), fabs(c.rate_after));
        if (c.jump > SMALL * fmax(1.0, fabs(c.value))) return refuse(s, j, &c);
        if (!(fabs(c.rate_after - c.rate_before) > SMALL * fastest + c.accelerated)) continue;
        note(s, j, &c, t);
        striking = j;
    }
    return striking >= 0 ? strike(s, striking) : SAR_OK;
}

int sar_simulation_drive_jumps(const sar_simulation* s, sar_drive_jump* first)
{
    *first = s->drive_jump;
    return s->drive_jump.count > 0;
}
