/* Members of sar_equations. */
#ifndef SARI_SIMULATION_EQUATIONS_H
#define SARI_SIMULATION_EQUATIONS_H

#include "linalg/least_squares.h"
#include "sarrus/equations.h"
#include "simulation/simulation.h"

struct sar_equations {
    sari_arena memory;
    const sar_model* user_model;
    sar_model* model; ///< a copy in the units of the user, with inputs of its own
    sari_system* sys;
    double t, *q, *v; ///< evaluated last
    double t_start, *q_start, *v_start;
    double *X, *Xd, *w;                                      ///< bodies of a run
    int *mass_start, *mass_column, *mass_from, *mass_filled; ///< M by rows
    double* mass_value;
    int* none;      ///< row starts of a matrix without entries
    double* v_work; ///< zeros
    struct {
        double *variables, *gradient; ///< of its expression
        double *g, *slope;            ///< of a scalar and of its rate
    } output;
    struct {
        sari_least_squares system; ///< Phi_q and the chosen velocities
        double* right;             ///< right-hand sides, by rows
        double* column_scale;
        double* row_scale;
        int made;
    } independent;
};

sar_status sari_equations_make_output_room(sar_equations* e);

/// Of a system that belongs to someone else: matrices and vectors, and nothing of runs.
sar_status sari_equations_show(sar_equations* e, sari_system* sys);
/// M by rows is that of the system again.
void sari_equations_refresh(sar_equations* e);

#endif
