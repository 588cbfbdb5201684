/* Frames with a name of their own, fixed in bodies or in the ground: an origin and three axes. Joints,
 * forces and signals use them as they use points and axes of bodies. */
#include "base/memory.h"
#include "math/vec3.h"
#include "model/parts.h"

#include <math.h>

sar_frame_def sar_frame_def_default(void)
{
    return (sar_frame_def){.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

/// Orthonormal and right-handed, and in the plane a turn about z.
static sar_status check_rotation(const sar_model* model, const double R[9], sar_error* error)
{
    static const double CLOSE = 1e-9;
    double c[3], worst = 0.0;
    SARI_TRY(sari_check_numbers(R, 9, "rotation", error));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            worst = fmax(worst, fabs(sari_dot(R + 3 * i, R + 3 * j) - (i == j)));
    sari_cross(R, R + 3, c);
    if (worst > CLOSE || fabs(sari_dot(c, R + 6) - 1.0) > CLOSE)
        return sari_fail(error, SAR_E_MODEL, "rotation",
                         "this is no rotation: rows must be perpendicular unit vectors, "
                         "right-handed");
    if (model->dimension == 2 && fabs(R[8] - 1.0) > CLOSE)
        return sari_fail(error, SAR_E_MODEL, "rotation",
                         "this model is planar: a frame turns about z only");
    return SAR_OK;
}

sar_status sar_model_add_frame(sar_model* model, const sar_frame_def* def, sar_error* error)
{
    SARI_TRY(sari_model_check_name(model, def->name, error));
    SARI_TRY(sari_check_body(model, def->body, "body", error));
    SARI_TRY(sari_check_vector(model, def->point, "point", error));
    SARI_TRY(check_rotation(model, def->rotation, error));
    void* list = model->frames;
    const bool grown =
        sari_grow(&list, model->frames_count, &model->frames_capacity, sizeof model->frames[0]);
    model->frames = list;
    sari_frame frame = {.body = def->body.i};
    frame.name = grown ? sari_copy_string(def->name) : NULL;
    if (!frame.name) return sari_out_of_memory(error);
    memcpy(frame.point, def->point, sizeof frame.point);
    memcpy(frame.R, def->rotation, sizeof frame.R);
    sar_status status =
        sari_model_enter_part(model, SARI_PART_FRAME, frame.name, model->frames_count, error);
    if (status == SAR_OK)
        model->frames[model->frames_count++] = frame;
    else
        sari_release(frame.name);
    return status;
}

const sari_frame* sari_model_frame(const sar_model* model, const char* name, size_t length)
{
    const int k = sari_model_find_kind(model, SARI_PART_FRAME, name, length);
    return k >= 0 ? &model->frames[k] : NULL;
}

void sari_frame_axis(const sari_frame* frame, int k, double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = frame->R[3 * i + k];
}
