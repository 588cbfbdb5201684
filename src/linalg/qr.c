/* Householder reflections, the longest remaining column first [golub2013]:
 *
 *     H = 1 - tau w w',     w = (1, x_2 / (x_1 - beta), ...),     H x = (beta, 0, ..., 0)
 *
 * Squared lengths of the remaining columns are carried on by subtracting what was eliminated, and
 * taken afresh where cancellation has eaten most of their digits. */
#include "linalg/qr.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

static const double CANCELLED = 1e-7; ///< of a squared length: half of the digits are left
static const double ROUNDING = 1e-11; ///< of the model's size, or radians

sar_status sari_qr_create(int rows, int cols, sari_qr* out)
{
    *out = (sari_qr){.rows = rows, .cols = cols};
    out->A = SARI_TAKE(&out->memory, double, (size_t)rows*(size_t)cols);
    out->tau = SARI_TAKE(&out->memory, double, cols);
    out->pivot = SARI_TAKE(&out->memory, double, cols);
    out->order = SARI_TAKE(&out->memory, int, cols);
    out->length = SARI_TAKE(&out->memory, double, cols);
    out->reference = SARI_TAKE(&out->memory, double, cols);
    if (!out->memory.failed) return SAR_OK;
    sari_qr_clear(out);
    return SAR_E_NOMEM;
}

void sari_qr_clear(sari_qr* qr)
{
    sari_arena_clear(&qr->memory);
    *qr = (sari_qr){0};
}

static double* column(const sari_qr* qr, int j)
{
    return qr->A + (size_t)j * (size_t)qr->rows;
}

/* Bring the longest remaining column to place k. */
static void choose(sari_qr* qr, int k)
{
    int best = k;
    for (int j = k + 1; j < qr->cols; j++)
        if (qr->length[j] > qr->length[best]) best = j;
    if (best == k) return;
    double *a = column(qr, k), *b = column(qr, best);
    for (int i = 0; i < qr->rows; i++) {
        double x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
    int chosen = qr->order[best];
    qr->order[best] = qr->order[k];
    qr->order[k] = chosen;
    qr->length[best] = qr->length[k];
    qr->reference[best] = qr->reference[k];
}

/* x = H_k x for a vector of the full length */
static void reflect(const sari_qr* qr, int k, double* x)
{
    const double* w = column(qr, k) + k + 1;
    int below = qr->rows - k - 1;
    double sum = qr->tau[k] * (x[k] + sari_vector_dot(below, w, x + k + 1));
    x[k] -= sum;
    for (int i = 0; i < below; i++) x[k + 1 + i] -= sum * w[i];
}

/* Eliminate column k below the diagonal; 0 when it is zero already. */
static int eliminate(sari_qr* qr, int k)
{
    double* x = column(qr, k) + k;
    int count = qr->rows - k;
    double size = sqrt(sari_vector_dot(count, x, x));
    if (!(size > 0.0)) return 0;
    double beta = x[0] > 0.0 ? -size : size, scale = 1.0 / (x[0] - beta);
    qr->tau[k] = (beta - x[0]) / beta;
    qr->pivot[k] = size;
    for (int i = 1; i < count; i++) x[i] *= scale;
    x[0] = beta;
    for (int j = k + 1; j < qr->cols; j++) {
        double* a = column(qr, j);
        reflect(qr, k, a);
        qr->length[j] -= a[k] * a[k];
        if (qr->length[j] > CANCELLED * qr->reference[j]) continue;
        qr->length[j] = sari_vector_dot(count - 1, a + k + 1, a + k + 1);
        qr->reference[j] = qr->length[j];
    }
    return 1;
}

void sari_qr_factor(sari_qr* qr, int most)
{
    for (int j = 0; j < qr->cols; j++) {
        qr->order[j] = j;
        qr->length[j] = qr->reference[j] = sari_vector_dot(qr->rows, column(qr, j), column(qr, j));
    }
    qr->rank = 0;
    while (qr->rank < most && qr->rank < qr->rows && qr->rank < qr->cols) {
        choose(qr, qr->rank);
        if (!eliminate(qr, qr->rank)) return;
        qr->rank++;
    }
}

void sari_qr_load_transposed(sari_qr* qr, const sari_csr* J)
{
    memset(qr->A, 0, (size_t)qr->rows * (size_t)qr->cols * sizeof *qr->A);
    for (int r = 0; r < J->rows; r++)
        for (int k = J->p[r]; k < J->p[r + 1]; k++)
            if (J->i[k] < qr->rows) column(qr, r)[J->i[k]] = J->x[k];
}

int sari_row_is_rounding(const sari_csr* J, int row)
{
    return sari_vector_max(J->p[row + 1] - J->p[row], J->x + J->p[row]) <= ROUNDING;
}

int sari_rows_are_rounding(const sari_csr* J, int rows)
{
    return sari_vector_max(J->p[rows], J->x) <= ROUNDING;
}

int sari_qr_rank(const sari_qr* qr, double relative)
{
    int rank = 0;
    while (rank < qr->rank && qr->pivot[rank] > relative * qr->pivot[0]) rank++;
    return rank;
}

void sari_qr_null_vector(const sari_qr* qr, int k, double* x)
{
    memset(x, 0, (size_t)qr->rows * sizeof *x);
    x[qr->rank + k] = 1.0;
    sari_qr_multiply(qr, x);
}

void sari_qr_solve(const sari_qr* qr, double* w, double* mu)
{
    sari_qr_multiply_transposed(qr, w);
    sari_qr_back(qr, w);
    memset(mu, 0, (size_t)qr->cols * sizeof *mu);
    for (int k = 0; k < qr->rank; k++) mu[qr->order[k]] = w[k];
}

double sari_qr_left(const sari_qr* qr)
{
    double most = 0.0;
    if (qr->rank == qr->rows) return most;
    for (int j = qr->rank; j < qr->cols; j++) most = fmax(most, qr->length[j]);
    return sqrt(most);
}

void sari_qr_multiply(const sari_qr* qr, double* x)
{
    for (int k = qr->rank - 1; k >= 0; k--) reflect(qr, k, x);
}

void sari_qr_multiply_transposed(const sari_qr* qr, double* x)
{
    for (int k = 0; k < qr->rank; k++) reflect(qr, k, x);
}

void sari_qr_back(const sari_qr* qr, double* x)
{
    for (int k = qr->rank - 1; k >= 0; k--) {
        const double* r = column(qr, k);
        x[k] /= r[k];
        for (int i = 0; i < k; i++) x[i] -= x[k] * r[i];
    }
}

void sari_qr_back_transposed(const sari_qr* qr, double* x)
{
    for (int k = 0; k < qr->rank; k++) {
        const double* r = column(qr, k);
        x[k] = (x[k] - sari_vector_dot(k, r, x)) / r[k];
    }
}
