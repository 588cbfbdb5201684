/* Expressions as functions of time over an interval, all other variables fixed: enclosures of the
 * value and of its Taylor coefficients, and the times at which branches change that depend on time
 * alone. Nothing in the interval can hide from an enclosure, however short it is. */
#ifndef SARI_EXPRESSION_TIME_H
#define SARI_EXPRESSION_TIME_H

#include "expression/expression.h"
#include "math/interval_series.h"

enum { SARI_TIME_ORDER = SARI_SERIES_ORDER }; ///< of Taylor coefficients

typedef struct sari_time_series {
    double at[2];                         ///< values at the two ends, on the branch of the first
    sari_interval c[SARI_TIME_ORDER + 1]; ///< f^(k)/k! anywhere between them
} sari_time_series;

struct sari_instruction;
/// The series of a smooth operation on u and v, into u. `constant`: time does not change v.
void sari_op_series(const struct sari_instruction* i, const sari_interval* v, bool constant,
                    sari_interval* u);

/// Does its value depend on time?
bool sari_expression_of_time(const sari_expression* e);

/// Over [from, to], `variables` as in expression.h. False: a branch of time may change in between; then
/// the series is that of the branch at `from`.
bool sari_expression_over_time(const sari_expression* e, const double* variables, double from,
                               double to, sari_time_series* out);

/// The same with other variables that change: moving[i] is variable i over the interval, also time.
/// False: a branch that is not held may change in between.
bool sari_expression_along(const sari_expression* e, const sari_time_series* moving,
                           sari_time_series* out);
/// What a guard of a branch that is held (expression/branches.c) does along such variables.
typedef struct sari_guard_path {
    enum { SARI_GUARD_STAYS, SARI_GUARD_CROSSES, SARI_GUARD_UNKNOWN } what;
    bool left;   ///< at the end it is beyond
    double size; ///< no value is larger
} sari_guard_path;
/// Of all of them, at 2 k + which for the first or second of instruction k. SARI_GUARD_CROSSES: it may reach
/// where its branch ends, once, or on a way that is convex.
void sari_expression_guards_along(const sari_expression* e, const sari_time_series* moving,
                                  sari_guard_path* guards);
/// Where a guard is in such a list.
int sari_expression_guard_place(const sari_expression* e, int guard);
/// How long the list is.
int sari_expression_guard_places(const sari_expression* e);
/// The cubic over an interval h with these values and rates at its ends.
sari_time_series sari_time_cubic(double h, double x0, double rate0, double x1, double rate1);
void sari_time_series_negate(sari_time_series* f);
/// Does a step h see all of a function f, or of its second derivative (`derivative` 2)? By the bound of
/// interpolation at the Chebyshev points,
///
///     |f - P| <= |f^(k)/k!| h^k / 2^(2k-1),
///
/// which has to be a small part of `size`, for some k up to `order`.
bool sari_time_series_seen(const sari_time_series* f, double h, int order, int derivative,
                           double size);

/// The first time in (from, to] at which a branch changes that depends on time alone; NaN: there is
/// none. `*examined` is set to where the search came; it is less than `to` if it was given up, as it
/// is where a guard is zero over a whole interval up to rounding.
double sari_expression_next_break(const sari_expression* e, const double* variables, double from,
                                  double to, double* examined);

#endif
