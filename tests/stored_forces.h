/* Forces as a model stores them. */
#ifndef STORED_FORCES_H
#define STORED_FORCES_H

#include "model/model.h"

static inline const sari_force* stored_force(const sar_model* m, int type, int k)
{
    return &m->forces[type].at[k];
}

static inline const sar_load_def* load_of(const sar_model* m, int k)
{
    return stored_force(m, SARI_FORCE_LOAD, k)->def;
}

static inline const sar_spring_def* spring_of(const sar_model* m, int k)
{
    return stored_force(m, SARI_FORCE_SPRING, k)->def;
}

static inline const sar_bushing_def* bushing_of(const sar_model* m, int k)
{
    return stored_force(m, SARI_FORCE_BUSHING, k)->def;
}

static inline const sar_tyre_def* tyre_of(const sar_model* m, int k)
{
    return stored_force(m, SARI_FORCE_TYRE, k)->def;
}

/// Component k of a load's force or torque.
static inline const sari_expression* force_text(const sar_model* m, int load, int k)
{
    return stored_force(m, SARI_FORCE_LOAD, load)->expression[2 * k];
}

static inline const sari_expression* torque_text(const sar_model* m, int load, int k)
{
    return stored_force(m, SARI_FORCE_LOAD, load)->expression[2 * k + 1];
}

static inline const sari_expression* spring_text(const sar_model* m, int k)
{
    return stored_force(m, SARI_FORCE_SPRING, k)->expression[0];
}

#endif
