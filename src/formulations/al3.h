/* What a step of al3 consists of where it is a plain one: for those who do the steps of several
 * instances at once (batch/). */
#ifndef SARI_AL3_H
#define SARI_AL3_H

#include "formulations/constrained.h"

typedef struct sari_al3_facts {
    const sari_constrained* penalty; ///< P = M, and where everything goes in S
    double own;                      ///< c of its choice
    double alpha;                    ///< the penalty that was given; 0: none
    int projections;                 ///< passes of them
    int patience;                    ///< corrections before the limit takes over
} sari_al3_facts;

/// Of a formulation that has started: the facts, and NULL; or what makes its steps others.
const char* sari_al3_plain(const void* self, sari_al3_facts* out);

/// Such a step was done elsewhere, with this shift: what can be asked of the last step is of that.
void sari_al3_follow(void* self, double ca);

#endif
