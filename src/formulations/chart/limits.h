/* When a place of the chart is found, too near a singular configuration, or another than was predicted: shared
 * by the dense and the sparse chart. */
#ifndef SARI_CHART_LIMITS_H
#define SARI_CHART_LIMITS_H

#include "formulations/chart/rows.h"

#include <math.h>

enum { SARI_CHART_ITERATIONS = 14 };

#define SARI_CHART_NEAR_RAD                                                                        \
    0.012                   ///< [rad] from a singular configuration: evaluated from both sides
#define SARI_CHART_GATE 0.2 ///< of the usual sigma: where its distance is examined
#define SARI_CHART_CONVERGED 1e-16 ///< [rad] corrections that a place alone is not worth
#define SARI_CHART_STALE 5e-6 ///< change of B, by its smallest value, that refining makes up for
#define SARI_CHART_HALF 1e-8  ///< likewise, in one round: half of the digits

/// Rounds of iteration for the smallest singular value. Where it is not small it need not be sharp.
static inline int sari_chart_sigma_rounds(const sari_chart* c)
{
    const double WARM = 0.5; // of the usual sigma
    return c->singular.sigma > WARM * c->singular.sigma_usual ? 1 : 2;
}

/// How far B has changed since it was factored, as a part of its smallest singular value.
static inline double sari_chart_staleness(const sari_chart* c, double moved)
{
    return c->singular.sigma > 0.0 ? 2.0 * moved / (c->base.ell * c->singular.sigma) : INFINITY;
}

/// May tangents be those of before a correction of this size? What B lacks is divided by sigma in tangents,
/// and twice more in accelerations.
static inline int sari_chart_is_still(const sari_chart* c, double size)
{
    const double ROUNDING = 4e-15; // of B, by its smallest value
    const double change = sari_chart_staleness(c, size),
                 weak = c->singular.sigma < c->singular.sigma_usual
                            ? c->singular.sigma_usual / c->singular.sigma
                            : 1.0;
    return change < ROUNDING || change * weak * weak < c->still;
}

/// Is a correction as small as rounding makes it?
static inline int sari_chart_rounded(const sari_chart* c, double size)
{
    const double weak = c->singular.sigma < c->singular.sigma_usual
                            ? c->singular.sigma_usual / c->singular.sigma
                            : 1.0;
    return size <= c->engine->rounded * c->base.ell || size <= 3e-16 * c->base.ell * weak;
}

/// The square of how far w is from where it was predicted.
static inline double sari_chart_stray2(const sari_chart* c)
{
    double off2 = 0.0;
    for (int i = 0; i < c->r; i++) {
        const double off = c->at.w[i] - c->work.w_predicted[i];
        off2 += off * off;
    }
    return off2;
}

static inline int sari_chart_strayed(const sari_chart* c, const sari_chart_prediction* from)
{
    const double STRAY = 0.3; // of the way: a correction of more leads to another branch
    const double allowed = STRAY * from->way + c->stalled * c->base.ell;
    return !(sari_chart_stray2(c) <= allowed * allowed);
}

#endif
