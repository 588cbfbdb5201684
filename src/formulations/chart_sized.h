/* The innermost parts of the dense chart as functions of its sizes. Where the mechanism is small these
 * are constants when compiled, and loops over them are unrolled: see SARI_CHART_SIZED. */
#ifndef SARI_CHART_SIZED_H
#define SARI_CHART_SIZED_H

#include "formulations/chart.h"
#include "solvers/least_squares_kernels.h"

typedef struct sari_chart_size {
    int n, nh, r, d;
} sari_chart_size;

/* One motion, so many rows and so many of them that are not redundant; `plain`: chart_plain.c. */
#define SARI_CHART_KERNEL(rows, rank, plain) (16 * (rows) + 2 * (rank) + (plain))

#define SARI_CHART_CASE(rows, rank, c, f, ...)                                                     \
    case SARI_CHART_KERNEL(rows, rank, 0):                                                         \
        return f(c, ((sari_chart_size){(rank) + 1, rows, rank, 1}), __VA_ARGS__);

/* return f(c, size, ...); sizes are constants where the mechanism is small. Five rows of which some
 * are redundant are those of a loop in space that is cut at a hinge. */
#define SARI_CHART_SIZED(c, f, ...)                                                                \
    switch ((c)->kernel) {                                                                         \
        SARI_CHART_CASE(1, 1, c, f, __VA_ARGS__)                                                   \
        SARI_CHART_CASE(2, 2, c, f, __VA_ARGS__)                                                   \
        SARI_CHART_CASE(3, 3, c, f, __VA_ARGS__)                                                   \
        SARI_CHART_CASE(4, 4, c, f, __VA_ARGS__)                                                   \
        SARI_CHART_CASE(5, 5, c, f, __VA_ARGS__)                                                   \
        SARI_CHART_CASE(5, 2, c, f, __VA_ARGS__)                                                   \
        SARI_CHART_CASE(5, 3, c, f, __VA_ARGS__)                                                   \
        SARI_CHART_CASE(5, 4, c, f, __VA_ARGS__)                                                   \
    default:                                                                                       \
        return f(c, ((sari_chart_size){(c)->n, (c)->nh, (c)->r, (c)->d}), __VA_ARGS__);            \
    }

SARI_INLINE int sari_chart_is_small(const sari_chart_size s)
{
    return __builtin_constant_p(s.r) && s.d == 1;
}

SARI_INLINE double sari_chart_sum(const int n, const double* a, const double* b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/// Y = row (Phi_q X), nh x k, without slack.
SARI_INLINE void sari_chart_times(const sari_chart* c, const sari_chart_size s, const sari_csr* J,
                                  const int k, const double* X, double* restrict Y)
{
    const int *p = J->p, *column = J->i;
    const double* value = J->x;
    if (c->sys->slack.count) {
        sari_chart_rows_times(c, J, k, X, Y);
        return;
    }
    for (int i = 0, e = p[0]; i < s.nh; i++) {
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

/// b (nh x k) becomes B_0^+ b, where B_0 is what was factored.
SARI_INLINE void sari_chart_divide(const sari_chart* c, const sari_chart_size s, const int k,
                                   double* b)
{
    if (sari_chart_is_small(s) && k == 1)
        sari_qr_solve_one(c->f.A, c->f.tau, s.nh, s.r, b);
    else
        sari_least_squares_solve(&c->f, k, b);
}

/// Y (nh x k) becomes B^+ Y in its first r rows: with the factors of B_0 beside,
///     x <- x + B_0^+ (y - B x)
SARI_INLINE void sari_chart_solve_sized(sari_chart* c, const sari_chart_size s, const int k,
                                        double* Y)
{
    double *rest = c->refining, *known = rest + (size_t)s.nh * (size_t)k,
           *moved = known + (size_t)s.nh * (size_t)k;
    for (int i = 0; c->refinements && i < s.nh * k; i++) known[i] = Y[i];
    sari_chart_divide(c, s, k, Y);
    for (int round = 0; round < c->refinements; round++) {
        for (int i = 0; i < s.n; i++) {
            const double* AW = c->AW + (size_t)(i * s.r);
            for (int j = 0; j < k; j++) {
                double sum = 0.0;
                for (int l = 0; l < s.r; l++) sum += AW[l] * Y[l * k + j];
                moved[i * k + j] = sum;
            }
        }
        sari_chart_times(c, s, &c->sys->Phi_q, k, moved, rest);
        for (int i = 0; i < s.nh * k; i++) rest[i] = known[i] - rest[i];
        sari_chart_divide(c, s, k, rest);
        for (int i = 0; i < s.r * k; i++) Y[i] += rest[i];
    }
}

#endif
