/* Rows of a run with fixed steps: between the ends of a step outputs are on a line, and integrals follow the trapezoidal
 * rule. So each is a weighted sum of values of its output at the ends of steps. */
#include "sensitivity/al3/al3.h"

#include "base/status.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

static const double FEELS = 1e-12; ///< of an output: it changes
static const double STEP = 1e-3; ///< sizes or radians, and of the largest velocity and acceleration

static const sari_expression* expression_of(const sar_simulation* x, int output)
{
    return x->model->outputs[output].value;
}

/* The step in which t is: the last entry whose end is not before it. */
static int entry_at(const sari_al3_tape* tape, double t)
{
    int k = 0;
    while (k + 1 < tape->count && (tape->t[k] < t || tape->kind[k] != SARI_ENTRY_STEP)) k++;
    while (k > 0 && tape->kind[k] != SARI_ENTRY_STEP) k--;
    return k;
}

static sar_status value_at(sari_al3_gradient* m, int output, int entry, double* value)
{
    const sari_state x = sari_al3_tape_state(&m->tape, entry);
    const sar_status st = sari_outputs_of(m->own.simulation, &x, m->outputs);
    *value = m->outputs[output];
    return st;
}

/* On the line within the step. */
static void place_value(const sari_al3_tape* tape, double t, double rounding, sari_al3_row* row)
{
    const int k = entry_at(tape, t - rounding);
    const double part = k > 0 ? (t - tape->t[k - 1]) / tape->h[k] : 1.0;
    row->entry[0] = k, row->entry[1] = k > 0 ? k - 1 : 0;
    row->weight[0] = fabs(t - tape->t[k]) <= rounding ? 1.0 : part;
    row->weight[1] = 1.0 - row->weight[0];
}

/* The time of a zero: d = -(weighed change of g)/(its slope). */
static sar_status place_zero(sar_sensitivity* s, sari_al3_gradient* m, sari_al3_row* row)
{
    double now, before;
    SARI_TRY(sari_al3_tape_load(&m->tape, s->nominal.simulation,
                                sari_al3_tape_segment(&m->tape, row->entry[0])));
    SARI_TRY(value_at(m, row->output, row->entry[0], &now));
    SARI_TRY(value_at(m, row->output, row->entry[1], &before));
    const double slope = (now - before) / m->tape.h[row->entry[0]];
    for (int i = 0; i < 2; i++) row->weight[i] /= -slope;
    return isfinite(row->weight[0]) ? SAR_OK : SAR_E_MODEL;
}

/* Does it change with accelerations, at the start? */
static int feels_forces(sari_al3_gradient* m, int output)
{
    const sari_state* x = &m->own.simulation->state;
    sari_state* at = &m->beside;
    if (sari_outputs_of(m->own.simulation, x, m->outputs) != SAR_OK) return 1;
    const double plain = m->outputs[output];
    sari_state_copy(at, x);
    for (int i = 0; i < x->n; i++) at->a[i] += 0.1 * (1.0 + fabs(x->a[i]));
    if (sari_outputs_of(m->own.simulation, at, m->outputs) != SAR_OK) return 1;
    return !(fabs(m->outputs[output] - plain) <= FEELS * fabs(plain));
}

sar_status sari_al3_rows_place(sar_sensitivity* s, sari_al3_gradient* m)
{
    const sar_simulation* x = s->nominal.simulation;
    const double length = x->options.end - x->options.start;
    for (int r = 0; r < s->rows; r++) {
        const sar_objective_kind kind = s->objective[s->row[r].objective].kind;
        sari_al3_row* row = &m->row[r];
        *row = (sari_al3_row){.output = s->row[r].output};
        row->over = kind == SAR_OBJECTIVE_INTEGRAL || kind == SAR_OBJECTIVE_MEAN;
        row->output -= row->over; // the integrand is the output before it
        row->factor = kind == SAR_OBJECTIVE_MEAN ? 1.0 / length : 1.0;
        row->places = sari_signals_positional(&x->seen, expression_of(x, row->output));
        row->forced = !row->places && x->system->velocity_rows == 0 && feels_forces(m, row->output);
        const double t = kind == SAR_OBJECTIVE_TIME ? s->row[r].value : s->row[r].t;
        place_value(&m->tape, t, 1e-13 * fmax(fabs(t), length), row);
        if (kind == SAR_OBJECTIVE_TIME) SARI_TRY(place_zero(s, m, row));
    }
    return SAR_OK;
}

double sari_al3_row_weight(const sari_al3_gradient* m, int r, int entry)
{
    const sari_al3_row* row = &m->row[r];
    const sari_al3_tape* tape = &m->tape;
    if (row->over) {
        const double before = tape->kind[entry] == SARI_ENTRY_STEP ? tape->h[entry] : 0.0;
        const int next = entry + 1 < tape->count && tape->kind[entry + 1] == SARI_ENTRY_STEP;
        return 0.5 * row->factor * (before + (next ? tape->h[entry + 1] : 0.0));
    }
    double weight = 0.0;
    for (int i = 0; i < 2; i++) weight += row->entry[i] == entry ? row->weight[i] : 0.0;
    return weight;
}

sar_status sari_al3_row_times(sari_al3_gradient* m, int r, int entry, double by[2])
{
    const sari_al3_row* row = &m->row[r];
    double now, before;
    by[0] = by[1] = 0.0;
    if (!row->over && (row->entry[0] != entry || row->weight[1] == 0.0)) return SAR_OK;
    SARI_TRY(value_at(m, row->output, entry, &now));
    SARI_TRY(value_at(m, row->output, entry - 1, &before));
    if (row->over) {
        by[1] = 0.5 * row->factor * (now + before);
        by[0] = -by[1];
        return SAR_OK;
    }
    const double slope = (now - before) / m->tape.h[entry];
    by[0] = -row->weight[1] * slope, by[1] = -row->weight[0] * slope;
    return SAR_OK;
}

/* ---- slopes --------------------------------------------------------------------------------- */

/* g at the entry moved by e dx */
static sar_status value_beside(sar_simulation* sim, sari_al3_gradient* m, int output,
                               const sari_state* x, double e, const double* dx, double* value)
{
    sari_state* at = &m->beside;
    const int n = x->n;
    at->t = x->t;
    memcpy(at->lambda, x->lambda, (size_t)x->m * sizeof(double));
    for (int i = 0; i < n; i++) at->a[i] = e * dx[i];
    sari_coordinates_move(&sim->system->coordinates, x->q, at->a, at->q);
    for (int i = 0; i < n; i++) {
        at->v[i] = x->v[i] + e * dx[n + i];
        at->a[i] = x->a[i] + e * dx[2 * n + i];
    }
    const sar_status st = sari_outputs_of(sim, at, m->outputs);
    *value = m->outputs[output];
    return st;
}

static sar_status along_state(sari_al3_gradient* m, int output, const sari_state* x,
                              const double* dx, double* slope)
{
    static const double weight[] = {2.0 / 3.0, -1.0 / 12.0};
    const int n = x->n;
    const double pace = fmax(1e-3, sari_vector_max(n, x->v)),
                 jerk = fmax(1e-3, sari_vector_max(n, x->a));
    const double size = fmax(sari_vector_max(n, dx), fmax(sari_vector_max(n, dx + n) / pace,
                                                          sari_vector_max(n, dx + 2 * n) / jerk));
    const double e = STEP / size;
    *slope = 0.0;
    if (!(size > 0.0)) return SAR_OK;
    for (int k = 2; k >= 1; k--)
        for (int sign = -1; sign <= 1; sign += 2) {
            double value;
            SARI_TRY(value_beside(m->own.simulation, m, output, x, sign * k * e, dx, &value));
            *slope += sign * weight[k - 1] / e * value;
        }
    return SAR_OK;
}

/* The change of (q, v, a) that is nearest to x of those that constraints allow,
 *
 *     J dq = -Phi_p,   J dv = -rate_p - rate_q dq,   J da = -second_p - second_q dq - second_v dv        (1)
 *
 * p: NULL, no parameter is changed. */
static sar_status allow(sari_al3_gradient* m, const sari_step_terms* p, double* x)
{
    sari_step_map* map = &m->map;
    const sari_slopes* s = &map->slopes;
    const int n = m->tape.nq, nc = m->tape.nc;
    for (int part = 0; part < 3; part++) {
        double* y = x + part * n;
        const double* rows = !p ? NULL : part == 0 ? p->Phi : part == 1 ? p->rate : p->second;
        sari_slopes_times(s, s->M, y, map->f);
        for (int r = 0; r < nc; r++) map->g[r] = rows ? -rows[r] : 0.0;
        if (part > 0) sari_slopes_add_rows(s, part == 1 ? s->rate_q : s->second_q, -1.0, x, map->g);
        if (part == 2) sari_slopes_add_rows(s, s->second_v, -1.0, x + n, map->g);
        SARI_TRY(sari_saddle_solve(&map->mass, 0, map->f, map->g, y, map->mu));
    }
    return SAR_OK;
}

/* Forces of redundant joints have slopes along motions that constraints allow, and no others: rows that repeat others do so
 * there alone. So a model with another value is asked where its own constraints hold, at a change x_p of (1) across all
 * motions, and the rest of dx is a motion. Backwards, covectors that vanish on x_p are all that is needed. */
static sar_status forced_along(sari_al3_gradient* m, const sari_state* x, int output,
                               const double* dx, int k, double* slope)
{
    static const double part[SARI_AL3_TWINS] = {1.0, -1.0, 2.0, -2.0};
    const int n3 = 3 * x->n;
    double value[SARI_AL3_TWINS] = {0}, rest = 0.0;
    memset(m->xp, 0, (size_t)n3 * sizeof(double));
    if (k >= 0) {
        SARI_TRY(sari_al3_source(m, k));
        SARI_TRY(allow(m, &m->more, m->xp));
    }
    for (int i = 0; k >= 0 && i < sari_al3_twins_of(m, k); i++) {
        (void)sari_al3_twin_system(m, k, i);
        SARI_TRY(value_beside(m->twin[SARI_AL3_TWINS * k + i].simulation, m, output, x,
                              part[i] * m->change[k], m->xp, &value[i]));
    }
    for (int i = 0; dx && i < n3; i++) m->dx[i] = dx[i] - m->xp[i];
    if (dx) SARI_TRY(along_state(m, output, x, m->dx, &rest));
    *slope = rest + (k >= 0 ? sari_al3_slope(m, k, value) : 0.0);
    return SAR_OK;
}

sar_status sari_al3_row_along(sari_al3_gradient* m, int r, int entry, const double* dx, int k,
                              double* slope)
{
    const sari_state x = sari_al3_tape_state(&m->tape, entry);
    const int output = m->row[r].output;
    double value[SARI_AL3_TWINS] = {0};
    *slope = 0.0;
    if (m->row[r].forced) return forced_along(m, &x, output, dx, k, slope);
    if (dx) SARI_TRY(along_state(m, output, &x, dx, slope));
    for (int i = 0; k >= 0 && i < sari_al3_twins_of(m, k); i++) {
        (void)sari_al3_twin_system(m, k, i);
        SARI_TRY(sari_outputs_of(m->twin[SARI_AL3_TWINS * k + i].simulation, &x, m->outputs));
        value[i] = m->outputs[output];
    }
    if (k >= 0) *slope += sari_al3_slope(m, k, value);
    return SAR_OK;
}

sar_status sari_al3_row_back(sari_al3_gradient* m, int r, int entry, double weight, double* l)
{
    const sari_state x = sari_al3_tape_state(&m->tape, entry);
    const int n = x.n, count = m->row[r].places ? n : 3 * n;
    double slope;
    for (int i = 0; i < count; i++) {
        memset(m->dx, 0, 3 * (size_t)n * sizeof(double));
        m->dx[i] = 1.0;
        if (m->row[r].forced) SARI_TRY(allow(m, NULL, m->dx));
        SARI_TRY(along_state(m, m->row[r].output, &x, m->dx, &slope));
        l[i] += weight * slope;
    }
    return SAR_OK;
}
