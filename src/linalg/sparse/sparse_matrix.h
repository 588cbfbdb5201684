/* Sparse storage shared by the neck and the linear solvers. */
#ifndef SARI_SPARSE_MATRIX_H
#define SARI_SPARSE_MATRIX_H

/// Compressed rows: row r holds x[p[r] .. p[r+1]), in columns i[...], ascending. The pattern is
/// fixed once made.
typedef struct sari_csr {
    int rows, cols;
    int* p;
    int* i;
    double* x;
    const char* zero; ///< entries that are in the pattern and always zero; NULL: not known
} sari_csr;

/// The lower triangle of a symmetric matrix by columns: column c holds x[p[c] .. p[c+1]), in rows
/// i[...] >= c, ascending, the diagonal first and always present.
///
/// It may be the sum of such a matrix and of one that a tree generates (generated.h). x has the
/// diagonal of both then, and beside it the entries of the first alone.
typedef struct sari_sym {
    int n;
    int* p;
    int* i;
    double* x;
    struct sari_generated* tree; ///< its own; NULL: there is none
    double slopes;               ///< (2) of generated.h
} sari_sym;

#endif
