#include "system/hermite.h"

#include <math.h>

void sari_knot_create(sari_knot* k, const sari_system* system, sari_arena* memory)
{
    k->q = SARI_TAKE(memory, double, system->np);
    k->rate = SARI_TAKE(memory, double, system->np);
    k->second = SARI_TAKE(memory, double, 2 * (size_t)system->np);
}

/* Where positions are vectors E is the unit matrix. */
static void set_vectors(sari_knot* k, const sari_state* s)
{
    for (int i = 0; i < s->np; i++) {
        k->rate[i] = s->v[i];
        k->second[i] = s->a[i] + (s->v[i] - s->v[i]); // the sum below
        k->q[i] = s->q[i];
    }
    k->t = s->t;
}

/* d2q/dt2 = E(q) a + (dE/dt) v. E is of first degree in q, so that E(q + dq/dt) v - E(q) v is the
 * second part. */
void sari_knot_archive(sari_knot* k, const sari_system* system, sari_archive* a)
{
    SARI_ARCHIVE_NUMBERS(a, &k->t);
    sari_archive_numbers(a, k->q, (size_t)system->np);
    sari_archive_numbers(a, k->rate, (size_t)system->np);
    sari_archive_numbers(a, k->second, (size_t)system->np);
}

void sari_knot_set(sari_knot* k, const sari_coordinates* c, const sari_state* s)
{
    double* by_a = k->second + s->np;
    if (!c->ops->position_rates) {
        set_vectors(k, s);
        return;
    }
    sari_coordinates_position_rates(c, s->q, s->v, k->rate);
    for (int i = 0; i < s->np; i++) k->q[i] = s->q[i] + k->rate[i];
    sari_coordinates_position_rates(c, k->q, s->v, k->second);
    sari_coordinates_position_rates(c, s->q, s->a, by_a);
    for (int i = 0; i < s->np; i++) {
        k->second[i] = by_a[i] + (k->second[i] - k->rate[i]);
        k->q[i] = s->q[i];
    }
    k->t = s->t;
}

/* Do the accelerations at the ends explain how the velocity changes between them? Some methods have
 * wild ones near singular configurations. */
static int accelerations_fit(int np, const sari_knot* a, const sari_knot* b)
{
    const double half = 0.5 * (b->t - a->t);
    double rest = 0.0, all = 0.0;
    for (int i = 0; i < np; i++) {
        const double by_a = half * (a->second[i] + b->second[i]);
        const double size = half * (fabs(a->second[i]) + fabs(b->second[i]));
        const double left = b->rate[i] - a->rate[i] - by_a;
        rest += left * left, all += size * size;
    }
    return rest <= 0.25 * all;
}

void sari_knots_at(const sari_coordinates* c, const sari_knot* a, const sari_knot* b, double t,
                   double* q)
{
    const double h = b->t - a->t, x = (t - a->t) / h;
    const int fit = accelerations_fit(c->np, a, b);
    for (int i = 0; i < c->np; i++) {
        const double v0 = h * a->rate[i], v1 = h * b->rate[i], step = b->q[i] - a->q[i];
        // the cubic's, or those of the states
        const double a0 = fit ? h * h * a->second[i] : 6 * step - 4 * v0 - 2 * v1;
        const double a1 = fit ? h * h * b->second[i] : -6 * step + 2 * v0 + 4 * v1;
        // p(x) = q0 + v0 x + a0 x^2/2 + c3 x^3 + c4 x^4 + c5 x^5, in units of the step
        const double dq = step - v0 - 0.5 * a0, dv = v1 - v0 - a0, da = a1 - a0;
        const double c3 = 10 * dq - 4 * dv + 0.5 * da, c4 = -15 * dq + 7 * dv - da;
        const double c5 = 6 * dq - 3 * dv + 0.5 * da;
        q[i] = a->q[i] + x * (v0 + x * (0.5 * a0 + x * (c3 + x * (c4 + x * c5))));
    }
    sari_coordinates_normalise(c, q);
}
