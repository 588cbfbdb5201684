#include "sensitivity/al3/al3_terms.h"

#include "base/status.h"
#include "linalg/sym_tools.h"
#include "math/vector.h"
#include "system/linear/residual.h"

#include <math.h>
#include <string.h>

void sari_terms_take(sari_step_terms* x, sari_arena* memory, const sari_system* sys)
{
    x->nq = sys->nq;
    x->nc = sys->nc;
    x->F = SARI_TAKE(memory, double, sari_terms_size(x));
    x->work = SARI_TAKE(memory, double, sys->nq);
    x->product = SARI_TAKE(memory, double, sys->nq);
    if (!x->F) return;
    x->N = x->F + x->nq;
    x->A = x->N + x->nq;
    x->Phi = x->A + x->nq;
    x->rate = x->Phi + x->nc;
    x->second = x->rate + x->nc;
}

/* out = M (x - y) + J'mu; y may be NULL */
static void balance(sari_step_terms* s, sari_system* sys, const double* x, const double* y,
                    const double* mu, double* out)
{
    for (int i = 0; i < s->nq; i++) s->work[i] = x[i] - (y ? y[i] : 0.0);
    sari_equations_mass_times(&sys->equations, s->work, out);
    sari_csr_multiply_add_transposed(&sys->Phi_q, 1.0, mu, out);
}

static void add_forces(sari_step_terms* x, sari_system* sys, int smooth)
{
    const double* Q = smooth ? sari_residual_own_forces(sys) : sys->Q;
    const int motion = smooth ? x->nq - sys->states : x->nq;
    for (int i = 0; i < motion; i++) x->F[i] -= Q[i];
    for (int i = motion; i < x->nq; i++) x->F[i] = 0.0;
}

/* What M and Q do to F, N and A. */
static sar_status add_inertia(sari_step_terms* x, sari_system* sys, const sari_step_record* r,
                              unsigned parts)
{
    const int n = x->nq, motion = n - sys->states;
    const double* Q = sys->Q;
    const unsigned what = SARI_EVAL_FORCE | (parts & SARI_PART_INERTIA ? SARI_EVAL_MASS : 0);
    if (parts & SARI_PART_APPLIED)
        SARI_TRY(sari_equations_eval(&sys->equations, what, r->t, r->q, r->v_star));
    else
        Q = sari_residual_inertia(sys, r->q, r->v_star, 1);
    for (int i = 0; i < n; i++) x->F[i] -= i < motion || parts & SARI_PART_APPLIED ? Q[i] : 0.0;
    if (!(parts & SARI_PART_INERTIA)) return SAR_OK;
    double* const to[] = {x->F, x->N, x->A};
    const double *const more[] = {r->a_star, r->v, r->a}, *const less[] = {NULL, r->v_star,
                                                                           r->a_star};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < n; i++) x->work[i] = more[k][i] - (less[k] ? less[k][i] : 0.0);
        sari_equations_mass_times(&sys->equations, x->work, x->product);
        sari_vector_add(n, 1.0, x->product, to[k]);
    }
    return SAR_OK;
}

/* What rows do to all of them. */
static sar_status add_rows(sari_step_terms* x, sari_system* sys, const sari_step_record* r)
{
    const int nc = x->nc, held = nc - sys->velocity_rows;
    const unsigned what = SARI_EVAL_PHI | SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T | SARI_EVAL_BIAS;
    if (nc == 0) return SAR_OK;
    SARI_TRY(sari_equations_eval(&sys->equations, what, r->t, r->q, r->v));
    sari_csr_multiply_add_transposed(&sys->Phi_q, 1.0, r->lambda, x->F);
    sari_csr_multiply_add_transposed(&sys->Phi_q, 1.0, r->nu, x->N);
    sari_csr_multiply_add_transposed(&sys->Phi_q, 1.0, r->kappa, x->A);
    sari_equations_phi_dot(&sys->equations, r->v_star, x->Phi);
    memcpy(x->Phi, sys->Phi, (size_t)held * sizeof(double));
    sari_equations_phi_dot(&sys->equations, r->v, x->rate);
    sari_csr_multiply(&sys->Phi_q, r->a, x->second);
    sari_vector_add(nc, 1.0, sys->bias, x->second);
    return SAR_OK;
}

sar_status sari_terms_of(sari_step_terms* x, sari_system* sys, const sari_step_record* r,
                         unsigned parts)
{
    memset(x->F, 0, (size_t)sari_terms_size(x) * sizeof(double));
    if (parts & (SARI_PART_INERTIA | SARI_PART_APPLIED)) SARI_TRY(add_inertia(x, sys, r, parts));
    if (parts & SARI_PART_ROWS) SARI_TRY(add_rows(x, sys, r));
    return isfinite(sari_vector_norm(sari_terms_size(x), x->F)) ? SAR_OK : SAR_R_NOT_FINITE;
}

sar_status sari_terms_find(sari_step_terms* x, sari_system* sys, const sari_step_record* r,
                           double t, const double* q, const double* v_star, const double* v,
                           int smooth)
{
    const int nc = x->nc, held = nc - sys->velocity_rows;
    const unsigned what = SARI_EVAL_PHI | SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T | SARI_EVAL_MASS |
                          (smooth && sys->coordinates.constant ? 0 : SARI_EVAL_FORCE);
    const sar_status st = sari_equations_eval(&sys->equations, what, t, q, v_star);
    if (st != SAR_OK && !smooth) return st; // applied forces need no value where they do not count
    balance(x, sys, r->a_star, NULL, r->lambda, x->F);
    add_forces(x, sys, smooth);
    balance(x, sys, v, v_star, r->nu, x->N);
    balance(x, sys, r->a, r->a_star, r->kappa, x->A);
    memcpy(x->Phi, sys->Phi, (size_t)nc * sizeof(double));
    if (held < nc) {
        sari_equations_phi_dot(&sys->equations, v_star, x->rate);
        memcpy(x->Phi + held, x->rate + held, (size_t)(nc - held) * sizeof(double));
    }
    sari_equations_phi_dot(&sys->equations, v, x->rate);
    if (nc > 0) SARI_TRY(sari_equations_eval(&sys->equations, SARI_EVAL_BIAS, t, q, v));
    sari_csr_multiply(&sys->Phi_q, r->a, x->second);
    for (int i = 0; i < nc; i++) x->second[i] += sys->bias[i];
    return isfinite(sari_vector_norm(sari_terms_size(x), x->F)) ? SAR_OK : SAR_R_NOT_FINITE;
}
