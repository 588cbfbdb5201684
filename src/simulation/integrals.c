/* Integrals along the motion: the work of what has no potential, and outputs that are integrals over
 * time, y' = g(t, q, v).
 *
 * A step adds what Lobatto's rule gives, with as many places within the step as go with the order of
 * the integrator and of its interpolation: none (the trapezoidal rule) where it has none, two up to
 * order six, else three for work alone and six where outputs are to be known within the step. There y
 * is the integral of the polynomial through the values of g at all places, or, with few of them, the
 * cubic with y and the slopes g at both ends.
 *
 * Means are such integrals divided by the time, root mean squares those of squares. The least and the
 * largest values are searched for at the places of a step and, near a new one, on the polynomial.
 *
 * Filters, T y' = u - y, have the exact solution for the polynomial u through the places of a step of
 * size h,
 *
 *     y(x) = exp(-a x) y(0) + a integral from 0 to x of exp(-a (x - z)) u(z) dz,   a = h/T      (1)
 *
 * by the same rule on parts that are short beside T; what is 40 T ago is forgotten.
 *
 * Integrals over another quantity x(t, q, v) are those of g dx/dt, with the derivative of the polynomial
 * through the values of x at all places: by the rule they are exact for both polynomials. The trapezoidal
 * rule gives the mean of g times the change of x. */
#include "math/functions.h"
#include "simulation/simulation.h"

#include <math.h>
#include <string.h>

enum { MOST_PLACES = SARI_QUADRATURE }; ///< of a step

double sari_output_shown(const sari_output* output, double integral, double time, double integrand)
{
    const double mean = time > 0.0 ? integral / time : integrand;
    switch (output->integral) {
    case SARI_OUTPUT_MEAN:
        return mean;
    case SARI_OUTPUT_RMS:
        return sqrt(fmax(mean, 0.0));
    default:
        return integral;
    }
}

sar_status sari_integrals_create(const sar_model* model, sari_arena* memory, sari_integrals* out)
{
    int n = model->outputs_count;
    for (int i = 0; i < n; i++) out->count += model->outputs[i].integral != SARI_OUTPUT_VALUE;
    if (out->count == 0) return SAR_OK;
    out->now = SARI_TAKE(memory, double, n);
    out->before = SARI_TAKE(memory, double, n);
    out->slope = SARI_TAKE(memory, double, n);
    out->slope_before = SARI_TAKE(memory, double, n);
    out->within = SARI_TAKE(memory, double, MOST_PLACES*(size_t)n);
    out->over = SARI_TAKE(memory, double, n);
    out->over_before = SARI_TAKE(memory, double, n);
    out->over_within = SARI_TAKE(memory, double, MOST_PLACES*(size_t)n);
    return memory->failed ? SAR_E_NOMEM : SAR_OK;
}

/* g, and x, at a state; `over` may be NULL. */
static void integrands(sar_simulation* s, const sari_state* x, double* out, double* over)
{
    sari_system_signals(s->system, x->t, x->q, x->v, x->a, NULL, s->variables);
    for (int i = 0; i < s->model->outputs_count; i++) {
        const sari_output* output = &s->model->outputs[i];
        if (!output->integral) continue;
        out[i] = sari_expression_value(output->value, s->variables);
        if (output->integral == SARI_OUTPUT_RMS) out[i] *= out[i];
        if (over && output->over) over[i] = sari_expression_value(output->over, s->variables);
    }
}

static int is_extreme(const sari_output* output)
{
    return output->integral == SARI_OUTPUT_MIN || output->integral == SARI_OUTPUT_MAX;
}

void sari_integrals_archive(sar_simulation* s, sari_archive* a)
{
    sari_integrals* y = &s->integrals;
    const size_t n = (size_t)s->model->outputs_count;
    double* const each[] = {y->now, y->before, y->slope, y->slope_before, y->over, y->over_before};
    if (y->count == 0) return;
    for (int k = 0; k < 6; k++) sari_archive_numbers(a, each[k], n);
    sari_archive_numbers(a, y->within, MOST_PLACES * n);
}

void sari_integrals_start(sar_simulation* s)
{
    sari_integrals* y = &s->integrals;
    if (y->count == 0) return;
    memset(y->now, 0, (size_t)s->model->outputs_count * sizeof(double));
    integrands(s, &s->state, y->slope, y->over);
    for (int i = 0; i < s->model->outputs_count; i++)
        if (is_extreme(&s->model->outputs[i]) ||
            s->model->outputs[i].integral == SARI_OUTPUT_FILTER)
            y->now[i] = y->slope[i];
}

void sari_integrals_resume(sar_simulation* s)
{
    if (s->integrals.count) integrands(s, &s->state, s->integrals.slope, s->integrals.over);
}

/* ---- Lobatto's rule ------------------------------------------------------------------------- */

typedef sari_quadrature rule;

static const rule trapezoidal = {2, {0.0, 1.0}, {0.5, 0.5}};
static const rule lobatto4 = {4,
                              {0.0, 0.27639320225002103, 0.72360679774997897, 1.0},
                              {1.0 / 12.0, 5.0 / 12.0, 5.0 / 12.0, 1.0 / 12.0}};
static const rule lobatto5 = {5,
                              {0.0, 0.17267316464601143, 0.5, 0.82732683535398857, 1.0},
                              {0.05, 49.0 / 180.0, 16.0 / 45.0, 49.0 / 180.0, 0.05}};
static const rule lobatto8 = {8,
                              {0.0, 0.064129925745196692, 0.20414990928342885, 0.39535039104876057,
                               0.60464960895123943, 0.79585009071657115, 0.93587007425480331, 1.0},
                              {1.0 / 56.0, 0.10535211357175301, 0.17056134624175218,
                               0.20622939732935194, 0.20622939732935194, 0.17056134624175218,
                               0.10535211357175301, 1.0 / 56.0}};

static const rule* rule_of(const sar_simulation* s)
{
    if (!s->integrator->dense) return &trapezoidal;
    if (s->integrator->order < 7) return &lobatto4;
    return s->integrals.count ? &lobatto8 : &lobatto5;
}

const sari_quadrature* sari_quadrature_of(int order)
{
    if (order < 3) return &trapezoidal;
    return order < 7 ? &lobatto4 : &lobatto5;
}

/* g at place k of the last step: the ends are 0 and count - 1. */
static double* values_at(const sar_simulation* s, int k)
{
    return s->integrals.within + (size_t)k * (size_t)s->model->outputs_count;
}

static double* over_at(const sar_simulation* s, int k)
{
    return s->integrals.over_within + (size_t)k * (size_t)s->model->outputs_count;
}

/* What is integrated, at a place within the last step. */
static void sample_within(sar_simulation* s, const rule* r, int k, int works, double* work)
{
    sari_state* at = &s->between;
    sari_state_copy(at, &s->state);
    at->t = s->previous.t + r->at[k] * (s->state.t - s->previous.t);
    // work of forces takes velocities, that of drives their multipliers
    const int moving = s->integrator->dense_part && !s->integrals.count && !s->system->rheonomic &&
                       !s->system->velocity_rows;
    const int beside = moving && s->integrator->dense_beside &&
                       s->integrator->dense_beside(s->integrator_self, at->t, at);
    if (moving && !beside)
        s->integrator->dense_part(s->integrator_self, at->t, 1, at);
    else if (!beside)
        s->integrator->dense(s->integrator_self, at->t, at);
    if (works)
        *work += r->weight[k] * sari_system_power(s->system, at->t, at->q, at->v, at->lambda, NULL);
    if (s->integrals.count) integrands(s, at, values_at(s, k), over_at(s, k));
}

/* The polynomial through the values of output i at the places, at x (barycentric formula). */
static double interpolate(const sar_simulation* s, const rule* r, int i, double x)
{
    double above = 0.0, below = 0.0;
    for (int k = 0; k < r->count; k++) {
        if (x == r->at[k]) return values_at(s, k)[i];
        double weight = 1.0;
        for (int j = 0; j < r->count; j++)
            if (j != k) weight *= r->at[k] - r->at[j];
        weight = 1.0 / (weight * (x - r->at[k]));
        above += weight * values_at(s, k)[i];
        below += weight;
    }
    return above / below;
}

/* The larger of two values, or the smaller. */
static double beyond(const sari_output* output, double a, double b)
{
    return (output->integral == SARI_OUTPUT_MAX) == (a > b) ? a : b;
}

/* Where the polynomial of output i is most extreme between two parts of the step: by golden sections. */
static double extreme_between(const sar_simulation* s, const rule* r, int i, double low,
                              double high)
{
    const sari_output* output = &s->model->outputs[i];
    const double GOLDEN = 0.6180339887498949;
    double most = interpolate(s, r, i, low);
    for (int n = 0; n < 40; n++) {
        const double a = high - GOLDEN * (high - low), b = low + GOLDEN * (high - low);
        const double f = interpolate(s, r, i, a), g = interpolate(s, r, i, b);
        if (beyond(output, f, g) == f)
            high = b;
        else
            low = a;
        most = beyond(output, most, beyond(output, f, g));
    }
    return most;
}

/* The most extreme value of output i up to the part x of the last step, from `best` on. Between the neighbours of the place
 * that has it, or one end of the step and its neighbour, the polynomial may have another: where a step ends at an event, that is
 * often just there. */
static double extreme(const sar_simulation* s, const rule* r, int i, double x, double best)
{
    const sari_output* output = &s->model->outputs[i];
    double at_x = interpolate(s, r, i, x), most = at_x, least = at_x;
    int count = 0, at = -1; // places up to x; the one that has it, -1: x
    for (; count < r->count && r->at[count] < x; count++) {
        const double value = values_at(s, count)[i];
        if (beyond(output, most, value) != most) at = count, most = value;
        if (beyond(output, least, value) == least) least = value;
    }
    const double spread = most - least,
                 SMOOTH = 5e-3; // beyond an end: more is an overshoot where it jumps
    const int ends = at <= 0;
    if (count == 0 || beyond(output, most + spread, best) == best)
        return beyond(output, best, most);
    const double low = at < 0 ? r->at[count - 1] : r->at[at > 0 ? at - 1 : 0];
    const double high = at < 0 || at + 1 >= count ? x : r->at[at + 1];
    const double between = extreme_between(s, r, i, low, high);
    if (ends && fabs(between - most) > SMOOTH * fabs(spread)) return beyond(output, best, most);
    return beyond(output, beyond(output, best, most), between);
}

/* (1): output i at the part x of the last step, from y at its start. */
static double filtered(const sar_simulation* s, const rule* r, int i, double x, double h, double y)
{
    const double FORGOTTEN = 40.0, PART = 0.5;
    const double a = h / s->model->outputs[i].time_constant;
    const double from = fmax(0.0, x - FORGOTTEN / a);
    const int parts = (int)ceil(a * (x - from) / PART);
    const rule* q = &lobatto8;
    for (int p = 0; p < parts; p++) {
        const double low = from + (x - from) * p / parts, size = (x - from) / parts;
        double sum = 0.0;
        for (int k = 0; k < q->count; k++)
            sum += q->weight[k] * sari_exp(-a * size * (1.0 - q->at[k])) *
                   interpolate(s, r, i, low + size * q->at[k]);
        y = sari_exp(-a * size) * y + a * size * sum;
    }
    return y;
}

/* The derivative at place k of the polynomial through the values at all places (barycentric formula). */
static double derivative(const sar_simulation* s, const rule* r, int i, int k)
{
    double sum = 0.0;
    for (int j = 0; j < r->count; j++) {
        if (j == k) continue;
        double part = 1.0 / (r->at[j] - r->at[k]);
        for (int l = 0; l < r->count; l++)
            if (l != j && l != k) part *= (r->at[k] - r->at[l]) / (r->at[j] - r->at[l]);
        sum += part * (over_at(s, j)[i] - over_at(s, k)[i]);
    }
    return sum;
}

/* g dx/dt in the place of g, for output i and a step of size h. */
static void integrate_over(sar_simulation* s, const rule* r, int i, double h)
{
    over_at(s, 0)[i] = s->integrals.over_before[i];
    over_at(s, r->count - 1)[i] = s->integrals.over[i];
    for (int k = 0; k < r->count; k++)
        values_at(s, k)[i] *= h > 0.0 ? derivative(s, r, i, k) / h : 0.0;
}

static void add_integrals(sar_simulation* s, const rule* r, double h)
{
    sari_integrals* y = &s->integrals;
    const int n = s->model->outputs_count, last = r->count - 1;
    memcpy(values_at(s, 0), y->slope_before, (size_t)n * sizeof(double));
    memcpy(values_at(s, last), y->slope, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) {
        double mean = 0.0;
        if (s->model->outputs[i].over) integrate_over(s, r, i, h);
        if (is_extreme(&s->model->outputs[i])) {
            y->now[i] = extreme(s, r, i, 1.0, y->now[i]);
            continue;
        }
        if (s->model->outputs[i].integral == SARI_OUTPUT_FILTER) {
            y->now[i] = filtered(s, r, i, 1.0, h, y->now[i]);
            continue;
        }
        for (int k = 0; k <= last; k++) mean += r->weight[k] * values_at(s, k)[i];
        y->now[i] += h * mean;
    }
}

void sari_integrals_step(sar_simulation* s, double h, double power)
{
    const rule* r = rule_of(s);
    const sari_state* x = &s->state;
    sari_integrals* y = &s->integrals;
    const int n = s->model->outputs_count, last = r->count - 1, works = !s->system->unforced;
    if (!works && !y->count) return;
    double work = 0.0;
    if (works) {
        if (isnan(power)) power = sari_system_power(s->system, x->t, x->q, x->v, x->lambda, NULL);
        work = r->weight[0] * (s->power + power);
        s->power = power;
    }
    if (y->count) {
        memcpy(y->before, y->now, (size_t)n * sizeof(double));
        memcpy(y->slope_before, y->slope, (size_t)n * sizeof(double));
        memcpy(y->over_before, y->over, (size_t)n * sizeof(double));
        integrands(s, x, y->slope, y->over);
    }
    for (int k = 1; k < last; k++) sample_within(s, r, k, works, &work);
    s->energy.work += h * work;
    if (y->count) add_integrals(s, r, h);
}

/* ---- within the last step ------------------------------------------------------------------- */

/* Its integral from 0 to x: by the same rule, which is exact for it. */
static double integrate(const sar_simulation* s, const rule* r, int i, double x)
{
    double sum = 0.0;
    for (int k = 0; k < r->count; k++) sum += r->weight[k] * interpolate(s, r, i, x * r->at[k]);
    return x * sum;
}

void sari_integrals_at(const sar_simulation* s, double t, double* values)
{
    const sari_integrals* y = &s->integrals;
    if (y->count == 0) return;
    double h = s->state.t - s->previous.t, x = h > 0.0 ? (t - s->previous.t) / h : 1.0;
    const rule* r = rule_of(s);
    for (int i = 0; i < s->model->outputs_count; i++) {
        const sari_output* output = &s->model->outputs[i];
        if (!output->integral) continue;
        if (is_extreme(output)) {
            values[i] = extreme(s, r, i, x, y->before[i]);
            continue;
        }
        if (output->integral == SARI_OUTPUT_FILTER) {
            values[i] = filtered(s, r, i, x, h, y->before[i]);
            continue;
        }
        if (r == &lobatto8) {
            values[i] = sari_output_shown(output, y->before[i] + h * integrate(s, r, i, x),
                                          t - s->options.start, y->slope_before[i]);
            continue;
        }
        const double rise = y->now[i] - y->before[i], a = h * values_at(s, 0)[i] - rise,
                     b = rise - h * values_at(s, r->count - 1)[i];
        values[i] = sari_output_shown(
            output, y->before[i] + x * rise + x * (1.0 - x) * ((1.0 - x) * a + x * b),
            t - s->options.start, y->slope_before[i]);
    }
}
