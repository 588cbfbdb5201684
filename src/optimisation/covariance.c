/* What data say about the numbers that were fitted to them, from the singular values of J = dr/dp at the minimum:
 *
 *     J S = U Sigma V',   S: columns to length 1;   s^2 = r'r/(m - n)
 *     cov = s^2 S V Sigma^-2 V' S                                                                 (1)
 *     Sigma_k < 1e-8 Sigma_1: the combination V_k of variables changes no residual                (2)
 *
 * [bates1988]. Columns of length zero are such combinations by themselves. */
#include "base/arena.h"
#include "base/status.h"
#include "linalg/rank.h"
#include "math/vector.h"
#include "sarrus/optimisation.h"

#include <string.h>

static const double UNTOLD = 1e-8; ///< (2)

typedef struct analysis {
    sari_arena memory;
    int m, n, free; ///< free: those that no bound holds
    int* list;      ///< their numbers
    double *length, *A, *sigma, *V, *work;
} analysis;

static sar_status set_up(analysis* x, const double* J, const int* fixed)
{
    const int m = x->m, n = x->n;
    x->list = SARI_TAKE(&x->memory, int, n);
    x->length = SARI_TAKE(&x->memory, double, n);
    for (int k = 0; k < n && !x->memory.failed; k++)
        if (!fixed || !fixed[k]) x->list[x->free++] = k;
    const int rows =
        m > x->free ? m : x->free; // rows of zeros: as many singular values as variables
    x->A = SARI_TAKE(&x->memory, double, rows* n);
    x->sigma = SARI_TAKE(&x->memory, double, n);
    x->V = SARI_TAKE(&x->memory, double, n* n);
    x->work = (double*)sari_arena_take(&x->memory, sari_svd_workspace(rows, n), sizeof(double));
    if (x->memory.failed) return SAR_E_NOMEM;
    for (int j = 0; j < x->free; j++) {
        double square = 0.0;
        for (int i = 0; i < m; i++) {
            const double entry = J[i * n + x->list[j]];
            square += entry * entry;
        }
        x->length[j] = square > 0.0 ? sqrt(square) : 1.0;
        for (int i = 0; i < m; i++) x->A[i * x->free + j] = J[i * n + x->list[j]] / x->length[j];
    }
    if (x->free) sari_svd(rows, x->free, x->A, x->sigma, NULL, x->V, x->work);
    return SAR_OK;
}

static int is_identified(const analysis* x, int k)
{
    return x->sigma[k] > UNTOLD * x->sigma[0];
}

/* (V Sigma^-2 V')_ij of what is identified. */
static double inverse(const analysis* x, int i, int j)
{
    double sum = 0.0;
    for (int k = 0; k < x->free; k++)
        if (is_identified(x, k))
            sum += x->V[i * x->free + k] * x->V[j * x->free + k] / (x->sigma[k] * x->sigma[k]);
    return sum;
}

/* Is variable j part of a combination that is not identified? */
static int is_part(const analysis* x, int j)
{
    for (int k = 0; k < x->free; k++)
        if (!is_identified(x, k) && fabs(x->V[j * x->free + k]) > 1e-4) return 1;
    return 0;
}

static void put(const analysis* x, double variance, double* deviations, double* correlations)
{
    const int n = x->n;
    for (int k = 0; k < n; k++) deviations[k] = NAN;
    for (int k = 0; k < n * n && correlations; k++) correlations[k] = NAN;
    for (int i = 0; i < x->free; i++) {
        if (is_part(x, i)) continue;
        deviations[x->list[i]] = sqrt(variance * inverse(x, i, i)) / x->length[i];
        for (int j = 0; j < x->free && correlations; j++)
            if (!is_part(x, j))
                correlations[x->list[i] * n + x->list[j]] =
                    inverse(x, i, j) / sqrt(inverse(x, i, i) * inverse(x, j, j));
    }
}

static void put_combinations(const analysis* x, const double* scale, double* combinations)
{
    int row = 0;
    for (int k = 0; k < x->free; k++) {
        if (is_identified(x, k)) continue;
        double* to = combinations + row++ * x->n;
        memset(to, 0, (size_t)x->n * sizeof *to);
        for (int i = 0; i < x->free; i++)
            to[x->list[i]] =
                x->V[i * x->free + k] / (x->length[i] * (scale ? scale[x->list[i]] : 1.0));
        sari_vector_normalise(x->n, to);
    }
}

sar_status sar_covariance_find(int residuals, int variables, const double* jacobian,
                               const double* r, const double* scale, const int* fixed,
                               sar_covariance* out, double* deviations, double* correlations,
                               double* combinations)
{
    if (residuals < 1 || variables < 1) return SAR_E_ARG;
    analysis x = {.m = residuals, .n = variables};
    const sar_status status = set_up(&x, jacobian, fixed);
    if (status == SAR_OK) {
        *out = (sar_covariance){.condition = 1.0};
        for (int k = 0; k < x.free; k++) out->unidentified += !is_identified(&x, k);
        if (x.free) out->condition = x.sigma[0] / x.sigma[x.free - 1];
        const int spare = residuals - (x.free - out->unidentified);
        out->variance = spare > 0 ? sari_vector_dot(residuals, r, r) / spare : NAN;
        put(&x, out->variance, deviations, correlations);
        if (combinations) put_combinations(&x, scale, combinations);
    }
    sari_arena_clear(&x.memory);
    return status;
}
