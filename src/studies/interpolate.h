/* Values of a result between its rows. */
#ifndef SARI_STUDIES_INTERPOLATE_H
#define SARI_STUDIES_INTERPOLATE_H

#include "sarrus/result.h"

/// Value of a column at t, between `row` and the next one. `rate` may be NULL (sar_result_rate).
/// `unsure` receives how far other interpolations are away.
double sari_interpolate(const sar_result* r, int column, const double* rate, int row, double t,
                        double* unsure);

#endif
