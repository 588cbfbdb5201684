/* Constraints that leave no motion free: J with as many independent rows as columns.
 *
 *     J x = g        has one solution, or none where redundant rows contradict each other
 *     J' mu = f      has a solution for every f; of all of them the least is taken
 *
 * Columns have weights, the inertia of their coordinates, and rows are scaled to length one then,
 * so that neither units nor the size of the mechanism decide what counts as dependent. (Columns
 * scaled to length one would hide those that vanish: dead centres.) */
#ifndef SARI_DETERMINED_H
#define SARI_DETERMINED_H

#include "solvers/qr.h"
#include "solvers/sparse_matrix.h"

typedef struct sari_determined {
    int n, m;      ///< columns and rows of J
    sari_qr qr;    ///< of the scaled J
    double* row;   ///< [m] factors of the rows
    double* plain; ///< [m] lengths of the rows as they are
    double* col;   ///< [n] factors of the columns; 1 at first
    double* work;  ///< [max(n, m)]
    double weight; ///< of the weakest direction of the last J, relative to the strongest
} sari_determined;

sar_status sari_determined_create(int rows, int cols, sari_determined* out);
void sari_determined_clear(sari_determined* d);

/// Factor J; at most `most` of its columns are taken as independent.
void sari_determined_factor(sari_determined* d, const sari_csr* J, int most);
/// Columns of J that are independent, where what is weaker than `tolerance` counts as nothing.
int sari_determined_rank(const sari_determined* d, double tolerance);

/// x with J x = g, as good as it can be in the sense of least squares. Of columns that depend on
/// others x is zero.
void sari_determined_solve(sari_determined* d, const double* g, double* x);
/// The least mu with J' mu = f, in the sense of the scaled rows.
void sari_determined_solve_transposed(sari_determined* d, const double* f, double* mu);
/// The k-th of cols - rank vectors x with J x = 0, of length one.
void sari_determined_free(sari_determined* d, int rank, int k, double* x);
/// Largest |g|, each divided by the length of its row of J: a distance.
double sari_determined_size(const sari_determined* d, const double* g);

#endif
