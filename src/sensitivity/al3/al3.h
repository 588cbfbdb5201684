/* Derivatives of runs with al3 and the trapezoidal rule in fixed steps: of every step as a map (al3_step.h), along the run
 * for a parameter (direct), or back from the rows for all of them (the discrete adjoint). What parameters do to a step's
 * equations is told by twins, whose equations are asked at the states of the nominal run. */
#ifndef SARI_SENSITIVITY_AL3_METHOD_H
#define SARI_SENSITIVITY_AL3_METHOD_H

#include "sensitivity/al3/al3_constants.h"
#include "sensitivity/al3/al3_step.h"
#include "sensitivity/al3/al3_tape.h"
#include "sensitivity/method.h"

enum { SARI_AL3_TWINS = 4 }; ///< of a parameter

/// A row is a sum of values g of its output at entries of the tape: two, or an integral over all.
typedef struct sari_al3_row {
    int output;
    int over;      ///< an integral, by the trapezoidal rule
    double factor; ///< of it
    int entry[2];  ///< else
    double weight[2];
    int places; ///< g depends on positions alone
    int forced; ///< it feels accelerations, or forces of joints that follow from them
} sari_al3_row;

/// What a parameter does, known without its twins.
typedef struct sari_al3_effect {
    int known;
    sari_al3_slopes slopes; ///< of the numbers of the equations
    double* start;          ///< of q and v
    double* row;            ///< of the rows themselves: how outputs depend on it
} sari_al3_effect;

typedef struct sari_al3_gradient {
    sari_arena memory;
    sari_al3_tape tape;
    sari_step_map map;
    sari_al3_row* row;
    sari_twin
        own; ///< of the nominal model: whose equations and outputs are asked, as the run has its own
    sari_twin*
        twin; ///< four for each parameter, larger and smaller by `change`, and by twice that; no
              ///< simulation: not made (yet, or the second two)
    sari_al3_effect* effect; ///< per parameter
    double* change;          ///< per parameter
    char* parts;             ///< per parameter: of the equations, that it may change
    char* way;               ///< per parameter: sari_al3_way
    sari_al3_constants constants;
    int counts;                 ///< some angle counts revolutions
    sari_step_terms far;        ///< of a twin
    sari_step_terms more, less; ///< of twins; what a parameter does, in `more`
    sari_state beside;          ///< where outputs are asked
    double *x, *l, *dx, *xp;    ///< 3 nq each
    double* kink;               ///< of the run: values at the end of a step, and workspace
    double *outputs, *first;    ///< scratch, and of the start
    double *R_q, *R_v;          ///< of an impact, nq x nq by rows
    double *psi_h, *psi_t;      ///< of a step whose length, or whose time, changes: 3 nq each
    double *h_v, *h_a;          ///< v* and a* by its length
    sari_step_terms time;       ///< its equations by time
    double *n, *w, *v;          ///< of an impact
    double dt;                  ///< of the time of the last entry, along
    double lt;                  ///< and back
} sari_al3_gradient;

/* al3_rows.c */
/// After the run: at which entries rows have their values.
sar_status sari_al3_rows_place(sar_sensitivity* s, sari_al3_gradient* m);
/// Weight of the output of row r at an entry; 0: none.
double sari_al3_row_weight(const sari_al3_gradient* m, int r, int entry);
/// Derivative of g of row r at the entry along dx = (dq, dv, da), with parameter k too; -1: with none.
sar_status sari_al3_row_along(sari_al3_gradient* m, int r, int entry, const double* dx, int k,
                              double* slope);
/// l += weight times the gradient of g by (q, v, a).
sar_status sari_al3_row_back(sari_al3_gradient* m, int r, int entry, double weight, double* l);

/// How row r changes with the times at the begin and at the end of the step `entry`: by[0], by[1].
sar_status sari_al3_row_times(sari_al3_gradient* m, int r, int entry, double by[2]);

/* al3_effects.c */
/// Where that can be done the effect of parameter k is taken, and its twins are gone.
sar_status sari_al3_effect_take(const sar_sensitivity* s, sari_al3_gradient* m, int k);
/// Derivatives of the start, as twins were assembled.
void sari_al3_start_by(sari_al3_gradient* m, int k, double* dq, double* dv);
/// Are forces but gravity the same in a twin of parameter k?
int sari_al3_same_forces(sari_al3_gradient* m, int k, double t, const double* q, const double* v);

/* al3_jumps.c */
/// Did a force jump at a kink within the step that the run has just taken?
int sari_al3_jumps(sari_al3_gradient* m, sar_simulation* x);

/* al3_events.c */
/// What parameter k does to the numbers of the equations, without zeros.
sar_status sari_al3_slopes_keep(sari_al3_gradient* m, int k, sari_al3_slopes* out);
/// The slope of something by parameter k from its values with the twins of it: 4/3 of that of the near ones less 1/3 of
/// that of the far ones, where there are such.
double sari_al3_slope(const sari_al3_gradient* m, int k, const double value[SARI_AL3_TWINS]);
int sari_al3_twins_of(const sari_al3_gradient* m, int k); ///< 2 or 4; 0: none, or not any more
/// The equations of twin i of parameter k; revolutions are counted on from where `own` counts them.
sari_system* sari_al3_twin_system(const sari_al3_gradient* m, int k, int i);
/// What parameter k does to the forces at the entry that the map is at.
sar_status sari_al3_forces_by(sari_al3_gradient* m, int k, double* Q);
/// (5) of al3_step.h for all entries that were added, as far as numbers of the equations tell.
double sari_al3_by_numbers(sari_al3_gradient* m, int k);
/// What parameter k does to the equations of the entry that the map is at, into m->more.
sar_status sari_al3_source(sari_al3_gradient* m, int k);
/// m->time, and where the map is at a step, psi_h and psi_t.
sar_status sari_al3_time_source(sari_al3_gradient* m, int step);
/// A step that ends at a bound, g = 0: n, g by time, and how fast g goes through zero with the step. SAR_E_MODEL: it grazes.
sar_status sari_al3_meet(sari_al3_gradient* m, int entry, double* g_t, double* slope);
/// g by parameter k there.
double sari_al3_meet_by(sari_al3_gradient* m, int entry, int k);
/// R_q and R_v of the impact `entry`.
sar_status sari_al3_impact(sari_al3_gradient* m, int entry);
/// Its velocities by parameter k, into m->v.
sar_status sari_al3_impact_by(sari_al3_gradient* m, int entry, int k);

/* al3_passes.c */
/// Derivatives of all rows by parameter k, whose twins are there.
sar_status sari_al3_along(sar_sensitivity* s, sari_al3_gradient* m, int k, double* column,
                          sar_error* error);
/// Gradient of weight' rows by all parameters; NaN: of those without twins, and of those that are refused here.
sar_status sari_al3_back(sar_sensitivity* s, sari_al3_gradient* m, const double* weight,
                         double* gradient, sar_error* error);

#endif
