/* Backward differentiation formulas of orders 1 to 5 with variable step, through CVODE
 * [hindmarsh2005]: implicit, for motions with stiff springs and dampers. Newton's iteration with a
 * Jacobian by difference quotients; dense LU up to DENSE_MOST unknowns, GMRES above.
 *
 * A formulation that returns to the constraints after a step does so within the step here: the
 * projection is applied to what Newton's iteration arrives at, before the error is tested, so that
 * the history of the formula goes on with projected values. It is then called for rejected attempts
 * too, and must depend on the state alone. Positions that are no vectors return to their manifold
 * in the same way. */
#include "base/status.h"
#include "integrators/sundials.h"

#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <float.h>
#include <math.h>
#include <string.h>

enum { DENSE_MOST = 400 };

typedef struct bdf {
    sari_ode ode;
    void* cvode;
    SUNMatrix matrix; ///< NULL: GMRES
    SUNLinearSolver linear;
    N_Vector column; ///< of the matrix: no memory of its own
    int projecting;  ///< the formulation was seen to project
    long rejected;   ///< so far
} bdf;

static void clear(void* self_)
{
    bdf* self = self_;
    if (self->cvode) CVodeFree(&self->cvode);
    if (self->linear) SUNLinSolFree(self->linear);
    if (self->matrix) SUNMatDestroy(self->matrix);
    if (self->column) N_VDestroy(self->column);
    sari_ode_clear(&self->ode);
}

/* ---- projections ---------------------------------------------------------------------------- */

/* correction = (y returned to the constraints) - y */
static int project(double t, N_Vector y, N_Vector correction, double tolerance, N_Vector error,
                   void* self)
{
    sari_ode* ode = self;
    sari_state* s = &ode->work;
    const double* at = N_VGetArrayPointer(y);
    double* out = N_VGetArrayPointer(correction);
    const int np = ode->np, n = ode->n;
    sar_status st = SAR_OK;
    int changed;
    (void)tolerance;
    (void)error;
    if (ode->resting) {
        N_VConst(0.0, correction);
        return 0;
    }
    memcpy(s->q, at, (size_t)np * sizeof(double));
    memcpy(s->p, at + np, (size_t)n * sizeof(double));
    s->t = t;
    sari_coordinates_normalise(ode->coordinates, s->q);
    sari_projections_forget(ode->system, 0.0); // the last one counts: those before were rejected
    if (((bdf*)self)->projecting) st = ode->form.ops->rates->accept(ode->form.self, s, &changed);
    if (st != SAR_OK) ode->trouble = st;
    for (int i = 0; i < np; i++) out[i] = s->q[i] - at[i];
    for (int i = 0; i < n; i++) out[np + i] = s->p[i] - at[np + i];
    s->t = NAN; // not where the rates were evaluated
    return st == SAR_OK ? 0 : st > 0 ? 1 : -1;
}

/* ---- Jacobian ------------------------------------------------------------------------------- */

/* d(dy/dt)/dy by forward differences, with the increments of CVODE's own function, which allocates
 * each time it is called. */
static int jacobian(double t, N_Vector y, N_Vector dydt, SUNMatrix J, void* self_, N_Vector moved,
                    N_Vector unused_1, N_Vector unused_2)
{
    bdf* self = self_; // its first member is the ode that the others are given
    sari_ode* ode = &self->ode;
    (void)moved;
    (void)unused_1;
    (void)unused_2;
    const int size = ode->size;
    double *at = N_VGetArrayPointer(y), h = 0.0, largest = 0.0;
    const double* f = N_VGetArrayPointer(dydt);
    CVodeGetCurrentStep(self->cvode, &h);
    for (int i = 0; i < size; i++)
        largest = fmax(largest, fabs(f[i]) / sari_ode_allowed(ode, at[i]));
    double least = largest > 0.0 ? 1000.0 * fabs(h) * DBL_EPSILON * size * largest : 1.0;
    for (int j = 0; j < size; j++) {
        double kept = at[j], *column = SUNDenseMatrix_Column(J, j);
        at[j] += fmax(sqrt(DBL_EPSILON) * fabs(kept), least * sari_ode_allowed(ode, kept));
        double step = at[j] - kept;
        N_VSetArrayPointer(column, self->column);
        int flag = sari_ode_rates(t, y, self->column, ode);
        at[j] = kept;
        if (flag) return flag;
        for (int i = 0; i < size; i++) column[i] = (column[i] - f[i]) / step;
    }
    return 0;
}

/* ---- create --------------------------------------------------------------------------------- */

static int set_up_linear(bdf* self)
{
    sari_ode* ode = &self->ode;
    const sunindextype size = ode->size;
    if (size <= DENSE_MOST) {
        self->matrix = SUNDenseMatrix(size, size, ode->context);
        if (!self->matrix) return 0;
        self->linear = SUNLinSol_Dense(ode->y, self->matrix, ode->context);
    } else {
        self->linear = SUNLinSol_SPGMR(ode->y, SUN_PREC_NONE, 0, ode->context);
    }
    if (!self->linear || CVodeSetLinearSolver(self->cvode, self->linear, self->matrix)) return 0;
    if (!self->matrix) return 1;
    self->column = N_VNewEmpty_Serial(size, ode->context);
    return self->column && CVodeSetJacFn(self->cvode, jacobian) == 0;
}

static int set_up(bdf* self)
{
    sari_ode* ode = &self->ode;
    self->cvode = CVodeCreate(CV_BDF, ode->context);
    if (!self->cvode) return 0;
    int flag = CVodeSetErrHandlerFn(self->cvode, sari_ode_quiet, NULL);
    flag |= CVodeInit(self->cvode, sari_ode_rates, 0.0, ode->y);
    flag |= CVodeSetUserData(self->cvode, ode);
    flag |= CVodeWFtolerances(self->cvode, sari_ode_weights);
    flag |= CVodeSetInitStep(self->cvode, ode->first_step);
    flag |= CVodeSetMinStep(self->cvode, ode->shortest_step);
    flag |= CVodeSetMaxStep(self->cvode, ode->longest_step);
    flag |= CVodeSetProjFn(self->cvode, project);
    flag |= CVodeSetProjErrEst(self->cvode, 0);
    // positions that are vectors have none, until the formulation is seen to project
    flag |= CVodeSetProjFrequency(self->cvode, ode->np != ode->n);
    return flag == 0 && set_up_linear(self);
}

/* CVODE allocates in its first step: let that be one in which nothing moves. */
static int try_step(bdf* self)
{
    double t;
    self->ode.resting = 1;
    int flag = CVode(self->cvode, self->ode.first_step, self->ode.y, &t, CV_ONE_STEP);
    self->ode.resting = 0;
    return flag >= 0;
}

static sar_status create(void* self_, sari_equations* system, const sari_formulation* form,
                         const sar_options* options, sar_error* error)
{
    bdf* self = self_;
    (void)error;
    int ok = sari_ode_create(&self->ode, system, form, options) && set_up(self) && try_step(self);
    return ok ? SAR_OK : SAR_E_NOMEM;
}

static sar_status start(void* self_, const sari_state* s)
{
    bdf* self = self_;
    self->rejected = 0;
    sari_ode_begin(&self->ode, s);
    sari_ode_load(&self->ode, s);
    int flag = CVodeReInit(self->cvode, s->t, self->ode.y);
    // whether it projects may be known from another run, whose state was restored
    flag |= CVodeSetProjFrequency(self->cvode, self->projecting || self->ode.np != self->ode.n);
    return flag == CV_SUCCESS ? SAR_OK : SAR_E_NOMEM;
}

static void archive(void* self, sari_archive* a)
{
    SARI_ARCHIVE_INTS(a, &((bdf*)self)->projecting);
    sari_ode_archive(self, a);
}

/* ---- steps ---------------------------------------------------------------------------------- */

/* Return s to the constraints; the first time that the formulation says so, CVODE is told to do
 * this from now on. Its history begins again, as it does whenever the state jumps. */
static sar_status accept(bdf* self, sari_state* s)
{
    sari_ode* ode = &self->ode;
    int changed;
    if (self->projecting) return SAR_OK;
    SARI_TRY(ode->form.ops->rates->accept(ode->form.self, s, &changed));
    if (!changed && sari_ode_is_at(ode, s)) return SAR_OK;
    self->projecting = changed;
    self->rejected = 0; // CVODE counts from here again
    sari_ode_load(ode, s);
    int flag = changed ? CVodeSetProjFrequency(self->cvode, 1) : 0;
    flag |= CVodeReInit(self->cvode, s->t, ode->y);
    return flag == 0 ? SAR_OK : SAR_E_NOMEM;
}

static int count_rejected(bdf* self)
{
    long before = self->rejected, error_tests = 0, solves = 0;
    CVodeGetNumErrTestFails(self->cvode, &error_tests);
    CVodeGetNumStepSolveFails(self->cvode, &solves);
    self->rejected = error_tests + solves;
    return (int)(self->rejected - before);
}

static sar_status step(void* self_, sari_state* s, double h, sari_step_report* report)
{
    bdf* self = self_;
    sari_ode* ode = &self->ode;
    double t = s->t, end = s->t + h, tried = h;
    sari_ode_begin(ode, s);
    int flag = CVodeSetStopTime(self->cvode, end);
    if (flag == CV_SUCCESS) flag = CVode(self->cvode, end, ode->y, &t, CV_ONE_STEP);
    report->rejected = count_rejected(self);
    report->iterations = ode->evaluations;
    if (flag < 0) {
        CVodeGetCurrentStep(self->cvode, &tried);
        return sari_ode_fail(ode, flag, s, tried);
    }
    s->t = t;
    sari_ode_store(ode, s);
    SARI_TRY(accept(self, s));
    return sari_ode_finish(ode, s, report);
}

const sari_integrator_ops sari_integrator_bdf = {
    .name = "bdf",
    .cite = "hindmarsh2005",
    .text = "backward differentiation formulas, implicit, step and order (1 to 5) chosen by a "
            "tolerance",
    .needs = SARI_CONTRACT_RATES,
    .order = 5,
    .variable = 1,
    .elsewhere = 1,
    .size = SARI_OBJECT(bdf, ode.memory),
    .create = create,
    .start = start,
    .step = step,
    .dense = sari_ode_dense,
    .explain = sari_ode_explain,
    .archive = archive,
    .clear = clear,
};
