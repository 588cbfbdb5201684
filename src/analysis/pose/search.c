/* The search: steps of step.c along the free motions, each followed by a return to the loops, within a radius that follows
 * how well they were predicted. f + nu (excess of limits) has to fall.
 *
 * Steps are those of Gauss and Newton first. Where they shrink slowly, as they do where something is missed or left to
 * choice, curvature is taken by differences, and Newton's method ends the search. A minimum is one if no curvature is
 * negative; else the way goes on along the lowest: arms that are stretched or folded, and singular configurations in which
 * slopes vanish without a minimum.
 *
 * Whatever is still missed is sought from other places: along random walks that keep the loops closed, and from random
 * joint coordinates, with the loops closed anew. */
#include "analysis/pose/pose.h"

#include "base/status.h"
#include "math/random.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 1000, ESCAPES = 6, STRIDES = 6 };
static const double STAY =
    1e-5; ///< weight of what is preferred and of motions beside what is wanted
static const double BESIDE = 1e-5; ///< weight of motions beside what is preferred
static const double NEARLY = 1e-8; ///< half the sum of squares of what is wanted: it may be met
static const double RADIUS = 0.5;  ///< of a step at most; in radians and sizes
static const double DONE = 1e-10;  ///< a step that ends the search
static const double STRIDE = 0.6;  ///< of a random walk
static const double LOW = -1e-9;   ///< curvature that is negative, of the largest
static const double PI = 3.14159265358979323846;

/// One search on its way.
typedef struct way {
    double merit, want, excess, nu, radius, length;
    int newton, escapes;
} way;

static void copy_place(const sar_pose* p, double* to, const double* from)
{
    memcpy(to, from, (size_t)p->system->np * sizeof(double));
}

/* Slope, curvature and limits along the free motions at q, where all is evaluated. */
static sar_status reduce(sar_pose* p, const double* q, int newton)
{
    const int n = p->n;
    sari_pose_free(p);
    const int d = p->free;
    sari_pose_gradient(p, NULL, NULL, p->work);
    for (int k = 0; k < d; k++) p->c[k] = sari_vector_dot(n, p->Z + k * n, p->work);
    memset(p->H, 0, (size_t)(d * d) * sizeof(double));
    int limit = 0;
    for (int r = 0; r < p->rows; r++) {
        const sari_pose_row* row = &p->row[r];
        if (row->role == SAR_POSE_SHOW || sari_pose_holds(p, row)) continue;
        const int is_limit = row->role == SAR_POSE_LIMIT;
        double* g = is_limit ? p->B + limit * d : p->y;
        for (int k = 0; k < d; k++) g[k] = sari_vector_dot(n, p->Z + k * n, row->g);
        if (is_limit) {
            p->b[2 * limit] = row->value - row->lower;
            p->b[2 * limit++ + 1] = row->value - row->upper;
            continue;
        }
        const double w = row->weight * (row->role == SAR_POSE_PREFER ? p->level[0] : 1.0);
        for (int k = 0; k < d; k++) sari_vector_add(d, w * w * g[k], g, p->H + k * d);
    }
    for (int k = 0; k < d; k++) p->H[k * d + k] += p->level[1] * p->level[1];
    return newton ? sari_pose_curvature(p, q) : SAR_OK;
}

static void take_merit(sar_pose* p, const double* q, way* w)
{
    sari_pose_measure(p, q);
    w->excess = sari_pose_excess(p);
    w->want = p->want;
    w->merit = p->all + w->nu * w->excess;
}

/* f predicted by the step y: how much it falls, limits included. */
static double predicted(const sar_pose* p, const way* w)
{
    const int d = p->free;
    double fall = w->nu * w->excess - sari_vector_dot(d, p->c, p->y);
    for (int k = 0; k < d; k++) fall -= 0.5 * p->y[k] * sari_vector_dot(d, p->H + k * d, p->y);
    return fall;
}

/* To where y leads from q, on the loops: p->trial. */
static sar_status go(sar_pose* p, const double* q, double factor)
{
    memset(p->step, 0, (size_t)p->system->nq * sizeof(double));
    for (int k = 0; k < p->free; k++)
        sari_vector_add(p->n, factor * p->y[k], p->Z + k * p->n, p->step);
    sari_coordinates_move(&p->system->coordinates, q, p->step, p->trial);
    return sari_pose_close(p, p->trial);
}

/* One step that lets the merit fall. 0: there is none, the search has ended here; all is evaluated at q. */
static int advance(sar_pose* p, double* q, way* w)
{
    for (;;) {
        const double length = sari_pose_step(p, w->radius);
        for (int i = 0; i < p->limits; i++) w->nu = fmax(w->nu, 2.0 * fabs(p->z[i]));
        w->merit = p->all + w->nu * w->excess;
        const double fall = predicted(p, w);
        if (!(length > DONE) || !(fall > 1e-14 * w->merit)) return 0;
        way next = *w;
        double real = -INFINITY;
        const double all = p->all, want = p->want;
        if (go(p, q, 1.0) == SAR_OK) {
            take_merit(p, p->trial, &next);
            real = w->merit - next.merit;
        }
        if (real > 0.75 * fall) next.radius = fmin(RADIUS, 2.0 * w->radius);
        if (real > 1e-4 * fall) {
            if (real < 0.25 * fall) next.radius = fmax(0.5 * length, DONE);
            next.newton = w->newton || length > 0.1 * w->length;
            next.length = length;
            copy_place(p, q, p->trial);
            *w = next;
            return 1;
        }
        p->all = all, p->want = want;
        w->radius = 0.25 * fmin(length, w->radius);
        if (w->radius < DONE) return 0;
    }
}

/* Along negative curvature, to where the merit is lower. 0: there is none. */
static int escape(sar_pose* p, double* q, way* w)
{
    const double all = p->all;
    if (w->escapes++ == ESCAPES || !(sari_pose_lowest(p) < LOW)) return 0;
    for (double far = RADIUS; far > 1e-3; far *= 0.25)
        for (int side = -1; side <= 1; side += 2) {
            way next = *w;
            if (go(p, q, side * far) != SAR_OK) continue;
            take_merit(p, p->trial, &next);
            if (!(next.merit < w->merit)) continue;
            copy_place(p, q, p->trial);
            *w = next;
            w->newton = 0;
            w->radius = w->length = RADIUS;
            return 1;
        }
    p->all = all;
    return 0;
}

static sar_status follow(sar_pose* p, double* q, int most, int* iterations)
{
    way w = {.nu = 1.0, .radius = RADIUS, .length = INFINITY};
    SARI_TRY(sari_pose_close(p, q));
    take_merit(p, q, &w);
    memset(p->z, 0, (size_t)p->limits * sizeof(double));
    for (int it = 0; it < most; it++) {
        const double all = p->all;
        SARI_TRY(reduce(p, q, w.newton));
        p->all = all;
        ++*iterations;
        if (advance(p, q, &w)) continue;
        SARI_TRY(sari_pose_evaluate(p, q));
        sari_pose_measure(p, q);
        const double enough =
            p->level[1] > 0.0 ? NEARLY : 0.5 * sari_pose_exact * sari_pose_exact;
        if (!p->held && w.want < enough && w.excess <= sari_pose_exact) break;
        if (!w.newton && p->free > 0) {
            w.newton = 1;
            w.radius = fmax(w.radius, 1e-3);
            continue;
        }
        if (!escape(p, q, &w)) break;
    }
    SARI_TRY(sari_pose_evaluate(p, q));
    sari_pose_measure(p, q);
    return SAR_OK;
}

/* Where what is wanted is nearly met it is held, and what it leaves open follows what is preferred. Near a singular
 * configuration it may be too weak to be held: then it counts alone. */
static sar_status choose(sar_pose* p, double* q, int* iterations)
{
    copy_place(p, p->chosen, q);
    sari_pose_hold(p, 1);
    p->level[0] = 1.0, p->level[1] = BESIDE;
    const sar_status st = follow(p, p->chosen, ITERATIONS, iterations);
    const int fine = st == SAR_OK && sari_pose_excess(p) <= sari_pose_exact;
    sari_pose_hold(p, 0);
    p->level[0] = p->level[1] = 0.0;
    if (fine) copy_place(p, q, p->chosen);
    SARI_TRY(fine ? sari_pose_evaluate(p, q) : follow(p, q, ITERATIONS, iterations));
    sari_pose_measure(p, q);
    return SAR_OK;
}

sar_status sari_pose_descend(sar_pose* p, double* q, int* iterations)
{
    p->level[0] = p->level[1] = STAY;
    SARI_TRY(follow(p, q, ITERATIONS, iterations));
    return p->want < NEARLY ? choose(p, q, iterations) : SAR_OK;
}

/* ---- other places --------------------------------------------------------------------------- */

static int walk(sar_pose* p, double* q, uint64_t* state)
{
    for (int k = 0; k < STRIDES; k++) {
        if (sari_pose_evaluate(p, q) != SAR_OK) return 0;
        sari_pose_free(p);
        for (int i = 0; i < p->free; i++) p->y[i] = sari_random(state);
        const double length = sari_vector_norm(p->free, p->y);
        if (go(p, q, STRIDE / fmax(length, 1e-300)) == SAR_OK) copy_place(p, q, p->trial);
    }
    return 1;
}

static int jump(sar_pose* p, double* q, uint64_t* state)
{
    memset(p->step, 0, (size_t)p->system->nq * sizeof(double));
    for (int i = 0; i < p->n; i++) p->step[i] = (p->slides[i] ? 1.0 : PI) * sari_random(state);
    sari_coordinates_move(&p->system->coordinates, p->reference, p->step, p->trial);
    copy_place(p, q, p->trial);
    return sari_pose_close(p, q) == SAR_OK;
}

/* What decides between two poses: limits first. */
static double cost(const sar_pose* p)
{
    const double excess = sari_pose_excess(p);
    return p->want + (excess > sari_pose_exact ? 1e3 * excess : 0.0);
}

static int is_met(const sar_pose* p)
{
    for (int k = 0; k < p->rows; k++) {
        const sar_pose_role role = p->row[k].role;
        if ((role == SAR_POSE_WANT || role == SAR_POSE_LIMIT) &&
            !(fabs(sari_pose_miss(&p->row[k])) <= sari_pose_exact))
            return 0;
    }
    return 1;
}

static void report_place(const sar_pose* p, sar_pose_report* out)
{
    for (int k = 0; k < p->rows; k++) {
        const int off = !(fabs(sari_pose_miss(&p->row[k])) <= sari_pose_exact);
        if (p->row[k].role == SAR_POSE_WANT) out->missed += off;
        if (p->row[k].role == SAR_POSE_LIMIT) out->beyond += off;
    }
    out->met = is_met(p);
    out->distance = sqrt(2.0 * p->want);
    out->open = sari_vector_max(p->hard, p->h);
    out->moved = sari_vector_max(p->n, p->d);
    out->size = p->units.length * p->units.size;
    out->coordinates = p->n;
    out->freedoms = p->free;
}

sar_status sari_pose_search(sar_pose* p, int starts, sar_pose_report* out)
{
    uint64_t state = 20161116;
    *out = (sar_pose_report){.starts = 1};
    copy_place(p, p->reference, p->q);
    copy_place(p, p->best, p->q);
    sar_status found = sari_pose_descend(p, p->best, &out->iterations);
    double least = found == SAR_OK ? cost(p) : INFINITY;
    int met = found == SAR_OK && is_met(p);
    for (int k = 0; k < starts && !met; k++) {
        const int walks = p->hard > 0 && k % 2 == 0;
        copy_place(p, p->candidate, p->reference);
        if (!(walks ? walk : jump)(p, p->candidate, &state)) continue;
        out->starts++;
        const sar_status st = sari_pose_descend(p, p->candidate, &out->iterations);
        if (st != SAR_OK || !(cost(p) < least * (1.0 - 1e-9))) continue;
        least = cost(p);
        met = is_met(p);
        copy_place(p, p->best, p->candidate);
        out->elsewhere = !walks && (p->hard > 0 || p->limits > 0);
        found = SAR_OK;
    }
    if (found != SAR_OK) return found;
    SARI_TRY(sari_pose_evaluate(p, p->best));
    sari_pose_measure(p, p->best);
    sari_pose_free(p);
    report_place(p, out);
    copy_place(p, p->q, p->best);
    return SAR_OK;
}
