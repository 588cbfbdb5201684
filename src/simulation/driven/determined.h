/* Constraints that leave no motion free: J with as many independent rows as columns.
 *
 *     J x = g        has one solution, or none where redundant rows contradict each other
 *     J' mu = f      has a solution for every f; of all of them the least is taken
 *
 * Columns have weights, the inertia of their coordinates, and rows are scaled to length one then,
 * so that neither units nor the size of the mechanism decide what counts as dependent. (Columns
 * scaled to length one would hide those that vanish: dead centres.)
 *
 * Small ones are solved by QR with column pivoting, large ones sparse. */
#ifndef SARI_DETERMINED_H
#define SARI_DETERMINED_H

#include "formulations/constrained.h"
#include "linalg/qr.h"

enum { SARI_DETERMINED_FREE = 64 }; ///< free directions that the sparse one can distinguish

typedef struct sari_determined {
    sari_arena memory;
    int n, m;      ///< columns and rows of J
    double* row;   ///< [m] factors of the rows
    double* plain; ///< [m] lengths of the rows as they are
    double* col;   ///< [n] factors of the columns; 1 at first
    double* work;  ///< [max(n, m)]
    double weight; ///< of the weakest direction of J, relative to the strongest; see assess
    sari_qr qr;    ///< of the scaled J

    int sparse; ///< instead of qr:
    sari_csr J; ///< scaled
    sari_constrained lin;
    double *zero, *x, *y, *z; ///< [n] but y: [m]
    double* free;             ///< orthonormal directions that J leaves free, n numbers each
    int frees;
} sari_determined;

/// For matrices with the pattern of J. `solver` is "dense", "auto" (by size), or anything else for
/// the sparse way. `out` must stay where it is.
sar_status sari_determined_create(const sari_csr* J, const char* solver, sari_determined* out);
void sari_determined_clear(sari_determined* d);

/// Factor J; at most `most` of its columns are taken as independent.
void sari_determined_factor(sari_determined* d, const sari_csr* J, int most);
/// Find out about the weight and the rank of the J last factored.
void sari_determined_assess(sari_determined* d);
/// Columns of J that are independent, where what is weaker than `tolerance` counts as nothing (the
/// sparse way has its own, some 1e-6). Has to be assessed.
int sari_determined_rank(const sari_determined* d, double tolerance);

/// x with J x = g, as good as it can be in the sense of least squares. What J leaves free is not
/// moved far: x is zero in dependent columns, or the least there is.
void sari_determined_solve(sari_determined* d, const double* g, double* x);
/// The least mu with J' mu = f, in the sense of the scaled rows.
void sari_determined_solve_transposed(sari_determined* d, const double* f, double* mu);
/// The k-th of cols - rank vectors x with J x = 0, of length one. Has to be assessed.
void sari_determined_free(sari_determined* d, int rank, int k, double* x);
/// Largest |g|, each divided by the length of its row of J: a distance.
double sari_determined_size(const sari_determined* d, const double* g);

#endif
