/* Forces by their potential V, an expression s of positions times a factor c:
 *
 *     V = c s(q),   Q = -c ds/dq                                                              (1)
 */
#include "elements/by_expression.h"

#include "model/parts.h"
#include "model/units.h"

#include <math.h>

static const sar_potential_def USUAL = {.factor = 1.0};

static sar_status check(const sar_model* model, void* def_, sar_error* error)
{
    (void)model;
    if (((const sar_potential_def*)def_)->energy) return SAR_OK;
    return sari_fail(error, SAR_E_MODEL, "energy", "it does nothing; give its energy");
}

/* s is taken for a length, or an angle, as the forces along expressions take it. */
static void convert(sari_model_conversion* c, sari_force* force)
{
    sar_potential_def* def = force->def;
    def->factor *= sari_unit_of_coordinate(c->u, def->coordinate) / sari_unit_of_energy(c->u);
}

static void act(const sari_force* force, const sari_force_state* at, unsigned what,
                sari_force_action* out)
{
    const sar_potential_def* def = force->def;
    out->force[0] = def->factor; // (1)
    out->by_value[0][0] = out->by_rate[0][0] = 0.0;
    if (what & SARI_ACT_POTENTIAL) out->potential += def->factor * at->value[0];
}

const sari_force_type sari_potential_force = {
    .is.word = {{"potential",
                 "a force that has a potential, by an expression",
                 {{"energy", SARI_READ_TEXT, offsetof(sar_potential_def, energy), SARI_MUST,
                   "the potential, a smooth expression of positions [J]"},
                  {"factor", SARI_READ_NUMBER, offsetof(sar_potential_def, factor), SARI_FINITE,
                   "by which it is multiplied; default 1"}}}},
    .is.size = sizeof(sar_potential_def),
    .is.usual = &USUAL,
    .is.text = {{"energy", offsetof(sar_potential_def, energy), SARI_USE_ALONG, NULL}},
    .is.along = offsetof(sar_potential_def, energy),
    .is.coordinate = offsetof(sar_potential_def, coordinate),
    .check = check,
    .convert = convert,
    .in_plane = 1,
    .in_space = 1,
    .act = act,
    .conservative = true,
};
