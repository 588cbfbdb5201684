/* Steps of al3 for small systems in one piece.
 *
 * Where mass and forces are constant, all rows are short quadratic polynomials of q (natural
 * coordinates), and coordinates are few, a step by Newmark's rule is a short piece of code that is
 * compiled once per number of coordinates: predictor, corrections (1)-(4) and projections (5)-(6) of
 * al3.c, with the same operations in the same order, hence the same bits. What is left out are calls
 * and loops over columns, which cost as much as the step itself. A step that needs anything else, the
 * limit above all, is left to the general code. */
#ifndef SARI_AL3_SMALL_H
#define SARI_AL3_SMALL_H

#include "formulations/constrained.h"
#include "formulations/formulation.h"

typedef struct sari_al3_small sari_al3_small;

/// What the two kinds of code have to agree on.
typedef struct sari_al3_limits {
    int patience;  ///< corrections with a penalty before its limit is taken
    double reused; ///< after a smaller correction the last S serves the projections
    int passes;    ///< of projections
} sari_al3_limits;

/// For the rows and the penalty form `lin`, whose P is M. Returns NULL where the model is not of that
/// kind, and where memory is out (memory->failed).
sari_al3_small* sari_al3_small_create(sari_arena* memory, sari_equations* sys,
                                      const sari_constrained* lin, const sari_al3_limits* limits);

/// The step with the penalty c. 0: it needs the general code, and s is as it was.
int sari_al3_small_step(const sari_al3_small* small, double c, sari_state* s,
                        sari_newmark_step* step);

#endif
