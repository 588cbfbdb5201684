/* Instances of one model side by side: number k of instance l is lane l of the wide number k, and one
 * vector instruction works on several instances.
 *
 * What the lanes do is a step of al3 with the trapezoidal rule where nothing but the weight acts and
 * all rows are quadratic polynomials of q (natural coordinates), with what is measured after it:
 * equations (1)-(6) of formulations/al3.c, in the order of operations of the library's own step, so
 * that every lane has its bits. A lane whose step takes another course (more corrections than the
 * penalty is given, a pivot without digits, a violation) is left as it was, and that step is the
 * library's. */
#ifndef SARI_LANES_H
#define SARI_LANES_H

#include "base/arena.h"
#include "simulation/simulation.h"
#include "solvers/sparse_symbolic.h"

enum { SARI_LANES = 8 };

/// One number of every instance: a cache line.
typedef struct sari_wide {
    _Alignas(64) double x[SARI_LANES];
} sari_wide;

/// A variable of a row, as in sari_quadratic_entry.
typedef struct sari_lane_entry {
    int i, x[2], more, end;
} sari_lane_entry;

typedef enum sari_lane_solver {
    SARI_LANES_SMALL,  ///< solvers/dense_small.c
    SARI_LANES_TILES,  ///< solvers/dense_tiles.c
    SARI_LANES_SPARSE, ///< solvers/sparse.c
} sari_lane_solver;

/// What all instances have in common: where their numbers are, and how they iterate.
typedef struct sari_lane_pattern {
    int n, m;     ///< coordinates, rows of Phi
    int angles;   ///< whose turns are counted, by two polynomials each: rows after those of Phi
    int rows;     ///< m + 2 angles
    int* first;   ///< [rows + 1] their entries; those of Phi are the entries of Phi_q
    int* is_long; ///< [rows]
    sari_lane_entry* entry;
    int terms;
    int* term; ///< variables of further second derivatives
    int *mass_first, *mass_i;
    int *used_first, *used_i, *taken; ///< Phi_q as factored; taken: entries of Phi_q
    sari_lane_solver solver;
    int stride, values; ///< of S
    int *mass_at, *product_at;
    const sari_symbolic* symbolic; ///< sparse
    int published, projections;
} sari_lane_pattern;

/// All numbers of SARI_LANES instances.
typedef struct sari_lanes {
    sari_lane_pattern at;
    int weighs; ///< some instance has weighed rows
    /* the instances */
    sari_wide *mass, *force;                          ///< M, Q
    sari_wide *row_c, *entry_b, *entry_c[2], *term_c; ///< polynomials of the rows
    sari_wide* offset;                                ///< of Phi
    sari_wide* root;                                  ///< weights of rows
    sari_wide own, alpha;                             ///< penalties: of its choice, or given
    sari_wide beta, gamma, tolerance, patience;
    sari_wide start, step; ///< of the time grid
    sari_wide weight_0;    ///< potential energy: weight_0 - force . q
    sari_wide limit;       ///< of the violation of positions
    sari_wide energy_initial, work;
    sari_wide *turn_a, *turn_b; ///< angles as last counted
    /* the motion */
    sari_wide t, index; ///< steps done, of the grid
    sari_wide *q, *v, *a, *lambda;
    sari_wide t0, *q0, *v0, *a0, *lambda0; ///< before the last step
    sari_wide* J;                          ///< Phi_q
    /* what was measured: at the end of the last step, and extremes */
    sari_wide kinetic, potential, violation[3], balance_before, drift;
    sari_wide iterations, correction, max_drift, worst_drift, kinetic_max, energy_scale, lowest,
        highest, max_violation[3], shortest;
    /* work space */
    sari_wide *d, *dq, *f, *g, *mu, *residual, *Phi, *bias, *used, *S, *inverse, *pivot, *w, *y;
    sari_arena memory;
} sari_lanes;

/// Where something else has to be done now.
typedef struct sari_lane_report {
    long steps;      ///< that all lanes did, but those in `failed` one less
    unsigned failed; ///< lanes as they were before the last of these steps: it is not theirs to do
    unsigned turned; ///< lanes whose angles have to be counted
} sari_lane_report;

/// Steps of the `active` lanes, up to `steps` of them; the numbers of others are overwritten.
typedef sari_lane_report sari_lane_kernel(sari_lanes* lanes, unsigned active, long steps);

/// Compiled for one kind of processor each.
typedef struct sari_lane_kernels {
    const char* name;
    sari_lane_kernel* run;
} sari_lane_kernels;

/// From the plainest on; those that this processor cannot run are left out.
int sari_lane_kernels_count(void);
const sari_lane_kernels* sari_lane_kernels_at(int k);

/* load.c */
/// Why a simulation, which has started, is not for lanes; NULL: it is.
const char* sari_lanes_refuse(const sar_simulation* s);
/// Room for simulations like this one.
sar_status sari_lanes_create(const sar_simulation* like, sari_lanes** out);
void sari_lanes_destroy(sari_lanes* lanes);
/// Has a simulation the same pattern?
int sari_lanes_fit(const sari_lanes* lanes, const sar_simulation* s);
/// A simulation into a lane; and its state alone, when it has moved meanwhile.
void sari_lanes_load(sari_lanes* lanes, int lane, const sar_simulation* s);
void sari_lanes_reload(sari_lanes* lanes, int lane, const sar_simulation* s);
/// Its state and Phi_q as they are now, for those who look on.
void sari_lanes_show(const sari_lanes* lanes, int lane, sar_simulation* s);
/// All of it back, after so many steps in the lanes.
void sari_lanes_unload(const sari_lanes* lanes, int lane, sar_simulation* s, long steps);
/// Its angles are counted.
void sari_lanes_count_turns(sari_lanes* lanes, int lane, sar_simulation* s);

#endif
