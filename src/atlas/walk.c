/* One curve of configurations, followed by steps h along its tangent and corrections across it, (3) of locus.h.
 *
 * How far is the next singular configuration? With the smallest singular value sigma of J that is not zero, and its vectors,
 *
 *     sigma' = u'J_t v,   tau = -sigma/sigma'      (behind, where it is negative)               (4)
 *
 * If tau is small one is searched for near q + tau t, and near q + 2 tau t, as sigma may go like the square of the distance. A
 * miss is resolved by steps of tau/2: curves that nearly meet are not taken for curves that do. */
#include "atlas/atlas.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/functions.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 20000 };
static const double FIRST = 0.05, LARGEST = 0.25, SMALLEST = 1e-9; ///< h
static const double ANGLE = 0.30, BEND = 0.05; ///< of tangents in a step; of the chord
static const double AHEAD = 0.15;
static const double TOUCHING = 0.3; ///< h near nodes that are degenerate, of the distance
static const double BOX = 20.0;

typedef struct walker {
    sar_map* map;
    sari_arc* arc;
    int k;                     ///< nullity along it
    double *q, *t, *next, *s;  ///< here, and after a step
    double *before, *before_t; ///< and before it
    double* guess;
    double h, h_next, sigma, slope;
    int again;       ///< the step was taken back
    double tried;    ///< sigma where a singular configuration was last searched for
    int from;        ///< node where it began, or -1
    double *q0, *t0; ///< where it began
} walker;

int sari_arc_append(sar_map* map, sari_arc* arc, const double* q, const double* t)
{
    const size_t n = (size_t)map->locus.n, size = n * sizeof(double);
    if (!sari_grow((void**)&arc->q, arc->points, &arc->capacity, size)) return 0;
    if (!sari_grow((void**)&arc->t, arc->points, &arc->capacity_t, size)) return 0;
    const size_t at = (size_t)arc->points * n;
    memcpy(arc->q + at, q, size);
    memcpy(arc->t + at, t, size);
    arc->points++;
    return 1;
}

/* As if it were part of a circle. */
double sari_arc_segment(const sar_map* map, const sari_arc* arc, int i)
{
    const size_t n = (size_t)map->locus.n, at = (size_t)i * n;
    const double chord = sari_distance_of((int)n, arc->q + at, arc->q + at + n);
    const double bend =
        0.5 * sari_distance_of((int)n, arc->t + at, arc->t + at + n); // 2 sin(angle/4)
    if (!(bend < 0.5)) return chord;
    return chord * (1.0 + bend * bend / 6.0 * (1.0 + 0.45 * bend * bend)); // x/sin x
}

void sari_arc_release(sari_arc* arc)
{
    sari_release(arc->q);
    sari_release(arc->t);
    arc->q = arc->t = NULL;
    arc->points = arc->capacity = arc->capacity_t = 0;
}

/* ---- singular configurations ahead ------------------------------------------------------------ */

/* sigma and sigma' at q, for which the singular values are there. */
static void measure(walker* w)
{
    sari_locus* l = &w->map->locus;
    const int n = l->n, weak = n - w->k - 1;
    w->sigma = INFINITY, w->slope = 0.0;
    if (weak < 0) return;
    w->sigma = l->s[weak];
    sari_locus_rate(l, w->q, w->t);
    for (int r = 0; r < l->m; r++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++)
            sum += l->Jv[(size_t)r * (size_t)n + (size_t)i] *
                   l->V[(size_t)i * (size_t)n + (size_t)weak];
        w->slope += l->U[(size_t)r * (size_t)n + (size_t)weak] * sum;
    }
}

static int weaker_than(const walker* w, double limit)
{
    const sari_locus* l = &w->map->locus;
    int count = 0;
    for (int i = 0; i < l->n - w->k; i++) count += l->s[i] < limit;
    return count;
}

/* A new node near q + way t. Returns its number, or -1. */
static int search_near(walker* w, double way, double reach)
{
    sar_map* map = w->map;
    const int n = map->locus.n, near = weaker_than(w, 3.0 * w->sigma),
              all = weaker_than(w, 20.0 * w->sigma), known = map->nodes;
    sari_located found = {.q = w->next};
    for (int i = 0; i < n; i++) w->guess[i] = w->q[i] + way * w->t[i];
    if (!sari_locate(map, w->guess, w->k + 1, w->k + near, w->k + all, reach, &found)) return -1;
    const double distance = sari_distance_of(n, found.q, w->q);
    if (distance < 1e-7) return -1;
    const int node = sari_node_open(map, &found, distance);
    return node >= known ? node : -1;
}

/* Is a known node about `tau` ahead? */
static int known_ahead(const walker* w, double tau)
{
    const sar_map* map = w->map;
    const int n = map->locus.n;
    for (int i = 0; i < map->nodes; i++) {
        double square = 0.0, along = 0.0;
        for (int k = 0; k < n; k++) {
            const double d = map->node[i].q[k] - w->q[k];
            square += (d - tau * w->t[k]) * (d - tau * w->t[k]);
            along += d * w->t[k];
        }
        if (along > 0.0 && sqrt(square) < 0.5 * tau + map->node[i].radius) return 1;
    }
    return 0;
}

/* Look for a node ahead; limits h. */
static void search_ahead(walker* w)
{
    const double tau = w->slope < 0.0 ? -w->sigma / w->slope : INFINITY;
    if (!(tau < fmax(3.0 * w->h, AHEAD))) return;
    if (known_ahead(w, tau)) return;
    if (w->sigma < 0.3 * w->tried) {
        w->tried = w->sigma;
        const double sigma = w->sigma;
        if (search_near(w, tau, 2.0 * tau + 1e-3) >= 0) return;
        // the singular values are those of another configuration now
        sari_locus_eval(&w->map->locus, w->q);
        sari_locus_spectrum(&w->map->locus);
        w->sigma = sigma;
        if (search_near(w, 2.0 * tau, 2.0 * tau + 1e-3) >= 0) return;
    }
    w->h = fmin(w->h, 0.5 * tau);
}

/* Balls of known nodes ahead are entered, not passed. Where curves touch, their distance goes like the square of that from
 * the node, and so must the error of a step. */
static void mind_balls(walker* w)
{
    const sar_map* map = w->map;
    const int n = map->locus.n;
    for (int i = 0; i < map->nodes; i++) {
        const sari_node* node = &map->node[i];
        double square = 0.0, along = 0.0;
        for (int k = 0; k < n; k++) {
            const double d = node->q[k] - w->q[k];
            square += d * d, along += d * w->t[k];
        }
        const double distance = sqrt(square);
        if (along > 0.0 && distance > node->radius)
            w->h = fmin(w->h, distance - 0.5 * node->radius);
        if (node->degenerate) w->h = fmin(w->h, fmax(TOUCHING * distance, SMALLEST));
    }
}

/* ---- steps ------------------------------------------------------------------------------------ */

/* next and its tangent s, by a step h. 0: it did not work. */
static int step(walker* w, double* angle)
{
    sari_locus* l = &w->map->locus;
    const int n = l->n;
    for (int i = 0; i < n; i++) w->guess[i] = w->next[i] = w->q[i] + w->h * w->t[i];
    const sari_guide plane = {SARI_PLANE, w->t, w->guess, 0.0};
    memcpy(w->s, w->t, (size_t)n * sizeof(double));
    if (w->k > 1) {
        if (!sari_fat_correct(w->map, w->k, &plane, 0.5 * w->h, w->next, w->s, 1)) return 0;
    } else {
        if (!sari_locus_correct(l, &plane, 0.5 * w->h, w->next)) return 0;
        sari_locus_spectrum(l);
        if (sari_locus_nullity(l, 0.0) != 1) return 0;
        sari_locus_vector(l, n - 1, w->s);
        if (sari_vector_dot(n, w->s, w->t) < 0.0)
            for (int i = 0; i < n; i++) w->s[i] = -w->s[i];
    }
    const double cosine = sari_vector_dot(n, w->s, w->t);
    *angle = sari_acos(fmin(1.0, fmax(-1.0, cosine)));
    const double chord = sari_distance_of(n, w->next, w->q);
    double bend = 0.0;
    for (int i = 0; i < n; i++) {
        const double d = (w->next[i] - w->q[i]) / chord - 0.5 * (w->s[i] + w->t[i]);
        bend += d * d;
    }
    return *angle < ANGLE && sqrt(bend) < BEND && sari_locus_same_turn(l, w->q, w->next);
}

/* Did the step pass a node? Then it is known now. */
static int passed(walker* w, double sigma_before, double slope_before)
{
    if (!(slope_before < 0.0 && w->slope > 0.0)) return 0;
    const double back = w->sigma / w->slope;
    if (!(back < 1.5 * w->h) || !(w->sigma < 0.3 * w->tried || sigma_before < 0.3 * w->tried))
        return 0;
    const sar_map* map = w->map;
    for (int i = 0; i < map->nodes; i++) // a known one, whose ball this is
        if (sari_distance_of(map->locus.n, w->q, map->node[i].q) < 2.0 * map->node[i].radius)
            return 0;
    return search_near(w, -back, 2.0 * w->h + 1e-3) >= 0;
}

/* ---- ends ------------------------------------------------------------------------------------- */

static int is_closed(walker* w, double side_before)
{
    const int n = w->map->locus.n;
    if (w->from >= 0) return 0;
    double side = 0.0;
    for (int i = 0; i < n; i++) side += w->t0[i] * (w->q[i] - w->q0[i]);
    if (!(side_before < 0.0 && side >= 0.0)) return 0;
    if (sari_distance_of(n, w->q, w->q0) > 2.0 * w->h) return 0;
    if (sari_vector_dot(n, w->t, w->t0) < 0.9) return 0;
    const sari_guide plane = {SARI_PLANE, w->t0, w->q0, 0.0};
    memcpy(w->guess, w->q, (size_t)n * sizeof(double));
    memcpy(w->s, w->t, (size_t)n * sizeof(double));
    const int ok = w->k == 1
                       ? sari_locus_correct(&w->map->locus, &plane, 2.0 * w->h, w->guess)
                       : sari_fat_correct(w->map, w->k, &plane, 2.0 * w->h, w->guess, w->s, 1);
    return ok && sari_distance_of(n, w->guess, w->q0) < 1e-7;
}

static double side_of_start(const walker* w)
{
    double side = 0.0;
    for (int i = 0; i < w->map->locus.n; i++) side += w->t0[i] * (w->q[i] - w->q0[i]);
    return side;
}

/* In the ball of a node: the half-branch by which the curve enters. */
static int enters(walker* w, int* node, int* half)
{
    sar_map* map = w->map;
    const int n = map->locus.n;
    *node = sari_node_around(map, w->q, 1.0);
    if (*node < 0) return 0;
    double outwards = 0.0;
    for (int i = 0; i < n; i++) outwards += w->t[i] * (w->q[i] - map->node[*node].q[i]);
    if (outwards > 0.0) return 0;
    *half = sari_node_match(map, *node, w->q, w->t, w->k);
    return *half >= 0;
}

static sar_status finish_at(walker* w, int node, int half)
{
    const sari_half* at = &w->map->node[node].half[half];
    double* t = w->s;
    for (int i = 0; i < w->map->locus.n; i++) t[i] = -at->t[i];
    sari_arc* arc = w->arc;
    // points inside of the ball are beyond the end
    const int n = w->map->locus.n;
    while (arc->points > 1 &&
           sari_distance_of(n, arc->q + (size_t)(arc->points - 1) * (size_t)n,
                            w->map->node[node].q) < w->map->node[node].radius * (1.0 + 1e-9))
        arc->points--;
    arc->node[1] = node, arc->half[1] = half, arc->ends[1] = SAR_MAP_NODE;
    return sari_arc_append(w->map, arc, at->q, t) ? SAR_OK : SAR_E_NOMEM;
}

/* One step that is accepted, with h for the next. 0: stuck. */
static int advance(walker* w)
{
    const size_t size = (size_t)w->map->locus.n * sizeof(double);
    double angle = 0.0;
    for (;;) {
        if (w->h < SMALLEST) return 0;
        if (step(w, &angle)) break;
        w->h *= 0.5;
    }
    const double sigma = w->sigma, slope = w->slope;
    double *q = w->before, *t = w->before_t;
    memcpy(q, w->q, size), memcpy(t, w->t, size);
    memcpy(w->q, w->next, size), memcpy(w->t, w->s, size);
    measure(w);
    if (passed(w, sigma, slope)) { // once more from before: balls are minded now
        memcpy(w->q, q, size), memcpy(w->t, t, size);
        w->sigma = sigma, w->slope = slope;
        w->again = 1;
        return 1;
    }
    if (w->sigma > 3.0 * w->tried) w->tried = INFINITY;
    const double growth = angle > 0.0 ? 0.7 * ANGLE / angle : 2.0;
    w->h_next = fmin(LARGEST, w->h * fmin(2.0, fmax(0.5, growth)));
    w->again = 0;
    return 1;
}

static sar_status follow(walker* w)
{
    sar_map* map = w->map;
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        const double side = side_of_start(w);
        search_ahead(w);
        mind_balls(w);
        if (!advance(w)) {
            w->arc->ends[1] = SAR_MAP_STUCK;
            return SAR_OK;
        }
        if (w->again) continue;
        if (!sari_arc_append(map, w->arc, w->q, w->t)) return SAR_E_NOMEM;
        int node, half;
        if (enters(w, &node, &half)) return finish_at(w, node, half);
        if (is_closed(w, side)) {
            w->arc->closed = 1;
            w->arc->ends[0] = w->arc->ends[1] = SAR_MAP_CLOSED;
            w->arc->points--;
            return sari_arc_append(map, w->arc, w->q0, w->t0) ? SAR_OK : SAR_E_NOMEM;
        }
        if (sari_distance_of(map->locus.n, w->q, map->start) > BOX) {
            w->arc->ends[1] = SAR_MAP_INFINITE;
            return SAR_OK;
        }
        w->h = w->h_next;
    }
    w->arc->ends[1] = SAR_MAP_LIMIT;
    map->limited = 1;
    return SAR_OK;
}

static int take(walker* w, sari_arena* scratch)
{
    const int n = w->map->locus.n;
    double** room[] = {&w->q,  &w->t,  &w->next,   &w->s,       &w->guess,
                       &w->q0, &w->t0, &w->before, &w->before_t};
    for (size_t i = 0; i < sizeof room / sizeof *room; i++)
        *room[i] = SARI_TAKE(scratch, double, n + 1);
    return !scratch->failed;
}

/* From (q, t) on. */
static sar_status go(walker* w, const double* q, const double* t, int node, int half)
{
    const size_t size = (size_t)w->map->locus.n * sizeof(double);
    memcpy(w->q, q, size), memcpy(w->t, t, size);
    memcpy(w->q0, q, size), memcpy(w->t0, t, size);
    w->from = node, w->h = FIRST, w->tried = INFINITY;
    w->arc->node[0] = node, w->arc->half[0] = half;
    w->arc->node[1] = w->arc->half[1] = -1;
    w->arc->ends[0] = node >= 0 ? SAR_MAP_NODE : SAR_MAP_CLOSED;
    if (!sari_arc_append(w->map, w->arc, q, t)) return SAR_E_NOMEM;
    sari_locus_eval(&w->map->locus, q);
    sari_locus_spectrum(&w->map->locus);
    measure(w);
    return follow(w);
}

void sari_arc_reverse(const sar_map* map, sari_arc* arc)
{
    const size_t n = (size_t)map->locus.n;
    for (int a = 0, b = arc->points - 1; a < b; a++, b--)
        for (size_t i = 0; i < n; i++) {
            const double q = arc->q[(size_t)a * n + i], t = arc->t[(size_t)a * n + i];
            arc->q[(size_t)a * n + i] = arc->q[(size_t)b * n + i];
            arc->t[(size_t)a * n + i] = arc->t[(size_t)b * n + i];
            arc->q[(size_t)b * n + i] = q, arc->t[(size_t)b * n + i] = t;
        }
    for (size_t i = 0; i < n * (size_t)arc->points; i++) arc->t[i] = -arc->t[i];
    const int node = arc->node[0], half = arc->half[0];
    const sar_map_end end = arc->ends[0];
    arc->node[0] = arc->node[1], arc->half[0] = arc->half[1], arc->ends[0] = arc->ends[1];
    arc->node[1] = node, arc->half[1] = half, arc->ends[1] = end;
}

sar_status sari_walk(sar_map* map, const double* q, const double* t, int nullity, int node,
                     int half, int* number)
{
    if (!sari_grow((void**)&map->arc, map->arcs, &map->arcs_capacity, sizeof *map->arc))
        return SAR_E_NOMEM;
    const size_t n = (size_t)map->locus.n;
    sari_arena scratch = {0};
    sari_arc arc = {.nullity = nullity, .component = -1};
    walker w = {.map = map, .arc = &arc, .k = nullity};
    double* back = SARI_TAKE(&scratch, double, n + 1);
    sar_status st = take(&w, &scratch) ? SAR_OK : SAR_E_NOMEM;
    if (st == SAR_OK) st = go(&w, q, t, node, half);
    if (st == SAR_OK && node < 0 && !arc.closed) { // the rest, from where it began
        sari_arc_reverse(map, &arc);
        sari_arc other = {.nullity = nullity};
        w.arc = &other;
        for (size_t i = 0; i < n; i++) back[i] = -t[i];
        st = go(&w, q, back, -1, -1);
        for (int i = 1; st == SAR_OK && i < other.points; i++)
            if (!sari_arc_append(map, &arc, other.q + (size_t)i * n, other.t + (size_t)i * n))
                st = SAR_E_NOMEM;
        arc.node[1] = other.node[1], arc.half[1] = other.half[1], arc.ends[1] = other.ends[1];
        sari_arc_release(&other);
    }
    *number = map->arcs;
    map->arc[map->arcs++] = arc;
    sari_arena_clear(&scratch);
    return st;
}
