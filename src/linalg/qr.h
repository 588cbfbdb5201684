/* Dense QR with column pivoting, for matrices whose rank matters: A Pi = Q R. */
#ifndef SARI_QR_H
#define SARI_QR_H

#include "base/arena.h"
#include "linalg/sparse/sparse_matrix.h"
#include "sarrus/base.h"

typedef struct sari_qr {
    sari_arena memory;
    int rows, cols;
    int rank;      ///< columns eliminated by the last factor
    double* A;     ///< column after column; after factor: R, and the reflectors below it
    double* tau;   ///< of the reflectors
    double* pivot; ///< |R_kk|, descending but for rounding
    int* order;    ///< column that was chosen k-th; those not chosen follow
    double *length, *reference; ///< squared lengths of the columns that are left
} sari_qr;

sar_status sari_qr_create(int rows, int cols, sari_qr* out);
void sari_qr_clear(sari_qr* qr);

/// Fill A, then factor: at most `most` columns, the longest that is left each time. When nothing
/// but zeros is left the elimination ends with fewer.
void sari_qr_factor(sari_qr* qr, int most);

/// A = J', of whose columns as many count as A has rows.
void sari_qr_load_transposed(sari_qr* qr, const sari_csr* J);

/// Pivots above `relative` of the first, which is how all of the library counts a rank by pivots.
int sari_qr_rank(const sari_qr* qr, double relative);

/// Constraints that joint coordinates meet by themselves, as of a joint that is there twice, leave
/// rows of rounding, in lengths of the model's size and radians. Rounding is no scale for a rank:
/// such rows constrain nothing.
int sari_row_is_rounding(const sari_csr* J, int row);
int sari_rows_are_rounding(const sari_csr* J, int rows); ///< all of the first `rows`

/// Longest column that the last factor left, 0 when none is left.
double sari_qr_left(const sari_qr* qr);

void sari_qr_multiply(const sari_qr* qr, double* x);            ///< x = Q x
void sari_qr_multiply_transposed(const sari_qr* qr, double* x); ///< x = Q' x

/// With R, the leading square of `rank` columns: x = R^-1 x and x = R'^-1 x.
void sari_qr_back(const sari_qr* qr, double* x);
void sari_qr_back_transposed(const sari_qr* qr, double* x);

/// x = column `rank` + k of Q, of as many numbers as A has rows: what no column of A reaches.
void sari_qr_null_vector(const sari_qr* qr, int k, double* x);
/// A mu = w by least squares; mu = 0 for columns beyond the rank. w is lost.
void sari_qr_solve(const sari_qr* qr, double* w, double* mu);

#endif
