/// @file certificate.h
/// How far a run can be trusted: its samples beside those of a reference run, the same motion by other
/// equations or with a smaller step.
///
///     sar_options other;
///     double ratio, order;
///     sar_reference_options(&options, SAR_REFERENCE_INDEPENDENT, n, &other, &ratio, &order);
///     // run both, look at their outputs at the same times, then
///     sar_certificate_def def = {rows, columns, time, values, reference run};
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
typedef enum sar_reference_kind {
    SAR_REFERENCE_INDEPENDENT, ///< the automatic method with a tight tolerance, if that costs little
                               ///< in other coordinates
    SAR_REFERENCE_FINER,       ///< the same method with half the step or a tenth of the tolerance
    SAR_REFERENCE_COARSER,     ///< with twice the step or ten times the tolerance: for the order
    SAR_REFERENCE_QUICK, ///< the automatic method, in its own coordinates and no more accurate
                         ///< than it has to be
} sar_reference_kind;

/// Options of a reference run of the run with these `options`, which has `coordinates` coordinates.
/// `ratio` and `order` are for sar_certificate_def. SAR_E_INCOMPAT: there is no such reference run.
SAR_API sar_status sar_reference_options(const sar_options* options, sar_reference_kind which,
                                         int coordinates, sar_options* out, double* ratio,
                                         double* order);

/// Samples of a run and of its reference runs at the same times: row after row, `columns` numbers each.
typedef struct sar_certificate_def {
    int rows, columns;
    const double* time;      ///< ascending [s]
    const double* values;    ///< of the run
    const double* reference; ///< NaN in rows that it has not reached
    const double* coarser;   ///< of a run with `ratio` times the step; NULL: there is none
    double ratio;        ///< step of the run by that of the reference run, below 1 if that is the
                         ///< coarser one; INFINITY: the error of the reference run is negligible
    double order;        ///< errors are proportional to the step to this power
    double accuracy;     ///< to be trusted to, of the range of an output; 0: 1e-2
    const int* group;    ///< of each column: outputs of one kind; NULL: each is its own
    const double* least; ///< of each column: ranges below this count as this; NULL: 0
} sar_certificate_def;

typedef struct sar_certificate {
    double accuracy;
    double covered; ///< [s] last time that the reference run has reached; NaN: none
    double trusted; ///< [s] errors are below the accuracy until then; `covered` if always
    int column;     ///< that ends trust; -1: none does
    double largest; ///< largest estimate, as a part of the output's range
    int largest_column;
    double largest_time;   ///< [s]
    double order;          ///< that the estimates use: measured where there is a coarser run
    int measured;          ///< 1: it is measured
    int diverges;          ///< 1: smaller steps do not bring the motion nearer
    double tenfold;        ///< [s] in which errors grow tenfold; INFINITY: not exponentially
    double power;          ///< they grow with this power of time; NaN: exponentially, or not at all
    int undefined;         ///< the first column without a finite value, which ends trust; -1: none
    double undefined_time; ///< [s] when it first has none; NaN: it always has one
} sar_certificate;

/// Estimate the error of every output at every sample, and the time until which it is below the
/// accuracy. `errors` (rows times columns, may be NULL): estimates, NaN where there are none;
/// `ranges` (columns, may be NULL): what they are compared with. SAR_E_ARG: no rows, no columns,
/// or the numbers mean nothing.
SAR_API sar_status sar_certify(const sar_certificate_def* def, sar_certificate* out, double* errors,
                               double* ranges);

/* ---- all of it ------------------------------------------------------------------------------ */

/// A run whose samples are known, for runs beside it in the calling thread.
typedef struct sar_reference_run_def {
    const sar_model* model;
    const sar_options* options;  ///< of the run
    int coordinates;             ///< that it has: sar_simulation_rank
    double size;                 ///< of the model [m]: sar_assembly
    double accuracy;             ///< of the certificate; 0: 1e-2
    int rows;                    ///< samples; without meaning if there is a `wait`
    const double *time, *values; ///< of the run: all outputs of the model, row after row
    /// For a run that still goes on: wait for a row. 0: it has ended before. NULL: all are there.
    int (*wait)(void* context, int row);
    void* context;
    int quick;          ///< a quick reference run first; others only if that has doubts
    const double* work; ///< sar_simulation_work of the run at each sample: a quick reference run
                        ///< that takes much more gives up. NULL: no limit
    double *reference, *second; ///< room for samples of two reference runs
    double* noise; ///< room for two numbers per output: what rounding makes of it, and a scale.
                   ///< NULL: they are not known
} sar_reference_run_def;

/// How the reference run fared that the run is compared with.
typedef struct sar_reference_outcome {
    int complete; ///< it has all samples
    int rows;
    sar_reference_kind kind;
    double ratio, order;
    double energy;         ///< scale of the energies [J]
    long steps;            ///< that it took
    int contested;         ///< other equations contradict the run, a smaller step does not
    int has_coarser;       ///< `second` is that run
    long passes, branches; ///< singular passages, branch changes
    char method[160];      ///< in words
} sar_reference_outcome;

/// A count of what a simulation has done so far, proportional to its time within a factor of about
/// two whatever its method: corrections of al3 times coordinates.
SAR_API double sar_simulation_work(const sar_simulation* simulation);

/// Run reference runs until one has all samples: other equations, or a smaller step.
SAR_API void sar_reference_run(const sar_reference_run_def* def, sar_reference_outcome* out);
/// sar_certify with what they say. Outputs of one unit are of one kind; what stands still is
/// compared with parts of the model's size, a radian, and what the energies make of a unit.
/// SAR_E_ARG: no reference run is complete.
SAR_API sar_status sar_reference_outcome_certify(const sar_reference_run_def* def,
                                                 const sar_reference_outcome* by,
                                                 sar_certificate* out, double* errors,
                                                 double* ranges);

#ifdef __cplusplus
}
#endif
#endif
