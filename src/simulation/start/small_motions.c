/* With y = x exp(lambda t):
 *
 *     P(lambda) x = (lambda^2 + lambda C + H) x = 0,    w' P(lambda) = 0                       (1)
 *
 * lambda are the eigenvalues of J = (0 1; -H -C), x and w come by inverse iteration. Where C and H are
 * wrong by dC and dH, lambda is by
 *
 *     dlambda = w' (dH + lambda dC) x / w' (2 lambda + C) x                                    (2)
 *
 * or, where two meet and the denominator vanishes, by the root of the numerator over w' x. */
#include "simulation/start/small_motions.h"

#include "base/status.h"
#include "linalg/eigenvalues.h"
#include "math/functions.h"
#include "math/random.h"
#include "math/vector.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

static void fill(int d, const double* H, const double* C, int transposed, double* J)
{
    const int n = 2 * d;
    for (int i = 0; i < d; i++) {
        J[i * n + d + i] = 1.0;
        for (int j = 0; j < d; j++) {
            const int from = transposed ? j * d + i : i * d + j;
            J[(d + i) * n + j] = -H[from];
            J[(d + i) * n + d + j] = -C[from];
        }
    }
}

sar_status sari_small_motions_find(sari_small_motions* m, sari_arena* memory, int d,
                                   const double* H, const double* C, double off)
{
    const size_t n = 2 * (size_t)d;
    double** const vectors[] = {&m->re, &m->im, &m->x, &m->x_im, &m->w, &m->w_im};
    m->d = d;
    for (int k = 0; k < 6; k++) *vectors[k] = SARI_TAKE(memory, double, n);
    m->J = SARI_TAKE(memory, double, n* n);
    m->J_t = SARI_TAKE(memory, double, n* n);
    sari_shifted_take(&m->factors, memory, d, 1); // J is one of motion
    if (memory->failed) return SAR_E_NOMEM;
    m->H_off = off * sari_vector_max(d * d, H);
    m->C_off = off * sari_vector_max(d * d, C);
    fill(d, H, C, 0, m->J);
    memcpy(m->J_t, m->J, n * n * sizeof(double));
    SARI_TRY(sari_eigenvalues(2 * d, m->J_t, m->re, m->im, m->x));
    memset(m->J_t, 0, n * n * sizeof(double));
    fill(d, H, C, 1, m->J_t);
    return SAR_OK;
}

/* The first d numbers of x have the length 1. */
static void normalise(int d, double* x, double* x_im)
{
    double square = 0.0;
    for (int i = 0; i < d; i++) square += x[i] * x[i] + x_im[i] * x_im[i];
    const double length = square > 0.0 ? sqrt(square) : 1.0;
    for (int i = 0; i < 2 * d; i++) x[i] /= length, x_im[i] /= length;
}

/* Inverse iteration, beside the eigenvalue by more than its rounding. */
static void iterate(sari_small_motions* m, const double* J, int k, double* x, double* x_im)
{
    enum { ROUNDS = 4 };
    uint64_t random = 5;
    const double beside = 1e-10 * (sari_hypot(m->re[k], m->im[k]) + sqrt(m->H_off) + m->C_off);
    for (int i = 0; i < 2 * m->d; i++) x[i] = sari_random(&random), x_im[i] = 0.0;
    if (sari_shifted_factor(&m->factors, 2 * m->d, J, m->re[k] + beside + DBL_MIN, m->im[k]))
        return;
    for (int round = 0; round < ROUNDS; round++) {
        sari_shifted_solve(&m->factors, J, x, x_im);
        normalise(m->d, x, x_im);
    }
}

double sari_small_motion(sari_small_motions* m, int k)
{
    const int d = m->d, n = 2 * d;
    const double complex lambda = m->re[k] + _Complex_I * m->im[k];
    double complex slope = 0.0, product = 0.0;
    iterate(m, m->J, k, m->x, m->x_im);
    iterate(m, m->J_t, k, m->w, m->w_im);
    for (int i = 0; i < d; i++) {
        double complex Cx = 0.0;
        const double complex w = m->w[i] + _Complex_I * m->w_im[i],
                             x = m->x[i] + _Complex_I * m->x_im[i];
        for (int j = 0; j < d; j++)
            Cx -= m->J[(d + i) * n + d + j] * (m->x[j] + _Complex_I * m->x_im[j]);
        slope += w * (2.0 * lambda * x + Cx);
        product += w * x;
    }
    const double off = m->H_off + sari_hypot(m->re[k], m->im[k]) * m->C_off;
    return fmin(off / (sari_hypot(creal(slope), cimag(slope)) + DBL_MIN),
                sqrt(off / (sari_hypot(creal(product), cimag(product)) + DBL_MIN)));
}
