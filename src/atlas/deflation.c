/* Where the nullity of J is k: solutions of
 *
 *     phi(q) = 0,   J(q) V = 0,   C'V = 1      in (q, V), V n x k, C = V at first               (5)
 *     rows:  J dq = -phi;   J_Vj dq + J dV_j = -J V_j;   C'dV = 1 - C'V
 *
 * by Newton's method [leykin2006]. At an ordinary crossing, of any number of curves, (5) is regular. Elsewhere it converges
 * linearly, and its steps are extrapolated by 1/(1 - rate). The parts in q of the null vectors of its matrix are the
 * directions along which nullity stays k: none, and the point is isolated; one, and it is on a curve that is singular
 * all along ("shaky").                                                                                        (6) */
#include "atlas/atlas.h"

#include "base/memory.h"
#include "linalg/rank.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 30 };
static const double MET = 1e-11;
static const double FAMILY = 1e-5;    ///< singular values of (5) that are zero
static const double BESIDE = 0.02;    ///< a step along the family
static const double UNKNOWNS = 400.0; ///< more are not tried

static int reserve(sar_map* map, int k)
{
    sari_locus* l = &map->locus;
    const int n = l->n, rows = l->m * (1 + k) + k * k + 1, columns = n * (1 + k);
    if (columns > UNKNOWNS) return 0;
    const size_t need = (size_t)columns;
    if (need > map->deflated_room) {
        map->deflated = SARI_TAKE(&map->memory, double, 4 * need);
        map->step = map->deflated ? map->deflated + need : NULL;
        map->deflated_room = need;
    }
    return sari_locus_reserve(l, rows, columns) && map->deflated;
}

/* Null-most vectors of J at q, by rows: V_j at V + n j. */
static void take_vectors(sari_locus* l, const double* q, int k, double* V)
{
    sari_locus_eval(l, q);
    sari_locus_spectrum(l);
    for (int j = 0; j < k; j++) sari_locus_vector(l, l->n - k + j, V + (size_t)j * (size_t)l->n);
}

/* Matrix and right side of (5), with one row more for a guide. Returns the number of rows. */
static int fill(sar_map* map, int k, const double* C, const sari_guide* guide)
{
    sari_locus* l = &map->locus;
    const size_t n = (size_t)l->n, m = (size_t)l->m, columns = n * (size_t)(1 + k);
    const double *q = map->deflated, *V = q + n;
    const size_t rows = m * (size_t)(1 + k) + (size_t)(k * k) + 1;
    memset(l->A, 0, rows * columns * sizeof(double));
    sari_locus_eval(l, q);
    for (size_t r = 0; r < m; r++) {
        memcpy(l->A + r * columns, l->J + r * n, n * sizeof(double));
        l->b[r] = -l->phi[r];
    }
    size_t row = m;
    for (size_t j = 0; j < (size_t)k; j++) {
        sari_locus_rate(l, q, V + j * n);
        for (size_t r = 0; r < m; r++, row++) {
            memcpy(l->A + row * columns, l->Jv + r * n, n * sizeof(double));
            memcpy(l->A + row * columns + n * (1 + j), l->J + r * n, n * sizeof(double));
            l->b[row] = -sari_vector_dot((int)n, l->J + r * n, V + j * n);
        }
    }
    for (size_t j = 0; j < (size_t)k; j++)
        for (size_t i = 0; i < (size_t)k; i++, row++) {
            memcpy(l->A + row * columns + n * (1 + j), C + i * n, n * sizeof(double));
            l->b[row] = (i == j) - sari_vector_dot((int)n, C + i * n, V + j * n);
        }
    return (int)row + (guide ? sari_guide_row((int)n, guide, q, l->A + row * columns, &l->b[row]) : 0);
}

/* Newton's method on (5) from q, which it moves; not farther than `reach`. Returns the last step, or -1. */
static double newton(sar_map* map, int k, const sari_guide* guide, double reach, double* q,
                     int* linear)
{
    sari_locus* l = &map->locus;
    const size_t n = (size_t)l->n;
    const int columns = l->n * (1 + k);
    sari_arena scratch = {0};
    double* C = SARI_TAKE(&scratch, double, n*(size_t)k);
    if (!C || !reserve(map, k)) {
        sari_arena_clear(&scratch);
        return -1.0;
    }
    memcpy(map->deflated, q, n * sizeof(double));
    take_vectors(l, q, k, C);
    memcpy(map->deflated + n, C, n * (size_t)k * sizeof(double));
    double last = INFINITY, step = INFINITY;
    int slow = 0;
    for (int i = 0; i < ITERATIONS && step > 1e-13; i++) {
        const int rows = fill(map, k, C, guide);
        sari_locus_solve(l, rows, columns, map->step);
        step = sari_vector_norm(l->n, map->step);
        const double rate = step / last;
        if (rate > 0.3) slow++;
        if (step < 1e-9 && rate > 0.3) { // rounding
            sari_vector_add(columns, 1.0, map->step, map->deflated);
            break;
        }
        const double longer = i > 2 && rate > 0.3 && rate < 0.9 ? 1.0 / (1.0 - rate) : 1.0;
        sari_vector_add(columns, longer, map->step, map->deflated);
        last = step;
        if (!(sari_distance_of(l->n, map->deflated, q) <= reach)) {
            step = -1.0;
            break;
        }
    }
    *linear = slow > 4;
    if (step >= 0.0 && step < 1e-4) memcpy(q, map->deflated, n * sizeof(double));
    sari_arena_clear(&scratch);
    return step < 1e-4 ? step : -1.0;
}

/* Directions in q along which (5) stays solved at its present solution (6), with their number; the first into t. */
static int family(sar_map* map, int k, double accuracy, double* t)
{
    sari_locus* l = &map->locus;
    const int columns = l->n * (1 + k);
    sari_arena scratch = {0};
    double* C = SARI_TAKE(&scratch, double, l->n* k + 1);
    int count = 0;
    memcpy(C, map->deflated + l->n, (size_t)(l->n * k) * sizeof(double));
    const int rows = fill(map, k, C, NULL), tall = rows > columns ? rows : columns;
    double* A = SARI_TAKE(&scratch, double, (size_t)tall*(size_t)columns);
    double* s = SARI_TAKE(&scratch, double, columns);
    double* V = SARI_TAKE(&scratch, double, (size_t)columns*(size_t)columns);
    double* work = SARI_TAKE(&scratch, double, sari_svd_workspace(tall, columns));
    if (!scratch.failed) {
        memcpy(A, l->A, (size_t)rows * (size_t)columns * sizeof(double));
        sari_svd(tall, columns, A, s, NULL, V, work);
        l->spectra++;
        for (int j = columns - 1; j >= 0 && s[j] <= fmax(FAMILY, accuracy) * s[0]; j--) {
            double size = 0.0;
            for (int i = 0; i < l->n; i++) size += V[i * columns + j] * V[i * columns + j];
            if (sqrt(size) < 1e-3) continue;
            if (count++ == 0)
                for (int i = 0; i < l->n; i++) t[i] = V[i * columns + j] / sqrt(size);
        }
    }
    sari_arena_clear(&scratch);
    return count;
}

/* Does nullity stay k in steps along t from q? */
int sari_fat_goes_on(sar_map* map, int k, const double* q, const double* t)
{
    sari_locus* l = &map->locus;
    const int n = l->n;
    sari_arena scratch = {0};
    double* to = SARI_TAKE(&scratch, double, 2 * n + 1);
    int kept = 0;
    for (int sign = -1; sign <= 1 && to; sign += 2) {
        double* p = to + n;
        int linear;
        for (int i = 0; i < n; i++) p[i] = to[i] = q[i] + sign * BESIDE * t[i];
        const sari_guide plane = {SARI_PLANE, t, p, 0.0};
        if (newton(map, k, &plane, 0.5 * BESIDE, to, &linear) < 0.0) continue;
        if (sari_locus_eval(l, to) > MET) continue;
        sari_locus_spectrum(l);
        kept += sari_locus_nullity(l, 0.0) >= k;
    }
    sari_arena_clear(&scratch);
    return kept > 0;
}

static int try_nullity(sar_map* map, int k, const double* q0, double reach, sari_located* out)
{
    sari_locus* l = &map->locus;
    const size_t size = (size_t)l->n * sizeof(double);
    int linear = 0;
    for (int round = 0; round < 3 && k <= l->n; round++) {
        if (round == 0) memcpy(out->q, q0, size);
        const double step = newton(map, k, NULL, reach, out->q, &linear);
        if (step < 0.0 || !(sari_distance_of(l->n, out->q, q0) <= reach)) return 0;
        if (!(sari_locus_eval(l, out->q) <= MET)) return 0;
        sari_locus_spectrum(l);
        const double accuracy = linear ? fmax(30.0 * step, 1e-5) : 0.0;
        const int nullity = sari_locus_nullity(l, accuracy);
        if (nullity < k) return 0;
        if (nullity > k) {
            k = nullity;
            continue;
        }
        sari_arena scratch = {0};
        double* t = SARI_TAKE(&scratch, double, l->n + 1);
        const int along = t && family(map, k, accuracy, t) && sari_fat_goes_on(map, k, out->q, t);
        sari_arena_clear(&scratch);
        if (!along) {
            out->nullity = k, out->degenerate = linear;
            return 1;
        }
        k++;
        memcpy(out->q, q0, size);
    }
    return 0;
}

int sari_locate(sar_map* map, const double* q0, int least, int first, int most, double reach,
                sari_located* out)
{
    if (try_nullity(map, first, q0, reach, out)) return 1;
    for (int k = least; k <= most && k <= map->locus.n; k++)
        if (k != first && try_nullity(map, k, q0, reach, out)) return 1;
    return 0;
}

/* d: the direction of the family at the present solution that is nearest to t, where there is one. */
static int follow_family(sar_map* map, int k, const double* t, double* d)
{
    sari_locus* l = &map->locus;
    const int columns = l->n * (1 + k);
    sari_arena scratch = {0};
    double* C = sari_arena_copy(&scratch, map->deflated + l->n, (size_t)(l->n * k), sizeof(double));
    if (C) {
        const int rows = fill(map, k, C, NULL);
        memset(l->b, 0, (size_t)rows * sizeof(double));
        memset(l->A + (size_t)rows * (size_t)columns, 0, (size_t)columns * sizeof(double));
        memcpy(l->A + (size_t)rows * (size_t)columns, t, (size_t)l->n * sizeof(double));
        l->b[rows] = 1.0;
        sari_locus_solve(l, rows + 1, columns, map->step);
        memcpy(d, map->step, (size_t)l->n * sizeof(double));
    }
    sari_arena_clear(&scratch);
    return C && sari_vector_normalise(l->n, d) > 0.5; // 1 along a family; less: there is none
}

int sari_fat_correct(sar_map* map, int k, const sari_guide* guide, double leash, double* q,
                     double* t, int known)
{
    sari_locus* l = &map->locus;
    int linear;
    sari_arena scratch = {0};
    double* d = SARI_TAKE(&scratch, double, l->n + 1);
    int found = d && newton(map, k, guide, leash, q, &linear) >= 0.0 && sari_locus_eval(l, q) <= MET;
    if (found) {
        sari_locus_spectrum(l);
        found = sari_locus_nullity(l, 0.0) == k;
    }
    found = found && (known ? follow_family(map, k, t, d) : family(map, k, 0.0, d) == 1);
    if (found) {
        const double sign = sari_vector_dot(l->n, d, t) < 0.0 ? -1.0 : 1.0;
        for (int i = 0; i < l->n; i++) t[i] = sign * d[i];
        sari_locus_eval(l, q);
        sari_locus_spectrum(l);
    }
    sari_arena_clear(&scratch);
    return found;
}
