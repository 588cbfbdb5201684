/* A planetary gear: z_s sun + z_r ring - (z_s + z_r) carrier stays what it is (Willis). */
#include "elements/gear.h"

#include "base/status.h"

static sar_status complete(const sar_model* model, sari_gear* gear, sar_error* error)
{
    const double sun = gear->pair[0], ring = gear->pair[1];
    if (sun >= ring)
        return sari_fail(
            error, SAR_E_MODEL, "teeth",
            "the sun has %g teeth and the ring %g: a ring has more\nwrite teeth: [SUN, "
            "RING]",
            sun, ring);
    sari_gear_set(gear, sun, ring, -(sun + ring));
    return sari_gear_turns(model, gear, "planetary", 0, error);
}

const sari_gear_type sari_gear_planetary = {
    .is.word =
        {{"planetary",
          "sun, ring and carrier with planets: z_sun sun + z_ring ring = (z_sun + z_ring) carrier",
          {{"sun", SARI_READ_TERM, offsetof(sari_gear, sum), SARI_MUST,
            "joint of the sun in the housing"},
           {"ring", SARI_READ_TERM, offsetof(sari_gear, sum), SARI_MUST,
            "joint of the ring in the housing"},
           {"carrier", SARI_READ_TERM, offsetof(sari_gear, sum), SARI_MUST,
            "joint of the carrier in the housing"},
           {"teeth", SARI_READ_PAIR, offsetof(sari_gear, pair), SARI_MUST,
            "of the sun and of the ring"}}}},
    .is.size = sizeof(sari_gear),

    .complete = complete,
};
