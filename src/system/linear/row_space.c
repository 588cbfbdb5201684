#include "system/linear/row_space.h"

#include "base/status.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

static const double RANK = 1e-9; ///< of the first pivot: rows that hold nothing
static const double SHORT =
    1e-4; ///< of the longest row: shorter ones are not made longer than this
static const double MASSLESS = 1e-12; ///< of a motion's mass before it was made orthogonal

sar_status sari_row_space_create(sari_row_space* s, sari_arena* memory, sari_system* sys, int rows,
                                 int n)
{
    s->sys = sys;
    s->rows = rows;
    s->n = n;
    s->T = SARI_TAKE(memory, double, (size_t)sys->nq*(size_t)n);
    s->D = SARI_TAKE(memory, double, n);
    s->L = SARI_TAKE(memory, double, rows);
    s->MT = SARI_TAKE(memory, double, sys->nq);
    s->work = SARI_TAKE(memory, double, sys->nq + rows);
    if (memory->failed) return SAR_E_NOMEM;
    return rows > 0 && n > 0 ? sari_qr_create(n, rows, &s->qr) : SAR_OK;
}

void sari_row_space_clear(sari_row_space* s)
{
    sari_qr_clear(&s->qr);
}

static double heaviest(const sari_row_space* s)
{
    const sari_sym* M = &s->sys->M;
    double most = 0.0;
    for (int i = 0; i < s->n; i++) most = fmax(most, M->x[M->p[i]]);
    return most > 0.0 ? most : 1.0;
}

/* Vector j of T becomes orthonormal to those before it; 0: nothing is left of it. */
static int orthonormalise(sari_row_space* s, int j)
{
    const size_t nq = (size_t)s->sys->nq;
    double *x = s->T + (size_t)j * nq, before = 0.0;
    for (int pass = 0; pass < 2; pass++) { // the second takes out what rounding left
        sari_equations_mass_times(&s->sys->equations, x, s->MT);
        if (pass == 0) before = sari_vector_dot(s->n, x, s->MT);
        for (int k = 0; k < j; k += 4) {
            const int count = j - k < 4 ? j - k : 4;
            const double* z = s->T + (size_t)k * nq;
            double part[4];
            if (count == 4) sari_vector_dot_four(s->n, z, (long)nq, s->MT, part);
            for (int l = 0; l < count; l++, z += nq)
                sari_vector_add((int)nq, count < 4 ? -sari_vector_dot(s->n, z, s->MT) : -part[l], z,
                                x);
        }
    }
    sari_equations_mass_times(&s->sys->equations, x, s->MT);
    const double square = sari_vector_dot(s->n, x, s->MT);
    if (!(square > MASSLESS * before)) return 0;
    for (size_t i = 0; i < nq; i++) x[i] /= sqrt(square);
    return 1;
}

/* Scales of (1). A coordinate without mass weighs as much as the heaviest. */
static void find_scales(sari_row_space* s)
{
    const sari_sym* M = &s->sys->M;
    const sari_csr* J = &s->sys->Phi_q;
    const double most = heaviest(s);
    for (int i = 0; i < s->n; i++) {
        const double mass = M->x[M->p[i]];
        s->D[i] = sqrt(mass > RANK * most ? mass : most);
    }
    double longest = 0.0;
    for (int r = 0; r < s->rows; r++) {
        double square = 0.0;
        for (int k = J->p[r]; k < J->p[r + 1]; k++)
            if (J->i[k] < s->n) square += J->x[k] * J->x[k] / (s->D[J->i[k]] * s->D[J->i[k]]);
        s->L[r] = sqrt(square);
        longest = fmax(longest, s->L[r]);
    }
    for (int r = 0; r < s->rows; r++) // a row that vanishes in a singular configuration stays short
        s->L[r] = !(longest > 0.0) ? 1.0 : fmax(s->L[r], SHORT * longest);
}

static int find_rank(sari_row_space* s)
{
    const sari_csr* J = &s->sys->Phi_q;
    const int n = s->n;
    s->weakest = 1.0;
    if (s->rows == 0) return 0;
    if (sari_rows_are_rounding(J, s->rows)) return s->qr.rank = 0;
    memset(s->qr.A, 0, (size_t)n * (size_t)s->rows * sizeof(double));
    for (int r = 0; r < s->rows; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++)
            if (J->i[k] < n)
                s->qr.A[(size_t)r * (size_t)n + (size_t)J->i[k]] =
                    J->x[k] / (s->D[J->i[k]] * s->L[r]);
    sari_qr_factor(&s->qr, n < s->rows ? n : s->rows);
    const int rank = sari_qr_rank(&s->qr, RANK);
    s->weakest = rank > 0 ? s->qr.pivot[rank - 1] / s->qr.pivot[0] : 1.0;
    return s->qr.rank = rank;
}

sar_status sari_row_space_find(sari_row_space* s)
{
    const int nq = s->sys->nq;
    if (s->n == 0) return SAR_OK;
    find_scales(s);
    s->rank = find_rank(s);
    s->d = s->n - s->rank;
    for (int j = 0; j < s->d; j++) {
        double* x = s->T + (size_t)j * (size_t)nq;
        memset(x, 0, (size_t)nq * sizeof(double));
        if (s->rank > 0)
            sari_qr_null_vector(&s->qr, j, x);
        else
            x[j] = 1.0;
        for (int i = 0; i < s->n; i++) x[i] /= s->D[i];
        if (orthonormalise(s, j)) continue;
        s->d = j + 1;
        return SAR_R_SINGULAR;
    }
    return SAR_OK;
}

void sari_row_space_solve(sari_row_space* s, const double* b, double* x)
{
    memset(x, 0, (size_t)s->sys->nq * sizeof(double));
    if (s->rank == 0) return;
    for (int k = 0; k < s->rank; k++) x[k] = b[s->qr.order[k]] / s->L[s->qr.order[k]];
    sari_qr_back_transposed(&s->qr, x);
    sari_qr_multiply(&s->qr, x);
    for (int i = 0; i < s->n; i++) x[i] /= s->D[i];
}

void sari_row_space_multipliers(sari_row_space* s, const double* f, double* lambda)
{
    double* x = s->work;
    memset(lambda, 0, (size_t)s->rows * sizeof(double));
    if (s->rank == 0) return;
    for (int i = 0; i < s->n; i++) x[i] = f[i] / s->D[i];
    sari_qr_solve(&s->qr, x, lambda);
    for (int r = 0; r < s->rows; r++) lambda[r] /= s->L[r];
}
