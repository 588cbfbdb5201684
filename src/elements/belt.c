/* A belt over two pulleys: r_A A - r_B B stays what it is, crossed r_A A + r_B B. */
#include "elements/gear.h"

static sar_status complete(const sar_model* model, sari_gear* gear, sar_error* error)
{
    gear->sum.belt = 1;
    sari_gear_set(gear, gear->pair[0], -gear->pair[1], 0.0);
    return sari_gear_turns(model, gear, "belt", 0, error);
}

const sari_gear_type sari_gear_belt = {
    .is.word = {{"belt",
                 "a belt over two pulleys: radius times angle is the same",
                 {{"joints", SARI_READ_TERMS, offsetof(sari_gear, sum), SARI_MUST,
                   "joints of the two pulleys"},
                  {"radii", SARI_READ_PAIR, offsetof(sari_gear, pair), SARI_MUST,
                   "their radii [m]"},
                  {"crossed", SARI_READ_CROSSED, offsetof(sari_gear, pair), 0,
                   "yes: they turn against each other"}}}},
    .is.size = sizeof(sari_gear),

    .complete = complete,
};
