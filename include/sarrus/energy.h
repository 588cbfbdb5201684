/// @file energy.h
/// Where the energy of a run went.
#ifndef SARRUS_ENERGY_H
#define SARRUS_ENERGY_H

#include "sarrus/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sar_account_kind {
    /* stored: change since the start */
    SAR_ACCOUNT_KINETIC,
    SAR_ACCOUNT_POTENTIAL, ///< of the weights, or of a force
    /* came in since the start; negative: went out */
    SAR_ACCOUNT_FORCE,       ///< work of a force, less what its potential stores
    SAR_ACCOUNT_DRIVE,       ///< work of a drive, or of a constraint that depends on time
    SAR_ACCOUNT_IMPACTS,     ///< at bounds of constraints
    SAR_ACCOUNT_PHASES,      ///< when joints or forces came or went
    SAR_ACCOUNT_JUMPS,       ///< of inputs, drives and roads, and of states that were set
    SAR_ACCOUNT_CORRECTIONS, ///< of a drawing that misses a singular configuration by its digits
    SAR_ACCOUNT_PROJECTIONS, ///< onto the constraints, after steps
    SAR_ACCOUNT_INTEGRATOR,  ///< what its steps added, that no force did
    SAR_ACCOUNT_KINDS
} sar_account_kind;

/// One account of the energy ledger. The sum of those that are stored is the sum of the others, to rounding.
typedef struct sar_account {
    sar_account_kind kind;
    const char* name; ///< of the force or drive; else of the kind. Belongs to the simulation
    double value;     ///< [J]
} sar_account;

/// All accounts at the present state, in the order of kinds; fills the first `most` and returns their number, which does
/// not change. 0: the run has no ledger, see the option `energy_ledger`.
SAR_API int sar_simulation_accounts(const sar_simulation* s, sar_account* list, int most);
/// 1: accounts of this kind are stored, 0: they came in.
SAR_API int sar_account_is_stored(sar_account_kind kind);

#ifdef __cplusplus
}
#endif
#endif
