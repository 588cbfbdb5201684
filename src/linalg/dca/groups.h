/* Which fronts make a batch, and which batches a unit that one thread works on. */
#ifndef SARI_DCA_GROUPS_H
#define SARI_DCA_GROUPS_H

#include "linalg/dca/batches.h"

typedef struct sari_dca_groups {
    int count, units;
    int* front; ///< [count * 4] -1: none; children come before parents
    int* unit;  ///< [units + 1] groups unit[u] .. unit[u + 1)
    double flops;
    int depth, largest; ///< as in sari_dca_batches
} sari_dca_groups;

sar_status sari_dca_groups_init(sari_dca_groups* g, sari_arena* memory, const sari_dca_fronts* f);

#endif
