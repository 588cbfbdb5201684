/* When phases begin. At a time: steps are fitted so that one ends there. At an event, a change of
 * sign of an expression g: after a step in which g changed its sign, its zero is found on shortened
 * steps from the same start (or on the integrator's own interpolation, where it has one), and the
 * step is done again to end there. So the order of the method is kept.
 *
 * A change of sign counts on the side of the zero where g comes from, and g has to leave zero
 * first: right after another event it may be there, up to rounding. */
#include "base/status.h"
#include "simulation/simulation.h"

#include <float.h>
#include <math.h>

static const double LEFT = 1e-6; ///< g has left zero when it has become so many times larger

static const sari_phase* awaited(const sar_simulation* s)
{
    int next = s->phases.next;
    return next < s->model->phases_count ? &s->model->phases[next] : NULL;
}

static double value_at(sar_simulation* s, const sari_phase* phase, const sari_state* x)
{
    sari_system_signals(s->system, x->t, x->q, x->v, x->a, NULL, s->variables);
    return sari_expression_value(phase->when, s->variables);
}

void sari_phases_wait(sar_simulation* s)
{
    const sari_phase* phase = awaited(s);
    s->phases.stop = INFINITY;
    s->phases.sign = 0;
    if (!phase) return;
    if (phase->when)
        s->phases.value = value_at(s, phase, &s->state);
    else
        s->phases.stop = fmax(phase->def.at, s->state.t);
}

sar_status sari_phases_begin(sar_simulation* s)
{
    while (s->phases.stop <= s->state.t) {
        SARI_TRY(sari_switch(s));
        sari_phases_wait(s);
    }
    return SAR_OK;
}

double sari_phases_stop(const sar_simulation* s)
{
    return fmin(s->phases.stop, s->options.end);
}

/* ---- events --------------------------------------------------------------------------------- */

static int sign_of(double x)
{
    return (x > 0.0) - (x < 0.0);
}

/* g at a part h of the last step, from s->previous. The state is left somewhere. */
static sar_status value_within(sar_simulation* s, const sari_phase* phase, double h, double* g)
{
    if (s->integrator->dense) {
        sari_state_copy(&s->between, &s->state);
        s->between.t = s->previous.t + h;
        SARI_TRY(s->integrator->dense(s->integrator_self, s->between.t, &s->between));
        *g = value_at(s, phase, &s->between);
        return SAR_OK;
    }
    sari_step_report report = {0};
    sari_state_copy(&s->state, &s->previous);
    s->form.ops->begin(s->form.self, NULL);
    sar_status st = sari_step(s, h, &report);
    s->statistics.iterations += report.iterations;
    if (st < 0 || st == SAR_R_SINGULAR) return st;
    *g = value_at(s, phase, &s->state);
    return isfinite(*g) ? SAR_OK : SAR_R_NOT_FINITE;
}

typedef struct bracket {
    double a, b, c, fa, fb, fc; ///< the zero is between a and b; c was one of them before
} bracket;

/* Inverse quadratic interpolation where it is safe, else the middle [chandrupatla1997]: part of the
 * way from a to b. */
static double next_part(const bracket* z)
{
    double xi = (z->a - z->b) / (z->c - z->b), phi = (z->fa - z->fb) / (z->fc - z->fb);
    if (!(1.0 - sqrt(1.0 - xi) < phi && phi < sqrt(xi))) return 0.5;
    return z->fa / (z->fb - z->fa) * z->fc / (z->fb - z->fc) +
           (z->c - z->a) / (z->b - z->a) * z->fa / (z->fc - z->fa) * z->fb / (z->fc - z->fb);
}

/* The zero in a step of length h, at whose ends g is g0 and g1; from its later side. */
static sar_status find_zero(sar_simulation* s, const sari_phase* phase, double h, double g0,
                            double g1, double* zero)
{
    enum { MOST = 100 };
    const double least = fmax(4.0 * DBL_EPSILON * fabs(s->previous.t + h), 1e-14 * h);
    bracket z = {.a = h, .b = 0.0, .fa = g1, .fb = g0};
    double part = 0.5;
    if (g1 != 0.0) part = fmin(0.999, fmax(0.001, g1 / (g1 - g0))); // the secant's zero
    for (int k = 0; k < MOST && fabs(z.b - z.a) > 2.0 * least && z.fa != 0.0; k++) {
        double x = z.a + part * (z.b - z.a), f;
        SARI_TRY(value_within(s, phase, x, &f));
        if (sign_of(f) == sign_of(z.fa))
            z.c = z.a, z.fc = z.fa;
        else
            z.c = z.b, z.fc = z.fb, z.b = z.a, z.fb = z.fa;
        z.a = x, z.fa = f;
        const double limit = fmin(0.5, least / fabs(z.b - z.a));
        part = fmin(1.0 - limit, fmax(limit, next_part(&z)));
    }
    *zero = z.fa == 0.0 || sign_of(z.fa) == sign_of(g1) ? z.a : z.b;
    return SAR_OK;
}

sar_status sari_phases_look(sar_simulation* s, int* happened, double* when)
{
    const sari_phase* phase = awaited(s);
    *happened = 0;
    if (!phase || !phase->when || isfinite(s->phases.stop)) return SAR_OK;
    const double h = s->state.t - s->previous.t, g0 = s->phases.value;
    const double g1 = value_at(s, phase, &s->state);
    int sign = s->phases.sign;
    if (sign == 0 && fabs(g0) > LEFT * fabs(g1)) sign = sign_of(g0);
    const int now = sign_of(g1);
    const sar_crossing crossing = phase->def.crossing;
    const int crosses = sign * now < 0 || (sign && !now);
    const int counts =
        crossing == SAR_CROSSING_EITHER || (crossing == SAR_CROSSING_RISING) == (sign < 0);
    if (crosses && counts) {
        double part;
        SARI_TRY(find_zero(s, phase, h, g0, g1, &part));
        *happened = 1;
        *when = s->previous.t + part;
        return SAR_OK;
    }
    s->phases.value = g1;
    if (now) s->phases.sign = now;
    return SAR_OK;
}
