/* The cheapest setting that is good enough.
 *
 * One variable may be the driver: the larger it is, the cheaper the run (the step, a tolerance).
 * The others span a coarse grid. The search goes in rounds of settings that do not depend on each
 * other, so that they may be tried at once and the answer is the same as one after the other:
 *
 *  1. from the cheapest value of the driver downwards, all grid points that have not passed yet;
 *     until no setting that is left could be cheaper than the best one
 *  2. for the cheapest that passed, the driver is bisected between the last value that passes and
 *     the first that does not
 *  3. the other variables move by half a notch of the grid, a quarter, ...: neighbours that pass
 *     at the driver of the best are driven up and bisected too
 *
 * Where the pass region is ragged (a fixed-point iteration near its limit) this finds one edge of
 * it, not all. Settings have four digits: what is printed is what was tried. */
#include "sarrus/tune.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/functions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEST_LANES = 6, HALVINGS = 2, MOVES = 4 };

/// A setting that was tried.
typedef struct trial {
    double x[SAR_TUNE_MOST];
    sar_tune_outcome outcome;
} trial;

/// A setting of the other variables with what is known of its driver: positions in 0 ... 1.
typedef struct lane {
    double u[SAR_TUNE_MOST]; ///< the driver's is the largest that passed
    double fails;            ///< driver's smallest that is known to fail above; > 1: none
    trial best;              ///< cheapest that passed
} lane;

typedef struct search {
    const sar_tune_def* def;
    trial* tried;
    int count, capacity;
    lane* lanes; ///< of the present round
    int lane_count;
    trial best;
    double best_u[SAR_TUNE_MOST];
    int found;
    double notch; ///< of the driver in 0 ... 1
    double* batch;
    sar_tune_outcome* outcomes;
    int* where; ///< index in `tried` of each setting of a round
} search;

/* ---- settings ------------------------------------------------------------------------------- */

static double four_digits(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.4g", value);
    return strtod(text, NULL);
}

static double value_at(const sar_tune_variable* v, double u)
{
    if (u <= 0.0) return v->least;
    if (u >= 1.0) return v->most;
    double value = v->logarithmic ? v->least * sari_pow(v->most / v->least, u)
                                  : v->least + u * (v->most - v->least);
    value = v->integer ? floor(value + 0.5) : four_digits(value);
    return fmin(fmax(value, v->least), v->most);
}

static double span(const sar_tune_variable* v) ///< in decades, or in tenths of the range
{
    return v->logarithmic ? sari_log10(v->most / v->least) : 10.0;
}

static void setting_at(const search* s, const double* u, double* x)
{
    for (int k = 0; k < s->def->count; k++) x[k] = value_at(&s->def->variables[k], u[k]);
}

int sar_tune_neighbour(const sar_tune_def* def, const double* setting, int k, int direction,
                       double* neighbour)
{
    const sar_tune_variable* v = &def->variables[k];
    double ratio = k == def->driver ? 1.1 : sqrt(10.0);
    double value = v->logarithmic ? setting[k] * sari_pow(ratio, direction)
                                  : setting[k] + direction * 0.1 * (v->most - v->least);
    if (v->integer) {
        value = floor(value + 0.5);
        if (value == setting[k]) value += direction;
    } else {
        value = four_digits(value);
    }
    memcpy(neighbour, setting, sizeof *setting * (size_t)def->count);
    neighbour[k] = value;
    return value >= v->least && value <= v->most;
}

/* ---- trying --------------------------------------------------------------------------------- */

static int find_trial(const search* s, const double* x)
{
    for (int k = 0; k < s->count; k++)
        if (memcmp(s->tried[k].x, x, sizeof *x * (size_t)s->def->count) == 0) return k;
    return -1;
}

/* Room for `count` settings; `where` tells for each which trial it became. */
static sar_status reserve(search* s, int count)
{
    sari_release(s->batch);
    sari_release(s->outcomes);
    sari_release(s->where);
    s->batch = SARI_NEW_ARRAY(double, (size_t)count*(size_t)s->def->count);
    s->outcomes = SARI_NEW_ARRAY(sar_tune_outcome, count);
    s->where = SARI_NEW_ARRAY(int, count);
    return s->batch && s->outcomes && s->where ? SAR_OK : SAR_E_NOMEM;
}

/* Try settings u[k], each once in the whole search. */
static sar_status try_all(search* s, int count, const double (*u)[SAR_TUNE_MOST])
{
    int width = s->def->count, first = s->count;
    SARI_TRY(reserve(s, count));
    for (int k = 0; k < count; k++) {
        trial t = {0};
        setting_at(s, u[k], t.x);
        s->where[k] = find_trial(s, t.x);
        if (s->where[k] >= 0) continue;
        if (!sari_grow((void**)&s->tried, s->count, &s->capacity, sizeof t)) return SAR_E_NOMEM;
        s->where[k] = s->count;
        s->tried[s->count++] = t;
    }
    int fresh = s->count - first;
    if (fresh == 0) return SAR_OK;
    for (int k = 0; k < fresh; k++)
        memcpy(s->batch + (size_t)k * (size_t)width, s->tried[first + k].x,
               sizeof(double) * (size_t)width);
    SARI_TRY(s->def->evaluate(s->def->context, fresh, s->batch, s->outcomes));
    for (int k = 0; k < fresh; k++) s->tried[first + k].outcome = s->outcomes[k];
    return SAR_OK;
}

static void note(search* s, lane* l, const trial* t)
{
    if (!t->outcome.passes) return;
    int is_first = !l->best.outcome.passes;
    if (is_first || t->outcome.cost < l->best.outcome.cost) l->best = *t;
    if (s->found && !(t->outcome.cost < s->best.outcome.cost)) return;
    s->found = 1;
    s->best = *t;
    memcpy(s->best_u, l->u, sizeof s->best_u);
}

/* ---- 1. the coarse grid --------------------------------------------------------------------- */

static int grid_size(const sar_tune_def* def)
{
    int size = 1;
    for (int k = 0; k < def->count; k++) {
        if (k == def->driver) continue;
        if (size > 100000 / def->points) return -1;
        size *= def->points;
    }
    return size;
}

static void grid_position(const sar_tune_def* def, int point, double* u)
{
    for (int k = 0; k < def->count; k++) {
        if (k == def->driver) continue;
        u[k] = (double)(point % def->points) / (def->points - 1);
        point /= def->points;
    }
}

/* Could this setting be cheaper than the best? */
static int promising(const search* s, const double* u)
{
    double x[SAR_TUNE_MOST];
    if (!s->found || !s->def->least_cost) return 1;
    setting_at(s, u, x);
    return s->def->least_cost(s->def->context, x) < s->best.outcome.cost;
}

/* Grid points that are still open at this value of the driver. Those that pass leave `open` and
 * become lanes. */
static sar_status try_level(search* s, double driver, double above, double (*open)[SAR_TUNE_MOST],
                            int* open_count)
{
    int count = 0;
    for (int k = 0; k < *open_count; k++) {
        if (s->def->driver >= 0) open[k][s->def->driver] = driver;
        if (promising(s, open[k])) memmove(open[count++], open[k], sizeof *open);
    }
    *open_count = count;
    if (count == 0) return SAR_OK;
    SARI_TRY(try_all(s, count, (const double(*)[SAR_TUNE_MOST])open));
    int left = 0;
    for (int k = 0; k < count; k++) {
        const trial* t = &s->tried[s->where[k]];
        if (!t->outcome.passes) {
            memmove(open[left++], open[k], sizeof *open);
            continue;
        }
        lane* l = &s->lanes[s->lane_count++];
        *l = (lane){.fails = above};
        memcpy(l->u, open[k], sizeof l->u);
        note(s, l, t);
    }
    *open_count = left;
    return SAR_OK;
}

static sar_status coarse(search* s)
{
    const sar_tune_def* def = s->def;
    int count = grid_size(def);
    s->lanes = SARI_NEW_ARRAY(lane, count);
    double(*open)[SAR_TUNE_MOST] = sari_allocate((size_t)count, sizeof *open);
    sar_status st = s->lanes && open ? SAR_OK : SAR_E_NOMEM;
    int levels = 1;
    if (def->driver >= 0) {
        levels = (int)ceil(3.0 * span(&def->variables[def->driver])) + 1;
        if (levels < def->points) levels = def->points;
        s->notch = 1.0 / (levels - 1);
    }
    for (int k = 0; st == SAR_OK && k < count; k++) grid_position(def, k, open[k]);
    for (int level = levels - 1; st == SAR_OK && level >= 0 && count > 0; level--) {
        double driver = levels > 1 ? level * s->notch : 1.0;
        st = try_level(s, driver, driver + s->notch, open, &count);
    }
    sari_release(open);
    return st;
}

/* ---- 2. bisection of the driver ------------------------------------------------------------- */

static int cheaper_lane(const void* a, const void* b)
{
    double left = ((const lane*)a)->best.outcome.cost, right = ((const lane*)b)->best.outcome.cost;
    return (left > right) - (left < right);
}

/* Cheapest first; equal ones in their order, which qsort does not promise. */
static void sort_lanes(search* s)
{
    for (int i = 1; i < s->lane_count; i++) {
        lane moving = s->lanes[i];
        int k = i;
        for (; k > 0 && cheaper_lane(&s->lanes[k - 1], &moving) > 0; k--)
            s->lanes[k] = s->lanes[k - 1];
        s->lanes[k] = moving;
    }
}

/* Where a lane is tried next; 0 when it is decided. */
static int next_driver(const search* s, const lane* l, double* u)
{
    int d = s->def->driver;
    double at = l->u[d];
    if (at >= 1.0) return 0;
    if (l->fails > 1.0 + 0.5 * s->notch) { // nothing known above: drive it up
        *u = fmin(at + s->notch, 1.0);
        return 1;
    }
    const sar_tune_variable* v = &s->def->variables[d];
    double above = fmin(l->fails, 1.0);
    if (above <= at) return 0;
    double ratio =
        v->logarithmic ? value_at(v, above) / value_at(v, at) : 1.0 + (above - at); // of the range
    *u = 0.5 * (at + above);
    return ratio > s->def->tightness && value_at(v, *u) != value_at(v, at) &&
           value_at(v, *u) != value_at(v, above);
}

static sar_status bisect(search* s)
{
    int d = s->def->driver;
    if (d < 0) return SAR_OK;
    double u[BEST_LANES + 2 * SAR_TUNE_MOST][SAR_TUNE_MOST];
    int which[BEST_LANES + 2 * SAR_TUNE_MOST];
    for (;;) {
        int count = 0;
        for (int k = 0; k < s->lane_count; k++) {
            memcpy(u[count], s->lanes[k].u, sizeof u[count]);
            if (next_driver(s, &s->lanes[k], &u[count][d])) which[count++] = k;
        }
        if (count == 0) return SAR_OK;
        SARI_TRY(try_all(s, count, (const double(*)[SAR_TUNE_MOST])u));
        for (int k = 0; k < count; k++) {
            lane* l = &s->lanes[which[k]];
            const trial* t = &s->tried[s->where[k]];
            if (t->outcome.passes)
                l->u[d] = u[k][d];
            else
                l->fails = u[k][d];
            note(s, l, t);
        }
    }
}

/* ---- 3. the other variables ----------------------------------------------------------------- */

/* Lanes for the neighbours of the best that pass at its driver. */
static sar_status search_around(search* s, double move)
{
    const sar_tune_def* def = s->def;
    double u[2 * SAR_TUNE_MOST][SAR_TUNE_MOST];
    int count = 0;
    for (int k = 0; k < def->count; k++) {
        for (int side = -1; side <= 1 && k != def->driver; side += 2) {
            memcpy(u[count], s->best_u, sizeof u[count]);
            u[count][k] += side * move;
            if (u[count][k] >= 0.0 && u[count][k] <= 1.0) count++;
        }
    }
    s->lane_count = 0;
    if (count == 0) return SAR_OK;
    SARI_TRY(try_all(s, count, (const double(*)[SAR_TUNE_MOST])u));
    for (int k = 0; k < count; k++) {
        const trial* t = &s->tried[s->where[k]];
        if (!t->outcome.passes) continue;
        lane* l = &s->lanes[s->lane_count++];
        *l = (lane){.fails = 2.0};
        memcpy(l->u, u[k], sizeof l->u);
        note(s, l, t);
    }
    return bisect(s);
}

static sar_status refine(search* s)
{
    double move = 0.5 / (s->def->points - 1);
    sari_release(s->lanes);
    s->lanes = SARI_NEW_ARRAY(lane, 2 * SAR_TUNE_MOST);
    if (!s->lanes) return SAR_E_NOMEM;
    for (int halving = 0; halving <= HALVINGS; halving++, move *= 0.5) {
        for (int k = 0; k < MOVES; k++) {
            double before = s->best.outcome.cost;
            SARI_TRY(search_around(s, move));
            if (!(s->best.outcome.cost < before)) break;
        }
    }
    return SAR_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static sar_status check(const sar_tune_def* def, sar_error* error)
{
    if (def->count < 1 || def->count > SAR_TUNE_MOST)
        return sari_fail(error, SAR_E_ARG, "variables", "expected 1 to %d variables, got %d",
                         SAR_TUNE_MOST, def->count);
    for (int k = 0; k < def->count; k++) {
        const sar_tune_variable* v = &def->variables[k];
        if (!(v->least < v->most) || (v->logarithmic && !(v->least > 0.0)) ||
            !isfinite(v->most - v->least))
            return sari_fail(error, SAR_E_ARG, "variables", "variable %d cannot go from %g to %g%s",
                             k + 1, v->least, v->most, v->logarithmic ? " in the logarithm" : "");
    }
    if (def->points < 2 || !(def->tightness > 1.0))
        return sari_fail(error, SAR_E_ARG, "points",
                         "expected at least 2 points in each variable and a tightness above 1");
    if (grid_size(def) < 0)
        return sari_fail(error, SAR_E_ARG, "points", "the coarse grid has too many points");
    return SAR_OK;
}

sar_status sar_tune(const sar_tune_def* def, sar_tune_answer* out, sar_error* error)
{
    search s = {.def = def};
    *out = (sar_tune_answer){0};
    SARI_TRY(check(def, error));
    sar_status st = coarse(&s);
    if (st == SAR_OK && s.found) {
        sort_lanes(&s);
        if (s.lane_count > BEST_LANES) s.lane_count = BEST_LANES;
        st = bisect(&s);
        if (st == SAR_OK) st = refine(&s);
    }
    if (st == SAR_E_NOMEM) sari_fail(error, st, NULL, "out of memory for the search");
    out->found = s.found;
    memcpy(out->setting, s.best.x, sizeof out->setting);
    out->outcome = s.best.outcome;
    out->tried = s.count;
    sari_release(s.tried);
    sari_release(s.lanes);
    sari_release(s.batch);
    sari_release(s.outcomes);
    sari_release(s.where);
    return st;
}
