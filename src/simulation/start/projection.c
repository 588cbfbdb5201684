/* The state nearest to that of bodies which moved under other constraints.
 *
 * Bodies are placed by X* and move by Xd*. With X(q), T = dX/dq, M_X the inertia of the placements
 * and M = T' M_X T:
 *
 *     position   min |X(q) - X*|_MX,  Phi(t, q) = 0:   M dq + Phi_q' mu = T' M_X (X* - X)
 *                                                      Phi_q dq         = -Phi, repeated      (1)
 *
 *     velocity   min |T v - Xd*|_MX,  Phi_q v = -Phi_t:  M v + Phi_q' mu = T' M_X Xd*
 *                                                        Phi_q v         = -Phi_t             (2)
 *
 * (2) is the perfectly plastic impact of the constraints that are new: -Phi_q' mu are the impulses.
 * Both are the same in all coordinates, also where they cannot describe X* and Xd* themselves.
 * Redundant constraints do no harm. Where there is no mass a little is lent, which the repetition
 * takes out again. */
#include "base/arena.h"
#include "base/memory.h"
#include "base/status.h"
#include "formulations/constrained.h"
#include "linalg/sym_tools.h"
#include "math/vector.h"
#include "simulation/simulation.h"

#include <math.h>
#include <string.h>

enum { POSITION_PASSES = 60, VELOCITY_PASSES = 5 };
static const double REGULARISATION = 1e-9; ///< of the heaviest coordinate's mass
static const double NEGLIGIBLE = 1e-13;    ///< of positions: violations below are left alone
static const double ROUNDING = 1e-14;      ///< of velocities

struct sari_projector {
    double rounding; ///< of conditions by expressions, which no position takes away
    sari_arena memory;
    sari_system* sys;
    sari_constrained lin;
    double *f, *g, *mu, *dmu, *d, *trial, *X;
};

sar_status sari_projector_create(sari_system* sys, sari_projector** out)
{
    sari_projector* p = SARI_NEW(sari_projector);
    if (!p) return SAR_E_NOMEM;
    *out = p;
    p->sys = sys;
    p->f = SARI_TAKE(&p->memory, double, sys->nq);
    p->d = SARI_TAKE(&p->memory, double, sys->nq);
    p->trial = SARI_TAKE(&p->memory, double, sys->np);
    p->g = SARI_TAKE(&p->memory, double, sys->nc);
    p->mu = SARI_TAKE(&p->memory, double, sys->nc);
    p->dmu = SARI_TAKE(&p->memory, double, sys->nc);
    p->X = SARI_TAKE(&p->memory, double, sys->mechanism->nx * sys->mechanism->bodies);
    if (p->memory.failed) return SAR_E_NOMEM;
    return sari_constrained_create(&p->lin, &sys->M, &sys->Phi_q, 1, "auto", NULL);
}

void sari_projector_destroy(sari_projector* p)
{
    if (!p) return;
    sari_constrained_clear(&p->lin);
    sari_arena_clear(&p->memory);
    sari_release(p);
}

double sari_projector_residual(const sari_projector* p, int* row)
{
    *row = -1;
    double most = 0.0;
    for (int r = 0; r < p->sys->nc; r++)
        if (!(fabs(p->g[r]) <= most)) most = fabs(p->g[r]), *row = r;
    return most;
}

/* With the present M and Phi_q. */
static sar_status factor(sari_projector* p)
{
    const sari_system* sys = p->sys;
    double heaviest = 0.0;
    sari_sym_assign(&p->lin.P, &sys->M);
    for (int i = 0; i < sys->nq; i++) heaviest = fmax(heaviest, sys->M.x[sys->M.p[i]]);
    for (int i = 0; i < sys->nq; i++)
        p->lin.P.x[p->lin.P.p[i]] += REGULARISATION * (heaviest > 0.0 ? heaviest : 1.0);
    const double unit = sari_constrained_unit(&p->lin);
    p->lin.c = 1.0 / unit;
    p->lin.delta = 1e-11 * unit;
    sari_constrained_balance(&p->lin);
    sar_status st = sari_constrained_factor(&p->lin);
    return st < 0 ? st : SAR_OK;
}

/* T, M, Phi and its derivatives at q; the violation, which is infinite where they have no value. */
static double evaluate(sari_projector* p, double t, const double* q)
{
    sari_system* sys = p->sys;
    const unsigned what = SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T | SARI_EVAL_MASS;
    const sar_status st = sari_equations_eval(&sys->equations, what, t, q, NULL);
    sari_kinematics_update(sys->kinematics, q, NULL, 1);
    for (int r = 0; r < sys->nc; r++) p->g[r] = -sys->Phi[r];
    return st == SAR_OK ? sari_vector_max(sys->nc, p->g) : INFINITY;
}

/* (1): the change p->d. Where the last one left most of the violation as it was, delta holds rows that nearly
 * depend on others: going on from their multipliers takes that out. */
static sar_status correction(sari_projector* p, const double* X, int go_on)
{
    sari_system* sys = p->sys;
    const int n = sys->mechanism->nx * sys->mechanism->bodies;
    for (int i = 0; i < n; i++) p->X[i] = X[i] - sys->kinematics->X[i];
    sari_system_momenta(sys, p->X, p->d, p->f);
    SARI_TRY(factor(p));
    if (!go_on) memset(p->mu, 0, (size_t)sys->nc * sizeof(double));
    sari_constrained_solve(&p->lin, p->f, p->g, 2, p->d, p->mu);
    return SAR_OK;
}

void sari_projector_archive(sari_projector* p, sari_archive* a)
{
    SARI_ARCHIVE_NUMBERS(a, &p->rounding);
}

void sari_projector_allow(sari_projector* p, double rounding)
{
    p->rounding = rounding;
}

sar_status sari_project_position(sari_projector* p, double t, const double* X, double* q)
{
    sari_system* sys = p->sys;
    const double size = 1.0 + sari_vector_max(sys->np, q), tolerance = 1e-10 * size + p->rounding,
                 negligible = NEGLIGIBLE * size + p->rounding;
    double left = evaluate(p, t, q);
    int stalls = 0;
    for (int pass = 0; pass < POSITION_PASSES; pass++) {
        SARI_TRY(correction(p, X, stalls));
        double move = sari_vector_max(sys->nq, p->d),
               shorten = fmin(1.0, 0.5 * size / fmax(move, 1e-300));
        for (int i = 0; i < sys->nq; i++) p->d[i] *= shorten;
        sari_coordinates_move(&sys->coordinates, q, p->d, p->trial);
        double next = evaluate(p, t, p->trial);
        if (!isfinite(next)) break;
        if (next > left && left <= tolerance) {
            if (left <= negligible || stalls) break; // as good as rounding allows
            stalls = 1;                              // or what delta holds
            left = evaluate(p, t, q);
            continue;
        }
        memcpy(q, p->trial, (size_t)sys->np * sizeof *q);
        stalls |= shorten == 1.0 && next > negligible && next > 0.1 * left;
        left = next;
        if (move <= 1e-14 * size && (!stalls || left <= negligible)) break;
    }
    left = evaluate(p, t, q);
    return left <= tolerance ? SAR_OK : SAR_E_ASSEMBLY;
}

sar_status sari_project_velocity(sari_projector* p, double t, const double* q, const double* Xd,
                                 double* v)
{
    sari_system* sys = p->sys;
    evaluate(p, t, q);
    SARI_TRY(factor(p));
    memset(p->mu, 0, (size_t)sys->nc * sizeof(double));
    for (int pass = 0; pass < VELOCITY_PASSES; pass++) { // (2), for what is left of it
        sari_system_momenta(sys, Xd, p->d, p->f);
        for (int i = sys->nq - sys->states; i < sys->nq; i++) p->f[i] = v[i]; // they stay
        sari_sym_multiply(&sys->M, sys->M.x, v, p->d);
        for (int i = 0; i < sys->nq; i++) p->f[i] -= p->d[i];
        sari_csr_multiply_add_transposed(&sys->Phi_q, -1.0, p->mu, p->f);
        sari_equations_phi_dot(&sys->equations, v, p->g);
        for (int r = 0; r < sys->nc; r++) p->g[r] = -p->g[r], p->dmu[r] = 0.0;
        sari_constrained_solve(&p->lin, p->f, p->g, 2, p->d, p->dmu);
        for (int i = 0; i < sys->nq; i++) v[i] += p->d[i];
        for (int r = 0; r < sys->nc; r++) p->mu[r] += p->dmu[r];
        if (sari_vector_max(sys->nq, p->d) <= ROUNDING * sari_vector_max(sys->nq, v))
            break; // nothing was left
    }
    sari_equations_phi_dot(&sys->equations, v, p->g);
    return sari_vector_max(sys->nc, p->g) <= 1e-8 * (1.0 + sari_vector_max(sys->nq, v))
               ? SAR_OK
               : SAR_E_ASSEMBLY;
}

sar_status sari_projector_prepare(sari_projector* p, double t, const double* q)
{
    evaluate(p, t, q);
    return factor(p);
}

/* M x + Phi_q' mu = n, Phi_q x = -rest, repeated for what is left of it. */
static void respond(sari_projector* p, const double* n, const double* rest, double* x)
{
    const sari_system* sys = p->sys;
    memset(p->mu, 0, (size_t)sys->nc * sizeof(double));
    memset(x, 0, (size_t)sys->nq * sizeof(double));
    for (int pass = 0; pass < VELOCITY_PASSES; pass++) {
        sari_sym_multiply(&sys->M, sys->M.x, x, p->d);
        for (int i = 0; i < sys->nq; i++) p->f[i] = n[i] - p->d[i];
        sari_csr_multiply_add_transposed(&sys->Phi_q, -1.0, p->mu, p->f);
        sari_csr_multiply(&sys->Phi_q, x, p->g);
        for (int r = 0; r < sys->nc; r++) p->g[r] = -p->g[r] - (rest ? rest[r] : 0.0);
        memset(p->dmu, 0, (size_t)sys->nc * sizeof(double));
        sari_constrained_solve(&p->lin, p->f, p->g, 2, p->d, p->dmu);
        for (int i = 0; i < sys->nq; i++) x[i] += p->d[i];
        for (int r = 0; r < sys->nc; r++) p->mu[r] += p->dmu[r];
        if (sari_vector_max(sys->nq, p->d) <= ROUNDING * sari_vector_max(sys->nq, x)) break;
    }
}

void sari_projector_response(sari_projector* p, const double* n, double* dv)
{
    respond(p, n, NULL, dv);
}

sar_status sari_projector_evaluate(sari_projector* p, const sari_state* x)
{
    SARI_TRY(sari_equations_eval(&p->sys->equations, SARI_EVAL_DYNAMICS, x->t, x->q, x->v));
    return factor(p);
}

void sari_projector_accelerations(sari_projector* p, double* a)
{
    respond(p, p->sys->Q, p->sys->bias, a);
}
