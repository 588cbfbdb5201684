/// @file pose.h
/// Poses: a configuration that closes all loops and comes nearest to what is wanted of it.
///
///     sar_pose_row want[] = {sar_pose_row_default(), sar_pose_row_default()};
///     want[0].expression = "hand.tip.x", want[0].value = 0.3;
///     want[1].expression = "J1.angle", want[1].value = 0.35;
///     sar_pose_create(model, &options, want, 2, &pose, &error);
///     sar_pose_solve(pose, 32, &report);
///     sar_pose_set(pose, 0, 0.31);
///     sar_pose_solve(pose, 0, &report);       // from there, nothing is allocated
///     sar_pose_destroy(pose);
///
/// Of all poses that close the loops, keep what is to be kept and stay within the limits, the one is sought for which
///
///     sum of (weight (value - wanted) / unit)^2
///
/// is least; unit: the size of the model (sar_pose_report) where the expression uses lengths, else 1 (radians, directions).
/// Where several are equally near, what is preferred decides likewise, then how far joint coordinates are from where they
/// were before.
#ifndef SARRUS_POSE_H
#define SARRUS_POSE_H

#include "sarrus/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sar_pose_role {
    SAR_POSE_WANT,
    SAR_POSE_KEEP,   ///< holds exactly, as the joints do
    SAR_POSE_PREFER, ///< counts where what is wanted leaves a choice
    SAR_POSE_LIMIT,  ///< lower <= value <= upper
    SAR_POSE_SHOW    ///< has no influence
} sar_pose_role;

/// Something that is wanted. The expression is one of positions, as of a constraint of the model.
typedef struct sar_pose_row {
    sar_pose_role role;
    const char*
        expression;      ///< of KEEP also the name of a drive: it stays. Other drives are released
    double value;        ///< WANT, PREFER, KEEP; NaN: as at the start
    double weight;       ///< WANT, PREFER: > 0; default 1
    double lower, upper; ///< LIMIT; default: none
} sar_pose_row;

SAR_API sar_pose_row sar_pose_row_default(void);

/// How a search ended.
typedef struct sar_pose_report {
    int met;         ///< 1: all that is wanted is met, to 1e-9, within the limits
    int missed;      ///< how many of it are not
    int beyond;      ///< limits that are not kept
    double distance; ///< root of the sum above
    double open;     ///< largest violation of a loop or of what is kept, in sizes or radians
    double moved;    ///< largest change of a joint coordinate, likewise
    double size;     ///< [m] the unit of lengths
    int starts;      ///< from how many places it was sought
    int elsewhere; ///< 1: found from a place chosen at random: whether a motion leads there is not known
    int iterations;
    int coordinates, freedoms; ///< joint coordinates, and independent motions there
} sar_pose_report;

typedef struct sar_pose sar_pose;

/// Limits are also the bounds of the model's constraints and its stops. The start is that of the model. `model` must
/// outlive the pose and not change. SAR_E_MODEL: an expression is wrong, or depends on more than positions; SAR_E_ASSEMBLY:
/// the model cannot be put together; SAR_E_ARG: more than 1500 coordinates.
SAR_API sar_status sar_pose_create(sar_model* model, const sar_options* options,
                                   const sar_pose_row* rows, int count, sar_pose** out,
                                   sar_error* error);
SAR_API void sar_pose_destroy(sar_pose* pose);

/// Another value of a row that is wanted, preferred or kept. SAR_E_ARG: no such row, or not finite.
SAR_API sar_status sar_pose_set(sar_pose* pose, int row, double value);
/// Find the nearest pose from the present one; where that misses something, from up to `starts` others. SAR_OK, also where
/// something is missed: the pose is then the nearest that was found. SAR_R_NO_CONV: the loops do not close with what is
/// kept, and the pose stays where it was; SAR_R_NOT_FINITE: an expression has no value there. Allocates nothing.
SAR_API sar_status sar_pose_solve(sar_pose* pose, int starts, sar_pose_report* report);
/// Back to the start of the model.
SAR_API void sar_pose_reset(sar_pose* pose);

/// Rows: those that were given, then the limits of the model.
SAR_API int sar_pose_rows(const sar_pose* pose);
SAR_API const char* sar_pose_row_name(const sar_pose* pose, int row);
/// Its value at the present pose, and by how much it misses what is wanted or its limits (0: it does not); both in the
/// user's units.
SAR_API sar_status sar_pose_row_value(const sar_pose* pose, int row, double* value, double* miss);
/// Solve for `count` rows of `values`, one number for each of the `wanted` rows: from each to the next. `reports`: one each.
/// `shown` (may be NULL): the values of all start conditions below, likewise.
SAR_API sar_status sar_pose_table(sar_pose* pose, int starts, int count, int wanted,
                                  const int* rows, const double* values, sar_pose_report* reports,
                                  double* shown);

/// The pose as start conditions of the model file: signals and their values.
SAR_API int sar_pose_starts(const sar_pose* pose);
SAR_API const char* sar_pose_start_name(const sar_pose* pose, int k);
SAR_API double sar_pose_start_value(const sar_pose* pose, int k);
/// Placement of a body there, as of sar_simulation_pose.
SAR_API void sar_pose_body(const sar_pose* pose, sar_body_id body, double position[3],
                           double quaternion[4]);

#ifdef __cplusplus
}
#endif
#endif
