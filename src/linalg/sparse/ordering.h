/* An order of elimination that keeps the factors of a sparse symmetric matrix sparse. */
#ifndef SARI_ORDERING_H
#define SARI_ORDERING_H

#include "linalg/sparse/sparse_matrix.h"
#include "sarrus/base.h"

/// order[k] becomes the row that is eliminated k-th.
/// @return SAR_OK, SAR_E_NOMEM
sar_status sari_minimum_degree(const sari_sym* A, int* order);

#endif
