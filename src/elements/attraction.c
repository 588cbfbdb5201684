/* Two points that attract each other by the square of their distance s, as masses and charges do:
 *
 *     f = strength/s^2,   V = -strength/s                                                     (1)
 *
 * strength = G m_1 m_2 of two masses; a negative one repels. */
#include "elements/force.h"

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

const sari_force_type sari_attraction_force = {
    .is.word = {{"attraction",
                 "two points attract each other by the square of their distance",
                 {{"between", SARI_READ_FRAMES, 0, SARI_MUST, "its two points"},
                  {"strength", SARI_READ_NUMBER, offsetof(sar_attraction_def, strength),
                   SARI_MUST | SARI_FINITE,
                   "force times distance squared, G m_1 m_2 of two masses [N m^2]; negative: they "
                   "repel"}}}},
    .is.size = sizeof(sar_attraction_def),
    .is.ends = offsetof(sar_attraction_def, a),
    .by_distance = true,
    .shows_length = true,
    .in_plane = 1,
    .in_space = 1,
    .act = act,
    .conservative = true,
};
