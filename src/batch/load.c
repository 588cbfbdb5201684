/* Simulations into lanes, and back. */
#include "base/memory.h"
#include "base/status.h"
#include "batch/lanes.h"
#include "formulations/al3.h"
#include "simulation/normal.h"
#include "system/turns.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- who may --------------------------------------------------------------------------------- */

/* Of the method. */
static const char* refuse_method(const sar_simulation* s)
{
    sari_al3_facts facts;
    if (s->form.ops != &sari_formulation_al3) return "the formulation is not al3";
    if (s->integrator != &sari_integrator_trapezoidal && s->integrator != &sari_integrator_newmark)
        return "the integrator is not trapezoidal or newmark";
    if (s->options.iterations_fixed) return "the number of iterations is fixed";
    if (s->options.profile) return "steps are timed in parts";
    const char* why = sari_al3_plain(s->form.self, &facts);
    if (why) return why;
    return facts.penalty->solver.ops == &sari_solver_dense ||
                   facts.penalty->solver.ops == &sari_solver_sparse
               ? NULL
               : "the solver is neither dense nor sparse";
}

const char* sari_lanes_refuse(const sar_simulation* s)
{
    const sari_system* sys = s->system;
    const sari_kinematics* k = sys->kinematics;
    if (!s->assembled) return "it is not assembled";
    if (sari_events_are_watched(s)) return "phases, bounds or branches are waited for";
    if (s->at_breakpoint || s->model->breakpoints_count)
        return "forces or drives jump at given times";
    if (s->contradictions) return "the drawing contradicts itself";
    if (s->integrals.count) return "outputs are integrals";
    if (s->passages) return "the method follows branches itself";
    if (s->sharing.trial > 0 || sys->threads > 1) return "threads share its steps";
    if (!sys->vectors || !k->constant) return "places of bodies are not linear in the coordinates";
    if (!sys->constant_force || !sys->unforced) return "forces other than weight act";
    if (!sys->quadratic || sys->rheonomic || sys->states)
        return "drives, couplings or states are among the equations";
    for (int i = 0; i < k->scalars; i++)
        if (sari_scalar_has_two(&k->scalar[i]) && !sari_lane_counts(&k->scalar[i]))
            return "points are followed along curves";
    return refuse_method(s);
}

/* ---- room ------------------------------------------------------------------------------------ */

enum { LINE = 64 };

/* Zeroed, from the begin of a cache line. */
static void* take_lines(sari_arena* memory, size_t bytes)
{
    char* room = SARI_TAKE(memory, char, bytes + LINE);
    const size_t past = (uintptr_t)room % LINE;
    return room ? room + (past ? LINE - past : 0) : NULL;
}

/* The next numbers; NULL as long as they are only counted. */
static sari_wide* take(sari_lanes* s, int count)
{
    sari_wide* room = s->numbers ? s->numbers + s->number_count : NULL;
    s->number_count += count + 1;
    return room;
}

/* What the factor needs besides S. */
static int factor_room(const sari_lane_matrix* at)
{
    return at->symbolic ? SARI_PANEL_WIDTH * (at->symbolic->widest + 1) : at->n;
}

static void take_matrix(sari_lanes* s, sari_lane_matrix* at, int mass)
{
    at->mass = take(s, mass);
    at->used = take(s, at->first[at->m]);
    at->scaled = take(s, at->first[at->m]);
    at->S = take(s, at->values);
    at->w = take(s, factor_room(at));
    if (at->solver == SARI_LANES_SMALL) at->u = take(s, at->n * at->n);
    sari_wide** const by_coordinate[] = {&at->inverse, &at->pivot, &at->y, &at->diagonal};
    for (size_t k = 0; k < sizeof by_coordinate / sizeof *by_coordinate; k++)
        *by_coordinate[k] = take(s, at->n);
}

/* Address of a place. */
static sari_wide* at_place(sari_wide* array, sari_lane_place place)
{
    return array + place / (int)sizeof(sari_wide);
}

static void bind_values(sari_lane_matrix* at, const sari_wide* zero)
{
    sari_lane_pair* pair = at->pair;
    for (int k = 0; k < at->value_count; k++) {
        const sari_lane_value* v = &at->value[k];
        at->bound[k] = (sari_lane_bound){.mass = v->mass < 0 ? zero : at_place(at->mass, v->mass),
                                         .to = at_place(at->S, v->place),
                                         .u = at_place(at->S, v->u),
                                         .adds = v[1].product - v[0].product,
                                         .less = at->less ? v[1].less - v[0].less : 0};
        for (int p = v[0].product; p < v[1].product; p++)
            *pair++ = (sari_lane_pair){at_place(at->scaled, at->product[p].a),
                                       at_place(at->used, at->product[p].b)};
        for (int p = v[0].less; at->less && p < v[1].less; p++)
            *pair++ =
                (sari_lane_pair){at_place(at->S, at->less[p].a), at_place(at->S, at->less[p].b)};
    }
}

static void bind_tiles(sari_lane_matrix* at, int scaled, int rows)
{
    for (int k = 0; k < scaled; k++)
        at->bound_w[k] = (sari_lane_bound_scaled){at_place(at->S, at->w_list[k].w),
                                                  at_place(at->S, at->w_list[k].L),
                                                  at_place(at->pivot, at->w_list[k].pivot)};
    for (int k = 0; k < rows; k++) {
        at->bound_row[k].i = at->tile_row[k].i;
        for (int c = 0; c < 4; c++) at->bound_row[k].L[c] = at_place(at->S, at->tile_row[k].L[c]);
    }
}

/* Addresses of all that the factor reads and writes. */
static void bind(sari_lanes* s, sari_lane_matrix* at)
{
    const sari_lane_value* end = &at->value[at->value_count];
    const int scaled = at->tiles ? at->column[at->n].scaled : 0;
    const int rows = at->tiles ? at->tile[at->tiles - 1].end[3] : 0;
    at->pair = SARI_TAKE(&s->memory, sari_lane_pair, end->product + end->less + 1);
    at->bound = SARI_TAKE(&s->memory, sari_lane_bound, at->value_count + 1);
    at->bound_w = SARI_TAKE(&s->memory, sari_lane_bound_scaled, scaled + 1);
    at->bound_row = SARI_TAKE(&s->memory, sari_lane_bound_row, rows + 1);
    if (s->memory.failed) return;
    bind_values(at, s->zero);
    bind_tiles(at, scaled, rows);
}

static void take_all(sari_lanes* s)
{
    const sari_lane_pattern* at = &s->at;
    const int n = at->n, m = at->m, entries = at->first[at->rows];
    take_matrix(s, &s->matrix, at->mass_first[n]);
    take_matrix(s, &s->normal, n);
    s->force = take(s, n);
    s->row_c = take(s, at->rows);
    s->entry_b = take(s, entries);
    for (int k = 0; k < 2; k++) s->entry_c[k] = take(s, entries);
    s->term_c = take(s, at->terms);
    sari_wide** const by_row[] = {&s->offset, &s->root, &s->lambda,   &s->lambda0, &s->g,
                                  &s->mu,     &s->Phi,  &s->residual, &s->bias};
    for (size_t k = 0; k < sizeof by_row / sizeof *by_row; k++) *by_row[k] = take(s, m);
    sari_wide** const by_coordinate[] = {&s->q, &s->v,  &s->a, &s->q0, &s->v0,  &s->a0,
                                         &s->d, &s->dq, &s->f, &s->D,  &s->last};
    for (size_t k = 0; k < sizeof by_coordinate / sizeof *by_coordinate; k++)
        *by_coordinate[k] = take(s, n);
    const int axes = at->bodies * (at->dimension == 2 ? 2 : 9);
    s->axis_0 = take(s, axes);
    s->axis_t = take(s, at->axis_first[axes]);
    s->turn_a = take(s, at->angles);
    s->turn_b = take(s, at->angles);
    s->J = take(s, at->first[m]);
    sari_wide** const alone[] = {&s->zero,         &s->half,  &s->one,     &s->two,
                                 &s->without_sign, &s->least, &s->largest, &s->least_part,
                                 &s->now_b,        &s->now_c};
    for (size_t k = 0; k < sizeof alone / sizeof *alone; k++) *alone[k] = take(s, 1);
    s->tile = take(s, 4);
    s->seen = take(s, SARI_SEEN);
    s->pool = take(s, SARI_LANES_POOL);
}

/* Constants of programs. */
static void set_constants(sari_lanes* s)
{
    const uint64_t bits = UINT64_MAX >> 1;
    for (int k = 0; k < SARI_LANES; k++) {
        s->half->x[k] = 0.5;
        s->one->x[k] = 1.0;
        s->two->x[k] = 2.0;
        s->least_part->x[k] = 4 * DBL_EPSILON;
        s->least->x[k] = 1e-300;
        s->largest->x[k] = DBL_MAX;
        memcpy(&s->without_sign->x[k], &bits, sizeof bits);
    }
}

/* All numbers in one piece of memory: a place in it is a distance from its begin. */
static void take_numbers(sari_lanes* s)
{
    take_all(s);
    s->numbers = take_lines(&s->memory, (size_t)s->number_count * sizeof(sari_wide));
    s->constant = SARI_TAKE(&s->memory, sari_lane_constant, s->number_count);
    s->where = SARI_TAKE(&s->memory, signed char, s->number_count);
    s->number_count = 0;
    if (s->memory.failed) return;
    take_all(s);
    set_constants(s);
}

sar_status sari_lanes_create(const sar_simulation* like, sari_lanes** out)
{
    sari_arena memory = {0};
    sari_lanes* s = take_lines(&memory, sizeof *s);
    sar_status st = s ? sari_lane_pattern_make(s, like, &memory) : SAR_E_NOMEM;
    if (st == SAR_OK) {
        s->memory = memory;
        take_numbers(s);
        if (!s->memory.failed) bind(s, &s->matrix);
        if (!s->memory.failed) bind(s, &s->normal);
        memory = s->memory;
        st = memory.failed ? SAR_E_NOMEM : SAR_OK;
    }
    if (st != SAR_OK) {
        sari_arena_clear(&memory);
        return st;
    }
    *out = s;
    return SAR_OK;
}

void sari_lanes_destroy(sari_lanes* lanes)
{
    if (!lanes) return;
    sari_code_release(&lanes->code);
    sari_arena memory = lanes->memory; // it is part of that itself
    sari_arena_clear(&memory);
}

/* ---- in -------------------------------------------------------------------------------------- */

static void spread(sari_wide* to, int lane, const double* from, int count)
{
    for (int k = 0; k < count; k++) to[k].x[lane] = from[k];
}

static void gather(const sari_wide* from, int lane, double* to, int count)
{
    for (int k = 0; k < count; k++) to[k] = from[k].x[lane];
}

/* A number that steps do not change. Programs rely on what is the same in all lanes. */
static void put(sari_lanes* s, sari_wide* number, int lane, double value)
{
    sari_lane_constant* known = &s->constant[number - s->numbers];
    number->x[lane] = value;
    if (known->state == SARI_LANES_UNKNOWN) {
        *known = (sari_lane_constant){SARI_LANES_SAME, value};
    } else if (known->state == SARI_LANES_SAME && !(known->value == value)) {
        known->state = SARI_LANES_DIFFERENT;
        s->programs = (sari_lane_programs){0};
    }
}

static void load_rows(sari_lanes* s, int lane, const sar_simulation* from)
{
    const sari_lane_pattern* at = &s->at;
    for (int r = 0; r < at->rows; r++) {
        const sari_lane_source x = sari_lane_row(from, r);
        const sari_quadratics* f = x.from;
        int e = f->p[x.row];
        put(s, &s->row_c[r], lane, f->row[x.row].c);
        for (int k = at->first[r]; k < at->first[r + 1]; k++, e++) {
            const sari_quadratic_entry* y = &f->entry[e];
            put(s, &s->entry_b[k], lane, y->b);
            put(s, &s->entry_c[0][k], lane, y->c[0]);
            put(s, &s->entry_c[1][k], lane, y->c[1]);
            s->at.entry[k].has |=
                (y->b != 0.0 ? SARI_LANES_B : 0) | (y->c[1] != 0.0 ? SARI_LANES_SECOND : 0);
            for (int t = 0; t < y->end - y->more; t++)
                put(s, &s->term_c[at->entry[k].more + t], lane, f->term[y->more + t].c);
        }
    }
}

static void load_axes(sari_lanes* s, int lane, const sar_simulation* from)
{
    const sari_kinematics* k = from->system->kinematics;
    const int axes = s->at.bodies * (s->at.dimension == 2 ? 2 : 9);
    for (int r = 0; r < axes; r++) {
        const int a = sari_lane_axis(from, r), first = s->at.axis_first[r];
        put(s, &s->axis_0[r], lane, k->coordinates->X0[a]);
        for (int e = first; e < s->at.axis_first[r + 1]; e++)
            put(s, &s->axis_t[e], lane, k->map.t[k->map.p[a] + e - first]);
    }
}

static void load_method(sari_lanes* s, int lane, const sar_simulation* from)
{
    const sar_options* o = &from->options;
    const int newmark = from->integrator == &sari_integrator_newmark;
    sari_al3_facts facts;
    (void)sari_al3_plain(from->form.self, &facts);
    s->own.x[lane] = facts.own;
    s->alpha.x[lane] = facts.alpha;
    s->beta.x[lane] = newmark ? o->beta : 0.25;
    s->gamma.x[lane] = newmark ? o->gamma : 0.5;
    s->tolerance.x[lane] = o->newton_tolerance;
    s->patience.x[lane] = fmin(facts.patience, o->iterations);
    s->start.x[lane] = o->start;
    s->step.x[lane] = o->step;
    for (int r = 0; r < s->at.m; r++)
        s->root[r].x[lane] = facts.penalty->weighs ? facts.penalty->root[r] : 1.0;
    if (facts.penalty->weighs && !s->weighs) s->programs = (sari_lane_programs){0};
    if (facts.penalty->weighs) s->weighs = 1;
}

static void load_statistics(sari_lanes* s, int lane, const sar_simulation* from)
{
    const sar_statistics* z = &from->statistics;
    const double now[] = {from->violation.position, from->violation.velocity,
                          from->violation.acceleration};
    const double most[] = {z->violation.position, z->violation.velocity, z->violation.acceleration};
    for (int k = 0; k < 3; k++) {
        s->violation[k].x[lane] = now[k];
        s->max_violation[k].x[lane] = most[k];
    }
    s->energy_initial.x[lane] = z->energy_initial;
    s->work.x[lane] = from->energy.work;
    s->kinetic.x[lane] = from->energy.kinetic;
    s->potential.x[lane] = from->energy.potential;
    s->balance_before.x[lane] = from->balance_before;
    s->drift.x[lane] = z->energy_final_drift;
    s->iterations.x[lane] = 0.0;
    s->correction.x[lane] = z->correction;
    s->max_drift.x[lane] = z->energy_max_drift;
    s->worst_drift.x[lane] = z->energy_worst_drift;
    s->kinetic_max.x[lane] = z->kinetic_max;
    s->energy_scale.x[lane] = z->energy_scale;
    s->lowest.x[lane] = from->lowest;
    s->highest.x[lane] = from->highest;
    s->shortest.x[lane] = z->steps ? z->step_shortest : INFINITY;
}

static void load_angles(sari_lanes* s, int lane, const sari_kinematics* k)
{
    int angle = 0;
    for (int i = 0; i < k->scalars; i++) {
        if (!sari_lane_counts(&k->scalar[i])) continue;
        s->turn_a[angle].x[lane] = k->scalar[i].last_a;
        s->turn_b[angle++].x[lane] = k->scalar[i].last_b;
    }
}

void sari_lanes_expect(sari_lanes* s, int lane, const sar_simulation* of)
{
    sari_monitor_shifts(of->monitor, &s->measure_shift.x[lane], &s->away_shift.x[lane]);
    spread(s->last, lane, sari_monitor_last(of->monitor), s->at.n);
}

void sari_lanes_reload(sari_lanes* s, int lane, const sar_simulation* from)
{
    const sari_state *x = &from->state, *y = &from->previous;
    const int n = s->at.n, m = s->at.m;
    const double* offset = from->system->slack.offset;
    spread(s->q, lane, x->q, n);
    spread(s->v, lane, x->v, n);
    spread(s->a, lane, x->a, n);
    spread(s->lambda, lane, x->lambda, m);
    spread(s->q0, lane, y->q, n);
    spread(s->v0, lane, y->v, n);
    spread(s->a0, lane, y->a, n);
    spread(s->lambda0, lane, y->lambda, m);
    s->t.x[lane] = x->t;
    s->t0.x[lane] = y->t;
    s->index.x[lane] = (double)from->step;
    for (int r = 0; r < m; r++) s->offset[r].x[lane] = offset ? offset[r] : 0.0;
    load_statistics(s, lane, from);
    load_angles(s, lane, from->system->kinematics);
    sari_lanes_expect(s, lane, from);
}

void sari_lanes_load(sari_lanes* s, int lane, const sar_simulation* from)
{
    const sari_system* sys = from->system;
    for (int k = 0; k < s->at.mass_first[s->at.n]; k++)
        s->matrix.mass[k].x[lane] = sys->M.x[s->at.mass_from[k]];
    spread(s->D, lane, sari_monitor_normal(from->monitor)->D, s->at.n);
    spread(s->force, lane, sys->gravity, s->at.n);
    s->weight_0.x[lane] = sys->gravity_0;
    s->limit.x[lane] = sari_violation_limit(from) * from->units.size;
    load_rows(s, lane, from);
    load_axes(s, lane, from);
    load_method(s, lane, from);
    sari_lanes_reload(s, lane, from);
}

/* ---- out ------------------------------------------------------------------------------------- */

void sari_lanes_show(const sari_lanes* s, int lane, sar_simulation* to)
{
    sari_state* x = &to->state;
    const sari_wide *q = s->q, *v = s->v, *a = s->a;
    double *to_q = x->q, *to_v = x->v, *to_a = x->a;
    const int n = s->at.n;
    for (int i = 0; i < n; i++) {
        to_q[i] = q[i].x[lane];
        to_v[i] = v[i].x[lane];
        to_a[i] = a[i].x[lane];
    }
    x->t = s->t.x[lane];
    to->system->kinematics->time = to->system->kinematics->counted = x->t; // all but 20 degrees
}

static void unload_statistics(const sari_lanes* s, int lane, sar_simulation* to)
{
    sar_statistics* z = &to->statistics;
    to->violation =
        (sar_violation){s->violation[0].x[lane], s->violation[1].x[lane], s->violation[2].x[lane]};
    z->violation = (sar_violation){s->max_violation[0].x[lane], s->max_violation[1].x[lane],
                                   s->max_violation[2].x[lane]};
    to->energy.kinetic = s->kinetic.x[lane];
    to->energy.potential = s->potential.x[lane];
    to->balance_before = s->balance_before.x[lane];
    to->work_before = to->energy.work;
    z->energy_final_drift = s->drift.x[lane];
    z->iterations += (long)s->iterations.x[lane];
    z->correction = s->correction.x[lane];
    z->energy_max_drift = s->max_drift.x[lane];
    z->energy_worst_drift = s->worst_drift.x[lane];
    z->kinetic_max = s->kinetic_max.x[lane];
    z->energy_scale = s->energy_scale.x[lane];
    to->lowest = s->lowest.x[lane];
    to->highest = s->highest.x[lane];
    z->step_shortest = s->shortest.x[lane];
    z->step = to->state.t - to->previous.t;
}

void sari_lanes_unload(const sari_lanes* s, int lane, sar_simulation* to, long steps)
{
    sari_state *x = &to->state, *y = &to->previous;
    const int n = s->at.n;
    if (steps == 0) return;
    sari_lanes_show(s, lane, to);
    gather(s->lambda, lane, x->lambda, s->at.m);
    gather(s->q0, lane, y->q, n);
    gather(s->v0, lane, y->v, n);
    gather(s->a0, lane, y->a, n);
    gather(s->lambda0, lane, y->lambda, s->at.m);
    y->t = s->t0.x[lane];
    unload_statistics(s, lane, to);
    to->statistics.steps += steps;
    to->step += steps;
    to->on_grid = 1;
    const double h = x->t - y->t;
    sari_al3_follow(to->form.self, 1.0 / (s->beta.x[lane] * h * h));
    to->landed = NAN;
    (void)sari_equations_eval(&to->system->equations, SARI_EVAL_DYNAMICS, x->t, x->q, x->v);
}

void sari_lanes_count_turns(sari_lanes* s, int lane, sar_simulation* of)
{
    sari_kinematics* k = of->system->kinematics;
    gather(s->q, lane, of->state.q, s->at.n);
    gather(s->v, lane, of->state.v, s->at.n);
    k->counted = s->t0.x[lane]; // until then angles moved by less than 20 degrees
    sari_kinematics_update(k, of->state.q, of->state.v, 0);
    sari_turns_commit(k, s->t.x[lane]);
    load_angles(s, lane, k);
}
