#include "formulations/formulation.h"

const sari_formulation_ops* const sari_formulations[] = {
    &sari_formulation_al3,
    &sari_formulation_al1,
    &sari_formulation_penalty,
    &sari_formulation_hamiltonian,
    &sari_formulation_nullspace,
    &sari_formulation_threefield,
#ifdef SARRUS_WITH_SUNDIALS
    &sari_formulation_dae, // no other integrator can drive it
#endif
    NULL,
};
