/* Forces that have a kink where something touches, or a strand becomes slack: continuous, but not
 * smooth. A step across one loses its order, and its estimate of the error does not see by how much.
 * So steps end there, as they do where expressions have kinks (events.c, expression_branches.c); which side
 * a force is on follows from the state, and nothing has to be held.
 *
 * Steps of given length go across. If they are too long, something may touch and come apart again within
 * one of them, and the force never acts. That is seen on the cubic through the ends of the step, and
 * reported. */
#include "base/status.h"
#include "simulation/events/events.h"
#include "simulation/simulation.h"
#include "system/forces/forces.h"

#include <math.h>
#include <stdio.h>

static const double BESIDE = 0.01; ///< of a step: a little

struct sari_kinks {
    struct which {
        int type, each;
    } * force; ///< those that have some
    int count;
    int events;            ///< steps end there
    double *before, *now;  ///< per kink, at the ends of the last step; NaN: not known
    double *after, *until; ///< a little after its begin, and before its end
    double t;              ///< time of its end
    sar_jump passed;       ///< the first that was missed, and how many
};

static void list(const sar_model* model, sari_kinks* kinks)
{
    kinks->count = 0;
    for (int t = 0; t < SARI_FORCE_TYPES; t++)
        for (int i = 0; i < model->forces[t].count; i++) {
            if (!sari_force_types[t]->kinks || model->forces[t].at[i].smooth) continue;
            if (kinks->force) kinks->force[kinks->count] = (struct which){t, i};
            kinks->count++;
        }
}

sar_status sari_kinks_create(sar_simulation* s)
{
    s->kinks = SARI_TAKE(&s->memory, sari_kinks, 1);
    if (!s->kinks) return SAR_E_NOMEM;
    s->kinks->events = s->integrator->variable && s->integrator->dense_part;
    list(s->model, s->kinks);
    if (s->kinks->count == 0) return SAR_OK;
    s->kinks->force = SARI_TAKE(&s->memory, struct which, s->kinks->count);
    const int n = s->kinks->count * SARI_FORCE_KINKS;
    s->kinks->before = SARI_TAKE(&s->memory, double, n);
    s->kinks->now = SARI_TAKE(&s->memory, double, n);
    s->kinks->after = SARI_TAKE(&s->memory, double, n);
    s->kinks->until = SARI_TAKE(&s->memory, double, n);
    if (s->memory.failed) return SAR_E_NOMEM;
    list(s->model, s->kinks);
    return SAR_OK;
}

int sari_kinks_count(const sar_simulation* s)
{
    return s->kinks->events ? s->kinks->count : 0;
}

int sari_kinks_there(const sar_simulation* s)
{
    return s->kinks->count;
}

/* All of force k. */
static void kinks_of(const sar_simulation* s, int k, double g[SARI_FORCE_KINKS])
{
    sari_forces_kinks(s->system, s->variables[SARI_VARIABLE_T], s->kinks->force[k].type,
                      s->kinks->force[k].each, g);
}

double sari_kinks_value(const sar_simulation* s, int k, int which)
{
    double g[SARI_FORCE_KINKS];
    kinks_of(s, k, g);
    return g[which];
}

/* ---- steps of given length ---------------------------------------------------------------------- */

void sari_kinks_archive(sar_simulation* s, sari_archive* a)
{
    sari_kinks* k = s->kinks;
    if (k->count == 0) return;
    SARI_ARCHIVE_NUMBERS(a, &k->t, &k->passed.t);
    SARI_ARCHIVE_LONGS(a, &k->passed.count);
    SARI_ARCHIVE_INTS(a, &k->passed.of_time);
    sari_archive_text(a, k->passed.force, sizeof k->passed.force);
    sari_archive_numbers(a, k->now, (size_t)k->count * SARI_FORCE_KINKS);
}

void sari_kinks_start(sar_simulation* s)
{
    s->kinks->t = NAN;
    s->kinks->passed = (sar_jump){.t = NAN};
}

/* The state at a part x of the last step, on a cubic. */
static void go_within(sar_simulation* s, double x)
{
    const sari_state *a = &s->previous, *b = &s->state;
    sari_state* m = &s->between;
    const double h = b->t - a->t, y = 1.0 - x;
    s->variables[SARI_VARIABLE_T] = a->t + x * h;
    if (x == 1.0) {
        sari_kinematics_update(s->system->kinematics, b->q, b->v, 1);
        return;
    }
    const double of_a = h * x * y * y, of_b = -h * x * x * y, way = x * x * (3.0 - 2.0 * x);
    sari_coordinates_difference(&s->system->coordinates, a->q, b->q, m->a);
    for (int i = 0; i < s->system->nq; i++) {
        m->v[i] = y * a->v[i] + x * b->v[i];
        m->a[i] = of_a * a->v[i] + of_b * b->v[i] + way * m->a[i];
    }
    sari_coordinates_move(&s->system->coordinates, a->q, m->a, m->q);
    sari_kinematics_update(s->system->kinematics, m->q, m->v, 1);
}

/* Kink k there, with this sign. */
static double value_within(sar_simulation* s, int k, double sign, double x)
{
    go_within(s, x);
    return sign * sari_kinks_value(s, k / SARI_FORCE_KINKS, k % SARI_FORCE_KINKS);
}

/* Does kink k, not zero and of one sign at both ends, have the other sign in between? From the least of
 * some samples, by golden sections. */
static int is_passed(sar_simulation* s, int k, double g0, double g1)
{
    enum { SAMPLES = 7, ROUNDS = 40 };
    const double at[SAMPLES] = {0.0, BESIDE, 0.25, 0.5, 0.75, 1.0 - BESIDE, 1.0};
    const double GOLDEN = 0.381966011250105152, sign = g0 > 0.0 ? 1.0 : -1.0;
    double f = fabs(g0);
    int least = 0;
    for (int i = 1; i < SAMPLES; i++) {
        const double g = i == SAMPLES - 1 ? fabs(g1) : value_within(s, k, sign, at[i]);
        if (g < f) f = g, least = i;
    }
    if (least == 0 || least == SAMPLES - 1) return 0;
    double l = at[least - 1], m = at[least], r = at[least + 1];
    for (int round = 0; round < ROUNDS && f > 0.0; round++) {
        const double x = r - m > m - l ? m + GOLDEN * (r - m) : m - GOLDEN * (m - l);
        const double g = value_within(s, k, sign, x);
        if (g < f) {
            *(x > m ? &l : &r) = m;
            m = x, f = g;
        } else {
            *(x > m ? &r : &l) = x;
        }
    }
    return f < 0.0;
}

/* May kink k be passed? Between its ends the cubic with the slopes there is no further from their line
 * than 4/27 of what the slopes differ from that of the line; a function of a cubic is at most some times
 * further. */
static int may_be_passed(const sari_kinks* kinks, int k)
{
    const double SOME = 4.0;
    const double g0 = kinks->before[k], g1 = kinks->now[k], line = g1 - g0;
    if (!(g0 * g1 > 0.0)) return 0;
    const double begin = (kinks->after[k] - g0) / BESIDE, end = (g1 - kinks->until[k]) / BESIDE;
    const double away = SOME * 4.0 / 27.0 * (fabs(begin - line) + fabs(end - line));
    return !(fmin(fabs(g0), fabs(g1)) > away);
}

static void note_passed(sar_simulation* s, int force)
{
    sari_kinks* kinks = s->kinks;
    const struct which* w = &kinks->force[force];
    if (kinks->passed.count++) return;
    kinks->passed.t = s->state.t;
    snprintf(kinks->passed.force, sizeof kinks->passed.force, "%s",
             s->model->forces[w->type].at[w->each].name);
}

static void all_kinks(sar_simulation* s, double x, double* g)
{
    go_within(s, x);
    for (int k = 0; k < s->kinks->count; k++) kinks_of(s, k, g + (size_t)(k * SARI_FORCE_KINKS));
}

void sari_kinks_step(sar_simulation* s)
{
    sari_kinks* kinks = s->kinks;
    const int n = kinks->count * SARI_FORCE_KINKS;
    if (n == 0 || kinks->events) return;
    double* last = kinks->before;
    kinks->before = kinks->now;
    kinks->now = last;
    all_kinks(s, 1.0, kinks->now);
    if (kinks->t == s->previous.t) {
        all_kinks(s, BESIDE, kinks->after);
        all_kinks(s, 1.0 - BESIDE, kinks->until);
        for (int k = 0; k < n; k++)
            if (may_be_passed(kinks, k) && is_passed(s, k, kinks->before[k], kinks->now[k]))
                note_passed(s, k / SARI_FORCE_KINKS);
    }
    kinks->t = s->state.t;
}

int sar_simulation_passed(const sar_simulation* s, sar_jump* first)
{
    *first = s->kinks->passed;
    return first->count > 0;
}
