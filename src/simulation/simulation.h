/* The running simulation, shared by the files of this folder. */
#ifndef SARI_SIMULATION_H
#define SARI_SIMULATION_H

#include "integrators/integrator.h"
#include "sarrus/simulation.h"

typedef struct sari_monitor sari_monitor;
typedef struct sari_reactions sari_reactions;
typedef struct sari_subspaces sari_subspaces;

typedef struct sari_event_list {
    sar_event* at;
    int count, capacity;
} sari_event_list;

enum { SARI_SHARING_TRIAL = 3 }; ///< steps by which a way to share is judged

/// How threads share steps, see sharing.c.
typedef struct sari_sharing {
    int most;     ///< threads; 1: nothing to decide
    int shared;   ///< do all of them share the present steps?
    int on_trial; ///< to see whether this is faster
    int steps, interval;
    double begun;
    double last[2][SARI_SHARING_TRIAL]; ///< times of steps alone, and shared
} sari_sharing;

/// Outputs that are integrals over time, see integrals.c. Arrays have a number per output.
typedef struct sari_integrals {
    int count;            ///< how many outputs are
    double *now, *before; ///< at the ends of the last step
    double *slope, *slope_before;
    double* within;
} sari_integrals;

struct sar_simulation {
    const sar_model* model;
    sar_options options;
    sari_system* system;
    sari_formulation form;
    const sari_integrator_ops* integrator;
    void* integrator_self;
    sari_sharing sharing;
    sari_state state;    ///< now
    sari_state previous; ///< before the last step
    sari_state between;  ///< at a time asked for within the last step
    long step, steps;    ///< done and in all
    int assembled;
    int at_breakpoint; ///< the last step ended there: the next one starts afresh
    char failure[512];

    sar_energy energy;
    double power;
    sar_violation violation;
    sar_statistics statistics;

    sari_monitor* monitor;
    sari_reactions* reactions; ///< made when first asked for
    double reactions_time;     ///< when they were last computed, NaN: never
    sari_subspaces* subspaces; ///< made when first asked for
    double* variables;         ///< of output expressions
    double* gradient;          ///< of an output by its variables
    double* values;            ///< of outputs, for interpolation
    sari_integrals integrals;
};

/* options.c */

/* assembly.c */
/// `as_given`: satisfy the start conditions only, and measure the constraints.
sar_status sari_assemble(sari_system* system, double t, int as_given, double* q, double* v,
                         sar_assembly* report);

/* monitor.c */
sar_status sari_monitor_create(sari_system* system, sari_monitor** out);
void sari_monitor_destroy(sari_monitor* m);
/// The system is evaluated at the start (Phi_q, M).
sar_status sari_monitor_start(sari_monitor* m, const sari_state* s, sari_reactions* joints);
/// After an accepted step; the system is evaluated at `now` (Phi_q, M).
void sari_monitor_step(sari_monitor* m, const sari_state* now);
int sari_monitor_rank(const sari_monitor* m);
const sari_event_list* sari_monitor_passes(const sari_monitor* m);
const sari_event_list* sari_monitor_branches(const sari_monitor* m);

/* reactions.c */
sar_status sari_reactions_create(sari_system* system, sari_reactions** out);
void sari_reactions_destroy(sari_reactions* r);
/// All joint reactions at a state.
sar_status sari_reactions_solve(sari_reactions* r, const sari_state* s);
void sari_reaction(const sari_reactions* r, int joint, double force[3], double torque[3]);
/// Joints with conditions that repeat those of earlier joints at the placement X; -1 when too large
/// to analyse.
int sari_reactions_redundant(sari_reactions* r, const double* X, const char** names, int most);
/// Joints that carry the `drop` weakest self-stress states at X, as text.
void sari_reactions_weakest(sari_reactions* r, const double* X, int drop, char* text, size_t size);

/* integrals.c */
sar_status sari_integrals_create(const sar_model* model, sari_integrals* out);
void sari_integrals_clear(sari_integrals* y);
void sari_integrals_start(sar_simulation* s);          ///< from zero
void sari_integrals_resume(sar_simulation* s);         ///< from where they are, after a jump
void sari_integrals_step(sar_simulation* s, double h); ///< the state is that after the step
/// Put those at a time within the last step among the values of the outputs.
void sari_integrals_at(const sar_simulation* s, double t, double* values);

/* sharing.c */
void sari_sharing_start(sar_simulation* s);
void sari_sharing_begin(sar_simulation* s); ///< of a step
void sari_sharing_end(sar_simulation* s);

/* subspaces.c */
void sari_subspaces_destroy(sari_subspaces* p);

/* branches.c */
enum { SARI_BRANCHES_MOST = 16, SARI_BRANCHES_DOF = 24 };
/// Motions through a position, as subspaces of its `dof` admissible velocities.
typedef struct sari_branches {
    int count;      ///< -1: not resolved
    int singular;   ///< there is more than permanent redundancy
    int* dimension; ///< [SARI_BRANCHES_MOST]
    double* basis;  ///< per branch: [dof][dof], rows are orthonormal coefficients
} sari_branches;
/// `admissible`: dof vectors v with Phi_q v = 0; `stress`: count vectors u with Phi_q' u = 0 (they
/// are changed). The system is evaluated anew.
sar_status sari_branches_find(sari_system* sys, double t, const double* q, int dof,
                              const double* admissible, int stresses, double* stress,
                              double tolerance, sari_branches* out);

/// Filter number of the penalty in use, NaN without one.
double sari_simulation_filter(const sar_simulation* s);

#endif
