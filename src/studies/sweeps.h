/* What sweeps are made of: grids of settings, and how a problem measures errors. For the program's commands sweep, tune and
 * export: not installed, and may change at any time. */
#ifndef SARI_STUDIES_SWEEPS_H
#define SARI_STUDIES_SWEEPS_H

#include "sarrus/base.h"

/* ---- grids: the points of a sweep ----------------------------------------------------------- */

/// A number as people write it on a command line: also "1e8.5", which is 10^8.5. 1, or 0 when the
/// text is not a finite number and nothing else.
SAR_API int sar_number_read(const char* text, double* value);

typedef enum sar_scale { SAR_SCALE_WORDS, SAR_SCALE_LINEAR, SAR_SCALE_LOG } sar_scale;

/// The product of the values of named axes. The last axis turns fastest.
typedef struct sar_grid sar_grid;

SAR_API sar_status sar_grid_create(sar_grid** out);
SAR_API void sar_grid_destroy(sar_grid* grid);

/// Add an axis, "name=values", where the values are one of
///
///     lin:FROM:TO:COUNT      evenly spaced, both ends included
///     log:FROM:TO:COUNT      evenly spaced in the logarithm
///     list:A,B,C or A,B,C    these numbers or words
///
/// Computed values are rounded to 15 digits, so that their text says exactly what was used.
/// @return SAR_OK, SAR_E_ARG with a message that says what was wanted, SAR_E_NOMEM
SAR_API sar_status sar_grid_vary(sar_grid* grid, const char* text, sar_error* error);

SAR_API int sar_grid_axes(const sar_grid* grid);
SAR_API const char* sar_grid_name(const sar_grid* grid, int axis);
/// Words, or a line on which the values are drawn well. Numbers of a list are on a logarithmic one
/// when they are positive and span a factor of 20 or more.
SAR_API sar_scale sar_grid_scale(const sar_grid* grid, int axis);
SAR_API int sar_grid_count(const sar_grid* grid, int axis);
SAR_API const char* sar_grid_text(const sar_grid* grid, int axis, int k);
SAR_API double sar_grid_value(const sar_grid* grid, int axis, int k); ///< NaN for a word

SAR_API long sar_grid_points(const sar_grid* grid); ///< 1 without axes
/// Which value each axis has at a point, into index[sar_grid_axes].
SAR_API void sar_grid_point(const sar_grid* grid, long point, int* index);

/* ---- metrics of problems -------------------------------------------------------------------- */

/// How a problem's error is measured: the `metric` of its published.json.
typedef struct sar_metric {
    char names[8][32];
    double weights[8];
    int count;
    double interval;  ///< [s]
    double relative;  ///< as of sar_comparison_def
    double low, high; ///< errors that are acceptable at low and at high precision; 0: unknown
} sar_metric;

/// SAR_OK; SAR_E_IO: no such file; SAR_E_ARG: it has no metric, or one that makes no sense.
SAR_API sar_status sar_metric_read(const char* path, sar_metric* out, sar_error* error);

#endif
