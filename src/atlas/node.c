/* Nodes: singular configurations q*, and the curves that meet there, as points on a small sphere
 *
 *     phi(q) = 0,   (|q - q*|^2 - R^2)/2R = 0                                                  (8)
 *
 * rather than roots of a tangent cone: cusps, tangencies and curves that are shaky all along need nothing of their own.
 * Real algebraic curves have an even number of half-branches, so that a missing one shows. (8) is solved from
 * many directions at random in the null space of J, until each half-branch was found several times and the last new one is
 * long ago. Each half-branch is followed inwards to R/4; one that does not arrive, another number there, or an odd one: again
 * with R/4. */
#include "atlas/atlas.h"

#include "base/memory.h"
#include "math/random.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

static const double LARGEST = 0.05, SMALLEST = 1e-4; ///< R
static const double EQUAL = 1e-5;                    ///< of R
static const double ASIDE = 0.25; ///< of a step: more than a regular point is moved by a correction
enum { DIRECTIONS = 30, MOST_DIRECTIONS = 2000, MOST_HALVES = 2048, OFTEN = 6 };

int sari_node_around(const sar_map* map, const double* q, double part)
{
    for (int i = 0; i < map->nodes; i++)
        if (sari_distance_of(map->locus.n, q, map->node[i].q) < part * map->node[i].radius)
            return i;
    return -1;
}

/* ---- half-branches ---------------------------------------------------------------------------- */

static int find_half(const sar_map* map, const sari_node* node, const double* q, double limit)
{
    for (int i = 0; i < node->halves; i++)
        if (sari_distance_of(map->locus.n, node->half[i].q, q) < limit) return i;
    return -1;
}

/* Is q on a half-branch that is known? Then that is counted. Towards those that are singular all along Newton's method is
 * slow and stops farther away. */
static int sees_half(const sar_map* map, sari_node* node, const double* q, double R)
{
    const int i = find_half(map, node, q, 1e-3 * R);
    if (i < 0) return 0;
    const int same = node->half[i].nullity > 1 || map->locus.accuracy > 0.0 ||
                     find_half(map, node, q, EQUAL * R) >= 0;
    node->half[i].seen += same;
    return same;
}

static int add_half(sar_map* map, sari_node* node, const double* q, const double* t, int nullity)
{
    const int n = map->locus.n;
    if (!sari_grow((void**)&node->half, node->halves, &node->capacity, sizeof *node->half))
        return -1;
    sari_half* half = &node->half[node->halves];
    *half = (sari_half){.nullity = nullity, .arc = -1, .partner = -1, .seen = 1};
    half->q = SARI_TAKE(&map->memory, double, n + 1);
    half->t = SARI_TAKE(&map->memory, double, n + 1);
    half->mid = SARI_TAKE(&map->memory, double, n + 1);
    if (map->memory.failed) return -1;
    memcpy(half->q, q, (size_t)n * sizeof *q);
    memcpy(half->t, t, (size_t)n * sizeof *t);
    return node->halves++;
}

/* t in the sense away from the node */
static void turn_outwards(int n, const double* centre, const double* q, double* t)
{
    double along = 0.0;
    for (int i = 0; i < n; i++) along += t[i] * (q[i] - centre[i]);
    for (int i = 0; i < n && along < 0.0; i++) t[i] = -t[i];
}

/* What meets the sphere at q, a solution of (8) for which J is there: its nullity if it is a curve, with its tangent; else
 * 0, and the node knows of the component that it is. */
static int classify(sar_map* map, sari_node* node, double R, double* q, double* t)
{
    sari_locus* l = &map->locus;
    sari_locus_spectrum(l);
    const double accuracy = l->accuracy;
    const int k = sari_locus_nullity(l, accuracy);
    if (k == 0) return 0;
    sari_locus_vector(l, l->n - 1, t);
    if (k == 1) return 1;
    const sari_local local = accuracy > 0.0 ? (sari_local){0} : sari_local_at(map, q, 0.2 * R);
    if (local.regular) {
        if (local.dimension > node->dimension) node->dimension = local.dimension;
        return 0;
    }
    const sari_guide sphere = {SARI_SPHERE, NULL, node->q, R};
    return sari_fat_correct(map, k, &sphere, 0.1 * R, q, t, 0) ? k : 0;
}

/* Was every half-branch found so often that another one is unlikely? `newest`: the trial that found the last new one. */
static int is_enough(const sari_node* node, int trials, int newest)
{
    if (trials < 2 * DIRECTIONS || trials < 6 * newest) return 0;
    for (int i = 0; i < node->halves; i++)
        if (node->half[i].seen < OFTEN) return 0;
    return 1;
}

/* Half-branches at the radius R from at most `pairs` directions and their opposites. 0: out of memory. */
static int search_sphere(sar_map* map, sari_node* node, double R, int pairs, const double* N)
{
    sari_locus* l = &map->locus;
    const int n = l->n, k = node->nullity;
    sari_arena scratch = {0};
    double* z = SARI_TAKE(&scratch, double, k + 1);
    double* q = SARI_TAKE(&scratch, double, n + 1);
    double* t = SARI_TAKE(&scratch, double, n + 1);
    int ok = !scratch.failed, newest = 0;
    const sari_guide sphere = {SARI_SPHERE, NULL, node->q, R};
    for (int trial = 0; ok && trial < 2 * pairs && !is_enough(node, trial, newest); trial++) {
        if (trial % 2 == 0) {
            sari_fill_at_random(&l->random, z, (size_t)k);
            sari_vector_normalise(k, z);
        } else {
            for (int j = 0; j < k; j++) z[j] = -z[j];
        }
        memcpy(q, node->q, (size_t)n * sizeof *q);
        for (int j = 0; j < k; j++) sari_vector_add(n, R * z[j], N + (size_t)j * (size_t)n, q);
        if (!sari_locus_correct(l, &sphere, 2.5 * R, q)) continue;
        if (sees_half(map, node, q, R)) continue;
        const int nullity = classify(map, node, R, q, t);
        if (nullity == 0 || sees_half(map, node, q, R)) continue;
        turn_outwards(n, node->q, q, t);
        if (node->halves >= MOST_HALVES) break;
        ok = add_half(map, node, q, t, nullity) >= 0;
        newest = trial;
    }
    sari_arena_clear(&scratch);
    return ok;
}

/* Half-branch q inwards to R/2 (into mid, where wanted) and R/4. 0: it does not arrive. */
static int follow_inwards(sar_map* map, const sari_node* node, double R, int nullity, double* q,
                          const double* t, double* mid)
{
    sari_locus* l = &map->locus;
    const int n = l->n;
    for (int half = 1; half <= 2; half++) {
        const double radius = ldexp(R, -half);
        for (int i = 0; i < n; i++) q[i] = node->q[i] + 0.5 * (q[i] - node->q[i]);
        const sari_guide sphere = {SARI_SPHERE, NULL, node->q, radius};
        double* along = map->along;
        memcpy(along, t, (size_t)n * sizeof *t);
        const int ok = nullity == 1
                           ? sari_locus_correct(l, &sphere, 0.6 * radius, q)
                           : sari_fat_correct(map, nullity, &sphere, 0.6 * radius, q, along, 1);
        if (!ok) return 0;
        if (half == 1 && mid) memcpy(mid, q, (size_t)n * sizeof *q);
    }
    return 1;
}

static int follow_all(sar_map* map, sari_node* node, double R, double* inner)
{
    const size_t n = (size_t)map->locus.n;
    for (int i = 0; i < node->halves; i++) {
        sari_half* half = &node->half[i];
        double* q = inner + (size_t)i * n;
        memcpy(q, half->q, n * sizeof *q);
        if (!follow_inwards(map, node, R, half->nullity, q, half->t, half->mid)) return 0;
        for (int j = 0; j < i; j++)
            if (sari_distance_of((int)n, q, inner + (size_t)j * n) < EQUAL * R) return 0;
    }
    return 1;
}

/* As many at R/4 as at R, and the same ones? */
static int confirm(sar_map* map, sari_node* node, double R, int pairs, const double* N)
{
    const size_t n = (size_t)map->locus.n;
    sari_arena scratch = {0};
    double* inner = SARI_TAKE(&scratch, double, n*(size_t)node->halves + 1);
    int same = inner && follow_all(map, node, R, inner);
    if (same) {
        sari_node probe = *node;
        probe.half = NULL, probe.halves = probe.capacity = 0;
        same = search_sphere(map, &probe, 0.25 * R, pairs / 2 + 1, N);
        for (int i = 0; same && i < probe.halves; i++) {
            int known = 0;
            for (int j = 0; j < node->halves && !known; j++)
                known = sari_distance_of((int)n, probe.half[i].q, inner + (size_t)j * n) < 1e-3 * R;
            same = known;
        }
        sari_release(probe.half);
    }
    sari_arena_clear(&scratch);
    return same;
}

/* ---- smooth motions through a node ------------------------------------------------------------ */

/* How much half-branches i and j are not one smooth curve: directions u at the node have to be opposite, curvatures c equal,
 * by points at R and R/2: u = 4 b - a, c = a - 2 b. */
static double mismatch(const sar_map* map, const sari_node* node, int i, int j)
{
    const int n = map->locus.n;
    const sari_half *x = &node->half[i], *y = &node->half[j];
    double first = 0.0, second = 0.0;
    for (int k = 0; k < n; k++) {
        const double a = x->q[k] - node->q[k], b = x->mid[k] - node->q[k], c = y->q[k] - node->q[k],
                     d = y->mid[k] - node->q[k];
        const double u = 4.0 * b - a + 4.0 * d - c, curve = a - 2.0 * b - c + 2.0 * d;
        first += u * u, second += curve * curve;
    }
    return (sqrt(first) + sqrt(second) / node->radius) / node->radius;
}

static void pair_halves(const sar_map* map, sari_node* node)
{
    for (int i = 0; i < node->halves; i++) node->half[i].partner = -1;
    for (;;) {
        double best = 1.0; // worse is no smooth motion
        int a = -1, b = -1;
        for (int i = 0; i < node->halves; i++)
            for (int j = 0; j < i; j++) {
                if (node->half[i].partner >= 0 || node->half[j].partner >= 0) continue;
                const double cost = mismatch(map, node, i, j);
                if (cost < best) best = cost, a = i, b = j;
            }
        if (a < 0) return;
        node->half[a].partner = b, node->half[b].partner = a;
    }
}

/* ---- nodes ------------------------------------------------------------------------------------ */

static int known_node(const sar_map* map, const sari_located* at)
{
    for (int i = 0; i < map->nodes; i++) {
        const sari_node* node = &map->node[i];
        const double distance = sari_distance_of(map->locus.n, at->q, node->q);
        if (distance < (at->degenerate || node->degenerate ? 0.5 * node->radius : 1e-6)) return i;
    }
    return -1;
}

/* Null-most vectors of J at the node. */
static double* null_vectors(sar_map* map, const sari_node* node, sari_arena* scratch)
{
    sari_locus* l = &map->locus;
    double* N = SARI_TAKE(scratch, double, (size_t)l->n*(size_t)node->nullity + 1);
    if (!N) return NULL;
    sari_locus_eval(l, node->q);
    sari_locus_spectrum(l);
    for (int j = 0; j < node->nullity; j++)
        sari_locus_vector(l, l->n - node->nullity + j, N + (size_t)j * (size_t)l->n);
    return N;
}

static int resolve(sar_map* map, sari_node* node)
{
    sari_arena scratch = {0};
    const double* N = null_vectors(map, node, &scratch);
    const int shift = node->nullity < 8 ? node->nullity - 1 : 7;
    int pairs = DIRECTIONS << (shift > 0 ? shift : 0);
    if (pairs > MOST_DIRECTIONS) pairs = MOST_DIRECTIONS;
    double R = node->radius;
    for (; N && R >= SMALLEST; R *= 0.25) {
        node->halves = 0, node->dimension = 0, node->radius = R;
        if (!search_sphere(map, node, R, pairs, N)) break;
        if (node->halves % 2 == 0 && confirm(map, node, R, pairs, N)) {
            node->resolved = 1;
            break;
        }
    }
    sari_arena_clear(&scratch);
    return !map->memory.failed;
}

int sari_node_open(sar_map* map, const sari_located* at, double farthest)
{
    const int n = map->locus.n, known = known_node(map, at);
    if (known >= 0) return known;
    if (!sari_grow((void**)&map->node, map->nodes, &map->nodes_capacity, sizeof *map->node))
        return -1;
    double R = fmin(LARGEST, 0.4 * farthest);
    for (int i = 0; i < map->nodes; i++)
        R = fmin(R, 0.4 * sari_distance_of(n, at->q, map->node[i].q));
    sari_node node = {.nullity = at->nullity, .radius = R, .degenerate = at->degenerate};
    node.component = -1;
    node.q = SARI_TAKE(&map->memory, double, n + 1);
    if (!node.q) return -1;
    memcpy(node.q, at->q, (size_t)n * sizeof(double));
    if (!resolve(map, &node)) return -1;
    pair_halves(map, &node);
    map->node[map->nodes] = node;
    return map->nodes++;
}

int sari_node_match(sar_map* map, int number, const double* q, const double* t, int nullity)
{
    sari_node* node = &map->node[number];
    const int n = map->locus.n;
    const double distance = sari_distance_of(n, q, node->q), R = node->radius;
    const sari_guide sphere = {SARI_SPHERE, NULL, node->q, R};
    double *p = map->probe, *along = map->probe_t;
    if (!(distance > 0.0)) return -1;
    for (int i = 0; i < n; i++) p[i] = node->q[i] + (q[i] - node->q[i]) * R / distance;
    memcpy(along, t, (size_t)n * sizeof *t);
    const int ok = nullity == 1 ? sari_locus_correct(&map->locus, &sphere, 0.5 * R, p)
                                : sari_fat_correct(map, nullity, &sphere, 0.5 * R, p, along, 1);
    if (!ok) return -1;
    const int half = find_half(map, node, p, 1e-3 * R);
    if (half >= 0) return half;
    if (nullity == 1) {
        sari_locus_spectrum(&map->locus);
        sari_locus_vector(&map->locus, n - 1, along);
    }
    turn_outwards(n, node->q, p, along);
    const int added = add_half(map, node, p, along, nullity); // one that was missed, if it arrives
    if (added < 0) return -1;
    if (!follow_inwards(map, node, R, nullity, p, along, node->half[added].mid)) {
        node->halves--;
        return -1;
    }
    pair_halves(map, node);
    return added;
}

/* ---- what is at a point ----------------------------------------------------------------------- */

/* Do two steps along the null vectors N, at random and across each other, arrive, at points with the same nullity? Towards a
 * curve that is singular all along a step at random is led back to the curve. */
static int is_regular(sar_map* map, const double* q, int k, const double* N, double step, double* p)
{
    sari_locus* l = &map->locus;
    const int n = l->n;
    const sari_guide free = {SARI_FREE, NULL, NULL, 0.0};
    double *z = p + n, *first = z + k;
    for (int trial = 0; trial < 2; trial++) {
        sari_fill_at_random(&l->random, z, (size_t)k);
        if (trial && k > 1) sari_vector_add(k, -sari_vector_dot(k, first, z), first, z);
        sari_vector_normalise(k, z);
        if (!trial) memcpy(first, z, (size_t)k * sizeof *z);
        memcpy(p, q, (size_t)n * sizeof *q);
        for (int j = 0; j < k; j++) sari_vector_add(n, step * z[j], N + (size_t)j * (size_t)n, p);
        if (!sari_locus_correct(l, &free, ASIDE * step, p) || l->accuracy > 0.0) return 0;
        sari_locus_spectrum(l);
        if (sari_locus_nullity(l, 0.0) != k) return 0;
    }
    return 1;
}

sari_local sari_local_at(sar_map* map, const double* q, double step)
{
    sari_locus* l = &map->locus;
    const int n = l->n;
    sari_arena scratch = {0};
    sari_locus_eval(l, q);
    sari_locus_spectrum(l);
    const int k = sari_locus_nullity(l, 0.0);
    sari_local local = {.nullity = k, .regular = k == 0, .dimension = k};
    double* N = SARI_TAKE(&scratch, double, (size_t)n*(size_t)k + 1);
    double* p = SARI_TAKE(&scratch, double, n + 2 * k + 1);
    for (int j = 0; j < k && N; j++) sari_locus_vector(l, n - k + j, N + (size_t)j * (size_t)n);
    for (int round = 0; round < 3 && k > 0 && N && p && !local.regular; round++, step *= 0.1)
        local.regular = is_regular(map, q, k, N, step, p); // sharp bends need short steps
    sari_arena_clear(&scratch);
    return local;
}
