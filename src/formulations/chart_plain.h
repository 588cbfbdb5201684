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

/* The smallest singular value by inverse iteration from c->f.right, as in least_squares.c; `left` is
 * not of length one. */
SARI_INLINE double sari_chart_plain_sigma(sari_chart* c, const sari_chart_size s,
                                          const sari_chart_plain* f, const int iterations,
                                          double* left)
{
    double right[SARI_CHART_SMALL], value = 0.0;
    const int rounds = sari_qr_guess(s.r, c->f.right, right) ? iterations : 2;
    for (int round = 0; round < rounds; round++) {
        double left2 = 0.0, right2 = 0.0;
        for (int k = 0; k < s.r; k++) left[k] = right[k];
        for (int k = 0; k < s.r; k++) { // R'^-1
            left[k] *= f->inverse[k];
            left2 += left[k] * left[k];
            for (int j = k + 1; j < s.r; j++) left[j] -= left[k] * f->A[k * s.r + j];
        }
        for (int k = s.r - 1; k >= 0; k--) { // R^-1
            right[k] = left[k];
            for (int j = k + 1; j < s.r; j++) right[k] -= f->A[k * s.r + j] * right[j];
            right[k] *= f->inverse[k];
            right2 += right[k] * right[k];
        }
        const double length = 1.0 / sqrt(right2);
        value = sqrt(left2) * length;
        for (int k = 0; k < s.r; k++) right[k] *= length;
    }
    for (int k = 0; k < s.r; k++) c->f.right[k] = right[k];
    return value;
}

/* B = Q R with the inverses of R's pivots, its smallest singular value, and both in c->f for others. */
SARI_INLINE void sari_chart_plain_factor(sari_chart* c, const sari_chart_size s,
                                         const int iterations, sari_chart_plain* f)
{
    double scratch[SARI_CHART_SMALL], left[SARI_CHART_SMALL] = {0};
    for (int i = 0; i < s.r * s.r; i++) f->A[i] = f->B[i];
    const double pivots = sari_qr_factor(f->A, f->tau, scratch, s.r, s.r),
                 largest = pivots > c->usual ? pivots : c->usual;
    for (int k = 0; k < s.r; k++) {
        double* pivot = &f->A[k * s.r + k];
        if (fabs(*pivot) < SARI_QR_ZERO * largest) *pivot = SARI_QR_ZERO * largest;
        f->inverse[k] = 1.0 / *pivot;
    }
    const double sigma = largest > 0.0 ? sari_chart_plain_sigma(c, s, f, iterations, left) : 0.0;
    const double length = 1.0 / sqrt(sari_chart_sum(s.r, left, left));
    for (int i = 0; i < s.r * s.r; i++) c->f.A[i] = f->A[i];
    for (int k = 0; k < s.r; k++) {
        c->f.tau[k] = f->tau[k];
        c->f.left[k] = length * left[k];
    }
    c->f.largest = largest;
    c->f.smallest = sigma;
}

/* b = B_0^+ b, where B_0 is what was factored. */
SARI_INLINE void sari_chart_plain_divide(const sari_chart_plain* f, const sari_chart_size s,
                                         double* b)
{
    for (int k = 0; k < s.r; k++) { // Q'
        double sum = b[k];
        for (int i = k + 1; i < s.r; i++) sum += f->A[i * s.r + k] * b[i];
        sum *= f->tau[k];
        b[k] -= sum;
        for (int i = k + 1; i < s.r; i++) b[i] -= sum * f->A[i * s.r + k];
    }
    for (int k = s.r - 1; k >= 0; k--) { // R^-1
        for (int j = k + 1; j < s.r; j++) b[k] -= f->A[k * s.r + j] * b[j];
        b[k] *= f->inverse[k];
    }
}

/* y becomes B^+ y, B that of the place: x <- x + B_0^+ (y - B x). */
SARI_INLINE void sari_chart_plain_solve(const sari_chart_plain* f, const sari_chart_size s,
                                        const int refinements, double* y)
{
    double known[SARI_CHART_SMALL], rest[SARI_CHART_SMALL];
    for (int i = 0; i < s.r; i++) known[i] = y[i];
    sari_chart_plain_divide(f, s, y);
    for (int round = 0; round < refinements; round++) {
        for (int i = 0; i < s.r; i++) rest[i] = known[i] - sari_chart_sum(s.r, f->B + i * s.r, y);
        sari_chart_plain_divide(f, s, rest);
        for (int i = 0; i < s.r; i++) y[i] += rest[i];
    }
}

/* What the motion needs of the place. */
SARI_INLINE void sari_chart_plain_keep(const sari_chart_plain* from, const sari_chart_size s,
                                       sari_chart_plain* to)
{
    for (int i = 0; i < s.r * s.r; i++) to->B[i] = from->B[i];
    for (int i = 0; i < s.r * s.r; i++) to->A[i] = from->A[i];
    for (int k = 0; k < s.r; k++) to->tau[k] = from->tau[k], to->inverse[k] = from->inverse[k];
}

#endif
