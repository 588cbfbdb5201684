/* A rack and its pinion: rack - radius pinion stays what it is. */
#include "elements/gear.h"

#include "base/status.h"
#include "model/model.h"

static sar_status complete(const sar_model* model, sari_gear* gear, sar_error* error)
{
    if (!(gear->number > 0.0))
        return sari_fail(error, SAR_E_MODEL, "radius", "radius has to be positive, here is %g",
                         gear->number);
    SARI_TRY(sari_gear_turns(model, gear, "rack", 1, error));
    if (gear->sum.coordinate[0] != SAR_COORD_DISPLACEMENT)
        return sari_fail(
            error, SAR_E_MODEL, NULL,
            "a rack slides: its joint '%s' has no displacement\nname a prismatic joint",
            model->joints[gear->sum.joint[0].i].name);
    sari_gear_set(gear, 1.0, -gear->number, 0.0);
    return SAR_OK;
}

const sari_gear_type sari_gear_rack = {
    .is.word = {{"rack",
                 "displacement of the rack = radius times angle of the pinion",
                 {{"rack", SARI_READ_TERM, offsetof(sari_gear, sum), SARI_MUST,
                   "the joint in which it slides"},
                  {"pinion", SARI_READ_TERM, offsetof(sari_gear, sum), SARI_MUST,
                   "the joint in which the pinion turns"},
                  {"radius", SARI_READ_NUMBER, offsetof(sari_gear, number), SARI_MUST,
                   "of the pinion [m]"}}}},
    .is.size = sizeof(sari_gear),

    .complete = complete,
};
