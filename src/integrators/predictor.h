/* What corrections are going to add to the predictor of a step, and when they are at their end.
 *
 * e, what the corrections of a step added to the predictor, is O(h^3) and changes little from step to
 * step. Where e and its change are known from the two steps before,
 *
 *     e = 2 e_k - e_(k-1)                                                                         (1)
 *
 * leaves O(h^5) to correct, and mostly one correction is enough. Whether it is: tangents change little,
 * and so does the rate r by which they let corrections shrink. The largest that was seen of late counts,
 * and a correction leaves r/(1 - r) of itself.
 *
 * What is left is held against the change of e, O(h^4), not against e: a position that is off by x makes
 * the velocity of the step off by 2 x/h, in the same direction in every step, and the velocity's own
 * error in a step is O(h^3), a third of the change of e, by h, with the trapezoidal rule. Held against
 * e, what is left would cost the rule an order: in velocities, and in reactions, which see 4 x/h^2.
 *
 * Where tangents are old, corrections shrink less and the first two of a step may be small by chance:
 * there e is predicted too, but a step ends by the size of e. */
#ifndef SARI_PREDICTOR_H
#define SARI_PREDICTOR_H

#include "base/archive.h"
#include "base/arena.h"
#include "formulations/convergence.h"

typedef struct sari_predictor {
    int n;            ///< coordinates
    int old;          ///< tangents are those of earlier steps
    double *e, *e_1;  ///< of the last step and of the one before it
    double h;         ///< their length; 0: not known
    int steps;        ///< in a row that e is known of
    double predicted; ///< size of what the predictor has of e; 0: nothing
    double turn;      ///< change of e from step to step, of late; 0: not known
    double rate; ///< by which corrections were seen to shrink, in this step and before; 0: not yet
    double rate_now;  ///< in this step
    int unverified;   ///< steps since then
    int verify_after; ///< of them before a second correction verifies
} sari_predictor;

/// Takes its room from `memory`, and is out of it if that fails.
void sari_predictor_create(sari_predictor* f, sari_arena* memory, int coordinates,
                           int old_tangents);
/// Motion begins anew: nothing is predicted.
void sari_predictor_archive(sari_predictor* f, sari_archive* a);
void sari_predictor_forget(sari_predictor* f);

/// A step of length h begins: (1), where e goes on smoothly. NULL: nothing is predicted.
const double* sari_predictor_begin(sari_predictor* f, double h, double* next);
/// It is at its end, and this was e.
void sari_predictor_end(sari_predictor* f, double h, const double* e);

/// Correction `iteration` of this size came after one of size `last`, in coordinates of this norm.
void sari_predictor_see(sari_predictor* f, int iteration, double size, double last, double norm);
/// Is what it leaves small enough? `added`: e up to now.
int sari_predictor_converged(const sari_predictor* f, const sari_newton_rule* rule, int iteration,
                             double size, double last, double added, double norm);

#endif
