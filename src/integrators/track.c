/* The polynomial of degree 11 that has q, v and a of the motion at the ends of the last three steps.
 * With x = (t - t_begin) / h, q from where the last step began, and in every end e the distance y = x - x_e and Lagrange's polynomial
 * L_e, which is one there and zero in the others,
 *
 *     q(x) = sum_e L_e^3 (g_0 + g_1 y + g_2 y^2),   g the first terms of q / L_e^3           (1)
 *
 *     L_e^-3 = 1 - 3 S y + (9 S^2 + 3 S_2) / 2 y^2 ...,   S = sum_j 1 / (x_e - x_j),   S_2 likewise of squares
 *
 * Steps of an integrator of order 8 are so short that this is as good as their ends are, and nothing has
 * to be evaluated for it. Without the last of its twelve conditions, a at the end that is farthest away,
 * the polynomial would differ by
 *
 *     c (x - x_farthest)^2 prod (x - x_e)^3,   c = sum_e w_e^3 g_2,   w_e = 1 / prod_j (x_e - x_j)   (2)
 *
 * which tells what its error is about. */
#include "integrators/track.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { FEWEST = 3 }; ///< ends: fewer do not reach the order of the steps

void sari_track_take(sari_track* track, sari_arena* memory, int n)
{
    track->n = n;
    track->last = SARI_TAKE(memory, double, n);
    for (int e = 0; e < SARI_TRACK_ENDS; e++) {
        track->end[e] = SARI_TAKE(memory, double, 3 * (size_t)n);
        track->g[e] = SARI_TAKE(memory, double, 3 * (size_t)n);
    }
}

/* The polynomial is made anew from the ends. */
void sari_track_archive(sari_track* track, sari_archive* a)
{
    track->count = sari_archive_range(a, track->count, 0, SARI_TRACK_ENDS);
    sari_archive_numbers(a, track->t, (size_t)track->count);
    for (int e = 0; e < track->count; e++)
        sari_archive_numbers(a, track->end[e], 3 * (size_t)track->n);
    if (sari_archive_reads(a)) track->ready = 0;
}

void sari_track_end(sari_track* track, const sari_state* s)
{
    const size_t n = (size_t)track->n;
    double* room = track->end[SARI_TRACK_ENDS - 1];
    for (int e = SARI_TRACK_ENDS - 1; e > 0; e--) {
        track->end[e] = track->end[e - 1];
        track->t[e] = track->t[e - 1];
    }
    track->end[0] = room;
    track->t[0] = s->t;
    memcpy(room, s->q, n * sizeof(double));
    memcpy(room + n, s->v, n * sizeof(double));
    memcpy(room + 2 * n, s->a, n * sizeof(double));
    if (track->count < SARI_TRACK_ENDS) track->count++;
    track->ready = 0;
}

void sari_track_begin(sari_track* track, const sari_state* s)
{
    const size_t n = (size_t)track->n;
    const double* last = track->end[0];
    const int same = track->count && track->t[0] == s->t &&
                     memcmp(last, s->q, n * sizeof(double)) == 0 &&
                     memcmp(last + n, s->v, n * sizeof(double)) == 0 &&
                     memcmp(last + 2 * n, s->a, n * sizeof(double)) == 0;
    if (same) return;
    track->count = 0;
    sari_track_end(track, s);
}

/* (1) and (2) at end e. */
static void expand(sari_track* track, int e)
{
    const int n = track->n;
    const double *q = track->end[e], *v = q + n, *a = v + n, h = track->h, *begin = track->end[1];
    double *g = track->g[e], S = 0.0, S_2 = 0.0, weight = 1.0;
    for (int j = 0; j < track->count; j++) {
        if (j == e) continue;
        const double inverse = 1.0 / (track->x[e] - track->x[j]);
        S += inverse;
        S_2 += inverse * inverse;
        weight *= inverse;
    }
    const double b1 = -3.0 * S, b2 = 4.5 * S * S + 1.5 * S_2, cube = weight * weight * weight;
    track->weight[e] = weight;
    for (int i = 0; i < n; i++, g += 3) {
        const double way = q[i] - begin[i], hv = h * v[i];
        g[0] = way;
        g[1] = hv + b1 * way;
        g[2] = 0.5 * h * h * a[i] + b1 * hv + b2 * way;
        track->last[i] = (e ? track->last[i] : 0.0) + cube * g[2];
    }
}

const double* sari_track_error(sari_track* track, double* factor)
{
    if (track->count < FEWEST) return NULL;
    if (!track->ready) {
        track->h = track->t[0] - track->t[1];
        for (int e = 0; e < track->count; e++) track->x[e] = (track->t[e] - track->t[1]) / track->h;
        for (int e = 0; e < track->count; e++) expand(track, e);
        track->ready = 1;
    }
    *factor = 1.0 / fabs(0.5 - track->x[track->count - 1]); // in the middle, where it is largest
    for (int e = 0; e < track->count; e++) {
        const double away = fabs(0.5 - track->x[e]);
        *factor *= away * away * away;
    }
    return track->last;
}

/* L_e and its derivative. */
static double lagrange(const sari_track* track, int e, double x, double* slope)
{
    double value = track->weight[e];
    *slope = 0.0;
    for (int j = 0; j < track->count; j++) {
        if (j == e) continue;
        const double way = x - track->x[j];
        *slope = *slope * way + value;
        value *= way;
    }
    return value;
}

void sari_track_at(const sari_track* track, double t, double* q, double* v)
{
    const int n = track->n;
    const double x = (t - track->t[1]) / track->h, rate = 1.0 / track->h;
    for (int e = 0; e < track->count; e++) {
        const double y = x - track->x[e], *g = track->g[e];
        double slope;
        const double L = lagrange(track, e, x, &slope), cube = L * L * L;
        const double turned = 3.0 * L * L * slope * rate, moved = cube * rate;
        for (int i = 0; i < n; i++, g += 3) {
            const double value = g[0] + y * (g[1] + y * g[2]);
            q[i] = (e ? q[i] : track->end[1][i]) + cube * value;
            if (v) v[i] = (e ? v[i] : 0.0) + turned * value + moved * (g[1] + 2.0 * y * g[2]);
        }
    }
}
