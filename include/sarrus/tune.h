/// @file tune.h
/// The cheapest setting of a method that is good enough: the search of `sarrus tune`, over any runs.
#ifndef SARRUS_TUNE_H
#define SARRUS_TUNE_H

#include "sarrus/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sar_tune_variable {
    double least, most;
    int logarithmic; ///< least > 0
    int integer;
} sar_tune_variable;

typedef struct sar_tune_outcome {
    int passes;   ///< is the setting good enough?
    double cost;  ///< what is to be least; read only if it passes
    double value; ///< what was compared with the threshold; not read here
} sar_tune_outcome;

typedef struct sar_tune_def {
    const sar_tune_variable* variables;
    int count;        ///< at most SAR_TUNE_MOST
    int driver;       ///< the variable that makes a run cheaper as it grows (the step); -1: none
    int points;       ///< of each variable in the coarse grid, 2 or more
    double tightness; ///< how near the driver comes to its limit, as a ratio: 1.02
    /// Try `count` settings, setting[k * variables], in any order or at once.
    /// Anything but SAR_OK ends the search.
    sar_status (*evaluate)(void* context, int count, const double* settings,
                           sar_tune_outcome* outcomes);
    /// No run with this setting costs less. May be NULL.
    double (*least_cost)(void* context, const double* setting);
    void* context;
} sar_tune_def;

enum { SAR_TUNE_MOST = 6 };

typedef struct sar_tune_answer {
    int found; ///< 0: no setting that was tried is good enough
    double setting[SAR_TUNE_MOST];
    sar_tune_outcome outcome;
    int tried; ///< settings
} sar_tune_answer;

/// Search. The same definition gives the same answer, whatever the order inside `evaluate`.
SAR_API sar_status sar_tune(const sar_tune_def* def, sar_tune_answer* out, sar_error* error);

/// The setting one notch beside: a tenth of the size for a driver, half a decade for other
/// logarithmic variables, a tenth of the range for linear ones, 1 for integers at least.
/// 1, or 0 when that is outside the range.
SAR_API int sar_tune_neighbour(const sar_tune_def* def, const double* setting, int variable,
                               int direction, double* neighbour);

#ifdef __cplusplus
}
#endif
#endif
