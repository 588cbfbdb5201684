/* Along the run and back. */
#include "sensitivity/al3/al3.h"

#include "base/memory.h"
#include "base/names.h"
#include "base/status.h"
#include "math/vector.h"
#include "sensitivity/twins.h"
#include "system/turns.h"

#include <math.h>
#include <string.h>

static const double BROKEN =
    1e-7;            ///< of what a parameter does to the rows: these contradict each other
enum { TEST = 100 }; ///< steps after which that is looked at again
static const double FORGOTTEN = 1e-200; ///< slopes that are zero
static const double BESIDE = 1e-10;     ///< of a step: beside a time at which forces jump
static const double SOON = 1e-4;        ///< of a step: forces change little in that time
static const double JUMPS = 1e-6;       ///< of a force: more than that

/* Revolutions are counted on from the entry. Twins take them from there when they are asked. */
static void count_turns(sari_al3_gradient* m, int entry)
{
    const sari_state x = sari_al3_tape_state(&m->tape, entry);
    if (m->counts) sari_commit_angles(m->own.simulation->system, &x);
}

/* A segment is entered at its begin, or from its end. */
static sar_status enter(sar_sensitivity* s, sari_al3_gradient* m, int segment, int at_end,
                        sar_error* error)
{
    sar_simulation* x = s->nominal.simulation;
    sar_status st = sari_al3_tape_load(&m->tape, x, segment);
    if (st == SAR_OK && m->counts) st = sari_al3_tape_go(&m->tape, x, segment + at_end);
    if (st != SAR_OK)
        return sari_fail(error, st, NULL, "a part of the run cannot be repeated (%s)",
                         sar_status_text(st));
    if (m->counts) sari_turns_copy(x->system->kinematics, m->own.simulation->system->kinematics);
    return SAR_OK;
}

/* Names of the joints whose rows are left apart, into `error`. */
static sar_status name_broken(const sar_sensitivity* s, const double* apart, double most,
                              sar_error* error)
{
    const sari_system* sys = s->nominal.simulation->system;
    char names[160] = "";
    for (int r = 0; r < sys->nc; r++)
        if (fabs(apart[r]) > 0.1 * most)
            sari_add_name(names, sizeof names, sari_equations_row_name(&sys->equations, r));
    return sari_fail(error, SAR_E_MODEL, "parameter",
                     "it breaks the redundancy of %s: joints contradict each other with another "
                     "value, and there is no derivative",
                     names);
}

/* Do rows that repeat others still do so with another value? J dq = -Phi_p has a solution then. */
static sar_status test_redundancy(sar_sensitivity* s, sari_al3_gradient* m, int k, sar_error* error)
{
    sari_step_map* map = &m->map;
    const int n = m->tape.nq, nc = m->tape.nc;
    const double size = sari_vector_max(nc, m->more.Phi);
    const double rounding = 1e-12 * map->slopes.unit / m->change[k];
    if (nc == 0 || !(size > 0.0)) return SAR_OK;
    memset(map->f, 0, (size_t)n * sizeof(double));
    const sar_status st = sari_saddle_solve(&map->mass, 0, map->f, m->more.Phi, map->z, map->mu);
    const double most = sari_vector_max(nc, map->mass.apart);
    if (st != SAR_OK || !(most <= BROKEN * size + rounding))
        return name_broken(s, map->mass.apart, most, error);
    return SAR_OK;
}

/* Forces of a system before and after the break at the entry. */
static sar_status forces_about(const sari_step_map* map, sari_system* sys, double beside,
                               double* before, double* after)
{
    const sari_step_record* r = &map->at;
    const size_t bytes = (size_t)sys->nq * sizeof(double);
    SARI_TRY(sari_equations_eval(&sys->equations, SARI_EVAL_FORCE, r->t - beside, r->q, r->v));
    memcpy(before, sys->Q, bytes);
    SARI_TRY(sari_equations_eval(&sys->equations, SARI_EVAL_FORCE, r->t + beside, r->q, r->v));
    memcpy(after, sys->Q, bytes);
    return SAR_OK;
}

/* Does a force jump at the entry, and at another time where parameter k is another? Steps end there, and that time is not
 * differentiated. */
static sar_status test_break(sari_al3_gradient* m, int entry, int k, sar_error* error)
{
    const int n = m->tape.nq;
    const double beside = SOON * m->own.simulation->options.step;
    double *before = m->less.F, *after = m->far.F, *jump = m->dx;
    if (!sari_al3_tape_breaks(&m->tape, entry)) return SAR_OK;
    SARI_TRY(forces_about(&m->map, m->own.simulation->system, beside, before, after));
    for (int i = 0; i < n; i++) jump[i] = after[i] - before[i];
    const double size = sari_vector_max(n, jump);
    if (!(size > JUMPS * (sari_vector_max(n, before) + sari_vector_max(n, after)))) return SAR_OK;
    for (int j = 0; j < sari_al3_twins_of(m, k); j++) {
        SARI_TRY(forces_about(&m->map, sari_al3_twin_system(m, k, j), beside, before, after));
        for (int i = 0; i < n; i++)
            if (fabs(after[i] - before[i] - jump[i]) > 0.5 * size)
                return sari_fail(
                    error, SAR_E_MODEL, "parameter",
                    "with another value a force jumps at another time than t = %.6g, where a "
                    "step ends: steps of fixed length are not differentiated by that; the "
                    "automatic method is",
                    m->tape.t[entry]);
    }
    return SAR_OK;
}

static sar_status explain(const sar_sensitivity* s, const sari_al3_gradient* m, int entry,
                          sar_status st, sar_error* error)
{
    (void)s;
    if (st == SAR_E_MODEL && m->tape.bound[entry])
        return sari_fail(error, SAR_E_INCOMPAT, NULL,
                         "a bound is grazed at t = %.6g: there is no derivative", m->tape.t[entry]);
    if (st == SAR_E_MODEL)
        return sari_fail(
            error, SAR_E_INCOMPAT, NULL,
            "the step to t = %.6g does not solve its equations to rounding: al3 ended it "
            "near a singular configuration, its iteration came to nothing, or constraints "
            "contradict each other. Take a smaller step, or the automatic method",
            m->tape.t[entry]);
    return sari_fail(error, SAR_E_INCOMPAT, NULL,
                     "the equations of the step to t = %.6g cannot be differentiated (%s)",
                     m->tape.t[entry], sar_status_text(st));
}

/* Does the length of a step change, or the time at which motion begins? */
static int moves(const sari_al3_gradient* m, int entry)
{
    return sari_al3_tape_moves(&m->tape, entry) ||
           (m->tape.kind[entry] == SARI_ENTRY_STEP && sari_al3_tape_moves(&m->tape, entry - 1));
}

/* A step ends before forces jump, and motion begins after that. Where the run ends they may jump too. */
static sar_status find_map(sar_sensitivity* s, sari_al3_gradient* m, int entry, sar_error* error)
{
    sari_step_record r = sari_al3_tape_record(&m->tape, entry);
    const int step = m->tape.kind[entry] == SARI_ENTRY_STEP;
    const double beside = BESIDE * s->nominal.simulation->options.step, t = r.t;
    if (step && sari_al3_tape_breaks(&m->tape, entry)) r.t = t - beside;
    if (!step && entry > 0) r.t = t + beside;
    sar_status st = step ? sari_step_map_find(&m->map, &r) : sari_step_map_find_start(&m->map, &r);
    if (step && st == SAR_E_MODEL && r.t == t) {
        r.t = t - beside;
        st = sari_step_map_find(&m->map, &r);
    }
    if (st == SAR_OK && moves(m, entry)) st = sari_al3_time_source(m, step);
    return st == SAR_OK ? st : explain(s, m, entry, st, error);
}

/* ---- along ---------------------------------------------------------------------------------- */

static sar_status add_rows_along(sar_sensitivity* s, sari_al3_gradient* m, int entry, int k,
                                 const double* x, double* column)
{
    for (int r = 0; r < s->rows; r++) {
        const double weight = sari_al3_row_weight(m, r, entry);
        double slope;
        if (weight == 0.0) continue;
        SARI_TRY(sari_al3_row_along(m, r, entry, x, m->effect[k].known ? -1 : k, &slope));
        column[r] += weight * slope;
    }
    return SAR_OK;
}

/* The start's derivatives: differences of assembled twins, with what rounding of assemblies left of the constraints taken
 * out. The map is at the first entry, and m->more is what the parameter does there. */
static sar_status start_of(sari_al3_gradient* m, int k, double* x)
{
    sari_step_map* map = &m->map;
    const sari_slopes* p = &map->slopes;
    const int n = m->tape.nq, nc = m->tape.nc, held = nc - p->sys->velocity_rows;
    double *g = map->g, *dq = m->dx, *dv = m->dx + n;
    sari_al3_start_by(m, k, dq, dv);
    for (int r = 0; r < nc; r++) g[r] = r < held ? -m->more.Phi[r] : 0.0;
    for (int r = held; r < nc; r++)
        for (int j = p->J.p[r]; j < p->J.p[r + 1]; j++) g[r] += p->J.x[j] * dq[p->J.i[j]];
    sari_slopes_times(p, p->M, dq, map->f);
    SARI_TRY(sari_saddle_solve(&map->mass, 0, map->f, g, x, map->mu));
    for (int r = 0; r < nc; r++) g[r] = -m->more.rate[r];
    sari_slopes_add_rows(p, p->rate_q, -1.0, x, g);
    sari_slopes_times(p, p->M, dv, map->f);
    return sari_saddle_solve(&map->mass, 0, map->f, g, x + n, map->mu);
}

/* (1) of al3_events.c, with what the step did in x */
static sar_status meet_along(sari_al3_gradient* m, int e, int k, double* x)
{
    const int n = m->tape.nq;
    const double begin = m->dt;
    double g_t, slope;
    sari_vector_add(3 * n, -begin, m->psi_h, x);
    m->dt = 0.0;
    if (!m->tape.bound[e]) return SAR_OK;
    SARI_TRY(sari_al3_meet(m, e, &g_t, &slope));
    m->dt = -(sari_vector_dot(n, m->n, x) + sari_al3_meet_by(m, e, k)) / slope;
    sari_vector_add(3 * n, m->dt, m->psi_h, x);
    sari_vector_add(3 * n, m->dt, m->psi_t, x);
    return SAR_OK;
}

static sar_status step_along(sar_sensitivity* s, sari_al3_gradient* m, int e, int k, double* x,
                             double* column)
{
    const sari_step_source source = {&m->more, NULL, NULL};
    const double begin = m->dt;
    SARI_TRY(sari_step_map_along(&m->map, &source, x));
    if (!moves(m, e)) return SAR_OK;
    SARI_TRY(meet_along(m, e, k, x));
    for (int r = 0; r < s->rows; r++) {
        double by[2];
        SARI_TRY(sari_al3_row_times(m, r, e, by));
        column[r] += by[0] * begin + by[1] * m->dt;
    }
    return SAR_OK;
}

/* Velocities after an impact; the map is at no entry afterwards. */
static sar_status strike_along(sari_al3_gradient* m, int e, int k, double* x)
{
    const int n = m->tape.nq;
    SARI_TRY(sari_al3_impact(m, e));
    SARI_TRY(sari_al3_impact_by(m, e, k));
    for (int i = 0; i < n; i++)
        m->v[i] += sari_vector_dot(n, m->R_q + (size_t)i * (size_t)n, x) +
                   sari_vector_dot(n, m->R_v + (size_t)i * (size_t)n, x + n);
    memcpy(x + n, m->v, (size_t)n * sizeof(double));
    return SAR_OK;
}

static sar_status start_along(sari_al3_gradient* m, int e, double* x)
{
    const sari_step_source source = {&m->more, NULL, NULL};
    const int size = sari_terms_size(&m->more);
    if (moves(m, e)) sari_vector_add(size, m->dt, m->time.F, m->more.F);
    return sari_step_map_start_along(&m->map, &source, x);
}

/* One entry, with x before it and after it. */
static sar_status go_along(sar_sensitivity* s, sari_al3_gradient* m, int e, int k, double* x,
                           double* column, sar_error* error)
{
    const sari_entry_kind kind = (sari_entry_kind)m->tape.kind[e];
    sar_status st = kind == SARI_ENTRY_IMPACT ? strike_along(m, e, k, x) : SAR_OK;
    if (st != SAR_OK) return explain(s, m, e, st, error);
    SARI_TRY(find_map(s, m, e, error));
    st = sari_al3_source(m, k);
    if (st == SAR_OK && e % TEST == 1) SARI_TRY(test_redundancy(s, m, k, error));
    if (st == SAR_OK) SARI_TRY(test_break(m, e, k, error));
    if (st == SAR_OK && e == 0) st = start_of(m, k, x);
    if (st == SAR_OK)
        st = kind == SARI_ENTRY_STEP ? step_along(s, m, e, k, x, column) : start_along(m, e, x);
    if (st == SAR_OK) st = add_rows_along(s, m, e, k, x, column);
    if (st != SAR_OK) return explain(s, m, e, st, error);
    count_turns(m, e);
    return SAR_OK;
}

sar_status sari_al3_along(sar_sensitivity* s, sari_al3_gradient* m, int k, double* column,
                          sar_error* error)
{
    memset(column, 0, (size_t)s->rows * sizeof(double));
    m->dt = 0.0;
    for (int segment = 0; segment < m->tape.segments; segment++) {
        SARI_TRY(enter(s, m, segment, 0, error));
        const int last = sari_al3_tape_last(&m->tape, segment);
        for (int e = m->tape.checkpoint[segment].entry; e <= last; e++)
            SARI_TRY(go_along(s, m, e, k, m->x, column, error));
    }
    for (int r = 0; m->effect[k].known && r < s->rows; r++) column[r] += m->effect[k].row[r];
    return SAR_OK;
}

/* ---- back ----------------------------------------------------------------------------------- */

static sar_status add_rows_back(sar_sensitivity* s, sari_al3_gradient* m, int entry,
                                const double* weight, double* l, double* gradient)
{
    for (int r = 0; r < s->rows; r++) {
        const double factor = weight[r] * sari_al3_row_weight(m, r, entry);
        double slope;
        if (factor == 0.0) continue;
        SARI_TRY(sari_al3_row_back(m, r, entry, factor, l));
        for (int k = 0; k < s->parameters; k++) {
            if (isnan(gradient[k]) || m->effect[k].known) continue;
            SARI_TRY(sari_al3_row_along(m, r, entry, NULL, k, &slope));
            gradient[k] += factor * slope;
        }
    }
    return SAR_OK;
}

/* What parameter k does to an entry; NaN: it is refused, or left to its column. */
static sar_status gather_by(sar_sensitivity* s, sari_al3_gradient* m, int entry, int k,
                            double* gradient)
{
    const sari_step_source source = {&m->more, NULL, NULL};
    const int looks = entry % TEST == 1;
    sar_error why = {0};
    double slope = 0.0;
    if (looks || m->way[k] == SARI_AL3_RESIDUALS) SARI_TRY(sari_al3_source(m, k));
    if (m->way[k] == SARI_AL3_RESIDUALS) slope = sari_step_map_gather(&m->map, &source);
    if (m->way[k] == SARI_AL3_FORCES) {
        SARI_TRY(sari_al3_forces_by(m, k, m->less.F));
        slope = sari_vector_dot(m->tape.nq, m->map.x1, m->less.F);
    }
    *gradient += slope;
    const sar_status breaks = test_break(m, entry, k, &why);
    if (breaks == SAR_OK && !looks) return SAR_OK;
    if (breaks != SAR_OK || test_redundancy(s, m, k, &why) != SAR_OK) {
        sari_parameter_refuse(&s->parameter[k], why.message);
        *gradient = NAN;
    } else if (m->way[k] == SARI_AL3_NUMBERS && !m->effect[k].known &&
               !sari_al3_same_forces(m, k, m->map.at.t, m->map.at.q, m->map.at.v_star)) {
        m->way[k] = SARI_AL3_RESIDUALS;
        m->parts[k] = SARI_PARTS;
        *gradient = NAN;
    }
    return SAR_OK;
}

/* Is there anything to be asked of a parameter along the run? */
static int asks(const sar_sensitivity* s, const sari_al3_gradient* m, int k)
{
    const sari_al3_effect* x = &m->effect[k];
    return !x->known || (x->slopes.of_rows && !sari_redundancy_is_excluded(s));
}

static sar_status gather(sar_sensitivity* s, sari_al3_gradient* m, int entry, double* gradient)
{
    sari_al3_constants_add(&m->constants, &m->map);
    for (int k = 0; k < s->parameters; k++)
        if (!isnan(gradient[k]) && asks(s, m, k)) SARI_TRY(gather_by(s, m, entry, k, &gradient[k]));
    return SAR_OK;
}

/* What the time of the entry does, before the step's own transpose; *begin: what that of its begin does. */
static sar_status meet_back(sar_sensitivity* s, sari_al3_gradient* m, int e, const double* weight,
                            double* l, double* gradient, double* begin)
{
    const int n = m->tape.nq;
    double g_t, slope, by[2];
    for (int r = 0; r < s->rows; r++) {
        if (weight[r] == 0.0) continue;
        SARI_TRY(sari_al3_row_times(m, r, e, by));
        *begin += weight[r] * by[0];
        m->lt += weight[r] * by[1];
    }
    if (!m->tape.bound[e]) return SAR_OK;
    SARI_TRY(sari_al3_meet(m, e, &g_t, &slope));
    const double part =
        (m->lt + sari_vector_dot(3 * n, l, m->psi_h) + sari_vector_dot(3 * n, l, m->psi_t)) / slope;
    sari_vector_add(n, -part, m->n, l);
    for (int k = 0; k < s->parameters; k++)
        if (!isnan(gradient[k])) gradient[k] -= part * sari_al3_meet_by(m, e, k);
    return SAR_OK;
}

static sar_status step_back(sar_sensitivity* s, sari_al3_gradient* m, int e, const double* weight,
                            double* l, double* gradient)
{
    const int moved = moves(m, e);
    double begin = 0.0;
    if (moved) SARI_TRY(meet_back(s, m, e, weight, l, gradient, &begin));
    SARI_TRY(sari_step_map_back(&m->map, l));
    if (moved) {
        memset(m->less.F, 0, (size_t)sari_terms_size(&m->less) * sizeof(double));
        const sari_step_source by_length = {&m->less, m->h_v, m->h_a};
        begin -= sari_step_map_gather(&m->map, &by_length);
    }
    m->lt = begin;
    return SAR_OK;
}

static sar_status start_back(sari_al3_gradient* m, int e, double* l)
{
    const sari_step_source by_time = {&m->time, NULL, NULL};
    SARI_TRY(sari_step_map_start_back(&m->map, l));
    if (moves(m, e)) m->lt += sari_step_map_gather(&m->map, &by_time);
    return SAR_OK;
}

/* The transpose of an impact. */
static sar_status strike_back(sar_sensitivity* s, sari_al3_gradient* m, int e, double* l,
                              double* gradient)
{
    const int n = m->tape.nq;
    SARI_TRY(sari_al3_impact(m, e));
    for (int k = 0; k < s->parameters; k++) {
        if (isnan(gradient[k])) continue;
        SARI_TRY(sari_al3_impact_by(m, e, k));
        gradient[k] += sari_vector_dot(n, l + n, m->v);
    }
    memcpy(m->v, l + n, (size_t)n * sizeof(double));
    memset(l + n, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) {
        sari_vector_add(n, m->v[i], m->R_q + (size_t)i * (size_t)n, l);
        sari_vector_add(n, m->v[i], m->R_v + (size_t)i * (size_t)n, l + n);
    }
    return SAR_OK;
}

/* What a motion that is damped has long forgotten is zero before numbers have no digits any more. */
static void forget(int n, double* l)
{
    if (sari_vector_max(n, l) < FORGOTTEN) memset(l, 0, (size_t)n * sizeof(double));
}

static sar_status go_back(sar_sensitivity* s, sari_al3_gradient* m, int e, const double* weight,
                          double* l, double* gradient, sar_error* error)
{
    const sari_entry_kind kind = (sari_entry_kind)m->tape.kind[e];
    count_turns(m, e);
    forget(3 * m->tape.nq, l);
    SARI_TRY(find_map(s, m, e, error));
    sar_status st = add_rows_back(s, m, e, weight, l, gradient);
    if (st != SAR_OK) return explain(s, m, e, st, error);
    st = kind == SARI_ENTRY_STEP ? step_back(s, m, e, weight, l, gradient) : start_back(m, e, l);
    if (st == SAR_OK) st = gather(s, m, e, gradient);
    if (st == SAR_OK && kind == SARI_ENTRY_IMPACT) st = strike_back(s, m, e, l, gradient);
    return st == SAR_OK ? SAR_OK : explain(s, m, e, st, error);
}

sar_status sari_al3_back(sar_sensitivity* s, sari_al3_gradient* m, const double* weight,
                         double* gradient, sar_error* error)
{
    const int n = m->tape.nq;
    memset(m->l, 0, 3 * (size_t)n * sizeof(double));
    m->lt = 0.0;
    sari_al3_constants_begin(&m->constants);
    for (int k = 0; k < s->parameters; k++)
        gradient[k] = sari_al3_twins_of(m, k) || m->effect[k].known ? 0.0 : NAN;
    for (int segment = m->tape.segments - 1; segment >= 0; segment--) {
        SARI_TRY(enter(s, m, segment, 1, error));
        const int first = m->tape.checkpoint[segment].entry;
        for (int e = sari_al3_tape_last(&m->tape, segment); e >= first; e--)
            SARI_TRY(go_back(s, m, e, weight, m->l, gradient, error));
    }
    for (int k = 0; k < s->parameters; k++) {
        if (isnan(gradient[k])) continue;
        sar_status st = sari_al3_source(m, k);
        if (st == SAR_OK) st = start_of(m, k, m->x);
        if (st != SAR_OK) return explain(s, m, 0, st, error);
        gradient[k] += sari_vector_dot(2 * n, m->l, m->x) + sari_al3_by_numbers(m, k);
        if (m->effect[k].known) gradient[k] += sari_vector_dot(s->rows, weight, m->effect[k].row);
    }
    return SAR_OK;
}
