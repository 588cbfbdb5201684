/* The numbers of one batch: elimination of its pivots, and the two sweeps of a solution. */
#ifndef SARI_DCA_KERNELS_H
#define SARI_DCA_KERNELS_H

#include "solvers/dca_batches.h"
#include "solvers/inline.h"
#include "solvers/pivots.h"

/// All numbers, in vectors of four lanes; where those of a batch begin says sari_dca_batch.
typedef struct sari_dca_data {
    sari_dca_batches batches;
    sari_vec4* value;  ///< the matrix
    sari_vec4* factor; ///< L
    sari_vec4* rest;   ///< what fronts leave to their parents
    sari_vec4* side;   ///< right-hand sides and solutions
} sari_dca_data;

/// Factor one batch whose children are done. `front` has room for the largest one. Pivots that
/// cannot be used are replaced and counted in `watch`.
void sari_dca_factor_batch(const sari_dca_data* d, int batch, sari_vec4* front,
                           sari_pivot_watch* watch);

/// Up the tree: L y = b. Down: L' x = D^-1 y, which writes x to b.
void sari_dca_solve_up(const sari_dca_data* d, int batch, const double* b);
void sari_dca_solve_down(const sari_dca_data* d, int batch, double* b);

#endif
