/* The numbers of one batch: elimination of its pivots, and the two sweeps of a solution. */
#ifndef SARI_DCA_KERNELS_H
#define SARI_DCA_KERNELS_H

#include "linalg/dca/batches.h"
#include "linalg/inline.h"
#include "linalg/pivots.h"

// Vectors are passed between functions of one file only: other files do not see how.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

/// All numbers, in vectors of four lanes; where those of a batch begin says sari_dca_batch.
typedef struct sari_dca_data {
    sari_dca_batches batches;
    sari_vec4* value;  ///< the matrix
    sari_vec4* factor; ///< L
    sari_vec4* rest;   ///< what fronts leave to their parents
    sari_vec4* side;   ///< right-hand sides and solutions
} sari_dca_data;

/// Shapes that have kernels of their own, X(leaf, pivots, rows): bodies of three, six or seven
/// variables with one or two joints of two (plane), three or five rows, and nodes that join them.
// clang-format off
#define SARI_DCA_SHAPES(X)                                                                         \
    X(1, 3, 5) X(1, 3, 7)                                                                          \
    X(1, 6, 9) X(1, 6, 11) X(1, 6, 12) X(1, 6, 16) X(1, 7, 10) X(1, 7, 12) X(1, 7, 13)             \
    X(0, 2, 2) X(0, 2, 4) X(0, 2, 6)                                                               \
    X(0, 3, 3) X(0, 3, 6) X(0, 3, 9) X(0, 5, 5) X(0, 5, 10) X(0, 5, 15)
// clang-format on

/// Vectors that their kernels need behind the front.
enum { SARI_DCA_WORK = 6 * 10 };

/// Pivots of serial nodes that have kernels of their own.
#define SARI_DCA_SERIAL_SHAPES(X) X(2) X(3) X(5)

#define SARI_DCA_KEY(leaf, pivots, rows) ((leaf) + 2 * ((pivots) + 32 * (rows)))

static inline int sari_dca_key(const sari_dca_plan* p)
{
    return p->rows < 32 ? SARI_DCA_KEY(p->kind == SARI_DCA_LEAF, p->pivots, p->rows) : -1;
}

/// Factor one batch whose children are done. `front` has room for the largest one
/// and SARI_DCA_WORK more. Pivots that
/// cannot be used are replaced and counted in `watch`.
void sari_dca_factor_batch(const sari_dca_data* d, int batch, sari_vec4* front,
                           sari_pivot_watch* watch);

/// Up the tree: L y = b. Down: L' x = D^-1 y, which writes x to b.
void sari_dca_solve_up(const sari_dca_data* d, int batch, const double* b);
void sari_dca_solve_down(const sari_dca_data* d, int batch, double* b);

#endif
