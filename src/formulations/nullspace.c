/* Null-space formulation: accelerations from the constraints and from the equations of motion along
 * the motions that the constraints allow. With Phi_q R = 0, the columns of R a basis:
 *
 *     [ Phi_q ]       [ -bias ]
 *     [ R' M  ] a  =  [ R' Q  ]                                                (1)
 *
 * as in the null-space method of [ruggiu2023, Table 3]; without stabilisation unless `project` is
 * set. Q and R of the pivoted factors Phi_q' Pi = [Q1 Q2] [R11 R12; 0 0] give R = Q2 and all else:
 *
 *     a0 = Q1 R11^-T (-bias)                    the smallest solution of the constraints   (2)
 *
 *     (Q2' M Q2) z = Q2' (Q - M a0),            a = a0 + Q2 z                              (3)
 *
 *     R11 lambda = Q1' (Q - M a)                lambda = 0 for redundant rows              (4)
 *
 * (1) wants M to be positive along the allowed motions only, and no penalty. It wants R to exist:
 * the rank r found at the start must be that of Phi_q everywhere. Redundant rows are passed over by
 * the pivoting; but in a singular configuration, where a pivot among the first r vanishes, R is not
 * defined, and the formulation says so instead of going on. Close to it, (2) multiplies what the
 * constraints are violated by: steps that jump over such a position come out wrong.
 *
 * The projections after a step minimise the change in the norm of M, subject to the linearised
 * constraints, which is (1) with other right-hand sides [bayo1996]. */
#include "formulations/nullspace.h"
#include "base/memory.h"
#include "base/status.h"
#include "linalg/cholesky.h"
#include "linalg/qr.h"
#include "linalg/sym_tools.h"
#include "math/vector.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POSITION_PASSES = 10 };

static const double POSITION_TOLERANCE = 1e-12; ///< of Phi, relative to max(1, |q|)
static const double RANK_AT_START = 1e-8;       ///< pivots above count; relative to the first
static const double RANK_LOST = 1e-7;           ///< the r-th pivot, relative to the first
static const double RANK_GAINED = 1e-3;         ///< a pivot after the r-th, likewise

typedef sari_nullspace nullspace;

/* ---- factors -------------------------------------------------------------------------------- */

static sar_status fail(nullspace* self, sari_nullspace_trouble why, double t, double ratio)
{
    self->trouble = why;
    self->t = t;
    self->ratio = ratio;
    return SAR_R_SINGULAR;
}

sar_status sari_nullspace_factor_jacobian(nullspace* self, double t)
{
    sari_qr_load_transposed(&self->qr, &self->sys->Phi_q);
    sari_qr_factor(&self->qr, self->rank);
    if (self->rank == 0) return SAR_OK;
    double first = self->qr.pivot[0];
    if (!isfinite(first)) return SAR_R_NOT_FINITE;
    double last = self->qr.rank < self->rank ? 0.0 : self->qr.pivot[self->rank - 1];
    if (last <= RANK_LOST * first) return fail(self, LOST_RANK, t, last / first);
    double next = sari_qr_left(&self->qr);
    if (next > RANK_GAINED * first) return fail(self, GAINED_RANK, t, next / first);
    return SAR_OK;
}

static double* basis_column(const nullspace* self, int j)
{
    return self->basis + (size_t)j * (size_t)self->n;
}

void sari_nullspace_basis(const nullspace* self, double* basis)
{
    for (int j = 0; j < self->n - self->rank; j++)
        sari_qr_null_vector(&self->qr, j, basis + (size_t)j * (size_t)self->n);
}

/* H H' = Q2' M Q2 */
static sar_status factor_mass(nullspace* self, double t)
{
    const sari_equations* sys = self->sys;
    int n = self->n, d = n - self->rank;
    for (int j = 0; j < d; j++) {
        sari_sym_multiply(&sys->M, sys->M.x, basis_column(self, j), self->w);
        for (int i = j; i < d; i++)
            self->H[i * d + j] = sari_vector_dot(n, basis_column(self, i), self->w);
    }
    if (sari_cholesky(d, self->H, 1e-14) > 0) return fail(self, NO_MASS, t, 0.0);
    return SAR_OK;
}

/* Both, for the system as it is evaluated. */
static sar_status factor(nullspace* self, double t)
{
    SARI_TRY(sari_nullspace_factor_jacobian(self, t));
    sari_nullspace_basis(self, self->basis);
    return factor_mass(self, t);
}

/* ---- the linear problem M x + Phi_q' mu = f, Phi_q x = g ------------------------------------ */

/* w = f - M x */
static void remainder_of(nullspace* self, const double* f, const double* x)
{
    sari_sym_multiply(&self->sys->M, self->sys->M.x, x, self->w);
    for (int i = 0; i < self->n; i++) self->w[i] = f[i] - self->w[i];
}

void sari_nullspace_smallest(const nullspace* self, const double* g, double* x)
{
    memset(x, 0, (size_t)self->n * sizeof(double));
    for (int k = 0; k < self->rank; k++) x[k] = g[self->qr.order[k]];
    sari_qr_back_transposed(&self->qr, x);
    sari_qr_multiply(&self->qr, x); // (2)
}

void sari_nullspace_multipliers(nullspace* self, const double* f, const double* x, double* mu)
{
    remainder_of(self, f, x);
    sari_qr_solve(&self->qr, self->w, mu); // (4)
}

/* mu may be NULL. */
static void solve(nullspace* self, const double* f, const double* g, double* x, double* mu)
{
    int n = self->n, d = n - self->rank;
    sari_nullspace_smallest(self, g, x);
    remainder_of(self, f, x);
    for (int j = 0; j < d; j++) self->z[j] = sari_vector_dot(n, basis_column(self, j), self->w);
    sari_cholesky_solve(d, self->H, self->z);
    for (int j = 0; j < d; j++) {
        const double* column = basis_column(self, j);
        for (int i = 0; i < n; i++) x[i] += self->z[j] * column[i]; // (3)
    }
    if (mu) sari_nullspace_multipliers(self, f, x, mu);
}

/* ---- rates ---------------------------------------------------------------------------------- */

static sar_status rates(void* self_, sari_state* s)
{
    nullspace* self = self_;
    sari_equations* sys = self->sys;
    if (sari_equations_open(sys)) {
        sar_status st = sari_equations_accelerations(sys, s->t, s->q, s->v, s->a);
        return st == SAR_R_SINGULAR ? fail(self, NO_MASS, s->t, 0.0) : st;
    }
    SARI_TRY(sari_equations_eval(sys, SARI_EVAL_DYNAMICS, s->t, s->q, s->v));
    SARI_TRY(factor(self, s->t));
    for (int r = 0; r < self->m; r++) self->g[r] = -sys->bias[r];
    solve(self, sys->Q, self->g, s->a, s->lambda);
    return SAR_OK;
}

/* (1) along a change of the state, with the factors of the last evaluation. */
static void change(void* self_, const double* F, const double* Phi, const double* rate,
                   const double* second, double* da, double* dlambda)
{
    nullspace* self = self_;
    (void)Phi, (void)rate;
    for (int i = 0; i < self->n; i++) self->f[i] = -F[i];
    for (int r = 0; r < self->m; r++) self->g[r] = -second[r];
    solve(self, self->f, self->g, da, dlambda);
}

static sar_status start(void* self_, sari_state* s)
{
    nullspace* self = self_;
    SARI_TRY(sari_equations_eval(self->sys, SARI_EVAL_JACOBIAN, s->t, s->q, s->v));
    sari_qr_load_transposed(&self->qr, &self->sys->Phi_q);
    sari_qr_factor(&self->qr, self->m);
    self->rank = sari_rows_are_rounding(&self->sys->Phi_q, self->m)
                     ? 0
                     : sari_qr_rank(&self->qr, RANK_AT_START);
    SARI_TRY(rates(self, s));
    for (int i = 0; i < self->n; i++)
        if (!isfinite(s->a[i])) return SAR_R_NOT_FINITE;
    return SAR_OK;
}

/* ---- projections ---------------------------------------------------------------------------- */

static int positions_hold(const nullspace* self, const double* q)
{
    double most = 0.0;
    for (int r = 0; r < self->m; r++) most = fmax(most, fabs(self->sys->Phi[r]));
    return most < POSITION_TOLERANCE * fmax(1.0, sqrt(sari_vector_dot(self->sys->np, q, q)));
}

static sar_status project_position(nullspace* self, sari_state* s)
{
    sari_equations* sys = self->sys;
    const sari_coordinates* c = sys->space;
    unsigned what = SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T | SARI_EVAL_MASS;
    memcpy(self->q_star, s->q, (size_t)sys->np * sizeof(double));
    for (int pass = 0; pass < POSITION_PASSES; pass++) {
        SARI_TRY(sari_equations_eval(sys, what, s->t, s->q, s->v));
        SARI_TRY(factor(self, s->t));
        if (pass > 0 && positions_hold(self, s->q))
            break; // once always: no jumps from step to step
        sari_coordinates_difference(c, s->q, self->q_star, self->dq);
        sari_sym_multiply(&sys->M, sys->M.x, self->dq, self->f);
        for (int r = 0; r < self->m; r++) self->g[r] = -sys->Phi[r];
        solve(self, self->f, self->g, self->dq, NULL);
        sari_coordinates_move(c, s->q, self->dq, s->q);
    }
    return SAR_OK;
}

static sar_status accept(void* self_, sari_state* s, int* changed)
{
    nullspace* self = self_;
    const sari_equations* sys = self->sys;
    *changed = self->project && self->m > 0;
    if (!*changed) return SAR_OK;
    sari_projection_begins(sys, s);
    SARI_TRY(project_position(self, s));
    sari_sym_multiply(&sys->M, sys->M.x, s->v, self->f);
    for (int r = 0; r < self->m; r++) self->g[r] = -sys->Phi_t[r];
    solve(self, self->f, self->g, s->v, NULL);
    sari_projection_ended(sys, s);
    return SAR_OK;
}

/* ---- the rest ------------------------------------------------------------------------------- */

static void explain(const void* self_, char* text, size_t size)
{
    const nullspace* self = self_;
    const char* others = "al3, al1 and penalty go through such positions";
    switch (self->trouble) {
    case LOST_RANK:
        snprintf(text, size,
                 "the Jacobian of the constraints loses rank at t = %.9g, in a singular "
                 "configuration: it was %d at the start, and its last pivot is down to %.1e of "
                 "the first. The null-space basis is not defined there; %s",
                 self->t, self->rank, self->ratio, others);
        break;
    case GAINED_RANK:
        snprintf(
            text, size,
            "the Jacobian of the constraints has a higher rank at t = %.9g than the %d of the "
            "start: the run began in a singular configuration, or the constraints are violated by "
            "much (`project` 1 holds them); %s",
            self->t, self->rank, others);
        break;
    case NO_MASS:
        snprintf(text, size,
                 "at t = %.9g some motion that the joints allow has no mass; see `sarrus check`",
                 self->t);
        break;
    case NO_TROUBLE:
        text[0] = 0;
        break;
    }
}

static double alpha(const void* self_)
{
    (void)self_;
    return 0.0;
}

static const char* solver(const void* self_)
{
    (void)self_;
    return "dense";
}

static void clear(void* self_)
{
    nullspace* self = self_;
    sari_qr_clear(&self->qr);
}

static void archive(void* self_, sari_archive* a)
{
    nullspace* self = self_;
    const int most = self->n < self->m ? self->n : self->m;
    self->rank = sari_archive_range(a, self->rank, 0, most);
    sari_archive_numbers(a, self->fixed, (size_t)(self->n * (self->n - self->rank)));
}

static sar_status create(void* self_, sari_equations* sys, const sar_options* options,
                         sar_error* error)
{
    nullspace* self = self_;
    (void)error;
    size_t n = (size_t)sys->nq;
    self->sys = sys;
    self->n = sys->nq;
    self->m = sys->nc;
    self->project = options->project > 0;
    self->selects = options->select;
    self->basis = SARI_TAKE(&self->memory, double, n* n); // the rank is not known yet
    self->fixed = SARI_TAKE(&self->memory, double, n* n);
    self->product = SARI_TAKE(&self->memory, double, n* n);
    self->A = SARI_TAKE(&self->memory, double, n* n);
    self->pivot = SARI_TAKE(&self->memory, int, n);
    self->v = SARI_TAKE(&self->memory, double, n);
    self->a = SARI_TAKE(&self->memory, double, n);
    self->H = SARI_TAKE(&self->memory, double, n* n);
    self->f = SARI_TAKE(&self->memory, double, n);
    self->g = SARI_TAKE(&self->memory, double, sys->nc);
    self->w = SARI_TAKE(&self->memory, double, n);
    self->z = SARI_TAKE(&self->memory, double, n);
    self->dq = SARI_TAKE(&self->memory, double, n);
    self->q_star = SARI_TAKE(&self->memory, double, sys->np);
    return sari_qr_create(self->n, self->m, &self->qr);
}

static const sari_rates_ops by_rates = {.evaluate = rates, .accept = accept, .change = change};
static const sari_correction_ops corrections = {
    .correct = sari_nullspace_correct,
    .update = sari_nullspace_update,
    .project = sari_nullspace_project,
};

const sari_formulation_ops sari_formulation_nullspace = {
    .name = "nullspace",
    .cite = "garciadejalon1994 ruggiu2023",
    .text = "equations of motion projected onto the null space of the constraints; fails in "
            "singular configurations",
    .capabilities = SARI_FORM_OWN_ALGEBRA,
    .rates = &by_rates,
    .corrections = &corrections,
    .size = SARI_OBJECT(nullspace, memory),
    .create = create,
    .start = start,
    .explain = explain,
    .begin = sari_nullspace_begin,
    .alpha = alpha,
    .solver = solver,
    .archive = archive,
    .clear = clear,
};
