/* Within a step every evaluation begins with the multipliers that the last accepted step ended
 * with: dy/dt is a function of (t, y), rejected attempts leave no trace, and error estimates and
 * difference quotients see no memory.
 *
 * Where positions are no vectors the solver adds and stretches their np numbers all the same, and
 * rates are evaluated at the position of the manifold beside y.
 *
 * Between the ends of a step, where q, v and a are known, q is the polynomial of degree five that
 * takes these values (E v for v, and its derivative for a), v and a are its derivatives: errors
 * O(h^6), O(h^5) and O(h^4), without a further evaluation. (The interpolants of ARKODE cost one to
 * four evaluations for each time asked for, to reach O(h^5) in q.) */
#include "integrators/sundials.h"

#include "base/status.h"
#include "math/vector.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Of the time asked for: with shorter steps a run would not end.
static const double SHORTEST = 1e-10;

/* What takes the place of SUNDIALS' root mean square: the error of every component counts in full,
 * however many others are at rest. Not a number stays so. */
static double largest_weighted(N_Vector x, N_Vector w)
{
    const double *a = N_VGetArrayPointer(x), *b = N_VGetArrayPointer(w);
    double most = 0.0;
    for (sunindextype i = 0; i < N_VGetLength(x); i++) {
        double size = fabs(a[i] * b[i]);
        if (!(size <= most)) most = size;
    }
    return most;
}

/* The same for some of the components, those with a positive mask. */
static double largest_weighted_of(N_Vector x, N_Vector w, N_Vector mask)
{
    const double *a = N_VGetArrayPointer(x), *b = N_VGetArrayPointer(w);
    const double* counts = N_VGetArrayPointer(mask);
    double most = 0.0;
    for (sunindextype i = 0; i < N_VGetLength(x); i++) {
        double size = fabs(a[i] * b[i]);
        if (counts[i] > 0.0 && !(size <= most)) most = size;
    }
    return most;
}

int sari_ode_create(sari_ode* ode, sari_equations* system, const sari_formulation* form,
                    const sar_options* options)
{
    int momenta = sari_formulation_can(form->ops, SARI_FORM_MOMENTA);
    ode->np = system->np;
    ode->n = system->nq;
    ode->m = system->nc;
    ode->size = form->ops->dae ? form->ops->dae->size(form->self) : ode->np + ode->n;
    ode->coordinates = system->space;
    ode->system = system;
    ode->form = *form;
    ode->tolerance = options->tolerance;
    ode->absolute_tolerance =
        options->absolute_tolerance > 0.0 ? options->absolute_tolerance : options->tolerance;
    double span = options->end - options->start;
    ode->longest_step = options->step_max;
    ode->shortest_step = SHORTEST * span;
    if (options->step_max > 0.0) ode->shortest_step = fmin(ode->shortest_step, options->step_max);
    ode->first_step = fmax(fmin(options->step, span), ode->shortest_step);
    ode->series = SARI_TAKE(&ode->memory, double, 7 * (size_t)ode->np);
    sari_state_take(&ode->from, &ode->memory, system, momenta);
    sari_state_take(&ode->work, &ode->memory, system, momenta);
    if (ode->memory.failed || SUNContext_Create(NULL, &ode->context) != 0) return 0;
    ode->y = N_VNew_Serial(ode->size, ode->context);
    if (!ode->y) return 0;
    N_VConst(0.0, ode->y);
    ode->y->ops->nvwrmsnorm = largest_weighted;
    ode->y->ops->nvwrmsnormmask = largest_weighted_of;
    return 1;
}

void sari_ode_clear(sari_ode* ode)
{
    if (ode->y) N_VDestroy(ode->y);
    if (ode->context) SUNContext_Free(&ode->context);
}

void sari_ode_quiet(int code, const char* module, const char* function, char* message, void* self)
{
    (void)code;
    (void)module;
    (void)function;
    (void)message;
    (void)self;
}

double sari_ode_allowed(const sari_ode* ode, double y)
{
    return fmax(ode->tolerance * fabs(y), ode->absolute_tolerance);
}

int sari_ode_weights(N_Vector y, N_Vector w, void* self)
{
    const sari_ode* ode = self;
    const double* at = N_VGetArrayPointer(y);
    double* out = N_VGetArrayPointer(w);
    for (int i = 0; i < ode->size; i++) out[i] = 1.0 / sari_ode_allowed(ode, at[i]);
    return 0;
}

/* ---- rates ---------------------------------------------------------------------------------- */

static int is_same(const sari_ode* ode, const sari_state* s, const double* q, const double* p)
{
    return memcmp(s->q, q, (size_t)ode->np * sizeof *q) == 0 &&
           memcmp(s->p, p, (size_t)ode->n * sizeof *p) == 0;
}

static sar_status evaluate(sari_ode* ode, double t, const double* y)
{
    sari_state* s = &ode->work;
    s->t = t;
    memcpy(s->q, y, (size_t)ode->np * sizeof(double));
    memcpy(s->p, y + ode->np, (size_t)ode->n * sizeof(double));
    sari_coordinates_normalise(ode->coordinates, s->q);
    memcpy(s->lambda, ode->from.lambda, (size_t)ode->m * sizeof(double));
    if (s->sigma) memcpy(s->sigma, ode->from.sigma, (size_t)ode->m * sizeof(double));
    ode->evaluations++;
    SARI_TRY(ode->form.ops->rates->evaluate(ode->form.self, s));
    return sari_vector_finite(ode->n, s->v) && sari_vector_finite(ode->n, s->pdot)
               ? SAR_OK
               : SAR_R_NOT_FINITE;
}

int sari_ode_rates(double t, N_Vector y, N_Vector dydt, void* self)
{
    sari_ode* ode = self;
    const double* at = N_VGetArrayPointer(y);
    double* out = N_VGetArrayPointer(dydt);
    if (ode->resting) {
        N_VConst(0.0, dydt);
        return 0;
    }
    const int begins = ode->from.t == t && is_same(ode, &ode->from, at, at + ode->np);
    const sari_state* known = begins ? &ode->from : &ode->work;
    if (known == &ode->work) {
        sar_status st = evaluate(ode, t, at);
        if (st != SAR_OK) {
            ode->trouble = st;
            ode->trouble_time = t;
            ode->work.t = NAN; // nothing is known there
            return st > 0 ? 1 : -1;
        }
    }
    sari_coordinates_position_rates(ode->coordinates, at, known->v, out);
    memcpy(out + ode->np, known->pdot, (size_t)ode->n * sizeof(double));
    return 0;
}

/* ---- steps ---------------------------------------------------------------------------------- */

void sari_ode_load(sari_ode* ode, const sari_state* s)
{
    double* y = N_VGetArrayPointer(ode->y);
    memcpy(y, s->q, (size_t)ode->np * sizeof(double));
    memcpy(y + ode->np, s->p, (size_t)ode->n * sizeof(double));
}

void sari_ode_store(const sari_ode* ode, sari_state* s)
{
    const double* y = N_VGetArrayPointer(ode->y);
    memcpy(s->q, y, (size_t)ode->np * sizeof(double));
    memcpy(s->p, y + ode->np, (size_t)ode->n * sizeof(double));
}

int sari_ode_is_at(const sari_ode* ode, const sari_state* s)
{
    const double* y = N_VGetArrayPointer(ode->y);
    return is_same(ode, s, y, y + ode->np);
}

void sari_ode_archive(void* self, sari_archive* a)
{
    sari_ode* ode = self;
    SARI_ARCHIVE_NUMBERS(a, &ode->end);
    sari_state_archive(&ode->from, a);
}

void sari_ode_begin(sari_ode* ode, const sari_state* s)
{
    ode->form.ops->begin(ode->form.self, s);
    sari_state_copy(&ode->from, s);
    ode->work.t = NAN;
    ode->evaluations = 0;
    ode->trouble = SAR_OK;
}

sar_status sari_ode_finish(sari_ode* ode, sari_state* s, sari_step_report* report)
{
    sar_status st = SAR_OK;
    const sari_state* last = &ode->work;
    if (last->t == s->t && is_same(ode, last, s->q, s->p)) {
        sari_state_copy(s, last); // the last stage was evaluated here
    } else {
        ode->evaluations++;
        st = ode->form.ops->rates->evaluate(ode->form.self, s);
    }
    ode->end = s->t;
    report->evaluated = 1;
    report->iterations = ode->evaluations;
    return st;
}

/* ---- failures ------------------------------------------------------------------------------- */

/* ARKODE and CVODE use the same numbers for these. Other failures come from the formulation. */
enum { TOO_MUCH_ACCURACY = -2, ERROR_TEST = -3, NO_CONVERGENCE = -4 };

sar_status sari_ode_fail(sari_ode* ode, int flag, const sari_state* s, double h)
{
    ode->flag = flag;
    ode->failed_at = s->t;
    ode->failed_step = h;
    int own = flag == TOO_MUCH_ACCURACY || flag == ERROR_TEST || flag == NO_CONVERGENCE;
    return !own && ode->trouble != SAR_OK ? ode->trouble : SAR_R_NO_CONV;
}

void sari_ode_explain(const void* self, char* text, size_t size)
{
    const sari_ode* ode = self;
    double t = ode->failed_at, h = ode->failed_step;
    if (ode->flag == TOO_MUCH_ACCURACY)
        snprintf(text, size,
                 "at t = %.9g the tolerance of %.1e (absolute %.1e) asks for more digits than a "
                 "number has; take a larger `tolerance`",
                 t, ode->tolerance, ode->absolute_tolerance);
    else if (ode->flag == ERROR_TEST)
        snprintf(
            text, size,
            "the step became too small at t = %.9g: with h = %.1e the error is still above the "
            "tolerance of %.1e. The motion is not smooth there (a singular configuration, a force "
            "that jumps), or the tolerance is below the rounding of the rates; take a larger "
            "`tolerance`, or al3 with a fixed step",
            t, h, ode->tolerance);
    else if (ode->flag == NO_CONVERGENCE)
        snprintf(
            text, size,
            "the step became too small at t = %.9g: Newton's iteration does not converge with "
            "h = %.1e, as close to a singular configuration; take a larger `tolerance`, or al3 "
            "with a fixed step",
            t, h);
    else
        snprintf(text, size,
                 "the step from t = %.9g failed (code %d of SUNDIALS, h = %.1e); take another "
                 "`tolerance` or `step`",
                 t, ode->flag, h);
}

/* ---- between steps -------------------------------------------------------------------------- */

/* One component between x = 0 and x = 1, in units of the step h: q, and h v, h^2 a. */
static void quintic(const double from[3], const double to[3], double x, double out[3])
{
    // p(x) = q0 + v0 x + a0 x^2/2 + c3 x^3 + c4 x^4 + c5 x^5
    double q = to[0] - from[0] - from[1] - 0.5 * from[2];
    double v = to[1] - from[1] - from[2], a = to[2] - from[2];
    double c3 = 10 * q - 4 * v + 0.5 * a, c4 = -15 * q + 7 * v - a, c5 = 6 * q - 3 * v + 0.5 * a;
    out[0] = from[0] + x * (from[1] + x * (0.5 * from[2] + x * (c3 + x * (c4 + x * c5))));
    out[1] = from[1] + x * (from[2] + x * (3 * c3 + x * (4 * c4 + x * 5 * c5)));
    out[2] = from[2] + x * (6 * c3 + x * (12 * c4 + x * 20 * c5));
}

/* q, E(q) v, and its derivative E(q) a + (dE/dt) v; E is of first degree in q. */
static void set_series(const sari_ode* ode, const sari_state* s, double* q)
{
    const sari_coordinates* c = ode->coordinates;
    const int np = ode->np;
    double *first = q + np, *second = q + 2 * np, *by_a = ode->series + 6 * np;
    sari_coordinates_position_rates(c, s->q, s->v, first);
    for (int i = 0; i < np; i++) q[i] = s->q[i] + first[i];
    sari_coordinates_position_rates(c, q, s->v, second);
    sari_coordinates_position_rates(c, s->q, s->a, by_a);
    for (int i = 0; i < np; i++) {
        second[i] = by_a[i] + (second[i] - first[i]);
        q[i] = s->q[i];
    }
}

sar_status sari_ode_dense(void* self, double t, sari_state* s)
{
    const sari_ode* ode = self;
    const sari_coordinates* c = ode->coordinates;
    const int np = ode->np;
    double h = ode->end - ode->from.t, x = (t - ode->from.t) / h;
    double *from = ode->series, *to = from + 3 * np;
    set_series(ode, &ode->from, from);
    set_series(ode, s, to);
    for (int r = 0; r < ode->m; r++)
        s->lambda[r] = ode->from.lambda[r] + x * (s->lambda[r] - ode->from.lambda[r]);
    for (int i = 0; i < np; i++) {
        double begin[3] = {from[i], h * from[np + i], h * h * from[2 * np + i]};
        double end[3] = {to[i], h * to[np + i], h * h * to[2 * np + i]}, at[3];
        quintic(begin, end, x, at);
        s->q[i] = at[0];
        from[i] = at[1] / h;
        to[i] = at[2] / (h * h);
    }
    sari_coordinates_velocities(c, s->q, from, s->v);
    sari_coordinates_velocities(c, s->q, to, s->a);
    sari_coordinates_normalise(c, s->q);
    return SAR_OK;
}
