/* With R and C the diagonal matrices of the scales and Pi the order of the pivots,
 *
 *     R J C Pi = Q (U; 0)                                   Householder, see qr.c       (1)
 *     x  = C Pi U^-1 (Q' R g)_1                             J x = g                     (2)
 *     mu = R Q (U'^-1 Pi' C f; 0)                           J' mu = f, least R^-1 mu    (3)
 *     x  = C Pi (-U_1^-1 U_2 e_k; e_k)                      J x = 0, U = (U_1 U_2)      (4)
 */
#include "simulation/determined.h"

#include "base/memory.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

static const double ROUNDING = 1e-10; ///< weaker columns are not taken as independent

sar_status sari_determined_create(int rows, int cols, sari_determined* out)
{
    *out = (sari_determined){.n = cols, .m = rows};
    SARI_TRY(sari_qr_create(rows, cols, &out->qr));
    out->plain = SARI_NEW_ARRAY(double, rows);
    out->row = SARI_NEW_ARRAY(double, rows);
    out->col = SARI_NEW_ARRAY(double, cols);
    out->work = SARI_NEW_ARRAY(double, rows > cols ? rows : cols);
    if (!out->row || !out->plain || !out->col || !out->work) return SAR_E_NOMEM;
    for (int c = 0; c < cols; c++) out->col[c] = 1.0;
    return SAR_OK;
}

void sari_determined_clear(sari_determined* d)
{
    sari_qr_clear(&d->qr);
    sari_release(d->row);
    sari_release(d->plain);
    sari_release(d->col);
    sari_release(d->work);
    *d = (sari_determined){0};
}

static double inverse_length(double square)
{
    return square > 0.0 ? 1.0 / sqrt(square) : 1.0;
}

/* Rows of length one, but for rows that are nothing but rounding. */
static void scale_rows(sari_determined* d, const sari_csr* J)
{
    double longest = 0.0;
    for (int r = 0; r < d->m; r++) {
        double square = 0.0, plain = 0.0;
        for (int k = J->p[r]; k < J->p[r + 1]; k++) {
            double x = J->x[k] * d->col[J->i[k]];
            square += x * x;
            plain += J->x[k] * J->x[k];
        }
        d->plain[r] = sqrt(plain);
        d->row[r] = square;
        longest = fmax(longest, square);
    }
    for (int r = 0; r < d->m; r++) d->row[r] = inverse_length(fmax(d->row[r], 1e-16 * longest));
}

void sari_determined_factor(sari_determined* d, const sari_csr* J, int most) // (1)
{
    sari_qr* qr = &d->qr;
    scale_rows(d, J);
    memset(qr->A, 0, (size_t)d->m * (size_t)d->n * sizeof *qr->A);
    for (int r = 0; r < d->m; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++)
            qr->A[(size_t)J->i[k] * (size_t)d->m + (size_t)r] =
                d->row[r] * J->x[k] * d->col[J->i[k]];
    sari_qr_factor(qr, most);
    d->weight = d->n == 0 ? 1.0 : qr->rank == d->n ? qr->pivot[d->n - 1] / qr->pivot[0] : 0.0;
    qr->rank = sari_determined_rank(d, ROUNDING);
}

int sari_determined_rank(const sari_determined* d, double tolerance)
{
    const sari_qr* qr = &d->qr;
    int rank = 0;
    while (rank < qr->rank && qr->pivot[rank] > tolerance * qr->pivot[0]) rank++;
    return rank;
}

void sari_determined_solve(sari_determined* d, const double* g, double* x) // (2)
{
    const sari_qr* qr = &d->qr;
    for (int r = 0; r < d->m; r++) d->work[r] = d->row[r] * g[r];
    sari_qr_multiply_transposed(qr, d->work);
    sari_qr_back(qr, d->work);
    for (int k = 0; k < d->n; k++) {
        int c = qr->order[k];
        x[c] = k < qr->rank ? d->col[c] * d->work[k] : 0.0;
    }
}

void sari_determined_solve_transposed(sari_determined* d, const double* f, double* mu) // (3)
{
    const sari_qr* qr = &d->qr;
    for (int r = 0; r < d->m; r++) mu[r] = 0.0;
    for (int k = 0; k < qr->rank; k++) mu[k] = d->col[qr->order[k]] * f[qr->order[k]];
    sari_qr_back_transposed(qr, mu);
    sari_qr_multiply(qr, mu);
    for (int r = 0; r < d->m; r++) mu[r] *= d->row[r];
}

void sari_determined_free(sari_determined* d, int rank, int k, double* x) // (4)
{
    const sari_qr* qr = &d->qr;
    const double* column = qr->A + (size_t)(rank + k) * (size_t)d->m;
    double square = 0.0;
    sari_qr leading = *qr;
    leading.rank = rank;
    for (int i = 0; i < rank; i++) d->work[i] = -column[i];
    sari_qr_back(&leading, d->work);
    for (int i = 0; i < d->n; i++) {
        int c = qr->order[i];
        x[c] = d->col[c] * (i < rank ? d->work[i] : i == rank + k ? 1.0 : 0.0);
        square += x[c] * x[c];
    }
    for (int c = 0; c < d->n; c++) x[c] *= inverse_length(square);
}

double sari_determined_size(const sari_determined* d, const double* g)
{
    double most = 0.0;
    for (int r = 0; r < d->m; r++)
        most = fmax(most, fabs(g[r]) / (d->plain[r] > 0.0 ? d->plain[r] : 1.0));
    return most;
}
