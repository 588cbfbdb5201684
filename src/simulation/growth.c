/* Motions that grow by themselves: a spring or a damper of the wrong sign. The way S of the fastest
 * body, in sizes of the model and in radians, doubles in equal times then; at a constant speed every
 * doubling takes twice as long as the one before, at a constant acceleration 1.4 times. So fast
 * flights may go as far as they like, and a run whose way has doubled in equal times, the last six times, to
 * a million sizes has nothing more to say. Where forces or drives are given in time they may be the
 * cause, and nothing is said. */
#include "simulation/simulation.h"

#include <math.h>
#include <stdio.h>

static const double EQUAL = 1.2; ///< three doublings beside the three before; 2^(3/p) with t^p

static double pace_of(sar_simulation* s)
{
    return sari_equations_turn(&s->system->equations, s->state.q, s->state.v);
}

void sari_growth_start(sar_simulation* s)
{
    s->growth = (sari_growth){.pace = pace_of(s)};
}

/* The body that moves fastest, in sizes of the model or radians. */
static int fastest_body(sar_simulation* s)
{
    int found = 1;
    double most = -1.0, v[3], w[3];
    for (int b = 1; b < s->model->bodies_count; b++) {
        sari_observation_velocity(&s->seen, s->state.v, b, v, w);
        double moves = 0.0, turns = 0.0;
        for (int k = 0; k < 3; k++) moves += v[k] * v[k], turns += w[k] * w[k];
        const double size = s->system->size, pace = fmax(sqrt(moves) / size, sqrt(turns));
        if (pace > most) most = pace, found = b;
    }
    return found;
}

static sar_status stop(sar_simulation* s, double doubling)
{
    const char* name = s->model->bodies[fastest_body(s)].def.name;
    snprintf(
        s->failure, sizeof s->failure,
        "the motion grows without bound: at t = %.9g body \"%s\" has moved by a million times the "
        "size "
        "of the model (or turned by as many radians), and its way doubles every %.3g s. A force "
        "adds energy as it does: look for a stiffness, a damping or a gain of the wrong sign",
        s->state.t, name, doubling);
    return SAR_R_NOT_FINITE;
}

/* The time at which the way was `way`, between `before` at the begin of the step and now. */
static double time_of(const sar_simulation* s, double before, double way)
{
    const double h = s->state.t - s->previous.t;
    return s->previous.t + h * (way - before) / (s->growth.way - before);
}

sar_status sari_growth_step(sar_simulation* s)
{
    sari_growth* g = &s->growth;
    if (sari_time_functions_count(s) > 0) return SAR_OK;
    const double pace = pace_of(s), before = g->way;
    g->way += 0.5 * (s->state.t - s->previous.t) * (g->pace + pace);
    g->pace = pace;
    if (!(g->way < INFINITY)) return SAR_OK; // which others find
    for (; g->way >= ldexp(1.0, g->doublings); g->doublings++) {
        for (int k = 0; k < 6; k++) g->at[k] = g->at[k + 1];
        g->at[6] = time_of(s, before, ldexp(1.0, g->doublings));
        const double late = g->at[6] - g->at[3], early = g->at[3] - g->at[0];
        if (g->doublings >= SARI_GROWTH_DOUBLINGS && late <= EQUAL * early)
            return stop(s, late / 3.0);
    }
    return SAR_OK;
}
