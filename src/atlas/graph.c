/* The graph: starts, curves, nodes, and how they are connected. Starts at random, the drawn one first; what a start is on is
 * either known, then it is counted, or followed. Of every node that turns up all half-branches are followed, until none is
 * left.
 *
 * How much is missing? With N starts whose loops closed, and f_1 components that were seen once, starts find something new
 * with a probability of at most (f_1 + 3)/N, at 95 % confidence: Good and Turing's estimate and the rule of three
 * [good1953]. It counts starts; it is no proof.
 *
 * Assembly modes of as many conditions as coordinates have an orientation, the sign of det J. Where configurations stay
 * bounded the sum of these over all modes does not change with the dimensions, by which modes only appear and vanish in pairs,
 * and is zero, as there are dimensions with which nothing closes [milnor1965]. A sum that is not zero: one is missing. */
#include "atlas/values.h"

#include "base/memory.h"
#include "base/status.h"
#include "linalg/elimination.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 5 };
static const double SAME = 1e-6;
static const double ENOUGH = 0.05, ENOUGH_OF_MODES = 0.01; ///< share of starts that is not seen
enum { MORE_FOR_MODES = 5 }; ///< starts, as they cost little where there is nothing to follow

/* ---- is it known? ----------------------------------------------------------------------------- */

static double distance_to(const sar_map* map, const sari_arc* arc, int i, const double* q)
{
    const size_t n = (size_t)map->locus.n;
    return sari_distance_of((int)n, arc->q + (size_t)i * n, q);
}

/* Does the curve at point i of the arc go through q, which is `distance` from it? */
static int goes_through(sar_map* map, const sari_arc* arc, int i, double distance, const double* q)
{
    const size_t n = (size_t)map->locus.n;
    double *p = map->probe, *t = map->probe_t, along = 0.0;
    memcpy(p, arc->q + (size_t)i * n, n * sizeof *p);
    memcpy(t, arc->t + (size_t)i * n, n * sizeof *t);
    memcpy(map->along, t, n * sizeof *t);
    const sari_guide plane = {SARI_PLANE, map->along, q, 0.0};
    for (size_t k = 0; k < n; k++) along += t[k] * (q[k] - p[k]);
    sari_vector_add((int)n, along, map->along, p); // to the plane first, along the tangent
    const double leash = fmax(distance, SAME);
    const int ok = arc->nullity == 1 ? sari_locus_correct(&map->locus, &plane, leash, p)
                                     : sari_fat_correct(map, arc->nullity, &plane, leash, p, t, 1);
    return ok && sari_distance_of((int)n, p, q) < SAME;
}

int sari_arc_has(sar_map* map, const sari_arc* arc, const double* q, int* nearest)
{
    const int last = arc->points - 1;
    for (int i = 0; i <= last; i++) { // points that are nearer than those beside them
        const double d = distance_to(map, arc, i, q);
        const int before = i > 0         ? i - 1
                           : arc->closed ? last - 1
                                         : 0,
                  after = i < last ? i : last - 1;
        if (d < SAME) return *nearest = i, 1;
        if (last < 1 || d > 1.5) continue;
        if ((i > 0 && distance_to(map, arc, i - 1, q) < d) ||
            (i < last && distance_to(map, arc, i + 1, q) < d))
            continue;
        const double step =
            fmax(sari_arc_segment(map, arc, before), sari_arc_segment(map, arc, after));
        if (d <= 1.2 * step && goes_through(map, arc, i, d, q)) return *nearest = i, 1;
    }
    return 0;
}

static int known_as_it_is(sar_map* map, const double* q)
{
    for (int i = 0; i < map->arcs; i++) {
        int nearest;
        if (map->arc[i].removed || !sari_arc_has(map, &map->arc[i], q, &nearest)) continue;
        map->arc[i].seen++;
        return 1;
    }
    const int node = sari_node_around(map, q, 1.0);
    if (node >= 0) map->node[node].seen++;
    return node >= 0;
}

/* Also with v turned round, where it is a part of the unknowns. */
static int known(sar_map* map, const double* q)
{
    const int n = map->locus.n;
    if (known_as_it_is(map, q)) return 1;
    if (!map->twofold) return 0;
    sari_arena scratch = {0};
    double* p = sari_arena_copy(&scratch, q, (size_t)n, sizeof *q);
    for (int i = map->locus.base; p && i < n; i++) p[i] = -p[i];
    const int found = p && known_as_it_is(map, p);
    sari_arena_clear(&scratch);
    return found;
}

/* Modes whose joints are at the same points differ in bars that are rolled about their line: one placement. */
static int find_placement(sar_map* map, sari_sheet* sheet)
{
    const int numbers = 6 * map->locus.sys->mechanism->model->joints_count;
    sheet->points = sari_joint_points(map, sheet->q);
    if (!sheet->points) return 0;
    for (int i = 0; i < map->sheets; i++)
        if (map->sheet[i].points &&
            sari_distance_of(numbers, map->sheet[i].points, sheet->points) < SAME) {
            sheet->placement = map->sheet[i].placement;
            return 1;
        }
    sheet->placement = map->placements++;
    return 1;
}

static sar_status add_sheet(sar_map* map, int dimension, const double* q)
{
    const size_t size = (size_t)map->locus.n * sizeof *q;
    for (int i = 0; i < map->sheets;
         i++) { // of more dimensions: how they are connected is not examined
        sari_sheet* s = &map->sheet[i];
        if (s->dimension != dimension) continue;
        if (dimension == 0 && sari_distance_of(map->locus.n, s->q, q) > SAME) continue;
        s->seen++;
        return SAR_OK;
    }
    if (!sari_grow((void**)&map->sheet, map->sheets, &map->sheets_capacity, sizeof *map->sheet))
        return SAR_E_NOMEM;
    sari_sheet sheet = {.dimension = dimension, .seen = 1, .component = -1};
    sheet.q = SARI_TAKE(&map->memory, double, map->locus.n + 1);
    if (!sheet.q) return SAR_E_NOMEM;
    memcpy(sheet.q, q, size);
    if (dimension == 0 && !find_placement(map, &sheet)) return SAR_E_NOMEM;
    map->sheet[map->sheets++] = sheet;
    return SAR_OK;
}

/* ---- arcs and half-branches ------------------------------------------------------------------- */

static void detach(sar_map* map, int number)
{
    sari_arc* arc = &map->arc[number];
    for (int e = 0; e < 2; e++)
        if (arc->node[e] >= 0) {
            sari_half* half = &map->node[arc->node[e]].half[arc->half[e]];
            if (half->arc == number) half->arc = -1;
        }
    arc->removed = 1;
}

/* Its half-branches know it. A half-branch that has another arc already: both are taken back. */
static int attach(sar_map* map, int number)
{
    sari_arc* arc = &map->arc[number];
    int clash = 0;
    for (int e = 0; e < 2; e++) {
        if (arc->node[e] < 0) continue;
        sari_half* half = &map->node[arc->node[e]].half[arc->half[e]];
        if (half->arc >= 0 && (half->arc != number || half->end != e)) {
            detach(map, half->arc);
            clash = 1;
        }
        half->arc = number, half->end = e;
    }
    if (clash) detach(map, number);
    return !clash;
}

/* Does the arc pass a node whose ball it should have ended at? */
static int passes(const sar_map* map, const sari_arc* arc)
{
    const size_t n = (size_t)map->locus.n;
    for (int k = 0; k < map->nodes; k++)
        for (int i = 0; i < arc->points; i++)
            if (sari_distance_of((int)n, arc->q + (size_t)i * n, map->node[k].q) <
                0.9 * map->node[k].radius)
                return 1;
    return 0;
}

static int is_stopped(const sar_map* map)
{
    return map->options.stop && *map->options.stop;
}

static int has_room(sar_map* map)
{
    if (map->arcs < map->options.most_arcs && map->nodes < map->options.most_nodes &&
        !is_stopped(map))
        return 1;
    map->limited = 1;
    return 0;
}

/* Every half-branch without an arc is followed. */
static sar_status follow_halves(sar_map* map)
{
    int repeated = 0;
    for (int node = 0; node < map->nodes; node++)
        for (int half = 0; half < map->node[node].halves; half++) {
            const sari_half from = map->node[node].half[half];
            int number;
            if (from.arc >= 0 || !has_room(map)) continue;
            SARI_TRY(sari_walk(map, from.q, from.t, from.nullity, node, half, &number));
            if (attach(map, number)) continue;
            if (++repeated > ROUNDS * 4) {
                map->limited = 1;
                return SAR_OK;
            }
            node = -1; // anew: what was taken back is followed again
            break;
        }
    return SAR_OK;
}

/* Arcs that passed nodes which were not known then are taken back, and begun anew. */
static sar_status follow_all(sar_map* map);

static sar_status trace(sar_map* map, const double* q, const double* t, int nullity)
{
    int number;
    if (!has_room(map)) return SAR_OK;
    SARI_TRY(sari_walk(map, q, t, nullity, -1, -1, &number));
    attach(map, number);
    return follow_all(map);
}

static sar_status follow_all(sar_map* map)
{
    for (int round = 0; round < ROUNDS; round++) {
        SARI_TRY(follow_halves(map));
        int again = 0;
        for (int i = 0; i < map->arcs; i++)
            if (!map->arc[i].removed && passes(map, &map->arc[i])) detach(map, i), again = 1;
        if (!again) return SAR_OK;
    }
    map->limited = 1;
    return SAR_OK;
}

/* ---- starts ----------------------------------------------------------------------------------- */

/* A point that is not regular: an isolated node, or on a curve that is singular all along. */
static sar_status take_singular(sar_map* map, const double* q, int nullity)
{
    sari_arena scratch = {0};
    const int n = map->locus.n;
    sari_located at = {.q = SARI_TAKE(&scratch, double, n + 1)};
    double* t = SARI_TAKE(&scratch, double, n + 1);
    double* p = SARI_TAKE(&scratch, double, n + 1);
    sar_status st = scratch.failed ? SAR_E_NOMEM : SAR_OK;
    if (st == SAR_OK) {
        memcpy(p, q, (size_t)n * sizeof *q);
        const sari_guide free = {SARI_FREE, NULL, NULL, 0.0};
        if (sari_fat_correct(map, nullity, &free, 0.01, p, t, 0) &&
            sari_fat_goes_on(map, nullity, p, t)) {
            st = known(map, p) ? SAR_OK : trace(map, p, t, nullity);
        } else if (known(map, q)) {
            st = SAR_OK;
        } else if (sari_locate(map, q, nullity, nullity, nullity + 2, 0.01, &at)) {
            const int before = map->nodes, node = sari_node_open(map, &at, 1.0);
            if (node < 0)
                st = SAR_E_NOMEM;
            else
                map->node[node].seen++;
            if (node >= before) st = follow_all(map);
        } else {
            map->limited = 1;
        }
    }
    sari_arena_clear(&scratch);
    return st;
}

static sar_status take_start(sar_map* map, const double* q, double accuracy)
{
    sari_locus* l = &map->locus;
    if (accuracy > 0.0) { // Newton's method was slow: it is singular here
        sari_locus_eval(l, q);
        sari_locus_spectrum(l);
        const int k = sari_locus_nullity(l, accuracy);
        if (k > 1) return take_singular(map, q, k);
    }
    if (known(map, q)) return SAR_OK;
    sari_locus_eval(l, q);
    sari_locus_spectrum(l);
    const int nullity = sari_locus_nullity(l, 0.0);
    for (int i = 0; i < map->sheets && nullity > 1; i++) // one of a family more
        if (map->sheet[i].dimension == nullity) return add_sheet(map, nullity, q);
    const sari_local local = sari_local_at(map, q, 0.02);
    if (!local.regular) return take_singular(map, q, local.nullity);
    if (local.dimension != 1) return add_sheet(map, local.dimension, q);
    sari_arena scratch = {0};
    double* t = SARI_TAKE(&scratch, double, l->n + 1);
    sar_status st = t ? SAR_OK : SAR_E_NOMEM;
    if (st == SAR_OK) {
        const int arcs = map->arcs;
        sari_locus_eval(l, q);
        sari_locus_spectrum(l);
        sari_locus_vector(l, l->n - 1, t);
        st = trace(map, q, t, 1);
        if (st == SAR_OK && map->arcs > arcs && !known(map, q) && has_room(map)) {
            // taken back, and not on what came in its place
            int number;
            st = sari_walk(map, q, t, 1, -1, -1, &number);
            if (st == SAR_OK) attach(map, number), st = follow_all(map), known(map, q);
        }
    }
    sari_arena_clear(&scratch);
    return st;
}

/* ---- components ------------------------------------------------------------------------------- */

static int find(int* parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* Arcs, then nodes, then sheets: which are connected? */
static sar_status connect(sar_map* map)
{
    const int arcs = map->arcs, nodes = map->nodes, all = arcs + nodes + map->sheets;
    sari_arena scratch = {0};
    int* parent = SARI_TAKE(&scratch, int, all + 1);
    int* number = SARI_TAKE(&scratch, int, all + 1);
    if (scratch.failed) {
        sari_arena_clear(&scratch);
        return SAR_E_NOMEM;
    }
    for (int i = 0; i < all; i++) parent[i] = i, number[i] = -1;
    for (int i = 0; i < arcs; i++)
        for (int e = 0; e < 2; e++)
            if (!map->arc[i].removed && map->arc[i].node[e] >= 0)
                parent[find(parent, i)] = find(parent, arcs + map->arc[i].node[e]);
    for (int i = 0; i < nodes; i++)
        for (int k = 0; k < map->sheets; k++)
            if (map->node[i].dimension > 1 && map->sheet[k].dimension == map->node[i].dimension)
                parent[find(parent, arcs + i)] = find(parent, arcs + nodes + k);
    map->components = 0;
    for (int i = 0; i < all; i++) {
        if (i < arcs && map->arc[i].removed) continue;
        const int root = find(parent, i);
        if (number[root] < 0) number[root] = map->components++;
        *(i < arcs           ? &map->arc[i].component
          : i < arcs + nodes ? &map->node[i - arcs].component
                             : &map->sheet[i - arcs - nodes].component) = number[root];
    }
    sari_arena_clear(&scratch);
    return SAR_OK;
}

/* ---- (q, v) and (q, -v) are one ---------------------------------------------------------------- */

/* Does q stay where it is along the arc, and v alone turn? */
static int stays(const sar_map* map, const sari_arc* arc)
{
    const size_t n = (size_t)map->locus.n;
    for (int i = 1; i < arc->points; i++)
        if (sari_distance_of(map->locus.base, arc->q, arc->q + (size_t)i * n) > SAME) return 0;
    return 1;
}

/* Is it an arc before it with v turned round? */
static int repeats(sar_map* map, int number)
{
    const sari_arc* arc = &map->arc[number];
    const int n = map->locus.n;
    sari_arena scratch = {0};
    double* p = sari_arena_copy(&scratch, arc->q + (size_t)(arc->points / 2) * (size_t)n, (size_t)n,
                                sizeof *p);
    for (int i = map->locus.base; p && i < n; i++) p[i] = -p[i];
    int found = 0, nearest;
    for (int j = 0; p && j < number && !found; j++)
        found = !map->arc[j].removed && sari_arc_has(map, &map->arc[j], p, &nearest);
    sari_arena_clear(&scratch);
    return found;
}

/* Nodes at one configuration become one, with the arcs that are left. */
static void join_nodes(sar_map* map)
{
    int kept = 0;
    for (int k = 0; k < map->nodes; k++) {
        int same = 0;
        while (same < kept &&
               sari_distance_of(map->locus.base, map->node[same].q, map->node[k].q) > SAME)
            same++;
        for (int i = 0; i < map->arcs; i++)
            for (int e = 0; e < 2; e++)
                if (map->arc[i].node[e] == k) map->arc[i].node[e] = -2 - same;
        if (same < kept)
            sari_release(map->node[k].half);
        else
            map->node[kept++] = map->node[k];
    }
    map->nodes = kept;
    for (int k = 0; k < kept; k++) {
        sari_node* node = &map->node[k];
        const int room = node->halves;
        node->halves = 0;
        for (int i = 0; i < map->arcs; i++)
            for (int e = 0; e < 2; e++) {
                sari_arc* arc = &map->arc[i];
                if (arc->removed || arc->node[e] != -2 - k) continue;
                if (node->halves == room) continue;
                node->half[node->halves] = (sari_half){.arc = i, .end = e, .partner = -1};
                arc->half[e] = node->halves++;
            }
    }
    for (int i = 0; i < map->arcs; i++)
        for (int e = 0; e < 2; e++)
            if (map->arc[i].node[e] <= -2) map->arc[i].node[e] = -2 - map->arc[i].node[e];
}

sar_status sari_fold(sar_map* map)
{
    for (int i = 0; i < map->arcs; i++)
        map->arc[i].removed = stays(map, &map->arc[i]) || repeats(map, i);
    join_nodes(map);
    return connect(map);
}

/* Do starts find modes alone? */
static int has_modes_only(const sar_map* map)
{
    int modes = map->sheets > 0 && !map->arcs && !map->nodes;
    for (int i = 0; i < map->sheets; i++) modes = modes && map->sheet[i].dimension == 0;
    return modes;
}

/* Placements of modes that were seen once. */
static int modes_seen_once(const sar_map* map)
{
    int count = 0;
    for (int p = 0; p < map->placements; p++) {
        int seen = 0;
        for (int i = 0; i < map->sheets; i++)
            if (map->sheet[i].points && map->sheet[i].placement == p) seen += map->sheet[i].seen;
        count += seen == 1;
    }
    return count;
}

/* Components that were seen once. */
static int seen_once(const sar_map* map)
{
    int count = 0;
    if (has_modes_only(map)) return modes_seen_once(map);
    for (int c = 0; c < map->components; c++) {
        int seen = 0;
        for (int i = 0; i < map->arcs; i++)
            if (!map->arc[i].removed && map->arc[i].component == c) seen += map->arc[i].seen;
        for (int i = 0; i < map->nodes; i++)
            if (map->node[i].component == c) seen += map->node[i].seen;
        for (int i = 0; i < map->sheets; i++)
            if (map->sheet[i].component == c) seen += map->sheet[i].seen;
        count += seen == 1;
    }
    return count;
}

/* Where a node has a component of more dimensions of which no start was. */
static sar_status take_sheets_of_nodes(sar_map* map)
{
    for (int i = 0; i < map->nodes; i++) {
        const sari_node* node = &map->node[i];
        int there = node->dimension < 2;
        for (int k = 0; k < map->sheets && !there; k++)
            there = map->sheet[k].dimension == node->dimension;
        if (!there) SARI_TRY(add_sheet(map, node->dimension, node->q));
    }
    return SAR_OK;
}

/* The sign of det J at q. */
static int orientation_at(sar_map* map, const double* q)
{
    sari_locus* l = &map->locus;
    sari_deflation* d = &map->deflation; // its room
    int sign = 1;
    sari_locus_eval(l, q);
    memcpy(d->T, l->J, (size_t)l->n * (size_t)l->n * sizeof(double));
    if (sari_eliminate(l->n, d->T, d->pivot) != SAR_OK) return 0;
    for (int k = 0; k < l->n; k++)
        if ((d->T[(size_t)k * (size_t)l->n + (size_t)k] < 0.0) != (d->pivot[k] != k)) sign = -sign;
    return sign;
}

/* Do joints and rods bound every configuration? */
static int is_bounded(const sari_mechanism* m)
{
    for (int j = 0; j < m->model->joints_count; j++) {
        if (!m->active[j]) continue;
        const sari_joint* joint = &m->model->joints[j];
        if (joint->relation && !joint->relation->prescribes) return 0;
        const sari_joint_type* type = sari_joint_type_of(joint);
        for (int c = 0; type && c < type->coordinates; c++)
            if (!sari_is_angle(type->coordinate[c]) && type->coordinate[c] != SAR_COORD_DISTANCE)
                return 0;
    }
    return 1;
}

/* The sum of the signs of det J over all modes, where it is zero if none is missing. */
static int balance_of(sar_map* map)
{
    int sum = 0;
    if (map->locus.m != map->locus.n || map->twofold || !has_modes_only(map) ||
        !is_bounded(map->locus.sys->mechanism))
        return SAR_MAP_NO_BALANCE;
    for (int i = 0; i < map->sheets; i++) sum += orientation_at(map, map->sheet[i].q);
    return sum;
}

static double unseen(const sar_map* map)
{
    return map->closed > 0 ? fmin(1.0, (seen_once(map) + 3.0) / (double)map->closed) : 1.0;
}

/* Is that enough of starts? */
static int is_enough(sar_map* map)
{
    const int modes = has_modes_only(map);
    if (map->starts >= (long)map->options.most_starts * (modes ? MORE_FOR_MODES : 1)) return 1;
    if (map->starts < map->options.starts || connect(map) != SAR_OK) return 0;
    const int balance = balance_of(map);
    return unseen(map) <= (modes ? ENOUGH_OF_MODES : ENOUGH) &&
           (balance == 0 || balance == SAR_MAP_NO_BALANCE);
}

sar_status sari_explore(sar_map* map)
{
    sari_arena scratch = {0};
    double* q = SARI_TAKE(&scratch, double, map->locus.n + 1);
    sar_status st = q ? SAR_OK : SAR_E_NOMEM;
    if (st == SAR_OK && !map->twofold) st = take_start(map, map->start, 0.0);
    while (st == SAR_OK && !is_stopped(map) && !is_enough(map)) {
        map->starts++;
        if (!sari_locus_seed(&map->locus, q)) continue;
        if (map->twofold && map->closed == 0)
            memcpy(map->start, q, (size_t)map->locus.n * sizeof *q);
        map->closed++;
        st = take_start(map, q, map->locus.accuracy);
    }
    map->limited |= is_stopped(map);
    if (st == SAR_OK) st = take_sheets_of_nodes(map);
    if (st == SAR_OK) st = connect(map);
    map->unseen = unseen(map);
    map->balance = balance_of(map);
    if (map->balance != 0 && map->balance != SAR_MAP_NO_BALANCE) map->limited = 1;
    sari_arena_clear(&scratch);
    return st;
}
