/* Kernels of the dense chart where little is left of it: one degree of freedom, few rows, none of them
 * redundant, all quadratic in positions that are vectors. One pass over the terms of the rows gives
 * all that is needed at a place, and matrices are small enough for registers. */
#ifndef SARI_CHART_PLAIN_H
#define SARI_CHART_PLAIN_H

#include "formulations/chart_sized.h"
#include "system/quadratics_kernels.h"

/* Phi, B = row Phi_q W and row Phi_q V at q; Phi and Phi_q of the system too, for others. */
SARI_INLINE void sari_chart_plain_rows(const sari_chart* c, const sari_chart_size s,
                                       sari_chart_plain* at)
{
    const sari_quadratics* f = c->sys->quadratic;
    const sari_quadratic_entry* e = f->entry;
    double* restrict J = c->sys->Phi_q.x, * restrict Phi = c->sys->Phi;
    const double* restrict V = c->V, * restrict W = c->W, * restrict q = c->q;
    for (int i = 0; i < s.r; i++) {
        const double row = c->row[i];
        double twice = 0.0, along = 0.0, across[SARI_CHART_SMALL];
        for (int k = 0; k < s.r; k++) across[k] = 0.0;
        for (const sari_quadratic_entry* end = f->row[i].end; e < end; e++) {
            const double g = e->b + sari_quadratics_times(f, e, q, 1);
            const double* restrict w = W + e->i * s.r;
            *J++ = g;
            twice += q[e->i] * (e->b + g);
            along += g * V[e->i];
            for (int k = 0; k < s.r; k++) across[k] += g * w[k];
        }
        Phi[i] = f->row[i].c + 0.5 * twice;
        at->Phi[i] = row * Phi[i];
        at->BV[i] = row * along;
        for (int k = 0; k < s.r; k++) at->B[i * s.r + k] = row * across[k];
    }
}

/* out_i = row T' H_i T, where H_i are the second derivatives of row i: dPhi_q/dt T but for dz/dt. */
SARI_INLINE void sari_chart_plain_curvature(const sari_chart* c, const sari_chart_size s,
                                            const double* restrict T, double* restrict out)
{
    const sari_quadratics* f = c->sys->quadratic;
    const sari_quadratic_entry* e = f->entry;
    for (int i = 0; i < s.r; i++) {
        double sum = 0.0;
        for (const sari_quadratic_entry* end = f->row[i].end; e < end; e++)
            sum += T[e->i] * sari_quadratics_times(f, e, T, 1);
        out[i] = c->row[i] * sum;
    }
}

/* left' row (dPhi_q/dt) y along T: how the singular value with these vectors changes. */
SARI_INLINE double sari_chart_plain_slope(const sari_chart* c, const double* T, const double* left,
                                          const double* y)
{
    const sari_quadratics* f = c->sys->quadratic;
    const sari_quadratic_entry* e = f->entry;
    double slope = 0.0;
    for (int i = 0; i < c->r; i++) {
        double sum = 0.0;
        for (const sari_quadratic_entry* end = f->row[i].end; e < end; e++)
            sum += y[e->i] * sari_quadratics_times(f, e, T, 1);
        slope += left[i] * c->row[i] * sum;
    }
    return slope;
}

SARI_INLINE void sari_chart_plain_swap(double* a, double* b)
{
    const double keep = *a;
    *a = *b;
    *b = keep;
}

/* A = A^-1 by Gauss and Jordan, with the largest pivots of the columns; the product of these. A pivot
 * below `least` would give no vectors of a singular value that is zero. */
SARI_INLINE double sari_chart_plain_invert(const int n, double least, double* A)
{
    int row_of[SARI_CHART_SMALL];
    double product = 1.0;
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[p * n + k])) p = i;
        row_of[k] = p;
        if (p != k)
            for (int j = 0; j < n; j++) sari_chart_plain_swap(&A[k * n + j], &A[p * n + j]);
        if (fabs(A[k * n + k]) < least) A[k * n + k] = least;
        const double inverse = 1.0 / A[k * n + k];
        product *= A[k * n + k];
        A[k * n + k] = 1.0;
        for (int j = 0; j < n; j++) A[k * n + j] *= inverse;
        for (int i = 0; i < n; i++) {
            if (i == k) continue;
            const double factor = A[i * n + k];
            A[i * n + k] = 0.0;
            for (int j = 0; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
        }
    }
    for (int k = n - 1; k >= 0; k--)
        if (row_of[k] != k)
            for (int i = 0; i < n; i++) sari_chart_plain_swap(&A[i * n + k], &A[i * n + row_of[k]]);
    return fabs(product);
}

/* The smallest singular value of B by iteration with X = B^-1 from c->f.right, as in
 * least_squares.c. */
SARI_INLINE double sari_chart_plain_sigma(sari_chart* c, const sari_chart_size s,
                                          const int iterations, sari_chart_plain* at)
{
    double right[SARI_CHART_SMALL], *left = at->left, value = 0.0;
    const int rounds = sari_qr_guess(s.r, c->f.right, right) ? iterations : 2;
    for (int round = 0; round < rounds; round++) {
        for (int j = 0; j < s.r; j++) left[j] = right[0] * at->X[j];
        for (int i = 1; i < s.r; i++)
            for (int j = 0; j < s.r; j++) left[j] += right[i] * at->X[i * s.r + j];
        for (int i = 0; i < s.r; i++) right[i] = sari_chart_sum(s.r, at->X + i * s.r, left);
        const double length = 1.0 / sqrt(sari_chart_sum(s.r, right, right));
        value = sqrt(sari_chart_sum(s.r, left, left)) * length;
        for (int k = 0; k < s.r; k++) right[k] *= length;
    }
    for (int k = 0; k < s.r; k++) c->f.right[k] = right[k];
    return value;
}

/* A = A^-1 of two rows, its determinant and its smallest singular value,
 *
 *     sigma_2 = |det| / sigma_1,   2 sigma_1^2 = |A|^2 + sqrt(|A|^4 - 4 det^2) */
SARI_INLINE double sari_chart_plain_invert_two(double least, double* A, double* smallest)
{
    const double a = A[0], b = A[1], c = A[2], d = A[3], squares = a * a + b * b + c * c + d * d;
    double det = a * d - b * c;
    if (fabs(det) < least * sqrt(squares)) det = least * sqrt(squares);
    const double apart = squares * squares - 4.0 * det * det, inverse = 1.0 / det;
    *smallest = fabs(det) / sqrt(0.5 * (squares + sqrt(apart > 0.0 ? apart : 0.0)));
    A[0] = d * inverse;
    A[1] = -b * inverse;
    A[2] = -c * inverse;
    A[3] = a * inverse;
    return fabs(det);
}

/* X = B^-1, the smallest singular value, and the longest column of B. */
SARI_INLINE void sari_chart_plain_factor(sari_chart* c, const sari_chart_size s,
                                         const int iterations, sari_chart_plain* at)
{
    double longest = c->usual * c->usual;
    for (int j = 0; j < s.r; j++) {
        double square = 0.0;
        for (int i = 0; i < s.r; i++) square += at->B[i * s.r + j] * at->B[i * s.r + j];
        longest = square > longest ? square : longest;
    }
    for (int i = 0; i < s.r * s.r; i++) at->X[i] = at->B[i];
    c->f.largest = sqrt(longest);
    if (s.r == 2) { // its vectors come with the distance
        const double least = SARI_QR_ZERO * c->f.largest;
        c->plain.product = sari_chart_plain_invert_two(least, at->X, &c->f.smallest);
        return;
    }
    c->plain.product = sari_chart_plain_invert(s.r, SARI_QR_ZERO * c->f.largest, at->X);
    c->f.smallest = c->plain.product > 0.0 ? sari_chart_plain_sigma(c, s, iterations, at) : 0.0;
}

/* out = X b: B_0^-1 b, where B_0 is what was factored. */
SARI_INLINE void sari_chart_plain_divide(const sari_chart_plain* at, const sari_chart_size s,
                                         const double* b, double* restrict out)
{
    for (int i = 0; i < s.r; i++) out[i] = sari_chart_sum(s.r, at->X + i * s.r, b);
}

/* out = B^-1 y, B that of the place: x <- x + B_0^-1 (y - B x), also where B_0 is B: an inverse is not
 * as good as a solution. */
SARI_INLINE void sari_chart_plain_solve(const sari_chart_plain* at, const sari_chart_size s,
                                        const int refinements, const double* y,
                                        double* restrict out)
{
    double rest[SARI_CHART_SMALL], change[SARI_CHART_SMALL];
    sari_chart_plain_divide(at, s, y, out);
    for (int round = 0; round < refinements; round++) {
        for (int i = 0; i < s.r; i++) rest[i] = y[i] - sari_chart_sum(s.r, at->B + i * s.r, out);
        sari_chart_plain_divide(at, s, rest, change);
        for (int i = 0; i < s.r; i++) out[i] += change[i];
    }
}

/* out = B'^-1 y, likewise. */
SARI_INLINE void sari_chart_plain_solve_transposed(const sari_chart_plain* at, const int r,
                                                   const int refinements, const double* y,
                                                   double* restrict out)
{
    double rest[SARI_CHART_SMALL];
    for (int i = 0; i < r; i++) out[i] = 0.0;
    for (int round = 0; round <= refinements; round++) {
        for (int j = 0; j < r; j++) {
            rest[j] = y[j];
            for (int i = 0; round && i < r; i++) rest[j] -= at->B[i * r + j] * out[i];
        }
        for (int i = 0; i < r; i++)
            for (int j = 0; j < r; j++) out[i] += at->X[j * r + i] * rest[j];
    }
}

/* What the motion needs of the place. */
SARI_INLINE void sari_chart_plain_keep(const sari_chart_plain* from, const sari_chart_size s,
                                       sari_chart_plain* to)
{
    for (int i = 0; i < s.r * s.r; i++) to->B[i] = from->B[i];
    for (int i = 0; i < s.r * s.r; i++) to->X[i] = from->X[i];
}

#endif
