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
 * there e is foreseen too, but a step ends by the size of e. */
#ifndef SARI_FORESIGHT_H
#define SARI_FORESIGHT_H

#include "base/arena.h"
#include "formulations/convergence.h"

typedef struct sari_foresight {
    int n;           ///< coordinates
    int old;         ///< tangents are those of earlier steps
    double *e, *e_1; ///< of the last step and of the one before it
    double h;        ///< their length; 0: not known
    int steps;       ///< in a row that e is known of
    double foreseen; ///< size of what the predictor has of e; 0: nothing
    double turn;     ///< change of e from step to step, of late; 0: not known
    double rate; ///< by which corrections were seen to shrink, in this step and before; 0: not yet
    double rate_now; ///< in this step
    int unseen;      ///< steps since then
    int glance;      ///< of them before a look
} sari_foresight;

/// Takes its room from `memory`, and is out of it if that fails.
void sari_foresight_create(sari_foresight* f, sari_arena* memory, int coordinates,
                           int old_tangents);
/// Motion begins anew: nothing is foreseen.
void sari_foresight_forget(sari_foresight* f);

/// A step of length h begins: (1), where e goes on smoothly. NULL: nothing is foreseen.
const double* sari_foresight_begin(sari_foresight* f, double h, double* next);
/// It is at its end, and this was e.
void sari_foresight_end(sari_foresight* f, double h, const double* e);

/// Correction `iteration` of this size came after one of size `last`, in coordinates of this norm.
void sari_foresight_see(sari_foresight* f, int iteration, double size, double last, double norm);
/// Is what it leaves small enough? `added`: e up to now.
int sari_foresight_settled(const sari_foresight* f, const sari_newton_rule* rule, int iteration,
                           double size, double last, double added, double norm);

#endif
