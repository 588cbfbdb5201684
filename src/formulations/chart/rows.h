/* Products with the rows of the dense chart, and solutions with their factors. */
#ifndef SARI_CHART_ROWS_H
#define SARI_CHART_ROWS_H

#include "formulations/chart/chart.h"

/// Y = row (Phi_q X), nh x k, without slack.
static inline void sari_chart_times(const sari_chart* c, const sari_csr* J, const int k,
                                    const double* X, double* restrict Y)
{
    const int *p = J->p, *column = J->i;
    const double* value = J->x;
    if (c->sys->slack.count) {
        sari_chart_rows_times(c, J, k, X, Y);
        return;
    }
    for (int i = 0, e = p[0]; i < c->nh; i++) {
        double* restrict y = Y + (size_t)i * (size_t)k;
        const double row = c->row[i];
        for (int j = 0; j < k; j++) y[j] = 0.0;
        for (const int end = p[i + 1]; e < end; e++) {
            const double* restrict x = X + (size_t)column[e] * (size_t)k, factor = value[e];
            for (int j = 0; j < k; j++) y[j] += factor * x[j];
        }
        for (int j = 0; j < k; j++) y[j] *= row;
    }
}

/// Y (nh x k) becomes B^+ Y in its first r rows: with the factors of B_0 beside,
///     x <- x + B_0^+ (y - B x)
static inline void sari_chart_solve(sari_chart* c, const int k, double* Y)
{
    double *rest = c->work.refining, *known = rest + (size_t)c->nh * (size_t)k,
           *moved = known + (size_t)c->nh * (size_t)k;
    for (int i = 0; c->refinements && i < c->nh * k; i++) known[i] = Y[i];
    sari_least_squares_solve(&c->f, k, Y);
    for (int round = 0; round < c->refinements; round++) {
        for (int i = 0; i < c->n; i++) {
            const double* AW = c->AW + (size_t)(i * c->r);
            for (int j = 0; j < k; j++) {
                double sum = 0.0;
                for (int l = 0; l < c->r; l++) sum += AW[l] * Y[l * k + j];
                moved[i * k + j] = sum;
            }
        }
        sari_chart_times(c, &c->sys->Phi_q, k, moved, rest);
        for (int i = 0; i < c->nh * k; i++) rest[i] = known[i] - rest[i];
        sari_least_squares_solve(&c->f, k, rest);
        for (int i = 0; i < c->r * k; i++) Y[i] += rest[i];
    }
}

#endif
