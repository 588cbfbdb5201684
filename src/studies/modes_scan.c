/* Modes over a parameter. Between two values at which a different number of modes grows, stability changes: with g the real
 * part of the eigenvalue that crosses, in the order of real parts,
 *
 *     g(p) = 0 by the secant of the bracket's ends, and its half where that is slow              (1)
 *
 * An eigenvalue that is real and goes through zero is not to be known from those that are always zero when it is near; there
 * g is zero by interpolation between four values beside it.
 *
 * Where g is zero on one side, as of vibrations that neither grow nor decay until two of them meet, the number of modes
 * that grow is what changes, and halves alone are used: near such a p eigenvalues go as a root, so that rounding of
 * 1e-16 in the equations is 1e-8 in them and the number is right to rounding in p. */
#include "base/memory.h"
#include "base/status.h"
#include "sarrus/analysis.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HALVINGS = 200 };

struct sar_modes_scan {
    sar_source* source;
    sar_modes_scan_task task;
    sar_modes_point* point;
    int points;
    sar_modes_change* change;
    int changes;
};

static char* copy_text(const char* text)
{
    char* out = SARI_NEW_ARRAY(char, strlen(text) + 1);
    if (out) strcpy(out, text);
    return out;
}

static void clear_point(sar_modes_point* p)
{
    sari_release((void*)p->mode);
    sari_release((void*)p->failure);
    *p = (sar_modes_point){0};
}

/* ---- one value ------------------------------------------------------------------------------ */

static sar_status load(const sar_modes_scan* s, double value, sar_model** model,
                       sar_options* options, char** messages)
{
    char text[40];
    const int count = s->task.settings_count;
    sar_setting* settings = SARI_NEW_ARRAY(sar_setting, count + 1);
    if (!settings) return SAR_E_NOMEM;
    for (int k = 0; k < count; k++) settings[k] = s->task.settings[k];
    snprintf(text, sizeof text, "%.17g", value);
    settings[count] = (sar_setting){s->task.parameter, text};
    const sar_status st =
        sar_source_model(s->source, settings, count + 1, model, options, messages);
    sari_release(settings);
    return st;
}

/* A simulation of the model, started where modes are wanted. */
static sar_status start(const sar_modes_scan* s, const sar_model* model, sar_options* options,
                        sar_simulation** out, sar_error* error)
{
    SARI_TRY(sar_options_set(options, "coordinates",
                             s->task.coordinates ? s->task.coordinates : "relative", error));
    options->equilibrium = s->task.equilibrium;
    options->best_effort = 1;
    SARI_TRY(sar_simulation_create(model, options, out, error));
    sar_status st = sar_simulation_assemble(*out, NULL);
    if (st == SAR_OK && s->task.equilibrium) st = sar_simulation_to_rest(*out);
    return st == SAR_OK ? SAR_OK : sari_fail(error, st, NULL, "%s", sar_simulation_failure(*out));
}

static sar_status take_modes(const sar_modes_scan* s, sar_simulation* simulation,
                             sar_modes_point* p, sar_error* error)
{
    sar_modes* modes = NULL;
    const sar_mode* list;
    SARI_TRY(sar_modes_create(simulation, &modes, error));
    p->summary = sar_modes_summarise(modes);
    if (s->task.steady && p->summary.about == SAR_MODES_FROZEN) {
        sar_modes_destroy(modes);
        SARI_TRY(sar_simulation_to_steady(simulation, error));
        SARI_TRY(sar_modes_create(simulation, &modes, error));
        p->summary = sar_modes_summarise(modes);
    }
    const int count = sar_modes_list(modes, &list);
    sar_mode* copy = SARI_NEW_ARRAY(sar_mode, count + 1);
    if (copy) memcpy(copy, list, (size_t)count * sizeof *copy);
    p->mode = copy;
    sar_modes_destroy(modes);
    return copy ? SAR_OK : SAR_E_NOMEM;
}

static void find_point(const sar_modes_scan* s, double value, sar_modes_point* p)
{
    sar_model* model = NULL;
    sar_simulation* simulation = NULL;
    sar_error error = {0};
    char* messages = NULL;
    sar_options options = sar_options_default();
    *p = (sar_modes_point){.value = value};
    p->status = load(s, value, &model, &options, &messages);
    if (p->status != SAR_OK)
        snprintf(error.message, sizeof error.message, "%s", messages ? messages : "no model");
    if (p->status == SAR_OK) p->status = start(s, model, &options, &simulation, &error);
    if (p->status == SAR_OK) p->status = take_modes(s, simulation, p, &error);
    if (p->status != SAR_OK) p->failure = copy_text(error.message);
    sar_simulation_destroy(simulation);
    sar_model_destroy(model);
    sar_text_free(messages);
}

/* ---- where stability changes ---------------------------------------------------------------- */

static int descending(const void* a, const void* b)
{
    const double x = ((const sar_mode*)a)->re, y = ((const sar_mode*)b)->re;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Mode number `rank` by its real part, from the largest. */
static sar_mode ranked(const sar_modes_point* p, int rank)
{
    sar_mode out = {0};
    const int n = p->summary.modes;
    sar_mode* sorted = SARI_NEW_ARRAY(sar_mode, n + 1);
    if (!sorted || rank >= n) {
        sari_release(sorted);
        return out; // it is zero, and not among the others
    }
    memcpy(sorted, p->mode, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, descending);
    out = sorted[rank];
    sari_release(sorted);
    return out;
}

/* Zero of g by the inverse cubic through four values `away` from `value` and twice as far; NaN: it is not so. */
static double interpolate(const sar_modes_scan* s, int rank, int zeros, double value, double away)
{
    double x[4], g[4], sum = 0.0;
    for (int i = 0; i < 4; i++) {
        sar_modes_point p;
        x[i] = value + away * (i < 2 ? i - 2 : i - 1);
        find_point(s, x[i], &p);
        const int clear = p.status == SAR_OK && p.summary.zeros == zeros;
        g[i] = clear ? ranked(&p, rank).re : NAN;
        clear_point(&p);
    }
    for (int i = 0; i < 4; i++) {
        double part = x[i];
        for (int k = 0; k < 4; k++)
            if (k != i) part *= g[k] / (g[k] - g[i]);
        sum += part;
    }
    return fabs(sum - value) <= away ? sum : NAN;
}

/* A change beside `value`, where an eigenvalue is nearly zero; `width`: of the bracket at first. */
static int find_zero(const sar_modes_scan* s, int rank, int zeros, double value, double width,
                     sar_modes_change* out)
{
    for (double away = 1e-4 * width; away < 0.1 * width; away *= 10.0) {
        const double root = interpolate(s, rank, zeros, value, away);
        if (!isfinite(root)) continue;
        out->value = root;
        out->error = 1e-12 * fmax(fabs(root), width);
        return 1;
    }
    return 0;
}

/* One change between two values, of those with `rank` the first mode that does not grow on both sides. */
static sar_modes_change find_change(const sar_modes_scan* s, const sar_modes_point* a,
                                    const sar_modes_point* b)
{
    const int before = a->summary.unstable, after = b->summary.unstable;
    const int rank = before < after ? before : after;
    double low = a->value, high = b->value;
    sar_mode g_low = ranked(a, rank), g_high = ranked(b, rank), last = g_low;
    const int by_count = g_low.stability == 0 || g_high.stability == 0;
    for (int k = 0; k < HALVINGS; k++) {
        double next = 0.5 * (low + high);
        const double width = fabs(high - low);
        if (width <= 2.0 * DBL_EPSILON * fmax(fabs(low), fabs(high)) || next == low || next == high)
            break;
        if (!by_count && k % 3 != 2 && g_low.re != g_high.re) {
            next = low - g_low.re * (high - low) / (g_high.re - g_low.re);
            const double edge = DBL_EPSILON * fabs(next); // rounding of both ends is passed
            next += next - low < high - next ? edge : -edge;
            if (!(next > fmin(low, high) && next < fmax(low, high))) next = 0.5 * (low + high);
        }
        sar_modes_point p;
        find_point(s, next, &p);
        if (p.status != SAR_OK) {
            clear_point(&p);
            break;
        }
        if (p.summary.zeros > a->summary.zeros && a->summary.zeros == b->summary.zeros) {
            sar_modes_change at = {.before = before, .after = after};
            clear_point(&p);
            if (find_zero(s, rank, a->summary.zeros, next, fabs(b->value - a->value), &at))
                return at;
            break;
        }
        const sar_mode g = last = ranked(&p, rank);
        const int like_low = by_count ? (p.summary.unstable > rank) == (before > rank)
                                      : (g.re > 0.0) == (g_low.re > 0.0);
        clear_point(&p);
        if (like_low)
            low = next, g_low = g;
        else
            high = next, g_high = g;
    }
    return (sar_modes_change){.value = 0.5 * (low + high),
                              .error = 0.5 * fabs(high - low),
                              .before = before,
                              .after = after,
                              .re = last.re,
                              .im = last.im};
}

static void find_changes(sar_modes_scan* s)
{
    for (int k = 1; k < s->points; k++) {
        const sar_modes_point *a = &s->point[k - 1], *b = &s->point[k];
        if (a->status != SAR_OK || b->status != SAR_OK) continue;
        if (a->summary.unstable != b->summary.unstable)
            s->change[s->changes++] = find_change(s, a, b);
    }
}

/* ---- the scan ------------------------------------------------------------------------------- */

sar_status sar_modes_scan_create(sar_source* source, const sar_modes_scan_task* task,
                                 sar_modes_scan** out, sar_error* error)
{
    if (!task->parameter || task->points < 2 || !isfinite(task->from) || !isfinite(task->to) ||
        task->from == task->to)
        return sari_fail(error, SAR_E_ARG, NULL,
                         "a scan needs a parameter and two values at least");
    sar_modes_scan* s = SARI_NEW(sar_modes_scan);
    if (s) s->point = SARI_NEW_ARRAY(sar_modes_point, task->points);
    if (s) s->change = SARI_NEW_ARRAY(sar_modes_change, task->points);
    if (!s || !s->point || !s->change) {
        sar_modes_scan_destroy(s);
        return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory for the scan");
    }
    s->source = source;
    s->task = *task;
    s->points = task->points;
    for (int k = 0; k < s->points; k++)
        find_point(s, task->from + (task->to - task->from) * k / (task->points - 1), &s->point[k]);
    if (s->point[0].status == SAR_E_MODEL) {
        const sar_status st = sari_fail(error, SAR_E_ARG, NULL, "%s", s->point[0].failure);
        sar_modes_scan_destroy(s);
        return st;
    }
    find_changes(s);
    *out = s;
    return SAR_OK;
}

void sar_modes_scan_destroy(sar_modes_scan* s)
{
    if (!s) return;
    for (int k = 0; k < s->points && s->point; k++) clear_point(&s->point[k]);
    sari_release(s->point);
    sari_release(s->change);
    sari_release(s);
}

int sar_modes_scan_points(const sar_modes_scan* s, const sar_modes_point** list)
{
    *list = s->point;
    return s->points;
}

int sar_modes_scan_changes(const sar_modes_scan* s, const sar_modes_change** list)
{
    *list = s->change;
    return s->changes;
}
