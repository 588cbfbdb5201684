/* What an integrator that switches asks of dop853. */
#ifndef SARI_DOP853_H
#define SARI_DOP853_H

#include "integrators/integrator.h"

/// The step that comes next, if nothing limits it; 0: not known yet.
double sari_dop853_next_step(const void* self);
/// Steps are as long as prescribed.
void sari_dop853_obey(void* self, sari_obedience how);
/// Goes on from a state that someone else has led to, with a step of h; 0: not known.
void sari_dop853_resume(void* self, double h);

/// Evaluations in a step, and the largest h |lambda| with which steps are stable, about: 6 on the
/// negative real axis, less elsewhere [hairer1996, IV.2].
enum { SARI_DOP853_EVALUATIONS = 12 };
#define SARI_DOP853_STABLE 5.0

#endif
