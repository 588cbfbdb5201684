/// @file certificate.h
/// How far a run can be trusted: its samples beside those of a companion, the same motion by other
/// equations or with a smaller step.
///
///     sar_options other;
///     double ratio, order;
///     sar_companion_options(&options, SAR_COMPANION_INDEPENDENT, n, &other, &ratio, &order);
///     // run both, look at their outputs at the same times, then
///     sar_certificate_def def = {rows, columns, time, values, companion};
///     def.ratio = ratio, def.order = order;
///     sar_certificate c;
///     sar_certify(&def, &c, errors, NULL);
///     printf("trusted until %g s\n", c.trusted);
///
/// docs/trust.md has the equations, and what an estimate cannot see.
#ifndef SARRUS_CERTIFICATE_H
#define SARRUS_CERTIFICATE_H

#include "sarrus/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Runs that tell something about another one.
typedef enum sar_companion {
    SAR_COMPANION_INDEPENDENT, ///< the automatic method with a tight tolerance, if that costs little
                               ///< in other coordinates
    SAR_COMPANION_FINER,       ///< the same method with half the step or a tenth of the tolerance
    SAR_COMPANION_COARSER,     ///< with twice the step or ten times the tolerance: for the order
} sar_companion;

/// Options of a companion of the run with these `options`, which has `coordinates` coordinates.
/// `ratio` and `order` are for sar_certificate_def. SAR_E_INCOMPAT: there is no such companion.
SAR_API sar_status sar_companion_options(const sar_options* options, sar_companion which,
                                         int coordinates, sar_options* out, double* ratio,
                                         double* order);

/// Samples of a run and of its companions at the same times: row after row, `columns` numbers each.
typedef struct sar_certificate_def {
    int rows, columns;
    const double* time;      ///< ascending [s]
    const double* values;    ///< of the run
    const double* companion; ///< NaN in rows that it has not reached
    const double* coarser;   ///< of a run with `ratio` times the step; NULL: there is none
    double ratio;            ///< step of the run by that of the companion; INFINITY: the error of
                             ///< the companion is negligible
    double order;            ///< errors are proportional to the step to this power
    double accuracy;         ///< to be trusted to, of the range of an output; 0: 1e-2
    const int* group;        ///< of each column: outputs of one kind; NULL: each is its own
    const double* least;     ///< of each column: ranges below this count as this; NULL: 0
} sar_certificate_def;

typedef struct sar_certificate {
    double accuracy;
    double covered; ///< [s] last time that the companion has reached; NaN: none
    double trusted; ///< [s] errors are below the accuracy until then; `covered` if always
    int column;     ///< that ends trust; -1: none does
    double largest; ///< largest estimate, as a part of the output's range
    int largest_column;
    double largest_time; ///< [s]
    double order;        ///< that the estimates use: measured where there is a coarser run
    int measured;        ///< 1: it is measured
    int diverges;        ///< 1: smaller steps do not bring the motion nearer
    double tenfold;      ///< [s] in which errors grow tenfold; INFINITY: not exponentially
    double power;        ///< they grow with this power of time; NaN: exponentially, or not at all
} sar_certificate;

/// Estimate the error of every output at every sample, and the time until which it is below the
/// accuracy. `errors` (rows times columns, may be NULL): estimates, NaN where there are none;
/// `ranges` (columns, may be NULL): what they are compared with. SAR_E_ARG: no rows, no columns,
/// or the numbers mean nothing.
SAR_API sar_status sar_certify(const sar_certificate_def* def, sar_certificate* out, double* errors,
                               double* ranges);

#ifdef __cplusplus
}
#endif
#endif
