/* Backward differentiation formulas of orders 1 to 5 with variable step for differential-algebraic
 * systems, through IDA [hindmarsh2005], after [brenan1989]: the way of commercial programs since
 * [orlandea1977]. The formulation gives residual, matrix and solution (formulation.h). Every step
 * has a matrix of its own: IDA would keep one as long as its iteration contracts at all, and what
 * that leaves over drowns the errors of the formulas at coarse tolerances. Which errors count is
 * the formulation's say as well: with index 3 those of positions alone, since the formulas of
 * velocities and multipliers lose one and two orders where the step changes. */
#include "base/status.h"
#include "integrators/sundials.h"

#include <ida/ida.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double NOTHING =
    1e-4;                          ///< correction, of the tolerance, after which none has to follow
static const double SLOWEST = 0.9; ///< rate

typedef struct ida {
    sari_ode ode; ///< without rates
    const sari_dae_ops* dae;
    void* form; ///< its self
    sari_dae_role* role;
    void* ida;
    N_Vector ydot, tested, between;
    SUNMatrix matrix; ///< a name for what the formulation has
    SUNLinearSolver linear;
    SUNNonlinearSolver newton;
    double last;     ///< correction
    double factored; ///< the matrix was, at this time
    long rejected;   ///< so far
} ida;

static void clear(void* self_)
{
    ida* self = self_;
    if (self->ida) IDAFree(&self->ida);
    if (self->newton) SUNNonlinSolFree(self->newton);
    if (self->linear) SUNLinSolFree(self->linear);
    if (self->matrix) SUNMatDestroy(self->matrix);
    if (self->ydot) N_VDestroy(self->ydot);
    if (self->tested) N_VDestroy(self->tested);
    if (self->between) N_VDestroy(self->between);
    sari_ode_clear(&self->ode);
}

/* ---- what IDA asks for ---------------------------------------------------------------------- */

/* A status for IDA: 0; 1, try a smaller step; -1, give up. */
static int answer(ida* self, sar_status st, double t)
{
    if (st == SAR_OK) return 0;
    self->ode.trouble = st;
    self->ode.trouble_time = t;
    return st > 0 ? 1 : -1;
}

static int residual(double t, N_Vector y, N_Vector ydot, N_Vector r, void* self_)
{
    ida* self = self_;
    if (self->ode.resting) {
        N_VScale(1.0, ydot, r);
        return 0;
    }
    self->ode.evaluations++;
    return answer(self,
                  self->dae->residual(self->form, t, N_VGetArrayPointer(y),
                                      N_VGetArrayPointer(ydot), N_VGetArrayPointer(r)),
                  t);
}

static int factor(double t, double cj, N_Vector y, N_Vector ydot, N_Vector r, SUNMatrix matrix,
                  void* self_, N_Vector unused_1, N_Vector unused_2, N_Vector unused_3)
{
    ida* self = self_;
    (void)ydot;
    (void)r;
    (void)matrix;
    (void)unused_1;
    (void)unused_2;
    (void)unused_3;
    if (self->ode.resting) return 0;
    self->factored = t;
    return answer(self, self->dae->factor(self->form, t, N_VGetArrayPointer(y), cj), t);
}

static int solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b, double tolerance)
{
    ida* self = solver->content;
    double cj = 1.0, t = 0.0;
    (void)tolerance;
    IDAGetCurrentCj(self->ida, &cj);
    IDAGetCurrentTime(self->ida, &t);
    if (self->ode.resting) {
        N_VScale(1.0 / cj, b, x);
        return 0;
    }
    if (self->factored != t) {
        N_Vector y = NULL;
        IDAGetCurrentY(self->ida, &y);
        int flag = factor(t, cj, y, NULL, NULL, matrix, self, NULL, NULL, NULL);
        if (flag) return flag;
    }
    return answer(
        self, self->dae->solve(self->form, cj, N_VGetArrayPointer(b), N_VGetArrayPointer(x)), t);
}

/* Corrections fall at a rate r: r/(1 - r) times the last one is left. */
static int is_converged(SUNNonlinearSolver newton, N_Vector y, N_Vector correction,
                        double tolerance, N_Vector w, void* self_)
{
    ida* self = self_;
    int iteration = 0;
    const double now = N_VWrmsNorm(correction, w), rate = now / self->last;
    (void)y;
    SUNNonlinSolGetCurIter(newton, &iteration);
    self->last = now;
    if (now <= NOTHING * tolerance) return SUN_NLS_SUCCESS;
    if (iteration == 0) return SUN_NLS_CONTINUE;
    if (!(rate <= SLOWEST)) return SUN_NLS_CONV_RECVR;
    return rate / (1.0 - rate) * now <= tolerance ? SUN_NLS_SUCCESS : SUN_NLS_CONTINUE;
}

/* Multipliers do not count: where q and v have converged, they have, but for a factor of 1/h. */
static int weights(N_Vector y, N_Vector w, void* self_)
{
    const ida* self = self_;
    const double* at = N_VGetArrayPointer(y);
    double* out = N_VGetArrayPointer(w);
    for (int i = 0; i < self->ode.size; i++)
        out[i] = self->role[i] == SARI_DAE_FREE ? 0.0 : 1.0 / sari_ode_allowed(&self->ode, at[i]);
    return 0;
}

/* ---- create --------------------------------------------------------------------------------- */

static SUNMatrix_ID matrix_id(SUNMatrix matrix)
{
    (void)matrix;
    return SUNMATRIX_CUSTOM;
}

static int keep_matrix(SUNMatrix matrix)
{
    (void)matrix;
    return 0;
}

static SUNLinearSolver_Type solver_type(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static SUNLinearSolver_ID solver_id(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_CUSTOM;
}

static int free_solver(SUNLinearSolver solver)
{
    SUNLinSolFreeEmpty(solver);
    return 0;
}

static int set_up_linear(ida* self)
{
    self->matrix = SUNMatNewEmpty(self->ode.context);
    self->linear = SUNLinSolNewEmpty(self->ode.context);
    if (!self->matrix || !self->linear) return 0;
    self->matrix->ops->getid = matrix_id;
    self->matrix->ops->zero = keep_matrix;
    self->matrix->ops->destroy = SUNMatFreeEmpty;
    self->linear->content = self;
    self->linear->ops->gettype = solver_type;
    self->linear->ops->getid = solver_id;
    self->linear->ops->solve = solve;
    self->linear->ops->free = free_solver;
    int flag = IDASetLinearSolver(self->ida, self->linear, self->matrix);
    flag |= IDASetJacFn(self->ida, factor);
    flag |= IDASetLinearSolutionScaling(self->ida, SUNFALSE); // solve knows the present cj
    return flag == 0;
}

static int set_up_newton(ida* self)
{
    self->newton = SUNNonlinSol_Newton(self->ode.y, self->ode.context);
    if (!self->newton || IDASetNonlinearSolver(self->ida, self->newton) != IDA_SUCCESS) return 0;
    return SUNNonlinSolSetConvTestFn(self->newton, is_converged, self) == SUN_NLS_SUCCESS;
}

static int set_up_vectors(ida* self)
{
    sari_ode* ode = &self->ode;
    self->ydot = N_VClone(ode->y);
    self->tested = N_VClone(ode->y);
    self->between = N_VClone(ode->y);
    self->role = SARI_TAKE(&ode->memory, sari_dae_role, ode->size);
    if (!self->ydot || !self->tested || !self->between || !self->role) return 0;
    N_VConst(0.0, self->ydot);
    self->dae->roles(self->form, self->role);
    double* tested = N_VGetArrayPointer(self->tested);
    for (int i = 0; i < ode->size; i++) tested[i] = self->role[i] == SARI_DAE_TESTED;
    return 1;
}

static int set_up(ida* self, int most)
{
    sari_ode* ode = &self->ode;
    self->ida = IDACreate(ode->context);
    if (!self->ida || !set_up_vectors(self)) return 0;
    int flag = IDASetErrHandlerFn(self->ida, sari_ode_quiet, NULL);
    flag |= IDAInit(self->ida, residual, 0.0, ode->y, self->ydot);
    flag |= IDASetUserData(self->ida, self);
    flag |= IDAWFtolerances(self->ida, weights);
    flag |= IDASetId(self->ida, self->tested);
    flag |= IDASetSuppressAlg(self->ida, SUNTRUE);
    flag |= IDASetMaxOrd(self->ida, most);
    flag |= IDASetInitStep(self->ida, ode->first_step);
    flag |= IDASetMinStep(self->ida, ode->shortest_step);
    flag |= IDASetMaxStep(self->ida, ode->longest_step);
    return flag == 0 && set_up_newton(self) && set_up_linear(self);
}

/* IDA allocates in its first step: let that be one in which nothing moves. */
static int try_step(ida* self)
{
    double t;
    self->ode.resting = 1;
    int flag = IDASolve(self->ida, self->ode.first_step, &t, self->ode.y, self->ydot, IDA_ONE_STEP);
    self->ode.resting = 0;
    return flag >= 0;
}

static sar_status create(void* self_, sari_equations* system, const sari_formulation* form,
                         const sar_options* options, sar_error* error)
{
    ida* self = self_;
    (void)error;
    self->dae = form->ops->dae;
    self->form = form->self;
    int ok = sari_ode_create(&self->ode, system, form, options) &&
             set_up(self, options->max_order) && try_step(self);
    return ok ? SAR_OK : SAR_E_NOMEM;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static sar_status start(void* self_, const sari_state* s)
{
    ida* self = self_;
    self->rejected = 0;
    self->factored = NAN;
    self->dae->load(self->form, s, N_VGetArrayPointer(self->ode.y), N_VGetArrayPointer(self->ydot));
    return IDAReInit(self->ida, s->t, self->ode.y, self->ydot) == IDA_SUCCESS ? SAR_OK
                                                                              : SAR_E_NOMEM;
}

static int count_rejected(ida* self)
{
    long before = self->rejected, error_tests = 0, solves = 0;
    IDAGetNumErrTestFails(self->ida, &error_tests);
    IDAGetNumStepSolveFails(self->ida, &solves);
    self->rejected = error_tests + solves;
    return (int)(self->rejected - before);
}

double sari_ida_next_step(const void* self)
{
    double next = 0.0;
    IDAGetCurrentStep(((const ida*)self)->ida, &next);
    return next;
}

/* Where the next step may end at most: no tiny one shall be left for the last. With index 3 the
 * rounding of positions, divided by the step, is in the velocities. */
static double stop_before(const ida* self, double t, double h)
{
    const double next = sari_ida_next_step(self);
    return next < h && h < 2.0 * next ? t + 0.5 * h : t + h;
}

static sar_status step(void* self_, sari_state* s, double h, sari_step_report* report)
{
    ida* self = self_;
    sari_ode* ode = &self->ode;
    double t = s->t, end = stop_before(self, s->t, h), tried = h;
    sari_ode_begin(ode, s);
    int flag = IDASetStopTime(self->ida, end);
    if (flag == IDA_SUCCESS) flag = IDASolve(self->ida, end, &t, ode->y, self->ydot, IDA_ONE_STEP);
    report->rejected = count_rejected(self);
    report->iterations = ode->evaluations;
    if (flag < 0) {
        IDAGetCurrentStep(self->ida, &tried);
        return sari_ode_fail(ode, flag, s, tried);
    }
    s->t = t;
    self->dae->store(self->form, N_VGetArrayPointer(ode->y), N_VGetArrayPointer(self->ydot), s);
    report->evaluated = 1;
    return self->dae->finish(self->form, s);
}

/* IDA's own interpolant, of the order of the step. */
static sar_status dense(void* self_, double t, sari_state* s)
{
    ida* self = self_;
    int flag = IDAGetDky(self->ida, t, 0, self->ode.y);
    flag |= IDAGetDky(self->ida, t, 1, self->between);
    if (flag != IDA_SUCCESS) return SAR_E_ARG;
    self->dae->store(self->form, N_VGetArrayPointer(self->ode.y), N_VGetArrayPointer(self->between),
                     s);
    return SAR_OK;
}

/* IDA has the history of another step: `dense` shall not take it for that of the last one. */
static void archive(void* self_, sari_archive* a)
{
    ida* self = self_;
    if (sari_archive_reads(a)) IDAReInit(self->ida, -DBL_MAX, self->ode.y, self->ydot);
}

static void explain(const void* self_, char* text, size_t size)
{
    const ida* self = self_;
    const sari_ode* ode = &self->ode;
    const sari_formulation* form = &ode->form;
    const int singular = form->ops->near_singular && form->ops->near_singular(form->self);
    const char* why =
        singular
            ? "The constraints lose rank near here, and where they do the matrix of this "
              "method is singular and its multipliers have no bounds. al3 and LMD-midpoint go "
              "through singular configurations"
            : "As near a singular configuration, or where a force jumps: al3 and LMD-midpoint go "
              "through the former, `breakpoints` in the model are for the latter; or take another "
              "`tolerance`";
    if (ode->flag == IDA_CONV_FAIL)
        snprintf(text, size,
                 "the corrector did not converge at t = %.9g, with steps down to h = %.1e. %s",
                 ode->failed_at, ode->failed_step, why);
    else if (ode->flag == IDA_ERR_FAIL)
        snprintf(text, size,
                 "the step became too small at t = %.9g: with h = %.1e the error is still above "
                 "the tolerance of %.1e. %s",
                 ode->failed_at, ode->failed_step, ode->tolerance, why);
    else
        sari_ode_explain(ode, text, size);
}

const sari_integrator_ops sari_integrator_ida = {
    .name = "ida",
    .cite = "hindmarsh2005 brenan1989 orlandea1977",
    .text =
        "backward differentiation formulas for differential-algebraic equations, step and order "
        "(1 to 5) chosen by a tolerance",
    .needs = SARI_CONTRACT_DAE,
    .order = 5,
    .variable = 1,
    .elsewhere = 1,
    .size = SARI_OBJECT(ida, ode.memory),
    .create = create,
    .start = start,
    .step = step,
    .dense = dense,
    .explain = explain,
    .archive = archive,
    .clear = clear,
};
