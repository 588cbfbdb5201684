/* Patterns and products of the sparse matrices. Building is for create time; the products run in
 * the step. */
#ifndef SARI_SYM_TOOLS_H
#define SARI_SYM_TOOLS_H

#include "base/archive.h"
#include "linalg/sparse/sparse_matrix.h"
#include "sarrus/base.h"

/// Collects (row, column) pairs, in any order and as often as one likes, for either kind of matrix.
typedef struct sari_pattern {
    int rows, cols;
    int count, capacity;
    struct sari_pattern_pair* pair;
    sar_status status; ///< of the adds so far, so that only the making must be checked
} sari_pattern;

void sari_pattern_init(sari_pattern* p, int rows, int cols);
void sari_pattern_clear(sari_pattern* p);

/// SAR_E_ARG when outside the matrix, SAR_E_NOMEM; remembered, later adds do nothing then.
sar_status sari_pattern_add(sari_pattern* p, int row, int col);

/// Room for so many more, to spare growing; remembered as adds are.
sar_status sari_pattern_reserve(sari_pattern* p, long more);

/// Every pair of the given indices: what a dense block on these coordinates needs. For sari_sym.
sar_status sari_pattern_add_clique(sari_pattern* p, const int* index, int count);

/// A symmetric matrix with these entries and the whole diagonal, values zero. (r, c) and (c, r) are
/// the same entry. The pattern must be square. On failure `out` is empty. Linear in the number of
/// pairs.
sar_status sari_pattern_make_sym(const sari_pattern* p, sari_sym* out);

/// A general matrix by rows with exactly these entries, values zero.
sar_status sari_pattern_make_csr(const sari_pattern* p, sari_csr* out);

void sari_sym_clear(sari_sym* A);
void sari_csr_clear(sari_csr* A);

/// Position of an entry in x, -1 if the pattern does not have it. In sari_sym either triangle may
/// be asked for.
int sari_sym_find(const sari_sym* A, int row, int col);
int sari_csr_find(const sari_csr* A, int row, int col);

/// The values of `from`, which has the same pattern and tree.
void sari_sym_assign(sari_sym* to, const sari_sym* from);
void sari_sym_archive(sari_sym* A, sari_archive* a); ///< its values

/// y = A b, where A has the pattern of `A` and the values x. y and b must not overlap.
void sari_sym_multiply(const sari_sym* A, const double* x, const double* b, double* y);

/// y = A b.
void sari_csr_multiply(const sari_csr* A, const double* b, double* y);

/// y += s A' b.
void sari_csr_multiply_add_transposed(const sari_csr* A, double s, const double* b, double* y);

#endif
