/* What expressions of forces, conditions, and outputs that sum up a motion do within a step. A bump of a road, a field
 * that is strong in one place: a body that passes it between two evaluations of its forces feels nothing, and no
 * estimate of errors sees that. So after a step the variables of expressions are known at its ends, with their rates, and as
 * cubics in between; an enclosure of every expression along them (expression/time.h) says whether the
 * step has seen all of it. If not it is done again, half as long.
 *
 * Enclosures are wide where variables occur often. So where one says no the step is looked at in parts:
 * if no part holds more than its ends show, and the values at the ends lie on a polynomial, all is seen.
 *
 * Polynomials hide nothing; expressions of time alone are known before the step (time_functions.c).
 *
 * Guards of branches, bounds and phases that are waited for have signs that are looked at in parts of the step, and
 * where they come near to zero within one (events.c). That sees all of one that crosses zero once in a part, or on a
 * way that is convex; where an enclosure does not say so the step is halved too. */
#include "base/status.h"
#include "expression/time.h"
#include "math/vector.h"
#include "simulation/events/events.h"
#include "simulation/simulation.h"
#include "system/forces/forces.h"

#include <math.h>
#include <string.h>

typedef struct resolved {
    const sari_expression* e;
    int type, each, text; ///< of a force; -1: none, or it has no variables of its own
    unsigned use;         ///< what that text may use
    int condition;        ///< the joint that keeps it at zero; -1: none
    int guard, guards;    ///< which of the guards are its own; the branches that it is held on, ...
    bool held;            ///< ..., or zeros of it
    bool waits;           ///< that of a phase: only its zeros count
    double size;          ///< the largest |f| up to now
} resolved;

/// Variables at one end of a step.
typedef struct step_end {
    double *value, *rate;
    sari_force_state* force; ///< per expression: that of its force
} step_end;

struct sari_resolution {
    resolved* at;
    int count, variables, order;
    char* wanted;     ///< per signal
    double* gradient; ///< of a condition
    step_end end[2];
    double* later;            ///< values shortly after an end
    sari_time_series* moving; ///< all variables over a part of a step
    sari_guard_path* paths;   ///< of the guards of an expression, there
    double limit;             ///< no step goes beyond this time
    bool jumped;              ///< a road, in a step too short to be halved
};

/* ---- which ---------------------------------------------------------------------------------- */

static void add(sari_resolution* r, const sari_expression* e, int type, int each, int text,
                int condition)
{
    const int* used;
    if (!e || sari_expression_is_polynomial(e)) return;
    if (sari_expression_variables(e, &used) == 1 && used[0] == SARI_VARIABLE_T) return;
    if (r->at)
        r->at[r->count] =
            (resolved){.e = e, .type = type, .each = each, .text = text, .condition = condition};
    if (r->at && type >= 0) r->at[r->count].use = sari_force_types[type]->is.text[text].use;
    r->count++;
}

static void list(const sar_model* model, sari_resolution* r)
{
    const unsigned own = SARI_USE_SPRING | SARI_USE_PLACE | SARI_USE_GROUND | SARI_USE_SURFACE;
    r->count = 0;
    for (int t = 0; t < SARI_FORCE_TYPES; t++)
        for (int i = 0; i < model->forces[t].count; i++)
            for (int k = 0; sari_force_types[t]->is.text[k].field; k++) {
                const unsigned use = sari_force_types[t]->is.text[k].use;
                add(r, model->forces[t].at[i].expression[k], use & own ? t : -1, i, k, -1);
            }
    for (int j = 0; j < model->joints_count; j++) add(r, model->joints[j].value, -1, 0, 0, j);
    for (int k = 0; k < model->outputs_count; k++) {
        if (model->outputs[k].integral == SARI_OUTPUT_VALUE) continue;
        add(r, model->outputs[k].value, -1, 0, 0, -1);
        add(r, model->outputs[k].over, -1, 0, 0, -1);
    }
    for (int k = 0; k < model->phases_count; k++) add(r, model->phases[k].when, -1, 0, 0, -1);
}

static const sari_expression* expression_of_guard(const sar_simulation* s, const sari_guard* g)
{
    if (g->kind == SARI_GUARD_BRANCH) return sari_held_expression(s, g->index);
    if (g->kind == SARI_GUARD_PHASE) return s->model->phases[g->index].when;
    if (g->kind != SARI_GUARD_BOUND) return NULL;
    return s->model->joints[s->bounds.at[g->index].joint].value;
}

/* Guards of one expression are neighbours in the list of all. */
static void find_guards(const sar_simulation* s, resolved* at)
{
    const sari_phases* p = &s->phases;
    for (int k = p->guards - 1; k >= 0; k--) {
        if (expression_of_guard(s, &p->guard[k]) != at->e) continue;
        at->guard = k, at->guards++;
        at->held = p->guard[k].kind == SARI_GUARD_BRANCH;
        at->waits = p->guard[k].kind == SARI_GUARD_PHASE;
    }
}

static void find_wanted(sari_resolution* r)
{
    const int* used;
    for (int k = 0; k < r->count; k++) {
        const int n = sari_expression_variables(r->at[k].e, &used);
        for (int i = 0; i < n; i++)
            if (used[i] >= SARI_VARIABLE_SIGNAL) r->wanted[used[i] - SARI_VARIABLE_SIGNAL] = 1;
    }
}

sar_status sari_resolution_create(sar_simulation* s)
{
    enum { LEAST = 2 };
    const int order = s->integrator->order;
    sari_resolution* r = s->resolution = SARI_TAKE(&s->memory, sari_resolution, 1);
    if (!r) return SAR_E_NOMEM;
    if (!s->integrator->variable) return SAR_OK;
    list(s->model, r);
    if (r->count == 0) return SAR_OK;
    r->order = order < LEAST ? LEAST : order > SARI_TIME_ORDER ? SARI_TIME_ORDER : order;
    r->variables = SARI_VARIABLE_SIGNAL + s->model->signals_count;
    r->at = SARI_TAKE(&s->memory, resolved, r->count);
    r->wanted = SARI_TAKE(&s->memory, char, s->model->signals_count);
    r->later = SARI_TAKE(&s->memory, double, r->variables);
    r->gradient = SARI_TAKE(&s->memory, double, r->variables);
    for (int i = 0; i < 2; i++) {
        r->end[i].value = SARI_TAKE(&s->memory, double, r->variables);
        r->end[i].rate = SARI_TAKE(&s->memory, double, r->variables);
        r->end[i].force = SARI_TAKE(&s->memory, sari_force_state, r->count);
    }
    r->moving = SARI_TAKE(&s->memory, sari_time_series, r->variables);
    if (s->memory.failed) return SAR_E_NOMEM;
    list(s->model, r);
    find_wanted(r);
    int places = 0;
    for (int k = 0; k < r->count; k++) {
        find_guards(s, &r->at[k]);
        const int own = sari_expression_guard_places(r->at[k].e);
        places = r->at[k].held && own > places ? own : places;
    }
    r->paths = SARI_TAKE(&s->memory, sari_guard_path, places + 1);
    if (s->memory.failed) return SAR_E_NOMEM;
    return SAR_OK;
}

void sari_resolution_start(sar_simulation* s)
{
    sari_resolution* r = s->resolution;
    r->limit = INFINITY;
    for (int k = 0; k < r->count; k++) r->at[k].size = 0.0;
}

void sari_resolution_archive(sar_simulation* s, sari_archive* a)
{
    sari_resolution* r = s->resolution;
    SARI_ARCHIVE_NUMBERS(a, &r->limit);
    for (int k = 0; k < r->count; k++) SARI_ARCHIVE_NUMBERS(a, &r->at[k].size);
}

double sari_resolution_limit(const sar_simulation* s)
{
    return s->resolution->limit;
}

/* ---- variables ------------------------------------------------------------------------------ */

/* At a state, with their rates by a difference along the motion. */
static void read_end(sar_simulation* s, const sari_state* x, double h, step_end* end)
{
    const double SMALL = 1e-6; // of the step
    sari_resolution* r = s->resolution;
    const double d = SMALL * h;
    sari_move_by_series(s, x, d, &s->between);
    const sari_state* y = &s->between;
    sari_system_signals(s->system, y->t, y->q, y->v, y->a, r->wanted, r->later);
    sari_system_signals(s->system, x->t, x->q, x->v, x->a, r->wanted, end->value);
    for (int i = SARI_VARIABLE_SIGNAL; i < r->variables; i++)
        if (r->wanted[i - SARI_VARIABLE_SIGNAL]) end->rate[i] = (r->later[i] - end->value[i]) / d;
    end->value[SARI_VARIABLE_T] = x->t, end->rate[SARI_VARIABLE_T] = 1.0;
    sari_kinematics_update(s->system->kinematics, x->q, x->v, 1);
    for (int k = 0; k < r->count; k++)
        if (r->at[k].type >= 0)
            end->force[k] = sari_forces_state(s->system, r->at[k].type, r->at[k].each);
}

/// A part of a step of h, in parts of it.
typedef struct part {
    double h, from, to;
} part;

/* There, the cubic with these values and rates at the ends of the step. */
static sari_time_series cubic(const part* p, double x0, double rate0, double x1, double rate1)
{
    const double m = (x1 - x0) / p->h, c2 = (3.0 * m - 2.0 * rate0 - rate1) / p->h,
                 c3 = (rate0 + rate1 - 2.0 * m) / (p->h * p->h);
    double x[2], rate[2];
    for (int i = 0; i < 2; i++) {
        const double t = p->h * (i ? p->to : p->from);
        x[i] = x0 + t * (rate0 + t * (c2 + t * c3));
        rate[i] = rate0 + t * (2.0 * c2 + t * 3.0 * c3);
    }
    return sari_time_cubic(p->h * (p->to - p->from), x[0], rate[0], x[1], rate[1]);
}

/* x and v, or y, of a force's own. */
static void move_own(sar_simulation* s, int k, const part* p)
{
    sari_resolution* r = s->resolution;
    const resolved* f = &r->at[k];
    const sari_force_state *a = &r->end[0].force[k], *b = &r->end[1].force[k];
    sari_time_series scalar[SARI_FORCE_SCALARS], *own = &r->moving[SARI_VARIABLE_X];
    for (int i = 0; i < a->n; i++)
        scalar[i] = cubic(p, a->value[i], a->rate[i], b->value[i], b->rate[i]);
    const sari_force_type* type = sari_force_types[f->type];
    if (type->place) {
        type->place(&s->model->forces[f->type].at[f->each], s->model->dimension, f->text, r->moving,
                    scalar);
    } else { // x and its rate
        const double change = (b->rate[0] - a->rate[0]) / p->h;
        own[0] = scalar[0];
        own[1] = cubic(p, a->rate[0], change, b->rate[0], change);
    }
}

/* The variables of expression k over a part of the step. */
static void move(sar_simulation* s, int k, const part* p)
{
    sari_resolution* r = s->resolution;
    const step_end *a = &r->end[0], *b = &r->end[1];
    const int *used, n = sari_expression_variables(r->at[k].e, &used);
    r->moving[SARI_VARIABLE_T] =
        cubic(p, a->value[SARI_VARIABLE_T], 1.0, b->value[SARI_VARIABLE_T], 1.0);
    for (int j = 0; j < n; j++) {
        const int i = used[j];
        if (i >= SARI_VARIABLE_SIGNAL)
            r->moving[i] = cubic(p, a->value[i], a->rate[i], b->value[i], b->rate[i]);
    }
    if (r->at[k].type >= 0 && a->force[k].n > 0) move_own(s, k, p);
}

/* Expression k over a part of the step. `clear`: on one branch, or on those that are held. */
static sari_time_series over_part(sar_simulation* s, int k, const part* p, bool* clear)
{
    sari_resolution* r = s->resolution;
    sari_time_series f;
    move(s, k, p);
    *clear = sari_expression_along(r->at[k].e, r->moving, &f);
    return f;
}

/* At one place of the step, on the branch of that place. */
static double at_place(sar_simulation* s, int k, double h, double place)
{
    const double LITTLE = 1e-9;
    bool clear;
    return over_part(s, k, &(part){h, place, place + LITTLE}, &clear).at[0];
}

/* ---- a step --------------------------------------------------------------------------------- */

enum {
    PARTS = 16,      ///< of a step
    CUTS = 3,        ///< of parts in which branches change, one of another
    MOST_PARTS = 256 ///< of all of these
};

/* Do the values at the ends of parts lie on a polynomial? It goes through some of them, by Newton's
 * divided differences, and the others have to be near it. */
static bool is_polynomial(const double* f, double near)
{
    enum { KNOTS = 7 };
    static const int knot[KNOTS] = {0, 1, 4, 8, 12, 15, 16};
    double c[KNOTS];
    for (int i = 0; i < KNOTS; i++) c[i] = f[knot[i]];
    for (int k = 1; k < KNOTS; k++)
        for (int i = KNOTS - 1; i >= k; i--) c[i] = (c[i] - c[i - 1]) / (knot[i] - knot[i - k]);
    for (int x = 0; x <= PARTS; x++) {
        double p = c[KNOTS - 1];
        for (int i = KNOTS - 2; i >= 0; i--) p = c[i] + (x - knot[i]) * p;
        if (!(fabs(p - f[x]) <= near)) return false;
    }
    return true;
}

/* All that f reaches in a part of a step. An enclosure knows one branch: where others may begin the part is
 * cut, as often as `cuts` and `left` allow, until the parts are too short to hide anything. */
static sari_interval reach(sar_simulation* s, int k, const part* p, int cuts, int* left)
{
    bool clear;
    const sari_interval one = over_part(s, k, p, &clear).c[0];
    if (clear) return one;
    const double begin = at_place(s, k, p->h, p->from), end = at_place(s, k, p->h, p->to);
    sari_interval all = {fmin(begin, end), fmax(begin, end)};
    if (cuts > 0 && *left < PARTS) return SARI_REAL_LINE; // it has not been looked at
    *left -= cuts > 0 ? PARTS : 0;
    for (int j = 0; j < PARTS && cuts > 0; j++) {
        const double width = (p->to - p->from) / PARTS, from = p->from + j * width;
        const part of = {p->h, from, from + width};
        const sari_interval f = reach(s, k, &of, cuts - 1, left);
        all = (sari_interval){fmin(all.low, f.low), fmax(all.high, f.high)};
    }
    return all;
}

/* What it may reach in the whole step. */
static double bound_of(sar_simulation* s, int k, const part* whole)
{
    int left = MOST_PARTS;
    return sari_interval_magnitude(reach(s, k, whole, CUTS, &left));
}

/* How far values may lie beside a polynomial, in parts of their size: what is narrow may be weak as well, so that
 * no estimate of errors sees it, and two runs with different tolerances shall not see the same of it. */
static double aside(const sar_simulation* s)
{
    const double MOST = 0.03, AT_ONE = 10.0;
    return fmin(MOST, AT_ONE * sqrt(s->options.tolerance));
}

/* The same in parts: does none hold more than its ends show? */
static bool is_seen_in_parts(sar_simulation* s, int k, double h, double size)
{
    const double HIDDEN = 0.03; // of the size
    double value[PARTS + 1];
    int left = MOST_PARTS;
    for (int j = 0; j < PARTS; j++) {
        const part p = {h, (double)j / PARTS, (j + 1.0) / PARTS};
        bool clear;
        const sari_time_series f = over_part(s, k, &p, &clear);
        const sari_interval all = clear ? f.c[0] : reach(s, k, &p, CUTS - 1, &left);
        const double end = clear ? f.at[1] : at_place(s, k, h, p.to);
        const double low = fmin(f.at[0], end), high = fmax(f.at[0], end);
        const double room = HIDDEN * size + 2.0 * (high - low);
        if (!isfinite(low) || !isfinite(high)) return true; // it is looked at where it is used
        if (all.high > high + room || all.low < low - room) return false;
        value[j] = f.at[0], value[j + 1] = end;
    }
    return is_polynomial(value, aside(s) * size);
}

/* What a condition would be if its variables moved by themselves: f = 0 has no size of its own. Places move by
 * their change in the step, rates by what they are. */
static double size_of_condition(sar_simulation* s, int k)
{
    sari_resolution* r = s->resolution;
    const step_end *a = &r->end[0], *b = &r->end[1];
    const int *used, n = sari_expression_variables(r->at[k].e, &used);
    double moved[2] = {0.0}, slope[2] = {0.0};
    (void)sari_expression_gradient(r->at[k].e, b->value, r->gradient);
    for (int j = 0; j < n; j++) {
        const int i = used[j] - SARI_VARIABLE_SIGNAL;
        if (i < 0) continue;
        const int rate = s->model->signals[i].level > 0;
        const double x0 = rate ? 0.0 : a->value[used[j]], x1 = b->value[used[j]];
        moved[rate] = fmax(moved[rate], fabs(x1 - x0));
        slope[rate] = fmax(slope[rate], fabs(r->gradient[j]));
    }
    return slope[0] * moved[0] + slope[1] * moved[1];
}

/* ---- guards --------------------------------------------------------------------------------- */

/* f where it reaches zero. */
static sari_guard_path path_of(const sari_time_series* f, bool clear, const sari_guard* g)
{
    const bool simple =
        clear && (!sari_interval_contains(f->c[1], 0.0) || !sari_interval_contains(f->c[2], 0.0));
    return (sari_guard_path){.what = !sari_interval_contains(f->c[0], 0.0) ? SARI_GUARD_STAYS
                                     : simple                              ? SARI_GUARD_CROSSES
                                                                           : SARI_GUARD_UNKNOWN,
                             .left = clear && g->sign * f->at[1] < 0.0,
                             .size = sari_interval_magnitude(f->c[0])};
}

/* Of the expression of phase or bound g, of which the value at the bound is taken away. */
static sari_guard_path path_of_zero(sar_simulation* s, int k, const part* p, const sari_guard* g)
{
    bool clear;
    sari_time_series f = over_part(s, k, p, &clear);
    if (g->kind == SARI_GUARD_BOUND) {
        const sari_joint* j = &s->model->joints[s->bounds.at[g->index].joint];
        const double bound = g->side < 0 ? j->lower : j->upper;
        f.c[0] = sari_interval_subtract(f.c[0], sari_interval_of(bound, bound));
        for (int i = 0; i < 2; i++) f.at[i] = g->side < 0 ? f.at[i] - bound : bound - f.at[i];
    }
    return path_of(&f, clear, g);
}

/* The worst of the guards of expression k over a part. `left`: one of them is beyond at its end. */
static int guards_over(sar_simulation* s, int k, const part* p, bool* left)
{
    const double LITTLE = 1e-9; // beside the largest value that it has had
    sari_resolution* r = s->resolution;
    const resolved* at = &r->at[k];
    int worst = SARI_GUARD_STAYS;
    *left = false;
    if (at->held) move(s, k, p), sari_expression_guards_along(at->e, r->moving, r->paths);
    for (int i = at->guard; i < at->guard + at->guards; i++) {
        const sari_guard* g = &s->phases.guard[i];
        if (!g->live || (!at->held && g->leaves)) continue;
        const sari_guard_path path = at->held
                                         ? r->paths[sari_expression_guard_place(at->e, g->side)]
                                         : path_of_zero(s, k, p, g);
        if ((int)path.what > worst && path.size > LITTLE * g->largest) worst = path.what;
        *left |= path.left;
    }
    return worst;
}

static bool stay_in_parts(sar_simulation* s, int k, const part* p)
{
    for (int j = 0; j < PARTS; j++) {
        const double width = (p->to - p->from) / PARTS, from = p->from + j * width;
        const part of = {p->h, from, from + width};
        bool left;
        if (guards_over(s, k, &of, &left) != SARI_GUARD_STAYS) return false;
    }
    return true;
}

/* Will events.c find where its guards leave? */
static bool guards_are_seen(sar_simulation* s, int k, double h)
{
    const double SHORT = 1e-3; // of the run: a guard may be zero for long
    const int parts = sari_events_parts(s);
    if (s->resolution->at[k].guards == 0 || parts == 1) return true;
    if (h <= SHORT * (s->options.end - s->options.start)) return true;
    for (int j = 0; j < parts; j++) {
        const part p = {h, (double)j / parts, (j + 1.0) / parts};
        bool left;
        const int what = guards_over(s, k, &p, &left);
        if (what == SARI_GUARD_UNKNOWN && !stay_in_parts(s, k, &p)) return false;
        if (left) break; // the step will end there
    }
    return true;
}

/* ---- an expression -------------------------------------------------------------------------- */

static bool is_seen(sar_simulation* s, int k, double h)
{
    sari_resolution* r = s->resolution;
    resolved* f = &r->at[k];
    const part whole = {h, 0.0, 1.0};
    if (f->type >= 0 && r->end[0].force[k].n == 0) return true; // it is not there
    if (!guards_are_seen(s, k, h)) return false;
    if (f->waits) return true;
    if (f->condition >= 0 && !s->system->mechanism->active[f->condition]) return true;
    bool clear;
    const sari_time_series series = over_part(s, k, &whole, &clear);
    const double end = clear ? series.at[1] : at_place(s, k, h, 1.0);
    const double reached = fmax(fabs(series.at[0]), fabs(end));
    const double bound = clear ? sari_interval_magnitude(series.c[0]) : bound_of(s, k, &whole);
    if (f->condition >= 0)
        f->size = size_of_condition(s, k);
    else if (isfinite(reached))
        f->size = fmax(f->size, reached);
    if (clear && sari_time_series_seen(&series, h, r->order, 0, f->size)) return true;
    if (f->condition >= 0) return is_seen_in_parts(s, k, h, f->size);
    return is_seen_in_parts(
        s, k, h, isfinite(bound) ? fmax(f->size, fmin(bound, 100.0 * f->size)) : f->size);
}

static bool all_seen(sar_simulation* s, double h)
{
    sari_resolution* r = s->resolution;
    read_end(s, &s->previous, h, &r->end[0]);
    read_end(s, &s->state, h, &r->end[1]);
    for (int k = 0; k < r->count; k++)
        if (!is_seen(s, k, h)) return false;
    return true;
}

/* On a branch that is held beyond its end the motion may lead anywhere, at speeds beside which errors of what is before the
 * event are small. From rest it gains what accelerations say, or moves slowly. */
static bool explodes(const sar_simulation* s, double h)
{
    const double FACTOR = 10.0;
    const int n = s->system->nq - s->system->states;
    const double before = sari_vector_max(n, s->previous.v) + h * sari_vector_max(n, s->previous.a),
                 slow = 1.0 / (s->options.end - s->options.start);
    return s->phases.held && sari_vector_max(n, s->state.v) > FACTOR * (before + slow);
}

/* Roads and surfaces on which something stands: a step up or down changes potentials at once. */
static bool a_road_jumps(sar_simulation* s, double h)
{
    const unsigned roads = SARI_USE_PLACE | SARI_USE_GROUND | SARI_USE_SURFACE;
    sari_resolution* r = s->resolution;
    bool any = false;
    for (int k = 0; k < r->count; k++) any |= (r->at[k].use & roads) != 0;
    if (!any) return false;
    read_end(s, &s->previous, h, &r->end[0]);
    read_end(s, &s->state, h, &r->end[1]);
    for (int k = 0; k < r->count; k++)
        if ((r->at[k].use & roads) && !is_seen(s, k, h)) return true;
    return false;
}

bool sari_resolution_jumped(const sar_simulation* s)
{
    return s->resolution->jumped;
}

bool sari_resolution_seen(sar_simulation* s)
{
    const double SHORTEST = 1e-8; // of the run: where a law begins with a broken power, say
    sari_resolution* r = s->resolution;
    const double h = s->state.t - s->previous.t;
    const int short_enough = h <= SHORTEST * (s->options.end - s->options.start);
    r->jumped = short_enough && a_road_jumps(s, h);
    if (!short_enough && r->count > 0 && (explodes(s, h) || !all_seen(s, h))) {
        r->limit = s->previous.t + 0.5 * h;
        return false;
    }
    if (isfinite(r->limit)) r->limit = s->state.t + 2.0 * h;
    return true;
}
