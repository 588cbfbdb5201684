/* Stops and bounds of joints along the curves of a map. They are no constraints: curves go on beyond them. Where a curve crosses
 * one is found by bisection of
 *
 *     g(q) = min(f - lower, upper - f)                                                          (11)
 *
 * with the coordinate or expression f that is limited; angles in the revolution that is nearest to the middle of the limits. */
#include "atlas/values.h"

#include "base/memory.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

static const double REVOLUTION = 6.283185307179586;
enum { PARTS = 4, SECTIONS = 48 }; ///< of a segment; bisections

typedef struct sari_limit {
    const char* name;
    int scalar; ///< of a stop, or of a bound on one angle; -1: `value` is evaluated
    const sari_expression* value;
    int is_angle;
    double lower, upper, unit;
} sari_limit;

struct sari_limits {
    sari_limit* limit;
    int count;
    double* variables;
};

/* ---- what is limited -------------------------------------------------------------------------- */

/* Bounds of constraints on positions, and stops. Returns their number. */
static int gather(const sari_locus* l, sari_limit* limit)
{
    const sari_mechanism* mechanism = l->sys->mechanism;
    const sar_model* m = mechanism->model;
    int count = 0;
    for (int j = 0; j < m->joints_count; j++) {
        const sari_joint* joint = &m->joints[j];
        const int* used;
        if (!joint->bounded) continue;
        if (!limit) {
            count++;
            continue;
        }
        const int one = sari_expression_variables(joint->value, &used) == 1 &&
                        sari_expression_is_variable(joint->value) &&
                        used[0] >= SARI_VARIABLE_SIGNAL;
        limit[count++] = (sari_limit){
            .name = joint->name,
            .scalar = one ? mechanism->signal_scalar[used[0] - SARI_VARIABLE_SIGNAL] : -1,
            .value = joint->value,
            .lower = joint->lower,
            .upper = joint->upper,
            .unit = sari_unit_of_condition(m, &l->start->units, j)};
    }
    for (int t = 0; t < SARI_FORCE_TYPES; t++) {
        const sari_force_type* type = sari_force_types[t];
        for (int k = 0; type->interval && k < m->forces[t].count; k++, count++) {
            const sari_force* f = &m->forces[t].at[k];
            if (!limit) continue;
            sari_limit* to = &limit[count];
            *to =
                (sari_limit){.name = f->name,
                             .unit = sari_force_turns(type, f->def) ? 1.0 : l->start->units.length};
            type->interval(f->def, &to->lower, &to->upper);
            to->scalar =
                mechanism->force_scalar[t][sari_force_scalars(type, mechanism->dimension) * k];
        }
    }
    for (int i = 0; limit && i < count; i++)
        limit[i].is_angle = limit[i].scalar >= 0 &&
                            l->sys->kinematics->scalar[limit[i].scalar].kind == SARI_SCALAR_ANGLE;
    return count;
}

sar_status sari_limits_create(sar_map* map)
{
    const sari_locus* l = &map->locus;
    const int count = gather(l, NULL);
    if (!count) return SAR_OK;
    sari_limits* x = map->limits = SARI_TAKE(&map->memory, sari_limits, 1);
    if (!x) return SAR_E_NOMEM;
    x->limit = SARI_TAKE(&map->memory, sari_limit, count);
    x->variables = SARI_TAKE(&map->memory, double,
                             SARI_VARIABLE_SIGNAL + l->sys->mechanism->model->signals_count + 1);
    if (map->memory.failed) return SAR_E_NOMEM;
    x->count = gather(l, x->limit);
    return SAR_OK;
}

/* ---- (11) ------------------------------------------------------------------------------------- */

static double value_of(sar_map* map, const sari_limit* limit)
{
    const sari_locus* l = &map->locus;
    const sari_kinematics* k = l->sys->kinematics;
    if (limit->scalar >= 0) return sari_scalar_value_of(k, limit->scalar);
    double* variables = map->limits->variables;
    const int* used;
    const int count = sari_expression_variables(limit->value, &used);
    variables[SARI_VARIABLE_T] = l->t;
    for (int i = 0; i < count; i++)
        if (used[i] >= SARI_VARIABLE_SIGNAL)
            variables[used[i]] = sari_scalar_value_of(
                k, l->sys->mechanism->signal_scalar[used[i] - SARI_VARIABLE_SIGNAL]);
    return sari_expression_value(limit->value, variables);
}

/* g where kinematics were updated last; which limit is the nearer one. */
static double gap_of(sar_map* map, const sari_limit* limit, int* upper)
{
    double f = value_of(map, limit);
    const double middle = isinf(limit->lower)   ? limit->upper
                          : isinf(limit->upper) ? limit->lower
                                                : 0.5 * (limit->lower + limit->upper);
    if (limit->is_angle && !isinf(limit->lower) && !isinf(limit->upper))
        f += REVOLUTION * floor((middle - f) / REVOLUTION + 0.5);
    *upper = limit->upper - f < f - limit->lower;
    return fmin(f - limit->lower, limit->upper - f);
}

static void go_to(sar_map* map, const double* q)
{
    sari_locus* l = &map->locus;
    memcpy(l->q, q, (size_t)l->base * sizeof *q);
    sari_kinematics_update(l->sys->kinematics, l->q, NULL, 1);
}

const char* sari_limits_beyond(sar_map* map, const double* q)
{
    static const double TOUCHES = 1e-9;
    if (!map->limits) return NULL;
    go_to(map, q);
    for (int i = 0; i < map->limits->count; i++) {
        int upper;
        if (gap_of(map, &map->limits->limit[i], &upper) < -TOUCHES)
            return map->limits->limit[i].name;
    }
    return NULL;
}

/* ---- along a curve ---------------------------------------------------------------------------- */

typedef struct search {
    sar_map* map;
    const sari_arc* arc;
    double* q; ///< and a tangent
    sar_map_stop* stop;
    int count, capacity;
    double way; ///< to the beginning of the present segment
} search;

static double gap_at(search* s, const sari_limit* limit, int i, double f, int* upper)
{
    sari_arc_between(s->map, s->arc, i, f, s->q, s->q + s->map->locus.n);
    go_to(s->map, s->q);
    return gap_of(s->map, limit, upper);
}

/* In segment i, between a, where g is ga, and b the sign of g changes. */
static int add_stop(search* s, const sari_limit* limit, int i, double a, double ga, double b)
{
    const int leaves = ga >= 0.0;
    int upper = 0;
    for (int k = 0; k < SECTIONS; k++) {
        const double x = 0.5 * (a + b);
        if ((gap_at(s, limit, i, x, &upper) >= 0.0) == leaves)
            a = x;
        else
            b = x;
    }
    if (!sari_grow((void**)&s->stop, s->count, &s->capacity, sizeof *s->stop)) return 0;
    const double at =
        (s->way + 0.5 * (a + b) * sari_arc_segment(s->map, s->arc, i)) / s->arc->length;
    int k = s->count++;
    for (; k > 0 && s->stop[k - 1].at > at; k--) s->stop[k] = s->stop[k - 1];
    s->stop[k] = (sar_map_stop){.at = at,
                                .name = limit->name,
                                .upper = upper,
                                .leaves = leaves,
                                .value = (upper ? limit->upper : limit->lower) * limit->unit,
                                .is_angle = limit->is_angle};
    return 1;
}

static int search_limit(search* s, const sari_limit* limit)
{
    int upper;
    double before = gap_at(s, limit, 0, 0.0, &upper);
    s->way = 0.0;
    for (int i = 0; i + 1 < s->arc->points; i++) {
        for (int k = 1; k <= PARTS; k++) {
            const double a = (k - 1.0) / PARTS, b = (double)k / PARTS;
            const double now = gap_at(s, limit, i, b, &upper);
            if ((now >= 0.0) != (before >= 0.0) && !add_stop(s, limit, i, a, before, b)) return 0;
            before = now;
        }
        s->way += sari_arc_segment(s->map, s->arc, i);
    }
    return 1;
}

/* The range of quantities grows by those at s->q, unless a limit other than `own` forbids it. Angles go on from `last`.
 * NULL: that alone. */
static int widen(search* s, const char* own, double* last, sar_map_range* range)
{
    const sari_values* values = s->map->values;
    const char* beyond = sari_limits_beyond(s->map, s->q);
    const int allowed = range && (!beyond || beyond == own);
    sari_values_eval(s->map, s->q, NULL);
    for (int k = 0; k < values->count; k++) {
        double x = values->now[k];
        if (values->quantity[k].is_angle) x += REVOLUTION * floor((last[k] - x) / REVOLUTION + 0.5);
        last[k] = x;
        if (!allowed) continue;
        range[k].least = fmin(range[k].least, x);
        range[k].greatest = fmax(range[k].greatest, x);
    }
    return allowed;
}

/* Stops and dead points between two places of the curve. Is one of them allowed? */
static int widen_within(search* s, const sar_map_arc* shown, double from, double to, double* last,
                        sar_map_range* range)
{
    double* t = s->q + s->map->locus.n;
    int any = 0;
    for (int i = 0; i < s->count; i++) {
        if (s->stop[i].at < from || s->stop[i].at > to) continue;
        sari_arc_at(s->map, s->arc, s->stop[i].at, s->q, t);
        any |= widen(s, s->stop[i].name, last, range);
    }
    for (int i = 0; i < shown->dead_points; i++) {
        if (shown->dead_point[i].at < from || shown->dead_point[i].at > to) continue;
        sari_arc_at(s->map, s->arc, shown->dead_point[i].at, s->q, t);
        any |= widen(s, NULL, last, range);
    }
    return any;
}

/* The segment at which to begin: of a closed curve one where it leaves what is allowed, so that angles need not jump. */
static int first_segment(search* s)
{
    double leaves = -1.0;
    for (int i = 0; i < s->count && leaves < 0.0; i++)
        if (s->arc->closed && s->stop[i].leaves) leaves = s->stop[i].at * s->arc->length;
    s->way = 0.0;
    for (int i = 0; leaves >= 0.0 && i + 1 < s->arc->points; i++) {
        const double step = sari_arc_segment(s->map, s->arc, i);
        if (s->way + step > leaves) return i;
        s->way += step;
    }
    return s->way = 0.0, 0;
}

/* Ranges of all quantities over what no limit forbids. 0: there is nothing such. */
static int find_within(search* s, const sar_map_arc* shown, double* last, sar_map_range* range)
{
    const sari_values* values = s->map->values;
    double* t = s->q + s->map->locus.n;
    const int segments = s->arc->points - 1, first = first_segment(s);
    const int around = s->arc->closed && s->count > 0; // the first segment comes again, last
    int any = 0;
    for (int k = 0; k < values->count; k++) range[k] = (sar_map_range){INFINITY, -INFINITY, 0};
    for (int j = 0; j < segments + around; j++) {
        const int i = (first + j) % segments;
        sar_map_range* grows = around && j == 0 ? NULL : range;
        if (i == 0) s->way = 0.0;
        const double from = s->way / s->arc->length;
        s->way += sari_arc_segment(s->map, s->arc, i);
        for (int k = 0; k <= PARTS; k++) {
            sari_arc_between(s->map, s->arc, i, (double)k / PARTS, s->q, t);
            any |= widen(s, NULL, last, grows);
        }
        if (grows) any |= widen_within(s, shown, from, s->way / s->arc->length, last, range);
    }
    for (int k = 0; k < values->count && any; k++) { // the middle is in the revolution about zero
        if (!values->quantity[k].is_angle) continue;
        const double turn =
            REVOLUTION *
            floor(0.5 - 0.5 * (range[k].least + range[k].greatest) / REVOLUTION + 1e-7);
        range[k].least += turn, range[k].greatest += turn;
    }
    return any;
}

sar_status sari_limits_of_arc(sar_map* map, const sari_arc* arc, sar_map_arc* out)
{
    if (!map->limits) return SAR_OK;
    sari_arena scratch = {0};
    search s = {.map = map, .arc = arc};
    s.q = SARI_TAKE(&scratch, double, 2 * map->locus.n + 1);
    sar_map_range* range = SARI_TAKE(&map->values->memory, sar_map_range, map->values->count + 1);
    double* last = SARI_TAKE(&scratch, double, map->values->count + 1);
    int ok = !scratch.failed && range;
    for (int i = 0; ok && i < map->limits->count; i++)
        ok = search_limit(&s, &map->limits->limit[i]);
    if (ok) {
        out->stops = s.count;
        out->stop = sari_arena_copy(&map->values->memory, s.stop, (size_t)s.count, sizeof *s.stop);
        const int within = find_within(&s, out, last, range);
        out->beyond = !within;
        if (within && s.count) out->within = range;
        ok = !s.count || out->stop;
    }
    sari_release(s.stop);
    sari_arena_clear(&scratch);
    return ok ? SAR_OK : SAR_E_NOMEM;
}
