/* Multipliers at the end of a step, predicted from the steps before.
 *
 * A correction with a penalty leaves what the change of the multipliers in this step makes of it:
 * with lambda of the last step the first one leads off the constraints by that, and the second leads
 * back. Where multipliers go on smoothly, most of their change is known before:
 *
 *     lambda = lambda_k + (lambda_k - lambda_(k-1))
 *
 * What the iteration finds does not depend on it. Not where rows are redundant: of the part of lambda
 * that makes no force the iteration takes nothing back, and it would grow from step to step. */
#ifndef SARI_PREDICTED_H
#define SARI_PREDICTED_H

#include "base/archive.h"
#include "base/arena.h"

typedef struct sari_predicted {
    int n;               ///< multipliers
    int steps;           ///< in a row, of one length, that are known
    double ca;           ///< the shift of these
    double *last, *grew; ///< lambda_(k-1), and how it changed in the step that led there
    double* next;        ///< what is predicted
} sari_predicted;

/// Takes its room from `memory`, and is out of it if that fails.
void sari_predicted_create(sari_predicted* f, sari_arena* memory, int multipliers);
/// Nothing of before goes on: motion begins anew, a step failed.
void sari_predicted_archive(sari_predicted* f, sari_archive* a);
void sari_predicted_forget(sari_predicted* f);
/// A step with shift `ca` begins with `lambda`: what it will end with, or `lambda` itself.
const double* sari_predicted_next(sari_predicted* f, double ca, const double* lambda);

#endif
