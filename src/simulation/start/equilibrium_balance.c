/* (1) and (2) of equilibrium.c at a position: rows and their rank, directions Z, reactions, what is not balanced, the stiffness H. */
#include "simulation/start/equilibrium_search.h"

#include "base/status.h"
#include "linalg/qr.h"
#include "linalg/rank.h"

#include <math.h>
#include <string.h>

static const double REGULARISATION = 1e-9; ///< of the heaviest coordinate's mass
static const double RANK = 1e-9;           ///< of the largest pivot: rows that hold nothing
static const double HOLDS = 1e-13;         ///< likewise, beside a singular configuration

typedef sari_equilibrium_search search;

sar_status sari_equilibrium_evaluate(search* s, unsigned more, const double* q)
{
    return sari_equations_eval(&s->sys->equations, SARI_EVAL_JACOBIAN | SARI_EVAL_FORCE | more,
                               s->t, q, s->v);
}

/* With the last evaluated M, and a little more where there is none. */
void sari_equilibrium_mass_times(const search* s, const double* x, double* out)
{
    const sari_sym* M = &s->sys->M;
    double heaviest = 0.0;
    for (int i = 0; i < s->n; i++) heaviest = fmax(heaviest, M->x[M->p[i]]);
    sari_equations_mass_times(&s->sys->equations, x, out);
    for (int i = 0; i < s->n; i++)
        out[i] += REGULARISATION * (heaviest > 0.0 ? heaviest : 1.0) * x[i];
}

/* Column j of X, whose columns before it are orthonormal in the sense of kinetic energy, becomes so
 * too. 0: there is nothing left of it. */
int sari_equilibrium_orthonormalise(search* s, double* X, int j)
{
    const size_t nq = (size_t)s->sys->nq;
    double* x = X + (size_t)j * nq;
    for (int pass = 0; pass < 2; pass++) { // the second takes out what rounding left
        sari_equilibrium_mass_times(s, x, s->MN);
        for (int k = 0; k < j; k++) {
            const double* z = X + (size_t)k * nq;
            const double part = sari_vector_dot(s->n, z, s->MN);
            for (size_t i = 0; i < nq; i++) x[i] -= part * z[i];
        }
    }
    sari_equilibrium_mass_times(s, x, s->MN);
    const double square = sari_vector_dot(s->n, x, s->MN);
    if (!(square > 0.0)) return 0;
    for (size_t i = 0; i < nq; i++) x[i] /= sqrt(square);
    return 1;
}

/* Where it was greater before, a singular configuration is near: on the way into it rows hold the more weakly the nearer
 * it is, and without them a step would lead off the motion. */
static int find_rank(search* s)
{
    const sari_csr* J = &s->sys->Phi_q;
    s->beside = 0;
    if (s->sys->nc == 0 || sari_rows_are_rounding(J, J->rows)) return 0;
    sari_qr_load_transposed(&s->qr, J);
    sari_qr_factor(&s->qr, s->n < J->rows ? s->n : J->rows);
    const int rank = sari_qr_rank(&s->qr, RANK), weak = sari_qr_rank(&s->qr, HOLDS);
    s->beside = sari_qr_rank(&s->qr, SARI_EQUILIBRIUM_SINGULAR) < s->rank;
    if (rank < s->rank) return weak < s->rank ? weak : s->rank;
    return s->rank = rank;
}

/* Phi_q' Pi = Q R; columns of Z are those of Q beyond the rank. */
static void find_directions(search* s)
{
    const int n = s->n, nq = s->sys->nq, rank = s->qr.rank = find_rank(s);
    s->d = n - rank;
    for (int j = 0; j < s->d; j++) {
        double* z = s->Z + (size_t)j * (size_t)nq;
        memset(z, 0, (size_t)nq * sizeof(double));
        if (rank > 0)
            sari_qr_null_vector(&s->qr, j, z);
        else
            z[j] = 1.0;
        (void)sari_equilibrium_orthonormalise(s, s->Z, j);
    }
}

/* lambda of (2), for the present Q. */
static void find_reactions(search* s)
{
    const sari_system* sys = s->sys;
    if (sys->nc == 0) return;
    memcpy(s->other, sys->Q, (size_t)sys->nq * sizeof(double));
    sari_qr_solve(&s->qr, s->other, s->lambda);
}

/* r at the evaluated position, with the present lambda. */
static void residual(const search* s, double* r)
{
    const sari_system* sys = s->sys;
    memcpy(r, sys->Q, (size_t)sys->nq * sizeof(double));
    sari_csr_multiply_add_transposed(&sys->Phi_q, -1.0, s->lambda, r);
}

/* g, lambda, r, and the unit of forces, at the evaluated position and with its directions. */
sar_status sari_equilibrium_weigh(search* s)
{
    const int nq = s->sys->nq;
    find_reactions(s);
    residual(s, s->r);
    for (int j = 0; j < s->d; j++)
        s->g[j] = sari_vector_dot(s->n, s->Z + (size_t)j * (size_t)nq, s->sys->Q);
    for (int i = 0; i < s->n; i++) s->other[i] = s->sys->Q[i] - s->r[i];
    s->forces =
        fmax(s->forces, fmax(sari_vector_max(s->n, s->sys->Q), sari_vector_max(s->n, s->other)));
    return isfinite(s->forces) ? SAR_OK : SAR_R_NOT_FINITE;
}

sar_status sari_equilibrium_balance(search* s, const double* q)
{
    SARI_TRY(sari_equilibrium_evaluate(s, SARI_EVAL_MASS, q));
    find_directions(s);
    return sari_equilibrium_weigh(s);
}

/* r at a position h along the direction z from q. */
static sar_status residual_beside(search* s, const double* q, const double* z, double h, double* r)
{
    for (int i = 0; i < s->sys->nq; i++) s->dq[i] = h * z[i];
    sari_coordinates_move(&s->sys->coordinates, q, s->dq, s->displaced);
    SARI_TRY(sari_equilibrium_evaluate(s, 0, s->displaced));
    residual(s, r);
    return SAR_OK;
}

/* H by differences along the columns of Z; its symmetric part. The system is left elsewhere. */
sar_status sari_equilibrium_stiffness(search* s, const double* q)
{
    const size_t nq = (size_t)s->sys->nq, d = (size_t)s->d;
    for (size_t j = 0; j < d; j++) {
        const double* z = s->Z + j * nq;
        const double h = SARI_EQUILIBRIUM_SLOPE * s->unit /
                         sari_vector_max(s->n, z); // light bodies have large columns
        SARI_TRY(residual_beside(s, q, z, h, s->ahead));
        SARI_TRY(residual_beside(s, q, z, -h, s->other));
        for (size_t i = 0; i < nq; i++) s->other[i] = (s->other[i] - s->ahead[i]) / (2.0 * h);
        for (size_t i = 0; i < d; i++)
            s->H[i * d + j] = sari_vector_dot(s->n, s->Z + i * nq, s->other);
    }
    memcpy(s->F, s->H, d * d * sizeof(double));
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < i; j++)
            s->H[i * d + j] = s->H[j * d + i] = 0.5 * (s->H[i * d + j] + s->H[j * d + i]);
    return isfinite(sari_vector_norm((int)(d * d), s->H)) ? SAR_OK : SAR_R_NOT_FINITE;
}

/* e and V of H: singular values of H plus so much that none of its eigenvalues is negative. */
void sari_equilibrium_eigenvalues(search* s)
{
    const int d = s->d;
    const double shift = sari_vector_norm(d * d, s->H);
    for (int i = 0; i < d; i++) s->H[i * d + i] += shift;
    sari_svd(d, d, s->H, s->e, NULL, s->V, s->work);
    for (int i = 0; i < d; i++) s->e[i] -= shift;
}
