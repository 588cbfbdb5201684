/* Velocities of a start: of those that the constraints and the demanded rates admit, the nearest to
 * the drawn ones in the sense of kinetic energy. The bodies are placed by X(q) and drawn with the
 * velocities Xd* of their origins and angular velocities in world axes. With T = dX/dq and M_X the
 * inertia of the placements, M = T' M_X T:
 *
 *     min |T v - Xd*|_MX,  J v = b:     M v + J' mu = T' M_X Xd*,   J v = b                   (1)
 *
 * This is the same motion in all coordinates, also in those that cannot describe Xd* itself: rates
 * of joints cannot tear bodies apart, and points that two bodies share have one velocity.
 *
 * As given: what the coordinates take for Xd* counts as drawn, and b are the demanded rates alone.
 */
#include "base/memory.h"
#include "base/status.h"
#include "simulation/start/assembler.h"

#include <math.h>
#include <string.h>

static const double REGULARISATION = 1e-9; ///< mass, in parts of what there is
static const double SAME = 1e-13;   ///< of the largest velocity: rounding of those of the bodies
static const double MET = 1e-13;    ///< of the velocities: rates that need no second attempt
static const double REFUSED = 1e-8; ///< rates that contradict each other

typedef struct velocities {
    sari_assembler* a;
    double* v;
    double* momenta; ///< T' M_X Xd*
    double* mu;      ///< of (1)
    double* Xd;      ///< Xd*
} velocities;

/* ---- (1) ------------------------------------------------------------------------------------ */

/* Rows are made alike in what they weigh, J M^-1 J' about 1: one penalty has to do for a light
 * rotor and for what it drives through a gear of a hundred. Massless coordinates do not bear this,
 * so it comes second. */
static void scale_rows(sari_assembler* a)
{
    const sari_sym* P = &a->lin.P;
    for (int r = 0; r < a->rows; r++) {
        double light = 0.0;
        for (int k = a->J.p[r]; k < a->J.p[r + 1]; k++)
            light += a->J.x[k] * a->J.x[k] / P->x[P->p[a->J.i[k]]];
        a->scale[r] = light > 0.0 ? 1.0 / sqrt(light) : 1.0;
        for (int k = a->J.p[r]; k < a->J.p[r + 1]; k++) a->J.x[k] *= a->scale[r];
    }
}

static void unscale_rows(sari_assembler* a)
{
    for (int r = 0; r < a->rows; r++) {
        for (int k = a->J.p[r]; k < a->J.p[r + 1]; k++) a->J.x[k] /= a->scale[r];
        a->scale[r] = 1.0;
    }
}

/* r = J v + Phi_t, J v - demanded rates */
static void rate_residual(sari_assembler* a, const double* v)
{
    const sari_system* sys = a->sys;
    sari_csr_multiply(&a->J, v, a->r);
    for (int r = 0; r < a->rows; r++) a->r[r] /= a->scale[r];
    for (int r = 0; r < sys->nc; r++) a->r[r] += a->as_given ? 0.0 : sys->Phi_t[r];
    for (int k = 0; k < a->starts; k++) a->r[sys->nc + k] -= a->model->starts[a->start[k]].value;
    sari_slack_drop(&sys->slack, a->r);
}

/* (1) for what is left of it, so that the repetition takes out the mass that was lent */
static sar_status approach(velocities* x, double* v)
{
    sari_assembler* a = x->a;
    a->lin.c = 1e6 / sari_constrained_unit(&a->lin);
    SARI_TRY(sari_constrained_factor(&a->lin));
    if (a->rows) memset(x->mu, 0, (size_t)a->rows * sizeof *x->mu);
    for (int pass = 0; pass < 3; pass++) {
        sari_equations_mass_times(&a->sys->equations, v, a->f);
        for (int i = 0; i < a->n; i++) a->f[i] = x->momenta[i] - a->f[i];
        sari_csr_multiply_add_transposed(&a->J, -1.0, x->mu, a->f);
        rate_residual(a, v);
        for (int r = 0; r < a->rows; r++) a->r[r] *= -a->scale[r], a->mu[r] = 0.0;
        sari_constrained_solve(&a->lin, a->f, a->r, 10, a->dq, a->mu);
        for (int i = 0; i < a->n; i++) v[i] += a->dq[i];
        for (int r = 0; r < a->rows; r++) x->mu[r] += a->mu[r];
    }
    return SAR_OK;
}

/* What is left over, relative to the velocities. */
static double rates_left(sari_assembler* a, const double* v)
{
    rate_residual(a, v);
    return sari_largest(a->rows, a->r) / (1.0 + sari_largest(a->n, v));
}

/* P = M, regular: every coordinate gets a little more of what it has, massless ones a little of the
 * heaviest. */
static void lend_mass(sari_assembler* a)
{
    const sari_sym* M = &a->sys->M;
    double heaviest = 0.0;
    for (int i = 0; i < a->n; i++) heaviest = fmax(heaviest, M->x[M->p[i]]);
    if (!(heaviest > 0.0)) heaviest = 1.0;
    sari_sym_assign(&a->lin.P, M);
    for (int i = 0; i < a->n; i++) {
        const double own = M->x[M->p[i]];
        a->lin.P.x[a->lin.P.p[i]] +=
            REGULARISATION * (own > REGULARISATION * heaviest ? own : heaviest);
    }
}

static sar_status solve(velocities* x)
{
    sari_assembler* a = x->a;
    const size_t bytes = (size_t)a->n * sizeof(double);
    lend_mass(a);
    for (int r = 0; r < a->rows; r++) a->scale[r] = 1.0;
    memcpy(a->trial, x->v, bytes);
    SARI_TRY(approach(x, x->v));
    const double left = rates_left(a, x->v);
    if (left <= MET) return SAR_OK;
    scale_rows(a);
    SARI_TRY(approach(x, a->trial));
    unscale_rows(a);
    if (rates_left(a, a->trial) < left) memcpy(x->v, a->trial, bytes);
    return SAR_OK;
}

/* ---- what was drawn ------------------------------------------------------------------------- */

/* Do the coordinates move the bodies as they are drawn? Xd* on the way. */
static int moves_as_drawn(velocities* x, const double* q)
{
    const sari_system* sys = x->a->sys;
    const sari_mechanism* m = sys->mechanism;
    sari_kinematics* k = sys->kinematics;
    sari_kinematics_update(k, q, x->v, 1);
    sari_mechanism_drawn_rates(m, k->X, x->Xd);
    double off = 0.0;
    for (int i = m->nx; i < m->nx * m->bodies; i++) off = fmax(off, fabs(k->Xd[i] - x->Xd[i]));
    return off <= SAME * sari_largest(m->nx * (m->bodies - 1), x->Xd + m->nx);
}

/* The right-hand side of (1), with the present M. */
static void take_momenta(velocities* x, const double* q, int as_drawn)
{
    sari_system* sys = x->a->sys;
    sari_kinematics_update(sys->kinematics, q, NULL, 1);
    if (as_drawn)
        sari_equations_mass_times(&sys->equations, x->v, x->momenta);
    else
        sari_system_momenta(sys, x->Xd, x->a->dq, x->momenta);
    for (int i = sys->nq - sys->states; i < sys->nq; i++) x->momenta[i] = x->v[i];
}

static sar_status find(velocities* x, const double* q)
{
    sari_assembler* a = x->a;
    sari_system* sys = a->sys;
    if (!x->momenta || !x->mu || !x->Xd) return SAR_E_NOMEM;
    const int as_drawn = a->as_given || moves_as_drawn(x, q);
    if (a->rows == 0 && as_drawn) return SAR_OK;
    if (a->rows == 0) SARI_TRY(sari_constrained_create(&a->lin, &sys->M, &a->J, 0, "auto", NULL));
    sari_equations_eval(&sys->equations, SARI_EVAL_MASS, a->t, q, NULL);
    sari_assembler_evaluate(a, q);
    take_momenta(x, q, as_drawn);
    return solve(x);
}

sar_status sari_assemble_velocities(sari_assembler* a, const double* q, double* v,
                                    sar_assembly* report)
{
    const sari_mechanism* m = a->sys->mechanism;
    if (a->n == 0) return SAR_OK;
    velocities x = {.a = a,
                    .v = v,
                    .momenta = SARI_TAKE(&a->memory, double, a->n),
                    .mu = SARI_TAKE(&a->memory, double, a->rows),
                    .Xd = SARI_TAKE(&a->memory, double, m->nx * m->bodies)};
    const sar_status st = find(&x, q);
    if (st != SAR_OK || a->rows == 0) return st;
    const double left = rates_left(a, v);
    report->residual = fmax(report->residual, sari_largest(a->rows, a->r));
    if (left <= REFUSED) return SAR_OK;
    report->verdict = SAR_ASSEMBLY_IMPOSSIBLE;
    sari_assembler_list(a, report);
    return SAR_E_ASSEMBLY;
}
