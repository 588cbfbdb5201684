/* A wheel of radius R whose centre is at the height z and the forward position x, on a road of the
 * height w under it:
 *
 *     w(x, t) = road(along(x, t), t)                                                          (1)
 *     d = R - (z - w),     d' = -z' + w_x x' + w_t                                            (2)
 *     N = max(0, k d + c d') where d > 0, else 0                                              (3)
 *
 * N acts upwards or, along the normal of the road, as N/sqrt(1 + w_x^2):
 *
 *     F_z = g N,   F_x = -w_x g N,   g = 1/(1 + w_x^2)                                         (4)
 *
 * The spring has the potential V = k d^2/2. V changes with the road too: the power of all that is
 * not its negative gradient is F_z z' + F_x x' + dV/dt, with dV/dt = k d d'. */
#include "system/tyres.h"

/// w and its derivatives.
typedef struct ground {
    double w, x, t, xx, xt;
} ground;

/// (1) along the direction (dx, dt): value, first and second derivative.
static void series(const sari_tyre* tyre, double x, double t, double dx, double dt, double out[3])
{
    double variables[SARI_VARIABLE_SIGNAL] = {0}, direction[SARI_VARIABLE_SIGNAL] = {0};
    double place[3] = {x, dx, 0.0}, by_place[3];
    variables[SARI_VARIABLE_T] = t, variables[SARI_VARIABLE_X] = x;
    direction[SARI_VARIABLE_T] = dt, direction[SARI_VARIABLE_X] = dx;
    if (tyre->along) sari_expression_series_along(tyre->along, variables, direction, place);
    variables[SARI_VARIABLE_X] = place[0], direction[SARI_VARIABLE_X] = place[1];
    sari_expression_series_along(tyre->road, variables, direction, out);
    if (place[2] == 0.0) return;
    direction[SARI_VARIABLE_X] = 1.0, direction[SARI_VARIABLE_T] = 0.0;
    sari_expression_series_along(tyre->road, variables, direction, by_place);
    out[2] += by_place[1] * place[2];
}

static ground ground_under(const sari_tyre* tyre, double x, double t, int mixed)
{
    double along_x[3], along_t[3], along_both[3];
    series(tyre, x, t, 1.0, 0.0, along_x);
    series(tyre, x, t, 0.0, 1.0, along_t);
    ground g = {along_x[0], along_x[1], along_t[1], along_x[2], 0.0};
    if (!mixed) return g;
    series(tyre, x, t, 1.0, 1.0, along_both); // w_xx + 2 w_xt + w_tt
    g.xt = 0.5 * (along_both[2] - along_x[2] - along_t[2]);
    return g;
}

/// (4) and its derivatives from those of N: by_z ... of N by z, x, z', x'.
static void direct(const ground* w, int normal, double N, const double by_value[SARI_TYRE_AXES],
                   const double by_rate[SARI_TYRE_AXES], sari_tyre_action* out)
{
    enum { Z = SARI_TYRE_UP, X = SARI_TYRE_FORWARD };
    double g = normal ? 1.0 / (1.0 + w->x * w->x) : 1.0, h = normal ? -w->x * g : 0.0;
    double g_x = normal ? -2.0 * w->x * w->xx * g * g : 0.0;
    double h_x = normal ? -w->xx * g - w->x * g_x : 0.0;
    out->force[Z] = g * N;
    out->force[X] = h * N;
    for (int k = 0; k < SARI_TYRE_AXES; k++) {
        out->by_value[Z][k] = g * by_value[k];
        out->by_value[X][k] = h * by_value[k];
        out->by_rate[Z][k] = g * by_rate[k];
        out->by_rate[X][k] = h * by_rate[k];
    }
    out->by_value[Z][X] += g_x * N;
    out->by_value[X][X] += h_x * N;
}

void sari_tyre_evaluate(const sari_tyre* tyre, double t, const double at[SARI_TYRE_AXES],
                        const double rate[SARI_TYRE_AXES], int slopes, sari_tyre_action* out)
{
    const sar_tyre_def* def = &tyre->def;
    const double k = def->stiffness, c = def->damping;
    const double z = at[SARI_TYRE_UP], x = at[SARI_TYRE_FORWARD];
    const double vz = rate[SARI_TYRE_UP], vx = rate[SARI_TYRE_FORWARD];
    *out = (sari_tyre_action){0};
    ground w = ground_under(tyre, x, t, slopes && c != 0.0);
    double d = def->radius - (z - w.w), closing = -vz + w.x * vx + w.t; // (2)
    if (d <= 0.0) return;
    double N = k * d + c * closing; // (3)
    if (N > 0.0) {
        const double by_value[SARI_TYRE_AXES] = {-k, k * w.x + c * (w.xx * vx + w.xt)};
        const double by_rate[SARI_TYRE_AXES] = {-c, c * w.x};
        direct(&w, def->normal, N, by_value, by_rate, out);
    }
    out->potential = 0.5 * k * d * d;
    out->power =
        out->force[SARI_TYRE_UP] * vz + out->force[SARI_TYRE_FORWARD] * vx + k * d * closing;
}
