/* Gaussian elimination with partial pivoting; real and imaginary parts in arrays of their own. */
#include "linalg/shifted.h"
#include "linalg/elimination.h"

#include <math.h>
#include <string.h>

void sari_shifted_take(sari_shifted* f, sari_arena* memory, int most, int complex_too)
{
    f->A = SARI_TAKE(memory, double, most* most);
    f->x = SARI_TAKE(memory, double, most);
    f->pivot = SARI_TAKE(memory, int, most);
    f->A_im = complex_too ? SARI_TAKE(memory, double, most* most) : NULL;
    f->x_im = complex_too ? SARI_TAKE(memory, double, most) : NULL;
}

/* Is the upper half of J (0 I)? */
static int is_motion(int size, const double* J)
{
    const int d = size / 2;
    if (size % 2) return 0;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < size; j++)
            if (J[i * size + j] != (j == d + i)) return 0;
    return 1;
}

/* The matrix that is factored: s I - J, or that of (1). */
static void fill(sari_shifted* f, const double* J)
{
    const int n = f->n, size = f->size;
    const double re2 = f->re * f->re - f->im * f->im, im2 = 2.0 * f->re * f->im;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const int here = i * n + j;
            if (n == size) {
                f->A[here] = (i == j ? f->re : 0.0) - J[here];
                if (f->im != 0.0) f->A_im[here] = i == j ? f->im : 0.0;
                continue;
            }
            const double J21 = J[(n + i) * size + j], J22 = J[(n + i) * size + n + j];
            f->A[here] = (i == j ? re2 : 0.0) - f->re * J22 - J21;
            if (f->im != 0.0) f->A_im[here] = (i == j ? im2 : 0.0) - f->im * J22;
        }
}

/* row -= m top, from column `first` on */
static void eliminate(int first, int n, double m, const double* restrict top, double* restrict row)
{
    for (int j = first; j < n; j++) row[j] -= m * top[j];
}

static sar_status factor_complex(sari_shifted* f)
{
    const int n = f->n;
    for (int k = 0; k < n; k++) {
        double most = -1.0;
        int best = k;
        for (int i = k; i < n; i++) {
            const double size = fabs(f->A[i * n + k]) + fabs(f->A_im[i * n + k]);
            if (size > most) most = size, best = i;
        }
        double *top = f->A + k * n, *top_im = f->A_im + k * n;
        f->pivot[k] = best;
        sari_swap_rows(n, top, f->A + best * n);
        sari_swap_rows(n, top_im, f->A_im + best * n);
        if (!(most > 0.0) || !isfinite(most)) return SAR_R_SINGULAR;
        const double over = 1.0 / (top[k] * top[k] + top_im[k] * top_im[k]);
        for (int i = k + 1; i < n; i++) {
            double *row = f->A + i * n, *row_im = f->A_im + i * n;
            const double m = (row[k] * top[k] + row_im[k] * top_im[k]) * over;
            const double m_im = (row_im[k] * top[k] - row[k] * top_im[k]) * over;
            row[k] = m;
            row_im[k] = m_im;
            eliminate(k + 1, n, m, top, row);
            eliminate(k + 1, n, -m_im, top_im, row);
            eliminate(k + 1, n, m, top_im, row_im);
            eliminate(k + 1, n, m_im, top, row_im);
        }
    }
    return SAR_OK;
}

sar_status sari_shifted_factor(sari_shifted* f, int size, const double* J, double re, double im)
{
    f->size = size;
    f->n = is_motion(size, J) ? size / 2 : size;
    f->re = re;
    f->im = im;
    fill(f, J);
    return im == 0.0 ? sari_eliminate(f->n, f->A, f->pivot) : factor_complex(f);
}

static void substitute_complex(const sari_shifted* f, double* b, double* c)
{
    const int n = f->n;
    for (int k = 0; k < n; k++) {
        const int p = f->pivot[k];
        const double keep = b[p], keep_im = c[p];
        b[p] = b[k], c[p] = c[k];
        b[k] = keep, c[k] = keep_im;
    }
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++) {
            const double m = f->A[i * n + j], m_im = f->A_im[i * n + j];
            b[i] -= m * b[j] - m_im * c[j];
            c[i] -= m * c[j] + m_im * b[j];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) {
            const double m = f->A[i * n + j], m_im = f->A_im[i * n + j];
            b[i] -= m * b[j] - m_im * c[j];
            c[i] -= m * c[j] + m_im * b[j];
        }
        const double p = f->A[i * n + i], p_im = f->A_im[i * n + i];
        const double over = 1.0 / (p * p + p_im * p_im), re = b[i];
        b[i] = (re * p + c[i] * p_im) * over;
        c[i] = (c[i] * p - re * p_im) * over;
    }
}

/* x = b2 - J22 b1, of a real right-hand side of (1) */
static void reduce(const sari_shifted* f, const double* J, const double* b, double* x)
{
    const int n = f->n;
    for (int i = 0; i < n; i++) {
        const double* J22 = J + (n + i) * f->size + n;
        double sum = b[n + i];
        for (int j = 0; j < n; j++) sum -= J22[j] * b[j];
        x[i] = sum;
    }
}

void sari_shifted_solve(const sari_shifted* f, const double* J, double* b, double* b_im)
{
    const int n = f->n;
    const double re = f->re, im = f->im;
    if (n == f->size) {
        if (im == 0.0)
            sari_substitute(n, f->A, f->pivot, b);
        else
            substitute_complex(f, b, b_im);
        return;
    }
    reduce(f, J, b, f->x);
    if (im == 0.0) {
        for (int i = 0; i < n; i++) f->x[i] += re * b[i];
        sari_substitute(n, f->A, f->pivot, f->x);
        for (int i = 0; i < n; i++) b[n + i] = re * f->x[i] - b[i];
        memcpy(b, f->x, (size_t)n * sizeof *b);
        return;
    }
    reduce(f, J, b_im, f->x_im);
    for (int i = 0; i < n; i++) {
        f->x[i] += re * b[i] - im * b_im[i];
        f->x_im[i] += re * b_im[i] + im * b[i];
    }
    substitute_complex(f, f->x, f->x_im);
    for (int i = 0; i < n; i++) {
        b[n + i] = re * f->x[i] - im * f->x_im[i] - b[i];
        b_im[n + i] = re * f->x_im[i] + im * f->x[i] - b_im[i];
    }
    memcpy(b, f->x, (size_t)n * sizeof *b);
    memcpy(b_im, f->x_im, (size_t)n * sizeof *b);
}
