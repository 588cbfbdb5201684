/* Steps are at most a radian long, or a size of the model: constraints and what acts on orientations
 * change within that. Along coordinates that nothing feels they may be of any length: those that
 * only move bodies, if nothing has a shape along them (system/step_limits.c), and those that turn bodies, if
 * besides that neither inertia nor forces change with them, as of a balanced rotor. */
#include "formulations/chart/chart.h"

#include "math/random.h"

#include <math.h>
#include <string.h>

static const double SAME = 1e-9; ///< changes beside the largest force

/* Forces and inertia at q and v: Q, and M v, which goes to Mv. */
static void act(sari_chart* c, double t, const double* q, const double* v, double* Mv)
{
    sari_equations_eval(c->sys, SARI_EVAL_MASS | SARI_EVAL_FORCE, t, q, v);
    sari_equations_mass_times(c->sys, v, Mv);
}

static double largest_of(const sari_chart* c, const double* a, const double* b)
{
    double largest = 0.0;
    for (int i = 0; i < c->n; i++)
        largest = fmax(largest, c->unit[i] * fabs(a[i] - (b ? b[i] : 0.0)));
    return largest;
}

/* Do M v and Q stay the same where coordinate i is elsewhere? */
static int turns_unseen(sari_chart* c, const sari_state* s, int i)
{
    static const double elsewhere[] = {0.9, 2.1, -1.3, -2.6}; // [rad]
    double *v = c->u, *Mv = c->singular.along, *Q = c->zdd, *there = c->work.vector;
    uint64_t random = 11;
    const double pace = fmax(c->Omega, sari_equations_turn(c->sys, s->q, s->v));
    for (int k = 0; k < c->n; k++) v[k] = pace * c->unit[k] * sari_random(&random);
    act(c, s->t, s->q, v, Mv);
    memcpy(Q, c->sys->Q, (size_t)c->n * sizeof(double));
    const double force = largest_of(c, Q, NULL), momentum = largest_of(c, Mv, NULL);
    for (int k = 0; k < 4; k++) {
        memset(c->work.g, 0, (size_t)c->n * sizeof(double));
        c->work.g[i] = elsewhere[k] * c->unit[i];
        sari_coordinates_move(c->sys->space, s->q, c->work.g, c->q);
        act(c, s->t, c->q, v, there);
        if (!(largest_of(c, there, Mv) <= SAME * momentum)) return 0;
        if (!(largest_of(c, c->sys->Q, Q) <= SAME * force)) return 0;
    }
    return 1;
}

/* A body far from all others slides along something straight, or flies: where nothing else has a shape
 * it is a part of that distance that counts, in place of its size. So it is of the distance of two points
 * that attract each other, or that a spring connects. */
double sari_chart_felt_pace(sari_chart* c, const sari_state* s)
{
    const double PART = 0.1;
    double sizes = 0.0;
    if (!c->shapes) {
        sari_coordinates_difference(c->sys->space, c->q_first, s->q, c->work.vector);
        sizes = PART * sari_equations_distance(c->sys, s->q, s->v, c->work.vector);
    } else if (c->shapes == SARI_FELT_DISTANCES) {
        sizes = PART * sari_equations_nearest(c->sys, s->q);
    }
    for (int i = 0; i < c->n; i++) c->work.vector[i] = c->felt[i] ? s->v[i] : 0.0;
    double pace = sari_equations_turn(c->sys, s->q, c->work.vector);
    if (sizes > 1.0) pace = fmax(sari_equations_spin(c->sys, s->q, c->work.vector), pace / sizes);
    (void)sari_equations_turn(c->sys, s->q, s->v); // bodies are left as they move
    return pace;
}

void sari_chart_survey_felt(sari_chart* c, const sari_state* s)
{
    const double spinless = 1e-12;
    const sari_undefined undefined = c->sys->undefined;
    c->felt_known = 1;
    memcpy(c->q_first, s->q, (size_t)c->np * sizeof(double));
    c->shapes = sari_equations_felt(c->sys, c->felt);
    for (int b = 0; b < c->turns; b++) memset(c->felt + c->turn[b], 1, 3);
    for (int i = 0; i < c->n; i++) {
        if (c->felt[i]) continue;
        memset(c->v, 0, (size_t)c->n * sizeof(double));
        c->v[i] = c->unit[i];
        if (sari_equations_spin(c->sys, s->q, c->v) <= spinless) continue;
        c->felt[i] = !turns_unseen(c, s, i);
    }
    c->sys->undefined = undefined;
}
