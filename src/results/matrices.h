/* Named matrices and lists of names as an HDF5 file: what is no table over time. */
#ifndef SARI_RESULTS_MATRICES_H
#define SARI_RESULTS_MATRICES_H

#include "sarrus/base.h"

/// A dataset at the root: numbers by rows, or `rows` names.
typedef struct sari_named_matrix {
    const char* name;
    int rows, cols;
    const double* x;          ///< NULL: names
    const char* const* names; ///< likewise
} sari_named_matrix;

/// SAR_E_BUILD: without HDF5; SAR_E_IO: it cannot be written.
sar_status sari_write_matrices(const char* path, int count, const sari_named_matrix* list,
                               sar_error* error);

#endif
