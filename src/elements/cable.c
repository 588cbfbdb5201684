/* An elastic cable over points of bodies, without friction. With the sum l of the distances from
 * point to point and its rate,
 *
 *     f = stiffness (l - free) max(0, 1 + damping dl/dt)  where l > free, else 0                 (1)
 *
 * pulls along each of them, and does not jump where it becomes taut [hunt1975]. Its potential is stiffness (l - free)^2/2. The way between two points of
 * one body is a number. */
#include "elements/force.h"

#include "math/vec3.h"
#include "model/parts.h"
#include "sarrus/compliant.h"
#include "system/mechanism/mechanism.h"

#include <math.h>

enum { WAYS = SAR_CABLE_POINTS - 1 };

/* ---- definition ----------------------------------------------------------------------------- */

static bool is_fixed(const sar_cable_def* def, int way)
{
    return def->over[way].body.i == def->over[way + 1].body.i;
}

static sar_status check(const sar_model* model, void* def_, sar_error* error)
{
    sar_cable_def* def = def_;
    int moving = 0;
    if (def->points < 2 || def->points > SAR_CABLE_POINTS)
        return sari_fail(error, SAR_E_MODEL, "over", "a cable has 2 to %d points, not %d",
                         (int)SAR_CABLE_POINTS, def->points);
    for (int k = 0; k < def->points; k++) {
        SARI_TRY(sari_check_body(model, def->over[k].body, "over", error));
        SARI_TRY(sari_check_vector(model, def->over[k].point, "over", error));
        sari_clear_frame(&def->over[k]);
        if (k > 0) moving += !is_fixed(def, k - 1);
    }
    if (moving > 0) return SAR_OK;
    return sari_fail(error, SAR_E_MODEL, "over",
                     "all its points are of one body: it joins nothing");
}

/* ---- action --------------------------------------------------------------------------------- */

/* The distances that change; where there are fewer than a cable may have, the first one again. */
static int compile(sari_mechanism* m, const void* def_, int* scalar)
{
    const sar_cable_def* def = def_;
    int n = 0;
    for (int k = 0; k + 1 < def->points; k++) {
        if (is_fixed(def, k)) continue;
        const sar_end ends[2] = {def->over[k], def->over[k + 1]};
        if ((scalar[n++] = sari_scalar_distance(m, &ends[0], &ends[1])) < 0) return 0;
    }
    while (n < WAYS) scalar[n++] = scalar[0];
    return 1;
}

/// Of the whole cable.
typedef struct strand {
    int ways; ///< that change
    double stretch, rate;
} strand;

static strand strand_at(const sar_cable_def* def, const sari_force_state* at)
{
    strand s = {.stretch = -def->free};
    for (int k = 0; k + 1 < def->points; k++) {
        double d[3];
        for (int i = 0; i < 3; i++) d[i] = def->over[k + 1].point[i] - def->over[k].point[i];
        if (is_fixed(def, k)) {
            s.stretch += sari_norm3(d);
            continue;
        }
        s.stretch += at->value[s.ways];
        s.rate += at->rate[s.ways++];
    }
    return s;
}

/// (1) and its slopes.
typedef struct pull {
    double f, by_length, by_rate;
} pull;

static pull tension(const sar_cable_def* def, const strand* s)
{
    const double damped = 1.0 + def->damping * s->rate, k = def->stiffness;
    if (!(s->stretch > 0.0 && damped > 0.0)) return (pull){0};
    return (pull){k * s->stretch * damped, k * damped, k * s->stretch * def->damping};
}

static void act(const sari_force* cable, const sari_force_state* at, unsigned what,
                sari_force_action* out)
{
    const sar_cable_def* def = cable->def;
    const strand s = strand_at(def, at);
    const pull p = tension(def, &s);
    const double elastic = def->stiffness * fmax(0.0, s.stretch);
    for (int i = 0; i < at->n; i++) {
        out->force[i] = i < s.ways ? p.f : 0.0;
        for (int k = 0; k < at->n && what & SARI_ACT_SLOPES; k++) {
            const bool both = i < s.ways && k < s.ways;
            out->by_value[i][k] = both ? p.by_length : 0.0;
            out->by_rate[i][k] = both ? p.by_rate : 0.0;
        }
    }
    if (what & SARI_ACT_POTENTIAL) out->potential += 0.5 * elastic * fmax(0.0, s.stretch);
    if (what & SARI_ACT_POWER) out->power -= (p.f - elastic) * s.rate;
}

static void kinks(const sari_force* cable, const sari_force_state* at, double* g)
{
    const sar_cable_def* def = cable->def;
    const strand s = strand_at(def, at);
    g[0] = s.stretch;
    g[1] = s.stretch > 0.0 ? 1.0 + def->damping * s.rate : NAN;
    g[2] = NAN;
}

static void show(const sari_force* cable, const sari_force_state* at, double* out)
{
    const sar_cable_def* def = cable->def;
    const strand s = strand_at(def, at);
    out[0] = tension(def, &s).f;
    out[1] = s.stretch + def->free;
    out[2] = s.rate;
}

static bool loses(const sari_force* cable)
{
    const sar_cable_def* def = cable->def;
    return def->damping != 0.0;
}

const sari_force_type sari_cable_force = {
    .is.word = {{"elastic-cable",
                 "a cable over points that only pulls",
                 {{"over", SARI_READ_POINTS, 0, SARI_MUST, "its points, 2 to 8"},
                  {"length", SARI_READ_NUMBER, offsetof(sar_cable_def, free),
                   SARI_MUST | SARI_ABOVE_ZERO, "of the slack cable [m]"},
                  {"stiffness", SARI_READ_NUMBER, offsetof(sar_cable_def, stiffness),
                   SARI_MUST | SARI_ABOVE_ZERO, "of the whole cable, E A/length [N/m]"},
                  {"damping", SARI_READ_NUMBER, offsetof(sar_cable_def, damping), SARI_FROM_ZERO,
                   "as of Hunt and Crossley: part of the force per speed [s/m]"}}}},
    .is.size = sizeof(sar_cable_def),
    .is.ends = offsetof(sar_cable_def, over),
    .is.ends_count = offsetof(sar_cable_def, points),
    .check = check,
    .in_plane = WAYS,
    .in_space = WAYS,
    .compile = compile,
    .act = act,
    .kinks = kinks,
    .loses = loses,
    .shown = {{"tension", 1, 1, "N", "with which it pulls"},
              {"length", 1, 0, "m", "the sum of the distances"},
              {"speed", 1, 0, "m/s", "its rate"}},
    .show = show,
    .shows = SARI_SHOWS_LINE,
};
