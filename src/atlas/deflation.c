/* Where the nullity of J is k: solutions of
 *
 *     phi(q) = 0,   J(q) V(q) = 0                                                                             (5)
 *     V(q) = V_2 - V_1 (U_1'J V_1)^-1 U_1'J V_2,   U_1, V_1 and V_2: singular vectors of J at first, those in V_2 of
 *                                                  the k smallest singular values
 *     rows:  J dq = -phi;   (1 - J V_1 (U_1'J V_1)^-1 U_1') J_Vj dq = -J V_j
 *
 * by Newton's method: the deflated system of [leykin2006] in (q, V), from which V is eliminated, so that it has n unknowns
 * whatever k is. At an ordinary crossing, of any number of curves, (5) is regular. Elsewhere it converges linearly, and its
 * steps are extrapolated by 1/(1 - rate). The null vectors of its matrix are the directions along which nullity stays k:
 * none, and the point is isolated; one, and it is on a curve that is singular all along ("shaky").              (6) */
#include "atlas/atlas.h"

#include "base/memory.h"
#include "linalg/elimination.h"
#include "linalg/rank.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 30 };
static const double MET = 1e-11;
static const double FAMILY = 1e-5; ///< singular values of (5) that are zero
static const double BESIDE = 0.02; ///< a step along the family

int sari_deflation_take(sari_deflation* d, sari_arena* memory, int n, int m)
{
    const size_t N = (size_t)n, rows = (size_t)(m > n ? m : n);
    *d = (sari_deflation){0};
    d->q = SARI_TAKE(memory, double, N + 1);
    d->step = SARI_TAKE(memory, double, N + 1);
    d->U = SARI_TAKE(memory, double, rows* N + 1);
    d->V = SARI_TAKE(memory, double, N* N + 1);
    d->JV = SARI_TAKE(memory, double, rows* N + 1);
    d->T = SARI_TAKE(memory, double, N* N + 1);
    d->v = SARI_TAKE(memory, double, N + 1);
    d->w = SARI_TAKE(memory, double, N + 1);
    d->pivot = SARI_TAKE(memory, int, N + 1);
    return !memory->failed;
}

/* Singular vectors of J at q for (5). */
static void begin(sar_map* map, const double* q)
{
    sari_locus* l = &map->locus;
    sari_deflation* d = &map->deflation;
    sari_locus_eval(l, q);
    sari_locus_spectrum(l);
    const size_t n = (size_t)l->n;
    memcpy(d->U, l->U, (size_t)l->m * n * sizeof(double));
    memcpy(d->V, l->V, n * n * sizeof(double));
    memcpy(d->q, q, n * sizeof(double));
}

/* w = (U_1'J V_1)^-1 U_1'x, r numbers */
static void divide(const sari_locus* l, sari_deflation* d, int r, const double* x, int stride)
{
    const size_t n = (size_t)l->n;
    memset(d->w, 0, (size_t)r * sizeof(double));
    for (size_t i = 0; i < (size_t)l->m; i++)
        sari_vector_add(r, x[i * (size_t)stride], d->U + i * n, d->w);
    sari_substitute(r, d->T, d->pivot, d->w);
}

/* J V and the factors of U_1'J V_1 at the J that was evaluated last. */
static int project(const sari_locus* l, sari_deflation* d, int r)
{
    const size_t n = (size_t)l->n, m = (size_t)l->m, R = (size_t)r;
    memset(d->JV, 0, m * n * sizeof(double));
    memset(d->T, 0, R * R * sizeof(double));
    for (size_t i = 0; i < m; i++) {
        for (size_t c = 0; c < n; c++)
            if (l->J[i * n + c] != 0.0)
                sari_vector_add((int)n, l->J[i * n + c], d->V + c * n, d->JV + i * n);
        for (size_t a = 0; a < R; a++)
            sari_vector_add(r, d->U[i * n + a], d->JV + i * n, d->T + a * R);
    }
    return sari_eliminate(r, d->T, d->pivot) == SAR_OK;
}

/* Rows of (5) for V_j, from `row` on. */
static void fill_vector(sar_map* map, int r, int j, size_t row)
{
    sari_locus* l = &map->locus;
    sari_deflation* d = &map->deflation;
    const size_t n = (size_t)l->n, m = (size_t)l->m;
    divide(l, d, r, d->JV + r + j, l->n);
    for (size_t i = 0; i < n; i++)
        d->v[i] = d->V[i * n + (size_t)(r + j)] - sari_vector_dot(r, d->V + i * n, d->w);
    for (size_t i = 0; i < m; i++) l->b[row + i] = -sari_vector_dot((int)n, l->J + i * n, d->v);
    sari_locus_rate(l, d->q, d->v);
    for (size_t c = 0; c < n; c++) {
        divide(l, d, r, l->Jv + c, l->n);
        for (size_t i = 0; i < m; i++)
            l->A[(row + i) * n + c] = l->Jv[i * n + c] - sari_vector_dot(r, d->JV + i * n, d->w);
    }
}

/* Matrix and right side of (5), with one row more for a guide. Returns the number of rows; 0: there is none. */
static int fill(sar_map* map, int k, const sari_guide* guide)
{
    sari_locus* l = &map->locus;
    sari_deflation* d = &map->deflation;
    const int n = l->n, m = l->m, r = n - k;
    if (!sari_locus_reserve(l, m * (1 + k) + 2, n)) return 0;
    sari_locus_eval(l, d->q);
    if (!project(l, d, r)) return 0;
    memcpy(l->A, l->J, (size_t)m * (size_t)n * sizeof(double));
    for (int i = 0; i < m; i++) l->b[i] = -l->phi[i];
    for (int j = 0; j < k; j++) fill_vector(map, r, j, (size_t)m * (size_t)(1 + j));
    const int rows = m * (1 + k);
    return rows +
           (guide ? sari_guide_row(n, guide, d->q, l->A + (size_t)rows * (size_t)n, &l->b[rows])
                  : 0);
}

/* Newton's method on (5) from q, which it moves; not farther than `reach`. Returns the last step, or -1. */
static double newton(sar_map* map, int k, const sari_guide* guide, double reach, double* q,
                     int* linear)
{
    sari_locus* l = &map->locus;
    sari_deflation* d = &map->deflation;
    double last = INFINITY, step = INFINITY;
    int slow = 0;
    begin(map, q);
    for (int i = 0; i < ITERATIONS && step > 1e-13; i++) {
        const int rows = fill(map, k, guide);
        if (!rows) return -1.0;
        sari_locus_solve(l, rows, l->n, d->step);
        step = sari_vector_norm(l->n, d->step);
        const double rate = step / last;
        if (rate > 0.3) slow++;
        if (step < 1e-9 && rate > 0.3) { // rounding
            sari_vector_add(l->n, 1.0, d->step, d->q);
            break;
        }
        const double longer = i > 2 && rate > 0.3 && rate < 0.9 ? 1.0 / (1.0 - rate) : 1.0;
        sari_vector_add(l->n, longer, d->step, d->q);
        last = step;
        if (!(sari_distance_of(l->n, d->q, q) <= reach)) return -1.0;
    }
    *linear = slow > 2; // extrapolated steps are not
    if (!(step < 1e-4)) return -1.0;
    memcpy(q, d->q, (size_t)l->n * sizeof(double));
    return step;
}

/* Directions along which (5) stays solved at its present solution (6), with their number; the first into t. */
static int family(sar_map* map, int k, double accuracy, double* t)
{
    sari_locus* l = &map->locus;
    const int n = l->n;
    sari_arena scratch = {0};
    int count = 0;
    const int rows = fill(map, k, NULL), tall = rows > n ? rows : n;
    double* A = SARI_TAKE(&scratch, double, (size_t)tall*(size_t)n);
    double* s = SARI_TAKE(&scratch, double, n + 1);
    double* V = SARI_TAKE(&scratch, double, (size_t)n*(size_t)n);
    double* work = SARI_TAKE(&scratch, double, sari_svd_workspace(tall, n));
    if (rows && !scratch.failed) {
        memcpy(A, l->A, (size_t)rows * (size_t)n * sizeof(double));
        sari_svd(tall, n, A, s, NULL, V, work);
        l->spectra++;
        for (int j = n - 1; j >= 0 && s[j] <= fmax(FAMILY, accuracy) * s[0]; j--)
            if (count++ == 0)
                for (int i = 0; i < n; i++) t[i] = V[i * n + j];
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
    const int rows = fill(map, k, NULL);
    if (!rows) return 0;
    memset(l->b, 0, (size_t)rows * sizeof(double));
    memcpy(l->A + (size_t)rows * (size_t)l->n, t, (size_t)l->n * sizeof(double));
    l->b[rows] = 1.0;
    sari_locus_solve(l, rows + 1, l->n, d);
    return sari_vector_normalise(l->n, d) > 0.5; // 1 along a family; less: there is none
}

int sari_fat_correct(sar_map* map, int k, const sari_guide* guide, double leash, double* q,
                     double* t, int known)
{
    sari_locus* l = &map->locus;
    int linear;
    sari_arena scratch = {0};
    double* d = SARI_TAKE(&scratch, double, l->n + 1);
    int found =
        d && newton(map, k, guide, leash, q, &linear) >= 0.0 && sari_locus_eval(l, q) <= MET;
    if (found) {
        sari_locus_spectrum(l);
        found = sari_locus_nullity(l, 0.0) == k;
    }
    found = found && (known ? follow_family(map, k, t, d) : family(map, k, 0.0, d) == 1);
    if (found) {
        const double sign = sari_vector_dot(l->n, d, t) < 0.0 ? -1.0 : 1.0;
        for (int i = 0; i < l->n; i++)
            t[i] = sign * d[i]; // J and its singular values are those at q
    }
    sari_arena_clear(&scratch);
    return found;
}
