/* Central differences of eight points,
 *
 *     f' = (4/5 (f1 - f-1) - 1/5 (f2 - f-2) + 4/105 (f3 - f-3) - 1/280 (f4 - f-4)) / h + O(h^8)  (2)
 *
 * at distances h of 0.005 sizes or radians. Rotations by Euler parameters have a pole one radian off the real axis, so
 * that f^(9) is about 9!: what (2) leaves out, f^(9) h^8 / 630, is below 1e-15; rounding, 1e-16 / h, is 2e-14. Rows and inertial forces are quadratic in v: there two points are exact. */
#include "system/linear/residual.h"

#include "base/status.h"
#include "math/vector.h"
#include "system/forces/forces.h"
#include "system/system_parts.h"

#include <math.h>
#include <string.h>

static const double STEP = 0.005; ///< sizes or radians

void sari_residual_take(sari_residual* r, sari_arena* memory, sari_system* sys)
{
    const int nq = sys->nq, nc = sys->nc;
    r->sys = sys;
    r->F = SARI_TAKE(memory, double, nq + 2 * nc);
    r->value = SARI_TAKE(memory, double, nq + 2 * nc);
    r->rate = r->F ? r->F + nq : NULL;
    r->second = r->F ? r->rate + nc : NULL;
    r->at = SARI_TAKE(memory, double, sys->np);
    r->velocity = SARI_TAKE(memory, double, nq);
}

/* The eval that was asked for has put kinematics where forces may be added. */
sar_status sari_residual_tangent(sari_residual* r)
{
    sari_system* s = r->sys;
    SARI_TRY(sari_equations_eval(&s->equations, SARI_EVAL_DYNAMICS | SARI_EVAL_TANGENT, r->t, r->q,
                                 r->v));
    const int entries = s->K.p[s->nq];
    for (int i = 0; i < entries; i++) s->K.x[i] = s->C.x[i] = 0.0;
    if (s->constant_force) return SAR_OK;
    memcpy(r->value, s->Q, (size_t)s->nq * sizeof(double));
    sari_forces_add(s, r->t, 1);
    memcpy(s->Q, r->value, (size_t)s->nq * sizeof(double));
    return s->not_finite ? SAR_R_NOT_FINITE : SAR_OK;
}

const double* sari_residual_own_forces(sari_system* s)
{
    if (s->coordinates.constant) return s->gravity;
    if (!s->constant_force) sari_system_set_force(s, 1);
    return s->Q;
}

const double* sari_residual_inertia(sari_system* s, const double* q, const double* v, int mass)
{
    if (s->coordinates.constant) return s->gravity;
    sari_kinematics_update(s->kinematics, q, v, 0);
    s->own.q = q;
    s->own.v = v;
    if (mass && !s->constant_mass) sari_system_set_mass(s);
    sari_system_set_force(s, 1);
    return s->Q;
}

sar_status sari_residual_smooth(sari_residual* r, double e, const double* dq, const double* dv)
{
    sari_system* s = r->sys;
    const int nq = s->nq, nc = s->nc;
    const double *q = r->q, *v = r->v;
    double *F = r->value, *rate = F + nq, *second = rate + nc;
    if (dq) {
        for (int i = 0; i < nq; i++) r->velocity[i] = e * dq[i];
        sari_coordinates_move(&s->coordinates, r->q, r->velocity, r->at);
        q = r->at;
    }
    if (dv) {
        for (int i = 0; i < nq; i++) r->velocity[i] = r->v[i] + e * dv[i];
        v = r->velocity;
    }
    // forces may have no value there; they do not count
    (void)sari_equations_eval(&s->equations, SARI_EVAL_DYNAMICS, r->t, q, v);
    sari_equations_mass_times(&s->equations, r->a, F);
    sari_csr_multiply_add_transposed(&s->Phi_q, 1.0, r->lambda, F);
    const double* Q = sari_residual_own_forces(s);
    for (int i = 0; i < nq - s->states; i++) F[i] -= Q[i];
    for (int i = nq - s->states; i < nq; i++) F[i] = 0.0;
    sari_csr_multiply(&s->Phi_q, v, rate);
    sari_csr_multiply(&s->Phi_q, r->a, second);
    for (int k = 0; k < nc; k++) {
        rate[k] += s->Phi_t[k];
        second[k] += s->bias[k];
    }
    return isfinite(sari_vector_norm(nq + 2 * nc, F)) ? SAR_OK : SAR_R_NOT_FINITE;
}

/* F += A x of an applied force's matrix */
static void add_product(const sari_csr* A, const double* x, double* F)
{
    for (int i = 0; i < A->rows; i++)
        for (int k = A->p[i]; k < A->p[i + 1]; k++) F[i] += A->x[k] * x[A->i[k]];
}

sar_status sari_residual_along_position(sari_residual* r, const double* dq, double unit)
{
    static const double weight[] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
    const int size = r->sys->nq + 2 * r->sys->nc;
    const double most = sari_vector_max(r->sys->nq, dq), h = STEP * fmin(unit, 1.0) / most;
    memset(r->F, 0, (size_t)size * sizeof(double));
    if (!(most > 0.0)) return SAR_OK;
    for (int k = 4; k >= 1; k--) // the smallest terms first
        for (int sign = -1; sign <= 1; sign += 2) {
            SARI_TRY(sari_residual_smooth(r, sign * k * h, dq, NULL));
            for (int i = 0; i < size; i++) r->F[i] += sign * weight[k - 1] / h * r->value[i];
        }
    add_product(&r->sys->K, dq, r->F);
    return SAR_OK;
}

sar_status sari_residual_along_velocity(sari_residual* r, const double* dv, double pace)
{
    const int size = r->sys->nq + 2 * r->sys->nc;
    const double most = sari_vector_max(r->sys->nq, dv), h = pace / most;
    memset(r->F, 0, (size_t)size * sizeof(double));
    if (!(most > 0.0)) return SAR_OK;
    SARI_TRY(sari_residual_smooth(r, h, NULL, dv));
    for (int i = 0; i < size; i++) r->F[i] = 0.5 / h * r->value[i];
    SARI_TRY(sari_residual_smooth(r, -h, NULL, dv));
    for (int i = 0; i < size; i++) r->F[i] -= 0.5 / h * r->value[i];
    add_product(&r->sys->C, dv, r->F);
    return SAR_OK;
}
