/* The formulation around the step of threefield.h: options, room, start, what others ask for. */
#include "formulations/threefield/threefield.h"

#include "base/memory.h"
#include "base/status.h"
#include "formulations/threefield/six_fields.h"
#include "linalg/sym_tools.h"

#include <math.h>
#include <string.h>

enum { START_PASSES = 20 }; ///< for accelerations at the start of a run

static const double ACCEPT = 1e-5;     ///< default
static const double START_RATIO = 1e4; ///< of penalties there

typedef sari_threefield threefield;

/* NULL: the step that began last is taken back. */
static void begin(void* self_, const sari_state* s)
{
    threefield* self = self_;
    const size_t bytes = (size_t)self->sys->nc * sizeof(double);
    if (self->beside.lambda) {
        memcpy(s ? self->beside.lambda0 : self->beside.lambda,
               s ? self->beside.lambda : self->beside.lambda0, bytes);
        memcpy(s ? self->beside.momentum0 : self->beside.momentum,
               s ? self->beside.momentum : self->beside.momentum0, bytes);
    }
    if (self->six) sari_six_fields_keep(self->six, self->sys->nc, s != NULL);
    if (s) return;
    self->past.h = 0.0;
    self->cold = 1;
}

static sar_status start(void* self_, sari_state* s)
{
    threefield* self = self_;
    sari_equations* sys = self->sys;
    const unsigned tangent = self->P.has_tangent ? SARI_EVAL_TANGENT : 0;
    SARI_TRY(sari_equations_eval(sys, SARI_EVAL_DYNAMICS | tangent, s->t, s->q, s->v));
    sari_row_masses_set(&self->masses, self->mass);
    memcpy(self->mass0, self->mass, (size_t)sys->nc * sizeof(double));
    sari_threefield_choose_penalty(self);
    SARI_TRY(sari_threefield_find_softest(self));
    SARI_TRY(sari_threefield_factor_mass(self, START_RATIO));
    memset(s->lambda, 0, (size_t)sys->nc * sizeof(double));
    memset(self->conflict, 0, (size_t)sys->nc * sizeof(double));
    self->implied =
        sys->velocity_rows &&
        sari_constrained_implied(&self->lin, sys->velocity_rows, self->f, self->row, self->scaled);
    SARI_TRY(sari_threefield_accelerate(self, s, START_PASSES));
    self->past.h = 0.0;
    self->cold = 0;
    for (int r = 0; self->beside.lambda && r < sys->nc; r++)
        self->beside.lambda[r] = self->beside.momentum[r] = self->beside.rate[r] = 0.0;
    if (self->six) sari_six_fields_start(self, s);
    begin(self, s);
    for (int i = 0; i < sys->nq; i++)
        if (!isfinite(s->a[i])) return SAR_R_NOT_FINITE;
    return SAR_OK;
}

static int near_singular(const void* self_)
{
    return ((const threefield*)self_)->struggled;
}

static void expect_steps(void* self_, const sar_options* options)
{
    threefield* self = self_;
    self->tolerance = options->newton_tolerance;
    self->most = options->iterations;
    self->sweeps =
        self->sweeps_given >= 0 ? self->sweeps_given : !self->six && options->compose == 2;
}

static void multipliers(const void* self_, const double** values, const double** rates)
{
    const threefield* self = self_;
    *values = self->six ? self->six->lambda : self->beside.lambda;
    *rates = self->six ? self->six->rate : self->beside.rate;
}

static double alpha(const void* self_)
{
    const threefield* self = self_;
    double most = 0.0;
    for (int r = 0; r < self->sys->nc; r++) most = fmax(most, self->rho[r]);
    return most;
}

static void share(void* self_, int threads)
{
    sari_constrained_share(&((threefield*)self_)->lin, threads);
    sari_constrained_share(&((threefield*)self_)->limit, threads);
}

static const char* solver(const void* self_)
{
    return ((const threefield*)self_)->lin.solver.ops->name;
}

static void clear(void* self_)
{
    threefield* self = self_;
    sari_constrained_clear(&self->lin);
    sari_constrained_clear(&self->limit);
    sari_step_matrix_clear(&self->P);
    sari_row_masses_clear(&self->masses);
}

static void archive(void* self_, sari_archive* a)
{
    threefield* self = self_;
    const size_t n = (size_t)self->sys->nq, m = (size_t)self->sys->nc;
    double* const of_rows[] = {self->rho,         self->mass,           self->mass0,
                               self->w,           self->root,           self->past.lambda,
                               self->conflict,    self->beside.lambda,  self->beside.momentum,
                               self->beside.rate, self->beside.lambda0, self->beside.momentum0};
    SARI_ARCHIVE_NUMBERS(a, &self->softest, &self->cap, &self->past.h);
    SARI_ARCHIVE_INTS(a, &self->cold, &self->struggled, &self->implied);
    sari_archive_numbers(a, self->past.a, n);
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++)
        sari_archive_numbers(a, of_rows[k], m);
    if (self->six) sari_six_fields_archive(self->six, (int)m, a);
    sari_step_matrix_archive(&self->P, a);
    sari_constrained_archive(&self->lin, a, 0);
    sari_constrained_archive(&self->limit, a, 0);
}

/* 0: out of memory */
static int make_room(threefield* self, int multipliers)
{
    const sari_equations* sys = self->sys;
    double** const of_q[] = {&self->q0, &self->qm, &self->q1};
    double** const of_v[] = {
        &self->v0, &self->u, &self->du, &self->f, &self->d, &self->past.a, &self->best_iterate.u};
    double** const of_rows[] = {&self->rho,
                                &self->mass,
                                &self->w,
                                &self->root,
                                &self->g,
                                &self->g_last,
                                &self->row,
                                &self->lambda,
                                &self->past.lambda,
                                &self->best_iterate.lambda,
                                &self->scaled,
                                &self->end_lambda,
                                &self->mass0,
                                &self->conflict,
                                &self->beside.lambda,
                                &self->beside.momentum,
                                &self->beside.rate,
                                &self->beside.lambda0,
                                &self->beside.momentum0};
    const size_t rows = sizeof of_rows / sizeof *of_rows - (multipliers ? 0 : 5);
    const int entries = sys->Phi_q.p[sys->nc];
    for (size_t k = 0; k < sizeof of_q / sizeof *of_q; k++)
        *of_q[k] = SARI_TAKE(&self->memory, double, sys->np);
    for (size_t k = 0; k < sizeof of_v / sizeof *of_v; k++)
        *of_v[k] = SARI_TAKE(&self->memory, double, sys->nq);
    for (size_t k = 0; k < rows; k++) *of_rows[k] = SARI_TAKE(&self->memory, double, sys->nc);
    self->slow = SARI_TAKE(&self->memory, int, sys->nc);
    self->curved = !sys->linear && !self->rattle;
    self->A0 = SARI_TAKE(&self->memory, double, self->rattle || self->curved ? entries : 0);
    self->A1 = SARI_TAKE(&self->memory, double, self->rattle ? 0 : entries);
    self->mixed = SARI_TAKE(&self->memory, double, self->curved ? entries : 0);
    self->D = self->middle = sys->Phi_q;
    if (self->curved) self->middle.x = self->mixed;
    if (self->rattle) self->middle.x = self->A0;
    self->softest_work = SARI_TAKE(&self->memory, double, sari_row_softest_work(sys));
    self->J = sys->Phi_q;
    self->J.x = SARI_TAKE(&self->memory, double, entries);
    return !self->memory.failed;
}

static sar_status make_matrices(threefield* self, const sar_options* options)
{
    const sari_equations* sys = self->sys;
    sari_sym P = {0};
    sar_status st = sari_step_matrix_create(&self->P, sys, options->geometric != 0, &P);
    int* block = SARI_TAKE(&self->memory, int, sys->nq);
    if (!block) st = SAR_E_NOMEM;
    self->block = block && sari_equations_blocks(sys, block) ? block : NULL;
    const sari_structure structure = {sys->nq, self->block, sys->threads};
    if (st == SAR_OK)
        st = sari_constrained_create(&self->lin, &P, &self->J, 0, options->solver, &structure);
    if (st == SAR_OK)
        st = sari_constrained_create(&self->limit, &P, &self->J, 1, options->solver, &structure);
    self->limit.soft_rows = sys->velocity_rows;
    if (st == SAR_OK) sari_sym_assign(&self->lin.P, &P);
    if (st == SAR_OK) sari_sym_assign(&self->limit.P, &P);
    self->lin.c = 1.0;
    sari_sym_clear(&P);
    return st == SAR_OK ? sari_row_masses_create(&self->masses, sys) : st;
}

static sar_status create(void* self_, sari_equations* sys, const sar_options* options,
                         sar_error* error)
{
    if (options->rattle && sys->velocity_rows)
        return sari_fail(error, SAR_E_ARG, "rattle",
                         "rattle is for constraints on positions; this model has some on "
                         "velocities alone");
    if (options->rattle && options->fields)
        return sari_fail(error, SAR_E_ARG, "rattle",
                         "rattle is a variant of the midpoint step, and fields=%d is another step: "
                         "use one of them",
                         options->fields);
    threefield* self = self_;
    self->sys = sys;
    self->rho_given = options->rho;
    self->cap_given = options->rho_cap;
    self->factor = options->mass_factor;
    self->adapt = options->adapt;
    self->sweeps_given = options->sweeps;
    self->rattle = options->rattle;
    self->warm = options->warm_start;
    self->rescue = options->rescue;
    self->accept = options->accept_tolerance > 0.0 ? options->accept_tolerance : ACCEPT;
    int made = make_room(self, options->multipliers && !options->fields);
    if (made && options->fields)
        made = sari_six_fields_create(self, options->fields, options->plain_direction);
    expect_steps(self, options);
    return made ? make_matrices(self, options) : SAR_E_NOMEM;
}

static const sari_own_step_ops own_step = {
    .expect = expect_steps, .step = sari_threefield_step, .multipliers = multipliers};

const sari_formulation_ops sari_formulation_threefield = {
    .name = "threefield",
    .cite = "potosakis natsiavas2015 paraskevopoulos2015",
    .text = "weak three-field form, whose multipliers have masses; has its own step",
    .violation = 1e-4, // what singular configurations leave
    .capabilities = SARI_FORM_SLACK | SARI_FORM_RANK_DROP | SARI_FORM_GRAPH,
    .own_step = &own_step,
    .size = SARI_OBJECT(threefield, memory),
    .create = create,
    .start = start,
    .begin = begin,
    .near_singular = near_singular,
    .share = share,
    .alpha = alpha,
    .solver = solver,
    .archive = archive,
    .clear = clear,
};
