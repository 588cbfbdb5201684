/* The loops of quadratics.c, for those who go through rows and do more with them on the way. */
#ifndef SARI_QUADRATICS_KERNELS_H
#define SARI_QUADRATICS_KERNELS_H

#include "linalg/inline.h"
#include "system/mechanism/quadratics.h"

/// An entry of H x. `is_long`: there may be more than two terms.
SARI_INLINE double sari_quadratics_times(const sari_quadratics* f, const sari_quadratic_entry* e,
                                         const double* x, const int is_long)
{
    double sum = e->c[0] * x[e->x[0]] + e->c[1] * x[e->x[1]];
    for (int k = e->more; is_long && k < e->end; k++) sum += f->term[k].c * x[f->term[k].i];
    return sum;
}

#endif
