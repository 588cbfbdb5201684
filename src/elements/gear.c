/* A gear: B - ratio A stays what it is. */
#include "elements/gear.h"

#include "base/status.h"
#include "model/model.h"

sar_status sari_gear_turns(const sar_model* model, const sari_gear* gear, const char* word,
                           int first, sar_error* error)
{
    for (int k = first; k < gear->sum.terms; k++)
        if (gear->sum.coordinate[k] != SAR_COORD_ANGLE)
            return sari_fail(error, SAR_E_MODEL, NULL,
                             "a %s turns: its joint '%s' has no angle\nname revolute or "
                             "cylindrical joints",
                             word, model->joints[gear->sum.joint[k].i].name);
    return SAR_OK;
}

static sar_status complete(const sar_model* model, sari_gear* gear, sar_error* error)
{
    (void)model, (void)error;
    sari_gear_set(gear, -gear->number, 1.0, 0.0);
    return SAR_OK;
}

const sari_gear_type sari_gear_gear = {
    .is.word = {{"gear",
                 "coordinate of B = ratio times coordinate of A",
                 {{"joints", SARI_READ_TERMS, offsetof(sari_gear, sum), SARI_MUST,
                   "the joints A and B"},
                  {"ratio", SARI_READ_NUMBER, offsetof(sari_gear, number), SARI_MUST,
                   "coordinate of B = ratio times coordinate of A, from the start on"}}}},
    .is.size = sizeof(sari_gear),

    .complete = complete,
};
