/* Numbers of a whole run: texts like "end(P.x) - start(P.x)", in which functions of one argument stand for sums over its
 * samples.
 *
 *     F = outer(R_1, R_2, ...; parameters),   R = sum over samples, a largest or a last value of an expression     (1)
 */
#ifndef SARI_FUNCTIONAL_H
#define SARI_FUNCTIONAL_H

#include "base/arena.h"
#include "sarrus/base.h"

typedef enum sari_reducer_kind {
    SARI_START,
    SARI_END,
    SARI_INTEGRAL,
    SARI_MEAN,
    SARI_RMS,
    SARI_MAX,
    SARI_MIN
} sari_reducer_kind;

typedef struct sari_reducer {
    sari_reducer_kind kind;
    int column; ///< of its expression
} sari_reducer;

typedef struct sari_functional {
    char* outer;      ///< the text with the names of reducers
    int whole;        ///< it is one reducer and nothing else: its number; -1: it is not
    int first, count; ///< its reducers
} sari_functional;

/// The reducers of all texts of a study, and the expressions that they are of.
typedef struct sari_functionals {
    sari_arena memory;
    const char** expression;
    int expressions;
    sari_reducer* reducer;
    int reducers;
} sari_functionals;

/// Room for texts of this many characters in all.
sar_status sari_functionals_create(sari_functionals* f, size_t characters);
void sari_functionals_clear(sari_functionals* f);
/// Take a text apart. SAR_E_ARG: a parenthesis is open.
sar_status sari_functional_read(sari_functionals* f, const char* text, sari_functional* out,
                                sar_error* error);
/// Number of an expression, which is added if it is not there.
int sari_functionals_expression(sari_functionals* f, const char* text, size_t length);
/// The name of reducer k in `outer`.
void sari_reducer_name(int k, char name[32]);

/// R of (1) over `count` samples of a table with `columns`, over the time T; `slope[i]` (may be NULL) = dR/dy_i.
double sari_reducer_value(const sari_reducer* r, const double* y, int count, int columns, double T,
                          double* slope);
/// Weight of sample i in a mean over time: Simpson's rule, for an odd number of samples.
double sari_sample_weight(int i, int count);

#endif
