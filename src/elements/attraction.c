/* Two points that attract each other by the square of their distance s, as masses and charges do:
 *
 *     f = strength/s^2,   V = -strength/s                                                     (1)
 *
 * strength = G m_1 m_2 of two masses; a negative one repels. */
#include "elements/force.h"

#include "model/parts.h"
#include "model/units.h"
#include "system/mechanism/mechanism.h"

static const sar_attraction_def USUAL = {0};

sar_attraction_def sar_attraction_def_default(void)
{
    return USUAL;
}

sar_status sar_model_add_attraction(sar_model* model, const sar_attraction_def* def,
                                    sar_error* error)
{
    return sari_model_add_force(model, SARI_FORCE_ATTRACTION, def, error);
}

static sar_status check(const sar_model* model, void* def_, sar_error* error)
{
    sar_attraction_def* def = def_;
    sari_clear_frame(&def->a), sari_clear_frame(&def->b);
    SARI_TRY(sari_check_ends(model, &def->a, &def->b, error));
    return sari_check_numbers(&def->strength, 1, "strength", error);
}

static void convert(sari_model_conversion* c, sari_force* force)
{
    ((sar_attraction_def*)force->def)->strength /= sari_unit_of_energy(c->u) * c->u->length;
}

static int compile(sari_mechanism* m, const void* def_, int* scalar)
{
    const sar_attraction_def* def = def_;
    return (*scalar = sari_scalar_distance(m, &def->a, &def->b)) >= 0;
}

static void act(const sari_force* force, const sari_force_state* at, unsigned what,
                sari_force_action* out)
{
    const double s = at->value[0], f = ((const sar_attraction_def*)force->def)->strength / (s * s);
    out->force[0] = f; // (1)
    if (what & SARI_ACT_SLOPES) {
        out->by_value[0][0] = -2.0 * f / s;
        out->by_rate[0][0] = 0.0;
    }
    if (what & SARI_ACT_POTENTIAL) out->potential -= f * s;
}

static bool loses(const sari_force* force)
{
    (void)force;
    return false;
}

const sari_force_type sari_force_attraction = {
    .word = {{"attraction",
              "two points attract each other by the square of their distance",
              {{"between", SARI_READ_FRAMES, 0, SARI_MUST, "its two points"},
               {"strength", SARI_READ_NUMBER, offsetof(sar_attraction_def, strength), SARI_MUST,
                "force times distance squared, G m_1 m_2 of two masses [N m^2]; negative: they "
                "repel"}}}},
    .size = sizeof(sar_attraction_def),
    .usual = &USUAL,
    .ends = offsetof(sar_attraction_def, a),
    .shows_length = true,
    .check = check,
    .convert = convert,
    .in_plane = 1,
    .in_space = 1,
    .compile = compile,
    .act = act,
    .loses = loses,
};
