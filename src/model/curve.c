/* With the unit tangent t, the normal n to its left and the curvature kappa at the foot point c(s*)
 * of a point p,
 *
 *     f(s) = (p - c(s)) . c'(s) = 0   at s*                                                   (1)
 *     d = n . (p - c(s*))                                                                     (2)
 *     dd/dp = n,    d2d/dp2 = -kappa/(1 - kappa d) t t'                                       (3)
 *
 * (1) is solved by Newton's method for the least |p - c|^2; far from the curve, where its second
 * derivative is not positive, by Gauss and Newton's, and always downhill.
 *
 * A spline through points has the length along the chords as its parameter. Where it is closed the
 * points go on round both ends: what ends do to a spline falls by 2 - sqrt(3) from point to point,
 * and is gone to rounding after SEAM of them. */
#include "model/curve.h"

#include "base/memory.h"
#include "base/status.h"
#include "math/functions.h"
#include "model/model.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

enum { SEAM = 30, SAMPLES = 256 };

/* ---- evaluation ----------------------------------------------------------------------------- */

void sari_curve_at(const sari_curve* curve, double s, double c[3][2])
{
    const double period = curve->to - curve->from;
    if (curve->closed) s -= period * floor((s - curve->from) / period);
    for (int k = 0; k < 2; k++) {
        double series[3], variables[SARI_VARIABLE_SIGNAL] = {[SARI_VARIABLE_X] = s};
        if (curve->expression[k])
            sari_expression_series(curve->expression[k], variables, SARI_VARIABLE_X, series);
        else
            sari_table_series(curve->table[k], s, series);
        for (int i = 0; i < 3; i++) c[i][k] = series[i] / curve->unit;
    }
}

static double dot(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

/// A place on the curve and how far the point is from it.
typedef struct probe {
    double s, c[3][2], r[2], square;
} probe;

static probe probe_from(const sari_curve* curve, const double p[2], double s)
{
    probe at = {.s = s};
    sari_curve_at(curve, s, at.c);
    for (int k = 0; k < 2; k++) at.r[k] = p[k] - at.c[0][k];
    at.square = dot(at.r, at.r);
    return at;
}

static double sample(const sari_curve* curve, int k)
{
    return curve->from + (curve->to - curve->from) * k / SAMPLES;
}

static probe nearest_sample(const sari_curve* curve, const double p[2])
{
    probe best = probe_from(curve, p, curve->from);
    for (int k = 1; k <= SAMPLES; k++) {
        const probe at = probe_from(curve, p, sample(curve, k));
        if (at.square < best.square) best = at;
    }
    return best;
}

/// (1), from a place nearby.
static probe descend(const sari_curve* curve, const double p[2], probe at)
{
    const double range = curve->to - curve->from;
    for (int k = 0; k < 50; k++) {
        const double speed = dot(at.c[1], at.c[1]), second = speed - dot(at.r, at.c[2]);
        const double noise = 8 * DBL_EPSILON * (dot(p, p) + dot(at.c[0], at.c[0]));
        double step = dot(at.r, at.c[1]) / (second > 0.1 * speed ? second : speed);
        if (!isfinite(step)) return at;
        step = fmax(-range / 8, fmin(step, range / 8));
        probe next = probe_from(curve, p, at.s + step);
        for (int half = 0; half < 40 && !(next.square <= at.square + noise); half++) {
            step *= 0.5;
            next = probe_from(curve, p, at.s + step);
        }
        at = next;
        if (fabs(step) <= 8 * DBL_EPSILON * range) return at;
    }
    return at;
}

sari_curve_foot sari_curve_find(const sari_curve* curve, const double p[2], double near)
{
    const probe start = isnan(near) ? nearest_sample(curve, p) : probe_from(curve, p, near);
    const probe at = descend(curve, p, start);
    const double speed = sqrt(dot(at.c[1], at.c[1]));
    sari_curve_foot foot = {.s = at.s};
    for (int k = 0; k < 2; k++) foot.tangent[k] = at.c[1][k] / speed;
    foot.normal[0] = -foot.tangent[1];
    foot.normal[1] = foot.tangent[0];
    const double curvature = dot(foot.normal, at.c[2]) / (speed * speed);
    foot.distance = dot(foot.normal, at.r);                     // (2)
    foot.bend = -curvature / (1.0 - curvature * foot.distance); // (3)
    return foot;
}

double sari_curve_size(const sari_curve* curve)
{
    double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY}, c[3][2];
    for (int k = 0; k <= SAMPLES; k++) {
        sari_curve_at(curve, sample(curve, k), c);
        for (int i = 0; i < 2; i++) {
            least[i] = fmin(least[i], c[0][i]);
            most[i] = fmax(most[i], c[0][i]);
        }
    }
    return fmax(most[0] - least[0], most[1] - least[1]);
}

/* ---- construction --------------------------------------------------------------------------- */

static sar_status compile(sar_model* model, const sar_curve* def, sari_curve* out, sar_error* error)
{
    out->from = def->from;
    out->to = def->to;
    if (!def->x || !def->y)
        return sari_fail(error, SAR_E_MODEL, "curve",
                         "a curve is given by x and y, expressions of s, or by points");
    if (!isfinite(def->from) || !isfinite(def->to) || !(def->to > def->from))
        return sari_fail(error, SAR_E_MODEL, "curve",
                         "the parameter s of a curve runs from %g to %g; the second number must be "
                         "larger",
                         def->from, def->to);
    SARI_TRY(
        sari_model_compile(model, def->x, SARI_USE_CURVE, "curve", &out->expression[0], error));
    return sari_model_compile(model, def->y, SARI_USE_CURVE, "curve", &out->expression[1], error);
}

/* The k-th point; those of a closed curve go round. */
static int point_of(const sar_curve* def, int k)
{
    return def->closed ? ((k % def->points) + def->points) % def->points : k;
}

static double chord(const sar_curve* def, int k)
{
    const int a = point_of(def, k), b = point_of(def, k + 1);
    return sari_hypot(def->point_x[b] - def->point_x[a], def->point_y[b] - def->point_y[a]);
}

static sar_status check_points(const sar_curve* def, sar_error* error)
{
    const int least = def->closed ? 3 : 2;
    if (def->points < least || !def->point_x || !def->point_y)
        return sari_fail(error, SAR_E_MODEL, "curve", "a%s curve has at least %d points, not %d",
                         def->closed ? " closed" : "n open", least, def->points);
    for (int k = 0; k + !def->closed < def->points; k++)
        if (!(chord(def, k) > 0) || !isfinite(chord(def, k)))
            return sari_fail(error, SAR_E_MODEL, "curve",
                             "points %d and %d of the curve are the same, or not finite%s", k + 1,
                             point_of(def, k + 1) + 1,
                             k + 1 == def->points ? ": a closed curve ends before its first point"
                                                  : "");
    return SAR_OK;
}

static sar_status spline(const sar_curve* def, double* room, sari_curve* out, sar_error* error)
{
    const int seam = def->closed ? SEAM : 0, count = def->points + (def->closed ? 2 * seam + 1 : 0);
    double *s = room, *xy[2] = {room + count, room + 2 * count};
    const double* given[2] = {def->point_x, def->point_y};
    s[seam] = 0.0;
    for (int k = seam; k > 0; k--) s[k - 1] = s[k] - chord(def, k - 1 - seam);
    for (int k = seam; k + 1 < count; k++) s[k + 1] = s[k] + chord(def, k - seam);
    out->to = s[seam + def->points - !def->closed];
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < count; k++) xy[i][k] = given[i][point_of(def, k - seam)];
        const sar_table_def table = {.length = count,
                                     .x = s,
                                     .y = xy[i],
                                     .interpolation = SAR_INTERPOLATION_CUBIC,
                                     .extend = 1};
        SARI_TRY(sari_table_create(&table, &out->table[i], error));
    }
    return SAR_OK;
}

static sar_status interpolate(const sar_curve* def, sari_curve* out, sar_error* error)
{
    SARI_TRY(check_points(def, error));
    double* room = SARI_NEW_ARRAY(double, 3 * (def->points + 2 * SEAM + 1));
    if (!room) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    const sar_status status = spline(def, room, out, error);
    sari_release(room);
    return status;
}

/* Of a closed curve by expressions: do its ends meet, and in one direction? */
static bool closes(const sari_curve* curve, double size)
{
    sari_curve open = *curve;
    double first[3][2], last[3][2], gap = 0.0, kink = 0.0, speed = 0.0;
    open.closed = 0;
    sari_curve_at(&open, curve->from, first);
    sari_curve_at(&open, curve->to, last);
    for (int k = 0; k < 2; k++) {
        gap = fmax(gap, fabs(first[0][k] - last[0][k]));
        kink = fmax(kink, fabs(first[1][k] - last[1][k]));
        speed = fmax(speed, fabs(first[1][k]));
    }
    return gap <= 1e-9 * size && kink <= 1e-6 * speed;
}

/* Inside its ends a curve has a direction and a curvature everywhere: no cusps. */
static sar_status check_course(const sari_curve* curve, sar_error* error)
{
    const double size = sari_curve_size(curve);
    if (!(size > 0) || !isfinite(size))
        return sari_fail(error, SAR_E_MODEL, "curve",
                         "the curve has no extent: x and y must depend on s, and be finite from "
                         "%.9g to %.9g",
                         curve->from, curve->to);
    for (int k = 1; k < SAMPLES; k++) {
        double c[3][2];
        sari_curve_at(curve, sample(curve, k), c);
        if (!isfinite(dot(c[1], c[1])) || !isfinite(dot(c[2], c[2])) || !(dot(c[1], c[1]) > 0))
            return sari_fail(error, SAR_E_MODEL, "curve",
                             "at s = %.9g the curve has no direction or curvature",
                             sample(curve, k));
    }
    if (!curve->closed || closes(curve, size)) return SAR_OK;
    return sari_fail(error, SAR_E_MODEL, "curve",
                     "the curve does not close: at s = %.9g and %.9g places and directions must "
                     "be the same",
                     curve->from, curve->to);
}

sar_status sari_curve_create(sar_model* model, const sar_curve* def, sari_curve* out,
                             sar_error* error)
{
    *out = (sari_curve){.closed = def->closed, .unit = 1.0};
    sar_status status =
        def->points ? interpolate(def, out, error) : compile(model, def, out, error);
    if (status == SAR_OK) status = check_course(out, error);
    if (status != SAR_OK) sari_curve_release(out);
    return status;
}

void sari_curve_release(sari_curve* curve)
{
    for (int k = 0; k < 2; k++) {
        sari_expression_destroy(curve->expression[k]);
        sari_table_destroy(curve->table[k]);
    }
    *curve = (sari_curve){0};
}
