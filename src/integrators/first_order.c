/* y = (q, p) for formulations with rates. Every evaluation of a step begins with the multipliers
 * that the last one ended with, so that dy/dt is a function of (t, y). Positions that are no vectors
 * are added as their np numbers, and rates are evaluated at the place of the manifold beside.
 *
 * Errors are measured as in a chart: those of positions in radians or sizes of the model, those of
 * velocities in the same at the pace of the motion, which is the largest velocity up to now, or the one
 * that an acceleration leads to. Errors of canonical momenta are parts of these. */
#include "integrators/first_order.h"

#include "base/status.h"
#include "math/functions.h"
#include "math/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct plain {
    sari_equations* sys;
    int np, n, m;
    const sari_coordinates* space;
    sari_formulation form;
    sari_state work;
    double* y;      ///< at the base
    double* lambda; ///< at the base
    double *sigma, pace;
    double t;       ///< [s] of the last base
    double* scale;  ///< per state of the model: its size, as the pace; 0: it counts as a velocity
    double span;    ///< [s] of the run
    double* change; ///< scratch: an error of q as a change of it
    int momenta;
} plain;

/// What a motion of usual length and growth makes of local errors, as in chart.c.
static const double ACCUMULATION = 100.0;

static int most(const void* self)
{
    const plain* p = self;
    return p->np + p->n;
}

/* dy/dt at a state. */
static void rates_of(const plain* p, const sari_state* s, double* ydot)
{
    sari_coordinates_position_rates(p->space, s->q, s->v, ydot);
    memcpy(ydot + p->np, s->pdot, (size_t)p->n * sizeof(double));
}

/* Of a state of the model; 0 for all else. */
static double scale_of(const plain* p, int i)
{
    const int state = i - (p->n - p->sys->states);
    return state >= 0 ? p->scale[state] : 0.0;
}

/* The pace only grows: what was fast once is measured by that. Accelerations count as in a chart. */
static void keep_pace(plain* p, const sari_state* s)
{
    const double LASTS = 4.0; // steps
    const double h = p->pace > 0.0 ? fabs(s->t - p->t) : INFINITY;
    p->t = s->t;
    p->pace = fmax(p->pace, 1.0 / p->span);
    sari_equations_state_scales(p->sys, s->t, s->q, s->v, p->pace, p->scale);
    for (int i = 0; i < p->n; i++) {
        if (scale_of(p, i) > 0.0) continue;
        const double a = fabs(s->a[i]);
        p->pace = fmax(p->pace, fmax(fabs(s->v[i]), fmin(sqrt(a), LASTS * h * a)));
    }
}

static sar_status base(void* self, const sari_state* s, double* y, double* ydot, int* size)
{
    plain* p = self;
    p->form.ops->begin(p->form.self, s);
    *size = p->np + p->n;
    memcpy(y, s->q, (size_t)p->np * sizeof(double));
    memcpy(y + p->np, s->p, (size_t)p->n * sizeof(double));
    memcpy(p->y, y, (size_t)*size * sizeof(double));
    memcpy(p->lambda, s->lambda, (size_t)p->m * sizeof(double));
    if (s->sigma) memcpy(p->sigma, s->sigma, (size_t)p->m * sizeof(double));
    rates_of(p, s, ydot);
    keep_pace(p, s);
    return SAR_OK;
}

static sar_status store(void* self, double t, const double* y, double* ydot, sari_state* s)
{
    plain* p = self;
    s->t = t;
    memcpy(s->q, y, (size_t)p->np * sizeof(double));
    memcpy(s->p, y + p->np, (size_t)p->n * sizeof(double));
    sari_coordinates_normalise(p->space, s->q);
    memcpy(s->lambda, p->lambda, (size_t)p->m * sizeof(double));
    if (s->sigma) memcpy(s->sigma, p->sigma, (size_t)p->m * sizeof(double));
    SARI_TRY(p->form.ops->rates->evaluate(p->form.self, s));
    if (ydot) rates_of(p, s, ydot);
    double sum = 0.0;
    for (int i = 0; i < p->n; i++) sum += s->v[i] + s->pdot[i];
    return isfinite(sum) ? SAR_OK : SAR_R_NOT_FINITE;
}

static sar_status rates(void* self, double t, const double* y, double* ydot)
{
    return store(self, t, y, ydot, &((plain*)self)->work);
}

static sar_status accept(void* self, sari_state* s)
{
    plain* p = self;
    int changed;
    SARI_TRY(p->form.ops->rates->accept(p->form.self, s, &changed));
    return changed ? p->form.ops->rates->evaluate(p->form.self, s) : SAR_OK;
}

static double norm(const void* self, const double* e)
{
    const plain* p = self;
    double largest = 0.0;
    sari_coordinates_velocities(p->space, p->y, e, p->change);
    for (int i = 0; i < p->n; i++) {
        const double* rate = p->y + p->np;
        const double unit = p->momenta ? fmax(fabs(rate[i]), 1.0) : p->pace, scale = scale_of(p, i);
        const double size = scale > 0.0 ? fabs(e[p->np + i]) / scale
                                        : fmax(fabs(p->change[i]), fabs(e[p->np + i]) / unit);
        if (!(size <= largest)) largest = size;
    }
    return ACCUMULATION * largest;
}

static double pace(const void* self)
{
    return ((const plain*)self)->pace;
}

static const sari_first_order_ops plain_ops = {
    .most = most,
    .base = base,
    .rates = rates,
    .store = store,
    .accept = accept,
    .norm = norm,
    .pace = pace,
};

sari_first_order sari_first_order_of(sari_equations* system, const sari_formulation* form,
                                     const sar_options* options, sari_arena* memory)
{
    if (form->ops->first_order) return (sari_first_order){form->ops->first_order, form->self};
    plain* p = SARI_TAKE(memory, plain, 1);
    if (!p) return (sari_first_order){&plain_ops, NULL};
    p->sys = system;
    p->scale = SARI_TAKE(memory, double, system->states);
    p->np = system->np;
    p->n = system->nq;
    p->m = system->nc;
    p->space = system->space;
    p->form = *form;
    p->span = options->end - options->start;
    p->momenta = sari_formulation_can(form->ops, SARI_FORM_MOMENTA);
    p->change = SARI_TAKE(memory, double, p->n);
    p->y = SARI_TAKE(memory, double, p->np + p->n);
    p->lambda = SARI_TAKE(memory, double, p->m);
    p->sigma = SARI_TAKE(memory, double, p->m);
    sari_state_take(&p->work, memory, system, p->momenta);
    return (sari_first_order){&plain_ops, p};
}

/* ---- for all integrators -------------------------------------------------------------------- */

sar_status sari_first_order_jacobian(const sari_first_order* ode, int size, double t,
                                     const double* y, const double* f, double* J, double* work,
                                     int* evaluations)
{
    const double SMALL = 1e-6; // in the norm of errors: half of the digits
    double *beside = work, *there = work + size;
    *evaluations = 0;
    const sar_status known =
        ode->ops->jacobian ? ode->ops->jacobian(ode->self, t, y, J) : SAR_E_INCOMPAT;
    if (known != SAR_E_INCOMPAT) return known;
    memcpy(beside, y, (size_t)size * sizeof *y);
    for (int j = 0; j < size; j++) {
        memset(there, 0, (size_t)size * sizeof *there);
        there[j] = 1.0;
        const double unit = ode->ops->norm(ode->self, there);
        beside[j] = y[j] + (unit > 0.0 ? SMALL / unit : SMALL);
        const double way = beside[j] - y[j];
        SARI_TRY(ode->ops->rates(ode->self, t, beside, there));
        ++*evaluations;
        for (int i = 0; i < size; i++) J[i * size + j] = (there[i] - f[i]) / way;
        beside[j] = y[j];
    }
    return SAR_OK;
}

/* The power method on differences of f. Of an oscillator, v and J v are alternately its place and its speed, so
 * that the growth is taken over an even number of rounds. */
double sari_first_order_radius(const sari_first_order* ode, int size, double t, const double* y,
                               const double* f, double* work, int* evaluations)
{
    enum { ROUNDS = 10, COUNTED = 4 };
    const double SMALL = 1e-6; // in the norm of errors: half of the digits
    double *v = work, *beside = work + size, *there = work + 2 * (ptrdiff_t)size;
    const double pace = ode->ops->pace(ode->self);
    double growth = 1.0;
    uint64_t random = 5;
    *evaluations = 0;
    for (int j = 0; j < size; j++) v[j] = (j < size / 2 ? 1.0 : pace) * sari_random(&random);
    for (int round = 0; round < ROUNDS; round++) {
        const double unit = ode->ops->norm(ode->self, v);
        if (!(unit > 0.0)) return unit;
        for (int j = 0; j < size; j++) beside[j] = y[j] + SMALL / unit * v[j];
        if (ode->ops->rates(ode->self, t, beside, there) != SAR_OK) return NAN;
        ++*evaluations;
        for (int j = 0; j < size; j++) v[j] = (there[j] - f[j]) / SMALL;
        if (round >= ROUNDS - COUNTED) growth *= ode->ops->norm(ode->self, v);
    }
    return sari_pow(growth, 1.0 / COUNTED);
}

/* P = P P, divided by its largest entry, whose logarithm is returned; `square` is scratch. */
static double square_matrix(int n, double* P, double* square)
{
    double largest = 0.0;
    memset(square, 0, (size_t)(n * n) * sizeof *square);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++) square[i * n + j] += P[i * n + k] * P[k * n + j];
    for (int i = 0; i < n * n; i++) largest = fmax(largest, fabs(square[i]));
    for (int i = 0; i < n * n; i++) P[i] = largest > 0.0 ? square[i] / largest : 0.0;
    return sari_log(largest);
}

/* |J^k|^(1/k) with k = 128: a matrix whose norm is a million times its radius is told 11 % too large.
 */
double sari_spectral_radius(int size, const double* J, double* work)
{
    enum { SQUARINGS = 7 };
    double* P = work;
    double largest = 0.0, sum = 0.0;
    for (int i = 0; i < size * size; i++) {
        if (!isfinite(J[i])) return NAN;
        largest = fmax(largest, fabs(J[i]));
    }
    if (largest == 0.0) return 0.0;
    for (int i = 0; i < size * size; i++) P[i] = J[i] / largest;
    for (int k = 0; k < SQUARINGS; k++)
        sum = 2.0 * sum + square_matrix(size, P, work + size * size);
    return largest * sari_exp(sum / (1 << SQUARINGS));
}

double sari_first_order_fit(const sari_first_order* ode, const sari_state* s, double h,
                            double longest_step, double left)
{
    h = fmin(h, longest_step);
    if (ode->ops->longest) h = fmin(h, ode->ops->longest(ode->self, s));
    if (h >= 0.999 * left) return left;
    return h > 0.5 * left ? 0.5 * left : h;
}

void sari_first_order_explain(const sari_given_up* why, char* text, size_t size)
{
    if (why->h == 0.0)
        text[0] = 0; // nothing was tried
    else if (why->status == SAR_OK)
        snprintf(text, size,
                 "the step became too small at t = %.9g: with h = %.1e the error is still %.2g "
                 "times what the tolerance of %.1e allows. A force jumps there or grows without "
                 "bound, or the tolerance is below the rounding of the rates; take a larger "
                 "`tolerance`, or name the time of the jump in `breakpoints`",
                 why->t, why->h, why->error, why->tolerance);
    else
        snprintf(text, size, "the step became too small at t = %.9g (h = %.1e): %s.", why->t,
                 why->h, sar_status_text(why->status));
}
