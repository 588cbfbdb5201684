/* Positions and rates that nothing holds are zero eigenvalues in Jordan blocks. The QR method finds such as roots of
 * rounding, 1e-7 and worse, and with them spoils what is near. So they are taken out first, one layer of all blocks
 * after the other: with A N = 0, N'N = 1 and Q'Q = 1 across it,
 *
 *     A = (N Q) ( 0  N'A Q ; 0  Q'A Q ) (N Q)',   A <- Q'A Q until nothing is zero             (1)
 *
 * A vector of the last matrix, Q y with the eigenvalue lambda, belongs to A as x = A Q y / lambda, if Q is the product
 * of all and A has been multiplied once for each layer; with many layers, x = (A/lambda)^k Q y.                 (2)
 *
 * What counts as zero is 1e-9 of the matrix, whose entries have about 13 digits; its states are of one size. */
#include "analysis/modes.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/qr.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

static const double ZERO = 1e-9; ///< of the largest pivot

/* Orthonormal vectors of n numbers: those of the rows of A (their number is returned), then of its kernel. */
static sar_status split(int n, const double* A, double* vectors, int* rank)
{
    sari_qr qr;
    SARI_TRY(sari_qr_create(n, n, &qr));
    memcpy(qr.A, A, (size_t)n * (size_t)n * sizeof(double)); // by rows: the transposed by columns
    sari_qr_factor(&qr, n);
    int k = 0;
    while (k < qr.rank && qr.pivot[k] > ZERO * qr.pivot[0]) k++;
    qr.rank = *rank = k;
    for (int j = 0; j < n; j++) {
        double* x = vectors + (size_t)j * (size_t)n;
        memset(x, 0, (size_t)n * sizeof(double));
        x[j] = 1.0;
        sari_qr_multiply(&qr, x);
    }
    sari_qr_clear(&qr);
    return SAR_OK;
}

/* out (rows: `to` vectors) = vectors (to x n) times those of `basis` (n x width) */
static void combine(int to, int n, int width, const double* vectors, const double* basis,
                    double* out)
{
    memset(out, 0, (size_t)to * (size_t)width * sizeof(double));
    for (int i = 0; i < to; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < width; k++)
                out[(size_t)i * (size_t)width + (size_t)k] +=
                    vectors[(size_t)i * (size_t)n + (size_t)j] *
                    basis[(size_t)j * (size_t)width + (size_t)k];
}

/* B = V A V' for the first `to` vectors V (to x n); W: workspace. */
static void project(int to, int n, const double* A, const double* V, double* W, double* B)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < to; j++)
            W[(size_t)j * (size_t)n + (size_t)i] =
                sari_vector_dot(n, A + (size_t)i * (size_t)n, V + (size_t)j * (size_t)n);
    for (int i = 0; i < to; i++)
        for (int j = 0; j < to; j++)
            B[(size_t)i * (size_t)to + (size_t)j] =
                sari_vector_dot(n, V + (size_t)i * (size_t)n, W + (size_t)j * (size_t)n);
}

sar_status sari_deflate(int n, const double* A, sari_arena* memory, sari_deflated* out)
{
    const size_t square = (size_t)n * (size_t)n;
    double* B = SARI_TAKE(memory, double, square);
    double* Q = SARI_TAKE(memory, double, square);
    double* V = SARI_TAKE(memory, double, square);
    double* W = SARI_TAKE(memory, double, square);
    out->N = SARI_TAKE(memory, double, square);
    if (memory->failed) return SAR_E_NOMEM;
    *out = (sari_deflated){.n = n, .size = n, .B = B, .Q = Q, .N = out->N};
    memcpy(B, A, square * sizeof(double));
    for (int i = 0; i < n; i++) Q[(size_t)i * (size_t)n + (size_t)i] = 1.0;
    while (out->size > 0) {
        int rank = 0;
        SARI_TRY(split(out->size, B, V, &rank));
        if (rank == out->size) break;
        combine(out->size, out->size, n, V, Q, W); // all vectors in numbers of A
        memcpy(out->N + (size_t)out->zeros * (size_t)n, W + (size_t)rank * (size_t)n,
               (size_t)(out->size - rank) * (size_t)n * sizeof(double));
        memcpy(Q, W, (size_t)rank * (size_t)n * sizeof(double));
        out->zeros += out->size - rank;
        out->size = rank;
        project(rank, n, A, Q, W, B);
    }
    return SAR_OK;
}

/* (2): as many times as there may be layers; each multiplication takes out one. */
void sari_deflated_vector(const sari_deflated* d, const double* A, double re, double im,
                          const double* y, const double* y_im, double* x, double* x_im)
{
    const int n = d->n;
    const double square = re * re + im * im;
    for (int i = 0; i < n; i++) x[i] = x_im[i] = 0.0;
    for (int k = 0; k < d->size; k++) {
        const double* v = d->Q + (size_t)k * (size_t)n;
        for (int i = 0; i < n; i++) x[i] += v[i] * y[k], x_im[i] += v[i] * y_im[k];
    }
    for (int layer = 0; layer < 3 && d->zeros > 0; layer++) {
        double *p = x + n, *p_im = x_im + n; // workspace behind the vectors
        for (int i = 0; i < n; i++) {
            const double a = sari_vector_dot(n, A + (size_t)i * (size_t)n, x),
                         b = sari_vector_dot(n, A + (size_t)i * (size_t)n, x_im);
            p[i] = (a * re + b * im) / square;
            p_im[i] = (b * re - a * im) / square;
        }
        memcpy(x, p, (size_t)n * sizeof(double));
        memcpy(x_im, p_im, (size_t)n * sizeof(double));
    }
}
