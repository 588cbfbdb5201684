/* A spring and a damper in series between two points, at the distance s. x is the stretch of the
 * spring, a state:
 *
 *     f = k x,   dx/dt = ds/dt - k x/c                                                        (1)
 *
 * It has the potential V = k x^2/2, and the damper takes f^2/c. */
#include "elements/force.h"

static int states(const void* def)
{
    (void)def;
    return 1;
}

static void act(const sari_force* force, const sari_force_state* at, unsigned what,
                sari_force_action* out)
{
    const sar_maxwell_def* def = force->def;
    const double k = def->stiffness, f = k * at->state[0];
    out->force[0] = f;
    out->state_rate[0] = at->rate[0] - f / def->damping; // (1)
    if (what & SARI_ACT_SLOPES) {
        out->by_value[0][0] = out->by_rate[0][0] = out->g_by_value[0][0] = 0.0;
        out->by_state[0][0] = k;
        out->g_by_rate[0][0] = 1.0;
        out->g_by_state[0][0] = -k / def->damping;
    }
    if (what & SARI_ACT_POTENTIAL) out->potential += 0.5 * f * at->state[0];
    if (what & SARI_ACT_POWER) out->power -= f * f / def->damping;
}

static void show(const sari_force* force, const sari_force_state* at, double* out)
{
    const sar_maxwell_def* def = force->def;
    out[0] = def->stiffness * at->state[0];
    out[1] = at->state[0];
}

const sari_force_type sari_maxwell_force = {
    .is.word = {{"maxwell",
                 "a spring and a damper in series",
                 {{"between", SARI_READ_FRAMES, 0, SARI_MUST, "its two points"},
                  {"stiffness", SARI_READ_NUMBER, offsetof(sar_maxwell_def, stiffness),
                   SARI_MUST | SARI_ABOVE_ZERO, "of the spring [N/m]"},
                  {"damping", SARI_READ_NUMBER, offsetof(sar_maxwell_def, damping),
                   SARI_MUST | SARI_ABOVE_ZERO, "of the damper [N s/m]"}}}},
    .is.size = sizeof(sar_maxwell_def),
    .is.ends = offsetof(sar_maxwell_def, a),
    .in_plane = 1,
    .in_space = 1,
    .act = act,
    .states = states,
    .state_length = 1,
    .shown = {{"force", 1, 1, "N", "along the line of its points, positive: it pulls"},
              {"stretch", 1, 0, "m", "of the spring"}},
    .show = show,
    .shows = SARI_SHOWS_COIL | SARI_SHOWS_POT,
};
