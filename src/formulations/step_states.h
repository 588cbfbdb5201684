/* States of forces in the matrix of a step: (1) of step_matrix.h, group by group. */
#ifndef SARI_STEP_STATES_H
#define SARI_STEP_STATES_H

#include "base/arena.h"
#include "linalg/sym_tools.h"
#include "system/equations.h"

typedef struct sari_condensation sari_condensation;

/// For the present pattern of K. NULL: out of memory.
sari_condensation* sari_condensation_create(const sari_equations* sys, sari_arena* memory);
/// Entries that P needs, and where they are.
void sari_condensation_pattern(const sari_condensation* c, sari_pattern* pattern);
void sari_condensation_locate(sari_condensation* c, const sari_sym* P);

/// P of the symmetric parts of all becomes that of (1); what it took is kept.
void sari_condensation_set(sari_condensation* c, double b, double cv, double* P);
void sari_condensation_archive(sari_condensation* c, sari_archive* a);
void sari_condensation_reduce(const sari_condensation* c, double* f);
void sari_condensation_expand(const sari_condensation* c, const double* f, double* x);

#endif
