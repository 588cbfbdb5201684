/* A step y along the motions Z that the loops leave free:
 *
 *     least  c'y + 1/2 y'(H + mu) y,   B y >= b,   |y| <= radius                                  (1)
 *
 * mu is the smallest of 0, mu_0, 4 mu_0 ... for which the step is short enough and H + mu is positive. Limits count
 * where the step would pass them: with K = H + mu their forces z solve
 *
 *     w = (B K^-1 B' + tiny) z + B y_0 - b,   w, z >= 0,   w'z = 0,   y = y_0 + K^-1 B'z           (2)
 *
 * tiny makes (2) solvable where limits contradict each other or the loops.
 *
 * H is that of Gauss and Newton, sum w^2 (Z'g)(Z'g)', which is exact where what is wanted is met. Elsewhere the curvature
 * of f + lambda'h - z'limits matters, by differences of its gradient. */
#include "analysis/pose/pose.h"

#include "base/status.h"
#include "linalg/cholesky.h"
#include "linalg/lcp.h"
#include "linalg/rank.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

static const double LEAST = 1e-14; ///< of a pivot
static const double TINY = 1e-10;
static const double APART = 1e-5; ///< of the differences, in radians and sizes

/* ---- limits --------------------------------------------------------------------------------- */

/* The distance of limit i beyond the step y, on one side of it: negative where it is passed. */
static double left_of(const sar_pose* p, int i, int side, const double* y)
{
    return side * (p->b[2 * i + (side < 0)] + sari_vector_dot(p->free, p->B + i * p->free, y));
}

/* Limits that y passes join the list; 0: none does. */
static int list_passed(sar_pose* p, int* count)
{
    int added = 0;
    for (int i = 0; i < p->limits; i++) {
        for (int side = -1; side <= 1 && p->side[i] == 0; side += 2)
            if (left_of(p, i, side, p->y) < -1e-12) {
                p->side[i] = side;
                p->listed[(*count)++] = i;
                added++;
            }
    }
    return added;
}

/* (2) for the limits of the list; K is factored. */
static void hold_limits(sar_pose* p, int count)
{
    const int d = p->free;
    for (int a = 0; a < count; a++) {
        const int i = p->listed[a];
        double* push = p->push + a * d;
        for (int k = 0; k < d; k++) push[k] = p->side[i] * p->B[i * d + k];
        sari_cholesky_solve(d, p->K, push);
        p->w[a] = left_of(p, i, p->side[i], p->y0);
    }
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++)
            p->A[a * count + b] = p->side[p->listed[a]] *
                                  sari_vector_dot(d, p->B + p->listed[a] * d, p->push + b * d);
    for (int a = 0; a < count; a++) p->A[a * count + a] *= 1.0 + TINY, p->A[a * count + a] += TINY;
    memcpy(p->y, p->y0, (size_t)d * sizeof(double));
    memset(p->z, 0, (size_t)p->limits * sizeof(double));
    if (sari_lcp_solve(count, p->A, p->w, p->lambda, p->room, p->basis) != SAR_OK) return;
    for (int a = 0; a < count; a++) {
        sari_vector_add(d, p->lambda[a], p->push + a * d, p->y);
        p->z[p->listed[a]] = p->side[p->listed[a]] * p->lambda[a];
    }
}

/* ---- the step ------------------------------------------------------------------------------- */

/* (1) for one mu. 0: H + mu is not positive. */
static int solve_with(sar_pose* p, double mu)
{
    const int d = p->free;
    memcpy(p->K, p->H, (size_t)(d * d) * sizeof(double));
    for (int k = 0; k < d; k++) p->K[k * d + k] += mu;
    if (sari_cholesky(d, p->K, LEAST) > 0) return 0;
    for (int k = 0; k < d; k++) p->y0[k] = -p->c[k];
    sari_cholesky_solve(d, p->K, p->y0);
    memcpy(p->y, p->y0, (size_t)d * sizeof(double));
    memset(p->z, 0, (size_t)p->limits * sizeof(double));
    memset(p->side, 0, (size_t)p->limits * sizeof(int));
    int count = 0;
    while (count < p->limits && list_passed(p, &count)) hold_limits(p, count);
    return 1;
}

double sari_pose_step(sar_pose* p, double radius)
{
    const int d = p->free;
    double largest = 0.0;
    for (int k = 0; k < d; k++) largest = fmax(largest, fabs(p->H[k * d + k]));
    const double first = fmax(1e-3 * sari_vector_norm(d, p->c) / radius, 1e-12 * largest);
    double mu = 0.0;
    for (int tries = 0; tries<40; tries++, mu = mu> 0.0 ? 4.0 * mu : first)
        if (solve_with(p, mu) && sari_vector_norm(d, p->y) <= radius) break;
    const double length = sari_vector_norm(d, p->y);
    if (!(length > radius)) return length;
    for (int k = 0; k < d; k++) p->y[k] *= radius / length;
    return radius;
}

/* ---- curvature ------------------------------------------------------------------------------ */

/* Across limits that are held nothing moves, whatever the curvature there: H is made positive in these directions. */
static void stiffen_limits(sar_pose* p)
{
    const int d = p->free;
    double largest = 0.0;
    for (int k = 0; k < d * d; k++) largest = fmax(largest, fabs(p->H[k]));
    for (int i = 0; i < p->limits; i++) {
        const double* B = p->B + i * d;
        const double square = sari_vector_dot(d, B, B);
        if (p->z[i] == 0.0 || !(square > 0.0)) continue;
        for (int k = 0; k < d; k++)
            sari_vector_add(d, 2.0 * d * largest / square * B[k], B, p->H + k * d);
    }
}

sar_status sari_pose_curvature(sar_pose* p, const double* q)
{
    const int d = p->free, n = p->n;
    memset(p->lambda, 0, (size_t)(p->hard + p->limits + 1) * sizeof(double));
    sari_pose_gradient(p, NULL, p->z, p->work);
    if (p->hard > 0) { // J'lambda = -gradient, by the factors of this place
        for (int i = 0; i < n; i++) p->work[i] = -p->work[i];
        sari_qr_solve(&p->qr, p->work, p->lambda);
    }
    for (int k = 0; k < d; k++) {
        double* column = p->plus + n;
        memset(column, 0, (size_t)n * sizeof(double));
        for (int side = -1; side <= 1; side += 2) {
            memset(p->step, 0, (size_t)p->system->nq * sizeof(double));
            sari_vector_add(n, side * APART, p->Z + k * n, p->step);
            sari_coordinates_move(&p->system->coordinates, q, p->step, p->other);
            SARI_TRY(sari_pose_evaluate(p, p->other));
            sari_pose_measure(p, p->other);
            sari_pose_gradient(p, p->lambda, p->z, p->plus);
            sari_vector_add(n, side / (2.0 * APART), p->plus, column);
        }
        for (int l = 0; l < d; l++) p->H[k * d + l] = sari_vector_dot(n, p->Z + l * n, column);
    }
    for (int k = 0; k < d; k++)
        for (int l = 0; l < k; l++)
            p->H[k * d + l] = p->H[l * d + k] = 0.5 * (p->H[k * d + l] + p->H[l * d + k]);
    stiffen_limits(p);
    return SAR_OK;
}

/* H + shift is positive, so that its singular values are its eigenvalues. */
double sari_pose_lowest(sar_pose* p)
{
    const int d = p->free;
    double shift = 0.0;
    for (int k = 0; k < d; k++) {
        double sum = 0.0;
        for (int l = 0; l < d; l++) sum += fabs(p->H[k * d + l]);
        shift = fmax(shift, sum);
    }
    if (d == 0 || !(shift > 0.0)) return 0.0;
    memcpy(p->K, p->H, (size_t)(d * d) * sizeof(double));
    for (int k = 0; k < d; k++) p->K[k * d + k] += 1.01 * shift;
    double *sigma = p->room, *V = sigma + d, *work = V + d * d;
    sari_svd(d, d, p->K, sigma, NULL, V, work);
    for (int k = 0; k < d; k++) p->y[k] = V[k * d + d - 1];
    return (sigma[d - 1] - 1.01 * shift) / shift;
}
