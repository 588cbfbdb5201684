/* A differential: left + right - 2/ratio input stays what it is. */
#include "elements/gear.h"

#include "base/status.h"

static const sari_gear USUAL = {.number = 1.0};

static sar_status complete(const sar_model* model, sari_gear* gear, sar_error* error)
{
    if (gear->number == 0.0) return sari_fail(error, SAR_E_MODEL, "ratio", "ratio must not be 0");
    sari_gear_set(gear, 1.0, 1.0, -2.0 / gear->number);
    return sari_gear_turns(model, gear, "differential", 0, error);
}

const sari_gear_type sari_gear_differential = {
    .is.word = {{"differential",
                 "the mean of the outputs is the input divided by the ratio",
                 {{"outputs", SARI_READ_TERMS, offsetof(sari_gear, sum), SARI_MUST,
                   "joints of the two shafts"},
                  {"input", SARI_READ_TERM, offsetof(sari_gear, sum), SARI_MUST,
                   "joint of what drives it"},
                  {"ratio", SARI_READ_NUMBER, offsetof(sari_gear, number), 0,
                   "angle of the input by the mean angle of the outputs; default 1"}}}},
    .is.size = sizeof(sari_gear),
    .is.usual = &USUAL,
    .complete = complete,
};
