/* Dormand and Prince's explicit pair of orders 5 and 4 [dormand1980] with a step chosen by the
 * difference of the two, through ARKODE [reynolds2023]. Seven stages, the last of which is the
 * first of the next step: six evaluations a step. */
#include "base/status.h"
#include "integrators/sundials.h"

#include <arkode/arkode_erkstep.h>

enum { RETRIES = 10 };

typedef struct dopri5 {
    sari_ode ode;
    void* erk;
    long attempts; ///< so far
} dopri5;

static void clear(void* self_)
{
    dopri5* self = self_;
    if (self->erk) ERKStepFree(&self->erk);
    sari_ode_clear(&self->ode);
}

static int set_up(dopri5* self)
{
    sari_ode* ode = &self->ode;
    self->erk = ERKStepCreate(sari_ode_rates, 0.0, ode->y, ode->context);
    if (!self->erk) return 0;
    int flag = ERKStepSetErrHandlerFn(self->erk, sari_ode_quiet, NULL);
    flag |= ERKStepSetUserData(self->erk, ode);
    flag |= ERKStepSetTableNum(self->erk, ARKODE_DORMAND_PRINCE_7_4_5);
    flag |= ERKStepWFtolerances(self->erk, sari_ode_weights);
    // h (0.8 / error)^(1/5): as ode45, and with fewer rejections here than ARKODE's own PID control
    double k[3] = {1.0, 0.0, 0.0};
    flag |= ERKStepSetAdaptivityMethod(self->erk, ARK_ADAPT_I, 0, 0, k);
    flag |= ERKStepSetSafetyFactor(self->erk, 0.8);
    flag |= ERKStepSetErrorBias(self->erk, 1.0);
    flag |= ERKStepSetInitStep(self->erk, ode->first_step);
    flag |= ERKStepSetMinStep(self->erk, ode->shortest_step);
    flag |= ERKStepSetMaxStep(self->erk, ode->longest_step);
    return flag == 0;
}

/* ARKODE allocates in its first step: let that be one in which nothing moves. */
static int try_step(dopri5* self)
{
    double t;
    self->ode.resting = 1;
    int flag = ERKStepEvolve(self->erk, self->ode.first_step, self->ode.y, &t, ARK_ONE_STEP);
    self->ode.resting = 0;
    return flag >= 0;
}

static sar_status create(void* self_, sari_equations* system, const sari_formulation* form,
                         const sar_options* options, sar_error* error)
{
    dopri5* self = self_;
    (void)error;
    int ok = sari_ode_create(&self->ode, system, form, options) && set_up(self) && try_step(self);
    return ok ? SAR_OK : SAR_E_NOMEM;
}

static int count_attempts(dopri5* self)
{
    long before = self->attempts;
    ERKStepGetNumStepAttempts(self->erk, &self->attempts);
    return (int)(self->attempts - before);
}

/* Begin again at s with a first step of h. */
static int restart(dopri5* self, const sari_state* s, double h)
{
    self->attempts = 0;
    sari_ode_load(&self->ode, s);
    int flag = ERKStepSetInitStep(self->erk, h);
    return flag ? flag : ERKStepReInit(self->erk, sari_ode_rates, s->t, self->ode.y);
}

/* One step of ARKODE from s. Where the rates cannot be evaluated ARKODE gives up; but a smaller
 * step may avoid the place: try half the way to it. */
static int evolve(dopri5* self, const sari_state* s, double end, double* t,
                  sari_step_report* report)
{
    sari_ode* ode = &self->ode;
    for (int retry = 0;; retry++) {
        int flag = ERKStepSetStopTime(self->erk, end);
        if (flag == ARK_SUCCESS) flag = ERKStepEvolve(self->erk, end, ode->y, t, ARK_ONE_STEP);
        report->rejected += count_attempts(self);
        double h = 0.5 * (ode->trouble_time - s->t);
        int again = flag == ARK_UNREC_RHSFUNC_ERR && ode->trouble > 0 && retry < RETRIES;
        if (!again || !(h > ode->shortest_step) || restart(self, s, h) != ARK_SUCCESS) return flag;
    }
}

static sar_status start(void* self_, const sari_state* s)
{
    dopri5* self = self_;
    sari_ode_begin(&self->ode, s);
    return restart(self, s, self->ode.first_step) == ARK_SUCCESS ? SAR_OK : SAR_E_NOMEM;
}

static sar_status step(void* self_, sari_state* s, double h, sari_step_report* report)
{
    dopri5* self = self_;
    sari_ode* ode = &self->ode;
    double t = s->t, tried = h;
    sari_ode_begin(ode, s);
    int flag = evolve(self, s, s->t + h, &t, report);
    report->iterations = ode->evaluations;
    if (flag < 0) {
        ERKStepGetCurrentStep(self->erk, &tried);
        return sari_ode_fail(ode, flag, s, tried);
    }
    report->rejected--; // all attempts but one
    int changed;
    s->t = t;
    sari_ode_store(ode, s);
    sari_coordinates_normalise(ode->coordinates, s->q);
    SARI_TRY(ode->form.ops->rates->accept(ode->form.self, s, &changed));
    SARI_TRY(sari_ode_finish(ode, s, report));
    if (sari_ode_is_at(ode, s)) return SAR_OK;
    sari_ode_load(ode, s);
    return ERKStepReset(self->erk, t, ode->y) == ARK_SUCCESS ? SAR_OK : SAR_E_NOMEM;
}

const sari_integrator_ops sari_integrator_dopri5 = {
    .name = "dopri5",
    .cite = "dormand1980 reynolds2023 hindmarsh2005",
    .text = "Dormand-Prince 5(4), explicit, step chosen by a tolerance; order 5",
    .needs = SARI_CONTRACT_RATES,
    .order = 5,
    .variable = 1,
    .elsewhere = 1,
    .size = SARI_OBJECT(dopri5, ode.memory),
    .create = create,
    .start = start,
    .step = step,
    .dense = sari_ode_dense,
    .explain = sari_ode_explain,
    .archive = sari_ode_archive,
    .clear = clear,
};
