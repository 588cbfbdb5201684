/* A coupler: a sum of any coordinates stays what it is, or is a number. */
#include "elements/gear.h"

#include <math.h>

static const sari_gear USUAL = {.sum.offset = NAN};

static sar_status complete(const sar_model* model, sari_gear* gear, sar_error* error)
{
    (void)model, (void)error;
    gear->sum.has_offset = !isnan(gear->sum.offset);
    return SAR_OK;
}

const sari_gear_type sari_gear_coupler = {
    .is.word = {{"coupler",
                 "a weighted sum of joint coordinates stays constant",
                 {{"sum", SARI_READ_SUM, offsetof(sari_gear, sum), SARI_MUST,
                   "coefficients of the joint coordinates, as in {A.angle: 1, B.displacement: -2}"},
                  {"offset", SARI_READ_NUMBER, offsetof(sari_gear, sum.offset), 0,
                   "what the sum equals; default: what it is at the assembled start"}}}},
    .is.size = sizeof(sari_gear),
    .is.usual = &USUAL,
    .complete = complete,
};
