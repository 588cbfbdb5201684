/* Solutions with the factors of the dense chart. */
#ifndef SARI_CHART_ROWS_H
#define SARI_CHART_ROWS_H

#include "formulations/chart/chart.h"
#include "linalg/tall.h"

/// Y (nh x k) becomes B^+ Y in its first r rows: with the factors of B_0 beside,
///     x <- x + B_0^+ (y - B x)
static inline void sari_chart_solve(sari_chart* c, const int k, double* Y)
{
    double *rest = c->work.refining, *known = rest + (size_t)c->nh * (size_t)k,
           *moved = known + (size_t)c->nh * (size_t)k;
    for (int i = 0; c->refinements && i < c->nh * k; i++) known[i] = Y[i];
    sari_least_squares_solve(&c->f, k, Y);
    for (int round = 0; round < c->refinements; round++) {
        for (int i = 0; i < c->n * k; i++) moved[i] = 0.0;
        sari_tall_add_product(c->n, c->r, k, 1.0, c->AW, Y, k, moved);
        sari_chart_times(c, &c->sys->Phi_q, k, moved, rest);
        for (int i = 0; i < c->nh * k; i++) rest[i] = known[i] - rest[i];
        sari_least_squares_solve(&c->f, k, rest);
        for (int i = 0; i < c->r * k; i++) Y[i] += rest[i];
    }
}

#endif
