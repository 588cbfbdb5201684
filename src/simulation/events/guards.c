#include "simulation/events/guards.h"
#include "simulation/events/events.h"

#include "base/status.h"

#include <float.h>
#include <math.h>

/* g; s->variables, and for contacts reactions, are those of a state. */
double sari_guard_value(sar_simulation* s, const sari_guard* g)
{
    if (g->kind == SARI_GUARD_PHASE)
        return sari_expression_value(s->model->phases[g->index].when, s->variables);
    if (g->kind == SARI_GUARD_BRANCH) return sari_held_guard(s, g->index, g->side);
    if (g->kind == SARI_GUARD_KINK) return sari_kinks_value(s, g->index, g->side);
    const sari_bound* b = &s->bounds.at[g->index];
    if (g->kind == SARI_GUARD_BOUND) return sari_bound_gap(s, b, g->side);
    return s->bounds.no_force - b->closed * sari_reaction_along(s->reactions, b->joint);
}

static int wants_reactions(const sar_simulation* s)
{
    for (int k = 0; k < s->bounds.count; k++)
        if (s->bounds.at[k].closed) return 1;
    return 0;
}

sar_status sari_guards_evaluate(sar_simulation* s, const sari_state* x)
{
    sari_system_signals(s->system, x->t, x->q, x->v, x->a, NULL, s->variables);
    if (s->phases.held || s->phases.kinks)
        sari_kinematics_update(s->system->kinematics, x->q, x->v, 1);
    if (!wants_reactions(s)) return SAR_OK;
    s->reactions_time = NAN;
    return sari_reactions_solve(s->reactions, x);
}

int sari_guard_counts(const sar_simulation* s, const sari_guard* g, int from)
{
    if (g->kind == SARI_GUARD_BRANCH || g->kind == SARI_GUARD_KINK) return 1;
    if (g->kind != SARI_GUARD_PHASE) return from > 0;
    const sar_crossing crossing = s->model->phases[g->index].def.crossing;
    return crossing == SAR_CROSSING_EITHER || (crossing == SAR_CROSSING_RISING) == (from < 0);
}

/* ---- zeros ---------------------------------------------------------------------------------- */

sar_status sari_guards_within(sar_simulation* s, double h)
{
    if (s->integrator->dense && !s->by_series) {
        const int part = s->integrator->dense_part && !wants_reactions(s);
        sari_state_copy(&s->between, &s->state);
        s->between.t = s->previous.t + h;
        SARI_TRY(part ? s->integrator->dense_part(s->integrator_self, s->between.t, 1, &s->between)
                      : s->integrator->dense(s->integrator_self, s->between.t, &s->between));
        return sari_guards_evaluate(s, &s->between);
    }
    sari_step_report report = {0};
    sari_state_copy(&s->state, &s->previous);
    s->form.ops->begin(s->form.self, NULL);
    sar_status st = sari_step(s, h, &report);
    s->statistics.iterations += report.iterations;
    if (st < 0 || st == SAR_R_SINGULAR) return st;
    return sari_guards_evaluate(s, &s->state);
}

/* g at a part h of the last step. */
static sar_status value_within(sar_simulation* s, const sari_guard* guard, double h, double* g)
{
    SARI_TRY(sari_guards_within(s, h));
    *g = sari_guard_value(s, guard);
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

/* The zero in it, from its later side. */
static sar_status find_zero(sar_simulation* s, const sari_guard* guard, const sari_guarded_time* p,
                            double* zero)
{
    enum { MOST = 100 };
    const double h = p->to, g0 = p->g0, g1 = p->g1;
    const double least = fmax(4.0 * DBL_EPSILON * fabs(s->previous.t + h), 1e-14 * h);
    bracket z = {.a = h, .b = p->from, .fa = g1, .fb = g0};
    double part = 0.5;
    if (g1 != 0.0) part = fmin(0.999, fmax(0.001, g1 / (g1 - g0))); // the secant's zero
    for (int k = 0; k < MOST && fabs(z.b - z.a) > 2.0 * least && z.fa != 0.0; k++) {
        double x = z.a + part * (z.b - z.a), f;
        SARI_TRY(value_within(s, guard, x, &f));
        if (sari_side(f) == sari_side(z.fa))
            z.c = z.a, z.fc = z.fa;
        else
            z.c = z.b, z.fc = z.fb, z.b = z.a, z.fb = z.fa;
        z.a = x, z.fa = f;
        const double limit = fmin(0.5, least / fabs(z.b - z.a));
        part = fmin(1.0 - limit, fmax(limit, next_part(&z)));
    }
    *zero = z.fa == 0.0 || sari_side(z.fa) == sari_side(g1) ? z.a : z.b;
    return SAR_OK;
}

/* It left zero, and has crossed it again at p->to: where was it on the right side in between?
 * Nowhere: it is zero all the time up to rounding. */
static sar_status find_outside(sar_simulation* s, const sari_guard* g, sari_guarded_time* p)
{
    const double least = fmax(16.0 * DBL_EPSILON * fabs(s->previous.t), 1e-14 * p->to);
    for (double x = 0.5 * p->to; x > least; x *= 0.5) {
        double f;
        SARI_TRY(value_within(s, g, x, &f));
        if (sari_side(f) != g->sign) continue;
        p->from = x;
        p->g0 = f;
        return SAR_OK;
    }
    p->from = p->to = least;
    return SAR_OK;
}

/* Where |g| is least between the ends of p, at which it has one sign, by golden sections. If g has
 * the other sign there p ends there, and *found is set. */
static sar_status find_dip(sar_simulation* s, const sari_guard* g, sari_guarded_time* p, int* found)
{
    enum { ROUNDS = 60 };
    const double GOLDEN = 0.381966011250105152, sign = sari_side(p->g0);
    double l = p->from, r = p->to, fl = sign * p->g0, fr = sign * p->g1;
    double m = l + GOLDEN * (r - l), f;
    SARI_TRY(value_within(s, g, m, &f));
    double fm = sign * f;
    for (int k = 0; k < ROUNDS && fm > 0.0; k++) {
        // the least that a convex function may have: on the lines through m and either end
        const double left = (fr - fm) / (r - m) * (m - l), right = (fl - fm) / (m - l) * (r - m);
        if (fm > fmax(left, right)) return SAR_OK;
        const double x = r - m > m - l ? m + GOLDEN * (r - m) : m - GOLDEN * (m - l);
        SARI_TRY(value_within(s, g, x, &f));
        const double fx = sign * f;
        if (fx < fm) {
            if (x > m)
                l = m, fl = fm;
            else
                r = m, fr = fm;
            m = x, fm = fx;
        } else if (x > m) {
            r = x, fr = fx;
        } else {
            l = x, fl = fx;
        }
    }
    if (fm > 0.0) return SAR_OK;
    *found = 1;
    p->to = m;
    p->g1 = sign * fm;
    return SAR_OK;
}

/* A bound that began at its limit, or beyond it by the error of the time of its impact, and is still
 * there up to what counts as touching: it has neither left nor come back. Its impacts have been, and
 * rounding is no event. */
static int touches(const sar_simulation* s, const sari_guard* g, double value)
{
    if (g->kind != SARI_GUARD_BOUND || !g->leaves) return 0;
    const double touch = s->bounds.at[g->index].touch;
    return value <= touch && value >= fmin(0.0, g->begin) - touch;
}

int sari_guard_has_not_left(const sari_guard* g, double value)
{
    return g->kind == SARI_GUARD_BRANCH && g->leaves && sari_side(g->begin) == -g->sign &&
           sari_side(value) != g->sign && fabs(value) <= fabs(g->begin);
}

sar_status sari_guard_cross(sar_simulation* s, sari_guard* g, sari_guarded_time p, int dips,
                            double* zero)
{
    const double g1 = p.g1;
    const int now = sari_side(g1);
    *zero = NAN;
    if (isnan(p.g0) || isnan(g1)) { // on a branch that was not taken, or is not
        g->value = g1;
        g->sign = isnan(g1) ? 0 : now;
        return SAR_OK;
    }
    if (touches(s, g, g1) || sari_guard_has_not_left(g, g1)) {
        g->value = g1;
        return SAR_OK;
    }
    if (g->sign == 0 && fabs(p.g0) > SARI_GUARD_LEFT * fabs(g1)) g->sign = sari_side(p.g0);
    if ((g->sign * now < 0 || (g->sign && !now)) && sari_guard_counts(s, g, g->sign)) {
        if (g->leaves) SARI_TRY(find_outside(s, g, &p));
        if (p.from < p.to) return find_zero(s, g, &p, zero);
        if (g->kind == SARI_GUARD_BRANCH && ++g->stuck > 1) {
            sari_held_explain(s, g->index, s->failure, sizeof s->failure);
            return SAR_R_NO_CONV;
        }
        *zero = p.to;
        return SAR_OK;
    }
    int found = 0;
    if (dips && !g->leaves && now && sari_side(p.g0) == now && sari_guard_counts(s, g, now))
        SARI_TRY(find_dip(s, g, &p, &found));
    if (found) {
        g->sign = sari_side(p.g0);
        return find_zero(s, g, &p, zero);
    }
    g->value = g1;
    if (now) g->sign = now, g->leaves = g->stuck = 0;
    return SAR_OK;
}
