/* Linear solvers for matrices without symmetry, on a symmetric pattern: the tangents of some Newton
 * iterations. They go by the names of the symmetric ones (solver.h) and live as they do: create
 * analyses the pattern once, nothing allocates afterwards.
 *
 * The values come in two arrays over the pattern of a sari_sym: for its entry e in row r of column
 * c, lower[e] = A(r, c) and upper[e] = A(c, r). On the diagonal lower counts. */
#ifndef SARI_LU_H
#define SARI_LU_H

#include "base/object.h"
#include "linalg/sparse/sparse_matrix.h"

typedef struct sari_lu_ops {
    const char* name; ///< of the symmetric solver that it stands beside
    size_t size;      ///< of an object, see base/object.h
    sar_status (*create)(void* self, const sari_sym* pattern);
    /// SAR_R_SINGULAR when a pivot is zero or not finite; the factor can still be used then (the
    /// pivot is replaced by a tiny one).
    sar_status (*factor)(void* self, const double* lower, const double* upper);
    void (*solve)(const void* self, double* b);            ///< in place
    void (*solve_transposed)(const void* self, double* b); ///< A'x = b, likewise
} sari_lu_ops;

typedef struct sari_lu {
    const sari_lu_ops* ops;
    void* self;
} sari_lu;

extern const sari_lu_ops sari_lu_dense;  ///< partial pivoting
extern const sari_lu_ops sari_lu_sparse; ///< a fixed order without pivoting, refined once

/// "dense", "sparse" or "auto", which chooses like the symmetric ones. SAR_E_ARG: no such name.
sar_status sari_lu_create(const char* name, const sari_sym* pattern, sari_lu* out);
void sari_lu_clear(sari_lu* lu);

/// y = A b. y and b must not overlap.
void sari_lu_multiply(const sari_sym* pattern, const double* lower, const double* upper,
                      const double* b, double* y);
/// y = A'b.
void sari_lu_multiply_transposed(const sari_sym* pattern, const double* lower, const double* upper,
                                 const double* b, double* y);

#endif
