/* What the chart knows of singular configurations, for those who report them (simulation/singular/). y is
 * that of the first-order form, near the present base; `chart` is the formulation's self. */
#ifndef SARI_CHART_SINGULAR_H
#define SARI_CHART_SINGULAR_H

#include "formulations/formulation.h"

/// How far the constraints are from losing rank at a time.
typedef struct sari_rank_sample {
    double t;
    double sigma;   ///< their smallest singular value, relative to the largest
    double product; ///< of all, but for a factor exp(log): comparable within a step
    double log;     ///< 0 unless they are many
} sari_rank_sample;

/// A singular configuration beside a place.
typedef struct sari_across {
    double delta; ///< [rad] away
    double slope; ///< of the smallest singular value of the constraints, per radian
} sari_across;

static inline int sari_is_chart(const sari_formulation* form)
{
    return form->ops == &sari_formulation_chart;
}

/// Rank measures at the times since the base. Returns their number.
int sari_chart_watched(const void* chart, const sari_rank_sample** samples);
/// The rank measure at y, and the number of singular values below `limit`. NaN: y has no evaluation.
sari_rank_sample sari_chart_regularity(void* chart, double t, const double* y, double limit,
                                       int* below);
/// A frame of the constraints at y. Returns the number of singular values below `limit` there, -1: y has no
/// evaluation.
int sari_chart_weak_frame(void* chart, double t, const double* y, double limit);
/// The constraints at y in that frame, reduced to that number of rows and columns: the rank deficiency of F is
/// theirs. 0: y has no evaluation.
int sari_chart_weak_part(void* chart, double t, const double* y, double* F);
/// Rank deficiency of the constraints at the start of the run; mostly 0.
int sari_chart_rank_deficiency(const void* chart);
/// Rank of the position constraints that the motion obeys. 0 before the start.
int sari_chart_rank(const void* chart);

/// Is s, of the last step, so near a singular configuration that rounding exceeds the forces of joints? Then
/// configurations on a line across it can be evaluated, until sari_chart_end_crossing.
int sari_chart_see_across(void* chart, const sari_state* s, sari_across* seen);
/// The configuration at `way` [rad] from the singular one, where s is at `delta`, with the velocities of s.
sar_status sari_chart_place_across(void* chart, double way, sari_state* there);
void sari_chart_end_crossing(void* chart);

#endif
