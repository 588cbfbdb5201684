/* Places on both sides of a singular configuration, for what can be evaluated beside it alone. Forces of joints
 * are such: they follow from accelerations, these from places, and each time rounding is divided by
 * sigma. So it is in a chart of its own, whose base is where the question was: then a line across the
 * singular configuration is smooth as far as the mechanism allows, and not as the chart of a long step does. */
#include "formulations/chart/chart.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

static const double BESIDE =
    0.04; ///< [rad] from a singular configuration: where forces are asked for so
static const double SAME = 1e-9; ///< of a coordinate's unit: places that are one

/* z of q in the present chart. */
static void z_of(sari_chart* c, const double* q, double* z)
{
    for (int i = 0; i < c->np; i++) c->work.position[i] = q[i] - c->base.q[i];
    sari_coordinates_velocities(c->sys->space, c->base.q, c->work.position, c->x);
    memset(z, 0, (size_t)c->d * sizeof(double));
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < c->d; j++) z[j] += c->base.GV[i * c->d + j] * c->x[i];
}

static int is_here(const sari_chart* c, const sari_state* s)
{
    return c->at.t == s->t && memcmp(c->q, s->q, (size_t)c->np * sizeof(double)) == 0;
}

/* The chart is evaluated at s. 0: that is none of its places. */
static int go_to(sari_chart* c, const sari_state* s)
{
    double *z = c->side.along, *u = c->side.u;
    if (is_here(c, s)) return 1;
    z_of(c, s->q, z);
    memset(u, 0, (size_t)c->d * sizeof(double)); // tangents do not depend on it
    if (sari_chart_evaluate(c, s->t, z, u, 1) != SARI_CHART_OK) return 0;
    for (int i = 0; i < c->np; i++) c->work.position[i] = s->q[i] - c->q[i];
    sari_coordinates_velocities(c->sys->space, c->q, c->work.position, c->x);
    for (int i = 0; i < c->n; i++)
        if (!(fabs(c->x[i]) < SAME * c->unit[i])) return 0;
    return 1;
}

/* The line across, as seen from the base at s. 0: there is none. */
static int find_line(sari_chart* c, double t)
{
    double* origin = c->side.u; // of z
    memset(origin, 0, (size_t)c->d * sizeof(double));
    const sari_chart_outcome st = sari_chart_geometry(c, t, origin, 1);
    if (st != SARI_CHART_OK && st != SARI_CHART_NEAR) return 0;
    if (!c->singular.measured || !(c->singular.delta < BESIDE) || !(c->singular.along_turn > 0.0))
        return 0;
    memcpy(c->side.along, c->singular.along, (size_t)c->d * sizeof(double));
    c->side.along_time = c->singular.along_time;
    c->side.turn = c->singular.along_turn;
    c->side.delta = c->singular.delta;
    c->side.slope = c->singular.slope;
    return 1;
}

int sari_chart_see_across(void* self, const sari_state* s, sari_across* seen)
{
    sari_chart* c = self;
    if (c->r == 0 || !go_to(c, s)) return 0;
    if (!c->bridged && !(c->singular.measured && c->singular.delta < BESIDE)) return 0;
    memcpy(c->side.V, c->base.V, (size_t)c->n * (size_t)c->d * sizeof(double));
    memcpy(c->side.q, c->base.q, (size_t)c->np * sizeof(double));
    c->side.t = c->base.t;
    memcpy(c->side.T, c->at.T, (size_t)c->n * (size_t)c->d * sizeof(double));
    int found = sari_chart_set_base(c, s->t, s->q, c->side.T) == SAR_OK;
    if (found) {
        sari_chart_begin_cache(c, s->v, s->a);
        found = find_line(c, s->t);
    }
    if (!found) {
        sari_chart_end_crossing(c);
        return 0;
    }
    sari_chart_quasi_velocities(c, s->v, c->side.u);
    *seen = (sari_across){c->side.delta, c->side.slope};
    return 1;
}

sar_status sari_chart_place_across(void* self, double way, sari_state* s)
{
    sari_chart* c = self;
    const double step = (way - c->side.delta) / c->side.turn;
    double* z = c->work.Z + (size_t)c->n * (size_t)c->d; // behind the scratch of the motion
    for (int j = 0; j < c->d; j++) z[j] = step * c->side.along[j];
    const double t = c->base.t + step * c->side.along_time;
    if (sari_chart_evaluate_here(c, t, z, c->side.u, 1, 0) != SARI_CHART_OK) return SAR_R_SINGULAR;
    s->t = t;
    sari_chart_give(c, s);
    return SAR_OK;
}

void sari_chart_end_crossing(void* self)
{
    sari_chart* c = self;
    if (sari_chart_set_base(c, c->side.t, c->side.q, c->side.V) != SAR_OK) return;
    sari_chart_begin_cache(c, c->side.v, c->side.a);
}

void sari_chart_remember_base(sari_chart* c, const sari_state* s)
{
    memcpy(c->side.v, s->v, (size_t)c->n * sizeof(double));
    memcpy(c->side.a, s->a, (size_t)c->n * sizeof(double));
}
