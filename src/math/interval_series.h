/* Series in h whose coefficients are intervals: r[k] holds the k-th Taylor coefficient of a function at all
 * points of some interval. The result of a function may be one of its arguments. */
#ifndef SARI_INTERVAL_SERIES_H
#define SARI_INTERVAL_SERIES_H

#include "math/interval.h"

enum { SARI_SERIES_ORDER = 6 };

typedef enum sari_arc { SARI_ARC_SINE, SARI_ARC_COSINE, SARI_ARC_TANGENT } sari_arc;

void sari_series_unknown(sari_interval* r); ///< anything
void sari_series_multiply(const sari_interval* u, const sari_interval* v, sari_interval* r);
void sari_series_square(const sari_interval* u, sari_interval* r);
void sari_series_divide(const sari_interval* u, const sari_interval* v, sari_interval* r);
void sari_series_power(const sari_interval* u, double n, sari_interval* r);
void sari_series_exp(const sari_interval* u, sari_interval* r);
void sari_series_log(const sari_interval* u, sari_interval* r);
void sari_series_tanh(const sari_interval* u, sari_interval* r);
void sari_series_arc(sari_arc which, const sari_interval* u,
                     sari_interval* r); ///< asin, acos, atan
void sari_series_atan2(const sari_interval* y, const sari_interval* x, sari_interval* r);
/// Sine and cosine, and the hyperbolic ones; s and c are not u.
void sari_series_circular(const sari_interval* u, sari_interval* s, sari_interval* c);
void sari_series_hyperbolic(const sari_interval* u, sari_interval* s, sari_interval* c);
/// sum c_i (u - origin)^i
void sari_series_polynomial(const sari_interval* u, double origin, const double* c, int degree,
                            sari_interval* r);

#endif
