/* Forces of the Magic-Formula tyre without their slopes: the equations of magic_tyre.c with one
 * derivative, that by time with the rates of the scalars, where that has any sense. */
#include "elements/magic_tyre.h"

#include "model/parts.h"

#include <string.h>

#define SARI_DUAL 1
#include "math/dual.h"

static dual scalar_of(const sari_force_state* at, int i)
{
    return (dual){at->value[i], {at->rate[i]}};
}

static dual rate_of(const sari_force_state* at, int i)
{
    return dual_constant(at->rate[i]);
}

static dual state_of(const sari_force_state* at, int i)
{
    return dual_constant(at->state[i]);
}

static dual time_of(const sari_force_state* at)
{
    return dual_variable(at->variables[SARI_VARIABLE_T], 0);
}

#include "elements/magic_contact.h"

/* Of all that is not the negative gradient of the potential. */
static double power_of(const contact* k, const dual force[SCALARS], const sari_force_state* at,
                       double stiffness)
{
    double power = 0.0;
    for (int i = 0; i < SCALARS; i++) power += force[i].v * at->rate[i];
    return k->rho.v > 0.0 ? power + stiffness * k->rho.v * k->rho.d[0] : power;
}

void sari_magic_tyre_act(const sari_force* tyre, const sari_force_state* at, unsigned what,
                         sari_force_action* out)
{
    const sar_magic_tyre_def* def = tyre->def;
    const double stiffness = def->coefficient[SAR_MAGIC_VERTICAL_STIFFNESS];
    contact k;
    grip g;
    dual force[SCALARS];
    if (what == SARI_ACT_POTENTIAL)
        place(tyre, at, &k);
    else
        find_contact(tyre, at, &k);
    if (what & SARI_ACT_POTENTIAL && k.rho.v > 0.0)
        out->potential += 0.5 * stiffness * k.rho.v * k.rho.v;
    if (what == SARI_ACT_POTENTIAL) return;
    if (at->at_rest)
        memset(&g, 0, sizeof g); // it carries
    else
        take_grip(tyre, at, &k, &g);
    apply(&k, &g, force);
    for (int i = 0; i < SCALARS; i++) out->force[i] = -force[i].v;
    for (int i = 0; def->relaxation && i < SARI_FORCE_STATES; i++) out->state_rate[i] = g.rate[i].v;
    if (what & SARI_ACT_POWER) out->power += power_of(&k, force, at, stiffness);
}

void sari_magic_tyre_show(const sari_force* tyre, const sari_force_state* at, double* out)
{
    contact k;
    grip g;
    find_contact(tyre, at, &k);
    take_grip(tyre, at, &k, &g);
    const double values[] = {g.value[SARI_MAGIC_FX].v,
                             g.value[SARI_MAGIC_FY].v,
                             k.load.v,
                             g.value[SARI_MAGIC_MX].v,
                             g.value[SARI_MAGIC_MY].v,
                             g.value[SARI_MAGIC_MZ].v,
                             g.kappa.v,
                             g.alpha.v,
                             k.gamma.v,
                             k.rho.v,
                             k.speed.v};
    memcpy(out, values, sizeof values);
}
