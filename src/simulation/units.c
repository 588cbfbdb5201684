/* Between the user's units and those of the model in which a run works (model/units.h). */
#include "base/status.h"
#include "math/vec3.h"
#include "simulation/simulation.h"

#include <math.h>

/* Options that are lengths or forces. Not among them is alpha: what it is a unit of differs from
 * constraint to constraint, so that with a given one a run keeps the user's units. */
static void convert_options(sar_options* o, const sari_units* u)
{
    o->newton_tolerance /= u->length;
    o->accept_tolerance /= u->length;
    o->absolute_tolerance =
        o->absolute_tolerance > 0.0 ? o->absolute_tolerance / u->length : o->tolerance * u->size;
    o->reset /= sari_unit_of_force(u); // an impulse
}

sar_status sari_observation_take(sari_observation* o, const sar_model* model,
                                 const sar_options* options, const sari_units* units,
                                 sar_error* error)
{
    o->units = *units;
    o->options = *options;
    convert_options(&o->options, units);
    o->model = sari_model_in_units(model, units);
    return o->model ? SAR_OK : sari_fail(error, SAR_E_NOMEM, NULL, "out of memory for the model");
}

static void scale(double* x, int count, double unit)
{
    for (int k = 0; k < count; k++) x[k] *= unit;
}

/* Of momenta about the model's origin: about that of the world. */
static void convert_moment(const sari_units* u, const double linear[3], double angular[3])
{
    double arm[3];
    sari_cross(u->origin, linear, arm);
    for (int k = 0; k < 3; k++) angular[k] = sari_unit_of_energy(u) * angular[k] + arm[k];
}

void sari_switch_in_user_units(const sari_units* u, sar_switch* out, sar_impulse* impulse)
{
    const double energy = sari_unit_of_energy(u), force = sari_unit_of_force(u);
    out->moved *= u->length;
    out->kinetic_before *= energy;
    out->kinetic_after *= energy;
    out->potential_change *= energy;
    scale(out->momentum_before, 3, force);
    scale(out->momentum_after, 3, force);
    scale(out->impulse, 3, force);
    convert_moment(u, out->momentum_before, out->angular_before);
    convert_moment(u, out->momentum_after, out->angular_after);
    convert_moment(u, out->impulse, out->angular_impulse);
    for (int k = 0; k < out->impulses; k++) {
        scale(impulse[k].force, 3, force);
        scale(impulse[k].torque, 3, energy);
    }
}

void sari_assembly_in_user_units(const sari_units* u, sar_assembly* report)
{
    report->size = u->size * u->length;
    report->moved *= u->length;
    report->residual *= u->length;
    report->gap *= u->length;
    for (int k = 0; k < report->conflicts; k++) report->conflict[k].residual *= u->length;
}

void sari_equilibrium_in_user_units(const sari_units* u, sar_equilibrium* report)
{
    report->moved *= u->length;
    report->residual *= sari_unit_of_force(u);
}
