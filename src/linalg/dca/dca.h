/* What tests and benchmarks may know of the tree of the solver `dca`. */
#ifndef SARI_DCA_H
#define SARI_DCA_H

#include "linalg/solver.h"

typedef struct sari_dca_facts {
    int fronts, batches;
    int depth;     ///< fronts from the root to the lowest leaf
    int largest;   ///< rows of the largest front
    int units;     ///< independent parts that threads can share
    double flops;  ///< of one factorisation, without lanes that are not in use
    double padded; ///< with them
} sari_dca_facts;

/// `self` of a solver made by sari_solver_dca.
void sari_dca_facts_of(const void* self, sari_dca_facts* out);

#endif
