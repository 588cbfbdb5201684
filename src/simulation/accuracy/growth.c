/* Motions that grow by themselves: a spring or a damper of the wrong sign. The path S of the fastest
 * body, in sizes of the model and in radians, doubles in equal times then; at a constant speed every
 * doubling takes twice as long as the one before, at a constant acceleration 1.4 times. So fast
 * flights may go as far as they like. A run stops if its path has doubled in equal times, the last six
 * times, to
 *
 *     a million sizes or radians, or
 *     a thousand sizes, if some body is really that far away, and if at this rate positions could
 *     no longer tell one size from none at the end of the run, S(end) > 1/epsilon sizes.
 *
 * Where every doubling takes less than 0.8 times the one before, as beside a pole of a drive or a force given
 * in time, the motion has an end before that of the run: it is stopped after four thousand sizes or radians.
 *
 * The second needs no more steps where each is limited to one size. Of turns it says nothing: a torque
 * that grows with the speed may yet come to its limit. Where forces or drives are given in time they may
 * be the cause, and nothing but a pole is said. */
#include "math/vec3.h"
#include "simulation/events/events.h"
#include "simulation/simulation.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static const double EQUAL = 1.2; ///< three doublings beside the three before; 2^(3/p) with t^p
enum { FAR = 10, POLE = 12, FARTHEST = 20 }; ///< doublings of one size or radian

static double pace_of(sar_simulation* s)
{
    return sari_equations_turn(&s->system->equations, s->state.q, s->state.v);
}

void sari_growth_start(sar_simulation* s)
{
    s->growth = (sari_growth){.t = s->state.t, .pace = pace_of(s)};
}

const char* sari_fastest_body(sar_simulation* s, double* speed, double* spin)
{
    int found = 1;
    double most = -1.0, v[3], w[3];
    for (int b = 1; b < s->model->bodies_count; b++) {
        sari_observation_velocity(&s->seen, s->state.v, b, v, w);
        const double moves = sari_norm3(v), turns = sari_norm3(w);
        const double pace = fmax(moves / s->system->size, turns);
        if (pace <= most) continue;
        most = pace;
        found = b;
        *speed = moves * s->units.length;
        *spin = turns;
    }
    return s->model->bodies[found].name;
}

int sari_growth_told(sar_simulation* s, char* text, size_t size)
{
    const double SUDDEN = 8.0; // 2 at a constant acceleration from rest
    const sari_growth* g = &s->growth;
    const double t = s->previous.t - s->options.start;
    double speed = 0.0, spin = 0.0;
    if (s->model->bodies_count < 2 || !(g->path > 0.0)) return 0;
    if (!(g->pace * t > SUDDEN * g->path)) return 0;
    sari_state_copy(&s->state, &s->previous);
    const char* name = sari_fastest_body(s, &speed, &spin);
    snprintf(text, size,
             "The motion grows: at t = %.9g body \"%s\" moves at %.3g m/s and turns at %.3g rad/s, "
             "%.2g times the mean so far. If a force adds energy as it does, look for a stiffness, "
             "a damping or a gain of the wrong sign, or end the run before.",
             s->previous.t, name, speed, spin, g->pace * t / g->path);
    return 1;
}

static sar_status stop(sar_simulation* s, double doubling)
{
    double speed, spin;
    const char* name = sari_fastest_body(s, &speed, &spin);
    snprintf(
        s->failure, sizeof s->failure,
        "the motion grows without bound: at t = %.9g body \"%s\" has moved by %.2g times the size "
        "of the model (or turned by as many radians), and its path doubles every %.3g s. A force "
        "adds energy as it does: look for a stiffness, a damping or a gain of the wrong sign",
        s->state.t, name, s->growth.path, doubling);
    return SAR_R_NOT_FINITE;
}

/* Is every doubling shorter than the one before, by so much that all to come take a finite time? */
static int nears_a_pole(const sari_growth* g)
{
    const double SHORTER = 0.8;
    for (int k = 2; k < 7; k++)
        if (!(g->at[k] - g->at[k - 1] < SHORTER * (g->at[k - 1] - g->at[k - 2]))) return 0;
    return g->doublings >= POLE;
}

/* The doublings to come take ratio/(1 - ratio) of the last one. */
static sar_status stop_at_pole(sar_simulation* s)
{
    const double* at = s->growth.at;
    const double last = at[6] - at[5], ratio = last / (at[5] - at[4]);
    double speed, spin;
    const char* name = sari_fastest_body(s, &speed, &spin);
    snprintf(s->failure, sizeof s->failure,
             "the motion grows without bound towards t = %.6g: body \"%s\" has moved by %.2g times "
             "the size of the model (or turned by as many radians), in ever shorter times. A drive "
             "or a force has no finite value there: look for a division by zero or a pole, or end "
             "the run before",
             at[6] + last * ratio / (1.0 - ratio), name, s->growth.path);
    return SAR_R_NOT_FINITE;
}

/* The time at which the path was `path` long, between `before` at the time t and now. */
static double time_of(const sar_simulation* s, double t, double before, double path)
{
    return t + (s->state.t - t) * (path - before) / (s->growth.path - before);
}

/* How far the centre of some body is at most from where it was drawn, in sizes. */
static double distance(sar_simulation* s)
{
    const sari_mechanism* m = s->system->mechanism;
    const double *X = s->system->kinematics->X, *X0 = m->X0;
    double farthest2 = 0.0;
    sari_kinematics_update(s->system->kinematics, s->state.q, s->state.v, 1);
    for (int b = 1; b < m->bodies; b++) {
        double square = 0.0;
        for (int k = m->nx * b; k < m->nx * b + m->dimension; k++)
            square += (X[k] - X0[k]) * (X[k] - X0[k]);
        farthest2 = fmax(farthest2, square);
    }
    return sqrt(farthest2) / s->system->size;
}

/* Did no doubling take longer than the one before? A push leaves a body at another speed, at which they do. */
static int is_steady(const sari_growth* g)
{
    const double STEADY = 1.1;
    for (int k = 2; k < 7; k++)
        if (g->at[k] - g->at[k - 1] > STEADY * (g->at[k - 1] - g->at[k - 2])) return 0;
    return 1;
}

/* Will positions be without meaning at the end of the run? */
static int is_lost(sar_simulation* s, double doubling)
{
    if (!is_steady(&s->growth)) return 0;
    const double left = (s->options.end - s->state.t) / doubling;
    return left + s->growth.doublings > DBL_MANT_DIG && distance(s) >= ldexp(1.0, FAR - 1);
}

sar_status sari_growth_step(sar_simulation* s)
{
    enum { SELDOM = 8 }; // steps of given size, of which there are many in a doubling
    sari_growth* g = &s->growth;
    if (!s->integrator->variable && s->statistics.steps % SELDOM && !sar_simulation_done(s))
        return SAR_OK;
    const int given = sari_time_functions_count(s) > 0;
    const double pace = pace_of(s), before = g->path, since = g->t;
    g->path += 0.5 * (s->state.t - since) * (g->pace + pace);
    g->pace = pace;
    g->t = s->state.t;
    if (!(g->path < INFINITY)) return SAR_OK; // which others find
    for (; g->path >= ldexp(1.0, g->doublings); g->doublings++) {
        for (int k = 0; k < 6; k++) g->at[k] = g->at[k + 1];
        g->at[6] = time_of(s, since, before, ldexp(1.0, g->doublings));
        const double late = g->at[6] - g->at[3], early = g->at[3] - g->at[0];
        if (nears_a_pole(g)) return stop_at_pole(s);
        if (given || late > EQUAL * early) continue;
        if (g->doublings >= FARTHEST || (g->doublings >= FAR && is_lost(s, late / 3.0)))
            return stop(s, late / 3.0);
    }
    return SAR_OK;
}
