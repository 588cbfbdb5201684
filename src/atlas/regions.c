/* Over two quantities y of a mechanism with two degrees of freedom: the regions between its singularity curves, and in how many
 * configurations it can be in each. Between singular configurations the number of solutions of
 *
 *     phi(q) = 0,   y(q) = y*                                                                  (12)
 *
 * does not change, where they stay bounded. The plane is divided into cells; those that no curve crosses and that are neighbours
 * are a region; (12) is solved by Newton's method from configurations at random in the cell that is farthest from all curves.
 * Regions that are narrower than two cells are not seen. */
#include "atlas/values.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

enum { CELLS = 120, STARTS = 60, MOST_STARTS = 600, MOST_FOUND = 128, FEWEST = 4, PARTS = 12 };
static const double REVOLUTION = 6.283185307179586;
static const double SAME = 1e-6, ENOUGH = 0.05;

typedef struct plane {
    sar_map* map;
    int y[2];
    double least[2], width[2];
    int cyclic[2];
    int *label, *far, *queue; ///< per cell: its region; cells to the next curve
    double* found;            ///< configurations of (12)
    double* unit;
    double at[2];
} plane;

/* ---- cells ------------------------------------------------------------------------------------ */

static int cell_of(const plane* p, int axis, double y)
{
    double part = (y - p->least[axis]) / p->width[axis];
    if (p->cyclic[axis]) part -= floor(part);
    return (int)fmin(CELLS - 1, fmax(0.0, part * CELLS));
}

/* The neighbour of a cell in one of four directions; -1: none. */
static int neighbour(const plane* p, int cell, int direction)
{
    int at[2] = {cell % CELLS, cell / CELLS};
    const int axis = direction / 2;
    at[axis] += direction % 2 ? 1 : -1;
    if (at[axis] < 0 || at[axis] >= CELLS) {
        if (!p->cyclic[axis]) return -1;
        at[axis] = (at[axis] + CELLS) % CELLS;
    }
    return at[1] * CELLS + at[0];
}

/* Angles go once round; points as far as curves do, and a little more. */
static void take_extent(plane* p)
{
    const sar_map* map = p->map;
    for (int i = 0; i < 2; i++) {
        p->cyclic[i] = map->values->quantity[p->y[i]].is_angle;
        double least = INFINITY, greatest = -INFINITY;
        for (int a = 0; a < map->arcs && !p->cyclic[i]; a++) {
            least = fmin(least, map->shown_arc[a].range[p->y[i]].least);
            greatest = fmax(greatest, map->shown_arc[a].range[p->y[i]].greatest);
        }
        p->least[i] = p->cyclic[i] ? -0.5 * REVOLUTION : least - 0.1 * (greatest - least);
        p->width[i] = p->cyclic[i] ? REVOLUTION : 1.2 * (greatest - least);
    }
}

/* Cells that the chord from a to b crosses. */
static void mark(plane* p, const double a[2], const double b[2])
{
    double d[2];
    for (int i = 0; i < 2; i++) {
        d[i] = b[i] - a[i];
        if (p->cyclic[i]) d[i] -= REVOLUTION * floor(d[i] / REVOLUTION + 0.5);
    }
    const double size = fmax(fabs(d[0]) / p->width[0], fabs(d[1]) / p->width[1]);
    const int parts = 1 + (int)(4.0 * CELLS * size);
    for (int k = 0; k <= parts; k++) {
        const double f = (double)k / parts;
        const int cell = cell_of(p, 1, a[1] + f * d[1]) * CELLS + cell_of(p, 0, a[0] + f * d[0]);
        p->label[cell] = -2, p->far[cell] = 0;
    }
}

static void mark_curves(plane* p, double* q)
{
    sar_map* map = p->map;
    for (int i = 0; i < CELLS * CELLS; i++) p->label[i] = -1, p->far[i] = -1;
    for (int a = 0; a < map->arcs; a++) {
        const int parts = PARTS * (map->arc[a].points - 1);
        double last[2], now[2];
        for (int k = 0; k <= parts; k++, memcpy(last, now, sizeof last)) {
            sari_arc_at(map, &map->arc[a], (double)k / parts, q, q + map->locus.n);
            sari_values_eval(map, q, NULL);
            for (int i = 0; i < 2; i++) now[i] = map->values->now[p->y[i]];
            mark(p, k ? last : now, now);
        }
    }
}

/* Distances from curves, and labels of regions. Returns their number. */
static int label_regions(plane* p)
{
    int head = 0, tail = 0, regions = 0;
    for (int i = 0; i < CELLS * CELLS; i++)
        if (p->far[i] == 0) p->queue[tail++] = i;
    for (; head < tail; head++)
        for (int d = 0; d < 4; d++) {
            const int to = neighbour(p, p->queue[head], d);
            if (to < 0 || p->far[to] >= 0) continue;
            p->far[to] = p->far[p->queue[head]] + 1;
            p->queue[tail++] = to;
        }
    for (int i = 0; i < CELLS * CELLS; i++) {
        if (p->label[i] != -1) continue;
        p->queue[0] = i, p->label[i] = regions;
        for (head = 0, tail = 1; head < tail; head++)
            for (int d = 0; d < 4; d++) {
                const int to = neighbour(p, p->queue[head], d);
                if (to < 0 || p->label[to] != -1) continue;
                p->label[to] = regions, p->queue[tail++] = to;
            }
        regions++;
    }
    return regions;
}

/* ---- (12) ------------------------------------------------------------------------------------- */

static double evaluate(sari_locus* l, const double* q)
{
    plane* p = l->context;
    sari_values* values = p->map->values;
    const int n = l->base, m = l->base_m;
    if (isnan(sari_locus_constraints(l, q, l->phi, l->J))) return NAN;
    for (int j = -1; j < n; j++) { // values first, then their slopes
        if (j >= 0) p->unit[j] = 1.0;
        sari_values_eval(p->map, q, p->unit);
        if (j >= 0) p->unit[j] = 0.0;
        for (int i = 0; i < 2; i++) {
            const int k = p->y[i];
            const double size = p->cyclic[i] ? 1.0 : l->start->units.length;
            double d = values->now[k] - p->at[i];
            if (p->cyclic[i]) d -= REVOLUTION * floor(d / REVOLUTION + 0.5);
            if (j < 0)
                l->phi[m + i] = d / size;
            else
                l->J[(size_t)(m + i) * (size_t)n + (size_t)j] = values->rate[k] / size;
        }
    }
    return sari_vector_max(l->m, l->phi);
}

/* Solutions of (12) at p->at. */
static int count_configurations(plane* p, double* q)
{
    sari_locus* l = &p->map->locus;
    const sari_guide free = {SARI_FREE, NULL, NULL, 0.0};
    const size_t n = (size_t)l->base;
    int count = 0, closed = 0, seen[MOST_FOUND], once = 0;
    for (int trial = 0; trial < MOST_STARTS; trial++) {
        if (trial >= STARTS && (closed == 0 || (once + 3.0) / closed <= ENOUGH)) break;
        l->extend = NULL, l->m = l->base_m;
        const int started = sari_locus_seed(l, q);
        l->extend = evaluate, l->m = l->base_m + 2;
        if (!started || !sari_locus_correct(l, &free, 6.0, q)) continue;
        closed++;
        int k = 0;
        while (k < count && sari_distance_of((int)n, p->found + (size_t)k * n, q) > SAME) k++;
        if (k == MOST_FOUND) continue;
        if (k == count) memcpy(p->found + (size_t)count * n, q, n * sizeof *q), seen[count++] = 0;
        once += seen[k] == 0 ? 1 : seen[k] == 1 ? -1 : 0;
        seen[k]++;
    }
    return count;
}

static int add_region(plane* p, int region, double* q)
{
    sar_map* map = p->map;
    int best = -1, size = 0;
    for (int i = 0; i < CELLS * CELLS; i++) {
        if (p->label[i] != region) continue;
        size++;
        if (best < 0 || p->far[i] > p->far[best]) best = i;
    }
    if (size < FEWEST || best < 0) return 1;
    for (int i = 0; i < 2; i++)
        p->at[i] = p->least[i] + p->width[i] * ((i ? best / CELLS : best % CELLS) + 0.5) / CELLS;
    if (!sari_grow((void**)&map->region, map->regions, &map->regions_capacity, sizeof *map->region))
        return 0;
    map->region[map->regions++] = (sar_map_region){.at = {p->at[0], p->at[1]},
                                                   .share = (double)size / (CELLS * CELLS),
                                                   .configurations = count_configurations(p, q)};
    return 1;
}

sar_status sari_regions_find(sar_map* map, const int y[2])
{
    sari_locus* l = &map->locus;
    sari_locus kept = *l;
    sari_arena scratch = {0};
    plane p = {.map = map, .y = {y[0], y[1]}};
    const size_t cells = (size_t)(CELLS * CELLS);
    p.label = SARI_TAKE(&scratch, int, cells);
    p.far = SARI_TAKE(&scratch, int, cells);
    p.queue = SARI_TAKE(&scratch, int, cells);
    p.found = SARI_TAKE(&scratch, double, (size_t)MOST_FOUND*(size_t)l->base + 1);
    p.unit = SARI_TAKE(&scratch, double, l->base + 1);
    double* q = SARI_TAKE(&scratch, double, 2 * l->n + 1);
    int ok = !scratch.failed;
    take_extent(&p);
    if (ok && p.width[0] > 0.0 && p.width[1] > 0.0 && isfinite(p.width[0] + p.width[1])) {
        mark_curves(&p, q);
        const int regions = label_regions(&p);
        l->n = l->base, l->seed = NULL, l->context = &p;
        for (int r = 0; r < regions && ok; r++) ok = add_region(&p, r, q);
        l->n = kept.n, l->m = kept.m, l->extend = kept.extend;
        l->seed = kept.seed, l->context = kept.context;
    }
    sari_arena_clear(&scratch);
    return ok ? SAR_OK : SAR_E_NOMEM;
}

int sar_map_regions(const sar_map* map, const sar_map_region** list)
{
    *list = map->region;
    return map->regions;
}
