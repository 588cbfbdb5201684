/* Applied forces: gravity and those of the model. Part of the neck; only system.c uses it. */
#ifndef SARI_FORCES_H
#define SARI_FORCES_H

#include "linalg/sym_tools.h"
#include "system/system.h"

/// Collects the entries of K and C that the forces need into `pattern` (nq x nq).
sar_status sari_forces_create(sari_system* s, sari_pattern* pattern, sari_force_set** out);

/// After K and C have their pattern.
sar_status sari_forces_locate(sari_system* s);

int sari_forces_depend_on_motion(const sari_force_set* f); ///< else Q is gravity alone
int sari_forces_conservative(const sari_system* s);        ///< all of them have a potential
/// Do they act on X: with X and Xd at hand?
int sari_forces_on_bodies(const sari_force_set* f);
int sari_forces_need_placement(const sari_force_set* f); ///< X, besides q

/// Q += forces; with `tangent` also K and C. The kinematics are at (q, v).
void sari_forces_add(sari_system* s, double t, int tangent);
double sari_forces_potential(sari_system* s, double t, const double* states);
/// Power of those without a potential, and the potential of the others, which may be NULL.
double sari_forces_power(sari_system* s, double t, double* potential);

/// Both of every force by itself, added to power[k] and potential[k]; k as in sari_model_force.
void sari_forces_each(sari_system* s, double t, double* power, double* potential);

/// The kinematics are at (q, v): what forces depend on is read, once for all that follows.
void sari_forces_see(sari_system* s, double t);
/// Where a force is evaluated, by its scalars (n of them; 0: it is not there, or is a load).
sari_force_state sari_forces_state(sari_system* s, int type, int force);
/// Number `which` of a force, whose zero is a kink of it, where the kinematics are; NaN: none there.
void sari_forces_kinks(sari_system* s, double t, int type, int force, double g[SARI_FORCE_KINKS]);
/// Is a force outside of its range where the kinematics are, with placement? See sari_force_type. `law`: where
/// it was found, -1 at first.
int sari_forces_outside(sari_system* s, double t, int type, int force, int* law, double* number);
/// Number `which` of those that a force of the model shows. 0: its joint is not there.
double sari_forces_show(sari_system* s, int type, int force, int which);

/// The force or torque of one that acts through one scalar, positive as its type says, and the power
/// that any gives to the mechanism. Likewise.
double sari_forces_along(sari_system* s, int type, int force);
double sari_forces_power_of(sari_system* s, int type, int force);

/// The body of each state, see sari_equations_blocks: one that its force acts on.
void sari_forces_blocks(const sari_system* s, int* block);

/// Are there states of the model? See sari_equations_state_scales; the kinematics are at (q, v).
int sari_forces_have_states_of_model(const sari_system* s);
void sari_forces_state_scales(sari_system* s, double t, double pace, double* scale);

/// Statics, see sari_force_state.
void sari_forces_rest(sari_system* s, int at_rest);

/// Are the forces of two systems with the same coordinates the same functions of these? Both with a constant map. 0: they
/// may be others.
int sari_forces_alike(const sari_system* a, const sari_system* b);

/// How many reactions forces ask for: their own joint's, or those that their expressions name.
int sari_forces_ask(const sari_system* s);
/// What reactions are: the size of a joint's force, and a signal that is a reaction.
typedef struct sari_reaction_source {
    double (*size)(const void* self, int joint);
    double (*signal)(const void* self, const sari_signal* signal);
    const void* self;
} sari_reaction_source;
/// Those that are asked for, and that forces act with from now on.
void sari_forces_read_reactions(const sari_system* s, const sari_reaction_source* from,
                                double* out);
void sari_forces_take_reactions(sari_system* s, const double* x);
/// Reactions with which expressions of forces act, into the variables of all signals.
void sari_forces_reactions(const sari_system* s, double* variables);

/// G (nx per body) += applied forces and gravity on X, for reactions. The kinematics are at (q, v)
/// with placement.
void sari_forces_on_X(sari_system* s, double t, double* G);
/// Those of one force of the model alone, after sari_forces_see; nothing while its joint is not there.
void sari_force_on_X(sari_system* s, const sari_force* force, double* G);

#endif
