/* Radau IIA, shared by radau.c (steps) and radau_newton.c (what a step solves). The equations are at
 * the heads of these files. */
#ifndef SARI_RADAU_H
#define SARI_RADAU_H

#include "integrators/first_order.h"
#include "integrators/radau_table.h"
#include "linalg/shifted.h"

typedef struct sari_radau {
    sari_arena memory;
    sari_arena matrices;
    int room; ///< rows of J that there is memory for
    sari_first_order ode;
    int size;
    double tolerance, longest, span;
    double h;              ///< the next step; 0: nothing is known of it
    double h_old, err_old; ///< of the step accepted last; 0: there was none
    double t, done;        ///< begin of the last step, and its length

    double *y, *f;               ///< at the base
    double *stage, *end, *slope; ///< a place within the step, its end, and dy/dt there
    double *error, *work;
    double* Z[RADAU_STAGES]; ///< stages less y
    double* W[RADAU_STAGES]; ///< the same, transformed
    double* F[RADAU_STAGES];
    double* D[RADAU_STAGES + 1]; ///< divided differences of the prediction
    int stages;                  ///< Z is that of a step, which ends at the base

    double* J;
    int fresh;       ///< J is that of the base
    int known;       ///< there is one
    double factored; ///< step that the factors belong to; 0: none
    sari_shifted real, pair[RADAU_PAIRS];
    int obeys;     ///< steps are as long as prescribed, whatever their error
    double theta;  ///< rate of convergence of the last iteration
    double expect; ///< theta / (1 - theta) that the next one begins with
    sari_given_up why;
} sari_radau;

/// How Newton's method ended.
typedef struct sari_radau_outcome {
    int iterations;
    double factor; ///< by which the step should be shortened, where it did not converge
} sari_radau_outcome;

enum { SARI_RADAU_ITERATIONS = 12 };

void sari_radau_obey(void* self, sari_obedience how);

/// Memory for J of `size` rows, if there is none: at a start, and where a mechanism has more freedom
/// than it had there.
sar_status sari_radau_make_room(sari_radau* self, int size);
/// Stages at the base from those of the last step, whose length was h_old. Comes once a step, before
/// the first attempt.
void sari_radau_extrapolate(sari_radau* self);
/// J and its factors for a step of h, as far as they are not there.
sar_status sari_radau_prepare(sari_radau* self, double h, sari_step_report* report);
/// The stages of a step of h. SAR_R_NO_CONV: see `factor`.
sar_status sari_radau_iterate(sari_radau* self, double h, sari_radau_outcome* outcome,
                              sari_step_report* report);

#endif
