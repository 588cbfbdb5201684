/* (s I - J) x = b: residuals, and the way by half the size against the whole matrix. */
#include "sar_test.h"

#include "linalg/shifted.h"
#include "math/random.h"

enum { SIZE = 8 };

static void fill(double* J, int motion, double stiff)
{
    uint64_t seed = 5;
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            J[i * SIZE + j] = motion && i < SIZE / 2 ? (j == i + SIZE / 2)
                                                     : sari_random(&seed) * (i == 5 ? stiff : 1.0);
}

/* Largest of (s I - J) x - b, in parts of the largest term. */
static double residual(const double* J, double re, double im, const double* x, const double* y,
                       const double* b, const double* c)
{
    double worst = 0.0;
    for (int i = 0; i < SIZE; i++) {
        double sum = re * x[i] - im * y[i] - b[i], sum_im = re * y[i] + im * x[i] - c[i];
        double terms = fabs(b[i]) + fabs(c[i]) + (fabs(re) + fabs(im)) * (fabs(x[i]) + fabs(y[i]));
        for (int j = 0; j < SIZE; j++) {
            sum -= J[i * SIZE + j] * x[j];
            sum_im -= J[i * SIZE + j] * y[j];
            terms += fabs(J[i * SIZE + j]) * (fabs(x[j]) + fabs(y[j]));
        }
        worst = fmax(worst, (fabs(sum) + fabs(sum_im)) / terms);
    }
    return worst;
}

TEST(they_solve)
{
    static const double STIFF[] = {1.0, 1e6, 1e12};
    for (int motion = 0; motion < 2; motion++)
        for (int k = 0; k < 3; k++)
            for (int complex_too = 0; complex_too < 2; complex_too++) {
                sari_arena memory = {0};
                sari_shifted f = {0};
                double J[SIZE * SIZE], b[SIZE], c[SIZE], x[SIZE], y[SIZE];
                const double re = 37.0, im = complex_too ? 41.0 : 0.0;
                uint64_t seed = 9;
                fill(J, motion, STIFF[k]);
                sari_shifted_take(&f, &memory, SIZE, complex_too);
                CHECK_STATUS(sari_shifted_factor(&f, SIZE, J, re, im), SAR_OK);
                CHECK(f.n == (motion ? SIZE / 2 : SIZE));
                for (int i = 0; i < SIZE; i++) {
                    b[i] = x[i] = sari_random(&seed);
                    c[i] = y[i] = complex_too ? sari_random(&seed) : 0.0;
                }
                sari_shifted_solve(&f, J, x, complex_too ? y : NULL);
                CHECK_AT_MOST(residual(J, re, im, x, y, b, c), 1e-13);
                sari_arena_clear(&memory);
            }
}

TEST(eigenvalues_are_told)
{
    sari_arena memory = {0};
    sari_shifted f = {0};
    const double J[4] = {2.0, 0.0, 0.0, 3.0};
    sari_shifted_take(&f, &memory, 2, 0);
    CHECK_STATUS(sari_shifted_factor(&f, 2, J, 3.0, 0.0), SAR_R_SINGULAR);
    CHECK_STATUS(sari_shifted_factor(&f, 2, J, 4.0, 0.0), SAR_OK);
    sari_arena_clear(&memory);
}
