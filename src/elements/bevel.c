/* Two wheels whose axes meet: z_A A + z_B B stays what it is, both axes away from where they meet, or both to it. */
#include "elements/gear.h"

#include "base/status.h"
#include "math/vec3.h"
#include "model/model.h"

#include <math.h>

/// On which side of the place where the axes meet a wheel is: along its axis or against it, 0: there.
static int side_of(const double apex[3], const sar_end* a)
{
    double arm[3];
    for (int k = 0; k < 3; k++) arm[k] = a->point[k] - apex[k];
    const double along = sari_dot(arm, a->axis);
    return fabs(along) <= 1e-9 * (sari_norm3(a->point) + sari_norm3(apex)) ? 0 : along > 0 ? 1 : -1;
}

/// Where the axes of two joints of one body meet.
static sar_status meet(const char* name, const sar_end* a, const sar_end* b, double apex[3],
                       sar_error* error)
{
    double across[3], between[3], turned[3];
    sari_cross(a->axis, b->axis, across);
    for (int k = 0; k < 3; k++) between[k] = b->point[k] - a->point[k];
    const double square = sari_dot(across, across), size = sari_norm3(between);
    if (square < 1e-12)
        return sari_fail(error, SAR_E_MODEL, NULL,
                         "the axes of the bevel gear '%s' are parallel\nuse type: gear", name);
    sari_cross(between, b->axis, turned);
    const double along = sari_dot(turned, across) / square;
    for (int k = 0; k < 3; k++) apex[k] = a->point[k] + along * a->axis[k];
    if (fabs(sari_dot(between, across)) <= 1e-6 * size * sqrt(square)) return SAR_OK;
    return sari_fail(
        error, SAR_E_MODEL, NULL,
        "the axes of the bevel gear '%s' do not meet\nuse type: gear or type: coupler, "
        "which look at angles alone",
        name);
}

static sar_status complete(const sar_model* model, sari_gear* gear, sar_error* error)
{
    sar_coupling_def* sum = &gear->sum;
    double apex[3];
    SARI_TRY(sari_gear_turns(model, gear, "bevel", 0, error));
    const sar_end *a = &model->joints[sum->joint[0].i].pair.a,
                  *b = &model->joints[sum->joint[1].i].pair.a;
    if (a->body.i != b->body.i)
        return sari_fail(error, SAR_E_MODEL, NULL,
                         "the wheels of the bevel gear '%s' turn in two different bodies\nboth "
                         "joints begin with the body that carries them, as in between: [CARRIER.P, "
                         "WHEEL.P]",
                         sum->name);
    SARI_TRY(meet(sum->name, a, b, apex, error));
    for (int k = 0; k < 2; k++) sum->coefficient[k] = gear->pair[k]; // about the axes as they are
    if (side_of(apex, a) * side_of(apex, b) < 0) sum->coefficient[1] = -sum->coefficient[1];
    return SAR_OK;
}

const sari_gear_type sari_gear_bevel = {
    .is.word = {{"bevel",
                 "two wheels whose axes meet",
                 {{"joints", SARI_READ_TERMS, offsetof(sari_gear, sum), SARI_MUST,
                   "joints of the two wheels in one body"},
                  {"teeth", SARI_READ_PAIR, offsetof(sari_gear, pair), SARI_MUST,
                   "their numbers of teeth"}}}},
    .is.size = sizeof(sari_gear),

    .complete = complete,
};
