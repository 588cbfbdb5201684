/* Runs of a model with other numbers: values of expressions at given times, and their slopes. What fits and designs are
 * made of.
 *
 *     y_ij(p) = expression j at time i of the run with the numbers p;   dy/dp by the derivative of the run, or
 *     dy/dp_k = (y(p + h e_k) - y(p - h e_k))/2h   by differences of whole runs                     (1)
 */
#ifndef SARI_EXPERIMENT_H
#define SARI_EXPERIMENT_H

#include "base/arena.h"
#include "sarrus/fit.h"

typedef struct sari_experiment {
    sari_arena memory;
    const sar_study* study;
    int count, expressions; ///< free numbers; columns of y
    const char** expression;
    double* size; ///< of the numbers, for (1)
    int* number;  ///< of the source, see sar_source_numbers
    const char** name;
    double *in_file, *first; ///< values there, and where a search begins
    double* lower;           ///< bounds of the study, or those below which there is no model
    sar_setting* settings;   ///< without free numbers
    int settings_count;
    int refuses; ///< the method of the runs has no derivatives
    long runs;
    char refused[384]; ///< why the first number without a derivative has none; "": all have one
    char failure[384]; ///< of the last run that failed
} sari_experiment;

/// `expressions` are those of outputs, or names of outputs. SAR_E_ARG, SAR_E_MODEL: a name or an expression is wrong.
sar_status sari_experiment_create(const sar_study* study, const char* const* expressions, int count,
                                  sari_experiment* x, sar_error* error);
void sari_experiment_clear(sari_experiment* x);

/// The model with these numbers, whose last outputs are the expressions: `column[j]` of them. Destroy it.
sar_status sari_experiment_model(sari_experiment* x, const double* p, sar_model** model,
                                 int* column, sar_error* error);
/// y at `count` ascending times, row after row. > 0: the run fails, see `failure`.
sar_status sari_experiment_values(sari_experiment* x, const double* p, const double* times,
                                  int count, double* y);
/// A difference of number k that is more than rounding: `part` of its size.
double sari_experiment_step(const sari_experiment* x, double part, int k, double p);
/// What became of a search that ended at p: a number that grew beyond all measure is no minimum.
void sari_experiment_judge(const sari_experiment* x, const double* p, sar_optimum* found);
/// dy/dp, (count expressions) x numbers.
sar_status sari_experiment_slopes(sari_experiment* x, const double* p, const double* times,
                                  int count, const double* y, double* J);

#endif
